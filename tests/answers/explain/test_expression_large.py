"""From nodes to text on clusters of many nodes, and on those of the recorded answers."""

import json
import random

import pytest

from fluxtui.answers.explain.expression import expression, expressions
from fluxtui.answers.matching.match import match
from fluxtui.model.constraint import requires
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.sets import hostlist
from fluxtui.notation.sets.idset import IdSet
from tests.answers.explain.cases import explained
from tests.conformance.cases import cases, cluster

SIZE = 20_000
SEED = random.Random(5)


def made(properties: dict[str, int]) -> Resources:
    """A cluster in one row."""
    hosts = hostlist.parse(f"n[1-{SIZE}]").value
    return Resources(ranks=IdSet.between(0, SIZE - 1), hosts=hosts, properties=properties)


#: Properties that any node has or has not: no two nodes have the same ones.
RANDOM = made({f"p{number}": SEED.getrandbits(SIZE) for number in range(200)})
#: Racks in a row, rows of racks, and kinds of nodes across them.
ROOMS = made(
    {f"rack{number}": ((1 << 200) - 1) << number * 200 for number in range(100)}
    | {f"row{number}": ((1 << 2000) - 1) << number * 2000 for number in range(10)}
    | {"even": sum(1 << number for number in range(0, SIZE, 2))}
    | {"gpu": ((1 << 5000) - 1) << 700, "debug": ((1 << 30) - 1) << 1000}
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("p0", "p0"),
        ("p0&-p1", "p0&-p1"),
        ("p3|p4&p5", "p3|p4&p5"),
        ("p0&-rank:77,79", None),
        ("rank:500-600", "rank:500-600"),
    ],
)
def test_where_no_two_nodes_are_alike(text: str, found: str | None) -> None:
    mask = explained(text, RANDOM).mask
    best = expression(mask, RANDOM)
    assert best is not None
    assert match(best.constraint, RANDOM) == mask
    assert len(best.text) <= len(text)
    if found:
        assert best.text == found


@pytest.mark.parametrize(
    ("text", "by"),
    [
        ("rack7", "properties"),
        ("row3|row4&even", "properties"),
        ("gpu&-debug&-row0", "properties"),
        ("gpu&even&-debug", "properties"),
        ("gpu&even&-rank:1200", "mixed"),
        ("row9&even|host:n[3-4]", "mixed"),
        ("row1&rank:2100-2300&even", "mixed"),
        ("rank:1,500,777", "ranks"),
    ],
)
def test_where_nodes_stand_in_racks(text: str, by: str) -> None:
    mask = explained(text, ROOMS).mask
    best = expression(mask, ROOMS)
    assert best is not None
    assert match(best.constraint, ROOMS) == mask
    assert len(best.text) <= len(text)
    assert best.by == by


def test_nodes_without_any_order() -> None:
    mask = SEED.getrandbits(SIZE)
    found = list(expressions(mask, ROOMS))
    assert found
    for one in found:
        assert match(one.constraint, ROOMS) == mask
        assert one.is_too_long or requires.read(one.text).constraint == one.constraint


def test_the_nodes_of_recorded_answers() -> None:
    seen = 0
    for row in cases("match"):
        text = json.dumps(row["constraint"])
        if requires.read(text).constraint is None:
            continue
        found = cluster(row["R"])
        mask = explained(text, found).mask
        best = expression(mask, found)
        assert (best is None) == (not mask)
        if best is not None:
            seen += 1
            assert match(best.constraint, found) == mask
            if best.text:
                assert explained(best.text, found).mask == mask
    assert seen > 100
