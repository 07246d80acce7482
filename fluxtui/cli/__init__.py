"""The command line: open the workbench, or answer a verb without it.

Exit codes: 0 fine, 1 the answer is no or an input is bad, 2 wrong usage; ``compare`` has those of
diff. Imports are deferred until the verb is known, so that a headless verb takes little longer than
starting Python.
"""

import contextlib
import errno
import io
import os
import sys

# The exit codes that a shell reports for a command ended by SIGINT or SIGPIPE.
_INTERRUPTED, _PIPE_CLOSED = 130, 141

# Errors of writing to standard output.
_UNWRITTEN = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EBADF)


def main() -> None:
    """Run the ``fluxtui`` command, and end the process."""
    sys.exit(run(sys.argv[1:]))


def flux_tui() -> None:
    """Run the ``flux tui`` command: like ``fluxtui``, but by default it opens the local Flux."""
    sys.exit(run(sys.argv[1:] or ["--live"]))


def run(arguments: list[str]) -> int:
    """Run a command line, and return the exit code. Never raises."""
    try:
        _open_streams()
        # Names from documents may not be encodable, or be no characters at all.
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="backslashreplace")
        code = _exit_code(arguments)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        _silence()
        return _PIPE_CLOSED
    except KeyboardInterrupt as stop:
        return _interrupted(*stop.args)
    except Exception as error:
        code = _failed(error)
        return 2 if arguments[:1] == ["compare"] else code  # 1 would mean a difference


class _Closed(io.TextIOBase):
    """Replaces a closed standard output: writing raises, since the answer would be lost.

    Flushing after a write raises too, because argparse ignores errors of writing.
    """

    def __init__(self) -> None:
        self.kept = open(os.devnull, "w")  # noqa: SIM115  # occupies descriptor 1
        self.is_lost = False

    def write(self, text: str) -> int:
        """Raise OSError."""
        self.is_lost = True
        raise OSError(errno.EBADF, "standard output is closed")

    def flush(self) -> None:
        """Raise OSError if something was written."""
        if self.is_lost:
            self.write("")


def _open_streams() -> None:
    """Replace standard streams that were closed by the parent process."""
    if sys.stdin is None:
        sys.stdin = open(os.devnull)  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = _Closed()
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115


def _interrupted(*words: str) -> int:
    """Report what was interrupted, if that is known, and return the exit code."""
    if words:
        from fluxtui.notation.problem import printable

        with contextlib.suppress(OSError):  # standard error is closed
            print(f"fluxtui: interrupted: {printable(words[0])}", file=sys.stderr)
    return _INTERRUPTED


def _failed(error: Exception) -> int:
    """Report why there is no answer, without a traceback, and return the exit code."""
    if isinstance(error, OSError) and error.errno in _UNWRITTEN:
        _silence()
        message = f"fluxtui: cannot write the answer: {(error.strerror or 'error').lower()}"
    elif isinstance(error, MemoryError):
        message = "fluxtui: there is not enough memory for this"
    else:
        from fluxtui.bridge import crash

        message = crash.headless()
    with contextlib.suppress(OSError):  # standard error is closed
        print(message, file=sys.stderr)
    return 1


def _exit_code(arguments: list[str]) -> int:
    """Run a command line, and return the exit code, also if argparse exits."""
    try:
        return _dispatch(arguments)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 2


def _dispatch(arguments: list[str]) -> int:
    if arguments == ["--version"]:
        from fluxtui import __version__

        print(f"fluxtui {__version__}")
        return 0
    from fluxtui.cli import verbs

    if arguments and arguments[0] in verbs.NAMES:
        return verbs.module_of(arguments[0]).run(arguments[1:])
    return verbs.module_of("root").run(arguments)


def _silence() -> None:
    """Keep the interpreter from reporting a closed standard output at exit."""
    if isinstance(sys.stdout, _Closed):
        sys.stdout = sys.stdout.kept
    else:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
