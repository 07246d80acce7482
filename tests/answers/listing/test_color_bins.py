"""Values of the nodes in steps, against what each node has by itself."""

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.answers.listing import color_bins
from fluxtui.answers.listing.color_bins import MOST
from fluxtui.model.resources import document as resources
from fluxtui.model.resources.document import Resources

COUNTS = st.lists(st.tuples(st.integers(1, 300), st.integers(0, 9)), min_size=1, max_size=25)


def ids(count: int) -> str:
    """So many ids."""
    return f"0-{count - 1}" if count > 1 else "0"


def cluster(counts: list[tuple[int, int]], **properties: str) -> Resources:
    """A node for each number of cores and gpus."""
    entries = [
        {
            "rank": str(rank),
            "children": {"core": ids(cores), **({"gpu": ids(gpus)} if gpus else {})},
        }
        for rank, (cores, gpus) in enumerate(counts)
    ]
    names = [f"n{rank}" for rank in range(len(counts))]
    execution = {"R_lite": entries, "nodelist": names, "properties": properties}
    found = resources.read({"version": 1, "execution": execution})
    assert found.ok, found.problems
    return found


def holds(words: str, value: int) -> bool:
    """What the words of a step say of a value."""
    low, _, high = ("0" if words == "none" else words).replace(",", "").partition("-")
    return int(low) <= value <= int(high or low)


@given(COUNTS, st.sampled_from(("cores", "gpus")))
def test_each_node_is_in_the_step_of_its_value(counts: list[tuple[int, int]], what: str) -> None:
    found = cluster(counts)
    steps = color_bins.by_value(found, what)  # type: ignore[arg-type]
    assert sum(step.level > 0 for step in steps) <= MOST
    assert [step.level for step in steps] == sorted({step.level for step in steps})
    for index, count in enumerate(counts):
        value = count[what == "gpus"]
        own = [step for step in steps if step.mask >> index & 1]
        assert len(own) == 1
        assert holds(own[0].words, value), (own[0].words, value)
        assert (own[0].level == 0) == (value == 0)


def test_few_values_are_told_as_they_are() -> None:
    found = color_bins.by_value(cluster([(48, 0), (96, 8), (48, 4)]), "cores")
    assert [(step.words, step.mask) for step in found] == [("48", 0b101), ("96", 0b010)]


def test_a_property() -> None:
    found = cluster([(1, 0)] * 4, gpu="1-2", all="0-3")
    assert [(s.words, s.mask) for s in color_bins.by_property(found, "gpu")] == [
        ("gpu", 0b0110),
        ("not gpu", 0b1001),
    ]
    assert [s.words for s in color_bins.by_property(found, "all")] == ["all"]


def vertex(row: int, type_: str, path: str, rank: int = -1, **more: object) -> dict[str, object]:
    data = {"type": type_, "rank": rank, "paths": {"containment": path}, **more}
    return {"id": str(row), "metadata": {"name": path.rpartition("/")[2], **data}}


def document(*vertices: dict[str, object]) -> Resources:
    return resources.read({"graph": {"nodes": list(vertices), "edges": []}})


def test_a_node_is_down_by_itself_or_with_what_contains_it() -> None:
    found = document(
        vertex(0, "cluster", "/c"),
        vertex(1, "rack", "/c/r0"),
        vertex(2, "rack", "/c/r1", status=1),
        vertex(3, "node", "/c/r0/n0", 0),
        vertex(4, "node", "/c/r0/n1", 1, status=1),
        vertex(5, "node", "/c/r1/n2", 2, status=0),
        vertex(6, "node", "/c/r1/n3", 3),
    )
    steps = color_bins.by_state(found, found.graph)
    assert [(step.words, step.mask) for step in steps] == [("down", 0b1110), ("up", 0b0001)]


def test_no_state_is_told_where_there_is_none() -> None:
    found = document(vertex(0, "cluster", "/c"), vertex(1, "node", "/c/n0", 0))
    assert color_bins.by_state(found, found.graph) == ()
    assert color_bins.by_state(cluster([(1, 0)]), None) == ()
