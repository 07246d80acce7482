"""What is typed right after the key that asks for a text is for that text, however fast."""

import pytest

from fluxtui.ui.kit.input import PlainInput
from tests.ui.helpers import NARROW, NORMAL, WIDE, workbench_at

SIZES = (NARROW, NORMAL, WIDE)

ASKS = {"map": ("slash",), "table": ("slash",), "graph": ("slash",), "properties": ("slash",)}


@pytest.mark.parametrize(
    ("where", "key"), [(where, key) for where, keys in ASKS.items() for key in keys]
)
async def test_a_burst_is_for_the_question(where: str, key: str) -> None:
    async with workbench_at() as (app, pilot):
        if where == "properties":
            home = app.panes["properties"].view
        else:
            app.go_to(where)
            home = app.views.view
        for _ in range(2):  # the first time, the question is made
            app.screen.set_focus(home)
            await pilot.settle()
            cursor = app.state.cursor
            await pilot.burst(key, *"1a/n")
            assert isinstance(app.focused, PlainInput)
            assert app.focused.value == "1a/n"
            assert (app.state.cursor, app.state.selected) == (cursor, 0)
            await pilot.press("escape")
            await pilot.until(lambda: app.focused is home)


async def test_a_burst_goes_where_its_first_key_leads() -> None:
    async with workbench_at(requires="gpu") as (app, pilot):
        # What is typed after the key of a list narrows it.
        app.screen.set_focus(app.views.map.view)
        await pilot.burst("c", *"gpus", "enter")
        await pilot.until(lambda: app.views.map.shown.colours.kind == "gpus")
        assert len(app.screen_stack) == 1
        # A burst after f12 is for the form.
        await pilot.afresh()
        keys = (*"node=2/slot/core=4", "f12", "down", "down", "down", "ctrl+u", *"per_slot=")
        await pilot.burst(*keys)
        rows = app.panes["form"].rows
        assert app.focused is rows["tasks"].target
        assert rows["tasks"].target.value == "per_slot="
        assert app.state.build.text == "node=2/slot/core=4"
        # A burst after enter is for the text.
        for size in SIZES:
            await pilot.afresh(shape="node=2/slot/core=4", size=size)
            if size == NARROW:
                await pilot.burst("f4", "enter", *"# slow")
            else:
                app.go_to("text")
                await pilot.burst("enter", *"# slow")
            assert app.panes["text"].editor is app.focused
            assert app.panes["text"].editor.text.startswith("# slow")
            assert app.state.build.text == "node=2/slot/core=4"
        # A burst after f5 is for the queues.
        await pilot.afresh(shape="node=2/slot/core=4", size=NORMAL)
        await pilot.burst("f5", "down", "enter")
        assert app.focused is app.panes["queues"].view
        names = [queue.name for queue in app.state.cluster.config.queues]  # type: ignore[union-attr]
        assert app.state.submission.queue == names[1]
        # A burst after f3 is for the object.
        await pilot.afresh(requires="gpu")
        await pilot.burst("f3", "j", "enter", *"s/")
        assert app.panes["explain"].json.editor.text.startswith("s/")
