"""Lines of text: how they are cut, wrapped and drawn, and the views that show them."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from rich.style import Style
from rich.text import Text
from textual.app import App, ComposeResult
from textual.strip import Strip

from fluxtui.ui.kit.lines import CaretLine, LazyLines, LinesView, OneLine, RowsView
from fluxtui.ui.kit.text import columns, fitted, fold, in_row, shorten, wrap

WIDTH, HEIGHT = 30, 10

# Texts


def test_texts_are_measured_and_cut() -> None:
    shown = {"": 0, "node=4": 6, "wörter": 6, "字字": 4, "a\x1bb": 3, "ö\x1b": 2}
    assert {text: columns(text) for text in shown} == shown
    for text, width, cut, between_words in (
        ("two words", 9, "two words", "two words"),
        ("two words", 8, "two wor…", "two…"),
        ("two words", 5, "two…", "two…"),
        ("a · b: c", 6, "a · b…", "a…"),
        ("word", 3, "wo…", "wo…"),
        ("字字字", 5, "字字…", "字字…"),
        ("字字字", 4, "字…", "字…"),
        ("word", 1, "…", "…"),
        ("word", 0, "", ""),
    ):
        assert (shorten(text, width), shorten(text, width, "words")) == (cut, between_words)
    # An end is kept where it says most.
    assert shorten("/home/flux/R.json", 8, "end") == "…/R.json"
    assert (shorten("字字字字", 6, "end"), shorten("x", 0, "end")) == ("…字字", "")
    assert shorten("nvidia-h100@gpu17", 9, "both") == "nvi…gpu17"
    assert shorten("nvidia-h100@gpu17", 7, "both") == "nvidia…"
    assert (fitted("字字字字", 6), fitted("ab", 4)) == ("字字… ", "ab  ")
    # What goes on is as far in, and what has no room is marked.
    words = Text("  one two three four five")
    for width, how, rows in (
        (9, {}, ["  one two", "  three", "  four", "  five"]),
        (14, {"hang": 2}, ["  one two", "    three four", "    five"]),
        (9, {"most": 2}, ["  one two", "  three…"]),
    ):
        assert [row.plain for row in wrap(words, width, **how)] == rows
    assert [row.plain for row in wrap(Text("x" * 500), 9, most=1)] == ["xxxxxxxx…"]


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


# Of a line that is long a part alone is drawn.
WORDS = st.text("ab  ·✓節é", max_size=30) | st.text("a節 b", min_size=9).map(
    lambda words: words * 30
)

STYLES = st.sampled_from(
    [Style.parse("bold #ff0000"), Style.parse("on #00ff00"), Style(), "italic", "no style"]
)

SPANS = st.lists(st.tuples(st.integers(0, 90), st.integers(0, 90), STYLES), max_size=5)


@given(WORDS, SPANS, STYLES, st.integers(0, 99), st.integers(1, 20))
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

        view.show_lines(LazyLines(100_000, make))
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
