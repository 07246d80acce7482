"""What nodes can be ordered and coloured by, against what each node has by itself."""

import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.answers.listing import orders
from fluxtui.answers.listing.lister import Key, Lister, Wanted, fold
from fluxtui.answers.listing.orders import MAX_SHADES
from fluxtui.answers.listing.rows import Section, host_runs
from fluxtui.model.resources import document
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.sets.idset import IdSet
from tests.each import the
from tests.model.clusters import cluster, lite, vertex
from tests.model.clusters import document as r_document
from tests.model.topologies import APU, XEON, tree

NAMES = st.builds(
    lambda prefix, number, suffix: f"{prefix}{number}{suffix}",
    st.sampled_from(("n", "g", "rack2-n", "rack10-n", "Z")),
    st.sampled_from(("", "0", "1", "01", "2", "3", "10", "11", "12", "0010")),
    st.sampled_from(("", "-ib")),
)


@given(st.lists(NAMES, min_size=1, max_size=30))
def test_by_host_repeats_nothing_and_loses_nothing(names: list[str]) -> None:
    found = cluster(str(IdSet.between(0, len(names) - 1)), names)
    order = orders.by_host(found)
    assert sorted(order.rows) == list(range(len(names)))
    shown = [found.host(index) for index in order.rows]
    for prefix in {re.sub(r"[0-9]+(-ib)?$", "", name) for name in names}:
        own = re.compile(re.escape(prefix) + r"([1-9][0-9]*)$")
        numbers = [int(m[1]) for name in shown if (m := own.fullmatch(name))]
        assert numbers == sorted(numbers)


def test_by_host_counts_as_a_person_does() -> None:
    found = cluster("0-6", "n10,rack10-n1,n2,rack2-n1,n[1,3],n2")
    shown = [found.host(index) for index in orders.by_host(found).rows]
    assert shown == ["n1", "n2", "n2", "n3", "n10", "rack2-n1", "rack10-n1"]
    assert orders.by_host(cluster("0-9", "n[0-9]")).is_by_rank
    assert not orders.by_host(cluster("0-9", "n[5-9,0-4]")).is_by_rank
    # Nodes without a host come last.
    assert list(orders.by_host(cluster("0-3", "n[0-1]")).rows) == [0, 1, 2, 3]
    found = cluster("0-9", "g[0-3],n[0-5]")
    assert orders.by_host(found).sections == (Section("g", 0, 4), Section("n", 4, 10))
    assert host_runs(found) == ((0, 4), (4, 10))


def test_by_property_and_by_value() -> None:
    found = cluster("0-9", "n[0-9]", core="0-3", gpu="3-4,9", all="0-9")
    order = orders.by_property(found, "gpu")
    assert order.sections == (Section("gpu", 0, 3), Section("not gpu", 3, 10))
    assert list(order.rows) == [3, 4, 9, 0, 1, 2, 5, 6, 7, 8]
    for what, words in (("cores", "4 cores"), ("gpus", "no gpu")):
        (section,) = orders.by_value(found, what, most_first=True).sections  # type: ignore[arg-type]
        assert section.name == words
    gpu, every = (orders.shades_by_property(found, name) for name in ("gpu", "all"))
    shades = [(shade.words, shade.mask) for shade in (*gpu, *every)]
    assert shades == [("gpu", 0b1000011000), ("not gpu", 0b0111100111), ("all", 0b1111111111)]


COUNTS = st.lists(st.tuples(st.integers(1, 300), st.integers(0, 9)), min_size=1, max_size=25)


def counted(counts: list[tuple[int, int]]) -> Resources:
    """A node for each number of cores and gpus."""
    entries = [
        lite(str(rank), str(IdSet.between(0, cores - 1)), str(IdSet.between(0, gpus - 1)) or None)
        for rank, (cores, gpus) in enumerate(counts)
    ]
    found = document.read(r_document(*entries, nodelist=[f"n{n}" for n in range(len(counts))]))
    assert found.ok, found.problems
    return found


@given(COUNTS, st.sampled_from(("cores", "gpus")))
def test_each_node_is_in_the_step_and_the_section_of_its_value(
    counts: list[tuple[int, int]], what: Any
) -> None:
    found = counted(counts)
    values = [count[what == "gpus"] for count in counts]
    steps = orders.shades_by_value(found, what)
    assert sum(step.level > 0 for step in steps) <= MAX_SHADES
    assert [step.level for step in steps] == sorted({step.level for step in steps})
    for index, value in enumerate(values):
        (own,) = (step for step in steps if step.mask >> index & 1)
        low, _, high = ("0" if own.words == "none" else own.words).replace(",", "").partition("-")
        assert int(low) <= value <= int(high or low)
        assert (own.level == 0) == (value == 0)
    for most_first in (True, False):
        order = orders.by_value(found, what, most_first=most_first)
        wanted = sorted(range(len(values)), key=values.__getitem__, reverse=most_first)
        assert list(order.rows) == wanted
        assert len(order.sections) == len(set(values))


