"""Resources in the terms of batch systems: nodes, tasks, cores, gpus and memory.

`demand_of` reads what a jobspec asks for; the others make the resources of a jobspec.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fluxtui.answers.commands.job import Job
from fluxtui.notation import count as counts

#: The label of slots that have no other (RFC 46).
LABEL = "default"


def nodes_of_slots(
    nodes: Any,
    slots_each: int,
    inside: Sequence[dict[str, Any]],
    *,
    exclusive: bool = False,
    label: str = LABEL,
) -> list[dict[str, Any]]:
    """Nodes that hold slots, or slots alone where nodes is None; nodes is an RFC 14 count."""
    slot = {"type": "slot", "count": slots_each, "label": label, "with": list(inside)}
    if nodes is None:
        return [slot]
    node: dict[str, Any] = {"type": "node", "count": nodes}
    if exclusive:
        node["exclusive"] = True
    return [{**node, "with": [slot]}]


def core_vertices(count: int, gpus: int = 0) -> list[dict[str, Any]]:
    """Cores, and gpus if there are any."""
    out: list[dict[str, Any]] = [{"type": "core", "count": count}]
    return [*out, {"type": "gpu", "count": gpus}] if gpus else out


def memory_vertex(amount: int) -> dict[str, Any]:
    """At least so many MB of memory, in GB where those come out even (RFC 14, use case 2.5)."""
    unit = "GB" if amount % 1024 == 0 else "MB"
    least = amount // 1024 if unit == "GB" else amount
    return {"type": "memory", "count": {"min": least}, "unit": unit}


_UNITS = {"": 1.0, "K": 1 / 1024, "M": 1.0, "G": 1024.0, "T": 1024.0**2, "P": 1024.0**3}


def megabytes(text: str) -> int | None:
    """Memory such as ``4096``, ``4G`` or ``4gb`` in MB (MB where there is no unit), or None."""
    digits = text.strip().upper()
    digits = digits.removesuffix("B") if digits[-2:-1].isalpha() else digits
    unit = digits[-1:] if digits[-1:].isalpha() else ""
    number = digits.removesuffix(unit) if unit else digits
    try:
        value = float(number) * _UNITS[unit]
    except (KeyError, ValueError, OverflowError):
        return None
    if not 0 <= value < 1e15 or number[:1] in "+-":
        return None
    return int(value) + (value % 1 > 0)


@dataclass(slots=True)
class Demand:
    """What a job asks for in the terms of other batch systems.

    nodes         how many, None where the jobspec names none
    exclusive     the nodes are requested whole; shared: they are requested not to be
    inside        the node is inside the slot, so that the slot is a node
    each          slots of a node, or all slots where there are no nodes
    cores         of a slot; 0 where none are named
    gpus          of a slot
    memory        MB of a slot (of the node where that is inside the slot)
    sockets       of a node, each with so many socket_cores
    tasks         tasks of each slot, or total in all
    further_slots slots that the task does not run in
    left          types of resources that are none of these
    loose         what is counted by a range, of which the least is taken
    units         units of memory that are not known
    broken        types whose counts make no sense and are taken as 1
    """

    nodes: counts.Count | None = None
    exclusive: bool = False
    shared: bool = False
    inside: bool = False
    each: int = 1
    cores: int = 0
    gpus: int = 0
    memory: int = 0
    sockets: counts.Count | None = None
    socket_cores: counts.Count | None = None
    tasks: int = 1
    total: int | None = None
    left: list[str] = field(default_factory=list)
    loose: list[str] = field(default_factory=list)
    units: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    further_slots: int = 0

    def number(self, vertex: Mapping[str, Any], what: str) -> int:
        """The count of a vertex as one number; what it counts is noted where it is a range."""
        count = self.count(vertex)
        if not isinstance(count, int) and what not in self.loose:
            self.loose.append(what)
        return counts.least(count)

    def count(self, vertex: Mapping[str, Any]) -> counts.Count:
        """The count of a vertex; 1 with a note for one that makes no sense."""
        found = counts.from_json(vertex.get("count"))
        if found.value is None or not found.ok:
            self.broken.append(str(vertex.get("type")))
            return 1
        return found.value

    def join_slots(self) -> None:
        """Make one slot of all those of a node."""
        self.cores, self.gpus = self.cores * self.each, self.gpus * self.each
        self.memory, self.each = self.memory * self.each, 1


def demand_of(job: Job) -> Demand:
    """The demand of a job; a fresh one each time."""
    demand = Demand()
    path, others = _path(job.document["resources"], job.task.get("slot"))
    demand.further_slots = others
    if not path:
        demand.left.append("slot")
        return demand
    multiple = 1
    for vertex, beside in path[:-1]:
        demand.left += beside
        if vertex.get("type") == "node" and demand.nodes is None:
            count = demand.count(vertex)
            demand.nodes = count if multiple == 1 else counts.least(count) * multiple
            demand.exclusive = vertex.get("exclusive") is True
            multiple = 1
        else:
            demand.left.append(str(vertex.get("type")))
            multiple *= demand.number(vertex, str(vertex.get("type")))
    slot, beside = path[-1]
    demand.left += beside
    _slot(demand, slot, multiple)
    _tasks(demand, job.task.get("count"))
    return demand


def _path(resources: Any, label: object) -> tuple[list[tuple[Mapping[str, Any], list[str]]], int]:
    """The vertices down to the slot of the task, each with the types beside it; other slots."""
    found: list[tuple[Mapping[str, Any], list[str]]] = []
    others = 0
    listed = resources if isinstance(resources, list | tuple) else ()
    vertices = [vertex for vertex in listed if isinstance(vertex, Mapping)]
    for vertex in vertices:
        if vertex.get("type") == "slot":
            if not found and vertex.get("label", label) == label:
                found = [(vertex, _beside(vertex, vertices))]
            else:
                others += 1
            continue
        below, more = _path(vertex.get("with"), label)
        others += more
        if below and not found:
            found = [(vertex, _beside(vertex, vertices)), *below]
        elif below:
            others += 1
    return found, others


def _beside(vertex: Mapping[str, Any], listed: Sequence[Mapping[str, Any]]) -> list[str]:
    """The types of what stands beside a vertex and holds no slot."""
    return [
        str(other.get("type")) for other in listed if other is not vertex and not _holds_slot(other)
    ]


def _holds_slot(vertex: Mapping[str, Any]) -> bool:
    if vertex.get("type") == "slot":
        return True
    inner = vertex.get("with")
    found = inner if isinstance(inner, list | tuple) else ()
    return any(isinstance(child, Mapping) and _holds_slot(child) for child in found)


def _slot(demand: Demand, slot: Mapping[str, Any], multiple: int) -> None:
    """The slot itself, and what it holds."""
    inner = slot.get("with")
    children = (
        [v for v in inner if isinstance(v, Mapping)] if isinstance(inner, list | tuple) else []
    )
    nodes = [v for v in children if v.get("type") == "node"]
    if nodes and demand.nodes is None:
        demand.inside = True
        node = nodes[0]
        count = demand.count(slot)
        each = demand.number(node, "node")
        demand.nodes = count if multiple * each == 1 else counts.least(count) * multiple * each
        demand.exclusive = node.get("exclusive") is True
        demand.shared = node.get("exclusive") is False
        demand.each = 1
        _contents(demand, node.get("with"))
        children = [v for v in children if v is not node]
    else:
        demand.each = demand.number(slot, "slot") * multiple
    _contents(demand, children)


def _contents(demand: Demand, children: Any) -> None:
    """Cores, gpus, memory and sockets; all else is left."""
    for vertex in children if isinstance(children, list | tuple) else ():
        if not isinstance(vertex, Mapping):
            continue
        kind = vertex.get("type")
        if kind == "core":
            demand.cores += demand.number(vertex, "core")
        elif kind == "gpu":
            demand.gpus += demand.number(vertex, "gpu")
        elif kind == "memory":
            _memory(demand, vertex)
            continue
        elif kind == "socket":
            _socket(demand, vertex)
            continue
        else:
            demand.left.append(str(kind))
        _contents(demand, vertex.get("with"))


def _memory(demand: Demand, vertex: Mapping[str, Any]) -> None:
    """Memory is always a least amount, so that ``4`` and ``4+`` are the same."""
    count = demand.count(vertex)
    unit = vertex.get("unit", "MB")
    amount = megabytes(f"{counts.least(count)}{unit}")
    if amount is None:
        demand.units.append(str(unit))
    else:
        demand.memory += amount


def _socket(demand: Demand, vertex: Mapping[str, Any]) -> None:
    demand.sockets = demand.count(vertex)
    inner = vertex.get("with")
    for child in inner if isinstance(inner, list | tuple) else ():
        if isinstance(child, Mapping) and child.get("type") == "core":
            demand.socket_cores = demand.count(child)
            _contents(demand, child.get("with"))
        else:
            _contents(demand, [child])


def _tasks(demand: Demand, count: object) -> None:
    if not isinstance(count, Mapping):
        return
    per_slot, total, per_resource = (count.get(k) for k in ("per_slot", "total", "per_resource"))
    if isinstance(per_slot, int):
        demand.tasks = max(1, per_slot)
    if isinstance(total, int):
        demand.total = max(1, total)
    if isinstance(per_resource, Mapping) and isinstance(per_resource.get("count"), int):
        number = max(1, per_resource["count"])
        if per_resource.get("type") == "core":
            demand.tasks = number * max(1, demand.cores)
        elif per_resource.get("type") == "gpu":
            demand.tasks = number * max(1, demand.gpus)
        else:
            demand.tasks = number
