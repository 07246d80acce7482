"""The Explain pane in the workbench: one selection with the text, edits, changes, JSON, advice."""

import json

import pytest
from textual.widgets.input import Selection

from fluxtui.answers.explain.explanation import Explanation
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.constraint import explanations
from fluxtui.ui.constraint.explain import ExplainList, ExplainPane
from fluxtui.ui.constraint.explanations import Advice
from fluxtui.ui.kit.prompt import Prompt
from fluxtui.ui.kit.text_editor import TextEditor
from fluxtui.workbench import Cluster, MoveCursor, TypeRequires
from tests.ui.documents import cluster, demo
from tests.ui.helpers import NARROW, NORMAL, WIDE, workbench_at
from tests.ui.seen import plain, shown

MASKS = demo().resources.properties
GPU = {"properties": ["gpu"]}
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


def signs_of(app: FluxTUI) -> str:
    """The signs before the parts of the tree."""
    rows = iter(listed(app))
    while "match" not in next(rows):
        pass
    return "".join(row[0] for row in rows if row[0] in "✓✗")


def frame(app: FluxTUI) -> str:
    return str(pane_of(app).border_subtitle)


def editor_of(app: FluxTUI) -> TextEditor:
    return app.query_one("#constraint-editor", TextEditor)


async def test_tree_and_text_are_one_selection() -> None:
    async with workbench_at(requires="gpu&batch|bigmem") as (app, pilot):
        # The cursor in the text selects the part.
        entry, pane = app.ask_bar.entry, pane_of(app)
        await pilot.steps(
            lambda: selected(app),
            ("f3 r home", "gpu"),
            ("right right right right right", "batch"),
            ("end", "bigmem"),
            ("& - d e b u g", "not debug"),
        )
        # The tree selects in the text, and enter goes there.
        await pilot.afresh(requires="gpu&-debug")
        await pilot.steps(
            lambda: (app.focused, entry.selection),
            ("f3 home", (pane.view, Selection(0, 10))),
            ("down", (pane.view, Selection(0, 3))),
            ("down !", (pane.view, Selection(4, 9))),
            ("ctrl+z", (pane.view, Selection(4, 10))),
            ("enter", (entry, Selection.cursor(10))),
        )
        await pilot.burst(*"x")
        assert entry.value == "gpu&-debugx"
        # Who goes elsewhere selects nothing in the text.
        await pilot.press("ctrl+z", "f3", "home", "down")
        await pilot.go("map", "r", "x")
        assert app.state.ask.text == "gpux&-debug"
        # The node under the mouse, else the one at the cursor, is explained.
        await pilot.afresh(requires="gpu&-debug", size=WIDE)
        await pilot.press("f3")
        for index, signs in ((178, "✗✓✗"), (170, "✓✓✓")):
            await pilot.edit(MoveCursor(index))
            assert signs_of(app) == signs
            host = app.state.cluster.resources.host(index)
            assert listed(app)[0][2:].startswith(f"{host} ")
        row = app.query_one("#node-map").render_line(0).text
        await pilot.hover("#node-map", offset=(row.index("·"), 0))
        assert signs_of(app) == "✗✗✓"
        await pilot.hover("#constraint-input")
        assert signs_of(app) == "✓✓✓"
        # Undo selects what was edited.
        await pilot.afresh(requires="gpu&-debug|bigmem", size=NORMAL)
        await pilot.press("f3", "end")
        assert selected(app) == "bigmem"
        await pilot.press("d")
        left = selected(app)
        assert app.state.ask.text == "gpu&-debug"
        await pilot.steps(lambda: selected(app), ("ctrl+z", "bigmem"), ("ctrl+r", left))


