"""What holds of every fix."""

import copy
import json
from typing import Any

from hypothesis import HealthCheck, example, given, settings

from fluxtui.model.jobspec import jobspec, submit_check
from fluxtui.notation.problem import Problem
from tests.answers.fixing import faulty, first_fixes, fixes, job, refusals, said, shapes
from tests.conformance.cases import rows
from tests.model.jobspecs import RFC14, RFC25

SLOW = settings(suppress_health_check=list(HealthCheck))


def _of_the_rule(problem: Problem, document: Any) -> list[Problem]:
    """What the check that said the problem says now by the same rule."""
    if problem.rule == "flux-core":
        return list(submit_check.check(document))
    verdict = jobspec.check(document)
    every = dict.fromkeys((*verdict.problems, *verdict.v1_problems, *verdict.warnings))
    return [other for other in every if other.rule == problem.rule]


def _errors(problems: list[Problem]) -> int:
    return sum(problem.severity == "error" for problem in problems)


def _shared(before: Any, after: Any) -> bool:
    """Whether every part that is equal at the same key is the same object."""
    if before is after or type(before) is not type(after):
        return True
    if isinstance(before, dict):
        return all(_kept(before[key], after[key]) for key in before if key in after)
    return True


def _kept(before: Any, after: Any) -> bool:
    # As JSON, for 1, 1.0 and true are three things there and equal here.
    if isinstance(before, dict | list) and json.dumps(before) == json.dumps(after):
        return before is after
    return _shared(before, after)


def check_all(document: Any) -> None:
    """Each fix of each problem does what it promises."""
    before = json.dumps(document)
    for problem in said(document):
        for fix in fixes(problem, document):
            left = _of_the_rule(problem, fix.document)
            assert problem not in left, fix.label
            assert _errors(left) <= _errors(_of_the_rule(problem, document)), fix.label
            assert _shared(document, fix.document), fix.label
            assert fix.label
            assert fix.label.isprintable()
    assert json.dumps(document) == before


def test_every_problem_of_the_recorded_jobspecs_has_a_fix_that_mends_it() -> None:
    for row in rows("jobspec_v1"):
        if isinstance(row["jobspec"], dict):
            check_all(row["jobspec"])
            for problem in said(row["jobspec"]):
                assert fixes(problem, row["jobspec"], 1), (row["id"], problem)


@SLOW
@given(faulty([*RFC25.values(), *RFC14.values()]))
def test_a_fix_mends_whatever_is_wrong(document: Any) -> None:
    check_all(document)


@SLOW
@given(faulty([*RFC25.values(), *RFC14.values()]))
def test_first_fixes_mend_any_jobspec(document: Any) -> None:
    mended, done = first_fixes(document, 40)
    assert refusals(mended) == [], done


@SLOW
@given(shapes())
@example("[node=2-4/slot{a}/core=2+;socket{foo}/slot{b,+x}/[core{id:a};gpu=1,3]]")
@example("node/[" + ";".join(f"slot{{s{i},foo}}/core=2-8" for i in range(30)) + "]")
def test_first_fixes_lead_every_shape_to_v1(text: str) -> None:
    document, done = first_fixes(job(text))
    assert refusals(document) == [], (text, done)


@SLOW
@given(shapes(types=("cluster", "rack", "node", "memory", "storage", "slot", "core")))
def test_first_fixes_lead_other_types_to_v1_too(text: str) -> None:
    document, done = first_fixes(job(text))
    assert refusals(document) == [], (text, done)
    said_so = any("approximate" in label for label in done)
    others = any(word in text for word in ("cluster", "rack", "memory", "storage"))
    assert said_so or not others


@SLOW
@given(shapes())
def test_a_fix_does_what_it_promises_for_every_shape(text: str) -> None:
    check_all(job(text))


def test_what_cannot_be_mended() -> None:
    # A tree of more levels than are read is no machine that anybody could name.
    resources: list[Any] = [{"type": "core", "count": 1}]
    for _ in range(202):
        resources = [{"type": "x", "count": 1, "with": resources}]
    document = {**copy.deepcopy(RFC25["1.1"]), "resources": resources}
    problem = next(p for p in said(document) if "levels" in p.message)
    assert fixes(problem, document) == ()
