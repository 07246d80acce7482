"""A jobspec as a ``qsub`` line.

``nodes=N:ppn=M`` is what Torque and PBS both read; cores, gpus and memory of slots need the
chunks of PBS (``select``). A line is exact where it asks for resources alone, as use case 1.1 of
RFC 25 does, and `hear` reads it back as the same jobspec: PBS itself starts no tasks.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from fluxtui.answers.commands.demand import Demand
from fluxtui.answers.commands.flux.to_command import SCRIPT_NAME
from fluxtui.answers.commands.foreign_command import Attributes, demand_notes, judged
from fluxtui.answers.commands.pbs import from_command
from fluxtui.answers.commands.request import Request
from fluxtui.answers.commands.saying import Saying
from fluxtui.answers.commands.scripts import headed, shell_script
from fluxtui.answers.commands.slurm import values
from fluxtui.notation import count as counts
from fluxtui.notation import shellwords
from fluxtui.notation.problem import Span
from fluxtui.notation.shellwords import Word


def saying(request: Request) -> Saying:
    """What ``qsub`` takes for a request."""
    demand = request.demand()
    if demand.further_slots:
        note = "a task runs in one kind of chunk, and there are several kinds of slots"
        return Saying("qsub", None, notes=(note,))
    attributes = Attributes(request)
    attributes.count_tasks(demand)
    notes = demand_notes(demand, "PBS")
    options = [*_resources(demand, attributes, notes), *_others(attributes, notes)]
    notes += attributes.notes("PBS")
    inner = list(request.inner)
    script = shell_script(inner) if inner else None
    if request.kind == "batch":
        notes.insert(0, "qsub runs the script without a Flux instance")
        if inner:
            options += ["-F", shellwords.join(inner)]
        inner, script = [SCRIPT_NAME], request.script
    elif request.kind == "alloc":
        notes.insert(0, "qsub gives the resources and starts no Flux instance in them")
    elif request.kind == "program":
        notes.insert(0, "qsub runs one command on the first node, and mpiexec starts the tasks")
        inner = ["mpiexec", "-n", str(_tasks(demand)), *inner]
        script = shell_script(inner)
    words = ["qsub", *options]
    if inner:
        words += inner if request.kind == "batch" else ["--", *inner]
    header = None if script is None else headed(script, "#PBS ", options)
    return judged("qsub", words, request, notes, _read_back, script=header)


def _read_back(program: str, words: Sequence[str]) -> Mapping[str, Any]:
    return from_command.read([Word(word, Span(0, len(word))) for word in words], {})[0]


def _tasks(demand: Demand) -> int:
    nodes = 1 if demand.nodes is None else counts.least(demand.nodes)
    return demand.total or nodes * demand.each * demand.tasks


def _resources(demand: Demand, attributes: Attributes, notes: list[str]) -> list[str]:
    """``-l nodes=``, or ``-l select=`` and ``-l place=``."""
    if demand.nodes is not None and not isinstance(demand.nodes, int):
        notes.append("PBS takes one number of nodes: the least is asked for")
    if demand.sockets is not None:
        notes.append("PBS has no request for sockets")
    if demand.inside and not demand.exclusive and not demand.shared:
        notes.append("PBS gives whole nodes only with place=excl, or where it is set up so")
    if demand.total is not None:
        notes.append(f"{demand.total} tasks are not told to PBS, only to what starts them")
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


def _properties(attributes: Attributes) -> list[str]:
    """The properties that all nodes must have, which ``nodes=`` can name."""
    constraint = attributes.system.get("constraints")
    if not isinstance(constraint, Mapping) or set(constraint) != {"properties"}:
        return []
    text = values.features_text(constraint)
    if text is None or "=" in text:
        return []
    del attributes.system["constraints"]
    return text.split("&")


def _others(attributes: Attributes, notes: list[str]) -> list[str]:
    """Times, queues, dependencies and variables."""
    words: list[str] = []
    seconds = attributes.seconds()
    if seconds:
        whole = math.ceil(seconds)
        minutes, second = divmod(whole, 60)
        words += ["-l", f"walltime={minutes // 60}:{minutes % 60:02}:{second:02}"]
        if whole != seconds:
            notes.append("the time is rounded up to whole seconds")
    for short, value in (
        ("-q", attributes.text("queue")),
        ("-A", attributes.text("bank")),
        ("-P", attributes.text("project")),
        ("-N", attributes.job_name()),
    ):
        words += [short, value] if value is not None else []
    depend = values.dependency_text(attributes.system.get("dependencies"))
    if depend is not None:
        del attributes.system["dependencies"]
        words += ["-W", f"depend={depend}"]
    exported = attributes.variables()
    if exported is not None:
        words += ["-v", exported]
    for short, stream in (("-o", "stdout"), ("-e", "stderr")):
        path = attributes.file("output", stream)
        if path is not None and "{{" not in path:
            words += [short, path]
        elif path is not None:
            notes.append("PBS has no templates in the names of files")
    return words
