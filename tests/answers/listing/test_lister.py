"""Nodes sorted by a column, against Python's own sort of all nodes; rows read out of masks."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.answers.listing import orders
from fluxtui.answers.listing.lister import By, Key, Lister, Sorter, Wanted
from fluxtui.answers.listing.listing import FoldedListing
from fluxtui.answers.listing.order import Order
from fluxtui.answers.listing.rows import Listing, MaskRows, Reversed
from fluxtui.model.cancellation import Stopped
from fluxtui.model.resources import document as resources
from fluxtui.model.resources.resource_set import Resources
from tests.answers.clusters import documents
from tests.ui.helpers import document

CLUSTERS = documents().map(resources.read)
BYS: tuple[By, ...] = ("rank", "host", "cores", "gpus", "count", "property", "match", "size")


def rows(nodes: Listing) -> list[int]:
    """All nodes of an order."""
    return list(nodes.indices(0, nodes.count))


def value(found: Resources, key: Key, good: int, index: int) -> Any:
    """What a node is sorted by, looked up for it alone; the least comes first."""
    node = found.node(index)
    match key.by:
        case "cores":
            return len(node.cores)
        case "gpus":
            return len(node.gpus)
        case "count":
            return len(node.properties)
        case "property":
            return key.name in node.properties
        case "match":
            return bool(good >> index & 1)
    return 0


@given(CLUSTERS, st.data())
def test_sorted_as_python_sorts(found: Resources, data: st.DataObject) -> None:
    everything = found.everything
    good, keep = data.draw(st.tuples(*[st.integers(0, everything)] * 2))
    sorter = Sorter(found)
    name = data.draw(st.sampled_from([*found.properties, "no such"]))
    for by in data.draw(st.permutations(BYS)):
        for down in (False, True):
            key = Key(by, name if by == "property" else "", down)
            kept = [index for index in range(found.node_count) if keep >> index & 1]
            if by == "host":
                order = [i for i in rows(orders.by_host(found)) if keep >> i & 1]
                expected = order[::-1] if down else order
            elif by == "rank":
                expected = kept[::-1] if down else kept
            else:
                expected = sorted(kept, key=lambda i: value(found, key, good, i), reverse=down)
            made = sorter.sort(key, keep, good)
            assert rows(made) == expected, key
            assert made.count == len(expected)
            assert [made.row(i) for i in expected] == [*range(len(expected))]
            assert sorter.is_quick(key, everything)  # the second time


def test_many_different_numbers() -> None:
    lite = [
        {"rank": f"{rank},{rank + 100}", "children": {"core": f"0-{(rank * 7) % 100}"}}
        for rank in range(100)
    ]
    found = resources.read({"version": 1, "execution": {"R_lite": lite, "nodelist": ["n[0-199]"]}})
    for down in (True, False):
        expected = sorted(range(200), key=found.cores_at, reverse=down)
        assert rows(Sorter(found).sort(Key("cores", down=down), found.everything, 0)) == expected


def test_it_ends_where_it_is_not_wanted() -> None:
    found = resources.read(document(50, {"a": "3-9"}))
    with pytest.raises(Stopped):
        Sorter(found).sort(Key.of("count"), found.everything, 0, lambda: True)


# Rows read out of masks


@given(st.lists(st.integers(0, 3), max_size=9000, min_size=1), st.data())
def test_rows_of_masks(where: list[int], data: st.DataObject) -> None:
    masks = [sum(1 << index for index, mask in enumerate(where) if mask == of) for of in range(3)]
    expected = [index for of in range(3) for index, mask in enumerate(where) if mask == of]
    made: Listing = MaskRows(masks)
    if data.draw(st.booleans()):
        made, expected = Reversed(made), expected[::-1]
    count = len(expected)
    assert made.count == count
    start, stop = sorted(data.draw(st.tuples(*[st.integers(0, count)] * 2)))
    assert list(made.indices(start, stop)) == expected[start:stop]
    assert made.nodes(start, stop) == sum(1 << index for index in expected[start:stop])
    index = data.draw(st.integers(0, len(where) + 20))
    assert made.row(index) == (expected.index(index) if index in expected else None)
    sought = data.draw(st.integers(0, (1 << len(where)) - 1))
    row = data.draw(st.integers(-1, count))
    found = [at for at, index in enumerate(expected) if sought >> index & 1]
    assert made.following(sought, row, 1) == next((at for at in found if at > row), None)
    assert made.following(sought, row, -1) == next((at for at in found[::-1] if at < row), None)


def test_the_nearest_row_of_one_mask() -> None:
    assert [MaskRows((0b101000,)).near(index) for index in range(7)] == [0, 0, 0, 0, 1, 1, 2]
    assert MaskRows((1, 2)).near(0) is None


# What is wanted


def test_listings_at_once_and_in_the_background() -> None:
    found = resources.read(document(60, {"a": "0-9", "b": "5-50"}))
    lister = Lister(found)
    good = 0b1111 << 8
    only = lister.at_once(Wanted(only=True), good)
    assert only is not None
    assert list(only.indices(0, 60)) == [8, 9, 10, 11]
    assert lister.at_once(Wanted(Key.of("cores")), good) is None
    assert lister.find(Wanted(Key.of("cores")), good).count == 60
    assert lister.at_once(Wanted(Key.of("cores")), good) is not None
    assert lister.at_once(Wanted(folded=True), good) is None
    folded = lister.find(Wanted(text="a", folded=True, only=True), good)
    assert isinstance(folded, FoldedListing)
    assert (folded.count, folded.node_count, folded.nodes(0, 1)) == (1, 2, 0b11 << 8)
    assert lister.filtered("a") is not None


def test_a_filter_that_says_nothing_leaves_all() -> None:
    lister = Lister(resources.read(document(5)))
    listing = lister.find(Wanted(text="no-such-thing"), 0)
    found = lister.filtered("no-such-thing")
    assert found is not None
    assert found.problem is not None
    assert listing.count == 5


def test_an_order_is_among_what_can_be_listed() -> None:
    nodes: Listing = Order.of_all(3)
    assert rows(Reversed(nodes)) == [2, 1, 0]
