"""The verdicts on a job in one line: what holds, or the one thing that is wrong, and its fix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from fluxtui.notation import duration
from fluxtui.notation.problem import Problem, counted, how_many, printable
from fluxtui.ui.kit.palette import Palette
from fluxtui.workbench import Outlook, State, unread

if TYPE_CHECKING:
    from fluxtui.answers.admission import Refusal
    from fluxtui.ui.job.fixes import Fix

OK, BAD, OPEN, ODD = "✓", "✗", "?", "!"
NAME_LIMIT = 12

# Where a click leads: to a pane, to the list of verdicts, to the state that the best fix makes.
PANE, VERDICTS, FIX = "app.go_to('{}')", "app.do('verdicts')", "app.do('fix')"

GAP, APART = 2, 3  # columns between badges, and before the fix
LEAST_FIX = 16  # columns of the fix that are kept where there is little room

_SIZES = {"nnodes": "node", "ncores": "core", "ngpus": "gpu"}


class Badge(NamedTuple):
    """One verdict in a few words.

    holds  whether it is a good one; None where that is not known
    leads  the action of a click on it
    mark   its sign, where that is not the one of ``holds``
    why    what may be left out where there is little room
    """

    words: str
    holds: bool | None
    leads: str
    mark: str = ""
    why: str = ""


def verdict_line(state: State, fixes: Sequence[Fix], width: int, style: Palette) -> Text:
    """All verdicts on what is typed, in a line of at most so many columns; clicks lead on.

    Where something is wrong it says that one thing, and the best of the fixes with its key. Else it
    has a badge for each verdict, those of other queues as far as there is room. While a text is
    unfinished the badges are those of the one before, and faint.
    """
    wrong = _wrong(state, style)
    fix = _fix(fixes[0], style) if fixes else Text()
    room = width - fix.cell_len - APART if fix else width
    least = wrong.cell_len if wrong is not None else 0
    if fix and room < least:
        fix.truncate(max(width - APART - least, width // 2, LEAST_FIX), overflow="ellipsis")
        room = width - fix.cell_len - APART
    if wrong is not None:
        line = wrong
        line.truncate(max(room, 1), overflow="ellipsis")
    else:
        line = _badges(state, room, style)
    if fix:
        line.append(" " * APART if line else "").append_text(fix)
    line.end = ""
    return line


def _fix(fix: Fix, style: Palette) -> Text:
    return _link(Text.assemble(("ctrl+f", style.key), (f" {fix.words}", style.strong)), FIX)


def _link(text: Text, action: str) -> Text:
    text.stylize(Style.from_meta({"@click": action}))
    return text


def _wrong(state: State, style: Palette) -> Text | None:
    """The one thing that is wrong, if there is one; not what the inputs say of their own text."""
    build, job = state.build, state.job
    is_read = build.blank or build.shape.ok
    text = reason(state, style) if is_read or job.raw is not None or job.unread else None
    if text is not None:
        return _link(Text(f"{BAD} ", style=style.problem).append_text(text), _leads(state))
    asked = state.ask.constraint is not None and not state.ask.stale
    if not (state.build.blank and asked) or state.left:
        return None
    queue = state.known_queue
    where = f" in queue {printable(queue)}" if queue is not None and state.ask.mask else ""
    return _link(Text(f"{BAD} no node matches{where}", style=style.problem), _to("explain"))


def _leads(state: State) -> str:
    """Where the first thing that is wrong is explained."""
    fit, own = state.outlook.fit, state.outlook.own
    if state.job.raw is not None:
        return _to("text")
    if state.job.unread:
        return _to("form")
    verdicts = state.verdicts
    if verdicts is None or not verdicts.canonical.ok:
        return VERDICTS
    if fit is not None and fit.feasible is False:
        return _to("fit")
    if verdicts.v1.ok and verdicts.flux.ok and own is not None:
        return _to("queues")
    return VERDICTS


def _to(pane: str) -> str:
    return PANE.format(pane)


def _badges(state: State, width: int, style: Palette) -> Text:
    """The badges that so many columns hold, the most important first; then where the job runs."""
    line, old = Text(), state.stale or state.outlook.old or not state.build.shape.ok
    for number, badge in enumerate(_listed(state)):
        for why in (badge.why, ""):
            words = f"{badge.mark or _mark(badge.holds)} {badge.words}{why}"
            left = width - line.cell_len - GAP * bool(line) - cell_len(words)
            if left >= 0 or not number:
                look = style.match if badge.holds else style.warning
                look = style.problem if badge.holds is False else look
                part = Text(words, style=style.plain)
                part.stylize(look, 0, 1)
                if old and badge.leads != _to("tree"):
                    part = Text(words, style=style.faint)
                line.append(" " * GAP if line else "").append_text(_link(part, badge.leads))
                break
        else:
            break
    placement = state.outlook.placement
    if placement is not None and not old:
        hosts = printable(state.cluster.resources.hosts_of(placement.mask, limit=4))
        if hosts and width - line.cell_len >= APART + cell_len(hosts) + 3:
            line.append(" " * APART)
            line.append_text(_link(Text(f"on {hosts}", style=style.quiet), _to("fit")))
    return line


def _listed(state: State) -> Iterator[Badge]:
    """The badges of a job of which nothing is known to be wrong, or that is unfinished."""
    outlook, verdicts = state.outlook, state.verdicts
    if verdicts is None:
        return
    if not state.build.shape.ok:
        yield Badge("shape", False, _to("tree"))
    yield Badge("V1", verdicts.v1.ok, VERDICTS)
    if outlook.own is None:
        return
    if outlook.fit is not None:
        yield _fits(outlook)
    if state.submission.what_if:
        yield Badge("what if", None, _to("queues"), ODD)
    if outlook.queue:
        yield _of_queue(outlook, outlook.queue)
    elif outlook.admitted is False:
        yield Badge("Flux", False, VERDICTS)
    for queue in outlook.admissions:
        if queue and queue != outlook.queue:
            yield _of_queue(outlook, queue)


def _mark(holds: bool | None) -> str:
    return OPEN if holds is None else OK if holds else BAD


def _fits(outlook: Outlook) -> Badge:
    assert outlook.fit is not None
    own, leads = outlook.fit.own, _to("fit")
    if own.feasible is None:
        return Badge("may fit", None, leads)
    if not own.feasible:
        return Badge("does not fit", False, leads)
    if own.satisfiable_but_unallocatable:
        return Badge("fits, but was not placed", None, leads, ODD)
    if own.fits is None:
        return Badge("fits", True, leads)
    return Badge("fits once" if own.fits == 1 else f"fits {own.fits:,} times", True, leads)


def _of_queue(outlook: Outlook, queue: str) -> Badge:
    """Whether the job will run in a queue: it takes it, has room for it, and schedules."""
    runs, answer, why = outlook.runs_in(queue), outlook.admission(queue), ""
    if answer is not None and answer.admitted is False and answer.refusals:
        why = f": {refusal_words(answer.refusals[0])}"
    elif outlook.rooms.get(queue) is False:
        why = ": does not fit"
    elif answer is not None and not answer.schedules:
        why = ": stopped"
    return Badge(_name(queue), runs, _to("queues"), sign(outlook, queue), why)


def refusal_words(refusal: Refusal) -> str:
    """Why a queue refuses a job, in as few words as a row has room for."""
    bound, _, size = refusal.kind.partition(" ")
    if size in _SIZES:
        asked = counted(refusal.asked, _SIZES[size])
        return f"{asked}, at {'most' if bound == 'max' else 'least'} {refusal.allowed:,}"
    if refusal.kind == "duration":
        asked = "no duration" if refusal.asked is None else duration.format(refusal.asked)
        return f"{asked}, at most {duration.format(refusal.allowed)}"
    words = {"access": "not for this user", "disabled": "disabled", "counts": "cannot be counted"}
    return words.get(refusal.kind, printable(refusal.problem.message))


# One verdict: its words with their sign, whether it holds (None: not known), and whether it is
# that of an earlier job.
_Chip = tuple[str, bool | None, bool]


def chips(state: State, style: Palette, width: int) -> Text:
    """The verdicts on what is typed, in a line of at most so many columns.

    What a verdict rests on comes first; while that is wrong, the others are quiet. Where there is
    little room, other queues are left out, then what goes without saying.
    """
    build, outlook, verdicts = state.build, state.outlook, state.verdicts
    if verdicts is None:
        return Text()
    wrong = not build.shape.ok
    raw = state.job.raw
    old = raw is not None
    canonical = _verdict("RFC 14", None if wrong else verdicts.canonical.ok, old)
    v1 = _verdict("V1", None if wrong else verdicts.v1.ok, old)
    taken = [] if wrong or verdicts.flux.ok else [_verdict("flux-core", False, old)]
    base = [_verdict("RFC 46", False, old), canonical] if wrong else [canonical]
    typed = [_verdict(raw.form.upper(), False)] if raw is not None else _fields(state)
    supposed: list[_Chip] = [("what if", None, False)] if state.submission.what_if else []
    asked = [_room(outlook), *supposed, *_own(outlook)] if outlook.own is not None else []
    quiet = wrong or not verdicts.canonical.ok
    needed = [*typed, *base, v1, *taken, *asked]
    if _width(needed, 2) > width:
        needed = [*typed, *(base if quiet else ()), v1, *taken, *asked]
    gap = 2 if _width(needed, 2) <= width else 1
    while len(needed) > 1 and _width(needed, gap) > width:
        # What is fine goes first, then what is of an earlier job; its queue stays longest.
        fine = [at for at, chip in enumerate(needed[:-1]) if chip[1]]
        past = [at for at, chip in enumerate(needed[:-1]) if chip[2]]
        del needed[(*fine, *past, min(len(typed), len(needed) - 2))[0]]
    left = width - _width(needed, gap)
    for queue in outlook.admissions:
        if queue and queue != outlook.queue:
            chip = _queue_chip(outlook, queue)
            left -= _width([chip], gap) + gap
            if left < 0:
                break
            needed.append(chip)
    return Text(" " * gap).join(
        _drawn(chip, style, dim=quiet and chip not in (*typed, *base)) for chip in needed
    )


def reason(state: State, style: Palette) -> Text | None:
    """The first reason why the job is not legal, or will not run as it stands, if there is one."""
    build, outlook, verdicts, raw = state.build, state.outlook, state.verdicts, state.job.raw
    if raw is not None:
        return _first(raw.errors, raw.form.upper(), style)
    if fields := unread(state):
        return _first([one.problem for one in fields], fields[0].words, style)
    if build.canonical and not build.blank:
        return _first(build.canonical, "RFC 14", style, placed=True)
    if verdicts is not None and not verdicts.canonical.ok:
        return _first(verdicts.canonical.problems, "RFC 14", style, placed=True)
    found = outlook.fit
    if outlook.old:
        return None
    if found is not None and found.feasible is False and found.own.reasons:
        lead = f"does not fit in {printable(outlook.queue)}" if outlook.queue else "does not fit"
        return _first(found.own.reasons, lead, style)
    if verdicts is not None and not verdicts.v1.ok:
        return _first(verdicts.v1.problems, "not V1", style, placed=True)
    if verdicts is not None and not verdicts.flux.ok:
        return _first(verdicts.flux.problems, "flux-core refuses it", style, placed=True)
    own = outlook.own
    if own is not None and own.admitted is False and own.refusals:
        reasons = [refusal.problem for refusal in own.refusals]
        lead = f"queue {printable(own.queue)}" if own.queue else "Flux"
        named = own.queue and own.refusals[0].kind in ("queue", "disabled")
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


def _width(listed: Sequence[_Chip], gap: int) -> int:
    return sum(cell_len(words) + 2 * old for words, _, old in listed) + gap * (len(listed) - 1)


def _own(outlook: Outlook) -> list[_Chip]:
    """The verdict of the queue the job goes to; of Flux where it has no name and refuses."""
    if outlook.queue:
        return [_queue_chip(outlook, outlook.queue)]
    return [_verdict("Flux", False)] if outlook.admitted is False else []


def _fields(state: State) -> list[_Chip]:
    """The field of the form that cannot be read, or how many there are."""
    found = unread(state)
    if not found:
        return []
    return [_verdict(found[0].label if len(found) == 1 else f"{len(found)} fields", False)]


def _verdict(name: str, holds: bool | None, old: bool = False) -> _Chip:
    return f"{name} {OPEN if holds is None else OK if holds else BAD}", holds, old


def _room(outlook: Outlook) -> _Chip:
    found = outlook.fit
    if found is None or found.feasible is None:
        return f"room {OPEN}", None, outlook.old
    if not found.feasible:
        return f"no room {BAD}", False, outlook.old
    if found.own.satisfiable_but_unallocatable:
        return f"room {ODD}", None, outlook.old
    many = found.own.fits
    return f"fits {OK}" if many is None else f"fits {many:,}×", True, outlook.old


def _queue_chip(outlook: Outlook, queue: str) -> _Chip:
    """Whether the job will run in a queue: it takes it, has room for it, and schedules."""
    return f"{_name(queue)} {sign(outlook, queue)}", outlook.runs_in(queue), outlook.old


def sign(outlook: Outlook, queue: str) -> str:
    """Whether the job will run in a queue, in a sign: one of its own where it would wait."""
    runs, answer = outlook.runs_in(queue), outlook.admission(queue)
    if runs is None:
        return ODD if answer is not None and not answer.schedules else OPEN
    return OK if runs else BAD


def _name(queue: str) -> str:
    name = printable(queue)
    return name if len(name) <= NAME_LIMIT else name[: NAME_LIMIT - 1] + "…"


def _drawn(chip: _Chip, style: Palette, *, dim: bool) -> Text:
    """One verdict; dim is one that does not count while others are wrong."""
    words, holds, old = chip
    faint = holds is None or old or dim
    look = style.faint if faint else style.plain if holds else style.problem
    return Text(f"{words} …" if old else words, style=look)
