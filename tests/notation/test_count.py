from itertools import islice

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.notation import count
from fluxtui.notation.count import Range
from fluxtui.notation.sets.idset import IdSet

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
