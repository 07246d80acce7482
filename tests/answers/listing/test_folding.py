"""Classes of nodes that are alike, against a dictionary filled node by node."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.answers.listing.folding import fold, folded
from fluxtui.answers.listing.lister import By, Key, Lister, Wanted
from fluxtui.answers.listing.rows import Head, MaskRows, Order, Reversed
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
def test_a_folded_listing_is_its_rows(found: Resources, data: st.DataObject) -> None:
    keep, mask = data.draw(st.tuples(*[st.integers(0, found.everything)] * 2))
    nodes = [index for index in range(found.node_count) if keep >> index & 1]
    classes: dict[tuple[Any, ...], list[int]] = {}
    for index in nodes:
        classes.setdefault(kind(found, index), []).append(index)
    listing = folded(MaskRows((keep,)), fold(found))
    places = range(len(classes))
    opened = data.draw(st.sets(st.sampled_from(places))) if classes else set()
    for place in reversed(places):  # the last first: so the rows of those before stay
        listing.put_open(place, is_open=True)
    for place in reversed(places):
        if place not in opened:
            head = listing.head_at(listing.row(list(classes.values())[place][0]) or 0)
            listing.put_open(head or 0, is_open=False)
    rows: list[tuple[list[int], Head | None]] = []  # the nodes of each row
    for place, members in enumerate(classes.values()):
        rows.append((members, Head(len(members), place in opened)))
        rows += [([index], None) for index in members if place in opened]
    count = len(rows)
    assert (listing.count, listing.node_count) == (count, len(nodes))
    assert [listing.head(row) for row in range(count)] == [head for _, head in rows]
    assert list(listing.indices(0, count)) == [members[0] for members, _ in rows]
    for index in range(found.node_count):
        own = [row for row, (members, _) in enumerate(rows) if index in members]
        assert listing.row(index) == (own[-1] if own else None)
    start, stop = sorted(data.draw(st.tuples(*[st.integers(0, count)] * 2)))
    listed = {index for members, _ in rows[start:stop] for index in members}
    assert listing.nodes(start, stop) == sum(1 << index for index in listed)
    # Next and previous stop at nodes, and at classes that are closed.
    row = data.draw(st.integers(-1, count))
    stops = [
        number
        for number, (members, head) in enumerate(rows)
        if not (head and head.is_open) and any(mask >> index & 1 for index in members)
    ]
    assert listing.following(mask, row, 1) == next((at for at in stops if at > row), None)
    assert listing.following(mask, row, -1) == next((at for at in stops[::-1] if at < row), None)


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
