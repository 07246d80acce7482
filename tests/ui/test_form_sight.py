"""What of the form is in sight: at another size, where the cursor is, page by page."""

import pytest

from fluxtui.ui.app import FluxTUI
from fluxtui.ui.form_rows import FieldRow
from fluxtui.ui.panes.form import WIDE as WITH_WORDS
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    SHAPE,
    WIDE,
    afresh,
    burst,
    press,
    screen_lines,
    screen_text,
    settle,
    until,
    workbench_at,
)
from tests.ui.offers import drawn, offered, popup


def current(app: FluxTUI) -> FieldRow:
    """The field with the cursor."""
    row = app.form_pane._current
    assert row is not None
    return row


def drawn_form(app: FluxTUI) -> list[str]:
    """The lines of the pane as they are drawn, with its frame."""
    region = app.form_pane.region
    return [line[region.x : region.right] for line in screen_lines(app)[region.y : region.bottom]]


def is_seen(app: FluxTUI) -> bool:
    """The field with the cursor is drawn where it can be seen."""
    fields, label = app.form_pane.query_one("#fields").region, current(app).label
    return label.region in fields and label.plain.strip() in "\n".join(drawn_form(app))


# Another size


@pytest.mark.parametrize("size", [NARROW, NORMAL])
async def test_a_form_that_comes_in_sight_on_a_wider_screen_is_filled(
    size: tuple[int, int],
) -> None:
    async with workbench_at(WIDE, shape=SHAPE) as (app, pilot):
        fresh = drawn_form(app)
        assert any("Command" in line for line in fresh)
    async with workbench_at(size, shape=SHAPE) as (app, pilot):
        await pilot.resize_terminal(*WIDE)
        await settle(pilot)
        assert drawn_form(app) == fresh


async def test_a_form_that_comes_in_sight_knows_its_room() -> None:
    async with workbench_at(NORMAL, shape=SHAPE) as (app, pilot):
        # The words of the fields follow the room for them.
        await press(pilot, "f12", "down", "down", "down")
        words = current(app).words
        assert words.plain
        assert not words.display
        for size in (NARROW, NORMAL, WIDE):
            await pilot.resize_terminal(*size)
            await settle(pilot)
            assert words.display is (app.form_pane.size.width >= WITH_WORDS)
            assert is_seen(app)
        # A form that is brought knows its room.
        await afresh(app, pilot, shape=SHAPE, size=NARROW)
        await press(pilot, "f12")
        assert "tasks[0].command" in screen_text(app)
        assert app.form_pane.rows["tasks"].words.display
        # The field that is typed in is seen when the form comes back.
        await afresh(app, pilot, shape="slot/core")
        await press(pilot, "f12", *["down"] * 14)
        assert is_seen(app)
        await press(pilot, "ctrl+t", *"gpu")
        assert app.workspace.front == "cluster"
        await press(pilot, "f12")
        assert current(app).field.name == "command"
        assert is_seen(app)


# Where the cursor is


async def test_the_keys_lead_to_fields_that_are_seen() -> None:
    async with workbench_at(shape=SHAPE) as (app, pilot):
        # Keys in one burst lead to a field that is seen.
        await burst(pilot, "f12", *["down"] * 14, "up")
        await until(pilot, lambda: is_seen(app))
        await burst(pilot, "f12", "f12", "pagedown", "pagedown")
        await until(pilot, lambda: is_seen(app))
        # The page keys go through the fields.
        await afresh(app, pilot, shape=SHAPE)
        await press(pilot, "f12")
        names, height = list(app.form_pane.rows), app.form_pane.query_one("#fields").size.height
        first, last = names[0], names[-1]
        seen, before = [first], current(app)
        while before.field.name != last:
            await press(pilot, "pagedown")
            await until(pilot, lambda: is_seen(app))
            down = current(app).virtual_region.y - before.virtual_region.y
            assert 0 < down < height
            before = current(app)
            seen.append(before.field.name)
        assert len(seen) < len(names) / 2
        await press(pilot, "pagedown")
        assert current(app).field.name == last
        await press(pilot, *["pageup"] * (len(seen) - 1))
        await until(pilot, lambda: is_seen(app))
        assert current(app).field.name == first
        await press(pilot, "pageup")
        assert current(app).field.name == first
        # A page is of the list where one chooses from it.
        await afresh(app, pilot, shape=SHAPE, size=NORMAL)
        await press(pilot, "f12")
        await press(pilot, *["down"] * list(app.form_pane.rows).index("duration"), "ctrl+@")
        row = current(app)
        assert len(offered(app)) > 1
        await press(pilot, "pagedown")
        assert current(app) is row
        assert popup(app).chosen == min(len(offered(app)), popup(app).page) - 1
        # What a field offers takes the room beside the pane.
        shape = "slot{label}/[core=8;memory=64{unit:GB};gpu=2]"
        await afresh(app, pilot, shape=shape)
        await press(pilot, "f12", "down", "down", "backspace", "ctrl+@")
        assert "1 slot of core ×8, memory ×64 GB, gpu ×2" in drawn(app)[0]
        assert popup(app).region.right > app.form_pane.region.right
        # The help tells of the form.
        await afresh(app, pilot, size=(120, 200))
        await press(pilot, "f1")
        assert "In the form of the job (F12)" in screen_text(app)
        assert "page down  page up" in screen_text(app)


# Page by page


# What is offered


# The help
