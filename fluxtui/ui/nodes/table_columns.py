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

from fluxtui.answers.listing.lister import Key
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import printable
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.wording import fitted, property_name, shorten
from fluxtui.ui.nodes.map_layout import label_width

if TYPE_CHECKING:
    from fluxtui.answers.explain.properties import Standing

UP, DOWN = "▴", "▾"  # the direction of the order, after the title of what rows are sorted by
LINE = "│"  # from a title down to its marks

GAP = 2  # columns between two columns; the sign of the order may take the first of them
STEP = 2  # columns from a mark to the next one of the same steps
HOST_LIMIT = 32
WORDS = 14  # the least for properties as words
WORDS_LIMIT = 40  # the most, unless they are the last column
SCROLL = 16  # columns that one key scrolls sideways, at the least

#: More properties than this are shown as words at first.
MANY = 12

# How titles of marks are set, the first way that fits counts: in how many rows, how long at most.
_SETTINGS = ((1, 1000), (2, 16), (3, 16))

#: A column for one property is called by this and the name of the property.
ONE = "has:"

#: The columns that there are beside those, with their titles and what each holds.
TITLES: Mapping[str, tuple[str, str]] = {
    "rank": ("rank", "the rank"),
    "host": ("host", "the host"),
    "cores": ("cores", "how many cores"),
    "gpus": ("gpus", "how many gpus"),
    "core-ids": ("core ids", "the ids of the cores"),
    "gpu-ids": ("gpu ids", "the ids of the gpus"),
    "count": ("props", "how many properties"),
    "queues": ("queues", "the queues that have the node"),
    "match": ("match", "whether it matches, or which parts do not"),
    "properties": ("properties", "the properties as words"),
    "marks": ("marks", "the properties as marks, a column for each"),
}

#: What the table shows at first; the properties are words instead where there are many of them.
USUAL = ("rank", "host", "cores", "gpus", "marks")

# What each column is sorted by; the others are not.
_KEYS = {
    "rank": Key.of("rank"),
    "host": Key.of("host"),
    "cores": Key.of("cores"),
    "gpus": Key.of("gpus"),
    "core-ids": Key.of("cores"),
    "gpu-ids": Key.of("gpus"),
    "all-cores": Key.of("all-cores"),
    "all-gpus": Key.of("all-gpus"),
    "count": Key.of("count"),
    "properties": Key.of("count"),
    "match": Key.of("match"),
    "nodes": Key.of("size"),
}

