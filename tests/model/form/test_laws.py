"""What holds for every field: a text and a part of the document say the same."""

import copy
import json
import time
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fluxtui.model.form import fields
from fluxtui.model.form.field import MISSING, Context, Field
from fluxtui.model.form.fields import FIELDS
from fluxtui.model.form.settings import OWNED
from tests.each import for_each
from tests.model.jobspecs import BASE, RFC14, RFC25

STRINGS = st.text(max_size=8) | st.sampled_from(
    ["", " ", '"', '"x"', "a b", "$HOME", "l\n", "\x1b[1m", "-A", "1", "{}", "["]
)
NUMBERS = st.integers(0, 10**12) | st.floats(0, 1e300) | st.integers(0, 10**400)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | STRINGS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(STRINGS, inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(STRINGS, JSON, max_size=4)
TERMS = st.sampled_from(
    [{"properties": ["gpu", "^ssd"]}, {"hostlist": ["n[1-3]"]}, {"ranks": ["0-3"]}, {}]
)
CONSTRAINTS = st.recursive(
    TERMS,
    lambda inner: st.builds(
        lambda name, parts: {name: parts},
        st.sampled_from(["and", "or", "not"]),
        st.lists(inner, max_size=3),
    ),
    max_leaves=6,
)
DEPENDENCIES = st.lists(
    st.builds(
        lambda scheme, value, more: {"scheme": scheme, "value": value, **more},
        STRINGS | st.sampled_from(["afterok", "singleton", "string"]),
        STRINGS,
        st.dictionaries(STRINGS.filter(lambda key: key not in ("scheme", "value")), JSON),
    ),
    max_size=3,
)
COUNTS = st.builds(
    lambda key, number: {key: number}, st.sampled_from(["per_slot", "total"]), st.integers(1)
) | st.builds(
    lambda kind, number, more: {"per_resource": {"type": kind, "count": number, **more}},
    STRINGS | st.sampled_from(["core", "slot"]),
    st.integers(1),
    st.dictionaries(st.just("x"), JSON),
)
ENVIRONMENTS = st.dictionaries(STRINGS, st.none() | STRINGS, max_size=4)

#: Every legal value of each field.
LEGAL: dict[str, st.SearchStrategy[Any]] = {
    "command": st.lists(STRINGS, min_size=1, max_size=4),
    "script": STRINGS.filter(str.strip),
    "slot": STRINGS,
    "tasks": COUNTS,
    "distribution": STRINGS,
    "job-name": STRINGS,
    "duration": NUMBERS,
    "preemptible-after": NUMBERS,
    "dependencies": DEPENDENCIES,
    "queue": STRINGS,
    "bank": STRINGS,
    "project": STRINGS,
    "constraints": CONSTRAINTS,
    "cwd": STRINGS.map(lambda text: f"/{text}"),
    "environment": ENVIRONMENTS,
    "shell-options": OBJECTS,
    "task-attributes": st.builds(
        lambda more, variables: {**more, "environment": variables}, OBJECTS, ENVIRONMENTS
    )
    | OBJECTS,
    "system": OBJECTS.filter(lambda value: not {keys[0] for keys in OWNED} & value.keys()),
    "user": OBJECTS,
}

CONTEXT = Context(environ={"HOME": "/home/me", "A": "x"}, cwd="/home/me/run", document=BASE)
DOCUMENTS = [*RFC25.values(), *RFC14.values()]


def same(one: Any, other: Any) -> bool:
    """Equal with their types, whatever the order of keys; 3600 and 3600.0 seconds are the same."""
    if isinstance(one, float) and type(other) is int:
        return one == other
    if one is MISSING or other is MISSING:
        return one is other
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def test_every_field_is_whole() -> None:
    assert list(LEGAL) == [field.name for field in FIELDS]
    assert len({field.path for field in FIELDS}) == len(FIELDS)
    groups = [field.group for field in FIELDS]
    assert list(dict.fromkeys(groups)) == ["Task", "Limits", "Where", "Environment", "Extras"]
    assert groups == sorted(groups, key=list(dict.fromkeys(groups)).index)
    for field in FIELDS:
        assert fields.by_name(field.name) is field
        assert 0 < len(field.label) <= 14
        assert field.help.endswith(".")
        assert field.hint


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
@given(data=st.data())
def test_a_legal_value_has_a_text(field: Field, data: st.DataObject) -> None:
    value = data.draw(LEGAL[field.name])
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


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
@given(value=JSON | st.sampled_from([float("inf"), float("nan"), {1: 2}, b"", 10**5000]))
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


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
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


@for_each("case", [
    (field, document)
    for field in FIELDS
    for document in ({}, {"tasks": 5, "attributes": []}, {"tasks": []}, *DOCUMENTS)
])  # fmt: skip
def test_a_document_stays_as_it_is(case: tuple[Field, dict[str, Any]]) -> None:
    field, document = case
    before = copy.deepcopy(document)
    held = field.get(document)
    assert field.put(document, held) is document
    assert fields.problems(field, fields.text(field, document), document, CONTEXT) is not None
    assert document == before


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
@given(data=st.data())
def test_what_is_not_touched_stays_the_same_object(field: Field, data: st.DataObject) -> None:
    before = copy.deepcopy(BASE)
    after = field.put(BASE, data.draw(LEGAL[field.name]))
    assert before == BASE
    assert after["resources"] is BASE["resources"]
    for key, value in _leaves(BASE):
        if not _within(key, field):
            assert dict(_leaves(after))[key] is value


def _leaves(document: Mapping[str, Any]) -> list[tuple[str, Any]]:
    task, system = document["tasks"][0], document["attributes"]["system"]
    found = [(f"tasks[0].{key}", value) for key, value in task.items()]
    return found + [(f"attributes.system.{key}", value) for key, value in system.items()]


def _within(key: str, field: Field) -> bool:
    """A script changes the command too, and other system attributes stand among the others."""
    if field.name == "script":
        return key == "tasks[0].command"
    return field.path.startswith(key) or field.name == "system"


def test_a_document_is_made_in_the_order_of_the_rfc() -> None:
    document: dict[str, Any] = {}
    for name, value in (
        ("job-name", "x"),
        ("user", {"a": 1}),
        ("tasks", {"per_slot": 1}),
        ("environment", {}),
        ("command", ["app"]),
        ("duration", 60.0),
        ("slot", "default"),
        ("cwd", "/x"),
    ):
        document = fields.by_name(name).put(document, value)
    assert json.dumps(document) == json.dumps(
        {
            "tasks": [{"command": ["app"], "slot": "default", "count": {"per_slot": 1}}],
            "attributes": {
                "system": {
                    "duration": 60.0,
                    "cwd": "/x",
                    "environment": {},
                    "job": {"name": "x"},
                },
                "user": {"a": 1},
            },
        }
    )


@for_each("row", [
    ("job-name", {"job": {"name": "x"}}, {}),
    ("job-name", {"job": {"name": "x", "note": "y"}}, {"job": {"note": "y"}}),
    ("job-name", {"job": {}}, {"job": {}}),
    ("shell-options", {"shell": {"options": {"a": 1}}}, {}), ("queue", {"queue": "x"}, {}),
    ("duration", {"duration": 1.0}, {}),
    ("system", {"duration": 1.0, "a": 1, "job": {"name": "x", "b": "y"}},
     {"duration": 1.0, "job": {"name": "x"}}),
])  # fmt: skip
def test_what_is_taken_away(row: tuple[Any, ...]) -> None:
    name, before, after = row
    document = {"attributes": {"system": before}}
    made = fields.by_name(name).put(document, MISSING)
    assert made == {"attributes": {"system": after}}


def test_an_int_of_seconds_stays_one() -> None:
    document = {"attributes": {"system": {"duration": 3600}}}
    field = fields.by_name("duration")
    assert field.put(document, field.read("1h", CONTEXT).value) is document


def test_all_fields_are_shown_in_a_millisecond() -> None:
    document: dict[str, Any] = BASE
    variables = {f"VARIABLE_{n}": "some 'value' of $it " * 2 for n in range(50)}
    document = fields.by_name("environment").put(document, variables)
    options = {f"option-{n}": {"a": n, "b": [n]} for n in range(30)}
    document = fields.by_name("shell-options").put(document, options)
    assert len(json.dumps(document)) > 4000
    shown = min(_time(lambda: [fields.text(field, document) for field in FIELDS]) for _ in range(9))
    assert shown < 0.004  # a quarter of that on a machine with nothing else to do


def _time(do: Any) -> float:
    started = time.process_time()
    do()
    return time.process_time() - started
