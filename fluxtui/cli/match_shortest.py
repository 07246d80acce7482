"""What ``fluxtui match --shortest`` says: a short expression for the nodes that match."""

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


def told(mask: int, resources: Resources) -> str:
    """The expression on a line of its own, and below it how, and how else; some node matches."""
    best, *others = choices(mask, resources)
    lines = [printable(_text(best)), f"  {counted(mask.bit_count(), 'node')}, {_means(best)}"]
    lines += (cut(f"  {_means(one)}: {_text(one)}") for one in others)
    return "\n".join(lines)


def answer(mask: int, resources: Resources) -> dict[str, Any] | None:
    """The same for JSON; None where no node matches."""
    found = choices(mask, resources)
    if not found:
        return None
    best, *others = map(_json, found)
    return {**best, "others": others}


def _means(found: Expression) -> str:
    """What tells the nodes from the others."""
    if found.by != "mixed":
        return _LEFT_OUT[found.by] if found.is_negated else _MEANS[found.by]
    kinds = set(_kinds(found.constraint))
    return f"by {listed(['properties', *(name for name, kind in _LISTS if kind in kinds)])}"


def _kinds(constraint: Constraint) -> Iterator[type[Constraint]]:
    """The kinds of the parts of a constraint."""
    yield type(constraint)
    if isinstance(constraint, And | Or | Not):
        for part in constraint.values:
            yield from _kinds(part)


def _json(found: Expression) -> dict[str, Any]:
    constraint = to_json(found.constraint)
    return {"expression": _text(found), "by": found.by, "constraint": constraint}


def _text(found: Expression) -> str:
    """An expression that can be given to a verb, none of which takes a blank one."""
    return found.text or "{}"
