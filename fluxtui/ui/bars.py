"""The lines above the panes: title, the two inputs with a message below each, and verdicts."""

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Label

from fluxtui.model.constraint import completion
from fluxtui.model.constraint.completion import Names, are_many
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import Problem, Span, counted, how_many, plural, printable
from fluxtui.notation.query.tree import shown
from fluxtui.notation.shape.completion import ANY, Known, completions
from fluxtui.ui.constraint.explanations import examples, in_order
from fluxtui.ui.job.verdicts import verdict_line
from fluxtui.ui.kit.entry import Entry
from fluxtui.ui.kit.input import wait_for_keys
from fluxtui.ui.kit.keys import bind
from fluxtui.ui.kit.lines import CaretLine, OneLine
from fluxtui.ui.kit.palette import Palette, palette_of
from fluxtui.ui.kit.text import DOT, begins_as_command, expected_words, shorten, totals
from fluxtui.ui.kit.workers import LatestTasks
from fluxtui.workbench import Cluster, Fix, State
from fluxtui.workbench.comparing import Comparison, Kept
from fluxtui.workbench.documents import is_nothing

FACTS = "   "  # in front of the facts in the title
PARTS = re.compile(f"{FACTS}|{DOT}")  # places where the title may be cut

LABEL_WIDTH = 10

USUAL = "gpu&-debug"  # an example of a constraint where no document is open

# How many carets remain if the message beside them needs the room.
LEAST_CARETS = 3

# The number of wordings for the count of nodes, and the columns of the queue's name in it.
BREVITIES = 4
NAME_WIDTH, LEAST_NAME = 12, 4

#: The end of a line that is cut, with the keys that show the full message.
MORE = "… esc 6"

LEAST, MOST = 8, 40  # columns of the kept constraint
CUT = 2  # columns of the ellipsis where the list of nodes is cut
NAMED = 8  # how many ranges of host names are shown


class Title(OneLine):
    """Shows the open document with its facts, or the one being read."""

    _named = 0  # characters before the facts: a name there may contain a separator

    async def on_click(self) -> None:
        """Go to the details of the document, in the node pane."""
        await self.run_action("app.go_to('node')")

    def show_state(
        self, state: State, reading: str = "", file: str = "", moment: str | None = None
    ) -> None:
        """Show the open document, the file of the job and the queue of the job.

        reading names the document being read and how far it is; file is the job's file; moment is
        when the picture of a running Flux was taken: empty if live, None without a running Flux.
        """
        style = palette_of(self)
        cluster = state.cluster
        resources = cluster.resources
        left = Text.assemble(("fluxtui", style.slot), "  ", no_wrap=True, end="")
        if not (reading and is_nothing(cluster)):  # nothing is open until the reading ends
            left.append(printable(cluster.source.name), style=style.strong)
        if len(state.documents) > 1:
            left.append(f" {state.place + 1}/{len(state.documents)}", style=style.quiet)
        self._named = len(left)
        if resources.node_count:
            words = totals(resources.whole)
            left.append(f"{FACTS}{words}", style=style.quiet)
        right = Text(end="", no_wrap=True)
        if reading:
            right.append(f"reading {reading} esc stops", style=style.warning)
        elif resources.problems:
            errors = [problem for problem in resources.problems if problem.severity == "error"]
            count = counted(
                how_many(errors or resources.problems), "problem" if errors else "warning"
            )
            look = style.problem if errors else style.warning
            right.append(f"! {count} in the document", style=look)
        elif file:
            right.append(shorten(file, 40), style=style.plain)
        if not reading and not resources.problems and state.outlook.queue:
            right.append(DOT if right else "", style=style.quiet)
            default = "" if state.submission.queue is not None else " (default)"
            if not cluster.has_queue(state.outlook.queue):
                default = " (unknown here)"
            name = shorten(printable(state.outlook.queue), 24)
            right.append(f"queue {name}{default}", style=style.quiet)
        if moment is not None:
            right.append(DOT if right else "", style=style.quiet)
            right.append(moment or "● live", style=style.warning if moment else style.good)
        self.show(left, right)

    def cut(self, text: Text, room: int) -> Text:
        """Return as many whole facts as fit, because a number cut short would be wrong."""
        for mark in reversed([*PARTS.finditer(text.plain, self._named)]):
            facts = text[: mark.start()]
            if facts.cell_len <= room:
                return facts
        return super().cut(text, room)


