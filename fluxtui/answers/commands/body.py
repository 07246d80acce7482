"""Converts the commands of a batch script for another system.

Launchers are rewritten as those of the other system (`launchers`). Variables and commands that
the other system does not have are noted, with their counterparts.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fluxtui.answers.commands import launchers, scripts
from fluxtui.answers.commands.launchers import TaskLayout
from fluxtui.answers.commands.options import Note
from fluxtui.notation.problem import Span, shortened


@dataclass(frozen=True, slots=True)
class Body:
    """The converted commands of a script, and notes whose spans are in the original script."""

    text: str
    notes: tuple[Note, ...] = ()


def convert(text: str, source: str, target: str, layout: TaskLayout, offset: int = 0) -> Body:
    """Convert the commands of a script of one system for another one.

    offset is the position of the text in the document that the spans of the notes refer to.
    """
    if source == target:
        return Body(text)
    pieces: list[str] = []
    notes: list[Note] = []
    place, unchanged = 0, text
    for start, name in launchers.find(scripts.blanked(text)):
        if start < place or not launchers.is_foreign(name, target):
            continue
        launched = launchers.convert(text, start, name, target, layout, offset)
        notes += launched.notes
        if launched.end is not None:
            pieces += [text[place:start], launched.text]
            place = launched.end
            # The launcher is rewritten, so its variables are blanked out here.
            unchanged = f"{unchanged[:start]}{' ' * (place - start)}{unchanged[place:]}"
            notes += _variables(launched.text, target, layout, Span(start, place), offset)
    pieces.append(text[place:])
    notes += _variables(unchanged, target, layout, None, offset)
    notes += _commands(unchanged, target, offset)
    firsts = {note.text: note for note in reversed(notes) if note.code == "body"}
    kept = [note for note in notes if firsts.get(note.text, note) is note]
    kept += _literals(text, target, offset)
    return Body("".join(pieces), tuple(kept))


# The beginning of a simple command that prints what it is given, and a rest of it that does not
# hand this on to another command or to a file (but to a stream, as in >&2).
_PRINTED = re.compile(
    r"(?:^|[;&|{]|(?<!\$)\(|\b(?:then|do|else)\b)\s*(?:echo|printf|logger)\b(?:[^;&|<>]|>&[12])*$"
)
_KEPT = re.compile(r"""(?:[^\n;&|>"']|"[^"\n]*"|'[^'\n]*'|>&[12])*(?:\Z|[\n;]|&&|\|\|)""")

# The beginning of a here-document in which $(...) is run, and that of such a command.
_UNQUOTED = re.compile(r"<<-?[ \t]*\w")
_SUBSTITUTED = re.compile(r"(?<!\\)\$\([^()]*$")


def _literals(text: str, target: str, offset: int) -> Iterator[Note]:
    """Note the launchers and directives in what a shell takes as text, once for each text.

    Not what is only printed, and not a command that is substituted within double quotes.
    """
    commands = {start for start, _ in launchers.find(scripts.blanked(text))}
    for kind, (start, end) in scripts.literals(text, short=True):
        before = text[max(text.rfind("\n", 0, start) + 1, start - 300) : start]
        is_printed = _PRINTED.search(before) and _KEPT.match(text, end)
        if "\n" not in text[start:end] and is_printed:
            continue
        first = start + (kind == "quotes")
        inside = text[first : end - (kind == "quotes")]
        found: dict[str, tuple[Span, str]] = {}
        for place, name in launchers.find(inside):
            if launchers.is_foreign(name, target) and first + place not in commands:
                do = f"write {launchers.NAMES[target]} if a shell runs it"
                found.setdefault(name, (Span(place, place + len(name)), do))
        if (directive := scripts.directive_in(inside)) is not None:
            found[inside[slice(*directive)]] = directive, "convert that script by itself"
        opener = text[text.rfind("\n", 0, max(start - 1, 0)) + 1 : start]
        is_expanded = text[start] == '"' if kind == "quotes" else _UNQUOTED.search(opener)
        where = "these quotes" if kind == "quotes" else "this here-document"
        for name, (span, do) in found.items():
            is_run = is_expanded and _SUBSTITUTED.search(inside, 0, span.start)
            is_what = "is run by the shell" if is_run else "is text"
            advice = do.removesuffix(" if a shell runs it") if is_run else do
            note = f"{shortened(name)} in {where} {is_what} and stays as it is"
            yield Note(note, span.moved(first + offset), "body", advice)


# Variables and commands of one system


@dataclass(frozen=True, slots=True)
class _Row:
    """The variables of each system with the same meaning, and the counterpart in Flux."""

    slurm: str
    pbs: str
    lsf: str
    flux: str

    def instead(self, target: str) -> str:
        """The counterpart in a system, empty if it has none."""
        return getattr(self, target).split(" / ")[0] if target != "flux" else self.flux


_VARIABLES = (
    _Row("SLURM_JOB_ID / SLURM_JOBID", "PBS_JOBID", "LSB_JOBID", "$FLUX_ENCLOSING_ID"),
    _Row("SLURM_SUBMIT_DIR", "PBS_O_WORKDIR / PBS_O_INITDIR", "LS_SUBCWD",
         "$PWD: the script begins where it was submitted"),
    _Row("SLURM_JOB_NUM_NODES / SLURM_NNODES", "PBS_NUM_NODES", "",
         "$(flux resource list -no {nnodes})"),
    _Row("SLURM_JOB_NODELIST / SLURM_NODELIST / SLURM_HOSTFILE", "PBS_NODEFILE / PBS_O_NODEFILE",
         "LSB_HOSTS / LSB_DJOB_HOSTFILE / LSB_MCPU_HOSTS", "$(flux getattr hostlist)"),
    _Row("SLURM_NTASKS / SLURM_NPROCS", "PBS_NP / PBS_NCPUS / PBS_TASKNUM",
         "LSB_DJOB_NUMPROC / LSB_MAX_NUM_PROCESSORS", "$(flux resource list -no {ncores})"),
    _Row("SLURM_NTASKS_PER_NODE / SLURM_TASKS_PER_NODE", "PBS_NUM_PPN", "", "its number"),
    _Row("SLURM_CPUS_PER_TASK / SLURM_CPUS_PER_GPU", "", "", "the number of -c"),
    _Row("SLURM_CPUS_ON_NODE / SLURM_JOB_CPUS_PER_NODE", "", "", "$(nproc)"),
    _Row("SLURM_GPUS_ON_NODE / SLURM_GPUS / SLURM_JOB_GPUS / SLURM_STEP_GPUS", "PBS_GPUFILE", "",
         "$(flux resource list -no {ngpus})"),
    _Row("SLURM_ARRAY_TASK_ID", "PBS_ARRAY_INDEX / PBS_ARRAYID", "LSB_JOBINDEX", "$FLUX_JOB_CC"),
    _Row("SLURM_ARRAY_JOB_ID", "PBS_ARRAY_ID", "", "$FLUX_ENCLOSING_ID"),
    _Row("SLURM_PROCID", "", "JSM_NAMESPACE_RANK", "$FLUX_TASK_RANK"),
    _Row("SLURM_LOCALID", "", "JSM_NAMESPACE_LOCAL_RANK", "$FLUX_TASK_LOCAL_ID"),
    _Row("SLURM_JOB_NAME", "PBS_JOBNAME", "LSB_JOBNAME", "the name itself"),
    _Row("SLURM_JOB_PARTITION", "PBS_QUEUE / PBS_O_QUEUE", "LSB_QUEUE", "the name of the queue"),
    _Row("SLURM_JOB_ACCOUNT", "PBS_ACCOUNT", "LSB_PROJECT_NAME", "the name of the bank"),
    _Row("SLURM_SUBMIT_HOST", "PBS_O_HOST", "LSB_SUB_HOST", "$(hostname) at submission"),
    _Row("SLURM_JOB_USER", "PBS_O_LOGNAME / PBS_O_USER", "", "$USER"),
    _Row("", "PBS_O_HOME", "", "$HOME"), _Row("", "PBS_O_PATH", "", "$PATH"),
    _Row("SLURM_TMPDIR", "PBS_JOBDIR", "", "$TMPDIR"),
)  # fmt: skip

_VARIABLE = re.compile(
    r"\$\{?((?:SLURM|PBS|LSB|JSM)_[A-Z0-9_]+|LS_SUBCWD|FLUX_(?:JOB|TASK|ENCLOSING)_[A-Z_]+)"
)
_PREFIXES = {"slurm": ("SLURM_",), "pbs": ("PBS_",), "lsf": ("LSB_", "LS_SUBCWD", "JSM_"),
             "flux": ("FLUX_",)}  # fmt: skip
_CALLED = {"flux": "Flux", "slurm": "Slurm", "pbs": "PBS", "lsf": "LSF"}


def _variables(
    text: str, target: str, layout: TaskLayout, rewritten: Span | None, offset: int
) -> Iterator[Note]:
    """Note the variables of other systems; rewritten is the span of a launcher that became text."""
    seen: dict[str, Span] = {}
    for found in _VARIABLE.finditer(text):
        if not launchers.is_comment(text, found.start()):
            seen.setdefault(found[1], Span(*found.span(1)))
    for name, span in seen.items():
        if name.startswith(_PREFIXES[target]):
            continue
        row = next((row for row in _VARIABLES if name in _names(row)), None)
        instead = "" if row is None else row.instead(target)
        if name.startswith("SLURM_CPUS_PER_TASK") and target == "flux":
            instead = str(layout.cores)
        elif instead and target != "flux":
            instead = f"${instead}"
        elif name == "SLURM_NTASKS" and target == "flux":
            instead = f"{layout.tasks}, or {instead}"
        note = f"{name} is not set in a job of {_CALLED[target]}"
        do = f"write {instead}" if instead else "write its value"
        yield Note(note, (rewritten or span).moved(offset), "body", do)


def _names(row: _Row) -> list[str]:
    found = [*row.slurm.split(" / "), *row.pbs.split(" / "), *row.lsf.split(" / ")]
    return [*found, *re.findall(r"\$(FLUX_\w+)", row.flux)]


_COMMANDS: Mapping[str, Mapping[str, str]] = {
    "slurm": {
        "sbatch": "submit", "salloc": "allocate", "squeue": "list", "scancel": "cancel",
        "sacct": "history", "sstat": "history", "sinfo": "nodes",
        "scontrol show hostnames": "hosts", "scontrol": "control",
        "sbcast": "broadcast",
    },
    "pbs": {
        "qsub": "submit", "qstat": "list", "qdel": "cancel", "pbsnodes": "nodes",
        "qalter": "control", "pbsdsh": "launch", "tracejob": "history",
    },
    "lsf": {
        "bsub": "submit", "bjobs": "list", "bkill": "cancel", "bhosts": "nodes",
        "bmod": "control", "bhist": "history", "blaunch": "launch", "lsrun": "launch",
    },
    "flux": {
        "flux batch": "submit", "flux alloc": "allocate", "flux jobs": "list",
        "flux cancel": "cancel", "flux resource": "nodes", "flux job": "control",
    },
}  # fmt: skip
_DO: Mapping[str, Mapping[str, str]] = {
    "flux": {
        "submit": "flux batch; flux --parent batch submits it beside this job",
        "allocate": "flux alloc", "list": "flux jobs", "cancel": "flux cancel",
        "history": "flux jobs -a", "nodes": "flux resource list", "control": "flux job",
        "broadcast": "flux archive", "launch": "flux exec, or flux run",
        "hosts": "flux hostlist --expand instance",
    },
    "slurm": {
        "submit": "sbatch", "allocate": "salloc", "list": "squeue", "cancel": "scancel",
        "history": "sacct", "nodes": "sinfo", "control": "scontrol", "broadcast": "sbcast",
        "launch": "srun",
    },
    "pbs": {
        "submit": "qsub", "allocate": "qsub -I", "list": "qstat", "cancel": "qdel",
        "history": "qstat -x", "nodes": "pbsnodes", "control": "qalter", "launch": "pbsdsh",
        "hosts": "uniq $PBS_NODEFILE",
    },
    "lsf": {
        "submit": "bsub", "allocate": "bsub -Is", "list": "bjobs", "cancel": "bkill",
        "history": "bhist", "nodes": "bhosts", "control": "bmod", "launch": "blaunch",
        "hosts": "uniq $LSB_DJOB_HOSTFILE",
    },
}  # fmt: skip
_COMMAND = re.compile(
    r"(?<![\w.$/-])("
    + "|".join(name.replace(" ", r"[ \t]+") for names in _COMMANDS.values() for name in names)
    + r")(?=[\s;|)`]|$)"
)


def _commands(text: str, target: str, offset: int) -> Iterator[Note]:
    """Note the commands of other systems."""
    seen: dict[str, Span] = {}
    for found in _COMMAND.finditer(text):
        if launchers.is_command(text, found.start()):
            seen.setdefault(" ".join(found[1].split()), Span(*found.span(1)))
    for name, span in seen.items():
        system = next(system for system, names in _COMMANDS.items() if name in names)
        if system == target:
            continue
        instead = _DO[target].get(_COMMANDS[system][name])
        do = f"write {instead}" if instead else "leave it out"
        yield Note(f"{name} asks {_CALLED[system]}", span.moved(offset), "body", do)
