"""Any file into the workbench: its content tells what it is."""

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui import opening, workbench
from fluxtui.bridge.settings import Template
from fluxtui.model.documents.document import dump
from fluxtui.model.jobspec import jobspec
from fluxtui.model.queues import Status
from fluxtui.notation.problem import Problem
from fluxtui.opening import saving
from fluxtui.opening.scripts import KEYS
from fluxtui.opening.templates import examples_of
from fluxtui.workbench import Cluster
from tests.each import for_each, the
from tests.model.clusters import alike
from tests.model.jobspecs import job, resources_of
from tests.opened import after, demo

R = json.dumps(alike(4, "0-7", properties={"gpu": "0-1", "+mine": "2"}))
JOB = job("node=2/slot/core=4", queue="batch")


def opened(
    where: Path | str, config: str | None = None, on: Cluster | None = None
) -> tuple[opening.Opened | None, tuple[Problem, ...]]:
    """What a path leads to."""
    return opening.open_any(str(where), config, on or demo())


def configured(where: Path, on: Cluster) -> tuple[opening.OpenedConfig, tuple[Problem, ...]]:
    """The configuration that a path leads to."""
    found, problems = opened(where, on=on)
    assert isinstance(found, opening.OpenedConfig)
    return found, problems


def cluster(where: Path | str, config: object = None) -> tuple[Cluster, tuple[Problem, ...]]:
    found, problems = opening.open_cluster(str(where), config if config is None else str(config))
    return the(found), problems


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


@pytest.fixture
def document(tmp_path: Path) -> Path:
    """An R document of four nodes."""
    return write(tmp_path / "R.json", R)


# Whatever stands in it


