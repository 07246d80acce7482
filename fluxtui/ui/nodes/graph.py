"""The graph of a cluster: its tree, what is known of the vertex with the cursor, and a search."""

from collections.abc import Callable
from typing import Any, ClassVar

from rich.text import Text
from textual.binding import BindingType
from textual.containers import Vertical

from fluxtui.answers.containment import (
    Bond,
    Containment,
    Fold,
    GraphContainment,
    Item,
    ListedContainment,
    link_words,
)
from fluxtui.notation.problem import Problem, printable
from fluxtui.ui.kit.keys import bind, key_of
from fluxtui.ui.kit.lines import LinesView, OneLine
from fluxtui.ui.kit.palette import Palette, palette_of
from fluxtui.ui.kit.pane import Whole
from fluxtui.ui.kit.prompt import Prompt
from fluxtui.ui.kit.wording import shorten
from fluxtui.ui.kit.workers import LatestTasks
from fluxtui.ui.nodes.graph_lines import GAP, vertex_of
from fluxtui.ui.nodes.graph_rows import GraphTree
from fluxtui.ui.nodes.highlights import KeyHint, hint_text
from fluxtui.ui.nodes.nodes_view import Handlers
from fluxtui.ui.nodes.open_rows import Branch
from fluxtui.workbench import Cluster

COUNTING, GROWING, LOOKING = "graph counting", "graph growing", "graph looking"  # background tasks
MOST_GROWN = 20_000  # rows that are opened at once

_HINT = KeyHint("→", "opens")  # beside those in the footer

NO_GRAPH = "This document has no resource graph: derived from R_lite."
WHERE_GRAPHS_ARE = (
    "Only a graph shows sockets, racks, memory and paths. {key} opens an R document with "
    "scheduling.graph, as Fluxion writes it, or a JGF file."
)


class ClusterGraph(Whole, Vertical):
    """Shows what contains what in the open cluster.

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
            "Find a vertex by part of its name, type or path",
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
        self._tree: Containment | None = None
        self._is_behind = False  # the node with the cursor is another since it was last followed
        self._tasks = LatestTasks(self)
        self._sought, self._is_missing = "", False  # the text that is looked for
        self._start: int | None = None  # the vertex from which on

    def on_unmount(self) -> None:
        """Cancel background work."""
        self._tasks.cancel_all()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The keys are for the tree."""
        is_in_tree = self.is_attached and self.screen.focused is self.view
        return is_in_tree or action not in ("find", "open_all")

    # Display

    def show_cluster(self, cluster: Cluster) -> None:
        """Show another cluster, and count in the background what it holds."""
        self._is_behind = False
        self._tasks.cancel_all()
        for prompt in self.query(Prompt):
            prompt.close()
        resources, graph = cluster.resources, cluster.graph
        tree: Containment
        if graph is not None and graph.types:
            tree = GraphContainment(graph, resources)
        else:
            tree = ListedContainment(resources, cluster.stretches)
        self._tree = tree
        self._head.display = tree.is_derived and bool(resources.node_count)
        self.view.show_tree(tree, resources.node_count)
        self._show_item()
        # After the frame: it is the first one that shows these widgets, and takes long enough.
        self.call_after_refresh(self._count, tree)

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
            self.follow()
            self._sought = ""
            for prompt in self.query(Prompt):
                prompt.look_again()

        if tree is self._tree and self.is_attached:
            self._tasks.start(COUNTING, tree.work_out, take)

    def show_cursor(self, index: int | None) -> None:
        """Go to the node that the cursor is on in all views, once this one is seen.

        The first node, where the cursor always begins, does not open anything.
        """
        before = self.view.cursor
        if index != before:
            self.view.show_cursor(index)
            self._is_behind = before is not None or bool(index)
            self.follow()

    def follow(self) -> None:
        """Go to that node, where this is seen, one is elsewhere, and its vertex is known."""
        tree = self._tree
        is_known = tree is not None and (tree.ready or tree.is_derived)
        if self._is_behind and self.display and is_known:
            self._is_behind = False
            self.view.follow()

    # Words

    def legend(self, room: int, *, keys: bool) -> Text:
        """The path of what has the cursor, in so many columns; then what is done, or the key."""
        palette, vertex, tree = palette_of(self), self.view.vertex, self._tree
        path = printable(tree.path(vertex)) if tree is not None and vertex is not None else ""
        line = Text(shorten(path, room, "end"), palette.quiet, no_wrap=True, end="")
        more = hint_text(_HINT, palette) if keys else Text()
        if tree is not None and not tree.ready:
            more = Text("counting …")
        if more and line.cell_len + more.cell_len + GAP <= room:
            line.append("  ").append_text(more)
        return line

    def _show_item(self) -> None:
        style, spot = palette_of(self), self.view.spot
        self._head.show(Text(NO_GRAPH, style=style.quiet))
        line = Text(style=style.plain, end="")
        if self._tree is not None and spot is not None:
            line = description(self._tree, spot.item, style)
        self._details.show_lines([line])
        self._on_legend()

    # Opening all below

    def action_open_all(self) -> None:
        """Open all that is below an item."""
        rows, spot = self.view.rows, self.view.spot
        if rows is None or spot is None:
            return

        def show(grown: tuple[Branch | None, bool]) -> None:
            branch, is_all = grown
            if branch is None:
                return
            self.view.put_grown(spot, branch)
            if not is_all:
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
        return Problem(f"nothing contains {text}") if self._is_missing else None

    def _note(self, text: str) -> str:
        if not text:
            return "part of a name, type or path"
        if self._tree is not None and not self._tree.ready:
            return "counting …"
        return "looking …" if self._tasks.is_running(LOOKING) else ""

    def _step(self, by: int) -> None:
        self._start = self.view.vertex
        self._look(by, here=False)

    def _look(self, by: int, *, here: bool) -> None:
        """Look for the next vertex beside the event loop, and go there."""
        tree, text, start = self._tree, self._sought, self._start
        self._tasks.cancel(LOOKING)
        if tree is None or start is None or not text or not tree.ready:
            return

        def show(found: tuple[int | None]) -> None:
            self._is_missing = found[0] is None
            if found[0] is not None:
                self.view.go_to(found[0])
            for prompt in self.query(Prompt):
                prompt.look_again()

        self._tasks.start(
            LOOKING, lambda stop: (tree.find(text, start, by, stop, here=here),), show
        )


def description(tree: Containment, item: Item, style: Palette) -> Text:
    """What is known of a vertex, of folded leaves, or of an edge."""
    line = Text(style=style.plain, end="")

    def add(text: str, look: Any, gap: str = "  ") -> None:
        if text:
            line.append(gap if line else "").append(printable(text), look)

    if isinstance(item, Bond):
        add(link_words(item.link, tree.vertex(item.link.row).name), style.label)
        add(tree.path(item.link.row), style.quiet)
        add("enter goes there", style.quiet)
        return line
    vertex = vertex_of(item)
    found, facts = tree.vertex(vertex), tree.facts(vertex)
    name = tree.fold_name(item) if isinstance(item, Fold) else found.name
    add(name or "(no name)", style.strong)
    add(found.type, style.quiet)
    if isinstance(item, Fold):
        first = "; the first:" if facts else ""
        add(f"{item.count:,} alike, enter shows each{first}", style.quiet)
    add(" ".join(found.properties), style.property)
    for key, value in facts:
        add(f"{key}=", style.quiet)
        add(value, style.plain, gap="")
    if tree.is_derived and tree.parent(vertex) < 0:
        add(WHERE_GRAPHS_ARE.format(key=key_of("open", "ctrl+o")), style.quiet)
    return line
