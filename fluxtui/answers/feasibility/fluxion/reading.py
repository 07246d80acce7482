"""How Fluxion reads a request (RFC 14), and what it refuses to read.

Where Fluxion reads a constraint otherwise than RFC 31, that is here too.
"""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any

from fluxtui.answers.feasibility.feasibility import CONSTRAINT
from fluxtui.answers.feasibility.wording import Nouns
from fluxtui.model.constraint.tree import MAX_DEPTH as MAX_CONSTRAINT_DEPTH
from fluxtui.model.constraint.tree import And, Constraint, Not, Or
from fluxtui.model.documents.json_value import shown
from fluxtui.model.jobspec.request import KEYS, MAX_DEPTH, ROOT, RequestVertex, ResourceRequest
from fluxtui.notation import count as counts
from fluxtui.notation.count import Range
from fluxtui.notation.problem import Problem, at
from fluxtui.notation.sets import hostlist, idset
from fluxtui.notation.wording import listed

#: The types that Fluxion knows whatever the graph holds.
KNOWN = frozenset(
    ("cluster", "core", "gpu", "node", "rack", "slot", "socket", "ssd", "storage_node", "xor_slot")
)

RULE = "RFC 14"

# Fluxion counts in 32 bits; a range without a maximum ends there.
_LIMIT = 2**32 - 1

# Numbers of up to 32 bits, also in base 16.
_WHOLE = "0|[1-9][0-9]{0,9}|0[xX][0-9a-fA-F]{1,8}"


@dataclass(frozen=True, slots=True, eq=False)
class Requested:
    """One resource of a request as Fluxion counts it; equal only if they are one object.

    path       its path in the jobspec, such as ``resources[0].with[1]``
    least      the smallest legal count; most the largest that Fluxion looks for
    need       how much of each type is needed below one of it, each at its smallest
    exclusive  what the request says of it, None where it says nothing
    raw        the object of the request
    """

    path: str
    type: str
    count: int | Range
    least: int
    most: int
    need: Mapping[str, int]
    kids: tuple["Requested", ...] = ()
    exclusive: bool | None = None
    raw: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        path: str,
        kind: str,
        count: int | Range,
        kids: "Request" = (),
        exclusive: bool | None = None,
        raw: Mapping[str, Any] | None = None,
    ) -> "Requested":
        """One resource, with what follows from the counts."""
        need: dict[str, int] = {}
        for kid in kids:
            need[kid.type] = need.get(kid.type, 0) + kid.least
            for below, units in kid.need.items():
                need[below] = need.get(below, 0) + kid.least * units
        least, most = counts.least(count), counts.greatest(count, _LIMIT) or 0
        return cls(path, kind, count, least, most, need, kids, exclusive, raw or {})

    @property
    def is_slot(self) -> bool:
        """It is a slot, not a vertex of the graph."""
        return self.type == "slot"

    @property
    def count_path(self) -> str:
        """The path of its count."""
        return at(self.path, "count")

    def greatest(self, limit: int) -> int:
        """The largest legal count up to a limit; 0 where all are above it."""
        return counts.greatest(self.count, limit) or 0

    def with_count(self, count: int | Range) -> "Requested":
        """The same resource with another count."""
        return Requested.of(self.path, self.type, count, self.kids, self.exclusive, self.raw)

    def with_kids(self, kids: "Request") -> "Requested":
        """The same resource with others below it."""
        return Requested.of(self.path, self.type, self.count, kids, self.exclusive, self.raw)

    def to_json(self) -> dict[str, Any]:
        """The RFC 14 object: as it was read, except for the count and what is below."""
        out = {**self.raw, "type": self.type, "count": counts.to_json(self.count)}
        out.pop("with", None)
        if self.exclusive is None:
            out.pop("exclusive", None)
        if self.kids:
            out["with"] = [kid.to_json() for kid in self.kids]
        return out

    def words(self, nouns: Nouns) -> str:
        """The resource with what is below it: ``2 sockets with 8 cores each``."""
        text = nouns.amount(self.type, self.least)
        if not self.kids:
            return text
        inner = words(self.kids, nouns)
        if self.is_slot:
            return f"{text} of {inner}"
        if self.least == 1:
            return f"{text} with {inner}"
        return (
            f"{text}, each with {inner}" if inner.endswith("each") else f"{text} with {inner} each"
        )


#: Siblings; those at the top are a whole request.
Request = tuple[Requested, ...]


