"""Any file into the workbench: its content tells what it is."""

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui import opening, workbench
from fluxtui.model.documents.document import dump
from fluxtui.model.jobspec import jobspec
from fluxtui.notation.problem import Problem
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import to_resources
from fluxtui.opening import saving
from fluxtui.opening.jobspecs import KEYS
from fluxtui.workbench import Cluster
from tests.opened import demo
from tests.test_any_input import DOCUMENTS, TEXTS

R: dict[str, Any] = {
    "version": 1,
    "execution": {
        "R_lite": [{"rank": "0-3", "children": {"core": "0-7"}}],
        "nodelist": ["n[0-3]"],
        "properties": {"gpu": "0-1", "+mine": "2"},
    },
}
JOB = jobspec.build(to_resources(parse_shape("node=2/slot/core=4")), queue="batch")
YAML = "# mine\n" + dump(JOB)


def opened(
    where: Path | str, config: str | None = None, on: Cluster | None = None
) -> tuple[opening.Opened | None, tuple[Problem, ...]]:
    """What a path leads to."""
    return opening.open_any(str(where), config, on or demo())


def write(path: Path, content: object) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def cluster(tmp_path: Path) -> Cluster:
    """A cluster of four nodes, from a file."""
    found, _ = opened(write(tmp_path / "R.json", R))
    assert isinstance(found, opening.OpenedCluster)
    return found.cluster


# Whatever stands in it


def opens(text: str) -> None:
    """The text is opened, or there is a reason; a job is saved as it was opened."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        found, problems = opened(path)
        if found is None:
            assert problems
        if not isinstance(found, opening.OpenedJob):
            return
        state = workbench.step(workbench.start(demo()), found.jobspec.edit)
        file = found.jobspec.file
        if file is None or any("nothing but resources" in p.message for p in problems):
            return
        assert not saving.differs(state, file)
        assert saving.saved_text(state, file.form)[0] == text.removeprefix("\ufeff")


@given(TEXTS)
def test_any_text(text: str) -> None:
    opens(text)


@given(st.dictionaries(st.sampled_from([*KEYS, "version", "x"]), DOCUMENTS, max_size=4))
def test_any_jobspec(found: dict[str, Any]) -> None:
    opens(json.dumps(found))
    opens(dump(found))


@given(st.lists(st.dictionaries(st.sampled_from(["type", "count", "with", "label"]), DOCUMENTS)))
def test_any_resources(found: list[Any]) -> None:
    opens(json.dumps(found))
    opens(json.dumps({"resources": found, "tasks": []}))


# Whatever the file is called

KINDS = [
    (json.dumps(R), opening.OpenedCluster),
    (json.dumps({"graph": {"nodes": [], "edges": []}}), opening.OpenedCluster),
    (json.dumps(JOB), opening.OpenedJob),
    (YAML, opening.OpenedJob),
    ("resources: 3\n", opening.OpenedJob),
    ("tasks: []\n", opening.OpenedJob),
    ("attributes:\n  user: {a: 1}\n", opening.OpenedJob),
    (dump(JOB["resources"]), opening.OpenedJob),
    ('[queues.a]\nrequires = ["gpu"]\n', opening.OpenedConfig),
    ('{"queues": {"a": {}}}', opening.OpenedConfig),
    ("[resource]\nnoverify = true\n", opening.OpenedConfig),
]


@pytest.mark.parametrize(("text", "kind"), KINDS)
def test_the_content_tells(tmp_path: Path, text: str, kind: type) -> None:
    for name in ("file", "file.json", "file.yaml", "-x y"):
        found, problems = opened(write(tmp_path / name, text))
        assert isinstance(found, kind), (name, problems)


@pytest.mark.parametrize(("text", "says"), [
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


# Configurations


def test_a_configuration_is_that_of_the_open_cluster(tmp_path: Path) -> None:
    on = cluster(tmp_path)
    config = write(tmp_path / "flux.toml", '[queues.a]\nrequires = ["gpu"]\n[queues.b]\nhosts="n0"')
    found, problems = opened(config, on=on)
    assert isinstance(found, opening.OpenedConfig)
    assert found.where == str(config)
    assert found.cluster.source == on.source
    assert found.cluster.coverage == {"a": 0b0011, "b": 0b0001}
    assert found.cluster.resources.properties["+b"] == 0b0001
    (problem,) = problems
    assert problem.message.startswith("flux.toml: 2 queues and none of them is the default")


def test_members_of_the_queues_before_are_no_members_any_more(tmp_path: Path) -> None:
    first = write(tmp_path / "1.toml", '[queues.a]\nhosts = "n[0-1]"\n')
    second = write(tmp_path / "2.toml", '[queues.b]\nhosts = "n3"\n')
    found, _ = opened(first, on=cluster(tmp_path))
    assert isinstance(found, opening.OpenedConfig)
    found, _ = opened(second, on=found.cluster)
    assert isinstance(found, opening.OpenedConfig)
    assert found.cluster.resources.properties == {"gpu": 0b0011, "+mine": 0b0100, "+b": 0b1000}
    assert found.cluster.coverage == {"b": 0b1000}


def test_a_directory_is_a_configuration(tmp_path: Path) -> None:
    folder = tmp_path / "conf.d"
    folder.mkdir()
    found, (problem,) = opened(folder)
    assert found is None
    assert "no *.toml file" in problem.message
    write(folder / "a.toml", "[queues.a]\n")
    write(folder / "b.toml", "[queues.a]\nrequires = 5\n")
    found, problems = opened(folder)
    assert isinstance(found, opening.OpenedConfig)
    assert problems[0].message.startswith("b.toml, line 2")


def test_a_configuration_that_cannot_be_read_changes_nothing(tmp_path: Path) -> None:
    found, (problem,) = opened(write(tmp_path / "flux.toml", "[queues.a]\nx = = 1\n"))
    assert found is None
    assert problem.message.startswith("flux.toml, line 2")
