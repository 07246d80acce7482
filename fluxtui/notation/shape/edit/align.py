"""Which vertex of an old tree a vertex of a new one comes from."""

from collections import deque
from collections.abc import Callable, Container, Hashable, Sequence

from fluxtui.notation.json_compare import same
from fluxtui.notation.shape.tree import NOWHERE, Vertex, walk


def slot_label(vertex: Vertex) -> str | None:
    """The label that the braces start with; no type but slot has one there."""
    return vertex.label if vertex.type == "slot" else None


def same_count(old: Vertex, new: Vertex) -> bool:
    """Whether the counts are the same, and no other spelling is asked for."""
    return old.count == new.count and new.count_text in ("", old.count_text)


def same_keys(old: Vertex, new: Vertex) -> bool:
    """Whether the keys are the same, in the same order."""
    return old.keys is new.keys or (
        len(old.keys) == len(new.keys)
        and all(
            one.key == two.key and same(one.value, two.value)
            for one, two in zip(old.keys, new.keys, strict=True)
        )
    )


def same_meaning(old: Vertex, new: Vertex) -> bool:
    """Whether two vertices say the same but for their children, however they are written."""
    return (
        old.type == new.type
        and old.count == new.count
        and slot_label(old) == slot_label(new)
        and same_keys(old, new)
    )


def same_tree(old: Sequence[Vertex], new: Sequence[Vertex]) -> bool:
    """Whether two trees say the same."""
    stack = [(old, new)]
    while stack:
        olds, news = stack.pop()
        if len(olds) != len(news):
            return False
        for one, two in zip(olds, news, strict=True):
            if not same_meaning(one, two):
                return False
            if one.children or two.children:
                stack.append((one.children, two.children))
    return True


class Origins:
    """The vertices of an old tree, to be found again in a new one."""

    __slots__ = ("_forms", "_numbers", "_spans", "_subtrees", "vertices")

    def __init__(self, vertices: tuple[Vertex, ...]) -> None:
        self.vertices = vertices
        self._spans: dict[tuple[int, int], Vertex] | None = None
        self._subtrees: dict[int, Vertex] | None = None
        self._forms: dict[Hashable, int] = {}
        self._numbers: dict[int, int] = {}

    def pair(
        self, olds: Sequence[Vertex], news: Sequence[Vertex], apart: Container[int] = ()
    ) -> list[Vertex | None]:
        """For each vertex of a new list the old one it comes from, or None.

        The same object comes first, then an equal subtree of the old list, then a vertex that
        stood at the same place in the text, then one of the same type, then one at the same
        place in the list; what is left may come from anywhere in the old tree. ``apart`` holds
        the ``id`` of those that come from nowhere.
        """
        first, last, most = 0, 0, min(len(olds), len(news))
        while first < most and olds[first] is news[first]:
            first += 1
        while last < most - first and olds[-1 - last] is news[-1 - last]:
            last += 1
        middle = self._middle(olds[first : len(olds) - last], news[first : len(news) - last], apart)
        return [*news[:first], *middle, *news[len(news) - last :]]

    def _middle(
        self, olds: Sequence[Vertex], news: Sequence[Vertex], apart: Container[int]
    ) -> list[Vertex | None]:
        is_one = len(olds) == len(news) == 1 and id(news[0]) not in apart
        if is_one and olds[0].span == news[0].span != NOWHERE:
            return [olds[0]]
        found = [None if id(new) in apart else self._itself(new) for new in news]
        used = {id(vertex) for vertex in found if vertex is not None}
        left = [old for old in olds if id(old) not in used]
        places = [
            place for place, new in enumerate(news) if found[place] is None and id(new) not in apart
        ]
        if len(left) == len(places) == 1 and left[0].span == news[places[0]].span != NOWHERE:
            found[places[0]] = left[0]
            return found
        for key in (self.number, _span, _name, _type):
            if left and places:
                left, places = _matched(key, left, places, news, found)
        if len(left) == len(places):
            for old, place in zip(left, places, strict=True):
                if not self._nested(old, news[place]):
                    found[place] = old
        for place in places:
            if found[place] is None:
                found[place] = self._elsewhere(news[place])
        return found

    def number(self, vertex: Vertex) -> int:
        """A number that equal subtrees share, places in the text aside."""
        known = self._numbers.get(id(vertex))
        if known is None:
            inside = tuple(map(self.number, vertex.children))
            keys = repr([(item.key, item.value) for item in vertex.keys]) if vertex.keys else ""
            form = (vertex.type, vertex.count, slot_label(vertex), keys, inside)
            known = self._numbers[id(vertex)] = self._forms.setdefault(form, len(self._forms))
        return known

    def _nested(self, old: Vertex, new: Vertex) -> bool:
        """Whether one of two vertices is now, or was, a child of the other."""
        if old.type == new.type:
            return False
        return self.number(old) in map(self.number, new.children) or self.number(new) in map(
            self.number, old.children
        )

    def _at(self, vertex: Vertex) -> Vertex | None:
        """The old vertex that stands at the same place in the text."""
        if vertex.span == NOWHERE:
            return None
        if self._spans is None:
            self._spans = {old.span: old for old in walk(self.vertices)}
        found = self._spans.get(vertex.span)
        return found if found is not None and found.type_span == vertex.type_span else None

    def _itself(self, vertex: Vertex) -> Vertex | None:
        return vertex if self._at(vertex) is vertex else None

    def _elsewhere(self, vertex: Vertex) -> Vertex | None:
        """Where a vertex that no neighbour gave may come from: its place, or an equal subtree."""
        found = self._at(vertex)
        if found is not None or not (vertex.children or vertex.keys):
            return found
        if self._subtrees is None:
            self._subtrees = {self.number(old): old for old in walk(self.vertices)}
        return self._subtrees.get(self.number(vertex))


def _span(vertex: Vertex) -> Hashable:
    return vertex.span if vertex.span != NOWHERE else None


def _name(vertex: Vertex) -> Hashable:
    label = slot_label(vertex)
    return None if label is None else (vertex.type, label)


def _type(vertex: Vertex) -> Hashable:
    return vertex.type


def _matched(
    key: Callable[[Vertex], Hashable],
    olds: list[Vertex],
    places: list[int],
    news: Sequence[Vertex],
    found: list[Vertex | None],
) -> tuple[list[Vertex], list[int]]:
    """Pair those with the same key, in order; the rest of both. A key of None pairs nothing."""
    offers: dict[Hashable, deque[Vertex]] = {}
    for old in olds:
        if (name := key(old)) is not None:
            offers.setdefault(name, deque()).append(old)
    rest, used = [], set()
    for place in places:
        offer = offers.get(key(news[place]))
        if offer:
            found[place] = old = offer.popleft()
            used.add(id(old))
        else:
            rest.append(place)
    return [old for old in olds if id(old) not in used], rest
