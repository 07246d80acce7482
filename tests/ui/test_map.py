"""The map of the cluster: how near it is looked at, its order, its colours, its cells."""

import json
from itertools import accumulate

from hypothesis import given
from hypothesis import strategies as st
from textual import events

from fluxtui.answers.listing.orders import of_groups
from fluxtui.answers.listing.rows import Order, Section
from fluxtui.model.resources import document
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.nodes import node_map
from fluxtui.ui.nodes.highlights import (
    NOTHING,
    PARTS,
    UNLIT,
    Highlight,
    Highlights,
    KeyHint,
    highlights_of,
    in_colours,
    legend_line,
)
from fluxtui.ui.nodes.map import Shown, legend_rows, marks_of, states
from fluxtui.ui.nodes.map_layout import SCALES, Grid, Layouts, Room, Zoom, block_size, nearest_size
from fluxtui.ui.nodes.map_orders import MATCHING, RANK, By, coloured
from fluxtui.ui.nodes.node_map import Page
from fluxtui.workbench import Cluster, EditRequires, Select, Source, start, step
from tests.big import graph_text
from tests.ui.documents import cluster, demo, mask_of
from tests.ui.helpers import NARROW, NORMAL, WIDE, workbench_at
from tests.ui.maps import choose, legend, onto, rows
from tests.ui.seen import lacking, screen_text
from tests.ui.test_node_views import drag

# In the workbench


async def test_all_nodes_are_shown_at_first_and_fill_the_room() -> None:
    async with workbench_at() as (app, pilot):
        for nodes in (3, 196, 1_000_000):
            await pilot.afresh(on=cluster(nodes))
            view = await onto(app, pilot)
            assert view.row_count <= view.size.height
            assert view.grid.span(view.grid.cells - 1)[1] == nodes
            size = view.zoom.size
            assert size <= 1 or f"1 cell = {size:,} nodes" in legend(app)
        # It fits again in another size, until a person zooms.
        await pilot.afresh(requires="gpu")
        view = await onto(app, pilot)
        for size in (NARROW, WIDE, NORMAL):
            await pilot.resize_terminal(*size)
            assert view.zoomed is None
            assert view.size.height // 2 < view.row_count <= view.size.height
        assert any("■■ ■■ ■■" in row for row in rows(view))  # two columns a cell
        await pilot.press("plus")
        zoom = view.zoom
        await pilot.resize_terminal(*NARROW)
        assert view.zoom == zoom


async def test_one_zooms_by_keys_and_the_wheel() -> None:
    async with workbench_at(requires="x", on=cluster(90_000, {"x": "0-9999,20000"})) as (
        app,
        pilot,
    ):
        # In and out and back, the cursor in sight; a huge section falls into round blocks.
        view = await onto(app, pilot)
        seen = [view.zoom]
        await pilot.press("end")
        for key in ["plus"] * 8 + ["minus"] * 14:
            await pilot.press(key)
            seen.append(view.zoom)
            assert 0 <= view.row_of(app.state.cursor) - view.scroll_offset.y < view.size.height
        sizes = [zoom.size for zoom in seen[:9]]
        assert sizes == sorted(sizes, reverse=True)
        assert Zoom("names") in seen
        assert view.zoom.kind == "bars"
        await pilot.press("0")
        assert view.zoom == seen[0]
        x, y = view.region.x + 12, view.region.y + 2
        for kind, nearer in ((events.MouseScrollUp, True), (events.MouseScrollDown, False)):
            app.screen._forward_event(kind(view, x, y, 0, 0, 0, False, False, True, x, y))
            wanted = range(1, seen[0].size) if nearer else (seen[0].size,)
            await pilot.until(lambda wanted=wanted: view.zoom.size in wanted)
        # A range is one in the order that is seen.
        await pilot.afresh(on=cluster(12, {"xyz": "3,7,11"}))
        view = await onto(app, pilot)
        await choose(pilot, "o", "xyz")
        await drag(pilot, view, 7, 1)
        assert app.state.selected == mask_of(7, 11, 0, 1)


async def test_escape_stops_what_is_being_found() -> None:
    async with workbench_at() as (app, pilot):
        view, part = await onto(app, pilot), app.views.map.part
        # What is being found is said, and escape, which is for what it is for elsewhere, stops it.
        assert not part.check_action("stop", ())
        part.show_by("order", By("host"))
        part.show_by("colours", By("cores"))
        assert part.shown.busy == "ordering by host …  colouring by cores …"
        assert KeyHint("esc", "stops") in states(part.shown)
        await pilot.burst("escape")
        await pilot.done()
        assert (part.shown.order, part.shown.colours, part.shown.busy) == (RANK, MATCHING, "")
        # By the racks of the graph.
        graph = json.loads("".join(graph_text(400_000)))
        on = Cluster.of(Source("graph"), document.read({"graph": graph}))
        racks = [n for n, t in zip(on.graph.names, on.graph.types, strict=True) if t == "rack"]
        await pilot.afresh(requires="batch", on=on)
        view = await onto(app, pilot)
        await choose(pilot, "o", "rack")
        assert [row.split()[0] for row in rows(view) if row.startswith("rack")] == racks
        assert "order: rack" in legend(app)
        # Without nodes the keys do nothing.
        await pilot.afresh(on=cluster(0))
        view = await onto(app, pilot)
        for key in ("o", "c", "/", "l", "plus", "minus", "0", "enter", "right", "space", "n"):
            await pilot.do(key)
            assert (len(app.screen_stack), app.focused) == (1, view)


