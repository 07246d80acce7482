"""Which properties are listed, and in which order."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import printable

if TYPE_CHECKING:
    from fluxtui.answers.explain.properties import Relations

Order: TypeAlias = Literal["document", "name", "nodes", "match"]
ORDERS: tuple[Order, ...] = ("document", "name", "nodes", "match")


def named(name: str) -> str:
    """The name of a property as it is shown; quoted where nothing would be seen of it."""
    return printable(name) if name.strip() else f'"{printable(name)}"'


def ordered(
    properties: Mapping[str, int], by: Order, match: int, stop: Callable[[], bool]
) -> tuple[str, ...] | None:
    """The names of properties in an order, the most nodes first; None once stop says so.

    match is the mask of the nodes that match. Counts each property: not for the event loop.
    """
    if by == "document":
        return tuple(properties)
    if by == "name":
        return tuple(sorted(properties, key=_natural))
    counts: dict[str, int] = {}
    for name, mask in properties.items():
        if stop():
            return None
        counts[name] = (mask if by == "nodes" else mask & match).bit_count()
    return tuple(sorted(properties, key=lambda name: -counts[name]))


def _natural(name: str) -> tuple[list[str | tuple[int, str]], str]:
    """Names in the order of a person: ``rack2`` before ``rack10``, whatever the case."""
    key: list[str | tuple[int, str]] = []
    for number, piece in enumerate(re.split(r"([0-9]+)", name.casefold())):
        digits = piece.lstrip("0")
        key.append((len(digits), digits) if number % 2 else piece)
    return key, name


def containing(names: Sequence[str], text: str) -> tuple[str, ...]:
    """Those of the names, as they are shown, that hold a text, whatever the case."""
    wanted = text.strip().casefold()
    return tuple(name for name in names if wanted in named(name).casefold())


def related(properties: Mapping[str, int], stop: Callable[[], bool]) -> "Relations | None":
    """How properties stand to each other; what finds that is loaded where nothing waits for it."""
    from fluxtui.answers.explain.properties import relations

    return relations(properties, stop)


class Counts:
    """How many nodes have a property, and how many of these match; counted when it is asked for."""

    def __init__(self, resources: Resources, match: int = 0) -> None:
        self.match = match
        self.known: dict[str, int] = {}  # the nodes of those that were asked for
        self._resources = resources

    def within(self, match: int) -> bool:
        """Count within these nodes from now on; whether they are others than before."""
        if match is self.match:
            return False
        self.match = match
        return True

    def nodes(self, name: str) -> int:
        """The nodes that have it."""
        if name not in self.known:
            self.known[name] = self._resources.properties[name].bit_count()
        return self.known[name]

    def matching(self, name: str) -> int:
        """The nodes that have it and match."""
        return (self.match & self._resources.properties[name]).bit_count()
