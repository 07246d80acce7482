"""The stage: stepping through constraints, and what the workbench keeps meanwhile."""

import re
from pathlib import Path

import pytest

from fluxtui.answers.explain.explanation import explain
from fluxtui.model.stage import Stage, Step
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.stage.stage_screen import StageScreen, explanation_lines
from fluxtui.workbench import EditRequires, KeepConstraint, start
from fluxtui.workbench import step as stepped
from tests.ui.documents import cluster, demo, document, write_document
from tests.ui.helpers import NARROW, NORMAL, WIDE, workbench_at
from tests.ui.seen import lacking, messages, screen_text
from tests.ui.staging import place, stage, step, talk, unstaged
from tests.ui.terminal import Terminal


def odd(count: int) -> str:
    """A list of so many steps, each with a key that is unknown."""
    return "\n".join(f"- title: t{n}\n  constraint: gpu\n  nota: x" for n in range(count))


def test_an_explanation_gives_way_to_its_words() -> None:
    ask = stepped(start(demo()), EditRequires("gpu&-debug")).ask
    found = explain(ask.requires, demo().resources, ask.counted)
    assert found is not None

    def drawn(width: int, height: int) -> list[str]:
        lines = explanation_lines(found, width, height, Palette.of({}))
        return [line.plain.rstrip() for line in lines]

    said = "match  left|   18    18  and|   24    24  ├ gpu|  174    18  └ not debug"
    assert "|".join(drawn(24, 4)) == said
    assert drawn(40, 8)[-1] == "  174    18  █▏·········   └ not debug"
    assert drawn(60, 4)[0] == "matches  remaining"