class Bar(Vertical):
    """A label, an input with a verdict to the right of it, and a line for messages below."""

    BINDINGS: ClassVar[list[BindingType]] = [
        # With priority, so that a digit typed right after it goes to a pane.
        bind("bar.leave", "escape", "leave", "Panes", "Go to the panes", footer=True, first=True),
    ]

    def __init__(
        self, label: str, entry: Entry, verdict_id: str, message_id: str, *, id: str
    ) -> None:
        super().__init__(id=id)
        self.entry = entry
        self.verdict = OneLine(id=verdict_id or None, classes="verdict")
        self.verdict.display = bool(verdict_id)
        self.message = CaretLine(id=message_id)
        self._label = label
        self._pointed: tuple[Problem, Palette] | None = None
        entry.on_scroll = self._point_again

    def compose(self) -> ComposeResult:
        """Yield the row of the input and the line below it."""
        with Horizontal(classes="bar-row"):
            yield Label(self._label, classes="bar-label")
            yield self.entry
            yield self.verdict
        yield self.message

    async def action_leave(self) -> None:
        """Close the list of the input, or else go to the panes."""
        await wait_for_keys(self.entry)
        if not self.entry.press_in_list("escape"):
            await self.run_action("app.do('leave')")

    def on_resize(self) -> None:
        """Hide the verdict on a very narrow screen, to leave the width to the input."""
        self.verdict.display = bool(self.verdict.id) and self.size.width >= 60

    def _point(self, problem: Problem, style: Palette) -> None:
        self._pointed = (problem, style)
        look = style.problem if problem.severity == "error" else style.warning
        text = self._words(problem)
        least = cell_len(text)
        if not text.endswith(MORE):
            text += expected_words(problem)
        message = Text(text, style=look, no_wrap=True, end="")
        start = self._start(problem)
        if problem.span is None or start is None:
            self.message.say(Text(" " * LABEL_WIDTH).append_text(message))
            return
        self.message.point(start, self._carets(start, problem.span, least), message, least)

    def _start(self, problem: Problem) -> int | None:
        """Return the column of the first character of a problem; None if that is out of sight."""
        if problem.span is None:
            return None
        column = self.entry.column(problem.span.start)
        width = (self.message.size.width or 80) - LABEL_WIDTH
        return LABEL_WIDTH + column if 0 <= column < width else None

    def _carets(self, start: int, span: Span, least: int) -> int:
        """Return how many carets to show for a span at column start, beside a text this wide."""
        return self.entry.column(span.end) - self.entry.column(span.start)

    def _words(self, problem: Problem) -> str:
        return printable(problem.message)

    def _point_again(self) -> None:
        if self._pointed is not None:
            self._point(*self._pointed)

    def _say(self, text: Text) -> None:
        self._pointed = None
        self.message.say(Text(" " * LABEL_WIDTH).append_text(text))


