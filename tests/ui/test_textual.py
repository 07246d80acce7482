"""What Textual does that its documentation does not promise, and that the kit relies on.

Each test names one behaviour. Where one fails with another version of Textual, the code that uses
it is to be looked at, and may have become needless.
"""

import ast
import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from threading import Event
from time import sleep
from typing import Any, ClassVar

import pytest
import textual
from packaging.version import Version
from rich.text import Text
from textual import drivers, events
from textual._compositor import Compositor
from textual._xterm_parser import XTermParser
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.drivers import linux_driver, web_driver
from textual.drivers._writer_thread import WriterThread
from textual.drivers.linux_driver import LinuxDriver
from textual.geometry import Offset, Region
from textual.keys import key_to_character
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea

import fluxtui.ui
from fluxtui.notation.problem import Completion, Span
from fluxtui.ui.kit.compositor import SparseCompositor
from fluxtui.ui.kit.keys import _SIGNS, bindings_of, is_bound
from fluxtui.ui.kit.lines import LinesView
from fluxtui.ui.kit.pane import Pane
from fluxtui.ui.kit.popup import Popup
from fluxtui.ui.kit.workers import LatestTasks
from tests.ui.helpers import workbench_at
from tests.ui.test_pasting import read

SIZE = (30, 10)


@asynccontextmanager
async def alone(*widgets: Widget, css: str = "") -> AsyncIterator[Pilot[None]]:
    """Widgets in an app of their own."""

    class Alone(App[None]):
        CSS = css

        def compose(self) -> ComposeResult:
            yield from widgets

    async with Alone().run_test(size=SIZE) as pilot:
        yield pilot


async def test_a_click_on_what_is_gone_ends_textual_and_not_the_workbench() -> None:
    """A screen asks the widget under the mouse for the one around it, also where there is none."""
    click = events.MouseDown(None, 1, 1, 0, 0, 1, False, False, False)

    async def clicked(app: App[Any], monkeypatch: pytest.MonkeyPatch) -> None:
        gone = (Static(), Offset(0, 0))
        monkeypatch.setattr(app.screen, "get_widget_and_offset_at", lambda x, y: gone)
        await app.on_event(click)

    is_newer = Version(textual.__version__) >= Version("8.2.8")
    fault = pytest.raises(AttributeError, match="region") if is_newer else nullcontext()
    with pytest.MonkeyPatch.context() as monkeypatch:
        async with alone(Static()) as pilot:
            with fault:
                await clicked(pilot.app, monkeypatch)
        async with workbench_at() as (app, _):
            await clicked(app, monkeypatch)


def layouts(pilot: Pilot[None]) -> list[object]:
    """Those of the screen from now on."""
    found: list[object] = []
    signal = pilot.app.screen.screen_layout_refresh_signal
    signal.subscribe(pilot.app, found.append, immediate=True)
    return found


# Painting


class Rows(Static):
    """Counts the lines it is asked for."""

    asked: int = 0

    def render_lines(self, crop: Region) -> Any:
        self.asked += crop.height
        return super().render_lines(crop)


class Sparse(App[None]):
    """Two widgets that are far apart, what is between them, and a popup over all."""

    CSS = "#top, #bottom { height: 1; } #between { height: 1fr; }"

    def get_default_screen(self) -> Screen[Any]:
        screen: Screen[Any] = Screen(id="_default")
        screen._compositor = SparseCompositor()
        return screen

    def compose(self) -> ComposeResult:
        for name in ("top", "between", "bottom"):
            yield Rows(name, id=name)
        yield Popup()


@pytest.mark.parametrize(("kind", "between"), [(Compositor, 8), (SparseCompositor, 0)])
async def test_a_compositor_asks_for_all_between_two_changes_but_ours(
    kind: type[Compositor], between: int
) -> None:
    app = Sparse()
    async with app.run_test(size=SIZE) as pilot:
        app.screen._compositor = compositor = kind()
        app.refresh(layout=True)
        await pilot.pause()
        view = app.query_one("#between", Rows)
        assert compositor.render_partial_update() is None
        view.asked = 0
        compositor.update_widgets({app.query_one("#top"), app.query_one("#bottom")})
        assert compositor.render_partial_update() is not None
        assert view.asked == between


