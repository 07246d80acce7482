"""Whether a job fits by the rules of sched-simple: as it answers itself, and as it should.

It knows nodes, slots, cores and gpus, reads them from any request, and considers an idle cluster.
Where it errs (RFC 31 constraints, whole nodes with several slots), `check_feasibility` errs with
it and `check_strictly` does not. It takes nodes worst fit first: those with most cores, then most
gpus, then the lowest rank. Everything is computed for classes of nodes, never for single nodes.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import Any

from fluxtui.answers import matching
from fluxtui.answers.feasibility import sched_simple_reading as reading
from fluxtui.answers.feasibility.feasibility import (
    CONSTRAINT,
    Feasibility,
    Nearest,
    NodeClass,
    Placement,
    Scheduler,
    all_classes,
    amount,
    bisect,
    jobs_at_once,
    lowered,
    number,
    placement_of,
    shares,
)
from fluxtui.answers.feasibility.sched_simple_reading import CountRange, RefusedError, Request
from fluxtui.model.constraint import tree
from fluxtui.model.jobspec.jobspec import system
from fluxtui.model.jobspec.request import RequestVertex, ResourceRequest, parse
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation import count as counts
from fluxtui.notation.problem import Problem
from fluxtui.notation.sets.bits import lowest

_NAME: Scheduler = "sched-simple"


def check_feasibility(
    jobspec: Mapping[str, Any], resources: Resources, *, request: ResourceRequest | None = None
) -> Feasibility:
    """Return sched-simple's own answer to whether a job can ever run, without a placement.

    words are its error text, but empty if that would be a Python message about a wrong type.
    """
    found = read_loosely(_NAME, jobspec, resources, request)
    if isinstance(found, Feasibility):
        return found
    parsed, constraint, allowed = found
    case = _Case.of(parsed, resources, allowed, strict=False)
    if case.fits:
        return Feasibility(_NAME, True)
    if constraint is not None:
        value = tree.read(constraint).value
        differs = value is None or matching.match(value, resources) != case.allowed
        case = replace(case, own_reading=differs)
    return Feasibility(_NAME, False, case.refusal(), case.reasons(), fits=0)


def check_strictly(
    jobspec: Mapping[str, Any],
    resources: Resources,
    allowed: int | None = None,
    *,
    request: ResourceRequest | None = None,
    with_placement: bool = True,
) -> Feasibility:
    """Return whether a job fits by the rules: RFC 31 for constraints, every slot on a whole node.

    with_placement requests a placement, counts and the nearest request besides the verdict.
    feasible is None for a request of which sched-simple ignores a part: other types than node,
    slot, core and gpu, several slots, counts with discrete values, ranges inside a slot.
    """
    request = request or parse(jobspec.get("resources"))
    parsed = reading.read_plain(request)
    if parsed is None:
        return Feasibility(_NAME, None)
    if allowed is None:
        allowed, errors = allowed_by_constraint(jobspec, resources)
        if errors:
            return Feasibility(_NAME, False, reasons=errors)
    case = _Case.of(parsed, resources, allowed, strict=True)
    if not case.fits:
        near = case.nearest(request.roots) if with_placement else None
        return Feasibility(_NAME, False, reasons=case.reasons(), fits=0, nearest=near)
    if not with_placement:
        return Feasibility(_NAME, True)
    most = (parsed.nodes or parsed.slots).most
    return Feasibility(
        _NAME,
        True,
        placement=place(case.need, most, resources),
        fits=case.need.jobs_in(),
        largest=tuple(case.largest()),
    )


def allowed_by_constraint(
    jobspec: Mapping[str, Any], resources: Resources
) -> tuple[int, tuple[Problem, ...]]:
    """Return the nodes that a job's constraint allows by RFC 31, or 0 and its errors."""
    wanted = system(jobspec).get("constraints")
    value, problems = tree.read({} if wanted is None else wanted, CONSTRAINT)
    if value is None:
        return 0, tuple(p for p in problems if p.severity == "error")
    return matching.match(value, resources), ()


