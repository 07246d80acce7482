"""The README's table of keys is made from the bindings."""

from pathlib import Path

from fluxtui.ui.actions import ACTIONS
from fluxtui.ui.dialogs.commands import commands_of, written_keys
from fluxtui.ui.layout import ZONES
from tests.recorded import Agree
from tests.ui.helpers import NORMAL, workbench_at

README = Path(__file__).parents[2] / "README.md"
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
            app.go_to(name)
            await pilot.settle()
            found = {
                command.id: told(command.keys, command.label)
                for node in (pane, *pane.query("*"))
                for command in commands_of(node, pane.title)
                if command.keys and not command.keys.isdecimal()
            }
            if found:
                rows.append(f"| {app.workspace.tabs[name].title} | {' · '.join(found.values())} |")
    return "\n".join(["| where | keys |", "|---|---|", *rows]) + "\n"


async def test_the_table_of_keys_is_that_of_the_bindings(agree: Agree) -> None:
    text = README.read_text("utf-8")
    before, rest = text.split(BEGIN)
    agree(README, before + BEGIN + await table() + END + rest.split(END)[1])
