"""The verdicts on a job, each in a word and a sign, as many as there is room for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from fluxtui.notation.source import Problem, printable
from fluxtui.ui.palette import Palette
from fluxtui.workbench import Build, Outlook

if TYPE_CHECKING:
    from fluxtui.answers.admission import Admission

OK, BAD, OPEN, ODD = "✓", "✗", "?", "!"
NAME_LIMIT = 12

# One verdict: its words with their sign, whether it holds (None: not known), and whether it is
# that of an earlier job.
_Chip = tuple[str, bool | None, bool]


def chips(build: Build, outlook: Outlook, style: Palette, width: int) -> Text:
    """The verdicts on what is typed, in a line of at most so many columns.

    Where the room is short, what goes without saying is left out first, the other queues next.
    """
    if build.blank:
        return Text()
    wrong = any(problem.severity == "error" for problem in build.syntax)
    syntax = [_verdict("RFC 46", not wrong)]
    canonical = [_verdict("RFC 14", None if wrong else not build.canonical)]
    v1 = [_verdict("V1", None if wrong else not build.v1)]
    room = [_room(outlook)]
    answers = [answer for answer in outlook.admissions if answer.queue]
    own = [_queue(answer) for answer in answers if answer.queue == outlook.queue]
    rest = [_queue(answer) for answer in answers if answer.queue != outlook.queue]
    tries: list[tuple[Sequence[_Chip], str]] = [
        ([*canonical, *v1, *room, *own, *rest[:count]], "  ") for count in range(len(rest), -1, -1)
    ]
    short = canonical if build.canonical or wrong else ()
    tries += [
        ([*short, *v1, *room, *own], "  "),
        ([*short, *v1, *room, *own], " "),
        ([*v1, *room, *own], " "),
        ([*v1, *room], " "),
    ]
    if wrong:
        tries = [([*syntax, *listed], gap) for listed, gap in tries]
    text = Text()
    for listed, gap in tries:
        text = Text(gap).join(_drawn(chip, style, dim=wrong) for chip in listed)
        if text.cell_len <= width:
            break
    return text


def _verdict(name: str, holds: bool | None) -> _Chip:
    return f"{name} {OPEN if holds is None else OK if holds else BAD}", holds, False


def _room(outlook: Outlook) -> _Chip:
    found = outlook.fit
    if found is None or found.feasible is None:
        return f"room {OPEN}", None, outlook.stale or outlook.due
    if not found.feasible:
        return f"no room {BAD}", False, outlook.stale
    if found.own.promised:
        return f"room {ODD}", None, outlook.stale
    many = found.own.fits
    return f"fits {OK}" if many is None else f"fits {many:,}×", True, outlook.stale


def _queue(answer: Admission) -> _Chip:
    return _verdict(_name(answer.queue), answer.admitted)


def _name(queue: str) -> str:
    name = printable(queue)
    return name if len(name) <= NAME_LIMIT else name[: NAME_LIMIT - 1] + "…"


def _drawn(chip: _Chip, style: Palette, *, dim: bool) -> Text:
    """One verdict; dim is that of a text that is not whole, but for what says so."""
    words, holds, stale = chip
    dim = dim and not words.startswith("RFC 46")
    faint = holds is None or stale or dim
    look = style.faint if faint else style.plain if holds else style.problem
    return Text(f"{words} …" if stale else words, style=look)


def first_reason(problems: Sequence[Problem], lead: str, style: Palette) -> Text:
    """The first problem after its lead, and how many more there are."""
    text = Text(f"{lead}: ", style=style.problem)
    text.append(printable(problems[0].message), style=style.plain)
    if len(problems) > 1:
        text.append(f"  and {len(problems) - 1} more", style=style.quiet)
    return text
