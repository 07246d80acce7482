"""Where the columns of the node table stand at a width, and how a line is put together."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from fluxtui.answers.listing.lister import Key
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.nodes.table_cells import Cells
from fluxtui.ui.nodes.table_columns import (
    GAP,
    ONE,
    Column,
    Placed,
    ordered,
    placed,
    sorted_by,
)
from fluxtui.ui.nodes.table_marks import HAS, LACKS, MISSING, UNWANTED, Marks, Piece

if TYPE_CHECKING:
    from fluxtui.answers.explain.properties import Standing

UP, DOWN = "▴", "▾"
GLYPHS = frozenset((HAS, LACKS, MISSING, UNWANTED, " "))
SIDE = 8  # columns that one key scrolls sideways

# What stands in a column, from its own edge on; and of marks, in those that are in sight.
Pieces: TypeAlias = Callable[[Placed, range], Iterator[Piece]]

NOTHING: Mapping[str, int] = {}


class Layout:
    """The columns at a width: the first ones stay where the others scroll sideways."""

    def __init__(
        self,
        columns: Sequence[Column],
        names: Sequence[str],
        lead: int,
        room: int,
        rows: tuple[int, int],
        needs: Mapping[str, int] = NOTHING,
    ) -> None:
        """Place columns behind a lead, in so much room; names are the properties with marks.

        rows are those that upright titles may take, and the most where that makes more of them
        whole; needs the widths of the values in columns that grow.
        """
        self._room = room
        columns = ordered(columns, lead, room)
        fixed = sum(column.width or len(column.title) for column in columns if not column.is_marks)
        left = room - lead - fixed - GAP * max(len(columns) - 1, 0)
        has_marks = any(column.is_marks for column in columns)
        self.marks = Marks(names if has_marks else (), left, *rows)
        self.placed, stay = placed(columns, lead, room, self.marks.width, needs)
        self.height = self.marks.height if has_marks else 1
        self.width = self.placed[-1].end if self.placed else lead
        if self.width <= room:
            stay = len(columns)
        self.staying, self.moving = self.placed[:stay], self.placed[stay:]
        self.edge = self.moving[0].start if self.moving else room

    def at(self, x: int, scrolled: int) -> Key | None:
        """What a click at a terminal column of the titles sorts by; None for nothing."""
        if x >= self.edge:
            x += scrolled
        for column, start, width in self.placed:
            if start <= x < start + width + GAP - 1:
                if not column.is_marks:
                    return column.key
                name = self.marks.at(x - start)
                return None if name is None else Key.of("property", name)
        return None

    def titles(
        self, y: int, scrolled: int, key: Key, standings: "Mapping[str, Standing]", style: Palette
    ) -> list[Segment]:
        """Row y of the titles; key is what the rows are sorted by."""
        sign = DOWN if key.down else UP
        marked = sorted_by([place.column for place in self.placed], key)
        arrow = (key.name, sign) if key.by == "property" and marked is None else None

        def pieces(place: Placed, shown: range) -> Iterator[Piece]:
            column, _, width = place
            if column.is_marks:
                yield from self.marks.titles(y, shown, standings, style, arrow)
            elif y == self.height - 1:
                is_sorted = column is marked
                look = style.strong if is_sorted else style.quiet
                text = column.fit(column.title, width)
                yield Piece(0, text, look)
                if is_sorted:
                    at = width if column.align == "right" else min(cell_len(column.title), width)
                    yield Piece(at, sign, style.strong)

        return self._line(pieces, scrolled)

    def row(
        self,
        cells: Cells,
        row: int,
        scrolled: int,
        standings: "Mapping[str, Standing]",
        plain: Style,
        style: Palette,
    ) -> list[Segment]:
        """What stands in the columns of a row."""

        def pieces(place: Placed, shown: range) -> Iterator[Piece]:
            column, _, width = place
            if column.is_marks:
                if shown:
                    bits = cells.marks(row, shown.start, shown.stop)
                    yield from self.marks.marks(bits, shown, standings, plain, style)
                return
            text, look = cells.text(column.name, row), plain
            if column.name.startswith(ONE):
                name = column.name.removeprefix(ONE)
                if name in standings:
                    bits = "1" if text == "●" else "0"
                    one = Marks((name,), width, 1).marks(bits, range(1), standings, plain, style)
                    text, look = next((p.text, p.style) for p in one)
            yield Piece(0, column.fit(text, width), look)

        return self._line(pieces, scrolled)

    def _line(self, pieces: Pieces, scrolled: int) -> list[Segment]:
        """A line of the columns that stay, and of those that scroll what is in sight."""
        lead = self.placed[0].start if self.placed else 0
        edge = min(self.edge, self._room)
        staying = _strip(self._found(self.staying, pieces, 0, edge), lead, edge)
        left, right = edge + scrolled, self._room + scrolled
        if not self.moving or left >= right:
            return staying
        return staying + _strip(self._found(self.moving, pieces, left, right), left, right)

    def _found(
        self, columns: Sequence[Placed], pieces: Pieces, left: int, right: int
    ) -> Iterator[Piece]:
        for place in columns:
            if place.start < right and place.end + 1 > left:
                shown = range(0)
                if place.column.is_marks:
                    shown = self.marks.between(left - place.start, right - place.start)
                for piece in pieces(place, shown):
                    moved = piece._replace(start=piece.start + place.start)
                    yield _in_sight(moved, place, left, right)


def _in_sight(piece: Piece, place: Placed, left: int, right: int) -> Piece:
    """A piece of a column that is not whole between two terminal columns: words say that.

    Of a number nothing is shown, as a part of it is another one; a mark is never cut.
    """
    text = piece.text.strip()
    start = piece.start + cell_len(piece.text) - cell_len(piece.text.lstrip())
    end = start + cell_len(text)
    if place.column.is_number and (place.start < left or place.end > right):
        return piece._replace(text=" " * cell_len(piece.text))
    if (start >= left and end <= right) or end <= left or start >= right:
        return piece
    if place.column.is_marks and not set(text) - GLYPHS:
        return piece
    if end > right:
        text = place.column.fit(text, right - start)
    if start < left:
        text, start = _tail(text, cell_len(text) - (left - start)), left
    return piece._replace(start=start, text=text)


def _tail(text: str, width: int) -> str:
    """The end of a text in so many terminal columns, behind a sign that there is more of it."""
    while text and cell_len(text) >= width:
        text = text[1:]
    return ("…" + text).rjust(width)


def _strip(pieces: Iterable[Piece], left: int, right: int) -> list[Segment]:
    """The part of a line from one terminal column up to another; later pieces come after."""
    segments: list[Segment] = []
    begin = at = left
    for start, text, style in sorted(pieces, key=lambda piece: piece.start):
        if not segments:
            begin = at = min(start, left)
        if start > at:
            segments.append(Segment(" " * (start - at)))
            at = start
        if start < at and segments:  # a sign of the order takes the place of what is there
            segments = list(Strip(segments).crop(0, start - begin))
            at = start
        segments.append(Segment(text, style))
        at += cell_len(text)
    return list(Strip(segments).crop_extend(left - begin, right - begin, None))
