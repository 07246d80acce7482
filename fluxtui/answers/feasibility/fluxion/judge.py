"""Fluxion's decision on subtrees: whether a request fits an idle graph, taking the first match.

A vertex matches a requested resource if it has its type, no constraint excludes it, and for each
child of the resource its own matching children have enough units. Levels may be left out only
above the first match. This also gives how many equal jobs fit at once, and the largest counts.
"""

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field

from fluxtui.answers.feasibility.feasibility import jobs_at_once, largest_value
from fluxtui.answers.feasibility.fluxion.prepared_graph import SubtreeClass
from fluxtui.answers.feasibility.fluxion.reading import (
    Request,
    Requested,
    allocated,
    replaced,
    walk,
)
from fluxtui.notation.count import Range

# The limit of work for finding other counts than the requested ones.
_MOST_WORK = 20_000


class UncountedError(Exception):
    """The number of jobs that fit cannot be counted."""


class TooMuchError(Exception):
    """An answer would take too long."""


@dataclass(slots=True)
class Judge:
    """Matches requested resources against subtrees, with a cache of results.

    leaves  the types that have a vertex without children; they are counted at clusters only
    strict  accepts no slot one level too low, which Fluxion matches but does not allocate
    """

    leaves: Set[str] = frozenset()
    strict: bool = False
    _fits: dict[tuple[SubtreeClass, Requested, bool], bool] = field(default_factory=dict)
    _slots: dict[tuple[SubtreeClass, Requested], int] = field(default_factory=dict)
    _available: dict[tuple[SubtreeClass, Request], Mapping[str, int]] = field(default_factory=dict)

    @property
    def work(self) -> int:
        """How much this judge has judged so far, even if another judge did the same."""
        return len(self._fits) + len(self._slots) + len(self._available)

    def satisfied(self, root: SubtreeClass, request: Request) -> bool:
        """Whether a request fits a graph; request holds the resources at its top level."""
        if conflict(request) or not request or (request[0].is_slot and len(request) > 1):
            return False
        available = self.available(root, request)
        return all(0 < wanted.least <= available.get(wanted.type, 0) for wanted in request)

    def available(self, subtree: SubtreeClass, request: Request) -> Mapping[str, int]:
        """Return the matching units by type at a vertex and below; a match hides what is below."""
        key = (subtree, request)
        if key not in self._available:
            self._available[key] = self._find(subtree, request)
        return self._available[key]

    def _find(self, subtree: SubtreeClass, request: Request) -> Mapping[str, int]:
        if not subtree.size:
            return {}
        for wanted in request:
            if wanted.is_slot:
                if not self.descends(subtree, wanted):
                    return {}
                if can_form(subtree, wanted):
                    return {wanted.type: self.slots(subtree, wanted)}
            elif wanted.type == subtree.type:
                return {wanted.type: subtree.size} if self.fits(subtree, wanted, False) else {}
        total: dict[str, int] = {}
        for kid, times in subtree.kids:
            if kid.kids or any(wanted.type == kid.type for wanted in request):
                for kind, units in self.available(kid, request).items():
                    total[kind] = total.get(kind, 0) + units * times
        return total

    def fits(self, subtree: SubtreeClass, wanted: Requested, under_exclusive: bool) -> bool:
        """Whether a vertex of the wanted type matches, below something exclusive or not."""
        key = (subtree, wanted, under_exclusive)
        if key not in self._fits:
            self._fits[key] = self._matches(subtree, wanted, under_exclusive)
        return self._fits[key]

    def _matches(self, subtree: SubtreeClass, wanted: Requested, under_exclusive: bool) -> bool:
        under_exclusive = under_exclusive or wanted.exclusive is True
        if under_exclusive and wanted.exclusive is False:
            return False
        if not subtree.size or not self.descends(subtree, wanted) or conflict(wanted.kids):
            return False
        kids = wanted.kids
        if kids and kids[-1].is_slot:
            formed = self.formed(subtree, wanted, under_exclusive)
            return all(0 < slot.least <= formed for slot in kids)
        return all(0 < kid.least <= self.units(subtree, kid, under_exclusive) for kid in kids)

    def units(self, subtree: SubtreeClass, wanted: Requested, under_exclusive: bool) -> int:
        """Return the units of the matching children of a vertex."""
        return sum(
            kid.size * times
            for kid, times in subtree.kids
            if kid.type == wanted.type and self.fits(kid, wanted, under_exclusive)
        )

    def formed(self, subtree: SubtreeClass, wanted: Requested, under_exclusive: bool) -> int:
        """Return how many slots form for a parent in the request: at it, or one level lower."""
        slot = wanted.kids[-1]
        if can_form(subtree, slot):
            return self.slots(subtree, slot)
        if len(wanted.kids) > 1 or (self.strict and not under_exclusive):
            return 0
        return sum(
            self.slots(kid, slot) * times
            for kid, times in subtree.kids
            if kid.size and can_form(kid, slot) and self.descends(kid, slot)
        )

    def slots(self, subtree: SubtreeClass, slot: Requested) -> int:
        """Return how many slots form at a vertex whose children have all types of the slot.

        Fluxion looks for as many slots as are wanted with their largest counts, then gives each
        slot the largest legal count of what it has found, always in whole vertices.
        """
        key = (subtree, slot)
        if key not in self._slots:
            clash = conflict(slot.kids) or any(kid.is_slot for kid in slot.kids)
            each = [self.bundles(subtree, kid, slot.most) for kid in slot.kids]
            self._slots[key] = 0 if clash else min(each, default=0)
        return self._slots[key]

    def bundles(self, subtree: SubtreeClass, wanted: Requested, times: int) -> int:
        """Return for how many of ``times`` slots the children of a vertex suffice."""
        units, share = self.share(subtree, wanted, times)
        if not share:
            return 0
        if wanted.type not in subtree.uneven:
            size = subtree.kids_of(wanted.type)[0][0].size
            return units // size // -(-share // size)
        sizes = self._visited(subtree, wanted, times)
        order = subtree.uneven[wanted.type].packed
        return packed((sizes[place] for place in order if place in sizes), share)

    def share(self, subtree: SubtreeClass, wanted: Requested, times: int) -> tuple[int, int]:
        """Return the units that Fluxion finds for ``times`` slots, and how many each slot takes."""
        if wanted.type in subtree.uneven:
            units = sum(self._visited(subtree, wanted, times).values())
        else:
            kids = subtree.kids_of(wanted.type)
            fitting = [(kid, n) for kid, n in kids if self.fits(kid, wanted, True)]
            if not fitting:
                return 0, 0
            size = fitting[0][0].size
            units = min(sum(n for _, n in fitting), -(-wanted.most // size) * times) * size
        return units, wanted.greatest(units) if wanted.least else 0

    def _visited(self, subtree: SubtreeClass, wanted: Requested, times: int) -> dict[int, int]:
        """Return positions and sizes of the children that Fluxion visits for ``times`` slots."""
        sizes: dict[int, int] = {}
        shares = units = 0
        for place, kid in enumerate(subtree.uneven[wanted.type].visited):
            if shares < times and self.fits(kid, wanted, True):
                sizes[place] = kid.size
                units += kid.size
                if units >= wanted.most:
                    shares, units = shares + 1, 0
        return sizes

    def descends(self, subtree: SubtreeClass, wanted: Requested) -> bool:
        """Whether Fluxion descends below a vertex: its pruning filter counts enough below it."""
        if not subtree.present:
            return True
        cluster = subtree.type == "cluster"
        return all(
            units <= subtree.below.get(kind, 0)
            for kind, units in wanted.need.items()
            if (kind in ("core", "node") and kind != subtree.type)
            or (cluster and kind in self.leaves)
        )


def can_form(subtree: SubtreeClass, slot: Requested) -> bool:
    """Whether a slot can form at a vertex: its children have all types of the slot."""
    return all(kid.type in subtree.present for kid in slot.kids)


def packed(sizes: Iterable[int], share: int) -> int:
    """Return how many bundles of at least ``share`` units whole vertices make, taken in order."""
    bundles = units = 0
    for size in sizes:
        units += size
        if units >= share:
            bundles, units = bundles + 1, 0
    return bundles


def conflict(siblings: Request) -> bool:
    """Whether Fluxion never finds siblings together: of one type, or a slot and another type."""
    slots = sum(each.is_slot for each in siblings)
    if slots:
        return slots < len(siblings)
    return len({each.type for each in siblings}) < len(siblings)


def visible(top: SubtreeClass, request: Request) -> dict[str, dict[SubtreeClass, int]]:
    """Return where a search for each top-level resource ends, by class; what is below is hidden."""
    memo: dict[SubtreeClass, dict[str, dict[SubtreeClass, int]]] = {}

    def look(subtree: SubtreeClass) -> dict[str, dict[SubtreeClass, int]]:
        if subtree in memo:
            return memo[subtree]
        found: dict[str, dict[SubtreeClass, int]] = {wanted.type: {} for wanted in request}
        here = next((wanted for wanted in request if matches_top(subtree, wanted)), None)
        if here is not None:
            found[here.type][subtree] = 1
        else:
            for kid, times in subtree.kids:
                for kind, subtrees in look(kid).items():
                    for its, count in subtrees.items():
                        found[kind][its] = found[kind].get(its, 0) + count * times
        memo[subtree] = found
        return found

    return look(top)


def matches_top(subtree: SubtreeClass, wanted: Requested) -> bool:
    """Whether a search for a top-level resource ends at a vertex, whether it matches or not."""
    return wanted.type == subtree.type or (wanted.is_slot and can_form(subtree, wanted))


@dataclass(slots=True)
class Counter:
    """Counts how many equal jobs fit, each at its smallest.

    What is in a slot or exclusive is taken whole; what is around and beside it is shared (see
    `allocated`). Jobs with a range in a slot, which takes all that is left, are not counted.
    """

    judge: Judge
    _jobs: dict[tuple[SubtreeClass, Requested, bool], int] = field(default_factory=dict)

    def fits(self, root: SubtreeClass, request: Request) -> int | None:
        """Return how many jobs fit at once on a graph where one fits; None if not counted."""
        ends_at = visible(root, request)
        try:
            return min(
                sum(self._slots(subtree, wanted) * n for subtree, n in ends_at["slot"].items())
                // wanted.least
                if wanted.is_slot
                else self._shared(wanted, ends_at[wanted.type], False)
                for wanted in allocated(request)
            )
        except UncountedError:
            return None

    def _shared(
        self, wanted: Requested, vertices: Mapping[SubtreeClass, int], under_exclusive: bool
    ) -> int:
        """Return how many jobs the vertices of the wanted type can serve."""
        hosts = [
            (jobs, times, subtree.size)
            for subtree, times in vertices.items()
            if (jobs := self._hosted(subtree, wanted, under_exclusive))
        ]
        if not hosts:
            return 0
        sizes = {size for _, _, size in hosts}
        served = [(jobs, times) for jobs, times, _ in hosts]
        if len(sizes) == 1:
            return jobs_at_once(served, -(-wanted.least // sizes.pop()))
        if wanted.least <= min(sizes):
            return jobs_at_once(served, 1)
        if any(jobs > 1 for jobs, _ in served):
            raise UncountedError
        return bundled([(size, times) for _, times, size in hosts], wanted.least)

    def _hosted(self, subtree: SubtreeClass, wanted: Requested, under_exclusive: bool) -> int:
        """Return in how many jobs a vertex can be the match for a resource."""
        key = (subtree, wanted, under_exclusive)
        if key not in self._jobs:
            self._jobs[key] = self._count(subtree, wanted, under_exclusive)
        return self._jobs[key]

    def _count(self, subtree: SubtreeClass, wanted: Requested, under_exclusive: bool) -> int:
        if not self.judge.fits(subtree, wanted, under_exclusive):
            return 0
        if under_exclusive or wanted.exclusive is True or not wanted.kids:
            return 1
        if wanted.kids[-1].is_slot:
            if len(wanted.kids) > 1 or not can_form(subtree, wanted.kids[0]):
                raise UncountedError
            return self._slots(subtree, wanted.kids[0]) // wanted.kids[0].least
        return min(
            self._shared(kid, dict(subtree.kids_of(kid.type)), under_exclusive)
            for kid in allocated(wanted.kids)
        )

    def _slots(self, subtree: SubtreeClass, slot: Requested) -> int:
        """Return how many slots with the smallest counts fit at a vertex."""
        if not self.judge.slots(subtree, slot):
            return 0
        if any(isinstance(kid.count, Range) for kid in walk(slot.kids)):
            raise UncountedError
        found = []
        for wanted in slot.kids:
            kids = subtree.kids_of(wanted.type)
            sizes = [(kid.size, n) for kid, n in kids if self.judge.fits(kid, wanted, True)]
            found.append(bundled(sizes, wanted.least))
        return min(found)


def bundled(sizes: list[tuple[int, int]], share: int) -> int:
    """Return how many bundles of at least ``share`` units vertices make; sizes are (size, number).

    Raises UncountedError if that is not certain.
    """
    if len({size for size, _ in sizes}) == 1:
        return sum(n for _, n in sizes) // -(-share // sizes[0][0])
    large = sum(n for size, n in sizes if size >= share)
    small = sorted((size for size, n in sizes if size < share for _ in range(n)), reverse=True)
    certain = packed(small, share)
    if certain != sum(small) // share:
        raise UncountedError
    return large + certain


class Trial:
    """Judges requests on a graph, up to an amount of work; then raises TooMuchError."""

    def __init__(self, judge: Judge, root: SubtreeClass) -> None:
        self._judge = judge
        self._root = root
        self._end = judge.work + _MOST_WORK

    def __call__(self, request: Request) -> bool:
        """Whether a request fits."""
        if self._judge.work > self._end:
            raise TooMuchError
        return self._judge.satisfied(self._root, request)

    def largest(self, request: Request, wanted: Requested) -> int | None:
        """Return the largest value of a range of the request that fits; None if none does."""
        if not isinstance(wanted.count, Range):
            return None
        # No graph has more than this of anything.
        most = sum(self._root.below.values()) + self._root.size
        path = wanted.path
        return largest_value(wanted.count, lambda n: self(replaced(request, path, n)), most)

    def largest_of_ranges(self, request: Request) -> tuple[tuple[str, int], ...]:
        """Return the largest fitting count of each of the first ranges, by path, else unchanged."""
        found = []
        ranges = [wanted for wanted in walk(request) if isinstance(wanted.count, Range)]
        for wanted in ranges[:20]:
            try:
                count = self.largest(request, wanted)
            except TooMuchError:
                break
            if count is not None:
                found.append((wanted.count_path, count))
        return tuple(found)
