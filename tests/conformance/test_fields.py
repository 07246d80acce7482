"""The fields of a form on recorded jobspecs: what they show, and that they keep what they show."""

import copy
from typing import Any

from fluxtui.model.form import fields
from fluxtui.model.form.field import MISSING, Context
from fluxtui.model.form.fields import FIELDS
from fluxtui.model.jobspec import jobspec
from tests.conformance.cases import by_id, cases
from tests.each import for_each

ROWS = [row for row in cases("jobspec_v1") if isinstance(row["jobspec"], dict)]


@for_each("row", ROWS, by_id)
def test_a_text_says_what_the_document_says(row: dict[str, Any]) -> None:
    document = row["jobspec"]
    before = copy.deepcopy(document)
    for field in FIELDS:
        value = field.get(document)
        text = fields.text(field, document)
        assert field.put(document, value) is document
        found = fields.problems(field, text, document, Context(document=document))
        try:
            field.write(value)
        except ValueError:
            assert any(problem.severity == "error" for problem in found), (field.name, text)
            continue
        read = field.read(text, Context(document=document))
        if value is not MISSING:
            assert read.value == value, (field.name, text)
            again = field.put(document, read.value)
            assert again == document
    assert document == before


@for_each("row", ROWS, by_id)
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
