"""Durations (RFC 23); the problems are in tests/messages.toml."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.notation import duration


def test_writes_durations_only() -> None:
    for seconds in (-1.0, math.nan):
        with pytest.raises(ValueError, match="not a duration"):
            duration.format(seconds)


@given(st.floats(min_value=0, allow_nan=False) | st.integers(0, 10**9).map(float))
def test_what_is_written_is_read_back(seconds: float) -> None:
    assert duration.parse(duration.format(seconds)) == (seconds, ())
