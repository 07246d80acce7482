"""Idsets (RFC 22), what may be typed next in one, and bit sets."""

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
from tests.pace import within

IDS = st.frozensets(st.integers(0, 300), max_size=60)


@given(IDS, IDS)
def test_is_the_sorted_list_of_a_set(one: frozenset[int], two: frozenset[int]) -> None:
    a, b, ordered = IdSet.of(one), IdSet.of(two), sorted(one)
    assert idset.parse(str(a)) == idset.parse(f"[{a}]") == (a, ())
    assert list(a) == ordered
    assert [set(found) for found in (a | b, a & b, a - b)] == [one | two, one & two, one - two]
    assert (a == b) == (one == two)
    assert len(a) == a.count == len(one)
    assert all((id_ in a) == (id_ in one) for id_ in range(301))
    assert [a.nth(place) for place in range(len(ordered))] == ordered
    assert [a.index(id_) for id_ in (*ordered, 1000)] == [*range(len(ordered)), None]
    assert list(a.locate(b)) == [place for place, id_ in enumerate(ordered) if id_ in two]
    assert list(a.pick(b)) == [id_ for place, id_ in enumerate(ordered) if place in two]
    for outside in (-1, len(ordered)):
        with pytest.raises(IndexError):
            a.nth(outside)


def test_ids_of_a_large_or_scattered_set_are_offered_at_once() -> None:
    many, scattered = IdSet.between(0, 4294967295), IdSet.of(range(0, 2_000_000, 2))
    for known, text, first in (
        (many, "", "0"), (many, "42", "420"), (many, "5-", "4294967295"), (scattered, "", "0"),
        (scattered, "19999", "199990"), (scattered, "0,1999990,", "1999992"),
    ):  # fmt: skip
        offers = within(0.1, lambda: idset.completions(text, len(text), known))  # noqa: B023
        assert offers[0].text == first
    assert within(0.1, lambda: idset.completions("4-", 2, scattered)) == []


@given(st.sets(st.integers(0, 300), max_size=30), st.integers(0, 310))
def test_ids_are_those_of_the_set_that_go_on(known: set[int], typed: int) -> None:
    found = idset.completions(str(typed), len(str(typed)), IdSet.of(known))
    ids = {int(offer.text) for offer in found if offer.text.isdigit()}
    goes_on = {n for n in known if str(n).startswith(str(typed)) and n != typed}
    assert ids == (goes_on if typed else set())


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
