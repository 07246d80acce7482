"""What the map and the table share: one cursor, one selection, by the keys and the mouse.

They are shown alone, as a person has them side by side, without the workbench around them.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import pairwise

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.geometry import Offset

from fluxtui.answers.listing.lister import Key
from fluxtui.answers.listing.rows import Order
from fluxtui.ui.nodes.highlights import NOTHING, Highlight
from fluxtui.ui.nodes.map_layout import Zoom
from fluxtui.ui.nodes.node_map import NodeMap
from fluxtui.ui.nodes.node_table import NodeTable
from fluxtui.ui.nodes.nodes_view import Handlers, SelectableNodes
from fluxtui.ui.nodes.table_columns import USUAL, columns_of
from fluxtui.workbench import Cluster
from tests.ui.documents import cluster, mask_of
from tests.ui.helpers import Hands, running

VIEWS = pytest.mark.parametrize("name", ["map", "table"])


class Views(App[None]):
    """A map and a table of one cluster, which do as they are told when a person does something."""

    CSS = """
    Screen { layout: horizontal; }
    NodeMap, NodeTable { width: 1fr; height: 100%; }
    """

    def __init__(self, on: Cluster, matching: int) -> None:
        super().__init__()
        self.on, self.matching = on, matching
        self.cursor: int | None = 0
        self.selected = 0
        self.hovered: int | None = None
        self.done: list[str] = []
        handlers = Handlers(self.move, self.hover, self.select)
        self.map = NodeMap(handlers, id="node-map")
        self.table = NodeTable(handlers, id="node-table")
        self.views: Sequence[SelectableNodes] = (self.map, self.table)

    def compose(self) -> ComposeResult:
        yield from self.views

    def on_mount(self) -> None:
        self.show(self.on)

    def show(self, on: Cluster) -> None:
        count = on.resources.node_count
        self.map.show_cluster(on)
        self.map.zoom_to(Zoom("cells"))  # a node a cell
        self.table.show_nodes(on)
        columns = columns_of(USUAL, on)
        self.table.show_listing(Order(range(count)), Key(), columns)
        self.move(0)
        self.select(0)

    def move(self, index: int) -> None:
        self.cursor = index
        for view in self.views:
            view.show_cursor(index)

    def hover(self, index: int | None) -> None:
        self.hovered = index

    def select(self, mask: int) -> None:
        self.selected = mask
        for view in self.views:
            light = Highlight(mask, "◆", "slot")
            of = {"mask": self.matching, "through": self.matching, "selected": mask}
            view.show_lights(NOTHING._replace(lights=(light,), **of))

    def action_do(self, name: str) -> None:
        self.done.append(name)


@asynccontextmanager
async def shown(
    name: str, count: int, matching: int = 0, size: tuple[int, int] = (100, 24)
) -> AsyncIterator[tuple[Views, SelectableNodes, Hands]]:
    """The views of so many nodes, the one of this name with the focus."""
    app = Views(cluster(count), matching)
    async with running(app, size) as pilot:
        await pilot.settle()
        view = app.map if name == "map" else app.table
        view.focus()
        await pilot.settle()
        yield app, view, pilot


def place_of(view: SelectableNodes, index: int) -> Offset:
    """Where a node is drawn, as an offset in its widget; it must be in sight."""
    for y in range(view.size.height):
        for x in range(view.size.width):
            if view.item_at(x, y) == view.item_of(index):
                return Offset(x, y)
    raise AssertionError(f"node {index} is out of sight")


async def drag(pilot: Hands, view: SelectableNodes, *through: int, up: bool = True) -> None:
    """Press the button of the mouse on a node, move to others, and release it on the last one."""
    await pilot.mouse_down(view, offset=place_of(view, through[0]))
    for index in through[1:]:
        await move(pilot, view, *place_of(view, index))
    if up:
        await pilot.mouse_up(view, offset=place_of(view, through[-1]))


async def move(pilot: Hands, view: SelectableNodes, x: int, y: int) -> None:
    """Move the mouse with its button down; the place counts from the view's corner."""
    x, y = view.content_region.offset + Offset(x, y)
    event = events.MouseMove(view, x, y, 0, 0, 1, False, False, False, x, y)
    pilot.app.screen._forward_event(event)
    await pilot.settle()


