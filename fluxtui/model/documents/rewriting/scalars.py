"""Scalars of YAML as text that reads back as the same value in YAML 1.1."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fluxtui.model.documents.rewriting.parts import BREAK, CannotKeepError
from fluxtui.model.jobspec import text as jobspec_text

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

    flow tells that it stands between brackets.
    """
    if not isinstance(value, str):
        return jobspec_text.dump(value).removesuffix("\n")
    if quote == "'" and not _UNPRINTABLE.search(value):
        return _single(value)
    if quote == '"':
        return double(value)
    text = jobspec_text.dump(value).removesuffix("\n")
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


class Room(NamedTuple):
    """What follows a place where a block scalar may come to stand.

    least  the first column at which what follows is not taken for a part of it
    keep   its line breaks at the end may be kept, for no blank line follows
    never  a block scalar cannot stand there
    """

    least: int = 0
    keep: bool = True
    never: bool = False


class Block(NamedTuple):
    """A block scalar: its header, and its lines with their indentation."""

    header: str
    lines: list[str]


def block(
    value: str,
    parent: int,
    column: int,
    room: Room,
    folds: Mapping[str, Sequence[str]] | None = None,
) -> Block | None:
    """A text of several lines as a block scalar at a column; None where it cannot be one.

    parent is the column of the mapping or list that it stands in. Where folds are given, it is a
    folded one if it can be, with the paragraphs among them on those lines.
    """
    if room.never or "\n" not in value or not value.strip(" \t\n"):
        return None
    body = value.removesuffix("\n")
    lines = body.split("\n")
    keep = body.endswith("\n")
    column = max(column, room.least)
    # The indentation of a text that begins with white space is not seen from its first line.
    indent = str(column - parent) if value[0] in " \t\n" else ""
    if any(map(_UNPRINTABLE.search, lines)) or (keep and not room.keep):
        return None
    if indent and column - parent > _MOST_INDENTED:
        return None
    style = "|"
    if (
        folds is not None
        and not keep
        and not any(line[:1] in {" ", "\t"} for line in lines if line)
    ):
        style, lines = ">", _folded(lines, folds)
    chomp = "+" if keep else "" if value.endswith("\n") else "-"
    return Block(style + indent + chomp, [" " * column + line if line else "" for line in lines])


def _folded(lines: list[str], folds: Mapping[str, Sequence[str]]) -> list[str]:
    """Lines as those of a folded scalar, which makes one of those that no blank line parts."""
    found: list[str] = []
    for line in lines:
        if line and any(found):
            found.append("")
        found += folds.get(line, (line,)) if line else ("",)
    return found


def folds(lines: Sequence[str]) -> dict[str, list[str]]:
    """The lines of each paragraph of a folded scalar, by the text they fold into."""
    found: dict[str, list[str]] = {}
    paragraph: list[str] = []
    for line in (*lines, ""):
        if line.strip(" "):
            paragraph.append(line.lstrip(" "))
        elif paragraph:
            found[" ".join(paragraph)] = paragraph
            paragraph = []
    return found
