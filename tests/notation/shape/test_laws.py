"""What holds for every shape tree, for every one that is written over a text, and for every edit.

The text says the edited tree, and no more of it changes. The trees that edits should lead to are
worked out on resources lists, apart from the code that is tested.
"""

import re
from collections.abc import Callable
from typing import Any, TypeAlias

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fluxtui.notation.shape import edit as edits
from fluxtui.notation.shape.edit import Edited, duplicate, edit_vertex, move, set_key, step_count
from fluxtui.notation.shape.format import format_shape, revise, rewrite
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import (
    Item,
    Path,
    Shape,
    Vertex,
    from_resources,
    to_resources,
    vertex_at,
)
from tests.each import the
from tests.notation.shape.trees import MANY, SIGNS, TEXTS, bare, texts, trees

Edit: TypeAlias = Callable[[Shape, Path], Edited]
Resource: TypeAlias = dict[str, Any]


@given(trees())
def test_what_is_written_is_read_back(tree: tuple[Vertex, ...]) -> None:
    text = format_shape(tree)
    read = parse_shape(text)
    assert [p for p in read.problems if p.severity == "error"] == []
    assert bare(read.vertices) == bare(tree)
    assert format_shape(read) == text
    back = from_resources(to_resources(tree))
    assert to_resources(back.value) == to_resources(tree)


def test_trees_that_a_text_cannot_say_without_a_problem() -> None:
    core = (Vertex("core"),)
    for text, keys, written in (
        ("slot / core", (Item("unit", "GB"),), "slot{,unit:GB}/core"),
        ("node { x } / core", (Item("exclusive", True),), "slot{,x}/core"),
        ("node{}/core", (), "slot/core"),
    ):
        tree = (Vertex("slot", keys=keys, children=core),)
        assert rewrite(parse_shape(text), tree).text == written
    assert rewrite(parse_shape("slot / core"), (Vertex("", children=core),)).text == '""{}/core'
    assert parse_shape("slot { ,x } / core").vertices[0].label is None


@given(SIGNS | texts(), trees(2) | (SIGNS | texts()).map(lambda text: parse_shape(text).vertices))
@MANY
def test_any_tree_can_be_written_over_any_text(text: str, tree: tuple[Vertex, ...]) -> None:
    read = parse_shape(text)
    # As texts, which tell 1, 1.0 and true apart.
    assert repr(bare(rewrite(read, tree).vertices)) == repr(bare(tree))
    if read.vertices:
        assert rewrite(read, read.vertices).text == text


@given(texts(), trees(2))
@MANY
def test_any_resources_list_can_come_from_elsewhere(text: str, tree: tuple[Vertex, ...]) -> None:
    read, resources = parse_shape(text), to_resources(tree)
    assert revise(read, to_resources(read)).text == text
    revised = revise(read, resources)
    assert repr(to_resources(revised)) == repr(resources)


# Edits


def paths(vertices: tuple[Vertex, ...], before: Path = ()) -> list[Path]:
    """The place of every vertex."""
    out = []
    for number, vertex in enumerate(vertices):
        out += [(*before, number), *paths(vertex.children, (*before, number))]
    return out


@st.composite
def spots(draw: st.DrawFn, *wrong: str) -> tuple[Shape, Path, Vertex]:
    """A shape, and a vertex of it; also one with problems where such texts are given."""
    read = parse_shape(draw(texts() | st.sampled_from(wrong) if wrong else texts()))
    assume(read.ok or wrong)
    path = draw(st.sampled_from(paths(read.vertices)))
    return read, path, the(vertex_at(read.vertices, path))


#: Edits, and what each puts in the place of a vertex.
INSTEAD: dict[str, tuple[Edit, Callable[[Resource], list[Resource]]]] = {
    "delete": (edits.delete, lambda old: []),
    "lift": (edits.lift, lambda old: old.get("with", [])),
    "duplicate": (duplicate, lambda old: [old, old]),
    "wrap": (
        lambda shape, path: edits.wrap(shape, path, " rack = 2"),
        lambda old: [{"type": "rack", "count": 2, "with": [old]}],
    ),
    "add child": (
        lambda shape, path: edits.add_child(shape, path, "gpu=2{ exclusive }"),
        lambda old: [
            {
                **old,
                "with": [*old.get("with", []), {"type": "gpu", "count": 2, "exclusive": True}],
            }
        ],
    ),
    "add sibling": (
        lambda shape, path: edits.add_sibling(shape, path, "slot/core"),
        lambda old: [
            old,
            {"type": "slot", "count": 1, "with": [{"type": "core", "count": 1}]},
        ],
    ),
    "set key": (
        lambda shape, path: set_key(shape, path, "unit", "G B"),
        lambda old: [{**old, "unit": "G B"}],
    ),
    "edit": (
        lambda shape, path: edit_vertex(shape, path, "memory=3{unit:  GB}"),
        lambda old: [{"type": "memory", "count": 3, "unit": "GB", "with": old.get("with", [])}],
    ),
}
#: Those that take it elsewhere: with the row that it is in, its number, and the row above with its.
MOVES: dict[str, tuple[Edit, Callable[[list[Resource], int, list[Resource], int], None]]] = {
    "move": (
        lambda shape, path: move(shape, path, 1),
        lambda row, n, above, k: row.insert(n + 1, row.pop(n)),
    ),
    "indent": (
        edits.indent,
        lambda row, n, above, k: row[n - 1].setdefault("with", []).append(row.pop(n)),
    ),
    "outdent": (edits.outdent, lambda row, n, above, k: above.insert(k + 1, row.pop(n))),
}
EVERY: dict[str, Edit] = {name: edit for name, (edit, _) in (INSTEAD | MOVES).items()}  # type: ignore[operator]


