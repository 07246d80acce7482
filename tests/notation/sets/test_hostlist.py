"""Hostlists and the index of hosts (RFC 29): what is read, picked, found and written.

What is done with hosts costs what their text costs, however many hosts it names.
"""

import re
import tracemalloc
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import example, given
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
from tests.each import for_each, the
from tests.notation.sets.host_expressions import RANGES, encode, hosts, joined, names, read
from tests.opened import demo
from tests.pace import seconds, within

huge = st.builds(
    lambda prefix, first, size: HostRange(prefix, first, first + size, 1, ""),
    st.sampled_from(["n", "m"]),
    st.integers(9, 99).map(lambda digits: 10**digits - 2),
    st.integers(0, 4),
)
whole = st.sampled_from(["bar", "n", "login-"]).map(lambda name: HostRange(name, 0, 0, 0, ""))
lists = st.lists(RANGES | huge | whole, max_size=8)


def written(wanted: list[str]) -> str:
    """The hostlist of some names, each looked at alone: what counts up, then what shares a prefix.

    A number belongs to a range where it is one more than the last, and written as that would be.
    """
    found: list[tuple[str, list[tuple[str, str]]]] = []
    for name in wanted:
        match = re.fullmatch(r"(.*?)([0-9]{1,100})", name)
        head, digits = match.groups() if match and not match[1][-1:].isdigit() else (name, "")
        if found and digits and found[-1][0] == head and found[-1][1]:
            first, last = found[-1][1][-1]
            if digits == f"{int(last) + 1:0{len(first) if first[0] == '0' else 1}d}":
                found[-1][1][-1] = first, digits
            else:
                found[-1][1].append((digits, digits))
        else:
            found.append((head, [(digits, digits)] if digits else []))
    return ",".join(_bracketed(head, parts) for head, parts in found)


def _bracketed(head: str, parts: list[tuple[str, str]]) -> str:
    texts = [first if first == last else f"{first}-{last}" for first, last in parts]
    if len(texts) == 1 and "-" not in texts[0]:
        return head + texts[0]
    return f"{head}[{','.join(texts)}]" if texts else head


@given(lists, st.sampled_from([1, 2, 3, 1 << 13]))
def test_the_text_is_that_of_the_names(groups: list[HostRange], block: int) -> None:
    hosts = read(groups)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hostlist, "_BLOCK", block)
        assert str(hosts) == "".join(hostlist.pieces(hosts)) == written(list(hosts))
    assert hostlist.format(hosts, 1000) == written(list(hosts))


@given(lists, st.lists(st.tuples(st.integers(0, 60), st.integers(-1, 9)), max_size=8))
def test_pick_in_any_order(groups: list[HostRange], spans: list[tuple[int, int]]) -> None:
    hosts = read(groups)
    every = list(hosts)
    for wanted in (spans, sorted(spans)):
        places = [(start, start + size) for start, size in wanted]
        expected = [name for start, stop in places for name in every[start : stop + 1]]
        picked = hosts.pick(places)
        assert list(picked) == expected
        assert picked.rows == joined(picked.walk()).rows  # what counts up is joined
        assert str(picked) == written(expected)
        for limit in (1, 3):
            first = list(hosts.pick(places, limit))
            assert first == expected[: len(first)]
            assert len(first) >= min(limit, len(expected))


@given(st.lists(RANGES, max_size=4), st.integers(0, 80), st.integers(0, 80))
def test_hosts_are_their_names(groups: list[HostRange], start: int, stop: int) -> None:
    hosts, wanted = read(groups), names(groups)
    assert list(hosts) == wanted
    assert [hosts.host(place) for place in range(hosts.count)] == wanted
    assert names(hosts.walk(start, stop)) == wanted[start:stop]
    for text in (str(hosts), encode(wanted)):
        again = hostlist.parse(text)
        assert again.ok
        assert (again.value, hash(again.value), list(again.value)) == (hosts, hash(hosts), wanted)


@for_each("text", [
    "node[0-99999]",
    "node[000000-099999]",
    ",".join(f"rack{n % 100}-n{n:05d}" for n in range(50_000)),
    ",".join(f"r{n}n[{','.join(str(m + m // 2) for m in range(2000))}]" for n in range(25)),
    "node[0-49999]-eth0",
], label=lambda text: text[:20])  # fmt: skip
def test_every_other_of_many_hosts_is_written_at_once(text: str) -> None:
    hosts = hostlist.parse(text).value
    places = [(place, place) for place in range(0, hosts.count, 2)]
    pieces = within(0.5, lambda: list(hostlist.pieces(hosts.pick(places))))
    assert "".join(pieces) == written(list(hosts)[::2])
    assert len(pieces[0]) < 150_000


