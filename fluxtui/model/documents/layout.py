"""How a YAML or JSON text is laid out: where its values are, and how new ones look like them.

A `Part` is a value in a text, an `Entry` a key or an item of a list with its value. Both are made
when they are asked for, so that a change deep in a large text looks only at what leads there.
Scalars are written so that they read back as the same value in YAML 1.1.
"""

import json
import re
from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from fluxtui.model.documents.document import Mark, dump
from fluxtui.notation.json_value import Kind, kind
from fluxtui.notation.problem import Span

#: What begins a block scalar: its style, and in either order its indentation and its end.
HEADER = re.compile(r"([|>])([1-9]?)([-+]?)([1-9]?)")

_COLON = re.compile(r"[ \t]*:")
_FLOW_COLON = re.compile(r"\s*:")
_KINDS: dict[str, Kind] = {":": "map", "{": "map", "-": "list", "[": "list"}

# YAML 1.1 knows three more line breaks than most editors do.
_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")

_SURROGATE = re.compile("[\ud800-\udfff]")
# What can be in double quotes only, as an escape.
_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]"
)
# A plain word that holds one of these may be something else between brackets.
_FLOW_SIGNS = re.compile(r"[,?:\[\]{}]")

# The style of a text is learnt from so many of its parts, so many entries of each, and so many
# characters of JSON.
_PARTS, _ENTRIES, _CHARACTERS = 300, 100, 20_000

# What shows the style of JSON: what is behind a key, between two parts, and before a first one.
_STYLE = re.compile(
    r'"(?:[^"\\]|\\.)*+"(?P<colon>\s*:[ \t]*)?'
    r"|(?P<comma>,[ \t]*)(?=[^ \t\r\n])|[\[{][ \t]*[\r\n]+(?P<margin>[ \t]*)"
)


class CannotKeepError(Exception):
    """The layout of a text cannot be kept; the argument says because of what."""


class Page:
    """A text by lines. A line begins after a line break, and ends before the next.

    newline     the line break that the text has
    odd         it has line breaks which only YAML knows
    unfinished  the last line has no line break
    """

    __slots__ = ("ends", "newline", "odd", "starts", "text", "unfinished")

    def __init__(self, text: str) -> None:
        breaks = [found.span() for found in _BREAK.finditer(text)]
        first = text[slice(*breaks[0])] if breaks else "\n"
        self.text = text
        self.starts = [0, *(end for _, end in breaks)]
        self.ends = [*(start for start, _ in breaks), len(text)]
        self.newline = first if first in {"\r\n", "\r"} else "\n"
        self.odd = not text.isascii() and re.search("[\x85\u2028\u2029]", text) is not None
        self.unfinished = self.starts[-1] < len(text)

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
        """How many characters are before one in its line."""
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

    def tail(self, end: int, column: int) -> int:
        """Where what belongs to an entry ends, with the comments below that are further in."""
        found = self.line(end)
        for line in self.following(end):
            if self.comment(line) and self.indentation(line) > column:
                found = line
            elif not self.blank(line):
                break
        return self.ends[found]


class Part:
    """A value in a text.

    kind   what it is; an alias is a scalar, for it changes only as a whole
    style  see `yaml_text.Mark`; of an alias ``*``
    """

    def __init__(self, page: Page, mark: Mark) -> None:
        self.page, self.mark = page, mark
        self.kind, self.style = _KINDS.get(mark.style, "scalar"), mark.style
        self.start = mark.span.start
        if mark.alias is not None:
            self.kind, self.style, self.start = "scalar", "*", mark.alias.start
        self.size = len(mark.parts)  # with entries that a merge key brings in
        self.block = self.style in {":", "-"}  # a list or mapping without brackets
        self.is_text = self.style in {"|", ">"}  # a block scalar

    @cached_property
    def end(self) -> int:
        """Where it ends, before its last line break: in block style, where its last value does."""
        page, mark = self.page, self.mark
        if mark.alias is not None:
            return mark.alias.end
        if not self.is_text:
            # A mapping of one key in a flow list may have no brackets.
            bare = self.kind != "scalar" and not self.bracketed
            return self.final().end if bare else mark.end
        # A block scalar ends after its last line, and the blank ones that belong to it.
        first, last = page.line(self.start), page.line(mark.end)
        if page.starts[last] == mark.end > self.start:
            last -= 1
        header = HEADER.match(page.text, self.start)
        if header is None or header[3] != "+":
            column = self.text_column()
            while last > first and page.blank(last) and len(page.of(last)) <= column:
                last -= 1
        return page.ends[last]

    def text_column(self) -> int:
        """The column that the text of a block scalar is at; 0 where it has none."""
        page = self.page
        lines = range(page.line(self.start) + 1, page.line(self.mark.end) + 1)
        return next((page.indentation(line) for line in lines if not page.blank(line)), 0)

    @property
    def opening(self) -> int:
        """Where its bracket is, with a tag or an anchor before it or not."""
        return max(self.start, self.mark.span.end - 1)

    @property
    def bracketed(self) -> bool:
        """It is between brackets."""
        return self.style in {"{", "["} and self.page.text[self.opening] in "{["

    @property
    def there(self) -> bool:
        """There is text for it; nothing at all is a null in YAML."""
        return self.end > self.start

    @cached_property
    def keys(self) -> list[str]:
        """The keys of a mapping, in the order they are written."""
        return [str(key) for key in self.mark.parts]

    def entry(self, index: int) -> "Entry":
        """One of its entries, by number."""
        return Entry(self, *self.mark.parts[index if self.kind == "list" else self.keys[index]])

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
            for entry in map(self.entry, range(self.size)):
                before = self.page.text[self.page.start(entry.start) : entry.start]
                colon = _COLON.match(self.page.text, entry.key_end)
                if before.rstrip(" ").endswith("?") or not colon:
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


