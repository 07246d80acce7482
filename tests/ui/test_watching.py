"""The workbench reads what is open again when it changes on the disk."""

import json
from collections.abc import Callable
from pathlib import Path

from textual import events
from textual.scrollbar import ScrollTo

from fluxtui import workbench
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.kit.entry import Entry
from fluxtui.ui.nodes.nodes_view import SelectableNodes
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    WIDE,
    Hands,
    cluster,
    document,
    messages,
    screen_text,
    workbench_at,
    write_document,
)
from tests.ui.terminal import Terminal
from tests.ui.test_table import table

LOOKS = 4  # a file has to stand still before it is read

QUEUES = "[queues.a]\n[queues.b]\n[policy]\njobspec.defaults.system.queue = 'a'\n"


async def look(app: FluxTUI, pilot: Hands, looks: int = LOOKS) -> None:
    """Look at the files as often as the clock would have it, and wait for what follows."""
    for _ in range(looks):
        app.watcher.look()
        await pilot.done()


async def open_file(app: FluxTUI, pilot: Hands, path: str) -> None:
    app.documents.open_source(path)
    await pilot.done()


def hosts(app: FluxTUI, mask: int) -> str:
    return app.state.cluster.resources.hosts_of(mask)


def named(app: FluxTUI, host: str) -> int:
    """The index of the node of this name."""
    return app.state.cluster.resources.host_index.places(host)[0]


def queues(app: FluxTUI) -> list[str]:
    config = app.state.cluster.config
    return [queue.name for queue in config.queues] if config is not None else []


def count(app: FluxTUI) -> int:
    return app.state.cluster.resources.node_count


async def test_a_document_that_changes_is_read_again(here: Path) -> None:
    path = write_document(here / "R.json", document(40, {"gpu": "0-19"}))
    async with workbench_at(NARROW, notifications=True) as (app, pilot):
        app.watcher.read_again()
        await pilot.done()
        assert messages(app)[-1].endswith(": no change")
        app.clear_notifications()
        await open_file(app, pilot, path)
        await pilot.put("gpu")
        app.edit(workbench.Select(0b1111 << 10))
        app.edit(workbench.MoveCursor(30))
        await look(app, pilot)
        assert messages(app) == []
        write_document(here / "R.json", document(42, {"gpu": "0-9"}, hosts="new[1-2],n[0-39]"))
        await look(app, pilot)
        state = app.state
        assert state.cluster.resources.node_count == 42
        assert hosts(app, state.selected) == "n[10-13]"
        assert state.cluster.resources.host(state.cursor or 0) == "n30"
        assert (state.ask.text, hosts(app, state.ask.mask)) == ("gpu", "new[1-2],n[0-7]")
        assert messages(app) == ["Reloaded R.json: 2 nodes added · 40 changed"]
        app.authoring.undo()
        assert app.state.ask.text == ""
        # Asked for, it is read at once; what is selected meanwhile counts.
        write_document(here / "R.json", document(20, hosts="n[20-39]"))
        app.edit(workbench.Select(0b1))
        app.watcher.read_again()
        app.edit(workbench.Select(sum(1 << named(app, f"n{n}") for n in (25, 26))))
        await pilot.done()
        assert count(app) == 20
        assert hosts(app, app.state.selected) == "n[25-26]"
        # Watching can be paused.
        app.watcher.toggle()
        write_document(here / "R.json", document(5))
        await look(app, pilot)
        assert count(app) == 20
        app.watcher.toggle()
        await look(app, pilot)
        assert count(app) == 5
        # Another document that is opened meanwhile stays.
        other = write_document(here / "S.json", document(7))
        write_document(here / "R.json", document(6))
        app.watcher.read_again()
        await open_file(app, pilot, other)
        assert app.state.cluster.source.name == "S.json"
        assert count(app) == 7


async def test_what_cannot_be_read_leaves_what_is_open(here: Path) -> None:
    whole = json.dumps(document(40))
    path = write_document(here / "R.json", whole)
    async with workbench_at(NARROW, notifications=True) as (app, pilot):
        await open_file(app, pilot, path)
        for text in (whole[:60], whole[:70], ""):  # half written
            write_document(here / "R.json", text)
            await look(app, pilot)
            assert count(app) == 40
        (said,) = messages(app)
        assert said.startswith("R.json cannot be read: R.json, line 1")
        write_document(here / "R.json", document(41))
        await look(app, pilot)
        assert count(app) == 41
        assert messages(app)[1:] == ["Reloaded R.json: 1 node added · 40 the same"]
        # New errors.
        app.clear_notifications()
        write_document(here / "R.json", document(40, hosts="n[0-20]"))
        await look(app, pilot)
        assert app.state.cluster.resources.ok
        assert "nodelist names 21 hosts for 40 ranks" in messages(app)[0]
        # A document that is gone, which is told once.
        app.clear_notifications()
        (here / "R.json").unlink()
        await look(app, pilot, 2 * LOOKS)
        assert messages(app) == ["R.json is gone: The nodes shown are the earlier ones"]
        assert count(app) == 41
        write_document(here / "R.json", document(39))
        await look(app, pilot)
        assert count(app) == 39


