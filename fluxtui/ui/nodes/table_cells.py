"""What is in the rows of the node table and how they look, made for those in sight alone."""

from collections.abc import Callable, Sequence
from functools import partial

from rich.cells import cell_len

from fluxtui.answers.listing.rows import Listing
from fluxtui.answers.matching import Matched
from fluxtui.model.constraint.tree import And, Properties
from fluxtui.notation.problem import printable
from fluxtui.notation.sets.bits import has
from fluxtui.ui.kit.wording import property_name
from fluxtui.ui.nodes.highlights import DARK, Highlight
from fluxtui.workbench import Cluster

MIXED, MIXED_SELECTED = "◧", "◈"  # a row for many nodes that do not all look the same

RANGES = 5  # of hosts and ranks, after which those of a row for many nodes are cut
_BLOCK = 16  # rows that are made together
_MOST = 2048  # blocks of one column that are kept


class Cells:
    """The values of the rows of a listing by column, and how the rows look.

    They are made some rows at a time, as a mask costs one copy for all of them, and kept until
    something else is listed. What depends on the match is made anew with it.
    """

    def __init__(self, cluster: Cluster, listing: Listing) -> None:
        self._cluster = cluster
        self._resources = cluster.resources
        self._listing = listing
        self._lights: tuple[Highlight, ...] = ()
        self._dark = DARK
        self._looks: dict[int, Highlight] = {}
        self._blocks: dict[tuple[str, int], Sequence[str]] = {}
        self._indices: dict[int, Sequence[int]] = {}
        self._counted: Matched | None = None
        self._good = self._resources.everything

    def show(self, listing: Listing) -> None:
        """Be the values of these rows."""
        self._listing = listing
        self._blocks.clear()
        self._indices.clear()
        self._looks.clear()

    def show_match(self, good: int, counted: Matched | None) -> None:
        """Say of these nodes that they match; counted are the parts of the constraint."""
        self._good, self._counted = good, counted
        for key in [key for key in self._blocks if key[0] in ("match", "nodes")]:
            del self._blocks[key]

    def show_lights(self, lights: tuple[Highlight, ...], dark: Highlight) -> None:
        """Look so: the first light that holds a node counts, dark is how all others look."""
        self._lights, self._dark = lights, dark
        self._looks.clear()

    def index(self, row: int) -> int:
        """The node of a row, of a row for many the first of them."""
        number = row // _BLOCK
        if number not in self._indices:
            self._indices[number] = self._listing.indices(
                number * _BLOCK, min((number + 1) * _BLOCK, self._listing.count)
            )
        return self._indices[number][row % _BLOCK]

    def has(self, name: str, row: int) -> bool:
        """Whether the nodes of a row have a property."""
        index = self.index(row)
        return bool(self._resources.property_bytes[name][index >> 3] >> (index & 7) & 1)

    def text(self, name: str, row: int) -> str:
        """The value of a row in a column."""
        key = (name, row // _BLOCK)
        if key not in self._blocks:
            if len(self._blocks) >= _MOST:
                self._blocks.clear()
            self._blocks[key] = self._make(name, key[1] * _BLOCK)
        return self._blocks[key][row % _BLOCK]

    def needs(self, name: str) -> int:
        """The most terminal columns that the first values of a column need."""
        rows = range(min(_BLOCK, self._listing.count))
        return max((cell_len(self.text(name, row)) for row in rows), default=0)

    def _make(self, name: str, start: int) -> Sequence[str]:
        rows = range(start, min(start + _BLOCK, self._listing.count))
        of_node = self._of_nodes(name, [self.index(row) for row in rows])
        if not self._listing.is_folded:
            return of_node
        found = []
        for row, text in zip(rows, of_node, strict=True):
            head = self._listing.head(row)
            found.append(text if head is None else self._of_many(name, row, head.size, text))
        return found

    # One node in a row

    def _of_nodes(self, name: str, indices: Sequence[int]) -> list[str]:
        resources = self._resources
        if name == "match":
            return self._reasons(indices)
        names = resources.properties_at
        makers: dict[str, Callable[[int], str]] = {
            "rank": lambda index: str(resources.rank(index)),
            "host": lambda index: printable(resources.host(index)),
            "cores": lambda index: str(resources.cores_at(index)),
            "gpus": lambda index: _number(resources.gpus_at(index)),
            "core-ids": lambda index: str(resources.kind_at(index).cores),
            "gpu-ids": lambda index: str(resources.kind_at(index).gpus),
            "count": lambda index: str(len(names(index))),
            "properties": lambda index: " ".join(map(property_name, names(index))),
            "queues": self._queues,
        }
        make = makers.get(name)
        return [make(index) if make is not None else "" for index in indices]

    def _queues(self, index: int) -> str:
        names = (name for name, mask in self._cluster.coverage.items() if has(mask, index))
        return printable(" ".join(names))

    def _reasons(self, indices: Sequence[int]) -> list[str]:
        """Whether nodes match, and the parts of the constraint that they do not satisfy."""
        from fluxtui.answers.explain.explanation import say

        counted = self._counted
        parts: Sequence[Matched] = ()
        if counted is not None:
            joined = isinstance(counted.constraint, And | Properties) and counted.parts
            parts = counted.parts if joined else (counted,)
        size = self._resources.node_count // 8 + 1
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

    # Many nodes in a row

    def _of_many(self, name: str, row: int, size: int, of_first: str) -> str:
        resources = self._resources
        nodes = partial(self._listing.nodes, row, row + 1)
        match name:
            case "nodes" if self._counted is None:
                return f"{size:,}"
            case "nodes":
                return f"{(nodes() & self._good).bit_count():,} of {size:,}"
            case "rank":
                return resources.ranks_text(nodes(), RANGES)
            case "host":
                return printable(resources.hosts_of(nodes(), RANGES))
            case "all-cores":
                return _number(resources.cores_at(self.index(row)) * size)
            case "all-gpus":
                return _number(resources.gpus_at(self.index(row)) * size)
            case _:
                return of_first

    # How a row looks

    def look(self, row: int) -> Highlight:
        """How a row looks; its mask says nothing."""
        if row not in self._looks:
            start = row - row % _BLOCK
            rows = range(start, min(start + _BLOCK, self._listing.count))
            looks = self._looks_of_nodes([self.index(row) for row in rows])
            for each, look in zip(rows, looks, strict=True):
                is_head = self._listing.is_folded and self._listing.head(each) is not None
                self._looks[each] = self._look_of_many(each, look) if is_head else look
        return self._looks[row]

    def _looks_of_nodes(self, indices: Sequence[int]) -> list[Highlight]:
        looks = [self._dark] * len(indices)
        for light in reversed(self._lights):
            look = light._replace(mask=0)
            data = light.mask.to_bytes(light.mask.bit_length() // 8 + 1, "little")
            for at, index in enumerate(indices):
                if index >> 3 < len(data) and data[index >> 3] >> (index & 7) & 1:
                    looks[at] = look
        return looks

    def _look_of_many(self, row: int, of_first: Highlight) -> Highlight:
        """How the nodes of a row look together, when the first of them looks so."""
        rest = self._listing.nodes(row, row + 1)
        lit: list[Highlight] = []
        for light in self._lights:
            if rest & light.mask:
                lit.append(light)
                rest &= ~light.mask
        if not lit or (not rest and len(lit) == 1):
            return of_first
        is_selected = any(light.role == "slot" for light in lit)
        return lit[0]._replace(mask=0, glyph=MIXED_SELECTED if is_selected else MIXED)


def _number(value: int) -> str:
    """A number; nothing at all where it is 0."""
    return f"{value:,}" if value else ""
