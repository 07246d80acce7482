"""How Fluxion reads a request (RFC 14), and what it refuses to read.

Also how its reading of constraints differs from RFC 31.
"""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any

from fluxtui.answers.feasibility.feasibility import CONSTRAINT, Feasibility, Scheduler, amount
from fluxtui.model.constraint import tree
from fluxtui.model.jobspec.request import (
    MAX_DEPTH,
    ROOT,
    VERTEX_KEYS,
    RequestVertex,
    ResourceRequest,
)
from fluxtui.model.property_name import ILLEGAL
from fluxtui.notation import count as counts
from fluxtui.notation.count import Range
from fluxtui.notation.json_value import shown
from fluxtui.notation.problem import Problem, at, capped, listed
from fluxtui.notation.sets import hostlist, idset

NAME: Scheduler = "fluxion"

#: The types that Fluxion knows even if the graph has none of them.
KNOWN = frozenset(
    ("cluster", "core", "gpu", "node", "rack", "slot", "socket", "ssd", "storage_node", "xor_slot")
)

RULE = "RFC 14"

# Fluxion counts in 32 bits; a range without a maximum ends there.
_LIMIT = 2**32 - 1


@dataclass(frozen=True, slots=True, eq=False)
class Requested:
    """One resource of a request as Fluxion counts it; compared by identity.

    least is the smallest legal count, most the largest that Fluxion looks for, need how many of
    each type are needed below one of it, each at its smallest. held means that a job is allocated
    some of it: it is a slot or exclusive, or there is one below it.
    """

    path: str
    type: str
    count: int | Range
    kids: tuple["Requested", ...] = ()
    exclusive: bool | None = None
    raw: Mapping[str, Any] = field(default_factory=dict)
    least: int = field(init=False)
    most: int = field(init=False)
    need: Mapping[str, int] = field(init=False)
    held: bool = field(init=False)

    def __post_init__(self) -> None:
        need: dict[str, int] = {}
        for kid in self.kids:
            need[kid.type] = need.get(kid.type, 0) + kid.least
            for below, units in kid.need.items():
                need[below] = need.get(below, 0) + kid.least * units
        object.__setattr__(self, "least", counts.least(self.count))
        object.__setattr__(self, "most", counts.greatest(self.count, _LIMIT) or 0)
        object.__setattr__(self, "need", need)
        held = self.is_slot or self.exclusive is True or any(kid.held for kid in self.kids)
        object.__setattr__(self, "held", held)

    @property
    def is_slot(self) -> bool:
        """Whether it is a slot, not a vertex of the graph."""
        return self.type == "slot"

    @property
    def count_path(self) -> str:
        """The path of its count."""
        return at(self.path, "count")

    def greatest(self, limit: int) -> int:
        """Return the largest legal count up to a limit; 0 if all are above it."""
        return counts.greatest(self.count, limit) or 0

    def to_json(self) -> dict[str, Any]:
        """Return the RFC 14 object: as it was read, except for the count and what is below."""
        out = {**self.raw, "type": self.type, "count": counts.to_json(self.count)}
        out.pop("with", None)
        if self.exclusive is None:
            out.pop("exclusive", None)
        if self.kids:
            out["with"] = [kid.to_json() for kid in self.kids]
        return out

    def words(self, units: Mapping[str, str]) -> str:
        """Describe the resource with what is below it: ``2 sockets with 8 cores each``."""
        text = amount(self.type, self.least, units)
        if not self.kids:
            return text
        inner = words(self.kids, units)
        if self.is_slot:
            return f"{text} of {inner}"
        if self.least != 1 and inner.endswith("each"):
            return f"{text}, each with {inner}"
        return f"{text} with {inner}" if self.least == 1 else f"{text} with {inner} each"


#: Sibling resources; those at the top level are a whole request.
Request = tuple[Requested, ...]


def words(siblings: Sequence[Requested], units: Mapping[str, str]) -> str:
    """Describe several resources: ``8 cores and 1 gpu``."""
    return listed([each.words(units) for each in siblings])


def walk(request: Request) -> Iterator[Requested]:
    """Yield all resources, parents first, in the order of the request."""
    waiting = list(reversed(request))
    while waiting:
        yield (here := waiting.pop())
        waiting.extend(reversed(here.kids))


def replaced(request: Request, path: str, count: int | Range) -> Request:
    """Return the request with another count at a path; other branches remain the same objects."""
    out = []
    for here in request:
        if here.path == path:
            out.append(replace(here, count=count))
            continue
        kids = replaced(here.kids, path, count) if here.kids else ()
        same = all(old is new for old, new in zip(here.kids, kids, strict=True))
        out.append(here if same else replace(here, kids=kids))
    return tuple(out)


