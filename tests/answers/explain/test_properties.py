"""Properties: their relations against plain loops over the nodes, and what a turn of one does."""

import itertools
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.answers.explain.explanation import normal
from fluxtui.answers.explain.properties import Related, relations, standings, terms, toggled
from fluxtui.model.constraint import requires
from fluxtui.model.constraint.tree import Properties, to_json
from fluxtui.notation.problem import MAX_LENGTH
from tests.answers.explain.cases import PROPERTIES, Case, clusters, texts
from tests.constraints import holds
from tests.each import for_each, the

# How they relate


def plainly(nodes: dict[str, set[int]], name: str) -> tuple[set[str], ...]:
    """Same, within, holds and apart of one property, node by node."""
    own = nodes[name]
    others = {other: members for other, members in nodes.items() if other != name and members}
    if not own:
        return set(), set(), set(), set()
    larger = {other for other, members in others.items() if own < members}
    return (
        {other for other, members in others.items() if own == members},
        {one for one in larger if not any(nodes[two] < nodes[one] for two in larger)},
        {other for other, members in others.items() if members < own},
        {other for other, members in others.items() if not own & members},
    )


@st.composite
def properties(draw: st.DrawFn) -> dict[str, set[int]]:
    """Up to 9 properties, many of them made of others, so that there is something to find."""
    size = draw(st.integers(1, 130))
    found: list[set[int]] = []
    for _ in range(draw(st.integers(0, 9))):
        base = set(draw(st.sampled_from(found))) if found else set()
        some = draw(st.sets(st.integers(0, size - 1), max_size=8))
        first, last = sorted((draw(st.integers(0, size)), draw(st.integers(0, size))))
        ways = [some, set(range(first, last)), base, base - some, base | some]
        found.append(draw(st.sampled_from([*ways, set(range(size)) - base])))
    return {f"p{number}": members for number, members in enumerate(found)}


@given(properties())
def test_relations_are_what_loops_over_the_nodes_find(nodes: dict[str, set[int]]) -> None:
    found = the(relations({name: sum(1 << node for node in of) for name, of in nodes.items()}))
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


def test_relations_are_worked_out_until_they_are_stopped() -> None:
    many = {f"p{number}": 3 << number for number in range(50)}
    for times in (0, 10, 60, 500):
        enough = itertools.chain([False] * times, itertools.repeat(True))
        assert relations(many, enough.__next__) is None
    assert the(relations(many)).of("nobody's") == Related()


# What a turn does, node by node


def asked(text: str) -> dict[str, Any]:
    """The RFC 31 object of a text that is fine; ``{}`` of a blank one."""
    reading = requires.read(text)
    assert reading.ok, (text, reading.problems)
    return to_json(reading.constraint) if reading.constraint is not None else {}


def turn(text: str, name: str, wanted: bool = True) -> str:
    after = toggled(requires.read(text), name, wanted=wanted)
    assert after is not None, text
    return after


@given(clusters(), st.one_of(st.just(""), texts), st.sampled_from(PROPERTIES), st.booleans())
def test_a_turn_adds_takes_out_or_turns_round(
    case: Case, text: str, name: str, wanted: bool
) -> None:
    def binding(text: str) -> set[bool]:
        """The signs that a text binds the property by."""
        constraint = requires.read(text).constraint
        found = terms(constraint) if constraint is not None else ()
        return {term.wanted for term in found if term.binds and term.name == name}

    def alone(text: str) -> list[bool]:
        return [holds(asked(text), node) for node in case.nodes]

    def besides(text: str, wanted: bool) -> list[bool]:
        """Of each node, whether it satisfies a text and has the property, or has it not."""
        has = [(name in node.properties) == wanted for node in case.nodes]
        return [one and other for one, other in zip(alone(text), has, strict=True)]

    after = turn(text, name, wanted)
    # What every node satisfies is blank as a query.
    assert not after or not text or requires.read(after).is_json == requires.read(text).is_json
    before, signs = binding(text), binding(after)
    if wanted in before:
        assert wanted not in signs
        assert alone(text) == besides(after, wanted)
    elif before:
        assert signs == {wanted}
        bare = turn(text, name, not wanted)
        assert alone(text) == besides(bare, not wanted)
        assert alone(after) == besides(bare, wanted)
    else:
        assert signs == {wanted}
        assert alone(after) == besides(text, wanted)
    if before in (set(), {wanted}):  # toggled twice it asks for the same
        both = (requires.read(one).constraint for one in (text, turn(after, name, wanted)))
        one, other = (normal(Properties(()) if found is None else found) for found in both)
        assert one == other
    found = standings(requires.read(text).constraint)
    for node in (node for node in case.nodes if holds(asked(text), node)):
        assert "both" not in found.values()
        assert all(one in node.properties for one in found if found[one] == "required")
        assert not any(one in node.properties for one in found if found[one] == "excluded")


@for_each(
    "text", ['{"properties": ["a"', "a|", "a)", "hots:x", "&".join(["ab"] * (MAX_LENGTH // 3))]
)
def test_a_text_that_is_wrong_or_would_be_too_long_is_left_alone(text: str) -> None:
    assert toggled(requires.read(text), "nvidia-h100@gpu", wanted=True) is None


letters = st.characters(blacklist_characters="!&'\"^`|()", blacklist_categories=("Cs",))
odd = st.sampled_from(["not", "or", "a b", "-x", "{x", "{}", "host:n1", "#", "日", "x,y"])


@given(
    st.one_of(odd, st.text(letters, min_size=1)),
    st.sampled_from(["", "a|b", '{"ranks": ["0"]}']),
    st.booleans(),
)
def test_any_name_can_be_turned(name: str, text: str, wanted: bool) -> None:
    reading = requires.read(turn(text, name, wanted))
    assert reading.ok
    assert standings(reading.constraint)[name] == ("required" if wanted else "excluded")
