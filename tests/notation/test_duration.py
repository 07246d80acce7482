"""Durations (RFC 23); the problems are in tests/messages.toml."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.notation import duration
from tests.each import for_each


@for_each(
    "case",
    [("2ms", 0.002), ("0.1s", 0.1), ("30", 30.0), ("1.2h", 4320.0), ("5m", 300.0), ("0s", 0.0),
     ("5d", 432000.0), (".5", 0.5), ("5.", 5.0), ("1e2", 100.0), ("1.5e2d", 12960000.0),
     ("0x10", 16.0), ("0x1p4s", 16.0), ("0x.8m", 30.0), ("inf", math.inf), ("INF", math.inf),
     ("infinity", math.inf)],
)  # fmt: skip
def test_reads(case: tuple[str, float]) -> None:
    text, seconds = case
    assert duration.parse(text) == (seconds, ())


@for_each("text", ["1e400", "1e308d", "0x1p5000"])
def test_more_than_a_number_holds_is_infinite(text: str) -> None:
    parsed = duration.parse(text)
    assert parsed.value == math.inf
    assert [problem.severity for problem in parsed.problems] == ["warning"]


@for_each(
    "case",
    [(0, "0"), (30, "30"), (60, "1m"), (5400, "90m"), (3600, "1h"), (86400, "1d"), (0.002, "2ms"),
     (math.inf, "inf"), (1e16, "1e16")],
)  # fmt: skip
def test_writes(case: tuple[float, str]) -> None:
    seconds, text = case
    assert duration.format(seconds) == text


def test_writes_durations_only() -> None:
    for seconds in (-1.0, math.nan):
        with pytest.raises(ValueError, match="not a duration"):
            duration.format(seconds)


@given(st.floats(min_value=0, allow_nan=False) | st.integers(0, 10**9).map(float))
def test_what_is_written_is_read_back(seconds: float) -> None:
    assert duration.parse(duration.format(seconds)) == (seconds, ())


@given(st.text(max_size=12))
def test_never_raises(text: str) -> None:
    parsed = duration.parse(text)
    assert parsed.ok == (parsed.value is not None)


@for_each(
    "case",
    [
        (0, "0 seconds"),
        (1, "1 second"),
        (90, "1 minute 30 seconds"),
        (5400, "1 hour 30 minutes"),
        (90061.5, "1 day 1 hour 1 minute 1.5 seconds"),
        (0.002, "2 milliseconds"),
        (math.inf, "unlimited"),
    ],
)
def test_words(case: tuple[float, str]) -> None:
    seconds, words = case
    assert duration.describe(seconds) == words
