"""The state of a file when it was last read or written, and how it has changed since."""

import os
import stat as modes
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

# The changed lines of a larger file are not counted.
MAX_COMPARED = 64 << 20

_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class Stamp:
    """The state of a file: its inode, size and modification time, and a digest of its bytes.

    The digest decides whether it has changed: a file may be restored to its old content, or be
    changed within one tick of the clock.
    """

    inode: int
    size: int
    mtime_ns: int
    digest: str

    @classmethod
    def of(cls, status: os.stat_result, data: bytes | bytearray) -> "Stamp":
        """The stamp of a file with this status and these bytes."""
        from hashlib import blake2b

        digest = blake2b(data, digest_size=16).hexdigest()
        return cls(status.st_ino, status.st_size, status.st_mtime_ns, digest)

    @classmethod
    def read(cls, path: str | Path) -> "Stamp | None":
        """The current stamp of a file; None if it is not a regular file or cannot be read.

        A large file is read in pieces, to save memory.
        """
        from hashlib import blake2b

        digest = blake2b(digest_size=16)
        try:
            if not modes.S_ISREG(os.stat(path).st_mode):  # opening a pipe would disturb its writer
                return None
            with Path(path).open("rb") as file:
                status = os.fstat(file.fileno())
                while piece := file.read(_PIECE):
                    digest.update(piece)
        except (OSError, ValueError):
            return None
        return cls(status.st_ino, status.st_size, status.st_mtime_ns, digest.hexdigest())


@dataclass(frozen=True, slots=True)
class Change:
    """How a file differs from an earlier state.

    gone     whether the file no longer exists; the other fields are then unset
    stamp    its current state; None if it cannot be read
    when     when it was changed, in seconds since the epoch
    added    the number of lines that are new
    removed  the number of lines that are gone
    """

    gone: bool = False
    stamp: Stamp | None = None
    when: float = 0.0
    added: int = 0
    removed: int = 0


def change(path: str | Path, stamp: Stamp, text: str) -> Change | None:
    """Return how a file differs from its earlier stamp and text; None if the content is the same.

    Reads the file.
    """
    target = Path(path)
    try:
        status = target.stat()
    except (FileNotFoundError, NotADirectoryError):
        return Change(gone=True)
    except (OSError, ValueError):
        return Change()
    when = status.st_mtime
    if not modes.S_ISREG(status.st_mode) or status.st_size > MAX_COMPARED:
        return Change(when=when)
    try:
        data = target.read_bytes()
    except OSError:
        return Change(when=when)
    now = Stamp.of(status, data)
    if now.digest == stamp.digest:
        return None
    lines = Counter(data.decode("utf-8-sig", "replace").splitlines())
    before = Counter(text.splitlines())
    return Change(False, now, when, (lines - before).total(), (before - lines).total())
