"""Keys from the terminal while a document comes in on standard input."""

import os
import pty
import subprocess
import sys

SCRIPT = """
import os, sys
from fluxtui.bridge.terminal import keep_keys_apart
reason = keep_keys_apart()
print(repr(reason), repr(sys.stdin.read()), os.isatty(0))
"""


def _with_terminal(slave: int) -> None:
    import fcntl
    import termios

    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)


def test_the_document_on_stdin_and_the_keys_on_descriptor_0() -> None:
    master, slave = pty.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            input=b'{"version": 1}',
            capture_output=True,
            check=True,
            preexec_fn=lambda: _with_terminal(slave),
        )
    finally:
        os.close(master)
        os.close(slave)
    assert done.stdout.decode().split(maxsplit=1)[0] == "None"
    assert "'{\"version\": 1}' True" in done.stdout.decode()


def test_no_terminal_gives_the_reason() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input=b"x",
        capture_output=True,
        check=True,
        start_new_session=True,
    )
    assert done.stdout.decode().startswith("'")
    assert done.stdout.decode().rstrip().endswith("'x' False")
