"""Names that the cluster does not have: the closest ones, what else was meant, what to write."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.answers import matching
from fluxtui.answers.explain.explanation import explain
from fluxtui.answers.explain.names import Unknown, close_properties, hints, unknown
from fluxtui.answers.explain.relaxations import relaxations
from fluxtui.model.constraint import requires, tree
from fluxtui.model.constraint.tree import Constraint, to_json
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import MISSPELT, Problem
from fluxtui.notation.query.format import from_constraint
from tests.answers.explain.cases import DEMO, Case, clusters, constraints
from tests.constraints import expanded_hosts, expanded_ids
from tests.each import for_each, the
from tests.model.clusters import cluster
from tests.pace import seconds, within
from tests.test_messages import TABLE


def read(text: str) -> Constraint:
    return the(requires.read(text).constraint)


def mask_of(text: str) -> int:
    return matching.match(read(text), DEMO)


def only(text: str, cluster: Resources = DEMO) -> Unknown:
    (one,) = unknown(read(text), cluster)
    return one


# Against a look at every name


def named(obj: dict[str, Any], hosts: set[str], path: str = "") -> Iterator[tuple[str, str, str]]:
    """Every name of a constraint: its operator, itself, and the path at which it is told.

    Hosts in a row that are meant for properties are told as one list, at the path of the first.
    """
    for operator, values in obj.items():
        here = f"{path}.{operator}".removeprefix(".")
        mistaken = [operator == "properties" and value in hosts for value in values]
        for is_row, group in groupby(enumerate(values), lambda pair, of=mistaken: of[pair[0]]):
            some = [(f"{here}[{number}]", value) for number, value in group]
            whole = path if len(some) == len(values) else some[0][0]
            for at, value in some:
                if isinstance(value, dict):
                    yield from named(value, hosts, at)
                else:
                    yield operator, value, whole if is_row and len(some) > 1 else at


@given(clusters(), constraints)
def test_every_name_that_is_not_there_is_told(case: Case, obj: dict[str, Any]) -> None:
    there = {"", *(name for node in case.nodes for name in node.properties)}
    hosts, ranks = {node.host for node in case.nodes}, {node.rank for node in case.nodes}

    def is_there(operator: str, value: str) -> bool:
        if operator == "properties":
            return value.removeprefix("^") in there
        if operator == "hostlist":
            return expanded_hosts(value) <= hosts
        return expanded_ids(value) <= ranks

    missing = [path for what, value, path in named(obj, hosts) if not is_there(what, value)]
    found = unknown(the(tree.read(obj).value), case.resources)
    assert [one.problem.path for one in found] == list(dict.fromkeys(missing))
    for one in found:
        assert one.problem.severity == "warning"
        assert all(name.nodes > 0 for name in one.near)
        if one.kind == "host" and one.problem.code == MISSPELT:
            assert all(expanded_hosts(name.text) <= hosts for name in one.near)
        if one.instead is not None:
            assert matching.match(one.instead, case.resources) or one.kind == "property"


@given(st.text(st.sampled_from("abcxyz01-"), min_size=3, max_size=12), st.data())
def test_a_letter_that_is_wrong_is_found_among_thousands(word: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(word) - 1))
    wrong = word[:at] + data.draw(st.sampled_from(["", "q", word[at] + "q"])) + word[at + 1 :]
    names = [f"{word[::-1]}{number}" for number in range(2000)] + [word]
    found = close_properties(wrong, Resources(properties=dict.fromkeys(names, 1)))
    assert word in [one.text for one in found] or wrong == word


# What is offered; the words are in tests/messages.toml


@for_each("text", [row[0] for row in TABLE["names"]])
def test_what_is_offered_is_what_is_meant(text: str) -> None:
    one = only(text)
    assert [near.text for near in one.near] == [*one.problem.expected]
    if one.instead is None or one.term or len(one.near) > 1 or text.startswith("^"):
        return
    (near,) = one.near
    kind = text.partition(":")[0]  # of a name alone
    nodes = mask_of(near.text) or mask_of(f"{kind}:{near.text}")
    assert nodes.bit_count() == near.nodes
    assert matching.match(one.instead, DEMO) == nodes
    written = the(from_constraint(to_json(one.instead)))
    assert mask_of(written) == nodes


@for_each("text, wanted", [
    ("gpu 0-3,7 batch", "gpu&rank:0-3,7&batch"),
    ("debug|(gpu,dunegpu01,dunegpu02)", "debug|(gpu&host:dunegpu01,dunegpu02)"),
    ("dunegpu01,dunegpu02,gpu,164-170,172", "host:dunegpu[01-02]&gpu&rank:164-170,172"),
])  # fmt: skip
def test_a_list_beside_other_properties_is_put_right_in_one_change(text: str, wanted: str) -> None:
    explanation = the(explain(requires.read(text), DEMO))
    found = relaxations(explanation, unknown(read(text), DEMO), names_only=True)
    masks = [matching.match(one.constraint, DEMO) for one in found]
    assert masks == ([mask_of(wanted)] if mask_of(wanted) else [])


@for_each("some, text, near", [
    (cluster("4-11,16-19"), "rank:14-15", "16-17"),
    (cluster("4-11,16-19"), "rank:40-99", "4-11,16-19"),
    (cluster("0-3", "n[1-2,7-8]"), "host:n4", "n2 n7"),
    (cluster("0-3", "n[1-2,7-8]"), "host:N6", "n7 n2"),
    # A host that is named by a number comes before a rank.
    (cluster("0-3", "[1-4]"), "3", "host:3"),
    (cluster("0-3", "[1-4]"), "0", "rank:0"),
])  # fmt: skip
def test_close_names_of_a_cluster_with_gaps(some: Resources, text: str, near: str) -> None:
    assert [one.text for one in only(text, some).near] == near.split()


def test_hints_are_the_warnings_alone() -> None:
    (hint,) = hints(read("gpu,^bigmen"), DEMO)
    message = "no node has property 'bigmen'; did you mean bigmem (8 nodes)?"
    assert hint == Problem(message, None, "properties[1]", ("bigmem",), "RFC 31", "warning")
    assert hints(read('{"properties": ["gpu", ""]}'), DEMO) == ()
    (hint,) = hints(read("rank:0-300"), DEMO)  # all ranks there are need not be named twice
    assert hint.message == "ranks 196-300 are not in the cluster, which has 0-195"


# No key waits


def test_the_first_few_names_are_looked_for() -> None:
    found = unknown(read(" ".join(f"bigmem{number}" for number in range(8))), DEMO)
    assert [len(one.near) for one in found] == [1, 1, 1, 1, 1, 0, 0, 0]


def test_ten_thousand_properties_and_a_million_hosts_keep_no_key_waiting() -> None:
    count = 1_000_000
    names = {f"property{number}": "0" for number in range(10_000)}
    large = cluster(f"0-{count - 1}", f"node[0-{count - 1}]", **names)
    large.prepare()
    for text, closest in {
        "propetry77": "property77", "prperty-771": "property771", "host:ndoe77": "node77",
        "host:node[1000000-1000009]": "node[999990-999999]", "node07": "host:node7",
        "property1;property2": "property1&property2", "0-3,7": "rank:0-3,7",
        "rank:5-9999999": "5-999999",
    }.items():  # fmt: skip
        wanted = read(text)
        assert closest in [found.text for found in unknown(wanted, large)[0].near]
        assert seconds(lambda wanted=wanted: unknown(wanted, large)) < 0.016  # type: ignore[misc]
    torn = cluster(",".join(str(2 * number) for number in range(100_000)))
    torn.ranks.locate(torn.ranks)
    wanted = read("rank:5-999999")
    assert seconds(lambda: unknown(wanted, torn)) < 0.005


@for_each("word", ["a[", "500", "n7", "x;y"])
def test_many_words_in_one_expression_take_no_longer_than_one_by_one(word: str) -> None:
    wanted = read(",".join([word] * 3000))
    within(1, lambda: unknown(wanted, cluster("0-3", "n[0-3]", a="0")))
