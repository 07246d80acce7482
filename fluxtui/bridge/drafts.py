"""Drafts that survive a crash: each running workbench keeps its own in a file.

The file is replaced after edits, and locked while the workbench runs. A workbench that exits
normally renames it to the draft of the last session; those of earlier sessions are kept for a
while if their job was not saved. After a crash the file remains and nobody holds its lock. The
lock tells it from the draft of a running workbench even if the process id was reused, or if the
workbench runs on another host that shares the folder.
"""

import contextlib
import json
import os
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from fluxtui.bridge import draft_json, files, paths
from fluxtui.bridge.draft_json import Draft, SavedFile
from fluxtui.notation.problem import Problem

__all__ = ["Draft", "Kept", "SavedFile", "Store"]

#: How long, and how many, drafts of crashed workbenches are kept. The newest few are kept at any
#: age, since the clock may have jumped.
MAX_AGE = 30 * 86_400  # seconds
MAX_KEPT = 20
NEWEST = 5

#: How many sessions are kept: the last one, and earlier ones whose job was not saved.
MAX_LEFT = 5

MAX_BYTES = 256 << 20

# Raised if a draft cannot be written: no space, or a document that JSON cannot represent.
_UNKEPT = (OSError, TypeError, ValueError, RecursionError)

_NAME = re.compile(r"(draft|session)-[0-9]+-[0-9]+\.json")
# Older versions wrote last.json.
_LEFT = re.compile(r"left-[0-9]+-[0-9]+\.json|last\.json")


@dataclass(frozen=True, slots=True)
class Kept:
    """A draft in the store.

    when      when it was written, in seconds since the epoch
    host      the host that the workbench ran on
    crashed   whether the workbench crashed; otherwise the draft is that of a finished session
    reported  whether the user has been notified of it
    process   the id of its process, and its start, which tells it from others with this id
    """

    path: Path
    draft: Draft
    when: float
    host: str
    crashed: bool
    reported: bool
    process: object

    def is_of_run(self, other: "Kept") -> bool:
        """Whether both drafts are from the same run of the workbench."""
        known = self.process is not None
        return known and (self.host, self.process) == (other.host, other.process)


