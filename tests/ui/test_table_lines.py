"""The columns of the node table, its titles, its values and its words, without an app."""

import random
from collections.abc import Sequence

import pytest
from rich.cells import cell_len
from rich.segment import Segment

from fluxtui.answers.listing.filtering import Filtered
from fluxtui.answers.listing.lister import Key, Lister, Wanted
from fluxtui.answers.listing.rows import Order
from fluxtui.notation.problem import Problem, Span
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.nodes.cluster_table import foot_words, marks_words, nothing_words
from fluxtui.ui.nodes.table_cells import Cells
from fluxtui.ui.nodes.table_columns import (
    KINDS,
    ONE,
    USUAL,
    Column,
    Layout,
    columns_of,
    segments_of,
)
from fluxtui.workbench import Cluster
from tests.ui.helpers import cluster, demo

PALETTE = Palette.of({})
ROOM = 60
BY_RANK = Key()


def marks(*names: str) -> list[Column]:
    """A column for each property of these names."""
    return [Column(f"{ONE}{name}", name, 1) for name in names]


def laid_out(columns: Sequence[Column], room: int = ROOM, rows: int = 3, **needs: int) -> Layout:
    return Layout(columns, 0, room, rows, needs)


def header(layout: Layout, scrolled: int = 0, key: Key = BY_RANK) -> list[str]:
    """The rows of the titles."""
    rows = (layout.titles(y, scrolled, key, {}, PALETTE) for y in range(layout.height))
    return ["".join(segment.text for segment in segments_of(row)) for row in rows]


# Titles


def test_titles_are_side_by_side_where_they_fit() -> None:
    columns = [Column("rank", "rank", 4, "right"), *marks("gpu", "debug", "ssd")]
    assert header(laid_out(columns)) == ["rank▴ gpu  debug  ssd"]


def test_titles_are_steps_above_their_marks_where_they_do_not_fit() -> None:
    columns = [Column("rank", "rank", 4, "right"), *marks("login", "batch", "debug", "gpu", "ssd")]
    assert header(laid_out(columns, 30)) == [
        "      login    debug  ssd",
        "rank▴ │ batch  │ gpu  │",
    ]
    assert header(laid_out(columns, 24)) == [
        "      login      gpu",
        "      │ batch    │ ssd",
        "rank▴ │ │ debug  │ │",
    ]
    assert header(laid_out(columns, 24, rows=1)) == ["rank▴ login  batch  debug"]


def test_the_sign_of_the_order_is_at_one_title() -> None:
    columns = [*marks("a", "gpu"), Column("core-ids", "core ids", 8), Column("cores", "cores", 5)]
    for key, title in (
        (Key.of("cores"), "cores▾"),
        (Key.of("cores").turned(), "cores▴"),
        (Key.of("property", "gpu"), "gpu▾"),
    ):
        (line,) = header(laid_out(columns), key=key)
        assert title in line
        assert line.count("▾") + line.count("▴") == 1
    (line,) = header(laid_out(columns[:3]), key=Key.of("cores"))
    assert "core ids▾" in line


@pytest.mark.parametrize("seed", range(40))
def test_every_title_is_whole_and_its_marks_are_below_its_first_letter(seed: int) -> None:
    dice = random.Random(seed)
    names = [
        "".join(dice.choices("abcdefg-漢", k=dice.randint(1, 12))) + str(number)
        for number in range(dice.randint(1, 30))
    ]
    room, scrolled = dice.randint(20, 160), dice.randint(0, 40)
    layout = laid_out([Column("rank", "rank", 5, "right"), *marks(*names)], room)
    drawn = [_cells(line) for line in header(layout, scrolled, Key.of("gpus"))]
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


# Where the columns are


@pytest.mark.parametrize("room", [40, 57, 80, 112])
def test_no_number_is_cut_however_far_one_scrolls(room: int) -> None:
    on = demo()
    columns = columns_of(KINDS, on.resources, ["batch", "debug"], folded=3)
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
    layout = laid_out([Column("host", "host", 8), *marks(*(f"rack{n}" for n in range(60)))], 40)
    seen, at = [], 0
    for _ in range(60):
        first = [place.column.name for place, _ in layout.in_sight(at)][1]
        seen.append(first)
        at = layout.scroll(at, 1)
    assert seen[0] == f"{ONE}rack0"
    assert seen[-1] == f"{ONE}rack59"
    while at > 0:
        before, at = at, layout.scroll(at, -1)
        assert at < before
    assert laid_out(marks("a")).scroll(0, 1) == 0


def test_hosts_take_what_they_need_while_there_is_room() -> None:
    hosts = Column("host", "hosts", 10, cut="list", most=1000)
    number = Column("cores", "cores", 5, "right")
    assert [p.width for p in laid_out([hosts, number], 40, host=20).placed] == [20, 5]
    assert [p.width for p in laid_out([hosts, number], 22, host=20).placed] == [15, 5]
    assert [p.width for p in laid_out([hosts, number], 12, host=20).placed] == [10, 5]
    words = Column("properties", "properties", 14, most=40)
    assert laid_out([number, words], 60).placed[-1].width == 53
    assert [p.width for p in laid_out([words, number], 60, properties=99).placed] == [40, 5]


