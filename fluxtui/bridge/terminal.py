"""The terminal itself: who has it, keys beside a piped document, and lines that are read there."""

import os
import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

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


@contextmanager
def in_front() -> Iterator[None]:
    """Have the terminal, also as the program that ``flux start`` runs.

    A broker runs that in a group of processes of its own, behind it, and no shell is there that
    would bring it to the front: each change of the terminal would stop it for good.
    """
    front: int | None = None
    with suppress(OSError):
        own = os.getpgrp()
        if os.tcgetpgrp(0) != own and _is_of_broker(own):
            front = os.tcgetpgrp(0)
            _put_in_front(own)
    try:
        yield
    finally:
        if front is not None:
            with suppress(OSError):  # the terminal may be gone, and so may the broker
                _put_in_front(front)


def _put_in_front(group: int) -> None:
    before = signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    try:
        os.tcsetpgrp(0, group)
    finally:
        signal.signal(signal.SIGTTOU, before)


def _is_of_broker(group: int) -> bool:
    """Whether a broker of Flux began a group of processes, where ``/proc`` says so."""
    processes = Path("/proc")
    started = processes.joinpath(f"{group}", "stat").read_text().rpartition(")")[2].split()
    return processes.joinpath(started[1], "comm").read_text().startswith("flux-broker")


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
