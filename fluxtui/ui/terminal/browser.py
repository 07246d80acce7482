"""The driver for a browser: textual-serve runs the workbench and relays its keys and output.

The driver of Textual 8.2.8 keeps running when the server is gone, and replaces the workbench's
signal handlers. Its key parser ends a paste at an escape character.
"""

import contextlib
import os
import signal
from functools import partial
from typing import Any

from textual.drivers import web_driver
from textual.drivers.web_driver import WebDriver

from fluxtui.ui.terminal.signals import handle_on
from fluxtui.ui.terminal.whole_pastes import WholePastes, lenient_decoder


class BrowserDriver(WebDriver):
    """Draws in a browser through a server, whose loss is handled like a hangup."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._to_server = self._write
        self._write = partial(self._write_or_hang_up)

    def start_application_mode(self) -> None:
        """Start drawing, and restore the signal handlers that Textual replaces."""
        handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        web_driver.XTermParser = WholePastes  # type: ignore[attr-defined]
        web_driver.getincrementaldecoder = lenient_decoder  # type: ignore[attr-defined, assignment]
        super().start_application_mode()
        for number, handler in handlers.items():
            if callable(handler):
                handle_on(self._loop, number, lambda: None)
                signal.signal(number, handler)

    def run_input_thread(self) -> None:
        """Read input from the browser until the end; if the server closed it, hang up."""
        super().run_input_thread()
        if not self.exit_event.is_set():
            self._hang_up()

    def _write_or_hang_up(self, data: bytes) -> int:
        try:
            return self._to_server(data)
        except OSError:
            self._hang_up()
            return len(data)

    def _hang_up(self) -> None:
        """Make the program exit as on a hangup, if its loop is still running."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(os.kill, os.getpid(), signal.SIGHUP)
