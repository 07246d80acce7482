"""A constraint that is kept as A, and what another one gains and loses against it."""

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
    SIZES,
    WIDE,
    cluster,
    demo,
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


async def test_glyphs_tell_gained_from_lost() -> None:
    async with workbench_at() as (app, pilot):
        # The bar counts what is gained and lost.
        for size in SIZES:
            await pilot.afresh(requires="gpu|debug", size=size)
            await pilot.press("ctrl+k")
            assert said(app) == "A gpu|debug 40 is kept: write another one here, ctrl+k ends"
            await pilot.put("gpu|bigmem")
            assert said(app).startswith("A gpu|debug 40 · B 32: +8 gained, −16 lost")
            assert "A gpu|debug 40 · B 32: +8 gained, −16 lost" in row_of(app, "#ask-message")
            assert plain(app, "#answer") == "32 of 196 nodes"
            if size == WIDE:
                assert said(app).endswith(" · gained dunemem[1-8] · lost dune[145-160]")
        # Map and table tell gained from lost.
        for view in ("#node-map", "#node-table"):
            await pilot.afresh(requires="x", on=cluster(8, PROPERTIES), size=NORMAL)
            widget = await into(app, pilot, view)
            await pilot.press("ctrl+k")
            await pilot.put("y")
            looks = looks_of(widget, 0, 8)
            assert [look.glyph for look in looks] == list("·▽▽■■▲▲·")
            assert [looks[at].role for at in (0, 1, 3, 5)] == ["faint", "problem", "match", "count"]
            if view == "#node-map":
                assert widget.render_line(0).text.split()[1:] == list("·▽▽■■▲▲·")
        # The frame says what the glyphs mean.
        await pilot.afresh(requires="x", on=cluster(8, PROPERTIES))
        await pilot.press("ctrl+k")
        assert "▲ 0 gained  ▽ 0 lost  ■ 4 both  · neither" in screen_text(app)
        await pilot.put("y")
        assert "▲ 2 gained  ▽ 2 lost  ■ 2 both  · neither   ctrl+k ends" in screen_text(app)
        await pilot.put("y&")
        assert "□ 2 both" in screen_text(app)
        # Selected nodes keep what the comparison says of them.
        for view in ("#node-map", "#node-table"):
            await pilot.afresh(requires="x", on=cluster(8, PROPERTIES))
            widget = await into(app, pilot, view)
            await pilot.press("ctrl+k")
            await pilot.put("y")
            app.go_to("map")
            await pilot.settle()
            await pilot.press("a")  # what is gained and what is lost
            assert app.state.selected == 0b1100110
            await pilot.press("home", "space")
            looks = looks_of(widget, 0, 8)
            assert [look.glyph for look in looks] == list("·▽▽■■▲▲·")
            assert [look.marked for look in looks] == [bit == "1" for bit in "11100110"]
            assert [looks[at].role for at in (1, 3, 5)] == ["problem", "match", "count"]
            drawn = widget.render_line(2 if view == "#node-table" else 0)
            lines = {s.text.strip(): s.style for s in drawn if s.style is not None}
            assert next(style for text, style in lines.items() if "▽" in text).underline
            if view == "#node-map":
                assert not lines["■ ■"].underline
        # The legend counts the comparison then the selected.
        await pilot.afresh(requires="x", on=cluster(8, PROPERTIES))
        await pilot.press("ctrl+k")
        await pilot.put("y")
        app.go_to("map")
        await pilot.settle()
        await pilot.press("a")
        assert "▲ 2 gained  ▽ 2 lost  ■ 2 both  ▁ 4 selected" in screen_text(app)
        await pilot.press("escape")
        assert "▲ 2 gained  ▽ 2 lost  ■ 2 both  · neither" in screen_text(app)
        # N and p go through what is gained and lost.
        await pilot.afresh(requires="x", on=cluster(8, PROPERTIES))
        await pilot.press("ctrl+k")
        await pilot.put("y")
        await into(app, pilot)
        found = []
        for key in ("n", "n", "n", "n", "n", "p"):
            await pilot.press(key)
            found.append(app.state.cursor)
        assert found == [1, 2, 5, 6, 1, 6]


