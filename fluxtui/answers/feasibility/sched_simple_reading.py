"""How sched-simple reads a jobspec, quirks included (RFC 14, RFC 25, RFC 31, RFC 45).

It walks all levels of any request, takes the last node, slot, core and gpu it meets, and ignores
other types. It deviates from RFC 31 in constraints: an empty ``or`` matches no node, ``not``
considers only its first value and refuses an empty list, the values of ``ranks`` are joined to
one idset, and of several operators in an object one counts. Every refusal has its original
error text, since users see that in job events.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from fluxtui.model.constraint import tree
from fluxtui.model.jobspec.request import ROOT, RequestVertex, ResourceRequest
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation import count as counts
from fluxtui.notation.json_value import shown
from fluxtui.notation.problem import Problem, at
from fluxtui.notation.sets import idset
from fluxtui.notation.sets.bits import less

#: How many levels of resources below the first sched-simple reads.
MAX_DEPTH = 100

_SYSTEM = "attributes.system"


class RefusedError(Exception):
    """A refusal of a request by sched-simple: its own error text, and problems that explain it."""

    def __init__(self, words: str, *problems: Problem) -> None:
        super().__init__(words)
        self.words = words
        self.problems = problems


class TooDeepError(Exception):
    """The constraint is nested more deeply than is supported here."""


@dataclass(frozen=True, slots=True)
class CountRange:
    """How many of something a request asks for."""

    least: int
    most: int | None  # None for no limit
    path: str = ""
    listed: bool = False  # has discrete values, such as an idset or a range with steps
    written: object = None  # as written in the jobspec

    @property
    def ranged(self) -> bool:
        """Whether more than one number is allowed."""
        return self.least != self.most


@dataclass(frozen=True, slots=True)
class Request:
    """The request of a jobspec in numbers; slots are per node if there are nodes.

    cores and gpus are per slot, of a range the smallest number. exclusive means whole nodes;
    exclusive slots without nodes count as nodes with one slot each. domain is the locality name of
    the domain of each slot (RFC 49), perhaps empty, at domain_path; only TreePool reads it.
    """

    nodes: CountRange | None
    slots: CountRange
    cores: CountRange
    gpus: CountRange
    exclusive: bool = False
    domain: str = ""
    domain_path: str = ""

    @property
    def listed(self) -> CountRange | None:
        """The first count with discrete values, which sched-simple does not support."""
        for read_count in (self.nodes, self.slots):
            if read_count is not None and read_count.listed:
                return read_count
        return None


def read(
    jobspec: Mapping[str, Any], resources: ResourceRequest, *, by_tree: bool = False
) -> tuple[Request, object]:
    """Return the request as sched-simple reads it, and the constraint or None.

    by_tree is for its pool TreePool. Raises RefusedError.
    """
    walk = _walk(resources)
    system = _get(jobspec.get("attributes", {}), "system", "attributes")
    # RFC 25 requires attributes.system and its duration, and sched-simple insists.
    is_v1 = jobspec.get("version") == 1
    if is_v1 and (system is None or _get(system, "duration", _SYSTEM) is None):
        missing, path, what = "duration", _SYSTEM, "a duration"
        if system is None:
            missing, path, what = "system", "attributes", "attributes.system, with a duration"
        words = f"getting duration: Object item not found: {missing}"
        message = f"a jobspec of version 1 needs {what}"
        raise _refused(words, message, path, missing, rule="RFC 25")
    request = (_tree_request if by_tree else _request)(walk)
    constraint = _get(system or {}, "constraints", _SYSTEM) or None
    duration = _get(system or {}, "duration", _SYSTEM) or 0.0
    try:
        float(duration)
    except (ValueError, TypeError, OverflowError) as error:
        message = f"duration is a number of seconds; found {shown(duration)}"
        raise _refused(str(error), message, at(_SYSTEM, "duration")) from None
    return request, constraint


def read_plain(resources: ResourceRequest) -> Request | None:
    """Return the request if sched-simple reads all of it as it is meant; else None.

    That is one slot, perhaps in a node, with cores and perhaps gpus, whose counts are numbers.
    """
    vertices = list(resources.roots)
    for kind in ("node", "slot"):
        if len(vertices) != 1 or not _has_only(vertices[0], "exclusive", "with"):
            return None
        if vertices[0].type == kind:
            vertices = vertices[0].children
        elif kind == "slot":
            return None
    if [vertex.type for vertex in vertices] not in (["core"], ["core", "gpu"], ["gpu", "core"]):
        return None
    if not all(_has_only(vertex) and vertex.number for vertex in vertices):
        return None
    try:
        request = _request(_walk(resources))
    except RefusedError:
        return None
    return None if request.listed else request


def _has_only(vertex: RequestVertex, *keys: str) -> bool:
    """Whether a vertex has a type, a legal count, perhaps a label, and no other keys than these."""
    is_legal = vertex.count is not None and isinstance(vertex.fields.get("exclusive", False), bool)
    return is_legal and vertex.fields.keys() <= {"type", "count", "label", *keys}


def _refused(
    words: str, message: str, path: str, *expected: str, rule: str = "RFC 14"
) -> RefusedError:
    return RefusedError(words, Problem(message, None, path, expected, rule))


def _get(value: object, key: str, path: str) -> Any:
    """Return the value of a key; raise RefusedError with Python's text if value is not a dict."""
    if isinstance(value, Mapping):
        return value.get(key)
    words = f"'{type(value).__name__}' object has no attribute 'get'"
    raise _refused(words, f"a dictionary belongs here; found {shown(value)}", path)


