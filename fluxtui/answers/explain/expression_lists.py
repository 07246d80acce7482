"""The shortest list of hosts or of ranks for some nodes (RFC 29, RFC 22)."""

from operator import lt
from typing import NamedTuple

from fluxtui.answers.explain.expression_terms import Cancelled, go_on
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.query.tree import NOWHERE, Term
from fluxtui.notation.sets import hostlist, idset
from fluxtui.notation.sets.bits import from_mask, less, to_mask
from fluxtui.notation.sets.hosts import Builder, HostList, HostRange
from fluxtui.notation.sets.idset import IdSet

#: Of so few hosts the list is also tried without brackets, as in ``n1,n2``.
FEW = 3
#: Stretches of nodes whose hosts are listed; the text of more is longer than any input takes.
MAX_NAMED = 8_000
#: Stretches between which a list is looked for; among more it takes too long.
MAX_RUNS = 10_000


class Listed(NamedTuple):
    """A list: the characters of its text, the nodes it names, and the term for a query."""

    cost: int
    mask: int
    term: Term


def runs(mask: int) -> int:
    """How many stretches of nodes in a row a mask has."""
    return less(mask, mask << 1).bit_count()


def runs_between(low: int, high: int) -> int:
    """How many stretches of high have a node of low, which is a part of it."""
    return ((high + low) & less(high << 1, high)).bit_count()


def between(low: int, high: int) -> IdSet:
    """The places of low in as few stretches as can be without a place that is not in high."""
    if low == high or runs(high) > MAX_RUNS:
        return from_mask(low)
    found: list[tuple[int, int]] = []
    wanted = iter(from_mask(low).ranges)
    first, last = next(wanted, (-1, -1))
    for _, end in from_mask(high).ranges:
        if first < 0:
            break
        if first > end:
            continue
        start, stop = first, last
        while 0 <= first <= end:
            stop = last
            first, last = next(wanted, (-1, -1))
        found.append((start, stop))
    return IdSet.from_ranges(found)


def shortest(low: int, high: int, resources: Resources, cancelled: Cancelled) -> Listed:
    """The shorter one of both lists, of two as short the hosts."""
    named = hosts(low, high, resources, cancelled)
    numbered = ranks(low, high, resources, cancelled)
    return numbered if named is None or numbered.cost < named.cost else named


def ranks(low: int, high: int, resources: Resources, cancelled: Cancelled) -> Listed:
    """The ranks of the nodes of low, with others of high where that makes the list shorter."""
    places = between(low, high)
    go_on(cancelled)
    picked = resources.ranks.pick(places)
    go_on(cancelled)
    text = idset.format(picked)
    go_on(cancelled)
    return _listed("rank", text, to_mask(places))


def hosts(low: int, high: int, resources: Resources, cancelled: Cancelled) -> Listed | None:
    """The same by hosts; None where they do not tell these nodes from others, or are too many."""
    if runs_between(low, high) > MAX_NAMED:
        return None
    named = _ordered(resources.hosts.pick(between(low, high).ranges))
    go_on(cancelled)
    text = hostlist.format(named)
    if named.count <= FEW:
        text = min(text, ",".join(named), key=len)
    go_on(cancelled)
    parsed = hostlist.parse(text)
    if not text or not parsed.ok:
        return None
    found = resources.mask_of_hosts(parsed.value)
    if less(low, found) or less(found, high):
        return None
    return _listed("host", text, found)


def _listed(name: str, text: str, mask: int) -> Listed:
    term = Term(name, (text,), value_spans=(NOWHERE,))
    return Listed(len(name) + len(":") + len(text), mask, term)


def _ordered(named: HostList) -> HostList:
    """Hosts sorted by name and number, each once, where that makes fewer ranges."""
    styles, firsts, lasts = named.rows
    if all(style is styles[0] for style in styles) and all(map(lt, lasts, firsts[1:])):
        return named
    out = Builder()
    held: HostRange | None = None
    for one in sorted(named.walk(), key=lambda one: (one.prefix, one.suffix, one.width, one.first)):
        if held is not None and _touches(held, one):
            held = held._replace(last=max(held.last, one.last))
            continue
        if held is not None:
            out.add(held)
        held = one
    if held is not None:
        out.add(held)
    found = out.done()
    return found if len(found.rows[0]) < len(named.rows[0]) else named


def _touches(held: HostRange, one: HostRange) -> bool:
    """A range begins within another of the same style, or right behind it."""
    return (held.prefix, held.width, held.suffix) == (
        one.prefix,
        one.width,
        one.suffix,
    ) and one.first <= held.last + 1
