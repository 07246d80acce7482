"""The fields whose value is a number of seconds, typed as RFC 23 has it: duration, preemption."""

import math
from typing import Any

from fluxtui.model.form.field import MISSING, NOWHERE, Context, Field, remark, wrong
from fluxtui.model.form.place import system
from fluxtui.notation import duration
from fluxtui.notation.problem import Completion, Parsed, Problem, Span

_DURATION = "attributes.system.duration"
_PREEMPTIBLE = "attributes.system.preemptible-after"


def _seconds(text: str, path: str, endless: str, *expected: str) -> Parsed[Any]:
    """The seconds of a text that is not blank; endless says why they may not be infinite."""
    start = len(text) - len(text.lstrip())
    read = duration.parse(text.strip(), start)
    if read.value is None:
        return Parsed(MISSING, tuple(_here(problem, path) for problem in read.problems))
    if math.isinf(read.value):
        return wrong(endless, text, path, *expected)
    return Parsed(read.value)


def _here(problem: Problem, path: str) -> Problem:
    """A problem of a duration at a part of the jobspec, which cannot be endless."""
    expected = tuple(word for word in problem.expected if word != "inf")
    return problem._replace(path=path, expected=expected)


def _read_duration(text: str, context: Context) -> Parsed[Any]:
    """RFC 23; a blank text is 0, which leaves it to the queue (RFC 14)."""
    if not text.strip():
        return Parsed(0.0)
    endless = "a jobspec cannot hold an endless duration; 0 sets no limit of its own"
    return _seconds(text, _DURATION, endless, "0")


def _read_preemptible(text: str, context: Context) -> Parsed[Any]:
    if not text.strip():
        return Parsed(MISSING)
    endless = "a job that is never to be preempted leaves this blank"
    found = _seconds(text, _PREEMPTIBLE, endless, "nothing")
    limit = _DURATION_PLACE.get(context.document)
    if found.value is MISSING or not is_time(limit) or not 0 < limit <= found.value:
        return found
    message = f"the job ends after {duration.describe(limit)}, before it could be preempted"
    shorter = duration.format(float(limit) / 2)
    return Parsed(found.value, (*found.problems, remark(message, text, _PREEMPTIBLE, shorter)))


def is_time(value: object) -> bool:
    """A number of seconds as RFC 14 has it: 0 or more, finite, and no more than a float holds."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return 0 <= value < math.inf and (isinstance(value, float) or value.bit_length() < 1024)


def _write(value: Any) -> str:
    if value is MISSING:
        return ""
    if not is_time(value):
        raise ValueError("not a number of seconds")
    seconds = float(value)
    if seconds != value:
        raise ValueError("more digits than a number can hold")
    return duration.format(seconds)


def _write_duration(value: Any) -> str:
    text = _write(value)
    return "" if text == "0" else text


def _words(value: Any) -> str:
    """``1 hour 30 minutes = 5,400 s``; seconds alone need no second name."""
    words = duration.describe(value)
    seconds = f"{value:,.15g}"
    return words if words.startswith(f"{seconds} second") else f"{words} = {seconds} s"


def _describe_duration(value: Any, context: Context = NOWHERE) -> str:
    if not is_time(value):
        return ""
    return _words(value) if value else "no limit of its own: the queue's default"


def _describe_preemptible(value: Any, context: Context = NOWHERE) -> str:
    if not is_time(value):
        return ""
    return f"after {_words(value)}" if value else "from the start"


def _complete(text: str, cursor: int, context: Context) -> list[Completion]:
    """Durations, but for the endless one; blanks before them are no part of them."""
    start = len(text) - len(text.lstrip())
    return [
        offer._replace(span=Span(offer.span.start + start, offer.span.end + start))
        for offer in duration.completions(text[start:], cursor - start)
        if offer.text != "inf"
    ]


def _same(one: Any, other: Any) -> bool:
    """The same number of seconds, 3600 or 3600.0."""
    return is_time(one) and is_time(other) and bool(one == other)


_DURATION_PLACE = system("duration", same=_same)
_PREEMPTIBLE_PLACE = system("preemptible-after", same=_same)

DURATION = Field(
    "duration",
    "Duration",
    "Limits",
    "1.5h · blank: the queue's default",
    "How long the job may run: a number and one of the units ms, s, m, h, d (RFC 23). "
    "When it is over, Flux ends the job.",
    _DURATION,
    _read_duration,
    _write_duration,
    _describe_duration,
    _complete,
    _DURATION_PLACE.get,
    _DURATION_PLACE.put,
)
PREEMPTIBLE = Field(
    "preemptible-after",
    "Preemptible",
    "Limits",
    "30m · blank: never",
    "After so long a run the job may be ended to make way for others; 0 is at once. "
    "A job that leaves it blank is never ended so.",
    _PREEMPTIBLE,
    _read_preemptible,
    _write,
    _describe_preemptible,
    _complete,
    _PREEMPTIBLE_PLACE.get,
    _PREEMPTIBLE_PLACE.put,
)
