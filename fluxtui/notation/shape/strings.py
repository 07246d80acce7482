"""Quoted strings of a shape that hold escapes or have something wrong (RFC 46, RFC 8259)."""

import re

from fluxtui.notation.problem import Span
from fluxtui.notation.shape.reader import Reader

_ESCAPES = {
    '"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
}  # fmt: skip


def read(reader: Reader, kind: str) -> str:
    """string : '"' (CHAR | ESCAPE)* '"' | "'" CHAR* "'"; see `Reader.string`."""
    start = reader.pos
    quote = reader.text[start]
    close = closing(reader.text, start, quote)
    if close < 0:
        return _unclosed(reader, quote, kind)
    reader.pos = close + 1
    reader.token(kind, start)
    return _decode(reader, start + 1, close, escapes=quote == '"')


def closing(text: str, start: int, quote: str) -> int:
    """Where the string that starts here closes, or -1."""
    at = start + 1
    while True:
        at = text.find(quote, at)
        if at < 0 or quote == "'":
            return at
        back = at
        while text[back - 1] == "\\":
            back -= 1
        if (at - back) % 2 == 0:
            return at
        at += 1


def _unclosed(reader: Reader, quote: str, kind: str) -> str:
    """A string without its end goes up to the next character that could end it all."""
    start = reader.pos
    reader.problem(f"the quotation mark {quote} is not closed", Span(start, start + 1), quote)
    reader.pos += 1
    reader.words(",;/]}{[=:")
    reader.need(quote)
    reader.token(kind, start)
    return reader.text[start + 1 : reader.pos].rstrip()


def _decode(reader: Reader, start: int, end: int, *, escapes: bool) -> str:
    """The characters between two quotes, escapes resolved as JSON does (RFC 8259)."""
    out: list[str] = []
    at = start
    text = reader.text
    while at < end:
        char = text[at]
        if char == "\\" and escapes:
            step, char = _escape(reader, at, end)
            at += step
        else:
            if char < " ":
                code = f"\\u{ord(char):04x}"
                message = f"a control character in quotes is written as {code}"
                reader.problem(message, Span(at, at + 1), code)
            at += 1
        out.append(char)
    return "".join(out)


def _escape(reader: Reader, at: int, end: int) -> tuple[int, str]:
    """One escape that starts here: how long it is, and what it stands for."""
    char = reader.text[at + 1]
    if char in _ESCAPES:
        return 2, _ESCAPES[char]
    code = _unicode(reader, at, end)
    if code is None:
        span = Span(at, at + 2)
        reader.problem(f"{reader.shown(span)} is not an escape", span, '\\"', "\\\\", "\\n", "\\u")
        return 2, char
    if 0xD800 <= code < 0xDC00:
        low = _unicode(reader, at + 6, end)
        if low is not None and 0xDC00 <= low < 0xE000:
            return 12, chr(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00))
    if 0xD800 <= code < 0xE000:
        span = Span(at, at + 6)
        reader.problem(f"{reader.shown(span)} is half of a character", span)
        return 6, "\N{REPLACEMENT CHARACTER}"
    return 6, chr(code)


def _unicode(reader: Reader, at: int, end: int) -> int | None:
    """The number of the escape ``\\uXXXX`` that starts here, if one does."""
    digits = reader.text[at + 2 : at + 6]
    if reader.text[at : at + 2] != "\\u" or at + 6 > end:
        return None
    return int(digits, 16) if re.fullmatch("[0-9a-fA-F]{4}", digits) else None
