"""The graph of a cluster: its tree, what is known of the vertex with the cursor, and a search."""

from collections.abc import Callable
from typing import Any, ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual.binding import Binding, BindingType
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
from fluxtui.ui.kit.lines import LinesView, OneLine
from fluxtui.ui.kit.palette import palette_of
from fluxtui.ui.kit.whole import Whole
from fluxtui.ui.kit.workers import LatestTasks
from fluxtui.ui.nodes.graph_lines import GAP, fitted
from fluxtui.ui.nodes.graph_rows import GraphTree
from fluxtui.ui.nodes.nodes_view import Handlers
from fluxtui.ui.nodes.open_rows import Branch, Spot
from fluxtui.workbench import Cluster


class Finder(Whole, Horizontal):
    """The line that asks for the text to look for; enter and the arrows go on to the next one."""

    DEFAULT_CSS = """
    Finder { height: 1; display: none; }
    Finder .finder-label { width: 6; }
    Finder Entry { width: 1fr; }
    Finder .finder-words { width: 1fr; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Leave", show=False, priority=True),
        Binding("down", "next(1)", "Next", show=False, priority=True),
        Binding("up", "next(-1)", "The one before", show=False, priority=True),
    ]

    def __init__(
        self,
        on_look: Callable[[str, int | None, int, bool], None],
        on_leave: Callable[[], object],
        *,
        id: str,
    ) -> None:
        super().__init__(id=id)
        self._look = on_look
        self._leave = on_leave
        self._from: int | None = None  # the vertex from which on one looks while typing
        self._at: int | None = None  # the one that was found
        self._label = OneLine(classes="finder-label")
        self.entry = Entry(self._edited, lambda: self.action_next(1), "", id="graph-find-entry")
        self._words = OneLine(classes="finder-words")
        self.parts = self._label, self.entry, self._words

    def ask(self, vertex: int | None) -> None:
        """Ask for a text; it is looked for from a vertex on."""
        self._from = self._at = vertex
        self._label.show(Text("Find ", style=palette_of(self).quiet))
        self.display = True
        self.screen.set_focus(self.entry)  # at once: the next key may be typed already
        self.entry.select_all()
        self._edited(self.entry.value)

    def say(self, words: str, *, is_missing: bool = False) -> None:
        """Say what became of it."""
        style = palette_of(self)
        look = style.warning if is_missing else style.faint
        self._words.show(Text(f"  {words}", style=look))

    def found(self, vertex: int) -> None:
        """Say that a vertex was found, and how to go on."""
        self._at = vertex
        self._say_found()

    def _say_found(self) -> None:
        has_keys = self.screen.focused is self.entry
        self.say("enter ↓ next · ↑ the one before · esc leaves" if has_keys else "")

    def on_descendant_focus(self) -> None:
        """Name the keys."""
        self.again()

    def on_descendant_blur(self) -> None:
        """Name no key that does nothing."""
        if self.display:
            self.say("")

    def again(self) -> None:
        """Look once more, as more is known now."""
        if self.display:
            self._edited(self.entry.value)

    def _edited(self, text: str) -> None:
        if self.display:
            self._look(text, self._from, 1, True)

    def action_next(self, by: int) -> None:
        """Go on to the next one, or back."""
        self._from = self._at
        self._look(self.entry.value, self._at, by, False)

    def action_leave(self) -> None:
        """Close it; the cursor stays where it is."""
        self.close()

    def close(self) -> None:
        """Close it."""
        if self.display:
            inside = self.entry.has_focus
            self.display = False
            if inside:
                self._leave()


COUNTING, GROWING, LOOKING = "graph counting", "graph growing", "graph looking"  # what is found
MOST_GROWN = 20_000  # rows that are opened at once

KEYS = ("→ opens", "* all", "/ finds", "space selects")
NO_GRAPH = "This document carries no resource graph: derived from R_lite."
WHERE_GRAPHS_ARE = (
    "Sockets, racks, memory and paths are known from a graph alone. ctrl+o opens an R document "
    "with scheduling.graph, as Fluxion writes it, or a JGF file."
)


class ClusterGraph(Whole, Vertical):
    """Shows what contains what in the open cluster.

    Without a resource graph it shows what the execution part implies, and says so. on_words is
    called when the words for the frame are others.
    """

    def __init__(
        self,
        handlers: Handlers,
        on_words: Callable[[], None],
        *,
        id: str,
    ) -> None:
        self.view = GraphTree(handlers, id="node-graph")
        self.view.on_item = self._show_item
        self.view.on_grow = self._grow
        self.view.on_find = self.find
        self._head = OneLine(id="graph-head")
        self._details = LinesView(id="graph-details", wrap=True)
        self._details.can_focus = False
        self._finder = Finder(self._look, self.view.focus, id="graph-find")
        super().__init__(id=id)
        self.parts = self._head, self.view, self._details, self._finder
        self._on_words = on_words
        self._cluster: Cluster | None = None
        self._containment: Containment | None = None
        self._is_behind = False  # the node with the cursor is another since it was last followed
        self._tasks = LatestTasks(self)
        self._busy = ""

    def on_unmount(self) -> None:
        """Nothing is wanted any more."""
        self._tasks.cancel_all()

    def show_cluster(self, cluster: Cluster) -> None:
        """Show another cluster, and count in the background what it holds."""
        if cluster is self._cluster:
            self._show_item()
            self.view.refresh()
            return
        self._cluster, self._is_behind = cluster, False
        self._tasks.cancel_all()
        self._finder.close()
        resources = cluster.resources
        if cluster.graph is not None and cluster.graph.types:
            found: Containment = GraphContainment(cluster.graph, resources)
        else:
            found = ListedContainment(resources, cluster.stretches)
        self._containment = found
        self._head.display = found.is_derived and bool(resources.node_count)
        self.view.show_tree(found, resources.node_count)
        self._show_item()
        self._busy = "counting …"
        # After the frame: it is the first one that shows these widgets, and takes long enough.
        self.call_after_refresh(self._count, found)

    def _count(self, tree: Containment) -> None:
        """Count what the vertices hold, where the graph is still this one."""

        def take(counted: Any) -> None:
            tree.take(counted)
            self._say("")
            self.view.refresh()
            self.follow()
            self._finder.again()

        if tree is self._containment and self.is_attached:
            self._tasks.start(COUNTING, tree.work_out, take)

    def show_cursor(self, index: int | None) -> None:
        """Go to the node that the cursor is on in all views, once this one is seen.

        The first node, where it always is at first, is no reason to open anything.
        """
        before = self.view.cursor
        if index != before:
            self.view.show_cursor(index)
            self._is_behind = before is not None or bool(index)
            self.follow()

    @property
    def is_placed(self) -> bool:
        """Which vertex a node is, is known."""
        tree = self._containment
        return tree is not None and (tree.ready or tree.is_derived)

    def follow(self) -> None:
        """Go to that node, where this is seen and one is elsewhere."""
        if self._is_behind and self.display and self.is_placed:
            self._is_behind = False
            self.view.follow()

    # Words

    def words(self, room: int, *, keys: bool) -> str:
        """The path of what has the cursor, in so many columns; then what is done, or the keys."""
        vertex, tree = self.view.vertex, self._containment
        path = printable(tree.path(vertex)) if tree is not None and vertex is not None else ""
        text = fitted(path, room)
        for words in (self._busy,) if self._busy else KEYS if keys else ():
            if words and cell_len(text) + cell_len(words) + GAP <= room:
                text = f"{text}  {words}"
        return text

    def on_descendant_focus(self) -> None:
        """Name the keys."""
        self._show_item()

    def on_descendant_blur(self) -> None:
        """Name no key that does nothing."""
        self._show_item()

    @property
    def _has_keys(self) -> bool:
        return self.is_attached and self.screen.focused is self.view

    def _say(self, words: str) -> None:
        self._busy = words
        self._on_words()

    def _show_item(self) -> None:
        """Say what is known of the item with the cursor."""
        style, tree, spot = palette_of(self), self._containment, self.view.spot
        self._head.show(Text(NO_GRAPH, style=style.quiet))
        line = Text(style=style.plain, end="")
        if tree is not None and spot is not None:
            self._describe(tree, spot, line)
        self._details.show_lines([line])
        self._on_words()

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
            line.append(f"  {WHERE_GRAPHS_ARE}", style=style.quiet)

    # Opening all below

    def _grow(self, spot: Spot) -> None:
        rows = self.view.rows
        if rows is not None:
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
                f"{branch.rows:,} rows are open now; what is further below stays closed.",
                timeout=5,
            )

    # Looking for a vertex

    def find(self) -> None:
        """Ask for a part of a name, type or path."""
        self._finder.ask(self.view.vertex)

    def _look(self, text: str, after: int | None, by: int, here: bool) -> None:
        """Look for the next vertex beside the event loop, and go there."""
        self._tasks.cancel(LOOKING)
        tree = self._containment
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
            self._finder.say(f"nothing has {printable(text)}", is_missing=True)
        else:
            self.view.go_to(vertex)
            self._finder.found(vertex)
