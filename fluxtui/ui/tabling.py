"""The workbench with the table's keys in the palette, and its columns kept from run to run."""

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from textual.app import SystemCommand

from fluxtui.ui.background import in_background
from fluxtui.ui.core import Workbench

if TYPE_CHECKING:
    from fluxtui.bridge.chosen import Chosen

COLUMNS = "table columns"
CHOSEN = "chosen"


def warm_up() -> None:
    """Load what the table is drawn with, which the first frame does without."""
    import fluxtui.ui.widgets.cluster_table  # noqa: F401


class Tabling(Workbench):
    """Does by name what the keys do in the table, and keeps which columns it has."""

    chosen: "Chosen | None" = (
        None  # what was chosen before; the program that a person starts has it
    )

    def on_mount(self) -> None:
        """Have the columns of the last time."""
        if self.chosen is not None:
            self.cluster_pane.on_columns = self._keep_columns
            self.run_worker(self._recall_columns(self.chosen), group=CHOSEN)

    async def _recall_columns(self, chosen: "Chosen") -> None:
        names = await in_background(partial(chosen.load, COLUMNS))
        if names:
            await in_background(warm_up)
            self.cluster_pane.listed.put_columns(names)

    def _keep_columns(self, names: tuple[str, ...]) -> None:
        if self.chosen is not None:
            self.run_worker(self._save_columns(self.chosen, names), group=CHOSEN)

    async def _save_columns(self, chosen: "Chosen", names: tuple[str, ...]) -> None:
        await in_background(partial(chosen.save, COLUMNS, names))

    def table_commands(self) -> Iterable[SystemCommand]:
        """What can be done in the table, for the palette."""
        from fluxtui.ui.table_keys import TABLE_KEYS

        for key in TABLE_KEYS:
            if key.action:
                run = partial(self._in_table, key.action)
                help_text = f"In the table of the cluster: {key.help}"
                yield SystemCommand(f"Table: {key.label}  ({key.shown})", help_text, run)

    def _in_table(self, action: str) -> None:
        """Show the table, and do something in it."""
        self.cluster_pane.show_view("table")
        self.bring("cluster")
        # What asks for something takes the focus: once the table has it.
        self.call_after_refresh(getattr(self.cluster_pane.listed, f"action_{action}"))
