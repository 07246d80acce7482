"""Which nodes satisfy a constraint, and why the others do not (RFC 31).

Answers are masks: an ``int`` with one bit for each rank index of the resources.
"""

from collections.abc import Iterator
from dataclasses import dataclass

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
from fluxtui.model.resource_set import Resources
from fluxtui.notation import hostlist, idset
from fluxtui.notation.hostlist import Builder, HostList
from fluxtui.notation.source import Problem, at, nearest

# Hosts of a constraint are looked up one by one for a hint up to this many.
MAX_NAMED = 2000

# Sets with more ranges than this are counted in hints, not spelled out.
MAX_RANGES = 1000


@dataclass(frozen=True, slots=True)
class Counted:
    """One part of a constraint with the nodes that satisfy it.

    path says where it stands in the RFC 31 object. A ``properties`` with several values
    has a part for each of them.
    """

    constraint: Constraint
    mask: int
    path: str
    parts: tuple["Counted", ...] = ()


@dataclass(frozen=True, slots=True)
class Reason:
    """One condition of a constraint, and whether a node meets it."""

    constraint: Constraint
    text: str
    holds: bool


def match(constraint: Constraint, resources: Resources) -> int:
    """The mask of the nodes that satisfy a constraint.

    ``{}``, an empty ``and``, ``or`` and ``properties`` match all nodes; an empty ``not``,
    ``hostlist`` and ``ranks`` match none. A host name is not a property.
    """
    match constraint:
        case Everything():
            return resources.everything
        case Properties(values):
            return _properties(values, resources)
        case Hostlist():
            return resources.mask_of_hosts(constraint.hosts)
        case Ranks():
            return resources.mask_of_ranks(constraint.ids)
        case Or(values) if values:
            mask = 0
            for part in values:
                mask |= match(part, resources)
            return mask
        case Not(values):
            return resources.everything & ~_all(values, resources) if values else 0
    return _all(constraint.values, resources)


def _all(values: tuple[Constraint, ...], resources: Resources) -> int:
    mask = resources.everything
    for part in values:
        mask &= match(part, resources)
    return mask


def _properties(values: tuple[str, ...], resources: Resources) -> int:
    mask = resources.everything
    for value in values:
        if value.startswith("^"):
            mask &= ~resources.properties.get(value[1:], 0)
        else:
            mask &= resources.properties.get(value, 0)
    return mask


def counted(constraint: Constraint, resources: Resources, path: str = "") -> Counted:
    """The constraint as a tree, each part with the nodes that satisfy it alone."""
    parts: tuple[Counted, ...] = ()
    match constraint:
        case Properties(values) if len(values) > 1:
            where = at(path, "properties")
            parts = tuple(
                Counted(Properties((value,)), _properties((value,), resources), at(where, number))
                for number, value in enumerate(values)
            )
        case And() | Or() | Not():
            where = at(path, operator(constraint))
            parts = tuple(
                counted(part, resources, at(where, number))
                for number, part in enumerate(constraint.values)
            )
    return Counted(constraint, _combined(constraint, parts, resources), path, parts)


def _combined(constraint: Constraint, parts: tuple[Counted, ...], resources: Resources) -> int:
    """The mask of a constraint from those of its parts."""
    if not parts:
        return match(constraint, resources)
    if isinstance(constraint, Or):
        mask = 0
        for part in parts:
            mask |= part.mask
        return mask
    mask = resources.everything
    for part in parts:
        mask &= part.mask
    return resources.everything & ~mask if isinstance(constraint, Not) else mask


def operator(constraint: Constraint) -> str:
    """The RFC 31 name of a constraint's operator; empty for ``{}``."""
    return "" if isinstance(constraint, Everything) else type(constraint).__name__.lower()


def why(tree: Counted, index: int) -> tuple[Reason, ...]:
    """The conditions a node has to meet, all of them, and whether it meets each.

    The parts of ``and`` and ``properties`` are conditions of their own, also below one
    another; an ``or`` or a ``not`` is one condition.
    """
    if isinstance(tree.constraint, And | Properties) and tree.parts:
        return tuple(reason for part in tree.parts for reason in why(part, index))
    return (Reason(tree.constraint, describe(tree.constraint), bool(tree.mask >> index & 1)),)


