"""Themes: the shipped ones, a person's own, Textual's; few colours and none."""

import os
from pathlib import Path

import pytest
import yaml
from textual.dom import DOMNode
from textual.theme import BUILTIN_THEMES
from textual.widget import Widget
from textual.widgets import OptionList

from fluxtui.bridge import themes
from fluxtui.bridge.chosen import THEME, Chosen
from fluxtui.ui.widgets.drawing import Steady, Styled
from tests.ui.helpers import (
    NORMAL,
    SHAPE,
    burst,
    done,
    messages,
    press,
    screen_text,
    settle,
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


@pytest.mark.parametrize("name", SHIPPED)
async def test_a_shipped_theme_opens(name: str) -> None:
    async with workbench_at(shape=SHAPE, requires="gpu", theme=name) as (app, _):
        file = themes.read_theme(themes.theme_paths()[name]).value
        assert file is not None
        assert app.theme == name
        assert messages(app) == []
        assert app.screen.styles.background.hex.lower() == file.colors["background"].lower()
        assert app.palette.match.color is not None
        assert app.palette.match.color.name.lower() == file.roles["match"].lower()
        assert "18" not in screen_text(app) or "24 of 196 nodes" in screen_text(app)


async def test_changing_the_theme_draws_everything_anew() -> None:
    async with workbench_at(shape=SHAPE, requires="gpu") as (app, pilot):
        await burst(pilot, "f9")
        await done(pilot)
        await press(pilot, "escape")
        before = app.query_one("#node-map").render_line(8)
        state, text = app.state, screen_text(app)
        app.theme = "paper"
        await settle(pilot)
        assert app.state is state
        assert screen_text(app) == text
        assert app.query_one("#node-map").render_line(8) != before


async def test_the_styles_that_a_widget_keeps_are_those_of_the_style_sheet() -> None:
    async with workbench_at(shape=SHAPE, requires="gpu", painted=True) as (app, pilot):
        widgets = [widget for widget in app.query("*") if isinstance(widget, Styled)]
        looked_up = 0
        for step in ("escape", "tab", "ctrl+r", "nord", "f12", "shift+tab", "textual-light"):
            if step in app.available_themes:
                app.theme = step
                await settle(pilot)
            else:
                await burst(pilot, step)
            for widget in widgets:
                for (names, partial), look in (widget._looks or {}).items():
                    widget._rich_style_cache.clear()
                    fresh = Widget.get_component_rich_style(widget, *names, partial=partial)
                    assert look == fresh, (step, widget, names)
                    looked_up += 1
        assert looked_up > 20


async def test_the_colours_that_a_widget_keeps_are_those_it_stands_in() -> None:
    async with workbench_at(shape=SHAPE, requires="gpu", painted=True) as (app, pilot):
        seen = set()
        for step in ("escape", "tab", "nord", "f12", "shift+tab", "textual-light", "f5", "dusk"):
            if step in app.available_themes:
                app.theme = step
                await settle(pilot)
            else:
                await burst(pilot, step)
            for widget in app.query("*"):
                if isinstance(widget, Steady):
                    fresh = DOMNode.rich_style.fget(widget)  # type: ignore[attr-defined]
                    around = DOMNode.background_colors.fget(widget)  # type: ignore[attr-defined]
                    assert (widget.rich_style, widget.background_colors) == (fresh, around)
                    seen.add((widget, fresh))
        assert len(seen) > 2 * len({widget for widget, _ in seen})


async def test_the_theme_menu(own: Path) -> None:
    (own / "mine.yaml").write_text(mine())
    async with workbench_at(shape=SHAPE) as (app, pilot):
        await burst(pilot, "f9")
        await done(pilot)
        menu = app.screen.query_one(OptionList)
        names = [option.id for option in menu.options]
        assert {*SHIPPED, "mine", "nord"} <= set(names)
        assert names[menu.highlighted or 0] == "dusk"
        menu.highlighted = names.index("mine")
        await settle(pilot)
        assert app.theme == "mine"  # shown at once
        await press(pilot, "escape")
        assert app.theme == "dusk"
        await burst(pilot, "f9")
        await done(pilot)
        menu = app.screen.query_one(OptionList)
        menu.highlighted = names.index("paper")
        await settle(pilot)
        await press(pilot, "enter")
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


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (mine(colors={"accent": "red"}), "accent"),
        (mine(dark="perhaps"), "dark"),
        ("name: [", "YAML"),
        ("", "mapping"),
    ],
)
async def test_a_broken_theme_gives_a_message_and_the_default(
    own: Path, text: str, says: str
) -> None:
    (own / "mine.yaml").write_text(text)
    async with workbench_at(theme="mine", shape=SHAPE) as (app, pilot):
        assert app.theme == themes.DEFAULT
        assert says in messages(app)[0]
        assert "mine.yaml" in messages(app)[0]
        await burst(pilot, "f9")
        await done(pilot)
        await press(pilot, "escape")
        assert app.is_running


