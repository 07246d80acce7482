"""Where the values of a text stand, as one needs it to change some of them.

A `Part` is a value in a text, an `Entry` a key or an item of a list with its value. Both are made
when they are asked for, so that a change deep in a large text looks only at what leads there.
"""

import re
from abc import ABC, abstractmethod
from bisect import bisect_right

from fluxtui.notation.json_compare import Kind

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
        """The number of the line that a character stands in, from 0."""
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
        """Nothing but spaces stands before a character in its line."""
        return not self.text[self.start(index) : index].strip(" ")

    def of(self, line: int) -> str:
        """A line without its line break."""
        return self.text[self.starts[line] : self.ends[line]]

    def blank(self, line: int) -> bool:
        """Nothing but spaces stands in a line."""
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


class Entry(ABC):
    """A key of a mapping or an item of a list, and its value.

    start    where it begins: with the key, the dash of a list in block style, or the item
    key_end  where the key ends; start where there is none
    value    the value
    """

    __slots__ = ("key_end", "start", "value")

    start: int
    key_end: int
    value: "Part"

    @property
    @abstractmethod
    def lead(self) -> int:
        """The place after the colon or the dash, from where the value may stand."""

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.value.end if self.value.there else self.lead

    def anchored(self) -> bool:
        """An anchor stands in it, so that aliases elsewhere may need it."""
        return self.value.anchored()


class Part(ABC):
    """A value in a text.

    kind   what it is; an alias is a scalar, for it changes only as a whole
    style  see `yaml_text.Mark`; of an alias ``*``
    start  where it begins
    """

    __slots__ = ("kind", "start", "style")

    kind: Kind
    style: str
    start: int

    @property
    @abstractmethod
    def end(self) -> int:
        """Where it ends, before its last line break."""

    @property
    @abstractmethod
    def size(self) -> int:
        """How many entries it has."""

    @abstractmethod
    def keys(self) -> list[str]:
        """The keys of a mapping, in the order they stand in."""

    @abstractmethod
    def entry(self, index: int) -> Entry:
        """One of its entries, by number."""

    @abstractmethod
    def trouble(self) -> str:
        """Why its entries cannot change one by one; empty where they can."""

    @abstractmethod
    def anchored(self) -> bool:
        """An anchor stands at it or in it, so that aliases elsewhere may need it."""

    @property
    def opening(self) -> int:
        """Where the bracket of a list or mapping in flow style stands."""
        return self.start

    def final(self) -> Entry:
        """The entry that stands last."""
        return self.entry(self.size - 1)

    @property
    def block(self) -> bool:
        """It is a list or mapping in block style."""
        return self.style in {":", "-"}

    @property
    def there(self) -> bool:
        """There is text that says it; nothing at all is a null in YAML."""
        return self.end > self.start
