"""Only what changed is painted, and then the screen is as if all of it had been drawn anew."""

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import islice
from typing import Any

import pyte
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.text import Text
from textual import messages
from textual._compositor import CompositorUpdate
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, Static

from fluxtui import workbench
from fluxtui.notation.problem import Completion, Span
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.kit.lines import LinesView
from fluxtui.ui.kit.popup import Popup
from fluxtui.ui.screen import MainScreen
from fluxtui.workbench import State
from tests.ui.documents import cluster, demo
from tests.ui.helpers import NARROW, NORMAL, WIDE, Hands, running
from tests.ui.terminal import Terminal


class OnTerminal(App[None]):
    """An app on a terminal of its own, which is fed what is painted and nothing else."""

    terminal: pyte.Screen | None = None
    stream: pyte.Stream

    def begin(self) -> None:
        """From now on, paint there."""
        self.terminal = pyte.Screen(*self.size)
        self.stream = pyte.Stream(self.terminal)

    def _display(self, screen: Screen[Any], renderable: Any) -> None:
        if self.terminal is not None and isinstance(renderable, CompositorUpdate):
            self.stream.feed(renderable.render_segments(self.console))
        super()._display(screen, renderable)

    def cells(self) -> list[list[tuple[object, ...]]]:
        """What stands on the terminal, with its colours."""
        assert self.terminal is not None
        columns, rows = self.size
        grid = self.terminal.buffer
        looks = (grid[y][x] for y in range(rows) for x in range(columns))
        whole = [(c.data, c.fg, c.bg, c.bold, c.reverse, c.underscore) for c in looks]
        return [list(whole[y * columns : (y + 1) * columns]) for y in range(rows)]

    def draw_anew(self) -> None:
        """Draw all that is on the screen again."""
        for widget in self.screen.walk_children(Widget):
            widget.refresh()
        self.screen.refresh()


class Painted(OnTerminal, FluxTUI):
    """The workbench there."""


async def old_cells(app: OnTerminal, pilot: Hands) -> list[tuple[object, ...]]:
    """The first cells that look another way once all is painted anew: row, column, both looks."""
    await pilot.done()
    painted = app.cells()
    app.draw_anew()
    await pilot.settle()
    rows = zip(painted, app.cells(), strict=True)
    cells = (
        (y, x, *both) for y, row in enumerate(rows) for x, both in enumerate(zip(*row, strict=True))
    )
    return list(islice((cell for cell in cells if cell[2] != cell[3]), 5))


@asynccontextmanager
async def painted(
    size: tuple[int, int], state: State, place: str = ""
) -> AsyncIterator[tuple[Painted, Hands]]:
    """The workbench on a terminal that has all of it painted, with the focus in a pane."""
    app = Painted(state)
    app.animation_level = "none"  # what is on its way would be compared with where it arrives
    async with running(app, size=size, notifications=False) as pilot:
        await pilot.done()
        if place:
            app.go_to(place)
            await pilot.done()
        app.begin()
        app.draw_anew()
        await pilot.settle()
        yield app, pilot


WRITTEN = workbench.start(demo(), "node=2/slot/core=4", "gpu")


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_completions_leave_nothing_behind_after_a_scroll(size: tuple[int, int]) -> None:
    async with painted(size, WRITTEN) as (app, pilot):
        await pilot.do("f12")
        for entry in [*list(app.panes["form"].query(Input))[:5], app.ask_bar.entry]:
            entry.focus()
            await pilot.do(*(["end", "&"] if entry is app.ask_bar.entry else ["ctrl+space"]))
            assert app.screen.query_one(Popup).rows or entry is not app.ask_bar.entry
            app.screen.post_message(messages.UpdateScroll())
            await pilot.settle()
            await pilot.press("escape")
            assert not app.screen.query_one(Popup).rows
            assert await old_cells(app, pilot) == [], entry.id


TYPED = [*"8;x", "home", "right", *"12", "ctrl+z", "tab", *"&-debug", "backspace", "f3"]
TYPED += ["escape", "down", "shift+down", "ctrl+k", "f2", "n", "f4", "f4", "f12", "down"]
TYPED += [*"1h", "f12", "f5", "down", "tab", "end", *"|ssd", "f8", "f8"]

LISTED = ["down", "right", "left", "f", "down", "enter", "down", "down", "space", "left"]
LISTED += ["O", "m", "v", "m", "f", "shift+down", "n", "v", "end", "a", "escape"]

SELECTED = ["space", "shift+down", "shift+right", "a", "shift+pagedown", "n", "space"]
SELECTED += ["shift+end", "ctrl+k", "escape", "a", "ctrl+k", "x"]

ABOUT = ["right", "down", "n", "p", "space", "shift+down", "a", "escape", "end", "pageup"]
ZOOMS = ["minus", "minus", "plus", "plus", "plus", "z", "enter", "z"]
ASKING = ["o", "h", "c", "c", "o", "r", "c", "m", "g", "4", "enter"]
MAPPED = [*ABOUT, *ZOOMS, *ASKING, "minus", *ABOUT]


def many(nodes: int) -> State:
    on = cluster(nodes, {"odd": ",".join(map(str, range(1, nodes, 2))), "few": "3-5,77,140"})
    return workbench.start(on, "", "few")