async def test_a_broken_default_of_ones_own(own: Path) -> None:
    (own / "dusk.yaml").write_text("name: [")
    async with workbench_at(shape=SHAPE) as (app, _):
        assert app.is_running
        assert "dusk.yaml" in messages(app)[0]


@pytest.mark.parametrize("name", ["nope", "[red]x[/red]", "", "\x1b[31m"])
async def test_a_theme_that_is_not_there(name: str) -> None:
    async with workbench_at(theme=name) as (app, _):
        assert app.theme == themes.DEFAULT
        assert messages(app)
        assert "\x1b" not in messages(app)[0]
        assert "\x1b" not in screen_text(app)


async def test_a_theme_with_a_value_that_cannot_be(own: Path) -> None:
    (own / "mine.yaml").write_text("dark: 2001-13-45\n")
    async with workbench_at(theme="mine") as (app, _):
        assert app.theme == themes.DEFAULT
        assert messages(app)


async def test_textuals_own_themes() -> None:
    async with workbench_at(shape=SHAPE, requires="gpu") as (app, pilot):
        await burst(pilot, "f9")
        await done(pilot)
        await press(pilot, "escape")
        names = [n for n in BUILTIN_THEMES if "ansi" in n or n in ("nord", "textual-light")]
        assert len(names) > 2
        for name in names:
            app.theme = name
            await settle(pilot)
            assert "24 of 196 nodes" in screen_text(app)


async def test_textuals_theme_from_the_start() -> None:
    async with workbench_at(theme="nord", requires="gpu") as (app, _):
        assert app.theme == "nord"
        assert messages(app) == []


async def test_without_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with workbench_at(NORMAL, shape=SHAPE, requires="gpu") as (app, pilot):
        assert app.no_color
        assert "24 of 196 nodes" in screen_text(app)
        line = app.query_one("#node-map").render_line(8).text
        assert "■" in line
        await burst(pilot, "f2", "f3", "f1")
        await done(pilot)
        assert app.is_running


@pytest.mark.parametrize("colours", ["256", "standard"])
async def test_with_few_colours(colours: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("textual.constants.COLOR_SYSTEM", colours)
    async with workbench_at(NORMAL, shape=SHAPE, requires="gpu") as (app, pilot):
        for name in (*SHIPPED, "ansi-dark" if "ansi-dark" in app.available_themes else "nord"):
            if name in app.available_themes:
                app.theme = name
                await settle(pilot)
        assert "24 of 196 nodes" in screen_text(app)
        assert os.environ["TZ"] == "UTC"


async def test_the_theme_that_is_chosen_is_kept(tmp_path: Path) -> None:
    async with workbench_at() as (app, pilot):
        app.chosen = Chosen(tmp_path / "chosen.json")
        app.action_themes()
        await done(pilot)
        await press(pilot, "end", "escape")
        await done(pilot)
        assert app.chosen.load(THEME) == ()
        app.action_themes()
        await done(pilot)
        await press(pilot, "home", "down", "enter")
        await done(pilot)
        assert app.chosen.load(THEME) == (app.theme,)
        assert app.theme != themes.DEFAULT
