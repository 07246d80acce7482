"""From nodes to text: whatever is offered selects exactly the nodes, node by node."""

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.answers.explain.expression import (
    WHY,
    Expression,
    choices,
    expression,
    expressions,
)
from fluxtui.model.constraint import requires
from fluxtui.model.constraint.tree import Everything, to_json
from fluxtui.model.resources import document as resources
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.query.format import from_constraint
from tests.answers.explain.cases import Case, Machine, clusters, demo, document, explained, holds

CLUSTER = demo()


def selected(obj: dict[str, Any], nodes: tuple[Machine, ...]) -> int:
    """The nodes that satisfy a constraint, asked one by one, as a mask of their places."""
    return sum(1 << place for place, node in enumerate(nodes) if holds(obj, node))


def of(text: str) -> Expression:
    """The best expression for the nodes of the demo cluster that another one selects."""
    found = expression(explained(text, CLUSTER).mask, CLUSTER)
    assert found is not None
    return found


@st.composite
def chosen(draw: st.DrawFn) -> tuple[Case, int]:
    """A random cluster and some of its nodes."""
    case = draw(clusters())
    return case, draw(st.integers(0, case.resources.everything))


@given(chosen())
def test_every_expression_selects_exactly_the_nodes(drawn: tuple[Case, int]) -> None:
    case, mask = drawn
    best: Expression | None = None
    for found in expressions(mask, case.resources):
        assert selected(to_json(found.constraint), case.nodes) == mask == found.mask
        assert best is None or found.order < best.order
        if found.text:
            assert requires.read(found.text).constraint == found.constraint
        best = found
    assert (best is None) == (not mask)
    assert best == expression(mask, case.resources)
    found_of_each = choices(mask, case.resources)
    assert best == (found_of_each[0] if found_of_each else None)
    assert len({(one.by, one.is_negated) for one in found_of_each}) == len(found_of_each)
    for one in found_of_each:
        if one.by in ("hosts", "ranks") and one.is_negated:  # the nodes themselves are listed too
            (other,) = (o for o in found_of_each if o.by == one.by and not o.is_negated)
            assert one.cost < other.cost
        assert selected(to_json(one.constraint), case.nodes) == mask


@given(chosen())
def test_not_longer_than_what_is_plain(drawn: tuple[Case, int]) -> None:
    case, mask = drawn
    if mask in (0, case.resources.everything):
        return
    found = expression(mask, case.resources)
    assert found is not None
    if found.by == "properties":
        return
    others = case.resources.everything ^ mask
    plain = [
        f"rank:{case.resources.ranks_text(mask)}",
        f"-rank:{case.resources.ranks_text(others)}",
        f"host:{case.resources.hosts_of(mask)}",
        f"-host:{case.resources.hosts_of(others)}",
    ]
    ends = [f"{sign}{text}" for sign, text in itertools.product("&|", plain)]
    # Before a property that all nodes have a negated list counts as one that nothing narrows.
    every = case.resources.everything
    names = [name for name, nodes in case.resources.properties.items() if nodes != every]
    mixed = [name + end for name, end in itertools.product(names, ends)]
    for text in plain + mixed:
        constraint = requires.read(text).constraint
        assert constraint is not None
        if selected(to_json(constraint), case.nodes) == mask:
            assert found.cost <= Expression(text, constraint, mask, "mixed").cost


_literals = st.sampled_from(["a", "b", "c", "x@gpu", "+q"]).flatmap(
    lambda name: st.sampled_from([{"properties": [name]}, {"not": [{"properties": [name]}]}])
)
#: Expressions of properties, nested in any way.
_small = st.recursive(
    _literals,
    lambda inner: st.one_of(
        st.builds(
            lambda operator, values: {operator: values},
            st.sampled_from(["and", "or"]),
            st.lists(inner, min_size=2, max_size=3),
        ),
        st.builds(lambda value: {"not": [value]}, inner),
    ),
    max_leaves=5,
)


@given(clusters(), _small)
def test_never_longer_than_what_made_the_nodes(case: Case, obj: dict[str, Any]) -> None:
    mask = selected(obj, case.nodes)
    text = from_constraint(obj)
    found = expression(mask, case.resources)
    if found is not None and text:
        assert len(found.text) <= len(text)
        by_properties = found.by in ("properties", "everything")
        assert by_properties or len(found.text) + WHY < len(text)


