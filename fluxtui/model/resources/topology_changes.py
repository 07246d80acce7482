"""What differs in what a node has inside, from one document to another (RFC 49)."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from fluxtui.model.resources.topology import NODE, WHOLE, Domain, inside_words, range_words
from fluxtui.notation.sets import idset
from fluxtui.notation.sets.idset import IdSet

#: Domains that differ in the same way of which each is told.
NAMED = 2

_RANGES = 6  # of ids that are told
_MEMORY = "memory of"


class _Place(NamedTuple):
    """A domain, its label, and that of what it is in: ``numa 4`` in ``socket 1``."""

    name: str
    label: str
    above: str
    domain: Domain


def ordered(domain: Domain) -> Domain:
    """The same with the domains inside by their names, whose order in a document means nothing.

    Those of one name stay in order: it numbers them.
    """
    inside = tuple(sorted(map(ordered, domain.domains), key=lambda one: one.name))
    return replace(domain, domains=inside) if inside != domain.domains else domain


def differences(before: Domain, after: Domain, named: int = NAMED) -> list[str]:
    """What is not as before in a node, a phrase each: ``numa 8 → 2``; empty if nothing is.

    Of domains that differ alike so many are named.
    """
    if before == after:
        return []
    if WHOLE in (before, after):
        return [f"topology {_summary(before)} → {_summary(after)}"]
    found = [*_counts(before, after), *_amounts(before, after), *_each(before, after, named)]
    return found or ["domains in another order"]


def _summary(node: Domain) -> str:
    return inside_words(node) or ("none" if node == WHOLE else "without domains")


def _counts(before: Domain, after: Domain) -> Iterator[str]:
    """Other numbers of domains, and how large these are where they have the same name."""
    old, new = _sizes(before), _sizes(after)
    for name in dict.fromkeys((*old, *new)):
        was, now = old.get(name, []), new.get(name, [])
        if len(was) == len(now):
            continue
        sizes = [range_words(was), range_words(now)] if was and now else []
        more = " of {} → {} cores".format(*sizes) if len(set(sizes)) > 1 else ""
        yield f"{name} {len(was):,} → {len(now):,}{more}"


def _sizes(node: Domain) -> dict[str, list[int]]:
    """How many cores each domain inside has, by the names of these."""
    found: dict[str, list[int]] = {}
    for one in node.walk():
        if one is not node:
            found.setdefault(one.name, []).append(one.all_cores.count)
    return found


def _amounts(before: Domain, after: Domain) -> Iterator[str]:
    """Another amount of memory, or other storage."""
    if before.all_memory != after.all_memory:
        was, now = (f"{n:,}" if n else "unknown" for n in (before.all_memory, after.all_memory))
        yield f"memory {was} → {now} GiB" if after.all_memory else f"memory {was} GiB → {now}"
    old, new = ([str(s) for one in node.walk() for s in one.storage] for node in (before, after))
    if old != new:
        yield f"storage {', '.join(old) or 'none'} → {', '.join(new) or 'none'}"


def _each(before: Domain, after: Domain, named: int) -> Iterator[str]:
    """What is other in the domains that both have."""
    old = {place.label: place for place in _places(before)}
    was_counted, is_counted = before.counts, after.counts
    is_same = before.all_memory == after.all_memory  # else it is told of the node
    found: dict[tuple[str, str], list[str]] = {}
    for now in _places(after):
        was, name = old.get(now.label), now.name
        if was is None or was_counted.get(name) != is_counted.get(name):
            continue  # of more domains, or fewer, the numbers say nothing
        for what, one, other in _own(was, now):
            if one != other and (is_same or what != _MEMORY):
                found.setdefault((what, name), []).append(f"{now.label}: {one} → {other}")
    for (what, _), told in found.items():
        more = f", {len(told) - named:,} more" if len(told) > named else ""
        yield f"{what} {', '.join(told[:named])}{more}"


def _own(was: _Place, now: _Place) -> Iterator[tuple[str, str, str]]:
    """What a domain has by itself, and where it is: of which kind, before and after."""
    one, other = was.domain, now.domain
    yield "place of", was.above, now.above
    if bool(one.domains) == bool(other.domains):  # else its cores are those of domains inside
        yield "cores of", _ids(one.cores), _ids(other.cores)
        yield "gpus of", _ids(one.gpus), _ids(other.gpus)
    yield "empty in", ", ".join(one.empty) or "none", ", ".join(other.empty) or "none"
    yield _MEMORY, _gib(one.memory), _gib(other.memory)


def _places(node: Domain) -> Iterator[_Place]:
    """The domains of a node with the node itself, each before those in it."""
    counts: dict[str, int] = {}
    waiting: list[tuple[Domain, str]] = [(node, "")]
    while waiting:
        domain, above = waiting.pop()
        number = counts[domain.name] = counts.get(domain.name, -1) + 1
        label = NODE if domain is node else f"{domain.name} {number}"
        yield _Place(domain.name, label, above, domain)
        waiting.extend((one, label) for one in reversed(domain.domains))


def _ids(ids: IdSet) -> str:
    return idset.format(ids, _RANGES) or "none"


def _gib(memory: int | None) -> str:
    return "unknown" if memory is None else f"{memory:,} GiB"


def to_json(node: Domain) -> dict[str, object]:
    """What a node has inside in numbers: its domains by name, memory in GiB, and storage."""
    memory: Sequence[int] = [one.memory for one in node.walk() if one.memory is not None]
    return {
        "domains": node.counts,
        "memory": sum(memory) if memory else None,
        "storage": [str(storage) for one in node.walk() for storage in one.storage],
    }
