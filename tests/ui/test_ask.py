"""Typing a constraint: the nodes that match, how many, which; stale answers; undo."""

import pytest
from rich.cells import cell_len

from fluxtui.model import queues
from fluxtui.model.resources import document as resources
from fluxtui.workbench import ChooseQueue, Cluster, Source, TypeRequires
from tests.ui.documents import demo, document
from tests.ui.helpers import NARROW, NORMAL, WIDE, workbench_at
from tests.ui.seen import column_of, row_of

GPU = demo().resources.properties["gpu"]
DEBUG = demo().resources.properties["debug"]
ALL = demo().resources.everything


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
        assert answer.plain == "stale: 1,000,000 in a-queue-wit…"
        assert cell_len(answer.plain) <= answer.size.width


async def test_nodes_without_names_are_told_by_their_ranks_alone() -> None:
    unnamed = document(4)
    del unnamed["execution"]["nodelist"]
    on = Cluster.of(Source("test"), resources.read(unnamed))
    async with workbench_at(NARROW, on, requires="rank:1-3") as (app, _):
        assert row_of(app, "#ask-message").strip() == "12 cores · ranks 1-3"
