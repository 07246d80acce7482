"""Reads and writes ``qsub`` lines.

Reads lines of PBS Professional, and of Torque where they differ. Both read ``nodes=N:ppn=M``,
which is written if possible; cores, gpus and memory of slots need the chunks of PBS (``select``).
A line is exact if it only requests resources, as in use case 1.1 of RFC 25, and reads back as the
same jobspec: PBS itself starts no tasks.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from fluxtui.answers.commands import reading, scripts
from fluxtui.answers.commands.foreign import ForeignOptions
from fluxtui.answers.commands.jobs import SCRIPT_NAME, Job, Remark, Rendering, refusal, take
from fluxtui.answers.commands.options import Line, OptionUse, table
from fluxtui.answers.commands.reading import JobBuilder
from fluxtui.answers.commands.scripts import WHOLE, Command
from fluxtui.answers.commands.variables import LOGIN
from fluxtui.notation import count as counts
from fluxtui.notation import shellwords
from fluxtui.notation.problem import Span, is_digits, shortened

_OPTIONS = """
# kept
=-l>resources =-q>queue =-N>name =-A>bank =-P>project =-W>attributes =-v>export -V>export-all
=-d>cwd =-w>cwd =-o>output =-e>error =-F>arguments
# ignored
=-j -I@interactive -X -z --version
# is mail about the job, which a jobspec does not hold -- watch it by 'flux jobs' or 'flux watch'
=-m@mail-type =-M@mail-user
# says how the job is watched or reported, which a jobspec does not hold
=-k =-R
# is the shell of the script; Flux runs it with the one in its #! line
=-S
# belongs to the scheduling of PBS and has no counterpart in a jobspec
=-c =-C =-D =-r@requeue =-u =-T -b -f -K -x
# is the priority of the job, which a jobspec does not hold -- --urgency of flux submit
=-p
# counts from the moment of submission, which a jobspec does not know -- --begin-time of flux submit
=-a@begin
# holds the job at submission, which a jobspec cannot say -- --urgency=hold of flux submit
-h@hold
# submits several jobs; a jobspec is one job -- submit each with the number in its \
environment: flux batch --env=FLUX_JOB_CC=1 ...
=-J@array =-t@array
"""


def from_command(command: Command, environ: Mapping[str, str]) -> tuple[dict[str, Any], Line]:
    """The jobspec of a command, and the line with notes and problems."""
    line = Line(command, environ, table(_OPTIONS))
    rest = line.read_all("-l nodes=4")
    job = JobBuilder(line)
    items = list(_items(line))
    _read_attributes(job, items)
    _read_resources(job, items)
    if command.script is not None or (rest and rest[0] != "--"):
        arguments = [word.text for word in shellwords.split(line.text("arguments") or "").value]
        return job.run_given_script([*rest, *arguments]), line
    if len(rest) > 1 and rest[1] in ("mpiexec", "mpirun", "aprun", "orterun", "srun"):
        line.note(WHOLE, f"{rest[1]} starts the tasks; in Flux that is 'flux run'", "body")
    return job.allocation(rest[1:]), line


def _items(line: Line) -> Iterator[tuple[OptionUse, str, str]]:
    for found in line.all("resources"):
        start, last = found.value_span
        plain = last - start == len(found.text)
        for part in found.text.split(","):
            place = Span(start, start + len(part)) if plain else found.value_span
            item = OptionUse(found.name, part.strip(), place, place)
            name, _, value = item.text.partition("=")
            yield item, name, value
            start += len(part) + 1


def _read_attributes(job: JobBuilder, items: list[tuple[OptionUse, str, str]]) -> None:
    line = job.line
    for item, name, value in items:
        if name == "walltime":
            job.duration = walltime(value) or 0.0
            if walltime(value) is None:
                message = f"'{shortened(value)}' is not a time of PBS"
                line.problem(item, message, "hours:minutes:seconds", "seconds")
    for found in line.all("attributes"):
        # depend=afterok:1,group_list=x
        for part in re.split(r",(?=\w+=)", found.text):
            name, _, value = part.partition("=")
            if name.strip() != "depend":
                line.lost(found, f"'{shortened(name)}' has no counterpart in a jobspec")
            else:
                reading.set_dependencies(job, found, value, "PBS")
    for stream in ("output", "error"):
        if (path := line.text(stream)) is not None:
            job.set_file(stream, path)
    _read_export(job)


def _read_export(job: JobBuilder) -> None:
    """Read ``-v``, and ``-V``, without which a job has the environment of a login."""
    line, found, everything = job.line, job.line.get("export"), job.line.get("export-all")
    if found and everything:
        line.uses["export"] = [replace(found, value=f"ALL,{found.text}")]
    reading.set_exported(job)
    if found and not everything and line.variables is not None:
        note = (
            "without -V these are added to the environment of a login, here to that of submission"
        )
        line.note(found, note)
        line.variables = replace(line.variables, inherits=True, copied=())


def walltime(text: str) -> float | None:
    """The seconds of ``[[[days:]hours:]minutes:]seconds[.fraction]``; None if it is not a time."""
    number, last = r"([0-9]{1,9})", r"([0-9]{1,9}(?:\.[0-9]{1,9})?)"
    found = re.fullmatch(rf"(?:(?:(?:{number}:)?{number}:)?{number}:)?{last}", text)
    if found is None:
        return None
    days, hours, minutes, seconds = (float(part or 0) for part in found.groups())
    return days * 86400 + hours * 3600 + minutes * 60 + seconds


@dataclass(slots=True)
class _Chunk:
    """One unit that ``nodes=`` or ``select=`` requests number times.

    nodes  each unit is on a node of its own
    cpus   per unit, as are gpus, memory (in MB) and tasks
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


