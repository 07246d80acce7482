"""A process that writes nowhere but in one folder, and to which modes apply also where it is root.

Random hands choose paths too: what they save is to be theirs.
"""

import ctypes
import os
import struct
from pathlib import Path

# Linux's numbers: linux/landlock.h, linux/prctl.h, linux/capability.h.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_WRITES = (
    0b111_1111_1111_0010  # writing, truncating, moving, making and removing all kinds of files
)
_NO_NEW_PRIVILEGES, _DROP_FROM_BOUND = 38, 24
_OVERRIDES = (1, 2)  # of the modes of files, and of those of folders


def confine(folder: Path) -> bool:
    """Have this process, and all that it starts, write only in a folder and to devices.

    Call it before exec. Returns whether the system can do that (Landlock, in Linux since 5.19).
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
