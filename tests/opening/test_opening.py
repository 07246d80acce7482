"""Any file or text into the workbench: its content tells what it is, and what is wrong its line."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui import opening, workbench
from fluxtui.bridge.settings import Template
from fluxtui.model.documents.document import dump
from fluxtui.model.jobspec import jobspec
from fluxtui.model.queues import Config, Status
from fluxtui.notation.problem import Problem
from fluxtui.opening import saving
from fluxtui.opening.scripts import KEYS
from fluxtui.opening.templates import examples_of
from fluxtui.workbench import Cluster
from tests.each import for_each, the
from tests.json_values import SCALARS, values
from tests.model.clusters import alike
from tests.model.jobspecs import job, resources_of
from tests.opened import after, demo

R = json.dumps(alike(4, "0-7", properties={"gpu": "0-1", "+mine": "2"}))
JOB = job("node=2/slot/core=4", queue="batch")
NODES = '[[resource.config]]\nhosts = "c[0-9],g[0-3]"\ncores = "0-15"\n'
GPUS = '[[resource.config]]\nhosts = "g[0-3]"\ngpus = "0-3"\nproperties = ["gpu"]\n'
QUEUES = (
    '[policy]\njobspec.defaults.system.queue = "all"\n[queues.all]\n[queues.g]\nhosts = "g[0-3]"\n'
)


@pytest.fixture(autouse=True, scope="module")
def _here(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The program runs in a folder of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("here"))
        yield


def write(path: str, text: str) -> str:
    Path(path).parent.mkdir(exist_ok=True)
    Path(path).write_bytes(text.encode("utf-8", "surrogatepass"))
    return path


def opened(
    where: str, config: str | None = None, on: Cluster | None = None
) -> tuple[opening.Opened | None, tuple[Problem, ...]]:
    """What a path leads to."""
    return opening.open_any(where, config, on or demo())


def configured(where: str, on: Cluster) -> tuple[opening.OpenedConfig, tuple[Problem, ...]]:
    """The configuration that a path leads to."""
    found, problems = opened(where, on=on)
    assert isinstance(found, opening.OpenedConfig)
    return found, problems


def cluster(where: str, config: str | None = None) -> tuple[Cluster, tuple[Problem, ...]]:
    """The cluster of a path, by both ways to open one."""
    found, problems = opening.open_cluster(where, config)
    assert found is not None, problems
    other, odd = opening.open_any(where, config, demo(), own_queues=False)
    if found.resources.ok:
        assert isinstance(other, opening.OpenedCluster)
        assert (other.cluster.resources.hosts, odd) == (found.resources.hosts, problems)
    return found, problems


def queues(found: Cluster) -> list[str]:
    return [queue.name for queue in found.config.queues] if found.config is not None else []


# Whatever it holds, and whatever it is called


def opens(text: str) -> None:
    """The text is opened, or there is a reason; a job is saved as it was opened."""
    found, problems = opened(write("any", text))
    assert found is not None or problems
    if isinstance(found, opening.OpenedJob):
        state = after(workbench.start(demo()), found.jobspec.edit)
        file = found.jobspec.file
        if file is not None and not any("nothing but resources" in p.message for p in problems):
            assert not saving.differs(state, file)
            assert saving.saved_text(state, file.form)[0] == text.removeprefix("\ufeff")


STRINGS = st.sampled_from(["0-3", "slot", "core", "+x", "\ud800", "9" * 400])
DOCUMENTS = values(SCALARS | st.floats() | STRINGS, st.text(max_size=6) | STRINGS, leaves=30)
VERTICES = st.lists(st.dictionaries(st.sampled_from(["type", "count", "with", "label"]), DOCUMENTS))


@given(st.dictionaries(st.sampled_from([*KEYS, "version", "x"]), DOCUMENTS, max_size=4), VERTICES)
def test_any_jobspec_and_any_resources(found: dict[str, Any], vertices: list[Any]) -> None:
    for text in (json.dumps(found), dump(found), json.dumps(vertices)):
        opens(text)
    opens(json.dumps({"resources": vertices, "tasks": []}))


@for_each("text, kind", [
    *((text, opening.OpenedCluster) for text in (
        *(R, "\ufeff" + json.dumps(json.loads(R), indent=2), NODES + QUEUES),
        '{"graph": {"nodes": [], "edges": []}}',
    )),
    *((text, opening.OpenedJob) for text in (
        *(json.dumps(JOB), "# mine\n" + dump(JOB), dump(JOB["resources"]), "resources: 3\n"),
        *("tasks: []\n", "attributes:\n  user: {a: 1}\n", "resources: []\ntasks: []\n"),
    )),
    *((text, opening.OpenedConfig) for text in (
        *('[queues.a]\nrequires = ["gpu"]\n', '{"queues": {"a": {}}}'),
        "[resource]\nnoverify = true\n",
    )),
])  # fmt: skip
def test_the_content_tells(text: str, kind: type) -> None:
    for name in ("file", "file.json", "file.yaml", "-x y"):
        found, problems = opened(write(name, text))
        assert isinstance(found, kind), (name, problems)
    found, problems = opening.open_text(text, "the pasted text", None, demo())
    assert isinstance(found, kind), problems
    if isinstance(found, opening.OpenedCluster):
        assert (found.cluster.source.name, found.cluster.source.path) == ("the pasted text", None)
        assert found.files.unread
    if isinstance(found, opening.OpenedConfig):
        assert found.where == ""


@for_each("text, says", [
    ("", "is empty"), (" \n", "is empty"), ("hello", "a document is a dictionary"),
    ("[1, 2]", "a list is not a whole document"),
    ('{"colour": 3}', "neither jobspec nor R nor configuration"),
    ('{"resorces": []}', "did you mean resources?"), ("{", "line 1, column 2"),
    ("[queues", "line 1"), ("[resource\n", "line 1"), ("\0", "U+0000"),
])  # fmt: skip
def test_what_is_nothing_is_said(text: str, says: str) -> None:
    for found, problems in (
        *(opened(write("file", text)), opening.open_text(text, "the pasted text", None, demo())),
    ):
        assert found is None
        assert says in problems[0].message


# Clusters


def test_the_demo_comes_with_its_queues() -> None:
    found, problems = cluster("demo")
    assert (problems, found.config and found.config.problems) == ((), ())
    assert (found.source.builtin, found.source.name) == (True, "demo cluster dune (built in)")
    assert queues(found) == ["batch", "debug", "gpu", "bigmem", "long"]
    assert all(found.coverage.values())


def test_a_file_with_and_without_a_configuration() -> None:
    path = write("R.json", R)
    found, problems = cluster(path)
    assert (problems, found.source.name, found.config) == ((), "R.json", None)
    assert (found.source.path, found.source.builtin) == (path, False)
    assert found.resources.node_count == 4
    config = write("flux.toml", '[queues.a]\nrequires = ["gpu"]\n[queues.b]\n')
    found, problems = cluster(path, config)
    assert (problems, found.coverage) == ((), {"a": 0b0011, "b": 0b1111})
    assert cluster("demo", config)[0].coverage.keys() == {"a", "b"}


def test_a_bad_configuration_still_opens_the_document_but_for_a_strict_opening() -> None:
    path = write("R.json", R)
    for config in ("missing.toml", write("bad.toml", "= 1")):
        found, problems = cluster(path, config)
        assert found.resources.node_count == 4
        assert config in problems[0].message
        assert opening.open_cluster(path, config, strict=True) == (None, problems)
    odd = write("odd.toml", "[queues.a]\nhosts = 'n9'\n")
    strict, problems = opening.open_cluster(path, odd, strict=True)
    assert (strict is not None, len(problems)) == (True, 1)


@for_each("text", ["{", "[]", '{"version": 1}', "not json", '{"version": "1"}'])
def test_a_broken_document_opens_with_its_problems(text: str) -> None:
    found, _ = cluster(write("R.json", text))
    assert found.resources.node_count == 0
    assert found.resources.problems


# Configurations


def test_a_configuration_is_that_of_the_open_cluster() -> None:
    on, _ = cluster(write("R.json", R))
    config = write("flux.toml", '[queues.a]\nrequires = ["gpu"]\n[queues.b]\nhosts="n[0-1]"')
    found, (problem,) = configured(config, on)
    assert (found.where, found.cluster.source) == (config, on.source)
    assert found.cluster.coverage == {"a": 0b0011, "b": 0b0011}
    assert found.cluster.resources.properties["+b"] == 0b0011
    assert problem.message.startswith("flux.toml: 2 queues and none of them is the default")
    # Members of the queues before are no members any more.
    found, _ = configured(write("flux.toml", '[queues.c]\nhosts = "n3"\n'), found.cluster)
    assert found.cluster.resources.properties == {"gpu": 0b0011, "+mine": 0b0100, "+c": 0b1000}
    assert found.cluster.coverage == {"c": 0b1000}
    # One that cannot be read changes nothing.
    unread, (problem,) = opened(write("flux.toml", "[queues.a]\nx = = 1\n"))
    assert unread is None
    assert problem.message.startswith("flux.toml, line 2")


def test_a_directory_is_a_configuration() -> None:
    Path("empty").mkdir()
    found, (problem,) = opened("empty")
    assert found is None
    assert "no *.toml file" in problem.message
    write("several/a.toml", "[queues.a]\n")
    write("several/b.toml", "[queues.a]\nrequires = 5\n")
    assert configured("several", demo())[1][0].message.startswith("b.toml, line 2")
    write("broken/a.toml", "[queues\n")
    write("broken/b.toml", NODES)
    assert cluster("broken")[1][0].message.startswith("a.toml, line 1")
    assert opening.open_cluster("broken", None, strict=True)[0] is None


def test_a_file_with_nodes_and_queues() -> None:
    found, problems = cluster(write("flux.toml", NODES + GPUS + QUEUES))
    assert (problems, found.source.name, queues(found)) == ((), "flux.toml", ["all", "g"])
    assert found.resources.hosts_of(found.resources.everything) == "c[0-9],g[0-3]"
    assert (found.resources.whole.cores, found.resources.whole.gpus) == (224, 16)
    assert found.resources.ranks_text(found.covered("g")) == "10-13"
    assert found.resources.properties.keys() == {"gpu", "+g"}


def test_json_is_a_configuration_or_an_r_document() -> None:
    text = json.dumps({"resource": {"config": [{"hosts": "n[0-1]", "cores": "0"}]}, "tbon": {}})
    assert cluster(write("config.json", text))[0].resources.node_count == 2
    text = json.dumps({**json.loads(R), "attributes": {"resource": {"config": []}}})
    assert cluster(write("R.json", text))[0].resources.node_count == 4


def test_whose_queues_a_configuration_with_nodes_gets() -> None:
    other = write("other.toml", "[queues.mine]\n")
    both = write("flux.toml", NODES + QUEUES)
    assert queues(cluster(both, other)[0]) == ["mine"]  # where the other one is named
    for path, expected in ((both, ["all", "g"]), (write("nodes.toml", NODES), ["mine"])):
        found, _ = opened(path, other)
        assert isinstance(found, opening.OpenedCluster)
        assert queues(found.cluster) == expected


def test_nodes_that_are_wrong_or_get_no_jobs() -> None:
    text = QUEUES + NODES + '[[resource.config]]\nhosts = "x"\ncores = 4\n'
    found, _ = cluster(write("flux.toml", text))
    (problem,) = found.resources.problems
    assert problem.message.startswith("flux.toml, line 11, column 1: cores is an idset string")
    assert found.resources.node_count == 15
    found, (problem,) = cluster(write("flux.toml", '[resource]\nexclude = "c[0-1]"\n' + NODES))
    assert (problem.severity, found.resources.node_count) == ("warning", 14)
    assert "2 nodes are excluded" in problem.message
    assert "c[0-1]" in problem.message
    _, (problem, *_) = cluster(write("flux.toml", '[resource]\nexclude = "20"\n' + NODES))
    assert problem.severity == "error"
    assert problem.message.startswith("flux.toml, line 2, column 1: exclude names rank 20")


# The files that a configuration names


def test_a_path_leads_to_an_r_document() -> None:
    write("etc/R.json", R)
    where = write("etc/flux.toml", '[resource]\npath = "R.json"\n[queues.q]\n')
    Path("R.json").unlink(missing_ok=True)
    found, (problem,) = cluster(where)
    assert found.resources.node_count == 4
    assert "from beside the configuration" in problem.message
    write("R.json", R)
    found, problems = cluster(where)
    assert (found.resources.node_count, queues(found), problems) == (4, ["q"], ())


def test_a_path_that_leads_nowhere_leaves_the_queues() -> None:
    where = write("flux.toml", '[resource]\npath = "/none/R"\n' + QUEUES.replace("g[0-3]", "all"))
    found, problems = opening.open_cluster(where, None)
    assert found is None
    assert problems[0].message == (
        "flux.toml, line 2, column 1: cannot read '/none/R': there is no such file"
    )
    _, odd = configured(where, demo())
    assert [problem.severity for problem in odd] == ["warning"]
    alone, odd = opened(write("alone.toml", '[resource]\npath = "/none/R"\n'))
    assert (alone, odd[0].severity) == (None, "error")


def test_a_graph_or_topologies_may_be_in_a_file_of_their_own() -> None:
    top = {"id": "0", "metadata": {"type": "cluster", "paths": {"containment": "/c"}}}
    inside = {"ranks": "0-13", "topo": {"numa": [{"cores": "0-7"}, {"cores": "8-15"}]}}
    write("S.json", json.dumps({"graph": {"nodes": [top], "edges": []}, "writer": "fluxion:jgf"}))
    where = write("flux.toml", '[resource]\nscheduling = "S.json"\n' + NODES)
    found, _ = cluster(where)
    assert (found.resources.node_count, found.resources.writer) == (14, "fluxion:jgf")
    assert len(the(found.graph).types) == 1
    write("S.json", json.dumps({"writer": "TreePool", "children": [inside]}))
    found, problems = cluster(where)
    assert (problems, found.resources.domain_names) == ((), ("numa",))
    Path("S.json").unlink()
    found, problems = cluster(where)
    assert found.graph is None
    assert "cannot read 'S.json'" in problems[0].message


def test_all_files_that_were_read_are_known() -> None:
    write("seen/R.json", R)
    write("seen/a.toml", '[resource]\npath = "seen/R.json"\n')
    write("seen/b.toml", QUEUES.replace("g[0-3]", "n0"))
    for found, names, folders in (
        (opened("seen")[0], ["a.toml", "b.toml", "R.json"], (str(Path("seen").absolute()),)),
        (opened("seen/R.json", "seen/b.toml")[0], ["R.json", "b.toml"], ()),
    ):
        assert isinstance(found, opening.OpenedCluster)
        assert [Path(seen.path).name for seen in found.files.files] == names
        assert all(seen.stamp is not None for seen in found.files.files)
        assert found.files.folders == folders


# The configuration beside the document: its problems say where they are


def beside(config: str) -> tuple[Config, tuple[Problem, ...]]:
    """The queues that are opened beside a cluster of four nodes, and the problems given then."""
    found, problems = opening.open_cluster(write("R.json", R), config)
    return the(the(found).config), problems


@for_each("text, said", [
    ("[queues.a]\n[queues.b]\n", ": 2 queues and none of them is the default"),
    ("[queues.a]\n[policy]\njobspec.defaults.system.queue = 'b'\n",
     ", line 3, column 1: default queue 'b' is not configured"),
    ("[queues.a]\nrequires = ['x']\nhosts = 'n0'\n",
     ", line 1, column 2: a queue has hosts or requires, not both"),
    ("[queues.a]\nparent = 'b'\n", ", line 2, column 1: parent queue 'b' is not config"),
    ("[queues.a]\n[queues.b]\nparent = 'a'\n[queues.c]\nparent = 'b'\n"
     "[policy]\njobspec.defaults.system.queue = 'a'\n",
     ", line 5, column 1: parent queue 'b' is itself a virtual queue"),
    ("[queues.a]\nhosts = 'n[0-4]'\n", ", line 2, column 1: host n4 is not in the cluster"),
    ("[policy]\n\nlimits.duration = '1 hour'\n",
     ", line 3, column 1: 'hour' is not a unit of time; did you mean h?"),
])  # fmt: skip
def test_a_problem_has_its_line(text: str, said: str) -> None:
    config, problems = beside(write("flux.toml", text))
    (problem,) = config.problems
    assert problem.message.startswith(f"flux.toml{said}")
    assert problem.rule.startswith("RFC ")
    # Only what the cluster tells is found when both are opened.
    assert problems == (config.problems if "in the cluster" in said else ())


def test_of_a_directory_the_file_that_counts() -> None:
    write("conf.d/1.toml", "[queues.a]\nhosts = 'n9'\n[policy.limits]\nduration = 'x'\n")
    write("conf.d/2.toml", "\n[queues.a]\nhosts = 'n8,n0'\n")
    write("conf.d/3.toml", "[queues\n")
    config, problems = beside("conf.d")
    places = ["3.toml, line 1, column 8", "1.toml, line 4, column 1", "2.toml, line 3, column 1"]
    assert [p.message.split(":")[0] for p in config.problems] == places
    assert problems == (config.problems[0], config.problems[2])


# Jobspecs


def test_a_constraint_that_no_query_can_say_stays_json() -> None:
    text = json.dumps({**JOB, "attributes": {"system": {"constraints": {"or": []}}}})
    found = the(opening.open_jobspec(write("job.json", text))[0])
    assert found.shape == "node=2/slot/core=4"
    ask = workbench.start(None, "", found.requires).ask
    assert not any(p.severity == "error" for p in ask.problems)
    assert ask.constraint is not None


NO_TOML = "job.yaml: a jobspec is YAML or JSON; this is TOML"


@for_each("text, says", [
    *((text, "") for text in ("", "a: ]", "{}", "- 1", "version: 1", "\x00", "[" * 5000)),
    ("a: 2001-13-45", ""), ("\ud800", ""), ("x = 1\n", NO_TOML),
    ('resources = [{type = "core", count = 1}]\n', NO_TOML),
])  # fmt: skip
def test_a_file_that_is_no_jobspec(text: str, says: str) -> None:
    found, problems = opening.open_jobspec(write("job.yaml", text))
    assert found is None
    assert problems[0].message
    assert problems[0].message == says or not says


@for_each("queue", [5, None, ["batch"]])
def test_a_queue_that_is_no_name_stays_and_is_refused(queue: object) -> None:
    spec = job("node/slot/core", queue=queue)
    found, (problem,) = opening.open_jobspec(write("job.json", json.dumps(spec)))
    found = the(found)
    assert found.queue is None
    assert problem.message.startswith("job.json, line 1, column ")
    assert "queue is a string; found" in problem.message
    assert problem.path == "attributes.system.queue"
    state = workbench.start(demo(), found.shape, "", found.job)
    assert state.jobspec()["attributes"]["system"]["queue"] == queue
    own = the(workbench.prospect(spec, demo(), workbench.Submission()).own)
    assert own.admitted is False
    assert [r.problem for r in the(state.outlook.own).refusals] == [r.problem for r in own.refusals]
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


def test_statuses_of_queues_that_cannot_be_read_or_are_not_there() -> None:
    for text, says in [("{", "line 1"), ('{"a": 5}', "the status of a queue is an object")]:
        submission, problems = opening.open_submission(None, write("status.json", text))
        assert submission is None
        assert says in problems[0].message
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
    document = the(found.document)
    assert document["resources"] == resources_of(shape)
    (task,) = document["tasks"]
    assert (task["command"], task["count"]) == (["lmp", "-in", "a"], {"per_slot": 1})
    debug = {"not": [{"properties": ["debug"]}]}
    constraint = {"and": [{"properties": ["gpu"]}, debug]}
    system = {"duration": 3600.0, "queue": "batch", "constraints": constraint}
    assert jobspec.system(document) == system
    assert found.constraint == constraint


def test_a_file_is_read_and_one_that_is_no_jobspec_is_left_out() -> None:
    write("job.yaml", dump(JOB))
    write("other.yaml", "- no job\n")
    names = ("job.yaml", "other.yaml", "missing.yaml")
    found = examples_of([Template(name, jobspec=str(Path(name).absolute())) for name in names])
    assert [(one.title, one.document) for one in found] == [("job.yaml", JOB)]
