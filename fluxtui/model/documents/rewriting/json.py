"""Where the values of a JSON text stand."""

import re

from fluxtui.model.documents.json_text import Member, Places
from fluxtui.model.documents.rewriting.parts import Entry, Part

_COLON = re.compile(r"[ \t\r\n]*:")


class JsonPart(Part):
    """A value in a JSON text."""

    __slots__ = ("_end", "places", "text")

    def __init__(self, text: str, places: Places, start: int, end: int) -> None:
        self.text, self.places = text, places
        self.start, self._end = start, end
        sign = text[start]
        self.kind = "map" if sign == "{" else "list" if sign == "[" else "scalar"
        self.style = sign if sign in '{["' else ""

    @property
    def end(self) -> int:
        """Where it ends."""
        return self._end

    @property
    def size(self) -> int:
        """How many entries it has."""
        return len(self.places.members(self.start))

    def keys(self) -> list[str]:
        """The keys of an object, in the order they stand in."""
        return [str(member.step) for member in self.places.members(self.start)]

    def entry(self, index: int) -> "JsonEntry":
        """One of its entries, by number."""
        return JsonEntry(self, self.places.members(self.start)[index])

    def trouble(self) -> str:
        """A key that stands twice."""
        if self.kind == "map" and len(set(self.keys())) < self.size:
            return "the object that changed has a key that stands twice"
        return ""

    def anchored(self) -> bool:
        """JSON has no anchors."""
        return False


class JsonEntry(Entry):
    """A key or an item of a JSON text."""

    __slots__ = ("around",)

    def __init__(self, around: JsonPart, member: Member) -> None:
        self.around = around
        self.value = JsonPart(around.text, around.places, member.first, member.last)
        self.start = member.span.start
        self.key_end = member.span.end if around.kind == "map" else self.start

    @property
    def lead(self) -> int:
        """The place after the colon."""
        colon = _COLON.match(self.around.text, self.key_end)
        return colon.end() if colon else self.key_end
