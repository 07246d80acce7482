"""An input that draws any text safely, whatever a document, a folder or a paste brings in."""

from collections.abc import Callable

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.geometry import Size
from textual.reactive import Reactive
from textual.widgets import Input

from fluxtui.ui.colouring import visible
from fluxtui.ui.line_ends import with_feeds


class PlainInput(Input):
    """An input whose text may hold what a terminal would obey; it shows a sign for each of these.

    What is typed or pasted leaves them out; between the lines of a paste, and for a tab, stands a
    blank.
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
        if self.on_paste(text):
            return
        self.replace(" ".join(text.splitlines()).replace("\t", " "), *self.selection)

    @property
    def _value(self) -> Text:
        return Text(visible(self.value), no_wrap=True, overflow="ignore", end="")

    def _position_to_cell(self, position: int) -> int:
        return cell_len(visible(self.value[:position]))
