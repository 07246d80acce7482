"""Comparing: a constraint that is kept with another one, and two documents."""

import json
import threading
from pathlib import Path

import pytest

from fluxtui.answers import compare as comparing
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.session.dialogs import ChangesDialog
from fluxtui.workbench import GoToDocument, LookAtQueue, MoveCursor, OpenCluster
from tests.ui.comparing import A, compare, glyphs, node, pair
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    WIDE,
    Hands,
    cluster,
    document,
    looks_of,
    messages,
    plain,
    row_of,
    screen_text,
    workbench_at,
    write_document,
)
from tests.ui.test_browse import into

PROPERTIES = {"x": "1-4", "y": "3-6"}


def said(app: FluxTUI) -> str:
    """What the line below the constraint says."""
    return plain(app, "#ask-message")


async def keep_and_put(app: FluxTUI, pilot: Hands, other: str) -> None:
    """Keep the constraint as A by its key, which leads back to the input, and type another one."""
    await into(app, pilot)
    await pilot.press("A")
    assert app.focused is app.ask_bar.entry
    await pilot.put(other)


# Two constraints


async def test_gained_and_lost_are_counted_and_drawn() -> None:
    async with workbench_at(on=cluster(8, PROPERTIES), requires="x") as (app, pilot):
        await into(app, pilot)
        await pilot.press("A")
        assert said(app).startswith("A x 4 is kept: type another one here")
        assert "▲ 0 gained  ▽ 0 lost  ■ 4 both  · neither" in screen_text(app)
        await pilot.put("y")
        assert said(app).startswith("A x 4 · B 4: +2 gained, −2 lost")
        assert said(app) in row_of(app, "#ask-message")
        for view in ("#node-map", "#node-table"):
            looks = looks_of(await into(app, pilot, view), 0, 8)
            assert [look.glyph for look in looks] == list("·▽▽■■▲▲·")
            assert [looks[at].role for at in (0, 1, 3, 5)] == ["unlit", "problem", "match", "count"]
        widget = await into(app, pilot)
        assert "▲ 2 gained  ▽ 2 lost  ■ 2 both  · neither" in screen_text(app)
        found = []
        for key in ("n", "n", "n", "n", "n", "p"):
            await pilot.press(key)
            found.append(app.state.cursor)
        assert found == [1, 2, 5, 6, 1, 6]
        await pilot.press("a")  # what is gained and what is lost
        assert app.state.selected == 0b1100110
        assert "◆ 4 selected  ◇ 2 no match" in screen_text(app)
        assert [look.glyph for look in looks_of(widget, 0, 8)] == list("·◇◇■■◆◆·")
        await pilot.put("y&")
        assert "□ 2 both" in screen_text(app)


async def test_one_is_kept_swapped_and_let_go() -> None:
    async with workbench_at(requires="gpu|debug") as (app, pilot):
        app.comparison.swap_constraints()
        await pilot.settle()
        assert "No constraint is kept" in messages(app)[0]
        await keep_and_put(app, pilot, "gpu|bigmem")
        app.comparison.swap_constraints()
        assert app.state.ask.text == "gpu|debug"
        assert said(app).startswith("A gpu|bigmem 32 · B 40: +16 gained, −8 lost")
        await pilot.press("ctrl+z")
        assert said(app).startswith("A gpu|debug 40 · B 32: +8 gained, −16 lost")
        await pilot.press("ctrl+z")  # which keeps A
        assert app.state.ask.text == "gpu|debug"
        assert said(app).startswith("A gpu|debug 40 is kept")
        await pilot.put("debug|gpu")
        assert said(app) == "A gpu|debug 40 · B 40: the same nodes"
        await into(app, pilot)
        await pilot.press("A")
        assert app.state.kept is None
        assert "gained" not in screen_text(app)
        # A blank constraint is all nodes.
        await pilot.afresh()
        await keep_and_put(app, pilot, "gpu")
        assert said(app).startswith("A all nodes 196 · B 24: +0 gained, −172 lost")
        # One that is unfinished cannot be kept.
        await pilot.afresh()
        await pilot.put("gpu&")
        app.comparison.compare_constraints()
        await pilot.settle()
        assert app.state.kept is None
        assert messages(app)[-1] == "Finish the constraint first: it has a problem."


