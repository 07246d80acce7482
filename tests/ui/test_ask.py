"""Typing a constraint: the nodes that match, how many, which; stale answers; undo."""

import pytest
from rich.cells import cell_len

from fluxtui.model import queues
from fluxtui.model.resources import document as resources
from fluxtui.workbench import ChooseQueue, Cluster, Source, TypeRequires
from tests.ui.documents import demo, document
from tests.ui.helpers import NARROW, NORMAL, REQUIRES, SHAPE, WIDE, workbench_at
from tests.ui.seen import column_of, lacking, looks_of, plain, row_of, screen_text

GPU = demo().resources.properties["gpu"]
DEBUG = demo().resources.properties["debug"]
ALL = demo().resources.everything


async def test_a_constraint_lights_up_its_nodes() -> None:
    async with workbench_at() as (app, pilot):

        def lit() -> int:
            mask: int = app.views.map.view.found.mask
            return mask

        mask, resources = GPU & ~DEBUG, demo().resources
        await pilot.burst("tab", *REQUIRES)
        assert app.state.ask.mask == lit() == mask
        await pilot.go("table")
        assert app.views.table.table.found.mask == mask
        await pilot.go("map")
        totals = resources.totals(mask)
        assert plain(app, "#answer") == f"{totals.nodes} of 196 nodes"
        counts = (f"{totals.cores:,} cores", f"{totals.gpus:,} gpus")
        which = (str(resources.ranks_of(mask)), resources.hosts_of(mask, limit=None))
        assert not lacking(screen_text(app), *counts, *which)
        # Tab right before the text already counts.
        await pilot.afresh()
        await pilot.burst(*"node=4", "tab", *"gpu", "tab")
        assert (app.state.build.text, app.state.ask.text) == ("node=4", "gpu")
        # Queries and json.
        await pilot.afresh()
        for text, mask in [
            ('{"properties": ["gpu"]}', GPU),
            ("{}", ALL),
            ("host:dune-login[1-2]", 0b11),
            ("not gpu", ALL & ~GPU),
        ]:
            await pilot.put(text)
            assert lit() == mask
            assert plain(app, "#answer").startswith(f"{mask.bit_count()} of")
        # No match says so.
        await pilot.afresh(requires="gpu&bigmem")
        assert app.state.ask.mask == 0
        assert plain(app, "#answer").startswith("0 of")
        assert "no node matches" in screen_text(app)
        # The last answer stays and is marked stale.
        await pilot.afresh(requires="gpu")
        await pilot.go("map")
        view = app.views.map.view
        before = view.render_line(8).text
        for bad in ("gpu&", "gpu&(", '{"properties"'):
            await pilot.put(bad)
            assert app.state.ask.stale
            assert lit() == GPU
            assert not lacking(plain(app, "#answer"), "24 of 196 nodes", "stale")
            assert app.state.ask.problems[0].message in plain(app, "#ask-message")
            assert view.render_line(8).text == before.replace("■", "□")
            await pilot.put("gpu")
            assert "stale" not in plain(app, "#answer")
            assert view.render_line(8).text == before
        # A text that cannot be read has no answer of its own.
        for text in ["(gpu", '{"ranks":["²"]}']:
            await pilot.afresh()
            await pilot.put(text)
            assert plain(app, "#answer") == ""
            assert "✗ constraint" in plain(app, "#verdicts")
            assert {look.glyph for look in looks_of(view, 0, 196)} == {"□"}


# The texts of both inputs, and what is wrong in them with what follows.
CARETS = (
    ("shape", "node=4/slot/[core=x;gpu]", "x;"),
    ("shape", "core=y", "y"),
    ("shape", "slot/[ssd{日本語:'語語語'};core=z]", "z]"),
    ("shape", "slot{日本=1}/core", "=1"),
    ("shape", "slot/[a{k:'" + "日" * 60 + "'};core=x]", "x]"),  # scrolled, with wide characters
    ("shape", "node=4/" + "rack/" * 30 + "slot/core=x", "x "),  # scrolled
    ("constraint", "hots:dune001", "hots:"),
    ("constraint", "gpu&", "& "),
    ("constraint", "gpu)", ") "),
    ("constraint", "日本語|host:x[", "[ "),
    ("constraint", "gpu|" * 60 + "(x", "(x"),
    ("constraint", '{"properties": ["gpu"]]', "] "),
    ("constraint", '{"hostlist": ["n["]}', '["]}'),
)


