"""Converts a command line or a script of one system for another one, noting all that is lost.

The text is read as a jobspec, which is then written for the other system. Requests that both
systems support but a jobspec cannot hold are carried over separately (`extras`), as are the
commands of a script (`body`). The result is read again, and differences are noted.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from fluxtui.answers.commands import body, extras, jobs, scripts, translation, variables
from fluxtui.answers.commands.extras import Extra
from fluxtui.answers.commands.jobs import SCRIPT_NAME, Remark, Rendering
from fluxtui.answers.commands.launchers import TaskLayout, task_layout
from fluxtui.answers.commands.options import UNKNOWN, Note
from fluxtui.answers.commands.scripts import WHOLE, Kind, Memory
from fluxtui.answers.commands.translation import Reading
from fluxtui.answers.commands.variables import Variables
from fluxtui.model.jobspec import jobspec
from fluxtui.notation import shellwords
from fluxtui.notation.problem import Problem, Span
from fluxtui.notation.shape.format import format_shape
from fluxtui.notation.shape.tree import from_resources

System = Literal["flux", "slurm", "pbs", "lsf"]
Target = Literal["flux", "slurm", "pbs", "lsf", "jobspec"]

#: The systems that texts are read from and written for.
SYSTEMS: tuple[System, ...] = get_args(System)

KINDS: Mapping[System, Kind] = {"flux": "flux", "slurm": "SBATCH", "pbs": "PBS", "lsf": "BSUB"}
_LEADS = {"flux": "# flux: ", "slurm": "#SBATCH ", "pbs": "#PBS ", "lsf": "#BSUB "}


@dataclass(frozen=True, slots=True)
class Tally:
    """How many options of a text are kept exactly, approximate, lost, or unknown."""

    exact: int = 0
    approximate: int = 0
    lost: int = 0
    unknown: int = 0


@dataclass(frozen=True, slots=True)
class Conversion:
    """A text converted for another system.

    what      the form of the text, such as ``sbatch script``
    source    the system of the text, empty if it is not recognised
    document  the intermediate jobspec, or None
    command   the command line; None if there is none, and a problem says why
    script    the script, which the command calls script.sh
    notes     what is lost or approximate, in the order of the text
    remarks   what a person should know though nothing is lost
    """

    what: str
    source: System | Literal["jobspec", ""]
    target: Target
    document: Mapping[str, Any] | None = None
    command: str | None = None
    script: str | None = None
    notes: tuple[Note, ...] = ()
    problems: tuple[Problem, ...] = ()
    tally: Tally = Tally()
    remarks: tuple[Note, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether nothing is lost, approximate or wrong."""
        return not self.notes and not any(p.severity == "error" for p in self.problems)


def system_of(program: str) -> System:
    """The system of a program such as ``sbatch``."""
    others: dict[str, System] = {"qsub": "pbs", "bsub": "lsf", "jsrun": "lsf"}
    return "flux" if program.startswith("flux ") else others.get(program, "slurm")


def convert(
    text: str,
    target: Target,
    source: System | None = None,
    *,
    memory: bool = False,
    environ: Mapping[str, str] | None = None,
) -> Conversion:
    """Convert a command line or a script for another system, or to a jobspec. Never raises.

    source is detected if it is None. With memory, memory is also requested from Flux, which a
    version 1 jobspec (RFC 25) cannot do.
    """
    to_flux: Memory = "nodes" if memory else "none"
    kind = None if source is None else KINDS[source]
    how = to_flux if target in ("flux", "jobspec") else "slots"
    reading = translation.read(text, environ, kind=kind, memory=how)
    if not isinstance(reading, Reading):
        return Conversion(reading.what, "", target, problems=reading.problems)
    found = system_of(reading.command.program)
    if found == target:
        return _unchanged(reading, text, target)
    if target != "jobspec" and reading.command.script is None and _is_script(text):
        return _without_directives(reading, text, found, target)
    return _Converter(reading, text, found, target).conversion()


def _is_script(text: str) -> bool:
    return text.startswith("#!") and "\n" in text.strip()


