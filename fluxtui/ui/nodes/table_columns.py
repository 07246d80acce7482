"""The columns of the node table: which there are, where each is at a width, and their titles.

A property is a column with a mark. Where the titles of the marks do not fit side by side they are
set as steps, each above its mark, with a line down to it::

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

UP, DOWN = "▴", "▾"  # the direction of the order, after the title of what rows are sorted by
LINE = "│"  # from a title down to its marks

GAP = 2  # columns between two columns; the sign of the order may take the first of them
STEP = 2  # columns from a mark to the next one of the same steps
HOST_LIMIT = REASON_LIMIT = 32
REASON = 12  # columns of a reason, unless there is room for more
WORDS, WORDS_LIMIT = 14, 40  # for properties as words, unless they are the last column
HOSTS = 10  # of several hosts, at the least
SOME = 100  # kinds of nodes whose values say how wide a column is
SCROLL = 16  # columns that one key scrolls sideways, at the least

#: More properties than this are shown as words at first.
MANY = 12

# How titles of marks are set, the first way that fits counts: in how many rows, how long at most.
_SETTINGS = ((1, 1000), (2, 16), (3, 16))

#: A column for one property is called by this and the name of the property.
ONE = "has:"


class Kind(NamedTuple):
    """What a column is: its title, what it holds, what that sorts by, and what comes first then."""

    title: str
    holds: str = ""
    by: By | None = None
    first: str = ""


#: The columns that there are beside those of one property each.
KINDS: Mapping[str, Kind] = {
    "rank": Kind("rank", "the rank", "rank", "as in the document"),
    "host": Kind("host", "the host", "host", "natural order: n2 before n10"),
    "state": Kind("state", "how the node is now", "state", "nodes that are down first"),
    "reason": Kind("reason", "why it was drained"),
    "since": Kind("since", "since when it is drained"),
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

#: Those that there are only where a row may stand for many nodes.
OF_FOLDS: Mapping[str, Kind] = {
    "nodes": Kind("nodes", by="size", first="rows with the most nodes first"),
    "all-cores": Kind("all cores", by="all-cores", first="rows with the most cores first"),
    "all-gpus": Kind("all gpus", by="all-gpus", first="rows with the most gpus first"),
}

#: What the table shows at first; the properties are words instead where there are many of them.
USUAL = ("rank", "host", "cores", "gpus", "inside", "memory", "marks")

#: The same of a running Flux, and what only such a one has; of these folded rows have the state.
USUAL_LIVE = ("rank", "host", "state", "reason", "used-cores", *USUAL[2:])
LIVE = ("state", "reason", "since", "used-cores", "used-gpus", "jobs")

# Those that stay in place, where they are the first, while the others scroll sideways.
_STAY = ("nodes", "rank", "host")


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, its title, and the least terminal columns that its values take.

    While there is room it takes what its values need, up to the most.
    """

    name: str
    title: str
    width: int
    align: Literal["left", "right"] = "left"
    cut: Literal["end", "middle", "list"] = "end"
    most: int = 0

    @property
    def marked(self) -> str | None:
        """The property whose marks it holds; None where it holds something else."""
        return self.name.removeprefix(ONE) if self.name.startswith(ONE) else None

    @property
    def key(self) -> Key | None:
        """What a click on the title sorts by."""
        if self.marked is not None:
            return Key.of("property", self.marked)
        kind = KINDS.get(self.name) or OF_FOLDS[self.name]
        return Key.of(kind.by) if kind.by is not None else None

    def fit(self, text: str, width: int) -> str:
        """The text cut or padded to a width; a part of a number would read as another number."""
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


# Which columns there are


def kinds_of(cluster: Cluster) -> Mapping[str, Kind]:
    """What columns a cluster has beside those of one property each."""
    resources = cluster.resources
    lacking = {*(() if cluster.snapshot else LIVE), *(() if resources.topologies else INSIDE)}
    lacking |= set() if resources.planes("memory") else {"memory"}
    return {name: kind for name, kind in KINDS.items() if name not in lacking}


