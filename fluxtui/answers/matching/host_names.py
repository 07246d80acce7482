"""Hosts found by how their names begin, for a person who types one."""

from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate, chain, islice
from typing import NamedTuple

from fluxtui.answers.listing.orders import natural
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import is_digits
from fluxtui.notation.sets.hosts import DIGITS, MAX_DIGITS, Style


class _Names(NamedTuple):
    """The ranges of one style, ascending by number: first and last number, index of the first.

    ends has the largest last number so far, where ranges overlap as names are repeated.
    """

    style: Style
    firsts: list[int]
    lasts: list[int]
    indices: list[int]
    ends: list[int]


class HostNames:
    """Finds nodes by the beginning of a host name, or by a rank.

    Building it takes the hostlist apart, linear in its ranges: in the background. Finding costs
    what the styles of names cost, not the nodes.
    """

    __slots__ = ("_alone", "_numbered", "_resources")

    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        found: dict[Style, list[tuple[int, int, int]]] = {}
        alone: list[tuple[str, int]] = []
        for style, first, last, index in zip(*resources.hosts.columns, strict=False):
            if style[1]:
                found.setdefault(style, []).append((first, last, index))
            else:
                alone.append((style[0], index))
        self._alone = sorted(alone)
        self._numbered: list[_Names] = []
        for style in sorted(found, key=natural):
            firsts, lasts, indices = zip(*sorted(found[style]), strict=True)
            ends = list(accumulate(lasts, max))
            names = _Names(style, list(firsts), list(lasts), list(indices), ends)
            self._numbered.append(names)

    def find(self, text: str, most: int) -> list[int]:
        """The indices of the first nodes that a text may mean, so many at most.

        The rank of this number comes first, then the host of this name, then hosts whose names go
        on after it; none for a blank text.
        """
        if not text:
            return []
        count = self._resources.node_count
        rank = self._resources.index_of_rank(int(text)) if _is_rank(text) else None
        ranked = () if rank is None else (rank,)
        exact: list[int] = []
        longer: list[int] = []
        for index in islice(chain(self._lone(text), self._beginning(text)), 4 * most):
            name = self._resources.host(index)
            if name == text:
                exact.append(index)
            elif name.startswith(text):
                longer.append(index)
        places = dict.fromkeys((*ranked, *exact, *longer))
        return [index for index in places if index < count][:most]

    def _lone(self, text: str) -> Iterator[int]:
        """Names without a number."""
        at = bisect_left(self._alone, (text, -1))
        while at < len(self._alone) and self._alone[at][0].startswith(text):
            yield self._alone[at][1]
            at += 1

    def _beginning(self, text: str) -> Iterator[int]:
        for names in self._numbered:
            prefix, width, suffix = names.style
            if prefix.startswith(text):
                yield from _between(names, 0, names.ends[-1])
            elif text.startswith(prefix):
                rest = text[len(prefix) :]
                digits = rest[: len(rest) - len(rest.lstrip(DIGITS))]
                if len(digits) > MAX_DIGITS:
                    continue
                if digits == rest:
                    longest = len(str(names.ends[-1]))
                    for low, high in _numbers(digits, width, longest):
                        yield from _between(names, low, high)
                elif digits and suffix.startswith(rest[len(digits) :]):
                    yield from _between(names, int(digits), int(digits))


def _is_rank(text: str) -> bool:
    return is_digits(text) and len(text) <= 18


def _numbers(digits: str, width: int, longest: int) -> Iterator[tuple[int, int]]:
    """The ranges of the numbers whose digits, zeros to a width before them, begin with these."""
    for length in range(max(len(digits), width), max(longest, width) + 1):
        scale = 10 ** (length - len(digits))
        low, high = int(digits) * scale, (int(digits) + 1) * scale - 1
        if length > width:
            low = max(low, 10 ** (length - 1))
        if low <= high:
            yield low, high


def _between(names: _Names, low: int, high: int) -> Iterator[int]:
    """The indices of the names with the numbers from low to high."""
    at = bisect_left(names.firsts, low)
    while at and names.ends[at - 1] >= low:
        at -= 1
    while at < len(names.firsts) and names.firsts[at] <= high:
        first, last = max(names.firsts[at], low), min(names.lasts[at], high)
        shift = names.indices[at] - names.firsts[at]
        yield from range(first + shift, last + shift + 1)
        at += 1
