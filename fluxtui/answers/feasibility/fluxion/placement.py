"""One placement of a request by Fluxion: on a graph in the order of the document, else by rank.

What is exclusive or in a slot is taken whole, with everything below it. Of other vertices the job
gets what is named below them, even if a slot keeps other jobs out of them; it does not get what
is shared (see `allocated`).
Without a graph nodes are taken as masks, so that a request for all costs what one for a few does.
"""

from collections.abc import Callable, Iterator, Sequence

from fluxtui.answers.feasibility.feasibility import Placement, Share, bisect, placement_of, shares
from fluxtui.answers.feasibility.fluxion.judge import Judge, can_form, matches_top
from fluxtui.answers.feasibility.fluxion.prepared_graph import (
    FilteredGraph,
    PreparedGraph,
    SubtreeClass,
    id_of,
)
from fluxtui.answers.feasibility.fluxion.reading import Request, Requested, allocated
from fluxtui.model.resources.graph import NODE, Graph
from fluxtui.notation.sets.bits import highest, less, lowest
from fluxtui.notation.sets.idset import IdSet, to_mask

#: A vertex of a graph: its row and its class.
Vertex = tuple[int, SubtreeClass]


def place(
    filtered: FilteredGraph, judge: Judge, request: Request, *, downwards: bool = False
) -> Placement:
    """Place a request that fits as Fluxion does: of a range it takes the largest count it finds.

    The judge must be strict, and the graph must have nothing that is down. Without a graph nodes
    are taken from the lowest rank upwards, or from the highest downwards.
    """
    prepared = filtered.prepared
    if prepared.graph is None:
        nodes = _NodePlacement(filtered, judge, downwards)
        for wanted in allocated(request):
            nodes.top(wanted)
        cores, gpus = nodes.taken["core"], nodes.taken["gpu"]
        return placement_of(shares(prepared.resources, nodes.whole, cores, gpus))
    vertices = _GraphPlacement(filtered, prepared.graph, judge)
    vertices.top(request)
    return placement_of(_shares(prepared, prepared.graph, vertices.whole), vertices.rows)


class _GraphPlacement:
    """Takes vertices: rows are all matches, whole those taken with everything below them."""

    def __init__(self, filtered: FilteredGraph, graph: Graph, judge: Judge) -> None:
        self.filtered = filtered
        self.graph = graph
        self.judge = judge
        self.rows: list[int] = []
        self.whole: list[int] = []

    def top(self, request: Request) -> None:
        root = self.filtered.prepared.root
        waiting = [(root, self.filtered.subtree(root))]
        found = self.judge.available(waiting[0][1], request)
        missing = {wanted.type: 0 for wanted in request}
        for wanted in allocated(request):
            missing[wanted.type] = wanted.greatest(found[wanted.type])
        while waiting and any(units > 0 for units in missing.values()):
            here = waiting.pop()
            row, subtree = here
            if not self.judge.available(subtree, request):
                continue
            match = next((wanted for wanted in request if matches_top(subtree, wanted)), None)
            if match is None:
                waiting.extend(reversed(list(self.filtered.children(row))))
            elif missing[match.type] > 0 and match.is_slot:
                units = min(self.judge.slots(subtree, match), missing[match.type])
                self.slots(here, match, units, False)
                missing[match.type] -= units
            elif missing[match.type] > 0:
                self.take(here, match, False, False)
                missing[match.type] -= subtree.size

    def take(self, here: Vertex, wanted: Requested, under_exclusive: bool, in_whole: bool) -> None:
        """Take a vertex that matches, perhaps below one that is taken whole."""
        row, subtree = here
        self.rows.append(row)
        if in_whole and not wanted.kids:
            return
        under_exclusive = under_exclusive or wanted.exclusive is True
        if not in_whole and (wanted.exclusive is True or not wanted.kids):
            self.whole.append(row)
            in_whole = True
        if wanted.kids and wanted.kids[-1].is_slot:
            slot, formed = wanted.kids[-1], self.judge.formed(subtree, wanted, under_exclusive)
            self.nested(here, slot, slot.greatest(formed), in_whole)
            return
        for kid in wanted.kids if under_exclusive else allocated(wanted.kids):
            missing = kid.greatest(self.judge.units(subtree, kid, under_exclusive))
            for below in self.matching(row, kid, under_exclusive):
                if missing <= 0:
                    break
                self.take(below, kid, under_exclusive, in_whole)
                missing -= below[1].size

    def nested(self, here: Vertex, slot: Requested, missing: int, in_whole: bool) -> None:
        """Take the missing slots of a vertex that matches: at it, or one level lower."""
        row, subtree = here
        if can_form(subtree, slot):
            self.slots(here, slot, missing, in_whole)
            return
        for below in self.filtered.children(row):
            its = below[1]
            if missing and its.size and can_form(its, slot) and self.judge.descends(its, slot):
                units = min(self.judge.slots(its, slot), missing)
                self.slots(below, slot, units, in_whole)
                missing -= units

    def slots(self, here: Vertex, slot: Requested, times: int, in_whole: bool) -> None:
        """Fill ``times`` slots at a vertex, each with whole vertices of its own."""
        row, subtree = here
        orders = self.filtered.prepared.orders
        for kid in slot.kids:
            _, share = self.judge.share(subtree, kid, slot.most)
            candidates = self.matching(row, kid, True)
            if kid.type in subtree.uneven:  # Fluxion packs vertices of different sizes
                visited = sorted(candidates, key=lambda one: -orders[one[0]])
                visited.sort(key=lambda one: -id_of(self.graph, one[0], orders))
                candidates = iter(visited)
            for _ in range(times):
                units = 0
                while units < share:
                    below = next(candidates)
                    self.take(below, kid, True, in_whole)
                    units += below[1].size

    def matching(self, row: int, wanted: Requested, under_exclusive: bool) -> Iterator[Vertex]:
        for below in self.filtered.children(row):
            its = below[1]
            if its.type == wanted.type and self.judge.fits(its, wanted, under_exclusive):
                yield below


