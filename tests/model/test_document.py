"""Texts of JSON, YAML and TOML: which they are, what is wrong, where parts are; and written."""

import json
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import astuple
from pathlib import Path
from typing import Any, Literal

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.model import stage
from fluxtui.model.documents import document, yaml_text
from fluxtui.model.documents.document import dump
from fluxtui.model.jobspec import jobspec
from fluxtui.notation.problem import MAX_LENGTH, Problem, at, position
from tests import hostile
from tests.each import for_each, the
from tests.json_values import SCALARS, values
from tests.model.jobspecs import resources_of
from tests.pace import within
from tests.recorded import Agree, rerun

NASTY = st.text("ab -.:#'\"\n[]{}é&*!|<1\x85\u2028\u2029", max_size=8)
VALUES = values(st.none() | st.booleans() | st.integers() | NASTY, NASTY, leaves=8)
Form = Literal["yaml", "json"]
READERS: dict[Form, Callable[[str], Any]] = {"yaml": yaml.safe_load, "json": json.loads}


@given(values(SCALARS | NASTY, NASTY), VALUES, st.sampled_from([None, 2]))
def test_what_is_written_is_read_here_and_elsewhere(one: Any, other: Any, indent: Any) -> None:
    for form, read in READERS.items():
        assert read(dump(one, form)) == one
    text = json.dumps(other, indent=indent)
    assert document.read_json(text).value == document.read_yaml(text).value == other
    text = yaml.safe_dump(other, allow_unicode=True)
    found, _, problems = yaml_text.read(text)
    assert (found, problems) == (yaml.safe_load(text), ())


#: Words that could be something else, ends of a document or of a line, and what nobody sees.
WORDS = ["1e5", "1.5", "0o7", "yes", "null", "", "1:30", "4"]
ENDS = ["0...", "name...", "...", "a\n...", "a\n...\n", "\x85", "\u2028", "\n\u2028", "\u2029\n"]


@for_each("text", [*WORDS, *ENDS, *hostile.TEXTS])
def test_a_text_of_any_kind_is_quoted_or_escaped(text: str) -> None:
    for value in (
        *(text, {"last": text}, {text: ""}, {text: [text, f"#!/bin/sh\n\techo {text}\n"]}),
        {"resources": [{"type": "node", "k": f"a\n{text}"}, {"type": "core"}], "x": [text]},
    ):
        for form, read in READERS.items():
            written = dump(value, form)
            assert read(written) == value
            assert not hostile.raw(written) - {"\t"}
    if text in WORDS:
        assert dump({"key": text})[5] in "'\""


def test_yaml_is_laid_out_as_in_the_examples_of_the_rfcs() -> None:
    job = jobspec.build(resources_of("slot=3-30/[memory=2+{unit:GB};core;core]"), duration=3600)
    del job["tasks"]
    job["script"] = "#!/bin/sh\necho hello\n"
    written = """\
version: 1
resources:
- type: slot
  count:
    min: 3
    max: 30
    operator: +
    operand: 1
  label: default
  with:
  - type: memory
    count:
      min: 2
    unit: GB
  - type: core
    count: 1
  - type: core
    count: 1
attributes:
  system:
    duration: 3600.0
script: |
  #!/bin/sh
  echo hello
"""
    assert dump(job) == written
    assert dump({"a\ud800": "\udc00"}) == "a?: '?'\n"  # half of a character


def _paths(value: Any, path: str = "") -> list[str]:
    if isinstance(value, dict):
        parts = [(at(path, key), part) for key, part in value.items()]
    else:
        parts = [(at(path, i), part) for i, part in enumerate(value if type(value) is list else ())]
    return [p for here, part in parts for p in (here, *_paths(part, here))]


@given(st.dictionaries(NASTY, VALUES, min_size=1))
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


@for_each("text, message", [
    ('{"a": ' + "9" * 5000 + "}", "a number in the JSON is too long"),
    ("a" + ".a" * 200 + " = 1\n", "a key of more than 100 parts"),
    (f"a = '{'b' * (4 << 20)}'", "TOML of more than 4 MiB"),
    ("a = 0x8000000000000000", "a number of more than 64 bits"),
], label=lambda case: case[1])  # fmt: skip
def test_what_is_much_too_long(text: str, message: str) -> None:
    (problem,) = document.read(text, "" if text[0] == "{" else "x.toml").problems
    assert problem.message.startswith(f"not read: {message}")
    assert problem.span is not None or "TOML" in message or "64" in message


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
    for text in ("a: b: c", "a: [1", "a: 'x", "\ta", "- " * 200, "a: b\nc", r'a: "\ud83d\ude00"'):
        assert yaml_text.read(text)[2][0].span is not None


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


def test_of_unknown_keys_the_first_are_named() -> None:
    step = {"title": "a", "constraint": "gpu"} | {f"titel{number}": 1 for number in range(50)}
    *found, last = stage.read(document.read(json.dumps([step]), "a.json"))[1]
    assert len(found) == 20
    assert found[0].message == "a step has no key 'titel0'; did you mean title?"
    assert last.message == "30 more problems"


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
