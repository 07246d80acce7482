"""The reading of a constraint: its tree, its place in the text, the node in it, what to change."""

import json

from textual.widgets.input import Selection

from fluxtui.ui.constraint.explain import ExpressionTree
from fluxtui.ui.kit.prompt import Prompt
from fluxtui.ui.kit.text_editor import TextEditor
from fluxtui.workbench import EditRequires, MoveCursor, Select, TypeRequires
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    WIDE,
    cluster,
    demo,
    messages,
    plain,
    screen_text,
    shown,
    workbench_at,
)

MASKS = demo().resources.properties


def tree_rows(app) -> list[str]:
    """The lines of the tree."""
    return plain(app, "#constraint-tree").splitlines()


def problems(app) -> str:
    """What is listed as wrong, in one line."""
    return " ".join(plain(app, "#explain-problems").split())


def below(app) -> str:
    """What is said below the tree, in one line."""
    return " ".join(plain(app, "#constraint-why").split())


def selected(app) -> str:
    """The words of the selected line, without its counts."""
    tree = app.query_one("#constraint-tree", ExpressionTree)
    return str(tree.lines[tree.row].plain.split("─")[-1].split(maxsplit=3)[-1]).strip()


def counts(row: str) -> list[str]:
    """The two counts of a line."""
    return row[1:].split()[:2]


async def test_parts_and_problems_are_listed() -> None:
    async with workbench_at() as (app, pilot):
        # Each part with what it matches and leaves.
        for size in [NARROW, NORMAL, WIDE]:
            await pilot.afresh(requires="(gpu|bigmem)&batch&login", size=size)
            await pilot.press("f3")
            assert shown(app.panes["explain"].view)
            rows = tree_rows(app)
            either, gpu = MASKS["gpu"] | MASKS["bigmem"], MASKS["gpu"]
            both = either & MASKS["batch"]
            assert [counts(row) for row in rows] == [
                ["0", "0"],
                [str(either.bit_count())] * 2,
                [str(gpu.bit_count()), f"+{gpu.bit_count()}"],
                [str(MASKS["bigmem"].bit_count()), f"+{(MASKS['bigmem'] & ~gpu).bit_count()}"],
                [str(MASKS["batch"].bit_count()), str(both.bit_count())],
                [str(MASKS["login"].bit_count()), "0"],
            ]
            assert ["∅" in row for row in rows] == [False] * 5 + [True]
            assert "alone  left" in plain(app, "#explain-legend")
            assert "Tree │ JSON" in screen_text(app)
            if size is not NARROW:
                ends = {row.index(row[1:].split()[0]) + len(row[1:].split()[0]) for row in rows}
                assert len(ends) == 1  # the counts stand under each other
        # A bad text keeps the last tree.
        await pilot.afresh(requires="gpu&-debug", size=NORMAL)
        await pilot.press("f3")
        rows = tree_rows(app)
        await pilot.put("gpu&(")
        assert tree_rows(app) == rows
        assert app.panes["explain"].border_subtitle == "stale"
        app.panes["explain"].view.focus()
        await pilot.press("d")
        assert app.state.ask.text == "gpu&("
        await pilot.put("")
        assert "what each part matches" in plain(app, "#constraint-tree")
        assert below(app) == ""
        assert plain(app, "#explain-legend") == ""
        # Without an answer the problems are listed.
        await pilot.afresh()
        await pilot.put("!gpu&host:n[1-")
        await pilot.press("f3")
        lines = problems(app)
        assert "✗ write '-gpu' for nodes without it; '!gpu' is a property name here" in lines
        assert "✗ the bracket '[' is not closed" in lines
        assert "expected ']'" in lines
        assert plain(app, "#constraint-tree") == ""
        assert app.panes["explain"].border_subtitle == ""
        assert app.panes["explain"].problems.region.height >= 2
        await pilot.put("")
        assert not shown(app.panes["explain"].problems)
        assert "what each part matches" in plain(app, "#constraint-tree")
        # The problems stand above a stale tree.
        await pilot.afresh(requires="gpu&-debug")
        await pilot.press("f3")
        pane = app.panes["explain"]
        assert not shown(pane.problems)
        await pilot.put("gpu&!debug")
        assert "write '-debug' for nodes without it" in problems(app)
        assert pane.problems.region.bottom <= pane.view.region.y
        assert tree_rows(app)
        await pane.action_form()
        await pilot.settle()
        assert not shown(pane.problems)
        await pane.action_form()
        await pilot.settle()
        assert shown(pane.problems)
        await pilot.put("gpu")
        assert not shown(pane.problems)
        # What is merely unfinished moves no tree while one types.
        await pilot.afresh(requires="gpu")
        await pilot.press("f3", "ctrl+t", "end", "&")
        assert app.state.ask.stale
        assert not shown(app.panes["explain"].problems)
        await pilot.press("f3")
        assert "nothing follows '&'" in problems(app)
        # What is unfinished is listed for who goes on elsewhere.
        await pilot.afresh(requires="gpu", size=WIDE)
        app.go_to("explain")
        await pilot.press("ctrl+t", "end", "&")
        assert not shown(app.panes["explain"].problems)
        app.go_to("map")
        await pilot.settle()
        assert "nothing follows '&'" in problems(app)
        # The cursor in the text selects the part.
        await pilot.afresh(requires="gpu&batch|bigmem", size=NORMAL)
        entry = app.ask_bar.entry
        await pilot.press("f3", "ctrl+t", "home")
        assert selected(app).endswith("gpu")
        await pilot.press(*["right"] * 5)
        assert selected(app).endswith("batch")
        await pilot.press("end")
        assert selected(app).endswith("bigmem")
        await pilot.burst(*"&-debug")
        assert entry.value == "gpu&batch|bigmem&-debug"
        assert selected(app).endswith("debug")
        await pilot.press("ctrl+z")
        assert "debug" not in "".join(tree_rows(app))


