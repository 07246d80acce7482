"""The columns of the node table: which ones exist, where each is at a width, and their titles.

A property is a column with a mark. Where the titles of the marks do not fit side by side they are
staggered over several rows, each with a line down to its mark::

    login    debug    amd-mi50
    │ batch  │ gpu    │ bigmem
    ● ·      · ●      · ·
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style

from fluxtui.answers.listing.lister import By, Key
from fluxtui.answers.listing.orders import INSIDE
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import printable
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.text import fitted, moment, property_name, shorten
from fluxtui.ui.nodes.map_layout import label_width
from fluxtui.workbench import Cluster

if TYPE_CHECKING:
    from fluxtui.answers.explain.properties import Standing

UP, DOWN = "▴", "▾"  # the sort direction, after the title of the column that rows are sorted by
LINE = "│"  # from a title down to its marks

GAP = 2  # columns between two columns; the sort direction may take the first of them
STEP = 2  # columns from a mark to the next one whose title is staggered with it
HOST_LIMIT = REASON_LIMIT = 32
REASON = 12  # columns of a drain reason, unless there is room for more
WORDS, WORDS_LIMIT = 14, 40  # columns of properties as words, unless they come last
HOSTS = 10  # columns of the hosts of a folded row, at least
SOME = 100  # how many kinds of nodes are measured to find how wide a column is
SCROLL = 16  # columns that one key scrolls sideways, at least

#: More properties than this are shown as words by default.
MANY = 12

# How many rows the titles of marks take and how long they may be; the first that fits is used.
_SETTINGS = ((1, 1000), (2, 16), (3, 16))

#: The name of the column for one property is this prefix and the name of the property.
ONE = "has:"


class Kind(NamedTuple):
    """A kind of column: title, contents, the sort key if any, and what that sorts first."""

    title: str
    holds: str = ""
    by: By | None = None
    first: str = ""


#: The columns other than those for one property each.
KINDS: Mapping[str, Kind] = {
    "rank": Kind("rank", "the rank", "rank", "as in the document"),
    "host": Kind("host", "the host", "host", "natural order: n2 before n10"),
    "state": Kind("state", "the state of the node now", "state", "nodes that are down first"),
    "reason": Kind("reason", "why it was drained"),
    "since": Kind("since", "when it was drained"),
    "used-cores": Kind("used", "how many cores are in use"),
    "used-gpus": Kind("used gpus", "how many gpus are in use"),
    "jobs": Kind("jobs", "the jobs that run on it"),
    "cores": Kind("cores", "how many cores", "cores", "most first"),
    "gpus": Kind("gpus", "how many gpus", "gpus", "most first"),
    "inside": Kind(
        "inside", "the domains in a node, such as sockets", "inside", "most domains first"
    ),
    "memory": Kind("memory", "how much memory", "memory", "most first"),
    "core-ids": Kind("core ids", "the ids of the cores", "cores"),
    "gpu-ids": Kind("gpu ids", "the ids of the gpus", "gpus"),
    "count": Kind("props", "how many properties", "count", "most first"),
    "queues": Kind("queues", "the queues that have the node"),
    "match": Kind(
        "match", "whether it matches, or which parts do not", "match", "matching nodes first"
    ),
    "properties": Kind("properties", "the properties as words", "count"),
    "marks": Kind("marks", "the properties as marks, a column for each"),
}

#: The columns that only a folded table has: totals over the nodes of a row.
OF_FOLDS: Mapping[str, Kind] = {
    "nodes": Kind("nodes", by="size", first="rows with the most nodes first"),
    "all-cores": Kind("all cores", by="all-cores", first="rows with the most cores first"),
    "all-gpus": Kind("all gpus", by="all-gpus", first="rows with the most gpus first"),
}

#: The default columns; with many properties these are shown as words instead of marks.
USUAL = ("rank", "host", "cores", "gpus", "inside", "memory", "marks")

#: The defaults for a running Flux, and the columns only it has; folded rows have just the state.
USUAL_LIVE = ("rank", "host", "state", "reason", "used-cores", *USUAL[2:])
LIVE = ("state", "reason", "since", "used-cores", "used-gpus", "jobs")

# Columns that, if they come first, stay in place while the others scroll sideways.
_STAY = ("nodes", "rank", "host")


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, its title, and its width, in terminal columns.

    Where there is room it gets as much as its values need, up to `most`.
    """

    name: str
    title: str
    width: int
    align: Literal["left", "right"] = "left"
    cut: Literal["end", "middle", "list"] = "end"
    most: int = 0

    @property
    def marked(self) -> str | None:
        """The property whose marks it shows; None if it shows something else."""
        return self.name.removeprefix(ONE) if self.name.startswith(ONE) else None

    @property
    def key(self) -> Key | None:
        """What a click on the title sorts by; None where it cannot be sorted by."""
        if self.marked is not None:
            return Key.of("property", self.marked)
        kind = KINDS.get(self.name) or OF_FOLDS[self.name]
        return Key.of(kind.by) if kind.by is not None else None

    def fit(self, text: str, width: int) -> str:
        """Return the text cut or padded to a width; a number is never cut but left blank."""
        cells = cell_len(text)
        if cells <= width:
            pad = " " * (width - cells)
            return pad + text if self.align == "right" else text + pad
        if self.align == "right" or width < 1:
            return " " * width
        if self.cut == "middle":
            return fitted(text, width, "both")
        head = set_cell_size(text, width - 1)
        if self.cut == "list" and "," in head:
            head = head[: head.rindex(",") + 1]
        return set_cell_size(f"{head}…", width)


