"""One term of a constraint query: its operator, its values and their colours (RFC 35)."""

import re

from fluxtui.notation.places import place
from fluxtui.notation.problem import Problem, Span, Token
from fluxtui.notation.query import advice
from fluxtui.notation.query.tree import OPERATORS, Term, shown

BAD_NAME = re.compile(r"[^\w.+@-]")


_make = tuple.__new__  # half the time of a named tuple's own constructor


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

    text is what stands in chunks, without quotes. Adds its colours and what is wrong with it.
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
