"""A resource graph prepared for requests (RFC 4, RFC 20), and the part that a selection leaves.

A cluster has many vertices but few distinct subtrees, so each distinct subtree is kept once, as a
class, and requests are judged on classes. Vertices can be excluded by a constraint or by their
state. These are the *filterable* vertices of a graph: its nodes and storage nodes, and what is
down. They are numbered; a *selection* is a mask with one bit for each of them, set if the vertex
may be used. From an R without a graph Fluxion makes a cluster of nodes with cores and gpus; its
filterable vertices are the nodes, by rank index.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import accumulate

from fluxtui.answers import matching
from fluxtui.answers.feasibility.feasibility import all_classes
from fluxtui.answers.feasibility.fluxion.reading import Request, walk
from fluxtui.model.constraint.tree import And, Constraint, Not, Or, Ranks
from fluxtui.model.resources.graph import NODE, Graph
from fluxtui.model.resources.resource_set import Resources, node_indices
from fluxtui.notation.problem import is_digits
from fluxtui.notation.sets.bits import less
from fluxtui.notation.sets.hostlist import MAX_DIGITS, Builder
from fluxtui.notation.sets.idset import IdSet, to_mask

#: The types that a constraint filters.
FILTERED = frozenset(("node", "storage_node"))


@dataclass(frozen=True, slots=True)
class UnevenKids:
    """Children of one type in the order that Fluxion visits them, and their positions as packed."""

    visited: tuple["SubtreeClass", ...]
    packed: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class SubtreeClass:
    """The class of equal subtrees; classes are compared by identity.

    number   identifies the class in keys
    size     the units of the vertex itself
    kids     the children that may be used, with the number of each class
    uneven   for each type whose children differ in size, those that may be used, in order
    present  the types of all children, including those that may not be used
    below    the units of each type below, including those that may not be used
    """

    number: int
    type: str
    size: int
    kids: tuple[tuple["SubtreeClass", int], ...] = ()
    uneven: Mapping[str, UnevenKids] = field(default_factory=dict)
    present: frozenset[str] = frozenset()
    below: Mapping[str, int] = field(default_factory=dict)

    def kids_of(self, kind: str) -> list[tuple["SubtreeClass", int]]:
        """Return the children of a type that may be used."""
        return [(kid, times) for kid, times in self.kids if kid.type == kind]


#: The number of children of each class.
Counts = Mapping[SubtreeClass, int]

#: The types of a graph's vertices, each with a set of types that its children have.
Levels = Set[tuple[str, frozenset[str]]]

# The class of vertices outside the tree.
_OUTSIDE = SubtreeClass(-1, "", 0)


class _Classes:
    """Creates classes, numbered from ``first``; equal subtrees get the same class."""

    def __init__(self, first: int = 0) -> None:
        self.first = first
        self.found: dict[object, SubtreeClass] = {}

    def of(
        self,
        kind: str,
        size: int,
        counts: Counts,
        uneven: Mapping[str, UnevenKids],
        around: tuple[frozenset[str], Mapping[str, int]] | None = None,
    ) -> SubtreeClass:
        """Return the class of a vertex with these numbers of usable children of each class.

        around is ``present`` and ``below``, if they include vertices that may not be used.
        """
        kids = tuple([(kid, times) for kid, times in counts.items() if times])
        if len(kids) > 1:
            kids = tuple(sorted(kids, key=lambda kid: kid[0].number))
        key: object = (kind, size, tuple([(kid.number, times) for kid, times in kids]))
        if uneven:
            rows = [(of, [c.number for c in row.visited], row.packed) for of, row in uneven.items()]
            key = (key, str(rows))
        if around is not None:
            key = (key, around[0], tuple(sorted(around[1].items())))
        found = self.found.get(key)
        if found is None:
            present, below = around or _around(kids)
            number = self.first + len(self.found)
            found = SubtreeClass(number, kind, size, kids, uneven, present, below)
            self.found[key] = found
        return found

    def summary(self) -> tuple[int, Levels, frozenset[str], frozenset[str]]:
        """Return the number of classes, the levels, the types, and the types without children."""
        found = self.found.values()
        levels = frozenset((each.type, each.present) for each in found)
        leaves = frozenset(each.type for each in found if not each.present)
        return len(found), levels, frozenset(each.type for each in found), leaves


def _around(kids: tuple[tuple[SubtreeClass, int], ...]) -> tuple[frozenset[str], dict[str, int]]:
    below: dict[str, int] = {}
    for kid, times in kids:
        below[kid.type] = below.get(kid.type, 0) + kid.size * times
        for kind, units in kid.below.items():
            below[kind] = below.get(kind, 0) + units * times
    return frozenset(kid.type for kid, _ in kids), below


@lru_cache(maxsize=8)
def projected(root: SubtreeClass, types: frozenset[str]) -> SubtreeClass:
    """Return a class reduced to what concerns some types, cached for the next keys.

    Graphs whose nodes all differ have few classes for requests that ignore the differences.
    """
    classes = _Classes()
    seen: dict[SubtreeClass, SubtreeClass] = {}

    def look(whole: SubtreeClass) -> SubtreeClass:
        if whole in seen:
            return seen[whole]
        counts: dict[SubtreeClass, int] = {}
        for kid, times in whole.kids:
            if kid.type in types or not types.isdisjoint(kid.below):
                found = look(kid)
                counts[found] = counts.get(found, 0) + times
        uneven = {
            kind: replace(row, visited=tuple(map(look, row.visited)))
            for kind, row in whole.uneven.items()
            if kind in types
        }
        size = whole.size if whole.type in types else min(whole.size, 1)
        below = {kind: units for kind, units in whole.below.items() if kind in types}
        seen[whole] = classes.of(whole.type, size, counts, uneven, (whole.present, below))
        return seen[whole]

    return look(root)


@dataclass(frozen=True, slots=True, eq=False)
class Filterable:
    """The filterable vertices; ranks and indices are -1 for one without, None without a graph.

    The selections are those of all, of what constraints filter, and of what is down.
    """

    columns: Resources  # names and properties, with the numbers as ranks
    everything: int
    filtered: int
    down: int = 0
    numbers: Mapping[int, int] = field(default_factory=dict)  # by row
    ranks: Sequence[int] | None = None
    indices: Sequence[int] | None = None

    def of_nodes(self, mask: int) -> int:
        """Return the selection of some nodes by rank index, and of everything without an index."""
        if self.indices is None:
            return mask
        digits = f"{mask:b}"[::-1]
        size = len(digits)
        selected = [digits[at] if 0 <= at < size else "01"[at < 0] for at in self.indices]
        return int("".join(reversed(selected)) or "0", 2)

    def numbered(self, constraint: Constraint) -> Constraint:
        """Return the constraint with the numbers of vertices instead of their ranks."""
        if isinstance(constraint, And | Or | Not):
            return type(constraint)(tuple(map(self.numbered, constraint.values)))
        if self.ranks is None or not isinstance(constraint, Ranks):
            return constraint
        ids = constraint.ids
        found = [number for number, rank in enumerate(self.ranks) if rank >= 0 and rank in ids]
        return Ranks(constraint.values, IdSet.of(found))


@dataclass(frozen=True, slots=True, eq=False)
class Branch:
    """A vertex with filterable vertices below it."""

    row: int
    # Filterable children without filterable vertices below, as a selection for each class.
    leaves: Sequence[tuple[SubtreeClass, int]]
    # Children that are branches: row and number, which is -1 if not filterable.
    inner: Sequence[tuple[int, int]] = ()
    fixed: Counts = field(default_factory=dict)  # other children


@dataclass(frozen=True, slots=True, eq=False)
class PreparedGraph:
    """What is computed once for a cluster, so that requests are judged within a frame.

    resources  the nodes that masks refer to
    classes    the class of each vertex by row if all are usable; count is the number of classes
    types      the types of the vertices; leaves are those with a vertex without children
    branches   the vertices with filterable vertices below, children first
    orders     by row: Fluxion visits larger numbers first
    nodes      by row: the rank index of the node that contains the vertex, -1 if none does
    ids        by row: the first logical id of a core or gpu in its node
    units      the unit of each type whose vertices hold more than one, such as ``GB``
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

    @classmethod
    def of(cls, resources: Resources) -> "PreparedGraph":
        """Prepare a graph, or an R without one; masks are over the rank indices of its nodes.

        Linear in the vertices, a second per 100,000; without a graph, in the classes of nodes.
        """
        if resources.graph is not None and resources.graph.types:
            return _Builder(resources.graph, resources).build()
        classes, counts = _Classes(), dict[SubtreeClass, int]()
        leaves: list[tuple[SubtreeClass, int]] = []
        for group in all_classes(resources):
            held = (("core", group.cores), ("gpu", group.gpus))
            parts = {classes.of(name, 1, {}, {}): count for name, count in held if count}
            node = classes.of(NODE, 1, parts, {})
            counts[node] = group.nodes
            leaves.append((node, group.mask))
        whole, branch = classes.of("cluster", 1, counts, {}), Branch(0, leaves)
        nodes = Filterable(resources, resources.everything, resources.everything)
        return cls(None, resources, 0, (whole,), *classes.summary(), (branch,), nodes)

    def select(self, constraint: Constraint | None, allowed: int | None) -> int:
        """Return the selection by a constraint and by a mask of allowed nodes."""
        known = self.filterable
        mask = known.everything
        if constraint is not None:  # which does not apply to some vertices
            found = matching.match(known.numbered(constraint), known.columns)
            mask &= found | less(mask, known.filtered)
        if allowed is not None:
            mask &= known.of_nodes(allowed & self.resources.everything)
        return mask

    def filter(self, selection: int) -> "FilteredGraph":
        """Return what a selection leaves of the graph."""
        changed: dict[int, SubtreeClass] = {}
        size = len(self.filterable.numbers)
        digits = f"{selection:0{size}b}"[::-1] if size else ""
        found = FilteredGraph(self, selection, changed, digits)
        if selection == self.filterable.everything:
            return found
        classes = _Classes(self.count)
        for branch in self.branches:
            whole, counts = self.classes[branch.row], dict(branch.fixed)
            for leaf, mask in branch.leaves:
                counts[leaf] = counts.get(leaf, 0) + (selection & mask).bit_count()
            for kid, number in branch.inner:
                if number < 0 or digits[number] == "1":
                    inner = found.subtree(kid)
                    counts[inner] = counts.get(inner, 0) + 1
            kids, uneven = list(found.children(branch.row)) if whole.uneven else [], {}
            for kind in whole.uneven:
                uneven[kind] = _uneven_kids(kids, kind, self.graph, self.orders)
            around = (whole.present, whole.below)
            changed[branch.row] = classes.of(whole.type, whole.size, counts, uneven, around)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class FilteredGraph:
    """What a selection leaves of a graph; changed are classes by row, digits the selection."""

    prepared: PreparedGraph
    selection: int
    changed: Mapping[int, SubtreeClass]
    digits: str

    @property
    def root(self) -> SubtreeClass | None:
        """The class of the root; None if the root is excluded."""
        row = self.prepared.root
        return self.subtree(row) if self._is_selected(row) else None

    def root_for(self, request: Request) -> SubtreeClass | None:
        """Return the root's class reduced to what concerns a request; None if it is excluded."""
        types = frozenset(each.type for each in walk(request))
        return None if self.root is None else projected(self.root, types)

    def subtree(self, row: int) -> SubtreeClass:
        """Return the class of a vertex."""
        return self.changed.get(row) or self.prepared.classes[row]

    def children(self, row: int) -> Iterator[tuple[int, SubtreeClass]]:
        """Yield the selected children of a vertex, in document order; none without a graph."""
        graph = self.prepared.graph
        for kid in graph.children[row] if graph is not None else ():
            if self._is_selected(kid):
                yield kid, self.subtree(kid)

    def _is_selected(self, row: int) -> bool:
        number = self.prepared.filterable.numbers.get(row, -1)
        return number < 0 or self.digits[number] == "1"


