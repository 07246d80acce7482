"""Where in a text something is, what is wrong with it, and what may be put in its place.

Also the words that messages share: counts and lists in a sentence, texts cut short.
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
    """The text is one or more of the digits 0 to 9; ``str.isdigit`` takes those of all scripts."""
    return text.isascii() and text.isdigit()


def shortened(text: str) -> str:
    """A piece of text as a message quotes it: cut where it is longer than 40 characters."""
    return text if len(text) <= 40 else f"{text[:37]}..."


#: Characters of a message: a document or a text may hold a name of a megabyte.
LONGEST_MESSAGE = 500


def readable(message: str) -> str:
    """A message as long as anybody reads; a longer one is cut."""
    return message if len(message) <= LONGEST_MESSAGE else f"{message[: LONGEST_MESSAGE - 3]}..."


class Span(NamedTuple):
    """A half-open run of characters, counted in code points from the start of the text."""

    start: int
    end: int

    def moved(self, by: int) -> "Span":
        """The same run in a text that begins so many characters earlier."""
        return Span(self.start + by, self.end + by)


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong: what, where, what was expected, by which rule.

    message   one sentence for a person, without a full stop; no program reads its words
    path      where in the document, such as ``resources[0].with``, if it was a document
    expected  what would have been right here, each a short phrase, most likely first
    rule      the specification, such as ``RFC 46``
    severity  ``warning`` for what is legal and surprising
    many      more than 1 where it stands for those of a list that are left out
    code      a name for this kind of problem, such as ``v1-count``, for what acts on problems
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
        """The problem as a JSON object; a warning says that it is one."""
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
    """What was read from a text or document, with what is wrong with it."""

    __slots__ = ()
    problems: tuple[Problem, ...]

    @property
    def ok(self) -> bool:
        """No problem is an error (there may be warnings)."""
        return not any(p.severity == "error" for p in self.problems)


class Parsed(NamedTuple, Generic[T]):
    """What a text or document means, as far as it makes sense, and what is wrong with it."""

    value: T
    problems: tuple[Problem, ...] = ()

    @property
    def ok(self) -> bool:
        """No problem is an error (there may be warnings)."""
        return not any(p.severity == "error" for p in self.problems)


#: The longest shape, query or constraint text that is read, in characters.
MAX_LENGTH = 65_536

#: A list of problems ends after so many with one that counts the others.
MAX_PROBLEMS = 100

#: In a list of ids or of names after so many: with more mistakes it is something else.
MAX_OF_LIST = 20

#: The code of the problem that counts those of a list that are left out.
ELIDED = "elided"

#: The code of a problem of a misspelt name: each of what was expected may stand in its place.
MISSPELT = "misspelt"

#: Where a text has so many problems it is not read any further.
ENOUGH = 1000


_HALF = re.compile("[\ud800-\udfff]")


def unreadable(what: str, text: str, rule: str, most: int = MAX_LENGTH) -> Problem | None:
    """Why a text is not read at all: it is too long, or no text; None where it is read."""
    if len(text) > most:
        return too_long(what, text, rule, most)
    return no_character(text, rule)


def no_character(text: str, rule: str = "") -> Problem | None:
    """The problem of a text with a lone surrogate, which UTF-8 cannot say; None where it has none.

    JSON can escape one, and Python keeps a byte of a command line so that is not UTF-8.
    """
    found = None if text.isascii() else _HALF.search(text)
    if found is None:
        return None
    if found[0] >= "\udc80" and found[0] <= "\udcff":
        message = f"the byte {ord(found[0]) - 0xDC00:#04x} is not UTF-8"
    else:
        message = f"{found[0].encode('unicode_escape').decode()} is half of a character"
    return Problem(message, Span(*found.span()), None, ("a character of Unicode",), rule)


def too_long(what: str, text: str, rule: str, most: int = MAX_LENGTH) -> Problem:
    """The problem of a text that is longer than what is read."""
    message = f"the {what} has {len(text):,} characters; more than {most:,} are not read"
    return Problem(message, Span(most, len(text)), None, (f"at most {most:,} characters",), rule)


def how_many(problems: Iterable[Problem]) -> int:
    """How many problems there are, those counted that a list leaves out."""
    return sum(problem.many for problem in problems)


def further(
    others: Sequence[Problem], more: str = "more problems", rule: str | None = None
) -> Problem:
    """The problem in place of those that a list leaves out: how many, and what they are."""
    many, rule = how_many(others), others[0].rule if rule is None else rule
    wrong = any(problem.severity == "error" for problem in others)
    start, end = others[0].span, others[-1].span
    span = Span(start[0], max(start[1], end[1])) if start and end else None
    severity: Severity = "error" if wrong else "warning"
    return Problem(f"{many:,} {more}", span, None, (), rule, severity, many, ELIDED)


def capped(problems: Sequence[Problem]) -> tuple[Problem, ...]:
    """The first problems, in place of too many the last of them says how many more there are."""
    if len(problems) <= MAX_PROBLEMS + 1:  # to say that there is one more takes as much room
        return tuple(problems)
    last = further(problems[MAX_PROBLEMS:], "more problems from here on")
    return (*problems[:MAX_PROBLEMS], last)


def first_of(problems: Sequence[Problem], what: str, *, is_cut: bool) -> tuple[Problem, ...]:
    """The first few problems of a list of ids or names; the last of them counts the others.

    is_cut says that there are so many that the text was not read to its end.
    """
    if len(problems) <= MAX_OF_LIST + 1:
        return tuple(problems)
    last = further(problems[MAX_OF_LIST:], f"more problems of this kind in the {what}")
    if is_cut:
        message = f"more than {ENOUGH:,} problems; the {what} is not read any further"
        last = replace(last, message=message)
    return (*problems[:MAX_OF_LIST], last)


class Token(NamedTuple):
    """One coloured piece of a text.

    kind is one of: ``type`` (a resource type), ``slot``, ``count``, ``label``, ``key``,
    ``string``, ``number``, ``constant`` (true, false, null), ``operator`` (and, or, not,
    ``name:``), ``property``, ``value`` (hosts, ranks, other operands), ``punctuation``, ``error``.
    """

    kind: str
    span: Span


@dataclass(frozen=True, slots=True)
class Completion:
    """What may be typed at a place: the text to put in for span, and what it means.

    nodes is how many nodes of the cluster it names, where it names nodes.
    """

    text: str
    span: Span
    description: str
    nodes: int | None = None


def at(path: str, *steps: str | int) -> str:
    """A path one or more steps further in: ``at("a", 0, "b")`` is ``a[0].b``."""
    for step in steps:
        if isinstance(step, int):
            path += f"[{step}]"
        elif step.isidentifier() or step.replace("-", "_").isidentifier():
            path += f".{step}" if path else step
        else:
            path += f"[{step!r}]"
    return path


def nearest(word: str, names: Iterable[str]) -> str | None:
    """The name closest to a misspelt word, or None where none is near; see `closest`."""
    return next(iter(closest(word, names, 1)), None)


def closest(word: str, names: Iterable[str], most: int) -> list[str]:
    """The names closest to a misspelt word, the closest first.

    Looks at the first 1,000 names only, and at no word of more than 100 characters.
    """
    if len(word) > 100:
        return []
    looked_at = tuple(name for name in islice(names, 1000) if len(name) <= 200)
    return list(_closest(word, looked_at, most))


@lru_cache(1000)  # each fix that is tried finds the same words again
def _closest(word: str, names: tuple[str, ...], most: int) -> tuple[str, ...]:
    import difflib  # costs 1 ms and is wanted only where something is wrong

    return tuple(difflib.get_close_matches(word, names, most))


def did_you_mean(near: str | None) -> str:
    """What a message about a misspelt word ends with; empty where no name is near."""
    return f"; did you mean {near}?" if near else ""


def position(text: str, index: int) -> tuple[int, int]:
    """The line and the column of a character, both from 1."""
    return text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index)


# Characters that Unicode counts as printable, though there is nothing to see: joiners of letters,
# fillers and blanks, and selectors of variants.
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)


def is_printable(text: str) -> bool:
    """A terminal shows each character of the text, and obeys none."""
    return text.isprintable() and (text.isascii() or not _UNSEEN.search(text))


def printable(text: str) -> str:
    """The text with what `is_printable` does not take as escapes, so that nothing acts or hides."""
    if is_printable(text):
        return text
    return "".join(c if is_printable(c) else c.encode("unicode_escape").decode() for c in text)


def replaced_signs(text: str, kept: str = "") -> str:
    """The same with a replacement sign for each such character, but for those that are kept."""
    if is_printable(text):
        return text
    sign = "\N{REPLACEMENT CHARACTER}"
    return "".join(c if is_printable(c) or c in kept else sign for c in text)


def columns_of(text: str) -> int:
    """Terminal cells of a text: 2 for wide characters, 0 for combining ones."""
    if text.isascii():
        return len(text)
    import unicodedata

    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


class MarkedLine(NamedTuple):
    """The line that a span begins in, and columns: those before the span, and those under it."""

    text: str
    before: int
    under: int


def marked_line(span: Span, text: str) -> MarkedLine:
    """The line of a text with its part of a span, for carets below it.

    Characters that cannot be printed show as one replacement sign each.
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
    """The problem for a person: the message, then its line with carets below.

    Control characters of the text show as one replacement sign each.
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
    """The noun for 1, else its plural, which is ``several`` or the noun with an ``s``."""
    return noun if number == 1 else several or f"{noun}s"


def counted(number: int, noun: str, several: str | None = None) -> str:
    """A number with its noun: ``1 node``, ``1,234 nodes``; see `plural` for several."""
    return f"{number:,} {plural(noun, number, several)}"


def listed(words: Sequence[str], last: str = "and") -> str:
    """Words in a row: ``a``, ``a and b``, ``a, b and c``; last comes before the last one."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


# Texts that differ in places


def place(chunks: tuple[Span, ...], start: int, end: int) -> Span:
    """The span, in the text they came from, of the characters start to end of the joined chunks."""
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
    """The text with new texts in place of some of its spans, which must not overlap.

    Texts that are put in at one place keep the order given.
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
    """How many characters two texts share at their beginnings, and then at their ends."""
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
