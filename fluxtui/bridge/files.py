"""Reading documents and writing them back: the only place that touches the file system."""

import codecs
import os
import select
import stat as modes
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from io import FileIO
from pathlib import Path
from pkgutil import get_data
from typing import TYPE_CHECKING, Any

from fluxtui.bridge import paths
from fluxtui.bridge.stamps import Stamp
from fluxtui.model.documents.document import broken_beginning, looks_like_toml
from fluxtui.notation.problem import Parsed, Problem, position

if TYPE_CHECKING:
    from fluxtui.bridge.in_place import Over

# Larger than any R document in use; more is taken for a mistake.
MAX_BYTES = 512 * 1024 * 1024
# Of all that is not a JSON object: of lists, and of texts that are not JSON. None in use is near.
MAX_OTHER_BYTES = 4 * 1024 * 1024

_CHUNK = 1 << 18

DEMO = "demo"

#: The instance of Flux that runs here; with a colon and an address after it, another one.
LIVE = "live"

# What addresses of instances begin with that need no ``live:`` before them.
_SCHEMES = ("local://", "ssh://")


# Seconds from one look at a pipe that nobody writes to, to the next.
_PATIENCE = 0.1


# An R document of this size is read in pieces; to read it in one step holds up the screen.
LARGE = 1 << 20

#: Told how many bytes have been read, and of how many; 0 where that is not known. What it raises
#: ends the reading.
Told = Callable[[int, int], object]


# Characters at either end of a text, in which a snapshot says that it is one.
_NEAR = 4096


@dataclass(frozen=True, slots=True)
class Source:
    """The text of a document and where it comes from, for titles and messages.

    document is the value of a large R document or graph that was read in pieces, and has no text.
    """

    text: str
    name: str
    path: Path | None = None
    document: dict[str, Any] | None = None

    @property
    def may_be_snapshot(self) -> bool:
        """The text may be a snapshot of a running Flux; `fluxtui.model.live.snapshot` knows."""
        return '"snapshot"' in self.text[:_NEAR] or '"snapshot"' in self.text[-_NEAR:]


def read_source(where: str, in_pieces: Told | None = None) -> Parsed[Source | None]:
    """Read a text document from a file, ``-`` for standard input, or ``demo``.

    The value is None where there is a problem. After ``-`` the caller reopens the terminal. With
    in_pieces a large R document or resource graph is read piece by piece: it is given as its
    value, without a text, and in_pieces is told how far it is.
    """
    if where == DEMO:
        return Parsed(demo())
    if where == "-":
        found = _decoded(lambda: _read_stream(in_pieces), "standard input", in_pieces)
        return _refuse_empty(found, "standard input")
    return read_file(where, in_pieces)


def read_file(
    where: str, in_pieces: Told | None = None, large: int = LARGE
) -> Parsed[Source | None]:
    """Read a text document from the file of this name, whatever the name is.

    A document may have 512 MiB, one whose first part is not that of a JSON object 4 MiB. A pipe
    is waited for, until somebody writes to it. The value is None where there is a problem. For
    in_pieces see `read_source`; large is the size from which on a document is read so.
    """
    return _refuse_empty(read_text(where, in_pieces, large), where)


def read_text(
    where: str, in_pieces: Told | None = None, large: int = LARGE
) -> Parsed[Source | None]:
    """Read a file as `read_file` does; one that holds nothing is a text as well."""
    found = _decoded(lambda: _read_bytes(expanded(where), in_pieces)[0], where, in_pieces, large)
    return _named(found, where)


def read_stamped(
    where: str, in_pieces: Told | None = None
) -> tuple[Parsed[Source | None], Stamp | None]:
    """Read a file as `read_file` does, with the stamp of what was read.

    With in_pieces a large R document or resource graph is read as `read_source` says.
    """
    stamps: list[Stamp] = []

    def read() -> bytearray:
        data, status = _read_bytes(expanded(where), in_pieces)
        stamps.append(Stamp.of(status, data))
        return data

    parsed = _refuse_empty(_named(_decoded(read, where, in_pieces), where), where)
    return parsed, stamps[0] if parsed.value is not None else None


def _named(parsed: Parsed[Source | None], where: str) -> Parsed[Source | None]:
    """What was read, with the name and the path of the file."""
    if parsed.value is None:
        return parsed
    path = expanded(where)
    return Parsed(replace(parsed.value, name=path.name, path=path), parsed.problems)


def is_live(where: str) -> bool:
    """A name is that of an instance that runs: ``live``, ``live:ADDRESS``, or its URI alone."""
    return where == LIVE or where.startswith((f"{LIVE}:", *_SCHEMES))


def is_instance(where: str) -> bool:
    """A name is that of an instance that runs, or of a record of one."""
    return is_live(where) or (where not in ("-", DEMO) and paths.record_in(where) is not None)


