"""One index of hosts: by name, by range, by how names begin, and numbers; against every name."""

import random
import time
from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fluxtui.notation.query.completion import completions as query_completions
from fluxtui.notation.sets import hostlist
from fluxtui.notation.sets.host_index import HostIndex, HostNumbers, same_names
from fluxtui.notation.sets.hostlist import HostList, HostRange
from fluxtui.notation.sets.idset import IdSet, repeated, to_mask
from tests.notation.sets.host_expressions import RANGES, hosts, names, read

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
    start = time.process_time()
    mask = racks.mask(hosts("rack7-n[5-900],rack999-n999"))
    assert (mask.bit_count(), mask >> 999_999) == (897, 1)
    assert names.mask(hosts("n1[0-99999999999]")).bit_count() == 100_000
    one = hosts(",".join(["n1"] * 3000))  # as of a test instance
    assert HostIndex(one).mask(one).bit_count() == 3000
    for typed in ("", "n", "n1", "n12345", "g99"):
        assert names.beginning_with(typed, 50)
    assert [one.text for one in gaps.beginning_with("n", 3)] == ["n0", "n2", "n4"]
    found = [one.text for one in gaps.beginning_with("n39999", 3)]
    assert found == ["n399990", "n399992", "n399994"]
    assert time.process_time() - start < 0.3


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
