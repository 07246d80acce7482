"""Constraint queries such as ``gpu&-debug|host:n[1-3]`` (RFC 35, in flux-core's reading).

The grammar, loosest first; operands beside each other are joined by and::

    expr    : expr '|' expr  |  expr '&' expr  |  expr expr
            | 'not' expr  |  '(' expr ')'  |  '-' term  |  term
    term    : [name ':'] operand

How tightly an operator binds depends on what follows it, and Flux's answer is the one that
counts: an operand that follows ``a|b`` without an operator is joined to all of it, so that
``a|b c`` is ``(a|b)&c``; but where the next word is ``not`` or ``-`` it is joined to ``b`` alone.
"""

from operator import itemgetter
from typing import NamedTuple

from fluxtui.notation.problem import ENOUGH, Problem, Span, Token, capped, unreadable
from fluxtui.notation.query import advice
from fluxtui.notation.query.lexer import Lexed, Lexeme, enough, lex, operand_of
from fluxtui.notation.query.tree import And, Node, Not, Or, Query, shown

#: Levels of nesting a query may have; far more than a person writes, far less than a stack holds.
MAX_DEPTH = 100

_NONE, _OPEN, _OR, _AND, _NOT = -2, -1, 1, 2, 3
#: How strongly a following word pulls. A term or an opening parenthesis does not pull at all.
_PULL = {"term": 0, "open": 0, "or": _OR, "and": _AND, "not": _NOT, "negate": 4,
         "close": _NONE, "end": _NONE}  # fmt: skip

_STARTS = {"term", "open", "not", "negate"}

_END = Lexeme("end", Span(0, 0), "")

TERM_STARTS = ("a property name", "host:", "rank:", "not", "'-'", "'('")


class _Operand(NamedTuple):
    """A node, the text it takes up, parentheses and all, its height, and whether it has any."""

    node: Node
    outer: Span
    height: int = 1
    grouped: bool = False