async def test_parts_are_edited_by_keys() -> None:
    async with workbench_at() as (app, pilot):
        for text, down, key, result, where in [
            ("gpu & -debug", 1, "!", "-gpu & -debug", "not gpu"),
            ("gpu & -debug", 2, "-", "gpu & debug", "debug"),
            ("gpu & -debug", 0, "o", "gpu | -debug", "or"),
            ("gpu & (batch | -debug)", 4, "d", "gpu & batch", "batch"),
            ("gpu|bigmem", 2, "delete", "gpu", "gpu"),
            ("gpu", 0, "d", "", None),
        ]:
            await pilot.afresh(requires=text)
            await pilot.press("f3", "home", *["down"] * down)
            await pilot.burst(key)
            assert app.state.ask.text == app.ask_bar.entry.value == result
            assert where is None or selected(app) == where
            assert app.focused is pane_of(app).view
            await pilot.press("ctrl+z")
            assert app.state.ask.text == text
        # What cannot be done is said in the frame.
        await pilot.afresh(requires="gpu")
        await pilot.press("f3")
        await pilot.burst("o")
        assert app.state.ask.text == "gpu"
        assert "'and' or 'or'" in frame(app)
        await pilot.put("gpu&(")
        assert frame(app) == "stale"
        pane_of(app).view.focus()
        await pilot.settle()
        await pilot.burst("!")
        assert "finish the constraint" in frame(app)
        await pilot.press("enter")
        entry = app.ask_bar.entry
        assert (app.focused, entry.cursor_position) == (entry, 5)
        # Each key is about what the keys before it made, be the constraint long or short.
        await pilot.afresh(requires=LONG, size=WIDE)
        entry.focus()
        await pilot.burst("end", *"|gpu", "f3", "home", "!")
        assert app.state.ask.text == f"not ({LONG}|gpu)"
        await pilot.burst("!", "end", "d")
        assert app.state.ask.text == LONG
        await pilot.press("home", "down", "down", "a", *"gpu", "enter", "!")
        assert app.state.ask.text == LONG.replace("rank:1|", "rank:1&-gpu|")
        app.edit(TypeRequires(f"{LONG}|gpu|ssd"))
        app.screen.set_focus(pane_of(app).view)
        await pilot.burst("home", "!")
        assert app.state.ask.text == f"not ({LONG}|gpu|ssd)"
        # Of a long one the match is shown first.
        await pilot.afresh(requires=LONG, size=WIDE)
        await pilot.go("explain")
        entry.focus()
        await pilot.settle()
        before = listed(app)
        app.edit(TypeRequires(f"{LONG}|rank:150"))
        assert app.views.map.view.found.mask == (1 << 100) - 1 | 1 << 150
        assert listed(app) == before
        await pilot.settle()
        assert any(line[1:].split()[:1] == ["101"] for line in listed(app))


@pytest.mark.parametrize("size", [NARROW, NORMAL])
async def test_something_is_joined_by_a_question(size: tuple[int, int]) -> None:
    async with workbench_at(size, requires="gpu&-debug") as (app, pilot):
        await pilot.press("f3", "down")
        await pilot.burst("|")
        prompt = app.query_one("#part-prompt", Prompt)
        await pilot.put("bigmem|(", "#part-prompt-entry")
        await pilot.press("enter")
        assert prompt.display
        assert app.state.ask.text == "gpu&-debug"
        await pilot.put("bigmem", "#part-prompt-entry")
        await pilot.press("enter")
        assert not prompt.display
        assert app.state.ask.text == "(gpu|bigmem)&-debug"
        assert selected(app) == "bigmem"
        assert app.focused is pane_of(app).view
        # It waits for who left it, and undo stays in it.
        await pilot.press("a", *"ss")
        await pilot.press("f6")
        assert app.focused is not prompt.entry
        await pilot.press("f3")
        assert app.focused is prompt.entry
        await pilot.press("ctrl+z", "ctrl+z", "ctrl+z")
        assert prompt.entry.value == ""
        assert prompt.display
        await pilot.press("ctrl+r", "ctrl+r", "d", "enter")
        assert app.state.ask.text == "(gpu|bigmem&ssd)&-debug"
        # About another text it is closed, and an unfinished text is not written over.
        await pilot.burst("&")
        await pilot.put("batch")
        assert not prompt.display
        assert app.focused is app.ask_bar.entry
        pane_of(app).view.focus()
        await pilot.press("&", *"ssd")
        await pilot.put("batch&milan&")
        app.screen.set_focus(pane_of(app).inside)
        await pilot.press("enter")
        assert app.state.ask.text == "batch&milan&"


