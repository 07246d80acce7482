"""How many equal jobs fit on a resource graph at once, and the largest counts of ranges."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from fluxtui.answers.feasibility.fluxion.judge import Judge, can_form, packed, visible
from fluxtui.answers.feasibility.fluxion.reading import Request, Requested, replaced, walk
from fluxtui.answers.feasibility.fluxion.subtree_classes import SubtreeClass
from fluxtui.answers.feasibility.nearest import jobs_at_once, largest_value
from fluxtui.notation.count import Range

# Ranges whose largest count is looked for.
_MOST = 20

# What may be judged to find other counts than those that were asked for, before it takes too long.
_MOST_WORK = 20_000


class UncountedError(Exception):
    """How many jobs fit is not worked out."""


class TooMuchError(Exception):
    """An answer would take longer than anybody waits for it."""


@dataclass(slots=True)
class Counter:
    """Counts jobs that ask for the same, each at its smallest.

    What a slot holds, what is exclusive and what a request names last is taken whole; what is
    around it is shared. n vertices of one resource are n different ones for each job, so that J
    jobs fit if and only if the sum over the vertices of min(J, jobs on it) reaches n times J. Of
    a range in a slot Fluxion takes what is left, so that such jobs are not counted.
    """

    judge: Judge
    _jobs: dict[tuple[SubtreeClass, Requested, bool], int] = field(default_factory=dict)

    def fits(self, root: SubtreeClass, request: Request) -> int | None:
        """How many jobs fit on a graph at once; None where that was not worked out."""
        if not self.judge.satisfied(root, request):
            return 0
        try:
            return min(self._top(root, wanted, request) for wanted in request)
        except UncountedError:
            return None

    def _top(self, root: SubtreeClass, wanted: Requested, request: Request) -> int:
        there = visible(root, request)[wanted.type]
        if wanted.is_slot:
            return (
                sum(self._slots(subtree, wanted) * n for subtree, n in there.items())
                // wanted.least
            )
        return self._shared(wanted, there, False)

    def _shared(
        self, wanted: Requested, there: Mapping[SubtreeClass, int], under_exclusive: bool
    ) -> int:
        """The jobs that vertices of the wanted type can serve."""
        # How many jobs each vertex can take part in, and how many such vertices there are.
        hosts: list[tuple[int, int]] = []
        bundles: list[tuple[int, int]] = []
        for subtree, times in there.items():
            if jobs := self.jobs(subtree, wanted, under_exclusive):
                hosts.append((jobs, times))
                bundles.append((subtree.size, times))
        sizes = {size for size, _ in bundles}
        if not hosts:
            return 0
        if len(sizes) == 1:
            return jobs_at_once(hosts, -(-wanted.least // sizes.pop()))
        if wanted.least <= min(sizes):
            return jobs_at_once(hosts, 1)
        if any(jobs > 1 for jobs, _ in hosts):
            raise UncountedError
        return bundled(bundles, wanted.least)

    def jobs(self, subtree: SubtreeClass, wanted: Requested, under_exclusive: bool) -> int:
        """In how many jobs a vertex can be the match for a resource."""
        key = (subtree, wanted, under_exclusive)
        if key not in self._jobs:
            self._jobs[key] = self._hosted(subtree, wanted, under_exclusive)
        return self._jobs[key]

    def _hosted(self, subtree: SubtreeClass, wanted: Requested, under_exclusive: bool) -> int:
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
            for kid in wanted.kids
        )

    def _slots(self, subtree: SubtreeClass, slot: Requested) -> int:
        """How many slots of the smallest counts fit at a vertex."""
        if not self.judge.slots(subtree, slot):
            return 0
        if any(isinstance(kid.count, Range) for kid in walk(slot.kids)):
            raise UncountedError
        return min(self._bundles(subtree, kid) for kid in slot.kids)

    def _bundles(self, subtree: SubtreeClass, wanted: Requested) -> int:
        kids = subtree.kids_of(wanted.type)
        sizes = [(kid.size, n) for kid, n in kids if self.judge.fits(kid, wanted, True)]
        return bundled(sizes, wanted.least)


def bundled(sizes: list[tuple[int, int]], share: int) -> int:
    """How many bundles of at least a share whole vertices make, by size and how many there are.

    Raises UncountedError where that is not certain.
    """
    if len({size for size, _ in sizes}) == 1:
        return sum(n for _, n in sizes) // -(-share // sizes[0][0])
    large = sum(n for size, n in sizes if size >= share)
    small = sorted((size for size, n in sizes if size < share for _ in range(n)), reverse=True)
    certain = packed(small, share)
    if certain != sum(small) // share:
        raise UncountedError
    return large + certain


def largest(judge: Judge, root: SubtreeClass, request: Request) -> tuple[tuple[str, int], ...]:
    """For each range the largest count that fits while all else stays as it is, by its path.

    Looks at no more than _MOST of them, and ends before it takes too long.
    """
    found = []
    fits = Trial(judge, root)
    ranges = [wanted for wanted in walk(request) if isinstance(wanted.count, Range)]
    for wanted in ranges[:_MOST]:
        try:
            count = fits.largest(request, wanted)
        except TooMuchError:
            break
        if count is not None:
            found.append((wanted.count_path, count))
    return tuple(found)


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
        """The largest value of a range of the request that fits; None if none does."""
        if not isinstance(wanted.count, Range):
            return None
        # No graph has more than this of anything.
        most = sum(self._root.below.values()) + self._root.size
        path = wanted.path
        return largest_value(wanted.count, lambda n: self(replaced(request, path, n)), most)
