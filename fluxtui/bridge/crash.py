"""When the program itself fails: the details go to a file, a person gets a sentence."""

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
    """Write the exception being handled to a log, and give the sentence for the person.

    shape and requires are what was typed; they come back in the sentence, so nothing is lost. kept
    says that there is a draft of the whole job.
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
    """The same where nothing was typed but the command itself."""
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
            # A file of its own each time: a known name in a shared folder could be somebody's link.
            handle, path = tempfile.mkstemp(".log", "fluxtui-crash-", folder)
            with open(handle, "w", encoding="utf-8", errors="backslashreplace") as log:
                os.fchmod(handle, 0o600)  # whatever the umask
                log.write(f"{datetime.now().isoformat()}\n{details}\n")
        except OSError:
            if path:  # half of it
                with contextlib.suppress(OSError):
                    os.unlink(path)
            continue
        return Path(path)
    return None
