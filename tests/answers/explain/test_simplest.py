"""A constraint in fewer characters matches the same nodes of every cluster."""

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.answers.explain import forms, simplest_laws, simplest_sets
from fluxtui.answers.explain.forms import bar_text
from fluxtui.answers.explain.meaning import meaning
from fluxtui.answers.explain.simplest import NOTHING, simplest
from fluxtui.answers.matching.match import match
from fluxtui.model.constraint import requires, tree
from fluxtui.model.constraint.tree import (
    And,
    Constraint,
    Everything,
    Hostlist,
    Not,
    Or,
    Properties,
    Ranks,
    to_json,
)
from fluxtui.model.resources import document as resources
from fluxtui.notation.query.format import from_constraint
from fluxtui.notation.sets.idset import IdSet
from tests.answers.explain.cases import Case, Machine, clusters, document, holds, texts
from tests.constraints import objects

NAMES = ("a", "b", "c", "{gen}", "x y", "k:v", "-m", "not", "a,b", "", "{", "é")
HOSTS = ("n[0-3]", "n5,n7", "m0[1-4]", "n[0-7]", "zz", "n1", "m1", "n1,n1", "", ",", "m[08-11]")
RANKS = ("0", "3-9", "0-30", "12,14,20-25", "99", "[1-2]", "", "[]", "1,,2")

odd_names = st.builds(str.__add__, st.sampled_from(("", "", "^")), st.sampled_from(NAMES))
odd = objects(odd_names, st.sampled_from(HOSTS), st.sampled_from(RANKS))


@st.composite
def odd_clusters(draw: st.DrawFn) -> Case:
    """Up to 10 nodes that have some of the odd properties."""
    ranks = sorted(draw(st.sets(st.integers(0, 30), min_size=1, max_size=10)))
    host = st.sampled_from([f"n{i}" for i in range(8)] + ["m01", "m08", "m10", "zz"])
    some = st.frozensets(st.sampled_from([name for name in NAMES if name]))
    nodes = [Machine(rank, draw(host), draw(some)) for rank in ranks]
    return Case(resources.read(document(nodes)), tuple(nodes))


def read(obj: Any) -> Constraint:
    value = tree.read(obj).value
    assert value is not None
    return value


def asked(text: str) -> Constraint:
    """What a text of the bar asks for."""
    reading = requires.read(text)
    assert reading.ok, (text, reading.problems)
    return Everything() if reading.constraint is None else reading.constraint


def written(obj: Constraint, *, is_json: bool) -> str:
    """The text without any law of logic."""
    text = None if is_json else from_constraint(to_json(obj))
    return json.dumps(to_json(obj), ensure_ascii=False) if text is None else text


@given(odd_clusters(), odd, st.booleans())
def test_the_text_asks_for_the_same_in_no_more_characters(
    case: Case, obj: dict[str, Any], is_json: bool
) -> None:
    before = read(obj)
    text = bar_text(before, is_json=is_json)
    found = asked(text)
    assert match(found, case.resources) == match(before, case.resources), text
    assert bar_text(found, is_json=is_json) == text
    plain = written(before, is_json=is_json)
    # Where only the laws find a query, it may be longer than the JSON.
    if is_json or plain[:1] != "{":
        assert len(text) <= len(plain)


@given(clusters(), texts, st.booleans())
def test_so_does_what_is_typed(case: Case, typed: str, is_json: bool) -> None:
    reading = requires.read(typed)
    assert reading.constraint is not None
    text = bar_text(reading.constraint, is_json=is_json)
    assert match(asked(text), case.resources) == match(reading.constraint, case.resources)
    assert bar_text(asked(text), is_json=is_json) == text
    for node in case.nodes:
        assert holds(to_json(asked(text)), node) is holds(to_json(reading.constraint), node)


@given(odd_clusters(), odd, st.booleans())
def test_a_constraint_is_made_simple(case: Case, obj: dict[str, Any], is_json: bool) -> None:
    found = simplest(read(obj), is_json=is_json)
    assert read(to_json(found)) == found
    assert match(found, case.resources) == match(read(obj), case.resources)


