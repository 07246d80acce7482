"""What is announced works: a key that is named does what is said, wherever the focus was before."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from fluxtui.ui.app import FluxTUI
from fluxtui.ui.kit.pane import Pane
from fluxtui.ui.kit.picker import Picker
from fluxtui.ui.session.dialogs import ChangesDialog
from fluxtui.workbench import EditRequires, EditShape, Select
from tests.ui.comparing import A, pair
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    SHAPE,
    SIZES,
    Hands,
    messages,
    plain,
    shown,
    workbench_at,
    write_document,
)

BARS = ("shape", "requires")
VIEWS = ("map", "table", "graph")
PANES = ("tree", "text", "form", "fit", "node", "explain", "properties", "queues")
PLACES = (*BARS, *VIEWS, *PANES)
SOME = ("shape", "form", "table")


async def go_to(app: FluxTUI, pilot: Hands, place: str) -> None:
    """Put the focus in a bar, a pane, or a view of the cluster."""
    if place in BARS:
        bar = app.shape_bar if place == "shape" else app.ask_bar
        app.screen.set_focus(bar.entry)
    elif place in VIEWS:
        app.go_to(place)
        app.go_to("map")
    else:
        app.go_to(place)
    await pilot.settle()
    await pilot.until(lambda: app.focused is not None)


def texts(app: FluxTUI) -> tuple[str, str, object]:
    """All that a person types: the shape, the constraint, and the fields of the form."""
    return app.state.build.text, app.state.ask.text, app.state.job.document


# What is asked for, and then announced


async def test_constraints_are_written_where_that_is_announced() -> None:
    async with workbench_at(shape=SHAPE, requires="gpu") as (app, pilot):
        # Another constraint is written where that is announced.
        for place in PLACES:
            await go_to(app, pilot, place)
            await pilot.press("ctrl+k")
            assert "write another one here, ctrl+k ends" in plain(app, "#ask-message"), place
            await pilot.press(*"ssd")
            assert texts(app)[:2] == (SHAPE, "ssd"), place
            await pilot.press("ctrl+k")
            assert app.state.kept is None
            app.edit(EditRequires("gpu"))
        # An unfinished constraint is finished where that is announced.
        await pilot.afresh(shape=SHAPE, requires="gpu&")
        for place in PLACES:
            await go_to(app, pilot, place)
            await pilot.press("ctrl+k")
            assert "Finish the constraint first" in messages(app)[-1], place
            await pilot.press(*"ssd")
            assert texts(app)[:2] == (SHAPE, "gpu&ssd"), place
            app.clear_notifications()
            app.edit(EditRequires("gpu&"))


@pytest.mark.parametrize("how", ["list", "palette", "letters"])
async def test_the_keys_of_a_comparison_do_what_is_announced(how: str, here: Path) -> None:
    async with workbench_at(shape=SHAPE, requires="gpu") as (app, pilot):
        for file in pair(here):
            app.documents.open_source(file)
            await pilot.done()
        assert "ctrl+d lists what is open" in messages(app)[-1]
        for place in PLACES if how == "list" else SOME:
            await go_to(app, pilot, place)
            before = texts(app)
            if how == "palette":
                app.comparison.compare_documents()
                await pilot.done()
            else:
                await pilot.press("ctrl+d")
                assert isinstance(app.screen, Picker)
                await pilot.press("d")
                if how == "list":
                    await pilot.done()
                    assert "D lists it, n and p go through it, d ends" in messages(app)[-1], place
            assert texts(app) == before, place
            await pilot.press("D")  # by letters at once, before it is known what differs
            await pilot.done()
            assert isinstance(app.screen, ChangesDialog), place
            cursor = app.state.cursor
            await pilot.press("escape", "n")
            assert app.state.cursor != cursor, place
            await pilot.press("d")
            assert app.state.compared is None, place
            assert texts(app) == before, place


async def test_a_comparison_that_nobody_asked_for_names_no_key(here: Path) -> None:
    async with workbench_at(shape=SHAPE) as (app, pilot):
        for file in pair(here):
            app.documents.open_source(file)
            await pilot.done()
        await pilot.press("ctrl+d", "d")
        await pilot.done()
        await pilot.press("ctrl+n")
        app.clear_notifications()
        write_document(here / "b.json", A | {"version": 1, "more": 1})
        app.watcher.read_again()
        await pilot.done()
        assert app.focused is app.shape_bar.entry
        assert "D lists" not in "".join(messages(app))


@pytest.mark.parametrize("key", ["ctrl+s", "ctrl+l"])
async def test_a_shape_is_typed_where_that_is_announced(key: str) -> None:
    async with workbench_at(requires="gpu") as (app, pilot):
        for place in PLACES if key == "ctrl+l" else SOME:
            await go_to(app, pilot, place)
            await pilot.press(key)
            assert "Type a shape first" in messages(app)[-1], place
            if key == "ctrl+s":
                assert "ctrl+y, then w, saves nodes" in messages(app)[-1], place
                await pilot.press("ctrl+y", "w")
                assert app.screen.query_one("#box").border_title == "Save nodes in a file"
                await pilot.press("escape")
            await pilot.press(*"core")
            assert texts(app)[:2] == ("core", "gpu"), place
            app.clear_notifications()
            app.edit(EditShape(""))


async def test_nodes_are_selected_where_that_is_announced() -> None:
    async with workbench_at(shape=SHAPE, requires="gpu") as (app, pilot):
        for place in PLACES:
            await go_to(app, pilot, place)
            before = texts(app)
            app.selection.find_constraint()
            await pilot.settle()
            assert "Select nodes in the cluster first: space" in messages(app)[-1], place
            await pilot.press("space")
            assert app.state.selected, place
            assert texts(app) == before, place
            app.clear_notifications()
            app.edit(Select(0))


# What stands in the frame of a pane


def frame(pane: Pane) -> str:
    """What is said in the lower edge of the frame."""
    return str(pane._border_subtitle or "")


def letters(app: FluxTUI, pane: Pane) -> Iterator[str]:
    """The keys of a pane and its parts that do something else, or nothing, elsewhere."""
    names = {"plus": "+", "minus": "-", "slash": "/", "escape": "esc", "exclamation_mark": "!"}
    widgets = [pane, *pane.query("*")]
    for key in {key for widget in widgets for key in widget._bindings.key_to_bindings}:
        if key.isdecimal():
            continue  # a count, as well
        if key not in app._bindings.key_to_bindings or key == "escape":
            yield names.get(key, key)


def named(app: FluxTUI, pane: Pane) -> set[str]:
    """Those of them that its frame names without how to get to them."""
    words = frame(pane).partition(", then ")
    rest = words[0] if words[1] else frame(pane)
    return set(rest.split()) & set(letters(app, pane))


@pytest.mark.parametrize(
    ("size", "state"),
    [*((size, "plain") for size in SIZES), (NORMAL, "selected"), (NORMAL, "kept")],
)
async def test_a_frame_names_the_keys_of_its_pane_while_they_work(
    size: tuple[int, int], state: str
) -> None:
    seen = 0
    async with workbench_at(size, shape=SHAPE, requires="gpu") as (app, pilot):
        if state == "kept":
            await pilot.press("ctrl+k", "end", *"&ssd")
        elif state == "selected":
            app.edit(Select(0b111))
        for place in PLACES:
            await go_to(app, pilot, place)
            for name, pane in app.workspace.panes.items():
                if not shown(pane):
                    continue
                has_focus = app.focused is not None and pane in app.focused.ancestors
                if not has_focus:
                    assert not named(app, pane), (place, name, frame(pane))
                elif named(app, pane):
                    seen += 1
                elif state != "kept" and place in (*VIEWS, "properties", "queues", "text"):
                    pytest.fail(f"{name} has the focus and names no key: {frame(pane)}")
    assert seen >= len(VIEWS)


async def test_a_pane_that_a_key_leads_to_is_reached_from_all_others() -> None:
    async with workbench_at(NARROW, shape=SHAPE, requires="gpu") as (app, pilot):
        for key, place in (("f5", "queues"), ("f12", "form"), ("f3", "explain")):
            pane = app.panes[place]
            for start in PLACES:
                await go_to(app, pilot, start)
                before = texts(app)
                if start != place:
                    await pilot.press(key)
                    await pilot.until(lambda pane=pane: pane in app.focused.ancestors)
                assert texts(app) == before, start
