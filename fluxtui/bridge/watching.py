"""Files that are looked at again and again: whether what was read of them is still what they hold.

A file is read again only where the system says that it is another one by now.
"""

import os
import stat as modes
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from fluxtui.bridge import config_files, files
from fluxtui.bridge.stamps import Stamp

#: Looks at a file that goes on changing, before it is read all the same.
PATIENCE = 5

News = Literal["changed", "gone"]


@dataclass(frozen=True, slots=True)
class Seen:
    """A file as it was read; stamp is None where there was none that could be read."""

    path: str
    stamp: Stamp | None


@dataclass(frozen=True, slots=True)
class Watched:
    """What a document was read from.

    files    its files as they were
    folders  those of a configuration, of which the files that Flux reads are among them
    """

    files: tuple[Seen, ...] = ()
    folders: tuple[str, ...] = ()

    def __add__(self, other: object) -> "Watched":
        """Both together, each file once."""
        if not isinstance(other, Watched):
            return NotImplemented
        known = {seen.path for seen in self.files}
        more = (seen for seen in other.files if seen.path not in known)
        return Watched((*self.files, *more), tuple(dict.fromkeys(self.folders + other.folders)))

    @property
    def unread(self) -> bool:
        """There is nothing that could be looked at again."""
        return not self.files and not self.folders


def see(where: str | Path) -> Watched:
    """A file, or the files of a folder that are a configuration, as they are now. Reads them.

    Standard input, the built-in cluster, a running Flux and a record of it are none.
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
    """A file that was just read, with the stamp of what was read; a pipe is none."""
    path = str(files.expanded(where).absolute())
    return Watched((Seen(path, stamp),)) if _status(path) is not None else Watched()


# What the system says of a file without reading it; None where there is none.
_Glance = dict[str, tuple[int, int, int] | None]


class Watch:
    """Looks at what a document was read from; not for the event loop, and one look at a time.

    Another thread may ask meanwhile whether it is quiet.
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
        self._told_gone = False

    def look(self) -> News | None:
        """What happened since it was read, once that stands still; each thing is told once.

        A file that was only touched, or replaced by its equal, has not changed.
        """
        now = self._glance()
        if now == self._known:
            self._last, self._moving, self._told_gone = now, 0, False
            return None
        if now != self._last and self._moving < PATIENCE:
            self._last, self._moving = now, self._moving + 1
            return None  # it is being written: wait for the end of that
        self._last, self._moving = now, 0
        if any(there is None and self._known.get(path) for path, there in now.items()):
            told, self._told_gone = self._told_gone, True
            return None if told else "gone"
        return self._news(now)

    def is_quiet(self) -> bool:
        """Whether another look would find nothing new: all is as at the last one, and told."""
        return not self._moving and self._glance() == self._last

    def _news(self, now: _Glance) -> News | None:
        """Whether the files hold something else by now, which is what is known from here on."""
        before = self._seen
        self._seen = {
            path: before.get(path) if self._known.get(path) == there else Stamp.read(path)
            for path, there in now.items()
        }
        self._known, self._told_gone = now, False
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
            except OSError:  # gone with all that is in it
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
