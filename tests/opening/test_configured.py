"""A configuration that lists nodes opens as a cluster with its queues."""

import json
from pathlib import Path

import pytest

from fluxtui import opening
from fluxtui.model.queues import Config
from fluxtui.notation.problem import Problem
from fluxtui.workbench import Cluster
from tests.each import for_each, the
from tests.model.clusters import alike
from tests.opened import demo

NODES = '[[resource.config]]\nhosts = "c[0-9],g[0-3]"\ncores = "0-15"\n'

GPUS = '[[resource.config]]\nhosts = "g[0-3]"\ngpus = "0-3"\nproperties = ["gpu"]\n'

QUEUES = (
    '[policy]\njobspec.defaults.system.queue = "all"\n[queues.all]\n[queues.g]\nhosts = "g[0-3]"\n'
)

R = alike(4, "0-7")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program runs in a folder of its own."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")


def write(path: str, text: str) -> str:
    Path(path).parent.mkdir(exist_ok=True)
    Path(path).write_text(text)
    return path


def cluster(where: str, config: str | None = None) -> tuple[Cluster, tuple[Problem, ...]]:
    """The cluster of a path, by both ways to open one."""
    found, problems = opening.open_cluster(where, config)
    assert found is not None, problems
    opened, odd = opening.open_any(where, config, demo(), own_queues=False)
    assert isinstance(opened, opening.OpenedCluster)
    assert opened.cluster.resources.hosts == found.resources.hosts
    assert odd == problems
    return found, problems


def queues(found: Cluster) -> list[str]:
    return [queue.name for queue in found.config.queues] if found.config is not None else []


# A file, a folder, JSON, standard input


def test_a_file_with_nodes_and_queues() -> None:
    found, problems = cluster(write("flux.toml", NODES + GPUS + QUEUES))
    assert problems == ()
    assert found.source.name == "flux.toml"
    assert found.resources.hosts_of(found.resources.everything) == "c[0-9],g[0-3]"
    assert (found.resources.whole.cores, found.resources.whole.gpus) == (224, 16)
    assert queues(found) == ["all", "g"]
    assert found.resources.ranks_text(found.covered("g")) == "10-13"
    assert found.resources.properties.keys() == {"gpu", "+g"}


def test_json_is_a_configuration_or_an_r_document() -> None:
    text = json.dumps({"resource": {"config": [{"hosts": "n[0-1]", "cores": "0"}]}, "tbon": {}})
    assert cluster(write("config.json", text))[0].resources.node_count == 2
    text = json.dumps({**R, "attributes": {"resource": {"config": []}}})
    assert cluster(write("R.json", text))[0].resources.node_count == 4


def test_whose_queues_a_configuration_with_nodes_gets() -> None:
    other = write("other.toml", "[queues.mine]\n")
    both = write("flux.toml", NODES + QUEUES)
    assert queues(cluster(both, other)[0]) == ["mine"]  # where the other one is named
    for path, expected in ((both, ["all", "g"]), (write("nodes.toml", NODES), ["mine"])):
        opened, _ = opening.open_any(path, other, demo())
        assert isinstance(opened, opening.OpenedCluster)
        assert queues(opened.cluster) == expected


# Problems


def test_what_is_wrong_has_its_file_and_line() -> None:
    text = QUEUES + NODES + '[[resource.config]]\nhosts = "x"\ncores = 4\n'
    found, _ = cluster(write("flux.toml", text))
    (problem,) = found.resources.problems
    assert problem.message.startswith("flux.toml, line 11, column 1: cores is an idset string")
    assert found.resources.node_count == 15
    write("conf.d/a.toml", "[queues\n")
    write("conf.d/b.toml", NODES)
    assert cluster("conf.d")[1][0].message.startswith("a.toml, line 1")
    assert opening.open_cluster("conf.d", None, strict=True)[0] is None


def test_nodes_that_get_no_jobs_are_told() -> None:
    found, (problem,) = cluster(write("flux.toml", '[resource]\nexclude = "c[0-1]"\n' + NODES))
    assert problem.severity == "warning"
    assert "2 nodes are excluded" in problem.message
    assert "c[0-1]" in problem.message
    assert found.resources.node_count == 14
    _, problems = cluster(write("flux.toml", '[resource]\nexclude = "20"\n' + NODES))
    assert problems[0].severity == "error"
    assert problems[0].message.startswith("flux.toml, line 2, column 1: exclude names rank 20")


# The files that it names


def test_a_path_leads_to_an_r_document() -> None:
    write("etc/R.json", json.dumps(R))
    where = write("etc/flux.toml", '[resource]\npath = "R.json"\n[queues.q]\n')
    found, (problem,) = cluster(where)
    assert found.resources.node_count == 4
    assert "from beside the configuration" in problem.message
    write("R.json", json.dumps(R))
    found, problems = cluster(where)
    assert (found.resources.node_count, queues(found), problems) == (4, ["q"], ())


