"""All that RFC 14 and RFC 25 hold against the ``resources`` of a jobspec."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fluxtui.model.jobspec.resources import CANONICAL, check_canonical, judge_canonical, slots
from fluxtui.model.jobspec.v1 import check_v1
from fluxtui.notation.problem import Problem


class Judged(NamedTuple):
    """All that is held against a resources list, warnings included.

    canonical  by RFC 14
    v1         by RFC 25 beyond that
    is_plain   each vertex is as nearly all are (see `Found`)
    labels     the number of the vertex at the top that each label is in
    """

    canonical: tuple[Problem, ...] = ()
    v1: tuple[Problem, ...] = ()
    is_plain: bool = False
    labels: Mapping[str, int] = {}  # nobody changes it

    def refused(self, resources: object) -> tuple[tuple[Problem, ...], tuple[Problem, ...]]:
        """Why RFC 14 and RFC 25 refuse the list, which needs a slot that a task can run in."""
        canonical = tuple(errors(self.canonical))
        return _with_slot(canonical, resources, "resources"), both(self.v1, canonical)


def judge_resources(
    resources: object, before: Sequence[object] = (), known: Judged | None = None
) -> Judged:
    """What RFC 14 and RFC 25 say of a resources list, by paths that start with ``resources``.

    known is what they say of another list, before. What stands at the same place at the top of
    both is not looked at again, where nothing was wrong with it.
    """
    if known is not None and isinstance(resources, list | tuple):
        judged = _judge_others(resources, before, known)
        if judged is not None:
            return judged
    found = judge_canonical(resources)
    v1 = check_v1(resources)
    return Judged(tuple(found.problems), tuple(v1), found.is_plain, found.labels)


def _judge_others(
    resources: Sequence[object], before: Sequence[object], known: Judged
) -> Judged | None:
    """What is said of a list by looking at its new vertices; None where that does not tell."""
    if not resources or not known.is_plain or known.canonical:
        return None
    if any(problem.path != "resources" for problem in known.v1):
        return None
    same = [one is other for one, other in zip(resources, before, strict=False)]
    same += [False] * (len(resources) - len(same))
    new = [number for number, is_same in enumerate(same) if not is_same]
    found = judge_canonical([resources[number] for number in new])
    if new and (found.problems or not found.is_plain):
        return None
    labels = {
        label: number
        for label, number in known.labels.items()
        if number < len(same) and same[number]
    }
    count = len(labels) + len(found.labels)
    labels.update((label, new[number]) for label, number in found.labels.items())
    if len(labels) < count:
        return None  # a label is taken
    v1 = check_v1(resources, only=new)
    return Judged((), tuple(v1), True, labels)


def check_resources(
    resources: object, path: str = "resources", *, slot_needed: bool = False
) -> tuple[Problem, ...]:
    """Why RFC 14 refuses a resources list, by paths that start with ``path``; empty if it is fine.

    slot_needed refuses a list without a slot too: no task could run in it.
    """
    problems = tuple(errors(check_canonical(resources, path)))
    return _with_slot(problems, resources, path) if slot_needed else problems


def _with_slot(problems: tuple[Problem, ...], resources: object, path: str) -> tuple[Problem, ...]:
    """The problems of a list, one of which may be that it has no slot."""
    if problems or next(slots(resources), None) is not None:
        return problems
    message = "the resources hold no slot, so no task can run"
    return (Problem(message, None, path, ("slot",), CANONICAL),)


def check_v1_resources(resources: object, path: str = "resources") -> tuple[Problem, ...]:
    """Why RFC 25 refuses a resources list; empty if it is fine.

    What RFC 25 itself refuses comes first, then what RFC 14 refuses at other places.
    """
    v1 = check_v1(resources, path)
    return both(v1, errors(check_canonical(resources, path)))


def errors(problems: Sequence[Problem]) -> list[Problem]:
    """Those of some problems that are errors."""
    return [problem for problem in problems if problem.severity == "error"]


def both(v1: Sequence[Problem], canonical: Sequence[Problem]) -> tuple[Problem, ...]:
    """What V1 refuses, and what RFC 14 refuses where V1 has not spoken already."""
    named = {problem.path for problem in v1 if problem.many == 1}
    return (*v1, *(problem for problem in canonical if problem.path not in named))
