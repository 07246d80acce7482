"""What a scheduler answers when it is asked whether a job can ever run.

With the answer comes what both schedulers need to give it: amounts in words, what a placement takes
of each node, and searches for the counts that fit.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import combinations, permutations, takewhile
from operator import or_
from typing import Any, Literal, TypeVar

from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation import count as counts
from fluxtui.notation.count import Range
from fluxtui.notation.problem import Problem, plural
from fluxtui.notation.sets.bits import less
from fluxtui.notation.sets.idset import EMPTY, IdSet

R = TypeVar("R")

#: The schedulers of Flux; TreePool is that of sched-simple for nodes whose inside is known.
Scheduler = Literal["sched-simple", "TreePool", "fluxion"]

#: The path of a job's constraint.
CONSTRAINT = "attributes.system.constraints"

#: The code of the note on a job that fits with gpus that may not be near the cores of their slot.
APART = "gpus-apart"

#: How many cores or gpus are taken of each node of a mask; the masks are disjoint.
Amounts = Sequence[tuple[int, int]]

# No cluster has that many of anything; larger numbers are rounded in sentences.
_MOST = 10**15

# So many counts are lowered together, before all are; of more than MANY counts only one is.
TOGETHER, MANY = 3, 8


@dataclass(frozen=True, slots=True)
class Share:
    """What a placement takes of each node of a mask; ids are the logical ids of R (RFC 20)."""

    mask: int
    cores: IdSet = EMPTY
    gpus: IdSet = EMPTY


@dataclass(frozen=True, slots=True)
class Placement:
    """One way to place a request: the nodes by rank index, and what it takes of them."""

    mask: int
    shares: tuple[Share, ...] = ()  # their masks are disjoint
    rows: tuple[int, ...] = ()  # the vertices that are taken of a resource graph


@dataclass(frozen=True, slots=True)
class Nearest:
    """The nearest RFC 14 list that fits, and what is changed, such as ``8 cores, not 9``.

    effect is what that brings and costs, where it is not only that the job fits.
    """

    resources: tuple[Mapping[str, Any], ...]
    change: str
    effect: str = ""


@dataclass(frozen=True, slots=True)
class Feasibility:
    """Whether a request can ever be satisfied, by one scheduler's rules, on an idle cluster.

    feasible  None where the scheduler cannot be asked, such as for a request it does not read
    words     the scheduler's own error text where it refuses
    reasons   what is missing, in numbers and by path in the request
    fits      how many such jobs fit at once, each at its smallest; None where it was not counted
    largest   for each range of the request the largest count that fits, by its path
    closer    changes after which each slot has its cores and gpus of one innermost domain (RFC 49),
              where it has not
    counted   the same by cores and gpus where a slot has a whole domain, which has no count in Flux
    domain    the locality name of a domain that the request has (RFC 49), which V1 does not know
    """

    scheduler: Scheduler
    feasible: bool | None
    words: str = ""
    reasons: tuple[Problem, ...] = ()
    placement: Placement | None = None
    fits: int | None = None
    largest: tuple[tuple[str, int], ...] = ()
    nearest: Nearest | None = None
    closer: tuple[Nearest, ...] = ()
    counted: Nearest | None = None
    domain: str = ""

    @property
    def satisfiable_but_unallocatable(self) -> bool:
        """The scheduler calls the request satisfiable, yet would allocate nothing for it."""
        return bool(self.feasible and self.placement is None and self.reasons)

    @property
    def has_gpus_apart(self) -> bool:
        """The job fits, with gpus that may not be near the cores of their slot (RFC 49)."""
        return any(reason.code == APART for reason in self.reasons)


def amount(kind: str, count: int, units: Mapping[str, str] | None = None) -> str:
    """``1 core``, ``1,234 cores``, ``16 GB of memory``.

    units maps the types whose vertices hold many to what is counted of them, such as ``GB``.
    """
    if units and kind in units:
        unit = "unit" if units[kind] == "units" and count == 1 else units[kind]
        return f"{number(count)} {unit} of {kind}"
    return f"{number(count)} {kind if count == 1 else several(kind)}"


def number(value: int) -> str:
    """A number with separators; a very large one as a power of ten."""
    if value < _MOST:
        return f"{value:,}"
    return f"about 10^{int((value.bit_length() - 1) * 0.30103)}"


def several(kind: str) -> str:
    """The plural of a type."""
    return kind if kind in ("chassis", "memory", "storage") else plural(kind, 2)


def a(kind: str) -> str:
    """A type with its indefinite article."""
    return f"{'an' if kind[:1] in ('a', 'e', 'i', 'o', 'u') or kind == 'ssd' else 'a'} {kind}"


@lru_cache(maxsize=2)
def _kind_masks(resources: Resources) -> tuple[int, ...]:
    return tuple(kind.mask for kind in resources.kinds)


@dataclass(frozen=True, slots=True)
class NodeClass:
    """Nodes with equal numbers of cores and gpus: their mask, and how many there are."""

    cores: int
    gpus: int
    mask: int
    nodes: int


@lru_cache(maxsize=2)
def all_classes(resources: Resources) -> tuple[NodeClass, ...]:
    """All classes, worst fit first; kept for the resources that were asked about last."""
    masks: dict[tuple[int, int], int] = {}
    for kind, mask in zip(resources.kinds, _kind_masks(resources), strict=True):
        key = (kind.cores.count, kind.gpus.count)
        masks[key] = masks.get(key, 0) | mask
    return tuple(
        NodeClass(cores, gpus, mask, mask.bit_count())
        for (cores, gpus), mask in sorted(masks.items(), reverse=True)
    )


def shares(
    resources: Resources, whole: int, cores: Amounts = (), gpus: Amounts = ()
) -> Iterator[Share]:
    """What is taken of whole nodes, and of others: their cores and gpus with the lowest ids."""
    partly = less(reduce(or_, (mask for mask, _ in (*cores, *gpus)), 0), whole)
    for kind, nodes in zip(resources.kinds, _kind_masks(resources), strict=True):
        if mine := nodes & whole:
            yield Share(mine, kind.cores, kind.gpus)
        if mine := nodes & partly:
            for core_count, some in _by_amount(mine, cores):
                for gpu_count, few in _by_amount(some, gpus):
                    yield Share(few, kind.cores.lowest(core_count), kind.gpus.lowest(gpu_count))


def _by_amount(mask: int, amounts: Amounts) -> Iterator[tuple[int, int]]:
    """Nodes by the amount taken of them, which is 0 for those that are left."""
    for nodes, count in amounts:
        if mine := mask & nodes:
            yield count, mine
            mask = less(mask, mine)
    if mask:
        yield 0, mask


def placed(found: Iterable[Share], rows: Sequence[int] = ()) -> Placement:
    """The placement of shares, those of the same ids joined, in the order of their first nodes."""
    masks: dict[tuple[IdSet, IdSet], int] = {}
    mask = 0
    for share in found:
        key = (share.cores, share.gpus)
        masks[key] = masks.get(key, 0) | share.mask
        mask |= share.mask
    merged = [Share(nodes, cores, gpus) for (cores, gpus), nodes in masks.items()]
    merged.sort(key=lambda share: share.mask & -share.mask)
    return Placement(mask, tuple(merged), tuple(rows))


def bisect(fits: Callable[[int], bool], last: int, first: int = 0) -> int | None:
    """The largest number from first to last that fits, as all smaller ones must; None if none."""
    if last < first or not fits(first):
        return None
    low, high = first, last
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low


def largest_value(count: Range, fits: Callable[[int], bool], most: int) -> int | None:
    """The largest value of a range that fits and is not above most; None if there is none."""
    if count.operator == "+":
        top = most if count.max is None else min(most, count.max)
        values: Sequence[int] = range(count.min, top + 1, count.operand)
    else:
        values = list(takewhile(lambda value: value <= most, counts.values(count)))
    place = bisect(lambda place: fits(values[place]), len(values) - 1)
    return None if place is None else values[place]


def jobs_at_once(hosts: Collection[tuple[int, int]], each: int) -> int:
    """How many jobs fit that each need so many different hosts.

    hosts are pairs: how many jobs a host can serve, and how many such hosts there are. J jobs fit
    if and only if the sum over the hosts of min(J, jobs of the host) reaches ``each`` times J:
    then each host can be dealt out to that many different jobs, round and round (Gale and Ryser).
    What the sum is short of only grows with J, so that the largest J can be bisected.
    """

    def enough(jobs: int) -> bool:
        return sum(min(jobs, served) * times for served, times in hosts) >= each * jobs

    return bisect(enough, sum(served * times for served, times in hosts) // each) or 0


def lowered(
    request: R,
    bounds: Sequence[tuple[int, int]],
    put: Callable[[R, int, int], R],
    fits: Callable[[R], bool],
) -> dict[int, int]:
    """New counts, by their place, with which a request fits; empty if it fits with none.

    bounds are the smallest count that may be at each place, and the one that is asked for; put
    gives the request with another count at a place. As few counts as possible go down, and no
    further than they must. Of several ways the one is chosen that takes the least away, as a share
    of what was asked; of equal ones the first.
    """

    def highest(lower: R, place: int) -> int:
        floor, asked = bounds[place]
        last = min(asked, _MOST)
        return bisect(lambda count: fits(put(lower, place, count)), last, floor) or floor

    places = [place for place, (floor, asked) in enumerate(bounds) if asked > floor]
    several = TOGETHER if len(places) <= MANY else 1
    for size in sorted({*range(1, several + 1), len(places)}):
        ways: list[dict[int, int]] = []
        for chosen in combinations(places, size):
            smallest = request
            for place in chosen:
                smallest = put(smallest, place, bounds[place][0])
            if not fits(smallest):
                continue
            # What comes first is raised furthest.
            for order in permutations(chosen) if size <= TOGETHER else (chosen, chosen[::-1]):
                raised, found = smallest, dict[int, int]()
                for place in order:
                    found[place] = highest(raised, place)
                    raised = put(raised, place, found[place])
                ways.append(found)
        if ways:
            return min(ways, key=lambda way: sum(1 - n / bounds[at][1] for at, n in way.items()))
    return {}
