"""What is known of one property, below the list of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fluxtui.model.resources.resource_set import Resources
from fluxtui.ui.constraint import property_words
from fluxtui.ui.constraint.property_rows import Counts
from fluxtui.ui.kit.lines import LinesView
from fluxtui.ui.kit.palette import palette_of

if TYPE_CHECKING:
    from fluxtui.answers.explain.properties import Relations, Standing

# Of ranks and of hosts so many ranges are said: one for so many columns, at most so many.
RANGE, RANGES = 25, 4


class PropertyDetails(LinesView):
    """Its nodes, what the constraint asks of it, and what the other properties are to it.

    relations is what they are to each other, None as long as that is not known.
    """

    can_focus = False

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id, wrap=True)
        self.relations: Relations | None = None
        self._said: tuple[object, ...] | None = None  # what the lines follow from

    def begin(self) -> None:
        """Another document is open; what was known of the one before is let go."""
        self.relations = self._said = None

    def tell(
        self,
        name: str,
        resources: Resources,
        counts: Counts,
        standing: Standing | None,
        selected: int,
    ) -> None:
        """Tell of a property of a cluster; standing is what the constraint asks of it.

        selected is the mask of the nodes that are selected.
        """
        mask, relations = resources.properties[name], self.relations
        within = (selected & mask).bit_count()
        # Resources and relations are equal only where they are the same.
        said = (name, resources, relations, standing, within, self.size, palette_of(self))
        if said == self._said:
            return
        self._said = said
        ranks, hosts = self._ranges(resources, mask)
        about = property_words.Told(
            name,
            counts.nodes(name),
            resources.node_count,
            ranks,
            hosts,
            standing,
            within,
            relations.of(name) if relations is not None else None,
            counts.known,
            len(resources.properties) - 1,
        )
        width, height = self.size.width or 40, self.size.height or 4
        self.show_lines(property_words.told(about, palette_of(self), width, height))

    def _ranges(self, resources: Resources, mask: int) -> tuple[str, str]:
        """The ranks and the hosts of some nodes, as many as there is room for."""
        limit = min(max(self.size.width // RANGE, 1), RANGES)
        ranks = resources.ranks_text(mask, limit) if mask else ""
        return ranks, resources.hosts_of(mask, limit)
