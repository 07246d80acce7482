"""Edits of shape texts by example: the text before, the edit, the text after, or why not."""

import time
from collections.abc import Callable
from typing import Any

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
    remove_key,
    set_key,
    set_label,
    step_count,
    toggle_exclusive,
    wrap,
)
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.resources import to_resources
from fluxtui.notation.shape.rewrite import revise
from fluxtui.notation.shape.tree import document_path, path_of
from tests.each import for_each

# The text before, the edit of the vertex at a path, the text after, and where the cursor goes.
EXAMPLES = [
    ("node", step_count, (0,), 1, "node=2", (0,)),
    ("node = 4 / core", step_count, (0,), 1, "node = 5 / core", (0,)),
    ("node / core = 3", step_count, (0,), 1, "node=2 / core = 3", (0,)),
    ("node=9/core", step_count, (0,), -20, "node/core", (0,)),
    ("node=2+", step_count, (0,), 1, "node=3+", (0,)),
    ("node=[2-4]", step_count, (0,), 1, "node=[2-5]", (0,)),
    ("node=2-8:2", step_count, (0,), 2, "node=2-12:2", (0,)),
    ("node=2-16:2:*", step_count, (0,), 1, "node=2-32:2:*", (0,)),
    ("node=2-16:2:^", step_count, (0,), 1, "node=2-256:2:^", (0,)),
    ("node=2-16:2:^", step_count, (0,), -1, "node=2-4:2:^", (0,)),
    ("slot=2 { a , x }/core", set_label, (0,), "b", "slot=2 { b , x }/core", (0,)),
    ("slot{a}/core", set_label, (0,), "", "slot/core", (0,)),
    ("node{x}", set_label, (0,), "a", "node{x,label:a}", (0,)),
    ("node{label:a,x}", set_label, (0,), "", "node{x}", (0,)),
    ("memory=4", set_key, (0,), ("unit", "GB"), "memory=4{unit:GB}", (0,)),
    ("memory{unit: GB , x}", set_key, (0,), ("unit", "a b"), 'memory{unit: "a b" , x}', (0,)),
    ("[a{x, b: 1}; c]", set_key, (1,), ("unit", "GB"), "[a{x, b: 1}; c{unit:GB}]", (1,)),
    ("[a{x, b: 1}; c]", set_key, (0,), ("d", [1, "e"]), '[a{x, b: 1, d:[1,"e"]}; c]', (0,)),
    ("node{+a}", set_key, (0,), ("a", 3), "node{a:3}", (0,)),
    ("node{a:{b:c}}", set_key, (0,), ("a", {"b": True}), "node{a:{b}}", (0,)),
    ("slot/core", set_key, (0,), ("unit", "GB"), "slot{default,unit:GB}/core", (0,)),
    ("node{x, unit:GB}", remove_key, (0,), ("exclusive",), "node{unit:GB}", (0,)),
    ("node {x} / core", remove_key, (0,), ("exclusive",), "node / core", (0,)),
    ("node{a , a:1,b}", set_key, (0,), ("a", 2), "node{a:2 , b}", (0,)),
    ("node{x:1}", toggle_exclusive, (0,), (), "node{x}", (0,)),
    ("a{exclusive:true, b}", toggle_exclusive, (0,), (), "a{exclusive:false, b}", (0,)),
    ("a{+exclusive,b}", toggle_exclusive, (0,), (), "a{-exclusive,b}", (0,)),
    ("", add_sibling, (), "node", "node", (0,)),
    ("node / core", add_child, (0,), "gpu=2{x}", "node / [core;gpu=2{x}]", (0, 1)),
    ("[ a ; b ]", add_child, (1,), "c/d", "[ a ; b/c/d ]", (1, 0)),
    ("[ a/c ; b ]", add_child, (0,), "d", "[ a/[c;d] ; b ]", (0, 1)),
    ("node", add_sibling, (0,), " core = 2 ", "[node;core = 2]", (1,)),
    ("[a; b]", add_sibling, (0,), "c", "[a; c; b]", (1,)),
    ("[a;\n b]", add_sibling, (1,), "c", "[a;\n b;\n c]", (2,)),
    ("slot/core", add_sibling, (0,), "slot/gpu", "[slot{default}/core;slot{slot2}/gpu]", (1,)),
    ("node / core", wrap, (0, 0), "slot=2", "node / slot=2/core", (0, 0)),
    ("[a ; b]", wrap, (1,), "node{ x }", "[a ; node{ x }/b]", (1,)),
    ("slot/core", wrap, (0,), "slot{a}", "slot{a}/slot{default}/core", (0,)),
    ("node", delete, (0,), None, "", ()),
    ("[a; b]", delete, (1,), None, "[a]", (0,)),
    ("a/[b; c]", delete, (0, 0), None, "a/[c]", (0, 0)),
    ("a = 2 / [b]", delete, (0, 0), None, "a = 2", (0,)),
    ("[x;a=2/[b; c];d]", lift, (1,), None, "[x;b;c;d]", (1,)),
    ("rack/node / core", lift, (0,), None, "node / core", (0,)),
    ("[a = 2; b]", duplicate, (0,), None, "[a = 2; a = 2; b]", (1,)),
    ("slot / core", duplicate, (0,), None, "[slot{default} / core;slot{slot2} / core]", (1,)),
    ("[slot{s9}/a; b]", duplicate, (0,), None, "[slot{s9}/a; slot{s10}/a; b]", (1,)),
    ("[a; b;c]", move, (0,), 1, "[b; a;c]", (1,)),
    ("[a; b;c]", move, (2,), -9, "[c; a;b]", (0,)),
    ("n/[a = 2; b]", move, (0, 0), 1, "n/[b; a = 2]", (0, 1)),
    ("[a/b; c = 2]", indent, (1,), None, "[a/[b; c = 2]]", (0, 1)),
    ("a/[b = 2;c]", outdent, (0, 0), None, "[a/[c];b = 2]", (1,)),
    ("a/b/c", outdent, (0, 0, 0), None, "a/[b;c]", (0, 1)),
]  # fmt: skip

