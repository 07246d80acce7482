"""Edits of shape texts that are not made, and why."""

from collections.abc import Callable
from typing import Any

import pytest

from fluxtui.notation.shape.edit import edit as edits
from fluxtui.notation.shape.edit.edit import Edited
from fluxtui.notation.shape.parser import parse_shape
from tests.notation.test_shape_edit import call

REFUSED = [
    ("node", edits.step_count, (0,), -1, "a count is 1 or more", "resources[0].count"),
    ("node=2-2", edits.step_count, (0,), -1,
     "the largest count of a range is not below the smallest", "resources[0].count"),
    ("node=2+:2:^", edits.step_count, (0,), -1,
     "with ^ the smallest count is 2 or more", "resources[0].count"),
    ("node=" + "9" * 100, edits.step_count, (0,), 1,
     "a count has at most 100 digits", "resources[0].count"),
    ("a/node=1,3", edits.step_count, (0, 0), 1,
     "a set of counts has no next one; type the counts that are wanted",
     "resources[0].with[0].count"),
    ("node", edits.set_count, (0,), "x", "'x' is not a count", "resources[0].count"),
    ("node", edits.set_count, (0,), "0", "0 is not a count; it is 1 or more", "resources[0].count"),
    ("node=30-3", edits.step_count, (0,), -1,
     "the largest count, 3, is below the smallest, 30", "resources[0].count"),
    ("node", edits.set_type, (0,), "", "a resource type is empty", "resources[0]"),
    ("[slot{a}/core;slot{b}/core]", edits.set_label, (1,), "a",
     "the label 'a' is already taken", "resources[1].label"),
    ("[slot{a}/core;slot{b}/core]", edits.set_label, (1,), "",
     "a slot needs a label where there is more than one slot", "resources[1].label"),
    ("slot{a,x}/core", edits.set_label, (0,), "",
     "a slot with keys needs a label before them", "resources[0].label"),
    ("[node{label:a};core]", edits.set_key, (1,), ("label", "a"),
     "the label 'a' is already taken", "resources[1].label"),
    ("node", edits.set_key, (0,), ("unit", 5), "the value of 'unit' is a string",
     "resources[0].unit"),
    ("node", edits.set_key, (0,), ("count", 5),
     "the count comes before the braces, as in =4, not as a key", "resources[0].count"),
    ("node", edits.set_key, (0,), ("a", float("inf")), "a shape cannot say this", "resources[0]"),
    ("node{x}", edits.remove_key, (0,), "unit", "node has no key 'unit'", "resources[0]"),
    ("slot{a}/core", edits.add_sibling, (0,), "slot{a}/core",
     "the label 'a' is already taken", "resources[0].label"),
    ("node", edits.add_child, (0,), " ", "a resource type is missing", None),
    ("node", edits.add_child, (0,), "core=", "a count is missing after '='", None),
    ("node", edits.add_child, (0,), "slot{", "the brace '{' is not closed", None),
    ("node", edits.add_child, (0,), "[a;b]", "one resource stands here, not a list", None),
    ("node", edits.wrap, (0,), "rack/node",
     "a vertex that comes around another one names no children", "resources[0]"),
    ("node/core", edits.edit_vertex, (0,), "node/gpu",
     "the line of a vertex does not name what it holds", "resources[0]"),
    ("[slot{a}/core;slot{b}/core]", edits.edit_vertex, (0,), "slot=2{b}",
     "the label 'b' is already taken", "resources[0].label"),
    ("node", edits.edit_vertex, (0,), '"', 'the quotation mark " is not closed', None),
    ("node", edits.set_key, (0,), ("a", "\ud800"), "a shape cannot say this", "resources[0]"),
    ("[a;b]", edits.move, (0,), -1, "a is the first of its list already", "resources[0]"),
    ("[a;b]", edits.move, (1,), 1, "b is the last of its list already", "resources[1]"),
    ("[a;b]", edits.indent, (0,), None,
     "no vertex stands before a that could hold it", "resources[0]"),
    ("[a;b]", edits.outdent, (1,), None, "b stands at the top already", "resources[1]"),
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
        lambda s, p: edits.step_count(s, p, 1), lambda s, p: edits.set_count(s, p, "2"),
        lambda s, p: edits.set_type(s, p, "a"), lambda s, p: edits.set_label(s, p, "a"),
        lambda s, p: edits.set_key(s, p, "a", 1), lambda s, p: edits.remove_key(s, p, "a"),
        lambda s, p: edits.add_child(s, p, "a"), lambda s, p: edits.add_sibling(s, p, "a"),
        lambda s, p: edits.wrap(s, p, "a"), lambda s, p: edits.edit_vertex(s, p, "a"),
        lambda s, p: edits.move(s, p, 1), edits.toggle_exclusive, edits.delete, edits.lift,
        edits.duplicate, edits.indent, edits.outdent,
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
    after = edits.wrap(parse_shape(text), (0,), "b")
    assert after.text == text
    assert after.problem is not None
    assert after.problem.message == "the shape would be nested too deeply to be read"


def test_a_text_that_would_be_too_long() -> None:
    text = f"node{{a:{'b' * 40_000}}}"
    after = edits.duplicate(parse_shape(text), (0,))
    assert after.text == text
    assert after.problem is not None
    assert after.problem.message.endswith("more than 65,536 are not read")
