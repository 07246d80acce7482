"""One placement of a request on a resource graph, the first in the order of the document.

What is exclusive, and what the request names last, is taken whole, with all that is below it. Of
other vertices the job gets what is named below them, also where a slot keeps others out of them.
"""

from collections.abc import Iterator, Sequence

from fluxtui.answers.feasibility.feasibility import Placement, Share
from fluxtui.answers.feasibility.fluxion.judge import Judge, forms_at
from fluxtui.answers.feasibility.fluxion.prepared_graph import Ground, Sight, number
from fluxtui.answers.feasibility.fluxion.request import Want
from fluxtui.answers.feasibility.fluxion.subtree_classes import Form
from fluxtui.model.resources.graph import Graph
from fluxtui.notation.sets.idset import IdSet, to_mask


def place(sight: Sight, judge: Judge, wants: tuple[Want, ...]) -> Placement | None:
    """Take what Fluxion would take; None where the graph has no room.

    Of a range that is the largest count that it finds. The judge is a strict one, and the sight
    shows nothing that is down.
    """
    graph, root = sight.ground.graph, sight.root
    if graph is None or root is None or not judge.satisfied(root, wants):
        return None
    taker = _Taker(sight, graph, judge)
    taker.top(wants)
    shares = _shares(sight.ground, graph, taker.whole)
    mask = 0
    for share in shares:
        mask |= share.mask
    return Placement(mask, shares, tuple(taker.rows))


class _Taker:
    """Takes vertices: rows are all that match, whole those that are taken with what is below."""

    def __init__(self, sight: Sight, graph: Graph, judge: Judge) -> None:
        self.sight = sight
        self.graph = graph
        self.judge = judge
        self.rows: list[int] = []
        self.whole: list[int] = []

    def top(self, wants: tuple[Want, ...]) -> None:
        """Go down until the wants at the top have all they need."""
        row = self.sight.ground.root
        waiting = [(row, self.sight.form(row))]
        found = self.judge.found(waiting[0][1], wants)
        missing = {want.type: want.greatest(found[want.type]) for want in wants}
        # What a vertex is to the request: a match, no match but something below it, or nothing.
        role: dict[Form, Want | bool] = {}
        while waiting and missing:
            row, form = waiting.pop()
            want = role.get(form)
            if want is None:
                want = role[form] = self._role(form, wants)
            if want is True:
                waiting.extend(reversed(list(self.sight.children(row))))
            elif want is not False and want.type in missing:
                self._one(row, form, want, missing)

    def _role(self, form: Form, wants: tuple[Want, ...]) -> Want | bool:
        if not self.judge.found(form, wants):
            return False
        return next((want for want in wants if want.type == form.type or _at(form, want)), True)

    def _one(self, row: int, form: Form, want: Want, missing: dict[str, int]) -> None:
        """One vertex for a want at the top, or the slots that form at it."""
        if want.slot:
            units = min(self.judge.slots(form, want), missing[want.type])
            self.slots(row, form, want, units, False)
        else:
            units = form.size
            self.take(row, form, want, False, False)
        missing[want.type] -= units
        if missing[want.type] <= 0:
            del missing[want.type]

    def take(self, row: int, form: Form, want: Want, held: bool, inside: bool) -> None:
        """Take a vertex that matches; inside says that one above it is taken whole."""
        self.rows.append(row)
        if inside and not want.kids:
            return
        held = held or want.exclusive is True
        if not inside and (want.exclusive is True or not want.kids):
            self.whole.append(row)
            inside = True
        if want.kids and want.kids[-1].slot:
            self.nested(row, form, want, held, inside)
            return
        for kid in want.kids:
            missing = kid.greatest(self.judge.units(form, kid, held))
            for below, its in self.sight.children(row):
                if missing <= 0:
                    break
                if its.type == kid.type and self.judge.fits(its, kid, held):
                    self.take(below, its, kid, held, inside)
                    missing -= its.size

    def nested(self, row: int, form: Form, want: Want, held: bool, inside: bool) -> None:
        """The slots of a vertex that matches: at it, or one level lower."""
        slot = want.kids[-1]
        missing = slot.greatest(self.judge.formed(form, want, held))
        if forms_at(form, slot):
            self.slots(row, form, slot, missing, inside)
            return
        for below, its in self.sight.children(row):
            if missing and its.size and forms_at(its, slot) and self.judge.enough(its, slot):
                units = min(self.judge.slots(its, slot), missing)
                self.slots(below, its, slot, units, inside)
                missing -= units

    def slots(self, row: int, form: Form, slot: Want, times: int, inside: bool) -> None:
        """Fill so many slots at a vertex, each with whole vertices of its own."""
        for kid in slot.kids:
            _, share = self.judge.share(form, kid, slot.most)
            candidates = self._candidates(row, form, kid)
            for _ in range(times):
                units = 0
                while units < share:
                    below, its = next(candidates)
                    self.take(below, its, kid, True, inside)
                    units += its.size

    def _candidates(self, row: int, form: Form, want: Want) -> Iterator[tuple[int, Form]]:
        """The children that match, as Fluxion packs them where their sizes make a difference."""
        children = self.sight.children(row)
        found = ((kid, its) for kid, its in children if its.type == want.type)
        matching = ((kid, its) for kid, its in found if self.judge.fits(its, want, True))
        if want.type not in form.uneven:
            return matching
        orders = self.sight.ground.orders
        looked = sorted(matching, key=lambda kid: -orders[kid[0]])
        return iter(sorted(looked, key=lambda kid: -number(self.graph, kid[0], orders)))


def _at(form: Form, want: Want) -> bool:
    return want.slot and forms_at(form, want)


def _shares(ground: Ground, graph: Graph, whole: Sequence[int]) -> tuple[Share, ...]:
    """What vertices taken whole are of each node."""
    nodes: list[int] = []
    parts: dict[int, tuple[list[int], list[int]]] = {}
    waiting = list(whole)
    while waiting:
        row = waiting.pop()
        kind, node = graph.types[row], ground.nodes[row]
        if kind == "node" and node >= 0:
            nodes.append(node)
            continue
        if node >= 0:
            cores, gpus = parts.setdefault(node, ([], []))
            if kind in ("core", "gpu"):
                first = ground.ids[row]
                ids = cores if kind == "core" else gpus
                ids.extend(range(first, first + graph.sizes[row]))
        waiting.extend(graph.children[row])
    found = (*_nodes(ground, to_mask(IdSet.of(nodes))), *_parts(parts))
    return tuple(sorted(found, key=lambda share: share.mask & -share.mask))


def _nodes(ground: Ground, mask: int) -> Iterator[Share]:
    """Nodes that are taken whole."""
    for kind, those in zip(ground.resources.kinds, ground.masks, strict=True):
        if mine := those & mask:
            yield Share(mine, kind.cores, kind.gpus)


def _parts(parts: dict[int, tuple[list[int], list[int]]]) -> Iterator[Share]:
    """Nodes of which some cores and gpus are taken, those with the same together."""
    alike: dict[tuple[tuple[int, ...], tuple[int, ...]], list[int]] = {}
    for node, (cores, gpus) in parts.items():
        alike.setdefault((tuple(cores), tuple(gpus)), []).append(node)
    for taken, found in alike.items():
        yield Share(to_mask(IdSet.of(found)), IdSet.of(taken[0]), IdSet.of(taken[1]))
