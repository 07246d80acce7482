"""Constraint queries (RFC 35): read, written, completed, and what is said of odd ones."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.notation.problem import Problem, Span
from fluxtui.notation.query import advice
from fluxtui.notation.query.completion import completions as query_completions
from fluxtui.notation.query.format import format as format_query
from fluxtui.notation.query.format import from_constraint
from fluxtui.notation.query.parser import parse as parse_query
from fluxtui.notation.query.tree import And, Not, Or, Term, to_constraint
from fluxtui.notation.sets import idset
from tests.constraints import Machine, holds, objects
from tests.each import for_each


def constraint(text):
    parsed = parse_query(text)
    assert parsed.ok, parsed.problems
    return to_constraint(parsed.tree)


def query_places(tree):
    places = {}
    to_constraint(tree, places)
    return places


def under(text, severity="error"):
    """The characters each problem is about."""
    problems = [p for p in parse_query(text).problems if p.severity == severity]
    return [text[slice(*p.span)] for p in problems]


def bare(node):
    """A tree without its places."""
    if isinstance(node, Term):
        return Term(node.name, node.values)
    if isinstance(node, Not):
        return Not(bare(node.operand))
    return type(node)(tuple(bare(x) for x in node.operands))


# What a query means.


@for_each(
    "row",
    [
        ("a", {"properties": ["a"]}),
        ("a,b", {"properties": ["a", "b"]}),
        ("a b", {"properties": ["a", "b"]}),
        ("host:n[1-3]", {"hostlist": ["n[1-3]"]}),
        ("rank:0,3", {"ranks": ["0,3"]}),
        ("x:1,2", {"x": ["1,2"]}),
        (":x", {"": ["x"]}),
        ("'a b'", {"properties": ["a b"]}),
        ("host: foo", {"hostlist": ["foo"]}),
        ("host:'' foo", {"hostlist": ["foo"]}),
        ("a: (b)", {"a": ["b"]}),
        ("a: -b", {"not": [{"a": ["b"]}]}),
        ("x 'and:y' z", {"and": [{"properties": ["x"]}, {"and": ["y"]}, {"properties": ["z"]}]}),
        ("'or:x'|y", {"or": ["x", {"properties": ["y"]}]}),
    ],
)
def test_terms(row):
    text, expected = row
    assert constraint(text) == expected


@for_each(
    "row",
    [
        ("a|b c", "(a|b)&c"),
        ("a|b (c)", "(a|b)&c"),
        ("a|b&c", "a|(b&c)"),
        ("a|b -c", "a|(b -c)"),
        ("a|b not c", "a|(b not c)"),
        ("not a b", "(not a) b"),
        ("not a -b", "not (a -b)"),
        ("not a&b|c", "((not a)&b)|c"),
        ("a -b -c", "a (-b -c)"),
        ("a && b || c", "a&b|c"),
        ("a and b or c", "a&b|c"),
        ("(a|b)|c", "a|b|c"),
    ],
)
def test_binding(row):
    text, same = row
    assert constraint(text) == constraint(same)


def test_merging_stops_at_another_operator():
    assert constraint("a b host:x c") == {
        "and": [{"properties": ["a", "b"]}, {"hostlist": ["x"]}, {"properties": ["c"]}]
    }
    assert constraint("a -b -c") == {
        "and": [
            {"properties": ["a"]},
            {"and": [{"not": [{"properties": ["b"]}]}, {"not": [{"properties": ["c"]}]}]},
        ]
    }


def test_places():
    text = "-host:n[1-3] or (gpu,ssd)"
    tree = parse_query(text).tree
    places = query_places(tree)
    shown = {path: text[slice(*place.span)] for path, place in places.items()}
    assert shown == {
        "": text,
        "or": text,
        "or[0]": "-host:n[1-3]",
        "or[0].not": "-",
        "or[0].not[0]": "host:n[1-3]",
        "or[0].not[0].hostlist": "host:",
        "or[0].not[0].hostlist[0]": "n[1-3]",
        "or[1]": "gpu,ssd",
        "or[1].properties": "gpu,ssd",
        "or[1].properties[0]": "gpu",
        "or[1].properties[1]": "ssd",
    }


def test_places_of_an_operand_in_quotes():
    text = "rank: '0,3-1'"
    place = query_places(parse_query(text).tree)["ranks[0]"]
    assert text[slice(*place.within(Span(2, 5)))] == "3-1"


# What is wrong with a query.


@for_each(
    "row",
    [
        ("", [""]),
        ("   ", ["   "]),
        ("''", ["''"]),
        ("a|", ["|"]),
        ("|a", ["|"]),
        ("a&&&b", ["&"]),
        ("a or and b", ["and"]),
        ("not", ["not"]),
        ("a -", ["-"]),
        ("-(a|b)", ["-"]),
        ("--a", ["-"]),
        ("-not a", ["-"]),
        ("()", ["()"]),
        ("(() a)", ["()"]),
        ("(a", ["("]),
        ("((a)", ["("]),
        ("a)", [")"]),
        ("a)b)c", [")", ")"]),
        ("(a|)", ["|"]),
        ("'a", ["'"]),
        ("host:", ["host:"]),
        ("a host:''", ["host:"]),
        ("host:'", ["'"]),
        ("foo,bar:baz", [","]),
        ("foo!:baz", ["!"]),
        ("a\u00a0b", ["\u00a0"]),
        ("a|(b&)|-", ["&", "-"]),
    ],
)
def test_errors_stand_under_their_characters(row):
    text, wrong = row
    assert under(text) == wrong


def test_a_wrong_query_still_gives_the_tree_so_far():
    parsed = parse_query("(gpu | ssd) & (host:n1 -")
    assert bare(parsed.tree) == And(
        (Or((Term(None, ("gpu",)), Term(None, ("ssd",)))), Term("host", ("n1",)))
    )
    assert bare(parse_query("-(a|b)").tree) == Not(Or((Term(None, ("a",)), Term(None, ("b",)))))
    assert bare(parse_query("host:").tree) == Term("host", ())


@for_each(
    "text",
    [
        "(" * 5000,
        "not " * 5000,
        "(" * 500 + "a" + ")" * 500,
        "-a " * 5000,
        "a|b c|" * 5000 + "d",
    ],
    label=lambda text: text[:9],
)
def test_deep_nesting_is_an_error(text):
    parsed = parse_query(text)
    errors = [p.message for p in parsed.problems if p.severity == "error"]
    assert errors == ["the query is nested deeper than 100 levels"]
    if parsed.tree is not None:
        query_places(parsed.tree)


def test_deep_and_wide_enough():
    assert constraint("(" * 90 + "a" + ")" * 90) == {"properties": ["a"]}
    assert len(constraint(" ".join(f"host:n{i}" for i in range(5000)))["and"]) == 5000
    assert format_query(parse_query("|".join(["a"] * 5000)).tree).count("|") == 4999


@for_each(
    "row",
    [
        ("", "a property name"),
        ("a", "'&'"),
        ("a |", "a property name"),
        ("-", "a property name"),
        ("host:", "a hostlist such as n[1-3]"),
        ("rank:", "an idset such as 0-3,7"),
        ("x 'a", "the closing '"),
    ],
)
def test_expected_at_the_end(row):
    text, expected = row
    assert parse_query(text).expected[0] == expected


def test_a_closing_parenthesis_is_expected_only_where_one_is_open():
    assert "')'" in parse_query("(a").expected
    assert "')'" not in parse_query("(a)").expected


# Readings that surprise.


@for_each(
    "row",
    [
        ("a|b c", "a|b c", "'a|b c' reads as '(a|b) c'; write 'a|(b c)' if you mean that"),
        ("x|a|b c d", "x|a|b c", "write 'x|a|(b c)'"),
        ("x&-gpu,debug", "-gpu,debug", "write '-gpu -debug' for nodes with neither"),
        ("not gpu,debug x", "not gpu,debug", "reads as 'not (gpu&debug)'"),
        ("a|b -c", "a|b -c", "reads as 'a|(b -c)'; write '(a|b) -c' if you mean that"),
        ("a|b&c -d", "a|b&c -d", "reads as 'a|(b&c -d)'"),
        ("not a -b", "not a -b", "reads as 'not (a -b)'"),
        ("!gpu", "!gpu", "write '-gpu' for nodes without it; '!gpu' is a property name here"),
        ("a AND b", "AND", "the operator is and"),
        ("Not a", "Not", "the operator is not"),
        ("-host:n1,-host:n2", ",-host:", "one hostlist"),
        ("rank:1,rank:2", ",rank:", "one idset"),
        ("a,-b", "-b", "write a space"),
        ("a,", ",", "an empty property"),
        (",a", ",", "comes before it"),
        ("a, b", ",", "an empty property"),
        ("not-ssd", "not-ssd", "reads as 'not -ssd'"),
        ("not.ssd", "not.ssd", "reads as 'not .ssd'"),
        ("x or.ange", "or.ange", "reads as 'or .ange'"),
        ("foo'bar'", "foo'bar'", "\"foo'bar'\" reads as \"foo 'bar'\""),
        ("'foo'bar.", "'foo'bar.", "reads as \"'foo' bar.\""),
        ("a ''", "''", "nothing at all"),
        ("host: -n1", "host:", "from beyond '-'"),
    ],
)
def test_advice(row):
    text, place, says = row
    warnings = parse_query(text).problems
    assert [p.severity for p in warnings] == ["warning"]
    assert text[slice(*warnings[0].span)] == place
    assert says in warnings[0].message


@for_each(
    "text",
    [
        "a b -c",
        "(a|b) c",
        "a|(b -c)",
        "a&b|c&d",
        "not (a -b)",
        "not not a",
        "-a -b",
        "host: foo",
        "host:n[1,3],m",
        "'AND'",
        "nothing",
        "^slow,gpu",
        "not (a)",
        "not (a,b)",
        "-host:a,b",
        "a or (b)",
    ],
)
def test_no_advice_where_nothing_surprises(text):
    assert parse_query(text).problems == ()


# Negated lists and commas too many.


def negated(text: str) -> Problem | None:
    """What is said of a query that is one negated term."""
    tree = parse_query(text).tree
    assert tree is not None
    assert tree.kind == "not"
    assert tree.operand.kind == "term"
    return advice.negated_list(text, tree.span, tree.operand)


@for_each(
    "row",
    [
        (
            "-gpu,debug",
            "write '-gpu -debug' for nodes with neither; '-gpu,debug' reads as 'not (gpu&debug)'",
        ),
        (
            "not gpu,debug",
            "write '-gpu -debug' for nodes with neither; "
            "'not gpu,debug' reads as 'not (gpu&debug)'",
        ),
        (
            "-properties:a,b,c",
            "write '-a -b -c' for nodes with none of them; "
            "'-properties:a,b,c' reads as 'not (a&b&c)'",
        ),
    ],
)
def test_a_negated_list_lets_nodes_with_one_of_them_pass(row: Any) -> None:
    text, says = row
    problem = negated(text)
    assert problem == Problem(says, Span(0, len(text)), None, (), "RFC 35", "warning")


@for_each("text", ["-gpu,debug", "not gpu,debug", "-'gpu,debug'"])
def test_what_to_write_asks_for_neither_and_what_it_reads_as_is_the_same(text: str) -> None:
    gpu, debug = {"properties": ["gpu"]}, {"properties": ["debug"]}
    assert constraint("-gpu -debug") == {"and": [{"not": [gpu]}, {"not": [debug]}]}
    assert constraint(text) == constraint("not (gpu&debug)")
    assert negated(text) is not None


@for_each(
    "text",
    ["-gpu", "-host:a,b", "-rank:1,2", "-a,", "-a,-b", "-a,!b", "-^a,b", "-'a b,c'", "-a,and"],
)
def test_all_else_that_is_negated_is_fine_or_said_otherwise(text: str) -> None:
    assert negated(text) is None


@for_each("text", ["-1,2", "-0-3,7", "-n1,n2", "-gpu,n1,n2", "-a,a"])
def test_what_may_be_hosts_or_ranks_and_one_name_twice_are_no_list_to_part(text: str) -> None:
    assert negated(text) is None
    assert parse_query(text).problems == ()


def test_a_name_that_stands_twice_is_written_once() -> None:
    problem = negated("-a,b,a")
    assert problem is not None
    assert problem.message.startswith("write '-a -b' for nodes with neither; '-a,b,a' reads as ")


@for_each(
    "row",
    [
        ("gpu , batch", [","], "leave this comma out, or the white space beside it; alone"),
        ("gpu ,, batch", [",,"], "alone it names empty properties, which no node can"),
        ("gpu, batch", [","], "leave this comma out, or the white space beside it; nothing comes "
         "after it, which names an empty property that no node has"),
        ("gpu ,batch", [","], "leave this comma out, or the white space beside it; nothing comes "
         "before it"),
        ("gpu,,batch", [","], "leave this comma out; nothing comes after it"),
    ],
)  # fmt: skip
def test_a_comma_too_many(row: Any) -> None:
    text, places, says = row
    problems = parse_query(text).problems
    assert [text[slice(*p.span)] for p in problems if p.span] == places
    assert all(says in p.message and p.severity == "warning" for p in problems)


# Colours.


def test_tokens():
    text = "-^gpu,'b c' host:n1|(x) é"
    parsed = parse_query("-gpu,^b host:n1|('x')")
    kinds = [(t.kind, parsed.text[slice(*t.span)]) for t in parsed.tokens]
    assert kinds == [
        ("operator", "-"),
        ("property", "gpu"),
        ("punctuation", ","),
        ("operator", "^"),
        ("property", "b"),
        ("operator", "host:"),
        ("value", "n1"),
        ("operator", "|"),
        ("punctuation", "("),
        ("punctuation", "'"),
        ("property", "x"),
        ("punctuation", "'"),
        ("punctuation", ")"),
    ]
    assert parse_query(text).tokens


# Formatting is the inverse of parsing.

NAMES = st.text(
    st.characters(codec="utf-8", exclude_characters=",\"'"), min_size=1, max_size=5
) | st.sampled_from(["not", "and", "or", "-x", "a:b", "x:", "not-a", "(a)", " ", "it's", 'q"'])
PROPERTIES = st.lists(NAMES, min_size=1, max_size=3).map(tuple)
OPERATORS = st.sampled_from(["host", "hosts", "hostlist", "rank", "ranks", "", "not", "x", "a-b"])
VALUES = st.text(min_size=1, max_size=6)


def one_quote_at_most(term):
    text = ",".join(term.values)
    return not ("'" in text and '"' in text)


TERMS = (
    PROPERTIES.map(lambda names: Term("properties", names))
    | PROPERTIES.map(lambda names: Term(None, names)).filter(
        lambda term: not any(":" in name for name in term.values)
    )
    | st.builds(lambda name, value: Term(name, (value,)), OPERATORS, VALUES)
).filter(one_quote_at_most)
TREES = st.recursive(
    TERMS,
    lambda inner: (
        inner.map(lambda node: Not(operand=node))
        | st.lists(inner, min_size=2, max_size=4).map(lambda nodes: And(tuple(nodes)))
        | st.lists(inner, min_size=2, max_size=4).map(lambda nodes: Or(tuple(nodes)))
    ),
    max_leaves=12,
)


@given(TREES)
def test_format_is_the_inverse_of_parse(tree):
    text = format_query(tree)
    parsed = parse_query(text)
    assert parsed.ok, (text, parsed.problems)
    assert bare(parsed.tree) == tree, text


@for_each(
    "row",
    [
        ("(gpu) and  not debug", "gpu&-debug"),
        ("a or (b and 'c')", "a|b&c"),
        ("not (a b)", "not (a&b)"),
        ("(a|b) c", "(a|b)&c"),
        ('"a b"', "'a b'"),
        ('"it\'s"', '"it\'s"'),
    ],
)
def test_format(row):
    text, shortest = row
    assert format_query(parse_query(text).tree) == shortest


@for_each("term", [Term("host", ()), Term(None, ("a'\"",)), Term("a,b", ("x",))])
def test_format_refuses_what_no_text_says(term):
    with pytest.raises(ValueError, match=r"."):
        format_query(term)


WORDS = ["a", "b,", " ", "&", "|", "-", "not ", "and", " or ", "(", ")", "'", '"', "host:", ":"]


@given(st.lists(st.sampled_from(WORDS), max_size=20).map("".join) | st.text(max_size=20))
def test_any_text_is_read(text):
    parsed = parse_query(text)
    for problem in parsed.problems:
        assert problem.span is not None
        assert 0 <= problem.span.start <= problem.span.end <= len(text)
    end = 0
    for token in parsed.tokens:
        assert end <= token.span.start < token.span.end <= len(text)
        end = token.span.end
    assert (parsed.tree is not None) or not parsed.ok
    if parsed.ok:
        assert query_places(parsed.tree)


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


A = {"properties": ["a"]}


@for_each(
    "row",
    [
        ({"properties": ["gpu"]}, "gpu"),
        ({"properties": ["a", "b"]}, "a,b"),
        (
            {"and": [{"hostlist": ["a", "b[1-2]"]}, {"not": [{"ranks": ["0"]}]}]},
            "host:a,b[1-2]&-rank:0",
        ),
        ({"ranks": ["0-1", "1-2"]}, "rank:0-2"),
        ({"ranks": ["0", "", "2"]}, "rank:0,2"),
        ({"ranks": ["[0-1]"]}, "rank:[0-1]"),
        ({"ranks": ["0,,1", "2"]}, "rank:0,,1|rank:2"),
        ({"ranks": ["[]", "[]"]}, "rank:[]"),
        ({"properties": ["{gen}"]}, "'{gen}'"),
        ({"properties": ["a", "{gen}"]}, "a,{gen}"),
        ({"properties": ["{a:b}"]}, "properties:{a:b}"),
        ({"properties": [""]}, ","),
        # Flux makes one row of what stands on the left, and keeps what stands on the right apart.
        ({"and": [{"and": [{"ranks": ["0"]}, {"ranks": ["1"]}]}, A]}, "rank:0&rank:1&a"),
        ({"or": [{"or": [A, {"or": [A, A]}]}, A]}, "a|(a|a)|a"),
        ({"and": [A, {"and": [A, A]}]}, "a&(a&a)"),
        ({}, ""),
        ({"and": []}, ""),
        ({"not": []}, None),
        ({"properties": ["a,b"]}, None),
        ({"properties": ["'\""]}, None),
        ({"properties": "gpu"}, None),
        ({"a": ["x"], "b": ["y"]}, None),
        ([], None),
        ({"properties": [5]}, None),
        ({"host:": ["x"]}, None),
    ],
)
def test_from_constraint(row):
    obj, text = row
    assert from_constraint(obj) == text


def test_what_is_too_deep_for_a_query_has_none():
    obj = A
    texts = []
    for level in range(140):
        obj = {"or" if level % 2 else "and": [A, obj]}
        texts.append(from_constraint(obj))
    assert all(parse_query(text).ok for text in texts if text)
    assert texts[30]
    assert texts[-1] is None


# Completion.

PROPERTIES_SEEN = {"gpu": 48, "amd@gpu": 1, "batch": 1180, "not": 2, "a:b": 3}
HOSTS = [f"n{i}" for i in range(300)]
RANKS = idset.parse("0-11").value


def offered(text, cursor=None):
    cursor = len(text) if cursor is None else cursor
    found = query_completions(text, cursor, PROPERTIES_SEEN, HOSTS, RANKS)
    return [text[: c.span.start] + c.text + text[c.span.end :] for c in found]


def test_completions_of_properties():
    assert offered("-g") == ["-gpu", "-amd@gpu"]
    assert offered("x|(gp") == ["x|(gpu", "x|(amd@gpu"]
    assert offered("batch,^g") == ["batch,^gpu", "batch,^amd@gpu"]
    assert offered("properties:b") == ["properties:batch", "properties:a:b"]
    assert "'not'" in offered("no")
    assert offered("g&a", 1) == ["gpu&a", "amd@gpu&a"]
    assert query_completions("ba", 2, PROPERTIES_SEEN)[0].description == "1,180 nodes"
    assert query_completions("amd", 3, PROPERTIES_SEEN)[0].description == "1 node"


def test_completions_of_operators():
    assert {"host:", "rank:", "not "} <= set(offered(""))
    assert "gpu or " in offered("gpu o")
    assert "and " not in offered("")
    assert "-not " not in offered("-")
    assert offered("gpu&ho") == ["gpu&host:"]


def test_completions_of_hosts_and_ranks():
    assert offered("host:n29")[:2] == ["host:n290", "host:n291"]
    assert offered("host:n[1-3],n29")[0] == "host:n[1-3],n290"
    assert offered("host:n[1") == ["host:n[1-", "host:n[1,", "host:n[1]"]
    assert len(offered("host:")) == 50
    assert offered("gpu rank:1") == [
        "gpu rank:10",
        "gpu rank:11",
        "gpu rank:1-",
        "gpu rank:1,",
    ]
    assert offered("gpu&rank:2-") == ["gpu&rank:2-11"]


@given(st.text("ab:,-'\"(n[012r", max_size=8), st.integers(0, 8))
def test_completions_never_fail_and_replace_what_is_typed(text, cursor):
    cursor = min(cursor, len(text))
    for completion in query_completions(text, cursor, PROPERTIES_SEEN, HOSTS, RANKS):
        assert 0 <= completion.span.start <= completion.span.end == cursor
        assert completion.description
