"""What the environment says of the user interface, before any of that is loaded."""

import os
import sys
from collections.abc import Mapping

from fluxtui.notation.problem import Problem

#: What ``TEXTUAL_COLOR_SYSTEM`` may be.
COLOR_SYSTEMS = ("auto", "standard", "256", "truecolor", "windows")

# The driver of a terminal, as ``TEXTUAL_DRIVER`` may name it.
_TERMINAL = "textual.drivers.linux_driver:LinuxDriver"


def wrong_environment(environ: Mapping[str, str]) -> Problem | None:
    """Why the user interface could not start with these environment variables; None if it can.

    They are Textual's own, which is not loaded here but where a driver is named.
    """
    colors = environ.get("TEXTUAL_COLOR_SYSTEM", "auto")
    if colors not in COLOR_SYSTEMS:
        return _wrong("TEXTUAL_COLOR_SYSTEM", colors, "is no color system", *COLOR_SYSTEMS)
    log = environ.get("TEXTUAL_LOG")
    if log:
        try:
            os.close(os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600))
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error)
            return _wrong("TEXTUAL_LOG", log, f"cannot be written: {why.lower()}", "a file")
    driver = environ.get("TEXTUAL_DRIVER")
    if driver is not None and not _is_driver(driver):
        return _wrong("TEXTUAL_DRIVER", driver, "names no driver of Textual", "MODULE:CLASS")
    return None


def no_terminal(environ: Mapping[str, str], *, piped: bool) -> Problem | None:
    """Why the workbench has no terminal to draw on and to take keys from; None if it has one.

    A driver that the environment names, such as that of a browser, needs none. piped says that a
    document comes in on standard input.
    """
    if environ.get("TEXTUAL_DRIVER") not in (None, _TERMINAL):
        if piped:
            message = "-r - reads an R document from standard input, where the driver's keys come"
            return Problem(message, expected=("fluxtui -r FILE",))
        return None
    if not sys.stderr.isatty():  # Textual draws on standard error
        return Problem(
            "the workbench draws on standard error, which is not a terminal",
            expected=("no redirection of it; or a verb, such as fluxtui match -r demo gpu",),
        )
    if not sys.stdin.isatty() and not piped:
        return Problem(
            "standard input is not a terminal, so no key would arrive",
            expected=("-r - to read an R document from it",),
        )
    if piped and sys.stdin.isatty():
        return Problem(
            "-r - reads an R document from standard input, and nothing is piped in",
            expected=("flux resource R | fluxtui -r -", "fluxtui -r FILE"),
        )
    return None


def _wrong(name: str, value: str, why: str, *expected: str) -> Problem:
    return Problem(f"{name} is '{value}', which {why}", expected=(*expected, "no such variable"))


def _is_driver(name: str) -> bool:
    """Whether ``MODULE:CLASS`` is a driver that Textual could load."""
    from importlib import import_module

    module, _, symbol = name.partition(":")
    try:
        from textual.driver import Driver

        found = getattr(import_module(module), symbol)
    except Exception:  # whatever the module does when it is loaded
        return False
    return isinstance(found, type) and issubclass(found, Driver)
