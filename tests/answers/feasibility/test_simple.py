"""sched-simple: verdicts, its words and ours, placements, counts, the nearest request."""

import random
import time
from typing import Any

import pytest

from fluxtui.answers.feasibility.feasibility import Placement
from fluxtui.answers.feasibility.sched_simple import all_classes, check_feasibility, check_strictly
from fluxtui.bridge import files
from fluxtui.model.resources import document
from fluxtui.model.resources.document import Resources
from fluxtui.notation.sets.idset import IdSet
from tests.answers.feasibility.requests import Job, cluster, job, node, slot, with_resources
from tests.each import for_each

#: Three nodes with cores alone, one large one with two gpus, two small ones with four.
MIXED = cluster(
    [("0-2", "0-7", ""), ("3", "0-15", "0-1"), ("4-5", "0-3", "0-3")],
    {"plain": "0-2", "large": "3", "one": "0", "gpu": "3-5"},
)
EVEN = cluster([("0-3", "0-7", "")])
SINGLE = cluster([("0", "0-3", "0")])
BARE = cluster([("0", "0-3", "")])

PLAIN, LARGE, NOBODY = {"properties": ["plain"]}, {"properties": ["large"]}, {"properties": ["x"]}
ONE, GPU = {"properties": ["one"]}, {"properties": ["gpu"]}
TOP, SLOT, CORE = "resources[0].count", "resources[0].with[0].count", "resources[0].with[1].count"
INNER = "resources[0].with[0].with[0].count"
CONSTRAINT = "attributes.system.constraints"

#: The cluster, the shape, the constraint, the sentence, the path in the jobspec.
SENTENCES: list[tuple[Resources, str, Any, str, str]] = [
    (MIXED, "node/slot/core=17", None,
     "needs 17 cores on one node; the largest of the 6 nodes has 16", INNER),
    (MIXED, "node/slot/core=9", PLAIN,
     "needs 9 cores on one node; the largest of the 3 nodes that match has 8", INNER),
    (EVEN, "node/slot=3/core=4", None,
     "needs 12 cores on one node (3 slots of 4); the largest of the 4 nodes has 8", SLOT),
    (MIXED, "slot/core=17", LARGE,
     "needs 17 cores on one node; the one node that matches has 16", SLOT),
    (SINGLE, "slot/core=5", None, "needs 5 cores on one node; the only node has 4", SLOT),
    (MIXED, "node/slot/[core;gpu=5]", None,
     "needs 5 gpus on one node; none of the 6 nodes has more than 4",
     "resources[0].with[0].with[1].count"),
    (MIXED, "node/slot=3/[core;gpu=2]", None,
     "needs 6 gpus on one node (3 slots of 2); none of the 6 nodes has more than 4", SLOT),
    (MIXED, "slot/[core;gpu]", PLAIN,
     "needs 1 gpu on one node; none of the 3 nodes that match has any", CORE),
    (BARE, "slot/[core;gpu=2]", None, "needs 2 gpus on one node; the only node has none", CORE),
    (SINGLE, "slot/[core;gpu=2]", None, "needs 2 gpus on one node; the only node has 1", CORE),
    (MIXED, "node/slot/[core=6;gpu=3]", None,
     "needs 6 cores and 3 gpus on one node; of the 6 nodes 4 have the cores and 2 the gpus, but "
     "none has both", SLOT),
    (MIXED, "slot/[core=16;gpu=4]", None,
     "needs 16 cores and 4 gpus on one node; of the 6 nodes 1 has the cores and 2 the gpus, but "
     "none has both", TOP),
    (MIXED, "node=5/slot=2/core=4", None,
     "needs 5 nodes with 8 cores each; 4 of the 6 nodes have them", TOP),
    (MIXED, "node=2/slot/[core=5;gpu]", GPU,
     "needs 2 nodes with 5 cores and 1 gpu each; 1 of the 3 nodes that match has them", TOP),
    (EVEN, "node=5/slot/core", None, "needs 5 nodes; the cluster has 4", TOP),
    (MIXED, "node=5/slot/core", PLAIN, "needs 5 nodes; 3 match the constraint", TOP),
    (MIXED, "node=5/slot/core", ONE, "needs 5 nodes; 1 matches the constraint", TOP),
    (EVEN, "node=5{+x}/slot/core", None, "needs 5 whole nodes; the cluster has 4", TOP),
    (MIXED, "node=5{+x}/slot/core=8", None,
     "needs 5 whole nodes with 8 cores each; 4 of the 6 nodes have them", TOP),
    (EVEN, "slot=5{+x}/core", None, "needs 5 whole nodes; the cluster has 4", TOP),
    (EVEN, "slot=33/core", None, "needs 33 slots of 1 core; the 4 nodes have room for 32", TOP),
    (MIXED, "slot=9/[core=2;gpu=2]", GPU,
     "needs 9 slots of 2 cores and 2 gpus; the 3 nodes that match have room for 5", TOP),
    (MIXED, "slot=9/core=2", LARGE,
     "needs 9 slots of 2 cores; the one node that matches has room for 8", TOP),
    (SINGLE, "slot=9/core=2", None,
     "needs 9 slots of 2 cores; the only node has room for 2", TOP),
    (MIXED, "node/slot/core", NOBODY,
     "none of the cluster's 6 nodes meets the constraint", CONSTRAINT),
    (SINGLE, "node/slot/core", NOBODY, "the only node does not meet the constraint", CONSTRAINT),
    (EVEN, f"node={10**40}/slot/core", None,
     "needs about 10^39 nodes; the cluster has 4", TOP),
]  # fmt: skip


