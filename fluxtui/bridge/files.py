"""Reading documents and writing them back: the only place that touches the file system."""

import codecs
import contextlib
import os
import stat
import sys
from collections.abc import Callable
from importlib import resources as packaged
from pathlib import Path
from typing import BinaryIO, NamedTuple

from fluxtui.bridge.stamps import Stamp
from fluxtui.model import json_text
from fluxtui.notation.source import Parsed, Problem, position

# Larger than any R document in use; more is taken for a mistake.
MAX_BYTES = 512 * 1024 * 1024
# Of texts that are not JSON, which jobspecs and configurations are; none in use is near.
MAX_OTHER_BYTES = 4 * 1024 * 1024

_CHUNK = 1 << 18

DEMO = "demo"


class Source(NamedTuple):
    """The text of a document and where it comes from, for titles and messages."""

    text: str
    name: str
    path: Path | None = None


def read_source(where: str) -> Parsed[Source | None]:
    """Read a text document from a file, ``-`` for standard input, or ``demo``.

    The value is None where there is a problem. After ``-`` the caller reopens the terminal.
    """
    if where == DEMO:
        return Parsed(demo())
    if where == "-":
        return _refuse_empty(_decoded(_read_stream, "standard input"), "standard input")
    return read_file(where)


def read_file(where: str) -> Parsed[Source | None]:
    """Read a text document from the file of this name, whatever the name is.

    A document may have 512 MiB, one whose first part is not that of a JSON document 4 MiB. The
    value is None where there is a problem.
    """
    return _refuse_empty(read_text(where), where)


def read_text(where: str) -> Parsed[Source | None]:
    """Read a file as `read_file` does; one that holds nothing is a text as well."""
    return _named(_decoded(lambda: _read_bytes(expanded(where))[0], where), where)


def read_stamped(where: str) -> tuple[Parsed[Source | None], Stamp | None]:
    """Read a file as `read_file` does, with the stamp of what was read."""
    stamps: list[Stamp] = []

    def read() -> bytearray:
        data, status = _read_bytes(expanded(where))
        stamps.append(Stamp.of(status, data))
        return data

    parsed = _refuse_empty(_named(_decoded(read, where), where), where)
    return parsed, stamps[0] if parsed.value is not None else None


def _named(parsed: Parsed[Source | None], where: str) -> Parsed[Source | None]:
    """What was read, with the name and the path of the file."""
    if parsed.value is None:
        return parsed
    path = expanded(where)
    return Parsed(parsed.value._replace(name=path.name, path=path), parsed.problems)


def demo() -> Source:
    """The R document of the demo cluster that ships inside the package."""
    return Source(built_in("R.json"), "demo cluster dune")


def built_in(name: str) -> str:
    """The text of a file of the demo cluster."""
    return packaged.files("fluxtui").joinpath("demo", name).read_text(encoding="utf-8")


def expanded(where: str | Path) -> Path:
    """The path with ``~`` replaced, also where there is no such user or no home."""
    try:
        return Path(where).expanduser()
    except RuntimeError:
        return Path(where)


def _read_stream() -> bytearray:
    if sys.stdin is None:
        raise OSError("it is closed")
    # Unbuffered and so without a lock: a thread that waits on a pipe may outlive the program's end.
    with open(sys.stdin.fileno(), "rb", buffering=0, closefd=False) as pipe:
        return _read_limited(pipe)


def _read_bytes(path: Path) -> tuple[bytearray, os.stat_result]:
    with path.open("rb") as file:
        status = os.fstat(file.fileno())
        return _read_limited(file), status


def _read_limited(file: BinaryIO) -> bytearray:
    """The bytes of a file, or some more than it may have.

    A device or a pipe has no size worth asking for, so the limit is on what is read; and a read
    of so many bytes would take the memory for them at once.
    """
    data = bytearray(file.read(_CHUNK))
    limit, _ = _limit(data)
    while len(data) <= limit and (more := file.read(_CHUNK)):
        data += more
    return data


def _limit(data: bytearray) -> tuple[int, str]:
    """How many bytes a document that begins so may have; why it is not more, if it is not."""
    start = bytes(data[:_CHUNK]).removeprefix(codecs.BOM_UTF8)
    if start.lstrip()[:1] not in (b"{", b"["):
        return min(MAX_BYTES, MAX_OTHER_BYTES), "does not begin as JSON does"
    if len(start) < _CHUNK // 2:
        return MAX_BYTES, ""
    text = start.decode("utf-8", "ignore")
    problem = json_text.broken_beginning(text)
    from fluxtui.model import toml_text

    if problem is not None and toml_text.looks_like(text):
        return min(MAX_BYTES, MAX_OTHER_BYTES), "is no JSON"
    if problem is None:
        return MAX_BYTES, ""
    why = f"is {problem.message}"
    if problem.span is not None:
        line, column = position(text, problem.span.start)
        why += f", in line {line}, column {column}"
    return min(MAX_BYTES, MAX_OTHER_BYTES), why


