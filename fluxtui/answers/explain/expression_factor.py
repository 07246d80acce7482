"""Expressions of properties made shorter and tidier: ``a&c|b&c`` is ``c&(a|b)`` (RFC 35)."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from fluxtui.answers.explain.expression_terms import both, either
from fluxtui.notation.query.format import format as format_query
from fluxtui.notation.query.tree import And, Node, Not, Or

_Join: TypeAlias = Callable[[Iterable[Node]], Node]


def factored(node: Node) -> Node:
    """The same expression, shorter where its operands have something in common."""
    if node.kind == "not":
        return Not(factored(node.operand))
    if node.kind == "term":
        return node
    joins, below = ((either, both), "and") if node.kind == "or" else ((both, either), "or")
    rows = [
        inner.operands if isinstance(inner, And | Or) and inner.kind == below else (inner,)
        for inner in node.operands
    ]
    found = _joined(rows, *joins)
    return found if len(format_query(found)) < len(format_query(node)) else node


def _joined(rows: Sequence[tuple[Node, ...]], outer: _Join, inner: _Join) -> Node:
    """Rows of operands joined, what most of them share standing before the others."""
    if len(rows) == 1:
        return inner(rows[0])
    counts = Counter(node for row in rows for node in set(row))
    shared, count = max(counts.items(), key=lambda item: (item[1] - 1) * _length(item[0]))
    if count < 2:
        return outer(inner(row) for row in rows)
    having = [tuple(node for node in row if node != shared) for row in rows if shared in row]
    # One that is nothing but the shared operand makes the others needless.
    group = inner((shared, _joined(having, outer, inner))) if all(having) else shared
    others = [row for row in rows if shared not in row]
    return outer((group, _joined(others, outer, inner))) if others else group


def _length(node: Node) -> int:
    return len(format_query(node)) + 1


def ordered(node: Node, places: Mapping[str, int]) -> Node:
    """The same with operands in a row sorted: properties, what is in parentheses, what is negated.

    places gives the order of the properties.
    """
    if node.kind == "term":
        values = sorted(node.values, key=lambda name: places.get(name, 0))
        return node._replace(values=tuple(values))
    if node.kind == "not":
        return Not(ordered(node.operand, places))
    inner = sorted(
        (ordered(one, places) for one in node.operands), key=lambda one: _rank(one, places)
    )
    return And(tuple(inner)) if node.kind == "and" else Or(tuple(inner))


def _rank(node: Node, places: Mapping[str, int]) -> tuple[int, int]:
    if node.kind == "term":
        return 0, places.get(node.values[0], 0)
    if node.kind == "not":
        negated, place = _rank(node.operand, places)
        return negated + 2, place
    return 1, _rank(node.operands[0], places)[1]
