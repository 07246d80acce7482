"""The stage: the constraint of the person, keys in sight, and clusters and titles of all sizes."""

from pathlib import Path

import pytest
from rich.cells import cell_len

from fluxtui.ui.stage_screen import StageScreen
from fluxtui.workbench import KeepConstraint
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    WIDE,
    cluster,
    done,
    press,
    put,
    screen_text,
    workbench_at,
)
from tests.ui.staging import TALK, place, stage, talk

# One's own constraint


async def test_the_constraint_in_the_bar_comes_first() -> None:
    async with workbench_at(requires="gpu&-debug") as (app, pilot):
        await press(pilot, "f11")
        assert place(app) == "RFC 31 by example 1 of 23"
        assert stage(app).heading.plain == "Your constraint"
        assert stage(app).constraint.plain == "gpu&-debug"
        assert "18 of 196 nodes" in screen_text(app)
        await press(pilot, "right")
        assert stage(app).heading.plain == "With a property"
        await press(pilot, "left", "left")
        assert place(app).endswith("1 of 23")


async def test_one_that_cannot_be_read_is_shown_as_it_is_typed() -> None:
    async with workbench_at() as (app, pilot):
        await put(pilot, "gpu&")
        await press(pilot, "f11")
        assert stage(app).constraint.plain == "gpu&"
        assert "cannot be read" in screen_text(app)


async def test_a_and_b_are_a_step_each() -> None:
    async with workbench_at(requires="gpu") as (app, pilot):
        app.edit(KeepConstraint())
        await press(pilot, "f11")
        assert stage(app).heading.plain == "Your constraint"
        await press(pilot, "escape")
        await put(pilot, "bigmem")
        await press(pilot, "f11")
        shown = []
        for _ in range(3):
            shown.append((stage(app).heading.plain, stage(app).constraint.plain))
            await press(pilot, "enter")
        assert shown == [("A", "gpu"), ("B", "bigmem"), ("With a property", "ssd")]
        assert place(app).endswith("4 of 24")


async def test_it_goes_on_where_it_was_left_until_the_constraint_is_another_one() -> None:
    async with workbench_at(requires="gpu") as (app, pilot):
        await press(pilot, "f11", "right", "right", "right", "escape", "f11")
        assert place(app).endswith("4 of 23")
        await press(pilot, "e")
        text = app.state.ask.text
        await press(pilot, "f11")
        assert place(app).endswith("4 of 23")
        assert stage(app).constraint.plain == text
        await press(pilot, "escape")
        await put(pilot, "bigmem")
        await press(pilot, "f11")
        assert place(app).endswith("1 of 23")
        assert stage(app).constraint.plain == "bigmem"
        await press(pilot, "escape")
        await put(pilot, "")
        await press(pilot, "f11")
        assert place(app).endswith("1 of 22")


async def test_a_list_of_ones_own_stays_as_it_is_and_offers_it(here: Path) -> None:
    async with workbench_at(requires="bigmem") as (app, pilot):
        app.open_source(talk(here, TALK))
        await press(pilot, "f11")
        await done(pilot)
        assert isinstance(app.screen, StageScreen)
        assert place(app) == "Which nodes will do? 1 of 4"
        await press(pilot, "end", "right")
        assert place(app).endswith("4 of 4")
        await press(pilot, "l", "5", "enter")
        assert place(app) == "Which nodes will do? beside the list"
        assert stage(app).constraint.plain == "bigmem"
        await press(pilot, "right")
        assert place(app).endswith("beside the list")
        await press(pilot, "left")
        assert place(app).endswith("4 of 4")


async def test_the_examples_begin_with_the_first_of_them() -> None:
    async with workbench_at(requires="gpu") as (app, pilot):
        app.action_examples_on_stage()
        await press(pilot, "down")
        assert stage(app).heading.plain == "With a property"
        assert place(app).endswith("2 of 23")


# Keys, titles, many nodes


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_f1_tells_the_keys(size: tuple[int, int]) -> None:
    async with workbench_at(size) as (app, pilot):
        await press(pilot, "f11")
        assert "F1 keys" in screen_text(app)
        await press(pilot, "f1")
        text = screen_text(app)
        for words in ("home  end", "the first step, the last one", "F10  ctrl+q"):
            assert words in text
        await press(pilot, "f1", "right")
        assert place(app).endswith("2 of 22")


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_a_wide_title_leaves_the_constraints_in_sight(
    here: Path, size: tuple[int, int]
) -> None:
    text = f"- title: {'節点' * 40}\n  constraint: gpu&-debug\n- title: b\n  constraint: bigmem\n"
    async with workbench_at(size, source=talk(here, text)) as (app, pilot):
        await done(pilot)
        await press(pilot, "l")
        rows = [row for row in screen_text(app).splitlines() if "│" in row]
        first, second = (next(row for row in rows if w in row) for w in ("gpu&-debug", "bigmem"))
        assert "点" in first
        assert "…" in first
        assert first.index("gpu") < second.index("bigmem")  # a wide character is two columns
        before, above = first[: first.index("gpu")], second[: second.index("bigmem")]
        assert cell_len(before) == cell_len(above)


@pytest.mark.parametrize("size", [NARROW, NORMAL])
@pytest.mark.parametrize("nodes", [196, 20_000, 1_000_000])
async def test_all_nodes_are_in_sight(size: tuple[int, int], nodes: int) -> None:
    async with workbench_at(size, on=cluster(nodes, {"ssd": "0-9"})) as (app, pilot):
        await press(pilot, "f11")
        view = stage(app).map
        assert view.row_count <= view.size.height
        assert view.grid.span(view.grid.cells - 1)[1] == nodes
