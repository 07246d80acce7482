"""Themes: the shipped ones, a person's own, Textual's; few colours and none."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from textual.theme import BUILTIN_THEMES

from fluxtui.bridge import themes
from fluxtui.bridge.chosen import THEME, Chosen
from fluxtui.notation.problem import render
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.kit.picker import Picker
from fluxtui.workbench import start
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    SHAPE,
    demo,
    messages,
    running,
    screen_text,
    workbench_at,
)

SHIPPED = ("dusk", "paper", "contrast", "clarity")


@pytest.fixture
def own(home: Path) -> Path:
    """The folder of a person's own themes."""
    folder = themes.user_directory()
    assert str(folder).startswith(str(home))
    folder.mkdir(parents=True)
    return folder


def mine(**change: object) -> str:
    colors = dict.fromkeys(themes.COLORS, "#808080") | {"background": "#000001"}
    return yaml.safe_dump({"name": "mine", "dark": True, "colors": colors} | change)


@pytest.mark.parametrize("name", ["dusk", "paper"])
async def test_a_program_begins_with_a_theme(name: str) -> None:
    async with workbench_at(NARROW, shape=SHAPE, requires="gpu", theme=name) as (app, _):
        is_shown(app, name)
        assert messages(app) == []
    for other in SHIPPED:
        assert FluxTUI(start(demo()), other).theme_problems == ()


async def test_changing_the_theme_draws_everything_anew() -> None:
    async with workbench_at(shape=SHAPE, requires="gpu") as (app, pilot):
        await pilot.burst("f9")
        await pilot.done()
        await pilot.press("escape")
        state, text = app.state, screen_text(app)
        assert "24 of 196 nodes" in text
        others = [name for name in BUILTIN_THEMES if "ansi" in name]
        assert others
        drawn = [app.query_one("#node-map").render_line(8)]
        for name in (*SHIPPED[1:], "nord", "textual-light", *others):
            app.theme = name
            await pilot.settle()
            assert app.state is state
            assert screen_text(app) == text
            drawn.append(app.query_one("#node-map").render_line(8))
            assert drawn[-1] not in drawn[:1]
            if name in SHIPPED:
                is_shown(app, name)


def is_shown(app: FluxTUI, name: str) -> None:
    """A theme that ships is in force."""
    file = themes.read_theme(themes.theme_paths()[name]).value
    assert file is not None
    assert app.theme == name
    assert app.screen.styles.background.hex.lower() == file.colors["background"].lower()
    assert app.palette.match.color is not None
    assert app.palette.match.color.name.lower() == file.roles["match"].lower()


async def test_the_theme_menu(own: Path) -> None:
    (own / "mine.yaml").write_text(mine())
    async with workbench_at(shape=SHAPE) as (app, pilot):
        await pilot.burst("f9")
        await pilot.done()
        assert isinstance(app.screen, Picker)
        names = app.screen.labels
        assert {*SHIPPED, "mine", "nord"} <= set(names)
        assert app.screen.item.label == "dusk"
        await pilot.press("home", *["down"] * names.index("mine"))
        assert app.theme == "mine"  # shown at once
        await pilot.press("escape")
        assert app.theme == "dusk"
        await pilot.burst("f9")
        await pilot.done()
        await pilot.burst(*"paper", "enter")
        assert app.theme == "paper"
        assert app.focused is app.query_one("#shape-input")
        assert app.state.build.text == SHAPE


async def test_a_theme_of_ones_own(own: Path) -> None:
    (own / "mine.yaml").write_text(mine(roles={"match": "#ff00fe"}))
    async with workbench_at(theme="mine", requires="gpu") as (app, _):
        assert app.theme == "mine"
        assert messages(app) == []
        assert app.palette.match.color is not None
        assert app.palette.match.color.name == "#ff00fe"


NAMES = ["nope", "[red]x[/red]", "", "\x1b[31m"]


def broken(own: Path) -> Iterator[tuple[str, str]]:
    """Names of themes that cannot be, once they are written, and what is said of each."""
    for text, says in (
        (mine(colors={"accent": "red"}), "accent"),
        (mine(dark="perhaps"), "dark"),
        ("name: [", "YAML"),
        ("", "mapping"),
        ("dark: 2001-13-45\n", ""),
    ):
        (own / "mine.yaml").write_text(text)
        yield "mine", says
    for name in NAMES:
        yield name, ""


async def test_of_a_theme_that_cannot_be_it_is_said_and_the_default_is_shown(own: Path) -> None:
    for name, says in broken(own):
        app = FluxTUI(start(demo()), name)
        assert app.theme == themes.DEFAULT
        said = "\n".join(render(problem) for problem in app.theme_problems)
        assert says in said
        assert ("mine.yaml" in said) is (name == "mine")
        if says == "dark" or "\x1b" in name:
            async with running(app, size=NARROW) as pilot:
                await pilot.settle()
                assert messages(app)
                assert says in messages(app)[0]
                assert "\x1b" not in messages(app)[0] + screen_text(app)
                await pilot.burst("f9")
                await pilot.done()
                await pilot.press("escape")
                assert app.is_running


async def test_a_broken_default_of_ones_own(own: Path) -> None:
    (own / "dusk.yaml").write_text("name: [")
    async with workbench_at(NARROW, shape=SHAPE) as (app, _):
        assert app.is_running
        assert "dusk.yaml" in messages(app)[0]


async def test_textuals_theme_from_the_start() -> None:
    async with workbench_at(NARROW, theme="nord", requires="gpu") as (app, _):
        assert app.theme == "nord"
        assert messages(app) == []


async def test_without_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with workbench_at(NORMAL, shape=SHAPE, requires="gpu") as (app, pilot):
        assert app.no_color
        assert "24 of 196 nodes" in screen_text(app)
        line = app.query_one("#node-map").render_line(8).text
        assert "■" in line
        await pilot.burst("f2", "f3", "f1")
        await pilot.done()
        assert app.is_running


@pytest.mark.parametrize("colours", ["256", "standard"])
async def test_with_few_colours(colours: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("textual.constants.COLOR_SYSTEM", colours)
    async with workbench_at(NORMAL, shape=SHAPE, requires="gpu") as (app, pilot):
        for name in (*SHIPPED, "ansi-dark" if "ansi-dark" in app.available_themes else "nord"):
            if name in app.available_themes:
                app.theme = name
                await pilot.settle()
        assert "24 of 196 nodes" in screen_text(app)
        assert os.environ["TZ"] == "UTC"


async def test_the_theme_that_is_chosen_is_kept(tmp_path: Path) -> None:
    async with workbench_at() as (app, pilot):
        app.chosen = Chosen(tmp_path / "chosen.json")
        app.action_themes()
        await pilot.done()
        await pilot.press("end", "escape")
        await pilot.done()
        assert app.chosen.load(THEME) == ()
        app.action_themes()
        await pilot.done()
        await pilot.press("home", "down", "enter")
        await pilot.done()
        assert app.chosen.load(THEME) == (app.theme,)
        assert app.theme != themes.DEFAULT
