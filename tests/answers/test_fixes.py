"""What is offered to mend a jobspec, case by case."""

import copy
from typing import Any

from fluxtui.answers.fixes.finder import FixFinder
from fluxtui.model.jobspec import v1
from fluxtui.model.jobspec.request import parse
from fluxtui.notation.problem import Problem
from tests.answers.fixing import first_fixes, fixes, job, offered, said, shape_of
from tests.each import for_each
from tests.model.jobspecs import BASE, RFC14, changed

# A shape, and the V1 shape that the first fixes lead to.
FORMS = {
    "node=4": "node=4/slot/core",
    "slot=4/node": "node=4/slot/core",
    "core=4": "slot/core=4",
    "gpu=2": "slot/[core;gpu=2]",
    "[core=4;gpu=2]": "slot/[core=4;gpu=2]",
    "node/[core;gpu]": "node/slot/[core;gpu]",
    "node=2/socket=2/core=4": "node=2/slot/core=8",
    "node=2/socket=2/slot/core=4": "node=2/slot=2/core=4",
    "cluster=2/node=3/slot=2/[core=4;gpu]": "node=6/slot=2/[core=4;gpu]",
    "slot=2/node=2/core=3": "node=4/slot/core=3",
    "slot=2/gpu": "slot=2/[core;gpu]",
    "slot/[core=2;core=3]": "slot/core=5",
    "slot/core=2/gpu": "slot/[core=2;gpu=2]",
    "slot=2{a}/slot=3{b}/core": "slot=2{a}/core=3",
    "[slot{a}/core;slot{b}/gpu]": "slot{a}/core",
    "node/[slot=2/core;gpu=2]": "node/slot=2/core",
    "slot=3-30/node": "node=3/slot/core",
    "node=2+/slot/core=2,4": "node=2/slot/core=2",
    "node{label:default}/core": "node{label:default}/slot{default2}/core",
    "slot=2{default,+x}/core": "slot=2/core",
    "node=2/slot{default,+x}/core": "node=2{x}/slot/core",
    "node/slot/core{id:a,foo}": "node/slot/core",
}


@for_each("case", FORMS.items())
def test_the_first_fixes_lead_to_v1(case: tuple[str, str]) -> None:
    text, form = case
    document, _ = first_fixes(job(text))
    assert shape_of(document) == form


@for_each(
    "case",
    [
        ("node=4", "exactly one slot", ["put a slot in: node=4/slot/core"]),
        ("core=4", "node or slot at the top",
         ["put a slot in: slot/core=4", "make more and smaller slots: slot=4/core"]),
        ("node=2/socket=2/core=4", "only slot under node",
         ["put a slot in: node=2/slot/core=8 (approximate: without socket)",
          "make more and smaller slots: node=2/slot=8/core (approximate: without socket)",
          "make each socket a slot: node=2/slot=2/core=4 (approximate: without socket)"]),
        ("slot=2/node=2", "only core and gpu",
         ["write it as: node=4/slot/core (approximate: 4 slots in place of 2)"]),
        ("[slot{a}/core;slot{b}/core]", "exactly one resource",
         ["write it as: slot{a}/core (approximate: without slot 'b')"]),
        ("slot/core=4-16", "single integers", ["take the least: 4", "take the most: 16"]),
        ("slot/core=4+", "single integers", ["take the least: 4"]),
        ("slot=2-8/core=4+", "whole number for a count",
         ["take the least of every range", "take the least: 2", "take the most: 8"]),
        ("node/slot/core{foo}", "no key 'foo'", ["drop the key 'foo'"]),
        ("cluster=2/memory", "hold no slot",
         ["put a slot around all of it",
          "put a slot in: slot/core (approximate: without cluster, without memory)",
          "make each cluster a slot: slot=2/core (approximate: without cluster, without memory)"]),
    ],
)  # fmt: skip
def test_resources(case: tuple[str, str, list[str]]) -> None:
    text, part, labels = case
    assert [fix.label for fix in offered(job(text), part)] == labels


