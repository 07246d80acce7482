"""Room by sched-simple: verdicts, its words and ours, placements, counts, the nearest request."""

import random
import time
from typing import Any

import pytest

from fluxtui.answers.feasibility.feasibility import Feasibility, Placement
from fluxtui.answers.feasibility.simple import check as simple
from fluxtui.bridge import files
from fluxtui.model.resources import document
from fluxtui.model.resources.document import Resources
from fluxtui.notation.sets.idset import IdSet
from tests.answers.room_requests import cluster, job, node, slot

#: Three nodes with cores alone, one large one with two gpus, two small ones with four.
MIXED = cluster(
    [("0-2", "0-7", ""), ("3", "0-15", "0-1"), ("4-5", "0-3", "0-3")],
    {"plain": "0-2", "large": "3", "one": "0", "gpu": "3-5"},
)
EVEN = cluster([("0-3", "0-7", "")])
SINGLE = cluster([("0", "0-3", "0")])
SINGLE_BARE = cluster([("0", "0-3", "")])

PLAIN, LARGE, NOBODY = {"properties": ["plain"]}, {"properties": ["large"]}, {"properties": ["x"]}
ONE = {"properties": ["one"]}

Case = tuple[Resources, dict[str, Any], str, str]

#: Each sentence: the cluster, the job, the sentence, the path in the jobspec.
SENTENCES: dict[str, Case] = {
    "cores on one node": (
        MIXED,
        job(node(1, slot(1, 17))),
        "needs 17 cores on one node; the largest of the 6 nodes has 16",
        "resources[0].with[0].with[0].count",
    ),
    "cores on one node that matches": (
        MIXED,
        job(node(1, slot(1, 9)), constraint=PLAIN),
        "needs 9 cores on one node; the largest of the 3 nodes that match has 8",
        "resources[0].with[0].with[0].count",
    ),
    "cores of several slots": (
        EVEN,
        job(node(1, slot(3, 4))),
        "needs 12 cores on one node (3 slots of 4); the largest of the 4 nodes has 8",
        "resources[0].with[0].count",
    ),
    "cores on the one that matches": (
        MIXED,
        job(slot(1, 17), constraint=LARGE),
        "needs 17 cores on one node; the one node that matches has 16",
        "resources[0].with[0].count",
    ),
    "cores on the only node": (
        SINGLE,
        job(slot(1, 5)),
        "needs 5 cores on one node; the only node has 4",
        "resources[0].with[0].count",
    ),
    "gpus on one node": (
        MIXED,
        job(node(1, slot(1, 1, 5))),
        "needs 5 gpus on one node; none of the 6 nodes has more than 4",
        "resources[0].with[0].with[1].count",
    ),
    "gpus of several slots": (
        MIXED,
        job(node(1, slot(3, 1, 2))),
        "needs 6 gpus on one node (3 slots of 2); none of the 6 nodes has more than 4",
        "resources[0].with[0].count",
    ),
    "no gpus": (
        MIXED,
        job(slot(1, 1, 1), constraint=PLAIN),
        "needs 1 gpu on one node; none of the 3 nodes that match has any",
        "resources[0].with[1].count",
    ),
    "no gpus on the only node": (
        SINGLE_BARE,
        job(slot(1, 1, 2)),
        "needs 2 gpus on one node; the only node has none",
        "resources[0].with[1].count",
    ),
    "gpus on the only node": (
        SINGLE,
        job(slot(1, 1, 2)),
        "needs 2 gpus on one node; the only node has 1",
        "resources[0].with[1].count",
    ),
    "cores and gpus on one node": (
        MIXED,
        job(node(1, slot(1, 6, 3))),
        "needs 6 cores and 3 gpus on one node; of the 6 nodes 4 have the cores and 2 the gpus, "
        "but none has both",
        "resources[0].with[0].count",
    ),
    "one with the cores, another with the gpus": (
        MIXED,
        job(slot(1, 16, 4)),
        "needs 16 cores and 4 gpus on one node; of the 6 nodes 1 has the cores and 2 the gpus, "
        "but none has both",
        "resources[0].count",
    ),
    "too few nodes that have it": (
        MIXED,
        job(node(5, slot(2, 4))),
        "needs 5 nodes with 8 cores each; 4 of the 6 nodes have them",
        "resources[0].count",
    ),
    "one node that has it": (
        MIXED,
        job(node(2, slot(1, 5, 1)), constraint={"properties": ["gpu"]}),
        "needs 2 nodes with 5 cores and 1 gpu each; 1 of the 3 nodes that match has them",
        "resources[0].count",
    ),
    "too few nodes": (
        EVEN,
        job(node(5, slot(1, 1))),
        "needs 5 nodes; the cluster has 4",
        "resources[0].count",
    ),
    "too few nodes that match": (
        MIXED,
        job(node(5, slot(1, 1)), constraint=PLAIN),
        "needs 5 nodes; 3 match the constraint",
        "resources[0].count",
    ),
    "one node that matches": (
        MIXED,
        job(node(5, slot(1, 1)), constraint=ONE),
        "needs 5 nodes; 1 matches the constraint",
        "resources[0].count",
    ),
    "too few whole nodes": (
        EVEN,
        job(node(5, slot(1, 1), exclusive=True)),
        "needs 5 whole nodes; the cluster has 4",
        "resources[0].count",
    ),
    "too few whole nodes that have it": (
        MIXED,
        job(node(5, slot(1, 8), exclusive=True)),
        "needs 5 whole nodes with 8 cores each; 4 of the 6 nodes have them",
        "resources[0].count",
    ),
    "exclusive slots": (
        EVEN,
        job(slot(5, 1, exclusive=True)),
        "needs 5 whole nodes; the cluster has 4",
        "resources[0].count",
    ),
    "too few slots": (
        EVEN,
        job(slot(33, 1)),
        "needs 33 slots of 1 core; the 4 nodes have room for 32",
        "resources[0].count",
    ),
    "too few slots with gpus": (
        MIXED,
        job(slot(9, 2, 2), constraint={"properties": ["gpu"]}),
        "needs 9 slots of 2 cores and 2 gpus; the 3 nodes that match have room for 5",
        "resources[0].count",
    ),
    "too few slots on the one that matches": (
        MIXED,
        job(slot(9, 2), constraint=LARGE),
        "needs 9 slots of 2 cores; the one node that matches has room for 8",
        "resources[0].count",
    ),
    "too few slots on the only node": (
        SINGLE,
        job(slot(9, 2)),
        "needs 9 slots of 2 cores; the only node has room for 2",
        "resources[0].count",
    ),
    "nobody matches": (
        MIXED,
        job(node(1, slot(1, 1)), constraint=NOBODY),
        "none of the cluster's 6 nodes meets the constraint",
        "attributes.system.constraints",
    ),
    "the only one does not match": (
        SINGLE,
        job(node(1, slot(1, 1)), constraint=NOBODY),
        "the only node does not meet the constraint",
        "attributes.system.constraints",
    ),
    "numbers beyond any cluster": (
        EVEN,
        job(node(10**40, slot(1, 1))),
        "needs about 10^39 nodes; the cluster has 4",
        "resources[0].count",
    ),
}


