"""Answers on feasibility, recorded whole: ``fluxion.txt``, ``sched_simple.txt``, ``tree_pool.txt``.

What is asked is one line, what is answered is indented below it::

    CLUSTER | REQUEST [| CONSTRAINT [| KEYS]]

REQUEST is a shape (RFC 46) or the JSON of resources, CONSTRAINT the JSON of an RFC 31 object, KEYS
that of other keys of the jobspec. Of sched-simple and TreePool the strict answer comes first, then
what it answers itself, with its reasons where they are others. What is nearest has to fit.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fluxtui.answers.feasibility import sched_simple, tree_pool
from fluxtui.answers.feasibility.feasibility import Feasibility, Nearest
from fluxtui.notation.problem import Problem
from fluxtui.notation.shape.format import format_shape
from fluxtui.notation.shape.tree import from_resources
from tests.answers.feasibility.graphs import CLUSTERS, GRAPHS, judged, with_resources
from tests.model.jobspecs import resources_of
from tests.recorded import Agree, rerun

FOLDER = Path(__file__).parent


def parts(line: str) -> tuple[str, Any, Any, dict[str, Any]]:
    """The cluster, the resources, the constraint and the other keys that a line asks with."""
    where, wanted, constraint, keys = (*line.split(" | "), "", "")[:4]
    try:
        resources = json.loads(wanted)
    except ValueError:
        resources = resources_of(wanted)
    return where, resources, json.loads(constraint or "null"), json.loads(keys or "{}")


def fluxion(line: str) -> Iterator[str]:
    """What Fluxion answers."""
    where, resources, constraint, _ = parts(line)
    found = judged(resources, constraint, GRAPHS[where])
    assert bool(found.words) == (found.feasible is False) or found.feasible is None
    assert found.placement is not None or found.reasons
    for near in _near(found):
        assert judged(near.resources, constraint, GRAPHS[where]).feasible
    yield from _answer(found)
    if found.words != ("Unsatisfiable request" if found.feasible is False else ""):
        yield f"Fluxion: {found.words}"


def simple(line: str) -> Iterator[str]:
    """What is answered by the rules of sched-simple or of TreePool, and by it itself."""
    where, resources, constraint, keys = parts(line)
    jobspec, cluster = with_resources(resources, constraint, **keys), CLUSTERS[where]
    pool = tree_pool if cluster.topologies else sched_simple
    strict = pool.check_strictly(jobspec, cluster)
    assert cluster.topologies or (strict.placement is None) == (strict.feasible is not True)
    if strict.placement is not None:
        assert sum(share.mask for share in strict.placement.shares) == strict.placement.mask
    for near in _near(strict):
        after = pool.check_strictly({**jobspec, "resources": list(near.resources)}, cluster)
        assert after.placement is not None
    own = pool.check_feasibility(jobspec, cluster)
    yield from _answer(strict)
    yield f"{own.scheduler}: {own.words or _verdict(own)}"
    if own.reasons != strict.reasons:
        yield from map(_problem, own.reasons)


def _near(found: Feasibility) -> list[Nearest]:
    """All that is suggested in place of a request."""
    return [one for one in (found.nearest, found.counted, *found.closer) if one is not None]


def _verdict(found: Feasibility) -> str:
    verdict = {True: "yes", False: "no", None: "not known"}[found.feasible]
    return f"{verdict}, {found.fits} at once" if found.fits else verdict


def _answer(found: Feasibility) -> Iterator[str]:
    yield _verdict(found)
    yield from map(_problem, found.reasons)
    for share in found.placement.shares if found.placement is not None else ():
        taken = [f"{n} {ids}" for n, ids in (("cores", share.cores), ("gpus", share.gpus)) if ids]
        yield f"takes {' and '.join(taken) or 'nothing'} of {share.mask:b}"
    for path, count in found.largest:
        yield f"up to {count} for {path}"
    near = [("nearest", found.nearest), *(("closer", one) for one in found.closer)]
    for lead, one in near:
        if one is not None:
            vertices, problems = from_resources(one.resources)
            assert not problems
            words = ": ".join(filter(None, (one.change, one.effect)))
            yield f"{lead} {format_shape(vertices)}: {words}"


def _problem(problem: Problem) -> str:
    warning = "warning: " if problem.severity == "warning" else ""
    expected = f" -> {', '.join(problem.expected)}" if problem.expected else ""
    return f"{warning}{problem.path}: {problem.message}{expected}"


FILES = {"fluxion.txt": fluxion, "sched_simple.txt": simple, "tree_pool.txt": simple}


@pytest.mark.parametrize("name", FILES)
def test_answers_are_as_recorded(name: str, agree: Agree) -> None:
    agree(FOLDER / name, rerun(FOLDER / name, FILES[name]))
