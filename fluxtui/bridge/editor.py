"""Editing a text in the user's own editor, which $VISUAL or $EDITOR names."""

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

DEFAULT = "vi"  # if no editor is named


def command() -> list[str]:
    """The command of the editor, with its options."""
    named = os.environ.get("VISUAL") or os.environ.get("EDITOR") or DEFAULT
    try:
        return shlex.split(named) or [DEFAULT]
    except ValueError:
        return [named]


def edit(text: str, suffix: str) -> Parsed[str]:
    """Edit a text, and return the new text, or the original with a problem.

    suffix is the end of the name of the temporary file, which only this user can read. If the
    editor writes something that is not UTF-8, the file is kept. Call this only while nothing else
    uses the terminal.
    """
    is_kept = False
    try:
        # A private folder, since an editor may put copies of the text next to it.
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
    """Edit a file; return what went wrong, empty if nothing did."""
    try:
        with _key_signals_for_editor():
            status = subprocess.run([*editor, str(file)], check=False).returncode
    except (OSError, ValueError) as error:
        return f"{editor[0]} cannot be started: {getattr(error, 'strerror', None) or error}"
    return f"{editor[0]} ended with status {status}; the text is unchanged" if status else ""


@contextlib.contextmanager
def _key_signals_for_editor() -> Iterator[None]:
    """Leave the signals of ctrl+c, ctrl+\\ and ctrl+z, which the whole group gets, to the editor.

    The first two have no effect here. The third stops this program too, because the shell takes the
    terminal back only when the whole process group has stopped.
    """
    before = {}
    try:
        # A handler that does nothing: the editor would inherit an ignored signal.
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
