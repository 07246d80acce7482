"""The workbench on a running Flux, as it was recorded: it follows, and says what it knows."""

from pathlib import Path

import pytest

from fluxtui import workbench
from fluxtui.bridge.live.connection import FLUX
from fluxtui.opening import live
from tests.live.conversation import RECORDINGS, stand_in
from tests.ui.helpers import plain, workbench_at


async def test_the_workbench_follows_a_running_flux(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FLUX, stand_in(tmp_path, "play", RECORDINGS / "simple-owner.jsonl"))
    cluster, problems = live.open_live("live")
    assert cluster is not None, problems
    async with workbench_at(on=cluster, shape="node=1/slot/core=1") as (app, pilot):
        await pilot.until(lambda: "● live" in plain(app, "#title"))
        # Once it follows, the picture is one that the instance gave since.
        await pilot.until(lambda: app.state.cluster is not cluster)
        assert app.state.cluster.resources.node_count == 40
        app.edit(workbench.MoveCursor(2))
        await pilot.settle()
        details = plain(app, "#node-details")
        assert "drained since " in details
        assert ": fan broken" in details
        assert "offline" in details
        app.go_to("fit")
        await pilot.until(lambda: "starts now" in plain(app, "#fit"))
        # Without the instance the last picture stays, marked with its time.
        assert app.live.watch is not None
        monkeypatch.setenv(FLUX, str(tmp_path / "none"))
        app.live.watch.connection.close()
        await pilot.until(lambda: "as of " in plain(app, "#title"))
        assert app.state.cluster.resources.node_count == 40
