"""The JSON Schemas beside the rules: a schema asks no more than they do."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.model.jobspec import jobspec
from tests.each import for_each
from tests.model.jobspecs import BASE, changed


# What a schema can see: kinds of values, keys that must be there, how many.
@for_each(
    "case",
    [
        ("version", ...),
        ("resources", []),
        ("resources/0/count", 0),
        ("resources/0/count", "04"),
        ("resources/0/count", "1,,2"),
        ("resources/0/count", "[2"),
        ("resources/0/count", {"max": 2}),
        ("resources/0/count", {"min": 1, "max": 2, "operator": "^", "operand": 2}),
        ("resources/0/count", {"min": 2, "max": 2, "operator": "*", "operand": 1}),
        ("resources/0/count", {"min": 2, "operator": "+", "operand": 1}),
        ("resources/0/colour", "red"),
        ("resources/0/exclusive", "yes"),
        ("resources/0/with/0/label", ...),
        ("resources/0/with/0/with", ...),
        ("resources/0/with/0/with", []),
        ("tasks/0/command", []),
        ("tasks/0/count", {}),
        ("tasks/0/count", {"per_slot": 0}),
        ("attributes", None),
        ("attributes/system/duration", -1),
        ("attributes/system/cwd", "here"),
        ("attributes/system/environment", {"A": 1}),
        ("attributes/system/dependencies", {}),
    ],
)
def test_schemas_refuse_what_the_rules_refuse(case: tuple[str, Any]) -> None:
    path, value = case
    job = changed(path, value)
    assert not jobspec.check(job).canonical
    for which in ("canonical", "v1"):
        found = jobspec.schema_problems(job, which)  # type: ignore[arg-type]
        assert found
        assert all(problem.message.endswith(" here") for problem in found)


@for_each(
    "case",
    [
        ("version", 2),
        ("resources/0/type", "rack"),
        ("resources/0/count", "2+"),
        ("resources/0/with/0/exclusive", True),
        ("resources/0/with/0/with", [{"type": "gpu", "count": 1}]),
        ("resources/0/with/0/with", [{"type": "core", "count": 1}] * 2),
        ("tasks", BASE["tasks"] * 2),
        ("tasks/0/count", {"per_slot": 2}),
        ("attributes/system", ...),
        ("attributes/system/duration", ...),
    ],
)
def test_the_v1_schema_is_narrower(case: tuple[str, Any]) -> None:
    path, value = case
    job = changed(path, value)
    assert jobspec.check(job).canonical
    assert not jobspec.check(job).v1
    assert jobspec.schema_problems(job, "canonical") == ()
    assert jobspec.schema_problems(job, "v1")


@given(st.data())
def test_rules_and_schemas_agree_on_slips(data: st.DataObject) -> None:
    """Whatever a value is replaced by, a schema asks no more than the rules do."""
    paths = [
        *("version", "resources", "tasks", "attributes", "resources/0/count", "resources/0/type"),
        *("resources/0/with/0/label", "resources/0/with/0/with/0/count", "tasks/0/slot"),
        *("tasks/0/count", "attributes/system", "attributes/system/duration"),
    ]
    values = [..., None, True, 0, 1, 2, 1.5, "", "2+", "3,5", "x", [], {}, {"min": 2}, [{}]]
    job = changed(data.draw(st.sampled_from(paths)), data.draw(st.sampled_from(values)))
    verdict = jobspec.check(job)
    if verdict.canonical:
        assert jobspec.schema_problems(job, "canonical") == ()
    if verdict.v1:
        assert jobspec.schema_problems(job, "v1") == ()
