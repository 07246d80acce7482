"""What sched-simple makes of a jobspec: nodes, slots, and what a slot holds.

It walks all levels of any request (RFC 14), takes the last node, slot, core and gpu it meets, and
passes over other types.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fluxtui.answers.feasibility.simple.count import Asked, RefusedError, asked
from fluxtui.model.documents.json_value import shown
from fluxtui.model.jobspec.resources import is_whole
from fluxtui.notation import count as counts
from fluxtui.notation.problem import Parsed, Problem, at

#: Levels of resources below the first that sched-simple reads.
MAX_DEPTH = 100

SYSTEM = "attributes.system"


@dataclass(frozen=True, slots=True)
class Request:
    """The request of a jobspec in numbers.

    nodes       how many nodes; None where slots alone are asked for
    slots       how many slots, on each node where there are nodes, else in all
    cores       cores of a slot
    gpus        gpus of a slot
    exclusive   whole nodes; exclusive slots alone count as nodes with one slot each
    factor      what the levels above the node multiply its count by, which nodes includes
    cores_path  where the count of cores stands in the jobspec
    gpus_path   where that of gpus stands; empty where there is none
    constraint  the value of ``attributes.system.constraints``; None where it says nothing
    duration    seconds; 0 is unlimited
    """

    nodes: Asked | None
    slots: Asked
    cores: int
    gpus: int = 0
    exclusive: bool = False
    factor: int = 1
    cores_path: str = ""
    gpus_path: str = ""
    constraint: Any = None
    duration: float = 0.0


def read(jobspec: Mapping[str, Any]) -> Parsed[Request | None]:
    """The request as sched-simple reads it; None with problems, its words in them, where it fails.

    Whether the counts can be met, and whether it takes counts with single legal values, is no
    matter of reading.
    """
    try:
        return Parsed(from_jobspec(jobspec))
    except RefusedError as refused:
        said = f"; sched-simple says: {refused.words}" if refused.words else ""
        problems = (p._replace(message=p.message + said) for p in refused.problems)
        return Parsed(None, tuple(problems))


def from_jobspec(jobspec: Mapping[str, Any]) -> Request:
    """As `read`, but raises RefusedError with the words of sched-simple and our problems apart."""
    walk = _walked(jobspec.get("resources", []))
    system = _get(jobspec.get("attributes", {}), "system", "attributes")
    if jobspec.get("version") == 1:
        _check_v1(system)
    nodes, slots, cores = walk.complete()
    if walk.exclusive and nodes is None:
        nodes, slots = slots, Asked(1, 1, slots.path)
    return Request(
        nodes,
        slots,
        cores.least,
        walk.gpus.least,
        walk.exclusive,
        walk.factor,
        cores.path,
        walk.gpus.path,
        _get(system or {}, "constraints", SYSTEM) or None,
        _duration(_get(system or {}, "duration", SYSTEM) or 0.0),
    )


def plain(jobspec: Mapping[str, Any]) -> Request | None:
    """The request where sched-simple reads all of it and nothing but it; else None.

    That is one node with one slot, or one slot, and in the slot cores and perhaps gpus; nodes and
    slots in one number or a plain range, cores and gpus in one number (RFC 25 with the counts of
    RFC 14). Attributes are not looked at.
    """
    resources = jobspec.get("resources")
    if not _is_plain(resources):
        return None
    try:
        walk = _walked(resources)
        nodes, slots, cores = walk.complete()
    except RefusedError:
        return None
    if slots.listed or (nodes is not None and nodes.listed):
        return None
    if walk.exclusive and nodes is None:
        nodes, slots = slots, Asked(1, 1, slots.path)
    gpus = walk.gpus
    return Request(nodes, slots, cores.least, gpus.least, walk.exclusive, 1, cores.path, gpus.path)


def _is_plain(resources: object) -> bool:
    vertex = _only(resources)
    if vertex is not None and vertex.get("type") == "node":
        if not _keys(vertex, "exclusive", "with"):
            return False
        vertex = _only(vertex.get("with"))
    if vertex is None or vertex.get("type") != "slot" or not _keys(vertex, "exclusive", "with"):
        return False
    children = vertex.get("with")
    if not isinstance(children, list | tuple):
        return False
    types = [child.get("type") for child in children if isinstance(child, Mapping)]
    return (
        len(types) == len(children)
        and types in (["core"], ["core", "gpu"], ["gpu", "core"])
        and all(_keys(child) and is_whole(child.get("count")) for child in children)
    )


def _only(vertices: object) -> Mapping[str, Any] | None:
    """The one vertex of a list, where it has just one."""
    single = isinstance(vertices, list | tuple) and len(vertices) == 1
    return vertices[0] if single and isinstance(vertices[0], Mapping) else None  # type: ignore[index]


def _keys(vertex: Mapping[str, Any], *more: str) -> bool:
    """The vertex has a type, a legal count, perhaps a label, and of other keys only these."""
    legal = counts.from_json(vertex.get("count")).ok
    exclusive = isinstance(vertex.get("exclusive", False), bool)
    return legal and exclusive and vertex.keys() <= {"type", "count", "label", *more}


def _walked(resources: object) -> "_Walk":
    if not resources:
        message = "the jobspec asks for no resources"
        raise RefusedError(
            "jobspec has no resources", _problem(message, "resources", "node", "slot")
        )
    walk = _Walk()
    walk.level(resources, "resources", 1, 0)
    return walk


def _problem(message: str, path: str, *expected: str, rule: str = "RFC 14") -> Problem:
    return Problem(message, None, path, expected, rule)


def _get(value: object, key: str, path: str) -> Any:
    """The value of a key; RefusedError as Python does where it is no dictionary."""
    if isinstance(value, Mapping):
        return value.get(key)
    words = f"'{type(value).__name__}' object has no attribute 'get'"
    raise RefusedError(words, _problem(f"a dictionary belongs here; found {shown(value)}", path))


def _check_v1(system: Any) -> None:
    """RFC 25: attributes.system and its duration are required, and sched-simple insists."""
    if system is None:
        message = "a jobspec of version 1 needs attributes.system, with a duration"
        words = "getting duration: Object item not found: system"
        raise RefusedError(words, _problem(message, "attributes", "system", rule="RFC 25"))
    if _get(system, "duration", SYSTEM) is None:
        message = "a jobspec of version 1 needs a duration"
        words = "getting duration: Object item not found: duration"
        raise RefusedError(words, _problem(message, SYSTEM, "duration", rule="RFC 25"))


def _duration(value: Any) -> float:
    try:
        return float(value)
    except (ValueError, TypeError, OverflowError) as error:
        message = f"duration is a number of seconds; found {shown(value)}"
        raise RefusedError(str(error), _problem(message, at(SYSTEM, "duration"))) from None


class _Walk:
    """What has been met on the way through all vertices; the last of each type stays."""

    def __init__(self) -> None:
        self.nodes: Asked | None = None
        self.slots: Asked | None = None
        self.cores: Asked | None = None
        self.gpus = Asked(0, 0)
        self.exclusive = False
        self.factor = 1

    def level(self, vertices: object, path: str, factor: int, depth: int) -> None:
        """A list of vertices, parents before their children."""
        if depth > MAX_DEPTH:
            words = f"jobspec resource nesting exceeds maximum depth {MAX_DEPTH}"
            message = f"more than {MAX_DEPTH} levels of resources below the first"
            raise RefusedError(words, _problem(message, path))
        if not isinstance(vertices, list | tuple | Mapping | str):
            words = f"'{type(vertices).__name__}' object is not iterable"
            message = f"a list of resources belongs here; found {shown(vertices)}"
            raise RefusedError(words, _problem(message, path, "a list"))
        for number, vertex in enumerate(vertices):
            self.vertex(vertex, at(path, number), factor, depth)

    def vertex(self, vertex: Any, path: str, factor: int, depth: int) -> None:
        """One vertex; factor is the product of the counts above it that are no nodes'."""
        kind = _get(vertex, "type", path)
        count = asked(vertex.get("count", 1), at(path, "count"))
        if kind == "node":
            self.nodes, self.factor = count.times(factor), factor
        else:
            factor *= count.least
        if kind == "slot":
            self.slots = count
        elif kind == "core":
            self.cores = count
        elif kind == "gpu":
            self.gpus = count
        if kind in ("node", "slot") and vertex.get("exclusive", False):
            self.exclusive = True
        if children := vertex.get("with", []):
            self.level(children, at(path, "with"), factor, depth + 1)

    def complete(self) -> tuple[Asked | None, Asked, Asked]:
        """Nodes, slots and cores; RefusedError where there is no slot or no word of cores."""
        if self.slots is None:
            message = "the request has no slot, in which a task could run"
            words = "Unable to determine slot count"
            raise RefusedError(words, _problem(message, "resources", "slot"))
        if self.cores is None:
            message = "the request does not say how many cores a slot has"
            words = "Unable to determine slot size"
            where = self.slots.path.removesuffix(".count")
            raise RefusedError(words, _problem(message, where, "core"))
        return self.nodes, self.slots, self.cores
