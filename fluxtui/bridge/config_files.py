"""Flux configurations: the files of one, merged as Flux does, and where a setting stands."""

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
    """One file of a configuration: its text, and the tables it holds."""

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

    A file is TOML, or JSON as ``flux config get`` prints it. Files of a directory are read in
    the order of their names and their tables merged, as Flux does; a later file wins where two
    give the same key. The value is None where no file could be read; syntax errors carry the
    file name, line and column.
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
    """Whether a text that was read is that of a configuration, and not of an R document."""
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
    """The files of a directory that Flux reads, in its order. Raises OSError."""
    return tuple(
        sorted(
            entry
            for entry in folder.iterdir()
            if entry.name.endswith(".toml") and not entry.name.startswith(".")
        )
    )


def _merge(table: dict[str, Any], other: dict[str, Any]) -> None:
    """Put another table on top; tables within are merged, all else is replaced."""
    for key, value in other.items():
        known = table.get(key)
        if isinstance(known, dict) and isinstance(value, dict):
            _merge(known, value)
        elif isinstance(value, dict):
            # A table of its own: what is merged into it later is no part of the file.
            table[key] = {}
            _merge(table[key], value)
        else:
            table[key] = value


def _read_one(where: str) -> Parsed[Table | None]:
    """The configuration of one file."""
    # An empty file is a configuration that sets nothing; an empty stream is one that went wrong.
    return _of(files.read_source(where) if where == "-" else files.read_text(where))


def read_listed(file: Path) -> Parsed[Source | None]:
    """The text of a file of a directory; a pipe there is not waited for."""
    if file.is_fifo():
        return Parsed(None, (Problem(f"cannot read '{file}': it is a pipe"),))
    return files.read_text(str(file))


def _of(parsed: Parsed[Source | None]) -> Parsed[Table | None]:
    return Parsed(None, parsed.problems) if parsed.value is None else read_source(parsed.value)


def read_source(source: Source) -> Parsed[Table | None]:
    """The configuration of a text that was read; TOML or JSON, as `read` takes it."""
    table, problems = _tables(source)
    if table is None:
        return Parsed(None, tuple(files.in_file(problem, source) for problem in problems))
    found = (source.path,) if source.path else ()
    return Parsed(Table(table, source.name, found, (Part(source, table),)))


def _tables(source: Source) -> tuple[dict[str, Any] | None, tuple[Problem, ...]]:
    """What a text says, or why it says nothing."""
    from fluxtui.model.documents import document

    read = (document.read_json if is_json(source) else document.read_toml)(source.text)
    if not read.readable or not isinstance(read.value, dict):
        return None, read.problems
    return read.value, ()


class Origins:
    """Finds which file of a configuration gives a setting, and where in it.

    A file is gone through for places only when a setting of it is asked for.
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
        """The last of the files that have most of a path, and the place in its text.

        None where no file has any of it.
        """
        from fluxtui.model.documents import document

        steps = document.steps(path)
        if not steps:
            return None, None
        top, *_ = lead = tuple(map(str, steps[:2]))
        last = self._tops.get(top)
        having = self._tables.get(lead, ()) if len(lead) == 2 else ()
        number = max(having, key=lambda n: (_depth(self._parts[n].table, steps), n), default=last)
        if number is None:
            return None, None
        part = self._parts[number]
        if number not in self._reach:
            read = document.read_json if is_json(part.source) else document.read_toml
            self._reach[number] = read(part.source.text).reacher()
        return part, self._reach[number](path)[0]


def locate(problems: Iterable[Problem], table: Table) -> tuple[Problem, ...]:
    """The problems of a configuration, each with the file, line and column of its setting.

    Where several files give the setting, the last of them counts; where none does, that of the
    nearest table around it. What stands nowhere gets the name of the file or directory.
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
    """A problem with its place in the file that has most of its path."""
    part, span = origins.find(problem.path or "")
    return files.in_file(replace(problem, span=span), whole if part is None else part.source)


def is_json(source: Source) -> bool:
    """A text of a configuration is JSON, and not TOML."""
    return _OBJECT.match(source.text) is not None


def _depth(value: object, steps: list[str | int]) -> int:
    """How many steps of a path a value has."""
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
