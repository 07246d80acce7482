"""Fluxion: what is missing, in which words, and the nearest request that fits."""

from typing import Any

from fluxtui.answers.feasibility.fluxion.prepared_graph import PreparedGraph
from fluxtui.model.resources import document
from tests.answers.feasibility.graphs import (
    MIXED,
    TINY,
    index,
    judged,
    nodes,
    request,
    sockets,
    some,
    vertex,
)
from tests.each import for_each

BARE = {
    "version": 1,
    "execution": {"R_lite": [{"rank": "0-3", "children": {"core": "0-7"}}], "nodelist": ["n[0-3]"]},
}

#: A gpu beside few cores and many cores without one; disks of several sizes, on two levels.
ODD = vertex(
    "cluster",
    vertex("rack", nodes(1, some(4, "core"), some(1, "gpu")), nodes(1, some(8, "core"), first=1)),
    vertex("rack", nodes(1, some(6, "memory", size=2, unit="GB"), first=2)),
    vertex("shelf", some(2, "ssd", size=100, unit="GB"), vertex("ssd", id=9, size=30, unit="GB")),
    vertex("ssd", id=7, size=500, unit="GB"),
)

GRAPHS = {
    "tiny": index(TINY),
    "mixed": index(MIXED),
    "odd": index(ODD),
    "plain": PreparedGraph.of_resources(document.read(BARE)),
    "one": index(vertex("cluster", nodes(1, sockets(1, 4)))),
    "pair": index(vertex("cluster", nodes(2, sockets(1, 4)))),
}

PLAIN, LARGE, NOBODY = {"properties": ["plain"]}, {"properties": ["large"]}, {"properties": ["x"]}
TOP, SLOT, INNER = "resources[0].count", "resources[0].with[0].count", "resources[0].with[0]"
CONSTRAINT = "attributes.system.constraints"