class ShapeBar(Bar):
    """The input for the shape, with the request in words or a problem below it."""

    def __init__(self, on_edit: Callable[[str], None], on_enter: Callable[[], object]) -> None:
        entry = Entry(
            on_edit,
            on_enter,
            "",
            id="shape-input",
            complete=lambda text, at: completions(text, at, self._types()),
        )
        super().__init__("Shape", entry, "", "shape-message", id="shape-bar")
        self._cluster: Cluster | None = None
        self._known: Known | None = None

    def know(self, cluster: Cluster) -> None:
        """Use the resource types of this cluster for completion."""
        if self._cluster is None or cluster.resources is not self._cluster.resources:
            self._known = None
        self._cluster = cluster

    def _types(self) -> Known:
        """Return the resource types of the open cluster, collected on first use."""
        if self._known is None:
            self._known = self._cluster.types if self._cluster is not None else ANY
        return self._known

    def suggest(self, shape: str) -> None:
        """Show an example shape while the input is empty."""
        self.entry.placeholder = f"e.g. {shape}  what do you need?"

    def show(self, state: State, summary: Callable[[], str], style: Palette) -> None:
        """Show the text and its colours, and below it its first problem or the summary.

        summary returns the request in words.
        """
        build = state.build
        self.entry.put(build.text)
        self.entry.colour(build.shape.tokens, build.syntax)
        if state.empty and build.blank:
            self._say(Text("RFC 46: nodes, slots and what each slot holds", style=style.faint))
        elif build.syntax and begins_as_command(build.text):
            words = "a command line? press enter, or paste it, to read it as a job"
            self._say(Text(words, style=style.warning))
        elif build.syntax:
            self._point(build.syntax[0], style)
        else:
            self._say(Text(printable(summary()), style=style.quiet))


class VerdictBar(OneLine):
    """The line of verdicts on the job, or the most important problem and the best fix for it.

    fixes returns the fixes for a state.
    """

    def __init__(self, fixes: Callable[[State], Sequence[Fix]]) -> None:
        super().__init__(id="verdicts")
        self._fixes = fixes
        self._shown: tuple[State, Palette] | None = None
        self._moment = ""

    def show_moment(self, moment: str) -> None:
        """Show when the picture of a running Flux was taken; empty while it is live."""
        if moment != self._moment:
            self._moment = moment
            if self._shown is not None:
                self.show_state(*self._shown)

    def show_state(self, state: State, style: Palette) -> None:
        """Show the verdicts on the job of a state."""
        self._shown = state, style
        width = (self.size.width or self.app.size.width) - 2
        self.show(verdict_line(state, self._fixes(state), width, style, self._moment))

    def on_resize(self) -> None:
        """Show as many verdicts as fit the new width."""
        if self._shown is not None:
            self.show_state(*self._shown)


