"""The columns of the node table: which there are, what they are called, how wide they are."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from rich.cells import cell_len, set_cell_size

from fluxtui.answers.listing.lister import Key
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import printable
from fluxtui.ui.kit.wording import property_name
from fluxtui.ui.nodes.node_map import label_width

GAP = 2  # columns between two columns; a sign of the order may stand in the first of them
HOST_LIMIT = 32
LEAST_CUT = 8  # columns that a text must have for a cut in its middle
WIDE = 40  # the most that it gets, but for the last one
FLEXIBLE = 14  # the least that a column gets which takes what is left

#: A column for one property is called by this and the name of the property.
ONE = "has:"

#: The columns that there are beside those, with their titles and what each holds.
TITLES: Mapping[str, tuple[str, str]] = {
    "rank": ("rank", "the rank"),
    "host": ("host", "the host"),
    "cores": ("cores", "how many cores"),
    "gpus": ("gpus", "how many gpus"),
    "core-ids": ("core ids", "the cores by their ids"),
    "gpu-ids": ("gpu ids", "the gpus by their ids"),
    "count": ("props", "how many properties"),
    "queues": ("queues", "the queues of the configuration that have the node"),
    "match": ("match", "whether it matches, and which part speaks against it"),
    "properties": ("properties", "the properties as words"),
    "marks": ("marks", "the properties as marks, a column for each"),
}

#: What the table shows at first.
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


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, its title, its width in terminal cells, the side its values stand on.

    A width of 0 takes what the others leave. One that grows has at least its width, and more where
    its values need it and there is room.
    """

    name: str
    title: str
    width: int
    align: Literal["left", "right"] = "left"
    cut: Literal["end", "middle", "list"] = "end"
    grows: bool = False

    @property
    def is_number(self) -> bool:
        """It holds numbers: a part of one would read as another one."""
        return self.align == "right"

    @property
    def is_marks(self) -> bool:
        """It holds a mark for each property."""
        return self.name == "marks"

    @property
    def key(self) -> Key | None:
        """What a click on the title sorts by."""
        if self.name.startswith(ONE):
            return Key.of("property", self.name.removeprefix(ONE))
        return _KEYS.get(self.name)

    def fit(self, text: str, width: int) -> str:
        """The text cut or padded to a width."""
        cells = cell_len(text)
        if cells > width:
            if self.cut == "middle" and width > LEAST_CUT and text.isascii():
                head = width // 3
                return f"{text[:head]}…{text[head + 1 - width :]}"
            head_text = set_cell_size(text, max(width - 1, 0))
            if self.cut == "list" and "," in head_text:  # half a number is another one
                head_text = head_text[: head_text.rindex(",") + 1]
                return head_text + "…" + " " * (width - 1 - cell_len(head_text))
            return head_text + "…"[:width]
        pad = " " * (width - cells)
        return pad + text if self.align == "right" else text + pad


def sorted_by(columns: Sequence[Column], key: Key) -> Column | None:
    """The one column that says by what rows are sorted; None where none does.

    Several may be sorted alike, such as a number of cores and their ids: that which is called so.
    """
    alike = [column for column in columns if key.is_alike(column.key)]
    return next((column for column in alike if column.name == key.by), alike[0] if alike else None)


class Placed(NamedTuple):
    """A column with its place: the terminal column it begins at, and the width it has."""

    column: Column
    start: int
    width: int

    @property
    def end(self) -> int:
        """Where it ends, without the gap."""
        return self.start + self.width


def columns_of(
    names: Iterable[str], resources: Resources, queues: Sequence[str], *, folded: str = ""
) -> tuple[Column, ...]:
    """The columns of these names; what is no column of this document is left out.

    Where rows are folded, a row says how many nodes it has, and what all of them have together;
    folded is then the longest text that says how many.
    """
    found: list[Column] = []
    for name in names:
        if name.startswith(ONE) and name.removeprefix(ONE) in resources.properties:
            title = property_name(name.removeprefix(ONE))
            found.append(Column(name, title, max(cell_len(title), 1)))
        elif name in TITLES and (resources.properties or name not in ("marks", "properties")):
            found.append(_column(name, resources, queues))
    return _folded(found, resources, len(folded)) if folded else tuple(found)


