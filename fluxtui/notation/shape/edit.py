"""Edits of a shape text through its tree, which preserve the rest of the text (RFC 46).

Spaces, order, quotes, brackets and the spelling of counts and keys stay as they were typed
unless they are edited. A shape with one slot may omit its label, which is then ``default``; with
more slots each needs a label of its own.
"""

import functools
import itertools
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Concatenate, Literal, ParamSpec

from fluxtui.notation import count as counts
from fluxtui.notation.count import MAX_DIGITS, Range
from fluxtui.notation.problem import MAX_LENGTH, Problem, at, printable, too_long
from fluxtui.notation.shape.format import DEFAULT, own_text, rewrite, same_meaning
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import (
    RULE,
    Item,
    Path,
    Shape,
    Tree,
    Vertex,
    changed,
    check,
    count_text,
    document_path,
    vertex_at,
    walk,
)

P = ParamSpec("P")

_MOST = 10**MAX_DIGITS

# What is read as a count where a type is no more likely: digits, and the signs of a range or idset.
_COUNT = re.compile("[0-9][0-9+,:*^-]*")


@dataclass(frozen=True, slots=True)
class Edited:
    """A shape text after an edit.

    path     where the cursor should go
    problem  why the edit was refused, with the text unchanged; else None
    """

    text: str
    path: Path
    problem: Problem | None = None


class _RefusedError(Exception):
    """An edit is refused; the argument is the problem."""


def _refused(
    path: Path, message: str, *expected: str, rule: str = RULE, key: str = ""
) -> _RefusedError:
    where = document_path(path)
    return _RefusedError(Problem(message, None, at(where, key) if key else where, expected, rule))


def _taken(path: Path, label: str) -> _RefusedError:
    message = f"the label '{printable(label)}' is already taken"
    return _refused(path, message, "another label", rule="RFC 14", key="label")


def _tried(shape: Shape, path: Path, edit: Callable[[], Edited]) -> Edited:
    """Run an edit; if refused, the cursor stays, or goes up to the nearest existing vertex."""
    try:
        return edit()
    except _RefusedError as refused:
        while path and vertex_at(shape.vertices, path) is None:
            path = path[:-1]
        return Edited(shape.text, path, refused.args[0])


def _of_vertex(
    edit: Callable[Concatenate[Shape, Path, Vertex, P], Edited],
) -> Callable[Concatenate[Shape, Path, P], Edited]:
    """Decorate an edit to receive the vertex at the path; it is refused if there is none."""

    @functools.wraps(edit)
    def found(shape: Shape, path: Path, /, *args: P.args, **kwargs: P.kwargs) -> Edited:
        return _tried(
            shape, path, lambda: edit(shape, path, _existing(shape.vertices, path), *args, **kwargs)
        )

    return found


def _edited(
    shape: Shape, vertices: Tree, to: Path, back: Path, typed: Shape | None = None
) -> Edited:
    """The edit to this tree and path, or refused at back if unreadable; typed: see `rewrite`."""
    after = rewrite(shape, vertices, typed)
    if after is None:
        raise _refused(back, "the shape would be nested too deeply to be read")
    if len(after.text) > MAX_LENGTH:
        raise _RefusedError(too_long("shape", after.text, RULE))
    return Edited(after.text, to)


def _line_read(shape: Shape, line: str) -> Shape:
    """Read the line of one vertex as `rewrite` needs it; a slot may have no children."""
    text = line.strip()
    if not text:
        problem = Problem("a resource type is missing", None, None, ("a resource type",), RULE)
        raise _RefusedError(problem)
    read = parse_shape(line)
    if not read.ok and not parse_shape(f"{text}/core").ok:
        raise _RefusedError(next(p for p in read.problems if p.severity == "error"))
    if len(read.vertices) != 1:
        message = "expected one resource, not a list"
        raise _RefusedError(Problem(message, None, None, ("one resource",), RULE))
    placed = " " * len(shape.text) + line
    if len(placed) > MAX_LENGTH:
        raise _RefusedError(too_long("shape", placed, RULE))
    return parse_shape(placed)


# Trees


def _put(vertices: Tree, path: Path, *instead: Vertex) -> Tree:
    step = path[0]
    if len(path) > 1:
        parent = vertices[step]
        instead = (parent._replace(children=_put(parent.children, path[1:], *instead)),)
    return (*vertices[:step], *instead, *vertices[step + 1 :])