@dataclass(slots=True)
class _Walk:
    """What a walk over all vertices has found.

    counts      the last count of each type
    exclusive   whether a node or a slot is exclusive
    domain      type and path of the last other vertex that is exclusive and empty
    factor      the product of the counts above the last node, by which its count was multiplied
    is_in_slot  whether that node is inside a slot
    """

    counts: dict[str, CountRange]
    exclusive: bool = False
    domain: tuple[str, str] = ("", "")
    factor: int = 1
    is_in_slot: bool = False


def _walk(resources: ResourceRequest) -> _Walk:
    if not resources.raw:
        message = "the jobspec asks for no resources"
        raise _refused("jobspec has no resources", message, ROOT, "node", "slot")
    _check_list(resources.raw, ROOT)
    walk = _Walk({"gpu": CountRange(0, 0)})
    factors = [1]  # by depth
    for vertex in resources.walk():
        kind = _get(vertex.raw, "type", vertex.path)
        count = read_count(vertex.fields.get("count", 1), vertex.path_of("count"))
        del factors[vertex.depth + 1 :]
        factor = factors[-1]
        if kind != "node":
            factors.append(factor * count.least)
        else:
            factors.append(factor)
            walk.factor, walk.is_in_slot = factor, "slot" in walk.counts
            if factor != 1:  # True * 1 would be 1, but messages show a count of true as True
                most = None if count.most is None else count.most * factor
                count = replace(count, least=count.least * factor, most=most)
        if isinstance(kind, str):
            walk.counts[kind] = count
        inner = vertex.fields.get("with")
        if vertex.fields.get("exclusive", False):
            if kind in ("node", "slot"):
                walk.exclusive = True
            elif isinstance(kind, str) and kind not in ("core", "gpu") and not inner:
                walk.domain = kind, vertex.path
        if inner:
            path = vertex.path_of("with")
            if vertex.depth == MAX_DEPTH:
                words = f"jobspec resource nesting exceeds maximum depth {MAX_DEPTH}"
                message = f"more than {MAX_DEPTH} levels of resources below the first"
                raise _refused(words, message, path)
            _check_list(inner, path)
    return walk


def _check_list(raw: object, path: str) -> None:
    if isinstance(raw, Mapping | str):  # sched-simple iterates over keys or characters
        _get("", "type", at(path, 0))
    if not isinstance(raw, list | tuple):
        message = f"a list of resources belongs here; found {shown(raw)}"
        raise _refused(f"'{type(raw).__name__}' object is not iterable", message, path, "a list")


