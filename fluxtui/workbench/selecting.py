"""The text of a constraint for the selected nodes."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from fluxtui.answers import matching
from fluxtui.model.constraint import requires
from fluxtui.model.resources.resource_set import Resources

if TYPE_CHECKING:
    from fluxtui.answers.explain.expression import Expression


def constraint_for(
    mask: int, resources: Resources, cancelled: Callable[[], bool]
) -> "Expression | None":
    """Return a short constraint that matches exactly these nodes; None if cancelled.

    The text is verified by parsing and matching it, unless it is too long to be parsed; None if
    it matches other nodes. Not for the event loop.
    """
    from fluxtui.answers.explain.expression import expression

    found = expression(mask, resources, cancelled)
    if found is None or found.is_too_long or _matches_exactly(found.text, mask, resources):
        return found
    return None


def _matches_exactly(text: str, mask: int, resources: Resources) -> bool:
    """Whether a text matches exactly these nodes; a blank one matches all."""
    reading = requires.read(text)
    if reading.constraint is None:
        return reading.blank and mask == resources.everything
    return matching.match(reading.constraint, resources) == mask
