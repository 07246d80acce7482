"""The examples by our own readers, the search, and the stage list that ships."""

import json
import re
from collections import Counter
from typing import Any

import pytest

from fluxtui import library, workbench
from fluxtui.library import Example, stages
from fluxtui.model.constraint import requires, tree
from fluxtui.model.constraint.tree import to_json
from fluxtui.model.jobspec import jobspec
from fluxtui.model.jobspec.request import parse
from fluxtui.notation.query.format import from_constraint
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import to_resources
from fluxtui.workbench import Cluster
from tests.each import for_each, the
from tests.model.jobspecs import fits_schema
from tests.ui.documents import cluster, demo

ALL = library.entries()
USE_CASES_14 = [*(f"1.{number}" for number in range(1, 9)), *(f"2.{n}" for n in range(1, 10))]
USE_CASES_25 = ("1.1", "2.1", "2.2", "2.3", "2.4")


def of(id_: str) -> Example:
    """The example of this id."""
    (example,) = (example for example in ALL if example.id == id_)
    return example


def ids(words: str) -> list[str]:
    """The ids of what is found, best first."""
    return [example.id for example in library.find(words)]


def same(one: Any, other: Any) -> bool:
    """Equal in value and in kind: 1 is not 1.0. The order of keys is free."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


# What is there


def test_every_use_case_is_there_and_cannot_be_changed() -> None:
    found = {example.id for example in ALL}
    assert len(found) == len(set(ALL)) == len(ALL)
    assert {f"rfc46-{number}" for number in USE_CASES_14} <= found
    assert {f"rfc14-{number}" for number in (*USE_CASES_14, "example1", "example2")} <= found
    assert {f"rfc25-{number}" for number in (*USE_CASES_25, "example")} <= found
    counts = Counter(example.rfc for example in ALL)
    assert counts.pop("fluxtui") >= 10
    assert counts == {"RFC 25": 6, "RFC 14": 19, "RFC 46": 17, "RFC 31": 14}
    with pytest.raises(AttributeError):
        ALL[0].title = "another"  # type: ignore[misc]
    assert library.entries() is ALL


@for_each("example", ALL, label=lambda example: example.id)
def test_an_example_says_what_it_is(example: Example) -> None:
    assert example.id.startswith(example.rfc.replace(" ", "").lower() + "-")
    assert example.section
    assert 0 < len(example.title) <= 36
    assert not example.title.endswith(".")
    assert example.text.endswith(".")
    assert 1 <= len(re.findall(r"[.?!](?= |$)", example.text)) <= 3
    assert "  " not in example.text
    assert all(c.isprintable() for c in example.title + example.text)
    if example.rfc.startswith("RFC") and example.id[-1].isdigit() and "." in example.id:
        assert example.section == f"Use case {example.id.split('-')[1]}"
    assert example.shape or example.requires
    assert bool(example.requires) == (example.constraint is not None)


# Every one is legal


@for_each("example", ALL, label=lambda example: example.id)
def test_an_example_is_legal(example: Example) -> None:
    if example.shape:
        shape = parse_shape(example.shape)
        assert shape.problems == ()
        assert same(to_resources(shape), example.resources)
        assert parse(example.resources).refusals() == ()
    if example.constraint is not None:
        assert tree.read(example.constraint).problems == ()
        read = requires.read(example.requires)
        assert read.problems == ()
        assert same(to_json(the(read.constraint)), example.constraint)
        # JSON is shown only where no query says the same.
        assert read.is_json == (not from_constraint(example.constraint))
    if example.document is not None:
        document: Any = example.document
        verdict = jobspec.check(document)
        assert verdict.problems == ()
        assert fits_schema(document)
        assert example.resources is document["resources"]
        assert same(jobspec.system(document).get("constraints"), example.constraint)
        beyond = example.rfc == "RFC 14" and example.id != "rfc14-example1"
        beyond |= example.id in ("fluxtui-gigabytes", "fluxtui-inside")
        assert bool(verdict.v1_problems) == beyond


@for_each("number", USE_CASES_14)
def test_rfc_46_has_the_resources_of_rfc_14(number: str) -> None:
    ours, theirs = of(f"rfc46-{number}").resources, of(f"rfc14-{number}").resources
    if number == "2.2":  # RFC 46 says it is that of 1.1, whose label is another
        ours = [{**ours[0], "label": "myslot"}]
    assert same(ours, theirs)


# Finding


@for_each("example", ALL, label=lambda example: example.id)
def test_an_example_is_found_by_what_it_says(example: Example) -> None:
    assert library.find(example.id)[0] is example
    assert library.find(f"{example.rfc} {example.id.split('-', 1)[1]}")[0] is example
    said = [example.title, example.text.upper(), example.shape, example.requires]
    said += [one.command for one in example.equivalents]
    if example.constraint is not None:
        said.append(json.dumps(example.constraint))
    assert all(example in library.find(words) for words in said)


@for_each("words, first", [
    ("25 2.1", "rfc25-2.1"), ("rfc 14 2.4", "rfc14-2.4"), ("use case 1.8", "rfc14-1.8"),
    ("MPI", "fluxtui-mpi"), ("gpu", "fluxtui-gpu"), ("batch", "fluxtui-batch"),
    ("numa", "fluxtui-inside"),
    ("memory gb", "fluxtui-gigabytes"), ("preemptible-after", "fluxtui-preemptible"),
    ("salloc -N3-30", "rfc14-1.2"), ("slot=10/core=2", "rfc25-2.2"),
    ("gpus-per-task", "rfc25-2.4"), ("hostlist ssd", "rfc31-6"),
])  # fmt: skip
def test_the_best_comes_first(words: str, first: str) -> None:
    assert ids(words)[0] == first


def test_every_word_must_occur_and_a_title_counts_before_a_text() -> None:
    assert library.find("") == library.find("  ") == ALL
    assert ids("oar switch") == ["rfc14-1.7", "rfc14-1.5"]
    assert ids("oar nonesuch") == []
    assert set(ids("gpu mpi")) == set(ids("gpu")) & set(ids("mpi"))
    assert set(ids("dependencies")) == {"fluxtui-after", "rfc14-2.8"}
    assert ids("environment")[:2] == ["rfc14-2.7", "rfc46-2.7"]  # and the jobspec last
    found = library.find("property")
    in_title = ["property" in example.title.lower() for example in found]
    assert in_title == sorted(in_title, reverse=True)
    assert 0 < sum(in_title) < len(found)
    said = ["myapp" in example.text for example in library.find("myapp")]
    assert said == sorted(said, reverse=True)
    for words in ("(", "[", "\\", "*", "$^", "\x1b", "日本", "'", '"' * 50, "a" * 5000):
        assert all(isinstance(example, Example) for example in library.find(words))


# The stage list that ships: the examples of RFC 31, in a cluster's names


def count(on: Cluster, text: str) -> int:
    return workbench.start(on, "", text).ask.totals.nodes


def test_every_example_of_rfc_31_can_be_shown_on_the_demo_cluster() -> None:
    steps = stages.rfc31(demo().resources).steps
    examples = [example for example in ALL if example.rfc == "RFC 31"]
    for step, example in zip(steps, examples, strict=True):
        assert workbench.start(demo(), "", step.constraint).ask.problems == (), step
        if step.constraint != example.requires:
            assert 0 < count(demo(), step.constraint) < 196, step
            assert step.note.endswith(f"In the RFC: {example.requires}")
            continue
        assert (step.title, step.note) == (example.title, example.text)
        assert to_json(the(requires.read(step.constraint).constraint)) == example.constraint


def test_a_name_is_another_one_throughout() -> None:
    steps = {step.title: step for step in stages.rfc31(demo().resources).steps}
    step = steps["One of batch and debug"]
    assert step.constraint == "batch|debug"
    assert step.note.startswith("Nodes that have batch or debug. ")
    assert "dune[032-033]" in steps["Only these hosts"].note
    assert not any("slowgpu" in step.constraint for step in steps.values())


def test_what_a_cluster_has_no_names_for_is_left_out() -> None:
    def asked(on: Cluster) -> list[str]:
        return [step.constraint for step in stages.rfc31(on.resources).steps]

    plain = ["rank:0", '{"or": []}', '{"and": []}', '{"not": []}', "{}"]
    assert asked(cluster(0)) == plain
    assert asked(cluster(8)) == ["host:n[0-1]", "-host:n[0-1]", *plain]
    # Names that a query cannot take stand for nothing.
    odd = cluster(8, {"and": "0-3", "a:b": "0-3", "x": "2-5", "y": "4-7"})
    assert set(asked(odd)) >= {"x|y", "^x", "not (x y)"}
    own = [step for step in stages.rfc31(odd.resources).steps if "In the RFC:" in step.note]
    assert all(count(odd, step.constraint) for step in own)
