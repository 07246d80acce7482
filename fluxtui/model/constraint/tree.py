"""Constraints on nodes as RFC 31 writes them: ``{"and": [{"properties": ["gpu"]}, ...]}``.

What is read here does not depend on a cluster. An error is what RFC 31 and the standards it
names refuse; what they refuse and every Flux takes all the same is a warning.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Generic, TypeAlias, TypeVar, cast

from fluxtui.model.property_name import ALLOWED, ILLEGAL
from fluxtui.notation.problem import (
    MISSPELT,
    Parsed,
    Problem,
    Span,
    at,
    capped,
    did_you_mean,
    nearest,
    no_character,
    shortened,
)
from fluxtui.notation.query.tree import OPERATORS as QUERY_OPERATORS
from fluxtui.notation.query.tree import shown
from fluxtui.notation.sets import hostlist, idset
from fluxtui.notation.sets.hostlist import HostList
from fluxtui.notation.sets.idset import IdSet

#: Levels of nesting a constraint may have.
MAX_DEPTH = 150
# Unknown operators that a suggestion is looked for.
MAX_HINTS = 100

#: The operators of RFC 31.
OPERATORS = ("properties", "hostlist", "ranks", "not", "and", "or")

#: Names that are operators in a query (RFC 35) and not in a constraint.
_SHORT = {"host": "hostlist", "hosts": "hostlist", "rank": "ranks", "property": "properties"}

_COMMAS = re.compile(r"^(\[?),+|,+(\]?)$|(,),+")
_BLANKS = re.compile(r"\s+(?![^\[]*\])")
_ILLEGAL = re.compile(f"[{re.escape(ILLEGAL)}]")

#: Gives the place in a text of a path, or of some characters of the string at that path.
Locate: TypeAlias = Callable[[str, Span | None], Span | None]

#: A property behind the sign that other languages have for its opposite.
_MEANT_NOT = re.compile(f"![^{re.escape(ILLEGAL)}]+")

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """The places of a part of a constraint; two parts that differ in nothing else are equal.

    path   in the RFC 31 object; each of several properties has its own
    span   in the text it was read from, None where there is no text
    spans  of a term, the same for each of its values
    """

    path: str = field(default="", compare=False, repr=False)
    span: Span | None = field(default=None, compare=False, repr=False)
    spans: tuple[Span | None, ...] = field(default=(), compare=False, repr=False)

    @property
    def operator(self) -> str:
        """The RFC 31 name of the operator; empty for ``{}``."""
        return "" if isinstance(self, Everything) else type(self).__name__.lower()

    @property
    def parts(self) -> tuple["Constraint", ...]:
        """The operands; of several properties each is a part of its own."""
        if isinstance(self, And | Or | Not):
            return self.values
        if not isinstance(self, Properties) or len(self.values) < 2:
            return ()
        within = at(self.path, "properties")
        spans = self.spans or (None,) * len(self.values)
        return tuple(
            Properties((value,), path=at(within, number), span=span, spans=(span,))
            for number, (value, span) in enumerate(zip(self.values, spans, strict=True))
        )

    def walk(self) -> Iterator["Constraint"]:
        """This part and all below it, in order."""
        yield cast("Constraint", self)
        for part in self.parts:
            yield from part.walk()


@dataclass(frozen=True, slots=True)
class Everything(_Part):
    """``{}``: every node."""


@dataclass(frozen=True, slots=True)
class _Listed(_Part, Generic[T]):
    """What has values. One class of data for all: each takes time to make at every start."""

    values: tuple[T, ...]


class Properties(_Listed[str]):
    """Nodes with all of these properties; ``^name`` is one they must not have."""

    __slots__ = ()


class Not(_Listed["Constraint"]):
    """Nodes that do not satisfy all of these; of none there are none."""

    __slots__ = ()


class And(_Listed["Constraint"]):
    """Nodes that satisfy all of these; of none, every node."""

    __slots__ = ()


class Or(_Listed["Constraint"]):
    """Nodes that satisfy any of these; of none, every node (RFC 31)."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Hostlist(_Listed[str]):
    """Nodes whose host is in any of these hostlists; hosts is all of them together (RFC 29)."""

    hosts: HostList


