"""The nodes of a cluster as a table of text (RFC 4180)."""

import csv
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import compress

from fluxtui.model.cancellation import Stop, going_on, stop_if
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.sets.bits import window
from fluxtui.notation.sets.hosts import HostList
from fluxtui.notation.sets.idset import IdSet

#: The columns of each node beside its properties.
COLUMNS = ("rank", "host", "cores", "gpus", "core_ids", "gpu_ids")

# What separates the properties of a node; RFC 20 allows it in no name.
BETWEEN = "|"

# Nodes that are looked at together: each mask is shifted once for so many.
_BLOCK = 8192

# The cores and gpus in the row of a node: how many, and which.
_Parts = tuple[int, int, str, str]
_NONE: _Parts = (0, 0, "", "")


class _Line:
    """A file for the csv module that hands each record back as it is written."""

    def write(self, text: str) -> str:
        """The text itself."""
        return text


@dataclass(frozen=True, slots=True)
class _Table:
    """What the rows are read from, with the cores and gpus of each kind as they are written."""

    resources: Resources
    parts: list[_Parts]
    matrix: bool


def csv_lines(
    resources: Resources,
    mask: int,
    *,
    matrix: bool = False,
    stop: Stop = going_on,
) -> Iterator[str]:
    """The nodes of a mask as CSV, one record after the other: first the names of the columns.

    A record ends in CR LF, and a field is quoted where it has to be (RFC 4180). The columns are
    `COLUMNS` and ``properties``, where the names stand in document order with ``|`` between them.
    With matrix there is a column for each property of the document instead, ``1`` in the rows of
    the nodes that have it and ``0`` in the others; one that is named as a column that is there
    already is written as ``properties.NAME``.

    Names are written as they are, also those that begin with ``=``, ``+``, ``-`` or ``@``, such as
    the instance-local property ``+batch``: what reads the table again finds the same names. A
    spreadsheet may take such a field for a formula, unless the column is imported as text.

    Nothing is held but a few thousand rows. stop is asked now and then whether the table is not
    wanted any more; then it raises `Stopped`.
    """
    write: Callable[[object], str] = csv.writer(_Line()).writerow  # type: ignore[assignment]
    own = [_column(name) for name in resources.properties] if matrix else ["properties"]
    yield write((*COLUMNS, *own))
    parts: list[_Parts] = [
        (kind.cores.count, kind.gpus.count, str(kind.cores), str(kind.gpus))
        for kind in resources.kinds
    ]
    mask &= resources.everything
    table = _Table(resources, parts, matrix)
    first = (mask & -mask).bit_length() - 1
    for start in range(max(first, 0), mask.bit_length(), _BLOCK):
        stop_if(stop)
        bits = window(mask, start, min(start + _BLOCK, mask.bit_length()))
        if "1" in bits:
            yield from map(write, _rows(table, start, bits))


def _column(name: str) -> str:
    return f"properties.{name}" if name in COLUMNS else name


def _rows(table: _Table, start: int, bits: str) -> Iterator[tuple[object, ...]]:
    """The rows of those nodes from index start on whose bit is 1."""
    resources, stop = table.resources, start + len(bits)
    ranks = resources.ranks.pick(IdSet.between(start, stop - 1))
    hosts = _hosts(resources.hosts, start, stop)
    parts = _parts(table, start, stop)
    properties: Iterable[tuple[str, ...]] = resources.properties_between(start, stop)
    if not table.matrix:
        properties = ((BETWEEN.join(names),) for names in properties)
    elif resources.properties:
        having = (window(mask, start, stop) for mask in resources.properties.values())
        properties = zip(*having, strict=True)
    wanted = map("1".__eq__, bits)
    for rank, host, of, own in compress(zip(ranks, hosts, parts, properties, strict=True), wanted):
        yield (rank, host, *of, *own)


def _hosts(hosts: HostList, start: int, stop: int) -> list[str]:
    """The host of each node, empty where the document gives none."""
    names = [
        group.name(number)
        for group in hosts.walk(start, stop)
        for number in range(group.first, group.last + 1)
    ]
    return names + [""] * (stop - start - len(names))


def _parts(table: _Table, start: int, stop: int) -> list[_Parts]:
    """The cores and gpus of each node, as they are written."""
    found = [_NONE] * (stop - start)
    here = IdSet.between(start, stop - 1)
    for kind, parts in zip(table.resources.kinds, table.parts, strict=True):
        for first, last in (here & kind.indices).ranges:
            found[first - start : last + 1 - start] = [parts] * (last - first + 1)
    return found
