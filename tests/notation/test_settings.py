"""Settings as words: reading, writing, completion; the problems are in tests/messages.toml."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.notation import settings
from tests.each import for_each

KEYS = st.text(max_size=6) | st.sampled_from(["a", "a.b", "cpu-affinity", "", "=", "{", "-", "0"])
WORDS = st.sampled_from(
    ["true", "null", "1", "1.0", "-0", "1e5", "1e999", "Infinity", "{{id}}", "{", "[", "'", '"',
     "a,", "a b", "a=b", "\n", "\x7f", "\\", "a\"b", "\u202e", "01", "+1", ".5", "NaN"]
)  # fmt: skip
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.just(10**400)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
    | WORDS
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=4)


def same(one: Any, other: Any) -> bool:
    """Equal with their types: JSON tells 1, 1.0 and true apart."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def test_places() -> None:
    text = 'a.b=1 "c d"={"e":2} f'
    found = settings.parse(text)
    assert [text[slice(*entry.span)] for entry in found.entries] == ["a.b=1", '"c d"={"e":2}', "f"]
    assert [text[slice(*entry.key_span)] for entry in found.entries] == ["a.b", '"c d"', "f"]
    assert text[slice(*found.place(("c d", "e")))] == '"c d"={"e":2}'
    assert text[slice(*found.place(("a",)))] == "a.b=1"
    assert found.place(("x",)) is None


@given(OBJECTS)
def test_what_is_written_is_read(value: dict[str, Any]) -> None:
    text = settings.format(value)
    found = settings.parse(text)
    assert found.problems == ()
    assert same(found.value, value)
    assert text.isprintable()


@for_each("value", [float("inf"), float("nan"), {1: 2}, {"a": {1: 2}}, object()])
def test_what_is_no_json_is_not_written(value: Any) -> None:
    with pytest.raises(ValueError, match=r"."):
        settings.format({"x": value})


def test_many_levels() -> None:
    value: Any = 1
    for level in range(5000):
        if level == 100:
            assert settings.parse(settings.format(value)).value == value
        value = {"a": value}
    with pytest.raises(ValueError, match=r"."):
        settings.format(value)
