"""Nodes sorted by a column, and folded, against Python's own sort and dictionaries."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.answers.listing import orders
from fluxtui.answers.listing.lister import By, FoldedListing, Key, Lister, Wanted, fold, folded
from fluxtui.answers.listing.rows import Head, Listing, MaskRows, Reversed
from fluxtui.model.cancellation import Stopped
from fluxtui.model.resources import document as resources
from fluxtui.model.resources.resource_set import Resources
from tests import big
from tests.each import the
from tests.model.clusters import cluster, document, documents, lite
from tests.ui.documents import document as alike

CLUSTERS = documents().map(resources.read)
BYS: tuple[By, ...] = ("rank", "host", "cores", "gpus", "count", "property", "match", "size")


def rows(nodes: Listing) -> list[int]:
    """All nodes of an order."""
    return list(nodes.indices(0, nodes.count))


def value(found: Resources, key: Key, good: int, index: int) -> Any:
    """What a node is sorted by, looked up for it alone; the least comes first."""
    node = found.node(index)
    values = {
        "rank": index,
        "host": rows(orders.by_host(found)).index(index),
        "cores": len(node.cores),
        "gpus": len(node.gpus),
        "count": len(node.properties),
        "property": key.name in node.properties,
        "match": good >> index & 1,
    }
    return values.get(key.by, 0)


@given(CLUSTERS, st.data())
def test_sorted_as_python_sorts(found: Resources, data: st.DataObject) -> None:
    good, keep = data.draw(st.tuples(*[st.integers(0, found.everything)] * 2))
    lister = Lister(found)
    name = data.draw(st.sampled_from([*found.properties, "no such"]))
    text = f"rank:{found.ranks_of(keep)}" if keep else "-rank:"
    for by in data.draw(st.permutations(BYS)):
        for down in (False, True):
            key = Key(by, name if by == "property" else "", down)
            kept = [index for index in range(found.node_count) if keep >> index & 1]
            expected = sorted(kept, key=lambda i: value(found, key, good, i), reverse=down)
            made = lister.find(Wanted(key, text), good)
            assert rows(made) == expected, key
            assert made.count == len(expected)
            assert [made.row(i) for i in expected] == [*range(len(expected))]
            again = the(lister.at_once(Wanted(key), good))  # the second time
            assert again.count == found.node_count
            matching = lister.find(Wanted(key, text, only=True), good)
            assert rows(matching) == [i for i in expected if good >> i & 1]


def test_many_different_numbers() -> None:
    entries = [lite(f"{rank},{rank + 100}", f"0-{(rank * 7) % 100}") for rank in range(100)]
    found = resources.read(document(*entries, nodelist=["n[0-199]"]))
    for down in (True, False):
        expected = sorted(range(200), key=found.cores_at, reverse=down)
        wanted = Wanted(Key("cores", down=down))
        lister = Lister(found)
        assert rows(lister.find(wanted, 0)) == expected
        assert lister.at_once(wanted, 0) is None  # a page of so many masks takes too long


def test_it_ends_where_it_is_not_wanted() -> None:
    found = resources.read(alike(50, {"a": "3-9"}))
    with pytest.raises(Stopped):
        Lister(found).find(Wanted(Key.of("count")), 0, lambda: True)
    with pytest.raises(Stopped):
        fold(found, stop=lambda: True)
    assert len(fold(Resources()).firsts) == 0


def test_listings_at_once_and_in_the_background() -> None:
    found = resources.read(alike(60, {"a": "0-9", "b": "5-50"}))
    lister = Lister(found)
    good = 0b1111 << 8
    only = the(lister.at_once(Wanted(only=True), good))
    assert rows(only) == [8, 9, 10, 11]
    assert lister.at_once(Wanted(Key.of("cores")), good) is None
    assert lister.find(Wanted(Key.of("cores")), good).count == 60
    assert lister.at_once(Wanted(Key.of("cores")), good) is not None
    assert lister.at_once(Wanted(folded=True), good) is None
    folded = lister.find(Wanted(text="a", folded=True, only=True), good)
    assert isinstance(folded, FoldedListing)
    assert (folded.count, folded.node_count, folded.nodes(0, 1)) == (1, 2, 0b11 << 8)
    assert lister.filtered("a") is not None
    # What means nothing leaves all.
    assert lister.find(Wanted(text="no-such-thing"), 0).count == 60
    filtered = the(lister.filtered("no-such-thing"))
    assert filtered.problem is not None


# Classes of nodes that are alike, against a dictionary filled node by node


def kind(found: Resources, index: int) -> tuple[Any, ...]:
    """All that makes a node what it is, looked up for it alone."""
    node = found.node(index)
    return len(node.cores), len(node.gpus), node.properties


@given(CLUSTERS)
def test_classes_are_those_of_a_dictionary(found: Resources) -> None:
    folds, kinds = fold(found), [kind(found, index) for index in range(found.node_count)]
    known = [*dict.fromkeys(kinds)]
    assert [*folds.classes] == [known.index(one) for one in kinds]
    assert [*folds.firsts] == [kinds.index(one) for one in known]


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
            first = listing.row(list(classes.values())[place][0])
            listing.put_open(listing.head_at(first), is_open=False)  # type: ignore[arg-type]
    opened = {place for place in opened if len(list(classes.values())[place]) > 1}
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
    # In another order the same ones are open; what is not listed is open again where it is.
    for order in (Reversed(MaskRows((keep,))), MaskRows((keep & mask,))):
        other = folded(order, fold(found))
        other.open_again(listing.opened)
        assert other.opened == listing.opened
        for row in range(other.count):
            head, (first,) = other.head(row), other.indices(row, row + 1)
            place = [*classes].index(kind(found, first))
            assert head is None or head.is_open == (place in opened and head.size > 1)
            assert other.head_at(row) == max(r for r in range(row + 1) if other.head(r))


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


def test_few_nodes_are_filtered_at_once() -> None:
    wanted = Wanted(text="n1")
    assert Lister(resources.read(big.grouped(20_000))).at_once(wanted, 0) is not None
    assert Lister(resources.read(big.prefixes(20_001))).at_once(wanted, 0) is None


def test_states_sort_and_fold_nodes_as_they_are_now() -> None:
    before = Lister(cluster("0-4"), {"down": 0b10, "free": 0b11101})
    wanted = Wanted(Key.of("state"))
    assert rows(before.find(wanted, 0)) == [1, 0, 2, 3, 4]
    assert rows(before.find(Wanted(folded=True), 0)) == [0, 1]
    after = before.at({"down": 0b11000, "drained": 0b10001, "free": 0b110})
    assert rows(after.find(wanted, 0)) == [3, 4, 0, 1, 2]
    assert rows(after.find(Wanted(wanted.key.reversed()), 0)) == [1, 2, 0, 3, 4]
    assert rows(after.find(Wanted(folded=True), 0)) == [0, 1, 3, 4]
    assert rows(before.find(wanted, 0)) == [1, 0, 2, 3, 4]