def _refusal(data: bytearray) -> str:
    """Why a document is not read, by its size, its beginning and its end; empty if it is."""
    limit, why = _limit(data)
    if len(data) > MAX_OTHER_BYTES and not why and len(data) <= limit:
        ends = bytes(data[-_CHUNK:]).rstrip()[-1:]
        if ends not in (b"}", b"]"):
            limit, why = MAX_OTHER_BYTES, "does not end as JSON does"
    if len(data) <= limit:
        return ""
    return f"is larger than {limit >> 20} MiB" + (f", and {why}" if why else "")


def _decoded(read: Callable[[], bytearray], name: str) -> Parsed[Source | None]:
    """The text that ``read`` gives, or what is wrong in words."""
    try:
        data = read()
    except (OSError, ValueError) as error:
        return Parsed(None, (Problem(f"cannot read '{name}': {reason(error)}"),))
    if refusal := _refusal(data):
        return Parsed(None, (Problem(f"'{name}' {refusal}"),))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"'{name}' is not UTF-8 text: byte {error.start}, in line {line}"
        return Parsed(None, (Problem(message, expected=("UTF-8 text",)),))
    return Parsed(Source(text, name))


def _refuse_empty(parsed: Parsed[Source | None], name: str) -> Parsed[Source | None]:
    """What was read, or the problem that it holds nothing."""
    if parsed.value is None or parsed.value.text.strip():
        return parsed
    return Parsed(None, (Problem(f"'{name}' is empty"),))


def reason(error: Exception) -> str:
    """The system's own words for what went wrong."""
    if not isinstance(error, OSError):
        return "the name is not valid"
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    if isinstance(error, IsADirectoryError):
        return "it is a directory"
    if isinstance(error, PermissionError):
        return "permission denied"
    return (error.strerror or str(error) or "unknown error").lower()


def in_file(problem: Problem, source: Source) -> Problem:
    """The problem of a text with the name of its file, the line and the column."""
    if problem.span is None:
        return problem._replace(message=f"{source.name}: {problem.message}")
    line, column = position(source.text, problem.span.start)
    said = f"{source.name}, line {line}, column {column}: {problem.message}"
    return problem._replace(message=said)


def write_atomic(path: str | Path, text: str) -> tuple[Problem, ...]:
    """Write a text so that the file is at any time the old one or the new one.

    A symbolic link stays one and the file it names is replaced. The mode of an existing
    file is kept; a new one has mode 0666 less the umask. Problems say what went wrong, in
    which case nothing was changed.
    """
    return save(path, text)[1]


def save(path: str | Path, text: str) -> tuple[Stamp | None, tuple[Problem, ...]]:
    """Write a text as `write_atomic` does; the stamp of the file, None where there are problems."""
    try:
        target = expanded(path).resolve()
        if target.exists() and not target.is_file():
            kind = "a directory" if target.is_dir() else "not a regular file"
            return None, (Problem(f"cannot write '{path}': it is {kind}"),)
        if target.exists() and not os.access(target, os.W_OK):
            return None, (Problem(f"cannot write '{path}': it is read-only"),)
        return put_in_place(target, text.encode("utf-8")), ()
    except (OSError, ValueError, RuntimeError) as error:
        why = "the text is not valid" if isinstance(error, UnicodeError) else reason(error)
        if isinstance(error, FileNotFoundError):
            why = "there is no such directory"
        return None, (Problem(f"cannot write '{path}': {why}"),)


def put_in_place(
    target: Path, data: bytes, mode: int = 0o666, ready: Callable[[int], object] | None = None
) -> Stamp:
    """Replace a file, or make one, by a rename; its stamp. Raises OSError, with nothing changed.

    An existing file keeps its mode, and its group where that may be; mode is that of a new one,
    less the umask. ready is called with the descriptor of the file before it takes its place.
    """
    temporary = str(target.parent / f".{target.name[:64]}.{os.urandom(6).hex()}")
    try:
        # Not mkstemp: that makes a file for its owner alone, and the mask is the process's to ask.
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            with contextlib.suppress(FileNotFoundError):
                _as_before(handle, target.stat())
            if ready is not None:
                ready(handle)
            os.fsync(handle)
            stamp = Stamp.of(os.fstat(handle), data)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    _sync_directory(target.parent)
    return stamp


def _as_before(handle: int, before: os.stat_result) -> None:
    """Give a file the group and the mode of the one whose place it takes."""
    if before.st_gid != os.fstat(handle).st_gid:
        with contextlib.suppress(OSError):
            os.fchown(handle, -1, before.st_gid)
    os.fchmod(handle, stat.S_IMODE(before.st_mode))


def _sync_directory(directory: Path) -> None:
    """Make the rename last through a crash, where the file system can."""
    with contextlib.suppress(OSError):
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
