"""Reading and writing documents: files, standard input and the built-in demo cluster."""

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

# Larger than any R document in use; a larger file is taken for a mistake.
MAX_BYTES = 512 * 1024 * 1024
# The limit for everything but JSON objects: lists and other texts, which in use are far smaller.
MAX_OTHER_BYTES = 4 * 1024 * 1024

_CHUNK = 1 << 18

DEMO = "demo"

#: The name of the local Flux instance; followed by a colon and an address, of another instance.
LIVE = "live"

# Addresses with these schemes name an instance without a leading ``live:``.
_SCHEMES = ("local://", "ssh://")


# Seconds between two checks of a pipe that has no data yet.
_POLL_INTERVAL = 0.1


# Larger R documents are read in pieces; reading them in one step would block the screen.
LARGE = 1 << 20

#: Called with the bytes read so far and the total, 0 if unknown; an exception it raises ends the
#: reading.
Progress = Callable[[int, int], object]


# How many characters at either end of a text are searched for the mark of a snapshot.
_NEAR = 4096


@dataclass(frozen=True, slots=True)
class Source:
    """The text of a document and where it comes from, for titles and messages.

    document is the value of a large R document or graph read in pieces; its text is empty.
    """

    text: str
    name: str
    path: Path | None = None
    document: dict[str, Any] | None = None

    @property
    def may_be_snapshot(self) -> bool:
        """Whether the text may be a snapshot; `fluxtui.model.live.snapshot` decides for certain."""
        return '"snapshot"' in self.text[:_NEAR] or '"snapshot"' in self.text[-_NEAR:]


def read_source(where: str, progress: Progress | None = None) -> Parsed[Source | None]:
    """Read a text document from a file, ``-`` for standard input, or ``demo``.

    The value is None if there is a problem. After ``-`` the caller reopens the terminal. With
    progress a large R document or resource graph is read in pieces: the source has its value and
    no text, and progress is called after each piece.
    """
    if where == DEMO:
        return Parsed(demo())
    if where == "-":
        found = _decoded(lambda: _read_stream(progress), "standard input", progress)
        return _refuse_empty(found, "standard input")
    return read_file(where, progress)


def read_file(
    where: str, progress: Progress | None = None, large: int = LARGE
) -> Parsed[Source | None]:
    """Read a text document from a file, even if it is named like a special source such as ``demo``.

    The limit is 512 MiB, or 4 MiB if the text does not begin as a JSON object. A pipe is waited
    for until somebody writes to it. The value is None if there is a problem. For progress see
    `read_source`; only documents of more than large bytes are read in pieces.
    """
    return _refuse_empty(read_text(where, progress, large), where)


def read_text(
    where: str, progress: Progress | None = None, large: int = LARGE
) -> Parsed[Source | None]:
    """Read a file as `read_file` does, but accept an empty one."""
    found = _decoded(lambda: _read_bytes(expanded(where), progress)[0], where, progress, large)
    return _named(found, where)


def read_stamped(
    where: str, progress: Progress | None = None
) -> tuple[Parsed[Source | None], Stamp | None]:
    """Read a file as `read_file` does, and return the stamp of what was read with it.

    The stamp is None if there is a problem. For progress see `read_source`.
    """
    stamps: list[Stamp] = []

    def read() -> bytearray:
        data, status = _read_bytes(expanded(where), progress)
        stamps.append(Stamp.of(status, data))
        return data

    parsed = _refuse_empty(_named(_decoded(read, where, progress), where), where)
    return parsed, stamps[0] if parsed.value is not None else None


def _named(parsed: Parsed[Source | None], where: str) -> Parsed[Source | None]:
    """Add the name and the path of the file to what was read."""
    if parsed.value is None:
        return parsed
    path = expanded(where)
    return Parsed(replace(parsed.value, name=path.name, path=path), parsed.problems)


def is_live(where: str) -> bool:
    """Whether a name is that of a running instance: ``live``, ``live:ADDRESS``, or its URI."""
    return where == LIVE or where.startswith((f"{LIVE}:", *_SCHEMES))


def is_instance(where: str) -> bool:
    """Whether a name is that of a running instance, or of a record of one."""
    return is_live(where) or (where not in ("-", DEMO) and paths.record_in(where) is not None)


