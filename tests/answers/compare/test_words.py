"""The changes of a cluster as rows and as JSON."""

import json
from typing import Any

import pytest
from hypothesis import given

from fluxtui.answers.compare import words
from fluxtui.answers.compare.changes import Changes, changes, moves
from fluxtui.model.resources import document as resources
from fluxtui.notation.sets import hostlist, idset
from tests.answers.compare.clusters import Plain, expected, pairs, read
from tests.each import for_each


def found(before: list[Plain], after: list[Plain], by: str | None = None) -> Changes:
    result = changes(read(before), read(after), by)  # type: ignore[arg-type]
    assert result is not None
    return result


def nodes(
    start: int, stop: int, cores: str = "0-3", *properties: str, gpus: str = ""
) -> list[Plain]:
    return [
        Plain(rank, f"n{rank}", cores, gpus, frozenset(properties)) for rank in range(start, stop)
    ]


def lines(before: list[Plain], after: list[Plain], by: str | None = None) -> list[str]:
    return list(words.lines(list(words.rows(found(before, after, by)))))


OLD = nodes(0, 4, "0-3", "gpu") + nodes(4, 8)
NEW = [
    *nodes(0, 2),
    *nodes(2, 3, "4-7", "gpu"),
    *nodes(3, 4, "0-3", "gpu", "debug", gpus="0-1"),
    *nodes(4, 8, "0-7"),
]
FOUR = nodes(0, 4)
MORE = nodes(2, 8) + nodes(8, 10, "0-3", "batch") + nodes(10, 12, "0-7", "batch", "gpu", gpus="0")


@for_each(
    "case",
    [
        (nodes(0, 8), MORE, None,
         ["+ 2 nodes  n[8-9]    8 cores · batch",
          "+ 2 nodes  n[10-11]  16 cores · 2 gpus · gpu batch", "- 2 nodes  n[0-1]    8 cores"]),
        (OLD, NEW, None,
         ["~  1 node  n2      cores 0-3 → 4-7", "~ 4 nodes  n[4-7]  cores 4 → 8",
          "~  1 node  n3      gpus 0 → 2", "~ 2 nodes  n[0-1]  lost property gpu",
          "~  1 node  n3      gained property debug"]),
        (FOUR, [node._replace(rank=node.rank + 10) for node in FOUR], None,
         ["~ 4 nodes  n[0-3]  ranks 0-3 → 10-13"]),
        (FOUR, [node._replace(rank=node.rank + 10) for node in FOUR], "rank",
         ["+ 4 nodes  ranks 10-13  16 cores", "- 4 nodes  ranks 0-3    16 cores"]),
        (FOUR, [node._replace(host=f"n{3 - node.rank}") for node in FOUR], "rank",
         ["~ 4 nodes  ranks 0-3  hosts n[0-3] → n[3,2,1,0]"]),
    ],
)  # fmt: skip
def test_the_rows(case: tuple[list[Plain], list[Plain], str | None, list[str]]) -> None:
    before, after, by, rows = case
    assert lines(before, after, by) == rows


def test_many_distances_are_one_move(monkeypatch) -> None:
    before = nodes(0, 6)
    after = [node._replace(rank=9 * node.rank + 1) for node in before]
    monkeypatch.setattr(words, "MOST", 5)
    moved = "~ 6 nodes  n[0-5]  ranks 0-5 → 1,10,19,28,37,46, in another order"
    assert lines(before, after) == [moved]


def test_the_headline() -> None:
    same = nodes(0, 4)
    assert words.headline(found(same, same)) == "no change: 4 nodes in both"
    assert words.headline(found(same, nodes(3, 9))) == "5 nodes added · 3 removed · 1 the same"
    assert words.headline(found(same, same[1:])) == "1 node removed · 3 the same"
    assert words.headline(found(OLD, NEW)) == "8 nodes changed"
    assert words.matched_by(found(same, same)) == "matched by host name"
    shared = [node._replace(host="n") for node in same]
    said = "matched by rank: several nodes share a host name"
    assert words.matched_by(found(shared, same)) == said


