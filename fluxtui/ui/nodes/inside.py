"""The inside of a node (RFC 49): a tree of its domains, such as sockets, with what each has."""

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
NAME_LIMIT, LIMIT = 20, 30  # columns of a domain's name, and of a cell that may widen its column
GAP = "  "

#: The ids of some cores and gpus of a node.
Ids: TypeAlias = tuple[IdSet, IdSet]
NO_IDS: Ids = idset.EMPTY, idset.EMPTY

#: For what is in use, so that it does not stand out more than what is placed.
NOT_BOLD = Style(bold=False)


class Mark(NamedTuple):
    """Cores and gpus of a node to mark, with a glyph and a style.

    all_of_it is the glyph for a domain that is marked completely, if it differs; with lights, the
    names of domains with anything marked get the style too.
    """

    ids: Ids
    glyph: str
    style: Style
    all_of_it: str = ""
    lights: bool = False

    def of(self, ids: Ids) -> Ids:
        """Return which of these ids are marked."""
        return ids[0] & self.ids[0], ids[1] & self.ids[1]

    def words(self, of: Ids, *, counts: bool) -> str:
        """Return the marked ids, ``▣ 0-7, gpu 0``, ``▣ all`` or nothing; or how many cores."""
        cores, gpus = marked = self.of(of)
        if not cores and not gpus:
            return ""
        nouns = ("core", cores), ("gpu", gpus)
        if marked == of:
            parts = ["all"]
        elif counts:
            parts = [counted(ids.count, noun) for noun, ids in nouns if ids][:1]
        else:
            parts = [_ids(cores)] if cores else []
            parts += [f"{plural('gpu', gpus.count)} {_ids(gpus)}"] if gpus else []
        glyph = self.all_of_it if marked == of and self.all_of_it else self.glyph
        return f"{glyph} {', '.join(parts)}"


class _Place(NamedTuple):
    """A domain as the node has it, and as a whole: an allocation may contain a part of it."""

    domain: Domain
    whole: Domain

    @property
    def ids(self) -> Ids:
        return self.domain.all_cores, self.domain.all_gpus

    @property
    def inside(self) -> list["_Place"]:
        return list(map(_Place, self.domain.domains, self.whole.domains))

    def kind(self, marks: Sequence[Mark]) -> object:
        """Return a value equal for domains that can share a line; None if it needs its own.

        A domain needs its own line if it contains domains or gpus, or is marked only in part.
        """
        domain, marked = self.domain, [mark.of(self.ids) for mark in marks]
        if domain.domains or domain.gpus or any(ids not in (NO_IDS, self.ids) for ids in marked):
            return None
        sizes = domain.cores.count, self.whole.cores.count, self.whole.gpus.count
        return domain.name, sizes, domain.memory, domain.storage, [ids != NO_IDS for ids in marked]


#: Adjacent domains that share a line, mostly just one.
_Run: TypeAlias = list[_Place]


#: The gap before each column and its alignment: name, cores, core ids, gpus, memory, storage.
_COLUMNS = ("", "<"), (GAP, ">"), (" ", "<"), (GAP, "<"), (GAP, ">"), (GAP, "<")


def inside_lines(
    node: Domain, whole: Domain, marks: Sequence[Mark], style: Palette
) -> Iterator[Text]:
    """Yield the domains of a node as a tree, a line each, with cores, gpus, memory and storage.

    whole is the complete node, of which an allocation may have only a part. Equal adjacent domains
    share a line if that hides nothing, such as which gpus are near which cores.
    """
    runs = [*islice(_runs(_Place(node, whole).inside, 0, Counter(), marks), LINES_SHOWN)]
    cells = zip(*(_cells(*run) for run in runs), strict=True)
    columns = [_column(column, *how) for column, how in zip(cells, _COLUMNS, strict=False)]
    for (run, *_), (name, *words) in zip(runs, zip(*columns, strict=True), strict=True):
        marked = [(mark.words(run[0].ids, counts=bool(run[0].inside)), mark) for mark in marks]
        signs = [(GAP + text, mark.style) for text, mark in marked if text]
        look = next((mark.style for text, mark in marked if text and mark.lights), style.plain)
        facts = "".join(words) if signs else "".join(words).rstrip()
        yield styled_line((name, look), (facts, style.quiet), *signs, style=style.plain)
    if more := sum(1 for _ in node.walk()) - 1 - sum(len(run) for run, *_ in runs):
        rest = f"and {more:,} more {plural('domain', more)}"
        yield styled_line((rest, style.quiet), style=style.plain)
    left = [(noun, ids) for noun, ids in (("core", node.cores), ("gpu", node.gpus)) if ids]
    if node.domains and left:
        facts = ", ".join(f"{counted(ids.count, noun)} {_ids(ids)}" for noun, ids in left)
        yield styled_line(f"in no domain{GAP}", (facts, style.quiet), style=style.plain)


def _column(cells: Sequence[str], gap: str, align: str) -> list[str]:
    """Return cells padded to one width, except for too long ones; an empty column has no width."""
    width = max((cell_len(cell) for cell in cells if cell_len(cell) <= LIMIT), default=0)
    if not any(cells):
        return [""] * len(cells)
    pads = (" " * max(width - cell_len(cell), 0) for cell in cells)
    pairs = zip(cells, pads, strict=True)
    return [gap + (cell + pad if align == "<" else pad + cell) for cell, pad in pairs]


def _runs(
    places: Sequence[_Place], level: int, before: Counter[str], marks: Sequence[Mark]
) -> Iterator[tuple[_Run, int, int]]:
    """Yield the domains of each line from the top, with the level and the first domain's number.

    before counts the domains of each name so far.
    """
    run: _Run = []
    last: object = None
    for place in [*places, None]:
        kind = place.kind(marks) if place is not None else None
        if run and place is not None and kind is not None and kind == last:
            cores = run[-1].domain.cores
            if not cores or cores.last < place.domain.cores.first:
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
    """Return the cells of a line, one for each of the columns."""
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
        ", ".join(printable(str(storage)) for storage in domain.storage),
    )


def _ids(ids: IdSet) -> str:
    return idset.format(ids, RANGES_SHOWN)
