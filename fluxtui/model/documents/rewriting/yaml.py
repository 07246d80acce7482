"""Where the values of a YAML text stand, by the marks of its reader."""

import re

from fluxtui.model.documents.rewriting.parts import Entry, Page, Part
from fluxtui.model.documents.yaml_text import Mark
from fluxtui.notation.json_compare import Kind
from fluxtui.notation.problem import Span

#: What begins a block scalar: its style, and in either order its indentation and its end.
HEADER = re.compile(r"([|>])([1-9]?)([-+]?)([1-9]?)")

_COLON = re.compile(r"[ \t]*:")
_FLOW_COLON = re.compile(r"\s*:")
_KINDS: dict[str, Kind] = {":": "map", "{": "map", "-": "list", "[": "list"}


class YamlPart(Part):
    """A value in a YAML text."""

    __slots__ = ("_end", "_keys", "mark", "page")

    def __init__(self, page: Page, mark: Mark) -> None:
        self.page, self.mark = page, mark
        self._end = -1
        self._keys: list[str] | None = None
        self.kind, self.style = _KINDS.get(mark.style, "scalar"), mark.style
        self.start = mark.span.start
        if mark.alias is not None:
            self.kind, self.style, self.start = "scalar", "*", mark.alias.start

    @property
    def end(self) -> int:
        """Where it ends: in block style, where the last value in it does."""
        if self._end < 0:
            self._end = self._find_end()
        return self._end

    def _find_end(self) -> int:
        mark = self.mark
        if mark.alias is not None:
            return mark.alias.end
        if self.style in {"|", ">"}:
            return _end_of_text(self.page, mark)
        # A mapping of one key in a flow list may have no brackets.
        bare = self.kind != "scalar" and self.page.text[self.opening] not in "[{"
        return self.final().end if bare else mark.end

    @property
    def size(self) -> int:
        """How many entries it has, with those that a merge key brings in."""
        return len(self.mark.parts)

    @property
    def opening(self) -> int:
        """Where its bracket stands, with a tag or an anchor before it or not."""
        return max(self.start, self.mark.span.end - 1)

    def keys(self) -> list[str]:
        """The keys of a mapping, in the order they stand in."""
        if self._keys is None:
            self._keys = [str(key) for key in self.mark.parts]
        return self._keys

    def entry(self, index: int) -> "YamlEntry":
        """One of its entries, by number."""
        step = index if self.kind == "list" else self.keys()[index]
        return YamlEntry(self, *self.mark.parts[step])

    def final(self) -> "YamlEntry":
        """The entry that stands last."""
        return YamlEntry(self, *self.mark.last) if self.mark.last else self.entry(self.size - 1)

    def trouble(self) -> str:
        """An anchor, or a key that is more or less than a word and a colon."""
        if self.mark.anchor:
            return "the part that changed has an anchor"
        if self.mark.odd:
            return f"the mapping that changed has {self.mark.odd}"
        if self.style == ":" and "?" in self.page.text:
            entries = map(self.entry, range(self.size))
            if any(entry.questioned() for entry in entries):
                return "the mapping that changed has a key behind a question mark"
        return ""

    def anchored(self) -> bool:
        """An anchor stands at it or in it, or in a value that another one of its key hides."""
        if "&" not in self.page.text or self.style == "*":
            return False
        return bool(self.mark.anchor or self.mark.odd) or any(
            self.page.text[span.start] == "&" or YamlPart(self.page, inner).anchored()
            for span, inner in self.mark.parts.values()
        )


def _end_of_text(page: Page, mark: Mark) -> int:
    """Where a block scalar ends: after its last line, and the blank ones that belong to it."""
    first, last = page.line(mark.span.start), page.line(mark.end)
    if page.starts[last] == mark.end > mark.span.start:
        last -= 1
    header = HEADER.match(page.text, mark.span.start)
    if header is None or header[3] != "+":
        column = text_column(page, mark.span.start, mark.end)
        while last > first and page.blank(last) and len(page.of(last)) <= column:
            last -= 1
    return page.ends[last]


def text_column(page: Page, start: int, end: int) -> int:
    """The column that the text of a block scalar stands at; 0 where it has none."""
    lines = range(page.line(start) + 1, page.line(end) + 1)
    return next((page.indentation(line) for line in lines if not page.blank(line)), 0)


class YamlEntry(Entry):
    """A key or an item of a YAML text."""

    __slots__ = ("_lead", "around")

    def __init__(self, around: YamlPart, key: Span, mark: Mark) -> None:
        self.around = around
        self._lead = -1
        self.value = YamlPart(around.page, mark)
        self.start, self.key_end = key
        if around.kind == "list":
            here = self.value.start
            self.start = self.key_end = here if around.style == "[" else _dash(around, here)

    @property
    def lead(self) -> int:
        """The place after the colon or the dash; of a key without a colon its end."""
        if self._lead < 0:
            self._lead = self._find_lead()
        return self._lead

    def _find_lead(self) -> int:
        if self.around.kind == "list":
            return self.start + (self.around.style == "-")
        colon = _COLON if self.around.style == ":" else _FLOW_COLON
        found = colon.match(self.around.page.text, self.key_end)
        return found.end() if found else self.key_end

    def questioned(self) -> bool:
        """A question mark stands before the key, and the colon anywhere."""
        page = self.around.page
        before = page.text[page.start(self.start) : self.start].rstrip(" ")
        return before.endswith("?") or not _COLON.match(page.text, self.key_end)

    def anchored(self) -> bool:
        """An anchor stands at the key, or at or in the value."""
        return self.around.page.text[self.start] == "&" or self.value.anchored()


def _dash(around: YamlPart, value: int) -> int:
    """Where the dash of an item stands: in the column of the first one, before the value."""
    page = around.page
    first = around.mark.span.end
    # Of a list that is not indented under its key the mark ends after the first dash.
    column = page.column(first if page.text[first : first + 1] == "-" else first - 1)
    line = page.line(value)
    while line > 0 and (
        page.starts[line] + column >= value
        or page.of(line)[column : column + 1] != "-"
        or page.of(line)[:column].strip(" -?")
    ):
        line -= 1
    return page.starts[line] + column