@pytest.mark.parametrize(
    ("size", "state", "place", "keys"),
    [
        (NORMAL, WRITTEN, "", TYPED),
        (NARROW, WRITTEN, "table", LISTED),
        (NORMAL, WRITTEN, "table", SELECTED),
        (NORMAL, WRITTEN, "map", SELECTED),
        (NARROW, many(3_000), "map", MAPPED),
        (NORMAL, many(150), "map", MAPPED),
    ],
    ids=["typed", "listed", "selected in the table", "selected", "many", "few"],
)
async def test_no_key_leaves_something_old(
    size: tuple[int, int], state: State, place: str, keys: list[str]
) -> None:
    async with painted(size, state, place) as (app, pilot):
        for key in keys:
            await pilot.do(key)
            assert await old_cells(app, pilot) == [], key
        if keys is MAPPED:
            for zoom in ("plus", "plus", "minus", "minus", "minus"):
                await pilot.press(zoom)
                for text in ("odd", "odd&-few", "few|", "", "few"):
                    await pilot.edit(workbench.EditRequires(text))
                    assert await old_cells(app, pilot) == [], (text, zoom)


def test_a_terminal_shows_what_a_whole_frame_would() -> None:
    with Terminal("-s", "node=2/slot/core=4", columns=120, rows=40) as terminal:
        terminal.wait_for("196 nodes", "2 nodes, each with", "✓ fits")
        terminal.press("8\x1b[D\x1b[D\x7f4\t", "slot/core448")
        terminal.press("gpu&-", "gpu&-")
        terminal.press("debug ", "-debug", " of 196 nodes")
        painted = list(terminal.screen.display)
        terminal.resize(121, 40)
        terminal.resize(120, 40)
        terminal.wait_until(lambda text: list(terminal.screen.display) == painted, "the same again")


class OneView(OnTerminal):
    """Lines in a small screen."""

    def __init__(self) -> None:
        super().__init__()
        self.view = LinesView()

    def compose(self) -> ComposeResult:
        yield self.view


ROWS = st.lists(st.sampled_from(["", "a", "b", "a wider line than the screen", "c"]), max_size=12)


@settings(max_examples=30)
@given(st.lists(st.tuples(ROWS, st.integers(0, 8)), min_size=1, max_size=4))
async def test_other_lines_leave_nothing_behind(steps: list[tuple[list[str], int]]) -> None:
    app = OneView()
    async with running(app, size=(10, 5)) as pilot:
        app.begin()
        app.draw_anew()
        for rows, top in steps:
            app.view.show_lines([Text(row, no_wrap=True, end="") for row in rows])
            app.view.scroll_to(y=top, animate=False)
            await pilot.settle()
            assert await old_cells(app, pilot) == []
            painted = app.terminal.display if app.terminal is not None else [""]
            here = app.view.scroll_offset.y
            assert painted[0][:8].rstrip() == (rows[here:] or [""])[0][:8].rstrip()


class Covered(OnTerminal):
    """Lines of wide characters, and what stands over them for a while."""

    CSS = "LinesView { height: 1fr; } Static { height: 1; }"

    def __init__(self) -> None:
        super().__init__()
        self.view, self.popup, self.top = LinesView(), Popup(), Static("")
        self.written = ""

    def get_default_screen(self) -> Screen[Any]:
        return MainScreen(id="main")

    def compose(self) -> ComposeResult:
        yield self.top
        yield self.view
        yield self.popup

    def _display(self, screen: Screen[Any], renderable: Any) -> None:
        if isinstance(renderable, CompositorUpdate):
            self.written = renderable.render_segments(self.console)
        super()._display(screen, renderable)


async def test_a_character_of_which_half_was_covered_is_painted_whole() -> None:
    app = Covered()
    async with running(app, size=(20, 6)) as pilot:
        app.view.show_lines([Text("節" * 7, end="")] * 6)
        await pilot.settle()
        rows = [Completion(word, Span(0, 0), "") for word in ("rows", "two")]
        app.popup.show(rows, lambda: 4, [app.top], lambda row: None)
        await pilot.settle()
        assert app.popup.region == Region(3, 1, 6, 2)
        app.popup.close()
        await pilot.settle()
        # The terminal lets go of both halves where one is written over.
        assert re.findall(r"\x1b\[2;(\d+)H\x1b\[[\d;]*m(節+)", app.written) == [("1", "節節節節")]


async def test_a_row_in_which_nothing_changes_is_not_painted() -> None:
    on = cluster(3_000, {"low": "0-99", "high": "2900-2999", "one": "2900"})
    app = Painted(workbench.start(on, "", "high"))
    async with running(app, size=NORMAL, notifications=False) as pilot:
        await pilot.settle()
        view = app.views.map.view
        painted: list[int] = []
        refresh_rows = view.refresh_rows

        def told(rows: Sequence[int]) -> None:
            painted.extend(rows)
            refresh_rows(rows)

        view.refresh_rows = told  # type: ignore[method-assign]
        await pilot.edit(workbench.EditRequires("high|low"))
        rows = {view.row_of(index) for index in range(100)}
        assert set(painted) == rows
        painted.clear()
        await pilot.edit(workbench.EditRequires("high|low|one"))
        assert not painted
