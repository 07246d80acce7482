"""Shapes that are read: their resources, their spans and tokens, and what may be typed next."""

from typing import Any

import yaml

from fluxtui.notation.count import Range
from fluxtui.notation.problem import Span
from fluxtui.notation.shape.completion import completions
from fluxtui.notation.shape.format import format_shape
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.resources import from_resources, to_resources
from fluxtui.notation.shape.tree import Item, Vertex
from tests.each import for_each

# The use cases of RFC 46 that say most; the others are among the recorded shapes.
USE_CASES = [
    ("slot=3-30/node", """
        [{type: slot, count: {min: 3, max: 30, operator: +, operand: 1}, label: default,
          with: [{type: node, count: 1}]}]"""),
    ("slot=4{nodelevel}/node{-x}/socket=2+/core=4+", """
        [{type: slot, count: 4, label: nodelevel, with: [{type: node, count: 1, exclusive: false,
          with: [{type: socket, count: {min: 2}, with: [{type: core, count: {min: 4}}]}]}]}]"""),
    ("[cluster/slot=2{ib}/node/ib10g;switch/slot=4,9,16{bi}/core=2]", """
        [{type: cluster, count: 1, with: [{type: slot, count: 2, label: ib, with: [
           {type: node, count: 1, with: [{type: ib10g, count: 1}]}]}]},
         {type: switch, count: 1, with: [{type: slot, count: '4,9,16', label: bi, with: [
           {type: core, count: 2}]}]}]"""),
    ("slot=2{4GB-node}/[memory=4+{unit:GB};core]", """
        [{type: slot, count: 2, label: 4GB-node, with: [
          {type: memory, count: {min: 4}, unit: GB}, {type: core, count: 1}]}]"""),
]  # fmt: skip


@for_each("case", USE_CASES)
def test_use_cases_of_rfc_46_both_ways(case: Any) -> None:
    text, document = case
    read, resources = parse_shape(text), yaml.safe_load(document)
    assert read.problems == ()
    assert to_resources(read) == resources
    back = from_resources(resources)
    assert back.ok
    assert format_shape(read) == format_shape(back.value) == text


def test_string_counts_stay_as_written() -> None:
    text = "[slot=2+:1:+{a}/core=[1-3,4-5];memory=3-30:2:+]"
    strings = to_resources(parse_shape(text), counts="string")
    assert [strings[0]["count"], strings[0]["with"][0]["count"], strings[1]["count"]] == [
        "2+:1:+",
        "1-3,4-5",
        "3-30:2:+",
    ]


def test_an_open_range_with_a_step_stays_text() -> None:
    assert to_resources(parse_shape("node=3+:2"))[0]["count"] == "3+:2"


def test_the_label_of_the_only_slot() -> None:
    read = parse_shape("node/slot/core")
    assert to_resources(read, "task")[0]["with"][0]["label"] == "task"
    labelled = to_resources(parse_shape("node/slot{task}/core"))
    assert format_shape(from_resources(labelled).value) == "node/slot{task}/core"
    assert format_shape(from_resources(labelled, "task").value) == "node/slot/core"


def test_a_slot_that_has_keys_and_no_label_gets_the_default_one() -> None:
    """Its braces start with a label, so that its first key would be read as that."""
    core = [{"type": "core", "count": 1}]
    unlabelled = [{"type": "slot", "count": 2, "exclusive": True, "with": core}]
    for resources, label, text in [
        (unlabelled, "default", "slot=2{default,x}/core"),
        (unlabelled, "task", "slot=2{task,x}/core"),
        (
            [{"type": "node", "count": 1, "with": unlabelled}],
            "default",
            "node/slot=2{default,x}/core",
        ),
    ]:
        assert format_shape(from_resources(resources, label).value) == text
        assert parse_shape(text).ok


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


