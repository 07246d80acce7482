"""A record: successive pictures of a running Flux, as files in a folder.

Each picture is ``20261125T091700Z.json.gz``, named after the time its nodes were requested.
What hardly ever changes, the nodes (R) and the configuration, is not in it but in
``site-HASH.json.gz``, whose name the picture has under ``site``. Both are gzipped JSON. One picture
of a record can be named as ``FOLDER@09:17``.
"""

import json
import os
import re
import stat
import zlib
from bisect import bisect_right
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fluxtui.bridge import files, in_place, paths
from fluxtui.notation.problem import Parsed, Problem

_PICTURE = re.compile(r"[0-9]{8}T[0-9]{6}Z\.json\.gz")
_STAMP = "%Y%m%dT%H%M%SZ"
_GZIP = 31  # the window bits that select the gzip format in zlib

#: The parts of a picture that hardly ever change, apart from the R in its status.
_KEPT_ONCE = ("hello", "config", "scheduler")

#: Examples of how to write a moment, for messages.
MOMENTS = ("09:17", "2026-11-25T09:17")


class Recorder:
    """Writes pictures to a private folder, which it locks against other recorders."""

    def __init__(self, folder: Path) -> None:
        """Create the folder, or continue the record in it; OSError if that is not possible."""
        if folder.is_symlink():
            raise OSError("it is a link")
        folder.mkdir(mode=0o700, exist_ok=True)
        self.folder = folder
        self._last: Mapping[str, Any] = {}
        self._site = ""
        # Held open, since the lock lasts as long as the descriptor.
        self._handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            self._lock()
        except OSError:
            self.close()
            raise

    def _lock(self) -> None:
        if os.fstat(self._handle).st_uid != os.geteuid():
            raise OSError("it is somebody else's")
        names = (name for name in os.listdir(self._handle) if not name.startswith("."))
        if not all(_PICTURE.fullmatch(name) or paths.RECORDED.fullmatch(name) for name in names):
            raise OSError("it holds other files; name a new folder")
        import fcntl

        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OSError("another fluxtui records into it") from None
        except OSError:  # a file system without locks
            pass
        os.fchmod(self._handle, 0o700)

    def close(self) -> None:
        """Release the folder."""
        os.close(self._handle)

    def keep(self, document: Mapping[str, Any]) -> None:
        """Write a picture, unless nothing has changed since the last one.

        OSError if it cannot be written; the folder then has no such picture.
        """
        content = {name: part for name, part in document.items() if name != "asked"}
        if content == self._last:
            return
        from hashlib import sha256

        status = dict(document["status"])
        site = {name: document.get(name) for name in _KEPT_ONCE} | {"R": status.pop("R", None)}
        picture = {name: part for name, part in document.items() if name not in _KEPT_ONCE}
        text = _dumped(site)
        name = f"site-{sha256(text).hexdigest()[:16]}.json.gz"
        if name != self._site:
            self._put(name, text)
            self._site = name
        at = float(document["asked"]["status"])
        stamp = datetime.fromtimestamp(at, UTC).strftime(_STAMP)
        self._put(f"{stamp}.json.gz", _dumped({**picture, "status": status, "site": name}))
        self._last = content

    def _put(self, name: str, text: bytes) -> None:
        packer = zlib.compressobj(wbits=_GZIP)
        in_place.put_private(self.folder / name, packer.compress(text) + packer.flush())


class Record:
    """The pictures of a folder, oldest first."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = files.expanded(folder)
        self.times: tuple[float, ...] = ()
        self._names: list[str] = []
        self._sites: dict[str, dict[str, Any]] = {}
        self.look()

    def look(self) -> None:
        """Update the list of pictures, which grows while the record is being made."""
        try:
            names = os.listdir(self.folder)
        except OSError:  # the folder is gone: keep the list, and report the loss when one is read
            return
        timed = ((_time_of(name), name) for name in names if _PICTURE.fullmatch(name))
        found = sorted((at, name) for at, name in timed if at is not None)
        if found or not self.times:  # also keep it if all pictures are gone
            self._names = [name for _, name in found]
            self.times = tuple(at for at, _ in found)

    def at(self, moment: str) -> Parsed[int | None]:
        """The index of the last picture up to a moment; an empty moment means the last picture.

        `MOMENTS` has examples. Times are in the local time zone; a time without a date is on the
        day of the last picture.
        """
        if not self.times:
            return Parsed(None, (Problem(f"there is no picture in '{self.folder}'"),))
        if not moment:
            return Parsed(len(self.times) - 1)
        last = datetime.fromtimestamp(self.times[-1]).astimezone()
        full = moment if "-" in moment else f"{last.date()}T{moment}"
        try:
            until = datetime.fromisoformat(full).timestamp()
        except (ValueError, OverflowError, OSError):
            return Parsed(None, (Problem(f"'{moment}' is not a time", expected=MOMENTS),))
        number = bisect_right(self.times, until) - 1
        if number < 0:
            first = datetime.fromtimestamp(self.times[0]).strftime("%Y-%m-%d %H:%M:%S")
            return Parsed(None, (Problem(f"the record begins at {first}"),))
        return Parsed(number)

    def read(self, number: int) -> Parsed[dict[str, Any] | None]:
        """Return a picture as a snapshot; None with a problem if it is damaged or gone."""
        if number >= len(self._names):
            message = f"a picture is gone from '{self.folder}'"
            return Parsed(None, (Problem(message),))
        name = self._names[number]
        try:
            picture = _read(self.folder / name)
            key = picture.pop("site")
            if key not in self._sites:
                if not paths.RECORDED.fullmatch(key):
                    raise ValueError
                self._sites[key] = _read(self.folder / key)
            site = self._sites[key]
            status = {**picture["status"], "R": site["R"]}
        except (OSError, ValueError, TypeError, KeyError, RecursionError, zlib.error) as error:
            why = files.reason(error) if isinstance(error, OSError) else "it is damaged"
            return Parsed(None, (Problem(f"cannot read '{self.folder / name}': {why}"),))
        return Parsed(
            {**picture, **{part: site.get(part) for part in _KEPT_ONCE}, "status": status}
        )


def _dumped(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode("ascii")


def _read(path: Path) -> dict[str, Any]:
    """Read the JSON object in a file, not a link; raises OSError, ValueError or zlib.error."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with open(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise ValueError
        unpacker = zlib.decompressobj(_GZIP)
        text = unpacker.decompress(file.read(files.MAX_BYTES), files.MAX_BYTES)
    if not unpacker.eof:
        raise ValueError
    found = json.loads(text)
    if not isinstance(found, dict):
        raise ValueError
    return found


def _time_of(name: str) -> float | None:
    """When a picture was taken; None for a name that matches by chance but is not a time."""
    try:
        return datetime.fromisoformat(name.partition(".")[0]).timestamp()
    except ValueError:
        return None