class Entry:
    """A key of a mapping or an item of a list, and its value.

    start    where it begins: with the key, the dash of a list in block style, or the item
    key_end  where the key ends; start where there is none
    lead     the place after the colon or the dash; of a key without a colon its end
    """

    def __init__(self, around: Part, key: Span, mark: Mark) -> None:
        self.value = Part(around.page, mark)
        self.start, self.key_end = key
        if around.kind == "list":
            here = self.value.start
            self.start = here if around.style == "[" else _dash(around, here)
            self.key_end = self.start
            self.lead = self.start + (around.style == "-")
        else:
            colon = _COLON if around.block else _FLOW_COLON
            found = colon.match(around.page.text, self.key_end)
            self.lead = found.end() if found else self.key_end

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.value.end if self.value.there else self.lead

    @property
    def is_bare(self) -> bool:
        """It ends with a colon, which a space has to follow."""
        return not self.value.there and self.lead > self.key_end


def _dash(around: Part, value: int) -> int:
    """Where the dash of an item is: in the column of the first one, before the value."""
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


# The style of a text

#: A value under a key or after a dash: what is on that line, and the lines below it.
Lines = tuple[str, list[str]]


@dataclass(frozen=True, slots=True)
class Blocks:
    """How mappings and lists are written in block style; indented by so many columns.

    step   a mapping under its key
    lists  a list under its key, up to the dashes
    dash   an item, from the dash on
    texts  which texts of several lines may be block scalars: none (0), those that end with one line
           break at most (1), or all (2)
    """

    step: int
    lists: int
    dash: int
    texts: int = 2

    def before(self, page: Page, lines: range, column: int) -> "Blocks":
        """The style of a part that ends before lines, which no block scalar in it may take in.

        column is that of the entry that the part is in or of the part itself.
        """
        texts = 2
        for line in lines:
            blank = page.blank(line)
            width = len(page.of(line)) if blank else page.indentation(line)
            if width > column and (blank or page.comment(line)):
                texts = 0
            if not blank:
                break
            texts = min(texts, 1)
        return replace(self, texts=0 if page.odd else texts)

    def value(self, value: Any, column: int, quote: str = "") -> Lines:
        """A value under a key or dash that is in a column."""
        if kind(value) != "scalar" and value:
            inner = self.step if isinstance(value, dict) else self.lists
            return "", self.lines(value, column + inner)
        found = self.text(value, column, column + self.step)
        return found or (_scalar(value, quote), [])

    def lines(self, value: Any, column: int) -> list[str]:
        """The lines of a mapping or a list that is not empty, at a column."""
        if isinstance(value, dict):
            parts = (self.entry(key_text(None, k, ""), v, column) for k, v in value.items())
        else:
            parts = (self.item(item, column) for item in value)
        return [line for lines in parts for line in lines]

    def entry(self, name: str, value: Any, column: int, quote: str = "") -> list[str]:
        """The lines of a key, as it is written, and its value."""
        head, body = self.value(value, column, quote)
        return [" " * column + name + ":" + (" " + head if head else ""), *body]

    def item(self, value: Any, column: int, quote: str = "") -> list[str]:
        """The lines of an item of a list whose dashes are in a column."""
        dash = " " * column + "-" + " " * (self.dash - 1)
        if kind(value) != "scalar" and value:
            first, *others = self.lines(value, len(dash))
            return [dash + first[len(dash) :], *others]
        head, body = self.value(value, column, quote)
        return [dash + head, *body]

    def text(self, value: object, parent: int, column: int) -> Lines | None:
        """A text of several lines as a block scalar at a column; None where it cannot be one.

        parent is the column of the mapping or list that it is in. The head is its header.
        """
        if not isinstance(value, str) or "\n" not in value or not value.strip(" \t\n"):
            return None
        body = value.removesuffix("\n")
        lines = body.split("\n")
        keep = body.endswith("\n")
        # The indentation of a text that begins with white space is not seen from its first line.
        indent = str(column - parent) if value[0] in " \t\n" else ""
        if self.texts < 1 + keep or any(map(_UNPRINTABLE.search, lines)) or len(indent) > 1:
            return None  # a header has one digit for the indentation
        chomp = "+" if keep else "" if value.endswith("\n") else "-"
        return "|" + indent + chomp, [" " * column + line if line else "" for line in lines]


