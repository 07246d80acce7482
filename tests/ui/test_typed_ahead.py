"""What is typed right after the key that asks for a text is for that text, however fast."""

import pytest

from fluxtui.ui.widgets.plain_input import PlainInput
from tests.ui.helpers import burst, press, settle, until, workbench_at

ASKS = {"map": ("slash", "g"), "table": ("slash",), "graph": ("slash",), "properties": ("slash",)}


@pytest.mark.parametrize(
    ("where", "key"), [(where, key) for where, keys in ASKS.items() for key in keys]
)
async def test_a_burst_is_for_the_question(where: str, key: str) -> None:
    async with workbench_at() as (app, pilot):
        if where == "properties":
            home = app.properties_pane.view
        else:
            app.cluster_pane.show_view(where)
            home = app.cluster_pane.view
        for _ in range(2):  # the first time, the question is made
            app.screen.set_focus(home)
            await settle(pilot)
            cursor = app.state.cursor
            await burst(pilot, key, *"1a/n")
            assert isinstance(app.focused, PlainInput)
            assert app.focused.value == "1a/n"
            assert (app.state.cursor, app.state.selected) == (cursor, 0)
            await press(pilot, "escape")
            await until(pilot, lambda: app.focused is home)


async def test_a_letter_after_the_key_of_a_choice_takes_it() -> None:
    async with workbench_at(requires="gpu") as (app, pilot):
        app.screen.set_focus(app.cluster_pane.map)
        await burst(pilot, "c", "g")
        await until(pilot, lambda: app.cluster_pane.mapped.shown.colour.kind == "gpus")
        assert len(app.screen_stack) == 1
