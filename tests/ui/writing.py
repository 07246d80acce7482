"""Filling in the form and pressing keys in the jobspec tree."""

from typing import Any

from textual.widgets import Tree

from fluxtui.model.jobspec import jobspec
from fluxtui.ui.app import FluxTUI
from tests.ui.helpers import Hands


def system(app: FluxTUI) -> dict[str, Any]:
    """The system attributes of the job."""
    return dict(jobspec.system(app.state.jobspec()))


async def fill(pilot: Hands, name: str, text: str) -> None:
    """Go down to a field of the form by keys, and put a text in place of its own."""
    wanted = f"field-{name.replace('_', '-')}"
    for _ in range(30):
        focused = pilot.app.focused
        if focused is not None and focused.id == wanted:
            break
        await pilot.press("down")
    else:
        raise AssertionError(f"{wanted} was not reached")
    await pilot.press("end")
    await pilot.burst(*["backspace"] * len(pilot.app.focused.value))  # type: ignore[union-attr]
    await pilot.burst(*text)


async def tree(pilot: Hands, *keys: str) -> None:
    """Keys pressed in the jobspec tree."""
    pilot.app.screen.query_one("#jobspec-tree", Tree).focus()
    await pilot.settle()
    await pilot.press(*keys)
