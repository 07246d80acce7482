"""What holds for recorded jobspecs (RFC 14, RFC 25) and answers on room beside their verdicts."""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from fluxtui import opening, workbench
from fluxtui.answers.feasibility import sched_simple as simple
from fluxtui.model.documents import document
from fluxtui.model.documents.document import dump
from fluxtui.model.form import fields
from fluxtui.model.form.field import Context
from fluxtui.model.form.fields import FIELDS
from fluxtui.model.jobspec import jobspec, verdicts
from fluxtui.model.jobspec.jobspec import MISSING
from fluxtui.opening import saving
from fluxtui.workbench.job import Form
from tests.cli.transcripts import run
from tests.conformance.cases import FOLDER, Row, by_id, cases, cluster
from tests.conformance.corpora import fluxion_on
from tests.conformance.reasons import REASONS, submit_reason
from tests.each import for_each, the
from tests.model.jobspecs import fits_schema
from tests.opened import opened_state

ROWS = cases("jobspec_v1")

# Where we read the prose of RFC 25 and its schema does not say the same.
PROSE = (
    "is required", "is a string", "is a number >= 0", "is a dictionary", "is an absolute path",
    "attributes SHALL be a dictionary", "command SHALL be a list", "dependencies is a list",
    "environment maps names", "job values must be strings", "slot children must be core",
    "slot vertex SHALL NOT contain exclusive", "tasks MUST define exactly one task",
)  # fmt: skip


@for_each("row", ROWS, by_id)
def test_our_v1_schema_agrees_with_that_of_the_rfc(row: dict[str, Any]) -> None:
    ours = fits_schema(row["jobspec"], "v1")
    if ours != row["schema"]["ok"]:
        if ours:
            assert row["prose"]["ok"]
        else:
            assert any(part in why for why in row["prose"]["why"] for part in PROSE)


# What flux-core says of the recorded jobspecs that it refused, beside what is said here

REFUSED = [row for row in ROWS if not row["submit"]["ok"] and not submit_reason(row)]

_VERTEX = r"resources\[0\](\.with\[\d\])*"

#: flux-core's words -> the path of the cause; where the words name a key, it stands in its group.
CAUSES = (
    (r"^Missing key \((value)\)", r".*\.dependencies\[0\]\.value"),
    (r"Missing key \((\w+)\)", r"(tasks\[0\])?"),
    (r"Extraneous key \((\w+)\)", r"(attributes\.)?\w+"),
    (r"^version", "version"),
    (r"^(resources|tasks|attributes) must be", r"\1"),
    (r"(type|count) is a required key|slots must have (label)s", _VERTEX),
    (r"^(type|id|unit|label|exclusive) must be", rf"{_VERTEX}\.\1"),
    (r"'(int|NoneType)' object is not iterable", rf"{_VERTEX}\.with"),
    (r"^resource must be", _VERTEX),
    (r"^task must be", r"tasks\[0\]"),
    (r"^command|has no len", r"tasks\[0\]\.command(\[0\])?"),
    (r"^slot must be", r"tasks\[0\]\.slot"),
    (r"^count (per_slot|total) must", r"tasks\[0\]\.count\.\1"),
    (r"^count (must have|per_slot, |per_slot or|must be a mapping)", r"tasks\[0\]\.count"),
    (r"count|^(min|max|operator|operand) ", rf"{_VERTEX}\.count"),
    (r"system\.(duration) is a required", r"attributes\.system"),
    (r"^attributes\.(system\.\w+|system) must", r"attributes\.\1"),
    (r"^dependency (value)", r"attributes\.system\.dependencies\[0\]\.value"),
    (r"^constraints must", r"attributes\.system\.constraints"),
    (r"^invalid character in property", r"attributes\.system\.constraints\.properties\[0\]"),
    (r"^Invalid argument", r"attributes\.system\.queue"),
    (r"^Unrecoverable", r"attributes\.system\.dependencies(\[0\])?"),
    (r"^jobspec: invalid JSON", ""),
)


@for_each("row", REFUSED, by_id)
def test_the_first_cause_is_the_one_that_flux_core_names(row: dict[str, Any]) -> None:
    said = re.sub(r"^\[Errno \d+\] ", "", row["submit"]["error"])
    pattern, path = next(cause for cause in CAUSES if re.search(cause[0], said))
    words = re.search(pattern, said)
    assert words
    first = verdicts.check_submission(row["jobspec"])[0]
    named = next((group for group in words.groups() if group), "")
    assert re.fullmatch(path.replace(r"\1", re.escape(named)), first.path or ""), first
    if said.startswith("Missing key"):
        assert named in first.expected or (first.path or "").endswith(named)
    if said.startswith("Extraneous key"):
        assert (first.path or "").endswith(named)


@pytest.mark.parametrize(
    ("corpus", "reads"), [("idset", verdicts.reads_ids), ("hostlist", verdicts.reads_hosts)]
)
def test_reads_lists_as_flux_core_reads_them(corpus: str, reads: Callable[[str], bool]) -> None:
    assert {row["in"] for row in cases(corpus) if reads(row["in"]) != row["ok"]} == set()


