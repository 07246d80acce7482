"""What differs from one cluster to another, against a look at node after node."""

import json
from collections import defaultdict
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.answers import compare
from fluxtui.answers.compare import Changes, changes, moves
from fluxtui.model.live.nodes import read as states_of
from fluxtui.model.resources import document
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.sets import hostlist, idset
from tests.each import for_each, the
from tests.model.clusters import document as r_document
from tests.model.clusters import lite
from tests.model.topologies import APU, XEON, Topo, domains, tree

NAMES = ("n{}", "n0{}", "m{}-x", "m1{}", "k{}e2", "login")
PROPERTIES = ("gpu", "debug", "batch")


class Plain(NamedTuple):
    """A node by itself."""

    rank: int
    host: str
    cores: str = "0-3"
    gpus: str = ""
    properties: frozenset[str] = frozenset()
    inside: str = ""


#: What nodes may have inside (RFC 49), by a word for it.
INSIDES: dict[str, Topo] = {
    "": {"cores": "0-7"},
    "two": {"numa": domains(2, 4)},
    "near": {"numa": [{"cores": "0-3", "gpus": "1"}, {"cores": "4-7", "gpus": "0"}]},
    "four": {"socket": domains(4, 2, gpus=0), "memory": 64},
}


Pair = tuple[list[Plain], list[Plain]]


def read(nodes: list[Plain]) -> Resources:
    """The R document of nodes with ranks of their own, in any order."""
    nodes = sorted(nodes)
    having = {name: [str(n.rank) for n in nodes if name in n.properties] for name in PROPERTIES}
    properties = {name: ",".join(ranks) for name, ranks in having.items() if ranks}
    entries = (lite(str(node.rank), node.cores, node.gpus or None) for node in nodes)
    hosts = [node.host for node in nodes] if all(node.host for node in nodes) else []
    found = r_document(*entries, nodelist=hosts, properties=properties)
    if any(node.inside for node in nodes):  # each node has a topology, or none has
        each = [{"ranks": str(node.rank), "topo": INSIDES[node.inside]} for node in nodes]
        found["scheduling"] = {"writer": "TreePool", "children": each}
    return document.read(found)


PLAIN = st.builds(
    Plain,
    st.integers(0, 40),
    st.builds(str.format, st.sampled_from(NAMES), st.integers(0, 12)),
    st.sampled_from(("0", "0-3", "0-7", "4-7")),
    st.sampled_from(("", "", "0", "0-1")),
    st.frozensets(st.sampled_from(PROPERTIES)),
    st.sampled_from(("", "", "", *INSIDES)),
)
SOME = st.lists(PLAIN, unique_by=lambda one: one.rank, max_size=14)


@st.composite
def pairs(draw: st.DrawFn, *, shared_names: bool = False) -> Pair:
    """Nodes before and after: most of them stay, some go, come, move or become others."""
    before = draw(SOME)
    if not shared_names:
        before = list({one.host: one for one in before}.values())
    after: list[Plain] = []
    for one in before:
        match draw(st.sampled_from(("stays", "stays", "goes", "moves", "changes", "is renamed"))):
            case "stays":
                after.append(one)
            case "moves":
                after.append(one._replace(rank=draw(st.integers(0, 40))))
            case "changes":
                after.append(draw(PLAIN)._replace(rank=one.rank, host=one.host))
            case "is renamed":
                after.append(one._replace(host=draw(st.sampled_from(("n3", "n03", "new")))))
    after = list({one.rank: one for one in reversed([*after, *draw(SOME)])}.values())
    if not shared_names:
        after = list({one.host: one for one in after}.values())
    return before, after


#: What differs, by a word or by words, in sets of ranks after; of what is gone in ranks before.
Expected = dict[tuple[str, ...], set[int]]


