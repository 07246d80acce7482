"""The texts of a resource graph, kept small: the ids of its vertices and what is said of each."""

import json
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
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
        """All of them are numbers."""
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
