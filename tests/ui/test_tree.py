"""Typing a shape, and the tree of the job: what is marked, what keys edit, what it offers."""

from typing import Any

import pytest
from textual.widgets import Input, Tree

from fluxtui import workbench
from fluxtui.model.jobspec import jobspec
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.ui.bars import LABEL_WIDTH
from fluxtui.ui.job.tree import KEYS, VertexTree, question, shapes_to_try, vertex_parts
from fluxtui.ui.kit.prompt import MOST, Prompt
from fluxtui.workbench import Job, OpenJob, ReplaceJob, TypeField
from tests.each import for_each
from tests.model.topologies import XEON
from tests.model.topologies import tree as tree_of
from tests.opened import of_document
from tests.ui.documents import cluster, demo, xeons
from tests.ui.helpers import NARROW, NORMAL, SHAPE, WIDE, Hands, workbench_at
from tests.ui.seen import lacking, messages, plain, screen_lines, screen_text, tree_labels
from tests.ui.writing import tree

GAPPED = "node=4 / slot / [core=8; gpu]"
SMALL = "node=4/slot/core=8"
LONG = "node=2/slot/[" + ";".join(f"r{n}=2" for n in range(60)) + "]"


def types(labels: list[str]) -> list[str]:
    return [label.split()[0] for label in labels]


async def test_a_huge_shape_is_answered() -> None:
    async with workbench_at() as (app, pilot):
        text = "[" + ";".join(f"slot=2{{s{n}}}/core" for n in range(1500)) + "]"
        await pilot.put(text, "#shape-input")
        assert len(app.state.jobspec()["resources"]) == 1500
        await pilot.put("core", "#shape-input")
        assert len(tree_labels(app)) == 1
        # One that is too long to be read says so wherever a shape is expected.
        words = "the shape has 69,999 characters; more than 65,536 are not read"
        for before in ("core", ""):
            await pilot.put(before, "#shape-input")
            await pilot.put("core;" * 13999 + "core", "#shape-input")
            message, verdicts = plain(app, "#shape-message"), plain(app, "#verdicts")
            assert message.startswith(f"{words}; expected")
            assert screen_lines(app)[2].startswith(f"{'':{LABEL_WIDTH}}{words}")
            assert verdicts == f"✗ shape: {words}"
            assert " ".join(plain(app, "#tree-note").split()) == words
        assert tree_labels(app)[0] == "The shape is too long; esc to try one:"
        # A message is not shown twice while it is there.
        for _ in range(2):
            app.notify("something")
        await pilot.settle()
        assert messages(app) == ["something"]


# Keys in the tree, and the shape after them
KEYS_AND_SHAPES = [
    (GAPPED, ["plus"], "node=5 / slot / [core=8; gpu]"),
    (GAPPED, ["minus"], "node=3 / slot / [core=8; gpu]"),
    (GAPPED, ["x"], "node=4{x} / slot / [core=8; gpu]"),
    (GAPPED, ["down", "down", "plus"], "node=4 / slot / [core=9; gpu]"),
    (GAPPED, ["down", "down", "d"], "node=4 / slot / gpu"),
    (GAPPED, ["down", "down", "down", "K"], "node=4 / slot / [gpu; core=8]"),
    (GAPPED, ["down", "b"], "node=4 / [core=8; gpu]"),
    (SHAPE, ["down", "down", "home", "x"], "node=4{x}/slot/[core=8;gpu]"),
    (SHAPE, ["end", "d"], "node=4/slot/core=8"),
    (SHAPE, ["pagedown", "plus"], "node=4/slot/[core=8;gpu=2]"),
    (SHAPE, ["end", "pageup", "plus"], "node=5/slot/[core=8;gpu]"),
    (SMALL, ["down", "a", *"memory=4{unit:GB}", "enter"], "node=4/slot/[core=8;memory=4{unit:GB}]"),
    (SMALL, ["down", "a", *"memory", "enter", "plus"], "node=4/slot/[core=8;memory=2]"),
    (SMALL, ["down", "down", "enter", "backspace", *"2-4", "enter"], "node=4/slot/core=2-4"),
    (SMALL, ["enter", "=", "enter", "escape"], SMALL),  # "node=4=" is no vertex
]


