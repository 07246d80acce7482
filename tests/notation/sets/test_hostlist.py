"""Hostlists (RFC 29): what is read, what is picked, what is written."""

import re
import time
from collections.abc import Iterable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.notation.sets import hostlist
from fluxtui.notation.sets.hostlist import Builder, HostList, HostRange
from fluxtui.notation.sets.hostlist import format as format_hosts
from tests.each import for_each
from tests.notation.sets.host_expressions import RANGES, encode, read
from tests.notation.sets.host_expressions import names as names_of

huge = st.builds(
    lambda prefix, first, size: HostRange(prefix, first, first + size, 1, ""),
    st.sampled_from(["n", "m"]),
    st.integers(9, 99).map(lambda digits: 10**digits - 2),
    st.integers(0, 4),
)
whole = st.sampled_from(["bar", "n", "login-"]).map(lambda name: HostRange(name, 0, 0, 0, ""))
lists = st.lists(RANGES | huge | whole, max_size=8)


def joined(groups: Iterable[HostRange]) -> HostList:
    out = Builder()
    for group in groups:
        out.add(group)
    return out.done()


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
    start = time.process_time()
    found = hosts.pick(places)
    pieces = list(hostlist.pieces(found))
    assert time.process_time() - start < 0.5
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
