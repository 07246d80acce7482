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
            ("'&-debug'", "not debug"),
        )
        # The tree selects in the text, and enter goes there; who goes elsewhere selects nothing.
        await pilot.afresh(requires="gpu&-debug")
        await pilot.steps(
            lambda: (app.focused, entry.selection),
            ("f3 home", (pane.view, Selection(0, 10))),
            ("down", (pane.view, Selection(0, 3))),
            ("down !", (pane.view, Selection(4, 9))),
            ("ctrl+z", (pane.view, Selection(4, 10))),
            ("enter", (entry, Selection.cursor(10))),
            ("f3 home down r", (entry, Selection.cursor(3))),
        )
        # The node under the mouse, else the one at the cursor, is explained.
        await pilot.afresh(requires="gpu&-debug", size=WIDE)
        await pilot.press("f3")
        for index, signs in ((178, "✗✓✗"), (170, "✓✓✓")):
            await pilot.edit(MoveCursor(index))
            assert signs_of(app) == signs
        row = app.query_one("#node-map").render_line(0).text
        await pilot.hover("#node-map", offset=(row.index("·"), 0))
        assert signs_of(app) == "✗✗✓"
        await pilot.hover("#constraint-input")
        assert signs_of(app) == "✓✓✓"
        # Undo selects what was edited.
        await pilot.afresh(requires="gpu&-debug|bigmem", size=NORMAL)
        await pilot.steps(
            lambda: (app.state.ask.text, selected(app)),
            ("f3 end", ("gpu&-debug|bigmem", "bigmem")),
            ("d", ("gpu&-debug", "not debug")),
            ("ctrl+z", ("gpu&-debug|bigmem", "bigmem")),
            ("ctrl+r", ("gpu&-debug", "not debug")),
        )


async def test_parts_are_edited_by_keys() -> None:
    async with workbench_at() as (app, pilot):

        def look() -> tuple[str, str]:
            return app.state.ask.text, selected(app)

        for text, keys, result, where in [
            ("gpu & -debug", "down !", "-gpu & -debug", "not gpu"),
            ("gpu & -debug", "down down -", "gpu & debug", "debug"),
            ("gpu & -debug", "o", "gpu | -debug", "or"),
            ("gpu & (batch | -debug)", "down down down down d", "gpu & batch", "batch"),
            ("gpu|bigmem", "down down delete", "gpu", "gpu"),
        ]:
            await pilot.afresh(requires=text)
            await pilot.steps(look, (f"tab f3 home {keys}", (result, where)))
        # What cannot be done is said in the frame.
        await pilot.steps(
            lambda: (app.state.ask.text, frame(app)),
            ("o", ("gpu", "no 'and' or 'or' to swap here")),
            ("f3 '&('", ("gpu&(", "stale")),
            ("f3 !", ("gpu&(", "finish the constraint first")),
        )
        await pilot.press("enter")
        assert (app.focused, app.ask_bar.entry.cursor_position) == (app.ask_bar.entry, 5)
        # Each key is about what the keys before it made, be the constraint long or short.
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
        assert app.views.map.view.found.mask == (1 << 100) - 1 | 1 << 150
        assert listed(app) == before
        await pilot.settle()
        assert any(line[1:].split()[:1] == ["101"] for line in listed(app))


@pytest.mark.parametrize("size", [NARROW, NORMAL])
async def test_something_is_joined_by_a_question(size: tuple[int, int]) -> None:
    async with workbench_at(size, requires="gpu&-debug") as (app, pilot):
        await pilot.press("tab", "f3", "down")
        await pilot.burst("|")
        prompt = app.query_one("#part-prompt", Prompt)
        view, entry, ask = pane_of(app).view, prompt.entry, app.ask_bar.entry
        joined = "(gpu|bigmem)&-debug"
        await pilot.steps(
            lambda: (app.focused, entry.value * prompt.display, app.state.ask.text),
            ("'bigmem|(' enter", (entry, "bigmem|(", "gpu&-debug")),
            ("backspace backspace enter", (view, "", joined)),
            # It waits for who left it, and undo stays in it.
            ("a 'ss' f3", (ask, "ss", joined)),
            ("f3", (entry, "ss", joined)),
            ("ctrl+z ctrl+z", (entry, "", joined)),
            ("ctrl+r d enter", (view, "", "(gpu|bigmem&sd)&-debug")),
            # About another text it is closed, and an unfinished text is not written over.
            ("& f3", (ask, "", "(gpu|bigmem&sd)&-debug")),
            ("ctrl+a ctrl+k 'batch'", (ask, "", "batch")),
            ("f3 & 'ssd' f3 & f3 enter", (entry, "ssd", "batch&")),
        )


