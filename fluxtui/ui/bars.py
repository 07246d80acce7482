"""The two inputs a person types into, each with its verdict at the right and a line below."""

from collections.abc import Callable, Sequence

from rich.cells import cell_len
from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Label

from fluxtui.model import requires
from fluxtui.notation import shape
from fluxtui.notation.source import Problem, Span, how_many, printable
from fluxtui.ui import wording
from fluxtui.ui.chips import chips
from fluxtui.ui.known import KnownNames
from fluxtui.ui.palette import Palette
from fluxtui.ui.reading_problems import fitted, said
from fluxtui.ui.widgets.entry import Entry
from fluxtui.ui.widgets.one_line import CaretLine, OneLine
from fluxtui.workbench import State

LABEL_WIDTH = 10

# Columns of the verdicts before the screen has its size.
VERDICT_WIDTH = 50

# Carets that show a place where the words beside them need the room.
LEAST_CARETS = 3


class Bar(Vertical):
    """A label, an input, a verdict at the right of it, and a line below for what is to be said."""

    def __init__(
        self, label: str, entry: Entry, verdict_id: str, message_id: str, *, id: str
    ) -> None:
        super().__init__(id=id)
        self.entry = entry
        entry.around = self
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
        text = self._words(problem)
        least = cell_len(text)
        if problem.expected and "did you mean" not in text:
            more = ", …" if len(problem.expected) > 3 else ""
            text += f"; expected {', '.join(printable(e) for e in problem.expected[:3])}{more}"
        message = Text(text, style=look, no_wrap=True, end="")
        if problem.span is None:
            self.message.say(Text(" " * LABEL_WIDTH).append_text(message))
            return
        column = self.entry.column(problem.span.start)
        width = self._carets(LABEL_WIDTH + column, problem.span, least)
        self.message.point(LABEL_WIDTH + column, width, message, least)

    def _carets(self, start: int, span: Span, least: int) -> int:
        """How many carets stand under some characters, from a column on, beside so long a text."""
        return self.entry.column(span.end) - self.entry.column(span.start)

    def _words(self, problem: Problem) -> str:
        """The message of a problem."""
        return printable(problem.message)

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
            "node=4/slot/[core=8;gpu]  what do you need?",
            id="shape-input",
            complete=shape.completions,
        )
        super().__init__("Shape", entry, "verdicts", "shape-message", id="shape-bar")
        self._shown: tuple[State, Palette] | None = None

    def show(self, state: State, summary: Callable[[], str], style: Palette) -> None:
        """Show the text, its colours, its verdicts, and the first thing that is wrong with it.

        summary says in words what is asked for.
        """
        build = state.build
        self.entry.put(build.text)
        self.entry.colour(build.shape.tokens, build.syntax)
        self._shown = (state, style)
        self._show_verdicts()
        if state.empty and build.blank:
            self._say(Text("RFC 46: nodes, slots and what is in each slot", style=style.faint))
        elif build.syntax and wording.begins_as_command(build.text):
            words = "a command line? enter reads it as a job, and so does pasting it"
            self._say(Text(words, style=style.warning))
        elif build.syntax:
            self._point(build.syntax[0], style)
        else:
            self._say(_reason(state, style) or Text(summary(), style=style.quiet))

    def on_resize(self) -> None:
        """Show as many verdicts as there is room for."""
        super().on_resize()
        self.call_after_refresh(self._show_verdicts)

    def _show_verdicts(self) -> None:
        if self._shown is not None:
            width = self.verdict.size.width or VERDICT_WIDTH
            self.verdict.show(Text(), chips(*self._shown, width))


def _reason(state: State, style: Palette) -> Text | None:
    """The first reason why the job is not legal, or will not run as it stands, if there is one."""
    build, outlook, verdicts, raw = state.build, state.outlook, state.verdicts, state.job.raw
    if raw is not None:
        return _first(raw.errors, raw.form.upper(), style)
    if build.canonical and not build.blank:
        return _first(build.canonical, "RFC 14", style, placed=True)
    if verdicts is not None and not verdicts.canonical.ok:
        return _first(verdicts.canonical.problems, "RFC 14", style, placed=True)
    found = outlook.fit
    if outlook.old:
        return None
    if found is not None and found.feasible is False and found.own.reasons:
        lead = f"no room in {printable(outlook.queue)}" if outlook.queue else "no room"
        return _first(found.own.reasons, lead, style)
    if verdicts is not None and not verdicts.v1.ok:
        return _first(verdicts.v1.problems, "not V1", style, placed=True)
    if verdicts is not None and not verdicts.flux.ok:
        return _first(verdicts.flux.problems, "flux-core refuses it", style, placed=True)
    own = outlook.own
    if own is not None and own.admitted is False and own.refusals:
        reasons = [refusal.problem for refusal in own.refusals]
        lead = f"queue {printable(own.queue)}" if own.queue else "Flux"
        named = own.queue and reasons[0].message.startswith("queue ")
        return _first(reasons, "refused" if named else lead, style)
    return None


