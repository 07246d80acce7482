"""Reads a range piece by piece, to say of each what is wrong with it (RFC 45)."""

from __future__ import annotations

from fluxtui.notation.count import MAX_DIGITS, RULE, WANTED, Count, Range, broken
from fluxtui.notation.problem import Parsed, Problem, Span, is_digits


def short(text: str) -> str:
    """A piece of text for a message, cut where it is long."""
    return text if len(text) <= 40 else f"{text[:37]}..."


class Reader:
    """Reads a number or range piece by piece, to name each problem under its own characters."""

    __slots__ = ("offset", "pos", "problems", "text")

    def __init__(self, text: str, offset: int) -> None:
        self.text = text
        self.offset = offset
        self.pos = 0
        self.problems: list[Problem] = []

    def problem(self, message: str, start: int, end: int, *expected: str, rule: str = RULE) -> None:
        """Note a problem at these characters of the text."""
        span = Span(self.offset + start, self.offset + end)
        self.problems.append(Problem(message, span, expected=expected, rule=rule))

    def read(self) -> Parsed[Count | None]:
        """range : MIN ('-' MAX | '+') (':' OPERAND (':' OPERATOR)?)?"""
        text = self.text
        if text[:1] == "[":
            self.problem("the bracket '[' is not closed", 0, 1, "']'")
            return Parsed(None, tuple(self.problems))
        if not text:
            self.problem("a count is missing", 0, 0, *WANTED)
            return Parsed(None, tuple(self.problems))
        if not is_digits(text[0]):
            what = f"'{short(text)}' is not a count"
            self.problem(what, 0, len(text), *WANTED)
            return Parsed(None, tuple(self.problems))
        spans = {"min": (0, 0), "max": (0, 0), "operand": (0, 0)}
        low = self.number("count", spans, "min")
        value: Count | None = low
        if low is not None and self.pos < len(text):
            value = self.range(low, spans)
        if text[self.pos :] == "]":
            self.problem("']' closes nothing; no '[' is open", self.pos, len(text))
        elif self.pos < len(text):
            self.problem(
                f"'{short(text[self.pos :])}' does not belong in a count",
                self.pos,
                len(text),
                *WANTED,
            )
        return Parsed(value, tuple(self.problems))

    def range(self, low: int, spans: dict[str, tuple[int, int]]) -> Count:
        """What follows MIN."""
        sign = self.text[self.pos]
        if sign not in "+-":
            return low
        self.pos += 1
        value = Range(low)
        if sign == "-":
            high = self.number("largest count", spans, "max")
            if high is None:
                return low
            value = value._replace(max=high)
        value = self.step(value, spans)
        wanted = {"max": f"{low} or more"}
        for name, message in zip(spans, broken(value), strict=True):
            if message:
                self.problem(message, *spans[name], wanted.get(name, "2 or more"), rule="RFC 14")
        return value

    def step(self, value: Range, spans: dict[str, tuple[int, int]]) -> Range:
        """step : ':' OPERAND (':' OPERATOR)?"""
        text = self.text
        if text[self.pos : self.pos + 1] != ":":
            return value
        self.pos += 1
        operand = self.number("operand", spans, "operand")
        if operand is None:
            return value
        value = value._replace(operand=operand)
        if text[self.pos : self.pos + 1] != ":":
            return value
        sign = text[self.pos + 1 : self.pos + 2]
        if sign and sign in "+*^":
            self.pos += 2
            return value._replace(operator=sign)
        what = (
            f"'{short(text[self.pos + 1 :])}' is not an operator"
            if sign
            else "the operator is missing after ':'"
        )
        self.problem(what, self.pos + 1 if sign else self.pos, len(text), "+", "*", "^")
        self.pos = len(text)
        return value

    def number(self, name: str, spans: dict[str, tuple[int, int]], key: str) -> int | None:
        """A positive decimal number without leading zeroes."""
        start = self.pos
        while self.pos < len(self.text) and self.text[self.pos] in "0123456789":
            self.pos += 1
        spans[key] = (start, self.pos)
        digits = self.text[start : self.pos]
        article = "an" if name[0] in "aeiou" else "a"
        if not digits:
            end = len(self.text)
            before = self.text[start - 1]
            what = (
                f"'{short(self.text[start:])}' is not a number"
                if start < end
                else f"the {name} is missing after '{before}'"
            )
            self.problem(what, start if start < end else start - 1, end, f"{article} {name}")
            self.pos = end
            return None
        if len(digits) > MAX_DIGITS:
            self.problem(f"a number of {len(digits)} digits is too large", start, self.pos)
            return None
        number = int(digits)
        if number == 0:
            what = f"0 is not {article} {name}; it is 1 or more"
            self.problem(what, start, self.pos, "1 or more", rule="RFC 14")
            return None
        if digits[0] == "0":
            self.problem(f"'{digits}' has leading zeroes", start, self.pos, str(number))
        return number