async def test_a_view_is_handed_on(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with workbench_at(requires="gpu&-debug") as (app, pilot):
        await pilot.press("f11")
        text = screen_text(app)
        shown = "RFC 31 by example|Your constraint|■ match  · no match|dunegpu01|└ not debug"
        assert not lacking(text, *shown.split("|"))
        others = ("Shape", "Requires", "Properties", "ctrl", "commands")
        assert lacking(text, *others) == [*others]
        await pilot.do("s")
        (picture,) = here.glob("fluxtui-*.svg")
        assert "RFC&#160;31&#160;by&#160;example" in picture.read_text()
        await pilot.press("escape")
        copied: list[str] = []
        monkeypatch.setattr(app, "copy_to_clipboard", copied.append)
        app.export.copy_view()
        await pilot.done()
        assert copied[0].startswith("query       gpu&-debug\n")
        assert "  └ not debug" in copied[0]


async def test_the_workbench_is_as_it_was_and_its_constraints_are_steps() -> None:
    async with workbench_at(NARROW, shape="node=2", requires="gpu") as (app, pilot):
        history = app.history
        await pilot.press("f11", "right", "right", "end", "escape")
        assert app.history is history
        await pilot.press("f11", "home", "right", "right", "e")
        assert len(app.history.past) == len(history.past) + 1
        # The examples begin with their first one.
        app.stage.open_examples()
        await pilot.settle()
        assert stage(app).heading.plain == "With a property"
        # A and B are a step each.
        await unstaged(app, pilot, requires="gpu")
        app.edit(KeepConstraint())
        await pilot.put("bigmem")
        await pilot.press("f11")
        seen = []
        for _ in range(3):
            seen.append(step(app))
            await pilot.press("enter")
        assert seen == [("A", "gpu"), ("B", "bigmem"), ("With a property", "ssd")]
        assert place(app).endswith("4 of 16")


async def test_some_faults_are_told_with_their_lines(here: Path) -> None:
    async with workbench_at(NARROW, notifications=True) as (app, pilot):
        for count, told in ((3, ["3", "6", "9"]), (8, ["3", "6", "9", "12", "15"])):
            app.messages.clear()
            await pilot.open(talk(here, odd(count)))
            (said,) = messages(app)
            assert re.findall("line ([0-9]+)", said) == told
        assert said.endswith("and 3 more: fluxtui check lists them all")


def test_a_list_from_the_command_line(here: Path) -> None:
    resources = write_document(here / "R.json", document(8, {"gpu": "0-3", "bigmem": "3"}))
    with Terminal("-r", resources, "--stage", talk(here), columns=80, rows=24) as terminal:
        terminal.wait_for("Which nodes will do?", "1 of 4", "4 of 8 nodes")
        terminal.press("\x1b[C", "2 of 4", "1 of 8 nodes")
        terminal.press("e", "Requires", '{"properties": ["bigmem"]}')
        terminal.press("\x1b[23~", "2 of 4")
        terminal.resize(120, 40)
        terminal.wait_for("2 of 4", "match  left")
        terminal.quit()
    with Terminal("--stage", talk(here, "version: 1\nresources: []\n")) as terminal:
        assert terminal.wait_for_exit() == 1
        assert "a stage list has no key 'version'" in " ".join(terminal.text.split())


async def test_every_step_fits_at_each_size() -> None:
    async with workbench_at(NARROW) as (app, pilot):
        await pilot.press("f11")
        for size in (WIDE, NARROW):
            await pilot.resize_terminal(*size)
            await pilot.press("home")
            for number in range(14):
                screen = stage(app)
                text = " ".join(screen_text(app).split())
                at, lit = screen.step, screen.state.ask.totals.nodes
                said = (at.title, " ".join(at.note.split()), f"{number + 1} of 14")
                shown = ("dune-login1", "dunemem1", "esc close", "? keys", f"{lit} of 196 nodes")
                assert not lacking(text, at.constraint, *said, *shown)
                assert len(re.findall("■+", text)) == lit + 1  # and one in the legend
                await pilot.press("right")
        # A theme is chosen there.
        await pilot.do("home", "f9")
        await pilot.press("down", "enter")
        assert isinstance(app.screen, StageScreen)
        assert app.theme != "dusk"
        segments = [one for row in app.screen._compositor.render_strips() for one in row]
        colours = {one.style.color for one in segments if one.style and "100" in one.text}
        assert app.palette.match.color in colours
        # The map and the explanation take turns where there is little room.
        await unstaged(app, pilot, size=NARROW, requires="gpu&-debug")
        await pilot.press("f11")
        for size, there in ((NARROW, False), (NORMAL, True), (WIDE, True), ((80, 40), True)):
            await pilot.resize_terminal(*size)
            for both in (there, True, there):
                is_turned = both is not there
                assert ("└ not debug" in screen_text(app)) is both
                assert ("r explain" in screen_text(app)) is not (there or is_turned)
                assert ("dunemem1" in screen_text(app)) is (there or not is_turned)
                assert ("r map" in screen_text(app)) is (is_turned and not there)
                await pilot.press("r")
            await pilot.press("r")
        # A long constraint is broken where it may be and ends in an ellipsis.
        await unstaged(app, pilot, size=NARROW)
        text = "host:n[" + ",".join(map(str, range(0, 4000, 2))) + "]"
        app.stage.show_list(Stage("t", (Step("long", text),)))
        await pilot.settle()
        assert [line.plain[-1] for line in stage(app).constraint.lines] == [",", ",", "…"]


async def test_the_stage_of_other_clusters() -> None:
    async with workbench_at(NARROW) as (app, pilot):
        # All nodes are in sight, and so are few that match.
        await unstaged(app, pilot, on=cluster(20_000, {"x": "100-103"}))
        app.stage.show_list(Stage("t", (Step("few", "x"),)))
        for size in (NORMAL, NARROW):
            await pilot.resize_terminal(*size)
            view = stage(app).map
            assert view.row_count <= view.size.height
            assert view.grid.span(view.grid.cells - 1)[1] == 20_000
            assert {*"▁▂▃"} & {*view.render_line(view.row_of(100) or 0).text}
            assert f"1 cell = {view.zoom.size:,} nodes" in screen_text(app)
