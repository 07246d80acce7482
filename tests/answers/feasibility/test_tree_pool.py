"""TreePool: the test vectors of RFC 49, and the pool of a real flux-core beside ours."""

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise, product
from typing import Any

import pytest

from fluxtui.answers import matching
from fluxtui.answers.feasibility.feasibility import Feasibility, Placement, Share
from fluxtui.answers.feasibility.fit import fit
from fluxtui.answers.feasibility.fluxion.prepared_graph import PreparedGraph
from fluxtui.answers.feasibility.tree_pool import check_feasibility, check_strictly, gives_less
from fluxtui.model.constraint import tree as constraints
from fluxtui.model.jobspec.request import parse
from fluxtui.model.resources import document
from fluxtui.model.resources.resource_set import NodeKind, Resources
from fluxtui.notation.sets import idset
from tests.answers.feasibility.graphs import TINY, jgf, job, with_resources
from tests.each import for_each, the
from tests.model.topologies import apu, domains, tree, xeon
from tests.reference import pool

#: The cumulative allocations of RFC 49: the shape, and the rank, cores and gpus that it gets.
VECTORS = {
    "A": [
        ("slot/node/[core=8;gpu]", "0", "0-7", "0"),
        ("slot/node/[core=8;gpu]", "0", "15-22", "1"),
        ("node/slot=8/[core=15;gpu]", "1", "0-119", "0-7"),
        ("slot=4/node/core=120", "2-5", "0-119", ""),
        ("slot/node/core=4", "0", "8-11", ""),
        ("slot/node/[core=15;gpu]", "0", "30-44", "2"),
        ("node/slot=6/[core=15;gpu]", "6", "0-89", "0-5"),
        ("slot/node/[core=60;gpu=4]", "0", "60-119", "4-7"),
        ("slot/numa{x}", "0", "45-59", "3"),
        ("slot/socket{x}", "7", "0-59", "0-3"),
        ("slot/node{x}", "8", "0-119", "0-7"),
    ],
    "B": [
        ("slot/node/[core=24;gpu]", "0", "0-23", "0"),
        ("slot/node/[core=24;gpu]", "0", "24-47", "1"),
        ("node/slot=4/[core=24;gpu]", "1", "0-95", "0-3"),
        ("slot=4/node/[core=96;gpu=4]", "2-5", "0-95", "0-3"),
        ("slot/node/core=8", "0", "48-55", ""),
        ("slot/node/[core=24;gpu]", "0", "72-95", "3"),
        ("node/slot=3/[core=24;gpu]", "6", "0-71", "0-2"),
        ("slot/socket{x}", "6", "72-95", "3"),
        ("slot/node{x}", "7", "0-95", "0-3"),
    ],
}


def left(resources: Resources, placement: Placement) -> Resources:
    """The resources without what is placed."""
    kinds = []
    for kind in resources.kinds:
        rest = kind.indices
        for share in placement.shares:
            if mine := kind.indices & idset.from_mask(share.mask):
                kinds.append(NodeKind(kind.cores - share.cores, kind.gpus - share.gpus, mine))
                rest -= mine
        if rest:
            kinds.append(replace(kind, indices=rest))
    return replace(resources, kinds=tuple(kinds), _cache={})


@pytest.mark.parametrize("name", VECTORS)
def test_the_vectors_of_the_rfc(name: str) -> None:
    whole = document.read({"A": xeon, "B": apu}[name]())
    assert not whole.problems
    now = whole
    for shape, ranks, cores, gpus in VECTORS[name]:
        placement = the(check_strictly(job(shape), now, idle(now, whole, job(shape))).placement)
        (share,) = placement.shares
        got = (whole.ranks_text(share.mask), str(share.cores), str(share.gpus))
        assert got == (ranks, cores, gpus), shape
        now = left(now, placement)


def test_a_million_nodes_of_four_kinds_cost_what_one_does() -> None:
    each, nodes = 250_000, []
    for number, sockets in enumerate((1, 2, 4, 8)):
        ranks = f"{number * each}-{number * each + each - 1}"
        gpus = str(idset.IdSet.between(0, sockets - 1))
        nodes.append((ranks, {"socket": domains(sockets, 8)}, f"0-{8 * sockets - 1}", gpus))
    resources = document.read(tree(*nodes))
    assert not resources.problems
    found = check_strictly(job("node=300000/slot=2/[core=8;gpu]"), resources)
    assert the(found.placement).mask.bit_count() == 300_000
    assert found.fits == 5  # 1, 2 or 4 jobs on each of three kinds


# Beside the real one


def ask_the_real_one(cases: Sequence[tuple[Any, Any]]) -> list[dict[str, Any]]:
    """What the pool of flux-core says; see `tests.reference.pool`."""
    said = pool.ask(cases)
    if said is None:
        pytest.skip("there is neither a flux nor its wheel to ask")
    return said