async def test_a_long_constraint_leaves_room_for_the_counts() -> None:
    text = "|".join(f"rack{n}" for n in range(1, 7)) + "&-host:dune[001-003]"
    async with workbench_at(NARROW, requires=text) as (app, pilot):
        await pilot.press("ctrl+k")
        await pilot.put("gpu")
        row = row_of(app, "#ask-message")
        assert "A rack1|rack2" in row
        assert "… " in row
        assert " lost" in row
        await pilot.resize_terminal(*WIDE)
        await pilot.settle()
        assert len(said(app)) > len(row.strip())


async def test_one_is_kept_and_compared_by_keys() -> None:
    async with workbench_at() as (app, pilot):
        # The key works in an input and ends it again.
        await pilot.put("gpu")
        await pilot.press("home", "ctrl+k")
        assert app.state.ask.text == "gpu"
        assert app.state.kept is not None
        await pilot.put("bigmem")
        await pilot.press("ctrl+k")
        assert app.state.kept is None
        assert said(app).startswith("512 cores")
        assert "gained" not in screen_text(app)
        # The same nodes in other words.
        await pilot.afresh(requires="gpu")
        await pilot.press("ctrl+k")
        await pilot.put("host:dunegpu[01-24]")
        assert said(app) == "A gpu 24 · B 24: the same nodes"
        # A blank constraint is all nodes.
        await pilot.afresh()
        await pilot.press("ctrl+k")
        assert said(app).startswith("A all nodes 196 is kept")
        await pilot.put("gpu")
        assert said(app).startswith("A all nodes 196 · B 24: +0 gained, −172 lost")
        await pilot.put("")
        await pilot.press("ctrl+k")
        await pilot.put("gpu")
        await pilot.press("ctrl+k")
        await pilot.put("")
        assert said(app).startswith("A gpu 24 · B 196: +172 gained, −0 lost")
        # An unfinished constraint cannot be kept.
        await pilot.afresh(requires="gpu")
        await pilot.put("gpu&")
        await pilot.press("ctrl+k")
        assert app.state.kept is None
        assert messages(app) == ["Finish the constraint first: it has a problem."]
        # Swapping a and b.
        await pilot.afresh(requires="gpu|debug")
        app.comparison.swap_constraints()
        await pilot.settle()
        assert "ctrl+k keeps the one in the bar" in messages(app)[0]
        await pilot.press("ctrl+k")
        await pilot.put("gpu|bigmem")
        app.comparison.swap_constraints()
        assert app.state.ask.text == "gpu|debug"
        assert said(app).startswith("A gpu|bigmem 32 · B 40: +16 gained, −8 lost")
        await pilot.press("ctrl+z")
        assert app.state.ask.text == "gpu|bigmem"
        assert said(app).startswith("A gpu|debug 40 · B 32: +8 gained, −16 lost")
        await pilot.press("ctrl+r")
        assert said(app).startswith("A gpu|bigmem 32 · B 40: +16 gained, −8 lost")
        # Undo keeps a.
        await pilot.afresh(requires="gpu")
        await pilot.press("ctrl+k")
        await pilot.put("bigmem")
        await pilot.press("ctrl+z")
        assert app.state.ask.text == "gpu"
        assert said(app).startswith("A gpu 24 is kept")


async def test_other_clusters_and_queues_come_between() -> None:
    async with workbench_at(on=cluster(8, PROPERTIES), requires="x") as (app, pilot):
        # On another cluster a is matched anew.
        await pilot.press("ctrl+k")
        await pilot.put("y")
        app.edit(OpenCluster(cluster(12, {"x": "0-8", "y": "9"})))
        await pilot.settle()
        assert said(app) == "A x 9 · B 1: +1 gained, −9 lost · gained n9 · lost n[0-8]"
        assert "▲ 1 gained  ▽ 9 lost  ■ 0 both" in screen_text(app)
        # A queue that is looked at comes before the comparison.
        await pilot.afresh(requires="gpu")
        await pilot.press("ctrl+k")
        app.edit(LookAtQueue("debug"))
        await pilot.settle()
        assert "in debug" in screen_text(app)
        app.edit(LookAtQueue(None))
        await pilot.settle()
        assert "gained" in screen_text(app)
        # Another constraint is written where it belongs.
        await pilot.afresh(shape="node", requires="gpu")
        app.shape_bar.entry.focus()
        await pilot.press("ctrl+k", "x")
        assert (app.state.build.text, app.state.ask.text) == ("node", "x")
        await pilot.press("ctrl+k", "ctrl+k", "end", "|", "y")  # or it is changed
        assert (app.state.build.text, app.state.ask.text) == ("node", "x|y")


