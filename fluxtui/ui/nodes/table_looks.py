"""How the rows of the node table look: by the light of their nodes, all of a row together."""

from fluxtui.answers.listing.rows import Listing
from fluxtui.ui.nodes.nodes_view import DARK, Highlight

MIXED, MIXED_SELECTED = "◧", "◈"

_KEPT = 16  # rows whose looks are found together


class Looks:
    """The looks of the rows of a listing under some lights, found where they are asked for."""

    def __init__(
        self, listing: Listing, lights: tuple[Highlight, ...] = (), dark: Highlight = DARK
    ) -> None:
        self._listing = listing
        self._lights = lights
        self._dark = dark
        self._found: dict[int, Highlight] = {}
        self.before: Looks | None = None  # what was shown before, for whoever compares

    def at(self, row: int) -> Highlight:
        """How a row looks."""
        if row not in self._found:
            start = row - row % _KEPT
            self._find(start, min(start + _KEPT, self._listing.count))
        return self._found[row]

    def _find(self, start: int, stop: int) -> None:
        indices = self._listing.indices(start, stop)
        looks = [self._dark] * len(indices)
        for light in reversed(self._lights):
            data = light.mask.to_bytes(light.mask.bit_length() // 8 + 1, "little")
            bound = len(data) << 3
            for at, index in enumerate(indices):
                if index < bound and data[index >> 3] >> (index & 7) & 1:
                    looks[at] = light
        for row, look in enumerate(looks, start):
            is_head = self._listing.is_folded and self._listing.head(row) is not None
            self._found[row] = self._of_many(row, look) if is_head else look

    def _of_many(self, row: int, first: Highlight) -> Highlight:
        """How the nodes of a row look together, when the first of them looks so."""
        rest = self._listing.nodes(row, row + 1)
        lit: list[Highlight] = []
        for light in self._lights:
            if rest & light.mask:
                lit.append(light)
                rest &= ~light.mask
        if not lit or (not rest and len(lit) == 1):
            return first
        is_selected = any(light.role == "slot" for light in lit)
        best = lit[0]
        glyph = MIXED_SELECTED if is_selected else MIXED
        return best._replace(mask=0, glyph=glyph)
