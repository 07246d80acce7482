"""The colours of a page as CSS variables: those of a theme, with enough contrast for reading."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

Rgb: TypeAlias = tuple[float, float, float]

#: The minimum contrast of text, and of graphics (WCAG 2.2, level AA).
READABLE = 4.5
VISIBLE = 3.0

#: Variable -> its role in the theme, and for a theme without that role the colour to use instead
#: and its share in a mix with the background.
_TEXT = {
    "text": ("", "foreground", 1.0),
    "quiet": ("quiet", "foreground", 0.75),
    "faint": ("faint", "foreground", 0.6),
    "match": ("match", "accent", 1.0),
    "problem": ("problem", "error", 1.0),
    "warning": ("", "warning", 1.0),
    "accent": ("", "primary", 1.0),
    "operator": ("operator", "primary", 1.0),
    "property": ("property", "foreground", 1.0),
    "string": ("string", "success", 1.0),
    "number": ("number", "success", 1.0),
    "key": ("key", "foreground", 0.8),
    "punctuation": ("punctuation", "foreground", 0.62),
}
_DRAWN = {"unlit": ("unlit", "foreground", 0.48), "frame": ("frame", "foreground", 0.42)}
_HEX = re.compile(r"#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})")


@dataclass(frozen=True, slots=True)
class Colours:
    """The colours of a theme; each is ``#rgb`` or ``#rrggbb``.

    colors has background, surface, panel, foreground, primary, accent, warning, error and success;
    roles maps roles to colours, and may be empty.
    """

    dark: bool
    colors: Mapping[str, str]
    roles: Mapping[str, str]

    def variables(self) -> Iterator[tuple[str, str]]:
        """Yield the CSS variables: unchanged grounds, and colours with enough contrast to them."""
        grounds = [_rgb(self.colors[name]) for name in ("background", "surface")]
        yield "ground", self._hex(grounds[0])
        yield "surface", self._hex(grounds[1])
        yield "panel", self._hex(_rgb(self.colors["panel"]))
        for names, least in ((_TEXT, READABLE), (_DRAWN, VISIBLE)):
            for name, (role, default, share) in names.items():
                given = self.roles.get(role)
                mixed = _mixed(grounds[0], _rgb(self.colors[default]), share)
                colour = _rgb(given) if given else mixed
                yield name, self._hex(_readable(colour, grounds, least, dark=self.dark))

    def css(self) -> str:
        """The variables as declarations, and the colour scheme of the browser's own widgets."""
        scheme = f"color-scheme:{'dark' if self.dark else 'light'};"
        return scheme + "".join(f"--{name}:{value};" for name, value in self.variables())

    @staticmethod
    def _hex(colour: Rgb) -> str:
        return "#" + "".join(f"{round(part * 255):02x}" for part in colour)


def are_plain(colors: Mapping[str, str]) -> bool:
    """Whether all colours are hexadecimal, unlike those of a terminal, such as ``ansi_red``."""
    return all(_HEX.fullmatch(value) for value in colors.values())


def contrast(first: str, second: str) -> float:
    """The contrast of two colours, from 1 to 21 (WCAG 2.2)."""
    return _contrast(_rgb(first), _rgb(second))


def _rgb(text: str) -> Rgb:
    digits = text[1:] if len(text) == 7 else "".join(2 * digit for digit in text[1:])
    red, green, blue = (int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4))
    return red, green, blue


def _mixed(ground: Rgb, colour: Rgb, share: float) -> Rgb:
    red, green, blue = (a + (b - a) * share for a, b in zip(ground, colour, strict=True))
    return red, green, blue


def _luminance(colour: Rgb) -> float:
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(first: Rgb, second: Rgb) -> float:
    low, high = sorted((_luminance(first), _luminance(second)))
    return (high + 0.05) / (low + 0.05)


def _readable(colour: Rgb, grounds: list[Rgb], least: float, *, dark: bool) -> Rgb:
    """Move the colour towards white or black only as far as needed for enough contrast."""
    end = (1.0, 1.0, 1.0) if dark else (0.0, 0.0, 0.0)
    for step in range(21):
        found = _mixed(colour, end, step / 20)
        # Check it as written, because rounding may reduce the contrast a little.
        written = _rgb(Colours._hex(found))
        if all(_contrast(written, ground) >= least for ground in grounds):
            return found
    return end
