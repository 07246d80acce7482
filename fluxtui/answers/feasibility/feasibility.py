"""The answer of a scheduler to the question whether a job can ever run.

Also what the models of both schedulers share: amounts in words, what a placement takes of each
node, and searches for counts that fit.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import combinations, permutations, takewhile
from math import log10
from operator import or_
from typing import Any, Literal, TypeVar

from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation import count as counts
from fluxtui.notation.count import Range
from fluxtui.notation.problem import Problem, plural
from fluxtui.notation.sets.bits import less
from fluxtui.notation.sets.idset import EMPTY, IdSet

R = TypeVar("R")

#: The schedulers of Flux; TreePool is sched-simple's pool for nodes with topologies (RFC 49).
Scheduler = Literal["sched-simple", "TreePool", "fluxion"]

#: The path of a job's constraint.
CONSTRAINT = "attributes.system.constraints"

#: The code of the warning that the gpus of a slot may not be near its cores.
APART = "gpus-apart"

#: How many cores or gpus are taken of each node of a mask; the masks are disjoint.
Amounts = Sequence[tuple[int, int]]

# No cluster has so many of anything; larger numbers are rounded in sentences.
_MOST = 10**15

# Up to TOGETHER counts are lowered at once before all are; only one if there are more than MANY.
TOGETHER, MANY = 3, 8


@dataclass(frozen=True, slots=True)
class Share:
    """What a placement takes of each node of a mask; ids are the logical ids of R (RFC 20)."""

    mask: int
    cores: IdSet = EMPTY
    gpus: IdSet = EMPTY


@dataclass(frozen=True, slots=True)
class Placement:
    """One way to place a request: the mask of its nodes, and what it takes of them."""

    mask: int
    shares: tuple[Share, ...] = ()  # their masks are disjoint
    rows: tuple[int, ...] = ()  # the rows of the vertices that it takes of a resource graph


@dataclass(frozen=True, slots=True)
class Nearest:
    """The nearest RFC 14 resources list that fits, and its change, such as ``8 cores, not 9``.

    effect says what the change gains and costs, if it is not just that the job fits.
    """

    resources: tuple[Mapping[str, Any], ...]
    change: str
    effect: str = ""


@dataclass(frozen=True, slots=True)
class Feasibility:
    """Whether a request can ever be satisfied, by one scheduler's rules, on an idle cluster.

    feasible  None if the scheduler cannot be asked, such as for a request that it does not read
    words     the scheduler's own error text if it refuses the request
    reasons   what is missing, in numbers and by path in the request
    fits      how many such jobs fit at once, each at its smallest; None if not counted
    largest   for each range of the request the largest count that fits, by its path
    closer    changes that put the cores and gpus of a slot into one domain (RFC 49), if needed
    counted   the request in cores and gpus, if a slot has a whole domain, which Flux does not count
    domain    the locality name of a domain in the request (RFC 49), which V1 does not allow
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
        """Whether the scheduler calls the request satisfiable but would allocate nothing for it."""
        return bool(self.feasible and self.placement is None and self.reasons)

    @property
    def has_gpus_apart(self) -> bool:
        """Whether the job fits with gpus that may not be near the cores of their slot (RFC 49)."""
        return any(reason.code == APART for reason in self.reasons)


def amount(kind: str, count: int, units: Mapping[str, str] | None = None) -> str:
    """Return an amount in words: ``1 core``, ``1,234 cores``, ``16 GB of memory``.

    units maps types whose vertices hold more than one unit to that unit, such as ``GB``.
    """
    if units and kind in units:
        unit = "unit" if units[kind] == "units" and count == 1 else units[kind]
        return f"{number(count)} {unit} of {kind}"
    return f"{number(count)} {kind if count == 1 else plural_of(kind)}"


def number(value: int) -> str:
    """Return a number with separators; a very large one as a power of ten."""
    if value < _MOST:
        return f"{value:,}"
    return f"about 10^{round(log10(value))}"


def plural_of(kind: str) -> str:
    """Return the plural of a type."""
    return kind if kind in ("chassis", "memory", "storage") else plural(kind, 2)


def with_article(kind: str) -> str:
    """Return a type with its indefinite article."""
    return f"{'an' if kind[:1] in ('a', 'e', 'i', 'o', 'u') or kind == 'ssd' else 'a'} {kind}"


