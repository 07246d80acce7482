"""A resource graph made ready for requests (RFC 4, RFC 20), and what a selection leaves of it.

A constraint can exclude vertices, and so can their state. These are the *filterable* vertices of
a graph: its nodes and storage nodes, and what is down. They are numbered; a *selection* is a mask
with one bit for each of them, set where the vertex may be used. Of an R without a graph Fluxion
makes a cluster of nodes with cores and gpus; there the filterable vertices are the nodes, by rank
index.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from fluxtui.answers import matching
from fluxtui.answers.feasibility.fluxion.subtree_classes import (
    Levels,
    Row,
    SubtreeClass,
    SubtreeClasses,
    differing,
)
from fluxtui.answers.feasibility.placement import kind_masks
from fluxtui.model.constraint.tree import And, Constraint, Not, Or, Ranks
from fluxtui.model.resources.graph import Graph
from fluxtui.model.resources.resource_set import NODE, Resources, node_indices
from fluxtui.notation.problem import is_digits
from fluxtui.notation.sets.bits import less
from fluxtui.notation.sets.hosts import MAX_DIGITS, Builder
from fluxtui.notation.sets.idset import IdSet, from_mask, to_mask

#: The types that a constraint filters.
FILTERED = frozenset(("node", "storage_node"))

# No machine has more levels; what is deeper is left out, so that walks down a graph end.
_MAX_LEVELS = 60

# The class of a vertex outside the tree.
_OUTSIDE = SubtreeClass(-1, "", 0)


@dataclass(frozen=True, slots=True, eq=False)
class Filterable:
    """The filterable vertices, by their numbers.

    columns     them as a resource set: the name and properties of vertices; rank is the number
    everything  the selection of all of them
    filtered    the selection of those that constraints filter
    down        the selection of those that are down
    numbers     row of a vertex to its number; empty without a graph
    ranks       their ranks in the graph, -1 where they have none; None without a graph
    indices     their rank indices, -1 where they have none; None without a graph
    """

    columns: Resources
    everything: int
    filtered: int
    down: int = 0
    numbers: Mapping[int, int] = field(default_factory=dict)
    ranks: Sequence[int] | None = None
    indices: Sequence[int] | None = None

    def satisfying(self, constraint: Constraint) -> int:
        """The selection of a constraint (RFC 31), with what constraints do not filter."""
        found = matching.match(self._numbered(constraint), self.columns)
        return found | less(self.everything, self.filtered)

    def of_nodes(self, mask: int) -> int:
        """The selection of some nodes by rank index, with what has no index."""
        if self.indices is None:
            return mask
        digits = f"{mask:b}"[::-1]
        size = len(digits)
        selected = [digits[at] if 0 <= at < size else "01"[at < 0] for at in self.indices]
        return int("".join(reversed(selected)) or "0", 2)

    def _numbered(self, constraint: Constraint) -> Constraint:
        """The constraint with the numbers of vertices in place of their ranks."""
        if isinstance(constraint, And | Or | Not):
            return type(constraint)(tuple(map(self._numbered, constraint.values)))
        if self.ranks is None or not isinstance(constraint, Ranks):
            return constraint
        ids = constraint.ids
        found = [number for number, rank in enumerate(self.ranks) if rank >= 0 and rank in ids]
        return Ranks(constraint.values, IdSet.of(found))


@dataclass(frozen=True, slots=True, eq=False)
class Branch:
    """A vertex with filterable ones below it.

    whole   its class where all may be used
    leaves  its filterable children without filterable ones below, as a selection for each class
    inner   its children that are branches: row, and number, -1 where it is not filterable
    fixed   how many other children there are of each class
    """

    row: int
    whole: SubtreeClass
    leaves: Sequence[tuple[SubtreeClass, int]]
    inner: Sequence[tuple[int, int]] = ()
    fixed: Mapping[SubtreeClass, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class PreparedGraph:
    """What is worked out once for a cluster, so that requests are judged within a frame.

    graph         None where there is none
    resources     the nodes that masks are over
    root          the row of the vertex that contains all others
    classes       the class of each vertex by row, as if all could be used
    count         how many classes there are
    levels        the types of vertices with those of their children, as they are found together
    types         the types of the vertices; leaves those that have a vertex without children
    branches      the vertices with filterable ones below, children first
    filterable    the filterable vertices
    orders        what Fluxion looks at first, by row: the larger number
    nodes         the rank index of the node each vertex is in, by row, -1 where it is in none
    ids           the first logical id of a core or gpu in its node, by row
    units         what is counted of each type whose vertices hold more than one, such as ``GB``
    """

    graph: Graph | None
    resources: Resources
    root: int
    classes: Sequence[SubtreeClass]
    count: int
    levels: Levels
    types: frozenset[str]
    leaves: frozenset[str]
    branches: Sequence[Branch]
    filterable: Filterable
    orders: Sequence[int] = ()
    nodes: Sequence[int] = ()
    ids: Sequence[int] = ()
    units: Mapping[str, str] = field(default_factory=dict)
    _known: dict[int, Mapping[int, SubtreeClass]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, graph: Graph, resources: Resources) -> "PreparedGraph":
        """Make a graph ready; resources are its nodes, by whose rank indices masks go.

        Linear in the vertices: a second for a hundred thousand.
        """
        return _Builder(graph, resources).build() if graph.types else cls.of_resources(resources)

    @classmethod
    def of_resources(cls, resources: Resources) -> "PreparedGraph":
        """Make an R without a graph ready, at the cost of its kinds of nodes."""
        classes = SubtreeClasses()
        masks: dict[SubtreeClass, int] = {}
        for kind, mask in zip(resources.kinds, kind_masks(resources), strict=True):
            held = (("core", kind.cores), ("gpu", kind.gpus))
            counts = {classes.of(name, 1): ids.count for name, ids in held if ids}
            node = classes.of(NODE, 1, counts)
            masks[node] = masks.get(node, 0) | mask
        whole = classes.of("cluster", 1, {node: mask.bit_count() for node, mask in masks.items()})
        types = frozenset((whole.type, *whole.below))
        leaves = frozenset(("core", "gpu")) & types
        return cls(
            None,
            resources,
            0,
            (whole,),
            classes.count,
            classes.levels,
            types,
            leaves,
            (Branch(0, whole, tuple(masks.items())),),
            Filterable(resources, resources.everything, resources.everything),
        )

    @property
    def down_types(self) -> set[str]:
        """The types of the vertices that are down."""
        if self.graph is None:
            return set()
        rows = list(self.filterable.numbers)
        return {self.graph.types[rows[number]] for number in from_mask(self.filterable.down)}

    def select(self, constraint: Constraint | None, allowed: int | None) -> int:
        """The selection of a constraint, and of allowed nodes by rank index."""
        mask = self.filterable.everything
        if constraint is not None:
            mask &= self.filterable.satisfying(constraint)
        if allowed is not None:
            mask &= self.filterable.of_nodes(allowed & self.resources.everything)
        return mask

    def filter(self, selection: int) -> "FilteredGraph":
        """What a selection leaves of the graph."""
        everything, down = self.filterable.everything, self.filterable.down
        if selection == everything:
            changed: Mapping[int, SubtreeClass] = {}
        elif selection | down != everything:
            changed = self._changed(selection)
        else:  # what most requests without a constraint ask for
            changed = self._known.get(selection) or self._changed(selection)
            self._known[selection] = changed
        return FilteredGraph(self, selection, changed, self._digits(selection))

    def _digits(self, selection: int) -> str:
        """One character for each filterable vertex of a graph, 1 where it is selected."""
        size = len(self.filterable.numbers)
        return f"{selection:0{size}b}"[::-1] if size else ""

    def _changed(self, selection: int) -> dict[int, SubtreeClass]:
        """The vertices below which something is left out: by row what their class is then."""
        classes, digits = SubtreeClasses(self.count), self._digits(selection)
        changed: dict[int, SubtreeClass] = {}
        for branch in self.branches:
            counts = dict(branch.fixed)
            for found, mask in branch.leaves:
                counts[found] = counts.get(found, 0) + (selection & mask).bit_count()
            for kid, number in branch.inner:
                if number < 0 or digits[number] == "1":
                    found = changed.get(kid) or self.classes[kid]
                    counts[found] = counts.get(found, 0) + 1
            uneven = {
                kind: self._in_row(kind, branch.row, digits, changed)
                for kind in branch.whole.uneven
            }
            changed[branch.row] = classes.part_of(branch.whole, counts, uneven)
        return changed

    def _in_row(self, kind: str, row: int, digits: str, changed: Mapping[int, SubtreeClass]) -> Row:
        """The selected children of one type, which differ in size."""
        assert self.graph is not None
        kids = (kid for kid in self.kids(row, digits, changed) if kid[1].type == kind)
        return in_row(kids, self.graph, self.orders)

    def kids(
        self, row: int, digits: str, changed: Mapping[int, SubtreeClass]
    ) -> Iterator[tuple[int, SubtreeClass]]:
        """The children of a vertex that are selected, in document order; none without a graph."""
        numbers = self.filterable.numbers
        for kid in self.graph.children[row] if self.graph is not None else ():
            number = numbers.get(kid, -1)
            if number < 0 or digits[number] == "1":
                yield kid, changed.get(kid) or self.classes[kid]


@dataclass(frozen=True, slots=True, eq=False)
class FilteredGraph:
    """What a selection leaves of a graph.

    changed  by row the class of each vertex below which something may be left out
    """

    prepared: PreparedGraph
    selection: int
    changed: Mapping[int, SubtreeClass]
    _digits: str

    @property
    def root(self) -> SubtreeClass | None:
        """The class of all of it, None where even the root is excluded."""
        row = self.prepared.root
        number = self.prepared.filterable.numbers.get(row, -1)
        return None if number >= 0 and self._digits[number] != "1" else self.subtree(row)

    def subtree(self, row: int) -> SubtreeClass:
        """The class of a vertex."""
        return self.changed.get(row) or self.prepared.classes[row]

    def children(self, row: int) -> Iterable[tuple[int, SubtreeClass]]:
        """The children of a vertex that are left, in document order; none without a graph."""
        prepared = self.prepared
        if row in self.changed:
            return prepared.kids(row, self._digits, self.changed)
        kids = prepared.graph.children[row] if prepared.graph is not None else ()
        return ((kid, prepared.classes[kid]) for kid in kids)


class _Builder:
    """Works out what a `PreparedGraph` holds, the tree from its root down."""

    def __init__(self, graph: Graph, resources: Resources) -> None:
        self.graph = graph
        self.resources = resources
        self.root = _root(graph)
        self.rows = _downward(graph, self.root)
        self.orders = [_order(graph, row) for row in range(len(graph.types))]
        self.interned = SubtreeClasses()
        self.numbers = self._numbers()
        self.nodes = self._nodes()

    def build(self) -> PreparedGraph:
        graph, classes = self.graph, self._classes()
        return PreparedGraph(
            graph,
            self.resources,
            self.root,
            classes,
            self.interned.count,
            self.interned.levels,
            frozenset(graph.types[row] for row in self.rows),
            frozenset(graph.types[row] for row in self.rows if not graph.children[row]),
            tuple(self._branches(classes)),
            self._filterable(),
            self.orders,
            self.nodes,
            self._ids(),
            self._units(),
        )

    def _classes(self) -> list[SubtreeClass]:
        """The class of each vertex; of one outside the tree, that of a vertex of no type."""
        graph = self.graph
        found = [_OUTSIDE] * len(graph.types)
        for row in reversed(self.rows):
            counts: dict[SubtreeClass, int] = {}
            kids = [kid for kid in graph.children[row] if found[kid] is not _OUTSIDE]
            for kid in kids:
                counts[found[kid]] = counts.get(found[kid], 0) + 1
            uneven = {
                kind: in_row(
                    ((kid, found[kid]) for kid in kids if graph.types[kid] == kind),
                    graph,
                    self.orders,
                )
                for kind in (differing(counts) if len(counts) > 1 else ())
            }
            found[row] = self.interned.of(graph.types[row], graph.sizes[row], counts, uneven)
        return found

    def _numbers(self) -> dict[int, int]:
        """The filterable vertices in the order of their numbers."""
        graph = self.graph
        found = (row for row in self.rows if graph.types[row] in FILTERED or graph.is_down(row))
        return {row: number for number, row in enumerate(found)}

    def _branches(self, classes: Sequence[SubtreeClass]) -> Iterator[Branch]:
        """The vertices with filterable ones below, children first."""
        branches: set[int] = set()
        for row in reversed(self.rows):
            leaves: dict[SubtreeClass, list[int]] = {}
            inner: list[tuple[int, int]] = []
            fixed: dict[SubtreeClass, int] = {}
            for kid in self.graph.children[row]:
                found, number = classes[kid], self.numbers.get(kid, -1)
                if kid in branches:
                    inner.append((kid, number))
                elif number >= 0:
                    leaves.setdefault(found, []).append(number)
                else:
                    fixed[found] = fixed.get(found, 0) + 1
            if inner or leaves:
                branches.add(row)
                masks = tuple((found, to_mask(IdSet.of(of))) for found, of in leaves.items())
                yield Branch(row, classes[row], masks, inner, fixed)

    def _filterable(self) -> Filterable:
        graph, numbers = self.graph, self.numbers
        names, properties = Builder(), dict[str, list[int]]()
        for row, number in numbers.items():
            names.names((graph.names[row] or "?",))
            for name in graph.properties(row):
                properties.setdefault(name, []).append(number)
        columns = Resources(
            ranks=IdSet.between(0, len(numbers) - 1),
            hosts=names.done(),
            properties={name: to_mask(IdSet.of(found)) for name, found in properties.items()},
        )
        _ = columns.host_index
        filtered = [number for row, number in numbers.items() if graph.types[row] in FILTERED]
        down = [number for row, number in numbers.items() if graph.is_down(row)]
        return Filterable(
            columns,
            (1 << len(numbers)) - 1,
            to_mask(IdSet.of(filtered)),
            to_mask(IdSet.of(down)),
            numbers,
            [graph.ranks[row] for row in numbers],
            [self.nodes[row] if graph.types[row] == NODE else -1 for row in numbers],
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
            if graph.types[node] != NODE:
                continue
            parts: dict[str, list[int]] = {"core": [], "gpu": []}
            for row in graph.below(node):
                if graph.types[row] in parts:
                    parts[graph.types[row]].append(row)
            for rows in parts.values():
                sizes = [graph.sizes[row] for row in rows]
                ids = [graph.numbers[row] for row in rows if graph.numbers[row] >= 0]
                if not len(set(ids)) == len(rows) == sum(sizes):
                    ids = [end - size for end, size in zip(accumulate(sizes), sizes, strict=True)]
                for row, first in zip(rows, ids, strict=True):
                    found[row] = first
        return found


def in_row(kids: Iterable[tuple[int, SubtreeClass]], graph: Graph, orders: Sequence[int]) -> Row:
    """Children of one type, in both orders of Fluxion; of equal ids the one looked at first."""
    looked = sorted(kids, key=lambda kid: -orders[kid[0]])
    ids = [id_of(graph, row, orders) for row, _ in looked]
    packed = sorted(range(len(looked)), key=lambda place: -ids[place])
    return Row(tuple(found for _, found in looked), tuple(packed))


def id_of(graph: Graph, row: int, orders: Sequence[int]) -> int:
    """The id of a vertex among its kind; Fluxion packs the larger first."""
    found = graph.data(row).get("id")
    return found if isinstance(found, int) else orders[row]


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
    for _ in range(_MAX_LEVELS):
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
