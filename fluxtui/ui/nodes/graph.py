"""The graph of a cluster: its tree, what is known of the vertex with the cursor, and a search."""

from collections.abc import Callable
from typing import Any, ClassVar

from rich.text import Text
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical

from fluxtui.answers.containment import (
    Bond,
    Containment,
    Fold,
    GraphContainment,
    ListedContainment,
    link_words,
)
from fluxtui.notation.problem import printable
from fluxtui.ui.kit.entry import Entry
from fluxtui.ui.kit.keys import bind, key_of
from fluxtui.ui.kit.lines import LinesView, OneLine
from fluxtui.ui.kit.palette import palette_of
from fluxtui.ui.kit.pane import Whole
from fluxtui.ui.kit.wording import shorten
from fluxtui.ui.kit.workers import LatestTasks
from fluxtui.ui.nodes.graph_lines import GAP
from fluxtui.ui.nodes.graph_rows import GraphTree
from fluxtui.ui.nodes.highlights import KeyHint, hint_text
from fluxtui.ui.nodes.nodes_view import Handlers
from fluxtui.ui.nodes.open_rows import Branch, Spot
from fluxtui.workbench import Cluster

COUNTING, GROWING, LOOKING = "graph counting", "graph growing", "graph looking"  # background tasks
MOST_GROWN = 20_000  # rows that are opened at once

_HINTS = (KeyHint("→", "opens"),)  # beside those in the footer

NO_GRAPH = "This document has no resource graph: derived from R_lite."
WHERE_GRAPHS_ARE = (
    "Only a graph shows sockets, racks, memory and paths. {key} opens an R document with "
    "scheduling.graph, as Fluxion writes it, or a JGF file."
)


