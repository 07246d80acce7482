"""Polling the files that a document was read from, to notice when they change or disappear.

A file is read again only if its inode, size or modification time has changed.
"""

import os
import stat as modes
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from fluxtui.bridge import config_files, files
from fluxtui.bridge.stamps import Stamp

#: After this many polls a file that keeps changing is read nevertheless.
PATIENCE = 5

News = Literal["changed", "gone"]


@dataclass(frozen=True, slots=True)
class Seen:
    """A file as it was read; stamp is None if it could not be read."""

    path: str
    stamp: Stamp | None


@dataclass(frozen=True, slots=True)
class Watched:
    """The files that a document was read from.

    files    the files, as they were when read
    folders  folders of configurations, whose files are included in files
    """

    files: tuple[Seen, ...] = ()
    folders: tuple[str, ...] = ()

    def __add__(self, other: object) -> "Watched":
        """Return the union, with each file once."""
        if not isinstance(other, Watched):
            return NotImplemented
        known = {seen.path for seen in self.files}
        more = (seen for seen in other.files if seen.path not in known)
        return Watched((*self.files, *more), tuple(dict.fromkeys(self.folders + other.folders)))

    @property
    def unread(self) -> bool:
        """Whether there is nothing to watch."""
        return not self.files and not self.folders


def see(where: str | Path) -> Watched:
    """Return a file, or the files of a configuration folder, as they are now. Reads them.

    The result is empty for standard input, the built-in cluster, a running Flux and a record.
    """
    if where in ("-", files.DEMO) or files.is_instance(str(where)):
        return Watched()
    path = files.expanded(where).absolute()
    if not path.is_dir():
        return Watched((Seen(str(path), Stamp.read(path)),))
    try:
        listed = config_files.listed(path)
    except OSError:
        listed = ()
    return Watched(tuple(Seen(str(file), Stamp.read(file)) for file in listed), (str(path),))


def read_as(where: str | Path, stamp: Stamp) -> Watched:
    """Return a file that was just read, with the stamp of what was read; empty for a pipe."""
    path = str(files.expanded(where).absolute())
    return Watched((Seen(path, stamp),)) if _status(path) is not None else Watched()


# The inode, size and modification time (ns) of files by path; None for a file that is missing.
_Glance = dict[str, tuple[int, int, int] | None]


class Watch:
    """Polls the files that a document was read from.

    `look` is not for the event loop, nor for two threads at a time; another thread may call
    `is_quiet` meanwhile.
    """

    def __init__(self, watched: Watched) -> None:
        self._seen = {seen.path: seen.stamp for seen in watched.files}
        self._folders = watched.folders
        self._known: _Glance = {
            path: None if stamp is None else (stamp.inode, stamp.size, stamp.mtime_ns)
            for path, stamp in self._seen.items()
        }
        self._last = self._known
        self._moving = 0
        self._reported_gone = False

    def look(self) -> News | None:
        """Return whether the files have changed or gone since they were read; report each once.

        A change is reported when it is complete. A file that was only touched, or replaced by one
        with the same content, has not changed.
        """
        now = self._glance()
        if now == self._known:
            self._last, self._moving, self._reported_gone = now, 0, False
            return None
        if now != self._last and self._moving < PATIENCE:
            self._last, self._moving = now, self._moving + 1
            return None  # still being written
        self._last, self._moving = now, 0
        if any(there is None and self._known.get(path) for path, there in now.items()):
            was_reported, self._reported_gone = self._reported_gone, True
            return None if was_reported else "gone"
        return self._news(now)

    def is_quiet(self) -> bool:
        """Whether another `look` would report nothing: nothing has changed since the last one."""
        return not self._moving and self._glance() == self._last

    def _news(self, now: _Glance) -> News | None:
        """Compare the content of the files with what is known, and remember the new content."""
        before = self._seen
        self._seen = {
            path: before.get(path) if self._known.get(path) == there else Stamp.read(path)
            for path, there in now.items()
        }
        self._known, self._reported_gone = now, False
        digests = [
            {path: stamp and stamp.digest for path, stamp in seen.items()}
            for seen in (before, self._seen)
        ]
        return None if digests[0] == digests[1] else "changed"

    def _glance(self) -> _Glance:
        paths = dict.fromkeys(
            path for path in self._seen if os.path.dirname(path) not in self._folders
        )
        for folder in self._folders:
            try:
                paths |= dict.fromkeys(map(str, config_files.listed(Path(folder))))
            except OSError:  # gone, with all its files
                paths |= {path: None for path in self._seen if os.path.dirname(path) == folder}
        return {path: _status(path) for path in paths}


def _status(path: str) -> tuple[int, int, int] | None:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    if not modes.S_ISREG(status.st_mode):
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns
