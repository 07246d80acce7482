"""Leaving in order when the system asks for it."""

import asyncio
import signal
from functools import partial
from typing import Any

from textual.app import App

EXIT_SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


def leave_on_signals(app: App[Any]) -> None:
    """Have the app end as on quit, with the terminal in order, when a signal ends the program.

    To be called on the event loop. Where no signal can be caught, nothing happens.
    """
    loop = asyncio.get_running_loop()
    for number in EXIT_SIGNALS:
        try:
            loop.add_signal_handler(number, partial(app.exit, return_code=128 + number))
        except (NotImplementedError, RuntimeError, ValueError):
            return  # not the main thread, or a platform without signals