class _Builder:
    """Computes a `PreparedGraph`, from the root of the tree down."""

    def __init__(self, graph: Graph, resources: Resources) -> None:
        self.graph = graph
        self.resources = resources
        self.root = _root(graph)
        self.rows = [self.root]  # of the tree, parents before children
        level = self.rows
        for _ in range(60):  # no machine has more levels, and a graph with a cycle must not loop
            level = [kid for row in level for kid in graph.children[row]]
            self.rows.extend(level)
        self.orders = [_order(graph, row) for row in range(len(graph.types))]
        indices = node_indices(graph, resources)
        self.nodes = [-1] * len(graph.types)
        for row in self.rows:
            if graph.types[row] == NODE:
                self.nodes[row] = indices.get(row, -1)
            elif row != self.root:
                self.nodes[row] = self.nodes[graph.parents[row]]
        filterable = [r for r in self.rows if graph.types[r] in FILTERED or graph.is_down(r)]
        self.numbers = {row: number for number, row in enumerate(filterable)}

    def build(self) -> PreparedGraph:
        graph, interned = self.graph, _Classes()
        classes = self._classes(interned)
        units: dict[str, str] = {}
        for row in self.rows:
            if graph.units[row] or graph.sizes[row] > 1:
                units.setdefault(graph.types[row], graph.units[row] or "units")
        return PreparedGraph(
            graph,
            self.resources,
            self.root,
            classes,
            *interned.summary(),
            tuple(self._branches(classes)),
            self._filterable(),
            self.orders,
            self.nodes,
            self._ids(),
            units,
        )

    def _classes(self, interned: _Classes) -> list[SubtreeClass]:
        """Return the class of each vertex; those outside the tree get a class without a type."""
        graph = self.graph
        found = [_OUTSIDE] * len(graph.types)
        for row in reversed(self.rows):
            counts: dict[SubtreeClass, int] = {}
            kids = [kid for kid in graph.children[row] if found[kid] is not _OUTSIDE]
            for kid in kids:
                counts[found[kid]] = counts.get(found[kid], 0) + 1
            sizes: dict[str, set[int]] = {}
            for its in counts if len(counts) > 1 else ():
                sizes.setdefault(its.type, set()).add(its.size)
            uneven = {
                kind: _uneven_kids([(kid, found[kid]) for kid in kids], kind, graph, self.orders)
                for kind in sorted(sizes)
                if len(sizes[kind]) > 1
            }
            found[row] = interned.of(graph.types[row], graph.sizes[row], counts, uneven)
        return found

    def _branches(self, classes: Sequence[SubtreeClass]) -> Iterator[Branch]:
        """Yield the vertices with filterable vertices below, children first."""
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
                yield Branch(row, masks, inner, fixed)

    def _filterable(self) -> Filterable:
        graph, numbers = self.graph, self.numbers
        names, properties = Builder(), dict[str, list[int]]()
        for row, number in numbers.items():
            names.names((graph.names[row] or "?",))
            for name in graph.properties(row):
                properties.setdefault(name, []).append(number)
        filtered = [number for row, number in numbers.items() if graph.types[row] in FILTERED]
        down = [number for row, number in numbers.items() if graph.is_down(row)]
        columns = Resources(
            ranks=IdSet.between(0, len(numbers) - 1),
            hosts=names.done(),
            properties={name: to_mask(IdSet.of(found)) for name, found in properties.items()},
        )
        _ = columns.host_index
        return Filterable(
            columns,
            (1 << len(numbers)) - 1,
            to_mask(IdSet.of(filtered)),
            to_mask(IdSet.of(down)),
            numbers,
            [graph.ranks[row] for row in numbers],
            [self.nodes[row] if graph.types[row] == NODE else -1 for row in numbers],
        )

    def _ids(self) -> list[int]:
        """Return the first logical id of each core and gpu: its own if those of its node differ."""
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