class Finder(Whole, Horizontal):
    """The line that asks for a text to look for; enter and the arrows go on to the next one.

    look gets the text, the vertex after which to look, the direction, and whether that vertex may
    be the one.
    """

    DEFAULT_CSS = """
    Finder { height: 1; display: none; }
    Finder .finder-label { width: 6; }
    Finder Entry { width: 1fr; }
    Finder .finder-words { width: 1fr; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("find.close", "escape", "close", "", first=True),
        bind("find.next", "down", "next(1)", "Next", "Go to the next one", first=True),
        bind("find.back", "up", "next(-1)", "Back", "Go to the previous one", first=True),
    ]

    def __init__(
        self,
        look: Callable[[str, int | None, int, bool], None],
        on_close: Callable[[], object],
        *,
        id: str,
    ) -> None:
        super().__init__(id=id)
        self._look = look
        self._on_close = on_close
        self._from: int | None = None  # the vertex from which on one looks while typing
        self._at: int | None = None  # the one that was found
        self._label = OneLine(classes="finder-label")
        self.entry = Entry(
            lambda _: self.look_again(), lambda: self.action_next(1), "", id="graph-find-entry"
        )
        self._words = OneLine(classes="finder-words")
        self.parts = self._label, self.entry, self._words

    def ask(self, vertex: int | None) -> None:
        """Ask for a text to find, starting at a vertex."""
        self._from = self._at = vertex
        self._label.show(Text("Find ", style=palette_of(self).quiet))
        self.display = True
        self.screen.set_focus(self.entry)  # at once, as the next key may already be typed
        self.entry.select_all()
        self.look_again()

    def say(self, words: str, *, is_missing: bool = False) -> None:
        """Show the outcome."""
        style = palette_of(self)
        self._words.show(Text(f"  {words}", style.warning if is_missing else style.faint))

    def found(self, vertex: int) -> None:
        """Show that a vertex was found, and how to continue."""
        self._at = vertex
        has_keys = self.screen.focused is self.entry
        self.say("enter ↓ next · ↑ previous · esc closes" if has_keys else "")

    def on_descendant_focus(self) -> None:
        """Name the keys."""
        self.look_again()

    def on_descendant_blur(self) -> None:
        """Stop naming the keys."""
        if self.display:
            self.say("")

    def look_again(self) -> None:
        """Search again with what is known now."""
        if self.display:
            self._look(self.entry.value, self._from, 1, True)

    def action_next(self, by: int) -> None:
        """Go to the next or previous one."""
        self._from = self._at
        self._look(self.entry.value, self._at, by, False)

    def action_close(self) -> None:
        """Close the line; the cursor stays."""
        if self.display:
            inside = self.entry.has_focus
            self.display = False
            if inside:
                self._on_close()


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
        self.view = GraphTree(handlers, self._show_item, id="node-graph")
        self._head = OneLine(id="graph-head")
        self._details = LinesView(id="graph-details", wrap=True)
        self._details.can_focus = False
        self._finder = Finder(self._look, self.view.focus, id="graph-find")
        super().__init__(id=id)
        self.parts = self._head, self.view, self._details, self._finder
        self._on_legend = on_legend
        self._tree: Containment | None = None
        self._is_behind = False  # the node with the cursor is another since it was last followed
        self._tasks = LatestTasks(self)
        self._busy = ""

    def on_unmount(self) -> None:
        """Cancel background work."""
        self._tasks.cancel_all()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The keys are for the tree."""
        return action not in ("find", "open_all") or self._has_keys

    # Display

    def show_cluster(self, cluster: Cluster) -> None:
        """Show another cluster, and count in the background what it holds."""
        self._is_behind = False
        self._tasks.cancel_all()
        self._finder.action_close()
        resources, graph = cluster.resources, cluster.graph
        tree: Containment
        if graph is not None and graph.types:
            tree = GraphContainment(graph, resources)
        else:
            tree = ListedContainment(resources, cluster.stretches)
        self._tree = tree
        self._head.display = tree.is_derived and bool(resources.node_count)
        self._busy = "counting …"
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
            self._busy = ""
            self._on_legend()
            self.view.refresh()
            self.follow()
            self._finder.look_again()

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
        """The path of what has the cursor, in so many columns; then what is done, or the keys."""
        palette, vertex, tree = palette_of(self), self.view.vertex, self._tree
        path = printable(tree.path(vertex)) if tree is not None and vertex is not None else ""
        line = Text(shorten(path, room, "end"), palette.quiet, no_wrap=True, end="")
        hints = [hint_text(hint, palette) for hint in _HINTS] if keys else []
        for part in [Text(self._busy)] if self._busy else hints:
            if line.cell_len + part.cell_len + GAP <= room:
                line.append("  ").append_text(part)
        return line

    def on_descendant_focus(self) -> None:
        """Name the keys."""
        self._show_item()

    def on_descendant_blur(self) -> None:
        """Stop naming the keys."""
        self._show_item()

    @property
    def _has_keys(self) -> bool:
        return self.is_attached and self.screen.focused is self.view

    def _show_item(self) -> None:
        style, tree, spot = palette_of(self), self._tree, self.view.spot
        self._head.show(Text(NO_GRAPH, style=style.quiet))
        line = Text(style=style.plain, end="")
        if tree is not None and spot is not None:
            self._describe(tree, spot, line)
        self._details.show_lines([line])
        self._on_legend()

    def _describe(self, tree: Containment, spot: Spot, line: Text) -> None:
        style, item = palette_of(self), spot.item
        if isinstance(item, Bond):
            other = tree.vertex(item.link.row)
            line.append(printable(link_words(item.link, other.name)), style=style.label)
            line.append(f"  {printable(tree.path(item.link.row))}", style.quiet)
            if self._has_keys:
                line.append("   enter goes there", style.quiet)
            return
        vertex = item.first if isinstance(item, Fold) else item
        found = tree.vertex(vertex)
        name = tree.fold_name(item) if isinstance(item, Fold) else found.name
        line.append(printable(name) or "(no name)", style=style.strong)
        line.append(f"  {printable(found.type)}", style=style.quiet)
        facts = tree.facts(vertex)
        if isinstance(item, Fold):
            first = "; the first:" if facts else ""
            each = ", enter shows each" if self._has_keys else ""
            line.append(f"  {item.count:,} alike{each}{first}", style=style.quiet)
        if found.properties:
            line.append(f"  {printable(' '.join(found.properties))}", style=style.property)
        for key, value in facts:
            line.append(f"  {printable(key)}=", style=style.quiet)
            line.append(printable(value), style=style.plain)
        if tree.is_derived and tree.parent(vertex) < 0:
            line.append(
                "  " + WHERE_GRAPHS_ARE.format(key=key_of("open", "ctrl+o")), style=style.quiet
            )

    # Opening all below

    def action_open_all(self) -> None:
        """Open all that is below an item."""
        rows, spot = self.view.rows, self.view.spot
        if rows is not None and spot is not None:
            self._tasks.start(
                f"{GROWING} {spot.item}",  # of two that are opened, each one is wanted
                lambda stop: rows.grown(spot, MOST_GROWN),
                lambda grown: self._put_grown(spot, *grown),
            )

    def _put_grown(self, spot: Spot, branch: Branch | None, is_all: bool) -> None:
        if branch is None:
            return
        self.view.put_grown(spot, branch)
        if not is_all:
            self.app.notify(
                f"{branch.rows:,} rows are open now; anything deeper stays closed.",
                timeout=5,
            )

    # Finding a vertex

    def action_find(self) -> None:
        """Ask for a part of a name, type or path."""
        self._finder.ask(self.view.vertex)

    def _look(self, text: str, after: int | None, by: int, here: bool) -> None:
        """Look for the next vertex beside the event loop, and go there."""
        self._tasks.cancel(LOOKING)
        tree = self._tree
        if tree is None or after is None or not text:
            self._finder.say("part of a name, type or path" if not text else "")
            return
        if not tree.ready:
            self._finder.say("counting …")
            return
        self._finder.say("looking …")
        self._tasks.start(
            LOOKING,
            lambda stop: (tree.find(text, after, by, stop, here=here),),
            lambda found: self._show_found(text, *found),
        )

    def _show_found(self, text: str, vertex: int | None) -> None:
        if vertex is None:
            self._finder.say(f"nothing contains {printable(text)}", is_missing=True)
        else:
            self.view.go_to(vertex)
            self._finder.found(vertex)
