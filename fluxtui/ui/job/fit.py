"""Whether the job fits on the cluster: where it would run, what is missing, what its queue says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from fluxtui.bridge.files import is_live
from fluxtui.model.jobspec.request import count_words
from fluxtui.notation.problem import counted, how_many, plural, printable
from fluxtui.ui.job.fixes import TakesFixes, numbered
from fluxtui.ui.job.verdicts import BAD, ODD, OK, OPEN, Fix
from fluxtui.ui.kit.lines import LinesView
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.pane import Pane
from fluxtui.ui.kit.text import moment, shorten, styled_line
from fluxtui.workbench import Edit, State

if TYPE_CHECKING:
    from fluxtui.answers.feasibility.feasibility import Placement
    from fluxtui.answers.feasibility.fit import Fit
    from fluxtui.answers.feasibility.now import Now

REASONS_SHOWN = 12


def fit_lines(
    state: State, fixes: Sequence[Fix], style: Palette, *, in_full: bool = False
) -> list[Text]:
    """Whether the job of a state fits and its queue accepts it, with fixes if not.

    Each fix has its number; a click on it carries that as ``fix``. in_full has the words of Flux.
    """
    outlook = state.outlook
    if outlook.own is None:
        hints = ("Whether the job fits, where it would run,", "and what is missing.")
        return [styled_line((words, style.quiet)) for words in ("", *hints)]
    lines: list[Text] = []
    if state.build.canonical and not outlook.stale:
        lines.append(styled_line(("Not a valid job yet (RFC 14). Its resources:", style.quiet)))
    if outlook.fit is None:
        if not state.cluster.resources.node_count:
            lines.append(styled_line(("No cluster is open.", style.quiet)))
        return [*lines, *_queue(state, style, in_full=in_full), *numbered(fixes, style)]
    own = outlook.fit.own
    look = style.warning if own.feasible else style.plain
    reasons = [printable(problem.message) for problem in own.reasons[:REASONS_SHOWN]]
    lead = "  " if own.placement is None else f"{ODD} "  # of what fits they are notes
    missing = [styled_line((f"{lead}{words}", look)) for words in reasons]
    if rest := how_many(own.reasons[REASONS_SHOWN:]):
        missing.append(styled_line((f"  and {rest:,} more", style.quiet)))
    lines += [*_verdict(state, outlook.fit, style), *missing[:1]]
    lines += [*numbered(fixes, style), *missing[1:]]
    says = [
        f"{name} {OPEN if room.feasible is None else OK if room.feasible else BAD}"
        for name, room in (
            (outlook.fit.simple.scheduler, outlook.fit.simple),
            ("Fluxion", outlook.fit.fluxion),
        )
    ]
    lines.append(styled_line(("  ".join(says), style.quiet)))
    if why := outlook.fit.why_differs:
        lines.append(styled_line((f"  {printable(why)}", style.quiet)))
    return [*lines, *_queue(state, style, in_full=in_full)]


def _verdict(state: State, found: Fit, style: Palette) -> Iterator[Text]:
    own, queue, allowed = found.own, state.outlook.queue, state.outlook.allowed
    covered, where = state.cluster.covered(queue), ""
    live = state.outlook.now
    if queue and covered != state.cluster.resources.everything:
        where = f" in {shorten(printable(queue), 16)}"
        if allowed is not None and allowed not in (0, covered):
            verb = "matches" if allowed.bit_count() == 1 else "match"
            whole = counted(covered.bit_count(), "node")
            where += f", where {allowed.bit_count():,} of {whole} {verb}"
    if own.satisfiable_but_unallocatable:
        words = f"{BAD} never starts, though it is reported to fit"
        yield styled_line((words, style.problem))
    elif own.feasible is None:
        yield styled_line((f"{OPEN} may or may not fit", style.warning))
    elif not own.feasible:
        yield styled_line((f"{BAD} does not fit{where}", style.problem))
        if live is not None and live.gives_less:
            words = f"{_moment(state)}{live.words} (sched-simple)"
            yield styled_line((f"{ODD} {words}", style.warning))
    else:
        if live is not None:
            look = style.good if live.starts else style.warning
            words = f"{_moment(state)}{live.words}"
            yield styled_line((f"{OK if live.starts else ODD} {words}", look))
            yield from _three(live, style)
        many = f", at most {counted(own.fits, 'such job')} at once" if own.fits else ""
        yield styled_line((f"{OK} fits{where}", style.good), (many, style.plain))
        if state.outlook.placement is not None:
            yield from _placed(state, state.outlook.placement, style)
        elif live is not None and live.unplaced:
            yield styled_line((f"  {printable(live.unplaced)}", style.quiet))
        vertices = {f"{one.path}.count": one for one in state.build.request.walk()}
        for path, count in own.largest:
            one = vertices.get(path)
            name = f"{one.type} {count_words(one.fields['count'])}" if one is not None else path
            most = (f"{count:,}", style.count)
            lead = f"  {printable(name)}: up to "
            yield styled_line((lead, style.quiet), most, (" fit", style.quiet))


def _moment(state: State) -> str:
    """When a running Flux was as it is shown, for a picture of one that is kept."""
    cluster = state.cluster
    if cluster.snapshot is None or is_live(cluster.source.path or ""):
        return ""
    return f"as of {moment(cluster.snapshot.taken)}: "


def _three(live: Now, style: Palette) -> Iterator[Text]:
    """What becomes of the job with all nodes, those up and those free; what would fit where not."""
    for name, found in (("ever", live.ever), ("up now", live.up), ("free now", live.free)):
        sign = OPEN if found.feasible is None else OK if found.feasible else BAD
        words = counted(found.fits, "such job") if found.fits else ""
        if found.feasible is False and found.nearest is not None:
            words = f"would start with {printable(found.nearest.change)}"
        elif found.feasible is False and found.reasons:
            words = printable(found.reasons[0].message)
        look = style.plain if found.feasible else style.warning
        yield styled_line((f"  {name:<9}", style.quiet), (f"{sign} {words}".rstrip(), look))


def _placed(state: State, placement: Placement, style: Palette) -> Iterator[Text]:
    """Where a placement is, and what it takes of each node."""
    resources, graph = state.cluster.resources, state.cluster.graph
    hosts = printable(resources.hosts_of(placement.mask, limit=6)) or "unnamed nodes"
    ranks = resources.ranks_text(placement.mask, limit=4)
    yield styled_line(
        (f"  on {hosts}", style.placed),
        (f"  {plural('rank', placement.mask.bit_count())} {ranks}", style.quiet),
    )
    if graph is not None and placement.rows:
        types = Counter(graph.types[row] for row in placement.rows if not graph.children[row])
        listed = ", ".join(f"{count:,} {printable(kind)}" for kind, count in types.items())
        yield styled_line((f"  {listed}", style.quiet))
    shares = {(share.cores, share.gpus) for share in placement.shares}
    if len(shares) > 1:
        yield styled_line(("  a different share of each", style.quiet))
    each = " of each" if placement.mask.bit_count() > 1 else ""
    for share in shares if len(shares) == 1 else ():
        pairs = zip(("core", "gpu"), share, strict=True)
        taken = [f"{plural(noun, ids.count)} {ids}" for noun, ids in pairs if ids]
        if taken:
            yield styled_line((f"  {' and '.join(taken)}{each}", style.quiet))


def _queue(state: State, style: Palette, *, in_full: bool) -> Iterator[Text]:
    """What the queue that the job goes to says of it."""
    answer = state.outlook.own
    assert answer is not None
    name = f"queue {shorten(printable(answer.queue), 24)}" if answer.queue else "Flux"
    default = "" if state.submission.queue is not None else " (the default)"
    if answer.admitted is False:
        yield styled_line((f"{BAD} {name} refuses it", style.problem))
        for refusal in answer.refusals:
            yield styled_line((f"  {printable(refusal.problem.message)}", style.plain))
            if refusal.words and in_full:
                yield styled_line((f"  Flux says: {printable(refusal.words)}", style.quiet))
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


class FitPane(Pane, TakesFixes):
    """Shows whether the job fits, and the fixes where it does not.

    find gives those for a state; edit is given the edit of the one that is taken.
    """

    def __init__(
        self, find: Callable[[State], Sequence[Fix]], edit: Callable[[Edit], None], *, id: str
    ) -> None:
        super().__init__(id=id)
        self.view = LinesView(id="fit", wrap=True)
        self.parts = (self.view,)
        self._find, self.edit = find, edit

    def show(self, state: State) -> None:
        """Show whether the job fits.

        While the answer is on its way, the one before stays, and its fixes are none.
        """
        outlook = state.outlook
        waits = outlook.due and bool(self.view.lines)
        self.fixes = () if waits else self._find(state)
        self.say_in_frame("looking …" if outlook.old and outlook.due else "stale" * outlook.old)
        if not waits:
            self.view.show_lines(fit_lines(state, self.fixes, self.style))
