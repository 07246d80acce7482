"""Recursive-descent parser of shapes, which continues after every problem (RFC 46).

resources : list
list      : '[' vertex (';' vertex)* ']' | vertex
vertex    : 'slot' ('=' count)? ('{' label (',' item)* '}')? '/' list
          | type ('=' count)? dict? ('/' list)?
count     : '[' COUNT ']' | COUNT
dict      : '{' (item (',' item)*)? '}'
item      : key ':' VALUE | ('+' | '-')? key
VALUE     : STRING | NUMBER | 'true' | 'false' | 'null' | dict | array
array     : '[' (element (',' element)*)? ']'
"""

import re
from typing import Any

from fluxtui.notation import count as counts
from fluxtui.notation.problem import ENOUGH, Problem, Span, capped, is_digits, unreadable
from fluxtui.notation.shape.lexer import EnoughError, Lexer
from fluxtui.notation.shape.tree import MAX_DEPTH, NOWHERE, RULE, Item, Shape, Vertex, check

# The characters that end a misplaced word.
_JUNK = ";,/=[]{}"

# The characters that end a count, and a bare key or label, apart from white space.
_COUNT = "={}[]/;\"'"
_COMMA = re.compile(r",(?=[A-Za-z])")
_WORD = ":,{}[]/;=\"'"

# The characters that end a bare value; in braces that are never closed there are more.
_VALUE = ",{}[]"
_NARROW = ",{}[]/;"
_ELEMENT = ",{}[]\"'"

_TYPE = re.compile(r"""[^={}\[\]/;,"'\s]+""")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_NESTED = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\];]')

_CONSTANTS = {"true": True, "false": False, "null": None}
_MISSING = object()

# int() may refuse longer decimal texts.
_MAX_DIGITS = 1000


def parse_shape(text: str) -> Shape:
    """Read a shape, which may be unfinished: its tree, tokens and problems (RFC 46); linear."""
    return Parser(text).read()


