"""R documents (RFC 20), and which jobs are on their nodes."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.model.live.jobs import Job, JobState, Places
from fluxtui.model.resources import document as resources
from fluxtui.model.resources.resource_set import Totals
from fluxtui.notation.problem import Span
from fluxtui.notation.sets import hostlist, idset
from fluxtui.notation.sets.idset import IdSet
from tests.answers.clusters import documents
from tests.each import for_each
from tests.model.clusters import cluster, document, lite
from tests.notation.sets.host_expressions import encode
from tests.pace import within


def test_masks_are_over_indices() -> None:
    found = cluster("2-4,7,9-12", "b[3,1],a[08-11],c,c", gpu="7,9-12")
    assert sorted(found.host_index.places("c")) == [6, 7]
    assert found.host_index.places("a9") == []
    assert found.mask_of_ranks(idset.parse("0-3,9,99").value) == 0b10011
    assert found.mask_of_hosts(hostlist.parse("a[09-10],c,zz").value) == 0b11011000
    mask = found.properties["gpu"]
    assert str(found.ranks_of(mask)) == "7,9-12"
    assert found.hosts_of(mask) == "a[09-11],c,c"
    assert found.hosts_of(mask, 1) == "a[09-11],…"
    assert found.ranks_text(mask, 1) == "7,…"
    assert found.totals(mask << 9 | 1) == Totals(1, 1, 0)  # what is no node does not count


def plainly(raw: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Rank, host, cores, gpus and properties of each node, looked up for it alone."""
    execution = raw["execution"]
    parts = {
        rank: [idset.parse(entry["children"].get(key, "")).value for key in ("core", "gpu")]
        for entry in execution["R_lite"]
        for rank in idset.parse(entry["rank"]).value
    }
    hosts = hostlist.parse(execution["nodelist"][0]).value
    having = {name: idset.parse(ids).value for name, ids in execution["properties"].items()}
    return [
        (rank, host, *parts[rank], tuple(name for name, ids in having.items() if rank in ids))
        for rank, host in zip(sorted(parts), hosts, strict=True)
    ]


@given(documents(), st.booleans(), st.data())
def test_agrees_with_single_nodes(raw: dict[str, Any], prepared: bool, data: Any) -> None:
    found, nodes = resources.read(raw), plainly(raw)
    if prepared:
        found.prepare()
    assert found.ok
    assert found.node_count == len(nodes)
    for index, wanted in enumerate(nodes):
        node = found.node(index)
        assert (node.rank, node.host, node.cores, node.gpus, node.properties) == wanted
        assert (found.cores_at(index), found.gpus_at(index)) == (len(node.cores), len(node.gpus))
    start, stop = sorted(data.draw(st.tuples(*[st.integers(0, len(nodes))] * 2)))
    assert found.properties_between(start, stop) == [node[4] for node in nodes[start:stop]]
    mask = data.draw(st.integers(0, found.everything))
    chosen = [node for index, node in enumerate(nodes) if mask >> index & 1]
    cores, gpus = (sum(len(node[part]) for node in chosen) for part in (2, 3))
    assert found.totals(mask) == Totals(len(chosen), cores, gpus)
    assert list(found.ranks_of(mask)) == [node[0] for node in chosen]
    assert found.hosts_of(mask) == encode(node[1] for node in chosen)
    with pytest.raises(IndexError):
        found.node(len(nodes))


def test_odd_properties_and_hosts() -> None:
    def read(**execution: Any) -> tuple[resources.Resources, list[tuple[str | None, str]]]:
        found = resources.read(document(lite("0-1"), **{"nodelist": ["n[0-1]"], **execution}))
        return found, [(problem.path, problem.severity) for problem in found.problems]

    found, problems = read(properties={"x": "1-9"})
    assert problems == [("execution.properties.x", "warning")]
    assert "8 ranks" in found.problems[0].message
    assert found.properties["x"] == 0b10
    # A property without a node, and a time that is unset.
    found, problems = read(properties={"none": ""}, starttime=0, nslots=3)
    assert problems == [("execution.properties.none", "warning")]
    assert (found.properties, found.starttime, found.nslots) == ({"none": 0}, None, 3)
    # A property that is not Unicode.
    found, problems = read(properties={"\ud800": "0"})
    assert not found.ok
    "".join(found.properties).encode()
    # Hosts that Fluxion wrote into entries.
    entries = [{"rank": str(n), "node": f"c{n}", "children": {"core": "0"}} for n in (1, 0)]
    found = resources.read(document(*entries))
    assert [p.path for p in found.problems] == ["execution.nodelist"]
    assert str(found.hosts) == "c[0-1]"


