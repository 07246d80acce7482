"""The explanation of the current constraint, computed once for all panes.

The modules that explain a constraint are imported with the first one: the first frame has none.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from textual.dom import DOMNode

from fluxtui.model.cancellation import Stop
from fluxtui.model.constraint.requires import Requires
from fluxtui.notation.problem import Problem
from fluxtui.notation.query.tree import is_plain_name
from fluxtui.notation.sets.bits import less
from fluxtui.ui.kit.workers import LatestTasks
from fluxtui.workbench import State

if TYPE_CHECKING:
    from fluxtui.answers.explain.explanation import Explanation
    from fluxtui.answers.explain.findings import Finding
    from fluxtui.answers.explain.names import Unknown
    from fluxtui.answers.explain.relaxations import Relaxation, Within
    from fluxtui.model.resources.resource_set import Resources

MOST = 9  # changes that are offered: one for each digit from 1

# With more parts or more nodes than this, advice is computed in a thread: each of some ten changes
# takes as long to write as the constraint takes to read.
MANY_PARTS, MANY_NODES = 12, 200_000

# Seconds to wait before a thread starts, as the next key makes its result useless.
PAUSE = 0.15

# Seconds after which the search for changes, single ones or pairs, stops with the best so far.
LONGEST = 3.0

# How many properties are considered for examples.
AMONG = 40


class Advice(NamedTuple):
    """What is odd about a constraint, and what to change.

    unknown   names in it that the cluster does not have
    findings  parts that contradict each other, change nothing or do not mean what they seem to
    changes   changes after which more nodes match, the best first, single ones before pairs
    untried   which changes were not tried, as part of a sentence; empty if all were
    matches   whether some node of the job's queue matches
    within    the nodes of that queue; None if these are all nodes
    looking   whether pairs of changes are still being looked for
    """

    unknown: tuple[Unknown, ...] = ()
    findings: tuple[Finding, ...] = ()
    changes: tuple[Relaxation, ...] = ()
    untried: str = ""
    matches: bool = True
    within: Within | None = None
    looking: bool = False


class Explanations:
    """The explanation of the last constraint without errors, and advice on it.

    Slow searches run in threads of the owner; on_found is called when they have found something.
    """

    def __init__(self, owner: DOMNode, on_found: Callable[[], object]) -> None:
        self._tasks = LatestTasks(owner)
        self._on_found = on_found
        # What the explanation was made from: the reading, its masks, the cluster.
        self._source: tuple[object, object, object] = (None, None, None)
        self._explanation: Explanation | None = None
        self._question: tuple[Explanation | None, Within | None] = (None, None)
        self._advice: Advice | None = None

    def explain(self, state: State) -> Explanation | None:
        """Return the explanation of a state's constraint; None without one.

        It is the same object until the constraint or the cluster changes. While the text has errors
        it explains the last constraint without any, and its spans refer to the text of that.
        """
        ask, resources = state.ask, state.cluster.resources
        if ask.constraint is None or ask.counted is None:
            return None
        reading, (before, counted, cluster) = ask.requires, self._source
        if counted is ask.counted and cluster is resources and (ask.stale or before is reading):
            return self._explanation
        from fluxtui.answers.explain.explanation import explain

        if ask.stale:
            reading = Requires("", ask.constraint)
        self._source = (reading, ask.counted, resources)
        self._explanation = explain(reading, resources, ask.counted)
        return self._explanation

    def advice(self, state: State) -> Advice | None:
        """Return advice on the constraint of a state; None without one, and until it is known.

        There is none for a text with errors, as it would be about an earlier text.
        """
        explanation = None if state.ask.stale else self.explain(state)
        question = explanation, within(state)
        if question != self._question:
            self._question = question
            self._advice = None
            if self._tasks.running:
                self._tasks.cancel_all()
            if explanation is not None:
                self._look(explanation, question[1])
        return self._advice

    def changes(self, state: State) -> tuple[Relaxation, ...]:
        """Return the changes found so far after which more nodes match."""
        advice = self.advice(state)
        return advice.changes if advice is not None else ()

    def _look(self, explanation: Explanation, within: Within | None) -> None:
        is_short = sum(1 for _ in islice(explanation.root.walk(), MANY_PARTS + 1)) <= MANY_PARTS
        if is_short and explanation.total <= MANY_NODES:
            self._keep(advise(explanation, within))
        else:
            self._find("changes", partial(advise, explanation, within), self._keep)

    def _keep(self, advice: Advice) -> None:
        """Store advice on single changes; if there is room for more, search for pairs."""
        self._advice = advice
        explanation, within = self._question
        if explanation is None or advice.matches or len(advice.changes) >= MOST:
            return

        def with_pairs(enough: Stop) -> Advice:
            from fluxtui.answers.explain.relaxations import best_pairs

            pairs = best_pairs(explanation, advice.unknown, enough, within=within)
            by_text: dict[str, Relaxation] = {}
            for change in (*advice.changes, *pairs):
                by_text.setdefault(change.text, change)
            return advice._replace(changes=tuple(by_text.values())[:MOST])

        self._advice = advice._replace(looking=True)
        self._find("pairs of changes", with_pairs, partial(setattr, self, "_advice"))

    def _find(
        self, what: str, work: Callable[[Stop], Advice], keep: Callable[[Advice], None]
    ) -> None:
        """Find advice in a thread, after a pause; it stops after some seconds with what it has."""

        def find(stop: Stop) -> Advice | None:
            time.sleep(PAUSE)
            if stop():
                return None
            end = time.monotonic() + LONGEST
            advice = work(lambda: time.monotonic() > end or stop())
            untried = f"not all {what} could be tried within {LONGEST:.0f} seconds"
            return advice._replace(untried=untried) if time.monotonic() > end else advice

        def show(advice: Advice) -> None:
            keep(advice)
            self._on_found()

        self._tasks.start(what, find, show)


def within(state: State) -> Within | None:
    """Return the nodes of the job's queue; None without a job, or if the queue has all nodes."""
    queue, cluster = state.outlook.queue, state.cluster
    if state.outlook.own is None or not cluster.has_queue(queue):
        return None
    nodes = cluster.covered(queue)
    if nodes == cluster.resources.everything:
        return None
    from fluxtui.answers.explain.relaxations import Within

    return Within(nodes, queue)


