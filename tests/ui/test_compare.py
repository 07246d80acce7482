"""Comparing: a constraint that is kept with another one, and two documents."""

import json
import threading
from pathlib import Path

import pytest

from fluxtui.answers import compare as comparing
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.session.dialogs import ChangesDialog
from fluxtui.workbench import GoToDocument, LookAtQueue, MoveCursor, OpenCluster
from tests.model.topologies import domains, tree
from tests.ui.comparing import A, compare, glyphs, node, pair
from tests.ui.documents import cluster, document, write_document
from tests.ui.helpers import NARROW, WIDE, Hands, workbench_at
from tests.ui.maps import into
from tests.ui.seen import lacking, looks_of, messages, plain, row_of, screen_text

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
        await into(app, pilot)
        assert "▲ 2 gained  ▽ 2 lost  ■ 2 both  · neither" in screen_text(app)
        goes = zip(("n", "n", "n", "n", "n", "p"), (1, 2, 5, 6, 1, 6), strict=True)
        await pilot.steps(lambda: app.state.cursor, *goes)
        await pilot.press("a")  # what is gained and what is lost
        assert app.state.selected == 0b1100110
        assert "◆ 4 selected  ◇ 2 no match" in screen_text(app)
        assert glyphs(app) == "·◇◇■■◆◆·"
        await pilot.put("y&")
        assert "□ 2 both" in screen_text(app)
        # Another cluster, and a queue that is looked at meanwhile.
        await pilot.put("y")
        await pilot.edit(OpenCluster(cluster(12, {"x": "0-8", "y": "9"})))
        assert said(app).startswith("A x 9 · B 1: +1 gained, −9 lost")
        assert "▲ 1 gained  ▽ 9 lost  ■ 0 both" in screen_text(app)
        await pilot.afresh(requires="gpu")
        await keep_and_put(app, pilot, "bigmem")
        await pilot.edit(LookAtQueue("debug"))  # which is what a person wants to see now
        assert "in debug" in screen_text(app)
        await pilot.edit(LookAtQueue(None))
        assert "gained" in screen_text(app)
        # A long constraint is shown literally and leaves room for the counts.
        on = cluster(8, {"[red]": "1-2", "y": "2-3"}, hosts="n[0-7]")
        text = '{"or": [{"properties": ["[red]"]}, {"hostlist": ["n[1-2]"]}, {"ranks": ["1,2"]}]}'
        await pilot.afresh(size=NARROW, on=on, requires=text)
        await keep_and_put(app, pilot, '{"properties": ["y"]}')
        row = row_of(app, "#ask-message")
        told = ('A {"or": [{"properties": ["[red]"]}', "… ", "+1 gained, −1 lost")
        assert not lacking(row, *told)
        await pilot.resize_terminal(*WIDE)
        assert len(said(app)) > len(row.strip())


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


@pytest.fixture
def files(here: Path) -> list[str]:
    return pair(here)


async def test_two_documents_are_compared(files: list[str]) -> None:
    async with workbench_at(requires="gpu") as (app, pilot):
        await into(app, pilot)
        for key in ("d", "D"):
            await pilot.press(key)
            assert "Open another document first" in messages(app)[-1]
        await compare(pilot, files)
        await into(app, pilot, "#node-table")
        assert glyphs(app, "#node-table") == "◪·◪···▲▲"
        await into(app, pilot)
        assert glyphs(app) == "◪·◪···▲▲"
        assert messages(app)[-1].startswith(
            "a.json → b.json: 2 nodes added · 2 removed · 2 changed · 4 the same"
        )
        assert "▲ 2 added  ◪ 2 changed  ▽ 2 removed  · 4 same" in screen_text(app)
        await pilot.steps(lambda: app.state.cursor, ("n", 2), ("n", 6), ("n", 7), ("n", 0))
        for keys, told in (
            ([], "◪ since a.json: lost property gpu"),
            (["right"], "· the same in a.json"),
            (["end"], "▲ not in a.json"),
            (["[", "end"], "▽ not in b.json"),
            (["home"], "◪ in b.json: lost property gpu"),
        ):
            await pilot.press(*keys)
            assert told in node(app)
        assert glyphs(app) == "◪·◪···▽▽"
        assert "▽ 2 removed  ◪ 2 changed  ▲ 2 added  · 4 same" in screen_text(app)
        await pilot.press("d")
        assert app.state.compared is None
        assert not set("◪▽▲") & set(glyphs(app))
        assert "b.json" not in node(app)
        await pilot.do("d")  # the one that was opened later is the one after
        assert app.state.compared.after.source.name == "b.json"
        # Constraints and documents take turns.
        await pilot.press("]", "A")
        assert app.state.compared is None
        assert app.state.kept is not None
        assert glyphs(app) == "·■■·····"
        await into(app, pilot)
        await pilot.do("d")
        assert app.state.kept is None
        await pilot.put("-gpu")  # typing goes on beside it
        assert plain(app, "#answer") == "6 of 8 nodes"
        assert glyphs(app) == "◪·◪···▲▲"
        # A document that is read again is compared again.
        await pilot.put("")
        write_document(Path(files[1]), document(8, {"gpu": "0-1", "batch": "0-7"}, "n[0-6],m1"))
        await pilot.open(files[1])
        assert glyphs(app) == "·······▲"
        app.documents.close_shown()
        await pilot.done()
        assert app.state.compared is None
        assert glyphs(app) == "■" * 8


