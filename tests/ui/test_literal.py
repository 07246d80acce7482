"""Text from documents and from people is shown as it is: no markup, no terminal escapes."""

from pathlib import Path

import pytest
from textual.widgets import Input

from fluxtui.model.resources import document as resources
from fluxtui.workbench import Cluster, MoveCursor, Source
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    WIDE,
    burst,
    cluster,
    document,
    done,
    messages,
    plain,
    press,
    put,
    row_of,
    screen_lines,
    screen_text,
    settle,
    workbench_at,
    write_document,
)

MARKUP = "[b]bold[/b]"
ESCAPE = "\x1b[31mred"
SHOWN = "\\x1b[31mred"
NAMES = {MARKUP: "0-1", ESCAPE: "1-2", "[@click=app.quit]x[/]": "0", "日本": "2", "a\tb": "0"}


def raw(app) -> str:
    """All characters of the screen, control characters included."""
    return "".join(screen_lines(app))


def clean(app) -> bool:
    """No control character is about to be sent to the terminal."""
    return all(c.isprintable() for c in raw(app))


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_property_names(size: tuple[int, int]) -> None:
    async with workbench_at(size, on=cluster(4, NAMES)) as (app, pilot):
        for name in ("properties", "node", "cluster"):
            app.bring(name)
            await settle(pilot)
            assert clean(app)
        for name in (MARKUP, SHOWN, "[@click=app.quit]x[/]", "日本"):
            assert name in plain(app, "#properties")
        app.bring("node")
        app.edit(MoveCursor(1))
        await settle(pilot)
        assert MARKUP in plain(app, "#node-details")
        assert MARKUP in screen_text(app)
        assert SHOWN in screen_text(app)
        await burst(pilot, "f2")
        await burst(pilot, "f2")
        assert clean(app)


async def test_adding_such_a_property() -> None:
    on = cluster(4, NAMES)
    async with workbench_at(WIDE, on=on) as (app, pilot):
        for row in range(len(NAMES)):
            await put(pilot, "")
            app.bring("properties")
            await settle(pilot)
            await burst(pilot, "home", *["down"] * row, "enter")
            name = list(on.resources.properties)[row]
            assert app.state.ask.mask == on.resources.properties[name]
            assert clean(app)


async def test_problems_of_a_document() -> None:
    bad = document(2, {f"{MARKUP}|": "0", f"{ESCAPE}!": "1"}, hosts="[red]x[/red],n1")
    on = Cluster.of(Source("[b]R.json[/b]"), resources.read(bad))
    assert on.resources.problems
    async with workbench_at(WIDE, on=on) as (app, pilot):
        app.edit(MoveCursor(1))
        await settle(pilot)
        assert clean(app)
        assert "[b]R.json[/b]" in plain(app, "#title")
        details = " ".join(plain(app, "#node-details").split())
        assert "[b]bold[/b]|" in details
        assert "x1b[31mred!" in details


@pytest.mark.parametrize("size", [NARROW, NORMAL, WIDE])
async def test_alike_problems_of_a_document_are_one_line_where_they_are_announced(
    size: tuple[int, int],
) -> None:
    bad = document(4, {f"p&{number}": "0" for number in range(57)})
    on = Cluster.of(Source("R.json"), resources.read(bad))
    async with workbench_at(size, on=on) as (app, pilot):
        assert "57 problems in the document" in plain(app, "#title")
        await pilot.click("#title")
        await settle(pilot)
        shown = " ".join(" ".join(line.plain for line in app.node_pane.view.lines[:6]).split())
        assert shown.startswith("! ")
        assert "'p&0'" in shown
        assert "and 56 alike" in shown
        assert app.node_pane.view.scroll_offset.y == 0


TEXTS = ("[b]x[/b]", "[@click=app.quit]x[/]", "[/]", "\\[x", "$foo", "[red", "{[}]", "[[b]]")


async def test_typed_texts() -> None:
    async with workbench_at(NORMAL) as (app, pilot):
        await burst(pilot, "f3")
        for text in TEXTS:
            for into in ("#shape-input", "#constraint-input"):
                await put(pilot, text, into)
                assert app.query_one(into, Input).value == text
                assert text in row_of(app, into)
            await burst(pilot, "ctrl+y")
            await press(pilot, "escape")
        await burst(pilot, "ctrl+p")
        await press(pilot, "escape")
        assert app.is_running


@pytest.mark.parametrize("into", ["#shape-input", "#constraint-input"])
async def test_control_characters_never_reach_the_terminal(into: str) -> None:
    async with workbench_at(NORMAL) as (app, pilot):
        await put(pilot, "gpu\x1b]0;owned\x07\x9b31m\x00", into)
        assert clean(app)
        await put(pilot, "a\x1b[2Jb", into)  # over a selection
        assert clean(app)
    for text in ("a\x1b[31mb", "a\x07", "\x9b2Jx", "a\nb", "\u202egpu"):
        async with workbench_at(NORMAL, shape=text, requires=text) as (app, pilot):
            await burst(pilot, "f3")
            assert clean(app), text


async def test_an_escape_in_a_json_constraint() -> None:
    async with workbench_at(NORMAL, on=cluster(4, NAMES)) as (app, pilot):
        await put(pilot, '{"properties": ["\\u001b[31mred"]}')
        assert app.state.ask.mask == 0b110
        await burst(pilot, "f3")
        assert clean(app)
        assert SHOWN in plain(app, "#constraint-tree")


async def test_names_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("[b]R.json", "\x1b[31mR.json"):
        write_document(tmp_path / name, document(2))
    write_document(tmp_path / "[red]bad[", "{")
    async with workbench_at(NORMAL, notifications=True) as (app, pilot):
        await press(pilot, "ctrl+o")
        await done(pilot)
        assert clean(app)
        assert "[b]R.json" in screen_text(app)
        assert "\\x1b[31mR.json" in screen_text(app)
        await press(pilot, "escape")
        for name in ("[b]R.json", "\x1b[31mR.json", "[red]bad["):
            app.open_source(name)
            await done(pilot)
            assert clean(app)
        assert "\\x1b[31mR.json" in plain(app, "#title")
        assert "[red]bad[" in messages(app)[-1]
        assert "[red]bad[" in screen_text(app)


async def test_the_name_of_a_document_in_a_question(here: Path) -> None:
    async with workbench_at() as (app, pilot):
        for name in ("a", "b", "c[b]d[0]"):
            app.open_source(write_document(here / f"{name}.json", document(4)))
            await done(pilot)
        app.bring("cluster")
        await settle(pilot)
        await press(pilot, "d")
        assert "Compare c[b]d[0].json with" in screen_text(app)
