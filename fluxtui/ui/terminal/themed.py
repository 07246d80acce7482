"""An app in the themes of the workbench: from their files, with a colour for every role."""

from typing import ClassVar

from textual.app import App
from textual.binding import BindingType

from fluxtui.bridge import themes
from fluxtui.bridge.settings import Settings
from fluxtui.notation.problem import Problem
from fluxtui.ui.kit.palette import Palette, role_defaults
from fluxtui.ui.terminal.theming import load_theme


class ThemedApp(App[None], inherit_bindings=False):
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