async def test_texts_are_shown_literally() -> None:
    on = cluster(8, {"[red]": "1-2", "y": "2-3"}, hosts="[b]n[0-7]")
    async with workbench_at(WIDE, on=on, requires='{"properties": ["[red]"]}') as (app, pilot):
        await pilot.press("ctrl+k")
        await pilot.put('{"properties": ["y"]}')
        assert said(app).startswith('A {"properties": ["[red]"]} 2 · B 2: +1 gained, −1 lost')


async def test_the_demo_cluster_has_what_these_tests_count() -> None:
    properties = demo().resources.properties
    assert [properties[name].bit_count() for name in ("gpu", "debug", "bigmem")] == [24, 22, 8]


# Two documents compared: on the map, in the node, and as a list


@pytest.fixture
def files(here: Path) -> list[str]:
    """Two documents in the folder that the program runs in."""
    return pair(here)


async def test_two_documents_are_compared(files: list[str]) -> None:
    async with workbench_at() as (app, pilot):
        # Map and table tell what differs.
        for view in ("#node-map", "#node-table"):
            await pilot.afresh()
            await compare(app, pilot, files, view)
            assert glyphs(app, view) == "◪·◪···▲▲"
            await pilot.press("[")
            assert glyphs(app, view) == "◪·◪···▽▽"
            await pilot.press("d")
            assert app.state.compared is None
            assert not set("◪▽▲") & set(glyphs(app, view))
        # The frame counts it.
        await pilot.afresh()
        await compare(app, pilot, files)
        assert "▲ 2 added  ◪ 2 changed  ▽ 2 removed  · 4 same   d ends" in screen_text(app)
        await pilot.press("[")
        assert "▽ 2 removed  ◪ 2 changed  ▲ 2 added  · 4 same   d ends" in screen_text(app)
        await pilot.press("a")
        assert "▽ 2 removed  ◪ 2 changed  ▲ 2 added  ▁ 4 selected" in screen_text(app)
        # It is told once.
        await pilot.afresh()
        await compare(app, pilot, files)
        assert messages(app)[-1].startswith(
            "a.json → b.json: 2 nodes added · 2 removed · 2 changed · 4 the same\n"
        )
        # N and p go through it.
        await pilot.afresh()
        await compare(app, pilot, files)
        seen = []
        for _ in range(4):
            await pilot.press("n")
            seen.append(app.state.cursor)
        assert seen == [2, 6, 7, 0]
        # The node says what differs in it.
        await pilot.afresh()
        await compare(app, pilot, files)
        assert "◪ since a.json: lost property gpu" in node(app)
        await pilot.press("right")
        assert "· the same in a.json" in node(app)
        await pilot.press("end")
        assert "▲ not in a.json" in node(app)
        await pilot.press("[", "end")
        assert "▽ not in b.json" in node(app)
        await pilot.press("home")
        assert "◪ in b.json: lost property gpu" in node(app)
        await pilot.press("d")
        assert "b.json" not in node(app)
        # The one that was opened later is the one after.
        await pilot.afresh()
        await compare(app, pilot, files)
        await pilot.press("d", "[", "d")
        await pilot.done()
        assert app.state.compared is not None
        assert app.state.compared.after.source.name == "b.json"
        assert app.state.cluster.source.name == "a.json"
        # The list of documents compares.
        await pilot.afresh()
        await compare(app, pilot, files)
        await pilot.press("d", "ctrl+d", "d")
        await pilot.done()
        assert app.state.compared is not None
        await pilot.press("ctrl+d", "down", "d")
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
        await pilot.press("2")
        await pilot.done()
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
            [line for line in screen_text(app).splitlines() if f" {number}  a.json" in line]
            for number in (1, 2)
        )
        assert len(first) == len(second) == 1
        assert first[0].count("a.json") == 1
        assert "long/other/a.json" in second[0]
        assert "longlonglong" in second[0]
        assert "…" in second[0]
        assert sum("longlong" in line for line in screen_text(app).splitlines()) == 1
        assert "enter compares" in screen_text(app)


