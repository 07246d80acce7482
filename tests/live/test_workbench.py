"""The workbench on a running Flux, as it was recorded: it follows, and says what it knows."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.text import Text

from fluxtui import workbench
from fluxtui.answers.listing.lister import Key, Wanted
from fluxtui.bridge.chosen import Chosen
from fluxtui.bridge.live.connection import FLUX
from fluxtui.model.live import snapshot as snapshots
from fluxtui.opening.drafts import draft_of
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.kit.picker import Picker, search
from fluxtui.ui.launch import _where_it_was
from fluxtui.ui.nodes.map_orders import By
from fluxtui.ui.nodes.table_columns import UP
from fluxtui.workbench.documents import nothing
from tests.each import the
from tests.live.conftest import Following
from tests.ui.helpers import workbench_at
from tests.ui.maps import choose
from tests.ui.seen import messages, plain, screen_text


async def test_the_demo_is_opened_where_the_flux_of_the_environment_is_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(FLUX, "none")
    async with workbench_at(on=nothing(), notifications=True) as (app, pilot):
        app.documents.otherwise = "demo"
        app.documents.open_source("live")
        await pilot.until(lambda: app.state.cluster.resources.node_count > 0)
        assert app.state.cluster.source.builtin
        assert any("Cannot open live" in message for message in messages(app))


#: What is looked for in the palette, and what is found.
FOUND = {
    "drain": "Show drained nodes",
    "drained": "Show drained nodes",
    "undrain": "Show drained nodes",
    "snapshot": "Save a snapshot",
    "why": "Jobs",
    "pending": "Jobs",
    "live": "Jobs",
}


async def test_a_running_flux_is_opened_again_by_its_name(
    following: Following, tmp_path: Path
) -> None:
    async with following("simple-owner", "node=2") as (app, pilot):
        source, uri = app.state.cluster.source, "live:local:///gone"

        async def is_open(known_as: str) -> None:
            await pilot.until(lambda: app.state.cluster.snapshot is not None)
            assert app.state.cluster.source.path == known_as
            app.documents.close_shown()
            await pilot.settle()

        await is_open("live")
        await choose(pilot, "ctrl+p", "live")  # by the palette
        await is_open("live")
        for name, known_as in (
            ("live:ƒabc", "live:ƒabc"),
            ("local:///a/b", "live:local:///a/b"),
        ):
            await pilot.press("ctrl+o", *name)
            await pilot.until(lambda: "Nothing here" not in screen_text(app))
            await pilot.press("enter")
            await is_open(known_as)
        app.preferences.store = Chosen(tmp_path / "chosen")
        app.preferences.add_file(uri)
        await pilot.press("ctrl+o", *"live", "enter")
        await pilot.until(lambda: app.state.cluster.source == source)
        await pilot.until(lambda: app.preferences.files == ("live", uri))
        assert app.preferences.closed_files() == (uri,)
        draft = draft_of(app.state, None)
    assert _where_it_was(draft, None, None) == ("live", None, ())


def refreshed(app: FluxTUI, **changes: Any) -> None:
    """The instance goes on, with what is otherwise."""
    at = app.state.cluster
    found = replace(the(at.snapshot), **changes)
    app.edit(workbench.RefreshCluster(at, at.at(found)))
    assert app.state.cluster.snapshot is found


async def test_the_workbench_follows_a_running_flux(
    following: Following, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with following("simple-owner", "node=1/slot/core=1") as (app, pilot):
        assert app.state.cluster.resources.node_count == 40
        app.edit(workbench.MoveCursor(2))
        await pilot.settle()
        details = plain(app, "#node-details")
        assert all(word in details for word in ("▼ drained since ", ": fan broken", "offline"))
        app.go_to("fit")
        await pilot.until(lambda: "! there is room, but 3 jobs ahead" in plain(app, "#fit"))
        assert "! there is room, but 3 jobs ahead" in plain(app, "#verdicts")
        # What is placed is what it gets now: no node of which something is in use, or that is down.
        at_first, placement = the(app.state.cluster.snapshot), the(app.state.outlook.placement)
        nodes = at_first.nodes
        assert placement.mask & nodes.up == placement.mask
        # A job for which too few nodes are up has the nearest request that would start.
        usable = (nodes.up & app.state.cluster.covered("batch")).bit_count()
        app.edit(workbench.EditShape(f"node={usable + 1}/slot/core=1"))
        await pilot.until(lambda: "waits until nodes are up" in plain(app, "#fit"))
        assert app.state.outlook.placement is None
        fit = plain(app, "#fit")
        assert "ever     ✓" in fit
        assert f"up now   ✗ would start with {usable} nodes, not {usable + 1}" in fit
        app.edit(workbench.EditShape("node=1/slot/core=1"))
        await pilot.until(lambda: "there is room" in plain(app, "#fit"))
        # The map says how the nodes are, the inputs how many of them are up and free.
        counts, batch = nodes.counts(nodes.everything), app.state.cluster.covered("batch")
        own = nodes.counts(batch)
        shown = (
            f"{batch.bit_count()} in batch · {own.ever} for jobs · {own.up} up · {own.free} free"
        )
        assert plain(app, "#ask-bar .verdict").strip() == shown
        app.go_to("properties")
        words = f" {own.up} up {own.free:>2} free"
        await pilot.until(lambda: plain(app, "#properties").split("\n")[0].rstrip().endswith(words))
        legend = Text.from_markup(str(app.panes["map"].border_subtitle)).plain
        in_use, down = counts.up - counts.free, nodes.down.bit_count()
        assert f"■ {counts.free} free  ◧ {in_use} used  ✗ {down} out of service" in legend
        # Queues say how many jobs run and wait in each.
        app.go_to("queues")
        jobs = (app.state.cluster.snapshot.jobs or {}).values()
        run, wait = (
            sum(job.queue == "batch" and job.is_pending is waits for job in jobs)
            for waits in (False, True)
        )
        await pilot.until(lambda: f"{run} run, {wait} wait" in plain(app, "#queue-details"))
        # The table says it of each node, and finds and sorts by it.
        app.go_to("table")
        listed = app.views.table.part
        listed.want(Wanted(Key.of("state"), "drained"))
        await pilot.until(lambda: listed.view.row_count == nodes.mask("drained").bit_count())
        await pilot.settle()
        top = listed.view.header_rows
        lines = [listed.view.render_line(y).text for y in range(top + 1)]
        assert lines[top - 1].split()[:5] == ["rank", "host", f"state{UP}", "reason", "used"]
        assert " ".join(lines[top].split()).startswith("›✗ 2 node2 drained fan broken")
        # One of its columns is the jobs on a node.
        busy = next(job for job in (at_first.jobs or {}).values() if job.state == "RUN")
        listed.put_columns(("rank", "used-cores", "jobs"))
        listed.want(Wanted(text=f"rank:{busy.ranks.strip('[]')}"))
        await pilot.until(lambda: listed.view.row_count == busy.nodes)
        assert listed.view.render_line(top).text.split()[2:] == ["8", busy.f58]
        listed.put_columns(None)
        # And what would be drained next is listed as soon as it is.
        listed.want(Wanted(text="free"))
        first = nodes.free & -nodes.free
        refreshed(app, nodes=replace(nodes, torpid=first))
        await pilot.until(lambda: listed.view.row_count == nodes.free.bit_count() - 1)
        # So it goes on when no node is drained any more.
        refreshed(app, nodes=replace(nodes, drains=()))
        await pilot.until(lambda: listed.view.row_count > nodes.free.bit_count() - 1)
        refreshed(app, nodes=nodes)
        # Its states are commands, which list the nodes in them.
        states = {c.title: c for c in app.get_system_commands(app.screen) if "Show" in c.title}
        words = [f"Show {state} nodes" for state, mask in nodes.by_state.items() if mask]
        assert [*states] == words
        palette = list(app.commands.more())
        for words, label in FOUND.items():
            assert label in [item.label for item in search(palette, words)], words
        states["Show excluded nodes"].callback()
        await pilot.until(lambda: listed.view.row_count == 1)
        listed.want(Wanted())
        app.go_to("graph")
        await pilot.until(lambda: "node2  rank 2  drained" in screen_text(app))
        # There a state leads from node to node, after what is called so.
        await pilot.press("/", *"offline")
        await pilot.until(lambda: app.state.cursor == 5)
        await pilot.press("enter")
        await pilot.until(lambda: app.state.cursor == 6)
        await pilot.press("up")
        await pilot.until(lambda: app.state.cursor == 5)
        await pilot.press("escape")
        app.go_to("map")
        # So they are for the map, which selects the nodes.
        await choose(pilot, "/", "drai")
        assert app.state.selected == nodes.drain
        await pilot.press("/", *"torpid")
        await pilot.until(lambda: "state torpid: no node" in screen_text(app))
        await pilot.press("escape")
        # What is shown may be kept, and opens anywhere.
        app.export.save_snapshot()
        await pilot.settle()
        await pilot.fill_dialog(str(tmp_path / "kept.json"))
        await pilot.until((tmp_path / "kept.json").exists)
        kept = the(snapshots.from_text((tmp_path / "kept.json").read_text()))
        assert the(kept.value).nodes.drain == nodes.drain
        # Colours by state, and a zoom, stay as the instance goes on.
        map_pane = app.views.map
        map_pane.part.show_by("colours", By("state"))
        map_pane.part.view.action_zoom(1)
        zoom = map_pane.part.view.zoom
        await pilot.until(lambda: "▼" in str(map_pane.border_subtitle))
        refreshed(app)
        await pilot.settle()
        assert map_pane.part.view.zoom == zoom
        assert map_pane.part.view.zoomed is not None
        assert "▼" in str(map_pane.border_subtitle)
        # Without the instance the last picture stays, marked with its time.
        monkeypatch.setenv(FLUX, "none")
        the(the(app.live.watch).connection).close()
        await pilot.until(lambda: "as of " in plain(app, "#title"))
        assert app.state.cluster.resources.node_count == 40
        assert "jobs ahead, as of " in plain(app, "#verdicts")  # which is past
        # What was seen on another day says so.
        document = the(app.state.cluster.snapshot).document
        asked = dict.fromkeys(document["asked"], 86_400.0)
        refreshed(app, document={**document, "asked": asked})
        await pilot.until(lambda: "as of 1970-01-02 " in plain(app, "#title"))
        await pilot.until(lambda: "jobs ahead, as of 1970-01-02 " in plain(app, "#verdicts"))


EDITED = """\
[queues.batch]
requires = ["ssd"]
[queues.debug]
requires = ["debug"]
policy.limits.duration = "30m"
policy.limits.job-size.max.nnodes = 4
[policy.jobspec.defaults.system]
duration = "1h"
queue = "batch"
"""


async def test_an_edited_configuration_is_compared_with_the_instance_and_its_nodes_selected(
    following: Following, tmp_path: Path
) -> None:
    (tmp_path / "edited.toml").write_text(EDITED, "utf-8")
    async with following("simple-owner") as (app, pilot):
        app.documents.open_source(str(tmp_path / "edited.toml"))
        await pilot.until(lambda: len(app.state.documents) == 2)
        refreshed(app)  # the instance may go on while that is compared
        await pilot.until(lambda: isinstance(app.screen, Picker) and app.screen.is_mounted)
        assert app.state.cluster.snapshot is not None  # it is still followed
        await pilot.settle()
        # The dialog says the rest.
        assert all("edited.toml is open too" in message for message in messages(app))
        told = [f"{item.group}: {item.label} {item.detail}" for item in app.screen.found]
        left = "node[1-9,11-19,21-29] leave queue batch"
        assert f"Queues, for new jobs: {left}" in told
        assert "To apply it: flux config reload " in told
        # As the instance goes on, what is compared stays.
        compared = the(app.state.compared)
        refreshed(app)
        assert the(app.state.compared).rows is compared.rows
        # So it does as the file is edited, though the instance is in front.
        (tmp_path / "edited.toml").write_text(EDITED.replace("nnodes = 4", "nnodes = 2"), "utf-8")
        await pilot.until(
            lambda: (
                app.state.compared not in (None, compared)
                and any("nnodes 4 → 2" in row.words for row in app.state.compared.rows)
            )
        )
        assert app.state.cluster.snapshot is not None
        await pilot.press("escape", "D")
        await pilot.until(lambda: isinstance(app.screen, Picker) and app.screen.is_mounted)
        await pilot.press("enter")
        (joins,) = [row for row in app.state.compared.rows if row.words == "join queue batch"]
        await pilot.until(lambda: app.state.selected == joins.nodes == 1 << 30)
        await pilot.until(lambda: "queue debug → batch, debug" in plain(app, "#node-details"))
        app.edit(workbench.Select(0))
        await pilot.until(lambda: "28 changed" in str(app.views.map.border_subtitle))
