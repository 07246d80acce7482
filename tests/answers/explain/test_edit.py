"""Edits at one part of a constraint mean what they say, node by node, and change little text."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fluxtui.answers.explain import edit
from fluxtui.answers.explain.explanation import Explanation, Part
from fluxtui.model.constraint import requires
from fluxtui.model.constraint.tree import to_json
from fluxtui.notation.query.format import from_constraint
from tests.answers.explain.cases import (
    Case,
    clusters,
    constraints,
    demo,
    explained,
    holds,
    queries,
    texts,
)

Change = Callable[[dict[str, Any]], dict[str, Any] | None]

STEP = re.compile(r"\.?(\w+)\[(\d+)\]")


def revised(obj: dict[str, Any], path: str, change: Change) -> dict[str, Any] | None:
    """An RFC 31 object with another one at a path; None takes it away, and what it leaves empty."""
    if not path:
        return change(obj)
    step = STEP.match(path)
    assert step is not None
    operator, number = step[1], int(step[2])
    parts = list(obj[operator])
    if operator == "properties":
        operator, parts = "and", [{"properties": [value]} for value in parts]
    new = revised(parts[number], path[step.end() :], change)
    parts[number : number + 1] = [new] if new is not None else []
    return {operator: parts} if parts else None


def drawn(case: Case, text: str, data: st.DataObject) -> tuple[Explanation, Part, dict[str, Any]]:
    """An explanation, one of its parts, and the object that it explains."""
    reading = requires.read(text)
    assume(reading.constraint is not None)
    assert reading.constraint is not None
    explanation = explained(text, case.resources)
    parts = list(explanation.root.walk())
    return explanation, data.draw(st.sampled_from(parts)), to_json(reading.constraint)


def agree(
    case: Case, explanation: Explanation, done: edit.Edited, wanted: dict[str, Any] | None
) -> None:
    """What was done asks for just what is wanted, in the form in which the text was."""
    if done.problem is not None:  # no query says what every node satisfies, or none
        assert wanted is not None
        assert not explanation.reading.is_json
        found = {holds(wanted, node) for node in case.nodes}
        assert len(found) == 1
        return
    again = requires.read(done.text)
    if wanted is None:
        assert not done.text
        return
    assert again.constraint is not None
    assert again.is_json is explanation.reading.is_json
    obj = to_json(again.constraint)
    for node in case.nodes:
        assert holds(obj, node) is holds(wanted, node)
    assert explained(done.text, case.resources).part(done.path) is not None


@given(clusters(), texts, st.data())
def test_what_is_negated_becomes_its_complement(case: Case, text: str, data: st.DataObject) -> None:
    explanation, part, obj = drawn(case, text, data)
    agree(
        case,
        explanation,
        edit.negate(explanation, part),
        revised(obj, part.path, lambda old: {"not": [old]}),
    )


@pytest.mark.parametrize(
    "text",
    [
        "gpu|debug",
        "gpu debug",
        " gpu & debug ",
        "gpu|debug&-login",
        "(gpu|a)&(login|b)",
        "gpu|(a&b)",
        "not (gpu|debug)",
        "-gpu",
        "gpu,debug",
        "rank:3",
        '{"or": [{"ranks": ["3"]}, {"properties": ["gpu"]}]}',
    ],
)
def test_what_is_negated_twice_stands_as_it_was(text: str) -> None:
    cluster = demo()
    for _ in range(2):
        explanation = explained(text, cluster)
        once = edit.negate(explanation, explanation.root).text
        again = explained(once, cluster)
        assert edit.negate(again, again.root).text == text


@pytest.mark.parametrize(
    ("text", "piece"),
    [("gpu&(debug|login)", "debug|login"), ("gpu|debug&login", "debug&login")],
)
def test_so_does_a_part(text: str, piece: str) -> None:
    cluster = demo()
    explanation = explained(text, cluster)
    once = edit.negate(explanation, the_part(explanation, piece))
    again = explained(once.text, cluster)
    part = again.part(once.path)
    assert part is not None
    assert edit.negate(again, part).text == text


@given(clusters(), texts, st.data())
def test_what_is_deleted_is_asked_for_no_more(case: Case, text: str, data: st.DataObject) -> None:
    explanation, part, obj = drawn(case, text, data)
    wanted = revised(obj, part.path, lambda old: None)
    agree(case, explanation, edit.delete(explanation, part), wanted)


@given(
    clusters(),
    texts,
    st.one_of(queries, constraints.map(str).map(lambda text: text.replace("'", '"'))),
    st.sampled_from(["and", "or"]),
    st.data(),
)
def test_what_is_joined_is_asked_for_as_well(
    case: Case, text: str, more: str, operator: Any, data: st.DataObject
) -> None:
    explanation, part, obj = drawn(case, text, data)
    done = edit.join(explanation, part, operator, more)
    other = requires.read(more)
    if other.constraint is None:
        assert done.problem is not None
        return
    new = to_json(other.constraint)
    if other.is_json and not explanation.reading.is_json and not from_constraint(new):
        assert done.problem is not None
        return
    wanted = revised(obj, part.path, lambda old: {operator: [old, new]})
    agree(case, explanation, done, wanted)


@given(clusters(), texts, st.data())
def test_and_becomes_or_and_or_and(case: Case, text: str, data: st.DataObject) -> None:
    explanation, part, obj = drawn(case, text, data)
    done = edit.swap(explanation, part)
    around = [one for one in explanation.root.walk() if part.path.startswith(one.path)]
    rows = [
        one
        for one in around
        if one.parts and (one.operator != "not" or len(one.parts) > 1) and part in all_of(one)
    ]
    if not rows:
        assert done.problem is not None
        assert "'and' or 'or'" in done.problem.message
        return
    row = max(rows, key=lambda one: len(one.path))
    agree(case, explanation, done, revised(obj, row.path, swapped))


def all_of(part: Part) -> list[Part]:
    return list(part.walk())


def swapped(obj: dict[str, Any]) -> dict[str, Any]:
    ((operator, values),) = obj.items()
    if operator == "properties":
        return {"or": [{"properties": [value]} for value in values]}
    if operator == "not":
        return {"not": [{"or": values}]}
    return {"or" if operator == "and" else "and": values}


def the_part(explanation: Explanation, piece: str) -> Part:
    """The part that is written so."""
    text = explanation.reading.text
    parts = (part for part in explanation.root.walk())
    return next(part for part in parts if part.span and text[slice(*part.span)] == piece)


@pytest.mark.parametrize(
    ("text", "piece", "what", "result", "selected"),
    [
        ("gpu&-debug", "gpu", edit.negate, "-gpu&-debug", "-gpu"),
        ("gpu&-debug", "-debug", edit.negate, "gpu&debug", "debug"),
        ("gpu & not debug", "debug", edit.negate, "gpu & debug", "debug"),
        ("gpu batch", "batch", edit.negate, "gpu -batch", "-batch"),
        (
            "(gpu|batch) & -debug",
            "gpu|batch",
            edit.negate,
            "not (gpu|batch) & -debug",
            "not (gpu|batch)",
        ),
        ("gpu  &  -debug", "gpu  &  -debug", edit.swap, "gpu  |  -debug", "gpu  |  -debug"),
        ("gpu and batch or debug", "gpu", edit.swap, "gpu or batch or debug", "gpu"),
        ("(gpu|batch)&-debug", "gpu", edit.swap, "(gpu&batch)&-debug", "gpu"),
        ("gpu batch", "gpu", edit.swap, "gpu|batch", "gpu"),
        ("gpu & (batch | -debug)", "-debug", edit.delete, "gpu & batch", "batch"),
        ("gpu", "gpu", edit.delete, "", ""),
        (
            '{"not": [{"properties": ["gpu"]}]}',
            '{"properties": ["gpu"]}',
            edit.negate,
            '{"properties": ["gpu"]}',
            None,
        ),
        (
            '{ "properties": ["gpu", "b"] }',
            '"gpu"',
            edit.negate,
            '{ "properties": ["^gpu", "b"] }',
            None,
        ),
        (
            '{"and": [ {"ranks": ["1"]},  {"properties": ["b"]} ]}',
            '{"ranks": ["1"]}',
            edit.swap,
            '{"or": [ {"ranks": ["1"]},  {"properties": ["b"]} ]}',
            None,
        ),
    ],
)
def test_little_is_changed(
    text: str, piece: str, what: Any, result: str, selected: str | None
) -> None:
    explanation = explained(text, demo())
    part = the_part(explanation, piece)
    done = what(explanation, part)
    assert done.problem is None
    assert done.text == result
    if selected:
        after = explained(result, demo()).part(done.path)
        assert after is not None
        assert after.span is not None
        assert result[slice(*after.span)] == selected


@pytest.mark.parametrize(
    ("text", "piece", "operator", "more", "result", "selected"),
    [
        ("gpu", "gpu", "and", "batch", "gpu&batch", "batch"),
        ("gpu", "gpu", "or", "batch", "gpu|batch", "batch"),
        ("gpu&-debug", "gpu", "or", "batch", "(gpu|batch)&-debug", "batch"),
        ("gpu&-debug", "gpu&-debug", "or", "batch|bigmem", "gpu&-debug|batch|bigmem", None),
        ("gpu|batch", "gpu", "and", "-debug", "gpu&-debug|batch", "-debug"),
        ("gpu", "gpu", "and", '{"ranks": ["3"]}', "gpu&rank:3", "rank:3"),
        (
            '{"and": [{"ranks": ["1"]}, {"properties": ["b"]}]}',
            '{"and": [{"ranks": ["1"]}, {"properties": ["b"]}]}',
            "and",
            "gpu",
            '{"and": [{"ranks": ["1"]}, {"properties": ["b"]}, {"properties": ["gpu"]}]}',
            '{"properties": ["gpu"]}',
        ),
    ],
)
def test_joined_texts(
    text: str, piece: str, operator: Any, more: str, result: str, selected: str | None
) -> None:
    explanation = explained(text, demo())
    part = the_part(explanation, piece)
    done = edit.join(explanation, part, operator, more)
    assert done.text == result
    if selected:
        after = explained(result, demo()).part(done.path)
        assert after is not None
        assert after.span is not None
        assert result[slice(*after.span)] == selected


def test_what_cannot_be_done_says_why() -> None:
    explanation = explained("gpu", demo())
    alone = edit.swap(explanation, explanation.root)
    assert alone.problem is not None
    for text in ("", "  ", "(", "hots:n1", '{"propertie": []}'):
        done = edit.join(explanation, explanation.root, "and", text)
        assert done.problem is not None, text
        assert done.text == ""
