"""What may be typed next in the small notations: idsets, hostlists, counts, durations."""

import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.notation import count, duration
from fluxtui.notation.problem import Completion, Parsed
from fluxtui.notation.sets import host_index, hostlist, idset
from fluxtui.notation.shape.completion import completions

RANKS = idset.parse("0-3,7,10-12,100").value
HOSTS = ("n0", "n1", "n10", "gpu7", "gpu7")


def offers(found: Sequence[Completion], text: str) -> list[str]:
    """The texts that the offers make."""
    return [text[: offer.span.start] + offer.text + text[offer.span.end :] for offer in found]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", ["0", "1", "2", "3", "7", "10", "11", "12", "100", "["]),
        ("1", ["10", "11", "12", "100", "1-", "1,"]),
        ("10", ["100", "10-", "10,"]),
        ("0-", ["0-3"]),
        ("0-3", ["0-3,"]),
        ("0-3,", ["0-3,7", "0-3,10", "0-3,11", "0-3,12", "0-3,100"]),
        ("0-3,1", ["0-3,10", "0-3,11", "0-3,12", "0-3,100"]),
        ("[7", ["[7-", "[7,", "[7]"]),
        ("[", ["[0", "[1", "[2", "[3", "[7", "[10", "[11", "[12", "[100", "[]"]),
        ("12,", ["12,100"]),
        ("7-5", []),
        (",", []),
        ("[,", []),
        (",1", []),
        ("a", []),
        ("0-3]", []),
    ],
)
def test_ids(text: str, found: list[str]) -> None:
    assert offers(idset.completions(text, len(text), RANKS), text) == found


def test_without_a_cluster_only_signs_are_offered() -> None:
    assert offers(idset.completions("4", 1), "4") == ["4-", "4,"]
    assert offers(host_index.completions("n", 1), "n") == ["n[", "n,"]


def test_ids_of_a_large_set_are_offered_at_once() -> None:
    many = idset.parse("0-4294967295").value
    assert len(idset.completions("", 0, many)) == 51
    assert idset.completions("42", 2, many)[0].text == "420"
    assert idset.completions("5-", 2, many)[0].description == "4,294,967,291 ids without a gap"


def test_ids_of_a_scattered_set_are_offered_at_once() -> None:
    scattered = idset.IdSet.of(range(0, 2_000_000, 2))
    started = time.process_time()
    for text, first in (("", "0"), ("19999", "199990"), ("0,1999990,", "1999992"), ("4-", "4-,")):
        found = offers(idset.completions(text, len(text), scattered), text)
        assert not found or found[0].endswith(first)
    assert time.process_time() - started < 0.2


@given(st.sets(st.integers(0, 300), max_size=30), st.integers(0, 310))
def test_ids_are_those_of_the_set_that_go_on(known: set[int], typed: int) -> None:
    found = idset.completions(str(typed), len(str(typed)), idset.IdSet.of(known))
    ids = {int(offer.text) for offer in found if offer.text.isdigit()}
    goes_on = {n for n in known if str(n).startswith(str(typed)) and n != typed}
    assert ids == (goes_on if typed else set())


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", ["n0", "n1", "n10", "gpu7"]),
        ("n1", ["n10", "n1[", "n1,"]),
        ("n[0-3],g", ["n[0-3],gpu7", "n[0-3],g[", "n[0-3],g,"]),
        ("n[", []),
        ("n[0", ["n[0-", "n[0,", "n[0]"]),
        ("n[0-3", ["n[0-3,", "n[0-3]"]),
        ("n[0-3]", ["n[0-3],"]),
        ("n[0-3]x", ["n[0-3]x,"]),
        ("n[0]x[", []),
        ("n1 ", []),
    ],
)
def test_hosts(text: str, found: list[str]) -> None:
    assert offers(host_index.completions(text, len(text), HOSTS), text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", ["2", "2+", "2-8", "2-16:2:*", "4,9,16", "["]),
        ("4", ["4+", "4-", "4,"]),
        ("4-", ["4-5"]),
        ("4-8", ["4-8:", "4-8,"]),
        ("4-8:", ["4-8:2"]),
        ("4-8:2", ["4-8:2:"]),
        ("4-8:2:", ["4-8:2:+", "4-8:2:*", "4-8:2:^"]),
        ("1-8:2:", ["1-8:2:+", "1-8:2:*"]),
        ("4-8:2:*", []),
        ("4+", ["4+:"]),
        ("4,", ["4,5"]),
        ("4,9", ["4,9-", "4,9,"]),
        ("[4", ["[4+", "[4-", "[4,", "[4]"]),
        ("[4-8:2:*", ["[4-8:2:*]"]),
        ("[", ["[2", "[2+", "[2-8", "[2-16:2:*", "[4,9,16"]),
        ("0", []),
        ("4++", []),
        ("x", []),
    ],
)
def test_counts(text: str, found: list[str]) -> None:
    assert offers(count.completions(text, len(text)), text) == found


def test_counts_say_what_they_mean() -> None:
    words = {offer.text: offer.description for offer in count.completions("2-16:2:", 7)}
    assert words == {"+": "2 to 16 in steps of 2", "*": "2, 4, 8 or 16", "^": "2, 4 or 16"}


def test_a_count_in_a_shape_is_completed_as_one_alone() -> None:
    for text in ("", "4", "4-", "4-8", "4-8:", "4-8:2:", "[4", "[4-8:2:*"):
        alone = offers(count.completions(text, len(text)), text)
        line = f"node={text}"
        assert offers(completions(line, len(line)), line)[: len(alone)] == [
            f"node={offer}" for offer in alone
        ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", ["30s", "10m", "1h", "1.5h", "1d", "inf"]),
        ("9", ["9ms", "9s", "9m", "9h", "9d"]),
        ("1.5m", ["1.5ms"]),
        ("1h", []),
        ("i", ["inf"]),
        ("1 ", []),
    ],
)
def test_durations(text: str, found: list[str]) -> None:
    assert offers(duration.completions(text, len(text)), text) == found


def test_durations_are_read_in_words() -> None:
    words = {offer.text: offer.description for offer in duration.completions("90", 2)}
    assert words["m"] == "1 hour 30 minutes"
    assert words["h"] == "3 days 18 hours"
    assert duration.completions("in", 2)[0].description == "unlimited"
    assert math.isinf(duration.parse("inf").value or 0)


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
