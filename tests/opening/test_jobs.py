"""Jobspecs into the workbench, and requests in other words."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from fluxtui import opening, workbench
from fluxtui.model.documents.document import dump
from fluxtui.model.jobspec import jobspec
from fluxtui.notation.problem import Problem
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import MAX_DEPTH
from fluxtui.opening import saving
from tests.each import the
from tests.model.jobspecs import job
from tests.opened import after, demo, opened_state

JOB = job("node=2/slot/core=4", queue="batch")
YAML = "# mine\n" + dump(JOB)


def write(path: Path, content: object) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def opened(path: Path) -> tuple[opening.OpenedJobspec, tuple[Problem, ...]]:
    """The jobspec of a file."""
    found, problems = opening.open_any(str(path), None, demo())
    assert isinstance(found, opening.OpenedJob)
    return found.jobspec, problems


def test_what_the_texts_cannot_say_is_said(tmp_path: Path) -> None:
    system = {"constraints": ["gpu"], "queue": 5}
    vertices = [{"count": 2}, {"type": "core", "count": 1}]
    text = dump({"resources": vertices, "attributes": {"system": system}})
    found, problems = opened(write(tmp_path / "job.yaml", text))
    assert (found.requires, found.queue) == ("", None)
    assert [problem.message.split(": ")[0] for problem in problems] == [
        "job.yaml, line 2, column 3",
        "job.yaml, line 9, column 5",
        "job.yaml, line 7, column 5",
    ]
    assert [problem.path for problem in problems] == [
        "resources[0].type",
        "attributes.system.queue",
        "attributes.system.constraints",
    ]


def test_the_file_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "job.yaml", YAML)
    monkeypatch.chdir(tmp_path)
    found, problems = opened(Path("job.yaml"))
    assert problems == ()
    assert found.file is not None
    assert found.job.path == found.file.path == str(tmp_path / "job.yaml")
    assert (found.file.text, found.file.form, found.file.document) == (YAML, "yaml", JOB)
    assert found.file.stamp.size == len(YAML)


def test_to_resources_alone_the_rest_is_added(tmp_path: Path) -> None:
    found, problems = opened(write(tmp_path / "job.json", JOB["resources"]))
    assert (problems, found.file, found.job.path) == ((), None, None)
    assert found.document["resources"] == JOB["resources"]
    assert jobspec.check(found.document).v1
    slot = "  - {type: slot, count: 2, label: a, with: [{type: core, count: 1}]}\n"
    text = f"# mine\nresources:\n{slot}"
    path = write(tmp_path / "job.yaml", text)
    found, (problem,) = opened(path)
    assert problem.severity == "warning"
    assert "nothing but resources" in problem.message
    assert found.file is found.job.path is None  # saving does not write into this file unasked
    assert found.document["tasks"][0]["slot"] == "a"
    saved, _ = saving.saved_text(opened_state(path), "yaml")
    assert saved.startswith(text.replace("mine\n", "mine\nversion: 1\n"))
    assert yaml.safe_load(saved) == found.document


@pytest.mark.parametrize("text", [
    YAML.replace("count: 4", "count: [4"),
    YAML + "version: 2\n",
    YAML.replace("duration: 0.0", "duration: .inf"),
    YAML.replace("batch", "!mine batch"),
    json.dumps(JOB).replace("}", "", 1),
    json.dumps(JOB).replace("0.0", "1e999"),
    "  resources: [",
    "{tasks: [",
])  # fmt: skip
def test_a_text_that_cannot_be_read_is_opened_to_be_mended(tmp_path: Path, text: str) -> None:
    path = write(tmp_path / "job", text)
    found, problems = opened(path)
    raw = the(found.job.raw)
    assert raw.text == text
    assert problems
    assert found.file is not None
    assert found.file.document is None
    state = opened_state(path)
    assert not saving.differs(state, found.file)
    file, _ = saving.save_job(state, str(path), raw.form)
    assert file is not None
    assert path.read_text() == text
    mended = after(state, workbench.TypeJobspec(YAML, "yaml"))
    assert mended.jobspec() == JOB
    assert saving.differs(mended, found.file)


def test_numbers_of_another_type_are_another_document(tmp_path: Path) -> None:
    path = write(tmp_path / "job.yaml", YAML.replace("version: 1", "version: true"))
    state = opened_state(path)
    file, _ = saving.save_job(state, str(path), "yaml")
    assert file is not None
    assert not saving.differs(state, file)
    assert saving.differs(after(state, workbench.ReplaceJob(JOB)), file)


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_another_text_of_the_same_jobspec_is_a_change(tmp_path: Path, form: str) -> None:
    text = YAML if form == "yaml" else json.dumps(JOB)
    state = opened_state(path := write(tmp_path / "job", text))
    file = the(opened(path)[0].file)
    assert not saving.differs(state, file)
    typed = workbench.TypeJobspec(f"{text}\n", form)  # type: ignore[arg-type]
    more = after(state, typed)
    assert more.jobspec() == state.jobspec()
    assert saving.differs(more, file)
    back = after(more, replace(typed, text=text))
    assert not saving.differs(back, file)


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_saved_is_what_is_shown(tmp_path: Path, form: Any) -> None:
    opened = opened_state(write(tmp_path / "job", YAML))
    broken = after(opened, workbench.TypeJobspec("tasks: [", "yaml"))
    edited = after(opened, workbench.EditShape("node=3/slot/core=4"))
    for state in (opened, broken, edited, workbench.start(demo(), "node")):
        assert saving.saved_text(state, form) == (workbench.job_text(state, form), ())
        assert saving.lost(state, form) == ()


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_the_deepest_shape_is_saved_as_what_is_opened_again(tmp_path: Path, form: Any) -> None:
    shape = "/".join(["node"] * (MAX_DEPTH - 1) + ["slot", "core"])
    state = workbench.start(demo(), shape)
    text, problems = saving.saved_text(state, form)
    assert not problems
    again = opened_state(write(tmp_path / "job", text))
    assert again.jobspec() == state.jobspec() is not None
    (problem,) = parse_shape(f"rack/{shape}").problems
    assert problem.message == f"more than {MAX_DEPTH} levels are nested here"


def test_an_example_is_opened_without_a_file() -> None:
    state = after(workbench.start(demo()), opening.edit_of(JOB))
    assert state.jobspec() == JOB
    assert state.job.path is None
    assert state.submission.queue == "batch"


# Requests in other words

SBATCH = """\
#!/bin/bash
#SBATCH --nodes=4 --ntasks-per-node=2
#SBATCH --time=30
OMP_NUM_THREADS=1
srun ./app
"""


@pytest.mark.parametrize(("text", "shape_text"), [
    (SBATCH, "node=4"),
    ("#!/bin/sh\n#PBS -l nodes=2:ppn=4\n./app\n", "node=2"),
    ("#!/bin/sh\n#flux: -N3\nVALUE: 5\n", "node=3"),
    ("flux submit -n4 -c2 app\n", "slot=4{task}/core=2"),
    ("$ srun -n 4 app", "slot=4/core"),
    ("#SBATCH -N 2\n", "node=2"),
])  # fmt: skip
@pytest.mark.parametrize("name", ["job", "job.sh", "job.yaml"])
def test_a_script_or_a_command_line(tmp_path: Path, text: str, shape_text: str, name: str) -> None:
    found, problems = opened(write(tmp_path / name, text))
    assert found.shape.startswith(shape_text)
    assert found.what
    assert (found.file, found.job.path) == (None, None)
    assert all(name in problem.message for problem in problems)
    again, _ = opening.open_jobspec(str(tmp_path / name))
    assert again == found


def test_what_a_script_loses_is_said_with_its_line(tmp_path: Path) -> None:
    text = SBATCH + "#SBATCH --no-such-option\n"
    _, problems = opened(
        write(tmp_path / "job.sh", text.replace("\nOMP", "\n#SBATCH --bogus\nOMP"))
    )
    assert any("job.sh, line 4" in problem.message for problem in problems)


def test_the_environment_of_a_command_line_is_that_of_the_workbench(tmp_path: Path) -> None:
    path = write(tmp_path / "job", "flux submit --env=MINE app\n")
    found, _ = opening.open_any(str(path), None, demo(), {"MINE": "1", "OTHER": "2"})
    assert isinstance(found, opening.OpenedJob)
    assert jobspec.system(found.jobspec.document)["environment"]["MINE"] == "1"


def test_a_document_with_such_a_comment_is_what_it_was(tmp_path: Path) -> None:
    for text in (
        "# $ srun -n4 app\n" + YAML,
        "# flux: -N4\n#SBATCH -N3\n" + YAML,
        "#SBATCH -N3\n" + YAML.replace("count: 4", "count: [4"),
    ):
        found, _ = opened(write(tmp_path / "job.yaml", text))
        assert found.file is not None
        assert not found.what
    path = write(tmp_path / "flux.toml", "# $ srun x\n[queues.a]\n")
    assert isinstance(opening.open_any(str(path), None, demo())[0], opening.OpenedConfig)
