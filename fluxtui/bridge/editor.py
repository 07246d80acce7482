"""A text in the person's own editor, the one that $VISUAL or $EDITOR names."""

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from fluxtui.bridge import files
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
    is_kept = False
    try:
        # A folder of its own, as an editor may put copies of the text beside it.
        folder = tempfile.mkdtemp(prefix="fluxtui-")
    except OSError as error:
        return _unwritten(text, error)
    file = Path(folder, f"job{suffix}")
    try:
        with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
            out.write(text.encode("utf-8"))
        message = _run(command(), file)
        if message:
            return Parsed(text, (Problem(message),))
        return Parsed(file.read_bytes().decode("utf-8"))
    except UnicodeDecodeError:
        is_kept = True
        return Parsed(text, (Problem(f"what was written is not UTF-8; it is in {file}"),))
    except (OSError, UnicodeEncodeError) as error:
        return _unwritten(text, error)
    finally:
        if not is_kept:
            shutil.rmtree(folder, ignore_errors=True)


def _run(editor: list[str], file: Path) -> str:
    """Edit a file; what went wrong, or nothing."""
    try:
        with _signals_of_keys_left():
            status = subprocess.run([*editor, str(file)], check=False).returncode
    except (OSError, ValueError) as error:
        return f"{editor[0]} cannot be started: {getattr(error, 'strerror', None) or error}"
    return f"{editor[0]} ended with status {status}; the text is as it was" if status else ""


@contextlib.contextmanager
def _signals_of_keys_left() -> Iterator[None]:
    """Leave to the editor what a terminal makes of ctrl+c, ctrl+\\ and ctrl+z, which all get.

    The first two end only what the editor ends for them. At the third this stops too, as the shell
    takes the terminal again only from all of them.
    """
    before = {}
    try:
        # Not ignored, which would be handed on to the editor.
        for number in (signal.SIGINT, signal.SIGQUIT):
            before[number] = signal.signal(number, lambda *_: None)
        before[signal.SIGTSTP] = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
    except ValueError:  # not in the main thread
        pass
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


def _unwritten(text: str, error: Exception) -> Parsed[str]:
    why = files.reason(error) if isinstance(error, OSError) else "it is not UTF-8"
    return Parsed(text, (Problem(f"the text cannot be passed to an editor: {why}"),))
