"""The columns of the node table, its titles, its values and its words, without an app."""

import random
from collections.abc import Sequence

from rich.cells import cell_len

from fluxtui import workbench
from fluxtui.answers.listing.lister import Key
from fluxtui.answers.listing.rows import Order
from fluxtui.model.resources import document
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.nodes.node_table import Cells
from fluxtui.ui.nodes.table_columns import (
    KINDS,
    ONE,
    USUAL,
    Column,
    Layout,
    columns_of,
    kinds_of,
    segments_of,
)
from fluxtui.workbench import Cluster, Source
from tests.each import for_each
from tests.model.topologies import APU, XEON, tree
from tests.ui.documents import cluster, demo

PALETTE = Palette.of({})
RANK = Column("rank", "rank", 4, "right")
CORES = Column("cores", "cores", 5, "right")
IDS = Column("core-ids", "core ids", 8)
HOSTS = Column("host", "hosts", 10, cut="list", most=1000)
WORDS = Column("properties", "properties", 14, most=40)
BY_RANK = Key()
STEPS = "login batch debug gpu ssd"


def marks(names: str) -> list[Column]:
    """A column for each property of these names."""
    return [Column(f"{ONE}{name}", name, 1) for name in names.split()]


def laid_out(columns: Sequence[Column], room: int = 60, rows: int = 3, **needs: int) -> Layout:
    return Layout(columns, 0, room, rows, needs)


def header(layout: Layout, key: Key = BY_RANK, scrolled: int = 0) -> list[str]:
    rows = (layout.titles(y, scrolled, key, {}, PALETTE) for y in range(layout.height))
    return ["".join(segment.text for segment in segments_of(row)) for row in rows]


def test_titles_are_side_by_side_where_they_fit_else_steps_above_their_marks() -> None:
    steps = [RANK, *marks(STEPS)]
    assert header(laid_out([RANK, *marks("gpu debug ssd")])) == ["rank▴ gpu  debug  ssd"]
    two = ["      login    debug  ssd", "rank▴ │ batch  │ gpu  │"]
    three = ["      login      gpu", "      │ batch    │ ssd", "rank▴ │ │ debug  │ │"]
    assert header(laid_out(steps, 30)) == two
    assert header(laid_out(steps, 24)) == three
    assert header(laid_out(steps, 24, rows=1)) == ["rank▴ login  batch  debug"]
    # The sign of the order is at one of them.
    by_cores = Key.of("cores")
    gpu = laid_out([*marks("a gpu"), CORES])
    assert header(gpu, Key.of("property", "gpu")) == ["a  gpu▾ cores"]
    assert header(laid_out([IDS, CORES]), by_cores) == ["core ids  cores▾"]
    assert header(laid_out([IDS]), by_cores.turned()) == ["core ids▴"]
    # Of a column in sight in part, words are cut, and numbers left out.
    assert header(laid_out([RANK, IDS], 10)) == ["rank▴ cor…"]
    assert header(laid_out([IDS, CORES], 14)) == ["core ids"]
    # Pieces in one style are one segment.
    row = segments_of(laid_out(marks("a b c d")).titles(0, 0, Key(), {}, PALETTE))
    assert [segment.text for segment in row] == ["a  b  c  d"]


@for_each("seed", range(40))
def test_every_title_is_whole_and_its_marks_are_below_its_first_letter(seed: int) -> None:
    dice = random.Random(seed)
    names = [
        "".join(dice.choices("abcdefg-漢", k=dice.randint(1, 12))) + str(number)
        for number in range(dice.randint(1, 30))
    ]
    room, scrolled = dice.randint(20, 160), dice.randint(0, 40)
    layout = laid_out([Column("rank", "rank", 5, "right"), *marks(" ".join(names))], room)
    drawn = [_cells(line) for line in header(layout, Key.of("gpus"), scrolled)]
    seen = list(layout.in_sight(scrolled))
    assert len({start for _, start in seen}) == len(seen)
    for place, start in seen:
        if place.column.marked is None:
            continue
        title = _cells(place.title)
        inside = min(len(title), room - start)
        assert drawn[place.row][start : start + inside] == title[:inside]
        assert all(row[start] == "│" for row in drawn[place.row + 1 :])
        assert layout.at(start, layout.height - 1, scrolled) is place.column
        assert layout.at(start + len(title) - 1, place.row, scrolled) is place.column


def _cells(text: str) -> list[str]:
    """The characters of a text by terminal column; a wide one is followed by a blank one."""
    return [cell for char in text for cell in (char, "")[: cell_len(char)]]


@for_each("room", [40, 57, 80, 112])
def test_no_number_is_cut_however_far_one_scrolls(room: int) -> None:
    columns = columns_of(KINDS, demo(), folded=3)
    layout = Layout(columns, 5, room, 3, {"host": 30, "rank": 12})
    for scrolled in range(layout.width):
        for place, start in layout.in_sight(scrolled):
            width = min(place.width, room - start)
            value = "1234"[: place.width]
            if place.column.align == "right":
                assert place.column.fit(value, width).strip() in ("", value)
            assert start >= 0
            assert cell_len(place.column.fit("x" * 99, width)) == width


