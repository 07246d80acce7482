"""A box to paste a document into."""

from collections.abc import Callable

from rich.text import Text

from fluxtui.ui.kit.lines_dialog import LinesDialog

NOTE = (
    "Paste an R document, a resource graph (JGF), a Flux configuration or a jobspec: "
    "it opens at once, and its content tells what it is. What is typed opens with ctrl+s."
)

#: Characters that are put into the box; a longer text is opened as it is.
SHOWN = 200_000


class PasteDialog(LinesDialog):
    """Asks for the text of a document. A paste that is one is taken as it comes.

    kind_of says what a text is, None where it is no document; tell the same in words.
    """

    takes = "opens"

    def __init__(self, kind_of: Callable[[str], str | None], tell: Callable[[str], Text]) -> None:
        super().__init__("Open from the clipboard", NOTE, "", tell)
        self._kind_of = kind_of

    def take_pasted(self, text: str) -> bool:
        """Take a paste that is a whole document; a part of one is to be put together here."""
        begun = self.editor.text.strip()
        cut = text.lstrip().startswith("{") and not text.rstrip().endswith("}")
        if begun or cut or self._kind_of(text) is None:
            return False
        self.dismiss(text)
        return True

    def offer(self, text: str) -> None:
        """Put in a text where nothing was typed yet; one that is too long to be shown is not."""
        if not self.editor.text and len(text) <= SHOWN:
            self.editor.put(text)
            self._say(text)