# The columns of a cluster


def kinds_of(cluster: Cluster) -> Mapping[str, Kind]:
    """Return the columns that a cluster has, other than those for one property each."""
    resources = cluster.resources
    missing = {*(() if cluster.snapshot else LIVE), *(() if resources.topologies else INSIDE)}
    missing |= set() if resources.planes("memory") else {"memory"}
    return {name: kind for name, kind in KINDS.items() if name not in missing}


def columns_of(names: Iterable[str], cluster: Cluster, *, folded: int = 0) -> tuple[Column, ...]:
    """Return the columns of these names; names that this cluster has no column for are left out.

    `folded` is 0, or for folded rows the width of the count of nodes, which comes first; their
    totals come last.
    """
    resources = cluster.resources
    marks = [f"{ONE}{name}" for name in resources.properties]
    known = {*kinds_of(cluster), *marks}
    known -= {"" if marks else "properties", *((*LIVE[1:], "match") if folded else ())}
    all_names = (each for name in names for each in (marks if name == "marks" else [name]))
    wanted = [name for name in dict.fromkeys(all_names) if name in known]
    if not folded:
        return tuple(_column(name, cluster) for name in wanted)
    columns = [Column("nodes", "nodes", max(folded, 5), "right")]
    digits = max(_digits(resources), 3)
    if "host" in wanted:
        least = max(min(label_width(resources) + digits + len("[-]"), HOST_LIMIT), HOSTS)
        columns.append(Column("host", "hosts", least, cut="list", most=1000))
    if "rank" in wanted:
        columns.append(Column("rank", "ranks", 2 * digits + len("-,…"), cut="list", most=1000))
    columns += [_column(name, cluster) for name in wanted if name not in ("host", "rank")]
    for what, whole in (("cores", resources.whole.cores), ("gpus", resources.whole.gpus)):
        if what in wanted:
            title = OF_FOLDS[f"all-{what}"].title
            columns.append(Column(f"all-{what}", title, _widest(f"{whole:,}", title), "right"))
    return tuple(columns)


