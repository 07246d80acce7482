"""Writes a tree as the shortest shape text that reads back as the same tree (RFC 46)."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from fluxtui.notation import count as counts
from fluxtui.notation.shape.tree import Item, Shape, Vertex

_BARE = r"""[^\s:,{}\[\]/;="'+\-][^\s:,{}\[\]/;="']*"""
_BARE_TYPE = r"""[^\s:,{}\[\]/;="']+"""
_NUMBER = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_ESCAPED = {
    '"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t",
}  # fmt: skip


def format_shape(shape: Shape | Sequence[Vertex]) -> str:
    """The shape text of a tree, with quotes only where they are needed.

    ``parse_shape(format_shape(tree))`` gives the same tree, but for its spans.
    """
    vertices = shape.vertices if isinstance(shape, Shape) else shape
    return joined([_vertex(vertex) for vertex in vertices])


def joined(texts: Sequence[str]) -> str:
    """The shape text of a list of vertices from the shape texts of each."""
    return texts[0] if len(texts) == 1 else f"[{';'.join(texts)}]"


def _vertex(vertex: Vertex) -> str:
    parts = [_word(vertex.type, _BARE_TYPE), _count(vertex)]
    items = [_item(item) for item in vertex.keys]
    if vertex.type == "slot" and vertex.label is not None:
        items.insert(0, _word(vertex.label, _BARE))
    if items:
        parts.append(f"{{{','.join(items)}}}")
    if vertex.children:
        parts.append(f"/{format_shape(vertex.children)}")
    return "".join(parts)


def _count(vertex: Vertex) -> str:
    """The count, as it was written where that is still what it is."""
    text = vertex.count_text
    if not text or counts.parse(text).value != vertex.count:
        text = counts.format(vertex.count)
    return "" if text == "1" else f"={text}"


def _item(item: Item) -> str:
    key = "x" if item.key == "exclusive" else _key(item.key)
    return _pair(key, item.value)


def _pair(key: str, value: Any) -> str:
    if value is True:
        return key
    return f"-{key}" if value is False else f"{key}:{_value(value)}"


def _key(key: str) -> str:
    return '"x"' if key == "x" else _word(key, _BARE)


def _value(value: Any) -> str:
    if isinstance(value, str):
        if value in ("true", "false", "null") or re.fullmatch(_NUMBER, value):
            return _quoted(value)
        return _word(value, _BARE_TYPE)
    if isinstance(value, Mapping):
        pairs = (_pair(_key(str(key)), inner) for key, inner in value.items())
        return f"{{{','.join(pairs)}}}"
    return _json(value)


def _json(value: Any) -> str:
    """Strict JSON, which is all that an array may hold."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, Mapping):
        pairs = (f"{_quoted(str(key))}:{_json(inner)}" for key, inner in value.items())
        return f"{{{','.join(pairs)}}}"
    if isinstance(value, list | tuple):
        return f"[{','.join(map(_json, value))}]"
    return repr(value)


def _word(word: str, pattern: str) -> str:
    """The word, in quotes if it has to be."""
    plain = word.isalnum() or (re.fullmatch(pattern, word) and word.isprintable())
    return word if plain else _quoted(word)


def _quoted(word: str) -> str:
    """The word in double quotes, with the escapes of JSON (RFC 8259)."""
    return f'"{"".join(map(_escaped, word))}"'


def _escaped(char: str) -> str:
    if char in _ESCAPED:
        return _ESCAPED[char]
    if char.isprintable():
        return char
    code = ord(char)
    if code < 0x10000:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
