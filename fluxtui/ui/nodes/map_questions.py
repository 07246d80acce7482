"""What is asked below the map: a node to go to, or a property to order or colour by."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.widget import Widget

from fluxtui.answers.matching import find
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import Completion, Problem, Span
from fluxtui.ui.constraint.property_rows import Counts
from fluxtui.ui.kit.latest_task import Finding
from fluxtui.ui.nodes.map_colours import By
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
        finding: Finding,
        on_leave: Callable[[], object],
        go: Callable[[int], None],
    ) -> None:
        self._pane = pane
        self._finding = finding
        self._on_leave = on_leave
        self._go = go
        self._cluster: Cluster | None = None
        self._is_indexed = False  # the hosts of the cluster
        self._counts = Counts(Resources())
        self._found: tuple[str, list[int]] = ("", [])
        self._prompt: Prompt | None = None  # made when it is first asked for

    def show_cluster(self, cluster: Cluster) -> None:
        """Ask about another cluster; a question about the one before is over."""
        self._cluster, self._is_indexed, self._found = cluster, False, ("", [])
        self._counts = Counts(cluster.resources)
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

        def complete(text: str, cursor: int) -> list[Completion]:
            found = [name for name in properties if name.startswith(text)][:PROPERTIES]
            span = Span(0, len(text))
            return [Completion(name, span, "", self._counts.nodes(name)) for name in found]

        def note(name: str) -> str:
            count = self._counts.nodes(name) if name in properties else 0
            return f"{count:,} nodes have it" if count else ""

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

        self._finding.begin(HOSTS, lambda stop: cluster.resources.host_index.families, known)

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
