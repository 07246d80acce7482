"""The map of a cluster with its order, its colours, its legend, and the way to a node.

What the nodes are ordered and coloured by is the view's own; it is no part of the state.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, ClassVar, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widget import Widget

from fluxtui.answers.listing.rows import Order
from fluxtui.answers.matching import find
from fluxtui.notation.problem import Completion, Problem, Span, printable
from fluxtui.ui.kit.workers import LatestTasks, start_exclusive_worker
from fluxtui.ui.nodes.highlights import Lit
from fluxtui.ui.nodes.map_colours import (
    MATCHING,
    RANK,
    By,
    Coloured,
    Shown,
    coloured,
    is_named,
    ordered,
    over,
)
from fluxtui.ui.nodes.node_map import NodeMap, names_in
from fluxtui.ui.nodes.nodes_view import Handlers
from fluxtui.workbench import Cluster

if TYPE_CHECKING:
    from fluxtui.ui.kit.prompt import Prompt

HOSTS = "map hosts"

NODES = 4  # nodes that are told of
PROPERTIES = 200  # that are offered


class MapQuestions:
    """Asks in a line below the map.

    on_leave is called when a question is over, go with the index of the node to go to.
    """

    def __init__(
        self,
        pane: Widget,
        finding: LatestTasks,
        on_leave: Callable[[], object],
        go: Callable[[int], None],
    ) -> None:
        self._pane = pane
        self._tasks = finding
        self._on_leave = on_leave
        self._go = go
        self._cluster: Cluster | None = None
        self._is_indexed = False  # the hosts of the cluster
        self._found: tuple[str, list[int]] = ("", [])
        self._prompt: Prompt | None = None  # made when it is first asked for

    def show_cluster(self, cluster: Cluster) -> None:
        """Ask about another cluster; a question about the one before is over."""
        self._cluster, self._is_indexed, self._found = cluster, False, ("", [])
        self.end()

    def end(self) -> None:
        """Ask nothing any more."""
        if self._prompt is not None:
            self._prompt.close()

    async def _ready(self) -> "Prompt":
        if self._prompt is None:
            from fluxtui.ui.kit.prompt import Prompt

            self._prompt = Prompt(self._on_leave, id="map-prompt")
            await self._pane.mount(self._prompt)
        return self._prompt

    # A property

    async def ask_property(self, take: Callable[[By], None]) -> None:
        """Ask for a property of the nodes, with those there are to choose from."""
        if self._cluster is None:
            return
        properties = self._cluster.resources.properties

        def taken(name: str) -> Problem | None:
            begun = [known for known in properties if known.startswith(name)] if name else []
            if name not in properties and len(begun) > 1:
                return Problem(f"{len(begun)} properties begin so", expected=("a whole name",))
            if begun:
                take(By("property", name if name in properties else begun[0]))
            return None

        def check(name: str) -> Problem | None:
            if any(known.startswith(name) for known in properties):
                return None
            return Problem("no node has such a property")

        @cache
        def count(name: str) -> int:
            return properties[name].bit_count()

        def complete(text: str, cursor: int) -> list[Completion]:
            found = [name for name in properties if name.startswith(text)][:PROPERTIES]
            span = Span(0, len(text))
            return [Completion(name, span, "", count(name)) for name in found]

        def note(name: str) -> str:
            return f"{count(name):,} nodes have it" if properties.get(name) else ""

        prompt = await self._ready()
        prompt.ask("Property", "", taken, check, complete, note)

    # A node

    async def ask_node(self) -> None:
        """Ask for a rank, or for a host by the beginning of its name, and go there."""
        prompt = await self._ready()
        prompt.ask("Go to", "", self._taken, self._check, note=self._note)
        cluster = self._cluster
        if cluster is None or self._is_indexed:
            return

        def known(_: object) -> None:
            self._is_indexed = True
            prompt.look_again()

        self._tasks.start(HOSTS, lambda stop: cluster.resources.host_index.families, known)

    def _nodes(self, text: str) -> list[int]:
        """The nodes that a text may mean, the first of which is gone to."""
        text = text.strip()
        if self._cluster is None or not self._is_indexed:
            return []
        if text != self._found[0]:
            self._found = (text, find(self._cluster.resources, text, NODES))
        return self._found[1]

    def _check(self, text: str) -> Problem | None:
        if not text.strip() or not self._is_indexed or self._nodes(text):
            return None
        return Problem("no node has this rank, or a host name that begins so")

    def _note(self, text: str) -> str:
        """The node that enter goes to."""
        if not text.strip():
            return "a rank, or the beginning of a host name"
        if not self._is_indexed:
            return "reading the host names …"
        nodes = self._nodes(text)
        if not nodes or self._cluster is None:
            return ""
        resources = self._cluster.resources
        rank = f"rank {resources.rank(nodes[0])}"
        words = " · ".join(word for word in (resources.host(nodes[0]), rank) if word)
        others = [host for index in nodes[1:] if (host := resources.host(index))]
        return f"{words}   also {' '.join(others)}" if others else words

    def _taken(self, text: str) -> Problem | None:
        nodes = self._nodes(text)
        if nodes:
            self._go(nodes[0])
        return None


if TYPE_CHECKING:
    from fluxtui.ui.nodes.map import MapQuestions

# The groups of the workers.
ORDER, COLOUR, TYPES, ASKING = "map order", "map colours", "map types", "map asking"

# What is not asked of the map itself.
_OWN = ("order", "colour", "jump", "legend")

TYPES_OFFERED = 9  # as each has a digit for its key
TOLD = 5  # seconds
PATIENCE = 0.15  # seconds, after which it is said what is being found

T = TypeVar("T")


class MapView(Vertical):
    """The map, and what is asked below it. on_change is called when its legend is another one."""

    # With priority, so that what is typed right after is already for what is asked.
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("o", "order", "Order", show=False, priority=True),
        Binding("c", "colour", "Colour", show=False, priority=True),
        Binding("g,slash", "jump", "Go to", show=False, priority=True),
        Binding("l", "legend", "Legend", show=False, priority=True),
        Binding("escape", "stop", "Stop", show=False, priority=True),
    ]

    DEFAULT_CSS = "MapView { height: 1fr; } MapView > NodeMap { height: 1fr; }"

    def __init__(
        self,
        handlers: Handlers,
        on_change: Callable[[], object],
        *,
        id: str,
    ) -> None:
        super().__init__(id=id)
        self._on_change = on_change
        self.map = NodeMap(handlers, on_change, id="node-map")
        self.map.frame = self  # a question below it is no reason to look from farther
        self._tasks = LatestTasks(self)
        self._go = handlers.move
        self._asks: MapQuestions | None = None  # made with the first question
        self._cluster: Cluster | None = None
        self._lit: Lit | None = None
        self._order = self._order_wanted = RANK
        self._colour = self._colour_wanted = MATCHING
        self._coloured: Coloured | None = None
        self._being_found: dict[str, str] = {}  # in words, by kind

    def compose(self) -> ComposeResult:
        """The map; the line of questions comes when it is first wanted."""
        yield self.map

    def on_unmount(self) -> None:
        """What is being found is not wanted any more."""
        self._tasks.cancel_all()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The keys are for the map, and for one that has nodes."""
        if action not in (*_OWN, "stop"):
            return True
        # Not has_focus, which is told a little after the focus has gone.
        in_map = self.screen.focused is self.map
        if action == "stop":
            return in_map and bool(self._being_found)
        return bool(in_map and self._cluster and self._cluster.resources.node_count)

    @property
    def _questions(self) -> "MapQuestions":
        if self._asks is None:
            from fluxtui.ui.nodes.map import MapQuestions

            self._asks = MapQuestions(self, self._tasks, self._back, self._go)
            if self._cluster is not None:
                self._asks.show_cluster(self._cluster)
        return self._asks

    def _back(self) -> None:
        self.screen.set_focus(self.map)

    # The cluster, and how its nodes look

    def show_cluster(self, cluster: Cluster) -> None:
        """Show the nodes of another document, ordered and coloured as those before were."""
        self._tasks.cancel_all()
        self._being_found.clear()
        self._cluster, self._coloured = cluster, None
        self._order, self._colour = RANK, MATCHING
        if self._asks is not None:
            self._asks.show_cluster(cluster)
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

    def show_lit(self, lit: Lit) -> None:
        """Highlight nodes."""
        self._lit = lit
        if self._coloured is None:
            self.map.put_grounds((), 0)
            self.map.show_lights(lit.lights, lit.dark, lit.mask, lit.selected)
        else:
            self.map.put_grounds(self._coloured.grounds, lit.good)
            self.map.show_lights(over(lit), lit.dark, lit.mask, lit.selected)

    @property
    def shown(self) -> Shown:
        """What the map shows beside the lights."""
        finding = "  ".join(self._being_found.values())
        return Shown(self.map.zoom, self._order, self._colour, self._coloured, finding)

    def _find(
        self, kind: str, words: str, work: Callable[[], T], take: Callable[[T], None]
    ) -> None:
        """Find something in the background, and say so where it takes its time."""

        def taken(found: T) -> None:
            self._being_found.pop(kind, None)
            take(found)

        self._being_found[kind] = f"{words} …"
        self._tasks.start(kind, lambda stop: work(), taken)
        self.set_timer(PATIENCE, self._on_change)

    def action_stop(self) -> None:
        """Find no other order and no other colours; those that are shown stay."""
        for kind in self._being_found:
            self._tasks.cancel(kind)
        self._being_found.clear()
        self._order_wanted, self._colour_wanted = self._order, self._colour
        self._on_change()

    # Order

    def order_by(self, by: By) -> None:
        """Show the nodes in another order, once it is found."""
        cluster = self._cluster
        if cluster is None:
            return
        self._order_wanted = by

        def take(order: Order) -> None:
            self._order = by
            self.map.show_order(order, names_in(cluster.resources, order, by_name=is_named(by)))
            self._on_change()

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
            "r": (RANK, ""),
            "h": (By("host"), "n2 before n10"),
            "c": (By("cores"), "the most first"),
            "g": (By("gpus"), "the most first"),
            "p": (By("property"), "those that have it first"),
        }
        for number, type_ in enumerate(types[:TYPES_OFFERED], 1):
            choices[str(number)] = (By("container", type_), "as the resource graph has it")
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
            self._on_change()
            self.notify("This document does not say which nodes are up or down.", timeout=TOLD)
            return
        self._colour, self._coloured = by, found
        if self._lit is not None:
            self.show_lit(self._lit)
        self._on_change()

    def action_colour(self) -> None:
        """Ask for colours."""
        choices = {
            "m": (MATCHING, "what the constraint leaves"),
            "c": (By("cores"), "how many a node has"),
            "g": (By("gpus"), "how many a node has"),
            "p": (By("property"), "which nodes have it"),
            "s": (By("state"), "up or down, as the resource graph has it"),
        }
        self._choose("Colour of the nodes", choices, self._colour, self.colour_by)

    def _choose(
        self, title: str, choices: Mapping[str, tuple[By, str]], now: By, take: Callable[[By], None]
    ) -> None:
        """Ask for one of some choices; for a property, then for which."""
        from fluxtui.ui.kit.picker import Item, Picker

        has_properties = self._cluster is not None and self._cluster.resources.properties
        rows = []
        for key, (by, detail) in choices.items():
            is_now = now == by or now.kind == by.kind == "property"
            words = (detail, f"now {printable(now.name)}".rstrip() if is_now else "")
            if by.kind != "property" or has_properties:
                rows.append(Item(key, by.words, " · ".join(filter(None, words)), key=key))

        def chosen(key: str | None) -> None:
            if key == "p":
                start_exclusive_worker(self, ASKING, self._questions.ask_property, take)
            elif key is not None:
                take(choices[key][0])

        self.app.push_screen(Picker(title, rows), chosen)

    # A node, and the legend

    async def action_jump(self) -> None:
        """Ask for a node to go to."""
        await self._questions.ask_node()

    def end_questions(self) -> None:
        """Ask nothing any more: the map goes out of sight."""
        if self._asks is not None:
            self._asks.end()

    def action_legend(self) -> None:
        """Show the whole legend."""
        from fluxtui.ui.nodes.legend import LegendDialog

        if self._lit is not None:
            self.app.push_screen(LegendDialog(self._lit, self.shown))
