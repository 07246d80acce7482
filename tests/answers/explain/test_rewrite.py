"""Texts with parts left out or replaced say just that, and keep what was not touched."""

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fluxtui.answers.explain.edit import edited, rewritten
from fluxtui.answers.explain.logic import normal
from fluxtui.model.constraint import requires, tree
from fluxtui.model.constraint.tree import Constraint, Properties
from tests.answers.explain.cases import Case, clusters, constraints, demo, explained, holds, texts


def read(obj: dict[str, Any]) -> Constraint:
    found = tree.read(obj).value
    assert found is not None
    return found


@given(clusters(), texts, st.data())
def test_a_text_after_edits_says_what_they_say(case: Case, text: str, data: st.DataObject) -> None:
    reading = requires.read(text)
    assume(reading.constraint is not None)
    assert reading.constraint is not None
    explanation = explained(text, case.resources)
    paths = [part.path for part in explanation.root.walk()]
    new = st.sampled_from([None, Properties(("b",)), read({"ranks": ["3-9"]}), read({})])
    edits = data.draw(st.dictionaries(st.sampled_from(paths), new, min_size=1, max_size=3))
    wanted = edited(reading.constraint, edits)
    found = rewritten(reading, edits)
    if wanted is None:
        assert found == ""
    elif found is None:  # such as what matches everything, which no query says
        assert not reading.is_json
    else:
        again = requires.read(found)
        assert again.constraint is not None
        assert again.is_json == reading.is_json
        assert normal(again.constraint) == normal(wanted)


@given(constraints, constraints, clusters())
def test_what_means_the_same_matches_the_same(
    one: dict[str, Any], other: dict[str, Any], case: Case
) -> None:
    turned = {"not": [{"not": [{"and": [one]}]}]}
    assert normal(read(turned)) == normal(read(one))
    both = ({"and": [one, other, one]}, {"and": [other, {"and": [one]}]})
    assert normal(read(both[0])) == normal(read(both[1]))
    if normal(read(one)) == normal(read(other)):
        for node in case.nodes:
            assert holds(one, node) == holds(other, node)


@pytest.mark.parametrize(
    ("text", "path", "result"),
    [
        ("a & b & c", "properties[0]", "b & c"),
        ("a & b & c", "properties[1]", "a & c"),
        ("a & b & c", "properties[2]", "a & b"),
        ("a,b,c", "properties[0]", "b,c"),
        ("a,b,c", "properties[2]", "a,b"),
        ("a b -c", "and[0]", "b -c"),
        ("a b -c", "and[1].and[0]", "a -c"),
        ("  a and  b ", "properties[0]", "  b "),
        ("a|b c", "and[0].or[1]", "a c"),
        ("a|b -c", "or[1].and[1]", "a|b"),
        ("(a|b)&c", "and[0]", "c"),
        ("x|(a&b)", "or[1].properties[1]", "x|a"),
        ("x|( a&(b|c) )", "or[1].and[0]", "x|(b|c)"),
        ("not (a b) & c", "and[0].not[0].properties[0]", "not b & c"),
        ("not a -b", "not[0].and[1]", "not a"),
        ("((a)) | ((b))", "or[0]", "((b))"),
        ("host:n1,n2 & 'a'", "and[0]", "'a'"),
        ("'a,b'", "properties[1]", "'a'"),
        ("properties:a,b", "properties[0]", "properties:b"),
        ('{"and":[{"properties":["a","b"]},{}]}', "and[0].properties[0]",
         '{"and":[{"properties":["b"]},{}]}'),
        ('{"and":[{"or":[{"ranks":["1"]}]},{}]}', "and[0].or[0]", '{"and":[{}]}'),
    ],
)  # fmt: skip
def test_a_part_is_left_out(text: str, path: str, result: str) -> None:
    explanation = explained(text, demo())
    found = rewritten(explanation.reading, {path: None})
    assert found == result


@pytest.mark.parametrize(
    ("text", "path", "new", "result"),
    [
        ("a & b & c", "properties[1]", {"properties": ["x"]}, "a & x & c"),
        ("a,b", "properties[1]", {"properties": ["^x"]}, "a,^x"),
        ("a & host:n1", "and[1]", {"hostlist": ["n2"]}, "a & host:n2"),
        ("a & hosts:'n1'", "and[1]", {"hostlist": ["n2"]}, "a & hosts:'n2'"),
        ("a & -b", "and[1]", {"properties": ["b"]}, "a & b"),
        ("a & not (b | c)", "and[1]", {"properties": ["b"]}, "a & b"),
        ("a & b", "properties[0]", {"hostlist": ["n1"]}, "host:n1 & b"),
        ("a,b", "properties[0]", {"hostlist": ["n1"]}, "host:n1&b"),
        ("a & b", "properties[0]", {"properties": ["and"]}, "'and' & b"),
        ('{"ranks": ["1", "2"]}', "", {"ranks": ["1", "3"]}, '{"ranks": ["1", "3"]}'),
        ('{"not": [{"ranks": ["1"]}, {}]}', "", {"and": [{"ranks": ["1"]}, {}]},
         '{"and": [{"ranks": ["1"]}, {}]}'),
        ('{"properties": ["a", "b"]}', "properties[0]", {"hostlist": ["n1"]},
         '{"and": [{"hostlist": ["n1"]}, {"properties": ["b"]}]}'),
    ],
)  # fmt: skip
def test_a_part_is_replaced(text: str, path: str, new: dict[str, Any], result: str) -> None:
    explanation = explained(text, demo())
    found = rewritten(explanation.reading, {path: read(new)})
    assert found == result


def test_hundreds_of_parentheses_take_no_time() -> None:
    text = "(" * 90 + "a&b" + ")" * 90
    explanation = explained(text, demo())
    found = rewritten(explanation.reading, {"properties[0]": None})
    assert found == "b"
    text = "a&(b|" * 30 + "c" + ")" * 30
    explanation = explained(text, demo())
    path = [part.path for part in explanation.root.walk()][-1]
    found = rewritten(explanation.reading, {path: None})
    assert found == "a&(b|" * 29 + "a&b" + ")" * 29
