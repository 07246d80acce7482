"""What contains what: the answers of both kinds of trees against looking at each vertex."""

from collections import Counter
from collections.abc import Sequence
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.answers.containment.containment import (
    Containment,
    GraphContainment,
    ListedContainment,
    items_below,
)
from fluxtui.answers.containment.items import Bond, Fold, Items, Nodes
from fluxtui.model.resources import document as resources
from fluxtui.model.resources import graph
from tests.answers.containment.trees import (
    of_graph,
    plain_find,
    plain_nodes,
    random_graph,
    random_listed,
    walk,
)
from tests.each import for_each
from tests.model.clusters import document as r_document
from tests.model.clusters import lite

SEEDS = st.integers(0, 10_000)
TEXTS = (
    "core",
    "e1",
    "RACK",
    "node",
    "7",
    "/c0",
    "/core",
    "hosts",
    "b",
    "1/core2",
    "no such",
    "a2",
)


def tree_of(seed: int) -> Containment:
    """A graph for an even seed, what an execution part implies for an odd one."""
    return of_graph(random_graph(seed))[0] if seed % 2 == 0 else random_listed(seed)[0]


@given(SEEDS, st.booleans(), st.randoms(use_true_random=False))
def test_children_nodes_and_counts(seed: int, whole: bool, choose: Random) -> None:
    tree = tree_of(seed)
    order = list(walk(tree))
    assert all(tree.parent(root) == -1 for root in tree.roots)
    for vertex in order:
        kids = list(tree.children(vertex))
        assert kids == sorted(kids)
        assert all(tree.parent(kid) == vertex for kid in kids)
        below = list(walk(tree, vertex))
        mask = plain_nodes(tree, below)
        found = tree.nodes(vertex)
        assert (found.as_mask(), found.count) == (mask, mask.bit_count())
        index = tree.node(vertex)
        if index is not None:
            own = tree.at(index)
            assert own is not None
            assert vertex in walk(tree, own)
            assert tree.vertex(own).type == "node"
    start = choose.randrange(len(order))
    end = choose.randrange(start, len(order))
    stop = end + len(list(walk(tree, order[end]))) if whole else end + 1
    between = tree.between(order[start], order[end], whole=whole)
    assert between.as_mask() == plain_nodes(tree, order[start:stop])


@given(st.integers(0, 5000))
def test_counts_below(half: int) -> None:
    tree, found = of_graph(random_graph(2 * half))
    for vertex in walk(tree):
        counts: Counter[str] = Counter()
        sizes: Counter[str] = Counter()
        for row in list(walk(tree, vertex))[1:]:
            counts[found.types[row]] += 1
            sizes[found.types[row]] += found.sizes[row]
        tallies = {tally.type: tally for tally in tree.tallies(vertex)}
        assert set(tallies) == set(counts)
        for kind, tally in tallies.items():
            pooled = kind == "core" and not tally.unit and tally.total is None
            assert tally.count == counts[kind] or (pooled and tally.count == sizes[kind])
            assert tally.total in (None, sizes[kind])
    listed, _ = random_listed(2 * half + 1)
    for vertex in walk(listed):
        counts = Counter(listed.vertex(row).type for row in list(walk(listed, vertex))[1:])
        counts.pop("hosts", None)
        assert {tally.type: tally.count for tally in listed.tallies(vertex)} == counts


@given(SEEDS, st.sampled_from(TEXTS), st.sampled_from((1, -1)), st.booleans(), st.integers(0, 999))
def test_finding_goes_round(seed: int, wanted: str, by: int, here: bool, start: int) -> None:
    tree = tree_of(seed)
    order = list(walk(tree))
    after = order[start % len(order)]
    here = here and by > 0
    expected = plain_find(tree, wanted, after, by, here=here)
    assert tree.find(wanted, after, by, lambda: False, here=here) == expected


@given(SEEDS)
def test_folding_leaves_nothing_out(seed: int) -> None:
    tree = tree_of(seed)
    for vertex in walk(tree):
        items = items_below(tree, vertex)
        flat: list[int] = []
        for place in range(len(items)):
            item = items[place]
            if isinstance(item, Bond):
                assert item.link in tree.links(vertex)
                continue
            inner = items_below(tree, item) if isinstance(item, Fold) else None
            own = [item] if inner is None else [inner[at] for at in range(len(inner))]
            assert inner is None or same_leaves(tree, own)
            flat += [kid for kid in own if isinstance(kid, int)]
            assert all(items.place_of(kid) == place for kid in flat[-len(own) :])
        assert flat == list(tree.children(vertex))
        assert items.place_of(10**9) is None