@for_each("case", SENTENCES, lambda case: case[3])
def test_says_what_is_missing(case: tuple[Resources, str, Any, str, str]) -> None:
    nodes, text, constraint, message, path = case
    for ask in (check_feasibility, check_strictly):
        found = ask(job(text, constraint), nodes)
        assert found.feasible is False
        assert [(p.message, p.path) for p in found.reasons] == [(message, path)]
        assert (found.placement, found.fits, found.largest) == (None, 0, ())
    assert check_feasibility(job(text, constraint), nodes).words.startswith(
        "unsatisfiable request: need "
    )


def test_says_all_that_is_missing() -> None:
    found = check_strictly(job("node=9/slot/[core=17;gpu=5]"), MIXED)
    assert [p.message for p in found.reasons] == [
        "needs 17 cores on one node; the largest of the 6 nodes has 16",
        "needs 5 gpus on one node; none of the 6 nodes has more than 4",
        "needs 9 nodes; the cluster has 6",
    ]
    for ask in (check_feasibility, check_strictly):
        found = ask(job("slot/core"), Resources())
        assert [p.message for p in found.reasons] == ["the cluster has no nodes"]
        assert found.nearest is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("node=7/slot=2/core=4", "need 7 node(s) with 8 cores each, only 4 eligible"),
        (
            "node/slot=3/[core=4;gpu=2]",
            "need 1 node(s) with 12 cores and 6 GPUs each, only 0 eligible",
        ),
        ("node=7{+x}/slot=9/core=4", "need 7 exclusive node(s), only 6 eligible"),
        (
            "slot=99/core=4",
            "need 99 slot(s) of 4 core(s), only 12 such slot(s) available (total cores: 48)",
        ),
        (
            "slot=9/[core;gpu=2]",
            "need 9 slot(s) with 2 GPU(s) each, only 5 available (total GPUs: 10)",
        ),
        ("rack=4/node=2/slot/core", "need 8 node(s) with 1 cores each, only 6 eligible"),
    ],
)
def test_says_what_sched_simple_says(text: str, words: str) -> None:
    assert check_feasibility(job(text), MIXED).words == f"unsatisfiable request: {words}"


@pytest.mark.parametrize(
    ("constraint", "message"),
    [
        ({"or": []}, "none of the cluster's 6 nodes meets the constraint as sched-simple reads it"),
        (
            {"not": [ONE, LARGE]},
            "needs 6 nodes; 5 match the constraint as sched-simple reads it",
        ),
        (
            {"properties": ["plain"], "not": [PLAIN]},
            "needs 6 nodes; 3 match the constraint as sched-simple reads it",
        ),
    ],
)
def test_reads_the_constraint_as_sched_simple_does(constraint: Any, message: str) -> None:
    found = check_feasibility(job("node=6/slot/core", constraint), MIXED)
    assert [p.message for p in found.reasons] == [message]
    seven = cluster([("0-6", "0-7", "")], {"one": "0"})
    found = check_feasibility(job("node=6/slot/core=9", {"not": [ONE, LARGE]}), seven)
    assert [p.message for p in found.reasons] == [
        "needs 9 cores on one node; the largest of the 6 nodes that match as sched-simple "
        "reads the constraint has 8"
    ]


def test_the_rules_count_for_our_own_verdict() -> None:
    for constraint in ({"or": []}, {"not": [ONE, LARGE]}, {"and": [{}]}):
        jobspec = job("node=6/slot/core", constraint)
        assert check_strictly(jobspec, MIXED).feasible
        assert check_feasibility(jobspec, MIXED).feasible is False
    assert check_strictly(job("slot/core", {"not": []}), MIXED).feasible is False
    found = check_strictly(job("slot/core", {"foo": ["x"]}), MIXED)
    assert (found.feasible, found.reasons[0].path) == (False, f"{CONSTRAINT}.foo")
    whole = job("node{+x}/slot=2/core=8")
    assert check_feasibility(whole, EVEN).feasible
    assert check_strictly(whole, EVEN).feasible is False


