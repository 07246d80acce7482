"""Which properties a constraint names, and what it asks of each of them (RFC 31)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from fluxtui.model.constraint.tree import And, Constraint, Not, Or, Properties
from fluxtui.notation.problem import at

#: What a constraint asks of a property that it names: every node that matches has it, none has it,
#: it is one way among several, or, which no node can do, both of the first.
Standing: TypeAlias = Literal["required", "excluded", "either", "both"]


@dataclass(frozen=True, slots=True)
class Term:
    """One place where a constraint names a property.

    name    the property, without ``^``
    path    the place of the name in the RFC 31 object
    whole   the place of all that asks for just this: that of the ``not`` around it, if one is
    plain   it is written without ``^``
    wanted  the nodes are to have it, all negations counted
    binds   no node matches otherwise
    """

    name: str
    path: str
    whole: str
    plain: bool
    wanted: bool
    binds: bool


def terms(constraint: Constraint) -> Iterator[Term]:
    """The places where a constraint names properties, in its order."""
    return _terms(constraint, "", wanted=True, binds=True)


def standings(constraint: Constraint | None) -> dict[str, Standing]:
    """What a constraint asks of each property that it names; nothing where there is none.

    What binds counts before what is one way among several.
    """
    found: dict[str, Standing] = {}
    for term in terms(constraint) if constraint is not None else ():
        before = found.get(term.name, "either")
        if not term.binds:
            found.setdefault(term.name, "either")
        elif before == ("excluded" if term.wanted else "required"):
            found[term.name] = "both"
        elif before == "either":
            found[term.name] = "required" if term.wanted else "excluded"
    return found


def _terms(
    constraint: Constraint, path: str, *, wanted: bool, binds: bool, around: str | None = None
) -> Iterator[Term]:
    """The terms of a part; around is the place of a ``not`` that negates this part alone."""
    match constraint:
        case Properties(values):
            alone = len(values) == 1
            binds = binds and (wanted or alone)
            for number, value in enumerate(values):
                here = path if alone else at(path, "properties", number)
                plain = not value.startswith("^")
                whole = around if alone and around is not None else here
                name = value.removeprefix("^")
                yield Term(name, here, whole, plain, wanted == plain, binds)
        case And(values) | Or(values) | Not(values):
            inside = at(path, constraint.operator)
            alone = len(values) == 1
            # Under a negation, ``or`` asks for all of its operands and ``and`` for one of them.
            if isinstance(constraint, Not):
                wanted = not wanted
            all_of = wanted != isinstance(constraint, Or)
            for number, operand in enumerate(values):
                yield from _terms(
                    operand,
                    at(inside, number),
                    wanted=wanted,
                    binds=binds and (alone or all_of),
                    around=path if alone and isinstance(constraint, Not) else None,
                )
