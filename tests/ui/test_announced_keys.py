"""What is announced works: a key that is named does what is said, wherever the focus was before."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from fluxtui.ui.app import FluxTUI
from fluxtui.ui.kit.keys import bindings_of, written
from fluxtui.ui.kit.pane import Pane
from fluxtui.ui.kit.picker import Picker
from fluxtui.ui.session.dialogs import ChangesDialog
from fluxtui.workbench import EditRequires, EditShape, Select
from tests.ui.comparing import pair
from tests.ui.helpers import NARROW, SHAPE, SIZES, Hands, messages, plain, shown, workbench_at

BARS = ("shape", "requires")
VIEWS = ("map", "table", "graph")
PANES = (*VIEWS, "tree", "text", "fit", "node", "explain", "properties", "queues")
PLACES = (*BARS, *PANES, "form")


async def go_to(app: FluxTUI, pilot: Hands, place: str) -> None:
    """Put the focus in an input or a pane."""
    if place in BARS:
        app.screen.set_focus((app.shape_bar if place == "shape" else app.ask_bar).entry)
    else:
        app.go_to(place)
    await pilot.settle()
    await pilot.until(lambda: app.focused is not None)


def texts(app: FluxTUI) -> tuple[str, str, object]:
    """All that a person types: the shape, the constraint, and the fields of the form."""
    return app.state.build.text, app.state.ask.text, app.state.job.document


async def test_another_constraint_is_typed_where_that_is_announced() -> None:
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
        await pilot.afresh(shape=SHAPE, requires="gpu&")
        for place in VIEWS:
            await go_to(app, pilot, place)
            await pilot.press("A")
            assert "Finish the constraint first" in messages(app)[-1], place
            await pilot.press(*"ssd")
            assert texts(app)[:2] == (SHAPE, "gpu&ssd"), place
            app.edit(EditRequires("gpu&"))


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
            assert "; D lists them, d stops" in messages(app)[-1], place
            await pilot.press("D")
            assert isinstance(app.screen, ChangesDialog), place
            cursor = app.state.cursor
            await pilot.press("escape", "n")
            assert app.state.cursor != cursor, place
            await pilot.press("d")
            assert app.state.compared is None, place
        assert texts(app)[:2] == (SHAPE, "")


@pytest.mark.parametrize("key", ["ctrl+s", "ctrl+l"])
async def test_a_shape_is_typed_where_that_is_announced(key: str) -> None:
    async with workbench_at(requires="gpu") as (app, pilot):
        for place in PLACES:
            await go_to(app, pilot, place)
            await pilot.press(key)
            assert "Type a shape first" in messages(app)[-1], place
            await pilot.press(*"core")
            assert texts(app)[:2] == ("core", "gpu"), place
            app.clear_notifications()
            app.edit(EditShape(""))


async def test_nodes_are_selected_where_that_is_announced() -> None:
    async with workbench_at(shape=SHAPE, requires="gpu") as (app, pilot):
        for place in PLACES:
            await go_to(app, pilot, place)
            before = texts(app)
            await pilot.burst("ctrl+p", *"constraint for the selected nodes", "enter")
            await pilot.done()
            assert "Select nodes first: space" in messages(app)[-1], place
            await pilot.press("space")
            assert app.state.selected, place
            assert texts(app) == before, place
            app.clear_notifications()
            app.edit(Select(0))


# What stands in the frame of a pane


def frame(pane: Pane) -> str:
    """What is said in the lower edge of the frame."""
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
