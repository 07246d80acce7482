"""Whether flux-core takes a jobspec in, against what a running instance did."""

import copy
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.model.documents.document import steps
from fluxtui.model.jobspec import jobspec, verdicts
from fluxtui.notation.shape.parser import parse_shape
from fluxtui.notation.shape.tree import to_resources
from tests.each import for_each
from tests.model.jobspecs import BASE, JSON, changed

# Jobspecs that a running flux-core 0.88 took and refused: the base of `jobspecs`, changed. The
# places and values are those of `jobspecs.changed`.

_SLOT = BASE["resources"][0]["with"][0]
_TASK = BASE["tasks"][0]

# fmt: off
TAKEN: dict[str, list[Any]] = {
    "version": [1, True],
    "resources": [[], ""],
    "resources/0": [...],
    "resources/0/type": ["", "rack"],
    "resources/0/count": [True, 4611686018427387904],
    "resources/0/with/0/with/1/count": [0, False],
    "resources/0/exclusive": [True, False, 1, 0, 1.0],
    "resources/0/unit": ["a"],
    "resources/0/id": ["a"],
    "resources/0/label": ["a"],
    "resources/0/foo": [{"a": [1]}],
    "resources/0/with/0/label": ["other"],
    "resources/0/with": [
        [_SLOT, _SLOT],
        ..., [], "", {}],
    "tasks": [[], "",
        [_TASK, _TASK]],
    "tasks/0/command": [[""]],
    "tasks/0/slot": ["nowhere", ""],
    "tasks/0/count": [{"per_slot": 1}, {"per_slot": 2}, {"per_slot": True}, {"total": 3}],
    "tasks/0/attributes": [{}],
    "tasks/0/distribution": [5],
    "tasks/0/foo": [5],
    "attributes/user": [5, {}, {"a": -9223372036854775808}, {'a': '\U0001f600'}],
    "attributes/system/duration": [0, -1, 1.5, 1e+300],
    "attributes/system/cwd": [5],
    "attributes/system/environment": [5, {"A": 5}],
    "attributes/system/preemptible-after": ["x"],
    "attributes/system/job": [5],
    "attributes/system/shell": [5],
    "attributes/system/bank": [5],
    "attributes/system/foo": [{}],
    "attributes/system/dependencies": [[], [{"scheme": "begin-time", "value": "0"}],
        [{"scheme": "begin-time", "value": ""}], [{"scheme": "begin-time", "value": "5.5"}],
        [{"scheme": "begin-time", "value": "1e3"}], [{"scheme": "begin-time", "value": "0x10"}],
        [{"scheme": "begin-time", "value": " 5"}]],
    "attributes/system/constraints": [{}, {"properties": ["a"]}, {"properties": ["a!b"]},
        {"properties": ["^a"]}, {"properties": "ab"}, {"properties": [["a"]]}, {"and": []},
        {"and": ""}, {"not": [{"properties": ["a"]}, {"ranks": ["0"]}]},
        {"properties": ["a"], "ranks": ["0"]}, {"ranks": ["0-3"]}, {"ranks": ["0,,1"]},
        {"ranks": [5]}, {"ranks": [[0, 1]]}, {"ranks": "03"}, {"hostlist": []},
        {"hostlist": [""]}, {"hostlist": [[""]]}],
}

#: Those whose cause stands at the place itself.
REFUSED: dict[str, list[Any]] = {
    "version": [1.0, 2, 0, "1", None],
    "extra": [1],
    "resources": ["x", {}, None],
    "resources/0": [None, []],
    "resources/0/type": [5],
    "resources/0/count": [0, -1, False, 2.0, "2", "2-4", "2+", "x", {"min": 2},
        {"min": 2, "max": 4}, {"min": 0}, [], None, 9223372036854775808],
    "resources/0/with/0/with/1/count": [-1, "2"],
    "resources/0/with/0/with/0/count": [0],
    "resources/0/exclusive": [2, "true", None, []],
    "resources/0/unit": [5],
    "resources/0/id": [5],
    "resources/0/label": [5],
    "resources/0/with/0/label": [5],
    "resources/0/with": ["x", {"a": 1}, None, 0],
    "tasks": ["x", {}, None, 5],
    "tasks/0/command": [[], "", "app", {}, {"a": 1}, 5, None],
    "tasks/0/slot": [5, None],
    "tasks/0/count": [{}, [], 1, {"per_slot": 1, "total": 1},
        {"per_resource": {"type": "core", "count": 1}}, {"foo": 1}],
    "tasks/0/attributes": [[], None],
    "attributes": [{}, [], None, "x"],
    "attributes/foo": [1],
    "attributes/system": [{}, None, "x", []],
    "attributes/system/duration": [True, "1h", None, []],
    "attributes/system/queue": [5, None, []],
    "attributes/system/dependencies": [{}, "", "x", None],
    "attributes/system/constraints": [None, [], "x"],
}

