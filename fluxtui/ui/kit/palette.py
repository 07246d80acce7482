"""The styles that panes draw with, by what they mean, taken from the theme in force."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class Palette:
    """Rich styles by role. Only the foreground is set: a line lies on any background.

    They are plain styles rather than component classes of the widgets, since Textual matches every
    rule of the stylesheet against each component of each widget before the first paint.
    """

    plain: Style
    strong: Style
    match: Style
    placed: Style
    good: Style
    stale: Style
    problem: Style
    warning: Style
    quiet: Style
    faint: Style
    unlit: Style
    slot: Style
    count: Style
    label: Style
    key: Style
    string: Style
    number: Style
    operator: Style
    property: Style
    type: Style
    punctuation: Style
    cursor: Style
    selected: Style
    steps: tuple[Style, ...] = ()

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

        def style(name: str, bold: bool = False) -> Style:
            color = _color(variables.get(name))
            return Style(color=color.rich_color if color is not None else None, bold=bold or None)

        return cls(
            plain=style("foreground"),
            stale=style("role-match"),
            operator=style("role-operator", bold=True),
            property=style("role-property"),
            type=style("role-type", bold=True),
            cursor=Style(reverse=True),
            selected=_background(variables.get("panel")),
            strong=style("foreground", bold=True),
            match=style("role-match", bold=True),
            placed=style("role-placed", bold=True),
            good=style("role-good"),
            problem=style("role-problem"),
            warning=style("warning"),
            quiet=style("role-quiet"),
            faint=style("role-faint"),
            unlit=style("role-unlit"),
            slot=style("role-slot", bold=True),
            count=style("role-count"),
            label=style("role-label"),
            key=style("role-key"),
            string=style("role-string"),
            number=style("role-number"),
            punctuation=style("role-punctuation"),
            steps=tuple(_ramp([_color(variables.get(name)) for name in _RAMP])),
        )


# The colours between which those of values lie, from low to high, and how many these are.
_RAMP = ("role-slot", "role-count", "warning")
_STEPS = 6


def _ramp(colors: Sequence[Color | None]) -> Iterator[Style]:
    """The styles of values from low to high; colours that cannot be mixed are used as they are."""
    known = [color for color in colors if color is not None]
    for step in range(_STEPS):
        if not known:
            yield Style(bold=True)
            continue
        place = step * (len(known) - 1) / (_STEPS - 1)
        color, high = known[int(place)], known[min(int(place) + 1, len(known) - 1)]
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


def _background(value: str | None) -> Style:
    color = _color(value)
    return Style(bgcolor=color.rich_color if color is not None else None, bold=True)


def _color(value: str | None) -> Color | None:
    if not value:
        return None
    try:
        return Color.parse(value)
    except ColorParseError:
        return None
