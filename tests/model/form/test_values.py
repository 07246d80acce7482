"""What each field reads, writes and says."""

import math
from typing import Any

import pytest

from fluxtui.model.constraint.completion import Names
from fluxtui.model.form import fields
from fluxtui.model.form.field import MISSING, Context
from tests.each import for_each
from tests.model.jobspecs import RFC14, RFC25

BASE = RFC25["2.4"]
CONTEXT = Context(
    environ={"HOME": "/home/me", "OMP_PLACES": "cores", "OMP_PROC_BIND": "close"},
    cwd="/home/me/run",
    queues=("batch", "debug"),
    document=BASE,
    names=Names({"gpu": 48, "ssd": 8}),
)


def read(name: str, text: str, context: Context = CONTEXT) -> Any:
    found = fields.by_name(name).read(text, context)
    assert found.ok, found.problems
    return found.value


@for_each("row", [
    ("command", "app -x 'two words'", ["app", "-x", "two words"]),
    ("command", '["a", "l\\n"]', ["a", "l\n"]),
    ("command", "[ -f x ]", ["[", "-f", "x", "]"]), ("slot", " default ", "default"),
    ("tasks", "", {"per_slot": 1}), ("tasks", "5", {"total": 5}),
    ("tasks", "5 total", {"total": 5}), ("tasks", "5 tasks", {"total": 5}),
    ("tasks", "total = 5", {"total": 5}), ("tasks", "per_slot=1", {"per_slot": 1}),
    ("tasks", "1 per slot", {"per_slot": 1}), ("tasks", "per slot", {"per_slot": 1}),
    ("tasks", "2 per core", {"per_resource": {"type": "core", "count": 2}}),
    ("tasks", "2/core", {"per_resource": {"type": "core", "count": 2}}),
    ("tasks", "2 tasks for each gpu", {"per_resource": {"type": "gpu", "count": 2}}),
    ("tasks", "per_resource=core=2", {"per_resource": {"type": "core", "count": 2}}),
    ("tasks", '{"total": 3}', {"total": 3}), ("distribution", "cyclic", "cyclic"),
    ("job-name", '"a b "', "a b "), ("job-name", '"a', '"a'), ("job-name", "", MISSING),
    ("duration", "1.5h", 5400.0), ("duration", " 30 ", 30.0), ("duration", "", 0.0),
    ("preemptible-after", "0", 0.0), ("preemptible-after", "", MISSING),
    ("dependencies", "", MISSING), ("dependencies", "afterok:ƒ1 afterany:2",
     [{"scheme": "afterok", "value": "ƒ1"}, {"scheme": "afterany", "value": "2"}]),
    ("dependencies", "'{\"scheme\": \"a\", \"value\": \"b?c\"}'",
     [{"scheme": "a", "value": "b?c"}]), ("queue", "batch", "batch"), ("constraints", "gpu|-ssd",
     {"or": [{"properties": ["gpu"]}, {"not": [{"properties": ["ssd"]}]}]}),
    ("constraints", '{"ranks": ["0-3"]}', {"ranks": ["0-3"]}), ("constraints", "{}", {}),
    ("constraints", "", MISSING), ("cwd", "/x y", "/x y"), ("cwd", ".", "/home/me/run"),
    ("cwd", "./sub", "/home/me/run/sub"), ("cwd", "~", "/home/me"),
    ("cwd", "~/sub", "/home/me/sub"),
    ("environment", "A=1 OMP_* -OMP_PLACES", {"A": "1", "OMP_PROC_BIND": "close"}),
    ("environment", '{"A": "l\\n", "B": null}', {"A": "l\n", "B": None}), ("environment", "{}", {}),
    ("environment", "", MISSING),
    ("shell-options", "verbose=2 pty.interactive", {"verbose": 2, "pty": {"interactive": 1}}),
    ("task-attributes", "environment.A=2 environment.B=1.50 x=2",
     {"environment": {"A": "2", "B": "1.50"}, "x": 2}),
    ("system", "job.note=x foo=[1]", {"job": {"note": "x"}, "foo": [1]}), ("user", "", MISSING),
    ("user", "{}", {}),
])  # fmt: skip
def test_reads(row: tuple[Any, ...]) -> None:
    name, text, value = row
    assert read(name, text) == value


@for_each("row", [
    ("command", ["app", "two words", "$x"], "app 'two words' '$x'"),
    ("command", ["sh", "-c", "a\nb"], '["sh","-c","a\\nb"]'),
    ("tasks", {"per_resource": {"type": "core", "count": 2}}, "per_resource=core=2"),
    ("tasks", {"total": 5}, "total=5"), ("duration", 5400, "90m"), ("duration", 0, ""),
    ("preemptible-after", 0.0, "0"),
    ("dependencies", [{"scheme": "afterok", "value": "ƒ1"}], "afterok:ƒ1"),
    ("dependencies", [{"scheme": "string", "value": "x", "type": "in", "scope": "user"}],
     "string:x?type=in&scope=user"),
    ("dependencies", [{"scheme": "a", "value": "b c"}], "'a:b c'"), ("dependencies", [], "[]"),
    ("constraints", {"properties": ["gpu", "ssd"]}, "gpu,ssd"),
    ("constraints", {"and": []}, '{"and":[]}'), ("constraints", {}, "{}"),
    ("environment", {"A": "two words", "B": None}, "A='two words' -B"),
    ("environment", {"A": "l\n"}, '{"A":"l\\n"}'), ("environment", {}, "{}"),
    ("shell-options", {"verbose": 2, "pty": {"interactive": 1}}, "verbose=2 pty.interactive=1"),
    ("task-attributes", {"environment": {"A": "2"}}, 'environment.A="2"'), ("job-name", "", '""'),
    ("cwd", "/x", "/x"),
])  # fmt: skip
def test_writes(row: tuple[Any, ...]) -> None:
    name, value, text = row
    assert fields.by_name(name).write(value) == text
    assert read(name, text) == value


