"""The command palette."""

from textual.command import CommandList, CommandPalette
from textual.worker import Worker

from fluxtui.ui.kit.dialog import PassingScreen


class Commands(CommandPalette, PassingScreen[None]):
    """Textual's palette, which ends once, and looks for nothing before and after it is there.

    Textual 8.2.8 takes away the screen below it at a second click that arrives with the first,
    pages through a list that was not laid out yet, and goes on looking for what was typed into a
    list that is gone.
    """

    def _gather_commands(self, search_value: str) -> Worker[None] | None:  # type: ignore[override]
        """Look for commands."""
        return super()._gather_commands(search_value) if self.is_active else None

    def _action_command_list(self, action: str) -> None:
        """Hand a key on to the list, once that is there."""
        if self.query_one(CommandList).scrollable_content_region:
            super()._action_command_list(action)
