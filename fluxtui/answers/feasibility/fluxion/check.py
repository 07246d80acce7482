"""Whether a request of any RFC 14 form fits a resource graph, as Fluxion decides it.

The rules are those of Fluxion with its policy ``first`` on an empty graph, its oddities included.
Constraints, however, count by RFC 31.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from fluxtui.answers.feasibility.feasibility import CONSTRAINT, Feasibility
from fluxtui.answers.feasibility.fluxion.judge import Counter, Judge, Trial
from fluxtui.answers.feasibility.fluxion.nearest import nearest_request
from fluxtui.answers.feasibility.fluxion.placement import place
from fluxtui.answers.feasibility.fluxion.prepared_graph import (
    FilteredGraph,
    PreparedGraph,
    SubtreeClass,
    projected,
)
from fluxtui.answers.feasibility.fluxion.reading import (
    NAME,
    Request,
    constraint_refusal,
    empty_or,
    read,
    walk,
)
from fluxtui.answers.feasibility.fluxion.reasons import (
    Shortage,
    broken,
    forgotten,
    misplaced,
    no_node,
    oddities,
    problem,
)
from fluxtui.model.constraint import tree
from fluxtui.model.jobspec.request import ROOT, ResourceRequest
from fluxtui.notation.problem import Problem, capped
from fluxtui.notation.sets.bits import less
from fluxtui.notation.sets.idset import from_mask
from fluxtui.notation.wording import listed


def check_feasibility(
    request: ResourceRequest,
    constraint: object,
    prepared: PreparedGraph,
    allowed: int | None = None,
    *,
    with_placement: bool = True,
) -> Feasibility:
    """Whether Fluxion can ever satisfy a request, and with which vertices.

    with_placement asks for a placement, counts and the nearest request beside the verdict.
    constraint is an RFC 31 object or None; allowed is the mask of the nodes that are allowed
    besides, by rank index, and excludes no vertex without a rank. largest goes by the path of the
    count, such as ``resources[0].count``. Reasons with the severity ``warning`` explain why
    Fluxion calls a request satisfiable and would not allocate what it asks for; then there is no
    placement. feasible is None where the request is nested deeper than is read.
    """
    parsed = tree.read({} if constraint is None else constraint, CONSTRAINT)
    if parsed.value is None:
        errors = tuple(p for p in parsed.problems if p.severity == "error")
        words = f"Jobspec error: {constraint_refusal(constraint)}"
        return Feasibility(NAME, False, words, errors)
    asked = read(request, prepared.types)
    if isinstance(asked, Feasibility):
        return asked
    selection = prepared.select(None if constraint is None else parsed.value, allowed)
    case = _Case(prepared, asked, selection, prepared.filter(selection))
    judge, notes = Judge(prepared.leaves), empty_or(parsed.value)
    root = case.root(case.filtered)
    if root is None or not judge.satisfied(root, asked):
        near = nearest_request(prepared, selection, asked) if with_placement else None
        reasons = capped((*case.reasons(judge), *notes))
        return Feasibility(NAME, False, "Unsatisfiable request", reasons, fits=0, nearest=near)
    if not with_placement:
        return Feasibility(NAME, True)
    return case.satisfied(root, judge, notes)


@dataclass(frozen=True, slots=True)
class _Case:
    """A request beside a graph, of which its constraint leaves a selection."""

    prepared: PreparedGraph
    request: Request
    selection: int
    filtered: FilteredGraph

    def root(self, graph: FilteredGraph) -> SubtreeClass | None:
        """The class of a graph as far as it matters to the request; None if that is excluded."""
        types = frozenset(each.type for each in walk(self.request))
        return None if graph.root is None else projected(graph.root, types)

    def satisfied(self, root: SubtreeClass, judge: Judge, notes: Sequence[Problem]) -> Feasibility:
        """The request fits, by Fluxion's rules."""
        prepared, request = self.prepared, self.request
        most = Trial(judge, root).largest_of_ranges(request)
        strict = Judge(prepared.leaves, strict=True)
        up = prepared.filter(less(self.selection, prepared.filterable.down))
        up_root = self.root(up)
        odd = oddities(request)
        if up_root is not None and strict.satisfied(up_root, request) and not odd:
            placement = place(up, strict, request)
            count = Counter(strict).fits(up_root, request)
            return Feasibility(NAME, True, "", tuple(notes), placement, count, most)
        if not odd and not strict.satisfied(root, request):
            odd = [forgotten(request, prepared.levels)]
        elif not odd and prepared.graph is not None:
            down = from_mask(prepared.filterable.down)
            rows = list(prepared.filterable.numbers)
            kinds = listed(sorted({prepared.graph.types[rows[number]] for number in down}))
            message = f"Fluxion calls this satisfiable, but only with what is marked down: {kinds}"
            odd = [problem(message, ROOT, severity="warning")]
        return Feasibility(NAME, True, reasons=(*odd, *notes), largest=most)

    def reasons(self, judge: Judge) -> Sequence[Problem]:
        """Why the request does not fit."""
        prepared, request = self.prepared, self.request
        graph = "the graph" if prepared.graph else "an R without a graph"
        found = list(broken(request)) or misplaced(request, prepared.levels, graph)
        if found:
            return found
        filtered = prepared.filterable.filtered
        left, total = (self.selection & filtered).bit_count(), filtered.bit_count()
        seen, whole = self.filtered.root, prepared.classes[prepared.root]
        if seen is None:
            return [no_node(total)]
        return Shortage(judge, prepared.units, request, whole, seen, left, total).reasons()
