"""Idsets (RFC 22) and bit sets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.notation.sets import idset
from fluxtui.notation.sets.idset import IdSet

ids = st.frozensets(st.integers(0, 300), max_size=60)


@given(ids)
def test_text_round_trip(wanted: frozenset[int]) -> None:
    text = str(IdSet.of(wanted))
    parsed = idset.parse(text)
    assert parsed.problems == ()
    assert set(parsed.value) == wanted
    assert idset.parse(f"[{text}]").value == parsed.value


@given(ids, ids)
def test_is_a_set(one: frozenset[int], two: frozenset[int]) -> None:
    a, b = IdSet.of(one), IdSet.of(two)
    assert set(a | b) == one | two
    assert set(a & b) == one & two
    assert set(a - b) == one - two
    assert (a == b) == (one == two)
    assert len(a) == a.count == len(one)
    assert all((id_ in a) == (id_ in one) for id_ in range(301))


@given(ids)
def test_places(wanted: frozenset[int]) -> None:
    ordered = sorted(wanted)
    found = IdSet.of(wanted)
    assert [found.nth(place) for place in range(len(ordered))] == ordered
    assert [found.index(id_) for id_ in ordered] == list(range(len(ordered)))
    assert found.index(1000) is None
    for outside in (-1, len(ordered)):
        with pytest.raises(IndexError):
            found.nth(outside)


@given(ids, ids)
def test_locate_and_pick(one: frozenset[int], two: frozenset[int]) -> None:
    a, b = IdSet.of(one), IdSet.of(two)
    ordered = sorted(one)
    assert list(a.locate(b)) == [place for place, id_ in enumerate(ordered) if id_ in two]
    assert list(a.pick(b)) == [id_ for place, id_ in enumerate(ordered) if place in two]
    assert a.pick(a.locate(b)) == a & b
