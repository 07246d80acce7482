"""Paths while they are being typed."""

import errno
import os
from pathlib import Path


def complete_path(typed: str, limit: int) -> list[str]:
    """What a half-typed path may become: folders (ending in ``/``) first, then files.

    Among files those come first that end as R documents do. The paths begin as typed (``~`` and
    ``..`` stay), hidden entries come only when the last part begins with a dot, and a folder that
    cannot be read has nothing in it.
    """
    folder, begun = os.path.split(typed)
    lead = typed[: len(typed) - len(begun)]
    found: list[tuple[int, str]] = []
    try:
        with os.scandir(os.path.expanduser(folder) or ".") as entries:
            for entry in entries:
                hidden = entry.name.startswith(".") and not begun.startswith(".")
                if entry.name.lower().startswith(begun.lower()) and not hidden:
                    other = 1 if entry.name.endswith(".json") else 2
                    found.append((0 if entry.is_dir() else other, entry.name))
    except (OSError, ValueError):
        return []
    return [lead + name + ("" if order else "/") for order, name in sorted(found)[:limit]]


def why_unreadable(path: str) -> str | None:
    """Why a file cannot be read, in the words of the system; None where nothing speaks against it.

    It is not opened: the writer of a named pipe would take that for the reading.
    """
    try:
        target = os.path.expanduser(path)
        if os.path.isdir(target):
            return os.strerror(errno.EISDIR)
        os.stat(target)
    except (OSError, ValueError) as error:
        return getattr(error, "strerror", None) or str(error)
    return None if os.access(target, os.R_OK) else os.strerror(errno.EACCES)


def is_folder(path: str) -> bool:
    """Whether a path leads to a folder; a path that cannot be looked at leads to none."""
    return os.path.isdir(os.path.expanduser(path))


def why_not_save(path: str) -> tuple[str | None, bool]:
    """Why nothing can be saved under a path (None where it can), and whether a file is there."""
    try:
        target = Path(path).expanduser()
        if target.is_dir():
            return "That is a folder: add the name of a file.", False
        if not target.parent.is_dir():
            return f"There is no folder {target.parent}.", False
        if not os.access(target.parent, os.W_OK):
            return f"Nothing may be written in {target.parent}.", False
        return None, target.exists()
    except (OSError, ValueError, RuntimeError) as error:
        return f"That name cannot be used: {getattr(error, 'strerror', None) or error}.", False