def test_an_id_in_words_is_looked_at_by_its_form_alone() -> None:
    scheme, value = (REASONS["submit-words"].beside or ("", "", ""))[0].split(": ")
    job = next(row["jobspec"] for row in ROWS if row["submit"]["ok"])
    wanted = [{"scheme": scheme, "value": value}]
    assert not verdicts.check_submission(jobspec.with_system(job, "dependencies", wanted))


# The fields of a form on recorded jobspecs

DICTIONARIES = [row for row in ROWS if isinstance(row["jobspec"], dict)]


@for_each("row", DICTIONARIES, by_id)
def test_every_problem_of_the_program_has_a_field(row: dict[str, Any]) -> None:
    job = row["jobspec"]
    for problem in jobspec.check(job).problems:
        path = problem.path or ""
        if not path.startswith(("tasks[0]", "attributes.system")):
            continue
        if path.endswith("slot") and not isinstance(job.get("resources"), list):
            continue  # a slot is not judged before there are resources
        near = [field for field in FIELDS if path.startswith(field.path)]
        if not near:  # of a part that holds others, such as the attributes
            assert path in ("tasks[0]", "attributes.system"), path
            continue
        field = max(near, key=lambda field: len(field.path))
        if field.get(job) is not MISSING:
            text = fields.text(field, job)
            found = fields.problems(field, text, job, Context(document=job))
            assert any(p.severity == "error" for p in found), (field.name, path)


# Recorded jobspecs through the workbench: opened, edited, saved, and the same documents

# What the program reads but no person typed: no jobspec at all, or nothing that JSON could hold.
OPEN = [
    row
    for row in DICTIONARIES
    if any(key in row["jobspec"] for key in ("resources", "tasks", "attributes"))
]


def written(row: Row, form: Form, folder: Path) -> tuple[Path, str]:
    """The jobspec of a row in a file, and the text there."""
    job = row["jobspec"]
    text = json.dumps(job, indent=3) if form == "json" else "# by hand\n" + dump(job)
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
    if row["jobspec"].keys() == {"resources"} or not state.build.resources:
        pytest.skip("no shape to edit")
    edit = workbench.TypeShape(f"[{state.build.text};gpu=7]")
    changed = workbench.History(state).do(edit)
    assert saving.save_job(changed.state, str(path), form)[0] is not None
    found = document.read(path.read_text(encoding="utf-8"), path.name).value
    assert exact(found) == exact(changed.state.jobspec())
    assert rest(found) == rest(row["jobspec"])
    saving.save_job(changed.undo().state, str(path), form)
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
        found = the(opening.open_jobspec(str(written(row, "json", tmp_path)[0]))[0])
        system = jobspec.system(row["jobspec"])
        queue, constraints = system.get("queue"), system.get("constraints")
        assert found.queue == (queue if isinstance(queue, str) else None)
        assert bool(found.requires) == (isinstance(constraints, dict) and bool(constraints))


# Room: what is said of it, and the verb that says it

FITS = cases("fit")


@for_each("row", cases("fit_graph"), by_id)
def test_says_what_is_missing_or_where_it_is(row: Row) -> None:
    found = fluxion_on(row, row.get("constraints"))
    if not found.feasible:
        assert found.reasons
        assert found.words
        assert all(reason.message and reason.path for reason in found.reasons)
    elif found.placement is None:
        assert any(reason.severity == "warning" for reason in found.reasons)
    else:
        assert found.placement.rows
    if "allocate" in row and not {"multi_slot", "empty_or"} & {*row["quirks"]}:
        assert (found.placement is not None) is row["allocate"]


@for_each("row", FITS, by_id)
def test_the_verdict_of_sched_simple_alone_is_the_same(row: Row) -> None:
    whole = simple.check_strictly(row["jobspec"], cluster(row["R"]))
    alone = simple.check_strictly(row["jobspec"], cluster(row["R"]), with_placement=False)
    assert (alone.feasible, alone.reasons) == (whole.feasible, whole.reasons)
    assert alone.placement is alone.nearest is None


@pytest.mark.parametrize("name", sorted({row["R"] for row in FITS}))
def test_the_verb_answers_each_line_as_it_is_recorded(name: str) -> None:
    rows = [row for row in FITS if row["R"] == name]
    lines = [json.dumps({"jobspec": row["jobspec"]}) + "\n" for row in rows]
    _, out, err = run(["fit", "-r", str(Path(FOLDER, "rsets", name)), "-"], "".join(lines))
    assert not err
    for row, line in zip(rows, out.splitlines(), strict=True):
        answer = json.loads(line)
        of_simple = answer["schedulers"]["sched-simple"]
        assert of_simple["feasible"] == row["feasible"], row["id"]
        assert answer["feasible"] == row.get("strict", row)["feasible"], row["id"]
        assert row.get("error") in (*of_simple["reasons"], None), row["id"]
        assert (answer["placement"] is not None) == answer["feasible"]
