"""Typing a constraint: the nodes that match, how many, which; stale answers; undo."""

import json

import pytest
from rich.cells import cell_len

from fluxtui.model.queues import queues
from fluxtui.model.resources import document as resources
from fluxtui.ui.widgets.cells import Zoom
from fluxtui.workbench import ChooseQueue, Cluster, MoveCursor, Source, TypeRequires
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    REQUIRES,
    SHAPE,
    SIZES,
    WIDE,
    burst,
    cluster,
    column_of,
    demo,
    document,
    looks_of,
    plain,
    press,
    put,
    row_of,
    screen_text,
    settle,
    workbench_at,
)

GPU = demo().resources.properties["gpu"]
DEBUG = demo().resources.properties["debug"]
ALL = demo().resources.everything


@pytest.mark.parametrize("size", SIZES)
async def test_a_constraint_lights_up_its_nodes(size: tuple[int, int]) -> None:
    async with workbench_at(size) as (app, pilot):
        await burst(pilot, "tab", *REQUIRES)
        mask = GPU & ~DEBUG
        assert app.state.ask.mask == mask
        assert app.query_one("#node-map").mask == mask  # type: ignore[attr-defined]
        assert app.query_one("#node-table").mask == mask  # type: ignore[attr-defined]
        resources = demo().resources
        totals = resources.totals(mask)
        assert plain(app, "#answer") == f"{totals.nodes} of 196 nodes"
        screen = screen_text(app)
        assert f"{totals.cores:,} cores" in screen
        assert f"{totals.gpus:,} gpus" in screen
        assert str(resources.ranks_of(mask)) in screen
        assert resources.hosts_of(mask, limit=None) in screen


async def test_tab_right_before_the_text_already_counts() -> None:
    async with workbench_at() as (app, pilot):
        await burst(pilot, *"node=4", "tab", *"gpu", "tab")
        assert app.state.build.text == "node=4"
        assert app.state.ask.text == "gpu"


async def test_queries_and_json() -> None:
    async with workbench_at() as (app, pilot):
        for text, mask in [
            ('{"properties": ["gpu"]}', GPU),
            ('{"not": [{"properties": ["gpu"]}]}', ALL & ~GPU),
            ('{"and": [{"properties": ["gpu"]}, {"properties": ["^debug"]}]}', GPU & ~DEBUG),
            ('{"ranks": ["0-3"]}', 0b1111),
            ("{}", ALL),
            ("rank:0-3", 0b1111),
            ("host:dune-login[1-2]", 0b11),
            ("gpu debug", GPU & DEBUG),
            ("not gpu", ALL & ~GPU),
        ]:
            await put(pilot, text)
            assert app.query_one("#node-map").mask == mask  # type: ignore[attr-defined]
            assert plain(app, "#answer").startswith(f"{mask.bit_count()} of")


async def test_no_match_says_so() -> None:
    async with workbench_at(requires="gpu&bigmem") as (app, _):
        assert app.state.ask.mask == 0
        assert plain(app, "#answer").startswith("0 of")
        assert "no node matches" in screen_text(app)


@pytest.mark.parametrize("size", SIZES)
async def test_the_last_answer_stays_and_is_marked_stale(size: tuple[int, int]) -> None:
    async with workbench_at(size, requires="gpu") as (app, pilot):
        app.workspace.bring_to_front("cluster")
        await settle(pilot)
        before = app.query_one("#node-map").render_line(8).text
        for bad in ("gpu&", "gpu&(", '{"properties"'):
            await put(pilot, bad)
            assert app.state.ask.stale
            assert app.query_one("#node-map").mask == GPU  # type: ignore[attr-defined]
            assert "24 of 196 nodes" in plain(app, "#answer")
            assert "stale" in plain(app, "#answer")
            assert app.state.ask.problems[0].message in plain(app, "#ask-message")
            after = app.query_one("#node-map").render_line(8).text
            assert after == before.replace("■", "□")
            await put(pilot, "gpu")
            assert "stale" not in plain(app, "#answer")
            assert app.query_one("#node-map").render_line(8).text == before


CARETS = (
    ("hots:dune001", "hots:"),
    ("gpu&", "& "),
    ("gpu)", ") "),
    ("日本語|host:x[", "[ "),
    ("gpu|" * 60 + "(x", "(x"),
    ('{"properties": ["gpu"]]', "] "),
    ('{"hostlist": ["n["]}', '["]}'),
)


@pytest.mark.parametrize("size", [NARROW, NORMAL])
async def test_the_caret_stands_under_the_bad_characters(size: tuple[int, int]) -> None:
    async with workbench_at(size) as (app, pilot):
        for text, bad in CARETS:
            await put(pilot, text)
            problem = next(p for p in app.state.ask.problems if p.severity == "error")
            assert problem.span is not None
            faulty = text[slice(*problem.span)]
            typed, carets = row_of(app, "#constraint-input"), row_of(app, "#ask-message")
            assert bad.startswith(faulty)
            assert column_of(carets, "^") == column_of(typed, bad)
            assert carets.count("^") == cell_len(faulty)


