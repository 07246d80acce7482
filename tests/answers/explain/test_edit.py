"""Edits at parts of a constraint mean what they say, node by node, and change little text."""

from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from fluxtui.answers.explain import edit
from fluxtui.answers.explain.edit import edited, rewritten
from fluxtui.answers.explain.explanation import Explanation, Part, normal
from fluxtui.model.constraint import requires, tree
from fluxtui.model.constraint.tree import Constraint, Properties, to_json
from fluxtui.notation.query.format import from_constraint
from tests.answers.explain.cases import (
    Case,
    clusters,
    constraints,
    demo,
    explained,
    holds,
    queries,
    revised,
    texts,
)
from tests.each import for_each

DEMO = demo()


def read(obj: dict[str, Any]) -> Constraint:
    found = tree.read(obj).value
    assert found is not None
    return found


def the_part(explanation: Explanation, piece: str) -> Part:
    """The part that is written so."""
    text = explanation.reading.text
    parts = explanation.root.walk()
    return next(part for part in parts if part.span and text[slice(*part.span)] == piece)


# What an edit means, node by node


def swapped(obj: dict[str, Any]) -> dict[str, Any]:
    ((operator, values),) = obj.items()
    if operator == "properties":
        return {"or": [{"properties": [value]} for value in values]}
    if operator == "not":
        return {"not": [{"or": values}]}
    return {"or" if operator == "and" else "and": values}


def agree(
    case: Case, explanation: Explanation, done: edit.Edited, wanted: dict[str, Any] | None
) -> None:
    """What was done asks for just what is wanted, in the form in which the text was."""
    if done.problem is not None:  # no query says what every node satisfies, or none
        assert wanted is not None
        assert not explanation.reading.is_json
        assert len({holds(wanted, node) for node in case.nodes}) == 1
        return
    if wanted is None:
        assert not done.text
        return
    again = requires.read(done.text)
    assert again.constraint is not None
    assert again.is_json is explanation.reading.is_json
    obj = to_json(again.constraint)
    for node in case.nodes:
        assert holds(obj, node) is holds(wanted, node)
    assert explained(done.text, case.resources).part(done.path) is not None


@given(
    clusters(),
    texts,
    st.one_of(queries, constraints.map(str).map(lambda text: text.replace("'", '"'))),
    st.sampled_from(["and", "or"]),
    st.data(),
)
def test_each_edit_asks_for_what_it_says(
    case: Case, text: str, more: str, operator: Any, data: st.DataObject
) -> None:
    assume(requires.read(text).constraint is not None)
    explanation = explained(text, case.resources)
    part = data.draw(st.sampled_from(list(explanation.root.walk())))
    obj = to_json(explanation.root.constraint)

    def wanted(change: Any, path: str = part.path) -> dict[str, Any] | None:
        return revised(obj, lambda old, here: change(old) if here == path else old)

    agree(case, explanation, edit.negate(explanation, part), wanted(lambda old: {"not": [old]}))
    agree(case, explanation, edit.delete(explanation, part), wanted(lambda old: None))
    rows = [
        one
        for one in explanation.root.walk()
        if part in one.walk() and one.parts and (one.operator != "not" or len(one.parts) > 1)
    ]
    done = edit.swap(explanation, part)
    if rows:
        agree(case, explanation, done, wanted(swapped, max(row.path for row in rows)))
    else:
        assert done.problem is not None
        assert "'and' or 'or'" in done.problem.message
    other = requires.read(more)
    done = edit.join(explanation, part, operator, more)
    new = to_json(other.constraint) if other.constraint is not None else None
    if new is None or (
        other.is_json and not explanation.reading.is_json and not from_constraint(new)
    ):
        assert done.problem is not None
    else:
        agree(case, explanation, done, wanted(lambda old: {operator: [old, new]}))


@given(clusters(), texts, st.data())
def test_a_text_after_several_edits_says_what_they_say(
    case: Case, text: str, data: st.DataObject
) -> None:
    reading = requires.read(text)
    assume(reading.constraint is not None)
    assert reading.constraint is not None
    paths = [part.path for part in reading.constraint.walk()]
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
    assert normal(read({"not": [{"not": [{"and": [one]}]}]})) == normal(read(one))
    assert normal(read({"not": [one]})) == normal(read(one), wanted=False)
    both = ({"and": [one, other, one]}, {"and": [other, {"and": [one]}]})
    assert normal(read(both[0])) == normal(read(both[1]))
    if normal(read(one)) == normal(read(other)):
        for node in case.nodes:
            assert holds(one, node) == holds(other, node)


