"""Lasting choices of the user, such as the columns of the table, kept between runs."""

import json
import os
from pathlib import Path

from fluxtui.bridge import paths

#: The key of the chosen theme.
THEME = "theme"

#: The key of the chosen split of the screen.
LAYOUT = "layout"

#: A larger file was not written by this module.
MAX_BYTES = 1 << 20


class Chosen:
    """Lists of names by key, in one file of the user's state directory.

    Reading and writing are not for the event loop. A file that cannot be read counts as empty, and
    choices that cannot be written are lost with the run: neither is worth a message.

    path is the file; by default it is in the user's state directory.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path

    def load(self, what: str) -> tuple[str, ...]:
        """The chosen names; empty if none were chosen."""
        found = self._read().get(what)
        if not isinstance(found, list) or not all(isinstance(name, str) for name in found):
            return ()
        return tuple(dict.fromkeys(found))

    def save(self, what: str, names: tuple[str, ...]) -> bool:
        """Store the names of one key and keep the others; return whether that succeeded."""
        from fluxtui.bridge import in_place

        known = {**self._read(), what: list(names)}
        try:
            # Names may come from a document: JSON escapes make a lone surrogate writable.
            data = json.dumps(known, indent=1).encode("ascii")
            target = self._file()
            paths.make_private(target.parent)
            in_place.put_private(Path(os.path.realpath(target)), data)
        except OSError:
            return False
        return True

    def _file(self) -> Path:
        return self._path if self._path is not None else paths.state_folder("chosen.json")

    def _read(self) -> dict[str, object]:
        try:
            # Non-blocking: a named pipe might never get a writer.
            handle = os.open(self._file(), os.O_RDONLY | os.O_NONBLOCK)
            with open(handle, "rb") as file:
                found = json.loads(file.read(MAX_BYTES) or b"")
        except (OSError, ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}
