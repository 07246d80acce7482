"""Replacing a file atomically, so that nobody ever sees half of it.

The folder is opened once, and everything happens within it, even if it is renamed meanwhile. If the
system supports it, the new file has no name until it is complete: a killed program leaves nothing
behind.
"""

import contextlib
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

from fluxtui.bridge import paths
from fluxtui.bridge.stamps import Stamp

#: What may be replaced: a file in the state of its stamp, no file at all, or any file.
Over = Stamp | Literal["nothing", "anything"]

# The attribute with the access control list, of which the mode shows only a part.
_ACL = "system.posix_acl_access"

# With O_PATH the folder need not be readable.
_OPEN_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY

Ready = Callable[[int], object]


def put_in_place(
    target: Path,
    data: bytes,
    ready: Ready | None = None,
    *,
    over: Over = "anything",
    private: bool = False,
) -> Stamp:
    """Replace or create a file by a rename, and return its stamp.

    An existing file keeps its mode, its extended attributes and access control list, and if
    permitted its owner and group; other hard links to it keep the old content. A new file has mode
    0666 less the umask, or is for its owner only if private. ready is called with the descriptor of
    the file before it gets its name. Raises OSError, with nothing changed; also if the file is not
    in the state that over expects, or changes meanwhile.
    """
    with _opened(target.parent) as folder:
        before = _status(folder, target.name)
        if not _is_expected(target, before, over):
            raise _changed()

        def prepared(handle: int) -> None:
            if before is not None:
                _copy_metadata(handle, target, before)
            if ready is not None:
                ready(handle)

        def check() -> None:
            now = _status(folder, target.name)
            if (now and _key(now)) != (before and _key(before)):
                raise _changed()

        mode = 0o600 if private or before is not None else 0o666
        is_new = before is None
        now = _put(folder, target.name, data, mode, prepared, check, is_new=is_new)
        return Stamp.of(now, data)


def put_private(
    target: Path, data: bytes, ready: Ready | None = None, *, lasts: bool = True
) -> None:
    """Replace or create one of the program's own files, for its owner only, whatever the umask.

    With lasts this waits until the file is on disk, for files that are written rarely; without, it
    still outlives the process. Raises OSError, with nothing changed; also if the folder belongs to
    another user.
    """

    def prepared(handle: int) -> None:
        os.fchmod(handle, 0o600)
        if ready is not None:
            ready(handle)

    with _opened(target.parent) as folder:
        paths.check_own(target.parent, os.fstat(folder))
        _put(folder, target.name, data, 0o600, prepared, lasts=lasts)


@contextlib.contextmanager
def _opened(folder: Path) -> Iterator[int]:
    handle = os.open(folder, _OPEN_FOLDER)
    try:
        yield handle
    finally:
        os.close(handle)


def _put(
    folder: int,
    name: str,
    data: bytes,
    mode: int,
    prepared: Ready,
    check: Callable[[], object] = lambda: None,
    *,
    is_new: bool = False,
    lasts: bool = True,
) -> os.stat_result:
    """Write a file, call check, which may raise, and name the file; return its status."""
    # 16 characters, so that the name never exceeds the limit in bytes.
    temporary = f".{name[:16]}.{os.urandom(6).hex()}"
    handle, is_named = _made(folder, temporary, mode)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            prepared(handle)
            if lasts:
                os.fsync(handle)
            status = os.fstat(handle)
            check()
            source = temporary if is_named else f"/proc/self/fd/{handle}"
            _give_name(folder, source, temporary, name, is_new=is_new)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
    if lasts:
        _sync(folder)
    return status


def _made(folder: int, name: str, mode: int) -> tuple[int, bool]:
    """Create a file, without a name if possible; return its descriptor and whether it has one."""
    unnamed = getattr(os, "O_TMPFILE", 0)
    if unnamed and os.path.isdir("/proc/self/fd"):
        with contextlib.suppress(OSError):  # not every file system has such files
            return os.open(".", os.O_WRONLY | unnamed, mode, dir_fd=folder), False
    # Not mkstemp: its mode is 0600, and the umask cannot be read without changing it.
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    return os.open(name, flags, mode, dir_fd=folder), True


def _give_name(folder: int, source: str, temporary: str, name: str, *, is_new: bool) -> None:
    """Give a complete file its name; if is_new, fail if there is a file of this name already."""

    def link(to: str) -> None:
        os.link(source, to, src_dir_fd=folder, dst_dir_fd=folder)

    if is_new:
        try:
            link(name)
            return
        except FileExistsError:
            raise _changed() from None
        except OSError:
            if source != temporary:
                raise
            # A file system without hard links.
    elif source != temporary:
        link(temporary)
    os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)


# What a file was before


def _status(folder: int, name: str) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _key(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_ino, status.st_size, status.st_mtime_ns


def _is_expected(target: Path, status: os.stat_result | None, over: Over) -> bool:
    """Whether a file, or its absence, is what over expects."""
    if over == "anything":
        return True
    if status is None or over == "nothing":
        return status is None and over == "nothing"
    if _key(status) == (over.inode, over.size, over.mtime_ns):
        return True
    now = Stamp.read(target)
    return now is not None and now.digest == over.digest


def _changed() -> OSError:
    return OSError("it was changed meanwhile")


def _copy_metadata(handle: int, target: Path, before: os.stat_result) -> None:
    """Copy owner, group, attributes and mode from the file being replaced to a new file."""
    now = os.fstat(handle)
    if (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
        for owner in (before.st_uid, -1):
            with contextlib.suppress(OSError):
                os.fchown(handle, owner, before.st_gid)
                break
        now = os.fstat(handle)
    _copy_attributes(handle, target)
    mode = stat.S_IMODE(before.st_mode)
    if (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
        mode &= 0o777
    if now.st_gid != before.st_gid:  # the new group gets only the permissions of others
        mode = (mode & 0o707) | (mode & 0o007) << 3
    os.fchmod(handle, mode)


def _copy_attributes(handle: int, target: Path) -> None:
    """Copy the extended attributes to a file, including the access control list or its absence."""
    if not hasattr(os, "listxattr"):
        return
    with contextlib.suppress(OSError):
        names = os.listxattr(target)
        for name in names:
            with contextlib.suppress(OSError):  # some only the system may set
                os.setxattr(handle, name, os.getxattr(target, name))
        if _ACL not in names:  # the new file may have the folder's default list
            os.removexattr(handle, _ACL)


def _sync(folder: int) -> None:
    """Make the rename survive a crash, if the file system supports that."""
    with contextlib.suppress(OSError):
        handle = os.open(".", os.O_RDONLY | os.O_DIRECTORY, dir_fd=folder)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
