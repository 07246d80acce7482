"""Words that are meant for something else than they are read as, and what to write for them."""

import time

import pytest

from fluxtui.answers import matching
from fluxtui.answers.explain.explanation import explain
from fluxtui.answers.explain.relaxations import relaxations
from fluxtui.model.constraint import requires
from fluxtui.model.constraint.tree import Not, to_json
from fluxtui.notation.query.format import from_constraint
from fluxtui.notation.sets.host_index import Named
from tests.answers.explain.cases import demo
from tests.answers.explain.test_names import only, quickest, unknown
from tests.each import for_each
from tests.model.clusters import cluster


@for_each(
    "case",
    [
        ("164", "'164' is a rank, not a property; write rank:164", "rank:164", 1),
        ("164-170", "'164-170' is a set of ranks, not a property; write rank:164-170 (7 nodes)",
         "rank:164-170", 7),
        ("0-3,7", "'0-3,7' is a set of ranks, not a property; write rank:0-3,7 (5 nodes)",
         "rank:0-3,7", 5),
        ("dunegpu01", "'dunegpu01' is a host, not a property; write host:dunegpu01",
         "host:dunegpu01", 1),
        ("dunegpu[01-03,07]",
         "'dunegpu[01-03,07]' is a list of hosts, not a property; write "
         "host:dunegpu[01-03,07] (4 nodes)", "host:dunegpu[01-03,07]", 4),
        ("dune001,dune002",
         "'dune001,dune002' is a list of hosts, not a property; write "
         "host:dune001,dune002 (2 nodes)", "host:dune001,dune002", 2),
        ("dunegpu[1-3]",
         "no node has property 'dunegpu[1-3]'; did you mean host:dunegpu[01-03] (3 nodes)?",
         "host:dunegpu[01-03]", 3),
        ("dunegpu[1-3,5]",
         "no node has property 'dunegpu[1-3,5]'; did you mean host:dunegpu[01-03,05] (4 nodes)?",
         "host:dunegpu[01-03,05]", 4),
        ("dunegpu1", "no node has property 'dunegpu1'; did you mean host:dunegpu01 (1 node)?",
         "host:dunegpu01", 1),
        ("dunegpu30", "no node has property 'dunegpu30'; did you mean host:dunegpu24 (1 node)?",
         "host:dunegpu24", 1),
        ("gpu-debug", "no node has property 'gpu-debug'; did you mean gpu -debug (18 nodes)?",
         "gpu -debug", 18),
        ("gpu;batch", "no node has property 'gpu;batch'; did you mean gpu&batch (24 nodes)?",
         "gpu&batch", 24),
        ("gpu+batch", "no node has property 'gpu+batch'; did you mean gpu&batch (24 nodes)?",
         "gpu&batch", 24),
        ("gpu//batch", "no node has property 'gpu//batch'; did you mean gpu&batch (24 nodes)?",
         "gpu&batch", 24),
        ("gpu/batch-debug",
         "no node has property 'gpu/batch-debug'; did you mean gpu&batch -debug (18 nodes)?",
         "gpu&batch -debug", 18),
        ("amd-mi250x@gpu-debug",
         "no node has property 'amd-mi250x@gpu-debug'; did you mean amd-mi250x@gpu -debug "
         "(12 nodes)?", "amd-mi250x@gpu -debug", 12),
        ("~gpu", "no node has property '~gpu'; did you mean ^gpu (172 nodes)?", "^gpu", 172),
        ("host:164", "'164' is a rank, not a host; write rank:164", "rank:164", 1),
        ("host:0-3,7", "'0-3,7' is a set of ranks, not a host; write rank:0-3,7 (5 nodes)",
         "rank:0-3,7", 5),
        ("host:gpu", "'gpu' is a property, not a host; write gpu", "gpu", 24),
        ("host:gpu,batch",
         "'gpu,batch' is a list of properties, not a host; write gpu,batch (24 nodes)", "gpu,batch",
         24),
    ],
)  # fmt: skip
def test_what_is_meant(case: tuple[str, str, str, int]) -> None:
    text, message, write, count = case
    one = only(text)
    assert (one.problem.message, one.near, one.term) == (message, (Named(write, count),), "")
    asked = requires.read(write).constraint
    assert asked is not None
    assert one.instead is not None
    assert matching.match(asked, demo()).bit_count() == count
    assert matching.match(one.instead, demo()) == matching.match(asked, demo())
    written = from_constraint(to_json(one.instead))
    assert written is not None
    again = requires.read(written).constraint
    assert again is not None
    assert matching.match(again, demo()) == matching.match(asked, demo())


@for_each(
    "case",
    [
        ("qqq-zzz", "no node has property 'qqq-zzz'"),
        ("500", "no node has property '500'"),
        ("gpu-", "no node has property 'gpu-'; did you mean gpu (24 nodes)?"),
        ("+gpu", "no node has property '+gpu'; did you mean gpu (24 nodes)?"),
        ("gpu&a[0-3", "no node has property 'a[0-3'"),
        ("host:500", "host '500' is not in the cluster"),
    ],
)
def test_no_guess_where_nothing_fits(case: tuple[str, str]) -> None:
    text, message = case
    assert only(text).problem.message == message


