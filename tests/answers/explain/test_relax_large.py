"""What to change about constraints of very many parts: as true as for a few of them."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fluxtui.answers.explain import names
from fluxtui.answers.explain.logic import MAX_PARTS
from fluxtui.answers.explain.relaxations import best_pairs, relaxations, untried
from fluxtui.model.constraint import requires
from fluxtui.model.constraint.tree import to_json
from fluxtui.notation.problem import MAX_LENGTH
from tests.answers.explain import large
from tests.answers.explain.cases import Case, clusters, count, demo, explained


@settings(max_examples=25)
@given(clusters(), st.integers(400, 1500), st.integers(0, 2**32))
def test_the_promise_is_kept_for_any_number_of_parts(case: Case, parts: int, seed: int) -> None:
    text = large.query(random.Random(seed), parts)
    explanation = explained(text, case.resources)
    assert sum(1 for _ in explanation.logic.walk()) > 400
    assert explanation.reading.constraint is not None
    obj = to_json(explanation.reading.constraint)
    before = count(obj, case)
    found = relaxations(explanation, names.unknown(explanation.reading.constraint, case.resources))
    for one in found[:5]:
        typed = requires.read(one.text).constraint
        assert typed is not None
        assert count(to_json(typed), case) == one.count > before
    most = large.without_one(obj, case) if "and" in obj else before
    if most > before:
        assert max(one.count for one in found) >= most


def test_one_of_hundreds_of_parts_keeps_all_nodes_out() -> None:
    text = "&".join(f"(gpu|rank:{rank})" for rank in range(134)) + "&nosuch"
    (one,) = relaxations(explained(text, demo()))
    assert (one.count, one.text) == (24, text.removesuffix("&nosuch"))
    assert one.sentence == "leave out 'nosuch': 24 nodes"


def test_as_many_parts_as_a_text_may_have() -> None:
    text = "&".join(["gpu", *["login"] * ((MAX_LENGTH - 3) // 6)])
    assert len(text) > MAX_LENGTH - 6
    explanation = explained(text, demo())
    assert [one.sentence for one in relaxations(explanation)] == ["leave out 'gpu': 4 nodes"]


def test_a_name_among_hundreds_of_parts() -> None:
    text = "&".join(f"-rank:{rank},195" for rank in range(180)) + "&bigmen&bigmen"
    explanation = explained(text, demo())
    unknown = names.unknown(explanation.root.constraint, explanation.resources)
    assert relaxations(explanation, unknown) == ()
    found = best_pairs(explanation, unknown)
    assert [one.count for one in found] == [15, 7]
    assert found[1].text.endswith("&bigmem&bigmem")
    only = relaxations(explained(text[:-7], demo()), unknown, names_only=True)
    assert [one.text[-7:] for one in only] == ["&bigmem"]


def test_two_at_once_have_a_limit_that_is_told() -> None:
    many = explained("&".join(["gpu", "login", "bigmem", *["-debug"] * MAX_PARTS]), demo())
    assert relaxations(many) == ()
    assert best_pairs(many) == ()
    assert untried(many) == "two changes at once are tried for up to 1,500 parts only"
    fewer = explained("&".join(["gpu", "login", "bigmem", *["-debug"] * 700]), demo())
    assert [one.count for one in best_pairs(fewer)] == [18, 8, 4]
    assert untried(fewer) == ""


def test_one_text_is_written_where_there_is_time_for_no_more() -> None:
    explanation = explained("&".join(f"-rank:{rank}" for rank in range(196)), demo())
    assert len(relaxations(explanation)) == 10
    assert len(relaxations(explanation, (), None, lambda: True)) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("not not gpu", ["not gpu"]),
        ("not not not batch", ["not not batch"]),
        ("not ^batch & gpu & login", ["not ^batch & gpu"]),
        ("gpu & not not login", ["gpu", "not not login"]),
        ("gpu & gpu & gpu & login", ["gpu & gpu & gpu"]),
        ("not not (zz & gpu) & gpu & login", []),
    ],
)
def test_what_says_the_same_is_offered_once(text: str, expected: list[str]) -> None:
    found = [one.text for one in relaxations(explained(text, demo()))]
    assert found == expected
