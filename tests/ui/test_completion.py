"""What an input suggests while a person types: when it opens, and what its keys do."""

from typing import Any

import pytest
from rich.cells import cell_len
from textual import events
from textual.geometry import Region, Size

from fluxtui.notation.problem import Completion, Span
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.kit.entry import InputHistory, matching_entries, unprompted
from fluxtui.ui.kit.popup import MOST_ROWS, Popup, place
from fluxtui.workbench import OpenCluster
from tests.each import for_each
from tests.ui.documents import cluster, demo
from tests.ui.helpers import NARROW, NORMAL, SHAPE, WIDE, Hands, running, workbench_at
from tests.ui.seen import column_of, lacking, screen_lines, screen_text

PROPERTIES = demo().resources.properties

# Which suggestions come unprompted, and which entries are found


@for_each(
    "text, cursor, offers, shown",
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
    assert [offer.text for offer in unprompted(text, cursor, given)] == shown


def test_found() -> None:
    entries = ["core gpu", "GPU", "gpu&core", "core"]
    assert matching_entries("", entries) == ["core", "gpu&core", "GPU", "core gpu"]
    assert matching_entries("GPU core", entries) == ["gpu&core", "core gpu"]


def popup(app: FluxTUI) -> Popup:
    return app.screen.query_one(Popup)


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


async def test_what_is_offered_is_told() -> None:
    async with workbench_at() as (app, pilot):
        # Properties come with their nodes, ranks with their hosts.
        for text, row, seen in (
            ("gpu&b", 0, "176 nodes  tab"),
            ("gpu&^b", 0, f"{196 - PROPERTIES['batch'].bit_count()} nodes  tab"),
            ("rank:16", -1, "167  dunegpu04"),
        ):
            await at_ask(pilot, *text)
            assert seen in drawn(app)[row]
        # A large cluster is counted beside the keys.
        names = {f"p{number}": "0-99999" for number in range(30)}
        await at_ask(pilot, "p", on=cluster(100_000, names))
        await pilot.do("2")
        assert drawn(app)[0].startswith("│p20  100,000 nodes")
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


@pytest.mark.parametrize("theme", ["dusk", "ansi-dark"])
async def test_what_is_chosen_is_told_by_a_sign_in_every_theme(theme: str) -> None:
    async with workbench_at(theme=theme) as (app, pilot):
        await pilot.burst(*"node/s", "down")
        assert [row[:5] for row in drawn(app)[:2]] == ["▌slot", "│sock"]


@pytest.mark.parametrize("size", [(20, 8), (12, 9), (9, 3)])
async def test_on_a_tiny_screen_it_takes_what_room_there_is(size: tuple[int, int]) -> None:
    async with workbench_at(size) as (app, pilot):
        for key in (*"node/s", "tab", *"gpu&b"):
            await pilot.press(key)
            if offered(app):
                region = popup(app).region
                assert app.screen.region.contains_region(region)
                bars = app.shape_bar, app.ask_bar, app.verdict_bar  # it never covers these
                assert not any(region.overlaps(one.region) for one in bars)


@for_each(
    "case, expected",
    [
        ((3, 20, 10, Region(0, 1, 80, 2), Size(80, 24)), Region(9, 3, 20, 3)),
        ((30, 20, 10, Region(0, 1, 80, 2), Size(80, 24)), Region(9, 3, 20, MOST_ROWS)),
        ((3, 20, 70, Region(0, 21, 80, 2), Size(80, 24)), Region(60, 18, 20, 3)),
        ((9, 20, 0, Region(0, 3, 80, 1), Size(80, 5)), Region(0, 0, 20, 3)),
        ((3, 90, 0, Region(0, 1, 80, 2), Size(80, 24)), Region(0, 3, 80, 3)),
        ((3, 20, 0, Region(0, 0, 80, 4), Size(80, 4)), None),
    ],
)
def test_place(case: tuple[int, int, int, Region, Size], expected: Region | None) -> None:
    assert place(*case) == expected


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
