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


def _puts(asked: str) -> Iterator[str]:
    """A document after each of some values that are put into it, with what a field has of it then.

    It begins with the tasks and the system attributes of JSON, or as a job of one slot.
    """
    first, *steps = asked.split(" | ")
    system, *tasks = json.loads(f"[{first}]")
    document: dict[str, Any] = job("slot=2/core", duration=60.0)
    if system is None:
        document = {}
    else:
        document["attributes"]["system"] |= system
        document["tasks"] = tasks or document["tasks"]
    for step in steps:
        name, _, value = step.partition(" := ")
        field = fields.by_name(name)
        after = field.put(document, _value(value)) if value else document
        assert field.put(after, field.get(after)) is after
        if value:
            shown = {key: part for key, part in after.items() if key in ("tasks", "attributes")}
            yield f"{name}: {json.dumps(shown, ensure_ascii=False)}"
        else:
            yield f"{name} shows {_text(fields.text(field, document))}"
        for problem in fields.problems(field, fields.text(field, after), after, Context()):
            yield f"{problem.severity} {problem.path}: {problem.message}"
        document = after
    yield f"V1: {'yes' if jobspec.check(document).v1 else 'no'}"


def answer(asked: str) -> Iterator[str]:
    """What a field reads, writes, describes, offers at the end, and what is wrong.

    What is asked is one line of ``FIELD | TEXT [| FIELD := VALUE]`` or ``FIELD := VALUE``: a text
    that is typed into a field, in a job where another field has a value, or a field of which the
    job has this value. Texts and values are JSON; ``nothing`` is a part that is not there.
    What follows ``puts`` is answered by `_puts`.
    """
    if asked.startswith("puts "):
        yield from _puts(asked.removeprefix("puts "))
        return
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
