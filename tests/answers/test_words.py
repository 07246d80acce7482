"""The request in plain words, and small edits of a constraint's text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.answers import match
from fluxtui.answers.words import summary, with_property
from fluxtui.model import requires, resources
from fluxtui.notation import shape

SIX = resources.read(
    {
        "version": 1,
        "execution": {
            "R_lite": [{"rank": "0-7", "children": {"core": "0"}}],
            "nodelist": ["n[0-7]"],
            "properties": {"a": "0-3", "b": "0-1,4-5", "c": "0,2,4,6"},
        },
    }
)


def added(text: str, name: str) -> str:
    after = with_property(requires.read(text), name)
    assert after is not None
    return after


def said(text: str) -> str:
    return summary(shape.to_resources(shape.parse(text)))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("slot=4/node", "4 slots of 1 node: 4 nodes in all"),
        (
            "node=4/slot/[core=8;gpu]",
            "4 nodes, each with 1 slot of 8 cores and 1 gpu: 32 cores, 4 gpus in all",
        ),
        ("slot=10/core=2", "10 slots of 2 cores: 20 cores in all"),
        ("node=2+/slot/core=2-8", "2 or more nodes, each with 1 slot of 2 to 8 cores"),
        ("slot/node", "1 slot of 1 node: 1 node in all"),
        ("slot=1000/core=2", "1000 slots of 2 cores: 2,000 cores in all"),
    ],
)
def test_summary(text: str, words: str) -> None:
    assert said(text) == words


def test_amounts_and_ranges_have_no_totals() -> None:
    assert said("slot=2/[core=4;memory=2{unit:GB}]").endswith("4 cores and 2 GB of memory")
    assert "in all" not in said("slot=2/core=2,4,8")
    assert "in all" not in said("node=2+/slot/core=4")


def test_several_at_the_top() -> None:
    words = said("[node=2/slot/core=1;slot=3/core]")
    assert words.count("each with") == 1
    assert "5 cores in all" in words


def test_nothing_to_say() -> None:
    assert summary([]) == ""


def test_types_nobody_knows_stay_as_they_are() -> None:
    assert said("slot=2/flux-capacitor=3").startswith("2 slots of 3 flux-capacitor")


# Adding a property


@pytest.mark.parametrize("text", ["", "  ", "a", "a&b", "a|b", "a or b", "a b", "-a", "not (a|b)"])
@pytest.mark.parametrize("more", ["c"])
def test_adding_a_property_narrows_the_match(text: str, more: str) -> None:
    before = requires.read(text).constraint
    after = requires.read(added(text, more)).constraint
    assert after is not None
    mask = match.match(before, SIX) if before is not None else SIX.everything
    assert match.match(after, SIX) == mask & SIX.properties[more]


@pytest.mark.parametrize("text", ["{}", '{"or": [{"properties": ["a"]}, {"properties": ["b"]}]}'])
def test_json_stays_json(text: str) -> None:
    before = requires.read(text).constraint
    after = requires.read(added(text, "c"))
    assert after.is_json
    assert before is not None
    assert after.constraint is not None
    assert match.match(after.constraint, SIX) == match.match(before, SIX) & SIX.properties["c"]


@pytest.mark.parametrize("text", ['{"properties": ["a"', "a|", "a)", "hots:x"])
def test_a_wrong_text_is_left_alone(text: str) -> None:
    assert with_property(requires.read(text), "c") is None


NAMES = st.text(
    st.characters(blacklist_characters="!&'\"^`|()", blacklist_categories=("Cs",)), min_size=1
)


@given(NAMES.filter(lambda name: name.strip() and "," not in name and name[0] != "{"))
def test_any_property_name_reads_back_as_itself(name: str) -> None:
    reading = requires.read(added("", name))
    assert reading.ok
    assert reading.constraint is not None
    assert match.describe(reading.constraint) == name


@pytest.mark.parametrize("name", ["not", "or", "and", "a b", "-x", "{x", "host:n1", "#", "日"])
def test_names_that_need_care(name: str) -> None:
    reading = requires.read(added("a", name))
    assert reading.ok
    cluster = resources.read(
        {
            "version": 1,
            "execution": {
                "R_lite": [{"rank": "0-1", "children": {"core": "0"}}],
                "nodelist": ["n[1-2]"],
                "properties": {"a": "0-1", name: "1"},
            },
        }
    )
    assert reading.constraint is not None
    assert match.match(reading.constraint, cluster) == 0b10


def test_a_name_that_no_query_can_say_becomes_json() -> None:
    reading = requires.read(added("a|b", "x,y"))
    assert reading.ok
    assert reading.constraint is not None
    assert match.describe(reading.constraint) == "(a or b) and x,y"


@pytest.mark.parametrize("name", ["{x", "{}"])
def test_a_name_that_looks_like_json(name: str) -> None:
    reading = requires.read(added("", name))
    assert reading.constraint is not None
    assert match.describe(reading.constraint) == name
