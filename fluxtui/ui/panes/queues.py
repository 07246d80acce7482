"""The queues: which of them take the job, the nodes they cover, and what each asks and allows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from fluxtui.model.queues import Config, Queue
from fluxtui.notation import duration
from fluxtui.notation.source import printable
from fluxtui.ui import queue_words
from fluxtui.ui.chips import BAD, OK, OPEN
from fluxtui.ui.panes.pane import Pane
from fluxtui.ui.widgets.lines import LinesView
from fluxtui.ui.widgets.rows import RowsView
from fluxtui.ui.wording import DOT, counted
from fluxtui.workbench import State, rooms

if TYPE_CHECKING:
    from fluxtui.answers.admission import Admission

NAME_LIMIT = 16
CHOSEN, DEFAULT = "›", "·"


class QueueList(RowsView):
    """The list of queues; besides choosing, a queue can be opened and closed as a what-if."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("e", "set('enabled')", "Enable or disable", show=False),
        Binding("x", "set('started')", "Start or stop", show=False),
    ]

    def __init__(
        self,
        on_choose: Callable[[int], None],
        on_row: Callable[[int | None], None],
        on_set: Callable[[int, str], None],
        *,
        id: str,
    ) -> None:
        super().__init__(on_choose, id=id)
        self._on_row = on_row
        self._on_set = on_set

    def action_set(self, what: str) -> None:
        """Open or close the selected queue, for submission or for scheduling."""
        if self.lines:
            self._on_set(self.row, what)

    def action_move(self, by: int) -> None:
        """Move the cursor, and look at the queue it comes to."""
        super().action_move(by)
        self._on_row(self.row)

    def on_focus(self) -> None:
        """Look at the selected queue."""
        super().on_focus()
        self._on_row(self.row)

    def on_blur(self) -> None:
        """Look at no queue."""
        super().on_blur()
        self._on_row(None)


class QueuesPane(Pane):
    """Lists the queues with their answer to the job; below, all that is known of one of them.

    on_choose gets the name of the queue to take, on_look the name of the one that is looked at (or
    None), on_set the name of one to enable, disable, start or stop.
    """

    title: ClassVar[str] = "Queues"

    def __init__(
        self,
        on_choose: Callable[[str], None],
        on_look: Callable[[str | None], None],
        on_set: Callable[[str, str], None],
        *,
        id: str,
    ) -> None:
        super().__init__(id=id)
        self._on_choose, self._on_look, self._on_set = on_choose, on_look, on_set
        self._queues: tuple[Queue, ...] = ()
        self._state: State | None = None
        self.view = QueueList(self._choose, self._look, self._set, id="queues")
        self.details = LinesView(id="queue-details", wrap=True)

    def compose(self) -> ComposeResult:
        """The list, and what is known of the selected queue."""
        yield self.view
        yield self.details

    def _choose(self, row: int) -> None:
        if row < len(self._queues):  # not where the rows are a hint
            self._on_choose(self._queues[row].name)

    def _look(self, row: int | None) -> None:
        known = row is not None and row < len(self._queues)
        self._on_look(self._queues[row].name if row is not None and known else None)
        self._show_details()

    def _set(self, row: int, what: str) -> None:
        if row < len(self._queues):
            self._on_set(self._queues[row].name, what)

    def show(self, state: State) -> None:
        """Show the queues of the configuration that is open beside the cluster."""
        self._state = state
        config = state.cluster.config
        self._queues = config.queues if config is not None else ()
        self.border_subtitle = "enter takes it  e x what if" if self._queues else ""
        self.details.display = bool(self._queues) or bool(config and config.problems)
        if config is None:
            hint = self.hint("No queues: start with -c and", "a Flux configuration (TOML).")
            self.view.show_lines(hint)
            return
        if self._queues:
            self.view.show_lines(self._rows(state, config))
        elif not config.problems:
            self.view.show_lines(self.hint("One anonymous queue:", "the configuration names none."))
        else:
            self.view.show_lines(self.hint("No queue can be read."))
        self._show_details()

    def _rows(self, state: State, config: Config) -> list[Text]:
        names = [printable(queue.name) for queue in self._queues]
        width = min(max(cell_len(name) for name in names), NAME_LIMIT)
        digits = len(f"{state.cluster.resources.node_count:,}")
        answers = {answer.queue: answer for answer in state.outlook.admissions}
        room = rooms(state)
        return [
            self._row(
                state,
                config,
                queue,
                _verdict(answers.get(queue.name), room.get(queue.name), mask & state.ask.mask),
                (width, digits),
                mask,
            )
            for queue, mask in zip(self._queues, state.cluster.coverage, strict=True)
        ]

    def _row(
        self,
        state: State,
        config: Config,
        queue: Queue,
        verdict: tuple[bool | None, str],
        columns: tuple[int, int],
        mask: int,
    ) -> Text:
        style = self.style
        width, digits = columns
        asked = not state.build.blank
        good, why = verdict
        sign = " " if not asked else OPEN if good is None else OK if good else BAD
        chosen = queue.name == state.submission.queue
        mark = CHOSEN if chosen else DEFAULT if queue.name == config.default else " "
        matching = (mask & state.ask.mask).bit_count()
        look = style.problem if good is False else style.match if good else style.faint
        line = self.line(
            (f"{mark} ", style.strong if chosen else style.quiet),
            (f"{sign} ", look),
            (set_cell_size(printable(queue.name), width), style.strong if chosen else style.plain),
            (f"  {mask.bit_count():>{digits},}", style.quiet),
        )
        if state.ask.constraint is not None:
            line.append(f" {matching:>{digits},}", style=style.match if matching else style.faint)
        if asked and good is False:
            line.append(f"  {why}", style=style.problem)
        else:
            line.append(f"  {DOT.join(_terms(queue, config))}", style=style.quiet)
        return line

    def _show_details(self) -> None:
        """All that is known of the selected queue, after what is wrong with the configuration."""
        state = self._state
        config = state.cluster.config if state is not None else None
        if state is None or config is None:
            return
        lines = queue_words.problems(config, self.style)
        if self._queues:
            queue = self._queues[min(self.view.row, len(self._queues) - 1)]
            lines = queue_words.details(state, config, queue, self.style) + lines
        self.details.show_lines(lines)


def _verdict(
    answer: Admission | None, has_room: bool | None, nodes: int
) -> tuple[bool | None, str]:
    """Whether the job will run in a queue, and in few words why not."""
    if answer is None:
        return None, ""
    if answer.admitted is False:
        return False, queue_words.short(answer.refusals[0]) if answer.refusals else "refused"
    if has_room is False:
        left = counted(nodes.bit_count(), "node")
        return False, f"no room on {left}" if nodes else "no node matches"
    return answer.admitted, ""


def _terms(queue: Queue, config: Config) -> list[str]:
    """What a queue is beside a name, and how long and how large a job may be."""
    words = ["default"] if queue.name == config.default else []
    if queue.parent is not None:
        words.append(f"on {printable(queue.parent)}")
    if queue.restricted:
        words.append("restricted")
    time, nodes = queue.limits.get("duration"), queue.limits.get("job-size.max.nnodes")
    if time is not None and time.value:
        words.append(f"≤ {duration.format(time.value)}")
    if nodes is not None and nodes.value >= 0:
        words.append(f"≤ {counted(nodes.value, 'node')}")
    return words
