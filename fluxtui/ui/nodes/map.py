"""The Map pane: the map with its order, colours, legend, and finding a node.

What the nodes are ordered and coloured by belongs to the view, not to the state.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.widgets import Static

from fluxtui.answers.matching import find
from fluxtui.notation.problem import Problem, counted, printable
from fluxtui.notation.sets.bits import lowest
from fluxtui.ui.kit.dialog import Dialog
from fluxtui.ui.kit.keys import bind, key_of
from fluxtui.ui.kit.palette import palette_of
from fluxtui.ui.kit.workers import LatestTasks
from fluxtui.ui.nodes.highlights import (
    FULL,
    MEANINGS,
    PARTS,
    UNLIT,
    Highlight,
    Highlights,
    KeyHint,
    coloured,
    highlights_of,
    in_colours,
    legend_line,
    steps,
)
from fluxtui.ui.nodes.map_layout import Names, Zoom
from fluxtui.ui.nodes.map_orders import MATCHING, RANK, By, ordered
from fluxtui.ui.nodes.node_map import NodeMap
from fluxtui.ui.nodes.nodes_view import ClusterPane, Handlers
from fluxtui.workbench import Cluster, State

if TYPE_CHECKING:
    from fluxtui.answers.listing.filtering import Filtered
    from fluxtui.ui.kit.prompt import Prompt

TYPES = "map types"  # a group of workers, beside those of what is arranged
PATIENCE = 0.15  # seconds, after which the frame says what is being found
NODES_NAMED = 4

# The keys that the frame names, beside those in the footer.
_LEGEND_HINT = KeyHint("l", "legend")
_ZOOM_HINT = KeyHint("+ -", "zoom")

What = Literal["order", "colours"]


class Shown(NamedTuple):
    """What a map shows beside the highlights; finding says what is being found."""

    zoom: Zoom
    order: By = RANK
    colours: By = MATCHING
    finding: str = ""


class MapPane(ClusterPane):
    """Shows which nodes match, one cell a node or several, and asks questions below them."""

    # First, so that what is typed right after is already for what is asked.
    BINDINGS: ClassVar[list[BindingType]] = [
        bind(
            "map.order",
            "o",
            "order",
            "Order",
            "Order the nodes by rank, host, cores, memory, what is inside, a property, racks",
            footer=True,
            first=True,
        ),
        bind(
            "map.colour",
            "c",
            "colour",
            "Colour",
            "Colour the nodes by match, cores, memory, what is inside, a property or state",
            footer=True,
            first=True,
        ),
        bind(
            "map.find",
            "slash",
            "find",
            "Find node",
            "Go to a rank or a host, or select nodes by property, state or inside (numa:8)",
            footer=True,
            first=True,
        ),
        bind("map.legend", "l", "legend", "Legend", "Explain the glyphs and colours", first=True),
        bind("map.stop", "escape", "stop", "", first=True),
    ]

    def __init__(self, handlers: Handlers, *, id: str) -> None:
        super().__init__(id=id)
        # A question below the map does not change the zoom: the height of both counts.
        self.map = NodeMap(handlers, self.say_keys, frame=self, id="node-map")
        self._tasks = LatestTasks(self)
        self._go, self._select = handlers.move, handlers.select
        self._prompt: Prompt | None = None  # made for the first question
        self._by: dict[What, By] = {"order": RANK, "colours": MATCHING}
        self._wanted = dict(self._by)
        self._values: tuple[Highlight, ...] = ()
        self._being_found: dict[What, str] = {}  # in words

    def compose(self) -> ComposeResult:
        """The map; the line of questions comes when it is first wanted."""
        yield self.map

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The keys are for the map, and for one that has nodes."""
        if action not in ("order", "colour", "find", "legend", "stop"):
            return True
        # Not has_focus, which changes a little after the focus has gone.
        in_map = self.screen.focused is self.map
        return in_map and bool(self._being_found if action == "stop" else self.map.listing.count)

    @property
    def view(self) -> NodeMap:
        """The map itself."""
        return self.map

    @property
    def shown(self) -> Shown:
        """What the map shows beside the highlights."""
        finding = "  ".join(self._being_found.values())
        return Shown(self.map.zoom, self._by["order"], self._by["colours"], finding)

    # Display

    def _show_cluster(self, cluster: Cluster) -> None:
        """Show the nodes of another document, ordered and coloured as those before were."""
        self._tasks.cancel_all()
        self._being_found.clear()
        self._values = ()
        self._by = {"order": RANK, "colours": MATCHING}
        if self._prompt is not None:
            self._prompt.close()
        self.map.show_cluster(cluster)
        for what, by in self._wanted.items():
            if by != self._by[what] and by.is_in(cluster):
                self.show_by(what, by)

    def _refresh_cluster(self, cluster: Cluster) -> None:
        """Colour the nodes by what they are now, where it is that they are coloured by."""
        if self._by["colours"].kind == "state":
            self._values = coloured(cluster, self._by["colours"])

    def _show_highlights(self, found: Highlights, state: State) -> None:
        self.map.show_lights(in_colours(found, self._values))

    def _words(self, room: int) -> Text:
        """What the glyphs mean now; then the zoom and the order, the selection, and the keys."""
        found, shown = self.map.found, self.shown
        has_shares = shown.zoom.size != 1 and not found.selected
        hints = (*(found.more if found.legend else ()), _LEGEND_HINT)
        hints = (_ZOOM_HINT, *hints) if has_shares else (*hints, _ZOOM_HINT)
        keys = self.has_keys(self.map)
        marks = marks_of(found, shown.zoom)
        return legend_line(marks, (*states(shown), *hints), room, self.style, keys=keys)

    # Orders and colours

    def show_by(self, what: What, by: By) -> None:
        """Order or colour the nodes by something, once that is prepared in the background.

        The frame says so where it takes its time.
        """
        if self._shown is None:
            return
        cluster = self._shown.cluster
        work: Callable[[Cluster, By], Any] = ordered if what == "order" else coloured
        self._wanted[what] = by
        self._being_found[what] = (
            f"{'ordering' if what == 'order' else 'colouring'} by {by.words} …"
        )
        self._tasks.start(
            f"map {what}", lambda stop: work(cluster, by), partial(self._take, cluster, what, by)
        )
        self.set_timer(PATIENCE, self.say_keys)

    def _take(self, cluster: Cluster, what: What, by: By, found: Any) -> None:
        self._being_found.pop(what, None)
        if what == "order":
            self._by[what] = by
            self.map.show_order(found, Names(cluster.resources, found, by))
        elif by.kind == "state" and not found:
            self._wanted[what] = self._by[what]
            self.notify("This document does not say which nodes are up or down.", timeout=5)
        else:
            self._by[what], self._values = by, found
            if self._shown is not None and self._shown.cluster is not cluster:
                self._refresh_cluster(self._shown.cluster)  # it went on meanwhile
            if self._shown is not None:
                self._show_highlights(highlights_of(self._shown), self._shown)
        self.say_keys()

    def action_stop(self) -> None:
        """Stop preparing an order or colours; the current ones stay."""
        for what in self._being_found:
            self._tasks.cancel(f"map {what}")
        self._being_found.clear()
        self._wanted = dict(self._by)
        self.say_keys()

    def action_order(self) -> None:
        """Ask for an order; the types of what contains the nodes are looked for first."""
        graph = self._shown.cluster.graph if self._shown is not None else None

        def known(types: tuple[str, ...]) -> None:
            racks = {By("container", type_): "from the resource graph" for type_ in types}
            most = {By("cores"): "most first", By("gpus"): "most first"}
            most |= {By("memory"): "most first", By("inside"): "most domains first"}
            choices = {RANK: "", By("host"): "n2 before n10", **most, **racks}
            if self.app.screen is self.screen:  # else a person has gone on to something else
                self._choose("Order of the nodes", "order", choices)

        if graph is None:
            known(())
        else:
            from fluxtui.answers.listing.orders import container_types

            self._tasks.start(TYPES, lambda stop: container_types(graph), known)

    def action_colour(self) -> None:
        """Ask for colours."""
        choices = {
            MATCHING: "which nodes match",
            By("cores"): "how many a node has",
            By("gpus"): "how many a node has",
            By("memory"): "how much a node has",
            By("inside"): "the domains in a node, such as sockets",
            By("state"): "up or down; of a running Flux free, allocated, drained and so on",
        }
        self._choose("Colours of the nodes", "colours", choices)

    def _choose(self, title: str, what: What, choices: Mapping[By, str]) -> None:
        from fluxtui.ui.kit.picker import Item, Picker

        def item(by: By, detail: str, group: str = "") -> Item[By]:
            return Item(by, by.words, detail, right="now" if by == now else "", group=group)

        def chosen(by: By | None) -> None:
            if by is not None:
                self.show_by(what, by)

        now = self._by[what]
        items = [item(by, detail) for by, detail in choices.items()]
        if self._shown is not None:
            cluster = self._shown.cluster
            items = [one for one in items if one.value.kind == "state" or one.value.is_in(cluster)]
            names = cluster.resources.properties
            items += [item(By("property", name), "", "by a property") for name in names]
        at = next((n for n, one in enumerate(items) if one.value == now), 0)
        self.app.push_screen(Picker(title, items, at=at), chosen)

    # A node to go to, asked for below the map

    async def action_find(self) -> None:
        """Ask for a node to go to, or for what many nodes are, which selects them."""
        if self._shown is None:
            return
        finder = Finder(self._shown.cluster)

        def taken(text: str) -> None:
            first, named = finder.meant(text.strip())
            if first:
                self._go(first[0])
            if named is not None:
                self._select(named.mask)

        from fluxtui.ui.kit.prompt import Prompt

        self._prompt = prompt = await Prompt.within(
            self, lambda: self.screen.set_focus(self.map), id="map-prompt"
        )
        prompt.ask("Find node", "", taken, finder.check, note=finder.note)

    # The legend

    def action_legend(self) -> None:
        """Show the whole legend."""
        self.app.push_screen(LegendDialog(legend_rows(self.map.found, self.shown)))


