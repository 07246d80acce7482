"""RFC 25's own JSON Schema, read from the specification beside the corpora."""

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from fluxtui.model.jobspec import jobspec
from tests.conformance.cases import FOLDER, by_id, cases
from tests.each import for_each

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