#: Each sentence: the graph, the request, its constraint, the sentence, the path.
SENTENCES: dict[str, tuple[str, str, dict[str, Any] | None, str, str]] = {
    "a level": ("tiny", "node/core", None,
        "core is not a direct child of node in this graph: write node/socket/core", INNER),
    "no level": ("tiny", "socket/node", None,
        "no socket of this graph has a node below it", INNER),
    "no type": ("tiny", "ssd/core", None,
        "the graph has no ssd", "resources[0].type"),
    "no type in a slot": ("tiny", "slot/ssd", None,
        "the graph has no ssd", "resources[0].with[0].type"),
    "no type in R": ("plain", "socket", None,
        "an R without a graph has no socket", "resources[0].type"),
    "unknown type": ("tiny", "nic", None,
        "Fluxion knows no type 'nic': it is neither in the graph nor built in",
        "resources[0].type"),
    "a text as count": ("tiny", "node=2-3", None,
        "Fluxion takes a count as a number of up to 4,294,967,295 only; found '2-3'; a range is "
        "a dictionary", TOP),
    "slot and others": ("tiny", "node/[slot/socket;socket]", None,
        "a slot beside another resource never fits (Fluxion); put socket into the slot", INNER),
    "two slots": ("tiny", "[slot{a}/core;slot{b}/core]", None,
        "two slots side by side at the top never fit (Fluxion)", "resources[1]"),
    "slot in slot": ("tiny", "slot{a}/slot{b}/core", None,
        "a slot directly in a slot never forms (Fluxion)", INNER),
    "twins": ("tiny", "node/[socket;socket=2]", None,
        "two siblings of type socket never fit (Fluxion)", "resources[0].with[1]"),
    "not exclusive in a slot": ("tiny", "slot/node/socket{-x}", None,
        "exclusive is false below a slot, which Fluxion never fits",
        "resources[0].with[0].with[0].exclusive"),
    "not exclusive": ("tiny", "rack{+x}/node{-x}", None,
        "exclusive is false below an exclusive rack, which Fluxion never fits",
        "resources[0].with[0].exclusive"),
    "slot nowhere": ("tiny", "slot/[node;core]", None,
        "no vertex of this graph has core and node among its children, so no slot forms",
        "resources[0]"),
    "slot too high": ("tiny", "rack/slot/core", None,
        "a slot forms at rack or one level below it, and core is deeper in this graph: write "
        "rack/node/socket/slot", INNER),
    "slot too low": ("tiny", "socket/slot/node", None,
        "no socket of this graph has node below it, as a slot needs", INNER),
    "nodes": ("tiny", "node=3", None, "needs 3 nodes; the cluster has 2", TOP),
    "cores in all": ("tiny", "core=73", None, "needs 73 cores; the cluster has 72", TOP),
    "units": ("tiny", "memory=33", None, "needs 33 GB of memory; the cluster has 32", TOP),
    "nodes that match": ("mixed", "node=4", PLAIN,
        "needs 4 nodes; the constraint leaves 3 of 5", TOP),
    "too few anyway": ("mixed", "node=6", PLAIN,
        "needs 6 nodes; the cluster has 5, of which the constraint leaves 3", TOP),
    "nobody": ("mixed", "node", NOBODY,
        "none of the cluster's 6 nodes satisfies the constraint", CONSTRAINT),
    "the only node": ("one", "node", NOBODY,
        "the only node does not satisfy the constraint", CONSTRAINT),
    "hidden": ("mixed", "[chassis;ssd=100]", None,
        "needs 100 GB of ssd; 300 of 300 are below a chassis, where Fluxion does not look since "
        "that is asked for beside them", "resources[1].count"),
    "on one": ("tiny", "socket/core=19", None,
        "needs 19 cores on one socket; the largest of the 4 sockets has 18", SLOT),
    "on one that matches": ("mixed", "node/core=9", PLAIN,
        "needs 9 cores on one node; the largest of the 3 nodes that match has 8", SLOT),
    "on the one that matches": ("mixed", "node/core=17", LARGE,
        "needs 17 cores on one node; the only node that matches has 16", SLOT),
    "on one that is left": ("tiny", "socket/core=19", {"ranks": ["0"]},
        "needs 19 cores on one socket; the largest of the 2 sockets that the constraint leaves "
        "has 18", SLOT),
    "on the one that is left": ("pair", "socket/core=5", {"ranks": ["0"]},
        "needs 5 cores on one socket; the only socket that the constraint leaves has 4", SLOT),
    "on the only one": ("one", "node/socket=2", None,
        "needs 2 sockets on one node; the only node has 1", SLOT),
    "in the cluster": ("odd", "cluster/rack=5", None,
        "needs 5 racks in the cluster; it has 2", SLOT),
    "left on one": ("odd", "rack/node=2", {"ranks": ["0"]},
        "needs 2 nodes on one rack; the constraint leaves at most 1", SLOT),
    "none left on one": ("mixed", "chassis/storage_node", {"ranks": ["0"]},
        "needs 1 storage_node on one chassis; the constraint leaves none", SLOT),
    "some have it": ("mixed", "node=2/gpu=2", None,
        "needs 2 nodes with 2 gpus each; 1 of 5 has that", TOP),
    "some have it below": ("mixed", "node=2/socket/core=6", None,
        "needs 2 nodes with 1 socket with 6 cores each; 1 of 5 has that", TOP),
    "some have several below": ("mixed", "node=2/socket=2/core=6", None,
        "needs 2 sockets on one node; the largest of the 5 nodes has 1", SLOT),
    "not enough of them have it": ("odd", "cluster/[shelf;rack=2/node=2]", None,
        "needs 2 racks with 2 nodes each in the cluster; it has 1",
        "resources[0].with[1].count"),
    "all at once": ("odd", "node/[core=8;gpu]", None,
        "no node has all of it at once: 8 cores and 1 gpu", INNER),
    "a slot on one": ("tiny", "slot/[core=19;gpu]", None,
        "a slot needs 19 cores on one socket; the largest of the 4 sockets has 18", SLOT),
    "slots": ("tiny", "slot=25/core=3", None,
        "needs 25 slots of 3 cores; there is room for 24", TOP),
    "slots that match": ("mixed", "slot=4/core=8", PLAIN,
        "needs 4 slots of 8 cores; what the constraint leaves has room for 3", TOP),
    "slots on one": ("tiny", "socket/slot=3/core=7", None,
        "needs 3 slots of 7 cores on one socket; the largest of the 4 sockets has room for 2",
        SLOT),
    "no place for a slot": ("mixed", "slot/gpu", PLAIN,
        "the constraint leaves no vertex with gpu for a slot", "resources[0]"),
    "greedy": ("tiny", "slot=5/core=2-16:2:*", None,
        "the count in a slot is taken greedily: 2, 4, 8 or 16 takes 16 of 18 cores on a socket",
        SLOT),
    "all of it": ("tiny", "socket/slot=2/core=1+", None,
        "the count in a slot is taken greedily: 1 or more takes all 18 cores on a socket",
        "resources[0].with[0].with[0].count"),
    "whole vertices": ("odd", "slot=4/memory=3", None,
        "a slot takes whole vertices: 3 GB of memory takes 2 vertices of 2", SLOT),
    "a whole vertex": ("mixed", "slot=4/ssd=60", None,
        "a slot takes whole vertices: 60 GB of ssd takes a vertex of 100", SLOT),
    "whole ones that differ": ("odd", "shelf/slot=3/ssd=60", None,
        "a slot takes whole vertices: ssd comes in 30 or 100",
        "resources[0].with[0].with[0].count"),
    "deeper ones": ("odd", "slot=2/ssd=90", None,
        "a slot forms at the first vertex that has ssd among its children, here cluster; what is "
        "deeper does not count", "resources[0]"),
    "sums": ("tiny", "socket/[slot{a}/core=10;slot{b}/core=10]", None,
        "Fluxion counts 20 cores in all for one socket; the largest of the 4 sockets has 18",
        "resources[0]"),
}  # fmt: skip


