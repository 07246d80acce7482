"""Whether the workbench of a draft is still running, by a lock on its file, or by its process."""

import json
import os
import time
from pathlib import Path

# Without locks, a workbench on another host counts as running until its draft is this old.
MAX_SILENCE = 86_400  # seconds


def locked(handle: int) -> int:
    """Lock a file, and return a duplicate descriptor that holds the lock while it is open."""
    kept = os.dup(handle)
    try:
        import fcntl

        fcntl.flock(kept, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):  # a file system without locks
        pass
    return kept


def runs(path: Path) -> bool:
    """Whether the workbench of a draft is still running."""
    if path.name.startswith("draft-"):  # already reported as the draft of a crash
        return False
    try:
        import fcntl

        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return os.fstat(file.fileno()).st_nlink == 0  # just replaced by its workbench
    except BlockingIOError:
        return True
    except (ImportError, OSError):
        return seems_to_run(path)


def seems_to_run(path: Path) -> bool:
    """Like `runs` for a file system without locks, by the process that wrote the draft."""
    try:
        found = json.loads(path.read_bytes())
        pid, begun = found["process"]
        if found["host"] != os.uname().nodename:
            return time.time() - path.stat().st_mtime < MAX_SILENCE
        os.kill(pid, 0)
    except PermissionError:
        return False  # the process id now belongs to a process of another user
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return bool(begun == started(pid))


def started(pid: int) -> str | None:
    """What identifies a process beyond its id: the boot id, and its start in ticks since boot.

    None if ``/proc`` does not say.
    """
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_bytes().decode().strip()
        # The name of the process, in parentheses, may hold anything.
        rest = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return f"{boot} {int(rest[19])}"
    except (OSError, ValueError, IndexError):
        return None