def _slots(walk: _Walk, *, sized: bool) -> tuple[CountRange | None, CountRange]:
    """Return the counts of nodes and slots; raise RefusedError without a slot or its size."""
    if "slot" not in walk.counts:
        message = "the request has no slot for a task to run in"
        raise _refused("Unable to determine slot count", message, ROOT, "slot")
    slots = walk.counts["slot"]
    if not sized:
        message = "the request does not say how many cores a slot has"
        where = slots.path.removesuffix(".count")
        raise _refused("Unable to determine slot size", message, where, "core")
    return walk.counts.get("node"), slots


def _request(walk: _Walk) -> Request:
    """Return the request of a walk in numbers."""
    nodes, slots = _slots(walk, sized="core" in walk.counts)
    if walk.exclusive and nodes is None:
        nodes, slots = slots, CountRange(1, 1, slots.path)
    return Request(nodes, slots, walk.counts["core"], walk.counts["gpu"], walk.exclusive)


def _tree_request(walk: _Walk) -> Request:
    """Do the same for TreePool, in which a slot may have a whole domain or a whole node."""
    sized = "core" in walk.counts or any(walk.domain) or walk.exclusive
    nodes, slots = _slots(walk, sized=sized)
    if nodes is not None and walk.is_in_slot and walk.factor > 1:
        # The nodes were multiplied by the slots around them.
        least, rest = divmod(slots.least, walk.factor)
        if not rest:
            most = None if slots.most is None else slots.most // walk.factor
            slots = replace(slots, least=least, most=most, listed=False)
    if walk.exclusive and nodes is None and not any(walk.domain):
        nodes, slots = slots, CountRange(1, 1, slots.path)
    cores = walk.counts.get("core", CountRange(0, 0))
    return Request(nodes, slots, cores, walk.counts["gpu"], walk.exclusive, *walk.domain)


def read_tree_plain(resources: ResourceRequest) -> Request | None:
    """Return the request if TreePool reads all of it as it is meant; else None.

    It accepts what `read_plain` does, and also the node inside the slot, a whole node without
    cores, or a slot with one whole domain instead of cores. A slot gets the smallest number of a
    range of cores or gpus.
    """
    vertices, kinds = list(resources.roots), set[str | None]()
    while len(vertices) == 1 and vertices[0].type in ("node", "slot"):
        (vertex,) = vertices
        if vertex.type in kinds or not _has_only(vertex, "exclusive", "with"):
            return None
        kinds.add(vertex.type)
        vertices = list(vertex.children)
    types = [vertex.type for vertex in vertices]
    if types in (["core"], ["core", "gpu"], ["gpu", "core"]):
        is_read = all(_has_only(vertex, "exclusive") for vertex in vertices)
    elif len(types) == 1:
        (vertex,) = vertices
        is_whole = vertex.fields.get("exclusive") is True and vertex.number == 1
        is_whole = is_whole and vertex.type != "storage"  # which is never allocated
        is_read = is_whole and not vertex.children and _has_only(vertex, "exclusive")
    else:
        is_read = not types
    try:
        request = read_tree(resources) if is_read else None
    except RefusedError:
        return None
    return None if request is None or request.listed else request


def read_tree(resources: ResourceRequest) -> Request:
    """Return the request as TreePool reads it, whatever it ignores; raises RefusedError."""
    return _tree_request(_walk(resources))


def read_count(value: object, path: str) -> CountRange:
    """Return a ``count`` as sched-simple reads it; raises RefusedError."""
    try:
        return replace(_parse_count(value), path=path, written=value)
    except (ValueError, TypeError, OverflowError) as error:
        found = [p for p in counts.from_json(value, path).problems if p.severity == "error"]
        message = "sched-simple cannot read this count"
        problems = found or [Problem(message, None, path, counts.WANTED, "RFC 14")]
        raise RefusedError(str(error), *problems) from None


#: What Flux takes for the first and the last id of an empty set.
_NO_ID = 2**32 - 2


