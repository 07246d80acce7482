"""Reading documents and writing them back: the only place that touches the file system."""

import contextlib
import os
import stat
import sys
import tempfile
from collections.abc import Callable
from importlib import resources as packaged
from pathlib import Path
from typing import Any, NamedTuple

from fluxtui.notation.source import Parsed, Problem, Span

# Larger than any R document or jobspec in use; more is taken for a mistake.
MAX_BYTES = 512 * 1024 * 1024

DEMO = "demo"


class Source(NamedTuple):
    """The text of a document and where it comes from, for titles and messages."""

    text: str
    name: str
    path: Path | None = None


class Table(NamedTuple):
    """A configuration as plain tables, and the files it was read from."""

    table: dict[str, Any]
    name: str
    files: tuple[Path, ...] = ()


def read_source(where: str) -> Parsed[Source | None]:
    """Read a text document from a file, ``-`` for standard input, or ``demo``.

    The value is None where there is a problem. After ``-`` the caller reopens the terminal.
    """
    if where == DEMO:
        return Parsed(demo())
    if where == "-":
        return _decoded(_read_stream, "standard input")
    parsed = _decoded(lambda: _read_bytes(_path(where)), where)
    if parsed.value is None:
        return parsed
    path = _path(where)
    return Parsed(parsed.value._replace(name=path.name, path=path), parsed.problems)


def demo() -> Source:
    """The R document of the demo cluster that ships inside the package."""
    return Source(_packaged("R.json"), "demo cluster dune")


def demo_config() -> Table:
    """The queues and policy of the demo cluster."""
    import tomllib

    return Table(tomllib.loads(_packaged("flux.toml")), "demo flux.toml")


def _packaged(name: str) -> str:
    return packaged.files("fluxtui").joinpath("demo", name).read_text(encoding="utf-8")


def _path(where: str | Path) -> Path:
    """The path with ``~`` replaced, also where there is no such user or no home."""
    try:
        return Path(where).expanduser()
    except RuntimeError:
        return Path(where)


def _read_stream() -> bytes:
    if sys.stdin is None:
        raise OSError("it is closed")
    return sys.stdin.buffer.read(MAX_BYTES + 1)


def _read_bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        # A device or pipe has no size worth asking for, so the limit is on what is read.
        return file.read(MAX_BYTES + 1)


def _decoded(read: Callable[[], bytes], name: str) -> Parsed[Source | None]:
    """The text that ``read`` gives, or what is wrong in words."""
    try:
        data = read()
    except (OSError, ValueError) as error:
        return Parsed(None, (Problem(f"cannot read '{name}': {_reason(error)}"),))
    if len(data) > MAX_BYTES:
        limit = MAX_BYTES // (1024 * 1024)
        return Parsed(None, (Problem(f"'{name}' is larger than {limit} MiB"),))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"'{name}' is not UTF-8 text: byte {error.start}, in line {line}"
        return Parsed(None, (Problem(message, expected=("UTF-8 text",)),))
    if not text.strip():
        return Parsed(None, (Problem(f"'{name}' is empty"),))
    return Parsed(Source(text, name))


def _reason(error: Exception) -> str:
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


def read_config(where: str) -> Parsed[Table | None]:
    """Read a Flux configuration: a TOML file, a directory of ``*.toml``, ``-`` or ``demo``.

    Files of a directory are read in the order of their names and their tables merged, as
    Flux does; a later file wins where two give the same key. The value is None where no
    file could be read; syntax errors carry the file name, line and column.
    """
    if where == DEMO:
        return Parsed(demo_config())
    path = _path(where)
    try:
        if where == "-" or not path.is_dir():
            return _read_toml(where)
        files = tuple(sorted(entry for entry in path.iterdir() if entry.suffix == ".toml"))
    except OSError as error:
        return Parsed(None, (Problem(f"cannot read '{where}': {_reason(error)}"),))
    if not files:
        return Parsed(None, (Problem(f"no *.toml file in '{where}'"),))
    table: dict[str, Any] = {}
    problems: list[Problem] = []
    for file in files:
        parsed = _read_toml(str(file))
        problems += parsed.problems
        if parsed.value is not None:
            _merge(table, parsed.value.table)
    return Parsed(Table(table, path.name or where, files), tuple(problems))


def _merge(table: dict[str, Any], other: dict[str, Any]) -> None:
    for key, value in other.items():
        known = table.get(key)
        if isinstance(known, dict) and isinstance(value, dict):
            _merge(known, value)
        else:
            table[key] = value


def _read_toml(where: str) -> Parsed[Table | None]:
    import tomllib

    parsed = read_source(where)
    source = parsed.value
    if source is None:
        # An empty file is a configuration that sets nothing.
        if parsed.problems and parsed.problems[0].message.endswith("is empty"):
            return Parsed(Table({}, where, (Path(where),)))
        return Parsed(None, parsed.problems)
    try:
        table = tomllib.loads(source.text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        return Parsed(None, (_toml_problem(error, source),))
    return Parsed(Table(table, source.name, (source.path,) if source.path else ()))


def _toml_problem(error: Exception, source: Source) -> Problem:
    """The syntax error with its place; the parser gives it in words only."""
    import re

    message = str(error) if isinstance(error, ValueError) else "nested too deeply"
    found = re.search(r"\s*\(at (?:line (\d+), column (\d+)|(end of document))\)$", message)
    text = source.text
    if not found:
        return Problem(f"{source.name}: {message}", rule="TOML")
    message = message[: found.start()]
    if found.group(3):
        line, column, offset = text.count("\n") + 1, len(text) - text.rfind("\n"), len(text)
    else:
        line, column = int(found.group(1)), int(found.group(2))
        starts = text.split("\n")[: line - 1]
        offset = min(sum(len(part) + 1 for part in starts) + column - 1, len(text))
    said = f"{source.name}, line {line}, column {column}: {message[:1].lower()}{message[1:]}"
    return Problem(said, Span(offset, min(offset + 1, len(text))), rule="TOML")


def write_atomic(path: str | Path, text: str) -> tuple[Problem, ...]:
    """Write a text so that the file is at any time the old one or the new one.

    A symbolic link stays one and the file it names is replaced. The mode of an existing
    file is kept; a new one has mode 0666 less the umask. Problems say what went wrong, in
    which case nothing was changed.
    """
    target = _path(path)
    temporary: str | None = None
    try:
        target = target.resolve()
        if target.exists() and not target.is_file():
            kind = "a directory" if target.is_dir() else "not a regular file"
            return (Problem(f"cannot write '{path}': it is {kind}"),)
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fchmod(file.fileno(), _mode(target))
            os.fsync(file.fileno())
        os.replace(temporary, target)
        temporary = None
        _sync_directory(target.parent)
    except (OSError, ValueError, RuntimeError) as error:
        reason = "the text is not valid" if isinstance(error, UnicodeError) else _reason(error)
        if isinstance(error, FileNotFoundError):
            reason = "there is no such directory"
        return (Problem(f"cannot write '{path}': {reason}"),)
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
    return ()


def _mode(target: Path) -> int:
    if target.exists():
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _sync_directory(directory: Path) -> None:
    """Make the rename last through a crash, where the file system can."""
    with contextlib.suppress(OSError):
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