async def test_the_keys_edit_the_shape() -> None:
    names = [name for _, keys, *_ in KEYS for name in keys.split(",")]
    assert len(names) == len(set(names))
    async with workbench_at() as (app, pilot):
        for shape, keys, expected in KEYS_AND_SHAPES:
            for is_fast in (False, True) if not {"a", "enter"} & {*keys} else (False,):
                await pilot.afresh(shape=shape)
                await tree(pilot, *() if is_fast else keys)
                await pilot.burst(*keys if is_fast else ())
                assert app.shape_bar.entry.value == expected, (is_fast, keys)
                assert isinstance(app.focused, Tree)
            while app.history.past:
                await pilot.press("ctrl+z")
            assert app.shape_bar.entry.value == shape
        # Pages of a long tree.
        await pilot.afresh(shape=LONG)
        await tree(pilot, "pagedown")
        view = app.screen.query_one("#jobspec-tree", Tree)
        assert 2 < view.cursor_line < 61
        await pilot.steps(lambda: view.cursor_line, ("end", view.last_line), ("home", 0))
        # Why an edit does not go is said whatever else is drawn.
        await pilot.afresh(shape="node=4/slot/core")
        await tree(pilot, ">")
        app.panes["tree"].say_keys()
        assert "there is no vertex before node to hold it" in plain(app, "#tree-note")


async def test_a_question_is_closed_when_its_shape_goes() -> None:
    async with workbench_at(shape=SMALL) as (app, pilot):
        await tree(pilot, "plus", "a", *"memory")
        prompt = app.screen.query_one("#vertex-prompt", Prompt)
        await pilot.edit(OpenJob("node=9/slot/gpu", "", None, Job()))
        assert not prompt.display
        assert isinstance(app.focused, Tree)
        await pilot.press("enter", "enter")
        assert app.state.build.text == "node=9/slot/gpu"
        # It stays when the job changes beside its shape.
        await pilot.afresh(shape=SMALL)
        await tree(pilot, "a", *"gpu")
        await pilot.edit(TypeField("duration", "90m"))
        await pilot.press("enter")
        assert app.state.build.text == "node=4/[slot/core=8;gpu]"


#: A node of a job, of which it has a part: no domain has as many cores as all have for each gpu.
PART = of_document(tree_of(("0", XEON, "0-7,60-74", "0,4")))


@for_each("on", [demo(), cluster(1), cluster(3), cluster(0), xeons(), PART])
def test_shapes_to_try_fit_the_cluster(on: workbench.Cluster) -> None:
    shapes = shapes_to_try(on.resources)
    assert len(shapes) == 3
    for shape, _ in shapes:
        state = workbench.start(on, shape)
        assert state.verdicts.v1.ok
        assert state.outlook.fit is None or state.outlook.fit.feasible, shape


def large(cores: int, gpus: int) -> workbench.Cluster:
    children = {"core": f"0-{cores - 1}", **({"gpu": f"0-{gpus - 1}"} if gpus else {})}
    return cluster(9, R_lite=[{"rank": "0-8", "children": children}])


@pytest.mark.parametrize("on", [cluster(0), large(64, 4), large(512, 4), large(512, 0)])
async def test_shapes_to_try_need_no_scroll_bar(on: workbench.Cluster) -> None:
    async with workbench_at(NORMAL, on) as (app, pilot):
        await pilot.settle()
        assert not app.query_one(VertexTree).show_horizontal_scrollbar


REFUSED = ("id:x}/gpu{y:1", "id:x};gpu{y:1", "id:x}{y:1", "id:x,y:1", "id:x}", "id:x} ", "{")


@for_each(
    "case",
    [
        ("key", "id:x", "node=4{id:x}/slot/core=8"),
        ("key", "a:{b:1}", "node=4{a:{b:1}}/slot/core=8"),
        ("key", "-x", "node=4{-x}/slot/core=8"),
        *(("key", text, None) for text in REFUSED),
        ("unit", "GB", "node=4{unit:GB}/slot/core=8"),
        *((name, " ", SMALL) for name in ("key", "unit", "label")),
    ],
)
def test_what_is_answered_is_set(case: tuple[str, str, str | None]) -> None:
    name, text, wanted = case
    found = question(name, parse_shape(SMALL), (0,))[2](text)
    assert (found.problem is None, found.text) == (wanted is not None, wanted or SMALL)


