"""The Map pane: the map with its order, colours, legend, and finding a node.

What the nodes are ordered and coloured by belongs to the view, not to the state.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, ClassVar, TypeVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.widgets import Static

from fluxtui.answers.listing.rows import Order
from fluxtui.answers.matching import find
from fluxtui.notation.problem import Problem
from fluxtui.ui.kit.dialog import Dialog
from fluxtui.ui.kit.keys import bind, key_of
from fluxtui.ui.kit.palette import Palette, palette_of
from fluxtui.ui.kit.workers import LatestTasks
from fluxtui.ui.nodes.cluster_pane import ClusterPane
from fluxtui.ui.nodes.highlights import (
    FULL,
    OTHER,
    PARTS,
    UNLIT,
    Highlights,
    KeyHint,
    Mark,
    highlights_of,
    legend_line,
    steps,
)
from fluxtui.ui.nodes.map_colours import (
    MATCH_GLYPHS,
    MATCHING,
    RANK,
    By,
    Coloured,
    Names,
    Shown,
    coloured,
    ordered,
    over,
)
from fluxtui.ui.nodes.node_map import NodeMap
from fluxtui.ui.nodes.nodes_view import Handlers
from fluxtui.workbench import Cluster, State

if TYPE_CHECKING:
    from fluxtui.ui.kit.prompt import Prompt

# The groups of the workers.
ORDER, COLOUR = "map order", "map colours"
TYPES, HOSTS = "map types", "map hosts"

PATIENCE = 0.15  # seconds, after which the frame says what is being found
NODES_NAMED = 4

# The keys that the frame names, beside those in the footer.
_LEGEND_HINT = KeyHint("l", "legend")
_ZOOM_HINT = KeyHint("+ -", "zoom")

T = TypeVar("T")


class MapPane(ClusterPane):
    """Shows which nodes match, one cell a node or several, and asks questions below them."""

    # First, so that what is typed right after is already for what is asked.
    BINDINGS: ClassVar[list[BindingType]] = [
        bind(
            "map.order",
            "o",
            "order",
            "Order",
            "Order the nodes by rank, host, cores, gpus, a property or racks",
            footer=True,
            first=True,
        ),
        bind(
            "map.colour",
            "c",
            "colour",
            "Colour",
            "Colour the nodes by match, cores, gpus, a property or state",
            footer=True,
            first=True,
        ),
        bind(
            "map.find",
            "slash",
            "find",
            "Find node",
            "Go to a rank, or to a host by the start of its name",
            footer=True,
            first=True,
        ),
        bind(
            "map.legend",
            "l",
            "legend",
            "Legend",
            "Explain the glyphs and colours of the map",
            first=True,
        ),
        bind("map.stop", "escape", "stop", "", first=True),
    ]

    def __init__(self, handlers: Handlers, *, id: str) -> None:
        super().__init__(id=id)
        # A question below the map does not change the zoom: the height of both counts.
        self.map = NodeMap(handlers, self.say_keys, frame=self, id="node-map")
        self._tasks = LatestTasks(self)
        self._go = handlers.move
        self._prompt: Prompt | None = None  # made for the first question
        self._cluster: Cluster | None = None
        self._order = self._order_wanted = RANK
        self._colour = self._colour_wanted = MATCHING
        self._coloured: Coloured | None = None
        self._being_found: dict[str, str] = {}  # in words, by kind
        self._is_indexed = False  # the hosts of the cluster are

    def compose(self) -> ComposeResult:
        """The map; the line of questions comes when it is first wanted."""
        yield self.map

    def on_unmount(self) -> None:
        """Cancel background work."""
        self._tasks.cancel_all()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The keys are for the map, and for one that has nodes."""
        if action not in ("order", "colour", "find", "legend", "stop"):
            return True
        # Not has_focus, which changes a little after the focus has gone.
        in_map = self.screen.focused is self.map
        if action == "stop":
            return in_map and bool(self._being_found)
        return bool(in_map and self._cluster and self._cluster.resources.node_count)

    @property
    def view(self) -> NodeMap:
        """The map itself."""
        return self.map

    # Display

    def _show_cluster(self, cluster: Cluster) -> None:
        """Show the nodes of another document, ordered and coloured as those before were."""
        self._tasks.cancel_all()
        self._being_found.clear()
        self._cluster, self._coloured, self._is_indexed = cluster, None, False
        self._order, self._colour = RANK, MATCHING
        if self._prompt is not None:
            self._prompt.close()
        self.map.show_cluster(cluster)
        if self._order_wanted != RANK and self._has(self._order_wanted):
            self.order_by(self._order_wanted)
        if self._colour_wanted != MATCHING and self._has(self._colour_wanted):
            self.colour_by(self._colour_wanted)

    def _has(self, by: By) -> bool:
        """The document has what the nodes of the one before were ordered or coloured by."""
        if self._cluster is None:
            return False
        if by.kind == "property":
            return by.name in self._cluster.resources.properties
        return by.kind not in ("container", "state") or self._cluster.graph is not None

    def _show_highlights(self, found: Highlights, state: State | None = None) -> None:
        if self._coloured is None:
            self.map.show_lights(found.lights, found.dark, found.mask, found.selected)
        else:
            values = self._coloured.grounds, found.good
            self.map.show_lights(over(found), found.dark, found.mask, found.selected, *values)

    @property
    def shown(self) -> Shown:
        """What the map shows beside the highlights."""
        finding = "  ".join(self._being_found.values())
        return Shown(self.map.zoom, self._order, self._colour, self._coloured, finding)

    def _words(self, room: int) -> Text:
        """What the glyphs mean now; then the zoom and the order, the selection, and the keys."""
        found, shown = self._highlights, self.shown
        assert found is not None
        usual = found.more if found.legend else ()
        hints = (*usual, _LEGEND_HINT)
        has_shares = shown.zoom.size != 1 and not found.selected
        hints = (_ZOOM_HINT, *hints) if has_shares else (*hints, _ZOOM_HINT)
        keys = self.has_keys(self.map)
        return legend_line(
            marks(found, shown), (*states(shown), *hints), room, self.style, keys=keys
        )

    def _find(
        self, kind: str, words: str, work: Callable[[], T], take: Callable[[T], None]
    ) -> None:
        """Find something in the background, and say so where it takes its time."""

        def taken(found: T) -> None:
            self._being_found.pop(kind, None)
            take(found)

        self._being_found[kind] = f"{words} …"
        self._tasks.start(kind, lambda stop: work(), taken)
        self.set_timer(PATIENCE, self.say_keys)

    def action_stop(self) -> None:
        """Stop preparing an order or colours; the current ones stay."""
        for kind in self._being_found:
            self._tasks.cancel(kind)
        self._being_found.clear()
        self._order_wanted, self._colour_wanted = self._order, self._colour
        self.say_keys()

    # Order

    def order_by(self, by: By) -> None:
        """Show the nodes in another order, once it is prepared."""
        cluster = self._cluster
        if cluster is None:
            return
        self._order_wanted = by

        def take(order: Order) -> None:
            self._order = by
            self.map.show_order(order, Names(cluster.resources, order, by))
            self.say_keys()

        self._find(ORDER, f"ordering by {by.words}", lambda: ordered(cluster, by), take)

    def action_order(self) -> None:
        """Ask for an order; the types of what contains the nodes are looked for first."""
        graph = self._cluster.graph if self._cluster is not None else None
        if graph is None:
            self._choose_order(())
            return
        from fluxtui.answers.listing.orders import container_types

        def known(types: tuple[str, ...]) -> None:
            if self.app.screen is self.screen:  # else a person has gone on to something else
                self._choose_order(types)

        self._tasks.start(TYPES, lambda stop: container_types(graph), known)

    def _choose_order(self, types: tuple[str, ...]) -> None:
        choices = {
            RANK: "",
            By("host"): "n2 before n10",
            By("cores"): "most first",
            By("gpus"): "most first",
            **{By("container", type_): "from the resource graph" for type_ in types},
        }
        self._choose("Order of the nodes", choices, self._order, self.order_by)

    # Colours

    def colour_by(self, by: By) -> None:
        """Colour the nodes by a value, once it is found; by the match at once."""
        cluster = self._cluster
        if cluster is None:
            return
        self._colour_wanted = by
        if by == MATCHING:
            self._tasks.cancel(COLOUR)
            self._being_found.pop(COLOUR, None)
            self._take_colours(by, None)
        else:
            self._find(
                COLOUR,
                f"colouring by {by.words}",
                lambda: coloured(cluster, by),
                lambda found: self._take_colours(by, found),
            )

    def _take_colours(self, by: By, found: Coloured | None) -> None:
        if found is not None and not found.grounds:
            self._colour_wanted = self._colour
            self.notify("This document does not say which nodes are up or down.", timeout=5)
        else:
            self._colour, self._coloured = by, found
            if self._highlights is not None:
                self._show_highlights(self._highlights)
        self.say_keys()

    def action_colour(self) -> None:
        """Ask for colours."""
        choices = {
            MATCHING: "which nodes match",
            By("cores"): "how many a node has",
            By("gpus"): "how many a node has",
            By("state"): "up or down, from the resource graph",
        }
        self._choose("Colours of the nodes", choices, self._colour, self.colour_by)

    def _choose(
        self, title: str, choices: Mapping[By, str], now: By, take: Callable[[By], None]
    ) -> None:
        from fluxtui.ui.kit.picker import Item, Picker

        def item(by: By, detail: str, group: str = "") -> Item[By]:
            return Item(by, by.words, detail, right="now" if by == now else "", group=group)

        items = [item(by, detail) for by, detail in choices.items()]
        if self._cluster is not None:
            names = self._cluster.resources.properties
            items += [item(By("property", name), "", "by a property") for name in names]

        def chosen(by: By | None) -> None:
            if by is not None:
                take(by)

        at = next((n for n, one in enumerate(items) if one.value == now), 0)
        self.app.push_screen(Picker(title, items, at=at), chosen)

    # A node to go to, asked for below the map

    async def _ready_prompt(self) -> "Prompt":
        if self._prompt is None:
            from fluxtui.ui.kit.prompt import Prompt

            self._prompt = Prompt(lambda: self.screen.set_focus(self.map), id="map-prompt")
            await self.mount(self._prompt)
        return self._prompt

    async def action_find(self) -> None:
        """Ask for a rank or the start of a host name, and go there."""
        cluster = self._cluster
        if cluster is None:
            return
        resources = cluster.resources
        nodes: dict[str, list[int]] = {}  # that a text may mean, of which the first is gone to

        def meant(text: str) -> list[int]:
            if text not in nodes:
                nodes.clear()
                nodes[text] = find(resources, text.strip(), NODES_NAMED)
            return nodes[text]

        def taken(text: str) -> Problem | None:
            if text.strip() and self._is_indexed and meant(text):
                self._go(meant(text)[0])
            return None

        def check(text: str) -> Problem | None:
            if not text.strip() or not self._is_indexed or meant(text):
                return None
            return Problem("no node has this rank or a host name that starts with this")

        def note(text: str) -> str:
            """Describe the node that enter goes to."""
            if not text.strip():
                return "a rank, or the start of a host name"
            if not self._is_indexed:
                return "reading the host names …"
            first, *rest = meant(text)
            host, rank = resources.host(first), f"rank {resources.rank(first)}"
            words = f"{host} · {rank}" if host else rank
            others = " ".join(filter(None, map(resources.host, rest)))
            return f"{words}   also {others}" if others else words

        prompt = await self._ready_prompt()
        prompt.ask("Find node", "", taken, check, note=note)
        if not self._is_indexed:

            def known(_: object) -> None:
                self._is_indexed = True
                prompt.look_again()

            self._tasks.start(HOSTS, lambda stop: resources.host_index.families, known)

    # The legend

    def action_legend(self) -> None:
        """Show the whole legend."""
        if self._highlights is not None:
            self.app.push_screen(LegendDialog(legend_rows(self._highlights, self.shown)))


