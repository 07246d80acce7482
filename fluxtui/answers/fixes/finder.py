"""Finds the changes that fix a problem of a jobspec.

A fix is offered only if it helps: each is tried on the document first.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias

from fluxtui.answers.fixes import program, resources
from fluxtui.answers.fixes.case import Case, Change, put
from fluxtui.model.documents.document import steps as steps_of
from fluxtui.model.jobspec import jobspec
from fluxtui.model.jobspec.jobspec import V1
from fluxtui.model.jobspec.request import CANONICAL, ResourceRequest, parse
from fluxtui.model.jobspec.verdicts import check_submission
from fluxtui.notation.problem import Problem

# The maximum number of changes to try for one problem, and of the vertices to check for them all.
_MAX_TRIED, _MAX_CHECKED = 40, 10_000

_Check: TypeAlias = Callable[[Mapping[str, Any], ResourceRequest], Sequence[Problem]]


@dataclass(frozen=True, slots=True)
class Fix:
    """One way to fix a problem: a short label, and the changed jobspec.

    The label says ``approximate`` if the fix loses a part of the request. Parts that the fix does
    not touch are the same objects as before.
    """

    label: str
    document: dict[str, Any]


def _by_the_rfcs(document: Mapping[str, Any], request: ResourceRequest) -> Sequence[Problem]:
    verdict = jobspec.check(document, request)
    v1 = [problem for problem in verdict.v1_problems if problem.rule == V1]
    return (*verdict.problems, *v1, *verdict.warnings)


def _errors(problems: Sequence[Problem], rule: str) -> int:
    return sum(problem.rule == rule and problem.severity == "error" for problem in problems)


_CHECKS: tuple[_Check, ...] = (
    check_submission,
    _by_the_rfcs,
    lambda document, request: request.refusals(),
)


class FixFinder:
    """Finds the fixes for the problems of one jobspec, which must not be changed meanwhile."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = document
        self._request = parse(document.get("resources"))
        self._found = [(check, check(document, self._request)) for check in _CHECKS]

    def fixes(self, problem: Problem, most: int = 8) -> tuple[Fix, ...]:
        """The fixes for a problem that a check finds in this jobspec, most likely first.

        The problem comes from `jobspec.check`, `check_submission` or `ResourceRequest.refusals`.
        After a fix the same check no longer finds it, and finds no more errors of the same rule
        than before. most limits the number of fixes. Empty if there is no sensible fix.
        """
        found = next((pair for pair in self._found if problem in pair[1]), None)
        if found is None:
            return ()
        check, before = found

        def helps(changed: dict[str, Any]) -> bool:
            after = check(changed, parse(changed.get("resources")))
            return problem not in after and all(
                _errors(after, rule) <= _errors(before, rule) for rule in (problem.rule, CANONICAL)
            )

        case = Case(problem, self.document, self._request, tuple(steps_of(problem.path or "")))
        out: list[Fix] = []
        vertices = sum(1 for _ in self._request.walk())
        tries = min(_MAX_TRIED, _MAX_CHECKED // max(vertices, 1))
        for label, changed in islice(_changes(case), tries):
            is_new = all(fix.document != changed and fix.label != label for fix in out)
            out += [Fix(label, changed)] if is_new and helps(changed) else []
            if len(out) == most:
                break
        if not out:
            drop_all = _without_all(case, before)
            out = [Fix(label, changed) for label, changed in drop_all if helps(changed)]
        return tuple(out)


def _changes(case: Case) -> Iterator[Change]:
    if not case.steps:
        yield from _missing(case)
        return
    if isinstance(case.value, str) and "\0" in case.value:
        text = case.value.replace("\0", "")
        yield "drop the NUL characters", put(case.document, case.steps, text)
    top = str(case.steps[0])
    if top == "version":
        yield "version: 1", case.having(1)
    elif top in _PARTS:
        yield from _PARTS[top](case)
    elif case.value is not jobspec.MISSING:
        unknown = case.first(1)  # a key that a jobspec does not have
        yield from case.first(0).misspelt(jobspec.KEYS)
        yield from unknown.moved_to("user")
        yield from unknown.dropped()


_PARTS: dict[str, Callable[[Case], Iterator[Change]]] = {
    "resources": resources.changes,
    "tasks": program.task_changes,
    "attributes": program.attribute_changes,
}


def _missing(case: Case) -> Iterator[Change]:
    document = case.document
    yield from case.misspelt(jobspec.KEYS)
    for key in case.problem.expected:
        if key in document:
            continue
        if key == "version":
            yield "version: 1", {"version": 1, **document}
        elif key == "resources":
            made = resources.reshape([], resources.slot_label(document))
            yield f"resources: {made.words}", {**document, "resources": made.resources}
        elif key == "tasks":
            yield "run app in each slot", {**document, "tasks": [program.new_task(document)]}
            for label, with_slot in resources.slots(document):
                task = program.new_task(with_slot)
                yield f"{label}, and run app in it", {**with_slot, "tasks": [task]}
        elif key == "attributes":
            system = {"system": {"duration": 0}}
            yield "add attributes with duration: 0", {**document, "attributes": system}


def _without_all(case: Case, before: Sequence[Problem]) -> Iterator[Change]:
    """The change that drops all entries of a list with the same problem, if there are several."""
    steps, document = case.steps, case.document
    level = next((i for i in reversed(range(len(steps))) if isinstance(steps[i], int)), None)
    if level is None:
        return
    paths = [tuple(steps_of(p.path or "")) for p in before if p.rule == case.problem.rule]
    wrong = {path[level] for path in paths if path[:level] == steps[:level] and path[level:]}
    if len(wrong) > 1:
        listed = jobspec.part_at(document, steps[:level])
        kept = [entry for number, entry in enumerate(listed) if number not in wrong]
        yield f"drop all {len(wrong)} wrong entries", put(document, steps[:level], kept)
