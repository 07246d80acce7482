"""Constraint queries such as ``gpu&-debug|host:n[1-3]`` (RFC 35, in flux-core's reading).

The grammar, loosest first; operands beside each other are joined by and::

    expr    : expr '|' expr  |  expr '&' expr  |  expr expr
            | 'not' expr  |  '(' expr ')'  |  '-' term  |  term
    term    : [name ':'] operand

How tightly an operator binds depends on what follows it, and Flux's answer is the one that
counts: an operand that follows ``a|b`` without an operator is joined to all of it, so that
``a|b c`` is ``(a|b)&c``; but where the next word is ``not`` or ``-`` it is joined to ``b`` alone.
"""

from collections.abc import Iterable, Mapping
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from fluxtui.notation.problem import Completion, Span, Token, capped, unreadable
from fluxtui.notation.query.lexer import Lexed, lex, operand_of
from fluxtui.notation.query.parser import MAX_DEPTH, TERM_STARTS, Parser
from fluxtui.notation.query.tree import And, Node, Not, Or, Query, Term

if TYPE_CHECKING:
    from fluxtui.notation.places import Places
    from fluxtui.notation.sets.host_names import HostNames
    from fluxtui.notation.sets.idset import IdSet

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
    parser = Parser(text, lexed)
    tree = parser.run()
    problems = parser.problems
    if len(problems) > 1:
        problems.sort(key=lambda p: (p.span or Span(0, 0), p.severity))
    tokens = sorted(lexed.tokens, key=itemgetter(1))
    return Query(text, tree, tuple(tokens), capped(problems), _expected(text, lexed))


def to_constraint(tree: Node) -> dict[str, Any]:
    """The RFC 31 object Flux makes of a query, with its merging and flattening."""
    from fluxtui.notation.query.constraint import to_constraint as build

    return build(tree)


def places(tree: Node) -> "Places":
    """Where each part of ``to_constraint(tree)`` stands in the query, by its path."""
    from fluxtui.notation.query.constraint import places as build

    return build(tree)


def format(tree: Node) -> str:
    """The query text of a tree, with the fewest quotes and parentheses.

    ``parse(format(tree)).tree`` equals tree but for places. Raises ValueError where no text says
    it: an operand that is missing, or that holds both kinds of quotation marks.
    """
    from fluxtui.notation.query.format import format as write

    return write(tree)


def from_constraint(constraint: object) -> str | None:
    """A query that means the same as an RFC 31 object, or None where there is none.

    ``{}`` and all else that matches everything give the blank text.
    """
    from fluxtui.notation.query.format import from_constraint as write

    return write(constraint)


def completions(
    text: str,
    cursor: int,
    properties: Mapping[str, int],
    hosts: "Iterable[str] | HostNames" = (),
    ranks: "IdSet | None" = None,
) -> list[Completion]:
    """What may stand at the cursor, best first.

    properties maps each name to its number of nodes; hosts and ranks are those of the cluster.
    """
    from fluxtui.notation.query.completion import completions as complete
    from fluxtui.notation.sets.idset import EMPTY

    return complete(text, cursor, properties, hosts, EMPTY if ranks is None else ranks)
