"""The map of the cluster: its order, its colours, its legend, and the way to a node."""

import json
from typing import Any

import pytest

from fluxtui.model.resources import document
from fluxtui.ui.lights import lit
from fluxtui.ui.map_colours import MATCHING, RANK, By, states
from fluxtui.workbench import Cluster, Source
from tests.big import graph_text
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    WIDE,
    afresh,
    burst,
    cluster,
    demo,
    done,
    messages,
    press,
    put,
    screen_text,
    settle,
    until,
    workbench_at,
)
from tests.ui.maps import legend, onto, ordered, rows

# Order


async def test_orders_are_chosen() -> None:
    async with workbench_at(NORMAL) as (app, pilot):
        # Orders are chosen and told.
        view = await onto(app, pilot)
        await ordered(pilot, "o", "h")
        assert rows(view)[0].startswith("dune001")
        assert "by host" in legend(app)
        await ordered(pilot, "o", "g")
        assert rows(view)[0].startswith("8 gpus")
        assert any(row.startswith("no gpu") for row in rows(view))
        assert "by gpus" in legend(app)
        await ordered(pilot, "o", "r")
        assert rows(view)[0].startswith("dune-login1")
        assert "by " not in legend(app)
        # Keys typed before the question has gone end nothing more.
        for keys in ["hg", "hhh", "xhxg"]:
            await afresh(app, pilot)
            await onto(app, pilot)
            await press(pilot, "o")
            await burst(pilot, *keys)
            assert len(app.screen_stack) == 1
            await done(pilot)
            assert "by host" in legend(app)
        # An order by the racks of the graph.
        graph = json.loads("".join(graph_text(400_000)))
        on = Cluster.of(Source("graph"), document.read({"graph": graph}))
        assert on.graph is not None
        racks = [
            name
            for name, type_ in zip(on.graph.names, on.graph.types, strict=True)
            if type_ == "rack"
        ]
        await afresh(app, pilot, requires="batch", on=on)
        view = await onto(app, pilot)
        await ordered(pilot, "o", "1")
        assert [row.split()[0] for row in rows(view) if row.startswith("rack")] == racks
        assert "by rack" in legend(app)
        # An order and colours stay with the next document.
        await afresh(app, pilot)
        view = await onto(app, pilot)
        await ordered(pilot, "o", "h", "c", "c")
        before = legend(app)
        assert "by host" in before
        app.cluster_pane.show_cluster(cluster(30))
        await done(pilot)
        assert app.cluster_pane.mapped.shown.order.kind == "host"
        assert app.cluster_pane.mapped.shown.colour.kind == "cores"
        assert rows(view)


async def test_escape_stops_what_is_being_found() -> None:
    async with workbench_at(NORMAL) as (app, pilot):
        await onto(app, pilot)
        part = app.cluster_pane.mapped
        assert not part.check_action("stop", ())  # escape is for what it is for elsewhere
        part.order_by(By("host"))
        part.colour_by(By("cores"))
        assert part.shown.finding == "ordering by host …  colouring by cores …"
        assert "esc stops" in states(lit(app.state), part.shown)
        assert part.check_action("stop", ())
        part.action_stop()
        await done(pilot)
        assert (part.shown.order, part.shown.colour, part.shown.finding) == (RANK, MATCHING, "")
        assert "by " not in legend(app)
        await ordered(pilot, "o", "h")
        assert "by host" in legend(app)


# Colours


async def test_colours_are_chosen() -> None:
    async with workbench_at(NORMAL, requires="gpu") as (app, pilot):
        # Colours tell values and keep the match in sight.
        view = await onto(app, pilot)
        await ordered(pilot, "c", "c")
        assert "▂ 16" in legend(app)
        assert "▇ 96" in legend(app)
        assert "· no match" in legend(app)
        faint = app.palette.faint
        styles: dict[str, Any] = {}
        for y in range(view.size.height):
            line = view.render_line(y)
            for segment in line:
                if segment.text.strip() and line.text.startswith(("dunegpu", "dune0")):
                    styles[line.text[:6] + segment.text[:1]] = segment.style
        assert styles["dune00·"].color == faint.color
        assert styles["dunegp▅"].color not in (faint.color, None)
        await put(pilot, "icelake")
        lines = (view.render_line(y) for y in range(view.size.height))
        line = next(line for line in lines if line.text.startswith("dune001"))
        bright = [segment.style for segment in line if segment.text.startswith("▃")]
        assert bright
        assert all(style is not None and style.color != faint.color for style in bright)
        await onto(app, pilot)
        await ordered(pilot, "c", "m")
        assert "■ match" in legend(app)
        # The beginning of one property is enough and that of several asks on.
        await afresh(
            app, pilot, on=cluster(20, {"rack1": "0-4", "rack2": "5-9", "gpu": "0-9"}), size=NORMAL
        )
        view = await onto(app, pilot)
        await ordered(pilot, "c", "p")
        await burst(pilot, *"ra", "enter")
        assert "2 properties begin so; expected a whole name" in screen_text(app)
        assert app.focused is not view
        await press(pilot, "backspace", "backspace")
        await burst(pilot, "g", "enter")
        await done(pilot)
        assert "■ gpu  · not gpu" in legend(app)
        assert app.focused is view
        # Blocks in colours are counted as a whole where nothing is asked.
        await afresh(app, pilot, size=NORMAL)
        view = await onto(app, pilot)
        await ordered(pilot, "c", "g", "minus", "minus", "minus")
        assert any(row.startswith("dunegpu[01-24]") and row.endswith(" 24") for row in rows(view))
        assert " of " not in " ".join(rows(view))
        await put(pilot, "debug")
        assert any(row.endswith(" of 24") for row in rows(view))
        # A property as colours.
        await afresh(app, pilot, on=cluster(20, {"gpu": "0-4"}), size=NORMAL)
        view = await onto(app, pilot)
        await ordered(pilot, "c", "p")
        await burst(pilot, *"gpu", "enter")
        await done(pilot)
        assert "■ gpu  · not gpu" in legend(app)
        text = " ".join(rows(view))
        assert (text.count("■"), text.count("·")) == (5, 15)
        assert app.focused is view


