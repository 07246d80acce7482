"""The base of every pane: a framed part of the screen with tabs and the theme's styles."""

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
    """Mixin, to go before the widget class, for widgets whose parts are mounted with them.

    Textual mounts what a widget composes only later, in the widget's own task. A key that arrived
    in the same read would be handled before that, when a focused part has no ancestors yet, whose
    bindings would not work, or when the part does not exist.
    """

    parts: Sequence[Widget] = ()

    def compose(self) -> ComposeResult:
        """Yield the parts; Textual leaves those that are already mounted alone."""
        yield from self.parts

    def mount_parts(self) -> None:
        """Mount the parts, and their parts in turn, at once."""
        self.mount(*self.parts)
        for part in self.parts:
            if isinstance(part, Whole):
                part.mount_parts()


def mount_whole(around: Widget, made: Whole, *, after: Widget | None = None) -> None:
    """Mount a widget with all its parts at once, unless its parent is being removed."""
    around.mount(made, after=after)
    if made.is_attached:
        made.mount_parts()


class Pane(Whole, Container):
    """A framed part of the screen. title is the text of its tab, which the workspace reads.

    synonyms are other words that find it in the palette.
    """

    title: str = ""
    synonyms: ClassVar[str] = ""

    on_title: Callable[[], None] = staticmethod(lambda: None)  # called when the title changes

    @property
    def ready(self) -> bool:
        """Whether the pane can show a state within the current frame."""
        return True

    async def made(self) -> None:
        """Wait for the widgets that the pane builds when it is first shown."""

    @property
    def inside(self) -> Widget | None:
        """The widget that gets the focus before others, such as an open prompt."""
        return None

    @property
    def is_in_sight(self) -> bool:
        """Whether the pane and all its ancestors are displayed."""
        return in_sight(self)

    def show(self, state: Any) -> None:
        """Show a state."""

    def show_tabs(self, tabs: Content) -> None:
        """Write the tabs of the zone into the frame."""
        if tabs != self._border_title:
            self.border_title = tabs

    def put_title(self, title: str) -> None:
        """Change the title of the tab, for instance to the format that is shown."""
        if title != self.title:
            self.title = title
            self.on_title()

    @on(events.DescendantFocus)
    @on(events.DescendantBlur)
    def _mark_focus(self) -> None:
        """Draw the frame as focused or not.

        A class rather than ``:focus-within``, which recomputes the styles of all descendants.
        """
        has_focus = self.is_attached and self.has_focus_within
        if has_focus != self.has_class("-focused"):
            self.set_class(has_focus, "-focused", update=False)
            self.app.stylesheet.update_nodes([self])
        self.say_keys()

    def say_keys(self) -> None:
        """Show the keys of the pane while it has the focus."""

    def has_keys(self, widget: Widget) -> bool:
        """Return whether a widget of the pane has the focus, so that its keys are active."""
        return self.is_attached and self.screen.focused is widget

    def say_in_frame(self, text: str | Text | Content) -> None:
        """Write into the lower edge of the frame, and repaint only that."""
        shown = Content.from_rich_text(text) if isinstance(text, Text) else text
        subtitle = shown if isinstance(shown, Content) else Content(shown)
        before = self._border_subtitle
        if before is None or (subtitle.plain, subtitle.spans) != (before.plain, before.spans):
            self._border_subtitle = subtitle
            self.refresh(Region(-1, self.size.height, self.size.width + 2, 1))

    @property
    def style(self) -> Palette:
        """The styles of the current theme."""
        return palette_of(self)

    def line(self, *parts: str | tuple[str, Style]) -> Text:
        """Return a line that never wraps; each part is a text, or a text and its style."""
        return styled_line(*parts, style=self.style.plain)

    def hint(self, *lines: str) -> list[Text]:
        """Return lines in a quiet colour for a pane that has nothing to show yet."""
        return [self.line((line, self.style.quiet)) for line in ("", *lines)]


# The class of widgets whose descendants the tab key skips.
SKIPPED_BY_TAB = "-skipped-by-tab"


def in_sight(widget: Widget) -> bool:
    """Return whether a widget and all its ancestors are displayed."""
    return all(node.display for node in widget.ancestors_with_self if isinstance(node, Widget))
