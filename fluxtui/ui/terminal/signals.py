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

#: The signals that end a process by default, except those for faults of the program itself: each
#: would leave the terminal in application mode.
EXIT_SIGNALS = (
    *(signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGABRT),
    *(signal.SIGALRM, signal.SIGVTALRM, signal.SIGPROF, signal.SIGXCPU),
    *(signal.SIGUSR1, signal.SIGUSR2, signal.SIGIO),
    *(getattr(signal, name) for name in ("SIGPWR", "SIGSTKFLT") if hasattr(signal, name)),
)

#: Seconds after such a signal until a program that has not exited in order is ended.
PATIENCE = 5.0

#: Seconds to wait for the files written then; a file system may hang.
LAST_PATIENCE = 3.0

_MOUSE_OFF = "\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l"

# Raised by Textual if a widget cannot be mounted or found, or no longer has a screen.
_TOO_LATE = (MountError, NoMatches, ScreenStackError)


def leave_on_signals(app: App[Any], put_away: Callable[[], object]) -> None:
    """Make the app exit as on quit, restoring the terminal, when a signal ends the program.

    If it does not exit in time, because the terminal accepts no output or a thread never ends, the
    process is ended anyway: put_away is called in another thread to save what must not be lost, and
    the terminal is restored if possible. Call this on the event loop. If signals cannot be caught
    here, it does nothing.
    """
    loop = asyncio.get_running_loop()
    pending: list[int] = []

    def caught(number: int, _: FrameType | None) -> None:
        if not pending:
            pending.append(number)
            last_acts = (put_away, partial(_restore_terminal, app))
            # Not a `threading.Thread`, whose start takes a lock that may be held right now.
            _thread.start_new_thread(_end, (number, last_acts))
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(partial(app.exit, return_code=128 + number))

    for number in EXIT_SIGNALS:
        try:
            handle_on(loop, number, lambda: None)
        except (NotImplementedError, RuntimeError, ValueError):
            return  # not the main thread, or a platform without signals
        # The loop's own handler does nothing but wake it, and is removed with the loop. This one
        # takes its place, and so is removed too. It runs even if the loop is blocked on a lock.
        signal.signal(number, caught)


def handle_on(loop: asyncio.AbstractEventLoop, number: int, callback: Callable[[], object]) -> None:
    """Make the loop call a function after a signal, once for several signals in a row.

    asyncio's own handlers depend on a byte in the wakeup socket, which holds a few hundred bytes
    and fills up if as many signals (from resizing a window) or keys arrive before the loop reads
    it. Further signals are then lost, and Python's warning about it takes a lock inside the signal
    handler, which deadlocks if the lock is held at that moment. So a Python-level handler, which is
    always called, notifies the loop.
    """
    pending: list[int] = []

    def run() -> None:
        pending.clear()
        callback()

    def signalled(*_: object) -> None:
        if not pending:
            pending.append(number)
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(run)

    loop.add_signal_handler(number, lambda: None)  # wakes the loop, and is removed with it
    signal.set_wakeup_fd(signal.set_wakeup_fd(-1), warn_on_full_buffer=False)
    signal.signal(number, signalled)


def _end(number: int, last_acts: Iterable[Callable[[], object]]) -> None:
    """End the process after PATIENCE and the last acts, unless it ends by itself before."""
    time.sleep(PATIENCE)
    threads = [threading.Thread(target=act, daemon=True) for act in last_acts]
    for thread in threads:
        thread.start()
    end = time.monotonic() + LAST_PATIENCE
    for thread in threads:
        thread.join(max(0.0, end - time.monotonic()))
    os._exit(128 + number)


def _restore_terminal(app: App[Any]) -> None:
    driver = app._driver
    if driver is not None:
        driver.write(_MOUSE_OFF)  # outside the main thread, the driver does not turn it off
        driver.stop_application_mode()
        driver.close()


class OrderlyExit(ThemedApp):
    """An app that exits in order, whatever is running.

    After App.exit, Textual 8.2.8 still delivers earlier messages, but mounts no widgets and removes
    the existing ones. Handling a key typed after the one that quits, or background work that ends
    just then, would raise, and look like a crash with its exit status.
    """

    is_leaving = False
    last_words: Callable[[], str]  # returns the text printed after a crash instead of a traceback

    def exit(self, *arguments: Any, **options: Any) -> None:
        """Exit, and ignore further keys, pastes and clicks."""
        self.is_leaving = True
        super().exit(*arguments, **options)

    def _handle_exception(self, error: Exception) -> None:
        """While exiting, ignore errors that only mean that widgets are gone."""
        cause = error.error if isinstance(error, WorkerFailed) else error
        if self.is_leaving and isinstance(cause, _TOO_LATE):
            self._close_messages_no_wait()
        else:
            super()._handle_exception(error)

    def _fatal_error(self) -> None:
        """Exit with the last words."""
        self._exit_renderables.append(self.last_words())
        self._close_messages_no_wait()
