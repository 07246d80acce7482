"""The characters of a shape: white space, words, quoted strings, and the tokens they make (RFC 46).

    string  : '"' (CHAR | ESCAPE)* '"' | "'" CHAR* "'"

Double quotes take the escapes of JSON (RFC 8259), single quotes none.
"""

import re
from collections.abc import Callable

from fluxtui.notation.problem import ENOUGH, Problem, Severity, Span, Token
from fluxtui.notation.shape.tree import RULE

#: What may come next, by a short code, in the words of `Shape.expected`.
WORDS = {
    "type": "a resource type",
    "[": "[ and a list",
    "=": "= and a count",
    "{": "{ and keys",
    "{label": "{ and a label",
    "/": "/ and children",
    ";": "; and another resource",
    "]": "] to close the list",
    "]array": "] to close the array",
    "}": "} to close the braces",
    ",": "a comma and another key",
    ",value": "a comma and another value",
    ":": ": and a value",
    "count": "a count such as 4, 2-8 or 2+",
    "or more": "+ for this many or more",
    "to": "- and the most",
    ":step": ": and a step",
    "]count": "] to close the count",
    "label": "a label",
    "key": "a key",
    "value": "a value",
    '"': 'a closing "',
    "'": "a closing '",
}

_ESCAPES = {
    '"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
}  # fmt: skip

_UNICODE = re.compile(r"\\u([0-9a-fA-F]{4})")

# Braces, and where strings may begin: within a word an apostrophe is a letter as any other.
_BRACES = re.compile(r"""[{}"]|(?<![^{,:;\[/=\s])'""")

# A text has thousands of tokens; the constructor of a named tuple would take twice as long.
_span: Callable[[type[Span], tuple[int, int]], Span] = tuple.__new__
_token: Callable[[type[Token], tuple[str, Span]], Token] = tuple.__new__

_RUNS: dict[str, re.Pattern[str]] = {}


class EnoughError(Exception):
    """The text has so many problems that reading it any further helps nobody."""


