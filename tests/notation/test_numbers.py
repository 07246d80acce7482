"""Many numbers of a text read at a time: as if they were read one by one."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.notation.sets import bits, hosts, idset, numbers
from fluxtui.notation.sets.hostlist import parse as parse_hosts
from fluxtui.notation.sets.idset import IdSet

STEPS = st.lists(st.sampled_from([1, 1, 2, 3, 7, 50, 900, 10**5]), max_size=60)
SIGNS = st.sampled_from([*"0123456789,--", "", " ", "x", "\u00e9", "\uff11", "[", "00"])


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Idset texts, half of them with a character changed."""
    at = draw(st.sampled_from([0, 1, 8, 95, 9_990, 99_999_990]))
    parts = []
    for step in draw(STEPS):
        last = at + draw(st.sampled_from([0, 0, 0, 1, 5]))
        parts.append(str(at) if last == at else f"{at}-{last}")
        at = last + step
    text = ",".join(parts)
    if text and draw(st.booleans()):
        place = draw(st.integers(0, len(text) - 1))
        text = text[:place] + draw(SIGNS) + text[place + 1 :]
    return text


def one_by_one(text: str) -> list[int] | None:
    """The numbers of a text, each of which is larger than the one before; else None."""
    found: list[int] = []
    for part in re.split("[,-]", text):
        if not re.fullmatch("0|[1-9][0-9]*", part, re.ASCII):
            return None
        if found and int(part) <= found[-1]:
            return None
        found.append(int(part))
    return found


@pytest.fixture(params=[2, 16, 1 << 13])
def _blocks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numbers, "_BLOCK", request.param)


@pytest.mark.usefixtures("_blocks")
@given(texts())
def test_ascending(text: str) -> None:
    if not text or re.search("[^0-9,-]", text, re.ASCII):
        return
    expected = one_by_one(text)
    found = numbers.ascending(text.encode())
    if found is None:
        assert expected is None or expected[-1] >= 10**8
        return
    assert found.numbers.tolist() == expected
    gaps = [b - a for a, b in zip(found.numbers, found.numbers[1:], strict=False)]
    assert found.apart == (min(gaps, default=2) > 1)


@given(texts(), st.integers(0, 5))
def test_an_idset_is_the_same_however_it_is_read(text: str, offset: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(idset, "_LONG", 10**9)
        expected = idset.parse(text, offset)
        patch.setattr(idset, "_LONG", 0)
        found = idset.parse(text, offset)
    assert found == expected
    assert hash(found.value) == hash(expected.value)
    assert (str(found.value), found.value.count) == (str(expected.value), expected.value.count)
    if expected.value.count < 10_000:
        assert list(found.value.shifted(3)) == [id_ + 3 for id_ in expected.value]


@given(texts(), st.integers(0, 200))
def test_sets_that_were_read_in_two_ways_work_together(text: str, size: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(idset, "_LONG", 0)
        found = idset.parse(text).value
    if found.count > 10_000:
        return
    ids = set(found)
    others = IdSet.of(range(0, size, 3))
    assert set(found & others) == ids & set(others)
    assert set(found - others) == ids - set(others)
    assert set(found | others) == ids | set(others)
    assert found == IdSet.of(ids)
    assert IdSet.of(ids) == found
    assert set(others.locate(found)) == {id_ // 3 for id_ in ids & set(others)}
    assert found.lowest(2) == IdSet.of(sorted(ids)[:2])


@given(texts())
def test_a_mask_has_the_bits_of_the_ids(text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(idset, "_LONG", 0)
        found = idset.parse(text).value
    if found and found.last > 50_000:
        return
    mask = 0
    for id_ in found:
        mask |= 1 << id_
    assert bits.to_mask(found) == mask
    assert idset.from_mask(mask) == found
    # Ranges side by side, and in any order, are as good.
    pairs = [(n, n) for n in found][::-1]
    assert bits.fill([a for a, _ in pairs], [b for _, b in pairs], mask.bit_length()) == mask


@given(texts())
def test_a_hostlist_is_the_same_however_it_is_read(text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hosts, "_LONG", 10**9)
        expected = parse_hosts(f"n[{text}]-x,n[5,{text}]")
        patch.setattr(hosts, "_LONG", 0)
        found = parse_hosts(f"n[{text}]-x,n[5,{text}]")
    assert found.problems == expected.problems
    if expected.value.count < 10_000:
        assert list(found.value) == list(expected.value)


@given(st.lists(st.from_regex(r"[a-c]{0,2}[0-9]{0,3}", fullmatch=True), max_size=30))
def test_names_count_up(names: list[str]) -> None:
    out = hosts.Builder()
    out.names(names[:3])
    out.names(names[3:])
    found = out.done()
    assert list(found) == [name for name in names if name]
    assert [found.host(at) for at in range(found.count)] == list(found)
    for one, two in zip(found.ranges, found.ranges[1:], strict=False):
        names_of = [f"{one.prefix}{one.last + 1:0{width}d}" for width in (one.width, two.width)]
        counts_up = one.width and two.width and two.name(two.first) in names_of
        assert not (counts_up and len(set(names_of)) == 1)