# One selection


async def test_tree_and_text_select_each_other() -> None:
    async with workbench_at(requires="gpu&-debug") as (app, pilot):
        # The tree selects in the text.
        entry = app.ask_bar.entry
        await pilot.press("f3")
        assert app.focused is app.panes["explain"].view
        assert entry.selection == Selection(0, 10)
        await pilot.press("down")
        assert entry.selection == Selection(0, 3)
        await pilot.press("down")
        assert entry.selection == Selection(4, 10)
        assert entry._pointed
        await pilot.press("!")
        assert entry.selection == Selection(4, 9)
        await pilot.press("ctrl+z")
        assert entry.selection == Selection(4, 10)
        assert app.focused is app.panes["explain"].view
        await pilot.press("enter")
        assert app.focused is entry
        assert entry.selection == Selection.cursor(10)
        await pilot.burst(*"x")
        assert entry.value == "gpu&-debugx"
        # The tree shows what a node satisfies.
        await pilot.afresh(requires="gpu&-debug", size=WIDE)
        app.edit(MoveCursor(178))  # a gpu node for debugging
        await pilot.settle()
        assert [row[0] for row in tree_rows(app)] == ["✗", "✓", "✗"]
        host = app.state.cluster.resources.host(178)
        assert host in plain(app, "#explain-legend")
        sentence = f"{host} is out: it is in debug"
        assert sentence in below(app)
        assert sentence in " ".join(plain(app, "#node-details").split())
        app.edit(MoveCursor(170))
        await pilot.settle()
        assert [row[0] for row in tree_rows(app)] == ["✓", "✓", "✓"]
        app._over(0)
        await pilot.settle()
        assert [row[0] for row in tree_rows(app)] == ["✗", "✗", "✓"]
        app._over(None)
        assert [row[0] for row in tree_rows(app)] == ["✓", "✓", "✓"]


