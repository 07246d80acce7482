"""One term of a constraint query: its operator, its values and their colours (RFC 35)."""

import re

from fluxtui.notation import query_advice as advice
from fluxtui.notation.places import place
from fluxtui.notation.query_tokens import Lexeme
from fluxtui.notation.query_tree import Term, shown
from fluxtui.notation.source import Problem, Span, Token

BAD_NAME = re.compile(r"[^\w.+@-]")


def read_term(word: Lexeme) -> tuple[Term, list[Token], list[Problem]]:
    """term : [name ':'] operand , properties split at commas."""
    name, colon, operand = word.text.partition(":")
    problems: list[Problem] = []
    start = len(name) + 1 if colon else 0
    name_span = place(word.chunks, 0, start) if colon else None
    if not colon:
        operand = word.text
    elif bad := BAD_NAME.search(name):
        problems.append(_bad_name(word, name, bad))
    node = Term(name if colon else None, (), word.span, name_span, (), word.chunks)
    if operand:
        pieces = operand.split(",") if node.operator == "properties" else [operand]
        spans = []
        for piece in pieces:
            spans.append(place(word.chunks, start, start + len(piece)))
            start += len(piece) + 1
        node = node._replace(values=tuple(pieces), value_spans=tuple(spans))
    problems += advice.term(node, quoted=word.quoted)
    return node, _colours(node), problems


def _bad_name(word: Lexeme, name: str, bad: re.Match[str]) -> Problem:
    """A character that no operator name may hold."""
    hint = ""
    if bad[0] == ",":
        hint = f"; write a space before {shown(name.rpartition(',')[2] + ':')}"
    return Problem(
        f"operator name {shown(name)} holds {shown(bad[0])}{hint}",
        place(word.chunks, *bad.span()),
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