def test_a_key_scrolls_to_another_column_until_the_last() -> None:
    layout = laid_out(
        [Column("host", "host", 8), *marks(" ".join(f"rack{n}" for n in range(60)))], 40
    )
    seen, at = [], 0
    for _ in range(60):
        seen.append([place.column.name for place, _ in layout.in_sight(at)][1])
        at = layout.scroll(at, 1)
    assert (seen[0], seen[-1]) == (f"{ONE}rack0", f"{ONE}rack59")
    while at > 0:
        before, at = at, layout.scroll(at, -1)
        assert at < before
    assert laid_out(marks("a")).scroll(0, 1) == 0


def test_columns_grow_while_there_is_room_and_are_cut_where_they_tell_most() -> None:
    for columns, room, needs, widths in (
        ([HOSTS, CORES], 40, {"host": 20}, [20, 5]),
        ([HOSTS, CORES], 22, {"host": 20}, [15, 5]),
        ([HOSTS, CORES], 12, {"host": 20}, [10, 5]),
        ([CORES, WORDS], 60, {}, [5, 53]),
        ([WORDS, CORES], 60, {"properties": 99}, [40, 5]),
    ):
        assert [place.width for place in laid_out(columns, room, **needs).placed] == widths
    for width, cut, text, expected in (
        (20, "middle", "a-name-of-a-cluster-that-is-long-rack7-node1234", "a-name…ack7-node1234"),
        (20, "middle", "節" * 11, "節" * 3 + "…" + "節" * 6 + " "),
        (9, "list", "100-109,120", "100-109,…"),
        (9, "list", "1-2,30-45,6", "1-2,…    "),
        (9, "list", "500000-999999", "500000-9…"),
    ):
        assert Column("host", "host", width, cut=cut).fit(text, width) == expected
    assert CORES.fit("123456", 5) == "     "  # a part of a number would be another one


FOLDED = ["nodes", "host", "rank", "cores", "gpus", "has:a", "has:", "all-cores", "all-gpus"]


def test_columns_are_those_of_the_document() -> None:
    on = cluster(5, {"a": "0-1", "": "2"})
    for names, folded, expected in (
        (USUAL, 0, ["rank", "host", "cores", "gpus", "has:a", "has:"]),
        (("has:a", "has:gone", "marks", "what"), 0, ["has:a", "has:"]),
        ((*USUAL, "match"), 1, FOLDED),
    ):
        assert [column.name for column in columns_of(names, on, folded=folded)] == expected
    assert [column.title for column in columns_of(("marks",), on)] == ["a", '""']
    assert not columns_of(("marks", "properties"), cluster(5))


def test_what_nodes_have_inside_is_in_columns_where_the_document_says_it() -> None:
    parts = ("0-1", XEON, "0-119", "0-7"), ("2-3", APU, "0-95", "0-3")
    on = Cluster.of(Source("R"), document.read(tree(*parts)))
    shown = {column.name: column for column in columns_of(USUAL, on)}
    assert [*shown] == ["rank", "host", "cores", "gpus", "inside", "memory"]
    cells = Cells(on, Order(range(4)))
    found = [tuple(cells.text(name, row) for name in ("inside", "memory")) for row in (1, 2)]
    assert found == [("2 socket, 8 numa", ""), ("4 socket", "504 GiB")]
    assert shown["inside"].width == len("2 socket, 8 numa")
    assert shown["memory"].fit("504 GiB", shown["memory"].width) == "504 GiB"


def test_every_column_holds_what_it_is_called() -> None:
    on = demo()
    cells, answer = Cells(on, Order(range(196))), workbench.start(on, "", "gpu&-debug").ask
    cells.show_match(answer.mask, answer.counted)
    for index in (0, 20, 170, 178, 190):
        node, good = on.resources.node(index), bool(answer.mask >> index & 1)
        assert {
            name: cells.text(name, index) for name in kinds_of(on) if name not in ("marks", "match")
        } == {
            "rank": str(node.rank),
            "host": node.host,
            "cores": str(len(node.cores)),
            "gpus": str(len(node.gpus) or ""),
            "core-ids": str(node.cores),
            "gpu-ids": str(node.gpus),
            "count": str(len(node.properties)),
            "queues": " ".join(name for name, mask in on.coverage.items() if mask >> index & 1),
            "properties": " ".join(node.properties),
        }
        assert cells.text("match", index).startswith("✓" if good else "✗")
        assert ("debug" in cells.text("match", index)) == (not good and "debug" in node.properties)
        assert cells.has("gpu", index) == ("gpu" in node.properties)
