"""How the cells of a map look, by the highlights or the values of their nodes, and its bars."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import NamedTuple, TypeVar

from rich.segment import Segment
from rich.style import Style

from fluxtui.answers.listing.rows import Order
from fluxtui.notation.sets.bits import less
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.wording import fitted
from fluxtui.ui.nodes.highlights import PARTS, Highlight, steps
from fluxtui.ui.nodes.map_layout import BAR_GAP, BarWidths, Grid, tally_words

# Glyphs that are drawn twice in a cell of two columns; of the others, a blank fills it.
_DOUBLED = frozenset(f"■□▣◪▇{PARTS}")

# Where a part of a cell ends and the next begins, in hundredths of a part: so that cells of which
# a third, a half and the like are the same do not look now like one part and now like the next.
_OFFSET = 23

_KEPT = 24  # counts of masks

_DIGITS = bytes.maketrans(b"01", b"\x00\x01")

T = TypeVar("T")


@lru_cache(maxsize=1024)
def look(glyph: str, role: str, marked: bool = False) -> Highlight:
    """What a cell looks like; the same object for the same look."""
    return Highlight(0, glyph, role, marked)


def cell_text(glyph: str, columns: int) -> str:
    """A glyph in a cell of one or two columns."""
    return glyph if columns == 1 else glyph * 2 if glyph in _DOUBLED else f"{glyph} "


class Page:
    """The cells of some rows, and how many nodes of a mask each of them holds."""

    def __init__(self, order: Order, grid: Grid, rows: range) -> None:
        self.rows = rows
        self.grid = grid
        self._order = order
        self._row_cells = [grid.cells_in(row) for row in rows]
        self.cells = range(self._row_cells[0].start, self._row_cells[-1].stop)
        self._cuts = grid.cuts(self.cells)
        self._single = self._cuts[-1] - self._cuts[0] == len(self.cells)
        self.sizes = [b - a for a, b in pairwise(self._cuts)]
        self._counts: dict[int, Sequence[int]] = {}
        self._grounds: tuple[tuple[Highlight, ...], list[Highlight]] | None = None

    def counts(self, mask: int) -> Sequence[int]:
        """How many nodes of a mask each cell holds."""
        counts = self._counts.get(mask)
        if counts is None:
            if len(self._counts) == _KEPT:
                self._counts.clear()
            counts = self._counts[mask] = self._count(mask)
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

    def looks(
        self,
        lights: Sequence[Highlight],
        dark: Highlight,
        grounds: tuple[Highlight, ...],
        bright: int,
    ) -> list[Highlight]:
        """How each cell looks: by the lights over it, else by its ground, else dark.

        Of the lights with the highest `over` that any of its nodes is in, a cell shows the one that
        most are in. grounds are the values of the nodes, of which it shows the one that most of
        them have, where any of them is in the mask bright; else it is dark.
        """
        other = look(dark.glyph, dark.role)
        found = [other] * len(self.cells)
        if grounds:
            if self._grounds is None or self._grounds[0] is not grounds:
                self._grounds = (grounds, self._most(grounds))
            shown = zip(self.counts(bright), self._grounds[1], strict=True)
            found = [ground if count else other for count, ground in shown]
        if self._single:
            for light in reversed(lights):  # the first that holds a node counts
                if any(counts := self.counts(light.mask)):
                    own = look(light.glyph, light.role, light.marked)
                    found = [own if c else f for c, f in zip(counts, found, strict=True)]
            return found
        for over in sorted({light.over for light in lights}):
            group = (light for light in lights if light.over == over and not light.marked)
            found = self._put_over(found, group)
        marked = 0
        for light in lights:
            marked |= light.mask if light.marked else 0
        if marked:
            shown = zip(self.counts(marked), found, strict=True)
            found = [look(f.glyph, f.role, True) if c else f for c, f in shown]
        return found

    def _put_over(self, found: list[Highlight], group: Iterator[Highlight]) -> list[Highlight]:
        """The looks with some lights over them: of each cell the light with the most nodes."""
        best: Sequence[int] = bytes(len(found))
        for light in group:
            counts = self.counts(light.mask)
            own = [look(glyph, light.role) for glyph in steps(light.glyph)]
            last = len(own) - 1
            found = [
                own[last if c == n else _part(c, n, last)] if c > b else f
                for c, n, b, f in zip(counts, self.sizes, best, found, strict=True)
            ]
            best = list(map(max, counts, best))
        return found

    def _most(self, values: Sequence[Highlight]) -> list[Highlight]:
        """The value that most nodes of each cell have, whatever share of it they are."""
        found = [look(" ", "unlit")] * len(self.cells)
        best: Sequence[int] = bytes(len(found))
        for value in values:
            counts = self._count(value.mask)
            own = look(value.glyph, value.role)
            found = [own if c > b else f for c, b, f in zip(counts, best, found, strict=True)]
            best = list(map(max, counts, best))
        return found


def _part(count: int, size: int, parts: int) -> int:
    """Which of so many parts of a cell so many nodes are, from 0; fewer than all its nodes."""
    return min((100 * parts * count + _OFFSET * size) // (100 * size), max(parts - 1, 0))


# Whole sections of nodes, or blocks of them, as lines: a name, a bar, and a count


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


def bar_segments(
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
    matches = bar.matching is None or bar.matching > 0
    count = tally_words(bar.size, bar.matching).rjust(width.tally)
    yield Segment(f" {count}", palette.quiet if matches else palette.faint)
    yield Segment(" " * BAR_GAP)


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
