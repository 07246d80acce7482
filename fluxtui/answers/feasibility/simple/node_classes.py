"""The nodes of a resource set as sched-simple sees them: classes with as many cores and gpus.

It takes nodes worst fit first: those with most cores, then most gpus, then the lowest rank. Nothing
here is done for single nodes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from fluxtui.answers.feasibility.feasibility import Placement
from fluxtui.answers.feasibility.nearest import jobs_at_once
from fluxtui.answers.feasibility.placement import kind_masks, placed, shares
from fluxtui.answers.feasibility.simple.request import Request
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.sets.bits import lowest


@dataclass(frozen=True, slots=True)
class NodeClass:
    """Nodes with equal numbers of cores and gpus: their mask, and how many there are."""

    cores: int
    gpus: int
    mask: int
    nodes: int


Classes = Sequence[NodeClass]


@dataclass(frozen=True, slots=True)
class Need:
    """What a job needs at its smallest.

    nodes   how many nodes, or 0 where slots alone are asked for
    slots   on each node, or in all; what each node is tested for where nodes are whole too
    cores   of a slot
    gpus    of a slot
    whole   takes all cores and gpus of a node
    """

    nodes: int
    slots: int
    cores: int
    gpus: int
    whole: bool = False

    @classmethod
    def of(cls, request: Request, *, strict: bool) -> "Need":
        """The smallest of a request; if not strict, a whole node is tested for one slot only."""
        nodes = request.nodes.least if request.nodes else 0
        slots = 1 if request.exclusive and not strict else request.slots.least
        return cls(nodes, slots, request.cores, request.gpus, request.exclusive)

    def slots_on(self, group: NodeClass) -> int:
        """How many slots a node of a class has room for; a slot never spans nodes."""
        slots = group.cores // self.cores
        return min(slots, group.gpus // self.gpus) if self.gpus else slots

    def eligible(self, classes: Classes) -> int:
        """How many nodes have what the job needs of one node."""
        return sum(group.nodes for group in classes if self.slots_on(group) >= self.slots)

    def slots_in(self, classes: Classes) -> int:
        """How many slots all nodes have room for."""
        return sum(group.nodes * self.slots_on(group) for group in classes)

    def is_met(self, classes: Classes) -> bool:
        """Whether one job fits."""
        wanted = self.nodes or self.slots
        least = self.slots * self.cores if self.nodes else self.cores
        for group in classes:
            if group.cores < least:
                break
            slots = self.slots_on(group)
            if not self.nodes:
                wanted -= group.nodes * slots
            elif slots >= self.slots:
                wanted -= group.nodes
            if wanted <= 0:
                return True
        return False

    def jobs_in(self, classes: Classes) -> int:
        """How many equal jobs fit at once, packed as well as can be.

        Slots alone may be anywhere, so their number is divided. A job of n nodes needs n different
        ones, and a node takes part in as many jobs as it has room for, each once.
        """
        if not self.nodes:
            return self.slots_in(classes) // self.slots
        by_jobs: dict[int, int] = {}
        for group in classes:
            jobs = self.slots_on(group) // self.slots
            jobs = min(jobs, 1) if self.whole else jobs
            by_jobs[jobs] = by_jobs.get(jobs, 0) + group.nodes
        return jobs_at_once(by_jobs.items(), self.nodes)


@lru_cache(maxsize=2)
def all_classes(resources: Resources) -> tuple[NodeClass, ...]:
    """All classes, worst fit first; kept for the resources that were asked about last."""
    masks: dict[tuple[int, int], int] = {}
    for kind, mask in zip(resources.kinds, kind_masks(resources), strict=True):
        key = (kind.cores.count, kind.gpus.count)
        masks[key] = masks.get(key, 0) | mask
    return tuple(
        NodeClass(cores, gpus, mask, mask.bit_count())
        for (cores, gpus), mask in sorted(masks.items(), reverse=True)
    )


def classes_of(resources: Resources, allowed: int) -> tuple[NodeClass, ...]:
    """The classes of the nodes of a mask, worst fit first."""
    if allowed == resources.everything:
        return all_classes(resources)
    return tuple(
        NodeClass(group.cores, group.gpus, mask, mask.bit_count())
        for group in all_classes(resources)
        if (mask := group.mask & allowed)
    )


def place(need: Need, most: int | None, classes: Classes, resources: Resources) -> Placement:
    """Nodes or slots up to ``most``, None for as many as there are, in the order of sched-simple.

    Of each node the lowest core and gpu ids are taken. The smallest count is known to fit.
    """
    taken: list[tuple[int, int]] = []  # nodes, and how many slots are taken of each
    left = most
    for group in classes:
        slots = need.slots_on(group)
        if left == 0:
            break
        if slots < (need.slots if need.nodes else 1):
            continue
        each = need.slots if need.nodes else slots
        worth = 1 if need.nodes else slots  # what one node counts for
        full = group.nodes if left is None else min(group.nodes, left // worth)
        mask = lowest(group.mask, full)
        taken.append((mask, each))
        if left is not None:
            left -= full * worth
            rest = group.mask ^ mask
            if left and rest:  # too few slots for one more full node
                taken.append((rest & -rest, left))
                left = 0
    if need.whole:
        mask = 0
        for nodes, _ in taken:
            mask |= nodes
        return placed(shares(resources, mask))
    cores = [(nodes, slots * need.cores) for nodes, slots in taken]
    gpus = [(nodes, slots * need.gpus) for nodes, slots in taken]
    return placed(shares(resources, 0, cores, gpus))
