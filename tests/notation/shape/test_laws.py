"""What holds for every shape tree, every text, and every tree that is written over a text."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fluxtui.notation.shape.completion import completions
from fluxtui.notation.shape.format import format_shape, revise, rewrite
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import Item, Shape, Vertex, from_resources, to_resources, walk
from tests.notation.shape.trees import SIGNS, TEXTS, bare, texts, trees

MANY = settings(suppress_health_check=[HealthCheck.too_slow])


@given(trees())
def test_what_is_written_is_read_back(tree: tuple[Vertex, ...]) -> None:
    text = format_shape(tree)
    read = parse_shape(text)
    assert [p for p in read.problems if p.severity == "error"] == []
    assert bare(read.vertices) == bare(tree)
    assert format_shape(read) == text
    back = from_resources(to_resources(tree))
    assert to_resources(back.value) == to_resources(tree)


def sound(text: str, read: Shape) -> None:
    """What holds for any text: nothing raised, all coloured once, problems inside the text."""
    place = 0
    for token in read.tokens:
        assert token.span.start >= place
        assert not text[place : token.span.start].strip()
        assert token.span.end > token.span.start
        place = token.span.end
    assert not text[place:].strip()
    spans = [problem.span for problem in read.problems]
    assert all(span is not None and 0 <= span[0] <= span[1] <= len(text) for span in spans)
    for vertex in walk(read.vertices):
        assert 0 <= vertex.span.start <= vertex.type_span.start <= vertex.span.end <= len(text)


@given(SIGNS | st.text(max_size=30))
def test_any_text_is_read(text: str) -> None:
    read = parse_shape(text)
    sound(text, read)
    to_resources(read)
    for cursor in (0, len(text) // 2, len(text)):
        for offer in completions(text, cursor):
            assert 0 <= offer.span.start <= cursor <= offer.span.end <= len(text)
    if read.ok:
        assert bare(parse_shape(format_shape(read)).vertices) == bare(read.vertices)


@given(st.sampled_from(TEXTS), st.data())
def test_every_beginning_and_every_slip_is_read(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text)))
    sound(text[:at], parse_shape(text[:at]))
    slip = text[:at] + data.draw(st.sampled_from(list('[]{}/;:=,"x1'))) + text[at:]
    sound(slip, parse_shape(slip))


@pytest.mark.parametrize(
    "unit", ["[", "a/", "a{", "{", "a{b:{", "a{b:[", "]", ";", '"', "a[", "/[", "a/[b;"]
)
def test_deep_nesting_is_a_problem_and_no_more(unit: str) -> None:
    text = unit * 5000
    read = parse_shape(text)
    sound(text, read)
    assert not read.ok
    format_shape(read)
    to_resources(read)


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


def exact(vertices: tuple[Vertex, ...]) -> str:
    """A tree as a text that tells 1, 1.0 and true apart."""
    return repr(bare(vertices))


@given(texts())
@MANY
def test_the_texts_are_what_they_should_be(text: str) -> None:
    read = parse_shape(text)
    assert rewrite(read, read.vertices).text == text
    assert revise(read, to_resources(read)).text == text


@given(texts(), trees(2))
@MANY
def test_any_tree_can_be_written_over_any_text(text: str, tree: tuple[Vertex, ...]) -> None:
    assert exact(rewrite(parse_shape(text), tree).vertices) == exact(tree)


@given(texts(), texts())
@MANY
def test_a_tree_of_another_text_can_be_written(text: str, other: str) -> None:
    tree = parse_shape(other).vertices
    assert exact(rewrite(parse_shape(text), tree).vertices) == exact(tree)


@given(SIGNS | texts(), SIGNS | texts())
@MANY
def test_also_where_the_texts_are_wrong(text: str, other: str) -> None:
    read, tree = parse_shape(text), parse_shape(other).vertices
    assert exact(rewrite(read, tree).vertices) == exact(tree)
    if read.vertices:
        assert rewrite(read, read.vertices).text == text


@given(texts(), trees(2))
@MANY
def test_any_resources_list_can_come_from_elsewhere(text: str, tree: tuple[Vertex, ...]) -> None:
    resources = to_resources(tree)
    revised = revise(parse_shape(text), resources)
    assert repr(to_resources(revised)) == repr(resources)