def _without_directives(reading: Reading, text: str, source: System, target: System) -> Conversion:
    """Convert a script that requests no resources itself: only its commands change."""
    made = body.convert(text, source, target, TaskLayout(1), 0)
    what = "the script asks for no resources: ask for them when you submit it"
    notes = (Note(what, Span(0, text.find("\n")), "approximate"), *made.notes)
    command = f"{_program_of('batch', target)} {SCRIPT_NAME}"
    return Conversion("plain script", source, target, reading.document, command, made.text, notes)


def _unchanged(reading: Reading, text: str, system: System) -> Conversion:
    """The conversion of a text that is already one of the target system."""
    is_script = reading.command.script is not None
    program = reading.command.program
    command = f"{program} {SCRIPT_NAME}" if is_script else text.strip()
    problems = reading.problems()
    return Conversion(
        reading.what,
        system,
        system,
        reading.document,
        command,
        text if is_script else None,
        (),
        problems,
        tally(reading.line.spans, (), problems),
    )


_JOBSPEC_PROGRAMS: Mapping[str, Mapping[str, str]] = {
    "flux": {"batch": "flux batch", "alloc": "flux alloc"},
    "slurm": {"alloc": "salloc"},
    "pbs": {},
    "lsf": {},
}
# The pattern in file names for the index of a job in an array.
_INDEX: Mapping[System, str] = {"slurm": "%a", "lsf": "%I"}
_USUAL = {"flux": "flux submit", "slurm": "sbatch", "pbs": "qsub", "lsf": "bsub"}


def _program_of(kind: str, target: Target) -> str:
    """The program of a system that submits a kind of job (see `jobs.Job`)."""
    return _JOBSPEC_PROGRAMS[target].get(kind, _USUAL[target])


def from_jobspec(document: Mapping[str, Any], target: Target) -> Conversion:
    """Convert a jobspec to a command line and a script of a system. Never raises.

    The notes have no spans in a text; they name the paths of the jobspec that they are about.
    """
    what: Literal["jobspec"] = "jobspec"
    if target == "jobspec":
        return Conversion(what, "jobspec", target, document)
    job = jobs.read(document)
    kind = "" if isinstance(job, str) else job.kind
    program = _program_of(kind, target)
    (rendering,) = translation.to_command(document, [program])
    codes = [(note, getattr(note, "code", "approximate")) for note in rendering.notes]
    if rendering.text is None:
        problems = tuple(Problem(str(note), rule=program) for note in rendering.notes)
        return Conversion(what, "jobspec", target, document, problems=problems)
    notes = tuple(
        Note(str(note), WHOLE, "lost" if code == "lost" else "approximate")
        for note, code in codes
        if code != "remark"
    )
    return Conversion(what, "jobspec", target, document, rendering.text, rendering.script, notes)


# The command of a job that runs a script in an instance.
_INSTANCE = ["flux", "broker", jobspec.SCRIPT]


# What to do about variables that a jobspec does not take from the environment.
_TAKE_IN = "name all that it needs: in the form of the workbench, PATH copies yours, and * all"


