"""The graph of a cluster: what contains what, opened as a person looks, and a search in it."""

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from rich.text import Text
from textual.binding import BindingType
from textual.geometry import Size
from textual.strip import Strip

from fluxtui.answers.containment.items import Bond, Fold
from fluxtui.answers.containment.of_list import ListedContainment
from fluxtui.answers.containment.tree import Containment, can_open, containment_of
from fluxtui.model.cancellation import Stop
from fluxtui.notation.problem import Problem, printable
from fluxtui.ui.kit.keys import bind
from fluxtui.ui.kit.lines import LinesView, OneLine, columns_for
from fluxtui.ui.kit.palette import palette_of
from fluxtui.ui.kit.text import shorten
from fluxtui.ui.nodes.cluster import Part
from fluxtui.ui.nodes.graph_lines import GAP, Lines, description, mark_at, vertex_of
from fluxtui.ui.nodes.highlights import KeyHint, hint_text
from fluxtui.ui.nodes.inside import NO_IDS, Ids
from fluxtui.ui.nodes.nodes_view import EMPTY, Handlers, SelectableNodes
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
        bind("graph.turn", "enter", "enter", "Open", "Open or close; follow an edge"),
        bind("graph.into", "right", "into", ""),
        bind("graph.out", "left", "out", ""),
        bind("graph.close_all", "minus", "close_all", "Close all", "Close everything below"),
    ]

    def __init__(self, handlers: Handlers, on_item: Callable[[], object], *, id: str) -> None:
        self.containment: Containment = ListedContainment(EMPTY.resources, ())
        self.rows = OpenRows(self.containment)
        self.spot: Spot | None = None  # where the cursor is; None where there are no rows
        super().__init__(handlers, id=id)
        self._on_item = on_item
        self._is_behind = False  # the node with the cursor of all views is elsewhere
        self._states: NodeStates | None = None
        self._used: Callable[[int], Ids] = lambda index: NO_IDS

    # Display

    def show_tree(self, tree: Containment, count: int) -> None:
        """Show another cluster of so many nodes, opened as far as there is but one way."""
        self.begin(count)
        self.containment, self.rows = tree, OpenRows(tree)
        self._is_behind = False
        if len(self.rows):
            self._at = opened = 0
            while len(self.rows) == opened + 1 and self.rows.open(self.rows.at(opened)):
                opened += 1
        self._resize()

    def show_states(self, snapshot: "Snapshot | None") -> None:
        """Show how the nodes of a running Flux are, and what of them is in use."""
        self._states, self._used = None, lambda index: NO_IDS
        if snapshot is not None:
            nodes, kind_at = snapshot.nodes, snapshot.resources.kind_at
            used = lru_cache(_KEPT)(lambda index: nodes.in_use(index, kind_at(index)))
            self._states, self._used = nodes, used
        self.refresh()

    def show_cursor(self, index: int | None) -> None:
        """Go to the node with the cursor of all views.

        The first node, where that always begins, does not open anything.
        """
        if index != self.cursor:
            self._is_behind = self.cursor is not None or bool(index)
            self.cursor = index
            self.follow()

    def follow(self) -> None:
        """Open what that node is in, and go there, once its vertex is known."""
        vertex = self.containment.at(self.cursor) if self.cursor is not None else None
        if self._is_behind and vertex is not None:
            self._is_behind = False
            if self.at is None or self.node_of(self.at) != self.cursor:
                self.go_to_vertex(vertex)

    def go_to_vertex(self, vertex: int) -> None:
        """Open what a vertex is in and put the cursor there."""
        spot = self.rows.reveal(vertex)
        if spot is not None:
            self._resize()
            self.go_to(self.rows.row_of(spot))

    def _resize(self) -> None:
        self.end_drag()  # it is over rows that are others now, and so is the mouse
        self._hover = None
        self.lay_out(len(self.rows))
        self.virtual_size = Size(self.size.width, len(self.rows))
        self.refresh()

    def _put(self, item: int | None, index: int | None) -> None:
        super()._put(item, index)
        self._on_item()

    def render_line(self, y: int) -> Strip:
        """The row of one item."""
        row, style = self.item_at(0, y), palette_of(self)
        if row is None:
            return self._notice_line(y)
        here, width = row == self.at, columns_for(self, len(self.rows))
        lines = Lines(self.containment, self._lamps, style, self._states, self._used)
        line = lines.line(self.rows.at(row), width, here=here)
        line = line.extend_cell_length(self.size.width)
        return (line.apply_style(style.selected) if here else line).apply_style(self.base)

    # The rows that are open

    @property  # so that the cursor stays on its item while others open above it
    def _at(self) -> int | None:
        return self.rows.row_of(self.spot) if self.spot is not None else None

    @_at.setter
    def _at(self, row: int | None) -> None:
        self.spot = self.rows.at(row) if row is not None else None

    @property
    def vertex(self) -> int | None:
        """The vertex with the cursor; of folded leaves the first, of an edge the one it is at."""
        return vertex_of(self.spot.item) if self.spot is not None else None

    def item_of(self, index: int | None) -> int | None:
        """The row with the cursor, where that is on a node; no other row is looked for."""
        return self.at if index is not None and index == self.cursor else None

    def node_of(self, item: int) -> int | None:
        """The node that a row is for, or that what it is for is in; None for what holds several."""
        return self.containment.node(vertex_of(self.rows.at(item).item))

    def _nodes_of(self, item: int) -> int:
        """All nodes at and below an item; of what is within a node, that node."""
        found, index = self.rows.at(item).item, self.node_of(item)
        nodes = self.containment.nodes(found) if isinstance(found, int) else 0
        return nodes or (1 << index if index is not None else 0)

    def _nodes_between(self, first: int, last: int) -> int:
        """The nodes in all rows from one to another.

        What is closed counts with all nodes below it; what is open with the rows that are seen.
        """
        begin, end = vertex_of(self.rows.at(first).item), self.rows.at(last)
        stop = end.item.last if isinstance(end.item, Fold) else vertex_of(end.item)
        is_whole = not (end.is_open or isinstance(end.item, Bond))
        index = self.containment.node(begin)
        nodes = self.containment.between(begin, stop, whole=is_whole)
        return nodes | (1 << index if index is not None else 0)

    # Moving

    def _places(self) -> tuple[int, int]:
        """The next match is the next node, wherever in the tree that is."""
        here = self.cursor if self.cursor is not None else 0
        return here, here + 1

    def _go_to_place(self, row: int) -> None:
        """Go to the node of an index."""
        self.cursor, self._is_behind = row, True
        self._handlers.move(row)
        self.follow()

    # Opening and closing

    def action_enter(self) -> None:
        """Open or close an item; from an edge go to the vertex at its other end."""
        if self.spot is not None and isinstance(self.spot.item, Bond):
            self.go_to_vertex(self.spot.item.link.row)
        elif self.spot is not None and not self._open(self.spot):
            self.put_open(self.spot, None)

    def action_into(self) -> None:
        """Open an item; of one that is open go to the first that is below it."""
        if self.spot is not None and not self._open(self.spot) and self.spot.is_open:
            self.action_move(1)

    def action_out(self) -> None:
        """Close an item; from one that is closed go to what it is in."""
        if self.spot is None:
            return
        if self.spot.is_open:
            self.put_open(self.spot, None)
        elif self.spot.above is not None:
            self.go_to(self.rows.row_of(self.spot.above))

    def action_close_all(self) -> None:
        """Close everything below an item, which stays open itself."""
        spot = self.spot
        if spot is not None and spot.is_open:
            self.put_open(spot, None)
            self._open(spot)

    def _open(self, spot: Spot) -> bool:
        opened = self.rows.open(spot)
        if opened:
            self._resize()
        return opened

    def put_open(self, spot: Spot, branch: Branch | None) -> None:
        """Open an item to all of this, or close it: the cursor goes up from what is not there."""
        spot.put(branch)
        if self.spot is not None and not self.rows.has(self.spot):
            self.go_to(self.rows.row_of(spot))
        self._resize()
        self.scroll_to_cursor()

    def _is_sign(self, item: int, x: int) -> bool:
        spot = self.rows.at(item)
        at_sign = 0 <= x - mark_at(spot.branch.level) <= 1
        return at_sign and not isinstance(spot.item, Bond)