def kept(where: str) -> str:
    """A name as it is kept between runs: a whole path; an instance as `instance` names it."""
    if is_live(where):
        return instance(uri_of(where))
    return where if where == DEMO else str(expanded(where).absolute())


def uri_of(where: str) -> str:
    """The address of an instance: a URI, a path of instances or a job's id; empty for this one."""
    return where.removeprefix(LIVE).removeprefix(":")


def instance(uri: str) -> str:
    """The name of the instance at an address, by which it is known again; see `uri_of`."""
    return f"{LIVE}:{uri}" if uri else LIVE


def demo() -> Source:
    """The R document of the demo cluster that ships inside the package."""
    return Source(built_in("R.json"), "demo cluster dune")


def built_in(name: str) -> str:
    """The text of a file of the demo cluster."""
    return (get_data("fluxtui", f"demo/{name}") or b"").decode()


def expanded(where: str | Path) -> Path:
    """The path with ``~`` replaced, also where there is no such user or no home."""
    try:
        return Path(where).expanduser()
    except RuntimeError:
        return Path(where)


def _read_stream(told: Told | None) -> bytearray:
    if sys.stdin is None:
        raise OSError("it is closed")
    # Unbuffered and so without a lock: a thread that waits on a pipe may outlive the program's end.
    with open(sys.stdin.fileno(), "rb", buffering=0, closefd=False) as pipe:
        return _read_limited(pipe.read, told)


def _read_bytes(path: Path, told: Told | None = None) -> tuple[bytearray, os.stat_result]:
    # To open a pipe that nobody writes to would last until somebody does, and nothing could end it.
    with open(path, "rb", buffering=0, opener=_open_at_once) as file:
        status = os.fstat(file.fileno())
        if modes.S_ISREG(status.st_mode):
            return _read_limited(file.read, told), status
        return _read_limited(_Patient(file, told).read, told), status


def _open_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)


class _Patient:
    """Reads a pipe or a device that may have nothing to read yet; told may end the waiting."""

    def __init__(self, file: FileIO, told: Told | None) -> None:
        self._file, self._told, self._done = file, told, 0
        self._waits = modes.S_ISFIFO(os.fstat(file.fileno()).st_mode)  # for somebody who writes
        self._poll = select.poll()
        self._poll.register(file, select.POLLIN)

    def read(self, size: int) -> bytes:
        """The next bytes; none at the end, when all who wrote have closed the pipe."""
        while True:
            piece = self._file.read(size)
            if piece or (piece is not None and not self._waits):
                self._done += len(piece)
                self._waits = False
                return piece
            try:
                while not (events := self._poll.poll(_PATIENCE * 1000)):
                    if self._told is not None:
                        self._told(self._done, 0)
            except KeyboardInterrupt:
                raise KeyboardInterrupt(f"nobody has written to '{self._file.name}'") from None
            if not any(event & select.POLLIN for _, event in events):
                self._waits = False  # somebody has been there


def _read_limited(read: Callable[[int], bytes], told: Told | None) -> bytearray:
    """The bytes of a file, or some more than it may have.

    A device or a pipe has no size worth asking for, so the limit is on what is read; and a read
    of so many bytes would take the memory for them at once.
    """
    data, limit = bytearray(), _CHUNK - 1
    while len(data) <= limit and (more := read(_CHUNK)):
        data += more
        if limit < _CHUNK <= len(data):  # a pipe brings little at a time
            limit, _ = _limit(data)
        if told is not None:
            told(len(data), 0)
    return data


def _limit(data: bytearray) -> tuple[int, str]:
    """How many bytes a document that begins so may have; why it is not more, if it is not."""
    start = bytes(data[:_CHUNK]).removeprefix(codecs.BOM_UTF8)
    first = start.lstrip()[:1]
    if first != b"{":
        why = "is not a JSON object" if first == b"[" else "does not begin as JSON does"
        return min(MAX_BYTES, MAX_OTHER_BYTES), why
    if len(start) < _CHUNK // 2:
        return MAX_BYTES, ""
    text = start.decode("utf-8", "ignore")
    problem = broken_beginning(text)
    if problem is not None and looks_like_toml(text):
        return min(MAX_BYTES, MAX_OTHER_BYTES), "is not JSON"
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


