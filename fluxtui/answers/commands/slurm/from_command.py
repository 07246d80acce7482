"""Reads ``srun``, ``sbatch`` and ``salloc`` lines as jobspecs."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from fluxtui.answers.commands import foreign, options, scripts, values
from fluxtui.answers.commands.demand import core_vertices, megabytes, memory_vertex, nodes_of_slots
from fluxtui.answers.commands.foreign import JobBuilder, Layout
from fluxtui.answers.commands.options import (
    WHOLE,
    Found,
    Line,
    Option,
    OptionSyntax,
    each,
    kept,
    leave,
    silent,
    table,
)
from fluxtui.notation import count as counts
from fluxtui.notation.problem import Span, is_digits, printable
from fluxtui.notation.sets import hostlist
from fluxtui.notation.shellwords import Word

#: Slurm takes long names cut short, and its options end at the first word that is not one.
SYNTAX = OptionSyntax(abbreviated=True)

_KEPT = kept(
    "=-N/--nodes =-n/--ntasks =-c/--cpus-per-task =--tasks-per-node/--ntasks-per-node "
    "=-G/--gpus =--gpus-per-task =--gpus-per-node =--gres =--mem =--mem-per-cpu ?--exclusive "
    "=-t/--time =-p/--partition =-A/--account =-J/--job-name =-D/--workdir/--chdir "
    "=-d/--dependency =-C/--constraint =-w/--nodelist =-x/--exclude =--export "
    "=-o/--output =-e/--error =-i/--input =--sockets-per-node =--cores-per-socket "
    "=-B/--extra-node-info =-m/--distribution =--signal"
)

_WHY = {
    "watch": "says how the job is watched or reported, which a jobspec does not hold",
    "place": "has no counterpart among the resources of a jobspec and is left out",
    "run": "tells Slurm how to start tasks; the Flux job shell has options of its own (-o)",
    "policy": "belongs to Slurm's scheduling and has no counterpart in a jobspec",
    "many": "makes several jobs of one; a jobspec is one job",
}

# In the notation of `each`.
_LEFT = {
    "watch": (
        "=--mail-type =--mail-user =--comment =--acctg-freq =--profile =--wckey =--open-mode "
        "=--bell-after ?--usage --bell --no-bell --parsable --test-only -X/--disable-status "
        ""
    ),
    "place": (
        "=--gpus-per-socket =--cpus-per-gpu =--mem-per-gpu =--mincpus =--tmp =--switches "
        "=--ntasks-per-core =--ntasks-per-socket =--ntasks-per-gpu =--threads-per-core "
        "=-L/--licenses =--bb =--bbf =-F/--nodefile =-S/--core-spec =--thread-spec "
        "=--tres-per-task =-M/--clusters =--cluster-constraint =--prefer --contiguous "
        "-s/--oversubscribe --spread-job --use-min-nodes -O/--overcommit =--hint "
        "=-r/--relative =--het-group =--container =--network"
    ),
    "run": (
        "=--mpi =--cpu-bind =--gpu-bind =--mem-bind =--cpu-freq =--gpu-freq =--tres-bind "
        "?--propagate ?-K/--kill-on-bad-exit ?-k/--no-kill =--prolog =--epilog =--task-prolog "
        "=--task-epilog --multi-prog ?--x11 ?--bcast ?--compress =--export-file ?--get-user-env "
        "--exact --overlap =--oom-kill-step =-T/--threads =--treewidth ?--resv-ports "
        "-E/--preserve-env =-W/--wait --no-shell =--msg-timeout --stepmgr"
    ),
    "policy": (
        "=-q/--qos =--reservation =--priority ?--nice =--deadline =--time-min =--delay-boot "
        "=-b/--begin -H/--hold ?-I/--immediate --requeue --no-requeue --reboot =--power "
        "=--mcs-label =--kill-on-invalid-dep =--uid =--gid =--jobid --ignore-pbs "
        "=--wait-all-nodes -Z/--no-allocate"
    ),
    "many": "=-a/--array",
}

_LEFT_OUT = (
    *(option for why, names in _LEFT.items() for option in each(names, leave(_WHY[why]))),
    *each("-Q/--quiet -v/--verbose -V/--version -h/--help", silent),
)

_OWN = {
    "srun": kept("-u/--unbuffered -l/--label ?--pty"),
    "sbatch": (*kept("=--wrap"), *each("-W/--wait", leave(_WHY["watch"]))),
    "salloc": each("?-K/--kill-command", leave(_WHY["run"])),
}


@cache
def _options(program: str) -> dict[str, Option]:
    """The options of ``srun``, ``sbatch`` or ``salloc`` by their names."""
    return table((*_LEFT_OUT, *_KEPT, *_OWN[program]))


def read(
    program: str,
    words: Sequence[Word],
    environ: Mapping[str, str],
    assigned: Sequence[Found] = (),
    script: scripts.Script | None = None,
) -> tuple[dict[str, Any], Line]:
    """The jobspec of the words behind the program, and the line with notes and problems.

    assigned  variables set before the command, as rules of ``--env``
    script    the batch script, where its text is known
    """
    line = Line(program)
    known = _options(program)
    if script is not None:
        line.problems += script.problems
        for word in options.read(line, script.words, known, SYNTAX):
            message = f"'{printable(word.text[:40])}' is not an option of sbatch"
            line.problem(word.span, message, "an option such as -N4")
    rest = [word.text for word in options.read(line, words, known, SYNTAX)]
    if rest[:1] == ["--"]:
        rest = rest[1:]
    job = JobBuilder()
    _attributes(line, job, environ, assigned)
    layout = _layout(line)
    if program == "sbatch":
        return _batch(line, job, layout, rest, script), line
    if program == "srun" and rest:
        return job.document(layout, rest), line
    if program == "srun":
        text = "no command is given; the resources start a Flux instance, as in RFC 14"
        line.note(WHOLE, text)
    return _allocation(job, layout, rest), line


def _allocation(job: JobBuilder, layout: Layout, rest: list[str]) -> dict[str, Any]:
    """``salloc``: one broker on each node, which runs the command if there is one."""
    alone = layout.resources[0]["count"] == 1 and layout.tasks == {"per_slot": 1}
    if not layout.one_each and not alone:
        job.options["per-resource"] = {"type": "node"}
        if "per_slot" in layout.tasks:
            layout = replace(layout, tasks={"per_slot": 1})
    return job.document(layout, [*foreign.INSTANCE, *rest])


_MOST = 5  # lines that are named

_USE_FLUX = "use flux run, as there is no Slurm in a job of Flux"

# srun as the command of a line, or of a part of one; behind a '#' it is only told of. Variables
# and folders are looked at only so far: each part of a line may begin with them.
_SRUN = re.compile(
    r"""^(?:[^#\n'"]*(?:[;&|({`!]|\b(?:then|do|else|exec|time|if|while|nohup)\b))?[ \t]*"""
    r"""(?:[A-Za-z_]\w*=[^\s;&|#]{0,200}[ \t]+)*(?:/[^\s;&|#]{0,200}/)?(srun)(?=[ \t\n\\]|$)""",
    re.MULTILINE,
)


def _batch(
    line: Line,
    job: JobBuilder,
    layout: Layout,
    rest: list[str],
    script: scripts.Script | None,
) -> dict[str, Any]:
    wrap = line.text("wrap")
    if wrap is not None:
        if _SRUN.search(wrap):
            line.note(line.values["wrap"], f"srun in --wrap: {_USE_FLUX}")
        return job.script(layout, f"#!/bin/sh\n{wrap}\n", rest, "wrap")
    if script is not None:
        _steps(line, script)
    return job.given_script(line, layout, script, rest)


def _steps(line: Line, script: scripts.Script) -> None:
    """Note where a script starts tasks by srun, which talks to Slurm alone."""
    found = list(_SRUN.finditer(script.text)) if "srun" in script.text else []
    if not found:
        return
    numbers = [str(script.text.count("\n", 0, one.start(1)) + 1) for one in found[:_MOST]]
    where = f"line{'s' if len(found) > 1 else ''} {', '.join(numbers)}"
    more = f" and {len(found) - _MOST} more" if len(found) > _MOST else ""
    first, last = (script.offset + place for place in found[0].span(1))
    line.note(Span(first, last), f"srun in {where}{more}: {_USE_FLUX}")


def _attributes(
    line: Line, job: JobBuilder, environ: Mapping[str, str], assigned: Sequence[Found]
) -> None:
    """All that the options say besides the resources."""
    _time(line, job)
    if (cwd := line.text("chdir")) is not None:
        job.system["cwd"] = cwd
    variables = values.exported(line, line.values.get("export"), environ, assigned)
    if variables is not None:
        job.system["environment"] = variables
    if (found := line.values.get("partition")) is not None:
        first, comma, _ = found.text.partition(",")
        if comma:
            line.note(found, f"a job names one queue; only {printable(first)} is read")
        job.system["queue"] = first
    if (account := line.text("account")) is not None:
        job.system["bank"] = account
    if (name := line.text("job-name")) is not None:
        job.system["job"] = {"name": name}
    if (found := line.values.get("dependency")) is not None:
        entries = values.dependencies(line, found, "Slurm")
        if entries:
            job.system["dependencies"] = entries
    _places(line, job)
    _shell(line, job)


def _time(line: Line, job: JobBuilder) -> None:
    found = line.values.get("time")
    if found is None:
        return
    amount = seconds(found.text)
    if amount is None:
        message = f"'{printable(found.text[:40])}' is not a time of Slurm"
        line.problem(found, message, "minutes", "hours:minutes:seconds", "days-hours")
    job.duration = amount or 0.0


def _places(line: Line, job: JobBuilder) -> None:
    """The constraints on nodes: their features and names (RFC 31)."""
    if (found := line.values.get("constraint")) is not None:
        tree = values.features(line, found)
        if tree is not None:
            job.constraints.append(tree)
    if (found := line.values.get("nodelist")) is not None and is_hosts(line, found):
        job.constraints.append({"hostlist": [found.text]})
        if line.text("nodes") != str(host_count(found.text)):
            text = "Slurm gives the job all of these nodes, Flux as many of them as it asks for"
            line.note(found, text)
    if (found := line.values.get("exclude")) is not None and is_hosts(line, found):
        job.constraints.append({"not": [{"hostlist": [found.text]}]})


def _shell(line: Line, job: JobBuilder) -> None:
    """The options of the job shell: files, signals, and where tasks go."""
    for stream in ("output", "error", "input"):
        found = line.values.get(stream)
        if found is not None and found.text not in ("all", "none"):
            entry = job.set_file(stream, path(line, found))
            if stream != "input" and line.has("label"):
                entry["label"] = True
    if line.has("pty"):
        job.options["pty"] = {"interactive": 1}
    if (found := line.values.get("unbuffered")) is not None:
        line.note(found, "output is buffered in Flux unless its own -u says otherwise")
    if (found := line.values.get("signal")) is not None:
        _signal(line, job, found)
    if (found := line.values.get("distribution")) is not None:
        first = found.text.split(",")[0].split(":")[0]
        if first == "cyclic":
            job.options["taskmap"] = {"scheme": "cyclic", "value": ""}
        elif first not in ("block", "*"):
            line.note(found, f"Flux has no distribution '{printable(first)}'")


def _signal(line: Line, job: JobBuilder, found: Found) -> None:
    """``--signal=[R|B:]SIGNAL[@SECONDS]`` as the shell option of that name."""
    lead, colon, text = found.text.rpartition(":")
    if colon:
        line.note(found, f"'{printable(lead)}:' has no counterpart in Flux")
    signal = values.signal(line, replace(found, value=text))
    if signal is not None:
        job.options["signal"] = signal


# Resources

# Tasks are slots. Where their number does not spread evenly over the nodes, each node has as many
# slots as it has tasks at least (RFC 25, use case 2.1); --ntasks-per-node sets another number.
# Memory of a node and sockets become what the use cases 2.6 and 1.3 of RFC 14 show, with the
# node inside the slot.


@dataclass(frozen=True, slots=True)
class _Tasks:
    """How many tasks there are, and where.

    nodes  as an RFC 14 count, None for slots alone; least is the smallest number of them
    each   slots of a node, or all slots
    total  tasks where not each slot has one
    """

    nodes: Any
    least: int
    each: int
    total: int | None

    @property
    def slots(self) -> int:
        """The least number of slots in all."""
        return self.each * self.least

    def count_in_nodes(self) -> dict[str, int]:
        """The ``count`` of the task where each slot is a node."""
        return _count(self.total or (self.slots if self.each > 1 else None))


def _layout(line: Line) -> Layout:
    """The layout of a line, which gets notes on what a jobspec cannot express."""
    tasks = _tasks(line)
    cores = line.whole("cpus-per-task") or 1
    memory = _memory(line, "mem")
    if line.has("sockets-per-node") or line.has("cores-per-socket") or line.has("extra-node-info"):
        if memory is not None:
            line.note(line.values["mem"], "memory beside sockets is left out")
        return _socketed(line, tasks)
    if memory is not None and (tasks.nodes is not None or tasks.slots == 1):
        return _with_memory(line, tasks, cores, memory)
    if memory is not None:
        line.note(line.values["mem"], "memory of a node needs the number of nodes (-N)")
    return _plain(line, tasks, cores)


def _nodes(line: Line) -> tuple[Any, int]:
    """The RFC 14 count of ``-N`` and its least value; None and 1 where it is not given."""
    found = line.values.get("nodes")
    if found is None:
        return None, 1
    text = re.sub(r"([0-9])k\b", r"\g<1>024", found.text)
    parsed = counts.parse(text, found.value_span.start)
    if parsed.value is None or not parsed.ok or "+" in text or "*" in text or "^" in text:
        line.problem(found, f"{found.name} takes a number of nodes", "4", "2-8", "2,4,8", "2-8:2")
        return None, 1
    count = parsed.value
    number = counts.to_json(count)
    return (counts.least(count) if isinstance(count, int) else number), counts.least(count)


def _tasks(line: Line) -> _Tasks:
    nodes, least = _nodes(line)
    ntasks, per_node = line.whole("ntasks"), line.whole("ntasks-per-node")
    if nodes is None and per_node is not None:
        nodes = least = -(-(ntasks or per_node) // per_node)
    if nodes is None:
        return _Tasks(None, 1, ntasks or 1, None)
    if ntasks is not None and ntasks < least:
        line.note(line.values["ntasks"], f"{ntasks} tasks need no more than {ntasks} nodes")
        nodes = least = ntasks
    each = per_node or max(1, (ntasks or least) // least)
    fixed = isinstance(nodes, int)
    total = None if ntasks is None or (fixed and ntasks == each * least) else ntasks
    if total is not None and per_node is None and fixed:
        found = line.values["ntasks"]
        text = f"{ntasks} tasks share {each * least} slots, as RFC 25 has it; Flux makes more slots"
        line.note(found, text)
    return _Tasks(nodes, least, each, total)


def _count(total: int | None, per_slot: int = 1) -> dict[str, int]:
    return {"per_slot": per_slot} if total is None else {"total": total}


def _plain(line: Line, tasks: _Tasks, cores: int) -> Layout:
    """Cores and gpus in slots."""
    each_slot, whole_node = _gpus(line, tasks)
    each, per_slot = tasks.each, 1
    if whole_node:
        # Gpus of a node that its tasks share: one slot holds them all.
        cores, per_slot, each, each_slot = cores * each, each, 1, whole_node
    inside = core_vertices(cores, each_slot)
    if (memory := _memory(line, "mem-per-cpu")) is not None:
        inside = [memory_vertex(memory * cores), *inside]
    nodes = tasks.nodes
    if whole_node and nodes is None:
        nodes = 1
    exclusive = _exclusive(line, nodes is not None)
    resources = nodes_of_slots(nodes, each, inside, exclusive=exclusive)
    return Layout(resources, _count(tasks.total, per_slot), nodes is not None and each == 1)


def _exclusive(line: Line, nodes: bool) -> bool:
    found = line.values.get("exclusive")
    if found is None:
        return False
    if not nodes:
        line.note(found, "nodes are given whole only where -N says how many; left out")
    elif found.value:
        line.note(found, "Flux gives nodes whole to one job, not to one user")
    return nodes


def _gpus(line: Line, tasks: _Tasks) -> tuple[int, int]:
    """The gpus of a slot, or else of a node whose tasks share them."""
    if line.has("gpus-per-task"):
        return _gpu_number(line, line.values["gpus-per-task"]), 0
    if line.has("gpus-per-node"):
        per_node = _gpu_number(line, line.values["gpus-per-node"])
    elif line.has("gres"):
        per_node = _gres(line, line.values["gres"])
    elif line.has("gpus"):
        found = line.values["gpus"]
        total = _gpu_number(line, found)
        if total % tasks.slots == 0:
            return total // tasks.slots, 0
        if tasks.nodes is None or total % tasks.least:
            line.note(found, f"{total} gpus do not spread evenly and are left out")
            return 0, 0
        return 0, total // tasks.least
    else:
        return 0, 0
    if tasks.nodes is None and tasks.each > 1:
        name = "gpus-per-node" if line.has("gpus-per-node") else "gres"
        line.note(line.values[name], "without -N the gpus are those of one node")
    return (per_node // tasks.each, 0) if per_node % tasks.each == 0 else (0, per_node)


def _gpu_number(line: Line, found: Found) -> int:
    """The number of ``[type:]number``."""
    kind, colon, number = found.text.rpartition(":")
    if colon:
        line.note(found, f"the type '{kind}' is left out; a property can name it (-C)")
    return line.number(found, number or "1", 0) or 0


def _gres(line: Line, found: Found) -> int:
    """The gpus of ``--gres=gpu[:type][:number],...``."""
    gpus = 0
    for part in found.text.split(","):
        name, *rest = part.removeprefix("gres/").split(":")
        if name in ("gpu", "gpus"):
            number = rest.pop() if rest and is_digits(rest[-1]) else "1"
            if rest:
                line.note(found, f"the type '{rest[0]}' is left out; a property can name it (-C)")
            gpus += line.number(found, number, 0) or 0
        elif name != "none":
            line.note(found, f"the resource '{name}' is left out; a jobspec names its own types")
    return gpus


def _memory(line: Line, name: str) -> int | None:
    """MB of ``--mem`` or ``--mem-per-cpu``; None where not given, 0 or wrong."""
    found = line.values.get(name)
    if found is None:
        return None
    amount = megabytes(found.text)
    if amount is None:
        line.problem(found, f"{found.name} takes an amount of memory", "4096", "4G")
    elif amount == 0:
        line.note(found, "all memory of a node comes with a whole node and is left out")
    return amount or None


def _with_memory(line: Line, tasks: _Tasks, cores: int, memory: int) -> Layout:
    """Whole nodes with at least so much memory, as slots (RFC 14, use case 2.6)."""
    text = "version 1 of a jobspec (RFC 25) has no memory; this is RFC 14, V1 without --mem"
    line.note(line.values["mem"], text)
    inside: list[dict[str, Any]] = []
    if line.has("cpus-per-task") or line.has("ntasks-per-node"):
        inside = [{"type": "core", "count": cores * tasks.each}]
    each_slot, whole_node = _gpus(line, tasks)
    if gpus := whole_node or each_slot * tasks.each:
        inside.append({"type": "gpu", "count": gpus})
    inside.append(memory_vertex(memory))
    if tasks.nodes is None:
        if not inside[:-1]:
            inside.insert(0, {"type": "core", "count": 1})
        return Layout(nodes_of_slots(None, 1, inside), _count(None), False)
    node = {"type": "node", "count": 1, "with": inside}
    return Layout(nodes_of_slots(None, tasks.nodes, [node]), tasks.count_in_nodes(), True)


def _socketed(line: Line, tasks: _Tasks) -> Layout:
    """Nodes with at least so many sockets and cores in them (RFC 14, use case 1.3)."""
    sockets, cores = line.whole("sockets-per-node"), line.whole("cores-per-socket")
    if (found := line.values.get("extra-node-info")) is not None:
        parts = [part for part in found.text.split(":") if part]
        numbers = [None if part == "*" else line.number(found, part) for part in parts[:2]]
        sockets, cores = [*numbers, None, None][:2]
    socket: dict[str, Any] = {"type": "socket", "count": {"min": sockets or 1}}
    if cores:
        socket["with"] = [{"type": "core", "count": {"min": cores}}]
    node: dict[str, Any] = {"type": "node", "count": 1}
    if not line.has("exclusive"):
        node["exclusive"] = False
    node["with"] = [socket]
    for name in ("cpus-per-task", "gres", "gpus", "gpus-per-node", "gpus-per-task"):
        if line.has(name):
            line.note(line.values[name], f"{line.values[name].name} beside sockets is left out")
    nodes = 1 if tasks.nodes is None else tasks.nodes
    return Layout(nodes_of_slots(None, nodes, [node]), tasks.count_in_nodes(), True)


# Values: times, file names and hosts

_TIME = re.compile(r"(?:([0-9]{1,6})-)?([0-9]{1,9})(?::([0-9]{1,6}))?(?::([0-9]{1,6}))?")


def seconds(text: str) -> float | None:
    """The seconds of a Slurm time; 0 for one without end, None for no time.

    The forms are minutes, minutes:seconds, hours:minutes:seconds, days-hours,
    days-hours:minutes and days-hours:minutes:seconds.
    """
    if text.lower() in ("infinite", "unlimited", "-1"):
        return 0.0
    found = _TIME.fullmatch(text)
    if found is None:
        return None
    days, *parts = (None if part is None else int(part) for part in found.groups())
    first, second, third = parts
    if days is not None:
        return float(days * 86400 + (first or 0) * 3600 + (second or 0) * 60 + (third or 0))
    if third is not None:
        return float((first or 0) * 3600 + (second or 0) * 60 + third)
    return float((first or 0) * 60 + (second or 0))


# The patterns of file names for the job's id, its name, and the task.
_PATTERNS = {"%j": "{{id}}", "%A": "{{id}}", "%J": "{{id}}", "%x": "{{name}}", "%t": "{{taskid}}"}


def path(line: Line, found: Found) -> str:
    """A file name with Slurm's patterns as the templates of the Flux job shell."""
    text = found.text
    for pattern, template in _PATTERNS.items():
        text = text.replace(pattern, template)
    if re.search(r"%[0-9]*[a-zA-Z]", text):
        line.note(found, "Flux has no counterpart for a pattern of this file name")
    return text


def is_hosts(line: Line, found: Found) -> bool:
    """Whether ``-w`` or ``-x`` lists hosts; a file gets a note, and a mistake problems."""
    if "/" in found.text:
        line.note(found, f"{found.name} names a file, which is not read here")
        return False
    parsed = hostlist.parse(found.text, found.value_span.start)
    errors = [problem for problem in parsed.problems if problem.severity == "error"]
    for problem in errors:
        end = found.value_span.end
        span = problem.span or found.value_span
        line.problems.append(replace(problem, span=Span(min(span.start, end), min(span.end, end))))
    return not errors


def host_count(text: str) -> int:
    """How many hosts a hostlist names."""
    return len(hostlist.parse(text).value)