def resources_of(text: str) -> list[dict[str, Any]]:
    """The resources of a shape; where its counts are to stay texts, they do."""
    if text == "node=2-3":
        return [{"type": "node", "count": "2-3"}]
    return request(text)


@for_each("name", SENTENCES)
def test_sentences(name: str) -> None:
    where, text, constraint, sentence, path = SENTENCES[name]
    found = judged(resources_of(text), constraint, GRAPHS[where])
    assert found.feasible is False
    said = {(reason.message, reason.path) for reason in found.reasons}
    assert (sentence, path) in said, said
    assert all(reason.severity == "error" for reason in found.reasons)


def test_sentences_on_what_no_shape_says() -> None:
    for resource, sentence, path in (
        ({"type": "slot", "count": 1, "label": "a"},
         "a slot with nothing in it never forms (Fluxion)", "resources[0]"),
        ({"type": "node", "count": 0}, "a count of 0 never fits (Fluxion)", TOP),
    ):  # fmt: skip
        (reason,) = judged([resource], None, GRAPHS["tiny"]).reasons
        assert (reason.message, reason.path) == (sentence, path)


#: The graph, the request, its constraint, the nearest request, what it changes.
NEAREST: list[tuple[str, str, dict[str, Any] | None, str, str]] = [
    ("tiny", "socket/core=20", None, "socket/core=18", "18 cores, not 20"),
    ("tiny", "node=3/socket=2", None, "node=2/socket=2", "2 nodes, not 3"),
    ("mixed", "node=4/core=8", PLAIN, "node=3/core=8", "3 nodes, not 4"),
    ("mixed", "node=9/core=8", PLAIN, "node=3/core=8", "3 nodes, not 9"),
    ("tiny", "slot=30/core=3", None, "slot=24/core=3", "24 slots, not 30"),
    ("tiny", "slot=5/core=18", None, "slot=4/core=18", "4 slots, not 5"),
    ("tiny", "socket=5/core=20", None, "socket=4/core=18", "4 sockets, not 5; 18 cores, not 20"),
    ("tiny", "memory=40", None, "memory=32", "32 GB of memory, not 40"),
    ("tiny", "node=3-9", None, "node=2-9", "at least 2 nodes, not 3"),
    ("tiny", "socket/slot=2/core=1+", None, "socket/slot=2/core=9", "9 cores, not 1 or more"),
    ("tiny", "slot=5/core=2-16:2:*", None, "slot=5/core=8", "8 cores, not 2, 4, 8 or 16"),
    ("tiny", "node/core=4", None, "node/socket/core=4", "node/socket/core"),
    ("tiny", "node/core=20", None, "node/socket/core=18", "node/socket/core; 18 cores, not 20"),
    ("tiny", "rack/slot/core", None, "rack/node/socket/slot/core", "rack/node/socket/slot"),
    ("tiny", "socket/[slot/core;gpu]", None, "socket/slot/[core;gpu]",
     "gpu in the slot, not beside it"),
    ("tiny", "socket/[slot=2/core;memory=8]", None, "socket/slot=2/[core;memory=4]",
     "4 GB of memory in each slot, not beside them"),
    ("tiny", "[node;node]", None, "node=2", "one node of count 2, not several"),
    ("tiny", "slot/node{-x}", None, "slot/node", "node without exclusive: false"),
]  # fmt: skip


@for_each("case", NEAREST, lambda case: case[1])
def test_nearest(case: tuple[str, str, Any, str, str]) -> None:
    where, text, constraint, nearest, change = case
    found = judged(request(text), constraint, GRAPHS[where]).nearest
    assert found is not None
    assert list(found.resources) == request(nearest)
    assert found.change == change
    assert judged(found.resources, constraint, GRAPHS[where]).feasible


@for_each(
    "case",
    [
        ("tiny", "ssd", None),
        ("tiny", "socket/node", None),
        ("mixed", "node", NOBODY),
        ("tiny", "[slot{a}/core;slot{b}/core]", None),
    ],
)
def test_no_nearest(case: tuple[str, str, Any]) -> None:
    where, text, constraint = case
    assert judged(request(text), constraint, GRAPHS[where]).nearest is None


@for_each(
    "wanted",
    [
        [{"type": "node", "count": {"min": 2}} for _ in range(2000)],
        [{"type": "slot", "count": 2, "label": str(n), "with": []} for n in range(2000)],
        [{"type": "node", "count": 1, "with": [
            {"type": "socket", "count": {"min": n + 1}} for n in range(2000)]}],
    ],
    lambda wanted: wanted[0]["type"],
)  # fmt: skip
def test_odd_requests_end(wanted: list[dict[str, Any]]) -> None:
    found = judged(wanted, None, GRAPHS["tiny"])
    assert found.feasible is False
    assert found.reasons
