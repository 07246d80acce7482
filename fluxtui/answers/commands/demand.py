"""Resources in the terms of batch systems: nodes, tasks, cores, gpus and memory.

`demand_of` reads what a jobspec asks for; the others make the resources of a jobspec.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fluxtui.answers.commands.job import Job
from fluxtui.model.jobspec.request import RequestVertex
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

    def number(self, vertex: RequestVertex) -> int:
        """The count of a vertex as one number; its type is loose where that is a range."""
        count = self.count(vertex)
        what = _type(vertex)
        if not isinstance(count, int) and what not in self.loose:
            self.loose.append(what)
        return counts.least(count)

    def count(self, vertex: RequestVertex) -> counts.Count:
        """The count of a vertex; 1 where it makes no sense, and its type is broken."""
        if vertex.count is None:
            self.broken.append(_type(vertex))
            return 1
        return vertex.count

    def join_slots(self) -> None:
        """Make one slot of all those of a node."""
        self.cores, self.gpus = self.cores * self.each, self.gpus * self.each
        self.memory, self.each = self.memory * self.each, 1


def demand_of(job: Job) -> Demand:
    """The demand of a job; a fresh one each time."""
    demand = Demand()
    label = job.task.get("slot")
    slots = [slot for slot in job.request.slots() if not any(v.is_slot for v in slot.above)]
    slot = next((slot for slot in slots if slot.fields.get("label", label) == label), None)
    demand.further_slots = len(slots) - (slot is not None)
    if slot is None:
        demand.left.append("slot")
        return demand
    multiple = 1
    siblings: Sequence[RequestVertex] = job.request.roots
    for vertex in slot.above:
        demand.left += _beside(vertex, siblings)
        siblings = vertex.children
        if vertex.type == "node" and demand.nodes is None:
            count = demand.count(vertex)
            demand.nodes = count if multiple == 1 else counts.least(count) * multiple
            demand.exclusive = vertex.exclusive is True
            multiple = 1
        else:
            demand.left.append(_type(vertex))
            multiple *= demand.number(vertex)
    demand.left += _beside(slot, siblings)
    _slot(demand, slot, multiple)
    _tasks(demand, job.task.get("count"))
    return demand


def _type(vertex: RequestVertex) -> str:
    """The type of a vertex, as a text whatever it is."""
    return str(vertex.fields.get("type"))


def _beside(vertex: RequestVertex, siblings: Sequence[RequestVertex]) -> list[str]:
    """The types of the vertices beside one that hold no slot."""
    return [
        _type(other)
        for other in siblings
        if other.is_readable
        and other is not vertex
        and not any(inner.is_slot for inner in other.walk())
    ]


def _slot(demand: Demand, slot: RequestVertex, multiple: int) -> None:
    """The slot itself, and what it holds."""
    node = next((vertex for vertex in slot.children if vertex.type == "node"), None)
    if node is None or demand.nodes is not None:
        demand.each = demand.number(slot) * multiple
        _contents(demand, slot.children)
        return
    demand.inside = True
    count = demand.count(slot)
    each = demand.number(node) * multiple
    demand.nodes = count if each == 1 else counts.least(count) * each
    demand.exclusive, demand.shared = node.exclusive is True, node.exclusive is False
    _contents(demand, node.children)
    _contents(demand, [vertex for vertex in slot.children if vertex is not node])


def _contents(demand: Demand, vertices: Sequence[RequestVertex]) -> None:
    """Cores, gpus, memory and sockets; all else is left."""
    for vertex in vertices:
        if not vertex.is_readable:
            continue
        if vertex.type == "memory":
            _memory(demand, vertex)
            continue
        if vertex.type == "core" and vertex.parent is not None and vertex.parent.type == "socket":
            demand.socket_cores = demand.count(vertex)
        elif vertex.type == "core":
            demand.cores += demand.number(vertex)
        elif vertex.type == "gpu":
            demand.gpus += demand.number(vertex)
        elif vertex.type == "socket":
            demand.sockets = demand.count(vertex)
        else:
            demand.left.append(_type(vertex))
        _contents(demand, vertex.children)


def _memory(demand: Demand, vertex: RequestVertex) -> None:
    """Memory is always a least amount, so that ``4`` and ``4+`` are the same."""
    unit = vertex.fields.get("unit", "MB")
    amount = megabytes(f"{counts.least(demand.count(vertex))}{unit}")
    if amount is None:
        demand.units.append(str(unit))
    else:
        demand.memory += amount


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
