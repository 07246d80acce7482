"""A script goes with the job as flux batch has it, and leaves it as it was."""

import copy
from typing import Any

from fluxtui.model.form import fields
from fluxtui.model.form.field import Context
from fluxtui.model.jobspec import jobspec
from fluxtui.model.jobspec.jobspec import MISSING
from tests.each import for_each
from tests.model.jobspecs import job

SCRIPT = fields.by_name("script")
TEXT = "#!/bin/sh\nflux run app\n"
PLAIN = job("slot=2/core", duration=60.0)
BATCH = SCRIPT.put(PLAIN, TEXT)

# What `flux batch --dry-run` of flux-core 0.88 prints of the same, beyond what was there before.
COMMAND = ["flux", "broker", "{{tmpdir}}/script"]
OPTIONS = {
    "output": {"stdout": {"type": "file", "path": "flux-{{id}}.out"}},
    "per-resource": {"type": "node"},
    "mpi": "none",
    "exit-timeout": "none",
}
FILES = {"script": {"mode": 33216, "data": TEXT, "encoding": "utf-8"}}


def system(document: dict[str, Any]) -> dict[str, Any]:
    return dict(document["attributes"]["system"])


def with_system(**attributes: Any) -> dict[str, Any]:
    """The plain job with further system attributes."""
    return {**PLAIN, "attributes": {"system": {"duration": 60.0, **attributes}}}


def test_a_script_is_stored_as_flux_batch_stores_it_and_goes_without_a_trace() -> None:
    assert BATCH["tasks"] == [{"command": COMMAND, "slot": "default", "count": {"per_slot": 1}}]
    assert system(BATCH) == {"duration": 60.0, "shell": {"options": OPTIONS}, "files": FILES}
    assert SCRIPT.get(BATCH) == fields.text(SCRIPT, BATCH) == TEXT
    assert jobspec.check(BATCH).v1
    assert SCRIPT.put(BATCH, MISSING) == PLAIN
    assert PLAIN["tasks"][0]["command"] == ["app"]


def test_what_was_set_before_stays() -> None:
    options = {"mpi": "spectrum", "verbose": 1}
    batch = SCRIPT.put(fields.by_name("shell-options").put(PLAIN, options), TEXT)
    assert system(batch)["shell"]["options"] == {**OPTIONS, **options}
    assert system(SCRIPT.put(batch, MISSING))["shell"]["options"] == options
    others = fields.by_name("system").put(BATCH, {"files": {"conf.json": {"mode": 1}}})
    assert set(system(others)["files"]) == {"script", "conf.json"}
    assert system(SCRIPT.put(others, MISSING))["files"] == {"conf.json": {"mode": 1}}


def test_another_text_changes_nothing_else() -> None:
    document = copy.deepcopy(BATCH)
    document["tasks"][0]["command"] = ["flux", "broker", "-v", "{{tmpdir}}/script", "x"]
    document["attributes"]["system"]["files"]["script"].update(mode=33261, size=5)
    document["attributes"]["system"]["shell"]["options"] = {"verbose": 2}
    after = SCRIPT.put(document, "#!/bin/sh\né\n")
    script = {"mode": 33261, "data": "#!/bin/sh\né\n", "encoding": "utf-8", "size": 13}
    document["attributes"]["system"]["files"]["script"] = script
    assert after == document


def test_a_command_of_ones_own_stays_when_the_script_goes() -> None:
    document = fields.by_name("command").put(BATCH, ["mine"])
    (problem,) = fields.problems(SCRIPT, TEXT, document, Context())
    wanted = "the command does not run the script; it would as flux broker '{{tmpdir}}/script'"
    assert problem.message == wanted
    assert SCRIPT.put(document, MISSING)["tasks"][0]["command"] == ["mine"]


def test_the_script_of_an_older_flux() -> None:
    document = with_system(batch={"script": TEXT, "broker-opts": ["-v"]})
    assert SCRIPT.get(document) == TEXT
    assert fields.by_name("system").get(document) == {"batch": {"broker-opts": ["-v"]}}
    other = {"script": "#!/bin/bash\n", "broker-opts": ["-v"]}
    assert SCRIPT.put(document, "#!/bin/bash\n") == with_system(batch=other)
    assert SCRIPT.put(document, MISSING) == with_system(batch={"broker-opts": ["-v"]})


@for_each("entry, text", [
    ({"mode": 33216, "data": "aGk=", "encoding": "base64"},
     '{"mode":33216,"data":"aGk=","encoding":"base64"}'),
    ({"mode": 33216, "data": {"a": 1}}, '{"mode":33216,"data":{"a":1}}'), (5, "5"),
])  # fmt: skip
def test_what_is_no_text_is_shown_as_it_is(entry: Any, text: Any) -> None:
    document = with_system(files={"script": entry})
    assert fields.text(SCRIPT, document) == text
    (problem,) = fields.problems(SCRIPT, text, document, Context())
    assert problem.message.startswith("this is not allowed here; found ")
    assert SCRIPT.put(document, SCRIPT.get(document)) is document
