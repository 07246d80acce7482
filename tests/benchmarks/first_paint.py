"""The first paint in a real pseudo-terminal, against a bare Textual app."""

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time

from tests.benchmarks.measure import plain_environment, report, side_by_side

ROUNDS = 15
PATIENCE = 20.0


def _until(mark: bytes, *command: str) -> float:
    """Seconds from starting a command to its having written a mark to its terminal."""
    master, slave = pty.openpty()
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    environment = {**plain_environment(), "TERM": "xterm-256color", "COLORTERM": "truecolor"}
    start = time.perf_counter()
    process = subprocess.Popen(
        command, stdin=slave, stdout=slave, stderr=slave, env=environment, start_new_session=True
    )
    seen = b""
    try:
        while mark not in seen:
            ready, _, _ = select.select([master], [], [], PATIENCE)
            if not ready:
                raise AssertionError(f"{command} never painted {mark!r}")
            seen += os.read(master, 65536)
        return time.perf_counter() - start
    finally:
        process.kill()
        process.wait()
        os.close(master)
        os.close(slave)


def run() -> bool:
    """Measure and report; whether the limit is kept."""
    bare = "a bare app with such widgets"
    medians = side_by_side(
        {
            bare: lambda: _until(
                b"painted by the bare app", sys.executable, "-m", "tests.benchmarks.bare_app"
            ),
            "fluxtui": lambda: _until("■ ■ ■".encode(), sys.executable, "-m", "fluxtui"),
        },
        ROUNDS,
    )
    return report("First paint at 120x40", medians, bare, {"fluxtui": 1.25})
