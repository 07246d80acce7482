"""Why nodes are in or out: what is said is true of them, and enough to decide."""

import json
import random
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fluxtui.answers.explain.target import find
from fluxtui.answers.explain.why import why, why_set
from fluxtui.model.constraint import requires
from fluxtui.model.constraint.tree import to_json
from tests.answers.explain import large
from tests.answers.explain.cases import Case, at_path, clusters, demo, explained, holds, texts
from tests.each import for_each
from tests.model.clusters import cluster


def decides(obj: dict[str, Any], known: dict[str, bool], path: str = "") -> bool | None:
    """Whether a constraint holds, where only some of its terms are known; None where it is open."""
    if path in known:
        return known[path]
    if not obj:
        return True
    ((operator, values),) = obj.items()
    if operator == "properties" and len(values) > 1:
        parts = [{"properties": [value]} for value in values]
    elif operator in ("and", "or", "not"):
        parts = values
    else:
        empty = {"properties": True, "hostlist": False, "ranks": False}
        return None if values else empty[operator]
    if not parts:
        return operator != "not"
    paths = (f"{path}.{operator}[{n}]".removeprefix(".") for n in range(len(parts)))
    found = [decides(part, known, here) for part, here in zip(parts, paths, strict=True)]
    if operator == "or":
        return True if True in found else None if None in found else False
    every = False if False in found else None if None in found else True
    return every if operator != "not" or every is None else not every


@given(clusters(), texts, st.integers(0))
def test_what_is_said_of_a_node_and_of_a_set_is_true(case: Case, text: str, mask: int) -> None:
    assume(requires.read(text).constraint is not None)
    explanation = explained(text, case.resources)
    obj = to_json(explanation.root.constraint)
    for index, node in enumerate(case.nodes):
        one = why(explanation, index)
        assert (one.rank, one.host) == (node.rank, node.host)
        assert one.matches == holds(obj, node)
        for part, held in one.holds:
            assert held == holds(at_path(obj, part.path), node)
        known = {path: holds(at_path(obj, path), node) for path in one.paths}
        assert decides(obj, known) is one.matches  # what is told is enough, whatever the rest
        lead = f"{one.name} {'matches' if one.matches else 'is out'}: "
        assert one.sentence.startswith(lead)
        assert not one.sentence.endswith((".", " "))
    for index in (-1, len(case.nodes)):
        with pytest.raises(IndexError):
            why(explanation, index)
    mask &= explanation.everything
    found = why_set(explanation, mask)
    chosen = [(index, node) for index, node in enumerate(case.nodes) if mask >> index & 1]
    out = {index for index, node in chosen if not holds(obj, node)}
    assert found.total == len(chosen)
    assert {index for index, _ in chosen if found.out >> index & 1} == out
    grouped: list[int] = []
    for group in found.groups:
        members = [index for index, _ in chosen if group.mask >> index & 1]
        assert group.count == len(members) > 0
        grouped += members
        part = at_path(obj, group.path)
        assert not any(holds(part, case.nodes[index]) for index in members)
    assert sorted(grouped) == sorted(out)


def said(text: str, host: str) -> str:
    cluster = demo()
    (index,) = cluster.host_index.places(host)[0][:1]
    return why(explained(text, cluster), index).sentence


NODE = "dune017"