class Lexer:
    """A place in a text, the tokens before it, the problems so far, and what may come next."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.end = len(text)
        self.pos = 0
        self.tokens: list[Token] = []
        self.problems: list[Problem] = []
        self.wanted: list[str] = []  # codes of `WORDS`
        self.cut = False  # the text ends inside a part that is not finished
        self._closed: set[int] | None = None

    def space(self) -> str:
        """Go past white space; the character there, or "" at the end of the text."""
        text, pos, end = self.text, self.pos, self.end
        if pos < end and " " < (char := text[pos]) < "\x7f":
            return char
        while pos < end and text[pos].isspace():
            pos += 1
        self.pos = pos
        return text[pos] if pos < end else ""

    def here(self) -> str:
        """The next character, or "" at the end of the text."""
        return self.text[self.pos : self.pos + 1]

    def sign(self) -> Span:
        """The place of the next character."""
        return Span(self.pos, self.pos + 1)

    def want(self, *codes: str) -> None:
        """Note what may come next, if the text ends here."""
        if self.pos >= self.end and not self.cut:
            self.wanted.extend(codes)

    def need(self, *codes: str) -> None:
        """Note what must come next, if the text ends here; nothing further out can come."""
        self.want(*codes)
        if self.pos >= self.end:
            self.cut = True

    def token(self, kind: str, start: int) -> Span:
        """Make one token of all from start to here."""
        span = _span(Span, (start, self.pos))
        if self.pos > start:
            self.tokens.append(_token(Token, (kind, span)))
        return span

    def mark(self, kind: str = "punctuation") -> Span:
        """Make a token of the next character, and go past it."""
        start = self.pos
        self.pos = start + 1
        span = _span(Span, (start, start + 1))
        self.tokens.append(_token(Token, (kind, span)))
        return span

    def problem(
        self, message: str, span: Span, *codes: str, rule: str = RULE, severity: Severity = "error"
    ) -> None:
        """Note a problem; codes are keys of `WORDS`, or words of their own."""
        expected = tuple(WORDS.get(code, code) for code in codes)
        self.note(Problem(message, span, None, expected, rule, severity))

    def note(self, problem: Problem) -> None:
        """Note a problem; EnoughError where there have been too many."""
        self.problems.append(problem)
        if len(self.problems) == ENOUGH:
            raise EnoughError

    def quoted(self, span: Span) -> str:
        """The characters of a span in quotes for a message, cut where they are many."""
        piece = self.text[span.start : span.end]
        return f"'{piece}'" if len(piece) <= 40 else f"'{piece[:37]}...'"

    def run(self, stops: str) -> str:
        """Go past characters up to white space or one of stops; those characters."""
        pattern = _RUNS.get(stops)
        if pattern is None:
            pattern = _RUNS[stops] = re.compile(rf"[^{re.escape(stops)}\s]*")
        found: re.Match[str] = pattern.match(self.text, self.pos)  # type: ignore[assignment]
        self.pos = found.end()
        return found[0]

    def words(self, stops: str) -> str:
        """Go past characters up to one of stops, but not past the white space before it."""
        pattern = _RUNS.get("words" + stops)
        if pattern is None:
            pattern = _RUNS["words" + stops] = re.compile(rf"[^{re.escape(stops)}]*")
        piece: re.Match[str] = pattern.match(self.text, self.pos)  # type: ignore[assignment]
        found = piece[0].rstrip()
        self.pos += len(found)
        return found

    def skip(self, stops: str) -> Span:
        """Go past characters that mean nothing here, at least one, and colour them as wrong."""
        start = self.pos
        self.words(stops)
        self.pos = max(self.pos, start + 1)
        return self.token("error", start)

    def stray(self, signs: str) -> None:
        """Note the closing brackets or braces here, which nothing opened."""
        start = self.pos
        while self.pos < self.end and self.text[self.pos] in signs:
            self.pos += 1
        span = self.token("error", start)
        opening = "[" if self.text[start] == "]" else "{"
        self.problem(f"{self.quoted(span)} closes nothing; no '{opening}' is open", span)

    # Quoted strings

    def string(self, kind: str) -> str:
        """string : '"' (CHAR | ESCAPE)* '"' | "'" CHAR* "'"; the next character is the quote."""
        start = self.pos
        quote = self.text[start]
        close = _closing(self.text, start)
        if close < 0:
            # It goes up to the next character that could end it all.
            self.problem(f"the quotation mark {quote} is not closed", Span(start, start + 1), quote)
            self.pos += 1
            self.words(",;/]}{[=:")
            self.need(quote)
            self.token(kind, start)
            return self.text[start + 1 : self.pos].rstrip()
        self.pos = close + 1
        self.token(kind, start)
        piece = self.text[start + 1 : close]
        if piece.isprintable() and "\\" not in piece:
            return piece
        return self._decoded(start + 1, close, escapes=quote == '"')

    def _decoded(self, start: int, end: int, *, escapes: bool) -> str:
        """The characters between two quotes, escapes resolved as JSON does."""
        out: list[str] = []
        at = start
        while at < end:
            char = self.text[at]
            if char == "\\" and escapes:
                step, char = self._escape(at, end)
                at += step
            else:
                if char < " ":
                    code = f"\\u{ord(char):04x}"
                    message = f"a control character in quotes is written as {code}"
                    self.problem(message, Span(at, at + 1), code)
                at += 1
            out.append(char)
        return "".join(out)

    def _escape(self, at: int, end: int) -> tuple[int, str]:
        """One escape that starts there: how long it is, and what it stands for."""
        char = self.text[at + 1]
        if char in _ESCAPES:
            return 2, _ESCAPES[char]
        code = self._unicode(at, end)
        if code is None:
            span = Span(at, at + 2)
            self.problem(f"{self.quoted(span)} is not an escape", span, '\\"', "\\\\", "\\n", "\\u")
            return 2, char
        if 0xD800 <= code < 0xDC00:
            low = self._unicode(at + 6, end)
            if low is not None and 0xDC00 <= low < 0xE000:
                return 12, chr(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00))
        if 0xD800 <= code < 0xE000:
            span = Span(at, at + 6)
            self.problem(f"{self.quoted(span)} is half of a character", span)
            return 6, "\N{REPLACEMENT CHARACTER}"
        return 6, chr(code)

    def _unicode(self, at: int, end: int) -> int | None:
        """The number of the escape ``\\uXXXX`` that starts there, if one does."""
        found = _UNICODE.match(self.text, at, end)
        return int(found[1], 16) if found else None

    # Braces

    def closes(self, brace: int) -> bool:
        """Whether the brace that opens there is closed anywhere; no brace, -1, always is."""
        if brace < 0:
            return True
        if self._closed is None:
            self._closed = self._matched()
        return brace in self._closed

    def _matched(self) -> set[int]:
        """The places of the opening braces that have a closing one."""
        stack: list[int] = []
        out: set[int] = set()
        end = 0
        unclosed = ""  # the quotation marks that close nowhere from here on
        for found in _BRACES.finditer(self.text):
            at, char = found.start(), found[0]
            if at < end:  # within a string
                continue
            if char == "{":
                stack.append(at)
            elif char == "}":
                if stack:
                    out.add(stack.pop())
            elif char not in unclosed:
                close = _closing(self.text, at)
                end = max(at, close) + 1
                if close < 0:
                    unclosed += char
        return out


def _closing(text: str, start: int) -> int:
    """The place of the quotation mark that closes the string which starts there, or -1."""
    quote = text[start]
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
