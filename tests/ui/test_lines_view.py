"""Lines are drawn as Rich and Textual draw them, and of a long one only what is in sight."""

import sys
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from rich.style import Style
from rich.text import Text
from textual.app import App, ComposeResult
from textual.strip import Strip

from fluxtui.answers.containment import Containment, Fold, Item, can_open
from fluxtui.ui.kit import lines
from fluxtui.ui.kit.entry import Entry
from fluxtui.ui.kit.lines import LinesView, breaks
from fluxtui.ui.kit.text import columns, in_row
from fluxtui.ui.nodes.open_rows import Branch, OpenRows, Spot
from tests.answers.containment.trees import of_graph, random_graph, random_listed, walk
from tests.ui.helpers import workbench_at

WIDTH = 30


class Bare(App[None]):
    """One view of lines, and an input."""

    def __init__(self) -> None:
        super().__init__()
        self.edits: list[str] = []
        self.sent: list[str] = []

    def compose(self) -> ComposeResult:
        yield LinesView(id="lines")
        yield Entry(self.edits.append, lambda: None, "", id="entry")

    def on_input_changed(self, event: Entry.Changed) -> None:
        """Nobody is to be told."""
        self.sent.append(event.value)


def long_lines() -> list[Text]:
    """ASCII and other letters, styled as a whole and in a part, or not at all."""
    words = "".join(f"word{number} " for number in range(80))
    styled = Text(words, style="bold #ff0000", no_wrap=True, end="")
    styled.stylize("#00ff00", 5, 9)
    plain = Text(words, style="bold #ff0000", no_wrap=True, end="")
    wide = Text(words.replace("word7 ", "wörter字"), style="#0000ff", no_wrap=True, end="")
    wide.stylize("#00ff00", 40, 60)
    return [styled, plain, wide, Text("short", style="#ff0000", end="")]


async def test_a_part_of_a_long_line_looks_as_it_does_in_all_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with Bare().run_test(size=(WIDTH, 10)) as pilot:
        view = pilot.app.query_one(LinesView)
        view.show_lines(long_lines())
        await pilot.pause()
        assert view.virtual_size.width > lines.LONG * WIDTH
        for x in (0, 3, 7, 35, 100, view.max_scroll_x):
            view.scroll_to(x, 0, animate=False, immediate=True)
            seen = [list(view.render_line(y)) for y in range(4)]
            with monkeypatch.context() as patch:
                patch.setattr(lines, "LONG", 10_000)
                assert seen == [list(view.render_line(y)) for y in range(4)]


@pytest.mark.parametrize(
    ("text", "count"),
    [("", 0), ("node=4", 6), ("wörter", 6), ("字字", 4), ("a\x1bb", 3), ("ö\x1b", 2)],
)
def test_columns_are_those_of_the_text_as_it_is_shown(text: str, count: int) -> None:
    assert columns(text) == count


async def test_what_an_input_is_given_is_no_edit() -> None:
    async with Bare().run_test(size=(WIDTH, 10)) as pilot:
        app = pilot.app
        assert isinstance(app, Bare)
        entry = app.query_one(Entry)
        entry.focus()
        entry.put("node=4")
        assert (entry.value, entry.cursor_position, app.edits) == ("node=4", 6, [])
        await pilot.press("0")
        assert app.edits == ["node=40"]
        assert app.sent == []


WORDS = st.text("ab  ·✓節é", max_size=30)

STYLES = st.sampled_from(
    [Style.parse("bold #ff0000"), Style.parse("on #00ff00"), Style(), "italic", "no style"]
)

SPANS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30), STYLES), max_size=5)


@given(WORDS, SPANS, STYLES, st.integers(0, 20), st.integers(1, 20))
def test_a_line_looks_as_rich_draws_it(
    words: str,
    spans: list[tuple[int, int, Style | str]],
    style: Style | str,
    start: int,
    width: int,
) -> None:
    line = Text(words, style=style, end="")
    for first, end, part in spans:
        line.stylize(part, first, end)
    base, console = Style.parse("#0000ff on #000000"), Console()
    drawn = in_row(line, base, start, width, console)
    line.stylize_before(style)  # Rich draws it only where there is another one
    textual = Strip(line.render(console)).crop_extend(start, start + width, None).apply_style(base)
    assert drawn.cell_length == sum(cell_len(segment.text) for segment in drawn)
    assert [(c, s) for text, s, _ in drawn for c in text] == [
        (c, s) for text, s, _ in textual for c in text
    ]


@given(st.text("ab ·✓節-", max_size=60), st.integers(2, 20))
def test_a_text_is_broken_as_rich_breaks_it(words: str, width: int) -> None:
    places = breaks(words, width)
    if places is not None:
        parts = Text(words).wrap(Console(), width, no_wrap=False, overflow="fold")
        assert [part.plain.rstrip() for part in Text(words).divide(places)] == [
            part.plain.rstrip() for part in parts
        ]


def test_words_of_narrow_letters_are_broken_without_rich() -> None:
    assert breaks("ab · cd  e", 4) == [5, 9]
    assert breaks("toolong a", 4) is None
    assert breaks("節 a", 2) is None


async def test_what_was_scrolled_away_comes_back_where_there_is_room() -> None:
    async with Bare().run_test(size=(WIDTH, 10)) as pilot:
        view = pilot.app.query_one(LinesView)
        view.styles.overflow_y = "hidden"
        view.show_lines([Text(str(row), end="") for row in range(30)])
        view.scroll_to(y=15, animate=False, force=True, immediate=True)
        assert view.scroll_offset.y == 15
        view.show_lines([Text("0", end="")])
        assert view.scroll_offset.y == 0


