"""Fluxion: what no recorded answer holds, and speed."""

from typing import Any

import pytest

from fluxtui.answers.feasibility.fluxion.prepared_graph import PreparedGraph
from fluxtui.answers.feasibility.sched_simple import check_strictly
from tests import pace
from tests.answers.feasibility.answers import FILES, FOLDER, parts
from tests.answers.feasibility.graphs import (
    GRAPHS,
    index,
    judged,
    nodes,
    request,
    sockets,
    some,
    vertex,
)
from tests.answers.feasibility.requests import CLUSTERS, cluster, with_resources
from tests.each import for_each, the
from tests.recorded import Agree, asked, rerun


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


def test_a_request_without_end() -> None:
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
        "Fluxion calls this satisfiable, but only by using what is down: ssd"
    )


@for_each("wanted", [
    [{"type": "node", "count": {"min": 2}} for _ in range(2000)],
    [{"type": "slot", "count": 2, "label": str(n), "with": []} for n in range(2000)],
    [{"type": "node", "count": 1, "with": [
        {"type": "socket", "count": {"min": n + 1}} for n in range(2000)]}],
], lambda wanted: wanted[0]["type"])  # fmt: skip
def test_odd_requests_end(wanted: list[dict[str, Any]]) -> None:
    found = judged(wanted, None, GRAPHS["tiny"])
    assert found.feasible is False
    assert found.reasons


def seconds(text: str, places: PreparedGraph, allowed: int | None = None) -> float:
    """The time of an answer, which is yes or no."""
    wanted = request(text)
    assert judged(wanted, None, places, allowed).feasible is not None
    return pace.seconds(lambda: judged(wanted, None, places, allowed))


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
    assert the(found.nearest).change == "1,000 nodes, not 1,001"
    found = judged(request("node=700/[core=4;memory=1500]"), None, places)
    assert "the largest of the 1,000 nodes has 2" in found.reasons[0].message
    found = judged(request("node=10+/slot/[core=1+;memory=1+]"), None, places)
    assert found.feasible
    assert found.placement is not None


def test_answers_within_a_frame_on_a_plain_r_of_a_hundred_thousand_nodes() -> None:
    kinds = [("0-59999", "0-63", ""), ("60000-99999", "0-31", "0-3")]
    nodes = cluster(kinds, {"b": ",".join(map(str, range(0, 100_000, 3)))})
    nodes.prepare()
    places = PreparedGraph.of(nodes)
    for text in ("node=4/slot/core=8", "slot=300000/core=7", "node=99999/slot/core=33", "node=3+"):
        assert seconds(text, places, nodes.properties["b"]) < 0.016, text


# Both schedulers answer as it is recorded; see `tests.answers.feasibility.answers`


@pytest.mark.parametrize("name", FILES)
def test_answers_are_as_recorded(name: str, agree: Agree) -> None:
    agree(FOLDER / name, rerun(FOLDER / name, FILES[name]))


@for_each("line", asked(FOLDER / "fluxion.txt"))
def test_what_is_nearest_fits_fluxion(line: str) -> None:
    where, resources, constraint, _ = parts(line)
    found = judged(resources, constraint, GRAPHS[where])
    assert found.feasible is not True or not found.words
    assert found.feasible is not False or (found.reasons and found.words)
    assert found.placement is not None or found.feasible is False or found.reasons
    if found.nearest is not None:
        assert judged(found.nearest.resources, constraint, GRAPHS[where]).feasible


@for_each("line", asked(FOLDER / "sched_simple.txt"))
def test_what_is_nearest_fits_sched_simple(line: str) -> None:
    where, resources, constraint, keys = parts(line)
    jobspec = with_resources(resources, constraint, **keys)
    found = check_strictly(jobspec, CLUSTERS[where])
    assert (found.placement is None) == (found.feasible is not True)
    if found.placement is not None:
        assert sum(share.mask for share in found.placement.shares) == found.placement.mask
    if found.nearest is not None:
        nearest = {**jobspec, "resources": list(found.nearest.resources)}
        assert check_strictly(nearest, CLUSTERS[where]).feasible
