"""What is said of the marks on a constraint."""

from collections.abc import Iterable, Sequence

from fluxtui.answers.explain.clauses import Clause
from fluxtui.answers.explain.meaning import meaning, opposite
from fluxtui.answers.explain.parts import quoted
from fluxtui.answers.explain.words import few, predicate, some
from fluxtui.model.constraint.tree import Constraint, Hostlist, Properties, Ranks
from fluxtui.notation.wording import listed


def _are_opposite(clauses: Sequence[Clause]) -> bool:
    if len(clauses) != 2:
        return False
    one, other = (meaning(clause.constraint) for clause in clauses)
    return one == opposite(other)


def excluding(clauses: Sequence[Clause]) -> str:
    """These cannot hold together."""
    names = listed(few([quoted(clause.constraint) for clause in clauses]))
    if _are_opposite(clauses):
        return f"{names} contradict each other, so that no node can match"
    if len(clauses) == 2:
        return f"{names} have no node in common"
    return f"{names} have no node in common, though each matches some"


def never(clause: Clause) -> str:
    """Every node satisfies what must not hold."""
    said = predicate(clause, holds=False)
    return f"every node is {said}, so that {quoted(clause.constraint)} matches none"


def always(clauses: Sequence[Clause]) -> str:
    """One of these holds for every node."""
    said = some((predicate(clause) for clause in clauses), "or", len(clauses))
    return f"every node is {said}, so that this leaves none out"


def again(clause: Clause, times: int) -> str:
    """The same stands there already; so many times in all."""
    often = "twice" if times == 2 else f"{times:,} times"
    return f"{quoted(clause.constraint)} is said {often}; once is enough"


def double(clause: Clause) -> str:
    """It negates what is negated already."""
    inner = clause.clauses[0]
    if isinstance(inner.constraint, Properties):
        meant: Constraint = Properties((inner.constraint.values[0].removeprefix("^"),))
    else:
        meant = inner.clauses[0].constraint
    same = f"{quoted(clause.constraint)} is the same as {quoted(meant)}"
    return f"a 'not' of a 'not' changes nothing: {same}"


def whoever(clause: Clause) -> str:
    """Each node that a clause holds for, to be followed by ``is``."""
    said, constraint = predicate(clause), clause.constraint
    if clause.kind != "term":
        return f"every node that is {said}"
    if isinstance(constraint, Hostlist) and constraint.hosts.count == 1:
        return said
    if isinstance(constraint, Ranks) and constraint.ids.count == 1:
        return said
    return f"every node {said}"


def idle(clause: Clause, others: Iterable[Clause], everything: int, every: bool) -> str:
    """A clause changes nothing beside the others; every: all of them have to hold."""
    name = quoted(clause.constraint)
    if every:
        if clause.mask == everything:
            return f"{name} changes nothing: every node is {predicate(clause)}"
        for other in others:
            if other.mask and other.mask & clause.mask == other.mask:
                said = f"{whoever(other)} is also {predicate(clause)}"
                return f"{name} changes nothing: {said}"
        return f"{name} changes nothing here: all that the other terms leave satisfies it"
    for other in others:
        if clause.mask & other.mask == clause.mask:
            said = f"{whoever(clause)} is also {predicate(other)}"
            return f"{name} can be left out: {said}"
    return f"{name} can be left out: the same nodes match without it"
