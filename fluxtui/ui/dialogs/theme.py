"""Choose a theme from a list, with a preview of the one under the cursor."""

import asyncio
from collections.abc import Callable

from textual.theme import Theme

from fluxtui.ui.controller import Controller, WorkbenchApp
from fluxtui.ui.kit.workers import run_in_thread
from fluxtui.ui.terminal.themed import load_themes

PATIENCE = 1.0  # seconds for the theme files: keys wait meanwhile, and a file system may hang


class Themes(Controller):
    """Asks for a theme: shipped, the user's own, or Textual's; keep saves the chosen one."""

    def __init__(self, app: WorkbenchApp, keep: Callable[[str], None]) -> None:
        super().__init__(app)
        self._keep = keep

    async def choose(self) -> None:
        """Choose a theme from the list; awaited, so that keys typed meanwhile go to the list."""
        themes: tuple[tuple[Theme, str], ...] = ()
        try:
            loaded = await asyncio.wait_for(run_in_thread(load_themes), PATIENCE)
        except TimeoutError:
            self.app.warn("The theme files take too long to read.")
        else:
            themes = tuple(loaded.themes)
            self.app.report_problems(loaded.problems, "Theme files")
        for theme, _ in themes:
            self.app.register_theme(theme)
        from fluxtui.ui.kit.picker import Item, Picker

        app, before = self.app, self.app.theme
        items = [Item(theme.name, theme.name, title, group="fluxtui") for theme, title in themes]
        known = {item.value for item in items}
        others = [name for name in app.available_themes if name not in known]
        items += [Item(name, name, group="Textual") for name in others]
        at = next((at for at, item in enumerate(items) if item.value == before), 0)

        def show(name: str) -> None:
            app.theme = name

        def chosen(name: str | None) -> None:
            show(name or before)  # closing the list restores the previous theme
            if name is not None:
                self._keep(name)

        app.push_screen(Picker("Theme", items, enter="keeps", at=at, on_move=show), chosen)
