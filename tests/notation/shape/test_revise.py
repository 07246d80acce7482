"""What is kept of a text: from other resources, under another tree, where it is not finished."""

from typing import Any

from fluxtui.notation.shape.edit import Edited, add_child, add_sibling, delete, step_count
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.resources import to_resources
from fluxtui.notation.shape.rewrite import revise, rewrite
from fluxtui.notation.shape.tree import Item, Vertex
from tests.each import for_each

REWRITTEN = [
    ("node = 4 / core", "node=4/core", "node = 4 / core"),
    ("node = 4 / core", "node=5/core", "node = 5 / core"),
    ("[ a ; b ;c]", "[a;c]", "[ a ; c]"),
    ("[ a ; b ;c]", "[a;b;c;d]", "[ a ; b ;c ;d]"),
    ("[ a ; b ;c]", "[c;a;b]", "[ c ; a ;b]"),
    ("[ a ; b ]", "a", "[ a ]"),
    ("a", "[a;b]", "[a;b]"),
    ("a{x, y}", "[a{x,y};b]", "[a{x, y};b]"),
    ("[a{x, exclusive2:true}; b]", "[b;a{x,exclusive2}]", "[b; a{x, exclusive2:true}]"),
    ("node=[2-4]{exclusive:true, unit: GB}", "node=2-5{-x,unit:MB,a}",
     "node=[2-5]{exclusive:false, unit: MB, a}"),
    ("node{a:1}", "node{a:1.0}", "node{a:1.0}"),
    ("node{a:1}", "node{a:true}", "node{a:true}"),
    ("node{ x , 'a b':1 }", "node{'a b':1,x}", "node{ 'a b':1 , x }"),
    ("node = 4 {exclusive:true} / core", "rack/node=4{x}/core",
     "rack/node = 4 {exclusive:true} / core"),
    ("rack / node = 4 {exclusive:true} / core", "node=4{x}/core",
     "node = 4 {exclusive:true} / core"),
    ("slot=2{ a }/core", "slot=2/core", "slot=2/core"),
    ("slot/core", "[slot{a}/core;slot{b}/core]", "[slot{a}/core;slot{b}/core]"),
    ("node=4", "", ""),
    ("", "node=4", "node=4"),
]  # fmt: skip


@for_each("case", REWRITTEN)
def test_another_tree_in_an_old_text(case: Any) -> None:
    text, tree, after = case
    assert revise(parse_shape(text), to_resources(parse_shape(tree))).text == after


def test_trees_that_a_text_cannot_say_without_a_problem() -> None:
    core = (Vertex("core"),)
    old = parse_shape("slot / core")
    keys = (Item("unit", "GB"),)
    assert rewrite(old, (Vertex("slot", keys=keys, children=core),)).text == ("slot{,unit:GB}/core")
    assert rewrite(old, (Vertex("", children=core),)).text == '""{}/core'
    exclusive = (Vertex("slot", keys=(Item("exclusive", True),), children=core),)
    assert rewrite(parse_shape("node { x } / core"), exclusive).text == "slot{,x}/core"
    assert parse_shape("slot { ,x } / core").vertices[0].label is None
    assert rewrite(parse_shape("node{}/core"), (Vertex("slot", children=core),)).text == "slot/core"


UNFINISHED = [
    ("node=4/slot/[core=8;gp", (0,), "node=5/slot/[core=8;gp"),
    ("node=4/slot/[core = 8 ; gp", (0, 0, 0), "node=4/slot/[core = 9 ; gp"),
    ("node/", (0,), "node=2/"),
    ("node;core", (1,), "node;core=2"),
    ("[node,core]", (1,), "[node,core=2]"),
    ("[node,core]", (0,), "[node=2;core]"),
    ("node}/core", (0, 0), "node}/core=2"),
    ("node=x4/core", (0, 0), "node=x4/core=2"),
    ("node=x4/ core", (0,), "node=2/ core"),
    ("node{x/core", (0,), "node=2{x/core"),
    ("slot{-x}/core", (0,), "slot=2{-x}/core"),
    ("slot/slot / core", (0,), "slot=2/slot / core"),
]


@for_each("case", UNFINISHED)
def test_one_more_in_a_text_with_problems(case: Any) -> None:
    text, path, after = case
    assert step_count(parse_shape(text), path, 1) == Edited(after, path)


