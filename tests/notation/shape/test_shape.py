"""Places in a shape, and edits whose cost and limits matter; other examples are recorded."""

import time
from typing import Any

from fluxtui.notation.count import Range
from fluxtui.notation.problem import Span
from fluxtui.notation.shape.completion import completions
from fluxtui.notation.shape.edit import (
    duplicate,
    line_of,
    step_count,
    toggle_exclusive,
    wrap,
)
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.resources import to_resources
from fluxtui.notation.shape.rewrite import revise, rewrite
from fluxtui.notation.shape.tree import Item, Vertex, document_path, path_of
from tests.each import for_each


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


def test_every_part_keeps_its_place() -> None:
    text = "node=4{x,unit:GB}/[slot={a}/core;gpu=[2-8]]"
    read = parse_shape(text)

    def piece(span: Span | None) -> str | None:
        return None if span is None else text[span.start : span.end]

    top = read.vertices[0]
    assert piece(top.span) == text
    assert (piece(top.type_span), piece(top.count_span)) == ("node", "4")
    assert [piece(item.span) for item in top.keys] == ["x", "unit:GB"]
    assert (piece(top.keys[1].key_span), piece(top.keys[1].value_span)) == ("unit", "GB")
    assert top.keys[0].value_span is None
    slot_vertex, gpu = top.children
    assert (piece(slot_vertex.label_span), slot_vertex.count_span) == ("a", None)
    assert piece(slot_vertex.span) == "slot={a}/core"
    assert (piece(gpu.count_span), gpu.count) == ("[2-8]", Range(2, 8))


def test_completions_offer_types_and_say_what_they_are() -> None:
    offers = completions("node=2/", 7)
    types = ["slot", "node", "socket", "core", "gpu", "memory", "switch", "cluster", "rack"]
    assert {*types, "pu", "numa", "storage", "["} <= {offer.text for offer in offers}
    assert all(offer.description for offer in offers)