@given(pairs())
def test_the_rows_and_the_json_hold_every_change_once(
    pair: tuple[list[Plain], list[Plain]],
) -> None:
    before, after = pair
    result = found(before, after)
    wanted = expected(before, after, "host")
    rows = list(words.rows(result))
    for sign, mask in (("+", result.added), ("-", result.removed)):
        own = [row.nodes for row in rows if row.sign == sign]
        assert sum(own) == mask
        assert sum(nodes.bit_count() for nodes in own) == mask.bit_count()
    changed = 0
    for row in rows:
        changed |= row.nodes if row.sign == "~" else 0
    assert changed == result.changed

    document = words.to_json(result)
    json.dumps(document)
    assert document["same"] == result.is_same
    for name, ranks in (("added", wanted.added), ("removed", wanted.removed)):
        assert set(idset.parse(document[name]["ranks"]).value) == ranks
    sizes = {
        (what, one["from"], one["to"]): set(idset.parse(one["ranks"]).value)
        for what in ("cores", "gpus")
        for one in document[what]
    }
    assert sizes == wanted.resized
    was = {node.host: node.rank for node in before}
    moved = {}
    for one in document["moved"]:
        assert one["in_order"]
        hosts = hostlist.parse(one["hosts"]).value
        old, new = (idset.parse(one[key]["ranks"]).value for key in ("from", "to"))
        assert [was[host] for host in hosts] == list(old)
        moved |= dict(zip(hosts, new, strict=True))
    now = {node.host: node.rank for node in after}
    assert moved == {host: rank for host, rank in now.items() if host in was and was[host] != rank}


@given(pairs())
def test_moves_are_the_same_however_few_are_told_apart(
    pair: tuple[list[Plain], list[Plain]],
) -> None:
    result = found(*pair)
    (whole,) = moves(result, 0) or [None]
    if whole is None:
        assert not result.moved
        return
    assert idset.to_mask(whole.nodes) == result.moved
    parts = moves(result, 100)
    assert sum(idset.to_mask(part.nodes) for part in parts) == result.moved
    assert {rank for part in parts for rank in part.before} == set(whole.before)


@given(pairs())
def test_nodes_of_a_group_are_alike(pair: tuple[list[Plain], list[Plain]]) -> None:
    cluster = read(pair[1])
    looks = {
        index: (len(node.cores), len(node.gpus), node.properties)
        for index in range(cluster.node_count)
        for node in (cluster.node(index),)
    }
    found = words.node_groups(cluster, cluster.everything, 100)
    assert sum(stack.nodes for stack in found) == cluster.everything
    assert len(found) == len(set(looks.values()))
    for stack in found:
        (look,) = {looks[index] for index in idset.from_mask(stack.nodes)}
        assert look[2] == stack.properties
    shared = words.node_groups(cluster, cluster.everything, 0)
    assert [stack.nodes for stack in shared] == [cluster.everything] * bool(looks)
    for stack in shared:
        everywhere = set.intersection(*(set(look[2]) for look in looks.values()))
        assert set(stack.properties) == everywhere


@pytest.mark.parametrize("count", [200, 1_000_000])
def test_any_number_of_nodes(count: int) -> None:
    """The first two nodes went, the next ten lost gpu, two came, and all ranks count anew."""
    whole = {"core": "0-3"}

    def document(first: int, gpu: str) -> dict[str, Any]:
        return {
            "version": 1,
            "execution": {
                "R_lite": [{"rank": f"0-{count - 1}", "children": whole}],
                "nodelist": [f"n[{first}-{first + count - 1}]"],
                "properties": {"gpu": gpu},
            },
        }

    half = count // 2
    before = resources.read(document(0, f"0-{half - 1}"))
    after = resources.read(document(2, f"10-{half - 3}"))
    result = changes(before, after)
    assert result is not None
    assert [(row.sign, row.size, row.names, row.words) for row in words.rows(result)] == [
        ("+", "2 nodes", f"n[{count}-{count + 1}]", "8 cores"),
        ("-", "2 nodes", "n[0-1]", "8 cores · gpu"),
        (
            *("~", f"{count - 2:,} nodes", f"n[2-{count - 1}]"),
            f"ranks 2-{count - 1} → 0-{count - 3}",
        ),
        ("~", "10 nodes", "n[2-11]", "lost property gpu"),
    ]
