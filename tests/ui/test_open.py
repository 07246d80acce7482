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
from fluxtui.model.jobspec import jobspec
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import to_resources
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.job.text import TextPane
from fluxtui.ui.kit.picker import Picker
from fluxtui.ui.session.dialogs import OpenDialog
from fluxtui.ui.session.documents import Progress
from fluxtui.workbench import EditRequires
from tests import big
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    SHAPE,
    SIZES,
    WIDE,
    Hands,
    cluster,
    demo,
    document,
    messages,
    plain,
    row_of,
    screen_text,
    shown,
    workbench_at,
    write_document,
)

JOB = jobspec.build(to_resources(parse_shape("node=2/slot/core=4")), ["a", "b"], queue="batch")

YAML = "# mine\n" + dump(JOB)


async def open_by_keys(pilot: Hands, path: str) -> None:
    """Open a path in the dialog."""
    await pilot.press("ctrl+o")
    await pilot.fill_dialog(path)
    await pilot.done()


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
        await pilot.press("ctrl+o")
        await pilot.done()
        # Documents of a kind come first.
        assert dialog(app).labels[:5] == [
            *("site/", "[b]bold.json", "beta.json", "zoo.yaml", "notes.txt"),
        ]
        for typed, found in (("be", ["beta.json"]), ("[b", ["[b]bold.json"])):
            await pilot.put(typed, "Input")
            await pilot.done()
            assert dialog(app).labels == found
        await pilot.fill_dialog("site")
        await pilot.done()
        assert app.screen.query_one(Input).value == "site/"
        assert dialog(app).labels == ["big.json"]
        await pilot.click("#picker-rows", offset=(3, 0))
        await pilot.done()
        assert app.state.cluster.source.name == "big.json"
        await open_by_keys(pilot, "beta.json")
        assert "beta.json" in plain(app, "#title")
        assert (app.state.build.text, app.state.ask.text) == (SHAPE, "gpu")
        await open_by_keys(pilot, "demo")
        assert app.state.cluster.source.builtin


async def test_a_recent_file_is_opened_again_by_two_keys(here: Path) -> None:
    (here / "deep").mkdir()
    paths = [write_document(here / "deep" / f"{n}.json", document(n)) for n in (3, 4)]
    paths.append(str(here / "job.yaml"))
    async with workbench_at(NARROW) as (app, pilot):
        app.preferences.store = Chosen(here / ".chosen")
        for path in paths[:2]:
            app.documents.open_source(path)
            await pilot.done()
        await pilot.put("node=7/slot/core", "#shape-input")
        await pilot.press("ctrl+s")
        await pilot.fill_dialog("job.yaml")
        await pilot.done()
        # What is open is not offered.
        assert app.preferences.closed_files() == ()
        app.documents.close_shown()
        await pilot.settle()
        assert app.preferences.closed_files() == (paths[1],)
    app = FluxTUI()
    app.preferences.store = Chosen(here / ".chosen")
    async with app.run_test(size=NARROW):
        hands = Hands(app)
        await hands.done()
        assert app.preferences.closed_files() == (paths[2], paths[1], paths[0])
        await hands.burst("ctrl+o", "enter")
        await hands.done()
        assert app.state.build.text == "node=7/slot/core"
        await hands.burst("ctrl+o", "enter")
        await hands.done()
        assert app.state.cluster.resources.node_count == 4


async def test_why_a_file_cannot_be_opened_is_seen_at_each_size() -> None:
    async with workbench_at(NARROW) as (app, pilot):
        for size in (*SIZES, (50, 14), (40, 10)):
            await pilot.resize_terminal(*size)
            await open_by_keys(pilot, "/nonexist")
            said = " ".join(screen_text(app).replace("│", " ").split())
            assert "Cannot open that: No such file or directory." in said
            assert app.screen.query_one(Input).value == "/nonexist"
            await pilot.press("escape")


# What is opened


