"""What contains what: the answers of both kinds of trees against looking at each vertex."""

from collections import Counter
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.answers.containment.items import Bond, Fold, Item
from fluxtui.answers.containment.of_graph import GraphContainment
from fluxtui.answers.containment.of_list import ListedContainment
from fluxtui.answers.containment.tree import Containment, items_below
from fluxtui.model.resources import document as resources
from fluxtui.model.resources import graph
from tests.answers.containment.trees import of_graph, random_graph, random_listed, walk
from tests.each import for_each, the
from tests.model.clusters import document as r_document
from tests.model.clusters import edge, lite
from tests.model.clusters import vertex as given_vertex
from tests.model.topologies import APU, XEON
from tests.model.topologies import tree as inside

SEEDS = st.integers(0, 10_000)
TEXTS = (
    "core", "e1", "RACK", "node", "7", "/c0", "/core", "hosts", "b", "1/core2", "no such", "a2",
    "socket", "t0/numa", "/numa1/core4",
)  # fmt: skip


def tree_of(seed: int) -> Containment:
    """A graph for an even seed, what an execution part implies for an odd one."""
    return of_graph(random_graph(seed))[0] if seed % 2 == 0 else random_listed(seed)[0]


def items_of(tree: Containment, item: Item) -> list[Item]:
    below = items_below(tree, item)
    return [below[place] for place in range(len(below))]


def plain_nodes(tree: Containment, vertices: list[int]) -> int:
    """The nodes among some vertices, as a mask."""
    found = (tree.node(vertex) for vertex in vertices if tree.vertex(vertex).type == "node")
    return sum({1 << index for index in found if index is not None})


@given(SEEDS, st.booleans(), st.randoms(use_true_random=False))
def test_children_nodes_and_counts(seed: int, whole: bool, choose: Random) -> None:
    tree = tree_of(seed)
    order = list(walk(tree))
    assert all(tree.parent(root) == -1 for root in tree.roots)
    for vertex in order:
        kids = list(tree.children(vertex))
        assert kids == sorted(kids)
        assert all(tree.parent(kid) == vertex for kid in kids)
        mask, found = plain_nodes(tree, list(walk(tree, vertex))), tree.nodes(vertex)
        assert found == mask
        index = tree.node(vertex)
        if index is not None:
            own = the(tree.at(index))
            assert vertex in walk(tree, own)
            assert tree.vertex(own).type == "node"
    start = choose.randrange(len(order))
    end = choose.randrange(start, len(order))
    stop = end + len(list(walk(tree, order[end]))) if whole else end + 1
    between = tree.between(order[start], order[end], whole=whole)
    assert between == plain_nodes(tree, order[start:stop])


@given(SEEDS)
def test_counts_below(seed: int) -> None:
    tree = tree_of(seed)
    for vertex in walk(tree):
        below = [tree.vertex(row) for row in walk(tree, vertex)][1:]
        sizes: Counter[str] = Counter()
        for one in below:
            sizes[one.type] += one.size
        counts = Counter(one.type for one in below if one.type != "hosts")
        tallies = {tally.type: tally for tally in tree.tallies(vertex)}
        assert set(tallies) == set(counts)
        for kind, tally in tallies.items():
            is_pool = kind == "core" and not tally.unit and tally.total is None
            assert tally.count == counts[kind] or (is_pool and tally.count == sizes[kind])
            assert tally.total in (None, sizes[kind])


@given(SEEDS, st.sampled_from(TEXTS), st.sampled_from((1, -1)), st.booleans(), st.integers(0, 999))
def test_finding_goes_round(seed: int, wanted: str, by: int, here: bool, start: int) -> None:
    tree = tree_of(seed)
    order = list(walk(tree))
    at = start % len(order)
    around = order[at + 1 :] + order[: at + 1] if by > 0 else order[:at][::-1] + order[at:][::-1]
    text, last = wanted.casefold(), wanted.casefold().rpartition("/")[2]

    def holds(vertex: int) -> bool:
        found = tree.vertex(vertex)
        name = found.name.casefold()
        if "/" in text:
            return name.startswith(last) and text in tree.path(vertex).casefold()
        return text in name or text in found.type

    here = here and by > 0
    expected = next(filter(holds, [order[at], *around] if here else around), None)
    assert tree.find(wanted, order[at], by, lambda: False, here=here) == expected


@given(SEEDS)
def test_folding_leaves_nothing_out(seed: int) -> None:
    tree = tree_of(seed)
    for vertex in walk(tree):
        below, flat = items_below(tree, vertex), list[Item]()
        for place, item in enumerate(items_of(tree, vertex)):
            if isinstance(item, Bond):
                assert item.link in tree.links(vertex)
                continue
            own = items_of(tree, item) if isinstance(item, Fold) else [item]
            kids = [kid for kid in own if isinstance(kid, int)]
            flat += kids
            assert all(below.place_of(kid) == place for kid in kids)
            if isinstance(item, Fold):  # they differ in their names alone, and hold nothing
                assert len({tree.vertex(kid)._replace(name="") for kid in kids}) == 1
                assert not any(tree.children(kid) for kid in kids)
        assert flat == list(tree.children(vertex))
        assert below.place_of(10**9) is None


