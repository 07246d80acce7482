"""What an input offers while a person types: when it opens, and what its keys do."""

import pytest

from fluxtui.notation.problem import Completion, Span
from fluxtui.ui.widgets.offers import LONG, unasked
from fluxtui.ui.widgets.popup import MOST_ROWS
from tests.ui.helpers import (
    afresh,
    burst,
    cluster,
    column_of,
    demo,
    done,
    press,
    put,
    screen_lines,
    workbench_at,
)
from tests.ui.offers import at_ask, chosen, drawn, offered

PROPERTIES = demo().resources.properties


# When it opens


async def test_it_opens_and_stays_away() -> None:
    async with workbench_at() as (app, pilot):
        # A word begun opens it and the whole word closes it.
        assert offered(app) == []
        await press(pilot, *"so")
        assert offered(app) == ["socket"]
        await press(pilot, *"cket")
        assert offered(app) == []
        assert app.state.build.text == "socket"
        # A place where a word has to come opens it.
        await afresh(app, pilot)
        await burst(pilot, *"node/")
        assert {"slot", "core", "gpu"} <= set(offered(app))
        await burst(pilot, *"slot=")
        assert offered(app)[:2] == ["2", "2+"]
        await press(pilot, "4")
        assert offered(app) == []
        # It stays away where all is said.
        for text in ["batch", "batch ", "batch&debug", "host:dune001", "(batch)"]:
            await afresh(app, pilot)
            await at_ask(pilot, *text)
            assert offered(app) == []
        # Nothing is offered without typing.
        await afresh(app, pilot, shape="so", requires="g")
        assert offered(app) == []
        await press(pilot, "tab", "shift+tab", "home", "right")
        assert offered(app) == []
        await put(pilot, "b", "#shape-input")  # a paste
        assert offered(app) == []
        # A blank text offers nothing until asked.
        await afresh(app, pilot)
        await press(pilot, "n", "backspace")
        assert offered(app) == []
        await press(pilot, "ctrl+@")
        assert {"node", "slot"} <= set(offered(app))
        # On request signs are offered too.
        await afresh(app, pilot)
        await burst(pilot, *"node")
        assert offered(app) == []
        await press(pilot, "ctrl+space")
        assert {"/", "=", "{"} <= set(offered(app))
        await press(pilot, "down", "enter")
        assert app.state.build.text in {"node/", "node=", "node{"}
        # A very long text is completed on request.
        await afresh(app, pilot)
        await put(pilot, "gpu&" * (LONG // 4))
        await press(pilot, "b")
        assert offered(app) == []
        await press(pilot, "ctrl+@")
        assert offered(app)[0] == "batch"
        # Moving the cursor closes it.
        await afresh(app, pilot)
        await burst(pilot, *"so")
        await press(pilot, "left")
        assert offered(app) == []
        # Undo and texts from elsewhere close it.
        await afresh(app, pilot)
        await burst(pilot, *"so")
        await press(pilot, "ctrl+z")
        assert offered(app) == []
        assert app.state.build.text == ""


# What its keys do


async def test_keys_choose_and_take() -> None:
    async with workbench_at() as (app, pilot):
        # Nothing is chosen so enter and tab do what they did.
        await burst(pilot, *"so", "enter", *"gp", "tab")
        assert (app.state.build.text, app.state.ask.text) == ("so", "gp")
        assert app.focused is not None
        assert app.focused.id not in ("shape-input", "constraint-input")
        assert offered(app) == []
        # What is chosen is taken also when keys come in one burst.
        for key in ["enter", "tab"]:
            await afresh(app, pilot)
            await burst(pilot, *"node/sl", "down", key, *"/core")
            assert app.state.build.text == "node/slot/core"
            assert app.focused is app.shape_bar.entry
        # Taking goes on where the next word comes.
        await afresh(app, pilot)
        await at_ask(pilot, *"ho")
        await press(pilot, "down", "enter")
        assert app.state.ask.text == "host:"
        assert "dunegpu[01-24]" in offered(app)
        assert chosen(app) is None
        await burst(pilot, *"dunegpu0", "down", "enter")
        assert app.state.ask.text == "host:dunegpu[01-09]"
        assert app.state.ask.totals.nodes == 9
        assert offered(app) == []
        # Up and down.
        await afresh(app, pilot)
        await burst(pilot, *"node/")
        names = offered(app)
        assert len(names) > MOST_ROWS
        await press(pilot, "down")
        assert chosen(app) == names[0]
        await press(pilot, "down", "down")
        assert chosen(app) == names[2]
        await press(pilot, "up")
        assert chosen(app) == names[1]
        await press(pilot, "up", "up")
        assert chosen(app) is None
        await press(pilot, "down", "pagedown")
        assert chosen(app) == names[MOST_ROWS - 1]
        await burst(pilot, *["down"] * 50)
        assert chosen(app) == names[-1]
        assert names[-1] in drawn(app)[-1]
        await press(pilot, "pageup")
        assert chosen(app) == names[-MOST_ROWS]
        # Typing on chooses nothing again.
        await afresh(app, pilot)
        await burst(pilot, "s", "down")
        assert chosen(app) is not None
        await press(pilot, "l")
        assert offered(app) == ["slot"]
        assert chosen(app) is None
        # Escape closes it until the next word.
        await afresh(app, pilot)
        await burst(pilot, "s", "escape")
        assert offered(app) == []
        assert app.focused is app.shape_bar.entry
        await press(pilot, "o")
        assert offered(app) == []
        await burst(pilot, *"cket/c")
        assert "core" in offered(app)
        await press(pilot, "escape", "ctrl+@")
        assert "core" in offered(app)
        await press(pilot, "escape", "escape")
        assert app.focused is not app.shape_bar.entry


async def test_it_is_opened_by_down() -> None:
    async with workbench_at() as (app, pilot):
        # Down opens what was closed.
        await press(pilot, "ctrl+u", "ctrl+space", "escape", "ctrl+n", *"no")
        assert offered(app) == []
        await press(pilot, "down")
        assert offered(app)[0] == "node"
        assert chosen(app) == "node"
        await press(pilot, "enter")
        assert app.state.build.text == "node"
        assert app.focused is app.shape_bar.entry
        # Down opens what nobody asked for.
        await afresh(app, pilot)
        await press(pilot, "down")
        assert {"node", "slot"} <= set(offered(app))
        await burst(pilot, "escape", "tab", *"batch", "home", "down")
        assert {"batch", "debug"} <= set(offered(app))
        # Down does nothing where there is nothing.
        await afresh(app, pilot)
        await at_ask(pilot, *"batch")
        await press(pilot, "down")
        assert offered(app) == []  # the word that stands there is no news
        await press(pilot, *"es", "down")
        assert offered(app) == []
        assert app.focused is app.ask_bar.entry
        # Taking one is one step of undo.
        await afresh(app, pilot)
        await burst(pilot, *"node/so", "down", "enter")
        assert app.state.build.text == "node/socket"
        await press(pilot, "ctrl+z")
        assert app.state.build.text == "node/so"
        # The word around the cursor is replaced.
        await afresh(app, pilot)
        await put(pilot, "node/core=4", "#shape-input")
        await press(pilot, "home", *["right"] * 5, *["delete"] * 4, *"so")
        assert app.state.build.text == "node/so=4"
        await press(pilot, "down", "enter", "x")
        assert app.state.build.text == "node/socketx=4"


# What is offered


async def test_what_is_offered_is_told() -> None:
    async with workbench_at() as (app, pilot):
        # Properties come with their nodes.
        await at_ask(pilot, *"gpu&b")
        assert offered(app)[:2] == ["batch", "bigmem"]
        rows = drawn(app)
        assert rows[0].rstrip().endswith("176 nodes")
        assert column_of(rows[0], "nodes") == column_of(rows[1], "nodes")
        await press(pilot, "backspace", "^", "b")
        assert offered(app)[0] == "^batch"
        assert drawn(app)[0].rstrip().endswith(f"{196 - PROPERTIES['batch'].bit_count()} nodes")
        # Ranks come with their hosts.
        await afresh(app, pilot)
        await at_ask(pilot, *"rank:16")
        assert "dune157" in drawn(app)[offered(app).index("160")]
        # Json is written by choosing.
        await afresh(app, pilot)
        await at_ask(pilot, "{")
        assert offered(app)[0] == '"properties": ["'
        await press(pilot, "down", "enter")
        await burst(pilot, *"deb", "down", "enter", *"]}")
        assert app.state.ask.text == '{"properties": ["debug"]}'
        assert app.state.ask.totals.nodes == PROPERTIES["debug"].bit_count()
        # Another cluster offers its own names.
        await afresh(app, pilot, on=cluster(3, {"tape": "0-1"}, hosts="x[1-3]"))
        await at_ask(pilot, "t")
        assert offered(app) == ["tape"]
        await press(pilot, "backspace", *"host:")
        assert offered(app) == ["x[1-3]", "x1", "x2", "x3"]
        # A large cluster is counted beside the keys.
        names = {f"p{number}": "0-99999" for number in range(30)}
        await afresh(app, pilot, on=cluster(100_000, names))
        await at_ask(pilot, "p")
        await done(pilot)
        await press(pilot, "2")
        assert offered(app)[0] == "p20"
        assert "100,000 nodes" in drawn(app)[0]
        # Odd names are shown as text.
        odd = {"[bold]x[/bold]": "0", "x\x1b[31m": "1"}
        await afresh(app, pilot, on=cluster(2, odd))
        await at_ask(pilot, "x")
        shown = "\n".join(screen_lines(app))
        assert "[bold]x[/bold]" in shown
        assert "x\\x1b[31m" in shown
        assert "\x1b" not in shown


# Which offers come unasked


@pytest.mark.parametrize(
    ("text", "cursor", "offers", "shown"),
    [
        ("ab", 2, [("abc", 0, 2), ("/", 2, 2)], ["abc"]),
        ("abc", 3, [("abc", 0, 3), ("/", 3, 3)], []),
        ("abc", 3, [("/", 3, 3)], []),
        ("a/", 2, [("b", 2, 2), ("[", 2, 2)], ["b", "["]),
        ("a and ", 6, [("b", 6, 6)], ["b"]),
        ("band ", 5, [("b", 5, 5)], []),
        ("a/ ", 3, [("b", 3, 3)], ["b"]),
        ("a/b", 2, [("c", 2, 3)], ["c"]),
    ],
)
def test_unasked(
    text: str, cursor: int, offers: list[tuple[str, int, int]], shown: list[str]
) -> None:
    given = [Completion(word, Span(start, end), "") for word, start, end in offers]
    assert [offer.text for offer in unasked(text, cursor, given)] == shown