def _first(problems: Sequence[Problem], lead: str, style: Palette, *, placed: bool = False) -> Text:
    """The first problem after its lead, and how many more there are.

    placed puts its path before it, where that leads to more than a whole part of the jobspec: no
    caret in the shape says where it is.
    """
    path, message = problems[0].path or "", problems[0].message
    text = Text(f"{lead}: ", style=style.problem)
    if placed and ("." in path or "[" in path):
        text.append(f"{printable(path)}  ", style=style.key)
    text.append(printable(message), style=style.plain)
    more = how_many(problems) - 1
    if more:
        text.append(f"  and {more:,} more", style=style.quiet)
    return text


class AskBar(Bar):
    """Where the constraint is typed: how many nodes match, and which."""

    def __init__(self, on_edit: Callable[[str], None], on_enter: Callable[[], object]) -> None:
        self.known = KnownNames(self)
        entry = Entry(
            on_edit,
            on_enter,
            "gpu&-debug  which nodes will do?",
            id="constraint-input",
            complete=lambda text, at: requires.completions(text, at, self.known.names),
        )
        super().__init__("Requires", entry, "answer", "ask-message", id="ask-bar")
        self.which = OneLine(id="ask-which")
        self._shown: tuple[State, Palette] | None = None

    def compose(self) -> ComposeResult:
        """One line more than other bars, where the screen has the room: beside a problem, which
        nodes matched."""
        yield from super().compose()
        yield self.which

    def show(self, state: State, style: Palette) -> None:
        """Show the text, its colours, the count of matching nodes, and which they are.

        What the chosen queue leaves of them stands apart.
        """
        ask = state.ask
        self._shown = (state, style)
        self.known.know(state.cluster.resources)
        self.entry.put(ask.text)
        self.entry.colour(ask.requires.tokens, ask.problems)
        from fluxtui.ui.reading_count import counted  # which the first frame does without

        count = counted(state, style)
        width = self.verdict.size.width
        if 0 < width < count.cell_len:
            count = counted(state, style, short=True)
        self.verdict.show(Text(), count)
        which = self._which(state, style)
        problems = said(ask.problems)
        if problems and not ask.blank:
            self._point(problems[0], style)
            self.which.show(Text(" " * LABEL_WIDTH, end="").append_text(which))
        else:
            self._say(which)
            self.which.show(Text())

    def _words(self, problem: Problem) -> str:
        """The message of a problem as it fits beside its carets."""
        total = self.message.size.width or 80
        if problem.span is None:
            return fitted(problem, self.entry.value, total - LABEL_WIDTH)
        start = LABEL_WIDTH + self.entry.column(problem.span.start)
        if not 0 <= start < total:
            return fitted(problem, self.entry.value, total)
        room = max(total - start - self._carets(start, problem.span, total) - 1, start - 1)
        return fitted(problem, self.entry.value, room)

    def _carets(self, start: int, span: Span, least: int) -> int:
        """As few as leave room for the text, for the input marks the characters too."""
        width = super()._carets(start, span, least)
        total = self.message.size.width or 80
        if least <= start - 1:  # it stands before them
            return width
        return min(width, max(total - start - 1 - least, LEAST_CARETS))

    def on_resize(self) -> None:
        """Say of a comparison, and of a problem, what there is room for now."""
        super().on_resize()
        self.call_after_refresh(self._compare_again)
        self.call_after_refresh(self._point_again)

    def _compare_again(self) -> None:
        if self._shown is not None and self._shown[0].kept is not None:
            self.show(*self._shown)

    def _which(self, state: State, style: Palette) -> Text:
        resources, ask, left = state.cluster.resources, state.ask, state.left
        queue = state.submission.queue
        if state.kept is not None:
            from fluxtui.ui import compared  # seldom needed

            return compared.words(state, (self.message.size.width or 80) - LABEL_WIDTH, style)
        if ask.blank and queue is None:
            note = "a query (RFC 35) or JSON (RFC 31); without one every node will do"
            return Text(note, style=style.faint, end="")
        if ask.constraint is None and not ask.blank:
            return Text()
        if not left:
            where = f" in queue {printable(queue)}" if queue is not None and ask.mask else ""
            return Text(f"no node matches{where}", style=style.problem, end="")
        totals = ask.totals if queue is None else resources.totals(left)
        text = Text(style=style.quiet, end="")
        text.append(wording.counted(totals.cores, "core"))
        if totals.gpus:
            text.append(wording.DOT + wording.counted(totals.gpus, "gpu"))
        text.append(wording.DOT + "ranks ").append(
            resources.ranks_text(left, limit=3), style=style.plain
        )
        text.append(wording.DOT).append(
            printable(resources.hosts_of(left, limit=8)), style=style.plain
        )
        return text
