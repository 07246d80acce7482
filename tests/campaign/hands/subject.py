"""The workbench as a person starts it, which also says on a wire whether its laws hold.

``python subject.py DESCRIPTOR [ARGUMENT ...]`` runs ``fluxtui ARGUMENT ...`` in the terminal. For
each line that comes on the descriptor, a socket, it waits until all that was typed before has had
its effect, and answers with a line of JSON: the laws that do not hold, what went wrong unseen, and
its memory. A mark on the terminal follows all that was drawn until then.
"""

import asyncio
import faulthandler
import fcntl
import json
import logging
import os
import resource
import signal
import socket
import struct
import sys
import termios
import threading
import time
from pathlib import Path
from typing import Any, ClassVar

from fluxtui import ui, workbench
from fluxtui.cli import main
from fluxtui.ui import app as apps
from fluxtui.ui.session import watching
from fluxtui.ui.terminal import drivers
from tests.campaign.hands import laws
from tests.ui.helpers import Hands

#: Ends what was drawn up to an answer; a terminal takes no notice of it.
MARK = "\x1b]7717;{}\x07"

#: At this signal it writes where each of its threads is into a file, ``stacks-`` and its number.
STACKS = signal.SIGRTMIN

LOOKS = 0.05  # seconds from one look at the open files to the next
PATIENCE = 10.0  # seconds for another size
QUIET = 0.03  # seconds without input, which is longer than a lone escape is waited for


class Subject(apps.FluxTUI):
    """The workbench that is watched; nothing of what it does is another."""

    CSS_PATH = Path(ui.__file__).with_name("styles.tcss")

    wire: socket.socket
    unseen: list[str]
    parsers: "ClassVar[list[Parser]]" = []  # noqa: RUF012  # that of now

    def on_ready(self) -> None:
        """Answer from the first frame on."""
        super().on_ready()
        self.memory = laws.Memory(self.history)
        asyncio.get_running_loop().add_reader(self.wire, self._asked)

    def step_to(self, history: workbench.History) -> None:
        """Keep beside the history what was written at each of its steps."""
        before = self.history
        super().step_to(history)
        if hasattr(self, "memory"):
            self.memory.follow(before, history)

    def _asked(self) -> None:
        line = self.wire.recv(4096)
        if not line:
            asyncio.get_running_loop().remove_reader(self.wire)
            return
        for number in line.split():
            self._answering = asyncio.create_task(self._answer(int(number)))

    async def _answer(self, number: int) -> None:
        answer: dict[str, Any] = {"number": number, "faults": []}
        try:
            start = time.monotonic()
            await self._quiet()
            answer["quiet"] = time.monotonic() - start
            answer["faults"] = [*await laws.broken(self, afresh=number % 3 == 0), *self.unseen]
            answer["laws"] = time.monotonic() - start - answer["quiet"]
            answer["screen"] = laws.lines(self)
        except Exception as error:
            answer["faults"] = [*self.unseen, f"the look failed: {error!r}"]
            if not self.is_running or self._exit:
                answer["faults"] = self.unseen
        self.unseen.clear()
        answer["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        if self._driver is not None:
            self._driver.write(MARK.format(number))
            self._driver.flush()
        self.wire.setblocking(True)
        self.wire.sendall(json.dumps(answer).encode() + b"\n")
        self.wire.setblocking(False)

    async def _quiet(self) -> None:
        """Wait until what was typed is read, and handled, and drawn."""
        while unread(0) or any(one._timeout_time is not None for one in Subject.parsers):
            await asyncio.sleep(QUIET)
        await asyncio.sleep(QUIET)
        hands = Hands(self)
        await hands.settle()
        await self.animator.wait_for_idle()
        await hands.settle()
        end = time.monotonic() + PATIENCE
        while self._resize_event is not None or tuple(self.size) != os.get_terminal_size(0):
            await asyncio.sleep(QUIET)
            await hands.settle()
            if time.monotonic() > end:
                raise AssertionError(f"it is {self.size}, not {os.get_terminal_size(0)}")


class Parser(drivers.WholePastes):
    """The parser of keys, known to the workbench: a lone escape waits for what may follow."""

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        Subject.parsers[:] = [self]


def unread(descriptor: int) -> int:
    """The bytes that a terminal has not given yet."""
    found = fcntl.ioctl(descriptor, termios.FIONREAD, b"\0\0\0\0")
    return int(struct.unpack("i", found)[0])


def watch(descriptor: int) -> None:
    """Have the workbench that is started next be watched from the other end of a socket."""
    Subject.wire = socket.socket(fileno=descriptor)
    Subject.wire.setblocking(False)
    Subject.unseen = unseen = []
    # Which is not for what goes wrong now, but for a look at where it hangs.
    faulthandler.register(STACKS, open(f"stacks-{os.getpid()}", "w"))  # noqa: SIM115
    # What asyncio and others complain of nobody sees on a screen that is drawn on.
    complaints = logging.Handler(logging.WARNING)
    complaints.emit = lambda record: unseen.append(complaints.format(record)[-2000:])  # type: ignore[method-assign]
    logging.getLogger().addHandler(complaints)
    threading.excepthook = lambda error: unseen.append(f"in a thread: {error.exc_value!r}")
    sys.unraisablehook = lambda error: unseen.append(f"ignored: {error.exc_value!r}")
    apps.FluxTUI = Subject  # type: ignore[misc]
    drivers.WholePastes = Parser  # type: ignore[misc]
    watching.SECONDS = LOOKS


if __name__ == "__main__":
    watch(int(sys.argv[1]))
    sys.argv[1:2] = []
    main()