def _parse_count(value: object) -> CountRange:
    """Parse a number, a dictionary (RFC 14), a text (RFC 45) or an idset."""
    if isinstance(value, int):
        if value < 1:
            raise ValueError(f"RFC 14 count: integer count must be >= 1, got {value}")
        return CountRange(value, value)
    if isinstance(value, Mapping):  # its numbers may also be floats and strings
        operator, operand = value.get("operator", "+"), int(value.get("operand", 1))
        least, most = _least(value.get("min", 1)), value.get("max")
        most = None if most is None else _most(most, least)
        return _range("RFC 14", least, most, operator, operand)
    if not isinstance(value, str):
        return CountRange(1, 1)  # anything else counts as 1
    text = value.strip()
    if text.startswith("[") and text.endswith("]"):
        text = text[1:-1]
    bounds, *step = text.split(":")
    if bounds.endswith("+"):
        return _range("RFC 45", _least(bounds[:-1]), None, *_step(step))
    if step:
        low, high = bounds.split("-")
        first, last = int(low), int(high)
        least = _least(first)
        return _range("RFC 45", least, _most(last, least), *_step(step))
    if "," in text:
        ids = joined_ids(text)
        first, last = (ids.first, ids.last) if ids else (_NO_ID, _NO_ID)
        return CountRange(_least(first), last, listed=True)
    if "-" in text:
        low, high = text.split("-", 1)
        least = _least(low)
        return CountRange(least, _most(high, least))
    least = _least(text)
    return CountRange(least, least)


def _step(step: list[str]) -> tuple[str, int]:
    operand = int(step[0]) if step else 1
    return step[1] if len(step) > 1 else "+", operand


def _least(value: Any) -> int:
    least = int(value)
    if least < 1:
        raise ValueError(f"RFC 14 count: min must be >= 1, got {least}")
    return least


def _most(value: Any, least: int) -> int:
    most = int(value)
    if most < least:
        raise ValueError(f"RFC 14 count: max must be >= min, got max={most} min={least}")
    return most


def _range(rule: str, least: int, most: int | None, operator: object, operand: int) -> CountRange:
    """Return a range; one without a maximum must not have steps."""
    if operator == "+" and operand == 1:
        return CountRange(least, most)
    if most is None:
        raise ValueError(
            f"{rule} unbounded count with operator={operator!r} "
            f"operand={operand} cannot be expanded to a finite set"
        )
    if operator not in ("+", "*", "^"):
        raise ValueError(f"RFC 14 count: operator {operator!r} is not supported")
    if operator in ("*", "^") and operand <= 1:
        raise ValueError(f"RFC 14 count: operator {operator!r} requires operand > 1, got {operand}")
    if operator == "^" and least < 2:
        raise ValueError(f"RFC 14 count: operator '^' requires min >= 2, got {least}")
    if operator == "+":
        if operand <= 0:
            raise ValueError(f"RFC 14 count: additive operator requires operand > 0, got {operand}")
        if (most - least) // operand >= 65_536:
            raise ValueError("RFC 14 count: sequence too large to expand")
    return CountRange(least, most, listed=True)


def joined_ids(text: str) -> idset.IdSet:
    """Parse an idset as Flux does, which skips empty entries; raises ValueError with its text."""
    inner = text[1:-1] if text.startswith("[") and text.endswith("]") else text
    parsed = idset.parse(",".join(part for part in inner.split(",") if part))
    if not parsed.ok or "[" in inner or "]" in inner:
        raise ValueError(f"IDset(): Invalid argument: {text}")
    return parsed.value


def allowed_nodes(value: object, resources: Resources) -> int:
    """Return the nodes that satisfy the value of ``attributes.system.constraints``.

    Raises RefusedError if sched-simple reaches a node on which it refuses the constraint, without
    words if they would be Python's, and TooDeepError.
    """
    if not value:
        return resources.everything
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except RecursionError as error:
            raise TooDeepError from error
        except ValueError as error:
            raise RefusedError(str(error)) from None
    judge = _Judge(resources)
    true = judge.judge(value, resources.everything, 1)
    if judge.failures:
        # sched-simple checks the nodes in rank order, and the first that fails decides.
        _, words = min(judge.failures, key=lambda failure: failure[0] & -failure[0])
        raise RefusedError(words)
    return true


