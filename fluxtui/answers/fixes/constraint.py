"""Changes that may mend a constraint (RFC 31), most likely first."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from fluxtui.answers.fixes.edit import NOTHING, get, put, renamed, word_of
from fluxtui.answers.fixes.resources import Change
from fluxtui.model.constraint.tree import ILLEGAL, OPERATORS
from fluxtui.notation.problem import Problem, printable
from fluxtui.notation.query.parser import parse as parse_query
from fluxtui.notation.query.tree import to_constraint
from fluxtui.notation.sets import hostlist, idset

_ILLEGAL = re.compile(f"(?!^\\^)[{re.escape(ILLEGAL)}]")

# Places above the constraint: attributes, system, constraints.
_ABOVE = 3


def changes(
    problem: Problem, document: Mapping[str, Any], steps: list[str | int]
) -> Iterator[Change]:
    """What may mend a problem whose path leads into the constraints."""
    value = get(document, steps)
    if value is NOTHING:
        return
    last = steps[-1]
    operator = next((step for step in reversed(steps) if isinstance(step, str)), "")
    if isinstance(value, Mapping):
        if len(value) > 1:
            joined = {"and": [{key: part} for key, part in value.items()]}
            yield "put an and around them", put(document, steps, joined)
        return
    if isinstance(last, str) and len(steps) > _ABOVE:
        yield from _operator(problem, document, steps, value)
    elif isinstance(last, int) or len(steps) == _ABOVE:
        yield from _value(document, steps, value, operator)


def _operator(
    problem: Problem, document: Mapping[str, Any], steps: list[str | int], value: Any
) -> Iterator[Change]:
    """A name that is no operator, or values that are no list."""
    name = str(steps[-1])
    holder = get(document, steps[:-1])
    near = problem.expected[0] if len(problem.expected) == 1 else ""
    if near in OPERATORS and near not in holder:
        label = f"call the operator {near}"
        yield label, put(document, steps[:-1], renamed(holder, name, near))
    if not isinstance(value, list | tuple) and value is not None:
        yield "make it a list", put(document, steps, [value])


def _value(
    document: Mapping[str, Any], steps: list[str | int], value: Any, operator: str
) -> Iterator[Change]:
    """A constraint that is no dictionary, or a wrong value of an operator."""
    whole = operator in ("and", "or", "not", "constraints")
    if whole and isinstance(value, list) and all(isinstance(part, Mapping) for part in value):
        yield "put an and around them", put(document, steps, {"and": value})
    elif whole:
        names = [value] if isinstance(value, str) else value
        if isinstance(names, list) and names and all(isinstance(name, str) for name in names):
            words = printable(", ".join(names)[:40])
            yield f"ask for the properties {words}", put(document, steps, {"properties": names})
    elif isinstance(value, str):
        if operator == "properties" and len(get(document, steps[:-1])) == 1:
            yield from _query(document, steps, value)
        for text in _texts(value, operator):
            yield f"{operator}: {printable(text[:40])}", put(document, steps, text)
    else:
        word = word_of(value)
        if word is not None:
            yield f"make it the string '{word}'", put(document, steps, word)


def _query(document: Mapping[str, Any], steps: list[str | int], text: str) -> Iterator[Change]:
    """What the only property of a constraint means where it is a query (RFC 35)."""
    read = parse_query(text)
    if read.ok and read.tree is not None and len(get(document, steps[:-2])) == 1:
        meant = to_constraint(read.tree)
        yield f"read it as a query: {printable(text[:40])}", put(document, steps[:-2], meant)


def _texts(value: str, operator: str) -> Iterator[str]:
    """What the text of a property, a hostlist or an idset may have meant."""
    plain = value.replace("\0", "")
    if operator == "properties":
        name = _ILLEGAL.sub("", plain)
        if name:
            yield name
    elif operator == "ranks":
        read = idset.parse(plain)
        if read.value:
            yield str(read.value)
    elif operator == "hostlist":
        found = hostlist.parse(plain)
        if found.value.count:
            yield str(found.value)
