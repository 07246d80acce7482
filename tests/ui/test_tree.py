"""The tree of the job: what its keys edit, what it marks, what it offers where it is empty."""

from typing import Any

import pytest
from textual.widgets import Input, Tree

from fluxtui import workbench
from fluxtui.model.jobspec import jobspec
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.ui.job.tree import KEYS, question, shapes_to_try, vertex_parts
from fluxtui.ui.kit.picker import Picker
from fluxtui.ui.kit.prompt import MOST, Prompt
from fluxtui.workbench import EditShape, Job, OpenJob, ReplaceJob, TypeField, TypeShape
from tests.ui.helpers import (
    NARROW,
    SHAPE,
    WIDE,
    Hands,
    cluster,
    demo,
    messages,
    plain,
    screen_text,
    tree_labels,
    workbench_at,
)
from tests.ui.writing import tree

GAPPED = "node=4 / slot / [core=8; gpu]"
SMALL = "node=4/slot/core=8"
LONG = "node=2/slot/[" + ";".join(f"r{n}=2" for n in range(60)) + "]"

# Keys in the tree, and the shape after them
KEYS_AND_SHAPES = [
    (GAPPED, ["plus"], "node=5 / slot / [core=8; gpu]"),
    (GAPPED, ["minus"], "node=3 / slot / [core=8; gpu]"),
    (GAPPED, ["x"], "node=4{x} / slot / [core=8; gpu]"),
    (GAPPED, ["down", "down", "plus"], "node=4 / slot / [core=9; gpu]"),
    (GAPPED, ["down", "down", "d"], "node=4 / slot / [gpu]"),
    (GAPPED, ["down", "down", "down", "K"], "node=4 / slot / [gpu; core=8]"),
    (GAPPED, ["down", "b"], "node=4 / [core=8; gpu]"),
    (SHAPE, ["down", "down", "home", "x"], "node=4{x}/slot/[core=8;gpu]"),
    (SHAPE, ["end", "d"], "node=4/slot/[core=8]"),
    (SHAPE, ["pagedown", "plus"], "node=4/slot/[core=8;gpu=2]"),
    (SHAPE, ["end", "pageup", "plus"], "node=5/slot/[core=8;gpu]"),
    (SMALL, ["down", "a", *"memory=4{unit:GB}", "enter"], "node=4/slot/[core=8;memory=4{unit:GB}]"),
    (SMALL, ["down", "a", *"memory", "enter", "plus"], "node=4/slot/[core=8;memory=2]"),
    (SMALL, ["down", "down", "enter", "backspace", *"2-4", "enter"], "node=4/slot/core=2-4"),
    (SMALL, ["enter", "=", "enter", "escape"], SMALL),  # "node=4=" is no vertex
]


async def test_the_keys_edit_the_shape() -> None:
    async with workbench_at() as (app, pilot):
        for shape, keys, expected in KEYS_AND_SHAPES:
            await pilot.afresh(shape=shape)
            await tree(pilot, *keys)
            assert app.shape_bar.entry.value == expected, keys
            assert isinstance(app.focused, Tree)
            if not {"a", "enter"} & set(keys):
                await pilot.afresh(shape=shape)
                await tree(pilot)
                await pilot.burst(*keys)
                assert app.shape_bar.entry.value == expected, ("fast", keys)
            while app.history.past:
                await pilot.press("ctrl+z")
            assert app.shape_bar.entry.value == shape
        # Pages of a long tree.
        await pilot.afresh(shape=LONG)
        await tree(pilot, "pagedown")
        view = app.screen.query_one("#jobspec-tree", Tree)
        assert 2 < view.cursor_line < 61
        await pilot.press("end")
        assert view.cursor_line == view.last_line == 61
        await pilot.until(lambda: "r59" in screen_text(app))
        await pilot.press("home")
        assert view.cursor_line == 0
        # The best fix, where nothing is wrong with the vertex itself.
        await pilot.afresh(shape="node=4")
        await tree(pilot, "f", "f")
        assert app.state.build.text == "node=4/slot/core"
        await pilot.afresh(shape="node=4")
        await pilot.burst(*"/[")
        await tree(pilot, "f")
        assert app.state.build.text == "node=4/["
        assert "The shape cannot be read: correct it first." in messages(app)[-1]
        app.edit(EditShape(""))
        await tree(pilot, "f")
        assert "No automatic fix available." in messages(app)[-1]


