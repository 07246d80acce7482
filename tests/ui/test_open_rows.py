"""The rows of a tree that is partly open: against a walk over all that is open."""

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.answers.containment.items import Fold, Item
from fluxtui.answers.containment.tree import Containment, can_open
from fluxtui.ui.nodes.open_rows import Branch, OpenRows, Spot
from tests.answers.containment.trees import of_graph, random_graph, random_listed, walk

SEEDS = st.integers(0, 5_000)

MOVES = st.lists(
    st.tuples(st.sampled_from(("open", "close", "grow", "find")), st.integers(0, 9_999))
)


def tree_of(seed: int) -> Containment:
    """A graph for an even seed, what an execution part implies for an odd one."""
    return of_graph(random_graph(seed))[0] if seed % 2 == 0 else random_listed(seed)[0]


def flat(branch: Branch, level: int = 0) -> Iterator[tuple[Spot, int]]:
    """Every row from above, with its level."""
    for place in range(len(branch.items)):
        yield Spot(branch, place), level
        inner = branch.opened.get(place)
        if inner is not None:
            yield from flat(inner, level + 1)


@given(SEEDS, MOVES)
def test_rows_are_those_of_a_walk(seed: int, moves: list[tuple[str, int]]) -> None:
    tree = tree_of(seed)
    rows, seen = OpenRows(tree), set[Spot]()
    vertices = list(walk(tree))
    for what, number in moves:
        spot = rows.at(number % len(rows))
        if what == "open":
            rows.open(spot)
        elif what == "close":
            spot.put(None)
        elif what == "grow":
            branch, _ = rows.grown(spot, number % 60)
            if branch is not None:
                spot.put(branch)
        else:
            wanted = vertices[number % len(vertices)]
            assert rows.reveal(wanted) is not None
        everything = list(flat(rows.root))
        assert len(rows) == len(everything)
        for row, (expected, level) in enumerate(everything):
            found = rows.at(row)
            assert (found, found.branch.level) == (expected, level)
            assert rows.row_of(found) == row
        # What was in a closed item is not there any more.
        here = {spot for spot, _ in everything}
        seen |= here
        assert {spot for spot in seen if rows.has(spot)} == here


@given(SEEDS, st.integers(0, 999))
def test_a_vertex_is_shown_by_opening_what_it_is_in(seed: int, number: int) -> None:
    tree = tree_of(seed)
    rows = OpenRows(tree)
    vertices = list(walk(tree))
    wanted = vertices[number % len(vertices)]
    spot = rows.reveal(wanted)
    assert spot.item == wanted
    opened = {s.item for s, _ in flat(rows.root) if s.is_open and not isinstance(s.item, Fold)}
    above: set[Item] = set()
    while (wanted := tree.parent(wanted)) >= 0:
        above.add(wanted)
    assert opened == above


@given(SEEDS)
def test_all_below_is_opened_but_folded_leaves(seed: int) -> None:
    tree = tree_of(seed)
    rows = OpenRows(tree)
    spot = rows.at(0)
    branch, is_all = rows.grown(spot, 10_000)
    assert is_all
    if branch is None:
        assert not can_open(tree, spot.item)
        return
    few, is_all = rows.grown(spot, 0)  # where there is room for no more than is below it
    assert (few.rows, is_all) == (len(branch.items), len(branch.items) == branch.rows)
    before = len(rows)
    spot.put(branch)
    assert len(rows) == before + branch.rows
    for found, _ in flat(branch):
        assert found.is_open == (can_open(tree, found.item) and not isinstance(found.item, Fold))
