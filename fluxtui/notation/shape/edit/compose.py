"""The text of a changed tree that keeps all of the old text that still says the same (RFC 46).

A vertex reads the same wherever it stands, so one that did not change is copied; of the others
only the parts that changed are written anew. Where the old text is wrong or not finished, what
comes out is read again, and each time it says something else less of the old text is kept.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from fluxtui.notation.problem import Problem
from fluxtui.notation.shape.edit.align import same_tree
from fluxtui.notation.shape.edit.write import Typed, Writer
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.rules import check
from fluxtui.notation.shape.tree import MAX_DEPTH, Shape, Vertex, walk

_ENDS = re.compile("[/;]")


class Composed(NamedTuple):
    """The text of a tree; lawful where it reads back as that tree."""

    text: str
    lawful: bool


def rewrite(shape: Shape, vertices: Sequence[Vertex]) -> str:
    """The text of a new tree, with as much of the old text as still says the same (RFC 46).

    It reads back as the new tree, places aside, but for what no shape can say: more than 100
    levels, a text of more than 65,536 characters, numbers of more than 1,000 digits, what is not
    JSON. A slot with keys and no label, and a type that is empty, are written in the way that is
    read back with a problem. No vertices give the empty text. Only a slot has a label of its own.
    """
    return compose(shape, vertices).text


def compose(shape: Shape, vertices: Sequence[Vertex], typed: Typed | None = None) -> Composed:
    """`rewrite`, with the texts that were typed for some of the vertices."""
    if not vertices:
        return Composed("", True)
    typed = typed or Typed()
    text = Writer(shape, typed).write(vertices)
    if not _doubtful(shape, vertices, text, typed):
        return Composed(text, True)
    read = parse_shape(text)
    if same_tree(read.vertices, vertices) and _no_worse(read, shape):
        return Composed(text, True)
    if not shape.ok:
        mended = Writer(shape, typed, mend=True).write(vertices)
        if same_tree(parse_shape(mended).vertices, vertices):
            return Composed(mended, True)
    plain = Writer(Shape("")).write(vertices)
    return Composed(plain, same_tree(parse_shape(plain).vertices, vertices))


def _doubtful(shape: Shape, vertices: Sequence[Vertex], text: str, typed: Typed) -> bool:
    """Whether a piece of the text could read otherwise where it now stands.

    It can where the old text has errors, and where nesting comes near its limit. And a bare value
    that holds / or ; is read to its end only where its braces close, which quotes can hide.
    """
    if not shape.ok:
        return True
    brackets = text.count("[")
    if text.count("/") + brackets + text.count("{") >= MAX_DEPTH and _deep(vertices, brackets):
        return True
    if '"' not in text and "'" not in text:
        return False
    return any(map(_splits, (*typed.own.values(), *typed.whole.values()))) or any(
        kind == "string" and shape.text[start] not in "\"'" and _ENDS.search(shape.text, start, end)
        for kind, (start, end) in shape.tokens
    )


def _splits(text: str) -> bool:
    """Whether the braces of a piece may hold / or ;."""
    return _ENDS.search(text, text.find("{") + 1, max(text.rfind("}"), 0)) is not None


def _deep(vertices: Sequence[Vertex], brackets: int) -> bool:
    """Whether the text may nest as deeply as is read: a slash, perhaps a bracket for each level."""
    levels = values = 0
    row = vertices
    while row:
        levels += 1
        values = max(values, *(_depth(item.value) for vertex in row for item in vertex.keys), 0)
        row = [child for vertex in row for child in vertex.children]
    return levels + min(levels, brackets) + values + 1 >= MAX_DEPTH


def _depth(value: Any) -> int:
    """How many levels a JSON value has; 0 for one that holds no others."""
    row = [value]
    levels = -1
    while row:
        levels += 1
        held = [one.values() if isinstance(one, dict) else one for one in row
                if isinstance(one, dict | list | tuple)]  # fmt: skip
        row = [one for values in held for one in values]
    return levels


def _no_worse(read: Shape, shape: Shape) -> bool:
    """Whether a text has no more slips of the writing than the old one had."""
    return _errors(read.problems) <= _errors(shape.problems) or _slips(read) <= _slips(shape)


def _slips(shape: Shape) -> int:
    """How many errors are slips of the writing, not faults of the tree that it says."""
    bare = sum(vertex.type == "slot" and not vertex.children for vertex in walk(shape.vertices))
    return _errors(shape.problems) - bare - _errors(check(shape.vertices))


def _errors(problems: Iterable[Problem]) -> int:
    return sum(problem.severity == "error" for problem in problems)
