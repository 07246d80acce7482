"""Lines of text: how they are cut, wrapped and drawn, and the views that show them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from rich.style import Style
from rich.text import Text
from textual.app import App, ComposeResult
from textual.strip import Strip

from fluxtui.ui.kit import text as kit_text
from fluxtui.ui.kit.lines import CaretLine, LinesView, MadeLines, OneLine, RowsView
from fluxtui.ui.kit.text import columns, fitted, fold, in_row, shorten, wrap

WIDTH, HEIGHT = 30, 10

# Texts


@pytest.mark.parametrize(
    ("text", "count"),
    [("", 0), ("node=4", 6), ("wörter", 6), ("字字", 4), ("a\x1bb", 3), ("ö\x1b", 2)],
)
def test_columns_are_those_of_the_text_as_it_is_shown(text: str, count: int) -> None:
    assert columns(text) == count


@pytest.mark.parametrize(
    ("text", "width", "cut", "between_words"),
    [
        ("node", 4, "node", "node"),
        ("two words", 9, "two words", "two words"),
        ("two words", 8, "two wor…", "two…"),
        ("two words", 5, "two…", "two…"),
        ("a · b: c", 6, "a · b…", "a…"),
        ("word", 3, "wo…", "wo…"),
        ("字字字", 5, "字字…", "字字…"),
        ("字字字", 4, "字…", "字…"),
        ("word", 1, "…", "…"),
        ("word", 0, "", ""),
    ],
)
def test_what_is_too_long_ends_in_an_ellipsis(
    text: str, width: int, cut: str, between_words: str
) -> None:
    assert shorten(text, width) == cut
    assert shorten(text, width, "words") == between_words


@given(st.text("ab ,&|日\u0301", max_size=60), st.integers(2, 20))
def test_folding_loses_nothing(text: str, width: int) -> None:
    lines = fold(text, width)
    assert "".join(lines) == text
    assert all(cell_len(line.rstrip()) <= width for line in lines)


@given(st.text("ab ,&日", max_size=60), st.integers(2, 20), st.integers(0, 4))
def test_a_wrapped_line_has_all_its_text_and_styles(text: str, width: int, hang: int) -> None:
    line = Text(f"  {text}", style="bold")
    line.stylize("red", 3, 9)
    rows = wrap(line, width, hang)
    assert "".join(row.plain for row in rows).replace(" ", "") == text.replace(" ", "")
    assert all(row.cell_len <= max(width, 4) and row.style == "bold" for row in rows)
    styled = [row.plain[s.start : s.end] for row in rows for s in row.spans if s.style == "red"]
    assert "".join(styled).replace(" ", "") == text[1:7].replace(" ", "")


def test_what_goes_on_stands_as_far_in_and_what_has_no_room_is_marked() -> None:
    words = Text("  one two three four five")
    rows = ["  one two", "  three", "  four", "  five"]
    assert [row.plain for row in wrap(words, 9)] == rows
    assert [row.plain for row in wrap(words, 14, hang=2)] == [
        "  one two",
        "    three four",
        "    five",
    ]
    assert [row.plain for row in wrap(words, 9, most=2)] == ["  one two", "  three…"]
    assert [row.plain for row in wrap(Text("x" * 500), 9, most=1)] == ["xxxxxxxx…"]


def test_an_end_is_kept_where_it_says_most() -> None:
    assert shorten("/home/flux/R.json", 8, "end") == "…/R.json"
    assert shorten("字字字字", 6, "end") == "…字字"
    assert shorten("x", 0, "end") == shorten("xyz", 0) == ""
    assert shorten("nvidia-h100@gpu17", 9, "both") == "nvi…gpu17"
    assert shorten("nvidia-h100@gpu17", 7, "both") == "nvidia…"
    assert fitted("字字字字", 6) == "字字… "
    assert fitted("ab", 4) == "ab  "


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


@given(SPANS, st.integers(0, 300))
def test_a_part_of_a_long_line_looks_as_it_does_in_all_of_it(
    spans: list[tuple[int, int, Style | str]], start: int
) -> None:
    line = Text("0123456789 " * 40, style="bold #ff0000")
    for first, end, part in spans:
        line.stylize(part, first * 3, end * 5)
    base, console = Style(), Console()
    part_of_it = in_row(line, base, start, WIDTH, console)
    assert len(line) > kit_text.LONG * WIDTH
    whole = in_row(line, base, 0, len(line), console).crop(start, start + WIDTH)
    assert [(c, s) for text, s, _ in part_of_it for c in text] == [
        (c, s) for text, s, _ in whole.extend_cell_length(WIDTH, base) for c in text
    ]


class Views(App[None]):
    """Lines, rows, and two single lines."""

    CSS = "LinesView { height: 5; } CaretLine, OneLine { height: 1; }"

    def __init__(self) -> None:
        super().__init__()
        self.picked: list[int] = []

    def compose(self) -> ComposeResult:
        yield LinesView(id="lines")
        yield RowsView(self.picked.append, id="rows")
        yield OneLine(id="one")
        yield CaretLine(id="carets")


def seen(view: Any) -> list[str]:
    return [view.render_line(y).text.rstrip() for y in range(view.size.height)]


async def test_lines_are_wrapped_scrolled_and_cut() -> None:
    async with Views().run_test(size=(WIDTH, 20)) as pilot:
        view = pilot.app.query_one("#lines", LinesView)
        view.show_lines([Text(f"{row} {'x' * row}", end="") for row in range(40)])
        await pilot.pause()
        assert (view.virtual_size.width, view.virtual_size.height) == (42, 40)
        view.scroll_to(2, 10, animate=False, immediate=True)
        assert seen(view)[0] == " " + "x" * 10
        # What was scrolled away comes back where there is room.
        view.show_lines([Text("one", end="")])
        await pilot.pause()
        assert view.scroll_offset == (0, 0)
        assert seen(view) == ["one", "", "", "", ""]
        # What has no room is cut where nothing scrolls sideways; then no line out of sight is made.
        view.styles.overflow_x = "hidden"
        made: list[int] = []

        def make(row: int) -> Text:
            made.append(row)
            return Text(f"{row} " + "wide " * 20, end="")

        view.show_lines(MadeLines(100_000, make))
        await pilot.pause()
        assert seen(view)[1].startswith("1 wide")
        assert seen(view)[1].endswith("…")
        assert cell_len(seen(view)[1]) < WIDTH  # the scroll bar has a column
        assert max(made) < 10
        assert view.virtual_size.width == WIDTH
        # A view of no size is none the worse.
        await pilot.resize_terminal(1, 1)
        assert pilot.app.is_running


async def test_rows_are_chosen() -> None:
    app = Views()
    async with app.run_test(size=(WIDTH, 20)) as pilot:
        view = app.query_one(RowsView)
        view.focus()
        await pilot.press("enter")
        assert app.picked == []
        view.show_lines([Text(f"row {row}", end="") for row in range(12)])
        await pilot.press("down", "down", "up", "enter", "end", "space", "pageup", "enter", "home")
        assert app.picked == [1, 11, 7]
        assert view.row == 0
        view.put_row(7)
        view.show_lines([Text(f"row {row}", end="") for row in range(5)])
        assert view.row == 4  # the last there is
        await pilot.click(RowsView, offset=(1, 2))
        await pilot.pause()
        assert (view.row, app.picked) == (2, [1, 11, 7])
        await pilot.click(RowsView, offset=(1, 2), times=2)
        assert app.picked == [1, 11, 7, 2]
        selected = view.render_line(2)
        assert {segment.style.bold for segment in selected if segment.style} == {True}
        app.set_focus(None)
        await pilot.pause()
        assert not any(s.style.bold for s in view.render_line(2) if s.style)


async def test_a_message_gives_way_to_carets_and_the_left_to_the_right() -> None:
    async with Views().run_test(size=(WIDTH, 20)) as pilot:
        one, carets = pilot.app.query_one("#one", OneLine), pilot.app.query_one(CaretLine)
        one.show(Text("what gives way to the right"), Text("12 nodes"))
        await pilot.pause()
        assert seen(one) == ["what gives way to th… 12 nodes"]
        carets.point(3, 2, Text("wrong"), 5)
        assert carets.plain == "^^ wrong"
        carets.point(20, 3, Text("a longer message"), 9)
        assert seen(carets) == ["   a longer message ^^^"]
        carets.point(20, 3, Text("a message that is too long here"), 9)
        assert seen(carets) == ["a message that is … ^^^"]
        carets.point(40, 1, Text("out of sight"), 5)
        assert seen(carets) == ["out of sight"]
        carets.point(12, 3, Text("resized"), 7)
        await pilot.resize_terminal(20, 20)
        await pilot.pause()
        assert seen(carets) == ["    resized ^^^"]
