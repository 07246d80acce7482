"""Themes: the shipped ones, a person's own, Textual's; and none of the colours."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from textual.theme import BUILTIN_THEMES
from textual.widgets import Input

from fluxtui.bridge import themes
from fluxtui.bridge.chosen import THEME, Chosen
from fluxtui.notation.problem import render
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.kit.picker import Picker
from fluxtui.workbench import start
from tests.ui.helpers import (
    NARROW,
    SHAPE,
    Hands,
    demo,
    lacking,
    messages,
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


def is_shown(app: FluxTUI, name: str) -> None:
    """A theme that ships is in force."""
    file = themes.read_theme(themes.theme_paths()[name]).value
    assert file is not None
    assert app.theme == name
    assert app.screen.styles.background.hex.lower() == file.colors["background"].lower()
    assert app.palette.match.color.name.lower() == file.roles["match"].lower()


async def opened(pilot: Hands, app: FluxTUI) -> Picker:
    """The menu of themes, just opened."""
    await pilot.burst("f9")
    await pilot.done()
    assert isinstance(app.screen, Picker)
    return app.screen


async def test_the_menu_shows_at_once_and_keeps_what_is_chosen(own: Path, tmp_path: Path) -> None:
    (own / "mine.yaml").write_text(mine(roles={"match": "#ff00fe"}))
    async with workbench_at(NARROW, shape=SHAPE, requires="gpu", theme="paper") as (app, pilot):
        app.preferences.store = Chosen(tmp_path / "chosen.json")
        is_shown(app, "paper")
        assert messages(app) == []
        menu = await opened(pilot, app)
        names = menu.labels
        assert {*SHIPPED, "mine", "nord"} <= set(names)
        assert menu.item.label == "paper"
        for entry in (menu.query_one(Input), app.query_one("#shape-input")):
            hint = entry.get_component_rich_style("input--placeholder", partial=True).color
            assert hint == app.palette.faint.color
        await pilot.press("home", *["down"] * names.index("mine"))
        assert app.theme == "mine"
        assert app.palette.match.color.name == "#ff00fe"
        await pilot.press("escape")
        is_shown(app, "paper")
        await pilot.done()
        assert app.preferences.store.load(THEME) == ()
        await opened(pilot, app)
        await pilot.burst(*"clarity", "enter")
        await pilot.done()
        is_shown(app, "clarity")
        assert app.preferences.store.load(THEME) == ("clarity",)
        assert app.focused is app.query_one("#shape-input")
        assert app.state.build.text == SHAPE


async def test_changing_the_theme_draws_everything_anew() -> None:
    async with workbench_at(shape=SHAPE, requires="gpu") as (app, pilot):
        await opened(pilot, app)
        await pilot.press("escape")
        state, text = app.state, screen_text(app)
        assert "24 of 196 nodes" in text
        others = [name for name in BUILTIN_THEMES if "ansi" in name]
        assert others
        first = app.query_one("#node-map").render_line(8)
        for name in (*SHIPPED[1:], "nord", "textual-light", *others):
            app.theme = name
            await pilot.settle()
            assert app.state is state
            assert screen_text(app) == text
            assert app.query_one("#node-map").render_line(8) != first
            if name in SHIPPED:
                is_shown(app, name)


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
    for name in ("nope", "[red]x[/red]", "", "\x1b[31m"):
        yield name, ""


def test_of_a_theme_that_cannot_be_it_is_said_and_the_default_is_in_force(own: Path) -> None:
    for name, says in broken(own):
        app = FluxTUI(start(demo()), name)
        assert app.theme == themes.DEFAULT
        said = "\n".join(render(problem) for problem in app.theme_problems)
        assert says in said
        assert "\x1b" not in said
        assert ("mine.yaml" in said) is (name == "mine")
    for name in (*SHIPPED, "nord"):
        app = FluxTUI(start(demo()), name)
        assert (app.theme, app.theme_problems) == (name, ())


async def test_a_broken_default_of_ones_own(own: Path) -> None:
    (own / "dusk.yaml").write_text("name: [")
    async with workbench_at(NARROW, shape=SHAPE) as (app, pilot):
        assert "dusk.yaml" in messages(app)[0]
        await opened(pilot, app)
        await pilot.press("escape")
        assert app.is_running


async def test_without_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with workbench_at(shape=SHAPE, requires="gpu") as (app, pilot):
        assert app.no_color
        assert not lacking(screen_text(app), "24 of 196 nodes", "■")
        await pilot.burst("f2", "f3", "f1")
        await pilot.done()
        assert app.is_running
