import copy
import json
import subprocess
import sys
from typing import Any

import pytest

from fluxtui.model.jobspec import jobspec, submit_check, v1
from fluxtui.model.jobspec.request import parse
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.resources import to_resources
from tests.each import for_each
from tests.model.cases import Case, cases
from tests.model.jobspecs import BASE, RFC14, RFC25, changed


def test_use_cases_of_the_rfcs() -> None:
    for name, document in RFC25.items():
        verdict = jobspec.check(document)
        assert (verdict.canonical, verdict.v1) == (True, True)
        assert verdict.problems == verdict.v1_problems == submit_check.check(document) == ()
        paths = [warning.path for warning in verdict.warnings]
        assert paths == (["tasks[0].count.total"] if name == "2.1" else [])
        for which in ("canonical", "v1"):
            assert jobspec.schema_problems(document, which) == ()  # type: ignore[arg-type]
    for document in RFC14.values():
        verdict = jobspec.check(document)
        assert verdict.problems == jobspec.schema_problems(document, "canonical") == ()
        assert (verdict.canonical, verdict.v1) == (True, False)
        assert jobspec.schema_problems(document, "v1")


def test_environment_of_a_task() -> None:
    job = copy.deepcopy(RFC14["1.1"])
    job["tasks"][0]["attributes"] = {"environment": {"FOO": None, "BAR": "2"}}
    assert jobspec.check(job).canonical
    job["tasks"][0]["attributes"] = {"environment": {"FOO": 5}}
    assert [p.path for p in jobspec.check(job).problems] == ["tasks[0].attributes.environment.FOO"]


def problems(found: Any) -> list[str]:
    return [f"{problem.path or ''}: {problem.message}" for problem in found]


def of(text: str) -> list[dict[str, Any]]:
    return to_resources(parse_shape(text))


#: Shapes, and what RFC 25 refuses of them.
V1 = """
node/slot/core
slot/[gpu;core]
node{x}/slot/core
node/socket/slot/core
    resources[0].with[0]: RFC 25 allows only slot under node; found socket
[node/slot/core;node]
    resources: V1 wants exactly one resource at the top, node or slot; found 2
    resources[1]: a node holds exactly one slot in V1; found none
rack/node/slot/core
    resources[0]: RFC 25 allows only node or slot at the top; found rack
slot/gpu
    resources[0]: a slot needs a core in V1
slot/[core;memory]
    resources[0].with[1]: RFC 25 allows only core and gpu in a slot; found memory
slot/[core;core]
    resources[0].with[1]: a slot names core once in V1
node=2+/slot/core
    resources[0].count: V1 counts are single integers; found 2 or more
node=2,4/slot/core
    resources[0].count: V1 counts are single integers; found '2,4'
node/[slot{a}/core;slot{b}/core]
    resources[0].with: a node holds exactly one slot in V1; found 2
slot{a,x}/core{id:b}
    resources[0].exclusive: RFC 25 allows exclusive only on node; found on slot
    resources[0].with[0]: RFC 25 allows no key 'id' on a resource
slot/core/pu
    resources[0].with[0].with: RFC 25 allows nothing under core
node
    resources[0]: a node holds exactly one slot in V1; found none
"""


@for_each("case", cases(V1))
def test_why_not_v1(case: Case) -> None:
    assert problems(v1.refusals(parse(of(case.given)))) == case.lines
    assert parse(of(case.given)).errors == ()


#: Lists of resources, and what RFC 14 refuses of them.
RESOURCES = """
5
    resources: resources is a list; found 5
[]
    resources: resources holds at least one resource; it is empty
[7]
    resources[0]: a resource is a dictionary; found 7
[{}]
    resources[0]: a resource needs a type
    resources[0]: a resource needs a count
[{"type": "slot", "count": 0}]
    resources[0].count: a count is 1 or more; found 0
    resources[0]: a slot needs a label
    resources[0]: a slot needs a with: the resources in it
[{"type": "node", "count": 1, "with": []}]
    resources[0].with: with holds at least one resource; it is empty
[{"type": "node", "count": 1, "unit": 5, "label": null, "id": [], "exclusive": "x"}]
    resources[0].unit: unit is a string; found 5
    resources[0].label: label is a string; found null
    resources[0].id: id is a string; found a list
    resources[0].exclusive: exclusive is true or false; found a string
[{"type": "node", "count": 1, "exlusive": true}]
    resources[0]: a resource has no key 'exlusive'; did you mean exclusive?
[{"type": "a", "count": 1, "label": "a"}, {"type": "b", "count": 1, "label": "a"}]
    resources[1].label: the label 'a' is taken by resources[0]
"""


@for_each("case", cases(RESOURCES))
def test_why_not_rfc_14(case: Case) -> None:
    assert problems(parse(json.loads(case.given)).errors) == case.lines


def test_a_list_without_a_slot_is_refused_only_where_tasks_need_one() -> None:
    assert parse(of("node=4")).errors == ()
    assert problems(parse(of("node=4")).refusals()) == [
        "resources: the resources hold no slot, so no task can run"
    ]
    assert parse(of("node/slot/core")).refusals() == ()


