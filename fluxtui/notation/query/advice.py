"""Queries that mean something other than they seem to: what they mean, and what to write (RFC 35).

Each piece of advice is a warning under the characters it is about. Where one line has to do, its
end is cut off: what to write comes as early as can be.
"""

import re

from fluxtui.notation.problem import Problem, Span
from fluxtui.notation.query.tree import And, Node, Term, shown
from fluxtui.notation.sets.hostlist import DIGITS

KEYWORDS = {"and", "or", "not"}
_PLAIN_NAME = re.compile(r"[\w.+@][\w.+@-]*")


def is_plain_name(name: str) -> bool:
    """A property name that is nothing else in a query, and needs no quotes."""
    return _PLAIN_NAME.fullmatch(name) is not None and name.lower() not in KEYWORDS


def warning(message: str, span: Span) -> Problem:
    """A piece of advice on the characters of a span."""
    return Problem(message, span, None, (), "RFC 35", "warning")


def empty_quotes(span: Span) -> Problem:
    """``a ''`` is ``a``."""
    return warning("empty quotes are nothing at all; leave them out", span)


def reach(operator: str, operand: str, between: str, span: Span) -> Problem:
    """``a: -b`` is ``-a:b``: an operator takes its operand from beyond another word."""
    return warning(
        f"write {shown(operator + operand)} without a gap; "
        f"{shown(operator)} takes its operand from beyond {shown(between)}",
        span,
    )


def abutting(text: str, first: Span, second: Span) -> Problem:
    """``foo'bar'`` is ``foo bar``: quotes end a term."""
    whole = Span(first.start, second.end)
    apart = f"{text[slice(*first)]} {text[slice(*second)]}"
    return warning(
        f"put all of it in quotes for one term; "
        f"{shown(text[slice(*whole)])} reads as {shown(apart)}",
        whole,
    )


def keyword(text: str, word: Span, end: int) -> Problem:
    """``not-ssd`` is ``not -ssd``: a keyword ends at the first character that is not of a word."""
    whole = text[word.start : end]
    return warning(
        f"{shown(whole)} reads as {shown(f'{text[slice(*word)]} {text[word.end : end]}')}; "
        "put it in quotes for a property of that name",
        Span(word.start, end),
    )


def wide_not(text: str, sign: Span, operand: Span) -> Problem:
    """``not a -b`` is ``not (a -b)``."""
    whole = Span(sign.start, operand.end)
    return warning(
        f"{shown(text[slice(*whole)])} reads as {shown(f'not ({text[slice(*operand)]})')}; "
        "parentheses say how far not reaches",
        whole,
    )


def negated_list(text: str, whole: Span, node: Term) -> Problem | None:
    """``-a,b`` is ``not (a&b)``, which lets nodes with one of the two pass.

    whole is the span of the term with its sign. None where it is not a list of
    properties, or where other advice covers it or it needs quotes; nor where several names end in
    a number, as in ``-n1,n2`` and ``-1,2``: those may be hosts or ranks, which is pointed out where
    the names of a cluster are known (`fluxtui.answers.explain.names`).
    """
    names = tuple(dict.fromkeys(node.values))
    if len(names) < 2 or node.operator != "properties":
        return None
    if sum(name[-1:] in DIGITS for name in names if name) > 1:
        return None
    if not all(map(is_plain_name, names)):
        return None
    apart, both = " ".join(f"-{name}" for name in names), "&".join(names)
    return warning(
        f"write {shown(apart)} for nodes with {'neither' if len(names) == 2 else 'none of them'}; "
        f"{shown(text[slice(*whole)])} reads as {shown(f'not ({both})')}",
        whole,
    )


def late_space(text: str, start: int, last: Span, right: Span) -> Problem:
    """``a|b c`` is ``(a|b) c``; start is where a begins, last is b and right is c."""
    either, beside = text[start : last.end], text[slice(*right)]
    other = f"{text[start : last.start]}({text[slice(*last)]} {beside})"
    return warning(
        f"{shown(text[start : right.end])} reads as {shown(f'({either}) {beside}')}; "
        f"write {shown(other)} if you mean that",
        Span(start, right.end),
    )


def early_space(text: str, start: int, right: Span, node: Node) -> Problem | None:
    """``a|b -c`` is ``a|(b -c)``, unlike ``a|b c``.

    start is where a begins, right and node are what comes after the last ``|``. None where
    node has no such ending.
    """
    while isinstance(node, And) and node.operator_spans[-1] is not None:
        last = node.operands[-1]
        if last.span.end != node.span.end:  # it is in parentheses
            return None
        node = last
    if not isinstance(node, And):
        return None
    split = node.operands[-1].span.start
    head = text[start : right.start]
    other = f"({text[start:split].rstrip()}) {text[split : right.end]}"
    return warning(
        f"{shown(text[start : right.end])} reads as {shown(f'{head}({text[slice(*right)]})')}; "
        f"write {shown(other)} if you mean that",
        Span(start, right.end),
    )
