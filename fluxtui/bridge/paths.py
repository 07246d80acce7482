"""Paths while they are being typed."""

import os


def complete_path(typed: str, limit: int) -> list[str]:
    """What a half-typed path may become: folders (ending in ``/``) first, then files.

    The paths begin as typed (``~`` and ``..`` stay), hidden entries come only when the last part
    begins with a dot, and a folder that cannot be read has nothing in it.
    """
    folder, begun = os.path.split(typed)
    lead = typed[: len(typed) - len(begun)]
    found: list[tuple[bool, str]] = []
    try:
        with os.scandir(os.path.expanduser(folder) or ".") as entries:
            for entry in entries:
                hidden = entry.name.startswith(".") and not begun.startswith(".")
                if entry.name.lower().startswith(begun.lower()) and not hidden:
                    found.append((not entry.is_dir(), entry.name))
    except (OSError, ValueError):
        return []
    return [lead + name + "/" * (not is_file) for is_file, name in sorted(found)[:limit]]


def why_unreadable(path: str) -> str | None:
    """Why a file cannot be opened for reading, in the words of the system; None where it can."""
    try:
        with open(os.path.expanduser(path), "rb"):
            return None
    except (OSError, ValueError) as error:
        return getattr(error, "strerror", None) or str(error)
