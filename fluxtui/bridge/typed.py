"""The history of the inputs, kept between runs in the user's state directory."""

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

#: How many entries of each kind are kept; the oldest are dropped first.
LIMIT = 1_000
#: A longer text is not kept: it was made by a program, or opened from a file.
MAX_LENGTH = 4_096
#: Only this many bytes at the end of a file are read.
MAX_BYTES = LIMIT * MAX_LENGTH

# Seconds to wait for the lock of another workbench, and between two attempts to take it.
PATIENCE = 0.5
_LOOK = 0.01


class Typed:
    """The history of each kind of input, the newest entry last and each text once.

    Each kind is a file with one text per line. `load` and `save` read and write files: not for the
    event loop, but for any other thread. Texts added before the file is read count as newer than
    those in it.

    folder is the folder of the files; by default it is in the user's state directory.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._known: dict[str, tuple[str, ...]] = {SHAPE: (), REQUIRES: ()}
        self._new: dict[str, tuple[str, ...]] = {SHAPE: (), REQUIRES: ()}
        self._busy = threading.Lock()  # one save at a time
        self._changing = threading.Lock()  # held briefly, also on the event loop

    def entries(self, kind: str) -> tuple[str, ...]:
        """The texts of a kind, the newest last."""
        return self._known[kind]

    @property
    def unsaved(self) -> bool:
        """Whether texts were added that are not in a file yet."""
        return any(self._new.values())

    def add(self, kind: str, text: str) -> bool:
        """Add a text as the newest; False if it already is the newest, or is not kept.

        A text is not kept if it is blank, too long, or has characters that no key types, such as a
        line break.
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
        """Read the files; return their problems as warnings."""
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
        """Write the added texts to the files; return problems as warnings.

        Texts that another workbench wrote meanwhile are kept, and become part of the history here.
        Texts that could not be written are written by the next call.
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
        """The file of a kind; creates its folder, and raises OSError if that fails."""
        if self._folder is None:
            self._folder = paths.state_folder("history")
        paths.make_private(self._folder)
        return self._folder / kind

    def _write(self, kind: str) -> None:
        """Write one file; raises OSError, also if the file there cannot be read, and keeps it."""
        from fluxtui.bridge import in_place

        target = Path(os.path.realpath(self._path(kind)))  # a symbolic link is kept
        with _locked(target):
            new = self._new[kind]
            entries = _merged(_read(target), new)
            data = "".join(f"{entry}\n" for entry in entries).encode()
            in_place.put_private(target, data)
        with self._changing:
            later = tuple(text for text in self._new[kind] if text not in new)
            self._known[kind] = _merged(entries, later)
            self._new[kind] = later


def _merged(older: Iterable[str], newer: Iterable[str]) -> tuple[str, ...]:
    """The newest `LIMIT` texts of both, the newest last, each once."""
    backwards = dict.fromkeys(reversed([*older, *newer]))
    return tuple(list(backwards)[LIMIT - 1 :: -1])


def _read(path: Path) -> list[str]:
    """The texts of a file, oldest first; lines that `Typed.add` would not keep are skipped.

    A missing file has none. Raises OSError, also if it is not a regular file.
    """
    try:
        # Non-blocking: a named pipe might never get a writer.
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
        del lines[: 1 if start else 0]  # the first line is incomplete
    return [
        line for line in lines if line.strip() and len(line) <= MAX_LENGTH and line.isprintable()
    ]


@contextlib.contextmanager
def _locked(target: Path) -> Iterator[None]:
    """Lock a file while this workbench reads and replaces it.

    If there are no locks, or another workbench holds it for too long, this goes on without: the
    file stays intact, and only texts that both add at the same moment may be lost.
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
