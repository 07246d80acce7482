"""What follows from the texts of the two bars: the build of a shape, the answer to a constraint."""

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
    """The build side for a text that was read; one without any vertex keeps the tree there is.

    listed are the resources that the text was made for: they stay as they are where it says them.
    """
    text = parsed.text
    if not text.strip():
        return Build(text, parsed)
    if not parsed.vertices:
        return replace(before, text=text, shape=parsed)
    resources: tuple[Mapping[str, Any], ...] = tuple(to_resources(parsed))
    if identical(resources, listed):
        resources = tuple(listed)  # what is known of these vertices is then known of the job's
    if identical(resources, before.resources):  # such as after a blank
        found = replace(before, text=text, shape=parsed, vertices=parsed.vertices)
    else:
        request = parse(resources)
        wrong = request.refusals()
        found = Build(text, parsed, parsed.vertices, resources, wrong, before.whole, request)
    return found if found.unfinished else replace(found, whole=found.resources)


def answered(
    cluster: Cluster,
    reading: requires.Requires,
    good: Constraint | None,
    counted: matching.Matched | None,
) -> Ask:
    """The answer to a constraint's text; a bad text is answered by the last good constraint.

    good is that constraint, and counted its answer on this cluster; None where it has none yet.
    """
    resources = cluster.resources
    constraint = None if reading.blank else reading.constraint or good
    if constraint == good:
        constraint = good  # one object for one meaning, so that nothing is worked out again
    if constraint is None:
        everything, whole = resources.everything, resources.whole
        return Ask(reading.text, reading, None, everything, whole, asked=resources)
    if counted is None or constraint is not good:
        counted = matching.matched(constraint, resources)
    hints: tuple[Problem, ...] = ()
    if reading.constraint is not None:
        from fluxtui.answers.explain import names  # which the first frame does without

        hints = reading.located(names.hints(constraint, resources))
    totals = resources.totals(counted.mask)
    mask = counted.mask
    return Ask(reading.text, reading, constraint, mask, totals, hints, counted, resources)
