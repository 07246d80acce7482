"""The node table: rows of nodes in any order, made only when drawn, by the line API."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import ClassVar, Literal

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import BindingType
from textual.geometry import Size
from textual.strip import Strip

from fluxtui.answers.explain.explanation import in_words
from fluxtui.answers.explain.properties import Standing
from fluxtui.answers.listing.lister import FoldedListing, Key
from fluxtui.answers.listing.orders import INSIDE
from fluxtui.answers.listing.rows import Head, Listing
from fluxtui.answers.matching import Matched
from fluxtui.model.constraint.tree import And, Properties
from fluxtui.model.live.snapshot import Snapshot
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import printable
from fluxtui.notation.sets.bits import has
from fluxtui.ui.kit.keys import bind
from fluxtui.ui.kit.lines import columns_for
from fluxtui.ui.kit.palette import Palette, palette_of
from fluxtui.ui.kit.text import moment, property_name
from fluxtui.ui.nodes.highlights import (
    Highlight,
    Lamps,
    as_bytes,
    is_in,
    state_style,
)
from fluxtui.ui.nodes.nodes_view import EMPTY, HOVER, Handlers, SelectableNodes
from fluxtui.ui.nodes.table_columns import Column, Layout, Piece, segments_of
from fluxtui.workbench import Cluster

LEAD = 3  # columns for the cursor, the match and a gap
FOLD = 2  # columns for the sign of a row that can be opened, and a gap
TITLE_ROWS = 3  # how many rows the titles take at most
CURSOR = "›"
CLOSED, OPEN = "▸", "▾"
HAS, LACKS, UNWANTED = "●", "·", "✗"  # a property: present, missing, present but excluded
MIXED, MIXED_SELECTED = "◧", "◈"  # a folded row whose nodes do not all look the same

RANGES = 5  # how many ranges of hosts and ranks a folded row shows
SAMPLE = 16  # how many rows determine the width of a column
_BLOCK = 16  # how many rows are looked up together, as each lookup copies a mask
_KEPT = 4096  # how many texts of rows are cached
_NEXT = 1000  # how many rows after the cursor are looked for in a new listing
_MOST = 1000  # columns: more than any column gets

# The value of a row in a column, by the index of its node.
_OF_NODE: Mapping[str, Callable[[Resources, int], str]] = {
    "rank": lambda resources, index: str(resources.rank(index)),
    "host": lambda resources, index: printable(resources.host(index)),
    "cores": lambda resources, index: str(resources.cores_at(index)),
    "gpus": lambda resources, index: _number(resources.gpus_at(index)),
    "core-ids": lambda resources, index: str(resources.kind_at(index).cores),
    "gpu-ids": lambda resources, index: str(resources.kind_at(index).gpus),
    "count": lambda resources, index: str(len(resources.properties_at(index))),
    "properties": lambda resources, index: " ".join(
        map(property_name, resources.properties_at(index))
    ),
}

# The same for columns that only a running Flux has.
_OF_STATES: Mapping[str, Callable[[Snapshot, int], str]] = {
    "state": lambda snapshot, index: snapshot.nodes.state(index),
    "reason": lambda snapshot, index: (
        printable(drain.reason) if (drain := snapshot.nodes.drain_of(index)) else ""
    ),
    "since": lambda snapshot, index: (
        moment(drain.since)
        if (drain := snapshot.nodes.drain_of(index)) and drain.since is not None
        else ""
    ),
    "used-cores": lambda snapshot, index: _used(snapshot, index, 0),
    "used-gpus": lambda snapshot, index: _used(snapshot, index, 1),
    "jobs": lambda snapshot, index: " ".join(job.f58 for job in snapshot.jobs_at(index)),
}

# The same for folded rows, by the mask of their nodes.
_OF_MANY: Mapping[str, Callable[[Resources, int], str]] = {
    "rank": lambda resources, nodes: resources.ranks_text(nodes, RANGES),
    "host": lambda resources, nodes: printable(resources.hosts_of(nodes, RANGES)),
    "all-cores": lambda resources, nodes: _number(resources.totals(nodes).cores),
    "all-gpus": lambda resources, nodes: _number(resources.totals(nodes).gpus),
}


class Cells:
    """The values of the rows of a listing by column, and how the rows look.

    Values that do not depend on the match are cached.
    """

    def __init__(self, cluster: Cluster, listing: Listing) -> None:
        self._cluster, self._resources, self._listing = cluster, cluster.resources, listing
        self._nodes = lru_cache(256)(self._look_up)
        self._text = lru_cache(_KEPT)(self._make)
        self.show_match(cluster.resources.everything, None)

    def show(self, listing: Listing) -> None:
        """Switch to the rows of another listing."""
        self._listing = listing
        self._nodes.cache_clear()
        self._text.cache_clear()

    def show_cluster(self, cluster: Cluster) -> None:
        """Switch to the same nodes of a running Flux at another moment."""
        self._cluster = cluster
        self._text.cache_clear()

    def show_match(self, good: int, counted: Matched | None) -> None:
        """Set which nodes match; counted is the constraint with its masks, None without one."""
        self._good, self._counted = good, counted
        self._parts: list[tuple[bytes, str]] | None = None

    def _look_up(self, block: int) -> Sequence[int]:
        start = block * _BLOCK
        return self._listing.indices(start, min(start + _BLOCK, self._listing.count))

    def index(self, row: int) -> int:
        """Return the node of a row; for a folded row, the first of its nodes."""
        return self._nodes(row // _BLOCK)[row % _BLOCK]

    def has(self, name: str, row: int) -> bool:
        """Return whether the nodes of a row have a property."""
        return is_in(self._resources.property_bytes[name], self.index(row))

    def text(self, name: str, row: int) -> str:
        """Return the value of a row in a column."""
        if name == "match":
            return self._reason(self.index(row))
        head = self._listing.head(row)
        if name != "nodes" or head is None:
            return self._text(name, row)
        if self._counted is None:
            return f"{head.size:,}"
        return f"{(self._listing.nodes(row, row + 1) & self._good).bit_count():,} of {head.size:,}"

    def needs(self, name: str) -> int:
        """Return the width that the first values of a column need; for reasons, the maximum."""
        if name == "reason":
            return _MOST
        rows = range(min(SAMPLE, self._listing.count))
        return max((cell_len(self.text(name, row)) for row in rows), default=0)

    def _make(self, name: str, row: int) -> str:
        if name in _OF_MANY and self._listing.head(row) is not None:
            return _OF_MANY[name](self._resources, self._listing.nodes(row, row + 1))
        index = self.index(row)
        if name == "queues":
            coverage = self._cluster.coverage.items()
            return printable(" ".join(queue for queue, mask in coverage if has(mask, index)))
        snapshot = self._cluster.snapshot
        if name in _OF_STATES and snapshot is not None:
            return _OF_STATES[name](snapshot, index)
        if name in INSIDE:
            return printable(INSIDE[name](self._resources.inside_at(index)))
        return _OF_NODE[name](self._resources, index) if name in _OF_NODE else ""

    def _reason(self, index: int) -> str:
        """Return whether a node matches, and the parts of the constraint that it fails."""
        if self._parts is None:
            counted, parts = self._counted, []
            if counted is not None:
                is_joined = isinstance(counted.constraint, And | Properties) and counted.parts
                parts = [*counted.parts] if is_joined else [counted]
            self._parts = [(as_bytes(self._good), "✓")]
            self._parts += [(as_bytes(part.mask), in_words(part.constraint)) for part in parts]
        (good, sign), *conditions = self._parts
        unmet = (words for data, words in conditions if not is_in(data, index))
        return sign if is_in(good, index) else printable(" ".join(("✗", *unmet)))

    def look(self, row: int, lamps: Lamps) -> Highlight:
        """Return how the nodes of a row look together; its mask is meaningless."""
        look, head = lamps.of(self.index(row)), self._listing.head(row)
        if head is None or head.size == 1:
            return look
        lit = lamps.counts(self._listing.nodes(row, row + 1))
        if not lit or lit[0][1] == head.size:
            return look
        is_selected = any(light.role == "slot" for light, _ in lit)
        return lit[0][0]._replace(glyph=MIXED_SELECTED if is_selected else MIXED)


def _number(value: int) -> str:
    """Return a number as a text, an empty one for 0."""
    return f"{value:,}" if value else ""


def _used(snapshot: Snapshot, index: int, which: Literal[0, 1]) -> str:
    """Return how many cores (0) or gpus (1) of a node are in use."""
    return _number(snapshot.nodes.in_use(index, snapshot.resources.kind_at(index))[which].count)


class NodeTable(SelectableNodes):
    """Draws a listing: whether the nodes of a row match, then its columns.

    A row is one node or several identical ones. Titles and the first columns stay in place while
    the others scroll. on_sort is called with the key of a clicked title, on_escape on escape; it
    returns whether it handled the key.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("table.left", "left", "sideways(-1)", ""),
        bind("table.right", "right", "sideways(1)", ""),
        bind("table.open", "enter", "enter", "Open", "Open or close a folded row"),
        bind("table.leave", "escape", "leave_rows", "", "Clear the filter, then the selection"),
    ]

    def __init__(self, handlers: Handlers, *, id: str) -> None:
        super().__init__(handlers, id=id)
        self.on_sort: Callable[[Key], None] = lambda key: None
        self.on_escape: Callable[[], bool] = lambda: False
        self.nothing = ""  # shown when no node is listed
        self.standings: Mapping[str, Standing] = {}  # what the constraint asks of properties
        self.cells = Cells(EMPTY, self.listing)
        self.opened: tuple[Sequence[int], ...] = ()  # some nodes of each folded row that is open
        self._key = Key()
        self._columns: tuple[Column, ...] = ()
        self._laid_out: tuple[Size, Layout] | None = None

    # Display

    def show_nodes(self, cluster: Cluster) -> None:
        """Show another cluster."""
        self.begin(cluster.resources.node_count)
        self.cells = Cells(cluster, self.listing)

    def show_listing(
        self, listing: Listing, key: Key, columns: tuple[Column, ...], *, from_top: bool = False
    ) -> None:
        """Show other rows; the cursor and the start of a range stay on their nodes.

        A range ends if the node at its start is not listed any more.
        """
        cursor, in_range = self.cursor, self._pressed or self._extended is not None
        begin = self.node_of(self._begin) if in_range else None
        if isinstance(listing, FoldedListing) and listing is not self.listing:
            listing.open_again(self.opened)
        self._near = 0 if from_top else self._row_near(listing)
        self.listing, self._key, self._columns = listing, key, columns
        self.lay_out(listing.count)
        self._at, first = self.item_of(cursor), self.item_of(begin)
        self._begin = first or 0
        if first is None:
            self.end_drag()
        self.cells.show(listing)
        self._lay_out()
        if from_top:
            self.scroll_to(y=0, animate=False)
        self.keep_in_view()

    def _row_near(self, listing: Listing) -> int:
        """Return the row of a new listing nearest to the cursor, whose node may not be in it."""
        before = self._near if self._at is None else self._at
        near = listing.near(self.cursor) if self.cursor is not None else None
        if near is None:  # not by rank: look for the nodes that now follow the cursor
            rows = map(listing.row, self.listing.indices(before, before + _NEXT))
            near = next((row for row in rows if row is not None), before)
        return min(near, max(listing.count - 1, 0))

    def keep_open(self, where: Sequence[int], count: int) -> None:
        """Keep the open rows open in the next document, which has `count` nodes.

        where has the index there of each node, which is count for one that is gone.
        """
        moved = ([where[at] for at in nodes if where[at] < count] for nodes in self.opened)
        self.opened = tuple(filter(None, moved))

    def _lay_out(self) -> None:
        self._laid_out = self._hover = None
        self.virtual_size = Size(self.columns.width, self.row_count + self.header_rows)
        self.refresh()

    def on_resize(self) -> None:
        """Lay the columns out again; the base class keeps the cursor in view."""
        self._lay_out()

    @property
    def columns(self) -> Layout:
        """The columns laid out for the current size.

        Computed lazily, so that the first frame after a resize is already right.
        """
        if self._laid_out is None or self._laid_out[0] != self.size:
            rows = min(max(self.size.height // 4, 1), TITLE_ROWS)
            needs = {c.name: self.cells.needs(c.name) for c in self._columns if c.most}
            room = columns_for(self, self.row_count + rows)
            self._laid_out = self.size, Layout(self._columns, self.lead, room, rows, needs)
        return self._laid_out[1]

    @property
    def header_rows(self) -> int:
        """The rows of the titles."""
        return self.columns.height

    @property
    def lead(self) -> int:
        """How many terminal columns come before the first column of the table."""
        return LEAD + (FOLD if self.listing.is_folded else 0)

    # Opening and closing, and sideways

    def _head(self, row: int | None) -> Head | None:
        """Return the head of a folded row; None for a single node, which cannot be opened."""
        head = self.listing.head(row) if row is not None else None
        return head if head is not None and head.size > 1 else None

    def _put_open(self, row: int, is_open: bool) -> None:
        if isinstance(self.listing, FoldedListing):
            self.end_drag()
            self.listing.put_open(row, is_open)
            self.opened = self.listing.opened
            self.show_listing(self.listing, self._key, self._columns)
            self._at = self.listing.head_at(row)

    def action_enter(self) -> None:
        """Open or close a folded row."""
        head = self._head(self.at)
        if head is not None and self.at is not None:
            self._put_open(self.at, not head.is_open)

    def action_sideways(self, by: int) -> None:
        """Open or close a folded row; if that is already done, scroll sideways."""
        head, row = self._head(self.at), self.at
        above = self.listing.head_at(row) if row is not None else None
        goes_back = by < 0 and self.scroll_offset.x > 0  # scroll back before closing anything
        is_done = by > 0 if head is None else head.is_open == (by > 0)
        if row is None or above is None or goes_back or is_done:
            self.scroll_to(x=self.columns.scroll(self.scroll_offset.x, by), animate=False)
        elif head is None:
            self.go_to(above)
        else:
            self._put_open(row, by > 0)

    async def action_leave_rows(self) -> None:
        """Clear the filter, else clear the selection or go back."""
        if not self.on_escape():
            await self.run_action("app.do('unselect')")

    # The mouse

    def _is_sign(self, item: int, x: int) -> bool:
        return self.listing.is_folded and LEAD - 1 <= x < self.lead

    def on_click(self, event: events.Click) -> None:
        """Sort by the title under the mouse; the base class handles the rows."""
        column = self._title_at(event)
        if column is not None and column.key is not None and not self._dragged:
            self.on_sort(column.key)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Show the property whose title is under the mouse; the base class handles the rows."""
        column = self._title_at(event)
        name = column.marked if column is not None else None
        self.tooltip = Text(property_name(name)) if name is not None else None

    def _title_at(self, event: events.MouseEvent) -> Column | None:
        offset = event.get_content_offset(self)
        if offset is None or offset.y >= self.header_rows or not self._count:
            return None
        return self.columns.at(*offset, self.scroll_offset.x)

    # Drawing

    def render_line(self, y: int) -> Strip:
        """Draw a line of the titles, or one row."""
        style, row = palette_of(self), self.item_at(0, y)
        if not self._count:
            return self._notice_line(y)
        if y < self.header_rows:
            scrolled = self.scroll_offset.x
            line = segments_of(self.columns.titles(y, scrolled, self._key, self.standings, style))
        elif row is not None:
            line = segments_of(self._pieces(row, style))
        else:
            hint = self.nothing if not self.row_count and y == self.header_rows + 1 else ""
            line = [Segment(" " * LEAD + hint, style.quiet)]
        strip = Strip(line).crop_extend(0, self.size.width, None)
        if row is not None and row == self.at:
            strip = strip.apply_style(style.selected)
        elif row is not None and row == self._hover:
            strip = strip.apply_style(HOVER)
        return strip.apply_style(self.base)

    def _pieces(self, row: int, style: Palette) -> Iterator[Piece]:
        cells, layout, look = self.cells, self.columns, self.cells.look(row, self._lamps)
        is_lit = bool(self.highlights.lights)
        plain = style.faint if is_lit and look.role == "unlit" else style.plain
        if row == self.at:
            yield Piece(0, CURSOR, style.strong)
        if is_lit:
            yield Piece(1, look.glyph, style.role(look.role))
        head = self._head(row)
        if head is not None:
            yield Piece(LEAD, OPEN if head.is_open else CLOSED, style.quiet)
        for place, start in layout.in_sight(self.scroll_offset.x):
            column = place.column
            if column.marked is not None:
                yield Piece(start, *self._mark(column.marked, row, plain, style))
                continue
            text = column.fit(cells.text(column.name, row), min(place.width, layout.room - start))
            if column.name == "state" and plain is not style.faint:
                yield Piece(start, text, state_style(text.strip(), style))
                continue
            if column.name != "properties":
                yield Piece(start, text, plain)
                continue
            at = start
            for word in text.split(" "):  # highlights the properties that the constraint requires
                is_wanted = self.standings.get(word) in ("required", "either")
                if word:
                    yield Piece(at, word, style.match if is_wanted else plain)
                at += cell_len(word) + 1

    def _mark(self, name: str, row: int, plain: Style, style: Palette) -> tuple[str, Style]:
        """Return the mark of a property in a row; present ones show what the constraint asks."""
        if not self.cells.has(name, row):
            return LACKS, style.faint
        standing = self.standings.get(name)
        if standing in ("excluded", "both"):
            return UNWANTED, style.quiet
        return HAS, plain if standing is None else style.match
