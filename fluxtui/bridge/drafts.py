"""Drafts that survive a crash: each running workbench keeps its own in a file.

The file is replaced after edits and is locked for as long as the workbench runs. When that is left
as it should be, the file becomes the last session's. The file of one that was not left so stays,
and nobody holds its lock: so it is told from those of workbenches that still run, also where a
process has its number again, and on another host that shares the folder.
"""

import contextlib
import json
import os
import re
import threading
import time
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from fluxtui.bridge import draft_json, files, in_place, paths
from fluxtui.bridge.draft_json import Draft, SavedFile
from fluxtui.notation.source import Problem

__all__ = ["Draft", "Kept", "SavedFile", "Store"]

LAST = "last.json"

#: Drafts of workbenches that were not left as they should be are kept for so long, and so many.
MAX_AGE = 30 * 86_400  # seconds
MAX_KEPT = 20

#: Where locks do not work, a workbench on another host is taken to run while its draft is so young.
MAX_SILENCE = 86_400  # seconds

MAX_BYTES = 256 << 20

_NAME = re.compile(r"(draft|session)-\d+-\d+\.json")


class Kept(NamedTuple):
    """A draft in the store.

    when     when it was written, in seconds since the epoch
    host     the host that the workbench ran on
    crashed  the workbench was not left as it should be; else the draft is the last session's
    told     a person was told of it
    """

    path: Path
    draft: Draft
    when: float
    host: str
    crashed: bool
    told: bool