def _existing(tree: Tree, path: Path) -> Vertex:
    vertex = vertex_at(tree, path)
    if vertex is None:
        raise _refused(path, f"there is no resource at {document_path(path)}")
    return vertex


class _Labels:
    """Gives out labels that are not taken."""

    def __init__(self, taken: Iterable[str]) -> None:
        self.taken = set(taken)
        self.last: dict[str, int] = {}  # the last number given, by the text before the number

    def default(self) -> str:
        """Take ``default`` if it is free, else another label."""
        label = self.like(DEFAULT) if DEFAULT in self.taken else DEFAULT
        self.taken.add(label)
        return label

    def like(self, label: str) -> str:
        """Take a label like this one with the next free number, which is 2 or more."""
        name = "slot" if label == DEFAULT else label
        found = re.search(r"[0-9]{1,9}\Z", name)
        digits = found[0] if found else ""
        base = name[: len(name) - len(digits)]
        for number in itertools.count(max(self.last.get(base, 0), int(digits or 1)) + 1):
            new = f"{base}{number:0{len(digits)}d}"
            if new not in self.taken:
                break
        self.last[base] = number
        self.taken.add(new)
        return new


def _is_label(item: Item) -> bool:
    return item.key == "label" and isinstance(item.value, str)


def _labels(vertices: Tree) -> list[str]:
    out = []
    for vertex in walk(vertices):
        if vertex.label is not None:
            out.append(vertex.label)
        out += [item.value for item in vertex.keys if _is_label(item)]
    return out


def _slots(vertices: Tree) -> int:
    return sum(vertex.type == "slot" for vertex in walk(vertices))


def _labelled(vertex: Vertex, name: Callable[[], str]) -> Vertex:
    without = vertex.type == "slot" and vertex.label is None
    return vertex._replace(label=name()) if without else vertex


def _settled(
    vertices: Tree, added: Vertex, path: Path, *, copy: bool = False
) -> tuple[Tree, Vertex]:
    """Give a tree and a vertex to be added the labels they need; a copy gets only new labels.

    With several slots, the first without a label gets ``default``, which it had implicitly, and the
    others a new one. Refused at the path if a label of the added vertex is taken.
    """
    used = _Labels(_labels(vertices))
    added_labels = _labels((added,))
    several = _slots((added,)) and _slots(vertices) + _slots((added,)) > 1
    if several:
        vertices = changed(vertices, lambda v: _labelled(v, used.default))

    def renamed(vertex: Vertex) -> Vertex:
        if vertex.label is not None:
            vertex = vertex._replace(label=used.like(vertex.label))
        if not any(map(_is_label, vertex.keys)):
            return vertex
        keys = (i._replace(value=used.like(i.value)) if _is_label(i) else i for i in vertex.keys)
        return vertex._replace(keys=tuple(keys))

    if copy:
        added = changed((added,), renamed)[0]
    elif clash := next((label for label in added_labels if label in used.taken), ""):
        raise _taken(path, clash)
    used.taken.update(added_labels)
    if several:
        added = changed((added,), lambda v: _labelled(v, lambda: used.like(DEFAULT)))[0]
    elif added.keys:
        added = _labelled(added, used.default)
    return vertices, added


# Adding, removing and moving vertices


def add_child(shape: Shape, path: Path, type: str) -> Edited:
    """Add a last child to a vertex, or a last vertex at the top for the path ().

    ``type`` is a type or a shape of one vertex, such as ``gpu=2{x}`` or ``slot/core``. The cursor
    goes to the new vertex. If there are several slots then, those without a label get one.
    """
    return _tried(shape, path, lambda: _added(shape, path, type, "in"))


def add_sibling(shape: Shape, path: Path, type: str) -> Edited:
    """Add a vertex after another, as in `add_child`; for the path () as the last at the top."""
    return _tried(shape, path, lambda: _added(shape, path, type, "after"))


def wrap(shape: Shape, path: Path, type: str) -> Edited:
    """Put a new vertex around another; type is a line such as ``slot=4{a}`` without children."""
    return _tried(shape, path, lambda: _added(shape, path, type, "around"))


