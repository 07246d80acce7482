"""Theme files: YAML in, a checked description out.

A theme file is one YAML mapping::

    name: dusk                 # lower-case letters, digits and hyphens; the value of --theme
    title: Dusk, a calm dark   # one line for the theme menu
    dark: true                 # whether the background is dark
    colors:                    # all ten, each #rgb or #rrggbb
      background, surface, panel, foreground, primary,
      secondary, accent, warning, error, success
    roles:                     # optional; each #rgb or #rrggbb
      match, placed, good, problem, quiet, faint, unlit, frame, type,
      slot, count, key, label, string, number, operator, property,
      punctuation

The shipped themes are in ``themes/``, the user's own in the ``themes`` folder of the configuration
directory. If a name is in both, the user's theme is used.
"""

import errno
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fluxtui.model.documents.report import Report
from fluxtui.notation.problem import Parsed, Problem, at, shortened

COLORS = (
    "background",
    "surface",
    "panel",
    "foreground",
    "primary",
    "secondary",
    "accent",
    "warning",
    "error",
    "success",
)
ROLES = (
    "match",
    "placed",
    "good",
    "problem",
    "quiet",
    "faint",
    "unlit",
    "frame",
    "type",
    "slot",
    "count",
    "key",
    "label",
    "string",
    "number",
    "operator",
    "property",
    "punctuation",
)
DEFAULT = "dusk"
RULE = "theme"

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\Z")
_COLOR = re.compile(r"#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})\Z")


@dataclass(frozen=True, slots=True)
class ThemeFile:
    """A theme as its file describes it; colours are ``#rgb`` or ``#rrggbb``."""

    name: str
    title: str
    dark: bool
    colors: Mapping[str, str]
    roles: Mapping[str, str]


def shipped_directory() -> Path:
    """The folder of the themes shipped with fluxtui, in a wheel or in a checkout."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "themes"
    return installed if installed.is_dir() else package.parent / "themes"


def user_directory() -> Path:
    """The folder of the user's own themes; it need not exist."""
    from platformdirs import user_config_path

    return user_config_path("fluxtui", appauthor=False) / "themes"


def theme_paths(*, shipped: bool = False) -> dict[str, Path]:
    """All theme files by the stem of their name; the user's own override the shipped ones.

    With shipped, only the shipped ones.
    """
    folders = [shipped_directory()] if shipped else [shipped_directory(), user_directory()]
    return {path.stem: path for folder in folders for path in _yaml_files(folder)}


def read_theme(path: Path) -> Parsed[ThemeFile | None]:
    """Read a theme file; each fault is a problem with its place, and the value is then None."""
    try:
        if path.exists() and not path.is_file():
            raise OSError(errno.EINVAL, "it is not a regular file")
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        return Parsed(None, (Problem(f"cannot read the theme file {path}: {reason}", rule=RULE),))
    parsed = parse_theme(text)
    if parsed.value is not None and parsed.value.name != path.stem:
        message = f"the theme calls itself {shortened(parsed.value.name)}"
        parsed = Parsed(None, (Problem(message, None, "name", (path.stem,), RULE),))
    named = (replace(p, message=f"{path.name}: {p.message}") for p in parsed.problems)
    return parsed._replace(problems=tuple(named))


def parse_theme(text: str) -> Parsed[ThemeFile | None]:
    """Read a theme from the text of its file."""
    document, problem = _load(text)
    if problem is not None:
        return Parsed(None, (problem,))
    if not isinstance(document, dict):
        wanted = ("name", "title", "dark", "colors")
        return Parsed(None, (Problem("a theme is a YAML mapping", None, None, wanted, RULE),))
    problems = _check(document)
    if problems:
        return Parsed(None, problems)
    return Parsed(
        ThemeFile(
            name=document["name"],
            title=document.get("title") or document["name"],
            dark=document["dark"],
            colors=dict(document["colors"]),
            roles=dict(document.get("roles") or {}),
        )
    )


def _load(text: str) -> tuple[Any, Problem | None]:
    """Return the document of a YAML text.

    JSON is YAML too, and the theme of the first frame is written in it: importing the YAML library
    would take longer than everything else before the first frame.
    """
    if text.startswith("{"):
        try:
            return json.loads(text), None
        except (ValueError, RecursionError):
            pass  # YAML allows more between braces than JSON does
    from fluxtui.model.documents import yaml_text

    value, _, problems = yaml_text.read(text)
    return value, next((p for p in problems if p.severity == "error"), None)


def _yaml_files(folder: Path) -> list[Path]:
    try:
        return sorted(p for p in folder.iterdir() if p.suffix in {".yaml", ".yml"})
    except OSError:
        return []


def _check(document: Mapping[Any, Any]) -> tuple[Problem, ...]:
    report = Report(RULE)
    report.check_keys(document, "a theme", "", "name", "title", "dark", "colors", "roles")
    name = document.get("name")
    if not isinstance(name, str) or not _NAME.match(name):
        report.error("a theme has a name", "name", "lower-case letters, digits and hyphens")
    if not isinstance(document.get("title", ""), str):
        report.error("the title is one line of text", "title")
    if not isinstance(document.get("dark"), bool):
        report.error("a theme says whether it is dark", "dark", "true", "false")
    colors = document.get("colors")
    if not isinstance(colors, dict):
        report.error("a theme has colors", "colors", *COLORS)
    else:
        for color in COLORS:
            if color not in colors:
                wanted = "a colour such as #88c0d0"
                report.error(f"the color {color} is missing", "colors", wanted)
        _check_colors(report, colors, "colors", COLORS)
    roles = document.get("roles") or {}
    if not isinstance(roles, dict):
        report.error("roles is a mapping of role to colour", "roles", *ROLES)
    else:
        _check_colors(report, roles, "roles", ROLES)
    return report.problems


def _check_colors(
    report: Report, colors: Mapping[Any, Any], name: str, known: tuple[str, ...]
) -> None:
    report.check_keys(colors, name, name, *known)
    for key, value in colors.items():
        if not isinstance(value, str) or not _COLOR.match(value):
            message = f"'{shortened(str(value))}' is not a colour"
            report.error(message, at(name, str(key)), "#rgb", "#rrggbb")
