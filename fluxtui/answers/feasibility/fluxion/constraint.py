"""How Fluxion reads constraints, where that is not how RFC 31 has it."""

from collections.abc import Mapping

from fluxtui.model.constraint.tree import MAX_DEPTH, And, Constraint, Not, Or
from fluxtui.notation.problem import Problem
from fluxtui.notation.sets import hostlist, idset

_JOINS = ("and", "or", "not")


def refused(obj: object, depth: int = 1) -> str:
    """The words in which Fluxion refuses a constraint that is not one by RFC 31.

    Empty beyond the depth to which constraints are read.
    """
    if depth > MAX_DEPTH:
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
            return next((words for value in values if (words := refused(value, below))), "")
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


def emptied(constraint: Constraint) -> list[Problem]:
    """A word on an empty ``or``, with which Fluxion matches nothing."""
    waiting = [constraint]
    while waiting:
        here = waiting.pop()
        if isinstance(here, Or) and not here.values:
            message = "an empty or matches every node by RFC 31; Fluxion takes it to match none"
            path = "attributes.system.constraints"
            return [Problem(message, None, path, (), "RFC 31", "warning")]
        if isinstance(here, And | Or | Not):
            waiting.extend(here.values)
    return []
