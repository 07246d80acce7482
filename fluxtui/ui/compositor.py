"""Painting what changed: a key touches a few places that lie far apart on the screen."""

from collections.abc import Iterable, Iterator, Sequence

from textual._compositor import ChopsUpdate, Compositor
from textual.geometry import NULL_SPACING, Region
from textual.map_geometry import MapGeometry
from textual.scrollbar import ScrollBar
from textual.strip import Strip
from textual.widget import Widget

# Where a widget of an overlay comes in the order of drawing: it is the last one.
_OVER = ((1, 0, 0),)


class SparseCompositor(Compositor):
    """A compositor that asks the widgets only for those lines that have to be painted anew.

    Textual asks every widget within the rectangle around all that changed, which is nearly the
    whole screen where a line at the top and one at the bottom did; what contains others, too.
    """

    def __init__(self) -> None:
        super().__init__()
        self._unpainted: dict[int, list[tuple[int, int]]] = {}  # columns by row, while it renders

    def update_widgets(self, widgets: set[Widget]) -> None:
        """Note what of these widgets has to be painted anew.

        Of one that cannot be seen that is nothing. Textual takes it for one that is new, and finds
        out anew where each widget of the screen stands.
        """
        seen, known = self.visible_widgets, self._full_map

        def is_new(widget: Widget) -> bool:
            return not (widget in known or isinstance(widget, ScrollBar)) and _is_displayed(widget)

        super().update_widgets({widget for widget in widgets if widget in seen or is_new(widget)})

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
        """Render the regions that changed since the last time; None where none did."""
        for row, start, stop in self._regions_to_spans(self._dirty_regions):
            self._unpainted.setdefault(row, []).append((start, stop))
        try:
            return super().render_partial_update()
        finally:
            self._unpainted.clear()

    def _get_renders(
        self, crop: Region | None = None
    ) -> Iterable[tuple[Region, Region, list[Strip]]]:
        """The lines of the widgets, from the top one to the bottom one, with where they stand.

        Of each widget it is the lines in which something changed that nothing above it covers.
        """
        if not self._unpainted:
            yield from super()._get_renders(crop)
            return
        for widget, (region, clip) in self.visible_widgets.items():
            seen = region.intersection(clip)
            rows = self._paint(seen) if seen else []
            if not rows:
                continue
            first = rows[0]
            part = Region(seen.x, first, seen.width, rows[-1] - first + 1)
            strips = widget.render_lines(part.translate(-region.offset))
            for start, stop in _runs(rows):
                block = Region(seen.x, start, seen.width, stop - start)
                yield block, clip, strips[start - first : stop - first]
            if not self._unpainted:
                return

    def _paint(self, seen: Region) -> list[int]:
        """The rows of a region in which something is to be painted, which it is then no more.

        They come in order, as the spans did of which they are made.
        """
        left, top, right, bottom = seen.corners
        rows = []
        for row in [row for row in self._unpainted if top <= row < bottom]:
            spans = self._unpainted[row]
            if any(start < right and stop > left for start, stop in spans):
                rows.append(row)
                rest = [(start, min(stop, left)) for start, stop in spans if start < left]
                rest += [(max(start, right), stop) for start, stop in spans if stop > right]
                if rest:
                    self._unpainted[row] = rest
                else:
                    del self._unpainted[row]
        return rows


def _is_displayed(widget: Widget) -> bool:
    """Neither a widget nor anything around it is hidden."""
    return all(one.display for one in widget.ancestors_with_self if isinstance(one, Widget))


def _runs(rows: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Rows that follow each other, each run of them as its first row and the one after its last."""
    start = before = rows[0]
    for row in rows[1:]:
        if row != before + 1:
            yield start, before + 1
            start = row
        before = row
    yield start, before + 1
