"""Idsets (RFC 22) and bit sets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.notation.sets import idset
from fluxtui.notation.sets.bits import (
    fill,
    has,
    less,
    lowest,
    packed,
    planes_of,
    runs,
    summed,
    unpacked,
    window,
)
from fluxtui.notation.sets.idset import IdSet, from_mask, to_mask

ids = st.frozensets(st.integers(0, 300), max_size=60)


@given(ids)
def test_text_round_trip(wanted: frozenset[int]) -> None:
    text = str(IdSet.of(wanted))
    parsed = idset.parse(text)
    assert parsed.problems == ()
    assert set(parsed.value) == wanted
    assert idset.parse(f"[{text}]").value == parsed.value


@given(ids, ids)
def test_is_a_set(one: frozenset[int], two: frozenset[int]) -> None:
    a, b = IdSet.of(one), IdSet.of(two)
    assert set(a | b) == one | two
    assert set(a & b) == one & two
    assert set(a - b) == one - two
    assert (a == b) == (one == two)
    assert len(a) == a.count == len(one)
    assert all((id_ in a) == (id_ in one) for id_ in range(301))


@given(ids)
def test_places(wanted: frozenset[int]) -> None:
    ordered = sorted(wanted)
    found = IdSet.of(wanted)
    assert [found.nth(place) for place in range(len(ordered))] == ordered
    assert [found.index(id_) for id_ in ordered] == list(range(len(ordered)))
    assert found.index(1000) is None
    for outside in (-1, len(ordered)):
        with pytest.raises(IndexError):
            found.nth(outside)


@given(ids, ids)
def test_locate_and_pick(one: frozenset[int], two: frozenset[int]) -> None:
    a, b = IdSet.of(one), IdSet.of(two)
    ordered = sorted(one)
    assert list(a.locate(b)) == [place for place, id_ in enumerate(ordered) if id_ in two]
    assert list(a.pick(b)) == [id_ for place, id_ in enumerate(ordered) if place in two]
    assert a.pick(a.locate(b)) == a & b


# Bit sets, against one bit at a time; wide ones too, of which only a part is looked at


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


@given(st.integers(0, 70), st.data())
def test_a_byte_for_each_node(count: int, data: st.DataObject) -> None:
    masks = data.draw(st.lists(st.integers(0, (1 << count) - 1), max_size=8))
    made = packed(masks, count)
    assert list(made) == [
        sum((mask >> index & 1) << bit for bit, mask in enumerate(masks)) for index in range(count)
    ]
    assert [unpacked(made, bit) for bit in range(len(masks))] == masks


@given(st.lists(st.integers(0, (1 << 40) - 1), max_size=30))
def test_how_many_masks_have_a_node(masks: list[int]) -> None:
    digits = summed(masks)
    for index in range(40):
        expected = sum(mask >> index & 1 for mask in masks)
        assert sum((digit >> index & 1) << place for place, digit in enumerate(digits)) == expected


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 1 << 20)), max_size=200))
def test_each_index_has_the_value_of_its_set(nodes: list[tuple[int, int]]) -> None:
    values = dict(nodes)
    members = [number for number, _ in nodes]
    sets = {number: IdSet.of(i for i, m in enumerate(members) if m == number) for number in values}
    runs = [(ids.starts, ids.ends) for ids in sets.values()]
    found = planes_of(runs, list(values.values()), len(members))
    for index, number in enumerate(members):
        assert sum(w for w, mask in found if mask >> index & 1) == values[number]