def gives_less(request: ResourceRequest, resources: Resources, usable: int) -> bool:
    """Return whether a job of whole nodes that does not fit is started on usable nodes anyway.

    If enough whole nodes are free, sched-simple ignores how many cores and slots the job requests
    of each, and checks the gpus of only one slot.
    """
    parsed = reading.read_plain(request)
    if parsed is None or not parsed.exclusive:
        return False
    case = _Case.of(parsed, resources, usable, strict=False)
    return replace(case.need, cores=1).is_met()


def read_loosely(
    name: Scheduler,
    jobspec: Mapping[str, Any],
    resources: Resources,
    request: ResourceRequest | None,
    *,
    by_tree: bool = False,
) -> tuple[Request, object, int] | Feasibility:
    """Return a request, its constraint (or None) and the allowed nodes, as sched-simple reads them.

    If it refuses them before it checks whether they fit, return its answer. name is that of the
    pool; by_tree is as for `sched_simple_reading.read`.
    """
    request = request or parse(jobspec.get("resources"))
    try:
        parsed, constraint = reading.read(jobspec, request, by_tree=by_tree)
        return parsed, constraint, _allowed_by(parsed, constraint, resources)
    except RefusedError as refused:
        return Feasibility(name, False, refused.words, refused.problems)
    except reading.TooDeepError:
        message = f"the constraint is nested deeper than {tree.MAX_DEPTH} levels"
        return Feasibility(name, None, reasons=(Problem(message, None, CONSTRAINT),))


def _allowed_by(request: Request, constraint: object, resources: Resources) -> int:
    """Return the nodes that a constraint allows as sched-simple reads it; raises RefusedError."""
    try:
        return reading.allowed_nodes(constraint, resources)
    except RefusedError as refused:
        words = refused.words
    errors = [p for p in tree.read(constraint, CONSTRAINT).problems if p.severity == "error"]
    detail = f": {words}" if words else ""
    message = f"sched-simple does not accept this constraint{detail}"
    problems = errors or [Problem(message, None, CONSTRAINT)]
    if request.listed is not None:  # checked before the constraint
        words, problem = unsupported(request, request.listed)
        problems = [problem, *problems]
    raise RefusedError(words, *problems)


def unsupported(request: Request, count: CountRange) -> tuple[str, Problem]:
    """Return sched-simple's error text for a count with discrete values, and the problem."""
    noun = "node" if count is request.nodes else "slot"
    words = (
        f"{noun} count specifies discrete valid values that this scheduler does not support; "
        f"use a simple min-max range instead"
    )
    read = counts.from_json(count.written).value
    what = counts.describe(read) if read is not None else "single values"
    message = f"sched-simple accepts one number or a range without steps here, not {what}"
    return words, Problem(message, None, count.path, ("a number", "a range such as 2-8"))


