"""The entries of an ``R_lite`` of a million of them (RFC 20): as columns, one row for each."""

from array import array
from collections.abc import Iterator
from typing import Any


class Entries:
    """The entries of an R_lite that is read piece by piece: no object is kept for most of them.

    Goes through them as a list of the entries does.
    """

    def __init__(self) -> None:
        self._ranks: list[Any] = []
        self._kinds = array("L")
        self._children: list[Any] = []
        self._known: dict[tuple[str, str | None], int] = {}
        self._others: dict[int, Any] = {}  # entries that say more, or something else

    def take(self, elements: list[Any], text: bytes | None = None) -> None:
        """Take the next entries."""
        for entry in elements:
            kind = self._kind(entry)
            if kind is None:
                self._others[len(self._ranks)] = entry
            self._ranks.append(entry["rank"] if kind is not None else None)
            self._kinds.append(kind or 0)

    def _kind(self, entry: Any) -> int | None:
        """The number of the children of an entry with a rank, plain children and nothing else."""
        if type(entry) is not dict or len(entry) != 2 or "rank" not in entry:
            return None
        children = entry.get("children")
        if type(children) is not dict or type(children.get("core")) is not str:
            return None
        gpu = children.get("gpu")
        if len(children) != 1 and (len(children) != 2 or type(gpu) is not str):
            return None
        found = self._known.setdefault((children["core"], gpu), len(self._children))
        if found == len(self._children):
            self._children.append(children)
        return found

    def __len__(self) -> int:
        return len(self._ranks)

    def __iter__(self) -> Iterator[Any]:
        others, children = self._others, self._children
        for number, (rank, kind) in enumerate(zip(self._ranks, self._kinds, strict=True)):
            if number in others:
                yield others[number]
            else:
                yield {"rank": rank, "children": children[kind]}
