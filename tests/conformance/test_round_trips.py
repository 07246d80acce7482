"""Recorded jobspecs through the workbench: opened, edited, saved, and the same documents."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from fluxtui import opening, workbench
from fluxtui.model.documents import document
from fluxtui.model.documents.document import dump
from fluxtui.model.jobspec import jobspec
from fluxtui.opening import saving
from fluxtui.workbench.job import Form
from tests.conformance.cases import Row, by_id, cases
from tests.each import for_each, the
from tests.opened import opened_state

ROWS = cases("jobspec_v1")

# What the program reads but no person typed: no jobspec at all, or nothing that JSON could hold.
OPEN = [
    row
    for row in ROWS
    if isinstance(row["jobspec"], dict)
    and any(key in row["jobspec"] for key in ("resources", "tasks", "attributes"))
]


def test_nearly_all_are_opened() -> None:
    assert len(OPEN) > 0.95 * len(ROWS)


def written(row: Row, form: Form, folder: Path) -> tuple[Path, str]:
    """The jobspec of a row in a file, and the text there."""
    text = (
        json.dumps(row["jobspec"], indent=3)
        if form == "json"
        else "# by hand\n" + dump(row["jobspec"])
    )
    path = folder / f"job.{form}"
    path.write_text(text, encoding="utf-8")
    return path, text


def exact(value: object) -> str:
    """A document so that 1, 1.0 and true differ; the order of keys is no part of it."""
    return json.dumps(value, sort_keys=True)


@for_each("row", OPEN, by_id)
def test_saved_in_the_other_form_it_is_the_same_document(row: Row, tmp_path: Path) -> None:
    path, _ = written(row, "json", tmp_path)
    state = opened_state(path)
    file, problems = saving.save_job(state, str(tmp_path / "other.yaml"), "yaml")
    assert problems == ()
    again = document.read(the(file).text)
    assert again.form == "yaml"
    assert exact(again.value) == exact(state.jobspec())
    assert exact(opened_state(tmp_path / "other.yaml").jobspec()) == exact(state.jobspec())


@pytest.mark.parametrize("form", ["yaml", "json"])
@for_each("row", OPEN, by_id)
def test_an_edit_changes_that_alone(row: Row, form: Form, tmp_path: Path) -> None:
    path, text = written(row, form, tmp_path)
    state = opened_state(path)
    shape = state.build.text
    if row["jobspec"].keys() == {"resources"} or not state.build.resources:
        pytest.skip("no shape to edit")
    changed = workbench.step(state, workbench.TypeShape(f"[{shape};gpu=7]"))
    file, _ = saving.save_job(changed, str(path), form)
    assert file is not None
    found = document.read(path.read_text(encoding="utf-8"), path.name).value
    assert exact(found) == exact(changed.jobspec())
    assert rest(found) == rest(row["jobspec"])
    history = workbench.History(state).do(workbench.TypeShape(f"[{shape};gpu=7]")).undo()
    file, _ = saving.save_job(history.state, str(path), form)
    assert path.read_text(encoding="utf-8") == text


def rest(found: Mapping[str, Any]) -> dict[str, Any]:
    """A jobspec but for its resources and the slots of its tasks, which follow them."""
    out = {key: value for key, value in found.items() if key != "resources"}
    if isinstance(out.get("tasks"), list):
        out["tasks"] = [
            {key: value for key, value in task.items() if key != "slot"}
            if isinstance(task, dict)
            else task
            for task in out["tasks"]
        ]
    return out


def test_the_texts_of_a_jobspec_are_its_own(tmp_path: Path) -> None:
    for row in OPEN:
        path, _ = written(row, "json", tmp_path)
        found, _ = opening.open_jobspec(str(path))
        assert found is not None
        system = jobspec.system(row["jobspec"])
        queue = system.get("queue")
        assert found.queue == (queue if isinstance(queue, str) else None)
        assert bool(found.requires) == bool(
            isinstance(system.get("constraints"), dict) and system["constraints"]
        )
