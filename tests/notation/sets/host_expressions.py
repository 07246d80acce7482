"""Ranges of hosts as a user writes them, digits next to the brackets among them."""

from collections.abc import Iterable

from hypothesis import strategies as st

from fluxtui.notation.sets import hostlist
from fluxtui.notation.sets.hostlist import Builder, HostList, HostRange

#: Ranges of a few names each.
RANGES = st.builds(
    lambda prefix, first, size, width, suffix: HostRange(
        prefix, first, first + size, width, suffix
    ),
    st.sampled_from(["n", "n1", "n0", "n-", "n1-", "", "n1-2", "n1-2-"]),
    st.integers(0, 25) | st.integers(95, 120),
    st.integers(0, 40),
    st.integers(1, 3),
    st.sampled_from(["", "-x", "0", "-1", "1", "1-1", "01"]),
)


def written(group: HostRange) -> str:
    """The hostlist expression of a range."""
    prefix, first, last, width, suffix = group
    return f"{prefix}[{first:0{width}d}-{last:0{width}d}]{suffix}" if width else prefix


def hosts(text: str) -> HostList:
    """The hosts of a text without problems."""
    parsed = hostlist.parse(text)
    assert parsed.ok, parsed.problems
    return parsed.value


def read(groups: Iterable[HostRange]) -> HostList:
    """What is read from the expressions of these ranges."""
    return hosts(",".join(map(written, groups)))


def joined(groups: Iterable[HostRange]) -> HostList:
    """The hosts of these ranges, where what counts up is joined."""
    out = Builder()
    for group in groups:
        out.add(group)
    return out.done()


def names(groups: Iterable[HostRange]) -> list[str]:
    """The name of each host."""
    return [group.name(n) for group in groups for n in range(group.first, group.last + 1)]


def encode(names: Iterable[str]) -> str:
    """The names, in order, as one compressed hostlist text."""
    out = Builder()
    out.names(names)
    return str(out.done())
