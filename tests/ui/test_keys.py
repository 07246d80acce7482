"""What is typed is in sight and for what asked for it; keys do what is announced of them."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from textual.widgets import Input, TextArea

from fluxtui.ui.app import FluxTUI
from fluxtui.ui.kit.input import PlainInput
from fluxtui.ui.kit.keys import bindings_of, written
from fluxtui.ui.kit.pane import Pane
from fluxtui.ui.kit.picker import Picker
from fluxtui.workbench import EditRequires, EditShape, Select
from tests.ui.comparing import pair
from tests.ui.helpers import NARROW, NORMAL, REQUIRES, SHAPE, SIZES, WIDE, Hands, workbench_at
from tests.ui.seen import messages, plain, screen_text, shown

SMALL, SHORT, FLAT = (40, 12), (120, 20), (200, 12)  # beside those that a person would choose

# Wherever it is typed some of it is wrong, and lines of words come and go beside the text.
WRONG = ("(", "²x[{", "gpu&-(", "x" * 60, "\b\b\b")

BARS = ("shape", "requires")
VIEWS = ("map", "table", "graph")
PANES = (*VIEWS, "tree", "text", "fit", "node", "explain", "properties", "queues")
PLACES = (*BARS, *PANES, "form")

# The keys that lead to a place for text, from a view of the cluster or from a pane.
FOR_TEXT = {
    **dict.fromkeys(BARS, ()),
    **dict.fromkeys((*VIEWS, "properties"), ("slash",)),
    "tree": ("down", "enter"),
    "explain": ("a",),
    "explain as JSON": ("j", "enter"),
    "text": ("enter",),
    "node": ("ctrl+o",),
    "fit": ("ctrl+s",),
    "queues": ("ctrl+p",),
}


async def go_to(app: FluxTUI, pilot: Hands, place: str) -> None:
    if place in BARS:
        app.screen.set_focus((app.shape_bar if place == "shape" else app.ask_bar).entry)
    else:
        app.go_to(place)
    await pilot.settle()
    await pilot.until(lambda: app.focused is not None)


def assert_in_sight(app: FluxTUI, after: object) -> None:
    """The cursor of what has the focus is on the screen, and nothing lies over it."""
    focused = app.focused
    assert isinstance(focused, Input | TextArea), (focused, after)
    x, y = focused.cursor_screen_offset
    x = min(x, focused.content_region.right - 1)  # Textual 8.2.8 tells one more at the end
    seen, _ = app.screen.get_widget_at(x, y)
    assert seen is focused, (focused, (x, y), seen, after)


@pytest.mark.parametrize("size", [SMALL, SHORT, FLAT, WIDE])
async def test_what_is_typed_is_in_sight(size: tuple[int, int]) -> None:
    async with workbench_at(size, shape=SHAPE, requires=REQUIRES) as (app, pilot):
        # In every bar, pane and dialog.
        for place, keys in FOR_TEXT.items():
            await go_to(app, pilot, place.split()[0])
            await pilot.press(*keys)
            assert_in_sight(app, place)
            for text in WRONG:
                await pilot.burst(*(key.replace("\b", "backspace") for key in text))
                assert_in_sight(app, (place, text))
            await pilot.press("escape", "escape")
            while len(app.screen_stack) > 1:
                app.screen.dismiss()
                await pilot.settle()
            await pilot.edit(EditShape(SHAPE), EditRequires(REQUIRES))
        # In every field of the form.
        await pilot.press("f12")
        for row in app.panes["form"].rows.values():
            assert app.focused is row.target
            if not row.field.multiline:
                await pilot.press("(", "²")
                assert_in_sight(app, row.field.name)
            await pilot.press("down")
        # The end of what came at once.
        for name in ("environment", "shell-options", "user") if size in (SHORT, WIDE) else ():
            app.query_one(f"#field-{name}").focus()
            options = " ".join(f"{name}-{number}=long" for number in range(9))
            await pilot.paste(f"{options} last=end")  # "10 options" takes of its columns
            await pilot.done()
            assert "last=end" in screen_text(app)


async def test_a_burst_goes_where_its_first_key_leads() -> None:
    async with workbench_at(requires="gpu") as (app, pilot):
        for place in (*VIEWS, "properties"):
            await go_to(app, pilot, place)
            home, cursor = app.focused, app.state.cursor
            for _ in range(2):  # the first time, the question is made
                await pilot.burst("slash", *"1a/n")
                assert isinstance(app.focused, PlainInput)
                assert app.focused.value == "1a/n"
                assert (app.state.cursor, app.state.selected) == (cursor, 0)
                await pilot.press("escape")
                await pilot.until(lambda home=home: app.focused is home)
        # What is typed after the key of a list narrows it.
        await go_to(app, pilot, "map")
        await pilot.burst("c", *"gpus", "enter")
        await pilot.until(lambda: app.views.map.part.shown.colours.kind == "gpus")
        assert len(app.screen_stack) == 1
        # A burst after f12 is for the form, after enter for the text, after f5 for the queues.
        await pilot.afresh()
        keys = (*"node=2/slot/core=4", "f12", "down", "down", "down", "ctrl+u", *"per_slot=")
        await pilot.burst(*keys)
        rows = app.panes["form"].rows
        assert app.focused is rows["tasks"].target
        assert rows["tasks"].target.value == "per_slot="
        assert app.state.build.text == "node=2/slot/core=4"
        for size in SIZES:
            await pilot.afresh(shape="node=2/slot/core=4", size=size)
            if size == NARROW:
                await pilot.burst("f4", "enter", *"# slow")
            else:
                app.go_to("text")
                await pilot.burst("enter", *"# slow")
            assert app.panes["text"].editor is app.focused
            assert app.panes["text"].editor.text.startswith("# slow")
            assert app.state.build.text == "node=2/slot/core=4"
        await pilot.afresh(shape="node=2/slot/core=4", size=NORMAL)
        await pilot.burst("f5", "down", "enter")
        assert app.focused is app.panes["queues"].view
        names = [queue.name for queue in app.state.cluster.config.queues]  # type: ignore[union-attr]
        assert app.state.submission.queue == names[1]


def texts(app: FluxTUI) -> tuple[str, str, object]:
    """All that a person types: the shape, the constraint, and the fields of the form."""
    return app.state.build.text, app.state.ask.text, app.state.job.document


async def test_what_is_announced_is_typed_and_selected_there() -> None:
    async with workbench_at(shape=SHAPE, requires="gpu") as (app, pilot):
        for place in PANES:
            await go_to(app, pilot, place)
            await pilot.press("A")
            assert "type another one here; A in a pane stops" in plain(app, "#ask-message"), place
            await pilot.press(*"ssd")
            assert texts(app)[:2] == (SHAPE, "ssd"), place
            await go_to(app, pilot, place)
            await pilot.press("A")
            assert app.state.kept is None, place
            app.edit(EditRequires("gpu"))
        # One that is not finished is finished where that is announced.
        for place in VIEWS:
            app.edit(EditRequires("gpu&"))
            await go_to(app, pilot, place)
            await pilot.press("A")
            assert "Finish the constraint first" in messages(app)[-1], place
            await pilot.press(*"ssd")
            assert texts(app)[:2] == (SHAPE, "gpu&ssd"), place
        # Nodes are selected where that is announced.
        await pilot.afresh(shape=SHAPE, requires="gpu")
        for place in PLACES:
            await go_to(app, pilot, place)
            before = texts(app)
            await pilot.burst("ctrl+p", *"constraint for the selected nodes", "enter")
            await pilot.done()
            assert "Select nodes first: space" in messages(app)[-1], place
            await pilot.press("space")
            assert app.state.selected, place
            assert texts(app) == before, place
            app.messages.clear()
            app.edit(Select(0))
        # A shape is typed where that is announced.
        app.edit(EditShape(""))
        for place, key in product(PLACES, ("ctrl+s", "ctrl+l")):
            await go_to(app, pilot, place)
            await pilot.press(key)
            assert "Type a shape first" in messages(app)[-1], place
            await pilot.press(*"core")
            assert texts(app)[:2] == ("core", "gpu"), place
            app.messages.clear()
            app.edit(EditShape(""))


async def test_the_keys_of_a_comparison_do_what_is_announced(here: Path) -> None:
    async with workbench_at(NARROW, shape=SHAPE) as (app, pilot):
        for file in pair(here):
            await pilot.open(file)
        assert "in a pane ] goes there, ctrl+d lists and compares" in messages(app)[-1]
        for place in PANES:
            await go_to(app, pilot, place)
            number = app.state.place
            await pilot.press("]")
            assert app.state.place != number, place
            await pilot.press("ctrl+d")
            assert isinstance(app.screen, Picker), place
            await pilot.do("d")
            assert "; D lists what changes, d stops" in messages(app)[-1], place
            await pilot.press("D")
            assert isinstance(app.screen, Picker), place
            cursor = app.state.cursor
            await pilot.press("escape", "n")
            assert app.state.cursor != cursor, place
            await pilot.press("d")
            assert app.state.compared is None, place
        assert texts(app)[:2] == (SHAPE, "")


def frame(pane: Pane) -> str:
    return str(pane.border_subtitle or "")


def letters(app: FluxTUI, pane: Pane) -> Iterator[str]:
    """The keys of a pane and its parts that do something else, or nothing, elsewhere."""
    everywhere = {key for binding in bindings_of(app) for key in binding.key.split(",")}
    for widget in (pane, *pane.query("*")):
        for binding in bindings_of(widget):
            for key in binding.key.split(","):
                if key not in everywhere or key == "escape":
                    yield written(key)


@pytest.mark.parametrize("size", SIZES)
async def test_a_frame_names_the_keys_of_its_pane_while_they_work(size: tuple[int, int]) -> None:
    async with workbench_at(size, shape=SHAPE, requires="gpu") as (app, pilot):
        for place in (*BARS, *PANES):
            await go_to(app, pilot, place)
            for name, pane in app.workspace.panes.items():
                words = set(frame(pane).partition(", then ")[0].split())
                if shown(pane) and app.focused is not None and pane not in app.focused.ancestors:
                    assert not words & set(letters(app, pane)), (place, name, frame(pane))