async def test_a_screen_paints_by_the_compositor_that_it_is_given() -> None:
    app = Sparse()
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        assert isinstance(app.screen._compositor, SparseCompositor)
        laid_out, popup = layouts(pilot), app.query_one(Popup)
        rows = [Completion(word, Span(0, 0), "") for word in ("one", "two")]
        popup.show(rows, lambda: 3, [app.query_one("#top")], lambda row: None)
        await pilot.pause()
        place = Region(2, 1, 5, 2)
        assert (popup.region, popup.size, laid_out) == (place, place.size, [])
        assert app.screen.get_widget_at(4, 2)[0] is popup
        app.screen.refresh(layout=True)  # which finds the same place
        await pilot.pause()
        assert popup.region == place
        popup.close()
        await pilot.pause()
        assert popup.size.area == 0


async def test_scroll_bars_come_without_a_layout_of_the_screen_by_scroll_update() -> None:
    view = LinesView(id="lines")
    async with alone(view) as pilot:
        for rows, bar in ((30, True), (3, False), (31, True)):
            view.show_lines([Text("x", end="")] * rows)
            await pilot.pause()
            assert view.show_vertical_scrollbar == bar
            assert not bar or view.vertical_scrollbar.window_virtual_size == rows


async def test_words_in_a_frame_are_its_border_subtitle() -> None:
    frame = Container()
    async with alone(frame, css="Container { border: round white; height: 4; }") as pilot:
        await pilot.pause()
        laid_out, screen = layouts(pilot), pilot.app.screen
        Pane.say_in_frame(frame, "said")  # type: ignore[arg-type]
        await pilot.pause()
        assert "said" in "".join(segment.text for segment in screen._compositor.render_strips()[3])
        assert (str(frame.border_subtitle), laid_out) == ("said", [])


# Keys


def test_textual_finds_no_character_for_some_keys() -> None:
    keys = {name: key_to_character(name) for name in _SIGNS}
    assert keys == dict.fromkeys(_SIGNS)


async def test_a_node_has_the_map_of_its_bindings() -> None:
    class Bound(Widget):
        BINDINGS: ClassVar[list[BindingType]] = [Binding("a,b", "do", "Do", id="do")]

    widget = Bound()
    async with alone(widget):
        assert [(found.id, found.key) for found in bindings_of(widget)] == [("do", "a,b")]
        assert (is_bound(widget, ["b"]), is_bound(widget, ["c"])) == (True, False)


async def test_a_key_that_writes_is_handled_before_one_that_does_something() -> None:
    """So an input of ours does what a key is bound to in ``_on_key``."""
    entry, area = Input(), TextArea()
    async with alone(entry, area) as pilot:
        for widget in (entry, area):
            widget.focus()
            await pilot.pause()
            for key in ("a", "b", "backspace", "c"):
                pilot.app.post_message(events.Key(key, key if len(key) == 1 else None))
            await pilot.pause()
            await pilot.pause()
        assert (entry.value, area.text) == ("ab", "ab")  # "ac" is what was typed


async def test_an_input_scrolls_to_the_cell_of_a_position_and_is_sent_keys_and_pastes() -> None:
    class Counted(Input):
        asked = 0
        taken: ClassVar[list[str]] = []

        def _position_to_cell(self, position: int) -> int:
            self.asked += 1
            return super()._position_to_cell(position)

        def _forward_event(self, event: events.Event) -> None:
            self.taken.append(type(event).__name__)

    entry = Counted()
    async with alone(entry) as pilot:
        entry.value = "abc"
        entry.asked = 0
        entry.cursor_position = 1
        assert entry.asked
        assert entry.cursor_screen_offset.x == entry.content_region.x + 1
        for event in (events.Key("a", "a"), events.Paste("text")):
            pilot.app.post_message(event)
        await pilot.pause()
        assert entry.taken == ["Key", "Paste"]


