"""What the map may be ordered and coloured by, and how the values of nodes look on it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from fluxtui.answers.listing.rows import Order
from fluxtui.notation.problem import printable
from fluxtui.ui.nodes.highlights import MATCH, OTHER, STALE, KeyHint, Lit
from fluxtui.ui.nodes.map_layout import Zoom, order_by_rank
from fluxtui.ui.nodes.map_looks import steps
from fluxtui.ui.nodes.nodes_view import Highlight
from fluxtui.workbench import Cluster

if TYPE_CHECKING:
    from fluxtui.answers.listing.orders import Shade

DOWN, NONE = "✗", "·"
RAMP = "▂▃▄▅▆▇"  # the glyphs of values, from few to many

Kind = Literal["rank", "host", "cores", "gpus", "property", "container", "match", "state"]


class By(NamedTuple):
    """What the nodes are ordered or coloured by; name is that of the property or the type."""

    kind: Kind
    name: str = ""

    @property
    def words(self) -> str:
        """It in a word."""
        return printable(self.name) or self.kind


RANK, MATCHING = By("rank"), By("match")


class Coloured(NamedTuple):
    """The values of the nodes: how they look, which nodes have them, and the legend."""

    grounds: tuple[Highlight, ...]
    legend: tuple[tuple[str, str], ...]


def ordered(cluster: Cluster, by: By) -> Order:
    """The nodes of a cluster in an order, ready for use. Takes its time: in the background."""
    from fluxtui.answers.listing import orders

    resources, graph = cluster.resources, cluster.graph
    if by.kind == "host":
        order = orders.by_host(resources)
    elif by.kind == "cores" or by.kind == "gpus":
        order = orders.by_value(resources, by.kind, most_first=True)
    elif by.kind == "property":
        order = orders.by_property(resources, by.name)
    elif by.kind == "container" and graph is not None:
        order = orders.by_container(resources, graph, by.name)
    else:
        order = order_by_rank(cluster)
    order.prepare()
    return order


def is_named(by: By) -> bool:
    """The sections of such an order have names that tell more than the hosts do."""
    return by.kind not in ("rank", "host")


def coloured(cluster: Cluster, by: By) -> Coloured:
    """The values of the nodes of a cluster; none where the document has none. In the background."""
    from fluxtui.answers.listing import orders

    resources = cluster.resources
    if by.kind == "state":
        found = orders.shades_by_state(resources, cluster.graph)
    elif by.kind == "cores" or by.kind == "gpus":
        found = orders.shades_by_value(resources, by.kind)
    else:
        found = orders.shades_by_property(resources, by.name)
    top = max((shade.level for shade in found), default=0)
    alone = sum(shade.level > 0 for shade in found) == 1
    looks = tuple(_look(shade, top, alone=alone) for shade in found)
    words = (printable(shade.words) for shade in found)
    return Coloured(looks, tuple(zip((light.glyph for light in looks), words, strict=True)))


def _look(shade: "Shade", top: int, *, alone: bool) -> Highlight:
    """How a value looks: the higher its step, the taller and the further in the colours."""
    if shade.level < 0:
        return Highlight(shade.mask, DOWN, "problem")
    if not shade.level:
        return Highlight(shade.mask, NONE, "quiet")
    last = len(RAMP) - 1
    step = last if alone else (shade.level - 1) * last // (top - 1)
    return Highlight(shade.mask, MATCH if alone else RAMP[step], f"step{step}")


def over(lit: Lit) -> tuple[Highlight, ...]:
    """The lights that stand over the values of the nodes: all but those that tell the match."""
    return tuple(light for light in lit.lights if light.glyph not in (MATCH, STALE, OTHER))


class Shown(NamedTuple):
    """What a map shows at the moment, beside the lights.

    finding says what is being found.
    """

    zoom: Zoom
    order: By
    colour: By
    coloured: Coloured | None
    finding: str = ""


def marks(lit: Lit, shown: Shown) -> list[tuple[str, str]]:
    """What the glyphs of a map mean now."""
    if shown.coloured is None:
        found = list(lit.legend)
        if shown.zoom.size > 1 and not shown.zoom.has_bars:
            found = [(_shares(glyph), words) for glyph, words in found]
        return found
    specials = [mark for mark in lit.legend if mark[0] not in (MATCH, STALE, OTHER)]
    others = [mark for mark in lit.legend if mark[0] == OTHER]
    return [*specials, *shown.coloured.legend, *others]


def _shares(glyph: str) -> str:
    """A glyph with the first and the last of those that say it of a part of the nodes."""
    parts = steps(glyph)[:-1]
    return f"{parts[:1]}{parts[-1:] if len(parts) > 1 else ''}{glyph}"


def states(lit: Lit, shown: Shown) -> list[str]:
    """What is said of the zoom, the order and the colours, where it is not the usual."""
    found = [shown.finding, KeyHint("esc stops")] if shown.finding else []
    if shown.coloured is not None and shown.colour.kind != "property":
        found.append(shown.colour.words)
    if shown.zoom.size > 1 and not shown.zoom.has_bars:
        found.append(f"1 cell = {shown.zoom.size:,} nodes")
    if shown.order != RANK:
        found.append(f"by {shown.order.words}")
    return found


# The keys of the map, as they are told in its frame; the others are in the whole legend.
_KEYS = tuple(map(KeyHint, ("+ - zoom", "o order", "c colour", "g go to", "l legend")))


def words_of(lit: Lit, shown: Shown) -> tuple[Sequence[tuple[str, str]], Sequence[str]]:
    """What the glyphs of a map mean now, and what else is said, what matters most first."""
    usual = lit.more if lit.legend else ()
    first = _KEYS[:1] if shown.zoom.size != 1 and not lit.selected else ()
    keys = (*first, *usual, *_KEYS[len(first) :])
    return marks(lit, shown), (*states(lit, shown), *keys)
