"""The base of the map, the table and the graph: highlighted nodes, a cursor and a selection."""

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

# The keys that move the cursor, and what they do; with shift they select the range they pass.
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
    """Callbacks for what the user does in a view of nodes.

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
    """A view of nodes with highlights, a cursor and a selection.

    It shows items: rows of a table or a graph, cells of a map, each for one node or several. The
    cursor is on an item, and on a node that all views share. Moves and selections are passed to
    the handlers at once, so that all panes follow in the same frame. A range adds to the
    selection. Unless a subclass says otherwise, each row of the listing is an item in a row of its
    own. A view without nodes shows the notice.
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
             "Select all nodes that match; in a filtered table, only those it lists"),
        bind("nodes.name", "x", "app.do('name_selected')", "To constraint",
             "Write a constraint that matches exactly the selected nodes"),
        # Keys that open a dialog come first, so that what is typed right after goes to it.
        bind("nodes.save", "w", "app.do('save_nodes')", "Save nodes",
             "Save nodes to a file: the selected ones, those a filter lists, or all that match",
             first=True),
        bind("nodes.compare", "d", "app.do('compare_documents')", "Compare",
             "Compare with another document", first=True),
        bind("nodes.changes", "D", "app.do('changes')", "Changes", "List what differs"),
        bind("nodes.leave", "escape", "app.do('unselect')", "", "Clear the selection, or go back"),
    ]  # fmt: skip

    def __init__(self, handlers: Handlers, *, id: str) -> None:
        super().__init__(id=id)
        self._handlers = handlers
        self._count = 0  # how many nodes there are, listed or not
        self.listing: Listing = Order(range(0))
        self.lay_out(0)
        self.highlights, self._lamps = NOTHING, Lamps(NOTHING)
        self.notice: Sequence[str] = ()
        self.cursor: int | None = None  # the index of the node with the cursor
        self._at: int | None = None  # the item with the cursor; None if no item shows its node
        self._near = 0  # the item that moves start from then
        self._hover: int | None = None  # the item under the mouse
        self._top: int | None = None  # the node whose row stays on top until the user moves
        self._begin, self._before = 0, 0  # where a range begins, and what was selected before it
        self._extended: int | None = None  # the selection with the range, while it can go on
        self._pressed = self._dragged = False  # the mouse button, on an item

    def begin(self, count: int) -> None:
        """Forget the nodes shown so far, and show `count` other ones."""
        self.end_drag()
        self._count, self.listing = count, Order(range(count))
        self.lay_out(count)
        self.cursor = self._at = self._hover = self._top = None
        self._near = 0
        self.scroll_to(0, 0, animate=False)

    # Items, their nodes and their positions

    def lay_out(self, items: int) -> None:
        """Lay out so many items, one per row."""
        self._rows = Grid((Section("", 0, items),) if items else (), 1, 1)

    @property
    def plan(self) -> Layout:
        """The layout of the items."""
        return Layout(Zoom("cells"), self._rows, Scale(), WIDE, 0)

    @property
    def header_rows(self) -> int:
        """The rows above the first item."""
        return 0

    @property
    def row_count(self) -> int:
        """How many rows the view has in all."""
        return self.plan.height

    @property
    def at(self) -> int | None:
        """The item with the cursor; None if no item shows its node."""
        return self._at

    def item_of(self, index: int | None) -> int | None:
        """Return the item that shows a node; None if none does."""
        row = self.listing.row(index) if index is not None else None
        return self.plan.grid.cell_at(row) if row is not None else None

    def node_of(self, item: int) -> int | None:
        """Return the node that the cursor goes to with an item; None if the item has none."""
        first = self.plan.grid.span(item)[0]
        return self.listing.indices(first, first + 1)[0]

    def _nodes_of(self, item: int) -> int:
        """Return the nodes that are selected with an item, as a mask."""
        return self._nodes_between(item, item)

    def _nodes_between(self, first: int, last: int) -> int:
        """Return the nodes of all items from the first to the last, as a mask."""
        span = self.plan.grid.span
        return self.listing.nodes(span(first)[0], span(last)[1])

    def _items_in(self, row: int) -> range:
        """Return the items in a row, counted from the top of the whole view."""
        number, between = divmod(row, self.plan.scale.pitch)
        return self.plan.grid.cells_in(number) if not between else range(0)

    def item_at(self, x: int, y: int) -> int | None:
        """Return the item at a position of the visible content; None if there is none."""
        if y < self.header_rows or x < self.plan.lead:
            return None
        items = self._items_in(y - self.header_rows + self.scroll_offset.y)
        number = (x - self.plan.lead) // self.plan.step
        return items[number] if number < len(items) else None

    def _row_at(self, item: int) -> int:
        return self.plan.grid.row_of(item) * self.plan.scale.pitch

    def row_of(self, index: int | None) -> int | None:
        """Return the row that shows a node; None if none does."""
        item = self.item_of(index)
        return self._row_at(item) if item is not None else None

    def first_of(self, row: int) -> int | None:
        """Return the first node of a row; None if there is no such row."""
        items = self._items_in(row)
        return self.node_of(items[0]) if items else None

    @property
    def listed(self) -> int | None:
        """The nodes that are listed, as a mask; None if all are."""
        if self.listing.node_count == self._count:
            return None
        return self.listing.nodes(0, self.listing.count)

    # Display

    def show_lights(self, highlights: Highlights) -> None:
        """Show these highlights."""
        self.highlights, self._lamps = highlights, Lamps(highlights)
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
        """Keep the row on top, or the cursor, in view."""
        self.call_after_refresh(self.keep_in_view)

    def keep_on_top(self, index: int | None) -> None:
        """Show the row of a node on top until the cursor moves or the user scrolls.

        It stays on top when the size or the rows of the view change, possibly frames later. After
        None such a change brings the cursor into view again.
        """
        self._top = index
        if index is not None:
            self.call_after_refresh(self.keep_in_view)

    def keep_in_view(self) -> None:
        """Bring the node that is kept on top back there; without one, the cursor into view."""
        row = self.row_of(self._top)
        if row is None:
            self.scroll_to_cursor()
        else:
            self.scroll_to(y=row, animate=False)

    def scroll_to_cursor(self) -> None:
        """Scroll vertically to the item with the cursor, or to the nearest one."""
        item = self._near if self.at is None and self.cursor is not None else self.at
        if item is not None and self.plan.grid.cells and self.size.height:
            region = Region(self.scroll_offset.x, self._row_at(item), 1, 1 + self.header_rows)
            self.scroll_to_region(region, animate=False, force=True)

    # Not when the scroll position changes: that also happens if there are fewer rows for a while.
    @on(events.MouseScrollUp)
    @on(events.MouseScrollDown)
    @on(ScrollTo)
    @on(ScrollUp)
    @on(ScrollDown)
    def _let_go_of_top(self) -> None:
        """Keep no node on top once the user scrolls."""
        self._top = None

    # The cursor

    def go_to(self, item: int) -> None:
        """Go to an item, at most to the last one; all views go to its node."""
        if self.plan.grid.cells:
            item = min(max(item, 0), self.plan.grid.cells - 1)
            before, index = self.cursor, self.node_of(item)
            self._put(item, before if index is None else index)
            if index is not None and index != before:
                self._handlers.move(index)

    def action_move(self, by: int) -> None:
        """Move by items; if no item shows the cursor's node, move to the nearest one."""
        self.go_to(self._near if self.at is None else self.at + by)

    def action_move_row(self, by: int) -> None:
        """Move by rows, keeping the position in the row if the new row is long enough."""
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
        items = self._items_in(row) if 0 < row < self.row_count - 1 else range(0)
        if items:
            self.go_to(items[0])
        else:
            self.action_move_to_edge(by)

    def action_move_to_edge(self, by: int) -> None:
        """Go to the first or the last item."""
        self.go_to(0 if by < 0 else self.plan.grid.cells - 1)

    def action_next_match(self, by: Literal[-1, 1]) -> None:
        """Go to the next node that matches, or to the previous one; wraps around at the ends."""
        row = self.following(self.highlights.through, *self._places(), by)
        if row is not None:
            self._go_to_place(row)

    def following(self, mask: int, start: int, stop: int, by: Literal[-1, 1]) -> int | None:
        """Return the next row of the listing with a node of a mask.

        Searches forward from stop or, if by is -1, backward from before start; wraps around at the
        ends. None if no row has such a node.
        """
        here, edge = (stop - 1, -1) if by > 0 else (start, self.listing.count)
        row = self.listing.following(mask, here, by) if mask else None
        return self.listing.following(mask, edge, by) if row is None and mask else row

    def _places(self) -> tuple[int, int]:
        """Return the start and stop rows for `following`, from the cursor."""
        if self.at is None:
            return self._near + 1, self._near
        return self.plan.grid.span(self.at)

    def _go_to_place(self, row: int) -> None:
        """Go to a row of the listing."""
        self.go_to(row)

    def action_enter(self) -> None:
        """Open the item with the cursor, or zoom in on it; here, do nothing."""

    # Selecting

    def action_toggle_selected(self) -> None:
        """Select the nodes under the cursor, or deselect them if all of them are selected."""
        nodes = self._nodes_of(self.at) if self.at is not None else 0
        if nodes:
            selected = self.highlights.selected
            is_new = less(nodes, selected)
            self._handlers.select(selected | nodes if is_new else less(selected, nodes))

    def action_select_matching(self) -> None:
        """Add all listed nodes that match to the selection."""
        listed, mask = self.listed, self.highlights.mask
        matching = mask if listed is None else mask & listed
        self._handlers.select(self.highlights.selected | matching)

    def action_extend(self, move: str, by: int) -> None:
        """Move, and select all nodes from where the range began."""
        if self.at is None:
            return
        begin, before = self._begin, self._before
        if self._extended != self.highlights.selected:
            begin, before = self.at, self.highlights.selected
        getattr(self, f"action_{move}")(by)
        self._extend(begin, before)

    def _extend(self, begin: int, before: int) -> None:
        """Select the range from an item to the cursor, in addition to what was selected before."""
        self._begin, self._before = begin, before
        first, last = sorted((begin, begin if self.at is None else self.at))
        self._extended = before | self._nodes_between(first, last)
        self._handlers.select(self._extended)

    # The mouse

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Prepare to select a range that begins at the item under the mouse."""
        item = self._under(event)
        self._dragged = False
        if event.button == 1 and item is not None:
            self._pressed = True
            self._begin, self._before = item, self.highlights.selected
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Report the node under the mouse, and select the range while the button is down."""
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
        """End a range, whether by keys or by mouse."""
        self._extended = None
        if self._pressed:
            self._pressed = False
            self.release_mouse()

    def on_click(self, event: events.Click) -> None:
        """Go to the item under the mouse; with ctrl or alt, select or deselect it too.

        A double click or a click on its sign opens it.
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
        """Return whether a column is that of the sign that opens and closes an item."""
        return False

    def on_leave(self) -> None:
        """Forget the item under the mouse."""
        self._hover_over(None)

    def _under(self, event: events.MouseEvent) -> int | None:
        offset = event.get_content_offset(self)
        return self.item_at(*offset) if offset is not None else None

    def _nearest(self, x: int, y: int) -> int | None:
        """Return the item at or nearest to a position; above or below the view, one row further."""
        y = min(max(y, self.header_rows - 1), self.size.height)
        item = self.item_at(x, y) if self.header_rows <= y < self.size.height else None
        if item is not None:
            return item
        row = min(max(self.scroll_offset.y + y - self.header_rows, 0), self.row_count - 1)
        items = self._items_in(row)
        return (items[0] if x < self.plan.lead else items[-1]) if items else None

    def _hover_over(self, item: int | None) -> None:
        if item != self._hover:
            self._refresh_items(self._hover, item)
            self._hover = item
            self._handlers.hover(self.node_of(item) if item is not None else None)
