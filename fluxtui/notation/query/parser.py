"""Constraint queries such as ``gpu&-debug|host:n[1-3]`` (RFC 35, in flux-core's reading).

The grammar, loosest first; adjacent operands are joined by and::

    expr    : expr '|' expr  |  expr '&' expr  |  expr expr
            | 'not' expr  |  '(' expr ')'  |  '-' term  |  term
    term    : [name ':'] operand

As in Flux, an operand that follows ``a|b`` without an operator is joined to all of it: ``a|b c`` is
``(a|b)&c``; but an operand with ``not`` or ``-`` is joined to ``b`` alone. A word that ends with a
colon joins the next word, even across a parenthesis, a minus sign or a keyword; empty quotes are
ignored; quotes end a word. Surprising readings are pointed out.
"""

import re
from operator import itemgetter
from typing import NamedTuple

from fluxtui.notation.problem import ENOUGH, Problem, Span, Token, capped, place, unreadable
from fluxtui.notation.query.tree import (
    KEYWORDS,
    OPERATORS,
    And,
    Node,
    Not,
    Or,
    Query,
    Term,
    is_plain_name,
    shown,
)
from fluxtui.notation.sets.hostlist import DIGITS

#: The most levels of nesting: far more than a person writes, far fewer than the stack allows.
MAX_DEPTH = 100

_NONE, _OPEN, _OR, _AND, _NOT = -2, -1, 1, 2, 3
#: The binding strength of a following word; a term or an opening parenthesis has none.
_PULL = {"term": 0, "open": 0, "or": _OR, "and": _AND, "not": _NOT, "negate": 4,
         "close": _NONE, "end": _NONE}  # fmt: skip

_STARTS = {"term", "open", "not", "negate"}

# Words are tried in this order. Other kinds of white space are not allowed.
_WORD = re.compile(
    r"""[ \t\r\n\f\v]*(?:
        (-)
      | (not\b)
      | (&{1,2}|and\b)
      | (\|{1,2}|or\b)
      | (\()
      | (\))
      | ([^()|&\s"']+)
      | (["'])
      | \Z
      )""",
    re.VERBOSE,
)

# The kind of word for each group of _WORD.
_KINDS = ("end", "negate", "not", "and", "or", "open", "close", "term", "quote")

_TERM = re.compile(r"""[^()|&\s"']+""")

_SPACE = re.compile(r"[ \t\r\n\f\v]*")

_NEXT_TERM = re.compile(r",(-?)([A-Za-z]\w*):")

#: A character that an operator name must not contain.
BAD_NAME = re.compile(r"[^\w.+@-]")


class Lexeme(NamedTuple):
    """One word of a query.

    kind    term, and, or, not, negate, open, close
    text    the word; a term without its quotes
    chunks  the spans that make up text; two if an operator was joined to its operand
    quoted  whether part of the term was in quotes
    node    the parsed term; None for other words and for an operator awaiting its operand
    """

    kind: str
    span: Span
    text: str
    chunks: tuple[Span, ...] = ()
    quoted: bool = False
    node: Term | None = None


