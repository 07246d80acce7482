"""The characters of a shape: white space, bare words, quoted strings, and what went wrong.

    string  : '"' (CHAR | ESCAPE)* '"' | "'" CHAR* "'"

Double quotes take the escapes of JSON, single quotes none.
"""

import re

from fluxtui.notation.problem import ENOUGH, Problem, Severity, Span, Token
from fluxtui.notation.shape.tree import MAX_DEPTH, RULE

# What may come next, by a short code, in the words of `Shape.expected`.
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


# Named tuples are made by their own constructor where there are few, and by that of all tuples
# where there are many: it takes half the time.
make = tuple.__new__

_RUNS: dict[str, re.Pattern[str]] = {}


# Braces, and where strings may begin: within a word an apostrophe is a letter as any other.
_BRACES = re.compile(r"""[{}"]|(?<![^{,:;\[/=\s])'""")


class EnoughError(Exception):
    """The text has so many problems that no one wants to know more of it."""


class Reader:
    """A place in a text, the tokens before it, and the problems so far."""

    __slots__ = ("_closed", "cut", "end", "pos", "problems", "text", "tokens", "wanted")

    def __init__(self, text: str) -> None:
        self.text = text
        self.end = len(text)
        self.pos = 0
        self._closed: set[int] | None = None
        self.tokens: list[Token] = []
        self.problems: list[Problem] = []
        self.wanted: list[str] = []
        self.cut = False  # the text ends inside a part that is not finished

    def space(self) -> str:
        """Go past white space; the character there, or "" at the end of the text."""
        text, pos, end = self.text, self.pos, self.end
        if pos < end and " " < (char := text[pos]) < "\x7f":
            return char
        while pos < end and text[pos].isspace():
            pos += 1
        self.pos = pos
        return text[pos] if pos < end else ""

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
        """All from start to here is one token."""
        span = make(Span, (start, self.pos))
        if self.pos > start:
            self.tokens.append(make(Token, (kind, span)))
        return span

    def mark(self, kind: str = "punctuation") -> Span:
        """The next character is a token of its own; go past it."""
        start = self.pos
        self.pos = end = start + 1
        span = make(Span, (start, end))
        self.tokens.append(make(Token, (kind, span)))
        return span

    def problem(
        self,
        message: str,
        span: Span,
        *codes: str,
        rule: str = RULE,
        severity: Severity = "error",
    ) -> None:
        """Note a problem; codes are keys of ``WORDS``, or words of their own."""
        expected = tuple(WORDS.get(code, code) for code in codes)
        self.note(Problem(message, span, None, expected, rule, severity))

    def note(self, problem: Problem) -> None:
        """Note a problem; EnoughError where there have been too many."""
        self.problems.append(problem)
        if len(self.problems) == ENOUGH:
            raise EnoughError

    def shown(self, span: Span) -> str:
        """The characters there in quotes, cut where they are many."""
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

    def string(self, kind: str) -> str:
        """string : '"' (CHAR | ESCAPE)* '"' | "'" CHAR* "'"; here stands a quotation mark."""
        start = self.pos
        close = self.text.find(self.text[start], start + 1)
        piece = self.text[start + 1 : close]
        if close < 0 or "\\" in piece or not piece.isprintable():
            from fluxtui.notation.shape import strings  # wanted for a few texts only

            return strings.read(self, kind)
        self.pos = close + 1
        self.token(kind, start)
        return piece

    def closes(self, brace: int) -> bool:
        """Whether the brace that opens there is closed anywhere; no brace, -1, always is."""
        if brace < 0:
            return True
        if self._closed is None:
            self._closed = self._matched()
        return brace in self._closed

    def _matched(self) -> set[int]:
        """Where the opening braces stand that have a closing one."""
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
                from fluxtui.notation.shape.strings import closing

                close = closing(self.text, at, char)
                end = max(at, close) + 1
                if close < 0:
                    unclosed += char
        return out

    def entered(self, opening: Span, depth: int) -> bool:
        """Whether there is room for one more level; if not, all of it is skipped."""
        if depth <= MAX_DEPTH:
            return True
        self.problem(f"more than {MAX_DEPTH} levels are nested here", opening)
        self.leave(opening)
        return False

    def leave(self, opening: Span) -> None:
        """Go past what opens there, up to its end or the end of the text."""
        level, start = 1, self.pos
        for found in re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]').finditer(self.text, self.pos):
            if found.group() in ("{", "["):
                level += 1
            elif found.group() in ("}", "]"):
                level -= 1
            self.pos = found.end()
            if not level:
                break
        else:
            self.pos = self.end
        self.token("error", start)