def _column(name: str, resources: Resources, queues: Sequence[str]) -> Column:
    title = TITLES[name][0]
    match name:
        case "rank":
            width = len(str(resources.ranks.last)) if resources.node_count else 4
            return Column(name, title, max(width, 4), "right")
        case "host":
            width = min(max(label_width(resources), 4), HOST_LIMIT)
            return Column(name, title, width, cut="middle")  # a host ends in what tells it apart
        case "cores" | "gpus" | "count":
            return Column(name, title, len(title), "right")
        case "core-ids" | "gpu-ids":
            kinds = resources.kinds[:100]
            ids = (str(kind.cores if name == "core-ids" else kind.gpus) for kind in kinds)
            return Column(name, title, min(max(map(len, ids), default=8), 16))
        case "queues":
            names = (cell_len(printable(queue)) for queue in queues)
            return Column(name, title, min(max(sum(names) + len(queues) - 1, 6), 20))
        case "match":
            return Column(name, title, 16)
        case _:
            return Column(name, title, 0)


def _folded(columns: Sequence[Column], resources: Resources, width: int) -> tuple[Column, ...]:
    """The same where one row may stand for many nodes."""
    named = {column.name: column for column in columns}
    found = [Column("nodes", "nodes", max(width, 5), "right")]
    digits = max(len(str(resources.ranks.last)) if resources.node_count else 1, 3)
    if "host" in named:
        least = max(min(label_width(resources) + digits + len("[-]"), HOST_LIMIT), FLEXIBLE)
        found.append(Column("host", "hosts", least, cut="list", grows=True))
    if "rank" in named:
        found.append(Column("rank", "ranks", 2 * digits + len("-,…"), cut="list", grows=True))
    found += [column for column in columns if column.name not in ("host", "rank", "match")]
    for what, whole in (("cores", resources.whole.cores), ("gpus", resources.whole.gpus)):
        if what in named:
            title = f"all {what}"
            found.append(Column(f"all-{what}", title, max(len(f"{whole:,}"), len(title)), "right"))
    return tuple(found)


def ordered(columns: Sequence[Column], lead: int, room: int) -> tuple[Column, ...]:
    """What all nodes of a row have together before marks and words, where these are in sight too.

    Else it comes last, and is scrolled to.
    """
    sums = [column for column in columns if column.name in ("all-cores", "all-gpus")]
    rest = [column for column in columns if column not in sums]
    words = [n for n, column in enumerate(rest) if not (column.is_number or column.grows)]
    if not words:
        return tuple(columns)
    before, after = rest[: words[0]] + sums, rest[words[0] :]
    at = lead + sum(column.width + GAP for column in before)
    return (*before, *after) if at + FLEXIBLE <= room else tuple(columns)


#: The columns that stay in place, where they are the first, while the others scroll sideways.
STAY = ("nodes", "rank", "host")


def placed(
    columns: Sequence[Column], lead: int, room: int, marks: int, needs: Mapping[str, int]
) -> tuple[tuple[Placed, ...], int]:
    """Where the columns stand, and how many of them stay there when the others scroll.

    marks is the width that a mark for each property takes, needs are those of the values in columns
    that grow.
    """
    widths = [marks if column.is_marks else column.width for column in columns]
    flexible = [number for number, column in enumerate(columns) if not widths[number]]
    least = sum(max(FLEXIBLE, len(columns[number].title)) for number in flexible)
    left = room - lead - sum(widths) - GAP * max(len(columns) - 1, 0)
    for number, column in enumerate(columns):
        if column.grows:
            more = min(needs.get(column.name, 0) - widths[number], left - least)
            widths[number] += max(more, 0)
            left -= max(more, 0)
    for number in flexible:
        share = max(left, 0) // len(flexible)
        if number + 1 < len(columns):  # what comes after it is not to stand at the far edge
            share = min(share, WIDE)
        widths[number] = max(share, FLEXIBLE, len(columns[number].title))
    found, at = [], lead
    for column, width in zip(columns, widths, strict=True):
        found.append(Placed(column, at, width))
        at += width + GAP
    stay = 0
    while stay < len(columns) and columns[stay].name in STAY and found[stay].end * 2 < room:
        stay += 1
    return tuple(found), stay
