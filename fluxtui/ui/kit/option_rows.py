"""A list of options that can be of any size."""

from typing import Literal

from textual.widgets import OptionList


class OptionRows(OptionList):
    """Textual's list, which has no page to go to where there is no room for a line of it."""

    def _move_page(self, direction: Literal[-1, 1]) -> None:
        """Go a page on, where there are pages."""
        if self._lines:
            super()._move_page(direction)
