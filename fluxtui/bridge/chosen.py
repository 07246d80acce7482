"""What a person chose for good, such as the columns of the table: kept from run to run."""

import json
import os
from pathlib import Path

from fluxtui.bridge import paths

#: What the theme is kept as.
THEME = "theme"

#: What the split of the screen is kept as.
LAYOUT = "layout"

#: A larger file is none that was written here.
MAX_BYTES = 1 << 20


class Chosen:
    """Lists of names by what they are for, in one file of the user's state directory.

    Reading and writing are not for the event loop. What cannot be read counts as nothing chosen,
    and what cannot be written is forgotten with the run: neither is worth a word.

    path is the file; without one it is in the user's state directory.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path

    def load(self, what: str) -> tuple[str, ...]:
        """What was chosen; nothing where nothing was."""
        found = self._read().get(what)
        if not isinstance(found, list) or not all(isinstance(name, str) for name in found):
            return ()
        return tuple(dict.fromkeys(found))

    def save(self, what: str, names: tuple[str, ...]) -> bool:
        """Keep what is chosen; whether it could be. All that was chosen otherwise stays."""
        from fluxtui.bridge import in_place

        known = {**self._read(), what: list(names)}
        try:
            # Names may come from a document: a lone surrogate is written as JSON escapes it.
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
            # Without waiting: the writer of a named pipe might never come.
            handle = os.open(self._file(), os.O_RDONLY | os.O_NONBLOCK)
            with open(handle, "rb") as file:
                found = json.loads(file.read(MAX_BYTES) or b"")
        except (OSError, ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}
