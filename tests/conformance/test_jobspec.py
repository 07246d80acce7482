"""What holds for recorded jobspecs beside their verdicts (RFC 14, RFC 25)."""

import json
import os
import re
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from fluxtui.model.form import fields
from fluxtui.model.form.field import Context
from fluxtui.model.form.fields import FIELDS
from fluxtui.model.jobspec import jobspec, verdicts
from fluxtui.model.jobspec.jobspec import MISSING
from tests.conformance.cases import FOLDER, by_id, cases
from tests.conformance.reasons import REASONS, submit_reason
from tests.each import for_each
from tests.model.jobspecs import fits_schema

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

REFUSED = [row for row in cases("jobspec_v1") if not row["submit"]["ok"] and not submit_reason(row)]

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


@for_each("row", cases("idset"), by_id)
def test_reads_ranks_as_flux_core_reads_them(row: dict[str, Any]) -> None:
    assert verdicts.reads_ids(row["in"]) == row["ok"]


@for_each("row", cases("hostlist"), by_id)
def test_reads_hosts_as_flux_core_reads_them(row: dict[str, Any]) -> None:
    assert verdicts.reads_hosts(row["in"]) == row["ok"]


def test_an_id_in_words_is_looked_at_by_its_form_alone() -> None:
    scheme, value = (REASONS["submit-words"].beside or ("", "", ""))[0].split(": ")
    document = next(row["jobspec"] for row in cases("jobspec_v1") if row["submit"]["ok"])
    wanted = [{"scheme": scheme, "value": value}]
    assert not verdicts.check_submission(jobspec.with_system(document, "dependencies", wanted))


# RFC 25's own JSON Schema, read from the specification beside the corpora

SPECIFICATION = (
    Path(os.environ.get("FLUXTUI_SEEDS", FOLDER.parent / "seeds")) / "rfc25-jobspec-v1.txt"
)


@cache
def schema() -> dict[str, Any]:
    """The schema as it stands in the text of RFC 25."""
    if not SPECIFICATION.is_file():
        pytest.skip(f"no specification at {SPECIFICATION}")
    text = SPECIFICATION.read_text(encoding="utf-8")
    found, _ = json.JSONDecoder().raw_decode(text, text.index('{\n  "$schema"'))
    assert isinstance(found, dict)
    return found


def as_the_schema_has_it(vertex: Any) -> Any:
    """A vertex without what RFC 25's prose allows and its schema does not: see model.jobspec."""
    if not isinstance(vertex, dict):
        return vertex
    beyond = {"node": {"exclusive", "label"}, "slot": set()}.get(vertex.get("type"), {"label"})
    kept = {key: value for key, value in vertex.items() if key not in beyond}
    if isinstance(kept.get("with"), list):
        kept["with"] = [as_the_schema_has_it(child) for child in kept["with"]]
    return kept


@for_each("case", cases("jobspec_v1"), by_id)
def test_what_we_call_v1_the_schema_takes(case: dict[str, Any]) -> None:
    document = case["jobspec"]
    if not jobspec.check(document).v1:
        return
    resources = [as_the_schema_has_it(vertex) for vertex in document["resources"]]
    refused = list(
        jsonschema.Draft7Validator(schema()).iter_errors({**document, "resources": resources})
    )
    assert not refused, refused[0].message


# The fields of a form on recorded jobspecs

DICTIONARIES = [row for row in cases("jobspec_v1") if isinstance(row["jobspec"], dict)]


@for_each("row", DICTIONARIES, by_id)
def test_every_problem_of_the_program_has_a_field(row: dict[str, Any]) -> None:
    document = row["jobspec"]
    for problem in jobspec.check(document).problems:
        path = problem.path or ""
        if not path.startswith(("tasks[0]", "attributes.system")):
            continue
        if path.endswith("slot") and not isinstance(document.get("resources"), list):
            continue  # a slot is not judged before there are resources
        near = [field for field in FIELDS if path.startswith(field.path)]
        if not near:  # of a part that holds others, such as the attributes
            assert path in ("tasks[0]", "attributes.system"), path
            continue
        field = max(near, key=lambda field: len(field.path))
        if field.get(document) is not MISSING:
            text = fields.text(field, document)
            found = fields.problems(field, text, document, Context(document=document))
            assert any(p.severity == "error" for p in found), (field.name, path)