def blocks_of(page: Page, root: Part) -> Blocks:
    """The style of a YAML text: that of the first mapping, list and item which show it."""
    found: dict[str, int] = {}
    waiting, looked = [root], 0
    while waiting and looked < _PARTS and len(found) < 3:
        part, looked = waiting.pop(), looked + 1
        entries = list(map(part.entry, range(min(part.size, _ENTRIES)))) if part.block else []
        for entry in (entry for entry in entries if entry.value.block):
            first = entry.value.entry(0).start
            between = page.column(first) - page.column(entry.start)
            if part.kind == "map":
                found.setdefault("step" if entry.value.kind == "map" else "lists", between)
            elif page.line(first) == page.line(entry.start):
                found.setdefault("dash", between)
        waiting += [entry.value for entry in reversed(entries)]
    lists, dash = found.get("lists", 0), found.get("dash", 2)
    return Blocks(found.get("step") or lists or dash, lists, dash)


@dataclass(frozen=True, slots=True)
class Flow:
    """How lists and mappings between brackets are written; by itself as in YAML.

    comma    what is between two parts on one line
    colon    what is between a key and its value
    json     as JSON, and not in the flow style of YAML
    unit     in JSON, the indentation of parts on lines of their own; empty where none are
    ascii    in JSON, letters beyond ASCII are escaped
    newline  in JSON, the line break
    """

    comma: str = ", "
    colon: str = ": "
    json: bool = False
    unit: str = ""
    ascii: bool = False
    newline: str = "\n"


def flow_of(page: Page) -> Flow:
    """The style of a JSON text, as its first parts show it."""
    text = page.text
    colon = comma = unit = ""
    for found in _STYLE.finditer(text, 0, _CHARACTERS):
        colon, comma = colon or found["colon"] or "", comma or found["comma"] or ""
        if found["margin"] and not unit:
            line = page.of(page.line(found.start()))
            unit = found["margin"][len(line) - len(line.lstrip(" \t")) :]
        if colon and (comma or unit):
            break
    comma = comma or ("," if colon == ":" and not unit else ", ")
    return Flow(comma, colon or ": ", True, unit, text.isascii() and "\\u" in text, page.newline)


# Scalars and keys


def _scalar(value: object, quote: str = "", *, flow: bool = False) -> str:
    """A scalar on one line, in the quotes that are asked for, or else in those it needs.

    flow says that it is between brackets.
    """
    if not isinstance(value, str):
        return dump(value).removesuffix("\n")
    if quote == '"':
        return double(value)
    if quote == "'" and not _UNPRINTABLE.search(value):
        return _single(value)
    text = dump(value).removesuffix("\n")
    if _BREAK.search(text):
        return double(value)
    return _single(text) if flow and text[0] not in "'\"" and _FLOW_SIGNS.search(text) else text


def key_text(flow: Flow | None, name: str, quote: str) -> str:
    """A key on one line; CannotKeepError where it is too long for that.

    flow is the style between brackets, None in block style.
    """
    if flow is not None and flow.json:
        return flow_text(flow, name)
    text = _scalar(name, quote, flow=flow is not None)
    if len(text) > 1000:  # YAML looks for the colon within 1,024 characters
        raise CannotKeepError("the part that changed has a very long key")
    return text


def _single(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def double(value: str) -> str:
    """A string in double quotes; half of a character, which a file cannot hold, as ``?``."""
    return _UNPRINTABLE.sub(
        lambda found: "?" if _SURROGATE.match(found[0]) else f"\\u{ord(found[0]):04x}",
        json.dumps(value, ensure_ascii=False),
    )


# Between brackets


def flow_text(style: Flow, value: Any, indent: str | None = None, quote: str = "") -> str:
    """A value between brackets, or a scalar in the quotes that are asked for.

    indent is what its line begins with, if its parts may be on lines of their own.
    """
    if style.json:
        lines = bool(style.unit) and indent is not None
        text = json.dumps(
            value,
            ensure_ascii=style.ascii,
            indent=style.unit if lines else None,
            separators=("," if lines else style.comma, style.colon),
        )
        if not style.ascii and _SURROGATE.search(text):
            # Half of a character, which a file cannot hold, can be written as an escape.
            return flow_text(replace(style, ascii=True), value, indent)
        return text.replace("\n", f"{style.newline}{indent}") if lines else text
    if isinstance(value, dict):
        pairs = (f"{key_text(style, k, '')}: {flow_text(style, v)}" for k, v in value.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(flow_text(style, item) for item in value) + "]"
    return _scalar(value, quote, flow=True)
