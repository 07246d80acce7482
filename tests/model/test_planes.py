"""Numbers of nodes as masks, and the ranks of many R_lite entries: against one node at a time."""

import random

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.model.resources import document
from fluxtui.notation.sets.bits import planes_of
from fluxtui.notation.sets.idset import IdSet
from tests import big
from tests.each import for_each
from tests.model import clusters
from tests.model.clusters import lite


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 1 << 20)), max_size=200))
def test_each_index_has_the_value_of_its_set(nodes: list[tuple[int, int]]) -> None:
    values = dict(nodes)
    members = [number for number, _ in nodes]
    sets = {number: IdSet.of(i for i, m in enumerate(members) if m == number) for number in values}
    runs = [(ids.starts, ids.ends) for ids in sets.values()]
    found = planes_of(runs, list(values.values()), len(members))
    for index, number in enumerate(members):
        assert sum(w for w, mask in found if mask >> index & 1) == values[number]


def test_single_ids_and_ranges_are_the_same() -> None:
    text = ",".join(map(str, range(0, 4000, 2)))
    entries = (lite(text), lite("4001-4100", "0-1", "0"), lite("5000"))
    read = document.read(clusters.document(*entries, nodelist=["n[0-2100]"]))
    assert read.ok
    assert (read.node_count, read.whole.cores, read.whole.gpus) == (2101, 8204, 100)
    assert [read.cores_at(index) for index in (0, 1999, 2000, 2099, 2100)] == [4, 4, 2, 2, 4]
    assert read.node(2100).rank == 5000


@for_each("seed", range(40))
def test_entries_in_any_order(seed: int) -> None:
    """Ranks dealt out to entries at random; here and there one of them stands in two."""
    rng = random.Random(seed)
    size = rng.choice([5, 60, 400])
    spread = rng.choice([1, 3, 1000])
    dealt: dict[int, set[int]] = {}
    for rank in range(size):
        dealt.setdefault(rng.randrange(rng.choice([1, 4, size])), set()).add(rank * spread)
    twice = seed % 4 == 0
    if twice:
        rank = rng.choice(sorted(set().union(*dealt.values())))
        dealt.setdefault(size + 1, set()).add(rank)
    entries = [
        lite(str(IdSet.of(ranks)), f"{n % 3 * 10}-{n % 3 * 10 + n % 3 + 1}")
        for n, ranks in dealt.items()
    ]
    rng.shuffle(entries)
    read = document.read(clusters.document(*entries, nodelist=["x"]))
    expected: dict[int, set[int]] = {}
    for n, ranks in dealt.items():
        for rank in ranks:
            expected.setdefault(rank, set()).update(range(n % 3 * 10, n % 3 * 10 + n % 3 + 2))
    assert list(read.ranks) == sorted(expected)
    for index, rank in enumerate(sorted(expected)):
        assert set(read.node(index).cores) == expected[rank]
    told = any("more than one R_lite entry" in problem.message for problem in read.problems)
    assert told == twice


@for_each("name", big.DOCUMENTS)
def test_the_documents_of_the_benchmarks_are_right(name: str) -> None:
    read = document.read(big.DOCUMENTS[name](3000))
    assert read.problems == ()
    assert (read.node_count, read.hosts.count) == (3000, 3000)
    for index in (0, 1, 1500, 2999):
        host = read.host(index)
        assert read.indices_of_host(host) == 1 << index
    assert read.totals(read.everything).cores == read.whole.cores
