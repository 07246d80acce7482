"""The resources that options such as ``-N``, ``-n``, ``-c`` and ``-g`` make (flux-core 0.88)."""

from typing import Any, NamedTuple

from fluxtui.answers.commands.options import WHOLE, Line
from fluxtui.notation.problem import Span
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.resources import to_resources


class Layout(NamedTuple):
    """Nodes that hold slots, or slots alone.

    slots  of each node, or all where there are no nodes
    total  the number of tasks where not each slot runs one
    """

    nodes: int | None = None
    exclusive: bool = False
    slots: int = 1
    cores: int = 1
    gpus: int = 0
    total: int | None = None

    def resources(self, label: str) -> list[dict[str, Any]]:
        """The RFC 14 list, which is one of RFC 25 too."""
        inside: list[dict[str, Any]] = [{"type": "core", "count": self.cores}]
        if self.gpus:
            inside.append({"type": "gpu", "count": self.gpus})
        slot = {"type": "slot", "count": self.slots, "label": label, "with": inside}
        if self.nodes is None:
            return [slot]
        node: dict[str, Any] = {"type": "node", "count": self.nodes}
        if self.exclusive:
            node["exclusive"] = True
        return [{**node, "with": [slot]}]

    def task_count(self) -> dict[str, int]:
        """The ``count`` of the task (RFC 25)."""
        return {"per_slot": 1} if self.total is None else {"total": self.total}


def task_layout(line: Line) -> tuple[Layout, dict[str, Any] | None]:
    """The layout of ``flux submit`` and ``run``, and the shell option ``per-resource``."""
    names = ("nodes", "count", "cores-per", "gpus-per", "cores", "gpus-per-node")
    for name in ("count", "cores-per"):
        if line.text(name) == "":  # as if it were not given
            del line.values[name]
    numbers = {name: line.whole(name, 0) for name in names}
    if line.has("shape"):
        numbers["nodes"] = 1
    per_resource = _per_resource(line)
    if per_resource or line.has("gpus-per-node") or line.has("cores"):
        clash = [name for name in ("count", "cores-per") if line.has(name)]
        if numbers["gpus-per"]:
            clash.append("gpus-per")
        if clash:
            found = line.values[clash[0]]
            message = f"{found.name} does not go with an option that counts by node or core"
            line.problem(found.span, message)
        return _whole_layout(line, numbers), per_resource
    return _counted(line, numbers), None


def instance_layout(line: Line) -> Layout:
    """The layout of ``flux batch`` and ``alloc``."""
    numbers = {name: line.whole(name, 0) for name in ("nodes", "count", "cores-per", "gpus-per")}
    if line.has("shape"):
        numbers["nodes"] = 1
    if not numbers["count"] and not numbers["nodes"]:
        message = f"{line.program} needs a number of slots (-n) or nodes (-N)"
        line.problem(WHOLE, message, "-n SLOTS", "-N NODES")
    if line.has("cores-per") and numbers["cores-per"] == 0:
        line.problem(line.values["cores-per"], "a slot has 1 core or more", "1 or more")
    return _counted(line, numbers)


def _per_resource(line: Line) -> dict[str, Any] | None:
    """``--tasks-per-node`` or ``--tasks-per-core`` as the shell option."""
    given = [kind for kind in ("node", "core") if line.has(f"tasks-per-{kind}")]
    if len(given) == 2:
        span = line.values["tasks-per-core"].span
        line.problem(span, "tasks are counted per node or per core, not both")
    for kind in given:
        count = line.whole(f"tasks-per-{kind}")
        return {"type": kind, "count": count or 1}
    return None


def _counted(line: Line, numbers: dict[str, int | None]) -> Layout:
    """Slots counted one by one, spread over nodes if there are any."""
    nodes, count = numbers["nodes"], numbers["count"]
    exclusive = line.has("exclusive")
    if not count and nodes:
        count, exclusive = nodes, True
    count = count or 1
    layout = Layout(None, False, count, numbers["cores-per"] or 1, numbers["gpus-per"] or 0)
    if nodes is None:
        if exclusive:
            span = line.values["exclusive"].span
            line.problem(span, "nodes are given whole only where -N says how many", "-N NODES")
        return layout
    if nodes < 1 or nodes > count:
        wanted = f"1 to {count}, the number of slots" if nodes else "1 or more"
        line.problem(line.values["nodes"], f"{nodes} nodes do not hold {count} slots", wanted)
        return layout
    uneven = count % nodes != 0
    return layout._replace(
        nodes=nodes,
        exclusive=exclusive,
        slots=-(-count // nodes),
        total=count if uneven else None,
    )


def _whole_layout(line: Line, numbers: dict[str, int | None]) -> Layout:
    """One slot for each node, or for each core where there are no nodes."""
    nodes, cores, gpus = numbers["nodes"], numbers["cores"], numbers["gpus-per-node"]
    if line.has("cores") and not cores:
        line.problem(line.values["cores"], "a job has 1 core or more", "1 or more")
    if gpus and nodes is None:
        found = line.values["gpus-per-node"]
        line.problem(found.span, f"{found.name} needs the number of nodes (-N)", "-N NODES")
    if nodes == 0:
        line.problem(line.values["nodes"], "a job has 1 node or more", "1 or more")
    if not nodes:
        if not line.has("cores"):
            names = ("tasks-per-node", "tasks-per-core", "gpus-per-node")
            found = next(line.values[name] for name in names if line.has(name))
            line.problem(found.span, f"{found.name} needs nodes (-N) or --cores", "-N NODES")
        if line.has("exclusive"):
            span = line.values["exclusive"].span
            line.problem(span, "nodes are given whole only where -N says how many", "-N NODES")
        return Layout(None, False, cores or 1)
    exclusive = line.has("exclusive") or cores is None
    if cores and cores % nodes:
        found = line.values["cores"]
        line.problem(found, f"{cores} cores do not spread evenly over {nodes} nodes")
    return Layout(nodes, exclusive, 1, max(1, (cores or nodes) // nodes), gpus or 0)


def shaped(line: Line, label: str) -> list[dict[str, Any]] | None:
    """The resources of ``--resources-shape`` (RFC 46), or None where there is none."""
    found = line.values.get("shape")
    if found is None:
        return None
    known = line.shapes.get(found.text)
    if known is not None:
        return known
    tree = parse_shape(found.text)
    first, last = found.value_span
    plain = last - first == len(found.text)
    for problem in tree.problems:
        if problem.severity == "error":
            where = Span(first, last)
            if problem.span and plain:
                where = Span(problem.span.start + first, problem.span.end + first)
            line.problems.append(problem._replace(span=where))
    return to_resources(tree, label, "string")
