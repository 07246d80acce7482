"""Classes of nodes that are alike, against a dictionary filled node by node."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.answers.listing.folding import FoldedListing, fold, folded
from fluxtui.answers.listing.lister import By, Key, Lister, Wanted
from fluxtui.answers.listing.rows import MaskRows, Order, Reversed
from fluxtui.model.cancellation import Stopped
from fluxtui.model.resources import document as resources
from fluxtui.model.resources.resource_set import Resources
from tests.answers.clusters import documents
from tests.model.clusters import cluster

CLUSTERS = documents().map(resources.read)


def kind(found: Resources, index: int) -> tuple[Any, ...]:
    """All that makes a node what it is, looked up for it alone."""
    node = found.node(index)
    return len(node.cores), len(node.gpus), node.properties


@given(CLUSTERS)
def test_classes_are_those_of_a_dictionary(found: Resources) -> None:
    folds = fold(found)
    known: dict[tuple[Any, ...], int] = {}
    firsts = []
    for index in range(found.node_count):
        made = kind(found, index)
        if made not in known:
            known[made] = len(known)
            firsts.append(index)
        assert folds.classes[index] == known[made]
    assert list(folds.firsts) == firsts


def test_many_properties_in_many_classes() -> None:
    named = {f"p{bit}": ",".join(str(i) for i in range(1024) if i >> bit & 1) for bit in range(10)}
    more = {f"q{number}": f"{number}-1000" for number in range(30)}
    assert len(fold(cluster("0-1023", "n[0-1023]", **named, **more)).firsts) == 1024


def test_it_ends_where_it_is_not_wanted() -> None:
    assert len(fold(Resources()).firsts) == 0
    with pytest.raises(Stopped):
        fold(cluster("0-9"), stop=lambda: True)


# Folded listings


@given(CLUSTERS, st.data())
def test_a_folded_listing_has_all_nodes_once(found: Resources, data: st.DataObject) -> None:
    listing, order = a_listing(found, data)
    heads = [row for row in range(listing.count) if listing.head(row) is not None]
    rows = {row: listing.nodes(row, row + 1) for row in heads}
    assert sum(mask.bit_count() for mask in rows.values()) == len(order)
    assert sum(rows.values()) == sum(1 << index for index in order)
    for row, mask in rows.items():
        head = listing.head(row)
        assert head is not None
        assert head.size == mask.bit_count()
        members = [i for i in order if mask >> i & 1]
        assert len({kind(found, i) for i in members}) == 1
        assert listing.indices(row, row + 1) == members[:1]
        if head.is_open:
            below = listing.indices(row + 1, row + 1 + head.size)
            assert list(below) == members
            assert [listing.row(i) for i in members] == [*range(row + 1, row + 1 + head.size)]
        else:
            assert {listing.row(i) for i in members} == {row}
    first = [listing.indices(row, row + 1)[0] for row in heads]
    assert first == sorted(first, key=order.index)


@given(CLUSTERS, st.data())
def test_rows_of_a_folded_listing(found: Resources, data: st.DataObject) -> None:
    listing, _ = a_listing(found, data)
    count = listing.count
    start, stop = sorted(data.draw(st.tuples(*[st.integers(0, count)] * 2)))
    single = [listing.nodes(row, row + 1) for row in range(count)]
    whole = 0
    for mask in single[start:stop]:
        whole |= mask
    assert listing.nodes(start, stop) == whole  # the row of a class has all of its nodes
    mask = data.draw(st.integers(0, found.everything))
    row = data.draw(st.integers(-1, count))
    counted = [is_stop(listing, number) and bool(m & mask) for number, m in enumerate(single)]
    after = [number for number in range(count) if number > row and counted[number]]
    before = [number for number in range(count) if number < row and counted[number]]
    assert listing.following(mask, row, 1) == (after[0] if after else None)
    assert listing.following(mask, row, -1) == (before[-1] if before else None)


def is_stop(listing: FoldedListing, row: int) -> bool:
    """The row is one that next and previous stop at: a node, or a class that is closed."""
    head = listing.head(row)
    return head is None or not head.is_open


BY_TOTALS: tuple[By, ...] = ("size", "all-cores", "all-gpus")


@given(CLUSTERS, st.sampled_from(BY_TOTALS), st.booleans(), st.data())
def test_by_what_the_nodes_of_a_row_have_together(
    found: Resources, by: By, down: bool, data: st.DataObject
) -> None:
    keep = data.draw(st.integers(0, found.everything))
    wanted = Wanted(Key(by, down=down), only=True, folded=True)
    listing = Lister(found).find(wanted, keep)
    totals = []
    masks = [listing.nodes(row, row + 1) for row in range(listing.count)]
    for mask in masks:
        nodes = [index for index in range(found.node_count) if mask >> index & 1]
        each = {"all-cores": found.cores_at, "all-gpus": found.gpus_at}.get(by, lambda index: 1)
        totals.append((sum(map(each, nodes)), min(nodes)))
    assert listing.largest == max((row.bit_count() for row in masks), default=0)
    ordered = sorted(totals, key=lambda pair: pair[1])  # equal ones by their first nodes
    assert totals == sorted(ordered, key=lambda pair: pair[0], reverse=down)


def test_what_is_open_stays_open_in_another_order() -> None:
    folds = fold(cluster("0-9", "n[0-9]", a="0-3", b="4-7"))
    listing = folded(Order(range(10)), folds)
    listing.put_open(1, is_open=True)
    other = folded(Reversed(Order(range(10))), folds)
    other.open_again(listing.opened)
    assert other.opened == listing.opened
    heads = [(row, other.head(row)) for row in range(other.count)]
    assert [(row, h.size, h.is_open) for row, h in heads if h] == [
        (0, 2, False),
        (1, 4, True),
        (6, 4, False),
    ]
    assert list(other.indices(2, 6)) == [7, 6, 5, 4]
    assert other.head_at(4) == 1
    few = folded(MaskRows((0b11,)), folds)
    few.open_again(listing.opened)
    assert few.count == 1
    assert few.opened == listing.opened  # it is not listed, and open again where it is


def a_listing(found: Resources, data: st.DataObject) -> tuple[FoldedListing, list[int]]:
    """A folded listing of some nodes in some order, with some rows open; and the order."""
    keep = data.draw(st.integers(0, found.everything))
    order = [index for index in range(found.node_count) if keep >> index & 1]
    nodes = MaskRows((keep,))
    listing = folded(nodes, fold(found))
    for row in data.draw(st.lists(st.integers(0, max(listing.count - 1, 0)), max_size=3)):
        if row < listing.count:
            listing.put_open(row, is_open=True)
    return listing, order
