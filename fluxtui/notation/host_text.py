"""Lists of hosts written as text, many ranges at a time (RFC 29)."""

from collections.abc import Iterator
from itertools import groupby, islice, pairwise
from operator import itemgetter, sub

from fluxtui.notation.hosts import Builder, HostList, HostRange, Style, joinable

# Ranges that are looked at together: no other thread waits for longer than so many take.
_BLOCK = 1 << 13

_SUFFIX = itemgetter(2)

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
    linked = [(a is b or a[0] == b[0]) and a[1] > 0 and b[1] > 0 for a, b in pairwise(near)]
    linked = [False] * (not start) + linked + [False] * (stop >= len(rows[0]))
    out: list[str] = []
    numbers = _numbers(styles, firsts, lasts)
    for style, number, (opened, goes_on) in zip(styles, numbers, pairwise(linked), strict=True):
        if opened:
            out.append(number if goes_on else number + "]")
        elif goes_on:
            out.append(f"{style[0]}[{number}")
        else:
            out.append(f"{style[0]}[{number}]" if "-" in number else style[0] + number)
    return ",".join(out)


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
    """The same names without suffix, the number being the end of each; what counts up is joined."""
    if _is_plain(hosts.rows):
        return hosts
    out = Builder()
    for has_suffix, groups in groupby(hosts.walk(), _has_suffix):
        if has_suffix:
            out.names(g.name(number) for g in groups for number in range(g.first, g.last + 1))
        else:
            for group in groups:
                out.add(group)
    return out.done()


def _is_plain(rows: Rows) -> bool:
    """No name has a suffix, and no range counts up from the one before it."""
    for start in range(0, len(rows[0]), _BLOCK):
        styles, firsts, lasts = _some(rows, start, start + _BLOCK + 1)
        if any(map(_SUFFIX, styles)):
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
