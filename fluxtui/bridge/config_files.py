"""Flux configurations: read and merge their files as Flux does, and locate settings in them."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fluxtui.bridge import files
from fluxtui.bridge.files import Source
from fluxtui.notation.problem import Parsed, Problem, Span

_OBJECT = re.compile(r"\s*\{")


@dataclass(frozen=True, slots=True)
class Part:
    """One file of a configuration: its text, and its tables."""

    source: Source
    table: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Table:
    """A configuration as plain tables, and the files it was read from, in order."""

    table: dict[str, Any]
    name: str
    files: tuple[Path, ...] = ()
    parts: tuple[Part, ...] = ()


def read(where: str) -> Parsed[Table | None]:
    """Read a Flux configuration: a file, a directory of ``*.toml``, ``-`` or ``demo``.

    A file is TOML, or JSON as ``flux config get`` prints it. The files of a directory are read in
    the order of their names and their tables merged, as Flux does: if two set the same key, the
    later file wins. The value is None if no file could be read; syntax errors have the file name,
    line and column.
    """
    if where == files.DEMO:
        return Parsed(demo())
    path = files.expanded(where)
    try:
        if where == "-" or not path.is_dir():
            return _read_one(where)
        found = listed(path)
    except OSError as error:
        return Parsed(None, (Problem(f"cannot read '{where}': {files.reason(error)}"),))
    if not found:
        return Parsed(None, (Problem(f"no *.toml file in '{where}'"),))
    table: dict[str, Any] = {}
    parts: list[Part] = []
    problems: list[Problem] = []
    for file in found:
        parsed = _of(read_listed(file))
        problems += parsed.problems
        if parsed.value is not None:
            _merge(table, parsed.value.table)
            parts += parsed.value.parts
    return Parsed(Table(table, path.name or where, found, tuple(parts)), tuple(problems))


def is_one(source: Source) -> bool:
    """Whether a text is a Flux configuration rather than an R document."""
    from fluxtui.model.documents import document

    text = source.text
    if not is_json(source):
        return document.looks_like_toml(text)
    if len(text) > files.MAX_OTHER_BYTES or '"R_lite"' in text or '"edges"' in text:
        return False  # an R document, or a resource graph
    from fluxtui.model import verdict

    return verdict.kind_of(document.read_json(text).value) == "config"


def demo() -> Table:
    """The queues and policy of the demo cluster."""
    import tomllib

    source = Source(files.built_in("flux.toml"), "demo flux.toml")
    table = tomllib.loads(source.text)
    return Table(table, source.name, (), (Part(source, table),))


def listed(folder: Path) -> tuple[Path, ...]:
    """The files of a directory that Flux reads, in the order it reads them. Raises OSError."""
    return tuple(
        sorted(
            entry
            for entry in folder.iterdir()
            if entry.name.endswith(".toml") and not entry.name.startswith(".")
        )
    )


def _merge(table: dict[str, Any], other: dict[str, Any]) -> None:
    """Merge another table into table; nested tables are merged, other values are replaced."""
    for key, value in other.items():
        known = table.get(key)
        if isinstance(known, dict) and isinstance(value, dict):
            _merge(known, value)
        elif isinstance(value, dict):
            # A copy: later merges must not change the table of the file.
            table[key] = {}
            _merge(table[key], value)
        else:
            table[key] = value


def _read_one(where: str) -> Parsed[Table | None]:
    """Read a configuration from one file."""
    # An empty file is a configuration that sets nothing; an empty stream means a failed command.
    return _of(files.read_source(where) if where == "-" else files.read_text(where))


def read_listed(file: Path) -> Parsed[Source | None]:
    """Read a file of a directory; a pipe is a problem, and is not waited for."""
    if file.is_fifo():
        return Parsed(None, (Problem(f"cannot read '{file}': it is a pipe"),))
    return files.read_text(str(file))


def _of(parsed: Parsed[Source | None]) -> Parsed[Table | None]:
    return Parsed(None, parsed.problems) if parsed.value is None else read_source(parsed.value)


def read_source(source: Source) -> Parsed[Table | None]:
    """Read a configuration from a text, TOML or JSON, as `read` does."""
    table, problems = _tables(source)
    if table is None:
        return Parsed(None, tuple(files.in_file(problem, source) for problem in problems))
    found = (source.path,) if source.path else ()
    return Parsed(Table(table, source.name, found, (Part(source, table),)))


def _tables(source: Source) -> tuple[dict[str, Any] | None, tuple[Problem, ...]]:
    """Parse a text; the table is None if there are problems."""
    from fluxtui.model.documents import document

    read = (document.read_json if is_json(source) else document.read_toml)(source.text)
    if not read.readable or not isinstance(read.value, dict):
        return None, read.problems
    return read.value, ()


class Origins:
    """Finds the file of a configuration that sets a value, and the place in it.

    The places in a file are computed only when one of its settings is looked up.
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = parts
        self._tops: dict[str, int] = {}
        self._tables: dict[tuple[str, str], list[int]] = {}
        self._reach: dict[int, Callable[[str], tuple[Span | None, int]]] = {}
        for number, part in enumerate(parts):
            for key, value in part.table.items():
                self._tops[key] = number
                for inner in value if isinstance(value, dict) else ():
                    self._tables.setdefault((key, inner), []).append(number)

    def find(self, path: str) -> tuple[Part | None, Span | None]:
        """Return the file that sets a path, or the longest part of it, and the place in its text.

        If several files do, the last one; None if no file has any part of it.
        """
        from fluxtui.model.documents import document

        steps = document.steps(path)
        if not steps:
            return None, None
        top, *_ = lead = tuple(map(str, steps[:2]))
        last = self._tops.get(top)
        numbers = self._tables.get(lead, ()) if len(lead) == 2 else ()
        number = max(numbers, key=lambda n: (_depth(self._parts[n].table, steps), n), default=last)
        if number is None:
            return None, None
        part = self._parts[number]
        if number not in self._reach:
            read = document.read_json if is_json(part.source) else document.read_toml
            self._reach[number] = read(part.source.text).reacher()
        return part, self._reach[number](path)[0]


def locate(problems: Iterable[Problem], table: Table) -> tuple[Problem, ...]:
    """Return the problems of a configuration with the file, line and column of their settings.

    If several files set the value, the last one counts; if none does, the nearest enclosing table
    in a file. A problem without any place gets the name of the file or directory.
    """
    listed = tuple(problems)
    if all(problem.span is not None for problem in listed):
        return listed
    origins, whole = Origins(table.parts), Source("", table.name)
    return tuple(
        problem if problem.span is not None else _placed(problem, origins, whole)
        for problem in listed
    )


def _placed(problem: Problem, origins: Origins, whole: Source) -> Problem:
    """Return a problem with the file and place of its path."""
    part, span = origins.find(problem.path or "")
    return files.in_file(replace(problem, span=span), whole if part is None else part.source)


def is_json(source: Source) -> bool:
    """Whether the text of a configuration is JSON rather than TOML."""
    return _OBJECT.match(source.text) is not None


def _depth(value: object, steps: list[str | int]) -> int:
    """How many steps of a path can be followed into a value."""
    for depth, step in enumerate(steps):
        if isinstance(value, list):
            if not isinstance(step, int) or not 0 <= step < len(value):
                return depth
            value = value[step]
        elif isinstance(value, dict) and step in value:
            value = value[step]
        else:
            return depth
    return len(steps)