async def test_the_frame_has_the_colours_of_the_map_and_its_keys_can_be_clicked() -> None:
    async with workbench_at(requires="gpu") as (app, pilot):
        view = await onto(app, pilot)
        bottom = app.views.map.region.bottom - 1
        for theme in ("dusk", "nord"):
            app.theme = theme
            await pilot.settle()
            strip = app.screen._compositor.render_strips()[bottom]
            colours = {s.text.strip(): s.style.color for s in strip if s.style is not None}
            assert colours["■"] == app.palette.match.color
            assert colours["·"] == app.palette.unlit.color
        await pilot.click(offset=(strip.text.index("l legend"), bottom))
        legend_words = ("Legend of the map", "match", "a cell", "one node", "order     rank")
        assert not lacking(screen_text(app), *legend_words)
        await pilot.press("l")
        await choose(pilot, "c", "cores")
        drawn = [view.render_line(y) for y in range(view.size.height)]
        colours = {one.text[:1]: one.style.color for line in drawn for one in line if one.style}
        assert (colours["·"], colours["▅"]) == (app.palette.unlit.color, app.palette.steps[3].color)
        await pilot.press("/")
        await pilot.burst(*"xyz")
        assert "no rank, host or property begins with this" in screen_text(app)


# The legend, without an app


def test_the_legend_says_what_the_map_shows() -> None:
    state = step(start(cluster(20_000, {"x": "0-99"})), EditRequires("x"))
    found, shown = highlights_of(state), Shown(Zoom("cells", 50), By("host"))
    mark = marks_of(found, shown.zoom)[0]
    assert (mark.glyph, mark.words, mark.role) == ("▁▆■", "match", "match")
    said = {mark.glyph: mark.words for mark in legend_rows(found, shown)}
    assert (said["a cell"], said["order"]) == ("50 nodes", "host")
    assert "some nodes in" in said[PARTS]
    words, both = [*states(shown), KeyHint("o", "order")], "■ match  · no match   1 cell = 50 nodes"
    for width, keys, expected in (
        (64, True, f"{both}  order: host  o order"),
        (40, True, both),
        (60, False, f"{both}  order: host"),
    ):
        assert legend_line(found.legend, words, width, Palette.of({}), keys=keys).plain == expected
    marks = [Highlight(0, glyph, "good", f"1,000 {glyph}-words") for glyph in "abc"]
    for width, expected in (
        (50, "a 1,000 a-words  b 1,000 b-words  c 1,000 c-words"),
        (45, "a 1,000 a-words  b b-words  c 1,000 c-words"),
        (41, "a 1,000 a-words  b b-words  c c-words"),
        (36, "a 1,000 a-words  c c-words"),
        (10, "a 1,000 a-words"),
    ):
        assert legend_line(marks, (), width, Palette.of({}), keys=False).plain == expected
    marks = [Highlight(0, "a", "good", "10 漢字漢字漢字漢字"), Highlight(0, "b", "slot", "4 used")]
    expected = "a 10 漢字漢字漢字漢字  b used"
    assert legend_line(marks, (), 29, Palette.of({}), keys=False).plain == expected
    chosen = marks_of(highlights_of(step(state, Select(0b11))), shown.zoom)[0]
    assert (chosen.glyph, chosen.words, chosen.role) == ("◈◆", "2 selected", "slot")
    values = in_colours(found, coloured(demo(), By("cores")))
    glyphs = [mark.glyph for mark in marks_of(values, Zoom("cells"))]
    assert glyphs == ["▂", "▃", "▅", "▇", "·"] or glyphs[-1] == "·"
    colours = {"role-slot": "#7aa7d9", "role-count": "#86c2b6", "warning": "#e0a03f"}
    assert len({style.color for style in Palette.of(colours).steps}) == 6


# Cells and rows of a map, and how they look, against plain lists of nodes

SIZES = st.lists(st.integers(1, 30), min_size=1, max_size=8)


def sections(sizes: list[int]) -> tuple[Section, ...]:
    found, start = [], 0
    for number, size in enumerate(sizes):
        found.append(Section(str(number), start, start + size))
        start += size
    return tuple(found)