async def test_of_several_it_is_asked_which(files: list[str], here: Path) -> None:
    deep = here / ("long" * 30) / "other"
    deep.mkdir(parents=True)
    third = write_document(deep / "a.json", A)
    async with workbench_at(NARROW) as (app, pilot):
        await compare(pilot, [files[0], third])
        assert messages(app)[-1] == "a.json → a.json: no change: 8 nodes in both"
        assert app.state.compared is None
        await compare(pilot, [files[1]])
        # Of a long path the end is shown.
        assert not lacking(screen_text(app), "Compare b.json with", "long/other/a.json")
        await pilot.do("1")
        assert app.state.compared.before.source.path == files[0]
        app.edit(GoToDocument(1))
        assert app.state.compared is None
        await pilot.do("ctrl+d", "down", "d")  # the list of documents compares too
        assert app.state.compared is not None


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
        await pilot.open(*files)
        await pilot.go(focused)
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


async def test_any_number_of_nodes() -> None:
    count = 1_000_000
    async with workbench_at(on=cluster(count, hosts=f"n[0-{count - 1}]")) as (app, pilot):
        app.edit(OpenCluster(cluster(count, hosts=f"n[1-{count}]")))
        app.comparison.compare_documents()
        await pilot.until(lambda: app.state.compared is not None)
        await into(app, pilot)
        assert f"▲ 1 added  ◪ {count - 1:,} changed  ▽ 1 removed" in screen_text(app)
        for index, told in ((count - 1, "▲ not in test"), (0, "◪ since test: rank 1 → 0")):
            app.edit(MoveCursor(index))
            assert told in node(app)


def rows(app: FluxTUI) -> list[tuple[str, ...]]:
    """The changes that are listed: sign, how many, which, what."""
    assert isinstance(app.screen, ChangesDialog)
    return [(one.lead, one.right, one.label, one.detail) for one in app.screen.found]


async def test_changes_are_listed_copied_and_saved(files: list[str], here: Path) -> None:
    async with workbench_at() as (app, pilot):
        await compare(pilot, files)
        await pilot.press("D")
        assert rows(app) == [
            ("+", "2 nodes", "m[0-1]", "8 cores · batch"),
            ("−", "2 nodes", "n[6-7]", "8 cores · batch"),
            ("~", "1 node", "n2", "gained property gpu"),
            ("~", "1 node", "n0", "lost property gpu"),
        ]
        assert not lacking(
            screen_text(app),
            "− a.json  8 nodes · 32 cores",
            "+ b.json  8 nodes · 32 cores",
            "2 nodes added · 2 removed · 2 changed · 4 the same (matched by host name)",
        )
        await pilot.press("/", *"gained")
        assert [row[2] for row in rows(app)] == ["n2"]
        await pilot.press("escape", "D")
        assert len(app.screen_stack) == 1
        # Enter leads to the nodes, where they are; r puts it the other way round.
        for keys, name, cursor, selected in (
            ("D down enter", "a.json", 6, 0b11000000),
            ("D down down enter", "b.json", 2, 0b100),
        ):
            await pilot.press(*keys.split())
            assert app.state.cluster.source.name == name
            assert (app.state.cursor, app.state.selected) == (cursor, selected)
            assert app.focused is app.views.view
        await pilot.do("D", "r")
        assert app.state.compared.after.source.name == "a.json"
        assert app.state.cluster.source.name == "b.json"
        # The list is taken away.
        await pilot.do("D", "r")
        await pilot.do("D", "ctrl+y")
        assert app.clipboard.startswith(f"- {files[0]}  8 nodes, 32 cores\n")
        assert "\n+ 2 nodes  m[0-1]  8 cores · batch\n" in app.clipboard
        for path in ("changes.txt", "changes.json"):
            await pilot.press("D", "ctrl+s")
            await pilot.fill_dialog(str(here / path))
        assert (here / "changes.txt").read_text() == app.clipboard + "\n"
        found = json.loads((here / "changes.json").read_text())
        assert found["added"] == {"count": 2, "ranks": "6-7", "hosts": "m[0-1]"}
        # Names are shown as they are, and many nodes in one line.
        name, odd = "[red]x\x1b[31m", ",".join(map(str, range(1, 4000, 2)))
        for path, other, told in (
            ("[b]c.json", document(8, {name: "0"}, "n[0-7]"), "gained property [red]x\\x1b[31m"),
            ("d.json", document(4000, {"there": odd}, "n[0-3999]"), "n[9,11,13,"),
        ):
            await pilot.press("d")
            app.documents.close_shown()
            await compare(pilot, [write_document(here / path, other)])
            assert path in messages(app)[-1]
            await pilot.press("D")
            assert not lacking(screen_text(app), f"+ {path}", told)
            await pilot.press("escape")
        # So is what nodes have inside (RFC 49), in the list and of the node.
        for path, cores in (("e.json", 24), ("f.json", 12)):
            topo = {"socket": domains(96 // cores, cores, gpus=0)}
            await pilot.open(write_document(here / path, tree(("0-7", topo, "0-95", ""))))
        await pilot.press("d", *"e.json", "enter")
        await pilot.go("map", "home")
        assert "◪ since e.json: socket 4 → 8 of 24 → 12 cores" in node(app)
        await pilot.press("D")
        assert rows(app) == [("~", "8 nodes", "n[0-7]", "socket 4 → 8 of 24 → 12 cores")]
