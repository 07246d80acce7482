"""The names of a cluster closest to one that it does not have.

None of this takes longer for a larger cluster than a key may: properties are looked up by what a
misspelt name may have been, hosts by how they begin.
"""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator
from itertools import chain, islice
from typing import NamedTuple

from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import nearest
from fluxtui.notation.sets.host_index import HostIndex
from fluxtui.notation.sets.hosts import DIGITS, MAX_DIGITS, Builder, HostRange
from fluxtui.notation.sets.hosts import format as format_hosts
from fluxtui.notation.sets.idset import IdSet
from fluxtui.notation.sets.ranges import format as format_ids

#: Names that are told.
MOST = 3
# Names that are compared letter by letter, which takes some 50 microseconds each.
_POOL = 24
# Letters of a longer name are not changed one by one.
_LONGEST = 40
#: Of hosts in more ranges than this those next to a name, and a list of names, take too long.
MAX_HOST_RANGES = 500
#: Ranges of hosts that are looked for with other zeroes.
MOST_ROWS = 20
#: Ranks in more ranges than this are not told.
MAX_RANK_RANGES = 5
# Ways to write a number with leading zeroes.
_WIDTHS = range(1, 9)

_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789-_.@+"


class Near(NamedTuple):
    """A name that the cluster has, and how many nodes it stands for."""

    text: str
    nodes: int


def properties(word: str, resources: Resources) -> list[Near]:
    """The properties of some node that are closest to a misspelt one, the closest first."""
    there = {name: mask for name, mask in resources.properties.items() if mask}
    found = dict.fromkeys(islice(_one_away(word, there), 4 * MOST))
    if not found:
        found = dict.fromkeys(islice(_similar(word, there), MOST))
    return [Near(name, there[name].bit_count()) for name in islice(found, MOST)]


def _similar(word: str, names: Collection[str]) -> Iterator[str]:
    """The names most like a word, each once."""
    yield from (name for name in names if name.lower() == word.lower())
    pool = dict.fromkeys(name for name in _pool(word, names) if name.lower() != word.lower())
    while pool:
        name = nearest(word, pool)
        if name is None:
            break
        del pool[name]
        yield name


def _pool(word: str, names: Collection[str]) -> Iterator[str]:
    """The names worth a comparison: all of a few, of many those that are alike at a glance."""
    if len(names) <= _POOL:
        return iter(names)
    alike = chain(
        (name for name in names if word in name or (len(name) > 2 and name in word)),
        (name for name in names if name[:3] == word[:3] or name[-3:] == word[-3:]),
        (name for name in names if name[:1] == word[:1] and abs(len(name) - len(word)) < 3),
    )
    return islice(dict.fromkeys(islice(alike, 4 * _POOL)), _POOL)


def _one_away(word: str, names: Collection[str]) -> Iterator[str]:
    """The names that differ in one letter: left out, put in, another, or two exchanged."""
    if len(word) > _LONGEST:
        return
    for at in range(len(word) + 1):
        head, tail = word[:at], word[at:]
        tries = [head + tail[1:], head + tail[1:2] + tail[:1] + tail[2:]]
        tries += (f"{head}{letter}{rest}" for letter in _LETTERS for rest in (tail, tail[1:]))
        yield from (text for text in tries if text != word and text in names)


def hosts(wanted: HostRange, resources: Resources, names: HostIndex) -> list[Near]:
    """The hosts closest to one that is not there, or to a range of which none is.

    The same numbers with other leading zeroes or behind a prefix that is spelt right; of one host
    those with the next numbers, such as ``n15`` for ``n99``; else what begins in the same way, such
    as ``n[0-15]`` for ``n[20-29]``.
    """
    if len(wanted.prefix) > MAX_DIGITS:
        return []
    alike = [wanted]
    found = same_hosts(alike, resources)
    if not found:
        alike += [wanted._replace(prefix=text) for text in _prefixes(wanted.prefix, names)]
        found = same_hosts(alike[1:], resources)
    for one in alike:
        found = found or next_hosts(one, resources)
    return (found or _beginning(wanted, names))[:MOST]


