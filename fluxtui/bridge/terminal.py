"""The terminal itself: keys beside a piped document, the foreground, and plain output."""

import os
import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_BACK = "-- enter goes back --"


def keep_keys_apart() -> str | None:
    """Make descriptor 0, from which keys are read, the controlling terminal instead of a pipe.

    ``sys.stdin`` continues to read the piped document. Returns the reason if there is no terminal,
    otherwise None.
    """
    try:
        terminal = os.open("/dev/tty", os.O_RDWR)
    except OSError as error:
        return error.strerror or "no terminal"
    sys.stdin = os.fdopen(os.dup(0), "r", encoding="utf-8")
    os.dup2(terminal, 0)
    os.close(terminal)
    return None


@contextmanager
def in_front() -> Iterator[None]:
    """Run in the foreground of the terminal, also as the program that ``flux start`` runs.

    A broker runs its program in a background process group, and there is no shell to bring that to
    the foreground: the first change to the terminal's settings would stop it for good.
    """
    before: int | None = None
    with suppress(OSError):
        group = os.getpgrp()
        if os.tcgetpgrp(0) != group and _is_of_broker(group):
            before = os.tcgetpgrp(0)
            _set_foreground(group)
    try:
        yield
    finally:
        if before is not None:
            with suppress(OSError):  # the terminal may be gone, and so may the broker
                _set_foreground(before)


def _set_foreground(group: int) -> None:
    before = signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    try:
        os.tcsetpgrp(0, group)
    finally:
        signal.signal(signal.SIGTTOU, before)


def _is_of_broker(group: int) -> bool:
    """Whether a process group was started by a Flux broker, according to ``/proc``."""
    processes = Path("/proc")
    started = processes.joinpath(f"{group}", "stat").read_text().rpartition(")")[2].split()
    return processes.joinpath(started[1], "comm").read_text().startswith("flux-broker")


def read_out(lines: Iterable[str]) -> None:
    """Print lines on the terminal and wait for enter; nothing else may use it meanwhile.

    The lines stay in the terminal's scrollback, where a screen reader can go over them.
    """
    out = sys.__stdout__
    if out is None:
        return
    out.write("".join(f"{line}\n" for line in (*lines, _BACK)))
    out.flush()
    while os.read(0, 1) not in (b"\n", b"\r", b""):
        pass
