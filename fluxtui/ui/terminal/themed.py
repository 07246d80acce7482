"""Themes loaded from files, and an app that starts with one and has a colour for every role."""

from typing import Any, ClassVar, NamedTuple

from textual.app import App
from textual.binding import BindingType
from textual.notifications import Notify
from textual.theme import Theme

from fluxtui.bridge import themes
from fluxtui.bridge.settings import Settings
from fluxtui.notation.problem import Problem
from fluxtui.ui.kit.palette import Palette, StyledApp, role_defaults

MOMENT = 2  # seconds during which information does not replace a warning or an error


class ThemedApp(StyledApp, inherit_bindings=False):
    """An app that loads its theme from a file before the first frame.

    theme_problems are the problems of that file. settings are the user's configuration.
    """

    settings = Settings()
    BINDINGS: ClassVar[list[BindingType]] = []

    def __init__(self) -> None:
        self.palette = Palette.of({})
        self.theme_problems: tuple[Problem, ...] = ()
        super().__init__()

    def use_theme_file(self, name: str) -> None:
        """Use a theme from its file, from the first frame on; the default theme if it is faulty."""
        theme, problems = load_theme(name)
        if theme is None and name in self.available_themes:
            theme, problems = self.available_themes[name], ()
        elif theme is None:
            theme, _ = load_theme(themes.DEFAULT, shipped=True)
        self.theme_problems = problems
        if theme is not None:
            self.register_theme(theme)
            self.set_reactive(App.theme, theme.name)
            self.set_class(theme.dark, "-dark-mode", update=False)
            self.set_class(not theme.dark, "-light-mode", update=False)
            self.stylesheet.set_variables(self.get_css_variables())

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Return colours for the roles that the theme does not define, from its own colours."""
        theme = self.current_theme
        if all(f"role-{role}" in theme.variables for role in themes.ROLES):
            return {}
        return role_defaults(theme.to_color_system().generate())

    def on_notify(self, event: Notify) -> None:
        """Show only the last message, and not again while it shows, as when a key is held.

        A warning or an error stays for a moment; information that comes during it is not shown.
        """
        new = event.notification
        if not self.screen_stack:  # the program is ending
            return
        lasting = {"warning", "error"} if new.severity == "information" else set()
        if any(
            (old.message, old.severity) == (new.message, new.severity)
            or (old.severity in lasting and new.raised_at - old.raised_at < MOMENT)
            for old in self._notifications
        ):
            event.prevent_default()
        else:
            self.clear_notifications()
            for screen in self.screen_stack:
                screen.query("ToastHolder").remove()  # which Textual leaves behind


class Loaded(NamedTuple):
    """The themes of the files that can be read, with titles, and the problems of the others."""

    themes: tuple[tuple[Theme, str], ...]
    problems: tuple[Problem, ...]


def load_theme(name: str, *, shipped: bool = False) -> tuple[Theme | None, tuple[Problem, ...]]:
    """Return the theme with a name from its file and its problems; None if it cannot be loaded.

    shipped loads the one that comes with fluxtui, even if the user has a theme of the same name.
    """
    paths = themes.theme_paths(shipped=shipped)
    if name not in paths:
        return None, (Problem(f"there is no theme {name}", expected=tuple(paths), rule="theme"),)
    file, problems = themes.read_theme(paths[name])
    return (_theme(file) if file is not None else None), problems


def built_in(name: str) -> tuple[bool, dict[str, str]]:
    """Return whether a built-in theme of Textual is dark, and its colours; empty if unknown."""
    from textual.theme import BUILTIN_THEMES

    theme = BUILTIN_THEMES.get(name)
    if theme is None:
        return True, {}
    found = theme.to_color_system().generate()
    return theme.dark, {color: found[color] for color in themes.COLORS}


def load_themes() -> Loaded:
    """Return all themes that have files. It reads every file, so run it outside the event loop."""
    read = [themes.read_theme(path) for path in themes.theme_paths().values()]
    files = [parsed.value for parsed in read if parsed.value is not None]
    problems = [problem for parsed in read for problem in parsed.problems]
    return Loaded(tuple((_theme(file), file.title) for file in files), tuple(problems))


def _theme(file: themes.ThemeFile) -> Theme:
    variables = {f"role-{role}": color for role, color in file.roles.items()}
    colors: dict[str, Any] = dict(file.colors)
    return Theme(name=file.name, dark=file.dark, variables=variables, **colors)
