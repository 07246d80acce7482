"""Nodes in rows: rows and nodes, there and back, against plain lists; many and few."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.answers.listing import rows as listing_rows
from fluxtui.answers.listing.lister import only
from fluxtui.answers.listing.orders import of_groups
from fluxtui.answers.listing.rows import Listing, MaskRows, Order, Reversed, Section
from fluxtui.notation.sets.idset import IdSet

COUNT = 60
MASKS = st.integers(0, (1 << COUNT) - 1)
PLACES = st.integers(0, COUNT)


@pytest.fixture(autouse=True, scope="module", params=["many", "few"])
def _size(request: pytest.FixtureRequest) -> object:
    """As if some dozens of nodes were a million, and as what they are."""
    patch = pytest.MonkeyPatch()
    if request.param == "many":
        for name, value in (("_LARGE", 6), ("_MANY", 4)):
            patch.setattr(listing_rows, name, value)
    yield
    patch.undo()


@st.composite
def an_order(draw: st.DrawFn) -> tuple[Order, list[int]]:
    """An order in groups, by rank, mixed up, or of some nodes; prepared or not; and its rows."""
    kind = draw(st.sampled_from(("groups", "rank", "mixed", "some")))
    nodes = list(range(COUNT))
    if kind in ("groups", "some"):
        group = [draw(st.integers(0, 9)) for _ in nodes]
        groups = [(str(g), IdSet.of(i for i in nodes if group[i] == g).ranges) for g in range(10)]
        order, rows = of_groups(groups), sorted(nodes, key=lambda i: (group[i], i))
        if kind == "some":
            mask = draw(MASKS)
            order, rows = only(order, mask), [i for i in rows if mask >> i & 1]
    elif kind == "mixed":
        rows = list(draw(st.permutations(nodes)))
        order = Order(rows)
    else:
        cuts = sorted({0, COUNT, *draw(st.sets(st.integers(1, COUNT)))})
        order = Order(range(COUNT), [Section(str(a), a, b) for a, b in pairwise(cuts)])
        rows = nodes
    if draw(st.booleans()):
        order.prepare()
    return order, rows


@st.composite
def of_masks(draw: st.DrawFn) -> tuple[MaskRows, list[int]]:
    """The rows of three disjoint masks."""
    where = [draw(st.integers(0, 3)) for _ in range(COUNT)]
    masks = [sum(1 << i for i, mask in enumerate(where) if mask == of) for of in range(3)]
    return MaskRows(masks), [i for of in range(3) for i, mask in enumerate(where) if mask == of]


@given(st.one_of(an_order(), of_masks()), MASKS, PLACES, PLACES, st.integers(-1, COUNT))
def test_a_listing_is_its_rows(
    made: tuple[Listing, list[int]], mask: int, one: int, other: int, row: int
) -> None:
    start, stop = sorted(min(place, len(made[1])) for place in (one, other))
    for listing, rows in (made, (Reversed(made[0]), made[1][::-1])):
        assert listing.count == listing.node_count == len(rows)
        assert list(listing.indices(start, stop)) == rows[start:stop]
        assert listing.nodes(start, stop) == sum(1 << i for i in rows[start:stop])
        assert [listing.row(index) for index in range(COUNT + 1)] == [
            rows.index(index) if index in rows else None for index in range(COUNT + 1)
        ]
        at = min(row, len(rows))
        places = [place for place, index in enumerate(rows) if mask >> index & 1]
        assert listing.following(mask, at, 1) == next((p for p in places if p > at), None)
        assert listing.following(mask, at, -1) == next((p for p in places[::-1] if p < at), None)


@given(an_order(), MASKS, PLACES, PLACES, st.sets(PLACES))
def test_an_order_has_sections_and_counts_in_them(
    made: tuple[Order, list[int]], mask: int, one: int, other: int, some: set[int]
) -> None:
    order, rows = made
    start, stop = sorted((one, other))
    assert order.bits(mask, start, stop) == "".join(str(mask >> i & 1) for i in rows[start:stop])
    assert list(order.rows) == rows
    assert [0, *(section.stop for section in order.sections)] == [
        *(section.start for section in order.sections),
        len(rows),
    ]
    for number, section in enumerate(order.sections):
        assert section.size > 0
        assert order.section_at(section.start) == order.section_at(section.stop - 1) == number
    some = {place for place in some if place <= len(rows)}
    cuts = sorted({0, len(rows), *(section.stop for section in order.sections), *some})
    wanted = [sum(mask >> i & 1 for i in rows[a:b]) for a, b in pairwise(cuts)]
    assert order.counts(mask, cuts) == wanted
    for at in range(len(cuts) - 1):  # a page may begin and end anywhere
        assert order.counts(mask, cuts[at : at + 3]) == wanted[at : at + 2]


def test_the_nearest_row_of_one_mask() -> None:
    assert [MaskRows((0b101000,)).near(index) for index in range(7)] == [0, 0, 0, 0, 1, 1, 2]
    assert MaskRows((1, 2)).near(0) is None
