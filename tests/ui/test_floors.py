"""The files of the interface: the floors they make, and how many of them a key goes through."""

import sys
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from types import FrameType

import grimp
import pytest
from textual.pilot import Pilot

import fluxtui.ui
from fluxtui.ui.live import jobs
from fluxtui.ui.session import watching
from tests.ui.helpers import NARROW, NORMAL, workbench_at

UI = "fluxtui.ui"
MOST = 9


def test_the_interface_has_few_floors() -> None:
    """Each file is above all that it imports, for a type too."""
    graph = grimp.build_graph("fluxtui")
    imported = {
        file: {name for name in graph.find_modules_directly_imported_by(file) if f"{UI}." in name}
        for file in graph.find_descendants(UI)
    }
    tuple(TopologicalSorter(imported).static_order())  # fails where there is a circle

    @cache
    def floor(file: str) -> int:
        return 1 + max(map(floor, imported[file]), default=0)

    assert max(map(floor, imported)) <= MOST


@pytest.mark.parametrize(("size", "most"), [(NARROW, 23), (NORMAL, 25)])
async def test_few_files_are_between_a_key_and_its_frame(
    size: tuple[int, int], most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for clock, name in ((watching, "SECONDS"), (jobs, "TICK")):  # none of them comes meanwhile
        monkeypatch.setattr(clock, name, 1e6)
    folder, called = Path(fluxtui.ui.__file__).parent, set()

    def note(frame: FrameType, event: str, argument: object) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(folder):
            called.add(str(path.relative_to(folder)))

    async with workbench_at(size, painted=True) as (app, pilot):
        app.ask_bar.entry.focus()
        await pilot.do(*"gpu&-debu")
        sys.setprofile(note)
        try:
            await Pilot.press(pilot, "g")  # not until all is done that follows from it
        finally:
            sys.setprofile(None)
        assert app.state.ask.text == "gpu&-debug"
    assert {"core.py", "kit/entry.py", "nodes/node_map.py"} <= called
    assert len(called) <= most, " ".join(sorted(called))