class AskBar(Bar):
    """The input for the constraint, with how many nodes match and which."""

    def __init__(self, on_edit: Callable[[str], None], on_enter: Callable[[], object]) -> None:
        entry = Entry(
            on_edit,
            on_enter,
            "",
            id="constraint-input",
            complete=lambda text, at: completion.completions(text, at, self.names),
        )
        super().__init__("Requires", entry, "answer", "ask-message", id="ask-bar")
        self._shown: tuple[State, Palette] | None = None
        self._tasks = LatestTasks(self)
        self._resources: Resources | None = None
        self._names: Names | None = None

    def know(self, resources: Resources) -> None:
        """Use the names of this cluster for completion, and show an example while it is empty."""
        if resources is not self._resources:
            self._tasks.cancel_all()
            self._resources, self._names = resources, None
            if self.is_mounted and are_many(resources):
                self._learn_names(resources)
        texts = [text for text, _ in examples(resources)]
        joined = [text for text in texts if "&" in text]
        text = next(iter([*joined, *texts]), USUAL)
        self.entry.placeholder = f"e.g. {text}  which nodes?"

    @property
    def names(self) -> Names:
        """The names in the cluster; for a large cluster empty until a thread has collected them."""
        if self._names is None and self._resources is not None:
            if not are_many(self._resources):
                self._names = Names.of(self._resources)
            elif "names" not in self._tasks.running:
                self._learn_names(self._resources)
        return self._names if self._names is not None else Names()

    def _learn_names(self, resources: Resources) -> None:
        def learned(names: Names) -> None:
            self._names = names

        self._tasks.start("names", lambda stop: Names.of(resources), learned)

    def show(self, state: State, style: Palette) -> None:
        """Show the text and its colours, how many nodes match, and which.

        Matching nodes in the chosen queue are counted separately.
        """
        ask = state.ask
        self._shown = (state, style)
        self.set_class(state.cluster.snapshot is not None, "-live")
        self.entry.put(ask.text)
        self.entry.colour(ask.requires.tokens, ask.problems)
        self.verdict.show_fitted(partial(_fitted_count, state, style))
        which = self._which(state, style)
        problems = in_order(ask.problems)
        if problems and not ask.blank:
            self._point(problems[0], style)
        else:
            self._say(which)

    def _words(self, problem: Problem) -> str:
        total = self.message.size.width or 80
        start = self._start(problem)
        if problem.span is None or start is None:
            return fitted(problem, self.entry.value, total - LABEL_WIDTH)
        room = max(total - start - self._carets(start, problem.span, total) - 1, start - 1)
        return fitted(problem, self.entry.value, room)

    def _carets(self, start: int, span: Span, least: int) -> int:
        """Return few enough carets to leave room for the text; the input marks the span too."""
        width = super()._carets(start, span, least)
        total = self.message.size.width or 80
        if least <= start - 1:  # the text fits before the carets
            return width
        return min(width, max(total - start - 1 - least, LEAST_CARETS))

    def on_resize(self) -> None:
        """Fit a comparison or a problem to the new width."""
        self.call_after_refresh(self._compare_again)
        self.call_after_refresh(self._point_again)

    def _compare_again(self) -> None:
        if self._shown is not None and self._shown[0].kept is not None:
            self.show(*self._shown)

    def _which(self, state: State, style: Palette) -> Text:
        resources, ask, left = state.cluster.resources, state.ask, state.left
        queue = state.known_queue
        if state.kept is not None:
            return comparison_words(state, (self.message.size.width or 80) - LABEL_WIDTH, style)
        if ask.blank and queue is None:
            note = "a query (RFC 35) or JSON (RFC 31); empty matches all nodes"
            return Text(note, style=style.faint, end="")
        if ask.constraint is None and not ask.blank:
            return Text()
        if not left:
            where = f" in queue {printable(queue)}" if queue is not None and ask.mask else ""
            return Text(f"no node matches{where}", style=style.problem, end="")
        found = ask.totals if queue is None else resources.totals(left)
        text = Text(style=style.quiet, end="")
        text.append(counted(found.cores, "core"))
        if found.gpus:
            text.append(DOT + counted(found.gpus, "gpu"))
        text.append(f"{DOT}{plural('rank', left.bit_count())} ").append(
            resources.ranks_text(left, limit=3), style=style.plain
        )
        if hosts := resources.hosts_of(left, limit=8):
            text.append(DOT).append(printable(hosts), style=style.plain)
        return text


def _fitted_count(state: State, style: Palette, width: int) -> Text:
    """Return how many nodes match, in the longest wording that fits; 0 columns are no limit.

    The noun is left out first, then the total, then the matches outside the queue, and last the
    name of the queue is cut.
    """
    count = Text()
    for brevity in range(BREVITIES):
        count = _counted(state, style, brevity)
        if not 0 < width < count.cell_len:
            return count
    name = NAME_WIDTH - (count.cell_len - width)
    return _counted(state, style, BREVITIES - 1, max(name, LEAST_NAME))


