"""A file put in the place of another at once, so that nobody ever sees half of it."""

import contextlib
import os
import stat
from collections.abc import Callable
from pathlib import Path

from fluxtui.bridge.stamps import Stamp


def put_in_place(
    target: Path, data: bytes, mode: int = 0o666, ready: Callable[[int], object] | None = None
) -> Stamp:
    """Replace a file, or make one, by a rename; its stamp. Raises OSError, with nothing changed.

    An existing file keeps its mode, and its group where that may be; mode is that of a new one,
    less the umask. ready is called with the descriptor of the file before it takes its place.
    """
    temporary = str(target.parent / f".{target.name[:64]}.{os.urandom(6).hex()}")
    try:
        # Not mkstemp: that makes a file for its owner alone, and the mask is the process's to ask.
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            with contextlib.suppress(FileNotFoundError):
                _as_before(handle, target.stat())
            if ready is not None:
                ready(handle)
            os.fsync(handle)
            stamp = Stamp.of(os.fstat(handle), data)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    _sync_directory(target.parent)
    return stamp


def _as_before(handle: int, before: os.stat_result) -> None:
    """Give a file the group and the mode of the one whose place it takes."""
    if before.st_gid != os.fstat(handle).st_gid:
        with contextlib.suppress(OSError):
            os.fchown(handle, -1, before.st_gid)
    os.fchmod(handle, stat.S_IMODE(before.st_mode))


def _sync_directory(directory: Path) -> None:
    """Make the rename last through a crash, where the file system can."""
    with contextlib.suppress(OSError):
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
