"""Typing a constraint: the nodes that match, how many, which; stale answers; undo."""

from rich.cells import cell_len

from fluxtui.model import queues
from fluxtui.model.resources import document as resources
from fluxtui.ui.nodes.map_layout import Zoom
from fluxtui.workbench import ChooseQueue, Cluster, MoveCursor, Source, TypeRequires
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    REQUIRES,
    SHAPE,
    WIDE,
    cluster,
    column_of,
    demo,
    document,
    lacking,
    looks_of,
    plain,
    row_of,
    screen_text,
    workbench_at,
)

GPU = demo().resources.properties["gpu"]
DEBUG = demo().resources.properties["debug"]
ALL = demo().resources.everything


async def test_a_constraint_lights_up_its_nodes() -> None:
    async with workbench_at() as (app, pilot):
        # A constraint lights up its nodes.
        await pilot.burst("tab", *REQUIRES)
        mask = GPU & ~DEBUG
        assert app.state.ask.mask == mask
        assert app.query_one("#node-map").found.mask == mask  # type: ignore[attr-defined]
        app.go_to("table")
        assert app.query_one("#node-table").found.mask == mask  # type: ignore[attr-defined]
        app.go_to("map")
        resources = demo().resources
        totals = resources.totals(mask)
        assert plain(app, "#answer") == f"{totals.nodes} of 196 nodes"
        screen = screen_text(app)
        assert not lacking(screen, f"{totals.cores:,} cores", f"{totals.gpus:,} gpus")
        assert str(resources.ranks_of(mask)) in screen
        assert resources.hosts_of(mask, limit=None) in screen
        # Tab right before the text already counts.
        await pilot.afresh()
        await pilot.burst(*"node=4", "tab", *"gpu", "tab")
        assert app.state.build.text == "node=4"
        assert app.state.ask.text == "gpu"
        # Queries and json.
        await pilot.afresh()
        for text, mask in [
            ('{"properties": ["gpu"]}', GPU),
            ("{}", ALL),
            ("host:dune-login[1-2]", 0b11),
            ("not gpu", ALL & ~GPU),
        ]:
            await pilot.put(text)
            assert app.query_one("#node-map").found.mask == mask  # type: ignore[attr-defined]
            assert plain(app, "#answer").startswith(f"{mask.bit_count()} of")
        # No match says so.
        await pilot.afresh(requires="gpu&bigmem")
        assert app.state.ask.mask == 0
        assert plain(app, "#answer").startswith("0 of")
        assert "no node matches" in screen_text(app)
        # The last answer stays and is marked stale.
        await pilot.afresh(requires="gpu")
        await pilot.go("map")
        before = app.query_one("#node-map").render_line(8).text
        for bad in ("gpu&", "gpu&(", '{"properties"'):
            await pilot.put(bad)
            assert app.state.ask.stale
            assert app.query_one("#node-map").found.mask == GPU  # type: ignore[attr-defined]
            assert not lacking(plain(app, "#answer"), "24 of 196 nodes", "stale")
            assert app.state.ask.problems[0].message in plain(app, "#ask-message")
            after = app.query_one("#node-map").render_line(8).text
            assert after == before.replace("■", "□")
            await pilot.put("gpu")
            assert "stale" not in plain(app, "#answer")
            assert app.query_one("#node-map").render_line(8).text == before
        # A text that cannot be read has no answer of its own.
        for text in ["(gpu", '{"ranks":["²"]}']:
            await pilot.afresh()
            await pilot.put(text)
            assert plain(app, "#answer") == ""
            assert "✗ constraint" in plain(app, "#verdicts")
            assert {look.glyph for look in looks_of(app.query_one("#node-map"), 0, 196)} == {"□"}


CARETS = (
    ("hots:dune001", "hots:"),
    ("gpu&", "& "),
    ("gpu)", ") "),
    ("日本語|host:x[", "[ "),
    ("gpu|" * 60 + "(x", "(x"),
    ('{"properties": ["gpu"]]', "] "),
    ('{"hostlist": ["n["]}', '["]}'),
)