def same_hosts(wanted: Iterable[HostRange], resources: Resources) -> list[Near]:
    """The hosts with the numbers of some ranges, however many zeroes lead them."""
    ranges = list(islice(wanted, MOST_ROWS + 1))
    if not 0 < len(ranges) <= MOST_ROWS:
        return []
    found = {}
    for width in _WIDTHS if any(one.width for one in ranges) else (0,):
        out = Builder()
        for one in ranges:
            out.add(one._replace(width=width) if one.width else one)
        meant = out.done()
        count = resources.mask_of_hosts(meant).bit_count()
        if count:
            found[format_hosts(meant)] = count
    return [Near(*one) for one in found.items()]


def next_hosts(wanted: HostRange, resources: Resources) -> list[Near]:
    """The hosts with the numbers next to that of one host, below and above, the closest first.

    None where a range is wanted, or where the cluster has its hosts in very many ranges.
    """
    prefix, number, last, width, suffix = wanted
    styles, firsts, lasts = resources.hosts.rows
    if not width or number != last or len(styles) > MAX_HOST_RANGES:
        return []
    # For each side how far the next number is, and the name with it.
    sides: dict[bool, tuple[int, str]] = {}
    for style, low, high in zip(styles, firsts, lasts, strict=True):
        if style[1] and style[0] == prefix and style[2] == suffix:
            there = min(max(number, low), high)
            name = f"{prefix}{there:0{style[1]}d}{suffix}"
            found = (abs(there - number), name)
            side = there > number
            sides[side] = min(sides.get(side, found), found)
    names = (name for _, name in sorted(sides.values()))
    return [Near(name, resources.indices_of_host(name).bit_count()) for name in names]


def _prefixes(head: str, names: HostIndex) -> Iterator[str]:
    """The prefix of real hosts that one may have been meant to be."""
    known: dict[str, None] = {}
    for typed in dict.fromkeys((head[:1], head[:1].lower(), "")):
        for found in names.beginning_with(typed, _POOL):
            known.setdefault(found.text.partition("[")[0].rstrip(DIGITS), None)
    if head in known:
        return
    other_case = (text for text in known if text.lower() == head.lower())
    prefix = next(other_case, None) or nearest(head, known)
    if prefix is not None:
        yield prefix


def _beginning(wanted: HostRange, names: HostIndex) -> list[Near]:
    """What begins with as much of a name as any host does, the whole prefix at least."""
    head = len(wanted.prefix)
    typed = wanted.name(wanted.first) if wanted.first == wanted.last else wanted.prefix
    for end in range(len(typed) - (len(typed) > head), max(head, 1) - 1, -1):
        found = names.beginning_with(typed[:end], 1)
        if found:
            return [Near(found[0].text, found[0].nodes)]
    return []


def ranks(ids: IdSet, resources: Resources) -> list[Near]:
    """Those of the ranks that are there; of none as many as are asked for, or as there are, from
    where the cluster comes closest. None where these are in many ranges.
    """
    known = resources.ranks
    if not known or not ids:
        return []
    places = known.locate(ids) or _next_places(ids, known)
    found = known.pick(places, MAX_RANK_RANGES + 1)
    if len(found.starts) > MAX_RANK_RANGES:
        return []
    return [Near(format_ids(found), found.count)]


def _next_places(ids: IdSet, known: IdSet) -> IdSet:
    """The places of the ranks that are closest to some of which none is there."""
    behind = bisect_left(known.starts, ids.first)  # ranges that begin before the wanted ranks
    below = known.ends[behind - 1] if behind else None
    above = known.starts[behind] if behind < len(known.starts) else None
    count = min(ids.count, known.count)
    if above is None or (below is not None and ids.first - below <= above - ids.first):
        last = (known.index(below) if below is not None else None) or 0
        return IdSet.between(max(0, last - count + 1), last)
    first = known.index(above) or 0
    return IdSet.between(first, min(first + count, known.count) - 1)
