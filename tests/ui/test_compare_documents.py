"""Two documents compared: on the map, in the node, and as a list."""

import threading
from pathlib import Path

import pytest

from fluxtui.answers.compare import changes
from fluxtui.workbench import GoToDocument, MoveCursor, OpenCluster
from tests.ui.comparing import A, compare, glyphs, node, pair
from tests.ui.helpers import (
    NARROW,
    WIDE,
    afresh,
    cluster,
    document,
    done,
    messages,
    plain,
    press,
    put,
    screen_text,
    settle,
    until,
    workbench_at,
    write_document,
)


@pytest.fixture
def files(here: Path) -> list[str]:
    """Two documents in the folder that the program runs in."""
    return pair(here)


async def test_two_documents_are_compared(files: list[str]) -> None:
    async with workbench_at() as (app, pilot):
        # Map and table tell what differs.
        for view in ("#node-map", "#node-table"):
            await afresh(app, pilot)
            await compare(app, pilot, files, view)
            assert glyphs(app, view) == "◪·◪···▲▲"
            await press(pilot, "[")
            assert glyphs(app, view) == "◪·◪···▽▽"
            await press(pilot, "d")
            assert app.state.compared is None
            assert not set("◪▽▲") & set(glyphs(app, view))
        # The frame counts it.
        await afresh(app, pilot)
        await compare(app, pilot, files)
        assert "▲ 2 added  ◪ 2 changed  ▽ 2 removed  · 4 same   d ends" in screen_text(app)
        await press(pilot, "[")
        assert "▽ 2 removed  ◪ 2 changed  ▲ 2 added  · 4 same   d ends" in screen_text(app)
        await press(pilot, "a")
        assert "▽ 2 removed  ◪ 2 changed  ▲ 2 added  ▁ 4 selected" in screen_text(app)
        # It is told once.
        await afresh(app, pilot)
        await compare(app, pilot, files)
        assert messages(app)[-1].startswith(
            "a.json → b.json: 2 nodes added · 2 removed · 2 changed · 4 the same\n"
        )
        # N and p go through it.
        await afresh(app, pilot)
        await compare(app, pilot, files)
        seen = []
        for _ in range(4):
            await press(pilot, "n")
            seen.append(app.state.cursor)
        assert seen == [2, 6, 7, 0]
        # The node says what differs in it.
        await afresh(app, pilot)
        await compare(app, pilot, files)
        assert "◪ since a.json: lost property gpu" in node(app)
        await press(pilot, "right")
        assert "· the same in a.json" in node(app)
        await press(pilot, "end")
        assert "▲ not in a.json" in node(app)
        await press(pilot, "[", "end")
        assert "▽ not in b.json" in node(app)
        await press(pilot, "home")
        assert "◪ in b.json: lost property gpu" in node(app)
        await press(pilot, "d")
        assert "b.json" not in node(app)
        # The one that was opened later is the one after.
        await afresh(app, pilot)
        await compare(app, pilot, files)
        await press(pilot, "d", "[", "d")
        await done(pilot)
        assert app.state.compared is not None
        assert app.state.compared.after.source.name == "b.json"
        assert app.state.cluster.source.name == "a.json"
        # The list of documents compares.
        await afresh(app, pilot)
        await compare(app, pilot, files)
        await press(pilot, "d", "ctrl+d", "d")
        await done(pilot)
        assert app.state.compared is not None
        await press(pilot, "ctrl+d", "down", "d")
        assert "Choose another document than the one you are in." in messages(app)[-1]


async def test_the_same_nodes_are_said_to_be_the_same(files: list[str], here: Path) -> None:
    again = write_document(here / "c.json", A)
    async with workbench_at() as (app, pilot):
        await compare(app, pilot, [files[0], again])
        assert messages(app)[-1] == "a.json → c.json: no change: 8 nodes in both"
        assert app.state.compared is None