def _added(shape: Shape, path: Path, line: str, where: Literal["in", "after", "around"]) -> Edited:
    """Add the vertex of a line to the tree, with the labels that both need."""
    is_last = where != "around" and not (path and shape.vertices)
    if not is_last:
        _existing(shape.vertices, path)
    read = _line_read(shape, line)
    new = read.vertices[0]
    if where == "around" and new.children:
        message = "a vertex around another one cannot have children"
        raise _refused(path, message, "a line without '/'")
    tree, new = _settled(shape.vertices, new, path)
    to: Path
    if is_last:
        tree, to = (*tree, new), (len(tree),)
    elif where == "around":
        tree, to = _put(tree, path, new._replace(children=(_existing(tree, path),))), path
    elif where == "after":
        tree, to = _put(tree, path, _existing(tree, path), new), (*path[:-1], path[-1] + 1)
    else:
        parent = _existing(tree, path)
        to = (*path, len(parent.children))
        tree = _put(tree, path, parent._replace(children=(*parent.children, new)))
    return _edited(shape, tree, to, path, read)


@_of_vertex
def delete(shape: Shape, path: Path, vertex: Vertex) -> Edited:
    """Remove a vertex with its children.

    The cursor goes to the next vertex of the list, else to the previous one, else to the parent.
    """
    parent = vertex_at(shape.vertices, path[:-1])
    left = len(parent.children if parent else shape.vertices) - 1
    to = (*path[:-1], min(path[-1], left - 1)) if left else path[:-1]
    return _edited(shape, _put(shape.vertices, path), to, path)


@_of_vertex
def lift(shape: Shape, path: Path, vertex: Vertex) -> Edited:
    """Replace a vertex by its children; the cursor goes to the first of them."""
    if not vertex.children:
        return delete(shape, path)
    return _edited(shape, _put(shape.vertices, path, *vertex.children), path, path)


@_of_vertex
def duplicate(shape: Shape, path: Path, vertex: Vertex) -> Edited:
    """Add a copy of a vertex after it, with labels of its own; the cursor goes to the copy."""
    tree, copy = _settled(shape.vertices, vertex, path, copy=True)
    after = _put(tree, path, _existing(tree, path), copy)
    return _edited(shape, after, (*path[:-1], path[-1] + 1), path)


@_of_vertex
def move(shape: Shape, path: Path, vertex: Vertex, by: int) -> Edited:
    """Move a vertex forward in its list by this many places, or back, but not beyond an end."""
    parent = vertex_at(shape.vertices, path[:-1])
    row = list(parent.children if parent else shape.vertices)
    to = min(max(path[-1] + by, 0), len(row) - 1)
    if to == path[-1] and by:
        end = "last" if by > 0 else "first"
        raise _refused(path, f"{_name(vertex)} is already the {end} of its list")
    del row[path[-1]]
    row.insert(to, vertex)
    tree = tuple(row)
    if parent:
        tree = _put(shape.vertices, path[:-1], parent._replace(children=tree))
    return _edited(shape, tree, (*path[:-1], to), path)


@_of_vertex
def indent(shape: Shape, path: Path, vertex: Vertex) -> Edited:
    """Move a vertex into the one before it, as its last child."""
    if not path[-1]:
        raise _refused(path, f"there is no vertex before {_name(vertex)} to hold it")
    before = (*path[:-1], path[-1] - 1)
    parent = _existing(shape.vertices, before)
    after = parent._replace(children=(*parent.children, vertex))
    tree = _put(_put(shape.vertices, path), before, after)
    return _edited(shape, tree, (*before, len(parent.children)), path)


@_of_vertex
def outdent(shape: Shape, path: Path, vertex: Vertex) -> Edited:
    """Move a vertex out of its parent, to the place after it."""
    if len(path) == 1:
        raise _refused(path, f"{_name(vertex)} is already at the top")
    tree = _put(shape.vertices, path)
    tree = _put(tree, path[:-1], _existing(tree, path[:-1]), vertex)
    return _edited(shape, tree, (*path[:-2], path[-2] + 1), path)


def _name(vertex: Vertex) -> str:
    return printable(vertex.type) or "it"


# Changing the parts of one vertex


@_of_vertex
def step_count(shape: Shape, path: Path, vertex: Vertex, by: int) -> Edited:
    """Increase the count by this many steps, or decrease it if ``by`` is negative.

    In an open range (``2+``) the smallest count moves by 1, in a closed one the largest by the
    operand (``2-8:2`` to ``2-10:2``, ``2-8:2:*`` to ``2-16:2:*``). Refused if nothing can move.
    """
    count = vertex.count
    value: int | Range
    if isinstance(count, int):
        value = min(max(count + by, 1), _MOST - 1)
        text = str(value)
    elif not isinstance(count, Range):
        message = "a set of counts has no next value; type the counts you want"
        raise _refused(path, message, "a count such as 4", key="count")
    elif count.max is None:
        least = 2 if count.operator == "^" else 1
        value = replace(count, min=min(max(count.min + by, least), _MOST - 1))
        text = re.sub("[0-9]+", str(value.min), count_text(vertex), count=1)
    else:
        most = _moved(count, count.max, by)
        value = replace(count, max=most)
        text = re.sub("([0-9]+-)[0-9]+", rf"\g<1>{most}", count_text(vertex), count=1)
    if value == count and by:
        raise _refused(path, _limit(count, by), key="count")
    after = vertex._replace(count=value, count_text=text)
    return _edited(shape, _put(shape.vertices, path, after), path, path)


