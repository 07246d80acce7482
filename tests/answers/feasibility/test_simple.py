"""sched-simple: what no recorded answer holds, and speed."""

import random
import time

from fluxtui.answers.feasibility.sched_simple import all_classes, check_feasibility, check_strictly
from fluxtui.bridge import files
from fluxtui.model.resources import document
from fluxtui.model.resources.document import Resources
from fluxtui.notation.sets.idset import IdSet
from tests.answers.feasibility.requests import MIXED, Job, cluster, job, node, slot, with_resources

PLAIN = {"properties": ["plain"]}


def test_a_mask_replaces_the_constraint() -> None:
    jobspec = job("node=3/slot/core", {"foo": ["x"]})
    assert check_strictly(jobspec, MIXED, 0b000111).feasible
    found = check_strictly(jobspec, MIXED, 0b000011)
    assert [p.message for p in found.reasons] == ["needs 3 nodes; 2 match the constraint"]


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


def test_a_demo_job_fits() -> None:
    source = files.read_source("demo").value
    assert source is not None
    demo = document.read_text(source.text)
    found = check_strictly(job("node=4/slot/[core=8;gpu]"), demo)
    assert (found.feasible, found.fits) == (True, 40)
    assert found.placement is not None
    assert demo.ranks_text(found.placement.mask) == "180-183"


def large(kinds: list[tuple[str, str, str]], properties: dict[str, str]) -> Resources:
    """A cluster that is ready for requests."""
    read = cluster(kinds, properties)
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
    even, odd = (",".join(map(str, range(start, 100_000, 2))) for start in (0, 1))
    nodes = large([(even, "0-47", ""), (odd, "0-63", "0-7")], {"even": even})
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
    nodes = large(kinds, {})
    assert len(nodes.kinds) > 2500
    for text, limit in (
        ("node=16/slot/core=8", 0.016),
        ("slot=1000000/core=3", 0.032),
        ("node=1+/slot/core=4", 0.3),
    ):
        assert seconds(nodes, job(text)) < limit
    found = check_strictly(job("node=1+/slot/core=4"), nodes)
    assert found.placement is not None
    assert found.placement.mask.bit_count() == dict(found.largest)["resources[0].count"] > 9000
