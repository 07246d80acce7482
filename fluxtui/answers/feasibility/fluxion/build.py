"""Makes a `Ground`: of a resource graph, or of a plain R as Fluxion reads one (RFC 20)."""

from collections.abc import Sequence
from itertools import accumulate

from fluxtui.answers.feasibility.fluxion.prepared_graph import Frame, Gates, Ground, number
from fluxtui.answers.feasibility.fluxion.subtree_classes import (
    Child,
    Form,
    Forms,
    Row,
    differing,
    in_row,
)
from fluxtui.model.resources.graph import Graph
from fluxtui.model.resources.resource_set import NODE, Resources, node_indices
from fluxtui.notation.problem import is_digits
from fluxtui.notation.sets.hosts import MAX_DIGITS, Builder
from fluxtui.notation.sets.idset import IdSet, to_mask

#: The types that a constraint filters.
FILTERED = frozenset(("node", "storage_node"))

# No machine has more levels; what is deeper is left out, so that walks down a graph end.
MAX_LEVELS = 60

# The form of a vertex outside the tree.
NOTHING = Form(-1, "", 0)


def of(graph: Graph, resources: Resources) -> Ground:
    """Make a graph ready; resources are its nodes, by whose rank indices masks go.

    Linear in the vertices: a second for a hundred thousand.
    """
    if not graph.types:
        return of_resources(resources)
    return _Builder(graph, resources).ground()


def of_resources(resources: Resources) -> Ground:
    """Make a plain R ready: a cluster of nodes, whose children are their cores and gpus.

    Costs what the kinds of nodes cost, however many nodes there are.
    """
    forms = Forms()
    masks: dict[Form, int] = {}
    of_kinds = [kind.mask for kind in resources.kinds]
    for kind, mask in zip(resources.kinds, of_kinds, strict=True):
        held = (("core", kind.cores), ("gpu", kind.gpus))
        counts = {forms.form(type_, 1): ids.count for type_, ids in held if ids}
        form = forms.form("node", 1, counts)
        masks[form] = masks.get(form, 0) | mask
    whole = forms.form("cluster", 1, {form: mask.bit_count() for form, mask in masks.items()})
    frame = Frame(0, whole, 0, resources.node_count, tuple(masks.items()))
    types = frozenset((whole.type, *whole.below))
    leaves = frozenset(kind for kind in ("core", "gpu") if kind in types)
    return Ground(
        None,
        resources,
        0,
        (whole,),
        (frame,),
        None,
        types,
        leaves,
        forms.count,
        levels=forms.levels,
        masks=of_kinds,
    )


