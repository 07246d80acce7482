"""The ``execution`` part of an R document: R_lite, nodelist, properties, times (RFC 20)."""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain, islice, pairwise
from math import isfinite
from operator import lt
from typing import Any

from fluxtui.model.documents.json_value import shown
from fluxtui.model.documents.report import Report
from fluxtui.notation.problem import at, is_digits
from fluxtui.notation.sets import idset
from fluxtui.notation.sets.hostlist import Builder, HostList, names_into
from fluxtui.notation.sets.hostlist import parse_into as parse_hosts
from fluxtui.notation.sets.idset import IdSet, repeated, runs
from fluxtui.notation.wording import counted


class Entries:
    """The entries of an R_lite that is read in pieces, kept as columns and not as objects.

    Iterating yields each entry as the dictionary it was in the document.
    """

    def __init__(self) -> None:
        self._ranks: list[Any] = []
        self._kinds = array("L")
        self._children: list[Any] = []
        self._known: dict[tuple[str, str | None], int] = {}
        self._others: dict[int, Any] = {}  # entries that say more, or something else

    def take(self, elements: list[Any], text: bytes | None = None) -> None:
        """Take the next entries."""
        for entry in elements:
            kind = self._kind(entry)
            if kind is None:
                self._others[len(self._ranks)] = entry
            self._ranks.append(entry["rank"] if kind is not None else None)
            self._kinds.append(kind or 0)

    def _kind(self, entry: Any) -> int | None:
        """The number of the children of an entry with a rank, plain children and nothing else."""
        if type(entry) is not dict or len(entry) != 2 or "rank" not in entry:
            return None
        children = entry.get("children")
        if type(children) is not dict or type(children.get("core")) is not str:
            return None
        gpu = children.get("gpu")
        if len(children) != 1 and (len(children) != 2 or type(gpu) is not str):
            return None
        found = self._known.setdefault((children["core"], gpu), len(self._children))
        if found == len(self._children):
            self._children.append(children)
        return found

    def __len__(self) -> int:
        return len(self._ranks)

    def __iter__(self) -> Iterator[Any]:
        others, children = self._others, self._children
        for number, (rank, kind) in enumerate(zip(self._ranks, self._kinds, strict=True)):
            if number in others:
                yield others[number]
            else:
                yield {"rank": rank, "children": children[kind]}


# A mask has one bit for each node; beyond this many a document is taken for a mistake.
MAX_RANKS = 1 << 24

# Ranks that several entries share are merged one by one, up to this many.
MAX_REPEATS = 1 << 16

# Ranks are dense while the largest is below so many times the number of their ranges.
_SPREAD = 64

Kind = tuple[IdSet, IdSet]


@dataclass(slots=True)
class Draft:
    """What has been read so far; ranks are rank numbers here, not indices."""

    ranks: IdSet = idset.EMPTY
    kinds: dict[Kind, IdSet] = field(default_factory=dict)
    hosts: HostList = field(default_factory=HostList)
    properties: dict[str, IdSet] = field(default_factory=dict)
    starttime: float | None = None
    expiration: float | None = None
    nslots: int | None = None


