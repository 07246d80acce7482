"""The resources of a jobspec as a tree, and what RFC 14, RFC 25 and their schemas refuse."""

import json
import subprocess
import sys
from typing import Any

from hypothesis import given

from fluxtui.model.jobspec import jobspec, verdicts
from fluxtui.model.jobspec.request import MAX_LEVELS, MAX_PROBLEMS, RequestVertex, parse, summary
from fluxtui.notation.problem import how_many
from tests.each import for_each
from tests.model.cases import Case, cases
from tests.model.jobspecs import BASE, JSON, RFC14, RFC25, changed, fits_schema, resources_of

SCHEMAS: tuple[Any, Any] = ("canonical", "v1")


def problems(found: Any) -> list[str]:
    return [f"{problem.path or ''}: {problem.message}" for problem in found]


def nested(levels: int) -> list[Any]:
    """Resources with so many levels."""
    vertex: dict[str, Any] = {"type": "core", "count": 1}
    for _ in range(levels - 1):
        vertex = {"type": "a", "count": 1, "with": [vertex]}
    return [vertex]


def test_use_cases_of_the_rfcs() -> None:
    for name, document in RFC25.items():
        verdict = jobspec.check(document)
        assert (verdict.canonical, verdict.v1) == (True, True)
        assert verdict.problems == verdict.v1_problems == verdicts.check_submission(document) == ()
        paths = [warning.path for warning in verdict.warnings]
        assert paths == (["tasks[0].count.total"] if name == "2.1" else [])
        assert all(fits_schema(document, which) for which in SCHEMAS)
    environment = changed("tasks/0/attributes", {"environment": {"FOO": None, "BAR": "2"}})
    for document in (*RFC14.values(), environment):
        assert jobspec.check(document).problems == ()
        assert fits_schema(document)
    for document in RFC14.values():
        assert not jobspec.check(document).v1
        assert not fits_schema(document, "v1")
    two = jobspec.check(changed("tasks", BASE["tasks"] * 2))
    assert problems(two.v1_problems) == ["tasks: V1 has exactly one task; found 2"]


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
    assert problems(jobspec.v1_resources(parse(resources_of(case.given)))) == case.lines
    assert parse(resources_of(case.given)).problems == ()


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
    assert problems(parse(json.loads(case.given)).problems) == case.lines


def test_a_list_without_a_slot_is_refused_only_where_tasks_need_one() -> None:
    assert parse(resources_of("node=4")).problems == ()
    assert problems(parse(resources_of("node=4")).refusals()) == [
        "resources: the resources hold no slot, so no task can run"
    ]
    assert parse(resources_of("node/slot/core")).refusals() == ()


#: Places in a legal jobspec with a value that RFC 14 or RFC 25 refuses; dots take it away.
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
tasks/0/attributes = {"environment": {"FOO": 5}}
    tasks[0].attributes.environment.FOO: the value of FOO is a string, or null to unset it; found 5
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
attributes/system/constraints = {"hots": ["a"]}
    attributes.system.constraints.hots: unknown operator 'hots'; did you mean hostlist?
attributes/system/job = {"name": 5}
    attributes.system.job.name: the values of job are strings; found 5
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


@for_each("case", cases(REST))
def test_why_not_the_rest(case: Case) -> None:
    verdict = jobspec.check(case.document)
    assert problems(verdict.problems or verdict.v1_problems) == case.lines
    assert verdict.canonical == ("V1" in case.lines[0])
    assert not verdict.v1
    assert verdict.v1_problems


@for_each("path, value, where", [
    ("extra", 1, "extra"),
    ("tasks/0/colour", "red", "tasks[0]"),
    ("tasks/0/count", {"total": 2}, "tasks[0].count.total"),
    ("tasks/0/count", {"total": 99}, "tasks[0].count.total"),
])  # fmt: skip
def test_what_is_legal_and_surprising(path: str, value: Any, where: str) -> None:
    verdict = jobspec.check(changed(path, value))
    assert verdict.v1
    assert [(w.path, w.severity) for w in verdict.warnings] == [(where, "warning")]


