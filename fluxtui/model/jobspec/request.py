"""The ``resources`` of a jobspec as a tree, with their problems by RFC 14 and a summary in words.

Malformed parts stay in the tree with their raw value, and the problems say what is wrong with
them. Everything that examines a request walks this tree.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from fluxtui.model.documents.report import Report
from fluxtui.notation import count as counts
from fluxtui.notation.count import Count
from fluxtui.notation.json_value import is_whole, shown
from fluxtui.notation.problem import Parsed, Problem, at

CANONICAL = "RFC 14"

ROOT = "resources"

#: How many levels of resources a jobspec may have; no machine needs more.
MAX_DEPTH = 200

#: The keys of a resource (RFC 14).
VERTEX_KEYS = ("type", "count", "unit", "exclusive", "with", "label", "id")

#: How many levels of resources are parsed; flux-core's validator fails on deeper ones.
MAX_LEVELS = 490

#: How many problems of a jobspec are kept for each rule; further ones are only counted.
MAX_PROBLEMS = 1000

#: The largest integer that flux-core's JSON reader can hold.
MAX_INTEGER = 2**63 - 1

# At most this many top-level resources are listed; nobody reads more.
_LISTED = 20

_NO_COUNT = Parsed[Count | None](None)

_REGULAR = ("node", "slot", "core", "gpu", "socket", "rack", "cluster", "pu", "ssd")
_PLURALS = {kind: f"{kind}s" for kind in _REGULAR}
_PLURALS |= {"switch": "switches", "numa": "numa domains"}


# Not frozen: every keystroke rebuilds all vertices, and frozen ones take five times as long.
@dataclass(slots=True, eq=False)
class RequestVertex:
    """One entry of a resources list; vertices compare by identity.

    raw is the value in the document, and fields are its keys and values, empty if it is not a
    dictionary. type, count and label are None if missing or refused by RFC 14. index is the
    position among the parent's children, depth the number of ancestors; `parse` adds the children.
    """

    raw: Any
    fields: Mapping[str, Any]
    type: str | None
    count: Count | None
    label: str | None
    parent: "RequestVertex | None"
    index: int
    depth: int
    children: "list[RequestVertex]" = field(default_factory=list)
    _path: str = field(default="", init=False, repr=False)  # once it was asked for

    @property
    def is_readable(self) -> bool:
        """Whether the entry is a dictionary."""
        return self.fields is self.raw

    @property
    def is_slot(self) -> bool:
        """Whether it is a slot, a place for tasks rather than a resource."""
        return self.type == "slot"

    @property
    def exclusive(self) -> bool | None:
        """The value of ``exclusive``; None if it is missing or not a boolean."""
        value = self.fields.get("exclusive")
        return value if isinstance(value, bool) else None

    @property
    def number(self) -> int | None:
        """The count, if it is written as a single integer of 1 or more, as V1 requires."""
        count = self.count
        is_integer = isinstance(count, int) and isinstance(self.fields["count"], int)
        return count if is_integer else None  # type: ignore[return-value]

    @property
    def total(self) -> int | None:
        """The product of its number and those of all ancestors; None if any of them has none."""
        product = 1
        for vertex in (*self.above, self):
            if vertex.number is None:
                return None
            product *= vertex.number
        return product

    @property
    def path(self) -> str:
        """Its path in the jobspec, such as ``resources[0].with[1]``."""
        unnamed, vertex = list[RequestVertex](), self
        while not vertex._path and (parent := vertex.parent) is not None:
            unnamed.append(vertex)
            vertex = parent
        path = vertex._path or f"{ROOT}[{vertex.index}]"
        vertex._path = path
        for vertex in reversed(unnamed):
            vertex._path = path = f"{path}.with[{vertex.index}]"
        return path

    def path_of(self, key: str) -> str:
        """The path of one of its keys, such as ``resources[0].count``."""
        return at(self.path, key)

    @property
    def above(self) -> "tuple[RequestVertex, ...]":
        """Its ancestors, from the top down."""
        ancestors = []
        vertex = self.parent
        while vertex is not None:
            ancestors.append(vertex)
            vertex = vertex.parent
        return tuple(reversed(ancestors))

    def walk(self) -> "Iterator[RequestVertex]":
        """Yield this vertex and all its descendants, parents first, in document order."""
        return _walk([self])

    def below(self) -> "Iterator[RequestVertex]":
        """Yield all its descendants, parents first, in document order."""
        return _walk(self.children)


def _walk(vertices: Sequence[RequestVertex]) -> Iterator[RequestVertex]:
    stack = list(reversed(vertices))
    while stack:
        vertex = stack.pop()
        yield vertex
        if vertex.children:
            stack.extend(reversed(vertex.children))


@dataclass(frozen=True, slots=True)
class ResourceRequest:
    """A resources list as a tree; requests are equal if their raw values are.

    raw is the value under ``resources``, which need not be a list. problems are those by RFC 14,
    including warnings. If several slots have the same label, by_label has the first.
    """

    raw: Any = None
    roots: tuple[RequestVertex, ...] = field(default=(), compare=False, repr=False)
    problems: tuple[Problem, ...] = field(default=(), compare=False)
    by_label: Mapping[str, RequestVertex] = field(default_factory=dict, compare=False, repr=False)

    @property
    def is_list(self) -> bool:
        """Whether the raw value is a list."""
        return isinstance(self.raw, list | tuple)

    @property
    def labels(self) -> list[str]:
        """The labels of the slots, in document order."""
        return [slot.label for slot in self.slots() if slot.label is not None]

    def walk(self) -> Iterator[RequestVertex]:
        """Yield all vertices, parents first, in document order."""
        return _walk(self.roots)

    def slots(self) -> Iterator[RequestVertex]:
        """Yield the slots, with or without a label, in document order."""
        return (vertex for vertex in _walk(self.roots) if vertex.type == "slot")

    def slot(self, label: object) -> RequestVertex | None:
        """Return the slot with this label, or None."""
        return self.by_label.get(label) if isinstance(label, str) else None

    def refusals(self) -> tuple[Problem, ...]:
        """Return why RFC 14 refuses it in a jobspec, which needs a slot for its tasks."""
        errors = tuple(problem for problem in self.problems if problem.severity == "error")
        if errors or self.by_label:
            return errors
        message = "the resources hold no slot, so no task can run"
        return (Problem(message, None, ROOT, ("slot",), CANONICAL, code="slot-missing"),)


def parse(resources: object) -> ResourceRequest:
    """Read the ``resources`` of a jobspec, of whatever type (RFC 14). Never raises."""
    report = Report(CANONICAL, MAX_PROBLEMS)
    if not report.is_list(resources, "resources", ROOT, "resources-not-list"):
        return ResourceRequest(resources, (), report.problems)
    if not resources:
        message = "resources holds at least one resource; it is empty"
        report.error(message, ROOT, "a resource", code="resources-empty")
    roots: list[RequestVertex] = []
    labels: dict[str, RequestVertex] = {}
    by_label: dict[str, RequestVertex] = {}
    stack: list[tuple[Any, RequestVertex | None, int]] = [
        (resources[i], None, i) for i in range(len(resources) - 1, -1, -1)
    ]
    while stack:
        raw, parent, index = stack.pop()
        siblings, depth = (roots, 0) if parent is None else (parent.children, parent.depth + 1)
        if type(raw) is not dict and not isinstance(raw, Mapping):
            vertex = RequestVertex(raw, {}, None, None, None, parent, index, depth)
            siblings.append(vertex)
            if depth <= MAX_DEPTH:
                report.is_dictionary(raw, "a resource", vertex.path, "resource-not-dictionary")
            continue
        kind, label, inner = raw.get("type"), raw.get("label"), raw.get("with")
        label = label if isinstance(label, str) else None
        kind = kind if isinstance(kind, str) else None
        read = counts.from_json(raw["count"]) if "count" in raw else _NO_COUNT
        count = read.value if read.ok else None
        vertex = RequestVertex(raw, raw, kind, count, label, parent, index, depth)
        if depth <= MAX_DEPTH:
            _check(report, vertex, read.problems)
        siblings.append(vertex)
        if label is not None:
            if kind == "slot":
                by_label.setdefault(label, vertex)
            taken = labels.setdefault(label, vertex)
            if taken is not vertex:
                message = f"the label '{label}' is taken by {taken.path}"
                report.error(message, vertex.path_of("label"), "another label", code="label-taken")
        if depth == MAX_DEPTH and inner:
            message = f"more than {MAX_DEPTH} levels of resources"
            report.error(message, vertex.path_of("with"), code="resources-too-deep")
        if isinstance(inner, list | tuple) and depth + 1 < MAX_LEVELS:
            stack.extend([(inner[i], vertex, i) for i in range(len(inner) - 1, -1, -1)])
    return ResourceRequest(resources, tuple(roots), report.problems, by_label)


def _check(report: Report, vertex: RequestVertex, count: Sequence[Problem]) -> None:
    """Check the keys of one vertex (RFC 14, Resources); count has the problems of its count."""
    fields = vertex.fields
    if "type" not in fields:
        report.error("a resource needs a type", vertex.path, "type", code="type-missing")
    elif vertex.type is None:
        report.is_string(fields["type"], "a type", vertex.path_of("type"), "type-not-string")
    if "count" not in fields:
        kind = vertex.type or "resource"
        message = f"{'an' if kind[:1] in 'aeiou' else 'a'} {kind} needs a count"
        report.error(message, vertex.path, "count", code="count-missing")
    else:
        for problem in count:
            where = f"{vertex.path}.{problem.path}"
            report.add(replace(problem, path=where, code=problem.code or "count-invalid"))
    for key in ("unit", "label", "id"):
        if key in fields:
            report.is_string(fields[key], key, vertex.path_of(key), f"{key}-not-string")
    if "exclusive" in fields and vertex.exclusive is None:
        what, where = "exclusive is true or false", vertex.path_of("exclusive")
        code = "exclusive-not-boolean"
        report.wrong(what, fields["exclusive"], where, "true", "false", code=code)
    if vertex.is_slot and "label" not in fields:
        report.error("a slot needs a label", vertex.path, "label", code="slot-label-missing")
    inner = fields.get("with")
    if "with" not in fields:
        if vertex.is_slot:
            message = "a slot needs a with: the resources in it"
            report.error(message, vertex.path, "with", code="slot-empty")
    elif not isinstance(inner, list | tuple):
        where, code = vertex.path_of("with"), "with-not-list"
        report.wrong("with is a list of resources", inner, where, "a list", code=code)
    elif not inner:
        message = "with holds at least one resource; it is empty"
        report.error(message, vertex.path_of("with"), "a resource", code="with-empty")
    for key, hint in report.unknown(fields, VERTEX_KEYS):
        message = f"a resource has no key '{key}'{hint}"
        report.error(message, vertex.path, *VERTEX_KEYS, code="resource-key-unknown")


# In words


def summary(resources: Sequence[Mapping[str, Any]]) -> str:
    """Return ``4 nodes, each with 1 slot of 8 cores: 32 cores in all``; totals if all are fixed.

    A type in an exclusive vertex has no total, since the job gets all there is: ``1 whole node``.
    """
    if not resources:
        return ""
    text = " and ".join(_in_words(vertex) for vertex in resources[:_LISTED])
    if len(resources) > _LISTED:
        text += f" and {len(resources) - _LISTED:,} more"
    totals: dict[str, int] = {}
    listed = {"slot", *(str(vertex["type"]) for vertex in resources)}
    whole = None  # the path of the exclusive vertex that the next ones are in
    for vertex in parse(resources).walk():
        total, kind = vertex.total, str(vertex.type)
        if whole is not None and vertex.path.startswith(f"{whole}."):
            listed.add(kind)
            continue
        whole = vertex.path if vertex.exclusive and kind != "slot" else None
        if total is None or "unit" in vertex.fields:  # a range or an amount
            return text
        totals[kind] = totals.get(kind, 0) + total
    parts = [f"{n:,} {noun(kind, n)}" for kind, n in totals.items() if kind not in listed]
    return f"{text}: {', '.join(parts)} in all" if parts else text


def _in_words(vertex: Mapping[str, Any]) -> str:
    kind, unit = str(vertex["type"]), vertex.get("unit")
    whole = "whole " if vertex.get("exclusive") is True and kind != "slot" else ""
    parsed = counts.from_json(vertex["count"]).value
    if isinstance(unit, str) and unit:
        of = f"{unit} of {kind}"
    else:
        of = f"{whole}{kind if parsed == 1 else noun(kind, 2)}"
    text = counts.describe(parsed, of) if parsed is not None else f"{vertex['count']} {of}"
    children = vertex.get("with") or ()
    if not children:
        return text
    inner = " and ".join(_in_words(child) for child in children)
    if kind == "slot":  # which may have steps behind it
        return f"{text} of {inner}" if text.endswith(of) else f"{text}, each of {inner}"
    return f"{text} with {inner}" if parsed == 1 else f"{text}, each with {inner}"


def noun(kind: str, n: int) -> str:
    """Return a resource type in singular or plural: ``core``, ``cores``; unknown types as is."""
    return kind if n == 1 else _PLURALS.get(kind, kind)


def count_words(count: object) -> str:
    """Describe a raw ``count`` in words, such as ``2 or more``; an invalid one as is or by type."""
    if is_whole(count):
        return str(count)
    read = counts.from_json(count)
    if read.value is not None and read.ok:
        return counts.describe(read.value)
    return f"'{count}'" if isinstance(count, str) else shown(count)
