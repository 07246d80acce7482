"""A property turned in a constraint: what it asks of single nodes then, and what stays as typed."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.answers.explain.explanation import normal
from fluxtui.answers.explain.properties import standings, terms, turned
from fluxtui.model.constraint import requires
from fluxtui.model.constraint.tree import Properties, to_json
from fluxtui.notation.problem import MAX_LENGTH
from tests.answers.explain.cases import PROPERTIES, Case, clusters, holds, texts
from tests.each import for_each

#: A text as it is typed, sometimes nothing at all.
typed = st.one_of(st.just(""), texts)
signs = st.booleans()


def asked(text: str) -> dict[str, Any]:
    """The RFC 31 object of a text that is fine; ``{}`` of a blank one."""
    reading = requires.read(text)
    assert reading.ok, (text, reading.problems)
    return to_json(reading.constraint) if reading.constraint is not None else {}


def turn(text: str, name: str, wanted: bool = True) -> str:
    after = turned(requires.read(text), name, wanted=wanted)
    assert after is not None, text
    return after


def with_it(text: str, name: str, wanted: bool, case: Case) -> list[bool]:
    """Of each node, whether it satisfies a text and has the property (or has it not)."""
    obj = asked(text)
    return [holds(obj, node) and (name in node.properties) == wanted for node in case.nodes]


def alone(text: str, case: Case) -> list[bool]:
    obj = asked(text)
    return [holds(obj, node) for node in case.nodes]


def binding(text: str, name: str) -> set[bool]:
    """The signs that a text binds a property by."""
    constraint = requires.read(text).constraint
    found = terms(constraint) if constraint is not None else ()
    return {term.wanted for term in found if term.binds and term.name == name}


# What a turn does, node by node


@given(clusters(), typed, st.sampled_from(PROPERTIES), signs)
def test_a_turn_adds_takes_out_or_turns_round(
    case: Case, text: str, name: str, wanted: bool
) -> None:
    after = turn(text, name, wanted)
    # What every node satisfies is blank as a query.
    assert not after or not text or requires.read(after).is_json == requires.read(text).is_json
    signs_before, signs_after = binding(text, name), binding(after, name)
    if wanted in signs_before:
        assert wanted not in signs_after
        assert alone(text, case) == with_it(after, name, wanted, case)
    elif signs_before:
        assert signs_after == {wanted}
        bare = turn(text, name, not wanted)
        assert alone(text, case) == with_it(bare, name, not wanted, case)
        assert alone(after, case) == with_it(bare, name, wanted, case)
    else:
        assert signs_after == {wanted}
        assert alone(after, case) == with_it(text, name, wanted, case)
    if signs_before in (set(), {wanted}):  # turned twice it asks for the same
        again = requires.read(turn(after, name, wanted)).constraint
        before = requires.read(text).constraint
        asked_for = [normal(one if one is not None else Properties(())) for one in (before, again)]
        assert asked_for[0] == asked_for[1]


@given(clusters(), texts)
def test_what_is_required_all_matching_nodes_have(case: Case, text: str) -> None:
    found = standings(requires.read(text).constraint)
    obj = asked(text)
    for node in case.nodes:
        if holds(obj, node):
            assert "both" not in found.values()
            assert all(name in node.properties for name in found if found[name] == "required")
            assert not any(name in node.properties for name in found if found[name] == "excluded")


# What stays as it was typed


@for_each(
    "row",
    [
        ("", "g", "-g"),
        ("  ", "g", "-g"),
        ("a", "a&g", "a&-g"),
        ("a b", "a b&g", "a b&-g"),
        ("a | b", "(a | b)&g", "(a | b)&-g"),
        ("(a|b)", "(a|b)&g", "(a|b)&-g"),
        ("a|b c", "a|b c&g", "a|b c&-g"),
        ("not (a | b)", "not (a | b)&g", "not (a | b)&-g"),
        ("g | b", "(g | b)&g", "(g | b)&-g"),
        ("a & g & b", "a & b", "a & -g & b"),
        ("g", "", "-g"),
        ("g & (a|b)", "a|b", "-g & (a|b)"),
        ("a & -g & b", "a & g & b", "a & b"),
        ("a and not g", "a and g", "a"),
        ("a,g,b", "a,b", "a,^g,b"),
        ("a,^g", "a,g", "a"),
        ("not (g | b)", "not (-g | b)", "not b"),
        ("g & a & g", "a", "-g & a"),
        ("g & -g", "-g", "g"),
        ("not not g", "", "not g"),
        ('{"properties":["a"]}', '{"properties":["a", "g"]}', '{"properties":["a", "^g"]}'),
        ('{"properties":["a","g"]}', '{"properties":["a"]}', '{"properties":["a","^g"]}'),
        ('{"and":[{"ranks":["0"]}]}', '{"and":[{"ranks":["0"]}, {"properties": ["g"]}]}',
         '{"and":[{"ranks":["0"]}, {"properties": ["^g"]}]}'),
        (' {"ranks":["0"]}\n', ' {"and": [{"ranks":["0"]}, {"properties": ["g"]}]}\n',
         ' {"and": [{"ranks":["0"]}, {"properties": ["^g"]}]}\n'),
        ('{"and":[{"ranks":["0"]}, {"not":[{"properties":["g"]}]}]}',
         '{"and":[{"ranks":["0"]}, {"properties":["g"]}]}', '{"ranks":["0"]}'),
    ],
)  # fmt: skip
def test_as_little_as_can_be_changes(row: tuple[str, str, str]) -> None:
    assert tuple(turn(row[0], "g", wanted) for wanted in (True, False)) == row[1:]


@for_each(
    "text",
    [
        *("", "a", "a&b", "a b", "a|b", "a | b c", "not a", "not a|b", "host:n[0-3]"),
        *("rank:0-3 -a", '{"properties": ["a"]}', '{"ranks": ["0-3"]}'),
        '{"and": [{"or": []}, {"ranks": ["1"]}]}',
    ],
)
def test_what_is_added_and_taken_out_again_leaves_the_text(text: str) -> None:
    for wanted in (True, False):
        assert turn(turn(text, "g", wanted), "g", wanted) == text


@for_each("text", ["a&g", "(a|b)&g", "not a&-b&g", "host:n[0-3]&g"])
def test_a_last_condition_comes_back_to_its_place(text: str) -> None:
    assert turn(turn(text, "g"), "g") == text


# What needs care


@for_each("text", ['{"properties": ["a"', "a|", "a)", "hots:x"])
def test_a_wrong_text_is_left_alone(text: str) -> None:
    assert turned(requires.read(text), "g", wanted=True) is None


def test_a_text_that_would_grow_too_long_is_left_alone() -> None:
    text = "&".join(["ab"] * (MAX_LENGTH // 3))
    assert turned(requires.read(text), "nvidia-h100@gpu", wanted=True) is None


letters = st.characters(blacklist_characters="!&'\"^`|()", blacklist_categories=("Cs",))


@given(st.text(letters, min_size=1), st.sampled_from(["", "a|b", '{"ranks": ["0"]}']), signs)
def test_any_name_can_be_turned(name: str, text: str, wanted: bool) -> None:
    reading = requires.read(turn(text, name, wanted))
    assert reading.ok
    assert standings(reading.constraint)[name] == ("required" if wanted else "excluded")


@for_each("name", ["not", "or", "a b", "-x", "{x", "{}", "host:n1", "#", "日", "x,y"])
def test_names_that_need_care(name: str) -> None:
    assert standings(requires.read(turn("a", name)).constraint) == {
        "a": "required",
        name: "required",
    }
