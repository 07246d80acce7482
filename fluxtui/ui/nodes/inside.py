"""What a node has inside (RFC 49): a line for each domain, such as a socket, with what it has."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, islice
from typing import NamedTuple, TypeAlias

from rich.style import Style
from rich.text import Text

from fluxtui.model.resources.topology import Domain
from fluxtui.notation.problem import counted, printable
from fluxtui.notation.sets.idset import IdSet
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.text import styled_line

LINES_SHOWN = 50
NAME, GAP = 8, 2  # columns that names have at least, and those after them

#: The ids of some cores and gpus of a node.
Ids: TypeAlias = tuple[IdSet, IdSet]


class Mark(NamedTuple):
    """Some cores and gpus of a node that are marked, such as those in use: glyph and style."""

    ids: Ids
    glyph: str
    style: Style

    def part(self, own: Ids) -> str:
        """What it holds of some ids: ``0-7, gpu 0``, ``all``, or nothing."""
        cores, gpus = (ids & marked for ids, marked in zip(own, self.ids, strict=True))
        if (cores, gpus) == own:
            return "all" if cores or gpus else ""
        words = [str(cores)] if cores else []
        return ", ".join([*words, *([f"gpu {gpus}"] if gpus else [])])


class _Row(NamedTuple):
    """Domains side by side that are alike: their names, what they have, what is marked of it."""

    name: str
    words: str
    marks: list[tuple[str, Style]]


def inside_lines(node: Domain, marks: Sequence[Mark], style: Palette) -> Iterator[Text]:
    """The memory and storage of a node, then its domains; equal ones side by side are one line.

    A domain that some of the marks hold a part of has a line of its own.
    """
    if memory := node.all_memory:
        parts = ("memory    ", style.plain), (f"{memory:,} GiB", style.quiet)
        yield styled_line(*parts, style=style.plain)
    if node.storage:
        found = ", ".join(map(str, node.storage))
        parts = ("storage   ", style.plain), (printable(found), style.quiet)
        yield styled_line(*parts, style=style.plain)
    every = _rows(node.domains, 0, marks, Counter())
    rows = list(islice(every, LINES_SHOWN))
    width = max([NAME, *(len(row.name) for row in rows)]) + GAP
    for row in rows:
        lead = (f"{row.name:<{width}}", style.plain)
        yield styled_line(lead, (row.words, style.quiet), *row.marks, style=style.plain)
    if more := sum(1 for _ in every):
        yield styled_line((f"and {more:,} more", style.quiet), style=style.plain)


def _rows(
    domains: Sequence[Domain], level: int, marks: Sequence[Mark], before: Counter[str]
) -> Iterator[_Row]:
    """The rows of domains of a level; before says how many of each name have come already."""
    for _, group in groupby(domains, key=lambda domain: _alike(domain, marks)):
        run = list(group)
        yield _row(run, level, marks, before[run[0].name])
        before[run[0].name] += len(run)
        inner = [domain for one in run for domain in one.domains]
        yield from _rows(inner, level + 1, marks, before)


def _alike(domain: Domain, marks: Sequence[Mark]) -> object:
    """What equal domains have in common: the numbers, and of each mark all or nothing."""
    own = domain.cores, domain.gpus
    taken = [mark.part(own) for mark in marks]
    inner = tuple(_alike(one, marks) for one in domain.domains)
    return domain.name, *(ids.count for ids in own), domain.memory, *taken, inner


def _row(run: Sequence[Domain], level: int, marks: Sequence[Mark], first: int) -> _Row:
    one, last = run[0], first + len(run) - 1
    number = f"{first}-{last}" if last > first else f"{first}"
    words = []
    for noun, own, whole in (
        ("core", [domain.cores for domain in run], one.all_cores),
        ("gpu", [domain.gpus for domain in run], one.all_gpus),
    ):
        ids = IdSet.from_ranges(r for each in own for r in each.ranges)
        shown = f" {ids}" if own[0] == whole else ""  # else they are those of domains inside
        words += [f"{counted(whole.count, noun)}{shown}"] if whole else []
    words += [f"{one.memory:,} GiB"] if one.memory is not None else []
    each = " each" if words and last > first else ""
    parts = ((mark, mark.part((one.cores, one.gpus))) for mark in marks)
    return _Row(
        f"{'  ' * level}{printable(one.name)} {number}",
        (", ".join(words) or "nothing") + each,
        [(f"  {mark.glyph} {part}", mark.style) for mark, part in parts if part],
    )
