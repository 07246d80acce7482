"""Fluxion: its rules one by one, placements, counts, speed."""

import time
from typing import Any

from fluxtui.answers.feasibility.feasibility import Feasibility
from fluxtui.answers.feasibility.fluxion.prepared_graph import PreparedGraph
from fluxtui.model.resources import document as resources
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

GRAPHS = {"tiny": index(TINY), "mixed": index(MIXED)}
PLAIN = {"properties": ["plain"]}
TOP, SLOT, INNER = (
    "resources[0].count", "resources[0].with[0].count", "resources[0].with[0].with[0].count"
)  # fmt: skip


def ask(where: str, text: str, constraint: Any = None) -> Feasibility:
    return judged(request(text), constraint, GRAPHS[where])


#: The rules of the conformance README, by number: what has room on TINY, and what has not.
RULES = {
    1: (
        ["core=72", "socket/core=18", "cluster/rack/node/socket", "rack/node=2", "memory=32"],
        ["node/core", "cluster/node", "rack/socket"],
    ),
    2: (
        ["socket=4/core=18", "node=2/socket=2/[core=18;gpu;memory=8]"],
        ["socket/core=19", "socket=4/memory=9", "node=3", "core=73", "cluster=2"],
    ),
    3: (
        ["node=2-6:4", "node=1+/socket=2", "node=2-16:2:*", "socket=1-9/core=9+"],
        ["node=3-9", "node=3+", "node=3-81:2:^"],
    ),
    4: (
        ["slot=4/core=18", "slot=24/core=3", "slot=4/[core=18;gpu]", "slot=8/memory=3"],
        ["slot=5/core=10", "slot/core=19", "slot=9/memory=3", "slot/[core;node]"],
    ),
    5: (
        ["rack/slot=2/node", "node/slot=2/core=9", "cluster/slot=2/node", "slot=2/node"],
        ["rack/slot/core", "cluster/slot/socket", "node/slot/[socket;core]"],
    ),
    6: (
        ["socket/slot=3/core=4-6", "slot=2/core=1-10", "slot=4/core=2-16:2:*", "slot=4/core=1+"],
        ["socket/slot=3/core=4-7", "socket/slot=2/core=1+", "slot=5/core=2-16:2:*"],
    ),
    7: (
        ["node=2{+x}", "slot=2{a,+x}/node", "slot=2{a,-x}/node", "node{-x}", "node{+x}/socket{+x}"],
        ["node{+x}/socket{-x}", "slot/node{-x}", "slot/node/socket{-x}"],
    ),
    8: (["memory=32{unit:MB}", "node{label:a,id:b}"], ["memory=33{unit:kB}"]),
    10: (
        ["socket/[slot{a}/core=4;slot{b}/core=12]"],
        ["socket/[slot/core;memory]", "[slot{a}/node;slot{b}/node]", "[node;node]",
         "socket/[slot=2{a}/core;slot{b}/gpu]"],
    ),
}  # fmt: skip


@for_each("number", RULES)
def test_rules(number: int) -> None:
    for texts, feasible in zip(RULES[number], (True, False), strict=True):
        for text in texts:
            found = ask("tiny", text)
            assert found.feasible is feasible, text
            assert found.words == ("" if feasible else "Unsatisfiable request")


@for_each(
    "case",
    [
        # What is asked for beside others hides what is below it.
        ("[node;ssd]", None, True),
        ("[chassis;ssd]", None, False),
        # Constraints filter nodes and storage nodes alone.
        ("node=3", PLAIN, True),
        ("node=4", PLAIN, False),
        ("storage_node", PLAIN, False),
        ("ssd=300", PLAIN, True),
        ("core=25", PLAIN, False),
        ("storage_node", {"hostlist": ["s0"]}, True),
        ("storage_node", {"not": [{"hostlist": ["s[0-9]"]}]}, False),
        ("node=2", {"ranks": ["0-1"]}, True),
        ("storage_node", {"ranks": ["0-100"]}, False),
    ],
)
def test_what_is_looked_at(case: tuple[str, Any, bool]) -> None:
    text, constraint, feasible = case
    assert ask("mixed", text, constraint).feasible is feasible