async def test_an_empty_tree_offers_shapes_that_enter_takes() -> None:
    async with workbench_at(NARROW) as (app, pilot):
        assert "Type a shape, or esc to try one:" in screen_text(app)
        await pilot.press("escape")
        await pilot.settle()
        assert "try one with enter:" in screen_text(app)
        for number, (shape, words) in enumerate(shapes_to_try(demo().resources), 1):
            await pilot.afresh()
            assert shape in screen_text(app)
            assert words in screen_text(app)
            await tree(pilot, *["down"] * number, "enter")
            assert app.state.build.text == shape
        # An emptied tree has no rows of the job before; enter on no shape asks for a vertex.
        await pilot.afresh(shape="slot/[memory=3;node]")
        await tree(pilot, "d", "home", "enter", *"slot/core", "enter")
        assert not any("memory" in label or "✗" in label for label in tree_labels(app))
        assert app.state.build.text == "slot/core"


@pytest.mark.parametrize("on", [demo(), cluster(1), cluster(3), cluster(0)])
def test_shapes_to_try_fit_the_cluster(on: workbench.Cluster) -> None:
    shapes = shapes_to_try(on.resources)
    assert len(shapes) == 3
    for shape, _ in shapes:
        state = workbench.start(on, shape)
        assert state.verdicts is not None
        assert state.verdicts.v1.ok
        fit = state.outlook.fit
        assert fit is None or fit.feasible, shape


async def test_a_question_is_closed_when_its_shape_goes() -> None:
    async with workbench_at() as (app, pilot):

        async def begin(*keys: str) -> Prompt:
            await pilot.afresh(shape=SMALL)
            await tree(pilot, *keys)
            return app.screen.query_one("#vertex-prompt", Prompt)

        prompt = await begin("plus", "a", *"memory")
        app.edit(OpenJob("node=9/slot/gpu", "", None, Job()))
        await pilot.settle()
        assert not prompt.display
        assert isinstance(app.focused, Tree)
        await pilot.press("enter", "enter")
        assert app.state.build.text == "node=9/slot/gpu"
        prompt = await begin("plus", "plus", "l", "ctrl+z")
        assert not prompt.display
        assert app.state.build.text == "node=5/slot/core=8"
        # Who types elsewhere stays there.
        prompt = await begin("a")
        app.shape_bar.entry.focus()
        await pilot.settle()
        await pilot.burst(*"99")
        assert not prompt.display
        assert app.shape_bar.entry.value == "node=4/slot/core=899"
        assert app.focused is app.shape_bar.entry
        # It stays when the job changes beside its shape.
        prompt = await begin("a", *"gpu")
        app.edit(TypeField("duration", "90m"))
        await pilot.settle()
        await pilot.press("enter")
        assert app.state.build.text == "node=4/[slot/core=8;gpu]"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("id:x", "node=4{id:x}/slot/core=8"),
        ("a:{b:1}", "node=4{a:{b:1}}/slot/core=8"),
        ("-x", "node=4{-x}/slot/core=8"),
        (" ", SMALL),
        *((text, None) for text in ("id:x}/gpu{y:1", "id:x};gpu{y:1", "id:x}{y:1", "id:x,y:1")),
        *((text, None) for text in ("id:x}", "id:x} ", "{")),
    ],
)
def test_a_key_and_its_value(text: str, wanted: str | None) -> None:
    found = question("key", parse_shape(SMALL), (0,))[2](text)
    assert (found.problem is None, found.text) == (wanted is not None, wanted or SMALL)


async def test_every_key_has_one_binding_and_is_in_the_help() -> None:
    names = [name for _, keys, *_ in KEYS for name in keys.split(",")]
    assert len(names) == len(set(names))
    assert not {"s", "r", "n", "p", "z", "slash", "question_mark", "colon"} & set(names)
    async with workbench_at((120, 120)) as (app, pilot):
        await pilot.press("f1")
        assert isinstance(app.screen, Picker)
        assert {help for *_, help in KEYS} <= {item.detail for item in app.screen.found}