class _Judge:
    """Finds the nodes of a mask that satisfy a constraint, and records those on which it fails."""

    def __init__(self, resources: Resources) -> None:
        self.resources = resources
        self.failed = 0
        self.failures: list[tuple[int, str]] = []

    def fail(self, nodes: int, words: str) -> int:
        self.failures.append((nodes, words))
        self.failed |= nodes
        return 0

    def judge(self, value: object, nodes: int, depth: int) -> int:
        if not nodes:
            return 0
        if depth > tree.MAX_DEPTH:
            raise TooDeepError
        if not isinstance(value, Mapping):
            return self.fail(nodes, "")
        order = ("properties", "hostlist", "ranks", "and", "or", "not")
        name = next((name for name in order if name in value), None)
        if name is None:
            return self.fail(nodes, f"unknown constraint operator(s): {list(value)}")
        values = value[name]
        if name == "not":
            if isinstance(values, list) and values:
                return less(nodes, self.judge(values[0], nodes, depth + 1) | self.failed)
            try:
                return self.fail(nodes, f"'not' operand must be a non-empty list, got {values!r}")
            except (RecursionError, ValueError):  # too deep or too long to be formatted
                return self.fail(nodes, "")
        if name in ("and", "or"):
            return self.joined(name, values, nodes, depth)
        if name == "properties":
            return self.properties(values, nodes)
        try:
            return nodes & (self.ranks(values) if name == "ranks" else self.hosts(values))
        except ValueError as error:
            return self.fail(nodes, str(error))

    def joined(self, name: str, values: object, nodes: int, depth: int) -> int:
        """Evaluate ``and`` or ``or`` with short-circuiting."""
        if not isinstance(values, list):
            kind = type(values).__name__
            return self.fail(nodes, f"'{name}' operand must be a list, got {kind}")
        found = 0
        for value in values:
            true = self.judge(value, nodes, depth + 1)
            found |= true
            nodes = true if name == "and" else less(nodes, found | self.failed)
        return nodes if name == "and" else found

    def properties(self, values: object, nodes: int) -> int:
        known = self.resources.properties
        items = _items(values)
        if items is None:
            return self.fail(nodes, f"'{type(values).__name__}' object is not iterable")
        for value in items:
            if not nodes:
                break
            if not isinstance(value, str):
                kind = type(value).__name__
                return self.fail(nodes, f"property constraint must be a string, got {kind}")
            found = known.get(value.removeprefix("^"), 0)
            nodes &= ~found if value.startswith("^") else found
        return nodes

    def hosts(self, values: object) -> int:
        items = _items(values)
        texts = [values] if isinstance(values, str) or items is None else items
        for text in texts:
            if not isinstance(text, str):
                kind = type(text).__name__
                raise ValueError(f"Hostlist(): expected string or Iterable, got <class '{kind}'>")
            if not tree.read({"hostlist": [text]}).ok:
                raise ValueError(f"Invalid hostlist: '{text}'")
        parsed = tree.read({"hostlist": texts}).value
        assert isinstance(parsed, tree.Hostlist)
        return self.resources.mask_of_hosts(parsed.hosts)

    def ranks(self, values: object) -> int:
        """Return the nodes of ranks; Flux sorts the values as they are and joins them by commas."""
        if isinstance(values, int | str):
            return self.resources.mask_of_ranks(joined_ids(str(values)))
        items = _items(values)
        if items is None or len({isinstance(item, str) for item in items}) > 1:
            raise ValueError
        try:
            text = ",".join(str(item) for item in sorted(items))  # type: ignore[type-var]
        except TypeError:
            raise ValueError from None
        return self.resources.mask_of_ranks(joined_ids(text))


def _items(values: object) -> list[object] | None:
    """Return what iterating over a JSON value gives: values, keys or characters; else None."""
    return list(values) if isinstance(values, list | tuple | Mapping | str) else None
