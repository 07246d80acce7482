"""What is done with hosts costs what their text costs, however many hosts it names (RFC 29)."""

import tracemalloc
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.answers import matching
from fluxtui.answers.explain import target
from fluxtui.answers.listing.filtering import Filter
from fluxtui.model.constraint import tree
from fluxtui.model.resources.resource_table import read_table
from fluxtui.notation.query.parser import parse as parse_query
from fluxtui.notation.sets import host_index, hostlist
from fluxtui.notation.sets.host_index import HostIndex, HostNumbers, same_names
from fluxtui.notation.sets.hostlist import Builder, HostList, HostRange
from tests.notation.sets.host_expressions import names, read
from tests.opened import demo
from tests.pace import seconds

SECONDS = 0.2
MEMORY = 4_000_000

#: Texts of a few characters that name a billion hosts or more.
TEXTS = (
    "a[0063-042949672955]a", "n[0-1600000000]b", "n1[0-1600000000]b2,n[5-1600000000]",
    "dune0[0-1600000000]-5,dunegpu[0-1600000000]-0x5", "[0-1600000000]-x7,0-x[0-1600000000]",
)  # fmt: skip
SOME = hostlist.parse("dune[0-99],n[0-99]b,n1[0-99]b2,a[0-99]a,dune1[0-9]5").value


def built(many: HostList) -> HostList:
    out = Builder()
    for one in many.walk():
        out.add(one)
    assert out.idlist("a", "7,0-4000000000", "-b") is None
    return out.done()


def named(text: str) -> tree.Hostlist:
    found = tree.read({"hostlist": [text]}).value
    assert isinstance(found, tree.Hostlist)
    return found


def other_way(many: HostList) -> HostList:
    """The same hosts, each range in two."""
    styles, firsts, lasts = [], [], []
    for one in many.walk():
        middle = (one.first + one.last) // 2
        styles += [(one.prefix, one.width, one.suffix)] * 2
        firsts += [one.first, middle + 1]
        lasts += [middle, one.last]
    return HostList(styles, firsts, lasts)


#: What there is to do with hosts: with themselves, an index, and documents that name them.
USES: tuple[Callable[[HostList, str], object], ...] = (
    lambda many, _: (many.count, many.host(many.count - 1), [*many.walk()], many.before),
    lambda many, _: (many.pick([(1, many.count - 2), (0, many.count)]), list(many.walk(5, 10**9))),
    lambda many, _: built(many),
    lambda many, _: (
        hostlist.format(many),
        hostlist.format(many, 5),
        repr(many),
        list(many.walk()),
    ),
    lambda many, text: (many == hostlist.parse(text).value, many == other_way(many), hash(many)),
    lambda many, text: host_index.completions(text[:9], 9, HostIndex(many)),
    lambda many, text: HostIndex(many).beginning_with(text[:1], 50),
    lambda many, text: next(HostIndex(many).places_beginning_with(text[:1]), None),
    lambda many, _: HostIndex(many).places(many.host(10**9)),
    lambda many, _: (
        HostIndex(SOME).mask(many),
        [sorted(HostIndex(SOME).runs(one)) for one in many.walk()],
    ),
    lambda many, _: (HostNumbers().add(many), same_names(many, many)),
    lambda _, text: parse_query(f"host:{text}"),
    lambda _, text: matching.match(named(text), demo().resources),
    lambda _, text: target.find(text, demo().resources),
    lambda _, text: Filter(demo().resources).nodes(text),
    lambda many, _: demo().resources.mask_of_hosts(many),
    lambda _, text: read_table({"resource": {"config": [{"hosts": text, "cores": "0-3"}]}}),
)


@pytest.mark.parametrize("text", TEXTS)
def test_a_billion_hosts_cost_what_their_text_costs(text: str) -> None:
    many = hostlist.parse(text).value
    for number, use in enumerate(USES):
        use(many, text)  # what is imported and kept at first use is no matter
        assert seconds(lambda use=use: use(many, text), runs=1) < SECONDS, number
        tracemalloc.start()
        try:
            use(many, text)
            assert tracemalloc.get_traced_memory()[1] < MEMORY, number
        finally:
            tracemalloc.stop()
    assert many == other_way(many)
    assert hash(many) == hash(other_way(many))


def test_lists_with_the_same_ends_may_differ() -> None:
    one, other = (hostlist.parse(text).value for text in ("a[15-115]0", "a1[50-150]"))
    assert (one.host(0), one.host(100)) == (other.host(0), other.host(100))
    assert one.count == other.count
    assert one != other
    assert hostlist.parse("foo1[8-12]").value == hostlist.parse("foo18,foo19,foo1[10-12]").value


GROUPS = st.builds(
    lambda prefix, first, size, width, suffix: HostRange(
        prefix, first, first + size, width, suffix
    ),
    st.sampled_from(["n", "n1", "n0", "foo", "foo1-eth", "foo1-eth1", ""]),
    st.integers(0, 12) | st.integers(95, 101),
    st.sampled_from([0, 0, 1, 5, 30, 10**9]),
    st.integers(1, 3),
    st.sampled_from(["", "", "b", "9b2", "5", "-eth1", "-eth5b"]),
).filter(lambda one: one.last < 10**6 or not one.suffix[:1].isdigit())


@given(st.lists(GROUPS, max_size=6), GROUPS)
def test_what_is_written_is_read_back_and_few_are_found_among_very_many(
    groups: list[HostRange], wanted: HostRange
) -> None:
    many = read(groups)
    text = hostlist.format(many)
    found = hostlist.parse(text)
    assert found.ok
    assert found.value == many
    assert hostlist.format(found.value) == text
    few = [one._replace(last=min(one.last, one.first + 40)) for one in groups[:4]]
    expected = {place for place, name in enumerate(names(few)) if is_in(name, wanted)}
    assert set(HostIndex(read(few)).indices(read([wanted]))) == expected


def is_in(name: str, group: HostRange) -> bool:
    """The range has a host of this name."""
    if not name.startswith(group.prefix) or not name.endswith(group.suffix):
        return False
    digits = name[len(group.prefix) : len(name) - len(group.suffix)]
    if not digits.isdigit():
        return False
    return group.first <= int(digits) <= group.last and group.name(int(digits)) == name
