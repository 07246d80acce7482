"""What holds for every shape text and every tree that is written over it.

The texts are spaced and spelled at random.
"""

import random
import re
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fluxtui.notation import count as counts
from fluxtui.notation.shape.edit.revise import revise
from fluxtui.notation.shape.edit.rewrite import rewrite
from fluxtui.notation.shape.format import format_shape
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.resources import to_resources
from fluxtui.notation.shape.tree import Item, Vertex
from tests.notation.test_shape_properties import SIGNS, bare, trees

MANY = settings(suppress_health_check=[HealthCheck.too_slow])

SPACES = ["", "", "", " ", " ", "  ", "\n  ", "\t"]


class Speller:
    """Writes a tree with the spaces, brackets and spellings that a person might choose."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def maybe(self, share: float = 0.3) -> bool:
        return self.rng.random() < share

    def around(self, sign: str) -> str:
        return f"{self.rng.choice(SPACES)}{sign}{self.rng.choice(SPACES)}"

    def list(self, vertices: tuple[Vertex, ...]) -> str:
        text = "".join(
            f"{self.around(';') if number else ''}{self.vertex(vertex)}"
            for number, vertex in enumerate(vertices)
        )
        if len(vertices) == 1 and not self.maybe():
            return text
        return f"[{self.rng.choice(SPACES)}{text}{self.rng.choice(SPACES)}]"

    def vertex(self, vertex: Vertex) -> str:
        out = format_shape((Vertex(vertex.type),))
        count = counts.format(vertex.count)
        if count != "1" or self.maybe(0.1):
            out += self.around("=") + (f"[ {count}]" if self.maybe() else count)
        entries = [self.item(item.key, item.value) for item in vertex.keys]
        if vertex.label is not None:
            entries.insert(0, format_shape((Vertex("slot", label=vertex.label),))[5:-1])
        if entries or (vertex.type != "slot" and self.maybe(0.1)):
            inside = "".join(f"{self.around(',') if n else ''}{e}" for n, e in enumerate(entries))
            out += self.around("{") + inside + self.rng.choice(SPACES) + "}"
        return out + (self.around("/") + self.list(vertex.children) if vertex.children else "")

    def item(self, key: str, value: Any) -> str:
        name = format_shape((Vertex("a", keys=(Item(key, True),)),))[2:-1]
        if name == "x" and self.maybe():
            name = "exclusive"
        if isinstance(value, bool) and not self.maybe():
            signs = ["", "+"] if value else ["-"]
            return self.rng.choice(signs) + name
        text = format_shape((Vertex("a", keys=(Item("k", [value]),)),))[5:-2]
        if isinstance(value, str):
            if re.fullmatch(r"[^\W\d]+([/;]\w+)?", value) and value not in (
                "true",
                "false",
                "null",
            ):
                text = value
            elif "'" not in value and value.isprintable() and self.maybe():
                text = f"'{value}'"
        return f"{name}{self.around(':')}{text}"


@st.composite
def texts(draw: st.DrawFn) -> str:
    """A shape with random spacing, and now and then keys that only look like punctuation."""
    tree = draw(trees(2))
    rng = draw(st.randoms(use_true_random=False))
    if rng.random() < 0.2:
        tricky = rng.choice(["a/b", "a;b", "{", "}", '"', "a}", "'"])
        first = tree[0]
        tree = (first._replace(keys=(*first.keys, Item("tricky", tricky))), *tree[1:])
    return rng.choice(SPACES) + Speller(rng).list(tree) + rng.choice(SPACES)


def exact(vertices: tuple[Vertex, ...]) -> str:
    """A tree as a text that tells 1, 1.0 and true apart."""
    return repr(bare(vertices))


@given(texts())
@MANY
def test_the_texts_are_what_they_should_be(text: str) -> None:
    read = parse_shape(text)
    assert rewrite(read, read.vertices) == text
    assert revise(read, to_resources(read)) == text


@given(texts(), trees(2))
@MANY
def test_any_tree_can_be_written_over_any_text(text: str, tree: tuple[Vertex, ...]) -> None:
    assert exact(parse_shape(rewrite(parse_shape(text), tree)).vertices) == exact(tree)


@given(texts(), texts())
@MANY
def test_a_tree_of_another_text_can_be_written(text: str, other: str) -> None:
    tree = parse_shape(other).vertices
    assert exact(parse_shape(rewrite(parse_shape(text), tree)).vertices) == exact(tree)


@given(SIGNS | texts(), SIGNS | texts())
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_also_where_the_texts_are_wrong(text: str, other: str) -> None:
    read, tree = parse_shape(text), parse_shape(other).vertices
    assert exact(parse_shape(rewrite(read, tree)).vertices) == exact(tree)
    if read.vertices:
        assert rewrite(read, read.vertices) == text


@given(texts(), trees(2))
@MANY
def test_any_resources_list_can_come_from_elsewhere(text: str, tree: tuple[Vertex, ...]) -> None:
    resources = to_resources(tree)
    revised = parse_shape(revise(parse_shape(text), resources))
    assert repr(to_resources(revised)) == repr(resources)
