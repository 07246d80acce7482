"""What holds for every field: a text and a part of the document say the same; and of scripts."""

import copy
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.model.constraint.completion import Names
from fluxtui.model.form import fields
from fluxtui.model.form.field import Context, Field
from fluxtui.model.form.fields import FIELDS
from fluxtui.model.form.settings import OWNED
from fluxtui.model.jobspec import jobspec
from fluxtui.model.jobspec.jobspec import MISSING
from fluxtui.notation.json_value import identical
from tests.each import for_each, the
from tests.json_values import SCALARS, values
from tests.model.jobspecs import BASE, RFC14, job
from tests.pace import seconds
from tests.recorded import Agree, rerun

STRINGS = st.text(max_size=8) | st.sampled_from(
    ["", " ", '"', '"x"', "a b", "$HOME", "l\n", "\x1b[1m", "-A", "1", "{}", "["]
)
NUMBERS = st.integers(0, 10**12) | st.floats(0, 1e300) | st.integers(0, 10**400)
JSON = values(SCALARS | STRINGS, STRINGS, leaves=8, longest=3)
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
DEPENDENCIES = st.fixed_dictionaries(
    {"scheme": STRINGS | st.sampled_from(["afterok", "singleton", "string"]), "value": STRINGS}
) | st.dictionaries(STRINGS, JSON).map(lambda more: {**more, "scheme": "x", "value": "y"})
KINDS = STRINGS | st.sampled_from(["core", "slot"])
RESOURCES = st.fixed_dictionaries({"type": KINDS, "count": st.integers(1)}, optional={"x": JSON})
COUNTS = (
    st.fixed_dictionaries({"per_slot": st.integers(1)})
    | st.fixed_dictionaries({"total": st.integers(1)})
    | st.fixed_dictionaries({"per_resource": RESOURCES})
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
    return one is other or (MISSING not in (one, other) and identical(one, other, ordered=False))


def test_every_field_is_whole() -> None:
    assert LEGAL.keys() <= {field.name for field in FIELDS}
    assert len({field.path for field in FIELDS}) == len({field.name for field in FIELDS}) == 19
    groups = [field.group for field in FIELDS]
    assert list(dict.fromkeys(groups)) == ["Task", "Limits", "Where", "Environment", "Extras"]
    assert groups == sorted(groups, key=list(dict.fromkeys(groups)).index)
    assert all(fields.by_name(field.name) is field and field.hint for field in FIELDS)


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


# What each field answers

RECORDED = Path(__file__).parent / "fields.txt"
HERE = Context(
    environ={"HOME": "/home/me", "OMP_PLACES": "cores", "OMP_PROC_BIND": "close"},
    cwd="/home/me/run",
    queues=("batch", "debug"),
    document=BASE,
    names=Names({"gpu": 48, "ssd": 8}),
)


def _value(text: str) -> Any:
    return MISSING if text == "nothing" else json.loads(text)


def _text(value: Any) -> str:
    return "nothing" if value is MISSING else json.dumps(value, ensure_ascii=False)


def answer(asked: str) -> Iterator[str]:
    """What a field reads, writes, describes, offers at the end, and what is wrong.

    What is asked is one line of ``FIELD | TEXT [| FIELD := VALUE]`` or ``FIELD := VALUE``: a text
    that is typed into a field, in a job where another field has a value, or a field of which the
    job has this value. Texts and values are JSON; ``nothing`` is a part that is not there.
    """
    where, _, given = asked.rpartition(" | ") if asked.count(" | ") == 2 else (asked, "", asked)
    name, is_set, value = given.partition(" := ")
    document = HERE.document
    if is_set:
        document = fields.by_name(name).put(document, _value(value))
    name, is_typed, text = where.partition(" | ")
    field = fields.by_name(name.partition(" := ")[0])
    if is_typed:
        text = json.loads(text)
        context = Context(HERE.environ, HERE.cwd, HERE.queues, document, HERE.names)
        found = field.read(text, context)
        if found.ok:
            yield f"reads {_text(found.value)}"
            if (canonical := field.write(found.value)) != text:
                yield f"writes {_text(canonical)}"
            if words := field.describe(found.value, context):
                yield f"describes {words}"
        offers = field.complete(text, len(text), context)
        if offers:
            made = [text[: o.span.start] + o.text + text[o.span.end :] for o in offers]
            yield f"offers {_text(made)}"
    else:
        text = fields.text(field, document)
        yield f"shows {_text(text)}"
    for problem in fields.problems(field, text, document, HERE):
        place = text[slice(*the(problem.span))]
        at = "" if place == text else f" at {_text(place)}"
        path = "" if problem.path == field.path else f" of {problem.path}"
        expected = f" -> {', '.join(problem.expected)}" if problem.expected else ""
        yield f"{problem.severity}{at}{path}: {problem.message}{expected} [{problem.rule}]"


def test_fields_answer_as_recorded(agree: Agree) -> None:
    agree(RECORDED, rerun(RECORDED, answer))
    assert BASE == BEFORE


def test_what_is_described_hangs_on_the_document() -> None:
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


def with_system(**attributes: Any) -> dict[str, Any]:
    """The plain job with further system attributes."""
    return {**PLAIN, "attributes": {"system": {"duration": 60.0, **attributes}}}


def test_a_script_is_stored_as_flux_batch_stores_it_and_goes_without_a_trace() -> None:
    task = {"command": COMMAND, "slot": "default", "count": {"per_slot": 1}}
    assert {**with_system(shell={"options": OPTIONS}, files=FILES), "tasks": [task]} == BATCH
    assert SCRIPT.get(BATCH) == fields.text(SCRIPT, BATCH) == TEXT
    assert jobspec.check(BATCH).v1
    assert SCRIPT.put(BATCH, MISSING) == PLAIN == job("slot=2/core", duration=60.0)


def test_what_was_set_before_stays() -> None:
    options = {"mpi": "spectrum", "verbose": 1}
    before = fields.by_name("shell-options").put(PLAIN, options)
    batch = SCRIPT.put(before, TEXT)
    assert jobspec.system(batch)["shell"]["options"] == {**OPTIONS, **options}
    assert SCRIPT.put(batch, MISSING) == before
    others = fields.by_name("system").put(BATCH, {"files": {"conf.json": {"mode": 1}}})
    assert set(jobspec.system(others)["files"]) == {"script", "conf.json"}
    assert SCRIPT.put(others, MISSING) == with_system(files={"conf.json": {"mode": 1}})
    # Another text changes nothing else.
    command = ["flux", "broker", "-v", "{{tmpdir}}/script", "x"]
    script = {"mode": 33261, "data": TEXT, "encoding": "utf-8", "size": 24}
    document = with_system(files={"script": script}, shell={"options": {"verbose": 2}})
    document["tasks"] = [{**PLAIN["tasks"][0], "command": command}]
    after = copy.deepcopy(document)
    after["attributes"]["system"]["files"]["script"].update(data="#!/bin/sh\né\n", size=13)
    assert SCRIPT.put(document, "#!/bin/sh\né\n") == after


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