# What a schema can see: kinds of values, keys that must be there, how many.
BY_SCHEMA: dict[str, list[Any]] = {
    "version": [...],
    "resources": [[]],
    "resources/0/count": [
        *(0, "04", "1,,2", "[2", {"max": 2}, {"min": 2, "operator": "+", "operand": 1}),
        {"min": 1, "max": 2, "operator": "^", "operand": 2},
        {"min": 2, "max": 2, "operator": "*", "operand": 1},
    ],
    "resources/0/colour": ["red"],
    "resources/0/exclusive": ["yes"],
    "resources/0/with/0/label": [...],
    "resources/0/with/0/with": [..., []],
    "tasks/0/command": [[]],
    "tasks/0/count": [{}, {"per_slot": 0}],
    "attributes": [None],
    "attributes/system/duration": [-1],
    "attributes/system/cwd": ["here"],
    "attributes/system/environment": [{"A": 1}],
    "attributes/system/dependencies": [{}],
}
BY_THE_V1_SCHEMA: dict[str, list[Any]] = {
    "version": [2],
    "resources/0/type": ["rack"],
    "resources/0/count": ["2+"],
    "resources/0/with/0/exclusive": [True],
    "resources/0/with/0/with": [
        [{"type": "gpu", "count": 1}],
        [{"type": "core", "count": 1}] * 2,
    ],
    "tasks": [BASE["tasks"] * 2],
    "tasks/0/count": [{"per_slot": 2}],
    "attributes/system": [...],
    "attributes/system/duration": [...],
}


@for_each("case", [(path, value) for path, values in BY_SCHEMA.items() for value in values])
def test_schemas_refuse_what_the_rules_refuse(case: tuple[str, Any]) -> None:
    job = changed(*case)
    assert not jobspec.check(job).canonical
    for which in SCHEMAS:
        assert not fits_schema(job, which)


@for_each("case", [(path, value) for path, values in BY_THE_V1_SCHEMA.items() for value in values])
def test_the_v1_schema_is_narrower(case: tuple[str, Any]) -> None:
    job = changed(*case)
    verdict = jobspec.check(job)
    assert (verdict.canonical, verdict.v1) == (True, False)
    assert fits_schema(job, "canonical")
    assert not fits_schema(job, "v1")


PLACES = [
    *("version", "resources", "tasks", "attributes", "resources/0/count", "resources/0/type"),
    *("resources/0/with/0/label", "resources/0/with/0/with/0/count", "tasks/0/slot"),
    *("tasks/0/count", "attributes/system", "attributes/system/duration"),
]
SLIPS = [..., None, True, 0, 1, 2, 1.5, "", "2+", "3,5", "x", [], {}, {"min": 2}, [{}]]


@for_each("place", PLACES)
def test_a_schema_asks_no_more_than_the_rules(place: str) -> None:
    for value in SLIPS:
        job = changed(place, value)
        verdict = jobspec.check(job)
        assert not verdict.canonical or fits_schema(job, "canonical")
        assert not verdict.v1 or fits_schema(job, "v1")


def test_no_document_at_all_and_one_without_end() -> None:
    for value in (None, 5, "text", []):
        verdict = jobspec.check(value)
        assert (verdict.canonical, verdict.v1, len(verdict.problems)) == (False, False, 1)
    job = {**BASE, "resources": nested(5000)}
    assert not jobspec.check(job).canonical


@for_each("label", ["default", "task"])
def test_build(label: str) -> None:
    job = jobspec.build(
        resources_of(f"node=4/slot{{{label}}}/[core;gpu]"),
        ["a", "b"],
        duration=60,
        constraints={"ranks": ["0"]},
        queue="q",
    )
    assert list(job) == ["version", "resources", "tasks", "attributes"]
    assert job["tasks"] == [{"command": ["a", "b"], "slot": label, "count": {"per_slot": 1}}]
    system = {"duration": 60.0, "queue": "q", "constraints": {"ranks": ["0"]}}
    assert job["attributes"] == {"system": system}
    assert jobspec.check(job).v1
    bare = jobspec.build(resources_of("node=4"), slot_label=label)  # it names a slot all the same
    assert bare["tasks"][0]["slot"] == label
    assert problems(jobspec.check(bare).problems) == ["tasks[0].slot: the resources hold no slot"]


