"""Whether two constraints say the same, whatever the cluster (RFC 31)."""

from collections.abc import Hashable, Iterable
from typing import TypeAlias

from fluxtui.model.constraint import (
    And,
    Constraint,
    Everything,
    Hostlist,
    Not,
    Or,
    Properties,
    Ranks,
)
from fluxtui.notation.hosts import HostList

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
        case Hostlist(values, hosts):
            return ("hosts", _names(hosts)) if any(values) else NEVER
        case Ranks(values, ids):
            return ("ranks", ids) if any(values) else NEVER
        case Or(values):
            return _row("or", map(meaning, values)) if values else ALWAYS
        case Not(values):
            return opposite(_row("and", map(meaning, values))) if values else NEVER
        case And(values):
            return _row("and", map(meaning, values))


def opposite(found: Meaning) -> Meaning:
    """What ``not`` of it says."""
    if found in (ALWAYS, NEVER):
        return NEVER if found == ALWAYS else ALWAYS
    if found[0] == "not":
        inner = found[1]
        assert isinstance(inner, tuple)
        return inner
    return ("not", found)


def _property(value: str) -> Meaning:
    return ("not", ("property", value[1:])) if value.startswith("^") else ("property", value)


def _row(kind: str, meanings: Iterable[Meaning]) -> Meaning:
    """All of several, or any of them: those of the same kind are taken apart."""
    found: set[Hashable] = set()
    for one in meanings:
        if one[0] == kind and isinstance(one[1], frozenset):
            found |= one[1]
        else:
            found.add(one)
    if len(found) == 1:
        (only,) = found
        assert isinstance(only, tuple)
        return only
    return (kind, frozenset(found))


def _names(hosts: HostList) -> Hashable:
    if hosts.count <= MAX_NAMED:
        return frozenset(hosts)
    return tuple(zip(*hosts.rows, strict=True))
