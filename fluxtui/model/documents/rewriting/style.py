"""New parts of a text in the style of what is there: scalars, block style, and brackets.

Scalars are written so that they read back as the same value in YAML 1.1.
"""

import json
import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from fluxtui.model.documents.rewriting.parts import BREAK, CannotKeepError, Page, Part
from fluxtui.model.documents.writing import dump
from fluxtui.notation.json_compare import kind

_HALF = re.compile("[\ud800-\udfff]")

# So many parts of a text are looked at to learn its style.
_LOOKED = 1000
# The first parts of a JSON text show its style.
_LOOKED_JSON = 50


# A plain word that holds one of these may be something else between brackets.
_FLOW_SIGNS = re.compile(r"[,?:\[\]{}]")
# What can stand only as an escape in double quotes.
_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]"
)

# YAML looks for the colon of a key within 1,024 characters.
_LONGEST_KEY = 1000
# A block scalar can say of its indentation no more than this.
_MOST_INDENTED = 9


def scalar(value: object, quote: str = "", *, flow: bool = False) -> str:
    """A scalar on one line, in the quotes that are asked for, or else in those it needs.

    flow says that it is between brackets.
    """
    if not isinstance(value, str):
        return dump(value).removesuffix("\n")
    if quote == "'" and not _UNPRINTABLE.search(value):
        return _single(value)
    if quote == '"':
        return double(value)
    text = dump(value).removesuffix("\n")
    if BREAK.search(text):
        return double(value)
    if flow and text[0] not in "'\"" and _FLOW_SIGNS.search(text):
        return _single(text)
    return text


def key(name: str, quote: str = "", *, flow: bool = False) -> str:
    """A key on one line; see `scalar`. CannotKeepError where it is too long for that."""
    text = scalar(name, quote, flow=flow)
    if len(text) > _LONGEST_KEY:
        raise CannotKeepError("the part that changed has a very long key")
    return text


def quote_of(text: str) -> str:
    """The quotes that a text begins with."""
    return text[:1] if text[:1] in {"'", '"'} else ""