LINES = [
    ("node = [2-4] {exclusive:true} / core", (0,), "node=3-4{x}",
     "node = [3-4] {exclusive:true} / core"),
    ("node = [2-4] {exclusive:true} / core", (0,), "node = 3", "node = 3 / core"),
    ("node / [ core ]", (0,), 'rack{ "a" }', 'rack{ "a" } / [ core ]'),
    ("node{x, unit: GB}", (0,), "node{unit:MB}", "node{unit: MB}"),
    ("node/core", (0, 0), "slot=2 / gpu", "node/slot=2/gpu"),
    ("[slot{a}/core;slot{b}/core]", (1,), "slot=4", "[slot{a}/core;slot=4{b}/core]"),
    ("[slot/core; node]", (1,), "slot", "[slot{default}/core; slot{slot2}]"),
    ("slot{a}/core", (0,), "slot=2", "slot=2/core"),
    (" node ", (0,), "gpu", " gpu "),
]  # fmt: skip


def call(text: str, edit: Callable[..., Edited], path: tuple[int, ...], argument: Any) -> Edited:
    arguments = argument if isinstance(argument, tuple) else (argument,)
    if argument is None:
        arguments = ()
    return edit(parse_shape(text), path, *arguments)


@for_each("case", EXAMPLES)
def test_an_edit_changes_just_what_it_is_about(case: Any) -> None:
    before, edit, path, argument, after, cursor = case
    assert call(before, edit, path, argument) == Edited(after, cursor, None)


@for_each("case", LINES)
def test_a_line_typed_for_a_vertex(case: Any) -> None:
    before, path, line, after = case
    assert edit_vertex(parse_shape(before), path, line) == Edited(after, path, None)


@for_each(
    "case",
    [
        ("resources[0].with[1]", (0, 1)),
        ("resources[12].with[0].with[3].count", (12, 0, 3)),
        ("resources[0].unit", (0,)),
        ("resources", ()),
        ("attributes.system", ()),
        ("", ()),
    ],
)
def test_paths_of_a_document(case: Any) -> None:
    document, path = case
    assert path_of(document) == path
    if path:
        assert document.startswith(document_path(path))


def test_the_line_of_a_vertex_is_as_it_was_typed() -> None:
    text = "[ slot = [2-4] { a , exclusive:true } / core ; b ]"
    assert line_of(parse_shape(text), (0,)) == "slot = [2-4] { a , exclusive:true }"
    assert line_of(parse_shape(text), (0, 0)) == "core"
    assert line_of(parse_shape("node = 4 / ["), (0,)) == "node = 4"


def test_edits_take_time_in_proportion() -> None:
    def seconds(times: int) -> float:
        text = "rack/[" + " ; ".join(f"slot=4{{s{n}}}/[core=8;gpu]" for n in range(times)) + "]"
        read = parse_shape(text)
        start = time.process_time()
        step_count(read, (0, times - 1, 1), 1)
        toggle_exclusive(read, (0, 0))
        duplicate(read, (0,))
        revise(read, [{"type": "a", "count": 1}, *to_resources(read)])
        return time.process_time() - start

    def best(times: int) -> float:  # whatever else the machine does meanwhile
        return min(seconds(times) for _ in range(3))

    assert best(1200) < 20 * max(best(300), 0.01)


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
    ("node=30-3", step_count, (0,), -1,
     "the largest count, 3, is below the smallest, 30", "resources[0].count"),
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


@for_each("case", REFUSED)
def test_an_edit_that_makes_no_sense_says_why(case: Any) -> None:
    text, edit, path, argument, message, where = case
    after = call(text, edit, path, argument)
    assert (after.text, after.path) == (text, path)
    assert after.problem is not None
    assert (after.problem.message, after.problem.path) == (message, where)


@for_each(
    "edit",
    [
        lambda s, p: step_count(s, p, 1),
        lambda s, p: set_label(s, p, "a"),
        lambda s, p: set_key(s, p, "a", 1),
        lambda s, p: remove_key(s, p, "a"),
        lambda s, p: add_child(s, p, "a"),
        lambda s, p: add_sibling(s, p, "a"),
        lambda s, p: wrap(s, p, "a"),
        lambda s, p: edit_vertex(s, p, "a"),
        lambda s, p: move(s, p, 1),
        toggle_exclusive,
        delete,
        lift,
        duplicate,
        indent,
        outdent,
    ],
)
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