async def test_jobspecs(here: Path) -> None:
    write_document(here / "job", YAML)
    faulty = {"resources": [{"count": 1}], "tasks": []}
    write_document(here / "faulty.json", faulty)
    write_document(here / "broken.yaml", YAML.replace("- a", "- [a"))
    write_document(here / "broken.json", json.dumps(JOB)[:-1])
    write_document(here / "job.sh", "#!/bin/sh\n#SBATCH -N 3\n#SBATCH --bogus\nsrun ./app\n")
    async with workbench_at(NARROW, shape=SHAPE, requires="gpu") as (app, pilot):
        await open_by_keys(pilot, "job")
        assert app.state.jobspec() == JOB
        assert (app.state.build.text, app.state.ask.text) == ("node=2/slot/core=4", "")
        assert app.state.submission.queue == "batch"
        assert app.state.cluster.source == demo().source
        assert app.saving.file is not None
        assert not app.saving.unsaved
        await pilot.press("ctrl+z")
        assert (app.state.build.text, app.state.ask.text) == (SHAPE, "gpu")
        assert app.saving.file is None
        await pilot.press("ctrl+r")
        assert app.state.jobspec() == JOB
        assert app.saving.file is not None
        await open_by_keys(pilot, "faulty.json")  # it opens, and its faults are said
        assert app.state.jobspec() == faulty
        assert "a resource needs a type" in messages(app)[-1]
        await open_by_keys(pilot, "job.sh")
        assert app.state.build.text.startswith("node=3")
        assert app.saving.file is None
        assert any("sbatch script" in message for message in messages(app))
        assert any("job.sh, line 3" in message for message in messages(app))
        # A text that cannot be read is brought to be mended, in its own form.
        for form in ("yaml", "json"):
            await open_by_keys(pilot, f"broken.{form}")
            assert app.state.job.raw is not None
            assert f"broken.{form} cannot be read; fix it here: " in messages(app)[-1]
            assert "line " in messages(app)[-1]
            assert shown(app.pane(TextPane))
            assert app.pane(TextPane).form == form


async def test_configurations(here: Path) -> None:
    write_document(here / "flux.toml", '[queues.mine]\nrequires = ["gpu"]\n')
    write_document(here / "R.json", document(9, {"gpu": "0-1"}))
    (here / "conf.d").mkdir()
    write_document(here / "conf.d" / "a.toml", "[queues.a]\n")
    write_document(here / "conf.d" / "b.toml", "[queues.b]\n")
    async with workbench_at(NARROW, on=cluster(4, {"gpu": "0-2"}), shape="node") as (app, pilot):
        await open_by_keys(pilot, "flux.toml")
        assert app.state.cluster.resources.node_count == 4
        assert app.state.cluster.coverage == {"mine": 0b111}
        assert "1 queue for test" in messages(app)[-1]
        await open_by_keys(pilot, "R.json")
        assert app.state.cluster.resources.node_count == 9
        assert app.state.cluster.coverage == {"mine": 0b11}
        # A folder of them, or one of its files.
        for keys, queues in ((("enter",), ["a", "b"]), (("down", "down", "enter"), ["b"])):
            await open_by_keys(pilot, "conf.d")
            assert app.screen.query_one(Input).value == "conf.d/"
            await pilot.until(lambda: dialog(app).labels == ["*.toml", "a.toml", "b.toml"])
            await pilot.press(*keys)
            await pilot.done()
            assert app.state.cluster.config is not None
            assert [queue.name for queue in app.state.cluster.config.queues] == queues


NO_DOCUMENTS = (None, b"", b"{", b"not json", b"[]", b'{"version": 1}', b"\xff", b"NaN")


async def test_what_cannot_be_opened_becomes_a_message(here: Path) -> None:
    async with workbench_at(NARROW, shape=SHAPE, requires="gpu&") as (app, pilot):
        for number, content in enumerate((*NO_DOCUMENTS, b'{"a": ' * 3000)):
            if content is not None:
                (here / f"R{number}.json").write_bytes(content)
            app.documents.open_source(f"R{number}.json")
            await pilot.done()
            assert app.state.cluster.source == demo().source
            assert (app.state.build.text, app.state.ask.text) == (SHAPE, "gpu&")
            assert f"Cannot open R{number}.json" in messages(app)[-1]
        # One with faults opens, and says them.
        faulty = document(4, {"a|b": "0", "gpu": "9"})
        app.documents.open_source(write_document(here / "R.json", faulty))
        await pilot.done()
        assert app.state.cluster.resources.node_count == 4
        assert "problem" in plain(app, "#title")
        app.go_to("node")
        await pilot.settle()
        words = " ".join(plain(app, "#node-details").split())
        assert app.state.cluster.resources.problems
        for problem in app.state.cluster.resources.problems:
            assert " ".join(problem.message.split()) in words


async def test_several_at_the_start(here: Path) -> None:
    wrong = write_document(here / "wrong.json", '{"version": 1, "execution": {"R_lite": 5}}')
    names = [
        wrong,
        write_document(here / "a.json", document(6)),
        write_document(here / "job.yaml", YAML),
        write_document(here / "b.json", document(5)),
        write_document(here / "flux.toml", "[queues.batch]\n"),
    ]
    async with workbench_at(NARROW) as (app, pilot):
        app.documents.open_source(*names)
        await pilot.done()
        assert plain(app, "#title").startswith("fluxtui  a.json 1/2")  # the first one with nodes
        told = "b.json is open too: in a pane ] goes there"
        assert any(told in message for message in messages(app))
        assert app.state.cluster.has_queue("batch")
        assert app.state.jobspec() == JOB


