"""A single line of styled text that never asks for layout."""

from rich.text import Text
from textual.strip import Strip
from textual.widget import Widget

from fluxtui.ui.kit.colouring import in_row
from fluxtui.ui.kit.drawing import Drawn


class OneLine(Drawn, Widget):
    """One row: a text at the left, another at the right; the left one gives way."""

    DEFAULT_CSS = "OneLine { height: 1; width: 1fr; }"

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._left = Text()
        self._right = Text()

    @property
    def plain(self) -> str:
        """What stands in the line, without its styles."""
        return f"{self._left.plain} {self._right.plain}".strip()

    def show(self, left: Text, right: Text | None = None) -> None:
        """Show these texts instead."""
        right = right if right is not None else Text()
        shown = (left, left.style, right, right.style)
        if shown != (self._left, self._left.style, self._right, self._right.style):
            self._left, self._right = left, right
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """The row itself."""
        width = self.size.width
        if y:
            return Strip.blank(width, self.base)
        console = self.app.console
        taken = min(self._right.cell_len, width)
        room = max(width - taken - 1, 0) if taken else width
        text = self._left if self._left.cell_len <= room else self.cut(self._left, room)
        left = in_row(text, self.base, 0, width - taken, console)
        return Strip.join([left, in_row(self._right, self.base, 0, taken, console)])

    def cut(self, text: Text, room: int) -> Text:
        """The text at the left for fewer columns than it takes."""
        text = text.copy()
        text.truncate(room, overflow="ellipsis")
        return text


class CaretLine(OneLine):
    """The line below an input: carets under the faulty characters, and the message beside them."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._carets: tuple[int, int, int] | None = None
        self._message = Text()

    def point(self, start: int, width: int, message: Text, least: int) -> None:
        """Put carets from a column on, so many columns wide, and the message where it fits.

        least is how many columns of the message matter most: its end may be cut to keep the
        carets, but no more than that while there is room.
        """
        self._carets = (start, max(1, width), least)
        self._message = message
        self.show(self._with_carets())

    def say(self, text: Text) -> None:
        """Say something that is not about one place."""
        self._carets = None
        self.show(text)

    def on_resize(self) -> None:
        """Find the room for the message again."""
        if self._carets is not None:
            self.show(self._with_carets())

    def _with_carets(self) -> Text:
        """Carets with the message after them, or before them; alone where they are out of sight.

        The message is cut before the carets are given up.
        """
        assert self._carets is not None
        start, width, least = self._carets
        room = self.size.width or 80
        message = self._message
        if start < 0 or start >= room:
            return message
        carets = Text("^" * min(width, room - start), style=message.style)
        after, before = room - start - carets.cell_len - 1, start - 1
        whole = message.cell_len
        if after >= whole or (before < whole and after >= min(least, before)):
            return Text(" " * start).append_text(carets).append(" ").append_text(message)
        message = message.copy()
        message.truncate(before, overflow="ellipsis")
        gap = " " * (before - message.cell_len)
        return Text(gap).append_text(message).append(" ").append_text(carets)
