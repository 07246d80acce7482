"""Choose a theme; moving through the list shows each one at once."""

from collections.abc import Sequence

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from fluxtui.notation.problem import printable
from fluxtui.ui.kit.dialog import Dialog
from fluxtui.ui.kit.option_rows import OptionRows


class ThemeDialog(Dialog[str]):
    """Asks for a theme; each is a name and a title. Leaving it brings back the one before."""

    def __init__(self, themes: Sequence[tuple[str, str]], current: str) -> None:
        super().__init__()
        self._themes = themes
        self._before = current

    def compose(self) -> ComposeResult:
        """The list of themes."""
        width = max((len(name) for name, _ in self._themes), default=0)
        with Vertical(id="box") as box:
            box.border_title = "Theme"
            box.border_subtitle = "enter takes it · esc keeps the one before"
            yield OptionRows(
                *(
                    Option(
                        Text.assemble(
                            f"{name.ljust(width)}  ", (printable(title), "dim"), no_wrap=True
                        ),
                        id=name,
                    )
                    for name, title in self._themes
                )
            )

    def on_mount(self) -> None:
        """Begin at the theme in force."""
        names = [name for name, _ in self._themes]
        if self._before in names:
            self.query_one(OptionList).highlighted = names.index(self._before)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Show the theme."""
        if event.option.id is not None:
            self.app.theme = event.option.id

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Keep the theme."""
        self.dismiss(event.option.id)

    def action_dismiss_dialog(self) -> None:
        """Bring back the theme from before."""
        self.app.theme = self._before
        self.dismiss(None)
