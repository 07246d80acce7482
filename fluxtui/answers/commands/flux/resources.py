"""The resources that options of Flux commands ask for, read and written (flux-core 0.88).

Plain options such as ``-N``, ``-n``, ``-c`` and ``-g`` make a `Layout`; all other resources take a
shape (RFC 46).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fluxtui.answers.commands.demand import core_vertices, demand_of, nodes_of_slots
from fluxtui.answers.commands.job import Job
from fluxtui.answers.commands.options import WHOLE, Line
from fluxtui.model.jobspec.request import RequestVertex, ResourceRequest
from fluxtui.notation.problem import Span, printable
from fluxtui.notation.shape.format import format_shape
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.resources import from_resources, to_resources
from fluxtui.notation.shape.tree import Vertex, check, walk

#: The label that Flux gives its slots.
LABEL = "task"


@dataclass(frozen=True, slots=True)
class Layout:
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

    def resources(self) -> list[dict[str, Any]]:
        """The RFC 14 list, which is one of RFC 25 too."""
        inside = core_vertices(self.cores, self.gpus)
        return nodes_of_slots(self.nodes, self.slots, inside, exclusive=self.exclusive, label=LABEL)

    def task_count(self) -> dict[str, int]:
        """The ``count`` of the task (RFC 25)."""
        return {"per_slot": 1} if self.total is None else {"total": self.total}


# From options to resources


def task_layout(line: Line) -> tuple[Layout, dict[str, Any] | None]:
    """The layout of ``flux submit`` and ``run``, and the shell option ``per-resource``."""
    names = ("nodes", "count", "cores-per", "gpus-per", "cores", "gpus-per-node")
    for name in ("count", "cores-per"):
        if line.text(name) == "":  # as if it were not given
            del line.values[name]
    numbers = {name: line.whole(name, 0) for name in names}
    if line.has("resources-shape"):
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
    if line.has("resources-shape"):
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
    return replace(
        layout,
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


def shaped(line: Line) -> list[dict[str, Any]] | None:
    """The resources of ``--resources-shape`` (RFC 46), or None where there is none."""
    found = line.values.get("resources-shape")
    if found is None:
        return None
    tree = parse_shape(found.text)
    first, last = found.value_span
    plain = last - first == len(found.text)
    for problem in tree.problems:
        if problem.severity == "error":
            where = Span(first, last)
            if problem.span and plain:
                where = Span(problem.span.start + first, problem.span.end + first)
            line.problems.append(replace(problem, span=where))
    return to_resources(tree, LABEL, "string")


# From resources to options


def layout_of(request: ResourceRequest) -> Layout | None:
    """The layout of resources that plain options can ask for; None for all others."""
    vertices: Sequence[RequestVertex] = request.roots
    nodes, exclusive = None, False
    if len(vertices) == 1 and vertices[0].type == "node":
        exclusive = vertices[0].exclusive is True
        nodes = _number(vertices[0], "with", *(["exclusive"] if exclusive else []))
        if nodes is None:
            return None
        vertices = vertices[0].children
    if len(vertices) != 1 or not vertices[0].is_slot:
        return None
    slots, inside = _number(vertices[0], "with", "label"), vertices[0].children
    kinds, numbers = [vertex.type for vertex in inside], [_number(vertex) for vertex in inside]
    if slots is None or None in numbers or kinds not in (["core"], ["core", "gpu"]):
        return None
    cores, gpus = numbers[0] or 1, (numbers[1] or 0 if len(numbers) > 1 else 0)
    return Layout(nodes, exclusive, slots, cores, gpus)


def _number(vertex: RequestVertex, *further: str) -> int | None:
    """The count of a vertex that is one number and has no other keys than these."""
    if set(vertex.fields) != {"type", "count", *further}:
        return None
    return vertex.count if isinstance(vertex.count, int) else None


class ResourceOptions:
    """The options for the resources and the number of tasks of a job, for all Flux commands.

    layout   what plain options can ask for; None where it takes a shape, whose text is ``shape``
    trouble  why no shape can ask for the resources
    """

    def __init__(self, job: Job) -> None:
        resources, count = job.document["resources"], job.task.get("count")
        self.count: Mapping[str, Any] = count if isinstance(count, Mapping) else {}
        self.layout = layout_of(job.request)
        self.shape, self.trouble = "", None
        if self.layout is None:
            self.shape, self.trouble = shape_of(resources, job.task.get("slot"))
        else:
            self.layout = _with_tasks(self.layout, self.count)
        self.per_resource = self._per_resource(job)

    def _per_resource(self, job: Job) -> tuple[str, Any] | None:
        """What tasks are counted by, and how many for each, where a slot does not run just one."""
        wanted = self.count.get("per_resource")
        if isinstance(wanted, Mapping):
            return str(wanted.get("type")), wanted.get("count")
        if self.count == {"per_slot": 1} or self.trouble is not None:
            return None
        per_slot = self.count.get("per_slot")
        if self.layout is None:
            each = _per_node(job)
        elif self.layout.nodes and isinstance(per_slot, int):
            each = per_slot * self.layout.slots
        else:
            each = 1
        return ("node", each) if each > 1 else None

    def words(self, *, instance: bool = False, option: object = None) -> list[str] | None:
        """The options.

        instance  those of ``flux batch`` and ``alloc``, which always need a number
        option    the value of the shell option ``per-resource``, to be expressed by options for
                  resources; the result is None where they cannot
        """
        counted = None
        if isinstance(option, Mapping) and set(option) == {"type", "count"}:
            counted = (str(option["type"]), option["count"])
        if option is not None or (self.per_resource and not instance):
            words = self._counted(counted or self.per_resource)
            if option is not None or words is not None:
                return words
        words = [f"--resources-shape={self.shape}"]
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
        return replace(layout, total=total)
    if not isinstance(per_slot, int) or per_slot < 2 or layout.nodes is not None:
        return layout
    # Slots are all there is to count tasks by: each task gets its part of one.
    cores, gpus = divmod(layout.cores, per_slot), divmod(layout.gpus, per_slot)
    if cores[1] or gpus[1]:
        return layout
    return replace(layout, slots=layout.slots * per_slot, cores=cores[0], gpus=gpus[0])


def _per_node(job: Job) -> int:
    """The tasks of each node of a job that asks for nodes, where all run as many; else 1."""
    demand = demand_of(job)
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


# From resources to a shape


def shape_of(resources: Sequence[Any], label: object) -> tuple[str, str | None]:
    """The shape that makes Flux ask for resources (RFC 14), and why there is none.

    The slots with the label of the task are called as Flux calls them.
    """
    renamed = _renamed(resources, label)
    tree = from_resources(renamed, LABEL)
    wrong = next((p.message for p in tree.problems if p.severity == "error"), None)
    if wrong is None:
        wrong = next((problem.message for problem in check(tree.value)), None)
    if wrong is None:
        wrong = _unread_in(tree.value)
    return ("", wrong) if wrong is not None else (format_shape(tree.value), None)


def _renamed(resources: Any, label: object) -> list[Any]:
    out = []
    for vertex in resources:
        if isinstance(vertex, Mapping):
            copy = dict(vertex)
            if copy.get("type") == "slot" and copy.get("label") == label:
                copy["label"] = "task"
            if isinstance(copy.get("with"), list | tuple):
                copy["with"] = _renamed(copy["with"], label)
            out.append(copy)
        else:
            out.append(vertex)
    return out


def _unread_in(vertices: tuple[Vertex, ...]) -> str | None:
    """Why Flux does not read the shape of these as the same resources.

    flux-core 0.88 knows no escapes in quotes and no arrays before the last bracket, takes
    constants in any case and a slot in any letters, and a label ``x`` for the key ``exclusive``.
    """
    for vertex in walk(vertices):
        if vertex.type == "slot" and not vertex.children:
            return "a slot holds nothing, which no shape can express"
        word = _unread_word(vertex.type)
        if vertex.label is not None and word is None:
            word = "the label x" if vertex.label == "x" else _unread_word(vertex.label)
        if vertex.keys and word is None:
            words = (_unread_word(item.key) or _unread(item.value) for item in vertex.keys)
            word = next(filter(None, words), None)
        if word is not None:
            return f"Flux does not read {printable(word)[:60]} in a shape as RFC 46 has it"
    return None


def _unread(value: object) -> str | None:
    """What of a value Flux takes otherwise."""
    if isinstance(value, list | tuple):
        return "an array"
    if isinstance(value, Mapping):
        words = (_unread_word(key) or _unread(inner) for key, inner in value.items())
        return next(filter(None, words), None)
    if isinstance(value, str) and value.lower() in _CONSTANTS and value not in _CONSTANTS:
        return f"'{value}'"
    return _unread_word(value)


_CONSTANTS = ("true", "false", "null")


def _unread_word(word: object) -> str | None:
    """A word that needs escapes, which Flux does not know."""
    if not isinstance(word, str) or (word.isalnum() and word != ""):
        return None
    return f"'{word}'" if '"' in word or "\\" in word or not word.isprintable() else None
