"""What differs from one cluster to another."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.answers.compare import changes as changes_module
from fluxtui.answers.compare import pairing
from fluxtui.answers.compare.changes import Changes, changes, why_not_by_host
from fluxtui.model.resources.document import Resources
from fluxtui.notation.sets import hostlist, idset
from tests.answers.compare.clusters import Expected, Plain, expected, pairs, read


def ranks(resources: Resources, mask: int) -> set[int]:
    return set(resources.ranks_of(mask))


def told(found: Changes) -> Expected:
    """The changes in sets of ranks."""
    after = found.after
    return Expected(
        ranks(after, found.added),
        ranks(found.before, found.removed),
        ranks(after, found.moved),
        {
            (one.what, str(one.before), str(one.after)): set(after.ranks.pick(one.nodes))
            for one in found.resized
        },
        {turned.name: ranks(after, turned.gained) for turned in found.turned if turned.gained},
        {turned.name: ranks(after, turned.lost) for turned in found.turned if turned.lost},
    )


def found(before: list[Plain], after: list[Plain], by: str | None = None) -> Changes:
    result = changes(read(before), read(after), by)  # type: ignore[arg-type]
    assert result is not None
    return result


@given(pairs(), st.sampled_from(("host", "rank")), st.sampled_from((0, 1, 8)), st.booleans())
def test_it_is_what_a_look_at_each_node_says(
    pair: tuple[list[Plain], list[Plain]], by: str, few: int, is_long: bool
) -> None:
    before, after = pair
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairing, "FEW", few)  # however many runs there are
        patch.setattr(pairing, "LONG", 0 if is_long else 1 << 30)
        for module in (pairing, changes_module):
            patch.setattr(module, "BLOCK", 3)
        result = found(before, after, by)
        assert result.by == by
        wanted = expected(before, after, by)
        assert told(result) == wanted
        assert ranks(result.after, result.changed) == wanted.changed
        assert result.is_same == (set(before) == set(after))
        everything = {node.rank for node in after}
        assert ranks(result.after, result.same) == everything - wanted.added - wanted.changed


@given(pairs(shared_names=True))
def test_nodes_that_share_names_are_matched_by_rank(pair: tuple[list[Plain], list[Plain]]) -> None:
    before, after = pair
    result = found(before, after, "rank")
    assert told(result) == expected(before, after, "rank")
    names = [[node.host for node in nodes] for nodes in pair]
    own = all(len(set(listed)) == len(listed) for listed in names)
    result = found(before, after)
    assert result.by == ("host" if own else "rank")
    assert bool(result.why_ranks) == (not own)
    assert told(result) == expected(before, after, result.by)


@given(pairs(), st.integers(0, (1 << 30) - 1))
def test_masks_go_both_ways(pair: tuple[list[Plain], list[Plain]], mask: int) -> None:
    result = found(*pair)
    mask &= result.after.everything
    there = result.before_of(mask)
    assert result.pairing.carry((there,)) == [mask & ~result.added]
    hosts = {result.after.host(index) for index in idset.from_mask(mask & ~result.added)}
    assert {result.before.host(index) for index in idset.from_mask(there)} == hosts
    for index in range(result.after.node_count):
        old = result.pairing.node_before(index)
        assert (old is None) == bool(result.added >> index & 1)
        if old is not None:
            assert result.back.node_before(old) == index
            assert result.before.host(old) == result.after.host(index)


HOSTS = st.lists(
    st.sampled_from(
        [
            *("n[0-20]-e5", "n5-e[0-20]", "n5-e5", "n[0-9]-e5-x[1]", "n3-e[4-6]-x1", "n[08-11]"),
            *("n7-e[1-20]", "n[2-30]-e7x", "n9-e7x", "n1[0-3]", "n[0-5]0", "login", "n3-e5-x[0-9]"),
        ]
    ),
    max_size=4,
    unique=True,
).map(",".join)


@given(HOSTS, HOSTS, st.sampled_from((0, 1 << 30)))
def test_names_are_paired_however_they_are_written(one: str, other: str, long: int) -> None:
    before, after = hostlist.parse(one).value, hostlist.parse(other).value
    ours, theirs = list(before), list(after)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairing, "LONG", long)
        paired = pairing.by_host(before, after)
    if len(set(ours)) < len(ours) or len(set(theirs)) < len(theirs):
        assert paired is None  # a name that several nodes have
        return
    assert paired is not None
    assert list(paired.where) == [ours.index(n) if n in ours else len(ours) for n in theirs]


def test_nodes_without_names_are_matched_by_rank() -> None:
    nodes = [Plain(rank, "", "0", "", frozenset()) for rank in range(4)]
    result = found(nodes, nodes[1:])
    assert (result.by, result.why_ranks) == ("rank", "not every node has a host name")
    assert why_not_by_host(result.before, result.after)
    assert ranks(result.before, result.removed) == {0}
    named = [node._replace(host=f"n{node.rank}") for node in nodes]
    assert ranks(result.before, found(nodes, named).moved) == {0, 1, 2, 3}


def test_nothing_against_something() -> None:
    nodes = [Plain(rank, f"n{rank}", "0", "", frozenset(("gpu",))) for rank in range(4)]
    assert found([], []).is_same
    assert found([], nodes).added.bit_count() == found(nodes, []).removed.bit_count() == 4


def test_it_stops_when_it_is_not_wanted_any_more() -> None:
    nodes = [Plain(rank, f"n{rank}", "0", "", frozenset()) for rank in range(4)]
    assert changes(read(nodes), read(nodes[1:]), stop=lambda: True) is None