def plain_rows(sizes: list[int], size: int, per_row: int) -> list[list[range]]:
    """The rows of a grid, each with the places of its cells."""
    rows: list[list[range]] = []
    for section in sections(sizes):
        step = size or section.size
        places = range(section.start, section.stop)
        cells = [places[at : at + step] for at in range(0, len(places), step)]
        for number, cell in enumerate(cells):
            if number == 0 or len(rows[-1]) == per_row:
                rows.append([])
            rows[-1].append(cell)
    return rows


@given(SIZES, st.integers(0, 12), st.integers(1, 7))
def test_a_grid_is_what_one_would_write_down(sizes: list[int], size: int, per_row: int) -> None:
    grid = Grid(sections(sizes), size, per_row)
    rows = plain_rows(sizes, size, per_row)
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
    needed = [len(plain_rows(sizes, size, per_row)) for size in (1, 2, 5, 10, 20, 50)]
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


def lit(*lights: Highlight) -> Highlights:
    return NOTHING._replace(lights=lights, dark=UNLIT)


@st.composite
def a_page(draw: st.DrawFn) -> tuple[Page, list[list[int]]]:
    """A page over all rows of some order, and the nodes of each cell."""
    groups = [draw(st.integers(0, 2)) for _ in range(NODES)]
    order = of_groups((str(g), [(i, i) for i in range(NODES) if groups[i] == g]) for g in range(3))
    grid = Grid(order.sections, draw(st.integers(1, 7)), draw(st.integers(1, 5)))
    nodes = [list(order.indices(*grid.span(cell))) for cell in range(grid.cells)]
    return Page(order, grid, range(grid.rows)), nodes


@given(a_page(), MASKS, MASKS)
def test_cells_and_bars_tell_what_their_nodes_are(
    made: tuple[Page, list[list[int]]], mask: int, other: int
) -> None:
    page, cells = made
    matching, over = Highlight(mask, "■", "match"), Highlight(other, "▣", "slot", over=1)
    rest = Highlight((1 << NODES) - 1 & ~other, "▂", "step0")
    values = lit()._replace(values=(Highlight(other, "█", "step5"), rest), good=mask)
    bars = page.bars(lit(over, matching)._replace(mask=mask))
    shown = (page.looks(lit(matching)), page.looks(lit(over, matching)), page.looks(values), bars)
    for nodes, look, above, value, bar in zip(cells, *shown, strict=True):
        matches, others = (sum(of >> i & 1 for i in nodes) for of in (mask, other))
        # The share that matches.
        share = matches / len(nodes)
        near = PARTS[min(int(share * len(PARTS) + 0.23), len(PARTS) - 1)]
        glyph = near if 0 < share < 1 else "■" if share else "·"
        assert (look.glyph, look.role) == (glyph, "match" if share else "unlit")
        # What is over the match, in every cell that has it.
        assert (above.glyph == "▣") == bool(others)
        # The value that most nodes have, where one matches.
        most = ("█", "step5") if others * 2 >= len(nodes) else ("▂", "step0")
        assert (value.glyph, value.role) == (most if matches else ("·", "unlit"))
        # All nodes are in a bar.
        counts = {look.glyph: count for look, count in bar.parts}
        assert bar.size == len(nodes) == sum(counts.values())
        assert (bar.matching, counts.get("▣", 0)) == (matches, others)
        assert counts.get("■", 0) == sum((mask & ~other) >> i & 1 for i in nodes)


@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=6), st.integers(1, 40))
def test_a_bar_is_shared_out_whole_and_nobody_is_left_out(counts: list[int], width: int) -> None:
    found = node_map.shares(counts, width)
    assert sum(found) == width
    assert all(share >= 1 for share in found[:width])
    if len(counts) < width:
        whole = sum(counts)
        assert all(abs(f - c * width / whole) <= len(counts) for f, c in zip(found, counts))  # noqa: B905


# Which zooms there are


def test_cells_are_as_large_as_there_is_room_for_and_few_nodes_have_their_numbers() -> None:
    for nodes, scale in ((100, 0), (300, 1), (600, 2)):
        order = Order(range(nodes), sections([nodes]))
        layout = Layouts(order, Room(60, 20, 6, 0, 8)).of(Zoom("cells"))
        assert layout.scale == SCALES[scale]
        assert layout.height <= 20 or layout.scale == SCALES[-1]
        is_named = Layouts(order, Room(60, 20, 6, 2, 8)).fitting.zoom == Zoom("names")
        assert is_named == (nodes == 100)


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
    # One steps through all of them, and stops at the ends.
    for first in (layouts.zooms[0], Zoom("bars", 0), Zoom("cells", 777)):
        seen = [*accumulate([1] * 20 + [-1] * 20, layouts.stepped, initial=first)]
        assert list(dict.fromkeys(reversed(seen[20:]))) == layouts.zooms
