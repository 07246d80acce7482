"""The command palette."""

from textual.await_complete import AwaitComplete
from textual.command import CommandList, CommandPalette


class Commands(CommandPalette):
    """Textual's palette, whose list has no page to go to before it was laid out."""

    def dismiss(self, result: None = None) -> AwaitComplete:
        """End. Of two clicks beside it that arrive in one read the second ends nothing more."""
        return super().dismiss(result) if self.is_active else AwaitComplete()

    def _action_command_list(self, action: str) -> None:
        """Hand a key on to the list, once that is there."""
        if self.query_one(CommandList).scrollable_content_region:
            super()._action_command_list(action)
