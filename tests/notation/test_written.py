"""What the small notations write is read back; what single texts mean is recorded.

The problems of texts are in tests/messages.toml.
"""

import json
import math
import string
from collections.abc import Callable
from fnmatch import fnmatchcase
from itertools import islice
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.notation import count, dependency, duration, environment, json_text, settings
from fluxtui.notation.count import Range
from fluxtui.notation.problem import MAX_LENGTH
from fluxtui.notation.sets.idset import IdSet
from tests.each import for_each
from tests.messages import MINE


def same(one: Any, other: Any) -> bool:
    """Equal with their types: JSON tells 1, 1.0 and true apart."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


# Counts (RFC 14) and durations (RFC 23)

RANGES = st.builds(
    lambda low, more, operand, operator: Range(
        max(low, 2), None if more is None else max(low, 2) + more, operand, operator
    ),
    st.integers(1, 10**6),
    st.none() | st.integers(0, 10**6),
    st.integers(2, 10**6),
    st.sampled_from("+*^"),
)
SETS = st.sets(st.integers(1, 200), min_size=2, max_size=30).map(IdSet.of)
COUNTS = st.integers(1, 10**30) | RANGES | SETS


@given(COUNTS, st.integers(0, 3000))
def test_a_count_is_read_back_and_agrees_with_its_values(value: count.Count, limit: int) -> None:
    assert count.parse(count.format(value)) == (value, ())
    if not isinstance(value, IdSet) or len(value.ranges) > 1:
        assert count.from_json(count.to_json(value)) == (value, ())
    below = []
    for each in islice(count.values(value), 4000):
        if each > limit:
            break
        below.append(each)
    assert count.least(value) == next(count.values(value))
    assert count.greatest(value, limit) == (below[-1] if below else None)


def test_towers_of_powers_do_not_grow_without_end() -> None:
    assert len(list(count.values(Range(2, None, 3, "^")))) < 20
    assert list(count.values(Range(2, None, 10**9, "^"))) == [2]
    assert count.greatest(Range(2, None, 2, "^"), 300) == 256


@given(st.floats(min_value=0, allow_nan=False) | st.integers(0, 10**9).map(float))
def test_a_duration_is_read_back(seconds: float) -> None:
    assert duration.parse(duration.format(seconds)) == (seconds, ())


@for_each("seconds", [-1.0, math.nan])
def test_durations_alone_are_written(seconds: float) -> None:
    with pytest.raises(ValueError, match="not a duration"):
        duration.format(seconds)


# Dependencies (RFC 26) and environments, which no line may express

SIMPLE = st.text(string.printable + "ƒé", max_size=8)
ENTRIES = st.builds(
    lambda more, scheme, value: {"scheme": scheme, "value": value, **more},
    st.dictionaries(
        SIMPLE.filter(lambda key: key not in ("scheme", "value")),
        SIMPLE | st.integers() | st.floats() | st.booleans() | st.none() | st.lists(SIMPLE),
        max_size=3,
    ),
    SIMPLE | st.sampled_from([*dependency.SCHEMES]),
    SIMPLE,
)


@given(ENTRIES)
def test_a_dependency_is_read_back(found: dict[str, Any]) -> None:
    try:
        text = dependency.format(found)
    except ValueError:
        return
    read = dependency.parse(text).value
    assert read == found
    assert list(map(type, read.values())) == list(map(type, found.values()))


NAMES = st.text(string.printable, max_size=5) | st.sampled_from(
    ["A", "B_1", "x%%", "-a", "^", "$x"]
)
TEXTS = st.text(string.printable + "é", max_size=8) | st.sampled_from(["$HOME", "'", '"$A"', "\\"])


@given(st.dictionaries(NAMES, st.none() | TEXTS, max_size=5))
def test_an_environment_is_read_back(variables: dict[str, Any]) -> None:
    try:
        text = environment.format(variables)
    except ValueError:
        return
    assert text.isprintable()
    for mine in ({}, MINE):
        found = environment.parse(text, mine)
        assert found.variables == variables
        assert list(found.variables) == list(variables)
        assert found.ok


@given(st.text("[]!-a*?^", max_size=7), st.lists(st.text("[]!-a^", min_size=1, max_size=4)))
def test_a_pattern_means_what_it_means_to_fnmatch(pattern: str, names: list[str]) -> None:
    names = [pattern, *names]
    assert environment.matching(names, pattern) == [n for n in names if fnmatchcase(n, pattern)]


# Settings as words, and JSON

KEYS = st.text(max_size=6) | st.sampled_from(["a", "a.b", "cpu-affinity", "", "=", "{", "-", "0"])
WORDS = st.sampled_from(
    ["true", "null", "1", "1.0", "-0", "1e5", "1e999", "Infinity", "{{id}}", "{", "[", "'", '"',
     "a,", "a b", "a=b", "\n", "\x7f", "\\", "a\"b", "\u202e", "01", "+1", ".5", "NaN"]
)  # fmt: skip
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
SCALARS = st.none() | st.booleans() | st.integers() | FLOATS | st.text(max_size=8) | WORDS
VALUES = st.recursive(
    SCALARS | st.just(10**400),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(KEYS, VALUES, max_size=4))
def test_settings_are_read_back(value: dict[str, Any]) -> None:
    text = settings.format(value)
    found = settings.parse(text)
    assert found.problems == ()
    assert same(found.value, value)
    assert text.isprintable()


def test_settings_have_places_and_limits() -> None:
    text = 'a.b=1 "c d"={"e":2} f'
    found = settings.parse(text)
    assert [text[slice(*entry.span)] for entry in found.entries] == ["a.b=1", '"c d"={"e":2}', "f"]
    assert [text[slice(*entry.key_span)] for entry in found.entries] == ["a.b", '"c d"', "f"]
    assert text[slice(*found.place(("c d", "e")))] == '"c d"={"e":2}'
    assert text[slice(*found.place(("a",)))] == "a.b=1"
    assert found.place(("x",)) is None
    assert not settings.parse("a" * (MAX_LENGTH + 1)).ok
    value: Any = 1
    for level in range(5000):
        if level == 100:
            assert settings.parse(settings.format(value)).value == value
        value = {"a": value}
    with pytest.raises(ValueError, match=r"."):
        settings.format(value)


@given(VALUES, st.sampled_from([None, 1]), st.booleans())
def test_what_json_writes_is_read_and_one_line_reads_back(
    value: Any, indent: int | None, ascii_only: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    parsed = json_text.parse(text)
    assert (parsed.problems, parsed.value) == ((), value)
    assert text[slice(*parsed.places["="].span)] == text
    line = json_text.dump(value)
    assert line.isprintable()
    assert json_text.load(line) == value == json.loads(line)


@given(st.text('{}[]:,"\\0-1.eE tru\n', max_size=12) | st.text(max_size=8))
def test_any_text_is_read_as_json_reads_it(text: str) -> None:
    parsed = json_text.parse(text)
    try:
        expected = json.loads(text, parse_constant=lambda name: math.nan)
    except ValueError:
        expected = None
        assert not parsed.ok
    assert parsed.value == expected or "NaN" in text or "Infinity" in text


def test_json_is_nested_so_deep_and_no_deeper() -> None:
    parsed = json_text.parse("[" * 10_000)
    assert "nested deeper than 150" in parsed.problems[0].message
    assert json_text.parse("[" * 150 + "]" * 150).ok


@for_each("use, value", [
    *((use, value) for use in (json_text.dump, lambda value: settings.format({"x": value}))
      for value in (math.nan, math.inf, {1: "a"}, [{None: 1}], {"a": object()}, [10**5000])),
    *((json_text.load, text)
      for text in ("", "NaN", "[Infinity]", "1e999", "{", "[" * 100_000, "1 2")),
], label=lambda case: type(case[1]))  # fmt: skip
def test_what_is_no_json_is_neither_written_nor_read(
    use: Callable[[Any], object], value: Any
) -> None:
    with pytest.raises(ValueError, match=r"."):
        use(value)
