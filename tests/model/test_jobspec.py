"""Resources of a jobspec as a tree; what RFC 14, RFC 25, schemas and flux-core refuse."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.model.jobspec import jobspec, verdicts
from fluxtui.model.jobspec.request import MAX_LEVELS, MAX_PROBLEMS, RequestVertex, parse, summary
from fluxtui.notation.problem import how_many
from tests.each import for_each
from tests.model.cases import Case, cases
from tests.model.jobspecs import BASE, JSON, RFC14, RFC25, changed, fits_schema, resources_of
from tests.recorded import Agree, rerun

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


#: What is refused, by whom; see `answers`.
RECORDED = Path(__file__).with_name("jobspecs.txt")


def answers(line: str) -> Iterator[str]:
    """What is said of the resources of a shape, of others, or of a legal jobspec with a change."""
    kind, _, text = line.partition(" ")
    if kind == "shape":
        assert parse(resources_of(text)).problems == ()
        yield from problems(jobspec.v1_resources(parse(resources_of(text))))
    elif kind == "summary":
        yield summary(resources_of(text)) or "(nothing)"
    elif kind == "refusals":
        assert parse(resources_of(text)).problems == ()
        yield from problems(parse(resources_of(text)).refusals())
    elif kind == "submission":
        document = BASE
        for place, value in json.loads(text).items():
            document = changed(place, value, document)
        yield from problems(verdicts.check_submission(document))
    elif kind == "list":
        yield from problems(parse(json.loads(text)).problems)
    else:
        document = Case(line, []).document
        verdict = jobspec.check(document)
        by_rules = {"canonical": verdict.canonical, "v1": verdict.v1}
        for name, holds in by_rules.items():
            words = ["yes" if one else "no" for one in (holds, fits_schema(document, name))]
            yield f"{name}: {words[0]}, by its schema {words[1]}"
        yield from problems(verdict.problems or verdict.v1_problems)
        yield from (f"warning {one}" for one in problems(verdict.warnings))
        assert bool(verdict.v1_problems) == (not verdict.v1)


def test_what_is_refused_is_as_recorded(agree: Agree) -> None:
    agree(RECORDED, rerun(RECORDED, answers))


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


def test_what_is_no_document_not_json_or_too_deep() -> None:
    for value in (None, 5, "text", []):
        verdict = jobspec.check(value)
        assert (verdict.canonical, verdict.v1, len(verdict.problems)) == (False, False, 1)
        assert verdicts.check_submission(value)[-1].message.startswith("a jobspec is a dictionary")
    for number in (float("inf"), float("nan")):
        (problem,) = verdicts.check_submission(changed("attributes/system/duration", number))
        assert problem.path == "attributes.system.duration"
        assert "JSON" in problem.message
    request = parse(nested(5000))
    assert sum(1 for _ in request.walk()) == MAX_LEVELS
    assert [problem.code for problem in request.problems] == ["resources-too-deep"]
    assert not jobspec.check({**BASE, "resources": nested(5000)}).canonical
    assert verdicts.check_submission({**BASE, "resources": nested(489)}) == ()
    deeper = verdicts.check_submission({**BASE, "resources": nested(491)})
    assert any("490 levels" in problem.message for problem in deeper)


@for_each("label", ["default", "task"])
def test_build(label: str) -> None:
    listed, ranks = resources_of(f"node=4/slot{{{label}}}/[core;gpu]"), {"ranks": ["0"]}
    job = jobspec.build(listed, ["a", "b"], duration=60, constraints=ranks, queue="q")
    assert list(job) == ["version", "resources", "tasks", "attributes"]
    assert job["tasks"] == [{"command": ["a", "b"], "slot": label, "count": {"per_slot": 1}}]
    system = {"duration": 60.0, "queue": "q", "constraints": ranks}
    assert job["attributes"] == {"system": system}
    assert jobspec.check(job).v1
    bare = jobspec.build(resources_of("node=4"), slot_label=label)  # it names a slot all the same
    assert bare["tasks"][0]["slot"] == label
    assert problems(jobspec.check(bare).problems) == ["tasks[0].slot: the resources hold no slot"]


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


# Whether flux-core takes a jobspec in, against what a running instance did


@for_each("case", cases("accepted.txt"), lambda case: case.given)
def test_takes_what_flux_core_takes_and_names_the_cause(case: Case) -> None:
    found = verdicts.check_submission(case.document)
    if case.lines == ["taken"]:
        assert found == ()
        return
    first = found[0]
    assert (first.path or "(no path)") == case.lines[0]
    assert (first.rule, first.severity) == ("flux-core", "error")


@given(st.text(alphabet="\x1b[]\0\x9b\u202eab", max_size=12))
def test_messages_hold_no_control_characters(word: str) -> None:
    document = changed("attributes/system/dependencies", [{"scheme": word, "value": "x"}])
    document[word] = 1
    document["attributes"]["system"]["constraints"] = {word: ["a"], "ranks": [word]}
    document["resources"][0]["count"] = word
    for problem in verdicts.check_submission(document):
        assert problem.message.isprintable(), problem