# With a graph


def racks(*paths: str) -> Resources:
    """A document of vertices by their paths, of which ``+`` or ``-`` at the end is the status."""
    types = {"c": "cluster", "r": "rack", "n": "node"}
    rows = []
    for row, text in enumerate(paths):
        path = text.rstrip("+-")
        status = {"status": int(text[-1] == "-")} if text != path else {}
        data = {"paths": {"containment": path}, **status}
        name = path.rpartition("/")[2]
        rows.append(vertex(str(row), types[name[0]], name, **data))
    return document.read({"graph": {"nodes": rows, "edges": []}})


def test_a_node_is_down_by_itself_or_with_what_contains_it() -> None:
    found = racks("/c", "/c/r0", "/c/r1-", "/c/r0/n0", "/c/r0/n1-", "/c/r1/n2+", "/c/r1/n3")
    steps = orders.shades_by_state(found, found.graph)
    assert [(step.words, step.mask) for step in steps] == [("down", 0b1110), ("up", 0b0001)]
    silent = racks("/c", "/c/n0")
    assert orders.shades_by_state(silent, silent.graph) == ()
    assert orders.shades_by_state(silent, None) == ()


def test_by_rack() -> None:
    found = racks("/c", "/c/r0", "/c/r1", "/c/r1/n-a", "/c/r0/n-b", "/c/r1/n-c", "/c/n-d")
    assert orders.container_types(the(found.graph)) == ("rack", "cluster")
    order = orders.by_container(found, the(found.graph), "rack")
    sections = [(section.name, section.start, section.stop) for section in order.sections]
    assert sections == [("r0", 0, 1), ("r1", 1, 3), ("in no rack", 3, 4)]
    assert list(order.rows) == [1, 0, 2, 3]


def test_nodes_by_what_they_have_inside() -> None:
    found = document.read(
        tree(("0-1", XEON, "0-119", "0-7"), ("2", APU, "0-95", "0-3"),
             ("3-4", {"cores": "0-7"}, "0-7", ""))
    )  # fmt: skip
    names = "2 socket, 8 numa", "4 socket", "no domains"
    sections = orders.by_inside(found).sections
    assert [*sections] == [*map(Section, names, (0, 2, 3), (2, 3, 5))]
    order = orders.by_value(found, "memory", most_first=True)
    assert [section.name for section in order.sections] == ["504 GiB", "memory unknown"]
    shades = [*orders.shades_by_inside(found), *orders.shades_by_value(found, "memory")]
    assert [(one.words, one.mask) for one in shades] == [
        ("no domains", 0b11000), ("4 socket", 0b100), (names[0], 0b11),
        ("memory unknown", 0b11011), ("504 GiB", 0b100),
    ]  # fmt: skip
    lister = Lister(found)
    for by, wanted in (("inside", [0, 1, 2, 3, 4]), ("memory", [2, 0, 1, 3, 4])):
        listing = lister.find(Wanted(Key.of(by)), 0)  # type: ignore[arg-type]
        assert [*listing.indices(0, 5)] == wanted


def test_of_many_kinds_of_inside_the_most_frequent_have_colours() -> None:
    nodes = [
        (str(rank), {"numa": [{}] * min(rank, 8) + [{"cores": "0"}]}, "0", "") for rank in range(12)
    ]
    shades = orders.shades_by_inside(document.read(tree(*nodes)))
    assert [(one.words, one.level) for one in shades] == [("others", 0)] + [
        (f"{n} numa", level) for level, n in enumerate((1, 2, 3, 4, 5, 9), 1)
    ]


def test_nodes_that_differ_in_their_inside_alone_are_not_in_one_row() -> None:
    halves = [{"cores": "0-3"}, {"cores": "4-7"}]
    with_memory = [{**one, "memory": 8} for one in halves]
    topos = ({"numa": halves}, {"socket": halves}, {"numa": with_memory}, {"numa": halves})
    found = document.read(tree(*((str(n), topo, "0-7", "") for n, topo in enumerate(topos))))
    assert [*fold(found).classes] == [0, 1, 2, 0]
