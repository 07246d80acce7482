"""What holds for every field: a text and a part of the document say the same; and of scripts."""

import copy
import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.model.form import fields
from fluxtui.model.form.field import Context, Field
from fluxtui.model.form.fields import FIELDS
from fluxtui.model.form.settings import OWNED
from fluxtui.model.jobspec import jobspec
from fluxtui.model.jobspec.jobspec import MISSING
from tests.each import for_each
from tests.model.form.answers import PATH, ROUND, answer
from tests.model.jobspecs import BASE, RFC14, job
from tests.pace import seconds
from tests.recorded import Agree, rerun

STRINGS = st.text(max_size=8) | st.sampled_from(
    ["", " ", '"', '"x"', "a b", "$HOME", "l\n", "\x1b[1m", "-A", "1", "{}", "["]
)
NUMBERS = st.integers(0, 10**12) | st.floats(0, 1e300) | st.integers(0, 10**400)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | FLOATS | STRINGS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(STRINGS, inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(STRINGS, JSON, max_size=4)
CONSTRAINTS = st.recursive(
    st.sampled_from(
        [{"properties": ["gpu", "^ssd"]}, {"hostlist": ["n[1-3]"]}, {"ranks": ["0-3"]}, {}]
    ),
    lambda inner: st.dictionaries(
        st.sampled_from(["and", "or", "not"]), st.lists(inner, max_size=3), min_size=1, max_size=1
    ),
    max_leaves=6,
)
DEPENDENCIES = st.builds(
    lambda scheme, value, more: {**more, "scheme": scheme, "value": value},
    STRINGS | st.sampled_from(["afterok", "singleton", "string"]),
    STRINGS,
    st.dictionaries(STRINGS, JSON),
)
COUNTS = st.dictionaries(
    st.sampled_from(["per_slot", "total"]), st.integers(1), min_size=1, max_size=1
) | st.builds(
    lambda kind, number, more: {"per_resource": {"type": kind, "count": number, **more}},
    STRINGS | st.sampled_from(["core", "slot"]),
    st.integers(1),
    st.dictionaries(st.just("x"), JSON),
)
ENVIRONMENTS = st.dictionaries(STRINGS, st.none() | STRINGS, max_size=4)

#: Every legal value of each field; of those that are not here any string.
LEGAL: dict[str, st.SearchStrategy[Any]] = {
    "command": st.lists(STRINGS, min_size=1, max_size=4),
    "script": STRINGS.filter(str.strip),
    "tasks": COUNTS,
    "duration": NUMBERS,
    "preemptible-after": NUMBERS,
    "dependencies": st.lists(DEPENDENCIES, max_size=3),
    "constraints": CONSTRAINTS,
    "cwd": STRINGS.map(lambda text: f"/{text}"),
    "environment": ENVIRONMENTS,
    "shell-options": OBJECTS,
    "task-attributes": OBJECTS
    | st.builds(lambda more, names: {**more, "environment": names}, OBJECTS, ENVIRONMENTS),
    "system": OBJECTS.filter(lambda value: not {keys[0] for keys in OWNED} & value.keys()),
    "user": OBJECTS,
}

CONTEXT = Context(environ={"HOME": "/home/me", "A": "x"}, cwd="/home/me/run", document=BASE)
BEFORE = copy.deepcopy(BASE)
ODD = [float("inf"), float("nan"), {1: 2}, b"", 10**5000]
EACH_FIELD = pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)


def same(one: Any, other: Any) -> bool:
    """Equal with their types, whatever the order of keys; 3600 and 3600.0 seconds are the same."""
    if isinstance(one, float) and type(other) is int:
        return one == other
    if one is MISSING or other is MISSING:
        return one is other
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def test_every_field_is_whole() -> None:
    assert LEGAL.keys() <= {field.name for field in FIELDS}
    assert len({field.path for field in FIELDS}) == len({field.name for field in FIELDS}) == 19
    groups = [field.group for field in FIELDS]
    assert list(dict.fromkeys(groups)) == ["Task", "Limits", "Where", "Environment", "Extras"]
    assert groups == sorted(groups, key=list(dict.fromkeys(groups)).index)
    for field in FIELDS:
        assert fields.by_name(field.name) is field
        assert 0 < len(field.label) <= 14
        assert field.help.endswith(".")
        assert field.hint


@EACH_FIELD
@given(data=st.data())
def test_a_legal_value_has_a_text(field: Field, data: st.DataObject) -> None:
    value = data.draw(LEGAL.get(field.name, STRINGS))
    try:
        text = field.write(value)
    except ValueError:
        assert field.name in ("duration", "preemptible-after")  # no float is 10**400
        assert not isinstance(value, float)
        return
    assert same(field.read(text, CONTEXT).value, value)
    assert field.multiline or text.isprintable()
    assert isinstance(field.describe(value), str)
    document = field.put(BASE, value)
    assert same(field.get(document), value if value or field.name != "system" else MISSING)
    assert fields.text(field, document) == (text if value or field.name != "system" else "")
    # What is not touched stays the same object, and the document before as it was.
    assert BASE == BEFORE
    assert document["resources"] is BASE["resources"]
    for path, held in _leaves(BASE).items():
        # A script changes the command too, and other system attributes are among the others.
        changes = path == "tasks[0].command" if field.name == "script" else field.name == "system"
        assert changes or field.path.startswith(path) or _leaves(document)[path] is held