def test_allowed_nodes_go_by_rank_index() -> None:
    places = index(vertex("cluster", nodes(4, some(2, "core"), first=10)))
    for text, constraint, mask in (
        ("slot=2/core", None, 0b0100),
        ("node", {"ranks": ["10-12"]}, 0b0100),
        ("node=3", None, None),
        ("node", {"ranks": ["10-11"]}, None),
    ):
        found = judged(request(text), constraint, places, 0b1100)
        assert (found.placement and found.placement.mask) == mask
        assert found.feasible is (mask is not None)


def test_an_empty_or_matches_all_with_a_warning() -> None:
    found = ask("tiny", "node=2", {"or": []})
    assert found.feasible
    assert found.placement is not None
    (note,) = found.reasons
    assert (note.severity, note.path) == ("warning", "attributes.system.constraints")
    assert "Fluxion takes it to match none" in note.message


#: What Fluxion refuses to read: the resource, its words after "Jobspec error: ", and ours.
REFUSED: list[tuple[Any, str, str]] = [
    ({"type": "nic", "count": 1}, 'Value of "type" must be a resource type known to fluxion',
     "Fluxion knows no type 'nic': it is neither in the graph nor built in"),
    ({"type": 5, "count": 1}, 'Value of "type" must be a resource type known to fluxion',
     "a type is a string; found 5"),
    ({"type": [], "count": 1}, 'Value of "type" must be a scalar',
     "type is a string; found a list"),
    ({"count": 1}, 'Key "type" missing from resource', "a resource needs a type"),
    ({"type": "node"}, 'Key "count" missing from resource', "a resource needs a count"),
    ({"type": "node", "count": "1-2"}, "bad conversion",
     "Fluxion takes a count as a number of up to 4,294,967,295 only; found '1-2'; a range is a "
     "dictionary"),
    ({"type": "node", "count": 2**32}, "bad conversion",
     "Fluxion takes a count as a number of up to 4,294,967,295 only; found 4294967296"),
    ({"type": "node", "count": [2]}, "count is not a mapping",
     "a count is a number or a dictionary; found a list"),
    ({"type": "node", "count": {"max": 2}}, 'Key "min" missing from count',
     "a range needs its min"),
    ({"type": "node", "count": {"min": 0}}, '"min" must be greater than zero', "min is 1 or more"),
    ({"type": "node", "count": {"min": 1, "max": 2}},
     'All or none of "max", "operator", and "operand" must be specified',
     "Fluxion wants operator and operand together with max"),
    ({"type": "node", "count": {"min": 3, "max": 2, "operator": "+", "operand": 1}},
     '"max" must be greater than or equal to "min"', "max, 2, is below min, 3"),
    ({"type": "node", "count": {"min": 1, "max": 2, "operator": "^", "operand": 2}},
     "\"min\" must be greater than one for exponentiation '^'", "with ^ min is 2 or more"),
    ({"type": "node", "count": {"min": 1, "max": 2, "operator": "*", "operand": 1}},
     "\"operand\" must be greater than one for multiplication '*'",
     "with * the operand is larger"),
    ({"type": "node", "count": {"min": 1, "max": 2, "operator": "-", "operand": 1}},
     "Invalid count operator", "operator is +, * or ^; found '-'"),
    ({"type": "slot", "count": 1, "with": []}, "All slots must be labeled",
     "Fluxion takes no slot without a label"),
    ({"type": "node", "count": 1, "exclusive": 1},
     'Value of "exclusive" must be either "true" or "false"',
     "exclusive is true or false; found 1"),
    ({"type": "node", "count": 1, "x": 1}, "Unrecognized key in resource mapping",
     "a resource has no key 'x'"),
    ({"type": "node", "count": 1, "unit": None}, 'Value of "unit" must be a scalar',
     "unit is a string; found null"),
    ({"type": "node", "count": 1, "with": None}, '"resources" is not a sequence',
     "resources[0].with is not a list"),
    (5, "resource is not a mapping", "a resource is a dictionary; found 5"),
]  # fmt: skip


