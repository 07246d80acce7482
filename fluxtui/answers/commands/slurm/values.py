"""Values that only Slurm's options take: times, file names and hosts."""

import math
import re

from fluxtui.answers.commands.options import Found, Line
from fluxtui.notation.problem import Span
from fluxtui.notation.sets import hostlist

_TIME = re.compile(r"(?:([0-9]{1,6})-)?([0-9]{1,9})(?::([0-9]{1,6}))?(?::([0-9]{1,6}))?")


def seconds(text: str) -> float | None:
    """The seconds of a Slurm time; 0 for one without end, None for no time.

    The forms are minutes, minutes:seconds, hours:minutes:seconds, days-hours,
    days-hours:minutes and days-hours:minutes:seconds.
    """
    if text.lower() in ("infinite", "unlimited", "-1"):
        return 0.0
    found = _TIME.fullmatch(text)
    if found is None:
        return None
    days, *parts = (None if part is None else int(part) for part in found.groups())
    first, second, third = parts
    if days is not None:
        return float(days * 86400 + (first or 0) * 3600 + (second or 0) * 60 + (third or 0))
    if third is not None:
        return float((first or 0) * 3600 + (second or 0) * 60 + third)
    return float((first or 0) * 60 + (second or 0))


def time_text(duration: float) -> tuple[str, bool]:
    """A duration as ``[days-]hours:minutes:seconds``, and whether it is exactly that long."""
    whole = math.ceil(duration)
    minutes, second = divmod(whole, 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    lead = f"{days}-{hour:02}" if days else f"{hour}"
    return f"{lead}:{minute:02}:{second:02}", whole == duration


# The patterns of file names for the job's id, its name, and the task.
_PATTERNS = {"%j": "{{id}}", "%A": "{{id}}", "%J": "{{id}}", "%x": "{{name}}", "%t": "{{taskid}}"}


def path(line: Line, found: Found) -> str:
    """A file name with Slurm's patterns as the templates of the Flux job shell."""
    text = found.text
    for pattern, template in _PATTERNS.items():
        text = text.replace(pattern, template)
    if re.search(r"%[0-9]*[a-zA-Z]", text):
        line.note(found, "Flux has no counterpart for a pattern of this file name")
    return text


def path_text(text: str) -> str | None:
    """A file name with Slurm's patterns, or None where it holds other templates."""
    for pattern, template in (("%j", "{{id}}"), ("%x", "{{name}}"), ("%t", "{{taskid}}")):
        text = text.replace(template, pattern)
    return None if "{{" in text else text


def is_hosts(line: Line, found: Found) -> bool:
    """Whether ``-w`` or ``-x`` lists hosts; a file gets a note, and a mistake problems."""
    if "/" in found.text:
        line.note(found, f"{found.name} names a file, which is not read here")
        return False
    parsed = hostlist.parse(found.text, found.value_span.start)
    errors = [problem for problem in parsed.problems if problem.severity == "error"]
    for problem in errors:
        end = found.value_span.end
        span = problem.span or found.value_span
        line.problems.append(problem._replace(span=Span(min(span.start, end), min(span.end, end))))
    return not errors


def host_count(text: str) -> int:
    """How many hosts a hostlist names."""
    return len(hostlist.parse(text).value)
