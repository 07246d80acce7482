"""How wide the panes stand at the three sizes."""

import pytest

from fluxtui.ui.layout import BROWSE
from tests.ui.helpers import NARROW, NORMAL, SHAPE, WIDE, afresh, press, settle, workbench_at

FLUX = "# flux: --requires='gpu&-debug'"


async def test_wide_screens_leave_room() -> None:
    async with workbench_at(WIDE, shape=SHAPE, requires="gpu&-debug") as (app, pilot):
        # A line of a script fits into the text of a wide screen.
        panes = app.workspace.panes
        assert 48 <= panes["text"].region.width <= 56
        assert panes["jobspec"].region.width >= 30
        assert panes["cluster"].region.width >= 90
        app.bring("text")
        await settle(pilot)
        await press(pilot, "f4", "f4", "f4")
        assert any(FLUX in line.plain for line in app.text_pane.view.lines)  # in one piece
        # On a wide screen every pane has room for its lines.
        await afresh(app, pilot)
        panes = app.workspace.panes
        assert {name: pane.region.width for name, pane in panes.items() if name in BROWSE} == {
            "cluster": 90,
            "node": 30,
            "reading": 40,
            "properties": 35,
            "queues": 45,
        }
        assert panes["node"].region.height == panes["cluster"].region.height == 27
        assert {panes[name].region.height for name in BROWSE[2:]} == {16}
        # Two columns stand as two to three.
        await afresh(app, pilot, size=NORMAL)
        panes = app.workspace.panes
        assert panes["text"].region.width == panes["jobspec"].region.width == 48
        assert panes["cluster"].region.width == 72


@pytest.mark.parametrize(
    ("size", "rows", "room"), [((160, 28), 3, 2), ((160, 40), 5, 5), (WIDE, 7, 8)]
)
async def test_on_a_wide_screen_the_form_leaves_room_for_the_jobspec(
    size: tuple[int, int], rows: int, room: int
) -> None:
    async with workbench_at(size, shape=SHAPE) as (app, _):
        panes = app.workspace.panes
        assert panes["jobspec"].size.height == rows
        assert panes["room"].size.height == room
        assert panes["form"].size.height > panes["text"].size.height


async def test_what_is_typed_is_answered_in_sight_where_there_are_tabs() -> None:
    async with workbench_at(NARROW) as (app, pilot):
        # Where there are tabs one sees what becomes of what one types.
        steps = [
            (app.shape_bar, "", "node", "jobspec"),
            (app.ask_bar, "", "gpu", "cluster"),
            (app.ask_bar, "reading", "&-debug", "reading"),
            (app.shape_bar, "", "=2", "jobspec"),
            (app.shape_bar, "text", "/slot/core", "text"),
            (app.ask_bar, "room", "|login", "room"),
        ]
        for bar, brought, typed, front in steps:
            if brought:
                app.bring(brought)
                await settle(pilot)
            bar.entry.focus()
            await press(pilot, "end", *typed)
            assert (app.workspace.front, app.focused) == (front, bar.entry)
        assert (app.state.build.text, app.state.ask.text) == (
            "node=2/slot/core",
            "gpu&-debug|login",
        )
        # A constraint and a shape change with the YAML; the pane that it is typed in stays.
        await afresh(app, pilot, shape="node=2/slot/core=4", requires="gpu")
        app.bring("text")
        await settle(pilot)
        await press(pilot, "enter")
        editor = app.text_pane.editor
        assert editor is not None
        for word, letter in (("- gpu", "x"), ("count: 4", "0")):
            lines = editor.text.splitlines()
            row = next(n for n, line in enumerate(lines) if line.strip() == word)
            editor.move_cursor((row, len(lines[row])))
            await press(pilot, letter)
            assert (app.workspace.front, app.focused) == ("text", editor)
        assert app.ask_bar.entry.value == "gpux"
        assert app.shape_bar.entry.value == "node=2/slot/core=40"
