"""What is typed is in sight: the cursor is seen after each key, in all that takes text."""

import pytest
from textual.widgets import Input, TextArea

from fluxtui.ui.app import FluxTUI
from fluxtui.workbench import EditRequires, EditShape
from tests.ui.helpers import NARROW, REQUIRES, SHAPE, WIDE, Hands, screen_text, workbench_at

SMALL, SHORT, FLAT = (40, 12), (120, 20), (200, 12)  # beside those that a person would choose

# Wherever it is typed some of it is wrong, and lines of words come and go beside the text.
WRONG = ("(", "²x[{", "gpu&-(", "x" * 60, "\b\b\b")

# The keys that lead to a place for text, from a view of the cluster or from a pane.
PLACES = {
    "shape": (),
    "requires": (),
    "map": ("slash",),
    "table": ("slash",),
    "graph": ("slash",),
    "properties": ("slash",),
    "tree": ("down", "enter"),
    "explain": ("a",),
    "explain as JSON": ("j", "enter"),
    "text": ("enter",),
    "node": ("ctrl+o",),
    "fit": ("ctrl+s",),
    "queues": ("ctrl+p",),
}


def assert_in_sight(app: FluxTUI, after: object) -> None:
    """The cursor of what has the focus is on the screen, and nothing lies over it."""
    focused = app.focused
    assert isinstance(focused, Input | TextArea), (focused, after)
    x, y = focused.cursor_screen_offset
    x = min(x, focused.content_region.right - 1)  # Textual 8.2.8 tells one more at the end
    seen, _ = app.screen.get_widget_at(x, y)
    assert seen is focused, (focused, (x, y), seen, after)


async def type_wrongly(app: FluxTUI, pilot: Hands) -> None:
    for text in WRONG:
        await pilot.burst(*(key.replace("\b", "backspace") for key in text))
        assert_in_sight(app, text)


@pytest.mark.parametrize("size", [SMALL, SHORT, FLAT])
async def test_in_every_field_of_the_form(size: tuple[int, int]) -> None:
    async with workbench_at(size, shape=SHAPE) as (app, pilot):
        await pilot.press("f12")
        for row in app.panes["form"].rows.values():
            assert app.focused is row.target
            if not row.field.multiline:
                await pilot.press("(", "²")
                assert_in_sight(app, row.field.name)
            await pilot.press("down")


@pytest.mark.parametrize("size", [SMALL, FLAT, WIDE])
async def test_in_every_bar_pane_and_dialog(size: tuple[int, int]) -> None:
    async with workbench_at(size, shape=SHAPE, requires=REQUIRES) as (app, pilot):
        for place, keys in PLACES.items():
            name = place.split()[0]
            if name in ("shape", "requires"):
                bar = app.shape_bar if name == "shape" else app.ask_bar
                app.screen.set_focus(bar.entry)
            else:
                app.go_to(name)
            await pilot.settle()
            await pilot.press(*keys)
            assert_in_sight(app, place)
            await type_wrongly(app, pilot)
            await pilot.press("escape", "escape")
            while len(app.screen_stack) > 1:
                app.screen.dismiss()
                await pilot.settle()
            app.edit(EditShape(SHAPE))
            app.edit(EditRequires(REQUIRES))


@pytest.mark.parametrize("name", ["environment", "shell-options", "user"])
@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_the_end_of_what_came_at_once(size: tuple[int, int], name: str) -> None:
    async with workbench_at(size, shape="node=2/slot/core=4") as (app, pilot):
        await pilot.do("f12")
        app.query_one(f"#field-{name}").focus()
        options = " ".join(f"{name}-{number}=long" for number in range(9))
        await pilot.paste(f"{options} last=end")  # "10 options" takes of its columns
        await pilot.done()
        assert "last=end" in screen_text(app)
