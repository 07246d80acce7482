"""Reads a shape by recursive descent, and goes on after every problem (RFC 46).

resources : list
list      : '[' vertex (';' vertex)* ']' | vertex
vertex    : 'slot' ('=' count)? ('{' label (',' item)* '}')? '/' list
          | type ('=' count)? dict? ('/' list)?
"""

import re

from fluxtui.notation.problem import ENOUGH, Problem, Span, capped, is_digits, unreadable
from fluxtui.notation.shape.parts import PartReader
from fluxtui.notation.shape.reader import WORDS, EnoughError, make
from fluxtui.notation.shape.rules import check
from fluxtui.notation.shape.tree import NOWHERE, RULE, Draft, Shape, Vertex


def parse_shape(text: str) -> Shape:
    """Read a shape (RFC 46). Never raises; linear in the length of the text.

    An unfinished or wrong text still gives the tree so far, all that is wrong with it, and what
    may come next.
    """
    return ShapeReader(text).read()


# Where words end that mean nothing.
_JUNK = ";,/=[]{}"


class ShapeReader(PartReader):
    """Reads one text; `read` once."""

    __slots__ = ("open",)

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.open = 0  # how many list brackets are open here

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
            return self._shape(self.members(0, None))
        except EnoughError:
            return self._rest()

    def _rest(self) -> Shape:
        """No tree, and what has no colour yet is wrong."""
        self.pos = self.tokens[-1].span.end if self.tokens else 0
        self.space()
        start, self.pos = self.pos, self.end
        self.token("error", start)
        if len(self.problems) == ENOUGH:
            message = f"more than {ENOUGH:,} problems; the shape is not read any further"
            self.problems.append(Problem(message, Span(start, self.end), rule=RULE))
        return self._shape(())

    def _shape(self, vertices: tuple[Vertex, ...]) -> Shape:
        expected = tuple(dict.fromkeys(WORDS.get(code, code) for code in self.wanted))
        problems = [*self.problems, *check(vertices)]
        problems.sort(key=lambda p: p.span or NOWHERE)
        return Shape(self.text, vertices, tuple(self.tokens), capped(problems), expected)

    def members(self, depth: int, opening: Span | None) -> tuple[Vertex, ...]:
        """vertex (';' vertex)* ']'; the whole text where no bracket opened."""
        out: list[Vertex] = []
        need, several = True, False
        separator: Span | None = None
        while True:
            char = self.space()
            if not char:
                self._want_member(need, opening, first=separator is None)
                break
            if char == "]" and opening:
                if need:
                    self._missing_member(separator)
                self.mark()
                return tuple(out)
            if char in "]}":
                self.stray("]}" if not self.open else "}")
            elif char in ";,":
                if need:
                    where = Span(self.pos, self.pos + 1)
                    self.problem(f"a resource is missing before '{char}'", where, "type")
                separator = self.mark()
                self._separator(char, separator, opening, several)
                need, several = True, True
            elif need or not self._beside(out, depth):
                if char == "[":
                    out.extend(self._list_in_list(depth, nested=bool(opening or out)))
                else:
                    out.extend(self.vertex(depth))
                need = False
        if opening:
            self.need()
            self.problem("the bracket '[' is not closed", opening, "]")
        return tuple(out)

    def _want_member(self, need: bool, opening: Span | None, *, first: bool) -> None:
        if need:
            self.want("type", *(("[",) if first and not opening else ()))
        elif opening:
            self.want(";", "]")

    def _missing_member(self, separator: Span | None) -> None:
        """A list closes where a vertex should stand."""
        if separator:
            shown = self.shown(separator)
            self.problem(f"a resource is missing after {shown}", separator, "type")
        else:
            where = Span(self.pos, self.pos + 1)
            self.problem("a list holds at least one resource", where, "type")

    def _separator(self, char: str, span: Span, opening: Span | None, several: bool) -> None:
        """What is wrong with a ; or a comma between vertices."""
        if opening is None:
            if not several:
                message = "several resources at the top stand in brackets, as in [node;core]"
                self.problem(message, span, "[ at the start")
        elif char == ",":
            self.problem("resources are separated by ';', not ','", span, ";")

    def _beside(self, out: list[Vertex], depth: int) -> bool:
        """What follows a whole list without a separator; True where it was read."""
        where = Span(self.pos, self.pos + 1)
        if self.text[self.pos] == "/":
            self.problem("children stand after one resource, not after a list", where)
            slash = self.mark()
            out.extend(self.list(depth, slash))
            return True
        self.problem(f"';' is missing before {self.shown(where)}", where, ";")
        return False

    def stray(self, signs: str) -> None:
        """Closing brackets or braces that nothing opened."""
        start = self.pos
        while self.pos < self.end and self.text[self.pos] in signs:
            self.pos += 1
        span = self.token("error", start)
        char = self.text[span.start]
        opening = "[" if char == "]" else "{"
        self.problem(f"{self.shown(span)} closes nothing; no '{opening}' is open", span)

    def list(self, depth: int, slash: Span) -> tuple[Vertex, ...]:
        """list : '[' vertex (';' vertex)* ']' | vertex; after this slash."""
        char = self.space()
        if not char or char in ";],":
            self.need("type", "[")
            self.problem("a child is missing after '/'", slash, "type", "[")
            return ()
        if char == "[":
            return self.brackets(depth)
        if not self.entered(slash, depth):
            return ()
        return self.vertex(depth)

    def leave(self, opening: Span) -> None:
        """Go past what is nested too deeply: to the end of its bracket, or of the vertex."""
        if self.text[opening.start] != "/":
            super().leave(opening)
            return
        level, start = 0, self.pos
        for found in re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\];]').finditer(self.text, start):
            char = found.group()
            if level == 0 and char in ("]", ";"):
                self.pos = found.start()
                break
            level += char in ("{", "[")
            level -= char in ("}", "]")
        else:
            self.pos = self.end
        self.token("error", start)

    def brackets(self, depth: int) -> tuple[Vertex, ...]:
        """'[' vertex (';' vertex)* ']'"""
        opening = self.mark()
        if not self.entered(opening, depth):
            return ()
        self.open += 1
        out = self.members(depth + 1, opening)
        self.open -= 1
        return out

    def _list_in_list(self, depth: int, *, nested: bool) -> tuple[Vertex, ...]:
        if nested:
            message = "a list does not stand directly in a list"
            self.problem(message, Span(self.pos, self.pos + 1), "type")
        return self.brackets(depth)

    def vertex(self, depth: int) -> tuple[Vertex, ...]:
        """vertex : type ('=' count)? dict? ('/' list)?; none or one of them, no white space here.

        The parts may come in any order, each with a problem where it is out of place.
        """
        char = self.text[self.pos]
        if char in "/}":
            char = self._missing_type()
        if not char or char in ";],[":
            return ()
        start = self.pos
        v, seen = self.head()
        name = v.type
        end = self.pos
        while True:
            char = self.space()
            if char == "=":
                if seen:
                    self._order(seen, "=", "a second count", "the count stands before the braces")
                self.count(v)
                seen += "="
            elif char == "{":
                if seen:
                    self._order(seen, "{", "a second pair of braces", "")
                if name == "slot":
                    self.slot_braces(v, depth)
                else:
                    self.plain_braces(v, depth)
                seen += "{"
            elif char == "/":
                v.children = self.list(depth + 1, self.mark())
                seen += "/"
                end = self.pos
                break
            elif char == "[":
                self.problem("'/' is missing before '['", Span(self.pos, self.pos + 1), "/")
                v.children = self.brackets(depth + 1)
                seen += "/"
                end = self.pos
                break
            elif not char or char in ";,]":
                if not char:
                    self.want(*self._next(v, seen))
                if char != "]" or self.open:
                    break
                self.stray("]}")
            elif char == "}":
                self.stray("}")
            elif is_digits(char) and not seen:
                span = self.skip(_JUNK)
                self.problem(f"'=' is missing before the count {self.shown(span)}", span, "=")
            else:
                span = self.skip(_JUNK)
                self.problem(f"{self.shown(span)} does not belong here", span, *self._next(v, seen))
            end = self.pos
        if name == "slot" and "/" not in seen and not self.cut:
            self.problem("a slot needs children", v.type_span, "/")
        if not name and not seen.strip("/"):
            return v.children
        return (v.done(make(Span, (start, end))),)

    def _missing_type(self) -> str:
        """Go past what cannot start a vertex; the character behind it, or "" at the end."""
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

    def _order(self, seen: str, part: str, twice: str, late: str) -> None:
        """Note a part that is out of place, which stands here."""
        where = Span(self.pos, self.pos + 1)
        if part in seen:
            self.problem(f"{twice} for one resource", where, "/")
        elif late and "{" in seen:
            self.problem(late, where, "/")

    def _next(self, v: Draft, seen: str) -> tuple[str, ...]:
        """The codes of the parts that may follow those seen."""
        brace = "{label" if v.type == "slot" else "{"
        if "{" in seen:
            return ("/",)
        return (brace, "/") if "=" in seen else ("=", brace, "/")
