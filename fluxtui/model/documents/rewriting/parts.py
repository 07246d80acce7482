"""Where the values of a YAML or JSON text are, as one needs it to change some of them.

A `Part` is a value in a text, an `Entry` a key or an item of a list with its value. Both are made
when they are asked for, so that a change deep in a large text looks only at what leads there.
"""

import re
from bisect import bisect_right
from functools import cached_property

from fluxtui.model.documents.document import Mark
from fluxtui.notation.json_compare import Kind
from fluxtui.notation.problem import Span

#: What begins a block scalar: its style, and in either order its indentation and its end.
HEADER = re.compile(r"([|>])([1-9]?)([-+]?)([1-9]?)")

_COLON = re.compile(r"[ \t]*:")
_FLOW_COLON = re.compile(r"\s*:")
_KINDS: dict[str, Kind] = {":": "map", "{": "map", "-": "list", "[": "list"}

# YAML 1.1 knows three more line breaks than most editors do.
BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
_ODD_BREAK = re.compile("[\x85\u2028\u2029]")


class CannotKeepError(Exception):
    """The layout of a text cannot be kept; the argument says because of what."""


class Page:
    """A text by lines. A line begins after a line break, and ends before the next.

    newline  the line break that the text has
    odd      it has line breaks which only YAML knows
    """

    __slots__ = ("ends", "newline", "odd", "starts", "text")

    def __init__(self, text: str) -> None:
        breaks = [found.span() for found in BREAK.finditer(text)]
        first = text[slice(*breaks[0])] if breaks else "\n"
        self.text = text
        self.starts = [0, *(end for _, end in breaks)]
        self.ends = [*(start for start, _ in breaks), len(text)]
        self.newline = first if first in {"\r\n", "\r"} else "\n"
        self.odd = not text.isascii() and _ODD_BREAK.search(text) is not None

    @property
    def unfinished(self) -> bool:
        """The last line has no line break."""
        return self.starts[-1] < len(self.text)

    def line(self, index: int) -> int:
        """The number of the line that a character is in, from 0."""
        return bisect_right(self.starts, index) - 1

    def start(self, index: int) -> int:
        """Where the line of a character begins."""
        return self.starts[self.line(index)]

    def end(self, index: int) -> int:
        """Where the line of a character ends."""
        return self.ends[self.line(index)]

    def column(self, index: int) -> int:
        """How many characters stand before one in its line."""
        return index - self.start(index)

    def leads(self, index: int) -> bool:
        """Nothing but spaces is before a character in its line."""
        return not self.text[self.start(index) : index].strip(" ")

    def of(self, line: int) -> str:
        """A line without its line break."""
        return self.text[self.starts[line] : self.ends[line]]

    def blank(self, line: int) -> bool:
        """Nothing but spaces is in a line."""
        return not self.of(line).strip(" ")

    def comment(self, line: int) -> bool:
        """A line holds nothing but a comment."""
        return self.of(line).lstrip(" ")[:1] == "#"

    def indentation(self, line: int) -> int:
        """How many spaces a line begins with."""
        text = self.of(line)
        return len(text) - len(text.lstrip(" "))

    def following(self, index: int) -> range:
        """The lines after that of a character; what follows the last line break is none."""
        return range(self.line(index) + 1, len(self.starts) - (not self.unfinished))


class Part:
    """A value in a text.

    kind   what it is; an alias is a scalar, for it changes only as a whole
    style  see `yaml_text.Mark`; of an alias ``*``
    start  where it begins
    """

    def __init__(self, page: Page, mark: Mark) -> None:
        self.page, self.mark = page, mark
        self.kind, self.style = _KINDS.get(mark.style, "scalar"), mark.style
        self.start = mark.span.start
        if mark.alias is not None:
            self.kind, self.style, self.start = "scalar", "*", mark.alias.start

    @cached_property
    def end(self) -> int:
        """Where it ends, before its last line break: in block style, where its last value does."""
        mark = self.mark
        if mark.alias is not None:
            return mark.alias.end
        if self.is_text:
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
        """Where its bracket is, with a tag or an anchor before it or not."""
        return max(self.start, self.mark.span.end - 1)

    @property
    def block(self) -> bool:
        """It is a list or mapping in block style."""
        return self.style in {":", "-"}

    @property
    def is_text(self) -> bool:
        """It is a block scalar."""
        return self.style in {"|", ">"}

    @property
    def there(self) -> bool:
        """There is text that says it; nothing at all is a null in YAML."""
        return self.end > self.start

    @cached_property
    def keys(self) -> list[str]:
        """The keys of a mapping, in the order they are written."""
        return [str(key) for key in self.mark.parts]

    def entry(self, index: int) -> "Entry":
        """One of its entries, by number."""
        step = index if self.kind == "list" else self.keys[index]
        return Entry(self, *self.mark.parts[step])

    def final(self) -> "Entry":
        """The entry that is written last."""
        return Entry(self, *self.mark.last) if self.mark.last else self.entry(self.size - 1)

    def leaf(self) -> "Part":
        """The last value of one in block style, or the value itself."""
        return self.final().value.leaf() if self.block and self.size else self

    def trouble(self) -> str:
        """Why its entries cannot change one by one; empty where they can."""
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
        """An anchor is at it or in it, or in a value that another one of its key hides."""
        if "&" not in self.page.text or self.style == "*":
            return False
        return bool(self.mark.anchor or self.mark.odd) or any(
            self.page.text[span.start] == "&" or Part(self.page, inner).anchored()
            for span, inner in self.mark.parts.values()
        )

    def spare(self) -> None:
        """CannotKeepError where an anchor is in what is to go, which aliases may need."""
        if self.anchored():
            raise CannotKeepError("the part that changed has an anchor")


class Entry:
    """A key of a mapping or an item of a list, and its value.

    start    where it begins: with the key, the dash of a list in block style, or the item
    key_end  where the key ends; start where there is none
    value    the value
    """

    def __init__(self, around: Part, key: Span, mark: Mark) -> None:
        self.around = around
        self.value = Part(around.page, mark)
        self.start, self.key_end = key
        if around.kind == "list":
            here = self.value.start
            self.start = self.key_end = here if around.style == "[" else _dash(around, here)

    @cached_property
    def lead(self) -> int:
        """The place after the colon or the dash; of a key without a colon its end."""
        if self.around.kind == "list":
            return self.start + (self.around.style == "-")
        colon = _COLON if self.around.style == ":" else _FLOW_COLON
        found = colon.match(self.around.page.text, self.key_end)
        return found.end() if found else self.key_end

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.value.end if self.value.there else self.lead

    @property
    def is_bare(self) -> bool:
        """It ends with a colon, which a space has to follow."""
        return not self.value.there and self.lead > self.key_end

    def questioned(self) -> bool:
        """A question mark is before the key, and the colon anywhere."""
        page = self.around.page
        before = page.text[page.start(self.start) : self.start].rstrip(" ")
        return before.endswith("?") or not _COLON.match(page.text, self.key_end)

    def spare(self) -> None:
        """CannotKeepError where an anchor is in it, so that aliases elsewhere may need it."""
        if self.around.page.text[self.start] == "&":
            raise CannotKeepError("the part that changed has an anchor")
        self.value.spare()


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
    """The column that the text of a block scalar is at; 0 where it has none."""
    lines = range(page.line(start) + 1, page.line(end) + 1)
    return next((page.indentation(line) for line in lines if not page.blank(line)), 0)


def _dash(around: Part, value: int) -> int:
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