class _Converter:
    """Converts one text.

    extras  the extras that the text asks for
    plain   the single command of a batch job that runs no script
    named   the name and the arguments of a script whose text is not known
    """

    def __init__(self, reading: Reading, text: str, source: System, target: Target) -> None:
        self.reading, self.text = reading, text
        self.source, self.target = source, target
        self.system: System = "flux" if target == "jobspec" else target
        self.notes: list[Note] = []
        self.extras = extras.read(source, reading.line)
        if reading.command.program in ("salloc", "flux alloc"):
            self.extras.append(Extra("interactive", "", ("interactive",)))
        if (found := reading.line.get("label")) and not self._is_labelled():
            self.extras.append(Extra("label", "", ("label",)))
            what = "the labels of output are left out: they belong to what shows the output"
            note = Note(what, found.span, "lost", "flux run -l or flux job attach -l", "label")
            reading.line.notes.append(note)
        self.plain: list[str] | None = None
        self.named: list[str] = []
        self.document = self._with_script()

    def _is_labelled(self) -> bool:
        """Whether the jobspec says that output in files is labelled."""
        system = jobs.value_at(self.reading.document, "attributes", "system")
        output = jobs.value_at(system, "shell", "options", "output")
        return any(jobs.value_at(output, name, "label") for name in ("stdout", "stderr"))

    # The script

    def _with_script(self) -> dict[str, Any]:
        """The jobspec, with the script converted for the other system if it runs one."""
        reading = self.reading
        document: dict[str, Any] = jobs.copied(reading.document)
        document["tasks"] = [dict(task) for task in document["tasks"]]
        script = reading.command.script
        wrapped = jobs.value_at(document, "attributes", "system", "files", "script", "data")
        if script is not None:
            text = self._body(script.text, script.offset)
            _run_script(document, text if text.startswith("#!") else f"#!/bin/sh\n{text}")
        elif isinstance(wrapped, str):  # by --wrap
            self.plain = [wrapped.removeprefix("#!/bin/sh\n").removesuffix("\n")]
            _run_script(document, self._body(wrapped, None))
        elif self._is_interactive():
            command = self._inner_command()
            document["tasks"][0]["command"] = command
            if self.system == "flux" and command[:2] == ["flux", "start"]:
                # flux alloc runs brokers for such an instance.
                document["tasks"][0]["command"] = ["flux", "broker", *command[2:]]
                _add_options(document, jobspec.instance_options())
        elif self._is_batch():
            words = list(document["tasks"][0]["command"][2:])
            is_shell = words[:2] == ["sh", "-c"] and len(words) == 3
            text = f"#!/bin/sh\n{words[2]}\n" if is_shell else scripts.of_command(words)
            self.plain = [shellwords.join(words)]
            _run_script(document, self._body(text, None))
        elif (named := self._script_words()) is not None:
            self.named = named
            _run_script(document, "#!/bin/sh\n")
            document["tasks"][0]["command"] = [*_INSTANCE, *named[1:]]
        return document

    def _inner_command(self) -> list[str]:
        """The command of the job, with its launchers converted for the other system."""
        command = list(self.reading.document["tasks"][0]["command"])
        lead, inner = command[:2], command[2:]
        if inner[:2] == ["sh", "-c"]:
            return [*lead, "sh", "-c", *(self._body(text, None) for text in inner[2:])]
        text = self._body(shellwords.join(inner), None)
        return [*lead, *(word.text for word in shellwords.split(text).value)]

    def _is_batch(self) -> bool:
        """Whether the job runs a command once, on its first node."""
        command = self.reading.document["tasks"][0]["command"]
        starts = command[:2] == ["flux", "start"] and len(command) > 2
        is_batch = self.reading.command.program in ("qsub", "bsub")
        return starts and is_batch and not self._is_interactive()

    def _script_words(self) -> list[str] | None:
        """The name and the arguments of the script that is run, if its text is not known."""
        command = self.reading.document["tasks"][0]["command"]
        is_script = self.reading.command.program in ("sbatch", "qsub", "bsub", "flux batch")
        is_named = command[:2] == ["flux", "broker"] and len(command) > 2
        return list(command[2:]) if is_script and is_named else None

    def _is_interactive(self) -> bool:
        return any(extra.kind == "interactive" for extra in self.extras)

    def _note_order(self) -> None:
        """Take out the order of tasks, which only the launchers in a script can request."""
        found = self.reading.line.get("distribution")
        options = jobs.value_at(self.document, "attributes", "system", "shell", "options")
        if found is not None and isinstance(options, dict) and options.pop("taskmap", None):
            note = "the order of the tasks is left out; the launcher has to request it"
            self.notes.append(Note(note, found.span, "lost", "flux run --taskmap=cyclic"))

    def _body(self, text: str, offset: int | None) -> str:
        """Convert a script; offset is its position in the text, None if it is not part of it."""
        if self.source == self.system:
            return text
        job = jobs.read(self.reading.document)
        layout = (
            TaskLayout(1) if isinstance(job, str) else task_layout(job, self.reading.line.tasks)
        )
        made = body.convert(text, self.source, self.system, layout, offset or 0)
        notes = made.notes
        if offset is None:
            notes = tuple(replace(note, span=self.reading.command.span) for note in notes)
        if self.system != "flux":
            notes = tuple(n if n.code == "body" else replace(n, instead="") for n in notes)
        self.notes += notes
        return scripts.without_directives(made.text, (KINDS[self.source], KINDS[self.system]))

    # The conversion

    def conversion(self) -> Conversion:
        reading = self.reading
        read_notes = [note for note in reading.notes() if note.code not in ("body", "remark")]
        if self.system != "flux":  # the advice is about Flux
            read_notes = [replace(note, instead="") for note in read_notes]
        if jobs.value_at(self.document, "attributes", "system", "files", "script") is not None:
            self._note_order()
        asked = self._variables()
        if self.target == "jobspec":
            lost = [] if reading.line.environ else variables.not_in_jobspec(asked)
            of_variables = [replace(n, instead=_TAKE_IN) for n in self._of_variables(lost)]
            return self._made([*read_notes, *of_variables], self.document, None)
        program = self._program()
        document = self._document_to_write()
        able = [extra for extra in self.extras if extra.kind != "label" or program != "sbatch"]
        words, obsolete = extras.write(self.system, able)
        if not asked.is_whole:
            jobs.drop(document, "attributes", "system", "environment")
            further, lost = variables.write(self.system, asked)
            words, read_notes = [*words, *further], [*read_notes, *self._of_variables(lost)]
        (rendering,) = translation.to_command(document, [program])
        kept = [note for note in read_notes if note.extra not in obsolete]
        if rendering.text is None:
            problems = tuple(
                Problem(note, reading.command.span, None, (), program) for note in rendering.notes
            )
            return replace(self._made(kept, document, None), problems=problems)
        kept += self._of_rendering(rendering)
        rendering = self._with_words(rendering, program, words)
        kept += self._of_second_reading(rendering, document)
        return self._made(kept, document, rendering)

    def _variables(self) -> Variables:
        """The environment that the options ask for, with that of ``--setattr``."""
        found = self.reading.line.variables or Variables()
        named = jobs.value_at(self.document, "attributes", "system", "environment")
        if found.is_whole or not isinstance(named, Mapping):
            return found
        more = {name: value for name, value in named.items() if isinstance(value, str)}
        unset = tuple(name for name, value in named.items() if value is None)
        values = {**more, **found.values}
        return replace(found, values=values, removed=found.removed + unset)

    def _of_variables(self, lost: Iterable[str]) -> list[Note]:
        """Notes on what is lost of the environment, each at the option that names the variable."""
        line, out = self.reading.line, []
        uses = [use for key in ("env", "export", "variables") for use in line.all(key)]
        for text in lost:
            words = text.replace(",", " ").split()
            spans = [use.span for use in uses if use.text.partition("=")[0].lstrip("-") in words]
            span = spans[0] if spans else self._place("attributes.system.environment")
            out.append(Note(text, span, "approximate" if isinstance(text, Remark) else "lost"))
        return out

    def _program(self) -> str:
        """The program of the other system that corresponds to that of the text."""
        program = self.reading.command.program
        is_script = jobs.value_at(self.document, "attributes", "system", "files", "script")
        if self.system in ("pbs", "lsf"):
            return "qsub" if self.system == "pbs" else "bsub"
        if is_script:
            return "flux batch" if self.system == "flux" else "sbatch"
        if self._is_interactive():
            return "flux alloc" if self.system == "flux" else "salloc"
        is_waited_for = program in ("flux run", "srun", "jsrun")
        if self.system == "flux":
            return "flux run" if is_waited_for else "flux submit"
        return "srun" if is_waited_for else "sbatch"

    def _document_to_write(self) -> dict[str, Any]:
        """The jobspec without the default name and output file that reading a script gave it."""
        document: dict[str, Any] = jobs.copied(self.document)
        system = document["attributes"]["system"]
        line = self.reading.line
        if self.system != "flux" and line.tasks > 1:  # Flux starts them in the instance
            document["tasks"][0]["count"] = {"per_slot": line.tasks}
        if jobs.value_at(system, "files", "script") is None:
            return document
        if line.get("name") is None:
            jobs.drop(system, "job", "name")
        if line.get("output") is None and self.system != "flux":
            jobs.drop(system, "shell", "options", "output", "stdout")
        if self.source in _INDEX and self.system in _INDEX:
            self._put_index(system)
        array = next((extra.value for extra in self.extras if extra.kind == "array"), None)
        if array is not None and self.system == "lsf":
            name = str(jobs.value_at(system, "job", "name") or "job")
            system["job"] = {"name": extras.lsf_name(name, array)}
        return document

    def _put_index(self, system: dict[str, Any]) -> None:
        """Write the index of a job in an array in file names as the other system does."""
        for stream in ("stdout", "stderr"):
            entry = jobs.value_at(system, "shell", "options", "output", stream)
            if isinstance(entry, dict) and isinstance(entry.get("path"), str):
                entry["path"] = entry["path"].replace(_INDEX[self.source], _INDEX[self.system])

    def _with_words(self, rendering: Rendering, program: str, words: list[str]) -> Rendering:
        """The rendering with the options for extras, and with a plain command or named script."""
        text, script = rendering.text or "", rendering.script
        options = text.removeprefix(program).lstrip()
        if self.plain is not None:
            options = self._plain(options)
        elif self.named:
            options, script = options.replace(SCRIPT_NAME, shellwords.quote(self.named[0])), None
        elif self.system == "lsf" and self._is_interactive() and not self._inner():
            options += " bash"  # bsub requires a command
        lead = shellwords.join([*program.split(), *words])
        if script is not None and words:
            script = scripts.with_further(script, _LEADS[self.system], words)
        return replace(rendering, text=f"{lead} {options}".rstrip(), script=script)

    def _inner(self) -> list[str]:
        command = self.reading.document["tasks"][0]["command"]
        return list(command[2:])

    def _plain(self, options: str) -> str:
        """The options, with the command itself in place of the script that runs it."""
        script = jobs.value_at(self.document, "attributes", "system", "files", "script", "data")
        command = str(script).partition("\n")[2].removesuffix("\n")
        options = options.removesuffix(SCRIPT_NAME).removesuffix("./").rstrip()
        wrap = shellwords.quote_value(command)
        needs_shell = bool(set(command) & set(";&|<>$`()\n"))
        ending = {
            "flux": f"--wrap {wrap}", "slurm": f"--wrap={wrap}",
            "lsf": wrap if needs_shell else command,
            "pbs": f"-- sh -c {wrap}" if needs_shell else f"-- {command}",
        }[self.system]  # fmt: skip
        return f"{options} {ending}"

    # Notes on the result

    def _of_rendering(self, rendering: Rendering) -> list[Note]:
        """Notes on what the other system cannot express, with their spans in the text."""
        out, given = [], self.reading.line.get("name")
        for note in rendering.notes:
            path, code = (note.path, note.code) if isinstance(note, Remark) else ("", "approximate")
            is_default = path.startswith("attributes.system.job") and not given
            if code == "remark" or is_default or path == "attributes.system.shell.options.pty":
                continue
            out.append(
                Note(
                    str(note),
                    self._place(path or "resources"),
                    "lost" if code == "lost" else "approximate",
                )
            )
        return out

    def _place(self, path: str) -> Span:
        """The span of the option that sets a path of the jobspec, else of the whole command."""
        line = self.reading.line
        for lead, keys in _SETTERS.items():
            if path.startswith(lead):
                for key in keys:
                    if (found := line.get(key)) is not None:
                        return found.span
        return self.reading.command.span

    def _of_second_reading(self, rendering: Rendering, document: dict[str, Any]) -> list[Note]:
        """Notes on where the result, read again, differs from the jobspec."""
        if not all(
            isinstance(note, Remark) and (note.code == "remark" or note.path in _AS_WRITTEN)
            for note in rendering.notes
        ):
            return []
        text = rendering.script or rendering.text or ""
        read = translation.read(text, None, kind=KINDS[self.system] if rendering.script else None)
        if not isinstance(read, Reading):
            return []
        out = []
        for difference in jobs.differences(document, read.document):
            if difference.path.startswith("resources"):
                shapes = [shape_of(each) for each in (read.document, document)]
                if all(shapes):
                    note = f"the resources come out as {shapes[0]}, not as {shapes[1]}"
                    out.append(Note(note, self._place("resources"), "approximate"))
                break
            if difference.path.startswith(_COMPARED):
                (text,) = jobs.sentences([difference])
                out.append(Note(text, self._place(difference.path), "approximate"))
        return out

    def _made(
        self, notes: Sequence[Note], document: Mapping[str, Any], rendering: Rendering | None
    ) -> Conversion:
        reading = self.reading
        listed = sorted([*notes, *self.notes], key=lambda note: (note.span, note.code))
        notes = tuple(dict.fromkeys(note for note in listed if note.code != "remark"))
        problems = reading.problems()
        # A note on the whole command is not about an option.
        of_options = [note for note in notes if note.span != reading.command.span]
        return Conversion(
            reading.what,
            self.source,
            self.target,
            document,
            None if rendering is None else rendering.text,
            None if rendering is None else rendering.script,
            notes,
            problems,
            tally(reading.line.spans, of_options, problems),
            tuple(note for note in reading.notes() if note.code == "remark"),
        )


