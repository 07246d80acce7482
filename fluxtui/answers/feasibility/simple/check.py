"""Whether sched-simple has room for a job: as it answers itself, and as it should.

It knows nodes, slots, cores and gpus, reads them from any request, and looks at an idle cluster.
Where it errs (RFC 31 constraints, whole nodes with several slots), `check_feasibility` errs with
it and `check_strictly` does not.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fluxtui.answers.feasibility.feasibility import Feasibility, Nearest, Scheduler
from fluxtui.answers.feasibility.simple import constraint as room_simple_constraint
from fluxtui.answers.feasibility.simple.constraint import TooDeepError
from fluxtui.answers.feasibility.simple.count import RefusedError
from fluxtui.answers.feasibility.simple.nearest import largest_slots, nearest
from fluxtui.answers.feasibility.simple.node_classes import (
    Need,
    Pile,
    eligible,
    fits,
    has_room,
    loosely,
    need,
    piles,
    prepare,
    slots_in,
)
from fluxtui.answers.feasibility.simple.placement import place
from fluxtui.answers.feasibility.simple.request import Request, from_jobspec, plain, read
from fluxtui.answers.feasibility.simple.words import (
    CONSTRAINT,
    Scope,
    listed,
    listed_reason,
    reasons,
    refusal,
)
from fluxtui.answers.matching import match
from fluxtui.model.constraint import tree
from fluxtui.model.jobspec.jobspec import system
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import Problem

__all__ = ["Request", "check_feasibility", "check_strictly", "prepare", "read"]

_NAME: Scheduler = "sched-simple"


@dataclass(frozen=True, slots=True)
class _Case:
    """A request beside the nodes it may use; strict tells whose rules count."""

    request: Request
    need: Need
    among: Sequence[Pile]
    allowed: int
    strict: bool

    @property
    def has_room(self) -> bool:
        return listed(self.request) is None and has_room(self.need, self.among)

    def refusal(self) -> str:
        """What sched-simple says where there is no room."""
        found = listed(self.request)
        return found[1] if found else refusal(self.need, self.among)


def _case(request: Request, resources: Resources, allowed: int, *, strict: bool) -> _Case:
    smallest = need(request, strict=strict)
    allowed &= resources.everything
    return _Case(request, smallest, piles(resources, allowed), allowed, strict)


def check_feasibility(
    jobspec: Mapping[str, Any],
    resources: Resources,
    allowed: int | None = None,
    *,
    with_placement: bool = True,
) -> Feasibility:
    """What sched-simple answers when it is asked whether a job can ever run.

    with_placement asks for a placement, counts and the nearest request beside the verdict.
    allowed is the mask of the nodes that the constraint leaves; without it the constraint counts
    as sched-simple reads it. words are its own, but empty where they would be those of Python
    about a value of the wrong type. fits packs as well as can be, among the nodes it would take;
    largest is what it would take, by the path of the count, such as ``resources[0].count``.
    feasible is None where the constraint is nested deeper than is read.
    """
    try:
        case = _as_read(jobspec, resources, allowed)
    except RefusedError as refused:
        return Feasibility(_NAME, False, refused.words, refused.problems)
    except TooDeepError:
        message = f"the constraint is nested deeper than {tree.MAX_DEPTH} levels"
        return Feasibility(_NAME, None, reasons=(Problem(message, None, CONSTRAINT),))
    if case.has_room:
        return _with_room(case, resources) if with_placement else Feasibility(_NAME, True)
    oddly = allowed is None and _is_odd(case, resources)
    return _without(
        case, case.refusal(), jobspec, resources, oddly=oddly, with_placement=with_placement
    )


def check_strictly(
    jobspec: Mapping[str, Any],
    resources: Resources,
    allowed: int | None = None,
    *,
    with_placement: bool = True,
) -> Feasibility:
    """Whether there is room by the rules: RFC 31 for the constraint, every slot on a whole node.

    with_placement asks for a placement, counts and the nearest request beside the verdict.
    allowed is the mask of the nodes that the constraint leaves; without it that is worked out.
    feasible is None for a request of which sched-simple does not read all: other types than node,
    slot, core and gpu, several slots, counts with single legal values, ranges inside a slot.
    words are those of sched-simple where it refuses as well; largest has for each range the
    largest count that fits while all else is at its smallest.
    """
    request = plain(jobspec)
    if request is None:
        return Feasibility(_NAME, None)
    if allowed is None:
        wanted = system(jobspec).get("constraints")
        value, problems = tree.read({} if wanted is None else wanted, CONSTRAINT)
        if value is None:
            errors = tuple(p for p in problems if p.severity == "error")
            return Feasibility(_NAME, False, _words(jobspec, resources), errors)
        allowed = match.match(value, resources)
    case = _case(request, resources, allowed, strict=True)
    if case.has_room:
        return _with_room(case, resources) if with_placement else Feasibility(_NAME, True)
    words = _words(jobspec, resources)
    return _without(case, words, jobspec, resources, oddly=False, with_placement=with_placement)


def _as_read(jobspec: Mapping[str, Any], resources: Resources, allowed: int | None) -> _Case:
    """The case as sched-simple sees it; raises RefusedError and TooDeepError."""
    request = from_jobspec(jobspec)
    if allowed is None:
        reading = room_simple_constraint.read(request.constraint, resources)
        if reading.refused:
            problems = _constraint_problems(request.constraint, reading.words)
            if found := listed(request):  # looked at before the constraint is
                raise RefusedError(found[1], listed_reason(found[0]), *problems)
            raise RefusedError(reading.words, *problems)
        allowed = reading.mask
    return _case(request, resources, allowed, strict=False)


def _constraint_problems(value: object, words: str) -> list[Problem]:
    """Why sched-simple refuses a constraint: what RFC 31 holds against it, or its own words."""
    problems = tree.read(value, CONSTRAINT).problems
    errors = [problem for problem in problems if problem.severity == "error"]
    said = f": {words}" if words else ""
    message = f"sched-simple does not take this constraint{said}"
    return errors or [Problem(message, None, CONSTRAINT)]


def _words(jobspec: Mapping[str, Any], resources: Resources) -> str:
    """What sched-simple says where it refuses a job; empty where it does not."""
    try:
        case = _as_read(jobspec, resources, None)
    except RefusedError as refused:
        return refused.words
    except TooDeepError:
        return ""
    return "" if case.has_room else case.refusal()


def _is_odd(case: _Case, resources: Resources) -> bool:
    """sched-simple reads the constraint otherwise than RFC 31, so that other nodes are left."""
    if case.request.constraint is None:
        return False
    value = tree.read(case.request.constraint).value
    return value is None or match.match(value, resources) != case.allowed


def _with_room(case: _Case, resources: Resources) -> Feasibility:
    request = case.request
    taking = case.need if case.strict else loosely(case.need)
    return Feasibility(
        _NAME,
        True,
        placement=place(taking, (request.nodes or request.slots).most, case.among, resources),
        fits=fits(taking, case.among),
        largest=tuple(_largest(case, taking)),
    )


def _largest(case: _Case, taking: Need) -> list[tuple[str, int]]:
    """The largest count of each range, by the path of the count."""
    nodes, slots = case.request.nodes, case.request.slots
    found = []
    if nodes is not None and nodes.ranged:
        there = eligible(taking, case.among)
        count = there if nodes.most is None else min(there, nodes.most)
        found.append((nodes.path, count // case.request.factor))
    if slots.ranged and nodes is None:
        there = slots_in(taking, case.among)
        found.append((slots.path, there if slots.most is None else min(there, slots.most)))
    elif slots.ranged:
        # On nodes sched-simple takes the smallest number of slots, whatever there is room for.
        most = largest_slots(case.request, case.need, case.among) if case.strict else slots.least
        found.append((slots.path, most))
    return found


def _without(
    case: _Case,
    words: str,
    jobspec: Mapping[str, Any],
    resources: Resources,
    *,
    oddly: bool,
    with_placement: bool,
) -> Feasibility:
    """No room: the reasons, and the nearest request that has it, asked again by the same rules."""
    scope = Scope(resources.counts.of(case.allowed), resources.node_count, oddly)
    found = listed(case.request)
    why = (
        (listed_reason(found[0]),) if found else reasons(case.request, case.need, case.among, scope)
    )

    if not with_placement:
        return Feasibility(_NAME, False, words, why, fits=0)

    def test(changed: Sequence[Any]) -> bool:
        other = {**jobspec, "resources": changed}
        request = plain(other) if case.strict else read(other).value
        if request is None:
            return False
        return _case(request, resources, case.allowed, strict=case.strict).has_room

    near: Nearest | None = nearest(
        jobspec.get("resources"), case.request, case.need, case.among, test
    )
    return Feasibility(_NAME, False, words, why, fits=0, nearest=near)
