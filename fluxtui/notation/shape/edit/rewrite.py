"""The text of a changed tree that keeps the old text but for the parts that changed (RFC 46).

A vertex reads the same wherever it is put, so one that did not change is copied; of the others
only the type, the count, the key or the list that changed is replaced. What comes out is read
back: where it says something else, as it may in an unfinished text, all of it is written anew.
"""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from fluxtui.notation.json_compare import same
from fluxtui.notation.problem import MAX_LENGTH, Problem, Span
from fluxtui.notation.shape.format import (
    count_text,
    format_shape,
    item_text,
    label_text,
    lead,
    own_text,
    pair_text,
    type_text,
    value_text,
)
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.rules import check
from fluxtui.notation.shape.tree import Item, Shape, Vertex, walk
from fluxtui.notation.splice import splice


@dataclass(frozen=True, slots=True)
class Typed:
    """Texts that were typed for vertices of the new tree, by the ``id`` of the vertex.

    own    for a vertex without its children
    whole  for a vertex with all that it holds
    """

    own: Mapping[int, str] = field(default_factory=dict)
    whole: Mapping[int, str] = field(default_factory=dict)


def rewrite(shape: Shape, vertices: Sequence[Vertex], typed: Typed | None = None) -> Shape | None:
    """The shape of a new tree, with as much of the old text as still says the same (RFC 46).

    A vertex with the span of an old one came from that one; any other is new. No vertices give
    the empty text; None stands for a tree that no shape can say, such as one of too many levels.
    """
    if not vertices:
        return parse_shape("")
    text = _Writer(shape, typed or Typed()).write(vertices)
    read = parse_shape(text)
    if len(text) > MAX_LENGTH:  # which is not read at all
        return read
    if same_tree(read.vertices, vertices) and (read.ok or _slips(read) <= _slips(shape)):
        return read
    read = parse_shape(format_shape(vertices))
    return read if same_tree(read.vertices, vertices) else None


def piece(shape: Shape, new: Vertex, old: Vertex, *, own: bool = False) -> str:
    """The text of one vertex that came from one of this shape, with or without its children."""
    writer = _Writer(shape, Typed())
    return writer.own(new, old) if own else writer.vertex(new, old)


def slot_label(vertex: Vertex) -> str | None:
    """The label that the braces start with; no type but slot has one there."""
    return vertex.label if vertex.type == "slot" else None