async def test_keys_typed_after_the_tree_replace_nothing() -> None:
    async with workbench_at(requires="gpu&-debug") as (app, pilot):
        await pilot.press("f3", "down", "down")
        await pilot.burst("slash", "x")
        assert app.state.ask.text == "gpu&-debugx"
    async with workbench_at(requires="gpu&-debug") as (app, pilot):
        await pilot.press("f3", "down")
        app.go_to("map")
        await pilot.settle()
        assert not app.ask_bar.entry._pointed
        await pilot.burst("ctrl+t", "x")
        assert app.state.ask.text == "gpux&-debug"


# The node


async def test_what_keeps_nodes_out() -> None:
    async with workbench_at(WIDE, requires="gpu&batch") as (app, pilot):
        # What keeps a set of nodes out.
        app.go_to("explain")
        await pilot.settle()
        await pilot.press("down")
        gpu, batch = MASKS["gpu"], MASKS["batch"]
        out = (gpu & ~batch).bit_count()
        assert out == 0
        assert f"all {gpu.bit_count()} gpu nodes match" in below(app)
        await pilot.press("down")
        out = (batch & ~gpu).bit_count()
        said = f"{out} of {batch.bit_count()} batch nodes are out because they are not in gpu"
        assert said in below(app)
        app.edit(Select(MASKS["bigmem"]))
        await pilot.settle()
        assert f"all {MASKS['bigmem'].bit_count()} bigmem nodes are out" in below(app)
        # A number takes a change.
        await pilot.afresh(requires="gpu&login", size=NORMAL)
        await pilot.press("f3")
        await pilot.done()
        count = MASKS["gpu"].bit_count()
        assert f"1 leave out 'login': {count} nodes" in below(app)
        assert str(app.panes["explain"].border_subtitle).startswith("1-2 change")
        await pilot.press("ctrl+t")
        assert app.panes["explain"].border_subtitle == "F3, then 1-2 takes a change"
        await pilot.press("f3", "1")
        assert app.state.ask.text == "gpu"
        assert app.state.ask.totals.nodes == count
        assert "leave out" not in below(app)
        await pilot.press("9")
        assert app.state.ask.text == "gpu"
        await pilot.press("ctrl+z")
        assert app.state.ask.text == "gpu&login"
        # An earlier text is not changed.
        await pilot.afresh(requires="gpu&login")
        await pilot.press("f3")
        await pilot.done()
        await pilot.put("gpu&login&(")
        assert "leave out" not in below(app)
        app.panes["explain"].view.focus()
        await pilot.press("1")
        assert app.state.ask.text == "gpu&login&("
        # A name that is not there.
        await pilot.afresh(requires="gpu|bigmen")
        await pilot.press("f3")
        assert "1 write 'bigmem' for 'bigmen': 32 nodes" in below(app)
        await pilot.press("1")
        assert app.state.ask.text == "gpu|bigmem"
        assert "bigmen" not in below(app)
        # What is odd is marked.
        await pilot.afresh(requires="gpu&batch&gpu", size=WIDE)
        rows = tree_rows(app)
        assert [row[:18].count("!") for row in rows] == [0, 0, 1, 1]
        assert "! 'gpu' appears twice; once is enough" in below(app)
        await pilot.put("gpu|batch bigmem")
        assert "!" in below(app)
        # The queue below the tree.
        await pilot.afresh(requires="gpu|debug")
        app.go_to("queues")
        await pilot.settle()
        await pilot.press("down", "enter")
        *parts, queue, both = tree_rows(app)
        assert "in queue debug" in queue
        assert both.endswith("both")
        app.go_to("explain")
        await pilot.settle()
        await pilot.press("end")
        tree = app.panes["explain"].view
        assert tree.row == len(parts) - 1  # the lines of the queue are no parts


# What to change


