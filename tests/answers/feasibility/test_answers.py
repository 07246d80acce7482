"""Both schedulers answer as it is recorded; see `tests.answers.feasibility.answers`."""

import pytest

from fluxtui.answers.feasibility.sched_simple import check_strictly
from tests.answers.feasibility.answers import FILES, FOLDER, parts
from tests.answers.feasibility.graphs import GRAPHS, judged
from tests.answers.feasibility.requests import CLUSTERS, with_resources
from tests.each import for_each
from tests.recorded import Agree, asked, rerun


@pytest.mark.parametrize("name", FILES)
def test_answers_are_as_recorded(name: str, agree: Agree) -> None:
    agree(FOLDER / name, rerun(FOLDER / name, FILES[name]))


@for_each("line", asked(FOLDER / "fluxion.txt"))
def test_what_is_nearest_fits_fluxion(line: str) -> None:
    where, resources, constraint, _ = parts(line)
    found = judged(resources, constraint, GRAPHS[where])
    assert found.feasible is not True or not found.words
    assert found.feasible is not False or (found.reasons and found.words)
    assert found.placement is not None or found.feasible is False or found.reasons
    if found.nearest is not None:
        assert judged(found.nearest.resources, constraint, GRAPHS[where]).feasible


@for_each("line", asked(FOLDER / "sched_simple.txt"))
def test_what_is_nearest_fits_sched_simple(line: str) -> None:
    where, resources, constraint, keys = parts(line)
    jobspec = with_resources(resources, constraint, **keys)
    found = check_strictly(jobspec, CLUSTERS[where])
    assert (found.placement is None) == (found.feasible is not True)
    if found.placement is not None:
        assert sum(share.mask for share in found.placement.shares) == found.placement.mask
    if found.nearest is not None:
        nearest = {**jobspec, "resources": list(found.nearest.resources)}
        assert check_strictly(nearest, CLUSTERS[where]).feasible