class StateMap(NodeMap, can_focus=False):
    """A read-only map of a state: all nodes at once, without a cursor."""

    def __init__(self, on_zoom: Callable[[], object]) -> None:
        super().__init__(Handlers(), on_zoom, all_zooms=False, id="stage-map")
        key = key_of("open", "ctrl+o")
        self.notice = (f"There are no nodes here: press esc, then {key} to open a cluster.",)

    def show_state(self, state: State) -> None:
        """Highlight the nodes that match; none where the constraint cannot be read."""
        found = highlights_of(state)
        dark = UNLIT if state.ask.stale else found.dark
        self.show_lights(found.lights, dark, found.mask, 0)

    def legend_of(self, state: State) -> Text:
        """What the glyphs mean now, and how many nodes a cell has."""
        shown, palette = Shown(self.zoom), palette_of(self)
        found = marks(highlights_of(state), shown)
        return legend_line(found, states(shown), self.size.width, palette, keys=False)

    def _hover_over(self, index: int | None) -> None:
        """Ignore the mouse."""


def marks(highlights: Highlights, shown: Shown) -> list[Mark]:
    """What the glyphs of a map mean now."""
    if shown.coloured is not None:
        specials = [mark for mark in highlights.legend if mark.glyph not in MATCH_GLYPHS]
        others = [mark for mark in highlights.legend if mark.glyph == OTHER]
        return [*specials, *shown.coloured.legend, *others]
    if shown.zoom.size == 1 or shown.zoom.has_bars:
        return list(highlights.legend)
    found = []
    for mark in highlights.legend:
        parts = steps(mark.glyph)[:-1]  # with the first and the last of the shares of a cell
        ends = f"{parts[:1]}{parts[-1:] if len(parts) > 1 else ''}"
        found.append(mark._replace(glyph=ends + mark.glyph))
    return found


