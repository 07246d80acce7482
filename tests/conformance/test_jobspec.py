"""What holds for recorded jobspecs beside their verdicts (RFC 14, RFC 25)."""

from typing import Any

from fluxtui.model.jobspec import jobspec
from tests.conformance.cases import by_id, cases
from tests.each import for_each

ROWS = cases("jobspec_v1")

# Where we read the prose of RFC 25 and its schema does not say the same.
PROSE = (
    "is required",
    "is a string",
    "is a number >= 0",
    "is a dictionary",
    "is an absolute path",
    "attributes SHALL be a dictionary",
    "command SHALL be a list",
    "dependencies is a list",
    "environment maps names",
    "job values must be strings",
    "slot children must be core",
    "slot vertex SHALL NOT contain exclusive",
    "tasks MUST define exactly one task",
)


def _scored(row: dict[str, Any]) -> bool:
    """Not where the only trouble is about ``total``, which gives warnings."""
    why = row["prose"]["why"]
    return row["prose"]["ok"] or not all(reason.startswith("total MUST") for reason in why)


@for_each("row", [row for row in ROWS if not _scored(row)], by_id)
def test_total_only_warns(row: dict[str, Any]) -> None:
    verdict = jobspec.check(row["jobspec"])
    assert verdict.v1
    assert any((p.path or "").endswith("total") for p in verdict.warnings)


@for_each("row", ROWS, by_id)
def test_problems_speak_plainly(row: dict[str, Any]) -> None:
    verdict = jobspec.check(row["jobspec"])
    for problem in (*verdict.problems, *verdict.v1_problems, *verdict.warnings):
        assert problem.message
        assert problem.rule.startswith("RFC")
        assert not problem.message.endswith(".")


@for_each("row", ROWS, by_id)
def test_the_schemas_ask_no_more_than_the_rules(row: dict[str, Any]) -> None:
    verdict = jobspec.check(row["jobspec"])
    if verdict.canonical:
        assert jobspec.schema_problems(row["jobspec"], "canonical") == ()
    if verdict.v1:
        assert jobspec.schema_problems(row["jobspec"], "v1") == ()


@for_each("row", ROWS, by_id)
def test_our_v1_schema_agrees_with_that_of_the_rfc(row: dict[str, Any]) -> None:
    ours = not jobspec.schema_problems(row["jobspec"], "v1")
    if ours != row["schema"]["ok"]:
        if ours:
            assert row["prose"]["ok"]
        else:
            assert any(part in why for why in row["prose"]["why"] for part in PROSE)
