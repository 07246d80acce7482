"""Whole sections of nodes, or blocks of them, as lines: a name, a bar, and a count."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple, TypeVar

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style

from fluxtui.answers.listing.rows import Order
from fluxtui.notation.sets.bits import less
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.nodes.map_layout import BAR_GAP, BarWidths, Grid, tally_words
from fluxtui.ui.nodes.nodes_view import Highlight

#: The glyphs of nodes that stand for a share of a cell, and what a part of one looks like.
FULL = "■□"
PARTS = "▁▂▃▄▅▆"

# Those of which only some stand for a part.
_SOME = {"◆": "◈◆"}

# Where a part of a cell ends and the next begins, in hundredths of a part: so that a third, a half
# and the like are not beside each other now in one and now in the other.
_OFFSET = 23

T = TypeVar("T")

_KEPT = 24  # counts

_DIGITS = bytes.maketrans(b"01", b"\x00\x01")


@lru_cache(maxsize=1024)
def look(glyph: str, role: str, marked: bool = False) -> Highlight:
    """What a cell looks like; the same object for the same look."""
    return Highlight(0, glyph, role, marked)


class Page:
    """Cells next to each other, and how many nodes of a mask each of them holds."""

    def __init__(self, order: Order, grid: Grid, rows: range) -> None:
        self.rows = rows
        self.grid = grid
        self._order = order
        self.cells = range(grid.cells_in(rows[0]).start, grid.cells_in(rows[-1]).stop)
        self._row_cells = [grid.cells_in(row) for row in rows]
        self._cuts = grid.cuts(self.cells)
        self._single = self._cuts[-1] - self._cuts[0] == len(self.cells)
        self.sizes = [b - a for a, b in zip(self._cuts, self._cuts[1:], strict=False)]
        self._known: list[tuple[int, Sequence[int]]] = []
        self._grounds: tuple[tuple[Highlight, ...], list[Highlight]] | None = None

    def counts(self, mask: int) -> Sequence[int]:
        """How many nodes of a mask each cell holds."""
        for known, counts in self._known:
            if known is mask or known == mask:
                return counts
        counts = self._count(mask)
        self._known = [(mask, counts), *self._known[: _KEPT - 1]]
        return counts

    def _count(self, mask: int) -> Sequence[int]:
        if not mask:
            return bytes(len(self.cells))
        if self._single:
            bits = self._order.bits(mask, self._cuts[0], self._cuts[-1])
            return bits.encode().translate(_DIGITS)
        return self._order.counts(mask, self._cuts)

    def by_row(self, looks: Sequence[T]) -> dict[int, Sequence[T]]:
        """What there is of each row, from what there is of all cells."""
        base = self.cells.start
        return {
            row: looks[cells.start - base : cells.stop - base]
            for row, cells in zip(self.rows, self._row_cells, strict=True)
        }

    # How the cells look

    def looks(
        self,
        lights: Sequence[Highlight],
        dark: Highlight,
        grounds: tuple[Highlight, ...],
        bright: int,
    ) -> list[Highlight]:
        """How each cell looks: by the lights over it, else by its ground, else dark.

        A cell shows a light that stands over the others where any of its nodes is in it, else the
        one that most of its nodes are in. grounds are the values of the nodes, of which it shows
        the one that most of them have, where any of them is in the mask bright; else it is dark.
        """
        found = self._on_ground(grounds, bright, dark) if grounds else self._dark(dark)
        if self._single:
            return self._overlaid(found, lights)
        plain = [light for light in lights if not light.marked]
        for over in sorted({light.over for light in plain}):
            found = self._lit(found, [light for light in plain if light.over == over])
        return found if len(plain) == len(lights) else self._with_marks(found, lights)

    def _dark(self, dark: Highlight) -> list[Highlight]:
        return [look(dark.glyph, dark.role)] * len(self.cells)

    def _overlaid(self, found: list[Highlight], lights: Sequence[Highlight]) -> list[Highlight]:
        """The looks of single nodes: of several lights the first counts."""
        for light in reversed(lights):
            counts = self.counts(light.mask)
            if any(counts):
                own = look(light.glyph, light.role, light.marked)
                found = [own if c else f for c, f in zip(counts, found, strict=True)]
        return found

    def _lit(self, found: list[Highlight], group: Sequence[Highlight]) -> list[Highlight]:
        """The looks with those lights over them, of which the one with the most nodes is shown."""
        best: Sequence[int] = bytes(len(found))
        for light in group:
            counts = self.counts(light.mask)
            if not any(counts):
                continue
            own = [look(glyph, light.role) for glyph in steps(light.glyph)]
            last = len(own) - 1
            found = [
                own[last if c == n else _part(c, n, last)] if c > b else f
                for c, n, b, f in zip(counts, self.sizes, best, found, strict=True)
            ]
            best = list(map(max, counts, best))
        return found

    def _with_marks(self, found: list[Highlight], lights: Sequence[Highlight]) -> list[Highlight]:
        """The looks, those set off in which a node of a light that is set off is."""
        mask = 0
        for light in lights:
            mask |= light.mask if light.marked else 0
        return [
            look(f.glyph, f.role, True) if c else f
            for c, f in zip(self.counts(mask), found, strict=True)
        ]

    def _on_ground(
        self, grounds: tuple[Highlight, ...], bright: int, dark: Highlight
    ) -> list[Highlight]:
        other = look(dark.glyph, dark.role)
        if self._grounds is None or self._grounds[0] is not grounds:
            self._grounds = (grounds, self._most(grounds))
        return [
            f if c else other for c, f in zip(self.counts(bright), self._grounds[1], strict=True)
        ]

    def _most(self, lights: Sequence[Highlight]) -> list[Highlight]:
        """The light that most nodes of each cell are in, whatever share of it they are."""
        found = [look(" ", "faint")] * len(self.cells)
        best: Sequence[int] = bytes(len(found))
        for light in lights:
            counts = self._count(light.mask)
            own = look(light.glyph, light.role)
            found = [own if c > b else f for c, b, f in zip(counts, best, found, strict=True)]
            best = list(map(max, counts, best))
        return found


def steps(glyph: str) -> str:
    """What shares of a cell look like, from a few of its nodes to all."""
    return PARTS + glyph if glyph in FULL else _SOME.get(glyph, glyph)


def _part(count: int, size: int, parts: int) -> int:
    """Which of so many parts of a cell so many nodes are, from 0; fewer than all its nodes."""
    return min((100 * parts * count + _OFFSET * size) // (100 * size), max(parts - 1, 0))


class Bar(NamedTuple):
    """What a bar shows: looks with their numbers of nodes, all of these, and those that match."""

    parts: tuple[tuple[Highlight, int], ...]
    size: int
    matching: int | None


def bars(
    page: Page,
    lights: Sequence[Highlight],
    dark: Highlight,
    grounds: Sequence[Highlight],
    mask: int | None,
) -> list[Bar]:
    """The bars of the cells of a page: by their lights, or by the values where there are some.

    mask has the nodes that match; None where nothing is asked.
    """
    seen = 0
    looks: list[Highlight] = []
    counted: list[Sequence[int]] = []
    for light in grounds or lights:
        new = less(light.mask, seen)
        seen |= light.mask
        if new:
            looks.append(look(light.glyph, light.role, light.marked))
            counted.append(page.counts(new))
    looks.append(look(dark.glyph, dark.role))
    matching = page.counts(mask) if mask is not None else [None] * len(page.cells)
    columns = zip(*counted, strict=True) if counted else iter([()] * len(page.cells))
    found = []
    for size, match, counts in zip(page.sizes, matching, columns, strict=True):
        numbers = [*counts, size - sum(counts)]
        parts = tuple((own, n) for own, n in zip(looks, numbers, strict=True) if n)
        found.append(Bar(parts, size, match))
    return found


def segments(
    name: str, bar: Bar, width: BarWidths, palette: Palette, pointed: Style | None
) -> Iterator[Segment]:
    """One line; pointed is the style of its name where the cursor or the mouse is on it."""
    text = fitted(name, width.name)
    shown = text.rstrip()
    yield Segment(shown, palette.quiet + pointed if pointed is not None else palette.quiet)
    yield Segment(text[len(shown) :] + " ")
    columns = shares([n for _, n in bar.parts], width.bar)
    for (part, _), share in zip(bar.parts, columns, strict=True):
        yield Segment(part.glyph * share, part.style(palette))
    lit = bar.matching is None or bar.matching > 0
    count = tally_words(bar.size, bar.matching).rjust(width.tally)
    yield Segment(f" {count}", palette.quiet if lit else palette.faint)
    yield Segment(" " * BAR_GAP)


def fitted(text: str, width: int) -> str:
    """A text in so many columns; what is too long ends in an ellipsis."""
    if cell_len(text) > width > 0:
        return set_cell_size(text, width - 1) + "…"
    return set_cell_size(text, width)


def shares(counts: Sequence[int], width: int) -> list[int]:
    """So many columns shared out by some counts, of which none is 0.

    Each gets one at least while there are enough, so that few of many nodes show, and so do few
    that are not among them.
    """
    if len(counts) >= width:
        return [1] * width + [0] * (len(counts) - width)
    whole = sum(counts)
    ends = [round(end * width / whole) for end in accumulate(counts)]
    found = [end - start for start, end in zip([0, *ends], ends, strict=False)]
    while 0 in found:
        found[found.index(0)] = 1
        found[found.index(max(found))] -= 1
    return found
