"""Theme files become Textual themes."""

from typing import Any, NamedTuple

from textual.theme import Theme

from fluxtui.bridge import themes
from fluxtui.notation.problem import Problem


class Loaded(NamedTuple):
    """The themes of the files that can be read, with titles, and what is wrong with others."""

    themes: tuple[tuple[Theme, str], ...]
    problems: tuple[Problem, ...]


def load_theme(name: str, *, shipped: bool = False) -> tuple[Theme | None, tuple[Problem, ...]]:
    """The theme of a name as its file has it, or why there is none.

    shipped asks for the one that comes with fluxtui, whatever a person has under that name.
    """
    paths = themes.theme_paths(shipped=shipped)
    if name not in paths:
        return None, (Problem(f"there is no theme {name}", expected=tuple(paths), rule="theme"),)
    file, problems = themes.read_theme(paths[name])
    return (_theme(file) if file is not None else None), problems


def load_all() -> Loaded:
    """Every theme that has a file. Reads them all: not for the event loop."""
    read = [themes.read_theme(path) for path in themes.theme_paths().values()]
    files = [parsed.value for parsed in read if parsed.value is not None]
    problems = [problem for parsed in read for problem in parsed.problems]
    return Loaded(tuple((_theme(file), file.title) for file in files), tuple(problems))


def _theme(file: themes.ThemeFile) -> Theme:
    variables = {f"role-{role}": color for role, color in file.roles.items()}
    colors: dict[str, Any] = dict(file.colors)
    return Theme(name=file.name, dark=file.dark, variables=variables, **colors)