def _moved(count: Range, most: int, by: int) -> int:
    """The largest count of a closed range after this many steps, or as many as it allows."""
    operand = count.operand
    if count.operator == "+":
        room = (_MOST - 1 - most if by > 0 else max(most - count.min, 0)) // operand
        return most + operand * max(-room, min(by, room))
    for _ in range(abs(by)):
        if count.operator == "*":
            moved = most * operand if by > 0 else most // operand
        else:
            moved = _power(most, operand) if by > 0 else _root(most, operand)
        if moved == most or (moved >= _MOST if by > 0 else moved < count.min):
            break
        most = moved
    return most


def _power(value: int, exponent: int) -> int:
    large = (value.bit_length() - 1) * exponent > _MOST.bit_length()
    return _MOST if large else int(value**exponent)


def _root(value: int, exponent: int) -> int:
    """The largest integer whose power is at most the value."""
    low, high = 1, value
    while low < high:
        middle = (low + high + 1) // 2
        if _power(middle, exponent) <= value:
            low = middle
        else:
            high = middle - 1
    return low


def _limit(count: int | Range, by: int) -> str:
    broken = counts.broken(count) if isinstance(count, Range) else ()
    if any(broken):
        return next(filter(None, broken))
    if by > 0:
        return f"a count has at most {MAX_DIGITS} digits"
    if isinstance(count, Range) and count.max is not None:
        return "the largest count of a range is not below the smallest"
    if isinstance(count, Range) and count.operator == "^":
        return "with ^ the smallest count is 2 or more"
    return "a count is 1 or more"


@_of_vertex
def set_label(shape: Shape, path: Path, vertex: Vertex, label: str) -> Edited:
    """Set the label, which no other vertex may have; an empty one removes it.

    Refused to remove the label of a slot that needs it: one with keys, or one of several slots.
    """
    if vertex.type != "slot":
        return set_text(shape, path, "label", label)
    several = _slots(shape.vertices) > 1
    if not label and (several or vertex.keys):
        message = "a slot with keys needs a label before them"
        if several:
            message = "a slot needs a label if there is more than one slot"
        raise _refused(path, message, "a label", key="label")
    if label != vertex.label and label in _labels(shape.vertices):
        raise _taken(path, label)
    return _with(shape, path, vertex._replace(label=label or None))


@_of_vertex
def set_key(shape: Shape, path: Path, vertex: Vertex, key: str, value: Any) -> Edited:
    """Set a key to any JSON value; the key is that of RFC 14, so ``exclusive`` and not ``x``.

    A slot without a label gets one, since its braces must begin with it.
    """
    if key == "label" and vertex.type == "slot" and isinstance(value, str):
        return set_label(shape, path, value)
    others = _put(shape.vertices, path, vertex._replace(keys=()))
    if key == "label" and value in _labels(others):
        raise _taken(path, value)
    wrong = check((Vertex("node", keys=(Item(key, value),)),))
    if wrong:
        where = at(document_path(path), key)
        raise _RefusedError(replace(wrong[0], span=None, path=where))
    keys = [item for item in vertex.keys if item.key != key]
    # The first of several equal keys stays.
    place = next((n for n, item in enumerate(vertex.keys) if item.key == key), len(keys))
    keys.insert(place, (*vertex.keys, Item(key, value))[place]._replace(value=value))
    after = vertex._replace(keys=tuple(keys))
    return _with(shape, path, _labelled(after, _Labels(_labels(shape.vertices)).default))


@_of_vertex
def set_text(shape: Shape, path: Path, vertex: Vertex, key: str, text: str) -> Edited:
    """Set a key such as ``unit`` to a text; a blank text removes the key."""
    if text.strip():
        return set_key(shape, path, key, text.strip())
    has_key = any(item.key == key for item in vertex.keys)
    return remove_key(shape, path, key) if has_key else Edited(shape.text, path)