GROWN = [
    ("node=4/slot/[core = 8 ; gp", (0,), "[node=4/slot/[core=8;gp];new]"),
    ("node=4/slot/[core=8;gp", (0, 0, 1), "node=4/slot/[core=8;gp;new"),
    ("node;core", (1,), "[node;core;new]"),
    ("[node,core = 2]", (1,), "[node;core=2;new]"),
]


@for_each("case", GROWN)
def test_brackets_close_where_something_follows(case: Any) -> None:
    text, path, after = case
    assert add_sibling(parse_shape(text), path, "new").text == after


@for_each(
    "case", [("node /", "node /core"), ("node/ [", "node/ [core"), ("node/[ ]", "node/[ core]")]
)
def test_a_slash_that_waits_for_a_child_gets_one(case: Any) -> None:
    text, after = case
    assert add_child(parse_shape(text), (0,), "core").text == after


def test_a_brace_in_quotes_closes_nothing() -> None:
    text = "[node{a:'{',b:c/d};core{a:'}'}]"
    read = parse_shape(text)
    assert read.ok
    assert delete(read, (1,)).text == "[node{a:'{',b:c/d}]"


def core(count: Any = 1, **keys: Any) -> dict[str, Any]:
    return {"type": "core", "count": count, **keys}


def slot(count: Any, label: str, *inside: Any) -> dict[str, Any]:
    return {"type": "slot", "count": count, "label": label, "with": list(inside)}


REVISED = [
    ("slot / core = 2", [slot(1, "default", core(2))], "slot / core = 2"),
    ("slot / core = 2", [slot(1, "default", core(3))], "slot / core = 3"),
    ("slot / core = 2", [slot(4, "default", core(2))], "slot=4 / core = 2"),
    ("slot{default} / core", [slot(4, "default", core())], "slot=4{default} / core"),
    ("slot{a} / core", [slot(1, "default", core())], "slot / core"),
    ("slot / core", [slot(1, "a", core())], "slot{a} / core"),
    ("slot / core", [slot(1, "default", core()), slot(1, "b", core())],
     "[slot{default} / core;slot{b}/core]"),
    ("[slot{default}/core ; slot{b}/core]", [slot(1, "default", core())], "[slot{default}/core]"),
    ("[core=[2-4] ; gpu]", [core({"min": 2, "max": 4, "operator": "+", "operand": 1})],
     "[core=[2-4]]"),
    ("core=[2-4]", [core("2-4:1:+")], "core=[2-4:1:+]"),
    ("core=2,3 ", [core("2,3")], "core=2,3 "),
    ("core{a:1, x}", [core(a=True, exclusive=True)], "core{a:true, x}"),
    ("core{a:{b:1}, x}", [core(a={"b": 1.0}, exclusive=True)], "core{a:{b:1.0}, x}"),
    ("core{ exclusive:true }", [{"exclusive": True, "count": 1, "type": "core", "with": []}],
     "core{ exclusive:true }"),
    ("core = 2 / a", [{"type": "rack", "count": 1, "with": [core(2, **{"with": [core()]})]}],
     "rack / core=2/core"),
    ("[a{exclusive:true} ;core]", [core(), {"type": "a", "count": 1, "exclusive": True}],
     "[core ;a{exclusive:true}]"),
    ("a", [], ""),
    ("", [core(3)], "core=3"),
    ("a", [7, core(3)], "core=3"),
]  # fmt: skip


@for_each("case", REVISED)
def test_the_text_after_its_resources_changed(case: Any) -> None:
    text, resources, after = case
    assert revise(parse_shape(text), resources).text == after


def test_a_slot_without_a_label_in_the_document_gets_the_usual_one() -> None:
    without = {"type": "slot", "count": 1, "exclusive": True, "with": [core()]}
    assert revise(parse_shape("slot/core"), [without]).text == "slot{default,x}/core"


def test_a_wrong_text_gives_way_to_another_document() -> None:
    """Else a document that is fine would have no answer for what is wrong in the old text."""
    resources = to_resources(parse_shape("node=3/slot/core=8"))
    for text in ("node=4//slot/core=8", "node=4/slot/[core=8;", "node=4/slot{", "node=4{:a[{}"):
        found = revise(parse_shape(text), resources)
        assert (found.text, found.ok) == ("node=3/slot/core=8", True)
