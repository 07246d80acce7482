"""The relations of properties against what plain loops over the nodes find."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.answers.explain.properties import Related, relations


def masks(nodes: dict[str, set[int]]) -> dict[str, int]:
    return {name: sum(1 << node for node in members) for name, members in nodes.items()}


def plainly(nodes: dict[str, set[int]], name: str) -> tuple[set[str], ...]:
    """Same, within, holds and apart of one property, node by node."""
    own = nodes[name]
    same, larger, smaller, apart = set(), set(), set(), set()
    for other, members in nodes.items():
        if other == name or not own or not members:
            continue
        every = all(node in members for node in own)
        back = all(node in own for node in members)
        if every and back:
            same.add(other)
        elif every:
            larger.add(other)
        elif back:
            smaller.add(other)
        if not any(node in members for node in own):
            apart.add(other)
    direct = {
        one
        for one in larger
        if not any(nodes[two] < nodes[one] for two in larger if nodes[two] != nodes[one])
    }
    return same, direct, smaller, apart


@st.composite
def properties(draw: st.DrawFn) -> dict[str, set[int]]:
    """Up to 9 properties, many of them made of others, so that there is something to find."""
    size = draw(st.integers(1, 130))
    found: list[set[int]] = []
    for _ in range(draw(st.integers(0, 9))):
        how = draw(st.sampled_from(["some", "range", "same", "part", "more", "rest"]))
        base = set(draw(st.sampled_from(found))) if found else set()
        some = draw(st.sets(st.integers(0, size - 1), max_size=8))
        first, last = sorted((draw(st.integers(0, size)), draw(st.integers(0, size))))
        found.append(
            {
                "some": some,
                "range": set(range(first, last)),
                "same": base,
                "part": base - some,
                "more": base | some,
                "rest": set(range(size)) - base,
            }[how]
        )
    return {f"p{number}": members for number, members in enumerate(found)}


@given(properties())
def test_they_are_what_loops_over_the_nodes_find(nodes: dict[str, set[int]]) -> None:
    found = relations(masks(nodes))
    assert found is not None
    assert dict(found.counts) == {name: len(members) for name, members in nodes.items()}
    for name in nodes:
        related = found.of(name)
        assert tuple(map(set, (related.same, related.within, related.holds, related.apart))) == (
            plainly(nodes, name)
        )
        for names, up in ((related.within, True), (related.holds, False), (related.apart, False)):
            assert len(set(names)) == len(names)
            sizes = [len(nodes[other]) for other in names]
            assert sizes == sorted(sizes, reverse=not up)


@pytest.mark.parametrize("scale", [1, 5_000])
def test_a_tree_of_properties_at_any_size(scale: int) -> None:
    """Ten thousand nodes or two: all, halves of it, quarters of it and what crosses them."""
    size = 8 * scale
    bits = {
        "all": (0, size),
        "left": (0, size // 2),
        "right": (size // 2, size),
        "quarter": (0, size // 4),
        "middle": (size // 4, 3 * size // 4),
        "left2": (0, size // 2),
    }
    found = relations({n: (1 << b) - (1 << a) for n, (a, b) in bits.items()} | {"none": 0})
    assert found is not None
    assert found.of("quarter") == Related((), ("left", "left2"), (), ("right", "middle"))
    assert found.of("left") == Related(("left2",), ("all",), ("quarter",), ("right",))
    assert found.of("middle") == Related((), ("all",), (), ("quarter",))
    assert found.of("all") == Related((), (), ("left", "left2", "right", "middle", "quarter"), ())
    assert found.of("none") == Related()
    assert found.of("nobody's") == Related()
    assert found.counts["none"] == 0


def test_it_stops_when_it_is_told() -> None:
    many = {f"p{number}": 3 << number for number in range(50)}
    for times in (0, 10, 60, 500):
        enough = itertools.chain([False] * times, itertools.repeat(True))
        assert relations(many, enough.__next__) is None
    asked = itertools.count()
    assert relations(many, lambda: next(asked) < 0) is not None
    assert next(asked) < 50 * 50


def test_without_properties_there_is_nothing_to_say() -> None:
    found = relations({})
    assert found is not None
    assert not found.counts
