"""What would fix a problem of a jobspec.

A fix is offered only where it is known to help: each is tried on the document first.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias

from fluxtui.answers.fixes import attributes, tasks, vertex
from fluxtui.answers.fixes.edit import (
    NOTHING,
    Case,
    Change,
    get,
    keys_in_words,
    put,
    renamed,
    short,
    without,
)
from fluxtui.answers.fixes.resources import reshape, slot_label, slots
from fluxtui.model.documents.document import steps as steps_of
from fluxtui.model.jobspec import jobspec, submit_check
from fluxtui.model.jobspec.request import CANONICAL, ResourceRequest, parse
from fluxtui.model.jobspec.submit_check import RULE as FLUX
from fluxtui.model.jobspec.v1 import V1
from fluxtui.notation.problem import Problem, nearest

# Changes that are tried for one problem.
_TRIED = 40

_Check: TypeAlias = Callable[[Mapping[str, Any]], Sequence[Problem]]


@dataclass(frozen=True, slots=True)
class Fix:
    """One way to fix a problem.

    label     what is done, in a few words; says ``approximate`` where not all of what was meant is
              kept
    document  the jobspec after it; all that the fix does not touch is the same object as before
    """

    label: str
    document: dict[str, Any]


class FixFinder:
    """Finds the fixes for several problems of one jobspec, which must stay as it is meanwhile."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = document
        self._request = parse(document.get("resources"))
        self._found: dict[_Check, Sequence[Problem]] = {}

    def fixes(self, problem: Problem, most: int = 8) -> tuple[Fix, ...]:
        """The fixes for a problem that a check finds in this jobspec, most likely first.

        The problem is one of `jobspec.check`, `submit_check.check` or `ResourceRequest.refusals`.
        After a fix that check does not find it any more, and refuses no more by the same rule than
        before. most is how many are looked for; each costs one check of the jobspec. Empty where
        there is no sensible fix, or the problem is not one of this document.
        """
        check = self._check(problem)
        if check is None:
            return ()
        before = self._found[check]
        out: list[Fix] = []
        for label, changed in islice(_changes(problem, self.document, self._request), _TRIED):
            if any(fix.document == changed or fix.label == label for fix in out):
                continue
            if _helps(problem, before, check(changed)):
                out.append(Fix(label, changed))
                if len(out) == most:
                    break
        if not out:
            for label, changed in _without_all(problem, self.document, before):
                if _helps(problem, before, check(changed)):
                    out.append(Fix(label, changed))
        return tuple(out)

    def _check(self, problem: Problem) -> _Check | None:
        """The check that finds this problem in the document."""
        checks: tuple[_Check, ...] = (_by_the_rfcs, _without_slot)
        for check in (submit_check.check,) if problem.rule == FLUX else checks:
            if check not in self._found:
                self._found[check] = check(self.document)
            if problem in self._found[check]:
                return check
        return None


def _helps(problem: Problem, before: Sequence[Problem], after: Sequence[Problem]) -> bool:
    """Whether the problem is gone and no more is refused than before."""
    return problem not in after and all(
        _errors(after, rule) <= _errors(before, rule) for rule in (problem.rule, CANONICAL)
    )


def _errors(problems: Sequence[Problem], rule: str) -> int:
    return sum(problem.rule == rule and problem.severity == "error" for problem in problems)


def _by_the_rfcs(document: Mapping[str, Any]) -> Sequence[Problem]:
    """What RFC 14 and RFC 25 say of it, warnings too."""
    verdict = jobspec.check(document)
    v1 = [problem for problem in verdict.v1_problems if problem.rule == V1]
    return (*verdict.problems, *v1, *verdict.warnings)


def _without_slot(document: Mapping[str, Any]) -> Sequence[Problem]:
    """What RFC 14 says of the resources, where a slot is needed."""
    return parse(document.get("resources")).refusals()


def _changes(
    problem: Problem, document: Mapping[str, Any], request: ResourceRequest
) -> Iterator[Change]:
    """All that may help, most likely first."""
    case = Case(problem, document, request, tuple(steps_of(problem.path or "")))
    if not case.steps:
        yield from _missing(problem, document)
        return
    if isinstance(case.value, str) and "\0" in case.value:
        text = case.value.replace("\0", "")
        yield "drop the NUL characters", put(document, case.steps, text)
    if case.steps[0] == "version":
        yield "version: 1", case.having(1)
    elif case.steps[0] in _PARTS:
        yield from _PARTS[str(case.steps[0])](case)
    elif case.value is not NOTHING:
        yield from _further(document, str(case.steps[0]))


_PARTS: dict[str, Callable[[Case], Iterator[Change]]] = {
    "resources": vertex.changes,
    "tasks": tasks.changes,
    "attributes": attributes.changes,
}


def _without_all(
    problem: Problem, document: Mapping[str, Any], before: Sequence[Problem]
) -> Iterator[Change]:
    """The document without all entries of a list that the rule refuses, where there are several."""
    steps = steps_of(problem.path or "")
    level = next((i for i in reversed(range(len(steps))) if isinstance(steps[i], int)), None)
    if level is None:
        return
    wrong = set()
    for other in before:
        there = steps_of(other.path or "")
        if other.rule == problem.rule and there[:level] == steps[:level] and len(there) > level:
            wrong.add(there[level])
    if len(wrong) > 1:
        listed = get(document, steps[:level])
        kept = [entry for number, entry in enumerate(listed) if number not in wrong]
        yield f"drop all {len(wrong)} that are wrong", put(document, steps[:level], kept)


def _missing(problem: Problem, document: Mapping[str, Any]) -> Iterator[Change]:
    """A key at the top that is not there."""
    for key in problem.expected:
        if key in document:
            continue
        for name in document:
            if name not in jobspec.KEYS and nearest(str(name), [key]):
                label = f"call the key '{short(str(name))}' {key}"
                yield label, renamed(document, str(name), key)
        if key == "version":
            yield "version: 1", {"version": 1, **document}
        elif key == "resources":
            label = slot_label(document)
            made = reshape([], label)
            yield f"resources: {made.words}", {**document, "resources": made.resources}
        elif key == "tasks":
            yield "run app in each slot", {**document, "tasks": [tasks.new_task(document)]}
            for label, with_slot in slots(document):
                task = tasks.new_task(with_slot)
                yield f"{label}, and run app in it", {**with_slot, "tasks": [task]}
        elif key == "attributes":
            system = {"system": {"duration": 0}}
            yield "add attributes with duration: 0", {**document, "attributes": system}


def _further(document: Mapping[str, Any], name: str) -> Iterator[Change]:
    """A key at the top that a jobspec does not have."""
    near = nearest(name, [key for key in jobspec.KEYS if key not in document])
    if near:
        yield f"call the key '{short(name)}' {near}", renamed(document, name, near)
    rest = without(document, [name])
    user = get(document, ["attributes", "user"])
    held = {} if user is NOTHING else user
    attributes = document.get("attributes")
    if isinstance(held, Mapping) and name not in held and isinstance(attributes, Mapping):
        moved = put(rest, ["attributes", "user"], {**held, name: get(document, [name])})
        yield f"move '{short(name)}' to attributes.user", moved
    yield f"drop {keys_in_words([name])}", rest