@pytest.mark.parametrize("case", SENTENCES.values(), ids=SENTENCES)
def test_says_what_is_missing(case: Case) -> None:
    nodes, jobspec, message, path = case
    for ask in (simple.check_feasibility, simple.check_strictly):
        found = ask(jobspec, nodes)
        assert found.feasible is False
        assert [(p.message, p.path) for p in found.reasons] == [(message, path)]
        assert found.words.startswith("unsatisfiable request: need ")
        assert (found.placement, found.fits, found.largest) == (None, 0, ())


def test_says_all_that_is_missing() -> None:
    found = simple.check_strictly(job(node(9, slot(1, 17, 5))), MIXED)
    assert [p.message for p in found.reasons] == [
        "needs 17 cores on one node; the largest of the 6 nodes has 16",
        "needs 5 gpus on one node; none of the 6 nodes has more than 4",
        "needs 9 nodes; the cluster has 6",
    ]


def test_a_cluster_without_nodes() -> None:
    for ask in (simple.check_feasibility, simple.check_strictly):
        found = ask(job(slot(1, 1)), Resources())
        assert [p.message for p in found.reasons] == ["the cluster has no nodes"]
        assert found.nearest is None


@pytest.mark.parametrize(
    ("jobspec", "words"),
    [
        (job(node(7, slot(2, 4))), "need 7 node(s) with 8 cores each, only 4 eligible"),
        (
            job(node(1, slot(3, 4, 2))),
            "need 1 node(s) with 12 cores and 6 GPUs each, only 0 eligible",
        ),
        (
            job(node(7, slot(9, 4), exclusive=True)),
            "need 7 exclusive node(s), only 6 eligible",
        ),
        (
            job(slot(99, 4)),
            "need 99 slot(s) of 4 core(s), only 12 such slot(s) available (total cores: 48)",
        ),
        (
            job(slot(9, 1, 2)),
            "need 9 slot(s) with 2 GPU(s) each, only 5 available (total GPUs: 10)",
        ),
    ],
)
def test_says_what_sched_simple_says(jobspec: dict[str, Any], words: str) -> None:
    assert simple.check_feasibility(jobspec, MIXED).words == f"unsatisfiable request: {words}"
    assert simple.check_strictly(jobspec, MIXED).words == f"unsatisfiable request: {words}"


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
    found = simple.check_feasibility(job(node(6, slot(1, 1)), constraint=constraint), MIXED)
    assert [p.message for p in found.reasons] == [message]
    found = simple.check_feasibility(
        job(node(6, slot(1, 9)), constraint={"not": [ONE, LARGE]}),
        cluster([("0-6", "0-7", "")], {"one": "0"}),
    )
    assert [p.message for p in found.reasons] == [
        "needs 9 cores on one node; the largest of the 6 nodes that match as sched-simple "
        "reads the constraint has 8"
    ]


