"""One placement of a request on a plain R, where Fluxion sees a cluster of nodes (RFC 20).

Nodes are taken as masks, by ascending rank, so that a request for all of them costs what one costs.
"""

from collections.abc import Callable, Iterator

from fluxtui.answers.feasibility.feasibility import Placement, Share
from fluxtui.answers.feasibility.fluxion.judge import Judge, forms_at
from fluxtui.answers.feasibility.fluxion.prepared_graph import Sight
from fluxtui.answers.feasibility.fluxion.request import Want
from fluxtui.answers.feasibility.fluxion.subtree_classes import Form
from fluxtui.notation.sets.bits import less, lowest

# How many units of cores or gpus are taken of each node of a mask.
Amounts = list[tuple[int, int]]


def place(sight: Sight, judge: Judge, wants: tuple[Want, ...]) -> Placement | None:
    """Take what Fluxion would take; None where the nodes have no room.

    Of a range that is the largest count that it finds.
    """
    if sight.root is None or not judge.satisfied(sight.root, wants):
        return None
    taker = _Taker(sight, judge)
    for want in wants:
        taker.top(want)
    shares = tuple(sorted(taker.shares(), key=lambda share: share.mask & -share.mask))
    mask = 0
    for share in shares:
        mask |= share.mask
    return Placement(mask, shares)


class _Taker:
    """Takes nodes: whole ones, and cores and gpus of others."""

    def __init__(self, sight: Sight, judge: Judge) -> None:
        self.ground = sight.ground
        self.judge = judge
        (frame,) = self.ground.frames
        self.cluster = sight.form(0)
        passed = sight.view.passed
        self.nodes = [(sight.lens(form), mask & passed) for form, mask in frame.gates]
        self.whole = 0
        self.taken: dict[str, Amounts] = {"core": [], "gpu": []}

    def top(self, want: Want) -> None:
        """A want at the top of the request."""
        if want.type == "cluster":
            self._cluster(want)
        elif want.slot:
            self._slot(want)
        elif want.type == "node":
            self._nodes(want, False)
        else:
            self.taken[want.type] += self._spread(
                want, lambda form: self.judge.units(form, want, False)
            )

    def _cluster(self, want: Want) -> None:
        if want.exclusive is True or not want.kids:
            self.whole = self.ground.everything
            return
        for kid in want.kids:
            if kid.slot:
                self._slot(kid)
            else:
                self._nodes(kid, False)

    def _slot(self, slot: Want) -> None:
        """Slots on their own: of nodes where nodes are asked for in them, else on nodes."""
        if forms_at(self.cluster, slot):
            times = slot.greatest(self.judge.slots(self.cluster, slot))
            for kid in slot.kids:
                _, share = self.judge.share(self.cluster, kid, slot.most)
                self._given(kid, lowest(self._matching(kid, True), share * times), True)
            return
        for nodes, times in self._spread(slot, lambda form: self.judge.slots(form, slot)):
            self._filled(nodes, slot, times)

    def _filled(self, nodes: int, slot: Want, times: int) -> None:
        """So many slots on each of some nodes."""
        for form, mask in self.nodes:
            for kid in slot.kids if mask & nodes else ():
                _, share = self.judge.share(form, kid, slot.most)
                self.taken[kid.type].append((mask & nodes, share * times))

    def _nodes(self, want: Want, held: bool) -> None:
        """Nodes that match, outside of slots."""
        held = held or want.exclusive is True
        matching = self._matching(want, held)
        self._given(want, lowest(matching, want.greatest(matching.bit_count())), held)

    def _given(self, want: Want, chosen: int, held: bool) -> None:
        """Nodes for a want, each with what is named below it."""
        if want.exclusive is True or not want.kids:
            self.whole |= chosen
            return
        for form, mask in self.nodes:
            nodes = mask & chosen
            for kid in want.kids if nodes else ():
                if kid.slot:
                    self._filled(nodes, kid, kid.greatest(self.judge.slots(form, kid)))
                else:
                    units = kid.greatest(self.judge.units(form, kid, held))
                    self.taken[kid.type].append((nodes, units))

    def _matching(self, want: Want, held: bool) -> int:
        """All nodes that match."""
        found = 0
        for form, nodes in self.nodes:
            if self.judge.fits(form, want, held):
                found |= nodes
        return found

    def _spread(self, want: Want, of: Callable[[Form], int]) -> Iterator[tuple[int, int]]:
        """All that the first nodes give, until the last of them gives the rest."""
        given = [(nodes, count) for form, nodes in self.nodes if (count := of(form))]

        def before(place: int) -> int:
            low = (1 << place) - 1
            return sum(count * (nodes & low).bit_count() for nodes, count in given)

        stop = self.ground.resources.node_count
        units = want.greatest(before(stop))
        # The first place up to which there are units enough.
        start = 1
        while start < stop:
            middle = (start + stop) // 2
            start, stop = (start, middle) if before(middle) >= units else (middle + 1, stop)
        low = (1 << (start - 1)) - 1
        for nodes, count in given:
            if nodes & low:
                yield nodes & low, count
        yield low + 1, units - before(start - 1)

    def shares(self) -> Iterator[Share]:
        """What is taken of each node; the masks are disjoint."""
        touched = self.whole
        for mask, _ in (*self.taken["core"], *self.taken["gpu"]):
            touched |= mask
        for kind, mask in zip(self.ground.resources.kinds, self.ground.masks, strict=True):
            if mine := mask & self.whole:
                yield Share(mine, kind.cores, kind.gpus)
            mine = less(mask & touched, self.whole)
            for cores, some in _parts(mine, self.taken["core"]):
                for gpus, nodes in _parts(some, self.taken["gpu"]):
                    yield Share(nodes, kind.cores.lowest(cores), kind.gpus.lowest(gpus))


def _parts(mask: int, amounts: Amounts) -> Iterator[tuple[int, int]]:
    """Nodes by the amount taken of them, which is 0 for those that are left."""
    for nodes, count in amounts:
        if mine := mask & nodes:
            yield count, mine
            mask &= ~nodes
    if mask:
        yield 0, mask
