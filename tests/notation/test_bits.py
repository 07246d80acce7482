"""Bit sets, against one bit at a time; wide ones too, of which only a part is looked at."""

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.notation.sets.bits import Counts, FirstRuns, first_ranges, from_mask, has, less, lowest

# Places around the ends of what is looked at first, and far above.
PLACES = st.integers(0, 200) | st.integers(4_080, 4_110) | st.integers(32_750, 33_000)
RUNS = st.lists(st.tuples(PLACES, st.integers(1, 70) | st.integers(3_000, 30_000)), max_size=12)


class _Mask(int):
    """A mask that tells when nobody holds it any more."""

    gone = 0

    def __del__(self) -> None:
        _Mask.gone += 1


def _mask(runs: list[tuple[int, int]]) -> int:
    mask = 0
    for start, length in runs:
        mask |= ((1 << length) - 1) << start
    return mask


@given(RUNS, st.integers(0, 14))
def test_the_first_runs_are_those_of_the_whole(runs: list[tuple[int, int]], limit: int) -> None:
    mask = _mask(runs)
    assert first_ranges(mask, limit) == list(from_mask(mask).ranges[:limit])


@given(RUNS, st.integers(0, 300) | st.integers(3_000, 60_000))
def test_the_lowest_bits(runs: list[tuple[int, int]], count: int) -> None:
    mask = _mask(runs)
    bits = list(from_mask(mask))
    assert list(from_mask(lowest(mask, count))) == bits[:count]


@given(RUNS, RUNS, PLACES)
def test_what_one_has_and_another_has_not(
    runs: list[tuple[int, int]], others: list[tuple[int, int]], bit: int
) -> None:
    mask, other = _mask(runs), _mask(others)
    assert has(mask, bit) is (bit in set(from_mask(mask)))
    assert set(from_mask(less(mask, other))) == set(from_mask(mask)) - set(from_mask(other))


@given(RUNS, RUNS, st.lists(st.integers(0, 14), min_size=1, max_size=8))
def test_first_runs_that_are_kept_are_those_of_the_mask(
    runs: list[tuple[int, int]], others: list[tuple[int, int]], limits: list[int]
) -> None:
    mask, other, within = _mask(runs), _mask(others), (1 << 20_000) - 1
    kept = FirstRuns(within)
    for limit in limits:
        for one in (mask, other):
            assert list(kept.of(one, limit)) == list(from_mask(one & within).ranges[:limit])


@given(
    st.lists(RUNS, min_size=1, max_size=5), st.lists(st.tuples(RUNS, st.booleans()), max_size=30)
)
def test_counts_are_right_whatever_was_counted_before(
    lasting: list[list[tuple[int, int]]], asked: list[tuple[list[tuple[int, int]], bool]]
) -> None:
    counts = Counts()
    lasts = [counts.lasting(_mask(runs)) for runs in lasting]
    for runs, is_lasting in asked:
        mask = _mask(runs)
        if is_lasting:
            lasts.append(counts.lasting(mask))
        for other in lasts:
            assert counts.common(mask, other) == (mask & other).bit_count()
        assert counts.of(mask) == mask.bit_count()
        assert counts.of(mask + 0) == counts.common(mask, mask)


def test_a_mask_that_lasts_is_one_object_and_those_that_pass_are_let_go() -> None:
    counts, wide = Counts(), 1 << 5_000
    kept = counts.lasting(wide + 1)
    assert counts.lasting(wide | 1) is kept
    _Mask.gone = 0
    for number in range(100):
        counts.common(_Mask(wide + 2 * number), kept)
    assert 90 < _Mask.gone < 100
    assert counts.of(wide + 1) == 2
