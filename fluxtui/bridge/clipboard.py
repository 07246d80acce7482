"""The desktop's clipboard, for the case that the terminal's own (OSC 52) does not reach it."""

import os
import threading


def over_ssh() -> bool:
    """This session came over SSH: the desktop of this machine is not the person's."""
    return any(os.environ.get(name) for name in ("SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"))


def copy_to_desktop(text: str, timeout: float = 1.0) -> bool:
    """Put a text on the desktop's clipboard; whether that worked within timeout seconds.

    The helper programs behind it may hang (wl-copy without a compositor does), so the copy runs in
    a thread that nobody waits for longer than that. Not to be called on the event loop.
    """
    if over_ssh():
        return False
    done: list[bool] = []

    def copy() -> None:
        try:
            import pyperclip

            pyperclip.copy(text)
        except Exception:  # no clipboard, a broken helper: the answer is the same
            return
        done.append(True)

    thread = threading.Thread(target=copy, daemon=True)
    thread.start()
    thread.join(timeout)
    return bool(done)
