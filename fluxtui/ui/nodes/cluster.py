"""The base of the map, table and graph with their keys and prompts, and the pane around them."""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import ClassVar, Generic, TypeVar

from rich.text import Text
from textual.containers import Vertical

from fluxtui.notation.problem import printable
from fluxtui.ui.kit.keys import key_of
from fluxtui.ui.kit.palette import palette_of
from fluxtui.ui.kit.pane import Pane, Whole, mount_whole
from fluxtui.ui.kit.prompt import Prompt
from fluxtui.ui.kit.text import problem_words
from fluxtui.ui.kit.workers import LatestTasks
from fluxtui.ui.nodes.highlights import Highlights, highlights_of, legend_line
from fluxtui.ui.nodes.nodes_view import EMPTY, Handlers, SelectableNodes
from fluxtui.workbench import Cluster, State

FRAME = 2  # columns of the corners of the lower edge

# The fields of a state that the highlights depend on.
_LIT_BY = ("cluster", "ask", "outlook", "looked_at", "selected", "kept", "compared")


class Part(Whole, Vertical):
    """A view of the nodes with its keys, the words around it, and a prompt below it.

    Subclasses call say_keys when the words for the frame may have changed.
    """

    view: SelectableNodes
    prompt_id: ClassVar[str]

    def __init__(self, view: SelectableNodes, say_keys: Callable[[], None], *, id: str) -> None:
        super().__init__(id=id)
        self.parts = (view,)
        self.tasks, self.say_keys = LatestTasks(self), say_keys
        self.cluster = EMPTY

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enable the keys while the view has the focus."""
        # Not has_focus, which changes slightly later than the focus.
        return self.is_attached and self.screen.focused is self.view

    @property
    def states(self) -> Mapping[str, int]:
        """The nodes in each state of a running Flux."""
        snapshot = self.cluster.snapshot
        return snapshot.nodes.named if snapshot is not None else {}

    def show_cluster(self, cluster: Cluster) -> None:
        """Show the nodes of another document."""
        self.tasks.cancel_all()
        self.cluster = cluster

    def refresh_cluster(self, cluster: Cluster) -> None:
        """Show the same nodes of a running Flux at a later moment."""
        self.cluster = cluster

    def show_lights(self, highlights: Highlights, state: State) -> None:
        """Show the highlights of a state."""
        self.view.show_lights(highlights)

    def restyle(self) -> None:
        """Draw in the colours of another theme."""
        self.view.refresh()

    def words(self, room: int, *, keys: bool) -> Text:
        """Return the words for the lower edge of the frame, in so many columns; keys adds keys."""
        highlights = self.view.highlights
        return legend_line(highlights.legend, highlights.more, room, palette_of(self), keys=keys)

    # The prompt below the view

    async def action_find(self) -> None:
        """Ask what to find."""
        raise NotImplementedError

    async def prompt(self) -> Prompt:
        """Return the prompt, which is created when first needed."""
        return await Prompt.within(self, self.leave_prompt, id=self.prompt_id)

    def leave_prompt(self) -> None:
        """Move the focus back to the view, at once, as the next key may already be typed."""
        self.screen.set_focus(self.view)

    def close_prompt(self) -> bool:
        """Close the prompt; return whether it was open."""
        prompt = Prompt.open_in(self)
        if prompt is not None:
            prompt.close()
        return prompt is not None

    def look_again(self) -> None:
        """Check the text in the prompt again, as more is known now."""
        for prompt in self.query(Prompt):
            prompt.look_again()

    def example(self) -> str:
        """Return examples of what finds nodes: by an amount and, on a running Flux, by state."""
        from fluxtui.answers.listing import amounts

        example = printable(amounts.example(self.cluster.resources))
        return f"{example}, free, drained, down …" if self.states else example


AnyPart = TypeVar("AnyPart", bound=Part)


class ClusterPane(Pane, Generic[AnyPart]):
    """A pane that keeps the map, the table or the graph in step with the state.

    Its lower edge says what the glyphs mean, and what is going on. make creates the part, at once
    or when it is first shown.
    """

    _busy = ""
    _shown: State | None = None

    def __init__(
        self,
        make: Callable[[Handlers, Callable[[], None]], AnyPart],
        handlers: Handlers,
        *,
        at_once: bool = False,
        id: str,
    ) -> None:
        super().__init__(id=id)
        self._make, self._handlers = make, handlers
        self.parts = (self.part,) if at_once else ()

    @cached_property
    def part(self) -> AnyPart:
        """The view with its keys and prompt."""
        part = self._make(self._handlers, self.say_keys)
        if self.is_attached:
            mount_whole(self, part)
        return part

    @property
    def ready(self) -> bool:
        """Whether the part has been made."""
        return "part" in self.__dict__

    @property
    def view(self) -> SelectableNodes:
        """The widget that shows the nodes and takes the keys."""
        return self.part.view

    def shows(self, cluster: Cluster) -> bool:
        """Return whether it shows this cluster; a hidden pane may still show an earlier one."""
        return self._shown is not None and self._shown.cluster is cluster

    def show(self, state: State) -> None:
        """Show what changed since the last state; the same state is redrawn in new colours."""
        before, self._shown = self._shown, state
        if state is before:
            self.part.restyle()
            self.say_keys()
        resources = before.cluster.resources if before is not None else None
        is_new = state.cluster.resources is not resources
        if is_new:
            self.part.show_cluster(state.cluster)
            self.show_notice()
        elif before is not None and state.cluster is not before.cluster:
            self.part.refresh_cluster(state.cluster)
        if before is None or any(getattr(state, p) is not getattr(before, p) for p in _LIT_BY):
            self.part.show_lights(highlights_of(state), state)
            self.say_keys()
        if is_new or before is None or state.cursor != before.cursor:
            self.view.show_cursor(state.cursor)

    def show_notice(self, lines: tuple[str, ...] | None = None) -> None:
        """Show a notice in place of missing nodes; by default what to do about it."""
        if lines is None:
            lines = _notice(self._shown.cluster) if self._shown is not None else ()
        if self.ready and lines != self.view.notice:
            self.view.notice = lines
            self.view.refresh()

    async def find(self) -> None:
        """Ask what to find."""
        if self._shown is not None and self._shown.cluster.resources.node_count:
            await self.part.action_find()

    def show_busy(self, words: str) -> None:
        """Show what is going on in place of the legend; an empty text ends that."""
        self._busy = words
        self.say_keys()

    def on_resize(self) -> None:
        """Fit the legend to the new width."""
        self.say_keys()

    def say_keys(self) -> None:
        """Show what the glyphs mean, and the keys while the view has the focus."""
        if not self.ready:
            return
        if self._busy or self._shown is None or not self._shown.cluster.resources.node_count:
            self.say_in_frame(self._busy)  # no keys: without nodes none does anything
        else:
            room = self.size.width - FRAME
            self.say_in_frame(self.part.words(room, keys=self.has_keys(self.view)))


def _notice(cluster: Cluster) -> tuple[str, ...]:
    problems, open_key = cluster.resources.problems, key_of("open", "ctrl+o")
    if not problems:
        return (
            f"No document is open: {open_key} opens an R document,",
            f"{key_of('commands', 'ctrl+p')} and 'live' opens the Flux that runs here,",
            "'demo' the built-in cluster.",
        )
    shown = [f"  {problem_words(problem)}" for problem in problems[:8]]
    return (
        "No nodes were found in this document:",
        "",
        *shown,
        "",
        f"{open_key} opens another one.",
    )
