"""What differs between two documents, as a list: to look at, to go to, to copy, to save."""

import json
from pathlib import Path

import pytest

from fluxtui.ui.dialogs.changes import ChangesDialog
from tests.ui.comparing import compare, glyphs, node, pair
from tests.ui.helpers import (
    NARROW,
    NORMAL,
    afresh,
    document,
    done,
    fill_dialog,
    messages,
    press,
    screen_text,
    workbench_at,
    write_document,
)


@pytest.fixture
def files(here: Path) -> list[str]:
    """Two documents in the folder that the program runs in."""
    return pair(here)


async def test_changes_are_listed_and_nodes_selected(files: list[str]) -> None:
    async with workbench_at() as (app, pilot):
        # The list.
        await compare(app, pilot, files)
        await press(pilot, "D")
        text = screen_text(app)
        assert "− a.json  8 nodes · 32 cores" in text
        assert "+ b.json  8 nodes · 32 cores" in text
        assert "+ 2 nodes  m[0-1]  8 cores · batch" in text
        assert "− 2 nodes  n[6-7]  8 cores · batch" in text
        assert "~  1 node  n2      gained property gpu" in text
        assert "~  1 node  n0      lost property gpu" in text
        assert "2 nodes added · 2 removed · 2 changed · 4 the same (matched by host name)" in text
        await press(pilot, "D")
        assert len(app.screen_stack) == 1
        # Enter selects the nodes where they are.
        await afresh(app, pilot)
        await compare(app, pilot, files)
        await press(pilot, "D", "down", "enter")
        assert app.state.cluster.source.name == "a.json"
        assert (app.state.cursor, app.state.selected) == (6, 0b11000000)
        assert app.focused is app.cluster_pane.map
        await press(pilot, "D", "down", "down", "enter")
        assert app.state.cluster.source.name == "b.json"
        assert (app.state.cursor, app.state.selected) == (2, 0b100)
        assert app.state.compared is not None
        # It can be turned round.
        await afresh(app, pilot)
        await compare(app, pilot, files)
        await press(pilot, "D", "r")
        await done(pilot)
        assert app.state.compared is not None
        assert app.state.compared.after.source.name == "a.json"
        assert glyphs(app) == "◪·◪···▽▽"
        assert app.state.cluster.source.name == "b.json"


async def test_many_changes_are_in_sight(files: list[str], here: Path) -> None:
    async with workbench_at(NARROW) as (app, pilot):
        # Many changes leave the sum in sight.
        many = {f"p{number}": f"{number % 8}" for number in range(50)}
        other = write_document(here / "c.json", document(8, many, "n[0-7]"))
        await afresh(app, pilot)
        await compare(app, pilot, [files[0], other])
        await press(pilot, "D", "end")
        text = screen_text(app)
        assert "gained property p49" in text
        assert "8 nodes changed (matched by host name)" in text
        assert "enter selects them" in text
        # What became of many scattered nodes is in sight.
        odd = ",".join(map(str, range(1, 4000, 2)))
        files = [
            write_document(here / f"{name}.json", document(4000, {prop: odd}, "node[0-3999]"))
            for name, prop in (("a", "here"), ("b", "there"))
        ]
        await afresh(app, pilot, size=NORMAL)
        await compare(app, pilot, files)
        await press(pilot, "D")
        (row,) = (line for line in screen_text(app).splitlines() if "lost property here" in line)
        assert "2,000 nodes  node[1,3,5,7,9" in row
        assert "…  lost property here" in row or "],...  lost property here" in row


async def test_it_is_copied_and_saved(files: list[str], here: Path) -> None:
    async with workbench_at() as (app, pilot):
        await compare(app, pilot, files)
        await press(pilot, "D", "ctrl+y")
        await done(pilot)
        assert app.clipboard.startswith(f"- {files[0]}  8 nodes, 32 cores\n")
        assert "\n+ 2 nodes  m[0-1]  8 cores · batch\n" in app.clipboard
        for name in ("changes.txt", "changes.json"):
            await press(pilot, "D", "ctrl+s")
            await fill_dialog(pilot, str(here / name))
        await done(pilot)
        assert (here / "changes.txt").read_text() == app.clipboard + "\n"
        found = json.loads((here / "changes.json").read_text())
        assert found["added"] == {"count": 2, "ranks": "6-7", "hosts": "m[0-1]"}


async def test_hostile_names_are_shown_as_they_are(files: list[str], here: Path) -> None:
    name = "[red]x\x1b[31m"
    other = write_document(here / "[b]c.json", document(8, {name: "0"}, "n[0-7]"))
    async with workbench_at() as (app, pilot):
        await compare(app, pilot, [files[0], other])
        assert "[b]c.json" in messages(app)[-1]
        assert "since a.json: " in node(app)
        assert "gained property [red]x\\x1b[31m" in node(app)
        await press(pilot, "D")
        assert isinstance(app.screen, ChangesDialog)
        assert "+ [b]c.json" in screen_text(app)
        assert "gained property [red]x\\x1b[31m" in screen_text(app)
