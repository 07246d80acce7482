"""Completion and checks of typed paths, and the folders of the program's own files."""

import errno
import os
import re
import stat as modes
from pathlib import Path

# The extensions of documents that the workbench opens: R, jobspecs, configurations, job scripts.
ENDINGS = (".json", ".yaml", ".yml", ".toml", ".sh", ".sbatch", ".slurm", ".pbs", ".flux")

# How many symbolic links in a row the system follows.
_LINKS = 40

#: The name of a file that every record of a running Flux contains (`fluxtui.bridge.live.record`).
RECORDED = re.compile(r"site-[0-9a-f]{16}\.json\.gz")


def state_folder(*parts: str) -> Path:
    """The user's folder for what the program keeps between runs, or a path within it.

    It need not exist yet.
    """
    from platformdirs import user_state_path

    return user_state_path("fluxtui", appauthor=False).joinpath(*parts)


def make_private(folder: Path) -> None:
    """Make one of the program's own folders accessible to its owner only, whatever the umask.

    The folder, and missing parents, are created with mode 0700, as the XDG specification asks; an
    existing folder is changed, but not a symbolic link or its target. Raises OSError if the folder
    cannot be created or does not belong to this user.
    """
    always_checked = (folder, state_folder())
    for part in (*reversed(folder.parents), folder):
        try:
            part.mkdir(mode=0o700)
        except OSError:  # it exists, or its parent is not writable
            if not part.is_dir():
                raise
            if part not in always_checked:
                continue
        check_own(part, _made_private(part))


def _made_private(folder: Path) -> os.stat_result:
    """Make a folder of this user private, unless it is a link, and return its status."""
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:  # a link
        return folder.stat()
    try:
        if os.fstat(handle).st_uid == os.geteuid():
            os.fchmod(handle, 0o700)
        return os.fstat(handle)
    finally:
        os.close(handle)


def check_own(folder: Path, status: os.stat_result) -> None:
    """Raise OSError if other users can create files in a folder for private files."""
    if status.st_uid != os.geteuid():
        raise OSError(f"{folder} belongs to another user")
    if status.st_mode & modes.S_IWOTH:
        raise OSError(f"everybody can write to {folder}")


def complete_path(typed: str, limit: int) -> list[str]:
    """Return completions of a typed path: folders (ending in ``/``), documents, other files.

    Documents are known by their extension. The paths begin as typed (``~`` and ``..`` stay), hidden
    entries are included only if the last part begins with a dot, and an unreadable folder counts as
    empty.
    """
    folder, begun = os.path.split(typed)
    lead = typed[: len(typed) - len(begun)]
    found: list[tuple[int, str]] = []
    try:
        with os.scandir(os.path.expanduser(folder) or ".") as entries:
            for entry in entries:
                hidden = entry.name.startswith(".") and not begun.startswith(".")
                if entry.name.lower().startswith(begun.lower()) and not hidden:
                    other = 1 if entry.name.endswith(ENDINGS) else 2
                    found.append((0 if entry.is_dir() else other, entry.name))
    except (OSError, ValueError):
        return []
    return [lead + name + ("" if order else "/") for order, name in sorted(found)[:limit]]


def why_unreadable(path: str) -> str | None:
    """Why a file cannot be read, in the words of the system; None if it probably can.

    The file is not opened, since that would wake the writer of a named pipe.
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
    """Whether a path leads to a folder; False also if its status cannot be read."""
    return os.path.isdir(os.path.expanduser(path))


def has_configuration(path: str) -> bool:
    """Whether a folder has files that Flux would read as a configuration (``*.toml``)."""
    try:
        with os.scandir(os.path.expanduser(path)) as entries:
            return any(e.name.endswith(".toml") and not e.name.startswith(".") for e in entries)
    except (OSError, ValueError):
        return False


def record_in(path: str) -> tuple[str, str] | None:
    """Split ``FOLDER@09:17`` into the folder of a record and the moment, empty for the last one.

    None if the path does not lead to a record.
    """
    folder, sign, moment = path.rpartition("@")
    if sign and not os.path.exists(os.path.expanduser(path)) and _is_record(folder):
        return folder, moment
    return (path, "") if _is_record(path) else None


def _is_record(path: str) -> bool:
    try:
        with os.scandir(os.path.expanduser(path)) as entries:
            return any(RECORDED.fullmatch(entry.name) for entry in entries)
    except (OSError, ValueError):
        return False


def same(one: str, other: str) -> bool:
    """Whether two paths lead to the same file, or would if there were one."""
    one, other = os.path.expanduser(one), os.path.expanduser(other)
    try:
        return os.path.samefile(one, other)
    except (OSError, ValueError):
        return os.path.abspath(one) == os.path.abspath(other)


def short(path: str) -> str:
    """A path as a user would type it: relative to the current directory, or to ``~``."""
    for folder, lead in ((os.path.curdir, ""), ("~", "~/")):
        whole = os.path.abspath(os.path.expanduser(folder))
        if os.path.dirname(path) == whole or (whole != "/" and path.startswith(f"{whole}/")):
            return lead + os.path.relpath(path, whole)
    return path


def foreign_link(path: str | Path) -> Path | None:
    """The first link on a path that another user put into a world-writable folder such as ``/tmp``.

    Writing through it would write to a file of their choice, so systems refuse that (on Linux by
    ``fs.protected_symlinks``).
    """
    place = Path(path)
    for _ in range(_LINKS):
        try:
            link = place.lstat()
            if not modes.S_ISLNK(link.st_mode):
                break
            folder = place.parent.stat()
            if folder.st_mode & modes.S_IWOTH and link.st_uid not in (os.geteuid(), folder.st_uid):
                return place
            place = place.parent / place.readlink()
        except (OSError, ValueError):
            break
    return None


def why_not_save(path: str) -> tuple[str | None, bool]:
    """Why no file can be saved at a path, None if it can, and whether there is a file already."""
    try:
        target = Path(path).expanduser()
        if target.is_dir():
            return "That is a folder: add the name of a file.", False
        if foreign_link(target) is not None:
            return "That is a link that somebody else put there.", False
        if target.exists() and not target.is_file():
            return "That is not a file that can be replaced.", False
        real = target.resolve()  # a link is kept, and its target is written
        if not real.parent.is_dir():
            return f"There is no folder {real.parent}.", False
        if real.exists() and not os.access(real, os.W_OK):
            return f"{target.name} is read-only: give it another name.", True
        if not os.access(real.parent, os.W_OK):
            return f"You have no permission to write in {real.parent}.", False
        return None, target.exists()
    except (OSError, ValueError, RuntimeError) as error:
        return f"That name cannot be used: {getattr(error, 'strerror', None) or error}.", False
