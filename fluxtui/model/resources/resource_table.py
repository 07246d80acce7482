"""The ``resource`` table of a Flux configuration, and the nodes that it lists inline.

The rules are those of flux-config-resource(5), or of flux-core where the page is silent.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any

from fluxtui.model.documents.report import Report
from fluxtui.model.property_name import ILLEGAL
from fluxtui.model.resources.document import MAX_RANKS, Kind
from fluxtui.model.resources.resource_set import NodeKind, Resources
from fluxtui.notation import duration
from fluxtui.notation.json_value import shown
from fluxtui.notation.problem import Parsed, Problem, at, plural
from fluxtui.notation.sets import hostlist, idset
from fluxtui.notation.sets.host_index import HostNumbers, same_names
from fluxtui.notation.sets.hostlist import Builder, HostList
from fluxtui.notation.sets.hostlist import format as format_hosts
from fluxtui.notation.sets.idset import IdSet

RULE = "flux-config-resource(5)"

PATH = "resource.config"

#: Hosts of a longer list are not looked up one by one.
MAX_NAMED = 1000

_Types = tuple[type, str, tuple[str, ...]]  # a type, its words, and what was expected
_TEXT: _Types = (str, "a string", ("a string",))
_FLAG: _Types = (bool, "true or false", ("true", "false"))
_SETTINGS: dict[str, _Types | None] = {
    "path": _TEXT,
    "scheduling": _TEXT,
    "exclude": _TEXT,
    "verify": None,  # checked separately
    "noverify": _FLAG,
    "norestrict": _FLAG,
    "rediscover": _FLAG,
    "no-update-watch": _FLAG,
    "journal-max": (int, "a whole number", ("a number",)),
    "history": (str, "a duration string", ('"30d"',)),
}
_MODES = ("strict", "allow-extra", "allow-missing", "ignore")
_VERIFIED = ("default", "hostname", "core", "gpu")

_KEYS = ("hosts", "cores", "gpus", "properties")
# flux-core accepts a name with '!', which RFC 20 forbids.
_REFUSED = frozenset(ILLEGAL) - {"!"}
# For flux-core blanks outside brackets separate host names, as commas do.
_BLANKS = re.compile(r"[ \t]+(?![^\[]*\])")


@dataclass(frozen=True, slots=True)
class ResourceTable:
    """What a configuration says about the nodes.

    resources   the nodes that it lists inline; otherwise path is the R document with the nodes
    scheduling  the JSON file with the scheduling part of R
    excluded    the idset or hostlist of nodes that get no jobs; empty if there are none
    """

    resources: Resources | None = None
    path: str | None = None
    scheduling: str | None = None
    excluded: str = ""
    problems: tuple[Problem, ...] = ()

    @property
    def has_nodes(self) -> bool:
        """Whether the configuration lists nodes, or names the file that does."""
        return self.resources is not None or self.path is not None


def read_table(config: object) -> ResourceTable:
    """Read the ``resource`` table of a whole configuration. Never raises; reads no file."""
    report = Report(RULE)
    table = config.get("resource") if isinstance(config, Mapping) else None
    if table is None:
        return ResourceTable()
    if not isinstance(table, Mapping):
        report.wrong("resource is a table", table, "resource", "[resource]")
        return ResourceTable(problems=report.problems)
    for key, value in table.items():
        if key != "config":
            _check_setting(str(key), value, report)
    listed = _read_entries(table["config"], _ranked(config), report) if "config" in table else None
    path, scheduling, exclude = (
        text if isinstance(text := table.get(key), str) else None
        for key in ("path", "scheduling", "exclude")
    )
    if listed is not None and path is not None:
        report.warning("path is ignored, as config lists the nodes", "resource.path")
        path = None
    if scheduling is not None and listed is None and path is None:
        report.error("scheduling needs path or config beside it", "resource.scheduling", "path")
    return ResourceTable(listed, path, scheduling, exclude or "", report.problems)


def _check_setting(key: str, value: object, report: Report) -> None:
    path = at("resource", key)
    if key not in _SETTINGS:
        hint = report.hint(key, (*_SETTINGS, "config"))
        report.error(f"resource has no key '{key}'{hint}", path, "config", *_SETTINGS)
        return
    types = _SETTINGS[key]
    if types is None:
        _check_verify(value, path, report)
    elif type(value) is not types[0]:
        report.wrong(f"{path} is {types[1]}", value, path, *types[2])
    elif key == "history":
        report.take(duration.parse(str(value)).problems, path)


def _check_verify(value: object, path: str, report: Report) -> None:
    if isinstance(value, bool):
        return
    if not isinstance(value, Mapping):
        expected = ("true", "false", "[resource.verify]")
        report.wrong("verify is true, false or a table", value, path, *expected)
        return
    for key, mode in value.items():
        where = at(path, str(key))
        if key not in _VERIFIED:
            hint = report.hint(str(key), _VERIFIED)
            report.error(f"verify has no key '{key}'{hint}", where, *_VERIFIED)
        elif mode not in _MODES:
            found = f"'{mode}'" if isinstance(mode, str) else shown(mode)
            report.error(f"{key} takes one of four values; found {found}", where, *_MODES)


def _ranked(config: object) -> HostList | None:
    """The hosts of ``bootstrap.hosts`` in order of the ranks Flux gives them; None if none."""
    table = config.get("bootstrap") if isinstance(config, Mapping) else None
    listed = table.get("hosts") if isinstance(table, Mapping) else None
    if not isinstance(listed, list):
        return None
    numbers = HostNumbers()
    for entry in listed:
        name = entry.get("host") if isinstance(entry, Mapping) else None
        hosts = hostlist.parse(name).value if isinstance(name, str) else HostList()
        if numbers.count + hosts.count > MAX_RANKS:
            return None
        numbers.add(hosts)
    return numbers.hosts() if numbers.count else None


def excluded(text: str, resources: Resources) -> Parsed[int]:
    """Return the mask of the nodes in ``exclude``, an idset or hostlist; problems have no spans."""
    report = Report(RULE)
    path = "resource.exclude"
    ranks = idset.parse(text)
    if ranks.ok:
        mask = resources.mask_of_ranks(ranks.value)
        if mask.bit_count() < ranks.value.count:
            missing = ranks.value - resources.ranks
            words = f"{plural('rank', missing.count)} {idset.format(missing, 5)}"
            report.error(f"exclude names {words}, which the cluster does not have", path)
        return Parsed(mask, report.problems)
    hosts = hostlist.parse(text)
    report.take(hosts.problems, path, "exclude")
    mask = resources.mask_of_hosts(hosts.value)
    if hosts.ok and mask.bit_count() < hosts.value.count:
        out, places = Builder(), resources.host_index.places
        out.names(name for name in hosts.value.pick([(0, MAX_NAMED - 1)]) if not places(name))
        absent = out.done()
        if absent or hosts.value.count > MAX_NAMED:  # otherwise some are only named twice
            names = format_hosts(absent, 5) or "hosts"
            report.error(f"exclude names {names}, which the cluster does not have", path)
    return Parsed(mask, report.problems)


# The nodes of ``resource.config``


@dataclass(slots=True)
class _Entry:
    """One entry; whole is whether all of it could be read, twice has the ranks it names twice."""

    number: int
    hosts: HostList
    cores: IdSet
    gpus: IdSet
    properties: tuple[str, ...]
    whole: bool
    ranks: IdSet = field(default=idset.EMPTY)
    twice: IdSet = field(default=idset.EMPTY)


def _read_entries(raw: object, order: HostList | None, report: Report) -> Resources:
    """Return the nodes of ``resource.config``, an array of tables whose entries add up.

    A host gets the next rank when it is first named. Instead, order gives the ranks if it names
    the same hosts.
    """
    if not isinstance(raw, list):
        report.wrong(f"{PATH} is an array of tables", raw, PATH, "[[resource.config]]")
        return Resources()
    numbers, entries = HostNumbers(), list[_Entry]()
    for number, table in enumerate(raw):
        entry = _read_entry(number, table, report)
        if entry is None:
            continue
        if numbers.count + entry.hosts.count > MAX_RANKS and not numbers.knows(entry.hosts):
            message = f"more than {MAX_RANKS:,} hosts; this entry is left out"
            report.error(message, at(PATH, number, "hosts"))
            continue
        entry.ranks, entry.twice = numbers.add(entry.hosts)
        if entry.ranks:
            entries.append(entry)
    hosts = numbers.hosts()
    if not hosts:
        if not report.failed:
            report.error(f"{PATH} names no host", PATH, "an entry with hosts")
        return Resources()
    is_ordered = order is not None and same_names(hosts, order)
    if order is not None and is_ordered:
        numbers = HostNumbers()
        numbers.add(order)
        for entry in entries:
            entry.ranks, entry.twice = numbers.add(entry.hosts)
        hosts = numbers.hosts()
    kinds = _kinds(entries, hosts, report)
    _check_empty(entries, kinds, hosts, report)
    if order is not None and not is_ordered:
        report.warning(
            f"bootstrap.hosts ({order.count:,}) and {PATH} ({hosts.count:,}) do not name the same "
            "hosts, as Flux wants it to number the ranks by the first",
            "bootstrap.hosts",
            f"the hosts of {PATH}",
        )
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


def _read_entry(number: int, table: object, report: Report) -> _Entry | None:
    path = at(PATH, number)
    if not isinstance(table, dict):
        report.wrong(f"an entry of {PATH} is a table", table, path)
        return None
    report.check_keys(table, "an entry", path, *_KEYS)
    hosts = _read_hosts(table, path, report)
    cores, gpus = (_read_ids(table, key, path, report) for key in ("cores", "gpus"))
    is_whole = cores is not None and gpus is not None
    names = tuple(_read_properties(table.get("properties", []), at(path, "properties"), report))
    return _Entry(number, hosts, cores or idset.EMPTY, gpus or idset.EMPTY, names, is_whole)


def _read_hosts(table: Mapping[str, Any], path: str, report: Report) -> HostList:
    where = at(path, "hosts")
    if "hosts" not in table:
        report.error("an entry names its hosts; hosts is missing", path, 'hosts = "HOSTLIST"')
        return HostList()
    value = table["hosts"]
    if not isinstance(value, str):
        report.wrong("hosts is a hostlist string", value, where, '"n[0-3]"')
        return HostList()
    parsed = hostlist.parse(_BLANKS.sub(",", value))
    report.take(parsed.problems, where, "hosts")
    if parsed.ok and _BLANKS.search(value.strip()):
        report.warning("flux-core separates host names at blanks too; RFC 29 uses commas", where)
    if not parsed.value and not parsed.problems:
        report.error("hosts names no host", where, "a hostlist")
    return parsed.value


def _read_ids(table: Mapping[str, Any], key: str, path: str, report: Report) -> IdSet | None:
    """Read the cores or gpus of an entry; Flux allows an empty idset. None if it is malformed."""
    value, where = table.get(key, ""), at(path, key)
    if not isinstance(value, str):
        is_count = type(value) is int and 1 < value < 10_000
        expected = f'"0-{value - 1}"' if is_count else '"0-3"'
        report.wrong(f"{key} is an idset string, not a count", value, where, expected)
        return None
    parsed = idset.parse(value)
    report.take(parsed.problems, where, key)
    return parsed.value if parsed.ok else None


def _read_properties(raw: object, path: str, report: Report) -> Iterator[str]:
    if not isinstance(raw, list):
        report.wrong("properties is an array of names", raw, path, '["NAME", ...]')
        return
    seen: set[str] = set()
    for number, name in enumerate(raw):
        where = at(path, number)
        if not isinstance(name, str):
            report.wrong("a property is a string", name, where, "a name")
        elif wrong := sorted(_REFUSED.intersection(name)):
            message = f"property name '{name}' holds '{wrong[0]}', which is not allowed"
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


def _kinds(entries: list[_Entry], hosts: HostList, report: Report) -> dict[Kind, IdSet]:
    """Return the ranks by cores and gpus; report a core or gpu that a host is given twice."""
    stretches: dict[tuple[int, ...], list[tuple[int, int]]] = {}
    for run, active in _stretches(entries):
        stretches.setdefault(active, []).append(run)
    ranks_by_kind: dict[Kind, list[tuple[int, int]]] = {}
    clashes: dict[tuple[int, int, str], list[tuple[int, int]]] = {}
    for active, runs in stretches.items():
        given: list[IdSet] = []
        for key in ("cores", "gpus"):
            owners = [(*ids, n) for n in active for ids in getattr(entries[n], key).ranges]
            given.append(IdSet.from_ranges((first, last) for first, last, _ in owners))
            for (_, end, one_entry), (first, _, other_entry) in pairwise(sorted(owners)):
                if first <= end:
                    both = min(one_entry, other_entry), max(one_entry, other_entry), key
                    clashes.setdefault(both, []).extend(runs)
        ranks_by_kind.setdefault((given[0], given[1]), []).extend(runs)
    for (earlier, later, key), runs in sorted(clashes.items(), key=itemgetter(0)):
        twice = getattr(entries[earlier], key) & getattr(entries[later], key)
        noun, verb = (key[:-1], "is") if twice.count == 1 else (key, "are")
        ids, names = idset.format(twice, 5), _names(hosts, runs)
        where = at(PATH, entries[earlier].number)
        message = f"{noun} {ids} of {names} {verb} given in {where} too"
        path = at(PATH, entries[later].number, key)
        report.error(message, path, "each id once per host")
    for entry in entries:
        if entry.twice and (entry.cores or entry.gpus):
            names = _names(hosts, entry.twice.ranges)
            key = "cores" if entry.cores else "gpus"
            message = f"{names} is named twice in hosts, so its {key} would be given twice"
            report.error(message, at(PATH, entry.number, "hosts"), "each host once")
    return {kind: IdSet.from_ranges(runs) for kind, runs in ranks_by_kind.items()}


def _stretches(entries: list[_Entry]) -> Iterator[tuple[tuple[int, int], tuple[int, ...]]]:
    """Yield ranges of ranks with the indices of the entries that give them cores or gpus."""
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


def _check_empty(
    entries: list[_Entry], kinds: dict[Kind, IdSet], hosts: HostList, report: Report
) -> None:
    """Report hosts without cores and gpus as an error, and hosts with gpus only as a warning."""
    given = IdSet.from_ranges(run for ranks in kinds.values() for run in ranks.ranges)
    # Do not report hosts whose cores or gpus could not be read.
    unknown = IdSet.from_ranges(run for e in entries if not e.whole for run in e.ranks.ranges)
    bare = IdSet.between(0, hosts.count - 1) - given - unknown
    for entry in entries:
        bare_here = entry.ranks & bare
        if bare_here:
            have = plural("has", bare_here.count, "have")
            message = f"{_names(hosts, bare_here.ranges)} {have} neither cores nor gpus"
            report.error(message, at(PATH, entry.number, "hosts"), 'cores = "IDSET"')
            bare -= bare_here
    for (cores, _), having in kinds.items():
        ranks = having - unknown
        if ranks and not cores:
            number = next(entry.number for entry in entries if entry.ranks & ranks)
            have = plural("has", ranks.count, "have")
            message = f"{_names(hosts, ranks.ranges)} {have} gpus but no cores"
            report.warning(f"{message}; RFC 20 requires cores", at(PATH, number, "hosts"))


def _names(hosts: HostList, runs: Iterable[tuple[int, int]]) -> str:
    return format_hosts(hosts.pick(IdSet.from_ranges(runs).ranges, 6), 5)
