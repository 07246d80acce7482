"""How the cells of a map look, by the highlights or the values of their nodes, and its bars."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style

from fluxtui.answers.listing.rows import Order
from fluxtui.notation.sets.bits import less
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.text import fitted
from fluxtui.ui.nodes.highlights import FULL, PARTS, Highlight, Highlights, steps
from fluxtui.ui.nodes.map_layout import Grid, tally_words

# Glyphs that are drawn twice in a cell of two columns; of the others, a blank fills it.
_DOUBLED = frozenset(f"■□▣◪▤▇{PARTS}")

# Where a part of a cell ends and the next begins, in hundredths of a part: so that cells of which
# a third, a half and the like are the same do not look now like one part and now like the next.
_OFFSET = 23

_KEPT = 24  # counts of masks

_DIGITS = bytes.maketrans(b"01", b"\x00\x01")


class Look(NamedTuple):
    """What a cell looks like: its glyph, and the role of its colour."""

    glyph: str
    role: str


class Bar(NamedTuple):
    """What a line with a bar shows: looks with their numbers of nodes, and how many match.

    matching is None where nothing is asked.
    """

    parts: tuple[tuple[Look, int], ...]
    size: int
    matching: int | None


def cell_text(glyph: str, columns: int) -> str:
    """A glyph in a cell of one or two columns."""
    return glyph if columns == 1 else glyph * 2 if glyph in _DOUBLED else f"{glyph} "


class Page:
    """The cells of some rows, and how many nodes of a mask each of them holds."""

    def __init__(self, order: Order, grid: Grid, rows: range) -> None:
        self.rows, self.grid, self._order = rows, grid, order
        self._row_cells = [grid.cells_in(row) for row in rows]
        self.cells = range(self._row_cells[0].start, self._row_cells[-1].stop)
        self._cuts = grid.cuts(self.cells)
        self.sizes = [b - a for a, b in pairwise(self._cuts)]
        self.counts = lru_cache(maxsize=_KEPT)(self._count)
        self._most = lru_cache(maxsize=1)(self._find_most)

    def _count(self, mask: int) -> Sequence[int]:
        """How many nodes of a mask each cell holds."""
        start, stop = self._cuts[0], self._cuts[-1]
        if not mask:
            return bytes(len(self.cells))
        if stop - start == len(self.cells):
            return self._order.bits(mask, start, stop).encode().translate(_DIGITS)
        return self._order.counts(mask, self._cuts)

    def by_row(self, found: Highlights, *, as_bars: bool) -> dict[int, Sequence[Look | Bar]]:
        """How the cells of each row look."""
        looks = self.bars(found) if as_bars else self.looks(found)
        base = self.cells.start
        return {
            row: looks[cells.start - base : cells.stop - base]
            for row, cells in zip(self.rows, self._row_cells, strict=True)
        }

    def looks(self, found: Highlights) -> Sequence[Look]:
        """How each cell looks: by the lights over it, else by the value of its nodes, else dark.

        Of the lights with the highest `over` that any of its nodes is in, a cell shows the one that
        most are in. It shows the value that most of its nodes have, where any of them matches.
        """
        dark = Look(found.dark.glyph, found.dark.role)
        cells = [dark] * len(self.cells)
        if found.values:
            bright = self.counts(found.good)
            shown = zip(bright, self._most(found.values), strict=True)
            cells = [value if count else dark for count, value in shown]
        for over in sorted({light.over for light in found.lights}):
            best: Sequence[int] = bytes(len(cells))
            for light in found.lights:
                counts = self.counts(light.mask)
                if light.over != over or not any(counts):
                    continue
                own = [Look(glyph, light.role) for glyph in steps(light.glyph)]
                last = len(own) - 1
                cells = [
                    own[last if c == n else _part(c, n, last)] if c > b else cell
                    for c, n, b, cell in zip(counts, self.sizes, best, cells, strict=True)
                ]
                best = list(map(max, counts, best))
        return cells

    def _find_most(self, values: Sequence[Highlight]) -> list[Look]:
        """The value that most nodes of each cell have, whatever share of it they are."""
        found = [Look(" ", "unlit")] * len(self.cells)
        best: Sequence[int] = bytes(len(found))
        for value in values:
            counts = self.counts(value.mask)
            own = Look(value.glyph, value.role)
            found = [own if c > b else f for c, b, f in zip(counts, best, found, strict=True)]
            best = list(map(max, counts, best))
        return found

    def bars(self, found: Highlights) -> Sequence[Bar]:
        """The lines of the cells: by their lights, or by the values where there are some."""
        seen = 0
        looks: list[Look] = []
        counted: list[Sequence[int]] = []
        for light in found.values or found.lights:
            looks.append(Look(light.glyph, light.role))
            counted.append(self.counts(less(light.mask, seen)))
            seen |= light.mask
        dark = Look(found.dark.glyph, found.dark.role)
        asked = found.dark.glyph not in FULL
        matching = self.counts(found.mask)
        bars = []
        for at, size in enumerate(self.sizes):
            numbers = [counts[at] for counts in counted]
            shown = zip([*looks, dark], [*numbers, size - sum(numbers)], strict=True)
            parts = tuple((own, number) for own, number in shown if number)
            bars.append(Bar(parts, size, matching[at] if asked else None))
        return bars


def _part(count: int, size: int, parts: int) -> int:
    """Which of so many parts of a cell so many nodes are, from 0; fewer than all its nodes."""
    return min((100 * parts * count + _OFFSET * size) // (100 * size), max(parts - 1, 0))


def bar_segments(
    name: str, bar: Bar, widths: tuple[int, int, int], palette: Palette, pointed: Style | None
) -> Iterator[Segment]:
    """One line; pointed is the style of its name where the cursor or the mouse is on it."""
    title, columns, tally = widths
    text = fitted(name, title)
    shown = text.rstrip()
    yield Segment(shown, palette.quiet + pointed if pointed is not None else palette.quiet)
    yield Segment(text[len(shown) :] + " ")
    widths_of_parts = shares([number for _, number in bar.parts], columns)
    for (look, _), share in zip(bar.parts, widths_of_parts, strict=True):
        yield Segment(look.glyph * share, palette.role(look.role))
    count = tally_words(bar.size, bar.matching).rjust(tally)
    yield Segment(f" {count}", palette.faint if bar.matching == 0 else palette.quiet)


def shares(counts: Sequence[int], width: int) -> list[int]:
    """So many columns shared out by some counts, of which none is 0.

    Each gets one at least while there are enough, so that few of many nodes show, and so do few
    that are not among them.
    """
    if len(counts) >= width:
        return [1] * width + [0] * (len(counts) - width)
    whole = sum(counts)
    ends = [round(end * width / whole) for end in accumulate(counts)]
    found = [end - start for start, end in pairwise([0, *ends])]
    while 0 in found:
        found[found.index(0)] = 1
        found[found.index(max(found))] -= 1
    return found
