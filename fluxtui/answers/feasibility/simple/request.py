"""What sched-simple makes of a jobspec, its oddities included (RFC 14, RFC 25, RFC 45).

It walks all levels of any request, takes the last node, slot, core and gpu it meets, and ignores
other types. Its own words are given with every refusal, since users meet them in job events.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fluxtui.model.documents.json_value import shown
from fluxtui.model.jobspec.request import ROOT, RequestVertex, ResourceRequest
from fluxtui.notation import count as counts
from fluxtui.notation.problem import Problem, at
from fluxtui.notation.sets import idset

#: Levels of resources below the first that sched-simple reads.
MAX_DEPTH = 100

_SYSTEM = "attributes.system"

# A stepped count may have so many values.
_MAX_VALUES = 65_536


class RefusedError(Exception):
    """sched-simple refuses a request: in its own words, and why by our reading."""

    def __init__(self, words: str, *problems: Problem) -> None:
        super().__init__(words)
        self.words = words
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Asked:
    """How many of something a request asks for.

    most is None where there is no limit. listed is set for a count with single legal values, such
    as an idset or a range with steps. path is that of the count in the jobspec, written the count
    as the jobspec has it.
    """

    least: int
    most: int | None
    path: str = ""
    listed: bool = False
    written: object = None

    @property
    def ranged(self) -> bool:
        """More than one number will do."""
        return self.least != self.most

    def times(self, factor: int) -> "Asked":
        """The same with every number multiplied."""
        if factor == 1:  # also since true is a number here, and called by its name
            return self
        most = None if self.most is None else self.most * factor
        return replace(self, least=self.least * factor, most=most)


@dataclass(frozen=True, slots=True)
class Request:
    """The request of a jobspec in numbers.

    nodes       how many nodes; None where slots alone are asked for
    slots       how many slots, on each node where there are nodes, else in all
    cores       cores of a slot
    gpus        gpus of a slot
    exclusive   whole nodes; exclusive slots alone count as nodes with one slot each
    cores_path  the path of the count of cores in the jobspec
    gpus_path   that of the count of gpus; empty where there is none
    """

    nodes: Asked | None
    slots: Asked
    cores: int
    gpus: int = 0
    exclusive: bool = False
    cores_path: str = ""
    gpus_path: str = ""

    @property
    def listed(self) -> Asked | None:
        """The first count with single legal values, none of which sched-simple supports."""
        for asked in (self.nodes, self.slots):
            if asked is not None and asked.listed:
                return asked
        return None


def read(jobspec: Mapping[str, Any], resources: ResourceRequest) -> tuple[Request, object]:
    """The request as sched-simple reads it, and the constraint; None where it gives none.

    resources are those of the jobspec. Whether the counts can be met, and whether it supports
    counts with single legal values, is not looked at. Raises RefusedError with the words of
    sched-simple and with our problems.
    """
    walk = _walked(resources)
    system = _get(jobspec.get("attributes", {}), "system", "attributes")
    if jobspec.get("version") == 1:
        _check_v1(system)
    request = walk.request()
    constraint = _get(system or {}, "constraints", _SYSTEM) or None
    _check_duration(_get(system or {}, "duration", _SYSTEM) or 0.0)
    return request, constraint


def read_plain(resources: ResourceRequest) -> Request | None:
    """The request if sched-simple reads all of it as it is meant; else None.

    That is one node with one slot, or one slot, and in the slot cores and perhaps gpus; nodes and
    slots in one number or a plain range, cores and gpus in one number (RFC 25 with the counts of
    RFC 14).
    """
    vertices = resources.roots
    for kind in ("node", "slot"):
        if len(vertices) != 1 or not _has_only(vertices[0], "exclusive", "with"):
            return None
        if vertices[0].type == kind:
            vertices = tuple(vertices[0].children)
        elif kind == "slot":
            return None
    types = [vertex.type for vertex in vertices]
    if types not in (["core"], ["core", "gpu"], ["gpu", "core"]):
        return None
    if not all(_has_only(vertex) and vertex.number for vertex in vertices):
        return None
    try:
        request = _walked(resources).request()
    except RefusedError:
        return None
    return None if request.listed else request


def _has_only(vertex: RequestVertex, *keys: str) -> bool:
    """The vertex has a type, a legal count, perhaps a label, and of other keys only these."""
    exclusive = isinstance(vertex.fields.get("exclusive", False), bool)
    is_legal = vertex.count is not None and exclusive
    return is_legal and vertex.fields.keys() <= {"type", "count", "label", *keys}


def _walked(resources: ResourceRequest) -> "_Walk":
    if not resources.raw:
        message = "the jobspec asks for no resources"
        raise RefusedError("jobspec has no resources", _problem(message, ROOT, "node", "slot"))
    walk = _Walk()
    walk.level(resources.raw, resources.roots, ROOT, 1)
    return walk


def _get(value: object, key: str, path: str) -> Any:
    """The value of a key; RefusedError in Python's words if it is not a dictionary."""
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
    if _get(system, "duration", _SYSTEM) is None:
        message = "a jobspec of version 1 needs a duration"
        words = "getting duration: Object item not found: duration"
        raise RefusedError(words, _problem(message, _SYSTEM, "duration", rule="RFC 25"))