@for_each(
    "row",
    [
        ("batch", NODE, "matches: it is in batch"),
        ("bigmem", NODE, "is out: it is not in bigmem"),
        ("gpu|bigmem", NODE, "is out: it is in neither gpu nor bigmem"),
        ("gpu&bigmem", NODE, "is out: it is in neither gpu nor bigmem"),
        ("gpu&batch", NODE, "is out: it is not in gpu"),
        ("batch&-debug", NODE, "matches: it is in batch and not in debug"),
        ("-batch", NODE, "is out: it is in batch"),
        ("-batch&-icelake", NODE, "is out: it is in batch and in icelake"),
        ("^batch", NODE, "is out: it is in batch"),
        ("not (batch&ssd)", NODE, "is out: it is in batch and in ssd"),
        ("not (gpu&bigmem)", NODE, "matches: it is in neither gpu nor bigmem"),
        ("not (gpu|batch)", NODE, "is out: it is in batch"),
        ("gpu|bigmem|login", NODE, "is out: it is in none of gpu, bigmem and login"),
        ("gpu|batch", NODE, "matches: it is in batch"),
        ("(gpu&ssd)|batch", NODE, "matches: it is in batch"),
        ("gpu&ssd|rack1", NODE, "matches: it is in rack1"),
        ("(batch&ssd)|gpu", NODE, "matches: it is in batch and in ssd"),
        ("gpu&-batch", NODE, "is out: it is in batch and not in gpu"),
        ("host:dune017", NODE, "matches: it is host dune017"),
        ("host:dune[018-020]", NODE, "is out: it is not among hosts dune[018-020]"),
        ("rank:20", NODE, "matches: it is rank 20"),
        ("rank:19", NODE, "is out: it is not rank 19"),
        ("-rank:20", NODE, "is out: it is rank 20"),
        ("rank:0-9", NODE, "is out: it is not among ranks 0-9"),
        ("-rank:0-99", NODE, "is out: it is among ranks 0-99"),
        ("gpu&host:dune001", NODE, "is out: it is not in gpu and not host dune001"),
        ("gpu|rank:0-9|host:dune001", NODE,
         "is out: it is not in gpu, not among ranks 0-9 and not host dune001"),
        ("nosuch", NODE, "is out: it is not in nosuch"),
        ("not not batch", NODE, "matches: it is in batch"),
        ("debug&(gpu|bigmem)", "dune145", "is out: it is in neither gpu nor bigmem"),
        ("debug&(gpu|bigmem)", "dunegpu13", "matches: it is in debug and in gpu"),
        ("gpu&-debug", "dunegpu13", "is out: it is in debug"),
        ("{}", NODE, "matches: nothing is asked of it"),
        ('{"not": []}', NODE, "is out: nothing can match this constraint"),
        ('{"hostlist": []}', NODE, "is out: nothing can match this constraint"),
        ('{"not": [{}]}', NODE, "is out: nothing can match this constraint"),
    ],
)  # fmt: skip
def test_what_is_said_of_a_node(row: tuple[str, str, str]) -> None:
    text, host, sentence = row
    assert said(text, host) == f"{host} {sentence}"


def chosen_mask(chosen: str) -> int:
    """The nodes of a property, of a name, or all, none or those not in debug."""
    cluster = demo()
    named = {"all": cluster.everything, "none": 0, **cluster.properties}
    named["not debug"] = cluster.everything ^ cluster.properties["debug"]
    return named[chosen] if chosen in named else find(chosen, cluster).value.mask


@for_each(
    "row",
    [
        ("batch&-debug", "gpu", "6 of 24 gpu nodes are out because they are in debug"),
        ("batch", "bigmem", "all 8 bigmem nodes are out because they are not in batch"),
        ("gpu", "gpu", "all 24 gpu nodes match"),
        ("gpu&-debug", "all",
         "172 of 196 nodes are out because they are not in gpu; 6 more because they are in debug"),
        ("-debug", "not debug", "all 174 nodes not in debug match"),
        ("-debug&gpu", "not debug",
         "156 of 174 nodes not in debug are out because they are not in gpu"),
        ("gpu", "dune001", "the node is out because it is not in gpu"),
        ("-host:dune001", "dune[001-002]", "1 of 2 nodes is out because it is host dune001"),
        ("gpu|bigmem", "login",
         "all 4 login nodes are out because they are in neither gpu nor bigmem"),
        ("gpu&debug|bigmem", "gpu",
         "18 of 24 gpu nodes are out because they are in neither debug nor bigmem"),
        ("not (rack1|rack2)", "all",
         "68 of 196 nodes are out because they are in rack1 or in rack2"),
        ("not (rack1|rack2)&ssd", "batch",
         "88 of 176 batch nodes are out because they are not in ssd; 32 more because they are "
         "in rack1"),
        ("gpu", "none", "the set has no node"),
        ("gpu", "4-5", "both nodes are out because they are not in gpu"),
        ("batch", "4-5", "both nodes match"),
        ("-gpu&gpu", "164-187",
         "all 24 gpu nodes are out because no node can satisfy both 'gpu' and 'not gpu'"),
        ("not (gpu|bigmem)", "164-187",
         "all 24 gpu nodes are out because 'not (gpu or bigmem)' has to hold"),
        ("gpu&-gpu", "0-163,188-195",
         "all 172 nodes not in gpu are out because no node can satisfy both 'not gpu' and 'gpu'"),
        ("-gpu", "164-187", "all 24 gpu nodes are out because 'not gpu' has to hold"),
        ("gpu&-gpu", "0-195",
         "172 of 196 nodes are out because they are not in gpu; 24 more because they are in gpu"),
    ],
)  # fmt: skip
def test_what_is_said_of_a_set(row: tuple[str, str, str]) -> None:
    text, chosen, sentence = row
    assert why_set(explained(text, demo()), chosen_mask(chosen)).sentence == sentence