def _single(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def double(value: str) -> str:
    """A string in double quotes; half of a character, which a file cannot hold, as ``?``."""
    return _UNPRINTABLE.sub(_escaped, json.dumps(value, ensure_ascii=False))


def _escaped(found: re.Match[str]) -> str:
    half = "\ud800" <= found[0] <= "\udfff"
    return "?" if half else f"\\u{ord(found[0]):04x}"


class Lines(NamedTuple):
    """A value under a key or after a dash: what is on that line, and the lines below it."""

    head: str
    body: list[str]


@dataclass(frozen=True, slots=True)
class Following:
    """What follows a place where a block scalar may be put.

    least  the first column at which what follows is not taken for a part of it
    keep   its line breaks at the end may be kept, for no blank line follows
    never  a block scalar cannot be there
    """

    least: int = 0
    keep: bool = True
    never: bool = False


def block(value: str, parent: int, column: int, follows: Following) -> "Lines | None":
    """A text of several lines as a block scalar at a column; None where it cannot be one.

    parent is the column of the mapping or list that it is in. The head is its header.
    """
    if follows.never or "\n" not in value or not value.strip(" \t\n"):
        return None
    body = value.removesuffix("\n")
    lines = body.split("\n")
    keep = body.endswith("\n")
    column = max(column, follows.least)
    # The indentation of a text that begins with white space is not seen from its first line.
    indent = str(column - parent) if value[0] in " \t\n" else ""
    if any(map(_UNPRINTABLE.search, lines)) or (keep and not follows.keep):
        return None
    if indent and column - parent > _MOST_INDENTED:
        return None
    chomp = "+" if keep else "" if value.endswith("\n") else "-"
    return Lines("|" + indent + chomp, [" " * column + line if line else "" for line in lines])


@dataclass(frozen=True, slots=True)
class Layout:
    """How mappings and lists in block style are indented, in columns.

    step   a mapping under its key
    lists  a list under its key, up to the dashes
    dash   an item, from the dash on
    """

    step: int
    lists: int
    dash: int


def layout(page: Page, root: Part) -> Layout:
    """The layout of a YAML text: that of the first mapping, list and item which show it."""
    found: dict[str, int] = {}
    waiting = [root]
    looked = 0
    while waiting and len(found) < 3 and looked < _LOOKED:
        part = waiting.pop()
        looked += 1
        entries = [part.entry(index) for index in range(part.size)] if part.block else []
        for entry in entries:
            if entry.value.block:
                _show(page, part, entry.start, entry.value, found)
        waiting += [entry.value for entry in reversed(entries)]
    lists, dash = found.get("lists", 0), found.get("dash", 2)
    return Layout(found.get("step") or lists or dash, lists, dash)


def _show(page: Page, part: Part, start: int, inner: Part, found: dict[str, int]) -> None:
    """Note what a list or mapping within another shows of the layout."""
    first = inner.entry(0).start
    between = page.column(first) - page.column(start)
    if part.kind == "map":
        found.setdefault("step" if inner.kind == "map" else "lists", between)
    elif page.line(first) == page.line(start):
        found.setdefault("dash", between)


@dataclass(frozen=True, slots=True)
class Flow:
    """How lists and mappings between brackets are written.

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


def flow(page: Page, root: Part) -> Flow:
    """The style of a JSON text, as its first parts show it."""
    text = page.text
    colon = comma = unit = ""
    waiting = [root]
    looked = 0
    while waiting and looked < _LOOKED_JSON and not (colon and (comma or unit)):
        part = waiting.pop()
        looked += 1
        entries = [part.entry(index) for index in range(min(part.size, 2))]
        if not entries:
            continue
        if part.kind == "map" and not colon:
            colon = text[entries[0].key_end : entries[0].value.start]
        if page.line(entries[0].start) > page.line(part.start):
            outer = margin(page, part.start)
            unit = unit or margin(page, entries[0].start)[len(outer) :]
        elif len(entries) > 1:
            comma = comma or text[entries[0].end : entries[1].start].lstrip()
        waiting += [entry.value for entry in reversed(entries)]
    comma = comma or ("," if colon == ":" and not unit else ", ")
    escaped = text.isascii() and "\\u" in text
    return Flow(comma, colon or ": ", True, unit, escaped, page.newline)


def margin(page: Page, index: int) -> str:
    """The white space that the line of a character begins with."""
    line = page.of(page.line(index))
    return line[: len(line) - len(line.lstrip(" \t"))]


class Styles:
    """The layout and the flow style of a text, found out when they are needed."""

    def __init__(self, page: Page, root: Part, *, is_json: bool) -> None:
        self._page, self._root, self._is_json = page, root, is_json

    @cached_property
    def layout(self) -> Layout:
        """The layout of a YAML text."""
        return layout(self._page, self._root)

    @cached_property
    def flow(self) -> Flow:
        """The style of a JSON text; the flow style of YAML is always the same."""
        return flow(self._page, self._root) if self._is_json else Flow()


def flow_text(style: Flow, value: Any, indent: str | None = None, quote: str = "") -> str:
    """A value between brackets, or a scalar in the quotes that are asked for.

    indent is what its line begins with, if its parts may stand on lines of their own.
    """
    if style.json:
        return _json(style, value, indent)
    if isinstance(value, dict):
        pairs = (f"{key(k, flow=True)}: {flow_text(style, v)}" for k, v in value.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(flow_text(style, item) for item in value) + "]"
    return scalar(value, quote, flow=True)


def flow_key(style: Flow, name: str, quote: str = "") -> str:
    """A key between brackets."""
    return _json(style, name, None) if style.json else key(name, quote, flow=True)


def _json(style: Flow, value: Any, indent: str | None) -> str:
    lines = bool(style.unit) and indent is not None
    text = json.dumps(
        value,
        ensure_ascii=style.ascii,
        indent=style.unit if lines else None,
        separators=("," if lines else style.comma, style.colon),
    )
    if not style.ascii and _HALF.search(text):
        # Half of a character, which a file cannot hold, can be written as an escape.
        return _json(replace(style, ascii=True), value, indent)
    return text.replace("\n", f"{style.newline}{indent}") if lines else text


def value_lines(
    style: Layout, follows: Following, value: Any, column: int, quote: str = ""
) -> Lines:
    """A value under a key that is in a column."""
    if kind(value) != "scalar" and value:
        inner = style.step if isinstance(value, dict) else style.lists
        return Lines("", block_lines(style, follows, value, column + inner))
    if isinstance(value, str):
        found = block(value, column, column + style.step, follows)
        return found or Lines(scalar(value, quote), [])
    return Lines(scalar(value), [])


def block_lines(style: Layout, follows: Following, value: Any, column: int) -> list[str]:
    """The lines of a mapping or a list that is not empty, in block style at a column."""
    if isinstance(value, dict):
        parts = (entry_lines(style, follows, key(k), v, column) for k, v in value.items())
    else:
        parts = (item_lines(style, follows, item, column) for item in value)
    return [line for lines in parts for line in lines]


def entry_lines(
    style: Layout, follows: Following, name: str, value: Any, column: int, quote: str = ""
) -> list[str]:
    """The lines of a key, as it is written, and its value."""
    head, body = value_lines(style, follows, value, column, quote)
    return [" " * column + name + ":" + (" " + head if head else ""), *body]


def item_lines(
    style: Layout, follows: Following, value: Any, column: int, quote: str = ""
) -> list[str]:
    """The lines of an item of a list whose dashes stand in a column."""
    dash = " " * column + "-" + " " * (style.dash - 1)
    if kind(value) != "scalar" and value:
        first, *others = block_lines(style, follows, value, len(dash))
        return [dash + first[len(dash) :], *others]
    head, body = value_lines(style, follows, value, column, quote)
    return [dash + head, *body]


def closed(value: Any) -> bool:
    """The text of a value may end in a block scalar that ends with a line break."""
    while kind(value) != "scalar" and value:
        value = list(value.values() if isinstance(value, dict) else value)[-1]
    return isinstance(value, str) and value.endswith("\n")