def _check_duration(value: Any) -> None:
    try:
        float(value)
    except (ValueError, TypeError, OverflowError) as error:
        message = f"duration is a number of seconds; found {shown(value)}"
        raise RefusedError(str(error), _problem(message, at(_SYSTEM, "duration"))) from None


class _Walk:
    """What has been met on the way through all vertices; the last of each type stays."""

    def __init__(self) -> None:
        self.nodes: Asked | None = None
        self.slots: Asked | None = None
        self.cores: Asked | None = None
        self.gpus = Asked(0, 0)
        self.exclusive = False

    def level(self, raw: object, vertices: Sequence[RequestVertex], path: str, factor: int) -> None:
        """The vertices of a list, parents before their children; raw is that list, if it is one.

        factor is the product of the counts above that are not those of nodes.
        """
        if isinstance(raw, Mapping | str):  # sched-simple goes through keys or characters
            _get("", "type", at(path, 0))
        if not isinstance(raw, list | tuple):
            words = f"'{type(raw).__name__}' object is not iterable"
            message = f"a list of resources belongs here; found {shown(raw)}"
            raise RefusedError(words, _problem(message, path, "a list"))
        for vertex in vertices:
            self.vertex(vertex, factor)

    def vertex(self, vertex: RequestVertex, factor: int) -> None:
        kind = _get(vertex.raw, "type", vertex.path)
        count = asked(vertex.fields.get("count", 1), vertex.path_of("count"))
        if kind == "node":
            self.nodes = count.times(factor)
        else:
            factor *= count.least
        if kind == "slot":
            self.slots = count
        elif kind == "core":
            self.cores = count
        elif kind == "gpu":
            self.gpus = count
        if kind in ("node", "slot") and vertex.fields.get("exclusive", False):
            self.exclusive = True
        if raw := vertex.fields.get("with"):
            path = vertex.path_of("with")
            if vertex.depth == MAX_DEPTH:
                words = f"jobspec resource nesting exceeds maximum depth {MAX_DEPTH}"
                message = f"more than {MAX_DEPTH} levels of resources below the first"
                raise RefusedError(words, _problem(message, path))
            self.level(raw, vertex.children, path, factor)

    def request(self) -> Request:
        """What was met, in numbers; RefusedError without a slot, or without a count of cores."""
        if self.slots is None:
            message = "the request has no slot, in which a task could run"
            words = "Unable to determine slot count"
            raise RefusedError(words, _problem(message, ROOT, "slot"))
        if self.cores is None:
            message = "the request does not say how many cores a slot has"
            words = "Unable to determine slot size"
            where = self.slots.path.removesuffix(".count")
            raise RefusedError(words, _problem(message, where, "core"))
        nodes, slots, cores, gpus = self.nodes, self.slots, self.cores, self.gpus
        if self.exclusive and nodes is None:
            nodes, slots = slots, Asked(1, 1, slots.path)
        return Request(nodes, slots, cores.least, gpus.least, self.exclusive, cores.path, gpus.path)


def asked(value: object, path: str) -> Asked:
    """A ``count`` as sched-simple reads it; what is not a number, text or dictionary counts as 1.

    Raises RefusedError with its words where it refuses.
    """
    try:
        return replace(_read_count(value), path=path, written=value)
    except (ValueError, TypeError, OverflowError) as error:
        found = [p for p in counts.from_json(value, path).problems if p.severity == "error"]
        message = "sched-simple cannot read this count"
        problems = found or [Problem(message, None, path, counts.WANTED, "RFC 14")]
        raise RefusedError(str(error), *problems) from None


