"""The configuration beside the document: its problems say where they are."""

import json
from pathlib import Path

import pytest

from fluxtui import opening
from fluxtui.model.queues import Config
from fluxtui.notation.problem import Problem


def opened(folder: Path, config: Path) -> tuple[Config, tuple[Problem, ...]]:
    """The queues that are opened beside a cluster of four nodes, and the problems given then."""
    document = folder / "R.json"
    execution = {
        "R_lite": [{"rank": "0-3", "children": {"core": "0-7"}}],
        "nodelist": ["n[0-3]"],
    }
    document.write_text(json.dumps({"version": 1, "execution": execution}))
    cluster, problems = opening.open_cluster(str(document), str(config))
    assert cluster is not None
    assert cluster.config is not None
    return cluster.config, problems


PROBLEMS = [
    ("[queues.a]\n[queues.b]\n", "flux.toml: 2 queues and none of them is the default"),
    (
        "[queues.a]\n[policy]\njobspec.defaults.system.queue = 'b'\n",
        "flux.toml, line 3, column 1: default queue 'b' is not configured",
    ),
    (
        "[queues.a]\nrequires = ['x']\nhosts = 'n0'\n",
        "flux.toml, line 1, column 2: a queue has hosts or requires, not both",
    ),
    ("[queues.a]\nparent = 'b'\n", "flux.toml, line 2, column 1: parent queue 'b' is not config"),
    (
        "[queues.a]\n[queues.b]\nparent = 'a'\n[queues.c]\nparent = 'b'\n"
        "[policy]\njobspec.defaults.system.queue = 'a'\n",
        "flux.toml, line 5, column 1: parent queue 'b' is itself a virtual queue",
    ),
    (
        "[queues.a]\nhosts = 'n[0-4]'\n",
        "flux.toml, line 2, column 1: host n4 is not in the cluster",
    ),
    (
        "[policy]\n\nlimits.duration = '1 hour'\n",
        "flux.toml, line 3, column 1: 'hour' is not a unit of time; did you mean h?",
    ),
]


@pytest.mark.parametrize(("text", "said"), PROBLEMS)
def test_a_problem_has_its_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "flux.toml"
    path.write_text(text)
    config, problems = opened(tmp_path, path)
    (problem,) = config.problems
    assert problem.message.startswith(said)
    assert problem.rule.startswith("RFC ")
    # Only what the cluster tells is found when both are opened.
    assert problems == (config.problems if "in the cluster" in said else ())


def test_of_a_directory_the_file_that_counts(tmp_path: Path) -> None:
    folder = tmp_path / "conf.d"
    folder.mkdir()
    (folder / "1.toml").write_text("[queues.a]\nhosts = 'n9'\n[policy.limits]\nduration = 'x'\n")
    (folder / "2.toml").write_text("\n[queues.a]\nhosts = 'n8,n0'\n")
    (folder / "3.toml").write_text("[queues\n")
    config, problems = opened(tmp_path, folder)
    assert [p.message.split(":")[0] for p in config.problems] == [
        "3.toml, line 1, column 8",
        "1.toml, line 4, column 1",
        "2.toml, line 3, column 1",
    ]
    assert problems == (config.problems[0], config.problems[2])


def test_what_cannot_be_read_is_a_problem_too(tmp_path: Path) -> None:
    config, problems = opened(tmp_path, tmp_path / "none.toml")
    assert config.problems == problems
    assert "none.toml" in problems[0].message
    assert config.queues == ()