@for_each(
    "case",
    [
        ("version", ..., "needs its version", "version: 1", 1),
        ("version", 999, "version 1", "version: 1", 1),
        ("resources/0/count", ..., "needs a count", "count: 1", 1),
        ("resources/0/count", 0, "1 or more", "count: 1", 1),
        ("resources/0/count", "4", "single integers", "count: 4", 4),
        ("resources/0/count", "08", "leading zeroes", "count: 8", 8),
        ("resources/0/count", 4.0, "a count is a number", "count: 4", 4),
        ("resources/0/count", {"min": 8, "max": 2, "operator": "+", "operand": 1},
         "below the smallest", "count: 2 to 8",
         {"min": 2, "max": 8, "operator": "+", "operand": 1}),
        ("resources/0/count", {"min": 2, "max": 8, "operand": 2}, "needs operator beside",
         "count: 2 to 8 in steps of 2", {"min": 2, "max": 8, "operator": "+", "operand": 2}),
        ("resources/0/exclusive", "true", "true or false", "exclusive: true", True),
        ("resources/0/exclusive", 0, "true or false", "exclusive: false", False),
        ("resources/0/unit", 5, "unit is a string", "unit: '5'", "5"),
        ("resources/0/unit", True, "unit is a string", "unit: 'true'", "true"),
        ("resources/0/with/0/label", ..., "needs a label", "label: default", "default"),
        ("tasks/0/slot", "task", "no slot has", "tasks[0].slot: default", "default"),
        ("tasks/0/slot", ..., "needs its slot", "tasks[0].slot: default", "default"),
        ("tasks/0/command", "a 'b c'", "is a list", "split it into words", ["a", "b c"]),
        ("tasks/0/command", ["a", 5], "are strings", "make its words strings", ["a", "5"]),
        ("tasks/0/count", ..., "needs its count", "count: per_slot: 1", {"per_slot": 1}),
        ("tasks/0/count", 3, "is a dictionary", "total: 3", {"total": 3}),
        ("tasks/0/count", {"per_slot": 3}, "per_slot is 1", "per_slot: 1", {"per_slot": 1}),
        ("tasks/0/count", {"total": 4, "per_slot": 1}, "is one of", "drop total, keep per_slot",
         {"per_slot": 1}),
        ("tasks/0/count", {"per_resource": {"type": "core", "count": 1}}, "per_resource",
         "per_slot: 1", {"per_slot": 1}),
        ("tasks/0/count", {"total": 0}, "1 or more", "per_slot: 1", {"per_slot": 1}),
        ("attributes/system/duration", ..., "needs a duration", "duration: 0", 0),
        ("attributes/system/duration", "1h", "number of seconds", "duration: 3600, which is 1 hour",
         3600),
        ("attributes/system/dependencies", ["afterok:f1"], "is a dictionary", "wait for afterok:f1",
         [{"scheme": "afterok", "value": "f1"}]),
        ("attributes/system/dependencies", [{"scheme": "aftrok", "value": "f1"}],
         "did you mean afterok", "scheme: afterok", [{"scheme": "afterok", "value": "f1"}]),
        ("attributes/system/constraints", {"property": ["a"]}, "did you mean properties",
         "call the operator properties", {"properties": ["a"]}),
        ("attributes/system/constraints", {"properties": ["a|b"]}, "in its name",
         "read it as a query: a|b", {"or": [{"properties": ["a"]}, {"properties": ["b"]}]}),
        ("attributes/system/constraints", {"properties": ["a"], "ranks": ["0"]}, "one operator",
         "put an and around them", {"and": [{"properties": ["a"]}, {"ranks": ["0"]}]}),
        ("attributes/system/constraints", {"ranks": ["3-1"]}, "backwards", "drop the entry",
         {"ranks": []}),
    ],
)  # fmt: skip
def test_one_place(case: tuple[str, Any, str, str, Any]) -> None:
    place, value, part, label, after = case
    first = offered(changed(place, value), part)[0]
    assert first.label == label
    found: Any = first.document
    for step in place.split("/"):
        found = found[int(step) if step.isdigit() else step]
    assert found == after
    assert type(found) is type(after)


def test_a_key_in_the_wrong_place_moves() -> None:
    document = changed("attributes/duration", 60)
    del document["attributes"]["system"]["duration"]
    first = offered(document, "found 'duration'")[0]
    assert first.label == "move 'duration' to attributes.system"
    assert first.document["attributes"] == {
        "system": {**BASE["attributes"]["system"], "duration": 60}
    }