# All expressions of up to three terms, on clusters of up to three properties.

NAMES = ("a", "bb", "gpu")
PLACES = tuple(itertools.product([False, True], repeat=len(NAMES)))


def _texts() -> Iterator[tuple[str, int]]:
    """Texts with what they match among nodes with each of the eight sets of properties."""
    everything = (1 << len(PLACES)) - 1
    terms = []
    for number, name in enumerate(NAMES):
        mask = sum(1 << place for place, has in enumerate(PLACES) if has[number])
        terms += [(name, mask), (f"-{name}", everything ^ mask)]
    pairs = list(_joined(terms, terms))
    listed = [
        (f"-{','.join(names)}", everything ^ (masks[0] & masks[1]))
        for (names, masks) in (
            ((one[0], two[0]), (one[1], two[1]))
            for one, two in itertools.product(terms[::2], terms[::2])
        )
    ]
    flat = [*terms, *listed, *((f"not ({text})", everything ^ mask) for text, mask in pairs)]
    grouped = [(f"({text})", mask) for text, mask in pairs]
    yield from flat
    yield from pairs
    yield from _joined(flat, flat)
    for text, mask in _joined(pairs, terms):
        if len({sign for sign in text if sign in "&|"}) == 1:
            yield text, mask
    yield from _joined(grouped, flat)
    for text, mask in _joined(flat, terms):
        yield f"not ({text})", everything ^ mask


def _joined(
    firsts: list[tuple[str, int]], seconds: list[tuple[str, int]]
) -> Iterator[tuple[str, int]]:
    for (one, left), (two, right) in itertools.product(firsts, seconds):
        yield f"{one}&{two}", left & right
        yield f"{one}|{two}", left | right


def _shortest() -> dict[int, int]:
    found: dict[int, int] = {}
    for text, mask in _texts():
        found[mask] = min(found.get(mask, 1000), len(text))
    return found


SHORTEST = _shortest()


@given(st.data())
def test_no_expression_of_three_terms_is_shorter(data: st.DataObject) -> None:
    kinds = data.draw(st.lists(st.sampled_from(range(8)), min_size=1, max_size=6))
    nodes = [
        Machine(rank, f"n{rank}", frozenset(itertools.compress(NAMES, PLACES[kind])))
        for rank, kind in enumerate(kinds)
    ]
    case = Case(resources.read(document(nodes)), tuple(nodes))
    mask = data.draw(st.integers(1, case.resources.everything))
    found = expression(mask, case.resources)
    assert found is not None
    least = min(
        (
            length
            for kept, length in SHORTEST.items()
            if all((kept >> kind & 1) == (mask >> place & 1) for place, kind in enumerate(kinds))
        ),
        default=None,
    )
    if least is not None and mask != case.resources.everything:
        assert found.by == "properties"
        assert len(found.text) <= least


# Plain cases.


@pytest.mark.parametrize(
    ("text", "best", "by"),
    [
        ("gpu", "gpu", "properties"),
        ("rank:0-35,100-131,164-195", "ssd", "properties"),
        ("-debug gpu", "gpu&-debug", "properties"),
        ("gpu&-rank:170", "gpu&-rank:170", "mixed"),
        ("ssd|host:dune090", "ssd|rank:93", "mixed"),
        ("rank:3,7,9", "rank:3,7,9", "ranks"),
        ("-rank:5", "-rank:5", "ranks"),
        ("gpu|-gpu", "", "everything"),
    ],
)
def test_on_the_demo_cluster(text: str, best: str, by: str) -> None:
    found = of(text)
    assert (found.text, found.by) == (best, by)


def test_no_node() -> None:
    assert expression(0, CLUSTER) is None
    assert list(expressions(0, CLUSTER)) == []
    assert choices(0, CLUSTER) == ()
    assert expression(1 << CLUSTER.node_count, CLUSTER) is None


def test_every_node() -> None:
    found = expression(CLUSTER.everything, CLUSTER)
    assert found == Expression("", Everything(), CLUSTER.everything, "everything")


def cluster_of(hosts: list[str], **properties: str) -> Resources:
    found = resources.read(
        {
            "version": 1,
            "execution": {
                "R_lite": [{"rank": f"0-{len(hosts) - 1}", "children": {"core": "0"}}],
                "nodelist": hosts,
                "properties": properties,
            },
        }
    )
    assert found.node_count == len(hosts)
    return found


