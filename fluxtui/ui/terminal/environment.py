"""Checks of the environment, before the user interface is imported."""

import os
import sys
from collections.abc import Mapping

from fluxtui.notation.problem import Problem

#: The values that ``TEXTUAL_COLOR_SYSTEM`` may have.
COLOR_SYSTEMS = ("auto", "standard", "256", "truecolor", "windows")

# The driver of a terminal, as ``TEXTUAL_DRIVER`` may name it.
_TERMINAL = "textual.drivers.linux_driver:LinuxDriver"


def wrong_environment(environ: Mapping[str, str]) -> Problem | None:
    """Return why the interface cannot start with these environment variables; None if it can.

    The variables are Textual's, which is imported here only if a driver is named.
    """
    colors = environ.get("TEXTUAL_COLOR_SYSTEM", "auto")
    if colors not in COLOR_SYSTEMS:
        return _wrong("TEXTUAL_COLOR_SYSTEM", colors, "is not a color system", *COLOR_SYSTEMS)
    log = environ.get("TEXTUAL_LOG")
    if log:
        try:
            os.close(os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600))
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error)
            return _wrong("TEXTUAL_LOG", log, f"cannot be written: {why.lower()}", "a file")
    driver = environ.get("TEXTUAL_DRIVER")
    if driver is not None and not _is_driver(driver):
        return _wrong("TEXTUAL_DRIVER", driver, "is not a Textual driver", "MODULE:CLASS")
    return None


def no_terminal(environ: Mapping[str, str], *, piped: bool) -> Problem | None:
    """Return why there is no terminal for drawing and reading keys; None if there is one.

    A driver named in the environment, such as that for a browser, needs no terminal. piped is
    whether a document is read from standard input.
    """
    if environ.get("TEXTUAL_DRIVER") not in (None, _TERMINAL):
        if piped:
            message = (
                "-r - reads an R document from standard input, where the driver reads its keys"
            )
            return Problem(message, expected=("fluxtui -r FILE",))
        return None
    if not sys.stderr.isatty():  # Textual draws on standard error
        return Problem(
            "the workbench draws on standard error, which is not a terminal",
            expected=("no redirection; or a verb, such as fluxtui match -r demo gpu",),
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
    return Problem(f"{name} is '{value}', which {why}", expected=(*expected, "no value at all"))


def _is_driver(name: str) -> bool:
    """Return whether ``MODULE:CLASS`` is a driver that Textual can load."""
    from importlib import import_module

    module, _, symbol = name.partition(":")
    try:
        from textual.driver import Driver

        driver = getattr(import_module(module), symbol)
    except Exception:  # importing the module may raise anything
        return False
    return isinstance(driver, type) and issubclass(driver, Driver)
