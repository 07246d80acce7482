"""Only what changed is painted, and then the screen is as if all of it had been drawn anew."""

import gc
import re
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

import pyte
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.text import Text
from textual import messages
from textual._compositor import CompositorUpdate
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.screen import Screen
from textual.scrollbar import ScrollBar
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input
from textual.widgets.input import Selection

from fluxtui import workbench
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.kit.entry import PlainInput
from fluxtui.ui.kit.lines import LineScrollBar, LinesView
from fluxtui.ui.kit.popup import Popup
from fluxtui.ui.kit.sweeping import ENOUGH, Sweeper
from fluxtui.ui.screen import MainScreen
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    WIDE,
    Hands,
    cluster,
    demo,
    running,
    workbench_at,
)
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
    for entry in app.query(Input):
        entry.cursor_blink = False  # or it would be seen or not, as the time has it
    await pilot.done()
    painted = app.cells()
    app.draw_anew()
    await pilot.settle()
    rows = zip(painted, app.cells(), strict=True)
    cells = (
        (y, x, *both) for y, row in enumerate(rows) for x, both in enumerate(zip(*row, strict=True))
    )
    return list(islice((cell for cell in cells if cell[2] != cell[3]), 5))


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_completions_leave_nothing_behind_after_a_scroll(size: tuple[int, int]) -> None:
    app = Painted(workbench.start(demo(), "node=2/slot/core=4", "gpu"))
    app.animation_level = "none"
    async with running(app, size=size, notifications=False) as pilot:
        await pilot.done()
        app.begin()
        await pilot.press("f12")
        await pilot.done()
        for entry in list(app.form_pane.query(Input))[:5]:
            entry.focus()
            await pilot.press("ctrl+space")
            await pilot.done()
            app.screen.post_message(messages.UpdateScroll())
            await pilot.settle()
            await pilot.press("escape")
            assert await old_cells(app, pilot) == [], entry.id
        app.ask_bar.entry.focus()
        await pilot.press("end", "&")
        await pilot.done()
        assert app.screen.query_one(Popup).is_open
        app.screen.post_message(messages.UpdateScroll())
        await pilot.settle()
        await pilot.press("escape")
        assert not app.screen.query_one(Popup).is_open
        assert await old_cells(app, pilot) == []


async def test_no_key_leaves_something_old() -> None:
    app = Painted(workbench.start(demo(), "node=2/slot/core=4", "gpu"))
    app.animation_level = "none"  # what is on its way would be compared with where it arrives
    async with running(app, size=NORMAL, notifications=False) as pilot:
        await pilot.settle()
        app.begin()
        app.draw_anew()
        await pilot.settle()
        keys = [*"8;x", "home", "right", *"12", "ctrl+z", "tab", *"&-debug", "backspace", "f3"]
        keys += ["escape", "down", "shift+down", "ctrl+k", "f2", "n", "f4", "f4", "f12", "down"]
        for key in [*keys, *"1h", "f12", "f5", "down", "tab", "end", *"|ssd", "f8", "f8"]:
            await pilot.press(key)
            assert await old_cells(app, pilot) == [], key


def test_a_terminal_shows_what_a_whole_frame_would() -> None:
    with Terminal("-s", "node=2/slot/core=4", columns=120, rows=40) as terminal:
        terminal.wait_for("196 nodes", "count: 2", "there is room")
        terminal.send("8\x1b[D\x1b[D\x7f4\t")
        terminal.wait_for("slot/core448")
        terminal.send("gpu&-")
        terminal.wait_for("stale")
        terminal.send("debug ")
        terminal.wait_for("-debug", " of 196 nodes")
        painted = list(terminal.screen.display)
        terminal.resize(121, 40)
        terminal.resize(120, 40)
        terminal.wait_until(lambda text: list(terminal.screen.display) == painted, "the same again")


# The input that draws only what can be seen of its text


class OneInput(App[None]):
    """An input in a narrow screen."""

    CSS = "PlainInput { border: none; padding: 0; height: 1; width: 12; }"

    def __init__(self, value: str) -> None:
        super().__init__()
        self.value = value

    @property
    def input(self) -> PlainInput:
        return self.query_one(PlainInput)

    def compose(self) -> ComposeResult:
        entry = PlainInput(self.value, select_on_focus=False)
        entry.cursor_blink = False
        yield entry


