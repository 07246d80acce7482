"""A paste stays whole: an escape in it neither ends it nor is the beginning of a key.

Textual 8.2.8 looks for keys in a bracketed paste too: what comes before an escape is pasted after
what follows it, and the rest runs as keys. No text here takes escapes, so they are left out before.
"""

from collections.abc import Iterable, Iterator

from textual._xterm_parser import (
    BRACKETED_PASTE_END,
    BRACKETED_PASTE_START,
    XTermParser,
)
from textual.message import Message

ESCAPE = "\x1b"


class WholePastes(XTermParser):
    """Reads what a terminal sends; a paste reaches from its first mark to its last."""

    def __init__(self, debug: bool = False) -> None:
        self._is_inside = False
        self._before = ""  # the end of what came before, where a mark may have begun
        super().__init__(debug)

    def feed(self, data: str) -> Iterable[Message]:
        """The messages that more of the input makes; none of it is its end."""
        cleaned = "".join(self._cleaned(data))
        if cleaned or not data:
            yield from super().feed(cleaned)

    def _cleaned(self, data: str) -> Iterator[str]:
        """The same without the escapes in pastes; a last mark that is cut in two waits for more."""
        while data:
            mark = BRACKETED_PASTE_END if self._is_inside else BRACKETED_PASTE_START
            known, text = len(self._before), self._before + data
            found = text.find(mark)
            end = found if found >= 0 else len(text) - _begun(mark, text)
            if self._is_inside:
                yield text[:end].replace(ESCAPE, "") + (mark if found >= 0 else "")
            else:  # what may be a key is handed on at once
                yield text[known : end + len(mark)]
            self._before = "" if found >= 0 else text[end:]
            data = text[end + len(mark) :] if found >= 0 else ""
            self._is_inside ^= found >= 0


def _begun(mark: str, text: str) -> int:
    """How many characters of a mark a text ends with."""
    return next((n for n in range(len(mark) - 1, 0, -1) if text.endswith(mark[:n])), 0)