# What takes long: how far it is, and escape


def large(path: Path, megabytes: float = 3) -> bytes:
    """Write an R document of 60 nodes with a large graph; its bytes."""
    data = "".join(big.with_graph(60, megabytes, cores=250)).encode()
    path.write_bytes(data)
    return data


class Pipe:
    """A named pipe that gives a large document: a part of it, and the rest when it may go on."""

    def __init__(self, here: Path) -> None:
        self.path = str(here / "slow")
        os.mkfifo(self.path)
        self.goes_on, self.broke = threading.Event(), threading.Event()
        data = large(here / "R.json")

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


async def test_a_large_document_opens_and_lets_go_of_the_interpreter(here: Path) -> None:
    large(here / "R.json")
    async with workbench_at(NARROW, source=str(here / "R.json")) as (app, pilot):
        await pilot.done()
        found = app.state.cluster
        assert found.resources.node_count == 60
        assert found.resources.problems == ()
        assert found.graph is not None
        assert found.graph.types.count("core") > 5000
        assert sys.getswitchinterval() < 0.001  # a key waits no longer for its turn


async def test_how_far_it_is_and_escape(here: Path) -> None:
    pipe = Pipe(here)
    async with workbench_at(NORMAL, source=pipe.path) as (app, pilot):
        await pilot.until(lambda: "slow … 1 MB · esc stops" in plain(app, "#title"))
        await pilot.put("gpu")  # the workbench goes on meanwhile
        assert app.state.ask.totals.nodes == 24
        assert "slow … 1 MB · esc stops" in plain(app, "#title")  # what is typed does not hide it
        await pilot.press("escape")
        await pilot.settle()
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
        pipe.goes_on.set()
        await pilot.done()
        assert app.state.cluster.resources.node_count == 60
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
    progress.update(50_000, 100_000)
    assert progress.words == ""
    progress.update(90_300_000, 210_000_000)
    assert progress.title == "R\\x1b.json … 43 % of 210 MB ·"
    progress.update(210_000_000, 210_000_000)
    assert progress.words == "210 MB, building nodes"
    progress.update(12_000_000, 0)
    assert progress.lines == ("Reading R\\x1b.json …", "12 MB", "", "esc stops.")
    progress.is_wanted = False
    with pytest.raises(Stopped):
        progress.update(1, 2)


# Several documents open at once: the title, the list, going there, closing


@pytest.fixture
def files(here: Path) -> list[str]:
    """Three documents in the folder that the program runs in."""
    return [
        write_document(here / f"{name}.json", document(nodes, {"gpu": "0-1"}))
        for name, nodes in (("a", 8), ("b", 12), ("c", 4))
    ]


async def open_all(app: FluxTUI, pilot: Hands, files: list[str]) -> None:
    for file in files:
        app.documents.open_source(file)
        await pilot.done()
    app.go_to("map")
    await pilot.settle()


async def test_the_title_says_which_of_how_many(here: Path, files: list[str]) -> None:
    async with workbench_at(NARROW) as (app, pilot):
        # It tells whole facts, and cuts no name at what parts them.
        for width, facts in ((120, "160 gpus"), (80, "196 nodes"), (70, "(built in)"), (40, "c…")):
            await pilot.resize_terminal(width, 24)
            await pilot.settle()
            told = row_of(app, "#title").rpartition("queue batch")[0].rstrip()
            assert told.endswith(f" {facts}")
        await pilot.resize_terminal(*NARROW)
        await open_all(app, pilot, files[:1])
        assert "a.json   8 nodes" in row_of(app, "#title")
        await open_all(app, pilot, files[1:])
        assert "c.json 3/3   4 nodes" in row_of(app, "#title")
        await pilot.press("[")
        assert "b.json 2/3   12 nodes" in row_of(app, "#title")
        await pilot.press("]", "]")
        assert "a.json 1/3   8 nodes" in row_of(app, "#title")
        name = f"a · b   {'c' * 40}.json"
        await open_all(app, pilot, [write_document(here / name, document(4))])
        assert name in row_of(app, "#title")
        await pilot.resize_terminal(50, 24)
        await pilot.settle()
        assert f"a · b   {'c' * 20}" in row_of(app, "#title")
        assert "c…" in row_of(app, "#title")