async def test_problems_of_a_constraint_are_pointed_at() -> None:
    async with workbench_at() as (app, pilot):
        # The caret stands under the bad characters.
        for text, bad in CARETS:
            await pilot.put(text)
            problem = next(p for p in app.state.ask.problems if p.severity == "error")
            assert problem.span is not None
            faulty = text[slice(*problem.span)]
            typed, carets = row_of(app, "#constraint-input"), row_of(app, "#ask-message")
            assert bad.startswith(faulty)
            assert column_of(carets, "^") == column_of(typed, bad)
            assert carets.count("^") == cell_len(faulty)
        # What to write instead is in sight.
        for text, remedy in [
            ("!gpu", "write '-gpu' for nodes without it"),
            ("gpu&!debug", "write '-debug' for nodes without it"),
            ('{"properties": ["!gpu"]}', "write '^gpu'"),
            ("gpu|login debug", "write 'gpu|(login debug)'"),
            ("host:dunegpu[01-20],rank:3", "write a space, not a comma, before 'rank:'"),
            ("gpu,-debug", "write a space, not a comma, before '-debug'"),
            ("gpu,host:dune001", "write a space, not a comma, before 'host:'"),
        ]:
            await pilot.afresh()
            await pilot.put(text)
            line = row_of(app, "#ask-message")
            assert remedy in line
            assert "^" in line
        # What is expected hides no sign that a line is cut.
        await pilot.afresh(size=(60, 24))
        await pilot.put('{"and": 3}')
        assert row_of(app, "#ask-message").rstrip().endswith("… esc 6")
        # A line that is cut says where to read on.
        await pilot.afresh(size=NARROW)
        await pilot.put("gpu|login debug")
        line = row_of(app, "#ask-message").rstrip()
        assert " reads as '(gpu|login) debug'; " in line
        assert "'gpu|login debug'" not in line  # it stands right above
        assert line.endswith("… esc 6")
        await pilot.resize_terminal(*WIDE)
        line = row_of(app, "#ask-message").rstrip()
        assert line.endswith("'gpu|login debug' reads as '(gpu|login) debug'; write "
                             "'gpu|(login debug)' if you mean that")  # fmt: skip
        assert line.count("^") == len("gpu|login debug")
        # A hint points at what the cluster does not have.
        await pilot.afresh(size=NORMAL)
        await pilot.put("debug|gqu")
        carets = row_of(app, "#ask-message")
        assert column_of(carets, "^^^") == column_of(row_of(app, "#constraint-input"), "gqu")
        assert "did you mean gpu" in carets


async def test_a_match_and_how_it_is_read_are_told() -> None:
    async with workbench_at(on=cluster(6, {"odd": "1,3,5"})) as (app, pilot):
        # A match is told by glyph.
        app.views.map.view.zoom_to(Zoom("cells"))
        await pilot.settle()
        line = app.query_one("#node-map").render_line(0).text
        assert line.split() == ["n0"] + ["■■"] * 6
        await pilot.put("odd")
        line = app.query_one("#node-map").render_line(0).text
        assert line.split() == ["n0", "·", "■■", "·", "■■", "·", "■■"]
        await pilot.go("table")
        rows = [app.query_one("#node-table").render_line(y).text for y in range(1, 7)]
        assert ["■" in row for row in rows] == [False, True] * 3
        # The node says why it does not match.
        await pilot.afresh(requires="gpu&-debug")
        await pilot.edit(MoveCursor(178))  # a gpu node for debugging
        details = plain(app, "#node-details")
        assert not lacking(details, "✗ does not match: it is in debug", "✓ gpu", "✗ not debug")
        await pilot.edit(MoveCursor(170))
        assert "✓ matches: it is in gpu and not in debug" in plain(app, "#node-details")


# Undo and redo


