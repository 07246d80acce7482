"""A single line of styled text that never asks for layout."""

from rich.text import Text
from textual.strip import Strip
from textual.widget import Widget


class OneLine(Widget):
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
        if (left, right) != (self._left, self._right):
            self._left, self._right = left, right
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """The row itself."""
        base = self.rich_style
        width = self.size.width
        if y:
            return Strip.blank(width, base)
        console = self.app.console
        right = Strip(self._right.render(console))
        room = max(width - right.cell_length - 1, 0) if right.cell_length else width
        left_text = self._left
        if left_text.cell_len > room:
            left_text = left_text.copy()
            left_text.truncate(room, overflow="ellipsis")
        left = Strip(left_text.render(console)).adjust_cell_length(width - right.cell_length)
        return Strip.join([left, right]).crop(0, width).apply_style(base)


class CaretLine(OneLine):
    """The line below an input: carets under the faulty characters, and the message beside them."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._carets: tuple[int, int] | None = None
        self._message = Text()

    def point(self, start: int, width: int, message: Text) -> None:
        """Put carets from a column on, so many columns wide, and the message where it fits."""
        self._carets = (start, max(1, width))
        self._message = message
        self.show(self._with_carets())

    def say(self, left: Text, right: Text | None = None) -> None:
        """Say something that is not about one place."""
        self._carets = None
        self.show(left, right)

    def on_resize(self) -> None:
        """Find the room for the message again."""
        if self._carets is not None:
            self.show(self._with_carets())

    def _with_carets(self) -> Text:
        """Carets with the message after them, or before them, or the message alone.

        Alone it has the whole width; the place is still underlined in the input itself.
        """
        assert self._carets is not None
        start, width = self._carets
        room = self.size.width or 80
        message = self._message
        if start < 0 or start >= room:
            return message
        carets = Text("^" * min(width, room - start), style=message.style)
        after = room - start - carets.cell_len - 1
        if message.cell_len <= after:
            return Text(" " * start).append_text(carets).append(" ").append_text(message)
        if message.cell_len < start:
            gap = " " * (start - message.cell_len - 1)
            return Text(gap).append_text(message).append(" ").append_text(carets)
        if message.cell_len > room and after >= room // 2:
            return Text(" " * start).append_text(carets).append(" ").append_text(message)
        return message
