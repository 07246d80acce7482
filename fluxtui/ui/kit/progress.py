"""How far a document is that is read beside the event loop, and how its reading is stopped."""

from fluxtui.notation.problem import printable
from fluxtui.ui.kit.wording import shorten

MEGABYTE = 1_000_000
WORTH_TELLING = 1_000_000  # bytes; a smaller document is there before one has read how far it is
LONG = 24  # characters of a name in one line: all of that fits the narrowest screen


class StoppedError(Exception):
    """Nobody waits for the document any more."""


class Progress:
    """What a thread tells of its reading, and what is said of it on the screen."""

    def __init__(self, name: str) -> None:
        """name is the path of the document, or what else it goes by."""
        self.name = printable(name.rstrip("/").rpartition("/")[2] or name)
        self._done = self._size = 0
        self._stopped = False

    def told(self, done: int, size: int) -> None:
        """Take how many bytes have been read, of how many; 0 where that is not known.

        Raises StoppedError once the reading was stopped.
        """
        if self._stopped:
            raise StoppedError
        self._done, self._size = done, size

    def stop(self) -> None:
        """End the reading where it is told the next time."""
        self._stopped = True

    @property
    def words(self) -> str:
        """How much has been read, such as ``43 % of 210 MB``; blank while that is not worth it."""
        done, size = self._done, self._size
        if max(done, size) < WORTH_TELLING:
            return ""
        if not size:
            return f"{done / MEGABYTE:,.0f} MB"
        if done >= size:
            return f"{size / MEGABYTE:,.0f} MB, now its nodes"
        return f"{done * 100 // size} % of {size / MEGABYTE:,.0f} MB"

    @property
    def title(self) -> str:
        """The name and how much has been read, for one line that has room for more."""
        words, name = self.words, shorten(self.name, LONG)
        return f"{name} … {words} ·" if words else f"{name} …"

    @property
    def lines(self) -> tuple[str, ...]:
        """The same in several lines, for where there is nothing else to see."""
        words = self.words
        return (f"Reading {self.name} …", *((words,) if words else ()), "", "esc stops.")
