"""Nodes in an order: rows and nodes, there and back, against plain lists; many and few."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.answers.listing import order as ordering
from fluxtui.answers.listing.lister import only
from fluxtui.answers.listing.order import Order, Section
from fluxtui.answers.listing.rows import Reversed

COUNT = 60
MASKS = st.integers(0, (1 << COUNT) - 1)
PLACES = st.integers(0, COUNT)


@pytest.fixture(autouse=True, scope="module", params=["many", "few"])
def _size(request: pytest.FixtureRequest) -> object:
    """As if some dozens of nodes were a million, and as what they are."""
    patch = pytest.MonkeyPatch()
    if request.param == "many":
        for name, value in (("_CHUNK", 8), ("_LARGE", 6), ("_MANY", 4)):
            patch.setattr(ordering, name, value)
    yield
    patch.undo()


@st.composite
def an_order(draw: st.DrawFn) -> tuple[Order, list[int]]:
    """An order in groups, by rank, turned round or mixed up; prepared or not; and its rows."""
    kind = draw(st.sampled_from(("groups", "rank", "mixed", "some")))
    nodes = list(range(COUNT))
    if kind in ("groups", "some"):
        groups = [draw(st.integers(0, 9)) for _ in nodes]
        masks = [(str(g), sum(1 << i for i in nodes if groups[i] == g)) for g in range(10)]
        order, rows = Order.of_groups(masks), sorted(nodes, key=lambda i: (groups[i], i))
        if kind == "some":
            mask = draw(MASKS)
            order, rows = only(order, mask), [i for i in rows if mask >> i & 1]
    elif kind == "mixed":
        rows = list(draw(st.permutations(nodes)))
        order = Order(rows, [Section("", 0, COUNT)], rising=False)
    else:
        cuts = sorted({0, COUNT, *draw(st.sets(st.integers(1, COUNT)))})
        order = Order.of_all(COUNT, [Section(str(a), a, b) for a, b in pairwise(cuts)])
        rows = nodes
    if draw(st.booleans()):
        order.prepare()
    return order, rows


@given(an_order(), MASKS, PLACES, PLACES)
def test_masks_of_rows_and_rows_of_masks(
    made: tuple[Order, list[int]], mask: int, one: int, other: int
) -> None:
    order, rows = made
    start, stop = sorted((one, other))
    assert order.nodes(start, stop) == sum(1 << i for i in rows[start:stop])
    assert order.bits(mask, start, stop) == "".join(str(mask >> i & 1) for i in rows[start:stop])
    assert list(order.indices(start, stop)) == rows[start:stop]
    assert [order.index(row) for row in range(order.count)] == rows
    assert [order.row(index) for index in range(COUNT + 1)] == [
        rows.index(index) if index in rows else None for index in range(COUNT + 1)
    ]
    at = 0
    for number, section in enumerate(order.sections):
        assert section.start == at < section.stop
        assert order.section_at(section.start) == order.section_at(section.stop - 1) == number
        at = section.stop
    assert at == len(rows)


@given(an_order(), MASKS, st.sets(PLACES), st.integers(-1, COUNT))
def test_counts_and_the_row_after_another(
    made: tuple[Order, list[int]], mask: int, some: set[int], row: int
) -> None:
    order, rows = made
    some = {place for place in some if place <= len(rows)}
    cuts = sorted({0, len(rows), *(section.stop for section in order.sections), *some})
    wanted = [sum(mask >> i & 1 for i in rows[a:b]) for a, b in pairwise(cuts)]
    assert order.counts(mask, cuts) == wanted
    for at in range(len(cuts) - 1):  # a page may begin and end anywhere
        assert order.counts(mask, cuts[at : at + 3]) == wanted[at : at + 2]
    places = [place for place, index in enumerate(rows) if mask >> index & 1]
    row = min(row, len(rows))
    after = [place for place in places if place > row]
    before = [place for place in places if place < row]
    for rows_of, place in ((order, row), (Reversed(order), len(rows) - 1 - row)):
        up, down = (1, -1) if rows_of is order else (-1, 1)
        said = [rows_of.following(mask, place, by) for by in (up, down)]
        wanted = [after[0] if after else None, before[-1] if before else None]
        if rows_of is not order:
            wanted = [None if found is None else len(rows) - 1 - found for found in wanted]
        assert said == wanted
