"""The lines of a containment tree: each shows a vertex, folded leaves or an edge."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.strip import Strip

from fluxtui.answers.containment.items import Bond, Fold, Item
from fluxtui.answers.containment.of_graph import COUNTED, link_words
from fluxtui.answers.containment.tree import Containment, can_open
from fluxtui.model.jobspec.request import noun
from fluxtui.notation.problem import counted, printable
from fluxtui.ui.kit.keys import key_of
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.text import DOT
from fluxtui.ui.nodes.highlights import STATES, Highlight, Lamps, state_style
from fluxtui.ui.nodes.inside import NO_IDS, NOT_BOLD, Ids
from fluxtui.ui.nodes.open_rows import Spot

if TYPE_CHECKING:
    from fluxtui.model.live.nodes import NodeStates

OPEN, CLOSED, NEITHER = "▾", "▸", " "
CURSOR = "›"
DOWN = "✗ down"
LEAD = 1  # columns before the first level, for the cursor
STEP = 2  # columns that each level is indented
DEEPEST = 20  # levels below this one are not indented further
GAP = 2
PROPERTIES = 20  # columns that the properties keep, however little room there is
WHERE_GRAPHS_ARE = (
    "Only a graph shows racks and paths. {key} opens an R document with scheduling.graph, as "
    "Fluxion writes it, or a JGF file."
)
INSIDES_ARE = " That or scheduling.children (RFC 49) shows what nodes have inside."
MOST_SURE = ("node", "core", "gpu")  # the counts that are the last to be left out


class Lines(NamedTuple):
    """Makes the lines of a tree with the current highlights and colours.

    states are the states of the nodes of a running Flux; used returns the cores and gpus of a node
    that are in use.
    """

    tree: Containment
    lamps: Lamps
    style: Palette
    states: "NodeStates | None" = None
    used: Callable[[int], Ids] = lambda index: NO_IDS

    def line(self, spot: Spot, width: int, *, here: bool) -> Strip:
        """Return the line of an item for a width; here is whether the cursor is on it."""
        item, style, mark = spot.item, self.style, NEITHER
        if can_open(self.tree, item):
            mark = OPEN if spot.is_open else CLOSED
        left = [
            Segment(CURSOR if here else " ", style.strong),
            Segment(" " * (mark_at(spot.branch.level) - LEAD) + f"{mark} ", style.quiet),
            *self._left(item),
        ]
        properties = [left.pop()] if left[-1].style in (style.property, style.faint) else []
        right: list[Segment] = []
        if isinstance(item, int):
            # The counts at the right may take room from the properties, down to PROPERTIES columns.
            least = min(Strip(properties).cell_length, PROPERTIES)
            right = self._right(item, width - GAP - least - Strip(left).cell_length)
        end = Strip(right)
        room = max(width - end.cell_length, 0)
        # Then the type and the rank are left out to make room for what is placed and in use.
        for fact in [part for part in left[2:] if part.style == style.quiet]:
            if Strip(left).cell_length > room:
                left.remove(fact)
        start, gap = Strip([*left, *properties]), GAP if end.cell_length else 0
        if start.cell_length > room:
            start = Strip([*start.crop(0, max(room - 1 - gap, 0)), Segment("…")])
        return Strip([*start.extend_cell_length(room), *end]).crop(0, width)

    def _left(self, item: Item) -> list[Segment]:
        """Return the name of an item and what is known about it."""
        tree, style, vertex = self.tree, self.style, vertex_of(item)
        if isinstance(item, Bond):
            other = tree.vertex(item.link.row)
            words = link_words(item.link, other.name)
            return _segments((words, style.label), (other.type, style.quiet))
        shown, node, lead = tree.vertex(vertex), tree.node(vertex), list[Segment]()
        properties = style.property
        size = shown.unit or (noun(shown.type, shown.size) if shown.type in COUNTED else "units")
        size = f"{shown.size:,} {size}" if shown.size != 1 or shown.unit else ""
        if isinstance(item, Fold):
            each = f" of {size}" if size else ""
            kind = noun(shown.type, item.count) or "vertices"
            words = f"{item.count:,} {kind}{each}"
            parts = [(tree.fold_name(item), style.plain), (words, style.count)]
        else:
            plain = style.strong if tree.children(vertex) else style.plain
            if shown.type == "node" and node is not None and self.lamps.are_lit:
                look = self.lamps.of(node)
                lead = [Segment(f"{look.glyph} ", style.role(look.role))]
                if look.role == "unlit":
                    plain = properties = style.faint
            parts = [(shown.name or "(no name)", plain)]
            if shown.name.rstrip("0123456789") != shown.type:
                parts.append((shown.type or "(no type)", style.quiet))
            parts.append((size, style.count))
        if shown.rank >= 0 and (shown.type == "node" or node is None):
            parts.append((f"rank {shown.rank}", style.quiet))
        parts.append((DOWN if shown.is_down else "", style.problem))
        if shown.type == "node" and node is not None and self.states is not None:
            state = self.states.state(node)
            parts.append((state, state_style(state, style)))
        parts += self._shares(item)
        parts.append((" ".join(shown.properties), properties))
        return lead + _segments(*parts)

    def _shares(self, item: Item) -> Iterator[tuple[str, Style]]:
        """Yield what the placement takes of a node or part of one, and what is in R and in use."""
        tree, node = self.tree, self.tree.node(vertex_of(item))
        ids, whole = tree.ids(item), tree.whole(item) if isinstance(item, int) else NO_IDS
        if node is not None and (placed := self.lamps.placed(node)) is not None:
            yield self._share_of(item, ids, (placed[0].cores, placed[0].gpus), "", placed[1])
        if any(whole) and not any(ids):
            yield "none in R", self.style.quiet
        else:
            yield self._share_of(item, whole, ids, "in R")
        if node is not None:
            yield self._share_of(item, ids, self.used(node), "in use")

    def _share_of(
        self, item: Item, ids: Ids, of: Ids, words: str, light: Highlight | None = None
    ) -> tuple[str, Style]:
        """Return how many of an item's ids are in `of`: ``◧ 12 of 15 cores in use``.

        With a light: ``▣ 12 cores``. Without one, an item that contains domains, which show the
        rest, gets one count only, if possible that of a part.
        """
        common = ids[0] & of[0], ids[1] & of[1]
        if not any(common):
            return "", self.style.quiet
        glyph, role = STATES["allocated" if common == ids else "partly"]
        look = self.style.role(role) + NOT_BOLD
        if light is not None:
            glyph, look = light.glyph, self.style.role(light.role)
        parts = [
            counted(part.count, noun)
            if light is not None or part == whole
            else f"{part.count:,} of {counted(whole.count, noun)}"
            for part, whole, noun in zip(common, ids, COUNTED, strict=True)
            if part
        ]
        if common == ids:
            parts = ["all"] if ids[0].count + ids[1].count > 1 else []
        elif isinstance(item, Fold):
            parts = [str(common[0] or common[1])]
        elif light is None and self.tree.has_inside(vertex_of(item)):
            parts = ([part for part in parts if " of " in part] or parts)[:1]
        return " ".join(filter(None, (glyph, ", ".join(parts), words))), look

    def _right(self, vertex: int, room: int) -> list[Segment]:
        """Return how many nodes below a vertex are in each light, and the totals of each type."""
        tallies = list(self.tree.tallies(vertex))
        share = self._share(vertex) if any(tally.type == "node" for tally in tallies) else []
        lit, words = Strip(share).cell_length, ""
        while tallies:
            words = DOT.join(printable(tally.words) for tally in tallies)
            if lit + cell_len(words) <= room:
                break
            others = [tally for tally in tallies if tally.type not in MOST_SURE]
            tallies.remove((others or tallies)[-1])
            words = ""
        return [*(share if lit <= room else ()), Segment(words, self.style.quiet)]

    def _share(self, vertex: int) -> list[Segment]:
        """Return how many of the nodes below a vertex are in each light."""
        nodes = self.tree.nodes(vertex)
        if not nodes or not self.lamps.are_lit:
            return []
        total, counts = nodes.bit_count(), self.lamps.counts(nodes)
        out = []
        for light, count in counts:
            whole = "all " if count == total else ""
            out.append(Segment(f"{light.glyph} {whole}{count:,} ", self.style.role(light.role)))
        if len(counts) != 1 or counts[0][1] != total:
            lead = "" if counts else "none "
            out.append(Segment(f"{lead}of {total:,} ", self.style.faint))
        return [*out, Segment(" " * GAP)]


def _segments(*parts: tuple[str, Style]) -> list[Segment]:
    """Return the texts side by side, without empty ones."""
    gaps = ("", *("  " for _ in parts))
    shown = [(printable(text), look) for text, look in parts if text]
    return [Segment(gap + text, look) for gap, (text, look) in zip(gaps, shown, strict=False)]


def vertex_of(item: Item) -> int:
    """Return the vertex of an item: the first of folded leaves, the one that an edge is below."""
    if isinstance(item, Fold):
        return item.first
    return item.vertex if isinstance(item, Bond) else item


def mark_at(level: int) -> int:
    """Return the column of the sign that opens and closes an item of a level."""
    return LEAD + STEP * min(level, DEEPEST)


def description(tree: Containment, item: Item, style: Palette) -> Text:
    """Return what is known about a vertex, folded leaves or an edge, as one line."""
    line = Text(style=style.plain, end="")

    def add(text: str, look: Style, gap: str = "  ") -> None:
        if text:
            line.append(gap if line else "").append(printable(text), look)

    if isinstance(item, Bond):
        add(link_words(item.link, tree.vertex(item.link.row).name), style.label)
        add(tree.path(item.link.row), style.quiet)
        add("enter goes there", style.quiet)
        return line
    vertex = vertex_of(item)
    shown, facts = tree.vertex(vertex), tree.facts(vertex)
    name = tree.fold_name(item) if isinstance(item, Fold) else shown.name
    add(name or "(no name)", style.strong)
    add(shown.type, style.quiet)
    if isinstance(item, Fold):
        first = "; the first:" if facts else ""
        add(f"{item.count:,} alike, enter shows each{first}", style.quiet)
    add(" ".join(shown.properties), style.property)
    for key, value in facts:
        add(f"{key}=", style.quiet)
        add(value, style.plain, gap="")
    if tree.is_derived and tree.parent(vertex) < 0:
        about = WHERE_GRAPHS_ARE.format(key=key_of("open", "ctrl+o"))
        add(about if tree.origin.endswith("topologies") else about + INSIDES_ARE, style.quiet)
    return line