async def test_a_change_is_taken_by_digit_enter_and_click() -> None:
    async with workbench_at(requires="gpu&login") as (app, pilot):
        await pilot.do("f3")
        assert listed(app)[0].startswith("✗ No node matches: 'login'")
        assert frame(app) == "1-2 apply"
        await pilot.press("1")
        assert app.state.ask.text == "gpu"
        assert "leave out" not in said(app)
        await pilot.press("ctrl+z", "home", "down", "enter")
        assert app.state.ask.text == "login"
        await pilot.press("ctrl+z")
        row = next(y for y, line in enumerate(listed(app)) if line.startswith("1 "))
        await pilot.click("#constraint-tree", offset=(4, row))
        assert app.state.ask.text == "gpu"
        # An earlier text is not changed.
        await pilot.put("gpu&login&(")
        pane_of(app).view.focus()
        await pilot.press("1")
        assert app.state.ask.text == "gpu&login&("
        # Without a constraint the numbers are examples, and other keys do nothing.
        await pilot.afresh()
        await pilot.press("f3")
        assert "Try one of these" in said(app)
        await pilot.burst(*"!o|da", "delete")
        assert app.state.ask.text == ""
        await pilot.press("2")
        assert app.state.ask.text.startswith("gpu&-")
        assert app.state.ask.mask
        # F3 goes in and out.
        await pilot.afresh(size=NARROW)
        pane = pane_of(app)
        for size in (NARROW, WIDE):
            await pilot.afresh(requires="gpu&-debug", size=size)
            app.ask_bar.entry.focus()
            await pilot.burst("f3", "home", "down", "d")
            assert (app.state.ask.text, app.focused) == ("-debug", pane.view)
            assert shown(pane.view)
            await pilot.burst("f3", *"|gpu")
            assert app.state.ask.text == "-debug|gpu"
            app.go_to("map")
            await pilot.press("f3")
            assert app.focused is pane.view
            await pilot.press("f3")
            assert app.focused is app.ask_bar.entry


async def test_what_takes_long_is_found_in_the_background(monkeypatch: pytest.MonkeyPatch) -> None:
    async with workbench_at() as (app, pilot):

        async def explained(requires: str, on: Cluster | None = None) -> str:
            await pilot.afresh(requires=requires, on=on)
            await pilot.do("f3")
            return said(app)

        # Pairs of changes.
        six = cluster(6, {"a": "0,1", "b": "2,3", "c": "4,5"})
        none = "no change of one or two parts helps"
        assert none in await explained("a&b&c&-a&-b&-c", six)
        await pilot.put("a&b&c")
        assert "looking for pairs" in said(app)
        await pilot.done()
        assert "1 leave out 'a' and 'b': 2 nodes" in said(app)
        await pilot.press("f3", "1")
        assert app.state.ask.text == "c"
        # Many parts, many nodes.
        text = "&".join(f"-rack{number}" for number in range(40)) + "&gpu&login"
        assert "leave out" in await explained(text)
        await pilot.put("gpu")
        await pilot.done()
        assert "leave out" not in said(app)
        many = cluster(300_000, {"a": "0-9", "b": "10-299999"})
        assert "1 leave out 'b': 1 node" in await explained("a&b&rank:7", many)
        # One of hundreds of parts keeps all nodes out.
        text = "&".join(f"(gpu|rank:{rank})" for rank in range(134)) + "&nosuch"
        told = await explained(text)
        assert f"1 leave out 'nosuch': {MASKS['gpu'].bit_count()} nodes" in told
        assert "no change" not in told
        await pilot.press("1")
        assert app.state.ask.text == text.removesuffix("&nosuch")
        # What was not tried is said.
        monkeypatch.setattr("fluxtui.answers.explain.explanation.MAX_PARTS", 3)
        few = "two changes at once are tried for up to 400 parts only"
        assert few in await explained("gpu&login&bigmem")
        monkeypatch.setattr("fluxtui.answers.explain.explanation.MAX_PARTS", 1500)
        monkeypatch.setattr("fluxtui.ui.constraint.explanations.LONGEST", -1.0)
        await pilot.put("gpu&login&debug")
        await pilot.done()
        assert "not all pairs of changes could be tried" in said(app)


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