def test_a_mask_replaces_the_constraint() -> None:
    jobspec = job("node=3/slot/core", {"foo": ["x"]})
    assert check_strictly(jobspec, MIXED, 0b000111).feasible
    found = check_strictly(jobspec, MIXED, 0b000011)
    assert [p.message for p in found.reasons] == ["needs 3 nodes; 2 match the constraint"]


def taken(placement: Placement | None, nodes: Resources) -> dict[int, tuple[str, str]]:
    """Core and gpu ids by rank."""
    assert placement is not None
    assert sum(share.mask for share in placement.shares) == placement.mask
    return {
        rank: (str(share.cores), str(share.gpus))
        for share in placement.shares
        for rank in nodes.ranks_of(share.mask)
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("node=4/slot/core=3",
         {2: ("3,7,9", ""), 9: ("0-2", ""), 3: ("0,2,4", ""), 5: ("0,2,4", "")}),
        ("slot=4/[core=2;gpu]", {2: ("3,7", "5"), 3: ("0,2,4,6", "1,3"), 5: ("0,2", "1")}),
        ("node=3{+x}/slot/core", {2: ("3,7,9-12", "5"), 9: ("0-5", ""), 3: ("0,2,4,6", "1,3")}),
    ],
)  # fmt: skip
def test_places_worst_fit_first_and_takes_the_lowest_ids(
    text: str, expected: dict[int, tuple[str, str]]
) -> None:
    nodes = cluster(
        [("0,7", "4-7", ""), ("2", "3,7,9-12", "5"), ("3,5", "0,2,4,6", "1,3"), ("9", "0-5", "")]
    )
    assert taken(check_strictly(job(text), nodes).placement, nodes) == expected


def test_nodes_of_which_the_same_is_taken_share() -> None:
    found = check_strictly(job("node=6/slot/core=2"), MIXED)
    assert found.placement is not None
    assert [(s.mask, str(s.cores)) for s in found.placement.shares] == [(0b111111, "0-1")]


#: Shapes with the number of jobs that fit at once, and the largest count of each range.
COUNTS: list[tuple[str, int, dict[str, int]]] = [
    ("node/slot/core", 48, {}),
    ("node=6/slot/core", 4, {}),
    ("node=4/slot/core=4", 2, {}),  # 2+2+2+4+1+1: each of two jobs takes part of four nodes
    ("node=2/slot=2/core=2", 6, {}),
    ("node=4{+x}/slot/core=4", 1, {}),
    ("node{+x}/slot=2/core=4", 4, {}),
    ("slot=5/core=3", 2, {}),
    ("slot=2/[core;gpu=2]", 2, {}),
    ("node=2+/slot/core=8", 2, {TOP: 4}),
    ("node=1-3/slot/core=8", 5, {TOP: 3}),
    ("slot=2+/core=3", 6, {TOP: 13}),
    ("slot=2-5/core=3", 6, {TOP: 5}),
    ("node=2-8/slot=1-9/core=2", 12, {TOP: 6, SLOT: 4}),
    ("node=2+{+x}/slot/core=8", 2, {TOP: 4}),
    ("slot=2+{+x}/core", 3, {TOP: 6}),
]


@pytest.mark.parametrize(("text", "fits", "largest"), COUNTS)
def test_counts_jobs_and_ranges(text: str, fits: int, largest: dict[str, int]) -> None:
    found = check_strictly(job(text), MIXED)
    assert (found.fits, dict(found.largest)) == (fits, largest)


@pytest.mark.parametrize(
    ("text", "constraint", "change"),
    [
        ("node=5/slot=2/core=4", None, "4 nodes, not 5"),
        ("node=9/slot=2/core=4", None, "4 nodes, not 9"),
        ("node/slot=17/core", None, "16 slots, not 17"),
        ("node/slot/core=17", None, "16 cores, not 17"),
        ("node/slot/[core=6;gpu=3]", None, "4 cores, not 6"),
        ("node/slot/[core=8;gpu=3]", None, "2 gpus, not 3"),
        ("node=4/slot/[core=8;gpu]", None, "1 node, not 4"),
        ("node/slot/[core=8;gpu]", PLAIN, "no gpu, not 1"),
        ("node/slot/[core=20;gpu=6]", None, "16 cores, not 20; 2 gpus, not 6"),
        ("node=5-8/slot/core=8", None, "at least 4 nodes, not 5"),
        ("node=5+/slot/core=8", None, "at least 4 nodes, not 5"),
        ("slot=64/core", None, "48 slots, not 64"),
        ("slot=40/core=2", None, "24 slots, not 40"),
        ("slot=3/core=17", None, "8 cores, not 17"),
        ("slot=7{+x}/core", None, "6 slots, not 7"),
        ("node=7/slot/core=17", LARGE, "1 node, not 7; 16 cores, not 17"),
        ("node/slot/core", NOBODY, None),
    ],
)
def test_names_the_nearest_request(text: str, constraint: Any, change: str | None) -> None:
    jobspec = job(text, constraint)
    near = check_strictly(jobspec, MIXED).nearest
    assert (near and near.change) == change
    if near:
        assert check_strictly({**jobspec, "resources": list(near.resources)}, MIXED).feasible