class _Parser:
    """Reads the words of one query; `run` once."""

    def __init__(self, text: str, lexed: Lexed) -> None:
        self.text = text
        waiting = (lexed.waiting,) if lexed.waiting else ()
        # A word behind the last one spares asking for the end at every step.
        self.lexemes: tuple[Lexeme, ...] = (*lexed.lexemes, *waiting, _END, _END)
        self.last = len(self.lexemes) - 2
        self.problems = list(lexed.problems)
        self.index = 0
        self.depth = 0
        self.ended = False
        self.errors = 0
        self.opened: list[Lexeme] = []

    def run(self) -> Node | None:
        """query : expr , going on after a parenthesis that nothing opened."""
        parts: list[_Operand] = []
        if not self.last:
            if not self.problems or all(p.severity == "warning" for p in self.problems):
                self.error("the query is empty", Span(0, len(self.text)), TERM_STARTS)
            return None
        while self.index < self.last:
            if self.lexemes[self.index].kind == "close":
                self.error("')' closes nothing; no '(' is open", self.advance().span)
            elif (part := self.expression(_OPEN)) is not None:
                parts.append(part)
        return self.join("and", parts, [None] * (len(parts) - 1)).node if parts else None

    def advance(self) -> Lexeme:
        """Go past the next word; that word."""
        self.index += 1
        return self.lexemes[self.index - 1]

    def error(self, message: str, span: Span, expected: tuple[str, ...] = ()) -> None:
        """Note an error; ends the reading where there have been too many."""
        self.problems.append(Problem(message, span, None, expected, "RFC 35"))
        self.errors += 1
        if self.errors == ENOUGH and not self.ended:
            self.ended = True
            self.index = self.last
            self.opened.clear()
            self.problems.append(enough(Span(span.end, len(self.text))))

    def expression(self, rule: int) -> _Operand | None:
        """expr : operand ( ['|' | '&'] expr )* , as far as the words pull harder than rule.

        rule is the level of the operator to the left: ``_OPEN`` at the start of the query and
        after a parenthesis, where everything up to its end belongs here.
        """
        self.depth += 1
        left = self.operand()
        while left is None and rule == _OPEN and _PULL[self.lexemes[self.index].kind] > _NONE:
            left = self.operand()
        kind = ""
        parts: list[_Operand] = [left] if left else []
        joins: list[Span | None] = []
        while parts:
            word = self.lexemes[self.index]
            pull = _PULL[word.kind]
            if pull < rule or (pull == rule and rule != _NOT):
                break
            joined_by, level = ("or", _OR) if pull == _OR else ("and", _AND)
            written = None
            if pull in (_OR, _AND):
                written = word.span
                self.index += 1
            right = self.expression(level)
            if right is None:
                continue
            if kind != joined_by and kind:
                if kind == "or" and written is None:
                    self.problems.append(
                        advice.late_space(
                            self.text, parts[0].outer.start, parts[-1].outer, right.outer
                        )
                    )
                parts, joins = [self.join(kind, parts, joins)], []
            kind = joined_by
            parts.append(right)
            joins.append(written)
            if kind == "or" and not right.grouped and right.node.kind != "term":
                start = parts[0].outer.start
                early = advice.early_space(self.text, start, right.outer, right.node)
                self.problems += [early] if early else []
        self.depth -= 1
        return self.join(kind, parts, joins) if parts else None

    def join(self, kind: str, parts: list[_Operand], joins: list[Span | None]) -> _Operand:
        """One operand made of several in a row."""
        if len(parts) == 1:
            return parts[0]
        outer = Span(parts[0].outer.start, parts[-1].outer.end)
        nodes = tuple(part.node for part in parts)
        node = Or(nodes, outer, tuple(joins)) if kind == "or" else And(nodes, outer, tuple(joins))
        return self.higher(node, outer, max(part.height for part in parts))

    def higher(self, node: Node, outer: Span, height: int) -> _Operand:
        """A node one level above its parts; ends the reading where that is too high."""
        if height >= MAX_DEPTH:
            self.too_deep(outer)
        return _Operand(node, outer, height + 1)

    def too_deep(self, span: Span) -> None:
        """End the reading, for nothing can work with a tree that deep."""
        if not self.ended:
            self.error(f"the query is nested deeper than {MAX_DEPTH} levels", span)
        self.ended = True
        self.index = self.last
        self.opened.clear()

    def operand(self) -> _Operand | None:
        """operand : '-' term | 'not' expr | '(' expr ')' | term , None where there is none."""
        word = self.lexemes[self.index]
        if word.kind not in _STARTS:
            before = self.lexemes[self.index - 1] if self.index else None
            while (word := self.lexemes[self.index]).kind in {"and", "or"}:
                message = f"expected a term before {shown(word.text)}"
                self.error(message, word.span, TERM_STARTS)
                before = None  # nothing more is said of what follows it
                self.index += 1
            if word.kind not in _STARTS:
                if before is not None and before.kind not in {"open", "close", "term"}:
                    self.error(f"nothing follows {shown(before.text)}", before.span, TERM_STARTS)
                return None
        if self.depth > MAX_DEPTH:
            self.too_deep(word.span)
            return None
        self.index += 1
        if word.node is not None:
            return _Operand(word.node, word.span)
        return self.group(word) if word.kind == "open" else self.negation(word)

    def negation(self, sign: Lexeme) -> _Operand | None:
        """'-' term | 'not' expr"""
        word = self.lexemes[self.index]
        inner: _Operand | None
        if sign.kind == "negate" and word.node is not None:
            self.index += 1
            inner = _Operand(word.node, word.span)
        else:
            if sign.kind == "negate" and word.kind in {"open", "not", "negate"}:
                message = f"'-' negates one term only; write not before {shown(word.text)}"
                self.error(message, sign.span, ("not",))
            inner = self.expression(_NOT)
            if inner is None:
                return None
        node = inner.node
        is_bare = not inner.grouped and (sign.kind == "not" or node is word.node)
        if node.kind == "term" and len(node.values) > 1 and is_bare:
            found = advice.negated_list(self.text, Span(sign.span.start, inner.outer.end), node)
            self.problems += [found] if found else []
        elif sign.kind == "not" and node.kind in {"and", "or"} and not inner.grouped:
            self.problems.append(advice.wide_not(self.text, sign.span, inner.outer))
        outer = Span(sign.span.start, max(sign.span.end, inner.outer.end))
        return self.higher(Not(node, outer, sign.span), outer, inner.height)

    def group(self, opening: Lexeme) -> _Operand | None:
        """'(' expr ')'"""
        self.opened.append(opening)
        inner = self.expression(_OPEN)
        word = self.lexemes[self.index]
        if word.kind == "close":
            self.index += 1
            self.opened.pop()
            end = word.span.end
            if inner is None and self.lexemes[self.index - 2] is opening:
                self.error(
                    "the parentheses are empty",
                    Span(opening.span.start, end),
                    TERM_STARTS,
                )
        else:
            end = inner.outer.end if inner else opening.span.end
            if self.opened:
                self.error("the parenthesis '(' is not closed", opening.span, ("')'",))
        if inner is None:
            return None
        outer = Span(opening.span.start, max(end, inner.outer.end))
        return _Operand(inner.node, outer, inner.height, True)


def _expected(text: str, lexed: Lexed) -> tuple[str, ...]:
    """What may come next at the end of the text."""
    if lexed.quote:
        return (f"the closing {lexed.quote}",)
    if lexed.waiting is not None:
        return operand_of(lexed.waiting.text)
    last = lexed.lexemes[-1].kind if lexed.lexemes else "open"
    if last == "negate":
        return TERM_STARTS[:3]
    if last not in {"term", "close"}:
        return TERM_STARTS
    return ("'&'", "'|'", "another term", *(["')'"] if lexed.depth else []))


def parse(text: str) -> Query:
    """Read a query, however unfinished (RFC 35).

    Returns the tree so far and every problem under the characters it is about. Names of operators
    are not judged here: Flux accepts any, and refuses an unknown one only when it matches
    (`fluxtui.model.constraint.requires` judges them). A blank text is an error with no tree.
    """
    refused = unreadable("query", text, "RFC 35")
    if refused is not None:
        token = Token("error", Span(0, len(text)))
        return Query(text, None, (token,), (refused,), ())
    lexed = lex(text)
    parser = _Parser(text, lexed)
    tree = parser.run()
    problems = parser.problems
    if len(problems) > 1:
        problems.sort(key=lambda p: (p.span or Span(0, 0), p.severity))
    tokens = sorted(lexed.tokens, key=itemgetter(1))
    return Query(text, tree, tuple(tokens), capped(problems), _expected(text, lexed))
