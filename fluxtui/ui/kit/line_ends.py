"""Where the lines of a text end, and in which of them a character stands.

Lines end as a text editor has it: by line feeds, or carriage returns before them. Python's
``splitlines`` and Textual's documents see more ends, such as U+2028 and form feeds, which may
stand within a string of YAML or JSON.
"""

from typing import Literal

from fluxtui.notation.problem import Problem

LineEnd = Literal["\r\n", "\n", "\r"]


def line_end(text: str) -> LineEnd | None:
    """What every line of a text ends with; a line feed where they differ, None where it has one.

    Splitting the text there, and joining it again, gives the same text.
    """
    feeds = text.count("\n")
    if not feeds:
        return "\r" if "\r" in text else None
    return "\r\n" if text.count("\r\n") == feeds else "\n"


def location(text: str, index: int, end: LineEnd | None) -> tuple[int, int]:
    """The line and the column of a character, both from 0, where lines end so."""
    end = end or "\n"
    before = text.rfind(end, 0, index)
    return text.count(end, 0, index), index - (before + len(end) if before >= 0 else 0)


def line_of(problem: Problem, text: str) -> int:
    """The line, from 1, that a problem of a text begins in; the first for one of all of it."""
    start = problem.span.start if problem.span is not None else 0
    return location(text, start, line_end(text))[0] + 1


def with_feeds(text: str) -> str:
    """A pasted text with line feeds alone: many terminals send a carriage return for each."""
    return text.replace("\r\n", "\n").replace("\r", "\n")
