"""The workbench reads what is open again when it changes on the disk."""

import json
from collections.abc import Callable
from pathlib import Path

from textual import events
from textual.scrollbar import ScrollTo

from fluxtui import workbench
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.nodes.nodes_view import SelectableNodes
from tests.ui.documents import cluster, document, mask_of, write_document
from tests.ui.helpers import NARROW, NORMAL, WIDE, Hands, workbench_at
from tests.ui.seen import messages, screen_text
from tests.ui.terminal import Terminal
from tests.ui.test_table import table

LOOKS = 4  # a file has to stand still before it is read

QUEUES = "[queues.a]\n[queues.b]\n[policy]\njobspec.defaults.system.queue = 'a'\n"


class Watched:
    """An R document that the workbench has open, and how often it is looked at."""

    def __init__(self, here: Path, app: FluxTUI, pilot: Hands) -> None:
        self.file, self.app, self.pilot = here / "R.json", app, pilot

    async def open(self, content: object) -> None:
        await self.pilot.open(write_document(self.file, content))

    async def look(self, looks: int = LOOKS) -> None:
        """Look at the files as often as the clock would have it, and wait for what follows."""
        for _ in range(looks):
            self.app.watcher.look()
            await self.pilot.done()

    async def read_again(self) -> None:
        self.app.watcher.read_again()
        await self.pilot.done()

    async def becomes(self, content: object, *, asked: bool = False) -> int:
        """Write it anew; how many nodes are open once it was noticed, or was read as asked for."""
        write_document(self.file, content)
        await (self.read_again() if asked else self.look())
        return self.app.state.cluster.resources.node_count


def hosts(app: FluxTUI, mask: int) -> str:
    return app.state.cluster.resources.hosts_of(mask)


def named(app: FluxTUI, host: str) -> int:
    return app.state.cluster.resources.host_index.places(host)[0]


async def test_a_document_that_changes_is_read_again(here: Path) -> None:
    async with workbench_at(NARROW, notifications=True) as (app, pilot):
        watched = Watched(here, app, pilot)
        await watched.read_again()
        assert messages(app)[-1].endswith(": no change")
        app.messages.clear()
        await watched.open(document(40, {"gpu": "0-19"}))
        await pilot.put("gpu")
        app.edit(workbench.Select(0b1111 << 10))
        await watched.look()
        assert messages(app) == []
        assert await watched.becomes(document(42, {"gpu": "0-9"}, hosts="new[1-2],n[0-39]")) == 42
        assert hosts(app, app.state.selected) == "n[10-13]"
        assert hosts(app, app.state.ask.mask) == "new[1-2],n[0-7]"
        assert messages(app) == ["Reloaded R.json: 2 nodes added · 40 changed"]
        # Asked for, it is read at once; what is selected meanwhile counts.
        write_document(watched.file, document(20, hosts="n[20-39]"))
        app.edit(workbench.Select(0b1))
        app.watcher.read_again()
        app.edit(workbench.Select(mask_of(named(app, "n25"), named(app, "n26"))))
        await pilot.done()
        assert app.state.cluster.resources.node_count == 20
        assert hosts(app, app.state.selected) == "n[25-26]"
        # Watching can be paused.
        for nodes in (20, 5):
            app.watcher.toggle()
            assert await watched.becomes(document(5)) == nodes
        # Another document that is opened meanwhile stays.
        other = write_document(here / "S.json", document(7))
        write_document(watched.file, document(6))
        app.watcher.read_again()
        await pilot.open(other)
        assert app.state.cluster.source.name == "S.json"


async def test_what_cannot_be_read_leaves_what_is_open(here: Path) -> None:
    whole = json.dumps(document(40))
    async with workbench_at(NARROW, notifications=True) as (app, pilot):
        watched = Watched(here, app, pilot)
        await watched.open(whole)
        for text in (whole[:60], whole[:70], ""):  # half written
            assert await watched.becomes(text) == 40
        (said,) = messages(app)
        assert said.startswith("R.json cannot be read: R.json, line 1")
        assert await watched.becomes(document(41)) == 41
        assert messages(app)[1:] == ["Reloaded R.json: 1 node added · 40 the same"]
        # New errors.
        app.messages.clear()
        await watched.becomes(document(40, hosts="n[0-20]"))
        assert app.state.cluster.resources.ok
        assert "nodelist names 21 hosts for 40 ranks" in messages(app)[0]
        # A document that is gone, which is told once.
        app.messages.clear()
        watched.file.unlink()
        await watched.look(2 * LOOKS)
        assert messages(app) == ["R.json is gone: The nodes shown are the earlier ones"]
        assert app.state.cluster.resources.node_count == 41
        assert await watched.becomes(document(39)) == 39


