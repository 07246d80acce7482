from itertools import islice

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.notation import count
from fluxtui.notation.count import Range
from fluxtui.notation.sets.idset import IdSet
from tests.each import for_each


def ids(*values: int) -> IdSet:
    return IdSet.of(values)


@for_each(
    "case",
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
def test_reads(case: tuple[str, count.Count]) -> None:
    text, value = case
    assert count.parse(text) == (value, ())


# The problems are in tests/messages.toml; here what is left of the text.
@for_each(
    "case",
    [("", None), ("x4", None), ("-1", None), ("0", None), ("04", 4), ("4x", 4), ("2-", 2),
     ("2-x", 2), ("2-030", Range(2, 30)), ("30-3", Range(30, 3)), ("2-8:", Range(2, 8)),
     ("2-8:0", Range(2, 8)), ("2-8:2:", Range(2, 8, 2)), ("2-8:2:-", Range(2, 8, 2)),
     ("2-8:2:++", Range(2, 8, 2)), ("4:2", 4), ("1-8:1:*", Range(1, 8, 1, "*")),
     ("1+:2:^", Range(1, None, 2, "^")), ("0,4", ids(0, 4)), ("9" * 1001, None)],
)  # fmt: skip
def test_goes_on_after_a_problem(case: tuple[str, count.Count | None]) -> None:
    text, value = case
    parsed = count.parse(text)
    assert parsed.value == value
    assert len(parsed.problems) == 1


@for_each("text", ["1,,2", "5,3", "1,02", "3-1,5", "1,2:2", "4,", ",4", "1,x"])
def test_an_idset_keeps_its_own_rules(text: str) -> None:
    assert not count.parse(text).ok


@for_each(
    "case",
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
def test_words(case: tuple[str, str]) -> None:
    text, words = case
    value = count.parse(text).value
    assert value is not None
    assert count.describe(value) == words


@for_each(
    "case",
    [
        ("4", 4),
        ("2+", {"min": 2}),
        ("3-30", {"min": 3, "max": 30, "operator": "+", "operand": 1}),
        ("2-16:2:*", {"min": 2, "max": 16, "operator": "*", "operand": 2}),
        ("3+:2", "3+:2"),
        ("4,9", "4,9"),
    ],
)
def test_json_both_ways(case: tuple[str, object]) -> None:
    text, as_dict = case
    value = count.parse(text).value
    assert value is not None
    assert count.to_json(value) == as_dict
    assert count.to_json(value, "string") == (4 if text == "4" else text)
    assert count.from_json(as_dict) == (value, ())


@for_each(
    "case",
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
def test_bad_json(case: tuple[object, str, str]) -> None:
    value, path, message = case
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
