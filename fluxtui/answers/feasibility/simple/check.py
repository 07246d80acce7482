"""Whether a job fits by the rules of sched-simple: as it answers itself, and as it should.

It knows nodes, slots, cores and gpus, reads them from any request, and looks at an idle cluster.
Where it errs (RFC 31 constraints, whole nodes with several slots), `check_feasibility` errs with
it and `check_strictly` does not.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fluxtui.answers import matching
from fluxtui.answers.feasibility.feasibility import CONSTRAINT, Feasibility, Nearest, Scheduler
from fluxtui.answers.feasibility.nearest import Part, bisect, lowered
from fluxtui.answers.feasibility.simple import constraint as own_constraint
from fluxtui.answers.feasibility.simple.node_classes import Classes, Need, classes_of, place
from fluxtui.answers.feasibility.simple.reasons import Scope, reasons, refusal, unsupported
from fluxtui.answers.feasibility.simple.request import (
    Asked,
    RefusedError,
    Request,
    read,
    read_plain,
)
from fluxtui.answers.feasibility.wording import amount, number
from fluxtui.model.constraint import tree
from fluxtui.model.jobspec.jobspec import system
from fluxtui.model.jobspec.request import ResourceRequest, parse
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation import count as counts
from fluxtui.notation.problem import Problem

_NAME: Scheduler = "sched-simple"


def check_feasibility(
    jobspec: Mapping[str, Any],
    resources: Resources,
    allowed: int | None = None,
    *,
    request: ResourceRequest | None = None,
) -> Feasibility:
    """What sched-simple answers when it is asked whether a job can ever run; no placement.

    allowed is the mask of the nodes that the constraint leaves; without it the constraint counts
    as sched-simple reads it. words are its own, but empty where they would be those of Python
    about a value of the wrong type. feasible is None where the constraint is nested deeper than
    is read. request are the resources of the jobspec, if they are parsed already.
    """
    try:
        asked, constraint = read(jobspec, request or parse(jobspec.get("resources")))
        if allowed is None:
            allowed = _allowed(asked, constraint, resources)
        else:
            constraint = None
    except RefusedError as refused:
        return Feasibility(_NAME, False, refused.words, refused.problems)
    except own_constraint.TooDeepError:
        message = f"the constraint is nested deeper than {tree.MAX_DEPTH} levels"
        return Feasibility(_NAME, None, reasons=(Problem(message, None, CONSTRAINT),))
    case = _Case.of(asked, resources, allowed, strict=False)
    if case.fits:
        return Feasibility(_NAME, True)
    words = refusal(asked, case.need, case.classes)
    return Feasibility(_NAME, False, words, case.reasons(_differs(constraint, case)), fits=0)


def check_strictly(
    jobspec: Mapping[str, Any],
    resources: Resources,
    allowed: int | None = None,
    *,
    request: ResourceRequest | None = None,
    with_placement: bool = True,
) -> Feasibility:
    """Whether a job fits by the rules: RFC 31 for the constraint, every slot on a whole node.

    with_placement asks for a placement, counts and the nearest request beside the verdict.
    allowed is the mask of the nodes that the constraint leaves; without it that is worked out.
    feasible is None for a request of which sched-simple does not read all: other types than node,
    slot, core and gpu, several slots, counts with single legal values, ranges inside a slot.
    largest has for each range the largest count that fits while all else is at its smallest.
    """
    request = request or parse(jobspec.get("resources"))
    asked = read_plain(request)
    if asked is None:
        return Feasibility(_NAME, None)
    if allowed is None:
        wanted = system(jobspec).get("constraints")
        value, problems = tree.read({} if wanted is None else wanted, CONSTRAINT)
        if value is None:
            errors = tuple(p for p in problems if p.severity == "error")
            return Feasibility(_NAME, False, reasons=errors)
        allowed = matching.match(value, resources)
    case = _Case.of(asked, resources, allowed, strict=True)
    if not case.fits:
        near = case.nearest(request.raw) if with_placement else None
        return Feasibility(_NAME, False, reasons=case.reasons(), fits=0, nearest=near)
    if not with_placement:
        return Feasibility(_NAME, True)
    most = (asked.nodes or asked.slots).most
    return Feasibility(
        _NAME,
        True,
        placement=place(case.need, most, case.classes, resources),
        fits=case.need.jobs_in(case.classes),
        largest=tuple(case.largest()),
    )


def _allowed(request: Request, constraint: object, resources: Resources) -> int:
    """The nodes that sched-simple takes a constraint to leave; raises RefusedError."""
    reading = own_constraint.read(constraint, resources)
    if not reading.refused:
        return reading.mask
    errors = [p for p in tree.read(constraint, CONSTRAINT).problems if p.severity == "error"]
    said = f": {reading.words}" if reading.words else ""
    message = f"sched-simple does not take this constraint{said}"
    problems = errors or [Problem(message, None, CONSTRAINT)]
    if request.listed is not None:  # looked at before the constraint is
        words = refusal(request, Need.of(request, strict=False), ())
        raise RefusedError(words, unsupported(request.listed), *problems)
    raise RefusedError(reading.words, *problems)


def _differs(constraint: object, case: "_Case") -> bool:
    """sched-simple reads a constraint otherwise than RFC 31, so that other nodes are left."""
    if constraint is None:
        return False
    value = tree.read(constraint).value
    return value is None or matching.match(value, case.resources) != case.allowed


@dataclass(frozen=True, slots=True)
class _Case:
    """A request beside the nodes it may use."""

    request: Request
    need: Need
    classes: Classes
    resources: Resources
    allowed: int

    @classmethod
    def of(cls, request: Request, resources: Resources, allowed: int, *, strict: bool) -> "_Case":
        allowed &= resources.everything
        need = Need.of(request, strict=strict)
        return cls(request, need, classes_of(resources, allowed), resources, allowed)

    @property
    def fits(self) -> bool:
        return self.request.listed is None and self.need.is_met(self.classes)

    def reasons(self, own_reading: bool = False) -> tuple[Problem, ...]:
        scope = Scope(self.allowed.bit_count(), self.resources.node_count, own_reading)
        return reasons(self.request, self.need, self.classes, scope)

    def largest(self) -> list[tuple[str, int]]:
        """The largest count of each range, by the path of the count."""
        nodes, slots = self.request.nodes, self.request.slots
        found = []
        if nodes is not None and nodes.ranged:
            found.append((nodes.path, _capped(self.need.eligible(self.classes), nodes.most)))
        if slots.ranged and nodes is None:
            found.append((slots.path, _capped(self.need.slots_in(self.classes), slots.most)))
        elif slots.ranged:
            there = sum(group.nodes * group.cores for group in self.classes)
            count = bisect(
                lambda count: replace(self.need, slots=count).is_met(self.classes),
                _capped(there, slots.most),
                slots.least,
            )
            found.append((slots.path, slots.least if count is None else count))
        return found

    def nearest(self, resources: Sequence[Any]) -> Nearest | None:
        """The nearest request that fits; of equal changes nodes go before slots, cores and gpus."""
        lowerable = list(_lowerable(self.request))
        there = sum(group.nodes * (group.cores + group.gpus + 1) for group in self.classes)
        parts = [Part(one.least, one.floor, min(one.least, there), one.put) for one in lowerable]
        found = lowered(self.need, parts, lambda need: need.is_met(self.classes))
        if not found:
            return None
        chosen = sorted(found.items(), key=lambda item: lowerable[item[0]].steps)
        changed: list[Any] = list(resources)
        for at, count in reversed(chosen):  # a vertex that goes moves those behind it
            changed = _with_count(changed, lowerable[at].steps, lowerable[at].written(count))
        words = "; ".join(lowerable[at].change(count) for at, count in chosen)
        return Nearest(tuple(changed), words)


def _capped(count: int, most: int | None) -> int:
    return count if most is None else min(count, most)


@dataclass(frozen=True, slots=True)
class _Lowerable:
    """A count of a request that may go down to a floor; name is the field of `Need` for it."""

    name: str
    noun: str
    asked: Asked
    floor: int = 1

    @property
    def least(self) -> int:
        return self.asked.least

    @property
    def steps(self) -> list[int]:
        """The places in the lists on the way from the top of the resources to the vertex."""
        return [int(place) for place in re.findall(r"\[([0-9]+)\]", self.asked.path)]

    def put(self, need: Need, count: int) -> Need:
        """The need with another count."""
        field: dict[str, Any] = {self.name: count}
        return replace(need, **field)

    def written(self, count: int) -> object:
        """The count in the form of the old one: a range only begins lower; None for no vertex."""
        if not count:
            return None
        if not self.asked.ranged:
            return count
        if isinstance(self.asked.written, Mapping):
            return {**self.asked.written, "min": count}
        return counts.format(counts.Range(count, self.asked.most))

    def change(self, count: int) -> str:
        """``8 cores, not 9``; of a range ``at least 3 nodes, not 5``."""
        least = "at least " if self.asked.ranged else ""
        what = amount(self.noun, count) if count else f"no {self.noun}"
        return f"{least}{what}, not {number(self.least)}"


def _lowerable(request: Request) -> Iterator[_Lowerable]:
    """The counts of a request in the order in which they go down."""
    alone = request.nodes is not None and request.nodes.path == request.slots.path
    if request.nodes is not None:
        yield _Lowerable("nodes", "slot" if alone else "node", request.nodes)
    if not alone:
        yield _Lowerable("slots", "slot", request.slots)
    yield _Lowerable("cores", "core", Asked(request.cores, request.cores, request.cores_path))
    if request.gpus:
        yield _Lowerable("gpus", "gpu", Asked(request.gpus, request.gpus, request.gpus_path), 0)


def _with_count(vertices: Sequence[Any], steps: Sequence[int], count: object) -> list[Any]:
    """The resources with another count of one vertex; without the vertex where it is None."""
    here, *below = steps
    vertex = vertices[here]
    if below:
        vertex = {**vertex, "with": _with_count(vertex["with"], below, count)}
    elif count is None:
        return [*vertices[:here], *vertices[here + 1 :]]
    else:
        vertex = {**vertex, "count": count}
    return [*vertices[:here], vertex, *vertices[here + 1 :]]
