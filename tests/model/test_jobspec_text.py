"""Jobspecs as YAML and JSON."""

import json
from collections.abc import Callable
from typing import Any, Literal

import yaml
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.model.documents.document import dump
from fluxtui.model.jobspec import jobspec
from tests import hostile
from tests.each import for_each
from tests.model.jobspecs import resources_of


def test_yaml_reads_like_the_examples() -> None:
    job = jobspec.build(resources_of("slot=3-30/[memory=2+{unit:GB};core]"), duration=3600)
    assert (
        dump(job)
        == """\
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
tasks:
- command:
  - app
  slot: default
  count:
    per_slot: 1
attributes:
  system:
    duration: 3600.0
"""
    )


def test_text_of_several_lines_stands_in_a_block() -> None:
    script = "#!/bin/sh\necho hello\n"
    assert dump({"script": script}) == "script: |\n  #!/bin/sh\n  echo hello\n"


@for_each("word", ["1e5", "1.5", "0o7", "yes", "null", "", "1:30", "4"])
def test_words_that_could_be_something_else_are_quoted(word: str) -> None:
    text = dump({"key": word})
    assert text[5] in "'\""
    assert yaml.safe_load(text) == {"key": word}


def test_equal_parts_are_written_out() -> None:
    part = {"type": "core", "count": 1}
    text = dump([part, part])
    assert "&" not in text
    assert yaml.safe_load(text) == [part, part]


def test_half_a_character_does_not_stop_the_writing() -> None:
    assert dump({"a\ud800": "\udc00"}) == "a?: '?'\n"
    assert json.loads(dump(["\ud800"], "json")) == ["?"]


documents = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cn"]), max_size=12),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text("abc:- 1", max_size=5), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(documents)
def test_both_texts_are_read_back(value: Any) -> None:
    assert json.loads(dump(value, "json")) == value
    assert yaml.safe_load(dump(value, "yaml")) == value


@for_each("end", ["\x85", "\u2028", "\u2029", "\n\u2028", "\u2029\n", "\n\n"])
def test_a_line_that_only_some_readers_end_there_ends_no_document(end: str) -> None:
    document = {"resources": [{"type": "node", "k": f"a\n{end}"}, {"type": "core"}], "x": [end]}
    text = dump(document)
    assert yaml.safe_load(text) == document
    assert "..." not in text
    assert not set("\x85\u2028\u2029") & set(text)


nasty = st.text("a .:#\n\x85\u2028\u2029", max_size=6)
nested = st.recursive(
    nasty | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(nasty, inner, max_size=3),
    max_leaves=5,
)


@given(st.dictionaries(nasty, nested, min_size=1, max_size=3), st.lists(nested, max_size=3))
def test_texts_of_all_kinds_are_read_back(others: dict[str, Any], resources: list[Any]) -> None:
    document = {**others, "resources": resources, **others}
    assert yaml.safe_load(dump(document)) == document


@for_each("text", ["0...", "name...", "...", "a\n...", "a\n...\n"])
def test_dots_at_the_end_are_part_of_the_text(text: str) -> None:
    for value in (text, {"last": text}, {text: ""}, [text]):
        assert yaml.safe_load(dump(value)) == value


@for_each("text", hostile.TEXTS)
def test_what_nobody_sees_is_written_as_an_escape(text: str) -> None:
    document = {text: [text, f"#!/bin/sh\n\techo {text}\n"]}
    forms: dict[Literal["yaml", "json"], Callable[[str], Any]]
    forms = {"yaml": yaml.safe_load, "json": json.loads}
    for form, read in forms.items():
        written = dump(document, form)
        assert not hostile.raw(written) - {"\t"}
        assert read(written) == document
