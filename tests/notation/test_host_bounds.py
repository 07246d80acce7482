"""What is done with hosts costs what their text costs, however many hosts it names (RFC 29)."""

import inspect
import time
import tracemalloc
from collections.abc import Callable
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.answers.explain import target
from fluxtui.answers.listing.filtering import Filter
from fluxtui.answers.matching import match
from fluxtui.model.constraint import tree
from fluxtui.model.documents.report import Report
from fluxtui.model.resources import configured
from fluxtui.notation.query.parser import parse as parse_query
from fluxtui.notation.sets import host_index, hostlist, hosts
from fluxtui.notation.sets.host_index import Alternatives, HostIndex, HostNumbers
from fluxtui.notation.sets.hosts import MAX_WRITTEN_OUT, Builder, HostList, HostRange
from tests.notation.host_expressions import names, read
from tests.opened import demo

SECONDS = 0.2
MEMORY = 4_000_000

#: Texts of a few characters that name a billion hosts or more.
TEXTS = (
    "a[0063-042949672955]a",
    "n[0-1600000000]b",
    "n1[0-1600000000]b2,n[5-1600000000]",
    "dune0[0-1600000000]-5,dunegpu[0-1600000000]-0x5",
    "[0-1600000000]-x7,0-x[0-1600000000]",
)
MODULES = (hosts, hostlist, host_index)

Use = Callable[[HostList, str], object]


def group(many: HostList) -> HostRange:
    return next(many.walk())


def built(many: HostList) -> Builder:
    out = Builder()
    for one in many.walk():
        out.add(one)
    return out


def noted(hosts: HostList) -> Alternatives:
    found = Alternatives()
    for one in hosts.walk():
        found.add((one.prefix, one.suffix))
    return found


def idlist(many: HostList) -> HostList:
    out = Builder()
    assert out.idlist("a", "7,0-4000000000", "-b") is None
    return out.done()


#: What there is to do with hosts, by the name of the function.
USES: dict[str, Use] = {
    "HostRange.name": lambda many, _: group(many).name(7),
    "HostList.count": lambda many, _: many.count,
    "HostList.host": lambda many, _: many.host(many.count - 1),
    "HostList.pick": lambda many, _: many.pick([(1, many.count - 2), (0, many.count)]),
    "HostList.walk": lambda many, _: list(many.walk(5, many.count - 5)),
    "HostList.ranges": lambda many, _: many.ranges,
    "HostList.rows": lambda many, _: many.rows,
    "HostList.columns": lambda many, _: many.columns,
    "Builder.add": lambda many, _: built(many),
    "Builder.done": lambda many, _: built(many).done(),
    "Builder.extend": lambda many, _: Builder().extend(("a", 1, "b"), [0], [10**12]),
    "Builder.names": lambda many, _: Builder().names(["a5", "a6"]),
    "Builder.idlist": lambda many, _: idlist(many),
    "hosts.format": lambda many, _: (hosts.format(many), hosts.format(many, 5), repr(many)),
    "hosts.joinable": lambda many, _: hosts.joinable(("a", 1, "b"), ("a", 2, "b"), 10),
    "hosts.one_length": lambda many, _: list(hosts.one_length(group(many))),
    "hosts.padding": lambda many, _: hosts.padding("007"),
    "hostlist.parse": lambda _, text: hostlist.parse(text),
    "hostlist.parse_into": lambda _, text: hostlist.parse_into(Builder(), text),
    "hostlist.names_into": lambda many, _: hostlist.names_into(Builder(), ["a5b"]),
    "hosts.pieces": lambda many, _: (list(hosts.pieces(many)), hosts.pieces(many, 9)),
    "HostIndex.families": lambda many, _: HostIndex(many).families,
    "HostIndex.rows": lambda many, _: list(
        HostIndex(many).rows(next(iter(HostIndex(many).families)))
    ),
    "HostIndex.places_beginning_with": lambda many, text: next(
        HostIndex(many).places_beginning_with(text[:1]), None
    ),
    "HostIndex.beginning_with": lambda many, text: HostIndex(many).beginning_with(text[:1], 50),
    "HostNumbers.count": lambda many, _: HostNumbers().count,
    "HostNumbers.add": lambda many, _: HostNumbers().add(many),
    "HostNumbers.hosts": lambda many, _: HostNumbers().hosts(),
    "HostNumbers.knows": lambda many, _: HostNumbers().knows(many),
    "host_index.same_names": lambda many, _: host_index.same_names(many, many),
    "HostIndex.add": lambda many, _: HostIndex(many).add(group(many)._replace(prefix="z")),
    "HostIndex.places": lambda many, _: HostIndex(many).places(many.host(10**9)),
    "HostIndex.ranges": lambda many, _: list(HostIndex(SOME).ranges(group(many))),
    "HostIndex.runs": lambda many, _: HostIndex(SOME).runs(group(many)),
    "HostIndex.indices": lambda many, _: HostIndex(SOME).indices(many),
    "HostIndex.mask": lambda many, _: HostIndex(SOME).mask(many),
    "host_index.single": lambda many, _: host_index.single(many.host(0)),
    "host_index.numbers_in": lambda many, _: list(host_index.numbers_in(many.host(0))),
    "Alternatives.add": lambda many, _: Alternatives().add((group(many).prefix, "-5")),
    "Alternatives.of": lambda many, _: list(noted(SOME).of(group(many))),
}
#: What constraints, queues and configurations do with them.
FURTHER: dict[str, Use] = {
    "equality": lambda many, text: (many == hostlist.parse(text).value, many == other_way(many)),
    "hash": lambda many, _: hash(many),
    "query": lambda _, text: parse_query(f"host:{text}"),
    "match": lambda _, text: match.match(named(text), demo().resources),
    "target": lambda _, text: target.find(text, demo().resources),
    "filter": lambda _, text: Filter(demo().resources).nodes(text),
    "queue": lambda many, _: demo().resources.mask_of_hosts(many),
    "configured": lambda _, text: configured.read_entries(
        [{"hosts": text, "cores": "0-3"}], Report("RFC 20")
    ),
}
SOME = hostlist.parse("dune[0-99],n[0-99]b,n1[0-99]b2,a[0-99]a,dune1[0-9]5").value


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


