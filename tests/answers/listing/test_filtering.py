"""Nodes by what is typed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.answers.listing.filtering import Filter, Names
from fluxtui.model.cancellation import Stopped
from fluxtui.model.resources import document
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.sets.hostlist import HostRange
from tests import big
from tests.each import for_each
from tests.model.clusters import cluster
from tests.notation.sets.host_expressions import RANGES, joined


def like(pattern: str, name: str) -> bool:
    """The pattern fits the name, said as plainly as can be."""
    if not pattern:
        return not name
    if pattern[0] == "*":
        return like(pattern[1:], name) or (bool(name) and like(pattern, name[1:]))
    return bool(name) and pattern[0] in ("?", name[0]) and like(pattern[1:], name[1:])


# Names

large = st.builds(
    lambda first, size: HostRange("N", first, first + size, 1, "-ib"),
    st.sampled_from((990, 99_990, 10**12)),
    st.integers(0, 40),
)
singles = st.builds(
    lambda name: HostRange(name, 0, 0, 0, ""), st.sampled_from(("login", "x*y", "two\nlines"))
)
patterns = st.one_of(
    st.text("n1039*?-ibg", max_size=6),
    st.text("0129", min_size=1, max_size=4).map("*{}*".format),
)


@given(st.lists(RANGES | large | singles, max_size=6), patterns)
def test_the_names_that_a_pattern_fits(groups: list[HostRange], pattern: str) -> None:
    hosts = joined(groups)
    found = Names(hosts).fitting([pattern])
    plain = [name.lower() for name in hosts]
    assert [place for place in range(hosts.count) if found >> place & 1] == [
        place for place, name in enumerate(plain) if like(pattern, name)
    ]


# What a text is taken for


PROPERTIES = {"batch": "0-9", "Big": "5-100", "big2": "101", "mi50": "108-109", "none": ""}
CLUSTER = cluster("0-9,100-109", "login[1-2],n[0-9],GPU[01-08]", **PROPERTIES)


@given(st.text("n[]0-9,:*? -!pughostrank", max_size=12))
def test_any_text_has_an_answer(text: str) -> None:
    found = Filter(CLUSTER).nodes(text)
    assert found.problem is not None or found.mask | CLUSTER.everything == CLUSTER.everything
    assert found.mask == 0 or found.problem is None


def test_without_hosts_and_without_nodes() -> None:
    read = cluster("0-3")
    assert Filter(read).nodes("2").mask == 0b100
    assert Filter(read).nodes("n*").problem is not None
    assert Filter(read).nodes("*").mask == read.everything
    assert Filter(Resources()).nodes("1").problem is not None
    assert Filter(Resources()).nodes("").mask == 0


def test_a_word_that_means_nothing_is_told_with_the_states() -> None:
    problem = Filter(CLUSTER, {"drained": 1, "up": 2}).nodes("up drained|dead").problem
    assert problem is not None
    assert problem.message == "no rank, host, property or state is 'dead'; states: up, drained"


@for_each("name", ["grouped", "prefixes", "bracketed"])
def test_what_was_built_serves_the_next_text(name: str) -> None:
    read = document.read(big.DOCUMENTS[name](5000))
    nodes = Filter(read)
    for text in ("12", "e", "1", "*9", "n*1", "17 e", "-host:1"):
        assert nodes.nodes(text) == Filter(read).nodes(text)
    with pytest.raises(Stopped):
        Filter(read).nodes("rack", lambda: True)