# The paths of notes on what is written in full, though it does not mean the same there.
_AS_WRITTEN = ("tasks", "attributes.system.dependencies")
_COMPARED = tuple(
    f"attributes.system.{key}"
    for key in ("duration", "queue", "bank", "project", "constraints", "dependencies", "cwd")
)

# The keys of the options that set each part of a jobspec.
_SETTERS = {
    "attributes.system.duration": ("time-limit", "time", "resources"),
    "attributes.system.queue": ("queue",),
    "attributes.system.bank": ("bank",),
    "attributes.system.project": ("project",),
    "attributes.system.job": ("name",),
    "attributes.system.cwd": ("cwd",),
    "attributes.system.dependencies": ("dependency", "attributes"),
    "attributes.system.constraints": (
        "requires", "constraint", "nodelist", "exclude", "requirements", "hosts",
    ),
    "attributes.system.environment": ("env", "export", "variables"),
    "attributes.system.shell.options.output": ("output", "error"),
    "attributes.system.shell.options.input": ("input",),
    "attributes.system.shell.options.signal": ("signal",),
    "attributes.system.shell.options.taskmap": ("taskmap", "distribution"),
    "attributes.system.shell": ("setopt",),
    "attributes.system": ("setattr",),
    "tasks[0].count": ("count", "ntasks", "ntasks-per-node", "tasks-per-node"),
    "resources": ("resources-shape", "nodes", "count", "ntasks", "slots", "resources"),
}  # fmt: skip


