"""The node map: cells of one node or of many, by the line API, so a million cost what ten do."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from rich.cells import set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from fluxtui.answers.listing.rows import Order
from fluxtui.ui.kit.palette import palette_of
from fluxtui.ui.nodes import map_bars
from fluxtui.ui.nodes.cell_looks import FULL, Page
from fluxtui.ui.nodes.cells_view import CellsView, Names
from fluxtui.ui.nodes.map_layout import GUTTER, NAME_GAP, STEP, Layout
from fluxtui.ui.nodes.nodes_view import HOVER, Handlers, Highlight


class NodeMap(CellsView):
    """Draws which nodes match. Names are asked for only where they are drawn."""

    def __init__(
        self,
        handlers: Handlers,
        on_zoom: Callable[[], object] = lambda: None,
        *,
        id: str,
    ) -> None:
        super().__init__(handlers, on_zoom, id=id)
        self._page: Page | None = None  # the rows in sight
        self._drawn: dict[int, Sequence[Highlight] | Sequence[map_bars.Bar]] = {}
        self._grounds: tuple[Highlight, ...] = ()
        self._bright = 0

    def show_nodes(self, count: int, order: Order, names: Names) -> None:
        """Show another cluster: how many nodes, their order, and what they are called."""
        self._grounds = ()
        super().show_nodes(count, order, names)

    def _set_height(self) -> None:
        self._page = None
        super()._set_height()

    def put_grounds(self, grounds: tuple[Highlight, ...], bright: int) -> None:
        """From the next lights on, show a value of the nodes where no light is over them.

        grounds are disjoint, none show the lights alone; bright are the nodes that stand out.
        """
        self._grounds, self._bright = grounds, bright

    def show_lights(
        self, lights: tuple[Highlight, ...], dark: Highlight, mask: int, selected: int
    ) -> None:
        """Highlight nodes, and paint the rows that look different for it."""
        self._mask, self._selected = mask, selected
        self._lights, self._dark = lights, dark
        self._look_again()

    # Drawing

    def _look_again(self) -> None:
        """Paint the rows that look different by now."""
        before, page = self._drawn, self._page
        if page is None or page.grid is not self.grid or not self.is_on_screen:
            self._drawn = {}
            self.refresh()
            return
        self._drawn = self._find_looks(page)
        self.refresh_rows(row for row, looks in self._drawn.items() if before.get(row) != looks)

    def _find_looks(self, page: Page) -> dict[int, Sequence[Highlight] | Sequence[map_bars.Bar]]:
        if self._layout.bars is None:
            looks = page.looks(self._lights, self._dark, self._grounds, self._bright)
            return dict(page.by_row(looks))
        everything = self._dark.glyph in FULL
        mask = None if everything else self._bright if self._grounds else self._mask
        bars = map_bars.bars(page, self._lights, self._dark, self._grounds, mask)
        return dict(page.by_row(bars))

    def _looks_of(self, row: int) -> Sequence[Highlight] | Sequence[map_bars.Bar]:
        """How the cells of a row look; found for all rows in sight together."""
        if self._page is None or self._page.grid is not self.grid or row not in self._page.rows:
            top = min(self.scroll_offset.y, row)
            end = min(max(top + self.size.height, row + 1), self.row_count)
            self._page, self._drawn = Page(self._order, self.grid, range(top, end)), {}
        if row not in self._drawn:
            self._drawn = self._find_looks(self._page)
        return self._drawn[row]

    def render_line(self, y: int) -> Strip:
        """One row: its label and its cells, or the lines with bars that stand beside each other."""
        width = self.size.width
        layout = self._layout
        row = y + self.scroll_offset.y
        cells = layout.grid.cells_in(row)
        if not cells:
            return self._notice_line(y)
        line = Strip(list(self._segments(layout, cells, self._looks_of(row))))
        return line.extend_cell_length(width).crop(0, width).apply_style(self.base)

    def _segments(
        self, layout: Layout, cells: range, looks: Sequence[Highlight] | Sequence[map_bars.Bar]
    ) -> Iterator[Segment]:
        palette = palette_of(self)
        pointed = self._pointed()
        if layout.bars is not None:
            for cell, bar in zip(cells, looks, strict=True):
                assert isinstance(bar, map_bars.Bar)
                name = self._names.block(*layout.grid.span(cell))
                yield from map_bars.segments(name, bar, layout.bars, palette, pointed.get(cell))
            return
        label, is_section = self._names.row(layout.grid.span(cells[0])[0])
        style = palette.plain if is_section else palette.quiet
        yield Segment(map_bars.fitted(label, layout.lead - GUTTER) + " " * GUTTER, style)
        seen = [light for light in looks if isinstance(light, Highlight)]
        if layout.zoom.kind == "names":
            yield from self._named(layout, cells, seen, pointed)
        else:
            yield from self._cells(cells, seen, pointed)

    def _cells(
        self, cells: range, looks: Sequence[Highlight], pointed: dict[int, Style]
    ) -> Iterator[Segment]:
        """Runs of equal cells as one segment; a cell that is pointed at is one of its own."""
        palette = palette_of(self)
        runs = groupby(
            zip(cells, looks, strict=True), lambda pair: (id(pair[1]), pointed.get(pair[0]))
        )
        for (_, beside), run in runs:
            found = [light for _, light in run]
            style = found[0].style(palette)
            if beside is None:
                yield Segment(" ".join(found[0].glyph * len(found)), style)
                yield Segment(" ")
            else:
                yield Segment(found[0].glyph, style + beside)
                yield Segment(" ")

    def _named(
        self, layout: Layout, cells: range, looks: Sequence[Highlight], pointed: dict[int, Style]
    ) -> Iterator[Segment]:
        """Each cell with the name of its node beside it."""
        palette = palette_of(self)
        width = layout.step - STEP - NAME_GAP
        for cell, light in zip(cells, looks, strict=True):
            name = set_cell_size(self._names.number(self.first_in(cell)), width)
            style = palette.faint if light.role == "faint" else palette.quiet
            beside = pointed.get(cell)
            yield Segment(light.glyph, light.style(palette))
            yield Segment(" ")
            yield Segment(name, style if beside is None else palette.plain + beside)
            yield Segment(" " * NAME_GAP)

    def _pointed(self) -> dict[int, Style]:
        """The cells with the cursor and under the mouse, and what their look gets beside."""
        found: dict[int, Style] = {}
        for index, style in ((self._hover, HOVER), (self._cursor, palette_of(self).cursor)):
            cell = self.cell_of(index) if index is not None else None
            if cell is not None:
                found[cell] = style
        return found