def test_a_path_that_leads_nowhere_leaves_the_queues() -> None:
    where = write("flux.toml", '[resource]\npath = "/none/R"\n' + QUEUES.replace("g[0-3]", "all"))
    found, problems = opening.open_cluster(where, None)
    assert found is None
    assert problems[0].message == (
        "flux.toml, line 2, column 1: cannot read '/none/R': there is no such file"
    )
    opened, odd = opening.open_any(where, None, demo())
    assert isinstance(opened, opening.OpenedConfig)
    assert [problem.severity for problem in odd] == ["warning"]
    alone = write("alone.toml", '[resource]\npath = "/none/R"\n')
    opened, odd = opening.open_any(alone, None, demo())
    assert opened is None
    assert odd[0].severity == "error"


def test_a_graph_or_topologies_may_be_in_a_file_of_their_own() -> None:
    graph = {
        "nodes": [{"id": "0", "metadata": {"type": "cluster", "paths": {"containment": "/c"}}}]
    }
    write("S.json", json.dumps({"graph": {**graph, "edges": []}, "writer": "fluxion:jgf"}))
    found, _ = cluster(write("flux.toml", '[resource]\nscheduling = "S.json"\n' + NODES))
    assert found.resources.node_count == 14
    assert found.resources.writer == "fluxion:jgf"
    assert found.graph is not None
    assert len(found.graph.types) == 1
    inside = {"ranks": "0-13", "topo": {"numa": [{"cores": "0-7"}, {"cores": "8-15"}]}}
    write("S.json", json.dumps({"writer": "TreePool", "children": [inside]}))
    found, problems = cluster(write("flux.toml", '[resource]\nscheduling = "S.json"\n' + NODES))
    assert problems == ()
    assert found.resources.domain_names == ("numa",)
    found, problems = cluster(write("flux.toml", '[resource]\nscheduling = "T.json"\n' + NODES))
    assert found.graph is None
    assert "cannot read 'T.json'" in problems[0].message


# What was read is known, so that it can be watched


def test_all_files_that_were_read_are_known() -> None:
    write("etc/R.json", json.dumps(R))
    write("etc/a.toml", '[resource]\npath = "etc/R.json"\n')
    write("etc/b.toml", QUEUES.replace("g[0-3]", "n0"))
    opened, _ = opening.open_any("etc", None, demo())
    assert isinstance(opened, opening.OpenedCluster)
    names = [Path(seen.path).name for seen in opened.files.files]
    assert names == ["a.toml", "b.toml", "R.json"]
    assert all(seen.stamp is not None for seen in opened.files.files)
    assert opened.files.folders == (str(Path("etc").absolute()),)
    beside, _ = opening.open_any("etc/R.json", "etc/b.toml", demo())
    assert isinstance(beside, opening.OpenedCluster)
    assert [Path(seen.path).name for seen in beside.files.files] == ["R.json", "b.toml"]


# Texts that come from no file


@pytest.mark.parametrize(("text", "kind"), [
    (NODES + QUEUES, opening.OpenedCluster),
    (json.dumps(R), opening.OpenedCluster),
    ("\ufeff" + json.dumps(R, indent=2), opening.OpenedCluster),
    ('{"graph": {"nodes": [], "edges": []}}', opening.OpenedCluster),
    (QUEUES, opening.OpenedConfig),
    ("resources: []\ntasks: []\n", opening.OpenedJob),
])  # fmt: skip
def test_a_text_is_what_its_content_tells(text: str, kind: type) -> None:
    opened, problems = opening.open_text(text, "the pasted text", None, demo())
    assert isinstance(opened, kind), problems
    if isinstance(opened, opening.OpenedCluster):
        assert (opened.cluster.source.name, opened.cluster.source.path) == ("the pasted text", None)
        assert opened.files.unread
    if isinstance(opened, opening.OpenedConfig):
        assert opened.where == ""


@pytest.mark.parametrize("text", ["", " \n", "{", "hello", "[resource\n", "\x00", "[1, 2]"])
def test_a_text_that_is_none_is_refused_in_words(text: str) -> None:
    opened, problems = opening.open_text(text, "the pasted text", None, demo())
    assert opened is None
    assert problems


# The configuration beside the document: its problems say where they are


def beside(config: str) -> tuple[Config, tuple[Problem, ...]]:
    """The queues that are opened beside a cluster of four nodes, and the problems given then."""
    found, problems = opening.open_cluster(write("R.json", json.dumps(R)), config)
    assert found is not None
    return the(found.config), problems


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
    assert [p.message.split(":")[0] for p in config.problems] == [
        "3.toml, line 1, column 8",
        "1.toml, line 4, column 1",
        "2.toml, line 3, column 1",
    ]
    assert problems == (config.problems[0], config.problems[2])
