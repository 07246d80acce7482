"""The vertices and edges of a resource graph as columns, without an object for each of them.

Both take the elements of their list in pieces, as they are read. What no column holds is kept as
compressed text and parsed again when it is asked for.
"""

import json
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

# Groups of vertices whose metadata are kept ready.
_READY = 16


class Ids(Sequence[str]):
    """The ids of vertices, or what edges name, in order: as numbers, as long as all are."""

    __slots__ = ("_numbers", "_texts")

    def __init__(self) -> None:
        self._numbers = array("q")
        self._texts: list[str] | None = None

    def extend(self, ids: list[str]) -> None:
        """Append ids."""
        if self._texts is None:
            try:
                numbers = array("q", map(int, ids))
            except (ValueError, OverflowError):
                numbers = array("q")
            # 07 and 7 are two ids.
            if list(map(str, numbers)) == ids:
                self._numbers += numbers
                return
            self._texts = list(map(str, self._numbers))
            self._numbers = array("q")
        self._texts += ids

    @property
    def keys(self) -> Sequence[int] | Sequence[str]:
        """The ids as they are kept."""
        return self._numbers if self._texts is None else self._texts

    @property
    def numeric(self) -> bool:
        """Whether all ids so far are numbers."""
        return self._texts is None

    def __len__(self) -> int:
        return len(self.keys)

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> tuple[str, ...]: ...
    def __getitem__(self, row: int | slice) -> str | tuple[str, ...]:
        found = self.keys[row]
        return str(found) if isinstance(row, int) else tuple(map(str, found))  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[str]:
        return map(str, self.keys)


class Metadata:
    """The metadata of vertices in groups: as text, packed, or as they came where there is none."""

    __slots__ = ("_firsts", "_groups", "_ready", "count")

    def __init__(self) -> None:
        self.count = 0
        self._firsts: list[int] = []
        self._groups: list[bytes | list[Any]] = []
        self._ready: dict[int, list[Any]] = {}

    def add(self, vertices: list[Any], text: bytes | None) -> None:
        """Append vertices; text is theirs, with commas between."""
        self._firsts.append(self.count)
        self.count += len(vertices)
        if text is None:
            self._groups.append(vertices)
            return
        import zlib

        # The lowest level takes least time, and leaves a twentieth of such a text.
        self._groups.append(zlib.compress(text, 1))

    def __getitem__(self, row: int) -> Mapping[str, Any]:
        """The metadata of a vertex; empty where it has none."""
        if not 0 <= row < self.count:
            raise IndexError(row)
        number = bisect_right(self._firsts, row) - 1
        group = self._groups[number]
        if isinstance(group, bytes):
            group = self._unpacked(number, group)
        return metadata_of(group[row - self._firsts[number]]) or {}

    def _unpacked(self, number: int, packed: bytes) -> list[Any]:
        found = self._ready.get(number)
        if found is None:
            import zlib

            found = json.loads(b"[%s]" % zlib.decompress(packed))
            # Two threads may do this at a time: a new dictionary takes the place of a full one.
            kept = self._ready if len(self._ready) < _READY else {}
            kept[number] = found
            self._ready = kept
        return found


def metadata_of(vertex: object) -> dict[str, Any] | None:
    """The metadata of a vertex of a JGF graph; None where it has none."""
    data = vertex.get("metadata") if isinstance(vertex, dict) else None
    return data if isinstance(data, dict) else None


_TOO_LARGE = 1 << 63

# A graph of so many vertices is small: what is quick to use takes a few megabytes.
FEW = 1 << 18

#: Elements that are no vertices, and have rows all the same; further ones are only counted.
MAX_ODD = 1000

CONTAINS, LINKS, NEITHER = range(3)


class Vertices:
    """The vertices of a graph (JGF with RFC 4 metadata), one row for each.

    odd has the rows of those that are no vertices. numbers are the ids in the metadata, orders
    the unique ids; both -1 where there is none. statuses has the status of a row that says one.
    left_out counts further elements that are no vertices, which have no rows.
    """

    def __init__(self) -> None:
        self.ids = Ids()
        self.types: list[str] = []
        self.names: list[str] = []
        self.units: list[str] = []
        self.sizes: list[int] = []
        self.ranks: list[int] = []
        self.numbers: list[int] = []
        self.orders = array("q")
        self.statuses: dict[int, int] = {}
        self.properties: dict[int, tuple[str, ...]] = {}
        self.odd: list[int] = []
        self.left_out = 0
        self.metadata = Metadata()
        self._shared: dict[Any, Any] = {}

    def take(self, elements: list[Any], text: bytes | None = None) -> None:
        """Take the next vertices, and the text of them all where there is one."""
        if len(self.odd) >= MAX_ODD:
            known = [vertex for vertex in elements if metadata_of(vertex) is not None]
            if len(known) < len(elements):
                self.left_out += len(elements) - len(known)
                elements, text = known, None
        first = len(self.types)
        share = self._shared.setdefault
        ids = []
        for row, vertex in enumerate(elements, first):
            data = metadata_of(vertex)
            if data is None:
                self.odd.append(row)
                data = {}
            get = data.get
            id_ = vertex.get("id", row) if isinstance(vertex, dict) else row
            ids.append(id_ if type(id_) is str else str(id_))
            name = _name(data)
            self.types.append(_shared(share, get("type")))
            self.names.append(share(name, name))
            self.units.append(_shared(share, get("unit")))
            number = whole(get("size"), 1)
            self.sizes.append(share(number, number))
            number = whole(get("rank"), -1)
            self.ranks.append(share(number, number))
            number = whole(get("id"), -1)
            self.numbers.append(share(number, number))
            number = whole(get("uniq_id"), -1)
            self.orders.append(number if number < _TOO_LARGE else -1)
            if "status" in data and isinstance(data["status"], int):
                self.statuses[row] = data["status"]
            if "properties" in data and (named := _properties(data["properties"])):
                self.properties[row] = share(named, named)
        self.ids.extend(ids)
        self.metadata.add(elements, text)


