"""The largest number for which something holds, and how many jobs can be dealt out to hosts."""

from collections.abc import Callable, Collection


def bisect(fits: Callable[[int], bool], last: int, first: int = 0) -> int | None:
    """The largest number from first to last that fits, where all below one that fits do too."""
    if last < first or not fits(first):
        return None
    low, high = first, last
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low


def dealt(hosts: Collection[tuple[int, int]], each: int) -> int:
    """The most jobs that can be dealt out so that each has so many different hosts.

    hosts are pairs: how many jobs a host has room for, and how many such hosts there are. J jobs
    find room if and only if the sum over the hosts of min(J, jobs on the host) reaches ``each``
    times J: then each host can be dealt out to that many different jobs, round and round (Gale and
    Ryser). What the sum is short of only grows with J, so the largest J is searched for by halves.
    """

    def enough(jobs: int) -> bool:
        return sum(min(jobs, room) * times for room, times in hosts) >= each * jobs

    return bisect(enough, sum(room * times for room, times in hosts) // each) or 0