def same_meaning(old: Vertex, new: Vertex) -> bool:
    """Whether two vertices say the same but for their children, however they are written."""
    return (
        old.type == new.type
        and old.count == new.count
        and slot_label(old) == slot_label(new)
        and _same_keys(old, new)
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


def _same_keys(old: Vertex, new: Vertex) -> bool:
    """Whether the keys are the same, in the same order."""
    return old.keys is new.keys or (
        len(old.keys) == len(new.keys)
        and all(
            one.key == two.key and same(one.value, two.value)
            for one, two in zip(old.keys, new.keys, strict=True)
        )
    )


def same_count(old: Vertex, new: Vertex) -> bool:
    """Whether the counts are the same, and no other spelling is asked for."""
    return old.count == new.count and new.count_text in ("", old.count_text)


def _slips(shape: Shape) -> int:
    """How many errors are slips of the writing, not faults of the tree that it says."""
    bare = sum(vertex.type == "slot" and not vertex.children for vertex in walk(shape.vertices))
    return _errors(shape.problems) - bare - _errors(check(shape.vertices))


def _errors(problems: Iterable[Problem]) -> int:
    return sum(problem.severity == "error" for problem in problems)


def whole_end(text: str, vertex: Vertex) -> int:
    """Where a vertex ends, children included, without the white space after it."""
    return len(text[: vertex.span.end].rstrip())


class _Writer:
    """Writes one new tree into the text of an old one."""

    def __init__(self, shape: Shape, typed: Typed) -> None:
        self.shape = shape
        self.text = shape.text
        self.typed = typed
        self.olds = {old.span: old for old in walk(shape.vertices)}

    def write(self, news: Sequence[Vertex]) -> str:
        """The whole text of a new tree."""
        olds = self.shape.vertices
        if not olds:
            return self.list(news, (), "", "")
        start, end = olds[0].span.start, whole_end(self.text, olds[-1])
        return self.list(news, olds, self.text[:start], self.text[end:])

    def origin(self, new: Vertex) -> Vertex | None:
        """The old vertex that a new one came from."""
        old = self.olds.get(new.span)
        return old if old is not None and old.type_span == new.type_span else None

    def vertex(self, new: Vertex, old: Vertex | None) -> str:
        """A vertex of the new tree and all that it holds; old is the one it came from."""
        whole = self.typed.whole.get(id(new))
        if whole is not None:
            return whole
        if new is old:
            return self.text[new.span.start : whole_end(self.text, new)]
        return self.own(new, old) + self.children(new, old)

    def children(self, new: Vertex, old: Vertex | None) -> str:
        """The slash and what follows it; nothing where there are no children."""
        olds = old.children if old else ()
        between = self.text[old.own_end : whole_end(self.text, old)] if old else ""
        if new.children is olds:
            return between
        if not new.children:
            return ""
        if old and olds:
            slash = self.text[old.own_end : olds[0].span.start]
            tail = self.text[whole_end(self.text, olds[-1]) : whole_end(self.text, old)]
        else:  # perhaps a slash that nothing followed
            slash, tail = between.rstrip("]"), "]" if between.endswith("]") else ""
        return self.list(new.children, olds, slash or "/", tail)

    def list(self, news: Sequence[Vertex], olds: Sequence[Vertex], head: str, tail: str) -> str:
        """vertex (';' vertex)*, in brackets where there are several or where they were."""
        origins = [self.origin(new) for new in news]
        texts = [self.vertex(new, old) for new, old in zip(news, origins, strict=True)]
        if len(texts) > 1 and "[" not in head and len(olds) != len(news):
            head, tail = f"{head}[", f"]{tail}"
        gaps = [self._gap(a, b) for a, b in pairwise(olds)]
        number = {id(old): place for place, old in enumerate(olds)}
        places = [number.get(id(old)) for old in origins]
        lifted = (self._gap(a, b) for a, b in pairwise(origins) if a and b)
        sign = next((gap for gap in lifted if gap.strip() == ";"), ";")
        return head + _joined(texts, places, gaps, sign) + tail

    def _gap(self, before: Vertex, after: Vertex) -> str:
        """The text between two old vertices."""
        return self.text[whole_end(self.text, before) : after.span.start]

    def own(self, new: Vertex, old: Vertex | None) -> str:
        """The type, the count and the braces."""
        typed = self.typed.own.get(id(new))
        if typed is not None or old is None:
            return own_text(new) if typed is None else typed
        edits: list[tuple[Span, str]] = []
        if new.type != old.type:
            edits.append((old.type_span, type_text(new.type)))
        counted = old.count_span.end if old.count_span else old.type_span.end
        if not same_count(old, new):
            edits.append(self._count(old, new))
        as_before = (old.type == "slot") == (new.type == "slot")  # its first entry is the label
        if not as_before or slot_label(old) != slot_label(new) or not _same_keys(old, new):
            edits.append((Span(counted, old.own_end), self._braces(old, new, counted)))
        return splice(self.text[: old.own_end], edits)[old.span.start :]

    def _count(self, old: Vertex, new: Vertex) -> tuple[Span, str]:
        """The edit that gives another count; brackets around the old one stay."""
        fresh, end = count_text(new), old.type_span.end
        if old.count_span is None:
            return Span(end, end), "" if new.count == 1 else f"={fresh}"
        if new.count == 1:
            return Span(end, old.count_span.end), ""
        if fresh.startswith("["):
            return old.count_span, fresh
        start = self.text.index(old.count_text, old.count_span.start)
        return Span(start, start + len(old.count_text)), fresh

    def _braces(self, old: Vertex, new: Vertex, start: int) -> str:
        """The braces with all that they hold; none where they would hold nothing."""
        label, had_label = slot_label(new), slot_label(old) is not None
        spans = [item.span for item in old.keys]
        if had_label and old.label_span:
            spans.insert(0, old.label_span)
        texts: list[str] = []
        places: list[int | None] = []
        if label is not None:
            kept = label == old.label and had_label and old.label_span
            texts.append(self.text[slice(*kept)] if kept else label_text(label))
            places.append(0 if had_label else None)
        for item, place in zip(new.keys, _matched(old.keys, new.keys), strict=True):
            texts.append(item_text(item) if place is None else self._item(old.keys[place], item))
            places.append(None if place is None else place + had_label)
        if not texts:
            return ""
        ends = [Span(start, start), *spans, Span(old.own_end, old.own_end)]
        between = [self.text[a.end : b.start] for a, b in pairwise(ends)]
        head, gaps, tail = between[0], between[1:-1], between[-1]
        if not spans or head.strip() != "{" or tail.strip() != "}":
            head, gaps, tail = "{", [], "}"
        return head + lead(new, texts[0]) + _joined(texts, places, gaps, ",") + tail

    def _item(self, old: Item, new: Item) -> str:
        """An item whose value may have changed: its key stays as it was typed.

        Where ``exclusive`` was neither true nor false it becomes a sign, ``x`` or ``-x``.
        """
        if same(old.value, new.value):
            return self.text[slice(*old.span)]
        is_flag = new.key == "exclusive" and isinstance(new.value, bool)
        if old.value_span is not None and not (is_flag and not isinstance(old.value, bool)):
            return self.text[old.span.start : old.value_span.start] + value_text(new.value)
        return pair_text(self.text[slice(*old.key_span)], new.value)


def _matched(olds: Sequence[Item], news: Sequence[Item]) -> list[int | None]:
    """For each new item the old one with its key, the first of them first."""
    offers: dict[str, deque[int]] = {}
    for place, item in enumerate(olds):
        offers.setdefault(item.key, deque()).append(place)
    found = (offers.get(item.key) for item in news)
    return [places.popleft() if places else None for places in found]


def _joined(
    texts: Sequence[str], places: Sequence[int | None], gaps: Sequence[str], sign: str
) -> str:
    """The members of a list with the separators they had.

    places  where each member was in the old list, None for a new one
    gaps    the separators of the old list: they keep their places in a list of the same length,
            else each goes with the member before it; the last one is that of new members
    """
    fresh = gaps[-1] if gaps else sign
    if len(texts) == len(gaps) + 1:
        between = list(gaps)
    else:
        between = [
            gaps[before]
            if before is not None and before < len(gaps)
            else gaps[after - 1]
            if after and after <= len(gaps)
            else fresh
            for before, after in pairwise(places)
        ]
    parts = [*texts[:1]]
    for gap, text in zip(between, texts[1:], strict=True):
        parts += (gap, text)
    return "".join(parts)