def test_what_is_broken_without_rich_takes_one_column_each() -> None:
    narrow = [c for c in map(chr, range(sys.maxunicode + 1)) if lines.NARROW.fullmatch(c)]
    assert len(narrow) > 300
    assert [c for c in narrow if cell_len(c) != 1] == []


async def test_bars_come_and_go_with_what_does_not_fit() -> None:
    async with Bare().run_test(size=(WIDTH, 10)) as pilot:
        view = pilot.app.query_one(LinesView)
        for overflow in ("auto", "scroll"):
            view.styles.overflow_y = overflow  # type: ignore[assignment]
            for width, height in ((5, 2), (WIDTH + 1, 2), (5, 20), (WIDTH, 2), (5, 20), (5, 2)):
                view.show_lines([Text("x" * width, end="")] * height)
                found = view.scrollbars_enabled
                view._scroll_update(view.virtual_size)
                assert found == view.scrollbars_enabled, (overflow, width, height)


async def test_the_same_lines_are_laid_out_for_another_way_to_scroll() -> None:
    async with Bare().run_test(size=(WIDTH, 10)) as pilot:
        view = pilot.app.query_one(LinesView)
        view.show_lines([Text("x" * 2 * WIDTH, end="")])
        assert view.virtual_size.width == 2 * WIDTH
        view.styles.overflow_x = "hidden"
        view.show_lines([Text("x" * 2 * WIDTH, end="")])
        assert view.virtual_size.width == WIDTH


async def test_lines_in_a_view_without_columns() -> None:
    async with workbench_at(shape="node=999/slot/core") as (app, pilot):
        view = app.fit_pane.view
        assert view._break(Text("some words"), 0)
        await pilot.resize_terminal(1, 1)
        await pilot.resize_terminal(40, 12)
        assert app.is_running


# The rows of a tree that is partly open: against a walk over all that is open

SEEDS = st.integers(0, 5_000)

MOVES = st.lists(
    st.tuples(st.sampled_from(("open", "close", "grow", "find")), st.integers(0, 9_999))
)


def tree_of(seed: int) -> Containment:
    """A graph for an even seed, what an execution part implies for an odd one."""
    return of_graph(random_graph(seed))[0] if seed % 2 == 0 else random_listed(seed)[0]


def flat(branch: Branch, level: int = 0) -> Iterator[tuple[Spot, int]]:
    """Every row from above, with its level."""
    for place in range(len(branch.items)):
        yield Spot(branch, place), level
        inner = branch.opened(place)
        if inner is not None:
            yield from flat(inner, level + 1)


@given(SEEDS, MOVES)
def test_rows_are_those_of_a_walk(seed: int, moves: list[tuple[str, int]]) -> None:
    tree = tree_of(seed)
    rows = OpenRows(tree)
    vertices = list(walk(tree))
    for what, number in moves:
        spot = rows.at(number % len(rows))
        if what == "open":
            rows.open(spot)
        elif what == "close":
            rows.close(spot)
        elif what == "grow":
            branch, _ = rows.grown(spot, number % 60)
            if branch is not None:
                rows.put(spot, branch)
        else:
            wanted = vertices[number % len(vertices)]
            assert rows.reveal(wanted) is not None
        everything = list(flat(rows.root))
        assert len(rows) == len(everything)
        for row, (expected, level) in enumerate(everything):
            found = rows.at(row)
            assert (found, found.branch.level) == (expected, level)
            assert rows.row_of(found) == row
            assert rows.has(found)


@given(SEEDS, st.integers(0, 999))
def test_a_vertex_is_shown_by_opening_what_it_is_in(seed: int, number: int) -> None:
    tree = tree_of(seed)
    rows = OpenRows(tree)
    vertices = list(walk(tree))
    wanted = vertices[number % len(vertices)]
    spot = rows.reveal(wanted)
    assert spot is not None
    assert spot.item == wanted
    opened = {s.item for s, _ in flat(rows.root) if s.is_open and not isinstance(s.item, Fold)}
    above: set[Item] = set()
    while (wanted := tree.parent(wanted)) >= 0:
        above.add(wanted)
    assert opened == above


@given(SEEDS)
def test_all_below_is_opened_but_folded_leaves(seed: int) -> None:
    tree = tree_of(seed)
    rows = OpenRows(tree)
    spot = rows.at(0)
    branch, is_all = rows.grown(spot, 10_000)
    assert is_all
    if branch is None:
        assert not can_open(tree, spot.item)
        return
    before = len(rows)
    rows.put(spot, branch)
    assert len(rows) == before + branch.rows
    for found, _ in flat(branch):
        assert found.is_open == (can_open(tree, found.item) and not isinstance(found.item, Fold))


def test_a_limit_stops_the_opening() -> None:
    tree, _ = random_listed(3)
    rows = OpenRows(tree)
    branch, is_all = rows.grown(rows.at(0), 5)
    assert branch is not None
    assert not is_all
    assert branch.rows < len(list(walk(tree)))


def test_what_was_in_a_closed_item_is_not_there_any_more() -> None:
    tree, _ = random_listed(3)
    rows = OpenRows(tree)
    spot = rows.reveal(max(walk(tree)))
    assert spot is not None
    assert rows.has(spot)
    rows.close(rows.at(0))
    assert not rows.has(spot)
    assert rows.has(rows.at(0))