class Finder:
    """What a text means that is typed to find nodes: some of them, or what many of them are."""

    def __init__(self, cluster: Cluster) -> None:
        from fluxtui.answers.listing import amounts
        from fluxtui.answers.listing.filtering import Filter

        self._resources = cluster.resources
        self._example = printable(amounts.example(cluster.resources))
        states = cluster.snapshot.nodes.named if cluster.snapshot is not None else {}
        self._has_states = bool(states)
        self._filter = Filter(cluster.resources, states)
        self.meant = lru_cache(maxsize=1)(self._meant)

    def _meant(self, text: str) -> "tuple[Sequence[int], Filtered | None]":
        """The first nodes that a text may mean, and where it is what nodes are, all of them."""
        found = find(self._resources, text, NODES_NAMED)
        named = self._filter.named(text) if text and not found else None
        if named is None:
            return found, None
        return [lowest(named.mask, 1).bit_length() - 1] if named.mask else [], named

    def check(self, text: str) -> Problem | None:
        """What speaks against a text."""
        first, named = self.meant(text.strip())
        if first or not text.strip():
            return None
        if named is not None:
            return Problem(f"{named.words}: no node")
        return Problem(f"no {self._filter.things} begins with this")

    def note(self, text: str) -> str:
        """What a text means, or what may be typed."""
        resources, (nodes, named) = self._resources, self.meant(text.strip())
        if not nodes:
            states = ", free, drained, down …" if self._has_states else ""
            return f"a rank, the start of a host name, a property, {self._example}{states}"
        if named is not None:
            count, hosts = counted(named.mask.bit_count(), "node"), self._resources.hosts_of
            return f"{named.words}: enter selects {count}   {hosts(named.mask, NODES_NAMED)}"
        first, *rest = nodes
        words = " · ".join(filter(None, (resources.host(first), f"rank {resources.rank(first)}")))
        others = " ".join(filter(None, map(resources.host, rest)))
        return f"{words}   also {others}" if others else words


