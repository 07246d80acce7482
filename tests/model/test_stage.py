"""Stage lists: what is read, what is wrong with them, and where that is."""

import json
from typing import Any

from fluxtui.model import stage
from fluxtui.model.documents import document
from fluxtui.model.stage import Stage, Step
from fluxtui.notation.problem import MAX_LENGTH, position
from tests.each import for_each

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
FAULTY = """\
- title: a
  constraint: gpu
  nota: x
- title: b
- 17
- constraint: 3
  title: [x]
- title: e
  constraint: gpu &&& (
- constraint: |
    gpu
    -debug
"""
NO_LIST = "a stage list is a list of steps, or title and steps; found a string"


# A text, its title and its steps, and the line and message of each problem.
@for_each("text, title, steps, faults", [
    (TALK, "Which nodes will do?", [
        Step("A query", "gpu&-debug", "Two lines,\nof which this is one."),
        Step("An object", '{"properties": ["gpu"]}'),
        Step("JSON text", '{"not": []}'),
    ], []),
    ('[{"title": "a", "constraint": "gpu"}, {"title": "b", "constraint": {}}]', "",
     [Step("a", "gpu"), Step("b", "{}")], []),
    (FAULTY, "", [Step("a", "gpu"), Step("e", "gpu &&& ("), Step("", "gpu -debug")], [
        (3, "unknown key 'nota'; did you mean note?"),
        (4, "the step has no constraint"),
        (5, "a step is a mapping; found 17"),
        (7, "title is a string; found a list"),
        (6, "constraint is not a query; found 3"),
        (9, "the constraint cannot be read: expected a term before '&'"),
        (10, "the step has no title"),
    ]),
    ("a plain text", None, [], [(0, NO_LIST)]),
    ("{}", None, [], [(0, "no steps")]),
    ("steps: 3", None, [], [(1, "steps is a list; found 3")]),
    ("steps: []", None, [], [(1, "the list has no step")]),
    ("- title: 'a\n  constraint: gpu\n", None, [], [(3, "not YAML: the string is not closed")]),
])  # fmt: skip
def test_reads(text: Any, title: Any, steps: Any, faults: Any) -> None:
    found, problems = stage.read(document.read(text, "talk.yaml"))
    assert found == (None if title is None else Stage(title, tuple(steps)))
    places = [position(text, p.span.start)[0] if p.span else 0 for p in problems]
    assert [*zip(places, (p.message for p in problems), strict=True)] == faults


def test_limits() -> None:
    step = {"title": "t" * 300, "note": "n" * 5000, "constraint": "gpu"}
    steps = [step | {"constraint": "g" * (MAX_LENGTH + 1)}, *[step] * stage.MAX_STEPS]
    found, problems = stage.read(document.read(json.dumps(steps)))
    assert found is not None
    assert len(found.steps) == stage.MAX_STEPS - 1
    assert (len(found.steps[0].title), len(found.steps[0].note)) == (200, 4000)
    assert [problem.message for problem in problems[:4]] == [
        "the list has 1,001 steps; more than 1,000 are not read",
        "title has 300 characters; more than 200 are not shown",
        "note has 5,000 characters; more than 4,000 are not shown",
        "the constraint has 65,537 characters",
    ]


def test_which_documents_look_like_one() -> None:
    listed = ({"steps": []}, {"title": "t", "steps": [1]}, [{"constraint": "gpu"}],
              [3, {"title": "t", "constraint": 1}])  # fmt: skip
    others = ([{"type": "node", "count": 1}], {"resources": []}, {"steps": 3}, [], None)
    assert all(map(stage.looks_like, listed))
    assert not any(map(stage.looks_like, others))