@pytest.mark.parametrize("size", [NARROW, NORMAL, WIDE])
@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("!gpu", "write '-gpu' for nodes without it"),
        ("gpu&!debug", "write '-debug' for nodes without it"),
        ('{"properties": ["!gpu"]}', "write '^gpu'"),
        ("gpu|login debug", "write 'gpu|(login debug)'"),
        ("host:dunegpu[01-20],rank:3", "write a space, not a comma, before 'rank:'"),
        ("gpu,-debug", "write a space, not a comma, before '-debug'"),
        ("gpu,host:dune001", "write a space, not a comma, before 'host:'"),
    ],
)
async def test_what_to_write_instead_is_in_sight(
    size: tuple[int, int], text: str, remedy: str
) -> None:
    async with workbench_at(size) as (app, pilot):
        await put(pilot, text)
        line = row_of(app, "#ask-message")
        assert remedy in line
        assert "^" in line


async def test_what_is_expected_hides_no_sign_that_a_line_is_cut() -> None:
    async with workbench_at((60, 24)) as (app, pilot):
        await put(pilot, '{"and": 3}')
        assert row_of(app, "#ask-message").rstrip().endswith("… F3")


async def test_a_line_that_is_cut_says_where_to_read_on() -> None:
    async with workbench_at(NARROW) as (app, pilot):
        await put(pilot, "gpu|login debug")
        line = row_of(app, "#ask-message").rstrip()
        assert " reads as '(gpu|login) debug'; " in line
        assert "'gpu|login debug'" not in line  # it stands right above
        assert line.endswith("… F3")
        await pilot.resize_terminal(*WIDE)
        await settle(pilot)
        line = row_of(app, "#ask-message").rstrip()
        assert line.endswith("'gpu|login debug' reads as '(gpu|login) debug'; write "
                             "'gpu|(login debug)' if you mean that")  # fmt: skip
        assert line.count("^") == len("gpu|login debug")


async def test_a_hint_points_at_what_the_cluster_does_not_have() -> None:
    async with workbench_at() as (app, pilot):
        await put(pilot, "debug|gqu")
        carets = row_of(app, "#ask-message")
        assert column_of(carets, "^^^") == column_of(row_of(app, "#constraint-input"), "gqu")
        assert "did you mean gpu" in carets


async def test_a_match_is_told_by_glyph() -> None:
    async with workbench_at(on=cluster(6, {"odd": "1,3,5"})) as (app, pilot):
        app.cluster_pane.map.zoom_to(Zoom("cells"))
        await settle(pilot)
        line = app.query_one("#node-map").render_line(0).text
        assert line.split() == ["n0"] + ["■"] * 6
        await put(pilot, "odd")
        line = app.query_one("#node-map").render_line(0).text
        assert line.split() == ["n0", "·", "■", "·", "■", "·", "■"]
        await press(pilot, "f2")
        rows = [app.query_one("#node-table").render_line(y).text for y in range(1, 7)]
        assert ["■" in row for row in rows] == [False, True] * 3


async def test_how_the_constraint_is_read() -> None:
    async with workbench_at(requires="gpu&-debug") as (app, pilot):
        await press(pilot, "f3")
        reading = plain(app, "#constraint-tree").splitlines()
        assert [line.split()[1:3] for line in reading] == [
            ["18", "18"],
            [str(GPU.bit_count())] * 2,
            [str((ALL & ~DEBUG).bit_count()), "18"],
        ]
        await put(pilot, "gpu&")
        assert app.reading_pane.border_subtitle == "stale"
        await put(pilot, "")
        assert "and" not in plain(app, "#constraint-tree").split()[:2]


async def test_the_node_says_why_it_does_not_match() -> None:
    async with workbench_at(requires="gpu&-debug") as (app, pilot):
        app.edit(MoveCursor(178))  # a gpu node for debugging
        await settle(pilot)
        details = plain(app, "#node-details")
        assert "✗ does not match" in details
        assert "✓ gpu" in details
        assert "✗ not debug" in details
        app.edit(MoveCursor(170))
        await settle(pilot)
        assert "✓ matches" in plain(app, "#node-details")


# Undo and redo


async def test_undo_and_redo_go_across_both_inputs() -> None:
    async with workbench_at() as (app, pilot):
        await burst(pilot, *"node", "tab", *"gpu&debug")
        await press(pilot, "ctrl+z")
        assert app.query_one("#constraint-input").value == "gpu"  # type: ignore[attr-defined]
        assert app.state.ask.mask == GPU
        await press(pilot, "ctrl+z")
        assert app.query_one("#constraint-input").value == ""  # type: ignore[attr-defined]
        await press(pilot, "ctrl+z")
        assert app.query_one("#shape-input").value == ""  # type: ignore[attr-defined]
        assert app.state.build.blank
        await press(pilot, "ctrl+z")
        assert app.state.build.blank
        await press(pilot, "ctrl+r", "ctrl+r", "ctrl+r", "ctrl+r")
        assert (app.state.build.text, app.state.ask.text) == ("node", "gpu&debug")
        assert app.query_one("#shape-input").value == "node"  # type: ignore[attr-defined]
        assert app.query_one("#constraint-input").value == "gpu&debug"  # type: ignore[attr-defined]