class Parser(Lexer):
    """Reads one text; call `read` once. A depth counts brackets, children and values together."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.open = 0  # how many list brackets are open

    def read(self) -> Shape:
        """resources : list"""
        if not self.text.strip():
            self.problem("the shape is empty", Span(0, self.end), "type", "[")
            self.wanted = ["type", "["]
            return self._shape(())
        refused = unreadable("shape", self.text, RULE)
        if refused is not None:
            self.problems.append(refused)
            return self._rest()
        try:
            return self._shape(self._members(0, None))
        except EnoughError:
            return self._rest()

    def _rest(self) -> Shape:
        """End without a tree; the text without tokens becomes an error token."""
        self.pos = self.tokens[-1].span.end if self.tokens else 0
        self.space()
        start, self.pos = self.pos, self.end
        self.token("error", start)
        if len(self.problems) == ENOUGH:
            message = f"more than {ENOUGH:,} problems; the shape is not read any further"
            self.problems.append(Problem(message, Span(start, self.end), rule=RULE))
        return self._shape(())

    def _shape(self, vertices: tuple[Vertex, ...]) -> Shape:
        problems = [*self.problems, *check(vertices)]
        problems.sort(key=lambda p: p.span or NOWHERE)
        return Shape(self.text, vertices, tuple(self.tokens), capped(problems))

    # Lists

    def _members(self, depth: int, opening: Span | None) -> tuple[Vertex, ...]:
        """vertex (';' vertex)* ']'; up to the end of the text if opening is None."""
        out: list[Vertex] = []
        need, several = True, False
        separator: Span | None = None
        while True:
            char = self.space()
            if not char:
                if need:
                    self.want("type", *(() if opening or separator else ("[",)))
                elif opening:
                    self.want(";", "]")
                break
            if char == "]" and opening:
                if need and separator:
                    shown = self.quoted(separator)
                    self.problem(f"a resource is missing after {shown}", separator, "type")
                elif need:
                    self.problem("a list holds at least one resource", self.sign(), "type")
                self.mark()
                return tuple(out)
            if char in "]}":
                self.stray("]}" if not self.open else "}")
            elif char in ";,":
                if need:
                    self.problem(f"a resource is missing before '{char}'", self.sign(), "type")
                separator = self.mark()
                if opening is None and not several and out and out[-1].children:
                    message = "several resources below '/' need brackets, as in slot/[core;gpu]"
                    self.problem(message, separator, "[ after '/'")
                elif opening is None and not several:
                    message = "several resources at the top need brackets, as in [node;core]"
                    self.problem(message, separator, "[ at the start")
                elif opening is not None and char == ",":
                    self.problem("resources are separated by ';', not ','", separator, ";")
                need, several = True, True
            elif not need and char == "/":
                self.problem("children follow one resource, not a list", self.sign())
                out.extend(self._list(depth, self.mark()))
            else:
                if not need:
                    where = self.sign()
                    self.problem(f"';' is missing before {self.quoted(where)}", where, ";")
                if char != "[":
                    out.extend(self._vertex(depth))
                else:
                    if opening or out:
                        self.problem("a list cannot directly contain a list", self.sign(), "type")
                    out.extend(self._brackets(depth))
                need = False
        if opening:
            self.need()
            self.problem("the bracket '[' is not closed", opening, "]")
        return tuple(out)

    def _list(self, depth: int, slash: Span) -> tuple[Vertex, ...]:
        """list : '[' vertex (';' vertex)* ']' | vertex; slash is before the current position."""
        char = self.space()
        if not char or char in ";],":
            self.need("type", "[")
            self.problem("a child is missing after '/'", slash, "type", "[")
            return ()
        if char == "[":
            return self._brackets(depth)
        return self._vertex(depth) if self._entered(slash, depth) else ()

    def _brackets(self, depth: int) -> tuple[Vertex, ...]:
        """'[' vertex (';' vertex)* ']'"""
        opening = self.mark()
        if not self._entered(opening, depth):
            return ()
        self.open += 1
        out = self._members(depth + 1, opening)
        self.open -= 1
        return out

    def _entered(self, opening: Span, depth: int) -> bool:
        """Whether one more level is allowed; if not, report it and skip the level."""
        if depth <= MAX_DEPTH:
            return True
        self.problem(f"more than {MAX_DEPTH} levels are nested here", opening)
        # Skip to the end of the bracket that opened, or, after a slash, to the end of the vertex.
        start = self.pos
        is_slash = self.text[opening.start] == "/"
        level = 0 if is_slash else 1
        for found in _NESTED.finditer(self.text, start):
            char = found[0]
            if is_slash and level == 0 and char in ("]", ";"):
                self.pos = found.start()
                break
            level += (char in ("{", "[")) - (char in ("}", "]"))
            if not is_slash and level == 0:
                self.pos = found.end()
                break
        else:
            self.pos = self.end
        self.token("error", start)
        return False

    # A vertex

    def _vertex(self, depth: int) -> tuple[Vertex, ...]:
        """vertex : type ('=' count)? dict? ('/' list)?; returned in a tuple, which may be empty.

        There must be no white space at the current position. The parts may come in any order, with
        a problem for each that is out of place. If there are only children, these are returned.
        """
        char = self.text[self.pos]
        if char in "/}":
            char = self._missing_type()
        if not char or char in ";],[":
            return ()
        start = self.pos
        name, type_span = self._type()
        count: counts.Count = 1
        count_span, count_text = None, ""
        label, label_span = None, None
        keys: tuple[Item, ...] = ()
        children: tuple[Vertex, ...] = ()
        seen = ""
        end = own_end = self.pos
        while True:
            char = self.space()
            if char == "=":
                if "=" in seen:
                    self.problem("a second count for one resource", self.sign(), "/")
                elif "{" in seen:
                    self.problem("the count comes before the braces", self.sign(), "/")
                found = self._count()
                if found is not None:
                    count, count_span, count_text = found
                seen += "="
            elif char == "{":
                if "{" in seen:
                    self.problem("a second pair of braces for one resource", self.sign(), "/")
                if name == "slot":
                    named, items = self._slot_braces(depth + 1)
                    label, label_span = named or (label, label_span)
                    keys += items
                else:
                    keys += self._braces(depth + 1)
                seen += "{"
            elif char and char in "/[":
                if char == "[":
                    self.problem("'/' is missing before '['", self.sign(), "/")
                    children = self._brackets(depth + 1)
                else:
                    children = self._list(depth + 1, self.mark())
                seen += "/"
                end = self.pos
                break
            elif not char or char in ";,]":
                if not char:
                    self.want(*_next(name, seen))
                if char != "]" or self.open:
                    break
                self.stray("]}")
            elif char == "}":
                self.stray("}")
            else:
                span = self.skip(_JUNK)
                message, codes = f"{self.quoted(span)} does not belong here", _next(name, seen)
                if is_digits(char) and not seen:
                    message, codes = f"'=' is missing before the count {self.quoted(span)}", ("=",)
                self.problem(message, span, *codes)
            end = own_end = self.pos
        if name == "slot" and "/" not in seen and not self.cut:
            self.problem("a slot needs children", type_span, "/")
        if not name and not seen.strip("/"):
            return children
        span = Span(start, end)
        return (
            Vertex(
                name, count, label, keys, children, span,
                type_span, count_span, label_span, count_text, own_end,
            ),
        )  # fmt: skip

    def _missing_type(self) -> str:
        """Skip what cannot start a vertex; return the character after it, or "" at the end."""
        while True:
            char = self.space()
            if not char or char not in "/}":
                return char
            if char == "}":
                self.stray("}")
                continue
            start = self.pos
            while self.space() == "/":
                self.pos += 1
            self.pos = start + len(self.text[start : self.pos].rstrip())
            span = self.token("error", start)
            self.problem("a resource type is missing before '/'", span, "type")

    def _type(self) -> tuple[str, Span]:
        """type : STRING"""
        start = self.pos
        found = _TYPE.match(self.text, start)
        if found:
            self.pos = found.end()
            return found[0], self.token("slot" if found[0] == "slot" else "type", start)
        char = self.text[start]
        if char in "={":
            span = Span(start, start + 1)
            self.problem(f"a resource type is missing before '{char}'", span, "type")
            return "", Span(start, start)
        name = self.string("type")
        if not name:
            self.problem("a resource type is empty", Span(start, self.pos), "type")
        return name, Span(start, self.pos)

    def _count(self) -> tuple[counts.Count, Span, str] | None:
        """count : '[' COUNT ']' | COUNT; the next character is the '='.

        Return the count, its span with brackets, and its text without them; None if it is missing.
        """
        equals = self.mark()
        start = self.pos
        bracket = None
        if self.space() == "[":
            start = self.pos
            bracket = self.mark()
            self.space()
        inner = self.pos
        text = self.run(_COUNT)
        if comma := _COMMA.search(text):  # which was meant to be a ';'
            self.pos, text = inner + comma.start(), text[: comma.start()]
        value: counts.Count | None = None
        if not text:
            self.need("count")
            self.problem("a count is missing after '='", equals, "count")
        else:
            value, problems = counts.parse(text, inner)
            self.token("error" if problems else "count", inner)
            for problem in problems:
                self.note(problem)
            last = problems[-1] if problems else None
            if last and last.expected and last.span and last.span.end == self.end:
                self.need(*last.expected)
            elif not problems and isinstance(value, int):
                self.want("or more", "to")
            elif not problems and isinstance(value, counts.Range):
                self.want(*((":step",) if value.operator == "+" and value.operand == 1 else ()))
        end = self.pos
        if bracket:
            if self.space() == "]":
                self.mark()
                end = self.pos
            else:
                self.need("]count")
                self.problem("the bracket '[' is not closed", bracket, "]count")
                self.pos = end
        else:
            start = inner
        return (value or 1, Span(start, end), text) if text else None

    # Braces

    def _slot_braces(self, depth: int) -> tuple[tuple[str, Span] | None, tuple[Item, ...]]:
        """'{' label (',' item)* '}'; return the label with its span, and the items."""
        brace = self.mark()
        if not self._entered(brace, depth):
            return None, ()
        label = None
        char = self.space()
        where = Span(self.pos, self.pos + 1)
        if self._is_end(char, brace):
            self.need("label")
            self.problem("the brace '{' is not closed", brace, "}")
            return None, ()
        if char in ",}":
            self.problem("the braces of a slot start with its label", where, "label")
        elif char in "+-":
            message = "the first entry of a slot is its label, and this is a key"
            self.problem(message, where, "label")
            return None, tuple(self._entries(brace, depth))
        else:
            label = self._label(brace.start, depth)
        comma = self._comma(brace)
        return label, tuple(self._entries(brace, depth, comma, has_some=True))

    def _label(self, brace: int, depth: int) -> tuple[str, Span] | None:
        """label : STRING"""
        start = self.pos
        if self.text[start] in "\"'":
            label = self.string("label")
        elif label := self.run(_WORD):
            span = self.token("label", start)
            if label == "x":
                message = "the first entry of a slot is its label, so 'x' is a label here"
                self.problem(message, span, severity="warning")
        else:
            span = self.mark("error")
            self.problem(f"{self.quoted(span)} is not a label", span, "label")
            return None
        span = Span(start, self.pos)
        if self.space() == ":":
            colon = self.mark()
            self.problem("a slot label takes no value; write {name}", colon, ",", "}")
            self.space()
            value = self._value(brace, depth - 1)
            if label == "label" and isinstance(value, str):
                label = value
        return label, span

    def _braces(self, depth: int) -> tuple[Item, ...]:
        """dict : '{' (item (',' item)*)? '}'"""
        brace = self.mark()
        return tuple(self._entries(brace, depth)) if self._entered(brace, depth) else ()

    def _entries(
        self, opening: Span, depth: int, comma: Span | None = None, *, has_some: bool = False
    ) -> list[Any]:
        """entry (',' entry)*, of a dict or of an array; consumes the closing character.

        comma is the comma before the next entry; has_some means that other entries precede it.
        """
        is_dict = self.text[opening.start] == "{"
        what, close, name = ("key", "}", "brace") if is_dict else ("value", "]array", "bracket")
        out: list[Any] = []
        while True:
            char = self.space()
            if self._is_end(char, opening):
                self.need(*((what,) if comma else () if has_some else (what, close)))
                shown = self.quoted(opening)
                self.problem(f"the {name} {shown} is not closed", opening, close)
                return out
            if char in (",", close[0]):
                span = self.mark()
                if comma or char == ",":
                    side, where = ("before", span) if char == "," else ("after", comma or span)
                    self.problem(f"a {what} is missing {side} ','", where, what)
                if char != ",":
                    return out
                comma = span
                continue
            entry = self._item(opening.start, depth) if is_dict else self._element(depth)
            if not is_dict or entry is not None:
                out.append(entry)
            has_some = True
            comma = self._comma(opening)

    def _is_end(self, char: str, opening: Span) -> bool:
        """Whether the dict or array opened there ends unclosed before this character."""
        if self.text[opening.start] == "[":
            return not char or char in "}/;"
        return not char or (char in "/;]" and not self.closes(opening.start))

    def _comma(self, opening: Span) -> Span | None:
        """Consume and return the comma after an entry; None if no entry follows."""
        is_dict = self.text[opening.start] == "{"
        codes = (",", "}") if is_dict else (",value", "]array")
        while True:
            char = self.space()
            self.want(*codes)
            if char == ",":
                return self.mark()
            if self._is_end(char, opening) or char == codes[1][0]:
                return None
            stops = ",{}" if is_dict and self.closes(opening.start) else _NARROW
            span = self.skip(stops if is_dict else _ELEMENT)
            message = f"{self.quoted(span)} does not belong here"
            if is_dict and char in "/;=[]:\"'":
                message = f"{self.quoted(span)} needs quotes, or a comma before it"
            self.problem(message, span, *codes)

    def _item(self, brace: int, depth: int) -> Item | None:
        """item : key ':' VALUE | ('+' | '-')? key"""
        start = self.pos
        sign = self.text[start]
        sign_span = self.mark("operator") if sign in "+-" else None
        if sign_span:
            self.space()
        key_start = self.pos
        key = self._key(sign_span)
        key_span = Span(key_start, self.pos)
        char = self.space()
        if char == ":":
            colon = self.mark()
            if sign_span:
                message = f"a key with a sign takes no value; {sign} already gives one"
                self.problem(message, colon, ",", "}")
            self.space()
        elif char and char in "{[" and key is not None:
            message = f"':' is missing between a key and its value at '{char}'"
            self.problem(message, Span(self.pos, self.pos + 1), ":")
        else:
            if not sign_span and key is not None:
                self.want(":")
            self.pos = key_span.end
            if key is None:
                return None
            return Item(key, sign != "-", Span(start, self.pos), key_span)
        value_start = self.pos
        value = self._value(brace, depth)
        if value is _MISSING:
            self.need("value")
            self.problem("a value is missing after ':'", colon, "value")
            return None
        if key is None:
            return None
        return Item(key, value, Span(start, self.pos), key_span, Span(value_start, self.pos))

    def _key(self, sign: Span | None) -> str | None:
        """key : 'x' | STRING; None if there is none."""
        start = self.pos
        char = self.text[start : start + 1]
        if char and char in "\"'":
            return self.string("key")
        word = self.run(_WORD)
        if not word:
            self.need("key")
            if char == ":":
                self.problem("a key is missing before ':'", Span(start, start + 1), "key")
            elif sign:
                self.problem(f"a key is missing after {self.quoted(sign)}", sign, "key")
            elif char:
                span = self.mark("error")
                self.problem(f"{self.quoted(span)} is not a key", span, "key")
            return None
        span = self.token("key", start)
        if sign and word[0] in "+-":
            self.problem(f"{self.quoted(span)} has a second sign", span, "key")
            word = word.lstrip("+-") or word
        return "exclusive" if word == "x" else word

    # Values

    def _value(self, brace: int, depth: int) -> Any:
        """VALUE : STRING | NUMBER | 'true' | 'false' | 'null' | dict | array

        array : '[' (element (',' element)*)? ']'
        """
        start = self.pos
        char = self.text[start : start + 1]
        if char == "{":
            return {item.key: item.value for item in self._braces(depth + 1)}
        if char == "[":
            opening = self.mark()
            return self._entries(opening, depth + 1) if self._entered(opening, depth + 1) else []
        if char and char in "\"'":
            return self.string("string")
        word = self.words(_VALUE if self.closes(brace) else _NARROW)
        return self._bare(word, start) if word else _MISSING

    def _bare(self, word: str, start: int) -> Any:
        if word in _CONSTANTS:
            self.token("constant", start)
            return _CONSTANTS[word]
        number = _NUMBER.fullmatch(word) if word[0] in "-0123456789" else None
        if number is None:
            self.token("string", start)
            return word
        span = self.token("number", start)
        if number[1] is None and number[2] is None:
            if len(word) <= _MAX_DIGITS:
                return int(word)
        elif abs(value := float(word)) != float("inf"):
            return value
        self.problem(f"the number {self.quoted(span)} is too large", span, "a string in quotes")
        return word

    def _element(self, depth: int) -> Any:
        """element : VALUE, but strings need quotes as in JSON"""
        start = self.pos
        char = self.text[start]
        if char in "\"'{[":
            return self._value(-1, depth)
        value = self._bare(self.run(_ELEMENT) or char, start)
        if isinstance(value, str):
            span = Span(start, self.pos)
            message = f"a string in an array needs quotes; found {self.quoted(span)}"
            self.problem(message, span, f'"{self.text[start : self.pos]}"')
        return value


def _next(type_: str, seen: str) -> tuple[str, ...]:
    brace = "{label" if type_ == "slot" else "{"
    if "{" in seen:
        return ("/",)
    return (brace, "/") if "=" in seen else ("=", brace, "/")
