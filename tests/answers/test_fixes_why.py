"""Why there are the rules: what is said beside a verdict."""

import itertools
import re
from typing import Any

from hypothesis import given

from fluxtui.answers.fixes.rationale import explain
from tests.answers.fixing import faulty, job, said
from tests.conformance.cases import rows
from tests.each import for_each
from tests.model.jobspecs import RFC14, RFC25, changed

CONSTRAINTS = "attributes/system/constraints"


def _why(document: Any, part: str) -> str:
    problem = next(problem for problem in said(document) if part in problem.message)
    return explain(problem) or ""


@for_each(
    "case",
    [
        (job("slot/core=2-4"), "V1 counts", "fixed size"),
        (job("slot/core=2-4"), "flux-core takes only", "validator"),
        (job("node=4"), "exactly one slot", "two trees"),
        (job("node=4"), "hold no slot", "where a task runs"),
        (job("socket/slot/core"), "at the top", "two trees"),
        (job("slot/core{foo}"), "RFC 25 allows no key", "fixes the keys"),
        (job("slot{default,+x}/core"), "exclusive", "whole node"),
        (changed("version", 2), "V1 has version 1", "selects the rules"),
        (changed("version", 2), "flux-core takes only version", "validator"),
        (changed("extra", 1), "no keys but the four", "attributes.user"),
        (changed("tasks/0/slot", "x"), "no slot has", "label"),
        (changed("tasks/0/count", {"per_slot": 2}), "per_slot is 1", "smaller slots"),
        (changed("attributes/system/duration", ...), "V1 needs a duration", "scheduler plans"),
        (changed("attributes/system/duration", "1h"), "number of seconds", "command line"),
        (changed("attributes/system/cwd", "a"), "absolute", "relative path"),
        (changed("attributes/user", {"a": "\0"}), "NUL", "JSON"),
        (changed(CONSTRAINTS, {"properties": ["a|b"]}), "which no property name may", "signs"),
        (changed(CONSTRAINTS, {"properties": ["a|b"]}), "flux-core refuses", "signs"),
        (changed(CONSTRAINTS, {"ranks": ["x"]}), "reads no ranks", "set of nodes"),
        (changed(CONSTRAINTS, {"and": 5}), "an array of constraints", "tree"),
    ],
)
def test_teaches(case: tuple[Any, str, str]) -> None:
    document, part, words = case
    assert words in _why(document, part)


def test_nearly_every_recorded_problem_is_explained() -> None:
    for problem in itertools.chain.from_iterable(said(r["jobspec"]) for r in rows("jobspec_v1")):
        why = explain(problem)
        if why is None:
            assert re.search(
                "version is a whole|attributes of a task|distribution", problem.message
            )
        else:
            assert why.endswith(".")
            assert len(re.findall(r"\.(?= [A-Z0-9]|$)", why)) <= 3


@given(faulty([*RFC25.values(), *RFC14.values()]))
def test_says_nothing_of_what_a_person_typed(document: Any) -> None:
    for problem in said(document):
        why = explain(problem)
        assert why is None or why.isprintable()
