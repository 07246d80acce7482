"""A file put in the place of another at once, so that nobody ever sees half of it.

All is done within the folder that was there at the beginning, whatever becomes of its name. Where
the system can, the new file has no name before it is complete: a program that is killed leaves
nothing behind.
"""

import contextlib
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

from fluxtui.bridge import paths
from fluxtui.bridge.stamps import Stamp

#: What a file may be that is replaced: as its stamp has it, none at all, or whatever it is.
Over = Stamp | Literal["nothing", "anything"]

# The entries of an access control list, which the mode alone does not tell.
_ACL = "system.posix_acl_access"

# A folder that is only gone through needs not be readable.
_THROUGH = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY

Ready = Callable[[int], object]


def put_in_place(
    target: Path,
    data: bytes,
    ready: Ready | None = None,
    *,
    over: Over = "anything",
    private: bool = False,
) -> Stamp:
    """Replace a file, or make one, by a rename; its stamp. Raises OSError, with nothing changed.

    An existing file keeps its mode, its extended attributes and access control list, and its owner
    and group where that may be; another name of it (a hard link) keeps what it was. A new one has
    mode 0666 less the umask, or is for its owner alone if private. It is an error if the file is
    not as over has it, or is changed while this is written. ready is called with the descriptor of
    the file before it takes its place.
    """
    with _opened(target.parent) as folder:
        before = _status(folder, target.name)
        if not _is(target, before, over):
            raise _changed()

        def prepared(handle: int) -> None:
            if before is not None:
                _as_before(handle, target, before)
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
    """Put one of the program's own files in place: for its owner alone, whatever the umask.

    lasts waits until the disk has it, as for what is written seldom; without that it outlives the
    process all the same. Raises OSError, with nothing changed: also where the folder is not this
    user's own.
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
    handle = os.open(folder, _THROUGH)
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
    """Write a file and give it its name; check may raise at the last moment. Gives its status."""
    # So many characters of it have no more bytes than a name may have.
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
    """The descriptor of a new file; whether it has its name, or none yet where that can be."""
    unnamed = getattr(os, "O_TMPFILE", 0)
    if unnamed and os.path.isdir("/proc/self/fd"):
        with contextlib.suppress(OSError):  # not every file system has such files
            return os.open(".", os.O_WRONLY | unnamed, mode, dir_fd=folder), False
    # Not mkstemp: that makes a file for its owner alone, and the mask is the process's to ask.
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    return os.open(name, flags, mode, dir_fd=folder), True


def _give_name(folder: int, source: str, temporary: str, name: str, *, is_new: bool) -> None:
    """Give a complete file its name: where there should be none yet, only if there is none."""

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


def _is(target: Path, status: os.stat_result | None, over: Over) -> bool:
    """Whether a file is as it is expected to be."""
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


def _as_before(handle: int, target: Path, before: os.stat_result) -> None:
    """Give a file what another one has whose place it takes: owner, group, attributes, mode."""
    now = os.fstat(handle)
    if (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
        for owner in (before.st_uid, -1):
            with contextlib.suppress(OSError):
                os.fchown(handle, owner, before.st_gid)
                break
        now = os.fstat(handle)
    _attribute(handle, target)
    mode = stat.S_IMODE(before.st_mode)
    if (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
        mode &= 0o777
    if now.st_gid != before.st_gid:  # another group may do what everybody may
        mode = (mode & 0o707) | (mode & 0o007) << 3
    os.fchmod(handle, mode)


def _attribute(handle: int, target: Path) -> None:
    """Give a file the extended attributes of another, and its access control list or none."""
    if not hasattr(os, "listxattr"):
        return
    with contextlib.suppress(OSError):
        names = os.listxattr(target)
        for name in names:
            with contextlib.suppress(OSError):  # some are for the system alone
                os.setxattr(handle, name, os.getxattr(target, name))
        if _ACL not in names:  # the folder may have given it one
            os.removexattr(handle, _ACL)


def _sync(folder: int) -> None:
    """Make the rename last through a crash, where the file system can."""
    with contextlib.suppress(OSError):
        handle = os.open(".", os.O_RDONLY | os.O_DIRECTORY, dir_fd=folder)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
