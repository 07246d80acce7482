"""Differences between the topologies of a node in two documents (RFC 49)."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from fluxtui.model.resources.topology import NODE, WHOLE, Domain, inside_words, range_words
from fluxtui.notation.sets import idset
from fluxtui.notation.sets.idset import IdSet

#: How many of the domains that differ in the same way are listed.
NAMED = 2

_RANGES = 6  # how many ranges of ids are listed
_MEMORY = "memory of"


class _Place(NamedTuple):
    """A domain, its label and the label of the enclosing domain: ``numa 4`` in ``socket 1``."""

    name: str
    label: str
    above: str
    domain: Domain


def ordered(domain: Domain) -> Domain:
    """Return the domain with its inner domains sorted by name; their document order is irrelevant.

    Domains with the same name keep their order, which numbers them.
    """
    inside = tuple(sorted(map(ordered, domain.domains), key=lambda one: one.name))
    return replace(domain, domains=inside) if inside != domain.domains else domain


def differences(before: Domain, after: Domain, named: int = NAMED) -> list[str]:
    """List the differences between two nodes, a phrase each, such as ``numa 8 → 2``.

    Of the domains that differ in the same way at most named are listed.
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
    """Yield changed numbers of domains, with their sizes if these changed too."""
    old, new = _sizes(before), _sizes(after)
    for name in dict.fromkeys((*old, *new)):
        was, now = old.get(name, []), new.get(name, [])
        if len(was) == len(now):
            continue
        sizes = [range_words(was), range_words(now)] if was and now else []
        more = " of {} → {} cores".format(*sizes) if len(set(sizes)) > 1 else ""
        yield f"{name} {len(was):,} → {len(now):,}{more}"


def _sizes(node: Domain) -> dict[str, list[int]]:
    """The number of cores of each domain inside, by locality name."""
    found: dict[str, list[int]] = {}
    for one in node.walk():
        if one is not node:
            found.setdefault(one.name, []).append(one.all_cores.count)
    return found


def _amounts(before: Domain, after: Domain) -> Iterator[str]:
    """Yield changes of the total memory and of the storage."""
    if before.all_memory != after.all_memory:
        was, now = (f"{n:,}" if n else "unknown" for n in (before.all_memory, after.all_memory))
        yield f"memory {was} → {now} GiB" if after.all_memory else f"memory {was} GiB → {now}"
    old, new = ([str(s) for one in node.walk() for s in one.storage] for node in (before, after))
    if old != new:
        yield f"storage {', '.join(old) or 'none'} → {', '.join(new) or 'none'}"


def _each(before: Domain, after: Domain, named: int) -> Iterator[str]:
    """Yield the differences in the domains that both nodes have."""
    old = {place.label: place for place in _places(before)}
    was_counted, is_counted = before.counts, after.counts
    is_same = before.all_memory == after.all_memory  # otherwise reported for the whole node
    by_kind: dict[tuple[str, str], list[str]] = {}
    for now in _places(after):
        was, name = old.get(now.label), now.name
        if was is None or was_counted.get(name) != is_counted.get(name):
            continue  # if their count changed, equal numbers do not mean the same domain
        for what, previous, current in _domain_facts(was, now):
            if previous != current and (is_same or what != _MEMORY):
                by_kind.setdefault((what, name), []).append(f"{now.label}: {previous} → {current}")
    for (what, _), changes in by_kind.items():
        more = f", {len(changes) - named:,} more" if len(changes) > named else ""
        yield f"{what} {', '.join(changes[:named])}{more}"


def _domain_facts(was: _Place, now: _Place) -> Iterator[tuple[str, str, str]]:
    """Yield the facts to compare about a domain: a label, the value before, the value after."""
    before, after = was.domain, now.domain
    yield "place of", was.above, now.above
    if bool(before.domains) == bool(after.domains):  # otherwise its cores moved to or from inside
        yield "cores of", _ids(before.cores), _ids(after.cores)
        yield "gpus of", _ids(before.gpus), _ids(after.gpus)
    yield "empty in", ", ".join(before.empty) or "none", ", ".join(after.empty) or "none"
    yield _MEMORY, _gib(before.memory), _gib(after.memory)


def _places(node: Domain) -> Iterator[_Place]:
    """Yield the domains of a node including the node itself, each before those inside it."""
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
    """Summarize a node: domain counts by name, memory in GiB (None if unknown), and storage."""
    memory: Sequence[int] = [one.memory for one in node.walk() if one.memory is not None]
    return {
        "domains": node.counts,
        "memory": sum(memory) if memory else None,
        "storage": [str(storage) for one in node.walk() for storage in one.storage],
    }
