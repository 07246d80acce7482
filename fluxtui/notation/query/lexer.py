"""The words of a constraint query (RFC 35), cut as flux-core cuts them.

A word that ends with a colon waits for the next word and joins it, even across a parenthesis, a
minus sign or a keyword; empty quotes vanish; quotes end a word. All of that is part of what a
query means to Flux, so it is kept, and pointed out where it surprises.
"""

import re
from typing import NamedTuple

from fluxtui.notation.json_text import place
from fluxtui.notation.problem import ENOUGH, Problem, Span, Token
from fluxtui.notation.query import advice
from fluxtui.notation.query.tree import OPERATORS, Term, shown

#: In the order they are tried. White space of other kinds is not legal at all.
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

#: The kinds of the groups of _WORD.
_KINDS = ("end", "negate", "not", "and", "or", "open", "close", "term", "quote")

_TERM = re.compile(r"""[^()|&\s"']+""")

_SPACE = re.compile(r"[ \t\r\n\f\v]*")

#: Characters that no operator name may hold.
BAD_NAME = re.compile(r"[^\w.+@-]")

_make = tuple.__new__  # half the time of a named tuple's own constructor


class Lexeme(NamedTuple):
    """One word.

    kind    term, and, or, not, negate, open, close
    text    a term without its quotes
    chunks  the runs of the query that text is made of; one, or two when an operator joined its
            operand across something
    quoted  part of the term stood in quotes
    node    what a term says; None for other words and for an operator that waits
    """

    kind: str
    span: Span
    text: str
    chunks: tuple[Span, ...] = ()
    quoted: bool = False
    node: Term | None = None


class Lexed(NamedTuple):
    """All words of a query, and what is still open at the end of the text.

    waiting  the operator at the end that has no operand, as an unfinished term, or None
    quote    the quotation mark left open at the end, or ""
    depth    how many parentheses are open at the end
    """

    lexemes: tuple[Lexeme, ...]
    tokens: tuple[Token, ...]
    problems: tuple[Problem, ...]
    waiting: Lexeme | None
    quote: str
    depth: int = 0


