"""What an input suggests while a person types: when it opens, and what its keys do."""

from typing import Any

import pytest
from rich.cells import cell_len
from textual import events
from textual.geometry import Region, Size
from textual.widget import Widget

from fluxtui.notation.problem import Completion, Span
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.kit.entry import LONG, InputHistory, found, unasked
from fluxtui.ui.kit.popup import MOST_ROWS, Popup, place
from fluxtui.workbench import OpenCluster
from tests.ui.documents import cluster, demo, xeons
from tests.ui.helpers import NARROW, NORMAL, SHAPE, WIDE, Hands, running, workbench_at
from tests.ui.seen import column_of, lacking, screen_lines, screen_text

PROPERTIES = demo().resources.properties

# Which suggestions come unasked, and which entries are found


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


def test_found() -> None:
    entries = ["core gpu", "GPU", "gpu&core", "core"]
    assert found("", entries) == ["core", "gpu&core", "GPU", "core gpu"]
    assert found("gpu core", entries) == ["gpu&core", "core gpu"]
    assert found("GPU", entries) == ["gpu&core", "core gpu"]


def popup(app: FluxTUI) -> Popup:
    return app.screen.query_one(Popup)


def answers(app: FluxTUI) -> tuple[Widget, ...]:
    """What the popup never covers."""
    return app.shape_bar, app.ask_bar, app.verdict_bar


def offered(app: FluxTUI) -> list[str]:
    return [row.text for row in popup(app).rows]


def chosen(app: FluxTUI) -> str | None:
    row = popup(app).chosen
    return None if row is None else popup(app).rows[row].text


def drawn(app: FluxTUI) -> list[str]:
    """The rows of the popup as they are drawn."""
    region = popup(app).region
    return [line[region.x : region.right] for line in screen_lines(app)[region.y : region.bottom]]


async def at_ask(pilot: Hands, *keys: str, **more: Any) -> None:
    """Type into the constraint of a fresh workbench."""
    await pilot.afresh(**more)
    await pilot.press("tab")
    await pilot.burst(*keys)


