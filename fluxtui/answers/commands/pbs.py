"""``qsub`` lines as jobspecs, and jobspecs as ``qsub`` lines.

Read are the lines of PBS Professional, and of Torque where they differ. In what is written
``nodes=N:ppn=M`` is what both read; cores, gpus and memory of slots need the chunks of PBS
(``select``). A line is exact where it asks for resources alone, as use case 1.1 of RFC 25 does,
and reads back as the same jobspec: PBS itself starts no tasks.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from fluxtui.answers.commands import foreign, options, scripts, values
from fluxtui.answers.commands.demand import (
    Demand,
    core_vertices,
    demand_of,
    megabytes,
    memory_vertex,
    nodes_of_slots,
)
from fluxtui.answers.commands.foreign import (
    ForeignAttributes,
    JobBuilder,
    Layout,
    demand_notes,
    judged,
)
from fluxtui.answers.commands.job import SCRIPT_NAME, Job
from fluxtui.answers.commands.options import (
    WHOLE,
    Found,
    Line,
    OptionSyntax,
    add,
    each,
    keep,
    leave,
    silent,
    table,
)
from fluxtui.answers.commands.results import Rendering, refusal
from fluxtui.notation import count as counts
from fluxtui.notation import shellwords
from fluxtui.notation.problem import Span, is_digits, printable
from fluxtui.notation.shellwords import Word

_WATCH = leave("says how the job is watched or reported, which a jobspec does not hold")
_POLICY = leave("belongs to the scheduling of PBS and has no counterpart in a jobspec")
_MANY = leave("makes several jobs of one; a jobspec is one job")

_OPTIONS = table(
    (
        *each("=-l", add("resources")),
        *each("=-q", keep("queue")),
        *each("=-N", keep("name")),
        *each("=-A", keep("account")),
        *each("=-P", keep("project")),
        *each("=-W", add("attributes")),
        *each("=-v", keep("variables")),
        *each("=-d =-w", keep("cwd")),
        *each("=-o", keep("output")),
        *each("=-e", keep("error")),
        *each("=-F", keep("arguments")),
        *each("-V =-j -I -X -z --version", silent),
        *each("=-m =-M =-k =-S =-R", _WATCH),
        *each("=-a =-c =-C =-D =-p =-r =-u =-T -b -f -h -K -x", _POLICY),
        *each("=-J =-t", _MANY),
    )
)

#: Programs that start tasks in an allocation.
_LAUNCHERS = ("mpiexec", "mpirun", "aprun", "orterun", "srun")


def from_command(
    words: Sequence[Word],
    environ: Mapping[str, str],
    assigned: Sequence[Found] = (),
    script: scripts.Script | None = None,
) -> tuple[dict[str, Any], Line]:
    """The jobspec of the words behind ``qsub``, and the line with notes and problems.

    assigned  variables set before the command, as rules of ``--env``
    script    the batch script, where its text is known
    """
    line = Line("qsub")
    syntax = OptionSyntax(abbreviated=False)
    if script is not None:
        line.problems += script.problems
        for word in options.read(line, script.words, _OPTIONS, syntax):
            message = f"'{printable(word.text[:40])}' is not an option of qsub"
            line.problem(word.span, message, "an option such as -l nodes=4")
    rest = [word.text for word in options.read(line, words, _OPTIONS, syntax)]
    job = JobBuilder()
    items = list(_items(line))
    _attributes(line, job, items, environ, assigned)
    layout = _layout(line, items, job)
    if script is not None or (rest and rest[0] != "--"):
        arguments = [word.text for word in shellwords.split(line.text("arguments") or "").value]
        return job.given_script(line, layout, script, [*rest, *arguments]), line
    command = rest[1:]
    if command and command[0] in _LAUNCHERS:
        line.note(WHOLE, f"{command[0]} starts the tasks; in Flux that is 'flux run'")
    if not layout.one_each:
        job.options["per-resource"] = {"type": "node"}
    return job.document(layout, [*foreign.INSTANCE, *command]), line


def _items(line: Line) -> Iterator[Found]:
    """The parts of all ``-l`` lists, such as ``nodes=4`` and ``walltime=1:00:00``."""
    for found in line.lists.get("resources", ()):
        start = 0
        for part in found.text.split(","):
            first, last = found.value_span
            place = found.value_span
            if last - first == len(found.text):
                place = Span(first + start, first + start + len(part))
            yield Found(found.name, part.strip(), place, place)
            start += len(part) + 1


def _attributes(
    line: Line,
    job: JobBuilder,
    items: Sequence[Found],
    environ: Mapping[str, str],
    assigned: Sequence[Found],
) -> None:
    """All that the options say besides the resources."""
    for item in items:
        name, _, value = item.text.partition("=")
        if name == "walltime":
            seconds = walltime(value)
            if seconds is None:
                message = f"'{printable(value[:40])}' is not a time of PBS"
                line.problem(item, message, "hours:minutes:seconds", "seconds")
            job.duration = seconds or 0.0
    for key, option in (("cwd", "cwd"), ("queue", "queue"), ("bank", "account")):
        if given := line.text(option):
            job.system[key] = given
    if (project := line.text("project")) is not None:
        job.system["project"] = project
    if (job_name := line.text("name")) is not None:
        job.system["job"] = {"name": job_name}
    for found in line.lists.get("attributes", ()):
        _extended(line, job, found)
    variables = values.exported(line, line.values.get("variables"), environ, assigned)
    if variables is not None:
        job.system["environment"] = variables
    for stream in ("output", "error"):
        if (path := line.text(stream)) is not None:
            job.set_file(stream, path)


def _extended(line: Line, job: JobBuilder, found: Found) -> None:
    """``-W depend=afterok:1,group_list=x``: the dependencies; all else is left out."""
    for part in re.split(r",(?=\w+=)", found.text):
        name, _, value = part.partition("=")
        if name.strip() != "depend":
            line.note(found, f"'{printable(name[:40])}' has no counterpart in a jobspec")
            continue
        entries = values.dependencies(line, replace(found, value=value), "PBS")
        if entries:
            job.system["dependencies"] = entries


def walltime(text: str) -> float | None:
    """The seconds of ``[[hours:]minutes:]seconds[.fraction]``; None for no time."""
    found = re.fullmatch(r"(?:(?:([0-9]{1,9}):)?([0-9]{1,9}):)?([0-9]{1,9}(?:\.[0-9]{1,9})?)", text)
    if found is None:
        return None
    hours, minutes, seconds = (float(part or 0) for part in found.groups())
    return hours * 3600 + minutes * 60 + seconds


# Resources, read


@dataclass(slots=True)
class _Chunk:
    """What ``nodes=`` or ``select=`` asks for so many times.

    nodes  each chunk has a node of its own; tasks are those of one chunk
    """

    number: int | None = None
    nodes: bool = False
    exclusive: bool = False
    cpus: int = 1
    gpus: int = 0
    memory: int = 0
    tasks: int | None = None
    properties: list[str] = field(default_factory=list)
    hosts: list[str] = field(default_factory=list)


_SILENT = ("walltime", "place")


def _layout(line: Line, items: Sequence[Found], job: JobBuilder) -> Layout:
    """The layout of the parts of all ``-l`` lists; properties and hosts go to the job."""
    chunk = _Chunk()
    values = {item.text.partition("=")[0]: item for item in items}
    for item in items:
        name, _, value = item.text.partition("=")
        if name == "nodes":
            chunk.nodes = True
            _nodes(line, item, value, chunk)
        elif name == "select":
            _select(line, item, value, chunk)
        elif name not in _SILENT:
            _single(line, item, name, value, chunk)
    if (place := values.get("place")) is not None:
        _place(line, place, chunk)
    _cray(line, values, chunk)
    if chunk.properties:
        job.constraints.append({"properties": chunk.properties})
    if chunk.hosts:
        job.constraints.append({"hostlist": [",".join(chunk.hosts)]})
    return _nodes_or_slots(chunk)


def _nodes_or_slots(chunk: _Chunk) -> Layout:
    """Nodes with a slot for each task, or a slot for each chunk."""
    number = chunk.number or 1
    tasks = chunk.tasks or 1
    if not chunk.nodes:
        inside = core_vertices(chunk.cpus, chunk.gpus)
        if chunk.memory:
            inside.append(memory_vertex(chunk.memory))
        return Layout(nodes_of_slots(None, number, inside), {"per_slot": 1}, number == 1)
    if chunk.cpus % tasks or chunk.gpus % tasks or chunk.memory % tasks:
        tasks = 1
    inside = core_vertices(chunk.cpus // tasks, chunk.gpus // tasks)
    if chunk.memory:
        inside.append(memory_vertex(chunk.memory // tasks))
    resources = nodes_of_slots(number, tasks, inside, exclusive=chunk.exclusive)
    return Layout(resources, {"per_slot": 1}, tasks == 1)


def _nodes(line: Line, item: Found, value: str, chunk: _Chunk) -> None:
    """``nodes=4:ppn=8:gpus=1:property``, or the names of nodes joined by ``+``."""
    first, *others = value.split("+")
    head, *parts = first.split(":")
    if is_digits(head):
        chunk.number = line.number(item, head)
        if others:
            line.note(item, "only the first kind of nodes is read; a task runs in one kind")
    else:
        names = [part.split(":")[0] for part in (first, *others)]
        if not all(re.fullmatch(r"[A-Za-z][\w.-]*", name) for name in names):
            message = f"'{printable(value[:40])}' asks for no nodes"
            line.problem(item, message, "nodes=4", "nodes=4:ppn=8")
            return
        chunk.hosts += names
        chunk.number = len(names)
    for part in parts:
        name, equals, number = part.partition("=")
        if name == "ppn":
            chunk.cpus = line.number(item, number) or 1
            chunk.tasks = chunk.cpus
        elif name in ("gpus", "ngpus"):
            chunk.gpus = line.number(item, number, 0) or 0
        elif equals:
            line.note(item, f"'{printable(name)}' of a node is left out")
        elif part:
            chunk.properties.append(part)


def _select(line: Line, item: Found, value: str, chunk: _Chunk) -> None:
    """``select=4:ncpus=8:ngpus=1:mpiprocs=4:mem=16gb``."""
    first, *others = value.split("+")
    if others:
        line.note(item, "only the first kind of chunk is read; a task runs in one kind")
    head, *parts = first.split(":")
    if is_digits(head):
        chunk.number = line.number(item, head)
    else:
        parts, chunk.number = [head, *parts], 1
    for part in parts:
        name, equals, given = part.partition("=")
        if not equals:
            message = f"'{printable(part[:40])}' of a chunk has no value"
            line.problem(item, message, "ncpus=8", "ngpus=1", "mem=4gb")
        elif name == "mpiprocs":
            chunk.tasks = line.number(item, given)
        elif name == "ompthreads":
            continue
        elif name in ("host", "vnode"):
            chunk.hosts.append(given)
        else:
            _single(line, item, name, given, chunk)


def _single(line: Line, item: Found, name: str, value: str, chunk: _Chunk) -> None:
    """One resource of a chunk, or of the job where there are no chunks."""
    if name == "ncpus":
        chunk.cpus = line.number(item, value) or 1
    elif name in ("ngpus", "gpus"):
        chunk.gpus = line.number(item, value, 0) or 0
    elif name == "procs":
        chunk.number = line.number(item, value)
    elif name == "mem":
        amount = megabytes(value)
        if amount is None:
            line.problem(item, f"'{printable(value[:40])}' is not an amount of memory", "4gb")
        elif chunk.number not in (None, 1) and item.text.startswith("mem="):
            line.note(item, "the memory of all the job together is left out")
        else:
            chunk.memory = amount
    elif not name.startswith("mpp"):
        line.note(item, f"the resource '{printable(name)}' is left out")


def _place(line: Line, item: Found, chunk: _Chunk) -> None:
    """``place=scatter:excl``: chunks on nodes of their own, and nodes given whole."""
    for part in item.text.partition("=")[2].split(":"):
        if part == "scatter":
            chunk.nodes = True
        elif part in ("excl", "exclhost"):
            chunk.exclusive = True
        elif part not in ("free", "shared"):
            line.note(item, f"'{printable(part)}' has no counterpart in a jobspec")
    if chunk.exclusive and not chunk.nodes:
        line.note(item, "nodes are given whole only where each chunk has one (scatter)")


def _cray(line: Line, values: dict[str, Found], chunk: _Chunk) -> None:
    """``mppwidth`` tasks, ``mppnppn`` on a node, each with ``mppdepth`` cores."""
    numbers = {
        name: line.number(values[name], values[name].text.partition("=")[2])
        for name in ("mppwidth", "mppnppn", "mppdepth")
        if name in values
    }
    if not numbers:
        return
    width, each, depth = (numbers.get(name) for name in ("mppwidth", "mppnppn", "mppdepth"))
    chunk.tasks = each or chunk.tasks or 1
    chunk.cpus = chunk.tasks * (depth or 1)
    if width is not None:
        chunk.nodes = each is not None or chunk.nodes
        chunk.number = -(-width // chunk.tasks)


# Written


def to_command(job: Job) -> Rendering:
    """A job written for ``qsub``."""
    demand = demand_of(job)
    if demand.further_slots:
        note = "a task runs in one kind of chunk, and there are several kinds of slots"
        return refusal("qsub", note)
    attributes = ForeignAttributes(job)
    attributes.count_tasks(demand)
    notes = demand_notes(demand, "PBS")
    words = [*_resources(demand, attributes, notes), *_others(attributes, notes)]
    notes += attributes.notes("PBS")
    inner = list(job.inner)
    ending = ["--", *inner] if inner else []
    script = scripts.of_command(inner) if inner else None
    if job.kind == "batch":
        notes.insert(0, "qsub runs the script without a Flux instance")
        if inner:
            words += ["-F", shellwords.join(inner)]
        ending, script = [SCRIPT_NAME], job.script
    elif job.kind == "alloc":
        notes.insert(0, "qsub gives the resources and starts no Flux instance in them")
    elif job.kind == "program":
        notes.insert(0, "qsub runs one command on the first node, and mpiexec starts the tasks")
        launched = ["mpiexec", "-n", str(_tasks(demand)), *inner]
        ending, script = ["--", *launched], scripts.of_command(launched)
    header = None if script is None else scripts.with_directives(script, "#PBS ", words)
    return judged(
        "qsub",
        ["qsub", *words, *ending],
        job,
        notes,
        lambda behind: from_command(behind, {}),
        script=header,
    )


def _tasks(demand: Demand) -> int:
    nodes = 1 if demand.nodes is None else counts.least(demand.nodes)
    return demand.total or nodes * demand.each * demand.tasks


def _resources(demand: Demand, attributes: ForeignAttributes, notes: list[str]) -> list[str]:
    """``-l nodes=``, or ``-l select=`` and ``-l place=``."""
    if demand.nodes is not None and not isinstance(demand.nodes, int):
        notes.append("PBS takes one number of nodes: the least is asked for")
    if demand.sockets is not None:
        notes.append("PBS has no request for sockets")
    if demand.inside and not demand.exclusive and not demand.shared:
        notes.append("PBS gives whole nodes only with place=excl, or where it is set up so")
    if demand.total is not None:
        notes.append(f"{demand.total} tasks are asked of what starts them, not of PBS")
    each = demand.each * demand.tasks
    cores = max(1, demand.cores) * demand.each
    plain = demand.cores <= 1 and not demand.gpus and not demand.memory and not demand.exclusive
    if demand.nodes is not None and plain:
        text = f"nodes={counts.least(demand.nodes)}"
        text += f":ppn={each}" if each > 1 else ""
        return ["-l", ":".join([text, *_properties(attributes)])]
    number = demand.each if demand.nodes is None else counts.least(demand.nodes)
    if demand.nodes is None:
        cores, each = max(1, demand.cores), demand.tasks
    slots = 1 if demand.nodes is None else demand.each
    parts = [f"select={number}", f"ncpus={cores}"]
    parts += [f"ngpus={demand.gpus * slots}"] if demand.gpus else []
    parts += [_memory(demand.memory * slots)] if demand.memory else []
    parts += [f"mpiprocs={each}"] if each > 1 else []
    words = ["-l", ":".join(parts)]
    if demand.nodes is not None:
        words += ["-l", "place=scatter:excl" if demand.exclusive else "place=scatter"]
    return words


def _memory(amount: int) -> str:
    return f"mem={amount // 1024}gb" if amount % 1024 == 0 else f"mem={amount}mb"


def _properties(attributes: ForeignAttributes) -> list[str]:
    """The properties that all nodes must have, which ``nodes=`` can name."""
    constraint = attributes.system.get("constraints")
    if not isinstance(constraint, Mapping) or set(constraint) != {"properties"}:
        return []
    text = values.features_text(constraint)
    if text is None or "=" in text:
        return []
    del attributes.system["constraints"]
    return text.split("&")


# The options for system attributes that are strings.
_TEXTS = (("-q", ("queue",)), ("-A", ("bank",)), ("-P", ("project",)), ("-N", ("job", "name")))


def _others(attributes: ForeignAttributes, notes: list[str]) -> list[str]:
    """Times, queues, dependencies and variables."""
    words: list[str] = []
    seconds = attributes.take_seconds()
    if seconds:
        whole = math.ceil(seconds)
        minutes, second = divmod(whole, 60)
        words += ["-l", f"walltime={minutes // 60}:{minutes % 60:02}:{second:02}"]
        if whole != seconds:
            notes.append("the time is rounded up to whole seconds")
    for short, path in _TEXTS:
        if (text := attributes.take_text(*path)) is not None:
            words += [short, text]
    depend = values.dependency_text(attributes.system.get("dependencies"))
    if depend is not None:
        del attributes.system["dependencies"]
        words += ["-W", f"depend={depend}"]
    exported = attributes.take_variables()
    if exported is not None:
        words += ["-v", exported]
    for short, stream in (("-o", "output"), ("-e", "error")):
        file = attributes.take_file(stream)
        if file is not None and "{{" not in file:
            words += [short, file]
        elif file is not None:
            notes.append("PBS has no templates in the names of files")
    return words
