"""Leaving in order when the system asks for it or the terminal goes away; leaving at all events.

Textual 8.2.8 waits for good when the terminal goes away. Its writer ends where a write fails, and
what is drawn after that waits for room in a queue that nobody empties; its reader reads nothing,
over and over. Besides, it takes the terminal a second time on any SIGCONT, which comes with a
hangup too: with a writer and a reader beside those that run, and with the settings that it set
itself as those to put back.
"""

import _thread
import asyncio
import contextlib
import os
import select
import signal
import threading
import time
from collections.abc import Callable, Iterable
from functools import partial
from types import FrameType
from typing import IO, Any

from textual import events
from textual.app import App, ScreenStackError
from textual.css.query import NoMatches
from textual.driver import Driver
from textual.drivers import linux_driver
from textual.drivers._writer_thread import WriterThread
from textual.drivers.linux_driver import LinuxDriver
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

#: The module of the driver that textual-serve names in the environment.
WEB_DRIVER = "textual.drivers.web_driver"

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
    """Have the loop call this on a signal.

    What wakes the loop takes a few hundred signals, then it is full until the loop comes to read
    it: as many resizes come while a window is drawn larger. Python would report each further one by
    a call that takes a lock amid the signal, for good if it is held just then. Nothing is lost by
    silence: the loop is awake.
    """
    loop.add_signal_handler(number, callback)
    signal.set_wakeup_fd(signal.set_wakeup_fd(-1), warn_on_full_buffer=False)


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
    """Put the terminal in order beside the event loop."""
    driver = app._driver
    if driver is not None:
        driver.write(_MOUSE_OFF)  # what comes next leaves it on outside the main thread
        driver.stop_application_mode()
        driver.close()


class LastingWriter(WriterThread):
    """Goes on taking what is drawn when the terminal takes no more, so that nothing waits for it.

    lost is called then, once, in this thread.
    """

    def __init__(self, file: IO[str], lost: Callable[[], object]) -> None:
        super().__init__(file)
        self._lost = lost

    def run(self) -> None:
        """Write what comes, up to the end; after a failure take it and drop it."""
        try:
            self._write_all()
        except OSError:
            self._lost()
            while self._queue.get() is not None:
                pass

    def _write_all(self) -> None:
        while (text := self._queue.get()) is not None:
            self._file.write(text)
            if self._queue.empty():
                self._file.flush()
        with contextlib.suppress(OSError):  # the end has come already
            self._file.flush()


class TerminalDriver(LinuxDriver):
    """Draws on the terminal and reads its keys; its loss is a hangup, however it is noticed."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        # On the loop: amid a write, what these do would wait for the end of that write.
        handle_on(self._loop, signal.SIGTSTP, self._sigtstp_application)
        handle_on(self._loop, signal.SIGCONT, self._sigcont_application)
        threading.Thread(target=self._await_loss, name="hangup", daemon=True).start()

    def start_application_mode(self) -> None:
        """Take the terminal."""
        writer = partial(LastingWriter, lost=self._hang_up)
        # Textual has no other place to set it.
        linux_driver.WriterThread = writer  # type: ignore[attr-defined, assignment]
        super().start_application_mode()  # type: ignore[no-untyped-call]
        # On the loop too: each of many in a row would interrupt the one before, ever deeper.
        resized = signal.getsignal(signal.SIGWINCH)
        if callable(resized):
            handle_on(self._loop, signal.SIGWINCH, partial(resized, signal.SIGWINCH, None))

    def _sigcont_application(self, *_: object) -> None:
        """Take the terminal again, if it was given back; draw again."""
        if self._must_signal_resume:
            super()._sigcont_application()
        self._app.refresh()

    def _await_loss(self) -> None:
        """Wait until the terminal is gone: not every parent passes a hangup on."""
        poll = select.poll()
        poll.register(self.fileno, 0)  # a loss is reported in any case
        if any(event & (select.POLLHUP | select.POLLERR) for _, event in poll.poll()):
            self._hang_up()

    def _hang_up(self) -> None:
        """Have the program leave as on a hangup, if its loop still runs."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(os.kill, os.getpid(), signal.SIGHUP)


def lasting(chosen: type[Driver]) -> type[Driver]:
    """The driver to use in place of the one that Textual has chosen.

    That of a terminal or of a browser ends the program in order when its other end is gone.
    """
    if chosen is LinuxDriver:
        return TerminalDriver
    if chosen.__module__ == WEB_DRIVER:
        from fluxtui.ui.terminal.browser import BrowserDriver

        return BrowserDriver
    return chosen


class OrderlyExit(ThemedApp):
    """Leaves in order, whatever else is under way.

    From App.exit on Textual 8.2.8 goes on to deliver what was sent before, but refuses any widget
    that is to be mounted, and takes those away that are there. What then goes on, as for a key
    typed behind the one that quits, or behind work beside the event loop that comes to its end
    just then, it takes for a fault, and ends with the status of one.
    """

    async def on_event(self, event: events.Event) -> None:
        """Drop what is typed, pasted or clicked behind the end."""
        if self._exit and isinstance(event, events.InputEvent | events.Paste):
            return
        await super().on_event(event)

    def _handle_exception(self, error: Exception) -> None:
        """Go on leaving where it is only that there are no widgets any more."""
        cause = error.error if isinstance(error, WorkerFailed) else error
        if self._exit and isinstance(cause, _TOO_LATE):
            self._close_messages_no_wait()
        else:
            super()._handle_exception(error)