def advise(
    explanation: Explanation, within: Within | None = None, enough: Stop = lambda: False
) -> Advice:
    """Return oddities of a constraint, and changes after which more nodes match.

    With within, only its nodes count. If the constraint matches some nodes, only names that the
    cluster does not have are changed. Once enough returns True, the changes so far are returned.
    """
    from fluxtui.answers.explain import findings, names, relaxations

    constraint = explanation.reading.constraint
    assert constraint is not None
    unknown = names.unknown(constraint, explanation.resources)
    matches = bool(explanation.mask if within is None else explanation.mask & within.mask)
    changes: tuple[Relaxation, ...] = ()
    if not matches or unknown:
        changes = relaxations.relaxations(
            explanation, unknown, MOST, enough, names_only=matches, within=within
        )
    untried = "" if matches else relaxations.untried(explanation)
    return Advice(unknown, findings.findings(explanation), changes, untried, matches, within)


def examples(resources: Resources) -> tuple[tuple[str, int], ...]:
    """Return up to three queries that match some nodes of a cluster, each with their number."""
    queries: list[tuple[str, int]] = []
    candidates = [
        (name, mask)
        for name, mask in islice(resources.properties.items(), AMONG)
        if mask and mask != resources.everything and is_plain_name(name)
    ]
    if candidates:
        quarter = resources.node_count // 4
        name, mask = min(
            candidates, key=lambda pair: (pair[0] != "gpu", abs(pair[1].bit_count() - quarter))
        )
        queries.append((name, mask.bit_count()))
        for other, excluded in candidates:
            if mask & excluded and less(mask, excluded):
                queries.append((f"{name}&-{other}", less(mask, excluded).bit_count()))
                break
    count = min(resources.node_count, 4)
    if count:
        first = (1 << count) - 1
        hosts = resources.hosts_of(first, limit=2)
        is_short = hosts and "…" not in hosts
        text = f"host:{hosts}" if is_short else f"rank:{resources.ranks_of(first)}"
        queries.append((text, count))
    if not candidates and resources.node_count > 1:
        queries.append((f"-rank:{resources.rank(0)}", resources.node_count - 1))
    return tuple(queries[:3])


def in_order(problems: Sequence[Problem]) -> list[Problem]:
    """Return problems in the order they are shown, errors first.

    A warning that begins at the same place as an error replaces it: it says what to write instead.
    """
    warnings = [p for p in problems if p.severity == "warning"]
    advice = {p.span.start: p for p in reversed(warnings) if p.span is not None}
    errors = []
    for problem in problems:
        if problem.severity != "error":
            continue
        better = advice.pop(problem.span.start, None) if problem.span is not None else None
        if better is not None:
            warnings.remove(better)
        errors.append(replace(better, severity="error") if better is not None else problem)
    return errors + warnings
