"""The pane that says whether the job fits and where, and the dialog with all its verdicts."""

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
    """Return lines that say whether the job fits and its queue accepts it, with fixes if not.

    Each fix has a number, which a click on it carries as ``fix``. in_full adds the words of Flux.
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
    lead = "  " if own.placement is None else f"{ODD} "  # notes on a job that fits
    missing = [styled_line((f"{lead}{words}", look)) for words in reasons]
    if rest := how_many(own.reasons[REASONS_SHOWN:]):
        missing.append(styled_line((f"  and {rest:,} more", style.quiet)))
    lines += [*_verdict(state, outlook.fit, style), *missing[:1]]
    lines += [*numbered(fixes, style), *missing[1:]]
    answers = [
        f"{name} {OPEN if answer.feasible is None else OK if answer.feasible else BAD}"
        for name, answer in (
            (outlook.fit.simple.scheduler, outlook.fit.simple),
            ("Fluxion", outlook.fit.fluxion),
        )
    ]
    lines.append(styled_line(("  ".join(answers), style.quiet)))
    if why := outlook.fit.why_differs:
        lines.append(styled_line((f"  {printable(why)}", style.quiet)))
    return [*lines, *_queue(state, style, in_full=in_full)]


def _verdict(state: State, fit: Fit, style: Palette) -> Iterator[Text]:
    own, queue, allowed = fit.own, state.outlook.queue, state.outlook.allowed
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
        times = f", at most {counted(own.fits, 'such job')} at once" if own.fits else ""
        yield styled_line((f"{OK} fits{where}", style.good), (times, style.plain))
        if state.outlook.placement is not None:
            yield from _placed(state, state.outlook.placement, style)
        elif live is not None and live.unplaced:
            yield styled_line((f"  {printable(live.unplaced)}", style.quiet))
        vertices = {f"{vertex.path}.count": vertex for vertex in state.build.request.walk()}
        for path, count in own.largest:
            name, vertex = path, vertices.get(path)
            if vertex is not None:
                name = f"{vertex.type} {count_words(vertex.fields['count'])}"
            most = (f"{count:,}", style.count)
            lead = f"  {printable(name)}: up to "
            yield styled_line((lead, style.quiet), most, (" fit", style.quiet))


def _moment(state: State) -> str:
    """Return the time of a saved snapshot, to put before a sentence; empty for a running Flux."""
    cluster = state.cluster
    if cluster.snapshot is None or is_live(cluster.source.path or ""):
        return ""
    return f"as of {moment(cluster.snapshot.taken)}: "


def _three(live: Now, style: Palette) -> Iterator[Text]:
    """Yield whether the job fits on all nodes, those up, and those free; if not, what would fit."""
    for name, answer in (("ever", live.ever), ("up now", live.up), ("free now", live.free)):
        sign = OPEN if answer.feasible is None else OK if answer.feasible else BAD
        words = counted(answer.fits, "such job") if answer.fits else ""
        if answer.feasible is False and answer.nearest is not None:
            words = f"would start with {printable(answer.nearest.change)}"
        elif answer.feasible is False and answer.reasons:
            words = printable(answer.reasons[0].message)
        look = style.plain if answer.feasible else style.warning
        yield styled_line((f"  {name:<9}", style.quiet), (f"{sign} {words}".rstrip(), look))


def _placed(state: State, placement: Placement, style: Palette) -> Iterator[Text]:
    """Yield the nodes of a placement, and what it takes of each."""
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
    """Yield whether the queue of the job accepts it, and its notes."""
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
    """Shows whether the job fits, and fixes if it does not."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.view = LinesView(id="fit", wrap=True)
        self.parts = (self.view,)

    def show(self, state: State) -> None:
        """Show whether the job fits.

        While the answer is being computed, the previous one stays, without fixes.
        """
        outlook = state.outlook
        is_waiting = outlook.due and bool(self.view.lines)
        self.fixes = () if is_waiting else self.app.fixes.find(state)
        self.say_in_frame("looking …" if outlook.old and outlook.due else "stale" * outlook.old)
        if not is_waiting:
            self.view.show_lines(fit_lines(state, self.fixes, self.style))


# The list of verdicts