async def test_configurations_are_watched_too(here: Path) -> None:
    path = write_document(here / "R.json", document(4))
    nodes = '[[resource.config]]\nhosts = "n[0-3]"\ncores = "0-3"\n'
    config, beside, own = here / "conf.d", here / "flux.toml", here / "nodes.toml"
    config.mkdir()
    (config / "a.toml").write_text(QUEUES)
    beside.write_text(QUEUES)
    own.write_text(nodes)
    async with workbench_at(NARROW, notifications=True) as (app, pilot):
        # Beside the cluster that ships.
        await open_file(app, pilot, str(beside))
        assert queues(app) == ["a", "b"]
        beside.write_text(QUEUES + "[queues.c]\n")
        await look(app, pilot)
        assert queues(app) == ["a", "b", "c"]
        assert app.state.cluster.source.builtin
        # Beside a document.
        await open_file(app, pilot, path)
        await open_file(app, pilot, str(config))
        app.edit(workbench.ChooseQueue("b"))
        assert queues(app) == ["a", "b"]
        (config / "b.toml").write_text("[queues.c]\n")
        await look(app, pilot)
        assert queues(app) == ["a", "b", "c"]
        assert app.state.submission.queue == "b"
        assert messages(app)[-1] == "Reloaded R.json: queue c added"
        (config / "b.toml").write_text("[queues\n")
        await look(app, pilot)
        assert queues(app) == ["a", "b", "c"]
        assert "b.toml, line 1" in messages(app)[-1]
        # One that names the nodes itself.
        (config / "b.toml").unlink()
        await open_file(app, pilot, str(own))
        own.write_text(nodes.replace('"0-3"', '"0-7"'))
        await look(app, pilot)
        assert app.state.cluster.resources.whole.cores == 32
        own.write_text(nodes.replace('cores = "0-3"', ""))
        await look(app, pilot)
        assert app.state.cluster.resources.whole.cores == 32
        assert "n[0-3] have neither cores nor gpus" in messages(app)[-1]


def test_it_looks_by_itself(here: Path) -> None:
    text = '[[resource.config]]\nhosts = "n[0-7]"\ncores = "0-3"\n' + QUEUES
    (here / "conf.d").mkdir()
    (here / "conf.d" / "a.toml").write_text(text)
    with Terminal("-r", str(here / "conf.d")) as terminal:
        terminal.wait_for("conf.d", "8 nodes", "queue a (default)")
        (here / "conf.d" / "a.toml").write_text(text.replace("n[0-7]", "n[0-8]"))
        terminal.wait_for("9 nodes")
        terminal.send("\x11")
        assert terminal.wait_for_exit() == 0


# The views where they were: when what is open is read again, and at another size


async def test_the_views_stay_where_they_were(here: Path) -> None:
    names = [f"r{row}n[0-9]" for row in range(200)]
    path = write_document(here / "R.json", document(2000, hosts=",".join(names)))
    async with workbench_at(NORMAL) as (app, pilot):
        await open_file(app, pilot, path)
        view = app.views.map.view
        view.focus()
        await pilot.press(*["plus"] * 6)
        zoom = view.zoom
        view.scroll_to(y=30, animate=False)
        await pilot.settle()
        top = view.first_of(view.scroll_offset.y)
        assert top
        first = app.state.cluster.resources.host(top)
        more = ",".join(["x[0-9]", "y[0-9]", *names])
        write_document(here / "R.json", document(2020, hosts=more))
        app.watcher.read_again()
        await pilot.done()
        top = view.first_of(view.scroll_offset.y)
        assert top is not None
        assert app.state.cluster.resources.node_count == 2020
        assert view.zoom == zoom
        assert top == named(app, first)
        for _ in range(2):  # the size may change frames later: a scroll bar, a line of the pane
            await pilot.resize_terminal(NORMAL[0], NORMAL[1] - 6)
            await pilot.resize_terminal(*NORMAL)
            await pilot.settle()
            assert view.first_of(view.scroll_offset.y) == top
        await pilot.press("down")
        assert view.scroll_offset.y == view.row_of(app.state.cursor or 0)


