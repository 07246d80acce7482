"""Jobspecs into the workbench, and requests in other words."""

import json
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
from tests.each import for_each, the
from tests.model.jobspecs import job
from tests.opened import after, demo, opened_state

JOB = job("node=2/slot/core=4", queue="batch")
YAML = "# mine\n" + dump(JOB)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program runs in a folder of its own."""
    monkeypatch.chdir(tmp_path)


def write(path: str, content: object) -> Path:
    Path(path).write_text(content if isinstance(content, str) else json.dumps(content))
    return Path(path)


def opened(
    path: str, content: object, environ: dict[str, str] | None = None
) -> tuple[opening.OpenedJobspec, tuple[Problem, ...]]:
    """The jobspec of a file that is written first."""
    found, problems = opening.open_any(str(write(path, content)), None, demo(), environ)
    assert isinstance(found, opening.OpenedJob)
    return found.jobspec, problems


def test_to_resources_alone_the_rest_is_added() -> None:
    slot = "  - {type: slot, count: 2, label: a, with: [{type: core, count: 1}]}\n"
    text = f"# mine\nresources:\n{slot}"
    found, _ = opened("job.yaml", text)
    assert found.file is found.job.path is None  # saving does not write into this file unasked
    assert found.document["tasks"][0]["slot"] == "a"
    assert jobspec.check(found.document).v1
    saved, _ = saving.saved_text(opened_state(Path("job.yaml")), "yaml")
    assert saved.startswith(text.replace("mine\n", "mine\nversion: 1\n"))
    assert yaml.safe_load(saved) == found.document


def test_a_text_that_cannot_be_read_is_opened_to_be_mended() -> None:
    text = YAML.replace("count: 4", "count: [4")
    file = the(opened("job", text)[0].file)
    state = opened_state(Path("job"))
    assert not saving.differs(state, file)
    assert saving.save_job(state, "job", "yaml")[0] is not None
    assert Path("job").read_text() == text
    mended = after(state, workbench.TypeJobspec(YAML, "yaml"))
    assert mended.jobspec() == JOB
    assert saving.differs(mended, file)


def test_numbers_of_another_type_are_another_document() -> None:
    state = opened_state(write("job.yaml", YAML.replace("version: 1", "version: true")))
    file = the(saving.save_job(state, "job.yaml", "yaml")[0])
    assert not saving.differs(state, file)
    assert saving.differs(after(state, workbench.ReplaceJob(JOB)), file)


FORMS: tuple[Any, Any] = ("yaml", "json")


@for_each("form", FORMS)
def test_another_text_of_the_same_jobspec_is_a_change(form: Any) -> None:
    text = YAML if form == "yaml" else json.dumps(JOB)
    file = the(opened("job", text)[0].file)
    state = opened_state(Path("job"))
    assert not saving.differs(state, file)
    more = after(state, workbench.TypeJobspec(f"{text}\n", form))
    assert more.jobspec() == state.jobspec()
    assert saving.differs(more, file)
    assert not saving.differs(after(more, workbench.TypeJobspec(text, form)), file)


@for_each("form", FORMS)
def test_saved_is_what_is_shown_and_opened_again(form: Any) -> None:
    first = opened_state(write("job", YAML))
    deepest = "/".join(["node"] * (MAX_DEPTH - 1) + ["slot", "core"])
    for state in (
        *(first, workbench.start(demo(), "node"), workbench.start(demo(), deepest)),
        after(first, workbench.TypeJobspec("tasks: [", "yaml")),
        after(first, workbench.EditShape("node=3/slot/core=4")),
    ):
        text, problems = saving.saved_text(state, form)
        assert (text, problems, saving.lost(state, form)) == (
            *(workbench.job_text(state, form), (), ()),
        )
        if state.job.raw is None:
            assert opened_state(write("job", text)).jobspec() == state.jobspec()
    (problem,) = parse_shape(f"rack/{deepest}").problems
    assert problem.message == f"more than {MAX_DEPTH} levels are nested here"


def test_an_example_is_opened_without_a_file() -> None:
    state = after(workbench.start(demo()), opening.edit_of(JOB))
    assert state.jobspec() == JOB
    assert state.job.path is None
    assert state.submission.queue == "batch"


def test_the_environment_of_a_command_line_is_that_of_the_workbench() -> None:
    found, _ = opened("job", "flux submit --env=MINE app\n", {"MINE": "1", "OTHER": "2"})
    assert jobspec.system(found.document)["environment"]["MINE"] == "1"