class _Builder:
    """What is worked out about a graph on the way."""

    def __init__(self, graph: Graph, resources: Resources) -> None:
        self.graph = graph
        self.resources = resources
        self.root = _root(graph)
        self.rows = _downward(graph, self.root)
        self.orders = [_order(graph, row) for row in range(len(graph.types))]
        self.forms = Forms()

    def ground(self) -> Ground:
        graph, forms, gates, nodes = self.graph, self._forms(), self._gates(), self._nodes()
        frames = self._frames(forms, gates)
        return Ground(
            graph,
            self.resources,
            self.root,
            forms,
            frames,
            self._columns(gates, nodes),
            frozenset(graph.types[row] for row in self.rows),
            frozenset(graph.types[row] for row in self.rows if not graph.children[row]),
            self.forms.count,
            self.orders,
            nodes,
            self._ids(),
            self.forms.levels,
            [kind.mask for kind in self.resources.kinds],
            self._units(),
        )

    def _forms(self) -> list[Form]:
        """The form of each vertex; of one outside the tree, that of a vertex of no type."""
        graph, orders = self.graph, self.orders
        types, sizes, children = graph.types, graph.sizes, graph.children
        found = [NOTHING] * len(types)
        for row in reversed(self.rows):
            counts: dict[Form, int] = {}
            for kid in children[row]:
                form = found[kid]
                if form is not NOTHING:
                    counts[form] = counts.get(form, 0) + 1
            rows: dict[str, Row] = {}
            for kind in differing(counts) if len(counts) > 1 else ():
                rows[kind] = in_row(
                    Child(found[kid], orders[kid], number(graph, kid, orders))
                    for kid in children[row]
                    if types[kid] == kind
                )
            found[row] = self.forms.form(types[row], sizes[row], counts, rows)
        return found

    def _gates(self) -> dict[int, int]:
        """Each gate with its number; those of one parent stand side by side."""
        found: dict[int, int] = {}
        if self._is_gate(self.root):
            found[self.root] = 0
        for row in self.rows:
            for kid in self.graph.children[row]:
                if self._is_gate(kid):
                    found[kid] = len(found)
        return found

    def _is_gate(self, row: int) -> bool:
        return self.graph.types[row] in FILTERED or self._is_down(row)

    def _is_down(self, row: int) -> bool:
        return self.graph.is_down(row)

    def _frames(self, forms: Sequence[Form], gates: dict[int, int]) -> tuple[Frame, ...]:
        children = self.graph.children
        framed: set[int] = set()
        frames = []
        for row in reversed(self.rows):
            if any(kid in framed or kid in gates for kid in children[row]):
                framed.add(row)
                frames.append(self._frame(row, forms, gates, framed))
        return tuple(frames)

    def _frame(
        self, row: int, forms: Sequence[Form], gates: dict[int, int], framed: set[int]
    ) -> Frame:
        own = [gates[kid] for kid in self.graph.children[row] if kid in gates]
        first = own[0] if own else 0
        masks: dict[Form, list[int]] = {}
        fixed: dict[Form, int] = {}
        inner: list[tuple[int, int | None]] = []
        for kid in self.graph.children[row]:
            if kid in framed:
                inner.append((kid, gates.get(kid)))
            elif kid in gates:
                masks.setdefault(forms[kid], []).append(gates[kid] - first)
            else:
                fixed[forms[kid]] = fixed.get(forms[kid], 0) + 1
        found = tuple((form, to_mask(IdSet.of(bits))) for form, bits in masks.items())
        return Frame(row, forms[row], first, len(own), found, fixed, tuple(inner))

    def _columns(self, gates: dict[int, int], nodes: Sequence[int]) -> Gates:
        graph = self.graph
        names, properties = Builder(), dict[str, list[int]]()
        filtered, down = [], []
        for row, gate in gates.items():
            names.names((graph.names[row] or "?",))
            for name in graph.properties(row):
                properties.setdefault(name, []).append(gate)
            if graph.types[row] in FILTERED:
                filtered.append(gate)
            if self._is_down(row):
                down.append(gate)
        columns = Resources(
            ranks=IdSet.between(0, len(gates) - 1),
            hosts=names.done(),
            properties={name: to_mask(IdSet.of(found)) for name, found in properties.items()},
        )
        _ = columns.host_index
        return Gates(
            gates,
            columns,
            [graph.ranks[row] for row in gates],
            [nodes[row] if graph.types[row] == "node" else -1 for row in gates],
            to_mask(IdSet.of(filtered)),
            to_mask(IdSet.of(down)),
        )

    def _nodes(self) -> list[int]:
        """The rank index of the node each vertex is in."""
        graph = self.graph
        indices = node_indices(graph, self.resources)
        found = [-1] * len(graph.types)
        for row in self.rows:
            if graph.types[row] == NODE:
                found[row] = indices.get(row, -1)
            elif row != self.root:
                found[row] = found[graph.parents[row]]
        return found

    def _units(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for row in self.rows:
            unit = self.graph.units[row]
            if unit:
                found.setdefault(self.graph.types[row], unit)
            elif self.graph.sizes[row] > 1:
                found.setdefault(self.graph.types[row], "units")
        return found

    def _ids(self) -> list[int]:
        """The first logical id of each core and gpu: its own, where those of its node differ."""
        graph = self.graph
        found = [0] * len(graph.types)
        for node in self.rows:
            if graph.types[node] != "node":
                continue
            parts: dict[str, list[int]] = {"core": [], "gpu": []}
            for row in graph.below(node):
                if graph.types[row] in parts:
                    parts[graph.types[row]].append(row)
            for rows in parts.values():
                for row, id_ in zip(rows, self._numbered(rows), strict=True):
                    found[row] = id_
        return found

    def _numbered(self, rows: list[int]) -> list[int]:
        """The first logical ids of the cores of one node, or of its gpus."""
        sizes = [self.graph.sizes[row] for row in rows]
        ids = [self.graph.numbers[row] for row in rows if self.graph.numbers[row] >= 0]
        if len(set(ids)) == len(rows) == sum(sizes):
            return ids
        return [before - size for before, size in zip(accumulate(sizes), sizes, strict=True)]


def _root(graph: Graph) -> int:
    """The vertex that contains the others: its path has one step."""
    for row in graph.roots:
        paths = graph.data(row).get("paths")
        path = paths.get("containment") if isinstance(paths, dict) else None
        if isinstance(path, str) and path.count("/") == 1:
            return row
    return graph.roots[0]


def _downward(graph: Graph, root: int) -> list[int]:
    """The vertices of the tree, parents before children, down to the lowest level looked at."""
    rows, level = [root], [root]
    for _ in range(MAX_LEVELS):
        level = [kid for row in level for kid in graph.children[row]]
        rows.extend(level)
    return rows


def _order(graph: Graph, row: int) -> int:
    """The number by which Fluxion goes through children, the larger first."""
    unique = graph.orders[row]
    if unique >= 0:
        return unique
    name = graph.ids[row]
    return int(name) if is_digits(name) and len(name) <= MAX_DIGITS else row