@EACH_FIELD
@given(value=JSON | st.sampled_from(ODD))
def test_any_value_is_shown(field: Field, value: Any) -> None:
    document = field.put(BASE, value)
    text = fields.text(field, document)
    assert field.multiline or text.isprintable()
    assert isinstance(field.describe(value, CONTEXT), str)
    for problem in fields.problems(field, text, document, CONTEXT):
        assert problem.message
        assert problem.span is not None
    held = field.get(document)
    assert field.put(document, held) is document


@EACH_FIELD
@given(
    text=st.text(max_size=12) | st.text(st.sampled_from(list("=[]{}\"'$-:?. a1\n\x00")), max_size=9)
)
def test_any_text_is_read(field: Field, text: str) -> None:
    read = field.read(text, CONTEXT)
    for problem in fields.problems(field, text, BASE, CONTEXT):
        assert problem.span is not None
        assert 0 <= problem.span.start <= problem.span.end <= len(text)
        assert problem.path
        assert not problem.message.endswith(".")
    if read.ok:
        field.write(read.value)
    for offer in field.complete(text, len(text), CONTEXT):
        assert offer.description
        assert 0 <= offer.span.start <= offer.span.end <= len(text)


@for_each("document", [{}, {"tasks": 5, "attributes": []}, {"tasks": []}, *RFC14.values()])
def test_a_document_stays_as_it_is(document: dict[str, Any]) -> None:
    before = copy.deepcopy(document)
    for field in FIELDS:
        assert field.put(document, field.get(document)) is document
        fields.problems(field, fields.text(field, document), document, CONTEXT)
    assert document == before


def _leaves(document: Mapping[str, Any]) -> dict[str, Any]:
    task, system = document["tasks"][0], document["attributes"]["system"]
    found = {f"tasks[0].{key}": value for key, value in task.items()}
    return found | {f"attributes.system.{key}": value for key, value in system.items()}


def test_a_document_is_made_in_the_order_of_the_rfc() -> None:
    document: dict[str, Any] = {}
    for name, value in (
        ("job-name", "x"), ("user", {"a": 1}), ("tasks", {"per_slot": 1}), ("environment", {}),
        ("command", ["app"]), ("duration", 60.0), ("slot", "default"), ("cwd", "/x"),
    ):  # fmt: skip
        document = fields.by_name(name).put(document, value)
    system = {"duration": 60.0, "cwd": "/x", "environment": {}, "job": {"name": "x"}}
    task = {"command": ["app"], "slot": "default", "count": {"per_slot": 1}}
    made = {"tasks": [task], "attributes": {"system": system, "user": {"a": 1}}}
    assert json.dumps(document) == json.dumps(made)


@for_each("name, before, after", [
    ("job-name", {"job": {"name": "x"}}, {}),
    ("job-name", {"job": {"name": "x", "note": "y"}}, {"job": {"note": "y"}}),
    ("job-name", {"job": {}}, {"job": {}}),
    ("shell-options", {"shell": {"options": {"a": 1}}}, {}), ("queue", {"queue": "x"}, {}),
    ("duration", {"duration": 1.0}, {}),
    ("system", {"duration": 1.0, "a": 1, "job": {"name": "x", "b": "y"}},
     {"duration": 1.0, "job": {"name": "x"}}),
])  # fmt: skip
def test_what_is_taken_away(name: Any, before: Any, after: Any) -> None:
    document = {"attributes": {"system": before}}
    made = fields.by_name(name).put(document, MISSING)
    assert made == {"attributes": {"system": after}}


def test_all_fields_are_shown_in_a_millisecond() -> None:
    document: dict[str, Any] = BASE
    variables = {f"VARIABLE_{n}": "some 'value' of $it " * 2 for n in range(50)}
    document = fields.by_name("environment").put(document, variables)
    options = {f"option-{n}": {"a": n, "b": [n]} for n in range(30)}
    document = fields.by_name("shell-options").put(document, options)
    assert len(json.dumps(document)) > 4000
    assert seconds(lambda: [fields.text(field, document) for field in FIELDS]) < 0.004


# Each field reads, writes, describes and completes as it is recorded; see `answers`


def test_fields_answer_as_recorded(agree: Agree) -> None:
    before = copy.deepcopy(ROUND.document)
    agree(PATH, rerun(PATH, answer))
    assert ROUND.document == before


def test_what_is_described_hangs_on_the_document() -> None:
    count = fields.by_name("tasks")
    assert count.describe({"per_slot": 1}) == "one task in each slot"
    assert count.describe({"total": 5}) == "5 tasks in all"
    assert fields.by_name("duration").describe("x") == ""
    context = Context(document=RFC14["2.4"])
    words: Any = fields.by_name("slot").describe("read-db", context)
    assert words == "10 slots of core, memory ×4 GB"
    (problem,) = fields.problems(fields.by_name("command"), "read-db", RFC14["2.4"], context)
    assert problem.message == "this is the first of 2 tasks; V1 has only one"


# A script goes with the job as flux batch has it, and leaves it as it was


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
