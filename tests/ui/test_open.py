"""Opening: by the dialog, at the start, several at once; what is said, and how it is stopped."""

import json
import os
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest
from textual.widgets import Input

from fluxtui.bridge.chosen import Chosen
from fluxtui.model.cancellation import Stopped
from fluxtui.model.documents.document import dump
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.session.dialogs import OpenDialog
from fluxtui.ui.session.documents import Progress
from tests import big
from tests.ui.documents import cluster, demo, document, job, write_document
from tests.ui.helpers import NARROW, NORMAL, SHAPE, SIZES, Hands, running, workbench_at
from tests.ui.seen import lacking, messages, plain, row_of, screen_text

JOB = job("node=2/slot/core=4", "a", "b", queue="batch")
YAML = "# mine\n" + dump(JOB)


async def open_by_keys(pilot: Hands, path: str) -> None:
    await pilot.press("ctrl+o")
    await pilot.fill_dialog(path)


def dialog(app: FluxTUI) -> OpenDialog:
    assert isinstance(app.screen, OpenDialog)
    return app.screen


# The dialog


async def test_the_dialog_lists_narrows_and_goes_into_folders(here: Path) -> None:
    (here / "site").mkdir()
    write_document(here / "site" / "big.json", document(4))
    for name in ("zoo.yaml", "notes.txt", "[b]bold.json", "beta.json"):
        write_document(here / name, document(2))
    async with workbench_at(NARROW, shape=SHAPE, requires="gpu") as (app, pilot):
        await pilot.do("ctrl+o")
        # Documents of a kind come first.
        listed = ["site/", "[b]bold.json", "beta.json", "zoo.yaml", "notes.txt"]
        for typed, found in (("be", ["beta.json"]), ("[b", ["[b]bold.json"]), ("", listed)):
            await pilot.put(typed, "Input")
            await pilot.done()
            assert dialog(app).labels[:5] == found
        # A folder is entered by enter and by a click, and so is a file opened.
        await pilot.click("#picker-rows", offset=(3, 1))  # below the heading
        await pilot.done()
        assert dialog(app).query_one(Input).value == "site/"
        await pilot.put("", "Input")
        await pilot.fill_dialog("site")
        assert dialog(app).labels == ["big.json"]
        await pilot.click("#picker-rows", offset=(3, 0))
        await pilot.done()
        assert app.state.cluster.source.name == "big.json"
        assert (app.state.build.text, app.state.ask.text) == (SHAPE, "gpu")
        await open_by_keys(pilot, "demo")
        assert app.state.cluster.source.builtin
        # Why a file cannot be opened is seen at each size.
        for size in (*SIZES, (50, 14), (40, 10)):
            await pilot.resize_terminal(*size)
            await open_by_keys(pilot, "/nonexist")
            said = " ".join(screen_text(app).replace("│", " ").split())
            assert "Cannot open that: No such file or directory." in said
            await pilot.press("escape")


async def test_a_recent_file_is_opened_again_by_two_keys(here: Path) -> None:
    (here / "deep").mkdir()
    paths = [write_document(here / "deep" / f"{n}.json", document(n)) for n in (3, 4)]
    paths.append(str(here / "job.yaml"))
    async with workbench_at(NARROW) as (app, pilot):
        app.preferences.store = Chosen(here / ".chosen")
        await pilot.open(*paths[:2])
        await pilot.put("node=7/slot/core", "#shape-input")
        await pilot.press("ctrl+s")
        await pilot.fill_dialog("job.yaml")
        # What is open is not offered.
        assert app.preferences.closed_files() == ()
        app.documents.close_shown()
        await pilot.settle()
        assert app.preferences.closed_files() == (paths[1],)
    app = FluxTUI()
    app.preferences.store = Chosen(here / ".chosen")
    async with running(app, NARROW) as pilot:
        await pilot.done()
        assert app.preferences.closed_files() == (paths[2], paths[1], paths[0])
        for shape, nodes in (("node=7/slot/core", 196), ("node=7/slot/core", 4)):
            await pilot.burst("ctrl+o", "enter")
            await pilot.done()
            assert (app.state.build.text, app.state.cluster.resources.node_count) == (shape, nodes)


# What is opened