def _uneven_kids(
    kids: Sequence[tuple[int, SubtreeClass]], kind: str, graph: Graph | None, orders: Sequence[int]
) -> UnevenKids:
    """Return children of one type in both orders of Fluxion; equal ids keep the visiting order."""
    assert graph is not None
    visited = sorted((kid for kid in kids if kid[1].type == kind), key=lambda kid: -orders[kid[0]])
    ids = [id_of(graph, row, orders) for row, _ in visited]
    packed = sorted(range(len(visited)), key=lambda place: -ids[place])
    return UnevenKids(tuple(found for _, found in visited), tuple(packed))


def id_of(graph: Graph, row: int, orders: Sequence[int]) -> int:
    """Return the id of a vertex among its type; Fluxion packs larger ids first."""
    found = graph.data(row).get("id")
    return found if isinstance(found, int) else orders[row]


def _root(graph: Graph) -> int:
    """Return the vertex that contains all others: its path has one step."""
    for row in graph.roots:
        paths = graph.data(row).get("paths")
        path = paths.get("containment") if isinstance(paths, dict) else None
        if isinstance(path, str) and path.count("/") == 1:
            return row
    return graph.roots[0]


def _order(graph: Graph, row: int) -> int:
    """Return the number by which Fluxion orders children, larger first."""
    unique = graph.orders[row]
    if unique >= 0:
        return unique
    name = graph.ids[row]
    return int(name) if is_digits(name) and len(name) <= MAX_DIGITS else row
