"""What the map, the table and the graph share: nodes, highlights, one cursor and a selection."""

from collections.abc import Callable, Sequence
from typing import ClassVar, Literal, NamedTuple

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events, on
from textual.binding import BindingType
from textual.geometry import Region
from textual.scrollbar import ScrollDown, ScrollTo, ScrollUp
from textual.strip import Strip

from fluxtui.answers.listing.rows import Listing, Order
from fluxtui.notation.sets.bits import less
from fluxtui.ui.kit.keys import bind, key_of
from fluxtui.ui.kit.lines import LineView
from fluxtui.ui.kit.palette import palette_of
from fluxtui.ui.kit.pane import Pane
from fluxtui.ui.kit.text import problem_words
from fluxtui.ui.nodes.highlights import NOTHING, Highlights, highlights_of, legend_line
from fluxtui.workbench import Cluster, State

HOVER = Style(underline=True)
FRAME = 2  # columns at the lower edge that its ends take

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

# What the highlights of a state follow from.
_LIT_BY = ("cluster", "ask", "outlook", "looked_at", "selected", "kept", "compared")


class Handlers(NamedTuple):
    """What is called when a person does something in a view of nodes.

    move    the cursor goes to the node of this index
    hover   the mouse is over the node of this index, or over none
    select  these nodes, as a mask, are to be the selected ones
    """

    move: Callable[[int], None] = lambda index: None
    hover: Callable[[int | None], None] = lambda index: None
    select: Callable[[int], None] = lambda mask: None


