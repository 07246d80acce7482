"""Lexing of shapes: white space, words, quoted strings, and their tokens (RFC 46).

    string  : '"' (CHAR | ESCAPE)* '"' | "'" CHAR* "'"

Double quotes allow the escapes of JSON (RFC 8259), single quotes none.
"""

import functools
import json
import re

from fluxtui.notation.problem import ENOUGH, Problem, Severity, Span, Token, shortened
from fluxtui.notation.shape.tree import RULE

#: The description in problems of what may come next, by a short code.
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
    "to": "- and a maximum",
    ":step": ": and a step",
    "]count": "] to close the count",
    "label": "a label",
    "key": "a key",
    "value": "a value",
    '"': 'a closing "',
    "'": "a closing '",
}

# The special contents of a string, in single and in double quotes.
_SPECIAL = {
    "'": re.compile(r"[\x00-\x1f]"),
    '"': re.compile(
        r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
        r"|\\u[0-9a-fA-F]{4}|\\.|[\x00-\x1f]",
        re.DOTALL,
    ),
}

_STRING = re.compile(r"""'[^']*+'|"[^"\\]*+(?:\\.[^"\\]*+)*+\"""", re.DOTALL)

# Braces, and the quotes that can begin a string: within a word an apostrophe is an ordinary letter.
_BRACES = re.compile(r"""[{}"]|(?<![^{,:;\[/=\s])'""")


@functools.cache
def _but(stops: str) -> re.Pattern[str]:
    return re.compile(rf"[^{stops}]*")


class EnoughError(Exception):
    """The text has too many problems to be read any further."""


class Lexer:
    """A position in a text, the tokens and problems so far, and what may come next."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.end = len(text)
        self.pos = 0
        self.tokens: list[Token] = []
        self.problems: list[Problem] = []
        self.wanted: list[str] = []  # what may come next, as codes of `WORDS`
        self.cut = False  # whether the text ends inside an unfinished part

    def space(self) -> str:
        """Skip white space; return the next character, or "" at the end of the text."""
        text, pos, end = self.text, self.pos, self.end
        if pos < end and " " < (char := text[pos]) < "\x7f":
            return char
        while pos < end and text[pos].isspace():
            pos += 1
        self.pos = pos
        return text[pos] if pos < end else ""

    def sign(self) -> Span:
        """The span of the next character."""
        return Span(self.pos, self.pos + 1)

    def want(self, *codes: str) -> None:
        """Record what may come next, if the text ends here."""
        if self.pos >= self.end and not self.cut:
            self.wanted.extend(codes)

    def need(self, *codes: str) -> None:
        """Record what must come next, if the text ends here; nothing of an outer part can."""
        self.want(*codes)
        if self.pos >= self.end:
            self.cut = True

    def token(self, kind: str, start: int) -> Span:
        """Add one token from start to the current position; return its span."""
        span = Span(start, self.pos)
        if self.pos > start:
            self.tokens.append(Token(kind, span))
        return span

    def mark(self, kind: str = "punctuation") -> Span:
        """Consume the next character as a token; return its span."""
        self.pos += 1
        return self.token(kind, self.pos - 1)

    def problem(self, message: str, span: Span, *codes: str, severity: Severity = "error") -> None:
        """Add a problem; codes are keys of `WORDS`, or descriptions themselves."""
        expected = tuple(WORDS.get(code, code) for code in codes)
        self.note(Problem(message, span, None, expected, RULE, severity))

    def note(self, problem: Problem) -> None:
        """Add a problem; EnoughError if there are too many."""
        self.problems.append(problem)
        if len(self.problems) == ENOUGH:
            raise EnoughError

    def quoted(self, span: Span) -> str:
        """The text of a span in quotes for a message, shortened if it is long."""
        return f"'{shortened(self.text[span.start : span.end])}'"

    def run(self, stops: str) -> str:
        """Consume and return the text up to white space or one of the characters in stops."""
        found = _but(rf"{re.escape(stops)}\s").match(self.text, self.pos)[0]  # type: ignore[index]
        self.pos += len(found)
        return found

    def words(self, stops: str) -> str:
        """Consume and return the text up to one of stops, without white space at its end."""
        found = _but(re.escape(stops)).match(self.text, self.pos)[0]  # type: ignore[index]
        self.pos += len(found.rstrip())
        return found.rstrip()

    def skip(self, stops: str) -> Span:
        """Consume characters that make no sense here, at least one, as an error token."""
        start = self.pos
        self.words(stops)
        self.pos = max(self.pos, start + 1)
        return self.token("error", start)

    def stray(self, signs: str) -> None:
        """Consume and report closing brackets or braces here, which nothing opened."""
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
        whole = _STRING.match(self.text, start)
        if whole is None:
            # The string ends before the next character that could end the value.
            self.problem(f"the quotation mark {quote} is not closed", Span(start, start + 1), quote)
            self.pos += 1
            self.words(",;/]}{[=:")
            self.need(quote)
            self.token(kind, start)
            return self.text[start + 1 : self.pos].rstrip()
        self.pos = whole.end()
        self.token(kind, start)
        piece = whole[0][1:-1]
        if piece.isprintable() and "\\" not in piece:
            return piece
        first = start + 1
        return _SPECIAL[quote].sub(lambda at: self._decoded(at[0], first + at.start()), piece)

    def _decoded(self, piece: str, at: int) -> str:
        span = Span(at, at + len(piece))
        if piece[0] != "\\":
            code = f"\\u{ord(piece):04x}"
            self.problem(f"a control character in quotes is written as {code}", span, code)
            return piece
        try:
            char = str(json.loads(f'"{piece}"'))
        except ValueError:
            self.problem(f"{self.quoted(span)} is not an escape", span, '\\"', "\\\\", "\\n", "\\u")
            return piece[1:]
        if "\ud800" <= char <= "\udfff":
            self.problem(f"{self.quoted(span)} is half of a character", span)
            return "\N{REPLACEMENT CHARACTER}"
        return char

    # Braces

    def closes(self, brace: int) -> bool:
        """Whether the brace that opens at this index is closed; always for -1, no brace."""
        return brace < 0 or brace in self._closed

    @functools.cached_property
    def _closed(self) -> set[int]:
        """The indices of the opening braces that have a closing one."""
        stack: list[int] = []
        out: set[int] = set()
        end = 0
        unclosed = ""  # the kinds of quotation marks that are not closed from here on
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
                whole = _STRING.match(self.text, at)
                end = whole.end() if whole else at + 1
                unclosed += "" if whole else char
        return out