@dataclass(frozen=True, slots=True)
class Need:
    """The smallest resources that a job needs."""

    nodes: int  # 0 if only slots are requested
    slots: int  # on each node, or in total if nodes is 0
    cores: int
    gpus: int
    whole: bool
    classes: tuple[NodeClass, ...]  # the nodes that it may use, worst fit first

    def slots_on(self, group: NodeClass) -> int:
        """Return how many slots fit on a node of a class; a slot never spans nodes."""
        slots = group.cores // self.cores
        return min(slots, group.gpus // self.gpus) if self.gpus else slots

    def eligible(self) -> int:
        """Return how many nodes have what the job needs on one node."""
        return sum(group.nodes for group in self.classes if self.slots_on(group) >= self.slots)

    def slots_in(self) -> int:
        """Return how many slots fit on all nodes."""
        return sum(group.nodes * self.slots_on(group) for group in self.classes)

    def is_met(self) -> bool:
        """Whether one job fits."""
        if self.nodes:
            return self.eligible() >= self.nodes
        return self.slots_in() >= self.slots

    def jobs_in(self) -> int:
        """Return how many equal jobs fit at once, packed as well as possible."""
        if not self.nodes:
            return self.slots_in() // self.slots
        by_jobs: dict[int, int] = {}
        for group in self.classes:
            jobs = self.slots_on(group) // self.slots
            jobs = min(jobs, 1) if self.whole else jobs
            by_jobs[jobs] = by_jobs.get(jobs, 0) + group.nodes
        return jobs_at_once(by_jobs.items(), self.nodes)


def place(need: Need, most: int | None, resources: Resources) -> Placement:
    """Place up to ``most`` nodes or slots (None: all that fit), by lowest ids on each node."""
    taken: list[tuple[int, int]] = []  # nodes, and how many slots are taken of each
    available = need.eligible() if need.nodes else need.slots_in()
    left = available if most is None else most
    for group in need.classes:
        slots = need.slots_on(group)
        if left == 0:
            break
        if slots < (need.slots if need.nodes else 1):
            continue
        each = need.slots if need.nodes else slots
        worth = 1 if need.nodes else slots  # what one node counts for
        full = min(group.nodes, left // worth)
        mask = lowest(group.mask, full)
        taken.append((mask, each))
        left -= full * worth
        rest = group.mask ^ mask
        if left and rest:  # too few slots for one more full node
            taken.append((rest & -rest, left))
            left = 0
    if need.whole:
        return placement_of(shares(resources, reduce(or_, (nodes for nodes, _ in taken), 0)))
    cores = [(nodes, slots * need.cores) for nodes, slots in taken]
    gpus = [(nodes, slots * need.gpus) for nodes, slots in taken]
    return placement_of(shares(resources, 0, cores, gpus))


@dataclass(frozen=True, slots=True)
class Lowerable:
    """A count of a request that may be lowered to a floor; name is its field in `Need`."""

    name: str
    noun: str
    count: CountRange
    floor: int = 1

    def written(self, value: int) -> object:
        """Return a new count in the form of the old; a range only begins lower. None: no vertex."""
        if not value:
            return None
        if not self.count.ranged:
            return value
        if isinstance(self.count.written, Mapping):
            return {**self.count.written, "min": value}
        return counts.format(counts.Range(value, self.count.most))

    def change(self, value: int) -> str:
        """Describe a new count: ``8 cores, not 9``; of a range ``at least 3 nodes, not 5``."""
        least = "at least " if self.count.ranged else ""
        what = amount(self.noun, value) if value else f"no {self.noun}"
        return f"{least}{what}, not {number(self.count.least)}"


def with_counts(
    vertices: Sequence[RequestVertex], new: Mapping[str, object]
) -> list[dict[str, Any]]:
    """Return the vertices with new counts, by path, without those whose new count is None."""
    changed = []
    for vertex in vertices:
        path = vertex.path_of("count")
        raw = {**vertex.fields, "count": new.get(path, vertex.fields["count"])}
        if "with" in raw:
            raw["with"] = with_counts(vertex.children, new)
        if raw["count"] is not None:
            changed.append(raw)
    return changed


@dataclass(frozen=True, slots=True)
class _Case:
    """A request together with the nodes that it may use."""

    request: Request
    need: Need
    resources: Resources
    allowed: int
    own_reading: bool = False  # sched-simple's reading allows other nodes than RFC 31

    @classmethod
    def of(cls, request: Request, resources: Resources, allowed: int, *, strict: bool) -> "_Case":
        allowed &= resources.everything
        nodes = request.nodes.least if request.nodes else 0
        # sched-simple itself checks a whole node for only one slot.
        slots = 1 if request.exclusive and not strict else request.slots.least
        classes = tuple(
            NodeClass(group.cores, group.gpus, mask, mask.bit_count())
            for group in all_classes(resources)
            if (mask := group.mask & allowed)
        )
        cores, gpus = request.cores.least, request.gpus.least
        need = Need(nodes, slots, cores, gpus, request.exclusive, classes)
        return cls(request, need, resources, allowed)

    @property
    def fits(self) -> bool:
        return self.request.listed is None and self.need.is_met()

    def largest(self) -> Iterator[tuple[str, int]]:
        """Yield the largest count of each range, by the path of the count."""
        nodes, slots, need = self.request.nodes, self.request.slots, self.need
        if nodes is not None and nodes.ranged:
            available = need.eligible()
            yield nodes.path, min(available, nodes.most or available)
        if slots.ranged and nodes is None:
            available = need.slots_in()
            yield slots.path, min(available, slots.most or available)
        elif slots.ranged:
            available = self.resources.totals(self.allowed).cores
            most = min(available, slots.most or available)
            enough = bisect(lambda count: replace(need, slots=count).is_met(), most, slots.least)
            yield slots.path, enough or slots.least

    def nearest(self, vertices: Sequence[RequestVertex]) -> Nearest | None:
        """Return the nearest request that fits; ties go to nodes, then slots, cores and gpus."""
        request = self.request
        lowerable = [
            Lowerable("cores", "core", request.cores),
            Lowerable("gpus", "gpu", request.gpus, 0),
        ]
        merged = request.nodes is not None and request.nodes.path == request.slots.path
        if not merged:
            lowerable.insert(0, Lowerable("slots", "slot", request.slots))
        if request.nodes is not None:
            lowerable.insert(0, Lowerable("nodes", "slot" if merged else "node", request.nodes))

        def put(need: Need, place: int, count: int) -> Need:
            changed: dict[str, Any] = {lowerable[place].name: count}
            return replace(need, **changed)

        bounds = [(one.floor, one.count.least) for one in lowerable]
        found = lowered(self.need, bounds, put, Need.is_met)
        if not found:
            return None
        chosen = sorted(
            ((lowerable[place], count) for place, count in found.items()),
            key=lambda one: one[0].count.path,
        )
        written = {one.count.path: one.written(count) for one, count in chosen}
        words = "; ".join(one.change(count) for one, count in chosen)
        return Nearest(tuple(with_counts(vertices, written)), words)

    def refusal(self) -> str:
        """Return sched-simple's error text for a request that does not fit (if not strict)."""
        if self.request.listed is not None:
            return unsupported(self.request, self.request.listed)[0]
        try:
            return f"unsatisfiable request: {self._shortage()}"
        except ValueError as error:  # more digits than Python formats, also in sched-simple itself
            return str(error)

    def _shortage(self) -> str:
        need, found = self.need, self.need.eligible()
        if need.whole:
            return f"need {need.nodes} exclusive node(s), only {found} eligible"
        if need.nodes:
            cores, gpus = need.slots * need.cores, need.slots * need.gpus
            more = f" and {gpus} GPUs" if gpus else ""
            return f"need {need.nodes} node(s) with {cores} cores{more} each, only {found} eligible"
        found = replace(need, gpus=0).slots_in()
        totals = self.resources.totals(self.allowed)
        if found < need.slots:
            return (
                f"need {need.slots} slot(s) of {need.cores} core(s), only {found} such slot(s) "
                f"available (total cores: {totals.cores})"
            )
        return (
            f"need {need.slots} slot(s) with {need.gpus} GPU(s) each, "
            f"only {need.slots_in()} available (total GPUs: {totals.gpus})"
        )

    def reasons(self) -> tuple[Problem, ...]:
        """Return what is missing if the request does not fit, from one node up to all of them."""
        total, left = self.resources.node_count, self.allowed.bit_count()
        if self.request.listed is not None:
            return (unsupported(self.request, self.request.listed)[1],)
        if not total:
            return (Problem("the cluster has no nodes"),)
        reading = " as sched-simple reads it" if self.own_reading else ""
        if not left:
            nobody = "the only node does not meet"
            if total != 1:
                nobody = f"none of the cluster's {number(total)} nodes meets"
            return (Problem(f"{nobody} the constraint{reading}", None, CONSTRAINT),)
        need, nodes = self.need, self.request.nodes
        if nodes is None:
            there = need.slots_in()
            if not there:
                return tuple(self._on_one_node(1))
            wanted = f"{amount('slot', need.slots)} of {holding(need.cores, need.gpus)}"
            verb = "has" if left == 1 else "have"
            message = f"needs {wanted}; {self._all} {verb} room for {number(there)}"
            return (Problem(message, None, self.request.slots.path),)
        found = need.eligible()
        missing = [] if found else self._on_one_node(need.slots)
        wanted = amount("whole node" if need.whole else "node", need.nodes)
        if left < need.nodes:
            # By the job's constraint, or by what its queue adds to it.
            reading = " as sched-simple reads the constraint" if self.own_reading else ""
            verb = "is" if left == 1 else "are"
            has = f"{number(left)} of {number(total)} {verb} eligible{reading}"
            has = f"the cluster has {number(left)}" if left == total else has
            missing.append(Problem(f"needs {wanted}; {has}", None, nodes.path))
        elif found:
            each = " each" if need.nodes > 1 else ""
            wanted += f" with {holding(need.slots * need.cores, need.slots * need.gpus)}{each}"
            verb = "has" if found == 1 else "have"
            message = f"needs {wanted}; {number(found)} of {self._all} {verb} them"
            missing.append(Problem(message, None, nodes.path))
        return tuple(missing)

    @property
    def _all(self) -> str:
        """The nodes that the job may use, as the subject of a sentence."""
        left, which = self.allowed.bit_count(), ""
        if left < self.resources.node_count:
            reading = " as sched-simple reads the constraint" if self.own_reading else ""
            which = f" that {'matches' if left == 1 else 'match'}{reading}"
        if left == 1:
            return f"the one node{which}" if which else "the only node"
        return f"the {number(left)} nodes{which}"

    def _on_one_node(self, slots: int) -> list[Problem]:
        """Return why no node has what so many slots need: cores, gpus, or both together."""
        need, request, all_nodes = self.need, self.request, self._all
        cores, gpus = slots * need.cores, slots * need.gpus
        several = self.allowed.bit_count() > 1
        found = []
        most_cores = max((group.cores for group in need.classes), default=0)
        most_gpus = max((group.gpus for group in need.classes), default=0)
        for noun, each, largest, wanted in (
            ("core", need.cores, most_cores, request.cores),
            ("gpu", need.gpus, most_gpus, request.gpus),
        ):
            if slots * each <= largest:
                continue
            there, has = all_nodes, number(largest) if largest else "none"
            if several and noun == "core":
                there = f"the largest of {there}"
            elif several:
                there, has = f"none of {there}", f"more than {has}" if largest else "any"
            note = f" ({amount('slot', slots)} of {number(each)})" if slots > 1 else ""
            message = f"needs {amount(noun, slots * each)} on one node{note}; {there} has {has}"
            path = wanted.path if each > largest else request.slots.path
            found.append(Problem(message, None, path))
        if found:
            return found
        with_cores = sum(group.nodes for group in need.classes if group.cores >= cores)
        with_gpus = sum(group.nodes for group in need.classes if group.gpus >= gpus)
        message = (
            f"needs {holding(cores, gpus)} on one node; of {all_nodes} {number(with_cores)} "
            f"{'has' if with_cores == 1 else 'have'} the cores and {number(with_gpus)} the gpus, "
            f"but none has both"
        )
        return [Problem(message, None, request.slots.path)]


def holding(cores: int, gpus: int) -> str:
    """Return ``8 cores and 2 gpus``; gpus are left out if there are none."""
    return f"{amount('core', cores)} and {amount('gpu', gpus)}" if gpus else amount("core", cores)
