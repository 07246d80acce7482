"""What the map, the table and the graph share: nodes, highlights, one cursor and a selection."""

from collections.abc import Callable, Sequence
from typing import ClassVar, Literal, NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual import events, on
from textual.binding import BindingType
from textual.geometry import Region
from textual.scrollbar import ScrollDown, ScrollTo, ScrollUp
from textual.strip import Strip

from fluxtui.answers.listing.rows import Listing, Order, Section
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.sets.bits import less
from fluxtui.ui.kit.keys import bind
from fluxtui.ui.kit.lines import LineView
from fluxtui.ui.kit.palette import palette_of
from fluxtui.ui.nodes.highlights import NOTHING, Highlights, Lamps
from fluxtui.ui.nodes.map_layout import Grid, Layout, Scale, Zoom
from fluxtui.workbench import Cluster, Source

EMPTY = Cluster(Source(""), Resources())
HOVER = Style(underline=True)
WIDE = 1_000_000  # columns of an item that has a row of its own

# The keys that move the cursor, and what they do: with shift they select what they pass.
_MOVES = (
    ("left", "move", -1),
    ("right", "move", 1),
    ("up", "move_row", -1),
    ("down", "move_row", 1),
    ("pageup", "move_page", -1),
    ("pagedown", "move_page", 1),
    ("home", "move_to_edge", -1),
    ("end", "move_to_edge", 1),
)


class Handlers(NamedTuple):
    """What is called when a person does something in a view of nodes.

    move     the cursor goes to the node of this index
    hover    the mouse is over the node of this index, or over none
    select   these nodes, as a mask, are to be the selected ones
    columns  the table is to have these columns
    """

    move: Callable[[int], None] = lambda index: None
    hover: Callable[[int | None], None] = lambda index: None
    select: Callable[[int], None] = lambda mask: None
    columns: Callable[[tuple[str, ...]], None] = lambda names: None


