"""How the constraint is read: its operators and terms, with the nodes each matches alone."""

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult

from fluxtui.answers import match
from fluxtui.notation.source import printable
from fluxtui.ui.panes.pane import Pane
from fluxtui.ui.widgets.lines import LinesView
from fluxtui.workbench import State


class ReadingPane(Pane):
    """Shows the constraint as a tree with a count on each line."""

    title: ClassVar[str] = "Reading"

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.view = LinesView(id="constraint-tree")

    def compose(self) -> ComposeResult:
        """The tree alone."""
        yield self.view

    def show(self, state: State) -> None:
        """Show the constraint in force."""
        ask = state.ask
        view = self.view
        self.say_in_frame("stale" if ask.stale else "")
        queue = state.submission.queue
        if ask.counted is None and queue is None:
            view.show_lines(self.hint("How the constraint is read,", "and what each part matches."))
            return
        digits = len(f"{state.cluster.resources.node_count:,}")
        lines: list[Text] = []
        if ask.counted is not None:
            self._add(lines, ask.counted, "", "", digits)
        if queue is not None:
            lines += self._queue(state, queue, digits)
        view.show_lines(lines)

    def _queue(self, state: State, queue: str, digits: int) -> list[Text]:
        """What the chosen queue adds to the constraint, and what both leave."""
        style = self.style
        covered, left = state.cluster.covered(queue), state.left
        name = printable(queue)
        lines = [
            self.line(
                (f"{covered.bit_count():>{digits},}  ", style.match if covered else style.problem),
                (f"in queue {name}", style.quiet),
            )
        ]
        if state.ask.counted is not None:
            lines.append(
                self.line(
                    (f"{left.bit_count():>{digits},}  ", style.match if left else style.problem),
                    ("both", style.quiet),
                )
            )
        return lines

    def _add(
        self, lines: list[Text], counted: match.Counted, lead: str, guide: str, digits: int
    ) -> None:
        style = self.style
        count = counted.mask.bit_count()
        lines.append(
            self.line(
                (f"{count:>{digits},}  ", style.match if count else style.problem),
                (lead, style.faint),
                (printable(_words(counted)), style.slot if counted.parts else style.plain),
            )
        )
        for number, child in enumerate(counted.parts):
            last = number == len(counted.parts) - 1
            branch, stem = ("└ ", "  ") if last else ("├ ", "│ ")
            self._add(lines, child, guide + branch, guide + stem, digits)


def _words(counted: match.Counted) -> str:
    """What a line says: the operator of what has parts, the whole of what has none."""
    if not counted.parts:
        return match.describe(counted.constraint)
    name = match.operator(counted.constraint)
    return "and" if name == "properties" else name
