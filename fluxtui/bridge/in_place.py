"""A file put in the place of another at once, so that nobody ever sees half of it."""

import contextlib
import os
import stat
from collections.abc import Callable
from pathlib import Path

from fluxtui.bridge.stamps import Stamp


def put_in_place(target: Path, data: bytes, ready: Callable[[int], object] | None = None) -> Stamp:
    """Replace a file, or make one, by a rename; its stamp. Raises OSError, with nothing changed.

    An existing file keeps its mode, and its group where that may be; a new one has mode 0666 less
    the umask. ready is called with the descriptor of the file before it takes its place.
    """

    def prepared(handle: int) -> None:
        with contextlib.suppress(FileNotFoundError):
            _as_before(handle, target.stat())
        if ready is not None:
            ready(handle)

    return _put(target, data, 0o666, prepared, lasts=True)


def put_private(
    target: Path,
    data: bytes,
    ready: Callable[[int], object] | None = None,
    *,
    lasts: bool = True,
) -> Stamp:
    """Put one of the program's own files in place: for its owner alone, whatever the umask.

    lasts waits until the disk has it, as for what is written seldom; without that it outlives the
    process all the same. Raises OSError, with nothing changed.
    """

    def prepared(handle: int) -> None:
        os.fchmod(handle, 0o600)
        if ready is not None:
            ready(handle)

    return _put(target, data, 0o600, prepared, lasts=lasts)


def _put(
    target: Path, data: bytes, mode: int, prepared: Callable[[int], object], *, lasts: bool
) -> Stamp:
    temporary = str(target.parent / f".{target.name[:64]}.{os.urandom(6).hex()}")
    try:
        # Not mkstemp: that makes a file for its owner alone, and the mask is the process's to ask.
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            prepared(handle)
            if lasts:
                os.fsync(handle)
            stamp = Stamp.of(os.fstat(handle), data)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    if lasts:
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