def test_hosts_are_preferred_to_ranks_at_the_same_length() -> None:
    found = expression(0b110, cluster_of(["0", "1", "2", "3"]))
    assert found is not None
    assert (found.text, found.by) == ("host:1,2", "hosts")


def test_hosts_in_any_order_and_twice() -> None:
    cluster = cluster_of([f"n{number}" for number in (3, 1, 2, 1, 17, 3, 25)])
    found = {one.by: one.text for one in choices(0b0101111, cluster)}
    assert found == {"hosts": "host:n[1-3]", "ranks": "rank:0-3,5"}
    # One of two nodes with the same name cannot be told by it.
    found = {one.by: one.text for one in choices(0b0000010, cluster)}
    assert found == {"ranks": "rank:1"}


@pytest.mark.parametrize(
    ("ranks", "best"),
    [
        ("191-193,195", "rank:191-193,195"),
        ("1-195", "rank:1-195"),
        ("0-4,6-195", "-rank:5"),
        ("0-4,6-99,101-179,181-195", "-rank:5,100,180"),
        ("0-4,6,8-10,12,14-20,22-195", "-rank:5,7,11,13,21"),
        ("0-9,20-29,40-195", "rank:0-9,20-29,40-195"),
    ],
)
def test_a_list_is_negated_only_where_that_is_much_shorter(ranks: str, best: str) -> None:
    cluster = cluster_of([f"n{number}" for number in range(196)])
    (one, *others) = (
        found
        for found in choices(explained(f"rank:{ranks}", cluster).mask, cluster)
        if found.by == "ranks"
    )
    assert one.text == best
    assert [other.text for other in others] == ([f"rank:{ranks}"] if best[0] == "-" else [])


@pytest.mark.parametrize(
    ("text", "is_negated"),
    [
        ("-rank:1", True),
        ("gpu|-host:dune001", True),
        ("-host:dune001&-rank:9", True),
        ("gpu&-rank:170", False),
        ("-gpu", False),
        ("rank:1", False),
        ("not (rank:1|gpu)", False),
    ],
)
def test_what_a_property_narrows_is_no_negated_list(text: str, is_negated: bool) -> None:
    constraint = requires.read(text).constraint
    assert constraint is not None
    found = Expression(text, constraint, 1, "mixed")
    assert found.is_negated is is_negated
    assert found.cost == (len(text) * 3 // 2 if is_negated else len(text))


def test_names_that_need_quotes_or_cannot_be_said() -> None:
    names = {"a b": "0-1", "x:y": "2-3", "p,q": "4-5", "not": "6-7", "it's": "8-9"}
    cluster = cluster_of([f"n{number}" for number in range(12)], **names)
    for text in ("'a b'", "properties:x:y", "'not'"):
        mask = explained(text, cluster).mask
        assert mask.bit_count() == 2
        found = {one.by: one.text for one in choices(mask, cluster)}
        assert found["properties"] == text
    assert {one.by for one in choices(cluster.properties["p,q"], cluster)} == {"hosts", "ranks"}


def test_properties_are_preferred_unless_they_take_much_more() -> None:
    short, long = "x" * (len("rank:1") + WHY), "x" * (len("rank:1") + WHY + 1)
    cluster = cluster_of(["n0", "n1", "n2"], **{short: "1", long: "2"})
    assert [one.by for one in choices(0b010, cluster)] == ["properties", "ranks", "hosts"]
    assert [one.by for one in choices(0b100, cluster)] == ["ranks", "hosts"]


def test_it_can_be_cancelled_at_any_time() -> None:
    mask = explained("(gpu|ssd)&-debug|rank:40-45", CLUSTER).mask
    asked = itertools.count()
    assert expression(mask, CLUSTER, lambda: next(asked) < 0) is not None
    total = next(asked)
    for stop in range(0, total, max(total // 25, 1)):
        count = itertools.count()

        def cancelled(count: Iterator[int] = count, stop: int = stop) -> bool:
            return next(count) >= stop

        assert expression(mask, CLUSTER, cancelled) is None
        assert choices(mask, CLUSTER, lambda: True) == ()
