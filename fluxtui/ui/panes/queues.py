"""The queues of the configuration: what each requires and how many nodes that leaves it."""

from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual.app import ComposeResult

from fluxtui.model.queues import Config, Queue
from fluxtui.notation import duration
from fluxtui.notation.source import printable
from fluxtui.ui.panes.pane import Pane
from fluxtui.ui.widgets.lines import LinesView
from fluxtui.ui.wording import DOT, counted
from fluxtui.workbench import State

NAME_LIMIT = 16
PROBLEMS_SHOWN = 20


class QueuesPane(Pane):
    """Lists the queues with the nodes they cover, and how many of those match."""

    title: ClassVar[str] = "Queues"

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.view = LinesView(id="queues")

    def compose(self) -> ComposeResult:
        """The list alone."""
        yield self.view

    def show(self, state: State) -> None:
        """Show the queues of the configuration that is open beside the cluster."""
        view = self.view
        config = state.cluster.config
        if config is None:
            view.show_lines(
                self.hint(
                    "No queues: start with -c and a Flux", "configuration (TOML) to see them."
                )
            )
            return
        style, ask = self.style, state.ask
        asked = ask.constraint is not None
        names = [printable(queue.name) for queue in config.queues]
        width = min(max((cell_len(name) for name in names), default=0), NAME_LIMIT)
        digits = len(f"{state.cluster.resources.node_count:,}")
        lines: list[Text] = []
        for name, queue, mask in zip(names, config.queues, state.cluster.coverage, strict=True):
            matching = (mask & ask.mask).bit_count() if asked else mask.bit_count()
            lines.append(
                self.line(
                    (set_cell_size(name, width), style.strong if matching else style.faint),
                    (f"  {mask.bit_count():>{digits},}", style.quiet),
                    (
                        f" {matching:>{digits},}" if asked else "",
                        style.match if matching else style.faint,
                    ),
                    (f"  {_notes(queue, config)}", style.quiet),
                )
            )
        if not config.queues:
            lines += self.hint("One anonymous queue: the configuration", "names none.")
        for problem in config.problems[:PROBLEMS_SHOWN]:
            where = f"{printable(problem.path)}: " if problem.path else ""
            lines.append(
                self.line(("! ", style.problem), (where, style.quiet), printable(problem.message))
            )
        view.show_lines(lines)
        self.border_subtitle = "nodes, matching" if asked else "nodes"


def _notes(queue: Queue, config: Config) -> str:
    """What else is worth a word: the default queue, whose queue it is, its time and size limits."""
    notes = ["default"] if queue.name == config.default else []
    if queue.parent is not None:
        notes.append(f"on {printable(queue.parent)}")
    limits = queue.limits
    time = limits.get("duration")
    if time is not None and time.value:
        notes.append(f"≤ {duration.format(time.value)}")
    nodes = limits.get("job-size.max.nnodes")
    if nodes is not None and nodes.value >= 0:
        notes.append(f"≤ {counted(nodes.value, 'node')}")
    if queue.restricted:
        notes.append("restricted")
    return DOT.join(notes)