async def test_large_clusters_and_many_parts() -> None:
    async with workbench_at() as (app, pilot):
        # Pairs of changes are found meanwhile.
        on = cluster(6, {"a": "0,1", "b": "2,3", "c": "4,5"})
        await pilot.afresh(requires="a&b&c&-a&-b&-c", on=on)
        await pilot.press("f3")
        await pilot.done()
        assert "no change of one or two parts helps" in below(app)
        await pilot.put("a&b&c")
        await pilot.done()
        assert "1 leave out 'a' and 'b': 2 nodes" in below(app)
        await pilot.press("f3", "1")
        assert app.state.ask.text == "c"
        assert not [worker for worker in app.workers if worker.group == "thinking"]
        # Many parts are advised a little later.
        text = "&".join(f"-rack{number}" for number in range(40)) + "&gpu&login"
        await pilot.afresh(requires=text)
        await pilot.press("f3")
        assert len(tree_rows(app)) == 43
        await pilot.done()
        assert "leave out" in below(app)
        await pilot.put("gpu")
        await pilot.done()
        assert "leave out" not in below(app)
        # A large cluster.
        on = cluster(20_000, {"a": "0-9", "b": "10-19999"})
        await pilot.afresh(requires="a&b&rank:7", on=on)
        await pilot.press("f3")
        await pilot.done()
        assert "1 leave out 'b': 1 node" in below(app)
        assert [counts(row) for row in tree_rows(app)][-1] == ["1", "0"]
        # One of hundreds of parts keeps all nodes out.
        text = "&".join(f"(gpu|rank:{rank})" for rank in range(134)) + "&nosuch"
        await pilot.afresh(requires=text)
        await pilot.press("f3")
        await pilot.done()
        count = MASKS["gpu"].bit_count()
        assert f"1 leave out 'nosuch': {count} nodes" in below(app)
        assert "no change" not in below(app)
        assert app.panes["explain"]._adviser.advice.untried == ""
        await pilot.press("1")
        assert app.state.ask.text == text.removesuffix("&nosuch")
        assert app.state.ask.totals.nodes == count


LONG = "|".join(f"rank:{rank}" for rank in range(100))


async def test_keys_in_a_pane_are_about_what_the_keys_before_made() -> None:
    async with workbench_at(WIDE, requires=LONG) as (app, pilot):
        app.ask_bar.entry.focus()
        await pilot.settle()
        await pilot.burst(*"|gpu", "f3", "home", "!")
        assert app.state.ask.text == f"not ({LONG}|gpu)"
        await pilot.burst("!", "end", "d")
        assert app.state.ask.text == LONG
        await pilot.press("home", "down", "down", "a", *"gpu", "enter", "!")
        assert app.state.ask.text == LONG.replace("rank:1|", "rank:1&-gpu|")
        await pilot.press("ctrl+z", "ctrl+z")
        app.ask_bar.entry.focus()
        await pilot.settle()
        app.edit(TypeRequires(f"{LONG}|gpu|ssd"))
        app.screen.set_focus(app.panes["explain"].view)
        await pilot.burst("home", "!")
        assert app.state.ask.text == f"not ({LONG}|gpu|ssd)"


async def test_of_a_long_constraint_the_match_is_shown_first() -> None:
    ranks = LONG
    async with workbench_at(WIDE, requires=ranks) as (app, pilot):
        app.ask_bar.entry.focus()
        await pilot.settle()
        before = tree_rows(app)
        app.edit(TypeRequires(f"{ranks}|rank:150"))
        assert app.query_one("#node-map").mask == (1 << 100) - 1 | 1 << 150
        assert plain(app, "#answer") == "101 of 196 nodes"
        assert tree_rows(app) == before
        await pilot.settle()
        assert counts(tree_rows(app)[0])[0] == "101"
        app.edit(TypeRequires("rank:7"))
        assert counts(tree_rows(app)[0])[0] == "1"


async def test_what_was_not_tried_is_known(monkeypatch) -> None:
    monkeypatch.setattr("fluxtui.answers.explain.explanation.MAX_PARTS", 3)
    async with workbench_at(requires="gpu&login&bigmem") as (app, pilot):
        await pilot.press("f3")
        await pilot.done()
        adviser = app.panes["explain"]._adviser
        assert adviser.advice.untried == "two changes at once are tried for up to 1,500 parts only"
        assert adviser.changes == ()
        await pilot.put("gpu&login")
        await pilot.done()
        assert adviser.advice.untried == ""
        monkeypatch.setattr("fluxtui.answers.explain.explanation.MAX_PARTS", 1500)
        monkeypatch.setattr("fluxtui.ui.constraint.explanations.LONGEST", -1.0)
        await pilot.put("gpu&login&debug")
        await pilot.done()
        assert adviser.advice.untried == "not all pairs of changes could be tried in 3 seconds"
        assert not adviser.looking


