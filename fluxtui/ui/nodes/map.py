"""The map with its order, colours and legend, and the search for a node."""

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
from fluxtui.notation.problem import Problem, counted
from fluxtui.notation.sets.bits import lowest
from fluxtui.ui.kit.dialog import Dialog
from fluxtui.ui.kit.keys import bind, key_of
from fluxtui.ui.kit.palette import palette_of
from fluxtui.ui.nodes.cluster import Part
from fluxtui.ui.nodes.highlights import (
    FULL,
    MEANINGS,
    PARTS,
    Highlight,
    Highlights,
    KeyHint,
    highlights_of,
    in_colours,
    legend_line,
    steps,
)
from fluxtui.ui.nodes.map_layout import Names, Zoom
from fluxtui.ui.nodes.map_orders import (
    COLOURS,
    MATCHING,
    ORDERS,
    RANK,
    By,
    Kind,
    coloured,
    ordered,
)
from fluxtui.ui.nodes.node_map import NodeMap
from fluxtui.ui.nodes.nodes_view import Handlers
from fluxtui.workbench import Cluster, State

if TYPE_CHECKING:
    from fluxtui.answers.listing.filtering import Filtered

TYPES = "map types"  # a background task, besides one for each What
PATIENCE = 0.15  # seconds after which the frame says that an order or colours are being prepared
NODES_NAMED = 4

# Keys that the frame names in addition to those in the footer.
_LEGEND_HINT = KeyHint("l", "legend")
_ZOOM_HINT = KeyHint("+ -", "zoom")

What = Literal["order", "colours"]
_DOING: Mapping[What, str] = {"order": "ordering", "colours": "colouring"}


class Shown(NamedTuple):
    """What a map shows besides the highlights; busy names what is being prepared, if anything."""

    zoom: Zoom
    order: By = RANK
    colours: By = MATCHING
    busy: str = ""


