"""What of the form is in sight: at another size, where the cursor is, page by page."""

import pytest

from fluxtui.ui.app import FluxTUI
from fluxtui.ui.form_rows import FieldRow
from fluxtui.ui.panes.form import WIDE as WITH_WORDS
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    SHAPE,
    SIZES,
    WIDE,
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


async def test_the_words_of_the_fields_follow_the_room_for_them() -> None:
    async with workbench_at(NORMAL, shape=SHAPE) as (app, pilot):
        await press(pilot, "f12", "down", "down", "down")
        words = current(app).words
        assert words.plain
        assert not words.display
        for size in (NARROW, NORMAL, WIDE):
            await pilot.resize_terminal(*size)
            await settle(pilot)
            assert words.display is (app.form_pane.size.width >= WITH_WORDS)
            assert is_seen(app)


async def test_a_form_that_is_brought_knows_its_room() -> None:
    async with workbench_at(NARROW, shape=SHAPE) as (app, pilot):
        await press(pilot, "f12")
        assert "tasks[0].command" in screen_text(app)
        assert app.form_pane.rows["tasks"].words.display


# Where the cursor is


async def test_the_field_that_is_typed_in_is_seen_when_the_form_comes_back() -> None:
    async with workbench_at(NARROW, shape="slot/core") as (app, pilot):
        await press(pilot, "f12", *["down"] * 14)
        assert is_seen(app)
        await press(pilot, "ctrl+t", *"gpu")
        assert app.workspace.front == "cluster"
        await press(pilot, "f12")
        assert current(app).field.name == "command"
        assert is_seen(app)


@pytest.mark.parametrize("size", SIZES)
async def test_keys_in_one_burst_lead_to_a_field_that_is_seen(size: tuple[int, int]) -> None:
    async with workbench_at(size, shape=SHAPE) as (app, pilot):
        await burst(pilot, "f12", *["down"] * 14, "up")
        await until(pilot, lambda: is_seen(app))
        await burst(pilot, "f12", "f12", "pagedown", "pagedown")
        await until(pilot, lambda: is_seen(app))


# Page by page


@pytest.mark.parametrize("size", SIZES)
async def test_the_page_keys_go_through_the_fields(size: tuple[int, int]) -> None:
    async with workbench_at(size, shape=SHAPE) as (app, pilot):
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


async def test_a_page_is_of_the_list_where_one_chooses_from_it() -> None:
    async with workbench_at(NORMAL, shape=SHAPE) as (app, pilot):
        await press(pilot, "f12")
        await press(pilot, *["down"] * list(app.form_pane.rows).index("duration"), "ctrl+@")
        row = current(app)
        assert len(offered(app)) > 1
        await press(pilot, "pagedown")
        assert current(app) is row
        assert popup(app).chosen == min(len(offered(app)), popup(app).page) - 1


# What is offered


async def test_what_a_field_offers_takes_the_room_beside_the_pane() -> None:
    shape = "slot{label}/[core=8;memory=64{unit:GB};gpu=2]"
    async with workbench_at(NORMAL, shape=shape) as (app, pilot):
        await press(pilot, "f12", "down", "down", "backspace", "ctrl+@")
        assert "1 slot of core ×8, memory ×64 GB, gpu ×2" in drawn(app)[0]
        assert popup(app).region.right > app.form_pane.region.right


# The help


async def test_the_help_tells_of_the_form() -> None:
    async with workbench_at((120, 200)) as (app, pilot):
        await press(pilot, "f1")
        assert "In the form of the job (F12)" in screen_text(app)
        assert "page down  page up" in screen_text(app)