async def test_a_document_without_states_says_so() -> None:
    async with workbench_at(notifications=True) as (app, pilot):
        await onto(app, pilot)
        await ordered(pilot, "c", "s")
        assert any("does not say which nodes are up or down" in text for text in messages(app))
        assert app.cluster_pane.mapped.shown.colour.kind == "match"


# To a node


async def test_one_goes_to_a_node() -> None:
    async with workbench_at(NORMAL) as (app, pilot):
        # One goes to a rank or a host.
        for text, index in [("17", 17), ("dunegpu03", 166), ("dunem", 188), ("dune-l", 0)]:
            await afresh(app, pilot)
            view = await onto(app, pilot)
            await ordered(pilot, "g")
            await burst(pilot, *text)
            rank = demo().resources.rank(index)
            await until(pilot, lambda rank=rank: f"rank {rank}" in screen_text(app))
            assert demo().resources.host(index) in screen_text(app)
            await press(pilot, "enter")
            assert app.state.cursor == index
            assert app.focused is view
        # Letters of the map are letters in its question.
        await afresh(app, pilot, on=cluster(9, hosts="colza[0-8]"), size=NORMAL)
        await onto(app, pilot)
        await ordered(pilot, "g")
        await burst(pilot, *"colza4", "enter")
        assert app.state.cursor == 4
        # The palette has the keys of the map.
        await afresh(app, pilot, on=cluster(20_000), size=NARROW)
        commands = {c.title: c for c in app.get_system_commands(app.screen)}
        view = app.cluster_pane.map
        commands["Map: Zoom in  (+)"].callback()
        await until(pilot, lambda: app.focused is view and not view.is_fitted)
        commands["Map: All nodes  (z)"].callback()
        await until(pilot, lambda: view.is_fitted)
        commands["Map: Order  (o)"].callback()
        await until(pilot, lambda: "Order of the nodes" in screen_text(app))
        # The keys of the map do nothing without nodes.
        await afresh(app, pilot, on=cluster(0), size=NORMAL)
        await onto(app, pilot)
        for key in ("o", "c", "g", "l", "plus", "minus", "z", "enter", "right", "space", "n"):
            await press(pilot, key)
            await done(pilot)
            assert len(app.screen_stack) == 1
            assert app.focused is app.cluster_pane.map


async def test_odd_documents_and_themes() -> None:
    async with workbench_at(NARROW, on=cluster(20_000)) as (app, pilot):
        # What is not there is said and escape leaves.
        view = await onto(app, pilot)
        zoom = view.zoom
        await press(pilot, "plus", "z", "right")
        await ordered(pilot, "slash")
        assert view.zoom == zoom
        await burst(pilot, *"xyz", "enter")
        assert "no node has this rank" in screen_text(app)
        await press(pilot, "escape")
        assert app.focused is view
        assert app.state.cursor == zoom.size
        assert "Go to" not in screen_text(app)
        # Values have colours in every theme.
        await afresh(app, pilot, size=NORMAL)
        for theme in app.available_themes:
            app.theme = theme
            await settle(pilot)
            steps = app.palette.steps
            assert len(steps) == 6
            if "ansi" not in theme:  # where colours cannot be mixed, the glyphs tell
                assert len({step.color for step in steps}) == 6, theme


# The legend, the help and the palette


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_the_whole_legend(size: tuple[int, int]) -> None:
    async with workbench_at(size, on=cluster(20_000, {"x": "0-99"}), requires="x") as (app, pilot):
        view = await onto(app, pilot)
        await press(pilot, "l")
        screen = screen_text(app)
        assert f"{view.zoom.size} nodes" in screen
        assert "▁▂▃▄▅▆" in screen
        assert "order" in screen
        await press(pilot, "escape")
        assert app.focused is view