@given(odd)
def test_what_is_written_as_it_is_says_the_same(obj: dict[str, Any]) -> None:
    text = from_constraint(obj)
    if text:
        assert not text.startswith("{")
        tolerated = any(rank in str(obj) for rank in ("1,,2", "'['"))
        assert tolerated or meaning(asked(text)) == meaning(read(obj)), text


few = objects(st.sampled_from(("a", "b")), st.sampled_from(("n1", "n2")), st.sampled_from("012"))


@given(clusters(), few, few)
def test_equal_meanings_are_equal_on_every_cluster(
    case: Case, one: dict[str, Any], other: dict[str, Any]
) -> None:
    if meaning(read(one)) == meaning(read(other)):
        assert match(read(one), case.resources) == match(read(other), case.resources)
    simple = simplest(read(one))
    if meaning(simple) == meaning(read(one)):
        assert match(simple, case.resources) == match(read(one), case.resources)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("rank:0|x|rank:2", "x|rank:0,2"),
        ("-rank:0&-rank:1", "not (rank:1|rank:0)"),
        ("host:a|host:b", "host:b,a"),
        ("not (a&a|-c)", "-a&c"),
        ("not not (a|b)", "b|a"),
        ('{"or": [{"properties": ["a"]}, {}]}', "{}"),
        ('{"and": [{"properties": ["a"]}, {"not": []}]}', '{"ranks": ["[]"]}'),
    ],
)
def test_these_say_the_same(one: str, other: str) -> None:
    assert meaning(asked(one)) == meaning(asked(other))


# As few operands as can be

#: A node with every combination of properties: what is the same here is so on all clusters.
SMALL_CLUSTER = resources.read(
    document(
        [
            Machine(mask, "n0", frozenset(n for bit, n in enumerate("abc") if mask >> bit & 1))
            for mask in range(8)
        ]
    )
)


def smaller(obj: Constraint) -> Iterator[Constraint]:
    """The same without one operand."""
    if isinstance(obj, Properties) and len(obj.values) > 1:
        for at in range(len(obj.values)):
            yield Properties((*obj.values[:at], *obj.values[at + 1 :]))
    if isinstance(obj, And | Or | Not):
        for at, part in enumerate(obj.values):
            rest = (*obj.values[:at], *obj.values[at + 1 :])
            if rest:
                yield type(obj)(rest)
            for less in smaller(part):
                yield type(obj)((*obj.values[:at], less, *obj.values[at + 1 :]))


two_levels = st.builds(
    lambda outer, inner, rows, single: {
        outer: [{"properties": [one]} for one in single]
        + [{inner: [{"properties": [one]} for one in row]} for row in rows]
    },
    st.sampled_from(("and", "or")),
    st.sampled_from(("and", "or")),
    st.lists(st.lists(st.sampled_from(("a", "b", "c", "^a", "^c")), max_size=3), max_size=2),
    st.lists(st.sampled_from(("a", "b", "^b")), max_size=2),
)


@given(two_levels)
def test_no_operand_is_needless_beside_single_conditions(obj: dict[str, Any]) -> None:
    found = simplest(read(obj))
    mask = match(found, SMALL_CLUSTER)
    if not mask:  # a&-a has to be said somehow
        return
    for less in smaller(found):
        assert match(less, SMALL_CLUSTER) != mask, (obj, found, less)


@given(objects(st.sampled_from("ab"), st.sampled_from(("n0", "n1")), st.sampled_from(("0", "1"))))
def test_rows_hold_no_row_of_their_kind_and_nothing_twice(obj: dict[str, Any]) -> None:
    def check(one: Constraint) -> None:
        if isinstance(one, And | Or):
            assert len(set(map(meaning, one.values))) == len(one.values) > 1
            assert not any(isinstance(part, type(one) | Everything) for part in one.values)
            assert sum(isinstance(part, Ranks) for part in one.values) <= 1
            assert sum(isinstance(part, Hostlist) for part in one.values) <= 1
        if isinstance(one, Not) and one != NOTHING:
            assert not isinstance(one.values[0], Not | Everything)
        if isinstance(one, And | Or | Not):
            for part in one.values:
                check(part)

    check(simplest(read(obj)))


