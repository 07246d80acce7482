"""Paths while they are being typed, and the folder that the program keeps its own files in."""

import errno
import os
import re
import stat as modes
from pathlib import Path

# Endings of the documents that the workbench opens: R, jobspecs, configurations, job scripts.
ENDINGS = (".json", ".yaml", ".yml", ".toml", ".sh", ".sbatch", ".slurm", ".pbs", ".flux")

# Links one after the other that a system follows.
_LINKS = 40

#: A file that each record of a running Flux has (`fluxtui.bridge.live.record`).
RECORDED = re.compile(r"site-[0-9a-f]{16}\.json\.gz")


def state_folder(*parts: str) -> Path:
    """The user's folder for what the program keeps between runs, or one within it.

    It need not be there yet.
    """
    from platformdirs import user_state_path

    return user_state_path("fluxtui", appauthor=False).joinpath(*parts)


def make_private(folder: Path) -> None:
    """Make one of the program's own folders, for its owner alone, whatever the umask.

    So are those made that it is in, as the XDG specification asks. It may be there already; a link
    stays as it is, and what it leads to. Raises OSError where the folder cannot be made, or is not
    this user's own.
    """
    own = (folder, state_folder())
    for part in (*reversed(folder.parents), folder):
        try:
            part.mkdir(mode=0o700)
        except OSError:  # it is there, or nothing may be made beside it
            if not part.is_dir():
                raise
            if part not in own:
                continue
        check_own(part, _made_private(part))


def _made_private(folder: Path) -> os.stat_result:
    """What the system says of a folder, once it is for its owner alone, if that is this user."""
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
    """Raise OSError where somebody else can put things into a folder for private files."""
    if status.st_uid != os.geteuid():
        raise OSError(f"{folder} belongs to another user")
    if status.st_mode & modes.S_IWOTH:
        raise OSError(f"everybody can write to {folder}")


def complete_path(typed: str, limit: int) -> list[str]:
    """What a half-typed path may become: folders (ending in ``/``) first, then files.

    Among files those come first that end as documents do. The paths begin as typed (``~`` and
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
                    other = 1 if entry.name.endswith(ENDINGS) else 2
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


def has_configuration(path: str) -> bool:
    """Whether a folder holds files that Flux would read as a configuration (``*.toml``)."""
    try:
        with os.scandir(os.path.expanduser(path)) as entries:
            return any(e.name.endswith(".toml") and not e.name.startswith(".") for e in entries)
    except (OSError, ValueError):
        return False


def record_in(path: str) -> tuple[str, str] | None:
    """The folder of a record that a path leads to, and the moment in it: ``FOLDER@09:17``.

    The moment is empty for the last picture; None for a path that leads elsewhere.
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
    """A path as a person would type it: from the folder that the program runs in, or from ``~``."""
    for folder, lead in ((os.path.curdir, ""), ("~", "~/")):
        whole = os.path.abspath(os.path.expanduser(folder))
        if os.path.dirname(path) == whole or (whole != "/" and path.startswith(f"{whole}/")):
            return lead + os.path.relpath(path, whole)
    return path


def foreign_link(path: str | Path) -> Path | None:
    """The link on the way of a path that somebody else put into a folder of all, such as ``/tmp``.

    To write through it would be to write what they chose; so systems refuse that (on Linux by
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
    """Why nothing can be saved under a path (None where it can), and whether a file is there."""
    try:
        target = Path(path).expanduser()
        if target.is_dir():
            return "That is a folder: add the name of a file.", False
        if foreign_link(target) is not None:
            return "That is a link that somebody else put there.", False
        if target.exists() and not target.is_file():
            return "That is not a file that can be replaced.", False
        real = target.resolve()  # a link stays one, and what it leads to is written
        if not real.parent.is_dir():
            return f"There is no folder {real.parent}.", False
        if real.exists() and not os.access(real, os.W_OK):
            return f"{target.name} is read-only: give it another name.", True
        if not os.access(real.parent, os.W_OK):
            return f"Nothing may be written in {real.parent}.", False
        return None, target.exists()
    except (OSError, ValueError, RuntimeError) as error:
        return f"That name cannot be used: {getattr(error, 'strerror', None) or error}.", False
