"""The documentation: its table of keys is made from the bindings, and the help has all of it."""

import re
import sys
from pathlib import Path
from types import ModuleType

import pytest
from rich.text import Text
from textual.app import ComposeResult

from fluxtui import docs, workbench
from fluxtui.notation.problem import printable
from fluxtui.ui import registry
from fluxtui.ui.actions import ACTIONS
from fluxtui.ui.app import FluxTUI
from fluxtui.ui.dialogs.commands import written_keys
from fluxtui.ui.kit.keys import bindings_of
from fluxtui.ui.kit.lines import LinesView
from fluxtui.ui.kit.pane import Pane
from fluxtui.ui.layout import ZONES, Tab
from tests.recorded import Agree
from tests.ui.helpers import NARROW, NORMAL, workbench_at
from tests.ui.seen import lacking, screen_text

FOLDER = Path(__file__).parents[2] / "fluxtui" / "docs"
SCREEN, CONTRIBUTING = FOLDER / "screen.md", FOLDER / "contributing.md"
BEGIN, END = "<!-- keys: made from the bindings -->\n", "<!-- /keys -->"


def told(keys: str, label: str) -> str:
    shown = " ".join(f"`{key}`" for key in keys.split()).replace("|", "\\|")
    return f"{shown} {label.lower()}"


async def table() -> str:
    everywhere = [told(written_keys(a.keys), a.label) for a in ACTIONS if a.keys]
    zones = [told(digit, title) for title, digit, _ in ZONES.values()]
    rows = [f"| everywhere | {' · '.join([*everywhere, *zones])} |"]
    async with workbench_at(NORMAL, shape="slot/core", requires="gpu") as (app, pilot):
        for name, pane in app.panes.items():
            await pilot.go(name)
            found = {
                binding.id: told(written_keys(binding.key), binding.description)
                for node in (pane, *pane.query("*"))
                for binding in bindings_of(node)
                if binding.description and not binding.key.isdecimal()
            }
            if found:
                rows.append(f"| {app.workspace.tabs[name].title} | {' · '.join(found.values())} |")
    return "\n".join(["| where | keys |", "|---|---|", *rows]) + "\n"


async def test_the_table_of_keys_is_that_of_the_bindings(agree: Agree) -> None:
    text = SCREEN.read_text("utf-8")
    before, rest = text.split(BEGIN)
    agree(SCREEN, before + BEGIN + await table() + END + rest.split(END)[1])


async def test_the_pane_of_the_documentation_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    section = CONTRIBUTING.read_text("utf-8").partition("## A new pane")[2]
    pane, row = re.findall(r"```python\n(.*?)```", section, flags=re.DOTALL)[:2]
    names = {
        "ComposeResult": ComposeResult,
        "LinesView": LinesView,
        "Pane": Pane,
        "Row": registry.Row,
        "State": workbench.State,
        "Tab": Tab,
        "Text": Text,
        "Workbench": FluxTUI,
        "printable": printable,
    }
    exec(pane, names)
    file = ModuleType("fluxtui.ui.nodes.hosts")
    file.__dict__.update(names)
    monkeypatch.setitem(sys.modules, file.__name__, file)
    exec(row.replace("\nRow(", "\nadded = Row("), names)
    monkeypatch.setattr(FluxTUI, "ROWS", (*registry.ROWS, names["added"]))
    async with workbench_at(NORMAL, requires="gpu&-debug") as (app, pilot):
        await pilot.go("hosts")
        assert not lacking(screen_text(app), "dunegpu[01-12,17-22]", "Hosts")


async def test_the_help_has_the_documentation() -> None:
    async with workbench_at(NORMAL) as (app, pilot):
        await pilot.press("escape", "question_mark", "tab", "tab")
        assert "Help: documentation" in screen_text(app)
        await pilot.burst(*"time bar", "enter")
        await pilot.done()
        assert not lacking(screen_text(app), "fluxtui docs live", "Snapshots and records")
        # It is the part that was picked, not the beginning.
        assert "What is free now" not in screen_text(app)
        await pilot.press("slash")
        await pilot.burst(*"limits of what is typed", "enter")
        await pilot.done()
        assert "65,536 characters" in screen_text(app)


async def test_the_documentation_is_shown_without_its_markup_and_uncut() -> None:
    for topic in docs.topics():
        marked = [one.first for one in topic.sections if re.search(r"]\(|`|\*\w", one.first)]
        assert not marked
    async with workbench_at(NARROW) as (app, pilot):
        await pilot.press("escape", "question_mark", "tab", "tab")
        await pilot.burst(*"what it opens", "enter")
        await pilot.done()
        assert not lacking(screen_text(app), "  # the Flux that runs here", "  # without FLUX_URI")