# What stays as it was typed


@for_each(
    "row",
    [
        ("gpu|debug", None), ("gpu debug", None), (" gpu & debug ", None), ("-gpu", None),
        ("gpu|debug&-login", None), ("(gpu|a)&(login|b)", None), ("gpu|(a&b)", None),
        ("not (gpu|debug)", None), ("gpu,debug", None), ("rank:3", None),
        ('{"or": [{"ranks": ["3"]}, {"properties": ["gpu"]}]}', None),
        ("gpu&(debug|login)", "debug|login"), ("gpu|debug&login", "debug&login"),
    ],
)  # fmt: skip
def test_what_is_negated_twice_stands_as_it_was(row: tuple[str, str | None]) -> None:
    text, piece = row
    explanation = explained(text, DEMO)
    part = the_part(explanation, piece) if piece else explanation.root
    once = edit.negate(explanation, part)
    again = explained(once.text, DEMO)
    negated = again.part(once.path) if piece else again.root
    assert negated is not None
    assert edit.negate(again, negated).text == text


def selects(done: edit.Edited, result: str, selected: str | None) -> None:
    """An edit gives a text, and goes to a part of it, where one is named."""
    assert done.problem is None
    assert done.text == result
    if selected:
        after = explained(result, DEMO).part(done.path)
        assert after is not None
        assert after.span is not None
        assert result[slice(*after.span)] == selected


GPU, RANKS = '{"properties": ["gpu"]}', '{"ranks": ["1"]}, {"properties": ["b"]}'


@for_each(
    "row",
    [
        ("gpu&-debug", "gpu", edit.negate, "-gpu&-debug", "-gpu"),
        ("gpu&-debug", "-debug", edit.negate, "gpu&debug", "debug"),
        ("gpu & not debug", "debug", edit.negate, "gpu & debug", "debug"),
        ("gpu batch", "batch", edit.negate, "gpu -batch", "-batch"),
        ("(gpu|batch) & -debug", "gpu|batch", edit.negate,
         "not (gpu|batch) & -debug", "not (gpu|batch)"),
        ("gpu  &  -debug", "gpu  &  -debug", edit.swap, "gpu  |  -debug", "gpu  |  -debug"),
        ("gpu and batch or debug", "gpu", edit.swap, "gpu or batch or debug", "gpu"),
        ("(gpu|batch)&-debug", "gpu", edit.swap, "(gpu&batch)&-debug", "gpu"),
        ("gpu batch", "gpu", edit.swap, "gpu|batch", "gpu"),
        ("gpu & (batch | -debug)", "-debug", edit.delete, "gpu & batch", "batch"),
        ("gpu", "gpu", edit.delete, "", ""),
        (f'{{"not": [{GPU}]}}', GPU, edit.negate, GPU, None),
        ('{ "properties": ["gpu", "b"] }', '"gpu"', edit.negate,
         '{ "properties": ["^gpu", "b"] }', None),
        ('{"and": [ {"ranks": ["1"]},  {"properties": ["b"]} ]}', '{"ranks": ["1"]}', edit.swap,
         '{"or": [ {"ranks": ["1"]},  {"properties": ["b"]} ]}', None),
    ],
)  # fmt: skip
def test_little_is_changed(row: tuple[str, str, Any, str, str | None]) -> None:
    text, piece, what, result, selected = row
    explanation = explained(text, DEMO)
    selects(what(explanation, the_part(explanation, piece)), result, selected)


@for_each(
    "row",
    [
        ("gpu", "gpu", "and", "batch", "gpu&batch", "batch"),
        ("gpu", "gpu", "or", "batch", "gpu|batch", "batch"),
        ("gpu&-debug", "gpu", "or", "batch", "(gpu|batch)&-debug", "batch"),
        ("gpu&-debug", "gpu&-debug", "or", "batch|bigmem", "gpu&-debug|batch|bigmem", None),
        ("gpu|batch", "gpu", "and", "-debug", "gpu&-debug|batch", "-debug"),
        ("gpu", "gpu", "and", '{"ranks": ["3"]}', "gpu&rank:3", "rank:3"),
        (f'{{"and": [{RANKS}]}}', f'{{"and": [{RANKS}]}}', "and", "gpu",
         f'{{"and": [{RANKS}, {GPU}]}}', GPU),
    ],
)  # fmt: skip
def test_joined_texts(row: tuple[str, str, Any, str, str, str | None]) -> None:
    text, piece, operator, more, result, selected = row
    explanation = explained(text, DEMO)
    done = edit.join(explanation, the_part(explanation, piece), operator, more)
    selects(done, result, selected)


