"""Whether the job fits, where it would run and what is missing; and all that is wrong with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from rich.text import Text
from textual.binding import BindingType

from fluxtui.bridge.files import is_live
from fluxtui.model.jobspec.request import count_words
from fluxtui.notation.problem import Problem, counted, how_many, plural, printable
from fluxtui.ui.controller import WorkbenchPane
from fluxtui.ui.job.fixes import TakesFixes, numbered
from fluxtui.ui.job.verdicts import BAD, ODD, OK, OPEN, who_gives
from fluxtui.ui.kit.dialog import Dialog
from fluxtui.ui.kit.keys import bind
from fluxtui.ui.kit.lines import LinesView
from fluxtui.ui.kit.palette import Palette, palette_of
from fluxtui.ui.kit.text import line_of, moment, shorten, styled_line
from fluxtui.workbench import Fix, State, unread

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
        yield styled_line((f"{BAD} {name} {answer.refused}", style.problem))
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


class FitPane(WorkbenchPane, TakesFixes):
    """Shows whether the job fits, and the fixes where it does not."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.view = LinesView(id="fit", wrap=True)
        self.parts = (self.view,)

    def show(self, state: State) -> None:
        """Show whether the job fits.

        While the answer is on its way, the one before stays, and its fixes are none.
        """
        outlook = state.outlook
        waits = outlook.due and bool(self.view.lines)
        self.fixes = () if waits else self.app.fixes.find(state)
        self.say_in_frame("looking …" if outlook.old and outlook.due else "stale" * outlook.old)
        if not waits:
            self.view.show_lines(fit_lines(state, self.fixes, self.style))


# The list of verdicts

ABOUT = {
    "RFC 14": "any jobspec",
    "V1": "RFC 25, what most of Flux reads",
    "flux-core": "what flux-core accepts at submission",
}
EARLIER = "of an earlier job"
LAST = "of the last text that could be read"

EXPECTED = 5  # expected things shown for a problem


class Verdict(NamedTuple):
    """The verdict of one set of rules.

    about   what it is
    faults  its problems, each with why it matters, or ""; none where all is well
    known   False where nobody can say yet, and about says why
    odd     it is not kept, which about says is no obstacle
    """

    name: str
    about: str
    faults: Sequence[tuple[Problem, str]] = ()
    known: bool = True
    odd: bool = False


def _of_rules(state: State) -> Iterator[Verdict]:
    # Not at module level: the first frame does without.
    from fluxtui.answers.fixes.rationale import explain
    from fluxtui.model.jobspec import verdicts

    faults = []
    for one in unread(state):
        message = f"{one.words}: {one.problem.message}"
        kept = f"Until then the job stays {one.instead}."
        faults.append((replace(one.problem, path=None, message=message), kept))
    if faults:
        yield Verdict("Form", "the fields as they are typed", faults)
    wrong = [(problem, "") for problem in state.build.syntax if problem.severity == "error"]
    yield Verdict("RFC 46", "the shape as a text", wrong)
    if wrong:  # the shape read so far is not what is meant
        for name in ABOUT:
            yield Verdict(name, "unknown while the shape cannot be read", known=False)
        return
    domain = state.outlook.domain
    for found in state.verdicts or verdicts.verdicts(state.jobspec()):
        if found.name == "V1" and domain and not found.ok:
            yield Verdict(found.name, f"not kept: {who_gives(domain)}", odd=True)
            continue
        because = [(problem, explain(problem) or "") for problem in found.problems]
        yield Verdict(found.name, ABOUT[found.name], because)


def verdict_lines(state: State, fixes: Sequence[Fix], style: Palette) -> list[Text]:
    """The numbered fixes, or why there are none; a head for each verdict and its problems; the fit.

    While the YAML or JSON of the job cannot be read, that comes first, and all else is marked as
    being about the text before.
    """
    raw, outlook, found = state.job.raw, state.outlook, list(_of_rules(state))
    fits = outlook.admitted is not False and (outlook.fit is None or outlook.fit.feasible)
    words = "No automatic fix available."
    if raw is not None:
        words = "These verdicts are about the job as it was before this text."
    elif fits is not False and all(one.known and not one.faults for one in found):
        words = "Nothing is wrong with this job."
    lines = numbered(fixes, style) or [styled_line((words, style.quiet))]
    lines.append(styled_line())
    if raw is not None:
        placed = [(replace(one, path=f"line {line_of(one, raw.text)}"), "") for one in raw.errors]
        found.insert(0, Verdict(raw.form.upper(), "the text as it is typed", placed))
    for number, one in enumerate(found):
        is_old = raw is not None and number > 0
        mark, look = (BAD, style.problem) if one.faults else (OK, style.good)
        if one.odd:
            mark, look = ODD, style.warning
        if is_old or not one.known:
            mark, look = "…" if one.known else OPEN, style.faint
        about = LAST if is_old and one.known else one.about
        lines.append(
            styled_line((mark, look), (f" {one.name}", style.strong), (f"  {about}", style.quiet))
        )
        for problem, why in one.faults:
            path = f"{printable(problem.path)}  " if problem.path else ""
            message = (printable(problem.message), style.quiet if is_old else style.plain)
            lines.append(styled_line((f"    {path}", style.key), message))
            expected = ", ".join(map(printable, problem.expected[:EXPECTED]))
            more = (why, f"expected {expected}" if expected else "")
            lines += [styled_line((f"      {text}", style.quiet)) for text in more if text]
    if outlook.own is not None:
        lines += [styled_line((EARLIER, style.faint))] * (outlook.old or raw is not None)
        lines += fit_lines(state, (), style, in_full=True)
    return lines


class VerdictsDialog(Dialog[None], TakesFixes):
    """Lists the verdicts and the fixes; a fix is applied at once, and the list says what is left.

    find gives its fixes, and undo takes a step back. Who opens the list calls `show_again` after
    each step.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("verdicts.close", "q,ctrl+l,v", "dismiss_dialog", "", first=True),
        bind("verdicts.fix", "enter,ctrl+f", "take(1)", "Fix", "Apply the first fix", first=True),
        bind("verdicts.undo", "ctrl+z", "undo", "Undo", "Undo the last fix", first=True),
    ]

    heading = "Verdicts"

    def __init__(self, find: Callable[[State], Sequence[Fix]], undo: Callable[[], object]) -> None:
        super().__init__()
        self._find, self.action_undo = find, undo
        self.listed = LinesView(id="verdict-list", wrap=True, hang=3)
        self.parts = (self.listed,)

    def on_mount(self) -> None:
        """Show the current verdicts."""
        self.show_again()

    def show_again(self) -> None:
        """Update the verdicts."""
        if self.query("#box"):  # else it is not made yet, or gone
            state = self.app.state
            self.fixes = self._find(state)
            self.listed.show_lines(verdict_lines(state, self.fixes, palette_of(self)))
            fix = (("enter", "applies 1"),) if self.fixes else ()
            self.say_keys(*fix, ("ctrl+z", "undoes"), ("escape", "closes"))