async def test_other_clusters_and_queues_come_between() -> None:
    async with workbench_at(on=cluster(8, PROPERTIES), requires="x") as (app, pilot):
        await keep_and_put(app, pilot, "y")
        app.edit(OpenCluster(cluster(12, {"x": "0-8", "y": "9"})))
        await pilot.settle()
        assert said(app).startswith("A x 9 · B 1: +1 gained, −9 lost")
        assert "▲ 1 gained  ▽ 9 lost  ■ 0 both" in screen_text(app)
        await pilot.afresh(requires="gpu")
        await keep_and_put(app, pilot, "bigmem")
        app.edit(LookAtQueue("debug"))  # which is what a person wants to see now
        await pilot.settle()
        assert "in debug" in screen_text(app)
        app.edit(LookAtQueue(None))
        await pilot.settle()
        assert "gained" in screen_text(app)


async def test_a_long_constraint_is_shown_literally_and_leaves_room_for_the_counts() -> None:
    on = cluster(8, {"[red]": "1-2", "y": "2-3"}, hosts="n[0-7]")
    text = '{"or": [{"properties": ["[red]"]}, {"hostlist": ["n[1-2]"]}, {"ranks": ["1,2"]}]}'
    async with workbench_at(NARROW, on=on, requires=text) as (app, pilot):
        await keep_and_put(app, pilot, '{"properties": ["y"]}')
        row = row_of(app, "#ask-message")
        assert 'A {"or": [{"properties": ["[red]"]}' in row
        assert "… " in row
        assert "+1 gained, −1 lost" in row
        await pilot.resize_terminal(*WIDE)
        await pilot.settle()
        assert len(said(app)) > len(row.strip())


# Two documents: on the map, in the node, and as a list


@pytest.fixture
def files(here: Path) -> list[str]:
    """Two documents in the folder that the program runs in."""
    return pair(here)


async def test_two_documents_are_compared(files: list[str]) -> None:
    async with workbench_at() as (app, pilot):
        await compare(app, pilot, files, "#node-table")
        assert glyphs(app, "#node-table") == "◪·◪···▲▲"
        await into(app, pilot)
        assert glyphs(app) == "◪·◪···▲▲"
        assert messages(app)[-1].startswith(
            "a.json → b.json: 2 nodes added · 2 removed · 2 changed · 4 the same"
        )
        assert "▲ 2 added  ◪ 2 changed  ▽ 2 removed  · 4 same" in screen_text(app)
        seen = []
        for _ in range(4):
            await pilot.press("n")
            seen.append(app.state.cursor)
        assert seen == [2, 6, 7, 0]
        assert "◪ since a.json: lost property gpu" in node(app)
        await pilot.press("right")
        assert "· the same in a.json" in node(app)
        await pilot.press("end")
        assert "▲ not in a.json" in node(app)
        await pilot.press("[")
        assert glyphs(app) == "◪·◪···▽▽"
        assert "▽ 2 removed  ◪ 2 changed  ▲ 2 added  · 4 same" in screen_text(app)
        await pilot.press("end")
        assert "▽ not in b.json" in node(app)
        await pilot.press("home")
        assert "◪ in b.json: lost property gpu" in node(app)
        await pilot.press("d")
        assert app.state.compared is None
        assert not set("◪▽▲") & set(glyphs(app))
        assert "b.json" not in node(app)
        await pilot.press("d")  # the one that was opened later is the one after
        await pilot.done()
        assert app.state.compared is not None
        assert app.state.compared.after.source.name == "b.json"


