"""The ``resources`` of a jobspec as a tree, their problems by RFC 14, and what they are in words.

What is malformed stays in the tree with its raw value, and the problems say what is wrong with it.
Everything that asks about a request walks this tree.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from fluxtui.model.documents.report import Report
from fluxtui.notation import count as counts
from fluxtui.notation.count import Count
from fluxtui.notation.json_value import is_whole, shown
from fluxtui.notation.problem import Problem, at

CANONICAL = "RFC 14"

ROOT = "resources"

#: Levels of resources that a jobspec may have; a deeper tree describes no machine.
MAX_DEPTH = 200

#: The keys of a resource (RFC 14).
VERTEX_KEYS = ("type", "count", "unit", "exclusive", "with", "label", "id")

#: Levels of resources that are parsed; flux-core's validator fails below them.
MAX_LEVELS = 490

#: Problems of a jobspec by one rule that are kept; further ones are counted.
MAX_PROBLEMS = 1000

#: The largest whole number that flux-core's JSON reader can hold.
MAX_INTEGER = 2**63 - 1

# So many resources at the top are listed one by one; nobody reads on.
_TOLD = 20

_REGULAR = ("node", "slot", "core", "gpu", "socket", "rack", "cluster", "pu", "ssd")
_PLURALS = {kind: f"{kind}s" for kind in _REGULAR}
_PLURALS |= {"switch": "switches", "numa": "numa domains"}


# Not frozen: one is made for each vertex with every key, and a frozen one takes five times as long.
@dataclass(slots=True, eq=False)
class RequestVertex:
    """One entry of a list of resources; two of them are equal only if they are one object.

    raw is the value in the document, and fields are its keys and values, none where it is not a
    dictionary. The type, count and label are None where RFC 14 refuses them. index is the number
    among the children of the parent, depth that of the vertices above; `parse` adds the children.
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

    @property
    def is_readable(self) -> bool:
        """It is a dictionary."""
        return self.fields is self.raw

    @property
    def is_slot(self) -> bool:
        """A place for tasks, rather than a resource."""
        return self.type == "slot"

    @property
    def exclusive(self) -> bool | None:
        """None where it is missing or not a boolean."""
        found = self.fields.get("exclusive")
        return found if isinstance(found, bool) else None

    @property
    def number(self) -> int | None:
        """The count where the document has it as one whole number of 1 or more, as V1 wants it."""
        count = self.count
        is_written_so = isinstance(count, int) and isinstance(self.fields["count"], int)
        return count if is_written_so else None  # type: ignore[return-value]

    @property
    def total(self) -> int | None:
        """Its number times those of all vertices above; None where one of them is not a number."""
        product = 1
        for vertex in (*self.above, self):
            if vertex.number is None:
                return None
            product *= vertex.number
        return product

    @property
    def path(self) -> str:
        """Its place in the jobspec, such as ``resources[0].with[1]``."""
        return ROOT + ".with".join(f"[{vertex.index}]" for vertex in (*self.above, self))

    def path_of(self, key: str) -> str:
        """The place of one of its keys, such as ``resources[0].count``."""
        return at(self.path, key)

    @property
    def above(self) -> "tuple[RequestVertex, ...]":
        """The vertices that hold it, from the top down."""
        found = []
        here = self.parent
        while here is not None:
            found.append(here)
            here = here.parent
        return tuple(reversed(found))

    def walk(self) -> "Iterator[RequestVertex]":
        """This vertex and all below it, parents first, in the order of the document."""
        return _walk([self])

    def below(self) -> "Iterator[RequestVertex]":
        """All vertices below it, parents first, in the order of the document."""
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
    """A list of resources as a tree; two of them are equal if their documents are.

    raw is the value under ``resources``, which need not be a list. The problems are those by RFC
    14, warnings included; of several slots with one label, by_label has the first.
    """

    raw: Any = None
    roots: tuple[RequestVertex, ...] = field(default=(), compare=False, repr=False)
    problems: tuple[Problem, ...] = field(default=(), compare=False)
    by_label: Mapping[str, RequestVertex] = field(default_factory=dict, compare=False, repr=False)

    @property
    def is_list(self) -> bool:
        """The document has a list here."""
        return isinstance(self.raw, list | tuple)

    @property
    def labels(self) -> list[str]:
        """The labels of the slots, in the order of the document."""
        return [slot.label for slot in self.slots() if slot.label is not None]

    def walk(self) -> Iterator[RequestVertex]:
        """All vertices, parents first, in the order of the document."""
        return _walk(self.roots)

    def slots(self) -> Iterator[RequestVertex]:
        """The slots, with and without a label, in the order of the document."""
        return (vertex for vertex in _walk(self.roots) if vertex.type == "slot")

    def slot(self, label: object) -> RequestVertex | None:
        """The slot with a label; None where there is none."""
        return self.by_label.get(label) if isinstance(label, str) else None

    def refusals(self) -> tuple[Problem, ...]:
        """Why RFC 14 refuses it as the resources of a jobspec, which needs a slot for its tasks."""
        errors = tuple(problem for problem in self.problems if problem.severity == "error")
        if errors or self.by_label:
            return errors
        message = "the resources hold no slot, so no task can run"
        return (Problem(message, None, ROOT, ("slot",), CANONICAL, code="slot-missing"),)


