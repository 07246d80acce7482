"""What stands behind a type: its count and its braces (RFC 46)."""

from __future__ import annotations

import re
from typing import Any

from fluxtui.notation import count as counts
from fluxtui.notation.problem import Problem, Span, Token, is_digits
from fluxtui.notation.shape.reader import make
from fluxtui.notation.shape.tree import MAX_DEPTH, Draft
from fluxtui.notation.shape.values import WORD, ValueReader

# Where a count ends, beside white space.
_COUNT = "={}[]/;\"'"

# A bare type, and a count that is one number; other counts take longer to read.
_HEAD = re.compile(r"""([^={}\[\]/;,"'\s]+)(?:=([1-9][0-9]{0,17})(?=[{/;\]]))?""")

# The braces of most slots: a label of letters that mean nothing else, alone.
_LABEL = re.compile(r"\{([A-Za-z_][A-Za-z0-9_.-]*)\}")


class PartReader(ValueReader):
    """Reads types, counts, and the braces of slots and of other vertices."""

    __slots__ = ()

    def head(self) -> tuple[Draft, str]:
        """type ('=' INTEGER)? : a vertex, and the sign of its count where that was read too."""
        found = _HEAD.match(self.text, self.pos)
        if not found:
            return Draft(*self.type()), ""
        name, digits = found.groups()
        start, end = found.span(1)
        v = Draft(name, make(Span, (start, end)))
        self.tokens.append(make(Token, ("slot" if name == "slot" else "type", v.type_span)))
        self.pos = end
        if not digits:
            return v, ""
        self.mark()
        v.count, v.count_text = int(digits), digits
        v.count_span = make(Span, found.span(2))
        self.tokens.append(make(Token, ("count", v.count_span)))
        self.pos = v.count_span[1]
        return v, "="

    def type(self) -> tuple[str, Span]:
        """type : STRING , in quotes or missing; `head` reads the others."""
        start = self.pos
        char = self.text[start]
        if char in "={":
            span = Span(start, start + 1)
            self.problem(f"a resource type is missing before '{char}'", span, "type")
            return "", Span(start, start)
        name = self.string("type")
        if not name:
            self.problem("a resource type is empty", Span(start, self.pos), "type")
        return name, Span(start, self.pos)

    def count(self, v: Draft) -> None:
        """count : '[' count-value ']' | count-value; here stands the '='."""
        equals = self.mark()
        char = self.space()
        start = self.pos
        bracket = self.mark() if char == "[" else None
        if bracket:
            self.space()
        inner = self.pos
        text = self.run(_COUNT)
        if not text:
            self.need("count")
            self.problem("a count is missing after '='", equals, "count")
        else:
            value: counts.Count | None
            problems: tuple[Problem, ...] = ()
            if is_digits(text) and text[0] != "0" and len(text) < 20:
                value = int(text)
            else:
                value, problems = counts.parse(text, inner)
            self.token("error" if problems else "count", inner)
            if problems:
                for problem in problems:
                    self.note(problem)
            if self.pos >= self.end:
                self._want_more(value, problems)
            v.count = value or 1
            v.count_span = make(Span, (start, self.pos))
            v.count_text = text
        if bracket:
            self._close_count(v, bracket, start)

    def _want_more(self, value: counts.Count | None, problems: tuple[Problem, ...]) -> None:
        """How a count may go on at the end of the text."""
        if problems:
            last = problems[-1]
            if last.expected and last.span and last.span.end == self.end:
                self.need(*last.expected)
        elif isinstance(value, int):
            self.want("or more", "to")
        elif isinstance(value, counts.Range) and value.operator == "+" and value.operand == 1:
            self.want(":step")

    def _close_count(self, v: Draft, bracket: Span, start: int) -> None:
        end = self.pos
        if self.space() != "]":
            self.need("]count")
            self.problem("the bracket '[' is not closed", bracket, "]count")
            self.pos = end
            return
        self.mark()
        if v.count_span:
            v.count_span = Span(start, self.pos)

    def plain_braces(self, v: Draft, depth: int) -> None:
        """dict : '{' (item (',' item)*)? '}'"""
        v.keys += self.braces(depth + 1)

    def slot_braces(self, v: Draft, depth: int) -> None:
        """'{' label (',' item)* '}'"""
        plain = _LABEL.match(self.text, self.pos)
        if plain and plain[1] != "x" and depth < MAX_DEPTH:
            self.mark()
            v.label, v.label_span = plain[1], make(Span, plain.span(1))
            self.tokens.append(make(Token, ("label", v.label_span)))
            self.pos = v.label_span[1]
            self.mark()
            return
        brace = self.mark()
        if not self.entered(brace, depth + 1):
            return
        opening = brace[0]
        char = self.space()
        if not char or (char in "/;]" and not self.closes(opening)):
            self.need("label")
            self.unclosed_brace(brace)
            return
        if char in ",}":
            message = "the braces of a slot start with its label"
            self.problem(message, Span(self.pos, self.pos + 1), "label")
        elif char in "+-":
            message = "the first entry of a slot is its label, and this is a key"
            self.problem(message, Span(self.pos, self.pos + 1), "label")
            v.keys += self.items(brace, depth + 1)
            return
        else:
            self.label(v, opening, depth)
        if self.separator(opening) is not None:
            v.keys += self.items(brace, depth + 1)
        elif self.text[self.pos : self.pos + 1] == "}":
            self.mark()
        else:
            self.unclosed_brace(brace)

    def label(self, v: Draft, brace: int, depth: int) -> None:
        """label : STRING"""
        start = self.pos
        label: Any = None
        if self.text[start] in "\"'":
            label = self.string("label")
        elif word := self.run(WORD):
            label = word
            span = self.token("label", start)
            if label == "x":
                message = "the first entry of a slot is its label, so 'x' is a label here"
                self.problem(message, span, severity="warning")
        span = make(Span, (start, self.pos))
        if label is None:
            span = self.mark("error")
            self.problem(f"{self.shown(span)} is not a label", span, "label")
            return
        if self.space() == ":":
            colon = self.mark()
            self.problem("a slot's label stands alone, as in {name}", colon, ",", "}")
            self.space()
            value = self.value(brace, depth)
            if label == "label" and isinstance(value, str):
                label = value
        v.label, v.label_span = label, span
