"""Host names and ranks put in order, so that those of two clusters can be held side by side."""

from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from operator import lt
from typing import NamedTuple

from fluxtui.model.cancellation import Stop, stop_if
from fluxtui.notation.sets.host_index import Alternatives, single
from fluxtui.notation.sets.hosts import DIGITS, HostList, HostRange, Style
from fluxtui.notation.sets.idset import IdSet

# Nodes that are looked at in one piece: others have their turn between two of them.
BLOCK = 1 << 15

_DIGIT = frozenset(DIGITS)


class Numbers(NamedTuple):
    """What can be paired: ranges of numbers, ascending, each with the node of its first number."""

    firsts: Sequence[int]
    lasts: Sequence[int]
    nodes: Sequence[int]


def ranks_in_order(ranks: IdSet) -> Numbers:
    """The ranks, and the nodes that have them."""
    total, places = 0, []
    for first, last in zip(ranks.starts, ranks.ends, strict=True):
        places.append(total)
        total += last - first + 1
    return Numbers(ranks.starts, ranks.ends, places)


Key = tuple[str, str, int]
_Rows = tuple[list[int], list[int], list[int]]


class _Shelf(NamedTuple):
    """The rows for names of one style: those padded, and those whose number is full or larger."""

    full: int
    padded: _Rows
    plain: _Rows


def alternatives(lists: Iterable[HostList], stop: Stop) -> Alternatives:
    """What the names of these lists may be written as in another of them, or in the same."""
    styles: set[Style] = set()
    for hosts in lists:
        column = hosts.rows[0]
        for start in range(0, len(column), BLOCK):
            stop_if(stop)
            styles.update(column[start : start + BLOCK])
    found = Alternatives()
    if any(width and not _DIGIT.isdisjoint(suffix) for _, width, suffix in styles):
        ranges = (
            single(prefix) if not width else HostRange(prefix, 0, 0, width, suffix)
            for prefix, width, suffix in styles
        )
        for key in {(one.prefix, one.suffix) for one in ranges}:
            found.add(key)
    return found


def hosts_in_order(
    hosts: HostList, otherwise: Alternatives, stop: Stop
) -> dict[Key, Numbers] | None:
    """The names of a list by what they have beside a number, however they are written.

    That is their last number, but in ranges with digits in the suffix: of those, only the names
    that may stand elsewhere in the lists. None where a name is there twice.
    """
    rows: dict[Key, _Rows] = {}
    shelves: dict[Style, _Shelf | None] = {}
    styles, firsts, lasts, before = hosts.columns
    start = asked = 0
    while start < len(styles):
        if start >= asked:
            stop_if(stop)
            asked = start + BLOCK
        style, end = styles[start], start + 1
        while end < asked and end < len(styles) and styles[end] is style:
            end += 1
        if style not in shelves:
            shelves[style] = _shelf(rows, style)
        if end == start + 1:
            # Names whose style changes from each to the next come by the million, too.
            row = _row(shelves[style], firsts[start], lasts[start])
            if row is not None:
                row[0].append(firsts[start])
                row[1].append(lasts[start])
                row[2].append(before[start])
        else:
            row = _row(shelves[style], min(firsts[start:end]), max(lasts[start:end]))
            if row is not None:
                row[0].extend(firsts[start:end])
                row[1].extend(lasts[start:end])
                row[2].extend(before[start:end])
        for at in range(start, end) if row is None else ():
            prefix, width, suffix = style
            group = HostRange(prefix, firsts[at], lasts[at], width, suffix)
            for part, offset in _in_one_way(group, otherwise):
                row = rows.setdefault((part.prefix, part.suffix, part.width), ([], [], []))
                row[0].append(part.first)
                row[1].append(part.last)
                row[2].append(before[at] + offset)
        start = end
    return _ordered(rows, stop)


def _shelf(rows: dict[Key, _Rows], style: Style) -> _Shelf | None:
    """Where names of a style belong; None where that is not one and the same place for all."""
    prefix, width, suffix = style
    if not width or not _DIGIT.isdisjoint(suffix):
        return None
    full = 10 ** (width - 1) if width > 1 else 0
    padded = rows.setdefault((prefix, suffix, width), ([], [], []))
    return _Shelf(full, padded, rows.setdefault((prefix, suffix, 1), ([], [], [])))


def _row(shelf: _Shelf | None, first: int, last: int) -> _Rows | None:
    """Where names with numbers from first to last belong; None where that is not one place."""
    if shelf is None:
        return None
    if first >= shelf.full:
        return shelf.plain
    return shelf.padded if last < shelf.full else None


def _in_one_way(group: HostRange, otherwise: Alternatives) -> Iterator[tuple[HostRange, int]]:
    """A range as ranges that hold a name in one way only, however it is written, with offsets.

    Those that are padded stand apart from those that are long enough without: ``foo[08-10]`` is
    ``foo[08-09]`` and ``foo10``.
    """
    for part, offset in _apart(group, otherwise):
        full = 10 ** (part.width - 1) if part.width > 1 else 0
        if part.first < full:
            yield part._replace(last=min(part.last, full - 1)), offset
        if part.last >= full:
            first = max(part.first, full)
            plain = part._replace(first=first, width=min(part.width, 1))
            yield plain, offset + first - part.first


def _apart(group: HostRange, otherwise: Alternatives) -> Iterator[tuple[HostRange, int]]:
    """A range, without the names that may be written in another way, and these, with offsets."""
    if not group.width:
        yield single(group.prefix), 0
        return
    first = group.first
    cuts = otherwise.of(group) if not _DIGIT.isdisjoint(group.suffix) else ()
    for number in sorted({number for number, _, _ in cuts}):
        if first < number:
            yield group._replace(first=first, last=number - 1), first - group.first
        yield single(group.name(number)), number - group.first
        first = number + 1
    if first <= group.last:
        yield group._replace(first=first), first - group.first


def _ordered(rows: dict[Key, _Rows], stop: Stop) -> dict[Key, Numbers] | None:
    """The ranges of each kind in order; None where two of them overlap."""
    found: dict[Key, Numbers] = {}
    for key, (firsts, lasts, nodes) in rows.items():
        names = Numbers(firsts, lasts, nodes)
        if not _rising(firsts, firsts, stop):
            order = _order(firsts, stop)
            names = Numbers(*([column[at] for at in order] for column in names))
        if not _rising(names.lasts, names.firsts, stop):
            return None
        found[key] = names
    return found


def _rising(ones: Sequence[int], others: Sequence[int], stop: Stop) -> bool:
    """Each number is smaller than the next one of the others."""
    for at in range(0, len(ones) - 1, BLOCK):
        stop_if(stop)
        if not all(map(lt, ones[at : at + BLOCK], others[at + 1 : at + 1 + BLOCK])):
            return False
    return True


def _order(numbers: list[int], stop: Stop) -> list[int]:
    """The places of numbers, the smallest first; sorted in pieces, as a sort lets nobody in."""
    pieces: list[list[int]] = []
    for at in range(0, len(numbers), BLOCK):
        stop_if(stop)
        pieces.append(sorted(range(at, min(at + BLOCK, len(numbers))), key=numbers.__getitem__))
    return list(merge(*pieces, key=numbers.__getitem__)) if len(pieces) > 1 else pieces[0]
