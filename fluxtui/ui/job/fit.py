"""Whether the job fits on the cluster: where it would run, what is missing, what its queue says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType

from fluxtui.model.jobspec.request import count_words
from fluxtui.notation.problem import counted, how_many, printable
from fluxtui.ui.job.fixes import numbered
from fluxtui.ui.job.verdicts import BAD, ODD, OK, OPEN, Fix
from fluxtui.ui.kit.keys import bind
from fluxtui.ui.kit.lines import LinesView
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.pane import Pane
from fluxtui.ui.kit.text import styled_line
from fluxtui.ui.kit.wording import shorten
from fluxtui.workbench import State

if TYPE_CHECKING:
    from fluxtui.answers.feasibility.feasibility import Feasibility, Placement
    from fluxtui.answers.feasibility.fit import Fit

REASONS_SHOWN = 12


def fit_lines(state: State, fixes: Sequence[Fix], style: Palette) -> list[Text]:
    """Whether the job of a state fits and its queue accepts it, with fixes if not.

    Each fix has its number; a click on it carries that as ``fix``.
    """
    outlook = state.outlook
    if outlook.own is None:
        hints = ("Whether the job fits, where it would run,", "and what is missing.")
        return [styled_line((words, style.quiet)) for words in ("", *hints)]
    lines: list[Text] = []
    if state.build.canonical and not outlook.stale:
        lines.append(styled_line(("Not a valid job yet (RFC 14). Its resources:", style.quiet)))
    if outlook.fit is not None:
        lines += _verdict(state, outlook.fit, style)
        missing = _missing(outlook.fit.own, style)
        lines += [*missing[:1], *numbered(fixes, style), *missing[1:]]
        lines += _schedulers(outlook.fit, style)
    elif not state.cluster.resources.node_count:
        lines.append(styled_line(("No cluster is open.", style.quiet)))
    lines += _queue(state, style)
    if outlook.fit is None:
        lines += numbered(fixes, style)
    return lines


def _verdict(state: State, found: Fit, style: Palette) -> Iterator[Text]:
    own, where = found.own, _where(state)
    if own.satisfiable_but_unallocatable:
        yield styled_line((f"{ODD} reported to fit, but not placed", style.warning))
    elif own.feasible:
        many = f", at most {counted(own.fits, 'such job')} at once" if own.fits else ""
        yield styled_line((f"{OK} fits{where}", style.good), (many, style.plain))
        if own.placement is not None:
            yield from _placed(state, own.placement, style)
        for path, count in own.largest:
            yield styled_line(
                (f"  {_vertex(state, path)}: up to ", style.quiet),
                (f"{count:,}", style.count),
                (" fit", style.quiet),
            )
    elif own.feasible is None:
        yield styled_line((f"{OPEN} may or may not fit", style.warning))
    else:
        yield styled_line((f"{BAD} does not fit{where}", style.problem))


def _where(state: State) -> str:
    outlook, cluster = state.outlook, state.cluster
    covered = cluster.covered(outlook.queue)
    if not outlook.queue or covered == cluster.resources.everything:
        return ""
    where = f" in {shorten(printable(outlook.queue), 16)}"
    if outlook.allowed is None or outlook.allowed in (0, covered):
        return where
    left, all_ = outlook.allowed.bit_count(), covered.bit_count()
    verb = "matches" if left == 1 else "match"
    return f"{where}, where {left:,} of {counted(all_, 'node')} {verb}"


def _missing(own: Feasibility, style: Palette) -> list[Text]:
    look = style.warning if own.feasible else style.plain
    shown = own.reasons[:REASONS_SHOWN]
    lines = [styled_line((f"  {printable(problem.message)}", look)) for problem in shown]
    rest = how_many(own.reasons[REASONS_SHOWN:])
    return [*lines, styled_line((f"  and {rest:,} more", style.quiet))] if rest else lines


def _schedulers(found: Fit, style: Palette) -> Iterator[Text]:
    says = [
        f"{name} {OPEN if room.feasible is None else OK if room.feasible else BAD}"
        for name, room in (("sched-simple", found.simple), ("Fluxion", found.fluxion))
    ]
    yield styled_line(("  ".join(says), style.quiet))
    if why := found.why_differs:
        yield styled_line((f"  {printable(why)}", style.quiet))


def _placed(state: State, placement: Placement, style: Palette) -> Iterator[Text]:
    """Where a placement is, and what it takes of each node."""
    resources, graph = state.cluster.resources, state.cluster.graph
    hosts = printable(resources.hosts_of(placement.mask, limit=6)) or "unnamed nodes"
    ranks = resources.ranks_text(placement.mask, limit=4)
    yield styled_line((f"  on {hosts}", style.placed), (f"  ranks {ranks}", style.quiet))
    if graph is not None:
        types = Counter(graph.types[row] for row in placement.rows if not graph.children[row])
        listed = ", ".join(f"{count:,} {printable(kind)}" for kind, count in types.items())
        yield styled_line((f"  {listed}", style.quiet))
    shares = {(share.cores, share.gpus) for share in placement.shares}
    if len(shares) > 1:
        yield styled_line(("  a different share of each", style.quiet))
    for cores, gpus in shares if len(shares) == 1 else ():
        taken = [f"{what} {ids}" for what, ids in (("cores", cores), ("gpus", gpus)) if ids]
        if taken:
            yield styled_line((f"  {' and '.join(taken)} of each", style.quiet))


def _queue(state: State, style: Palette) -> Iterator[Text]:
    """What the queue that the job goes to says of it."""
    answer = state.outlook.own
    assert answer is not None
    name = f"queue {shorten(printable(answer.queue), 24)}" if answer.queue else "Flux"
    default = "" if state.submission.queue is not None else " (the default)"
    if answer.admitted is False:
        yield styled_line((f"{BAD} {name} refuses it", style.problem))
        for refusal in answer.refusals:
            yield styled_line((f"  {printable(refusal.problem.message)}", style.plain))
    elif answer.admitted is None:
        yield styled_line((f"{OPEN} {name} may refuse it", style.warning))
    elif answer.queue and state.outlook.rooms.get(answer.queue) is False:
        yield styled_line((f"  allowed by {name}{default}", style.quiet))
    elif answer.queue and answer.schedules:
        yield styled_line((f"{OK} {name}{default} accepts it", style.plain))
    elif answer.queue:
        held = f", but does not schedule: {answer.held}"
        yield styled_line((f"{ODD} {name}{default} accepts it{held}", style.warning))
    for note in answer.notes:
        yield styled_line((f"  {printable(note.message)}", style.quiet))


def _vertex(state: State, path: str) -> str:
    """The vertex that the path of a count leads to, in words: ``node 1 to 12``."""
    wanted = path.removesuffix(".count")
    for vertex in state.build.request.walk():
        if vertex.path == wanted:
            return printable(f"{vertex.type} {count_words(vertex.fields['count'])}")
    return path


class FitPane(Pane):
    """Shows whether the job fits, and the fixes where it does not.

    fixes gives those for a state; on_take is called with the one that a person takes, the first by
    enter, any by its number or a click.
    """

    title = "Fit"

    BINDINGS: ClassVar[list[BindingType]] = [
        bind(
            f"fit.{number}", str(number), f"take({number})", f"Fix {number}", f"Apply fix {number}"
        )
        for number in range(1, 10)
    ]

    def __init__(
        self, fixes: Callable[[State], Sequence[Fix]], on_take: Callable[[Fix], object], *, id: str
    ) -> None:
        super().__init__(id=id)
        self.view = LinesView(id="fit", wrap=True, on_enter=lambda: self.action_take(1))
        self._find = fixes
        self._on_take = on_take
        self._fixes: Sequence[Fix] = ()
        self._state: State | None = None

    def compose(self) -> ComposeResult:
        """The lines."""
        yield self.view

    def show(self, state: State) -> None:
        """Show whether the job fits.

        While the answer is on its way, the one before stays, and its fixes are none.
        """
        waits = state.outlook.due and bool(self.view.lines)
        self._state, self._fixes = state, () if waits else self._find(state)
        self.say_keys()
        if not waits:
            self.view.show_lines(fit_lines(state, self._fixes, self.style))

    def say_keys(self) -> None:
        """Show in the frame that answers are pending, or the active keys."""
        outlook = self._state.outlook if self._state is not None else None
        more = ", a digit any other" if len(self._fixes) > 1 else ""
        keys = f"enter applies 1{more}" if self._fixes and self.has_keys(self.view) else ""
        if outlook is not None and outlook.old:
            keys = "looking …" if outlook.due else "stale"
        self.say_in_frame(keys)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave digits without a fix to the panes."""
        if action == "take":
            return isinstance(parameters[0], int) and parameters[0] <= len(self._fixes)
        return super().check_action(action, parameters)

    def action_take(self, number: int) -> None:
        """Apply the fix with a number."""
        if number <= len(self._fixes):
            self._on_take(self._fixes[number - 1])

    def on_click(self, event: events.Click) -> None:
        """Apply the fix under the mouse."""
        self.action_take(event.style.meta.get("fix", len(self._fixes) + 1))
