"""JSON: texts with the place of each part, and values on one line."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.notation import json_text
from tests.each import for_each

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)  # fmt: skip


@given(VALUES, st.sampled_from([None, 1]), st.booleans())
def test_reads_what_json_writes(value, indent, ascii_only):
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    parsed = json_text.parse(text)
    assert parsed.problems == ()
    assert parsed.value == value
    assert text[slice(*parsed.places["="].span)] == text


@given(st.text('{}[]:,"\\0-1.eE tru\n', max_size=12) | st.text(max_size=8))
def test_agrees_with_json_on_any_text(text):
    parsed = json_text.parse(text)
    try:
        expected = json.loads(text, parse_constant=lambda name: math.nan)
    except ValueError:
        expected = None
        assert not parsed.ok
    assert (parsed.value == expected) or "NaN" in text or "Infinity" in text
    for problem in parsed.problems:
        assert problem.span is not None
        assert 0 <= problem.span.start <= problem.span.end <= len(text)
    end = 0
    for token in parsed.tokens:
        assert end <= token.span.start < token.span.end <= len(text)
        end = token.span.end


def test_deep_nesting_is_an_error():
    parsed = json_text.parse("[" * 10_000)
    assert "nested deeper than 150" in parsed.problems[0].message
    assert json_text.parse("[" * 150 + "]" * 150).ok


@given(VALUES)
def test_one_line_reads_back_and_prints(value):
    text = json_text.dump(value)
    assert text.isprintable()
    assert json_text.load(text) == value == json.loads(text)


@for_each(
    "value",
    [float("nan"), float("inf"), {1: "a"}, [{None: 1}], {"a": object()}, [10**5000]],
    label=type,
)
def test_what_is_no_json_is_not_written(value: Any) -> None:
    with pytest.raises(ValueError, match=r"."):
        json_text.dump(value)


@for_each("text", ["", "NaN", "[Infinity]", "1e999", "{", "[" * 100_000, "1 2"])
def test_what_is_no_json_is_not_read(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        json_text.load(text)