# One by one


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("gpu -debug -bigmem", "gpu&-debug&-bigmem"),
        ('{"ranks": ["0", "2"]}', "rank:0,2"),
        ('{"ranks": ["[0-3]"]}', "rank:0-3"),
        ('{"or": [{"properties": ["a"]}, {"or": [{"properties": ["b", "c"]}]}]}', "a|b,c"),
        ("a|(b|c)", "a|b|c"),
        ('{"not": [{"properties": ["^gpu"]}]}', "gpu"),
        ("not not gpu", "gpu"),
        ("gpu&gpu", "gpu"),
        ("not (a|b)", "-a&-b"),
        ("-a|-b", "-a,b"),
        ("-aa&-bb&-cc&-dd&-ee&-ff&-gg", "not (aa|bb|cc|dd|ee|ff|gg)"),
        ("a|a&b", "a"),
        ("a&(a|b)", "a"),
        ("a&b&c|x|b&a", "x|b,a"),
        ("a&(b|-a)", "a,b"),
        ("a|-a&b", "a|b"),
        ("a&(b|(c&(-a|x)))", "a&(b|c,x)"),
        ("(a|b)&(a|c)", "a|b,c"),
        ("gpu&batch|gpu&debug", "gpu&(batch|debug)"),
        ("a&b|a&-b", "a"),
        ("a|-a", ""),
        ("(a|b)&(c|d)|not ((a|b)&(c|d))", ""),
        ("x&(a|-a)", "x"),
        ("a&-a", "a&-a"),
        ("bb&(a|c)&-a&-c&rank:0", "a&-a"),
        ("rank:0&rank:1", "rank:0&rank:1"),
        ("rank:[]", "rank:[]"),
        ('{"hostlist": []}', '{"not": []}'),
        ("rank:0-3&rank:2-9", "rank:2-3"),
        ("rank:0-9&-rank:4-9", "rank:0-3"),
        ("rank:0-99&-rank:5,50,71", "rank:0-99&-rank:5,50,71"),
        ("-rank:0-9|rank:3", "-rank:0-2,4-9"),
        ("-rank:0&-rank:1", "-rank:0-1"),
        ("rank:0-9|x&rank:5", "rank:0-9"),
        ("rank:0-9&(x|rank:0-20)", "rank:0-9"),
        ("host:n1|host:n[2-3]|x|host:n5", "host:n[1-3,5]|x"),
        ("host:n1,n1", "host:n1"),
        ("host:n2,n1", "host:n2,n1"),
        ("host:n1,n2,n3", "host:n[1-3]"),
        ("host:n8,n[09-12]|host:n9", "host:n[8-12,09]"),
        ("host:n01|host:n8", "host:n8,n01"),
        ("host:a[1-2]-ib|host:a2-ib,b", "host:a[1-2]-ib,b"),
        ("host:n1[0-5]&host:n[12-20]", "host:n[12-15]"),
        ("'{gen}'|y", "'{gen}'|y"),
        ("'x y'&-'k l'&-'m n'", "'x y,^k l,^m n'"),
        ('{"properties": [""]}', ","),
        ('{"properties": ["^"]}', "^"),
    ],
)
def test_a_query(typed: str, text: str) -> None:
    assert bar_text(asked(typed), is_json=False) == text


@pytest.mark.parametrize(
    ("typed", "obj"),
    [
        ("a&-b&c", {"properties": ["a", "^b", "c"]}),
        ("a|(b|c)", {"or": [{"properties": ["a"]}, {"properties": ["b"]}, {"properties": ["c"]}]}),
        ("-a|-b", {"not": [{"properties": ["a", "b"]}]}),
        ("not not gpu", {"properties": ["gpu"]}),
        ("rank:0|rank:2", {"ranks": ["0,2"]}),
        ("not (rank:0&a)", {"not": [{"ranks": ["0"]}, {"properties": ["a"]}]}),
        ("a|-a", {}),
        ("a&-a", {"not": []}),
    ],
)
def test_json(typed: str, obj: dict[str, Any]) -> None:
    assert json.loads(bar_text(asked(typed), is_json=True)) == obj


def test_a_list_of_very_many_hosts_is_kept_as_it_is() -> None:
    """Numbers within a name are not looked at one by one."""
    long = "host:n[0-999999]-ib"
    assert bar_text(asked(f"a&({long}|b)&(a|c)"), is_json=False) == f"a&({long}|b)"
    assert bar_text(asked(f"{long}&-{long}|b"), is_json=False) == "b"
    assert bar_text(asked(f"{long}&(b|-{long})"), is_json=False) == f"{long}&b"