B, N1 = {"properties": ["b"]}, {"hostlist": ["n1"]}


@for_each(
    "row",
    [
        ("a & b & c", "properties[0]", None, "b & c"),
        ("a & b & c", "properties[1]", None, "a & c"),
        ("a & b & c", "properties[2]", None, "a & b"),
        ("a,b,c", "properties[0]", None, "b,c"),
        ("a,b,c", "properties[2]", None, "a,b"),
        ("a b -c", "and[0]", None, "b -c"),
        ("a b -c", "and[1].and[0]", None, "a -c"),
        ("  a and  b ", "properties[0]", None, "  b "),
        ("a|b c", "and[0].or[1]", None, "a c"),
        ("a|b -c", "or[1].and[1]", None, "a|b"),
        ("(a|b)&c", "and[0]", None, "c"),
        ("x|(a&b)", "or[1].properties[1]", None, "x|a"),
        ("x|( a&(b|c) )", "or[1].and[0]", None, "x|b|c"),
        ("not (a b) & c", "and[0].not[0].properties[0]", None, "not b & c"),
        ("not a -b", "not[0].and[1]", None, "not a"),
        ("((a)) | ((b))", "or[0]", None, "b"),
        ("host:n1,n2 & 'a'", "and[0]", None, "'a'"),
        ("'a,b'", "properties[1]", None, "'a'"),
        ("properties:a,b", "properties[0]", None, "properties:b"),
        ('{"and":[{"properties":["a","b"]},{}]}', "and[0].properties[0]", None,
         '{"and":[{"properties":["b"]},{}]}'),
        ('{"and":[{"or":[{"ranks":["1"]}]},{}]}', "and[0].or[0]", None, '{}'),
        # Hundreds of parentheses take no time.
        ("(" * 90 + "a&b" + ")" * 90, "properties[0]", None, "b"),
        ("a&(b|" * 30 + "c" + ")" * 30, "and[1].or[1]." * 29 + "and[1].or[1]", None,
         "a&(b|" * 29 + "a&b" + ")" * 29),
        ("a & b & c", "properties[1]", {"properties": ["x"]}, "a & x & c"),
        ("a,b", "properties[1]", {"properties": ["^x"]}, "a,^x"),
        ("a & host:n1", "and[1]", {"hostlist": ["n2"]}, "a & host:n2"),
        ("a & hosts:'n1'", "and[1]", {"hostlist": ["n2"]}, "a & host:n2"),
        ("a & -b", "and[1]", B, "a & b"),
        ("a & not (b | c)", "and[1]", B, "a & b"),
        ("a & b", "properties[0]", N1, "host:n1 & b"),
        ("a,b", "properties[0]", N1, "host:n1&b"),
        ("a & b", "properties[0]", {"properties": ["and"]}, "'and' & b"),
        ('{"ranks": ["1", "2"]}', "", {"ranks": ["1", "3"]}, '{"ranks": ["1", "3"]}'),
        ('{"not": [{"ranks": ["1"]}, {}]}', "", {"and": [{"ranks": ["1"]}, {}]},
         '{"and": [{"ranks": ["1"]}, {}]}'),
        ('{"properties": ["a", "b"]}', "properties[0]", N1,
         '{"and": [{"hostlist": ["n1"]}, {"properties": ["b"]}]}'),
    ],
)  # fmt: skip
def test_a_part_is_left_out_or_replaced(row: tuple[str, str, Any, str]) -> None:
    text, path, new, result = row
    edits = {path: read(new) if new is not None else None}
    assert rewritten(requires.read(text), edits) == result


def test_what_cannot_be_done_says_why() -> None:
    explanation = explained("gpu", DEMO)
    assert edit.swap(explanation, explanation.root).problem is not None
    for text in ("", "  ", "(", "hots:n1", '{"propertie": []}'):
        done = edit.join(explanation, explanation.root, "and", text)
        assert done.problem is not None, text
        assert done.text == ""