def test_what_does_not_fit_is_cut_where_it_tells_most() -> None:
    names = [f"a-name-of-a-cluster-that-is-long-rack{rack}-node1234" for rack in (7, 8)]
    host = Column("host", "host", 20, cut="middle")
    assert [host.fit(name, 20) for name in names] == [
        "a-name…ack7-node1234",
        "a-name…ack8-node1234",
    ]
    assert host.fit("節" * 11, 20) == "節" * 3 + "…" + "節" * 6 + " "
    ranks = Column("rank", "ranks", 9, cut="list")
    assert ranks.fit("100-109,120", 9) == "100-109,…"
    assert ranks.fit("1-2,30-45,6", 9) == "1-2,…    "
    assert ranks.fit("500000-999999", 9) == "500000-9…"
    assert Column("cores", "cores", 5, "right").fit("123456", 5) == " " * 5


def test_columns_are_those_of_the_document() -> None:
    on = cluster(5, {"a": "0-1", "": "2"})
    names = [c.name for c in columns_of(USUAL, on.resources, [])]
    assert names == ["rank", "host", "cores", "gpus", "has:a", "has:"]
    names = [c.name for c in columns_of(("has:a", "has:gone", "marks", "what"), on.resources, [])]
    assert names == ["has:a", "has:"]
    assert not columns_of(("marks", "properties"), cluster(5).resources, [])
    folded = [c.name for c in columns_of((*USUAL, "match"), on.resources, [], folded=1)]
    assert folded == [
        "nodes",
        "host",
        "rank",
        "cores",
        "gpus",
        "has:a",
        "has:",
        "all-cores",
        "all-gpus",
    ]
    titles = [c.title for c in columns_of(("marks",), on.resources, [])]
    assert titles == ["a", '""']


def test_pieces_in_one_style_are_one_segment() -> None:
    columns = marks(*"abcdef")
    (line,) = [segments_of(laid_out(columns).titles(0, 0, Key(), {}, PALETTE))]
    assert line == [Segment("a  b  c  d  e  f", PALETTE.quiet)]


# Values


def test_every_column_holds_what_it_is_called() -> None:
    on, ask = demo(), "gpu&-debug"
    cells = Cells(on, Order(range(on.resources.node_count)))
    answer = _answer(on, ask)
    cells.show_match(answer.mask, answer.counted)
    for index in (0, 20, 170, 178, 190):
        node = on.resources.node(index)
        assert cells.text("rank", index) == str(node.rank)
        assert cells.text("host", index) == node.host
        assert cells.text("core-ids", index) == str(node.cores)
        assert cells.text("gpu-ids", index) == str(node.gpus)
        assert cells.text("count", index) == str(len(node.properties))
        assert cells.text("properties", index) == " ".join(node.properties)
        queues = [name for name, mask in on.coverage.items() if mask >> index & 1]
        assert cells.text("queues", index).split() == queues
        good = bool(answer.mask >> index & 1)
        assert cells.text("match", index).startswith("✓" if good else "✗")
        assert ("debug" in cells.text("match", index)) == (not good and "debug" in node.properties)
        assert cells.has("gpu", index) == ("gpu" in node.properties)


def test_a_row_for_many_nodes_says_what_they_have_together() -> None:
    on = cluster(13, {"a": "0-3,8-9", "b": "4-7"})
    listing = Lister(on.resources).find(Wanted(folded=True), on.resources.everything)
    cells = Cells(on, listing)
    names = ("nodes", "host", "rank", "cores", "all-cores", "all-gpus")
    assert [cells.text(name, 0) for name in names] == ["6", "n[0-3,8-9]", "0-3,8-9", "4", "24", ""]
    answer = _answer(on, "rank:2-4")
    cells.show_match(answer.mask, answer.counted)
    assert [cells.text("nodes", row) for row in range(3)] == ["2 of 6", "1 of 4", "0 of 3"]


def _answer(on: Cluster, text: str):  # type: ignore[no-untyped-def]
    from fluxtui import workbench

    return workbench.start(on, "", text).ask


# Words


def test_the_foot_says_what_is_listed() -> None:
    on = cluster(13, {"a": "0-3,8-9", "b": "4-7"})
    listing = Order(range(13))
    filtered = Filtered(1, "ranks 0-3")
    assert foot_words(listing, 13, Wanted(), None) == [("all 13 nodes", "quiet")]
    found = foot_words(Order(range(4)), 13, Wanted(text="0-3"), filtered)
    assert found == [("ranks 0-3", "plain"), ("4 of 13 nodes", "quiet")]
    wrong = Filtered(0, "", Problem("no rank is 'x'", Span(0, 1)))
    assert foot_words(listing, 13, Wanted(), wrong)[0] == ("no rank is 'x'", "problem")
    only = foot_words(Order(range(4)), 13, Wanted(only=True), None)
    assert only[0][0] == "4 of 13 nodes · matching nodes only"
    folded = Lister(on.resources).find(Wanted(folded=True), on.resources.everything)
    by_cores = Wanted(Key.of("all-cores"), folded=True)
    assert foot_words(folded, 13, by_cores, None)[0][0] == "13 nodes of 3 kinds, by all cores ▾"
    assert marks_words(("rank", "properties"), {}) == []
    assert marks_words(("rank", "has:a"), {}) == [("● has it  · not", "quiet")]
    assert marks_words(USUAL, {"a": "excluded"})[0][0] == "● has it  · not  ✗ excluded"


def test_an_empty_table_says_why() -> None:
    assert nothing_words(Wanted()) == ""
    assert "esc clears it" in nothing_words(Wanted(text="x", only=True))
    assert "m lists all nodes" in nothing_words(Wanted(only=True))