def test_hostile_sizes_are_refused() -> None:
    found = resources.read(document(lite("0-99999999999"), nodelist=["n[0-99999999999]"]))
    assert not found.ok
    assert found.node_count == 0
    assert any("16,777,216" in problem.message for problem in found.problems)
    many = resources.read(document(lite("0-1"), nodelist=["n[0-99999999999]"]))
    assert many.mask_of_hosts(many.hosts) == 0b11
    far = resources.read(document(lite("99999999999"), nodelist=["n"]))
    assert far.ok
    assert far.everything == 1
    wide = resources.read(document(lite("0", "0-99999999999"), nodelist=["n"]))
    assert wide.whole.cores == 10**11


@for_each("text", ["", "{", "[]", "null", '{"version": 01}', "9" * 5000, "[" * 10**5])
def test_texts_that_are_no_document(text: str) -> None:
    found = resources.read_text(text)
    assert (found.ok, found.node_count) == (False, 0)


def test_syntax_errors_have_a_place() -> None:
    problem = resources.read_text('{"version": 1,\n "execution": x}').problems[0]
    assert problem.span == Span(29, 30)
    assert "line 2, column 15" in problem.message


# Ranks of many entries


@for_each("entries, shared, twice", [
    ([lite("0-3"), lite("2-3")], "ranks 2-3 are", "ranks 2-3 have"),
    ([lite("0-3"), lite("3,5")], "rank 3 is", "rank 3 has"),
    ([lite("0-3", "0-1"), lite("2-5", "2-3", "0")], "ranks 2-3 are", ""),
])  # fmt: skip
def test_ranks_of_two_entries(entries: list[Any], shared: str, twice: str) -> None:
    problems = resources.read(document(*entries)).problems
    found = [p.message for p in problems if p.path == "execution.R_lite"]
    wanted = [f"{shared} in more than one R_lite entry"]
    assert found == wanted + ([f"{twice} the same core or gpu twice"] if twice else [])


@given(
    st.lists(st.sets(st.integers(0, 60), min_size=1), min_size=1, max_size=12),
    st.sampled_from([1, 3, 1000]),
)
def test_entries_in_any_order(dealt: list[set[int]], spread: int) -> None:
    """Ranks dealt out to entries at random, each with cores of its own; some are in several."""
    entries = [
        lite(str(IdSet.of(rank * spread for rank in ranks)), f"{n}-{2 * n}")
        for n, ranks in enumerate(dealt)
    ]
    read = resources.read(document(*entries, nodelist=["x"]))
    wanted = {
        rank * spread: {
            core for n, at in enumerate(dealt) if rank in at for core in range(n, 2 * n + 1)
        }
        for rank in set().union(*dealt)
    }
    nodes = [read.node(index) for index in range(read.node_count)]
    assert [(node.rank, set(node.cores)) for node in nodes] == sorted(wanted.items())
    assert [read.cores_at(index) for index in range(len(nodes))] == [len(n.cores) for n in nodes]
    twice = sum(map(len, dealt)) > len(wanted)
    assert twice == any("more than one R_lite entry" in p.message for p in read.problems)


def test_a_million_nodes() -> None:
    count = 1_000_000
    even, odd = (",".join(map(str, range(start, count, 2))) for start in (0, 1))
    raw = document(lite(even, "0-47"), lite(odd, "0-95", "0-7"), nodelist=[f"n[0-{count - 1}]"])
    text = json.dumps(raw)
    found = within(4, lambda: resources.read_text(text))
    assert found.ok
    found.prepare()
    totals, names = within(
        0.5, lambda: (found.totals(found.everything), found.hosts_of(found.kinds[0].mask, 3))
    )
    assert totals == Totals(count, 72_000_000, 4_000_000)
    assert names.startswith("n[0,2,4")


def test_other_properties_are_those_of_each_node() -> None:
    before = cluster("0-3", core="0-3", a="0-1")
    before.prepare()
    assert before.properties_at(0) == ("a",)
    assert before.totals(0b0111) == Totals(3, 12, 0)
    after = before.with_properties({"b": 0b1100})
    assert after.totals(0b0111) == Totals(3, 12, 0)
    assert after.properties["b"] == 0b1100
    assert [after.properties_at(index) for index in range(4)] == [(), (), ("b",), ("b",)]
    assert before.properties_at(0) == ("a",)


# The jobs on nodes

LAST = 40

_STATES: st.SearchStrategy[JobState] = st.sampled_from(("RUN", "CLEANUP", "SCHED"))


@given(st.lists(st.tuples(_STATES, st.sets(st.integers(0, LAST))), max_size=40))
def test_the_jobs_on_a_node_are_those_that_have_its_rank(
    held: list[tuple[JobState, set[int]]],
) -> None:
    found = Places(
        Job(id_, state, ranks=",".join(map(str, sorted(ranks))))
        for id_, (state, ranks) in reversed([*enumerate(held)])
    )
    running = {id_: ranks for id_, (state, ranks) in enumerate(held) if state != "SCHED"}
    for rank in range(LAST + 2):
        there = [id_ for id_, ranks in running.items() if rank in ranks]
        assert [job.id for job in found.at(rank)] == there
    assert set(found.ranks) == set().union(*running.values())