@VIEWS
async def test_the_cursor_moves_within_the_nodes(name: str) -> None:
    async with shown(name, 300, mask_of(3, 17, 240)) as (app, view, pilot):
        await pilot.steps(lambda: app.cursor, ("end down", 299), ("home up", 0))
        for by, at in zip((1, 1, 1, 1, -1, -1, -1), (3, 17, 240, 3, 240, 17, 3), strict=True):
            view.action_next_match(by)
            assert app.cursor == at
        assert [one.cursor for one in app.views] == [3, 3]
        app.matching = 0
        app.select(0)
        view.action_next_match(1)
        assert app.cursor == 3
        if name == "map":  # arrows go along rows and across
            across = ("home right right down", app.map.grid.per_row + 2)
            await pilot.steps(lambda: app.cursor, across, ("left up", 1), ("left left", 0))
        # Without nodes nothing is done.
        app.show(cluster(0))
        view.notice = ("Nothing is open.",)
        app.cursor = None
        for one in app.views:
            one.show_cursor(None)
        await pilot.press("space", "down", "end", "pagedown", "shift+right", "shift+end", "a")
        await pilot.click(view, offset=(3, 3))
        assert (app.cursor, app.selected) == (None, 0)
        assert view.render_line(1).text.strip() == "Nothing is open."


@VIEWS
async def test_pages_cover_everything(name: str) -> None:
    async with shown(name, 5000, size=(60, 12)) as (app, view, pilot):
        seen = [0]
        while len(seen) < 5 and seen[-1] < 4999:
            await pilot.press("pagedown")
            assert app.cursor > seen[-1]
            assert place_of(view, app.cursor)
            seen.append(app.cursor)
        rows = [view.row_of(index) or 0 for index in seen]
        assert max(b - a for a, b in pairwise(rows)) <= view.size.height
        await pilot.press(*["pageup"] * len(seen))
        assert app.cursor == 0


@VIEWS
async def test_the_mouse_points_goes_and_scrolls(name: str) -> None:
    async with shown(name, 5000) as (app, view, pilot):
        place = place_of(view, 5)
        await pilot.hover(view, offset=place)
        assert (app.hovered, app.cursor) == (5, 0)
        await pilot.click(view, offset=place)
        assert app.cursor == 5
        other = app.table if view is app.map else app.map
        await pilot.hover(other, offset=(0, 0))
        assert app.hovered is None
        await pilot.press("end")
        await pilot.click(view, offset=place_of(view, 4992))
        assert app.cursor == 4992
        await pilot.press("home")
        x, y = view.region.x + 5, view.region.y + 5
        wheel = events.MouseScrollDown(view, x, y, 0, 0, 0, False, False, False, x, y)
        app.screen._forward_event(wheel)
        await pilot.until(lambda: view.scroll_offset.y > 0)
        assert app.cursor == 0
        # Beside the nodes there is none.
        app.show(cluster(3))
        await pilot.settle()
        app.move(1)
        for beside in ((view.size.width - 1, view.size.height - 1), (0, view.size.height - 2)):
            await pilot.click(view, offset=beside)
        assert app.cursor == 1


@VIEWS
async def test_nodes_are_selected_by_keys(name: str) -> None:
    async with shown(name, 3000, mask_of(3, 17, 40)) as (app, _, pilot):
        goes = (("space a", mask_of(0, 3, 17, 40)), ("space", mask_of(3, 17, 40)))
        await pilot.steps(lambda: app.selected, *goes)
        await pilot.press("x", "w", "d", "D", "escape")
        done = ["name_selected", "save_nodes", "compare_documents", "changes", "unselect"]
        assert app.done == done
        for keys in (["shift+end"], ["end", "shift+home"]):
            app.select(0)
            await pilot.press(*keys)
            assert app.selected == (1 << 3000) - 1
        app.select(0)
        await pilot.press("shift+pagedown")
        assert app.cursor
        assert app.selected == (1 << (app.cursor + 1)) - 1
        await pilot.press("shift+pageup")
        assert app.selected == mask_of(0)
        app.show(cluster(1_000_000))
        await pilot.press("shift+end", "space")
        assert (app.selected, app.cursor) == ((1 << 999_999) - 1, 999_999)


