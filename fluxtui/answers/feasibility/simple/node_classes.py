"""The nodes of a resource set as sched-simple sees them: piles with as many cores and gpus.

It takes nodes worst fit first: those with most cores, then most gpus, then the lowest rank. Nothing
here is done for single nodes.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from fluxtui.answers.feasibility.packing import dealt
from fluxtui.answers.feasibility.simple.request import Request
from fluxtui.model.resources.resource_set import NodeKind, Resources
from fluxtui.notation.sets.bits import fill


class Pile(NamedTuple):
    """Nodes with equal numbers of cores and gpus."""

    cores: int
    gpus: int
    mask: int
    nodes: int
    kinds: tuple[NodeKind, ...]


class Need(NamedTuple):
    """What a job needs at its smallest.

    nodes   how many nodes, or 0 where slots alone are asked for
    slots   on each node, or in all; what each node is tested for where nodes are whole too
    cores   of a slot; 0 where nodes are not tested for cores
    gpus    of a slot
    whole   takes all cores and gpus of a node
    """

    nodes: int
    slots: int
    cores: int
    gpus: int
    whole: bool = False

    def slots_on(self, pile: Pile) -> int:
        """How many slots a node of the pile has room for; a slot never spans nodes."""
        slots = pile.cores // self.cores if self.cores else self.slots
        return min(slots, pile.gpus // self.gpus) if self.gpus else slots

    def jobs_on(self, pile: Pile) -> int:
        """How many jobs a node of the pile can take part in at once, where nodes are asked for."""
        jobs = self.slots_on(pile) // self.slots
        return min(jobs, 1) if self.whole else jobs


def need(request: Request, *, strict: bool) -> Need:
    """The smallest of a request; not strict, a whole node is tested for one slot only."""
    nodes = request.nodes.least if request.nodes else 0
    slots = 1 if request.exclusive and not strict else request.slots.least
    return Need(nodes, slots, request.cores, request.gpus, request.exclusive)


def loosely(need: Need) -> Need:
    """The need as sched-simple tests nodes when it takes them, no longer when it looks for them.

    Whole nodes are tested for gpus only: beyond the least number it takes nodes whose cores are
    too few for a slot.
    """
    return need._replace(cores=0) if need.whole else need


@lru_cache(maxsize=2)
def _all_piles(resources: Resources) -> tuple[Pile, ...]:
    """All piles, worst fit first; kept for the resources asked about last."""
    found: dict[tuple[int, int], list[NodeKind]] = {}
    for kind in resources.kinds:
        found.setdefault((kind.cores.count, kind.gpus.count), []).append(kind)
    piles = []
    for (cores, gpus), kinds in sorted(found.items(), key=lambda item: item[0], reverse=True):
        starts = [start for kind in kinds for start in kind.indices.starts]
        ends = [end for kind in kinds for end in kind.indices.ends]
        mask = resources.counts.lasting(fill(starts, ends, resources.node_count))
        piles.append(Pile(cores, gpus, mask, resources.counts.of(mask), tuple(kinds)))
    return tuple(piles)


def prepare(resources: Resources) -> None:
    """Build now what is else built when room is first asked for."""
    if any(len(pile.kinds) > 1 for pile in _all_piles(resources)):
        runs(resources)


@lru_cache(maxsize=2)
def runs(resources: Resources) -> tuple[list[int], list[int], list[int]]:
    """Where each run of nodes of one kind begins and ends, ascending, and the kind's number."""
    runs = sorted(
        (start, end, number)
        for number, kind in enumerate(resources.kinds)
        for start, end in kind.indices.ranges
    )
    return [run[0] for run in runs], [run[1] for run in runs], [run[2] for run in runs]


def piles(resources: Resources, allowed: int) -> tuple[Pile, ...]:
    """The piles of the nodes of a mask, worst fit first."""
    if allowed == resources.everything:
        return _all_piles(resources)
    return tuple(
        pile._replace(mask=mask, nodes=resources.counts.common(allowed, pile.mask))
        for pile in _all_piles(resources)
        if (mask := pile.mask & allowed)
    )


def eligible(need: Need, among: Sequence[Pile]) -> int:
    """How many nodes have what the job needs of one node."""
    return sum(pile.nodes for pile in among if need.slots_on(pile) >= need.slots)


def slots_in(need: Need, among: Sequence[Pile]) -> int:
    """How many slots all nodes have room for."""
    return sum(pile.nodes * need.slots_on(pile) for pile in among)


def has_room(need: Need, among: Sequence[Pile]) -> bool:
    """Whether one job finds room."""
    wanted = need.nodes or need.slots
    least = need.slots * need.cores if need.nodes else need.cores
    for pile in among:
        if pile.cores < least:
            break
        slots = need.slots_on(pile)
        if not need.nodes:
            wanted -= pile.nodes * slots
        elif slots >= need.slots:
            wanted -= pile.nodes
        if wanted <= 0:
            return True
    return False


def fits(need: Need, among: Sequence[Pile]) -> int:
    """How many equal jobs find room at once, packed as well as can be.

    Slots alone may lie anywhere, so their number is divided. A job of n nodes needs n different
    ones, and a node takes part in as many jobs as it has room for, each once.
    """
    if not need.nodes:
        return slots_in(need, among) // need.slots
    by_jobs: dict[int, int] = {}
    for pile in among:
        jobs = need.jobs_on(pile)
        by_jobs[jobs] = by_jobs.get(jobs, 0) + pile.nodes
    return dealt(by_jobs.items(), need.nodes)