@pytest.mark.parametrize(
    "value", ["short", "a text that is wider than its input", "wide 節点が並ぶ tail", "é" * 30, ""]
)
async def test_what_is_seen_of_a_text(value: str) -> None:
    app = OneInput(value)
    async with running(app, size=(20, 2)) as pilot:
        for cursor in range(len(value) + 1):
            app.input.cursor_position = cursor
            await pilot.settle()
            drawn = app.input.render_line(0)
            left, width = app.input.scroll_offset.x, drawn.cell_length
            columns = [c + "\0" * (cell_len(c) - 1) for c in value] + [" "] * width
            expected = "".join(columns)[left : left + width]
            shown = "".join(c + "\0" * (cell_len(c) - 1) for c in drawn.text)
            # Half of a wide character at either end is a blank.
            assert shown.strip("\0 ") == expected.strip("\0 ") or expected[0] == "\0"
            assert app.input.cursor_screen_offset.x - app.input.region.x <= width


async def test_the_cursor_and_the_selection_stand_where_they_should() -> None:
    app = OneInput("0123456789abcdefghij")
    async with running(app, size=(20, 2)) as pilot:
        app.input.selection = Selection(2, 5)
        app.input.scroll_to(0, 0, animate=False)
        await pilot.settle()
        marked = app.input.get_component_rich_style("input--selection").bgcolor
        strip = app.input.render_line(0)
        assert [
            strip.crop(x, x + 1).text
            for x in range(12)
            if next(iter(strip.crop(x, x + 1))).style.bgcolor == marked  # type: ignore[union-attr]
        ] == ["2", "3", "4"]
        app.input.selection = Selection.cursor(20)
        await pilot.settle()
        cursor = app.input.get_component_rich_style("input--cursor")
        strip = app.input.render_line(0).crop(11, 12)
        assert (strip.text, next(iter(strip)).style.reverse) == (" ", cursor.reverse)  # type: ignore[union-attr]
        assert app.input.render_line(0).text.rstrip().endswith("j")


# Lines


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
async def test_lines_that_stay_need_no_painting(steps: list[tuple[list[str], int]]) -> None:
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


BARS = st.tuples(
    st.integers(1, 40), st.integers(0, 3000), st.integers(0, 50), st.floats(0, 3000), st.booleans()
)


def looks(strip: Strip) -> list[tuple[object, ...]]:
    """What one sees of a line, and what it does."""
    seen = []
    for text, style, _ in strip:
        assert style is not None
        ink, ground = style.color, style.bgcolor
        if text == " ":  # which is all ground
            ink, ground = None, ink if style.reverse else ground
        seen.append((text, ink, ground, text != " " and style.reverse, style.meta))
    return seen


@settings(max_examples=20)
@given(st.lists(BARS, min_size=1, max_size=20))
async def test_a_scroll_bar_looks_as_textual_draws_it(
    bars: list[tuple[int, int, int, float, bool]],
) -> None:
    app = OneView()
    async with running(app, size=(10, 40)) as pilot:
        app.view.show_lines([Text(str(row), end="") for row in range(100)])
        await pilot.settle()
        bar = app.view.vertical_scrollbar
        assert isinstance(bar, LineScrollBar)
        for stop, lines, window, position, over in bars:
            bar.window_virtual_size, bar.window_size, bar.mouse_over = lines, window, over
            bar.position = min(position, max(lines - window, 0))
            bar._dirty_regions.add(bar.size.region)
            bar._styles_cache.clear()
            crop = Region(0, 0, 1, stop)
            drawn = [looks(strip) for strip in bar.render_lines(crop)]
            assert drawn == [looks(strip) for strip in ScrollBar.render_lines(bar, crop)]


class Covered(OnTerminal):
    """Lines of wide characters, and what stands over them for a while."""

    CSS = "LinesView { height: 1fr; }"

    def __init__(self) -> None:
        super().__init__()
        self.view, self.popup = LinesView(), Popup()
        self.written = ""

    def get_default_screen(self) -> Screen[Any]:
        return MainScreen(id="main")

    def compose(self) -> ComposeResult:
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
        app.popup._stand(Region(3, 1, 6, 2))
        await pilot.settle()
        app.popup.close()
        await pilot.settle()
        # The terminal lets go of both halves where one is written over.
        assert re.findall(r"\x1b\[2;(\d+)H\x1b\[[\d;]*m(節+)", app.written) == [("1", "節節節節")]


# Garbage


@contextmanager
def as_before() -> Iterator[None]:
    """Python's own way of collecting, whatever a test does to it."""
    try:
        yield
    finally:
        gc.enable()
        gc.unfreeze()


class Ring:
    """An object that only a collection finds, once nobody holds it."""

    def __init__(self) -> None:
        self.ring = self


