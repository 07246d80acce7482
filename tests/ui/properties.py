"""The Properties pane in a pilot: go to a property, read what is said of it."""

from fluxtui.ui.app import FluxTUI
from tests.ui.helpers import Hands, plain

SIGNS = {"✓": "required", "-": "excluded", "|": "either", "±": "both"}


async def into(app: FluxTUI, pilot: Hands, name: str | None = None) -> None:
    """Give the focus to the list, with the cursor on a property; what it finds out is found."""
    app.go_to("properties")
    await found_out(app, pilot)
    if name is not None:
        await pilot.press("home", *["down"] * names(app).index(name))
    await pilot.settle()


async def found_out(app: FluxTUI, pilot: Hands) -> None:
    """Wait until what is worked out of the properties in the background is shown."""
    await pilot.settle()
    await pilot.until(lambda: not any("property" in w.group for w in app.workers if w.is_running))


def lines(app: FluxTUI) -> list[str]:
    """The rows of the list."""
    return plain(app, "#properties").splitlines()


def names(app: FluxTUI) -> list[str]:
    """The properties that are listed, in order."""
    return [line[2:].split()[0] for line in lines(app)]


def signs(app: FluxTUI) -> dict[str, str]:
    """What the constraint asks of each property that has a sign."""
    found = {line[2:].split()[0]: line[0] for line in lines(app)}
    return {name: SIGNS[sign] for name, sign in found.items() if sign != " "}


def said(app: FluxTUI) -> str:
    """What is said of the property with the cursor, in one line."""
    return " ".join(plain(app, "#property-details").split())


def title(app: FluxTUI) -> str:
    """The upper edge of the frame."""
    return str(app.panes["properties"]._border_title)


def frame(app: FluxTUI) -> str:
    """The lower edge of the frame."""
    return str(app.panes["properties"]._border_subtitle or "")