async def test_there_is_nothing_to_compare_with() -> None:
    async with workbench_at() as (app, pilot):
        app.go_to("map")
        await pilot.settle()
        for key in ("d", "D"):
            await pilot.press(key)
            assert "Open another document first" in messages(app)[-1]


async def test_constraints_are_compared_in_its_place(files: list[str]) -> None:
    async with workbench_at(requires="gpu") as (app, pilot):
        await compare(app, pilot, files)
        await pilot.press("ctrl+k")
        assert app.state.compared is None
        assert app.state.kept is not None
        assert glyphs(app) == "·■■·····"
        app.go_to("map")
        await pilot.press("d")
        await pilot.done()
        assert app.state.kept is None
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


@pytest.mark.parametrize("focused", ["cluster", "properties"])
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
        assert "comparing a.json and b.json …  esc stops" in screen_text(app)
        await pilot.press("escape")
        assert "comparing" not in screen_text(app)
        go_on.set()
        await pilot.done()
        assert app.state.compared is None


async def test_what_is_compared_goes_on(files: list[str]) -> None:
    async with workbench_at() as (app, pilot):
        # Typing goes on beside it.
        await compare(app, pilot, files)
        await pilot.put("gpu")
        assert plain(app, "#answer") == "2 of 8 nodes"
        assert glyphs(app) == "◪·◪···▲▲"
        await pilot.until(lambda: app.state.compared is not None)
        # Its keys land in the cluster from wherever it was asked for.
        await pilot.afresh(shape="node")
        app.documents.open_sources(files)
        await pilot.done()
        app.shape_bar.entry.focus()
        await pilot.press("ctrl+d", "d")
        await pilot.done()
        assert any("D lists it" in message for message in messages(app))
        await pilot.press("D")
        assert app.state.build.text == "node"
        assert len(app.screen_stack) == 2


@pytest.mark.parametrize("count", [200, 1_000_000])
async def test_any_number_of_nodes(count: int) -> None:
    one = cluster(count, hosts=f"n[0-{count - 1}]")
    other = cluster(count, hosts=f"n[1-{count}]")
    async with workbench_at(on=one) as (app, pilot):
        app.edit(OpenCluster(other))
        app.comparison.compare_documents()
        await pilot.until(lambda: app.state.compared is not None)
        app.go_to("map")
        await pilot.settle()
        assert f"▲ 1 added  ◪ {count - 1:,} changed  ▽ 1 removed" in screen_text(app)
        app.edit(MoveCursor(count - 1))
        assert "▲ not in test" in node(app)
        app.edit(MoveCursor(0))
        assert "◪ since test: rank 1 → 0" in node(app)
        await pilot.press("[")
        assert "▽ not in test" in node(app)
        app.edit(MoveCursor(count - 1))
        assert f"◪ in test: rank {count - 1} → {count - 2}" in node(app)


# What differs between two documents, as a list: to look at, to go to, to copy, to save