def states(shown: Shown) -> list[str | KeyHint]:
    """The zoom, the order and the colours in words, where they are not the usual ones."""
    found: list[str | KeyHint] = []
    if shown.finding:
        found += [shown.finding, KeyHint("esc", "stops")]
    if shown.coloured is not None and shown.colour.kind != "property":
        found.append(shown.colour.words)
    if shown.zoom.size > 1 and not shown.zoom.has_bars:
        found.append(f"1 cell = {shown.zoom.size:,} nodes")
    if shown.order != RANK:
        found.append(f"by {shown.order.words}")
    return found


def legend_rows(highlights: Highlights, shown: Shown) -> list[Mark]:
    """The whole legend: the glyphs, what a cell is, the order and the colours."""
    zoom, rows = shown.zoom, marks(highlights, shown)
    if zoom.size > 1 and highlights.selected:
        rows.append(Mark("◈", "some nodes in the cell are selected", "slot"))
    is_full = any(mark.glyph in FULL for mark in highlights.legend)
    if shown.coloured is None and zoom.size > 1 and not zoom.has_bars and is_full:
        rows.append(Mark(PARTS, "some nodes in the cell match, from few to most", "match"))
    if zoom.kind == "sections":
        rows.append(Mark("a line", "all nodes of a section: how many match, out of how many"))
    elif zoom.kind == "blocks":
        rows.append(Mark("a line", f"{zoom.size:,} nodes: how many match, out of how many"))
    else:
        rows.append(Mark("a cell", "one node" if zoom.size == 1 else f"{zoom.size:,} nodes"))
    rows.append(Mark("order", f"by {shown.order.words}"))
    rows.append(Mark("colours", f"by {shown.colour.words}"))
    return rows


class LegendDialog(Dialog[None]):
    """Explains the glyphs and colours of the map."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("legend.close", "l,q,enter,space", "dismiss_dialog", "Close", "Close the legend"),
    ]

    def __init__(self, rows: list[Mark]) -> None:
        super().__init__()
        self._rows = rows

    def compose(self) -> ComposeResult:
        """A line for each glyph and each fact."""
        with VerticalScroll(id="box"):
            yield Static(legend_table(self._rows, palette_of(self)))

    def on_mount(self) -> None:
        """Name it and its key."""
        self.say_title("Legend of the map")
        self.say_keys(("escape", "closes"))


def legend_table(rows: list[Mark], palette: Palette) -> Text:
    """The rows of the legend below each other."""
    width = max(len(row.glyph) for row in rows)
    lines = [
        Text.assemble((f"{row.glyph:<{width}}", palette.role(row.role)), f"   {row.words}")
        for row in rows
    ]
    return Text("\n").join(lines)