async def test_it_opens_and_stays_away() -> None:
    async with workbench_at() as (app, pilot):
        # A word begun opens it and the whole word closes it.
        assert offered(app) == []
        await pilot.steps(lambda: offered(app), ("s o", ["socket"]), ("c k e t", []))
        # A place where a word has to come opens it.
        await pilot.afresh()
        await pilot.burst(*"node/")
        assert {"slot", "core", "gpu"} <= set(offered(app))
        await pilot.burst(*"slot=")
        assert offered(app)[:2] == ["2", "2+"]
        await pilot.press("4")
        assert offered(app) == []
        # It stays away where all is said, from pastes, and from texts that come from elsewhere.
        for text in ["batch ", "batch&debug", "host:dune001", "(batch)"]:
            await at_ask(pilot, *text)
            assert offered(app) == []
        await pilot.afresh(shape="so", requires="g")
        await pilot.press("tab", "shift+tab", "home", "right")
        await pilot.put("b", "#shape-input")
        assert offered(app) == []
        # On request signs are offered too, and a blank text has suggestions.
        await pilot.afresh()
        await pilot.press("n", "backspace")
        assert offered(app) == []
        await pilot.press("ctrl+@")
        assert {"node", "slot"} <= set(offered(app))
        await pilot.burst("escape", *"node", "ctrl+space")
        assert {"/", "=", "{"} <= set(offered(app))
        await pilot.press("down", "enter")
        assert app.state.build.text in {"node/", "node=", "node{"}
        # A very long text is completed on request.
        await pilot.afresh()
        await pilot.put("gpu&" * (LONG // 4))
        await pilot.press("b")
        assert offered(app) == []
        await pilot.press("ctrl+@")
        assert offered(app)[0] == "batch"
        # Moving the cursor closes it, and so does undo.
        for key in ("left", "ctrl+z"):
            await pilot.afresh()
            await pilot.burst(*"so")
            await pilot.press(key)
            assert offered(app) == []


async def test_tab_takes_what_is_suggested_and_enter_what_is_chosen() -> None:
    async with workbench_at() as (app, pilot):
        # Enter does what it did without the list; tab takes the first row, then goes on.
        shape, ask = app.shape_bar.entry, app.ask_bar.entry
        await pilot.burst(*"so", "enter", *"gpu&-de", "tab")
        assert (shape.value, ask.value, app.focused) == ("so", "gpu&-debug", ask)
        await pilot.burst("tab")
        assert app.focused is not ask
        # A whole word need not go on, though others begin like it.
        await at_ask(pilot, *"ssd", on=cluster(4, {"ssd": "0", "ssd2": "1"}))
        assert offered(app) == ["ssd2"]
        assert "tab" not in drawn(app)[0]
        await pilot.burst("tab")
        assert app.state.ask.text == "ssd"
        assert app.focused is not ask
        # What is chosen is taken also when keys come in one burst.
        for key in ("enter", "tab"):
            await pilot.afresh()
            await pilot.burst(*"node/sl", "down", key, *"/core")
            assert (app.state.build.text, app.focused) == ("node/slot/core", shape)
        # Taking goes on where the next word comes, and is one step of undo.
        await at_ask(pilot, *"ho", "tab")
        assert app.state.ask.text == "host:"
        assert "dunegpu[01-24]" in offered(app)
        await pilot.burst(*"dunegpu0", "down", "enter")
        assert app.state.ask.text == "host:dunegpu[01-09]"
        assert app.state.ask.totals.nodes == 9
        await pilot.press("ctrl+z")
        assert app.state.ask.text == "host:dunegpu0"
        # The word around the cursor is replaced.
        await pilot.afresh()
        await pilot.put("node/core=4", "#shape-input")
        await pilot.press("home", *["right"] * 5, *["delete"] * 4, *"so", "down", "enter", "x")
        assert app.state.build.text == "node/socketx=4"
        # A field of the form suggests too; its arrows are the form's while nothing is open.
        await pilot.afresh(shape=SHAPE)
        await pilot.go("form")
        field = app.panes["form"].rows["queue"].target
        app.set_focus(field)
        await pilot.burst(*"de", "tab")
        assert field.value == "debug"
        await pilot.burst("down")
        assert offered(app) == []
        assert app.focused is not field


async def test_a_slot_may_have_what_the_nodes_of_the_cluster_have_inside() -> None:
    async with workbench_at(on=xeons()) as (app, pilot):
        await pilot.burst(*"slot/")
        assert offered(app) == ["node", "slot", "core", "gpu", "socket{x}", "numa{x}", "["]
        await pilot.burst(*"me")  # TreePool knows no memory
        assert offered(app) == []
        await pilot.burst("backspace", "backspace", *"nu")
        assert "numa{x}  8 on each node: 15 cores, 1 gpu" in drawn(app)[0]
        await pilot.press("tab")
        assert app.state.build.text == "slot/numa{x}"
        await pilot.go("tree")
        await pilot.press("down", "enter")
        await pilot.burst("ctrl+u", *"so")
        assert offered(app) == ["socket{x}"]


async def test_keys_move_in_it() -> None:
    async with workbench_at() as (app, pilot):
        await pilot.burst(*"node/")
        names = offered(app)
        assert len(names) > MOST_ROWS
        for keys, expected in (
            (["down"], 0),
            (["down", "ctrl+n"], 2),
            (["ctrl+p"], 1),
            (["up", "up"], None),
            (["down", "pagedown"], MOST_ROWS - 1),
            (["down"] * 50, -1),
            (["pageup"], -MOST_ROWS),
        ):
            await pilot.burst(*keys)
            assert chosen(app) == (None if expected is None else names[expected])
        assert len(app.screen_stack) == 1  # ctrl+p is the palette's where no list is open
        # Typing on chooses nothing again.
        await pilot.press("s")
        assert chosen(app) is None
        # Escape closes it until the next word.
        await pilot.afresh()
        await pilot.burst("s", "escape", "o")
        assert (offered(app), app.focused) == ([], app.shape_bar.entry)
        await pilot.burst(*"cket/c")
        assert "core" in offered(app)
        await pilot.press("escape", "escape")
        assert app.focused is not app.shape_bar.entry
        # Down opens it, what was closed and what nobody asked for, where there is any news.
        await pilot.afresh()
        await pilot.burst(*"no", "escape", "down")
        assert chosen(app) == "node"
        await pilot.burst("escape", "tab", *"batch", "home", "down")
        assert {"batch", "debug"} <= set(offered(app))
        await pilot.burst("escape", "end", "down")
        assert (offered(app), app.focused) == ([], app.ask_bar.entry)


async def test_what_is_offered_is_told() -> None:
    async with workbench_at() as (app, pilot):
        # Properties come with their nodes.
        await at_ask(pilot, *"gpu&b")
        assert offered(app)[:2] == ["batch", "bigmem"]
        rows = drawn(app)
        assert rows[0].rstrip().endswith("176 nodes  tab")
        assert column_of(rows[0], "nodes") == column_of(rows[1], "nodes")
        await pilot.press("backspace", "^", "b")
        assert f"{196 - PROPERTIES['batch'].bit_count()} nodes  tab" in drawn(app)[0]
        # Ranks come with their hosts.
        await at_ask(pilot, *"rank:16")
        assert "dune157" in drawn(app)[offered(app).index("160")]
        # JSON is written by choosing.
        await at_ask(pilot, "{", "down", "enter", *"deb", "down", "enter", *"]}")
        assert app.state.ask.text == '{"properties": ["debug"]}'
        # A large cluster is counted beside the keys.
        names = {f"p{number}": "0-99999" for number in range(30)}
        await at_ask(pilot, "p", on=cluster(100_000, names))
        await pilot.done()
        await pilot.press("2")
        assert offered(app)[0] == "p20"
        assert "100,000 nodes" in drawn(app)[0]
        # Odd names are shown as text.
        await at_ask(pilot, "x", on=cluster(2, {"[bold]x[/bold]": "0", "x\x1b[31m": "1"}))
        assert not lacking(screen_text(app), "[bold]x[/bold]", "x\\x1b[31m")
        # Another cluster closes it, and offers its own names; the history outlives it.
        await at_ask(pilot, *"b")
        await pilot.edit(OpenCluster(cluster(8, {"blue": "1-4"})))
        assert offered(app) == []
        await pilot.press("l")
        assert offered(app) == ["blue"]
        app.ask_bar.entry.history = InputHistory(lambda: ["blue|x"], lambda text: None)
        await pilot.press("up")
        await pilot.edit(OpenCluster(cluster(8)))
        assert offered(app) == ["blue|x"]


async def test_it_is_below_the_answers_at_its_word() -> None:
    async with workbench_at() as (app, pilot):
        for bar, text, word in ((app.shape_bar, "node/s", "slot"), (app.ask_bar, "gpu&b", "batch")):
            app.set_focus(bar.entry)
            await pilot.burst(*text)
            region, lines = popup(app).region, screen_lines(app)
            assert region.y == app.verdict_bar.region.bottom
            at = column_of(lines[bar.region.y], text) + len(text) - 1
            assert at == column_of(lines[region.y], word)
        # At the right edge it moves to the left.
        await pilot.afresh(size=NARROW)
        await pilot.put("node=4/slot=2/[core=8;gpu=2;storage=1;", "#shape-input")
        await pilot.press("s")
        assert popup(app).region.right == 80
        assert all(cell_len(row) == popup(app).region.width for row in drawn(app))
        # A text that is scrolled keeps it on the input; another size of the screen closes it.
        await pilot.afresh()
        await pilot.put("&".join(["gpu"] * 30) + "&", "#constraint-input")
        await pilot.press("b")
        assert app.ask_bar.entry.region.x - 1 <= popup(app).region.x < 80
        await pilot.resize_terminal(*NORMAL)
        assert offered(app) == []


@pytest.mark.parametrize("theme", ["dusk", "paper", "ansi-dark", "contrast"])
async def test_what_is_chosen_is_told_by_a_sign_in_every_theme(theme: str) -> None:
    async with workbench_at(theme=theme) as (app, pilot):
        await pilot.burst(*"node/s", "down")
        assert drawn(app)[0].startswith("▌slot")
        assert all(row.startswith("│") for row in drawn(app)[1:])


@pytest.mark.parametrize("size", [(20, 8), (12, 9), (40, 8), (9, 3)])
async def test_on_a_tiny_screen_it_takes_what_room_there_is(size: tuple[int, int]) -> None:
    async with workbench_at(size) as (app, pilot):
        for key in (*"node/s", "tab", *"gpu&b"):
            await pilot.press(key)
            for _ in range(2 if offered(app) else 0):
                region = popup(app).region
                assert app.screen.region.contains_region(region)
                assert not any(region.overlaps(one.region) for one in answers(app))
                await pilot.press("down")


def test_place() -> None:
    screen = Size(80, 24)
    assert place(3, 20, 10, Region(0, 1, 80, 2), screen) == Region(9, 3, 20, 3)
    assert place(30, 20, 10, Region(0, 1, 80, 2), screen) == Region(9, 3, 20, MOST_ROWS)
    assert place(3, 20, 70, Region(0, 21, 80, 2), screen) == Region(60, 18, 20, 3)
    assert place(9, 20, 0, Region(0, 3, 80, 1), Size(80, 5)) == Region(0, 0, 20, 3)
    assert place(3, 90, 0, Region(0, 1, 80, 2), screen) == Region(0, 3, 80, 3)
    assert place(3, 20, 0, Region(0, 0, 80, 4), Size(80, 4)) is None


async def test_the_mouse_and_the_frames() -> None:
    async with workbench_at() as (app, pilot):

        async def click(row: int) -> None:
            region = popup(app).region
            await pilot.click(offset=(region.x + 3, region.y + row))

        # A click takes a row, the wheel shows further ones, and a mark shows that there are more.
        await pilot.burst(*"node/")
        assert len(drawn(app)) == MOST_ROWS
        assert drawn(app)[0].endswith("▐")
        assert not drawn(app)[-1].endswith("▐")
        names, region = offered(app), popup(app).region
        popup(app).post_message(
            events.MouseScrollDown(
                popup(app), 3, 1, 0, 1, 0, False, False, False, region.x + 3, region.y + 1
            )
        )
        await pilot.settle()
        assert names[1] in drawn(app)[0]
        await click(0)
        assert app.state.build.text == f"node/{names[1]}"
        assert app.focused is app.shape_bar.entry
        # A key that changes no place lays nothing out.
        await pilot.afresh()
        await pilot.burst(*"node/s")
        where, laid_out = popup(app).region, []
        app.screen.screen_layout_refresh_signal.subscribe(app, laid_out.append, immediate=True)
        await pilot.press("down", "down", "up")
        assert popup(app).region == where
        assert laid_out == []


async def test_it_is_there_in_the_frame_of_the_key() -> None:
    async with workbench_at(WIDE, shape=SHAPE, painted=True) as (app, pilot):
        await pilot.press("tab")
        frames: list[tuple[str, list[str]]] = []
        display = app._display

        def watched(screen: object, update: object) -> None:
            display(screen, update)  # type: ignore[arg-type]
            frames.append((app.state.ask.text, offered(app)))

        app._display = watched  # type: ignore[method-assign,assignment]
        await pilot.burst("b")
        first = next(names for text, names in frames if text == "b")
        assert first[:2] == ["batch", "bigmem"]


async def test_nothing_of_it_is_there_in_the_first_frame() -> None:
    app = FluxTUI()
    async with running(app, size=NORMAL) as pilot:
        await pilot._wait_for_screen()
        assert not (app.screen.query(Popup) and popup(app).rows)
        await pilot.settle()
        assert len(app.screen.query(Popup)) == 1
