"""The library of examples: finding one by keys, seeing it, taking it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import astuple
from textwrap import dedent

import pytest
import yaml
from textual import events
from textual.pilot import Pilot

from fluxtui import library
from fluxtui.library import Example
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.dialogs.examples import ExamplesDialog
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    SHAPE,
    WIDE,
    burst,
    plain,
    press,
    screen_lines,
    screen_text,
    settle,
    shown,
    workbench_at,
)

LIST, PREVIEW, WORDS = "#example-list", "#example-preview", "#example-words"


@asynccontextmanager
async def examples_at(
    size: tuple[int, int] = NORMAL, theme: str = "dusk"
) -> AsyncIterator[tuple[FluxTUI, Pilot[None], list[Example | None]]]:
    """The dialog over the workbench, and what it ends with."""
    taken: list[Example | None] = []
    async with workbench_at(size, shape=SHAPE, theme=theme) as (app, pilot):
        app.push_screen(ExamplesDialog(), taken.append)
        await settle(pilot)
        yield app, pilot, taken


def titles(app: FluxTUI) -> list[str]:
    """The titles in the list."""
    return [line[20:] for line in plain(app, LIST).splitlines()]


def chosen(app: FluxTUI) -> str:
    """The title in the preview."""
    return plain(app, PREVIEW).partition("\n")[0]


def found(words: str) -> list[str]:
    return [example.title for example in library.find(words)]


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_it_opens_on_all_of_them(size: tuple[int, int]) -> None:
    async with examples_at(size) as (app, _, _taken):
        assert app.focused is app.screen.query_one(WORDS)
        assert titles(app) == found("")
        assert chosen(app) == titles(app)[0]
        for part in (WORDS, LIST, PREVIEW):
            widget = app.screen.query_one(part)
            assert shown(widget)
            assert widget.region in app.screen.region
        text = screen_text(app)
        assert f"{len(library.entries())} examples" in text
        assert "esc leaves" in text
        first = library.entries()[0]
        assert text.count(first.title) == 2
        assert first.shape in text


@pytest.mark.parametrize("size", [NARROW, NORMAL])
async def test_list_and_preview_stand_where_there_is_room(size: tuple[int, int]) -> None:
    async with examples_at(size) as (app, _, _taken):
        rows, preview = (app.screen.query_one(part).region for part in (LIST, PREVIEW))
        if size == NARROW:
            assert rows.bottom <= preview.y
            assert rows.width > 70
        else:
            assert rows.right <= preview.x
        assert preview.height > 10


async def test_typing_narrows_and_leaving_out_widens() -> None:
    async with examples_at() as (app, pilot, _):
        await burst(pilot, *"gpu")
        assert titles(app) == found("gpu")
        assert f"{len(found('gpu'))} of {len(found(''))}" in screen_text(app)
        await burst(pilot, " ", *"25")
        assert titles(app) == found("gpu 25")
        assert 0 < len(found("gpu 25")) < len(found("gpu"))
        await burst(pilot, *["backspace"] * 6)
        assert titles(app) == found("")


async def test_the_arrows_move_while_one_types() -> None:
    async with examples_at() as (app, pilot, _):
        await burst(pilot, "down", "down")
        assert chosen(app) == found("")[2]
        await burst(pilot, "up")
        assert chosen(app) == found("")[1]
        await burst(pilot, "up", "up", "up")
        assert chosen(app) == found("")[0]
        await burst(pilot, "down", *"rfc31", "down")
        assert app.focused is app.screen.query_one(WORDS)
        assert chosen(app) == found("rfc31")[1]
        await burst(pilot, *["down"] * 50)
        assert chosen(app) == found("rfc31")[-1]


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_the_list_scrolls_with_the_arrows(size: tuple[int, int]) -> None:
    async with examples_at(size) as (app, pilot, _):
        await burst(pilot, *["down"] * 60)
        assert sum(found("")[60] in line for line in screen_lines(app)) >= 1
        assert chosen(app) == found("")[60]


async def test_enter_takes_what_was_typed_right_before() -> None:
    async with examples_at() as (app, pilot, taken):
        await burst(pilot, *"mpi", "down", "enter")
        assert taken == [library.find("mpi")[1]]
        assert not isinstance(app.screen, ExamplesDialog)
        assert app.state.build.text == SHAPE  # what to do with it is for who asked


async def test_escape_takes_nothing() -> None:
    async with examples_at() as (app, pilot, taken):
        await press(pilot, *"gpu", "escape")
        assert taken == [None]
        assert app.focused is app.query_one("#shape-input")


@pytest.mark.parametrize("size", [NARROW, NORMAL])
async def test_page_keys_scroll_the_preview(size: tuple[int, int]) -> None:
    async with examples_at(size) as (app, pilot, _):
        await burst(pilot, *"14 1.5")
        preview = app.screen.query_one(PREVIEW)
        await burst(pilot, "pagedown")
        assert preview.scroll_offset.y > 5
        assert app.focused is app.screen.query_one(WORDS)
        for _ in range(9):
            await burst(pilot, "pagedown")
        assert "HOME: /home/flux" in screen_text(app)
        await burst(pilot, "pageup")
        assert preview.scroll_offset.y < preview.max_scroll_y
        await burst(pilot, "backspace", *"6")
        assert preview.scroll_offset.y == 0  # another example is shown from its top


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_nothing_found(size: tuple[int, int]) -> None:
    async with examples_at(size) as (app, pilot, taken):
        await burst(pilot, *"nonesuch")
        assert "No example has all of these words." in screen_text(app)
        assert plain(app, PREVIEW) == ""
        await burst(pilot, "down", "pagedown", "enter")
        assert taken == []
        assert isinstance(app.screen, ExamplesDialog)
        await burst(pilot, *["backspace"] * 8)
        assert chosen(app) == found("")[0]


async def test_the_mouse_selects_and_takes() -> None:
    async with examples_at() as (app, pilot, taken):
        await pilot.click(LIST, offset=(4, 3))
        await settle(pilot)
        assert chosen(app) == found("")[3]
        await burst(pilot, *"rfc31")
        assert titles(app) == found("rfc31")
        await pilot.click(LIST, offset=(4, 2), times=2)
        await settle(pilot)
        assert taken == [library.find("rfc31")[2]]


@pytest.mark.parametrize("id_", ["fluxtui-batch", "rfc25-2.1", "rfc14-1.3", "rfc14-2.7"])
async def test_the_preview_shows_a_whole_jobspec(id_: str) -> None:
    async with examples_at(WIDE) as (app, pilot, _):
        await burst(pilot, *id_)
        (example,) = (e for e in library.entries() if e.id == id_)
        head, _, text = plain(app, PREVIEW).partition("Jobspec · ")
        verdict, _, text = text.partition("\n")
        if verdict != "V1 ✓":
            assert verdict == "beyond V1"
            _, _, text = text.partition("\n")
        assert yaml.safe_load(dedent(text)) == example.document
        assert " ".join(example.text.split()) in " ".join(head.split())
        assert f"Shape\n  {example.shape}\n" in head
        for system, command in map(astuple, example.equivalents):
            line = next(line for line in head.splitlines() if line.endswith(command))
            assert line.split()[0] == system


async def test_the_preview_shows_a_constraint() -> None:
    async with examples_at() as (app, pilot, _):
        await burst(pilot, *"rfc31-6")
        text = plain(app, PREVIEW)
        assert "Requires\n  host:host[0-1] ssd\n" in text
        assert '"hostlist": ["host[0-1]"]' in text
        assert "a constraint" in text
        assert "Shape" not in text
        await burst(pilot, "backspace", *"empty-not")
        assert plain(app, PREVIEW).count('{"not": []}') == 1


async def test_what_was_searched_for_stands_out() -> None:
    async with examples_at() as (app, pilot, _):
        await burst(pilot, *"bad")
        row = app.screen.query_one(LIST).render_line(0)  # type: ignore[attr-defined]
        (mark,) = (segment for segment in row if segment.text == "bad")
        assert mark.style.color == app.palette.match.color
        assert mark.style.bgcolor == app.palette.selected.bgcolor


async def test_another_size_while_it_is_open() -> None:
    async with examples_at(WIDE) as (app, pilot, _):
        await burst(pilot, *"memory")
        for size in (NARROW, NORMAL, (60, 16)):
            await pilot.resize_terminal(*size)
            await settle(pilot)
            assert titles(app)[:2] == found("memory")[:2]
            assert found("memory")[0] in screen_text(app)
            assert shown(app.screen.query_one(PREVIEW))


@pytest.mark.parametrize("words", ["[b]x[/b]", "[/]", "[@click=app.quit]", "\\", "(?", "\x1b[31m"])
async def test_words_are_taken_as_they_are(words: str) -> None:
    async with examples_at() as (app, pilot, _):
        app.post_message(events.Paste(words))
        await settle(pilot)
        assert all(c.isprintable() for c in "".join(screen_lines(app)))
        assert app.screen.query_one(WORDS).value in screen_text(app)  # type: ignore[attr-defined]
        assert f"of {len(found(''))}" in screen_text(app)


@pytest.mark.parametrize("theme", ["paper", "contrast", "clarity"])
async def test_in_other_themes(theme: str) -> None:
    async with examples_at(theme=theme) as (app, pilot, _):
        await burst(pilot, *"rfc14", "down", "down")
        row = app.screen.query_one(LIST).render_line(2)  # type: ignore[attr-defined]
        faint = app.palette.faint.color
        assert faint is not None
        assert faint not in {segment.style.color for segment in row}
        other = app.screen.query_one(LIST).render_line(3)  # type: ignore[attr-defined]
        assert faint in {segment.style.color for segment in other}