async def test_a_view_that_shows_another_document_still_is_left_alone(here: Path) -> None:
    path = write_document(here / "R.json", document(40))
    async with workbench_at(NARROW, on=cluster(5000)) as (app, pilot):
        for view in ("map", "table"):
            app.go_to(view)
            await pilot.press("end")
        app.go_to("node")
        await open_file(app, pilot, path)
        await look(app, pilot)
        write_document(here / "R.json", document(41))
        await look(app, pilot)
        assert count(app) == 41
        for view in ("map", "table"):
            app.go_to(view)
            await pilot.settle()
            assert app.views.view.row_count == 41 or view == "map"


def _wheel(view: SelectableNodes) -> None:
    x, y = view.region.offset.x + 5, view.region.offset.y + 8
    wheel = events.MouseScrollDown(view, x, y, 0, 0, 0, False, False, False, x, y)
    view.app.post_message(wheel)


SCROLLS: tuple[Callable[[SelectableNodes], object], ...] = (
    _wheel,
    lambda view: view.vertical_scrollbar.post_message(ScrollTo(y=60.0, animate=False)),
    lambda view: view.vertical_scrollbar.action_scroll_up(),
    lambda view: view.vertical_scrollbar.action_scroll_down(),
)


async def test_the_node_on_top_stays_there_until_a_person_scrolls() -> None:
    names = ",".join(f"r{number}n[0-9]" for number in range(200))
    async with workbench_at(NORMAL, on=cluster(2000, hosts=names)) as (app, pilot):
        view = app.views.map.view
        app.go_to("map")
        await pilot.press(*["plus"] * 6)
        await pilot.settle()
        for row, width in ((30, NARROW[0]), (120, NARROW[0]), (30, WIDE[0]), (120, WIDE[0])):
            top = view.first_of(row)
            assert top
            view.keep_on_top(top)
            await pilot.settle()
            assert view.scroll_offset.y == row
            for size in ((width, NORMAL[1]), NORMAL):
                await pilot.resize_terminal(*size)
                await pilot.settle()
                assert view.scroll_offset.y == min(view.row_of(top) or 0, view.max_scroll_y)
            assert view.scroll_offset.y == row
        for scrolls in SCROLLS:
            view.keep_on_top(view.first_of(90))
            await pilot.settle()
            assert view.scroll_offset.y == 90
            scrolls(view)
            await pilot.until(lambda: view.scroll_offset.y != 90)
            await pilot.resize_terminal(NORMAL[0], NORMAL[1] - 6)
            await pilot.until(lambda: view.scroll_offset.y == 0)  # where the cursor is
            await pilot.resize_terminal(*NORMAL)
            await pilot.settle()


async def test_the_table_stays_filtered(here: Path) -> None:
    path = write_document(here / "R.json", document(200))
    async with workbench_at(NORMAL) as (app, pilot):
        await open_file(app, pilot, path)
        part = await table(app, pilot)
        await pilot.press("/", *"5-60", "enter")
        await pilot.done()
        assert part.table.row_count == 56
        write_document(here / "R.json", document(300))
        app.watcher.read_again()
        await pilot.done()
        assert part.table.row_count == 56
        assert "ranks 5-60   56 of 300 nodes   esc clears the filter" in screen_text(app)
        await pilot.press("/")
        entry = app.query_one("#table-filter-entry", Entry)
        assert entry.value == "5-60"
        write_document(here / "R.json", document(400))
        app.watcher.read_again()  # while one types
        await pilot.done()
        assert app.focused is entry
        assert "56 of 400 nodes" in screen_text(app)
        write_document(here / "R.json", document(40))
        app.watcher.read_again()
        await pilot.done()
        assert part.wanted.text == "5-60"
        assert part.table.row_count == 35
        # Also where it is out of sight meanwhile.
        app.go_to("map")
        await pilot.settle()
        write_document(here / "R.json", document(50))
        app.watcher.read_again()
        await pilot.done()
        app.go_to("table")
        await pilot.done()
        assert part.wanted.text == "5-60"
        assert part.table.row_count == 45
        await pilot.press("escape")
        await pilot.done()
        assert part.table.row_count == 50
        assert "Filter 5-60" not in screen_text(app)
