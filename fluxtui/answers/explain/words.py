"""What keeps nodes out, in words: ``not in batch``, ``in neither gpu nor bigmem``."""

from collections.abc import Iterable
from typing import NamedTuple

from fluxtui.answers.explain.clauses import Clause
from fluxtui.answers.explain.listing import listed
from fluxtui.model.constraint import Constraint, Hostlist, Properties, Ranks
from fluxtui.notation.query_tree import shown

#: Conditions a sentence tells; it counts the others.
MOST = 6


class Claim(NamedTuple):
    """A clause holds, or does not."""

    clause: Clause
    holds: bool


def is_property(constraint: Constraint) -> bool:
    """A term that asks for one property, or for nodes without it."""
    return isinstance(constraint, Properties) and len(constraint.values) == 1


def excludes(clause: Clause) -> bool:
    """A term that asks for nodes without a property."""
    constraint = clause.constraint
    if not isinstance(constraint, Properties) or len(constraint.values) != 1:
        return False
    return constraint.values[0].startswith("^")


def phrase(claims: Iterable[Claim]) -> str:
    """What is claimed of a node or of several, to follow ``it is`` or ``they are``.

    Empty where nothing is claimed, as of ``{}``.
    """
    positive: list[str] = []
    without: list[str] = []
    negative: list[str] = []
    for clause, holds in dict.fromkeys(claims):
        if clause.kind != "term":
            positive.append(alternatives(clause, holds))
        elif isinstance(clause.constraint, Properties) and clause.constraint.values:
            name = clause.constraint.values[0]
            excluded = name.startswith("^")
            word = _short(name[1:] if excluded else name)
            if holds != excluded:
                positive.append(f"in {word}")
            else:
                without.append(word)
        elif noun := _noun(clause.constraint):
            (positive if holds else negative).append(noun if holds else f"not {noun}")
    items = list(dict.fromkeys(positive)) + _neither(list(dict.fromkeys(without)))
    items += dict.fromkeys(negative)
    if len(items) > MOST:
        items[MOST:] = [f"{len(items) - MOST:,} more such things"]
    if len(items) == 1:
        return items[0]
    # What begins with "either" stands last, so that it is plain where it ends.
    plain = [item for item in items if " or " not in item]
    return listed([*plain, *(f"either {item}" for item in items if " or " in item)])


def _neither(names: list[str]) -> list[str]:
    if len(names) == 2:
        return [f"in neither {names[0]} nor {names[1]}"]
    if len(names) > MOST:
        names[MOST:] = [f"{len(names) - MOST:,} more"]
    if len(names) > 2:
        return [f"in none of {listed(names)}"]
    return [f"not in {name}" for name in names]


def alternatives(clause: Clause, holds: bool) -> str:
    """An ``or`` that holds, or an ``and`` that does not, when it is not known for which reason."""
    return listed([predicate(inner, holds) for inner in clause.clauses], "or")


def claims_of(clause: Clause, holds: bool) -> list[Claim]:
    """What it means that a clause holds or does not, as far as that is one row of facts."""
    if clause.kind == "not":
        return claims_of(clause.clauses[0], not holds)
    if clause.kind == ("and" if holds else "or"):
        return [claim for inner in clause.clauses for claim in claims_of(inner, holds)]
    return [Claim(clause, holds)]


def predicate(clause: Clause, holds: bool = True) -> str:
    """A clause as something said of a node: ``in gpu``, ``not among ranks 0-3``."""
    return phrase(claims_of(clause, holds)) or "there"


def _noun(constraint: Constraint) -> str:
    """What a list of hosts or of ranks asks of a node; empty for a list of none."""
    if isinstance(constraint, Hostlist) and constraint.hosts:
        what, count = "host", constraint.hosts.count
    elif isinstance(constraint, Ranks) and constraint.ids:
        what, count = "rank", constraint.ids.count
    else:
        return ""
    text = _short(",".join(constraint.values))
    return f"{what} {text}" if count == 1 else f"among {what}s {text}"


def _short(text: str) -> str:
    return shown(text)[1:-1]