async def test_what_undo_puts_in_is_no_edit_of_its_own() -> None:
    async with workbench_at() as (app, pilot):
        await put(pilot, SHAPE, "#shape-input")
        await put(pilot, "slot=2/core", "#shape-input")
        await press(pilot, "ctrl+z")
        assert app.state.build.text == SHAPE
        assert len(app.history.future) == 1
        await press(pilot, "ctrl+r")
        assert app.state.build.text == "slot=2/core"


# Properties and queues


@pytest.mark.parametrize("size", SIZES)
async def test_enter_on_a_property_adds_it(size: tuple[int, int]) -> None:
    async with workbench_at(size, requires="gpu") as (app, pilot):
        app.bring("properties")
        await settle(pilot)
        assert app.focused is app.query_one("#properties")
        await press(pilot, "down", "down", "enter")
        name = list(demo().resources.properties)[2]
        assert app.state.ask.mask == GPU & demo().resources.properties[name]
        assert app.query_one("#constraint-input").value == f"gpu&{name}"  # type: ignore[attr-defined]
        await press(pilot, "ctrl+z")
        assert app.state.ask.text == "gpu"


async def test_a_double_click_on_a_property_adds_it() -> None:
    async with workbench_at() as (app, pilot):
        await pilot.click("#properties", offset=(3, 1))
        assert app.state.ask.blank
        await pilot.double_click("#properties", offset=(3, 1))
        name = list(demo().resources.properties)[1]
        assert app.state.ask.text == name


async def test_properties_count_all_and_matching_nodes() -> None:
    async with workbench_at(requires="debug") as (app, _):
        resources = demo().resources
        lines = plain(app, "#properties").splitlines()
        assert len(lines) == len(resources.properties)
        for line, (name, mask) in zip(lines, resources.properties.items(), strict=True):
            words = line[2:].split()
            assert words[0] == name
            assert words[1] == str(mask.bit_count())
            assert words[-1] == str((mask & DEBUG).bit_count())


async def test_queues_count_all_and_matching_nodes() -> None:
    async with workbench_at(requires="gpu") as (app, pilot):
        await press(pilot, "f5")
        lines = plain(app, "#queues").splitlines()
        words = {line[4:].split()[0]: line[4:].split() for line in lines}
        for queue, mask in demo().coverage.items():
            assert words[queue][1:3] == [str(mask.bit_count()), str((mask & GPU).bit_count())]


async def test_without_a_configuration_the_queues_say_how_to_get_them() -> None:
    async with workbench_at(on=cluster(3)) as (app, pilot):
        await press(pilot, "f5")
        assert "-c" in plain(app, "#queues")


async def test_copied_json_reads_back() -> None:
    async with workbench_at(requires="gpu&-debug|bigmem") as (app, pilot):
        mask = app.state.ask.mask
        from fluxtui.model.constraint.tree import to_json

        assert app.state.ask.constraint is not None
        await put(pilot, json.dumps(to_json(app.state.ask.constraint)))
        assert app.state.ask.mask == mask


@pytest.mark.parametrize("text", ["gpu&", "gpu"])
@pytest.mark.parametrize("queue", ["debug", "bigmem", "batch"])
async def test_the_count_is_never_cut(queue: str, text: str) -> None:
    async with workbench_at(NARROW, requires="gpu&rack1") as (app, pilot):
        app.edit(ChooseQueue(queue))
        app.edit(TypeRequires("gpu&rack:" if text.endswith("&") else text))
        await settle(pilot)
        answer = app.ask_bar.verdict
        assert cell_len(answer.plain) <= answer.size.width
        assert answer.plain.endswith(f" in {queue}")
        assert app.state.ask.stale == ("stale" in answer.plain)
        before = answer.plain
        await pilot.resize_terminal(*WIDE)
        await settle(pilot)
        assert " of 196 nodes" in answer.plain
        await pilot.resize_terminal(*NARROW)
        await settle(pilot)
        assert answer.plain == before


async def test_the_count_of_a_million_nodes_fits() -> None:
    name = "a-queue-with-a-long-name"
    config = queues.read_config({"queues": {name: {}}})
    read = resources.read(document(1_000_000))
    async with workbench_at(NARROW, Cluster.of(Source("test"), read, config)) as (app, pilot):
        app.edit(ChooseQueue(name))
        app.edit(TypeRequires("rank:0-999999"))
        app.edit(TypeRequires("rank:0-999999&"))
        await settle(pilot)
        answer = app.ask_bar.verdict
        assert answer.plain == "stale · 1,000,000 in a-qu…"
        assert cell_len(answer.plain) <= answer.size.width


@pytest.mark.parametrize("text", ["(gpu", '{"ranks":["²"]}'])
async def test_a_text_that_cannot_be_read_has_no_answer_of_its_own(text: str) -> None:
    async with workbench_at() as (app, pilot):
        await put(pilot, text)
        assert "stale" in plain(app, "#answer")
        assert {look.glyph for look in looks_of(app.query_one("#node-map"), 0, 196)} == {"□"}
