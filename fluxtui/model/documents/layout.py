"""The layout of a YAML or JSON text: where its values are, and how to write new ones alike.

A `Part` is a value in a text, an `Entry` is a key or an item of a list with its value. Both are
made lazily, so that a change deep in a large text looks only at the parts that lead there.
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

#: The header of a block scalar: its style, then indentation and chomping in either order.
HEADER = re.compile(r"([|>])([1-9]?)([-+]?)([1-9]?)")

_COLON = re.compile(r"[ \t]*:")
_FLOW_COLON = re.compile(r"\s*:")
_KINDS: dict[str, Kind] = {":": "map", "{": "map", "-": "list", "[": "list"}

# YAML 1.1 has three more line breaks than most editors.
_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")

_SURROGATE = re.compile("[\ud800-\udfff]")
# Characters that can be written only as escapes in double quotes.
_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]"
)
# A plain word with one of these may have another meaning between brackets.
_FLOW_SIGNS = re.compile(r"[,?:\[\]{}]")

# The style of a text is derived from at most this many of its parts, entries of each part, and
# characters of JSON.
_PARTS, _ENTRIES, _CHARACTERS = 300, 100, 20_000

# The style of JSON shows after a key, between two parts on one line, and before a first part.
_STYLE = re.compile(
    r'"(?:[^"\\]|\\.)*+"(?P<colon>\s*:[ \t]*)?'
    r"|(?P<comma>,[ \t]*)(?=[^ \t\r\n])|[\[{][ \t]*[\r\n]+(?P<margin>[ \t]*)"
)


class CannotKeepError(Exception):
    """The layout of a text cannot be kept; the argument is the reason."""


class Page:
    """A text by lines. A line begins after a line break and ends before the next one.

    newline     the line break that the text uses
    odd         whether it contains line breaks of YAML alone
    unfinished  whether the last line has no line break
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
        """The number of the line that contains this index, from 0."""
        return bisect_right(self.starts, index) - 1

    def start(self, index: int) -> int:
        """The start of the line that contains this index."""
        return self.starts[self.line(index)]

    def end(self, index: int) -> int:
        """The end of the line that contains this index."""
        return self.ends[self.line(index)]

    def column(self, index: int) -> int:
        """The column of this index in its line, from 0."""
        return index - self.start(index)

    def leads(self, index: int) -> bool:
        """Whether only spaces precede this index in its line."""
        return not self.text[self.start(index) : index].strip(" ")

    def of(self, line: int) -> str:
        """The text of a line without its line break."""
        return self.text[self.starts[line] : self.ends[line]]

    def blank(self, line: int) -> bool:
        """Whether a line contains nothing but spaces."""
        return not self.of(line).strip(" ")

    def comment(self, line: int) -> bool:
        """Whether a line contains nothing but a comment."""
        return self.of(line).lstrip(" ")[:1] == "#"

    def indentation(self, line: int) -> int:
        """The number of spaces at the start of a line."""
        text = self.of(line)
        return len(text) - len(text.lstrip(" "))

    def following(self, index: int) -> range:
        """The lines after the one that contains this index, except an empty last line."""
        return range(self.line(index) + 1, len(self.starts) - (not self.unfinished))

    def tail(self, end: int, column: int) -> int:
        """The end of an entry with the comments below it that are indented more than column."""
        last = self.line(end)
        for line in self.following(end):
            if self.comment(line) and self.indentation(line) > column:
                last = line
            elif not self.blank(line):
                break
        return self.ends[last]