def test_a_joined_list_is_hashed_a_few_times_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not once for each of those it is made of."""
    parts = 0
    plain = IdSet.__hash__

    def counted(ids: IdSet) -> int:
        nonlocal parts
        parts += 1
        return plain(ids)

    monkeypatch.setattr(IdSet, "__hash__", counted)
    found = simplest(asked("|".join(f"host:n{at}x5" for at in range(200))))
    assert isinstance(found, Hostlist)
    assert parts < 30 * 200


def test_so_many_names_of_a_constraint_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simplest_sets, "MAX_NAMED", 500)
    count = 0
    tidied = simplest_sets._tidied

    def counted(one: Any) -> Any:
        nonlocal count
        count += one.last - one.first + 1
        return tidied(one)

    monkeypatch.setattr(simplest_sets, "_tidied", counted)
    typed = "|".join(f"host:{name}[000-400]x" for name in "abcd")
    assert simplest(asked(f"{typed}|gpu|gpu")) == asked(f"{typed}|gpu")
    assert count == 401


def test_what_is_large_is_not_looked_at_or_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """This runs with every key."""
    seen: list[Constraint] = []

    def counted(one: Constraint, **rest: Any) -> Constraint:
        seen.append(one)
        return simplest(one, **rest)

    monkeypatch.setattr(forms, "simplest", counted)
    large = "|".join(f"long{at}&-q" for at in range(60))
    assert len(bar_text(asked(f"{large}|gpu|gpu"), is_json=False)) < len(large)
    assert len(seen) == 1
    for typed in ("|".join(["a"] * 400), ",".join(["a" * 100] * 70)):
        assert bar_text(asked(typed), is_json=False) == typed
        assert json.loads(bar_text(asked(typed), is_json=True)) == to_json(asked(typed))
    assert len(seen) == 1


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("host:z[01-50]x|host:z[51-99]x|a,a", "host:z[01-99]x|a"),
        ("host:node[1-40]-ib|host:node[41-99]-ib|a,a", "host:node[1-99]-ib|a"),
        ("host:z[8-12]x&host:z[9-10,010,3]x", "host:z[9-10]x"),
        ("host:[1-3]-a|host:[4-9]-a", "host:[1-9]-a"),
        # One list would be longer, name by name.
        ("host:m[1-40]-0|host:m[41-99]-0|a,a", "host:m[1-40]-0|host:m[41-99]-0|a"),
    ],
)
def test_numbers_within_names_are_ranges_again(typed: str, text: str) -> None:
    assert bar_text(asked(typed), is_json=False) == text


def wide(count: int, outer: str, inner: str) -> Constraint:
    return read(
        {
            outer: [
                {inner: [{"properties": [f"p{(at * 7 + k * k * 31) % 97}"]} for k in range(3)]}
                for at in range(count)
            ]
        }
    )


@pytest.mark.parametrize(("outer", "inner"), [("and", "or"), ("or", "and")])
def test_time_grows_with_the_size(outer: str, inner: str) -> None:
    """Generous, since other work may run beside: a hundred terms take some milliseconds."""
    for count, most in ((33, 0.3), (1_000, 6.0)):
        start = time.process_time()
        bar_text(wide(count, outer, inner), is_json=False)
        assert time.process_time() - start < most


def test_what_is_cut_off_still_says_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simplest_laws, "WORK", 10)
    monkeypatch.setattr(simplest_laws, "PASSES", 1)
    monkeypatch.setattr(forms, "ROUNDS", 0)
    before = asked("(a|b)&(a|c)&(a|c|b)&(b|-a&(c|a))")
    text = bar_text(before, is_json=False)
    assert match(asked(text), SMALL_CLUSTER) == match(before, SMALL_CLUSTER)


def test_very_deep_constraints_have_a_text() -> None:
    obj: dict[str, Any] = {"properties": ["a"]}
    for level in range(33):
        obj = {"or": [{"properties": [f"o{level}"]}, {"and": [{"properties": [f"i{level}"]}, obj]}]}
    for is_json in (True, False):
        text = bar_text(read(obj), is_json=is_json)
        assert meaning(asked(text)) == meaning(read(obj))
