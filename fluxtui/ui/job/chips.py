"""The verdicts on a job: each in a word and a sign, and the first reason for one that is bad."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text

from fluxtui.notation.problem import Problem, how_many, printable
from fluxtui.ui.kit.palette import Palette
from fluxtui.workbench import Outlook, State, unread

OK, BAD, OPEN, ODD = "✓", "✗", "?", "!"
NAME_LIMIT = 12

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
            chip = _queue(outlook, queue)
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
        return [_queue(outlook, outlook.queue)]
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


def _queue(outlook: Outlook, queue: str) -> _Chip:
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
