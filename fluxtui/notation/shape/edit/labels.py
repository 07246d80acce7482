"""The labels that a tree needs once a slot comes to it (RFC 46, RFC 14).

A shape with one slot may leave its label out, and then it is ``default``; with more slots each
needs a label of its own.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from fluxtui.notation.shape.edit.tree import changed
from fluxtui.notation.shape.tree import Item, Vertex, walk

DEFAULT = "default"

# What the labels of slots are made of that were given none.
_SLOT = "slot"


class Settled(NamedTuple):
    """A tree and what comes to it, with the labels that both need.

    clash  a label that was asked for and is taken, if there is one
    """

    vertices: tuple[Vertex, ...]
    added: Vertex
    clash: str | None = None


class Labels:
    """The labels that are taken, and others that are not."""

    __slots__ = ("_last", "taken")

    def __init__(self, taken: Iterable[str]) -> None:
        self.taken = set(taken)
        self._last: dict[str, int] = {}

    def default(self) -> str:
        """``default`` if it is free, else another; it is taken from now on."""
        return self.like(DEFAULT) if DEFAULT in self.taken else self._take(DEFAULT)

    def like(self, label: str) -> str:
        """A label like this one with the next number, from 2 on; it is taken from now on."""
        name = _SLOT if label == DEFAULT else label
        found = re.search(r"[0-9]{1,9}\Z", name)
        digits = found[0] if found else ""
        base = name[: len(name) - len(digits)]
        number = max(self._last.get(base, 0), int(digits or 1)) + 1
        while f"{base}{number:0{len(digits)}d}" in self.taken:
            number += 1
        self._last[base] = number
        return self._take(f"{base}{number:0{len(digits)}d}")

    def _take(self, label: str) -> str:
        self.taken.add(label)
        return label


def labels(vertices: Sequence[Vertex]) -> list[str]:
    """Every label of a tree: those of slots, and the key ``label`` of other types."""
    out = []
    for vertex in walk(tuple(vertices)):
        if vertex.type == "slot" and vertex.label is not None:
            out.append(vertex.label)
        out += [item.value for item in vertex.keys if _is_label(item)]
    return out


def slots(vertices: Sequence[Vertex]) -> int:
    """How many slots a tree has."""
    return sum(vertex.type == "slot" for vertex in walk(tuple(vertices)))


def settled(vertices: tuple[Vertex, ...], added: Vertex, *, copy: bool = False) -> Settled:
    """Labels for a tree to which this vertex is added; of a copy every label is another one.

    Where slots come to be several, the first that has no label gets ``default``, which it was
    without saying so, and the others a new name.
    """
    used = Labels(labels(vertices))
    own = labels((added,))
    several = slots((added,)) and slots(vertices) + slots((added,)) > 1
    if several:
        vertices = changed(vertices, lambda v: _labelled(v, used.default))
    if copy:
        added = changed((added,), lambda v: _renamed(v, used))[0]
    elif clash := next((label for label in own if label in used.taken), None):
        return Settled(vertices, added, clash)
    used.taken.update(own)
    if several:
        added = changed((added,), lambda v: _labelled(v, lambda: used.like(DEFAULT)))[0]
    elif added.keys:
        added = _labelled(added, used.default)
    return Settled(vertices, added)


def _labelled(vertex: Vertex, name: Callable[[], str]) -> Vertex:
    """A slot with a label, which is this name where it had none; other vertices as they are."""
    without = vertex.type == "slot" and vertex.label is None
    return vertex._replace(label=name()) if without else vertex


def _renamed(vertex: Vertex, used: Labels) -> Vertex:
    """The vertex with labels that are not taken in place of its own."""
    if vertex.type == "slot" and vertex.label is not None:
        vertex = vertex._replace(label=used.like(vertex.label))
    if not any(map(_is_label, vertex.keys)):
        return vertex
    keys = (i._replace(value=used.like(i.value)) if _is_label(i) else i for i in vertex.keys)
    return vertex._replace(keys=tuple(keys))


def _is_label(item: Item) -> bool:
    return item.key == "label" and isinstance(item.value, str)