def _add_options(document: dict[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Add options of the job shell; return all of its options."""
    system = document["attributes"].setdefault("system", {})
    shell_options: dict[str, Any] = system.setdefault("shell", {}).setdefault("options", {})
    shell_options.update(options)
    return shell_options


def _run_script(document: dict[str, Any], text: str) -> None:
    """Make a job run a script in an instance, as ``flux batch`` does."""
    system = document["attributes"].setdefault("system", {})
    task = document["tasks"][0]
    arguments = task["command"][3:] if task["command"][:3] == _INSTANCE else []
    task["command"] = [*_INSTANCE, *arguments]
    system.setdefault("files", {})["script"] = jobspec.script_entry(text)
    options = _add_options(document, jobspec.instance_options())
    if jobs.value_at(options, "output", "stdout") is None:
        options.setdefault("output", {})["stdout"] = {"type": "file", "path": jobspec.BATCH_OUTPUT}
    system.setdefault("job", {"name": "batch"})


def shape_of(document: Mapping[str, Any]) -> str:
    """The shape of a jobspec (RFC 46), empty if it has none."""
    resources = document.get("resources")
    tree = from_resources(resources if isinstance(resources, list | tuple) else ())
    return format_shape(tree.value) if tree.ok else ""


def tally(spans: Iterable[Span], notes: Sequence[Note], problems: Sequence[Problem]) -> Tally:
    """Count how many of the options at these spans are kept, approximate, lost or unknown."""
    counts = dict.fromkeys(("exact", "approximate", "lost", "unknown"), 0)
    unknown = [p.span for p in problems if p.code == UNKNOWN and p.span is not None]
    for span in dict.fromkeys(spans):
        codes = {note.code for note in notes if _overlap(note.span, span)}
        if any(_overlap(other, span) for other in unknown):
            counts["unknown"] += 1
        elif "lost" in codes:
            counts["lost"] += 1
        elif "approximate" in codes:
            counts["approximate"] += 1
        else:
            counts["exact"] += 1
    return Tally(**counts)


def _overlap(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end
