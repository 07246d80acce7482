"""The distinct subtrees of a resource graph, each kept once (RFC 4, RFC 20).

A cluster has many vertices and few classes of them, so a request is judged on classes.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Row:
    """Children of one type: in the order in which Fluxion looks at them, and the places in that
    order in which it packs them.
    """

    looked: tuple["SubtreeClass", ...]
    packed: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class SubtreeClass:
    """What equal subtrees have in common; they are equal if their class is one object.

    number   identifies the class in keys
    size     the units of the vertex itself
    kids     the children that may be taken, and how many there are of each class
    uneven   for each type whose children differ in size, those that may be taken in detail
    present  the types of all children, also of those that may not be taken
    below    the units of each type below, also of those that may not be taken
    """

    number: int
    type: str
    size: int
    kids: tuple[tuple["SubtreeClass", int], ...] = ()
    uneven: Mapping[str, Row] = field(default_factory=dict)
    present: frozenset[str] = frozenset()
    below: Mapping[str, int] = field(default_factory=dict)

    def kids_of(self, kind: str) -> list[tuple["SubtreeClass", int]]:
        """The children of a type that may be taken."""
        return [(kid, times) for kid, times in self.kids if kid.type == kind]


Counts = Mapping[SubtreeClass, int]

#: The types of vertices with those of their children, as a graph has them.
Levels = Set[tuple[str, frozenset[str]]]


class SubtreeClasses:
    """Makes classes, numbered from first on; equal subtrees get one class."""

    def __init__(self, first: int = 0) -> None:
        self._first = first
        self._found: dict[object, SubtreeClass] = {}

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._found)

    @property
    def levels(self) -> frozenset[tuple[str, frozenset[str]]]:
        """The types of vertices with those of their children, as they are found together."""
        return frozenset((each.type, each.present) for each in self._found.values())

    def of(
        self,
        kind: str,
        size: int,
        counts: Counts | None = None,
        uneven: Mapping[str, Row] | None = None,
    ) -> SubtreeClass:
        """The class of a vertex with so many children of each class."""
        kids = _kids(counts or {})
        present = frozenset(kid.type for kid, _ in kids)
        key = (kind, size, _key(kids, uneven or {}))
        return self._kept(key, kind, size, kids, uneven or {}, present)

    def part_of(
        self, whole: SubtreeClass, counts: Counts, uneven: Mapping[str, Row]
    ) -> SubtreeClass:
        """The class of a vertex of which only so many children may be taken."""
        kids = _kids(counts)
        if kids == whole.kids:
            return whole
        key = (whole.number, _key(kids, uneven))
        return self._kept(key, whole.type, whole.size, kids, uneven, whole.present, whole.below)

    def projected(
        self,
        whole: SubtreeClass,
        types: Set[str],
        counts: Counts,
        uneven: Mapping[str, Row],
    ) -> SubtreeClass:
        """The class of a vertex of which only some types matter; counts and rows are of those."""
        size = whole.size if whole.type in types else min(whole.size, 1)
        present = whole.present & types
        below = {kind: units for kind, units in whole.below.items() if kind in types}
        kids = _kids(counts)
        key = (whole.type, size, _key(kids, uneven), present, tuple(sorted(below.items())))
        return self._kept(key, whole.type, size, kids, uneven, present, below)

    def _kept(
        self,
        key: object,
        kind: str,
        size: int,
        kids: tuple[tuple[SubtreeClass, int], ...],
        uneven: Mapping[str, Row],
        present: frozenset[str],
        below: Mapping[str, int] | None = None,
    ) -> SubtreeClass:
        found = self._found.get(key)
        if found is None:
            number = self._first + len(self._found)
            below = _below(kids) if below is None else below
            found = SubtreeClass(number, kind, size, kids, uneven, present, below)
            self._found[key] = found
        return found


class TypeProjection:
    """Shows of the classes of a graph only what some types have to do with.

    Vertices of other types stay where one of these is below them, but how large they are does not
    matter. So graphs that differ all over have few classes for requests that do not care.
    """

    def __init__(self, types: Set[str], count: int, base: "TypeProjection | None" = None) -> None:
        """Take the types, and how many classes the graph has; base projects those, if given."""
        self._types = types
        self._count = count
        self._base = base
        self._seen: dict[SubtreeClass, SubtreeClass] = {}
        self._classes = SubtreeClasses(count * 2 if base else 0)

    def __call__(self, whole: SubtreeClass) -> SubtreeClass:
        """What is seen of a class."""
        if self._base is not None and whole.number < self._count:
            return self._base(whole)
        seen = self._seen.get(whole)
        if seen is None:
            seen = self._seen[whole] = self._look(whole)
        return seen

    def rows(
        self, rows: Iterable[int], classes: Sequence[SubtreeClass]
    ) -> list[tuple[int, SubtreeClass]]:
        """Vertices with what is seen of them; those that were never looked at do not matter."""
        seen = self._base._seen if self._base is not None else self._seen
        return [(row, found) for row in rows if (found := seen.get(classes[row])) is not None]

    def _look(self, whole: SubtreeClass) -> SubtreeClass:
        types = self._types
        counts: dict[SubtreeClass, int] = {}
        for kid, times in whole.kids:
            if kid.type in types or not types.isdisjoint(kid.below):
                seen = self(kid)
                counts[seen] = counts.get(seen, 0) + times
        uneven = {
            kind: Row(tuple(map(self, row.looked)), row.packed)
            for kind, row in whole.uneven.items()
            if kind in types
        }
        return self._classes.projected(whole, types, counts, uneven)


def _kids(counts: Counts) -> tuple[tuple[SubtreeClass, int], ...]:
    found = [(each, count) for each, count in counts.items() if count]
    return tuple(sorted(found, key=lambda kid: kid[0].number)) if len(found) > 1 else tuple(found)


def _key(kids: tuple[tuple[SubtreeClass, int], ...], uneven: Mapping[str, Row]) -> object:
    key = tuple([(each.number, count) for each, count in kids])
    if not uneven:
        return key
    rows = [(kind, [c.number for c in row.looked], row.packed) for kind, row in uneven.items()]
    return (key, str(rows))


def _below(kids: tuple[tuple[SubtreeClass, int], ...]) -> dict[str, int]:
    below: dict[str, int] = {}
    for kid, times in kids:
        below[kid.type] = below.get(kid.type, 0) + kid.size * times
        for kind, units in kid.below.items():
            below[kind] = below.get(kind, 0) + units * times
    return below


def differing(classes: Iterable[SubtreeClass]) -> list[str]:
    """The types of which there are vertices of several sizes."""
    sizes: dict[str, int] = {}
    found: dict[str, None] = {}
    for each in classes:
        if sizes.setdefault(each.type, each.size) != each.size:
            found[each.type] = None
    return sorted(found)
