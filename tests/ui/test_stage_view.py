"""The stage at every size, on every cluster and in every theme."""

from pathlib import Path

import pytest

from fluxtui import workbench
from fluxtui.model.stage import Stage, Step
from fluxtui.ui.stage_screen import StageScreen
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    WIDE,
    cluster,
    done,
    press,
    screen_text,
    settle,
    workbench_at,
)
from tests.ui.staging import stage, talk


async def test_another_cluster_is_shown_on_stage() -> None:
    async with workbench_at() as (app, pilot):
        await press(pilot, "f11")
        app.edit(workbench.OpenCluster(cluster(8, {"x": "0-3", "y": "2-5"})))
        await settle(pilot)
        assert "0 of 8 nodes" in screen_text(app)
        await press(pilot, "right")
        assert "With a property, on this cluster" in screen_text(app)
        assert "4 of 8 nodes" in screen_text(app)


async def test_without_a_cluster() -> None:
    async with workbench_at(on=cluster(0)) as (app, pilot):
        await press(pilot, "f11")
        assert "0 of 0 nodes" in screen_text(app)
        assert "There are no nodes here" in screen_text(app)


async def test_a_theme_is_chosen_on_stage() -> None:
    async with workbench_at() as (app, pilot):
        await press(pilot, "f11", "f9")
        await done(pilot)
        await press(pilot, "down", "enter")
        assert isinstance(app.screen, StageScreen)
        assert app.theme != "dusk"
        before = app.palette.match.color
        colours = {
            segment.style.color
            for strip in app.screen._compositor.render_strips()
            for segment in strip
            if segment.text.strip().startswith("100") and segment.style is not None
        }
        assert before in colours


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_every_step_fits(size: tuple[int, int]) -> None:
    async with workbench_at(size) as (app, pilot):
        await press(pilot, "f11")
        for number in range(22):
            screen = stage(app)
            text = " ".join(screen_text(app).split())
            for words in (screen.step.title, screen.step.note, f"{number + 1} of 22"):
                assert " ".join(words.split()) in text
            assert screen.step.constraint in text
            lit = screen.state.ask.totals.nodes
            assert f"{lit} of 196 nodes" in text
            assert text.count("■") == lit + 1  # and one in the legend
            assert "dune-login1" in text
            assert "dunemem1" in text
            assert "esc leave" in text
            await press(pilot, "right")


async def test_the_reading_stands_beside_the_map_where_there_is_room(here: Path) -> None:
    source = talk(here)
    for size, there in ((NARROW, False), (NORMAL, True), (WIDE, True), ((80, 40), True)):
        async with workbench_at(size, source=source) as (app, pilot):
            await done(pilot)
            assert ("└ not debug" in screen_text(app)) is there
            assert ("r reading" in screen_text(app)) is not there
            await press(pilot, "r")
            assert "└ not debug" in screen_text(app)
            assert ("dunemem1" in screen_text(app)) is there
            assert ("r map" in screen_text(app)) is not there
            await press(pilot, "r")
            assert ("└ not debug" in screen_text(app)) is there
            assert "dunemem1" in screen_text(app)


async def test_resized_it_shows_all_again() -> None:
    async with workbench_at(WIDE) as (app, pilot):
        await press(pilot, "f11")
        await pilot.resize_terminal(*NARROW)
        await settle(pilot)
        text = screen_text(app)
        assert "With a property" in text
        assert "dunemem1" in text
        assert "esc leave" in text


async def test_a_long_constraint_is_broken_where_it_may_be_and_ends_in_an_ellipsis() -> None:
    text = "host:n[" + ",".join(map(str, range(0, 4000, 2))) + "]"
    async with workbench_at(NARROW) as (app, pilot):
        app.show_stage(Stage("t", (Step("long", text),)))
        await settle(pilot)
        lines = stage(app).constraint.plain.splitlines()
        assert len(lines) == 3
        assert lines[0].endswith(",")
        assert lines[2].endswith("…")


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_few_matches_on_a_large_map_are_in_sight(size: tuple[int, int]) -> None:
    on = cluster(20_000, {"x": "15000-15003"})
    async with workbench_at(size, on=on) as (app, pilot):
        app.show_stage(Stage("t", (Step("few", "x"), Step("all", "{}"))))
        await settle(pilot)
        view = stage(app).map
        row = view.row_of(15_000)
        assert row is not None
        line = view.render_line(2 * row if view.is_airy else row).text
        assert "▁" in line
        assert f"1 cell = {view.zoom.size:,} nodes" in screen_text(app)
        await press(pilot, "right")
        assert "▁" not in view.render_line(0).text