# What is typed in the reading of the constraint stays: undo there, leaving it, coming back

GPU = {"properties": ["gpu"]}


def editor_of(app) -> TextEditor:
    return app.query_one("#constraint-editor", TextEditor)


def frame(app) -> str:
    """What the lower edge of the frame says."""
    return str(app.panes["explain"].border_subtitle)


# The JSON that cannot be read


async def test_undo_takes_back_what_cannot_be_read_before_all_else() -> None:
    async with workbench_at(NARROW) as (app, pilot):
        app.edit(EditRequires("gpu & -debug"))
        await pilot.press("f3", "j", "enter", "end")
        editor = editor_of(app)
        before = editor.text
        await pilot.burst(*'x"')
        await pilot.burst("enter", *"[[")
        while editor.text != before:
            assert plain(app, "#constraint-trouble").startswith("line ")
            text = editor.text
            await pilot.press("ctrl+z")
            assert editor.text != text
            assert app.state.ask.text == "gpu & -debug"  # as it was written
        await pilot.press("ctrl+r")
        assert editor.text != before
        await pilot.press("ctrl+z")
        assert editor.text == before
        await pilot.press("ctrl+z")
        assert app.state.ask.text == ""
        # It stops at each text that was taken.
        await pilot.afresh(requires="gpu")
        await pilot.press("f3", "j", "enter", *["right"] * 17)
        await pilot.burst(*"ab")
        assert app.state.ask.text == "abgpu"
        await pilot.burst(*'"[')
        await pilot.press("ctrl+z")
        assert "abgpu" in editor_of(app).text
        assert app.state.ask.text == "abgpu"
        await pilot.press("ctrl+z")
        assert app.state.ask.text == "gpu"
        assert json.loads(editor_of(app).text) == GPU


async def test_what_cannot_be_read_is_there_again() -> None:
    async with workbench_at(NARROW, requires="batch", notifications=True) as (app, pilot):
        await pilot.press("f3")
        assert not app.query("#constraint-editor")  # it is made when it is asked for
        await pilot.press("j", "enter", "z")
        assert editor_of(app).text.startswith("z{")
        assert app.state.ask.text == "batch"
        await pilot.press("ctrl+z")
        for size in (NARROW, NORMAL):
            await pilot.afresh(requires="gpu", size=size)
            await pilot.press("f3", "j", "enter")
            editor_of(app).move_cursor((0, 0))
            await pilot.burst(*"zz")
            await pilot.press("escape")
            assert json.loads(plain(app, "#constraint-json")) == GPU
            assert frame(app) == "not taken · enter goes on"
            await pilot.press("j", "f3", "f3", "j", "enter")
            assert editor_of(app).text.startswith("zz{")
            assert plain(app, "#constraint-trouble").startswith("line 1")
            assert app.state.ask.text == "gpu"
            await pilot.press("ctrl+z")
            assert json.loads(editor_of(app).text) == GPU
        # A change from elsewhere takes its place and says so.
        await pilot.afresh(requires="gpu", size=NORMAL)
        await pilot.press("f3", "j", "enter")
        editor_of(app).move_cursor((0, 0))
        await pilot.burst(*"zz")
        await pilot.press("escape")
        await pilot.put("batch")
        assert ["could not be read" in told for told in messages(app)] == [True]
        await pilot.press("f3")
        assert not frame(app).startswith("not taken")
        await pilot.press("ctrl+z")
        assert app.state.ask.text == "gpu"
        assert frame(app) == "not taken · enter goes on"
        await pilot.press("enter")
        assert editor_of(app).text.startswith("zz{")
        await pilot.press("ctrl+z")  # it was typed some time ago: back to the object at once
        assert json.loads(editor_of(app).text) == GPU
        assert app.state.ask.text == "gpu"


