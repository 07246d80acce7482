"""The Explain pane in the workbench: one selection with the text, edits, changes, JSON, advice."""

import pytest

from fluxtui.answers.explain.explanation import Explanation
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.constraint import explanations
from fluxtui.ui.constraint.explain import ExplainList, ExplainPane
from fluxtui.ui.constraint.explanations import Advice
from fluxtui.workbench import Cluster, TypeRequires
from tests.ui.documents import cluster, demo
from tests.ui.helpers import WIDE, workbench_at
from tests.ui.seen import plain

MASKS = demo().resources.properties
GPU, BATCH = {"properties": ["gpu"]}, {"properties": ["batch"]}
LONG = "|".join(f"rank:{rank}" for rank in range(100))


def pane_of(app: FluxTUI) -> ExplainPane:
    return app.pane(ExplainPane)


def listed(app: FluxTUI) -> list[str]:
    return plain(app, "#constraint-tree").splitlines()


def said(app: FluxTUI) -> str:
    return " ".join(" ".join(line.split()) for line in listed(app))


def selected(app: FluxTUI) -> str:
    """The words of the part with the cursor."""
    tree = app.query_one("#constraint-tree", ExplainList)
    words = tree.lines[tree.row].plain.split("─")[-1].lstrip("├└│ ✓✗")
    return words.split(maxsplit=2)[-1].lstrip("!∅├└│ ")


async def test_keys_are_about_what_the_keys_before_them_made() -> None:
    """Be the constraint long or short."""
    async with workbench_at() as (app, pilot):
        await pilot.afresh(requires=LONG, size=WIDE)
        app.ask_bar.entry.focus()
        await pilot.burst("end", *"|gpu", "f3", "home", "!")
        assert app.state.ask.text == f"not ({LONG}|gpu)"
        await pilot.burst("!", "end", "d")
        assert app.state.ask.text == LONG
        await pilot.press("home", "down", "down", "a", *"gpu", "enter", "!")
        assert app.state.ask.text == LONG.replace("rank:1|", "rank:1&-gpu|")
        # Of a long one the match is shown first.
        await pilot.afresh(requires=LONG, size=WIDE)
        await pilot.go("explain")
        app.ask_bar.entry.focus()
        await pilot.settle()
        before = listed(app)
        app.edit(TypeRequires(f"{LONG}|rank:150"))
        assert app.views.map.view.highlights.mask == (1 << 100) - 1 | 1 << 150
        assert listed(app) == before
        await pilot.settle()
        assert any(line[1:].split()[:1] == ["101"] for line in listed(app))


async def test_rows_that_were_scrolled_to_stay_while_the_mouse_goes_over_nodes() -> None:
    async with workbench_at(WIDE, requires=LONG) as (app, pilot):
        await pilot.go("explain")
        view = pane_of(app).view
        view.scroll_to(y=40, animate=False, immediate=True)
        for node in (3, 150, None):
            app._over(node)
            await pilot.settle()
            assert (view.scroll_offset.y, view.row < 40) == (40, True)


async def test_what_takes_long_is_found_in_the_background(monkeypatch: pytest.MonkeyPatch) -> None:
    six = cluster(6, {"a": "0,1", "b": "2,3", "c": "4,5"})
    many = cluster(300_000, {"a": "0-9", "b": "10-299999"})
    racks = "&".join(f"-rack{number}" for number in range(40))
    hundreds = "&".join(f"(gpu|rank:{rank})" for rank in range(134))
    async with workbench_at() as (app, pilot):

        async def explained(requires: str, on: Cluster | None = None) -> str:
            await pilot.afresh(requires=requires, on=on)
            await pilot.do("f3")
            return said(app)

        # Pairs of changes.
        assert "no change of one or two parts helps" in await explained("a&b&c&-a&-b&-c", six)
        await pilot.put("a&b&c")
        assert "looking for pairs" in said(app)
        await pilot.done()
        assert "1 leave out 'a' and 'b': 2 nodes" in said(app)
        await pilot.press("f3", "1")
        assert app.state.ask.text == "c"
        # Many parts, many nodes; one of hundreds of parts keeps all nodes out.
        assert "leave out" in await explained(f"{racks}&gpu&login")
        await pilot.put("gpu")
        await pilot.done()
        assert "leave out" not in said(app)
        assert "1 leave out 'b': 1 node" in await explained("a&b&rank:7", many)
        told = await explained(f"{hundreds}&nosuch")
        assert f"1 leave out 'nosuch': {MASKS['gpu'].bit_count()} nodes" in told
        assert "no change" not in told
        # What was not tried is said.
        with monkeypatch.context() as few:
            few.setattr("fluxtui.answers.explain.explanation.MAX_PARTS", 3)
            told = await explained("gpu&login&bigmem")
        assert "two changes at once are tried for up to 400 parts only" in told
        monkeypatch.setattr(explanations, "LONGEST", -1.0)
        assert "not all pairs of changes could be tried" in await explained("gpu&login&debug")


async def test_out_of_sight_nothing_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []

    def advise(explanation: Explanation, *more: object) -> Advice:
        looked.append(explanation.reading.text)
        return Advice()

    async with workbench_at(requires="gpu&batch") as (app, pilot):
        await pilot.go("explain")
        app.go_to("properties")
        app.focus_constraint()
        await pilot.settle()
        monkeypatch.setattr(explanations, "advise", advise)
        await pilot.press("end", *"&x", *["left"] * 8)
        await pilot.go("map")
        assert looked == ["gpu&batch&x"]
        # It follows the text again when it is seen.
        app.focus_constraint()
        app.ask_bar.entry.cursor_position = 1
        app.workspace.activate("explain")
        await pilot.settle()
        assert selected(app).startswith("gpu")