def leaves(count: int, *others: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A node with so many cores, and other vertices."""
    found = [*(given_vertex(str(n), "core", f"core{n}", **more) for n in range(count)), *others]
    nodes = [given_vertex("n", "node", "n0", rank=0), *found]
    return {"graph": {"nodes": nodes, "edges": [edge("n", one["id"]) for one in found]}}


@for_each("count, names", [
    (48, ["core0-47"]), (12, ["core0-4", "core5", "core6-11"]), (4, ["core0-3"]),
    (3, ["core0", "core1", "core2"]),
])  # fmt: skip
def test_equal_leaves_are_in_one_line(count: int, names: list[str]) -> None:
    document = leaves(count)
    if count == 12:  # one that is down is in a line of its own
        document["graph"]["nodes"][6]["metadata"]["status"] = 1
    tree, _ = of_graph(document)
    items: list[Any] = items_of(tree, tree.roots[0])
    words = [tree.fold_name(i) if isinstance(i, Fold) else tree.vertex(i).name for i in items]
    assert words == names
    assert sum(len(items_of(tree, one)) or 1 for one in items) == count


def test_pools_and_amounts_are_counted_by_their_sizes() -> None:
    memory = (given_vertex(f"m{n}", "memory", size=64, unit="GB") for n in range(2))
    tree, _ = of_graph(leaves(2, *memory, size=36))
    words = [tally.words for tally in tree.tallies(tree.roots[0])]
    assert words == ["72 cores", "2 memory 128 GB"]


def test_nothing_is_known_before_it_is_worked_out() -> None:
    document = random_graph(4)
    found = graph.read(document["graph"]).value
    tree = GraphContainment(found, resources.read(document))
    root = tree.roots[0]
    assert not tree.ready
    assert (tree.tallies(root), tree.nodes(root), tree.at(0)) == ((), 0, None)
    assert tree.find("core", root, 1, lambda: False) is None
    assert tree.work_out(lambda: True) is None or len(found.types) < 4096


def test_a_node_has_the_properties_of_both_parts() -> None:
    document = r_document(lite("0", "0"), nodelist=["n0"], properties={"batch": "0"})
    document["scheduling"] = leaves(1)
    found = document["scheduling"]["graph"]
    found["nodes"][0]["metadata"]["properties"] = {"ssd": "", "rabbit": "r1"}
    tree = GraphContainment(graph.read(found).value, resources.read(document))
    tree.take(tree.work_out(lambda: False))
    assert tree.vertex(0).properties == ("ssd", "rabbit", "batch")
    assert ("rabbit", "r1") in tree.facts(0)


def test_domains_are_between_a_node_and_its_cores() -> None:
    """Of nodes with topologies, of however many: nothing is made for one before it is opened."""
    half = 500_000
    parts = (f"0-{half - 1}", XEON, "0-119", "0-7"), (f"{half}-999999", APU, "0-95", "0-3")
    tree = ListedContainment(resources.read(inside(*parts)), ((0, 1_000_000),))
    tree.take(tree.work_out(lambda: False))
    assert [tally.words for tally in tree.tallies(0)] == [
        "1,000,000 nodes", "3,000,000 sockets", "4,000,000 numa domains",
        "108,000,000 cores", "6,000,000 gpus",
    ]  # fmt: skip
    numa = the(tree.find("n7/socket1/numa", 0, 1, lambda: False))
    assert tree.path(numa) == "/cluster0/n7/socket1/numa4"
    cores, gpu = items_of(tree, numa)
    assert isinstance(cores, Fold)
    assert (tree.fold_name(cores), tree.vertex(gpu).name) == ("core60-74", "gpu4")  # type: ignore[arg-type]
    assert [tally.words for tally in tree.tallies(numa)] == ["15 cores", "1 gpu"]
    assert [str(ids) for ids in tree.ids(numa)] == ["60-74", "4"]
    assert [str(ids) for ids in tree.ids(gpu)] == ["", "4"]
    assert tree.find("n777777", 0, 1, lambda: False) == tree.at(777_777)
    other = the(tree.at(999_999))
    names = [tree.vertex(kid).name for kid in tree.children(other)]
    assert names == [f"socket{n}" for n in range(4)]
    assert (len(items_below(tree, 0)), tree.path(other)) == (1_000_000, "/cluster0/n999999")
    assert tree.vertex(tree.children(other)[3])[:4] == ("socket", "socket3", 126, "GiB")
    assert dict(tree.facts(other)) == {
        "cores": "0-95", "gpus": "0-3", "memory": "504 GiB", "storage": "/l/ssd 200 GiB"
    }  # fmt: skip


def test_cores_beside_domains_are_not_looked_at_one_by_one() -> None:
    read = resources.read(inside(("0", {"numa": [{"cores": "0-7"}]}, "0-999999999", "")))
    tree = ListedContainment(read, ((0, 1),))
    cores, numa = items_of(tree, the(tree.at(0)))
    assert isinstance(cores, Fold)
    assert isinstance(numa, int)
    assert (tree.fold_name(cores), tree.vertex(numa).name) == ("core8-999999999", "numa0")
    assert tree.vertex(cores.last).name == "core999999999"
    assert items_below(tree, the(tree.at(0))).place_of(numa) == 1