@for_each("case", REFUSED, lambda case: case[2])
def test_says_what_fluxion_refuses_to_read(case: tuple[Any, str, str]) -> None:
    wanted, words, ours = case
    found = judged([wanted], None, GRAPHS["tiny"])
    assert (found.feasible, found.words) == (False, f"Jobspec error: {words}")
    (reason,) = found.reasons
    assert reason.message == ours
    assert (reason.path or "").startswith("resources[0]")


@for_each("count", ["2", "0x2", {"min": "2"}])
def test_takes_what_reads_as_a_number(count: Any) -> None:
    assert judged([{"type": "node", "count": count}], None, GRAPHS["tiny"]).feasible
    assert not judged([{"type": "rack", "count": count}], None, GRAPHS["tiny"]).feasible


@for_each(
    "case",
    [
        ({"foo": []}, "unknown constraint operator: foo"),
        ({"properties": "a"}, "properties operator value must be an array"),
        ({"properties": ["a!b"]}, "a!b is invalid"),
        ({"and": [{"hostlist": ["a["]}]}, "Invalid hostlist `a['"),
        ({"ranks": ["x"]}, "Invalid idset `x'"),
        ({"and": [], "or": []}, "constraint map may not contain > 1 operation"),
    ],
)
def test_says_what_constraint_fluxion_refuses(case: tuple[dict[str, Any], str]) -> None:
    found = ask("tiny", "node", case[0])
    assert (found.feasible, found.words) == (False, f"Jobspec error: {case[1]}")
    assert (found.reasons[0].path or "").startswith("attributes.system.constraints")


def test_a_request_for_nothing_or_without_end() -> None:
    assert judged([], None, GRAPHS["tiny"]).words == "traverser: Invalid argument"
    deep: dict[str, Any] = {"type": "node", "count": 1}
    for _ in range(300):
        deep = {"type": "node", "count": 1, "with": [deep]}
    found = judged([deep], None, GRAPHS["tiny"])
    assert found.feasible is None
    assert "more than 200 levels" in found.reasons[0].message


def test_a_graph_without_end_is_cut() -> None:
    chain = vertex("node", rank=0)
    for _ in range(200):
        chain = vertex("rack", chain)
    deep = index(vertex("cluster", chain))
    assert judged(request("rack/rack/rack"), None, deep).feasible
    assert not judged(request("node"), None, deep).feasible


@for_each(
    "case",
    [
        # In the order of the document.
        ("tiny", "node/socket/slot=2/core=4", None, [("1", "0-7", "")]),
        ("tiny", "slot=3/[core=2;gpu]", None, [("1", "0-1,18-19", "0-1"), ("10", "0-1", "0")]),
        ("mixed", "slot=3/core=5", None, [("111", "0-4", "")]),
        ("mixed", "slot/core=9", None, [("1000", "0-8", "")]),
        ("mixed", "core=10", None, [("1", "0-7", ""), ("10", "0-1", "")]),
        # What is exclusive or named last is taken whole.
        ("tiny", "node{+x}/socket/core", None, [("1", "0-35", "0-1")]),
        ("tiny", "slot/node", None, [("1", "0-35", "0-1")]),
        ("tiny", "slot/node/socket/core=2", None, [("1", "0-1", "")]),
        ("tiny", "rack", None, [("11", "0-35", "0-1")]),
        ("tiny", "node/socket", None, [("1", "0-17", "0")]),
        # Of a range as much as Fluxion would take.
        ("mixed", "node=1+/slot/core=5", PLAIN, [("111", "0-4", "")]),
        ("mixed", "slot=1-2/core=1-3", None, [("1", "0-5", "")]),
    ],
)
def test_places(case: tuple[str, str, Any, list[tuple[str, str, str]]]) -> None:
    where, text, constraint, expected = case
    found = ask(where, text, constraint).placement
    assert found is not None
    assert [(f"{s.mask:b}", str(s.cores), str(s.gpus)) for s in found.shares] == expected