async def test_undo_and_redo_go_across_both_inputs() -> None:
    async with workbench_at() as (app, pilot):
        # Undo and redo go across both inputs.
        await pilot.burst(*"node", "tab", *"gpu&debug")
        await pilot.press("ctrl+z")
        assert app.query_one("#constraint-input").value == "gpu"  # type: ignore[attr-defined]
        assert app.state.ask.mask == GPU
        await pilot.press("ctrl+z")
        assert app.query_one("#constraint-input").value == ""  # type: ignore[attr-defined]
        await pilot.press("ctrl+z")
        assert app.query_one("#shape-input").value == ""  # type: ignore[attr-defined]
        assert app.state.build.blank
        await pilot.press("ctrl+z")
        assert app.state.build.blank
        await pilot.press("ctrl+r", "ctrl+r", "ctrl+r", "ctrl+r")
        assert (app.state.build.text, app.state.ask.text) == ("node", "gpu&debug")
        assert app.query_one("#shape-input").value == "node"  # type: ignore[attr-defined]
        assert app.query_one("#constraint-input").value == "gpu&debug"  # type: ignore[attr-defined]
        # What undo puts in is no edit of its own.
        await pilot.afresh()
        await pilot.put(SHAPE, "#shape-input")
        await pilot.put("slot=2/core", "#shape-input")
        await pilot.press("ctrl+z")
        assert app.state.build.text == SHAPE
        assert len(app.history.future) == 1
        await pilot.press("ctrl+r")
        assert app.state.build.text == "slot=2/core"


# Properties and queues


async def test_properties_and_queues_count_and_ask() -> None:
    async with workbench_at(requires="gpu") as (app, pilot):
        # Properties count all and matching nodes.
        await pilot.afresh(requires="debug")
        await pilot.go("properties")
        resources = demo().resources
        lines = plain(app, "#properties").splitlines()
        assert len(lines) == len(resources.properties)
        for line, (name, mask) in zip(lines, resources.properties.items(), strict=True):
            words = line[2:].split()
            assert words[0] == name
            assert words[1] == str(mask.bit_count())
            assert words[-1] == str((mask & DEBUG).bit_count())
        # Queues count all and matching nodes.
        await pilot.afresh(requires="gpu")
        await pilot.press("f5")
        lines = plain(app, "#queues").splitlines()
        words = {line[4:].split()[0]: line[4:].split() for line in lines}
        for queue, mask in demo().coverage.items():
            assert words[queue][1:3] == [str(mask.bit_count()), str((mask & GPU).bit_count())]


async def test_the_count_is_never_cut() -> None:
    async with workbench_at(NARROW) as (app, pilot):
        # The count is never cut.
        for text in ["gpu&", "gpu"]:
            for queue in ["debug", "bigmem", "batch"]:
                await pilot.afresh(requires="gpu&rack1")
                app.edit(ChooseQueue(queue))
                await pilot.edit(TypeRequires("gpu&rack:" if text.endswith("&") else text))
                answer = app.ask_bar.verdict
                assert cell_len(answer.plain) <= answer.size.width
                assert answer.plain.endswith(f" in {queue}")
                assert app.state.ask.stale == ("stale" in answer.plain)
                before = answer.plain
                await pilot.resize_terminal(*WIDE)
                assert " of 196" in answer.plain
                await pilot.resize_terminal(*NARROW)
                assert answer.plain == before
        # The count of a million nodes fits.
        name = "a-queue-with-a-long-name"
        config = queues.read_config({"queues": {name: {}}})
        read = resources.read(document(1_000_000))
        await pilot.afresh(on=Cluster.of(Source("test"), read, config))
        app.edit(ChooseQueue(name))
        app.edit(TypeRequires("rank:0-999999"))
        await pilot.edit(TypeRequires("rank:0-999999&"))
        answer = app.ask_bar.verdict
        assert answer.plain == "stale · 1,000,000 in a-queue-wi…"
        assert cell_len(answer.plain) <= answer.size.width