def test_the_rules_of_a_constraint_count_for_our_own_verdict() -> None:
    for constraint in ({"or": []}, {"not": [ONE, LARGE]}, {"and": [{}]}):
        jobspec = job(node(6, slot(1, 1)), constraint=constraint)
        assert simple.check_strictly(jobspec, MIXED).feasible
        assert simple.check_feasibility(jobspec, MIXED).feasible is False
    found = simple.check_strictly(job(slot(1, 1), constraint={"not": []}), MIXED)
    assert found.feasible is False
    assert found.words == "'not' operand must be a non-empty list, got []"
    found = simple.check_strictly(job(slot(1, 1), constraint={"foo": ["x"]}), MIXED)
    assert found.feasible is False
    assert found.words == "unknown constraint operator(s): ['foo']"
    assert found.reasons[0].path == "attributes.system.constraints.foo"


def test_a_mask_stands_for_the_constraint() -> None:
    jobspec = job(node(3, slot(1, 1)), constraint={"foo": ["x"]})
    for ask in (simple.check_feasibility, simple.check_strictly):
        assert ask(jobspec, MIXED, 0b000111).feasible
        found = ask(jobspec, MIXED, 0b000011)
        assert [p.message for p in found.reasons] == ["needs 3 nodes; 2 match the constraint"]