class _Group:
    """The ranks of all R_lite entries with the same children; ``parts`` has one set per entry."""

    __slots__ = ("_loose", "cores", "gpus", "parts")

    def __init__(self, cores: IdSet, gpus: IdSet) -> None:
        self.cores = cores
        self.gpus = gpus
        self.parts: list[IdSet] = []
        self._loose: list[int] = []

    def add(self, ids: IdSet) -> None:
        """Take the ranks of another entry."""
        if ids:
            self.parts.append(ids)

    def add_one(self, rank: int) -> None:
        """Take the rank of an entry that has one."""
        self._loose.append(rank)

    def close(self) -> None:
        """Finish: put the ranks that were added one by one into parts."""
        loose = self._loose
        if loose and all(map(lt, loose, islice(loose, 1, None))):
            self.parts.append(IdSet(*runs(loose)))
        else:
            self.parts += [IdSet.between(rank, rank) for rank in loose]
        self.parts.sort(key=lambda part: part.first)

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The ranges of all parts, in no order."""
        return [pair for part in self.parts for pair in part.ranges]

    @property
    def ranks(self) -> IdSet:
        """The ranks."""
        parts = self.parts
        if len(parts) == 1:
            return parts[0]
        if not all(one.last + 1 < two.first for one, two in pairwise(parts)):
            return IdSet.from_ranges(self.pairs)
        starts = tuple(chain.from_iterable(part.starts for part in parts))
        return IdSet(starts, tuple(chain.from_iterable(part.ends for part in parts)))


def read_lite(raw: dict[str, Any], draft: Draft, report: Report) -> None:
    """Read ``R_lite`` of an execution dictionary into the ranks and kinds of a draft."""
    path = "execution.R_lite"
    entries = raw.get("R_lite")
    if not isinstance(entries, list | Entries) or not entries:
        message = "R_lite is missing" if "R_lite" not in raw else "R_lite is not a filled array"
        report.error(message, path, "an array of one or more entries with rank and children")
        return
    groups: dict[object, _Group] = {}
    total = 0
    for number, entry in enumerate(entries):
        if type(entry) is not dict:
            report.error(
                f"an R_lite entry is a dictionary; found {shown(entry)}",
                at(path, number),
                "an object",
            )
            continue
        rank = entry.get("rank")
        group = _group(entry.get("children"), groups, number, report)
        # One rank in an entry is common in what Fluxion writes, and needs no idset.
        if type(rank) is str and is_digits(rank) and rank == str(int(rank[:18])):
            first = int(rank)
            group.add_one(first)
            total += 1
            continue
        ids = read_idset(rank, "rank", at(path, number, "rank"), report)
        if total + ids.count > MAX_RANKS:
            report.error(
                f"more than {MAX_RANKS:,} ranks; this entry is left out", at(path, number, "rank")
            )
            continue
        total += ids.count
        group.add(ids)
    for group in groups.values():
        group.close()
    _gather(list(groups.values()), draft, report)


def _group(children: object, groups: dict[object, _Group], number: int, report: Report) -> _Group:
    """The group of an entry with these children; children seen before are not read again."""
    known = isinstance(children, dict)
    core = children.get("core") if isinstance(children, dict) else None
    gpu = children.get("gpu", "none") if isinstance(children, dict) else None
    plain = type(core) is str and type(gpu) is str
    if plain and (core, gpu) in groups:
        return groups[(core, gpu)]
    path = at("execution.R_lite", number, "children")
    cores = gpus = idset.EMPTY
    if not isinstance(children, dict):
        report.error("children is a dictionary with core", path, "an object")
    elif "core" not in children:
        report.error("children has no core", path, "core")
    else:
        cores = read_idset(core, "core", at(path, "core"), report)
    if isinstance(children, dict) and "gpu" in children:
        gpus = read_idset(gpu, "gpu", at(path, "gpu"), report)
    group = _Group(cores, gpus)
    # Wrong children are looked at again, so that each wrong entry is named.
    groups[(core, gpu) if plain and known else number] = group
    return group


def read_idset(value: object, what: str, path: str, report: Report) -> IdSet:
    """A filled idset string of a document; problems name what it is."""
    if not isinstance(value, str):
        report.error(
            f"{what} is an idset string; found {shown(value)}", path, "a string such as '0-3'"
        )
        return idset.EMPTY
    parsed = idset.parse(value)
    for problem in parsed.problems:
        message = f"{what}: {problem.message}"
        report.add(replace(problem, message=message, span=None, path=path))
    if not parsed.value and not parsed.problems:
        report.error(f"{what} holds no id", path, "one or more ids")
    return parsed.value


def _gather(groups: list[_Group], draft: Draft, report: Report) -> None:
    """Put the groups together: all ranks, and the ranks of each kind of node."""
    ranks = _union(groups)
    if ranks is None:
        _gather_repeats(groups, draft, report)
        return
    draft.ranks = ranks
    for group in groups:
        kind = (group.cores, group.gpus)
        known = draft.kinds.get(kind)
        draft.kinds[kind] = group.ranks if known is None else known | group.ranks


def _union(groups: list[_Group]) -> IdSet | None:
    """The ranks of all groups; None where two entries share a rank."""
    parts = [part for group in groups for part in group.parts]
    if len(parts) <= 1:
        return parts[0] if parts else idset.EMPTY
    ranges = sum(len(part.starts) for part in parts)
    size = max(part.last for part in parts) + 1
    if size <= min(ranges * _SPREAD, MAX_RANKS):
        return _marked(parts, size)
    starts = sorted(chain.from_iterable(part.starts for part in parts))
    ends = sorted(chain.from_iterable(part.ends for part in parts))
    # Sorted apart they pair up again exactly when no two ranges overlap.
    if not all(map(lt, ends, islice(starts, 1, None))):
        return None
    return IdSet.from_ranges(zip(starts, ends, strict=True))


def _marked(parts: list[IdSet], size: int) -> IdSet | None:
    """As `_union`, for dense ranks below size: each is marked in a row of digits."""
    marks = bytearray(b"0") * size
    for part in parts:
        if part.starts is part.ends:
            for rank in part.starts:
                marks[rank] = 49
        else:
            for first, last in zip(part.starts, part.ends, strict=True):
                marks[first : last + 1] = b"1" * (last - first + 1)
    total = sum(part.count for part in parts)
    if marks.count(b"1") != total:
        return None
    if total == size:
        return IdSet.between(0, size - 1)
    marks.reverse()
    return idset.from_mask(int(marks, 2))


def _gather_repeats(groups: list[_Group], draft: Draft, report: Report) -> None:
    """As `_gather`, where entries share ranks: the cores and gpus of a shared rank add up.

    It is an error when an entry gives a rank cores or gpus that it has already.
    """
    sets = [(group, IdSet.from_ranges(group.pairs)) for group in groups]
    pairs = [pair for group in groups for pair in group.pairs]
    draft.ranks = IdSet.from_ranges(pairs)
    several = repeated(pairs)
    merged = several.count <= MAX_REPEATS
    verb = "is" if several.count == 1 else "are"
    report.warning(f"{_named(several)} {verb} in more than one R_lite entry", "execution.R_lite")
    single: dict[int, Kind] = {}
    clash = idset.EMPTY
    for group, ranks in sets:
        kind = (group.cores, group.gpus)
        draft.kinds[kind] = draft.kinds.get(kind, idset.EMPTY) | (ranks - several)
        for rank in (ranks & several) if merged else ():
            cores, gpus = single.get(rank, (idset.EMPTY, idset.EMPTY))
            if cores & group.cores or gpus & group.gpus:
                clash |= IdSet.between(rank, rank)
            single[rank] = (cores | group.cores, gpus | group.gpus)
    clash |= _twice(groups)
    if clash or not merged:
        wrong = clash or several
        verb = "has" if wrong.count == 1 else "have"
        message = f"{_named(wrong)} {verb} the same core or gpu twice"
        report.error(message, "execution.R_lite")
    by_kind: dict[Kind, list[tuple[int, int]]] = {}
    for rank, kind in single.items():
        by_kind.setdefault(kind, []).append((rank, rank))
    for kind, found in by_kind.items():
        draft.kinds[kind] = draft.kinds.get(kind, idset.EMPTY) | IdSet.from_ranges(found)


def _named(ranks: IdSet) -> str:
    """``rank 2``, ``ranks 2-3``: the first ranges of some ranks."""
    return f"{'rank' if ranks.count == 1 else 'ranks'} {idset.format(ranks, 5)}"


def _twice(groups: list[_Group]) -> IdSet:
    """The ranks that two entries with the very same children name."""
    counted = (group for group in groups if group.cores or group.gpus)
    return IdSet.from_ranges(run for group in counted for run in repeated(group.pairs).ranges)


ILLEGAL = frozenset("!&'\"^`|()")
_CONTROLS = frozenset(map(chr, (*range(32), *range(127, 160))))


def read_execution(raw: object, report: Report) -> Draft | None:
    """Read the ``execution`` dictionary; None where there is nothing to read.

    Problems are noted with paths that begin with ``execution``.
    """
    if not isinstance(raw, dict):
        report.error(
            f"execution is a dictionary; found {shown(raw)}", "execution", "an object with R_lite"
        )
        return None
    draft = Draft()
    read_lite(raw, draft, report)
    _read_nodelist(raw, draft, report)
    _read_properties(raw, draft, report)
    _read_times(raw, draft, report)
    if "nslots" in raw:
        nslots = raw["nslots"]
        if type(nslots) is int and nslots > 0:
            draft.nslots = nslots
        else:
            report.error(
                f"nslots is a whole number of 1 or more; found {shown(nslots)}",
                "execution.nslots",
                "1 or more",
            )
    return draft


def _read_nodelist(raw: dict[str, Any], draft: Draft, report: Report) -> None:
    path = "execution.nodelist"
    entries = raw.get("nodelist")
    if not isinstance(entries, list):
        message = "nodelist is missing" if "nodelist" not in raw else "nodelist is not an array"
        report.error(message, path, "an array of host names or hostlists")
        draft.hosts = _hosts_of_entries(raw.get("R_lite"), draft.ranks)
        return
    out = Builder()
    faults = len(report.problems)
    if set(map(type, entries)) != {str} or not names_into(out, entries):
        for number, entry in enumerate(entries):
            where = at(path, number)
            if not isinstance(entry, str):
                report.error(
                    f"an entry of nodelist is a string; found {shown(entry)}",
                    where,
                    "a host name or hostlist",
                )
                continue
            for problem in parse_hosts(out, entry):
                report.add(replace(problem, span=None, path=where))
    draft.hosts = out.done()
    if draft.ranks and draft.hosts.count != draft.ranks.count:
        report.error(
            f"nodelist names {counted(draft.hosts.count, 'host')} for "
            f"{counted(draft.ranks.count, 'rank')}",
            path,
            counted(draft.ranks.count, "host"),
        )
        if len(report.problems) > faults + 1:
            # Which ranks the unreadable entries stood for is not known: no name is better than a
            # wrong one.
            draft.hosts = HostList()


def _hosts_of_entries(entries: object, ranks: IdSet) -> HostList:
    """The hosts by the ``node`` key that Fluxion once wrote into each entry of one rank."""
    if not isinstance(entries, list | Entries) or not ranks or ranks.count > len(entries):
        return HostList()
    names: dict[str, str] = {}
    for entry in entries:
        if isinstance(entry, dict) and isinstance(entry.get("node"), str):
            names[str(entry.get("rank"))] = entry["node"]
    if not all(str(rank) in names for rank in ranks):
        return HostList()
    out = Builder()
    parse_hosts(out, ",".join(names[str(rank)] for rank in ranks))
    hosts = out.done()
    return hosts if hosts.count == ranks.count else HostList()


def _read_properties(raw: dict[str, Any], draft: Draft, report: Report) -> None:
    if "properties" not in raw:
        return
    path = "execution.properties"
    properties = raw["properties"]
    if not isinstance(properties, dict):
        report.error("properties is a dictionary of idsets by name", path, "an object")
        return
    for key, value in properties.items():
        where = at(path, key)
        name = checked_property(key, where, report)
        if value == "":
            report.warning(f"property '{name}' is on no rank", where)
            draft.properties[name] = idset.EMPTY
            continue
        ids = read_idset(value, f"property '{name}'", where, report)
        outside = ids.count - draft.ranks.locate(ids).count
        if outside and draft.ranks:
            report.warning(
                f"property '{name}' names {counted(outside, 'rank')} that R_lite does not have",
                where,
            )
        draft.properties[name] = ids


def checked_property(name: str, path: str, report: Report) -> str:
    """The name of a property as it can be shown; noted where RFC 20 forbids it, or it is odd."""
    wrong = sorted(ILLEGAL.intersection(name))
    if wrong:
        report.error(
            f"property name '{name}' holds '{wrong[0]}', which no property name may",
            path,
            "none of ! & ' \" ^ ` | ( )",
        )
    elif not name:
        report.warning("a property has an empty name, which no query can name", path)
    elif not _CONTROLS.isdisjoint(name):
        report.warning(f"property name '{name}' holds control characters", path)
    try:
        name.encode()
    except UnicodeEncodeError:
        report.error("a property name is not valid UTF-8", path)
        return name.encode("utf-8", "backslashreplace").decode()
    return name


def _read_times(raw: dict[str, Any], draft: Draft, report: Report) -> None:
    draft.starttime = _time(raw, "starttime", report)
    draft.expiration = _time(raw, "expiration", report)
    start, end = draft.starttime, draft.expiration
    if start is not None and end is not None and end <= start:
        report.error(
            "expiration is not after starttime", "execution.expiration", f"more than {start:g}"
        )


def _time(raw: dict[str, Any], key: str, report: Report) -> float | None:
    """Seconds since the epoch; None where unset, which 0 means too."""
    if key not in raw:
        return None
    value, path = raw[key], at("execution", key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        report.error(
            f"{key} is a number; found {shown(value)}", path, "seconds since 1970-01-01 00:00 UTC"
        )
        return None
    if abs(value) > 1e15 or not isfinite(value):
        report.error(f"{key} is not a time", path, "seconds since 1970-01-01 00:00 UTC")
        return None
    if value < 0:
        report.warning(f"{key} is before 1970", path)
    return float(value) or None