def random_topology(chance: random.Random) -> tuple[dict[str, Any], int, int]:
    """What a node has inside, and how many cores and gpus that is."""
    cores = gpus = 0

    def leaf() -> dict[str, Any]:
        nonlocal cores, gpus
        more, with_gpus = chance.choice([2, 4, 4, 6, 8]), chance.choice([0, 1, 1, 2])
        found = {"cores": str(idset.IdSet.between(cores, cores + more - 1))}
        if with_gpus:
            found["gpus"] = str(idset.IdSet.between(gpus, gpus + with_gpus - 1))
        cores, gpus = cores + more, gpus + with_gpus
        return found

    def leaves(most: int) -> list[dict[str, Any]]:
        return [odd(leaf()) for _ in range(chance.randint(1, most))]

    def odd(found: dict[str, Any]) -> dict[str, Any]:
        """Sometimes one without cores, with those of another, or with nothing where more is."""
        match chance.randrange(40):
            case 0:
                del found["cores"]
            case 1:
                found["cores"] = ""
            case 2:
                found["cores"] = f"0-{chance.randint(1, 5)}"
            case 3:
                found[chance.choice(["numa", "apu", "storage"])] = []
            case 4:
                found["numa"] = [{"cores": found["cores"]}]
            case 5:
                found = {"numa": [found, {"gpus": found.get("gpus", "")}]}
        return found

    topo = chance.choice([
        leaf, lambda: {"numa": leaves(4)}, lambda: {"socket": leaves(3)},
        lambda: {"socket": [{"numa": leaves(3)} for _ in range(chance.randint(1, 2))]},
        lambda: {"socket": [{"numa": leaves(2)}, leaf()]},
        lambda: {"numa": leaves(2), "storage": [{"path": "/l", "capacity": 1}]},
        lambda: {"apu": [], "socket": [{"apu": leaves(2)}, odd(leaf())]},
    ])()  # fmt: skip
    return topo, cores, gpus


def random_cluster(chance: random.Random) -> dict[str, Any]:
    """A few nodes of one to three kinds, whose ranks may be mixed."""
    nodes, ranks = [], list(range(chance.randint(3, 9)))
    if chance.random() < 0.3:
        chance.shuffle(ranks)
    cuts = sorted({0, len(ranks), *(chance.randint(1, len(ranks)) for _ in range(2))})
    for first, last in pairwise(cuts):
        topo, cores, gpus = random_topology(chance)
        if chance.random() < 0.2:  # an allocated R, of which the topology is left as it was
            cores, gpus = chance.randint(1, cores), chance.randint(0, gpus)
        mine = str(idset.IdSet.of(ranks[first:last]))
        ids = str(idset.IdSet.between(0, cores - 1)), str(idset.IdSet.between(0, gpus - 1))
        nodes.append((mine, topo, *ids))
    return tree(*nodes, properties={"a": "0-1"})


def random_resources(chance: random.Random) -> list[dict[str, Any]]:
    """What a job asks for, sensible or not."""

    def vertex(kind: str, most: int, inside: list[dict[str, Any]], odds: float) -> dict[str, Any]:
        least = chance.randint(1, most)
        count = chance.choice([
            *[least] * 8, f"{least}+", f"{least}-{least + 2}", "1,3",
            {"min": least, "max": least + 3, "operator": "+", "operand": 1},
        ])  # fmt: skip
        exclusive = {"exclusive": True} if chance.random() < odds else {}
        inner = {"with": inside} if inside else {}
        label = {"label": "task"} if kind == "slot" else {}
        return {"type": kind, "count": count, **exclusive, **label, **inner}

    core = {"type": "core", "count": chance.randint(1, 10)}
    gpu = {"type": "gpu", "count": chance.randint(1, 3)}
    name = chance.choice(["socket", "numa", "numa", "apu", "storage"])
    whole = {"type": name, "count": chance.choice([1, 1, 2]), "exclusive": True}
    memory = {"type": "memory", "count": 4}
    inside = chance.choice([
        [core], [core, gpu], [gpu, core], [whole], [whole], [], [core, memory], [whole, gpu],
        [{**core, "count": "2-4"}], [{**whole, "with": [core]}],
    ])  # fmt: skip
    order = chance.choice([
        *[["slot"], ["node", "slot"], ["slot", "node"]] * 3, ["rack", "slot"], ["slot", "slot"],
        ["node", "numa", "slot"], ["slot", "rack", "node"],
    ])  # fmt: skip
    for kind in reversed(order):
        inside = [vertex(kind, 5, inside, 0.2)]
    return inside


def _takes(found: Feasibility, resources: Resources) -> dict[str, Any] | None:
    """The cores and gpus of each rank, as the real pool says them."""
    if found.placement is None:
        return None
    return {
        str(rank): [list(share.cores), list(share.gpus)]
        for share in found.placement.shares
        for rank in resources.ranks_of(share.mask)
    }


