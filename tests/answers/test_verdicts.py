"""The verdicts on a jobspec together."""

from fluxtui.model.jobspec.verdicts import by_vertex, verdicts
from tests.answers.fixing import job
from tests.model.jobspecs import BASE, changed


def test_a_v1_jobspec_is_fine_with_all() -> None:
    found = verdicts(BASE)
    assert [(ruling.name, ruling.ok) for ruling in found] == [
        ("RFC 14", True),
        ("V1", True),
        ("flux-core", True),
    ]
    assert found.problems == ()


def test_each_says_its_own() -> None:
    found = verdicts(job("node=2-4/slot/core"))
    assert [ruling.ok for ruling in found] == [True, False, False]
    assert [problem.rule for problem in found.problems] == ["RFC 25", "flux-core"]
    found = verdicts(job("node/slot/memory"))
    assert [ruling.ok for ruling in found] == [True, False, True]


def test_what_rfc_14_refuses_v1_refuses_too_and_is_said_once() -> None:
    found = verdicts(changed("tasks/0/slot", "x"))
    assert [ruling.ok for ruling in found] == [False, False, True]
    assert len(found.problems) == 1


def test_warnings_are_no_refusals() -> None:
    found = verdicts(changed("tasks/0/count", {"total": 99}))
    assert found.problems == ()
    assert [len(ruling.warnings) for ruling in found] == [0, 1, 0]


def test_problems_stand_at_the_vertex_that_causes_them() -> None:
    document = job("[node=2-4/slot/[core;memory];gpu]")
    document["tasks"][0]["slot"] = "x"
    found = by_vertex(verdicts(document).problems)
    assert {path: len(problems) for path, problems in found.items()} == {
        "resources": 1,
        "resources[0]": 2,
        "resources[0].with[0].with[1]": 1,
        "resources[1]": 1,
    }