def test_nothing_heavy_loads_before_it_is_wanted() -> None:
    code = (
        "import sys; from fluxtui.model.jobspec import jobspec; jobspec.build([]);"
        "print(sorted({'yaml', 'textual', 'rich'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# The tree


def slot(label: str) -> dict[str, Any]:
    """A slot of a core."""
    return {"type": "slot", "count": 1, "label": label, "with": [{"type": "core", "count": 1}]}


def test_a_vertex_has_what_every_reader_of_it_wants() -> None:
    core = {"type": "core", "count": "2-4", "unit": "x", "id": "c", "label": 5}
    node = {"type": "node", "count": 3, "exclusive": True, "with": [slot("a"), 7, core]}
    request = parse([node])
    node, first, inner, number, last = request.walk()
    below = ["", ".with[0]", ".with[0].with[0]", ".with[1]", ".with[2]"]
    assert [vertex.path for vertex in request.walk()] == [f"resources[0]{path}" for path in below]
    assert (node.type, node.number, node.exclusive, node.depth) == ("node", 3, True, 0)
    assert (inner.above, inner.total, inner.depth) == ((node, first), 3, 2)
    assert (number.raw, number.type, number.is_readable, number.fields) == (7, None, False, {})
    assert (last.label, last.number, last.total) == (None, None, None)
    assert last.path_of("count") == "resources[0].with[2].count"
    assert list(node.below()) == [first, inner, number, last]
    assert list(request.slots()) == [first]
    assert (request.labels, request.slot("a"), request.slot([])) == (["a"], first, None)
    twice = parse([slot("a"), slot("a") | {"count": 2}])  # RFC 14 refuses it; the first counts
    assert twice.slot("a") is twice.roots[0]
    assert [problem.path for problem in twice.problems] == ["resources[1].label"]


def raws(vertex: RequestVertex) -> Any:
    """What a vertex was parsed from, put together again from the vertices."""
    if not vertex.is_readable:
        return vertex.raw
    inner = [raws(child) for child in vertex.children]
    return {**vertex.fields, "with": inner} if inner else dict(vertex.fields)


@given(JSON)
def test_anything_is_parsed_and_kept(value: Any) -> None:
    for resources in (value, [value], [{"type": "a", "with": value}, {"with": [value, value]}]):
        request = parse(resources)
        assert [raws(root) for root in request.roots] == (
            list(resources) if isinstance(resources, list) else []
        )
        for vertex in request.walk():
            siblings = request.roots if vertex.parent is None else vertex.parent.children
            assert siblings[vertex.index] is vertex


def test_what_is_nested_without_end_is_parsed_as_far_as_flux_core_goes() -> None:
    request = parse(nested(5000))
    assert sum(1 for _ in request.walk()) == MAX_LEVELS
    assert [problem.code for problem in request.problems] == ["resources-too-deep"]


@for_each("further", [0, 1, 2, 500])
def test_problems_that_are_left_out_are_counted(further: int) -> None:
    count = MAX_PROBLEMS + further
    found = parse([{"type": "core", "count": 1, "k": n} for n in range(count)]).problems
    assert len(found) == min(count, MAX_PROBLEMS + 1)
    assert how_many(found) == count
    if further > 1:
        assert found[-1].message == f"{further} more problems"
    tasks = [{"command": ["a"], "slot": "\0", "count": {"per_slot": 1}}] * count
    found = verdicts.check_submission({**BASE, "tasks": tasks})
    assert len(found) == min(count, MAX_PROBLEMS + 1)
    assert how_many(found) == count


# In words


@for_each("text, words", [
    ("slot=4/node", "4 slots of 1 node: 4 nodes in all"),
    ("node=4/slot/[core=8;gpu]",
     "4 nodes, each with 1 slot of 8 cores and 1 gpu: 32 cores, 4 gpus in all"),
    ("slot=10/core=2", "10 slots of 2 cores: 20 cores in all"),
    ("node=2+/slot/core=2-8", "2 or more nodes, each with 1 slot of 2 to 8 cores"),
    ("slot/node", "1 slot of 1 node: 1 node in all"),
    ("slot=1000/core=2", "1000 slots of 2 cores: 2,000 cores in all"),
    ("slot=2/[core=4;memory=2{unit:GB}]", "2 slots of 4 cores and 2 GB of memory"),
    ("slot=2/core=2,4,8", "2 slots of 2, 4 or 8 cores"),
    ("[node=2/slot/core=1;slot=3/core]",
     "2 nodes, each with 1 slot of 1 core and 3 slots of 1 core: 5 cores in all"),
    ("slot=2/flux-capacitor=3", "2 slots of 3 flux-capacitor: 6 flux-capacitor in all"),
    ("[" + ";".join(["core"] * 21) + "]", " and ".join(["1 core"] * 20) + " and 1 more"),
])  # fmt: skip
def test_summary(text: str, words: str) -> None:
    assert summary(resources_of(text)) == words
    assert summary([]) == ""
