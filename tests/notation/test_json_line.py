"""JSON on one line."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.notation import json_text

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=8,
)


@given(VALUES)
def test_reads_back_and_prints(value: Any) -> None:
    text = json_text.dump(value)
    assert text.isprintable()
    assert json_text.load(text) == value == json.loads(text)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("é 中", '"é 中"'),
        ("\x1b[1m", '"\\u001b[1m"'),
        ("\u202e", '"\\u202e"'),
        ("\U000e0001", '"\\udb40\\udc01"'),
    ],
)
def test_what_does_not_print_is_an_escape(text: str, line: str) -> None:
    assert json_text.quoted(text) == line
    assert json_text.load(line) == text


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), {1: "a"}, [{None: 1}], {"a": object()}, [10**5000]],
    ids=["nan", "inf", "key", "null key", "object", "digits"],
)
def test_what_is_no_json_is_not_written(value: Any) -> None:
    with pytest.raises(ValueError, match=r"."):
        json_text.dump(value)


@pytest.mark.parametrize("text", ["", "NaN", "[Infinity]", "1e999", "{", "[" * 100_000, "1 2"])
def test_what_is_no_json_is_not_read(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        json_text.load(text)