def test_rows_are_all_that_matches() -> None:
    found = ask("tiny", "node/socket/core=2").placement
    assert found is not None
    graph = GRAPHS["tiny"].graph
    assert graph is not None
    assert [graph.types[row] for row in found.rows] == ["node", "socket", "core", "core"]
    assert graph.parents[found.rows[2]] == found.rows[1]
    assert ask("mixed", "slot=2/ssd=150").placement is None
    found = ask("mixed", "slot/ssd=150").placement  # vertices without a rank are rows alone
    assert found is not None
    assert (found.mask, found.shares, len(found.rows)) == (0, (), 2)


def test_no_placement_where_fluxion_forgets_slots() -> None:
    found = ask("tiny", "node/slot=2/core=9")
    assert (found.feasible, found.placement, found.fits) == (True, None, None)
    (note,) = found.reasons
    assert (note.severity, note.path) == ("warning", "resources[0].with[0]")
    assert "gives nothing for it" in note.message
    assert note.expected == ("node/socket/slot",)
    assert ask("tiny", "node{+x}/slot=2/core=9").placement is not None
    assert ask("tiny", "node/socket/slot=2/core=9").placement is not None
    found = ask("tiny", "socket/[slot{a}/core=4;slot{b}/core=12]")
    assert (found.feasible, found.placement) == (True, None)
    assert "what is in the last one only" in found.reasons[0].message


def test_what_is_down_counts_for_the_verdict_and_not_for_the_placement() -> None:
    disks = some(2, "ssd", size=10)
    disks[0].meta["status"] = 1
    down = index(vertex("cluster", nodes(1, some(2, "core")), disks))
    part = judged(request("slot/ssd=10"), None, down)
    assert part.placement is not None
    assert part.fits == 1
    none = judged(request("slot=2/ssd=10"), None, down)
    assert (none.feasible, none.placement) == (True, None)
    assert none.reasons[0].message == (
        "Fluxion calls this satisfiable, but only with what is marked down: ssd"
    )


@for_each(
    "case",
    [
        ("tiny", "slot/core=18", 4),
        ("tiny", "slot=3/core=5", 4),
        ("tiny", "node=2/socket/slot/core=9", 4),
        ("tiny", "node=2{+x}/socket/slot/core=9", 1),
        ("tiny", "slot/node/socket/core", 2),
        ("tiny", "socket/[core=9;gpu]", 4),
        ("tiny", "socket=3/core=9", 2),
        ("tiny", "memory=3", 8),
        ("tiny", "slot=2/memory=2", 8),
        ("mixed", "node=3/slot/core=4", 3),
        ("mixed", "[node=2/slot/core=8;ssd=100]", 2),
        ("mixed", "slot=1-2/core=8", 5),
        ("mixed", "slot/core=1-8", None),
        ("mixed", "slot/core=40", 0),
    ],
)
def test_fits(case: tuple[str, str, int | None]) -> None:
    assert ask(*case[:2]).fits == case[2]


@for_each(
    "case",
    [
        ((400, 100, 100, 50), "ssd=50", 4),
        ((400, 100, 100, 50), "ssd=200", 2),
        ((400, 100, 100, 50), "ssd=150", 2),
        ((70, 70, 50, 50), "ssd=120", None),
    ],
)
def test_fits_where_sizes_differ(case: tuple[tuple[int, ...], str, int | None]) -> None:
    sizes, text, fits = case
    disks = [vertex("ssd", id=n, size=size) for n, size in enumerate(sizes)]
    assert judged(request(text), None, index(vertex("cluster", nodes(1), disks))).fits == fits


@for_each(
    "case",
    [
        ("tiny", "node=1+", {TOP: 2}),
        ("tiny", "node=1-5:3", {TOP: 1}),
        ("tiny", "socket=2-64:2:*/core=4+", {TOP: 4, SLOT: 18}),
        ("tiny", "socket/slot=2/core=4-6", {INNER: 6}),
        ("tiny", "slot=2+/socket", {TOP: 4}),
        ("mixed", "node=2+/slot=1-9/core=4", {TOP: 5, SLOT: 2}),
        ("tiny", "slot/core=2", {}),
        ("tiny", "node=3+", {}),
    ],
)
def test_largest(case: tuple[str, str, dict[str, int]]) -> None:
    assert dict(ask(*case[:2]).largest) == case[2]