async def test_there_is_nothing_to_compare(files: list[str], here: Path) -> None:
    async with workbench_at() as (app, pilot):
        await into(app, pilot)
        for key in ("d", "D"):
            await pilot.press(key)
            assert "Open another document first" in messages(app)[-1]
        await compare(app, pilot, [files[0], write_document(here / "c.json", A)])
        assert messages(app)[-1] == "a.json → c.json: no change: 8 nodes in both"
        assert app.state.compared is None


async def test_of_several_it_is_asked_which(files: list[str], here: Path) -> None:
    deep = here / ("long" * 30) / "other"
    deep.mkdir(parents=True)
    third = write_document(deep / "a.json", A)
    async with workbench_at(NARROW) as (app, pilot):
        await compare(app, pilot, [third, *files])
        shown = screen_text(app)
        assert "Compare b.json with" in shown
        assert "long/other/a.json" in shown  # of a long path the end is shown
        await pilot.press("2")
        await pilot.done()
        assert app.state.compared is not None
        assert app.state.compared.before.source.path == files[0]
        app.edit(GoToDocument(0))
        assert app.state.compared is None
        await pilot.press("ctrl+d", "down", "d")  # the list of documents compares too
        await pilot.done()
        assert app.state.compared is not None


async def test_constraints_and_documents_take_turns(files: list[str]) -> None:
    async with workbench_at(requires="gpu") as (app, pilot):
        await compare(app, pilot, files)
        await pilot.press("A")
        assert app.state.compared is None
        assert app.state.kept is not None
        assert glyphs(app) == "·■■·····"
        await into(app, pilot)
        await pilot.press("d")
        await pilot.done()
        assert app.state.kept is None
        assert glyphs(app) == "◪·◪···▲▲"
        await pilot.put("-gpu")  # typing goes on beside it
        assert plain(app, "#answer") == "6 of 8 nodes"
        assert glyphs(app) == "◪·◪···▲▲"


async def test_a_document_that_is_read_again_is_compared_again(files: list[str]) -> None:
    async with workbench_at() as (app, pilot):
        await compare(app, pilot, files)
        write_document(Path(files[1]), document(8, {"gpu": "0-1", "batch": "0-7"}, "n[0-6],m1"))
        app.documents.open_source(files[1])
        await pilot.done()
        assert app.state.compared is not None
        assert glyphs(app) == "·······▲"
        app.documents.close_shown()
        await pilot.done()
        assert app.state.compared is None
        assert glyphs(app) == "■" * 8