async def test_an_editor_is_built_of_the_parts_that_ours_replaces() -> None:
    called: list[str] = []

    class Parts(TextArea):
        def _set_document(self, text: str, language: str | None) -> None:
            called.append("document")
            super()._set_document(text, language)

        def _refresh_size(self) -> None:
            called.append("size")
            super()._refresh_size()

        def get_line(self, line_index: int) -> Text:
            called.append("line")
            return super().get_line(line_index)

    editor = Parts("one\ntwo", soft_wrap=False)
    async with alone(editor):
        assert {"document", "size"} <= set(called)
        result = editor._replace_via_keyboard("x", (0, 0), (0, 1))
        assert result is not None
        assert (result.end_location, editor.text) == ((0, 1), "xne\ntwo")
        called.clear()
        assert editor._render_line(1).text.startswith("two")
        assert called == ["line"]
        editor.history.clear()
        editor._refresh_scrollbars()
        assert editor.history.undo_stack == []


# The terminal


def test_textual_ends_a_paste_at_an_escape_and_makes_a_character_of_one_and_a_digit() -> None:
    """So ours leaves escapes out of pastes, and reads both keys."""
    assert read("\x1b[200~one\x1b[Atwo\x1b[201~", parser=XTermParser()) != ["paste one[Atwo"]
    assert read("\x1b2", parser=XTermParser()) == ["trade_mark_sign"]
    for parts in (("\x1b2",), ("\x1b", "2")):
        assert read(*parts) == ["escape", "2"]
    burst = read("a\x1b\x1b2\x1b/b\x1b[A\x1bb\x1b[50;3u")
    assert " ".join(burst) == "a escape escape 2 escape slash b up ctrl+left alt+2"


def test_what_a_driver_and_an_app_are_made_of(tmp_path: Path) -> None:
    for module, names in (
        (linux_driver, ("XTermParser", "WriterThread", "getincrementaldecoder")),
        (web_driver, ("XTermParser", "getincrementaldecoder")),
    ):
        source = Path(str(module.__file__)).read_text("utf-8")
        for name in names:
            assert hasattr(module, name)
            assert re.search(rf"\b{name}\(", source)
    with (tmp_path / "out").open("w") as out:
        writer = WriterThread(out)
        writer.start()
        writer.write("words")
        writer.stop()
    assert (tmp_path / "out").read_text() == "words"
    assert {"_queue", "_file"} <= set(vars(writer))
    app = App[None]()
    driver = "_sigtstp_application _sigcont_application start_application_mode _run_input_thread"
    for owner, names in (
        (LinuxDriver, driver),
        (app, "_handle_exception _close_messages_no_wait _fatal_error"),
    ):
        assert all(callable(getattr(owner, name)) for name in names.split())
    assert (app._exit, app._driver, app._exit_renderables) == (False, None, [])
    assert list(app._notifications) == []
    assert drivers.__path__


async def test_work_ends_with_the_widget_that_it_is_for() -> None:
    widget, ended = Static(), Event()

    def work(stop: Callable[[], bool]) -> None:
        while not stop():
            sleep(0.001)
        ended.set()

    async with alone(widget):
        LatestTasks(widget).start("counting", work, lambda _: None)
        await asyncio.sleep(0.05)
        assert not ended.is_set()
        await widget.remove()
        assert await asyncio.to_thread(ended.wait, 10)


# Where the private names are


def test_only_the_kit_and_the_terminal_use_private_names_of_textual() -> None:
    root = Path(str(fluxtui.ui.__file__)).parent
    private = re.compile(r"from textual(\.\w+)*\._\w+|from textual(\.\w+)* import _|textual\._\w+")
    used: dict[str, Path] = {}
    own = {"_replace"}  # of a named tuple
    for path in root.rglob("*.py"):
        text = path.read_text("utf-8")
        may_use = path.relative_to(root).parts[0] in ("kit", "terminal")
        assert may_use or not private.search(text), path
        for node in ast.walk(ast.parse(text)):
            match node:
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                    own.add(name)
                case ast.AnnAssign(target=ast.Name(id=name)) | ast.Name(id=name, ctx=ast.Store()):
                    own.add(name)
                case ast.Attribute(attr=name, ctx=ast.Store()):
                    own.add(name)
                case ast.Attribute(attr=name) if not may_use and re.match(r"_(?!_)", name):
                    used[name] = path
    assert not used.keys() - own, used
