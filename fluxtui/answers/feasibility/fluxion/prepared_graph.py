"""`Ground`: a resource graph made ready for questions on room (RFC 20, RFC 4).

A constraint can keep vertices out, and so can their state. They are the *gates* of the graph:
its nodes and storage nodes, and what is down. Gates are numbered so that those of one parent
stand side by side; a *pass* is a mask with one bit for each gate, set where it lets through.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from fluxtui.answers.feasibility.fluxion.subtree_classes import (
    Child,
    Form,
    Lens,
    Parts,
    Row,
    in_row,
)
from fluxtui.answers.matching import match
from fluxtui.model.constraint.tree import And, Constraint, Not, Or, Ranks
from fluxtui.model.resources.graph import Graph
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.sets.bits import less
from fluxtui.notation.sets.idset import IdSet, from_mask

# For how many sets of types what they see of a graph is kept.
MAX_LENSES = 8


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A vertex with gates below it.

    row, whole   the vertex, and its form where all may be taken
    first, size  its own children among the gates: where they start and how many there are
    gates        those of them without gates below, by form: bit 0 of a mask is the first
    fixed        its children that are no gates and have none below, by form
    frames       its children with gates below: row, and number where the child is a gate too
    """

    row: int
    whole: Form
    first: int
    size: int
    gates: tuple[tuple[Form, int], ...]
    fixed: Mapping[Form, int] = field(default_factory=dict)
    frames: tuple[tuple[int, int | None], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A graph through one pass.

    root    the form of all of it, None where even the root is kept out
    frames  the form of each vertex with gates below, by row
    bits    the pass as bytes, the lowest first; none without a graph, where the root has all gates
    """

    passed: int
    root: Form | None
    frames: Mapping[int, Form]
    bits: bytes

    def passes(self, gate: int) -> bool:
        """Whether a gate is let through."""
        return bool(self.bits[gate >> 3] >> (gate & 7) & 1)

    def near(self, first: int, size: int) -> int:
        """So many gates from the first on, as a mask; without a graph all of them."""
        if not self.bits:
            return self.passed
        found = int.from_bytes(self.bits[first >> 3 : (first + size + 7) >> 3], "little")
        return found >> (first & 7) & ((1 << size) - 1)


@dataclass(frozen=True, slots=True, eq=False)
class Gates:
    """The gates of a graph, by number.

    numbers   vertex to number
    columns   them as a resource set: the name and properties of vertices; rank is the number
    ranks     their ranks in the graph, -1 where they have none
    indices   their rank indices, -1 where they have none
    filtered  those that constraints filter
    down      those that are down
    """

    numbers: Mapping[int, int]
    columns: Resources
    ranks: Sequence[int]
    indices: Sequence[int]
    filtered: int
    down: int

    @property
    def everything(self) -> int:
        """The pass that lets everything through."""
        return (1 << len(self.numbers)) - 1

    def satisfying(self, constraint: Constraint) -> int:
        """The pass of a constraint (RFC 31); what constraints do not filter passes."""
        found = match.match(self._numbered(constraint), self.columns)
        return found | less(self.everything, self.filtered)

    def of_indices(self, mask: int) -> int:
        """The pass of some nodes by rank index; what has no index passes."""
        digits = f"{mask:b}"[::-1]
        size = len(digits)
        passed = [digits[at] if 0 <= at < size else "01"[at < 0] for at in self.indices]
        return int("".join(reversed(passed)) or "0", 2)

    def _numbered(self, constraint: Constraint) -> Constraint:
        """The constraint with ranks of the graph turned into numbers of gates."""
        if isinstance(constraint, And | Or | Not):
            return type(constraint)(tuple(map(self._numbered, constraint.values)))
        if not isinstance(constraint, Ranks):
            return constraint
        ids = constraint.ids
        found = [number for number, rank in enumerate(self.ranks) if rank >= 0 and rank in ids]
        return Ranks(constraint.values, IdSet.of(found))


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """What is worked out once for a graph and kept with it; `room_graph_build` makes one.

    graph      None where there is none; then Fluxion makes nodes with cores and gpus of R
    resources  the nodes that masks are over
    root       the row of the vertex that contains all others
    forms      the form of each vertex by row, as if all could be taken
    frames     the vertices with gates below, children first
    gates      None where there is no graph: then the gates are the nodes, by rank index
    types      the types of the vertices; leaves those that have a vertex without children
    count      how many forms there are
    orders     what Fluxion looks at first, by row: the larger number
    nodes      the rank index of the node each vertex is in, by row, -1 where it is in none
    ids        the first logical id of a core or gpu in its node, by row
    levels     the types of vertices with those of their children, as they are found together
    masks      the nodes of each kind of resources, in the same order
    units      what is counted of each type whose vertices hold more than one, such as ``GB``
    """

    graph: Graph | None
    resources: Resources
    root: int
    forms: Sequence[Form]
    frames: tuple[Frame, ...]
    gates: Gates | None
    types: frozenset[str]
    leaves: frozenset[str]
    count: int
    orders: Sequence[int] = ()
    nodes: Sequence[int] = ()
    ids: Sequence[int] = ()
    levels: frozenset[tuple[str, frozenset[str]]] = frozenset()
    masks: Sequence[int] = ()
    units: Mapping[str, str] = field(default_factory=dict)
    _views: dict[int, View] = field(default_factory=dict, repr=False)
    _lenses: dict[frozenset[str], Lens] = field(default_factory=dict, repr=False)

    @property
    def everything(self) -> int:
        """The pass that lets everything through."""
        return self.gates.everything if self.gates else self.resources.everything

    @property
    def filtered(self) -> int:
        """The gates that constraints filter."""
        return self.gates.filtered if self.gates else self.resources.everything

    @property
    def down(self) -> int:
        """The gates that are down."""
        return self.gates.down if self.gates else 0

    def passed(self, constraint: Constraint | None, allowed: int | None) -> int:
        """The pass of a constraint, and of allowed nodes by rank index."""
        gates, mask = self.gates, self.everything
        if constraint is not None:
            found = gates.satisfying(constraint) if gates else None
            mask &= match.match(constraint, self.resources) if found is None else found
        if allowed is not None:
            allowed &= self.resources.everything
            mask &= gates.of_indices(allowed) if gates else allowed
        return mask

    def view(self, passed: int) -> View:
        """The graph through a pass; the views without a constraint are kept."""
        if passed | self.down != self.everything:
            return self._seen(passed)
        found = self._views.get(passed)
        if found is None:
            found = self._views[passed] = self._seen(passed)
        return found

    def sight(self, passed: int, types: frozenset[str]) -> "Sight":
        """The graph through a pass, of which only some types matter."""
        base = self._lenses.get(types)
        if base is None:
            if len(self._lenses) == MAX_LENSES:
                del self._lenses[next(iter(self._lenses))]
            base = self._lenses[types] = Lens(types, self.count)
        return Sight(self, self.view(passed), Lens(types, self.count, base))

    def _seen(self, passed: int) -> View:
        parts, forms = Parts(self.count), dict[int, Form]()
        bits = passed.to_bytes(len(self.gates.numbers) // 8 + 1, "little") if self.gates else b""
        view = View(passed, None, forms, bits)
        for frame in self.frames:
            near = view.near(frame.first, frame.size)
            counts = dict(frame.fixed)
            for form, mask in frame.gates:
                counts[form] = counts.get(form, 0) + (near & mask).bit_count()
            for row, gate in frame.frames:
                if gate is None or view.passes(gate):
                    counts[forms[row]] = counts.get(forms[row], 0) + 1
            rows = {kind: self._row(frame.row, kind, view) for kind in frame.whole.uneven}
            forms[frame.row] = parts.form(frame.whole, counts, rows)
        out = self.gates is not None and not self._passes(self.root, view)
        root = None if out else forms.get(self.root, self.forms[self.root])
        return View(passed, root, forms, bits)

    def passing(self, row: int, view: View) -> Iterator[tuple[int, Form]]:
        """The children of a vertex that pass, in document order; there are none without a graph."""
        for kid in self.graph.children[row] if self.graph is not None else ():
            if self._passes(kid, view):
                yield kid, self.form(kid, view)

    def down_types(self) -> set[str]:
        """The types of the vertices that are down."""
        if self.gates is None or self.graph is None:
            return set()
        rows = list(self.gates.numbers)
        return {self.graph.types[rows[gate]] for gate in from_mask(self.gates.down)}

    def form(self, row: int, view: View) -> Form:
        """The form of a vertex through a pass."""
        return view.frames.get(row) or self.forms[row]

    def _passes(self, row: int, view: View) -> bool:
        gate = self.gates.numbers.get(row) if self.gates else None
        return gate is None or view.passes(gate)

    def _row(self, row: int, kind: str, view: View) -> Row:
        """The children of one type that differ in size."""
        if self.graph is None:
            return in_row(())
        return in_row(
            Child(form, self.orders[kid], number(self.graph, kid, self.orders))
            for kid, form in self.passing(row, view)
            if form.type == kind
        )


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """A graph as one request sees it: through a pass, and with the types that matter to it."""

    ground: Ground
    view: View
    lens: Lens

    @property
    def root(self) -> Form | None:
        """The form of all of it, None where even the root is kept out."""
        root = self.view.root
        return None if root is None else self.lens(root)

    def form(self, row: int) -> Form:
        """The form of a vertex."""
        return self.lens(self.ground.form(row, self.view))

    def children(self, row: int) -> Iterable[tuple[int, Form]]:
        """The children of a vertex that pass and that matter, in document order.

        The form of the vertex itself was asked for before.
        """
        ground, lens = self.ground, self.lens
        if row in self.view.frames:
            return ((kid, lens(form)) for kid, form in ground.passing(row, self.view))
        return lens.each(ground.graph.children[row], ground.forms) if ground.graph else ()


def number(graph: Graph, row: int, orders: Sequence[int]) -> int:
    """The id of a vertex among its kind; Fluxion packs the larger first."""
    found = graph.data(row).get("id")
    return found if isinstance(found, int) else orders[row]