def test_a_whole_node_has_all_its_slots() -> None:
    jobspec = job(node(1, slot(2, 8), exclusive=True))
    assert simple.check_feasibility(jobspec, EVEN).feasible
    found = simple.check_strictly(jobspec, EVEN)
    assert found.feasible is False
    assert found.words == ""
    assert [p.message for p in found.reasons] == [
        "needs 16 cores on one node (2 slots of 8); the largest of the 4 nodes has 8"
    ]


def taken(placement: Placement | None, nodes: Resources) -> dict[int, tuple[str, str]]:
    """Core and gpu ids by rank."""
    assert placement is not None
    assert sum(share.mask for share in placement.shares) == placement.mask
    return {
        rank: (str(share.cores), str(share.gpus))
        for share in placement.shares
        for rank in nodes.ranks_of(share.mask)
    }


def test_places_worst_fit_first_and_takes_the_lowest_ids() -> None:
    nodes = cluster(
        [("0,7", "4-7", ""), ("2", "3,7,9-12", "5"), ("3,5", "0,2,4,6", "1,3"), ("9", "0-5", "")]
    )
    found = simple.check_strictly(job(node(4, slot(1, 3))), nodes)
    assert taken(found.placement, nodes) == {
        2: ("3,7,9", ""),
        9: ("0-2", ""),
        3: ("0,2,4", ""),
        5: ("0,2,4", ""),
    }
    found = simple.check_strictly(job(slot(4, 2, 1)), nodes)
    assert taken(found.placement, nodes) == {
        2: ("3,7", "5"),
        3: ("0,2,4,6", "1,3"),
        5: ("0,2", "1"),
    }
    whole = simple.check_strictly(job(node(3, slot(1, 1), exclusive=True)), nodes)
    assert taken(whole.placement, nodes) == {
        2: ("3,7,9-12", "5"),
        9: ("0-5", ""),
        3: ("0,2,4,6", "1,3"),
    }


def test_nodes_of_which_the_same_is_taken_share() -> None:
    found = simple.check_strictly(job(node(6, slot(1, 2))), MIXED)
    assert found.placement is not None
    assert [(s.mask, str(s.cores)) for s in found.placement.shares] == [(0b111111, "0-1")]


@pytest.mark.parametrize(
    ("jobspec", "room", "strict"),
    [
        (job(node(1, slot(1, 1))), 48, 48),
        (job(node(6, slot(1, 1))), 4, 4),
        (job(node(4, slot(1, 4))), 2, 2),  # 2+2+2+4+1+1: each of two jobs takes part of four nodes
        (job(node(2, slot(2, 2))), 6, 6),
        (job(node(4, slot(1, 4), exclusive=True)), 1, 1),
        (job(node(1, slot(2, 4), exclusive=True)), 6, 4),
        (job(slot(5, 3)), 2, 2),
        (job(slot(2, 1, 2)), 2, 2),
        (job(node({"min": 2}, slot(1, 8))), 2, 2),
    ],
)
def test_counts_how_many_fit(jobspec: dict[str, Any], room: int, strict: int) -> None:
    assert simple.check_feasibility(jobspec, MIXED).fits == room
    assert simple.check_strictly(jobspec, MIXED).fits == strict


@pytest.mark.parametrize(
    ("jobspec", "room", "strict"),
    [
        (job(node({"min": 1}, slot(1, 8))), {"resources[0].count": 4}, None),
        (job(node("1-3", slot(1, 8))), {"resources[0].count": 3}, None),
        (job(slot("2+", 3)), {"resources[0].count": 13}, None),
        (job(slot("2-5", 3)), {"resources[0].count": 5}, None),
        (
            job(node("2-8", slot("1-9", 2))),
            {"resources[0].count": 6, "resources[0].with[0].count": 1},
            {"resources[0].count": 6, "resources[0].with[0].count": 4},
        ),
        (
            # Beyond the least number sched-simple takes whole nodes that are too small.
            job(node("2+", slot(1, 8), exclusive=True)),
            {"resources[0].count": 6},
            {"resources[0].count": 4},
        ),
        (job(slot("2+", 1, exclusive=True)), {"resources[0].count": 6}, None),
        (job(node(2, slot(1, 1))), {}, None),
    ],
)
def test_takes_as_much_of_a_range_as_there_is(
    jobspec: dict[str, Any], room: dict[str, int], strict: dict[str, int] | None
) -> None:
    assert dict(simple.check_feasibility(jobspec, MIXED).largest) == room
    assert dict(simple.check_strictly(jobspec, MIXED).largest) == (
        room if strict is None else strict
    )