def test_tokens_tell_what_each_piece_is() -> None:
    text = 'node=4/slot{a,-x,unit:"G B",n:1.5,ok:true}/core=x'
    kinds = [(t.kind, text[t.span.start : t.span.end]) for t in parse_shape(text).tokens]
    assert [pair for pair in kinds if pair[0] != "punctuation"] == [
        ("type", "node"),
        ("count", "4"),
        ("slot", "slot"),
        ("label", "a"),
        ("operator", "-"),
        ("key", "x"),
        ("key", "unit"),
        ("string", '"G B"'),
        ("key", "n"),
        ("number", "1.5"),
        ("key", "ok"),
        ("constant", "true"),
        ("type", "core"),
        ("error", "x"),
    ]


@for_each(
    "text",
    [
        "[node{u:'{',y:b/c};core]",
        '["{"{};node{y:b/c};"\\""{}]',
        "['{'{};node{y:b/c};'\"'{}]",
        "[node{z:don't,y:b/c};core{y:it's}]",
    ],
)
def test_braces_in_quotes_are_letters(text: str) -> None:
    read = parse_shape(text)
    assert read.ok, read.problems
    assert "b/c" in {item.value for vertex in read.vertices for item in vertex.keys}


@for_each("text", [" node = 4 / core ", "[ node ; core ]", "node{ x , unit: GB }"])
def test_white_space_between_tokens_means_nothing(text: str) -> None:
    tight = text.replace(" ", "")
    assert parse_shape(text).ok
    assert to_resources(parse_shape(text)) == to_resources(parse_shape(tight))


@for_each(
    "case",
    [
        ("GB", "GB"),
        ("", '""'),
        ("a b", '"a b"'),
        ("true", '"true"'),
        ("TRUE", "TRUE"),
        ("5", '"5"'),
        ("+5", "+5"),
        ("-x", "-x"),
        ("a/b", '"a/b"'),
        ('"', '"\\""'),
        ("\x00", '"\\u0000"'),
        ("été", "été"),
        (5, "5"),
        (None, "null"),
        (1e300, "1e+300"),
        ({"x": True, "a": {"b": [1, "c", None]}}, '{"x",a:{b:[1,"c",null]}}'),
    ],
)
def test_quotes_only_where_needed(case: Any) -> None:
    value, text = case
    vertex = Vertex("node", keys=(Item("k", value),))
    assert format_shape([vertex]) == f"node{{k:{text}}}"
    assert parse_shape(format_shape([vertex])).vertices[0].keys[0].value == value


def completed(text: str, cursor: int | None = None) -> list[str]:
    place = len(text) if cursor is None else cursor
    return [offer.text for offer in completions(text, place)]


@for_each(
    "case",
    [
        ("no", ["node", "=", "{", "/"]),
        ("node", ["=", "{", "/"]),
        ("node=4", ["+", "-", ",", "{", "/"]),
        ("node{", ["x", "-x", "unit:", "label:", "id:", "}"]),
        ("node{ex", ["exclusive", ":", ",", "}"]),
        ("node{-", ["x"]),
        ("node{x:", ["true", "false"]),
        ("memory{unit:", ["GB", "MB", "TB", "KB"]),
        ("memory{unit:G", ["GB", ",", "}"]),
        ("slot{", ["default"]),
        ("[node", ["=", "{", "/", ";", "]"]),
        ('node{a:"b', ['"']),
    ],
)
def test_completions(case: Any) -> None:
    text, offers = case
    assert completed(text) == offers


def test_completions_offer_types_and_say_what_they_are() -> None:
    offers = completions("node=2/", 7)
    types = ["slot", "node", "socket", "core", "gpu", "memory", "switch", "cluster", "rack"]
    assert {*types, "pu", "numa", "storage", "["} <= {offer.text for offer in offers}
    assert all(offer.description for offer in offers)


def test_a_completion_replaces_the_whole_word_at_the_cursor() -> None:
    offers = [offer for offer in completions("node/slit=4", 7) if offer.text == "slot"]
    assert [offer.span for offer in offers] == [Span(5, 9)]


def test_resources_that_are_no_shape_are_named() -> None:
    back = from_resources([{"type": 5, "count": 0}, 7, {"type": "a", "count": 1, "with": 3}])
    assert [p.path for p in back.problems] == [
        "resources[0].type",
        "resources[0].count",
        "resources[1]",
        "resources[2].with",
    ]
    assert not back.ok
