"""The last line: the keys in force, as many as there is room for, what matters most first."""

from collections.abc import Sequence

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.widgets import Footer
from textual.widgets._footer import FooterKey

GAP = 1  # the column after a key
EDGE = 2  # columns of the palette's key beside its words: the line at its left, one at its right


class KeyBar(Footer):
    """Shows whole keys alone, in their order, none of them behind that of the palette.

    lasting are the actions whose keys are shown as long as there is room for them, what matters
    most first. Those of others, such as of the widget with the focus, come after: its pane has them
    at its lower edge.
    """

    def __init__(self, lasting: Sequence[str]) -> None:
        super().__init__(compact=True)
        self._ranks = {name: rank for rank, name in enumerate(lasting)}
        self._composed: list[tuple[str, str, str, bool]] | None = None

    def compose(self) -> ComposeResult:
        """The keys, of which those are displayed that fit."""
        keys = list(super().compose())
        self._choose([key for key in keys if isinstance(key, FooterKey)])
        yield from keys

    async def recompose(self) -> None:
        """Show the keys in force anew where they are others: they are asked for at every turn."""
        keys = self._in_force()
        if keys != self._composed:
            self._composed = keys
            await super().recompose()

    def _in_force(self) -> list[tuple[str, str, str, bool]]:
        """Key, words and action of each binding that is shown, and whether it can be used now."""
        return [
            (active.binding.key, active.binding.description, active.binding.action, active.enabled)
            for active in self.screen.active_bindings.values()
            if active.binding.show
        ]

    def on_resize(self) -> None:
        """Show what there is room for now."""
        self._choose(list(self.query(FooterKey)))

    def _choose(self, keys: Sequence[FooterKey]) -> None:
        """Display as many of the keys as fit; a less important one never stands for another."""
        room = self.size.width or self.app.size.width
        others = [key for key in keys if not key.has_class("-command-palette")]
        room -= sum(_width(key) + EDGE for key in keys if key not in others)
        for key in sorted(others, key=lambda key: self._ranks.get(key.action, len(self._ranks))):
            room -= _width(key) + GAP
            key.display = room >= 0


def _width(key: FooterKey) -> int:
    """The columns that the words of a key take."""
    return cell_len(f"{key.key_display} {key.description}")
