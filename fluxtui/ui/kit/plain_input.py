"""An input that draws any text safely, whatever a document, a folder or a paste brings in."""

from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate

from rich.cells import get_character_cell_size, set_cell_size
from rich.text import Text
from textual import events
from textual.geometry import Region, Size
from textual.reactive import Reactive
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input

from fluxtui.notation.problem import Span
from fluxtui.ui.kit.colouring import columns, visible
from fluxtui.ui.kit.drawing import Styled
from fluxtui.ui.kit.line_ends import with_feeds


def takes_document(widget: Widget, text: str, *, jobspecs: bool = True) -> bool:
    """Whether a paste is a document, which the app opens; it is no text of the widget then.

    jobspecs says that a jobspec is no text of it either.
    """
    take = getattr(widget.screen, "take_pasted", None)
    if take is not None:
        return bool(take(text))
    take = getattr(widget.app, "take_pasted", None)
    return take is not None and bool(take(text, jobspecs=jobspecs))


def cut_between_words(text: str, width: int) -> str:
    """A text for so many columns: where it is too long, its first words and an ellipsis."""
    if columns(text) <= width:
        return text
    cut = set_cell_size(text, max(width - 1, 0))
    whole = cut if text[len(cut) : len(cut) + 1].isspace() else cut.rpartition(" ")[0]
    return f"{(whole or cut).rstrip(' ·:,')}…" if width > 0 else ""


class PlainInput(Styled, Input):
    """An input whose text may hold what a terminal would obey; it shows a sign for each of these.

    What is typed or pasted leaves them out; between the lines of a paste, and for a tab, stands a
    blank. It draws what can be seen of the text only, so that a long one takes no longer.
    """

    # It has one row and no scroll bars: a longer text is no reason to lay out the screen again.
    virtual_size: Reactive[Size] = Reactive(Size(0, 0), layout=False)

    on_paste: Callable[[str], bool] = staticmethod(lambda text: False)  # takes what is no text here

    takes_letters = True  # no letter does anything else while it has the focus

    async def _on_key(self, event: events.Key) -> None:
        """Do what a key is bound to before the next key is looked at.

        Textual handles printable keys here but others only after they have bubbled up to the app:
        of keys that come in one burst, a backspace would follow the letter typed after it.
        """
        if event.is_printable or event.key in ("up", "down"):  # these are for who stands around
            return
        for binding in self._bindings.key_to_bindings.get(event.key, ()):
            event.stop()
            event.prevent_default()
            await self.run_action(binding.action)

    def replace(self, text: str, start: int, end: int) -> None:
        """Put in a text; what is not printable is left out, as it could not be seen."""
        super().replace("".join(c for c in text if c.isprintable()), start, end)

    def _on_paste(self, event: events.Paste) -> None:
        """Take all lines of a paste, where Textual takes the first: JSON comes in many."""
        event.prevent_default()
        event.stop()
        text = with_feeds(event.text)
        if self.on_paste(text) or takes_document(self, text):
            return
        self.replace(" ".join(text.splitlines()).replace("\t", " "), *self.selection)

    def on_resize(self) -> None:
        """Keep the cursor in sight: what stands beside the input has taken of its columns."""
        column = self._position_to_cell(self.cursor_position) + self.cursor_at_end
        self.scroll_to_region(Region(column, 0, 1, 1), force=True, animate=False)

    # The drawing

    def render_line(self, y: int) -> Strip:
        """The row of the text, of which only what can be seen is coloured and drawn."""
        if y == 0 and not self.value:
            return self._hint_line()
        if y != 0:
            return super().render_line(y)
        left, width = self.scroll_offset.x, self.scrollable_content_region.width + 1
        seen = Span(self._index_at(left), min(self._index_at(left + width) + 1, len(self.value)))
        text = self.drawn(seen)
        if self.has_focus:
            self._mark_selection(text, seen)
        if text.plain:
            strip = Strip(self.app.console.render(text, self.app.console_options))
        else:
            strip = Strip.blank(0)
        start = left - self._position_to_cell(seen.start)
        strip = strip.crop(start, start + width).extend_cell_length(width)
        return strip.apply_style(self.rich_style)

    def _hint_line(self) -> Strip:
        """The row of an empty input: what could stand in it, cut between words."""
        width = self.scrollable_content_region.width + 1
        style = self.get_component_rich_style("input--placeholder")
        text = Text(
            cut_between_words(self.placeholder, width - 1), style=style, no_wrap=True, end=""
        )
        if self.has_focus and self._cursor_visible:
            text.pad_right(0 if text.plain else 1)
            text.stylize(self.get_component_rich_style("input--cursor"), 0, 1)
        strip = Strip(self.app.console.render(text, self.app.console_options))
        return strip.crop(0, width).extend_cell_length(width).apply_style(self.rich_style)

    def _mark_selection(self, text: Text, seen: Span) -> None:
        """Show what is selected and the cursor, in the text of this part of the value."""
        start, end = (index - seen.start for index in sorted(self.selection))
        if start != end:
            style = self.get_component_rich_style("input--selection")
            text.stylize_before(style, max(start, 0), max(end, 0))
        cursor = self.cursor_position - seen.start
        if self._cursor_visible and cursor >= 0:
            if self.cursor_at_end:
                text.pad_right(1)
            text.stylize(self.get_component_rich_style("input--cursor"), cursor, cursor + 1)

    def drawn(self, seen: Span) -> Text:
        """This part of the value as it is drawn, but for the cursor and the selection."""
        return Text(visible(self.value[slice(*seen)]), no_wrap=True, overflow="ignore", end="")

    @property
    def content_width(self) -> int:
        """The columns of the whole text, and one for a cursor at its end."""
        return columns(self.value) + 1 if self.value else super().content_width

    def _position_to_cell(self, position: int) -> int:
        return columns(self.value[:position])

    def _index_at(self, column: int) -> int:
        """The character that stands at a column of the text; its length past the last one."""
        if columns(self.value) == len(self.value):
            return min(column, len(self.value))
        text = visible(self.value)
        return bisect_right(list(accumulate(map(get_character_cell_size, text))), column)