async def test_each_is_shown_as_it_was_left_and_the_constraint_is_shared(
    files: list[str], here: Path
) -> None:
    async with workbench_at(WIDE, requires="gpu") as (app, pilot):
        await open_all(app, pilot, files[:2])
        await pilot.press("end", "left", "space", "[")
        assert (app.state.cursor, app.state.selected) == (0, 0)
        await pilot.press("right", "right", "]")
        assert (app.state.cursor, app.state.selected) == (10, 1 << 10)
        assert app.views.view.cursor == 10
        assert "n10" in plain(app, "#node-details")
        await pilot.press("[")
        assert app.views.view.cursor == 2
        await open_all(app, pilot, [write_document(here / "d.json", document(8, {"gpu": "0-6"}))])
        assert plain(app, "#answer") == "7 of 8 nodes"
        await pilot.press("[")
        assert plain(app, "#answer") == "2 of 12 nodes"
        app.edit(EditRequires("-gpu"))
        await pilot.press("]")
        assert plain(app, "#answer") == "1 of 8 nodes"
        await pilot.press("ctrl+z")
        assert (plain(app, "#answer"), app.state.place) == ("7 of 8 nodes", 2)
        app.focus_shape()
        await pilot.press(*"slot/[core]")  # brackets are typed where one types
        assert (app.state.build.text, app.state.place) == ("slot/[core]", 2)


async def test_the_list_of_what_is_open(here: Path, files: list[str]) -> None:
    async with workbench_at() as (app, pilot):
        await open_all(app, pilot, files)
        await pilot.press("ctrl+d")
        text = screen_text(app)
        assert "Open documents" in text
        assert "1  a.json  8 nodes · 32 cores" in text
        assert "3  c.json  current · 4 nodes · 16 cores" in text
        assert "enter goes there · d compares · x closes · o opens · esc closes" in text
        await pilot.press("enter")  # the cursor begins at the one after that shown
        assert app.state.place == 0
        await pilot.press("ctrl+d", "3")
        assert app.state.place == 2
        await pilot.press("ctrl+d", "ctrl+d")
        assert len(app.screen_stack) == 1
        await pilot.press("ctrl+d", "o")
        assert isinstance(app.screen, OpenDialog)
        await pilot.press("escape")
        # Numbers of two digits, and names as they are.
        names = ["[red]x[@click=app.quit]y.json", "a\x1b[31mb.json"]
        more = [write_document(here / name, document(4)) for name in names]
        more += [write_document(here / f"{n}.json", document(n + 1)) for n in range(8)]
        await open_all(app, pilot, more)
        for keys, place in ((("3",), 2), (("1", "2"), 11), (("1", "enter"), 0)):
            await pilot.press("ctrl+d", *keys)
            assert app.state.place == place
        await pilot.press("ctrl+d")
        assert "[red]x[@click=app.quit]y.json" in screen_text(app)
        assert "a\\x1b[31mb.json" in screen_text(app)


async def test_closing(files: list[str]) -> None:
    async with workbench_at() as (app, pilot):
        await open_all(app, pilot, files)
        await pilot.press("ctrl+d", "home", "x")
        assert [one.cluster.source.name for one in app.state.documents] == ["b.json", "c.json"]
        assert isinstance(app.screen, Picker)
        await pilot.press("escape")
        app.documents.close_shown()
        await pilot.settle()
        assert plain(app, "#title").startswith("fluxtui  b.json   12 nodes")
        await pilot.press("]")
        assert "No other document is open: ctrl+o opens one." in messages(app)[-1]
        app.documents.close_shown()
        await pilot.settle()
        assert plain(app, "#title").startswith("fluxtui  nothing open")
        assert "No document is open: ctrl+o opens an R document," in screen_text(app)
        app.documents.close_shown()
        await pilot.settle()
        assert "No document is open." in messages(app)[-1]
        await pilot.press("ctrl+d")
        assert isinstance(app.screen, OpenDialog)


async def test_a_job_keeps_its_queue_on_clusters_that_do_not_have_it(
    files: list[str], here: Path
) -> None:
    text = YAML.replace("queue: batch", "queue: gpu")
    job, queues = here / "job.yaml", here / "site.toml"
    job.write_text(text)
    queues.write_text("[queues.batch]\n")
    async with workbench_at() as (app, pilot):
        await open_all(app, pilot, [str(job), *files[:2]])
        assert "queue gpu (unknown here)" in row_of(app, "#title")
        app.documents.open_source(str(queues))
        await pilot.done()
        assert "queue gpu is not configured" in screen_text(app)
        await pilot.press("f11", "escape")  # the stage, and back
        await pilot.press("ctrl+z")
        assert app.state.submission.queue == "gpu"
        await pilot.press("ctrl+s", "enter")
        await pilot.until(lambda: any("Saved" in one for one in messages(app)))
    assert job.read_text() == text