class ClusterGraph(Part):
    """The tree of the open cluster with what is known of one of its vertices, and a search.

    Without a resource graph it shows what the execution part implies, and says so.
    """

    view: GraphTree
    prompt_id = "graph-find"

    # First, so that keys typed right after are searched for.
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("graph.find", "slash", "find", "Find",
             "Find a vertex by part of its name, type or path, or a node by its state",
             footer=True, first=True),
        bind("graph.open_all", "asterisk", "open_all", "Open all", "Open all below", footer=True),
    ]  # fmt: skip

    def __init__(self, handlers: Handlers, say_keys: Callable[[], None]) -> None:
        self.view = GraphTree(handlers, self._show_item, id="node-graph")
        super().__init__(self.view, say_keys, id="graph")
        self._head = OneLine(id="graph-head")
        self._details = LinesView(id="graph-details", wrap=True)
        self._details.can_focus = False
        self.parts = self._head, self.view, self._details
        self._sought, self._is_missing = "", False  # the text that is looked for
        self._start: int | None = None  # the vertex from which on

    # Display

    def show_cluster(self, cluster: Cluster) -> None:
        """Show another cluster, and count in the background what it holds."""
        super().show_cluster(cluster)
        self.close_prompt()
        resources = cluster.resources
        tree = containment_of(cluster.graph, resources, cluster.stretches)
        self._head.display = tree.is_derived and bool(resources.node_count)
        self.refresh_cluster(cluster)
        self.view.show_tree(tree, resources.node_count)
        self._show_item()
        # After the frame: it is the first one that shows these widgets, and takes long enough.
        self.call_after_refresh(self._count, tree)

    def refresh_cluster(self, cluster: Cluster) -> None:
        """Show how the same nodes of a running Flux are at a later moment."""
        super().refresh_cluster(cluster)
        self.view.show_states(cluster.snapshot)

    def restyle(self) -> None:
        """Redraw in the colours of another theme."""
        self._show_item()
        super().restyle()

    def _count(self, tree: Containment) -> None:
        """Count what the vertices hold, where the graph is still this one."""

        def take(counted: Any) -> None:
            tree.take(counted)
            self.say_keys()
            self.view.refresh()
            self.view.follow()
            self._sought = ""
            self.look_again()

        if tree is self.view.containment and self.is_attached:
            self.tasks.start(COUNTING, tree.work_out, take)

    def words(self, room: int, *, keys: bool) -> Text:
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
        self.say_keys()

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
        self.tasks.start(task, lambda stop: rows.grown(spot, MOST_GROWN), show)

    # Finding a vertex

    async def action_find(self) -> None:
        """Ask for a part of a name, type or path."""
        prompt = await self.prompt()
        self._sought, self._is_missing, self._start = "", False, self.view.vertex
        prompt.ask("Find", "", lambda text: None, self._seek, note=self._note, step=self._step)

    def _seek(self, text: str) -> Problem | None:
        """Look for a text as it is typed, from where one began."""
        if text != self._sought:
            self._sought, self._is_missing = text, False
            self._look(1, here=True)
        more = ", and no node is in such a state" if self.states else ""
        return Problem(f"nothing contains {text}{more}") if self._is_missing else None

    def _note(self, text: str) -> str:
        if not text:
            return f"part of a name, type or path, {self.example()}"
        if not self.view.containment.ready:
            return "counting …"
        return "looking …" if LOOKING in self.tasks.running else ""

    def _step(self, by: int) -> None:
        self._start = self.view.vertex
        self._look(1 if by > 0 else -1, here=False)

    def _look(self, by: Literal[-1, 1], *, here: bool) -> None:
        """Look for the next vertex beside the event loop, and go there."""
        tree, text, start = self.view.containment, self._sought, self._start
        self.tasks.cancel(LOOKING)
        if start is None or not text or not tree.ready:
            return

        def show(found: tuple[int | None]) -> None:
            (vertex,) = found
            self._is_missing = vertex is None
            if vertex is not None:
                self.view.go_to_vertex(vertex)
            self.look_again()

        resources, states = self.cluster.resources, self.states

        def look(stop: Stop) -> tuple[int | None]:
            from fluxtui.answers.listing.filtering import Filter

            vertex = tree.find(text, start, by, stop, here=here)
            named = Filter(resources, states).named(text.strip()) if vertex is None else None
            if named is None:
                return (vertex,)
            at = tree.node(start) or 0
            is_here = here or tree.node(start) is None
            index = self.view.following(named.mask, at, at if is_here else at + 1, by)
            return (tree.at(index) if index is not None else None,)

        self.tasks.start(LOOKING, look, show)
