"""Keys from the terminal while a document comes in on standard input."""

import os
import sys


def keep_keys_apart() -> str | None:
    """Leave the piped document on ``sys.stdin`` and put the terminal where keys are read from.

    Descriptor 0, which a user interface reads its keys from, becomes the controlling terminal;
    ``sys.stdin`` goes on reading the pipe. Gives the reason where there is no terminal.
    """
    try:
        terminal = os.open("/dev/tty", os.O_RDWR)
    except OSError as error:
        return error.strerror or "no terminal"
    sys.stdin = os.fdopen(os.dup(0), "r", encoding="utf-8")
    os.dup2(terminal, 0)
    os.close(terminal)
    return None
