"""The jobspec tree: what its keys edit, what it marks, and what it asks for."""

from typing import Any

import pytest
from textual.widgets import Input, Tree

from fluxtui.model.jobspec import jobspec
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.ui.job.tree import VERTEX_KEYS, Question
from fluxtui.ui.kit.prompt import MOST, Prompt
from fluxtui.workbench import EditShape, Job, OpenJob, ReplaceJob, TypeField, TypeShape
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    SHAPE,
    WIDE,
    messages,
    screen_text,
    tree_labels,
    workbench_at,
)
from tests.ui.writing import tree


async def test_vertices_are_edited_by_keys() -> None:
    async with workbench_at() as (app, pilot):
        # A key in the tree edits the shape in place.
        for keys, expected in [
            (["plus"], "node=5 / slot / [core=8; gpu]"),
            (["minus"], "node=3 / slot / [core=8; gpu]"),
            (["x"], "node=4{x} / slot / [core=8; gpu]"),
            (["down", "down", "plus"], "node=4 / slot / [core=9; gpu]"),
            (["down", "down", "d"], "node=4 / slot / [gpu]"),
            (["down", "down", "down", "K"], "node=4 / slot / [gpu; core=8]"),
            (["down", "b"], "node=4 / [core=8; gpu]"),
        ]:
            await pilot.afresh(shape="node=4 / slot / [core=8; gpu]")
            await tree(pilot, *keys)
            assert app.shape_bar.entry.value == expected
            await pilot.press("ctrl+z")
            assert app.shape_bar.entry.value == "node=4 / slot / [core=8; gpu]"
        # A vertex is added by a line that is typed.
        await pilot.afresh(shape="node=4/slot/core=8")
        await tree(pilot, "down", "a")
        await pilot.burst(*"memory=4{unit:GB}")
        await pilot.press("enter")
        assert app.state.build.text == "node=4/slot/[core=8;memory=4{unit:GB}]"
        assert tree_labels(app)[-1].strip().startswith("memory 4")
        assert isinstance(app.focused, Tree)
        # A vertex is changed by its own line.
        await pilot.afresh(shape="node=4/slot/core=8")
        await tree(pilot, "down", "down", "enter")
        entry = app.screen.query_one("#vertex-prompt-entry", Input)
        assert entry.value == "core=8"
        await pilot.burst("backspace", *"2-4")
        await pilot.press("enter")
        assert app.state.build.text == "node=4/slot/core=2-4"
        # A line that is no vertex is not taken and stays.
        await pilot.afresh(shape="node=4/slot/core=8")
        await tree(pilot, "enter")
        await pilot.burst(*"=")
        await pilot.press("enter")
        assert app.state.build.text == "node=4/slot/core=8"
        assert app.screen.query_one("#vertex-prompt-entry", Input).value == "node=4="
        await pilot.press("escape")
        assert isinstance(app.focused, Tree)
        # The cursor goes to what was added.
        await pilot.afresh(shape="node=4/slot/[core=8;gpu]")
        await tree(pilot, "down", "a")
        await pilot.burst(*"memory")
        await pilot.press("enter", "plus")
        assert app.state.build.text == "node=4/slot/[core=8;gpu;memory=2]"
        # An emptied tree has no rows of the job before.
        await pilot.afresh(shape="slot/[memory=3;node]")
        await tree(pilot, "d")
        assert app.state.build.blank
        assert not any("memory" in label or "✗" in label for label in tree_labels(app))


async def test_one_key_mends_what_is_marked() -> None:
    async with workbench_at(shape="node=4") as (app, pilot):
        # One key mends what is marked in the tree.
        assert app.state.verdicts is not None
        assert not app.state.verdicts.v1.ok
        for _ in range(5):
            if not app.state.verdicts.problems:
                break
            await tree(pilot, "f")
        assert app.state.build.text == "node=4/slot/core"
        assert app.state.verdicts.v1.ok
        assert app.state.verdicts.flux.ok
        await pilot.press("ctrl+z")
        assert app.state.build.text == "node=4"
        # Nothing is mended that would throw away what cannot be read.
        await pilot.afresh(shape="node=4")
        await pilot.burst(*"/[")
        assert not app.state.verdicts.v1.ok
        await tree(pilot, "f")
        assert app.state.build.text == "node=4/["
        assert "The shape cannot be read: correct that first." in messages(app)[-1]
        app.edit(EditShape(""))
        await tree(pilot, "f")
        assert "No automatic fix available." in messages(app)[-1]


# A question, and a shape that changes below it


