"""The workbench with the keys of the map in the palette."""

from collections.abc import Iterable
from functools import partial

from textual.app import SystemCommand

from fluxtui.ui.core import Workbench


class Mapping(Workbench):
    """Does by name what the keys do in the map of the cluster."""

    def map_commands(self) -> Iterable[SystemCommand]:
        """What can be done in the map, for the palette."""
        from fluxtui.ui.map_keys import MAP_KEYS

        for key in MAP_KEYS:
            if key.call:
                run = partial(self._in_map, key.call)
                help_text = f"In the map of the cluster: {key.help}"
                yield SystemCommand(f"Map: {key.label}  ({key.shown})", help_text, run)

    def _in_map(self, call: tuple[str, ...]) -> None:
        """Show the map, go to it, and do something in it."""
        pane = self.cluster_pane
        pane.show_view("map")
        self.bring("cluster")
        self.call_after_refresh(pane.mapped.do, *call)
