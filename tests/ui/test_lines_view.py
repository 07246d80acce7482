"""Of a line far wider than the view only what is in sight is drawn, and looks as it does in it."""

import pytest
from rich.text import Text
from textual.app import App, ComposeResult

from fluxtui.ui.colouring import columns
from fluxtui.ui.widgets import lines
from fluxtui.ui.widgets.entry import Entry
from fluxtui.ui.widgets.lines import LinesView

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