def test_a_graph_of_one_node() -> None:
    alone = index(vertex("node", some(4, "core"), rank=7, uniq_id=40))
    found = judged(request("slot=2/core=2"), None, alone)
    assert found.placement is not None
    assert found.placement.mask == 1
    assert judged(request("node"), {"ranks": ["7"]}, alone).feasible
    (reason,) = judged(request("core"), {"ranks": ["0"]}, alone).reasons
    assert reason.message == "the only node does not satisfy the constraint"


def test_a_vertex_of_no_size_is_never_taken() -> None:
    empty = index(vertex("cluster", some(2, "ssd", size=0)))
    assert not judged(request("ssd"), None, empty).feasible


def plain(count: int, lite: list[dict[str, Any]], properties: dict[str, str]) -> PreparedGraph:
    execution = {"R_lite": lite, "nodelist": [f"n[0-{count - 1}]"], "properties": properties}
    read = resources.read({"version": 1, "execution": execution})
    assert read.ok
    read.prepare()
    return PreparedGraph.of_resources(read)


def test_a_plain_r_in_a_cluster_that_is_named() -> None:
    places = plain(4, [{"rank": "0-3", "children": {"core": "0-7", "gpu": "0-1"}}], {})
    for text, mask, cores in (
        ("cluster/slot=2/node", 0b11, "0-7"),
        ("cluster/slot=2/node/core=3", 0b11, "0-2"),
        ("cluster/node=2/slot=2/[core=2;gpu]", 0b11, "0-3"),
        ("cluster{+x}/node/core=2", 0b1111, "0-7"),
    ):
        found = judged(request(text), None, places).placement
        assert found is not None, text
        assert (found.mask, str(found.shares[0].cores)) == (mask, cores), text


def seconds(text: str, places: PreparedGraph, allowed: int | None = None) -> float:
    """The best CPU time of three."""
    wanted, taken = request(text), []
    for _ in range(3):
        start = time.process_time()
        assert judged(wanted, None, places, allowed).feasible is not None
        taken.append(time.process_time() - start)
    return min(taken)


def test_answers_at_once_on_thirty_thousand_vertices() -> None:
    racks = [vertex("rack", nodes(50, sockets(2, 30, gpu=1), first=50 * n)) for n in range(10)]
    places = index(vertex("cluster", racks))
    for text in ("slot=100/core=4", "node=501", "node=500/socket=2/core=30", "node=4/core=9"):
        assert seconds(text, places) < 0.1, text


def test_says_what_was_asked_where_all_vertices_differ() -> None:
    some_nodes = [
        nodes(1, some(2, "core"), vertex("memory", size=1000 + rank), first=rank)
        for rank in range(1000)
    ]
    places = index(vertex("cluster", *some_nodes))
    assert seconds("node=1001/[core=2;memory=900]", places) < 0.3
    found = judged(request("node=1001/core=2"), None, places)
    assert found.nearest is not None
    assert found.nearest.change == "1,000 nodes, not 1,001"
    found = judged(request("node=700/[core=4;memory=1500]"), None, places)
    assert "the largest of the 1,000 nodes has 2" in found.reasons[0].message
    found = judged(request("node=10+/slot/[core=1+;memory=1+]"), None, places)
    assert found.feasible
    assert found.placement is not None


def test_answers_within_a_frame_on_a_plain_r_of_a_hundred_thousand_nodes() -> None:
    lite = [
        {"rank": "0-59999", "children": {"core": "0-63"}},
        {"rank": "60000-99999", "children": {"core": "0-31", "gpu": "0-3"}},
    ]
    places = plain(100_000, lite, {"b": ",".join(map(str, range(0, 100_000, 3)))})
    for text in ("node=4/slot/core=8", "slot=300000/core=7", "node=99999/slot/core=33", "node=3+"):
        assert seconds(text, places, places.resources.properties["b"]) < 0.016, text
