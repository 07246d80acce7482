"""What the map may be ordered and coloured by: the orders, the names in them, and the values."""

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Literal, NamedTuple

from rich.cells import cell_len

from fluxtui.answers.listing.rows import Order, Section
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import printable
from fluxtui.ui.nodes.highlights import (
    DOWN,
    IN_USE,
    MATCH,
    OTHER,
    STALE,
    Highlight,
    Highlights,
)
from fluxtui.ui.nodes.map_layout import LABEL_LIMIT, SAMPLE, label_width
from fluxtui.workbench import Cluster

if TYPE_CHECKING:
    from fluxtui.answers.listing.orders import Shade

NONE = "·"
RAMP = "▂▃▄▅▆▇"  # the glyphs of values, from few to many

TITLE_LIMIT, NUMBER_LIMIT = 30, 8  # columns

_LAST_NUMBER = re.compile(r"([0-9]+)[^0-9]*\Z")

Kind = Literal["rank", "host", "cores", "gpus", "property", "container", "match", "state"]


class By(NamedTuple):
    """What the nodes are ordered or coloured by; name is that of the property or the type."""

    kind: Kind
    name: str = ""

    @property
    def words(self) -> str:
        """Its name in a word."""
        return printable(self.name) or self.kind

    def is_in(self, cluster: Cluster) -> bool:
        """Whether a document has it."""
        if self.kind == "property":
            return self.name in cluster.resources.properties
        if self.kind == "state" and cluster.snapshot is not None:
            return True
        return self.kind not in ("container", "state") or cluster.graph is not None


RANK, MATCHING = By("rank"), By("match")


# Orders, and the names in them


def order_by_rank(cluster: Cluster) -> Order:
    """The nodes by rank, in stretches of hosts; what these are called is found when it is drawn."""
    stretches = (Section("", start, stop) for start, stop in cluster.stretches)
    return Order(range(cluster.resources.node_count), stretches)


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


class Names:
    """What is written beside the cells of an order, each found only when it is drawn.

    label, number and title are the columns that rows, nodes and lines with bars take. by is what
    the nodes are ordered by: but for ranks and hosts, its sections have names that say more than
    those of the hosts.
    """

    def __init__(self, resources: Resources, order: Order, by: By = RANK) -> None:
        self._resources, self._order = resources, order
        self._by_section = by.kind not in ("rank", "host")
        self.block = lru_cache(maxsize=256)(self._find_block)
        last_rank = str(resources.ranks.last) if resources.ranks else ""
        ranges = islice(resources.hosts.walk(), SAMPLE)
        found = [_LAST_NUMBER.search(names.name(names.last)) for names in ranges]
        numbers = [match[1] for match in found if match is not None]
        all_have_hosts = resources.hosts.count >= resources.node_count
        self._has_numbers = bool(found) and len(numbers) == len(found) and all_have_hosts
        width = max(map(len, numbers if self._has_numbers else [last_rank]))
        self.number = width if width <= NUMBER_LIMIT else 0
        self.label = label_width(resources) or len(last_rank)
        self.title = self.label + self.number + len("[-]")
        if self._by_section:
            names = (section.name for section in islice(order.sections, SAMPLE))
            title = max((cell_len(printable(name)) for name in names), default=0)
            self.label = max(self.label, min(title, LABEL_LIMIT))
            self.title = max(title, self.label)
        self.title = min(self.title, TITLE_LIMIT)

    def row(self, place: int) -> tuple[str, bool]:
        """The label of a row that begins with a place, and whether it is the name of a section."""
        if self._by_section:
            section = self._order.sections[self._order.section_at(place)]
            if section.start == place:
                return printable(section.name), True
        index = self._order.rows[place]
        return printable(self._resources.host(index)) or str(self._resources.rank(index)), False

    def node(self, index: int) -> str:
        """A short name of a node: the number of its host if all have one, else its rank."""
        if not self._has_numbers:
            return str(self._resources.rank(index))
        found = _LAST_NUMBER.search(self._resources.host(index))
        return found[1] if found is not None else ""

    def _find_block(self, start: int, stop: int) -> str:
        """The hosts of the places from start up to stop, or the name of that section."""
        if self._order.is_by_rank:
            nodes = self._order.nodes(start, stop)
            hosts = self._resources.hosts_of(nodes, limit=1)
            return printable(hosts) or f"ranks {self._resources.ranks_text(nodes, limit=1)}"
        section = self._order.sections[self._order.section_at(start)]
        whole = (section.start, section.stop) == (start, stop)
        return printable(section.name) if whole and section.name else self.row(start)[0]


# Colours

#: How the nodes of a running Flux look by their states, the best first.
STATES: Mapping[str, tuple[str, str, str]] = {
    "free": (MATCH, "good", "free"),
    "partly": (IN_USE, "slot", "partly in use"),
    "allocated": (STALE, "slot", "in use"),
    "torpid": ("~", "stale", "torpid"),
    "draining": ("▽", "stale", "draining"),
    "drained": ("▼", "problem", "drained"),
    "offline": (DOWN, "problem", "offline"),
    "excluded": ("-", "faint", "excluded"),
}


def coloured(cluster: Cluster, by: By) -> tuple[Highlight, ...]:
    """The nodes of a cluster by their values, each with what it looks like and means.

    None where they are coloured by the match, or the document has no such values. In the
    background.
    """
    from fluxtui.answers.listing import orders

    resources = cluster.resources
    if by.kind == "state" and cluster.snapshot is not None:
        by_state = cluster.snapshot.nodes.by_state
        return tuple(
            Highlight(by_state[state], glyph, role, f"{by_state[state].bit_count():,} {words}")
            for state, (glyph, role, words) in STATES.items()
            if by_state[state]
        )
    if by.kind == "state":
        found = orders.shades_by_state(resources, cluster.graph)
    elif by.kind == "cores" or by.kind == "gpus":
        found = orders.shades_by_value(resources, by.kind)
    elif by.kind == "property":
        found = orders.shades_by_property(resources, by.name)
    else:
        found = ()
    top = max((shade.level for shade in found), default=0)
    alone = sum(shade.level > 0 for shade in found) == 1
    return tuple(_look(shade, top, alone=alone) for shade in found)


def _look(shade: "Shade", top: int, *, alone: bool) -> Highlight:
    """How a value looks: the higher its step, the taller and the further in the colours."""
    words = printable(shade.words)
    if shade.level <= 0:
        glyph, role = (DOWN, "problem") if shade.level else (NONE, "quiet")
        return Highlight(shade.mask, glyph, role, words)
    last = len(RAMP) - 1
    step = last if alone else (shade.level - 1) * last // (top - 1)
    return Highlight(shade.mask, MATCH if alone else RAMP[step], f"step{step}", words)


def in_colours(found: Highlights, values: tuple[Highlight, ...]) -> Highlights:
    """Highlights over the values of the nodes, which take the place of those of the match."""
    if not values:
        return found
    of_match = (MATCH, STALE, OTHER, IN_USE, DOWN)
    lights = tuple(light for light in found.lights if light.glyph not in of_match)
    shown = [light for light in found.legend if light.glyph not in of_match]
    others = [light for light in found.legend if light.glyph == OTHER]
    return found._replace(lights=lights, legend=(*shown, *values, *others), values=values)
