"""How the constraint in force is read, worked out once for all panes that tell of it.

The explanations are loaded with the first constraint, as the first frame does without.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from fluxtui.model.constraint.requires import Requires
from fluxtui.workbench import State

if TYPE_CHECKING:
    from fluxtui.answers.explain.explanation import Explanation
    from fluxtui.answers.explain.findings import Finding
    from fluxtui.answers.explain.names import Unknown
    from fluxtui.answers.explain.relaxations import Relaxation, Within


class Advice(NamedTuple):
    """What is odd about a constraint, and what to change.

    unknown  what it names and the cluster does not have
    marks    what contradicts itself, changes nothing or reads otherwise than it seems
    changes  single changes after which more nodes match, the best first
    untried  what was not tried to find changes, a part of a sentence; empty where all was
    matches  some node matches, of the queue that the job goes to
    within   the nodes of that queue, where they are not all
    """

    unknown: tuple[Unknown, ...] = ()
    marks: tuple[Finding, ...] = ()
    changes: tuple[Relaxation, ...] = ()
    untried: str = ""
    matches: bool = True
    within: Within | None = None


class Explaining:
    """The explanation of the last constraint that could be read, and what follows from it."""

    def __init__(self) -> None:
        self._of: tuple[object, ...] = ()
        self._found: Explanation | None = None

    def explain(self, state: State) -> Explanation | None:
        """How the constraint of a state is read; that of an earlier text while this one is bad.

        None where nothing is asked. An explanation stands until the constraint is another, or the
        cluster; of a bad text it has the places of the earlier one.
        """
        ask, resources = state.ask, state.cluster.resources
        if ask.constraint is None or ask.counted is None:
            return None
        about = (ask.counted, resources)
        reading = ask.requires
        if self._of and _same(self._of[1:], about) and (ask.stale or self._of[0] is reading):
            return self._found
        from fluxtui.answers.explain.explanation import explain

        if ask.stale:
            reading = Requires("", ask.constraint)
        self._of = (reading, *about)
        self._found = explain(reading, resources, ask.counted)
        return self._found


def _same(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    return all(a is b for a, b in zip(one, other, strict=True))


def warm_up() -> None:
    """Load what explains a constraint, so that the first key of one need not wait for it."""
    from fluxtui.answers.explain import edit, findings, relaxations, why

    _ = (edit, findings, relaxations, why)


def within(state: State) -> Within | None:
    """The nodes of the queue that the job goes to; None where there is no job, or all are its."""
    queue, cluster = state.outlook.queue, state.cluster
    if state.outlook.own is None or not cluster.has_queue(queue):
        return None
    nodes = cluster.covered(queue)
    if nodes == cluster.resources.everything:
        return None
    from fluxtui.answers.explain.relaxations import Within

    return Within(nodes, queue)


def matches(explanation: Explanation, within: Within | None) -> bool:
    """Some node matches, of those that count."""
    return bool(explanation.mask if within is None else explanation.mask & within.mask)


def advise(
    explanation: Explanation,
    within: Within | None = None,
    enough: Callable[[], bool] = lambda: False,
) -> Advice:
    """What is odd about a constraint, and what to change so that more nodes match.

    Where within is given, only its nodes count. Of one that matches some nodes, only names that the
    cluster does not have are to be changed. Once enough says so, the changes that were written by
    then will do.
    """
    from fluxtui.answers.explain import findings, names, relaxations

    constraint = explanation.reading.constraint
    assert constraint is not None
    unknown = names.unknown(constraint, explanation.resources)
    is_met = matches(explanation, within)
    changes: tuple[Relaxation, ...] = ()
    if not is_met or unknown:
        changes = relaxations.relaxations(
            explanation, unknown, relaxations.MOST, enough, names_only=is_met, within=within
        )
    untried = "" if is_met else relaxations.untried(explanation)
    return Advice(unknown, findings.findings(explanation), changes, untried, is_met, within)