def _column(name: str, cluster: Cluster) -> Column:
    if name.startswith(ONE):
        return Column(name, property_name(name.removeprefix(ONE)), 1)
    resources, title = cluster.resources, KINDS[name].title
    nodes = cluster.snapshot.nodes if cluster.snapshot is not None else None
    match name:
        case "rank":
            return Column(name, title, max(_digits(resources), len(title)), "right")
        case "host":
            width = min(max(label_width(resources), len(title)), HOST_LIMIT)
            return Column(name, title, width, cut="middle")
        case "core-ids" | "gpu-ids":
            kinds = resources.kinds[:SOME]
            ids = (str(kind.cores if name == "core-ids" else kind.gpus) for kind in kinds)
            return Column(name, title, min(_widest(title, *ids), 16), cut="list")
        case "state":
            states = [state for state, mask in nodes.by_state.items() if mask] if nodes else []
            return Column(name, title, _widest("allocated", *states))
        case "reason":
            texts = [printable(drain.reason) for drain in nodes.drains] if nodes else []
            width = min(_widest(title, *texts), REASON_LIMIT)
            return Column(name, title, min(width, REASON), most=width)
        case "since":
            drains = nodes.drains if nodes else ()
            texts = [moment(drain.since) for drain in drains if drain.since is not None]
            return Column(name, title, min(_widest(title, *texts), REASON_LIMIT))
        case "inside" | "memory":
            topologies = resources.topologies[:SOME]
            texts = [printable(INSIDE[name](topology.node)) for topology in topologies]
            width = min(_widest(title, *texts), WORDS_LIMIT)
            return Column(name, title, width, "left" if name == "inside" else "right")
        case "queues":
            queues = cluster.config.queues if cluster.config is not None else ()
            words = printable(" ".join(queue.name for queue in queues))
            return Column(name, title, min(_widest(title, words), 20))
        case "match" | "jobs":
            return Column(name, title, 16, most=WORDS_LIMIT if name == "jobs" else 0)
        case "properties":
            return Column(name, title, WORDS, most=WORDS_LIMIT)
        case _:
            return Column(name, title, len(title), "right")


def _widest(*texts: str) -> int:
    return max(map(cell_len, texts))


def _digits(resources: Resources) -> int:
    return len(str(resources.ranks.last)) if resources.node_count else 1


# The layout


class Placed(NamedTuple):
    """A column with the terminal column it starts at, its width, its title and the title's row."""

    column: Column
    start: int
    width: int
    title: str
    row: int


class Piece(NamedTuple):
    """A text at a terminal column, with its style."""

    start: int
    text: str
    style: Style