def set_pair(shape: Shape, path: Path, pair: str) -> Edited:
    """Set a key as in ``key:value``; a key alone is true, one after ``-`` is false."""
    if not pair.strip():
        return Edited(shape.text, path)
    parsed = parse_shape(f"x{{{pair}}}")
    # A brace in the text may end the keys early, so that other vertices follow.
    (only, *others) = parsed.vertices or (Vertex(""),)
    whole = parsed.ok and not others and parsed.tokens[-1].span.end == len(parsed.text)
    if not whole or only.children or len(only.keys) != 1:
        wanted = ("id:0-3", "unit:GB", "x", "-x")
        problem = Problem("not a key with a value", None, None, wanted, RULE)
        return Edited(shape.text, path, problem)
    return set_key(shape, path, only.keys[0].key, only.keys[0].value)


@_of_vertex
def remove_key(shape: Shape, path: Path, vertex: Vertex, key: str) -> Edited:
    """Remove a key; refused if the vertex does not have it."""
    if key == "label" and vertex.type == "slot":
        return set_label(shape, path, "")
    keys = tuple(item for item in vertex.keys if item.key != key)
    if len(keys) == len(vertex.keys):
        raise _refused(path, f"{printable(vertex.type)} has no key '{printable(key)}'")
    return _with(shape, path, vertex._replace(keys=keys))


@_of_vertex
def toggle_exclusive(shape: Shape, path: Path, vertex: Vertex) -> Edited:
    """Cycle a vertex from exclusive to shared to neither: ``x``, ``-x``, no key (RFC 14)."""
    given = next((item.value for item in vertex.keys if item.key == "exclusive"), None)
    if given is False:
        return remove_key(shape, path, "exclusive")
    return set_key(shape, path, "exclusive", given is not True)


def _with(shape: Shape, path: Path, after: Vertex) -> Edited:
    """Replace the own parts of a vertex, or refuse if a shape cannot express them."""
    read = parse_shape(own_text(after)).vertices
    if len(read) != 1 or not same_meaning(read[0], after):
        raise _refused(path, "a shape cannot express this")
    return _edited(shape, _put(shape.vertices, path, after), path, path)


def _counted(shape: Shape, path: Path, vertex: Vertex, line: str) -> Edited:
    """Give a vertex the count that a line consists of."""
    text = line.strip()
    read = counts.parse(text, line.index(text))
    if read.value is None or not read.ok:
        raise _RefusedError(next(p for p in read.problems if p.severity == "error"))
    after = vertex._replace(count=read.value, count_text=text)
    return _edited(shape, _put(shape.vertices, path, after), path, path)


def line_of(shape: Shape, path: Path) -> str:
    """The text of a vertex without its children: the initial line for `edit_vertex`."""
    vertex = vertex_at(shape.vertices, path)
    return shape.text[vertex.span.start : vertex.own_end] if vertex else ""


@_of_vertex
def edit_vertex(shape: Shape, path: Path, vertex: Vertex, line: str) -> Edited:
    """Give a vertex the type, count, label and keys of a line such as ``node=4{x}``.

    A line such as ``8-16:4`` changes only the count. Its children stay; the line may have children
    only if the vertex has none. If the line is in the spelling of `format_shape`, unchanged parts
    keep their old spelling; otherwise it is used verbatim. One of several slots keeps its label if
    the line omits it.
    """
    if _COUNT.fullmatch(line.strip()) and line.strip() != vertex.type:
        return _counted(shape, path, vertex, line)
    read = _line_read(shape, line)
    typed = read.vertices[0]
    if typed.children and vertex.children:
        message = "the resource already has children; leave them out of the line"
        raise _refused(path, message, "a line without '/'")
    after = typed._replace(span=vertex.span)
    if after.type == "slot" and after.label is None and _slots(shape.vertices) > 1:
        after = after._replace(label=vertex.label)
    rest = _put(shape.vertices, path, vertex._replace(type="", label=None, keys=()))
    if _slots((after,)) > (vertex.type == "slot"):
        rest, after = _settled(rest, after, path)
    else:
        own_labels = _labels((vertex._replace(children=()),))
        others = _labels(rest)
        if taken := next((n for n in _labels((after,)) if n in others and n not in own_labels), ""):
            raise _taken(path, taken)
    if read.text[typed.span.start : typed.own_end] == own_text(typed):
        after = after._replace(type_span=vertex.type_span)
    inside = _existing(rest, path)
    after = after._replace(children=inside.children or after.children)
    return _edited(shape, _put(rest, path, after), path, path, read)
