"""In a browser: textual-serve runs the workbench, passes keys to it and shows what it draws.

Textual 8.2.8 goes on without a screen when the server is gone, and takes the signals of the
workbench for its own. Its parser of keys is the one that ends a paste at an escape.
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
    """Draws in a browser by way of a server, whose loss is a hangup."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._to_server = self._write
        self._write = partial(self._write_or_hang_up)

    def start_application_mode(self) -> None:
        """Begin to draw, and leave signals to those who have taken them."""
        taken = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        web_driver.XTermParser = WholePastes  # type: ignore[attr-defined]
        web_driver.getincrementaldecoder = lenient_decoder  # type: ignore[attr-defined, assignment]
        super().start_application_mode()
        for number, handler in taken.items():
            if callable(handler):
                handle_on(self._loop, number, lambda: None)
                signal.signal(number, handler)

    def run_input_thread(self) -> None:
        """Pass on what comes from the browser, up to the end."""
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
        """Have the program leave as on a hangup, if its loop still runs."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(os.kill, os.getpid(), signal.SIGHUP)