def read(request: ResourceRequest, known: Set[str]) -> Request | Feasibility:
    """Read a request as Fluxion does, or return its refusal; known are the types of the graph.

    The words are its error text for the first problem; the reasons are all problems.
    """
    reader = _Reader(known | KNOWN)
    found = reader.siblings(request.raw, request.roots, ROOT, 0) if request.is_list else ()
    if reader.is_too_deep:
        problem = Problem(f"more than {MAX_DEPTH} levels of resources", rule=RULE)
        return Feasibility(NAME, None, "", (problem,))
    if reader.problems:
        words = f"Jobspec error: {reader.words}"
        return Feasibility(NAME, False, words, capped(reader.problems))
    if not found:
        nothing = Problem("the request asks for nothing", None, ROOT, (), RULE)
        return Feasibility(NAME, False, "traverser: Invalid argument", (nothing,))
    return found


class _Reader:
    """Reads a request in the order in which Fluxion does."""

    def __init__(self, known: Set[str]) -> None:
        self.known = known
        self.is_too_deep = False
        self.words = ""
        self.problems: list[Problem] = []

    def refuse(self, words: str, message: str, path: str, *expected: str) -> None:
        self.words = self.words or words
        self.problems.append(Problem(message, None, path, expected, RULE))

    def siblings(
        self, raw: object, vertices: Sequence[RequestVertex], path: str, depth: int
    ) -> Request:
        if not isinstance(raw, list | tuple):
            self.refuse('"resources" is not a sequence', f"{path} is not a list", path, "a list")
            return ()
        if depth > MAX_DEPTH:
            self.is_too_deep = True
            return ()
        return tuple(filter(None, (self.resource(vertex, depth) for vertex in vertices)))

    def resource(self, vertex: RequestVertex, depth: int) -> Requested | None:
        raw, path = vertex.fields, vertex.path
        if not vertex.is_readable:
            message = f"a resource is a dictionary; found {shown(vertex.raw)}"
            self.refuse("resource is not a mapping", message, path, "a dictionary")
            return None
        kind = self.type(raw, path)
        count = self.count(raw, at(path, "count"))
        self.scalar(raw, "unit", path)
        exclusive = self.exclusive(raw, path)
        kids: Request = ()
        if "with" in raw:
            kids = self.siblings(raw["with"], vertex.children, at(path, "with"), depth + 1)
        self.scalar(raw, "label", path)
        if kind == "slot" and "label" not in raw:
            message = "Fluxion refuses a slot without a label"
            self.refuse("All slots must be labeled", message, path, "label")
        self.scalar(raw, "id", path)
        for key in raw:
            if key not in VERTEX_KEYS:
                words = "Unrecognized key in resource mapping"
                self.refuse(words, f"a resource has no key '{key}'", path, *VERTEX_KEYS)
        if kind is None or count is None:
            return None
        return Requested(path, kind, count, kids, exclusive, raw)

    def scalar(self, raw: Mapping[str, Any], key: str, path: str, what: str = "a string") -> bool:
        """Whether the value of a key, if present, is a scalar other than null."""
        value = raw.get(key)
        if key not in raw or not (value is None or isinstance(value, Mapping | list | tuple)):
            return True
        message = f"{key} is {what}; found {shown(value)}"
        self.refuse(f'Value of "{key}" must be a scalar', message, at(path, key), what)
        return False

    def type(self, raw: Mapping[str, Any], path: str) -> str | None:
        if "type" not in raw:
            self.refuse('Key "type" missing from resource', "a resource needs a type", path, "type")
            return None
        kind = raw["type"]
        if not self.scalar(raw, "type", path):
            return None
        if kind in self.known:
            return str(kind)
        message = f"a type is a string; found {shown(kind)}"
        if isinstance(kind, str):
            message = f"Fluxion knows no type '{kind}': it is neither in the graph nor built in"
        words = 'Value of "type" must be a resource type known to fluxion'
        self.refuse(words, message, at(path, "type"), *sorted(self.known - {"xor_slot"}))
        return None

    def exclusive(self, raw: Mapping[str, Any], path: str) -> bool | None:
        if "exclusive" not in raw or not self.scalar(raw, "exclusive", path, "true or false"):
            return None
        value = raw["exclusive"]
        for answer, text in ((True, "true"), (False, "false")):
            if value is answer or value == text:
                return answer
        words = 'Value of "exclusive" must be either "true" or "false"'
        message = f"exclusive is true or false; found {shown(value)}"
        self.refuse(words, message, at(path, "exclusive"), "true", "false")
        return None

    def count(self, raw: Mapping[str, Any], path: str) -> int | Range | None:
        if "count" not in raw:
            words = 'Key "count" missing from resource'
            self.refuse(words, "a resource needs a count", path, "a number")
            return None
        value = raw["count"]
        if isinstance(value, Mapping):
            return self.range(value, path)
        if value is None or isinstance(value, list | tuple):
            message = f"a count is a number or a dictionary; found {shown(value)}"
            self.refuse("count is not a mapping", message, path, "a number")
            return None
        return self.number(value, path, "a count")

    def number(self, value: object, path: str, what: str) -> int | None:
        """Read a 32-bit integer, which may also be digits in quotes."""
        text = str(value) if isinstance(value, int | str) else ""
        if re.fullmatch("0|[1-9][0-9]{0,9}|0[xX][0-9a-fA-F]{1,8}", text) and int(text, 0) <= _LIMIT:
            return int(text, 0)
        found = f"'{value}'" if isinstance(value, str) else shown(value)
        hint = "; a range is a dictionary" if isinstance(value, str) else ""
        message = f"Fluxion accepts {what} only as a number up to {_LIMIT:,}; found {found}{hint}"
        self.refuse("bad conversion", message, path, "a number", '{"min": 2}')
        return None

    def range(self, value: Mapping[str, Any], path: str) -> Range | None:
        """Read a range, whose values must exist and increase."""
        if "min" not in value:
            words = 'Key "min" missing from count'
            self.refuse(words, "a range needs its min", path, "min")
            return None
        missing = [key for key in ("max", "operator", "operand") if key not in value]
        others = [key for key in ("max", "operator", "operand") if key in value]
        if missing and others:
            words = 'All or none of "max", "operator", and "operand" must be specified'
            message = f"Fluxion wants {' and '.join(missing)} together with {' and '.join(others)}"
            self.refuse(words, message, path, *missing)
            return None
        keys = ("min", "max", "operand") if others else ("min",)
        numbers = [self.number(value[key], at(path, key), key) for key in keys]
        least, most, operand = numbers if others else (*numbers, None, 1)
        if least is None or operand is None or (others and most is None):
            return None
        operator = str(value.get("operator", "+"))
        names = {"+": "zero for addition", "*": "one for multiplication"}
        key, expected = "min", ["2 or more"]
        if operator not in ("+", "*", "^"):
            words, message = "Invalid count operator", f"operator is +, * or ^; found '{operator}'"
            key, expected = "operator", ["+", "*", "^"]
        elif least < 1:
            words, message = '"min" must be greater than zero', "min is 1 or more"
            expected = ["1 or more"]
        elif most is not None and most < least:
            words = '"max" must be greater than or equal to "min"'
            message = f"max, {most}, is below min, {least}"
            key, expected = "max", [f"{least} or more"]
        elif operand < (smallest := 1 if operator == "+" else 2):
            than = names.get(operator, "one for exponentiation")
            words = f"\"operand\" must be greater than {than} '{operator}'"
            message = f"with {operator} operand is {smallest} or more"
            key, expected = "operand", [f"{smallest} or more"]
        elif operator == "^" and least < 2:
            words = "\"min\" must be greater than one for exponentiation '^'"
            message = "with ^ min is 2 or more"
        else:
            return Range(least, most, operand, operator)
        self.refuse(words, message, at(path, key), *expected)
        return None


