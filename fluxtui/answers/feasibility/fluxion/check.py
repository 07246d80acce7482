"""Whether a request of any RFC 14 form finds room on a resource graph, as Fluxion decides it.

The rules are those of Fluxion with its policy ``first`` on an empty graph, its oddities included,
but for constraints: they count by RFC 31.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fluxtui.answers.feasibility.feasibility import Feasibility, Nearest, Scheduler
from fluxtui.answers.feasibility.fluxion import build, plain_placement
from fluxtui.answers.feasibility.fluxion import placement as room_graph_place
from fluxtui.answers.feasibility.fluxion.constraint import emptied, refused
from fluxtui.answers.feasibility.fluxion.count import (
    Counter,
    TooMuchError,
    Trial,
    largest,
    more_than_all,
)
from fluxtui.answers.feasibility.fluxion.judge import Judge
from fluxtui.answers.feasibility.fluxion.mend import mended
from fluxtui.answers.feasibility.fluxion.nearest import nearest
from fluxtui.answers.feasibility.fluxion.prepared_graph import Ground, Sight
from fluxtui.answers.feasibility.fluxion.read import read
from fluxtui.answers.feasibility.fluxion.reasons import CONSTRAINT, Scene, reasons
from fluxtui.answers.feasibility.fluxion.request import Want, each
from fluxtui.answers.feasibility.fluxion.rules import broken, forgotten, misplaced, oddities
from fluxtui.answers.feasibility.fluxion.words import Nouns, listed
from fluxtui.model.constraint import tree as constraints
from fluxtui.model.resources.graph import Graph
from fluxtui.model.resources.resource_set import Resources
from fluxtui.notation.problem import Problem, capped
from fluxtui.notation.sets.bits import less

__all__ = ["FluxionIndex", "check_feasibility"]

_NAME: Scheduler = "fluxion"

# What Fluxion says of a request that it reads and has no room for.
_UNSATISFIABLE = "Unsatisfiable request"


@dataclass(frozen=True, slots=True, eq=False)
class FluxionIndex:
    """What is worked out once for a cluster, so that a request is judged within a frame."""

    ground: Ground

    @classmethod
    def of(cls, graph: Graph, resources: Resources) -> "FluxionIndex":
        """Of a resource graph; resources are its nodes, by whose rank indices masks go.

        Takes a second for a hundred thousand vertices.
        """
        return cls(build.of(graph, resources))

    @classmethod
    def of_resources(cls, resources: Resources) -> "FluxionIndex":
        """Of an R without a graph, of which Fluxion makes a cluster of nodes with cores and gpus.

        Takes what the kinds of nodes take, however many nodes there are.
        """
        return cls(build.of_resources(resources))


def check_feasibility(
    request: Sequence[Mapping[str, Any]],
    constraint: object,
    index: FluxionIndex,
    allowed: int | None = None,
    *,
    with_placement: bool = True,
) -> Feasibility:
    """Whether Fluxion can ever satisfy a request, and with which vertices.

    with_placement asks for a placement, counts and the nearest request beside the verdict.

    request is an RFC 14 resources list, constraint an RFC 31 object or None; allowed is the mask of
    the nodes that are allowed besides, by rank index, and says nothing of vertices without a rank.
    largest goes by the path of the count, such as ``resources[0].count``. Reasons with the
    severity ``warning`` stand where Fluxion calls a request satisfiable and would not give what
    it asks for; then there is no placement. feasible is None where the request is nested deeper
    than is read.
    """
    parsed = constraints.read({} if constraint is None else constraint, CONSTRAINT)
    if parsed.value is None:
        errors = tuple(p for p in parsed.problems if p.severity == "error")
        return Feasibility(_NAME, False, f"Jobspec error: {refused(constraint)}", errors)
    ground = index.ground
    asked = read(request, ground.types)
    if asked.problems:
        return Feasibility(
            _NAME, False if asked.words else None, asked.words, capped(asked.problems)
        )
    if not asked.wants:
        nothing = Problem("the request asks for nothing", None, "resources", (), "RFC 14")
        return Feasibility(_NAME, False, "traverser: Invalid argument", (nothing,))
    passed = ground.passed(None if constraint is None else parsed.value, allowed)
    case = _Case(ground, asked.wants, passed)
    notes = emptied(parsed.value)
    if not case.satisfied:
        return case.without(notes, with_placement=with_placement)
    return case.with_room(notes) if with_placement else Feasibility(_NAME, True)


class _Case:
    """A request before a graph, seen through its constraint."""

    def __init__(self, ground: Ground, wants: tuple[Want, ...], passed: int) -> None:
        self.ground = ground
        self.wants = wants
        self.passed = passed
        self.nouns = Nouns(ground.units)
        # Also the levels that may be put in between, so that these can be judged.
        mended_, _ = mended(wants, ground.levels, self.nouns)
        self.types = frozenset(want.type for want in (*each(wants), *each(mended_)))
        self.root = ground.sight(passed, self.types).root
        self.judge = Judge(ground.leaves)
        self.satisfied = self.root is not None and self.judge.satisfied(self.root, wants)

    def with_room(self, notes: list[Problem]) -> Feasibility:
        """There is room, by Fluxion's rules."""
        assert self.root is not None
        most = largest(self.judge, self.root, self.wants)
        strict, sight = Judge(self.ground.leaves, strict=True), self._up()
        odd = oddities(self.wants)
        if sight.root is None or not strict.satisfied(sight.root, self.wants):
            odd = odd or [self._not_given(strict)]
        if odd or sight.root is None:
            return Feasibility(_NAME, True, reasons=(*odd, *notes), largest=most)
        by = plain_placement.place if self.ground.graph is None else room_graph_place.place
        placement = by(sight, strict, self.wants)
        count = Counter(strict).fits(sight.root, self.wants)
        return Feasibility(_NAME, True, "", tuple(notes), placement, count, most)

    def _up(self) -> Sight:
        """The graph without what is down."""
        return self.ground.sight(less(self.passed, self.ground.down), self.types)

    def _not_given(self, strict: Judge) -> Problem:
        """Why Fluxion gives nothing for a request that it calls satisfiable."""
        if self.root is None or not strict.satisfied(self.root, self.wants):
            return forgotten(self.wants, self.ground.levels)
        kinds = listed(sorted(self.ground.down_types()))
        message = f"Fluxion calls this satisfiable, but only with what is marked down: {kinds}"
        return Problem(message, None, "resources", (), "RFC 14", "warning")

    def without(self, notes: list[Problem], *, with_placement: bool) -> Feasibility:
        """There is no room; with_placement asks for the nearest request that has it."""
        graph = "the graph" if self.ground.graph else "an R without a graph"
        found = broken(self.wants) or misplaced(self.wants, self.ground.levels, graph)
        found = found or reasons(self._scene())
        said = capped((*found, *notes))
        near = self._nearest() if with_placement else None
        return Feasibility(_NAME, False, _UNSATISFIABLE, said, fits=0, nearest=near)

    def _scene(self) -> Scene:
        ground = self.ground
        everything = ground.sight(ground.everything, self.types)
        whole, all_ = everything.root, everything.view.root
        assert whole is not None
        assert all_ is not None
        there = {**all_.below, all_.type: all_.below.get(all_.type, 0) + all_.size}
        filtered = ground.filtered
        nodes = ((self.passed & filtered).bit_count(), filtered.bit_count())
        return Scene(self.judge, self.nouns, self.wants, self.root, whole, there, nodes)

    def _nearest(self) -> Nearest | None:
        """First among the requests for which Fluxion would give something, then among all."""
        strict = Judge(self.ground.leaves, strict=True)
        for judge, root in ((strict, self._up().root), (self.judge, self.root)):
            if root is None:
                continue
            try:
                found = nearest(
                    self.wants,
                    self.ground.levels,
                    self.nouns,
                    Trial(judge, root),
                    more_than_all(root),
                )
            except TooMuchError:
                return None
            if found is not None:
                return found
        return None
