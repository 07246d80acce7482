"""Completion in a long shape says what completion in all of it says."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.notation.shape import completion, near, shape

TEXTS = (
    "node=4/slot/[core=8;gpu]",
    "node=2/[slot{a}/[core=4;gpu];slot{b,x}/[core=2;gpu=1];so",
    "rack/[node{unit:GB}/[slot{a}/core;slot{b}/core];node/[slot{c}/[core;g",
    "slot{a,id:'x;]',k:\"[;{\"}/core;slot{b}/[core;c",
    "node{label:[1,2,{'a':3}]}/slot/[core=4-16:2:*;gpu=",
    "[node;[core;",
    "node]/slot",
    "node{x}/slot{",
)


@pytest.mark.parametrize("text", TEXTS)
def test_it_says_the_same_at_every_place(text: str) -> None:
    for cursor in range(len(text) + 1):
        here = near.completions(text, cursor)
        assert here == completion.completions(text, cursor), (text, cursor)


@given(st.text("sn=4/[];{},:x'\"c ", max_size=24), st.integers(0, 24))
def test_it_never_fails_and_stays_in_the_text(text: str, cursor: int) -> None:
    cursor = min(cursor, len(text))
    for offer in shape.completions(text, cursor):
        assert 0 <= offer.span.start <= cursor <= offer.span.end <= len(text)


def test_a_shape_of_500_vertices_costs_no_more_than_a_short_one() -> None:
    slots = ";".join(f"slot{{s{i}}}/[core=4;gpu=1]" for i in range(166))
    text = f"node=2/[{slots};s"
    started = time.process_time()
    for _ in range(10):
        found = shape.completions(text, len(text))
    assert (time.process_time() - started) / 10 < 0.01
    assert "slot" in [offer.text for offer in found]
