"""R documents (RFC 20), and which jobs are on their nodes."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import astuple
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.answers.export import subset
from fluxtui.answers.feasibility.tree_pool import check_strictly
from fluxtui.model.live.jobs import Job, JobState, Places
from fluxtui.model.resources import document as resources
from fluxtui.model.resources.resource_set import Totals
from fluxtui.model.resources.topology import described
from fluxtui.notation.sets import hostlist, idset
from fluxtui.notation.sets.idset import IdSet
from tests.answers.feasibility.graphs import job
from tests.each import for_each
from tests.model.clusters import cluster, document, documents, edge, lite, vertex
from tests.model.topologies import APU, UNEVEN, XEON, apu, tree, xeon
from tests.notation.sets.host_expressions import encode
from tests.pace import within
from tests.recorded import Agree, rerun


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


# Documents of a line, and all that is read from them

RECORDED = Path(__file__).with_name("resources.txt")
TOPOLOGIES = {"{UNEVEN}": json.dumps(UNEVEN), "{XEON}": json.dumps(XEON)}


def _words(text: str) -> Iterator[Any]:
    """Words and values of JSON, with blanks between."""
    while text := text.strip():
        if text[0] in '{["':
            value, end = json.JSONDecoder().raw_decode(text)
            yield value
        else:
            yield text.split()[0]
            end = len(text.split()[0])
        text = text[end:]


def _entries(text: str) -> dict[str, Any]:
    """A document of ``RANKS:CORES[/GPUS]`` and the rest of its execution part."""
    *entries, more = *_words(text), {}
    if isinstance(entries[-1], dict):
        more = entries.pop()
    parts = (re.split("[:/]", entry) for entry in entries)
    return document(*(lite(*part) for part in parts), **more)


def _graph(text: str) -> dict[str, Any]:
    """A graph of ``ID TYPE NAME [METADATA]; ... | SOURCE TARGET [METADATA]; ...``."""
    vertices, _, edges = text.partition(" | ")
    made: dict[str, Any] = {"nodes": [], "edges": []}
    for part in vertices.split("; "):
        id_, type_, name, *more = _words(part)
        made["nodes"].append(vertex(id_, type_, name, **(more[0] if more else {})))
    for part in filter(None, edges.split("; ")):
        source, target, *more = _words(part)
        made["edges"].append(edge(source, target, **(more[0] if more else {})))
    return made


def _inside(text: str) -> dict[str, Any]:
    """Entries, and ``RANKS TOPOLOGY`` of nodes whose inside is known (RFC 49)."""
    for name, topology in TOPOLOGIES.items():
        text = text.replace(name, topology)
    entries, *children = text.split(" | ")
    found = [dict(zip(("ranks", "topo"), _words(child), strict=True)) for child in children]
    scheduling = {"writer": "TreePool", **({"children": found} if found else {})}
    return {**_entries(f'{entries} {{"nodelist": ["n[0-1]"]}}'), "scheduling": scheduling}


MADE: dict[str, Callable[[str], dict[str, Any]]] = {
    "entries": _entries,
    "graph": lambda text: {"graph": _graph(text)},
    "scheduling": lambda text: {"version": 1, "scheduling": {"graph": _graph(text)}},
    "both": lambda text: {
        **_entries(text.partition(" || ")[0]),
        "scheduling": {"graph": _graph(text.partition(" || ")[2]), "writer": "fluxion:"},
    },
    "inside": _inside,
}


def answers(line: str) -> Iterator[str]:
    """All that is read from a document."""
    kind, _, text = line.partition(" ")
    if kind == "text":
        found = resources.read_text(json.loads(text))
    else:
        found = resources.read(MADE[kind](text))
    whole = found.whole
    form = f"{found.form}{f' by {found.writer}' if found.writer else ''}"
    more = f"starttime {found.starttime}, nslots {found.nslots}"
    yield f"{form}: {whole.nodes} nodes, {whole.cores} cores, {whole.gpus} gpus, {more}"
    for node in map(found.node, range(min(found.node_count, 6))):
        properties = " ".join(node.properties)
        yield f"rank {node.rank} {node.host}: {node.cores}/{node.gpus} {properties}".rstrip()
    for name, mask in found.properties.items():
        yield f"property {json.dumps(name)} of {found.ranks_of(mask) or 'no rank'}"
    if found.graph is not None:
        yield f"parents {list(found.graph.parents)}, {len(found.graph.roots)} roots"
        for row in range(len(found.graph.types)):
            yield from (f"link of {row}: {astuple(link)}" for link in found.graph.links(row))
    if found.topologies:
        ranks = " and ".join(str(topology.indices) for topology in found.topologies)
        yield f"inside of {ranks}: {described(found.topologies)}"
    for problem in found.problems:
        assert problem.rule in ("RFC 22", "RFC 49") or "topology" not in problem.code
        span = f" at {tuple(problem.span)}" if problem.span else ""
        yield f"{problem.severity} {problem.path}{span}: {problem.message}"


def test_documents_are_read_as_recorded(agree: Agree) -> None:
    agree(RECORDED, rerun(RECORDED, answers))


def test_hostile_sizes_are_held_or_refused() -> None:
    many = resources.read(document(lite("0-1"), nodelist=["n[0-99999999999]"]))
    assert many.mask_of_hosts(many.hosts) == 0b11
    for text in ("9" * 5000, "[" * 10**5):
        found = resources.read_text(text)
        assert (found.ok, found.node_count) == (False, 0)


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


# What nodes have inside (RFC 49)


@for_each("topo, wanted", [
    ({"cores": "0-99999999999"}, "cores above 65,535 are not read"),
    ({"numa": [{"cores": str(n)} for n in range(5000)]}, "more than 4,096 domains"),
    (reduce(lambda inner, _: {"a": [inner]}, range(99), {"cores": "0"}), "deeper than 32"),
], label=lambda case: case[1])  # fmt: skip
def test_an_inside_that_no_machine_has_is_not_read(topo: Any, wanted: str) -> None:
    read = resources.read(tree(("0-1", topo, "0-19", "0")))
    assert any(wanted in problem.message for problem in read.problems)
    assert check_strictly(job("slot/core"), read).scheduler == "TreePool"


def test_a_topology_for_each_node_is_one_where_they_are_equal() -> None:
    many = tree(*((str(rank), UNEVEN, "0-19", "0") for rank in range(20_000)))
    (found,) = resources.read(many).topologies
    assert found.indices.count == 20_000
    different = tree(*((str(n), {"cores": "0-19", "memory": n}, "0-19", "") for n in range(300)))
    assert "different topologies" in resources.read(different).problems[0].message


#: Keys with nothing in them, at which TreePool ends its look.
EMPTY = {
    "apu": [],
    "numa": [{"cores": "", "gpus": "0", "core-complex": [{"cores": "0-7"}]}, {"cores": "8-19"}],
}


@for_each("whole, topo", [(xeon(), XEON), (apu(), APU), (tree(("0-3", EMPTY, "0-19", "0")), EMPTY)])
def test_a_part_of_the_nodes_keeps_the_whole_topology(whole: dict[str, Any], topo: object) -> None:
    read = resources.read(whole)
    cut = subset(read, 0b1110)
    assert cut["scheduling"]["writer"] == "TreePool"
    (child,) = cut["scheduling"]["children"]
    assert child["ranks"] == "1-3"
    assert child["topo"] == json.loads(json.dumps(topo))
    assert resources.read(cut).topologies[0].node == read.topologies[0].node
    assert "scheduling" not in subset(read, 0b1110, graph=False)


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
