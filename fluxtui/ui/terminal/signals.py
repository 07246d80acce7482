"""Orderly exit when a signal ends the program."""

import _thread
import asyncio
import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable
from functools import partial
from types import FrameType
from typing import Any

from textual.app import App, ScreenStackError
from textual.css.query import NoMatches
from textual.widget import MountError
from textual.worker import WorkerFailed

from fluxtui.ui.terminal.themed import ThemedApp

#: Those that end a process unless it handles them, but for faults of the program itself: as each
#: would leave the terminal as it is drawn on.
EXIT_SIGNALS = (
    *(signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGABRT),
    *(signal.SIGALRM, signal.SIGVTALRM, signal.SIGPROF, signal.SIGXCPU),
    *(signal.SIGUSR1, signal.SIGUSR2, signal.SIGIO),
    *(getattr(signal, name) for name in ("SIGPWR", "SIGSTKFLT") if hasattr(signal, name)),
)

#: Seconds from such a signal to the end of a program that does not come to it in order.
PATIENCE = 5.0

#: Seconds that such an end waits for what it writes; a file system may hang.
LAST_PATIENCE = 3.0

_MOUSE_OFF = "\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l"

# What Textual raises for a widget that cannot be mounted, or found, or has no screen any more.
_TOO_LATE = (MountError, NoMatches, ScreenStackError)


def leave_on_signals(app: App[Any], put_away: Callable[[], object]) -> None:
    """Have the app end as on quit, with the terminal in order, when a signal ends the program.

    Where that does not come to pass, as the terminal takes nothing that is drawn, or as a thread
    never ends, the process ends all the same: put_away is then called beside the event loop, to
    write what must not be lost, and the terminal is given back, if it takes that. To be called on
    the event loop. Where no signal can be caught, nothing happens.
    """
    loop = asyncio.get_running_loop()
    waits: list[int] = []

    def caught(number: int, _: FrameType | None) -> None:
        if not waits:
            waits.append(number)
            last_acts = (put_away, partial(_give_back, app))
            # Not a `threading.Thread`: its start takes a lock, which this may have interrupted.
            _thread.start_new_thread(_end, (number, last_acts))
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(partial(app.exit, return_code=128 + number))

    for number in EXIT_SIGNALS:
        try:
            handle_on(loop, number, lambda: None)
        except (NotImplementedError, RuntimeError, ValueError):
            return  # not the main thread, or a platform without signals
        # The signal itself wakes the loop, whose own handler does nothing. This one in its place
        # goes with the loop too, and is called also where that waits for a lock: it interrupts.
        signal.signal(number, caught)


def handle_on(loop: asyncio.AbstractEventLoop, number: int, callback: Callable[[], object]) -> None:
    """Have the loop call this after a signal; once after many that come in a row.

    What wakes the loop takes a few hundred bytes, then it is full until the loop comes to read it:
    of as many signals, while a window is drawn larger, or of as many keys. What asyncio would know
    a further signal by is lost then, and Python would report that by a call that takes a lock amid
    the signal, for good if it is held just then. So the loop is told by a handler of Python's,
    which is called in any case.
    """
    waits: list[int] = []

    def run() -> None:
        waits.clear()
        callback()

    def signalled(*_: object) -> None:
        if not waits:
            waits.append(number)
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(run)

    loop.add_signal_handler(number, lambda: None)  # wakes the loop, and goes with it
    signal.set_wakeup_fd(signal.set_wakeup_fd(-1), warn_on_full_buffer=False)
    signal.signal(number, signalled)


def _end(number: int, last_acts: Iterable[Callable[[], object]]) -> None:
    """End the process, unless it ends by itself before; its daemon threads end with it."""
    time.sleep(PATIENCE)
    threads = [threading.Thread(target=act, daemon=True) for act in last_acts]
    for thread in threads:
        thread.start()
    end = time.monotonic() + LAST_PATIENCE
    for thread in threads:
        thread.join(max(0.0, end - time.monotonic()))
    os._exit(128 + number)


def _give_back(app: App[Any]) -> None:
    driver = app._driver
    if driver is not None:
        driver.write(_MOUSE_OFF)  # what comes next leaves it on outside the main thread
        driver.stop_application_mode()
        driver.close()


class OrderlyExit(ThemedApp):
    """Exits in order, whatever is running.

    After App.exit, Textual 8.2.8 still delivers earlier messages, but mounts no widget and removes
    those that are there. Handling a key typed after the one that quits, or background work that
    ends just then, would look like a crash and exit with its status.
    """

    is_leaving = False
    last_words: Callable[[], str]  # what is printed after a crash, instead of a traceback

    def exit(self, *arguments: Any, **options: Any) -> None:
        """End; keys, pastes and clicks that come after are for nothing any more."""
        self.is_leaving = True
        super().exit(*arguments, **options)

    def _handle_exception(self, error: Exception) -> None:
        """Go on leaving where it is only that there are no widgets any more."""
        cause = error.error if isinstance(error, WorkerFailed) else error
        if self.is_leaving and isinstance(cause, _TOO_LATE):
            self._close_messages_no_wait()
        else:
            super()._handle_exception(error)

    def _fatal_error(self) -> None:
        """End with the last words."""
        self._exit_renderables.append(self.last_words())
        self._close_messages_no_wait()