class Lexed:
    """All words of a query, its lexical problems, and what is unfinished at the end of the text.

    waiting  the operator at the end without an operand, as an unfinished term, or None
    quote    the quotation mark left open at the end, or ""
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.lexemes: list[Lexeme] = []
        self.tokens: list[Token] = []
        self.problems: list[Problem] = []
        self.waiting: Lexeme | None = None
        self.quote = ""
        self.illegals = 0
        self.term_end = -1  # the end of the last term, including its closing quote
        self._read_words()

    def _read_words(self) -> None:
        """word* : see the alternatives of ``_WORD``."""
        position = 0
        while position < len(self.text):
            found = _WORD.match(self.text, position)
            if found is None:
                position = self._illegal(position)
                continue
            group = found.lastindex or 0
            kind = _KINDS[group]
            span = Span(*found.span(group))
            position = span.end
            if kind == "term":
                self._term(span, span, quoted=False)
            elif kind == "quote":
                position = self._quoted(span.start)
            elif kind != "end":
                self.lexemes.append(Lexeme(kind, span, found[group]))
                is_sign = kind in {"open", "close"}
                self.tokens.append(Token("punctuation" if is_sign else "operator", span))
                if found[group].isalpha() and (rest := _TERM.match(self.text, span.end)):
                    # A keyword ends at the first non-word character: ``not-ssd``.
                    apart = shown(f"{found[group]} {rest[0]}")
                    message = (
                        f"{shown(found[group] + rest[0])} reads as {apart}; "
                        "put it in quotes for a property of that name"
                    )
                    self.problems.append(_advice(message, Span(span.start, rest.end())))
        if self.waiting is not None:  # becomes a term without an operand
            self.waiting = self._read(self.waiting)
            if not self.quote:
                text = self.waiting.text
                message = f"nothing follows {shown(text)}"
                self._problem(message, self.waiting.span, *operand_of(text))

    def _problem(self, message: str, span: Span, *expected: str) -> None:
        self.problems.append(Problem(message, span, None, expected, "RFC 35"))

    def _read(self, word: Lexeme) -> Lexeme:
        """term : [name ':'] operand , properties split at commas; return the word with its node."""
        text, chunks = word.text, word.chunks
        name, colon, operand = text.partition(":")
        start = len(name) + 1 if colon else 0
        if not colon:
            operand = text
        elif bad := BAD_NAME.search(name):
            hint = ""
            if bad[0] == ",":
                after = shown(name.rpartition(",")[2] + ":")
                hint = f"write a space, not a comma, before {after}; "
            message = f"{hint}operator name {shown(name)} holds {shown(bad[0])}"
            where = place(chunks, *bad.span())
            self._problem(message, where, "letters, digits and . + @ - _")
        name_span = place(chunks, 0, start) if colon else None
        is_list = not colon or OPERATORS.get(name) == "properties"
        pieces = operand.split(",") if is_list else [operand]
        spans: list[Span] = []
        for piece in pieces if operand else ():
            spans.append(place(chunks, start, start + len(piece)))
            start += len(piece) + 1
        values = tuple(pieces) if operand else ()
        node = Term(name if colon else None, values, word.span, name_span, tuple(spans), chunks)
        self.problems += _odd(node, quoted=word.quoted)
        self.tokens += _colours(node)
        return word._replace(node=node)

    def _illegal(self, position: int) -> int:
        """Report white space other than the six plain kinds, which still separates words."""
        space: re.Match[str] = _SPACE.match(self.text, position)  # type: ignore[assignment]
        span = Span(space.end(), space.end() + 1)
        code = f"U+{ord(self.text[span.start]):04X}"
        self._problem(f"white space {code} is not allowed", span, "a plain space")
        self.tokens.append(Token("error", span))
        self.illegals += 1
        if self.illegals < ENOUGH or span.end == len(self.text):
            return span.end
        rest = Span(span.end, len(self.text))
        self.tokens.append(Token("error", rest))
        self.problems.append(enough(rest))
        return rest.end

    def _quoted(self, position: int) -> int:
        """'"' [^"]* '"'  |  "'" [^']* "'"  , the second mark missing at the end of the text."""
        mark = self.text[position]
        end = self.text.find(mark, position + 1)
        self.tokens.append(Token("punctuation", Span(position, position + 1)))
        if end < 0:
            self.quote = mark
            end = after = len(self.text)
            message = f"the quotation mark {mark} is not closed"
            self._problem(message, Span(position, position + 1), f"the closing {mark}")
        else:
            after = end + 1
            self.tokens.append(Token("punctuation", Span(end, after)))
        if end > position + 1:
            self._term(Span(position + 1, end), Span(position, after), quoted=True)
        elif not self.quote:
            message = "empty quotes have no effect; leave them out"
            self.problems.append(_advice(message, Span(position, after)))
        return after

    def _term(self, inner: Span, outer: Span, *, quoted: bool) -> None:
        """Add a plain word or the inside of quotes, joined to the operator awaiting it, if any."""
        waiting, self.waiting = self.waiting, None
        word = Lexeme("term", outer, self.text[slice(*inner)], (inner,), quoted)
        if waiting is not None:
            between = [x for x in self.lexemes[-8:] if x.span.start >= waiting.span.end]
            if between:  # the operator takes its operand from beyond another word
                message = (
                    f"write {shown(waiting.text + self.text[slice(*outer)])} without a gap; "
                    f"{shown(waiting.text)} takes its operand from beyond {shown(between[0].text)}"
                )
                self.problems.append(_advice(message, waiting.span))
            word = Lexeme(
                "term",
                Span(waiting.span.start, outer.end),
                waiting.text + word.text,
                (*waiting.chunks, inner),
                quoted or waiting.quoted,
            )
        elif word.text.endswith(":"):
            self.waiting = word
            return
        elif outer.start and self.term_end == outer.start:
            # Only a quotation mark separates the two words: ``foo'bar'``.
            before = self.lexemes[-1].span
            whole = Span(before.start, outer.end)
            apart = f"{self.text[slice(*before)]} {self.text[slice(*outer)]}"
            message = (
                "put all of it in quotes for one term; "
                f"{shown(self.text[slice(*whole)])} reads as {shown(apart)}"
            )
            self.problems.append(_advice(message, whole))
        self.term_end = outer.end
        self.lexemes.append(self._read(word))


def _advice(message: str, span: Span) -> Problem:
    """A warning about a text with a surprising meaning; the message leads with the remedy."""
    return Problem(message, span, None, (), "RFC 35", "warning")


def enough(span: Span) -> Problem:
    """The problem that stops reading a text with too many problems."""
    message = f"more than {ENOUGH:,} problems; the query is not read any further"
    return Problem(message, span, rule="RFC 35")


def operand_of(word: str) -> tuple[str, ...]:
    """What belongs after an operator such as ``host:``."""
    if word in {"host:", "hosts:", "hostlist:"}:
        return ("a hostlist such as n[1-3]",)
    if word in {"rank:", "ranks:"}:
        return ("an idset such as 0-3,7",)
    return ("a property name",) if word == "properties:" else ("a value",)


def _colours(node: Term) -> list[Token]:
    """Tokens of the operator and values; for properties also of each ``^`` and comma."""
    tokens = [Token("operator", node.name_span)] if node.name_span else []
    properties = node.operator == "properties"
    for count, (value, span) in enumerate(zip(node.values, node.value_spans, strict=True)):
        start = span.start
        if properties and count:
            # The comma after the previous value, which may be at the start of the next chunk.
            end = node.value_spans[count - 1].end
            if any(chunk.end == end for chunk in node.chunks):
                end = next((chunk.start for chunk in node.chunks if chunk.start > end), end)
            tokens.append(Token("punctuation", Span(end, end + 1)))
        if properties and value.startswith("^"):
            tokens.append(Token("operator", Span(start, start + 1)))
            start += 1
        kind = "property" if properties else "value"
        for chunk in node.chunks:  # the text between two chunks has its own tokens
            run = Span(max(start, chunk.start), min(span.end, chunk.end))
            if run.end > run.start:
                tokens.append(Token(kind, run))
    return tokens


def _odd(node: Term, *, quoted: bool) -> list[Problem]:
    if node.operator in {"hostlist", "ranks"} and node.values:
        found = _NEXT_TERM.search(node.values[0])
        if found is None:
            return []
        start = node.value_spans[0].start + found.start()
        kind = "hostlist" if node.operator == "hostlist" else "idset"
        message = (
            f"write a space, not a comma, before {shown(f'{found[1]}{found[2]}:')}; "
            f"all of {shown(node.values[0])} is one {kind}"
        )
        return [_advice(message, node.span if quoted else Span(start, start + len(found[0])))]
    if node.operator != "properties":
        return []
    if len(node.values) > 1 and not any(node.values):
        # Only commas, as in ``a , b``: white space ends a term, even next to a comma.
        message = (
            "leave this comma out, or the white space beside it; alone it names "
            "empty properties, which no node can have"
        )
        return [_advice(message, Span(node.value_spans[0].start, node.value_spans[-1].end))]
    problems = []
    for index, (value, span) in enumerate(zip(node.values, node.value_spans, strict=True)):
        where = span
        if not value:  # a comma with nothing on one side of it
            outer = index in (0, len(node.values) - 1)  # there may be white space next to it
            message = (
                f"leave this comma out{', or the white space beside it' if outer else ''}; nothing "
                f"comes {'after' if index else 'before'} it, which names an empty property that "
                f"no node has"
            )
            start = span.start - (index > 0)
            where = Span(start, start + 1)
        elif value[0] == "!" and len(value) > 1:
            without = shown("-" + value[1:])
            message = (
                f"write {without} for nodes without it; {shown(value)} is a property name here"
            )
        elif value[0] == "-" and len(value) > 1 and index:
            message = (
                f"write a space, not a comma, before {shown(value)} for nodes without it; "
                "here it is a property name"
            )
        elif not quoted and value.lower() in KEYWORDS:
            message = f"{shown(value)} is a property name here; the operator is {value.lower()}"
        else:
            continue
        problems.append(_advice(message, where))
    return problems


# From words to a tree

_END = Lexeme("end", Span(0, 0), "")

TERM_STARTS = ("a property name", "host:", "rank:", "not", "'-'", "'('")


class _Operand(NamedTuple):
    """A node, its span with parentheses, its height, and whether it is in parentheses."""

    node: Node
    outer: Span
    height: int = 1
    grouped: bool = False


class _Parser:
    def __init__(self, text: str, lexed: Lexed) -> None:
        self.text = text
        waiting = (lexed.waiting,) if lexed.waiting else ()
        # An extra word after the last one saves checking for the end at every step.
        self.lexemes: tuple[Lexeme, ...] = (*lexed.lexemes, *waiting, _END, _END)
        self.last = len(self.lexemes) - 2
        self.problems = list(lexed.problems)
        self.index = 0
        self.depth = 0
        self.ended = False
        self.errors = 0
        self.opened: list[Lexeme] = []

    def run(self) -> Node | None:
        """query : expr , continuing after an unmatched closing parenthesis."""
        parts: list[_Operand] = []
        if not self.last:
            if not self.problems or all(p.severity == "warning" for p in self.problems):
                self.error("the query is empty", Span(0, len(self.text)), TERM_STARTS)
            return None
        while self.index < self.last:
            if self.lexemes[self.index].kind == "close":
                self.error("')' closes nothing; no '(' is open", self.lexemes[self.index].span)
                self.index += 1
            elif (part := self.expression(_OPEN)) is not None:
                parts.append(part)
        return self.join("and", parts, [None] * (len(parts) - 1)).node if parts else None

    def error(self, message: str, span: Span, expected: tuple[str, ...] = ()) -> None:
        self.problems.append(Problem(message, span, None, expected, "RFC 35"))
        self.errors += 1
        if self.errors == ENOUGH and not self.ended:
            self.ended = True
            self.index = self.last
            self.opened.clear()
            self.problems.append(enough(Span(span.end, len(self.text))))

    def expression(self, rule: int) -> _Operand | None:
        """expr : operand ( ['|' | '&'] expr )* , as long as words bind more strongly than rule.

        rule is the level of the operator to the left: ``_OPEN`` at the start of the query and
        after an opening parenthesis, where everything up to the end belongs to this expression.
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
                    start, last = parts[0].outer.start, parts[-1].outer
                    self.problems.append(_late_space(self.text, start, last, right.outer))
                parts, joins = [self.join(kind, parts, joins)], []
            kind = joined_by
            parts.append(right)
            joins.append(written)
            if kind == "or" and not right.grouped and right.node.kind != "term":
                start = parts[0].outer.start
                early = _early_space(self.text, start, right.outer, right.node)
                self.problems += [early] if early else []
        self.depth -= 1
        return self.join(kind, parts, joins) if parts else None

    def join(self, kind: str, parts: list[_Operand], joins: list[Span | None]) -> _Operand:
        if len(parts) == 1:
            return parts[0]
        outer = Span(parts[0].outer.start, parts[-1].outer.end)
        nodes = tuple(part.node for part in parts)
        node = Or(nodes, outer, tuple(joins)) if kind == "or" else And(nodes, outer, tuple(joins))
        return self.higher(node, outer, max(part.height for part in parts))

    def higher(self, node: Node, outer: Span, height: int) -> _Operand:
        if height >= MAX_DEPTH:
            self.too_deep(outer)
        return _Operand(node, outer, height + 1)

    def too_deep(self, span: Span) -> None:
        """Stop reading, since no other code can work with such a deep tree."""
        if not self.ended:
            self.error(f"the query is nested deeper than {MAX_DEPTH} levels", span)
        self.ended = True
        self.index = self.last
        self.opened.clear()

    def operand(self) -> _Operand | None:
        """operand : '-' term | 'not' expr | '(' expr ')' | term ; None if there is none."""
        word = self.lexemes[self.index]
        if word.kind not in _STARTS:
            before = self.lexemes[self.index - 1] if self.index else None
            while (word := self.lexemes[self.index]).kind in {"and", "or"}:
                message = f"expected a term before {shown(word.text)}"
                self.error(message, word.span, TERM_STARTS)
                before = None  # no second problem for the same place
                self.index += 1
            if word.kind not in _STARTS:
                if before is not None and before.kind not in {"open", "close", "term"}:
                    self.error(f"nothing follows {shown(before.text)}", before.span, TERM_STARTS)
                return None
        if self.depth > 2 * MAX_DEPTH:  # a level of the tree takes two, because of its parentheses
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
        whole = Span(sign.span.start, inner.outer.end)
        if node.kind == "term" and len(node.values) > 1 and is_bare:
            found = _negated_list(self.text, whole, node)
            self.problems += [found] if found else []
        elif sign.kind == "not" and node.kind in {"and", "or"} and not inner.grouped:
            meant = shown(f"not ({self.text[slice(*inner.outer)]})")
            message = (
                f"{shown(self.text[slice(*whole)])} reads as {meant}; "
                "use parentheses to show what not applies to"
            )
            self.problems.append(_advice(message, whole))
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
                self.error("the parentheses are empty", Span(opening.span.start, end), TERM_STARTS)
        else:
            end = inner.outer.end if inner else opening.span.end
            if self.opened:
                self.error("the parenthesis '(' is not closed", opening.span, ("')'",))
        if inner is None:
            return None
        outer = Span(opening.span.start, max(end, inner.outer.end))
        return _Operand(inner.node, outer, inner.height, True)


def _negated_list(text: str, whole: Span, node: Term) -> Problem | None:
    """Warn that ``-a,b`` is ``not (a&b)``, which nodes with only one of the two satisfy.

    None if a name needs quotes, and if several names end in a digit: these may be hosts or ranks,
    which is pointed out where the names of a cluster are known (`fluxtui.answers.explain.names`).
    """
    names = tuple(dict.fromkeys(node.values))
    numbered = sum(name[-1:] in DIGITS for name in names if name)
    if len(names) < 2 or node.operator != "properties" or numbered > 1:
        return None
    if not all(map(is_plain_name, names)):
        return None
    apart, both = " ".join(f"-{name}" for name in names), "&".join(names)
    return _advice(
        f"write {shown(apart)} for nodes with {'neither' if len(names) == 2 else 'none of them'}; "
        f"{shown(text[slice(*whole)])} reads as {shown(f'not ({both})')}",
        whole,
    )


def _late_space(text: str, start: int, last: Span, right: Span) -> Problem:
    """Warn that ``a|b c`` is ``(a|b) c``; a begins at start, last is b and right is c."""
    either, beside = text[start : last.end], text[slice(*right)]
    alternative = f"{text[start : last.start]}({text[slice(*last)]} {beside})"
    return _advice(
        f"{shown(text[start : right.end])} reads as {shown(f'({either}) {beside}')}; "
        f"write {shown(alternative)} if you mean that",
        Span(start, right.end),
    )


def _early_space(text: str, start: int, right: Span, node: Node) -> Problem | None:
    """Warn that ``a|b -c`` is ``a|(b -c)``; right and node are what follows the last ``|``."""
    while isinstance(node, And) and node.operator_spans[-1] is not None:
        last = node.operands[-1]
        if last.span.end != node.span.end:  # last is in parentheses
            return None
        node = last
    if not isinstance(node, And):
        return None
    split = node.operands[-1].span.start
    head = text[start : right.start]
    alternative = f"({text[start:split].rstrip()}) {text[split : right.end]}"
    return _advice(
        f"{shown(text[start : right.end])} reads as {shown(f'{head}({text[slice(*right)]})')}; "
        f"write {shown(alternative)} if you mean that",
        Span(start, right.end),
    )


def parse(text: str) -> Query:
    """Read a query, which may be unfinished (RFC 35): its tree, tokens, and problems with spans.

    Flux accepts any operator name here and refuses an unknown one only when matching, so
    `fluxtui.model.constraint.requires` checks the names.
    """
    refused = unreadable("query", text, "RFC 35")
    if refused is not None:
        token = Token("error", Span(0, len(text)))
        return Query(text, None, (token,), (refused,))
    lexed = Lexed(text)
    parser = _Parser(text, lexed)
    tree = parser.run()
    problems = parser.problems
    if len(problems) > 1:
        problems.sort(key=lambda p: (p.span or Span(0, 0), p.severity))
    tokens = sorted(lexed.tokens, key=itemgetter(1))
    return Query(text, tree, tuple(tokens), capped(problems))
