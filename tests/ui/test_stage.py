"""The stage: stepping through constraints, and what the workbench keeps meanwhile."""

from pathlib import Path

import pytest

from fluxtui.ui.stage_screen import StageScreen
from tests.ui.helpers import (
    document,
    done,
    fill_dialog,
    messages,
    press,
    put,
    screen_text,
    settle,
    workbench_at,
    write_document,
)
from tests.ui.staging import place, stage, talk
from tests.ui.terminal import Terminal

FAULTY = "- title: a\n  constraint: gpu\n- title: b\n- title: c\n  constraint: ssd\n  nota: x\n"


# The list that ships


async def test_f11_shows_the_first_example_of_rfc_31() -> None:
    async with workbench_at() as (app, pilot):
        await press(pilot, "f11")
        text = screen_text(app)
        for shown in (
            "RFC 31 by example",
            "1 of 22",
            "With a property",
            "All nodes that have the property ssd.",
            "100 of 196 nodes",
            "■ match  · no match",
            "dunegpu01",
        ):
            assert shown in text
        for hidden in ("Shape", "Requires", "Properties", "ctrl", "commands"):
            assert hidden not in text


async def test_the_keys_that_step() -> None:
    async with workbench_at() as (app, pilot):
        await press(pilot, "f11")
        for keys, number in (
            (("right",), 2),
            (("pagedown", "space", "enter"), 5),
            (("left", "backspace"), 3),
            (("pageup",), 2),
            (("end",), 22),
            (("right",), 22),
            (("home",), 1),
            (("left",), 1),
        ):
            await press(pilot, *keys)
            assert place(app) == f"RFC 31 by example {number} of 22"


async def test_names_that_the_cluster_does_not_have_are_told() -> None:
    async with workbench_at() as (app, pilot):
        await press(pilot, "f11", *["right"] * 5)
        assert stage(app).heading.plain == "With one of two properties"
        assert stage(app).problem.plain == "no node has property 'huge'"


# What the workbench keeps


async def test_leaving_puts_back_all_there_was() -> None:
    async with workbench_at(shape="node=2") as (app, pilot):
        await put(pilot, "gpu")
        history = app.history
        await press(pilot, "f11", "right", "right", "end")
        assert app.history is history
        await press(pilot, "escape")
        assert not isinstance(app.screen, StageScreen)
        assert app.history is history
        assert app.ask_bar.entry.value == "gpu"
        assert "24 of 196 nodes" in screen_text(app)


async def test_editing_leaves_with_the_constraint_as_one_step() -> None:
    async with workbench_at() as (app, pilot):
        await put(pilot, "gpu")
        steps = len(app.history.past)
        await press(pilot, "f11", *["right"] * 5, "e")
        assert app.ask_bar.entry.value == "-gpu"
        assert app.ask_bar.entry.has_focus
        assert len(app.history.past) == steps + 1
        await press(pilot, "ctrl+z")
        assert app.ask_bar.entry.value == "gpu"


async def test_the_stage_goes_on_where_it_was_left() -> None:
    async with workbench_at() as (app, pilot):
        await press(pilot, "f11", "right", "right", "f11")
        assert not isinstance(app.screen, StageScreen)
        await press(pilot, "f11")
        assert place(app).endswith("3 of 22")
        await press(pilot, "escape")
        app.action_examples_on_stage()
        await settle(pilot)
        assert place(app).endswith("1 of 22")


async def test_keys_of_the_workbench_do_nothing_and_those_that_quit_do() -> None:
    async with workbench_at() as (app, pilot):
        await press(pilot, "f11", "f5", "ctrl+z", "ctrl+o", "f2", "tab")
        assert place(app).endswith("1 of 22")
        await press(pilot, "f10")
        assert not app.is_running


# A list of one's own


async def test_ctrl_o_knows_a_list_by_its_content(here: Path) -> None:
    async with workbench_at() as (app, pilot):
        await press(pilot, "ctrl+o")
        await fill_dialog(pilot, talk(here))
        assert place(app) == "Which nodes will do? 1 of 4"
        text = screen_text(app)
        assert "GPUs, not for debugging" in text
        assert "the other. [b]Not markup[/b]" in text
        assert "18 of 196 nodes" in text
        await press(pilot, "right")
        assert '{"properties": ["bigmem"]}' in screen_text(app)
        assert "8 of 196 nodes" in screen_text(app)
        await press(pilot, "right")
        assert "0 of 196 nodes   nothing is left after not gpu" in screen_text(app)
        await press(pilot, "right")
        assert "cannot be read" in screen_text(app)
        assert "expected a term before '&'" in screen_text(app)
        assert "■" not in screen_text(app)


