"""What holds for every edit of every shape: the text says the edited tree, and no more changes.

The trees that edits should lead to are worked out on resources lists, apart from the code that is
tested.
"""

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from fluxtui.notation.shape.edit import (
    Edited,
    add_child,
    add_sibling,
    delete,
    duplicate,
    edit_vertex,
    indent,
    lift,
    line_of,
    move,
    outdent,
    set_key,
    step_count,
    toggle_exclusive,
    wrap,
)
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import Path, Shape, Vertex, to_resources, vertex_at
from tests.each import the
from tests.notation.shape.trees import SIGNS, TEXTS, texts

MANY = settings(suppress_health_check=[HealthCheck.too_slow])


def paths(vertices: tuple[Vertex, ...], before: Path = ()) -> list[Path]:
    """The place of every vertex."""
    out = []
    for number, vertex in enumerate(vertices):
        out += [(*before, number), *paths(vertex.children, (*before, number))]
    return out


def at(vertices: tuple[Vertex, ...], path: Path) -> Vertex:
    return the(vertex_at(vertices, path))


Resources = list[dict[str, Any]]


def row_at(resources: Resources, path: Path) -> Resources:
    """The list that a place is in."""
    for step in path[:-1]:
        resources = resources[step].setdefault("with", [])
    return resources


def deleted(resources: Resources, path: Path) -> None:
    del row_at(resources, path)[path[-1]]


def lifted(resources: Resources, path: Path) -> None:
    row = row_at(resources, path)
    row[path[-1] : path[-1] + 1] = row[path[-1]].get("with", [])


def doubled(resources: Resources, path: Path) -> None:
    row = row_at(resources, path)
    row.insert(path[-1], row[path[-1]])


def moved(resources: Resources, path: Path) -> None:
    row = row_at(resources, path)
    row.insert(path[-1] + 1, row.pop(path[-1]))


def indented(resources: Resources, path: Path) -> None:
    row = row_at(resources, path)
    row[path[-1] - 1].setdefault("with", []).append(row.pop(path[-1]))


def outdented(resources: Resources, path: Path) -> None:
    vertex = row_at(resources, path).pop(path[-1])
    row_at(resources, path[:-1]).insert(path[-2] + 1, vertex)


def wrapped(resources: Resources, path: Path) -> None:
    row = row_at(resources, path)
    row[path[-1]] = {"type": "rack", "count": 2, "with": [row[path[-1]]]}


def with_child(resources: Resources, path: Path) -> None:
    row_at(resources, (*path, 0)).append({"type": "gpu", "count": 2, "exclusive": True})


def with_sibling(resources: Resources, path: Path) -> None:
    new = {"type": "slot", "count": 1, "with": [{"type": "core", "count": 1}]}
    row_at(resources, path).insert(path[-1] + 1, new)


def keyed(resources: Resources, path: Path) -> None:
    row_at(resources, path)[path[-1]]["unit"] = "G B"


def lined(resources: Resources, path: Path) -> None:
    row = row_at(resources, path)
    inside = {k: v for k, v in row[path[-1]].items() if k == "with"}
    row[path[-1]] = {"type": "memory", "count": 3, "unit": "GB", **inside}


EDITS: dict[Callable[[Resources, Path], None], Callable[[Shape, Path], Edited]] = {
    deleted: delete,
    lifted: lift,
    doubled: duplicate,
    moved: lambda s, p: move(s, p, 1),
    indented: indent,
    outdented: outdent,
    wrapped: lambda s, p: wrap(s, p, " rack = 2"),
    with_child: lambda s, p: add_child(s, p, "gpu=2{ exclusive }"),
    with_sibling: lambda s, p: add_sibling(s, p, "slot/core"),
    keyed: lambda s, p: set_key(s, p, "unit", "G B"),
    lined: lambda s, p: edit_vertex(s, p, "memory=3{unit:  GB}"),
}


def plain(resources: Resources) -> list[object]:
    """A resources list without labels, which edits may give and take."""
    return [
        (
            {key: value for key, value in resource.items() if key not in ("label", "with")},
            plain(resource.get("with", [])),
        )
        for resource in resources
    ]


