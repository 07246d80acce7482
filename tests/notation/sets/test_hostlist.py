"""Hostlists and the index of hosts (RFC 29): what is read, picked, found and written."""

import random
import re
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fluxtui.notation.query.completion import completions as query_completions
from fluxtui.notation.sets import hostlist
from fluxtui.notation.sets.host_index import HostIndex, HostNumbers, same_names
from fluxtui.notation.sets.hostlist import Builder, HostList, HostRange
from fluxtui.notation.sets.hostlist import format as format_hosts
from fluxtui.notation.sets.idset import IdSet, repeated, to_mask
from tests.each import for_each
from tests.notation.sets.host_expressions import RANGES, encode, hosts, joined, names, read
from tests.notation.sets.host_expressions import names as names_of
from tests.pace import within

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
        text = str(hosts)
        pieces = list(hostlist.pieces(hosts))
    assert text == written(list(hosts))
    assert "".join(pieces) == text
    assert format_hosts(hosts, 1000) == text


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
    hosts = read(groups)
    wanted = names_of(groups)
    assert list(hosts) == wanted
    assert hosts.count == len(wanted)
    assert [hosts.host(place) for place in range(len(wanted))] == wanted
    assert names_of(hosts.walk(start, stop)) == wanted[start:stop]
    parsed = hostlist.parse(str(hosts))
    assert parsed.ok
    again = hostlist.parse(encode(wanted)).value
    assert again == parsed.value == hosts
    assert hash(again) == hash(hosts)
    assert list(again) == wanted


def test_large_lists_stay_ranges() -> None:
    parsed = hostlist.parse("foo[0-99999999999]-eth[0],x[0-99999999999]")
    assert not parsed.ok
    hosts = hostlist.parse("x[0-99999999999]-e").value
    assert hosts.count == 10**11
    assert hosts.host(12345678901) == "x12345678901-e"
    assert format_hosts(hosts, 2) == "x0-e,x1-e,…"
    assert not hostlist.parse(f"x[{'9' * 5000}]").ok
    assert hostlist.parse("x" + "9" * 5000).value.count == 1


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
    for one, two in pairwise(found.walk()):
        names_of = [f"{one.prefix}{one.last + 1:0{width}d}" for width in (one.width, two.width)]
        counts_up = one.width and two.width and two.name(two.first) in names_of
        assert not (counts_up and len(set(names_of)) == 1)


# One index of hosts: by name, by range, by how names begin, and numbers; against every name


# By name and by range


@given(st.lists(RANGES, max_size=4), st.lists(RANGES, max_size=3))
def test_hosts_are_where_their_names_are(here: list[HostRange], wanted: list[HostRange]) -> None:
    listed, others = read(here), read(wanted)
    index = HostIndex(listed)
    asked = set(names(wanted))
    expected = sum(1 << place for place, name in enumerate(names(here)) if name in asked)
    assert index.mask(others) == expected
    assert to_mask(index.indices(others)) == expected
    for name in list(asked)[:5]:
        found = set(index.places(name))
        assert found == {place for place, host in enumerate(listed) if host == name}
    for group in others.walk():
        for first, last, place in index.runs(group):
            assert [listed.host(place + n - first) for n in range(first, last + 1)] == [
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


# By how names begin


_NAME = st.from_regex(r"\A[ab]{1,2}[0-9]{0,3}(-[ab])?\Z")


@given(st.lists(_NAME, max_size=12), st.from_regex(r"\A[ab]{0,2}[0-9]{0,2}-?\Z"))
def test_the_hosts_are_those_of_a_walk(names: list[str], typed: str) -> None:
    listed = hosts(",".join(names)) if names else HostList()
    index = HostIndex(listed)
    found = [(one.text, one.nodes) for one in index.beginning_with(typed, 500)]
    single = {name: nodes for name, nodes in found if "[" not in name and "," not in name}
    wanted = {n: c for n, c in Counter(listed).items() if n.startswith(typed) and n != typed}
    assert single == wanted
    for text, nodes in found:
        if text not in single:
            members = set(hosts(text))
            assert sum(Counter(listed)[name] for name in members) == nodes
            assert members <= {*wanted, typed}
            assert len(members) > 1
    places = {place for place, name in enumerate(listed) if name.startswith(typed)}
    assert set(index.places_beginning_with(typed)) == places


def test_a_property_that_is_absent_has_all_other_nodes() -> None:
    (found,) = query_completions("^g", 2, {"gpu": 3}, ranks=IdSet.between(0, 9))
    assert (found.text, found.nodes, found.description) == ("^gpu", 7, "7 nodes")
    (unknown,) = query_completions("^g", 2, {"gpu": 3})
    assert (unknown.text, unknown.nodes) == ("^gpu", None)


# Numbers for hosts

PIECES = st.sampled_from(
    ["a", "n1", "n01", "n10", "n010", "n[0-12]", "n[08-11]", "n[5,3,1]", "n[000-002]", "x1-eth2",
     "x[1-3]-eth2", "x1-eth[1-3]", "x[1-2]-io", "x2-io", "foo1[8-12]", "foo[110-119]", "9",
     "[7-11]", "n[3-3]", "n1,n1", "n[0-40]5", "n[0-400]", "n1[0-20]5", "x[0-20]-eth2",
     "x2-eth[0-20]", "n[00-30]5"]
)  # fmt: skip


@given(st.lists(st.lists(PIECES, max_size=4).map(",".join), max_size=5))
@example(["x[0-20]-eth2,x1-eth[1-3],x[0-20]-eth2"])
@example(["a[010-200]", "a[15-31]"])
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


@pytest.mark.parametrize("descending", [False, True])
def test_many_names_in_any_order(descending: bool) -> None:
    chance = random.Random(descending)
    numbers, by_name = HostNumbers(), {}
    for _ in range(40):
        picked = [chance.randrange(3000) for _ in range(40)]
        if descending:
            picked.sort(reverse=True)
        names = [f"n{number}" for number in picked]
        for name in names:
            by_name.setdefault(name, len(by_name))
        found, _ = numbers.add(hosts(",".join(names)))
        assert set(found) == {by_name[name] for name in names}
    assert list(numbers.hosts()) == list(by_name)


def test_ranges_stay_ranges() -> None:
    found = HostNumbers()
    found.add(hosts("n[0-999999]"))
    numbers, again = found.add(hosts("m,n[999990-1000009]"))
    assert str(numbers) == "999990-1000010"
    assert not again
    assert str(found.hosts()) == "n[0-999999],m,n[1000000-1000009]"
    assert str(repeated([(0, 5), (3, 8), (8, 9), (20, 21)])) == "3-5,8"
