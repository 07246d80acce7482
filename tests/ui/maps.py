"""The map of the cluster in a pilot: go to it, press its keys, read it."""

from textual.content import Content

from fluxtui.ui.app import FluxTUI
from fluxtui.ui.nodes.node_map import NodeMap
from tests.ui.helpers import Hands


async def onto(app: FluxTUI, pilot: Hands) -> NodeMap:
    """Give the focus to the map."""
    app.go_to("map")
    await pilot.settle()
    assert app.focused is app.views.map.view
    return app.views.map.view


async def choose(pilot: Hands, key: str, text: str) -> None:
    """Press a key that asks, type what one wants until it is found, and take it."""
    await pilot.press(key)
    await pilot.done()
    await pilot.burst(*text, "enter")
    await pilot.done()


def legend(app: FluxTUI) -> str:
    """What stands in the lower edge of the pane."""
    return Content.from_markup(str(app.views.active.border_subtitle)).plain


def rows(view: NodeMap) -> list[str]:
    """The rows in sight, without what is blank."""
    lines = [view.render_line(y).text.rstrip() for y in range(view.size.height)]
    return [line for line in lines if line]
