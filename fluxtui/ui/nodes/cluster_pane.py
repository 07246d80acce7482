"""What the panes of the cluster share: a view of its nodes, kept in step with the state."""

from rich.text import Text

from fluxtui.ui.kit.keys import key_of
from fluxtui.ui.kit.pane import Pane
from fluxtui.ui.kit.wording import problem_words
from fluxtui.ui.nodes.highlights import Highlights, highlights_of, legend_line
from fluxtui.ui.nodes.nodes_view import SelectableNodes
from fluxtui.workbench import Cluster, State

FRAME = 2  # columns at the lower edge that its ends take

# What the highlights of a state follow from.
_LIT_BY = ("cluster", "ask", "outlook", "looked_at", "selected", "kept", "compared")


class ClusterPane(Pane):
    """A pane with a view of the nodes: the map, the table or the graph."""

    _busy = ""
    _shown: State | None = None
    _highlights: Highlights | None = None

    @property
    def view(self) -> SelectableNodes:
        """The widget that shows the nodes and takes the keys."""
        raise NotImplementedError

    def shows(self, cluster: Cluster) -> bool:
        """Whether it is this cluster that it shows; out of sight it may be one of before."""
        return self._shown is not None and self._shown.cluster is cluster

    def show(self, state: State) -> None:
        """Show what changed since the state before."""
        before, self._shown = self._shown, state
        if state is before:
            self._restyle()
        is_new = before is None or state.cluster is not before.cluster
        if is_new:
            self._highlights = None
            self.show_notice(self.usual_notice)
            self._show_cluster(state.cluster)
        if before is None or any(getattr(state, p) is not getattr(before, p) for p in _LIT_BY):
            self._highlights = highlights_of(state)
            self._show_highlights(self._highlights, state)
            self.say_keys()
        if is_new or before is None or state.cursor != before.cursor:
            self._show_cursor(state.cursor)

    def _restyle(self) -> None:
        self.view.refresh()
        self.say_keys()

    def _show_cluster(self, cluster: Cluster) -> None:
        raise NotImplementedError

    def _show_highlights(self, found: Highlights, state: State) -> None:
        self.view.show_lights(found.lights, found.dark, found.mask, found.selected)

    def _show_cursor(self, index: int | None) -> None:
        self.view.show_cursor(index)

    def show_notice(self, lines: tuple[str, ...]) -> None:
        """Show a notice in place of missing nodes: what to do, or what is loading."""
        if self.ready and lines != self.view.notice:
            self.view.notice = lines
            self.view.refresh()

    async def do(self, what: str, *by: str | int) -> None:
        """Do what a key does in the view, by the name of its action."""
        state = self._shown
        if state is not None and state.cluster.resources.node_count:
            name = f"action_{what}"
            around = self.view.ancestors_with_self
            done = next(getattr(node, name) for node in around if hasattr(node, name))(*by)
            if done is not None:
                await done

    @property
    def usual_notice(self) -> tuple[str, ...]:
        """The notice for a document without nodes."""
        return () if self._shown is None else _notice(self._shown.cluster)

    def show_busy(self, words: str) -> None:
        """Show what is being done in place of the legend; blank ends that."""
        self._busy = words
        self.say_keys()

    def on_resize(self) -> None:
        """Fit the legend to the new width."""
        self.say_keys()

    def say_keys(self) -> None:
        """Show what the glyphs mean, and the keys while the view has the focus."""
        state = self._shown
        if not self.ready:
            return
        if self._busy or state is None or not state.cluster.resources.node_count:
            self.say_in_frame(self._busy)  # without nodes no key does anything
        else:
            self.say_in_frame(self._words(self.size.width - FRAME))

    def _words(self, room: int) -> str | Text:
        found, keys = self._highlights, self.has_keys(self.view)
        assert found is not None
        return legend_line(found.legend, found.more, room, self.style, keys=keys)


def _notice(cluster: Cluster) -> tuple[str, ...]:
    problems = cluster.resources.problems
    if not problems:
        return (
            f"No document is open: {key_of('open', 'ctrl+o')} opens an R document,",
            f"{key_of('commands', 'ctrl+p')} and 'demo' opens the built-in one.",
        )
    shown = [f"  {problem_words(problem)}" for problem in problems[:8]]
    return (
        "No nodes were found in this document:",
        "",
        *shown,
        "",
        f"{key_of('open', 'ctrl+o')} opens another one.",
    )