class ClusterMap(Part):
    """The map with its order, colours and legend; the prompt appears below it.

    What the nodes are ordered and coloured by belongs to this widget, not to the state.
    """

    view: NodeMap
    prompt_id = "map-prompt"

    # First, so that what is typed right after goes to the dialog or prompt.
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("map.order", "o", "order", "Order",
             "Order the nodes by rank, host, cores, memory, what is inside, a property, racks",
             footer=True, first=True),
        bind("map.colour", "c", "colour", "Colour",
             "Colour the nodes by match, cores, memory, what is inside, a property or state",
             footer=True, first=True),
        bind("map.find", "slash", "find", "Find node",
             "Go to a rank or a host, or select nodes by property, state or inside (numa:8)",
             footer=True, first=True),
        bind("map.legend", "l", "legend", "Legend", "Explain the glyphs and colours", first=True),
        bind("map.stop", "escape", "stop", "", first=True),
    ]  # fmt: skip

    def __init__(self, handlers: Handlers, say_keys: Callable[[], None]) -> None:
        # The prompt below the map does not change the zoom: the height of both together counts.
        self.view = NodeMap(handlers, say_keys, frame=self, id="node-map")
        super().__init__(self.view, say_keys, id="map")
        self._handlers = handlers
        self._by: dict[What, By] = {"order": RANK, "colours": MATCHING}  # in force
        self._wanted = dict(self._by)  # chosen last, perhaps still being prepared
        self._values: tuple[Highlight, ...] = ()
        self._state: State | None = None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enable the keys while the map has the focus and nodes; stop, while something is busy."""
        is_used = self.shown.busy if action == "stop" else self.view.listing.count
        return bool(is_used) and super().check_action(action, parameters)

    @property
    def shown(self) -> Shown:
        """What the map shows besides the highlights."""
        running = [what for what in self._by if what in self.tasks.running]
        busy = "  ".join(f"{_DOING[what]} by {self._wanted[what].words} …" for what in running)
        return Shown(self.view.zoom, self._by["order"], self._by["colours"], busy)

    # Display

    def show_cluster(self, cluster: Cluster) -> None:
        """Show the nodes of another document, ordered and coloured as the ones before."""
        super().show_cluster(cluster)
        self._values = ()
        self._by = {"order": RANK, "colours": MATCHING}
        self.close_prompt()
        self.view.show_cluster(cluster)
        for what, by in self._wanted.items():
            if by != self._by[what] and by.is_in(cluster):
                self.show_by(what, by)

    def refresh_cluster(self, cluster: Cluster) -> None:
        """Show the same nodes of a running Flux later; colours by state follow their new states."""
        super().refresh_cluster(cluster)
        if self._by["colours"].kind == "state":
            self._values = coloured(cluster, self._by["colours"])

    def show_lights(self, highlights: Highlights, state: State) -> None:
        """Show highlights, on top of colours by value."""
        self._state = state
        self.view.show_lights(in_colours(highlights, self._values))

    def words(self, room: int, *, keys: bool) -> Text:
        """Return what the glyphs mean now, then the zoom, order and colours, and the keys."""
        highlights, shown = self.view.highlights, self.shown
        has_shares = shown.zoom.size != 1 and not highlights.selected
        hints = (*(highlights.more if highlights.legend else ()), _LEGEND_HINT)
        hints = (_ZOOM_HINT, *hints) if has_shares else (*hints, _ZOOM_HINT)
        marks = marks_of(highlights, shown.zoom)
        return legend_line(marks, (*states(shown), *hints), room, palette_of(self), keys=keys)

    # Orders and colours

    def show_by(self, what: What, by: By) -> None:
        """Order or colour the nodes by something, once that is prepared in the background.

        If it takes longer than PATIENCE, the frame says so.
        """
        cluster = self.cluster
        work: Callable[[Cluster, By], Any] = ordered if what == "order" else coloured
        self._wanted[what] = by
        take = partial(self._take, cluster, what, by)
        self.tasks.start(what, lambda stop: work(cluster, by), take)
        self.set_timer(PATIENCE, self.say_keys)

    def _take(self, cluster: Cluster, what: What, by: By, result: Any) -> None:
        if what == "order":
            self._by[what] = by
            by_section = by.kind not in ("rank", "host")
            self.view.show_order(result, Names(cluster.resources, result, by_section=by_section))
        elif by.kind == "state" and not result:
            self._wanted[what] = self._by[what]
            self.notify("This document does not say which nodes are up or down.", timeout=5)
        else:
            self._by[what], self._values = by, result
            if self.cluster is not cluster:
                self.refresh_cluster(self.cluster)  # the states may have changed meanwhile
            if self._state is not None:
                self.show_lights(highlights_of(self._state), self._state)
        self.say_keys()

    def action_stop(self) -> None:
        """Stop preparing an order or colours; the current ones stay."""
        self.tasks.cancel_all()
        self._wanted = dict(self._by)
        self.say_keys()

    def action_order(self) -> None:
        """Ask for an order, once the types of the vertices that contain nodes are known."""
        graph = self.cluster.graph

        def choose(types: tuple[str, ...]) -> None:
            racks = {By("container", type_): "from the resource graph" for type_ in types}
            if self.app.screen is self.screen:  # the user has not moved on to another screen
                self._choose("Order of the nodes", "order", ORDERS, racks)

        if graph is None:
            choose(())
        else:
            from fluxtui.answers.listing.orders import container_types

            self.tasks.start(TYPES, lambda stop: container_types(graph), choose)

    def action_colour(self) -> None:
        """Ask for colours."""
        self._choose("Colours of the nodes", "colours", COLOURS, {})

    def _choose(
        self, title: str, what: What, kinds: Mapping[Kind, str], more: Mapping[By, str]
    ) -> None:
        from fluxtui.ui.kit.picker import Item, Picker

        def item(by: By, detail: str, group: str = "") -> Item[By]:
            return Item(by, by.words, detail, right="now" if by == now else "", group=group)

        def chosen(by: By | None) -> None:
            if by is not None:
                self.show_by(what, by)

        now, cluster = self._by[what], self.cluster
        choices = {**{By(kind): detail for kind, detail in kinds.items()}, **more}
        items = [
            item(by, detail)
            for by, detail in choices.items()
            if by.kind == "state" or by.is_in(cluster)
        ]
        names = cluster.resources.properties
        items += [item(By("property", name), "", "by a property") for name in names]
        at = next((n for n, entry in enumerate(items) if entry.value == now), 0)
        self.app.push_screen(Picker(title, items, at=at), chosen)

    # Finding nodes, with the prompt below the map

    async def action_find(self) -> None:
        """Ask for a node to go to, or for what nodes have in common, which selects them."""
        finder = Finder(self)

        def take(text: str) -> None:
            first, named = finder.meant(text.strip())
            if first:
                self._handlers.move(first[0])
            if named is not None:
                self._handlers.select(named.mask)

        prompt = await self.prompt()
        prompt.ask("Find node", "", take, finder.check, note=finder.note)

    # The legend

    def action_legend(self) -> None:
        """Show the whole legend."""
        self.app.push_screen(LegendDialog(legend_rows(self.view.highlights, self.shown)))


class Finder:
    """Interprets a text typed to find nodes: a rank, a host, or what nodes have in common."""

    def __init__(self, part: Part) -> None:
        from fluxtui.answers.listing.filtering import Filter

        self._resources, self._example = part.cluster.resources, part.example()
        self._filter = Filter(self._resources, part.states)
        self.meant = lru_cache(maxsize=1)(self._meant)

    def _meant(self, text: str) -> "tuple[Sequence[int], Filtered | None]":
        """Return the first nodes that a text may mean, and all nodes if it is what many have."""
        nodes = find(self._resources, text, NODES_NAMED)
        named = self._filter.named(text) if text and not nodes else None
        if named is None:
            return nodes, None
        return [lowest(named.mask, 1).bit_length() - 1] if named.mask else [], named

    def check(self, text: str) -> Problem | None:
        """Return what is wrong with a text; None if it means a node or is blank."""
        first, named = self.meant(text.strip())
        if first or not text.strip():
            return None
        if named is not None:
            return Problem(f"{named.words}: no node")
        return Problem(f"no {self._filter.things} begins with this")

    def note(self, text: str) -> str:
        """Return what a text means, or else what can be typed."""
        resources, (nodes, named) = self._resources, self.meant(text.strip())
        if not nodes:
            return f"a rank, the start of a host name, a property, {self._example}"
        if named is not None:
            count, hosts = counted(named.mask.bit_count(), "node"), self._resources.hosts_of
            return f"{named.words}: enter selects {count}   {hosts(named.mask, NODES_NAMED)}"
        first, *rest = nodes
        words = " · ".join(filter(None, (resources.host(first), f"rank {resources.rank(first)}")))
        others = " ".join(filter(None, map(resources.host, rest)))
        return f"{words}   also {others}" if others else words


class StateMap(NodeMap, can_focus=False):
    """A read-only map of a state: all nodes at once, no cursor."""

    def __init__(self, on_zoom: Callable[[], object]) -> None:
        super().__init__(Handlers(), on_zoom, all_zooms=False, id="stage-map")
        key = key_of("open", "ctrl+o")
        self.notice = (f"There are no nodes here: press esc, then {key} to open a cluster.",)

    def show_state(self, state: State) -> None:
        """Highlight the nodes that match."""
        self.show_lights(highlights_of(state))

    def legend_of(self, state: State) -> Text:
        """Return what the glyphs mean now, and how many nodes a cell has."""
        marks, words = marks_of(highlights_of(state), self.zoom), states(Shown(self.zoom))
        return legend_line(marks, words, self.size.width, palette_of(self), keys=False)

    def item_at(self, x: int, y: int) -> int | None:
        """Return None: the mouse is ignored."""
        return None


def marks_of(highlights: Highlights, zoom: Zoom) -> list[Highlight]:
    """Return what the glyphs mean; for cells of several nodes, with their partial glyphs."""
    if highlights.values or zoom.size == 1 or zoom.kind == "bars":
        return list(highlights.legend)
    marks = []
    for mark in highlights.legend:
        parts = steps(mark.glyph)[:-1]
        ends = f"{parts[:1]}{parts[-1:] if len(parts) > 1 else ''}"
        marks.append(mark._replace(glyph=ends + mark.glyph))
    return marks


def states(shown: Shown) -> list[str | KeyHint]:
    """Return the zoom, the order and the colours in words, where they are not the usual ones."""
    words: list[str | KeyHint] = []
    if shown.busy:
        words += [shown.busy, KeyHint("esc", "stops")]
    if shown.colours.kind not in ("match", "property"):
        words.append(f"colours: {shown.colours.words}")
    if shown.zoom.size > 1 and shown.zoom.kind == "cells":
        words.append(f"1 cell = {shown.zoom.size:,} nodes")
    if shown.order != RANK:
        words.append(f"order: {shown.order.words}")
    return words


def legend_rows(highlights: Highlights, shown: Shown) -> list[Highlight]:
    """Return the whole legend: the glyphs, what a cell is, the order and the colours."""
    zoom, rows = shown.zoom, explained(marks_of(highlights, shown.zoom))
    is_full = any(mark.glyph in FULL for mark in highlights.legend)
    facts: dict[str, str] = {}
    if zoom.size > 1 and highlights.selected:
        rows.append(Highlight(0, "◈", "slot", "some nodes in the cell are selected"))
    if zoom.size > 1 and zoom.kind == "cells" and is_full and not highlights.values:
        rows.append(Highlight(0, PARTS, "match", "some nodes in the cell match, from few to most"))
    if zoom.kind == "bars":
        nodes = f"{zoom.size:,} nodes" if zoom.size else "all nodes of a section"
        facts["a line"] = f"{nodes}: how many match, out of how many"
    else:
        facts["a cell"] = "one node" if zoom.size == 1 else f"{zoom.size:,} nodes"
    facts |= {"order": shown.order.words, "colours": shown.colours.words}
    return [*rows, *(Highlight(0, name, "quiet", words) for name, words in facts.items())]


def explained(marks: list[Highlight]) -> list[Highlight]:
    """Return the marks with the words for node states followed by what they mean."""
    meanings = [MEANINGS.get(mark.words.partition(" ")[2], "") for mark in marks]
    pairs = [*zip(marks, meanings, strict=True)]
    width = max((cell_len(mark.words) for mark, meaning in pairs if meaning), default=0)
    return [
        mark._replace(words=f"{set_cell_size(mark.words, width)}   {meaning}") if meaning else mark
        for mark, meaning in pairs
    ]


class LegendDialog(Dialog[None]):
    """Explains the glyphs and colours of the map."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("legend.close", "l,q,enter,space", "dismiss_dialog", "Close", "Close the legend",
             first=True),
    ]  # fmt: skip

    def __init__(self, rows: list[Highlight]) -> None:
        super().__init__()
        self._rows = rows

    def compose(self) -> ComposeResult:
        """Compose a line for each glyph and each fact."""
        palette, text = palette_of(self), Text()
        width = max(len(row.glyph) for row in self._rows)
        for row in self._rows:
            text.append("\n" if text else "")
            text.append(f"{row.glyph:<{width}}", palette.role(row.role)).append(f"   {row.words}")
        with VerticalScroll(id="box"):
            yield Static(text)

    def on_mount(self) -> None:
        """Show the title and the key that closes the dialog."""
        self.say_title("Legend of the map")
        self.say_keys(("escape", "closes"))