def same_leaves(tree: Containment, kids: Sequence[object]) -> bool:
    """Vertices that differ in their names alone, and hold nothing."""
    vertices = [kid for kid in kids if isinstance(kid, int)]
    looks = {tree.vertex(kid)._replace(name="") for kid in vertices}
    return len(looks) == 1 and not any(tree.children(kid) for kid in vertices)


def leaves(count: int, **more: object) -> dict[str, object]:
    """A node with so many cores."""
    nodes = [{"id": "n", "metadata": {"type": "node", "name": "n0", "rank": 0}}]
    for number in range(count):
        name = {"type": "core", "name": f"core{number}", **more}
        nodes.append({"id": str(number), "metadata": name})
    edges = [{"source": "n", "target": str(number)} for number in range(count)]
    return {"graph": {"nodes": nodes, "edges": edges}}


def test_equal_leaves_stand_in_one_line() -> None:
    tree, _ = of_graph(leaves(48))
    items = items_below(tree, tree.roots[0])
    assert len(items) == 1
    fold = items[0]
    assert isinstance(fold, Fold)
    assert (fold.count, tree.fold_name(fold)) == (48, "core0-47")
    assert len(items_below(tree, fold)) == 48


def test_a_leaf_that_is_down_stands_alone() -> None:
    document = leaves(12)
    document["graph"]["nodes"][6]["metadata"]["status"] = 1  # type: ignore[index]
    tree, _ = of_graph(document)
    items = items_below(tree, tree.roots[0])
    said = [items[place] for place in range(len(items))]
    names = [tree.fold_name(i) if isinstance(i, Fold) else tree.vertex(i).name for i in said]  # type: ignore[arg-type]
    assert names == ["core0-4", "core5", "core6-11"]
    assert tree.vertex(tree.children(tree.roots[0])[5]).is_down


@for_each("case", [(1, 1), (3, 3), (4, 1)])
def test_few_leaves_stay_as_they_are(case: tuple[int, int]) -> None:
    count, lines = case
    tree, _ = of_graph(leaves(count))
    assert len(items_below(tree, tree.roots[0])) == lines


def test_pools_and_amounts_are_counted_by_their_sizes() -> None:
    document = leaves(2, size=36)
    found = document["graph"]
    for number in range(2):
        data = {"type": "memory", "name": f"memory{number}", "size": 64, "unit": "GB"}
        found["nodes"].append({"id": f"m{number}", "metadata": data})  # type: ignore[index]
        found["edges"].append({"source": "n", "target": f"m{number}"})  # type: ignore[index]
    tree, _ = of_graph(document)
    words = [tally.words for tally in tree.tallies(tree.roots[0])]
    assert words == ["72 cores", "2 memory 128 GB"]


def test_nothing_is_known_before_it_is_worked_out() -> None:
    document = random_graph(4)
    found = graph.read(document["graph"]).value
    tree = GraphContainment(found, resources.read(document))
    root = tree.roots[0]
    assert not tree.ready
    assert (tree.tallies(root), tree.nodes(root), tree.at(0)) == ((), Nodes(0), None)
    assert tree.find("core", root, 1, lambda: False) is None
    assert tree.work_out(lambda: True) is None or len(found.types) < 4096


def test_a_node_has_the_properties_of_both_parts() -> None:
    document = r_document(lite("0", "0"), nodelist=["n0"], properties={"batch": "0"})
    document["scheduling"] = leaves(1)
    found = document["scheduling"]["graph"]
    found["nodes"][0]["metadata"]["properties"] = {"ssd": "", "rabbit": "r1"}
    read = resources.read(document)
    tree = GraphContainment(graph.read(found).value, read)
    tree.take(tree.work_out(lambda: False))
    assert tree.vertex(0).properties == ("ssd", "rabbit", "batch")
    assert ("rabbit", "r1") in tree.facts(0)


def test_a_cluster_of_one_name_has_no_runs_and_is_as_lazy_for_a_million() -> None:
    read = resources.read(r_document(lite("0-999999", "0-95", "0-7"), nodelist=["n[0-999999]"]))
    tree = ListedContainment(read, ((0, 1_000_000),))
    tree.take(tree.work_out(lambda: False))
    items = items_below(tree, 0)
    assert len(items) == 1_000_000
    assert isinstance(items, Items)
    last = items[999_999]
    assert isinstance(last, int)
    assert tree.path(last) == "/cluster0/n999999"
    assert [tally.words for tally in tree.tallies(0)] == [
        "1,000,000 nodes",
        "96,000,000 cores",
        "8,000,000 gpus",
    ]
    parts = items_below(tree, last)
    assert [tree.fold_name(parts[at]) for at in (0, 1)] == ["core0-95", "gpu0-7"]  # type: ignore[arg-type]
    assert tree.find("n77777", 0, 1, lambda: False) == tree.at(77_777)
