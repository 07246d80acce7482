"""The terminal driver: exits in order when the terminal is lost, and keeps pastes whole.

Textual 8.2.8 hangs when the terminal goes away: its writer thread ends at the failed write, later
drawing blocks on a queue that nothing empties, and its reader spins. On any SIGCONT, which a hangup
also sends, it initializes the terminal again, with a second writer and reader, and saves its own
terminal settings as those to restore. Its reader wakes up ten times a second to check for the end.
"""

import contextlib
import io
import os
import select
import signal
import threading
from collections.abc import Callable
from functools import partial
from typing import IO, Any

from textual.constants import ESCAPE_DELAY
from textual.driver import Driver
from textual.drivers import linux_driver
from textual.drivers._writer_thread import WriterThread
from textual.drivers.linux_driver import LinuxDriver

from fluxtui.ui.terminal.signals import handle_on
from fluxtui.ui.terminal.whole_pastes import WholePastes, lenient_decoder

# Milliseconds after which an escape character that nothing follows is the escape key.
_ESCAPE = int(ESCAPE_DELAY * 1000) + 1

#: The module of the driver that textual-serve names in the environment.
WEB_DRIVER = "textual.drivers.web_driver"


class LastingWriter(WriterThread):
    """A writer that discards output once the terminal is lost, so that drawing never blocks.

    lost is called once, in this thread, when that happens.
    """

    def __init__(self, file: IO[str], lost: Callable[[], object]) -> None:
        super().__init__(file)
        self._lost = lost

    def run(self) -> None:
        """Write output until the end; after a failure, discard it."""
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
        with contextlib.suppress(OSError):  # the program is ending already
            self._file.flush()


class TerminalDriver(LinuxDriver):
    """Draws on the terminal and reads its keys; any loss of it is handled like a hangup."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        if isinstance(self._file, io.TextIOWrapper):
            # Keys are read as UTF-8 too; in another encoding, nothing drawn could be read.
            self._file.reconfigure(encoding="utf-8")
        # On the loop: a handler that interrupts a write would wait for the end of that write.
        handle_on(self._loop, signal.SIGTSTP, self._sigtstp_application)
        handle_on(self._loop, signal.SIGCONT, self._sigcont_application)
        threading.Thread(target=self._await_loss, name="hangup", daemon=True).start()
        self._wake_read, self._wake_write = os.pipe()  # a byte in it ends the reader
        os.set_blocking(self._wake_read, False)

    def start_application_mode(self) -> None:
        """Take over the terminal."""
        writer = partial(LastingWriter, lost=self._hang_up)
        # Textual has no other way to set it.
        linux_driver.WriterThread = writer  # type: ignore[attr-defined, assignment]
        with contextlib.suppress(BlockingIOError):  # drop the byte of an earlier end
            os.read(self._wake_read, 64)
        super().start_application_mode()  # type: ignore[no-untyped-call]
        # On the loop too: in a burst, each handler would interrupt the one before, ever deeper.
        resized = signal.getsignal(signal.SIGWINCH)
        if callable(resized):
            handle_on(self._loop, signal.SIGWINCH, partial(resized, signal.SIGWINCH, None))

    def _run_input_thread(self) -> None:
        """Read keys until the end; an exception in this thread ends the program like any other."""
        try:
            self.run_input_thread()
        except OSError:  # the terminal is gone
            self._hang_up()
        except Exception as fault:
            error = fault

            def fail() -> None:
                try:
                    raise error
                except Exception:  # so that the traceback is handled like others
                    self._app._handle_exception(error)

            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(fail)

    def run_input_thread(self) -> None:
        """Read keys until the end, sleeping while none arrive."""
        parser, decode = WholePastes(self._debug), lenient_decoder("utf-8")().decode
        poll = select.poll()
        for descriptor in (self.fileno, self._wake_read):
            poll.register(descriptor, select.POLLIN)
        while True:
            ready = dict(poll.poll(_ESCAPE if parser.waits else None))
            if self._wake_read in ready:
                return
            if self.fileno in ready:
                data = os.read(self.fileno, 4096)
                if not data and ready[self.fileno] & (select.POLLHUP | select.POLLERR):
                    return  # the terminal is gone; the hangup thread acts on that
                text = decode(data)
                for event in parser.feed(text) if text else ():  # empty for half a character
                    self.process_message(event)
            for event in parser.tick():
                self.process_message(event)

    def disable_input(self) -> None:
        """End the reader."""
        os.write(self._wake_write, b".")
        super().disable_input()

    def _sigcont_application(self, *_: object) -> None:
        """Take over the terminal again if it was released, and redraw."""
        if self._must_signal_resume:
            super()._sigcont_application()
        self._app.refresh()

    def _await_loss(self) -> None:
        """Wait until the terminal is gone, because not every parent process passes a hangup on."""
        poll = select.poll()
        poll.register(self.fileno, 0)  # a loss is reported in any case
        if any(event & (select.POLLHUP | select.POLLERR) for _, event in poll.poll()):
            self._hang_up()

    def _hang_up(self) -> None:
        """Make the program exit as on a hangup, if its loop is still running."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(os.kill, os.getpid(), signal.SIGHUP)


def driver_for(chosen: type[Driver]) -> type[Driver]:
    """Return the driver to use in place of the one that Textual has chosen.

    The drivers for a terminal and for a browser exit in order when the other end is gone.
    """
    if chosen is LinuxDriver:
        return TerminalDriver
    if chosen.__module__ == WEB_DRIVER:
        from fluxtui.ui.terminal.browser import BrowserDriver

        return BrowserDriver
    return chosen
