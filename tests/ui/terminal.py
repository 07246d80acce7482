"""A real terminal for tests: the program runs in a pseudo-terminal and pyte reads the screen."""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

import pyte

# What a program switches on, or off, and how it puts that back.
_SWITCHES = (
    (b"\x1b[?1049h", b"\x1b[?1049l"),
    (b"\x1b[?25l", b"\x1b[?25h"),
    (b"\x1b[?1000h", b"\x1b[?1000l"),
    (b"\x1b[?1003h", b"\x1b[?1003l"),
    (b"\x1b[?1006h", b"\x1b[?1006l"),
    (b"\x1b[?2004h", b"\x1b[?2004l"),
    (b"\x1b[?1004h", b"\x1b[?1004l"),
)

PATIENCE = 120.0  # seconds; only a test that fails ever waits so long

# What another terminal, or the runner of these tests, says of itself.
_NOT_ITS_OWN = ("NO_COLOR", "COLUMNS", "LINES")


class Terminal:
    """Runs a command in a pseudo-terminal of a given size.

    It runs in a folder, if one is given, inherits some descriptors, and is prepared for before it
    is executed.
    """

    def __init__(
        self,
        *arguments: str,
        columns: int = 120,
        rows: int = 40,
        env: Mapping[str, str] | None = None,
        piped: bytes | None = None,
        program: Sequence[str] = ("-m", "fluxtui"),
        cwd: Path | None = None,
        inherited: Sequence[int] = (),
        prepare: Callable[[], object] = lambda: None,
    ) -> None:
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self.output = b""
        self.patience = PATIENCE
        self._is_gone = False
        self._prepare = prepare
        self.master, self.slave = pty.openpty()
        self._set_size(columns, rows)
        self.modes_before = termios.tcgetattr(self.slave)
        around = {name: value for name, value in os.environ.items() if name not in _NOT_ITS_OWN}
        environment = {
            **around,
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            **(env or {}),
        }
        self.process = subprocess.Popen(
            [sys.executable, *program, *arguments],
            stdin=self.slave if piped is None else subprocess.PIPE,
            stdout=self.slave,
            stderr=self.slave,
            env=environment,
            cwd=cwd,
            pass_fds=inherited,
            preexec_fn=self._own_the_terminal,  # noqa: PLW1509  # no thread runs here
        )
        if piped is not None:
            assert self.process.stdin is not None
            self.process.stdin.write(piped)
            self.process.stdin.close()

    def _own_the_terminal(self) -> None:
        os.setsid()
        fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)
        for number in (signal.SIGINT, signal.SIGQUIT):  # which what runs in the background ignores
            signal.signal(number, signal.SIG_DFL)
        self._prepare()

    def _set_size(self, columns: int, rows: int) -> None:
        size = struct.pack("HHHH", rows, columns, 0, 0)
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, size)

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.hang_up()

    def hang_up(self) -> None:
        """Go away, as when its window is closed; nothing is sent or read any more."""
        if not self._is_gone:
            self._is_gone = True
            os.close(self.slave)
            os.close(self.master)

    @property
    def modes(self) -> list[object]:
        """The line discipline's settings, as they are now."""
        return termios.tcgetattr(self.slave)

    @property
    def in_order(self) -> bool:
        """The terminal is as a program should leave it.

        Its settings are those from before; the last word on the alternate screen, the cursor, the
        mouse and bracketed paste puts each back.
        """
        return self.modes == self.modes_before and all(
            self.output.rfind(on) < self.output.rfind(off) or on not in self.output
            for on, off in _SWITCHES
        )

    @property
    def text(self) -> str:
        """What the screen shows."""
        return "\n".join(line.rstrip() for line in self.screen.display)

    def send(self, keys: str) -> None:
        """Type keys, as the bytes a terminal sends."""
        os.write(self.master, keys.encode())

    def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size, as a window manager does."""
        self.screen.resize(rows, columns)
        self._set_size(columns, rows)
        self.process.send_signal(signal.SIGWINCH)

    def wait_until(self, holds: Callable[[str], bool], what: str) -> None:
        """Read the terminal until its screen is as wanted."""
        deadline = time.monotonic() + PATIENCE
        while not holds(self.text):
            if not self.read(deadline):
                raise AssertionError(f"the screen never showed {what}:\n{self.text}")

    def wait_for(self, *texts: str) -> None:
        """Read the terminal until its screen shows all these texts."""
        self.wait_until(lambda shown: all(text in shown for text in texts), " and ".join(texts))

    def press(self, keys: str, *texts: str) -> None:
        """Type keys, and read the terminal until its screen shows all these texts."""
        self.send(keys)
        self.wait_for(*texts)

    def quit(self, keys: str = "\x11") -> None:
        """Have the program end; the terminal is then as it was before."""
        self.send(keys)
        assert self.wait_for_exit() == 0
        assert self.in_order
        assert b"Traceback" not in self.output

    def wait_for_exit(self) -> int:
        """Read the terminal until the program has ended; its exit status."""
        deadline = time.monotonic() + self.patience
        while self.process.poll() is None:
            self.read(min(deadline, time.monotonic() + 0.01))
            assert time.monotonic() < deadline, f"the program never ended:\n{self.text}"
        while self.read(time.monotonic()):
            pass
        return self.process.returncode

    def read(self, deadline: float) -> bool:
        """Read what comes until then; whether anything did."""
        ready, _, _ = select.select([self.master], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            return False
        try:
            data = os.read(self.master, 65536)
        except OSError:
            return False
        self.feed(data)
        return True

    def read_for(self, seconds: float) -> None:
        """Read the terminal for so long."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.read(end):
            pass

    def feed(self, data: bytes) -> None:
        """Take what the program wrote."""
        self.output += data
        self._stream.feed(data)
