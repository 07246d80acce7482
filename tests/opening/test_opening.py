"""Documents into the workbench."""

import json
from pathlib import Path
from typing import Any

import pytest

from fluxtui import opening, workbench
from fluxtui.model.queues import Status
from tests.opened import demo

R = {
    "version": 1,
    "execution": {
        "R_lite": [{"rank": "0-3", "children": {"core": "0-7"}}],
        "nodelist": ["n[0-3]"],
        "properties": {"gpu": "0-1"},
    },
}


@pytest.fixture
def document(tmp_path: Path) -> str:
    path = tmp_path / "R.json"
    path.write_text(json.dumps(R))
    return str(path)


def test_the_demo_comes_with_its_queues() -> None:
    cluster, problems = opening.open_cluster("demo", None)
    assert problems == ()
    assert cluster is not None
    assert cluster.source.builtin
    assert "built in" in cluster.source.name
    assert {"batch", "debug"} <= cluster.coverage.keys()
    assert all(cluster.coverage.values())
    opened, problems = opening.open_any("demo", None, cluster)
    assert problems == ()
    assert isinstance(opened, opening.OpenedCluster)
    assert opened.cluster.source == cluster.source


def test_a_file_with_and_without_a_configuration(document: str, tmp_path: Path) -> None:
    cluster, problems = opening.open_cluster(document, None)
    assert problems == ()
    assert cluster is not None
    assert (cluster.source.name, cluster.source.path) == ("R.json", document)
    assert (cluster.source.builtin, cluster.config) == (False, None)
    assert cluster.resources.node_count == 4
    config = tmp_path / "flux.toml"
    config.write_text('[queues.a]\nrequires = ["gpu"]\n[queues.b]\n')
    cluster, problems = opening.open_cluster(document, str(config))
    assert problems == ()
    assert cluster is not None
    assert cluster.coverage == {"a": 0b0011, "b": 0b1111}
    beside, _ = opening.open_cluster("demo", str(config))
    assert beside is not None
    assert beside.coverage.keys() == {"a", "b"}


@pytest.mark.parametrize("text", [None, "= 1"])
def test_a_bad_configuration(document: str, tmp_path: Path, text: str | None) -> None:
    """It still opens the document, but for a strict opening."""
    config = tmp_path / "flux.toml"
    if text is not None:
        config.write_text(text)
    for strict in (False, True):
        cluster, problems = opening.open_cluster(document, str(config), strict=strict)
        assert (cluster is None) == strict
        assert cluster is None or cluster.resources.node_count == 4
        assert "flux.toml" in problems[0].message
    config.write_text("[queues.a]\nhosts = 'n9'\n")
    cluster, problems = opening.open_cluster(document, str(config), strict=True)
    assert cluster is not None
    assert len(problems) == 1


@pytest.mark.parametrize("text", ["{", "[]", '{"version": 1}', "not json", '{"version": "1"}'])
def test_a_broken_document_opens_with_its_problems(tmp_path: Path, text: str) -> None:
    path = tmp_path / "R.json"
    path.write_text(text)
    cluster, _ = opening.open_cluster(str(path), None)
    assert cluster is not None
    assert cluster.resources.node_count == 0
    assert cluster.resources.problems


# Jobspecs


def opened_with(tmp_path: Path, **more: Any) -> tuple[opening.OpenedJobspec, list[str]]:
    """What a jobspec of one slot opens as, and the messages."""
    path = tmp_path / "job.json"
    slot = {"type": "slot", "count": 1, "label": "default", "with": [{"type": "core", "count": 1}]}
    path.write_text(json.dumps({"resources": [slot], **more}))
    opened, problems = opening.open_jobspec(str(path))
    assert opened is not None
    assert opened.shape == "slot/core"
    return opened, [problem.message for problem in problems]


def test_a_constraint_that_no_query_can_say_stays_json(tmp_path: Path) -> None:
    opened, _ = opened_with(tmp_path, attributes={"system": {"constraints": {"or": []}}})
    state = workbench.start(None, "", opened.requires)
    assert not any(p.severity == "error" for p in state.ask.problems)
    assert state.ask.constraint is not None


NO_TOML = "job.yaml: a jobspec is YAML or JSON; this is TOML"


@pytest.mark.parametrize(("text", "says"), [
    *((text, "") for text in ("", "a: ]", "{}", "- 1", "version: 1", "\x00", "\xff")),
    ("[" * 5000, ""),
    ("a: 2001-13-45", ""),
    ("x = 1\n", NO_TOML),
    ('resources = [{type = "core", count = 1}]\n', NO_TOML),
])  # fmt: skip
def test_a_file_that_is_no_jobspec(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "job.yaml"
    path.write_text(text, encoding="latin-1")
    opened, problems = opening.open_jobspec(str(path))
    assert opened is None
    assert problems[0].message == says or not says
    assert problems[0].message


@pytest.mark.parametrize("queue", [5, None, ["batch"]])
def test_a_queue_that_is_no_name_stays_and_is_refused(tmp_path: Path, queue: object) -> None:
    path = tmp_path / "job.json"
    spec = workbench.start(None, "node/slot/core").jobspec()
    spec["attributes"]["system"]["queue"] = queue
    path.write_text(json.dumps(spec))
    opened, (problem,) = opening.open_jobspec(str(path))
    assert opened is not None
    assert opened.queue is None
    assert problem.message.startswith("job.json, line 1, column ")
    assert "queue is a string; found" in problem.message
    assert problem.path == "attributes.system.queue"
    state = workbench.start(demo(), opened.shape, "", opened.job)
    assert state.jobspec()["attributes"]["system"]["queue"] == queue
    own = workbench.prospect(spec, demo(), workbench.Submission()).own
    assert own is not None
    assert state.outlook.own is not None
    assert [r.problem for r in state.outlook.own.refusals] == [r.problem for r in own.refusals]
    assert own.admitted is False
    state = workbench.step(state, workbench.ChooseQueue("debug"))
    assert state.jobspec()["attributes"]["system"]["queue"] == "debug"


# Who submits


def test_the_groups_of_an_unknown_user_are_not_known() -> None:
    submission, (problem,) = opening.open_submission("no-such-user", None, "debug")
    assert submission == workbench.Submission("debug", "no-such-user", None)
    assert problem.severity == "warning"
    submission, problems = opening.open_submission(None, None)
    assert problems == ()
    assert submission is not None
    assert submission.groups is not None


def test_a_status_that_cannot_be_read_leaves_no_submission(tmp_path: Path) -> None:
    path = tmp_path / "status.json"
    for text, says in [("{", "line 1"), ('{"a": 5}', "the status of a queue is an object")]:
        path.write_text(text)
        submission, problems = opening.open_submission(None, str(path))
        assert submission is None
        assert says in problems[0].message


def test_queues_that_have_a_status_and_are_not_there() -> None:
    statuses = {name: Status() for name in ("batch", "batsh", "")}
    found = opening.unknown_queues(workbench.Submission(statuses=statuses), demo())
    assert [problem.message for problem in found] == [
        "the status is that of queue 'batsh', which is not configured; did you mean batch?",
        "the status is that of the queue without a name, which is not configured",
    ]