@pytest.mark.parametrize("size", [NARROW, NORMAL])
async def test_the_object_is_shown_and_edited(size: tuple[int, int]) -> None:
    async with workbench_at(size, requires="gpu&-debug") as (app, pilot):
        pane = pane_of(app)
        await pilot.press("f3")
        assert not app.query("#constraint-editor")  # it is made when it is asked for
        await pilot.press("j")
        assert app.focused is pane.json.view
        obj = {"and": [GPU, {"not": [{"properties": ["debug"]}]}]}
        assert json.loads(plain(app, "#constraint-json")) == obj
        await pilot.press("enter", "down", *["right"] * 19, *"bigmem", *["delete"] * 3)
        assert json.loads(editor_of(app).text)["and"][0] == {"properties": ["bigmem"]}
        assert app.ask_bar.entry.value == app.state.ask.text == "bigmem&-debug"
        await pilot.press("backspace")
        assert app.state.ask.text == "bigme&-debug"
        await pilot.press("escape")
        assert app.focused is pane.json.view
        await pilot.press("j")
        assert app.focused is pane.view
        # A key right after the one that opens it is for its text.
        await pilot.press("f3")
        await pilot.burst("f3", "j", "enter", "z")
        assert editor_of(app).text.startswith("z{")


async def test_an_object_with_an_error_is_the_text_of_the_constraint() -> None:
    async with workbench_at(requires="gpu & -debug") as (app, pilot):

        async def type_anew(text: str) -> str:
            """Put another text into the editor, as a paste over all of it does."""
            editor = editor_of(app)
            editor.select_all()
            editor.replace(text, *editor.selection)
            await pilot.settle()
            return app.state.ask.text

        await pilot.press("f3", "j", "e")
        for text, words in (
            ('{"properties": ["gpu"', "line 1"),
            ('{\n"propertie": ["gpu"]}', "line 2"),
        ):
            assert await type_anew(text) == app.ask_bar.entry.value == text.replace("\n", " ")
            assert editor_of(app).text == text
            assert words in plain(app, "#constraint-trouble")
            assert (app.state.ask.stale, frame(app)) == (True, "stale")
        # What is corrected is a query again; a query is no object.
        assert await type_anew('{"properties":\n["batch"]}') == "batch"
        assert editor_of(app).text == '{"properties":\n["batch"]}'
        assert frame(app) == "esc closes"
        assert not app.query_one("#constraint-trouble").display
        assert await type_anew("gpu") == "batch"
        assert "begins with" in plain(app, "#constraint-trouble")
        # It is there again for who comes back, and undo takes it back in both places.
        await type_anew('{"properties": [')
        await pilot.press("escape")
        assert plain(app, "#constraint-json") == '{"properties": ['
        await pilot.press("j", "r", "f3", "j", "enter")
        assert editor_of(app).text == '{"properties": ['
        await pilot.press("ctrl+z")
        assert app.state.ask.text == "batch"
        assert json.loads(editor_of(app).text) == {"properties": ["batch"]}
        await pilot.press(*["ctrl+z"] * 4)
        assert app.state.ask.text == "gpu & -debug"  # as it was written
        assert json.loads(editor_of(app).text)["and"][0] == GPU
        await pilot.press("ctrl+r")
        assert app.state.ask.text != "gpu & -debug"
        # A change from elsewhere is shown.
        await pilot.put("gpu")
        assert json.loads(editor_of(app).text) == GPU
        # The text itself has an error, or is empty.
        await pilot.afresh(requires="gpu&(")
        await pilot.press("f3", "j")
        assert plain(app, "#constraint-json").startswith("The constraint has an error.")
        await pilot.put("")
        assert plain(app, "#constraint-json").startswith("Empty matches all nodes.")
        # The text keeps its form.
        await pilot.afresh(requires='{"properties": ["gpu"]}')
        await pilot.press("f3", "j", "enter")
        text = await type_anew('{"or": [{"properties": ["gpu"]},\n {"ranks": ["0-3"]}]}')
        assert app.state.ask.requires.is_json
        assert json.loads(text) == {"or": [GPU, {"ranks": ["0-3"]}]}
        await pilot.put("gpu")
        assert json.loads(editor_of(app).text) == GPU
        await pilot.afresh()
        await pilot.press("f3", "j", "enter")
        both = '{"and": [{"properties": ["gpu"]}, {"ranks": ["3-9"]}]}'
        assert await type_anew(both) == "gpu&rank:3-9"
        assert await type_anew('{"not": []}') == '{"not": []}'  # no query says this
        assert await type_anew("") == ""
