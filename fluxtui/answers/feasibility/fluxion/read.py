"""Reads a resources list as Fluxion does, and says what Fluxion refuses to read (RFC 14)."""

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

from fluxtui.answers.feasibility.fluxion.request import LIMIT, Want, want
from fluxtui.model.documents.json_value import shown
from fluxtui.model.jobspec.request import KEYS, MAX_DEPTH
from fluxtui.notation.count import Range
from fluxtui.notation.problem import Problem, at

#: The types that Fluxion knows whatever the graph holds.
KNOWN = frozenset(
    ("cluster", "core", "gpu", "node", "rack", "slot", "socket", "ssd", "storage_node", "xor_slot")
)

RULE = "RFC 14"

# Numbers of up to 32 bits, also in base 16.
_WHOLE = "0|[1-9][0-9]{0,9}|0[xX][0-9a-fA-F]{1,8}"


@dataclass(frozen=True, slots=True)
class Request:
    """What Fluxion reads: the wants at the top, or why it reads nothing.

    words     Fluxion's own error text, of the first thing it stumbles on; empty where it reads
    problems  all that it would not read, by path; without words it is only not read here
    """

    wants: tuple[Want, ...] = ()
    words: str = ""
    problems: tuple[Problem, ...] = ()


def read(resources: object, known: Set[str]) -> Request:
    """Read a resources list as Fluxion does; known are the types of the graph.

    Fluxion takes a count as a number or as a dictionary, never as a text such as ``2-4``; of
    min, max, operator and operand either min alone or all four. It takes no key and no type that
    it does not know, and no slot without a label.
    """
    reader = _Reader(known | KNOWN)
    wants = reader.list(resources, "resources", 0)
    if reader.deep:
        return Request(problems=(reader.deep,))
    if reader.problems:
        return Request((), f"Jobspec error: {reader.words[0]}", tuple(reader.problems))
    return Request(wants)


class _Reader:
    """Goes through a request in the order in which Fluxion does."""

    def __init__(self, known: Set[str]) -> None:
        self.known = known
        self.deep: Problem | None = None
        self.words: list[str] = []
        self.problems: list[Problem] = []

    def refuse(self, words: str, message: str, path: str, *expected: str) -> None:
        self.words.append(words)
        self.problems.append(Problem(message, None, path, expected, RULE))

    def list(self, value: object, path: str, depth: int) -> tuple[Want, ...]:
        if not isinstance(value, Sequence) or isinstance(value, str):
            self.refuse('"resources" is not a sequence', f"{path} is no list", path, "a list")
            return ()
        if depth > MAX_DEPTH:
            self.deep = Problem(f"more than {MAX_DEPTH} levels of resources", rule=RULE)
            return ()
        return tuple(
            want
            for number, resource in enumerate(value)
            if (want := self.resource(resource, at(path, number), depth)) is not None
        )

    def resource(self, raw: object, path: str, depth: int) -> Want | None:
        if not isinstance(raw, Mapping):
            message = f"a resource is a dictionary; found {shown(raw)}"
            self.refuse("resource is not a mapping", message, path, "a dictionary")
            return None
        kind = self.type(raw, path)
        count = self.count(raw, at(path, "count"))
        self.scalar(raw, "unit", path)
        exclusive = self.exclusive(raw, path)
        kids = self.list(raw["with"], at(path, "with"), depth + 1) if "with" in raw else ()
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
        return want(path, kind, count, kids, exclusive, raw)

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
        if whole and int(text, 0) <= LIMIT:
            return int(text, 0)
        found = f"'{value}'" if isinstance(value, str) else shown(value)
        hint = "; a range is a dictionary" if isinstance(value, str) else ""
        message = f"Fluxion takes {what} as a number of up to {LIMIT:,} only; found {found}{hint}"
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
            message = f"beside {', '.join(others)} Fluxion wants {' and '.join(missing)}"
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
        return found if self.sound(found, path) else None

    def sound(self, found: Range, path: str) -> bool:
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
