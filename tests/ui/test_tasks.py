"""What people do most, in few keys: each task from a fresh start, beside the text that is typed."""

from pathlib import Path

import pytest

from fluxtui import workbench
from fluxtui.bridge.chosen import Chosen
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.session.memory import FILES
from tests.ui.helpers import NORMAL, Hands, demo, document, running, workbench_at, write_document


class Keys:
    """Counts the keys that are pressed beside texts."""

    def __init__(self, app: FluxTUI, pilot: Hands) -> None:
        self.app, self.pilot = app, pilot
        self.count = 0

    async def press(self, *keys: str) -> None:
        for key in keys:
            self.count += 1
            await self.pilot.press(key)
            await self.pilot.settle()

    async def type(self, text: str) -> None:
        await self.pilot.press(*text)
        await self.pilot.settle()


async def test_a_job_is_written_and_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with workbench_at(NORMAL) as (app, pilot):
        keys = Keys(app, pilot)
        await keys.type("node=2/slot/core=4")
        await keys.press("enter")
        await keys.type("gpu")
        await keys.press("ctrl+s")
        await keys.type("job.yaml")
        await keys.press("enter")
        await pilot.until((tmp_path / "job.yaml").exists)
        assert keys.count <= 6


async def test_a_node_is_found() -> None:
    async with workbench_at(NORMAL) as (app, pilot):
        keys = Keys(app, pilot)
        await keys.press("escape", "slash")
        await keys.type("dunegpu03")
        await keys.press("enter")
        await pilot.done()
        cursor = app.state.cursor
        assert cursor is not None
        assert app.state.cluster.resources.node(cursor).host == "dunegpu03"
        assert keys.count <= 3


async def test_the_hosts_that_match_are_copied() -> None:
    async with workbench_at(NORMAL, requires="gpu&-debug") as (app, pilot):
        keys = Keys(app, pilot)
        await keys.press("ctrl+y", "h")
        await pilot.until(lambda: app.clipboard == "dunegpu[01-12,17-22]")
        assert keys.count <= 2


async def test_the_flux_and_the_sbatch_line_are_copied() -> None:
    async with workbench_at(NORMAL, shape="node=2/slot/core=4") as (app, pilot):
        keys = Keys(app, pilot)
        await keys.press("ctrl+y", "l")
        await pilot.until(lambda: app.clipboard.startswith("flux submit "))
        assert keys.count <= 2
        keys.count = 0
        await keys.press("ctrl+y", "b")
        await pilot.until(lambda: app.clipboard.startswith("sbatch "))
        assert keys.count <= 2


async def test_a_recent_file_is_opened(tmp_path: Path) -> None:
    recent = write_document(tmp_path / "recent.json", document(7))
    store = Chosen(tmp_path / "chosen.json")
    store.save(FILES, (recent,))
    app = FluxTUI(workbench.start(demo()))
    app.preferences.store = store
    async with running(app, NORMAL) as pilot:
        await pilot.until(lambda: app.preferences.files == (recent,))
        keys = Keys(app, pilot)
        await keys.press("ctrl+o", "enter")
        await pilot.until(lambda: app.state.cluster.resources.node_count == 7)
        assert keys.count <= 2


async def test_why_nothing_matches_is_said_and_fixed() -> None:
    async with workbench_at(NORMAL, requires="gpu&-gpu") as (app, pilot):
        keys = Keys(app, pilot)
        await pilot.until(lambda: bool(app.fixes.find(app.state)))
        assert "no node matches" in app.verdict_bar.plain
        assert app.state.ask.mask == 0
        await keys.press("ctrl+f")
        assert app.state.ask.mask
        assert keys.count <= 2


async def test_why_it_does_not_fit_is_said_and_fixed() -> None:
    async with workbench_at(NORMAL, shape="node=400/slot/core=8") as (app, pilot):
        keys = Keys(app, pilot)
        await pilot.until(lambda: app.state.outlook.fit is not None)
        await pilot.done()
        assert "needs 400 nodes" in app.verdict_bar.plain
        await keys.press("ctrl+f")
        await pilot.done()
        assert app.state.outlook.fit is not None
        assert app.state.outlook.fit.feasible
        assert keys.count <= 1


async def test_two_documents_are_compared(tmp_path: Path) -> None:
    one = write_document(tmp_path / "one.json", document(4))
    other = write_document(tmp_path / "other.json", document(5))
    async with workbench_at(NORMAL, source=one) as (app, pilot):
        app.documents.open_source(other)
        await pilot.until(lambda: len(app.state.documents) >= 2)
        await pilot.done()
        keys = Keys(app, pilot)
        await keys.press("ctrl+d", "d")
        await pilot.until(lambda: app.state.compared is not None)
        assert keys.count <= 2


async def test_the_stage_is_one_key_away() -> None:
    async with workbench_at(NORMAL) as (app, pilot):
        keys = Keys(app, pilot)
        await keys.press("f11")
        assert len(app.screen_stack) == 2
        assert keys.count <= 1
