"""Hosts by the beginning of their names, against a look at every name."""

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.answers.matching import find
from fluxtui.model.resources.document import Resources
from fluxtui.notation.sets.idset import IdSet
from tests.each import for_each
from tests.model.clusters import cluster

NAMES = st.builds(
    lambda prefix, number, suffix: f"{prefix}{number}{suffix}",
    st.sampled_from(("n", "no", "rack1-n", "login", "x-")),
    st.sampled_from(("", "0", "1", "01", "2", "10", "11", "012", "120", "1201")),
    st.sampled_from(("", "-ib")),
)
TEXTS = st.builds(
    lambda name, length, more: name[:length] + more,
    NAMES,
    st.integers(0, 12),
    st.sampled_from(("", "", "", "1", "z")),
)


def in_a_row(hosts: list[str], first: int = 0) -> Resources:
    """The hosts in the order of their ranks, from the first one on."""
    return cluster(str(IdSet.between(first, first + len(hosts) - 1)), hosts)


@given(st.lists(NAMES, min_size=1, max_size=30), TEXTS, st.integers(1, 4))
def test_names_that_begin_so_are_found(hosts: list[str], text: str, few: int) -> None:
    cluster = in_a_row(hosts, 100_000)
    wanted = {i for i, host in enumerate(hosts) if host.startswith(text)} if text else set()
    for most in (few, 40):
        found = find(cluster, text, most)
        assert len(found) == len(set(found)) == min(most, len(wanted))
        assert set(found) <= wanted
        assert text not in hosts or not found or hosts[found[0]] == text


@for_each(
    "case",
    [
        ("n1", [1, 10, 11, 12]),
        ("n12", [12]),
        ("n0", [0]),
        ("12", [12]),  # a rank
        ("n13", []),
        ("99", []),
        ("x", []),
        ("²", []),
        ("9" * 500, []),
    ],
)
def test_ranks_and_ranges(case: tuple[str, list[int]]) -> None:
    text, wanted = case
    assert find(in_a_row([f"n{i}" for i in range(13)]), text, 9) == wanted


def test_what_stands_behind_the_number() -> None:
    nodelist = [f"rack[0-3]-n{number}" for number in range(100)]
    assert find(cluster("0-399", nodelist), "rack2-n99", 4) == [398]
    assert find(cluster("0-399", nodelist), "rack1-n9", 2)[0] == 37


def test_a_rank_comes_before_a_host_of_that_name() -> None:
    assert find(in_a_row(["3", "7", "30", "0"]), "3", 9) == [3, 0, 2]


def test_ranges_that_overlap() -> None:
    found = find(cluster("0-111", ["n[0-100]", "n5", "n[50-59]"]), "n5", 99)
    assert found[:2] == [5, 101]
    assert set(found) == {5, 101, *range(50, 60), *range(102, 112)}
