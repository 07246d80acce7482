"""What nodes have inside (RFC 49): what is wrong with it, and what is kept of it."""

import json
from functools import reduce
from typing import Any

from fluxtui.answers.export import subset
from fluxtui.answers.feasibility.tree_pool import check_strictly
from fluxtui.model.resources import document
from fluxtui.model.resources.topology import described
from tests.answers.feasibility.graphs import job
from tests.each import for_each
from tests.model.topologies import APU, UNEVEN, XEON, apu, domains, tree, xeon

TOPO = "scheduling.children[0].topo"


def of(topo: object, ranks: str = "0-1") -> dict[str, Any]:
    """Two nodes of 20 cores and a gpu with something inside."""
    return tree((ranks, topo, "0-19", "0")) | {"version": 1}  # type: ignore[arg-type]


@for_each("topo, wanted", [
    (UNEVEN, ""), ({"cores": "0-19", "gpus": "0"}, ""),
    ({"numa": [{"cores": "0-19", "gpus": "0-1"}]}, ""),  # as of an allocation
    ("x", "children[0].topo: topo is an object"),
    ({"cores": 5}, f"{TOPO}.cores: cores is an idset; found 5"),
    ({"cores": "0-19,x"}, f"{TOPO}.cores: cores: 'x' does not belong in an idset"),
    ({**UNEVEN, "memory": -1}, f"{TOPO}.memory: memory is a whole number of GiB; found -1"),
    ({**UNEVEN, "racks": "x"},
     f"{TOPO}.racks: a locality name has an array of domains; found a string"),
    ({"numa": [*UNEVEN["numa"], 7]}, f"{TOPO}.numa[2]: a domain is an object; found 7"),
    ({**UNEVEN, "storage": [{"path": "/l"}]},
     f"{TOPO}.storage[0].capacity: capacity is a number; found null"),
    ({"numa": [{"cores": "0-9", "gpus": "0"}, {"cores": "9-19"}]},
     f"{TOPO}: core 9 in more than one domain"),
    ({"numa": [{"cores": "0-9", "gpus": "0"}]},
     "children: cores 10-19 of ranks 0-1 are in no domain: no slot is given them"),
    ({"gpus": "0"}, f"{TOPO}: a topology without cores is not loaded by TreePool"),
    # What no machine has
    ({"cores": "0-99999999999"}, "cores above 65,535 are not read"),
    ({"numa": [{"cores": str(n)} for n in range(5000)]}, "more than 4,096 domains"),
    (reduce(lambda inner, _: {"a": [inner]}, range(99), {"cores": "0"}), "deeper than 32"),
], label=lambda case: case[1])  # fmt: skip
def test_what_is_wrong_is_told_with_its_path(topo: object, wanted: str) -> None:
    read = document.read(of(topo))
    assert wanted in "\n".join(f"{one.path}: {one.message}" for one in read.problems)
    assert bool(read.problems) == bool(wanted)
    assert all(one.rule == "RFC 22" or one.code.startswith("topology-") for one in read.problems)
    if "more" in wanted or "deeper" in wanted or "above" in wanted:
        assert check_strictly(job("slot/core"), read).scheduler == "TreePool"


def test_each_rank_has_one_topology() -> None:
    two = of(UNEVEN)
    two["scheduling"]["children"].append({"ranks": "1", "topo": UNEVEN})
    assert "rank 1 has more than one topology" in document.read(two).problems[0].message
    two["scheduling"]["children"] = [{"ranks": "0", "topo": UNEVEN}]
    assert "1 rank in topologies, but R has 2" in document.read(two).problems[0].message
    # Those of the enclosing instance stand for as many.
    two["scheduling"]["children"] = [{"ranks": "4,9", "topo": UNEVEN}]
    found = document.read(two)
    assert not found.problems
    assert str(found.topologies[0].indices) == "0-1"
    # One of no rank is none, as in TreePool.
    two["scheduling"]["children"].insert(0, {"ranks": "", "topo": {"socket": UNEVEN["numa"]}})
    found = document.read(two)
    assert (len(found.topologies), found.domain_names) == (1, ("numa",))
    del two["scheduling"]["children"]
    assert [one.severity for one in document.read(two).problems] == ["warning"]


def test_a_topology_for_each_node_is_one_where_they_are_equal() -> None:
    many = tree(*((str(rank), UNEVEN, "0-19", "0") for rank in range(20_000)))
    (found,) = document.read(many).topologies
    assert found.indices.count == 20_000
    different = tree(*((str(n), {"cores": "0-19", "memory": n}, "0-19", "") for n in range(300)))
    assert "different topologies" in document.read(different).problems[0].message


#: Keys with nothing in them, at which TreePool ends its look.
EMPTY = {
    "apu": [],
    "numa": [{"cores": "", "gpus": "0", "core-complex": [{"cores": "0-7"}]}, {"cores": "8-19"}],
}


@for_each("whole, topo", [(xeon(), XEON), (apu(), APU), (of(EMPTY, "0-3"), EMPTY)])
def test_a_part_of_the_nodes_keeps_the_whole_topology(whole: dict[str, Any], topo: object) -> None:
    resources = document.read(whole)
    cut = subset(resources, 0b1110)
    assert cut["scheduling"]["writer"] == "TreePool"
    (child,) = cut["scheduling"]["children"]
    assert child["ranks"] == "1-3"
    assert child["topo"] == json.loads(json.dumps(topo))
    assert document.read(cut).topologies[0].node == resources.topologies[0].node
    assert "scheduling" not in subset(resources, 0b1110, graph=False)


@for_each("nodes, words", [
    ([XEON], {"socket": "2 on each node: 60 cores, 4 gpus",
              "numa": "8 on each node: 15 cores, 1 gpu"}),
    ([UNEVEN], {"numa": "2 on each node: 8 to 12 cores, 0 to 1 gpu"}),
    ([{"socket": domains(4, 5, gpus=0)}, {"cores": "0-19"}],
     {"socket": "0 to 4 on each node: 5 cores"}),
    ([{"cores": "0-19"}], {}),
])  # fmt: skip
def test_what_nodes_have_inside_is_described(nodes: list[Any], words: dict[str, str]) -> None:
    listed = ((str(rank), topo, "0-119", "0-7") for rank, topo in enumerate(nodes))
    assert described(document.read(tree(*listed)).topologies) == words
