"""The characters of a shape: white space, bare words, quoted strings, and what went wrong.

    string  : '"' (CHAR | ESCAPE)* '"' | "'" CHAR* "'"

Double quotes take the escapes of JSON, single quotes none.
"""

from fluxtui.notation.shape_tree import RULE
from fluxtui.notation.source import Problem, Severity, Span, Token

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


class Reader:
    """A place in a text, the tokens before it, and the problems so far."""

    __slots__ = ("cut", "end", "pos", "problems", "text", "tokens", "wanted")

    def __init__(self, text: str) -> None:
        self.text = text
        self.end = len(text)
        self.pos = 0
        self.tokens: list[Token] = []
        self.problems: list[Problem] = []
        self.wanted: list[str] = []
        self.cut = False  # the text ends inside a part that is not finished

    def space(self) -> str:
        """Go past white space; the character there, or "" at the end of the text."""
        text, pos, end = self.text, self.pos, self.end
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
        span = Span(start, self.pos)
        if self.pos > start:
            self.tokens.append(Token(kind, span))
        return span

    def mark(self, kind: str = "punctuation") -> Span:
        """The next character is a token of its own; go past it."""
        span = Span(self.pos, self.pos + 1)
        self.tokens.append(Token(kind, span))
        self.pos += 1
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
        self.problems.append(Problem(message, span, None, expected, rule, severity))

    def shown(self, span: Span) -> str:
        """The characters there in quotes, cut where they are many."""
        piece = self.text[span.start : span.end]
        return f"'{piece}'" if len(piece) <= 40 else f"'{piece[:37]}...'"

    def run(self, stops: str) -> str:
        """Go past characters up to white space or one of stops; those characters."""
        text, start, pos, end = self.text, self.pos, self.pos, self.end
        while pos < end and text[pos] not in stops and not text[pos].isspace():
            pos += 1
        self.pos = pos
        return text[start:pos]

    def words(self, stops: str) -> str:
        """Go past characters up to one of stops, but not past the white space before it."""
        text, start, pos, end = self.text, self.pos, self.pos, self.end
        while pos < end and text[pos] not in stops:
            pos += 1
        found = text[start:pos].rstrip()
        self.pos = start + len(found)
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
            from fluxtui.notation import shape_strings  # wanted for a few texts only

            return shape_strings.read(self, kind)
        self.pos = close + 1
        self.token(kind, start)
        return piece
