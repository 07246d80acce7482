"""Documents into the workbench."""

import json
from pathlib import Path

import pytest
import yaml

from fluxtui import opening, workbench
from fluxtui.model.constraint import tree
from fluxtui.model.queues.status import Status

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
    assert cluster.config is not None
    assert {"batch", "debug"} <= {queue.name for queue in cluster.config.queues}
    assert len(cluster.coverage) == len(cluster.config.queues)
    assert all(cluster.coverage.values())


def test_a_file_without_a_configuration_has_no_queues(document: str) -> None:
    cluster, problems = opening.open_cluster(document, None)
    assert problems == ()
    assert cluster is not None
    assert (cluster.source.name, cluster.source.path) == ("R.json", document)
    assert not cluster.source.builtin
    assert cluster.config is None
    assert cluster.resources.node_count == 4


def test_a_file_with_a_configuration(document: str, tmp_path: Path) -> None:
    config = tmp_path / "flux.toml"
    config.write_text('[queues.a]\nrequires = ["gpu"]\n[queues.b]\n')
    cluster, problems = opening.open_cluster(document, str(config))
    assert problems == ()
    assert cluster is not None
    assert cluster.coverage == {"a": 0b0011, "b": 0b1111}


def test_another_configuration_beside_the_demo(tmp_path: Path) -> None:
    config = tmp_path / "flux.toml"
    config.write_text('[queues.mine]\nrequires = ["gpu"]\n')
    cluster, _ = opening.open_cluster("demo", str(config))
    assert cluster is not None
    assert cluster.config is not None
    assert [queue.name for queue in cluster.config.queues] == ["mine"]


@pytest.mark.parametrize("config", ["missing.toml", "broken.toml"])
def test_a_bad_configuration_still_opens_the_document(
    document: str, tmp_path: Path, config: str
) -> None:
    (tmp_path / "broken.toml").write_text("= 1")
    cluster, problems = opening.open_cluster(document, str(tmp_path / config))
    assert cluster is not None
    assert cluster.resources.node_count == 4
    assert config in problems[0].message


@pytest.mark.parametrize("text", [None, "= 1"])
def test_a_strict_opening_wants_a_configuration_that_can_be_read(
    document: str, tmp_path: Path, text: str | None
) -> None:
    config = tmp_path / "flux.toml"
    if text is not None:
        config.write_text(text)
    cluster, problems = opening.open_cluster(document, str(config), strict=True)
    assert cluster is None
    assert "flux.toml" in problems[0].message
    config.write_text("[queues.a]\nhosts = 'n9'\n")
    cluster, problems = opening.open_cluster(document, str(config), strict=True)
    assert cluster is not None
    assert len(problems) == 1


def test_a_missing_document(tmp_path: Path) -> None:
    cluster, problems = opening.open_cluster(str(tmp_path / "no.json"), None)
    assert cluster is None
    assert "no.json" in problems[0].message


@pytest.mark.parametrize("text", ["{", "[]", '{"version": 1}', "not json", '{"version": "1"}'])
def test_a_broken_document_opens_with_its_problems(tmp_path: Path, text: str) -> None:
    path = tmp_path / "R.json"
    path.write_text(text)
    cluster, _ = opening.open_cluster(str(path), None)
    assert cluster is not None
    assert cluster.resources.node_count == 0
    assert cluster.resources.problems


# Jobspecs


@pytest.mark.parametrize("form", ["yaml", "json"])
@pytest.mark.parametrize("constrained", ["", "gpu&-debug"])
def test_a_jobspec_becomes_its_texts(tmp_path: Path, form: str, constrained: str) -> None:
    state = workbench.start(None, "node=4/slot=2{x}/[core=8;gpu]", constrained)
    path = tmp_path / f"job.{form}"
    spec = state.jobspec()
    path.write_text(json.dumps(spec) if form == "json" else yaml.safe_dump(spec))
    opened, problems = opening.open_jobspec(str(path))
    assert problems == ()
    assert opened is not None
    assert opened.document == spec
    again = workbench.start(None, opened.shape, opened.requires).jobspec()
    assert again["resources"] == spec["resources"]
    before = spec["attributes"]["system"].get("constraints")
    after = again["attributes"]["system"].get("constraints")
    assert (before is None) == (after is None)
    if before is not None:
        assert tree.read(after).value == tree.read(before).value