async def test_configurations(here: Path) -> None:
    (here / "conf.d").mkdir()
    for name, content in {
        "flux.toml": '[queues.mine]\nrequires = ["gpu"]\n',
        "R.json": document(9, {"gpu": "0-1"}),
        "conf.d/a.toml": "[queues.a]\n",
        "conf.d/b.toml": "[queues.b]\n",
    }.items():
        write_document(here / name, content)
    async with workbench_at(NARROW, on=cluster(4, {"gpu": "0-2"}), shape="node") as (app, pilot):
        for name, nodes, mine in (("flux.toml", 4, 0b111), ("R.json", 9, 0b11)):
            await open_by_keys(pilot, name)
            assert app.state.cluster.resources.node_count == nodes
            assert app.state.cluster.coverage == {"mine": mine}
            assert name != "flux.toml" or "1 queue for test" in messages(app)[-1]
        # A folder of them, or one of its files.
        for keys, queues in ((("enter",), ["a", "b"]), (("down", "down", "enter"), ["b"])):
            await open_by_keys(pilot, "conf.d")
            assert app.screen.query_one(Input).value == "conf.d/"
            await pilot.until(lambda: dialog(app).labels == ["*.toml", "a.toml", "b.toml"])
            await pilot.do(*keys)
            assert [queue.name for queue in app.state.cluster.config.queues] == queues


async def test_what_cannot_be_opened_becomes_a_message(here: Path) -> None:
    async with workbench_at(NARROW, shape=SHAPE, requires="gpu&") as (app, pilot):
        for number, content in enumerate((None, b"", b"not json", b"\xff", b'{"a": ' * 3000)):
            if content is not None:
                (here / f"R{number}.json").write_bytes(content)
            await pilot.open(f"R{number}.json")
            assert app.state.cluster.source == demo().source
            assert (app.state.build.text, app.state.ask.text) == (SHAPE, "gpu&")
            said = messages(app)[-1]
            assert said.startswith("Cannot open")
            assert said.count(f"R{number}.json") == 1
        # One with faults opens, and says them.
        await pilot.open(write_document(here / "R.json", document(4, {"a|b": "0", "gpu": "9"})))
        assert app.state.cluster.resources.node_count == 4
        await pilot.go("node")
        words = " ".join(one.message for one in app.state.cluster.resources.problems).split()
        assert words
        assert not lacking(plain(app, "#node-details"), *words)


async def test_several_at_the_start(here: Path) -> None:
    contents = {
        "wrong.json": '{"version": 1, "execution": {"R_lite": 5}}',
        "a.json": document(6),
        "job.yaml": YAML,
        "b.json": document(5),
        "flux.toml": "[queues.batch]\n",
    }
    async with workbench_at(NARROW) as (app, pilot):
        names = [write_document(here / n, c) for n, c in contents.items()]
        app.documents.open_source(*names)
        await pilot.done()
        assert plain(app, "#title").startswith("fluxtui  a.json 1/2")  # the first one with nodes
        told = "b.json is open too: in a pane ] goes there"
        assert any(told in message for message in messages(app))
        assert app.state.cluster.has_queue("batch")
        assert app.state.jobspec() == JOB


# What takes long: how far it is, and escape


class Pipe:
    """A named pipe that gives an R document of 60 nodes with a large graph: a part of it, and the
    rest when it may go on.
    """

    def __init__(self, here: Path) -> None:
        self.path = str(here / "slow")
        os.mkfifo(self.path)
        self.goes_on, self.broke = threading.Event(), threading.Event()
        data = "".join(big.with_graph(60, 3, cores=250)).encode()

        def write() -> None:
            with open(self.path, "wb") as end:
                end.write(data[:1_200_000])
                end.flush()
                self.goes_on.wait(20)
                try:
                    end.write(data[1_200_000:])
                except BrokenPipeError:
                    self.broke.set()  # nobody reads it any more

        threading.Thread(target=write, daemon=True).start()


async def test_how_far_it_is_and_escape(here: Path) -> None:
    pipe, far = Pipe(here), "slow … 1 MB · esc stops"
    async with workbench_at(NORMAL, source=pipe.path) as (app, pilot):
        await pilot.until(lambda: far in plain(app, "#title"))
        await pilot.put("gpu")  # the workbench goes on meanwhile
        assert app.state.ask.totals.nodes == 24
        assert far in plain(app, "#title")  # what is typed does not hide it
        await pilot.do("escape")
        assert "reading" not in plain(app, "#title")
        assert app.state.cluster.source == demo().source
        assert app.focused is app.ask_bar.entry
        pipe.goes_on.set()
        await pilot.until(pipe.broke.is_set)  # the thread has ended, and let go of the file


