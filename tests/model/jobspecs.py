"""Jobspecs of a line, the examples of RFC 25 and RFC 14, and how tests change one."""

import copy
import functools
import json
import pathlib
from typing import Any, Literal

import jsonschema
from hypothesis import strategies as st

from fluxtui.model.jobspec import jobspec
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import to_resources
from tests.json_values import SCALARS, values


def resources_of(text: str) -> list[dict[str, Any]]:
    """The resources list of a shape (RFC 46)."""
    return to_resources(parse_shape(text))


def job(text: str, *command: str, **system: Any) -> dict[str, Any]:
    """The jobspec of a shape, with more system attributes."""
    document = jobspec.build(resources_of(text), command or ("app",))
    document["attributes"]["system"].update(system)
    return document


SYSTEM = {"duration": 3600.0, "cwd": "/home/flux", "environment": {"HOME": "/home/flux"}}


def document(text: str, *tasks: tuple[str, str, Any], version: int = 1, **system: Any) -> Any:
    """A jobspec with the resources of a shape, and tasks of command, slot and count."""
    return {
        "version": version,
        "resources": resources_of(text),
        "tasks": [
            {"command": command.split(), "slot": slot, "count": count}
            for command, slot, count in tasks
        ],
        "attributes": {"system": {**SYSTEM, **system}},
    }


ONE = {"per_slot": 1}

# The examples and use cases of RFC 25, and of RFC 14 where RFC 25 refuses them.
RFC25 = {
    "example": document("node=4/slot/core=2", ("app", "default", ONE)),
    "1.1": document("node=4/slot/core", ("flux start", "default", ONE)),
    "2.1": document("node=4/slot{myslot}/core", ("hostname", "myslot", {"total": 5})),
    "2.2": document("slot=10/core=2", ("myapp", "default", ONE)),
    "2.3": document("slot=10/[core=2;gpu]", ("myapp", "default", ONE)),
    "2.4": document("node=4/slot=4/[core;gpu]", ("myapp", "default", ONE)),
}
RFC14 = {
    "1.1": document("slot=4/node", ("flux start", "default", ONE), version=999),
    "1.2": document("slot=3-30/node", ("flux start", "default", ONE), version=999),
    "1.5": document(
        "[cluster/slot=2{ib}/node/[memory=4{unit:GB};ib10g];switch/slot=2{bicore}/node/core=2]",
        ("flux start", "ib", ONE),
        ("flux start", "bicore", ONE),
        version=999,
    ),
    "1.6": document("cluster=2/slot/node=1+{-x}/core=30", ("app", "default", ONE), version=999),
    "1.8": document("slot=4,9,16,25/node", ("flux start", "default", ONE), version=999),
    "2.4": document(
        "node/[slot=10{read-db}/[core;memory=4{unit:GB}];slot{db}/[core=6;memory=24{unit:GB}]]",
        ("read-db", "read-db", ONE),
        ("db", "db", ONE),
        version=999,
    ),
    "2.6": document(
        "slot=2{4GB-node}/node/memory=4+{unit:GB}",
        ("app", "4GB-node", {"per_resource": {"type": "node", "count": 5}}),
        version=999,
    ),
    "2.8": document(
        "slot/node",
        ("flux start", "default", ONE),
        version=999,
        dependencies=[{"type": "in", "scope": "user", "scheme": "string", "value": "foo"}],
    ),
    "2.9": document(
        "slot/node",
        ("flux start", "default", ONE),
        version=999,
        constraints={"properties": ["amd-mi50"]},
    ),
}


BASE = RFC25["2.4"]

#: Any value of JSON, and numbers that it does not have.
JSON = values(SCALARS | st.floats(), leaves=20)


def changed(path: str, value: Any, document: Any = BASE) -> Any:
    """A jobspec, the base, with a value put at a path; ``...`` takes it away."""
    job = copy.deepcopy(document)
    *steps, last = [int(s) if s.isdigit() else s for s in path.split("/")]
    place = job
    for step in steps:
        place = place[step]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return job


def fits_schema(document: object, which: Literal["canonical", "v1"] = "canonical") -> bool:
    """Whether a jobspec fits the JSON Schema of RFC 14 (``canonical``) or RFC 25 (``v1``)."""
    return bool(_schema(which).is_valid(document))


@functools.cache
def _schema(which: str) -> Any:
    name = "jobspec.json" if which == "canonical" else "jobspec_v1.json"
    text = pathlib.Path(__file__).with_name("schemas").joinpath(name).read_text(encoding="utf-8")
    return jsonschema.Draft7Validator(json.loads(text))