def test_counts_above_the_node_multiply_it() -> None:
    jobspec = job({"type": "rack", "count": 2, "with": [node({"min": 1}, slot(1, 1))]})
    found = simple.check_feasibility(jobspec, MIXED)
    assert found.largest == (("resources[0].with[0].count", 3),)
    assert found.placement is not None
    assert found.placement.mask == 0b111111
    found = simple.check_feasibility(
        job({"type": "rack", "count": 4, "with": [node(2, slot(1, 1))]}), MIXED
    )
    assert found.words == (
        "unsatisfiable request: need 8 node(s) with 1 cores each, only 6 eligible"
    )
    assert found.nearest is not None
    assert found.nearest.change == "1 node, not 2"
    assert found.nearest.resources[0]["with"][0]["count"] == 1


@pytest.mark.parametrize(
    ("jobspec", "change"),
    [
        (job(node(5, slot(2, 4))), "4 nodes, not 5"),
        (job(node(9, slot(2, 4))), "4 nodes, not 9"),
        (job(node(1, slot(17, 1))), "16 slots, not 17"),
        (job(node(1, slot(1, 17))), "16 cores, not 17"),
        (job(node(1, slot(1, 6, 3))), "4 cores, not 6"),
        (job(node(1, slot(1, 8, 3))), "2 gpus, not 3"),
        (job(node(4, slot(1, 8, 1))), "1 node, not 4"),
        (job(node(1, slot(1, 8, 1)), constraint=PLAIN), "no gpu, not 1"),
        (job(node(1, slot(1, 20, 6))), "16 cores, not 20; 2 gpus, not 6"),
        (job(node("5-8", slot(1, 8))), "at least 4 nodes, not 5"),
        (job(node({"min": 5}, slot(1, 8))), "at least 4 nodes, not 5"),
        (job(slot(64, 1)), "48 slots, not 64"),
        (job(slot(40, 2)), "24 slots, not 40"),
        (job(slot(3, 17)), "8 cores, not 17"),
        (job(slot(7, 1, exclusive=True)), "6 slots, not 7"),
        (job(node(7, slot(1, 17)), constraint=LARGE), "1 node, not 7; 16 cores, not 17"),
        (job(node(1, slot(1, 1)), constraint=NOBODY), None),
    ],
)
def test_names_the_nearest_request(jobspec: dict[str, Any], change: str | None) -> None:
    for ask in (simple.check_feasibility, simple.check_strictly):
        near = ask(jobspec, MIXED).nearest
        assert (near and near.change) == change
        if near:
            assert ask({**jobspec, "resources": list(near.resources)}, MIXED).feasible


def test_the_nearest_request_keeps_all_else() -> None:
    jobspec = job(node("5-8", slot(1, 8), exclusive=False, label="x"))
    near = simple.check_strictly(jobspec, MIXED).nearest
    assert near is not None
    assert near.resources == ({**node("4-8", slot(1, 8)), "exclusive": False, "label": "x"},)
    count = {"min": 5, "max": 8, "operator": "+", "operand": 1}
    near = simple.check_strictly(job(node(count, slot(1, 8))), MIXED).nearest
    assert near is not None
    assert near.resources == (node({**count, "min": 4}, slot(1, 8)),)
    near = simple.check_strictly(job(node(1, slot(1, 8, 1)), constraint=PLAIN), MIXED).nearest
    assert near is not None
    assert near.resources == (node(1, slot(1, 8)),)