async def test_a_question_is_closed_when_its_job_goes() -> None:
    async with workbench_at(shape="node=4/slot/core=8") as (app, pilot):
        # A question is closed when another job comes.
        await tree(pilot, "plus", "a")
        await pilot.burst(*"memory")
        app.edit(OpenJob("node=9/slot/gpu", "", None, Job()))
        await pilot.settle()
        assert not app.screen.query_one("#vertex-prompt").display
        assert isinstance(app.focused, Tree)
        await pilot.press("enter", "enter")
        assert app.state.build.text == "node=9/slot/gpu"
        # A question is closed by undo.
        await pilot.afresh(shape="node=4/slot/core=8")
        await tree(pilot, "plus", "plus", "l")
        await pilot.press("ctrl+z")
        assert not app.screen.query_one("#vertex-prompt").display
        assert app.state.build.text == "node=5/slot/core=8"
        # Who types elsewhere stays there when a question is closed.
        await pilot.afresh(shape="node=4/slot/core=8")
        await tree(pilot, "a")
        app.shape_bar.entry.focus()
        await pilot.settle()
        await pilot.burst(*"99")
        assert not app.screen.query_one("#vertex-prompt").display
        assert app.shape_bar.entry.value == "node=4/slot/core=899"
        assert app.focused is app.shape_bar.entry
        # A question stays when the job changes beside its shape.
        await pilot.afresh(shape="node=4/slot/core=8")
        await tree(pilot, "a")
        await pilot.burst(*"gpu")
        app.edit(TypeField("duration", "90m"))
        await pilot.settle()
        await pilot.press("enter")
        assert app.state.build.text == "node=4/[slot/core=8;gpu]"


# One key and its value


@pytest.mark.parametrize(
    "text", ["id:x}/gpu{y:1", "id:x};gpu{y:1", "id:x}{y:1", "id:x,y:1", "id:x}", "id:x} ", "{"]
)
def test_what_is_more_than_a_key_and_its_value_is_not_taken(text: str) -> None:
    question = key_question("k")
    found = question.edit(text)
    assert found.problem is not None
    assert found.text == "node=4/slot/core=8"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("id:x", "node=4{id:x}/slot/core=8"),
        ("a:{b:1}", "node=4{a:{b:1}}/slot/core=8"),
        ("-x", "node=4{-x}/slot/core=8"),
        (" ", "node=4/slot/core=8"),
    ],
)
def test_a_key_and_its_value_is_set(text: str, wanted: str) -> None:
    found = key_question("k").edit(text)
    assert (found.problem, found.text) == (None, wanted)


def key_question(shown: str) -> Question:
    """What a key of the tree asks about the first vertex."""
    (key,) = (key for key in VERTEX_KEYS if key.shown == shown)
    question = key.act(parse_shape("node=4/slot/core=8"), (0,))
    assert isinstance(question, Question)
    return question


def test_no_key_of_the_tree_does_two_things() -> None:
    names = [name for key in VERTEX_KEYS for name in key.key.split(",")]
    assert len(names) == len(set(names))
    assert not {"f", "v", "s", "slash", "question_mark"} & set(names)


async def test_the_help_names_every_key_of_the_tree() -> None:
    async with workbench_at((120, 100)) as (app, pilot):
        await pilot.press("f1")
        lines = [line.split() for line in screen_text(app).splitlines()]
        for key in VERTEX_KEYS:
            wanted = [key.shown, *key.help.split()]
            assert any(" ".join(wanted) in " ".join(line) for line in lines), key


# What the tree marks, and what it does not show

NODE = {"type": "node", "count": 2, "with": [{"type": "slot", "count": 1, "label": "default"}]}


def job_of(*resources: object) -> dict[str, Any]:
    """A jobspec of these resources."""
    return jobspec.build(list(resources))  # type: ignore[arg-type]


