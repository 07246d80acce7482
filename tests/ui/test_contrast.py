"""What is drawn can be read: contrast as WCAG 2 has it, in every theme that ships.

Text has a contrast of 4.5 at least, and of 7 in the theme that is named for it; glyphs that stand
for what does not match, and frames, have 3.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.color import Color, ColorSystem

from fluxtui import ui
from fluxtui.bridge import themes
from fluxtui.bridge.themes import ThemeFile

SHIPPED = tuple(themes.theme_paths(shipped=True))

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


def lacking(file: ThemeFile, least: float) -> Iterator[str]:
    for name, color in inks(file).items():
        for ground, under in grounds(file).items():
            found = contrast(parts_of(color), under)
            if found < least:
                yield f"{name} {color} on {ground}: {found:.2f}"


@pytest.mark.parametrize("name", SHIPPED)
def test_texts_can_be_read_on_every_ground(name: str) -> None:
    least = 7.0 if name == "contrast" else 4.5
    assert list(lacking(theme(name), least)) == []


@pytest.mark.parametrize("name", SHIPPED)
def test_glyphs_and_frames_can_be_seen(name: str) -> None:
    file = theme(name)
    where = {"unlit": ("background", "surface", "panel"), "frame": ("background", "surface")}
    found = {
        f"{role} on {ground}": contrast(parts_of(file.roles[role]), grounds(file)[ground])
        for role in GLYPHS
        for ground in where[role]
    }
    assert {pair: value for pair, value in found.items() if value < 3} == {}


@pytest.mark.parametrize("name", SHIPPED)
def test_what_is_told_by_colour_has_hues_of_its_own(name: str) -> None:
    roles = theme(name).roles
    assert len({roles[role] for role in ("match", "placed", "good", "problem", "unlit")}) == 5
    # What matches stands out from what does not.
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
