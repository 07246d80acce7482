"""What every pane is: a framed part of the screen with a title, and the styles of the theme."""

from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.containers import Container

from fluxtui.ui.palette import Palette, palette_of


class Pane(Container):
    """A framed part of the screen; title is what its frame and the tabs call it."""

    title: ClassVar[str] = ""

    # With priority, so that what is typed right after is already for the input.
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "app.focus_constraint", "Requires", show=False, priority=True),
        Binding("s", "app.focus_shape", "Shape", show=False, priority=True),
        Binding("question_mark", "app.help", "Help", show=False, priority=True),
    ]

    def on_mount(self) -> None:
        """Show the title in the frame, where the pane has not set a livelier one."""
        self.border_title = self.border_title or self.title

    @property
    def style(self) -> Palette:
        """The styles of the theme in force."""
        return palette_of(self)

    def line(self, *parts: str | tuple[str, object]) -> Text:
        """A line of text that never wraps; a part is a text, or a text and its style."""
        return Text.assemble(*parts, style=self.style.plain, no_wrap=True, end="")  # type: ignore[arg-type]

    def hint(self, *lines: str) -> list[Text]:
        """Quiet lines for a pane that has nothing to show yet."""
        return [self.line((line, self.style.quiet)) for line in ("", *lines)]
