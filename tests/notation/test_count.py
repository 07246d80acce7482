from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.notation import count
from fluxtui.notation.count import Range
from fluxtui.notation.problem import Span
from fluxtui.notation.sets.idset import IdSet


def ids(*values: int) -> IdSet:
    return IdSet.of(values)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("[4]", 4),
        ("18446744073709551616", 2**64),
        ("2+", Range(2)),
        ("[100+]", Range(100)),
        ("3-30", Range(3, 30)),
        ("2-2", Range(2, 2)),
        ("3-30:2", Range(3, 30, 2)),
        ("3-30:1:+", Range(3, 30)),
        ("2-16:2:*", Range(2, 16, 2, "*")),
        ("2+:2:^", Range(2, None, 2, "^")),
        ("4,9,16,25", ids(4, 9, 16, 25)),
        ("[1-3,7]", ids(1, 2, 3, 7)),
        ("1-3,4-5", ids(1, 2, 3, 4, 5)),
    ],
)
def test_reads(text: str, value: count.Count) -> None:
    assert count.parse(text) == (value, ())


@pytest.mark.parametrize(
    ("text", "value", "message", "span"),
    [
        ("", None, "a count is missing", (10, 10)),
        ("x4", None, "'x4' is not a count", (10, 12)),
        ("-1", None, "'-1' is not a count", (10, 12)),
        ("\N{SUPERSCRIPT TWO}", None, "'\N{SUPERSCRIPT TWO}' is not a count", (10, 11)),
        ("0", None, "0 is not a count; it is 1 or more", (10, 11)),
        ("04", 4, "'04' has leading zeroes", (10, 12)),
        ("4x", 4, "'x' does not belong in a count", (11, 12)),
        ("2-", 2, "the largest count is missing after '-'", (11, 12)),
        ("2-x", 2, "'x' is not a number", (12, 13)),
        ("2-030", Range(2, 30), "'030' has leading zeroes", (12, 15)),
        ("30-3", Range(30, 3), "the largest count, 3, is below the smallest, 30", (13, 14)),
        ("2-8:", Range(2, 8), "the operand is missing after ':'", (13, 14)),
        ("2-8:0", Range(2, 8), "0 is not an operand; it is 1 or more", (14, 15)),
        ("2-8:2:", Range(2, 8, 2), "the operator is missing after ':'", (15, 16)),
        ("2-8:2:-", Range(2, 8, 2), "'-' is not an operator", (16, 17)),
        ("2-8:2:++", Range(2, 8, 2), "'+' does not belong in a count", (17, 18)),
        ("4:2", 4, "':2' does not belong in a count", (11, 13)),
        (
            "1-8:1:*",
            Range(1, 8, 1, "*"),
            "with * the operand is 2 or more, or the count would never grow",
            (14, 15),
        ),
        (
            "1+:2:^",
            Range(1, None, 2, "^"),
            "with ^ the smallest count is 2 or more, or it would never grow",
            (10, 11),
        ),
        ("0,4", ids(0, 4), "0 is not a count; a count is 1 or more", (10, 11)),
        ("9" * 1001, None, "a number of 1001 digits is too large", (10, 1011)),
    ],
)
def test_names_the_problem_and_goes_on(
    text: str, value: count.Count | None, message: str, span: tuple[int, int]
) -> None:
    parsed = count.parse(text, 10)
    assert parsed.value == value
    assert [(p.message, p.span) for p in parsed.problems] == [(message, Span(*span))]


@pytest.mark.parametrize("text", ["1,,2", "5,3", "1,02", "3-1,5", "1,2:2", "4,", ",4", "1,x"])
def test_an_idset_keeps_its_own_rules(text: str) -> None:
    assert not count.parse(text).ok


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("4", "4"),
        ("2+", "2 or more"),
        ("3-30", "3 to 30"),
        ("4,9,16,25", "4, 9, 16 or 25"),
        ("1-3,7", "1 to 3 or 7"),
        ("1,3,5,7,9,11,13,15", "1, 3, 5, 7 ... up to 15"),
        ("2-16:2", "2 to 16 in steps of 2"),
        ("2+:2", "2 or more in steps of 2"),
        ("2-16:2:*", "2, 4, 8 or 16"),
        ("2-64:2:*", "2, 4, 8 ... up to 64 (times 2)"),
        ("2+:2:*", "2, 4, 8 ... and so on (times 2)"),
        ("2+:2:^", "2, 4, 16 ... and so on (to the power 2)"),
    ],
)
def test_words(text: str, words: str) -> None:
    value = count.parse(text).value
    assert value is not None
    assert count.describe(value) == words


