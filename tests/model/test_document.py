"""Texts of JSON, YAML and TOML: which they are, what is wrong with them, where parts stand."""

import json
import tracemalloc
from collections.abc import Iterator
from dataclasses import astuple
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.model import stage
from fluxtui.model.documents import document, yaml_text
from fluxtui.notation.problem import MAX_LENGTH, Problem, at, position
from tests.each import for_each, the
from tests.pace import within
from tests.recorded import Agree, rerun

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text("ab -:#'\"\n[]{}é&*!|<1"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab -:[]'."), inner),
    max_leaves=8,
)


@given(VALUES, st.sampled_from([None, 2]))
def test_what_a_writer_made(value: Any, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    assert document.read_yaml(text).value == document.read_json(text).value == value
    found, _, problems = yaml_text.read(yaml.safe_dump(value, allow_unicode=True))
    assert (found, problems) == (value, ())


@given(st.text(max_size=80) | st.text("ab:-[]{},&*!|'\"# \n\t=.1", max_size=40))
def test_no_text_makes_it_fail(text: str) -> None:
    for name in ("", "x.json", "x.yaml", "x.toml"):
        found = document.read(text, name)
        assert found.readable or found.problems
        assert all(p.span is None or p.span.start <= len(text) for p in found.problems)
        found.located([Problem("", path="a.b[0]['x']")])


def _paths(value: Any, path: str = "") -> list[str]:
    if isinstance(value, dict):
        parts = [(at(path, key), part) for key, part in value.items()]
    else:
        parts = [(at(path, i), part) for i, part in enumerate(value if type(value) is list else ())]
    return [p for here, part in parts for p in (here, *_paths(part, here))]


@given(st.dictionaries(st.text("ab -:[]'.\""), VALUES, min_size=1))
def test_every_part_is_found(value: Any) -> None:
    for text in (json.dumps(value, indent=1), yaml.safe_dump(value)):
        found = document.read(text)
        reach = found.reacher()
        for path in _paths(value):
            span, steps = reach(path)
            assert span is not None
            assert steps == len(document.steps(path))


@for_each("text, path, piece", [
    ('{"a": {"b": [1, {"c": 2}]}}', "a.b[1].c", '"c"'),
    ('{"a": {"b": [1, {"c": 2}]}}', "a.x.y", '"a"'),
    ("a:\n  b:\n  - 1\n  - c: 2\n", "a.b[1].c", "c"),
    ("a: &x {c: 2}\nb:\n  <<: *x\n  d: 1\n", "b.c", "c"),
    ("[[a]]\nb = 1\n[[a]]\nb = 2\n", "a[1].b", "b"),
    ('[a]\nb = """\nc = 1\n"""\nc = 2\n', "a.c", "c"),
])  # fmt: skip
def test_places(text: Any, path: Any, piece: Any) -> None:
    (found,) = document.read(text).located([Problem("", path=path)])
    assert text[slice(*the(found.span))] == piece


def test_what_is_much_too_long() -> None:
    for text, message in (
        ('{"a": ' + "9" * 5000 + "}", "not read: a number in the JSON is too long"),
        ("a" + ".a" * 200 + " = 1\n", "not read: a key of more than 100 parts"),
    ):
        (problem,) = document.read(text).problems
        assert message in problem.message
        assert problem.span is not None


BOMB = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 30)
)


@for_each("text", [
    BOMB, f"resources:\n- &r {{type: core, count: 1}}\n{BOMB}",
    "a: &a {b: 1}\n" + "".join(f"k{n}: {{<<: [{'*a,' * 300}]}}\n" for n in range(1000)),
    "[" * 1_000_000, '{"a":' * 1_000_000, "[" * 1_000_000 + "]" * 1_000_000, "- " * 1_000_000,
    "? " * 1_000_000, "a: " + "[" * 1_000_000, "x = " + "[" * 100_000,
    "a" + ".a" * 1_000_000 + " = 1", "x" * 50_000_000, "a: " + "x" * 50_000_000,
    "a = " + "x" * 50_000_000, "a: 1" + ":1" * 1_000_000, "a: 0x" + "f" * 1_000_000,
    "{" + "," * 1_000_000, "a: {" + "".join(f"k{n}," for n in range(100_000)) + "}",
], lambda text: text[:12])  # fmt: skip
def test_hostile_texts_are_refused_at_once(text: str) -> None:
    document.read("a: 1")
    assert within(1, lambda: document.read(text)).problems
    tracemalloc.start()
    document.read(text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100e6


def test_without_the_fast_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    assert yaml_text.read("a: [1, 'b', {c: d}]\n")[0] == {"a": [1, "b", {"c": "d"}]}
    for text in ("a: b: c", "a: [1", "a: 'x", "\ta", "- " * 200, "a: b\nc"):
        assert yaml_text.read(text)[2][0].span is not None


def test_the_limits_of_toml() -> None:
    for text, what in ((f"a = '{'b' * (4 << 20)}'", "TOML of more than 4 MiB"),
                       ("a = 0x8000000000000000", "a number of more than 64 bits")):  # fmt: skip
        (problem,) = document.read_toml(text).problems
        assert problem.message == f"not read: {what}"


# Stage lists: what is read, what is wrong with them, and where that is


RECORDED = Path(__file__).with_name("stages.txt")


def answers(line: str) -> Iterator[str]:
    """The stage list of a text that is given as JSON."""
    text = json.loads(line)
    found, problems = stage.read(document.read(text, "talk.yaml"))
    if found is not None:
        yield f"title {json.dumps(found.title)}"
        yield from (f"{json.dumps(step)}" for step in map(astuple, found.steps))
    for problem in problems:
        place = position(text, problem.span.start)[0] if problem.span else 0
        yield f"line {place}: {problem.message}"


def test_stage_lists_are_read_as_recorded(agree: Agree) -> None:
    agree(RECORDED, rerun(RECORDED, answers))


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
