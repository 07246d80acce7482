"""From the nodes that are selected to the text of a constraint."""

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
    """A short constraint for just these nodes; None where it was cancelled.

    It is read and answered again before it is handed out, but for one that is too long to be read;
    None too where it would select others. Not for the event loop.
    """
    from fluxtui.answers.explain.expression import expression

    found = expression(mask, resources, cancelled)
    if found is None or found.is_too_long or says(found.text, mask, resources):
        return found
    return None


def says(text: str, mask: int, resources: Resources) -> bool:
    """A text asks for just these nodes; a blank one asks for all."""
    reading = requires.read(text)
    if reading.constraint is None:
        return reading.blank and mask == resources.everything
    return matching.match(reading.constraint, resources) == mask