class StateMap(NodeMap, can_focus=False):
    """A read-only map of a state: all nodes at once, without a cursor."""

    def __init__(self, on_zoom: Callable[[], object]) -> None:
        super().__init__(Handlers(), on_zoom, all_zooms=False, id="stage-map")
        key = key_of("open", "ctrl+o")
        self.notice = (f"There are no nodes here: press esc, then {key} to open a cluster.",)

    def show_state(self, state: State) -> None:
        """Highlight the nodes that match; none where the constraint cannot be read."""
        found = highlights_of(state)
        self.show_lights(found._replace(dark=UNLIT) if state.ask.stale else found)

    def legend_of(self, state: State) -> Text:
        """What the glyphs mean now, and how many nodes a cell has."""
        marks, words = marks_of(highlights_of(state), self.zoom), states(Shown(self.zoom))
        return legend_line(marks, words, self.size.width, palette_of(self), keys=False)

    def _hover_over(self, index: int | None) -> None:
        """Ignore the mouse."""


def marks_of(found: Highlights, zoom: Zoom) -> list[Highlight]:
    """What the glyphs of a map mean now; with the first and the last of the shares of a cell."""
    if found.values or zoom.size == 1 or zoom.kind == "bars":
        return list(found.legend)
    marks = []
    for mark in found.legend:
        parts = steps(mark.glyph)[:-1]
        ends = f"{parts[:1]}{parts[-1:] if len(parts) > 1 else ''}"
        marks.append(mark._replace(glyph=ends + mark.glyph))
    return marks