class Store:
    """The drafts of one user, and the one that this workbench keeps. Reads and writes files.

    folder is where they are; without it that is in the user's state directory. May be used by
    several threads.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._given = folder
        self._name = f"session-{os.getpid()}-{int(time.time())}.json"
        self._lock: int | None = None  # a descriptor; closing it lets go of the lock
        self._outlived: list[Path] = []
        self._closed = False
        self._busy = threading.Lock()

    @cached_property
    def _folder(self) -> Path:
        return self._given or paths.state_folder("sessions")

    @property
    def _own(self) -> Path:
        return self._folder / self._name

    def keep(self, draft: Draft) -> Problem | None:
        """Keep this draft in the place of the one before; the problem where that cannot be done.

        A blank one is not kept.
        """
        with self._busy:
            return None if self._closed else self._keep(draft)

    def close(self, draft: Draft, *, left: bool) -> None:
        """Keep this draft and no other after it; left says that a person left the workbench.

        It is then the last session's, otherwise that of a workbench that was not left.
        """
        with self._busy:
            if self._closed:
                return
            self._keep(draft)
            self._closed = True
            if left:
                with contextlib.suppress(OSError):
                    os.replace(self._own, self._folder / LAST)
            self._let_go()

    def replaces(self, kept: Kept) -> None:
        """What this workbench keeps next holds this draft too, which then need not stay."""
        if kept.crashed:
            self._outlived.append(kept.path)

    def found(self) -> tuple[list[Kept], tuple[Problem, ...]]:
        """The drafts that can be restored: those of crashes, newest first, then the last session's.

        Problems are warnings about files that hold no draft, but for those that a person was told
        of. What is too old is removed.
        """
        crashed: list[Kept] = []
        problems: list[Problem] = []
        for path in self._crashed():
            kept, problem = _read(path)
            if kept is not None:
                crashed.append(kept)
            elif problem is not None and path.name.startswith("session-"):
                problems.append(problem)
        crashed.sort(key=lambda kept: kept.when, reverse=True)
        for kept in crashed[MAX_KEPT:]:
            _remove(kept.path)
        last, problem = _read(self._folder / LAST)
        if problem is not None:
            problems.append(problem)
        return crashed[:MAX_KEPT] + ([last] if last is not None else []), tuple(problems)

    def told(self) -> None:
        """Note that a person was told of the drafts of crashes, and of files that hold none."""
        for path in self._crashed():
            if path.name.startswith("session-"):
                with contextlib.suppress(OSError):
                    path.rename(path.with_name(path.name.replace("session-", "draft-", 1)))

    def _keep(self, draft: Draft) -> Problem | None:
        if draft.blank:
            _remove(self._own)
            self._let_go()
            return None
        held: list[int] = []
        try:
            text = json.dumps(_head() | {"draft": draft.to_json()})
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            # The lock is on the file itself, so each new one has it before it takes its place.
            in_place.put_in_place(
                self._own, text.encode(), 0o600, lambda handle: held.append(_locked(handle))
            )
        except (OSError, TypeError, ValueError, RecursionError) as error:
            for handle in held:
                os.close(handle)
            return Problem(f"the draft is not kept: {files.reason(error)}", severity="warning")
        self._let_go()
        self._lock = held[0]
        for path in self._outlived:
            _remove(path)
        self._outlived.clear()
        return None

    def _let_go(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _crashed(self) -> list[Path]:
        """The files of workbenches that do not run any more; what is too old goes."""
        found: list[Path] = []
        try:
            entries = list(os.scandir(self._folder))
        except OSError:
            return []
        for entry in entries:
            path = Path(entry.path)
            with contextlib.suppress(OSError):
                age = time.time() - entry.stat().st_mtime
                half = entry.name.startswith(".session-")  # of a write that never ended
                known = _NAME.fullmatch(entry.name) is not None and entry.is_file()
                if (half and age > MAX_SILENCE) or (known and age > MAX_AGE and not _runs(path)):
                    _remove(path)
                elif known and path != self._own and not _runs(path):
                    found.append(path)
        return found


def _head() -> dict[str, Any]:
    return {
        "kind": draft_json.KIND,
        "version": draft_json.VERSION,
        "time": time.time(),
        "host": os.uname().nodename,
        "process": [os.getpid(), _started(os.getpid())],
    }


def _read(path: Path) -> tuple[Kept | None, Problem | None]:
    """The draft of a file; a warning where there is a file that holds none."""
    try:
        if path.stat().st_size > MAX_BYTES:
            return None, _odd(path, "it is too large")
        found = json.loads(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None, None
    except OSError as error:
        return None, _odd(path, files.reason(error))
    except (ValueError, RecursionError):
        return None, _odd(path, "it is no draft")
    if not isinstance(found, dict) or found.get("kind") != draft_json.KIND:
        return None, _odd(path, "it is no draft")
    if found.get("version") != draft_json.VERSION:
        return None, _odd(path, "it is of another version of fluxtui")
    draft = draft_json.from_json(found.get("draft"))
    when, host = found.get("time"), found.get("host")
    if draft is None or not isinstance(when, int | float) or not isinstance(host, str):
        return None, _odd(path, "it is no whole draft")
    told = path.name.startswith("draft-")
    return Kept(path, draft, when, host, path.name != LAST, told), None


def _odd(path: Path, why: str) -> Problem:
    return Problem(f"no draft can be read from {path}: {why}", severity="warning")


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


def _locked(handle: int) -> int:
    """Another descriptor of a file, which is locked for as long as that is open."""
    kept = os.dup(handle)
    try:
        import fcntl

        fcntl.flock(kept, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):  # a file system without locks
        pass
    return kept


def _runs(path: Path) -> bool:
    """Whether the workbench that a draft is of still runs."""
    if path.name.startswith("draft-"):  # a person was told that it does not
        return False
    try:
        import fcntl

        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return os.fstat(file.fileno()).st_nlink == 0  # it was replaced at this moment
    except BlockingIOError:
        return True
    except (ImportError, OSError):
        return _seems_to_run(path)


def _seems_to_run(path: Path) -> bool:
    """The same where the file system has no locks, by the process that wrote the draft."""
    try:
        found = json.loads(path.read_bytes())
        pid, started = found["process"]
        if found["host"] != os.uname().nodename:
            return time.time() - path.stat().st_mtime < MAX_SILENCE
        os.kill(pid, 0)
    except PermissionError:
        return False  # the process of somebody else has the number by now
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return bool(started == _started(pid))


def _started(pid: int) -> str | None:
    """What tells a process from others of the same number: the boot, and the ticks since then."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_bytes().decode().strip()
        # The name of the process, in parentheses, may hold anything.
        rest = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return f"{boot} {int(rest[19])}"
    except (OSError, ValueError, IndexError):
        return None
