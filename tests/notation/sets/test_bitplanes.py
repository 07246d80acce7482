"""Bit sets as a byte for each node, and counted."""

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.notation.sets.bits import packed, planes_of, summed, unpacked
from fluxtui.notation.sets.idset import IdSet


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
