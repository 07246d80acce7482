"""Constraints on nodes in the form of RFC 31: ``{"and": [{"properties": ["gpu"]}, ...]}``.

Reading them does not depend on a cluster. What RFC 31 and the standards it names forbid is an
error, or a warning if every Flux accepts it nevertheless.
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
    shortened,
    surrogate_problem,
)
from fluxtui.notation.query.tree import OPERATORS as QUERY_OPERATORS
from fluxtui.notation.query.tree import shown
from fluxtui.notation.sets import hostlist, idset
from fluxtui.notation.sets.hostlist import HostList
from fluxtui.notation.sets.idset import IdSet

#: The most levels of nesting in a constraint.
MAX_DEPTH = 150
# Suggestions are made only while there are fewer problems than this.
MAX_HINTS = 100

#: The operators of RFC 31.
OPERATORS = ("properties", "hostlist", "ranks", "not", "and", "or")

#: Likely names for an operator that RFC 31 does not have, with the operator that is meant.
_SHORT = {"host": "hostlist", "hosts": "hostlist", "rank": "ranks", "property": "properties"}

_COMMAS = re.compile(r"^(\[?),+|,+(\]?)$|(,),+")
_BLANKS = re.compile(r"\s+(?![^\[]*\])")
_ILLEGAL = re.compile(f"[{re.escape(ILLEGAL)}]")

#: Returns the span in the text of a path, or of a span of the string at that path.
Locate: TypeAlias = Callable[[str, Span | None], Span | None]

#: A property after ``!``, the sign for negation in other languages.
_MEANT_NOT = re.compile(f"![^{re.escape(ILLEGAL)}]+")

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """Base of the parts of a constraint, with their places, which equality ignores.

    path   in the RFC 31 object; each of several properties has its own
    span   in the text it was read from, None if there is no text
    spans  of a term: the span of each of its values
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
        """The operands; each of several properties is a part of its own."""
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
        """This part and all its descendants, in preorder."""
        yield cast("Constraint", self)
        for part in self.parts:
            yield from part.walk()


@dataclass(frozen=True, slots=True)
class Everything(_Part):
    """``{}``: every node."""


@dataclass(frozen=True, slots=True)
class _Listed(_Part, Generic[T]):
    """A part with values. The one dataclass for all of them, since each slows down the start."""

    values: tuple[T, ...]


class Properties(_Listed[str]):
    """Nodes with all of these properties; ``^name`` is one they must not have."""

    __slots__ = ()


class Not(_Listed["Constraint"]):
    """Nodes that do not satisfy all of these; no node if there are none."""

    __slots__ = ()


class And(_Listed["Constraint"]):
    """Nodes that satisfy all of these; every node if there are none."""

    __slots__ = ()


class Or(_Listed["Constraint"]):
    """Nodes that satisfy any of these; every node if there are none (RFC 31)."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Hostlist(_Listed[str]):
    """Nodes whose host is in any of these hostlists; hosts joins all of them (RFC 29)."""

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
    """Read one RFC 31 object; the value is None if there is an error.

    path is the path of obj in its document, for the paths of problems; locate finds spans in the
    text it came from, if any. is_query means that obj was made from a query: then the operators of
    queries are suggested, and all problems are listed instead of the first `MAX_PROBLEMS`.
    """
    reader = _Reader(locate, is_query)
    value = reader.read(obj, path, 1)
    found = tuple(reader.problems) if is_query else capped(reader.problems)
    is_wrong = any(problem.severity == "error" for problem in found)
    return Parsed(None if is_wrong else value, found)


def to_json(constraint: Constraint) -> dict[str, Any]:
    """The RFC 31 object of a constraint; the inverse of `read`."""
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
        """Add a problem; its span counts from the start of the value at path."""
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
        """Read an operator and its values; whole is the path of the object that holds them."""
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
            # Properties that Flux merges may extend beyond the span of the object.
            if span and spans and spans[0] and spans[-1]:
                span = Span(min(span.start, spans[0].start), max(span.end, spans[-1].end))
            return Properties(values, path=whole, span=span, spans=spans)
        if name == "ranks":
            ids = IdSet()
            for value, here in zip(values, paths, strict=True):
                tidy = _COMMAS.sub(r"\1\2\3", value)  # Flux skips surplus commas
                ids |= self.operand(idset.parse, value, tidy, here)[1]
            return Ranks(values, ids, path=whole, span=span, spans=spans)
        texts = []
        for value, here in zip(values, paths, strict=True):
            tidy = _BLANKS.sub(",", value.strip())  # Flux splits hosts at white space
            texts.append(self.operand(hostlist.parse, value, tidy, here)[0])
        hosts, problems = hostlist.parse(",".join(texts))
        for problem in problems:  # of all values together, such as too many hosts
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
        """Check a property name, which may follow a ``^`` that excludes it (RFC 20)."""
        if (surrogate := surrogate_problem(value, "RFC 31")) is not None:
            self.add(surrogate, path)
            return
        start = 1 if value.startswith("^") else 0
        found = _ILLEGAL.search(value, start)
        if found:
            name, sign = shown(value[start:]), shown(found[0])
            message = f"property name {name} holds {sign}, which is not allowed"
            if not self.is_query and _MEANT_NOT.fullmatch(value):  # queries have ``-`` for it
                message = f"write {shown('^' + value[1:])} for nodes without it; {message}"
            span, code = Span(*found.span()), "property-name"
            self.add(Problem(message, span, None, (ALLOWED,), "RFC 20", code=code), path)
        elif value == "^" or (not value and not self.is_query):
            message = "'^' names no property to exclude"
            if not value:  # only in JSON: the query parser reports surplus commas itself
                message = "leave the empty name out; no node can have a property without a name"
            self.add(Problem(message, None, None, (), "RFC 31", "warning"), path)

    def operand(
        self, parse: Callable[[str], Parsed[Any]], value: str, tidy: str, path: str
    ) -> tuple[str, Any]:
        """Read an idset or hostlist: its text ("" if wrong) and value; warn if Flux tidies it."""
        parsed = parse(value)
        found = parsed if parsed.ok else parse(tidy)
        problems = parsed.problems
        is_word = value[:1].isalpha() and self.is_query and not parsed.ok
        if parse is idset.parse and is_word and hostlist.parse(value).ok:
            first = problems[0]  # it looks like a host, for which queries have an operator
            message = f"write {shown(f'host:{value}')} for hosts; {first.message}"
            problems = (replace(first, message=message),)
        for problem in problems:
            tolerated = found.ok and not parsed.ok
            self.add(replace(problem, severity="warning") if tolerated else problem, path)
        return (value if found is parsed else tidy if found.ok else ""), found.value
