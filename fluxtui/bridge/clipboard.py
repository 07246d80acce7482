"""The desktop's clipboard, for terminals whose own way to it (OSC 52) does not work."""

import os
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def is_elsewhere() -> bool:
    """Whether the user is connected by SSH or a browser: this machine's desktop is not theirs."""
    over_ssh = any(os.environ.get(name) for name in ("SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"))
    return over_ssh or "web_driver" in os.environ.get("TEXTUAL_DRIVER", "")


def copy_to_desktop(text: str, timeout: float = 1.0) -> bool:
    """Put a text on the desktop's clipboard; return whether that worked within timeout seconds.

    The programs behind it may hang (wl-copy without a compositor does), so the copy runs in a
    thread that is abandoned after the timeout. Not to be called on the event loop.
    """
    if is_elsewhere():
        return False

    def copy() -> bool:
        import pyperclip

        pyperclip.copy(text)
        return True

    return bool(_within(timeout, copy))


def paste_from_desktop(timeout: float = 1.0) -> str:
    """Return the text on the desktop's clipboard; empty if that fails or exceeds timeout seconds.

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
    """Return the result of work, done in a thread; None if it fails or exceeds timeout seconds."""
    found: list[T] = []

    def run() -> None:
        try:
            found.append(work())
        except Exception:  # no clipboard, or a broken program: there is no result either way
            return

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(timeout)
    return found[0] if found else None
