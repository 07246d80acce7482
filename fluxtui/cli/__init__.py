"""The command line: opens the workbench, or answers one verb without it.

Exit codes: 0 fine, 1 the answer is no or an input is bad, 2 wrong usage; ``compare`` has those of
diff. Nothing is imported before it is known what is asked, so that a headless verb costs little
more than Python itself.
"""

import contextlib
import errno
import io
import os
import sys

# What a shell reports for a command that ended by SIGINT or SIGPIPE.
_INTERRUPTED, _PIPE_CLOSED = 130, 141

# Why an answer may not arrive.
_UNWRITTEN = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EBADF)


def main() -> None:
    """The ``fluxtui`` command; ends the process."""
    sys.exit(run(sys.argv[1:]))


def flux_tui() -> None:
    """The ``flux tui`` command: that of ``fluxtui``, but alone it opens the Flux that runs here."""
    sys.exit(run(sys.argv[1:] or ["--live"]))


def run(arguments: list[str]) -> int:
    """Do what the arguments ask; returns the exit code. Never raises."""
    try:
        _open_streams()
        # Names from documents may not be encodable, or be no characters at all.
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="backslashreplace")
        code = _ended(arguments)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        _silence()
        return _PIPE_CLOSED
    except KeyboardInterrupt as stop:
        return _interrupted(*stop.args)
    except Exception as error:
        code = _failed(error)
        return 2 if arguments[:1] == ["compare"] else code  # 1 would say that they differ


class _Closed(io.TextIOBase):
    """Standard output where there is none: a text that is written there is an answer that is lost.

    It says so when it is flushed too, since argparse takes no notice of what it cannot write.
    """

    def __init__(self) -> None:
        self.kept = open(os.devnull, "w")  # noqa: SIM115  # else a document would be opened as 1
        self.is_lost = False

    def write(self, text: str) -> int:
        """Raise OSError."""
        self.is_lost = True
        raise OSError(errno.EBADF, "standard output is closed")

    def flush(self) -> None:
        """Raise OSError, if something was written."""
        if self.is_lost:
            self.write("")


def _open_streams() -> None:
    """Have something to read and write where a stream was closed by whoever started this."""
    if sys.stdin is None:
        sys.stdin = open(os.devnull)  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = _Closed()
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115


def _interrupted(*words: str) -> int:
    """Say what was waited for, if that is known; returns the exit code."""
    if words:
        from fluxtui.notation.problem import printable

        with contextlib.suppress(OSError):  # nobody can be told
            print(f"fluxtui: interrupted: {printable(words[0])}", file=sys.stderr)
    return _INTERRUPTED


def _failed(error: Exception) -> int:
    """Say what kept the answer from being given, without a traceback; returns the exit code."""
    if isinstance(error, OSError) and error.errno in _UNWRITTEN:
        _silence()
        said = f"fluxtui: cannot write the answer: {(error.strerror or 'error').lower()}"
    elif isinstance(error, MemoryError):
        said = "fluxtui: there is not enough memory for this"
    else:
        from fluxtui.bridge import crash

        said = crash.headless()
    try:
        print(said, file=sys.stderr)
    except OSError:  # nobody can be told
        return 1
    return 1


def _ended(arguments: list[str]) -> int:
    """Do what the arguments ask; returns the exit code, also where argparse ends it."""
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
    """Keep the interpreter from complaining, at exit, about a reader that has gone."""
    if isinstance(sys.stdout, _Closed):
        sys.stdout = sys.stdout.kept
    else:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