async def test_faults_are_told_with_their_lines_and_the_rest_is_shown(here: Path) -> None:
    source = talk(here, FAULTY)
    async with workbench_at(source=source, notifications=True) as (app, pilot):
        await done(pilot)
        assert place(app) == "talk.yaml 1 of 2"
        said = "\n".join(messages(app))
        fault = "talk.yaml, line 3, column 3: the step has no constraint"
        assert f"left out after step 1: {fault}\n" in said
        fault = "talk.yaml, line 6, column 3: unknown key 'nota'; did you mean note?"
        assert said.endswith(f"step 2: {fault}")
        (notification,) = app._notifications
        assert notification.timeout <= 6


async def test_of_many_faults_the_first_are_told(here: Path) -> None:
    text = "\n".join(f"- title: t{n}\n  constraint: gpu\n  nota: x" for n in range(8))
    async with workbench_at(source=talk(here, text), notifications=True) as (app, pilot):
        await done(pilot)
        (said,) = messages(app)
        assert [line.split(":")[0] for line in said.splitlines()[1:]] == [
            *(f"step {number}" for number in range(2, 6)),
            "and 3 more",
        ]
        assert said.endswith("fluxtui check lists them all")


async def test_a_few_faults_are_all_told(here: Path) -> None:
    text = "\n".join(f"- title: t{n}\n  constraint: gpu\n  nota: x" for n in range(3))
    async with workbench_at(source=talk(here, text), notifications=True) as (app, pilot):
        await done(pilot)
        (said,) = messages(app)
        assert "step 3: " in said
        assert "more" not in said


async def test_another_list_takes_the_place_of_the_one_on_stage(here: Path) -> None:
    async with workbench_at() as (app, pilot):
        await press(pilot, "f11", "right")
        app.open_source(talk(here))
        await done(pilot)
        assert place(app) == "Which nodes will do? 1 of 4"
        await press(pilot, "escape")
        assert len(app.screen_stack) == 1


async def test_a_step_is_chosen_from_the_list(here: Path) -> None:
    async with workbench_at() as (app, pilot):
        await press(pilot, "f11", "l")
        text = screen_text(app)
        assert "Without a property, by not, on this cluster" in text
        assert "host:dune[032-033]" in text
        await press(pilot, "1", "2", "enter")
        assert place(app).endswith("12 of 22")
        await press(pilot, "l", "3", "enter")
        assert place(app).endswith("3 of 22")
        await press(pilot, "l", "down", "escape")
        assert place(app).endswith("3 of 22")


# Views to hand on


async def test_copying_the_view_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    async with workbench_at() as (app, pilot):
        copied: list[str] = []
        monkeypatch.setattr(app, "copy_to_clipboard", copied.append)
        await press(pilot, "f11", "c")
        await done(pilot)
        assert copied[0].startswith("With a property\n\nAll nodes that have the property ssd.")
        for line in ("query       ssd", 'JSON        {"properties": ["ssd"]}', "100 of 196 nodes"):
            assert line in copied[0]
        await press(pilot, "escape")
        await put(pilot, "gpu&-debug")
        app.action_view_text()
        await done(pilot)
        assert copied[1].startswith("query       gpu&-debug\n")
        assert "  └ not debug" in copied[1]


async def test_the_picture_is_of_the_stage(here: Path) -> None:
    async with workbench_at() as (_, pilot):
        await press(pilot, "f11", "s")
        await done(pilot)
        (picture,) = here.glob("fluxtui-*.svg")
        assert "RFC&#160;31&#160;by&#160;example" in picture.read_text()


async def test_the_palette_has_what_is_of_use() -> None:
    async with workbench_at() as (app, pilot):
        labels = {command.title for command in app.get_system_commands(app.screen)}
        assert {"Stage  (f11)", "Stage: RFC 31", "View as text"} <= {
            label.replace("F11", "f11") for label in labels
        }
        await press(pilot, "f11")
        labels = {command.title for command in app.get_system_commands(app.screen)}
        assert labels == {"List", "Edit", "Copy", "Picture", "Keys", "Leave"}


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


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("version: 1\nresources: []\n", "unknown key 'version'"),
        ("- title: a\n", "talk.yaml, line 1, column 3: the step has no constraint"),
        ("- title: 'a\n", "talk.yaml, line"),
    ],
)
def test_what_is_no_list_is_refused(here: Path, text: str, said: str) -> None:
    with Terminal("--stage", talk(here, text)) as terminal:
        assert terminal.wait_for_exit() == 1
        assert said in " ".join(terminal.text.split())