def test_a_list_beside_other_properties_is_told_once() -> None:
    reading = requires.read("gpu 0-3,7 batch")
    assert reading.constraint is not None
    (one,) = unknown(reading.constraint, demo())
    assert one.problem.message.startswith("'0-3,7' is a set of ranks, not a property")
    assert (one.problem.path, one.term) == ("properties[1]", "")


@for_each(
    "case",
    [
        ("gpu,dunegpu01,dunegpu02", "gpu&host:dunegpu01,dunegpu02"),
        ("debug|(gpu,dunegpu01,dunegpu02)", "debug|(gpu&host:dunegpu01,dunegpu02)"),
        ("dunegpu01,dunegpu02,gpu,164-170,172", "host:dunegpu[01-02]&gpu&rank:164-170,172"),
    ],
)
def test_a_list_beside_other_properties_is_put_right_in_one_change(case: tuple[str, str]) -> None:
    text, wanted = case
    reading, asked = requires.read(text), requires.read(wanted).constraint
    explained = explain(reading, demo())
    assert reading.constraint is not None
    assert asked is not None
    assert explained is not None
    found = relaxations(explained, unknown(reading.constraint, demo()), names_only=True)
    mask = matching.match(asked, demo())
    assert mask
    assert [matching.match(one.constraint, demo()) for one in found] == [mask]


@for_each(
    "case",
    [
        ("-gpu-debug", "(gpu -debug)"),
        ("not (gpu-debug batch)", "(gpu -debug)"),
        ("^gpu-debug", "(gpu -debug)"),
        ("gpu-debug|batch", "(gpu -debug)"),
        ("-gpu;batch", "(gpu&batch)"),
        ("^~gpu", "(^gpu)"),
        ("-~gpu", "^gpu"),
        ("batch gpu-debug", "gpu -debug"),
    ],
)
def test_a_row_that_is_negated_is_told_in_parentheses(case: tuple[str, str]) -> None:
    text, write = case
    one = only(text)
    assert [found.text for found in one.near] == [write]
    assert f"did you mean {write} (" in one.problem.message


@pytest.mark.parametrize("text", ["gpu,-debug", "-gpu,-debug"])
def test_a_minus_behind_a_comma_is_told_by_the_query_alone(text: str) -> None:
    (told,) = requires.read(text).problems
    assert told.message.startswith("write a space, not a comma, before '-debug'")
    one = only(text)
    assert (one.problem.message, one.near) == ("no node has property '-debug'", ())


def test_what_excludes_a_host_or_several_names_is_turned_round() -> None:
    for text, count in (("^dune001", 195), ("^gpu;batch", 172)):
        one = only(text)
        assert isinstance(one.instead, Not)
        assert matching.match(one.instead, demo()).bit_count() == count


def test_names_that_hold_such_signs_are_found_whole() -> None:
    some = cluster("0-3", "n[0-3]", **{"a-b": "0-2", "a": "3", "c": "1-3", "+q": "0-1", "b": "0"})
    assert [one.text for one in only("a-b-c", some).near] == ["a-b -c"]
    assert [one.text for one in only("c;+q", some).near] == ["c&+q"]
    assert [one.text for one in only("c-+q", some).near] == ["c -+q"]
    # What is a property is one, whatever it looks like.
    assert unknown(requires.read("a-b").constraint, some) == ()  # type: ignore[arg-type]
    for name in ("1-2", "n1", "not-a"):
        asked = requires.read(f"'{name}'").constraint
        assert asked is not None
        assert unknown(asked, cluster("0-3", "n[0-3]", **{name: "0"})) == ()


def test_a_host_that_is_named_by_a_number_comes_before_a_rank() -> None:
    for text, meant in (("3", "host:3"), ("0", "rank:0")):
        assert [one.text for one in only(text, cluster("0-3", "[1-4]")).near] == [meant]


def test_next_hosts_of_a_gap_are_told_on_both_sides() -> None:
    some = cluster("0-3", "n[1-2,7-8]")
    for host, near in (("n4", ["n2", "n7"]), ("n6", ["n7", "n2"]), ("N6", ["n7", "n2"])):
        assert [one.text for one in only(f"host:{host}", some).near] == near


def test_an_unknown_word_keeps_no_key_waiting() -> None:
    count = 100_000
    names = {f"property{number}": f"0-{number * 100}" for number in range(200)}
    large = cluster(f"0-{count - 1}", f"node[000000-{count - 1:06d}]", **names)
    large.prepare()
    texts = "property1;property2 0-3,7 node[1-4] node7 host:node999999 rank:5-999999"
    for text in texts.split():
        asked = requires.read(text).constraint
        assert asked is not None
        assert unknown(asked, large)[0].near
        # About a third of a millisecond on a quiet machine.
        assert quickest(lambda asked=asked: unknown(asked, large)) < 0.005  # type: ignore[misc]
    ranks = ",".join(str(2 * number) for number in range(count))
    torn = cluster(ranks)
    asked = requires.read("rank:5-999999").constraint
    assert asked is not None
    torn.ranks.locate(torn.ranks)
    assert quickest(lambda: unknown(asked, torn)) < 0.005


def test_many_words_in_one_expression_take_no_longer_than_one_by_one() -> None:
    some = cluster("0-3", "n[0-3]", a="0")
    for word in ("a[", "500", "n7", "x;y", "~z"):
        asked = requires.read(",".join([word] * 3000)).constraint
        assert asked is not None
        start = time.process_time()
        unknown(asked, some)
        assert time.process_time() - start < 1
