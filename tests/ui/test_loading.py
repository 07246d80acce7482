"""Documents that take a while to read: how far they are is said, and escape stops them."""

import os
import sys
import threading
from pathlib import Path

from fluxtui.ui.progress import Progress, StoppedError
from tests import big
from tests.ui.helpers import (
    NARROW,
    cluster,
    demo,
    done,
    plain,
    press,
    put,
    screen_text,
    settle,
    until,
    workbench_at,
)


def large(path: Path, megabytes: float = 3) -> bytes:
    """Write an R document of 60 nodes with a large graph; its bytes."""
    data = "".join(big.with_graph(60, megabytes, cores=250)).encode()
    path.write_bytes(data)
    return data


async def test_a_large_document_opens(here: Path) -> None:
    large(here / "R.json")
    async with workbench_at(source=str(here / "R.json")) as (app, pilot):
        await done(pilot)
        found = app.state.cluster
        assert found.resources.node_count == 60
        assert found.resources.problems == ()
        assert found.graph is not None
        assert found.graph.types.count("core") > 5000
        await until(pilot, lambda: sys.getswitchinterval() > 0.004)  # as before


async def test_how_far_it_is_and_escape(here: Path) -> None:
    data = large(here / "R.json")
    fifo = here / "slow"
    os.mkfifo(fifo)
    goes_on, went_on = threading.Event(), threading.Event()

    def write() -> None:
        with open(fifo, "wb") as end:
            end.write(data[:1_200_000])
            end.flush()
            goes_on.wait(20)
            try:
                end.write(data[1_200_000:])
            except BrokenPipeError:
                went_on.set()  # nobody reads it any more

    threading.Thread(target=write, daemon=True).start()
    async with workbench_at(source=str(fifo)) as (app, pilot):
        await until(pilot, lambda: "slow … 1 MB · esc stops" in plain(app, "#title"))
        await put(pilot, "gpu")
        assert app.state.ask.totals.nodes == 24
        assert "slow … 1 MB · esc stops" in plain(app, "#title")  # what is typed does not hide it
        await press(pilot, "escape")
        await settle(pilot)
        assert "reading" not in plain(app, "#title")
        assert app.state.cluster.source == demo().source
        goes_on.set()
        await until(pilot, went_on.is_set)  # the thread has ended, and let go of the file


async def test_where_there_is_no_node_yet_it_is_said_in_the_map(here: Path) -> None:
    data = large(here / "R.json")
    fifo = here / "slow"
    os.mkfifo(fifo)
    goes_on = threading.Event()

    def write() -> None:
        with open(fifo, "wb") as end:
            end.write(data[:1_200_000])
            end.flush()
            goes_on.wait(20)
            end.write(data[1_200_000:])

    threading.Thread(target=write, daemon=True).start()
    async with workbench_at((120, 40), on=cluster(0), source=str(fifo)) as (app, pilot):
        await until(pilot, lambda: "1 MB" in screen_text(app))
        assert "Reading slow …" in screen_text(app)
        goes_on.set()
        await done(pilot)
        assert app.state.cluster.resources.node_count == 60


def test_words() -> None:
    progress = Progress("~/clusters/R\x1b.json")
    assert progress.title == "R\\x1b.json …"
    progress.told(50_000, 100_000)
    assert progress.words == ""
    progress.told(90_300_000, 210_000_000)
    assert progress.title == "R\\x1b.json … 43 % of 210 MB ·"
    progress.told(210_000_000, 210_000_000)
    assert progress.words == "210 MB, now its nodes"
    progress.told(12_000_000, 0)
    assert progress.lines == ("Reading R\\x1b.json …", "12 MB", "", "esc stops.")
    progress.stop()
    try:
        progress.told(1, 2)
    except StoppedError:
        return
    raise AssertionError


def test_a_long_name_leaves_room_for_how_to_stop() -> None:
    progress = Progress("/tmp/" + "f" * 90)
    progress.told(2_345_000_000, 2_345_000_000)
    assert progress.title.startswith("ffff")
    assert len(f" reading {progress.title} esc stops") < 80
    assert "f" * 90 in progress.lines[0]


async def test_it_is_said_how_to_stop_where_the_name_is_long(here: Path) -> None:
    path = here / ("f" * 90)
    os.mkfifo(path)
    async with workbench_at(NARROW) as (app, pilot):
        app.open_source(str(path))
        await until(pilot, lambda: "esc stops" in screen_text(app).splitlines()[0])
        await press(pilot, "escape")
