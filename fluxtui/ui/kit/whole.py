"""Widgets that are made when they are first wanted, and are there with all their parts at once."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.widget import Widget

if TYPE_CHECKING:
    _Base = Widget
else:
    _Base = object


class Whole(_Base):
    """To be put before the class of a widget: it has its parts as soon as it is mounted whole.

    Textual mounts what a widget composes later, when that gets its turn. A key of the same read
    would come before: to a part that has the focus and stands in nothing, so that no key of what is
    around it works, or to one that is not there.
    """

    parts: Sequence[Widget] = ()

    def compose(self) -> ComposeResult:
        """The parts; those that are there already, Textual leaves as they are."""
        yield from self.parts

    def mount_parts(self) -> None:
        """Have the parts, and theirs, now."""
        self.mount(*self.parts)
        for part in self.parts:
            if isinstance(part, Whole):
                part.mount_parts()


def mount_whole(around: Widget, made: Whole, *, after: Widget | None = None) -> None:
    """Mount a widget with all its parts at once."""
    around.mount(made, after=after)
    made.mount_parts()