def test_of_a_property_that_two_nodes_have() -> None:
    some = cluster("0-3", a="1-2", b="3")
    assert why_set(explained("a", some), 0b110).sentence == "both a nodes match"
    assert why_set(explained("b", some), 0b110).sentence == (
        "both a nodes are out because they are not in b"
    )


def one_by_one(steps: list[int], out: int) -> list[tuple[int, int]]:
    """The nodes that each step keeps out, those of the step that keeps most of them out first."""
    found = []
    steps = list(steps)
    while out:
        counts = [(out & ~mask).bit_count() for mask in steps]
        at = counts.index(max(counts))
        found.append((out & ~steps[at], max(counts)))
        out &= steps[at]
    return found


@settings(max_examples=25)
@given(clusters(), st.integers(1, 120), st.integers(0, 2**32), st.integers(0))
def test_the_step_that_keeps_most_out_is_first(
    case: Case, parts: int, seed: int, mask: int
) -> None:
    explanation = explained(large.query(random.Random(seed), parts), case.resources)
    clause, mask = explanation.logic, mask & explanation.everything
    steps = [inner.mask for inner in clause.parts] if clause.kind == "and" else [clause.mask]
    found = why_set(explanation, mask)
    expected = one_by_one(steps, mask & ~explanation.mask)
    assert [(group.mask, group.count) for group in found.groups] == expected


def test_many_reasons_are_counted() -> None:
    text = "&".join(f"-rank:{number}" for number in range(196))
    found = why_set(explained(text, demo()), demo().everything)
    assert len(found.groups) == 51
    assert sum(group.count for group in found.groups) == 196
    assert found.groups[-1].path == ""
    assert found.groups[-1].sentence == "146 of 196 nodes are out for other reasons"
    assert found.sentence == (
        "1 of 196 nodes is out because it is rank 0; 1 more because it is rank 1; "
        "1 more because it is rank 2; 1 more because it is rank 3; 192 more for other reasons"
    )


def test_what_is_alike_is_said_in_one() -> None:
    text = "&".join(f"(gpu|rank:{rank})" for rank in range(134)) + "&nosuch"
    assert said(text, "dune150") == (
        "dune150 is out: it is in neither gpu nor nosuch and not among ranks 0-133"
    )
    text = "|".join(f"host:dune{number:03}" for number in range(1, 60)) + "|rank:0|rank:0"
    assert said(text, "dune150") == (
        "dune150 is out: it is not among hosts dune[001-059] and not rank 0"
    )
    text = "|".join(f"(rack{n}&icelake&-rank:{n}-{n + 90})" for n in range(1, 99))
    sentence = why_set(explained(text, demo()), demo().everything).sentence
    assert len(sentence) < 500
    assert sentence.endswith(" more such things")


def test_nodes_that_share_a_host_are_told_apart_by_rank() -> None:
    some = cluster("0-2", "n1,n1,n2", a="1")
    explanation = explained("a", some)
    assert [why(explanation, index).sentence for index in range(3)] == [
        "n1 (rank 0) is out: it is not in a",
        "n1 (rank 1) matches: it is in a",
        "n2 is out: it is not in a",
    ]


def test_a_node_without_a_host_goes_by_its_rank() -> None:
    assert why(explained("a", cluster("4")), 0).sentence == "rank 4 is out: it is not in a"


def test_a_sentence_tells_a_few_things_and_counts_the_others() -> None:
    text = "|".join(f"p{number}" for number in range(40))
    assert said(text, "dune017") == (
        "dune017 is out: it is in none of p0, p1, p2, p3, p4, p5 and 34 more"
    )
    text = "&".join(f"-rank:{number},20" for number in range(10))
    assert said(text, "dune017").endswith("among ranks 5,20 and 4 more such things")
    long = json.dumps({"hostlist": [",".join(f"h{n}x" for n in range(200))]})
    assert len(said(long, "dune017")) < 140


def test_alternatives_stand_last_without_brackets() -> None:
    explanation = explained("(gpu&-debug)|bigmem", demo())
    told = why_set(explanation, explanation.resources.properties["ssd"] & ~explanation.mask)
    assert "they are not in bigmem and either not in gpu or in debug" in told.sentence