ABOUT = {
    "RFC 14": "any jobspec",
    "V1": "RFC 25, what most of Flux reads",
    "flux-core": "what flux-core accepts at submission",
}
EARLIER = "of an earlier job"
LAST = "of the last text that could be read"

EXPECTED = 5  # how many alternatives are shown as expected for a problem


class Verdict(NamedTuple):
    """The verdict of one set of rules.

    about   what the rules are
    faults  the problems, each with why it matters, or ""; empty if there are none
    known   False if this cannot be decided yet; about then says why
    odd     whether the rules are broken without harm; about then says why
    """

    name: str
    about: str
    faults: Sequence[tuple[Problem, str]] = ()
    known: bool = True
    odd: bool = False


def _of_rules(state: State) -> Iterator[Verdict]:
    # Not at module level: the first frame does not need it.
    from fluxtui.answers.fixes.rationale import explain
    from fluxtui.model.jobspec import verdicts

    faults = []
    for field in unread(state):
        message = f"{field.words}: {field.problem.message}"
        kept = f"Until then the job stays {field.instead}."
        faults.append((replace(field.problem, path=None, message=message), kept))
    if faults:
        yield Verdict("Form", "the fields as they are typed", faults)
    errors = [(problem, "") for problem in state.build.syntax if problem.severity == "error"]
    yield Verdict("RFC 46", "the shape as a text", errors)
    if errors:  # the part of the shape that was read is not what the user means
        for name in ABOUT:
            yield Verdict(name, "unknown while the shape cannot be read", known=False)
        return
    domain = state.outlook.domain
    for verdict in state.verdicts or verdicts.verdicts(state.jobspec()):
        if verdict.name == "V1" and domain and not verdict.ok:
            yield Verdict(verdict.name, f"not kept: {who_gives(domain)}", odd=True)
            continue
        explained = [(problem, explain(problem) or "") for problem in verdict.problems]
        yield Verdict(verdict.name, ABOUT[verdict.name], explained)


def verdict_lines(state: State, fixes: Sequence[Fix], style: Palette) -> list[Text]:
    """Return the fixes, numbered, or why there are none; the verdicts with problems; the fit.

    While the YAML or JSON of the job cannot be read, its problems come first, and everything else
    is marked as being about the previous text.
    """
    raw, outlook, verdicts = state.job.raw, state.outlook, list(_of_rules(state))
    fits = outlook.admitted is not False and (outlook.fit is None or outlook.fit.feasible)
    words = "No automatic fix available."
    if raw is not None:
        words = "These verdicts are about the job as it was before this text."
    elif fits is not False and all(verdict.known and not verdict.faults for verdict in verdicts):
        words = "Nothing is wrong with this job."
    lines = numbered(fixes, style) or [styled_line((words, style.quiet))]
    lines.append(styled_line())
    if raw is not None:
        errors = [(replace(p, path=f"line {line_of(p, raw.text)}"), "") for p in raw.errors]
        verdicts.insert(0, Verdict(raw.form.upper(), "the text as it is typed", errors))
    for number, verdict in enumerate(verdicts):
        is_old = raw is not None and number > 0
        mark, look = (BAD, style.problem) if verdict.faults else (OK, style.good)
        if verdict.odd:
            mark, look = ODD, style.warning
        if is_old or not verdict.known:
            mark, look = "…" if verdict.known else OPEN, style.faint
        name, about = verdict.name, LAST if is_old and verdict.known else verdict.about
        lines.append(
            styled_line((mark, look), (f" {name}", style.strong), (f"  {about}", style.quiet))
        )
        for problem, why in verdict.faults:
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
    """Lists the verdicts and the fixes; a fix is applied at once, and the list is updated.

    find returns the fixes of a state, and undo takes a step back. The code that opens the dialog
    calls `show_again` after each step.
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
        if self.query("#box"):  # otherwise it is not mounted yet, or already removed
            state = self.app.state
            self.fixes = self._find(state)
            self.listed.show_lines(verdict_lines(state, self.fixes, palette_of(self)))
            fix = (("enter", "applies 1"),) if self.fixes else ()
            self.say_keys(*fix, ("ctrl+z", "undoes"), ("escape", "closes"))