def columns_of(names: Iterable[str], cluster: Cluster, *, folded: int = 0) -> tuple[Column, ...]:
    """The columns of these names; what is no column of this cluster is left out.

    Where rows are folded, a row says how many nodes it has, in so many columns, and what all of
    them have together comes last.
    """
    resources = cluster.resources
    marks = [f"{ONE}{name}" for name in resources.properties]
    known = {*kinds_of(cluster), *marks}
    known -= {"" if marks else "properties", *((*LIVE[1:], "match") if folded else ())}
    all_names = (each for name in names for each in (marks if name == "marks" else [name]))
    wanted = [name for name in dict.fromkeys(all_names) if name in known]
    if not folded:
        return tuple(_column(name, cluster) for name in wanted)
    found = [Column("nodes", "nodes", max(folded, 5), "right")]
    digits = max(_digits(resources), 3)
    if "host" in wanted:
        least = max(min(label_width(resources) + digits + len("[-]"), HOST_LIMIT), HOSTS)
        found.append(Column("host", "hosts", least, cut="list", most=1000))
    if "rank" in wanted:
        found.append(Column("rank", "ranks", 2 * digits + len("-,…"), cut="list", most=1000))
    found += [_column(name, cluster) for name in wanted if name not in ("host", "rank")]
    for what, whole in (("cores", resources.whole.cores), ("gpus", resources.whole.gpus)):
        if what in wanted:
            title = OF_FOLDS[f"all-{what}"].title
            found.append(Column(f"all-{what}", title, _widest(f"{whole:,}", title), "right"))
    return tuple(found)


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
            found = [state for state, mask in nodes.by_state.items() if mask] if nodes else []
            return Column(name, title, _widest("allocated", *found))
        case "reason":
            texts = [printable(one.reason) for one in nodes.drains] if nodes else []
            width = min(_widest(title, *texts), REASON_LIMIT)
            return Column(name, title, min(width, REASON), most=width)
        case "since":
            drains = nodes.drains if nodes else ()
            texts = [moment(one.since) for one in drains if one.since is not None]
            return Column(name, title, min(_widest(title, *texts), REASON_LIMIT))
        case "inside" | "memory":
            texts = [printable(INSIDE[name](one.node)) for one in resources.topologies[:SOME]]
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


# Where they are


class Placed(NamedTuple):
    """A column with the terminal column it begins at, its width, its title and the row of that."""

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
    """The columns at a width: the first ones stay where the others scroll sideways.

    Those scroll by whole columns, whatever the place is, so that none begins in its middle.
    """

    def __init__(
        self,
        columns: Sequence[Column],
        lead: int,
        room: int,
        title_rows: int,
        needs: Mapping[str, int],
    ) -> None:
        """Place columns behind a lead in so much room, with so many rows for titles at most.

        needs are the widths that values take, by the names of the columns.
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
        """The columns that are in sight, and the terminal column at which each begins there.

        One of numbers is left out where a part is in sight, which would show the short ones alone.
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
        """Where to scroll to, so that another column is the first of those that scroll."""
        if not self._starts:
            return 0
        last = len(self._starts) - 1
        first = min(bisect_left(self._starts, self._edge + scrolled), last)
        to = bisect_left(self._starts, self._starts[first] + by * SCROLL)
        to = max(to, first + 1) if by > 0 else min(to, first - 1)
        return self._starts[min(max(to, 0), last)] - self._edge

    def _heads(self, y: int, scrolled: int) -> Iterator[tuple[Column, int, str]]:
        """What is in row y of the titles and where: titles, and lines from those above."""
        for place, start in self.in_sight(scrolled):
            column, left = place.column, self.room - start
            if place.row < y:
                yield column, start, LINE
            elif place.row == y:
                is_cut = column.marked is None and left < place.width
                yield column, start, column.fit(column.title, left) if is_cut else place.title

    def at(self, x: int, y: int, scrolled: int) -> Column | None:
        """The column whose title, or the line from it, is at a place; None for none."""
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
        """Row y of the titles; key is what rows are sorted by, standings what is asked."""
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
    """The columns in so many rows of titles, those of marks no longer than so."""
    found: list[Placed] = []
    start = end = lead  # end is where the titles of the present steps end, with the gap
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
        found.append(Placed(column, start, width, title, row))
    return found


def _end(placed: Sequence[Placed], lead: int) -> int:
    """Where the last of the columns end, with their titles where these are of marks."""
    ends = [
        place.start + (place.width if place.column.marked is None else cell_len(place.title))
        for place in placed[-3:]
    ]
    return max(ends, default=lead)


def sorted_by(columns: Sequence[Column], key: Key) -> Column | None:
    """The one column that says by what rows are sorted; None where none does.

    Several may be sorted alike, such as a number of cores and their ids: that which is called so.
    """
    alike = [column for column in columns if key.is_alike(column.key)]
    return next((column for column in alike if column.name == key.by), alike[0] if alike else None)


def segments_of(pieces: Iterable[Piece]) -> list[Segment]:
    """Pieces in their order from left to right as a line; those next to each other in one style
    are one segment.
    """
    found: list[Segment] = []
    at = 0
    for start, text, style in pieces:
        gap = " " * (start - at)
        if found and found[-1].style is style:
            found[-1] = Segment(f"{found[-1].text}{gap}{text}", style)
        else:
            found += [Segment(gap), Segment(text, style)] if gap else [Segment(text, style)]
        at = start + cell_len(text)
    return found