@given(st.lists(st.from_regex(r"[a-c]{0,2}[0-9]{0,3}", fullmatch=True), max_size=30))
def test_names_count_up(wanted: list[str]) -> None:
    out = Builder()
    out.names(wanted[:3])
    out.names(wanted[3:])
    found = out.done()
    assert list(found) == [name for name in wanted if name]
    assert found.rows == joined(found.walk()).rows


# One index of hosts: by name, by range, by how names begin, and numbers; against every name

#: Ranges of a few hosts, and of very many.
GROUPS = RANGES | st.builds(
    lambda group, size: group._replace(last=group.first + size),
    RANGES.filter(lambda group: not group.suffix[:1].isdigit()),
    st.just(10**9),
)


def is_in(name: str, group: HostRange) -> bool:
    """The range has a host of this name."""
    if not name.startswith(group.prefix) or not name.endswith(group.suffix):
        return False
    digits = name[len(group.prefix) : len(name) - len(group.suffix)]
    if not digits.isdigit():
        return False
    return group.first <= int(digits) <= group.last and group.name(int(digits)) == name


@given(st.lists(RANGES, max_size=4), st.lists(GROUPS, max_size=3))
def test_hosts_are_where_their_names_are(here: list[HostRange], wanted: list[HostRange]) -> None:
    listed, others = read(here), read(wanted)
    assert hostlist.parse(hostlist.format(others)).value == others
    index, every = HostIndex(listed), names(here)
    expected = {at for at, name in enumerate(every) if any(is_in(name, one) for one in wanted)}
    assert index.mask(others) == sum(1 << place for place in expected)
    assert set(index.indices(others)) == expected
    for name in every[:5]:
        assert set(index.places(name)) == {at for at, host in enumerate(every) if host == name}
    for group in others.walk():
        for first, last, place in index.runs(group):
            assert every[place : place + last - first + 1] == [
                group.name(n) for n in range(first, last + 1)
            ]


def test_many_hosts_are_found_at_once() -> None:
    racks = HostIndex(hosts(",".join(f"rack{number}-n[0-999]" for number in range(1000))))
    names = HostIndex(hosts("n[1-900000],g[1-100000]"))
    gaps = HostIndex(hosts(f"n[{','.join(map(str, range(0, 400_000, 2)))}]"))
    one = hosts(",".join(["n1"] * 3000))  # as of a test instance

    def look() -> None:
        mask = racks.mask(hosts("rack7-n[5-900],rack999-n999"))
        assert (mask.bit_count(), mask >> 999_999) == (897, 1)
        assert names.mask(hosts("n1[0-99999999999]")).bit_count() == 100_000
        assert HostIndex(one).mask(one).bit_count() == 3000
        for typed in ("", "n", "n1", "n12345", "g99"):
            assert names.beginning_with(typed, 50)
        assert [one.text for one in gaps.beginning_with("n", 3)] == ["n0", "n2", "n4"]
        found = [one.text for one in gaps.beginning_with("n39999", 3)]
        assert found == ["n399990", "n399992", "n399994"]

    within(0.3, look)


_NAME = st.from_regex(r"\A[ab]{1,2}[0-9]{0,3}(-[ab])?\Z")


@given(st.lists(_NAME, max_size=12), st.from_regex(r"\A[ab]{0,2}[0-9]{0,2}-?\Z"))
def test_the_hosts_are_those_of_a_walk(names: list[str], typed: str) -> None:
    index = HostIndex(hosts(",".join(names)) if names else HostList())
    found = [(one.text, one.nodes) for one in index.beginning_with(typed, 500)]
    single = {name: nodes for name, nodes in found if "[" not in name and "," not in name}
    wanted = {n: c for n, c in Counter(names).items() if n.startswith(typed) and n != typed}
    assert single == wanted
    for text, nodes in found:
        if text not in single:
            members = set(hosts(text))
            assert sum(names.count(name) for name in members) == nodes
            assert members <= {*wanted, typed}
            assert len(members) > 1
    places = {place for place, name in enumerate(names) if name.startswith(typed)}
    assert set(index.places_beginning_with(typed)) == places


