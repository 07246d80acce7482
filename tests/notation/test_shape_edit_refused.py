"""Edits of shape texts that are not made, and why."""

from collections.abc import Callable
from typing import Any

import pytest

from fluxtui.notation.shape.edit.edited import Edited
from fluxtui.notation.shape.edit.moves import (
    add_child,
    add_sibling,
    delete,
    duplicate,
    indent,
    lift,
    move,
    outdent,
    wrap,
)
from fluxtui.notation.shape.edit.vertex import (
    edit_vertex,
    remove_key,
    set_count,
    set_key,
    set_label,
    set_type,
    step_count,
    toggle_exclusive,
)
from fluxtui.notation.shape.parser import parse_shape
from tests.notation.test_shape_edit import call

REFUSED = [
    ("node", step_count, (0,), -1, "a count is 1 or more", "resources[0].count"),
    ("node=2-2", step_count, (0,), -1,
     "the largest count of a range is not below the smallest", "resources[0].count"),
    ("node=2+:2:^", step_count, (0,), -1,
     "with ^ the smallest count is 2 or more", "resources[0].count"),
    ("node=" + "9" * 100, step_count, (0,), 1,
     "a count has at most 100 digits", "resources[0].count"),
    ("a/node=1,3", step_count, (0, 0), 1,
     "a set of counts has no next one; type the counts that are wanted",
     "resources[0].with[0].count"),
    ("node", set_count, (0,), "x", "'x' is not a count", "resources[0].count"),
    ("node", set_count, (0,), "0", "0 is not a count; it is 1 or more", "resources[0].count"),
    ("node=30-3", step_count, (0,), -1,
     "the largest count, 3, is below the smallest, 30", "resources[0].count"),
    ("node", set_type, (0,), "", "a resource type is empty", "resources[0]"),
    ("[slot{a}/core;slot{b}/core]", set_label, (1,), "a",
     "the label 'a' is already taken", "resources[1].label"),
    ("[slot{a}/core;slot{b}/core]", set_label, (1,), "",
     "a slot needs a label where there is more than one slot", "resources[1].label"),
    ("slot{a,x}/core", set_label, (0,), "",
     "a slot with keys needs a label before them", "resources[0].label"),
    ("[node{label:a};core]", set_key, (1,), ("label", "a"),
     "the label 'a' is already taken", "resources[1].label"),
    ("node", set_key, (0,), ("unit", 5), "the value of 'unit' is a string",
     "resources[0].unit"),
    ("node", set_key, (0,), ("count", 5),
     "the count comes before the braces, as in =4, not as a key", "resources[0].count"),
    ("node", set_key, (0,), ("a", float("inf")), "a shape cannot say this", "resources[0]"),
    ("node{x}", remove_key, (0,), "unit", "node has no key 'unit'", "resources[0]"),
    ("slot{a}/core", add_sibling, (0,), "slot{a}/core",
     "the label 'a' is already taken", "resources[0].label"),
    ("node", add_child, (0,), " ", "a resource type is missing", None),
    ("node", add_child, (0,), "core=", "a count is missing after '='", None),
    ("node", add_child, (0,), "slot{", "the brace '{' is not closed", None),
    ("node", add_child, (0,), "[a;b]", "expected one resource, not a list", None),
    ("node", wrap, (0,), "rack/node",
     "a vertex around another one names no children", "resources[0]"),
    ("node/core", edit_vertex, (0,), "node/gpu",
     "the line of a resource names no children", "resources[0]"),
    ("[slot{a}/core;slot{b}/core]", edit_vertex, (0,), "slot=2{b}",
     "the label 'b' is already taken", "resources[0].label"),
    ("node", edit_vertex, (0,), '"', 'the quotation mark " is not closed', None),
    ("node", set_key, (0,), ("a", "\ud800"), "a shape cannot say this", "resources[0]"),
    ("[a;b]", move, (0,), -1, "a is already the first of its list", "resources[0]"),
    ("[a;b]", move, (1,), 1, "b is already the last of its list", "resources[1]"),
    ("[a;b]", indent, (0,), None,
     "no vertex before a could hold it", "resources[0]"),
    ("[a;b]", outdent, (1,), None, "b is already at the top", "resources[1]"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "edit", "path", "argument", "message", "where"), REFUSED)
def test_an_edit_that_makes_no_sense_says_why(
    text: str,
    edit: Callable[..., Edited],
    path: tuple[int, ...],
    argument: Any,
    message: str,
    where: str | None,
) -> None:
    after = call(text, edit, path, argument)
    assert (after.text, after.path) == (text, path)
    assert after.problem is not None
    assert (after.problem.message, after.problem.path) == (message, where)


@pytest.mark.parametrize(
    "edit",
    [
        lambda s, p: step_count(s, p, 1), lambda s, p: set_count(s, p, "2"),
        lambda s, p: set_type(s, p, "a"), lambda s, p: set_label(s, p, "a"),
        lambda s, p: set_key(s, p, "a", 1), lambda s, p: remove_key(s, p, "a"),
        lambda s, p: add_child(s, p, "a"), lambda s, p: add_sibling(s, p, "a"),
        lambda s, p: wrap(s, p, "a"), lambda s, p: edit_vertex(s, p, "a"),
        lambda s, p: move(s, p, 1), toggle_exclusive, delete, lift,
        duplicate, indent, outdent,
    ],
)  # fmt: skip
def test_a_path_to_nothing(edit: Callable[..., Edited]) -> None:
    after = edit(parse_shape("node/core"), (0, 3))
    assert (after.text, after.path) == ("node/core", (0,))
    assert after.problem is not None
    assert after.problem.message == "there is no resource at resources[0].with[3]"


def test_a_tree_that_would_be_too_deep() -> None:
    text = "a/" * 100 + "a"
    assert parse_shape(text).ok
    after = wrap(parse_shape(text), (0,), "b")
    assert after.text == text
    assert after.problem is not None
    assert after.problem.message == "the shape would be nested too deeply to be read"


def test_a_text_that_would_be_too_long() -> None:
    text = f"node{{a:{'b' * 40_000}}}"
    after = duplicate(parse_shape(text), (0,))
    assert after.text == text
    assert after.problem is not None
    assert after.problem.message.endswith("more than 65,536 are not read")