async def test_a_change_is_taken_by_digit_enter_and_click() -> None:
    async with workbench_at(requires="gpu&login") as (app, pilot):
        await pilot.do("tab", "f3")
        assert frame(app) == "1-2 apply"
        await pilot.steps(
            lambda: app.state.ask.text,
            ("1", "gpu"),
            ("ctrl+z home down enter", "login"),
            ("ctrl+z", "gpu&login"),
        )
        row = next(y for y, line in enumerate(listed(app)) if line.startswith("1 "))
        await pilot.click("#constraint-tree", offset=(4, row))
        assert app.state.ask.text == "gpu"
        # An earlier text is not changed.
        await pilot.put("gpu&login&(")
        await pilot.steps(lambda: app.state.ask.text, ("f3 1", "gpu&login&("))
        # Without a constraint the numbers are examples, and other keys do nothing.
        await pilot.put("")
        await pilot.steps(
            lambda: app.state.ask.text, ("f3 ! o | d a delete", ""), ("2", "gpu&-debug")
        )
        # F3 goes in and out, from wherever one is.
        view, entry = pane_of(app).view, app.ask_bar.entry
        for size in (NARROW, WIDE):
            await pilot.afresh(requires="gpu&-debug", size=size)
            await pilot.burst("tab", "f3", "home", "down", "d")
            assert (app.state.ask.text, app.focused, shown(view)) == ("-debug", view, True)
            await pilot.burst("f3", *"|gpu")
            assert app.state.ask.text == "-debug|gpu"
            await pilot.go("map")
            await pilot.steps(lambda: app.focused, ("f3", view), ("f3", entry))


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
        assert app.ask_bar.entry.value == app.state.ask.text == "bigmem&-debug"
        await pilot.steps(
            lambda: (app.state.ask.text, app.focused),
            ("backspace", ("bigme&-debug", editor_of(app))),
            ("escape", ("bigme&-debug", pane.json.view)),
            ("j", ("bigme&-debug", pane.view)),
        )
        # A key right after the one that opens it is for its text.
        await pilot.burst("f3", "f3", "j", "enter", "z")
        assert editor_of(app).text.startswith("z{")


async def test_an_object_with_an_error_is_the_text_of_the_constraint() -> None:
    async with workbench_at(requires="gpu & -debug") as (app, pilot):

        async def type_anew(text: str) -> tuple[str, str, str]:
            """Put another text into the editor; the constraint, the frame, what is wrong."""
            editor = editor_of(app)
            editor.select_all()
            editor.replace(text, *editor.selection)
            await pilot.settle()
            assert editor.text == text
            trouble = app.query_one("#constraint-trouble")
            return app.state.ask.text, frame(app), trouble.display and trouble.plain

        def same() -> tuple[str, str, object]:
            """The constraint, what the editor has and what that is, where it is JSON."""
            text = editor_of(app).text
            return app.state.ask.text, text, text[-1] == "}" and json.loads(text)

        await pilot.press("f3", "j", "e")
        for text, constraint, words in (
            ('{"properties": ["gpu"', '{"properties": ["gpu"', "line 1"),
            ('{\n"propertie": ["gpu"]}', '{ "propertie": ["gpu"]}', "line 2"),
        ):
            found, title, trouble = await type_anew(text)
            assert (found, title, app.state.ask.stale) == (constraint, "stale", True)
            assert words in trouble
        # What is corrected is a query again; a query is no object.
        assert await type_anew('{"properties":\n["batch"]}') == ("batch", "esc closes", False)
        found, _, trouble = await type_anew("gpu")
        assert (found, "begins with" in trouble) == ("batch", True)
        # It is there again for who comes back, and undo takes it back in both places.
        bad = '{"properties": ['
        await type_anew(bad)
        await pilot.press("escape")
        assert plain(app, "#constraint-json") == bad
        await pilot.press("j", "r", "f3", "j", "enter")
        assert editor_of(app).text == bad
        await pilot.press("ctrl+z")
        assert (app.state.ask.text, json.loads(editor_of(app).text)) == ("batch", BATCH)
        await pilot.press(*["ctrl+z"] * 4)
        assert app.state.ask.text == "gpu & -debug"  # as it was written
        assert json.loads(editor_of(app).text)["and"][0] == GPU
        # A change from elsewhere is shown; so are one with an error, and none.
        await pilot.put("gpu")
        assert json.loads(editor_of(app).text) == GPU
        await pilot.afresh()
        await pilot.press("f3", "j")
        for text, words in (("gpu&(", "The constraint has an error."), ("", "Empty matches all")):
            await pilot.put(text)
            assert plain(app, "#constraint-json").startswith(words)
        # The text keeps its form.
        both = '{"and": [{"properties": ["gpu"]}, {"ranks": ["3-9"]}]}'
        for before, text, after in (
            ('{"properties": ["gpu"]}', both, both),
            ("", both, "gpu&rank:3-9"),
            ("", '{"not": []}', '{"not": []}'),  # no query says this
            ("gpu", "", ""),
        ):
            await pilot.afresh(requires=before)
            await pilot.press("f3", "j", "enter")
            assert (await type_anew(text))[0] == after