# The question


async def test_a_question_waits_for_who_left_it() -> None:
    async with workbench_at(NARROW) as (app, pilot):
        for size in (NARROW, NORMAL):
            await pilot.afresh(requires="gpu", size=size)
            await pilot.press("f3", "a")
            await pilot.burst(*"ss")
            prompt = app.query_one("#part-prompt", Prompt)
            await pilot.press("f6")
            assert app.focused is not prompt.entry
            assert prompt.display
            await pilot.press("f3")
            assert app.focused is prompt.entry
            await pilot.press("f6")
            app.go_to("explain")
            await pilot.settle()
            await pilot.press("a", "d", "enter")
            assert app.state.ask.text == "gpu&ssd"
        # Undo stays in it.
        await pilot.afresh()
        app.edit(EditRequires("gpu"))
        await pilot.press("f3", "a")
        await pilot.burst(*"ss")
        await pilot.press("ctrl+z")
        assert prompt.entry.value == "s"
        await pilot.press("ctrl+z", "ctrl+z", "ctrl+z")
        assert prompt.entry.value == ""
        assert prompt.display
        assert app.focused is prompt.entry
        assert app.state.ask.text == "gpu"
        await pilot.press("ctrl+r", "ctrl+r", "ctrl+r", "d", "enter")
        assert app.state.ask.text == "gpu&ssd"


# The way there and back


async def test_f3_goes_in_and_out() -> None:
    async with workbench_at(NARROW) as (app, pilot):
        pane = app.panes["explain"]
        for size in (NARROW, WIDE):
            await pilot.afresh(requires="gpu&-debug", size=size)
            await pilot.press("ctrl+t")
            await pilot.burst("f3", "home", "down", "d")
            assert app.state.ask.text == "-debug"
            assert app.focused is pane.view
            assert shown(pane.view)
            await pilot.burst("f3", *"|gpu")
            assert app.state.ask.text == "-debug|gpu"
            assert shown(pane) is (size is WIDE)
            app.go_to("map")
            await pilot.press("f3")
            assert app.focused is pane.view
            await pilot.press("f3")
            assert app.focused is app.ask_bar.entry
        # Undo selects what was edited.
        await pilot.afresh(requires="gpu&-debug|bigmem", size=NORMAL)
        await pilot.press("f3", "end")
        row = pane.view.row
        assert pane.view.lines[row].plain.endswith("bigmem")
        await pilot.press("d")
        assert app.state.ask.text == "gpu&-debug"
        left = pane.view.row
        await pilot.press("ctrl+z")
        assert pane.view.row == row
        await pilot.press("ctrl+r")
        assert pane.view.row == left


# How it looks


async def test_how_it_looks() -> None:
    async with workbench_at(WIDE, requires="(gpu|bigmem)&not (debug|ssd&batch)") as (app, pilot):
        await pilot.press("f3")
        tree, style = app.panes["explain"].view, app.palette

        def look(row: int) -> object:
            line = tree.lines[row]
            at = len("  alone  left") - 1  # the last digit
            return next(s.style for s in line.spans if s.start <= at < s.end)

        looks = [look(row) for row in range(len(tree.lines))]
        assert looks[:2] == [style.match] * 2
        assert looks[2:4] == [style.plain] * 2
        assert looks[4] == style.match
        assert set(looks[5:]) == {style.faint}
        # Guides are cut before words.
        text = "a"
        for number in range(14):
            text = f"z{number} ({text}|y)"
        await pilot.afresh(requires=text, size=NORMAL)
        await pilot.press("f3")
        lines = [line.plain for line in app.panes["explain"].view.lines]
        assert max(map(len, lines)) <= app.panes["explain"].view.size.width
        assert any("…" in line for line in lines)
        assert lines[-1].endswith("y")