# Those that stay in place, where they are the first, while the others scroll sideways.
_STAY = ("nodes", "rank", "host")


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, its title, and the least terminal columns that its values take.

    One that grows takes what its values need while there is room.
    """

    name: str
    title: str
    width: int
    align: Literal["left", "right"] = "left"
    cut: Literal["end", "middle", "list"] = "end"
    grows: bool = False

    @property
    def marked(self) -> str | None:
        """The property whose marks it holds; None where it holds something else."""
        return self.name.removeprefix(ONE) if self.name.startswith(ONE) else None

    @property
    def key(self) -> Key | None:
        """What a click on the title sorts by."""
        name = self.marked
        return _KEYS.get(self.name) if name is None else Key.of("property", name)

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


def columns_of(
    names: Iterable[str], resources: Resources, queues: Sequence[str], *, folded: str = ""
) -> tuple[Column, ...]:
    """The columns of these names; what is no column of this document is left out.

    Where rows are folded, a row says how many nodes it has, and what all of them have together;
    folded is then the longest text that says how many.
    """
    found: dict[str, Column] = {}
    for name in names:
        if name == "marks":
            wanted = [f"{ONE}{each}" for each in resources.properties]
        elif name == "properties" and not resources.properties:
            wanted = []
        else:
            wanted = [name]
        for each in wanted:
            column = _column(each, resources, queues)
            if column is not None:
                found.setdefault(each, column)
    if folded:
        return _folded(found, resources, len(folded))
    return tuple(found.values())


def _column(name: str, resources: Resources, queues: Sequence[str]) -> Column | None:
    if name.startswith(ONE):
        name = name.removeprefix(ONE)
        title = property_name(name)
        return Column(f"{ONE}{name}", title, 1) if name in resources.properties else None
    if name not in TITLES:
        return None
    title = TITLES[name][0]
    match name:
        case "rank":
            return Column(name, title, max(_digits(resources), len(title)), "right")
        case "host":
            width = min(max(label_width(resources), len(title)), HOST_LIMIT)
            return Column(name, title, width, cut="middle")
        case "core-ids" | "gpu-ids":
            kinds = resources.kinds[:100]
            ids = (str(kind.cores if name == "core-ids" else kind.gpus) for kind in kinds)
            return Column(name, title, min(max(map(len, ids), default=8), 16), cut="list")
        case "queues":
            width = len(" ".join(map(printable, queues)))
            return Column(name, title, min(max(width, len(title)), 20))
        case "match":
            return Column(name, title, 16)
        case "properties":
            return Column(name, title, WORDS)
        case _:
            return Column(name, title, len(title), "right")


def _digits(resources: Resources) -> int:
    return len(str(resources.ranks.last)) if resources.node_count else 1


def _folded(columns: Mapping[str, Column], resources: Resources, width: int) -> tuple[Column, ...]:
    """The same where one row may stand for many nodes: what these have together comes last."""
    found = [Column("nodes", "nodes", max(width, 5), "right")]
    digits = max(_digits(resources), 3)
    if "host" in columns:
        least = max(min(label_width(resources) + digits + len("[-]"), HOST_LIMIT), WORDS)
        found.append(Column("host", "hosts", least, cut="list", grows=True))
    if "rank" in columns:
        least = 2 * digits + len("-,…")
        found.append(Column("rank", "ranks", least, cut="list", grows=True))
    found += [column for name, column in columns.items() if name not in ("host", "rank", "match")]
    for what, whole in (("cores", resources.whole.cores), ("gpus", resources.whole.gpus)):
        if what in columns:
            title = f"all {what}"
            found.append(Column(f"all-{what}", title, max(len(f"{whole:,}"), len(title)), "right"))
    return tuple(found)


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

        needs are the widths of the values in columns that grow, and of the properties as words.
        """
        self.room = room
        widths = [column.width for column in columns]
        for number, column in enumerate(columns[:-1]):  # as the last one they take what is left
            if column.name == "properties":
                widths[number] = min(max(needs.get(column.name, 0), WORDS), WORDS_LIMIT)
        height, longest = _setting(columns, widths, lead, room, title_rows)
        self.height = height
        left = room - _end(_placed(columns, widths, lead, height, longest), lead)
        for number, column in enumerate(columns):
            if column.grows and left > 0:
                more = min(max(needs.get(column.name, 0) - column.width, 0), left)
                widths[number] += more
                left -= more
        if columns and columns[-1].name == "properties":
            widths[-1] += max(left, 0)
        placed = _placed(columns, widths, lead, height, longest)
        self.width = _end(placed, lead)
        stay = len(placed) if self.width <= room else 0
        while stay < len(placed) and placed[stay].column.name in _STAY:
            if (placed[stay].start + placed[stay].width) * 2 >= room:
                break
            stay += 1
        self.placed, self._staying = placed, stay
        self._edge = placed[stay].start if stay < len(placed) else room
        self._starts = [place.start for place in placed[stay:]]

    def in_sight(self, scrolled: int) -> Iterator[tuple[Placed, int]]:
        """The columns that are in sight, and the terminal column at which each begins there."""
        for place in self.placed[: self._staying]:
            yield place, place.start
        first = bisect_left(self._starts, self._edge + scrolled)
        for number in range(self._staying + first, len(self.placed)):
            place = self.placed[number]
            start = self._edge + place.start - self._starts[first]
            if start >= self.room:
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

    def at(self, x: int, y: int, scrolled: int) -> Column | None:
        """The column whose title, or the line from it, is at a place; None for none."""
        found, last = None, self.height - 1
        for place, start in self.in_sight(scrolled):
            if place.row == y and start <= x < start + max(cell_len(place.title), place.width):
                return place.column
            if start <= x <= start + place.width and (place.row <= y or place.row == last):
                found = place.column
        return found

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
        for place, start in self.in_sight(scrolled):
            column, name = place.column, place.column.marked
            standing = standings.get(name) if name is not None else None
            look = style.strong if column is ordered else style.quiet
            if standing is not None:
                look = style.problem if standing == "both" else style.match
            if place.row < y:
                yield Piece(start, LINE, style.faint)
            elif place.row == y:
                text = place.title
                if name is None:
                    text = column.fit(text, min(place.width, self.room - start)).rstrip()
                yield Piece(start, text, look)
                if column is ordered and text:
                    yield Piece(start + cell_len(text), DOWN if key.down else UP, style.strong)


def _setting(
    columns: Sequence[Column], widths: Sequence[int], lead: int, room: int, rows: int
) -> tuple[int, int]:
    """In how many rows the titles are set, and how long those of marks are at most."""
    marks = sum(column.marked is not None for column in columns)
    if not marks:
        return _SETTINGS[0]
    settings = [setting for setting in _SETTINGS if setting[0] <= rows]
    for setting in settings if marks * STEP < room else ():
        if _end(_placed(columns, widths, lead, *setting), lead) <= room:
            return setting
    return settings[-1]


def _placed(
    columns: Sequence[Column], widths: Sequence[int], lead: int, height: int, longest: int
) -> list[Placed]:
    """The columns in so many rows of titles, those of marks no longer than so."""
    found: list[Placed] = []
    start = end = lead  # end is where the titles of the present steps end, with the gap
    step = 0
    for column, width in zip(columns, widths, strict=True):
        title, row = column.title, height - 1
        if column.marked is None:
            start, step = end, 0
            end = start + width + GAP
        else:
            title = shorten(title, longest, "both")
            start, row = (start + STEP, step) if step else (end, 0)
            end = max(end, start + max(cell_len(title), 1) + GAP)
            step = (step + 1) % height
        found.append(Placed(column, start, width, title, row))
    return found


def _end(placed: Sequence[Placed], lead: int) -> int:
    """Where the last of the columns end, with their titles where these are of marks."""
    return max(
        (
            place.start + (place.width if place.column.marked is None else cell_len(place.title))
            for place in placed[-3:]
        ),
        default=lead,
    )


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
            if gap:
                found.append(Segment(gap))
            found.append(Segment(text, style))
        at = start + cell_len(text)
    return found
