"""Nodes by what is typed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.answers.listing import amounts
from fluxtui.answers.listing.filtering import Filter, Names
from fluxtui.model.cancellation import Stopped
from fluxtui.model.resources import document
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.sets.hostlist import HostRange
from tests import big
from tests.each import for_each, the
from tests.model.clusters import cluster
from tests.model.topologies import APU, UNEVEN, XEON, tree
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
    st.text("n1039*?-ibg", max_size=6), st.text("0129", min_size=1, max_size=4).map("*{}*".format)
)


@given(st.lists(RANGES | large | singles, max_size=6), patterns)
def test_the_names_that_a_pattern_fits(groups: list[HostRange], pattern: str) -> None:
    hosts = joined(groups)
    found = Names(hosts).matching([pattern])
    plain = [name.lower() for name in hosts]
    assert [place for place in range(hosts.count) if found >> place & 1] == [
        place for place, name in enumerate(plain) if like(pattern, name)
    ]


# What a text is taken for


PROPERTIES = {"batch": "0-9", "Big": "5-100", "big2": "101", "mi50": "108-109", "none": ""}
CLUSTER = cluster("0-9,100-109", "login[1-2],n[0-9],GPU[01-08]", **PROPERTIES)


def test_without_hosts_and_without_nodes() -> None:
    read = cluster("0-3")
    assert Filter(read).nodes("2").mask == 0b100
    assert Filter(read).nodes("n*").problem is not None
    assert Filter(read).nodes("*").mask == read.everything
    assert Filter(Resources()).nodes("1").problem is not None
    assert Filter(Resources()).nodes("").mask == 0


def test_a_word_that_means_nothing_is_told_with_the_states() -> None:
    problem = Filter(CLUSTER, {"drained": 1, "up": 2}).nodes("up drained|dead").problem
    assert the(problem).message == "no rank, host, property or state is 'dead'; states: up, drained"


#: Nodes of several kinds (RFC 49): two with 8 numa domains, three with 4 sockets, two with 2 numa
#: domains, and one without domains; those of a socket each have 504 GiB, of the next 64 GiB.
INSIDE = document.read(
    tree(("0-1", XEON, "0-119", "0-7"), ("2-4", APU, "0-95", "0-3"), ("5-6", UNEVEN, "0-19", "0"),
         ("7", {"cores": "0-31"}, "0-31", ""), properties={"socket:9": "7"})
)  # fmt: skip


@for_each(
    "text, nodes, words",
    [
        ("numa:8", "0-1", "8 numa"),
        ("NUMAS:2", "5-6", "2 numa"),
        ("numa:2-8", "0-1,5-6", "2 to 8 numa"),
        ("numa:", "0-1,5-6", "1 or more numa"),
        ("numa:3+", "0-1", "3 or more numa"),
        ("sockets:0", "5-7", "no socket"),
        ("socket:9", "7", "property socket:9"),  # what is called so comes first
        ("numa", "0-1,5-6", "with numa inside"),
        ("inside:so", "0-4", "with socket inside"),
        ("inside:none", "7", "without domains inside"),
        ("memory:504", "2-4", "504 GiB of memory"),
        ("memory:60-100gib", "5-6", "60 to 100 GiB of memory"),
        ("memory:0", "0-1,7", "unknown memory"),
        ("cores:96", "2-4", "96 cores"),
        ("core:21+", "0-4,7", "21 or more cores"),
        ("memory", "2-6", "1 or more GiB of memory"),
        ("gpus", "0-6", "1 or more gpus"),
        ("gpu:1", "5-6", "1 gpu"),
        ("gpus:0", "7", "no gpus"),
        ("-numa:8 gpus:4+", "2-4", "not 8 numa and 4 or more gpus"),
        ("numa:8|socket:4 n0", "0", "(8 numa or 4 socket) and hosts that contain n0"),
    ],
)
def test_what_nodes_have_is_a_word(text: str, nodes: str, words: str) -> None:
    found = Filter(INSIDE).nodes(text)
    assert (str(INSIDE.ranks_of(found.mask)), found.words, found.problem) == (nodes, words, None)


NUMBERS = "8, 2-4, 2+ or 0"
NOTHING = "; numbers: cores, gpus, memory, socket, numa"


@for_each("text, message", [
    *((f"numa:{text}", f"a number of numa is {NUMBERS}, not '{text}'")
      for text in ("x", "4-", "8-1", "8-x")),
    *((text, f"ranks are 3, 3-7 or 3,5-7, not '{text.removeprefix('ranks:')}'")
      for text in ("3-", "ranks:7-3")),
    *((text, f"no rank, host, property or domain is '{text}'{NOTHING}")
      for text in ("900", "rack:2")),
])  # fmt: skip
def test_a_number_of_something_is_told_where_it_is_none(text: str, message: str) -> None:
    assert the(Filter(INSIDE).nodes(text).problem).message == message


def test_numbers_where_nothing_is_said_of_domains() -> None:
    assert Filter(CLUSTER).nodes("numa:8").problem is not None
    assert Filter(CLUSTER).nodes("cores:1").mask == CLUSTER.everything
    many = document.read(tree(("0", {f"n{n}": [{"cores": str(n)}] for n in range(5)}, "0-4", "")))
    assert Filter(many).nodes("inside:n").words == "with n0 or n1 or n2 or … inside"
    assert amounts.example(INSIDE) == "numa:8"
    assert (amounts.example(CLUSTER), amounts.example(Resources())) == ("cores:1", "cores:1")


@for_each("name", ["grouped", "prefixes", "bracketed"])
def test_what_was_built_serves_the_next_text(name: str) -> None:
    read = document.read(big.DOCUMENTS[name](5000))
    nodes = Filter(read)
    for text in ("12", "e", "1", "*9", "n*1", "17 e", "-host:1"):
        assert nodes.nodes(text) == Filter(read).nodes(text)
    with pytest.raises(Stopped):
        Filter(read).nodes("rack", lambda: True)
