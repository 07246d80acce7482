"""The graph of a cluster: what contains what, opened as a person looks, and a search in it."""

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

from rich.text import Text
from textual import events
from textual.binding import BindingType
from textual.containers import Vertical
from textual.geometry import Region, Size
from textual.strip import Strip

from fluxtui.answers.containment import (
    Bond,
    Containment,
    Fold,
    ListedContainment,
    can_open,
    containment_of,
)
from fluxtui.model.cancellation import Stop
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import Problem, printable
from fluxtui.notation.sets.idset import IdSet, from_mask
from fluxtui.ui.kit.keys import bind
from fluxtui.ui.kit.lines import LinesView, OneLine, columns_for
from fluxtui.ui.kit.palette import palette_of
from fluxtui.ui.kit.pane import Whole
from fluxtui.ui.kit.prompt import Prompt
from fluxtui.ui.kit.text import shorten
from fluxtui.ui.kit.workers import LatestTasks
from fluxtui.ui.nodes.graph_lines import GAP, Lines, description, mark_at, vertex_of
from fluxtui.ui.nodes.highlights import Highlights, KeyHint, Lamps, hint_text
from fluxtui.ui.nodes.inside import NO_IDS, Ids
from fluxtui.ui.nodes.nodes_view import Handlers, SelectableNodes
from fluxtui.ui.nodes.open_rows import Branch, OpenRows, Spot
from fluxtui.workbench import Cluster

if TYPE_CHECKING:
    from fluxtui.model.live.nodes import NodeStates
    from fluxtui.model.live.snapshot import Snapshot

COUNTING, GROWING, LOOKING = "graph counting", "graph growing", "graph looking"  # background tasks
MOST_GROWN = 20_000  # rows that are opened at once
_KEPT = 256  # nodes of which it is kept what is in use

_HINT = KeyHint("→", "opens")  # beside those in the footer

NO_GRAPH = "This document has no resource graph: {}."