async def test_a_range_begins_where_shift_was_first_held() -> None:
    async with shown("map", 300) as (app, _, pilot):
        below = app.map.grid.per_row + 2
        await pilot.steps(
            lambda: app.selected,
            ("right right shift+right shift+right", mask_of(2, 3, 4)),
            ("shift+left shift+left shift+left", mask_of(1, 2)),
            ("shift+down", mask_of(*range(2, below))),
        )
        # It adds to what is selected, and gives back no more than it added.
        app.show(cluster(300))
        await pilot.steps(
            lambda: app.selected,
            ("space right right right shift+right shift+right", mask_of(0, 3, 4, 5)),
            ("right right right shift+left shift+left", mask_of(0, 3, 4, 5, 6, 7, 8)),
            ("shift+right shift+right", mask_of(0, 3, 4, 5, 8)),
        )
    # Where the node that it began at is not listed any more, another one begins.
    async with shown("table", 9) as (app, _, pilot):
        await pilot.press("down", "down", "shift+down")
        app.table.show_listing(Order([0, 1, *range(3, 9)]), Key(), columns_of(USUAL, app.on))
        await pilot.press("shift+down")
        assert app.selected == mask_of(2, 3, 4)


@VIEWS
async def test_nodes_are_selected_by_the_mouse(name: str) -> None:
    async with shown(name, 100) as (app, view, pilot):
        for start, through, selected in (
            (0, (3, 7, 5), mask_of(3, 4, 5)),
            (mask_of(3), (7, 6), mask_of(3, 6, 7)),
            (0, (5, 6, 5), mask_of(5)),
        ):
            app.select(start)
            await drag(pilot, view, *through)
            assert (app.selected, app.cursor) == (selected, through[-1])
            assert app.mouse_captured is None
        for key in ("control", "meta"):
            app.select(0)
            for index in (4, 9, 4):
                await pilot.click(view, offset=place_of(view, index), **{key: True})
            assert (app.selected, app.cursor) == (mask_of(9), 4)
        await pilot.click(view, offset=place_of(view, 7))
        assert (app.selected, app.cursor) == (mask_of(9), 7)
        # A drag ends with what it is about.
        app.select(0)
        await drag(pilot, view, 5, 6, up=False)
        await pilot.hover(view, offset=place_of(view, 12))  # released where nobody saw it
        assert (app.selected, app.mouse_captured) == (mask_of(5, 6), None)
        await drag(pilot, view, 5, 6, up=False)
        app.show(cluster(3))
        await move(pilot, view, 30, 0)
        assert app.selected == 0
        await drag(pilot, view, 0, 1, up=False)
        app.screen.set_focus(None)
        await move(pilot, view, *place_of(view, 2))
        assert app.selected == mask_of(0, 1)


async def test_a_drag_beyond_the_view_takes_the_nearest_nodes() -> None:
    async with shown("map", 5000) as (app, view, pilot):
        per_row, height = app.map.grid.per_row, view.size.height
        await drag(pilot, view, 2, 3, up=False)
        for place, stop in (
            ((view.size.width - 1, 0), per_row),
            ((-5, 1), per_row + 1),
            ((0, height + 4), height * per_row + 1),
        ):
            await move(pilot, view, *place)
            assert app.selected == mask_of(*range(2, stop))
        await pilot.until(lambda: view.scroll_offset.y > 0)
        await move(pilot, view, 0, -9)
        await pilot.mouse_up(app.table)
        assert app.mouse_captured is None
