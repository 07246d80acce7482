"""The lines of a containment tree: a vertex, folded leaves or an edge in a row."""

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from fluxtui.answers.containment import (
    COUNTED,
    Bond,
    Containment,
    Fold,
    Tally,
    Vertex,
    can_open,
    link_words,
)
from fluxtui.model.jobspec.request import noun
from fluxtui.notation.problem import printable
from fluxtui.notation.sets.bits import less
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.nodes.highlights import Highlight
from fluxtui.ui.nodes.open_rows import Spot

OPEN, CLOSED, NEITHER = "▾", "▸", " "
CURSOR = "›"
DOWN = "✗ down"
LEAD = 1  # the cursor
STEP = 2  # columns that a level is indented
DEEPEST = 20  # level that is still indented further
GAP = 2
PROPERTIES = 20  # columns that the properties keep, however little room there is
SHARE = 16  # columns for how many nodes are lit
MOST_SURE = ("node", "core", "gpu")  # the counts that stay longest where there is little room


class Lamps:
    """How nodes look, many at once: of several lights the first that holds a node counts."""

    def __init__(self, lights: Sequence[Highlight], dark: Highlight) -> None:
        self._dark = dark
        self._own: list[tuple[Highlight, int, bytes]] = []
        known = 0
        for light in lights:
            own = less(light.mask, known)
            known |= light.mask
            self._own.append((light, own, own.to_bytes((own.bit_length() + 7) // 8, "little")))

    @property
    def are_lit(self) -> bool:
        """Some nodes are highlighted."""
        return bool(self._own)

    def of(self, index: int) -> Highlight:
        """How a node looks."""
        for light, _, data in self._own:
            if index >> 3 < len(data) and data[index >> 3] >> (index & 7) & 1:
                return light
        return self._dark

    def counts(self, nodes: int) -> list[tuple[Highlight, int]]:
        """How many of the nodes of a mask are in each light, but for those without any."""
        found = ((light, (own & nodes).bit_count()) for light, own, _ in self._own)
        return [(light, count) for light, count in found if count]


class Lines(NamedTuple):
    """Makes the lines of a tree with the highlights and in the colours in force."""

    tree: Containment
    lamps: Lamps
    style: Palette

    def line(self, spot: Spot, width: int, *, here: bool) -> Strip:
        """The line of an item, so many columns wide; here is where the cursor is."""
        item, mark = spot.item, NEITHER
        if can_open(self.tree, item):
            mark = OPEN if spot.is_open else CLOSED
        left = [
            Segment(CURSOR if here else " ", self.style.strong),
            Segment(" " * (mark_at(spot.branch.level) - LEAD) + f"{mark} ", self.style.quiet),
        ]
        right: list[Segment] = []
        if isinstance(item, Bond):
            left += self._bond(item)
        elif isinstance(item, Fold):
            left += self._fold(item)
        else:
            left += self._vertex(item)
            # The properties give way to what is counted at the right, down to some columns.
            taken, last = sum(segment.cell_length for segment in left), left[-1]
            if last.style in (self.style.property, self.style.faint):
                taken -= max(last.cell_length - PROPERTIES, 0)
            right = self._right(item, width - taken - GAP)
        end = Strip(right)
        room = max(width - end.cell_length, 0)
        start = Strip(left)
        if start.cell_length > room:
            start = Strip([*start.crop(0, max(room - 1 - GAP, 0)), Segment("…")])
        return Strip([*start.extend_cell_length(room), *end]).crop(0, width)

    def _vertex(self, vertex: int) -> list[Segment]:
        style, found = self.style, self.tree.vertex(vertex)
        plain = style.strong if self.tree.children(vertex) else style.plain
        out: list[Segment] = []
        if found.type == "node":
            index = self.tree.node(vertex)
            if index is not None and self.lamps.are_lit:
                look = self.lamps.of(index)
                out.append(Segment(f"{look.glyph} ", look.style(style)))
                plain = style.faint if look.role == "unlit" else plain
        out.append(Segment(printable(found.name) or "(no name)", plain))
        for text, look_of in self._words(found, self.tree.node(vertex)):
            is_dark = plain is style.faint and look_of is style.property
            out.append(Segment(f"  {text}", plain if is_dark else look_of))
        return out

    def _words(self, found: Vertex, node: int | None) -> list[tuple[str, Style]]:
        style = self.style
        words: list[tuple[str, Style]] = []
        if found.name.rstrip("0123456789") != found.type:
            words.append((printable(found.type) or "(no type)", style.quiet))
        if found.size != 1 or found.unit:
            words.append((_size(found), style.count))
        if found.rank >= 0 and (found.type == "node" or node is None):
            words.append((f"rank {found.rank}", style.quiet))
        if found.is_down:
            words.append((DOWN, style.problem))
        if found.properties:
            words.append((printable(" ".join(found.properties)), style.property))
        return words

    def _fold(self, fold: Fold) -> list[Segment]:
        style, found = self.style, self.tree.vertex(fold.first)
        kind = printable(noun(found.type, fold.count)) or "vertices"
        each = f" of {_size(found)}"
        words = f"{fold.count:,} {kind}" + (each if found.size != 1 or found.unit else "")
        plain = found._replace(size=1, unit="", name=found.type)
        rest = self._words(plain, self.tree.node(fold.first))
        return [
            Segment(printable(self.tree.fold_name(fold)), style.plain),
            Segment(f"  {words}", style.count),
            *(Segment(f"  {text}", look) for text, look in rest),
        ]

    def _bond(self, bond: Bond) -> list[Segment]:
        other = self.tree.vertex(bond.link.row)
        return [
            Segment(printable(link_words(bond.link, other.name)), self.style.label),
            Segment(f"  {printable(other.type)}", self.style.quiet),
        ]

    def _right(self, vertex: int, room: int) -> list[Segment]:
        """What is below a vertex: how many of each type, and how many of its nodes are lit."""
        tallies = list(self.tree.tallies(vertex))
        share = self._share(vertex) if any(tally.type == "node" for tally in tallies) else []
        lit = sum(segment.cell_length for segment in share)
        # Their column is kept free in rows without a share, unless what matters most needs it.
        needed = cell_len(_tally_words([t for t in tallies if t.type in MOST_SURE]))
        if self.lamps.are_lit and (share or needed <= room - GAP - SHARE):
            share.insert(0, Segment(" " * max(GAP + SHARE - lit, GAP)))
            lit = max(GAP + SHARE, GAP + lit)
        while tallies and cell_len(_tally_words(tallies)) > room - lit:
            others = [tally for tally in tallies if tally.type not in MOST_SURE]
            tallies.remove((others or tallies)[-1])
        if lit > room:
            share = []
        words = printable(_tally_words(tallies))
        return [*([Segment(words, self.style.quiet)] if words else []), *share]

    def _share(self, vertex: int) -> list[Segment]:
        """How many of the nodes below a vertex are in each light, of how many."""
        nodes = self.tree.nodes(vertex)
        if not nodes or not self.lamps.are_lit:
            return []
        total, counts = nodes.bit_count(), self.lamps.counts(nodes)
        out = []
        for light, count in counts:
            whole = "all " if count == total else ""
            out.append(Segment(f"{light.glyph} {whole}{count:,} ", light.style(self.style)))
        if len(counts) != 1 or counts[0][1] != total:
            lead = "" if counts else "none "
            out.append(Segment(f"{lead}of {total:,} ", self.style.faint))
        return out


def _size(found: Vertex) -> str:
    """How large a vertex is: ``2 GB``, ``36 cores`` of a pool of them."""
    unit = found.unit or (noun(found.type, found.size) if found.type in COUNTED else "units")
    return f"{found.size:,} {printable(unit)}"


def _tally_words(tallies: Sequence[Tally]) -> str:
    return " · ".join(tally.words for tally in tallies)


def mark_at(level: int) -> int:
    """The column of the sign that opens and closes an item of a level."""
    return LEAD + STEP * min(level, DEEPEST)
