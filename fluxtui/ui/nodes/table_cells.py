"""What stands in the rows of the node table, made for the rows in sight alone."""

from collections.abc import Callable, Sequence
from typing import Literal

from rich.cells import cell_len

from fluxtui.answers.listing.rows import Listing
from fluxtui.answers.matching import Matched
from fluxtui.model.constraint.tree import And, Properties
from fluxtui.notation.problem import printable
from fluxtui.notation.sets.bits import has
from fluxtui.ui.kit.wording import property_name
from fluxtui.ui.nodes.table_columns import ONE
from fluxtui.ui.nodes.table_marks import HAS, LACKS
from fluxtui.workbench import Cluster

MARKS = "marks "  # and the number of a lot of properties

# Of a class with more nodes, hosts and ranks are cut after so many ranges.
RANGES = 5
_KEPT = 16  # rows that are made together
_NAMES = 64  # properties whose marks are made together
_LOTS = 2048  # of them, each of one column, are kept


class Cells:
    """The values of the rows of a listing by column.

    They are made some rows at a time, as a mask costs one copy for all of them, and kept until
    something else is listed. What depends on the match is made anew with it.
    """

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.resources = cluster.resources
        self.names = tuple(self.resources.properties)
        self._lots: dict[tuple[str, int], Sequence[str]] = {}
        self._listing: Listing | None = None
        self._counted: Matched | None = None
        self._good = self.resources.everything

    def show(self, listing: Listing) -> None:
        """Be the values of these rows."""
        self._listing = listing
        self._lots.clear()

    def show_match(self, good: int, counted: Matched | None) -> None:
        """Say of these nodes that they match; counted are the parts of the constraint."""
        self._good, self._counted = good, counted
        for kept in [kept for kept in self._lots if kept[0] in ("match", "nodes")]:
            del self._lots[kept]

    def text(self, name: str, row: int) -> str:
        """What stands in a row in a column."""
        number = row // _KEPT
        kept = (name, number)
        if kept not in self._lots:
            if len(self._lots) >= _LOTS:
                self._lots.clear()
            self._lots[kept] = self._make(name, number * _KEPT)
        return self._lots[kept][row - number * _KEPT]

    def needs(self, name: str) -> int:
        """The terminal columns that the first values of a column need, at the most."""
        assert self._listing is not None
        rows = range(min(_KEPT, self._listing.count))
        return max((cell_len(self.text(name, row)) for row in rows), default=0)

    def marks(self, row: int, first: int, last: int) -> str:
        """Which of the properties from first up to last a row has: a 1 or a 0 for each."""
        numbers = range(first // _NAMES, -(-last // _NAMES))
        found = "".join(self.text(f"{MARKS}{number}", row) for number in numbers)
        base = first // _NAMES * _NAMES
        return found[first - base : last - base]

    def _make(self, name: str, start: int) -> Sequence[str]:
        listing = self._listing
        assert listing is not None
        stop = min(start + _KEPT, listing.count)
        indices = listing.indices(start, stop)
        of_node = self._of_nodes(name, indices)
        if not listing.is_folded:
            return of_node
        found = []
        for row, text in zip(range(start, stop), of_node, strict=True):
            head = listing.head(row)
            found.append(text if head is None else self._of_class(name, row, head.size, text))
        return found

    # One node in a row

    def _of_nodes(self, name: str, indices: Sequence[int]) -> list[str]:
        resources = self.resources
        if name.startswith(ONE):
            data = resources.property_bytes.get(name.removeprefix(ONE))
            if data is None:
                return [LACKS] * len(indices)
            return [HAS if data[i >> 3] >> (i & 7) & 1 else LACKS for i in indices]
        if name.startswith(MARKS):
            return self._marks(int(name.removeprefix(MARKS)), indices)
        if name == "match":
            return self._whys(indices)
        if name == "count":
            return [str(len(names)) for names in self._names(indices)]
        if name == "properties":
            return [" ".join(map(property_name, names)) for names in self._names(indices)]
        makers: dict[str, Callable[[int], str]] = {
            "rank": lambda index: str(resources.rank(index)),
            "host": lambda index: printable(resources.host(index)),
            "cores": lambda index: str(resources.cores_at(index)),
            "gpus": lambda index: _number(resources.gpus_at(index)),
            "core-ids": lambda index: self._ids(index, "cores"),
            "gpu-ids": lambda index: self._ids(index, "gpus"),
            "queues": self._queues,
        }
        make = makers.get(name)
        return [make(index) if make is not None else "" for index in indices]

    def _marks(self, lot: int, indices: Sequence[int]) -> list[str]:
        """A 1 or a 0 for each property of a lot."""
        names = self.names[lot * _NAMES : (lot + 1) * _NAMES]
        known = [self.resources.property_bytes[name] for name in names]
        places = [(index >> 3, 1 << (index & 7)) for index in indices]
        return ["".join(["1" if d[byte] & bit else "0" for d in known]) for byte, bit in places]

    def _names(self, indices: Sequence[int]) -> list[list[str]]:
        """The properties of nodes, in document order."""
        found: list[list[str]] = [[] for _ in indices]
        places = [(index >> 3, 1 << (index & 7)) for index in indices]
        for name, data in self.resources.property_bytes.items():
            for names, (byte, bit) in zip(found, places, strict=True):
                if data[byte] & bit:
                    names.append(name)
        return found

    def _ids(self, index: int, what: Literal["cores", "gpus"]) -> str:
        kind = self.resources.kind_at(index)
        return str(kind.cores if what == "cores" else kind.gpus)

    def _queues(self, index: int) -> str:
        names = (name for name, mask in self.cluster.coverage.items() if has(mask, index))
        return printable(" ".join(names))

    def _whys(self, indices: Sequence[int]) -> list[str]:
        """Whether nodes match, and the parts of the constraint that they do not satisfy."""
        from fluxtui.answers.explain.explanation import say

        counted = self._counted
        parts: Sequence[Matched] = ()
        if counted is not None:
            joined = isinstance(counted.constraint, And | Properties) and counted.parts
            parts = counted.parts if joined else (counted,)
        size = self.resources.node_count // 8 + 1
        known = [(part.mask.to_bytes(size, "little"), say(part.constraint)) for part in parts]
        good = self._good.to_bytes(size, "little")
        found = []
        for index in indices:
            byte, bit = index >> 3, 1 << (index & 7)
            if good[byte] & bit:
                found.append("✓")
            else:
                not_met = [said for data, said in known if not data[byte] & bit]
                found.append(printable(" ".join(("✗", *not_met))))
        return found

    # A row for many nodes

    def _of_class(self, name: str, row: int, size: int, of_first: str) -> str:
        resources, listing = self.resources, self._listing
        assert listing is not None
        match name:
            case "nodes" if self._counted is None:
                return f"{size:,}"
            case "nodes":
                fits = (listing.nodes(row, row + 1) & self._good).bit_count()
                return f"{fits:,} of {size:,}"
            case "rank":
                return resources.ranks_text(listing.nodes(row, row + 1), RANGES)
            case "host":
                return printable(resources.hosts_of(listing.nodes(row, row + 1), RANGES))
            case "all-cores" | "all-gpus":
                index = listing.indices(row, row + 1)[0]
                is_cores = name == "all-cores"
                each = resources.cores_at(index) if is_cores else resources.gpus_at(index)
                return _number(each * size)
            case _:
                return of_first


def _number(value: int) -> str:
    """A number; none at all where it is 0."""
    return f"{value:,}" if value else ""
