"""Writes the own parts of a vertex, those that did not change as they were (RFC 46)."""

from collections import deque
from collections.abc import Sequence
from itertools import pairwise

from fluxtui.notation.json_compare import same
from fluxtui.notation.shape.edit.align import same_count, same_keys, slot_label
from fluxtui.notation.shape.edit.layout import Own
from fluxtui.notation.shape.edit.pieces import (
    Style,
    count_text,
    joined,
    key_text,
    label_text,
    type_text,
    value_text,
)
from fluxtui.notation.shape.tree import Item, Vertex


def fresh_own(new: Vertex, style: Style | None = None) -> str:
    """The type, count and braces of a vertex that no old one gave, spaced as the others are."""
    spaced = style or Style("", ())
    count = "" if new.count == 1 else f"{spaced.around('=').text}{count_text(new)}"
    texts = [_fresh_item(item, spaced) for item in new.keys]
    if (label := slot_label(new)) is not None:
        texts.insert(0, label_text(label))
    if not texts:
        # A type that is missing, and nothing else, would not be seen as a vertex.
        return f"{type_text(new.type)}{count}" if new.type or count else '""{}'
    return f"{type_text(new.type)}{count}{_in_braces(new, texts, spaced)}"


def changed_own(text: str, old: Vertex, new: Vertex, parts: Own, style: Style) -> str:
    """The own parts of a vertex that came from an old one, each written anew where it changed."""
    name = text[slice(*old.type_span)] if new.type == old.type else type_text(new.type)
    return f"{name}{_count(text, old, new, parts, style)}{_braces(text, old, new, parts, style)}"


def _count(text: str, old: Vertex, new: Vertex, parts: Own, style: Style) -> str:
    if same_count(old, new):
        return text[old.type_span[1] : parts.counted]
    if new.count == 1:
        return ""
    fresh = count_text(new)
    if old.count_span is None:
        return f"{style.around('=').text}{fresh}"
    start, end = old.count_span
    written = text[start:end]
    if not fresh.startswith("["):
        fresh = written.replace(old.count_text, fresh, 1)
    return f"{text[old.type_span[1] : start]}{fresh}"


def _braces(text: str, old: Vertex, new: Vertex, parts: Own, style: Style) -> str:
    """The braces with all that they hold; none where they would hold nothing."""
    label = slot_label(new)
    as_before = (old.type == "slot") == (new.type == "slot")  # a slot's first entry is its label
    if as_before and label == old.label and same_keys(old, new):
        return text[parts.counted : parts.end]
    first = 0 if old.label is None else 1  # where the keys start among the old entries
    texts: list[str] = []
    places: list[int | None] = []
    if label is not None:
        kept = label == old.label
        texts.append(text[slice(*parts.entries[0])] if kept else label_text(label))
        places.append(0 if first else None)
    for item, place in zip(new.keys, _matched(old.keys, new.keys), strict=True):
        if place is None:
            texts.append(_fresh_item(item, style))
            places.append(None)
        else:
            texts.append(_item(text, old.keys[place], item, style))
            places.append(place + first)
    if not texts:
        return ""
    if not parts.entries:
        opened = text[parts.counted : parts.inside]
        return _in_braces(new, texts, style, opened, text[parts.inside : parts.end])
    spans = parts.entries
    gaps = [text[a[1] : b[0]] for a, b in pairwise(spans)]
    inside = joined(texts, places, gaps, gaps[-1] if gaps else style.separator(","))
    opened = text[parts.counted : parts.inside]
    return f"{opened}{_lead(new, texts)}{inside}{text[spans[-1][1] : parts.end]}"


def _in_braces(
    new: Vertex, texts: Sequence[str], style: Style, opened: str = "", closed: str = ""
) -> str:
    """New entries in braces of their own, or in those that were empty before."""
    if not opened:
        brace = style.around("{")
        opened, closed = brace.text, f"{brace.after}}}"
    return f"{opened}{_lead(new, texts)}{style.separator(',').join(texts)}{closed}"


def _lead(new: Vertex, texts: Sequence[str]) -> str:
    """A comma in place of a label that is missing, lest the first key be read as one."""
    unlabelled = new.type == "slot" and new.label is None
    return "," if unlabelled and texts[0][0] not in "+-" else ""


def _matched(olds: Sequence[Item], news: Sequence[Item]) -> list[int | None]:
    """For each new item the old one with its key, the first of them first."""
    offers: dict[str, deque[int]] = {}
    for place, item in enumerate(olds):
        offers.setdefault(item.key, deque()).append(place)
    found = (offers.get(item.key) for item in news)
    return [places.popleft() if places else None for places in found]


def _item(text: str, old: Item, new: Item, style: Style) -> str:
    """An item whose value may have changed: its key stays as it was typed.

    Where ``exclusive`` was neither true nor false it becomes a sign, ``x`` or ``-x``.
    """
    if same(old.value, new.value):
        return text[slice(*old.span)]
    is_flag = new.key == "exclusive" and isinstance(new.value, bool)
    is_sign = is_flag and not isinstance(old.value, bool)
    if old.value_span is not None and not is_sign:
        return f"{text[old.span[0] : old.value_span[0]]}{value_text(new.value)}"
    return _pair(text[slice(*old.key_span)], new, style)


def _fresh_item(item: Item, style: Style) -> str:
    return _pair(key_text(item.key), item, style)


def _pair(key: str, item: Item, style: Style) -> str:
    if isinstance(item.value, bool):
        return key if item.value else f"-{key}"
    return f"{key}{style.around(':').text}{value_text(item.value)}"
