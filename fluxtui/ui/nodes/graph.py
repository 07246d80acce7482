"""The Graph pane: the containment tree of a cluster, opened item by item, with a search."""

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

COUNTING, OPENING, SEARCHING = "graph counting", "graph opening", "graph searching"  # tasks
MOST_OPENED = 20_000  # rows that one key opens, at most

_KEPT = 256  # how many nodes the ids in use are cached for

_HINT = KeyHint("→", "opens")  # in addition to the keys in the footer

NO_GRAPH = "This document has no resource graph: {}."


class GraphTree(SelectableNodes):
    """The tree of a cluster's vertices, with a cursor.

    Items are read when opened, lines are made when drawn. On a node or inside one, the cursor is
    shared with the other views; on a vertex that contains several nodes it is this view's alone,
    and selecting the row selects all of them. on_item is called when the cursor changes its item.
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
        self.spot: Spot | None = None  # where the cursor is; None without rows
        super().__init__(handlers, id=id)
        self._on_item = on_item
        self._is_behind = False  # this view has yet to go to the node with the shared cursor
        self._states: NodeStates | None = None
        self._used: Callable[[int], Ids] = lambda index: NO_IDS

    # Display

    def show_tree(self, tree: Containment, count: int) -> None:
        """Show another cluster with `count` nodes; levels with only one vertex are opened."""
        self.begin(count)
        self.containment, self.rows = tree, OpenRows(tree)
        self._is_behind = False
        if len(self.rows):
            self._at = opened = 0
            while len(self.rows) == opened + 1 and self.rows.open(self.rows.at(opened)):
                opened += 1
        self._resize()

    def show_states(self, snapshot: "Snapshot | None") -> None:
        """Show the states of the nodes of a running Flux, and what of them is in use."""
        self._states, self._used = None, lambda index: NO_IDS
        if snapshot is not None:
            nodes, kind_at = snapshot.nodes, snapshot.resources.kind_at
            used = lru_cache(_KEPT)(lambda index: nodes.in_use(index, kind_at(index)))
            self._states, self._used = nodes, used
        self.refresh()

    def show_cursor(self, index: int | None) -> None:
        """Go to the node with the shared cursor.

        Nothing is opened for the first node, where the cursor of a new cluster always starts.
        """
        if index != self.cursor:
            self._is_behind = self.cursor is not None or bool(index)
            self.cursor = index
            self.follow()

    def follow(self) -> None:
        """Go to the vertex of the shared cursor's node, and open what contains it, once known."""
        vertex = self.containment.at(self.cursor) if self.cursor is not None else None
        if self._is_behind and vertex is not None:
            self._is_behind = False
            if self.at is None or self.node_of(self.at) != self.cursor:
                self.go_to_vertex(vertex)

    def go_to_vertex(self, vertex: int) -> None:
        """Open what contains a vertex, and put the cursor on it."""
        spot = self.rows.reveal(vertex)
        if spot is not None:
            self._resize()
            self.go_to(self.rows.row_of(spot))

    def _resize(self) -> None:
        self.end_drag()  # the rows under the drag and the mouse have changed
        self._hover = None
        self.lay_out(len(self.rows))
        self.virtual_size = Size(self.size.width, len(self.rows))
        self.refresh()

    def _put(self, item: int | None, index: int | None) -> None:
        super()._put(item, index)
        self._on_item()

    def render_line(self, y: int) -> Strip:
        """Draw the row of one item."""
        row, style = self.item_at(0, y), palette_of(self)
        if row is None:
            return self._notice_line(y)
        here, width = row == self.at, columns_for(self, len(self.rows))
        lines = Lines(self.containment, self._lamps, style, self._states, self._used)
        line = lines.line(self.rows.at(row), width, here=here)
        line = line.extend_cell_length(self.size.width)
        return (line.apply_style(style.selected) if here else line).apply_style(self.base)

    # The rows

    @property  # computed, so that the cursor stays on its item while others open above it
    def _at(self) -> int | None:
        return self.rows.row_of(self.spot) if self.spot is not None else None

    @_at.setter
    def _at(self, row: int | None) -> None:
        self.spot = self.rows.at(row) if row is not None else None

    @property
    def vertex(self) -> int | None:
        """The vertex with the cursor: the first of folded leaves, the one that an edge is below."""
        return vertex_of(self.spot.item) if self.spot is not None else None

    def item_of(self, index: int | None) -> int | None:
        """Return the row with the cursor if it is on this node; else None, without a search."""
        return self.at if index is not None and index == self.cursor else None

    def node_of(self, item: int) -> int | None:
        """Return the node that a row shows or is part of; None if it contains several."""
        return self.containment.node(vertex_of(self.rows.at(item).item))

    def _nodes_of(self, item: int) -> int:
        """Return all nodes at and below an item; for a part of a node, that node."""
        vertex, index = self.rows.at(item).item, self.node_of(item)
        nodes = self.containment.nodes(vertex) if isinstance(vertex, int) else 0
        return nodes or (1 << index if index is not None else 0)

    def _nodes_between(self, first: int, last: int) -> int:
        """Return the nodes in all rows from the first to the last.

        A closed last item counts with all nodes below it, an open one only with its visible rows.
        """
        begin, end = vertex_of(self.rows.at(first).item), self.rows.at(last)
        stop = end.item.last if isinstance(end.item, Fold) else vertex_of(end.item)
        is_whole = not (end.is_open or isinstance(end.item, Bond))
        index = self.containment.node(begin)
        nodes = self.containment.between(begin, stop, whole=is_whole)
        return nodes | (1 << index if index is not None else 0)

    # Moving

    def _places(self) -> tuple[int, int]:
        """Return the cursor's node: the next match is the next node, wherever it is in the tree."""
        here = self.cursor if self.cursor is not None else 0
        return here, here + 1

    def _go_to_place(self, row: int) -> None:
        """Go to the node of this index."""
        self.cursor, self._is_behind = row, True
        self._handlers.move(row)
        self.follow()

    # Opening and closing

    def action_enter(self) -> None:
        """Open or close the item; from an edge, go to the vertex at its other end."""
        if self.spot is not None and isinstance(self.spot.item, Bond):
            self.go_to_vertex(self.spot.item.link.row)
        elif self.spot is not None and not self._open(self.spot):
            self.put_open(self.spot, None)

    def action_into(self) -> None:
        """Open the item; if it is open, go to the first item below it."""
        if self.spot is not None and not self._open(self.spot) and self.spot.is_open:
            self.action_move(1)

    def action_out(self) -> None:
        """Close the item; if it is closed, go to the item that contains it."""
        if self.spot is None:
            return
        if self.spot.is_open:
            self.put_open(self.spot, None)
        elif self.spot.above is not None:
            self.go_to(self.rows.row_of(self.spot.above))

    def action_close_all(self) -> None:
        """Close everything below the item, which itself stays open."""
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
        """Show a branch below an item, or close it; a cursor in rows that vanish moves up to it."""
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
    """The tree of the open cluster with details of the current vertex, and a search.

    Without a resource graph it shows what the execution part implies, and says so.
    """

    view: GraphTree
    prompt_id = "graph-find"

    # First, so that what is typed right after goes into the search.
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
        self._search_text, self._is_missing = "", False  # missing: nothing contains the text
        self._start: int | None = None  # the vertex that the search starts from

    # Display

    def show_cluster(self, cluster: Cluster) -> None:
        """Show another cluster, and count in the background what its vertices contain."""
        super().show_cluster(cluster)
        self.close_prompt()
        resources = cluster.resources
        tree = containment_of(cluster.graph, resources, cluster.stretches)
        self._head.display = tree.is_derived and bool(resources.node_count)
        self.refresh_cluster(cluster)
        self.view.show_tree(tree, resources.node_count)
        self._show_item()
        # After this frame, which takes long enough: it is the first to show these widgets.
        self.call_after_refresh(self._count, tree)

    def refresh_cluster(self, cluster: Cluster) -> None:
        """Show the same nodes of a running Flux at a later moment."""
        super().refresh_cluster(cluster)
        self.view.show_states(cluster.snapshot)

    def restyle(self) -> None:
        """Redraw in the colours of another theme."""
        self._show_item()
        super().restyle()

    def _count(self, tree: Containment) -> None:
        """Count what the vertices contain, unless another graph is shown by now."""

        def take(counted: Any) -> None:
            tree.take(counted)
            self.say_keys()
            self.view.refresh()
            self.view.follow()
            self._search_text = ""
            self.look_again()

        if tree is self.view.containment and self.is_attached:
            self.tasks.start(COUNTING, tree.work_out, take)

    def words(self, room: int, *, keys: bool) -> Text:
        """Return the path of the current vertex, then what is running, or the key that opens it."""
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
        """Open everything below the item."""
        rows, spot = self.view.rows, self.view.spot
        if spot is None:
            return

        def show(grown: tuple[Branch | None, bool]) -> None:
            branch, is_complete = grown
            if branch is not None and rows.has(spot):
                self.view.put_open(spot, branch)
            if branch is not None and not is_complete:
                words = f"{branch.rows:,} rows are open now; anything deeper stays closed."
                self.app.notify(words, timeout=5)

        # A task per item: opening a second one must not cancel the first.
        task = f"{OPENING} {spot.item}"
        self.tasks.start(task, lambda stop: rows.grown(spot, MOST_OPENED), show)

    # Finding a vertex

    async def action_find(self) -> None:
        """Ask for part of a name, type or path."""
        prompt = await self.prompt()
        self._search_text, self._is_missing, self._start = "", False, self.view.vertex
        prompt.ask("Find", "", lambda text: None, self._seek, note=self._note, step=self._step)

    def _seek(self, text: str) -> Problem | None:
        """Search for the text as it is typed, from the vertex where the search started."""
        if text != self._search_text:
            self._search_text, self._is_missing = text, False
            self._search(1, here=True)
        more = ", and no node is in this state" if self.states else ""
        return Problem(f"nothing contains {text}{more}") if self._is_missing else None

    def _note(self, text: str) -> str:
        if not text:
            return f"part of a name, type or path, {self.example()}"
        if not self.view.containment.ready:
            return "counting …"
        return "looking …" if SEARCHING in self.tasks.running else ""

    def _step(self, by: int) -> None:
        self._start = self.view.vertex
        self._search(1 if by > 0 else -1, here=False)

    def _search(self, by: Literal[-1, 1], *, here: bool) -> None:
        """Search for the next vertex in a thread, and go there; here includes the start itself."""
        tree, text, start = self.view.containment, self._search_text, self._start
        self.tasks.cancel(SEARCHING)
        if start is None or not text or not tree.ready:
            return

        def show(result: tuple[int | None]) -> None:
            (vertex,) = result
            self._is_missing = vertex is None
            if vertex is not None:
                self.view.go_to_vertex(vertex)
            self.look_again()

        resources, states = self.cluster.resources, self.states

        def search(stop: Stop) -> tuple[int | None]:
            from fluxtui.answers.listing.filtering import Filter

            vertex = tree.find(text, start, by, stop, here=here)
            named = Filter(resources, states).named(text.strip()) if vertex is None else None
            if named is None:
                return (vertex,)
            at = tree.node(start) or 0
            is_here = here or tree.node(start) is None
            index = self.view.following(named.mask, at, at if is_here else at + 1, by)
            return (tree.at(index) if index is not None else None,)

        self.tasks.start(SEARCHING, search, show)