@pytest.mark.parametrize(
    ("text", "as_dict"),
    [
        ("4", 4),
        ("2+", {"min": 2}),
        ("3-30", {"min": 3, "max": 30, "operator": "+", "operand": 1}),
        ("2-16:2:*", {"min": 2, "max": 16, "operator": "*", "operand": 2}),
        ("3+:2", "3+:2"),
        ("4,9", "4,9"),
    ],
)
def test_json_both_ways(text: str, as_dict: object) -> None:
    value = count.parse(text).value
    assert value is not None
    assert count.to_json(value) == as_dict
    assert count.to_json(value, "string") == (4 if text == "4" else text)
    assert count.from_json(as_dict) == (value, ())


@pytest.mark.parametrize(
    ("value", "path", "message"),
    [
        (0, "count", "a count is 1 or more; found 0"),
        (True, "count", "a count is a number, a text or a dictionary; found true"),
        (2.0, "count", "a count is a number, a text or a dictionary; found 2.0"),
        (None, "count", "a count is a number, a text or a dictionary; found null"),
        ([1], "count", "a count is a number, a text or a dictionary; found a list"),
        ("x", "count", "'x' is not a count"),
        ({}, "count", "a range needs its min"),
        ({"min": 0}, "count.min", "min is a whole number of 1 or more; found 0"),
        ({"min": "1"}, "count.min", "min is a whole number of 1 or more; found a text"),
        ({"min": 1, "more": 2}, "count", "a range has no key 'more'"),
        (
            {"min": 3, "max": 2, "operator": "+", "operand": 1},
            "count.max",
            "the largest count, 2, is below the smallest, 3",
        ),
        (
            {"min": 1, "max": 2, "operator": "+"},
            "count",
            "operator needs operand beside it",
        ),
        (
            {"min": 1, "operator": "+", "operand": 2},
            "count",
            "operator and operand need max beside them; without max write a text such as 2+:2",
        ),
        (
            {"min": 1, "max": 2, "operator": "-", "operand": 1},
            "count.operator",
            "operator is +, * or ^; found '-'",
        ),
    ],
)
def test_bad_json(value: object, path: str, message: str) -> None:
    parsed = count.from_json(value)
    assert not parsed.ok
    assert [(p.path, p.message) for p in parsed.problems] == [(path, message)]


def test_max_alone_is_legal_and_warned_of() -> None:
    parsed = count.from_json({"min": 2, "max": 8})
    assert parsed.value == Range(2, 8)
    assert parsed.ok
    assert [p.severity for p in parsed.problems] == ["warning"]


ranges = st.builds(
    lambda low, more, operand, operator: Range(
        max(low, 2), None if more is None else max(low, 2) + more, operand, operator
    ),
    st.integers(1, 10**6),
    st.none() | st.integers(0, 10**6),
    st.integers(2, 10**6),
    st.sampled_from("+*^"),
)
sets = st.sets(st.integers(1, 200), min_size=2, max_size=30).map(IdSet.of)
every_count = st.integers(1, 10**30) | ranges | sets


@given(every_count)
def test_text_and_json_are_read_back(value: count.Count) -> None:
    assert count.parse(count.format(value)) == (value, ())
    if not isinstance(value, IdSet) or len(value.ranges) > 1:
        assert count.from_json(count.to_json(value)) == (value, ())


@given(every_count, st.integers(0, 3000))
def test_values_agree_with_questions_about_them(value: count.Count, limit: int) -> None:
    below = []
    for each in islice(count.values(value), 4000):
        if each > limit:
            break
        below.append(each)
    assert count.least(value) == next(count.values(value))
    assert count.greatest(value, limit) == (below[-1] if below else None)


def test_towers_of_powers_do_not_grow_without_end() -> None:
    assert len(list(count.values(Range(2, None, 3, "^")))) < 20
    assert list(count.values(Range(2, None, 10**9, "^"))) == [2]
    assert count.greatest(Range(2, None, 2, "^"), 300) == 256