class Part:
    """A value in a text.

    kind   an alias counts as a scalar, since it changes only as a whole
    style  as in `yaml_text.Mark`; ``*`` for an alias
    """

    def __init__(self, page: Page, mark: Mark) -> None:
        self.page, self.mark = page, mark
        self.kind, self.style = _KINDS.get(mark.style, "scalar"), mark.style
        self.start = mark.span.start
        if mark.alias is not None:
            self.kind, self.style, self.start = "scalar", "*", mark.alias.start
        self.size = len(mark.parts)  # including entries from a merge key
        self.block = self.style in {":", "-"}  # whether a list or mapping without brackets
        self.is_text = self.style in {"|", ">"}  # whether a block scalar

    @cached_property
    def end(self) -> int:
        """The end, before the last line break: in block style, the end of its last value."""
        page, mark = self.page, self.mark
        if mark.alias is not None:
            return mark.alias.end
        if not self.is_text:
            # A mapping with one key may have no brackets in a flow list.
            bare = self.kind != "scalar" and not self.bracketed
            return self.final().end if bare else mark.end
        # A block scalar ends with its last line and the blank lines that belong to it.
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
        """The column of the text of a block scalar; 0 if it is blank."""
        page = self.page
        lines = range(page.line(self.start) + 1, page.line(self.mark.end) + 1)
        return next((page.indentation(line) for line in lines if not page.blank(line)), 0)

    @property
    def opening(self) -> int:
        """The index of its opening bracket, which a tag or an anchor may precede."""
        return max(self.start, self.mark.span.end - 1)

    @property
    def bracketed(self) -> bool:
        """Whether it is between brackets."""
        return self.style in {"{", "["} and self.page.text[self.opening] in "{["

    @property
    def has_text(self) -> bool:
        """Whether there is any text for it; in YAML a null may have none."""
        return self.end > self.start

    @cached_property
    def keys(self) -> list[str]:
        """The keys of a mapping, in the order in which they are written."""
        return [str(key) for key in self.mark.parts]

    def entry(self, index: int) -> "Entry":
        """The entry with this index."""
        return Entry(self, *self.mark.parts[index if self.kind == "list" else self.keys[index]])

    def final(self) -> "Entry":
        """The entry written last."""
        return Entry(self, *self.mark.last) if self.mark.last else self.entry(self.size - 1)

    def leaf(self) -> "Part":
        """The last value in it if it is in block style, else the part itself."""
        return self.final().value.leaf() if self.block and self.size else self

    def trouble(self) -> str:
        """Why its entries cannot be changed one by one; "" if they can."""
        if self.mark.anchor:
            return "the part that changed has an anchor"
        if self.mark.odd:
            return f"the mapping that changed has {self.mark.odd}"
        if self.style == ":" and "?" in self.page.text:
            for entry in map(self.entry, range(self.size)):
                before = self.page.text[self.page.start(entry.start) : entry.start]
                colon = _COLON.match(self.page.text, entry.key_end)
                if before.rstrip(" ").endswith("?") or not colon:
                    return "the mapping that changed has a key after a question mark"
        return ""

    def anchored(self) -> bool:
        """Whether it has or contains an anchor, or may, in the hidden value of a duplicate key."""
        if "&" not in self.page.text or self.style == "*":
            return False
        return bool(self.mark.anchor or self.mark.odd) or any(
            self.page.text[span.start] == "&" or Part(self.page, inner).anchored()
            for span, inner in self.mark.parts.values()
        )


