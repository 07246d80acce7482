"""Will it run: is there room for the job, where, what is missing, and what the queue says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from fluxtui.model.jobspec.request import count_words
from fluxtui.notation.problem import counted, how_many, printable
from fluxtui.ui.job.verdicts import BAD, ODD, OK, OPEN
from fluxtui.ui.kit.lines import LinesView
from fluxtui.ui.kit.pane import Pane
from fluxtui.ui.kit.wording import DOT, shorten
from fluxtui.workbench import Edit, State

if TYPE_CHECKING:
    from fluxtui.answers.feasibility.feasibility import Feasibility, Placement
    from fluxtui.answers.feasibility.fit import Fit
    from fluxtui.ui.job.fixes import Fix

REASONS_SHOWN = 12


class FitPane(Pane):
    """Shows the verdict on the job in words, and the ways out of a bad one.

    fixes gives those for a state; on_take is called with the edit of the one that a person
    takes, by enter the first, by its number any.
    """

    title: ClassVar[str] = "Fit"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(str(number), f"take({number})", "Take it", show=False) for number in range(1, 10)
    ]

    def __init__(
        self,
        fixes: Callable[[State], Sequence[Fix]],
        on_take: Callable[[Edit], None],
        *,
        id: str,
    ) -> None:
        super().__init__(id=id)
        self.view = LinesView(id="fit", wrap=True, on_enter=lambda: self.action_take(1))
        self._find = fixes
        self._on_take = on_take
        self._fixes: Sequence[Fix] = ()
        self._state: State | None = None

    def compose(self) -> ComposeResult:
        """The words alone."""
        yield self.view

    def show(self, state: State) -> None:
        """Show what will become of the job that is built."""
        outlook = state.outlook
        self._state, self._fixes = state, self._find(state)
        self.say_keys()
        if outlook.due and self.view.lines:
            return  # what stands here is that of the job before, and soon there is another
        if outlook.own is None:
            self.view.show_lines(
                self.hint("Whether there is room for the job,", "where, and what is missing.")
            )
            return
        lines: list[Text] = []
        if state.build.canonical and not outlook.stale:
            lines.append(self.line(("No legal job yet (RFC 14). Its resources:", self.style.quiet)))
        if outlook.fit is not None:
            lines += self._fit(state, outlook.fit)
        elif not state.cluster.resources.node_count:
            lines.append(self.line(("No cluster is open to look for room in.", self.style.quiet)))
        lines += self._queue(state)
        self.view.show_lines(lines)

    def say_keys(self) -> None:
        """Say in the frame that the answers are to come, or the keys while they work."""
        outlook = self._state.outlook if self._state is not None else None
        more = ", a number another" if len(self._fixes) > 1 else ""
        keys = f"enter takes 1{more}" if self._fixes and self.has_keys(self.view) else ""
        if outlook is not None and outlook.old:
            keys = "looking …" if outlook.due else "stale"
        self.say_in_frame(keys)

    def action_take(self, number: int) -> None:
        """Take the way out with this number."""
        if number <= len(self._fixes):
            self._on_take(self._fixes[number - 1].edit)

    def _fit(self, state: State, found: Fit) -> Iterator[Text]:
        style, own = self.style, found.own
        where = self._where(state)
        if own.satisfiable_but_unallocatable:
            yield self.line((f"{ODD} reported to have room, but not placed", style.warning))
        elif own.feasible:
            many = ""
            if own.fits is not None:
                many = f"{DOT}at most {counted(own.fits, 'such job')} at once"
            yield self.line((f"{OK} there is room{where}", style.match), (many, style.plain))
            if own.placement is not None:
                yield from self._placed(state, own.placement)
            for path, count in own.largest:
                words = f"  {_vertex(state, path)}: up to "
                yield self.line(
                    (words, style.quiet), (f"{count:,}", style.count), (" fit", style.quiet)
                )
        elif own.feasible is None:
            yield self.line((f"{OPEN} it cannot be said whether there is room", style.warning))
        else:
            yield self.line((f"{BAD} no room{where}", style.problem))
        yield from self._missing(own)
        yield self.line(
            (_said(found.simple, "sched-simple"), style.quiet),
            ("  ", style.quiet),
            (_said(found.fluxion, "Fluxion"), style.quiet),
        )
        if why := found.why_differs:
            yield self.line((f"  {printable(why)}", style.quiet))

    def _where(self, state: State) -> str:
        """In which queue the verdict is, and which nodes are looked at there, where not all are."""
        outlook, cluster = state.outlook, state.cluster
        covered = cluster.covered(outlook.queue)
        if not outlook.queue or covered == cluster.resources.everything:
            return ""
        where = f" in {shorten(printable(outlook.queue), 16)}"
        if outlook.allowed is None or outlook.allowed == covered:
            return where
        left, all_ = outlook.allowed.bit_count(), covered.bit_count()
        verb = "matches" if left == 1 else "match"
        return f"{where}, where {left:,} of {counted(all_, 'node')} {verb}" if left else where

    def _missing(self, own: Feasibility) -> Iterator[Text]:
        """What is missing, and the ways out."""
        style = self.style
        look = style.warning if own.feasible else style.plain
        reasons = [
            self.line((f"  {printable(problem.message)}", look))
            for problem in own.reasons[:REASONS_SHOWN]
        ]
        yield from reasons[:1]
        yield from self._ways_out()
        yield from reasons[1:]
        rest = how_many(own.reasons[REASONS_SHOWN:])
        if rest:
            yield self.line((f"  and {rest:,} more", style.quiet))

    def _ways_out(self) -> Iterator[Text]:
        for number, fix in enumerate(self._fixes, 1):
            yield self.line((f"  {number} ", self.style.key), (fix.words, self.style.match))

    def _placed(self, state: State, placement: Placement) -> Iterator[Text]:
        """Where a placement is, and what it takes of each node."""
        style, resources = self.style, state.cluster.resources
        hosts = printable(resources.hosts_of(placement.mask, limit=6)) or "nodes without a name"
        ranks = resources.ranks_text(placement.mask, limit=4)
        yield self.line((f"  on {hosts}", style.match), (f"  ranks {ranks}", style.quiet))
        graph = state.cluster.graph
        if graph is not None:
            types = Counter(graph.types[row] for row in placement.rows if not graph.children[row])
            listed = ", ".join(f"{count:,} {printable(kind)}" for kind, count in types.items())
            yield self.line((f"  {listed}", style.quiet))
        shares = {(share.cores, share.gpus) for share in placement.shares}
        if len(shares) > 1:
            yield self.line(("  not the same of each", style.quiet))
        for cores, gpus in shares if len(shares) == 1 else ():
            taken = [f"{what} {ids}" for what, ids in (("cores", cores), ("gpus", gpus)) if ids]
            if taken:
                yield self.line((f"  {' and '.join(taken)} of each", style.quiet))

    def _queue(self, state: State) -> Iterator[Text]:
        """What the queue that the job goes to says of it."""
        style, answer = self.style, state.outlook.own
        if answer is None:
            return
        name = f"queue {shorten(printable(answer.queue), 24)}" if answer.queue else "Flux"
        if answer.admitted is False:
            yield self.line((f"{BAD} {name} refuses it", style.problem))
            for refusal in answer.refusals:
                yield self.line((f"  {printable(refusal.problem.message)}", style.plain))
            if state.outlook.fit is None or state.outlook.fit.own.feasible is not False:
                yield from self._ways_out()  # else they stand above, with what is missing
        elif answer.admitted is None:
            yield self.line((f"{OPEN} {name} may refuse it", style.warning))
        elif answer.queue:
            default = "" if state.submission.queue is not None else " (the default)"
            if state.outlook.rooms.get(answer.queue) is False:
                yield self.line((f"  no rule of {name}{default} is against it", style.quiet))
            elif answer.schedules:
                yield self.line((f"{OK} {name}{default} takes it", style.plain))
            else:
                held = f", and does not schedule: {answer.held}"
                yield self.line((f"{ODD} {name}{default} takes it{held}", style.warning))
        for note in answer.notes:
            yield self.line((f"  {printable(note.message)}", style.quiet))


def _said(room: Feasibility, name: str) -> str:
    """What one scheduler says, in a sign."""
    return f"{name} {OPEN if room.feasible is None else OK if room.feasible else BAD}"


def _vertex(state: State, path: str) -> str:
    """The vertex that the path of a count leads to, in words: ``node 1 to 12``."""
    wanted = path.removesuffix(".count")
    for vertex in state.build.request.walk():
        if vertex.path == wanted:
            return printable(f"{vertex.type} {count_words(vertex.fields['count'])}")
    return path