# What the tree marks, and what it does not show

NODE = {"type": "node", "count": 2, "with": [{"type": "slot", "count": 1, "label": "default"}]}


async def put(pilot: Hands, *resources: object) -> tuple[list[str], bool]:
    """The labels of the tree of a jobspec of these resources, and whether it leaves out a part."""
    app: Any = pilot.app
    await pilot.afresh()
    await pilot.edit(ReplaceJob(jobspec.build(list(resources))))  # type: ignore[arg-type]
    return tree_labels(app), "not all of the job" in str(app.panes["tree"].border_subtitle)


async def test_faults_are_marked_at_their_vertex() -> None:
    async with workbench_at() as (app, pilot):
        # A fault of what the shape leaves out marks no other vertex.
        core = {"type": "slot", "count": 1, "label": "a", "with": [{"type": "core", "count": 1}]}
        labels, is_partial = await put(pilot, 5, {"type": "node", "count": 1, "with": [core]})
        assert types(labels) == ["node", "slot", "core"]
        assert not any("✗" in label for label in labels)
        assert is_partial
        # An edit keeps that, too.
        await tree(pilot, "plus")
        assert app.state.jobspec()["resources"] == [5, {"type": "node", "count": 2, "with": [core]}]
        assert "not all of the job" in str(app.panes["tree"].border_subtitle)
        # It is at its vertex where the places are the same, and said in full where the cursor is.
        labels, is_partial = await put(pilot, NODE | {"count": -1})
        assert ("✗" in labels[0], is_partial) == (True, True)
        await tree(pilot)
        assert app.state.verdicts is not None
        said = " ".join(plain(app, "#tree-note").split())
        assert said == app.state.verdicts.problems[0].message
        # A count that is spelled otherwise is not left out; one of another kind is.
        labels, is_partial = await put(pilot, NODE | {"count": "2-4"})
        assert (labels[0].split()[-1], is_partial) == ("✗", False)
        assert not (await put(pilot, NODE | {"count": {"min": 4, "max": 9}}))[1]
        assert (await put(pilot, NODE | {"count": 1.0}))[1]


@for_each(
    "case",
    [
        ({"type": "node", "count": {"min": 2}, "exclusive": True}, "node 2 or more  exclusive"),
        ({"type": "slot", "count": 1, "label": "a\x1b"}, "slot 1  a\\x1b"),
        ({"type": "memory", "count": 4, "unit": "GB"}, "memory 4  GB"),
        ({"type": "ssd", "count": 1, "tier": "a b", "x": [1]}, "ssd 1  tier a b  x [1]"),
        ({"type": "core", "count": 1, "exclusive": False}, "core 1  shared"),
    ],
)
def test_a_vertex_in_words(case: tuple[dict[str, Any], str]) -> None:
    vertex, words = case

    def said(**how: Any) -> str:
        return "".join(text for text, _ in vertex_parts(vertex, **how))

    assert said() == words
    assert said(place="n[1-2]") == f"{words}  n[1-2]"
    assert said(place="n[1-2]", marked=True) == f"{words}  ✗"


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_all_of_what_is_wrong_with_an_answer_is_seen(size: tuple[int, int]) -> None:
    async with workbench_at(size, shape=SHAPE) as (app, pilot):
        await tree(pilot, "enter")
        prompt = app.screen.query_one("#vertex-prompt", Prompt)
        await pilot.burst("ctrl+u", *"node=0")
        words = prompt.message.plain
        assert "expected" in words
        assert not lacking(screen_text(app), *words.split())
        await pilot.burst("ctrl+u", *"node=3")
        assert prompt.message.size.height == 1
        await pilot.burst("ctrl+u", *("xy " * 150))
        assert prompt.message.size.height <= MOST
        assert app.screen.query_one("#vertex-prompt-entry", Input).value.startswith("xy")
        assert app.shape_bar.entry.value == SHAPE


async def test_a_question_takes_no_more_rows_than_it_has_lines() -> None:
    async with workbench_at(NARROW, shape="slot/core") as (app, pilot):
        await pilot.go("tree")
        await pilot.press("l")
        assert app.query_one(Prompt).size.height == 2
