"""What holds for every shape tree and every text."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.notation.count import Range
from fluxtui.notation.sets.idset import IdSet
from fluxtui.notation.shape.completion import completions
from fluxtui.notation.shape.format import format_shape
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.resources import from_resources, to_resources
from fluxtui.notation.shape.tree import Item, Shape, Vertex, walk

TEXTS = [
    "slot=4{nodelevel}/node{-x}/socket=2+/core=4+",
    "[cluster/slot=2{ib}/node/[memory=4{unit:GB};ib10g];switch/slot=2{bicore}/node/core=2]",
    "cluster=2/slot/node=1+{-x}/core=30",
    'slot=4,9,16,25/node{a:[1,"b"],c:{d:e}}',
]

names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
    | st.sampled_from(["true", "null", "1", "-0", "1e5", "+a", "-a", "x", "a b", "GB"])
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=6,
)
counts = (
    st.integers(1, 99)
    | st.builds(
        Range,
        st.integers(2, 9),
        st.none() | st.integers(9, 20),
        st.integers(2, 4),
        st.sampled_from("+*^"),
    )
    | st.sets(st.integers(1, 30), min_size=2, max_size=5).map(IdSet.of)
)
items = st.dictionaries(
    names.filter(lambda k: k not in ("type", "count", "with", "label", "unit", "id", "exclusive")),
    values,
    max_size=3,
)
flags = st.dictionaries(st.just("exclusive"), st.booleans(), max_size=1)


@st.composite
def trees(draw: st.DrawFn, depth: int = 3) -> tuple[Vertex, ...]:
    """Legal lists of vertices; labels are made unique by their number."""
    number = [0]

    def vertices(depth: int) -> tuple[Vertex, ...]:
        return tuple(vertex(depth) for _ in range(draw(st.integers(1, 3))))

    def vertex(depth: int) -> Vertex:
        name = draw(names | st.sampled_from(["slot", "node", "core"]))
        children = vertices(depth - 1) if depth and draw(st.booleans()) else ()
        keys = tuple(Item(k, v) for k, v in {**draw(flags), **draw(items)}.items())
        label = None
        if name == "slot":
            children = children or (Vertex("core"),)
            number[0] += 1
            label = draw(names) + str(number[0])
        return Vertex(name, draw(counts), label, keys, children)

    return vertices(depth)


def bare(vertices: tuple[Vertex, ...]) -> list[object]:
    """A tree without its places in the text."""
    return [
        (v.type, v.count, v.label, [(i.key, i.value) for i in v.keys], bare(v.children))
        for v in vertices
    ]


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


SIGNS = st.text(st.sampled_from(list("slot[]{}/;:=,\"'+-x12 \\")), max_size=40)


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


def test_too_deep_says_so() -> None:
    read = parse_shape("/".join(["a"] * 150))
    assert [p.message for p in read.problems] == ["more than 100 levels are nested here"]
    assert parse_shape("/".join(["a"] * 100)).ok
    assert parse_shape("n{a:" + "[" * 90 + "]" * 90 + "}").ok


def test_long_texts_take_time_in_proportion() -> None:
    def seconds(times: int) -> float:
        text = "[" + ";".join(["node=4{x,unit:GB}/slot{a/b}/[core=8;gp"] * times) + "]"
        start = time.process_time()
        parse_shape(text)
        return time.process_time() - start

    seconds(100)
    assert seconds(4000) < 20 * max(seconds(1000), 0.01)
