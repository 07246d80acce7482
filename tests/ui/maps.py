"""The views of the cluster in a pilot: go to them, press their keys, read them."""

from textual.content import Content

from fluxtui.ui.app import FluxTUI
from fluxtui.ui.nodes.map_layout import Zoom
from fluxtui.ui.nodes.node_map import NodeMap
from fluxtui.ui.nodes.nodes_view import SelectableNodes
from tests.ui.helpers import Hands


async def onto(app: FluxTUI, pilot: Hands) -> NodeMap:
    """Give the focus to the map."""
    await pilot.go("map")
    assert app.focused is app.views.map.view
    return app.views.map.view


async def into(app: FluxTUI, pilot: Hands, view: str = "#node-map") -> SelectableNodes:
    """Give the focus to the map, with a cell for each node, or to the table."""
    await pilot.go(view.removeprefix("#node-"))
    widget = app.query_one(view, SelectableNodes)
    assert app.focused is widget
    if isinstance(widget, NodeMap):
        widget.zoom_to(Zoom("cells"))
        await pilot.settle()
    return widget


async def choose(pilot: Hands, key: str, text: str) -> None:
    """Press a key that asks, type what one wants until it is found, and take it."""
    await pilot.do(key)
    await pilot.burst(*text, "enter")
    await pilot.done()


def legend(app: FluxTUI) -> str:
    """What stands in the lower edge of the pane."""
    return Content.from_markup(str(app.views.active.border_subtitle)).plain


def rows(view: NodeMap) -> list[str]:
    """The rows in sight, without what is blank."""
    lines = [view.render_line(y).text.rstrip() for y in range(view.size.height)]
    return [line for line in lines if line]
