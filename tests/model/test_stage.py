"""Stage lists: what is read, what is said of faults, and where they stand."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.model import stage
from fluxtui.model.documents import document
from fluxtui.model.stage import Stage, Step
from fluxtui.notation.problem import MAX_LENGTH, Problem, position
from tests.each import for_each


def read(text: str) -> tuple[Stage | None, tuple[Problem, ...]]:
    return stage.read(document.read(text, "talk.yaml"))


def faults(text: str) -> list[tuple[int, str]]:
    """The line and the message of each problem."""
    _, problems = read(text)
    return [(position(text, p.span.start)[0] if p.span else 0, p.message) for p in problems]


TALK = """\
title: Which nodes will do?
steps:
  - title: A query
    constraint: gpu&-debug
    note: |
      Two lines,
      of which this is one.
  - title: An object
    constraint: {properties: [gpu]}
  - title: JSON text
    constraint: '{"not": []}'
"""


def test_a_list_with_a_title() -> None:
    found, problems = read(TALK)
    assert problems == ()
    assert found == Stage(
        "Which nodes will do?",
        (
            Step("A query", "gpu&-debug", "Two lines,\nof which this is one."),
            Step("An object", '{"properties": ["gpu"]}'),
            Step("JSON text", '{"not": []}'),
        ),
    )


def test_a_list_alone_and_as_json() -> None:
    steps = [{"title": "a", "constraint": "gpu"}, {"title": "b", "constraint": {}}]
    found, problems = stage.read(document.read(json.dumps(steps)))
    assert problems == ()
    assert found == Stage("", (Step("a", "gpu"), Step("b", "{}")))


def test_a_constraint_of_several_lines_is_one_text() -> None:
    found, problems = read("- title: t\n  constraint: |\n    gpu\n    -debug\n")
    assert problems == ()
    assert found is not None
    assert found.steps[0].constraint == "gpu -debug"


def test_a_faulty_step_stops_no_other() -> None:
    text = (
        "- title: a\n  constraint: gpu\n  nota: x\n"
        "- title: b\n"
        "- 17\n"
        "- constraint: 3\n  title: [x]\n"
        "- title: e\n  constraint: gpu &&& (\n"
        "- title: f\n  constraint: ssd\n"
    )
    found, _ = read(text)
    assert found is not None
    assert [step.constraint for step in found.steps] == ["gpu", "gpu &&& (", "ssd"]
    assert faults(text) == [
        (3, "unknown key 'nota'; did you mean note?"),
        (4, "the step has no constraint"),
        (5, "a step is a mapping; found 17"),
        (7, "title is a string; found a list"),
        (6, "constraint is not a query; found 3"),
        (9, "the constraint cannot be read: expected a term before '&'"),
    ]


def test_problems_say_what_was_expected() -> None:
    _, problems = read("- title: b\n- title: c\n  constraint: gpu\n  color: red\n")
    assert problems[0].expected == ("a query such as gpu&-debug", "an RFC 31 object")
    assert problems[1].expected == ("title", "constraint", "note")


@for_each(
    "case",
    [
        ("a plain text", "a stage list is a list of steps, or title and steps; found a string"),
        ("{}", "no steps"),
        ("steps: 3", "steps is a list; found 3"),
        ("steps: []", "the list has no step"),
        ("[]", "the list has no step"),
        ("- title: a", "the step has no constraint"),
        ("- {title: a, constraint: ''}", "the step has no constraint"),
    ],
)
def test_no_list(case: Any) -> None:
    text, said = case
    found, problems = read(text)
    assert found is None
    assert [problem.message for problem in problems] == [said]


def test_a_text_that_is_not_yaml_says_where() -> None:
    found, problems = read("- title: 'a\n  constraint: gpu\n")
    assert found is None
    assert problems
    assert problems[0].span is not None


def test_a_step_without_a_title_is_shown_all_the_same() -> None:
    found, problems = read("- constraint: gpu")
    assert found == Stage("", (Step("", "gpu"),))
    assert [problem.message for problem in problems] == ["the step has no title"]


def test_limits() -> None:
    many = [{"title": "t", "constraint": "gpu"}] * (stage.MAX_STEPS + 1)
    found, problems = stage.read(document.read(json.dumps(many)))
    assert found is not None
    assert len(found.steps) == stage.MAX_STEPS
    assert "1,001 steps" in problems[0].message
    long = {"title": "t" * 300, "note": "n" * 5000, "constraint": "g" * (MAX_LENGTH + 1)}
    found, problems = stage.read(document.read(json.dumps([long, many[0] | {"title": "t" * 300}])))
    assert found is not None
    assert [len(step.title) for step in found.steps] == [stage.MAX_TITLE]
    said = " ".join(problem.message for problem in problems)
    assert "title has 300 characters" in said
    assert "note has 5,000 characters" in said
    assert "constraint has 65,537 characters" in said


@for_each(
    "case",
    [
        ({"steps": []}, True),
        ({"title": "t", "steps": [1]}, True),
        ([{"constraint": "gpu"}], True),
        ([3, {"title": "t", "constraint": 1}], True),
        ([{"type": "node", "count": 1}], False),
        ({"resources": []}, False),
        ({"steps": 3}, False),
        ([], False),
        (None, False),
    ],
)
def test_which_documents_look_like_one(case: Any) -> None:
    value, is_one = case
    assert stage.looks_like(value) is is_one


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(("title", "steps", "constraint", "note", "and", "properties", "x")),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(_values)
def test_any_document_is_read_or_has_a_problem(value: object) -> None:
    found, problems = stage.read(document.read(json.dumps(value)))
    assert found is not None or problems
    if found is not None:
        assert found.steps
