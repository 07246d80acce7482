"""A text in the person's own editor, the one that $VISUAL or $EDITOR names."""

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from fluxtui.notation.problem import Parsed, Problem

USUAL = "vi"  # where no editor is named


def command() -> list[str]:
    """The editor, with its options."""
    named = os.environ.get("VISUAL") or os.environ.get("EDITOR") or USUAL
    try:
        return shlex.split(named) or [USUAL]
    except ValueError:
        return [named]


def edit(text: str, suffix: str) -> Parsed[str]:
    """The text as it is when the editor ends, and what was wrong; with an error, as it was.

    suffix is the end of the name of the file that is edited, which only this person can read. Where
    what was written there is no text, that file stays. To be called while nothing else uses the
    terminal.
    """
    editor = command()
    handle, name = tempfile.mkstemp(suffix, "fluxtui-")
    file = Path(name)
    with os.fdopen(handle, "w", encoding="utf-8", newline="") as out:
        out.write(text)
    message = ""
    try:
        status = subprocess.run([*editor, name], check=False).returncode
        if status:
            message = f"{editor[0]} ended with status {status}; the text is as it was"
        else:
            text = file.read_bytes().decode("utf-8")
    except OSError as error:
        message = f"{editor[0]} cannot be started: {error.strerror or error}"
    except UnicodeDecodeError:
        return Parsed(text, (Problem(f"what was written is not UTF-8; it is in {name}", None),))
    file.unlink(missing_ok=True)
    return Parsed(text, (Problem(message, None),) if message else ())
