"""What was typed in the inputs, kept from one run to the next in the user's state directory."""

import contextlib
import os
import stat
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from fluxtui.bridge import files, paths
from fluxtui.notation.problem import Problem

#: The inputs, each with a file of its own.
SHAPE = "shape"
REQUIRES = "requires"

#: So many entries are kept of each; the oldest go first.
LIMIT = 1_000
#: A longer text is not kept: it was made by a program, or opened from a file.
MAX_LENGTH = 4_096
#: Of a larger file only the end is read.
MAX_BYTES = LIMIT * MAX_LENGTH

# Seconds to wait for another workbench that writes, and between two looks whether it is done.
PATIENCE = 0.5
_LOOK = 0.01


class Typed:
    """What was typed before, by kind, the newest last and each text once.

    Each kind is a file with a text a line. Reading and writing, by `load` and `save`, are not for
    the event loop; they may be called in any thread. What is added before the file is read is
    newer than all that is in it.

    folder is where the files are; without one that is in the user's state directory.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._known: dict[str, tuple[str, ...]] = {SHAPE: (), REQUIRES: ()}
        self._new: dict[str, tuple[str, ...]] = {SHAPE: (), REQUIRES: ()}
        self._busy = threading.Lock()  # one save at a time
        self._changing = threading.Lock()  # held for moments only, also on the event loop

    def entries(self, kind: str) -> tuple[str, ...]:
        """What was typed, the newest last."""
        return self._known[kind]

    @property
    def unsaved(self) -> bool:
        """Something was added that is in no file yet."""
        return any(self._new.values())

    def add(self, kind: str, text: str) -> bool:
        """Add a text as the newest; False where it is that already, or is not kept.

        A blank text is not kept, nor one that is too long or that has characters which no key
        types, such as a line break.
        """
        text = text.strip()
        if not text or len(text) > MAX_LENGTH or not text.isprintable():
            return False
        with self._changing:
            if self._known[kind][-1:] == (text,):
                return False
            self._known[kind] = _merged(self._known[kind], (text,))
            self._new[kind] = _merged(self._new[kind], (text,))
        return True

    def load(self) -> tuple[Problem, ...]:
        """Read the files; what is wrong with them, as warnings."""
        problems = []
        for kind in self._known:
            try:
                found = _read(self._path(kind))
            except OSError as error:
                problems.append(_problem(kind, "read", error))
                continue
            with self._changing:
                self._known[kind] = _merged(found, self._new[kind])
        return tuple(problems)

    def save(self) -> tuple[Problem, ...]:
        """Write what was added to the files; why it could not be, as warnings.

        What another workbench wrote meanwhile stays, and is known from then on. What could not be
        written is tried again the next time.
        """
        problems = []
        with self._busy:
            for kind in [kind for kind, new in self._new.items() if new]:
                try:
                    self._write(kind)
                except OSError as error:
                    problems.append(_problem(kind, "written", error))
        return tuple(problems)

    def _path(self, kind: str) -> Path:
        """The file of a kind, in a folder that is there; raises OSError where it cannot be made."""
        if self._folder is None:
            self._folder = paths.state_folder("history")
        paths.make_private(self._folder)
        return self._folder / kind

    def _write(self, kind: str) -> None:
        """Write one file; raises OSError, and leaves a file alone that cannot be read."""
        from fluxtui.bridge import in_place

        target = Path(os.path.realpath(self._path(kind)))  # a symbolic link stays one
        with _turn(target):
            new = self._new[kind]
            entries = _merged(_read(target), new)
            data = "".join(f"{entry}\n" for entry in entries).encode()
            in_place.put_private(target, data)
        with self._changing:
            later = tuple(text for text in self._new[kind] if text not in new)
            self._known[kind] = _merged(entries, later)
            self._new[kind] = later


def _merged(older: Iterable[str], newer: Iterable[str]) -> tuple[str, ...]:
    """All of them, the newest last, each once, as many as are kept."""
    backwards = dict.fromkeys(reversed([*older, *newer]))
    return tuple(list(backwards)[LIMIT - 1 :: -1])


def _read(path: Path) -> list[str]:
    """The texts of a file, oldest first; lines that no input wrote are passed over.

    A file that is not there holds none. Raises OSError, also for what is no regular file.
    """
    try:
        # Without waiting: the writer of a named pipe might never come.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except FileNotFoundError:
        return []
    with open(handle, "rb") as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise OSError("it is not a regular file")
        start = max(status.st_size - MAX_BYTES, 0)
        file.seek(start)
        lines = file.read(MAX_BYTES).decode("utf-8", "surrogateescape").split("\n")
        del lines[: 1 if start else 0]  # only the end of a line
    return [
        line for line in lines if line.strip() and len(line) <= MAX_LENGTH and line.isprintable()
    ]


@contextlib.contextmanager
def _turn(target: Path) -> Iterator[None]:
    """The turn of this workbench to read and replace a file; others wait for it.

    Where there are no locks, or another one keeps its turn too long, it goes on all the same: the
    file stays whole, and only what both add in the same moment may be lost to one of them.
    """
    handle = None
    try:
        import fcntl

        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
        handle = os.open(target.with_name(f".{target.name}.lock"), flags, 0o600)
        os.fchmod(handle, 0o600)  # whatever the umask
        end = time.monotonic() + PATIENCE
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > end:
                    break
                time.sleep(_LOOK)
    except (ImportError, OSError):
        pass
    try:
        yield
    finally:
        if handle is not None:
            os.close(handle)


def _problem(kind: str, what: str, error: OSError) -> Problem:
    message = f"the history of {kind} cannot be {what}: {files.reason(error)}"
    return Problem(message, severity="warning")
