"""The queues of the configuration: what each requires and how many nodes that leaves it."""

from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual.app import ComposeResult

from fluxtui.answers import match
from fluxtui.model.constraint import read as read_constraint
from fluxtui.model.queues import Config, Queue
from fluxtui.notation import duration
from fluxtui.notation.source import printable
from fluxtui.ui.panes.pane import Pane
from fluxtui.ui.widgets.lines import LinesView
from fluxtui.ui.wording import DOT, counted, problem_words
from fluxtui.workbench import State

NAME_LIMIT = 16
PROBLEMS_SHOWN = 20


class QueuesPane(Pane):
    """Lists the queues with the nodes they cover, and how many of those match."""

    title: ClassVar[str] = "Queues"

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.view = LinesView(id="queues", wrap=True)

    def compose(self) -> ComposeResult:
        """The list alone."""
        yield self.view

    def show(self, state: State) -> None:
        """Show the queues of the configuration that is open beside the cluster."""
        view = self.view
        config = state.cluster.config
        asked = state.ask.constraint is not None
        self.border_subtitle = "nodes, matching" if asked else "nodes" if config else ""
        if config is None:
            view.show_lines(
                self.hint("No queues: start with -c and", "a Flux configuration (TOML).")
            )
            return
        style, ask = self.style, state.ask
        names = [printable(queue.name) for queue in config.queues]
        width = min(max((cell_len(name) for name in names), default=0), NAME_LIMIT)
        digits = len(f"{state.cluster.resources.node_count:,}")
        lines: list[Text] = []
        for name, queue, mask in zip(names, config.queues, state.cluster.coverage, strict=True):
            matching = (mask & ask.mask).bit_count() if asked else mask.bit_count()
            look = style.match if matching else style.faint
            lines.append(
                self.line(
                    (set_cell_size(name, width), style.strong if matching else style.faint),
                    (f"  {mask.bit_count():>{digits},}", style.quiet),
                    (f" {matching:>{digits},}" if asked else "", look),
                    (f"  {_role(queue, config)}", style.quiet),
                )
            )
            terms = [*_limits(queue), *([f"needs {_requires(queue)}"] if queue.requires else [])]
            lines.append(self.line((DOT.join(terms), style.faint)))
        if not config.queues and not config.problems:
            lines += self.hint("One anonymous queue:", "the configuration names none.")
        for problem in config.problems[:PROBLEMS_SHOWN]:
            lines.append(self.line(("! ", style.problem), problem_words(problem)))
        view.show_lines(lines)


def _role(queue: Queue, config: Config) -> str:
    """What a queue is beside a name: the default one, a virtual one, a restricted one."""
    words = ["default"] if queue.name == config.default else []
    if queue.parent is not None:
        words.append(f"on {printable(queue.parent)}")
    if queue.restricted:
        words.append("restricted")
    return DOT.join(words)


def _requires(queue: Queue) -> str:
    """What a queue adds to the constraint of every job."""
    constraint = read_constraint(queue.requires).value
    return printable(match.describe(constraint)) if constraint is not None else "what is unclear"


def _limits(queue: Queue) -> list[str]:
    """How long and how large a job may be."""
    time, nodes = queue.limits.get("duration"), queue.limits.get("job-size.max.nnodes")
    words = [f"≤ {duration.format(time.value)}"] if time is not None and time.value else []
    if nodes is not None and nodes.value >= 0:
        words.append(f"≤ {counted(nodes.value, 'node')}")
    return words
