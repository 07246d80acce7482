"""Nodes sorted by a column, against Python's own sort of all nodes; and what is found at once."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.answers.listing import orders
from fluxtui.answers.listing.folding import FoldedListing
from fluxtui.answers.listing.lister import By, Key, Lister, Wanted
from fluxtui.answers.listing.rows import Listing
from fluxtui.model.cancellation import Stopped
from fluxtui.model.resources import document as resources
from fluxtui.model.resources.resource_set import Resources
from tests.answers.clusters import documents
from tests.model.clusters import document, lite
from tests.ui.helpers import document as alike

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
    good, keep = data.draw(st.tuples(*[st.integers(0, found.everything)] * 2))
    lister = Lister(found)
    name = data.draw(st.sampled_from([*found.properties, "no such"]))
    text = f"rank:{found.ranks_of(keep)}" if keep else "-rank:"
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
            made = lister.find(Wanted(key, text), good)
            assert rows(made) == expected, key
            assert made.count == len(expected)
            assert [made.row(i) for i in expected] == [*range(len(expected))]
            again = lister.at_once(Wanted(key), good)  # the second time
            assert again is not None
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


def test_listings_at_once_and_in_the_background() -> None:
    found = resources.read(alike(60, {"a": "0-9", "b": "5-50"}))
    lister = Lister(found)
    good = 0b1111 << 8
    only = lister.at_once(Wanted(only=True), good)
    assert only is not None
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
    filtered = lister.filtered("no-such-thing")
    assert filtered is not None
    assert filtered.problem is not None
