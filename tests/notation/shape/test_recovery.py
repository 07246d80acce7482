"""What is kept of a wrong or unfinished shape, what is said of it, and what may come next."""

from typing import Any

from fluxtui.notation.problem import Span
from fluxtui.notation.shape.format import format_shape
from fluxtui.notation.shape.parser import parse_shape
from tests.each import for_each

# Texts with something wrong: the tree that is kept, then each problem under its characters.
WRONG = [
    ("node=4/slot/[core=8;gp", "node=4/slot/[core=8;gp]", [("[", "the bracket '[' is not closed")]),
    ("node=4/slot/", "node=4/slot", [((11, 12), "a child is missing after '/'")]),
    ("node=/core", "node/core", [("=", "a count is missing after '='")]),
    ("node=x4/core", "node/core", [("x4", "'x4' is not a count")]),
    ("node=30-3", "node=30-3", [((8, 9), "the largest count, 3, is below the smallest, 30")]),
    ("node==4", "node=4", [((4, 5), "a count is missing after '='"),
                           ((5, 6), "a second count for one resource")]),
    ("node=1, 3", None, [((6, 7), "an id is missing after ','"),
                         ("3", "'3' does not belong here")]),
    ("node=[4/core", "node=4/core", [("[", "the bracket '[' is not closed")]),
    ("node 4/core", "node/core", [("4", "'=' is missing before the count '4'")]),
    ("[a/,b=1-3,7;c]", "[a;b=1-3,7;c]", [((2, 3), "a child is missing after '/'"),
                                         ((3, 4), "resources are separated by ';', not ','")]),
    ("node{x}=4", "node=4{x}", [("=", "the count comes before the braces")]),
    ("node{x}{y}", "node{x,y}", [((7, 8), "a second pair of braces for one resource")]),
    ("node{x/core", "node{x}/core", [("{", "the brace '{' is not closed")]),
    ("[node{x;gpu]", "[node{x};gpu]", [("{", "the brace '{' is not closed")]),
    ("node{a/b:1}/core", "node{a}/core", [("/b:1", "'/b:1' needs quotes, or a comma before it")]),
    ("node{x unit:GB}", "node{x}", [("unit:GB", "'unit:GB' does not belong here")]),
    ("node{x,}", "node{x}", [(",", "a key is missing after ','")]),
    ("node{,x}", "node{x}", [(",", "a key is missing before ','")]),
    ("node{:1}", "node", [(":", "a key is missing before ':'")]),
    ("node{a:,x}", "node{x}", [(":", "a value is missing after ':'")]),
    ("node{+}", "node", [("+", "a key is missing after '+'")]),
    ("node{+-a}", "node{a}", [("-a", "'-a' has a second sign")]),
    ("node{+a:1}", "node{a:1}", [(":", "a key with a sign takes no value; + already gives one")]),
    ("node{a{b}}", "node{a:{b}}",
     [((6, 7), "':' is missing between a key and its value at '{'")]),
    ('node{a:"b,x}/core', "node{a:b,x}/core", [('"', 'the quotation mark " is not closed')]),
    ('node{a:"b"c}', "node{a:b}", [("c", "'c' does not belong here")]),
    ('node{"a\\qb"}', "node{aqb}", [("\\q", "'\\q' is not an escape")]),
    ('node{"\\ud800"}', 'node{\N{REPLACEMENT CHARACTER}}',
     [("\\ud800", "'\\ud800' is half of a character")]),
    ('node{a:"b\tc"}', 'node{a:"b\\tc"}',
     [("\t", "a control character in quotes is written as \\u0009")]),
    ("node{a:[1,b]}", 'node{a:[1,"b"]}',
     [("b", "a string in an array needs quotes; found 'b'")]),
    ("node{a:[1,]}", "node{a:[1]}", [(",", "a value is missing after ','")]),
    ("node{a:[1}/core", "node{a:[1]}/core", [("[", "the bracket '[' is not closed")]),
    ("node{a:1e999}", 'node{a:"1e999"}', [("1e999", "the number '1e999' is too large")]),
    ("node{a,a:1}", "node{a,a:1}", [((7, 8), "duplicate key 'a'")]),
    ("node{x,exclusive}", "node{x,x}", [("exclusive", "duplicate key 'exclusive'")]),
    ("node{count:3}", "node{count:3}",
     [("count", "the count comes before the braces, as in =4, not as a key")]),
    ("node{type:a}", "node{type:a}", [("type", "the type comes before the braces, not as a key")]),
    ("node{with:a}", "node{with:a}",
     [("with", "children come after the braces, as in /core, not as a key")]),
    ("node{unit:5}", "node{unit:5}", [("5", "the value of 'unit' is a string")]),
    ("node{x:1}", "node{x:1}", [("1", "the value of 'exclusive' is true or false")]),
    ("node//core", "node/core", [((5, 6), "a resource type is missing before '/'")]),
    ("=4/core", '""=4/core', [("=", "a resource type is missing before '='")]),
    ('""', "[]", [('""', "a resource type is empty")]),
    ("node;core", "[node;core]",
     [(";", "several resources at the top need brackets, as in [node;core]")]),
    ("[node,core]", "[node;core]", [(",", "resources are separated by ';', not ','")]),
    ("[node;]", "node", [(";", "a resource is missing after ';'")]),
    ("[node;;core]", "[node;core]", [((6, 7), "a resource is missing before ';'")]),
    ("[;node]", "node", [(";", "a resource is missing before ';'")]),
    ("node/[]", "node", [("]", "a list holds at least one resource")]),
    ("[[node;core];gpu]", "[node;core;gpu]",
     [((1, 2), "a list cannot be directly in a list")]),
    ("[node;core]/gpu", "[node;core;gpu]",
     [("/", "children follow one resource, not a list")]),
    ("node/[core]gpu", "[node/core;gpu]", [("g", "';' is missing before 'g'")]),
    ("node[core;gpu]", "node/[core;gpu]", [("[", "'/' is missing before '['")]),
    ("node}/core", "node/core", [("}", "'}' closes nothing; no '{' is open")]),
    ("[node]]", "node", [((6, 7), "']' closes nothing; no '[' is open")]),
    ("node]/core", "node/core", [("]", "']' closes nothing; no '[' is open")]),
    ("slot", "slot", [("slot", "a slot needs children")]),
    ('"slot"=4', "slot=4", [('"slot"', "a slot needs children")]),
    ("slot{}/core", "slot/core", [("}", "the braces of a slot start with its label")]),
    ("slot{-x}/core", None,
     [("-", "the first entry of a slot is its label, and this is a key")]),
    ("slot{label:a}/core", "slot{a}/core",
     [(":", "a slot label takes no value; write {name}")]),
    ("slot/slot{a}/core", "slot/slot{a}/core",
     [((0, 4), "a slot needs a label where there is more than one slot")]),
    ("[slot{a}/core;node/slot/core]", "[slot{a}/core;node/slot/core]",
     [((19, 23), "a slot needs a label where there is more than one slot")]),
    ("[slot{a}/core;slot{a}/core]", "[slot{a}/core;slot{a}/core]",
     [((19, 20), "the label 'a' is already taken")]),
    ("[slot{a}/core;node{label:a}]", "[slot{a}/core;node{label:a}]",
     [((25, 26), "the label 'a' is already taken")]),
    ("", "[]", [((0, 0), "the shape is empty")]),
]  # fmt: skip