@lru_cache(maxsize=2)
def _kind_masks(resources: Resources) -> tuple[int, ...]:
    return tuple(kind.mask for kind in resources.kinds)


@dataclass(frozen=True, slots=True)
class NodeClass:
    """Nodes with equal numbers of cores and gpus: their mask and their number."""

    cores: int
    gpus: int
    mask: int
    nodes: int


@lru_cache(maxsize=2)
def all_classes(resources: Resources) -> tuple[NodeClass, ...]:
    """Return all node classes, worst fit first; cached for the most recent resources."""
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
    """Yield the shares of whole nodes, and of others, with their lowest core and gpu ids."""
    partly = less(reduce(or_, (mask for mask, _ in (*cores, *gpus)), 0), whole)
    for kind, nodes in zip(resources.kinds, _kind_masks(resources), strict=True):
        if selected := nodes & whole:
            yield Share(selected, kind.cores, kind.gpus)
        if selected := nodes & partly:
            for core_count, some in _by_amount(selected, cores):
                for gpu_count, few in _by_amount(some, gpus):
                    yield Share(few, kind.cores.lowest(core_count), kind.gpus.lowest(gpu_count))


def _by_amount(mask: int, amounts: Amounts) -> Iterator[tuple[int, int]]:
    """Yield the nodes of a mask by the amount taken of them, with 0 for the rest."""
    for nodes, count in amounts:
        if selected := mask & nodes:
            yield count, selected
            mask = less(mask, selected)
    if mask:
        yield 0, mask


def placement_of(found: Iterable[Share], rows: Sequence[int] = ()) -> Placement:
    """Return the placement of shares, merged if of equal ids, in the order of their first nodes."""
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
    """Return the largest number in [first, last] that fits, if fits is monotonic; None if none."""
    if last < first or not fits(first):
        return None
    low, high = first, last
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low


def largest_value(count: Range, fits: Callable[[int], bool], most: int) -> int | None:
    """Return the largest value of a range that fits and is at most ``most``; None if none."""
    if count.operator == "+":
        top = most if count.max is None else min(most, count.max)
        values: Sequence[int] = range(count.min, top + 1, count.operand)
    else:
        values = list(takewhile(lambda value: value <= most, counts.values(count)))
    place = bisect(lambda place: fits(values[place]), len(values) - 1)
    return None if place is None else values[place]


def jobs_at_once(hosts: Collection[tuple[int, int]], each: int) -> int:
    """Return how many jobs fit at once that need ``each`` different hosts.

    hosts are pairs: how many jobs a host can serve, and how many such hosts there are. J jobs fit
    if and only if the sum over the hosts of min(J, jobs of the host) reaches ``each`` times J: then
    the hosts can be assigned to different jobs in round-robin order (Gale and Ryser). The shortfall
    of the sum only grows with J, so the largest J can be bisected.
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
    """Return new counts by position with which a request fits; empty if there are none.

    bounds are the smallest count allowed at each position, and the one requested; put returns the
    request with another count at a position. As few counts as possible are lowered, and no further
    than needed. Of several ways, the one that takes away the smallest share of what was requested
    is chosen; of equal ones the first.
    """

    def highest(lower: R, place: int) -> int:
        floor, requested = bounds[place]
        last = min(requested, _MOST)
        return bisect(lambda count: fits(put(lower, place, count)), last, floor) or floor

    places = [place for place, (floor, requested) in enumerate(bounds) if requested > floor]
    size_limit = TOGETHER if len(places) <= MANY else 1
    for size in sorted({*range(1, size_limit + 1), len(places)}):
        ways: list[dict[int, int]] = []
        for chosen in combinations(places, size):
            smallest = request
            for place in chosen:
                smallest = put(smallest, place, bounds[place][0])
            if not fits(smallest):
                continue
            # The count that is raised first gets the largest value.
            for order in permutations(chosen) if size <= TOGETHER else (chosen, chosen[::-1]):
                raised, found = smallest, dict[int, int]()
                for place in order:
                    found[place] = highest(raised, place)
                    raised = put(raised, place, found[place])
                ways.append(found)
        if ways:
            return min(ways, key=lambda way: sum(1 - n / bounds[at][1] for at, n in way.items()))
    return {}
