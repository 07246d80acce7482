"""What an input offers, read off its popup."""

from textual.pilot import Pilot

from fluxtui.ui.app import FluxTUI
from fluxtui.ui.widgets.popup import Popup
from tests.ui.helpers import burst, press, screen_lines


def popup(app: FluxTUI) -> Popup:
    return app.screen.query_one(Popup)


def offered(app: FluxTUI) -> list[str]:
    """The texts that are offered now."""
    return [row.text for row in popup(app).rows]


def chosen(app: FluxTUI) -> str | None:
    row = popup(app).chosen
    return None if row is None else popup(app).rows[row].text


def drawn(app: FluxTUI) -> list[str]:
    """The rows of the popup as they are drawn."""
    region = popup(app).region
    return [line[region.x : region.right] for line in screen_lines(app)[region.y : region.bottom]]


async def at_ask(pilot: Pilot[None], *keys: str) -> None:
    """Type into the constraint."""
    await press(pilot, "tab")
    await burst(pilot, *keys)