def test_a_constraint_that_no_query_can_say_stays_json(tmp_path: Path) -> None:
    path = tmp_path / "job.json"
    slot = {"type": "slot", "count": 1, "label": "x", "with": [{"type": "core", "count": 1}]}
    system = {"constraints": {"or": []}}
    path.write_text(json.dumps({"resources": [slot], "attributes": {"system": system}}))
    opened, _ = opening.open_jobspec(str(path))
    assert opened is not None
    state = workbench.start(None, "", opened.requires)
    assert not any(p.severity == "error" for p in state.ask.problems)
    assert state.ask.constraint is not None


@pytest.mark.parametrize(
    "text", ["", "a: ]", "{}", "- 1", "version: 1", "\x00", "[" * 5000, "a: 2001-13-45", "\xff"]
)
def test_a_file_that_is_no_jobspec(tmp_path: Path, text: str) -> None:
    path = tmp_path / "job.yaml"
    path.write_text(text, encoding="latin-1")
    opened, problems = opening.open_jobspec(str(path))
    assert opened is None
    assert problems[0].message


def test_a_syntax_error_says_where(tmp_path: Path) -> None:
    path = tmp_path / "job.yaml"
    path.write_text("resources:\na: ]\n")
    opened, (problem,) = opening.open_jobspec(str(path))
    assert "line 2" in problem.message
    assert opened is not None
    assert opened.job.raw is not None
    assert opened.job.raw.text == "resources:\na: ]\n"


def test_a_missing_jobspec(tmp_path: Path) -> None:
    path = str(tmp_path / "none.yaml")
    opened, problems = opening.open_jobspec(path)
    assert opened is None
    assert path in problems[0].message


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
    cluster, _ = opening.open_cluster("demo", None)
    state = workbench.start(cluster, opened.shape, "", opened.job)
    assert state.jobspec()["attributes"]["system"]["queue"] == queue
    assert cluster is not None
    own = workbench.prospect(spec, cluster, workbench.Submission()).own
    assert own is not None
    assert state.outlook.own is not None
    assert [r.problem for r in state.outlook.own.refusals] == [r.problem for r in own.refusals]
    assert own.admitted is False
    state = workbench.step(state, workbench.ChooseQueue("debug"))
    assert state.jobspec()["attributes"]["system"]["queue"] == "debug"


def test_a_constraint_that_is_none_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "job.json"
    slot = {"type": "slot", "count": 1, "label": "x", "with": [{"type": "core", "count": 1}]}
    system = {"constraints": ["gpu"]}
    path.write_text(json.dumps({"resources": [slot], "attributes": {"system": system}}))
    opened, (problem,) = opening.open_jobspec(str(path))
    assert opened is not None
    assert opened.requires == ""
    assert "constraints is an object" in problem.message


@pytest.mark.parametrize("text", ["x = 1\n", 'resources = [{type = "core", count = 1}]\n'])
def test_a_jobspec_is_no_toml(tmp_path: Path, text: str) -> None:
    path = tmp_path / "job.toml"
    path.write_text(text)
    opened, (problem,) = opening.open_jobspec(str(path))
    assert opened is None
    assert problem.message == "job.toml: a jobspec is YAML or JSON; this is TOML"


def test_resources_alone_open_as_a_jobspec(tmp_path: Path) -> None:
    path = tmp_path / "shape.yaml"
    path.write_text(
        yaml.safe_dump(workbench.start(None, "node=2/slot/core").jobspec()["resources"])
    )
    opened, problems = opening.open_jobspec(str(path))
    assert problems == ()
    assert opened is not None
    assert opened.shape == "node=2/slot/core"


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
    cluster, _ = opening.open_cluster("demo", None)
    assert cluster is not None
    statuses = {name: Status() for name in ("batch", "batsh", "")}
    found = opening.unknown_queues(workbench.Submission(statuses=statuses), cluster)
    assert [problem.message for problem in found] == [
        "the status is that of queue 'batsh', which is not configured; did you mean batch?",
        "the status is that of the queue without a name, which is not configured",
    ]


@pytest.mark.parametrize(
    "extra",
    [{"attributes": 3}, {"attributes": {"system": 3}}, {"attributes": {"system": None}}, {}],
)
def test_odd_attributes_leave_the_constraint_empty(tmp_path: Path, extra: dict) -> None:
    path = tmp_path / "job.json"
    slot = {"type": "slot", "count": 1, "label": "default", "with": [{"type": "core", "count": 1}]}
    path.write_text(json.dumps({"resources": [slot], **extra}))
    opened, _ = opening.open_jobspec(str(path))
    assert opened is not None
    assert opened.requires == ""
    assert opened.shape == "slot/core"
