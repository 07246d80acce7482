"""The two inputs a person types into, each with its verdict at the right and a line below."""

from collections.abc import Callable, Sequence

from rich.cells import cell_len
from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Label

from fluxtui.notation.source import Problem, printable
from fluxtui.ui import wording
from fluxtui.ui.palette import Palette
from fluxtui.ui.widgets.entry import Entry
from fluxtui.ui.widgets.one_line import CaretLine, OneLine
from fluxtui.workbench import Ask, Build, Cluster

LABEL_WIDTH = 10

OK, BAD = "✓", "✗"


class Bar(Vertical):
    """A label, an input, a verdict at the right of it, and a line below for what is to be said."""

    def __init__(
        self, label: str, entry: Entry, verdict_id: str, message_id: str, *, id: str
    ) -> None:
        super().__init__(id=id)
        self.entry = entry
        self.verdict = OneLine(id=verdict_id, classes="verdict")
        self.message = CaretLine(id=message_id)
        self._label = label
        self._pointed: tuple[Problem, Palette] | None = None
        entry.on_scroll = self._point_again

    def compose(self) -> ComposeResult:
        """The input's row, and the line below."""
        with Horizontal(classes="bar-row"):
            yield Label(self._label, classes="bar-label")
            yield self.entry
            yield self.verdict
        yield self.message

    def on_resize(self) -> None:
        """On a very narrow screen the room is the input's."""
        self.verdict.display = self.size.width >= 60

    def _point(self, problem: Problem, style: Palette) -> None:
        """Show a problem under its characters, with what was expected if there is room for it."""
        self._pointed = (problem, style)
        look = style.problem if problem.severity == "error" else style.warning
        text = printable(problem.message)
        least = cell_len(text)
        if problem.expected and "did you mean" not in text:
            more = ", …" if len(problem.expected) > 3 else ""
            text += f"; expected {', '.join(printable(e) for e in problem.expected[:3])}{more}"
        message = Text(text, style=look, no_wrap=True, end="")
        if problem.span is None:
            self.message.say(Text(" " * LABEL_WIDTH).append_text(message))
            return
        column = self.entry.column(problem.span.start)
        width = self.entry.column(problem.span.end) - column
        self.message.point(LABEL_WIDTH + column, width, message, least)

    def _point_again(self) -> None:
        if self._pointed is not None:
            self._point(*self._pointed)

    def _say(self, text: Text) -> None:
        self._pointed = None
        self.message.say(Text(" " * LABEL_WIDTH).append_text(text))


class ShapeBar(Bar):
    """Where the shape is typed: what RFC 46, RFC 14 and jobspec V1 say of it, and why."""

    def __init__(self, on_edit: Callable[[str], None], on_enter: Callable[[], object]) -> None:
        entry = Entry(
            on_edit,
            on_enter,
            "what do you need? for example  node=4/slot/[core=8;gpu]",
            id="shape-input",
        )
        super().__init__("Shape", entry, "verdicts", "shape-message", id="shape-bar")

    def show(self, build: Build, summary: str, style: Palette) -> None:
        """Show the text, its colours, its verdicts, and the first thing that is wrong with it.

        summary says in words what is asked for.
        """
        self.entry.put(build.text)
        self.entry.colour(build.shape.tokens, build.syntax)
        if build.blank:
            self.verdict.show(Text())
            self._say(Text("RFC 46: nodes, slots and what is in each slot", style=style.faint))
            return
        self.verdict.show(Text(), _chips(build, style))
        if build.syntax:
            self._point(build.syntax[0], style)
        elif build.canonical:
            self._say(_reason("RFC 14", build.canonical, style))
        elif build.v1:
            self._say(_reason("not V1", build.v1, style))
        else:
            self._say(Text(summary, style=style.quiet))


class AskBar(Bar):
    """Where the constraint is typed: how many nodes match, and which."""

    def __init__(self, on_edit: Callable[[str], None], on_enter: Callable[[], object]) -> None:
        entry = Entry(
            on_edit, on_enter, "which nodes will do? for example  gpu&-debug", id="constraint-input"
        )
        super().__init__("Requires", entry, "answer", "ask-message", id="ask-bar")
        self.which = OneLine(id="ask-which")

    def compose(self) -> ComposeResult:
        """One line more than other bars, where the screen has the room: beside a problem, which
        nodes matched."""
        yield from super().compose()
        yield self.which

    def show(self, ask: Ask, cluster: Cluster, style: Palette) -> None:
        """Show the text, its colours, the count of matching nodes, and which they are."""
        self.entry.put(ask.text)
        self.entry.colour(ask.requires.tokens, ask.problems)
        count = Text()
        if not ask.blank and ask.constraint is not None:
            look = style.quiet if ask.stale else style.match
            count.append(f"{ask.totals.nodes:,}", style=look)
            count.append(
                f" of {wording.counted(cluster.resources.node_count, 'node')}", style=style.quiet
            )
            if ask.stale:
                count.append(" stale", style=style.warning)
        self.verdict.show(Text(), count)
        which = self._which(ask, cluster, style)
        problems = sorted(ask.problems, key=lambda p: p.severity)
        if problems and not ask.blank:
            self._point(problems[0], style)
            self.which.show(Text(" " * LABEL_WIDTH, end="").append_text(which))
        else:
            self._say(which)
            self.which.show(Text())

    def _which(self, ask: Ask, cluster: Cluster, style: Palette) -> Text:
        resources = cluster.resources
        if ask.blank:
            note = "a query (RFC 35) or JSON (RFC 31); without one every node will do"
            return Text(note, style=style.faint, end="")
        if ask.constraint is None:
            return Text()
        if not ask.mask:
            return Text("no node matches", style=style.problem, end="")
        text = Text(style=style.quiet, end="")
        text.append(wording.counted(ask.totals.cores, "core"))
        if ask.totals.gpus:
            text.append(wording.DOT + wording.counted(ask.totals.gpus, "gpu"))
        text.append(wording.DOT + "ranks ").append(
            resources.ranks_text(ask.mask, limit=3), style=style.plain
        )
        text.append(wording.DOT).append(
            printable(resources.hosts_of(ask.mask, limit=8)), style=style.plain
        )
        return text


def _chips(build: Build, style: Palette) -> Text:
    verdicts: list[tuple[str, Sequence[Problem]]] = [
        ("RFC 46", [p for p in build.syntax if p.severity == "error"]),
        ("RFC 14", build.canonical),
        ("V1", build.v1),
    ]
    text = Text()
    syntax_bad = bool(verdicts[0][1])
    for name, problems in verdicts:
        if text:
            text.append("  ")
        if syntax_bad and name != "RFC 46":
            text.append(f"{name} ?", style=style.faint)
        elif problems:
            text.append(f"{name} {BAD}", style=style.problem)
        else:
            text.append(f"{name} {OK}", style=style.plain)
    return text


def _reason(lead: str, problems: Sequence[Problem], style: Palette) -> Text:
    text = Text(f"{lead}: ", style=style.problem)
    text.append(printable(problems[0].message), style=style.plain)
    if len(problems) > 1:
        text.append(f"  and {len(problems) - 1} more", style=style.quiet)
    return text