@dataclass(frozen=True, slots=True)
class Link:
    """An edge of another subsystem than containment, as one of its two vertices sees it.

    subsystem  such as ``power``; empty where the edge does not say
    name       what the edge does, such as ``supplies_to``; empty where it does not say
    row        the vertex at the other end
    outward    the edge leads away from the vertex that was asked
    """

    subsystem: str
    name: str
    row: int
    outward: bool


class Edges:
    """The edges of a graph, in order.

    kinds has one byte for each: it is of containment, of another subsystem, or no edge. others
    names the subsystem of each of the second, and what the edge does.
    """

    def __init__(self) -> None:
        self.sources = Ids()
        self.targets = Ids()
        self.kinds = bytearray()
        self.others: dict[int, tuple[str, str]] = {}

    def take(self, elements: list[Any], text: bytes | None = None) -> None:
        """Take the next edges."""
        sources, targets = [], []
        kinds = self.kinds
        for edge in elements:
            if not isinstance(edge, dict):
                sources.append("0")
                targets.append("0")
                kinds.append(NEITHER)
                continue
            source, target, metadata = edge.get("source"), edge.get("target"), edge.get("metadata")
            sources.append(source if type(source) is str else str(source))
            targets.append(target if type(target) is str else str(target))
            if _contains(metadata):
                kinds.append(CONTAINS)
            else:
                self.others[len(kinds)] = _other(metadata)
                kinds.append(LINKS)
        self.sources.extend(sources)
        self.targets.extend(targets)


class Children(Sequence[tuple[int, ...]]):
    """The rows right below each row, in document order."""

    __slots__ = ("_below", "_count")

    def __init__(self, parents: Sequence[int]) -> None:
        self._count = len(parents)
        self._below: dict[int, array[int]] = {}
        below = self._below
        for row, parent in enumerate(parents):
            if parent >= 0:
                found = below.get(parent)
                if found is None:
                    found = below[parent] = array("i")
                found.append(row)

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, row: int) -> tuple[int, ...]: ...
    @overload
    def __getitem__(self, row: slice) -> tuple[tuple[int, ...], ...]: ...
    def __getitem__(self, row: int | slice) -> tuple[int, ...] | tuple[tuple[int, ...], ...]:
        if isinstance(row, slice):
            return tuple(self[at] for at in range(*row.indices(self._count)))
        if not -self._count <= row < self._count:
            raise IndexError(row)
        found = self._below.get(row if row >= 0 else row + self._count)
        return tuple(found) if found is not None else ()


def column(numbers: list[int]) -> Sequence[int]:
    """Numbers in as little room as they fit in, where they are many; else as is quickest to use."""
    if len(numbers) <= FEW:
        return tuple(numbers)
    try:
        return array("i", numbers)
    except OverflowError:
        return tuple(numbers)


def below(parents: Sequence[int]) -> Sequence[tuple[int, ...]]:
    """The children of each row, in the form `column` would choose."""
    found = Children(parents)
    return found if len(parents) > FEW else tuple(found)


def whole(value: object, otherwise: int) -> int:
    """A whole number of at least 0, or the other value."""
    if type(value) is int and value >= 0:
        return value
    return otherwise


def containment_path(data: Mapping[str, Any]) -> str:
    """The containment path in the metadata of a vertex; empty where there is none."""
    paths = data.get("paths")
    path = paths.get("containment") if isinstance(paths, dict) else None
    return path if isinstance(path, str) else ""


def _shared(share: Any, value: object) -> str:
    """A text of which equal ones are one object; empty for anything else."""
    found: str = share(value, value) if isinstance(value, str) else ""
    return found


def _name(data: dict[str, Any]) -> str:
    """The name of a vertex; its base name or type with its id where it has none."""
    name = data.get("name")
    if isinstance(name, str) and name:
        return name
    last = containment_path(data).rpartition("/")[2]
    basename, type_ = data.get("basename"), data.get("type")
    base = basename if isinstance(basename, str) else ""
    base = base or (type_ if isinstance(type_, str) else "")
    id_ = data.get("id")
    return last or (f"{base}{id_}" if isinstance(id_, int) and id_ >= 0 else base)


def _properties(found: object) -> tuple[str, ...]:
    """The property names of a vertex, which are the keys of an object, or a list."""
    if isinstance(found, dict):
        return tuple(found)
    if isinstance(found, list):
        return tuple(name for name in found if isinstance(name, str))
    return ()


def _contains(metadata: object) -> bool:
    """The edge is one of containment; an edge that does not say is."""
    if not isinstance(metadata, dict):
        return True
    if "subsystem" in metadata:
        return bool(metadata["subsystem"] == "containment")
    name = metadata.get("name")
    return "containment" in name if isinstance(name, dict) else True


def _other(metadata: Any) -> tuple[str, str]:
    """The subsystem of an edge, and what the edge does."""
    name = metadata.get("name")
    names = name if isinstance(name, dict) else {}
    said = metadata.get("subsystem")
    subsystem = said if isinstance(said, str) and said else next(iter(names), "")
    does = names.get(subsystem) or metadata.get("relationship")
    return subsystem, does if isinstance(does, str) else ""
