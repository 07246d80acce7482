"""The desktop's clipboard, for the case that the terminal's own (OSC 52) does not reach it."""

import os
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def is_elsewhere() -> bool:
    """The person is over SSH or in a browser: the desktop of this machine is not theirs."""
    over_ssh = any(os.environ.get(name) for name in ("SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"))
    return over_ssh or "web_driver" in os.environ.get("TEXTUAL_DRIVER", "")


def copy_to_desktop(text: str, timeout: float = 1.0) -> bool:
    """Put a text on the desktop's clipboard; whether that worked within timeout seconds.

    The helper programs behind it may hang (wl-copy without a compositor does), so the copy runs in
    a thread that nobody waits for longer than that. Not to be called on the event loop.
    """
    if is_elsewhere():
        return False

    def copy() -> bool:
        import pyperclip

        pyperclip.copy(text)
        return True

    return bool(_within(timeout, copy))


def paste_from_desktop(timeout: float = 1.0) -> str:
    """What is on the desktop's clipboard; empty where that is not known within timeout seconds.

    Not to be called on the event loop.
    """
    if is_elsewhere():
        return ""

    def paste() -> str:
        import pyperclip

        text = pyperclip.paste()
        return text if isinstance(text, str) else ""

    return _within(timeout, paste) or ""


def _within(timeout: float, work: Callable[[], T]) -> T | None:
    """The result of work in a thread that nobody waits for longer than that; None without one."""
    found: list[T] = []

    def run() -> None:
        try:
            found.append(work())
        except Exception:  # no clipboard, a broken helper: the answer is the same
            return

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(timeout)
    return found[0] if found else None
