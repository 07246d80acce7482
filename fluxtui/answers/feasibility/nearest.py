"""Searches over the counts of a request that both schedulers share.

They find the largest count that fits, how many jobs fit at once, and which counts have to go down
for a request to fit.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations, takewhile
from typing import Generic, TypeVar

from fluxtui.notation import count as counts
from fluxtui.notation.count import Range

R = TypeVar("R")

# So many counts are lowered together, before all are; of more than MANY counts only one is.
TOGETHER, MANY = 3, 8


def bisect(fits: Callable[[int], bool], last: int, first: int = 0) -> int | None:
    """The largest number from first to last that fits; None if first does not.

    Whatever is smaller than a number that fits has to fit too.
    """
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
        steps = (top - count.min) // count.operand
        step = bisect(lambda step: fits(count.min + step * count.operand), steps)
        return None if step is None else count.min + step * count.operand
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


@dataclass(frozen=True, slots=True)
class Part(Generic[R]):
    """One count of a request that may go down.

    asked  the count that is asked for
    floor  the smallest count that it may become
    top    the largest count that is worth a try; at most ``asked``
    put    gives the request with another count here
    """

    asked: int
    floor: int
    top: int
    put: Callable[[R, int], R]


def lowered(request: R, parts: Sequence[Part[R]], fits: Callable[[R], bool]) -> dict[int, int]:
    """New counts of some parts, by their place, with which the request fits; empty if none do.

    As few counts as possible go down, and no further than they must. Of several ways the one is
    chosen that takes the least away, as a share of what was asked; of equal ones the first.
    """
    places = [place for place, part in enumerate(parts) if part.asked > part.floor]
    several = TOGETHER if len(places) <= MANY else 1
    sizes = {size for size in (*range(1, several + 1), len(places)) if 0 < size <= len(places)}
    for size in sorted(sizes):
        found: list[dict[int, int]] = []
        for chosen in combinations(places, size):
            smallest = request
            for place in chosen:
                smallest = parts[place].put(smallest, parts[place].floor)
            if fits(smallest):
                found += [_raised(smallest, parts, order, fits) for order in _orders(chosen)]
        if found:
            return min(found, key=lambda counts: _loss(parts, counts))
    return {}


def _orders(chosen: tuple[int, ...]) -> Iterable[tuple[int, ...]]:
    """The orders in which counts are raised; what comes first is raised furthest."""
    return permutations(chosen) if len(chosen) <= TOGETHER else (chosen, chosen[::-1])


def _raised(
    request: R, parts: Sequence[Part[R]], order: Sequence[int], fits: Callable[[R], bool]
) -> dict[int, int]:
    """The largest count of each part with which the request fits, one after the other."""
    found = {}
    for place in order:
        part = parts[place]
        found[place] = _highest(request, part, fits)
        request = part.put(request, found[place])
    return found


def _highest(request: R, part: Part[R], fits: Callable[[R], bool]) -> int:
    found = bisect(lambda count: fits(part.put(request, count)), part.top, part.floor)
    return part.floor if found is None else found


def _loss(parts: Sequence[Part[R]], counts: Mapping[int, int]) -> float:
    return sum(1 - count / parts[place].asked for place, count in counts.items())
