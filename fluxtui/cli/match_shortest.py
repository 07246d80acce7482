"""The answer of ``fluxtui match --shortest``: a short expression for the nodes that match."""

from collections.abc import Iterator
from typing import Any

from fluxtui.answers.explain.expression import By, Expression, choices
from fluxtui.cli.match_words import cut
from fluxtui.model.constraint.tree import And, Constraint, Hostlist, Not, Or, Ranks, to_json
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import counted, listed, printable

_LISTS = (("hosts", Hostlist), ("ranks", Ranks))
_MEANS: dict[By, str] = {
    "everything": "nothing has to be asked",
    "properties": "by properties",
    "hosts": "by hosts",
    "ranks": "by ranks",
}
_LEFT_OUT: dict[By, str] = {"hosts": "by hosts left out", "ranks": "by ranks left out"}


def text(mask: int, resources: Resources) -> str:
    """The best expression, and below it how it selects the nodes, and the alternatives.

    mask is not empty.
    """
    best, *others = choices(mask, resources)
    lines = [printable(_text(best)), f"  {counted(mask.bit_count(), 'node')}, {_means(best)}"]
    lines += (cut(f"  {_means(other)}: {_text(other)}") for other in others)
    return "\n".join(lines)


def answer(mask: int, resources: Resources) -> dict[str, Any] | None:
    """The same as a JSON object; None if no node matches."""
    found = choices(mask, resources)
    if not found:
        return None
    best, *others = map(_json, found)
    return {**best, "others": others}


def _means(found: Expression) -> str:
    """How an expression selects the nodes, in words."""
    if found.by != "mixed":
        return _LEFT_OUT[found.by] if found.is_negated else _MEANS[found.by]
    kinds = set(_kinds(found.constraint))
    return f"by {listed(['properties', *(name for name, kind in _LISTS if kind in kinds)])}"


def _kinds(constraint: Constraint) -> Iterator[type[Constraint]]:
    """Yield the types of a constraint and all its parts."""
    yield type(constraint)
    if isinstance(constraint, And | Or | Not):
        for part in constraint.values:
            yield from _kinds(part)


def _json(found: Expression) -> dict[str, Any]:
    constraint = to_json(found.constraint)
    return {"expression": _text(found), "by": found.by, "constraint": constraint}


def _text(found: Expression) -> str:
    """The text of an expression as a verb accepts it: verbs accept no blank one."""
    return found.text or "{}"
