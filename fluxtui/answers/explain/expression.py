"""From nodes to text: the shortest constraint that selects exactly these (RFC 31, RFC 35).

What is looked through, for the fewest characters as `query.format` writes them (``&`` and ``|``
without white space, ``-`` before a term, ``not (...)``):

- Expressions of properties, however nested, also with lists such as ``-a,b``. All are tried by
  their length as far as ``expression_search.WORK`` goes, and then none is shorter than the one
  that is found. Where that ends, sums and products of those made until then, of any two
  properties and of further rows of them, and their opposites; by a search that ends after a
  number of steps, with what it found best.
- The hosts, the ranks, and those of all other nodes negated, by names that the cluster has.
- An expression of up to three properties, made by adding one after the other to those that are
  nearly right, with a list of hosts or of ranks that is taken away, added or met.

Every text is read again and evaluated before it is given out. The shortest is the best, but
properties, which say why, are preferred to hosts and ranks also where they take a few characters
more (``WHY``), and a list that is negated counts for more than its length (``NEGATED``). At equal
cost hosts come before ranks.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from fluxtui.answers.explain import expression_lists as lists
from fluxtui.answers.explain.expression_mixed import mixed
from fluxtui.answers.explain.expression_properties import by_properties
from fluxtui.answers.explain.expression_terms import Cancelled, StoppedError, go_on, literals
from fluxtui.answers.matching import match
from fluxtui.model.constraint import requires
from fluxtui.model.constraint import tree as rfc31
from fluxtui.model.constraint.tree import And, Constraint, Everything, Hostlist, Not, Or, Ranks
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import MAX_LENGTH
from fluxtui.notation.query import tree
from fluxtui.notation.query.format import format as format_query
from fluxtui.notation.query.tree import Node

#: Properties say why, and are preferred where that takes at most so many characters more.
WHY = 20

#: A list that is negated is read backwards, and takes in every node that is added later: each of
#: its characters counts for so many, and it is the best only where it is much the shorter one.
NEGATED = 1.5

By = Literal["properties", "mixed", "hosts", "ranks", "everything"]

_ORDER: tuple[By, ...] = ("everything", "properties", "mixed", "hosts", "ranks")


@dataclass(frozen=True, slots=True)
class Expression:
    """A constraint that selects exactly some nodes.

    text        as it is typed: a query (RFC 35), blank for every node
    constraint  what it asks
    mask        the nodes
    by          what tells them from the others; ``mixed`` is properties with hosts or ranks
    """

    text: str
    constraint: Constraint
    mask: int
    by: By

    @property
    def is_too_long(self) -> bool:
        """No input takes so long a text."""
        return len(self.text) > MAX_LENGTH

    @property
    def is_negated(self) -> bool:
        """It takes in all nodes but those of a list, with no property that narrows it."""
        return _is_negated(self.constraint)

    @property
    def cost(self) -> int:
        """The characters of its text, those of a negated list counted for more."""
        return int(len(self.text) * NEGATED) if self.is_negated else len(self.text)

    @property
    def order(self) -> tuple[int, int]:
        """Of two expressions the one to prefer comes first."""
        lead = WHY if self.by == "properties" else 0
        return self.cost - lead, _ORDER.index(self.by)


def _is_negated(constraint: Constraint) -> bool:
    match constraint:
        case Not((Hostlist() | Ranks(),)):
            return True
        case Or(values):
            return any(map(_is_negated, values))
        case And(values):
            return bool(values) and all(map(_is_negated, values))
    return False


def expression(
    mask: int, resources: Resources, cancelled: Cancelled = lambda: False
) -> Expression | None:
    """The best expression for exactly these nodes; see above for what is looked through.

    None where there is no node, or once cancelled says so. Takes some 0.1 s, and up to some seconds
    for a million nodes: for a worker.
    """
    found: Expression | None = None
    for better in expressions(mask, resources, cancelled):
        found = better
    return None if cancelled() else found


def expressions(
    mask: int, resources: Resources, cancelled: Cancelled = lambda: False
) -> Iterator[Expression]:
    """Expressions for exactly these nodes, each better than the one before, the first at once.

    Ends early once cancelled says so, which is asked every few milliseconds; of a million nodes
    without any order every 0.3 s.
    """
    best: Expression | None = None
    for found in _all(mask, resources, cancelled):
        if best is None or found.order < best.order:
            best = found
            yield found


def choices(
    mask: int, resources: Resources, cancelled: Cancelled = lambda: False
) -> tuple[Expression, ...]:
    """The best expression of each kind for exactly these nodes, the best one first.

    Where a negated list is the best of its kind, the list of the nodes themselves is there too. One
    that mixes properties with hosts or ranks is only among them where it is better than all
    others. Empty once cancelled says so.
    """
    found: dict[tuple[By, bool], Expression] = {}
    for one in _all(mask, resources, cancelled):
        found[one.by, one.is_negated and one.by != "mixed"] = one
    ordered = sorted(found.values(), key=lambda one: one.order)
    kept = (one for number, one in enumerate(ordered) if not number or one.by != "mixed")
    return () if cancelled() else tuple(kept)


def _all(mask: int, resources: Resources, cancelled: Cancelled) -> Iterator[Expression]:
    """Expressions for these nodes, each better than those before of its kind."""
    mask &= resources.everything
    if not mask:
        return
    if mask == resources.everything:
        yield Expression("", Everything(), mask, "everything")
        return
    best: dict[By, Expression] = {}
    try:
        for by, node in _candidates(mask, resources, best, cancelled):
            go_on(cancelled)
            found = _made(node, by, mask, resources, best.get(by), cancelled)
            if found is not None:
                best[by] = found
                yield found
    except StoppedError:
        return


def _candidates(
    mask: int, resources: Resources, best: Mapping[By, Expression], cancelled: Cancelled
) -> Iterator[tuple[By, Node]]:
    """What may be better than the best of each kind so far, the quickest to find first."""
    others = resources.everything ^ mask
    # Of very many stretches a list is longer than any input takes, and not quick to make.
    if lists.runs(mask) <= lists.MAX_RUNS:
        yield from _listed(mask, others, resources, cancelled)
    positive, signed = literals(resources, cancelled)
    limit = _least(best) + WHY
    for node in by_properties(mask, resources, positive, signed, limit, cancelled):
        yield "properties", node
    if not best:
        yield from _listed(mask, others, resources, cancelled)
    for node in mixed(mask, resources, signed, _least(best), cancelled):
        yield "mixed", node


def _least(best: Mapping[By, Expression]) -> int:
    """The least cost so far, at most the characters that an input takes."""
    return min((MAX_LENGTH, *(one.cost for one in best.values())))


def _listed(
    mask: int, others: int, resources: Resources, cancelled: Cancelled
) -> Iterator[tuple[By, Node]]:
    """The nodes, and all others negated, by their ranks and by their hosts."""
    yield "ranks", lists.ranks(mask, mask, resources, cancelled).term
    if lists.runs(others) <= lists.MAX_RUNS:
        yield "ranks", tree.Not(lists.ranks(others, others, resources, cancelled).term)
    named = lists.hosts(mask, mask, resources, cancelled)
    if named is not None:
        yield "hosts", named.term
    named = lists.hosts(others, others, resources, cancelled)
    if named is not None:
        yield "hosts", tree.Not(named.term)


def _made(
    node: Node,
    by: By,
    mask: int,
    resources: Resources,
    best: Expression | None,
    cancelled: Cancelled,
) -> Expression | None:
    """A query with its text; None where it is no better, or not exactly for these nodes."""
    try:
        text = format_query(node)
    except ValueError:
        return None
    if best is not None and len(text) >= best.cost:
        return None
    found = Expression(text, Everything(), mask, by)
    if found.is_too_long:
        constraint = rfc31.read(tree.to_constraint(node)).value
    else:
        constraint = requires.read(text).constraint
    go_on(cancelled)
    if constraint is None or match.match(constraint, resources) != mask:
        return None
    found = replace(found, constraint=constraint)
    return found if best is None or found.cost < best.cost else None
