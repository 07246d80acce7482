"""Bit sets, against one bit at a time; wide ones too, of which only a part is looked at."""

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.notation.sets.bits import fill, has, less, lowest, runs, window
from fluxtui.notation.sets.idset import from_mask, to_mask

# Places around the ends of what is looked at first, and far above.
PLACES = st.integers(0, 200) | st.integers(4_080, 4_110) | st.integers(32_750, 33_000)
RUNS = st.lists(st.tuples(PLACES, st.integers(1, 70) | st.integers(3_000, 30_000)), max_size=12)


def mask_of(runs: list[tuple[int, int]]) -> int:
    mask = 0
    for start, length in runs:
        mask |= ((1 << length) - 1) << start
    return mask


@given(RUNS, RUNS, PLACES, st.integers(0, 300) | st.integers(3_000, 60_000))
def test_runs_and_bits(
    some: list[tuple[int, int]], others: list[tuple[int, int]], bit: int, count: int
) -> None:
    mask, other = mask_of(some), mask_of(others)
    ids = from_mask(mask)
    assert ids.count == mask.bit_count()
    assert to_mask(ids) == mask
    assert tuple(runs(mask)) == ids.ranges
    low = lowest(mask, count)
    assert low.bit_count() == min(count, mask.bit_count())
    assert low == mask & ((1 << low.bit_length()) - 1)
    assert has(mask, bit) is bool(mask >> bit & 1)
    assert less(mask, other) == mask & ~other
    assert window(mask, bit, bit + 50) == "".join(str(mask >> i & 1) for i in range(bit, bit + 50))
    # Ranges in any order, and side by side.
    halves = [(a, (a + b) // 2) for a, b in ids.ranges]
    halves += [((a + b) // 2 + 1, b) for a, b in ids.ranges if a < b]
    starts, ends = [a for a, _ in halves[::-1]], [b for _, b in halves[::-1]]
    assert fill(starts, ends, mask.bit_length()) == mask
