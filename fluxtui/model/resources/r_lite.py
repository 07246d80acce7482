"""The ``R_lite`` part of an R document: ranks with their cores and gpus (RFC 20)."""

from dataclasses import dataclass, field
from itertools import chain, islice, pairwise
from operator import lt
from typing import Any

from fluxtui.model.documents.report import Report
from fluxtui.model.jobspec.resources import shown
from fluxtui.model.resources.entries import Entries
from fluxtui.notation.problem import at, is_digits
from fluxtui.notation.sets import idset
from fluxtui.notation.sets.hostlist import HostList
from fluxtui.notation.sets.idset import IdSet
from fluxtui.notation.sets.ranges import repeated, runs

# A mask has one bit for each node; beyond this many a document is taken for a mistake.
MAX_RANKS = 1 << 24

# Ranks that stand in several entries are put together one by one, up to this many.
MAX_REPEATS = 1 << 16

# Ranks up to so many times the number of their ranges stand close.
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
    """The ranks of all R_lite entries with the same children: parts has those of each entry."""

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
        """There are no more entries."""
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
        if all(part.starts is part.ends for part in parts):
            return IdSet(starts, starts)
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
        report.add(problem._replace(message=message, span=None, path=path))
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
    """The ranks of all groups; None where one of them stands in two entries."""
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
    """The same for ranks below size that stand close: each is marked in a row of digits."""
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
    """The same where ranks stand in several entries: their cores and gpus add up.

    It is an error when an entry gives a rank cores or gpus that it has already.
    """
    sets = [(group, IdSet.from_ranges(group.pairs)) for group in groups]
    pairs = [pair for group in groups for pair in group.pairs]
    draft.ranks = IdSet.from_ranges(pairs)
    several = repeated(pairs)
    merged = several.count <= MAX_REPEATS
    verb = "stands" if several.count == 1 else "stand"
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