#: Places in a legal jobspec with a value that RFC 14 refuses there; dots take it away.
REST = """
version = ...
    : a jobspec needs its version
version = "1"
    version: version is a whole number; found a string
tasks = ...
    : a jobspec needs its tasks
tasks = []
    tasks: tasks holds at least one task; it is empty
tasks/0 = 5
    tasks[0]: a task is a dictionary; found 5
tasks/0/command = ...
    tasks[0]: a task needs its command
tasks/0/command = []
    tasks[0].command: command names at least a program; it is empty
tasks/0/command = "app"
    tasks[0].command: command is a list of a program and its arguments; found a string
tasks/0/command = ["app", 5]
    tasks[0].command[1]: the words of a command are strings; found 5
tasks/0/slot = "other"
    tasks[0].slot: no slot has the label 'other'
tasks/0/count = 1
    tasks[0].count: the count of a task is a dictionary; found 1
tasks/0/count = {"per_slot": 1, "total": 2}
    tasks[0].count: the count of a task is one of per_slot, per_resource and total; found
        per_slot, total
tasks/0/count = {"per_slot": 1.0}
    tasks[0].count.per_slot: per_slot is a whole number of 1 or more; found 1.0
tasks/0/count = {"per_resource": {"type": "pu", "count": 1}}
    tasks[0].count.per_resource.type: the slot 'default' holds no pu
attributes = null
    attributes: attributes is a dictionary; found null
attributes/other = {}
    attributes.other: attributes hold only system and user; found 'other'
attributes/system/duration = "1h"
    attributes.system.duration: duration is a number of seconds, 0 or more; found a string
attributes/system/duration = Infinity
    attributes.system.duration: duration is a number of seconds, 0 or more; found inf
attributes/system/cwd = "here"
    attributes.system.cwd: cwd is an absolute path; found 'here'
attributes/system/environment = {"A": 1}
    attributes.system.environment.A: the value of A is a string, or null to unset it; found 1
attributes/system/dependencies = [{"scheme": "afterok"}]
    attributes.system.dependencies[0].value: a dependency has a value, which is a string; found
        nothing
attributes/system/constraints = ["gpu"]
    attributes.system.constraints: constraints is a dictionary; found a list
attributes/system/job = {"name": 5}
    attributes.system.job.name: the values of job are strings; found 5
"""


@for_each("case", cases(REST))
def test_what_rfc_14_says_of_the_rest(case: Case) -> None:
    verdict = jobspec.check(case.document)
    assert problems(verdict.problems) == case.lines
    assert not verdict.canonical
    assert not verdict.v1
    assert verdict.v1_problems


#: The same for RFC 25.
REST_OF_V1 = """
version = 2
    version: V1 has version 1; found 2
tasks/0/count/per_slot = 2
    tasks[0].count.per_slot: per_slot is 1 in V1; found 2
tasks/0/count = {"per_resource": {"type": "core", "count": 1}}
    tasks[0].count: V1 knows only per_slot and total; found per_resource
attributes/system = ...
    attributes: V1 needs attributes.system, with at least a duration
attributes/system/duration = ...
    attributes.system: V1 needs a duration; 0 leaves it to the queue
"""


@for_each("case", cases(REST_OF_V1))
def test_what_rfc_25_says_of_the_rest(case: Case) -> None:
    verdict = jobspec.check(case.document)
    assert verdict.canonical
    assert problems(verdict.v1_problems) == case.lines


def test_v1_has_one_task() -> None:
    verdict = jobspec.check(changed("tasks", BASE["tasks"] * 2))
    assert verdict.canonical
    assert problems(verdict.v1_problems) == ["tasks: V1 has exactly one task; found 2"]


@for_each(
    "case",
    [
        ("extra", 1, "extra"),
        ("tasks/0/colour", "red", "tasks[0]"),
        ("tasks/0/count", {"total": 2}, "tasks[0].count.total"),
        ("tasks/0/count", {"total": 99}, "tasks[0].count.total"),
    ],
)
def test_what_is_legal_and_surprising(case: tuple[str, Any, str]) -> None:
    path, value, where = case
    verdict = jobspec.check(changed(path, value))
    assert verdict.v1
    assert [(w.path, w.severity) for w in verdict.warnings] == [(where, "warning")]


def test_constraints_follow_rfc_31() -> None:
    job = changed("attributes/system/constraints", {"hots": ["a"]})
    found = jobspec.check(job).problems
    assert len(found) == 1
    assert (found[0].path or "").startswith("attributes.system.constraints")


@for_each("value", [None, 5, "text", []])
def test_no_document_at_all(value: Any) -> None:
    verdict = jobspec.check(value)
    assert not verdict.canonical
    assert not verdict.v1
    assert len(verdict.problems) == 1


def test_a_very_deep_document_is_refused_in_words() -> None:
    vertex: dict[str, Any] = {"type": "core", "count": 1}
    for _ in range(5000):
        vertex = {"type": "a", "count": 1, "with": [vertex]}
    job = {**BASE, "resources": [vertex]}
    assert not jobspec.check(job).canonical
    assert jobspec.schema_problems(job, "canonical")


@pytest.mark.parametrize("text", ["slot=10/core=2", "node=4/slot{task}/[core;gpu]"])
def test_build(text: str) -> None:
    job = jobspec.build(of(text), ["a", "b"], duration=60, constraints={"ranks": ["0"]}, queue="q")
    assert list(job) == ["version", "resources", "tasks", "attributes"]
    label = "task" if "task" in text else "default"
    assert job["tasks"] == [{"command": ["a", "b"], "slot": label, "count": {"per_slot": 1}}]
    assert job["attributes"]["system"] == {
        "duration": 60.0,
        "queue": "q",
        "constraints": {"ranks": ["0"]},
    }
    assert jobspec.check(job).v1


def test_build_without_a_slot_names_one_all_the_same() -> None:
    job = jobspec.build(of("node=4"), slot_label="task")
    assert job["tasks"][0]["slot"] == "task"
    assert problems(jobspec.check(job).problems) == ["tasks[0].slot: the resources hold no slot"]


def test_nothing_heavy_loads_before_it_is_wanted() -> None:
    code = (
        "import sys; from fluxtui.model.jobspec import jobspec; jobspec.build([]);"
        "print(sorted({'yaml', 'jsonschema', 'textual', 'rich'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