def _counted(state: State, style: Palette, brevity: int, name: int = NAME_WIDTH) -> Text:
    """Return how many nodes match, are in the job's queue, and (on a live Flux) are up and free.

    The default queue is used if a job is being built and the queue does not cover all nodes.
    """
    ask, queue, left = state.ask, state.known_queue, state.left
    if ask.stale and ask.constraint is None:  # there is no previous answer
        return Text()
    going, cluster, snapshot = state.outlook.queue, state.cluster, state.cluster.snapshot
    is_default = state.submission.queue is None
    if is_default and going and state.outlook.own is not None:
        covered = cluster.covered(going)
        if covered != cluster.resources.everything:
            queue, left = going, ask.mask & covered
    count = Text()
    if not ask.blank and ask.constraint is not None:
        if queue is None or brevity < BREVITIES - (1 if snapshot is None else 2):
            lit = style.match if ask.totals.nodes else style.problem
            look = style.quiet if ask.stale else lit
            count.append(f"{ask.totals.nodes:,}", style=look)
        whole = cluster.resources.node_count
        if brevity < 2:
            nodes = f"{whole:,}" if brevity else counted(whole, "node")
            count.append(f" of {nodes}", style=style.quiet)
    if queue is not None:
        count.append(DOT if count else "", style=style.quiet)
        here = left.bit_count()
        count.append(f"{here:,}", style=style.match if left else style.problem)
        count.append(f" in {shorten(printable(queue), name)}", style=style.quiet)
    if snapshot is not None and not ask.stale and brevity < BREVITIES - 1:
        now = snapshot.nodes.counts(left)
        count.append(DOT if count else "", style=style.quiet)
        if brevity < 1 and now.ever != left.bit_count():  # some are closed to all jobs
            count.append(f"{now.ever:,}", style=style.match if now.ever else style.problem)
            count.append(" for jobs" + DOT, style=style.quiet)
        count.append(f"{now.up:,}", style=style.match if now.up else style.problem)
        count.append(" up" + DOT, style=style.quiet)
        count.append(f"{now.free:,}", style=style.match if now.free else style.problem)
        count.append(" free", style=style.quiet)
    stale = ("stale: ", style.warning) if ask.stale and count else ""
    return Text.assemble(stale, count)


def fitted(problem: Problem, text: str, room: int) -> str:
    """Return the message of a problem for the line below its text, in at most room columns.

    If it is too long, the text of the span at its start is left out, since the carets point at it.
    If it must be cut, it ends with the keys that show it in full.
    """
    message = printable(problem.message)
    if cell_len(message) <= room:
        return message
    if problem.span is not None:
        message = message.removeprefix(printable(shown(text[slice(*problem.span)])) + " ")
    if cell_len(message) <= room:
        return message
    return set_cell_size(message, max(room - len(MORE), 0)).rstrip() + MORE


def comparison_words(state: State, room: int, style: Palette) -> Text:
    """Return ``A gpu 48 · B 31: +9 gained, −26 lost``, followed by these nodes.

    The text of A is cut to fit the counts into room columns. Empty if no constraint is kept as A.
    """
    kept, comparison = state.kept, state.comparison
    if kept is None or comparison is None:
        return Text()
    counts = Text(" ").append(f"{kept.mask.bit_count():,}", style=style.match)
    if kept.text.strip() == state.ask.text.strip():
        counts.append(" is kept: type another one here; A in a pane stops", style=style.quiet)
    else:
        counts.append(f"{DOT}B ", style=style.quiet)
        counts.append(f"{state.ask.mask.bit_count():,}", style=style.match)
        counts.append(": ", style=style.quiet)
        counts.append_text(_difference(comparison, style))
    text = Text("A ", style=style.quiet, end="")
    limit = min(max(room - text.cell_len - counts.cell_len - CUT, LEAST), MOST)
    text.append(shorten(_name(kept), limit), style=style.plain)
    text.append_text(counts)
    return text.append(_which(state, comparison), style=style.quiet)


def _name(kept: Kept) -> str:
    return printable(" ".join(kept.text.split())) or "all nodes"


def _difference(comparison: Comparison, style: Palette) -> Text:
    if not comparison.gained and not comparison.lost:
        return Text("the same nodes", style=style.plain)
    return Text.assemble(
        (f"+{comparison.gained.bit_count():,} gained", style.count),
        (", ", style.quiet),
        (f"−{comparison.lost.bit_count():,} lost", style.problem),
    )


def _which(state: State, comparison: Comparison) -> str:
    """Return the hosts of the gained nodes, then of the lost ones."""
    hosts_of = state.cluster.resources.hosts_of
    masks = (("gained", comparison.gained), ("lost", comparison.lost))
    named = (f"{name} {printable(hosts_of(mask, limit=NAMED))}" for name, mask in masks if mask)
    return "".join(DOT + words for words in named)