def plain(resources: list[Resource]) -> list[object]:
    """A resources list without labels, which edits may give and take."""
    return [
        (
            {key: value for key, value in resource.items() if key not in ("label", "with")},
            plain(resource.get("with", [])),
        )
        for resource in resources
    ]


@pytest.mark.parametrize("name", EVERY)
@given(spot=spots(*TEXTS))
@MANY
def test_the_text_says_the_edited_tree(name: str, spot: tuple[Shape, Path, Vertex]) -> None:
    read, path, _ = spot
    after = EVERY[name](read, path)
    if after.problem is not None:
        assert (after.text, after.path, name in MOVES) == (read.text, path, True)
        return
    wanted = to_resources(read)
    row = above = wanted
    for step in path[:-1]:
        row, above = row[step].setdefault("with", []), row
    if name in MOVES:
        MOVES[name][1](row, path[-1], above, path[-2] if path[1:] else 0)
    else:
        row[path[-1] : path[-1] + 1] = INSTEAD[name][1](row[path[-1]])
    found = parse_shape(after.text)
    assert repr(plain(to_resources(found))) == repr(plain(wanted))
    assert after.path in paths(found.vertices) or not found.vertices
    if read.ok:
        assert {p.message for p in found.problems if p.severity == "error"} <= {
            "a slot needs children",
            "the shape is empty",
        }


OWN: tuple[Edit, ...] = (
    lambda shape, path: step_count(shape, path, 1),
    lambda shape, path: set_key(shape, path, "unit", "GB"),
    edits.toggle_exclusive,
    lambda shape, path: edit_vertex(shape, path, "gpu = 3"),
)


@given(spots(), st.sampled_from(OWN))
@MANY
def test_nothing_changes_before_a_vertex_nor_behind_its_own_parts(
    spot: tuple[Shape, Path, Vertex], edit: Edit
) -> None:
    read, path, vertex = spot
    own, start = edits.line_of(read, path), vertex.span.start
    after = edit(read, path).text
    assert read.text.startswith(own, start)
    assert after.startswith(read.text[:start])
    assert after.endswith(read.text[start + len(own) :])


@given(spots())
@MANY
def test_edits_are_taken_back_to_the_letter(spot: tuple[Shape, Path, Vertex]) -> None:
    read, path, vertex = spot
    more = step_count(read, path, 1)
    if vertex.count_text != "1" and more.problem is None:
        assert more.text != read.text
        assert step_count(parse_shape(more.text), path, -1).text == read.text
    there = move(read, path, 1)
    assert move(parse_shape(there.text), there.path, -1).text == read.text or there.problem
    copy = duplicate(read, path)
    row = read.vertices if len(path) == 1 else the(vertex_at(read.vertices, path[:-1])).children
    if len(row) > 1:
        assert edits.delete(parse_shape(copy.text), copy.path).text == read.text
    # Exclusive, shared, and neither.
    has_braces = re.search(r"\{\s*\}", edits.line_of(read, path))
    if not has_braces and all(item.key != "exclusive" for item in vertex.keys):
        now, seen = read, []
        for _ in range(3):
            now = parse_shape(edits.toggle_exclusive(now, path).text)
            keys = the(vertex_at(now.vertices, path)).keys
            seen.append([item.value for item in keys if item.key == "exclusive"])
        assert (seen, now.text) == ([[True], [False], []], read.text)


@given(text=SIGNS, data=st.data())
@MANY
def test_a_wrong_text_is_edited_or_left_alone(text: str, data: st.DataObject) -> None:
    read = parse_shape(text)
    path = data.draw(st.sampled_from(paths(read.vertices) or [(), (0,)]))
    for edit in (*EVERY.values(), *OWN):
        after = edit(read, path)
        if after.problem is not None:
            assert after.text == text
        elif after.text != text:
            assert after.path in paths(parse_shape(after.text).vertices) or not after.text


def test_a_tree_or_a_text_that_would_be_too_large_is_left_alone() -> None:
    deep, long = "a/" * 100 + "a", f"node{{a:{'b' * 40_000}}}"
    for text, after, message in (
        (deep, edits.wrap(parse_shape(deep), (0,), "b"), "would be nested too deeply to be"),
        (long, duplicate(parse_shape(long), (0,)), "more than 65,536 are not read"),
    ):
        assert after.text == text
        assert message in the(after.problem).message