class Layout:
    """The columns at a width: the first ones stay in place while the others scroll sideways.

    Scrolling goes by whole columns at any scroll position, so that none is cut on its left.
    """

    def __init__(
        self,
        columns: Sequence[Column],
        lead: int,
        room: int,
        title_rows: int,
        needs: Mapping[str, int],
    ) -> None:
        """Place columns after a lead of columns, with at most `title_rows` rows for the titles.

        room is the width of the view; needs are the widths of the values, by column name.
        """
        widths = [column.width for column in columns]
        has_marks = any(column.marked is not None for column in columns)
        for setting in _SETTINGS[: title_rows if has_marks else 1]:
            left = room - _end(_placed(columns, widths, lead, *setting), lead)
            if left >= 0:
                break
        for number, column in enumerate(columns):
            more = min(needs.get(column.name, 0), column.most) - column.width
            more = max(min(more, left), 0)
            widths[number] += more
            left -= more
        if columns and columns[-1].name == "properties":
            widths[-1] += max(left, 0)
        self.room, self.height = room, setting[0]
        self.placed = placed = _placed(columns, widths, lead, *setting)
        self.width = _end(placed, lead)
        stay = len(placed) if self.width <= room else 0
        while stay < len(placed) and placed[stay].column.name in _STAY:
            if (placed[stay].start + placed[stay].width) * 2 >= room:
                break
            stay += 1
        self._staying = stay
        self._edge = placed[stay].start if stay < len(placed) else room
        self._starts = [place.start for place in placed[stay:]]

    def in_sight(self, scrolled: int) -> Iterator[tuple[Placed, int]]:
        """Yield the visible columns, each with the terminal column that it starts at.

        Numbers that are cut at the right edge are left out: only the short ones would show.
        """
        for place in self.placed[: self._staying]:
            yield place, place.start
        first = bisect_left(self._starts, self._edge + scrolled)
        for place in self.placed[self._staying + first :]:
            start = self._edge + place.start - self._starts[first]
            is_cut = place.column.align == "right" and start + place.width > self.room
            if start >= self.room or (is_cut and start > self._edge):
                return
            yield place, start

    def scroll(self, scrolled: int, by: int) -> int:
        """Return where to scroll to, so that another of the scrolling columns comes first."""
        if not self._starts:
            return 0
        last = len(self._starts) - 1
        first = min(bisect_left(self._starts, self._edge + scrolled), last)
        to = bisect_left(self._starts, self._starts[first] + by * SCROLL)
        to = max(to, first + 1) if by > 0 else min(to, first - 1)
        return self._starts[min(max(to, 0), last)] - self._edge

    def _heads(self, y: int, scrolled: int) -> Iterator[tuple[Column, int, str]]:
        """Yield what is in row y of the titles, and where: titles, and lines from titles above."""
        for place, start in self.in_sight(scrolled):
            column, left = place.column, self.room - start
            if place.row < y:
                yield column, start, LINE
            elif place.row == y:
                is_cut = column.marked is None and left < place.width
                yield column, start, column.fit(column.title, left) if is_cut else place.title

    def at(self, x: int, y: int, scrolled: int) -> Column | None:
        """Return the column whose title, or the line below it, is at a position; None for none."""
        heads = self._heads(y, scrolled)
        return next((c for c, start, text in heads if start <= x < start + cell_len(text)), None)

    def titles(
        self,
        y: int,
        scrolled: int,
        key: Key,
        standings: "Mapping[str, Standing]",
        style: Palette,
    ) -> Iterator[Piece]:
        """Yield row y of the titles; standings say what the constraint asks of properties."""
        ordered = sorted_by([place.column for place in self.placed], key)
        for column, start, text in self._heads(y, scrolled):
            standing = standings.get(column.marked) if column.marked is not None else None
            look = style.strong if column is ordered else style.quiet
            if text == LINE:
                look = style.faint
            elif standing is not None:
                look = style.problem if standing == "both" else style.match
            yield Piece(start, text.rstrip(), look)
            if column is ordered and text != LINE:
                end = start + cell_len(text.rstrip())
                yield Piece(end, DOWN if key.down else UP, style.strong)


def _placed(
    columns: Sequence[Column], widths: Sequence[int], lead: int, height: int, longest: int
) -> list[Placed]:
    """Place columns with titles in so many rows; titles of marks are cut to the longest length."""
    placed: list[Placed] = []
    start = end = lead  # end: where the titles of the current group of marks end, with the gap
    step = 0
    for column, width in zip(columns, widths, strict=True):
        row = height - 1
        if column.marked is None:
            title = column.fit(column.title, width)
            start, step = end, 0
            end = start + width + GAP
        else:
            title = shorten(column.title, longest, "both")
            start, row = (start + STEP, step) if step else (end, 0)
            end = max(end, start + max(cell_len(title), 1) + GAP)
            step = (step + 1) % height
        placed.append(Placed(column, start, width, title, row))
    return placed


def _end(placed: Sequence[Placed], lead: int) -> int:
    """Return where the columns end; of those with marks, where their titles end."""
    ends = [
        place.start + (place.width if place.column.marked is None else cell_len(place.title))
        for place in placed[-3:]
    ]
    return max(ends, default=lead)


def sorted_by(columns: Sequence[Column], key: Key) -> Column | None:
    """Return the column that rows are sorted by, for the sort direction; None if not shown.

    Of several with the same sort key, such as cores and core ids, the one with the key's name.
    """
    alike = [column for column in columns if key.is_alike(column.key)]
    return next((column for column in alike if column.name == key.by), alike[0] if alike else None)


def segments_of(pieces: Iterable[Piece]) -> list[Segment]:
    """Return pieces, in order from left to right, as a line; neighbours in one style are merged."""
    line: list[Segment] = []
    at = 0
    for start, text, style in pieces:
        gap = " " * (start - at)
        if line and line[-1].style is style:
            line[-1] = Segment(f"{line[-1].text}{gap}{text}", style)
        else:
            line += [Segment(gap), Segment(text, style)] if gap else [Segment(text, style)]
        at = start + cell_len(text)
    return line