@pytest.mark.parametrize("focused", ["map", "properties"])
async def test_escape_stops_what_takes_long(
    focused: str, files: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    original = comparing.changes
    begun, go_on = threading.Event(), threading.Event()

    def slowly(*arguments, stop):
        begun.set()
        go_on.wait(10)
        return original(*arguments, stop=stop)

    async with workbench_at() as (app, pilot):
        for file in files:
            app.documents.open_source(file)
            await pilot.done()
        app.go_to(focused)
        await pilot.settle()
        monkeypatch.setattr("fluxtui.answers.compare.changes", slowly)
        app.comparison.compare_documents()
        await pilot.until(begun.is_set)
        said = "comparing a.json and b.json …  esc stops"
        await pilot.until(lambda: said in screen_text(app))
        await pilot.press("escape")
        assert "comparing" not in screen_text(app)
        go_on.set()
        await pilot.done()
        assert app.state.compared is None


@pytest.mark.parametrize("count", [200, 1_000_000])
async def test_any_number_of_nodes(count: int) -> None:
    one = cluster(count, hosts=f"n[0-{count - 1}]")
    other = cluster(count, hosts=f"n[1-{count}]")
    async with workbench_at(on=one) as (app, pilot):
        app.edit(OpenCluster(other))
        app.comparison.compare_documents()
        await pilot.until(lambda: app.state.compared is not None)
        await into(app, pilot)
        assert f"▲ 1 added  ◪ {count - 1:,} changed  ▽ 1 removed" in screen_text(app)
        app.edit(MoveCursor(count - 1))
        assert "▲ not in test" in node(app)
        app.edit(MoveCursor(0))
        assert "◪ since test: rank 1 → 0" in node(app)


# The list of changes


def rows(app: FluxTUI) -> list[tuple[str, ...]]:
    """The changes that are listed: sign, how many, which, what."""
    assert isinstance(app.screen, ChangesDialog)
    return [(one.lead, one.right, one.label, one.detail) for one in app.screen.found]


async def test_changes_are_listed_and_nodes_selected(files: list[str]) -> None:
    async with workbench_at() as (app, pilot):
        await compare(app, pilot, files)
        await pilot.press("D")
        assert rows(app) == [
            ("+", "2 nodes", "m[0-1]", "8 cores · batch"),
            ("−", "2 nodes", "n[6-7]", "8 cores · batch"),
            ("~", "1 node", "n2", "gained property gpu"),
            ("~", "1 node", "n0", "lost property gpu"),
        ]
        text = screen_text(app)
        assert "− a.json  8 nodes · 32 cores" in text
        assert "+ b.json  8 nodes · 32 cores" in text
        assert "2 nodes added · 2 removed · 2 changed · 4 the same (matched by host name)" in text
        await pilot.press("/", *"gained")
        assert [row[2] for row in rows(app)] == ["n2"]
        await pilot.press("escape", "D")
        assert len(app.screen_stack) == 1
        await pilot.press("D", "down", "enter")  # to the nodes, where they are
        assert app.state.cluster.source.name == "a.json"
        assert (app.state.cursor, app.state.selected) == (6, 0b11000000)
        assert app.focused is app.views.view
        await pilot.press("D", "down", "down", "enter")
        assert app.state.cluster.source.name == "b.json"
        assert (app.state.cursor, app.state.selected) == (2, 0b100)
        await pilot.press("D", "r")  # the other way round
        await pilot.done()
        assert app.state.compared is not None
        assert app.state.compared.after.source.name == "a.json"
        assert app.state.cluster.source.name == "b.json"


async def test_what_became_of_many_nodes_is_in_sight(here: Path) -> None:
    odd = ",".join(map(str, range(1, 4000, 2)))
    files = [
        write_document(here / f"{name}.json", document(4000, {prop: odd}, "node[0-3999]"))
        for name, prop in (("a", "here"), ("b", "there"))
    ]
    async with workbench_at(NORMAL) as (app, pilot):
        await compare(app, pilot, files)
        await pilot.press("D")
        (row,) = (line for line in screen_text(app).splitlines() if "lost property here" in line)
        assert "node[1,3,5,7,9" in row
        assert "2,000 nodes" in row


async def test_changes_are_copied_and_saved(files: list[str], here: Path) -> None:
    name = "[red]x\x1b[31m"
    other = write_document(here / "[b]c.json", document(8, {name: "0"}, "n[0-7]"))
    async with workbench_at() as (app, pilot):
        await compare(app, pilot, files)
        await pilot.press("D", "ctrl+y")
        await pilot.done()
        assert app.clipboard.startswith(f"- {files[0]}  8 nodes, 32 cores\n")
        assert "\n+ 2 nodes  m[0-1]  8 cores · batch\n" in app.clipboard
        for path in ("changes.txt", "changes.json"):
            await pilot.press("D", "ctrl+s")
            await pilot.fill_dialog(str(here / path))
        await pilot.done()
        assert (here / "changes.txt").read_text() == app.clipboard + "\n"
        found = json.loads((here / "changes.json").read_text())
        assert found["added"] == {"count": 2, "ranks": "6-7", "hosts": "m[0-1]"}
        # Names are shown as they are.
        await pilot.press("d")
        app.documents.close_shown()
        await compare(app, pilot, [other])
        assert "[b]c.json" in messages(app)[-1]
        assert "gained property [red]x\\x1b[31m" in node(app)
        await pilot.press("D")
        assert "+ [b]c.json" in screen_text(app)
        assert "gained property [red]x\\x1b[31m" in screen_text(app)
