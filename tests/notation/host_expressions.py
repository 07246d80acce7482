"""Ranges of hosts as a user writes them, digits next to the brackets among them."""

from collections.abc import Iterable

from fluxtui.notation.sets import hostlist
from fluxtui.notation.sets.hosts import Builder, HostList, HostRange


def written(group: HostRange) -> str:
    """The hostlist expression of a range."""
    prefix, first, last, width, suffix = group
    return f"{prefix}[{first:0{width}d}-{last:0{width}d}]{suffix}" if width else prefix


def read(groups: Iterable[HostRange]) -> HostList:
    """What is read from the expressions of these ranges."""
    parsed = hostlist.parse(",".join(map(written, groups)))
    assert parsed.ok, parsed.problems
    return parsed.value


def names(groups: Iterable[HostRange]) -> list[str]:
    """The name of each host."""
    return [group.name(n) for group in groups for n in range(group.first, group.last + 1)]


def encode(names: Iterable[str]) -> str:
    """The names, in order, as one compressed hostlist text."""
    out = Builder()
    out.names(names)
    return str(out.done())
