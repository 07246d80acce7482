"""Jobspecs that a running flux-core 0.88 took and refused: the base of `jobspecs`, changed.

The places and values are those of `jobspecs.changed`.
"""

from typing import Any

from tests.model.jobspecs import BASE

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
