import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.notation import duration
from fluxtui.notation.problem import Span


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2ms", 0.002),
        ("0.1s", 0.1),
        ("30", 30.0),
        ("1.2h", 4320.0),
        ("5m", 300.0),
        ("0s", 0.0),
        ("5d", 432000.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("1e2", 100.0),
        ("1.5e2d", 12960000.0),
        ("0x10", 16.0),
        ("0x1p4s", 16.0),
        ("0x.8m", 30.0),
        ("inf", math.inf),
        ("INF", math.inf),
        ("infinity", math.inf),
    ],
)
def test_reads(text: str, seconds: float) -> None:
    assert duration.parse(text) == (seconds, ())


@pytest.mark.parametrize(
    ("text", "message", "span"),
    [
        ("", "a duration is missing", (5, 5)),
        ("soon", "'soon' is not a duration", (5, 9)),
        ("nan", "'nan' is not a duration", (5, 8)),
        ("-1", "a duration is 0 or more", (5, 7)),
        ("1us", "'us' is not a unit of time", (6, 8)),
        ("1 ", "white space does not belong in a duration", (6, 7)),
        ("1H", "'H' is not a unit of time; did you mean h?", (6, 7)),
        ("1h30m", "a duration has one number and one unit", (6, 10)),
        ("infs", "an infinite duration takes no unit; found 's'", (8, 9)),
        ("１", "'１' is not a duration", (5, 6)),
    ],
)
def test_refuses(text: str, message: str, span: tuple[int, int]) -> None:
    parsed = duration.parse(text, 5)
    assert parsed.value is None
    assert [(p.message, p.span, p.rule) for p in parsed.problems] == [
        (message, Span(*span), "RFC 23")
    ]


@pytest.mark.parametrize("text", ["1e400", "1e308d", "0x1p5000"])
def test_more_than_a_number_holds_is_infinite(text: str) -> None:
    parsed = duration.parse(text)
    assert parsed.value == math.inf
    assert parsed.ok
    assert parsed.problems[0].severity == "warning"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0"),
        (30, "30"),
        (60, "1m"),
        (5400, "90m"),
        (3600, "1h"),
        (86400, "1d"),
        (0.002, "2ms"),
        (math.inf, "inf"),
        (1e16, "1e16"),
    ],
)
def test_writes(seconds: float, text: str) -> None:
    assert duration.format(seconds) == text


@pytest.mark.parametrize("seconds", [-1.0, math.nan])
def test_writes_durations_only(seconds: float) -> None:
    with pytest.raises(ValueError, match="not a duration"):
        duration.format(seconds)


@given(st.floats(min_value=0, allow_nan=False) | st.integers(0, 10**9).map(float))
def test_what_is_written_is_read_back(seconds: float) -> None:
    assert duration.parse(duration.format(seconds)) == (seconds, ())


@given(st.text(max_size=12))
def test_never_raises(text: str) -> None:
    parsed = duration.parse(text)
    assert parsed.ok == (parsed.value is not None)


@pytest.mark.parametrize(
    ("seconds", "words"),
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
def test_words(seconds: float, words: str) -> None:
    assert duration.describe(seconds) == words