async def test_configurations_are_watched_too(here: Path) -> None:
    nodes = '[[resource.config]]\nhosts = "n[0-3]"\ncores = "0-3"\n'
    config, beside, own = here / "conf.d", here / "flux.toml", here / "nodes.toml"
    config.mkdir()
    (config / "a.toml").write_text(QUEUES)
    beside.write_text(QUEUES)
    own.write_text(nodes)
    async with workbench_at(NARROW, notifications=True) as (app, pilot):
        watched = Watched(here, app, pilot)

        async def known(file: Path, text: str) -> str:
            """The queues once a file of the configuration holds something else."""
            file.write_text(text)
            await watched.look()
            return " ".join(queue.name for queue in app.state.cluster.config.queues)

        # Beside the cluster that ships.
        await pilot.open(beside)
        assert await known(beside, QUEUES + "[queues.c]\n") == "a b c"
        assert app.state.cluster.source.builtin
        # Beside a document.
        await watched.open(document(4))
        await pilot.open(config)
        app.edit(workbench.ChooseQueue("b"))
        assert await known(config / "b.toml", "[queues.c]\n") == "a b c"
        assert app.state.submission.queue == "b"
        assert messages(app)[-1] == "Reloaded R.json: queue c added"
        assert await known(config / "b.toml", "[queues\n") == "a b c"
        assert "b.toml, line 1" in messages(app)[-1]
        # One that names the nodes itself.
        (config / "b.toml").unlink()
        await pilot.open(own)
        for text in (nodes.replace('"0-3"', '"0-7"'), nodes.replace('cores = "0-3"', "")):
            await known(own, text)
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
        terminal.quit()


async def test_the_views_stay_where_they_were(here: Path) -> None:
    names = [f"r{row}n[0-9]" for row in range(200)]
    async with workbench_at(NORMAL) as (app, pilot):
        watched, view = Watched(here, app, pilot), app.views.map.view
        await watched.open(document(2000, hosts=",".join(names)))
        view.focus()
        await pilot.press(*["plus"] * 6)
        zoom = view.zoom
        view.scroll_to(y=30, animate=False)
        await pilot.settle()
        top = view.first_of(view.scroll_offset.y)
        assert top
        first = app.state.cluster.resources.host(top)
        more = ",".join(["x[0-9]", "y[0-9]", *names])
        assert await watched.becomes(document(2020, hosts=more), asked=True) == 2020
        top = view.first_of(view.scroll_offset.y)
        assert (view.zoom, top) == (zoom, named(app, first))
        for _ in range(2):  # the size may change frames later: a scroll bar, a line of the pane
            await pilot.resize_terminal(NORMAL[0], NORMAL[1] - 6)
            await pilot.resize_terminal(*NORMAL)
            assert view.first_of(view.scroll_offset.y) == top
        await pilot.press("down")
        assert view.scroll_offset.y == view.row_of(app.state.cursor)
        # A view that shows another document still is left alone.
        await pilot.afresh(size=NARROW, on=cluster(5000))
        for name in ("map", "table"):
            await pilot.go(name, "end")
        app.go_to("node")
        await watched.open(document(40))
        assert await watched.becomes(document(41), asked=True) == 41
        for name in ("map", "table"):
            await pilot.go(name)
        assert app.views.view.row_count == 41


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
        for row, width in ((30, NARROW[0]), (120, NARROW[0]), (30, WIDE[0]), (120, WIDE[0])):
            top = view.first_of(row)
            assert top
            view.keep_on_top(top)
            await pilot.settle()
            assert view.scroll_offset.y == row
            for size in ((width, NORMAL[1]), NORMAL):
                await pilot.resize_terminal(*size)
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


async def test_the_table_stays_filtered(here: Path) -> None:
    async with workbench_at(NORMAL) as (app, pilot):
        watched = Watched(here, app, pilot)

        async def listed(nodes: int) -> int:
            """How many rows there are once the document has so many nodes."""
            await watched.becomes(document(nodes), asked=True)
            assert part.wanted.text == "5-60"
            return part.view.row_count

        await watched.open(document(200))
        part = await table(app, pilot)
        await pilot.do("/", *"5-60", "enter")
        assert await listed(300) == 56
        assert "ranks 5-60   56 of 300 nodes   esc clears the filter" in screen_text(app)
        await pilot.press("/")
        assert await listed(40) == 35  # while one types
        assert app.focused is app.query_one("#table-filter-entry")
        # Also where it is out of sight meanwhile.
        await pilot.go("map")
        await listed(50)
        app.go_to("table")
        await pilot.done()
        assert (part.wanted.text, part.view.row_count) == ("5-60", 45)
