"""From nodes to text: whatever is offered selects exactly the nodes, node by node."""

import itertools
import random
from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.answers.explain.expression import WHY, Expression, choices, expression
from fluxtui.answers.matching import match
from fluxtui.model.constraint import requires
from fluxtui.model.constraint.tree import Everything, to_json
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.sets import hostlist
from fluxtui.notation.sets.idset import IdSet
from tests.answers.explain.cases import DEMO, Case, clusters, explained
from tests.constraints import Machine, holds
from tests.each import for_each, the
from tests.model.clusters import cluster

SIZE = 20_000
SEED = random.Random(5)


def selected(obj: dict[str, Any], nodes: tuple[Machine, ...]) -> int:
    """The nodes that satisfy a constraint, asked one by one, as a mask of their places."""
    return sum(1 << place for place, node in enumerate(nodes) if holds(obj, node))


@given(clusters(), st.data())
def test_every_expression_selects_exactly_the_nodes(case: Case, data: st.DataObject) -> None:
    resources = case.resources
    mask = data.draw(st.integers(0, resources.everything))
    found = choices(mask, resources)
    assert bool(found) == bool(mask)
    assert expression(mask, resources) == next(iter(found), None)
    assert list(found) == sorted(found, key=lambda one: one.order)
    assert len({(one.by, one.is_negated) for one in found}) == len(found)
    for one in found:
        assert selected(to_json(one.constraint), case.nodes) == mask == one.mask
        if one.text:
            assert requires.read(one.text).constraint == one.constraint
        if one.by in ("hosts", "ranks") and one.is_negated:  # the nodes themselves are listed too
            (other,) = (o for o in found if o.by == one.by and not o.is_negated)
            assert one.cost < other.cost
    if not found or found[0].by == "everything":
        return
    # No longer than a property or a list.
    others = resources.everything ^ mask
    for text in (
        *resources.properties,
        *(f"-{name}" for name in resources.properties),
        f"rank:{resources.ranks_text(mask)}",
        f"-rank:{resources.ranks_text(others)}",
        f"host:{resources.hosts_of(mask)}",
        f"-host:{resources.hosts_of(others)}",
    ):
        constraint = the(requires.read(text).constraint)
        if selected(to_json(constraint), case.nodes) == mask:
            lead = WHY if found[0].by == "properties" and ":" in text else 0
            assert found[0].cost <= Expression(text, constraint, mask, "mixed").cost + lead


def in_a_row(properties: dict[str, int]) -> Resources:
    """A cluster of many nodes in one row."""
    hosts = hostlist.parse(f"n[1-{SIZE}]").value
    return Resources(ranks=IdSet.between(0, SIZE - 1), hosts=hosts, properties=properties)


#: Properties that any node has or has not: no two nodes have the same ones.
RANDOM = in_a_row({f"p{number}": SEED.getrandbits(SIZE) for number in range(200)})
#: Racks in a row, rows of racks, and kinds of nodes across them.
ROOMS = in_a_row(
    {f"rack{number}": ((1 << 200) - 1) << number * 200 for number in range(100)}
    | {f"row{number}": ((1 << 2000) - 1) << number * 2000 for number in range(10)}
    | {"even": sum(1 << number for number in range(0, SIZE, 2))}
    | {"gpu": ((1 << 5000) - 1) << 700, "debug": ((1 << 30) - 1) << 1000}
)


@for_each("where, text, best, by", [
    (RANDOM, "p1&(p2|p3&-p4)", "p1&(p2|p3&-p4)", "properties"),
    (ROOMS, "row3|row4&even", "row3|row4&even", "properties"),
    (ROOMS, "row9&even|host:n[3-4]", "even&row9|rank:2-3", "mixed"),
    (ROOMS, "row1&rank:2100-2300&even", "even&rank:2100-2300", "mixed"),
], label=lambda case: case[1])  # fmt: skip
def test_the_best_one(where: Resources, text: str, best: str, by: str) -> None:
    found = the(expression(explained(text, where).mask, where))
    assert (found.text, found.by) == (best, by)


def test_nodes_without_any_order_all_nodes_and_none() -> None:
    mask = SEED.getrandbits(SIZE)
    scattered = IdSet.between(0, 99_999)
    large = Resources(ranks=scattered, hosts=hostlist.parse("n[0-99999]").value)
    found = the(expression(int("10" * 50_000, 2), large))
    assert found.is_too_long
    for where in (ROOMS, RANDOM):
        assert choices(mask, where)
        assert all(match(found.constraint, where) == mask for found in choices(mask, where))
    assert choices(0, DEMO) == choices(1 << DEMO.node_count, DEMO) == ()
    found = expression(DEMO.everything, DEMO)
    assert found == Expression("", Everything(), DEMO.everything, "everything")


def cluster_of(hosts: list[str], **properties: str) -> Resources:
    return cluster(f"0-{len(hosts) - 1}", hosts, **properties)


LONG = "x" * (len("rank:1") + WHY)


@for_each("some, mask, found", [
    # Hosts come before ranks at the same length.
    (cluster_of(["0", "1", "2", "3"]), 0b010, {"hosts": "host:1", "ranks": "rank:1"}),
    # In any order and twice; one of two nodes with the same name cannot be told by it.
    (cluster_of(["n3", "n1", "n2", "n1", "n17", "n3", "n25"]), 0b0101111,
     {"ranks": "rank:0-3,5", "hosts": "host:n[1-3]"}),
    (cluster_of(["n3", "n1", "n2", "n1", "n17", "n3", "n25"]), 0b0000010, {"ranks": "rank:1"}),
    # Properties are preferred unless they take much more.
    (cluster_of(["n0", "n1", "n2"], **{LONG: "1"}), 0b010,
     {"properties": LONG, "ranks": "rank:1", "hosts": "host:n1"}),
], label=lambda case: case[2])  # fmt: skip
def test_each_kind_in_its_order(some: Resources, mask: int, found: dict[str, str]) -> None:
    assert [(one.by, one.text) for one in choices(mask, some)] == [*found.items()]


NEGATED = ["-rank:1", "gpu|-host:dune001", "-host:dune001&-rank:9"]


@for_each("text", [*NEGATED, "gpu&-rank:170", "-gpu", "rank:1", "not (rank:1|gpu)"])
def test_what_a_property_narrows_is_no_negated_list(text: str) -> None:
    found = Expression(text, explained(text, DEMO).root.constraint, 1, "mixed")
    assert found.is_negated is (text in NEGATED)
    assert found.cost == (len(text) * 3 // 2 if text in NEGATED else len(text))


def test_names_that_need_quotes_or_that_no_query_can_say() -> None:
    names = {"a b": "0-1", "x:y": "2-3", "p,q": "4-5", "not": "6-7", "it's": "8-9"}
    nodes = cluster_of([f"n{number}" for number in range(12)], **names)
    for text in ("'a b'", "properties:x:y", "'not'"):
        found = choices(explained(text, nodes).mask, nodes)
        assert {one.by: one.text for one in found}["properties"] == text
    assert {one.by for one in choices(nodes.properties["p,q"], nodes)} == {"hosts", "ranks"}


def test_it_can_be_stopped_at_any_time() -> None:
    mask = explained("(gpu|ssd)&-debug|rank:40-45", DEMO).mask
    asked = itertools.count()
    assert expression(mask, DEMO, lambda: next(asked) < 0) is not None
    total = next(asked)
    for limit in range(0, total, max(total // 25, 1)):
        count = itertools.count()

        def stop(count: Iterator[int] = count, limit: int = limit) -> bool:
            return next(count) >= limit

        assert expression(mask, DEMO, stop) is None
