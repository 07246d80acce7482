"""Where a vertex stands in a resources list, told without writing its path.

Most vertices of most lists have nothing wrong with them, and writing the path of each takes half of
the time of a check.
"""

from typing import TypeAlias

# The place of the parent, None at the top, and the number among its children.
Place: TypeAlias = "tuple[Place | None, int]"


def path_of(root: str, place: Place) -> str:
    """The path of the vertex at a place in the list at ``root``, as `source.at` writes it."""
    numbers = []
    here: Place | None = place
    while here is not None:
        here, number = here
        numbers.append(f"[{number}]")
    return root + ".with".join(reversed(numbers))


def top_of(place: Place) -> int:
    """The number of the vertex at the top that is at a place or has it below."""
    parent, number = place
    while parent is not None:
        parent, number = parent
    return number
