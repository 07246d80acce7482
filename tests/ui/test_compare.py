"""Comparing: a constraint that is kept with another one, and two documents."""

import json
import threading
from pathlib import Path

import pytest

from fluxtui.answers import compare as comparing
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.kit.picker import Picker
from fluxtui.workbench import GoToDocument, LookAtQueue, MoveCursor, OpenCluster
from tests.model.topologies import domains, tree
from tests.ui.comparing import A, compare, glyphs, node, pair
from tests.ui.documents import cluster, document, write_document
from tests.ui.helpers import NARROW, workbench_at
from tests.ui.maps import into
from tests.ui.seen import lacking, messages, screen_text

PROPERTIES = {"x": "1-4", "y": "3-6"}


@pytest.fixture
def files(here: Path) -> list[str]:
    return pair(here)


async def test_a_document_that_is_read_again_is_compared_again(files: list[str]) -> None:
    async with workbench_at() as (app, pilot):
        await compare(pilot, files)
        assert glyphs(app) == "◪·◪···▲▲"
        write_document(Path(files[1]), document(8, {"gpu": "0-1", "batch": "0-7"}, "n[0-6],m1"))
        await pilot.open(files[1])
        assert glyphs(app) == "·······▲"
        app.documents.close_shown()
        await pilot.done()
        assert app.state.compared is None
        assert glyphs(app) == "■" * 8
        # So are constraints on another cluster, but for a queue that is looked at meanwhile.
        await pilot.afresh(requires="gpu")
        await pilot.go("map", "A")
        await pilot.put("bigmem")
        for edit, words in (
            (LookAtQueue("debug"), "in debug"),  # which is what a person wants to see now
            (LookAtQueue(None), "A gpu 24 · B 8: +8 gained, −24 lost"),
            (OpenCluster(cluster(12, {"gpu": "0-8", "bigmem": "9"})), "A gpu 9 · B 1: +1 gained"),
        ):
            await pilot.edit(edit)
            assert words in screen_text(app)


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
    assert isinstance(app.screen, Picker)
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
        # The list is taken away.
        await pilot.do("ctrl+y")
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