@dataclass(frozen=True, slots=True)
class Ranks(_Listed[str]):
    """Nodes whose rank is in any of these idsets; ids is their union (RFC 22)."""

    ids: IdSet


Constraint: TypeAlias = Everything | Properties | Hostlist | Ranks | Not | And | Or

_JOINS: dict[str, type[Not] | type[And] | type[Or]] = {"not": Not, "and": And, "or": Or}


def read(
    obj: object,
    path: str = "",
    locate: Locate | None = None,
    *,
    is_query: bool = False,
) -> Parsed[Constraint | None]:
    """Read one RFC 31 object; the value is None where there is an error.

    path is that of obj in its document, for the paths of problems; locate finds places in
    the text it came from, if it came from one. Of a query, the operators of queries are suggested,
    and all problems are listed, where otherwise the last one counts those that are too many.
    """
    reader = _Reader(locate, is_query)
    value = reader.read(obj, path, 1)
    found = tuple(reader.problems) if is_query else capped(reader.problems)
    is_wrong = any(problem.severity == "error" for problem in found)
    return Parsed(None if is_wrong else value, found)


def to_json(constraint: Constraint) -> dict[str, Any]:
    """The RFC 31 object of a constraint; ``read`` of it gives the constraint again."""
    match constraint:
        case Everything():
            return {}
        case And() | Or() | Not():
            return {constraint.operator: [to_json(value) for value in constraint.values]}
    return {constraint.operator: list(constraint.values)}


