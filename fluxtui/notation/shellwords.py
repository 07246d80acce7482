"""Words as a POSIX shell splits them: quotes and escapes, no expansion and no comments.

words : blank* (word blank+)* word?
word  : (PLAIN | '\\' CHARACTER | "'" [^']* "'" | '"' inside '"')+
inside: ([^"\\] | '\\' CHARACTER)*

Within double quotes a backslash escapes ``$``, `````, ``"``, itself and a line break, and stands
for itself before all else. A backslash at the end of a line joins it to the next one. Signs such
as ``|``, ``;``, ``$`` and ``#`` are characters like any other.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from fluxtui.notation.source import MAX_LENGTH, Parsed, Problem, Span, too_long

RULE = "POSIX shell"


class Word(NamedTuple):
    """One word: what it says without its quotes, and where it stands with them."""

    text: str
    span: Span

    def part(self, start: int, end: int | None = None) -> Span:
        """Where characters of the word stand; all of it where quotes or escapes are in the way."""
        first, last = self.span
        if last - first != len(self.text):
            return self.span
        return Span(first + start, last if end is None else first + end)


_BLANK = re.compile(r"(?:[ \t\r\n]|\\\r?\n)+")
_PIECE = re.compile(
    r"""(?P<plain>[^ \t\r\n\\'"]+)
    |   \\(?P<escaped>\r?\n|.)
    |   '(?P<single>[^']*)'
    |   "(?P<double>(?:[^"\\]|\\.)*)"
    """,
    re.DOTALL | re.VERBOSE,
)
_WITHIN = re.compile(r'\\(\r?\n|[$`"\\])')


def split(text: str, offset: int = 0) -> Parsed[tuple[Word, ...]]:
    """The words of a text, with spans that count from ``offset``.

    A quote that is never closed reaches to the end of the text and is a problem, and so is a
    backslash with nothing behind it; the words so far come back with it.
    """
    if len(text) > MAX_LENGTH:
        return Parsed((), (too_long("command", text, RULE),))
    words: list[Word] = []
    problems: list[Problem] = []
    place = _after_blanks(text, 0)
    while place < len(text):
        start, said = place, ""
        while place < len(text):
            piece = _PIECE.match(text, place)
            if piece is not None:
                said += _meaning(piece)
                place = piece.end()
            elif text[place] in "'\"\\":
                problems.append(_unfinished(text, place, offset))
                said += text[place + 1 :]
                place = len(text)
            else:
                break
        words.append(Word(said, Span(offset + start, offset + place)))
        place = _after_blanks(text, place)
    return Parsed(tuple(words), tuple(problems))


def _after_blanks(text: str, place: int) -> int:
    """Where the next word starts: behind white space and joined lines."""
    blank = _BLANK.match(text, place)
    return blank.end() if blank else place


def _meaning(piece: re.Match[str]) -> str:
    """What one piece of a word says."""
    if piece["double"] is not None:
        return _WITHIN.sub(_unescaped, piece["double"])
    if piece["escaped"] is not None:
        return "" if piece["escaped"].endswith("\n") else piece["escaped"]
    return piece["plain"] or piece["single"] or ""


def _unescaped(escape: re.Match[str]) -> str:
    return "" if escape[1].endswith("\n") else escape[1]


def _unfinished(text: str, place: int, offset: int) -> Problem:
    """What is wrong with the quote or the backslash at a place that nothing closes."""
    span = Span(offset + place, offset + len(text))
    sign = text[place]
    if sign == "\\":
        message = "a backslash stands at the end with nothing to escape"
        return Problem(message, span, None, ("another character",), RULE)
    return Problem(f"the quote {sign} is not closed", span, None, (f"the closing {sign}",), RULE)


# What a shell takes as it stands, wherever in a word.
_SAFE = re.compile(r"[A-Za-z0-9_@%+=:,./-]+")
_OPTION = re.compile(r"--[A-Za-z][A-Za-z0-9-]*=")


def join(words: Iterable[str]) -> str:
    """The words as one line that `split`, and a shell, reads as the same words.

    Only what needs quotes gets them; of ``--name=some value`` that is the value alone.
    """
    return " ".join(map(quote, words))


def quote(word: str) -> str:
    """One word with the quotes it needs."""
    option = _OPTION.match(word)
    if option is not None and option.end() < len(word):
        return option[0] + quote_value(word[option.end() :])
    return quote_value(word)


def quote_value(text: str) -> str:
    """A text with the quotes it needs: none, single ones, or double ones around a single one."""
    if _SAFE.fullmatch(text):
        return text
    if "'" not in text:
        return f"'{text}'"
    # A shell at a prompt expands '!' within double quotes too.
    if not any(sign in text for sign in '"$`\\!'):
        return f'"{text}"'
    return "'" + text.replace("'", "'\\''") + "'"
