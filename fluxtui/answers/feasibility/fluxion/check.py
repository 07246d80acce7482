"""Whether a request of any RFC 14 form fits a resource graph, as Fluxion decides it.

The rules are those of Fluxion with its policy ``first`` on an empty graph, its oddities included.
Constraints, however, count by RFC 31.
"""

from collections.abc import Callable
from dataclasses import replace

from fluxtui.answers.feasibility.feasibility import CONSTRAINT, Feasibility, Nearest, Scheduler
from fluxtui.answers.feasibility.fluxion.count import Counter, TooMuchError, Trial, largest
from fluxtui.answers.feasibility.fluxion.judge import Judge
from fluxtui.answers.feasibility.fluxion.placement import place
from fluxtui.answers.feasibility.fluxion.prepared_graph import FilteredGraph, PreparedGraph
from fluxtui.answers.feasibility.fluxion.reading import (
    RULE,
    Request,
    Requested,
    constraint_refusal,
    empty_or,
    read,
    replaced,
    walk,
)
from fluxtui.answers.feasibility.fluxion.reasons import Shortage, no_node
from fluxtui.answers.feasibility.fluxion.rules import (
    broken,
    corrected,
    forgotten,
    misplaced,
    oddities,
)
from fluxtui.answers.feasibility.fluxion.subtree_classes import SubtreeClass, projected
from fluxtui.answers.feasibility.nearest import Part, lowered
from fluxtui.answers.feasibility.wording import Nouns
from fluxtui.model.constraint import tree
from fluxtui.model.jobspec.request import ROOT, ResourceRequest
from fluxtui.notation.count import Range, describe
from fluxtui.notation.problem import Problem, capped
from fluxtui.notation.sets.bits import less
from fluxtui.notation.wording import listed

_NAME: Scheduler = "fluxion"

# What Fluxion says of a request that it reads and that does not fit.
_UNSATISFIABLE = "Unsatisfiable request"

# Of a request with more resources than people write the counts are not lowered.
_MOST_LOWERED = 40


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
        return Feasibility(_NAME, False, words, errors)
    asked = read(request, prepared.types)
    if asked.problems:
        verdict = False if asked.words else None
        return Feasibility(_NAME, verdict, asked.words, capped(asked.problems))
    if not asked.request:
        nothing = Problem("the request asks for nothing", None, ROOT, (), RULE)
        return Feasibility(_NAME, False, "traverser: Invalid argument", (nothing,))
    selection = prepared.select(None if constraint is None else parsed.value, allowed)
    case = _Case(prepared, asked.request, selection)
    notes = empty_or(parsed.value)
    if not case.is_satisfied:
        return case.refused(notes, with_nearest=with_placement)
    return case.satisfied(notes) if with_placement else Feasibility(_NAME, True)


