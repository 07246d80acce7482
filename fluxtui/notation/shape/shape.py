"""Shapes: an RFC 14 resources list as a line that is quick to type (RFC 46).

`parse` never stops: an unfinished or wrong text still gives the tree so far, all that is wrong
with it, and what may come next. `format` is its inverse.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fluxtui.notation.count import Style
from fluxtui.notation.problem import Completion, Parsed
from fluxtui.notation.shape.parser import ShapeReader
from fluxtui.notation.shape.tree import Item, Shape, Vertex, walk

__all__ = [
    "Item",
    "Shape",
    "Vertex",
    "completions",
    "format",
    "from_resources",
    "joined",
    "parse",
    "to_resources",
    "walk",
]


def parse(text: str) -> Shape:
    """Read a shape (RFC 46). Never raises; linear in the length of the text."""
    return ShapeReader(text).read()


def format(shape: Shape | Sequence[Vertex]) -> str:
    """The shape text of a tree, with quotes only where they are needed.

    ``parse(format(tree))`` gives the same tree, but for its spans.
    """
    from fluxtui.notation.shape import format as shape_format

    return shape_format.format(shape.vertices if isinstance(shape, Shape) else shape)


def to_resources(
    shape: Shape | Sequence[Vertex], label: str = "default", counts: Style = "dict"
) -> list[dict[str, Any]]:
    """The RFC 14 resources list of a tree.

    label   for the slot that has none
    counts  ``dict`` gives ranges as dictionaries where RFC 14 has one for them, ``string`` gives
            every range as its RFC 45 text; idsets are texts in both
    """
    from fluxtui.notation.shape import resources as shape_resources

    vertices = shape.vertices if isinstance(shape, Shape) else shape
    return shape_resources.to_resources(vertices, label, counts)


def joined(texts: Sequence[str]) -> str:
    """The shape text of a list of vertices from the shape texts of each."""
    from fluxtui.notation.shape import format as shape_format

    return shape_format.joined(texts)


def from_resources(
    resources: Sequence[Any], label: str | None = "default"
) -> Parsed[tuple[Vertex, ...]]:
    """The tree of an RFC 14 resources list, with the problems that kept parts of it out.

    The only slot loses its label where that is ``label``, since a shape may leave it out; with
    None it keeps any.
    """
    from fluxtui.notation.shape import resources as shape_resources

    return shape_resources.from_resources(resources, label)


def completions(text: str, cursor: int) -> list[Completion]:
    """What may be typed at the cursor, most likely first (see `Shape.expected`)."""
    from fluxtui.notation.shape import near

    return near.completions(text, cursor)
