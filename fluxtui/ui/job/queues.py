"""The queues: which of them take the job, the nodes they cover, and what each asks and allows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import ClassVar, Literal

from rich.cells import cell_len, set_cell_size
from rich.style import Style
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from fluxtui.model.queues import Config, Queue
from fluxtui.notation import duration
from fluxtui.notation.problem import counted, printable
from fluxtui.ui.job import queue_words
from fluxtui.ui.job.chips import BAD, ODD, OK, sign
from fluxtui.ui.kit.lines import LinesView, MadeLines, RowsView
from fluxtui.ui.kit.pane import Pane
from fluxtui.ui.kit.wording import DOT, shorten
from fluxtui.workbench import State

What = Literal["enabled", "started"]

NAME_LIMIT = 16
#: The queues whose names say how wide the column of names is; rows of more are made when seen.
MEASURED = 100
CHOSEN, DEFAULT = "›", "·"
ANONYMOUS = "(no name)"


class QueueList(RowsView):
    """The list of queues; besides choosing, a queue can be opened and closed as a what-if."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "choose", "Choose", show=False),
        Binding("e", "set('enabled')", "Enable or disable", show=False),
        Binding("x", "set('started')", "Start or stop", show=False),
    ]

    def __init__(
        self,
        on_choose: Callable[[int], None],
        on_row: Callable[[int | None], None],
        on_set: Callable[[int, What], None],
        *,
        id: str,
    ) -> None:
        super().__init__(on_choose, id=id)
        self._on_row = on_row
        self._on_set = on_set

    def action_set(self, what: What) -> None:
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
        on_set: Callable[[str, What], None],
        *,
        id: str,
    ) -> None:
        super().__init__(id=id)
        self._on_choose, self._on_look, self._on_set = on_choose, on_look, on_set
        self._queues: tuple[Queue, ...] = ()
        self._state: State | None = None
        self._what_ifs: dict[str, str] = {}
        self.view = QueueList(self._choose, self._look, self._set, id="queues")
        self.details = LinesView(id="queue-details", wrap=True)

    def compose(self) -> ComposeResult:
        """The list, and what is known of the selected queue."""
        yield self.view
        yield self.details

    def _choose(self, row: int) -> None:
        # Not where the rows are a hint, nor for the queue that has no name to choose it by.
        if row < len(self._queues) and self._queues[row].name:
            self._on_choose(self._queues[row].name)

    def _look(self, row: int | None) -> None:
        known = row is not None and row < len(self._queues)
        self._on_look(self._queues[row].name if row is not None and known else None)
        self._show_details()

    def _set(self, row: int, what: What) -> None:
        if row < len(self._queues):
            self._on_set(self._queues[row].name, what)

    def show(self, state: State) -> None:
        """Show the queues of the configuration that is open beside the cluster."""
        self._state = state
        config = state.cluster.config
        self._queues = config.queues if config is not None else ()
        if config is not None and not self._queues and config.anonymous.policy:
            self._queues = (config.anonymous,)
        if not self.view.has_focus:
            names = [queue.name for queue in self._queues]
            self.view.put_row(names.index(going) if (going := state.outlook.queue) in names else 0)
        self.say_keys()
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

    def say_keys(self) -> None:
        """Say in the frame that the answers are old ones, or the keys, and how to get to them."""
        there = "" if self.has_keys(self.view) else "F5, then "
        keys = f"{there}enter takes it  e x what if" if self._queues else ""
        old = self._state is not None and self._state.outlook.old
        self.say_in_frame("stale" if old else keys)

    def _rows(self, state: State, config: Config) -> Sequence[Text]:
        """The row of each queue; of many queues only those in sight are made."""
        names = (printable(queue.name) or ANONYMOUS for queue in islice(self._queues, MEASURED))
        width = min(max(cell_len(name) for name in names), NAME_LIMIT)
        columns = width, len(f"{state.cluster.resources.node_count:,}")
        self._what_ifs = queue_words.what_ifs(state, config)
        queues = self._queues

        def made(row: int) -> Text:
            covered = state.cluster.covered(queues[row].name)
            return self._row(state, config, queues[row], columns, covered)

        lines = MadeLines(len(queues), made)
        return lines if len(queues) > MEASURED else list(lines)

    def _row(
        self,
        state: State,
        config: Config,
        queue: Queue,
        columns: tuple[int, int],
        mask: int,
    ) -> Text:
        style = self.style
        width, digits = columns
        verdict, look, why = self._verdict(state, queue, mask)
        look = style.faint if state.outlook.old else look
        chosen = queue.name == state.submission.queue
        mark = CHOSEN if chosen else DEFAULT if queue.name == config.default else " "
        matching = (state.ask.mask & mask).bit_count()
        name = printable(queue.name) or ANONYMOUS
        line = self.line(
            (f"{mark} ", style.strong if chosen else style.quiet),
            (f"{verdict} ", look),
            (set_cell_size(shorten(name, width), width), style.strong if chosen else style.plain),
            (f"  {mask.bit_count():>{digits},}", style.quiet),
        )
        if state.ask.constraint is not None:
            line.append(f" {matching:>{digits},}", style=style.match if matching else style.faint)
        supposed = self._what_ifs.get(queue.name)
        if supposed is not None:
            line.append(f"  {queue_words.WHAT_IF} {supposed}", style=style.warning)
            why = why if why not in supposed.split() else ""
        if why:
            line.append(f"  {why}", style=look)
        elif supposed is None:
            line.append(f"  {DOT.join(_terms(queue, config))}", style=style.quiet)
        return line

    def _verdict(self, state: State, queue: Queue, mask: int) -> tuple[str, Style, str]:
        """Whether the job will run in a queue: a sign, its look, and in few words why not."""
        style, outlook = self.style, state.outlook
        status = outlook.statuses.get(queue.name)
        stopped = status is not None and not status.started
        answer = outlook.admission(queue.name)
        if answer is None:
            why = "disabled" if status is not None and not status.enabled else ""
            return " ", style.warning, why or ("stopped" if stopped else "")
        if answer.admitted is False:
            why = queue_words.short(answer.refusals[0]) if answer.refusals else "refused"
        elif outlook.rooms.get(queue.name) is False:
            left = (state.ask.mask & mask).bit_count()
            why = f"no room on {counted(left, 'node')}" if left else "no node matches"
        else:
            why = "stopped" if stopped else ""
        mark = sign(outlook, queue.name)
        looks = {BAD: style.problem, ODD: style.warning, OK: style.match}
        return mark, looks.get(mark, style.faint), why

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


def _terms(queue: Queue, config: Config) -> list[str]:
    """What a queue is beside a name, and how long and how large a job may be."""
    words = ["default"] if queue.name == config.default else []
    if queue.parent is not None:
        words.append(f"on {printable(queue.parent)}")
    if queue.under("access"):
        words.append("restricted")
    time, nodes = (
        queue.policy.get("limits.duration"),
        queue.policy.get("limits.job-size.max.nnodes"),
    )
    if time is not None and time.value:
        words.append(f"≤ {duration.format(time.value)}")
    if nodes is not None and nodes.value >= 0:
        words.append(f"≤ {counted(nodes.value, 'node')}")
    return words
