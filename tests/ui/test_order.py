"""The order of things: what the first frame loads, the start, a step, escape, and the end."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

from fluxtui import opening, workbench
from fluxtui.bridge.draft_json import Draft
from fluxtui.bridge.drafts import Store
from fluxtui.bridge.typed import Typed
from fluxtui.library import stages
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.controller import Controller
from fluxtui.ui.kit.input import PlainInput, wait_for_keys
from fluxtui.ui.layout import Zone
from fluxtui.ui.registry import ROWS
from fluxtui.ui.stage.stage_screen import StageScreen
from fluxtui.workbench import EditRequires, EditShape, Select
from tests.ui.documents import demo, document, write_document
from tests.ui.helpers import NARROW, NORMAL, REQUIRES, Hands, running, workbench_at
from tests.ui.seen import lacking, looks_of, messages, plain, screen_text, shown
from tests.ui.terminal import Terminal


class Recorder(Controller):
    """Notes what the app asks of it, and what the screen shows then."""

    follows = ("ask",)

    def __init__(self, app: FluxTUI) -> None:
        super().__init__(app)
        self.log: list[tuple[str, object]] = []
        self.is_busy = False

    def ready(self) -> None:
        self.log.append(("ready", shown(self.app.title_line) and self.app.title_line.plain))

    def changed(self, before: workbench.State, after: workbench.State) -> None:
        if before.ask is not after.ask:
            self.log.append(("changed", plain(self.app, "#answer")))

    def stop(self) -> bool:
        was_busy, self.is_busy = self.is_busy, False
        return was_busy

    def close(self, *, left: bool) -> None:
        self.log.append(("close", left))


@asynccontextmanager
async def recorded(folder: Path) -> AsyncIterator[tuple[FluxTUI, Recorder, Hands]]:
    """The workbench with its stores in a folder, and two more controllers behind its own."""
    app = FluxTUI(workbench.start(demo()))
    app.drafts.store = Store(folder / "drafts")
    app.recall.use(Typed(folder / "typed"))
    recorder = Recorder(app)
    app.controllers = (*app.controllers, recorder)  # type: ignore[assignment]
    async with running(app, NARROW) as pilot:
        await pilot.done()
        yield app, recorder, pilot
    app.close(left=True)


async def test_the_screen_comes_first_and_escape_ends_one_thing_at_a_time(tmp_path: Path) -> None:
    async with recorded(tmp_path) as (app, recorder, pilot):
        ((name, title),) = recorder.log
        assert name == "ready"
        assert "196 nodes" in str(title)
        # The screen shows a step before the controllers see it.
        recorder.log.clear()
        app.edit(EditRequires("gpu"))
        assert recorder.log == [("changed", "24 of 196 nodes")]
        recorder.log.clear()
        await pilot.press("ctrl+z")
        assert recorder.log == [("changed", "")]  # undoing is no edit
        # Escape ends one thing at a time.
        other = Recorder(app)
        app.controllers = (other, *app.controllers)  # type: ignore[assignment]
        app.go_to("map")
        app.edit(Select(1))
        recorder.is_busy = other.is_busy = True
        busy = []
        for _ in range(3):
            await pilot.press("escape")
            busy.append((other.is_busy, recorder.is_busy, app.state.selected))
        assert busy == [(False, True, 1), (False, False, 1), (False, False, 0)]


async def test_documents_are_read_once_the_screen_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    read = opening.open_any

    def watched(*arguments: object, **named: object) -> object:
        seen.append(app.title_line.plain)
        return read(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(opening, "open_any", watched)
    app = FluxTUI(workbench.start(demo()))
    app.documents.files_to_open = (write_document(tmp_path / "R.json", document(5)),)
    async with running(app, NARROW) as pilot:
        await pilot.done()
        (said,) = seen
        assert "reading R.json" in said
        assert app.state.cluster.resources.node_count == 5
    # Where nothing is open before, the first frame has it already.
    app = FluxTUI(workbench.start(None))
    app.documents.files_to_open = (str(tmp_path / "R.json"),)
    ready = app.documents.ready

    def first() -> None:
        seen.append(screen_text(app))
        ready()

    app.documents.ready = first  # type: ignore[method-assign]
    async with running(app, NORMAL) as pilot:
        await pilot.done()
        assert not lacking(seen[1], "fluxtui    ", "reading R.json", "Reading R.json …")
        assert "open" not in seen[1].splitlines()[0]


async def test_the_stage_is_shown_before_drafts_are_told_of(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.keep(Draft(shape="node=7"))
    store.close(Draft(shape="node=7"), left=False)
    (path,) = tmp_path.glob("session-*")
    path.rename(path.with_name("session-1-1.json"))
    app = FluxTUI(workbench.start(demo()))
    app.drafts.store = Store(tmp_path)
    app.stage.first = stages.rfc31(demo().resources)
    async with running(app, NARROW) as pilot:
        await pilot.done()
        assert isinstance(app.screen, StageScreen)
        assert messages(app) == []
        await pilot.press("escape")
        (told,) = messages(app)
        assert "Unsaved draft from " in told
    app.close(left=True)


async def test_the_draft_is_written_before_the_history(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log: list[str] = []
    close, save = Store.close, Typed.save

    def closing(store: Store, draft: Draft, *, left: bool) -> None:
        log.append(f"draft {draft.shape} {left}")
        close(store, draft, left=left)

    def saving(store: Typed) -> object:
        log.append(f"history {store.entries('shape')}")
        return save(store)

    async with recorded(tmp_path) as (app, recorder, _):
        app.edit(EditShape("node=3"))
        monkeypatch.setattr(Store, "close", closing)
        monkeypatch.setattr(Typed, "save", saving)
    assert log[-2:] == ["draft node=3 True", "history ('node=3',)"]
    assert recorder.log[-1] == ("close", True)
    app.close(left=False)  # what was written first stays
    ((kept,), _) = Store(tmp_path / "drafts").found()
    assert (kept.draft.shape, kept.crashed) == ("node=3", False)


def left_behind(home: Path) -> tuple[bool, str]:
    """Whether the one draft that is there is that of a crash, and its shape."""
    (kept,), problems = Store(home / ".state" / "fluxtui" / "sessions").found()
    assert problems == ()
    return kept.crashed, kept.draft.shape


def test_quitting_gives_the_terminal_back_then_says_how_to_come_back(home: Path) -> None:
    with Terminal("--restore", columns=80, rows=24) as terminal:
        terminal.wait_for("no draft or last session")
        terminal.press("node=3", "node=3")
        terminal.quit()
        said = terminal.output.rfind(b"fluxtui --restore brings back node=3")
        assert said > terminal.output.rfind(b"\x1b[?1049l") > 0
    assert left_behind(home) == (False, "node=3")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_keeps_what_was_typed_as_the_draft_of_a_crash(
    home: Path, number: signal.Signals
) -> None:
    with Terminal(columns=80, rows=24) as terminal:
        terminal.wait_for("196 nodes")
        terminal.press("node=3", "node=3")
        os.kill(terminal.process.pid, number)
        assert terminal.wait_for_exit() == 128 + number
        assert terminal.in_order
        assert not re.search(rb"--restore|Traceback", terminal.output)
    assert left_behind(home) == (True, "node=3")


MOST = 190  # modules of the program, before there is anything to see

# What is loaded right after the first frame, or with the first key that needs it.
LATER = (
    "answers.compare",
    "answers.explain",
    "answers.listing.filtering",
    "answers.listing.orders",
    "answers.explain.properties",
    "answers.listing.lister",
    "answers.export",
    "bridge.clipboard",
    "bridge.watching",
    "opening.again",
    "opening.anything",
    "ui.kit.text_editor",
    "ui.nodes.cluster_table",
    "ui.nodes.graph",
    "workbench.reloading",
)


def test_the_first_frame_loads_little() -> None:
    code = (
        "import sys, fluxtui.ui.launch, fluxtui.ui.app;"
        "print(*(name for name in sys.modules if name.startswith('fluxtui')))"
    )
    loaded = subprocess.check_output([sys.executable, "-c", code], text=True).split()
    later = {f"fluxtui.{name}" for name in LATER}
    assert not later & set(loaded)
    assert all(map(find_spec, later))  # none has another name now
    assert len(loaded) < MOST


async def test_a_table_that_is_made_late_shows_what_the_map_does() -> None:
    app = FluxTUI()
    async with running(app, size=NORMAL) as pilot:
        app.ask_bar.entry.value = REQUIRES
        app.views.map.view.action_move(3)
        await pilot.go("table")  # whether it has been made by now or not
        count = app.state.cluster.resources.node_count
        table, shown = app.views.table.view, app.views.map.view
        assert looks_of(table, 0, count) == looks_of(shown, 0, count)
        assert (table.cursor, table.highlights.mask) == (3, app.state.ask.mask)


async def test_an_early_key_makes_it_and_keeps_the_focus() -> None:
    app = FluxTUI()
    async with running(app, size=NORMAL) as pilot:
        app.screen.set_focus(app.views.map.view)
        await pilot.press("f2", "down")
        assert app.focused is app.views.table.view
        assert app.state.cursor == 1
        assert len(app.query("#node-table")) == 1


async def test_a_widget_that_is_not_mounted_has_no_keys_to_wait_for() -> None:
    async with workbench_at(NARROW):
        await wait_for_keys(PlainInput())


@pytest.mark.parametrize("size", [NARROW, (200, 50)])
async def test_what_the_first_frame_lacks_is_made_right_after_it(
    size: tuple[int, int],
) -> None:
    made: list[list[str]] = []
    app = FluxTUI(workbench.start(demo(), "slot=4/core"), complete=False)
    app.equip = lambda: made.append([*app.panes])
    assert [*app.panes] == ["tree", "map", "node", "queues"]
    assert not app.controllers
    async with running(app, size) as pilot:
        await pilot.done()
        assert made == [[row.tab.name for row in ROWS]]
        await pilot.do("9", "escape", "9")
        assert app.focused_pane is app.panes["fit"]
        zones = [[pane.id for pane in zone.children] for zone in app.query(Zone)]
        assert [id for zone in zones for id in zone] == [f"pane-{name}" for name in app.panes]
        await pilot.do("ctrl+z")
        assert app.state.build.text == "slot=4/core"
