"""Repaint only what changed: a key changes a few places that are far apart on the screen."""

from typing import Any

from textual._compositor import ChopsUpdate, Compositor
from textual.geometry import NULL_SPACING, Region
from textual.map_geometry import MapGeometry
from textual.screen import Screen
from textual.scrollbar import ScrollBar
from textual.strip import Strip
from textual.widget import Widget

# The drawing order of an overlay widget: above all others.
_OVER = ((1, 0, 0),)


class SparseCompositor(Compositor):
    """A compositor that asks widgets only for the lines that need repainting.

    Textual's own renders every widget, containers too, within the bounding rectangle of all
    changes. If a line at the top and one at the bottom changed, that is nearly the whole screen.
    """

    def update_widgets(self, widgets: set[Widget]) -> None:
        """Note which parts of these widgets need repainting, which for hidden widgets is nothing.

        Textual would take a hidden widget for a new one, and lay out the whole screen again.
        """
        seen, known = self.visible_widgets, self._full_map

        def is_new(widget: Widget) -> bool:
            return not (widget in known or isinstance(widget, ScrollBar)) and _is_displayed(widget)

        super().update_widgets({widget for widget in widgets if widget in seen or is_new(widget)})

    def put_over(self, widget: Widget, region: Region) -> None:
        """Move an overlay widget without a layout of the other widgets.

        The next layout must compute the same region for it.
        """
        widget._layout_updates += 1
        for ancestor in widget.ancestors:
            if isinstance(ancestor, Widget):
                ancestor._clear_arrangement_cache()
        size, screen = region.size, self.size.region
        geometry = MapGeometry(region, _OVER, screen, size, size, region, NULL_SPACING)
        for places in (self._full_map, self._visible_map):
            if places is not None:
                before = places.get(widget)
                places[widget] = geometry
                regions = (region, before.region) if before is not None else (region,)
                self._dirty_regions.update(r for r in map(screen.intersection, regions) if r)
        self.widgets.add(widget)
        widget._size_updated(size, size, size, layout=False)
        self._cuts = self._layers = self._layers_visible = self._visible_widgets = None

    def render_partial_update(self) -> ChopsUpdate | None:
        """Render the regions that changed since the last call; None if none did.

        From the topmost widget down, each renders its lines that have changes not covered by the
        widgets above it. If a span might begin inside a double-width character, Textual's own
        method renders the update instead, starting at the left edge of each widget.
        """
        spans = list(self._regions_to_spans(self._dirty_regions))
        if not spans:
            return None
        unpainted: dict[int, list[tuple[int, int]]] = {}  # columns by row
        for row, start, stop in spans:
            unpainted.setdefault(row, []).append((start, stop))
        height = self.size.height
        strips: list[dict[int, Strip]] = [{} for _ in range(height)]
        ends: list[list[int]] = [[] for _ in range(height)]
        for widget, (region, clip) in self.visible_widgets.items():
            seen = region.intersection(clip)
            parts = _parts(seen, unpainted) if seen else {}
            if parts:
                first, last = min(parts), max(parts)
                block = Region(seen.x, first, seen.width, last + 1 - first)
                lines = widget.render_lines(block.translate(-region.offset))
                for row, spans_of_row in parts.items():
                    line = lines[row - first]
                    for start, stop in spans_of_row:
                        if start > seen.x and line.cell_length != len(line.text):
                            return super().render_partial_update()
                        strips[row][start] = line.crop(start - seen.x, stop - seen.x)
                        ends[row].append(stop)
            if not unpainted:
                break
        self._dirty_regions.clear()
        return ChopsUpdate(strips, spans, ends)


def paint_sparsely(screen: Screen[Any]) -> None:
    """Use this compositor for a screen."""
    screen._compositor = SparseCompositor()


def _parts(
    seen: Region, unpainted: dict[int, list[tuple[int, int]]]
) -> dict[int, list[tuple[int, int]]]:
    """Remove from unpainted the columns within a region, and return them by row."""
    left, top, right, bottom = seen.corners
    parts: dict[int, list[tuple[int, int]]] = {}
    for row in range(top, bottom):
        spans = unpainted.get(row)
        if spans is None:
            continue
        within = [
            (max(start, left), min(stop, right))
            for start, stop in spans
            if start < right and stop > left
        ]
        if within:
            parts[row] = within
            rest = [(start, min(stop, left)) for start, stop in spans if start < left]
            rest += [(max(start, right), stop) for start, stop in spans if stop > right]
            if rest:
                unpainted[row] = rest
            else:
                del unpainted[row]
    return parts


def _is_displayed(widget: Widget) -> bool:
    return all(node.display for node in widget.ancestors_with_self if isinstance(node, Widget))
