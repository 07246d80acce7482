"""Whether the workbench that a draft is of still runs: by a lock on its file, or its process."""

import json
import os
import time
from pathlib import Path

# Where locks do not work, a workbench on another host is taken to run while its draft is so young.
MAX_SILENCE = 86_400  # seconds


def locked(handle: int) -> int:
    """Another descriptor of a file, which is locked for as long as that is open."""
    kept = os.dup(handle)
    try:
        import fcntl

        fcntl.flock(kept, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):  # a file system without locks
        pass
    return kept


def runs(path: Path) -> bool:
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
        return seems_to_run(path)


def seems_to_run(path: Path) -> bool:
    """The same where the file system has no locks, by the process that wrote the draft."""
    try:
        found = json.loads(path.read_bytes())
        pid, begun = found["process"]
        if found["host"] != os.uname().nodename:
            return time.time() - path.stat().st_mtime < MAX_SILENCE
        os.kill(pid, 0)
    except PermissionError:
        return False  # the process of somebody else has the number by now
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return bool(begun == started(pid))


def started(pid: int) -> str | None:
    """What tells a process from others of the same number: the boot, and the ticks since then."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_bytes().decode().strip()
        # The name of the process, in parentheses, may hold anything.
        rest = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return f"{boot} {int(rest[19])}"
    except (OSError, ValueError, IndexError):
        return None
