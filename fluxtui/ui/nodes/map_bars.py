"""Whole sections of nodes, or blocks of them, as lines: a name, a bar, and a count."""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style

from fluxtui.notation.sets.bits import less
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.nodes.cell_looks import Page, look
from fluxtui.ui.nodes.nodes_view import Highlight

GAP = 3  # columns between two bars beside each other
LEAST, MOST = 8, 40  # columns of a bar


class Bar(NamedTuple):
    """What a bar shows: looks with their numbers of nodes, all of these, and those that match."""

    parts: tuple[tuple[Highlight, int], ...]
    size: int
    matching: int | None


class Widths(NamedTuple):
    """The columns that the parts of a line take, and how many lines stand beside each other."""

    name: int
    bar: int
    tally: int
    beside: int

    @property
    def step(self) -> int:
        """The columns from the beginning of a line to that of the one beside it."""
        return self.name + self.bar + self.tally + 2 + GAP


def widths(name: int, largest: int, cells: int, width: int, height: int) -> Widths:
    """How lines of some names and numbers of nodes stand in a view of a width and a height."""
    count = max(len(_count(largest, largest)), len(_count(largest, None)))
    taken = name + count + 2 + GAP
    beside = min(-(-cells // max(height, 1)), (width + GAP) // (taken + LEAST))
    beside = max(beside, 1)
    bar = (width + GAP) // beside - taken
    return Widths(name, min(max(bar, 1), MOST), count, beside)


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
    name: str, bar: Bar, width: Widths, palette: Palette, pointed: Style | None
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
    count = _count(bar.size, bar.matching).rjust(width.tally)
    yield Segment(f" {count}", palette.quiet if lit else palette.faint)
    yield Segment(" " * GAP)


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


def _count(size: int, matching: int | None) -> str:
    """``12 of 36``; the number alone where nothing is asked."""
    return f"{size:,}" if matching is None else f"{matching:,} of {size:,}"