def opens(text: str) -> None:
    """The text is opened, or there is a reason; a job is saved as it was opened."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        found, problems = opened(path)
        assert found is not None or problems
        if not isinstance(found, opening.OpenedJob):
            return
        state = after(workbench.start(demo()), found.jobspec.edit)
        file = found.jobspec.file
        if file is None or any("nothing but resources" in p.message for p in problems):
            return
        assert not saving.differs(state, file)
        assert saving.saved_text(state, file.form)[0] == text.removeprefix("\ufeff")


@given(st.text(st.characters(exclude_categories=[]), max_size=40))
def test_any_text(text: str) -> None:
    opens(text)


STRINGS = st.text(max_size=6) | st.sampled_from(["0-3", "slot", "core", "+x", "\ud800", "9" * 400])
DOCUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | STRINGS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(STRINGS, inner, max_size=5),
    max_leaves=30,
)
VERTICES = st.lists(st.dictionaries(st.sampled_from(["type", "count", "with", "label"]), DOCUMENTS))


@given(st.dictionaries(st.sampled_from([*KEYS, "version", "x"]), DOCUMENTS, max_size=4), VERTICES)
def test_any_jobspec_and_any_resources(found: dict[str, Any], vertices: list[Any]) -> None:
    for text in (json.dumps(found), dump(found), json.dumps(vertices)):
        opens(text)
    opens(json.dumps({"resources": vertices, "tasks": []}))


# Whatever the file is called


@for_each("text, kind", [
    (R, opening.OpenedCluster),
    (json.dumps({"graph": {"nodes": [], "edges": []}}), opening.OpenedCluster),
    (json.dumps(JOB), opening.OpenedJob),
    ("# mine\n" + dump(JOB), opening.OpenedJob),
    ("resources: 3\n", opening.OpenedJob),
    ("tasks: []\n", opening.OpenedJob),
    ("attributes:\n  user: {a: 1}\n", opening.OpenedJob),
    (dump(JOB["resources"]), opening.OpenedJob),
    ('[queues.a]\nrequires = ["gpu"]\n', opening.OpenedConfig),
    ('{"queues": {"a": {}}}', opening.OpenedConfig),
    ("[resource]\nnoverify = true\n", opening.OpenedConfig),
])  # fmt: skip
def test_the_content_tells(tmp_path: Path, text: str, kind: type) -> None:
    for name in ("file", "file.json", "file.yaml", "-x y"):
        found, problems = opened(write(tmp_path / name, text))
        assert isinstance(found, kind), (name, problems)


@for_each("text, says", [
    ("", "is empty"),
    ("hello", "a document is a dictionary"),
    ("[1, 2]", "a list is not a whole document"),
    ('{"colour": 3}', "neither jobspec nor R nor configuration"),
    ('{"resorces": []}', "did you mean resources?"),
    ("{", "file, line 1, column 2"),
    ("[queues", "file, line 1"),
    ("\0", "U+0000"),
])  # fmt: skip
def test_what_is_nothing_is_said(tmp_path: Path, text: str, says: str) -> None:
    found, problems = opened(write(tmp_path / "file", text))
    assert found is None
    assert says in problems[0].message


# Clusters


def test_the_demo_comes_with_its_queues() -> None:
    found, problems = cluster("demo")
    assert problems == ()
    assert found.source.builtin
    assert "built in" in found.source.name
    assert {"batch", "debug"} <= found.coverage.keys()
    assert all(found.coverage.values())
    again, problems = opened("demo", None, found)
    assert problems == ()
    assert isinstance(again, opening.OpenedCluster)
    assert again.cluster.source == found.source


def test_a_file_with_and_without_a_configuration(document: Path, tmp_path: Path) -> None:
    found, problems = cluster(document)
    assert problems == ()
    assert (found.source.name, found.source.path) == ("R.json", str(document))
    assert (found.source.builtin, found.config) == (False, None)
    assert found.resources.node_count == 4
    config = write(tmp_path / "flux.toml", '[queues.a]\nrequires = ["gpu"]\n[queues.b]\n')
    found, problems = cluster(document, config)
    assert problems == ()
    assert found.coverage == {"a": 0b0011, "b": 0b1111}
    assert cluster("demo", config)[0].coverage.keys() == {"a", "b"}


def test_a_bad_configuration_still_opens_the_document_but_for_a_strict_opening(
    document: Path, tmp_path: Path
) -> None:
    config = tmp_path / "flux.toml"
    for text in (None, "= 1"):
        if text is not None:
            config.write_text(text)
        found, problems = cluster(document, config)
        assert found.resources.node_count == 4
        assert "flux.toml" in problems[0].message
        strict = opening.open_cluster(str(document), str(config), strict=True)
        assert strict == (None, problems)
    config.write_text("[queues.a]\nhosts = 'n9'\n")
    found, problems = opening.open_cluster(str(document), str(config), strict=True)
    assert (found is not None, len(problems)) == (True, 1)


@for_each("text", ["{", "[]", '{"version": 1}', "not json", '{"version": "1"}'])
def test_a_broken_document_opens_with_its_problems(tmp_path: Path, text: str) -> None:
    found, _ = cluster(write(tmp_path / "R.json", text))
    assert found.resources.node_count == 0
    assert found.resources.problems


# Configurations


def test_a_configuration_is_that_of_the_open_cluster(document: Path, tmp_path: Path) -> None:
    on, _ = cluster(document)
    text = '[queues.a]\nrequires = ["gpu"]\n[queues.b]\nhosts="n[0-1]"'
    config = write(tmp_path / "flux.toml", text)
    found, (problem,) = configured(config, on)
    assert (found.where, found.cluster.source) == (str(config), on.source)
    assert found.cluster.coverage == {"a": 0b0011, "b": 0b0011}
    assert found.cluster.resources.properties["+b"] == 0b0011
    assert problem.message.startswith("flux.toml: 2 queues and none of them is the default")
    # Members of the queues before are no members any more.
    write(config, '[queues.c]\nhosts = "n3"\n')
    found, _ = configured(config, found.cluster)
    assert found.cluster.resources.properties == {"gpu": 0b0011, "+mine": 0b0100, "+c": 0b1000}
    assert found.cluster.coverage == {"c": 0b1000}


def test_a_directory_is_a_configuration(tmp_path: Path) -> None:
    folder = tmp_path / "conf.d"
    folder.mkdir()
    found, (problem,) = opened(folder)
    assert found is None
    assert "no *.toml file" in problem.message
    write(folder / "a.toml", "[queues.a]\n")
    write(folder / "b.toml", "[queues.a]\nrequires = 5\n")
    _, problems = configured(folder, demo())
    assert problems[0].message.startswith("b.toml, line 2")
    # One that cannot be read changes nothing.
    found, (problem,) = opened(write(tmp_path / "flux.toml", "[queues.a]\nx = = 1\n"))
    assert found is None
    assert problem.message.startswith("flux.toml, line 2")


# Jobspecs


def test_a_constraint_that_no_query_can_say_stays_json(tmp_path: Path) -> None:
    path = tmp_path / "job.json"
    write(path, json.dumps({**JOB, "attributes": {"system": {"constraints": {"or": []}}}}))
    found, _ = opening.open_jobspec(str(path))
    assert found is not None
    assert found.shape == "node=2/slot/core=4"
    ask = workbench.start(None, "", found.requires).ask
    assert not any(p.severity == "error" for p in ask.problems)
    assert ask.constraint is not None


NO_TOML = "job.yaml: a jobspec is YAML or JSON; this is TOML"


@for_each("text, says", [
    *((text, "") for text in ("", "a: ]", "{}", "- 1", "version: 1", "\x00", "\xff", "[" * 5000)),
    ("a: 2001-13-45", ""),
    ("x = 1\n", NO_TOML),
    ('resources = [{type = "core", count = 1}]\n', NO_TOML),
])  # fmt: skip
def test_a_file_that_is_no_jobspec(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "job.yaml"
    path.write_text(text, encoding="latin-1")
    found, problems = opening.open_jobspec(str(path))
    assert found is None
    assert problems[0].message
    assert problems[0].message == says or not says


@for_each("queue", [5, None, ["batch"]])
def test_a_queue_that_is_no_name_stays_and_is_refused(tmp_path: Path, queue: object) -> None:
    spec = job("node/slot/core", queue=queue)
    found, (problem,) = opening.open_jobspec(str(write(tmp_path / "job.json", json.dumps(spec))))
    assert found is not None
    assert found.queue is None
    assert problem.message.startswith("job.json, line 1, column ")
    assert "queue is a string; found" in problem.message
    assert problem.path == "attributes.system.queue"
    state = workbench.start(demo(), found.shape, "", found.job)
    assert state.jobspec()["attributes"]["system"]["queue"] == queue
    own = the(workbench.prospect(spec, demo(), workbench.Submission()).own)
    assert own.admitted is False
    assert state.outlook.own is not None
    assert [r.problem for r in state.outlook.own.refusals] == [r.problem for r in own.refusals]
    state = after(state, workbench.ChooseQueue("debug"))
    assert state.jobspec()["attributes"]["system"]["queue"] == "debug"


# Who submits


def test_the_groups_of_an_unknown_user_are_not_known() -> None:
    submission, (problem,) = opening.open_submission("no-such-user", None, "debug")
    assert submission == workbench.Submission("debug", "no-such-user", None)
    assert problem.severity == "warning"
    submission, problems = opening.open_submission(None, None)
    assert problems == ()
    assert the(submission).groups is not None


def test_a_status_that_cannot_be_read_leaves_no_submission(tmp_path: Path) -> None:
    for text, says in [("{", "line 1"), ('{"a": 5}', "the status of a queue is an object")]:
        path = write(tmp_path / "status.json", text)
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


# Templates of a person's configuration, as examples to begin with


def test_a_shape_a_constraint_and_fields_make_a_whole_jobspec() -> None:
    shape = "node=2/slot/core=8"
    form = {"duration": "1h", "queue": "batch", "command": "lmp -in a", "tasks": "many"}
    (found,) = examples_of([Template("Pair", "", shape, "gpu&-debug", form)])
    assert (found.title, found.text, found.shape) == ("Pair", "A job of your site.", shape)
    assert found.document is not None
    assert found.document["resources"] == resources_of(shape)
    (task,) = found.document["tasks"]
    assert (task["command"], task["count"]) == (["lmp", "-in", "a"], {"per_slot": 1})
    debug = {"not": [{"properties": ["debug"]}]}
    constraint = {"and": [{"properties": ["gpu"]}, debug]}
    system = {"duration": 3600.0, "queue": "batch", "constraints": constraint}
    assert jobspec.system(found.document) == system
    assert found.constraint == constraint


def test_a_file_is_read_and_one_that_is_no_jobspec_is_left_out(tmp_path: Path) -> None:
    write(tmp_path / "job.yaml", dump(JOB))
    write(tmp_path / "other.yaml", "- no job\n")
    names = ("job.yaml", "other.yaml", "missing.yaml")
    found = examples_of([Template(name, jobspec=str(tmp_path / name)) for name in names])
    assert [(one.title, one.document) for one in found] == [("job.yaml", JOB)]