def test_a_misspelt_key_gets_its_name() -> None:
    document = changed("resources/0/cuont", 4)
    del document["resources"][0]["count"]
    for part in ("no key 'cuont'", "needs a count"):
        assert offered(document, part)[0].label == "call the key 'cuont' count"


def test_two_equal_labels_become_two() -> None:
    document = job("node/[slot{a}/core;slot{b}/gpu]")
    document["resources"][0]["with"][1]["label"] = "a"
    first = offered(document, "is taken by")[0]
    assert first.label == "label: a2"
    assert shape_of(first.document) == "node/[slot{a}/core;slot{a2}/gpu]"


def test_all_slots_without_labels_get_some() -> None:
    document = job("node/[slot{a}/core;slot{b}/gpu]")
    for slot in document["resources"][0]["with"]:
        del slot["label"]
    labels = [fix.label for fix in offered(document, "a slot needs a label")]
    assert labels == ["label the slots", "label: a"]


def test_a_new_slot_is_called_what_the_task_calls_it() -> None:
    document = job("node=4")
    document["tasks"][0]["slot"] = "task"
    assert shape_of(first_fixes(document)[0]) == "node=4/slot{task}/core"


@for_each(
    "case",
    [
        ("extra", 1, "no keys but the four",
         ["move 'extra' to attributes.user", "drop the key 'extra'"]),
        ("tasks/0/slot", "task", "no slot has",
         ["tasks[0].slot: default", "label the slot 'task'"]),
        ("tasks/0/count", {"per_slot": 3}, "per_slot is",
         ["per_slot: 1", "total: 48, as many tasks"]),
    ],
)  # fmt: skip
def test_all_that_may_be_done(case: tuple[str, Any, str, list[str]]) -> None:
    place, value, part, labels = case
    assert [fix.label for fix in offered(changed(place, value), part)] == labels


def test_exclusive_moves_to_the_node() -> None:
    document = job("node=2/slot{default,+x}/core")
    fix = offered(document, "exclusive only on node")[0]
    assert fix.label == "make the node exclusive instead"
    assert shape_of(fix.document) == "node=2{x}/slot/core"


def test_a_slot_for_the_canonical_form_goes_around_or_in() -> None:
    document = RFC14["2.8"] | {"resources": job("rack/node/memory")["resources"]}
    labels = [fix.label for fix in offered(document, "hold no slot")]
    assert labels[:2] == ["put a slot in the node", "put a slot around all of it"]


def test_what_is_not_touched_stays_the_same_object() -> None:
    document = changed("resources/0/with/0/with/1/count", "2-4")
    fix = offered(document, "single integers")[0]
    slot, new = document["resources"][0]["with"][0], fix.document["resources"][0]["with"][0]
    assert new["with"][1]["count"] == 2
    assert new["with"][0] is slot["with"][0]
    assert fix.document["tasks"] is document["tasks"]
    assert fix.document["attributes"] is document["attributes"]


def test_one_finder_for_all_problems_of_a_jobspec() -> None:
    document = job("[slot{a}/core=2+;node/memory]")
    before = copy.deepcopy(document)
    finder = FixFinder(document)
    for problem in said(document):
        found = fixes(problem, document)
        assert finder.fixes(problem) == found
        assert fixes(problem, document, 1) == found[:1]
    assert document == before


def test_no_fix_for_what_is_not_said_of_the_document() -> None:
    problem = said(job("node=4"))[0]
    assert fixes(problem, job("node/slot/core")) == ()
    assert fixes(Problem("strange", path="resources[7]", rule="RFC 14"), job("node=4")) == ()


def test_the_problem_of_a_shape_alone_has_fixes_too() -> None:
    document = job("cluster/node")
    request = parse(document["resources"])
    for problem in (*request.refusals(), *v1.refusals(request)):
        assert fixes(problem, document)


def test_labels_hold_no_control_characters() -> None:
    document = job("node/slot/core")
    word = "\x1b[31m" * 20
    document[word] = 1
    document["resources"][0][word] = 1
    document["tasks"][0]["slot"] = word
    document["attributes"][word] = 1
    for problem in said(document):
        for fix in fixes(problem, document):
            assert fix.label.isprintable(), fix.label
            assert len(fix.label) < 200