def expected(before: list[Plain], after: list[Plain], by: str) -> Expected:
    """The same as is asked of `changes`, by a look at node after node."""
    was, now = ({getattr(one, by): one for one in nodes} for nodes in (before, after))
    known = [any(one.inside for one in nodes) for nodes in (before, after)]
    found: Expected = defaultdict(set)
    for key in {*was, *now}:
        old, new = was.get(key), now.get(key)
        if old is None or new is None:
            found["added" if old is None else "removed",].add((new or was[key]).rank)
            continue
        if old[:2] != new[:2]:
            found["moved",].add(new.rank)
        for what in ("cores", "gpus"):
            if getattr(old, what) != getattr(new, what):
                found[what, getattr(old, what), getattr(new, what)].add(new.rank)
        insides = tuple(
            one.inside if is_known else None
            for one, is_known in zip((old, new), known, strict=True)
        )
        if insides[0] != insides[1]:
            found["inside",].add(new.rank)
        for name in new.properties ^ old.properties:
            found["gained" if name in new.properties else "lost", name].add(new.rank)
    return found


def changed(wanted: Expected) -> set[int]:
    """The nodes of both that are not the same."""
    sets = (ranks for what, ranks in wanted.items() if what[0] not in ("added", "removed"))
    return set().union(*sets)


def ranks(resources: Resources, mask: int) -> set[int]:
    return set(resources.ranks_of(mask))


def told(found: Changes) -> Expected:
    """The changes in sets of ranks, as the JSON object has them."""
    said = json.loads(json.dumps(compare.to_json(found, list(compare.rows(found)))))
    assert said["same"] == found.is_same
    parts: list[tuple[tuple[str, ...], Any]] = [
        *(((what,), said[what]) for what in ("added", "removed")),
        *(((what,), one) for what in ("moved", "inside") for one in said[what]),
        *(((w, one["from"], one["to"]), one) for w in ("cores", "gpus") for one in said[w]),
        *(((way, name), turned[way]) for name, turned in said["properties"].items()
          for way in ("gained", "lost")),
    ]  # fmt: skip
    every: Expected = defaultdict(set)
    for what, one in parts:
        some = set(idset.parse(one["ranks"]).value)
        assert one["count"] == len(some)
        assert every[what].isdisjoint(some)
        assert one.get("changes") != []
        every[what] |= some
    return {what: some for what, some in every.items() if some}