class Store:
    """The drafts of one user, and the one that this workbench keeps. Reads and writes files.

    folder is the folder of the drafts; by default it is in the user's state directory. A store may
    be used by several threads.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._given = folder
        self._name = f"session-{os.getpid()}-{int(time.time())}.json"
        self._lock: int | None = None  # a descriptor; closing it releases the lock
        self._outlived: list[Path] = []
        self._closed = False
        self._made = False  # whether the folder has been made private
        self._busy = threading.Lock()

    @cached_property
    def _folder(self) -> Path:
        return self._given or paths.state_folder("sessions")

    @property
    def _own(self) -> Path:
        return self._folder / self._name

    def _new_left(self) -> Path:
        return self._folder / f"left-{os.getpid()}-{time.time_ns()}.json"

    def keep(self, draft: Draft) -> Problem | None:
        """Replace the draft kept before by this one; return the problem if that fails.

        A blank draft only removes the previous one.
        """
        with self._busy:
            return None if self._closed else self._keep(draft)

    def close(self, draft: Draft, *, left: bool) -> Problem | None:
        """Keep this draft and none after it; return the problem if that fails.

        left is True if the user left the workbench: the draft is then that of the last session,
        otherwise that of a crash.
        """
        with self._busy:
            if self._closed:
                return None
            problem = self._keep(draft, lasts=True)
            self._closed = True
            if left:
                with contextlib.suppress(OSError):
                    os.replace(self._own, self._new_left())
                    self._tidy()
            self._let_go()
            return problem

    def set_aside(self, draft: Draft) -> Problem | None:
        """Keep this draft as that of an earlier session; return the problem if that fails."""
        with self._busy:
            if self._closed or draft.blank:
                return None
            try:
                self._put(self._new_left(), draft)
            except _UNKEPT as error:
                return _not_kept("the job that was here", error)
            self._tidy()
            return None

    def replaces(self, kept: Kept) -> None:
        """Note that the next draft kept by this workbench supersedes this one, to be removed."""
        if kept.crashed:
            self._outlived.append(kept.path)

    def is_replaced(self, kept: Kept) -> bool:
        """Whether a draft of this workbench supersedes this one; see `replaces`."""
        return kept.path in self._outlived

    def found(self) -> tuple[list[Kept], tuple[Problem, ...]]:
        """The drafts that can be restored, of crashes and of sessions, the newest first.

        Problems are warnings about files that hold no draft and were not reported before. Files
        that are too old are removed.
        """
        crashed: list[Kept] = []
        problems: list[Problem] = []
        for path in self._crashed():
            kept, problem = _read(path)
            if kept is not None:
                crashed.append(kept)
            elif problem is not None and path.name.startswith("session-"):
                problems.append(problem)
        crashed.sort(key=_when, reverse=True)
        for kept in crashed[MAX_KEPT:]:
            _remove(kept.path)
        left, odd = self._left()
        found = sorted(crashed[:MAX_KEPT] + left, key=_when, reverse=True)
        return found, (*problems, *odd.values())

    def mark_reported(self) -> None:
        """Note that the user was notified of the drafts of crashes, and of files that hold none."""
        for path in self._crashed():
            # A restored draft keeps its name, by which it is removed once it is superseded.
            if path.name.startswith("session-") and path not in self._outlived:
                with contextlib.suppress(OSError):
                    path.rename(path.with_name(path.name.replace("session-", "draft-", 1)))

    def _keep(self, draft: Draft, *, lasts: bool = False) -> Problem | None:
        if draft.blank:
            _remove(self._own)
            self._let_go()
            return None
        from fluxtui.bridge import running

        held: list[int] = []
        try:
            # The lock is on the file itself, so each new file is locked before it gets the name.
            self._put(
                self._own, draft, lambda handle: held.append(running.locked(handle)), lasts=lasts
            )
        except _UNKEPT as error:
            for handle in held:
                os.close(handle)
            return _not_kept("the draft", error)
        self._let_go()
        self._lock = held[0]
        for path in self._outlived:
            _remove(path)
        self._outlived.clear()
        return None

    def _put(
        self,
        path: Path,
        draft: Draft,
        ready: Callable[[int], object] | None = None,
        *,
        lasts: bool = True,
    ) -> None:
        """Write a draft to a file; see `in_place.put_private`. May raise one of _UNKEPT."""
        from fluxtui.bridge import in_place

        text = draft_json.to_text(draft, _head())
        if not self._made or not self._folder.is_dir():
            paths.make_private(self._folder)
            self._made = True
        in_place.put_private(path, text.encode(), ready, lasts=lasts)

    def _left(self) -> tuple[list[Kept], dict[Path, Problem]]:
        """The drafts of sessions, newest first, and the problems of files that hold none."""
        found: list[Kept] = []
        odd: dict[Path, Problem] = {}
        for path in self._folder.glob("l*.json"):
            kept, problem = _read(path) if _is_left(path) else (None, None)
            if kept is not None:
                found.append(kept)
            elif problem is not None:
                odd[path] = problem
        return sorted(found, key=_when, reverse=True), odd

    def _tidy(self) -> None:
        """Remove earlier sessions that were saved, are duplicates, or exceed `MAX_LEFT`."""
        found, odd = self._left()
        stay: list[Draft] = []
        for kept in found:
            work = kept.draft.work
            if not stay or (kept.draft.unsaved and work not in stay and len(stay) < MAX_LEFT):
                stay.append(work)
            else:
                _remove(kept.path)
        for path in odd:
            _remove(path)

    def _let_go(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _crashed(self) -> list[Path]:
        """The files of workbenches that no longer run; those that are too old are removed."""
        from fluxtui.bridge import running

        found: list[Path] = []
        try:
            entries = sorted(os.scandir(self._folder), key=_changed, reverse=True)
        except OSError:
            return []
        for entry in entries:
            path = Path(entry.path)
            with contextlib.suppress(OSError):
                age = time.time() - entry.stat().st_mtime
                half = entry.name.startswith(".session-")  # left by an unfinished write
                known = _NAME.fullmatch(entry.name) is not None and entry.is_file()
                if (half and age > running.MAX_SILENCE) or (
                    known and age > MAX_AGE and len(found) >= NEWEST and not running.runs(path)
                ):
                    _remove(path)
                elif known and path != self._own and not running.runs(path):
                    found.append(path)
        return found


def _changed(entry: "os.DirEntry[str]") -> float:
    """When a file was changed; 0 if it is gone."""
    try:
        return entry.stat().st_mtime
    except OSError:
        return 0.0


def _head() -> dict[str, Any]:
    from fluxtui.bridge import running

    return {
        "kind": draft_json.KIND,
        "version": draft_json.VERSION,
        "time": time.time(),
        "host": os.uname().nodename,
        "process": [os.getpid(), running.started(os.getpid())],
    }


def _read(path: Path) -> tuple[Kept | None, Problem | None]:
    """The draft in a file; None with a warning if the file exists but holds none."""
    try:
        if path.stat().st_size > MAX_BYTES:
            return None, _odd(path, "it is too large")
        found = json.loads(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None, None
    except OSError as error:
        return None, _odd(path, files.reason(error))
    except (ValueError, RecursionError):
        return None, _odd(path, "it is not a draft")
    if not isinstance(found, dict) or found.get("kind") != draft_json.KIND:
        return None, _odd(path, "it is not a draft")
    if found.get("version") != draft_json.VERSION:
        return None, _odd(path, "it is of another version of fluxtui")
    draft = draft_json.from_json(found.get("draft"))
    when, host = found.get("time"), found.get("host")
    if draft is None or not isinstance(when, int | float) or not isinstance(host, str):
        return None, _odd(path, "it is not a complete draft")
    reported = path.name.startswith("draft-")
    crashed = _LEFT.fullmatch(path.name) is None
    return Kept(path, draft, when, host, crashed, reported, found.get("process")), None


def _is_left(path: Path) -> bool:
    return _LEFT.fullmatch(path.name) is not None and path.is_file()


def _when(kept: Kept) -> float:
    """The sort key of a draft: a time in the future, from a wrong clock, sorts as the oldest."""
    return kept.when if kept.when < time.time() + 86_400 else 0.0


def _not_kept(what: str, error: Exception) -> Problem:
    return Problem(f"{what} is not kept: {files.reason(error)}", severity="warning")


def _odd(path: Path, why: str) -> Problem:
    return Problem(f"no draft can be read from {path}: {why}", severity="warning")


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()
