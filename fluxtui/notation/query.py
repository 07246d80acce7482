"""Constraint queries such as ``gpu&-debug|host:n[1-3]`` (RFC 35, in flux-core's reading).

The grammar, loosest first; operands beside each other are joined by and::

    expr    : expr '|' expr  |  expr '&' expr  |  expr expr
            | 'not' expr  |  '(' expr ')'  |  '-' term  |  term
    term    : [name ':'] operand

How tightly an operator binds depends on what follows it, and Flux's answer is the one that
counts: an operand that follows ``a|b`` without an operator is joined to all of it, so that
``a|b c`` is ``(a|b)&c``; but where the next word is ``not`` or ``-`` it is joined to ``b`` alone.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from fluxtui.notation import query_advice as advice
from fluxtui.notation.query_terms import read_term
from fluxtui.notation.query_tokens import Lexed, Lexeme, lex, operand_of
from fluxtui.notation.query_tree import And, Node, Not, Or, Query, Term, shown
from fluxtui.notation.source import Completion, Problem, Span

if TYPE_CHECKING:
    from fluxtui.notation.places import Places

__all__ = [
    "MAX_DEPTH",
    "And",
    "Node",
    "Not",
    "Or",
    "Query",
    "Term",
    "completions",
    "format",
    "from_constraint",
    "parse",
    "places",
    "to_constraint",
]

#: Levels of nesting a query may have; far more than a person writes, far less than a stack holds.
MAX_DEPTH = 100

_OPEN, _OR, _AND, _NOT = -1, 1, 2, 3
#: How strongly a following word pulls. A term or a parenthesis does not pull at all.
_PULL = {"term": 0, "open": 0, "or": _OR, "and": _AND, "not": _NOT, "negate": 4}

_TERM_STARTS = ("a property name", "host:", "rank:", "not", "'-'", "'('")


class _Operand(NamedTuple):
    """A node, the text it takes up, parentheses and all, its height, and whether it has any."""

    node: Node
    outer: Span
    height: int = 1
    grouped: bool = False


class _Parser:
    """Parses the words of one query; see `parse`."""

    def __init__(self, text: str, lexed: Lexed) -> None:
        self.text = text
        waiting = (lexed.waiting,) if lexed.waiting else ()
        self.lexemes: tuple[Lexeme, ...] = (*lexed.lexemes, *waiting)
        self.tokens = list(lexed.tokens)
        self.problems = list(lexed.problems)
        self.index = 0
        self.depth = 0
        self.ended = False
        self.opened: list[Lexeme] = []

    def run(self) -> Node | None:
        """query : expr , going on after a parenthesis that nothing opened."""
        parts: list[_Operand] = []
        if not self.lexemes:
            if not self.problems or all(p.severity == "warning" for p in self.problems):
                self.error("the query is empty", Span(0, len(self.text)), _TERM_STARTS)
            return None
        while self.index < len(self.lexemes):
            if self.lexemes[self.index].kind == "close":
                self.error("nothing opens this ')'", self.advance().span)
            elif (part := self.expression(_OPEN)) is not None:
                parts.append(part)
        return self.join("and", parts, [None] * (len(parts) - 1)).node if parts else None

    def peek(self) -> Lexeme | None:
        return self.lexemes[self.index] if self.index < len(self.lexemes) else None

    def advance(self) -> Lexeme:
        self.index += 1
        return self.lexemes[self.index - 1]

    def error(self, message: str, span: Span, expected: tuple[str, ...] = ()) -> None:
        self.problems.append(Problem(message, span, None, expected, "RFC 35"))

    def expression(self, rule: int) -> _Operand | None:
        """expr : operand ( ['|' | '&'] expr )* , as far as the words pull harder than rule.

        rule is the level of the operator to the left: ``_OPEN`` at the start of the query and
        after a parenthesis, where everything up to its end belongs here.
        """
        self.depth += 1
        left = self.operand()
        while left is None and rule == _OPEN and (word := self.peek()) and word.kind != "close":
            left = self.operand()
        kind = ""
        parts: list[_Operand] = [left] if left else []
        joins: list[Span | None] = []
        while parts and (word := self.peek()) is not None and word.kind != "close":
            pull = _PULL[word.kind]
            if pull < rule or (pull == rule and rule != _NOT):
                break
            joined_by = "or" if word.kind == "or" else "and"
            written = self.advance().span if word.kind in {"and", "or"} else None
            right = self.expression(_OR if joined_by == "or" else _AND)
            if right is None:
                continue
            if kind not in {"", joined_by}:
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
            if kind == "or" and not right.grouped:
                start = parts[0].outer.start
                early = advice.early_space(self.text, start, right.outer, right.node)
                self.problems += [early] if early else []
        self.depth -= 1
        return self.join(kind, parts, joins) if parts else None

    def join(self, kind: str, parts: list[_Operand], joins: list[Span | None]) -> _Operand:
        """One operand out of several that stand in a row."""
        if len(parts) == 1:
            return parts[0]
        outer = Span(parts[0].outer.start, parts[-1].outer.end)
        make = Or if kind == "or" else And
        node = make(tuple(part.node for part in parts), outer, tuple(joins))
        return self.higher(_Operand(node, outer, max(part.height for part in parts)))

    def higher(self, operand: _Operand) -> _Operand:
        """The operand, one level higher than its own; ends the reading where that is too high."""
        if operand.height == MAX_DEPTH:
            self.too_deep(operand.outer)
        return operand._replace(height=operand.height + 1)

    def too_deep(self, span: Span) -> None:
        """End the reading, for nothing can work with a tree that deep."""
        if not self.ended:
            self.error(f"the query is nested deeper than {MAX_DEPTH} levels", span)
        self.ended = True
        self.index = len(self.lexemes)
        self.opened.clear()

    def operand(self) -> _Operand | None:
        """operand : '-' term | 'not' expr | '(' expr ')' | term , None where there is none."""
        before = self.lexemes[self.index - 1] if self.index else None
        while (word := self.peek()) is not None and word.kind in {"and", "or"}:
            self.error(f"{shown(word.text)} stands where a term should be", word.span, _TERM_STARTS)
            before = self.advance()
        if word is None or word.kind == "close":
            if before is not None and before.kind not in {"open", "close", "term"}:
                self.error(f"nothing follows {shown(before.text)}", before.span, _TERM_STARTS)
            return None
        if self.depth > MAX_DEPTH:
            self.too_deep(word.span)
            return None
        self.advance()
        if word.kind == "term":
            return self.term(word)
        return self.group(word) if word.kind == "open" else self.negation(word)

    def negation(self, sign: Lexeme) -> _Operand | None:
        """'-' term | 'not' expr"""
        word = self.peek()
        if sign.kind == "negate" and word is not None and word.kind == "term":
            inner: _Operand | None = self.term(self.advance())
        else:
            if sign.kind == "negate" and word and word.kind in {"open", "not", "negate"}:
                message = f"'-' stands before one term only, not before {shown(word.text)}"
                self.error(message, sign.span, ("not",))
            inner = self.expression(_NOT)
        if inner is None:
            return None
        if sign.kind == "not" and inner.node.kind in {"and", "or"} and not inner.grouped:
            self.problems.append(advice.wide_not(self.text, sign.span, inner.outer))
        outer = Span(sign.span.start, max(sign.span.end, inner.outer.end))
        return self.higher(_Operand(Not(inner.node, outer, sign.span), outer, inner.height))

    def group(self, opening: Lexeme) -> _Operand | None:
        """'(' expr ')'"""
        self.opened.append(opening)
        inner = self.expression(_OPEN)
        word = self.peek()
        if word is not None:
            self.advance()
            self.opened.pop()
            end = word.span.end
            if inner is None and self.lexemes[self.index - 2] is opening:
                self.error(
                    "nothing stands between the parentheses",
                    Span(opening.span.start, end),
                    _TERM_STARTS,
                )
        else:
            end = inner.outer.end if inner else opening.span.end
            if self.opened:
                self.error("this '(' is not closed", opening.span, ("')'",))
        if inner is None:
            return None
        outer = Span(opening.span.start, max(end, inner.outer.end))
        return _Operand(inner.node, outer, inner.height, grouped=True)

    def term(self, word: Lexeme) -> _Operand:
        """term : [name ':'] operand"""
        node, tokens, problems = read_term(word)
        self.tokens += tokens
        self.problems += problems
        return _Operand(node, word.span)


def _expected(text: str, lexed: Lexed) -> tuple[str, ...]:
    """What may come next at the end of the text."""
    if lexed.quote:
        return (f"the closing {lexed.quote}",)
    if lexed.waiting is not None:
        return operand_of(lexed.waiting.text)
    last = lexed.lexemes[-1].kind if lexed.lexemes else "open"
    if last == "negate":
        return _TERM_STARTS[:3]
    if last not in {"term", "close"}:
        return _TERM_STARTS
    depth = 0
    for word in lexed.lexemes:
        depth = max(0, depth + {"open": 1, "close": -1}.get(word.kind, 0))
    return ("'&'", "'|'", "another term", *(["')'"] if depth else []))


def parse(text: str) -> Query:
    """Read a query, however unfinished (RFC 35).

    Returns the tree so far and every problem under the characters it is about. Names of operators
    are not judged here: Flux accepts any, and refuses an unknown one only when it matches
    (`fluxtui.model.requires` judges them). A blank text is an error with no tree.
    """
    lexed = lex(text)
    parser = _Parser(text, lexed)
    tree = parser.run()
    problems = sorted(parser.problems, key=lambda p: (p.span or Span(0, 0), p.severity))
    tokens = sorted(parser.tokens, key=lambda t: t.span)
    return Query(text, tree, tuple(tokens), tuple(problems), _expected(text, lexed))


def to_constraint(tree: Node) -> dict[str, Any]:
    """The RFC 31 object Flux makes of a query, with its merging and flattening."""
    from fluxtui.notation.query_constraint import to_constraint as build

    return build(tree)


def places(tree: Node) -> "Places":
    """Where each part of ``to_constraint(tree)`` stands in the query, by its path."""
    from fluxtui.notation.query_constraint import places as build

    return build(tree)


def format(tree: Node) -> str:
    """The query text of a tree, with the fewest quotes and parentheses.

    ``parse(format(tree)).tree`` equals tree but for places. Raises ValueError where no text says
    it: an operand that is missing, or that holds both kinds of quotation marks.
    """
    from fluxtui.notation.query_text import format as write

    return write(tree)


def from_constraint(constraint: object) -> str | None:
    """A query that means the same as an RFC 31 object, or None where there is none.

    ``{}`` and all else that matches everything give the blank text.
    """
    from fluxtui.notation.query_text import from_constraint as write

    return write(constraint)


def completions(
    text: str, cursor: int, properties: Mapping[str, int], hosts: Sequence[str] = ()
) -> list[Completion]:
    """What may stand at the cursor; properties maps each name to its number of nodes."""
    from fluxtui.notation.query_completion import completions as complete

    return complete(text, cursor, properties, hosts)