def test_collections_wait_until_nobody_types() -> None:
    with as_before():
        stands: list[object] = [object()]
        sweeper = Sweeper(lambda: stands[-1])
        sweeper.begin()
        assert not gc.isenabled()
        sweeper.look()
        ring = weakref.ref(Ring())
        kept = [[] for _ in range(2 * ENOUGH)]  # type: ignore[var-annotated]
        stands.append(object())
        sweeper.look()
        assert ring() is not None  # somebody typed: nothing is collected now
        sweeper.look()
        assert ring() is None
        frozen = gc.get_freeze_count()
        assert frozen > len(kept)
        sweeper.look()  # nothing is new
        assert gc.get_freeze_count() <= frozen
        sweeper.end()
        assert gc.isenabled()


def test_very_much_is_collected_while_one_types_too(monkeypatch: pytest.MonkeyPatch) -> None:
    with as_before():
        monkeypatch.setattr("fluxtui.ui.kit.sweeping.TOO_MANY", 3 * ENOUGH)
        sweeper = Sweeper(object)
        sweeper.begin()
        sweeper.look()
        ring = weakref.ref(Ring())
        kept = [[] for _ in range(4 * ENOUGH)]  # type: ignore[var-annotated]
        sweeper.look()
        assert ring() is None
        assert kept


async def test_a_workbench_leaves_collecting_as_it_was() -> None:
    with as_before():
        async with workbench_at(NORMAL):
            assert not gc.isenabled()
        assert gc.isenabled()


async def test_a_dialog_that_is_open_for_long_is_let_go_of() -> None:
    with as_before():
        async with workbench_at(NORMAL) as (app, pilot):
            await pilot.done()  # what is made after the first frame is kept for good
            await pilot.press("f1")
            dialog = weakref.ref(app.screen)
            kept = [[] for _ in range(2 * ENOUGH)]  # type: ignore[var-annotated]
            app._sweeper.look()
            app._sweeper.look()
            await pilot.press("escape", "f1", "escape")
            kept += [[] for _ in range(2 * ENOUGH)]
            app._sweeper.look()
            app._sweeper.look()
            assert dialog() is None
            assert kept


# The map paints only what changed, and then is as if all of it had been drawn anew

ZOOMS = ["minus", "minus", "plus", "plus", "plus", "z", "enter", "z"]

ABOUT = ["right", "down", "n", "p", "space", "shift+down", "a", "escape", "end", "pageup"]

ASKING = ["o", "h", "c", "c", "o", "r", "c", "m", "g", "4", "enter"]


@pytest.mark.parametrize(("size", "nodes"), [(NARROW, 3_000), (NORMAL, 150)])
async def test_no_key_leaves_something_old_on_the_map(size: tuple[int, int], nodes: int) -> None:
    on = cluster(nodes, {"odd": ",".join(map(str, range(1, nodes, 2))), "few": "3-5,77,140"})
    app = Painted(workbench.start(on, "", "few"))
    app.animation_level = "none"
    async with running(app, size=size, notifications=False) as pilot:
        await pilot.settle()
        app.ask_bar.entry.cursor_blink = app.shape_bar.entry.cursor_blink = False
        app.bring("cluster")
        await pilot.done()
        app.begin()
        app.draw_anew()
        await pilot.settle()
        view = app.cluster_pane.map

        async def as_drawn_anew(what: str) -> None:
            assert await old_cells(app, pilot) == [], what

        for key in [*ABOUT, *ZOOMS, *ASKING, "minus", *ABOUT]:
            await pilot.press(key)
            await pilot.done()
            await as_drawn_anew(key)
        for zoom in view._find_layout()[0].zooms:
            view.zoom_to(zoom)
            for text in ("odd", "odd&-few", "few|", "", "few"):
                app.edit(workbench.EditRequires(text))
                await pilot.settle()
                await as_drawn_anew(f"{text} at {zoom}")


async def test_a_row_in_which_nothing_changes_is_not_painted() -> None:
    on = cluster(3_000, {"low": "0-99", "high": "2900-2999", "one": "2900"})
    app = Painted(workbench.start(on, "", "high"))
    async with running(app, size=NORMAL, notifications=False) as pilot:
        await pilot.settle()
        view = app.cluster_pane.map
        painted: list[int] = []
        refresh_rows = view.refresh_rows

        def told(rows: Sequence[int]) -> None:
            painted.extend(rows)
            refresh_rows(rows)

        view.refresh_rows = told  # type: ignore[method-assign]
        app.edit(workbench.EditRequires("high|low"))
        await pilot.settle()
        rows = {view.row_of(index) for index in range(100)}
        assert set(painted) == rows
        painted.clear()
        app.edit(workbench.EditRequires("high|low|one"))
        await pilot.settle()
        assert not painted
