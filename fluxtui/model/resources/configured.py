"""Nodes that a Flux configuration lists itself: the ``[[resource.config]]`` entries.

The rules are those of flux-config-resource(5), and of flux-core where that is silent.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any

from fluxtui.model.documents.json_value import shown
from fluxtui.model.documents.report import Report
from fluxtui.model.resources.document import ILLEGAL, MAX_RANKS
from fluxtui.model.resources.resource_set import NodeKind, Resources
from fluxtui.notation.problem import Problem, at
from fluxtui.notation.sets import hostlist, idset
from fluxtui.notation.sets.host_index import HostNumbers
from fluxtui.notation.sets.hostlist import HostList
from fluxtui.notation.sets.hostlist import format as format_hosts
from fluxtui.notation.sets.idset import IdSet

PATH = "resource.config"

_KEYS = ("hosts", "cores", "gpus", "properties")
# flux-core takes a name with '!', which RFC 20 forbids.
_REFUSED = frozenset(ILLEGAL) - {"!"}
# Blanks outside brackets part host names for flux-core, as commas do.
_BLANKS = re.compile(r"[ \t]+(?![^\[]*\])")


@dataclass(frozen=True, slots=True)
class Entry:
    """What one entry gives to its hosts.

    number  its place in the array
    ranks   those of its hosts
    twice   those of them that it names twice or more
    whole   what it gives could be read
    """

    number: int
    ranks: IdSet
    twice: IdSet
    cores: IdSet
    gpus: IdSet
    properties: tuple[str, ...]
    whole: bool


def read_entries(raw: object, report: Report, order: HostList | None = None) -> Resources:
    """The nodes of ``resource.config``, an array of tables; problems go into the report.

    A host gets the next rank when it is first named; order names the hosts by their ranks instead,
    if these are the same ones. Entries add up: a host that stands in several has the cores, gpus
    and properties of all of them. Never raises.
    """
    if not isinstance(raw, list):
        message = f"resource.config is an array of tables; found {shown(raw)}"
        report.error(message, PATH, "[[resource.config]]")
        return Resources()
    entries, numbers = _entries(raw, report, order)
    hosts = numbers.hosts()
    if not hosts:
        if not report.failed:
            report.error("resource.config names no host", PATH, "an entry with hosts")
        return Resources()
    kinds = _kinds(entries, hosts, report)
    _check_empty(entries, kinds, hosts, report)
    properties: dict[str, list[tuple[int, int]]] = {}
    for entry in entries:
        for name in entry.properties:
            properties.setdefault(name, []).extend(entry.ranks.ranges)
    return Resources(
        ranks=IdSet.between(0, hosts.count - 1),
        hosts=hosts,
        kinds=tuple(NodeKind(cores, gpus, ranks) for (cores, gpus), ranks in kinds.items()),
        properties={
            name: idset.to_mask(IdSet.from_ranges(runs)) for name, runs in properties.items()
        },
    )


def _entries(
    raw: list[Any], report: Report, order: HostList | None
) -> tuple[list[Entry], HostNumbers]:
    """The entries, with ranks for their hosts."""
    numbers = HostNumbers()
    if order is not None and _names_the_same(order, raw):
        numbers.add(order)
    read = (_entry(number, table, numbers, report) for number, table in enumerate(raw))
    return [entry for entry in read if entry is not None], numbers


def _names_the_same(order: HostList, raw: list[Any]) -> bool:
    """The hosts of the entries are these, all of them and no others."""
    numbers, unsaid = HostNumbers(), Report("")
    numbers.add(order)
    size = numbers.count
    read = (_entry(number, table, numbers, unsaid) for number, table in enumerate(raw))
    named = IdSet.from_ranges(run for e in read if e is not None for run in e.ranks.ranges)
    return numbers.count == size == named.count


def _entry(number: int, table: object, numbers: HostNumbers, report: Report) -> Entry | None:
    """One entry, its hosts numbered; None where it names none."""
    path = at(PATH, number)
    if not isinstance(table, dict):
        report.error(f"an entry of resource.config is a table; found {shown(table)}", path)
        return None
    for key in table:
        if key not in _KEYS:
            hint = report.hint(str(key), _KEYS)
            report.error(f"an entry has no key '{key}'{hint}", at(path, str(key)), *_KEYS)
    hosts = _hosts(table, path, report)
    cores, gpus = (_ids(table, key, path, report) for key in ("cores", "gpus"))
    whole = cores is not None and gpus is not None
    properties = tuple(_properties(table.get("properties", []), at(path, "properties"), report))
    if numbers.count + hosts.count > MAX_RANKS and not numbers.knows(hosts):
        report.error(f"more than {MAX_RANKS:,} hosts; this entry is left out", at(path, "hosts"))
        return None
    ranks, twice = numbers.add(hosts)
    if not ranks:
        return None
    none = idset.EMPTY
    return Entry(number, ranks, twice, cores or none, gpus or none, properties, whole)


def _hosts(table: Mapping[str, Any], path: str, report: Report) -> HostList:
    where = at(path, "hosts")
    if "hosts" not in table:
        report.error("an entry names its hosts; hosts is missing", path, 'hosts = "HOSTLIST"')
        return HostList()
    value = table["hosts"]
    if not isinstance(value, str):
        report.error(f"hosts is a hostlist string; found {shown(value)}", where, '"n[0-3]"')
        return HostList()
    parsed = hostlist.parse(_BLANKS.sub(",", value))
    _report(parsed.problems, "hosts", where, report)
    if parsed.ok and _BLANKS.search(value.strip()):
        message = "flux-core separates host names at blanks too; RFC 29 uses commas"
        report.warning(message, where)
    if not parsed.value and not parsed.problems:
        report.error("hosts names no host", where, "a hostlist")
    return parsed.value


def _ids(table: Mapping[str, Any], key: str, path: str, report: Report) -> IdSet | None:
    """The cores or gpus of an entry, for which Flux takes an empty idset; None if it is wrong."""
    if key not in table:
        return idset.EMPTY
    value, where = table[key], at(path, key)
    if not isinstance(value, str):
        said = f"{key} is an idset string, not a count; found {shown(value)}"
        more = (f'"0-{value - 1}"',) if type(value) is int and 1 < value < 10_000 else ('"0-3"',)
        report.error(said, where, *more)
        return None
    parsed = idset.parse(value)
    _report(parsed.problems, key, where, report)
    return parsed.value if parsed.ok else None


def _report(problems: tuple[Problem, ...], key: str, where: str, report: Report) -> None:
    """Note what is wrong with a text of the configuration; what is odd is so everywhere."""
    for problem in problems:
        message = f"{key}: {problem.message}"
        report.add(replace(problem, message=message, span=None, path=where))


def _properties(raw: object, path: str, report: Report) -> Iterator[str]:
    """The names that are fit for properties, each once."""
    if not isinstance(raw, list):
        report.error(f"properties is an array of names; found {shown(raw)}", path, '["NAME", ...]')
        return
    seen: set[str] = set()
    for number, name in enumerate(raw):
        where = at(path, number)
        if not isinstance(name, str):
            report.error(f"a property is a string; found {shown(name)}", where, "a name")
        elif wrong := sorted(_REFUSED.intersection(name)):
            message = f"property name '{name}' holds '{wrong[0]}', which no property name may"
            report.error(message, where, "none of & ' \" ^ ` | ( )")
        elif name not in seen:
            if "!" in name:
                message = f"property name '{name}' holds '!': flux-core takes it, RFC 20 does not"
                report.warning(message, where)
            elif not name:
                report.warning("a property without a name, which no constraint can ask for", where)
            seen.add(name)
            yield name


# What the hosts have, all entries together


def _kinds(
    entries: list[Entry], hosts: HostList, report: Report
) -> dict[tuple[IdSet, IdSet], IdSet]:
    """The ranks by their cores and gpus; it is an error to give a host the same one twice."""
    found: dict[tuple[IdSet, IdSet], list[tuple[int, int]]] = {}
    known: dict[tuple[int, ...], tuple[tuple[IdSet, IdSet], list[tuple[int, int, str]]]] = {}
    clashes: dict[tuple[int, int, str], list[tuple[int, int]]] = {}
    for (first, last), active in _stretches(entries):
        if active not in known:
            known[active] = _together(entries, active), list(_clashes(entries, active))
        kind, clashing = known[active]
        found.setdefault(kind, []).append((first, last))
        for clash in clashing:
            clashes.setdefault(clash, []).append((first, last))
    for (earlier, later, what), runs in sorted(clashes.items(), key=itemgetter(0)):
        _tell_clash(entries[earlier], entries[later], what, _names(hosts, runs), report)
    for entry in entries:
        if entry.twice and (entry.cores or entry.gpus):
            names = _names(hosts, entry.twice.ranges)
            what = "cores" if entry.cores else "gpus"
            message = f"{names} is named twice in hosts, so its {what} would be given twice"
            report.error(message, at(PATH, entry.number, "hosts"), "each host once")
    return {kind: IdSet.from_ranges(runs) for kind, runs in found.items()}


def _stretches(entries: list[Entry]) -> Iterator[tuple[tuple[int, int], tuple[int, ...]]]:
    """Ranks side by side with the entries that give them cores or gpus, by their places here."""
    edges: list[tuple[int, int, bool]] = []
    for place, entry in enumerate(entries):
        if entry.cores or entry.gpus:
            for first, last in entry.ranks.ranges:
                edges += ((first, place, True), (last + 1, place, False))
    edges.sort(key=itemgetter(0))
    active: set[int] = set()
    begin = 0
    for rank, group in groupby(edges, key=itemgetter(0)):
        if active:
            yield (begin, rank - 1), tuple(sorted(active))
        changes = list(group)
        active.difference_update(place for _, place, begins in changes if not begins)
        active.update(place for _, place, begins in changes if begins)
        begin = rank


def _together(entries: list[Entry], active: tuple[int, ...]) -> tuple[IdSet, IdSet]:
    if len(active) == 1:
        return entries[active[0]].cores, entries[active[0]].gpus
    return (
        IdSet.from_ranges(run for place in active for run in entries[place].cores.ranges),
        IdSet.from_ranges(run for place in active for run in entries[place].gpus.ranges),
    )


def _clashes(entries: list[Entry], active: tuple[int, ...]) -> Iterator[tuple[int, int, str]]:
    """The entries that give what an earlier one gave: which, the later one, and of what."""
    for what in ("cores", "gpus"):
        owners: list[tuple[int, int, int]] = []
        for place in active:
            owners += ((f, last, place) for f, last in getattr(entries[place], what).ranges)
        owners.sort()
        for one, other in pairwise(owners):
            if other[0] <= one[1]:
                yield min(one[2], other[2]), max(one[2], other[2]), what


def _tell_clash(earlier: Entry, later: Entry, what: str, names: str, report: Report) -> None:
    both: IdSet = getattr(earlier, what) & getattr(later, what)
    noun = what[:-1] if both.count == 1 else what
    where = at(PATH, earlier.number)
    message = f"{noun} {idset.format(both, 5)} of {names} is given in {where} too"
    if both.count != 1:
        message = message.replace(" is given", " are given")
    report.error(message, at(PATH, later.number, what), "each of them once for a host")


def _check_empty(
    entries: list[Entry],
    kinds: dict[tuple[IdSet, IdSet], IdSet],
    hosts: HostList,
    report: Report,
) -> None:
    """Hosts without cores and gpus are an error, those with gpus alone are odd."""
    given = IdSet.from_ranges(run for ranks in kinds.values() for run in ranks.ranges)
    # What could not be read may have been what is missing.
    unknown = IdSet.from_ranges(run for e in entries if not e.whole for run in e.ranks.ranges)
    bare = IdSet.between(0, hosts.count - 1) - given - unknown
    for entry in entries:
        mine = entry.ranks & bare
        if mine:
            message = f"{_names(hosts, mine.ranges)} {_have(mine)} neither cores nor gpus"
            report.error(message, at(PATH, entry.number, "hosts"), 'cores = "IDSET"')
            bare -= mine
    for (cores, _), having in kinds.items():
        ranks = having - unknown
        if ranks and not cores:
            number = next(entry.number for entry in entries if entry.ranks & ranks)
            message = f"{_names(hosts, ranks.ranges)} {_have(ranks)} gpus and no core"
            report.warning(f"{message}, which RFC 20 asks for", at(PATH, number, "hosts"))


def _have(ranks: IdSet) -> str:
    return "has" if ranks.count == 1 else "have"


def _names(hosts: HostList, runs: "list[tuple[int, int]] | tuple[tuple[int, int], ...]") -> str:
    """The hosts of ranks as a hostlist of a few ranges."""
    return format_hosts(hosts.pick(IdSet.from_ranges(runs).ranges, 6), 5)
