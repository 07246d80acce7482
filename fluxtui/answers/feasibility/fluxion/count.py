"""How many equal jobs fit on a resource graph at once, and the largest counts of ranges."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import takewhile

from fluxtui.answers.feasibility.fluxion.judge import Judge, forms_at, packed, visible
from fluxtui.answers.feasibility.fluxion.request import Want, each, replaced
from fluxtui.answers.feasibility.fluxion.subtree_classes import Form
from fluxtui.answers.feasibility.nearest import bisect, jobs_at_once
from fluxtui.notation import count as counts
from fluxtui.notation.count import Range

# Hosts of one want: how many jobs each can take part in, and how many such hosts there are.
Hosts = list[tuple[int, int]]

# Ranges whose largest count is looked for.
MOST = 20

# What may be judged to find other counts than those that were asked for, before it takes too long.
MOST_WORK = 20_000


class UncountedError(Exception):
    """How many jobs fit is not worked out."""


class TooMuchError(Exception):
    """An answer would take longer than anybody waits for it."""


@dataclass(slots=True)
class Counter:
    """Counts jobs that ask for the same, each at its smallest.

    What a slot holds, what is exclusive and what a request names last is taken whole; what is
    around it is shared. n vertices of one want are n different ones for each job, so that J jobs
    fit if and only if the sum over the vertices of min(J, jobs on it) reaches n times J. Of a
    range in a slot Fluxion takes what is left, so that such jobs are not counted.
    """

    judge: Judge
    _jobs: dict[tuple[Form, Want, bool], int] = field(default_factory=dict)

    def fits(self, root: Form, wants: tuple[Want, ...]) -> int | None:
        """How many jobs fit on a graph at once; None where that was not worked out."""
        if not self.judge.satisfied(root, wants):
            return 0
        try:
            return min(self._top(root, want, wants) for want in wants)
        except UncountedError:
            return None

    def _top(self, root: Form, want: Want, wants: tuple[Want, ...]) -> int:
        there = visible(root, wants)[want.type]
        if want.slot:
            return sum(self._slots(form, want) * n for form, n in there.items()) // want.least
        return self._shared(want, there, False)

    def _shared(self, want: Want, there: Mapping[Form, int], held: bool) -> int:
        """The jobs that vertices of the wanted type can serve."""
        hosts: Hosts = []
        sizes: set[int] = set()
        for form, times in there.items():
            if jobs := self.jobs(form, want, held):
                hosts.append((jobs, times))
                sizes.add(form.size)
        if not hosts:
            return 0
        if len(sizes) == 1:
            return jobs_at_once(hosts, -(-want.least // sizes.pop()))
        if want.least <= min(sizes):
            return jobs_at_once(hosts, 1)
        if any(jobs > 1 for jobs, _ in hosts):
            raise UncountedError
        return bundled(
            [(form.size, n) for form, n in there.items() if self.jobs(form, want, held)], want.least
        )

    def jobs(self, form: Form, want: Want, held: bool) -> int:
        """In how many jobs a vertex can be a match for a want."""
        key = (form, want, held)
        if key not in self._jobs:
            self._jobs[key] = self._hosted(form, want, held)
        return self._jobs[key]

    def _hosted(self, form: Form, want: Want, held: bool) -> int:
        if not self.judge.fits(form, want, held):
            return 0
        if held or want.exclusive is True or not want.kids:
            return 1
        if want.kids[-1].slot:
            if len(want.kids) > 1 or not forms_at(form, want.kids[0]):
                raise UncountedError
            return self._slots(form, want.kids[0]) // want.kids[0].least
        return min(self._shared(kid, dict(form.kids_of(kid.type)), held) for kid in want.kids)

    def _slots(self, form: Form, slot: Want) -> int:
        """How many slots of the smallest counts there is room for at a vertex."""
        if not self.judge.slots(form, slot):
            return 0
        if any(isinstance(kid.count, Range) for kid in each(slot.kids)):
            raise UncountedError
        return min(self._bundles(form, kid) for kid in slot.kids)

    def _bundles(self, form: Form, want: Want) -> int:
        kids = [(kid, n) for kid, n in form.kids_of(want.type) if self.judge.fits(kid, want, True)]
        return bundled([(kid.size, n) for kid, n in kids], want.least)


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


def largest(judge: Judge, root: Form, wants: tuple[Want, ...]) -> tuple[tuple[str, int], ...]:
    """For each range the largest count that fits while all else stays as it is, by its path.

    Looks at no more than MOST of them, and ends before it takes too long.
    """
    found = []
    most = more_than_all(root)
    ranges = [want for want in each(wants) if isinstance(want.count, Range)]
    fits = Trial(judge, root)
    for want in ranges[:MOST]:

        def tried(count: int, path: str = want.path) -> bool:
            return fits(replaced(wants, path, count))

        try:
            count = largest_of(want, tried, most)
        except TooMuchError:
            break
        if count is not None:
            found.append((want.where, count))
    return tuple(found)


class Trial:
    """Tells what has room on a graph, up to an amount of work; then raises TooMuchError."""

    def __init__(self, judge: Judge, root: Form) -> None:
        self._judge = judge
        self._root = root
        self._end = judge.work + MOST_WORK

    def __call__(self, wants: tuple[Want, ...]) -> bool:
        """Whether there is room for a request."""
        if self._judge.work > self._end:
            raise TooMuchError
        return self._judge.satisfied(self._root, wants)


def more_than_all(root: Form) -> int:
    """More than a graph has of anything."""
    return sum(root.below.values()) + root.size


def largest_of(want: Want, fits: Callable[[int], bool], most: int) -> int | None:
    """The largest value of a range that fits, none of which is above most; None if none does."""
    count = want.count
    if not isinstance(count, Range):
        return None
    if count.operator == "+":
        first, step = count.min, count.operand
        steps = ((most if count.max is None else min(most, count.max)) - first) // step
        at = bisect(lambda place: fits(first + place * step), steps)
        return None if at is None else first + at * step
    values = list(takewhile(lambda value: value <= most, counts.values(count)))
    at = bisect(lambda place: fits(values[place]), len(values) - 1)
    return None if at is None else values[at]