def constraint_refusal(obj: object, depth: int = 1) -> str:
    """Return Fluxion's error text for a constraint invalid by RFC 31; empty if it is too deep."""
    if depth > tree.MAX_DEPTH:
        return ""
    if not isinstance(obj, Mapping):
        return "constraint is not a mapping"
    if len(obj) > 1:
        return "constraint map may not contain > 1 operation"
    for name, values in obj.items():
        if not isinstance(values, list | tuple):
            return f"{name} operator value must be an array"
        if name not in ("and", "or", "not", "properties", "hostlist", "ranks"):
            return f"unknown constraint operator: {name}"
        refusals = (_value_refusal(name, value, depth) for value in values)
        return next(filter(None, refusals), "")
    return ""


def _value_refusal(name: str, value: object, depth: int) -> str:
    if name in ("and", "or", "not"):
        return constraint_refusal(value, depth + 1)
    if not isinstance(value, str):
        return "non-string property specified" if name == "properties" else "bad conversion"
    if name == "properties":
        bad = set(ILLEGAL) & set(value.removeprefix("^"))
        return f"{value} is invalid" if bad else ""
    if name == "hostlist":
        return "" if hostlist.parse(value).ok else f"Invalid hostlist `{value}'"
    return "" if idset.parse(value).ok else f"Invalid idset `{value}'"


def allocated(siblings: Request) -> Request:
    """Return the siblings that a job is allocated, outside of slots and exclusive vertices.

    Fluxion requires the others too, but shares them among all jobs. A request without a slot or
    anything exclusive is read as if its innermost resources were exclusive.
    """
    return tuple(wanted for wanted in siblings if wanted.held) or siblings


def empty_or(constraint: tree.Constraint | None) -> list[Problem]:
    """Return a warning about an empty ``or``, with which Fluxion matches nothing."""
    parts = () if constraint is None else constraint.walk()
    if not any(isinstance(part, tree.Or) and not part.values for part in parts):
        return []
    message = "an empty or matches every node by RFC 31; Fluxion takes it to match none"
    return [Problem(message, None, CONSTRAINT, (), "RFC 31", "warning")]
