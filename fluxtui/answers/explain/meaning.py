"""Whether two constraints say the same, whatever the cluster (RFC 31)."""

from collections.abc import Hashable, Iterable
from typing import TypeAlias

from fluxtui.model.constraint.tree import (
    And,
    Constraint,
    Everything,
    Hostlist,
    Not,
    Or,
    Properties,
    Ranks,
)
from fluxtui.notation.sets.hosts import HostList
from fluxtui.notation.sets.idset import IdSet

#: Hosts of a longer list are compared as they are written.
MAX_NAMED = 200

#: What a constraint says; equal only for those that say the same.
Meaning: TypeAlias = tuple[Hashable, ...]

ALWAYS: Meaning = ("and", frozenset())
NEVER: Meaning = ("or", frozenset())


def meaning(constraint: Constraint) -> Meaning:
    """What a constraint says, in whatever order and however nested it is written.

    Where two meanings are equal, so are the nodes on every cluster; not the other way round.
    """
    match constraint:
        case Everything():
            return ALWAYS
        case Properties(values):
            return _row("and", map(_property, values))
        case Hostlist(_, hosts):
            return ("hosts", _names(hosts)) if hosts else NEVER
        case Ranks(_, ids):
            return ("ranks", ids) if ids else NEVER
        case Or(values):
            return _row("or", map(meaning, values)) if values else ALWAYS
        case Not(values):
            return opposite(_row("and", map(meaning, values))) if values else NEVER
        case And(values):
            return _row("and", map(meaning, values))


def opposite(found: Meaning) -> Meaning:
    """What ``not`` of it says: of a row, any or all of the opposites of what stands in it."""
    kind, inner = found[0], found[1]
    if kind == "not":
        assert isinstance(inner, tuple)
        return inner
    if kind in ("and", "or") and isinstance(inner, frozenset):
        return _row("or" if kind == "and" else "and", map(opposite, inner))
    return ("not", found)


def _property(value: str) -> Meaning:
    return ("not", ("property", value[1:])) if value.startswith("^") else ("property", value)


def _row(kind: str, meanings: Iterable[Meaning]) -> Meaning:
    """All of several, or any of them: those of the same kind are taken apart.

    Several lists of ranks, any of which will do, are one, and so are those of hosts; so are those
    none of which may hold the node.
    """
    found: set[Meaning] = set()
    for one in meanings:
        if one == (NEVER if kind == "and" else ALWAYS):
            return one
        if one[0] == kind and isinstance(one[1], frozenset):
            found |= one[1]
        else:
            found.add(one)
    if len(found) > 1:
        found = _joined(found, negated=kind == "and")
    return next(iter(found)) if len(found) == 1 else (kind, frozenset(found))


def _joined(meanings: set[Meaning], *, negated: bool) -> set[Meaning]:
    """The same with one list of ranks and one of hosts, as far as these are looked at."""
    ranks: list[IdSet] = []
    hosts: list[frozenset[str]] = []
    found: set[Meaning] = set()
    for one in meanings:
        is_negated = one[0] == "not"
        match one[1] if is_negated else one:
            case ("ranks", IdSet() as ids) if is_negated is negated:
                ranks.append(ids)
            case ("hosts", frozenset() as names) if is_negated is negated:
                hosts.append(names)
            case _:
                found.add(one)
    joined: list[Meaning] = []
    if ranks:
        joined.append(("ranks", IdSet.from_ranges(pair for ids in ranks for pair in ids.ranges)))
    if hosts:
        joined.append(("hosts", frozenset().union(*hosts)))
    return found | set(map(opposite, joined) if negated else joined)


def _names(hosts: HostList) -> Hashable:
    if hosts.count <= MAX_NAMED:
        return frozenset(hosts)
    return tuple(zip(*hosts.rows, strict=True))
