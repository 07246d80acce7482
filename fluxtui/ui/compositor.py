"""Painting what changed: a key touches a few places that lie far apart on the screen."""

from collections.abc import Iterable

from textual._compositor import ChopsUpdate, Compositor
from textual.geometry import NULL_SPACING, Region
from textual.map_geometry import MapGeometry
from textual.scrollbar import ScrollBar
from textual.strip import Strip
from textual.widget import Widget

# Where a widget of an overlay comes in the order of drawing: it is the last one.
_OVER = ((1, 0, 0),)


class SparseCompositor(Compositor):
    """A compositor that asks only those widgets for their lines that have to be painted anew.

    Textual asks every widget within the rectangle around all that changed, which is nearly the
    whole screen where a line at the top and one at the bottom did.
    """

    def __init__(self) -> None:
        super().__init__()
        self._changed: frozenset[Region] = frozenset()

    def update_widgets(self, widgets: set[Widget]) -> None:
        """Note what of these widgets has to be painted anew.

        Of one that cannot be seen that is nothing. Textual takes it for one that is new, and finds
        out anew where each widget of the screen stands.
        """
        seen, known = self.visible_widgets, self._full_map
        super().update_widgets(
            {
                widget
                for widget in widgets
                if widget in seen or not (widget in known or isinstance(widget, ScrollBar))
            }
        )

    def put_over(self, widget: Widget, region: Region) -> None:
        """Have a widget that stands over all others in another place; nothing else moves for it.

        The layout has to find the same place for it when it is asked the next time.
        """
        widget._layout_updates += 1
        for ancestor in widget.ancestors:
            if isinstance(ancestor, Widget):
                ancestor._clear_arrangement_cache()
        size, screen = region.size, self.size.region
        found = MapGeometry(region, _OVER, screen, size, size, region, NULL_SPACING)
        for places in (self._full_map, self._visible_map):
            if places is not None:
                before = places.get(widget)
                places[widget] = found
                regions = (region, before.region) if before is not None else (region,)
                self._dirty_regions.update(r for r in map(screen.intersection, regions) if r)
        self.widgets.add(widget)
        widget._size_updated(size, size, size, layout=False)
        self._cuts = self._layers = self._layers_visible = self._visible_widgets = None

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
