"""What the small notations write is read back; what single texts mean is recorded, in `answers`.

The problems of texts are in tests/messages.toml.
"""

import json
import math
import string
from collections.abc import Callable
from contextlib import suppress
from fnmatch import fnmatchcase
from itertools import islice, takewhile
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.notation import count, dependency, duration, environment, json_text, settings
from fluxtui.notation.count import Range
from fluxtui.notation.json_value import identical
from fluxtui.notation.problem import MAX_LENGTH
from fluxtui.notation.sets.idset import IdSet
from tests.each import for_each
from tests.json_values import SCALARS, values
from tests.messages import MINE, WITHIN
from tests.notation.answers import COMPLETIONS, FILE, answer
from tests.recorded import Agree, rerun


def test_answers_are_as_recorded(agree: Agree) -> None:
    agree(FILE, rerun(FILE, answer))


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
    below = [*takewhile(lambda each: each <= limit, islice(count.values(value), 4000))]
    assert count.least(value) == next(count.values(value))
    assert count.greatest(value, limit) == (below[-1] if below else None)


def test_towers_of_powers_do_not_grow_without_end() -> None:
    assert len(list(count.values(Range(2, None, 3, "^")))) < 20
    assert list(count.values(Range(2, None, 10**9, "^"))) == [2]
    assert count.greatest(Range(2, None, 2, "^"), 300) == 256


@given(st.floats(min_value=0, allow_nan=False) | st.integers(0, 10**9).map(float))
def test_a_duration_is_read_back(seconds: float) -> None:
    assert duration.parse(duration.format(seconds)) == (seconds, ())


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
    with suppress(ValueError):
        assert identical(dependency.parse(dependency.format(found)).value, found, ordered=False)


NAMES = st.text(string.printable, max_size=5) | st.sampled_from(
    ["A", "B_1", "x%%", "-a", "^", "$x"]
)
TEXTS = st.text(string.printable + "é", max_size=8) | st.sampled_from(["$HOME", "'", '"$A"', "\\"])


@given(st.dictionaries(NAMES, st.none() | TEXTS, max_size=5))
def test_an_environment_is_read_back(variables: dict[str, Any]) -> None:
    with suppress(ValueError):
        text = environment.format(variables)
        assert text.isprintable()
        for mine in ({}, MINE):
            found = environment.parse(text, mine)
            assert (found.ok, [*found.variables.items()]) == (True, [*variables.items()])


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
VALUES = values(SCALARS | WORDS | st.just(10**400), KEYS)


@given(st.dictionaries(KEYS, VALUES, max_size=4))
def test_settings_are_read_back(value: dict[str, Any]) -> None:
    text = settings.format(value)
    found = settings.parse(text)
    assert found.problems == ()
    assert identical(found.value, value, ordered=False)
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


@for_each("use, value", [
    *((use, value) for use in (json_text.dump, lambda value: settings.format({"x": value}))
      for value in (math.nan, math.inf, {1: "a"}, [{None: 1}], {"a": object()}, [10**5000])),
    *((duration.format, value) for value in (-1.0, math.nan)),
    *((json_text.load, text)
      for text in ("", "NaN", "[Infinity]", "1e999", "{", "[" * 100_000, "1 2")),
], label=lambda case: type(case[1]))  # fmt: skip
def test_what_is_no_json_or_no_duration_is_neither_written_nor_read(
    use: Callable[[Any], object], value: Any
) -> None:
    with pytest.raises(ValueError, match=r"."):
        use(value)


@pytest.mark.parametrize("kind", ["idset", "hostlist", "count", "duration"])
@given(text=st.text("0123456789-,[]:+*^nms. ", max_size=10), cursor=st.integers(0, 10))
def test_offers_lead_on(kind: str, text: str, cursor: int) -> None:
    parse, before = WITHIN[kind], text[: min(cursor, len(text))]
    for offer in COMPLETIONS[kind](text, cursor):
        assert offer.description
        assert 0 <= offer.span.start <= offer.span.end == len(before)
        made = before[: offer.span.start] + offer.text
        assert len(made) > len(before)
        unfinished = made[-1] in "-,[:" or ("[" in made and "]" not in made)
        problems = [len(parse(text, 0).problems) for text in (made, before)]
        assert unfinished or problems[0] <= problems[1], made
