"""What is derived from the texts of the two bars: the build of a shape, a constraint's answer."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from fluxtui.answers import matching
from fluxtui.model.constraint import requires
from fluxtui.model.constraint.tree import Constraint
from fluxtui.model.jobspec.request import parse
from fluxtui.notation.json_value import identical
from fluxtui.notation.problem import Problem
from fluxtui.notation.shape.tree import Shape, to_resources
from fluxtui.workbench.cluster import Cluster
from fluxtui.workbench.state import Ask, Build


def built(before: Build, parsed: Shape, listed: Sequence[Mapping[str, Any]] = ()) -> Build:
    """Return the build for a parsed shape; a text without any vertex keeps the previous tree.

    listed is the resources list that the text was formatted from: it is kept if the text equals it.
    """
    text = parsed.text
    if not text.strip():
        return Build(text, parsed)
    if not parsed.vertices:
        return replace(before, text=text, shape=parsed)
    resources: tuple[Mapping[str, Any], ...] = tuple(to_resources(parsed))
    if identical(resources, listed):
        resources = tuple(listed)  # the same objects, so that results for these vertices are reused
    if identical(resources, before.resources):  # for example, only a blank was typed
        found = replace(before, text=text, shape=parsed, vertices=parsed.vertices)
    else:
        request = parse(resources)
        problems = request.refusals()
        found = Build(text, parsed, parsed.vertices, resources, problems, before.whole, request)
    return found if found.unfinished else replace(found, whole=found.resources)


def answered(
    cluster: Cluster,
    reading: requires.Requires,
    good: Constraint | None,
    counted: matching.Matched | None,
) -> Ask:
    """Return the answer to a constraint's text; for an invalid text, that of the last valid one.

    good is the last valid constraint, counted its answer on this cluster; None if there is none.
    """
    resources = cluster.resources
    constraint = None if reading.blank else reading.constraint or good
    if constraint == good:
        constraint = good  # the same object for the same meaning, so that nothing is recomputed
    if constraint is None:
        everything, whole = resources.everything, resources.whole
        return Ask(reading.text, reading, None, everything, whole, resources=resources)
    if counted is None or constraint is not good:
        counted = matching.matched(constraint, resources)
    hints: tuple[Problem, ...] = ()
    if reading.constraint is not None:
        from fluxtui.answers.explain import names  # imported late: the first frame does not need it

        hints = reading.located(names.hints(constraint, resources))
    totals = resources.totals(counted.mask)
    mask = counted.mask
    return Ask(reading.text, reading, constraint, mask, totals, hints, counted, resources)