def _read_count(value: object) -> Asked:
    if isinstance(value, int):
        if value < 1:
            raise ValueError(f"RFC 14 count: integer count must be >= 1, got {value}")
        return Asked(value, value)
    if isinstance(value, Mapping):
        return _from_mapping(value)
    if isinstance(value, str):
        return _from_text(value.strip())
    return Asked(1, 1)


def _from_mapping(value: Mapping[str, object]) -> Asked:
    """RFC 14's dictionary; its numbers are taken from floats and texts as well."""
    operator = value.get("operator", "+")
    operand = int(value.get("operand", 1))  # type: ignore[call-overload]
    least = _least(value.get("min", 1))
    most = value.get("max")
    if most is None:
        return _open("RFC 14", least, operator, operand)
    return _stepped(least, _most(most, least), operator, operand)


def _from_text(text: str) -> Asked:
    """RFC 45's text, or an idset."""
    if text.startswith("[") and text.endswith("]"):
        text = text[1:-1]
    bounds, *step = text.split(":")
    if bounds.endswith("+"):
        least = _least(bounds[:-1])
        operand, operator = _step(step)
        return _open("RFC 45", least, operator, operand)
    if step:
        low, high = bounds.split("-")
        first, last = int(low), int(high)
        least = _least(first)
        most = _most(last, least)
        operand, operator = _step(step)
        return _stepped(least, most, operator, operand)
    if "," in text:
        ids = joined_ids(text)
        return Asked(_least(ids.first), ids.last, listed=True)
    if "-" in text:
        low, high = text.split("-", 1)
        least = _least(low)
        return Asked(least, _most(high, least))
    least = _least(text)
    return Asked(least, least)


def _step(step: list[str]) -> tuple[int, str]:
    return int(step[0]) if step else 1, step[1] if len(step) > 1 else "+"


def _least(value: object) -> int:
    least = int(value)  # type: ignore[call-overload]
    if least < 1:
        raise ValueError(f"RFC 14 count: min must be >= 1, got {least}")
    return int(least)


def _most(value: object, least: int) -> int:
    most = int(value)  # type: ignore[call-overload]
    if most < least:
        raise ValueError(f"RFC 14 count: max must be >= min, got max={most} min={least}")
    return int(most)


def _open(rule: str, least: int, operator: object, operand: int) -> Asked:
    """A range without end; it may have no steps."""
    if operator != "+" or operand != 1:
        raise ValueError(
            f"{rule} unbounded count with operator={operator!r} "
            f"operand={operand} cannot be expanded to a finite set"
        )
    return Asked(least, None)


def _stepped(least: int, most: int, operator: object, operand: int) -> Asked:
    """A range with an end, and the last of its values where it has steps."""
    if operator == "+" and operand == 1:
        return Asked(least, most)
    if operator not in ("+", "*", "^"):
        raise ValueError(f"RFC 14 count: operator {operator!r} is not supported")
    if operator in ("*", "^") and operand <= 1:
        raise ValueError(f"RFC 14 count: operator {operator!r} requires operand > 1, got {operand}")
    if operator == "^" and least < 2:
        raise ValueError(f"RFC 14 count: operator '^' requires min >= 2, got {least}")
    if operator == "+":
        if operand <= 0:
            raise ValueError(f"RFC 14 count: additive operator requires operand > 0, got {operand}")
        if (most - least) // operand >= _MAX_VALUES:
            raise ValueError("RFC 14 count: sequence too large to expand")
    return Asked(least, most, listed=True)


def joined_ids(text: str) -> idset.IdSet:
    """An idset as Flux reads it, which skips commas with nothing between them (RFC 22).

    Raises ValueError with Flux's words.
    """
    inner = text[1:-1] if text.startswith("[") and text.endswith("]") else text
    parsed = idset.parse(",".join(part for part in inner.split(",") if part))
    if not parsed.ok or "[" in inner or "]" in inner:
        raise ValueError(f"IDset(): Invalid argument: {text}")
    return parsed.value


def _problem(message: str, path: str, *expected: str, rule: str = "RFC 14") -> Problem:
    return Problem(message, None, path, expected, rule)