def found(
    before: list[Plain], after: list[Plain], by: str | None = None, *, is_long: bool = False
) -> Changes:
    """What differs, as between two clusters of few nodes or of very many."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compare, "LONG", 0 if is_long else 1 << 30)
        patch.setattr(compare, "BLOCK", 3)
        return the(changes(read(before), read(after), by))  # type: ignore[arg-type]


@given(pairs(), st.sampled_from(("host", "rank")), st.booleans(), st.integers(0, (1 << 30) - 1))
def test_it_is_what_a_look_at_each_node_says(pair: Pair, by: str, is_long: bool, mask: int) -> None:
    before, after = map(sorted, pair)
    result, wanted = found(before, after, by, is_long=is_long), expected(before, after, by)
    assert result.by == by
    assert told(result) == wanted
    assert ranks(result.after, result.changed) == changed(wanted)
    assert result.is_same == (not any(wanted.values()))
    touched = wanted["added",] | changed(wanted)
    assert ranks(result.after, result.same) == {one.rank for one in after} - touched
    # Which node is which, both ways.
    places = {getattr(one, by): place for place, one in enumerate(before)}
    there = [places.get(getattr(one, by)) for one in after]
    assert [result.pairing.node_before(place) for place in range(len(after))] == there
    some = {old for place, old in enumerate(there) if old is not None and mask >> place & 1}
    assert result.before_of(mask & result.after.everything) == sum(1 << old for old in some)


@given(pairs(shared_names=True), st.booleans())
def test_nodes_that_share_names_are_matched_by_rank(pair: Pair, is_long: bool) -> None:
    assert told(found(*pair, "rank")) == expected(*pair, "rank")
    own = all(len({one.host for one in nodes}) == len(nodes) for nodes in pair)
    result = found(*pair, is_long=is_long)
    assert result.by == ("host" if own else "rank")
    assert result.why_ranks == ("" if own else "several nodes share a host name")
    assert told(result) == expected(*pair, result.by)


def nodes(
    start: int, stop: int, cores: str = "0-3", *properties: str, gpus: str = ""
) -> list[Plain]:
    each = (cores, gpus, frozenset(properties))
    return [Plain(rank, f"n{rank}", *each) for rank in range(start, stop)]


def test_nodes_without_names_are_matched_by_rank() -> None:
    unnamed = [one._replace(host="") for one in FOUR]
    result = found(unnamed, unnamed[1:])
    assert compare.matched_by(result) == "matched by rank: not every node has a host name"
    assert compare.matched_by(found(FOUR, FOUR)) == "matched by host name"
    assert ranks(result.before, result.removed) == {0}
    assert ranks(result.before, found(unnamed, FOUR).moved) == {0, 1, 2, 3}


FOUR = nodes(0, 4)


def test_nothing_against_something_and_what_is_stopped() -> None:
    assert found([], []).is_same
    assert found([], FOUR).added.bit_count() == found(FOUR, []).removed.bit_count() == 4
    assert changes(read(FOUR), read(FOUR[1:]), stop=lambda: True) is None


# In words


OLD = nodes(0, 4, "0-3", "gpu") + nodes(4, 8)
NEW = [
    *nodes(0, 2),
    *nodes(2, 3, "4-7", "gpu"),
    *nodes(3, 4, "0-3", "gpu", "debug", gpus="0-1"),
    *nodes(4, 8, "0-7"),
]
MORE = nodes(2, 8) + nodes(8, 10, "0-3", "batch") + nodes(10, 12, "0-7", "batch", "gpu", gpus="0")
LATER = [one._replace(rank=one.rank + 10) for one in FOUR]
APART = [one._replace(rank=9 * one.rank + 1) for one in nodes(0, 6)]


@for_each("before, after, by, headline, rows", [
    (FOUR, FOUR, None, "no change: 4 nodes in both", []),
    (FOUR, FOUR[1:], None, "1 node removed · 3 the same", ["- 1 node  n0  4 cores"]),
    (nodes(0, 8), MORE, None, "4 nodes added · 2 removed · 6 the same",
     ["+ 2 nodes  n[8-9]    8 cores · batch",
      "+ 2 nodes  n[10-11]  16 cores · 2 gpus · gpu batch", "- 2 nodes  n[0-1]    8 cores"]),
    (OLD, NEW, None, "8 nodes changed",
     ["~  1 node  n2      cores 0-3 → 4-7", "~ 4 nodes  n[4-7]  cores 4 → 8",
      "~  1 node  n3      gpus 0 → 2", "~ 2 nodes  n[0-1]  lost property gpu",
      "~  1 node  n3      gained property debug"]),
    (FOUR, LATER, None, "4 nodes changed", ["~ 4 nodes  n[0-3]  ranks 0-3 → 10-13"]),
    (FOUR, [one._replace(host=f"n{3 - one.rank}") for one in FOUR], "rank", "4 nodes changed",
     ["~ 4 nodes  ranks 0-3  hosts n[0-3] → n[3,2,1,0]"]),
    (nodes(0, 6), APART, None, "6 nodes changed",
     ["~ 6 nodes  n[0-5]  ranks 0-5 → 1,10,19,28,37,46, in another order"]),
])  # fmt: skip
def test_the_rows(
    before: list[Plain], after: list[Plain], by: str | None, headline: str, rows: list[str]
) -> None:
    result = found(before, after, by)
    assert compare.headline(result) == headline
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compare, "MOST", 5)
        assert list(compare.lines(list(compare.rows(result)))) == rows


def test_nodes_in_another_state() -> None:
    after = [one._replace(rank=5 - one.rank) for one in nodes(1, 6)]  # n5 is the first one now
    changed = found(nodes(0, 6), after)
    one, other = (
        states_of({"status": status}, None, resources)[0]
        for status, resources in (
            ({"drain": {"0-2": {}}, "offline": "5"}, changed.before),  # n[0-2], n5
            ({"drain": {"0-2": {}}, "torpid": "3"}, changed.after),  # n[3-5], n2
        )
    )
    states = compare.state_changes(changed, one, other)
    rows = list(compare.rows(changed, states))
    assert list(compare.lines(rows))[-5:] == [
        "States of nodes",
        "~  1 node  n5      offline → drained",
        "~ 2 nodes  n[4,3]  free → drained",
        "~  1 node  n2      drained → torpid",
        "~  1 node  n1      drained → free",
    ]
    assert compare.headline(changed, rows).endswith(" · 5 in another state")
    assert compare.to_json(changed, rows, None, states)["states"][1] == {
        "from": "free", "to": "drained", "count": 2, "ranks": "1-2", "hosts": "n[4,3]",
    }  # fmt: skip
    assert compare.state_changes(found(after, after), other, other) == []


NUMA: Topo = {"numa": domains(2, 10)}
REVERSED: Topo = {"numa": [{"cores": "0-9", "gpus": "1"}, {"cores": "10-19", "gpus": "0"}]}
MOVED: Topo = {"socket": [{"numa": domains(5, 15)}, {"numa": domains(3, 15, 5)}]}
FLAT: Topo = {"socket": domains(2, 60, gpus=4, memory=256)}


@for_each("before, after, words", [
    (XEON, {**XEON, **FLAT}, "numa 8 → 0; memory unknown → 512 GiB"),
    (XEON, {**XEON, "socket": [{"numa": domains(1, 60, at, 4)} for at in (0, 1)]},
     "numa 8 → 2 of 15 → 60 cores"),
    (XEON, {**XEON, **MOVED}, "place of numa 4: socket 1 → socket 0"),
    (APU, {**APU, "storage": [{"path": "/l/ssd", "capacity": 1.5, "unit": "TiB"}]},
     "storage /l/ssd 200 GiB → /l/ssd 1.5 TiB"),
    (APU, {**APU, "socket": domains(4, 24, memory=64)}, "memory 504 → 256 GiB"),
    (APU, {"socket": domains(4, 24)}, "memory 504 GiB → unknown; storage /l/ssd 200 GiB → none"),
    (NUMA, REVERSED, "gpus of numa 0: 0 → 1, numa 1: 1 → 0"),
    ({"numa": domains(3, 4)}, {"numa": domains(3, 4, 1)},
     "cores of numa 0: 0-3 → 4-7, numa 1: 4-7 → 8-11, 1 more; gpus of numa 0: 0 → 1, "
     "numa 1: 1 → 2, 1 more"),
    ({"numa": [{"cores": "0-9", "memory": 1}, {"cores": "10-19", "memory": 3}]},
     {"numa": [{"cores": "0-9", "memory": 2}, {"cores": "10-19", "memory": 2}]},
     "memory of numa 0: 1 GiB → 2 GiB, numa 1: 3 GiB → 2 GiB"),
    ({"a": [{"x": [{"cores": "0"}]}], "cores": "1"}, {"a": [{"cores": "0"}], "x": [{"cores": "1"}]},
     "cores of node: 1 → none; place of x 0: a 0 → node; cores of x 0: 0 → 1"),
    (XEON, None, "topology 2 socket, 8 numa → none"),
    (None, {"cores": "0-9"}, "topology none → without domains"),
    # The order of names means nothing.
    ({"a": domains(1, 4), "b": domains(1, 4, 1)}, {"b": domains(1, 4, 1), "a": domains(1, 4)}, ""),
])  # fmt: skip
def test_what_is_other_inside_nodes(before: Topo | None, after: Topo | None, words: str) -> None:
    """R documents that differ in their topologies alone (RFC 49)."""
    one, other = (tree(("0-7", topo or {"cores": "0"}, "0-119", "0-7")) for topo in (before, after))
    for whole, topo in ((one, before), (other, after)):
        if topo is None:
            del whole["scheduling"]
    result = the(changes(document.read(one), document.read(other)))
    assert [*compare.lines([*compare.rows(result)])] == (
        [f"~ 8 nodes  n[0-7]  {words}"] if words else []
    )
    assert result.is_same == (not words)
    assert compare.node_changes(result, 3) == (words.split("; ") if words else [])


def test_a_node_that_differs_in_very_many_ways_is_told_in_few() -> None:
    one, other = (
        tree(("0", {f"n{n}": [{"cores": str(n)}] * each for n in range(50)}, "0-49", ""))
        for each in (1, 2)
    )
    found = compare.changes(document.read(one), document.read(other))
    (row,) = compare.rows(found)
    assert row.words.startswith("n0 1 → 2; n1 1 → 2; ")
    assert row.words.endswith("; 30 more")
    assert len(compare.node_changes(found, 0)) == 21


def test_nodes_of_many_insides_are_few_rows() -> None:
    one, other = (
        tree(*((str(n), {"cores": "0-9", "memory": more + n}, "0-9", "") for n in range(40)))
        for more in (64, 128)
    )
    *rows, last = compare.rows(the(changes(document.read(one), document.read(other))))
    assert [row.words for row in rows] == [
        f"memory {64 + n} → {128 + n} GiB" for n in range(compare.MOST)
    ]
    assert (last.size, last.words) == ("20 nodes", "other things inside, in 20 ways")


@given(pairs())
def test_the_rows_and_the_moves_hold_every_change_once(pair: Pair) -> None:
    result = found(*pair)
    rows = list(compare.rows(result))
    for sign, mask in (("+", result.added), ("-", result.removed), ("~", result.changed)):
        own = [row.nodes for row in rows if row.sign == sign]
        assert reduce(or_, own, 0) == mask
        assert sign == "~" or sum(own) == mask
    was, now = ({one.host: one.rank for one in nodes} for nodes in pair)
    moved = {}
    for one in compare.to_json(result, rows)["moved"]:
        assert one["in_order"]
        hosts = hostlist.parse(one["hosts"]).value
        old, new = (idset.parse(one[key]["ranks"]).value for key in ("from", "to"))
        assert [was[host] for host in hosts] == list(old)
        moved |= dict(zip(hosts, new, strict=True))
    assert moved == {host: rank for host, rank in now.items() if was.get(host, rank) != rank}
    (whole,) = moves(result, 0) or [None]  # however few are told apart
    assert whole is None or idset.to_mask(whole.nodes) == result.moved
    assert {*(whole.before if whole else ())} == {was[host] for host in moved}


@given(pairs())
def test_nodes_of_a_group_are_alike(pair: Pair) -> None:
    cluster = read(pair[1])
    every = [cluster.node(index) for index in range(cluster.node_count)]
    looks = [(len(node.cores), len(node.gpus), node.properties) for node in every]
    groups = compare.node_groups(cluster, cluster.everything, 100)
    assert sum(nodes for nodes, _ in groups) == cluster.everything
    assert len(groups) == len(set(looks))
    for nodes, properties in groups:
        (look,) = {looks[index] for index in idset.from_mask(nodes)}
        assert look[2] == properties
    shared = compare.node_groups(cluster, cluster.everything, 0)
    assert [nodes for nodes, _ in shared] == [cluster.everything] * bool(looks)
    for _, properties in shared:
        assert set(properties) == set.intersection(*(set(look[2]) for look in looks))