_SYSTEM = "attributes.system"
_VALUE = f"{_SYSTEM}.dependencies[0].value"
_ASKED = f"{_SYSTEM}.constraints"

#: Those whose cause stands elsewhere: the place, the values, and the path of the cause.
ELSEWHERE: list[tuple[str, list[Any], str | None]] = [
    ("version", [...], None),
    ("resources", [...], None),
    ("resources/0/type", [...], "resources[0]"),
    ("resources/0/count", [...], "resources[0]"),
    ("resources/0/with/0/label", [...], "resources[0].with[0]"),
    ("resources/0/with", [[5], ["x"], [[]], [{"type": "slot", "count": 1}]],
     "resources[0].with[0]"),
    ("tasks", [...], None),
    ("tasks", [[5]], "tasks[0]"),
    ("tasks/0/command", [...], "tasks[0]"),
    ("tasks/0/command", [["app", 5]], "tasks[0].command[1]"),
    ("tasks/0/slot", [...], "tasks[0]"),
    ("tasks/0/count", [...], "tasks[0]"),
    ("tasks/0/count", [{"per_slot": 0}, {"per_slot": 1.0}, {"per_slot": "1"}],
     "tasks[0].count.per_slot"),
    ("tasks/0/count", [{"total": 0}, {"total": -1}, {"total": None}], "tasks[0].count.total"),
    ("attributes", [...], None),
    ("attributes/system", [...], "attributes"),
    ("attributes/system/duration", [...], _SYSTEM),
    ("attributes/system/dependencies", [[5], [{"scheme": "singleton", "value": ""}]],
     f"{_SYSTEM}.dependencies[0]"),
    ("attributes/system/dependencies",
     [[{}], *([{"scheme": scheme, "value": value}]
              for scheme, value in ((5, "x"), ("string", "a"), ("afterfoo", "f1")))],
     f"{_SYSTEM}.dependencies[0].scheme"),
    ("attributes/system/dependencies", [[{"scheme": "afterok"}]], _VALUE),
    ("attributes/system/dependencies",
     [[{"scheme": "begin-time", "value": value}]
      for value in ("-5", "x", "5s", "nan", "inf", "1e400", "5 ")], _VALUE),
    ("attributes/system/dependencies",
     [[{"scheme": "afterany", "value": value}]
      for value in ("", "  ", "f", "fO", "12abc", "1.2.3", "f1234567890123", "-1", "0xg",
                    "18446744073709551615")], _VALUE),
    ("attributes/system/constraints",
     [{"properties": value} for value in (["a|b"], [5], [["|"]])], f"{_ASKED}.properties[0]"),
    ("attributes/system/constraints", [{"properties": "a&"}], f"{_ASKED}.properties[1]"),
    ("attributes/system/constraints", [{"properties": {}}, {"properties": None}],
     f"{_ASKED}.properties"),
    ("attributes/system/constraints", [{"and": "x"}], f"{_ASKED}.and[0]"),
    ("attributes/system/constraints", [{"and": {}}], f"{_ASKED}.and"),
    ("attributes/system/constraints", [{"or": [{"foo": ["a"]}]}], f"{_ASKED}.or[0].foo"),
    ("attributes/system/constraints", [{"foo": ["a"]}], f"{_ASKED}.foo"),
    ("attributes/system/constraints", [{"host": ["a"]}], f"{_ASKED}.host"),
    ("attributes/system/constraints",
     [{"ranks": [value]}
      for value in ("3-1", "x", "1,0", "01", "0-0", -1, [1, "a"], None, "2147483648")],
     f"{_ASKED}.ranks[0]"),
    ("attributes/system/constraints",
     [{"hostlist": [value]} for value in ("a[1", "a]", "a[3-1]", "a[]", 5, [5])],
     f"{_ASKED}.hostlist[0]"),
    ("attributes/user", [{"a": "\x00"}, {"a": "\ud800"}, {"a": 9223372036854775808}],
     "attributes.user.a"),
    ("attributes/user", [{"\x00": 1}], "attributes.user['\\x00']"),
]
# fmt: on

