"""What holds for every query (RFC 35); what single ones answer is recorded."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.notation.query.format import format as format_query
from fluxtui.notation.query.format import from_constraint
from fluxtui.notation.query.parser import parse as parse_query
from fluxtui.notation.query.tree import And, Not, Or, Term, to_constraint
from tests.constraints import Machine, holds, objects
from tests.each import for_each


def constraint(text):
    parsed = parse_query(text)
    assert parsed.ok, parsed.problems
    return to_constraint(parsed.tree)


def bare(node):
    """A tree without its places."""
    if isinstance(node, Term):
        return Term(node.name, node.values)
    if isinstance(node, Not):
        return Not(bare(node.operand))
    return type(node)(tuple(bare(x) for x in node.operands))


# Formatting is the inverse of parsing.

NAMES = st.text(
    st.characters(codec="utf-8", exclude_characters=",\"'"), min_size=1, max_size=5
) | st.sampled_from(["not", "and", "or", "-x", "a:b", "x:", "not-a", "(a)", " ", "it's", 'q"'])
PROPERTIES = st.lists(NAMES, min_size=1, max_size=3).map(tuple)
OPERATORS = st.sampled_from(["host", "hosts", "hostlist", "rank", "ranks", "", "not", "x", "a-b"])
VALUES = st.text(min_size=1, max_size=6).map(lambda value: (value,))
TERMS = (
    st.tuples(st.just("properties"), PROPERTIES)
    | st.tuples(st.none(), PROPERTIES).filter(lambda pair: ":" not in "".join(pair[1]))
    | st.tuples(OPERATORS, VALUES)
).map(lambda pair: Term(*pair))
TREES = st.recursive(
    TERMS.filter(lambda term: not {"'", '"'} <= {*"".join(term.values)}),
    lambda inner: (
        inner.map(lambda node: Not(operand=node))
        | st.builds(
            lambda kind, nodes: kind(tuple(nodes)),
            st.sampled_from([And, Or]),
            st.lists(inner, min_size=2, max_size=4),
        )
    ),
    max_leaves=12,
)


@given(TREES)
def test_format_is_the_inverse_of_parse(tree):
    text = format_query(tree)
    parsed = parse_query(text)
    assert parsed.ok, (text, parsed.problems)
    assert bare(parsed.tree) == tree, text


@for_each("term", [Term("host", ()), Term(None, ("a'\"",)), Term("a,b", ("x",))])
def test_format_refuses_what_no_text_says(term):
    with pytest.raises(ValueError, match=r"."):
        format_query(term)


# From a constraint object to a query.

NODES = [
    Machine(rank, f"n{rank}", frozenset(p for i, p in enumerate("abc") if rank >> i & 1))
    for rank in range(8)
]
CONSTRAINTS = objects(
    st.sampled_from(["a", "b", "^c", "it's"]),
    st.sampled_from(["n1,n2", "n3"]),
    st.sampled_from(["1,4", "4", ""]),
)


@given(CONSTRAINTS)
def test_from_constraint_means_the_same(obj):
    text = from_constraint(obj)
    expected = [holds(obj, node) for node in NODES]
    if text is None:
        assert not any(expected)
    elif not text:
        assert all(expected)
    else:
        assert [holds(constraint(text), node) for node in NODES] == expected


def test_what_is_too_deep_for_a_query_has_none():
    a = obj = {"properties": ["a"]}
    texts = []
    for level in range(140):
        obj = {"or" if level % 2 else "and": [a, obj]}
        texts.append(from_constraint(obj))
    assert all(parse_query(text).ok for text in texts if text)
    assert texts[30]
    assert texts[-1] is None
