"""Themes: the shipped ones, a person's own, Textual's; none of the colours; what can be read."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from rich.color import Color, ColorSystem
from textual.theme import BUILTIN_THEMES
from textual.widgets import Input

from fluxtui import ui
from fluxtui.bridge import themes
from fluxtui.bridge.chosen import THEME, Chosen
from fluxtui.bridge.themes import ThemeFile
from fluxtui.notation.problem import render
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.kit.picker import Picker
from fluxtui.workbench import start
from tests.ui.documents import demo
from tests.ui.helpers import NARROW, SHAPE, Hands, workbench_at
from tests.ui.seen import messages, screen_text

SHIPPED = tuple(themes.theme_paths(shipped=True))


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
        (name,) = (one for one in menu.rows.render_line(1) if one.text == names[0])
        assert name.style is not None
        assert name.style.color == app.palette.plain.color  # that of the list too
        await pilot.press("escape")
        is_shown(app, "paper")
        await pilot.done()
        assert app.preferences.store.load(THEME) == ()
        await pilot.burst("f9", *"clarity", "enter")
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
        for name in (
            *(name for name in SHIPPED if name != "dusk"),
            "nord",
            "textual-light",
            *others,
        ):
            app.theme = name
            await pilot.settle()
            assert app.state is state
            assert screen_text(app) == text
            assert app.query_one("#node-map").render_line(8) != first
            if name in SHIPPED:
                is_shown(app, name)


def broken(own: Path) -> Iterator[tuple[str, str]]:
    """Names of themes that cannot be, once they are written, and what is said of each."""
    for text, says in ((mine(colors={"accent": "red"}), "accent"), ("name: [", "YAML")):
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


# What is drawn can be read: text has a contrast of 4.5 at least, as WCAG 2 has it, and of 7 in the
# theme that is named for it; glyphs that stand for what does not match, and frames, have 3.

#: Drawn as glyphs or lines alone, never as text; all other roles are those of texts.
GLYPHS = ("unlit", "frame")

# The colours of a theme that texts are drawn in; the others are those of grounds.
INKS = ("foreground", "primary", "secondary", "accent", "warning", "error", "success")

# A style sheet's properties by what they colour.
TEXTS = r"color|border-(?:sub)?title-color|link-color(?:-hover)?"
LINES = r"border(?:-[a-z]+)?|outline(?:-[a-z]+)?|scrollbar-color(?:-[a-z]+)?"
GROUNDS = r"background|scrollbar-background(?:-[a-z]+)?|link-background-hover"


def parts_of(color: str) -> list[float]:
    digits = color[1:] if len(color) == 7 else "".join(c * 2 for c in color[1:])
    return [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]


def luminance(parts: list[float]) -> float:
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: list[float], other: list[float]) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def theme(name: str) -> ThemeFile:
    file = themes.read_theme(themes.theme_paths(shipped=True)[name]).value
    assert file is not None
    return file


def grounds(file: ThemeFile) -> dict[str, list[float]]:
    """What texts are drawn on: panes, bars and dialogs, selected rows, the input with the focus."""
    found = {name: parts_of(file.colors[name]) for name in ("background", "surface", "panel")}
    # Textual tints an input that has the focus with the colour of its text.
    ink = parts_of(file.colors["foreground"])
    field = [
        under + (over - under) * 0.05 for under, over in zip(found["surface"], ink, strict=True)
    ]
    return {**found, "a field with the focus": field}


def inks(file: ThemeFile) -> dict[str, str]:
    """The colours of texts, by the names that style sheets have for them."""
    roles = {f"role-{name}": color for name, color in file.roles.items() if name not in GLYPHS}
    return {**{name: file.colors[name] for name in INKS}, **roles}


def too_faint(file: ThemeFile, least: float) -> Iterator[str]:
    for name, color in inks(file).items():
        for ground, under in grounds(file).items():
            found = contrast(parts_of(color), under)
            if found < least:
                yield f"{name} {color} on {ground}: {found:.2f}"


@pytest.mark.parametrize("name", SHIPPED)
def test_texts_and_glyphs_can_be_seen_on_every_ground(name: str) -> None:
    file = theme(name)
    roles, under = file.roles, grounds(file)
    assert list(too_faint(file, 7.0 if name == "contrast" else 4.5)) == []
    where = {"unlit": ("background", "surface", "panel"), "frame": ("background", "surface")}
    found = {
        f"{role} on {ground}": contrast(parts_of(roles[role]), under[ground])
        for role in GLYPHS
        for ground in where[role]
    }
    assert {pair: value for pair, value in found.items() if value < 3} == {}
    # What is told by colour has hues of its own, and what matches stands out.
    assert len({roles[role] for role in ("match", "placed", "good", "problem", "unlit")}) == 5
    assert contrast(parts_of(roles["match"]), parts_of(roles["unlit"])) > 1.4


@pytest.mark.parametrize("system", [ColorSystem.EIGHT_BIT, ColorSystem.STANDARD])
@pytest.mark.parametrize("name", SHIPPED)
def test_few_colours_keep_what_matters_apart(name: str, system: ColorSystem) -> None:
    def number(color: str) -> int | None:
        return Color.parse(color).downgrade(system).number

    file = theme(name)
    under = {number(file.colors[ground]) for ground in ("background", "surface", "panel")}
    assert [ink for ink, color in inks(file).items() if number(color) in under] == []
    assert number(file.roles["unlit"]) != number(file.colors["background"])
    told = ("match", "placed", "problem", "unlit")
    assert len({number(file.roles[role]) for role in told}) == len(told)


def used(properties: str) -> Iterator[tuple[str, str]]:
    """The variables that the style sheets give to some properties, with the rule."""
    folder = Path(ui.__file__).parent
    for sheet in sorted(folder.rglob("*.tcss")):
        text = re.sub(r"/\*.*?\*/", "", sheet.read_text("utf-8"), flags=re.DOTALL)
        for found in re.finditer(rf"(?<![\w-])(?:{properties}):\s*([^;}}]*)", text):
            for variable in re.findall(r"\$([a-z-]+)", found[1]):
                yield variable, f"{sheet.name}: {found[0]}"


def test_style_sheets_use_no_other_colours_than_those() -> None:
    file = theme(themes.DEFAULT)
    texts, lines, under = dict(used(TEXTS)), dict(used(LINES)), dict(used(GROUNDS))
    assert {name: rule for name, rule in texts.items() if name not in inks(file)} == {}
    known = {*inks(file), "role-frame"}
    assert {name: rule for name, rule in lines.items() if name not in known} == {}
    assert {name: rule for name, rule in under.items() if name not in grounds(file)} == {}
    assert texts
    assert lines
    assert under
