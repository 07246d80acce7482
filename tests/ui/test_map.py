"""The map of the cluster: how near it is looked at, and what is selected in it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events

from fluxtui.answers.listing.orders import of_groups
from fluxtui.answers.listing.rows import Order, Section
from fluxtui.model.resources import document
from fluxtui.ui.nodes import map_looks
from fluxtui.ui.nodes.highlights import KeyHint
from fluxtui.ui.nodes.map_colours import MATCHING, RANK, By, states
from fluxtui.ui.nodes.map_layout import Grid, Layouts, Room, Zoom, block_size, nearest_size
from fluxtui.ui.nodes.map_looks import PARTS, Page
from fluxtui.ui.nodes.nodes_view import Highlight
from fluxtui.workbench import Cluster, Source
from tests.big import graph_text
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    WIDE,
    cluster,
    demo,
    messages,
    screen_text,
    workbench_at,
)
from tests.ui.maps import legend, onto, ordered, rows
from tests.ui.test_selection import drag


def index_set(*nodes: int) -> int:
    return sum(1 << index for index in nodes)


# Zoom


async def test_the_first_look_shows_all_nodes() -> None:
    async with workbench_at() as (app, pilot):
        # The first look shows all nodes.
        for nodes in [3, 196, 5_000, 100_000, 1_000_000]:
            await pilot.afresh(on=cluster(nodes))
            view = await onto(app, pilot)
            assert view.row_count <= view.size.height
            assert view.grid.span(0)[0] == 0
            assert view.grid.span(view.grid.cells - 1)[1] == nodes
            if view.zoom.size > 1:
                assert f"1 cell = {view.zoom.size:,} nodes" in legend(app)


async def test_bars_and_blocks() -> None:
    async with workbench_at(WIDE, requires="gpu") as (app, pilot):
        # Few nodes have their numbers beside them.
        view = await onto(app, pilot)
        assert view.zoom.kind == "names"
        line = next(row for row in rows(view) if row.startswith("dunegpu01"))
        assert line.split()[1:4] == ["■", "01", "■"]
        # Bars tell names and counts.
        await pilot.afresh(requires="gpu", size=NORMAL)
        view = await onto(app, pilot)
        await pilot.press("minus")
        assert view.zoom.kind == "sections"
        found = {row.split()[0]: row for row in rows(view)}
        assert found["dunegpu[01-24]"].endswith("24 of 24")
        assert "·" not in found["dunegpu[01-24]"]
        assert found["dune[001-160]"].endswith("0 of 160")
        assert "■" not in found["dune[001-160]"]
        await pilot.press("down", "down")
        assert app.state.cursor == 164
        await pilot.put("")
        assert [row.split()[-1] for row in rows(view)] == ["4", "160", "24", "8"]
        # A huge section falls into round blocks.
        await pilot.afresh(requires="x", on=cluster(90_000, {"x": "0-9999,20000"}), size=NORMAL)
        view = await onto(app, pilot)
        await pilot.press("minus")
        assert view.zoom.kind == "blocks"
        size = view.zoom.size
        assert str(size).rstrip("0") in ("1", "2", "5")
        assert rows(view)[0].startswith(f"n[0-{size - 1}]")
        assert any(row.endswith(f"1 of {size:,}") for row in rows(view))


async def test_one_zooms_and_stays() -> None:
    async with workbench_at() as (app, pilot):
        # One zooms in and out and back.
        for nodes in [300, 100_000]:
            await pilot.afresh(on=cluster(nodes))
            view = await onto(app, pilot)
            first, seen = view.zoom, [view.zoom]
            for _ in range(12):
                await pilot.press("plus")
                seen.append(view.zoom)
            assert seen[-1] == Zoom("names")
            assert [zoom.size for zoom in seen] == sorted((z.size for z in seen), reverse=True)
            for _ in range(20):
                await pilot.press("minus")
            assert view.zoom.has_bars
            await pilot.press("0")
            assert view.zoom == first
        # Enter looks at the nodes of a cell from nearer.
        await pilot.afresh(on=cluster(100_000))
        view = await onto(app, pilot)
        size = view.zoom.size
        assert size > 1
        await pilot.press("right", "right", "down")
        at = app.state.cursor
        assert at == (view.grid.per_row + 2) * size
        await pilot.press("enter")
        assert view.zoom.size < size
        assert app.state.cursor == at
        top = view.scroll_offset.y
        assert view.row_of(at) == top
        last = view.row_of(at + size - 1)
        assert last is not None
        assert last < top + view.size.height
        for _ in range(5):
            await pilot.press("enter")
        assert view.zoom == Zoom("names")
        assert app.state.cursor == at
        # A double click looks from nearer.
        await pilot.afresh(on=cluster(20_000))
        view = await onto(app, pilot)
        size = view.zoom.size
        place = view.lead + 4, 1
        index = view.index_at(*place)
        await pilot.double_click("#node-map", offset=place)
        await pilot.settle()
        assert view.zoom.size < size
        assert app.state.cursor == index
        # The cursor stays in sight through all zooms.
        await pilot.afresh(on=cluster(20_000))
        view = await onto(app, pilot)
        await pilot.press("end")
        at = app.state.cursor
        for key in ["plus"] * 8 + ["minus"] * 12:
            await pilot.press(key)
            row = view.row_of(at) if at is not None else None
            assert row is not None
            assert 0 <= row - view.scroll_offset.y < view.size.height
            assert app.state.cursor == at
        # Ctrl and the wheel zoom.
        await pilot.afresh(on=cluster(20_000))
        view = await onto(app, pilot)
        first = view.zoom
        x, y = view.region.x + 12, view.region.y + 3

        def turn(kind: type[events.MouseEvent], ctrl: bool) -> None:
            event = kind(view, x, y, 0, 0, 0, False, False, ctrl, x, y)
            app.screen._forward_event(event)

        turn(events.MouseScrollUp, True)
        await pilot.until(lambda: view.zoom != first)
        assert view.zoom.size < first.size
        turn(events.MouseScrollDown, True)
        await pilot.until(lambda: view.zoom == first)


async def test_matches_and_selections_go_by_cells() -> None:
    async with workbench_at() as (app, pilot):
        # Matches are gone through by cells.
        for key in ["n", "p"]:
            await pilot.afresh(requires="x", on=cluster(20_000, {"x": "5,6,900,15000-15001,19999"}))
            view = await onto(app, pilot)
            size = view.zoom.size
            assert 2 < size <= 500
            seen = []
            for _ in range(5):
                await pilot.press(key)
                seen.append((app.state.cursor or 0) // size)
            wanted = [index // size for index in (5, 900, 15000, 19999)]
            cells = list(dict.fromkeys(wanted))
            cells = cells if key == "n" else cells[::-1]
            if cells[0] == 0:  # where it begins
                cells = [*cells[1:], cells[0]]
            assert seen == [cells[i % len(cells)] for i in range(5)]
        # Space selects the nodes of a cell and shift those of cells.
        await pilot.afresh(on=cluster(20_000))
        view = await onto(app, pilot)
        size = view.zoom.size
        await pilot.press("right", "space")
        assert app.state.selected == ((1 << size) - 1) << size
        assert rows(view)[0].split()[1:4] == ["■", "◆", "■"]
        await pilot.press("space")
        assert app.state.selected == 0
        await pilot.press("shift+right", "shift+right")
        assert app.state.selected == ((1 << 3 * size) - 1) << size
        await pilot.press("shift+left")
        assert app.state.selected == ((1 << 2 * size) - 1) << size
        await pilot.press("escape", "end", "shift+home")
        assert app.state.selected == (1 << 20_000) - 1
        # A range is one in the order that is seen.
        on = cluster(12, {"x": "3,7,11"})
        await pilot.afresh(on=on)
        view = await onto(app, pilot)
        await ordered(pilot, "o", "p")
        await pilot.burst("x", "enter")
        await pilot.done()
        order = [3, 7, 11, 0, 1, 2, 4, 5, 6, 8, 9, 10]
        await pilot.press("home")
        assert app.state.cursor == 3
        seen = [app.state.cursor]
        for _ in range(11):
            await pilot.press("right")
            seen.append(app.state.cursor)
        assert seen == order
        await pilot.press("home", "shift+right", "shift+right", "shift+right")
        assert app.state.selected == index_set(3, 7, 11, 0)
        await pilot.press("escape")
        await drag(pilot, view, 7, 1)
        assert app.state.selected == index_set(7, 11, 0, 1)


# The map of the cluster: its order, its colours, its legend, and the way to a node


# Order
async def test_orders_are_chosen() -> None:
    async with workbench_at(NORMAL) as (app, pilot):
        # Orders are chosen and told.
        view = await onto(app, pilot)
        await ordered(pilot, "o", "h")
        assert rows(view)[0].startswith("dune001")
        assert "by host" in legend(app)
        await ordered(pilot, "o", "g")
        assert rows(view)[0].startswith("8 gpus")
        assert any(row.startswith("no gpu") for row in rows(view))
        assert "by gpus" in legend(app)
        await ordered(pilot, "o", "r")
        assert rows(view)[0].startswith("dune-login1")
        assert "by " not in legend(app)
        # Keys typed before the question has gone end nothing more.
        for keys in ["hg", "hhh", "xhxg"]:
            await pilot.afresh()
            await onto(app, pilot)
            await pilot.press("o")
            await pilot.burst(*keys)
            assert len(app.screen_stack) == 1
            await pilot.done()
            assert "by host" in legend(app)
        # An order by the racks of the graph.
        graph = json.loads("".join(graph_text(400_000)))
        on = Cluster.of(Source("graph"), document.read({"graph": graph}))
        assert on.graph is not None
        racks = [
            name
            for name, type_ in zip(on.graph.names, on.graph.types, strict=True)
            if type_ == "rack"
        ]
        await pilot.afresh(requires="batch", on=on)
        view = await onto(app, pilot)
        await ordered(pilot, "o", "1")
        assert [row.split()[0] for row in rows(view) if row.startswith("rack")] == racks
        assert "by rack" in legend(app)
        # An order and colours stay with the next document.
        await pilot.afresh()
        view = await onto(app, pilot)
        await ordered(pilot, "o", "h", "c", "c")
        before = legend(app)
        assert "by host" in before
        app.views.active.show_cluster(cluster(30))
        await pilot.done()
        assert app.views.map.mapped.shown.order.kind == "host"
        assert app.views.map.mapped.shown.colour.kind == "cores"
        assert rows(view)


async def test_escape_stops_what_is_being_found() -> None:
    async with workbench_at(NORMAL) as (app, pilot):
        await onto(app, pilot)
        part = app.views.map.mapped
        assert not part.check_action("stop", ())  # escape is for what it is for elsewhere
        part.order_by(By("host"))
        part.colour_by(By("cores"))
        assert part.shown.finding == "ordering by host …  colouring by cores …"
        assert KeyHint("esc", "stops") in states(part.shown)
        assert part.check_action("stop", ())
        part.action_stop()
        await pilot.done()
        assert (part.shown.order, part.shown.colour, part.shown.finding) == (RANK, MATCHING, "")
        assert "by " not in legend(app)
        await ordered(pilot, "o", "h")
        assert "by host" in legend(app)


# Colours


async def test_colours_are_chosen() -> None:
    async with workbench_at(NORMAL, requires="gpu") as (app, pilot):
        # Colours tell values and keep the match in sight.
        view = await onto(app, pilot)
        await ordered(pilot, "c", "c")
        assert "▂ 16" in legend(app)
        assert "▇ 96" in legend(app)
        assert "· no match" in legend(app)
        faint = app.palette.faint
        styles: dict[str, Any] = {}
        for y in range(view.size.height):
            line = view.render_line(y)
            for segment in line:
                if segment.text.strip() and line.text.startswith(("dunegpu", "dune0")):
                    styles[line.text[:6] + segment.text[:1]] = segment.style
        assert styles["dune00·"].color == faint.color
        assert styles["dunegp▅"].color not in (faint.color, None)
        await pilot.put("icelake")
        lines = (view.render_line(y) for y in range(view.size.height))
        line = next(line for line in lines if line.text.startswith("dune001"))
        bright = [segment.style for segment in line if segment.text.startswith("▃")]
        assert bright
        assert all(style is not None and style.color != faint.color for style in bright)
        await onto(app, pilot)
        await ordered(pilot, "c", "m")
        assert "■ match" in legend(app)
        # The beginning of one property is enough and that of several asks on.
        await pilot.afresh(
            on=cluster(20, {"rack1": "0-4", "rack2": "5-9", "gpu": "0-9"}), size=NORMAL
        )
        view = await onto(app, pilot)
        await ordered(pilot, "c", "p")
        await pilot.burst(*"ra", "enter")
        assert "2 properties begin so; expected a whole name" in screen_text(app)
        assert app.focused is not view
        await pilot.press("backspace", "backspace")
        await pilot.burst("g", "enter")
        await pilot.done()
        assert "■ gpu  · not gpu" in legend(app)
        assert app.focused is view
        # Blocks in colours are counted as a whole where nothing is asked.
        await pilot.afresh(size=NORMAL)
        view = await onto(app, pilot)
        await ordered(pilot, "c", "g", "minus", "minus", "minus")
        assert any(row.startswith("dunegpu[01-24]") and row.endswith(" 24") for row in rows(view))
        assert " of " not in " ".join(rows(view))
        await pilot.put("debug")
        assert any(row.endswith(" of 24") for row in rows(view))
        # A property as colours.
        await pilot.afresh(on=cluster(20, {"gpu": "0-4"}), size=NORMAL)
        view = await onto(app, pilot)
        await ordered(pilot, "c", "p")
        await pilot.burst(*"gpu", "enter")
        await pilot.done()
        assert "■ gpu  · not gpu" in legend(app)
        text = " ".join(rows(view))
        assert (text.count("■"), text.count("·")) == (5, 15)
        assert app.focused is view


async def test_a_document_without_states_says_so() -> None:
    async with workbench_at(notifications=True) as (app, pilot):
        await onto(app, pilot)
        await ordered(pilot, "c", "s")
        assert any("does not say which nodes are up or down" in text for text in messages(app))
        assert app.views.map.mapped.shown.colour.kind == "match"


# To a node


async def test_one_goes_to_a_node() -> None:
    async with workbench_at(NORMAL) as (app, pilot):
        # One goes to a rank or a host.
        for text, index in [("17", 17), ("dunegpu03", 166), ("dunem", 188), ("dune-l", 0)]:
            await pilot.afresh()
            view = await onto(app, pilot)
            await ordered(pilot, "g")
            await pilot.burst(*text)
            rank = demo().resources.rank(index)
            await pilot.until(lambda rank=rank: f"rank {rank}" in screen_text(app))
            assert demo().resources.host(index) in screen_text(app)
            await pilot.press("enter")
            assert app.state.cursor == index
            assert app.focused is view
        # Letters of the map are letters in its question.
        await pilot.afresh(on=cluster(9, hosts="colza[0-8]"), size=NORMAL)
        await onto(app, pilot)
        await ordered(pilot, "g")
        await pilot.burst(*"colza4", "enter")
        assert app.state.cursor == 4
        # The palette has the keys of the map.
        await pilot.afresh(on=cluster(20_000), size=NARROW)
        view = app.views.map.view
        for words, holds in (
            ("map zoom in", lambda: app.focused is view and not view.is_fitted),
            ("all nodes", lambda: view.is_fitted),
            ("map order", lambda: "Order of the nodes" in screen_text(app)),
        ):
            await pilot.burst("ctrl+p", *words, "enter")
            await pilot.until(holds)
        # The keys of the map do nothing without nodes.
        await pilot.afresh(on=cluster(0), size=NORMAL)
        await onto(app, pilot)
        for key in ("o", "c", "g", "l", "plus", "minus", "0", "enter", "right", "space", "n"):
            await pilot.press(key)
            await pilot.done()
            assert len(app.screen_stack) == 1
            assert app.focused is app.views.map.view


async def test_odd_documents_and_themes() -> None:
    async with workbench_at(NARROW, on=cluster(20_000)) as (app, pilot):
        # What is not there is said and escape leaves.
        view = await onto(app, pilot)
        zoom = view.zoom
        await pilot.press("plus", "0", "right")
        await ordered(pilot, "slash")
        assert view.zoom == zoom
        await pilot.burst(*"xyz", "enter")
        assert "no node has this rank" in screen_text(app)
        await pilot.press("escape")
        assert app.focused is view
        assert app.state.cursor == zoom.size
        assert "Find node" not in screen_text(app)
        # Values have colours in every theme.
        await pilot.afresh(size=NORMAL)
        for theme in app.available_themes:
            app.theme = theme
            await pilot.settle()
            steps = app.palette.steps
            assert len(steps) == 6
            if "ansi" not in theme:  # where colours cannot be mixed, the glyphs tell
                assert len({step.color for step in steps}) == 6, theme


# The legend, the help and the palette


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_the_whole_legend(size: tuple[int, int]) -> None:
    async with workbench_at(size, on=cluster(20_000, {"x": "0-99"}), requires="x") as (app, pilot):
        view = await onto(app, pilot)
        await pilot.press("l")
        screen = screen_text(app)
        assert f"{view.zoom.size} nodes" in screen
        assert "▁▂▃▄▅▆" in screen
        assert "order" in screen
        await pilot.press("escape")
        assert app.focused is view


# Cells and rows of a map, and how they look, against plain lists of nodes

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
    looks = page.looks((Highlight(mask, "■", "match"),), Highlight(0, "·", "faint"), (), 0)
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
    lights = (Highlight(placed, "▣", "match", over=1), Highlight(mask, "■", "match"))
    looks = page.looks(lights, Highlight(0, "·", "faint"), (), 0)
    for look, nodes in zip(looks, cells, strict=True):
        assert (look.glyph == "▣") == any(placed >> i & 1 for i in nodes)


@given(a_page(), MASKS, MASKS)
def test_the_value_that_most_nodes_of_a_cell_have_stands_where_one_matches(
    made: tuple[Page, list[list[int]]], has: int, bright: int
) -> None:
    page, cells = made
    everything = (1 << NODES) - 1
    grounds = (Highlight(has, "█", "step5"), Highlight(everything & ~has, "▂", "step0"))
    looks = page.looks((), Highlight(0, "·", "faint"), grounds, bright)
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
    lights = (Highlight(selected, "◆", "slot", over=2), Highlight(mask, "■", "match"))
    for bar, nodes in zip(
        map_looks.bars(page, lights, Highlight(0, "·", "faint"), (), mask), cells, strict=True
    ):
        assert bar.size == len(nodes) == sum(count for _, count in bar.parts)
        assert bar.matching == sum(mask >> i & 1 for i in nodes)
        counts = {look.glyph: count for look, count in bar.parts}
        assert counts.get("◆", 0) == sum(selected >> i & 1 for i in nodes)
        assert counts.get("■", 0) == sum((mask & ~selected) >> i & 1 for i in nodes)


@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=6), st.integers(1, 40))
def test_a_bar_is_shared_out_whole_and_nobody_is_left_out(counts: list[int], width: int) -> None:
    found = map_looks.shares(counts, width)
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
