"""The styles that panes draw with, by what they mean, taken from the theme in force."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from rich.style import Style
from textual.app import App
from textual.color import Color, ColorParseError
from textual.widget import Widget

from fluxtui.bridge.themes import ROLES
from fluxtui.notation.problem import is_digits

# Where a theme names no colour for a role, the theme's own colour that comes nearest: its name,
# and how much of it is mixed into the background.
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
    """A colour for every role, as CSS variables named ``role-NAME``, from a theme's own colours.

    colors maps Textual's colour names (``accent``, ``foreground`` ...) to colours; a name that is
    missing or no colour (an ANSI theme's, say) falls back to the terminal's own foreground.
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
    """The field of a style whose colour is a variable of the theme's CSS."""
    return field(default=Style(bold=bold or None), metadata={"variable": variable})


@dataclass(frozen=True, slots=True)
class Palette:
    """Rich styles by role. Only the foreground is set: a line lies on any background.

    They are plain styles rather than component classes of the widgets, since Textual matches every
    rule of the stylesheet against each component of each widget before the first paint.
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
    selected: Style = Style(bold=True)  # the ground of the row with the cursor
    steps: tuple[Style, ...] = ()  # of values from low to high

    def token(self, kind: str) -> Style:
        """The style of a token, by its kind (see ``notation.source.Token``)."""
        return self.role(_TOKENS.get(kind, kind))

    def role(self, name: str) -> Style:
        """The style of a role by its name, such as ``match``; the plain one for no such role.

        ``step0``, ``step1`` and so on are those of values from low to high.
        """
        if name.startswith("step") and is_digits(name[4:]) and self.steps:
            return self.steps[min(int(name[4:]), len(self.steps) - 1)]
        style = getattr(self, name, self.plain)
        return style if isinstance(style, Style) else self.plain

    @classmethod
    def of(cls, variables: Mapping[str, str]) -> "Palette":
        """The palette for a theme's CSS variables."""
        bare = cls()
        styles: dict[str, Style] = {}
        for one in fields(cls):
            color = _color(variables.get(one.metadata.get("variable", "")))
            if color is not None:
                styles[one.name] = getattr(bare, one.name) + Style(color=color.rich_color)
        ground = _color(variables.get("panel"))
        if ground is not None:
            styles["selected"] = Style(bgcolor=ground.rich_color, bold=True)
        ramp = [_color(variables.get(name)) for name in _RAMP]
        return cls(**styles, steps=tuple(_ramp([color for color in ramp if color is not None])))


# The colours between which those of values lie, from low to high, and how many these are.
_RAMP = ("role-slot", "role-count", "warning")
_STEPS = 6


def _ramp(colors: Sequence[Color]) -> Iterator[Style]:
    """The styles of values from low to high; colours that cannot be mixed are used as they are."""
    for step in range(_STEPS):
        if not colors:
            yield Style(bold=True)
            continue
        place = step * (len(colors) - 1) / (_STEPS - 1)
        color, high = colors[int(place)], colors[min(int(place) + 1, len(colors) - 1)]
        if color.ansi is None and high.ansi is None:
            color = color.blend(high, place - int(place), 1)
        yield Style(color=color.rich_color, bold=True)


# Tokens whose style goes by another name.
_TOKENS = {"constant": "operator", "value": "string", "error": "problem"}


class StyledApp(App[None], inherit_bindings=False):
    """What the kit asks of an app: the styles of its theme, and to take pasted documents."""

    palette: Palette

    def take_pasted(self, text: str, *, jobspecs: bool = True) -> bool:
        """Open a document that is pasted into an input; return whether it is one.

        With jobspecs it may be a jobspec too.
        """
        return False


def palette_of(widget: Widget) -> Palette:
    """The palette of the app of a widget."""
    app = widget.app
    return app.palette if isinstance(app, StyledApp) else Palette.of({})


def _color(value: str | None) -> Color | None:
    if not value:
        return None
    try:
        return Color.parse(value)
    except ColorParseError:
        return None
