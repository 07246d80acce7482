"""What a node has inside (RFC 49): a tree of its domains, such as sockets, with what each has."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple, TypeAlias

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from fluxtui.model.resources.topology import Domain
from fluxtui.notation.problem import counted, plural, printable
from fluxtui.notation.sets import idset
from fluxtui.notation.sets.idset import IdSet
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.text import shorten, styled_line

LINES_SHOWN = 50
LEVELS_INDENTED = 10
RANGES_SHOWN = 4  # of the ids of a domain
NAME_LIMIT, LIMIT = 20, 30  # columns of the name of a domain, and those that are kept for a cell
GAP = "  "

#: The ids of some cores and gpus of a node.
Ids: TypeAlias = tuple[IdSet, IdSet]
NO_IDS: Ids = idset.EMPTY, idset.EMPTY

#: What is in use is told beside what is asked for, and not louder.
NOT_BOLD = Style(bold=False)


class Mark(NamedTuple):
    """Some cores and gpus of a node that are marked: glyph and style.

    all_of_it is the glyph where all of something is marked, if that is another one; lights says
    that the names of domains of which something is marked have the style too.
    """

    ids: Ids
    glyph: str
    style: Style
    all_of_it: str = ""
    lights: bool = False

    def of(self, own: Ids) -> Ids:
        """Those of some ids that are marked."""
        return own[0] & self.ids[0], own[1] & self.ids[1]

    def said(self, own: Ids, *, counts: bool) -> str:
        """What is marked of some ids: ``▣ 0-7, gpu 0``, ``▣ all`` or nothing; or how many cores."""
        cores, gpus = found = self.of(own)
        if not cores and not gpus:
            return ""
        nouns = ("core", cores), ("gpu", gpus)
        if found == own:
            parts = ["all"]
        elif counts:
            parts = [counted(ids.count, noun) for noun, ids in nouns if ids][:1]
        else:
            parts = [_ids(cores)] if cores else []
            parts += [f"{plural('gpu', gpus.count)} {_ids(gpus)}"] if gpus else []
        glyph = self.all_of_it if found == own and self.all_of_it else self.glyph
        return f"{glyph} {', '.join(parts)}"


class _Place(NamedTuple):
    """A domain as a node has it, and whole: of an allocation a node may have a part of it."""

    domain: Domain
    whole: Domain

    @property
    def ids(self) -> Ids:
        return self.domain.all_cores, self.domain.all_gpus

    @property
    def inside(self) -> list["_Place"]:
        return list(map(_Place, self.domain.domains, self.whole.domains))

    def kind(self, marks: Sequence[Mark]) -> object:
        """What is equal for domains that can be told as one; None where it has to be by itself.

        That is so where something is inside, where gpus are near its cores, and where a mark
        holds a part of it.
        """
        domain, found = self.domain, [mark.of(self.ids) for mark in marks]
        if domain.domains or domain.gpus or any(one not in (NO_IDS, self.ids) for one in found):
            return None
        sizes = domain.cores.count, self.whole.cores.count, self.whole.gpus.count
        return domain.name, sizes, domain.memory, domain.storage, [one != NO_IDS for one in found]


#: Domains side by side that are told as one, mostly a single one.
_Run: TypeAlias = list[_Place]


#: What is before each column and how it is aligned: name, cores and which, gpus, memory, storage.
_COLUMNS = ("", "<"), (GAP, ">"), (" ", "<"), (GAP, "<"), (GAP, ">"), (GAP, "<")


def inside_lines(
    node: Domain, whole: Domain, marks: Sequence[Mark], style: Palette
) -> Iterator[Text]:
    """The domains of a node as a tree, a line each, with its cores, gpus, memory and storage.

    whole is what such a node has, of which this one may have been given a part. Equal domains side
    by side are one line where that hides nothing: which gpus are near which cores, for instance.
    """
    runs = [*islice(_runs(_Place(node, whole).inside, 0, Counter(), marks), LINES_SHOWN)]
    cells = zip(*(_cells(*run) for run in runs), strict=True)
    columns = [_column(one, *how) for one, how in zip(cells, _COLUMNS, strict=False)]
    for (run, *_), (name, *words) in zip(runs, zip(*columns, strict=True), strict=True):
        said = [(mark.said(run[0].ids, counts=bool(run[0].inside)), mark) for mark in marks]
        signs = [(GAP + text, mark.style) for text, mark in said if text]
        lit = next((mark.style for text, mark in said if text and mark.lights), style.plain)
        told = "".join(words) if signs else "".join(words).rstrip()
        yield styled_line((name, lit), (told, style.quiet), *signs, style=style.plain)
    if more := sum(1 for _ in node.walk()) - 1 - sum(len(run) for run, *_ in runs):
        rest = f"and {more:,} more {plural('domain', more)}"
        yield styled_line((rest, style.quiet), style=style.plain)
    own = [(noun, ids) for noun, ids in (("core", node.cores), ("gpu", node.gpus)) if ids]
    if node.domains and own:
        found = ", ".join(f"{counted(ids.count, noun)} {_ids(ids)}" for noun, ids in own)
        yield styled_line(f"in no domain{GAP}", (found, style.quiet), style=style.plain)


def _column(cells: Sequence[str], gap: str, align: str) -> list[str]:
    """Cells of one width, but for those that are too long; one without words takes no room."""
    width = max((cell_len(cell) for cell in cells if cell_len(cell) <= LIMIT), default=0)
    if not any(cells):
        return [""] * len(cells)
    pads = (" " * max(width - cell_len(cell), 0) for cell in cells)
    both = zip(cells, pads, strict=True)
    return [gap + (cell + pad if align == "<" else pad + cell) for cell, pad in both]


def _runs(
    places: Sequence[_Place], level: int, before: Counter[str], marks: Sequence[Mark]
) -> Iterator[tuple[_Run, int, int]]:
    """What is told in each line, from above, with its level and the number of its first domain.

    before says how many of each name have come already.
    """
    run: _Run = []
    last: object = None
    for place in [*places, None]:
        kind = place.kind(marks) if place is not None else None
        if run and place is not None and kind is not None and kind == last:
            before_it = run[-1].domain.cores
            if not before_it or before_it.last < place.domain.cores.first:
                run.append(place)
                continue
        if run:
            name = run[0].domain.name
            before[name] += len(run)
            yield run, level, before[name] - len(run)
            if len(run) == 1:
                yield from _runs(run[0].inside, level + 1, before, marks)
        run, last = [place] if place is not None else [], kind


def _cells(run: _Run, level: int, first: int) -> tuple[str, ...]:
    """What a line has in each of the columns."""
    (domain, whole), last = run[0], first + len(run) - 1
    name = shorten(printable(domain.name), NAME_LIMIT)
    number = f"{first}-{last}" if last > first else f"{first}"
    cores = IdSet.from_ranges(r for place in run for r in place.ids[0].ranges)
    count, most = domain.all_cores.count, whole.all_cores.count
    each = "" if last == first else " each," if cores else " each"
    gpus, all_gpus = domain.all_gpus, whole.all_gpus.count
    near = f"{plural('gpu', gpus.count)} {_ids(gpus)}" if gpus else ""
    if gpus.count < all_gpus:
        near = f"{gpus.count:,} of {counted(all_gpus, 'gpu')} {_ids(gpus)}".rstrip()
    memory = domain.memory if domain.memory is not None else domain.all_memory or None
    return (
        f"{'  ' * min(level, LEVELS_INDENTED)}{name} {number}",
        f"{count:,}" if count >= most else f"{count:,} of {most:,}",
        f"{plural('core', max(count, most))}{each} {_ids(cores)}".rstrip(),
        near,
        f"{memory:,} GiB" if memory is not None else "",
        ", ".join(printable(str(one)) for one in domain.storage),
    )


def _ids(ids: IdSet) -> str:
    return idset.format(ids, RANGES_SHOWN)