class GraphTree(SelectableNodes):
    """Vertices of a cluster of which a person opens what is of interest, and a cursor among them.

    Items are read when opened, and lines made when drawn. On a node or within one, the cursor is
    shared with the other views; on a vertex that holds several nodes it is this view's own, and the
    row stands for all of them. on_item is called when the cursor moves to another item.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("graph.turn", "enter", "turn", "Open", "Open or close; follow an edge"),
        bind("graph.into", "right", "into", ""),
        bind("graph.out", "left", "out", ""),
        bind("graph.close_all", "minus", "close_all", "Close all", "Close everything below"),
    ]

    def __init__(self, handlers: Handlers, on_item: Callable[[], object], *, id: str) -> None:
        super().__init__(handlers, id=id)
        self._on_item = on_item
        self.containment: Containment = ListedContainment(Resources(), ())
        self.rows = OpenRows(self.containment)
        self.spot: Spot | None = None  # where the cursor is; None where there are no rows
        self._is_behind = False  # the node with the cursor of all views is elsewhere
        self._lamps = Lamps(self.found)
        self.states: NodeStates | None = None
        self._used = _in_use(None)
        self._begun: tuple[Spot, int, int] | None = None  # a range: where, selected before and now

    # Display

    def show_tree(self, tree: Containment, count: int) -> None:
        """Show another cluster of so many nodes, opened as far as there is but one way."""
        self.begin(count)
        self.containment, self.rows = tree, OpenRows(tree)
        self.spot = self._begun = None
        self._is_behind = False
        if self.row_count:
            self.spot = self.rows.at(0)
            opened = 0
            while self.row_count == opened + 1 and self.rows.open(self.rows.at(opened)):
                opened += 1
        self._resize()

    def show_states(self, snapshot: "Snapshot | None") -> None:
        """Show how the nodes of a running Flux are, and what of them is in use."""
        self.states = snapshot.nodes if snapshot is not None else None
        self._used = _in_use(snapshot)
        self.refresh()

    def show_lights(self, found: Highlights) -> None:
        """Highlight nodes."""
        self._lamps = Lamps(found)
        super().show_lights(found)

    def show_cursor(self, index: int | None) -> None:
        """Go to the node with the cursor of all views.

        The first node, where that always begins, does not open anything.
        """
        if index != self._cursor:
            self._is_behind = self._cursor is not None or bool(index)
            self._cursor = index
            self.follow()

    def follow(self) -> None:
        """Open what that node is in, and go there, once its vertex is known."""
        vertex = self.containment.at(self._cursor) if self._cursor is not None else None
        if self._is_behind and vertex is not None:
            self._is_behind = False
            if self._node_here() != self._cursor:
                self.go_to(vertex)

    def go_to(self, vertex: int) -> None:
        """Open what a vertex is in and put the cursor there."""
        spot = self.rows.reveal(vertex)
        if spot is not None:
            self._resize()
            self._put(spot)

    def _resize(self) -> None:
        self.virtual_size = Size(self.size.width, self.row_count)
        self.refresh()

    # Rows

    @property
    def row_count(self) -> int:
        """How many rows are open."""
        return len(self.rows)

    @property
    def row(self) -> int:
        """The row with the cursor; 0 where there are none."""
        return self.rows.row_of(self.spot) if self.spot is not None else 0

    @property
    def vertex(self) -> int | None:
        """The vertex with the cursor; of folded leaves the first, of an edge the one it is at."""
        return vertex_of(self.spot.item) if self.spot is not None else None

    def _node_here(self) -> int | None:
        return self.containment.node(self.vertex) if self.vertex is not None else None

    def _spot_at(self, y: int) -> Spot | None:
        row = y + self.scroll_offset.y
        return self.rows.at(row) if 0 <= row < self.row_count else None

    def index_at(self, x: int, y: int) -> int | None:
        """The node that is under a position of the visible content, or what is under it is in."""
        spot = self._spot_at(y)
        return self.containment.node(vertex_of(spot.item)) if spot is not None else None

    def scroll_to_cursor(self) -> None:
        """Bring the row with the cursor into view."""
        if self.size.height:
            self.scroll_to_region(Region(0, self.row, 1, 1), animate=False, force=True)

    def _refresh_row_of(self, index: int | None) -> None:
        """Nothing: rows are painted anew where the cursor of this view leaves or comes."""

    def render_line(self, y: int) -> Strip:
        """The row of one item."""
        spot, style = self._spot_at(y), palette_of(self)
        if spot is None:
            return self._notice_line(y)
        here, width = spot == self.spot, columns_for(self, self.row_count)
        lines = Lines(self.containment, self._lamps, style, self.states, self._used)
        line = lines.line(spot, width, here=here)
        line = line.extend_cell_length(self.size.width)
        return (line.apply_style(style.selected) if here else line).apply_style(self.base)

    # Moving

    def action_move_row(self, by: int) -> None:
        """Move by rows."""
        if self.spot is not None:
            self._put(self.rows.at(min(max(self.row + by, 0), self.row_count - 1)))

    def action_move_page(self, by: int) -> None:
        """Move by a page."""
        self.action_move_row(by * max(1, self.size.height - 1))

    def action_move_to_edge(self, by: int) -> None:
        """Go to the first or the last row."""
        self.action_move_row(by * self.row_count)

    def _go(self, index: int) -> None:
        """Go to a node: the next match."""
        super()._go(index)
        self._is_behind = True
        self.follow()

    def _put(self, spot: Spot) -> None:
        """Put the cursor on an item; a range that was begun ends."""
        before = self.row if self.spot is not None and self.rows.has(self.spot) else 0
        self.spot, self._begun = spot, None
        self.refresh_rows((before, self.row))
        self.scroll_to_cursor()
        index = self._node_here()
        if index is not None and index != self._cursor:
            self._handlers.move(index)
        self._on_item()

    # Opening and closing

    def action_turn(self) -> None:
        """Open or close an item; from an edge go to the vertex at its other end."""
        if self.spot is None:
            return
        if isinstance(self.spot.item, Bond):
            self.go_to(self.spot.item.link.row)
        elif not self._open(self.spot):
            self.put_open(self.spot, None)

    def action_into(self) -> None:
        """Open an item; of one that is open go to the first that is below it."""
        if self.spot is not None and not self._open(self.spot) and self.spot.is_open:
            self.action_move_row(1)

    def action_out(self) -> None:
        """Close an item; from one that is closed go to what it is in."""
        if self.spot is None:
            return
        if self.spot.is_open:
            self.put_open(self.spot, None)
        elif self.spot.above is not None:
            self._put(self.spot.above)

    def action_close_all(self) -> None:
        """Close everything below an item, which stays open itself."""
        if self.spot is not None and self.spot.is_open:
            self.put_open(self.spot, None)
            self._open(self.spot)

    def _open(self, spot: Spot) -> bool:
        opened = self.rows.open(spot)
        if opened:
            self._resize()
        return opened

    def put_open(self, spot: Spot, branch: Branch | None) -> None:
        """Open an item to all of this, or close it: the cursor goes up from what is not there."""
        spot.put(branch)
        if self.spot is not None and not self.rows.has(self.spot):
            self._put(spot)
        self._resize()
        self.scroll_to_cursor()

    # Selecting

    def action_toggle_selected(self) -> None:
        """Select all nodes at and below an item, or deselect them if all are selected.

        Of what is within a node, that node.
        """
        if self.spot is None:
            return
        mask = self.containment.nodes(self.spot.item) if isinstance(self.spot.item, int) else 0
        index = self._node_here()
        mask = mask or (1 << index if index is not None else 0)
        if mask:
            self.toggle(mask)

    def action_extend(self, move: str, by: int) -> None:
        """Move, and select the nodes in all rows from where that began.

        What is closed counts with all nodes below it; what is open with the rows that are seen.
        """
        if self.spot is None:
            return
        selected = self.found.selected
        begun = self._begun
        if begun is None or not self.rows.has(begun[0]) or begun[2] != selected:
            begun = self.spot, selected, selected
        getattr(self, f"action_{move}")(by)
        start, before, _ = begun
        first, last = sorted((start, self.spot), key=self.rows.row_of)
        end, is_whole = last.item, not (last.is_open or isinstance(last.item, Bond))
        nodes = self.containment.between(
            vertex_of(first.item),
            end.last if isinstance(end, Fold) else vertex_of(end),
            whole=is_whole,
        )
        index = self.containment.node(vertex_of(first.item))
        selected = before | nodes | (1 << index if index is not None else 0)
        self._begun = start, before, selected
        self._handlers.select(selected)

    # The mouse: it does not select ranges here, as a row may hold many nodes

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Do not start a range."""
        event.prevent_default()

    def on_click(self, event: events.Click) -> None:
        """Go to the row under the mouse; open or close it by its sign, or by a second click."""
        event.prevent_default()
        offset = event.get_content_offset(self)
        spot = self._spot_at(offset.y) if offset is not None else None
        if spot is None or offset is None:
            return
        is_sign = 0 <= offset.x - mark_at(spot.branch.level) <= 1
        self._put(spot)
        if event.ctrl or event.meta:
            self.action_toggle_selected()
        elif (is_sign and not isinstance(spot.item, Bond)) or event.chain == 2:
            self.action_turn()


