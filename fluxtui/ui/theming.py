"""Theme files become Textual themes."""

from typing import Any

from textual.app import App
from textual.theme import Theme

from fluxtui.bridge import themes
from fluxtui.notation.source import Problem


def load_theme(name: str) -> tuple[Theme | None, tuple[Problem, ...]]:
    """The theme of a name as its file has it, or why there is none."""
    path = themes.theme_paths().get(name)
    if path is None:
        known = tuple(themes.theme_paths())
        return None, (Problem(f"there is no theme {name}", expected=known, rule="theme"),)
    file, problems = themes.read_theme(path)
    if file is None:
        return None, tuple(p._replace(message=f"{path.name}: {p.message}") for p in problems)
    return _theme(file), ()


def register_all(app: "App[None]") -> tuple[Problem, ...]:
    """Register every theme file that can be read; the problems of those that cannot."""
    problems: list[Problem] = []
    for name in themes.theme_paths():
        theme, found = load_theme(name)
        problems += found
        if theme is not None:
            app.register_theme(theme)
    return tuple(problems)


def _theme(file: themes.ThemeFile) -> Theme:
    variables = {f"role-{role}": color for role, color in file.roles.items()}
    colors: dict[str, Any] = dict(file.colors)
    return Theme(name=file.name, dark=file.dark, variables=variables, **colors)