class _Lexer:
    """Cuts one text; see `lex`."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lexemes: list[Lexeme] = []
        self.tokens: list[Token] = []
        self.problems: list[Problem] = []
        self.waiting: Lexeme | None = None
        self.quote = ""
        self.illegals = 0
        self.term_end = -1  # where the last term word ended, its closing quote included

    def run(self) -> Lexed:
        """word* : see the alternatives of ``_WORD``."""
        text, lexemes, tokens = self.text, self.lexemes, self.tokens
        position, size, depth = 0, len(text), 0
        while position < size:
            found = _WORD.match(text, position)
            if found is None:
                position = self.illegal(position)
                continue
            group = found.lastindex or 0
            kind = _KINDS[group]
            span = _make(Span, found.span(group))
            position = span[1]
            if kind == "term":
                word = found[group]
                if self.waiting is None and word[-1] != ":" and self.term_end != span[0]:
                    chunks = (span,)
                    node = plain_term(word, span, tokens) or read_term(
                        word, span, chunks, False, tokens, self.problems
                    )
                    lexemes.append(_make(Lexeme, ("term", span, word, chunks, False, node)))
                    self.term_end = position
                else:
                    self.term(span, span, quoted=False)
            elif kind == "open" or kind == "close":
                lexemes.append(_make(Lexeme, (kind, span, found[group], (), False, None)))
                tokens.append(_make(Token, ("punctuation", span)))
                depth = depth + 1 if kind == "open" else max(0, depth - 1)
            elif kind == "quote":
                position = self.quoted(span[0])
            elif group:
                word = found[group]
                lexemes.append(_make(Lexeme, (kind, span, word, (), False, None)))
                tokens.append(_make(Token, ("operator", span)))
                if word.isalpha():
                    self.keyword(span)
        if self.waiting is not None:
            self.unfinished(self.waiting)
        return Lexed(
            tuple(self.lexemes),
            tuple(self.tokens),
            tuple(self.problems),
            self.waiting,
            self.quote,
            depth,
        )

    def unfinished(self, word: Lexeme) -> None:
        """The text ends behind an operator, which is a term without an operand all the same."""
        node = read_term(word.text, word.span, word.chunks, False, self.tokens, self.problems)
        self.waiting = word._replace(node=node)
        if not self.quote:
            self.problems.append(_no_operand(word))

    def keyword(self, span: Span) -> None:
        """Point out a keyword that is the beginning of what looks like one name."""
        if rest := _TERM.match(self.text, span.end):
            self.problems.append(advice.keyword(self.text, span, rest.end()))

    def illegal(self, position: int) -> int:
        """White space other than the six plain kinds; it parts words all the same."""
        space: re.Match[str] = _SPACE.match(self.text, position)  # type: ignore[assignment]
        span = Span(space.end(), space.end() + 1)
        code = f"U+{ord(self.text[span.start]):04X}"
        self.problems.append(
            Problem(f"white space {code} is not allowed", span, None, ("a plain space",), "RFC 35")
        )
        self.tokens.append(Token("error", span))
        self.illegals += 1
        if self.illegals < ENOUGH or span.end == len(self.text):
            return span.end
        rest = Span(span.end, len(self.text))
        self.tokens.append(Token("error", rest))
        self.problems.append(enough(rest))
        return rest.end

    def quoted(self, position: int) -> int:
        """'"' [^"]* '"'  |  "'" [^']* "'"  , the second mark missing at the end of the text."""
        mark = self.text[position]
        end = self.text.find(mark, position + 1)
        self.tokens.append(Token("punctuation", Span(position, position + 1)))
        if end < 0:
            self.quote = mark
            end = after = len(self.text)
            self.problems.append(
                Problem(
                    f"the quotation mark {mark} is not closed",
                    Span(position, position + 1),
                    None,
                    (f"the closing {mark}",),
                    "RFC 35",
                )
            )
        else:
            after = end + 1
            self.tokens.append(Token("punctuation", Span(end, after)))
        if end > position + 1:
            self.term(Span(position + 1, end), Span(position, after), quoted=True)
        elif not self.quote:
            self.problems.append(advice.empty_quotes(Span(position, after)))
        return after

    def term(self, inner: Span, outer: Span, *, quoted: bool) -> None:
        """A plain word, or the inside of quotes; joined to an operator that waits for it."""
        waiting, self.waiting = self.waiting, None
        word = Lexeme("term", outer, self.text[slice(*inner)], (inner,), quoted)
        if waiting is not None:
            word = Lexeme(
                "term",
                Span(waiting.span.start, outer.end),
                waiting.text + word.text,
                (*waiting.chunks, inner),
                quoted or waiting.quoted,
            )
            self.reach(waiting, outer)
        elif word.text.endswith(":"):
            self.waiting = word
            return
        else:
            self.abut(outer)
        self.term_end = outer.end
        node = read_term(word.text, word.span, word.chunks, word.quoted, self.tokens, self.problems)
        self.lexemes.append(word._replace(node=node))

    def reach(self, waiting: Lexeme, outer: Span) -> None:
        """Point out an operator that takes its operand from beyond another word."""
        between = [x for x in self.lexemes[-8:] if x.span.start >= waiting.span.end]
        if between:
            operand = self.text[slice(*outer)]
            self.problems.append(advice.reach(waiting.text, operand, between[0].text, waiting.span))

    def abut(self, outer: Span) -> None:
        """Point out two words with nothing between them but a quotation mark."""
        if outer.start and self.term_end == outer.start:
            self.problems.append(advice.abutting(self.text, self.lexemes[-1].span, outer))


def enough(span: Span) -> Problem:
    """The problem of a text with so many of them that it is not read to its end."""
    message = f"more than {ENOUGH:,} problems; the query is not read any further"
    return Problem(message, span, rule="RFC 35")


def _no_operand(waiting: Lexeme) -> Problem:
    return Problem(
        f"nothing follows {shown(waiting.text)}",
        waiting.span,
        None,
        operand_of(waiting.text),
        "RFC 35",
    )


def operand_of(word: str) -> tuple[str, ...]:
    """What belongs after an operator such as ``host:``."""
    if word in {"host:", "hosts:", "hostlist:"}:
        return ("a hostlist such as n[1-3]",)
    if word in {"rank:", "ranks:"}:
        return ("an idset such as 0-3,7",)
    return ("a property name",) if word == "properties:" else ("a value",)


def lex(text: str) -> Lexed:
    """Cut a query into words; never fails, problems say what is wrong (RFC 35)."""
    return _Lexer(text).run()


def plain_term(text: str, span: Span, tokens: list[Token]) -> Term | None:
    """A term in one run, with one value and nothing to say about it; None for others.

    Adds its colours.
    """
    name, colon, operand = text.partition(":")
    if not colon:
        if "," in text:
            return _plain_list(text, span, tokens)
        if text[0] in "^!-" or text.lower() in advice.KEYWORDS:
            return None
        tokens.append(_make(Token, ("property", span)))
        spans = (span,)
        return _make(Term, (None, (text,), span, None, spans, spans, "term"))
    if OPERATORS.get(name, "properties") == "properties" or not operand or ":" in operand:
        return None
    start, end = span
    middle = start + len(name) + 1
    name_span, value_span = _make(Span, (start, middle)), _make(Span, (middle, end))
    tokens.append(_make(Token, ("operator", name_span)))
    tokens.append(_make(Token, ("value", value_span)))
    return _make(Term, (name, (operand,), span, name_span, (value_span,), (span,), "term"))


def _plain_list(text: str, span: Span, tokens: list[Token]) -> Term | None:
    """The same of several properties."""
    values = text.split(",")
    spans = []
    start = span[0]
    for value in values:
        if not value or value[0] in "^!-" or value.lower() in advice.KEYWORDS:
            return None
        end = start + len(value)
        spans.append(_make(Span, (start, end)))
        start = end + 1
    for inner in spans:
        tokens.append(_make(Token, ("property", inner)))
        tokens.append(_make(Token, ("punctuation", _make(Span, (inner[1], inner[1] + 1)))))
    tokens.pop()
    return _make(Term, (None, tuple(values), span, None, tuple(spans), (span,), "term"))


def read_term(
    text: str,
    span: Span,
    chunks: tuple[Span, ...],
    quoted: bool,
    tokens: list[Token],
    problems: list[Problem],
) -> Term:
    """term : [name ':'] operand , properties split at commas.

    text is the content of chunks, without quotes. Adds its colours and what is wrong with it.
    """
    name, colon, operand = text.partition(":")
    start = len(name) + 1 if colon else 0
    name_span = place(chunks, 0, start) if colon else None
    if not colon:
        operand = text
    elif bad := BAD_NAME.search(name):
        problems.append(_bad_name(chunks, name, bad))
    node = Term(name if colon else None, (), span, name_span, (), chunks)
    if operand:
        pieces = operand.split(",") if node.operator == "properties" else [operand]
        spans = []
        for piece in pieces:
            spans.append(place(chunks, start, start + len(piece)))
            start += len(piece) + 1
        node = node._replace(values=tuple(pieces), value_spans=tuple(spans))
    problems += advice.term(node, quoted=quoted)
    tokens += _colours(node)
    return node


def _bad_name(chunks: tuple[Span, ...], name: str, bad: re.Match[str]) -> Problem:
    """A character that no operator name may hold."""
    hint = ""
    if bad[0] == ",":
        hint = f"write a space, not a comma, before {shown(name.rpartition(',')[2] + ':')}; "
    return Problem(
        f"{hint}operator name {shown(name)} holds {shown(bad[0])}",
        place(chunks, *bad.span()),
        None,
        ("letters, digits and . + @ - _",),
        "RFC 35",
    )


def _colours(node: Term) -> list[Token]:
    """The operator and the values; of properties the ``^`` and the commas apart."""
    tokens = [Token("operator", node.name_span)] if node.name_span else []
    properties = node.operator == "properties"
    for count, (value, span) in enumerate(zip(node.values, node.value_spans, strict=True)):
        start = span.start
        if properties and count:
            comma = _comma(node.chunks, node.value_spans[count - 1].end)
            tokens.append(Token("punctuation", Span(comma, comma + 1)))
        if properties and value.startswith("^"):
            tokens.append(Token("operator", Span(start, start + 1)))
            start += 1
        kind = "property" if properties else "value"
        for chunk in node.chunks:  # what lies between two of them has its own colour
            run = Span(max(start, chunk.start), min(span.end, chunk.end))
            if run.end > run.start:
                tokens.append(Token(kind, run))
    return tokens


def _comma(chunks: tuple[Span, ...], end: int) -> int:
    """The place of the comma behind a value that ends at end, maybe at the end of its chunk."""
    following = [chunk.start for chunk in chunks if chunk.start > end]
    return following[0] if following and any(chunk.end == end for chunk in chunks) else end
