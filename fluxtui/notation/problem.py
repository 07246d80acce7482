"""Spans, problems, tokens and completions: what the readers of texts report.

Also helpers for messages: counts and lists in a sentence, shortened and printable texts.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import Any, Generic, Literal, NamedTuple, TypeVar

T = TypeVar("T")

Severity = Literal["error", "warning"]


def is_digits(text: str) -> bool:
    """Whether the text is one or more of the digits 0 to 9; ``str.isdigit`` allows any script."""
    return text.isascii() and text.isdigit()


#: The longest message, in characters: a document may hold a name of a megabyte.
LONGEST_MESSAGE = 500


def shortened(text: str, most: int = 60) -> str:
    """The text as a message quotes it: printable, its middle cut if it is longer than most."""
    if len(text) > 2 * most:
        text = text[:most] + text[-most:]
    shown, tail = printable(text), most // 3
    return shown if len(shown) <= most else f"{shown[: most - tail - 1]}…{shown[-tail:]}"


class Span(NamedTuple):
    """A half-open range of characters, counted in code points from the start of the text."""

    start: int
    end: int

    def moved(self, by: int) -> "Span":
        """The span shifted by this many characters."""
        return Span(self.start + by, self.end + by)


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong: what, where, what was expected, and by which rule.

    message   one sentence for people, without a full stop; code must not depend on its words
    path      where in the document, such as ``resources[0].with``; None for a plain text
    expected  what would be right here, as short phrases, most likely first
    rule      the specification, such as ``RFC 46``
    severity  ``warning`` for what is legal but surprising
    many      how many problems this one counts; more than 1 if it replaces the rest of a list
    code      an identifier for this kind of problem, such as ``v1-count``, for code to act on
    """

    message: str
    span: Span | None = None
    path: str | None = None
    expected: tuple[str, ...] = ()
    rule: str = ""
    severity: Severity = "error"
    many: int = 1
    code: str = ""

    def to_json(self) -> dict[str, Any]:
        """The problem as a JSON object; only a warning has the key ``severity``."""
        out: dict[str, Any] = {
            "message": self.message,
            "span": list(self.span) if self.span else None,
            "path": self.path,
            "expected": list(self.expected),
            "rule": self.rule,
        }
        if self.severity != "error":
            out["severity"] = self.severity
        return out


class WithProblems:
    """Base of results that carry the problems found in the text or document they came from."""

    __slots__ = ()
    problems: tuple[Problem, ...]

    @property
    def ok(self) -> bool:
        """Whether no problem is an error (there may be warnings)."""
        return not any(p.severity == "error" for p in self.problems)