def of_module(module: ModuleType) -> set[str]:
    """The public functions of a module, and the public methods of its public classes."""
    found = set()
    for name, member in vars(module).items():
        if name.startswith("_") or getattr(member, "__module__", "") != module.__name__:
            continue
        if inspect.isfunction(member):
            found.add(f"{module.__name__.rpartition('.')[2]}.{name}")
        elif inspect.isclass(member):
            found |= {
                f"{name}.{inner}"
                for inner, method in vars(member).items()
                if not inner.startswith("_")
                and (inspect.isfunction(method) or isinstance(method, property))
            }
    return found


def test_the_table_has_every_public_function_of_hosts() -> None:
    assert set(USES) == set().union(*map(of_module, MODULES))


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("name", [*USES, *FURTHER])
def test_a_billion_hosts_cost_what_their_text_costs(name: str, text: str) -> None:
    use = (USES | FURTHER)[name]
    many = hostlist.parse(text).value
    use(many, text)  # what is imported and kept at first use is no matter
    start = time.process_time()
    use(many, text)
    assert time.process_time() - start < SECONDS
    tracemalloc.start()
    try:
        use(many, text)
        assert tracemalloc.get_traced_memory()[1] < MEMORY
    finally:
        tracemalloc.stop()


def test_the_same_hosts_however_they_are_divided_are_equal() -> None:
    for text in TEXTS:
        many = hostlist.parse(text).value
        assert many == other_way(many)
        assert hash(many) == hash(other_way(many))
    one, other = (hostlist.parse(text).value for text in ("a[15-115]0", "a1[50-150]"))
    assert (one.host(0), one.host(100)) == (other.host(0), other.host(100))
    assert one.count == other.count
    assert one != other
    assert hostlist.parse("foo1[8-12]").value == hostlist.parse("foo18,foo19,foo1[10-12]").value


def test_long_ranges_keep_their_brackets_before_a_suffix() -> None:
    size = MAX_WRITTEN_OUT
    few = hostlist.parse(f"n[1-{size}]-e,m[3]").value
    assert hosts.format(few).startswith("n1-e,n2-e,")
    many = hostlist.parse(f"x,n[1-{size}]-e,n[7-9]-e,n5-e,n[3]x").value
    assert hosts.format(many) == f"x,n[1-{size},7-9]-e,n5-e,n3x"


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


@given(st.lists(GROUPS, max_size=6))
def test_what_is_written_is_read_back(groups: list[HostRange]) -> None:
    wanted = read(groups)
    text = hosts.format(wanted)
    found = hostlist.parse(text)
    assert found.ok
    assert found.value == wanted
    assert hosts.format(found.value) == text


def test_a_number_behind_digits_is_read_back_as_it_was_written() -> None:
    many = hostlist.parse("foo0,foo1-eth0,foo1-eth1[00]").value
    assert list(many) == ["foo0", "foo1-eth0", "foo1-eth100"]
    assert hosts.format(many) == "foo0,foo1-eth[0,100]"


@given(st.lists(GROUPS, max_size=4), GROUPS)
def test_few_hosts_are_found_among_very_many(here: list[HostRange], wanted: HostRange) -> None:
    few = [one._replace(last=min(one.last, one.first + 40)) for one in here]
    index = HostIndex(read(few))
    expected = {place for place, name in enumerate(names(few)) if is_in(name, wanted)}
    assert set(index.indices(read([wanted]))) == expected


def is_in(name: str, group: HostRange) -> bool:
    """The range has a host of this name."""
    if not name.startswith(group.prefix) or not name.endswith(group.suffix):
        return False
    digits = name[len(group.prefix) : len(name) - len(group.suffix)]
    if not digits.isdigit():
        return False
    return group.first <= int(digits) <= group.last and group.name(int(digits)) == name
