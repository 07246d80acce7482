"""The terminal that is drawn on: its loss ends the program in order, and a paste stays whole.

Textual 8.2.8 hangs when the terminal goes away: its writer ends at the failed write, later drawing
waits for a queue that nothing empties, and its reader spins. It also takes the terminal a second
time on any SIGCONT, which comes with a hangup too, with a second writer and reader, and remembers
its own settings as those to restore. Its reader wakes ten times a second to see whether it should
end.
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

# Milliseconds after which an escape that nothing follows is the key of that name.
_ESCAPE = int(ESCAPE_DELAY * 1000) + 1

#: The module of the driver that textual-serve names in the environment.
WEB_DRIVER = "textual.drivers.web_driver"


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
        if isinstance(self._file, io.TextIOWrapper):
            # Keys are read as UTF-8 too; in the codes of another locale nothing could be read.
            self._file.reconfigure(encoding="utf-8")
        # On the loop: amid a write, what these do would wait for the end of that write.
        handle_on(self._loop, signal.SIGTSTP, self._sigtstp_application)
        handle_on(self._loop, signal.SIGCONT, self._sigcont_application)
        threading.Thread(target=self._await_loss, name="hangup", daemon=True).start()
        self._woken, self._wakes = os.pipe()  # a byte in it ends the reader
        os.set_blocking(self._woken, False)

    def start_application_mode(self) -> None:
        """Take the terminal."""
        writer = partial(LastingWriter, lost=self._hang_up)
        # Textual has no other place to set it.
        linux_driver.WriterThread = writer  # type: ignore[attr-defined, assignment]
        with contextlib.suppress(BlockingIOError):  # of an end that no reader was there for
            os.read(self._woken, 64)
        super().start_application_mode()  # type: ignore[no-untyped-call]
        # On the loop too: each of many in a row would interrupt the one before, ever deeper.
        resized = signal.getsignal(signal.SIGWINCH)
        if callable(resized):
            handle_on(self._loop, signal.SIGWINCH, partial(resized, signal.SIGWINCH, None))

    def _run_input_thread(self) -> None:
        """Read keys up to the end; a fault of that is one of the program, and ends it as others."""
        try:
            self.run_input_thread()
        except OSError:  # the terminal is gone
            self._hang_up()
        except Exception as fault:
            error = fault

            def fail() -> None:
                try:
                    raise error
                except Exception:  # whose traceback goes where those of others do
                    self._app._handle_exception(error)

            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(fail)

    def run_input_thread(self) -> None:
        """Read keys up to the end; it sleeps for as long as none comes."""
        parser, decode = WholePastes(self._debug), lenient_decoder("utf-8")().decode
        poll = select.poll()
        for descriptor in (self.fileno, self._woken):
            poll.register(descriptor, select.POLLIN)
        while True:
            found = dict(poll.poll(_ESCAPE if parser.waits else None))
            if self._woken in found:
                return
            if self.fileno in found:
                data = os.read(self.fileno, 4096)
                if not data and found[self.fileno] & (select.POLLHUP | select.POLLERR):
                    return  # the terminal is gone, which another thread acts on
                text = decode(data)
                for event in parser.feed(text) if text else ():  # half a character is none
                    self.process_message(event)
            for event in parser.tick():
                self.process_message(event)

    def disable_input(self) -> None:
        """End the reader."""
        os.write(self._wakes, b".")
        super().disable_input()

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


def driver_for(chosen: type[Driver]) -> type[Driver]:
    """The driver to use in place of the one that Textual has chosen.

    That of a terminal or of a browser ends the program in order when its other end is gone.
    """
    if chosen is LinuxDriver:
        return TerminalDriver
    if chosen.__module__ == WEB_DRIVER:
        from fluxtui.ui.terminal.browser import BrowserDriver

        return BrowserDriver
    return chosen