class Parsed(NamedTuple, Generic[T]):
    """The value of a text or document, as far as it could be read, and the problems in it."""

    value: T
    problems: tuple[Problem, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether no problem is an error (there may be warnings)."""
        return not any(p.severity == "error" for p in self.problems)


#: The longest shape, query or constraint text that is read, in characters.
MAX_LENGTH = 65_536

#: The most problems that are listed; one more counts the rest.
MAX_PROBLEMS = 100

#: The same limit for one list of ids or names: with more mistakes it is probably not a list.
MAX_OF_LIST = 20

#: The code of the problem that counts those left out of a list.
ELIDED = "elided"

#: The code of the problem of a text that is too long to be read.
TOO_LONG = "too-long"

#: The code of the problem of a misspelt name: any of ``expected`` may replace it.
MISSPELT = "misspelt"

#: Reading a text stops after this many problems.
ENOUGH = 1000


_SURROGATE = re.compile("[\ud800-\udfff]")


def unreadable(what: str, text: str, rule: str, most: int = MAX_LENGTH) -> Problem | None:
    """The problem of a text that cannot be read: too long, or with a surrogate; None if it can."""
    if len(text) > most:
        return too_long(what, text, rule, most)
    return surrogate_problem(text, rule)


def surrogate_problem(text: str, rule: str = "") -> Problem | None:
    """The problem of a text with a lone surrogate, which UTF-8 cannot encode, or None.

    A JSON escape can make one, and so does Python from a command-line byte that is not UTF-8.
    """
    found = None if text.isascii() else _SURROGATE.search(text)
    if found is None:
        return None
    if found[0] >= "\udc80" and found[0] <= "\udcff":
        message = f"the byte {ord(found[0]) - 0xDC00:#04x} is not UTF-8"
    else:
        message = f"{found[0].encode('unicode_escape').decode()} is half of a character"
    return Problem(message, Span(*found.span()), None, ("a Unicode character",), rule)


def too_long(what: str, text: str, rule: str, most: int = MAX_LENGTH) -> Problem:
    """The problem of a text that is longer than ``most`` characters."""
    message = f"the {what} has {len(text):,} characters; more than {most:,} are not read"
    expected = (f"at most {most:,} characters",)
    return Problem(message, Span(most, len(text)), None, expected, rule, code=TOO_LONG)


def how_many(problems: Iterable[Problem]) -> int:
    """The number of problems, including those that were left out of a list and only counted."""
    return sum(problem.many for problem in problems)


def elided_problem(
    others: Sequence[Problem], more: str = "more problems", rule: str | None = None
) -> Problem:
    """The problem that replaces the rest of a list; ``more`` is what its message counts."""
    many, rule = how_many(others), others[0].rule if rule is None else rule
    has_error = any(problem.severity == "error" for problem in others)
    start, end = others[0].span, others[-1].span
    span = Span(start[0], max(start[1], end[1])) if start and end else None
    severity: Severity = "error" if has_error else "warning"
    return Problem(f"{many:,} {more}", span, None, (), rule, severity, many, ELIDED)


def capped(problems: Sequence[Problem]) -> tuple[Problem, ...]:
    """The problems; if there are too many, the last one counts those that are left out."""
    if len(problems) <= MAX_PROBLEMS + 1:  # counting a single one takes as much room as showing it
        return tuple(problems)
    last = elided_problem(problems[MAX_PROBLEMS:], "more problems from here on")
    return (*problems[:MAX_PROBLEMS], last)


def first_of(problems: Sequence[Problem], what: str, *, is_cut: bool) -> tuple[Problem, ...]:
    """The first few problems of a list of ids or names; the last one counts those left out.

    is_cut means that there were so many that the text was not read to its end.
    """
    if len(problems) <= MAX_OF_LIST + 1:
        return tuple(problems)
    last = elided_problem(problems[MAX_OF_LIST:], f"more problems of this kind in the {what}")
    if is_cut:
        message = f"more than {ENOUGH:,} problems; the {what} is not read any further"
        last = replace(last, message=message)
    return (*problems[:MAX_OF_LIST], last)


class Token(NamedTuple):
    """A piece of a text for syntax highlighting.

    kind is one of: ``type`` (a resource type), ``slot``, ``count``, ``label``, ``key``,
    ``string``, ``number``, ``constant`` (true, false, null), ``operator`` (and, or, not,
    ``name:``), ``property``, ``value`` (hosts, ranks, other operands), ``punctuation``, ``error``.
    """

    kind: str
    span: Span


@dataclass(frozen=True, slots=True)
class Completion:
    """A text that may be typed at a place: what replaces ``span``, and what it means.

    nodes is the number of cluster nodes that it names; None if it does not name nodes.
    """

    text: str
    span: Span
    description: str
    nodes: int | None = None


def at(path: str, *steps: str | int) -> str:
    """The path extended by one or more steps: ``at("a", 0, "b")`` is ``a[0].b``."""
    for step in steps:
        if isinstance(step, int):
            path += f"[{step}]"
        elif step.isidentifier() or step.replace("-", "_").isidentifier():
            path += f".{step}" if path else step
        else:
            path += f"[{step!r}]"
    return path


def nearest(word: str, names: Iterable[str]) -> str | None:
    """The name closest to a misspelt word, or None if none is close; see `closest`."""
    return next(iter(closest(word, names, 1)), None)


def closest(word: str, names: Iterable[str], most: int) -> list[str]:
    """The names closest to a misspelt word, at most ``most``, the closest first.

    Compares only the first 1,000 names, and no word of more than 100 characters.
    """
    if len(word) > 100:
        return []
    candidates = tuple(name for name in islice(names, 1000) if len(name) <= 200)
    return list(_closest(word, candidates, most))


@lru_cache(1000)  # trying out fixes looks up the same words again
def _closest(word: str, names: tuple[str, ...], most: int) -> tuple[str, ...]:
    import difflib  # takes 1 ms and is needed only for a misspelt name

    return tuple(difflib.get_close_matches(word, names, most))


def did_you_mean(near: str | None) -> str:
    """The end of a message about a misspelt word; empty if ``near`` is None."""
    return f"; did you mean {near}?" if near else ""


def position(text: str, index: int) -> tuple[int, int]:
    """The line and the column of a character, both counted from 1."""
    return text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index)


# Characters that Unicode counts as printable although nothing shows: joiners, fillers, blanks and
# variation selectors.
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)


def is_printable(text: str) -> bool:
    """Whether a terminal shows every character of the text and obeys none."""
    return text.isprintable() and (text.isascii() or not _INVISIBLE.search(text))


def printable(text: str) -> str:
    """The text with its unprintable characters escaped, so that none acts or stays hidden."""
    if is_printable(text):
        return text
    return "".join(c if is_printable(c) else c.encode("unicode_escape").decode() for c in text)


def replaced_signs(text: str, kept: str = "") -> str:
    """The text with a replacement character for each unprintable one that is not in ``kept``."""
    if is_printable(text):
        return text
    sign = "\N{REPLACEMENT CHARACTER}"
    return "".join(c if is_printable(c) or c in kept else sign for c in text)


def columns_of(text: str) -> int:
    """The width of a text in terminal cells: 2 for a wide character, 0 for a combining one."""
    if text.isascii():
        return len(text)
    import unicodedata

    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


class MarkedLine(NamedTuple):
    """The line in which a span begins, and how many columns are before and under the span."""

    text: str
    before: int
    under: int


def marked_line(span: Span, text: str) -> MarkedLine:
    """The line of a text in which a span begins, with the place of the carets below it.

    An unprintable character shows as one replacement character.
    """
    start, end = span
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", start)
    last = len(text) if last < 0 else last
    shown = replaced_signs(text[first:last])
    before = columns_of(shown[: start - first])
    under = max(1, columns_of(shown[start - first : min(end, last) - first]))
    return MarkedLine(shown, before, under)


def render(problem: Problem, text: str | None = None) -> str:
    """The problem for people to read: the message, then its line of the text with carets below.

    An unprintable character of the text shows as one replacement character.
    """
    lead = "warning: " if problem.severity == "warning" else ""
    where = f"{printable(problem.path)}: " if problem.path else ""
    rule = f" [{problem.rule}]" if problem.rule else ""
    lines = [f"{lead}{where}{printable(problem.message)}{rule}"]
    if text is not None and problem.span is not None:
        marked = marked_line(problem.span, text)
        lines += [f"  {marked.text}", f"  {' ' * marked.before}{'^' * marked.under}"]
    if problem.expected:
        lines.append(f"  expected {', '.join(printable(e) for e in problem.expected)}")
    return "\n".join(lines)


# Counts and lists in a sentence


def plural(noun: str, number: float, several: str | None = None) -> str:
    """The noun for 1, else its plural: ``several``, or the noun with an ``s``."""
    return noun if number == 1 else several or f"{noun}s"


def counted(number: int, noun: str, several: str | None = None) -> str:
    """A number with its noun: ``1 node``, ``1,234 nodes``; see `plural` for several."""
    return f"{number:,} {plural(noun, number, several)}"


def listed(words: Sequence[str], last: str = "and") -> str:
    """The words as a list in a sentence: ``a, b and c``; ``last`` is the conjunction."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def few(words: Sequence[str], most: int) -> tuple[str, ...]:
    """The first words of a list, with ``...`` behind them if there are more."""
    return (*words[:most], "...") if len(words) > most else tuple(words)


# Edits of texts


def place(chunks: tuple[Span, ...], start: int, end: int) -> Span:
    """The span in the original text of the characters start to end of its joined chunks."""
    first = last = None
    for chunk in chunks:
        size = chunk.end - chunk.start
        if first is None and start < size:
            first = chunk.start + start
        if last is None and end <= size:
            last = chunk.start + end
        start, end = start - size, end - size
    final = chunks[-1].end if chunks else 0
    first = final if first is None else first
    return Span(first, max(first, final if last is None else last))


def splice(text: str, edits: Iterable[tuple[Span, str]]) -> str:
    """The text with some of its spans replaced; ValueError if these overlap.

    Several texts inserted at one place keep the order given.
    """
    pieces: list[str] = []
    done = 0
    for (start, end), new in sorted(edits, key=lambda edit: edit[0]):
        if start < done:
            raise ValueError("two edits of a text overlap")
        pieces += (text[done:start], new)
        done = end
    return "".join((*pieces, text[done:]))


def common_ends(old: str, new: str) -> tuple[int, int]:
    """The lengths of the common prefix of two texts and of the common suffix of what remains."""
    start = _common(old, new)
    return start, _common(old[start:][::-1], new[start:][::-1])


def _common(old: str, new: str) -> int:
    most = min(len(old), len(new))
    start, step = 0, most
    while step:  # by halves: comparing slices is faster than single characters
        if old[start : start + step] == new[start : start + step]:
            start += step
            step = min(step, most - start)
        else:
            step //= 2
    return start
