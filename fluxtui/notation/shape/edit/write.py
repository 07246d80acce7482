"""Writes a changed tree into the text it was read from, vertex by vertex (RFC 46)."""

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from fluxtui.notation.shape.edit.align import Origins, same_count, same_meaning
from fluxtui.notation.shape.edit.layout import own_end, own_parts, whole_end
from fluxtui.notation.shape.edit.own import changed_own, fresh_own
from fluxtui.notation.shape.edit.pieces import Style, joined
from fluxtui.notation.shape.tree import Shape, Vertex

_NONE: Mapping[int, str] = {}

# What stands around the members of a list where nothing is wrong.
_SLASH = re.compile(r"\s*/\s*(\[\s*)?")
_START = re.compile(r"\s*(\[\s*)?")
_GAP = re.compile(r"\s*;\s*")
_END = re.compile(r"\s*\]\s*")


class Typed(NamedTuple):
    """Texts that were typed for vertices of the new tree, by the ``id`` of the vertex.

    own    for a vertex without its children
    whole  for a vertex with all that it holds
    new    those that come from no old one; what is typed whole never does
    """

    own: Mapping[int, str] = _NONE
    whole: Mapping[int, str] = _NONE
    new: Collection[int] = ()


class Writer:
    """Writes one new tree; with ``mend`` nothing that has an error is copied."""

    __slots__ = ("_apart", "_errors", "_origins", "_style", "mend", "shape", "text", "typed")

    def __init__(self, shape: Shape, typed: Typed | None = None, *, mend: bool = False) -> None:
        self.shape = shape
        self.text = shape.text
        self.typed = typed or Typed()
        self.mend = mend
        self._apart = {*self.typed.new, *self.typed.whole}
        self._origins = Origins(shape.vertices)
        self._style = Style(shape.text, shape.tokens)
        self._errors = [p.span for p in shape.problems if p.severity == "error" and p.span]

    def write(self, news: Sequence[Vertex]) -> str:
        """The whole text of a new tree."""
        olds = self.shape.vertices
        if not olds:
            return self._list(news, (), "", "")
        lead = self.text[: olds[0].span[0]]
        tail = self.text[whole_end(self.text, olds[-1]) :]
        if self.mend and not _START.fullmatch(lead):
            lead = "[" if "[" in lead else ""
        return self._list(news, olds, lead, self._tail(lead, tail))

    def vertex(self, new: Vertex, old: Vertex | None) -> str:
        """A vertex of the new tree and all that it holds; old is the one it comes from."""
        if old is None:
            whole = self.typed.whole.get(id(new))
            return self.own(new, None) + self._children(new, None) if whole is None else whole
        if new is old and self._sound(old.span[0], old.span[1]):
            return self.text[old.span[0] : whole_end(self.text, old)]
        return self.own(new, old) + self._children(new, old)

    def own(self, new: Vertex, old: Vertex | None) -> str:
        """The type, the count and the braces."""
        typed = self.typed.own.get(id(new))
        if typed is not None:
            return typed
        if old is not None:
            end = own_end(self.text, old)
            sound = self._sound(old.span[0], end)
            if sound and (new is old or (same_count(old, new) and same_meaning(old, new))):
                return self.text[old.span[0] : end]
            parts = own_parts(self.text, old) if sound and new.type else None
            if parts:
                return changed_own(self.text, old, new, parts, self._style)
        return fresh_own(new, self._style)

    def _children(self, new: Vertex, old: Vertex | None) -> str:
        """The slash and what follows it; nothing where there are no children."""
        text, olds = self.text, old.children if old else ()
        start = own_end(text, old) if old else 0
        end = whole_end(text, old) if old else 0
        if new.children is olds and self._sound(start, end):
            return text[start:end]
        if not new.children:
            return ""
        if olds:
            lead = text[start : olds[0].span[0]]
            tail = text[whole_end(text, olds[-1]) : end]
        else:  # perhaps a slash that nothing followed
            lead = text[start:end].rstrip("]")
            tail = "]" if text[start:end].endswith("]") else ""
        if not lead or (self.mend and not _SLASH.fullmatch(lead)):
            lead = f"{self._style.around('/').text}{'[' if '[' in lead else ''}"
        return self._list(new.children, olds, lead, self._tail(lead, tail))

    def _tail(self, lead: str, tail: str) -> str:
        """What closes a list that starts like this."""
        if not self.mend:
            return tail
        if "[" in lead:
            return tail if _END.fullmatch(tail) else "]"
        return "" if tail.strip() else tail

    def _list(self, news: Sequence[Vertex], olds: Sequence[Vertex], lead: str, tail: str) -> str:
        """vertex (';' vertex)*, in brackets where there are several or where they stood."""
        origins = self._origins.pair(olds, news, self._apart)
        place = _only_other(olds, news)
        if place is not None and not self.mend:
            old, end = olds[place], whole_end(self.text, olds[-1])
            before = self.text[olds[0].span[0] : old.span[0]]
            behind = self.text[whole_end(self.text, old) : end]
            return f"{lead}{before}{self.vertex(news[place], origins[place])}{behind}{tail}"
        texts = [self.vertex(new, old) for new, old in zip(news, origins, strict=True)]
        if len(texts) > 1 and "[" not in lead and (self.mend or len(olds) != len(news)):
            inner = self._style.around("[").after
            lead, tail = f"{lead}[{inner}", f"{inner}]{tail}"
        if len(texts) == 1:
            return f"{lead}{texts[0]}{tail}"
        gaps = [self._gap(a, b) for a, b in pairwise(olds)]
        number = {id(old): place for place, old in enumerate(olds)}
        places = [number.get(id(old)) for old in origins]
        fresh = gaps[-1] if gaps else self._style.separator(";")
        return f"{lead}{joined(texts, places, gaps, fresh)}{tail}"

    def _gap(self, before: Vertex, after: Vertex) -> str:
        gap = self.text[whole_end(self.text, before) : after.span[0]]
        return gap if not self.mend or _GAP.fullmatch(gap) else self._style.separator(";")

    def _sound(self, start: int, end: int) -> bool:
        """Whether this piece of the text may be copied."""
        if not self.mend:
            return True
        return all(error[1] <= start or error[0] >= end for error in self._errors)


def _only_other(olds: Sequence[Vertex], news: Sequence[Vertex]) -> int | None:
    """Where one of two lists has the only vertex that is not that of the other."""
    if len(olds) != len(news):
        return None
    others = [place for place, old in enumerate(olds) if news[place] is not old]
    return others[0] if len(others) == 1 else None


def piece(shape: Shape, new: Vertex, old: Vertex, *, own: bool = False) -> str:
    """The text of one vertex that comes from one of this shape, with or without its children."""
    writer = Writer(shape)
    return writer.own(new, old) if own else writer.vertex(new, old)