def states(shown: Shown) -> list[str | KeyHint]:
    """The zoom, the order and the colours in words, where they are not the usual ones."""
    found: list[str | KeyHint] = []
    if shown.finding:
        found += [shown.finding, KeyHint("esc", "stops")]
    if shown.colours.kind not in ("match", "property"):
        found.append(f"colours: {shown.colours.words}")
    if shown.zoom.size > 1 and shown.zoom.kind == "cells":
        found.append(f"1 cell = {shown.zoom.size:,} nodes")
    if shown.order != RANK:
        found.append(f"order: {shown.order.words}")
    return found


def legend_rows(found: Highlights, shown: Shown) -> list[Highlight]:
    """The whole legend: the glyphs, what a cell is, the order and the colours."""
    zoom, rows = shown.zoom, explained(marks_of(found, shown.zoom))
    is_full = any(mark.glyph in FULL for mark in found.legend)
    facts: dict[str, str] = {}
    if zoom.size > 1 and found.selected:
        rows.append(Highlight(0, "◈", "slot", "some nodes in the cell are selected"))
    if zoom.size > 1 and zoom.kind == "cells" and is_full and not found.values:
        rows.append(Highlight(0, PARTS, "match", "some nodes in the cell match, from few to most"))
    if zoom.kind == "bars":
        nodes = f"{zoom.size:,} nodes" if zoom.size else "all nodes of a section"
        facts["a line"] = f"{nodes}: how many match, out of how many"
    else:
        facts["a cell"] = "one node" if zoom.size == 1 else f"{zoom.size:,} nodes"
    facts |= {"order": shown.order.words, "colours": shown.colours.words}
    return [*rows, *(Highlight(0, name, "quiet", words) for name, words in facts.items())]


def explained(marks: list[Highlight]) -> list[Highlight]:
    """The same, with what the words for the states of nodes mean behind them."""
    meanings = [MEANINGS.get(mark.words.partition(" ")[2], "") for mark in marks]
    both = [*zip(marks, meanings, strict=True)]
    width = max((cell_len(mark.words) for mark, means in both if means), default=0)
    return [
        mark._replace(words=f"{set_cell_size(mark.words, width)}   {means}") if means else mark
        for mark, means in both
    ]


class LegendDialog(Dialog[None]):
    """Explains the glyphs and colours of the map."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("legend.close", "l,q,enter,space", "dismiss_dialog", "Close", "Close the legend"),
    ]

    def __init__(self, rows: list[Highlight]) -> None:
        super().__init__()
        self._rows = rows

    def compose(self) -> ComposeResult:
        """A line for each glyph and each fact."""
        palette, text = palette_of(self), Text()
        width = max(len(row.glyph) for row in self._rows)
        for row in self._rows:
            text.append("\n" if text else "")
            text.append(f"{row.glyph:<{width}}", palette.role(row.role)).append(f"   {row.words}")
        with VerticalScroll(id="box"):
            yield Static(text)

    def on_mount(self) -> None:
        """Name it and its key."""
        self.say_title("Legend of the map")
        self.say_keys(("escape", "closes"))
