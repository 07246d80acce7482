"""Painting what changed: a key touches a few places that lie far apart on the screen."""

from collections.abc import Iterable

from textual._compositor import ChopsUpdate, Compositor
from textual.geometry import Region
from textual.strip import Strip


class SparseCompositor(Compositor):
    """A compositor that asks only those widgets for their lines that have to be painted anew.

    Textual asks every widget within the rectangle around all that changed, which is nearly the
    whole screen where a line at the top and one at the bottom did.
    """

    def __init__(self) -> None:
        super().__init__()
        self._changed: frozenset[Region] = frozenset()

    def render_partial_update(self) -> ChopsUpdate | None:
        """The regions that changed since the last time; None where none did."""
        self._changed = frozenset(self._dirty_regions)
        try:
            return super().render_partial_update()
        finally:
            self._changed = frozenset()

    def _get_renders(
        self, crop: Region | None = None
    ) -> Iterable[tuple[Region, Region, list[Strip]]]:
        """The lines of the widgets, from the top one to the bottom one, with where they stand."""
        if not self._changed:
            yield from super()._get_renders(crop)
            return
        for widget, (region, clip) in self.visible_widgets.items():
            seen = region.intersection(clip)
            if seen and any(map(seen.overlaps, self._changed)):
                yield region, clip, widget.render_lines(seen.translate(-region.offset))
