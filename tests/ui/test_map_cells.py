"""Cells and rows of a map, and how they look, against plain lists of nodes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.answers.listing.orders import of_groups
from fluxtui.answers.listing.rows import Order, Section
from fluxtui.ui.widgets import map_bars
from fluxtui.ui.widgets.cell_looks import PARTS, Page
from fluxtui.ui.widgets.cells import Grid, Zoom, block_size, nearest_size
from fluxtui.ui.widgets.map_layout import Layouts, Room
from fluxtui.ui.widgets.nodes_view import Light

SIZES = st.lists(st.integers(1, 30), min_size=1, max_size=8)


def sections(sizes: list[int]) -> tuple[Section, ...]:
    found, start = [], 0
    for number, size in enumerate(sizes):
        found.append(Section(str(number), start, start + size))
        start += size
    return tuple(found)


def plain_rows(sizes: list[int], size: int, per_row: int, runs_on: bool) -> list[list[range]]:
    """The rows of a grid, each with the places of its cells."""
    rows: list[list[range]] = []
    for section in sections(sizes):
        step = size or section.size
        places = range(section.start, section.stop)
        cells = [places[at : at + step] for at in range(0, len(places), step)]
        for number, cell in enumerate(cells):
            begins = not runs_on and number == 0
            if not rows or begins or len(rows[-1]) == per_row:
                rows.append([])
            rows[-1].append(cell)
    return rows


@given(SIZES, st.integers(0, 12), st.integers(1, 7), st.booleans())
def test_a_grid_is_what_one_would_write_down(
    sizes: list[int], size: int, per_row: int, runs_on: bool
) -> None:
    grid = Grid(sections(sizes), size, per_row, runs_on=runs_on)
    rows = plain_rows(sizes, size, per_row, runs_on)
    cells = [cell for row in rows for cell in row]
    assert (grid.rows, grid.cells) == (len(rows), len(cells))
    assert [grid.span(number) for number in range(grid.cells)] == [
        (cell.start, cell.stop) for cell in cells
    ]
    number = 0
    for row, own in enumerate(rows):
        assert grid.cells_in(row) == range(number, number + len(own))
        for cell in own:
            assert grid.row_of(number) == row
            assert {grid.cell_at(place) for place in cell} == {number}
            number += 1
    assert not grid.cells_in(-1)
    assert not grid.cells_in(len(rows))
    some = range(grid.cells // 3, grid.cells)
    assert grid.cuts(some) == [*(cells[c].start for c in some), cells[-1].stop]


@given(SIZES, st.integers(1, 7), st.integers(1, 12))
def test_the_nearest_size_fits_and_no_smaller_one_does(
    sizes: list[int], per_row: int, rows: int
) -> None:
    found = nearest_size(sections(sizes), per_row, rows)
    needed = [len(plain_rows(sizes, size, per_row, False)) for size in (1, 2, 5, 10, 20, 50)]
    fitting = [size for size, n in zip((1, 2, 5, 10, 20, 50), needed, strict=True) if n <= rows]
    assert found == (fitting[0] if fitting else None)


@given(st.lists(st.integers(1, 3000), min_size=1, max_size=6), st.integers(1, 40))
def test_blocks_are_as_many_as_there_is_room_for(sizes: list[int], most: int) -> None:
    size = block_size(sections(sizes), most)
    if size is None:
        assert max(sizes) <= 10 or sum(-(-s // max(sizes)) for s in sizes) <= max(most, len(sizes))
    else:
        assert sum(-(-s // size) for s in sizes) <= most
        assert 10 <= size < max(sizes)


# How cells look

NODES = 24
MASKS = st.integers(0, (1 << NODES) - 1)


@st.composite
def a_page(draw: st.DrawFn) -> tuple[Page, list[list[int]]]:
    """A page over all rows of some order, and the nodes of each cell."""
    groups = [draw(st.integers(0, 2)) for _ in range(NODES)]
    order = of_groups((str(g), [(i, i) for i in range(NODES) if groups[i] == g]) for g in range(3))
    grid = Grid(order.sections, draw(st.integers(1, 7)), draw(st.integers(1, 5)))
    nodes = [list(order.indices(*grid.span(cell))) for cell in range(grid.cells)]
    return Page(order, grid, range(grid.rows)), nodes


@given(a_page(), MASKS)
def test_a_cell_tells_the_share_that_matches(made: tuple[Page, list[list[int]]], mask: int) -> None:
    page, cells = made
    looks = page.looks((Light(mask, "■", "match"),), Light(0, "·", "faint"), (), 0)
    for look, nodes in zip(looks, cells, strict=True):
        share = sum(mask >> i & 1 for i in nodes) / len(nodes)
        if share in (0, 1):
            assert (look.glyph, look.role) == (("■", "match") if share else ("·", "faint"))
        else:
            assert look.role == "match"
            near = int(share * len(PARTS) + 0.23)
            assert look.glyph == PARTS[min(near, len(PARTS) - 1)]


@given(a_page(), MASKS, MASKS)
def test_what_stands_over_the_match_shows_in_every_cell_that_has_it(
    made: tuple[Page, list[list[int]]], mask: int, placed: int
) -> None:
    page, cells = made
    lights = (Light(placed, "▣", "match", over=1), Light(mask, "■", "match"))
    looks = page.looks(lights, Light(0, "·", "faint"), (), 0)
    for look, nodes in zip(looks, cells, strict=True):
        assert (look.glyph == "▣") == any(placed >> i & 1 for i in nodes)


@given(a_page(), MASKS, MASKS)
def test_the_value_that_most_nodes_of_a_cell_have_stands_where_one_matches(
    made: tuple[Page, list[list[int]]], has: int, bright: int
) -> None:
    page, cells = made
    everything = (1 << NODES) - 1
    grounds = (Light(has, "█", "step5"), Light(everything & ~has, "▂", "step0"))
    looks = page.looks((), Light(0, "·", "faint"), grounds, bright)
    for look, nodes in zip(looks, cells, strict=True):
        having = sum(has >> i & 1 for i in nodes)
        value = ("█", "step5") if having * 2 >= len(nodes) else ("▂", "step0")
        matches = any(bright >> i & 1 for i in nodes)
        assert (look.glyph, look.role) == (value if matches else ("·", "faint"))


@given(a_page(), MASKS, MASKS)
def test_a_bar_has_all_nodes_of_its_cell(
    made: tuple[Page, list[list[int]]], mask: int, selected: int
) -> None:
    page, cells = made
    lights = (Light(selected, "◆", "slot", over=2), Light(mask, "■", "match"))
    for bar, nodes in zip(
        map_bars.bars(page, lights, Light(0, "·", "faint"), (), mask), cells, strict=True
    ):
        assert bar.size == len(nodes) == sum(count for _, count in bar.parts)
        assert bar.matching == sum(mask >> i & 1 for i in nodes)
        counts = {look.glyph: count for look, count in bar.parts}
        assert counts.get("◆", 0) == sum(selected >> i & 1 for i in nodes)
        assert counts.get("■", 0) == sum((mask & ~selected) >> i & 1 for i in nodes)


@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=6), st.integers(1, 40))
def test_a_bar_is_shared_out_whole_and_nobody_is_left_out(counts: list[int], width: int) -> None:
    found = map_bars.shares(counts, width)
    assert sum(found) == width
    assert all(share >= 1 for share in found[:width])
    if len(counts) < width:
        whole = sum(counts)
        assert all(abs(f - c * width / whole) <= len(counts) for f, c in zip(found, counts))  # noqa: B905


# Which zooms there are


@given(SIZES, st.integers(10, 60), st.integers(1, 20))
def test_every_layout_shows_every_node_and_the_fitting_one_fits(
    sizes: list[int], width: int, height: int
) -> None:
    count = sum(sizes)
    order = Order(range(count), sections(sizes))
    layouts = Layouts(order, Room(width, height, 4, 2, 8))
    assert len(set(layouts.zooms)) == len(layouts.zooms)
    for zoom in layouts.zooms:
        grid = layouts.of(zoom).grid
        assert grid.span(0)[0] == 0
        assert grid.span(grid.cells - 1)[1] == count
    assert layouts.fitting.grid.rows <= height  # by rank, where the sections give way
    nearest = layouts.fitting.zoom
    index = layouts.zooms.index(nearest)
    for nearer in layouts.zooms[index + 1 :]:
        assert layouts.of(nearer).grid.rows > height


@pytest.mark.parametrize("start", [Zoom("sections", 0), Zoom("cells", 1), Zoom("cells", 777)])
def test_one_steps_through_all_zooms_and_stops_at_the_ends(start: Zoom) -> None:
    order = Order(range(5000), [Section("", 0, 4000), Section("", 4000, 5000)])
    layouts = Layouts(order, Room(60, 15, 6, 4, 10))
    zoom = start
    for _ in range(20):
        zoom = layouts.stepped(zoom, 1)
    seen = [zoom]
    for _ in range(20):
        zoom = layouts.stepped(zoom, -1)
        seen.append(zoom)
    assert list(dict.fromkeys(reversed(seen))) == layouts.zooms