def inside(*ranks: str, topo: Any = None) -> list[dict[str, Any]]:
    """Topologies for these ranks, of two numa domains with six cores and a gpu each."""
    return [{"ranks": one, "topo": topo or {"numa": domains(2, 6)}} for one in ranks]


def of_children(children: Any, ranks: str = "0-1") -> dict[str, Any]:
    """Nodes of twelve cores and two gpus, and topologies that may be wrong."""
    scheduling = {"writer": "TreePool"} | ({} if children is None else {"children": children})
    return {**tree((ranks, {}, "0-11", "0-1")), "scheduling": scheduling}


#: Topologies and the ranks of R, and the code of what is told of those that the pool does not load.
LOADS = [
    (inside("0-1"), "0-1", ""),
    (inside("0", "1"), "0-1", ""),
    (inside("7,9"), "0-1", ""),
    (None, "0-1", "topology-children"),
    ([], "0-1", "topology-rank-count"),
    (inside("0"), "0-1", "topology-rank-count"),
    (inside("0-2"), "0-1", "topology-rank-count"),
    (inside("0-1", topo={"gpus": "0"}), "0-1", "topology-no-cores"),
    (inside("4-5"), "4-5", "topology-rank-origin"),
    (inside("0,2"), "0,2", "topology-rank-origin"),
]  # fmt: skip


def test_the_real_pool_loads_the_same() -> None:
    said = ask_the_real_one([(of_children(*one), job("slot/core")) for *one, _ in LOADS])
    assert [bool(one["words"]) for one in said] == [bool(code) for *_, code in LOADS], said


@for_each("children, ranks, code", LOADS)
def test_where_it_does_not_load_nothing_is_known_to_fit(
    children: Any, ranks: str, code: str
) -> None:
    resources = document.read(of_children(children, ranks))
    assert [one.code for one in resources.problems][:1] == ([code] if code else [])
    found = fit(job("slot/core"), PreparedGraph.of(resources))
    assert found.own.scheduler == found.simple.scheduler == "TreePool"
    is_read = code in ("", "topology-rank-origin")  # of which a warning is enough
    assert found.feasible is (True if is_read else None)


def test_the_writer_decides_who_reads_it_and_not_that_there_is_a_graph() -> None:
    described = of_children(inside("0-1"))
    described["scheduling"] |= jgf(TINY)
    resources = document.read(described)
    assert resources.graph is not None
    found = fit(job("slot/numa{x}"), PreparedGraph.of(resources))
    assert (found.own.scheduler, found.feasible) == ("TreePool", True)


@for_each("key", ["starttime", "nslots"])
def test_the_nodes_of_a_job_may_have_any_ranks(key: str) -> None:
    found = of_children(inside("4-5"), "4-5")
    found["execution"][key] = 2
    assert not document.read(found).problems


def test_the_real_pool_grants_the_same() -> None:
    chance, cases = random.Random(49), list[tuple[Any, Any]]()
    for each in range(500):
        cluster = random_cluster(chance)
        in_a_row = 1 if each < 200 else 6
        for number in range(6):
            constraint = chance.choice([None, None, {"properties": ["a"]}, {"ranks": ["1-2"]}])
            wanted = with_resources(random_resources(chance), constraint)
            cases.append((None if number % in_a_row else cluster, wanted))
    granted, lessened, whole, now = 0, 0, Resources(), Resources()
    for (cluster, wanted), said in zip(cases, ask_the_real_one(cases), strict=True):
        if cluster is not None:
            whole = now = document.read(cluster)
        if not whole.topologies:
            assert said["takes"] is None  # it does not load
            continue
        assert check_feasibility(wanted, whole).words == said["words"], wanted
        allowed = idle(now, whole, wanted)
        found = check_strictly(wanted, now, allowed)
        if found.feasible is False and found.placement is None:
            less = gives_less(parse(wanted["resources"]), now, allowed)
            assert less == bool(said["takes"]), wanted
        if found.placement is None and said["takes"]:  # less than it asks for
            lessened += 1
            of = idset.IdSet.of
            shares = (
                Share(whole.mask_of_ranks(of([int(rank)])), *map(of, ids))
                for rank, ids in said["takes"].items()
            )
            now = left(now, Placement(0, tuple(shares)))
        else:
            granted += 1
            assert _takes(found, whole) == said["takes"], wanted
            now = left(now, found.placement or Placement(0))
    assert granted > 200
    assert lessened > 100


def idle(now: Resources, whole: Resources, wanted: Any) -> int:
    """The nodes that a job may have: of one for whole nodes those of which nothing is in use."""
    constraint = wanted["attributes"]["system"].get("constraints") or {}
    allowed = matching.match(the(constraints.read(constraint).value), whole)
    vertices = parse(wanted["resources"]).walk()
    if not any(one.exclusive for one in vertices if one.type in ("node", "slot")):
        return allowed
    return allowed & sum(
        idset.to_mask(kind.indices & full.indices)
        for kind, full in product(now.kinds, whole.kinds)
        if kind.cores == full.cores
    )
