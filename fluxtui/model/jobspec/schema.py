"""Jobspecs against JSON Schemas for RFC 14 and RFC 25, which ship in ``schemas``."""

import functools
import json
from importlib import resources
from typing import Any, Literal

from fluxtui.notation.problem import Problem, at

_FILES = {"canonical": "jobspec.json", "v1": "jobspec_v1.json"}
_RULES = {"canonical": "RFC 14", "v1": "RFC 25"}

# What a keyword of JSON Schema means to a person, when a value fails it.
_WORDS = {
    "required": "a key is missing",
    "additionalProperties": "a key is not allowed",
    "type": "the value is of another kind",
    "const": "the value is another",
    "enum": "the value is another",
    "minimum": "the number is too small",
    "minItems": "the list is too short",
    "maxItems": "the list is too long",
    "minProperties": "the dictionary needs a key",
    "maxProperties": "the dictionary has too many keys",
    "pattern": "the text is of another form",
    "contains": "the list misses what it must hold",
}


def problems(jobspec: object, which: Literal["canonical", "v1"]) -> tuple[Problem, ...]:
    """Where the document does not fit the schema, in our words, by path."""
    rule = _RULES[which]
    try:
        errors = sorted(
            _validator(which).iter_errors(jobspec), key=lambda e: list(map(str, e.path))
        )
    except RecursionError:
        return (Problem("the document is nested too deeply for its schema", rule=rule),)
    return tuple(
        Problem(
            f"{_WORDS.get(str(error.validator), 'the value does not fit the schema')} here",
            path=at("", *error.absolute_path) or None,
            rule=rule,
        )
        for error in errors
    )


@functools.cache
def _validator(which: str) -> Any:
    """The validator of a schema; jsonschema takes a while to load, so only on demand."""
    import jsonschema

    return jsonschema.Draft7Validator(schema(which))


def schema(which: str) -> dict[str, Any]:
    """The JSON Schema (draft 7) for ``canonical`` (RFC 14) or ``v1`` (RFC 25)."""
    file = resources.files("fluxtui.model.jobspec").joinpath("schemas", _FILES[which])
    loaded: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return loaded