def _named(value: object) -> str:
    """The kind of a JSON value, with its article."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    kinds = ((str, "a string"), (dict, "an object"), (list, "an array"))
    return next((name for kind, name in kinds if isinstance(value, kind)), "a number")


class _Reader:
    """Collects the problems of one document; see `read`."""

    def __init__(self, locate: Locate | None, is_query: bool) -> None:
        self.locate = locate
        self.names = tuple(QUERY_OPERATORS) if is_query else OPERATORS
        self.is_query = is_query
        self.problems: list[Problem] = []

    def error(self, message: str, path: str, *expected: str) -> None:
        self.add(Problem(message, None, None, expected, "RFC 31"), path)

    def add(self, problem: Problem, path: str) -> None:
        """Keep a problem; its span counts within the value at path."""
        span = self.locate(path, problem.span) if self.locate else None
        self.problems.append(replace(problem, span=span, path=path or None))

    def read(self, obj: object, path: str, depth: int) -> Constraint | None:
        if not isinstance(obj, dict):
            message = f"a constraint is an object, not {_named(obj)}"
            self.error(message, path, '{"properties": [...]}')
            return None
        if depth > MAX_DEPTH:
            self.error(f"the constraint is nested deeper than {MAX_DEPTH} levels", path)
            return None
        if not obj:
            return Everything(path=path, span=self.place(path))
        if len(obj) > 1:
            listed = ", ".join(shortened(str(key)) for key in islice(obj, 5))
            listed += ", ..." if len(obj) > 5 else ""
            message = f"a constraint has one operator, not {len(obj)} ({listed})"
            self.error(message, path, '{"and": [...]} around one object for each')
        found = [self.operator(str(key), obj[key], path, depth) for key in obj]
        return found[0] if len(found) == 1 else None

    def place(self, path: str) -> Span | None:
        return self.locate(path, None) if self.locate else None

    def operator(self, name: str, values: object, whole: str, depth: int) -> Constraint | None:
        """One operator with its values; whole is the path of the object around them."""
        path = at(whole, name)
        if name not in OPERATORS:
            self.unknown(name, path)
            return None
        what = "constraints" if name in _JOINS else "strings"
        if not isinstance(values, list | tuple):
            message = f"the values of {shown(name)} are an array of {what}, not {_named(values)}"
            self.error(message, path, f"[...] with {what} in it")
            return None
        if name in _JOINS:
            parts = [self.read(v, at(path, i), depth + 1) for i, v in enumerate(values)]
            kept = tuple(part for part in parts if part is not None)
            return _JOINS[name](kept, path=whole, span=self.place(whole))
        texts = tuple(value for value in values if isinstance(value, str))
        for index, value in enumerate(values):
            if not isinstance(value, str):
                message = f"a value of {shown(name)} is a string, not {_named(value)}"
                self.error(message, at(path, index), "a string")
        return self.term(name, texts, path, whole) if len(texts) == len(values) else None

    def term(self, name: str, values: tuple[str, ...], path: str, whole: str) -> Constraint:
        paths = [at(path, index) for index in range(len(values))]
        span, spans = self.place(whole), tuple(map(self.place, paths))
        if name == "properties":
            for value, here in zip(values, paths, strict=True):
                self.check_name(value, here)
            # What Flux merges reaches from the first to the last.
            if span and spans and spans[0] and spans[-1]:
                span = Span(min(span.start, spans[0].start), max(span.end, spans[-1].end))
            return Properties(values, path=whole, span=span, spans=spans)
        if name == "ranks":
            ids = IdSet()
            for value, here in zip(values, paths, strict=True):
                tidy = _COMMAS.sub(r"\1\2\3", value)  # Flux skips those with nothing between
                ids |= self.operand(idset.parse, value, tidy, here)[1]
            return Ranks(values, ids, path=whole, span=span, spans=spans)
        texts = []
        for value, here in zip(values, paths, strict=True):
            tidy = _BLANKS.sub(",", value.strip())  # where Flux parts hosts
            texts.append(self.operand(hostlist.parse, value, tidy, here)[0])
        hosts, problems = hostlist.parse(",".join(texts))
        for problem in problems:  # of all together: they may be too many
            if problem.severity == "error":
                self.add(replace(problem, span=None), path)
        return Hostlist(values, hosts, path=whole, span=span, spans=spans)

    def unknown(self, name: str, path: str) -> None:
        if not name:
            self.error("the operator has no name", path, *self.names)
            return
        near = _SHORT.get(name)
        if near is None and len(self.problems) < MAX_HINTS:
            word = nearest(name, (*self.names, *_SHORT)) or nearest(name.lower(), self.names)
            near = word if word in self.names else _SHORT.get(word or "")
        expected = (near,) if near else self.names
        message = f"unknown operator {shown(name)}{did_you_mean(near)}"
        code = MISSPELT if near else ""
        self.add(Problem(message, None, None, expected, "RFC 31", code=code), path)

    def check_name(self, value: str, path: str) -> None:
        """A property name, with the ``^`` that excludes it (RFC 20)."""
        if (halved := no_character(value, "RFC 31")) is not None:
            self.add(halved, path)
            return
        start = 1 if value.startswith("^") else 0
        found = _ILLEGAL.search(value, start)
        if found:
            name, sign = shown(value[start:]), shown(found[0])
            message = f"property name {name} holds {sign}, which no property name may"
            if not self.is_query and _MEANT_NOT.fullmatch(value):  # queries have a sign of it
                message = f"write {shown('^' + value[1:])} for nodes without it; {message}"
            self.add(Problem(message, Span(*found.span()), None, (ALLOWED,), "RFC 20"), path)
        elif value == "^" or (not value and not self.is_query):
            message = "'^' names no property to exclude"
            if not value:  # of a comma too many a query says so itself
                message = "leave the empty name out; no node can have a property without a name"
            self.add(Problem(message, None, None, (), "RFC 31", "warning"), path)

    def operand(
        self, parse: Callable[[str], Parsed[Any]], value: str, tidy: str, path: str
    ) -> tuple[str, Any]:
        """An idset or a hostlist, and what it says; a warning where Flux takes it as a tidy one."""
        parsed = parse(value)
        found = parsed if parsed.ok else parse(tidy)
        problems = parsed.problems
        is_word = value[:1].isalpha() and self.is_query and not parsed.ok
        if parse is idset.parse and is_word and hostlist.parse(value).ok:
            first = problems[0]  # queries have an operator of its own for what this looks like
            message = f"write {shown(f'host:{value}')} for hosts; {first.message}"
            problems = (replace(first, message=message),)
        for problem in problems:
            tolerated = found.ok and not parsed.ok
            self.add(replace(problem, severity="warning") if tolerated else problem, path)
        return (value if found is parsed else tidy if found.ok else ""), found.value