# What the tree marks, and what it does not show

NODE = {"type": "node", "count": 2, "with": [{"type": "slot", "count": 1, "label": "default"}]}


async def put(pilot: Hands, *resources: object) -> tuple[list[str], bool]:
    """The labels of the tree of a jobspec of these resources, and whether it leaves out a part."""
    app: Any = pilot.app
    await pilot.afresh()
    app.edit(ReplaceJob(jobspec.build(list(resources))))  # type: ignore[arg-type]
    await pilot.settle()
    return tree_labels(app), "only part of the job" in str(app.panes["tree"].border_subtitle)


async def test_faults_are_marked_at_their_vertex() -> None:
    async with workbench_at() as (app, pilot):
        # A fault of what the shape leaves out marks no other vertex.
        core = {"type": "slot", "count": 1, "label": "a", "with": [{"type": "core", "count": 1}]}
        labels, is_partial = await put(pilot, 5, {"type": "node", "count": 1, "with": [core]})
        assert [label.split()[0] for label in labels] == ["node", "slot", "core"]
        assert not any("✗" in label for label in labels)
        assert is_partial
        await tree(pilot, "plus")
        assert app.state.jobspec()["resources"][0]["count"] == 2
        assert "only part of the job" not in str(app.panes["tree"].border_subtitle)
        # It is at its vertex where the places are the same, and said in full where the cursor is.
        labels, is_partial = await put(pilot, NODE | {"count": -1})
        assert "✗" in labels[0]
        assert is_partial
        await tree(pilot)
        assert app.state.verdicts is not None
        said = " ".join(plain(app, "#tree-note").split())
        assert said == app.state.verdicts.problems[0].message
        # A count that is spelled otherwise is not left out; one of another kind is.
        labels, is_partial = await put(pilot, NODE | {"count": "2-4"})
        assert (labels[0].split()[-1], is_partial) == ("✗", False)
        assert (await put(pilot, NODE | {"count": 1.0}))[1]
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


@pytest.mark.parametrize(
    ("vertex", "words"),
    [
        ({"type": "node", "count": {"min": 2}, "exclusive": True}, "node 2 or more  exclusive"),
        ({"type": "slot", "count": 1, "label": "a\x1b"}, "slot 1  a\\x1b"),
        ({"type": "memory", "count": 4, "unit": "GB"}, "memory 4  GB"),
        ({"type": "ssd", "count": 1, "tier": "a b", "x": [1]}, "ssd 1  tier a b  x [1]"),
        ({"type": "core", "count": 1, "exclusive": False}, "core 1  shared"),
    ],
)
def test_a_vertex_in_words(vertex: dict[str, Any], words: str) -> None:
    def said(**how: Any) -> str:
        return "".join(text for text, _ in vertex_parts(vertex, **how))

    assert said() == words
    assert said(place="n[1-2]") == f"{words}  n[1-2]"
    assert said(place="n[1-2]", marked=True) == f"{words}  ✗"


# What a question says of an answer


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_all_of_what_is_wrong_with_an_answer_is_seen(size: tuple[int, int]) -> None:
    async with workbench_at(size, shape=SHAPE) as (app, pilot):
        await tree(pilot, "enter")
        prompt = app.screen.query_one("#vertex-prompt", Prompt)
        await pilot.burst("ctrl+u", *"node=0")
        words = prompt.message.plain
        assert "expected" in words
        drawn = " ".join(screen_text(app).replace("│", " ").split())
        assert [word for word in words.split() if word not in drawn] == []
        await pilot.burst("ctrl+u", *"node=3")
        assert prompt.message.size.height == 1
        await pilot.burst("ctrl+u", *("xy " * 150))
        assert prompt.message.size.height <= MOST
        assert app.screen.query_one("#vertex-prompt-entry", Input).value.startswith("xy")
        assert app.shape_bar.entry.value == SHAPE
