"""The option words that make Flux give a job certain resources."""

from collections.abc import Mapping
from typing import Any

from fluxtui.answers.commands.flux.resources import Layout
from fluxtui.answers.commands.flux.shape import NO_SHAPE, shape_of
from fluxtui.answers.commands.request import Request
from fluxtui.answers.commands.saying import Known
from fluxtui.notation import count as counts


def layout_of(resources: object) -> Layout | None:
    """The layout of resources that plain options can ask for; None for all others."""
    vertex = _only(resources)
    nodes, exclusive = None, False
    if vertex is not None and vertex.get("type") == "node":
        exclusive = vertex.get("exclusive") is True
        nodes = _number(vertex, "with", *(["exclusive"] if exclusive else []))
        if nodes is None:
            return None
        vertex = _only(vertex.get("with"))
    if vertex is None or vertex.get("type") != "slot":
        return None
    inside = vertex.get("with")
    slots = _number(vertex, "with", "label")
    if slots is None or not isinstance(inside, list | tuple) or not 1 <= len(inside) <= 2:
        return None
    kinds = [item.get("type") if isinstance(item, Mapping) else None for item in inside]
    numbers = [_number(item) if isinstance(item, Mapping) else None for item in inside]
    if kinds != ["core", "gpu"][: len(kinds)] or None in numbers:
        return None
    cores, gpus = numbers[0] or 1, (numbers[1] or 0 if len(numbers) > 1 else 0)
    return Layout(nodes, exclusive, slots, cores, gpus)


def _only(vertices: object) -> Mapping[str, Any] | None:
    """The one vertex of a list that has just one."""
    if not isinstance(vertices, list | tuple) or len(vertices) != 1:
        return None
    return vertices[0] if isinstance(vertices[0], Mapping) else None


def _number(vertex: Mapping[str, Any], *further: str) -> int | None:
    """The count of a vertex that is one number and has no other keys than these."""
    if set(vertex) != {"type", "count", *further}:
        return None
    count = counts.from_json(vertex["count"]).value
    return count if isinstance(count, int) else None


class Asked:
    """How Flux is asked for the resources and the number of tasks; made once for all programs.

    layout  what plain options say, None where that takes a shape: then the rest is
            what `flux_shape` says of it; known is what that keeps from one time to the next
    """

    def __init__(self, request: Request, known: Known | None = None) -> None:
        task = request.document["tasks"][0]
        resources = request.document["resources"]
        count = task.get("count")
        self.count: Mapping[str, Any] = count if isinstance(count, Mapping) else {}
        self.layout = layout_of(resources)
        shape = NO_SHAPE
        if self.layout is None:
            shape = shape_of(resources, task.get("slot"), known)
        else:
            self.layout = _with_tasks(self.layout, self.count)
        self.trouble, self.text, self.resources, self.differences = shape
        self.per_resource = self._per_resource(request)

    def _per_resource(self, request: Request) -> tuple[str, Any] | None:
        """What tasks are counted by where there is not just one in each slot, and how many."""
        wanted = self.count.get("per_resource")
        if isinstance(wanted, Mapping):
            return str(wanted.get("type")), wanted.get("count")
        if self.count == {"per_slot": 1} or self.trouble is not None:
            return None
        per_slot = self.count.get("per_slot")
        if self.layout is None:
            each = _per_node(request)
        elif self.layout.nodes and isinstance(per_slot, int):
            each = per_slot * self.layout.slots
        else:
            each = 1
        return ("node", each) if each > 1 else None

    def words(self, *, instance: bool = False, option: object = None) -> list[str] | None:
        """The options.

        instance  those of ``flux batch`` and ``alloc``, which always want a number
        option    the shell option ``per-resource``: None comes back where it cannot be said
                  among these
        """
        counted = None
        if isinstance(option, Mapping) and set(option) == {"type", "count"}:
            counted = (str(option["type"]), option["count"])
        if option is not None or (self.per_resource and not instance):
            words = self._counted(counted or self.per_resource)
            if option is not None or words is not None:
                return words
        words = [f"--resources-shape={self.text}"]
        if self.layout is not None:
            words = layout_words(self.layout, instance=instance)
        if self.per_resource is not None and not instance:
            kind, number = self.per_resource
            words += ["-o", f"per-resource.type={kind}"]
            words += [] if number == 1 else ["-o", f"per-resource.count={number}"]
        return words

    def _counted(self, per_resource: tuple[str, Any] | None) -> list[str] | None:
        """The options that count tasks by node or core, where they make these resources."""
        layout = self.layout
        if layout is None or per_resource is None or layout.total is not None:
            return None
        kind, number = per_resource
        if kind not in ("node", "core") or not isinstance(number, int) or number < 1:
            return None
        ending = [f"--tasks-per-{kind}={number}"]
        if layout.nodes is None:
            alone = layout.cores == 1 and not layout.gpus
            return [f"--cores={layout.slots}", *ending] if alone else None
        if layout.slots != 1 or (layout.exclusive and layout.cores > 1):
            return None
        words = [f"-N{layout.nodes}"]
        if not layout.exclusive:
            words.append(f"--cores={layout.nodes * layout.cores}")
        gpus = [f"--gpus-per-node={layout.gpus}"] if layout.gpus else []
        return [*words, *ending, *gpus]


def _with_tasks(layout: Layout, count: Mapping[str, Any]) -> Layout:
    """The layout with slots for as many tasks as there are, where it can have them."""
    per_slot, total = count.get("per_slot", 1), count.get("total")
    if isinstance(total, int) and total >= (layout.nodes or 1):
        return layout._replace(total=total)
    if not isinstance(per_slot, int) or per_slot < 2 or layout.nodes is not None:
        return layout
    # Slots are all there is to count tasks by: each task gets its part of one.
    cores, gpus = divmod(layout.cores, per_slot), divmod(layout.gpus, per_slot)
    if cores[1] or gpus[1]:
        return layout
    return layout._replace(slots=layout.slots * per_slot, cores=cores[0], gpus=gpus[0])


def _per_node(request: Request) -> int:
    """The tasks of each node of a request for nodes, where all nodes have as many; else 1."""
    demand = request.demand()
    if not isinstance(demand.nodes, int) or demand.further_slots:
        return 1
    total = demand.total or demand.nodes * demand.each * demand.tasks
    return total // demand.nodes if total % demand.nodes == 0 else 1


def layout_words(layout: Layout, *, instance: bool = False) -> list[str]:
    """The plain options of a layout, none where it is what Flux gives by itself."""
    nodes, slots, total = layout.nodes, layout.slots, layout.total
    words = []
    if nodes is not None:
        words.append(f"-N{nodes}")
    count = total if total is not None else slots * (nodes or 1)
    whole = nodes is not None and layout.exclusive and count == nodes
    if not whole and (count > 1 or nodes is not None or instance):
        words.append(f"-n{count}")
    if layout.cores > 1:
        words.append(f"-c{layout.cores}")
    if layout.gpus:
        words.append(f"-g{layout.gpus}")
    if layout.exclusive and not whole:
        words.append("-x")
    return words
