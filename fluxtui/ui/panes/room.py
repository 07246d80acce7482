"""Will it run: is there room for the job, where, what is missing, and what the queue says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.app import ComposeResult

from fluxtui.model import jobspec
from fluxtui.notation.source import printable
from fluxtui.ui.chips import BAD, ODD, OK, OPEN
from fluxtui.ui.panes.pane import Pane
from fluxtui.ui.widgets.lines import LinesView
from fluxtui.ui.wording import DOT, counted, shorten
from fluxtui.workbench import State, rooms

if TYPE_CHECKING:
    from fluxtui.answers.fit import Fit
    from fluxtui.answers.room import Placement, Room

REASONS_SHOWN = 12


class RoomPane(Pane):
    """Shows the verdict on the job in words; enter takes the nearest request that fits."""

    title: ClassVar[str] = "Room"

    def __init__(self, on_nearest: Callable[[], None], *, id: str) -> None:
        super().__init__(id=id)
        self.view = LinesView(id="room", wrap=True, on_enter=on_nearest)

    def compose(self) -> ComposeResult:
        """The words alone."""
        yield self.view

    def show(self, state: State) -> None:
        """Show what will become of the job that is built."""
        outlook = state.outlook
        self.border_subtitle = "looking …" if outlook.due else "stale" if outlook.stale else ""
        if state.build.blank or not state.build.resources:
            self.view.show_lines(
                self.hint("Whether there is room for the job,", "where, and what is missing.")
            )
            return
        lines: list[Text] = []
        if outlook.fit is not None:
            lines += self._fit(state, outlook.fit)
        elif not outlook.due:
            lines.append(self.line(("No cluster is open to look for room in.", self.style.quiet)))
        lines += self._queue(state)
        self.view.show_lines(lines)

    def _fit(self, state: State, found: Fit) -> Iterator[Text]:
        style, own = self.style, found.own
        if own.promised:
            yield self.line((f"{ODD} said to have room, and then not placed", style.warning))
        elif own.feasible:
            many = f"{DOT}{counted(own.fits, 'such job')} at once" if own.fits is not None else ""
            yield self.line((f"{OK} there is room", style.match), (many, style.plain))
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
            yield self.line((f"{BAD} no room", style.problem))
        for problem in own.reasons[:REASONS_SHOWN]:
            look = style.warning if own.feasible else style.plain
            yield self.line((f"  {printable(problem.message)}", look))
        if own.nearest is not None:
            yield self.line(
                ("  nearest: ", style.quiet), (printable(own.nearest.change), style.match),
                ("   enter takes it", style.faint),
            )  # fmt: skip
        elsewhere = [name for name, good in self._rooms(state) if good]
        if own.feasible is False and elsewhere:
            names = ", ".join(shorten(printable(name), 16) for name in elsewhere[:4])
            yield self.line(("  there is room in queue ", style.quiet), (names, style.match))
        yield self.line(*_said(found.simple, "sched-simple", style), "  ", *_said(
            found.fluxion, "Fluxion", style
        ))  # fmt: skip
        if found.differs:
            yield self.line((f"  {printable(found.why_differs)}", style.quiet))

    def _rooms(self, state: State) -> Iterator[tuple[str, bool | None]]:
        """The other queues that take the job, and whether there is room in each."""
        own = state.outlook.queue
        return ((name, good) for name, good in rooms(state).items() if name != own)

    def _placed(self, state: State, placement: Placement) -> Iterator[Text]:
        """Where a placement is, and what it takes of each node."""
        style, resources = self.style, state.cluster.resources
        hosts = printable(resources.hosts_of(placement.mask, limit=6)) or "nodes without a name"
        ranks = resources.ranks_text(placement.mask, limit=4)
        yield self.line((f"  on {hosts}", style.match), (f"  ranks {ranks}", style.quiet))
        shares = {(share.cores, share.gpus) for share in placement.shares}
        if len(shares) > 1:
            yield self.line(("  not the same of each", style.quiet))
        for cores, gpus in shares if len(shares) == 1 else ():
            taken = [f"{what} {ids}" for what, ids in (("cores", cores), ("gpus", gpus)) if ids]
            if taken:
                yield self.line((f"  {' and '.join(taken)} of each", style.quiet))

    def _queue(self, state: State) -> Iterator[Text]:
        """What the queue that the job goes to says of it."""
        style, outlook = self.style, state.outlook
        answer = outlook.own
        if answer is None:
            return
        name = f"queue {shorten(printable(answer.queue), 24)}" if answer.queue else "Flux"
        if answer.admitted is False:
            for number, refusal in enumerate(answer.refusals):
                lead = f"{BAD} {name} refuses it: " if not number else "  and "
                yield self.line(
                    (lead, style.problem), (printable(refusal.problem.message), style.plain)
                )
        elif answer.admitted is None:
            why = answer.notes[0].message if answer.notes else "it depends on who submits"
            yield self.line((f"{OPEN} {name}: ", style.warning), (printable(why), style.plain))
        elif answer.queue:
            default = "" if state.submission.queue is not None else " (the default)"
            waits = "" if answer.schedules else f", and does not schedule: {answer.held}"
            look = style.plain if answer.schedules else style.warning
            yield self.line((f"{OK} {name}{default} takes it{waits}", look))
            for note in answer.notes:
                yield self.line((f"  {printable(note.message)}", style.quiet))


def _said(room: Room, name: str, style: object) -> tuple[tuple[str, object], ...]:
    """What one scheduler says, in a sign."""
    sign = OPEN if room.feasible is None else OK if room.feasible else BAD
    look = getattr(style, "problem" if room.feasible is False else "quiet")
    return ((f"{name} {sign}", look),)


def _vertex(state: State, path: str) -> str:
    """The vertex that the path of a count leads to, in words: ``node 1 to 12``."""
    wanted = path.removesuffix(".count")
    for here, vertex, _ in jobspec.walk(state.build.resources):
        if here == wanted:
            return printable(f"{vertex['type']} {jobspec.count_words(vertex['count'])}")
    return path