def words(siblings: Sequence[Requested], nouns: Nouns) -> str:
    """Several resources: ``8 cores and 1 gpu``."""
    return listed([each.words(nouns) for each in siblings])


def walk(request: Request) -> Iterator[Requested]:
    """All resources, parents first, in the order of the request."""
    waiting = list(reversed(request))
    while waiting:
        yield (here := waiting.pop())
        waiting.extend(reversed(here.kids))


def replaced(request: Request, path: str, count: int | Range) -> Request:
    """The request with another count at a path; what is not above it stays the same object."""
    out = []
    for here in request:
        if here.path == path:
            out.append(here.with_count(count))
            continue
        kids = replaced(here.kids, path, count) if here.kids else ()
        same = all(old is new for old, new in zip(here.kids, kids, strict=True))
        out.append(here if same else here.with_kids(kids))
    return tuple(out)


@dataclass(frozen=True, slots=True)
class Reading:
    """What Fluxion reads: the resources at the top, or why it reads nothing.

    words     Fluxion's own error text, of the first thing it stumbles on; empty where it reads
    problems  all that it would not read, by path; without words it is only not read here
    """

    request: Request = ()
    words: str = ""
    problems: tuple[Problem, ...] = ()


def read(request: ResourceRequest, known: Set[str]) -> Reading:
    """Read a request as Fluxion does; known are the types of the graph.

    Fluxion takes a count as a number or as a dictionary, never as a text such as ``2-4``; of
    min, max, operator and operand either min alone or all four. It takes no key and no type that
    it does not know, and no slot without a label.
    """
    reader = _Reader(known | KNOWN)
    found = reader.siblings(request.raw, request.roots, ROOT, 0)
    if reader.too_deep:
        return Reading(problems=(reader.too_deep,))
    if reader.problems:
        return Reading((), f"Jobspec error: {reader.words[0]}", tuple(reader.problems))
    return Reading(found)


class _Reader:
    """Goes through a request in the order in which Fluxion does."""

    def __init__(self, known: Set[str]) -> None:
        self.known = known
        self.too_deep: Problem | None = None
        self.words: list[str] = []
        self.problems: list[Problem] = []

    def refuse(self, words: str, message: str, path: str, *expected: str) -> None:
        self.words.append(words)
        self.problems.append(Problem(message, None, path, expected, RULE))

    def siblings(
        self, raw: object, vertices: Sequence[RequestVertex], path: str, depth: int
    ) -> Request:
        """The vertices of a list; raw is that list, whatever it is."""
        if not isinstance(raw, list | tuple):
            self.refuse('"resources" is not a sequence', f"{path} is not a list", path, "a list")
            return ()
        if depth > MAX_DEPTH:
            self.too_deep = Problem(f"more than {MAX_DEPTH} levels of resources", rule=RULE)
            return ()
        found = (self.resource(vertex, depth) for vertex in vertices)
        return tuple(each for each in found if each is not None)

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
            message = "Fluxion takes no slot without a label"
            self.refuse("All slots must be labeled", message, path, "label")
        self.scalar(raw, "id", path)
        for key in raw:
            if key not in KEYS:
                words = "Unrecognized key in resource mapping"
                self.refuse(words, f"a resource has no key '{key}'", path, *KEYS)
        if kind is None or count is None:
            return None
        return Requested.of(path, kind, count, kids, exclusive, raw)

    def scalar(self, raw: Mapping[str, Any], key: str, path: str, what: str = "a string") -> bool:
        """Whether the value of a key, where it is there, is a scalar other than null."""
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
        if kind not in self.known:
            message = (
                f"Fluxion knows no type '{kind}': it is neither in the graph nor built in"
                if isinstance(kind, str)
                else f"a type is a string; found {shown(kind)}"
            )
            words = 'Value of "type" must be a resource type known to fluxion'
            self.refuse(words, message, at(path, "type"), *sorted(self.known - {"xor_slot"}))
            return None
        return str(kind)

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
        """A whole number of 32 bits; digits in quotes are one too."""
        text = str(value)
        whole = isinstance(value, int | str) and re.fullmatch(_WHOLE, text)
        if whole and int(text, 0) <= _LIMIT:
            return int(text, 0)
        found = f"'{value}'" if isinstance(value, str) else shown(value)
        hint = "; a range is a dictionary" if isinstance(value, str) else ""
        message = f"Fluxion takes {what} as a number of up to {_LIMIT:,} only; found {found}{hint}"
        self.refuse("bad conversion", message, path, "a number", '{"min": 2}')
        return None

    def range(self, value: Mapping[str, Any], path: str) -> Range | None:
        if "min" not in value:
            words = 'Key "min" missing from count'
            self.refuse(words, "a range needs its min", path, "min")
            return None
        others = [key for key in ("max", "operator", "operand") if key in value]
        if len(others) not in (0, 3):
            missing = [key for key in ("max", "operator", "operand") if key not in value]
            words = 'All or none of "max", "operator", and "operand" must be specified'
            message = f"Fluxion wants {' and '.join(missing)} together with {' and '.join(others)}"
            self.refuse(words, message, path, *missing)
            return None
        numbers = {
            key: self.number(value[key], at(path, key), key)
            for key in ("min", "max", "operand")
            if key in value
        }
        least = numbers["min"]
        if least is None or None in numbers.values():
            return None
        found = Range(
            least, numbers.get("max"), numbers.get("operand") or 0, str(value.get("operator", "+"))
        )
        if not others:
            found = replace(found, operand=1)
        return found if self.is_sound(found, path) else None

    def is_sound(self, found: Range, path: str) -> bool:
        """A range has values, and each is larger than the one before."""
        if found.operator not in ("+", "*", "^"):
            message = f"operator is +, * or ^; found '{found.operator}'"
            where = at(path, "operator")
            self.refuse("Invalid count operator", message, where, "+", "*", "^")
        elif found.min < 1:
            words = '"min" must be greater than zero'
            self.refuse(words, "min is 1 or more", at(path, "min"), "1 or more")
        elif found.max is not None and found.max < found.min:
            words = '"max" must be greater than or equal to "min"'
            message = f"max, {found.max}, is below min, {found.min}"
            self.refuse(words, message, at(path, "max"), f"{found.min} or more")
        elif found.operand < (1 if found.operator == "+" else 2):
            names = {"+": "zero for addition", "*": "one for multiplication"}
            words = f'"operand" must be greater than {names.get(found.operator, "one for")}'
            if found.operator == "^":
                words += " exponentiation"
            words += f" '{found.operator}'"
            message = f"with {found.operator} the operand is larger"
            self.refuse(words, message, at(path, "operand"), "2 or more")
        elif found.operator == "^" and found.min < 2:
            words = "\"min\" must be greater than one for exponentiation '^'"
            self.refuse(words, "with ^ min is 2 or more", at(path, "min"), "2 or more")
        else:
            return True
        return False


