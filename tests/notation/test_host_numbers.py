"""Numbers for hosts: each gets the next one when it is first named."""

import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fluxtui.notation.sets import hostlist
from fluxtui.notation.sets.host_index import HostIndex, HostNumbers
from fluxtui.notation.sets.hosts import format as format_hosts
from fluxtui.notation.sets.idset import repeated

PIECES = st.sampled_from(
    [
        *("a", "n1", "n01", "n10", "n010", "n[0-12]", "n[08-11]", "n[5,3,1]", "n[000-002]"),
        *(
            "x1-eth2",
            "x[1-3]-eth2",
            "x1-eth[1-3]",
            "x[1-2]-io",
            "x2-io",
            "foo1[8-12]",
            "foo[110-119]",
        ),
        *("9", "[7-11]", "n[3-3]", "n1,n1"),
        *("n[0-40]5", "n[0-400]", "n1[0-20]5", "x[0-20]-eth2", "x2-eth[0-20]", "n[00-30]5"),
    ]
)


@given(st.lists(st.lists(PIECES, max_size=4).map(",".join), max_size=5))
@example(["x[0-20]-eth2,x1-eth[1-3],x[0-20]-eth2"])
def test_it_is_what_a_dictionary_of_names_gives(texts: list[str]) -> None:
    found = HostNumbers()
    known: dict[str, int] = {}
    for text in texts:
        hosts = hostlist.parse(text).value
        names = list(hosts)
        for name in names:
            known.setdefault(name, len(known))
        numbers, again = found.add(hosts)
        assert set(numbers) == {known[name] for name in names}
        assert set(again) == {known[name] for name in names if names.count(name) > 1}
        assert found.count == len(known)
    assert list(found.hosts()) == list(known)


def test_ranges_stay_ranges() -> None:
    found = HostNumbers()
    found.add(hostlist.parse("n[0-999999]").value)
    numbers, again = found.add(hostlist.parse("m,n[999990-1000009]").value)
    assert str(numbers) == "999990-1000010"
    assert not again
    assert format_hosts(found.hosts()) == "n[0-999999],m,n[1000000-1000009]"


def test_what_stands_in_more_than_one_range() -> None:
    assert str(repeated([(0, 5), (3, 8), (8, 9), (20, 21)])) == "3-5,8"
    assert not repeated([(5, 9), (0, 4)])


@pytest.mark.parametrize("seed", range(4))
def test_many_names_in_any_order(seed: int) -> None:
    chance = random.Random(seed)
    numbers, by_name = HostNumbers(), {}
    for _ in range(40):
        picked = [chance.randrange(3000) for _ in range(40)]
        if seed % 2:
            picked.sort(reverse=True)
        names = [f"n{number}" for number in picked]
        for name in names:
            by_name.setdefault(name, len(by_name))
        found, _ = numbers.add(hostlist.parse(",".join(names)).value)
        assert set(found) == {by_name[name] for name in names}
    assert list(numbers.hosts()) == list(by_name)


@pytest.mark.parametrize(
    ("there", "asked"), [("a[010-200]", "a[15-31]"), ("n[029],n[028-100]", "n[15-31]")]
)
def test_a_range_without_padding_in_one_with_it(there: str, asked: str) -> None:
    many, few = hostlist.parse(there).value, hostlist.parse(asked).value
    assert HostIndex(many).mask(few) == 0
    numbers = HostNumbers()
    numbers.add(many)
    found, repeats = numbers.add(few)
    assert found.count == few.count
    assert not repeats
    assert numbers.count == len({*many, *few})
