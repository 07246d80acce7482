"""The stage at every size, on every cluster and in every theme."""

from pathlib import Path

from rich.cells import cell_len

from fluxtui.model.stage import Stage, Step
from fluxtui.ui.stage_screen import StageScreen
from fluxtui.workbench import OpenCluster
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
from tests.ui.staging import place, stage, talk, unstaged


async def test_every_step_fits_at_each_size() -> None:
    async with workbench_at(NARROW) as (app, pilot):
        await press(pilot, "f11")
        for size in (WIDE, NARROW):  # the last one has been another one
            await pilot.resize_terminal(*size)
            await press(pilot, "home")
            for number in range(22):
                screen = stage(app)
                text = " ".join(screen_text(app).split())
                for words in (screen.step.title, screen.step.note, f"{number + 1} of 22"):
                    assert " ".join(words.split()) in text
                assert screen.step.constraint in text
                lit = screen.state.ask.totals.nodes
                assert f"{lit} of 196 nodes" in text
                assert text.count("■") == lit + 1  # and one in the legend
                for words in ("dune-login1", "dunemem1", "esc leave"):
                    assert words in text
                await press(pilot, "right")
            await press(pilot, "home")
            assert "F1 keys" in screen_text(app)
            await press(pilot, "f1")
            text = screen_text(app)
            for words in ("home  end", "the first step, the last one", "F10  ctrl+q"):
                assert words in text
            await press(pilot, "f1", "right")
            assert place(app).endswith("2 of 22")
        # A theme is chosen there.
        await press(pilot, "home", "f9")
        await done(pilot)
        await press(pilot, "down", "enter")
        assert isinstance(app.screen, StageScreen)
        assert app.theme != "dusk"
        colours = {
            segment.style.color
            for strip in app.screen._compositor.render_strips()
            for segment in strip
            if segment.text.strip().startswith("100") and segment.style is not None
        }
        assert app.palette.match.color in colours


async def test_the_stage_of_other_clusters() -> None:
    async with workbench_at(NARROW) as (app, pilot):
        await press(pilot, "f11")
        app.edit(OpenCluster(cluster(8, {"x": "0-3", "y": "2-5"})))
        await settle(pilot)
        assert "0 of 8 nodes" in screen_text(app)
        await press(pilot, "right")
        assert "With a property, on this cluster" in screen_text(app)
        assert "4 of 8 nodes" in screen_text(app)
        await unstaged(app, pilot, on=cluster(0))
        await press(pilot, "f11")
        assert "0 of 0 nodes" in screen_text(app)
        assert "There are no nodes here" in screen_text(app)
        # All nodes are in sight.
        for nodes in (196, 20_000, 1_000_000):
            await unstaged(app, pilot, on=cluster(nodes, {"ssd": "0-9"}))
            await press(pilot, "f11")
            for size in (NORMAL, NARROW):
                await pilot.resize_terminal(*size)
                await settle(pilot)
                view = stage(app).map
                assert view.row_count <= view.size.height
                assert view.grid.span(view.grid.cells - 1)[1] == nodes
        # Few that match are in sight on a large map.
        for size in (NARROW, WIDE):
            await unstaged(app, pilot, on=cluster(20_000, {"x": "15000-15003"}), size=size)
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


async def test_lists_of_ones_own_fit(here: Path) -> None:
    async with workbench_at(NARROW, source=talk(here)) as (app, pilot):
        # The reading stands beside the map where there is room.
        await done(pilot)
        for size, there in ((NARROW, False), (NORMAL, True), (WIDE, True), ((80, 40), True)):
            await pilot.resize_terminal(*size)
            await settle(pilot)
            for both in (there, True, there):
                is_turned = both is not there
                assert ("└ not debug" in screen_text(app)) is both
                assert ("r reading" in screen_text(app)) is not (there or is_turned)
                assert ("dunemem1" in screen_text(app)) is (there or not is_turned)
                assert ("r map" in screen_text(app)) is (is_turned and not there)
                await press(pilot, "r")
            await press(pilot, "r")
        # A wide title leaves the constraints in sight.
        title = "節点" * 40
        text = f"- title: {title}\n  constraint: gpu&-debug\n- title: b\n  constraint: bigmem\n"
        for size in (NARROW, WIDE):
            await unstaged(app, pilot, size=size)
            app.open_source(talk(here, text))
            await done(pilot)
            await press(pilot, "l")
            rows = [row for row in screen_text(app).splitlines() if "│" in row]
            first, second = (next(r for r in rows if w in r) for w in ("gpu&-debug", "bigmem"))
            assert "点" in first
            assert "…" in first
            assert first.index("gpu") < second.index("bigmem")  # a wide character is two columns
            before, above = first[: first.index("gpu")], second[: second.index("bigmem")]
            assert cell_len(before) == cell_len(above)
        # A long constraint is broken where it may be and ends in an ellipsis.
        await unstaged(app, pilot, size=NARROW)
        text = "host:n[" + ",".join(map(str, range(0, 4000, 2))) + "]"
        app.show_stage(Stage("t", (Step("long", text),)))
        await settle(pilot)
        lines = stage(app).constraint.plain.splitlines()
        assert len(lines) == 3
        assert lines[0].endswith(",")
        assert lines[2].endswith("…")
