"""The distinct subtrees of a resource graph, each kept once (RFC 4, RFC 20).

A cluster has many vertices and few classes of them, so a request is judged on classes.
"""

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from functools import lru_cache


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
        kids, rows = _kids(counts or {}), uneven or {}
        key = (kind, size, _key(kids, rows))
        found = self._found.get(key)
        if found is None:
            present = frozenset(kid.type for kid, _ in kids)
            number = self._first + len(self._found)
            found = SubtreeClass(number, kind, size, kids, rows, present, _below(kids))
            self._found[key] = found
        return found

    def part_of(
        self, whole: SubtreeClass, counts: Counts, uneven: Mapping[str, Row]
    ) -> SubtreeClass:
        """The class of a vertex of which only so many children may be taken."""
        kids = _kids(counts)
        if kids == whole.kids:
            return whole
        key = (whole.number, _key(kids, uneven))
        found = self._found.get(key)
        if found is None:
            number = self._first + len(self._found)
            found = self._found[key] = replace(whole, number=number, kids=kids, uneven=uneven)
        return found

    def projection_of(
        self, whole: SubtreeClass, types: Set[str], counts: Counts, uneven: Mapping[str, Row]
    ) -> SubtreeClass:
        """The class of a vertex of which only some types matter; counts and rows are of those."""
        size = whole.size if whole.type in types else min(whole.size, 1)
        below = {kind: units for kind, units in whole.below.items() if kind in types}
        kids = _kids(counts)
        amounts = tuple(sorted(below.items()))
        key = (whole.type, size, _key(kids, uneven), whole.present, amounts)
        found = self._found.get(key)
        if found is None:
            number = self._first + len(self._found)
            found = SubtreeClass(number, whole.type, size, kids, uneven, whole.present, below)
            self._found[key] = found
        return found


@lru_cache(maxsize=8)
def projected(root: SubtreeClass, types: frozenset[str]) -> SubtreeClass:
    """A class with only what some types have to do with.

    Vertices of other types stay where one of these is below them, but how large they are does not
    matter. So graphs whose nodes all differ have few classes for requests that do not care. The
    last ones are kept, since most requests come key by key.
    """
    classes = SubtreeClasses()
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
            kind: replace(row, looked=tuple(map(look, row.looked)))
            for kind, row in whole.uneven.items()
            if kind in types
        }
        seen[whole] = classes.projection_of(whole, types, counts, uneven)
        return seen[whole]

    return look(root)


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