CAUSED = [
    *((place, value, place) for place, values in REFUSED.items() for value in values),
    *((place, value, cause) for place, values, cause in ELSEWHERE for value in values),
]


@for_each("case", [(place, value) for place, values in TAKEN.items() for value in values])
def test_takes(case: tuple[str, Any]) -> None:
    assert verdicts.check_submission(changed(*case)) == ()


@for_each("place, value, cause", CAUSED)
def test_refuses_and_names_the_cause(place: str, value: Any, cause: str | None) -> None:
    first = verdicts.check_submission(changed(place, value))[0]
    if cause == place:
        found = [] if first.path is None else steps(first.path)
        assert "/".join(map(str, found)) == cause
    else:
        assert first.path == cause
    assert first.rule == "flux-core"
    assert first.severity == "error"


@for_each("values, path", [
    # Each is refused; flux-core says what comes first here.
    ({"version": 2, "resources/0/count": 0}, "version"),
    ({"resources/0/count": 0, "attributes": []}, "attributes"),
    ({"resources/0/count": "2-4", "tasks/0/slot": 5}, "tasks[0].slot"),
    ({"resources/0/count": "2-", "tasks/0/slot": 5}, "resources[0].count"),
    ({"attributes/system/queue": 5, "resources/0/unit": 5}, "resources[0].unit"),
    ({"attributes/system/duration": "1h", "tasks/0/count": {}}, "tasks[0].count"),
])  # fmt: skip
def test_names_first_what_flux_core_finds_first(values: dict[str, Any], path: str) -> None:
    document = BASE
    for place, value in values.items():
        document = changed(place, value, document)
    assert verdicts.check_submission(document)[0].path == path


def test_says_everything_that_is_wrong() -> None:
    resources = to_resources(parse_shape("[node=2-4/slot/core=2+;gpu=1,2]"))
    paths = [problem.path for problem in verdicts.check_submission(jobspec.build(resources))]
    assert paths == [
        "resources[0].count",
        "resources[0].with[0].with[0].count",
        "resources[1].count",
    ]


def nested(levels: int) -> Any:
    resources: list[Any] = []
    for _ in range(levels):
        resources = [{"type": "x", "count": 1, "with": resources}]
    return changed("resources", resources)


def test_what_is_not_json_or_too_deep() -> None:
    for value in (None, 5, "x", [], float("nan")):
        assert verdicts.check_submission(value)[-1].message.startswith("a jobspec is a dictionary")
    for number in (float("inf"), float("nan")):
        (problem,) = verdicts.check_submission(changed("attributes/system/duration", number))
        assert problem.path == "attributes.system.duration"
        assert "JSON" in problem.message
    assert verdicts.check_submission(nested(489)) == ()
    assert any(
        "490 levels" in problem.message for problem in verdicts.check_submission(nested(491))
    )


@given(JSON)
def test_never_raises_on_any_json(value: Any) -> None:
    for place in ("resources", "resources/0/with", "tasks", "tasks/0/count", "attributes"):
        document = changed(place, value)
        before = copy.deepcopy(document)
        verdicts.check_submission(document)
        assert json.dumps(document) == json.dumps(before)  # left as it was
    for key in ("dependencies", "constraints", "duration", "job"):
        verdicts.check_submission(changed(f"attributes/system/{key}", value))
    verdicts.check_submission(value)


@given(st.text(alphabet="\x1b[]\0\x9b\u202eab", max_size=12))
def test_messages_hold_no_control_characters(word: str) -> None:
    document = changed("attributes/system/dependencies", [{"scheme": word, "value": "x"}])
    document[word] = 1
    document["attributes"]["system"]["constraints"] = {word: ["a"], "ranks": [word]}
    document["resources"][0]["count"] = word
    for problem in verdicts.check_submission(document):
        assert problem.message.isprintable(), problem