async def test_changes_are_listed_and_nodes_selected(files: list[str]) -> None:
    async with workbench_at() as (app, pilot):
        # The list.
        await compare(app, pilot, files)
        await pilot.press("D")
        text = screen_text(app)
        assert "− a.json  8 nodes · 32 cores" in text
        assert "+ b.json  8 nodes · 32 cores" in text
        rows = [" ".join(line.strip("│ ").split()) for line in text.splitlines()]
        for row in (
            "+ m[0-1] 8 cores · batch 2 nodes",
            "− n[6-7] 8 cores · batch 2 nodes",
            "~ n2 gained property gpu 1 node",
            "~ n0 lost property gpu 1 node",
        ):
            assert any(row in line for line in rows), row
        assert "2 nodes added · 2 removed · 2 changed · 4 the same (matched by host name)" in text
        await pilot.press("D")
        assert len(app.screen_stack) == 1
        # Enter selects the nodes where they are.
        await pilot.afresh()
        await compare(app, pilot, files)
        await pilot.press("D", "down", "enter")
        assert app.state.cluster.source.name == "a.json"
        assert (app.state.cursor, app.state.selected) == (6, 0b11000000)
        assert app.focused is app.views.map.view
        await pilot.press("D", "down", "down", "enter")
        assert app.state.cluster.source.name == "b.json"
        assert (app.state.cursor, app.state.selected) == (2, 0b100)
        assert app.state.compared is not None
        # It can be turned round.
        await pilot.afresh()
        await compare(app, pilot, files)
        await pilot.press("D", "r")
        await pilot.done()
        assert app.state.compared is not None
        assert app.state.compared.after.source.name == "a.json"
        assert glyphs(app) == "◪·◪···▽▽"
        assert app.state.cluster.source.name == "b.json"


async def test_many_changes_are_in_sight(files: list[str], here: Path) -> None:
    async with workbench_at(NARROW) as (app, pilot):
        # Many changes leave the sum in sight.
        many = {f"p{number}": f"{number % 8}" for number in range(50)}
        other = write_document(here / "c.json", document(8, many, "n[0-7]"))
        await pilot.afresh()
        await compare(app, pilot, [files[0], other])
        await pilot.press("D", "end")
        text = screen_text(app)
        assert "gained property p49" in text
        assert "8 nodes changed (matched by host name)" in text
        assert "enter selects them" in text
        # What became of many scattered nodes is in sight.
        odd = ",".join(map(str, range(1, 4000, 2)))
        files = [
            write_document(here / f"{name}.json", document(4000, {prop: odd}, "node[0-3999]"))
            for name, prop in (("a", "here"), ("b", "there"))
        ]
        await pilot.afresh(size=NORMAL)
        await compare(app, pilot, files)
        await pilot.press("D")
        (row,) = (line for line in screen_text(app).splitlines() if "lost property here" in line)
        assert "  node[1,3,5,7,9" in row
        assert "2,000 nodes" in row
        assert "…  lost property here" in row or "],...  lost property here" in row


async def test_it_is_copied_and_saved(files: list[str], here: Path) -> None:
    async with workbench_at() as (app, pilot):
        await compare(app, pilot, files)
        await pilot.press("D", "ctrl+y")
        await pilot.done()
        assert app.clipboard.startswith(f"- {files[0]}  8 nodes, 32 cores\n")
        assert "\n+ 2 nodes  m[0-1]  8 cores · batch\n" in app.clipboard
        for name in ("changes.txt", "changes.json"):
            await pilot.press("D", "ctrl+s")
            await pilot.fill_dialog(str(here / name))
        await pilot.done()
        assert (here / "changes.txt").read_text() == app.clipboard + "\n"
        found = json.loads((here / "changes.json").read_text())
        assert found["added"] == {"count": 2, "ranks": "6-7", "hosts": "m[0-1]"}


async def test_hostile_names_are_shown_as_they_are(files: list[str], here: Path) -> None:
    name = "[red]x\x1b[31m"
    other = write_document(here / "[b]c.json", document(8, {name: "0"}, "n[0-7]"))
    async with workbench_at() as (app, pilot):
        await compare(app, pilot, [files[0], other])
        assert "[b]c.json" in messages(app)[-1]
        assert "since a.json: " in node(app)
        assert "gained property [red]x\\x1b[31m" in node(app)
        await pilot.press("D")
        assert isinstance(app.screen, ChangesDialog)
        assert "+ [b]c.json" in screen_text(app)
        assert "gained property [red]x\\x1b[31m" in screen_text(app)