PIECES = st.sampled_from(
    ["a", "n1", "n01", "n10", "n010", "n[0-12]", "n[08-11]", "n[5,3,1]", "n[000-002]", "x1-eth2",
     "x[1-3]-eth2", "x1-eth[1-3]", "x[1-2]-io", "x2-io", "foo1[8-12]", "foo[110-119]", "9",
     "[7-11]", "n[3-3]", "n1,n1", "n[0-40]5", "n[0-400]", "n1[0-20]5", "x[0-20]-eth2",
     "x2-eth[0-20]", "n[00-30]5"]
)  # fmt: skip


@given(st.lists(st.lists(PIECES, max_size=4).map(",".join), max_size=5))
@example(["x[0-20]-eth2,x1-eth[1-3],x[0-20]-eth2"])
@example(["a[010-200]", "a[15-31]"])
@example([",".join(f"n{n * 7919 % 3001}" for n in range(at, at + 40)) for at in range(0, 1600, 20)])
def test_numbers_are_what_a_dictionary_of_names_gives(texts: list[str]) -> None:
    found = HostNumbers()
    known: dict[str, int] = {}
    for text in texts:
        listed = hostlist.parse(text).value
        names = list(listed)
        assert found.knows(listed) == all(name in known for name in names)
        for name in names:
            known.setdefault(name, len(known))
        numbers, again = found.add(listed)
        assert set(numbers) == {known[name] for name in names}
        assert set(again) == {known[name] for name in names if names.count(name) > 1}
        assert found.count == len(known)
    assert list(found.hosts()) == list(known)
    one, other = (hostlist.parse(",".join(part)).value for part in (texts[:2], texts[2:]))
    assert same_names(one, other) == (set(one) == set(other))


# A billion hosts

SECONDS = 0.2
MEMORY = 4_000_000

#: Texts of a few characters that name a billion hosts or more.
TEXTS = (
    "a[0063-042949672955]a", "n[0-1600000000]b", "n1[0-1600000000]b2,n[5-1600000000]",
    "dune0[0-1600000000]-5,dunegpu[0-1600000000]-0x5", "[0-1600000000]-x7,0-x[0-1600000000]",
)  # fmt: skip
SOME = hosts("dune[0-99],n[0-99]b,n1[0-99]b2,a[0-99]a,dune1[0-9]5")


def built(many: HostList) -> HostList:
    out = Builder()
    assert out.idlist("a", "7,0-4000000000", "-b") is None
    return joined(many.walk())


def in_halves(many: HostList) -> HostList:
    """The same hosts, each range in two."""
    styles, firsts, lasts = [], [], []
    for one in many.walk():
        middle = (one.first + one.last) // 2
        styles += [(one.prefix, one.width, one.suffix)] * 2
        firsts += [one.first, middle + 1]
        lasts += [middle, one.last]
    return HostList(styles, firsts, lasts)


def matched(text: str) -> int:
    return matching.match(the(tree.read({"hostlist": [text]}).value), demo().resources)


#: What there is to do with hosts: with themselves, an index, and documents that name them.
USES: tuple[Callable[[HostList, str], object], ...] = (
    lambda many, _: (many.count, many.host(many.count - 1), [*many.walk()], many.before),
    lambda many, _: (many.pick([(1, many.count - 2), (0, many.count)]), list(many.walk(5, 10**9))),
    lambda many, _: built(many),
    lambda many, _: (hostlist.format(many), hostlist.format(many, 5), repr(many)),
    lambda many, text: (many == hosts(text), many == in_halves(many), hash(many)),
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
    lambda _, text: matched(text),
    lambda _, text: target.find(text, demo().resources),
    lambda _, text: Filter(demo().resources).nodes(text),
    lambda many, _: demo().resources.mask_of_hosts(many),
    lambda _, text: read_table({"resource": {"config": [{"hosts": text, "cores": "0-3"}]}}),
)


@pytest.mark.parametrize("text", TEXTS)
def test_a_billion_hosts_cost_what_their_text_costs(text: str) -> None:
    many = hosts(text)
    for number, use in enumerate(USES):
        use(many, text)  # what is imported and kept at first use is no matter
        assert seconds(lambda use=use: use(many, text), runs=1) < SECONDS, number
        tracemalloc.start()
        try:
            use(many, text)
            assert tracemalloc.get_traced_memory()[1] < MEMORY, number
        finally:
            tracemalloc.stop()
    assert many == in_halves(many)
    assert hash(many) == hash(in_halves(many))


def test_lists_with_the_same_ends_may_differ() -> None:
    one, other = hosts("a[15-115]0"), hosts("a1[50-150]")
    assert (one.host(0), one.host(100)) == (other.host(0), other.host(100))
    assert one.count == other.count
    assert one != other
    assert hosts("foo1[8-12]") == hosts("foo18,foo19,foo1[10-12]")