class _Case:
    """A request beside a graph, of which its constraint leaves a selection."""

    def __init__(self, prepared: PreparedGraph, request: Request, selection: int) -> None:
        self.prepared = prepared
        self.request = request
        self.selection = selection
        self.nouns = Nouns(prepared.units)
        self.corrected, self.corrections = corrected(request, prepared.levels, self.nouns)
        # Also the levels that may be put in between, so that these can be judged.
        self.types = frozenset(each.type for each in (*walk(request), *walk(self.corrected)))
        self.filtered = prepared.filter(selection)
        self.root = self._root(self.filtered)
        self.judge = Judge(prepared.leaves)
        self.is_satisfied = self.root is not None and self.judge.satisfied(self.root, request)

    def satisfied(self, notes: list[Problem]) -> Feasibility:
        """The request fits, by Fluxion's rules."""
        assert self.root is not None
        most = largest(self.judge, self.root, self.request)
        strict, up = Judge(self.prepared.leaves, strict=True), self._up()
        odd = oddities(self.request)
        root = self._root(up)
        if root is None or not strict.satisfied(root, self.request):
            odd = odd or [self._not_allocated(strict)]
        if odd or root is None:
            return Feasibility(_NAME, True, reasons=(*odd, *notes), largest=most)
        placement = place(up, strict, self.request)
        count = Counter(strict).fits(root, self.request)
        return Feasibility(_NAME, True, "", tuple(notes), placement, count, most)

    def _root(self, graph: FilteredGraph) -> SubtreeClass | None:
        """The class of a graph as far as it matters to the request; None if that is excluded."""
        return None if graph.root is None else projected(graph.root, self.types)

    def _up(self) -> FilteredGraph:
        """The graph without what is down."""
        return self.prepared.filter(less(self.selection, self.prepared.filterable.down))

    def _not_allocated(self, strict: Judge) -> Problem:
        """Why Fluxion allocates nothing for a request that it calls satisfiable."""
        if self.root is None or not strict.satisfied(self.root, self.request):
            return forgotten(self.request, self.prepared.levels)
        kinds = listed(sorted(self.prepared.down_types))
        message = f"Fluxion calls this satisfiable, but only with what is marked down: {kinds}"
        return Problem(message, None, ROOT, (), RULE, "warning")

    def refused(self, notes: list[Problem], *, with_nearest: bool) -> Feasibility:
        """The request does not fit."""
        graph = "the graph" if self.prepared.graph else "an R without a graph"
        levels = self.prepared.levels
        found = broken(self.request) or misplaced(self.request, levels, graph)
        found = found or self._lacking()
        near = self._nearest() if with_nearest else None
        said = capped((*found, *notes))
        return Feasibility(_NAME, False, _UNSATISFIABLE, said, fits=0, nearest=near)

    def _lacking(self) -> list[Problem]:
        """What is missing for a request that breaks no rule."""
        filtered = self.prepared.filterable.filtered
        left, total = (self.selection & filtered).bit_count(), filtered.bit_count()
        seen, whole = self.filtered.root, self.prepared.classes[self.prepared.root]
        if seen is None:
            return [no_node(total)]
        shortage = Shortage(self.judge, self.nouns, self.request, whole, seen, (left, total))
        return shortage.reasons()

    def _nearest(self) -> Nearest | None:
        """The nearest request for which Fluxion would allocate something, or else that fits."""
        strict = Judge(self.prepared.leaves, strict=True)
        try:
            for judge, root in ((strict, self._root(self._up())), (self.judge, self.root)):
                found = None if root is None else self._nearest_to(Trial(judge, root))
                if found is not None:
                    return found
        except TooMuchError:
            pass
        return None

    def _nearest_to(self, fits: Trial) -> Nearest | None:
        """What breaks a rule is corrected first; then as few counts as possible go down."""
        request, changes = self.corrected, self.corrections
        if not changes or not fits(request):
            if sum(1 for _ in walk(request)) > _MOST_LOWERED:
                return None
            changed = self._less_greedy(request, fits) or self._lowered(request, fits)
            if changed is None or not fits(changed[0]):
                return None
            request, changes = changed[0], [*changes, *changed[1]]
        return Nearest(tuple(each.to_json() for each in request), "; ".join(changes))

    def _less_greedy(self, request: Request, fits: Trial) -> tuple[Request, list[str]] | None:
        """A range in a slot, of which Fluxion takes too much, made the largest count that fits."""
        for wanted in walk(request):
            count = fits.largest(request, wanted)
            if count is not None:
                return replaced(request, wanted.path, count), [self._change(wanted, count)]
        return None

    def _lowered(self, request: Request, fits: Trial) -> tuple[Request, list[str]] | None:
        """The request with fewer and smaller counts, and what was changed."""
        lowerable = [wanted for wanted in walk(request) if wanted.least > 1]
        parts = [Part(one.least, 1, one.least, _putter(one.path)) for one in lowerable]
        found = lowered(request, parts, fits)
        if not found:
            return None
        in_slots = {kid.path for one in walk(request) if one.is_slot for kid in walk(one.kids)}
        changes = []
        for at, count in sorted(found.items()):
            wanted = lowerable[at]
            # In a slot a range becomes a number, since of a range Fluxion takes all there is.
            new = count if wanted.path in in_slots else _with_least(wanted, count)
            if new != wanted.count:
                request = replaced(request, wanted.path, new)
                changes.append(self._change(wanted, new))
        return request, changes

    def _change(self, wanted: Requested, count: int | Range) -> str:
        """``8 cores, not 9``; of a range ``at least 3 nodes, not 5``."""
        amount = self.nouns.amount
        if isinstance(count, Range):
            return f"at least {amount(wanted.type, count.min)}, not {wanted.least:,}"
        old = wanted.count
        was = describe(old) if isinstance(old, Range) else f"{old:,}"
        return f"{amount(wanted.type, count)}, not {was}"


def _putter(path: str) -> Callable[[Request, int], Request]:
    """Puts another count at a path."""
    return lambda request, count: replaced(request, path, count)


def _with_least(wanted: Requested, count: int) -> int | Range:
    """A count in the form of the old one: a range only begins lower."""
    if isinstance(wanted.count, Range) and wanted.count.operator == "+":
        return replace(wanted.count, min=count)
    return count
