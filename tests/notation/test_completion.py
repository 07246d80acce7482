"""What may be typed next in the small notations: idsets, hostlists, counts, durations."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.notation import count, duration
from fluxtui.notation.problem import Completion, Parsed
from fluxtui.notation.sets import host_index, hostlist, idset
from tests.pace import within

RANKS = idset.parse("0-3,7,10-12,100").value
HOSTS = host_index.HostIndex(hostlist.parse("n[0-1,10],gpu7,gpu7").value)


def offers(found: Sequence[Completion], text: str) -> list[str]:
    """The texts that the offers make."""
    return [text[: offer.span.start] + offer.text + text[offer.span.end :] for offer in found]


def test_ids_of_a_large_set_are_offered_at_once() -> None:
    many = idset.parse("0-4294967295").value
    assert len(idset.completions("", 0, many)) == 51
    assert idset.completions("42", 2, many)[0].text == "420"
    assert idset.completions("5-", 2, many)[0].description == "4,294,967,291 ids without a gap"


def test_ids_of_a_scattered_set_are_offered_at_once() -> None:
    scattered = idset.IdSet.of(range(0, 2_000_000, 2))
    for text, first in (("", "0"), ("19999", "199990"), ("0,1999990,", "1999992"), ("4-", "4-,")):
        offered = within(0.1, lambda text=text: idset.completions(text, len(text), scattered))
        found = offers(offered, text)
        assert not found or found[0].endswith(first)


@given(st.sets(st.integers(0, 300), max_size=30), st.integers(0, 310))
def test_ids_are_those_of_the_set_that_go_on(known: set[int], typed: int) -> None:
    found = idset.completions(str(typed), len(str(typed)), idset.IdSet.of(known))
    ids = {int(offer.text) for offer in found if offer.text.isdigit()}
    goes_on = {n for n in known if str(n).startswith(str(typed)) and n != typed}
    assert ids == (goes_on if typed else set())


KINDS: dict[str, tuple[Callable[[str, int], list[Completion]], Callable[[str], Parsed[Any]]]] = {
    "idset": (lambda text, cursor: idset.completions(text, cursor, RANKS), idset.parse),
    "hostlist": (lambda text, cursor: host_index.completions(text, cursor, HOSTS), hostlist.parse),
    "count": (count.completions, count.parse),
    "duration": (duration.completions, duration.parse),
}


@pytest.mark.parametrize("kind", KINDS)
@given(text=st.text("0123456789-,[]:+*^nms. ", max_size=10), cursor=st.integers(0, 10))
def test_offers_lead_on(kind: str, text: str, cursor: int) -> None:
    complete, parse = KINDS[kind]
    before = text[: min(cursor, len(text))]
    for offer in complete(text, cursor):
        assert offer.description
        assert 0 <= offer.span.start <= offer.span.end == len(before)
        made = before[: offer.span.start] + offer.text
        assert len(made) > len(before)
        unfinished = made[-1] in "-,[:" or ("[" in made and "]" not in made)
        assert unfinished or len(parse(made).problems) <= len(parse(before).problems), made
