"""Writing a tree as a shape text: the shortest, or one that preserves an old text (RFC 46).

To preserve a text, unchanged vertices are copied, and in the others only the type, count, key or
list that changed is replaced. The result is read back; if its meaning differs, as may happen in an
unfinished text, the whole text is written from scratch.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from operator import is_
from typing import Any

from fluxtui.notation.json_text import quoted
from fluxtui.notation.json_value import canonical, identical, of_lists, same
from fluxtui.notation.problem import MAX_LENGTH, Problem, Span, is_printable, splice
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import (
    Item,
    Shape,
    Tree,
    Vertex,
    changed,
    check,
    count_text,
    from_resources,
    to_resources,
    walk,
)

#: The label of a slot that does not state one.
DEFAULT = "default"

_BARE = re.compile(r"""[^\s:,{}\[\]/;="'+\-][^\s:,{}\[\]/;="']*""")
_BARE_TYPE = re.compile(r"""[^\s:,{}\[\]/;="']+""")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


def format_shape(shape: Shape | Sequence[Vertex]) -> str:
    """The shape text of a tree, with quotes only where they are needed.

    ``parse_shape(format_shape(tree))`` gives the same tree except for spans. A slot with keys but
    no label, and an empty type, are written in a way that is read with a problem.
    """
    vertices = shape.vertices if isinstance(shape, Shape) else shape
    texts = [
        own_text(vertex) + (f"/{format_shape(vertex.children)}" if vertex.children else "")
        for vertex in vertices
    ]
    return texts[0] if len(texts) == 1 else f"[{';'.join(texts)}]"


def own_text(vertex: Vertex) -> str:
    """The text of a vertex without its children: type, count and braces."""
    count = count_text(vertex)
    head = _word(vertex.type, _BARE_TYPE) + ("" if count == "1" else f"={count}")
    entries = [_item_text(item) for item in vertex.keys]
    if vertex.label is not None:
        entries.insert(0, _word(vertex.label, _BARE))
    if not entries:
        # Without a type and anything else the text would not be read as a vertex.
        return head if vertex.type or count != "1" else f"{head}{{}}"
    return head + "{" + _lead(vertex, entries[0]) + ",".join(entries) + "}"


def _lead(vertex: Vertex, entry: str) -> str:
    """A comma if a slot has no label, so that its first key is not read as the label."""
    unlabelled = vertex.type == "slot" and vertex.label is None
    return "," if unlabelled and entry[0] not in "+-" else ""


def _item_text(item: Item) -> str:
    return _pair_text("x" if item.key == "exclusive" else _key(item.key), item.value)


def _pair_text(key: str, value: Any) -> str:
    if value is True:
        return key
    return f"-{key}" if value is False else f"{key}:{_value_text(value)}"


def _value_text(value: Any) -> str:
    if isinstance(value, str):
        if value in ("true", "false", "null") or _NUMBER.fullmatch(value):
            return quoted(value)
        return _word(value, _BARE_TYPE)
    if isinstance(value, Mapping):
        pairs = (_pair_text(_key(str(key)), inner) for key, inner in value.items())
        return f"{{{','.join(pairs)}}}"
    return quoted(value)


def _key(key: str) -> str:
    return '"x"' if key == "x" else _word(key, _BARE)


def _word(word: str, pattern: re.Pattern[str]) -> str:
    plain = is_printable(word) and (word.isalnum() or pattern.fullmatch(word))
    return word if plain else quoted(word)


# Preserving the old text


def rewrite(shape: Shape, vertices: Tree, typed: Shape | None = None) -> Shape | None:
    """The shape of a new tree, with as much of the old text as still has the same meaning (RFC 46).

    A vertex with the span of an old one came from that one; any other is new. Without vertices the
    text is empty. None if no shape has this tree, such as one with too many levels.

    typed  a line with new vertices, preceded by as many blanks as the old text has characters, so
           that their spans differ from those of the old text
    """
    if not vertices:
        return parse_shape("")
    writer, olds = _Writer(shape, typed), shape.vertices
    head = shape.text[: olds[0].span.start] if olds else ""
    tail = shape.text[writer.end(olds[-1]) :] if olds else ""
    text = writer.list(vertices, olds, head, tail)
    read = parse_shape(text)
    if len(text) > MAX_LENGTH:  # too long to be read back
        return read
    if _same_tree(read.vertices, vertices) and (read.ok or _slips(read) <= _slips(shape)):
        return read
    read = parse_shape(format_shape(vertices))
    return read if _same_tree(read.vertices, vertices) else None


def same_meaning(old: Vertex, new: Vertex) -> bool:
    """Whether two vertices mean the same, apart from their children and their spelling."""
    return (
        old.type == new.type
        and old.count == new.count
        and old.label == new.label
        and _same_keys(old, new)
    )


def _same_tree(olds: Tree, news: Tree) -> bool:
    return len(olds) == len(news) and all(
        same_meaning(old, new) and _same_tree(old.children, new.children)
        for old, new in zip(olds, news, strict=True)
    )


def _same_keys(old: Vertex, new: Vertex) -> bool:
    if old.keys is new.keys:
        return True
    return same([item[:2] for item in old.keys], [item[:2] for item in new.keys])


def _same_count(old: Vertex, new: Vertex) -> bool:
    """Whether the counts are equal and the new vertex asks for no other spelling."""
    return old.count == new.count and new.count_text in ("", old.count_text)


def _slips(shape: Shape) -> int:
    """The number of errors in the text itself, not counting those of the tree it describes."""

    def errors(problems: Sequence[Problem]) -> int:
        return sum(problem.severity == "error" for problem in problems)

    bare = sum(vertex.type == "slot" and not vertex.children for vertex in walk(shape.vertices))
    return errors(shape.problems) - bare - errors(check(shape.vertices))


class _Writer:
    """Writes one new tree into the text of an old one.

    A vertex takes the layout of its children from the old vertex with its span, and its own parts
    from the one with the span of its type: these differ if a line was typed for it.
    """

    def __init__(self, shape: Shape, typed: Shape | None) -> None:
        self.text = shape.text + (typed.text[len(shape.text) :] if typed else "")
        olds = [*walk(shape.vertices), *walk(typed.vertices if typed else ())]
        self.whole = {old.span: old for old in olds}
        self.parts = {old.type_span: old for old in olds}

    def end(self, vertex: Vertex) -> int:
        """The end of a vertex with its children, without white space."""
        return len(self.text[: vertex.span.end].rstrip())

    def gap(self, before: Vertex, after: Vertex) -> str:
        return self.text[self.end(before) : after.span.start]

    def vertex(self, new: Vertex, old: Vertex | None) -> str:
        """The text of a new vertex with its children; old is the one it came from."""
        if new is old:
            return self.text[new.span.start : self.end(new)]
        olds = old.children if old else ()
        between = self.text[old.own_end : self.end(old)] if old else ""
        if new.children is not olds:
            slash, tail = between.rstrip("]"), "]" if between.endswith("]") else ""
            if old and olds:
                slash = self.text[old.own_end : olds[0].span.start]
                tail = self.text[self.end(olds[-1]) : self.end(old)]
            between = self.list(new.children, olds, slash or "/", tail) if new.children else ""
        return self.own(new, self.parts.get(new.type_span)) + between

    def list(self, news: Tree, olds: Tree, head: str, tail: str) -> str:
        """vertex (';' vertex)*, in brackets if there are several or a single one had them."""
        origins = [self.whole.get(new.span) for new in news]
        texts = [self.vertex(new, old) for new, old in zip(news, origins, strict=True)]
        if len(texts) > 1 and "[" not in head and len(olds) != len(news):
            head, tail = f"{head}[", f"]{tail}"
        elif len(texts) == 1 < len(olds):
            head, tail = re.sub(r"\[\s*", "", head), re.sub(r"\s*\]", "", tail)
        number = {id(old): place for place, old in enumerate(olds)}
        lifted = (self.gap(a, b) for a, b in pairwise(origins) if a and b)
        sign = next((gap for gap in lifted if gap.strip() == ";"), ";")
        gaps = [self.gap(a, b) for a, b in pairwise(olds)]
        return head + _joined(texts, [number.get(id(old)) for old in origins], gaps, sign) + tail

    def own(self, new: Vertex, old: Vertex | None) -> str:
        if old is None:
            return own_text(new)
        edits: list[tuple[Span, str]] = []
        if new.type != old.type:
            edits.append((old.type_span, _word(new.type, _BARE_TYPE)))
        counted = old.count_span.end if old.count_span else old.type_span.end
        if not _same_count(old, new):
            edits.append(self.count(old, new))
        as_before = (old.type == "slot") == (new.type == "slot")  # its first entry is the label
        if not as_before or old.label != new.label or not _same_keys(old, new):
            edits.append((Span(counted, old.own_end), self.braces(old, new, counted)))
        return splice(self.text[: old.own_end], edits)[old.span.start :]

    def count(self, old: Vertex, new: Vertex) -> tuple[Span, str]:
        """The edit that changes the count; brackets around the old count stay."""
        fresh, end = count_text(new), old.type_span.end
        if old.count_span is None:
            return Span(end, end), "" if new.count == 1 else f"={fresh}"
        if new.count == 1:
            return Span(end, old.count_span.end), ""
        start = self.text.index(old.count_text, old.count_span.start)
        return Span(start, start + len(old.count_text)), fresh

    def braces(self, old: Vertex, new: Vertex, start: int) -> str:
        """The braces with their contents; "" if they would be empty."""
        had_label = old.label is not None
        spans = [item.span for item in old.keys]
        if old.label_span:
            spans.insert(0, old.label_span)
        texts: list[str] = []
        places: list[int | None] = []
        if new.label is not None:
            kept = old.label_span if new.label == old.label else None
            texts.append(self.text[slice(*kept)] if kept else _word(new.label, _BARE))
            places.append(0 if had_label else None)
        unused = list(enumerate(old.keys, had_label))
        for item in new.keys:
            origin = next((pair for pair in unused if pair[1].key == item.key), None)
            if origin is not None:
                unused.remove(origin)
            texts.append(self.item(origin[1], item) if origin else _item_text(item))
            places.append(origin[0] if origin else None)
        if not texts:
            return ""
        head, gaps, tail = "{", [], "}"
        if spans:
            ends = [Span(start, start), *spans, Span(old.own_end, old.own_end)]
            first, *between, last = [self.text[a.end : b.start] for a, b in pairwise(ends)]
            if first.strip() == "{" and last.strip() == "}":
                head, gaps, tail = first, between, last
        return head + _lead(new, texts[0]) + _joined(texts, places, gaps, ",") + tail

    def item(self, old: Item, new: Item) -> str:
        """An item whose value may have changed; the key stays as it was typed.

        If ``exclusive`` was neither true nor false before, it becomes ``x`` or ``-x``.
        """
        if same(old.value, new.value):
            return self.text[slice(*old.span)]
        is_flag = new.key == "exclusive" and isinstance(new.value, bool)
        if old.value_span is not None and not (is_flag and not isinstance(old.value, bool)):
            return self.text[old.span.start : old.value_span.start] + _value_text(new.value)
        return _pair_text(self.text[slice(*old.key_span)], new.value)


def _joined(
    texts: Sequence[str], places: Sequence[int | None], gaps: Sequence[str], sign: str
) -> str:
    """Join the members of a list with the gaps they had; places are their old indices or None.

    In a list of the same length the gaps keep their places. Otherwise each stays after the member
    before it, and the last gap is used for new members.
    """
    if len(texts) == len(gaps) + 1:
        between = list(gaps)
    else:
        between = []
        for before, after in pairwise(places):
            if before is not None and before < len(gaps):
                between.append(gaps[before])
            elif after and after <= len(gaps):
                between.append(gaps[after - 1])
            else:
                between.append(gaps[-1] if gaps else sign)
    return "".join(piece for pair in zip(["", *between], texts, strict=True) for piece in pair)


# Following changes of the resources list


def revise(shape: Shape, resources: Sequence[Any]) -> Shape:
    """The shape of another resources list (RFC 14), changed as little as by `rewrite`.

    This is the old shape if it means the same; if the old text is unfinished or wrong, it is
    written from scratch. The label ``default`` of a single slot is omitted unless it was written,
    and so is whatever a shape cannot express, as in `from_resources`.
    """
    vertices = _Origins(shape).row(shape.vertices, to_resources(shape), resources)
    slots = [vertex for vertex in walk(vertices) if vertex.type == "slot"]
    written = any(vertex.label == DEFAULT for vertex in walk(shape.vertices))
    label = DEFAULT if written or len(slots) > 1 or any(slot.keys for slot in slots) else None

    def labelled(vertex: Vertex) -> Vertex:
        changes = vertex.label != label and vertex.label in (None, DEFAULT)
        return vertex._replace(label=label) if vertex.type == "slot" and changes else vertex

    vertices = changed(vertices, labelled)
    is_same = len(vertices) == len(shape.vertices) and all(map(is_, vertices, shape.vertices))
    found = shape if is_same else rewrite(shape, vertices)
    if found is not None and (found.ok or not vertices):
        return found
    written_anew = parse_shape(format_shape(vertices))
    return written_anew if found is None or written_anew.ok else found


class _Origins:
    """Finds the vertices of a shape that the resources of another list came from."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.known: dict[str, Vertex] = {}  # by their whole meaning; filled at first use

    def row(self, olds: Tree, was: Sequence[Any], now: object) -> Tree:
        """The vertices of a list; an old vertex with the same meaning keeps its identity."""
        if not isinstance(now, list | tuple):
            return ()
        origins = {new: old for old, new in of_lists(was, now).pairs}
        out: list[Vertex] = []
        for place, resource in enumerate(now):
            if not isinstance(resource, Mapping):
                continue
            number = origins.get(place)
            if number is None or _is_nested(was[number], resource):
                out.append(self.elsewhere(resource))
            else:
                out.append(self.vertex(olds[number], was[number], resource))
        return tuple(out)

    def vertex(self, old: Vertex, was: Mapping[str, Any], now: Mapping[str, Any]) -> Vertex:
        """The vertex of a resource that came from an old one, which is kept if it is the same."""
        if identical(was, now):
            return old
        children = self.row(old.children, was.get("with", ()), now.get("with", ()))
        if len(children) == len(old.children) and all(map(is_, children, old.children)):
            children = old.children
        fresh = _fresh(now)
        if fresh.label == DEFAULT and old.label is None:
            fresh = fresh._replace(label=None)
        if same_meaning(old, fresh) and _same_count(old, fresh):
            return old if children is old.children else old._replace(children=children)
        return fresh._replace(children=children, span=old.span, type_span=old.type_span)

    def elsewhere(self, resource: Mapping[str, Any]) -> Vertex:
        """The vertex of a resource that is new in its list; it may come from another list."""
        if not self.known:
            for old in walk(self.shape.vertices):
                self.known[canonical(to_resources((old,))[0])] = old
        found = self.known.get(canonical(resource)) if len(resource) > 2 else None
        if found is not None:
            return found
        return _fresh(resource)._replace(children=self.row((), (), resource.get("with", ())))


def _is_nested(was: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """Whether two resources have different types and one is a child of the other."""
    if was["type"] == now.get("type"):
        return False
    inside = now.get("with", ())
    held = inside if isinstance(inside, list | tuple) else ()
    return any(same(was, one) for one in held) or any(same(now, one) for one in was.get("with", ()))


def _fresh(resource: Mapping[str, Any]) -> Vertex:
    own = {key: value for key, value in resource.items() if key != "with"}
    return from_resources((own,), label=None).value[0]
