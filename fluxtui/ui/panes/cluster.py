"""The cluster: its nodes as a map or as a table, with one cursor."""

from collections.abc import Callable
from itertools import islice
from typing import ClassVar

from textual.app import ComposeResult

from fluxtui.model.resources import Resources
from fluxtui.notation.source import printable
from fluxtui.ui.panes.pane import Pane
from fluxtui.ui.widgets.node_map import NodeMap, Section
from fluxtui.ui.widgets.node_table import Column, NodeTable
from fluxtui.ui.widgets.nodes_view import MATCH, OTHER, STALE, NodesView
from fluxtui.workbench import Ask, Cluster

SECTIONS_LIMIT = 200  # beyond this, rows that begin anew for each prefix would waste the screen
LABEL_LIMIT = 18
SAMPLE = 256  # ranges looked at to find how wide the names are


class ClusterPane(Pane):
    """Shows which nodes match, as a map or as a table; the keys and the mouse move one cursor."""

    title: ClassVar[str] = "Cluster"

    def __init__(
        self,
        on_move: Callable[[int], None],
        on_hover: Callable[[int | None], None],
        *,
        id: str,
    ) -> None:
        super().__init__(id=id)
        self.map = NodeMap(on_move, on_hover, id="node-map")
        self.table = NodeTable(on_move, on_hover, id="node-table")
        self.table.display = False

    def compose(self) -> ComposeResult:
        """Both views; one is shown."""
        yield self.map
        yield self.table

    def on_mount(self) -> None:
        """Show which view it is, and that there is another."""
        self._title()

    @property
    def view(self) -> NodesView:
        """The view that is shown."""
        return self.table if self.table.display else self.map

    def toggle(self) -> None:
        """Change between map and table, keeping the focus and the cursor."""
        focused = self.view.has_focus
        self.map.display = not self.map.display
        self.table.display = not self.map.display
        self._title()
        self.call_after_refresh(self.view.scroll_to_cursor)
        if focused:
            self.view.focus()

    def show_cluster(self, cluster: Cluster) -> None:
        """Show the nodes of another document."""
        resources = cluster.resources
        count = resources.node_count
        width = _label_width(resources)
        self.map.show_nodes(
            count, sections(resources), lambda index: printable(resources.host(index)), width
        )
        self.table.show_nodes(count, _columns(resources), lambda index: _row(resources, index))
        self.border_subtitle = ""

    def show_ask(self, ask: Ask) -> None:
        """Light up the nodes that match."""
        asked = ask.constraint is not None
        for view in (self.map, self.table):
            view.show_match(ask.mask, asked, ask.stale)
        glyph = f"{STALE} last match" if ask.stale else f"{MATCH} match"
        self.border_subtitle = f"{glyph}  {OTHER} no match   n p next, previous" if asked else ""

    def show_cursor(self, index: int | None) -> None:
        """Mark the selected node."""
        self.map.show_cursor(index)
        self.table.show_cursor(index)

    def _title(self) -> None:
        names = (
            f"[b]{name}[/b]" if on else f"[dim]{name}[/dim]"
            for name, on in (("Map", self.map.display), ("Table", self.table.display))
        )
        self.border_title = "Cluster  [@click=app.map_or_table]" + " │ ".join(names) + "[/]"


def sections(resources: Resources) -> tuple[Section, ...]:
    """The nodes grouped by the prefix of their host names, in rank order.

    Where that would make more groups than help, all nodes are one group.
    """
    found: list[Section] = []
    start, last = 0, None
    for stretch in resources.hosts.walk():
        stop = start + (stretch.last - stretch.first + 1)
        key = (stretch.prefix, stretch.suffix)
        if last == key:
            found[-1] = Section(found[-1].start, stop)
        elif len(found) == SECTIONS_LIMIT:
            return (Section(0, resources.node_count),)
        else:
            found.append(Section(start, stop))
        start, last = stop, key
    count = resources.node_count
    if not count:
        return ()
    if len(found) > max(1, count // 3):
        return (Section(0, count),)
    return (*found[:-1], Section(found[-1].start, count)) if found else (Section(0, count),)


def _label_width(resources: Resources) -> int:
    ranges = islice(resources.hosts.walk(), SAMPLE)
    return min(max((len(r.name(r.last)) for r in ranges), default=0), LABEL_LIMIT)


def _columns(resources: Resources) -> tuple[Column, ...]:
    rank = len(str(resources.ranks.last)) if resources.node_count else 4
    return (
        Column("rank", max(rank, 4), "right"),
        Column("host", min(max(_label_width(resources), 4), 32)),
        Column("cores", 5, "right"),
        Column("gpus", 4, "right"),
        Column("properties", 0),
    )


def _row(resources: Resources, index: int) -> tuple[str, ...]:
    node = resources.node(index)
    return (
        str(node.rank),
        printable(node.host),
        str(len(node.cores)),
        str(len(node.gpus)) if node.gpus else "",
        printable(" ".join(node.properties)),
    )