@for_each("case", WRONG)
def test_goes_on_after_problems(case: Any) -> None:
    text, kept, problems = case
    read = parse_shape(text)
    found = [(p.span, p.message) for p in read.problems]
    wanted = [
        (where if isinstance(where, tuple) else find(text, where), message)
        for where, message in problems
    ]
    assert found == wanted
    assert not read.ok
    if kept is not None:
        assert format_shape(read) == kept


def find(text: str, part: str) -> Span:
    start = text.index(part)
    return Span(start, start + len(part))


def test_a_label_that_looks_like_a_key_is_warned_of() -> None:
    read = parse_shape("slot{x}/core")
    assert read.ok
    assert read.vertices[0].label == "x"
    assert [(p.severity, p.span) for p in read.problems] == [("warning", Span(5, 6))]


@for_each(
    "case",
    [
        ("", ("a resource type", "[ and a list")),
        ("node", ("= and a count", "{ and keys", "/ and children")),
        ("node=", ("a count such as 4, 2-8 or 2+",)),
        ("node=4", ("+ for this many or more", "- and the most", "{ and keys", "/ and children")),
        ("node=2-", ("a largest count",)),
        ("node=2-8:2:", ("+", "*", "^")),
        ("node=[4", ("+ for this many or more", "- and the most", "] to close the count")),
        ("node/", ("a resource type", "[ and a list")),
        ("slot", ("= and a count", "{ and a label", "/ and children")),
        ("slot{", ("a label",)),
        ("slot{a", ("a comma and another key", "} to close the braces")),
        ("node{", ("a key", "} to close the braces")),
        ("node{x", (": and a value", "a comma and another key", "} to close the braces")),
        ("node{x,", ("a key",)),
        ("node{-", ("a key",)),
        ("node{unit:", ("a value",)),
        ('node{unit:"G', ('a closing "',)),
        ("node{a:[", ("a value", "] to close the array")),
        ("node{a:[1", ("a comma and another value", "] to close the array")),
        ("node{x}", ("/ and children",)),
        (
            "[node",
            (
                "= and a count",
                "{ and keys",
                "/ and children",
                "; and another resource",
                "] to close the list",
            ),
        ),
        ("[node;", ("a resource type",)),
        ("[node]", ()),
    ],
)
def test_what_may_come_next(case: Any) -> None:
    text, expected = case
    assert parse_shape(text).expected == expected