def _decoded(
    read: Callable[[], bytearray], name: str, in_pieces: Told | None = None, large: int = LARGE
) -> Parsed[Source | None]:
    """The text that ``read`` gives, or what is wrong in words."""
    try:
        data = read()
    except (OSError, ValueError) as error:
        return Parsed(None, (Problem(f"cannot read '{name}': {reason(error)}"),))
    if refusal := _refusal(data):
        return Parsed(None, (Problem(f"'{name}' {refusal}"),))
    if in_pieces is not None and len(data) > large:
        document = _document(data, in_pieces)
        if document is not None:
            return Parsed(Source("", name, document=document))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"'{name}' is not UTF-8 text: byte {error.start}, in line {line}"
        return Parsed(None, (Problem(message, expected=("UTF-8 text",)),))
    return Parsed(Source(text, name))


def _document(data: bytearray, told: Told) -> dict[str, Any] | None:
    """The value of an R document or a resource graph; None where it is something else."""
    from fluxtui.model.resources import document as resources

    if bytes(data[:_CHUNK]).removeprefix(codecs.BOM_UTF8).lstrip()[:1] != b"{":
        return None
    size = len(data)
    found = resources.document_of(data, lambda done: told(done, size))
    return found if resources.is_resources(found) else None


def _refuse_empty(parsed: Parsed[Source | None], name: str) -> Parsed[Source | None]:
    """What was read, or the problem that it holds nothing."""
    source = parsed.value
    if source is None or source.document is not None or (source.text and not source.text.isspace()):
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
    return error.strerror.lower() if error.strerror else str(error) or "unknown error"


def in_file(problem: Problem, source: Source) -> Problem:
    """The problem of a text with the name of its file, the line and the column."""
    if problem.span is None:
        return replace(problem, message=f"{source.name}: {problem.message}")
    line, column = position(source.text, problem.span.start)
    said = f"{source.name}, line {line}, column {column}: {problem.message}"
    return replace(problem, message=said)


def write_atomic(path: str | Path, text: str, *, private: bool = False) -> tuple[Problem, ...]:
    """Write a text so that the file is at any time the old one or the new one.

    A symbolic link stays one and the file it names is replaced, as `in_place.put_in_place` says;
    a new file is for its owner alone if private. Problems say what went wrong, in which case
    nothing was changed.
    """
    from fluxtui.bridge import in_place

    def put(target: Path) -> Stamp:
        return in_place.put_in_place(target, text.encode("utf-8"), private=private)

    return _put(path, put)[1]


def save(
    path: str | Path, text: str, *, keep_mark: bool = False, over: "Over" = "anything"
) -> tuple[Stamp | None, tuple[Problem, ...]]:
    """Write a text as `write_atomic` does; the stamp of the file, None where there are problems.

    keep_mark has a file that begins with a byte order mark keep it: reading takes it away. A file
    that is not as over has it is left alone, which is a problem.
    """
    from fluxtui.bridge import in_place

    def put(target: Path) -> Stamp:
        mark = codecs.BOM_UTF8 if keep_mark and _has_mark(target) else b""
        return in_place.put_in_place(target, mark + text.encode("utf-8"), over=over)

    return _put(path, put)


def _has_mark(path: Path) -> bool:
    """Whether a file begins with the byte order mark of UTF-8."""
    try:
        with path.open("rb") as file:
            return file.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8
    except OSError:
        return False


def write_pieces(path: str | Path, pieces: Iterable[str]) -> tuple[Problem, ...]:
    """Write a text that comes in pieces as `write_atomic` does; it is never held as a whole.

    Where the pieces end with an exception of their own, nothing is changed, and it is passed on.
    """
    from fluxtui.bridge import in_place

    def write(handle: int) -> None:
        with open(handle, "w", encoding="utf-8", newline="", closefd=False) as file:
            file.writelines(pieces)

    return _put(path, lambda target: in_place.put_in_place(target, b"", ready=write))[1]


def _put(
    path: str | Path, put: Callable[[Path], Stamp]
) -> tuple[Stamp | None, tuple[Problem, ...]]:
    """Write a file, where nothing speaks against it; what went wrong in words."""
    try:
        if paths.foreign_link(expanded(path)) is not None:
            return None, (Problem(f"cannot write '{path}': somebody else put that link there"),)
        target = expanded(path).resolve()
        if target.exists() and not target.is_file():
            kind = "a directory" if target.is_dir() else "not a regular file"
            return None, (Problem(f"cannot write '{path}': it is {kind}"),)
        if target.exists() and not os.access(target, os.W_OK):
            return None, (Problem(f"cannot write '{path}': it is read-only"),)
        if target.parent.is_dir() and not os.access(target.parent, os.W_OK):
            why = f"nothing may be written in {target.parent}"
            return None, (Problem(f"cannot write '{path}': {why}"),)
        return put(target), ()
    except (OSError, ValueError, RuntimeError) as error:
        why = "the text is not valid" if isinstance(error, UnicodeError) else reason(error)
        if isinstance(error, FileNotFoundError):
            why = "there is no such directory"
        return None, (Problem(f"cannot write '{path}': {why}"),)
