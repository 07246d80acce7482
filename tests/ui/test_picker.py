"""The dialog for picking: rows, filter, keys, and how it lies on the screen."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.widgets import Input

from fluxtui.ui.app import FluxTUI
from fluxtui.ui.kit.path import PathDialog
from fluxtui.ui.kit.picker import Item, Picker, RowKey
from tests.ui.helpers import NARROW, NORMAL, SHAPE, WIDE, Hands, workbench_at
from tests.ui.seen import lacking, screen_lines, screen_text

FRUIT = [
    Item("apple", "Apple", "green or red", right="^a", group="Trees"),
    Item("pear", "Pear", "sweet, like an apple", group="Trees"),
    Item("pine", "Pineapple", "prickly", group="Ground", words="ananas"),
    Item("melon", "Melon", "round", group="Ground", why_not="none is ripe"),
]


class Picking:
    """A picker over a workbench that runs, and what it ended with."""

    def __init__(self, app: FluxTUI, pilot: Hands) -> None:
        self.app, self.pilot = app, pilot
        self.ended: list[Any] = []

    async def open(self, picker: Picker[Any], *keys: str) -> Picker[Any]:
        while len(self.app.screen_stack) > 1:
            self.app.pop_screen()
            await self.pilot.settle()
        self.ended.clear()
        self.app.push_screen(picker, self.ended.append)
        await self.pilot.burst(*keys)
        return picker


@asynccontextmanager
async def picking_at(size: tuple[int, int] = NARROW) -> AsyncIterator[Picking]:
    async with workbench_at(size, shape=SHAPE) as (app, pilot):
        yield Picking(app, pilot)


async def test_rows_are_narrowed_and_picked() -> None:
    async with picking_at() as hands:
        pilot = hands.pilot
        # All rows, under their headings.
        await hands.open(Picker("Fruit", FRUIT, enter="eats"))
        shown = ("─ Fruit ─", "Trees", "Apple", "green or red", "^a", "none is ripe")
        assert not lacking(screen_text(hands.app), *shown, "enter eats · esc closes")
        # What is typed at once, before the dialog is there, is for it.
        for typed, found in (
            ("apple", ["Apple", "Pineapple", "Pear"]),  # its name; in the name; in the detail
            ("app tree", ["Apple", "Pear"]),
            ("ananas", ["Pineapple"]),
            ("x", []),
        ):
            picker = await hands.open(Picker("Fruit", FRUIT), *typed)
            assert picker.labels == found
            assert f"{len(found)} of 4" in screen_text(hands.app)
        assert "Nothing matches all of these words." in screen_text(hands.app)
        for keys, ended in (
            ([*"ananas", "enter"], ["pine"]),
            (["down", "enter", "enter", "x"], ["pear"]),
            (["end", "enter", "down", "enter"], []),  # a row that cannot be picked
            (["end", "enter", "home", "enter"], ["apple"]),
            (["escape"], [None]),
        ):
            await hands.open(Picker("Fruit", FRUIT), *keys)
            assert hands.ended == ended
        assert hands.app.state.build.text == SHAPE
        # The mouse: a row, a heading, the keys in the frame.
        await hands.open(Picker("Fruit", FRUIT))
        await pilot.click("#picker-rows", offset=(4, 0))
        assert hands.ended == []
        await pilot.click("#picker-rows", offset=(4, 2))
        assert hands.ended == ["pear"]
        await hands.open(Picker("Fruit", FRUIT, enter="eats"))
        row = next(y for y, line in enumerate(screen_lines(hands.app)) if "esc closes" in line)
        await pilot.click(offset=(screen_lines(hands.app)[row].index("esc closes") + 5, row))
        assert hands.ended == [None]


async def test_letters_and_numbers_pick_where_rows_have_them() -> None:
    letters = [Item(key, name, key=key) for key, name in (("a", "Ant"), ("b", "Bee"), ("c", "Cat"))]
    async with picking_at() as hands:
        # Numbers: one that may go on waits.
        numbered = [Item(n, f"Step {n}", key=str(n)) for n in range(1, 13)]
        for items, keys, ended in (
            (letters, ["b"], "b"),
            (numbered, ["7"], 7),
            (numbered, ["1", "2"], 12),
            (numbered, ["1", "enter"], 1),
        ):
            await hands.open(Picker("Steps", items), *keys)
            assert hands.ended == [ended]
        # A slash opens the filter, where letters are text; escape closes it first.
        picker = await hands.open(Picker("Animal", letters), "x", "/", *"c", "a")
        goes = (("", ["Cat"]), ("escape", ["Ant", "Bee", "Cat"]))
        await hands.pilot.steps(lambda: picker.labels, *goes)
        await hands.pilot.press("escape")
        assert hands.ended == [None]
        picker = await hands.open(Picker("Steps", numbered), *"step 1")
        assert picker.labels == ["Step 1", "Step 10", "Step 11", "Step 12"]
        # There may be more keys for a row, and other rows.
        done: list[object] = []
        picker = await hands.open(
            Picker("Fruit", FRUIT, keys=[RowKey("space", "washes", done.append)]), *"pin", "space"
        )
        assert done == ["pine"]
        assert picker.labels == ["Pineapple"]  # the key is no text
        assert "space washes" in screen_text(hands.app)
        await hands.pilot.burst(*["backspace"] * 3)
        picker.show_items(FRUIT[1:], at=1)
        await hands.pilot.settle()
        assert picker.item is FRUIT[2]
        picker = await hands.open(Picker("Fruit", keys=[RowKey("d", "drops", done.append)]), "d")
        assert done == ["pine", None]
        # Of what is typed into the filter, delete takes a character away.
        closes = RowKey("x,delete", "closes", done.append)
        picker = await hands.open(
            Picker("Fruit", FRUIT, keys=[closes]), "/", *"ppe", "home", "delete"
        )
        assert (done, picker.filter.value) == (["pine", None], "pe")
        await hands.pilot.burst("delete", "delete", "delete")
        assert len(done) == 3
        # Moving is told, with the row that it begins at.
        moves: list[object] = []
        await hands.open(Picker("Fruit", FRUIT, at=1, on_move=moves.append), "down")
        assert moves[-2:] == ["pear", "pine"]


@pytest.mark.parametrize("size", [(40, 12), NARROW, NORMAL, WIDE])
async def test_it_lies_whole_on_the_screen(size: tuple[int, int]) -> None:
    many = [Item(n, f"row {n}", "what it is " * 9, right=f"^{n}") for n in range(10_000)]
    async with picking_at(size) as hands:
        app = hands.app
        picker = await hands.open(Picker("Many", many), *"row 9 ", "pagedown", "pagedown")
        box = picker.query_one("#box").region
        assert box in app.screen.region
        assert "3439 of 10000" in screen_text(app)
        assert picker.item in picker.found
        assert any(f"▌{picker.item.label} " in line for line in screen_lines(app))
        await hands.pilot.press("ctrl+end", "enter")
        assert hands.ended == [9999] or hands.ended == [picker.found[-1].value]
        # Hostile words stand as they are.
        for words in ("[b]x[/b]", "[@click=app.quit]", "\\", "(?", "\x1b[31m"):
            picker = await hands.open(Picker(words, [Item(1, words, words, group=words)]))
            app.post_message(events.Paste(words))
            await hands.pilot.settle()
            assert all(c.isprintable() for c in "".join(screen_lines(app)))
            assert picker.filter.value in screen_text(app)


async def test_the_path_to_save_under_is_completed(here: Path) -> None:
    (here / "runs").mkdir()
    (here / "runs" / "mine.yaml").write_text("")
    async with picking_at() as hands:
        hands.app.push_screen(PathDialog("Save", "a note", "", ""), hands.ended.append)
        await hands.pilot.settle()
        field = hands.app.screen.query_one("#save-path", Input)
        for typed, value in (("ru", "runs/"), ("m", "runs/mine.yaml"), ("", "runs/mine.yaml")):
            await hands.pilot.burst(*typed)
            await hands.pilot.done()
            await hands.pilot.press("tab")
            assert field.value == value
        await hands.pilot.do("enter")
        assert "mine.yaml exists" in screen_text(hands.app)
        await hands.pilot.do("enter")
        assert hands.ended == ["runs/mine.yaml"]