def describe(constraint: Constraint) -> str:
    """A constraint in words, such as ``gpu and not (host n[0-3])``."""
    match constraint:
        case Everything():
            return "any node"
        case Properties(values):
            words = [f"not {v[1:]}" if v.startswith("^") else v for v in values]
            return " and ".join(words) if words else "any node"
        case Hostlist(values):
            return f"host {','.join(values)}" if values else "no node"
        case Ranks(values):
            return f"rank {','.join(values)}" if values else "no node"
        case Not(values):
            return f"not {_grouped(And(values))}" if values else "no node"
    joint = " or " if isinstance(constraint, Or) else " and "
    return joint.join(_grouped(part) for part in constraint.values) or "any node"


def _grouped(constraint: Constraint) -> str:
    while isinstance(constraint, And | Or) and len(constraint.values) == 1:
        constraint = constraint.values[0]
    many = not isinstance(constraint, Everything) and len(constraint.values) > 1
    simple = isinstance(constraint, Hostlist | Ranks) or not many
    text = describe(constraint)
    return text if simple else f"({text})"


def hints(constraint: Constraint, resources: Resources, path: str = "") -> tuple[Problem, ...]:
    """Warnings on what a constraint names and the cluster does not have."""
    return tuple(_hints(constraint, resources, path))


def _hints(constraint: Constraint, resources: Resources, path: str) -> Iterator[Problem]:
    match constraint:
        case Properties(values):
            for number, value in enumerate(values):
                name = value.removeprefix("^")
                if name and not resources.properties.get(name):
                    yield _unknown_property(name, resources, at(path, "properties", number))
        case Hostlist(values):
            for number, value in enumerate(values):
                yield from _unknown_hosts(value, resources, at(path, "hostlist", number))
        case Ranks(values):
            for number, value in enumerate(values):
                yield from _unknown_ranks(value, resources, at(path, "ranks", number))
        case And(values) | Or(values) | Not(values):
            for number, part in enumerate(values):
                yield from _hints(part, resources, at(path, operator(constraint), number))


def _warning(message: str, path: str, *expected: str) -> Problem:
    return Problem(message, None, path, expected, "RFC 31", "warning")


def _unknown_property(name: str, resources: Resources, path: str) -> Problem:
    hosts = hostlist.parse(name)
    if hosts.ok and resources.mask_of_hosts(hosts.value):
        what = "a host" if hosts.value.count == 1 else "a list of hosts"
        return _warning(
            f"'{name}' is {what}, not a property; write host:{name}", path, f"host:{name}"
        )
    near = nearest(name, resources.properties)
    if near is None:
        near = next((p for p in resources.properties if p.lower() == name.lower()), None)
    if near is None:
        return _warning(f"no node has property '{name}'", path)
    count = resources.properties[near].bit_count()
    nodes = "1 node" if count == 1 else f"{count:,} nodes"
    return _warning(f"no node has property '{name}'; did you mean {near} ({nodes})?", path, near)


def _unknown_hosts(value: str, resources: Resources, path: str) -> Iterator[Problem]:
    hosts = hostlist.parse(value).value
    if not hosts:
        return
    if hosts.count > MAX_NAMED:
        found = resources.mask_of_hosts(hosts).bit_count()
        if found < hosts.count:
            missing = hosts.count - found
            yield _warning(f"{missing:,} of {hosts.count:,} hosts are not in the cluster", path)
        return
    index = resources.host_index
    missing_names = [name for name in hosts if not index.places(name)]
    if not missing_names:
        return
    text = hostlist.format(_list(missing_names), 5)
    if len(missing_names) == 1:
        yield _warning(f"host '{text}' is not in the cluster", path)
    else:
        yield _warning(f"{len(missing_names):,} hosts are not in the cluster: {text}", path)


def _list(names: list[str]) -> HostList:
    out = Builder()
    out.names(names)
    return out.done()


def _unknown_ranks(value: str, resources: Resources, path: str) -> Iterator[Problem]:
    ids = idset.parse(value).value
    found = resources.ranks.locate(ids).count
    if found == ids.count:
        return
    missing = ids.count - found
    if len(resources.ranks.starts) > MAX_RANGES:
        yield _warning(f"{missing:,} of {ids.count:,} ranks are not in the cluster", path)
        return
    text = idset.format(ids - resources.ranks, 5)
    ranks = idset.format(resources.ranks, 5)
    verb = f"rank {text} is" if missing == 1 else f"ranks {text} are"
    yield _warning(f"{verb} not in the cluster, which has {ranks or 'none'}", path)