class SelectableNodes(LineView, can_focus=True):
    """A view of nodes of which some match; a person moves a cursor and selects nodes.

    It shows items: rows of a table or a graph, cells of a map, each of one node or of several. The
    cursor is on an item, and on a node that all views share. Moves and selections go to the
    handlers at once, so that all panes follow in the same frame. A range adds to the selection. As
    it is here, a view has an item in a row for each row of its listing; one without nodes shows the
    notice.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *(bind(f"nodes.{key}", key, f"{move}({by})", "") for key, move, by in _MOVES),
        *(
            bind(f"nodes.extend_{key}", f"shift+{key}", f"extend('{move}', {by})", "")
            for key, move, by in _MOVES
        ),
        bind("nodes.select", "space", "toggle_selected", "Select",
             "Select or deselect the nodes under the cursor; shift+arrows select a range",
             footer=True),
        bind("nodes.select_matching", "a", "select_matching", "Select matches",
             "Select all that match, of a filtered table those that it lists"),
        bind("nodes.name", "x", "app.do('name_selected')", "To constraint",
             "Write a constraint that matches exactly the selected nodes"),
        # What asks comes first, so that keys typed right after go to the question.
        bind("nodes.save", "w", "app.do('save_nodes')", "Save nodes",
             "Save nodes to a file: those selected, those that a filter lists, or all that match",
             first=True),
        bind("nodes.compare", "d", "app.do('compare_documents')", "Compare",
             "Compare with another", first=True),
        bind("nodes.changes", "D", "app.do('changes')", "Changes", "List what differs"),
        bind("nodes.leave", "escape", "app.do('unselect')", "", "Clear the selection, or go back"),
    ]  # fmt: skip

    def __init__(self, handlers: Handlers, *, id: str) -> None:
        super().__init__(id=id)
        self._handlers = handlers
        self._count = 0  # of the nodes, listed or not
        self.listing: Listing = Order(range(0))
        self.lay_out(0)
        self.found, self._lamps = NOTHING, Lamps(NOTHING)
        self.notice: Sequence[str] = ()
        self.cursor: int | None = None  # the index of the node with the cursor
        self._at: int | None = None  # the item with the cursor; None where its node is in none
        self._near = 0  # the item that moving begins at then
        self._hover: int | None = None  # the item under the mouse
        self._top: int | None = None  # the node whose row stays on top, until a person moves
        self._begin, self._before = 0, 0  # where a range begins, and what was selected before
        self._extended: int | None = None  # what is selected with it, while it may go on
        self._pressed = self._dragged = False  # the button of the mouse, on an item

    def begin(self, count: int) -> None:
        """Forget the nodes shown so far: there are so many others."""
        self.end_drag()
        self._count, self.listing = count, Order(range(count))
        self.lay_out(count)
        self.cursor = self._at = self._hover = self._top = None
        self._near = 0
        self.scroll_to(0, 0, animate=False)

    # Items: which there are, their nodes, and where they are

    def lay_out(self, items: int) -> None:
        """Have an item in a row for each row of a listing of so many."""
        self._rows = Grid((Section("", 0, items),) if items else (), 1, 1)

    @property
    def plan(self) -> Layout:
        """The items in their rows, and where these are."""
        return Layout(Zoom("cells"), self._rows, Scale(), WIDE, 0)

    @property
    def header_rows(self) -> int:
        """The rows above the first item."""
        return 0

    @property
    def row_count(self) -> int:
        """How many rows the whole view has."""
        return self.plan.height

    @property
    def at(self) -> int | None:
        """The item with the cursor; None where its node is in none."""
        return self._at

    def item_of(self, index: int | None) -> int | None:
        """The item that shows a node; None for none."""
        row = self.listing.row(index) if index is not None else None
        return self.plan.grid.cell_at(row) if row is not None else None

    def node_of(self, item: int) -> int | None:
        """The node that the cursor is on when it is on an item; None where that has none."""
        first = self.plan.grid.span(item)[0]
        return self.listing.indices(first, first + 1)[0]

    def _nodes_of(self, item: int) -> int:  # that are selected with it, as a mask
        return self._nodes_between(item, item)

    def _nodes_between(self, first: int, last: int) -> int:
        """The nodes of all items from one to another, as a mask."""
        span = self.plan.grid.span
        return self.listing.nodes(span(first)[0], span(last)[1])

    def _items_in(self, row: int) -> range:
        """The items in a row, counted from the top of the whole view."""
        number, between = divmod(row, self.plan.scale.pitch)
        return self.plan.grid.cells_in(number) if not between else range(0)

    def item_at(self, x: int, y: int) -> int | None:
        """The item under a position of the visible content, None where there is none."""
        if y < self.header_rows or x < self.plan.lead:
            return None
        found = self._items_in(y - self.header_rows + self.scroll_offset.y)
        number = (x - self.plan.lead) // self.plan.step
        return found[number] if number < len(found) else None

    def _row_at(self, item: int) -> int:
        return self.plan.grid.row_of(item) * self.plan.scale.pitch

    def row_of(self, index: int | None) -> int | None:
        """The row that shows a node; None for none."""
        item = self.item_of(index)
        return self._row_at(item) if item is not None else None

    def first_of(self, row: int) -> int | None:
        """The first node of a row, None where there is no such row."""
        found = self._items_in(row)
        return self.node_of(found[0]) if found else None

    @property
    def listed(self) -> int | None:
        """The nodes that are listed, as a mask; None where all are."""
        if self.listing.node_count == self._count:
            return None
        return self.listing.nodes(0, self.listing.count)

    # Display

    def show_lights(self, found: Highlights) -> None:
        """Highlight nodes."""
        self.found, self._lamps = found, Lamps(found)
        self.refresh()

    def show_cursor(self, index: int | None) -> None:
        """Mark the item of the node with the cursor of all views, and bring it into view."""
        if index != self.cursor or (index is not None and self.at is None):
            self._put(self.item_of(index), index)

    def _put(self, item: int | None, index: int | None) -> None:
        before = self.at
        if item is None and before is not None:
            self._near = before
        self.cursor, self._at, self._top, self._extended = index, item, None, None
        self._refresh_items(before, item)
        self.scroll_to_cursor()

    def _refresh_items(self, *items: int | None) -> None:
        rows = (self._row_at(item) + self.header_rows for item in items if item is not None)
        self.refresh_rows(rows)

    def _notice_line(self, y: int) -> Strip:
        text = self.notice[y - 1] if not self._count and 1 <= y <= len(self.notice) else ""
        line = Strip([Segment(text, palette_of(self).quiet)])
        return line.crop_extend(0, self.size.width, None).apply_style(self.base)

    # What is in view

    def on_resize(self) -> None:
        """Keep what is looked at in view."""
        self.call_after_refresh(self.keep_in_view)

    def keep_on_top(self, index: int | None) -> None:
        """Show the row of a node on top, until the cursor goes on or a person scrolls.

        It stays there when the view gets another size or other rows, which may come frames later.
        With None those bring the cursor into view again.
        """
        self._top = index
        if index is not None:
            self.call_after_refresh(self.keep_in_view)

    def keep_in_view(self) -> None:
        """Bring what is looked at back into view: what is to be on top, else the cursor."""
        row = self.row_of(self._top)
        if row is None:
            self.scroll_to_cursor()
        else:
            self.scroll_to(y=row, animate=False)

    def scroll_to_cursor(self) -> None:
        """Bring the item with the cursor, or the nearest, into view; sideways everything stays."""
        item = self._near if self.at is None and self.cursor is not None else self.at
        if item is not None and self.plan.grid.cells and self.size.height:
            place = self.scroll_offset.x, self._row_at(item)
            region = Region(*place, 1, 1 + self.header_rows)
            self.scroll_to_region(region, animate=False, force=True)

    # Not where the place changes: it does so too where there are fewer rows for a while.
    @on(events.MouseScrollUp)
    @on(events.MouseScrollDown)
    @on(ScrollTo)
    @on(ScrollUp)
    @on(ScrollDown)
    def _let_go_of_top(self) -> None:
        """Where a person scrolls, no node is kept on top."""
        self._top = None

    # The cursor

    def go_to(self, item: int) -> None:
        """Go to an item, as far as there are so many; all views go to its node."""
        if self.plan.grid.cells:
            item = min(max(item, 0), self.plan.grid.cells - 1)
            before, index = self.cursor, self.node_of(item)
            self._put(item, before if index is None else index)
            if index is not None and index != before:
                self._handlers.move(index)

    def action_move(self, by: int) -> None:
        """Move by items; from a node that is in none, to the nearest one."""
        self.go_to(self._near if self.at is None else self.at + by)

    def action_move_row(self, by: int) -> None:
        """Go so many rows on, keeping the place in the row where the row is long enough."""
        if self.at is None:
            self.go_to(self._near)
            return
        grid = self.plan.grid
        row = grid.row_of(self.at)
        here, there = grid.cells_in(row), grid.cells_in(row + by)
        if there:
            self.go_to(there[min(self.at - here.start, len(there) - 1)])

    def action_move_page(self, by: int) -> None:
        """Move by a page."""
        row = self._row_at(self._near if self.at is None else self.at)
        row += by * max(1, self.size.height - 1 - self.header_rows)
        found = self._items_in(row) if 0 < row < self.row_count - 1 else range(0)
        if found:
            self.go_to(found[0])
        else:
            self.action_move_to_edge(by)

    def action_move_to_edge(self, by: int) -> None:
        """Go to the first or the last item."""
        self.go_to(0 if by < 0 else self.plan.grid.cells - 1)

    def action_next_match(self, by: Literal[-1, 1]) -> None:
        """Go to the next node that matches, or the one before; it goes round at the ends."""
        row = self.following(self.found.through, *self._places(), by)
        if row is not None:
            self._go_to_place(row)

    def following(self, mask: int, start: int, stop: int, by: Literal[-1, 1]) -> int | None:
        """The next row of the listing with a node of a mask: from stop on, or back from start.

        It goes round at the ends; None where no row has one.
        """
        here, edge = (stop - 1, -1) if by > 0 else (start, self.listing.count)
        row = self.listing.following(mask, here, by) if mask else None
        return self.listing.following(mask, edge, by) if row is None and mask else row

    def _places(self) -> tuple[int, int]:
        """The rows of the listing that the next match is looked for from."""
        if self.at is None:
            return self._near + 1, self._near
        return self.plan.grid.span(self.at)

    def _go_to_place(self, row: int) -> None:
        """Go to a row of the listing."""
        self.go_to(row)

    def action_enter(self) -> None:
        """Look into the item with the cursor."""

    # Selecting

    def action_toggle_selected(self) -> None:
        """Select the nodes under the cursor, or deselect them if all of them are selected."""
        nodes = self._nodes_of(self.at) if self.at is not None else 0
        if nodes:
            selected = self.found.selected
            is_new = less(nodes, selected)
            self._handlers.select(selected | nodes if is_new else less(selected, nodes))

    def action_select_matching(self) -> None:
        """Select all nodes that are asked for and are listed."""
        listed, found = self.listed, self.found.mask
        self._handlers.select(self.found.selected | (found if listed is None else found & listed))

    def action_extend(self, move: str, by: int) -> None:
        """Move, and select all nodes from where that began."""
        if self.at is None:
            return
        begin, before = self._begin, self._before
        if self._extended != self.found.selected:
            begin, before = self.at, self.found.selected
        getattr(self, f"action_{move}")(by)
        self._extend(begin, before)

    def _extend(self, begin: int, before: int) -> None:
        """Select the range that began at an item, beside what was selected before."""
        self._begin, self._before = begin, before
        first, last = sorted((begin, begin if self.at is None else self.at))
        self._extended = before | self._nodes_between(first, last)
        self._handlers.select(self._extended)

    # The mouse

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Prepare to select a range from the item under the mouse."""
        item = self._under(event)
        self._dragged = False
        if event.button == 1 and item is not None:
            self._pressed = True
            self._begin, self._before = item, self.found.selected
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Tell which node the mouse is over, and select the range while its button is down."""
        self._hover_over(self._under(event))
        if not self._pressed:
            return
        if event.button != 1:  # it was released outside the terminal
            self.end_drag()
            return
        item = self._nearest(*event.get_content_offset_capture(self))
        if item is not None and (self._dragged or item != self._begin):
            self._dragged = True
            self.go_to(item)
            self._extend(self._begin, self._before)

    def on_mouse_up(self) -> None:
        """End the range."""
        self.end_drag()

    def on_blur(self) -> None:
        """End the range when the focus leaves."""
        self.end_drag()

    def end_drag(self) -> None:
        """End the range, by keys or by mouse."""
        self._extended = None
        if self._pressed:
            self._pressed = False
            self.release_mouse()

    def on_click(self, event: events.Click) -> None:
        """Go to the item under the mouse; with ctrl or alt select it too, or no longer.

        A second click looks into it, and so does one on its sign.
        """
        item, offset = self._under(event), event.get_content_offset(self)
        if item is None or offset is None or self._dragged:
            return
        self.go_to(item)
        if event.ctrl or event.meta:
            self.action_toggle_selected()
        elif self._is_sign(item, offset.x) or event.chain == 2:
            self.action_enter()

    def _is_sign(self, item: int, x: int) -> bool:
        """Whether a column is that of the sign that opens and closes an item."""
        return False

    def on_leave(self) -> None:
        """Forget the item under the mouse."""
        self._hover_over(None)

    def _under(self, event: events.MouseEvent) -> int | None:
        offset = event.get_content_offset(self)
        return self.item_at(*offset) if offset is not None else None

    def _nearest(self, x: int, y: int) -> int | None:
        """The item under a position, or the one nearest to it; beyond an edge the next row."""
        y = min(max(y, self.header_rows - 1), self.size.height)
        item = self.item_at(x, y) if self.header_rows <= y < self.size.height else None
        if item is not None:
            return item
        row = min(max(self.scroll_offset.y + y - self.header_rows, 0), self.row_count - 1)
        found = self._items_in(row)
        return (found[0] if x < self.plan.lead else found[-1]) if found else None

    def _hover_over(self, item: int | None) -> None:
        if item != self._hover:
            self._refresh_items(self._hover, item)
            self._hover = item
            self._handlers.hover(self.node_of(item) if item is not None else None)
