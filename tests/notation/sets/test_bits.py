"""Bit sets, against one bit at a time; wide ones too, of which only a part is looked at."""

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.notation.sets.bits import fill, first_ranges, has, less, lowest, window
from fluxtui.notation.sets.idset import IdSet, from_mask, lengths, to_mask

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
    runs: list[tuple[int, int]], others: list[tuple[int, int]], bit: int, count: int
) -> None:
    mask, other = mask_of(runs), mask_of(others)
    ids = from_mask(mask)
    assert ids.count == mask.bit_count()
    assert to_mask(ids) == mask
    assert first_ranges(mask, count % 15) == list(ids.ranges[: count % 15])
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


IDS = st.frozensets(st.integers(0, 300), max_size=60) | st.frozensets(
    st.integers(0, 40_000), max_size=40
)


@given(IDS, st.sets(st.integers(0, 60)), st.integers(0, 100))
def test_the_length_of_a_text_is_found_without_it(
    wanted: frozenset[int], places: set[int], first: int
) -> None:
    ranks = IdSet.between(first, first + 10_000)
    scattered = IdSet.of(wanted)
    assert to_mask(scattered) == sum(1 << id_ for id_ in wanted)
    here = IdSet.of(wanted & set(range(10_000)))
    (length,) = lengths(ranks, (to_mask(here),))
    assert length == len(str(ranks.pick(here)))
    some = IdSet.of(place for place in places if place < scattered.count)
    (least,) = lengths(scattered, (to_mask(some),))
    assert least <= len(str(scattered.pick(some)))
