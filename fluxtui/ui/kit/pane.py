"""The base of every pane: a framed part of the screen with tabs, and the theme's styles."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from rich.style import Style
from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.geometry import Region
from textual.widget import Widget

from fluxtui.ui.kit.palette import Palette, palette_of
from fluxtui.ui.kit.text import styled_line

if TYPE_CHECKING:
    _Base = Widget
else:
    _Base = object


class Whole(_Base):
    """To be put before the class of a widget: it has its parts as soon as it is mounted whole.

    Textual mounts what a widget composes later, when that gets its turn. A key of the same read
    would come before: to a part that has the focus and stands in nothing, so that no key of what is
    around it works, or to one that is not there.
    """

    parts: Sequence[Widget] = ()

    def compose(self) -> ComposeResult:
        """The parts; Textual leaves those already mounted as they are."""
        yield from self.parts

    def mount_parts(self) -> None:
        """Mount the parts and their parts at once."""
        self.mount(*self.parts)
        for part in self.parts:
            if isinstance(part, Whole):
                part.mount_parts()


def mount_whole(around: Widget, made: Whole, *, after: Widget | None = None) -> None:
    """Mount a widget with all its parts at once; nothing where what is around it is going."""
    around.mount(made, after=after)
    if made.is_attached:
        made.mount_parts()


class Pane(Whole, Container):
    """A framed part of the screen; title is what its tab says, from which the workspace has it.

    synonyms are other words that find it in the palette.
    """

    title: str = ""
    synonyms: ClassVar[str] = ""

    on_title: Callable[[], None] = staticmethod(lambda: None)  # the tabs name it otherwise now

    @property
    def ready(self) -> bool:
        """Whether it can show a state within the frame."""
        return True

    async def made(self) -> None:
        """Wait for the parts that are made when it is first shown."""

    @property
    def inside(self) -> Widget | None:
        """The part that gets keys first, such as an open question."""
        return None

    @property
    def is_in_sight(self) -> bool:
        """It and all that it is in is displayed."""
        return in_sight(self)

    def show(self, state: Any) -> None:
        """Show a state."""

    def show_tabs(self, tabs: Content) -> None:
        """Write the tabs of its zone into the frame."""
        if tabs != self._border_title:
            self.border_title = tabs

    def put_title(self, title: str) -> None:
        """Change the title of its tab, such as to the format it shows."""
        if title != self.title:
            self.title = title
            self.on_title()

    @on(events.DescendantFocus)
    @on(events.DescendantBlur)
    def _mark_focus(self) -> None:
        """Frame the pane as focused or not.

        For the frame alone: ``:focus-within`` has the styles of all that is in a pane made anew.
        """
        has_focus = self.is_attached and self.has_focus_within
        if has_focus != self.has_class("-focused"):
            self.set_class(has_focus, "-focused", update=False)
            self.app.stylesheet.update_nodes([self])
        self.say_keys()

    def say_keys(self) -> None:
        """Name the keys of the pane while it has the focus."""

    def has_keys(self, widget: Widget) -> bool:
        """Whether the keys of a part are active: it has the focus."""
        return self.is_attached and self.screen.focused is widget

    def say_in_frame(self, text: str | Text | Content) -> None:
        """Write into the lower edge of the frame, and repaint only that."""
        shown = Content.from_rich_text(text) if isinstance(text, Text) else text
        said = shown if isinstance(shown, Content) else Content(shown)
        before = self._border_subtitle
        if before is None or (said.plain, said.spans) != (before.plain, before.spans):
            self._border_subtitle = said
            self.refresh(Region(-1, self.size.height, self.size.width + 2, 1))

    @property
    def style(self) -> Palette:
        """The styles of the current theme."""
        return palette_of(self)

    def line(self, *parts: str | tuple[str, Style]) -> Text:
        """A line of text that never wraps; a part is a text, or a text and its style."""
        return styled_line(*parts, style=self.style.plain)

    def hint(self, *lines: str) -> list[Text]:
        """Quiet lines for a pane that has nothing to show yet."""
        return [self.line((line, self.style.quiet)) for line in ("", *lines)]


# The class of a widget whose parts tab does not lead to.
PASSED_BY = "-passed-by"


def in_sight(widget: Widget) -> bool:
    """Whether the widget and all its ancestors are displayed."""
    return all(node.display for node in widget.ancestors_with_self if isinstance(node, Widget))
