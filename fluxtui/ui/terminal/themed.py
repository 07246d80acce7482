"""Themes from their files, and an app that starts in one, with a colour for every role."""

from typing import Any, ClassVar, NamedTuple

from textual.app import App
from textual.binding import BindingType
from textual.notifications import Notify
from textual.theme import Theme

from fluxtui.bridge import themes
from fluxtui.bridge.settings import Settings
from fluxtui.notation.problem import Problem
from fluxtui.ui.kit.palette import Palette, StyledApp, role_defaults

MOMENT = 2  # seconds


class ThemedApp(StyledApp, inherit_bindings=False):
    """Starts in a theme from its file, before the first frame.

    theme_problems says what is wrong with that file. settings are those of the person's own
    configuration.
    """

    settings = Settings()
    BINDINGS: ClassVar[list[BindingType]] = []

    def __init__(self) -> None:
        self.palette = Palette.of({})
        self.theme_problems: tuple[Problem, ...] = ()
        super().__init__()

    def use_theme_file(self, name: str) -> None:
        """Start in a theme from its file, before the first frame; the default if it is faulty."""
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
        """Colours for the roles that a theme does not name, made from its own colours."""
        theme = self.current_theme
        if all(f"role-{role}" in theme.variables for role in themes.ROLES):
            return {}
        return role_defaults(theme.to_color_system().generate())

    def on_notify(self, event: Notify) -> None:
        """Show the last message alone, and once while it is still there, as when a key is held.

        What is wrong stays for a moment: mere information that comes then is not shown.
        """
        new = event.notification
        if not self.screen_stack:  # the workbench is being left
            return
        wrong = {"warning", "error"} if new.severity == "information" else set()
        if any(
            (old.message, old.severity) == (new.message, new.severity)
            or (old.severity in wrong and new.raised_at - old.raised_at < MOMENT)
            for old in self._notifications
        ):
            event.prevent_default()
        else:
            self.clear_notifications()
            for screen in self.screen_stack:
                screen.query("ToastHolder").remove()  # which Textual leaves behind


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


def built_in(name: str) -> tuple[bool, dict[str, str]]:
    """Whether one of Textual's own themes is dark, and its colours; none where there is none."""
    from textual.theme import BUILTIN_THEMES

    theme = BUILTIN_THEMES.get(name)
    if theme is None:
        return True, {}
    found = theme.to_color_system().generate()
    return theme.dark, {color: found[color] for color in themes.COLORS}


def load_themes() -> Loaded:
    """Every theme that has a file. Reads them all: not for the event loop."""
    read = [themes.read_theme(path) for path in themes.theme_paths().values()]
    files = [parsed.value for parsed in read if parsed.value is not None]
    problems = [problem for parsed in read for problem in parsed.problems]
    return Loaded(tuple((_theme(file), file.title) for file in files), tuple(problems))


def _theme(file: themes.ThemeFile) -> Theme:
    variables = {f"role-{role}": color for role, color in file.roles.items()}
    colors: dict[str, Any] = dict(file.colors)
    return Theme(name=file.name, dark=file.dark, variables=variables, **colors)
