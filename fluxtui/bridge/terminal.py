"""The terminal itself: keys while a document is piped in, and lines that are read there."""

import os
import sys
from collections.abc import Iterable

_BACK = "-- enter goes back --"


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


def read_out(lines: Iterable[str]) -> None:
    """Print lines on the terminal and wait for enter; nothing else may use it meanwhile.

    They stay in what the terminal keeps of its past, where a screen reader goes over them.
    """
    out = sys.__stdout__
    if out is None:
        return
    out.write("".join(f"{line}\n" for line in (*lines, _BACK)))
    out.flush()
    while os.read(0, 1) not in (b"\n", b"\r", b""):
        pass
