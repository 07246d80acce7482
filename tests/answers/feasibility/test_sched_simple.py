"""sched-simple: how it reads a request, what no recorded answer holds, and speed."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.answers.feasibility.feasibility import Feasibility, all_classes
from fluxtui.answers.feasibility.sched_simple import check_feasibility, check_strictly
from fluxtui.bridge import files
from fluxtui.model.resources import document
from fluxtui.model.resources.resource_set import Node, Resources
from fluxtui.notation.sets.idset import IdSet
from tests import pace
from tests.answers.feasibility.graphs import CLUSTERS, UNLIKE, Job, cluster, job, with_resources
from tests.constraints import holds
from tests.each import the
from tests.model.jobspecs import resources_of

FOUR = CLUSTERS["four"]


def test_requests_nested_too_deep() -> None:
    deep = resources_of("slot/core")
    for _ in range(101):
        deep = [{"type": "x", "count": 1, "with": deep}]
    found = check_feasibility(with_resources(deep), FOUR)
    assert found.words == "jobspec resource nesting exceeds maximum depth 100"
    (problem,) = found.reasons
    assert problem.message == "more than 100 levels of resources below the first"
    assert problem.path == "resources[0]" + ".with[0]" * 100 + ".with"


def test_a_constraint_nested_too_deep_is_not_asked_about() -> None:
    constraint: Any = {"ranks": ["0"]}
    for _ in range(200):
        constraint = {"and": [constraint]}
    jobspec = job("slot/core", constraint)
    found = check_feasibility(jobspec, FOUR)
    assert found.feasible is None
    assert [p.message for p in found.reasons] == ["the constraint is nested deeper than 150 levels"]
    assert check_strictly(jobspec, FOUR).feasible is False


def test_numbers_beyond_all_bounds() -> None:
    deep = resources_of("node=2/slot/core")
    for _ in range(98):
        deep = [{"type": "x", "count": 10**99, "with": deep}]
    found = check_feasibility(with_resources(deep), FOUR)
    assert found.words.startswith("Exceeds the limit (4300 digits)")
    assert [p.message for p in found.reasons] == ["needs about 10^9702 nodes; the cluster has 4"]
    stepped = {"min": 2, "max": 16**99, "operator": "^", "operand": 16**99}
    for count in (16**99, stepped):
        (node,) = resources_of("node/slot/core")
        jobspec = with_resources([{**node, "count": count}])
        assert check_feasibility(jobspec, FOUR).feasible is False
        assert count is stepped or check_strictly(jobspec, FOUR).nearest is not None


def test_a_mask_replaces_the_constraint() -> None:
    jobspec = job("node=3/slot/core", {"foo": ["x"]})
    assert check_strictly(jobspec, UNLIKE, 0b000111).feasible
    found = check_strictly(jobspec, UNLIKE, 0b000011)
    assert [p.message for p in found.reasons] == ["needs 3 nodes; 2 of 6 are eligible"]


def test_a_demo_job_fits() -> None:
    source = the(files.read_source("demo").value)
    demo = document.read_text(source.text)
    found = check_strictly(job("node=4/slot/[core=8;gpu]"), demo)
    assert (found.feasible, found.fits) == (True, 40)
    assert demo.ranks_text(the(found.placement).mask) == "180-183"


def seconds(nodes: Resources, jobspec: Job) -> float:
    """The time of both answers on a cluster that is ready for requests."""
    nodes.prepare()
    all_classes(nodes)
    return pace.seconds(lambda: (check_feasibility(jobspec, nodes), check_strictly(jobspec, nodes)))


def test_a_hundred_thousand_nodes_in_a_frame() -> None:
    even, odd = (",".join(map(str, range(start, 100_000, 2))) for start in (0, 1))
    nodes = cluster([(even, "0-47", ""), (odd, "0-63", "0-7")], {"even": even})
    for jobspec in (
        job("node/slot/core"),
        job("node=4/slot=2/[core=4;gpu]", {"properties": ["even"]}),
        job("node=1+/slot/core=4"),
        job("slot=50000/core=3"),
        job("node=5/slot=3/core=400"),
        job("node=1000000/slot=100/[core=4;gpu=9]"),
    ):
        assert seconds(nodes, jobspec) < 0.008


def test_thousands_of_kinds() -> None:
    chance = random.Random(4)
    owners: dict[int, list[int]] = {}
    for rank in range(10_000):
        owners.setdefault(chance.randrange(3000), []).append(rank)
    kinds = [
        (str(IdSet.of(ranks)), str(IdSet.of(chance.sample(range(64), 1 + kind % 64))), "")
        for kind, ranks in sorted(owners.items())
    ]
    nodes = cluster(kinds)
    assert len(nodes.kinds) > 2500
    for text, limit in (
        ("node=16/slot/core=8", 0.016),
        ("slot=1000000/core=3", 0.032),
        ("node=1+/slot/core=4", 0.3),
    ):
        assert seconds(nodes, job(text)) < limit
    found = check_strictly(job("node=1+/slot/core=4"), nodes)
    assert the(found.placement).mask.bit_count() == dict(found.largest)["resources[0].count"] > 9000


# sched-simple, read strictly, against brute force on small clusters


Free = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Plain:
    """A request in numbers; nodes is 0 for slots alone.

    more and slots_more are by how much a range goes on, None where it has no end.
    """

    nodes: int
    slots: int
    cores: int
    gpus: int
    whole: bool
    more: int | None
    slots_more: int | None

    def jobspec(self, constraint: Any) -> Job:
        gpus = f";gpu={self.gpus}" if self.gpus else ""
        text = f"slot={_count(self.slots, self.slots_more)}/[core={self.cores}{gpus}]"
        if self.nodes:
            whole = "{x}" if self.whole else ""
            text = f"node={_count(self.nodes, self.more)}{whole}/{text}"
        return job(text, constraint)

    def slots_on(self, cores: int, gpus: int) -> int:
        """How many slots so many cores and gpus make."""
        return min(cores // self.cores, gpus // self.gpus if self.gpus else cores)


def _count(least: int, more: int | None) -> str:
    return f"{least}+" if more is None else f"{least}-{least + more}" if more else str(least)


_more = st.sampled_from([0, 0, 0, 1, 2, 3, None, None])
requests = st.builds(
    Plain,
    *(st.integers(0, 4), st.integers(1, 5), st.integers(1, 5), st.integers(0, 2)),
    *(st.sampled_from([True, False, False, False]), _more, _more),
).map(lambda one: one if one.nodes else replace(one, whole=False))


def ids(most: int, least: int, size: int) -> st.SearchStrategy[str]:
    return st.sets(st.integers(0, most), min_size=least, max_size=size).map(
        lambda found: str(IdSet.of(found))
    )


#: Cores and gpus of a node; some have as many cores as others, with other ids.
kinds = st.one_of(
    st.tuples(ids(9, 1, 6), st.just("") | ids(4, 0, 3)),
    st.sampled_from([("0-3", ""), ("4-7", ""), ("0,2,4,6", ""), ("1-2,5,9", "")]),
)


@st.composite
def clusters(draw: st.DrawFn) -> Resources:
    ranks = sorted(draw(st.sets(st.integers(0, 12), min_size=1, max_size=5)))
    some = draw(st.lists(kinds, min_size=1, max_size=3))
    owners: dict[int, list[int]] = {}
    for rank in ranks:
        owners.setdefault(draw(st.integers(0, len(some) - 1)), []).append(rank)
    entries = [(str(IdSet.of(found)), *some[kind]) for kind, found in sorted(owners.items())]
    properties = {name: str(IdSet.of(draw(st.sets(st.sampled_from(ranks))))) for name in "ab"}
    return cluster(entries, {name: found for name, found in properties.items() if found})


#: Constraints that sched-simple reads in a way of its own.
ODD: list[Any] = [{"not": [{"properties": ["a"]}, {"properties": ["b"]}]}, {"or": []}]

constraints = st.sampled_from([
    None, None, {"properties": ["a"]}, {"properties": ["^b"]},
    {"or": [{"properties": ["a"]}, {"ranks": ["0-4"]}]}, *ODD,
])  # fmt: skip


def matching(nodes: Resources, constraint: Any) -> list[Node]:
    everyone = (nodes.node(index) for index in range(nodes.node_count))
    return [one for one in everyone if not constraint or holds(constraint, one)]


def placed(request: Plain, free: Free) -> Iterator[Free]:
    """What is left after one job on nodes, for each way to place it."""
    cores, gpus = request.slots * request.cores, request.slots * request.gpus
    able = [i for i, (c, g) in enumerate(free) if c >= cores and g >= gpus]
    for chosen in combinations(able, request.nodes):
        left = list(free)
        for index in chosen:
            c, g = left[index]
            left[index] = (0, 0) if request.whole else (c - cores, g - gpus)
        yield tuple(sorted(left))


def most_jobs(request: Plain, free: Free) -> int:
    """How many jobs fit, by trying every way to place them."""
    if not request.nodes:  # slots are alike: where there is room for one, it may as well be taken
        return sum(request.slots_on(*one) for one in free) // request.slots

    @cache
    def count(left: Free) -> int:
        return max((1 + count(more) for more in set(placed(request, left))), default=0)

    return count(tuple(sorted(free)))


def by_node(found: Feasibility, nodes: Resources) -> dict[int, tuple[list[int], list[int]]]:
    """The core and gpu ids of a placement by rank; no node is in two shares."""
    assert found.placement is not None
    taken: dict[int, tuple[list[int], list[int]]] = {}
    for share in found.placement.shares:
        for rank in nodes.ranks_of(share.mask):
            assert rank not in taken
            taken[rank] = (list(share.cores), list(share.gpus))
    assert set(taken) == set(nodes.ranks_of(found.placement.mask))
    return taken


def in_order(request: Plain, among: list[Node]) -> dict[int, tuple[list[int], list[int]]]:
    """Node by node, as sched-simple goes: worst fit first, lowest ids."""
    among = sorted(among, key=lambda one: (-one.cores.count, -one.gpus.count, one.rank))
    taken: dict[int, tuple[list[int], list[int]]] = {}
    least, more = (
        (request.nodes, request.more) if request.nodes else (request.slots, request.slots_more)
    )
    left = None if more is None else least + more
    for one in among:
        slots = request.slots_on(one.cores.count, one.gpus.count)
        if request.nodes:
            slots = request.slots if slots >= request.slots else 0
        elif left is not None:
            slots = min(slots, left)
        if not slots or left == 0:
            continue
        cores, gpus = slots * request.cores, slots * request.gpus
        if request.whole:
            cores, gpus = one.cores.count, one.gpus.count
        taken[one.rank] = (list(one.cores)[:cores], list(one.gpus)[:gpus])
        left = None if left is None else left - (1 if request.nodes else slots)
    return taken


@given(clusters(), requests, constraints)
def test_agrees_with_brute_force(nodes: Resources, request: Plain, constraint: Any) -> None:
    jobspec = request.jobspec(constraint)
    found = check_strictly(jobspec, nodes)
    among = matching(nodes, constraint)
    jobs = most_jobs(request, tuple((one.cores.count, one.gpus.count) for one in among))
    assert found.feasible is (jobs > 0)
    assert (found.fits or 0) == jobs
    assert bool(found.reasons) is not found.feasible
    if not found.feasible:
        assert found.placement is None
        # One slot of one core is the smallest request there is.
        assert (found.nearest is not None) == bool(among)
        if found.nearest is not None:
            check_nearest(jobspec, list(found.nearest.resources), nodes)
        return
    assert by_node(found, nodes) == in_order(request, among)
    for path, count in found.largest:
        check_largest(request, path, count, nodes, constraint)
    if constraint not in ODD and not request.whole:
        theirs = check_feasibility(jobspec, nodes)
        assert (theirs.feasible, theirs.words) == (True, "")


def check_nearest(jobspec: Job, changed: list[Any], nodes: Resources) -> None:
    """The nearest request fits, asks for less of something and for more of nothing."""
    assert check_strictly({**jobspec, "resources": changed}, nodes).feasible
    before, after = smallest(jobspec["resources"]), smallest(changed)
    assert after != before
    assert all(count <= before[kind] for kind, count in after.items())


def smallest(resources: list[Any]) -> dict[str, int]:
    """The smallest count of each type."""
    counts: dict[str, int] = {}
    for vertex in resources:
        count = vertex["count"]
        if isinstance(count, dict):
            count = count["min"]
        counts[vertex["type"]] = int(str(count).split("-")[0])
        counts |= smallest(vertex.get("with", []))
    return counts


def check_largest(request: Plain, path: str, count: int, nodes: Resources, constraint: Any) -> None:
    """A count fits while all else is at its smallest, and a larger one does not."""
    of_nodes = path == "resources[0].count" and bool(request.nodes)
    least, more = (request.nodes, request.more) if of_nodes else (request.slots, request.slots_more)
    assert more is None or count <= least + more
    for number in (count, count + 1):
        if more is None or number <= least + more:
            n, s = (number, request.slots) if of_nodes else (request.nodes, number)
            fixed = replace(request, nodes=n, slots=s, more=0, slots_more=0)
            asked = check_strictly(fixed.jobspec(constraint), nodes, with_placement=False)
            assert asked.feasible is (number == count)
