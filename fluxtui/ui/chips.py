"""The verdicts on a job, each in a word and a sign, as many as there is room for."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text

from fluxtui.notation.source import Problem, printable
from fluxtui.ui.palette import Palette
from fluxtui.workbench import Outlook, State

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
    wrong = any(problem.severity == "error" for problem in build.syntax)
    canonical = _verdict("RFC 14", None if wrong else verdicts.canonical.ok)
    v1 = _verdict("V1", None if wrong else verdicts.v1.ok)
    taken = [] if wrong or verdicts.flux.ok else [_verdict("flux-core", False)]
    base = [_verdict("RFC 46", False), canonical] if wrong else [canonical]
    asked = [_room(outlook), *_own(outlook)] if outlook.own is not None else []
    quiet = wrong or not verdicts.canonical.ok
    needed = [*base, v1, *taken, *asked]
    if _width(needed, 2) > width:
        needed = [*(base if quiet else ()), v1, *taken, *asked]
    gap = 2 if _width(needed, 2) <= width else 1
    while len(needed) > 1 and _width(needed, gap) > width:
        # What is fine goes before what is wrong; the job's own queue stays longest.
        fine = next((at for at, chip in enumerate(needed[:-1]) if chip[1]), 0)
        del needed[fine]
    left = width - _width(needed, gap)
    for answer in outlook.admissions:
        if answer.queue and answer.queue != outlook.queue:
            chip = _queue(outlook, answer.queue)
            left -= len(chip[0]) + gap
            if left < 0:
                break
            needed.append(chip)
    return Text(" " * gap).join(
        _drawn(chip, style, dim=quiet and chip not in base) for chip in needed
    )


def _width(listed: Sequence[_Chip], gap: int) -> int:
    return sum(cell_len(words) + 2 * old for words, _, old in listed) + gap * (len(listed) - 1)


def _own(outlook: Outlook) -> list[_Chip]:
    """The verdict of the queue the job goes to; of Flux where it has no name and refuses."""
    if outlook.queue:
        return [_queue(outlook, outlook.queue)]
    return [_verdict("Flux", False)] if outlook.admitted is False else []


def _verdict(name: str, holds: bool | None) -> _Chip:
    return f"{name} {OPEN if holds is None else OK if holds else BAD}", holds, False


def _room(outlook: Outlook) -> _Chip:
    found = outlook.fit
    if found is None or found.feasible is None:
        return f"room {OPEN}", None, outlook.old
    if not found.feasible:
        return f"no room {BAD}", False, outlook.old
    if found.own.promised:
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


def first_reason(problems: Sequence[Problem], lead: str, style: Palette) -> Text:
    """The first problem after its lead, and how many more there are."""
    text = Text(f"{lead}: ", style=style.problem)
    text.append(printable(problems[0].message), style=style.plain)
    if len(problems) > 1:
        text.append(f"  and {len(problems) - 1} more", style=style.quiet)
    return text
