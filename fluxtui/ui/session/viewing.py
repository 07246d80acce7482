"""The workbench with the views of the cluster and their keys in the palette."""

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from textual.app import SystemCommand

from fluxtui.bridge.chosen import THEME
from fluxtui.ui.core import Workbench
from fluxtui.ui.kit.workers import run_in_thread, start_worker

if TYPE_CHECKING:
    from fluxtui.bridge.chosen import Chosen

COLUMNS = "table columns"
CHOSEN = "chosen"


def warm_up_table() -> None:
    """Load what the table is drawn with, which the first frame does without."""
    import fluxtui.ui.nodes.cluster_table  # noqa: F401


def warm_up_graph() -> None:
    """Load what the graph is drawn with, so that the first look at it need not wait for that."""
    import fluxtui.ui.nodes.graph  # noqa: F401


class Viewing(Workbench):
    """Does by name what the keys do in the views, and keeps which columns the table has."""

    chosen: "Chosen | None" = (
        None  # what was chosen before; the program that a person starts has it
    )

    def on_mount(self) -> None:
        """Have the columns of the last time."""
        if self.chosen is not None:
            start_worker(self, CHOSEN, self._recall_columns, self.chosen)

    async def _recall_columns(self, chosen: "Chosen") -> None:
        names = await run_in_thread(partial(chosen.load, COLUMNS))
        if names:
            await run_in_thread(warm_up_table)
            self.views.table.listed.put_columns(names)

    def columns_chosen(self, names: tuple[str, ...]) -> None:
        """Keep the columns of the table."""
        self._keep_chosen(COLUMNS, names)

    def keep_theme(self, name: str | None) -> None:
        """Start in this theme from now on; None is no choice."""
        if name is not None:
            self._keep_chosen(THEME, (name,))

    def _keep_chosen(self, what: str, names: tuple[str, ...]) -> None:
        if self.chosen is not None:
            start_worker(self, CHOSEN, self._save_chosen, self.chosen, what, names)

    async def _save_chosen(self, chosen: "Chosen", what: str, names: tuple[str, ...]) -> None:
        await run_in_thread(partial(chosen.save, what, names))

    def view_commands(self) -> Iterable[SystemCommand]:
        """The views of the cluster, and what can be done in each, for the palette."""
        from fluxtui.ui.nodes.view_keys import VIEW_KEYS

        for name in VIEW_KEYS:
            show = partial(self.go_to, name)
            yield SystemCommand(f"Cluster: {name.title()}", f"Show the cluster as a {name}", show)
        for name, keys in VIEW_KEYS.items():
            for key in keys:
                if key.call:
                    label = f"{name.title()}: {key.label}  ({key.shown})"
                    help_text = f"In the {name} of the cluster: {key.help}"
                    yield SystemCommand(label, help_text, partial(self._in_view, name, key.call))

    def _in_view(self, name: str, call: tuple[str | int, ...]) -> None:
        """Show a view, go to it, and do something in it."""
        self.go_to(name)
        # What asks for something takes the focus: once the view has it.
        self.call_after_refresh(self.views.panes[name].do, *call)
