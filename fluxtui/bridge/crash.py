"""Crashes of the program: the traceback goes to a file, the user gets a message."""

import contextlib
import os
import tempfile
import traceback
from datetime import datetime
from pathlib import Path

from fluxtui.bridge import paths
from fluxtui.notation.problem import printable

_STOPPED = "fluxtui stopped because of a fault of its own."


def report(shape: str, requires: str, *, kept: bool = False) -> str:
    """Write the exception being handled to a log, and return the message for the user.

    shape and requires are what the user had typed; the message repeats them, so nothing is lost.
    kept is whether a draft of the whole job exists.
    """
    lines = [f"{_STOPPED} What you had typed:", ""]
    lines += [
        f"  shape     {printable(shape)}",
        f"  requires  {printable(requires)}",
        "",
        *(["fluxtui --restore brings all of it back."] if kept else []),
        _details(),
    ]
    return "\n".join(lines)


def headless() -> str:
    """Do the same for a command without the interface, in which nothing was typed."""
    return f"{_STOPPED}\n{_details()}"


def _details() -> str:
    path = _write(traceback.format_exc())
    return f"The details are in {path}." if path else "The details could not be written."


def _write(details: str) -> Path | None:
    own = paths.state_folder()
    for folder in (own, Path(tempfile.gettempdir())):
        path = ""
        try:
            if folder == own:
                paths.make_private(own)
            # A new file each time: in a shared folder a fixed name could be another user's link.
            handle, path = tempfile.mkstemp(".log", "fluxtui-crash-", folder)
            with open(handle, "w", encoding="utf-8", errors="backslashreplace") as log:
                os.fchmod(handle, 0o600)  # whatever the umask
                log.write(f"{datetime.now().isoformat()}\n{details}\n")
        except OSError:
            if path:  # an incomplete log
                with contextlib.suppress(OSError):
                    os.unlink(path)
            continue
        return Path(path)
    return None
