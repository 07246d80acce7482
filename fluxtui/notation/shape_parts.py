"""What stands behind a type: its count and its braces (RFC 46)."""

from __future__ import annotations

from typing import Any

from fluxtui.notation import count as counts
from fluxtui.notation.shape_tree import Vertex
from fluxtui.notation.shape_values import WORD, ValueReader
from fluxtui.notation.source import Problem, Span

# Where a count ends, beside white space.
_COUNT = "={}[]/;\"'"


class PartReader(ValueReader):
    """Reads counts, and the braces of slots and of other vertices."""

    __slots__ = ()

    def count(self, v: Vertex) -> Vertex:
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
            value, problems = counts.parse(text, inner)
            self.problems.extend(problems)
            self.token("error" if problems else "count", inner)
            self._want_more(value, problems)
            span = Span(start, self.pos)
            v = v._replace(count=value or 1, count_span=span, count_text=text)
        return self._close_count(v, bracket, start) if bracket else v

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

    def _close_count(self, v: Vertex, bracket: Span, start: int) -> Vertex:
        end = self.pos
        if self.space() != "]":
            self.need("]count")
            self.problem("the bracket '[' is not closed", bracket, "]count")
            self.pos = end
            return v
        self.mark()
        return v._replace(count_span=Span(start, self.pos)) if v.count_span else v

    def plain_braces(self, v: Vertex, depth: int) -> Vertex:
        """dict : '{' (item (',' item)*)? '}'"""
        self.space()
        return v._replace(keys=v.keys + self.braces(depth + 1))

    def slot_braces(self, v: Vertex, depth: int) -> Vertex:
        """'{' label (',' item)* '}'"""
        brace = self.mark()
        if not self.entered(brace, depth + 1):
            return v
        closed = self.closes(brace.start)
        char = self.space()
        self.need("label")
        if not char or (not closed and char in "/;]"):
            self.unclosed_brace(brace)
            return v
        if char in ",}":
            message = "the braces of a slot start with its label"
            self.problem(message, Span(self.pos, self.pos + 1), "label")
        elif char in "+-":
            message = "the first entry of a slot is its label, and this is a key"
            self.problem(message, Span(self.pos, self.pos + 1), "label")
            return v._replace(keys=v.keys + self.items(brace, depth + 1))
        else:
            v = self.label(v, closed, depth)
        if self.separator(closed) is not None:
            return v._replace(keys=v.keys + self.items(brace, depth + 1))
        if self.text[self.pos : self.pos + 1] == "}":
            self.mark()
        else:
            self.unclosed_brace(brace)
        return v

    def label(self, v: Vertex, closed: bool, depth: int) -> Vertex:
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
        span = Span(start, self.pos)
        if label is None:
            span = self.mark("error")
            self.problem(f"{self.shown(span)} is not a label", span, "label")
            return v
        if self.space() == ":":
            colon = self.mark()
            self.problem("a slot's label stands alone, as in {name}", colon, ",", "}")
            self.space()
            value = self.value(closed, depth)
            if label == "label" and isinstance(value, str):
                label = value
        return v._replace(label=label, label_span=span)