@pytest.mark.parametrize("model", EDITS, ids=lambda model: model.__name__)
@given(text=texts() | st.sampled_from(TEXTS), data=st.data())
@MANY
def test_the_text_says_the_edited_tree(
    model: Callable[[Resources, Path], None], text: str, data: st.DataObject
) -> None:
    read = parse_shape(text)
    path = data.draw(st.sampled_from(paths(read.vertices)))
    after = EDITS[model](read, path)
    if after.problem is not None:
        assert after.text == text
        assert after.path == path
        assert model in (moved, indented, outdented)
        return
    wanted = to_resources(read)
    model(wanted, path)
    found = parse_shape(after.text)
    assert repr(plain(to_resources(found))) == repr(plain(wanted))
    assert after.path in paths(found.vertices) or not found.vertices
    if read.ok:
        assert {p.message for p in found.problems if p.severity == "error"} <= {
            "a slot needs children",
            "the shape is empty",
        }


OWN = [
    lambda s, p: step_count(s, p, 1),
    lambda s, p: set_key(s, p, "unit", "GB"),
    toggle_exclusive,
    lambda s, p: edit_vertex(s, p, "gpu = 3"),
]


@pytest.mark.parametrize("edit", OWN)
@given(text=texts(), data=st.data())
@MANY
def test_nothing_changes_before_a_vertex_nor_behind_its_own_parts(
    edit: Callable[[Shape, Path], Edited], text: str, data: st.DataObject
) -> None:
    read = parse_shape(text)
    assume(read.ok)
    path = data.draw(st.sampled_from(paths(read.vertices)))
    vertex = at(read.vertices, path)
    own = line_of(read, path)
    after = edit(read, path).text
    assert text.startswith(own, vertex.span.start)
    assert after.startswith(text[: vertex.span.start])
    assert after.endswith(text[vertex.span.start + len(own) :])


@given(text=texts(), data=st.data())
@MANY
def test_one_more_and_one_fewer_is_the_same_text(text: str, data: st.DataObject) -> None:
    read = parse_shape(text)
    path = data.draw(st.sampled_from(paths(read.vertices)))
    assume(read.ok and at(read.vertices, path).count_text != "1")
    more = step_count(read, path, 1)
    assume(more.problem is None)
    assert more.text != text
    assert step_count(parse_shape(more.text), path, -1).text == text


@given(text=texts(), data=st.data())
@MANY
def test_moves_and_copies_can_be_taken_back(text: str, data: st.DataObject) -> None:
    read = parse_shape(text)
    path = data.draw(st.sampled_from(paths(read.vertices)))
    assume(read.ok)
    there = move(read, path, 1)
    assert move(parse_shape(there.text), there.path, -1).text == text or there.problem
    copy = duplicate(read, path)
    alone = len(path) == 1 and len(read.vertices) == 1
    if not alone and (len(path) == 1 or len(at(read.vertices, path[:-1]).children) > 1):
        assert delete(parse_shape(copy.text), copy.path).text == text


@given(text=texts(), data=st.data())
@MANY
def test_exclusive_shared_and_neither_is_the_same_text(text: str, data: st.DataObject) -> None:
    read = parse_shape(text)
    path = data.draw(st.sampled_from(paths(read.vertices)))
    vertex = at(read.vertices, path)
    assume(read.ok and not re.search(r"\{\s*\}", line_of(read, path)))
    assume(all(item.key != "exclusive" for item in vertex.keys))
    now, seen = text, []
    for _ in range(3):
        now = toggle_exclusive(parse_shape(now), path).text
        keys = at(parse_shape(now).vertices, path).keys
        seen.append([item.value for item in keys if item.key == "exclusive"])
    assert seen == [[True], [False], []]
    assert now == text


@given(text=SIGNS, data=st.data())
@MANY
def test_a_wrong_text_is_edited_or_left_alone(text: str, data: st.DataObject) -> None:
    read = parse_shape(text)
    path = data.draw(st.sampled_from(paths(read.vertices) or [(), (0,)]))
    for edit in (*EDITS.values(), *OWN):
        after = edit(read, path)
        if after.problem is not None:
            assert after.text == text
        elif after.text != text:
            assert after.path in paths(parse_shape(after.text).vertices) or not after.text


def test_a_tree_or_a_text_that_would_be_too_large_is_left_alone() -> None:
    deep, long = "a/" * 100 + "a", f"node{{a:{'b' * 40_000}}}"
    for text, after, message in (
        (deep, wrap(parse_shape(deep), (0,), "b"), "the shape would be nested too deeply to be"),
        (long, duplicate(parse_shape(long), (0,)), "more than 65,536 are not read"),
    ):
        assert after.text == text
        assert message in the(after.problem).message
