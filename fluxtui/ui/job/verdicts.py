"""The verdicts on a job in one line: all of them, or the worst problem with the best fix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from fluxtui.notation import duration
from fluxtui.notation.problem import TOO_LONG, Problem, counted, how_many, printable
from fluxtui.ui.kit.keys import key_of
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.kit.text import shorten
from fluxtui.workbench import Fix, Outlook, State, unread

if TYPE_CHECKING:
    from fluxtui.answers.admission import Refusal

OK, BAD, OPEN, ODD = "✓", "✗", "?", "!"
NAME_LIMIT = 12

# The actions of a click: go to a pane, list the verdicts, apply the best fix.
PANE, VERDICTS, FIX = "app.go_to('{}')", "app.do('verdicts')", "app.do('fix')"
TREE, TEXT, FORM, QUEUES, FIT, EXPLAIN = (
    PANE.format(name) for name in ("tree", "text", "form", "queues", "fit", "explain")
)

GAP, APART = 2, 3  # columns between badges, and before the fix
LEAST_FIX = 16  # columns that the fix keeps even if there is little room

#: The sizes of a job that a queue limits, in words.
SIZES = {"nnodes": "node", "ncores": "core", "ngpus": "gpu"}


def verdict_line(
    state: State, fixes: Sequence[Fix], width: int, style: Palette, moment: str = ""
) -> Text:
    """Return all verdicts in a line of at most width columns; clicks go to the details.

    If something is wrong, the line has that problem and the best fix with its key; else a badge
    for each verdict, those of other queues as far as they fit. While a text is unfinished, the
    badges of the previous one are shown, faint and with ``?``. moment is the time of the snapshot
    of a running Flux that is shown; empty while it is live.
    """
    line, fix, room = _wrong(state, style), Text(), width
    if fixes:
        words, key = fixes[0].words, key_of("fix", "ctrl+f")
        badges = Text() if line is not None else _badges(state, width, style, moment)
        if badges and badges.cell_len + APART + cell_len(f"{key} {words}") > width:
            words = fixes[0].label  # nothing is wrong: the fix is only a suggestion
        fix = Text.assemble((key, style.key), (f" {words}", style.strong))
        room = width - fix.cell_len - APART
        if line is not None and line.cell_len > room:
            line = _wrong(state, style, brief=True) or line
        least = line.cell_len if line is not None else 0
        if room < least:
            fix.truncate(max(width - APART - least, width // 2, LEAST_FIX), overflow="ellipsis")
        room = width - fix.cell_len - APART
    if line is None:
        line = _badges(state, room, style, moment)
    elif line.cell_len > room:  # the message matters more than its lead
        line = _wrong(state, style, brief=True) or line
        line.truncate(max(room, 1), overflow="ellipsis")
    if fix:
        line.append(" " * APART if line else "").append_text(_link(fix, FIX))
    line.truncate(width, overflow="ellipsis")
    line.end = ""
    return line


def _link(text: Text, action: str) -> Text:
    text.stylize(Style.from_meta({"@click": action}))
    return text


# The worst problem


def _wrong(state: State, style: Palette, *, brief: bool = False) -> Text | None:
    """Return the worst problem, or None; errors that an input shows for its own text are left out.

    brief leaves out the lead of a message.
    """
    for lead, problems, action in _reasons(state):
        start = f"{lead}: " if problems else lead
        text = Text(f"{BAD} {'' if brief and problems else start}", style=style.problem)
        if problems:
            text.append(_message(problems[0], state), style=style.plain)
            if more := how_many(problems) - 1:
                text.append(f"  and {more:,} more", style=style.quiet)
        return _link(text, action)
    return None


def _message(problem: Problem, state: State) -> str:
    """Return the message of a problem, after the type of its vertex unless the message has it."""
    path, message = problem.path or "", printable(problem.message)
    above = [v for v in state.build.request.walk() if path.startswith(v.path)] if path else []
    if not path.startswith("resources[") or not above:
        return message
    vertex = max(above, key=lambda vertex: len(vertex.path))
    kind = printable(str(vertex.type))
    return message if kind in message else f"{kind}: {message}"


def _reasons(state: State) -> Iterator[tuple[str, Sequence[Problem], str]]:
    """Yield what is wrong, worst first, each as a lead, its problems and the action of a click."""
    outlook, raw, verdicts = state.outlook, state.job.raw, state.verdicts
    if raw is not None:
        yield raw.form.upper(), raw.errors, TEXT
    if fields := unread(state):
        yield fields[0].words, [field.problem for field in fields], FORM
    if too_long := [problem for problem in state.build.syntax if problem.code == TOO_LONG]:
        yield "shape", too_long, TREE
    if state.ask.stale and (state.build.blank or state.build.shape.ok):
        yield "constraint", (), EXPLAIN
    has_constraint = state.ask.constraint is not None and not state.ask.stale
    if state.build.blank and has_constraint and not state.left:
        queue = state.known_queue
        excluded = queue is not None and state.ask.mask  # nodes match, but not in the queue
        where = f" in queue {printable(queue or '')}" if excluded else ""
        yield f"no node matches{where}", (), EXPLAIN
    if verdicts is None or not (state.build.blank or state.build.shape.ok):
        return  # a shape with errors is only partly read
    if not verdicts.canonical.ok:
        yield "RFC 14", state.build.canonical or verdicts.canonical.problems, VERDICTS
    if outlook.old:
        return
    fit, admission = outlook.fit, outlook.own
    if fit is not None and fit.feasible is False and fit.own.reasons:
        where = f" in {printable(outlook.queue)}" if outlook.queue else ""
        yield f"does not fit{where}", fit.own.reasons, FIT
    elif fit is not None and fit.hopeless:
        yield "never starts", fit.own.reasons, FIT
    if not (verdicts.v1.ok or outlook.domain or verdicts.flux.ok):
        yield "not V1", verdicts.v1.problems, VERDICTS
    if not verdicts.flux.ok:
        yield "flux-core refuses it", verdicts.flux.problems, VERDICTS
    if admission is not None and admission.admitted is False and admission.refusals:
        first, *others = admission.refusals
        words = first.problem.message if first.kind == "counts" else refusal_words(first)
        short = replace(first.problem, message=words)
        lead = f"queue {printable(admission.queue)}" if admission.queue else "Flux"
        lead = "refused" if admission.queue and first.kind == "queue" else lead
        yield lead, [short, *(refusal.problem for refusal in others)], QUEUES


# The badges


class Badge(NamedTuple):
    """One verdict in a few words.

    mark    its sign
    action  what a click on it does
    why     what is left out if there is little room
    """

    mark: str
    words: str
    action: str
    why: str = ""


def _badges(state: State, width: int, style: Palette, moment: str) -> Text:
    """Return the badges that fit the width, most important first, then where the job runs."""
    line, unfinished = Text(), state.stale or not state.build.shape.ok
    old = unfinished or state.outlook.old
    mark_styles = {OK: style.good, BAD: style.problem}
    for listed in _listed(state, moment):
        faint = old and listed.action not in (TREE, EXPLAIN)
        badge = listed._replace(mark=OPEN, why="") if faint and unfinished else listed
        words = f"{badge.mark} {badge.words}"
        left = width - line.cell_len - GAP * bool(line) - cell_len(words)
        if left < 0 and line:
            break
        words += badge.why if cell_len(badge.why) <= left else ""
        part = Text(words, style=style.faint if faint else style.plain)
        part.stylize("" if faint else mark_styles.get(badge.mark, style.warning), 0, 1)
        line.append(" " * GAP if line else "").append_text(_link(part, badge.action))
    placement = state.outlook.placement
    if placement is not None and not old:
        hosts = printable(state.cluster.resources.hosts_of(placement.mask, limit=4))
        if hosts and width - line.cell_len >= APART + cell_len(hosts) + 3:
            line.append(" " * APART).append_text(_link(Text(f"on {hosts}", style.quiet), FIT))
    return line


def _listed(state: State, moment: str) -> Iterator[Badge]:
    """Yield the badges of a job that is unfinished or has no known problem."""
    outlook, verdicts, readable = state.outlook, state.verdicts, state.build.shape.ok
    if verdicts is None:
        return
    if not readable:
        yield Badge(BAD, "shape", TREE)
        if state.ask.stale:
            yield Badge(BAD, "constraint", EXPLAIN)
    v1 = Badge((OK if verdicts.v1.ok else BAD) if readable else OPEN, "V1", VERDICTS)
    if readable and not verdicts.v1.ok and (outlook.domain or verdicts.flux.ok):
        why = who_gives(outlook.domain) if outlook.domain else "flux-core accepts it"
        v1 = Badge(ODD, "not V1", VERDICTS, f": {why}")
    yield v1
    if outlook.own is None:
        return
    if outlook.fit is not None:
        own = outlook.fit.own
        mark, words = OK if own.feasible else BAD, "fits" if own.feasible else "does not fit"
        if own.feasible is None:
            mark, words = OPEN, "may fit"
        elif own.satisfiable_but_unallocatable:
            mark, words = ODD, "fits, but was not placed"
        elif own.feasible and own.fits is not None:
            words = "fits once" if own.fits == 1 else f"fits {own.fits:,} times"
        yield Badge(mark, words, FIT)
        if own.has_gpus_apart:
            yield Badge(ODD, "gpus apart", FIT, " from their cores")
        if outlook.now is not None and (own.feasible or outlook.now.gives_less):
            starts, words = outlook.now.starts, outlook.now.words
            if moment:  # the snapshot is not current
                words = f"{'would start' if starts else words}, {moment}"
            good = starts and own.feasible and not moment
            yield Badge(OK if good else ODD, words, FIT)
    if state.submission.what_if:
        yield Badge(ODD, "what if", QUEUES)
    if not outlook.queue and outlook.admitted is False:
        yield Badge(BAD, "Flux", VERDICTS)
    others = (queue for queue in outlook.admissions if queue != outlook.queue)
    for queue in filter(None, (outlook.queue, *others)):
        name, why = shorten(printable(queue), NAME_LIMIT), why_not(state, queue)
        yield Badge(sign(outlook, queue), name, QUEUES, f": {why}" if why else "")


def who_gives(domain: str) -> str:
    """Return which scheduler takes a job that asks for a locality domain (RFC 49)."""
    return f"TreePool gives a whole {printable(domain)}, Fluxion does not"


# Queues in a few words


def sign(outlook: Outlook, queue: str) -> str:
    """Return the sign of a queue: whether the job will run in it, would wait, or is not known."""
    runs, answer = outlook.runs_in(queue), outlook.admission(queue)
    if runs is None:
        return ODD if answer is not None and not answer.schedules else OPEN
    return OK if runs else BAD


def why_not(state: State, queue: str) -> str:
    """Return why a job will not run in a queue, or only later; empty if it will run."""
    outlook = state.outlook
    status, answer = outlook.statuses.get(queue), outlook.admission(queue)
    if answer is None and status is not None and not status.enabled:
        return "disabled"
    if answer is not None and answer.admitted is False:
        return refusal_words(answer.refusals[0]) if answer.refusals else "refused"
    if outlook.rooms.get(queue) is False:
        matching = state.ask.mask & state.cluster.covered(queue)
        return "does not fit" if matching else "no match"
    return "stopped" if status is not None and not status.started else ""


def refusal_words(refusal: Refusal) -> str:
    """Return why a queue refuses a job, in a few words."""
    bound, _, size = refusal.kind.partition(" ")
    if size in SIZES:
        asked = counted(refusal.asked, SIZES[size])
        return f"{asked}, at {'most' if bound == 'max' else 'least'} {refusal.allowed:,}"
    if refusal.kind == "duration":
        asked = "no duration" if refusal.asked is None else duration.format(refusal.asked)
        return f"{asked}, at most {duration.format(refusal.allowed)}"
    words = {"access": "not for this user", "disabled": "disabled", "counts": "cannot be counted"}
    return words.get(refusal.kind, printable(refusal.problem.message))