def test_the_nearest_request_keeps_all_else() -> None:
    count = {"min": 5, "max": 8, "operator": "+", "operand": 1}
    for wanted, constraint, nearest in (
        (node("5-8", slot(1, 8), exclusive=False, label="x"), None,
         node("4-8", slot(1, 8), exclusive=False, label="x")),
        (node(count, slot(1, 8)), None, node({**count, "min": 4}, slot(1, 8))),
        (node(1, slot(1, 8, 1)), PLAIN, node(1, slot(1, 8))),
    ):  # fmt: skip
        near = check_strictly(with_resources([wanted], constraint), MIXED).nearest
        assert near is not None
        assert near.resources == (nearest,)


@pytest.mark.parametrize(
    ("wanted", "said", "reason"),
    [
        (node("2,4,8", slot(1, 1)), "node", "2, 4 or 8"),
        (node(2, slot("2-8:2", 1)), "slot", "2 to 8 in steps of 2"),
        (slot("3,40,60", 1), "slot", "3, 40 or 60"),
        (slot("4-16:2:*", 1, exclusive=True), "node", "4, 8 or 16"),
        (node("9,10", slot(1, 1)), "node", "9 to 10"),
    ],
)
def test_supports_no_single_values(wanted: Any, said: str, reason: str) -> None:
    jobspec = with_resources([wanted])
    found = check_feasibility(jobspec, MIXED)
    assert found.feasible is False
    assert found.words.startswith(f"{said} count specifies discrete valid values")
    (problem,) = found.reasons
    assert problem.message == (
        f"sched-simple takes one number or a range without steps here, not {reason}"
    )
    assert check_strictly(jobspec, MIXED).feasible is None


def test_a_demo_job_fits() -> None:
    source = files.read_source("demo").value
    assert source is not None
    demo = document.read_text(source.text)
    found = check_strictly(job("node=4/slot/[core=8;gpu]"), demo)
    assert (found.feasible, found.fits) == (True, 40)
    assert found.placement is not None
    assert demo.ranks_text(found.placement.mask) == "180-183"


def large(count: int, entries: list[dict[str, Any]]) -> Resources:
    even = ",".join(map(str, range(0, count, 2)))
    execution = {
        "R_lite": entries,
        "nodelist": [f"n[0-{count - 1}]"],
        "properties": {"even": even},
    }
    read = document.read({"version": 1, "execution": execution})
    assert read.ok
    read.prepare()
    all_classes(read)
    return read


def seconds(nodes: Resources, jobspec: Job) -> float:
    """The shortest CPU time of five that both answers take."""
    taken = []
    for _ in range(5):
        start = time.process_time()
        check_feasibility(jobspec, nodes)
        check_strictly(jobspec, nodes)
        taken.append(time.process_time() - start)
    return min(taken)


def test_a_hundred_thousand_nodes_in_a_frame() -> None:
    count = 100_000
    halves = (",".join(map(str, range(start, count, 2))) for start in (0, 1))
    nodes = large(
        count,
        [
            {"rank": next(halves), "children": {"core": "0-47"}},
            {"rank": next(halves), "children": {"core": "0-63", "gpu": "0-7"}},
        ],
    )
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
    nodes = large(
        10_000,
        [
            {
                "rank": str(IdSet.of(ranks)),
                "children": {"core": str(IdSet.of(chance.sample(range(64), 1 + kind % 64)))},
            }
            for kind, ranks in sorted(owners.items())
        ],
    )
    assert len(nodes.kinds) > 2500
    for text, limit in (
        ("node=16/slot/core=8", 0.016),
        ("slot=1000000/core=3", 0.032),
        ("node=1+/slot/core=4", 0.3),
    ):
        assert seconds(nodes, job(text)) < limit
    found = check_strictly(job("node=1+/slot/core=4"), nodes)
    assert found.placement is not None
    assert found.placement.mask.bit_count() == dict(found.largest)[TOP] > 9000