def kept(where: str) -> str:
    """A name as it is stored between runs: an absolute path, or an instance as in `instance`."""
    if is_live(where):
        return instance(uri_of(where))
    return where if where == DEMO else str(expanded(where).absolute())


def uri_of(where: str) -> str:
    """The address in an instance's name: a URI, instance path or job id; empty if it is local."""
    return where.removeprefix(LIVE).removeprefix(":")


def instance(uri: str) -> str:
    """The canonical name of the instance at an address: the inverse of `uri_of`."""
    return f"{LIVE}:{uri}" if uri else LIVE


def demo() -> Source:
    """The R document of the demo cluster that ships inside the package."""
    return Source(built_in("R.json"), "demo cluster dune")


def built_in(name: str) -> str:
    """The text of a file of the demo cluster."""
    return (get_data("fluxtui", f"demo/{name}") or b"").decode()


def expanded(where: str | Path) -> Path:
    """The path with ``~`` replaced, or unchanged if there is no such user or home."""
    try:
        return Path(where).expanduser()
    except RuntimeError:
        return Path(where)


def _read_stream(progress: Progress | None) -> bytearray:
    if sys.stdin is None:
        raise OSError("it is closed")
    # Unbuffered, so no lock is held: a thread waiting on a pipe may outlive the end of the program.
    with open(sys.stdin.fileno(), "rb", buffering=0, closefd=False) as pipe:
        return _read_limited(pipe.read, progress)


def _read_bytes(path: Path, progress: Progress | None = None) -> tuple[bytearray, os.stat_result]:
    # Opening a pipe that nobody writes to would block, and could not be cancelled.
    with open(path, "rb", buffering=0, opener=_open_nonblocking) as file:
        status = os.fstat(file.fileno())
        if modes.S_ISREG(status.st_mode):
            return _read_limited(file.read, progress), status
        return _read_limited(_Pipe(file, progress).read, progress), status


def _open_nonblocking(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)


class _Pipe:
    """Reads a pipe or a device that may have no data yet; progress may end the wait by raising."""

    def __init__(self, file: FileIO, progress: Progress | None) -> None:
        self._file, self._progress, self._done = file, progress, 0
        self._waits = modes.S_ISFIFO(os.fstat(file.fileno()).st_mode)  # for the first writer
        self._poll = select.poll()
        self._poll.register(file, select.POLLIN)

    def read(self, size: int) -> bytes:
        """Return the next bytes; none at the end, when every writer has closed the pipe."""
        while True:
            piece = self._file.read(size)
            if piece or (piece is not None and not self._waits):
                self._done += len(piece)
                self._waits = False
                return piece
            try:
                while not (events := self._poll.poll(_POLL_INTERVAL * 1000)):
                    if self._progress is not None:
                        self._progress(self._done, 0)
            except KeyboardInterrupt:
                raise KeyboardInterrupt(f"nobody has written to '{self._file.name}'") from None
            if not any(event & select.POLLIN for _, event in events):
                self._waits = False  # a writer has come and gone


def _read_limited(read: Callable[[int], bytes], progress: Progress | None) -> bytearray:
    """Read a file whole, or a little beyond the limit if it is too large.

    The size of a pipe or a device is not known beforehand, so the limit applies to what is read;
    reading in chunks does not allocate memory for the limit at once.
    """
    data, limit = bytearray(), _CHUNK - 1
    while len(data) <= limit and (more := read(_CHUNK)):
        data += more
        if limit < _CHUNK <= len(data):  # a read from a pipe may return less than a chunk
            limit, _ = _limit(data)
        if progress is not None:
            progress(len(data), 0)
    return data


def _limit(data: bytearray) -> tuple[int, str]:
    """Return the size limit of a document by its beginning, and why it is the lower one, if so."""
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
    """Why a document is refused, judging by its size, beginning and end; empty if it is read."""
    limit, why = _limit(data)
    if len(data) > MAX_OTHER_BYTES and not why and len(data) <= limit:
        ends = bytes(data[-_CHUNK:]).rstrip()[-1:]
        if ends not in (b"}", b"]"):
            limit, why = MAX_OTHER_BYTES, "does not end as JSON does"
    if len(data) <= limit:
        return ""
    return f"is larger than {limit >> 20} MiB" + (f", and {why}" if why else "")


