"""What stands in the braces of a shape: labels, keys, and JSON values (RFC 46)."""

import re
from typing import Any

from fluxtui.notation.problem import Span, Token, is_digits
from fluxtui.notation.shape.reader import Reader, make
from fluxtui.notation.shape.tree import Item

# Where a bare key or label ends, beside white space.
WORD = ":,{}[]/;=\"'"

# Where a bare value ends; in braces that never close it ends sooner.
_VALUE = ",{}[]"
_NARROW = ",{}[]/;"
_ELEMENT = ",{}[]\"'"

# What most keys and values are: words that no rule of JSON or of a shape reads otherwise.
_PLAIN = re.compile(r"([A-Za-z_][A-Za-z0-9_.-]*):([A-Za-z_][A-Za-z0-9_.-]*)(?=[,}])")

_NUMBER = r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?"

CONSTANTS = {"true": True, "false": False, "null": None}
MISSING = object()

# int() refuses longer decimal texts.
_MAX_DIGITS = 1000


class ValueReader(Reader):
    """Reads braces and the values in them; goes on after each problem."""

    __slots__ = ()

    def braces(self, depth: int) -> tuple[Item, ...]:
        """dict : '{' (item (',' item)*)? '}'"""
        brace = self.mark()
        if not self.entered(brace, depth):
            return ()
        char = self.space()
        if char == "}":
            self.mark()
            return ()
        if not char:
            self.want("key", "}")
        return self.items(brace, depth)

    def items(self, brace: Span, depth: int) -> tuple[Item, ...]:
        """item (',' item)* '}'; goes past the closing brace."""
        out: list[Item] = []
        comma: Span | None = None
        opening = brace[0]
        while True:
            char = self.space()
            if not char or (char in "/;]" and not self.closes(opening)):
                self.want("key")
                break
            if char in ",}":
                where = comma if char == "}" and comma else Span(self.pos, self.pos + 1)
                side = "after" if where == comma else "before"
                self.problem(f"a key is missing {side} ','", where, "key")
                if self.mark() and char == "}":
                    return tuple(out)
                comma = self.tokens[-1].span
                continue
            plain = _PLAIN.match(self.text, self.pos)
            if plain and plain[2] not in CONSTANTS:
                out.append(self.plain_item(plain))
            elif (item := self.item(opening, depth)) is not None:
                out.append(item)
            char = self.text[self.pos : self.pos + 1]
            comma = None if char == "}" else self.separator(opening)
            if comma is None:
                if char == "}" or self.text[self.pos : self.pos + 1] == "}":
                    self.mark()
                    return tuple(out)
                break
        self.unclosed_brace(brace)
        return tuple(out)

    def unclosed_brace(self, brace: Span) -> None:
        """The braces end without their closing one."""
        self.need()
        self.problem("the brace '{' is not closed", brace, "}")

    def separator(self, brace: int) -> Span | None:
        """The comma after an item; None where the braces end, closed or not."""
        while True:
            char = self.space()
            if char == ",":
                return self.mark()
            if not char:
                self.want(",", "}")
            if not char or char == "}" or (char in "/;]" and not self.closes(brace)):
                return None
            span = self.skip(",{}" if self.closes(brace) else _NARROW)
            shown = self.shown(span)
            if char in "/;=[]:" or char in "\"'":
                self.problem(f"{shown} needs quotes, or a comma before it", span, ",", "}")
            else:
                self.problem(f"{shown} does not belong here", span, ",", "}")

    def plain_item(self, found: re.Match[str]) -> Item:
        """key ':' word , in letters that mean nothing else; `item` reads the others."""
        key, value = found.groups()
        start, colon = found.span(1)
        key_span, value_span = make(Span, (start, colon)), make(Span, found.span(2))
        self.tokens.append(make(Token, ("key", key_span)))
        self.tokens.append(make(Token, ("punctuation", make(Span, (colon, colon + 1)))))
        self.tokens.append(make(Token, ("string", value_span)))
        self.pos = end = value_span[1]
        key = "exclusive" if key == "x" else key
        return make(Item, (key, value, make(Span, (start, end)), key_span, value_span))

    def item(self, brace: int, depth: int) -> Item | None:
        """item : key ':' VALUE | ('+' | '-')? key"""
        start = self.pos
        sign = self.text[start]
        sign_span = self.mark("operator") if sign in "+-" else None
        if sign_span:
            self.space()
        key_start = self.pos
        key = self.key(sign_span)
        end = self.pos
        key_span = make(Span, (key_start, end))
        char = self.space()
        if char == ":":
            colon = self.mark()
            if sign_span:
                message = f"a key with a sign takes no value; {sign} already gives one"
                self.problem(message, colon, ",", "}")
        elif char and char in "{[" and key is not None:
            message = f"':' is missing between a key and its value at '{char}'"
            self.problem(message, Span(self.pos, self.pos + 1), ":")
        else:
            if not sign_span and key is not None:
                self.want(":")
            self.pos = end
            if key is None:
                return None
            return make(Item, (key, sign != "-", make(Span, (start, end)), key_span, None))
        if char == ":":
            self.space()
        value_start = self.pos
        value = self.value(brace, depth)
        if value is MISSING:
            self.need("value")
            self.problem("a value is missing after ':'", colon, "value")
            return None
        if key is None:
            return None
        span, value_span = make(Span, (start, self.pos)), make(Span, (value_start, self.pos))
        return make(Item, (key, value, span, key_span, value_span))

    def key(self, sign: Span | None) -> str | None:
        """key : 'x' | STRING; None where there is none."""
        start = self.pos
        char = self.text[start : start + 1]
        if char and char in "\"'":
            return self.string("key")
        word = self.run(WORD)
        if not word:
            self.need("key")
            if char == ":":
                self.problem("a key is missing before ':'", Span(start, start + 1), "key")
            elif sign:
                self.problem(f"a key is missing after {self.shown(sign)}", sign, "key")
            elif char:
                span = self.mark("error")
                self.problem(f"{self.shown(span)} is not a key", span, "key")
            return None
        span = self.token("key", start)
        if sign and word[0] in "+-":
            self.problem(f"{self.shown(span)} has a second sign", span, "key")
            word = word.lstrip("+-") or word
        return "exclusive" if word == "x" else word

    def value(self, brace: int, depth: int) -> Any:
        """VALUE : STRING | NUMBER | 'true' | 'false' | 'null' | dict | array"""
        start = self.pos
        char = self.text[start : start + 1]
        if char == "{":
            return {item.key: item.value for item in self.braces(depth + 1)}
        if char == "[":
            return self.array(depth + 1)
        if char and char in "\"'":
            return self.string("string")
        word = self.words(_VALUE if self.closes(brace) else _NARROW)
        return self.bare(word, start) if word else MISSING

    def bare(self, word: str, start: int) -> Any:
        """A word without quotes: a constant, a number, or else a string."""
        if word in CONSTANTS:
            self.token("constant", start)
            return CONSTANTS[word]
        if word[0] in "123456789" and is_digits(word) and len(word) < 20:
            self.token("number", start)
            return int(word)
        number = re.fullmatch(_NUMBER, word) if word[0] in "-0123456789" else None
        if number is None:
            self.token("string", start)
            return word
        span = self.token("number", start)
        if number.group(1) is None and number.group(2) is None:
            if len(word) <= _MAX_DIGITS:
                return int(word)
        elif abs(value := float(word)) != float("inf"):
            return value
        self.problem(f"the number {self.shown(span)} is too large", span, "a string in quotes")
        return word

    def array(self, depth: int) -> list[Any]:
        """array : '[' (element (',' element)*)? ']'"""
        opening = self.mark()
        out: list[Any] = []
        if not self.entered(opening, depth):
            return out
        comma: Span | None = None
        while True:
            char = self.space()
            if not char or char in "}/;":
                self.need(*(("value",) if comma else () if out else ("value", "]array")))
                self.problem("the bracket '[' is not closed", opening, "]array")
                return out
            if char in ",]":
                span = self.mark()
                if comma or char == ",":
                    side, where = ("after", comma) if char == "]" else ("before", span)
                    self.problem(f"a value is missing {side} ','", where or span, "value")
                if char == "]":
                    return out
                comma = span
                continue
            out.append(self.element(depth))
            comma = self.after_element()
            if comma is None and self.text[self.pos : self.pos + 1] == "]":
                self.mark()
                return out

    def after_element(self) -> Span | None:
        """The comma after an element; None where the array ends."""
        while True:
            char = self.space()
            self.want(",value", "]array")
            if char == ",":
                return self.mark()
            if not char or char in "]}/;":
                return None
            span = self.skip(_ELEMENT)
            self.problem(f"{self.shown(span)} does not belong here", span, ",value", "]array")

    def element(self, depth: int) -> Any:
        """element : VALUE, but strings stand in quotes, as in JSON"""
        start = self.pos
        char = self.text[start]
        if char in "\"'{[":
            return self.value(-1, depth)
        value = self.bare(self.run(_ELEMENT) or char, start)
        if isinstance(value, str):
            span = Span(start, self.pos)
            word = self.text[start : self.pos]
            message = f"a string in an array stands in quotes; found {self.shown(span)}"
            self.problem(message, span, f'"{word}"')
        return value