@pytest.mark.parametrize(
    ("jobspec", "said", "reason", "change"),
    [
        (job(node("2,4,8", slot(1, 1))), "node", "2, 4 or 8", "4 nodes, not 2, 4 or 8"),
        (job(node(2, slot("2-8:2", 1))), "slot", "2 to 8 in steps of 2", "8 slots"),
        (job(slot("3,40,60", 1)), "slot", "3, 40 or 60", "40 slots, not 3, 40 or 60"),
        (job(slot("4-16:2:*", 1, exclusive=True)), "node", "4, 8 or 16", "4 slots, not"),
        (job(node("9,10", slot(1, 1))), "node", "9 to 10", None),
    ],
)
def test_takes_no_single_values(
    jobspec: dict[str, Any], said: str, reason: str, change: str | None
) -> None:
    found = simple.check_feasibility(jobspec, MIXED)
    assert found.feasible is False
    assert found.words.startswith(f"{said} count specifies discrete valid values")
    (problem,) = found.reasons
    assert problem.message == (
        f"sched-simple takes one number or a range without steps here, not {reason}"
    )
    assert (found.nearest is None) == (change is None)
    if found.nearest and change:
        assert found.nearest.change.startswith(change)
    assert simple.check_strictly(jobspec, MIXED).feasible is None


def test_a_demo_job_finds_room() -> None:
    source = files.read_source("demo").value
    assert source is not None
    demo = document.read_text(source.text)
    found = simple.check_strictly(job(node(4, slot(1, 8, 1))), demo)
    assert (found.feasible, found.fits) == (True, 40)
    assert found.placement is not None
    assert demo.ranks_text(found.placement.mask) == "180-183"


def large(count: int, entries: list[dict[str, Any]]) -> Resources:
    read = document.read(
        {
            "version": 1,
            "execution": {
                "R_lite": entries,
                "nodelist": [f"n[0-{count - 1}]"],
                "properties": {"even": ",".join(map(str, range(0, count, 2)))},
            },
        }
    )
    assert read.ok
    read.prepare()
    simple.prepare(read)
    return read


def best(nodes: Resources, jobspec: dict[str, Any]) -> tuple[float, Feasibility]:
    """The shortest time that both answers take, in seconds, and ours."""
    shortest = 10.0
    for _ in range(5):
        start = time.process_time()
        simple.check_feasibility(jobspec, nodes)
        found = simple.check_strictly(jobspec, nodes)
        shortest = min(shortest, time.process_time() - start)
    return shortest, found


REQUESTS = (
    job(node(1, slot(1, 1))),
    job(node(4, slot(2, 4, 1)), constraint={"properties": ["even"]}),
    job(node({"min": 1}, slot(1, 4))),
    job(slot(50_000, 3)),
    job(node(5, slot(3, 400))),
    job(node(10**6, slot(100, 4, 9))),
)


@pytest.mark.parametrize("jobspec", REQUESTS)
def test_a_hundred_thousand_nodes_in_a_frame(jobspec: dict[str, Any]) -> None:
    count = 100_000
    halves = (",".join(map(str, range(start, count, 2))) for start in (0, 1))
    nodes = large(
        count,
        [
            {"rank": next(halves), "children": {"core": "0-47"}},
            {"rank": next(halves), "children": {"core": "0-63", "gpu": "0-7"}},
        ],
    )
    assert best(nodes, jobspec)[0] < 0.008


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
    assert best(nodes, job(node(16, slot(1, 8))))[0] < 0.016
    assert best(nodes, job(slot(10**6, 3)))[0] < 0.032
    seconds, found = best(nodes, job(node({"min": 1}, slot(1, 4))))
    assert seconds < 0.3
    assert found.placement is not None
    assert found.placement.mask.bit_count() == dict(found.largest)["resources[0].count"] > 9000