def _decoded(
    read: Callable[[], bytearray], name: str, progress: Progress | None = None, large: int = LARGE
) -> Parsed[Source | None]:
    """Return the text of the bytes that ``read`` returns, or a problem."""
    try:
        data = read()
    except (OSError, ValueError) as error:
        return Parsed(None, (Problem(f"cannot read '{name}': {reason(error)}"),))
    if refusal := _refusal(data):
        return Parsed(None, (Problem(f"'{name}' {refusal}"),))
    if progress is not None and len(data) > large:
        document = _document(data, progress)
        if document is not None:
            return Parsed(Source("", name, document=document))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = f"byte {error.start} ({data[error.start]:#04x}), in line {line}"
        message = f"'{name}' is not UTF-8 text: {byte}"
        if b"\0" in data[:1024]:
            message = f"'{name}' is a binary file, or text in UTF-16"
        expected = "UTF-8 text, which iconv -t UTF-8 makes of another encoding"
        return Parsed(None, (Problem(message, expected=(expected,)),))
    return Parsed(Source(text, name))


def _document(data: bytearray, progress: Progress) -> dict[str, Any] | None:
    """The value of an R document or a resource graph; None for any other document."""
    from fluxtui.model.resources import document as resources

    if bytes(data[:_CHUNK]).removeprefix(codecs.BOM_UTF8).lstrip()[:1] != b"{":
        return None
    size = len(data)
    found = resources.document_of(data, lambda done: progress(done, size))
    return found if resources.is_resources(found) else None


def _refuse_empty(parsed: Parsed[Source | None], name: str) -> Parsed[Source | None]:
    """Replace a blank text by a problem."""
    source = parsed.value
    if source is None or source.document is not None or (source.text and not source.text.isspace()):
        return parsed
    return Parsed(None, (Problem(f"'{name}' is empty"),))


def reason(error: Exception) -> str:
    """What went wrong, in the words of the system."""
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
    """Return the problem with the name of its file, the line and the column in its message."""
    if problem.span is None:
        return replace(problem, message=f"{source.name}: {problem.message}")
    line, column = position(source.text, problem.span.start)
    message = f"{source.name}, line {line}, column {column}: {problem.message}"
    return replace(problem, message=message)


def write_atomic(path: str | Path, text: str, *, private: bool = False) -> tuple[Problem, ...]:
    """Write a text so that at any time the file is either the old one or the new one.

    The target of a symbolic link is replaced, not the link; for the rest see
    `in_place.put_in_place`. If private, a new file is accessible to its owner only. Problems say
    what went wrong; the file is then unchanged.
    """
    from fluxtui.bridge import in_place

    def put(target: Path) -> Stamp:
        return in_place.put_in_place(target, text.encode("utf-8"), private=private)

    return _put(path, put)[1]


def save(
    path: str | Path, text: str, *, keep_mark: bool = False, over: "Over" = "anything"
) -> tuple[Stamp | None, tuple[Problem, ...]]:
    """Write a text as `write_atomic` does, and return the new stamp, or None and the problems.

    With keep_mark a file that begins with a byte order mark, which reading removes, keeps it. A
    file that is not in the state that over expects is left unchanged, with a problem.
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
    """Write a text given in pieces as `write_atomic` does, without ever holding all of it.

    If the iterable of pieces raises, the file is left unchanged and the exception is passed on.
    """
    from fluxtui.bridge import in_place

    def write(handle: int) -> None:
        with open(handle, "w", encoding="utf-8", newline="", closefd=False) as file:
            file.writelines(pieces)

    return _put(path, lambda target: in_place.put_in_place(target, b"", ready=write))[1]


def _put(
    path: str | Path, put: Callable[[Path], Stamp]
) -> tuple[Stamp | None, tuple[Problem, ...]]:
    """Check that a file may be written, and write it; otherwise return a problem."""
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
            why = f"you have no permission to write in {target.parent}"
            return None, (Problem(f"cannot write '{path}': {why}"),)
        return put(target), ()
    except (OSError, ValueError, RuntimeError) as error:
        why = "the text is not valid" if isinstance(error, UnicodeError) else reason(error)
        if isinstance(error, FileNotFoundError):
            why = "there is no such directory"
        return None, (Problem(f"cannot write '{path}': {why}"),)
