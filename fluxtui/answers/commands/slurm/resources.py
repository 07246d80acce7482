"""The resources that Slurm's options ask for.

Tasks are slots. Where their number does not spread evenly over the nodes, each node has as many
slots as it has tasks at least (RFC 25, use case 2.1); ``--ntasks-per-node`` sets another number.
Memory of a node and sockets become what the use cases 2.6 and 1.3 of RFC 14 show, with the
node inside the slot.
"""

import re
from dataclasses import dataclass
from typing import Any

from fluxtui.answers.commands.demand import core_vertices, megabytes, memory_vertex, nodes_of_slots
from fluxtui.answers.commands.foreign import Layout
from fluxtui.answers.commands.options import Found, Line
from fluxtui.notation import count as counts
from fluxtui.notation.problem import is_digits


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


def read(line: Line) -> Layout:
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
    each: dict[str, Any] = {"type": "socket", "count": {"min": sockets or 1}}
    if cores:
        each["with"] = [{"type": "core", "count": {"min": cores}}]
    node: dict[str, Any] = {"type": "node", "count": 1}
    if not line.has("exclusive"):
        node["exclusive"] = False
    node["with"] = [each]
    for name in ("cpus-per-task", "gres", "gpus", "gpus-per-node", "gpus-per-task"):
        if line.has(name):
            line.note(line.values[name], f"{line.values[name].name} beside sockets is left out")
    nodes = 1 if tasks.nodes is None else tasks.nodes
    return Layout(nodes_of_slots(None, nodes, [node]), tasks.count_in_nodes(), True)