_JOINS = ("and", "or", "not")


def constraint_refusal(obj: object, depth: int = 1) -> str:
    """The words in which Fluxion refuses a constraint that is not one by RFC 31.

    Empty beyond the depth to which constraints are read.
    """
    if depth > MAX_CONSTRAINT_DEPTH:
        return ""
    if not isinstance(obj, Mapping):
        return "constraint is not a mapping"
    if len(obj) > 1:
        return "constraint map may not contain > 1 operation"
    for name, values in obj.items():
        if not isinstance(values, list | tuple):
            return f"{name} operator value must be an array"
        if name in _JOINS:
            below = depth + 1
            return next(
                (words for value in values if (words := constraint_refusal(value, below))), ""
            )
        if name == "properties":
            return _property(values)
        if name in ("hostlist", "ranks"):
            return _listed(name, values)
        return f"unknown constraint operator: {name}"
    return ""


def _property(values: list[object] | tuple[object, ...]) -> str:
    for value in values:
        if not isinstance(value, str):
            return "non-string property specified"
        if set("!&'\"^`|()") & set(value.removeprefix("^")):
            return f"{value} is invalid"
    return ""


def _listed(name: str, values: list[object] | tuple[object, ...]) -> str:
    kind = "hostlist" if name == "hostlist" else "idset"
    for value in values:
        if not isinstance(value, str):
            return "bad conversion"
        parsed = hostlist.parse(value) if name == "hostlist" else idset.parse(value)
        if not parsed.ok:
            return f"Invalid {kind} `{value}'"
    return ""


def empty_or(constraint: Constraint) -> list[Problem]:
    """A warning on an empty ``or``, with which Fluxion matches nothing."""
    waiting = [constraint]
    while waiting:
        here = waiting.pop()
        if isinstance(here, Or) and not here.values:
            message = "an empty or matches every node by RFC 31; Fluxion takes it to match none"
            return [Problem(message, None, CONSTRAINT, (), "RFC 31", "warning")]
        if isinstance(here, And | Or | Not):
            waiting.extend(here.values)
    return []