def _in_use(snapshot: "Snapshot | None") -> Callable[[int], Ids]:
    """What gives the cores and gpus of a node that are in use; it is looked at once for all rows
    within a node.
    """
    if snapshot is None:
        return lambda index: NO_IDS
    nodes, resources = snapshot.nodes, snapshot.resources
    return lru_cache(_KEPT)(lambda index: nodes.in_use(index, resources.kind_at(index)))


class ClusterGraph(Whole, Vertical):
    """The tree of the open cluster with what is known of one of its vertices, and a search.

    Without a resource graph it shows what the execution part implies, and says so. on_legend is
    called when the words for the frame are others.
    """

    # First, so that keys typed right after are searched for.
    BINDINGS: ClassVar[list[BindingType]] = [
        bind(
            "graph.find",
            "slash",
            "find",
            "Find",
            "Find a vertex by part of its name, type or path, or a node by its state",
            footer=True,
            first=True,
        ),
        bind("graph.open_all", "asterisk", "open_all", "Open all", "Open all below", footer=True),
    ]

    def __init__(self, handlers: Handlers, on_legend: Callable[[], None], *, id: str) -> None:
        super().__init__(id=id)
        self.view = GraphTree(handlers, self._show_item, id="node-graph")
        self._head = OneLine(id="graph-head")
        self._details = LinesView(id="graph-details", wrap=True)
        self._details.can_focus = False
        self.parts = self._head, self.view, self._details
        self._on_legend = on_legend
        self._tasks = LatestTasks(self)
        self._sought, self._is_missing = "", False  # the text that is looked for
        self._start: int | None = None  # the vertex from which on
        self._resources = Resources()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The keys are for the tree."""
        is_in_tree = self.is_attached and self.screen.focused is self.view
        return is_in_tree or action not in ("find", "open_all")

    # Display

    def show_cluster(self, cluster: Cluster) -> None:
        """Show another cluster, and count in the background what it holds."""
        self._tasks.cancel_all()
        for prompt in self.query(Prompt):
            prompt.close()
        self._resources = resources = cluster.resources
        tree = containment_of(cluster.graph, resources, cluster.stretches)
        self._head.display = tree.is_derived and bool(resources.node_count)
        self.refresh_cluster(cluster)
        self.view.show_tree(tree, resources.node_count)
        self._show_item()
        # After the frame: it is the first one that shows these widgets, and takes long enough.
        self.call_after_refresh(self._count, tree)

    def refresh_cluster(self, cluster: Cluster) -> None:
        """Show how the same nodes of a running Flux are at a later moment."""
        self.view.show_states(cluster.snapshot)

    def restyle(self) -> None:
        """Redraw in the colours of another theme."""
        self._show_item()
        self.view.refresh()

    def _count(self, tree: Containment) -> None:
        """Count what the vertices hold, where the graph is still this one."""

        def take(counted: Any) -> None:
            tree.take(counted)
            self._on_legend()
            self.view.refresh()
            self.view.follow()
            self._sought = ""
            for prompt in self.query(Prompt):
                prompt.look_again()

        if tree is self.view.containment and self.is_attached:
            self._tasks.start(COUNTING, tree.work_out, take)

    def legend(self, room: int, *, keys: bool) -> Text:
        """The path of what has the cursor, in so many columns; then what is done, or the key."""
        palette, vertex, tree = palette_of(self), self.view.vertex, self.view.containment
        spot = self.view.spot
        path = printable(tree.path(vertex)) if vertex is not None else ""
        line = Text(shorten(path, room, "end"), palette.quiet, no_wrap=True, end="")
        opens = spot is not None and not spot.is_open and can_open(tree, spot.item)
        more = hint_text(_HINT, palette) if keys and opens else Text()
        more = more if tree.ready else Text("counting …")
        if more and line.cell_len + more.cell_len + GAP <= room:
            line.append("  ").append_text(more)
        return line

    def _show_item(self) -> None:
        style, spot = palette_of(self), self.view.spot
        words = NO_GRAPH.format(self.view.containment.origin)
        self._head.show(Text(words, style=style.quiet))
        lines = [] if spot is None else [description(self.view.containment, spot.item, style)]
        self._details.show_lines(lines)
        self._on_legend()

    # Opening all below

    def action_open_all(self) -> None:
        """Open all that is below an item."""
        rows, spot = self.view.rows, self.view.spot
        if spot is None:
            return

        def show(grown: tuple[Branch | None, bool]) -> None:
            branch, is_all = grown
            if branch is not None and rows.has(spot):
                self.view.put_open(spot, branch)
            if branch is not None and not is_all:
                words = f"{branch.rows:,} rows are open now; anything deeper stays closed."
                self.app.notify(words, timeout=5)

        # Of two that are opened, each one is wanted.
        task = f"{GROWING} {spot.item}"
        self._tasks.start(task, lambda stop: rows.grown(spot, MOST_GROWN), show)

    # Finding a vertex

    async def action_find(self) -> None:
        """Ask for a part of a name, type or path."""
        view = self.view
        prompt = await Prompt.within(self, lambda: self.screen.set_focus(view), id="graph-find")
        self._sought, self._is_missing, self._start = "", False, view.vertex
        prompt.ask("Find", "", lambda text: None, self._seek, note=self._note, step=self._step)

    def _seek(self, text: str) -> Problem | None:
        """Look for a text as it is typed, from where one began."""
        if text != self._sought:
            self._sought, self._is_missing = text, False
            self._look(1, here=True)
        more = "" if self.view.states is None else ", and no node is in such a state"
        return Problem(f"nothing contains {text}{more}") if self._is_missing else None

    def _note(self, text: str) -> str:
        if not text:
            from fluxtui.answers.listing import amounts

            example = printable(amounts.example(self._resources))
            more = ", free, drained, down …" if self.view.states is not None else ""
            return f"part of a name, type or path, {example}{more}"
        if not self.view.containment.ready:
            return "counting …"
        return "looking …" if LOOKING in self._tasks.running else ""

    def _step(self, by: int) -> None:
        self._start = self.view.vertex
        self._look(by, here=False)

    def _look(self, by: int, *, here: bool) -> None:
        """Look for the next vertex beside the event loop, and go there."""
        tree, text, start = self.view.containment, self._sought, self._start
        self._tasks.cancel(LOOKING)
        if start is None or not text or not tree.ready:
            return

        def show(found: tuple[int | None]) -> None:
            (vertex,) = found
            self._is_missing = vertex is None
            if vertex is not None:
                self.view.go_to(vertex)
            for prompt in self.query(Prompt):
                prompt.look_again()

        states = self.view.states.named if self.view.states is not None else {}
        word, resources = text.strip(), self._resources

        def look(stop: Stop) -> tuple[int | None]:
            from fluxtui.answers.listing import amounts

            vertex, index = tree.find(text, start, by, stop, here=here), None
            if vertex is None:
                amount = amounts.read(word, resources)
                mask = states.get(word.lower(), 0) if amount is None else amount.mask(resources)
                index = next_node(mask, tree.node(start), by, here=here)
            return (vertex if index is None else tree.at(index),)

        self._tasks.start(LOOKING, look, show)


def next_node(mask: int, index: int | None, by: int, *, here: bool) -> int | None:
    """The next node of a mask after a node or at it, or the one before; round at the ends."""
    nodes = from_mask(mask)
    if not nodes:
        return None
    at = -1 if index is None else index
    if by > 0:
        return next((node for node in nodes if node > at or (here and node == at)), nodes.first)
    before = nodes & IdSet.between(0, at - 1)
    return before.last if before else nodes.last