def _shares(prepared: PreparedGraph, graph: Graph, whole: Sequence[int]) -> Iterator[Share]:
    """Yield the shares of nodes that vertices taken whole amount to."""
    nodes: list[int] = []
    parts: dict[int, tuple[list[int], list[int]]] = {}
    waiting = list(whole)
    while waiting:
        row = waiting.pop()
        kind, node = graph.types[row], prepared.nodes[row]
        if kind == NODE and node >= 0:
            nodes.append(node)
            continue
        if node >= 0:
            cores, gpus = parts.setdefault(node, ([], []))
            if kind in ("core", "gpu"):
                first = prepared.ids[row]
                ids = cores if kind == "core" else gpus
                ids.extend(range(first, first + graph.sizes[row]))
        waiting.extend(graph.children[row])
    yield from shares(prepared.resources, to_mask(IdSet.of(nodes)))
    by_parts: dict[tuple[tuple[int, ...], tuple[int, ...]], list[int]] = {}
    for node, (cores, gpus) in parts.items():
        by_parts.setdefault((tuple(cores), tuple(gpus)), []).append(node)
    for (core_ids, gpu_ids), found in by_parts.items():
        yield Share(to_mask(IdSet.of(found)), IdSet.of(core_ids), IdSet.of(gpu_ids))


class _NodePlacement:
    """Takes nodes of an R without a graph: whole ones, and cores and gpus of others."""

    def __init__(self, filtered: FilteredGraph, judge: Judge, downwards: bool) -> None:
        self.prepared = filtered.prepared
        self.judge = judge
        self.first = highest if downwards else lowest
        self.cluster = filtered.subtree(self.prepared.root)
        (cluster,) = self.prepared.branches
        self.nodes = [(node, mask & filtered.selection) for node, mask in cluster.leaves]
        self.whole = 0
        self.taken: dict[str, list[tuple[int, int]]] = {"core": [], "gpu": []}

    def top(self, wanted: Requested) -> None:
        judge = self.judge
        if wanted.type == "cluster" and (wanted.exclusive is True or not wanted.kids):
            self.whole = self.prepared.resources.everything
        elif wanted.type == "cluster":
            for kid in allocated(wanted.kids):
                self.top(kid)
        elif wanted.is_slot and can_form(self.cluster, wanted):  # nodes in slots
            times = wanted.greatest(judge.slots(self.cluster, wanted))
            for kid in wanted.kids:
                _, share = judge.share(self.cluster, kid, wanted.most)
                self.give(kid, self.first(self.matching(kid, True), share * times), True)
        elif wanted.is_slot:
            for nodes, times in self.spread(wanted, lambda node: judge.slots(node, wanted)):
                self.fill(nodes, wanted, times)
        elif wanted.type == NODE:
            under_exclusive = wanted.exclusive is True
            matching = self.matching(wanted, under_exclusive)
            count = wanted.greatest(matching.bit_count())
            self.give(wanted, self.first(matching, count), under_exclusive)
        else:
            self.taken[wanted.type] += self.spread(
                wanted, lambda node: judge.units(node, wanted, False)
            )

    def fill(self, nodes: int, slot: Requested, times: int) -> None:
        for node, mask in self.nodes:
            for kid in slot.kids if mask & nodes else ():
                _, share = self.judge.share(node, kid, slot.most)
                self.taken[kid.type].append((mask & nodes, share * times))

    def give(self, wanted: Requested, chosen: int, under_exclusive: bool) -> None:
        if wanted.exclusive is True or not wanted.kids:
            self.whole |= chosen
            return
        for node, mask in self.nodes:
            nodes = mask & chosen
            for kid in allocated(wanted.kids) if nodes else ():
                if kid.is_slot:
                    self.fill(nodes, kid, kid.greatest(self.judge.slots(node, kid)))
                else:
                    units = kid.greatest(self.judge.units(node, kid, under_exclusive))
                    self.taken[kid.type].append((nodes, units))

    def matching(self, wanted: Requested, under_exclusive: bool) -> int:
        fits = self.judge.fits
        return sum(mask for node, mask in self.nodes if fits(node, wanted, under_exclusive))

    def spread(
        self, wanted: Requested, of: Callable[[SubtreeClass], int]
    ) -> Iterator[tuple[int, int]]:
        """Yield all that the first nodes have, and from the last one only the rest."""
        given = [(mask, count) for node, mask in self.nodes if (count := of(node))]

        everything = self.prepared.resources.everything

        def before(place: int) -> int:
            taken = self.first(everything, place)
            return sum(count * (mask & taken).bit_count() for mask, count in given)

        stop = self.prepared.resources.node_count
        units = wanted.greatest(before(stop))
        last = bisect(lambda place: before(place) < units, stop) or 0
        taken = self.first(everything, last)
        for mask, count in given:
            if mask & taken:
                yield mask & taken, count
        yield less(self.first(everything, last + 1), taken), units - before(last)
