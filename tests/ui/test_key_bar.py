"""The keys in the last line: whole ones alone, and the most important ones stay longest."""

import pytest

from tests.ui.helpers import press, screen_lines, settle, workbench_at

ALL = "F1 Help F2 View F3 Why F5 Queues F12 Form ^o Open ^s Save F10 Quit"


@pytest.mark.parametrize(
    ("width", "keys"),
    [
        (120, f"⏎ Choose {ALL}"),
        (80, ALL),
        (76, "F1 Help F2 View F3 Why F5 Queues F12 Form ^o Open F10 Quit"),
        (50, "F1 Help F2 View F3 Why F10 Quit"),
        (30, "F1 Help F10 Quit"),
    ],
)
async def test_where_there_is_less_room_the_less_important_go(width: int, keys: str) -> None:
    async with workbench_at((width, 24)) as (app, pilot):
        app.bring("properties")
        await settle(pilot)
        shown, _, palette = screen_lines(app)[-1].partition("▏")
        assert (shown.rstrip(), palette.strip()) == (keys, "^p palette")


async def test_the_keys_follow_the_width_and_the_focus() -> None:
    async with workbench_at((120, 24)) as (app, pilot):
        await press(pilot, "escape")
        assert screen_lines(app)[-1].startswith(f"{ALL}  ")
        await pilot.resize_terminal(60, 24)
        await settle(pilot)
        assert screen_lines(app)[-1].startswith("F1 Help F2 View F3 Why F5 Queues F10 Quit ")
        await pilot.resize_terminal(120, 24)
        app.bring("properties")
        await settle(pilot)
        assert screen_lines(app)[-1].startswith(f"⏎ Choose {ALL}  ")
