"""Reads a count from a document: a number, a text or a dictionary (RFC 14)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fluxtui.notation.count import WANTED, Count, Range, broken, parse
from fluxtui.notation.problem import Parsed, Problem, at


def read(value: object, path: str) -> Parsed[Count | None]:
    """Read the value of RFC 14's ``count``; problems carry paths that start with ``path``."""
    if isinstance(value, bool) or not isinstance(value, int | str | Mapping):
        message = f"a count is a number, a text or a dictionary; found {_shown(value)}"
        return _refused(message, path, *WANTED)
    if isinstance(value, int):
        if value < 1:
            return _refused(f"a count is 1 or more; found {value}", path, "1 or more")
        return Parsed(value)
    if isinstance(value, str):
        found, problems = parse(value)
        return Parsed(found, tuple(p._replace(span=None, path=path) for p in problems))
    return _from_dict(value, path)


def _refused(message: str, path: str, *expected: str) -> Parsed[Count | None]:
    return Parsed(None, (Problem(message, None, path, expected, "RFC 14"),))


def _shown(value: object) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value) if isinstance(value, int | float) else f"a {_kind(value)}"


def _kind(value: object) -> str:
    for kind, name in ((list, "list"), (str, "text"), (Mapping, "dictionary")):
        if isinstance(value, kind):
            return name
    return "value"


def _from_dict(value: Mapping[Any, Any], path: str) -> Parsed[Count | None]:
    """RFC 14's range dictionary: min, and max with operator and operand."""
    problems: list[Problem] = []

    def problem(message: str, where: str, *expected: str) -> None:
        problems.append(Problem(message, None, where, expected, "RFC 14"))

    for key in value:
        if key not in ("min", "max", "operator", "operand"):
            expected = ("min", "max", "operator", "operand")
            problem(f"a range has no key '{key}'", path, *expected)
    numbers: dict[str, int] = {}
    for key in ("min", "max", "operand"):
        found = value.get(key)
        if isinstance(found, int) and not isinstance(found, bool) and found > 0:
            numbers[key] = found
        elif key in value:
            problem(f"{key} is a whole number of 1 or more; found {_shown(found)}", at(path, key))
        elif key == "min":
            problem("a range needs its min", path, "min")
    operator = value.get("operator", "+")
    if operator not in ("+", "*", "^"):
        problem(f"operator is +, * or ^; found '{operator}'", at(path, "operator"), "+", "*", "^")
        operator = "+"
    _companions(value, path, problems)
    if "min" not in numbers:
        return Parsed(None, tuple(problems))
    count = Range(numbers["min"], numbers.get("max"), numbers.get("operand", 1), operator)
    wanted = {"max": f"{count.min} or more"}
    for key, message in zip(("min", "max", "operand"), broken(count), strict=True):
        if message:
            problem(message, at(path, key), wanted.get(key, "2 or more"))
    return Parsed(count, tuple(problems))


def _companions(value: Mapping[Any, Any], path: str, problems: list[Problem]) -> None:
    """Which keys of a range want which others beside them."""
    steps = [key for key in ("operator", "operand") if key in value]
    if len(steps) == 1:
        other = "operand" if steps[0] == "operator" else "operator"
        message = f"{steps[0]} stands beside {other}, which is missing"
        problems.append(Problem(message, None, path, (other,), "RFC 14"))
    elif steps and "max" not in value:
        message = "operator and operand stand beside max; without max write a text such as 2+:2"
        problems.append(Problem(message, None, path, ("max",), "RFC 14"))
    elif "max" in value and not steps:
        message = "max without operator and operand is legal, but RFC 14's schema refuses it"
        expected = ("operator", "operand")
        problems.append(Problem(message, None, path, expected, "RFC 14", "warning"))
