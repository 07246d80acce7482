"""The editor of many lines, its boxes, and pastes: each character stays its own."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import product
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from textual.app import App, ComposeResult

from fluxtui.model.documents.document import dump
from fluxtui.notation.problem import Problem, Span
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.kit.lines import colour
from fluxtui.ui.kit.lines_dialog import LONG, LinesDialog
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.text import line_end, location, uncoloured, visible
from fluxtui.ui.kit.text_editor import Lines, TextEditor
from fluxtui.workbench import TypeJobspec
from tests.ui.documents import job
from tests.ui.helpers import NARROW, Hands, running, workbench_at

ODD = "\u2028\u2029\x85\x0b\x0c\x1c"
TEXTS = st.text(st.sampled_from("ab\r\n\t" + ODD), max_size=20)


@asynccontextmanager
async def editing() -> AsyncIterator[tuple[TextEditor, list[str], Hands]]:
    """An editor of its own, what it told, and its pilot."""
    told: list[str] = []

    class Alone(App[None]):
        def compose(self) -> ComposeResult:
            yield TextEditor(told.append, lambda: None, uncoloured, id="alone")

    app = Alone()
    async with running(app, size=(40, 10)) as pilot:
        await pilot.settle()
        editor = app.query_one(TextEditor)
        editor.focus()
        await pilot.settle()
        yield editor, told, pilot


@asynccontextmanager
async def pane(text: str) -> AsyncIterator[tuple[FluxTUI, Hands]]:
    """The workbench with a jobspec as a text, in the pane that shows it."""
    async with workbench_at(painted=True) as (app, pilot):
        app.edit(TypeJobspec(text, app.panes["text"].written))
        await pilot.go("text")
        yield app, pilot


def yaml(shape_text: str = "node=4/slot/core=8") -> str:
    return dump(job(shape_text), "yaml")


@given(TEXTS, TEXTS, st.data())
def test_an_edit_changes_nothing_else(text: str, new: str, data: st.DataObject) -> None:
    assert Lines(text).text == text
    assert location(text, len(text), line_end(text)) == Lines(text).end
    end = line_end(text) or "\n"
    pieces = text.split(end)
    row = data.draw(st.integers(0, len(pieces) - 1))
    column = data.draw(st.integers(0, len(pieces[row])))
    lines = Lines(text)
    result = lines.replace_range((row, column), (row, column), new)
    before = end.join([*pieces[:row], pieces[row][:column]])
    behind = text[len(before) :]
    assert lines.text == before + new.replace(end, "\n").replace("\n", end) + behind
    lines.replace_range((row, column), result.end_location, result.replaced_text)
    assert lines.text == text


def test_a_character_takes_one_column() -> None:
    style = Palette.of({})
    for character in (*"\x00\x1b\x7f\xad\ufeff" + ODD, "\u202e", "\U000e0001"):
        for line in (uncoloured(f"a{character}b"), colour(f"a{character}: b", style)):
            assert line.plain[1] == "\N{REPLACEMENT CHARACTER}"
            assert line.plain[2] in "b:"
    assert visible("a\tb") == "a\N{REPLACEMENT CHARACTER}b"
    assert visible("a\tb", tabs=True) == colour("a\tb", style).plain == "a\tb"


async def test_an_editor_draws_undoes_and_keeps_line_ends() -> None:
    async with editing() as (editor, told, pilot):
        # The cursor is on its character behind tabs and signs.
        editor.put("\ta\x01b\x85\tc!")
        editor.move_cursor((0, 6))
        await pilot.settle()
        column = editor.cursor_screen_offset.x - editor.content_region.x
        assert editor.render_line(0).text[column:].rstrip() == "c!"
        assert editor.cell_width_to_column_index(column, 0) == 6
        # Line ends stay while it is edited.
        for end in ("\r\n", "\n", "\r"):
            editor.put(end.join(("a", "b", "")))
            editor.move_cursor((0, 0))
            await pilot.burst("end", "x", "enter", "y")
            assert editor.text == told[-1] == end.join(("ax", "y", "b", ""))
        # Problems are marked where they stand.
        editor.put("a\u2028b\r\nc\x01wrong\r\n")
        editor.mark([Problem("it is wrong", Span(7, 12))])
        line = editor.get_line(1)
        underlined = [span for span in line.spans if getattr(span.style, "underline", False)]
        assert [line.plain[span.start : span.end] for span in underlined] == ["wrong"]
    # What is undone and redone may take the scroll bar away.
    async with editing() as (editor, _, pilot):
        editor.insert("\n".join("abcdefghijkl"))
        await pilot.settle()
        assert editor.show_vertical_scrollbar
        await pilot.press("ctrl+z")
        assert editor.text == ""
        await pilot.press("ctrl+r")
        editor.select_all()
        await pilot.press("delete", "ctrl+z")
        assert editor.document.line_count == 12
        editor.move_cursor(editor.document.end)
        await pilot.press("ctrl+r")
        assert editor.text == ""


async def test_a_text_that_is_put_again_is_no_edit() -> None:
    texts = ["".join(some) for some in product(("", "a", "\n", "\r\n", "\r", "\u2028"), repeat=3)]
    Random(1).shuffle(texts)
    async with editing() as (editor, told, _):
        for text in texts:
            editor.put(text)
            assert editor.text == text
        editor.put("a\r\nb")
        document = editor.document
        editor.move_cursor((1, 1))
        editor.put("aa\r\nb")
        assert editor.document is document
        assert editor.cursor_location == (1, 1)
        assert not told


async def test_a_line_separator_within_a_string_stays_in_it() -> None:
    async with workbench_at(NARROW) as (app, pilot):
        for odd in "\u2028\u2029\x85":
            await pilot.afresh()
            text = dump(job(""), "json").replace('"app"', f'"a{odd}b"')
            await pilot.press("f4")
            app.edit(TypeJobspec(text, "json"))
            app.go_to("text")
            await pilot.press("enter")
            await pilot.burst(*" ", "backspace")
            assert app.state.job.raw is None
            assert app.state.jobspec()["tasks"][0]["command"] == [f"a{odd}b"]


async def test_a_line_that_is_kept_is_as_it_would_be_drawn() -> None:
    chance = Random(3)
    keys = [*"aé[]{}\"':-# 7", "enter", "backspace", "up", "down", "left", "home", "end"]
    keys += ["shift+down", "shift+left", "ctrl+z"]
    async with pane(yaml("[node=4/slot/core=8;gpu]")) as (app, pilot):
        await pilot.press("enter")
        editor = app.panes["text"].editor
        rows = range(editor.size.height)
        for number in range(120):
            await pilot.burst(chance.choice(keys))
            if number == 60:
                app.theme = "nord"
                await pilot.settle()
            kept = [editor.render_line(row) for row in rows]
            editor._theme.apply_css(editor)
            assert kept == [editor._render_line(row) for row in rows], number


async def test_of_two_lines_alike_one_is_marked() -> None:
    async with pane(yaml("node=4/slot/core=8")) as (app, pilot):
        await pilot.press("enter")
        editor = app.panes["text"].editor
        row = next(n for n, line in enumerate(editor.text.splitlines()) if line == "  count: 4")
        editor.move_cursor((row, len("  count: 4")))
        await pilot.burst("enter", *"count: 4")
        await pilot.press("up", "up", "up")
        assert editor.document.get_line(row) == editor.document.get_line(row + 1)
        top = editor.scroll_offset.y
        underlined = [
            [s.text for s in editor.render_line(y - top) if "underline" in str(s.style)]
            for y in (row, row + 1)
        ]
        assert underlined == [[], ["count"]]


def plain_of(app: FluxTUI) -> str:
    assert isinstance(app.screen, LinesDialog)
    return str(app.screen.meaning.content)


async def test_a_long_script_is_told_of_when_the_keys_pause() -> None:
    heard: list[str] = []

    def tell(text: str) -> Any:
        heard.append(text)
        return uncoloured(f"{len(text)}")

    long = "#!/bin/sh\n" + "# a line\n" * (LONG // 9)
    async with workbench_at() as (app, pilot):
        app.push_screen(LinesDialog("A title", "a note", long, tell))
        await pilot.settle()
        heard.clear()
        await pilot.burst(*"abcdefghij")
        assert len(heard) < 10
        await pilot.until(lambda: heard[-1:] == [long + "abcdefghij"])
        assert plain_of(app) == str(len(long) + 10)


async def test_pastes() -> None:
    script = "#!/bin/bash\n#SBATCH -n 4\nsrun app"
    async with workbench_at(NARROW) as (app, pilot):
        # A script is known by any line ends.
        for end in ("\n", "\r", "\r\n"):
            await pilot.paste(script.replace("\n", end))
            assert isinstance(app.screen, LinesDialog)
            assert app.screen.editor.text == script
            app.screen.editor.select_all()
            await pilot.paste(script.replace("\n", end))
            assert app.screen.editor.text == script
            await pilot.afresh()
        # A blank stands between the lines of a shape.
        for between in ("\r", "\n", "\r\n", "\t", "\u2028"):
            await pilot.afresh()
            await pilot.paste(f"node=4/slot/{between}core")
            assert app.shape_bar.entry.value == "node=4/slot/ core"
        # Undo in a box is an edit and ends at what was put.
        await pilot.afresh()
        await pilot.paste("srun -n10 -c 2 myapp")
        assert isinstance(app.screen, LinesDialog)
        editor = app.screen.editor
        await pilot.press("ctrl+z")
        assert editor.text == "srun -n10 -c 2 myapp"
        editor.select_all()
        await pilot.press("backspace")
        assert plain_of(app) == ""
        await pilot.press("ctrl+z")
        assert "slot=10/core=2" in plain_of(app)
        await pilot.press("ctrl+y")
        assert (editor.text, plain_of(app)) == ("", "")