@pytest.mark.parametrize("size", [NARROW, NORMAL])
async def test_the_carets_are_under_the_bad_characters(size: tuple[int, int]) -> None:
    async with workbench_at(size) as (app, pilot):
        for name, text, bad in CARETS:
            entry, below = f"#{name}-input", "#shape-message" if name == "shape" else "#ask-message"
            await pilot.put(text, entry)
            problems = app.state.build.syntax if name == "shape" else app.state.ask.problems
            problem = next(one for one in problems if one.severity == "error")
            faulty = text[slice(*problem.span)]
            typed, carets = row_of(app, entry), row_of(app, below)
            assert bad.startswith(faulty)
            assert column_of(carets, "^") == column_of(typed, bad)
            assert carets.count("^") == cell_len(faulty)
            assert name != "shape" or problem.message in carets
            if "rack/" in text:  # they go with the text when the input scrolls back
                await pilot.press("home")
                assert "^" not in row_of(app, below)
                assert problem.message in row_of(app, below)
                await pilot.press("end")
                assert column_of(row_of(app, below), "^") == column_of(row_of(app, entry), bad)


async def test_what_is_wrong_and_what_to_write_is_told_in_one_line() -> None:
    async with workbench_at() as (app, pilot):
        # What to write instead is in sight.
        for text, remedy in [
            ("gpu&!debug", "write '-debug' for nodes without it"),
            ('{"properties": ["!gpu"]}', "write '^gpu'"),
            ("host:dunegpu[01-20],rank:3", "write a space, not a comma, before 'rank:'"),
        ]:
            await pilot.afresh()
            await pilot.put(text)
            assert not lacking(row_of(app, "#ask-message"), remedy, "^")
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


async def test_undo_and_redo_go_across_both_inputs() -> None:
    async with workbench_at() as (app, pilot):
        shape, ask = app.shape_bar.entry, app.ask_bar.entry
        await pilot.burst(*"node", "tab", *"gpu&debug")
        await pilot.steps(
            lambda: (shape.value, ask.value),
            ("ctrl+z", ("node", "gpu")),
            ("ctrl+z", ("node", "")),
            ("ctrl+z", ("", "")),
            ("ctrl+z", ("", "")),
            ("ctrl+r ctrl+r ctrl+r ctrl+r", ("node", "gpu&debug")),
        )
        assert (app.state.build.text, app.state.ask.text) == ("node", "gpu&debug")
        assert app.state.ask.mask == GPU & DEBUG
        # What undo puts in is no edit of its own.
        await pilot.afresh()
        await pilot.put(SHAPE, "#shape-input")
        await pilot.put("slot=2/core", "#shape-input")
        await pilot.press("ctrl+z")
        assert (app.state.build.text, len(app.history.future)) == (SHAPE, 1)
        await pilot.press("ctrl+r")
        assert app.state.build.text == "slot=2/core"


async def test_properties_count_all_nodes_and_those_that_match() -> None:
    async with workbench_at(requires="debug") as (app, pilot):
        await pilot.go("properties")
        rows = [line[2:].split() for line in plain(app, "#properties").splitlines()]
        assert [(row[0], row[1], row[-1]) for row in rows] == [
            (name, str(mask.bit_count()), str((mask & DEBUG).bit_count()))
            for name, mask in demo().resources.properties.items()
        ]


async def test_the_count_is_never_cut() -> None:
    async with workbench_at(NARROW) as (app, pilot):
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
        # It follows the width of its own, whatever that of the bar is.
        answer.styles.width = 14
        await pilot.done()
        assert answer.plain == "24 in batch"
        answer.styles.width = None
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