class Entry:
    """A key of a mapping or an item of a list, with its value.

    start    the start of the key, of the dash of a list in block style, or of the item
    key_end  the end of the key; start if there is none
    lead     the end of the colon or the dash; the end of a key without a colon
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
        """The end of the value, or of the colon or dash if it has no text."""
        return self.value.end if self.value.has_text else self.lead

    @property
    def is_bare(self) -> bool:
        """Whether it ends with a colon or dash, which must be followed by a space."""
        return not self.value.has_text and self.lead > self.key_end


def _dash(around: Part, value: int) -> int:
    """The index of the dash of an item: in the column of the first dash, before the value."""
    page = around.page
    first = around.mark.span.end
    # The mark of a list that is not indented under its key ends after the first dash.
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

#: A value of a key or dash: the text on that line, and the lines below it.
Lines = tuple[str, list[str]]


@dataclass(frozen=True, slots=True)
class Blocks:
    """The style of mappings and lists in block style; indentations are in columns.

    step   indentation of a mapping under its key
    lists  indentation of the dashes of a list under its key
    dash   columns from a dash to its item
    texts  which strings of several lines may be block scalars: none (0), those with at most one
           line break at the end (1), or all (2)
    """

    step: int
    lists: int
    dash: int
    texts: int = 2

    def before(self, page: Page, lines: range, column: int) -> "Blocks":
        """The style for a part before these lines, which a block scalar in it must not absorb.

        column is that of the entry that contains the part, or of the part itself.
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
        """The value of a key or dash in this column."""
        if kind(value) != "scalar" and value:
            inner = self.step if isinstance(value, dict) else self.lists
            return "", self.lines(value, column + inner)
        found = self.text(value, column, column + self.step)
        return found or (_scalar(value, quote), [])

    def lines(self, value: Any, column: int) -> list[str]:
        """The lines of a non-empty mapping or list in this column."""
        if isinstance(value, dict):
            parts = (self.entry(key_text(None, k, ""), v, column) for k, v in value.items())
        else:
            parts = (self.item(item, column) for item in value)
        return [line for lines in parts for line in lines]

    def entry(self, name: str, value: Any, column: int, quote: str = "") -> list[str]:
        """The lines of an entry; name is the text of its key."""
        head, body = self.value(value, column, quote)
        return [" " * column + name + ":" + (" " + head if head else ""), *body]

    def item(self, value: Any, column: int, quote: str = "") -> list[str]:
        """The lines of an item of a list whose dashes are in this column."""
        dash = " " * column + "-" + " " * (self.dash - 1)
        if kind(value) != "scalar" and value:
            first, *others = self.lines(value, len(dash))
            return [dash + first[len(dash) :], *others]
        head, body = self.value(value, column, quote)
        return [dash + head, *body]

    def text(self, value: object, parent: int, column: int) -> Lines | None:
        """A string of several lines as a block scalar, or None if it cannot be one.

        column is that of its text, parent that of the mapping or list that contains it. The head
        is the header.
        """
        if not isinstance(value, str) or "\n" not in value or not value.strip(" \t\n"):
            return None
        body = value.removesuffix("\n")
        lines = body.split("\n")
        keep = body.endswith("\n")
        # If the text begins with white space, its first line does not show the indentation.
        indent = str(column - parent) if value[0] in " \t\n" else ""
        if self.texts < 1 + keep or any(map(_UNPRINTABLE.search, lines)) or len(indent) > 1:
            return None  # a header has one digit for the indentation
        chomp = "+" if keep else "" if value.endswith("\n") else "-"
        return "|" + indent + chomp, [" " * column + line if line else "" for line in lines]


def blocks_of(page: Page, root: Part) -> Blocks:
    """The style of a YAML text, from the first mapping, list and item that show it."""
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
    """The style of lists and mappings between brackets; the default is for YAML.

    comma    the text between two parts on one line
    colon    the text between a key and its value
    json     whether this is JSON, not the flow style of YAML
    unit     in JSON, the indentation per level; "" if parts are not on lines of their own
    ascii    in JSON, whether non-ASCII characters are escaped
    newline  in JSON, the line break
    """

    comma: str = ", "
    colon: str = ": "
    json: bool = False
    unit: str = ""
    ascii: bool = False
    newline: str = "\n"


def flow_of(page: Page) -> Flow:
    """The style of a JSON text, from its first parts."""
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
    """A scalar on one line, in the quotes given, or else in those it needs.

    flow means that it is between brackets.
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
    """A key on one line; CannotKeepError if it is too long for that.

    flow is the style between brackets, or None in block style.
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
    """A string in double quotes, with ``?`` for lone surrogates, which a file cannot hold."""
    return _UNPRINTABLE.sub(
        lambda found: "?" if _SURROGATE.match(found[0]) else f"\\u{ord(found[0]):04x}",
        json.dumps(value, ensure_ascii=False),
    )


# Between brackets


def flow_text(style: Flow, value: Any, indent: str | None = None, quote: str = "") -> str:
    """A value between brackets, or a scalar in the quotes given.

    indent is the indentation of its line, or None if its parts must stay on one line.
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
            # A lone surrogate, which a file cannot hold, can be written as an escape.
            return flow_text(replace(style, ascii=True), value, indent)
        return text.replace("\n", f"{style.newline}{indent}") if lines else text
    if isinstance(value, dict):
        pairs = (f"{key_text(style, k, '')}: {flow_text(style, v)}" for k, v in value.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(flow_text(style, item) for item in value) + "]"
    return _scalar(value, quote, flow=True)
