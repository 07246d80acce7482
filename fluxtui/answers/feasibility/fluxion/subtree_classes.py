"""Forms: the distinct subtrees of a resource graph, each kept once (RFC 4, RFC 20).

A cluster has many vertices and few forms, so a request is judged on forms.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import NamedTuple


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """What equal subtrees have in common. Two subtrees are equal if their form is one object.

    number   stands for the form in keys; it means nothing else
    size     the units of the vertex itself
    kids     the children that may be taken, and how many there are of each form
    uneven   for each type whose children differ in size, those that may be taken in detail
    present  the types of all children, also of those that may not be taken
    below    the units of each type below, also of those that may not be taken
    """

    number: int
    type: str
    size: int
    kids: tuple[tuple["Form", int], ...] = ()
    uneven: Mapping[str, "Row"] = field(default_factory=dict)
    present: frozenset[str] = frozenset()
    below: Mapping[str, int] = field(default_factory=dict)

    def kids_of(self, kind: str) -> list[tuple["Form", int]]:
        """The children of a type that may be taken."""
        return [(kid, times) for kid, times in self.kids if kid.type == kind]


class Row(NamedTuple):
    """Children of one type: as Fluxion looks at them, and the places in that as it packs them."""

    looked: tuple[Form, ...]
    packed: tuple[int, ...]


class Child(NamedTuple):
    """A child of a vertex; Fluxion looks at larger orders first and packs larger ids first."""

    form: Form
    order: int
    id: int


class Forms:
    """Makes the forms of one graph; equal subtrees get one form."""

    def __init__(self) -> None:
        self._found: dict[object, Form] = {}

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._found)

    @property
    def levels(self) -> frozenset[tuple[str, frozenset[str]]]:
        """The types of vertices with those of their children, as they are found together."""
        return frozenset((form.type, form.present) for form in self._found.values())

    def form(
        self,
        kind: str,
        size: int,
        counts: Mapping[Form, int] | None = None,
        uneven: Mapping[str, Row] | None = None,
    ) -> Form:
        """The form of a vertex with so many children of each form."""
        kids, rows = _kids(counts or {}), uneven or {}
        key = (kind, size, _key(kids, rows))
        form = self._found.get(key)
        if form is None:
            present = frozenset(kid.type for kid, _ in kids)
            form = Form(len(self._found), kind, size, kids, rows, present, _below(kids))
            self._found[key] = form
        return form


class Parts:
    """Makes the forms of vertices of which only some children may be taken."""

    def __init__(self, first: int) -> None:
        """Take the first number that is free."""
        self._first = first
        self._found: dict[object, Form] = {}

    def form(self, whole: Form, counts: Mapping[Form, int], uneven: Mapping[str, Row]) -> Form:
        """The form of a vertex where only so many children may be taken; whole is its own."""
        kids = _kids(counts)
        if kids == whole.kids:
            return whole
        key = (whole.number, _key(kids, uneven))
        form = self._found.get(key)
        if form is None:
            number = self._first + len(self._found)
            form = Form(number, whole.type, whole.size, kids, uneven, whole.present, whole.below)
            self._found[key] = form
        return form


class Lens:
    """Shows of the forms of a graph only what some types have to do with.

    Vertices of other types stay where there is one of these below them, but how large they are is
    no matter. So graphs that differ all over have few forms for requests that do not care.
    """

    def __init__(self, types: Set[str], count: int, base: "Lens | None" = None) -> None:
        """Take the types, and how many forms the graph has; base sees those, if there is one."""
        self._types = types
        self._count = count
        self._base = base
        self._first = count * 2 if base else 0
        self._seen: dict[Form, Form] = {}
        self._found: dict[object, Form] = {}

    def __call__(self, form: Form) -> Form:
        """What is seen of a form."""
        if self._base is not None and form.number < self._count:
            return self._base(form)
        seen = self._seen.get(form)
        if seen is None:
            seen = self._seen[form] = self._look(form)
        return seen

    def each(self, rows: Iterable[int], forms: Sequence[Form]) -> list[tuple[int, Form]]:
        """Vertices with what is seen of them, where it was seen before; the others are left out."""
        seen = self._base._seen if self._base is not None else self._seen
        return [(row, form) for row in rows if (form := seen.get(forms[row])) is not None]

    def _look(self, form: Form) -> Form:
        types = self._types
        counts: dict[Form, int] = {}
        for kid, times in form.kids:
            if kid.type in types or not types.isdisjoint(kid.below):
                seen = self(kid)
                counts[seen] = counts.get(seen, 0) + times
        rows = {
            kind: Row(tuple(map(self, row.looked)), row.packed)
            for kind, row in form.uneven.items()
            if kind in types
        }
        size = form.size if form.type in types else min(form.size, 1)
        present = form.present & types
        below = {kind: units for kind, units in form.below.items() if kind in types}
        kids = _kids(counts)
        key = (form.type, size, _key(kids, rows), present, tuple(sorted(below.items())))
        if key not in self._found:
            number = self._first + len(self._found)
            self._found[key] = Form(number, form.type, size, kids, rows, present, below)
        return self._found[key]


def _kids(counts: Mapping[Form, int]) -> tuple[tuple[Form, int], ...]:
    found = [(form, count) for form, count in counts.items() if count]
    return tuple(sorted(found, key=lambda kid: kid[0].number)) if len(found) > 1 else tuple(found)


def _key(kids: tuple[tuple[Form, int], ...], uneven: Mapping[str, Row]) -> object:
    key = tuple([(form.number, count) for form, count in kids])
    if not uneven:
        return key
    rows = [(kind, [f.number for f in row.looked], row.packed) for kind, row in uneven.items()]
    return (key, str(rows))


def _below(kids: tuple[tuple[Form, int], ...]) -> dict[str, int]:
    below: dict[str, int] = {}
    for kid, times in kids:
        below[kid.type] = below.get(kid.type, 0) + kid.size * times
        for kind, units in kid.below.items():
            below[kind] = below.get(kind, 0) + units * times
    return below


def differing(forms: Iterable[Form]) -> list[str]:
    """The types of which there are forms of several sizes."""
    sizes: dict[str, int] = {}
    found: dict[str, None] = {}
    for form in forms:
        if sizes.setdefault(form.type, form.size) != form.size:
            found[form.type] = None
    return sorted(found)


def in_row(children: Iterable[Child]) -> Row:
    """Children of one type in both orders; of equal ids the one looked at first is first."""
    looked = sorted(children, key=lambda child: -child.order)
    packed = sorted(range(len(looked)), key=lambda place: -looked[place].id)
    return Row(tuple(child.form for child in looked), tuple(packed))