def _read_resources(job: JobBuilder, items: list[tuple[OptionUse, str, str]]) -> None:
    line, chunk = job.line, _Chunk()
    for part, name, text in items:
        if name in ("nodes", "select"):
            chunk.nodes = chunk.nodes or name == "nodes"
            _read_chunks(line, part, name, text, chunk)
        elif name not in ("walltime", "place"):
            _read_single(line, part, name, text, chunk)
    given = {name: (part, text) for part, name, text in items}
    place, text = given.get("place", (None, ""))
    for word in text.split(":") if place is not None else ():
        if word == "scatter":
            chunk.nodes = True
        elif word in ("excl", "exclhost"):
            chunk.exclusive = True
        elif place is not None and word not in ("free", "shared"):
            line.lost(place, f"'{shortened(word)}' has no counterpart in a jobspec")
    if place is not None and chunk.exclusive and not chunk.nodes:
        line.lost(place, "whole nodes need one chunk per node (scatter)")
    # Cray: ``mppwidth`` tasks, ``mppnppn`` per node, each with ``mppdepth`` cores.
    keys = ("mppwidth", "mppnppn", "mppdepth")
    width, each, depth = (line.number(*given[key]) if key in given else None for key in keys)
    if any(key in given for key in keys):
        chunk.tasks = each or chunk.tasks or 1
        chunk.cpus = chunk.tasks * (depth or 1)
        if width is not None:
            chunk.nodes = each is not None or chunk.nodes
            chunk.number = -(-width // chunk.tasks)
    if chunk.properties:
        job.constraints.append({"properties": chunk.properties})
    if chunk.hosts:
        job.constraints.append({"hostlist": [",".join(chunk.hosts)]})
    # Nodes with a slot for each task, or else a slot for each chunk, which its tasks share.
    number, tasks = chunk.number or 1, chunk.tasks or 1
    if not chunk.nodes or chunk.cpus % tasks or chunk.gpus % tasks or chunk.memory % tasks:
        if tasks > 1:
            job.count = {"per_slot": tasks}
        tasks = 1
    inside = reading.core_vertices(chunk.cpus // tasks, chunk.gpus // tasks)
    if chunk.memory:
        inside.append(reading.memory_vertex(chunk.memory // tasks))
    nodes, each = (number, tasks) if chunk.nodes else (None, number)
    job.lay_out(nodes, each, inside, exclusive=chunk.exclusive)
    job.one_each = each == 1


def _read_chunks(line: Line, item: OptionUse, name: str, value: str, chunk: _Chunk) -> None:
    """Read ``select=4:ncpus=8:mem=16gb``, ``nodes=4:ppn=8:property``, or nodes joined by ``+``."""
    first, *others = value.split("+")
    head, *parts = first.split(":")
    if is_digits(head) or name == "select":
        if others:
            kind = "nodes" if name == "nodes" else "chunk"
            line.note(item, f"only the first kind of {kind} is read; a task runs in one kind")
        parts = parts if is_digits(head) else [head, *parts]
        chunk.number = line.number(item, head) if is_digits(head) else 1
    else:
        hosts = [part.split(":")[0] for part in (first, *others)]
        if not all(re.fullmatch(r"[A-Za-z][\w.-]*", host) for host in hosts):
            message = f"'{shortened(value)}' is not a request for nodes"
            line.problem(item, message, "nodes=4", "nodes=4:ppn=8")
            return
        chunk.hosts += hosts
        chunk.number = len(hosts)
    for part in parts:
        key, equals, given = part.partition("=")
        if name == "nodes" and key == "ppn":
            chunk.tasks = chunk.cpus = line.number(item, given) or 1
        elif name == "nodes" and key not in ("gpus", "ngpus"):
            chunk.properties += [part] if part and not equals else []
            if equals:
                line.lost(item, f"'{shortened(key)}' of a node is left out")
        elif name == "select" and not equals:
            message = f"'{shortened(part)}' of a chunk has no value"
            line.problem(item, message, "ncpus=8", "ngpus=1", "mem=4gb")
        elif key == "mpiprocs":
            chunk.tasks = line.number(item, given)
        elif key in ("host", "vnode"):
            chunk.hosts.append(given)
        elif key != "ompthreads":
            _read_single(line, item, key, given, chunk)


def _read_single(line: Line, item: OptionUse, name: str, value: str, chunk: _Chunk) -> None:
    if name == "ncpus":
        chunk.cpus = line.number(item, value) or 1
    elif name in ("ngpus", "gpus"):
        chunk.gpus = line.number(item, value, 0) or 0
    elif name == "procs":
        chunk.number = line.number(item, value)
    elif name == "mem":
        amount = reading.megabytes(value)
        if amount is not None and reading.is_without_memory(line, item):
            return
        if amount is None:
            line.problem(item, f"'{shortened(value)}' is not an amount of memory", "4gb")
        elif chunk.number not in (None, 1) and item.text.startswith("mem="):
            line.lost(item, "the memory of all the job together is left out")
        else:
            chunk.memory = amount
    elif not name.startswith("mpp"):
        line.lost(item, f"the resource '{shortened(name)}' is left out")


def to_command(job: Job, program: str) -> Rendering:
    """Write a job for ``qsub``."""
    options = ForeignOptions(job, "PBS")
    if options.demand.further_slots:
        why = "a task runs in one kind of chunk, and there are several kinds of slots"
        return refusal("qsub", why)
    words = _resources(options) + options.placement(
        lambda total: f"-l walltime={total // 3600}:{total // 60 % 60:02}:{total % 60:02}",
        1,
        "the time is rounded up to whole seconds",
        {"queue": "-q", "bank": "-A", "project": "-P", "job.name": "-N"},
        "-W depend=",
    )
    if (exported := options.take_variables()) is not None:
        words += ["-v", exported]
        options.notes.append(LOGIN)
    words += options.files(("output", "error"), {}, "PBS has no templates in the names of files")
    options.note_left()
    inner = list(job.inner)
    ending, script = (["--", *inner], scripts.of_command(inner)) if inner else ([], None)
    lead = []
    if job.kind == "batch":
        lead = [Remark("qsub runs the script without a Flux instance", code="remark")]
        words += ["-F", shellwords.join(inner)] if inner else []
        ending, script = [SCRIPT_NAME], job.script
    elif job.kind == "alloc":
        note = "qsub gives the resources and starts no Flux instance in them"
        lead = [Remark(note, code="remark")]
    elif job.kind == "program":
        note = "qsub runs one command on the first node, and mpiexec starts the tasks"
        lead = [Remark(note, "tasks")]
        demand = options.demand
        nodes = 1 if demand.nodes is None else counts.least(demand.nodes)
        tasks = demand.total or nodes * demand.each * demand.tasks
        launched = ["mpiexec", "-n", str(tasks), *inner]
        ending, script = ["--", *launched], scripts.of_command(launched)
    options.notes[:0] = lead
    header = None if script is None else scripts.with_directives(script, "#PBS ", words)
    return options.judged(["qsub", *words, *ending], from_command, header)


def _resources(options: ForeignOptions) -> list[str]:
    demand, note = options.demand, options.demand.note
    nodes = None if demand.nodes is None else counts.least(demand.nodes)
    if nodes != demand.nodes:
        note("PBS takes a single number of nodes: the minimum is requested")
    if demand.sockets is not None:
        note("PBS has no option for sockets")
    if demand.inside and not demand.exclusive and not demand.shared:
        note("PBS gives whole nodes only with place=excl, or if it is configured to")
    if demand.total is not None:
        note(f"the launcher sets the number of tasks ({demand.total}), not PBS")
    plain = demand.cores <= 1 and not demand.gpus and not demand.memory and not demand.exclusive
    if nodes is not None and plain:
        each = demand.each * demand.tasks
        parts = [f"nodes={nodes}", *([f"ppn={each}"] if each > 1 else [])]
        return ["-l", ":".join([*parts, *take(options.system, "constraints", _properties)])]
    number, slots = (demand.each, 1) if nodes is None else (nodes, demand.each)
    each, memory = slots * demand.tasks, demand.memory * slots
    parts = [f"select={number}", f"ncpus={max(1, demand.cores) * slots}"]
    parts += [f"ngpus={demand.gpus * slots}"] if demand.gpus else []
    if memory:
        parts.append(f"mem={memory}mb" if memory % 1024 else f"mem={memory // 1024}gb")
    parts += [f"mpiprocs={each}"] if each > 1 else []
    words = ["-l", ":".join(parts)]
    if nodes is not None:
        words += ["-l", "place=scatter:excl" if demand.exclusive else "place=scatter"]
    return words


def _properties(constraint: Any) -> list[str] | None:
    is_plain = isinstance(constraint, Mapping) and set(constraint) == {"properties"}
    text = reading.features_text(constraint) if is_plain else None
    return None if text is None or "=" in text else text.split("&")