async def test_where_there_is_no_node_yet_it_is_said_in_the_map(here: Path) -> None:
    pipe = Pipe(here)
    async with workbench_at(NORMAL, on=cluster(0), source=pipe.path) as (app, pilot):
        await pilot.until(lambda: "1 MB" in screen_text(app))
        assert "Reading slow …" in screen_text(app)
        await pilot.burst(*"node=2", "tab", *"host:n[1-2]")
        assert sys.getswitchinterval() < 0.001  # a key waits no longer for its turn
        pipe.goes_on.set()
        await pilot.done()
        found = app.state.cluster
        assert (found.resources.node_count, found.resources.problems) == (60, ())
        assert found.graph.types.count("core") > 5000
        assert (app.state.build.text, app.state.ask.text) == ("node=2", "host:n[1-2]")


async def test_the_last_document_asked_for_is_the_one_that_opens(here: Path) -> None:
    fifo = here / ("f" * 90)
    os.mkfifo(fifo)
    path = write_document(here / "R.json", document(5))
    async with workbench_at(NARROW, source=str(fifo)) as (app, pilot):
        # A long name leaves room for how to stop.
        await pilot.until(lambda: "esc stops" in screen_text(app).splitlines()[0])
        app.documents.open_source(path)
        await pilot.settle()
        with suppress(OSError):  # nobody reads the first one any more
            os.write(os.open(fifo, os.O_WRONLY | os.O_NONBLOCK), json.dumps(document(9)).encode())
        await pilot.done()
        assert app.state.cluster.source.name == "R.json"


def test_words_of_progress() -> None:
    progress = Progress("~/clusters/R\x1b.json")
    assert progress.title == "R\\x1b.json …"
    for done, whole, words in (
        (50_000, 100_000, ""),
        (90_300_000, 210_000_000, "43 % of 210 MB"),
        (210_000_000, 210_000_000, "210 MB, building nodes"),
    ):
        progress.update(done, whole)
        assert progress.words == words
        assert not words or progress.title == f"R\\x1b.json … {words} ·"
    progress.update(12_000_000, 0)
    assert progress.lines == ("Reading R\\x1b.json …", "12 MB", "", "esc stops.")
    progress.is_wanted = False
    with pytest.raises(Stopped):
        progress.update(1, 2)


# Several documents open at once: the title, the list, going there, closing


@pytest.fixture
def files(here: Path) -> list[str]:
    return [
        write_document(here / f"{name}.json", document(nodes, {"gpu": "0-1"}))
        for name, nodes in (("a", 8), ("b", 12), ("c", 4))
    ]


async def test_the_title_tells_whole_facts(here: Path) -> None:
    async with workbench_at(NARROW) as (app, pilot):
        # It cuts no name at what parts them.
        for width, facts in ((120, "160 gpus"), (80, "196 nodes"), (70, "(built in)"), (40, "c…")):
            await pilot.resize_terminal(width, 24)
            told = row_of(app, "#title").rpartition("queue batch")[0].rstrip()
            assert told.endswith(f" {facts}")
        await pilot.resize_terminal(*NARROW)
        name = f"a · b   {'c' * 40}.json"
        await pilot.open(write_document(here / name, document(4)))
        assert name in row_of(app, "#title")
        await pilot.resize_terminal(50, 24)
        assert not lacking(row_of(app, "#title"), f"a · b   {'c' * 20}", "c…")
        # Numbers of two digits, in the list of what is open.
        await pilot.open(*(write_document(here / f"{n}.json", document(n + 1)) for n in range(12)))
        await pilot.go("map")
        await pilot.steps(lambda: app.state.place, ("ctrl+d 3", 2), ("ctrl+d 1 2", 11))


async def test_a_job_keeps_its_queue_on_clusters_that_do_not_have_it(
    files: list[str], here: Path
) -> None:
    text = YAML.replace("queue: batch", "queue: gpu")
    job, queues = here / "job.yaml", here / "site.toml"
    job.write_text(text)
    queues.write_text("[queues.batch]\n")
    async with workbench_at() as (app, pilot):
        await pilot.open(job, *files[:2])
        assert "queue gpu (unknown here)" in row_of(app, "#title")
        await pilot.open(queues)
        assert "queue gpu is not configured" in screen_text(app)
        await pilot.press("f11", "escape")  # the stage, and back
        await pilot.press("ctrl+z")
        assert app.state.submission.queue == "gpu"
        await pilot.press("ctrl+s", "enter")
        await pilot.until(lambda: any("Saved" in one for one in messages(app)))
    assert job.read_text() == text
