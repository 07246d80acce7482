"""The styles that panes draw with, named by meaning, from the current theme."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from rich.style import Style
from textual.app import App
from textual.color import Color, ColorParseError
from textual.widget import Widget

from fluxtui.bridge.themes import ROLES
from fluxtui.notation.problem import is_digits

# For roles without a colour in the theme: the theme colour to use, and its share when it is blended
# with the background.
_FALLBACK = {
    "match": ("accent", 1.0),
    "placed": ("primary", 1.0),
    "good": ("success", 1.0),
    "problem": ("error", 1.0),
    "quiet": ("foreground", 0.75),
    "faint": ("foreground", 0.6),
    "unlit": ("foreground", 0.48),
    "frame": ("foreground", 0.42),
    "type": ("foreground", 1.0),
    "slot": ("primary", 1.0),
    "count": ("success", 1.0),
    "key": ("foreground", 0.8),
    "label": ("secondary", 1.0),
    "string": ("success", 1.0),
    "number": ("success", 1.0),
    "operator": ("primary", 1.0),
    "property": ("foreground", 1.0),
    "punctuation": ("foreground", 0.62),
}


def role_defaults(colors: Mapping[str, str]) -> dict[str, str]:
    """Return a colour for every role, as CSS variables ``role-NAME``, from a theme's own colours.

    colors maps Textual's colour names (``accent``, ``foreground`` ...) to colours. An ANSI colour
    or anything unreadable is used as it is; a missing one becomes the terminal's foreground.
    """
    background = _color(colors.get("background"))
    variables = {}
    for role in ROLES:
        name, share = _FALLBACK[role]
        color = _color(colors.get(name))
        if color is None or background is None or color.ansi is not None:
            variables[f"role-{role}"] = colors.get(name) or "ansi_default"
        else:
            variables[f"role-{role}"] = background.blend(color, share, 1).hex
    return variables


def _look(variable: str, *, bold: bool = False) -> Any:
    """Return a dataclass field for a style whose colour is a variable of the theme's CSS."""
    return field(default=Style(bold=bold or None), metadata={"variable": variable})


@dataclass(frozen=True, slots=True)
class Palette:
    """Rich styles by role. Most set only the foreground, so that they work on any background.

    They are plain styles rather than component classes of the widgets, because Textual matches
    every rule of the stylesheet against each component of each widget before the first paint.
    """

    plain: Style = _look("foreground")
    strong: Style = _look("foreground", bold=True)
    match: Style = _look("role-match", bold=True)
    placed: Style = _look("role-placed", bold=True)
    good: Style = _look("role-good")
    stale: Style = _look("role-match")
    problem: Style = _look("role-problem")
    warning: Style = _look("warning")
    quiet: Style = _look("role-quiet")
    faint: Style = _look("role-faint")
    unlit: Style = _look("role-unlit")
    slot: Style = _look("role-slot", bold=True)
    count: Style = _look("role-count")
    label: Style = _look("role-label")
    key: Style = _look("role-key")
    string: Style = _look("role-string")
    number: Style = _look("role-number")
    operator: Style = _look("role-operator", bold=True)
    property: Style = _look("role-property")
    type: Style = _look("role-type", bold=True)
    punctuation: Style = _look("role-punctuation")
    cursor: Style = Style(reverse=True)
    selected: Style = Style(bold=True)  # the background of the row with the cursor
    steps: tuple[Style, ...] = ()  # a colour ramp for values from low to high

    def token(self, kind: str) -> Style:
        """Return the style of a token by its kind (see ``notation.problem.Token``)."""
        return self.role(_TOKENS.get(kind, kind))

    def role(self, name: str) -> Style:
        """Return the style of a role such as ``match``; the plain style for an unknown role.

        ``step0``, ``step1`` and so on are the colour ramp.
        """
        if name.startswith("step") and is_digits(name[4:]) and self.steps:
            return self.steps[min(int(name[4:]), len(self.steps) - 1)]
        style = getattr(self, name, self.plain)
        return style if isinstance(style, Style) else self.plain

    @classmethod
    def of(cls, variables: Mapping[str, str]) -> "Palette":
        """Return the palette for a theme's CSS variables."""
        bare = cls()
        styles: dict[str, Style] = {}
        for role in fields(cls):
            color = _color(variables.get(role.metadata.get("variable", "")))
            if color is not None:
                styles[role.name] = getattr(bare, role.name) + Style(color=color.rich_color)
        background = _color(variables.get("panel"))
        if background is not None:
            styles["selected"] = Style(bgcolor=background.rich_color, bold=True)
        ramp = [_color(variables.get(name)) for name in _RAMP]
        return cls(**styles, steps=tuple(_ramp([color for color in ramp if color is not None])))


# The variables whose colours the ramp is interpolated between, from low to high, and its length.
_RAMP = ("role-slot", "role-count", "warning")
_STEPS = 6


def _ramp(colors: Sequence[Color]) -> Iterator[Style]:
    """Yield the styles of the ramp; ANSI colours, which cannot be blended, are used as they are."""
    for step in range(_STEPS):
        if not colors:
            yield Style(bold=True)
            continue
        place = step * (len(colors) - 1) / (_STEPS - 1)
        color, high = colors[int(place)], colors[min(int(place) + 1, len(colors) - 1)]
        if color.ansi is None and high.ansi is None:
            color = color.blend(high, place - int(place), 1)
        yield Style(color=color.rich_color, bold=True)


# Kinds of tokens whose style has another name.
_TOKENS = {"constant": "operator", "value": "string", "error": "problem"}


class StyledApp(App[None], inherit_bindings=False):
    """What the kit needs of an app: the styles of its theme, and a handler of pasted documents."""

    palette: Palette

    def take_pasted(self, text: str, *, jobspecs: bool = True) -> bool:
        """Open a document pasted into an input; return False if the text is not a document.

        jobspecs is whether a jobspec counts as a document.
        """
        return False


def palette_of(widget: Widget) -> Palette:
    """Return the palette of a widget's app."""
    app = widget.app
    return app.palette if isinstance(app, StyledApp) else Palette.of({})


def _color(value: str | None) -> Color | None:
    if not value:
        return None
    try:
        return Color.parse(value)
    except ColorParseError:
        return None