@for_each("row", [
    ("command", []), ("command", "app"), ("command", [1]), ("script", " \n"), ("slot", None),
    ("tasks", {"total": 0}), ("tasks", {"per_slot": True}), ("tasks", {"total": 1, "per_slot": 1}),
    ("duration", "1h"), ("duration", math.inf), ("duration", -1), ("duration", True),
    ("duration", 2**63 + 1), ("preemptible-after", None), ("dependencies", [{"scheme": "a"}]),
    ("dependencies", {}), ("constraints", {"properties": "gpu"}), ("cwd", "relative"),
    ("environment", {"A": 1}), ("environment", ["A"]), ("shell-options", []),
    ("task-attributes", {"environment": {"A": 1}}), ("user", "x"), ("user", {"a": math.nan}),
])  # fmt: skip
def test_what_is_not_legal_has_no_text(row: tuple[Any, ...]) -> None:
    name, value = row
    with pytest.raises(ValueError, match=r"."):
        fields.by_name(name).write(value)


@for_each("row", [
    ("command", ["app"], ""),
    ("command", ["app", "x", "y"], "2 arguments"),
    ("command", ["flux", "broker", "{{tmpdir}}/script"], "a Flux instance that runs the script"),
    ("script", "#!/bin/sh\na\n", "2 lines"), ("slot", "default", "16 slots of core, gpu"),
    ("tasks", {"per_slot": 1}, "one task in each slot: 16 tasks in all"),
    ("tasks", {"total": 5}, "5 tasks in 16 slots"),
    ("tasks", {"per_resource": {"type": "core", "count": 2}}, "2 tasks for each core of a slot"),
    ("duration", 5400.0, "1 hour 30 minutes = 5,400 s"), ("duration", 30.0, "30 seconds"),
    ("duration", 0, "no limit of its own: the queue's default"),
    ("preemptible-after", 600, "after 10 minutes = 600 s"),
    ("preemptible-after", 0, "from the start"),
    ("dependencies", [{"scheme": "afterok", "value": "ƒ1"}], "waits until job ƒ1 has ended well"),
    ("constraints", {}, "every node"),
    ("environment", {"A": "1", "B": "2", "C": None}, "2 variables, 1 to unset"),
    ("environment", {}, "no variables but those of Flux"), ("shell-options", {"a": 1}, "1 option"),
    ("user", {"a": 1, "b": 2}, "2 settings"), ("queue", "batch", ""),
])  # fmt: skip
def test_words(row: tuple[Any, ...]) -> None:
    name, value, words = row
    assert fields.by_name(name).describe(value, CONTEXT) == words


def test_words_without_a_context() -> None:
    count = fields.by_name("tasks")
    assert count.describe({"per_slot": 1}) == "one task in each slot"
    assert count.describe({"total": 5}) == "5 tasks in all"
    assert fields.by_name("duration").describe("x") == ""


@for_each("row", [
    ("command", "app {{t", ["app {{taskid}}", "app {{tmpdir}}"]),
    ("script", "", ["#!/bin/sh", "#!/bin/bash", "#!/usr/bin/env python3"]),
    ("slot", "", ["default"]),
    ("tasks", "", ["per_slot=1", "total=", "per_resource=core=1", "per_resource=gpu=1"]),
    ("tasks", "per_s", ["per_slot=1"]), ("distribution", "c", ["cyclic"]),
    ("job-name", "", ["myapp"]),
    ("duration", "90", ["90ms", "90s", "90m", "90h", "90d"]), ("duration", " 9d", []),
    ("duration", "i", []),
    ("dependencies", "afterok:1 aftern", ["afterok:1 afternotok:"]),
    ("dependencies", "string:x?", ["string:x?type=", "string:x?scope="]),
    ("dependencies", "string:x?type=in&", ["string:x?type=in&scope="]),
    ("dependencies", "string:x?type=i", ["string:x?type=in", "string:x?type=inout"]),
    ("dependencies", "afterok:1?", []), ("queue", "b", ["batch"]), ("bank", "", []),
    ("project", "", []), ("constraints", "gp", ["gpu"]), ("cwd", "/home/me", ["/home/me/run"]),
    ("environment", "OM", ["OMP_*", "OMP_PLACES", "OMP_PROC_BIND"]),
    ("environment", "OMP_PLACES OMP_P", ["OMP_PLACES OMP_PROC_BIND"]),
    ("environment", "A=1 -", ["A=1 -A"]), ("environment", "A=O", []),
    ("shell-options", "cpu-affinity=per", ["cpu-affinity=per-task"]),
    ("shell-options", "pty.i", ["pty.interactive="]),
    ("task-attributes", "", ["environment.NAME="]), ("user", "", []),
])  # fmt: skip
def test_completes(row: tuple[Any, ...]) -> None:
    name, text, made = row
    offers = fields.by_name(name).complete(text, len(text), CONTEXT)
    assert [text[: o.span.start] + o.text + text[o.span.end :] for o in offers] == made
    assert all(offer.description for offer in offers)


def test_the_slots_of_a_tree() -> None:
    document = RFC14["2.4"]
    context = Context(document=document)
    slot = fields.by_name("slot")
    assert slot.describe("read-db", context) == "10 slots of core, memory ×4 GB"