async def test_faults_are_marked_at_their_vertex() -> None:
    async with workbench_at() as (app, pilot):
        # A fault of what the shape leaves out marks no other vertex.
        core = {"type": "slot", "count": 1, "label": "a", "with": [{"type": "core", "count": 1}]}
        await pilot.afresh()
        app.edit(ReplaceJob(job_of(5, {"type": "node", "count": 1, "with": [core]})))
        await pilot.settle()
        await tree(pilot)
        assert app.state.verdicts is not None
        assert any(p.path == "resources[0]" for p in app.state.verdicts.problems)
        assert [label.split()[0] for label in tree_labels(app)] == ["node", "slot", "core"]
        assert not any("✗" in label for label in tree_labels(app))
        assert "leaves out" in str(app.tree_pane.border_subtitle)
        await tree(pilot, "plus")
        assert app.state.jobspec()["resources"][0]["count"] == 2
        assert "leaves out" not in str(app.tree_pane.border_subtitle)
        # A fault stays at its vertex where the places are the same.
        await pilot.afresh()
        app.edit(ReplaceJob(job_of(NODE | {"count": -1})))
        await pilot.settle()
        assert "✗" in tree_labels(app)[0]
        assert "leaves out" in str(app.tree_pane.border_subtitle)
        # A count that is spelled otherwise is not left out.
        await pilot.afresh()
        app.edit(ReplaceJob(job_of(NODE | {"count": "2-4"})))
        await pilot.settle()
        assert app.state.jobspec()["resources"] != list(app.state.build.resources)
        assert "leaves out" not in str(app.tree_pane.border_subtitle)
        assert "✗" in tree_labels(app)[0]
        # A value of another kind is shown as that.
        for before, after, wanted in [
            ("node{k:1}/slot/core", "node{k:true}/slot/core", "k true"),
            ("node{k:1}/slot/core", "node{k:1.0}/slot/core", "k 1.0"),
            ("node{exclusive:1}/slot/core", "node{exclusive:true}/slot/core", "exclusive"),
        ]:
            await pilot.afresh(shape=before)
            app.edit(TypeShape(after))
            await pilot.settle()
            assert f"  {wanted}  " in tree_labels(app)[0]
        # A count of another kind is not that of the tree.
        await pilot.afresh()
        app.edit(ReplaceJob(job_of(NODE | {"count": 1.0})))
        await pilot.settle()
        assert "leaves out" in str(app.tree_pane.border_subtitle)


# Home, end and the pages move the cursor in each tree, and what its keys edit is there

LONG = "node=2/slot/[" + ";".join(f"r{n}=2" for n in range(60)) + "]"


async def test_cursors_of_the_trees() -> None:
    async with workbench_at() as (app, pilot):
        # The cursor of the jobspec tree.
        for keys, expected in [
            (["down", "down", "home", "x"], "node=4{x}/slot/[core=8;gpu]"),
            (["end", "d"], "node=4/slot/[core=8]"),
            (["pagedown", "plus"], "node=4/slot/[core=8;gpu=2]"),
            (["end", "pageup", "plus"], "node=5/slot/[core=8;gpu]"),
        ]:
            for fast in [False, True]:
                await pilot.afresh(shape=SHAPE)
                await tree(pilot)
                await (pilot.burst if fast else pilot.press)(*keys)
                assert app.shape_bar.entry.value == expected
        # Pages of a long jobspec tree.
        await pilot.afresh(shape=LONG)
        await tree(pilot, "pagedown")
        view = app.screen.query_one("#jobspec-tree", Tree)
        height = view.scrollable_content_region.height
        assert view.cursor_line == height - 1
        await pilot.press("end")
        assert view.cursor_line == view.last_line == 61
        await pilot.until(lambda: "r59" in screen_text(app))
        await pilot.press("home")
        assert view.cursor_line == 0
        # The cursor of the constraint tree.
        await pilot.afresh(requires="gpu & -debug & rank:0-3")
        await pilot.press("f3")
        await pilot.settle()
        view = app.explain_pane.view
        assert app.focused is view
        await pilot.press("end")
        last = view.row
        assert last == view._parts - 1 > 0
        await pilot.press("home")
        assert view.row == 0
        await pilot.press("pagedown")
        assert view.row > 0


# What a question says of an answer


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_all_of_what_is_wrong_with_an_answer_is_seen(size: tuple[int, int]) -> None:
    async with workbench_at(size, shape=SHAPE) as (app, pilot):
        await tree(pilot, "enter")
        prompt = app.screen.query_one("#vertex-prompt", Prompt)
        await pilot.burst("ctrl+u", *"node=0")
        words = prompt.message.plain
        assert "expected" in words
        seen = " ".join(
            "".join(s.text for s in prompt.message.render_line(y)).strip()
            for y in range(prompt.message.size.height)
        )
        assert seen == words
        await pilot.burst("ctrl+u", *"node=3")
        assert prompt.message.size.height == 1


async def test_a_message_without_end_is_cut() -> None:
    async with workbench_at(NORMAL, shape=SHAPE) as (app, pilot):
        await tree(pilot, "enter")
        prompt = app.screen.query_one("#vertex-prompt", Prompt)
        await pilot.burst("ctrl+u", *("xy " * 40))
        prompt.message.show(prompt.message._text + "no end " * 80)
        await pilot.settle()
        assert prompt.message.size.height == MOST
        last = "".join(s.text for s in prompt.message.render_line(MOST - 1))
        assert last.rstrip().endswith("…")
        assert app.shape_bar.entry.value == SHAPE
