"""The stage: stepping through constraints, and what the workbench keeps meanwhile."""

import re
from pathlib import Path

import pytest

from fluxtui.answers.explain.explanation import explain
from fluxtui.model.stage import Stage, Step
from fluxtui.ui.kit.palette import Palette
from fluxtui.ui.stage.stage_screen import StageScreen, explanation_lines
from fluxtui.workbench import EditRequires, KeepConstraint, OpenCluster, start
from fluxtui.workbench import step as stepped
from tests.ui.documents import cluster, demo, document, write_document
from tests.ui.helpers import NARROW, NORMAL, WIDE, workbench_at
from tests.ui.seen import lacking, messages, screen_text
from tests.ui.staging import place, stage, step, talk, unstaged
from tests.ui.terminal import Terminal

FAULTY = "- title: a\n  constraint: gpu\n- title: b\n- title: c\n  constraint: ssd\n  nota: x\n"


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


async def test_keys_step_through_the_examples(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with workbench_at() as (app, pilot):
        await pilot.press("f11")
        text = screen_text(app)
        shown = "RFC 31 by example|1 of 14|With a property|All nodes that have the property ssd."
        assert not lacking(text, *shown.split("|"), "■ match  · no match", "dunegpu01")
        others = ("Shape", "Requires", "Properties", "ctrl", "commands")
        assert lacking(text, *others) == [*others]
        for keys, number in (
            (("right",), 2),
            (("pagedown", "space", "enter"), 5),
            (("left", "backspace", "pageup"), 2),
            (("end", "right"), 14),
            (("home", "left"), 1),
            (("f5", "ctrl+z", "ctrl+o", "f2", "tab"), 1),  # of the workbench
        ):
            await pilot.press(*keys)
            assert place(app) == f"RFC 31 by example {number} of 14"
        await pilot.press(*["right"] * 3)
        assert step(app) == ("With one of two properties", "ssd|bigmem")
        assert stage(app).note.plain.endswith("In the RFC: ssd|huge")
        # A step is chosen from the list.
        await pilot.press("l")
        assert "host:dune[032-033]" in screen_text(app)
        for keys, number in ((("1", "2"), 12), (("l", "3"), 3), (("l", "down", "escape"), 3)):
            await pilot.press(*keys)
            assert place(app).endswith(f"{number} of 14")
        # What is handed on.
        copied: list[str] = []
        monkeypatch.setattr(app, "copy_to_clipboard", copied.append)
        await pilot.do("home", "c", "s")
        assert copied[0].startswith("With a property\n\nAll nodes that have the property ssd.")
        lines = ("query       ssd", 'JSON        {"properties": ["ssd"]}', "100 of 196 nodes")
        assert not lacking(copied[0], *lines)
        (picture,) = here.glob("fluxtui-*.svg")
        assert "RFC&#160;31&#160;by&#160;example" in picture.read_text()
        await pilot.press("escape")
        await pilot.put("gpu&-debug")
        app.export.copy_view()
        await pilot.done()
        assert copied[1].startswith("query       gpu&-debug\n")
        assert "  └ not debug" in copied[1]


async def test_the_workbench_is_as_it_was_or_has_the_constraint_of_the_step() -> None:
    async with workbench_at(NARROW, shape="node=2", requires="gpu") as (app, pilot):
        history = app.history
        await pilot.press("f11", "right", "right", "end", "escape")
        assert (len(app.screen_stack), app.history) == (1, history)
        # One's own constraint comes first; it goes on where it was left.
        await unstaged(app, pilot, requires="gpu&-debug")
        await pilot.press("f11")
        assert (place(app)[-7:], step(app)) == ("1 of 15", ("Your constraint", "gpu&-debug"))
        await pilot.press("right", "left", "left", "right", "right", "right", "escape", "f11")
        assert place(app).endswith("4 of 15")
        steps = len(app.history.past)
        await pilot.press("e")
        assert app.ask_bar.entry.value == app.state.ask.text == "-gpu"
        assert app.ask_bar.entry.has_focus
        assert len(app.history.past) == steps + 1
        await pilot.press("f11")
        assert stage(app).constraint.plain == "-gpu"
        await pilot.press("f11")
        for text, shown in (("bigmem", "1 of 15"), ("", "1 of 14"), ("gpu&", "1 of 15")):
            await pilot.put(text)
            await pilot.press("f11")
            assert place(app).endswith(shown)
            assert stage(app).constraint.plain == (text or "ssd")
            assert ("cannot be read" in screen_text(app)) is (text == "gpu&")
            await pilot.press("escape")
        # The examples begin with their first one.
        await pilot.put("gpu")
        app.stage.open_examples()
        await pilot.settle()
        assert stage(app).heading.plain == "With a property"
        assert place(app).endswith("2 of 15")
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


async def test_ctrl_o_knows_a_list_by_its_content(here: Path) -> None:
    async with workbench_at(NARROW, requires="bigmem") as (app, pilot):
        await pilot.press("ctrl+o")
        await pilot.fill_dialog(talk(here))
        assert place(app) == "Which nodes will do? 1 of 4"
        for said in (
            ("GPUs, not for debugging", "the other. [b]Not markup[/b]", "18 of 196"),
            ('{"properties": ["bigmem"]}', "8 of 196 nodes"),
            ("0 of 196 nodes   no node is left after not gpu",),
            ("cannot be read", "expected a term before '&'"),
        ):
            assert not lacking(screen_text(app), *said)
            await pilot.press("right")
        assert "■" not in screen_text(app)
        # It stays as it is and offers the constraint in the bar.
        assert place(app).endswith("4 of 4")
        await pilot.press("l", "5", "enter")
        assert stage(app).constraint.plain == "bigmem"
        name = "Which nodes will do? "
        goes = (("right", f"{name}beside the list"), ("left", f"{name}4 of 4"))
        await pilot.steps(lambda: place(app), *goes)
        # A list takes the place of the one on stage.
        await unstaged(app, pilot)
        await pilot.press("f11", "right")
        await pilot.open(talk(here))
        assert place(app) == "Which nodes will do? 1 of 4"
        await pilot.press("escape")
        assert len(app.screen_stack) == 1


async def test_faults_are_told_with_their_lines_and_the_rest_is_shown(here: Path) -> None:
    async with workbench_at(NARROW, source=talk(here, FAULTY), notifications=True) as (app, pilot):
        await pilot.done()
        assert place(app) == "talk.yaml 1 of 2"
        (said,) = messages(app)
        assert "talk.yaml, line 3, column 3: the step has no constraint\n" in said
        assert said.endswith("line 6, column 3: unknown key 'nota'; did you mean note?")
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
        assert "unknown key 'version'" in " ".join(terminal.text.split())


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
        await pilot.press("f11")
        await pilot.edit(OpenCluster(cluster(8, {"x": "0-3", "y": "2-5"})))
        assert step(app) == ("With a property", "x")
        assert "4 of 8 nodes" in screen_text(app)
        await unstaged(app, pilot, on=cluster(0))
        await pilot.press("f11")
        assert not lacking(screen_text(app), "0 of 0 nodes", "There are no nodes here")
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
