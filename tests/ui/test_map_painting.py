"""The map paints only what changed, and then is as if all of it had been drawn anew."""

from collections.abc import Sequence

import pytest

from fluxtui import workbench
from tests.ui.helpers import NARROW, NORMAL, cluster, done, press, settle
from tests.ui.test_painting import Painted, old_cells

ZOOMS = ["minus", "minus", "plus", "plus", "plus", "z", "enter", "z"]
ABOUT = ["right", "down", "n", "p", "space", "shift+down", "a", "escape", "end", "pageup"]
ASKING = ["o", "h", "c", "c", "o", "r", "c", "m", "g", "4", "enter"]


@pytest.mark.parametrize(("size", "nodes"), [(NARROW, 3_000), (NORMAL, 150)])
async def test_no_key_leaves_something_old(size: tuple[int, int], nodes: int) -> None:
    on = cluster(nodes, {"odd": ",".join(map(str, range(1, nodes, 2))), "few": "3-5,77,140"})
    app = Painted(workbench.start(on, "", "few"))
    app.animation_level = "none"
    async with app.run_test(size=size, notifications=False) as pilot:
        await settle(pilot)
        app.ask_bar.entry.cursor_blink = app.shape_bar.entry.cursor_blink = False
        app.bring("cluster")
        await done(pilot)
        app.begin()
        app.draw_anew()
        await settle(pilot)
        view = app.cluster_pane.map

        async def as_drawn_anew(what: str) -> None:
            assert await old_cells(app, pilot) == [], what

        for key in [*ABOUT, *ZOOMS, *ASKING, "minus", *ABOUT]:
            await press(pilot, key)
            await done(pilot)
            await as_drawn_anew(key)
        for zoom in view._find_layout()[0].zooms:
            view.zoom_to(zoom)
            for text in ("odd", "odd&-few", "few|", "", "few"):
                app.edit(workbench.EditRequires(text))
                await settle(pilot)
                await as_drawn_anew(f"{text} at {zoom}")


async def test_a_row_in_which_nothing_changes_is_not_painted() -> None:
    on = cluster(3_000, {"low": "0-99", "high": "2900-2999", "one": "2900"})
    app = Painted(workbench.start(on, "", "high"))
    async with app.run_test(size=NORMAL, notifications=False) as pilot:
        await settle(pilot)
        view = app.cluster_pane.map
        painted: list[int] = []
        refresh_rows = view.refresh_rows

        def told(rows: Sequence[int]) -> None:
            painted.extend(rows)
            refresh_rows(rows)

        view.refresh_rows = told  # type: ignore[method-assign]
        app.edit(workbench.EditRequires("high|low"))
        await settle(pilot)
        rows = {view.row_of(index) for index in range(100)}
        assert set(painted) == rows
        painted.clear()
        app.edit(workbench.EditRequires("high|low|one"))
        await settle(pilot)
        assert not painted