class SelectableNodes(LineView, can_focus=True):
    """A view of numbered nodes of which some match; a person moves a cursor and selects nodes.

    A view without nodes shows the notice. Moves and selections go to the handlers at once, so that
    all panes follow in the same frame, this one included. A range follows the listing and adds to
    the selection. As it is here, a view has one row for each row of its listing.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *(bind(f"nodes.{key}", key, f"{move}({by})", "") for key, move, by in _MOVES),
        *(
            bind(f"nodes.extend_{key}", f"shift+{key}", f"extend('{move}', {by})", "")
            for key, move, by in _MOVES
        ),
        bind(
            "nodes.select",
            "space",
            "toggle_selected",
            "Select",
            "Select or deselect the nodes under the cursor; shift+arrows select a range",
            footer=True,
        ),
        bind(
            "nodes.select_matching",
            "a",
            "select_matching",
            "Select matches",
            "Select all that match, of a filtered table those that it lists",
        ),
        bind(
            "nodes.name",
            "x",
            "app.do('name_selected')",
            "To constraint",
            "Write a constraint that matches exactly the selected nodes",
        ),
        bind(
            "nodes.save",
            "w",
            "app.do('save_nodes')",
            "Save nodes",
            "Save nodes to a file: those selected, those that a filter lists, or all that match",
        ),
        bind(
            "nodes.compare", "d", "app.do('compare_documents')", "Compare", "Compare with another"
        ),
        bind("nodes.changes", "D", "app.do('changes')", "Changes", "List what differs"),
        bind("nodes.leave", "escape", "app.do('unselect')", "", "Clear the selection, or go back"),
    ]

    header_rows = 0  # above the first one

    def __init__(self, handlers: Handlers, *, id: str) -> None:
        super().__init__(id=id)
        self._handlers = handlers
        self._count = 0  # of the nodes, listed or not
        self.listing: Listing = Order(range(0))
        self.found: Highlights = NOTHING
        self.notice: Sequence[str] = ()
        self._cursor: int | None = None
        self._hover: int | None = None
        self._top: int | None = None  # the node whose row stays on top, until a person moves
        self._begin, self._before = 0, 0  # where a range begins, and what was selected before
        self._extended: tuple[int, int] | None = None  # where it ends, and what is selected with it
        self._pressed = self._dragged = False  # the button of the mouse, on a node

    @property
    def cursor(self) -> int | None:
        """The index of the node with the cursor."""
        return self._cursor

    def begin(self, count: int) -> None:
        """Forget the nodes shown so far: there are so many others."""
        self.end_drag()
        self._count, self.listing = count, Order(range(count))
        self._cursor = self._hover = self._top = None
        self.scroll_to(0, 0, animate=False)

    # Where the nodes are

    @property
    def lead(self) -> int:
        """How many columns come before the first node of a row."""
        return 0

    @property
    def row_count(self) -> int:
        """How many rows the whole view has."""
        return self.listing.count

    @property
    def listed(self) -> int | None:
        """The nodes that are listed, as a mask; None where all are."""
        if self.listing.node_count == self._count:
            return None
        return self.listing.nodes(0, self.listing.count)

    def span(self, index: int) -> tuple[int, int] | None:
        """The rows of the listing, up to not with one, that are drawn as one with a node's."""
        row = self.row_of(index)
        return None if row is None else (row, row + 1)

    def row_of(self, index: int) -> int | None:
        """The row, counted from the top of the whole view, that shows a node; None for none."""
        return self.listing.row(index)

    def first_of(self, row: int) -> int | None:
        """The first node of a row, None where there is no such row."""
        return self.listing.indices(row, row + 1)[0] if 0 <= row < self.row_count else None

    def last_of(self, row: int) -> int | None:
        """The last node of a row that the cursor may be on, None where there is no such row."""
        return self.first_of(row)

    def index_at(self, x: int, y: int) -> int | None:
        """The node under a position of the visible content, None where there is none."""
        raise NotImplementedError

    def nodes_at(self, *indices: int) -> int:
        """The nodes that are drawn as one with these, and all between them, as a mask."""
        spans = [span for span in map(self.span, indices) if span is not None]
        if not spans:
            return 0
        starts, stops = zip(*spans, strict=True)
        return self.listing.nodes(min(starts), max(stops))

    # Display

    def show_lights(self, found: Highlights) -> None:
        """Highlight nodes."""
        self.found = found
        self.refresh()

    def show_cursor(self, index: int | None) -> None:
        """Mark the node with the cursor and bring it into view."""
        if index != self._cursor:
            self._refresh_row_of(self._cursor)
            self._cursor, self._top = index, None
            self._refresh_row_of(index)
            self.scroll_to_cursor()

    def _refresh_row_of(self, index: int | None) -> None:
        row = self.row_of(index) if index is not None and index < self._count else None
        if row is not None:
            self.refresh_rows([row + self.header_rows])

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
        With None those bring the node with the cursor into view again.
        """
        self._top = index
        if index is not None:
            self.call_after_refresh(self.keep_in_view)

    def keep_in_view(self) -> None:
        """Bring what is looked at back into view: what is to be on top, else the cursor."""
        top = self._top
        row = self.row_of(top) if top is not None and top < self._count else None
        if row is None:
            self.scroll_to_cursor()
        else:
            self.scroll_to(y=row, animate=False)

    def scroll_to_cursor(self) -> None:
        """Bring the node with the cursor into view."""
        row = self.row_of(self._cursor) if self._cursor is not None else None
        if row is not None and self.size.height:
            region = Region(0, row, 1, 1 + self.header_rows)
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

    def action_move(self, by: int) -> None:
        """Move by nodes; where a row has one, by rows."""
        self.action_move_row(by)

    def action_move_row(self, by: int) -> None:
        """Move by rows."""
        raise NotImplementedError

    def action_move_page(self, by: int) -> None:
        """Move by a page."""
        row = self.row_of(self._cursor) if self._cursor is not None else None
        if row is None:
            return
        row += by * max(1, self.size.height - 1 - self.header_rows)
        first = self.first_of(row) if 0 < row < self.row_count - 1 else None
        if first is not None:
            self._go(first)
        else:
            self.action_move_to_edge(by)

    def action_move_to_edge(self, by: int) -> None:
        """Go to the first or the last node."""
        index = self.first_of(0) if by < 0 else self.last_of(self.row_count - 1)
        if index is not None:
            self._go(index)

    def action_next_match(self, by: Literal[-1, 1]) -> None:
        """Go to the next node that matches, or the one before; it goes round at the ends."""
        span = self.span(self._cursor) if self._cursor is not None else None
        if span is None or not self.found.through:
            return
        here, edge = (span[1] - 1, -1) if by > 0 else (span[0], self.listing.count)
        row = self.listing.following(self.found.through, here, by)
        if row is None:
            row = self.listing.following(self.found.through, edge, by)
        if row is not None:
            self._go(self.listing.indices(row, row + 1)[0])

    def _go(self, index: int) -> None:
        if self._count:
            self._handlers.move(min(max(index, 0), self._count - 1))

    # Selecting

    def action_toggle_selected(self) -> None:
        """Select or deselect the nodes under the cursor."""
        if self._cursor is not None:
            self.toggle(self.nodes_at(self._cursor))

    def toggle(self, nodes: int) -> None:
        """Select nodes, or deselect them if all of them are selected."""
        selected = self.found.selected
        all_are = not less(nodes, selected)
        self._handlers.select(less(selected, nodes) if all_are else selected | nodes)

    def action_select_matching(self) -> None:
        """Select all nodes that are asked for and are listed."""
        listed, found = self.listed, self.found.mask
        self._handlers.select(self.found.selected | (found if listed is None else found & listed))

    def action_extend(self, move: str, by: int) -> None:
        """Move, and select all nodes from where that began."""
        if self._cursor is None:
            return
        if self._extended != (self._cursor, self.found.selected):
            self._begin, self._before = self._cursor, self.found.selected
        getattr(self, f"action_{move}")(by)
        self._extend(self._cursor)

    def _extend(self, end: int) -> None:
        self._extended = end, self._before | self.nodes_at(self._begin, end)
        self._handlers.select(self._extended[1])

    # The mouse

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Prepare to select a range from the node under the mouse."""
        index = self._under(event)
        self._dragged = False
        if event.button == 1 and index is not None:
            self._pressed = True
            self._begin, self._before = index, self.found.selected
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Tell which node the mouse is over, and select the range while its button is down."""
        self._hover_over(self._under(event))
        if not self._pressed:
            return
        if event.button != 1:  # it was released outside the terminal
            self.end_drag()
            return
        index = self._nearest(*event.get_content_offset_capture(self))
        if index is not None and (self._dragged or index != self._begin):
            self._dragged = True
            self._go(index)
            self._extend(index)

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
        """Go to the node under the mouse; with ctrl or alt select it too, or no longer."""
        index = self._under(event)
        if index is not None and not self._dragged:
            self._go(index)
            if event.ctrl or event.meta:
                self.toggle(self.nodes_at(index))

    def on_leave(self) -> None:
        """Forget the node under the mouse."""
        self._hover_over(None)

    def _under(self, event: events.MouseEvent) -> int | None:
        offset = event.get_content_offset(self)
        return self.index_at(*offset) if offset is not None else None

    def _nearest(self, x: int, y: int) -> int | None:
        """The node under a position, or the one nearest to it; beyond an edge the next row."""
        y = min(max(y, self.header_rows - 1), self.size.height)
        index = self.index_at(x, y) if self.header_rows <= y < self.size.height else None
        if index is not None:
            return index
        row = min(max(self.scroll_offset.y + y - self.header_rows, 0), self.row_count - 1)
        return self.first_of(row) if x < self.lead else self.last_of(row)

    def _hover_over(self, index: int | None) -> None:
        if index != self._hover:
            self._refresh_row_of(self._hover)
            self._hover = index
            self._refresh_row_of(index)
            self._handlers.hover(index)


class ClusterPane(Pane):
    """A pane with a view of the nodes, kept in step with the state: the map, the table, the graph.

    Its lower edge says what the glyphs mean, and what is being done.
    """

    _busy = ""
    _shown: State | None = None

    @property
    def view(self) -> SelectableNodes:
        """The widget that shows the nodes and takes the keys."""
        raise NotImplementedError

    def shows(self, cluster: Cluster) -> bool:
        """Whether it is this cluster that it shows; out of sight it may be one of before."""
        return self._shown is not None and self._shown.cluster is cluster

    def show(self, state: State) -> None:
        """Show what changed since the state before; the same state is shown in other colours."""
        before, self._shown = self._shown, state
        if state is before:
            self._restyle()
        resources = before.cluster.resources if before is not None else None
        is_new = state.cluster.resources is not resources
        if is_new:
            self._show_cluster(state.cluster)
            self.show_notice()
        elif before is not None and state.cluster is not before.cluster:
            self._refresh_cluster(state.cluster)
        if before is None or any(getattr(state, p) is not getattr(before, p) for p in _LIT_BY):
            self._show_highlights(highlights_of(state), state)
            self.say_keys()
        if is_new or before is None or state.cursor != before.cursor:
            self._show_cursor(state.cursor)

    def _restyle(self) -> None:
        self.view.refresh()
        self.say_keys()

    def _show_cluster(self, cluster: Cluster) -> None:
        raise NotImplementedError

    def _refresh_cluster(self, cluster: Cluster) -> None:
        """Show the same nodes of a running Flux at a later moment."""

    def _show_highlights(self, found: Highlights, state: State) -> None:
        self.view.show_lights(found)

    def _show_cursor(self, index: int | None) -> None:
        self.view.show_cursor(index)

    def show_notice(self, lines: tuple[str, ...] | None = None) -> None:
        """Show a notice in place of missing nodes: what is loading, else what to do."""
        if lines is None:
            lines = _notice(self._shown.cluster) if self._shown is not None else ()
        if self.ready and lines != self.view.notice:
            self.view.notice = lines
            self.view.refresh()

    async def do(self, what: str, *by: str | int) -> None:
        """Do what a key does in the view, by the name of its action."""
        if self._shown is not None and self._shown.cluster.resources.node_count:
            name = f"action_{what}"
            around = self.view.ancestors_with_self
            done = next(getattr(node, name) for node in around if hasattr(node, name))(*by)
            if done is not None:
                await done

    def show_busy(self, words: str) -> None:
        """Show what is being done in place of the legend; blank ends that."""
        self._busy = words
        self.say_keys()

    def on_resize(self) -> None:
        """Fit the legend to the new width."""
        self.say_keys()

    def say_keys(self) -> None:
        """Show what the glyphs mean, and the keys while the view has the focus."""
        if not self.ready:
            return
        if self._busy or self._shown is None or not self._shown.cluster.resources.node_count:
            self.say_in_frame(self._busy)  # without nodes no key does anything
        else:
            self.say_in_frame(self._words(self.size.width - FRAME))

    def _words(self, room: int) -> Text:
        found, keys = self.view.found, self.has_keys(self.view)
        return legend_line(found.legend, found.more, room, self.style, keys=keys)


def _notice(cluster: Cluster) -> tuple[str, ...]:
    problems, open_key = cluster.resources.problems, key_of("open", "ctrl+o")
    if not problems:
        return (
            f"No document is open: {open_key} opens an R document,",
            f"{key_of('commands', 'ctrl+p')} and 'live' opens the Flux that runs here,",
            "'demo' the built-in cluster.",
        )
    shown = [f"  {problem_words(problem)}" for problem in problems[:8]]
    return (
        "No nodes were found in this document:",
        "",
        *shown,
        "",
        f"{open_key} opens another one.",
    )
