"""The real program in a folder of its own, out of which nothing is written, and how it has to end.

Random hands choose paths too: what they save is to be theirs.
"""

import contextlib
import ctypes
import os
import shutil
import struct
import tempfile
from collections.abc import Container, Iterator
from pathlib import Path

from tests.campaign.hands import files
from tests.ui.terminal import Terminal

COMPLAINTS = (
    *(b"Traceback", b"Exception ignored", b"was never retrieved", b"Warning: "),
    b"fluxtui stopped",
)

# Linux's numbers: linux/landlock.h, linux/prctl.h, linux/capability.h.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_WRITES = (
    0b111_1111_1111_0010  # writing, truncating, moving, making and removing all kinds of files
)
_NO_NEW_PRIVILEGES, _DROP_FROM_BOUND = 38, 24
_OVERRIDES = (1, 2)  # of the modes of files, and of those of folders


class FaultError(AssertionError):
    """What is not as it should be."""


@contextlib.contextmanager
def folder_of(name: str) -> Iterator[Path]:
    """A folder with a file of each kind, which goes in the end."""
    folder = Path(tempfile.mkdtemp(prefix=f"{name}-"))
    try:
        files.write_all(folder)
        yield folder
    finally:
        for path, folders, _ in os.walk(folder):
            for each in folders:
                with contextlib.suppress(OSError):
                    os.chmod(os.path.join(path, each), 0o700)
        shutil.rmtree(folder, ignore_errors=True)


def environment(home: Path) -> dict[str, str]:
    """What a program whose home is in such a folder is told; it is as over ssh, without Flux."""
    return {
        "HOME": str(home),
        "TMPDIR": str(home / "tmp"),
        "XDG_CONFIG_HOME": "",
        "XDG_STATE_HOME": "",
        "SSH_CONNECTION": "192.0.2.1 1 192.0.2.2 22",
        "FLUX_URI": "",
        "FLUXTUI_FLUX": "/nonexistent/flux",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def confine(folder: Path) -> bool:
    """Have this process, and all that it starts, write only in a folder and to devices.

    Modes apply to it also where it is root. Call it before exec. Returns whether the system can do
    that (Landlock, in Linux since 5.19).
    """
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in _OVERRIDES:  # from what is executed next on, if this is root
        libc.prctl(_DROP_FROM_BOUND, capability, 0, 0, 0)
    attributes = struct.pack("Q", _WRITES)
    ruleset = libc.syscall(_CREATE_RULESET, attributes, len(attributes), 0)
    if ruleset < 0:
        return False
    for path in (folder, Path("/dev")):
        handle = os.open(path, os.O_PATH)
        rule = struct.pack("=Qi", _WRITES, handle)
        done = libc.syscall(_ADD_RULE, ruleset, 1, rule, 0)
        os.close(handle)
        if done < 0:
            return False
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    return bool(libc.syscall(_RESTRICT_SELF, ruleset, 0) == 0)


def judge_end(
    terminal: Terminal, folder: Path, status: int, wanted: Container[int], *, killed: bool = False
) -> None:
    """See that the program ended as is wanted and left all in order; FaultError where not.

    Where it was killed, the terminal and its temporary files are as they were.
    """
    for path in folder.rglob("fluxtui-crash*.log"):
        raise FaultError(f"it crashed: {path.read_text()[-3000:]}")
    for word in COMPLAINTS:
        if (at := terminal.output.find(word)) >= 0:
            said = terminal.output[max(at - 300, 0) : at + 1500].decode("utf-8", "replace")
            raise FaultError(f"it says {said}")
    if status not in wanted:
        raise FaultError(f"it ended with {status}, not with {wanted}")
    if not killed:
        if not terminal._is_gone and not terminal.in_order:
            raise FaultError("the terminal is not in order")
        if halves := [str(path) for path in folder.rglob(".*") if _is_temporary(path)]:
            raise FaultError(f"files are left behind: {halves}")


def _is_temporary(path: Path) -> bool:
    """A file that is made beside another, to take its place."""
    stem, _, end = path.name.rpartition(".")
    return len(end) == 12 and stem.startswith(".") and len(stem) > 1 and path.is_file()
