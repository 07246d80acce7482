"""Words as a POSIX shell splits them: quotes and escapes, no expansion and no comments.

words : blank* (word blank+)* word?
word  : (PLAIN | '\\' CHARACTER | "'" [^']* "'" | "$'" dollar "'" | printf | '"' inside '"')+
inside: ([^"\\] | '\\' CHARACTER)*
dollar: ([^'\\] | '\\' CHARACTER)*
printf: '"$(printf ' "'" ('\\' [0-7]{3})+ "'" ')"'

printf is what `quote` writes for bytes, and the only expansion supported. Within ``$'...'``, which
has been in POSIX since 2024 and in bash for longer, escapes are control characters and bytes of
UTF-8, such as ``\\x1b``. Within double quotes a backslash escapes ``$``, `````, ``"``, itself and a
line break; otherwise it is an ordinary character there. A backslash at the end of a line joins it
to the next one. Characters such as ``|``, ``;``, ``$`` and ``#`` have no special meaning.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from fluxtui.notation.problem import (
    Parsed,
    Problem,
    Span,
    capped,
    is_printable,
    surrogate_problem,
    unreadable,
)

RULE = "POSIX shell"


class Word(NamedTuple):
    """A word: its text without quotes, and its span including them."""

    text: str
    span: Span

    def part(self, start: int, end: int | None = None) -> Span:
        """The span of characters start to end; the whole word if it has quotes or escapes."""
        first, last = self.span
        if last - first != len(self.text):
            return self.span
        return Span(first + start, last if end is None else first + end)


_BLANK = re.compile(r"(?:[ \t\r\n]|\\\r?\n)*")
_PIECE = re.compile(
    r"""(?P<plain>(?:[^ \t\r\n\\'"$]|\$(?!'))+)
    |   \$'(?P<dollar>(?:[^'\\]|\\.)*)'
    |   \\(?P<escaped>\r?\n|.)
    |   '(?P<single>[^']*)'
    |   "\$\(printf[ ]'(?P<octal>(?:\\[0-7]{3})+)'\)"
    |   "(?P<double>(?:[^"\\]|\\.)*)"
    """,
    re.DOTALL | re.VERBOSE,
)
_WITHIN = re.compile(r'\\(\r?\n|[$`"\\])')


def split(text: str, offset: int = 0) -> Parsed[tuple[Word, ...]]:
    """The words of a text, with spans that count from ``offset``.

    Problems are a quote that is never closed, which reaches to the end of the text, a backslash
    with nothing after it, and bytes that are not UTF-8, which are kept as backslash escapes.
    """
    refused = unreadable("command", text, RULE)
    if refused is not None:
        return Parsed((), (refused,))
    words: list[Word] = []
    problems: list[Problem] = []
    place = _BLANK.match(text).end()  # type: ignore[union-attr]
    while place < len(text):
        start, word = place, ""
        while place < len(text):
            piece = _PIECE.match(text, place)
            if piece is not None:
                word += _meaning(piece)
                place = piece.end()
                continue
            quote = "$'" if text[place] == "$" else text[place]
            if quote not in ("'", '"', "\\", "$'"):
                break
            message, expected = f"the quote {quote} is not closed", f"the closing {quote[-1]}"
            if quote == "\\":
                message, expected = "the backslash at the end escapes nothing", "another character"
            span = Span(offset + place, offset + len(text))
            problems.append(Problem(message, span, None, (expected,), RULE))
            word += text[place + len(quote) :]
            place = len(text)
        span = Span(offset + start, offset + place)
        if not word.isascii():
            # The bytes of one character may come from several pieces.
            word = word.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")
        surrogate = surrogate_problem(word, RULE)
        if surrogate is not None:
            problems.append(replace(surrogate, span=span))
            word = word.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
        words.append(Word(word, span))
        place = _BLANK.match(text, place).end()  # type: ignore[union-attr]
    return Parsed(tuple(words), capped(problems))


def _meaning(piece: re.Match[str]) -> str:
    if piece["double"] is not None:
        return _WITHIN.sub(lambda found: found[1].strip("\r\n"), piece["double"])
    if piece["dollar"] is not None:
        # A NUL ends the piece, since no word of a command can contain one.
        data = _ESCAPE.sub(_bytes, piece["dollar"].encode("utf-8", "surrogatepass"))
        return data.partition(b"\0")[0].decode("utf-8", "surrogateescape")
    if piece["octal"] is not None:
        data = bytes(int(digits, 8) & 0xFF for digits in piece["octal"][1:].split("\\"))
        return data.partition(b"\0")[0].decode("utf-8", "surrogateescape")
    if piece["escaped"] is not None:
        return "" if piece["escaped"].endswith("\n") else piece["escaped"]
    return piece["plain"] or piece["single"] or ""


_ESCAPE = re.compile(
    rb"""\\(?:(?P<octal>[0-7]{1,3})|x(?P<hex>[0-9a-fA-F]{1,2})|u(?P<short>[0-9a-fA-F]{1,4})
    |   U(?P<long>[0-9a-fA-F]{1,8})|c(?P<control>\\\\|.)|(?P<letter>.))""",
    re.DOTALL | re.VERBOSE,
)
_NAMED = zip(b"abeEfnrtv'\"\\?", b"\a\b\x1b\x1b\f\n\r\t\v'\"\\?", strict=True)
_LETTERS = {letter: bytes([code]) for letter, code in _NAMED}


def _bytes(escape: re.Match[bytes]) -> bytes:
    if (digits := escape["octal"]) is not None:
        return bytes([int(digits, 8) & 0xFF])
    if (digits := escape["hex"]) is not None:
        return bytes([int(digits, 16)])
    if (digits := escape["short"] or escape["long"]) is not None:
        code = int(digits, 16)
        return chr(code).encode("utf-8", "surrogatepass") if code < 0x110000 else escape[0]
    if escape["control"] is not None:
        sign = escape["control"][:1]
        return b"\x7f" if sign == b"?" else bytes([sign[0] & 0x1F])
    return _LETTERS.get(escape["letter"][0], escape[0])


def is_plain(text: str) -> bool:
    """Whether the text consists of printable characters and line breaks."""
    return is_printable(text) or is_printable(text.replace("\n", ""))


def _octal(text: str) -> str:
    """A shell expression that yields a text but contains none of its characters."""
    data = "".join(f"\\{byte:03o}" for byte in text.encode("utf-8", "surrogatepass"))
    return f"\"$(printf '{data}')\""


# Text that needs no quotes; zsh replaces a word that begins with '=' by the path of a command.
_SAFE = re.compile(r"(?!=)[A-Za-z0-9_@%+=:,./-]+")
_SETS = re.compile(r"[A-Za-z_]\w*\+?=")
_OPTION = re.compile(r"--[A-Za-z][A-Za-z0-9-]*=")


def join(words: Iterable[str]) -> str:
    """The words as one line that `split` and a shell read as the same words, except for NUL.

    Only text that needs quotes gets them, so only the value of ``--name=some value``. A first word
    that would set a variable is quoted.
    """
    line = " ".join(map(quote, words))
    name = _SETS.match(line)
    return f"'{name[0]}'{line[name.end() :]}" if name is not None else line


def quote(word: str) -> str:
    """A word, in quotes if necessary; of an option ``--name=value`` only the value is quoted."""
    option = _OPTION.match(word)
    if option is not None and option.end() < len(word):
        return option[0] + quote_value(word[option.end() :])
    return quote_value(word)


def quote_value(text: str) -> str:
    """A text in the quotes it needs: none, single ones, or double ones around a single one.

    Unprintable characters become bytes in octal for printf, which every shell has, so that a line
    to be pasted contains none of them. Line breaks stay.
    """
    if _SAFE.fullmatch(text):
        return text
    if not is_plain(text):
        runs = groupby(text, is_plain)
        return "".join((quote_value if plain else _octal)("".join(run)) for plain, run in runs)
    if "'" not in text:
        return f"'{text}'"
    # An interactive shell expands '!' even within double quotes.
    if not any(sign in text for sign in '"$`\\!'):
        return f'"{text}"'
    return "'" + text.replace("'", "'\\''") + "'"
