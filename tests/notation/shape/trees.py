"""Shapes by chance: legal trees, and texts of them as people may space and spell them."""

import random
import re
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from fluxtui.notation import count
from fluxtui.notation.count import Range
from fluxtui.notation.sets.idset import IdSet
from fluxtui.notation.shape.format import format_shape, own_text
from fluxtui.notation.shape.tree import Item, Vertex
from tests.json_values import SCALARS
from tests.json_values import values as json_values

#: Shapes are slow to draw.
MANY = settings(suppress_health_check=[HealthCheck.too_slow])

TEXTS = [
    "slot=4{nodelevel}/node{-x}/socket=2+/core=4+",
    "[cluster/slot=2{ib}/node/[memory=4{unit:GB};ib10g];switch/slot=2{bicore}/node/core=2]",
    "cluster=2/slot/node=1+{-x}/core=30",
    'slot=4,9,16,25/node{a:[1,"b"],c:{d:e}}',
]

names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
scalars = (
    SCALARS
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
    | st.sampled_from(["true", "null", "1", "-0", "1e5", "+a", "-a", "x", "a b", "GB"])
)
values = json_values(scalars, names, leaves=6, longest=3)
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


SIGNS = st.text(st.sampled_from(list("slot[]{}/;:=,\"'+-x12 \\")), max_size=40)

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
        number = count.format(vertex.count)
        if number != "1" or self.maybe(0.1):
            out += self.around("=") + (f"[ {number}]" if self.maybe() else number)
        entries = [self.item(item.key, item.value) for item in vertex.keys]
        if vertex.label is not None:
            entries.insert(0, own_text(Vertex("slot", label=vertex.label))[5:-1])
        if entries or (vertex.type != "slot" and self.maybe(0.1)):
            inside = "".join(f"{self.around(',') if n else ''}{e}" for n, e in enumerate(entries))
            out += self.around("{") + inside + self.rng.choice(SPACES) + "}"
        return out + (self.around("/") + self.list(vertex.children) if vertex.children else "")

    def item(self, key: str, value: Any) -> str:
        name = own_text(Vertex("a", keys=(Item(key, True),)))[2:-1]
        if name == "x" and self.maybe():
            name = "exclusive"
        if isinstance(value, bool) and not self.maybe():
            signs = ["", "+"] if value else ["-"]
            return self.rng.choice(signs) + name
        text = own_text(Vertex("a", keys=(Item("k", [value]),)))[5:-2]
        if isinstance(value, str):
            bare_word = re.fullmatch(r"[^\W\d]+([/;]\w+)?", value)
            if bare_word and value not in ("true", "false", "null"):
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
