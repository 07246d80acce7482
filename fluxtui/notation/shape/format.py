"""Writes a tree as the shortest shape text that reads back as the same tree (RFC 46)."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from fluxtui.notation.json_text import quoted
from fluxtui.notation.shape.tree import Item, Shape, Vertex, count_text

_BARE = re.compile(r"""[^\s:,{}\[\]/;="'+\-][^\s:,{}\[\]/;="']*""")
_BARE_TYPE = re.compile(r"""[^\s:,{}\[\]/;="']+""")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


def format_shape(shape: Shape | Sequence[Vertex]) -> str:
    """The shape text of a tree, with quotes only where they are needed.

    ``parse_shape(format_shape(tree))`` gives the same tree, but for its spans. A slot with keys
    and no label, and a type that is empty, are written in the way that is read with a problem.
    """
    vertices = shape.vertices if isinstance(shape, Shape) else shape
    texts = [
        own_text(vertex) + (f"/{format_shape(vertex.children)}" if vertex.children else "")
        for vertex in vertices
    ]
    return texts[0] if len(texts) == 1 else f"[{';'.join(texts)}]"


def own_text(vertex: Vertex) -> str:
    """The type, the count and the braces of a vertex."""
    count = count_text(vertex)
    head = type_text(vertex.type) + ("" if count == "1" else f"={count}")
    entries = [item_text(item) for item in vertex.keys]
    if vertex.type == "slot" and vertex.label is not None:
        entries.insert(0, label_text(vertex.label))
    if not entries:
        # A type that is missing, and nothing else, would not be seen as a vertex.
        return head if vertex.type or count != "1" else f"{head}{{}}"
    return head + "{" + lead(vertex, entries[0]) + ",".join(entries) + "}"


def lead(vertex: Vertex, entry: str) -> str:
    """A comma in place of a slot's label that is missing, lest its first key be read as one."""
    unlabelled = vertex.type == "slot" and vertex.label is None
    return "," if unlabelled and entry[0] not in "+-" else ""


def type_text(name: str) -> str:
    """A resource type, in quotes if it has to be."""
    return _word(name, _BARE_TYPE)


def label_text(label: str) -> str:
    """A slot's label, in quotes if it has to be."""
    return _word(label, _BARE)


def item_text(item: Item) -> str:
    """A key with its value, ``x`` for ``exclusive``."""
    return pair_text("x" if item.key == "exclusive" else _key(item.key), item.value)


def pair_text(key: str, value: Any) -> str:
    """A key, as it is written, with its value."""
    if value is True:
        return key
    return f"-{key}" if value is False else f"{key}:{value_text(value)}"


def value_text(value: Any) -> str:
    """A value as it is written after a key and a colon."""
    if isinstance(value, str):
        if value in ("true", "false", "null") or _NUMBER.fullmatch(value):
            return quoted(value)
        return _word(value, _BARE_TYPE)
    if isinstance(value, Mapping):
        pairs = (pair_text(_key(str(key)), inner) for key, inner in value.items())
        return f"{{{','.join(pairs)}}}"
    return quoted(value)


def _key(key: str) -> str:
    return '"x"' if key == "x" else _word(key, _BARE)


def _word(word: str, pattern: re.Pattern[str]) -> str:
    """The word, in quotes if it has to be."""
    plain = word.isalnum() or (pattern.fullmatch(word) and word.isprintable())
    return word if plain else quoted(word)
