"""The stage: stepping through constraints, and what the workbench keeps meanwhile."""

import re
from pathlib import Path

import pytest
from rich.cells import cell_len

from fluxtui import opening
from fluxtui.model.stage import Stage, Step
from fluxtui.notation.problem import render
from fluxtui.ui.kit.picker import Picker
from fluxtui.ui.stage.stage_screen import StageScreen
from fluxtui.workbench import KeepConstraint, OpenCluster
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    WIDE,
    cluster,
    document,
    messages,
    screen_text,
    workbench_at,
    write_document,
)
from tests.ui.staging import place, stage, step, talk, unstaged
from tests.ui.terminal import Terminal

FAULTY = "- title: a\n  constraint: gpu\n- title: b\n- title: c\n  constraint: ssd\n  nota: x\n"


def odd(count: int) -> str:
    """A list of so many steps, each with a key that is unknown."""
    return "\n".join(f"- title: t{n}\n  constraint: gpu\n  nota: x" for n in range(count))


async def test_keys_step_through_the_examples(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with workbench_at() as (app, pilot):
        await pilot.press("f11")
        text = screen_text(app)
        shown = "RFC 31 by example|1 of 14|With a property|All nodes that have the property ssd."
        for words in (*shown.split("|"), "100 of 196 nodes", "■ match  · no match", "dunegpu01"):
            assert words in text
        for words in ("Shape", "Requires", "Properties", "ctrl", "commands"):
            assert words not in text
        for keys, number in (
            (("right",), 2),
            (("pagedown", "space", "enter"), 5),
            (("left", "backspace"), 3),
            (("pageup",), 2),
            (("end",), 14),
            (("right",), 14),
            (("home",), 1),
            (("left",), 1),
            (("f5", "ctrl+z", "ctrl+o", "f2", "tab"), 1),  # of the workbench
        ):
            await pilot.press(*keys)
            assert place(app) == f"RFC 31 by example {number} of 14"
        await pilot.press(*["right"] * 3)
        assert step(app) == ("With one of two properties", "ssd|bigmem")
        assert stage(app).note.plain.endswith("In the RFC: ssd|huge")
        # A step is chosen from the list.
        await pilot.press("l")
        assert "Without a property, by not" in screen_text(app)
        assert "host:dune[032-033]" in screen_text(app)
        for keys, number in ((("1", "2"), 12), (("l", "3"), 3)):
            await pilot.press(*keys)
            assert place(app).endswith(f"{number} of 14")
        await pilot.press("l", "down", "escape")
        assert place(app).endswith("3 of 14")
        # What is handed on.
        copied: list[str] = []
        monkeypatch.setattr(app, "copy_to_clipboard", copied.append)
        await pilot.press("home", "c", "s")
        await pilot.done()
        assert copied[0].startswith("With a property\n\nAll nodes that have the property ssd.")
        for line in ("query       ssd", 'JSON        {"properties": ["ssd"]}', "100 of 196 nodes"):
            assert line in copied[0]
        (picture,) = here.glob("fluxtui-*.svg")
        assert "RFC&#160;31&#160;by&#160;example" in picture.read_text()
        for key in ("f1", "ctrl+p"):
            await pilot.press(key)
            assert isinstance(app.screen, Picker)
            assert {"List", "Edit", "Copy", "Picture", "Theme"} <= set(app.screen.labels)
            assert "Save" not in app.screen.labels
            await pilot.press("escape")
        await pilot.press("escape")
        await pilot.put("gpu&-debug")
        app.copy_view()
        await pilot.done()
        assert copied[1].startswith("query       gpu&-debug\n")
        assert "  └ not debug" in copied[1]
        await pilot.press("f11", "f10")
        assert not app.is_running


async def test_the_workbench_is_as_it_was_or_has_the_constraint_of_the_step() -> None:
    async with workbench_at(shape="node=2") as (app, pilot):
        await pilot.put("gpu")
        history, steps = app.history, len(app.history.past)
        await pilot.press("f11", "right", "right", "end", "escape")
        assert len(app.screen_stack) == 1
        assert app.history is history
        assert app.ask_bar.entry.value == "gpu"
        assert "24 of 196 nodes" in screen_text(app)
        await pilot.press("f11", "home", *["right"] * 3, "e")
        assert app.ask_bar.entry.value == "-gpu"
        assert app.ask_bar.entry.has_focus
        assert len(app.history.past) == steps + 1
        await pilot.press("ctrl+z")
        assert app.ask_bar.entry.value == "gpu"
        # It goes on where it was left.
        await unstaged(app, pilot)
        await pilot.press("f11", "right", "right", "f11")
        assert len(app.screen_stack) == 1
        await pilot.press("f11")
        assert place(app).endswith("3 of 14")
        await pilot.press("escape")
        app.stage.open_examples()
        await pilot.settle()
        assert place(app).endswith("1 of 14")


async def test_the_constraint_in_the_bar_comes_first() -> None:
    async with workbench_at(NARROW, requires="gpu&-debug") as (app, pilot):
        await pilot.press("f11")
        assert place(app) == "RFC 31 by example 1 of 15"
        assert step(app) == ("Your constraint", "gpu&-debug")
        assert "18 of 196 nodes" in screen_text(app)
        await pilot.press("right")
        assert stage(app).heading.plain == "With a property"
        await pilot.press("left", "left")
        assert place(app).endswith("1 of 15")
        await pilot.press("right", "right", "right", "escape", "f11")
        assert place(app).endswith("4 of 15")  # where it was left
        await pilot.press("e")
        text = app.state.ask.text
        await pilot.press("f11")
        assert place(app).endswith("4 of 15")
        assert stage(app).constraint.plain == text
        await pilot.press("escape")
        await pilot.put("bigmem")  # another constraint
        await pilot.press("f11")
        assert place(app).endswith("1 of 15")
        assert stage(app).constraint.plain == "bigmem"
        await pilot.press("escape")
        await pilot.put("")
        await pilot.press("f11")
        assert place(app).endswith("1 of 14")
        # The examples begin with their first one.
        await unstaged(app, pilot, requires="gpu")
        app.stage.open_examples()
        await pilot.press("down")
        assert stage(app).heading.plain == "With a property"
        assert place(app).endswith("2 of 15")
        # A and B are a step each.
        await unstaged(app, pilot, requires="gpu")
        app.edit(KeepConstraint())
        await pilot.press("f11")
        assert stage(app).heading.plain == "Your constraint"
        await pilot.press("escape")
        await pilot.put("bigmem")
        await pilot.press("f11")
        shown = []
        for _ in range(3):
            shown.append(step(app))
            await pilot.press("enter")
        assert shown == [("A", "gpu"), ("B", "bigmem"), ("With a property", "ssd")]
        assert place(app).endswith("4 of 16")
        # One that cannot be read is shown as it is typed.
        await unstaged(app, pilot)
        await pilot.put("gpu&")
        await pilot.press("f11")
        assert stage(app).constraint.plain == "gpu&"
        assert "cannot be read" in screen_text(app)


# A list of one's own


async def test_ctrl_o_knows_a_list_by_its_content(here: Path) -> None:
    async with workbench_at(NARROW, requires="bigmem") as (app, pilot):
        await pilot.press("ctrl+o")
        await pilot.fill_dialog(talk(here))
        assert place(app) == "Which nodes will do? 1 of 4"
        text = screen_text(app)
        for words in ("GPUs, not for debugging", "the other. [b]Not markup[/b]", "18 of 196"):
            assert words in text
        await pilot.press("right")
        assert '{"properties": ["bigmem"]}' in screen_text(app)
        assert "8 of 196 nodes" in screen_text(app)
        await pilot.press("right")
        assert "0 of 196 nodes   nothing is left after not gpu" in screen_text(app)
        await pilot.press("right")
        assert "cannot be read" in screen_text(app)
        assert "expected a term before '&'" in screen_text(app)
        assert "■" not in screen_text(app)
        # It stays as it is and offers the constraint in the bar.
        await pilot.press("right")
        assert place(app).endswith("4 of 4")
        await pilot.press("l", "5")
        assert place(app) == "Which nodes will do? beside the list"
        assert stage(app).constraint.plain == "bigmem"
        await pilot.press("right")
        assert place(app).endswith("beside the list")
        await pilot.press("left")
        assert place(app).endswith("4 of 4")
        # A list takes the place of the one on stage.
        await unstaged(app, pilot)
        await pilot.press("f11", "right")
        app.documents.open_source(talk(here))
        await pilot.done()
        assert place(app) == "Which nodes will do? 1 of 4"
        await pilot.press("escape")
        assert len(app.screen_stack) == 1


async def test_faults_are_told_with_their_lines_and_the_rest_is_shown(here: Path) -> None:
    async with workbench_at(NARROW, source=talk(here, FAULTY), notifications=True) as (app, pilot):
        await pilot.done()
        assert place(app) == "talk.yaml 1 of 2"
        (said,) = messages(app)
        fault = "talk.yaml, line 3, column 3: the step has no constraint"
        assert f"left out after step 1: {fault}\n" in said
        fault = "talk.yaml, line 6, column 3: unknown key 'nota'; did you mean note?"
        assert said.endswith(f"step 2: {fault}")
        assert all(notification.timeout <= 6 for notification in app._notifications)
        for count, told in ((3, ["2", "3"]), (8, [*"2345", "more"])):
            app.clear_notifications()
            app.documents.open_source(talk(here, odd(count)))
            await pilot.done()
            (said,) = messages(app)
            heads = [line.split(":")[0].split()[-1] for line in said.splitlines()[1:]]
            assert heads == told
        assert said.endswith("and 3 more: fluxtui check lists them all")


# The program


def test_a_list_from_the_command_line(here: Path) -> None:
    with Terminal("--stage", talk(here), columns=80, rows=24) as terminal:
        terminal.wait_for("Which nodes will do?", "1 of 4", "18 of 196 nodes", "dunemem1")
        terminal.send("\x1b[C")
        terminal.wait_for("2 of 4", "8 of 196 nodes")
        terminal.send("e")
        terminal.wait_for("Requires", '{"properties": ["bigmem"]}')
        terminal.send("\x1b[23~")
        terminal.wait_for("2 of 4")
        terminal.resize(120, 40)
        terminal.wait_for("2 of 4", "alone")
        terminal.send("\x11")
        assert terminal.wait_for_exit() == 0
        assert terminal.in_order
        assert b"Traceback" not in terminal.output


def test_a_list_with_an_r_document(here: Path) -> None:
    talk_file = talk(here, "- title: Half of them\n  constraint: x\n")
    resources = write_document(here / "R.json", document(8, {"x": "0-3"}))
    with Terminal("-r", resources, "--stage", talk_file) as terminal:
        terminal.wait_for("talk.yaml", "1 of 1", "4 of 8 nodes")
        terminal.send("\x1b[21~")
        assert terminal.wait_for_exit() == 0


def test_what_is_no_list_is_refused(here: Path) -> None:
    with Terminal("--stage", talk(here, "version: 1\nresources: []\n")) as terminal:
        assert terminal.wait_for_exit() == 1
        assert "unknown key 'version'" in " ".join(terminal.text.split())
    for text, said in (
        ("- title: a\n", "talk.yaml, line 1, column 3: the step has no constraint"),
        ("- title: 'a\n", "talk.yaml, line"),
    ):
        shown, problems = opening.open_stage(talk(here, text))
        assert shown is None
        assert said in str(render(problems[0]))


# The stage at every size, on every cluster and in every theme


async def test_every_step_fits_at_each_size() -> None:
    async with workbench_at(NARROW) as (app, pilot):
        await pilot.press("f11")
        for size in (WIDE, NARROW):  # the last one has been another one
            await pilot.resize_terminal(*size)
            await pilot.press("home")
            for number in range(14):
                screen = stage(app)
                text = " ".join(screen_text(app).split())
                for words in (screen.step.title, screen.step.note, f"{number + 1} of 14"):
                    assert " ".join(words.split()) in text
                assert screen.step.constraint in text
                lit = screen.state.ask.totals.nodes
                assert f"{lit} of 196 nodes" in text
                assert len(re.findall("■+", text)) == lit + 1  # and one in the legend
                for words in ("dune-login1", "dunemem1", "esc leave"):
                    assert words in text
                await pilot.press("right")
            await pilot.press("home")
            assert "? keys" in screen_text(app)
            await pilot.press("question_mark")
            text = screen_text(app)
            for words in ("Stage", "Go to the last step", "end", "page down"):
                assert words in text
            await pilot.press("enter")  # on the first of them
            assert place(app).endswith("2 of 14")
        # A theme is chosen there.
        await pilot.press("home", "f9")
        await pilot.done()
        await pilot.press("down", "enter")
        assert isinstance(app.screen, StageScreen)
        assert app.theme != "dusk"
        colours = {
            segment.style.color
            for strip in app.screen._compositor.render_strips()
            for segment in strip
            if segment.text.strip().startswith("100") and segment.style is not None
        }
        assert app.palette.match.color in colours


async def test_the_stage_of_other_clusters() -> None:
    async with workbench_at(NARROW) as (app, pilot):
        await pilot.press("f11")
        app.edit(OpenCluster(cluster(8, {"x": "0-3", "y": "2-5"})))
        await pilot.settle()
        assert step(app) == ("With a property", "x")
        assert "4 of 8 nodes" in screen_text(app)
        await unstaged(app, pilot, on=cluster(0))
        await pilot.press("f11")
        assert "0 of 0 nodes" in screen_text(app)
        assert "There are no nodes here" in screen_text(app)
        # All nodes are in sight.
        for nodes in (196, 20_000, 1_000_000):
            await unstaged(app, pilot, on=cluster(nodes, {"ssd": "0-9"}))
            await pilot.press("f11")
            for size in (NORMAL, NARROW):
                await pilot.resize_terminal(*size)
                await pilot.settle()
                view = stage(app).map
                assert view.row_count <= view.size.height
                assert view.grid.span(view.grid.cells - 1)[1] == nodes
        # Few that match are in sight on a large map.
        for size in (NARROW, WIDE):
            await unstaged(app, pilot, on=cluster(20_000, {"x": "15000-15003"}), size=size)
            app.stage.show_list(Stage("t", (Step("few", "x"), Step("all", "{}"))))
            await pilot.settle()
            view = stage(app).map
            row = view.row_of(15_000)
            assert row is not None
            line = view.render_line(row).text
            assert "▁" in line
            assert f"1 cell = {view.zoom.size:,} nodes" in screen_text(app)
            await pilot.press("right")
            assert "▁" not in view.render_line(0).text


async def test_lists_of_ones_own_fit(here: Path) -> None:
    async with workbench_at(NARROW, source=talk(here)) as (app, pilot):
        # The reading stands beside the map where there is room.
        await pilot.done()
        for size, there in ((NARROW, False), (NORMAL, True), (WIDE, True), ((80, 40), True)):
            await pilot.resize_terminal(*size)
            await pilot.settle()
            for both in (there, True, there):
                is_turned = both is not there
                assert ("└ not debug" in screen_text(app)) is both
                assert ("r explain" in screen_text(app)) is not (there or is_turned)
                assert ("dunemem1" in screen_text(app)) is (there or not is_turned)
                assert ("r map" in screen_text(app)) is (is_turned and not there)
                await pilot.press("r")
            await pilot.press("r")
        # A wide title leaves the constraints in sight.
        title = "節点" * 40
        text = f"- title: {title}\n  constraint: gpu&-debug\n- title: b\n  constraint: bigmem\n"
        for size in (NARROW, WIDE):
            await unstaged(app, pilot, size=size)
            app.documents.open_source(talk(here, text))
            await pilot.done()
            await pilot.press("l")
            rows = [row for row in screen_text(app).splitlines() if "│" in row]
            first, second = (next(r for r in rows if w in r) for w in ("gpu&-debug", "bigmem"))
            assert "点" in first
            assert "…" in first
            assert first.index("gpu") < second.index("bigmem")  # a wide character is two columns
            before, above = first[: first.index("gpu")], second[: second.index("bigmem")]
            assert cell_len(before) == cell_len(above)
        # A long constraint is broken where it may be and ends in an ellipsis.
        await unstaged(app, pilot, size=NARROW)
        text = "host:n[" + ",".join(map(str, range(0, 4000, 2))) + "]"
        app.stage.show_list(Stage("t", (Step("long", text),)))
        await pilot.settle()
        lines = stage(app).constraint.plain.splitlines()
        assert len(lines) == 3
        assert lines[0].endswith(",")
        assert lines[2].endswith("…")
