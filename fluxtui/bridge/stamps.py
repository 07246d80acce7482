"""What a file was when it was last seen, and how it differs by now."""

import os
import stat as modes
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

# A larger file is not read to count what changed in it.
MAX_COMPARED = 64 << 20

_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class Stamp:
    """A file as it was: what the system says of it, and a digest of its bytes.

    The digest decides: a file may be put back as it was, or be changed within one tick of the
    clock.
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
        """The stamp of a file as it is now; None where it is no file, or cannot be read.

        It is read in pieces, so a large one takes no memory.
        """
        from hashlib import blake2b

        digest = blake2b(digest_size=16)
        try:
            if not modes.S_ISREG(os.stat(path).st_mode):  # to open a pipe would break it
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
    """How a file differs from what it was.

    gone     there is no such file any more; nothing else is known then
    stamp    the file as it is now; None where it cannot be read
    when     when it was changed, in seconds since the epoch
    added    how many lines it has that it did not have
    removed  how many lines it had that it does not have
    """

    gone: bool = False
    stamp: Stamp | None = None
    when: float = 0.0
    added: int = 0
    removed: int = 0


def change(path: str | Path, stamp: Stamp, text: str) -> Change | None:
    """How a file differs from its stamp and the text it held; None where it does not.

    One that was only touched, or replaced by its equal, does not differ. Reads the file.
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