def parse(resources: object) -> ResourceRequest:
    """Read the ``resources`` of a jobspec, whatever they are (RFC 14). Never raises."""
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
        kind, read = kind if isinstance(kind, str) else None, counts.from_json(raw.get("count"))
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
    """RFC 14, Resources: the keys of one vertex, with the problems of its count."""
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
    """``4 nodes, each with 1 slot of 8 cores: 32 cores in all``; totals of fixed counts only."""
    if not resources:
        return ""
    text = " and ".join(_in_words(vertex) for vertex in resources[:_TOLD])
    if len(resources) > _TOLD:
        text += f" and {len(resources) - _TOLD:,} more"
    totals: dict[str, int] = {}
    for vertex in parse(resources).walk():
        total, kind = vertex.total, str(vertex.type)
        if total is None or "unit" in vertex.fields:  # a range or an amount
            return text
        totals[kind] = totals.get(kind, 0) + total
    said = {"slot", *(str(vertex["type"]) for vertex in resources)}
    parts = [f"{n:,} {noun(kind, n)}" for kind, n in totals.items() if kind not in said]
    return f"{text}: {', '.join(parts)} in all" if parts else text


def _in_words(vertex: Mapping[str, Any]) -> str:
    kind, unit = str(vertex["type"]), vertex.get("unit")
    parsed = counts.from_json(vertex["count"]).value
    words = counts.describe(parsed) if parsed is not None else str(vertex["count"])
    if isinstance(unit, str) and unit:
        text = f"{words} {unit} of {kind}"
    else:
        text = f"{words} {kind if parsed == 1 else noun(kind, 2)}"
    children = vertex.get("with") or ()
    if not children:
        return text
    inner = " and ".join(_in_words(child) for child in children)
    if kind == "slot":
        return f"{text} of {inner}"
    return f"{text} with {inner}" if parsed == 1 else f"{text}, each with {inner}"


def noun(kind: str, n: int) -> str:
    """A resource type in the form for so many: ``core``, ``cores``; others stay as they are."""
    return kind if n == 1 else _PLURALS.get(kind, kind)


def count_words(count: object) -> str:
    """The value of a ``count`` in words, such as ``2 or more``; of any other value its kind."""
    if is_whole(count):
        return str(count)
    read = counts.from_json(count)
    if read.value is not None and read.ok:
        return counts.describe(read.value)
    return f"'{count}'" if isinstance(count, str) else shown(count)
