"""Sets of ranks or of hosts, and the shortest list that names one (RFC 22, RFC 29).

The names of hosts stand under what comes before their number, so that sets of very many are put
together by their ranges. One name may be written in several ways (``n1[2-3]`` and ``n[12-13]``);
here it has one place only, without which two sets could not be told apart.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Literal, NamedTuple

from fluxtui.model.constraint.tree import Hostlist, Ranks
from fluxtui.notation.sets import hostlist, idset
from fluxtui.notation.sets.hosts import DIGITS, MAX_DIGITS, Builder, HostRange, Style
from fluxtui.notation.sets.idset import IdSet

#: Names in a constraint that are looked at one by one, their number not being at their end.
MAX_NAMED = 500
#: So few names are also tried without brackets, as in ``n1,n2``.
FEW = 3

_RANK: Style = ("", 1, "")

#: A name that does not end in its number.
_INNER = re.compile(rf"(|.*[^0-9])([0-9]{{1,{MAX_DIGITS}}})([^0-9]+)", re.DOTALL)

Sort = Literal["ranks", "hostlist"]


class Places(NamedTuple):
    """Some ranks or some hosts.

    parts  the numbers by what the names have in common, sorted; ranks have one part
    """

    sort: Sort
    parts: tuple[tuple[Style, IdSet], ...] = ()


class Among(NamedTuple):
    """A condition: the rank or the host is among these, or is not."""

    places: Places
    wanted: bool


def named(constraint: Hostlist) -> int:
    """How many of the names `read` has to look at one by one."""
    return sum(one.last - one.first + 1 for one in constraint.hosts.walk() if _is_odd(one))


def _is_odd(one: HostRange) -> bool:
    """Its names are not told apart by the number that each of them ends in."""
    return one.width > 0 and bool(one.suffix or (one.prefix and one.prefix[-1] in DIGITS))


def read(constraint: Ranks | Hostlist) -> Places:
    """What a list names."""
    if isinstance(constraint, Ranks):
        return _places("ranks", ((_RANK, constraint.ids),))
    ranges: dict[Style, list[tuple[int, int]]] = {}
    for one in constraint.hosts.walk():
        for style, first, last in _tidied(one) if _is_odd(one) else _split(one):
            ranges.setdefault(style, []).append((first, last))
    return _places("hostlist", ((style, IdSet.from_ranges(r)) for style, r in ranges.items()))


def _tidied(one: HostRange) -> Iterator[tuple[Style, int, int]]:
    """The same names with the number that each of them ends in."""
    out = Builder()
    for number in range(one.first, one.last + 1):
        out.names((one.name(number),))
    for group in out.done().walk():
        yield from _split(group)


def _split(one: HostRange) -> Iterator[tuple[Style, int, int]]:
    """A range in those with leading zeroes and those without, which have a width of 1."""
    wide = 10 ** (one.width - 1) if one.width > 1 else 0
    if one.first < wide:
        yield (one.prefix, one.width, ""), one.first, min(one.last, wide - 1)
    if one.last >= wide:
        yield (one.prefix, min(one.width, 1), ""), max(one.first, wide), one.last


def _places(sort: Sort, parts: Iterable[tuple[Style, IdSet]]) -> Places:
    return Places(sort, tuple(sorted((part for part in parts if part[1]), key=lambda p: p[0])))


def union(several: Iterable[Places]) -> Places:
    """What is in any of them; there is one at least, and all are of one sort."""
    ranges: dict[Style, list[tuple[int, int]]] = {}
    sort: Sort = "ranks"
    for one in several:
        sort = one.sort
        for style, ids in one.parts:
            ranges.setdefault(style, []).extend(ids.ranges)
    return _places(sort, ((style, IdSet.from_ranges(r)) for style, r in ranges.items()))


def common(one: Places, other: Places) -> Places:
    """What is in both."""
    held = dict(other.parts)
    parts = ((style, ids & held[style]) for style, ids in one.parts if style in held)
    return _places(one.sort, parts)


def without(one: Places, other: Places) -> Places:
    """What is in one and not in the other."""
    held = dict(other.parts)
    parts = ((style, ids - held[style] if style in held else ids) for style, ids in one.parts)
    return _places(one.sort, parts)


def joined(items: Iterable[Among], *, any_of: bool) -> dict[Sort, Among] | None:
    """What takes the place of some lists, one for each sort: all together, or any of them.

    None where one of the sorts alone decides: no node is in all lists, or each is in any of them.
    """
    sorts: dict[Sort, list[Among]] = {}
    for item in items:
        sorts.setdefault(item.places.sort, []).append(item)
    found: dict[Sort, Among] = {}
    for sort, some in sorts.items():
        # Any of them hold where not all of their opposites do.
        one = _all([item._replace(wanted=item.wanted is not any_of) for item in some])
        if one is None:
            return None
        found[sort] = one._replace(wanted=one.wanted is not any_of)
    return found


def both(one: Among, other: Among) -> Among | None:
    """Two conditions of one sort together; None where nothing meets both."""
    return _all([one, other])


def _all(items: list[Among]) -> Among | None:
    inside = [item.places for item in items if item.wanted]
    outside = [item.places for item in items if not item.wanted]
    if not inside:
        return Among(union(outside), False)
    places = inside[0]
    for other in inside[1:]:
        places = common(places, other)
    if outside:
        places = without(places, union(outside))
    return Among(places, True) if places.parts else None


def filled(one: Places) -> Places:
    """The same with all that lies between the first and the last number of each part."""
    parts = ((style, IdSet.between(ids.first, ids.last)) for style, ids in one.parts)
    return _places(one.sort, parts)


def term(places: Places, written: str | None = None) -> Ranks | Hostlist:
    """The list with the shortest text; the one that was written, where none is shorter."""
    if places.sort == "ranks":
        ids = places.parts[0][1]
        text = idset.format(ids)
        return Ranks((text if written is None else min(written, text, key=len),), ids)
    groups = groupby(_ranged(places), key=lambda part: part[0][::2])
    text = ",".join(_named(list(parts)) for _, parts in groups)
    text = text if written is None else min(written, text, key=len)
    return Hostlist((text,), hostlist.parse(text).value)


def _ranged(places: Places) -> list[tuple[Style, IdSet]]:
    """The parts with names such as ``n1-ib`` put into ranges, those of one prefix together."""
    parts: list[tuple[Style, IdSet]] = []
    ranges: dict[Style, list[tuple[int, int]]] = {}
    for style, ids in places.parts:
        found = None if style[1] else _INNER.fullmatch(style[0])
        if found is None:
            parts.append((style, ids))
        else:
            prefix, digits, suffix = found.groups()
            width = len(digits) if digits[0] == "0" else 1
            ranges.setdefault((prefix, width, suffix), []).append((int(digits), int(digits)))
    parts += [(style, IdSet.from_ranges(numbers)) for style, numbers in ranges.items()]
    return sorted(parts, key=lambda part: (part[0][0], part[0][2], part[0][1]))


def _named(parts: list[tuple[Style, IdSet]]) -> str:
    """The hosts of one prefix and suffix, in one pair of brackets where that is well understood."""
    rows = sorted((first, style[1], last) for style, ids in parts for first, last in ids.ranges)
    prefix, _, suffix = parts[0][0]
    out = Builder()
    for first, width, last in rows:
        out.add(HostRange(prefix, first, last, width, ""))
    hosts = out.done()
    text = hostlist.format(hosts) + suffix
    if len(parts) > 1 and hostlist.parse(text).problems:
        # The zeroes before the first number could be taken to be those of all that follow.
        return ",".join(_named([part]) for part in parts)
    if hosts.count > FEW:
        return text
    return min(text, ",".join(f"{name}{suffix}" for name in hosts), key=len)