async def test_of_several_it_is_asked_which(files: list[str], here: Path) -> None:
    third = write_document(here / "c.json", A)
    async with workbench_at() as (app, pilot):
        await compare(app, pilot, [third, *files])
        assert "Compare b.json with" in screen_text(app)
        await press(pilot, "2")
        await done(pilot)
        assert app.state.compared is not None
        assert app.state.compared.before.source.name == "a.json"
        app.edit(GoToDocument(0))
        assert app.state.compared is None


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_the_question_names_each_once_and_in_one_line(
    size: tuple[int, int], here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(here)
    deep = here / ("long" * 30) / "other"
    deep.mkdir(parents=True)
    files = ["a.json", str(deep / "a.json"), "b.json"]
    for file in files:
        write_document(Path(file), A)
    async with workbench_at(size) as (app, pilot):
        await compare(app, pilot, files)
        first, second = (
            [line for line in screen_text(app).splitlines() if f"  {number}   a.json" in line]
            for number in (1, 2)
        )
        assert len(first) == len(second) == 1
        assert first[0].count("a.json") == 1
        assert "long/other/a.json  " in second[0]
        assert "longlonglong" in second[0]
        assert "…" in second[0]
        assert sum("longlong" in line for line in screen_text(app).splitlines()) == 1
        assert "a number, or enter" in screen_text(app)


async def test_there_is_nothing_to_compare_with() -> None:
    async with workbench_at() as (app, pilot):
        app.bring("cluster")
        await settle(pilot)
        for key in ("d", "D"):
            await press(pilot, key)
            assert "Open another document first" in messages(app)[-1]


async def test_constraints_are_compared_in_its_place(files: list[str]) -> None:
    async with workbench_at(requires="gpu") as (app, pilot):
        await compare(app, pilot, files)
        await press(pilot, "ctrl+k")
        assert app.state.compared is None
        assert app.state.kept is not None
        assert glyphs(app) == "·■■·····"
        app.bring("cluster")
        await press(pilot, "d")
        await done(pilot)
        assert app.state.kept is None
        assert glyphs(app) == "◪·◪···▲▲"


async def test_a_document_that_is_read_again_is_compared_again(files: list[str]) -> None:
    async with workbench_at() as (app, pilot):
        await compare(app, pilot, files)
        write_document(Path(files[1]), document(8, {"gpu": "0-1", "batch": "0-7"}, "n[0-6],m1"))
        app.open_source(files[1])
        await done(pilot)
        assert app.state.compared is not None
        assert glyphs(app) == "·······▲"
        app.action_close_document()
        await done(pilot)
        assert app.state.compared is None
        assert glyphs(app) == "■" * 8


@pytest.mark.parametrize("focused", ["cluster", "properties"])
async def test_escape_stops_what_takes_long(
    focused: str, files: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    original = changes.changes
    begun, go_on = threading.Event(), threading.Event()

    def slowly(*arguments, stop):
        begun.set()
        go_on.wait(10)
        return original(*arguments, stop=stop)

    async with workbench_at() as (app, pilot):
        for file in files:
            app.open_source(file)
            await done(pilot)
        app.bring(focused)
        await settle(pilot)
        monkeypatch.setattr("fluxtui.answers.compare.changes.changes", slowly)
        app.action_compare_documents()
        await until(pilot, begun.is_set)
        assert "comparing a.json and b.json …  esc stops" in screen_text(app)
        await press(pilot, "escape")
        assert "comparing" not in screen_text(app)
        go_on.set()
        await done(pilot)
        assert app.state.compared is None


async def test_what_is_compared_goes_on(files: list[str]) -> None:
    async with workbench_at() as (app, pilot):
        # Typing goes on beside it.
        await compare(app, pilot, files)
        await put(pilot, "gpu")
        assert plain(app, "#answer") == "2 of 8 nodes"
        assert glyphs(app) == "◪·◪···▲▲"
        await until(pilot, lambda: app.state.compared is not None)
        # Its keys land in the cluster from wherever it was asked for.
        await afresh(app, pilot, shape="node")
        app.open_sources(files)
        await done(pilot)
        app.shape_bar.entry.focus()
        await press(pilot, "ctrl+d", "d")
        await done(pilot)
        assert any("D lists it" in message for message in messages(app))
        await press(pilot, "D")
        assert app.state.build.text == "node"
        assert len(app.screen_stack) == 2


@pytest.mark.parametrize("count", [200, 1_000_000])
async def test_any_number_of_nodes(count: int) -> None:
    one = cluster(count, hosts=f"n[0-{count - 1}]")
    other = cluster(count, hosts=f"n[1-{count}]")
    async with workbench_at(on=one) as (app, pilot):
        app.edit(OpenCluster(other))
        app.action_compare_documents()
        await until(pilot, lambda: app.state.compared is not None)
        app.bring("cluster")
        await settle(pilot)
        assert f"▲ 1 added  ◪ {count - 1:,} changed  ▽ 1 removed" in screen_text(app)
        app.edit(MoveCursor(count - 1))
        assert "▲ not in test" in node(app)
        app.edit(MoveCursor(0))
        assert "◪ since test: rank 1 → 0" in node(app)
        await press(pilot, "[")
        assert "▽ not in test" in node(app)
        app.edit(MoveCursor(count - 1))
        assert f"◪ in test: rank {count - 1} → {count - 2}" in node(app)
