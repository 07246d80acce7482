"""Lists of hosts written as text, many ranges at a time (RFC 29)."""

from collections.abc import Iterator
from itertools import islice, pairwise
from operator import sub

from fluxtui.notation.sets.hosts import (
    MAX_WRITTEN_OUT,
    Builder,
    HostList,
    HostRange,
    Style,
    joinable,
)

# Ranges that are looked at together: no other thread waits for longer than so many take.
_BLOCK = 1 << 13

Rows = tuple[list[Style], list[int], list[int]]


def pieces(hosts: HostList, limit: int | None = None) -> Iterator[str]:
    """The text of `hosts.format` in pieces, each made when it is asked for."""
    if limit is None:
        yield from _written(_plain(hosts))
        return
    found = _beginning(hosts, limit + 1)
    styles, firsts, lasts = _some(found.rows, 0, limit)
    yield from _written(HostList(styles, firsts, lasts))
    if found.rows[0][limit:]:
        yield ",..." if limit else "..."


def _written(hosts: HostList) -> Iterator[str]:
    """The text of names without suffix, of which all that counts up is in one range."""
    rows = hosts.rows
    for start in range(0, len(rows[0]), _BLOCK):
        yield ("," if start else "") + _block(rows, start, start + _BLOCK)


def _block(rows: Rows, start: int, stop: int) -> str:
    """What is written for the ranges from row start up to stop, with the brackets around them."""
    styles, firsts, lasts = _some(rows, start, stop)
    # Whether each of them, and the one behind them, stands in brackets with the one before it.
    near = rows[0][max(start - 1, 0) : stop + 1]
    linked = [_linked(a, b) for a, b in pairwise(near)]
    linked = [False] * (not start) + linked + [False] * (stop >= len(rows[0]))
    out: list[str] = []
    numbers = _numbers(styles, firsts, lasts)
    for style, number, (opened, goes_on) in zip(styles, numbers, pairwise(linked), strict=True):
        prefix, _, suffix = style
        if opened:
            out.append(number if goes_on else f"{number}]{suffix}")
        elif goes_on:
            out.append(f"{prefix}[{number}")
        else:
            out.append(f"{prefix}[{number}]{suffix}" if "-" in number else prefix + number + suffix)
    return ",".join(out)


def _linked(one: Style, two: Style) -> bool:
    """Numbers of both styles stand in one pair of brackets."""
    return one[1] > 0 and two[1] > 0 and (one is two or (one[0] == two[0] and one[2] == two[2]))


def _some(rows: Rows, start: int, stop: int) -> Rows:
    styles, firsts, lasts = rows
    return styles[start:stop], firsts[start:stop], lasts[start:stop]


def _numbers(styles: list[Style], firsts: list[int], lasts: list[int]) -> list[str]:
    """The number or numbers of each range, such as ``08-12``; blank where there is none."""
    widths = [style[1] for style in styles]
    starts = _padded(firsts, widths)
    if firsts == lasts:
        return starts
    ends = _padded(lasts, widths)
    return [a if a == b else f"{a}-{b}" for a, b in zip(starts, ends, strict=True)]


def _padded(numbers: list[int], widths: list[int]) -> list[str]:
    """The numbers with leading zeroes up to their widths; blank for a width of 0."""
    texts = list(map(str, numbers))
    if max(widths) > 1:
        texts = list(map(str.zfill, texts, widths))
    return texts if min(widths) else [t if w else "" for t, w in zip(texts, widths, strict=True)]


def _plain(hosts: HostList) -> HostList:
    """The same names as they are written, of which all that counts up is in one range.

    The number is the end of each name, but in ranges with too many names to write each out.
    """
    if _is_plain(hosts.rows):
        return hosts
    written_out = sum(one.last - one.first for one in hosts.walk() if _has_suffix(one))
    out = Builder()
    for group in hosts.walk():
        if _has_suffix(group) and (group.first == group.last or written_out <= MAX_WRITTEN_OUT):
            out.names(map(group.name, range(group.first, group.last + 1)))
        else:
            out.add(group)
    return out.done()


def _is_plain(rows: Rows) -> bool:
    """No name has a suffix, and no two ranges count up as one."""
    for start in range(0, len(rows[0]), _BLOCK):
        styles, firsts, lasts = _some(rows, start, start + _BLOCK + 1)
        if any(suffix for _, _, suffix in set(styles)):
            return False
        if 1 in map(sub, islice(firsts, 1, None), lasts):
            after = zip(pairwise(styles), islice(firsts, 1, None), lasts, strict=False)
            if any(n == last + 1 and joinable(one, two, n) for (one, two), n, last in after):
                return False
    return True


def _has_suffix(group: HostRange) -> bool:
    return bool(group.width and group.suffix)


def _beginning(hosts: HostList, most: int) -> HostList:
    """The same of the first names, in so many ranges or more; the last of them may go on."""
    out = Builder()
    for group in hosts.walk():
        if _has_suffix(group):  # none of these names counts up from the one before it
            last = min(group.last, group.first + most - 1)
            out.names(map(group.name, range(group.first, last + 1)))
        else:
            out.add(group)
        if len(out.firsts) >= most:
            break
    return out.done()
