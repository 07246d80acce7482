"""What each field reads, writes, describes and completes, and what is wrong with its text."""

import copy
import math
from typing import Any

import pytest

from fluxtui.model.constraint.completion import Names
from fluxtui.model.form import fields
from fluxtui.model.form.field import MISSING, Context
from tests.each import for_each
from tests.model.jobspecs import RFC14, RFC25, changed

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
    ("command", '["a", "l\\n"]', ["a", "l\n"]),
    ("command", "[ -f x ]", ["[", "-f", "x", "]"]), ("slot", " default ", "default"),
    ("tasks", "", {"per_slot": 1}), ("tasks", "5", {"total": 5}),
    ("tasks", "5 total", {"total": 5}), ("tasks", "5 tasks", {"total": 5}),
    ("tasks", "total = 5", {"total": 5}), ("tasks", "per_slot=1", {"per_slot": 1}),
    ("tasks", "1 per slot", {"per_slot": 1}), ("tasks", "per slot", {"per_slot": 1}),
    ("tasks", "2 per core", {"per_resource": {"type": "core", "count": 2}}),
    ("tasks", "2/core", {"per_resource": {"type": "core", "count": 2}}),
    ("tasks", "2 tasks for each gpu", {"per_resource": {"type": "gpu", "count": 2}}),
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
    context = Context(document=RFC14["2.4"])
    slots = fields.by_name("slot").describe("read-db", context)
    assert slots == "10 slots of core, memory ×4 GB"


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


@for_each("row", [
    ("command", " ", "a task needs a command; type a program and its arguments", "", ""),
    ("command", "app 'x", "the quote ' is not closed", "'x", "the closing '"),
    ("slot", "", "a task runs in a slot; type its label", "", "default"),
    ("slot", "defult", "no slot has the label 'defult'", "defult", "default"),
    ("tasks", "0", "total is a whole number of 1 or more; found 0", "0", "1 or more"),
    ("tasks", "many", "'many' does not say how many tasks there are", "many", "per_slot=1"),
    ("tasks", "2 per node", "the slot 'default' holds no node", "2 per node", "core"),
    ("tasks", '{"total":0}', "total is a whole number of 1 or more; found 0", '{"total":0}',
     "1 or more"),
    ("duration", "1h30m", "a duration has one number and one unit", "h30m", "90m"),
    ("duration", " 1:30", "a duration is one number and one unit, not hours and minutes", ":30",
     "1.5h"),
    ("duration", "inf", "a jobspec cannot hold an endless duration; 0 sets no limit of its own",
     "inf", "0"),
    ("duration", "1e999", "a jobspec cannot hold an endless duration; 0 sets no limit of its own",
     "1e999", "0"),
    ("preemptible-after", "inf", "a job that is never to be preempted leaves this blank", "inf",
     "nothing"),
    ("dependencies", "afterok:1 afterok", "afterok needs the id of a job after a ':'", "afterok",
     "afterok:ƒ2oLkTLb"), ("dependencies", "'{\"scheme\": 1}'",
     "a dependency has a scheme and a value, both of them strings", "'{\"scheme\": 1}'",
     '{"scheme":"afterok","value":"ƒ2oLkTLb"}'),
    ("constraints", "gpu&hots:a", "unknown operator 'hots'; did you mean hosts?", "hots:", "hosts"),
    ("cwd", "run/../x", "the directory of a job is a path from the root; it begins with '/'",
     "run/../x", "/home/me/run/x"),
    ("environment", "A=1 NOPE", "NOPE is not set in your environment", "NOPE", "NOPE=value"),
    ("environment", '{"A":1}', "the value of a variable is a string, or null to unset it",
     '{"A":1}', '{"NAME":"value"}'),
    ("shell-options", "mpi=none verbose=", "a value is missing after '='", "verbose=",
     '"" for an empty text'),
    ("task-attributes", "environment=5", "environment is a dictionary; found 5", "environment=5",
     "a dictionary"),
    ("system", "a=1 duration=5", "duration has a field of its own; type it at Duration",
     "duration=5", "Duration"),
    ("system", "job.name=x", "job.name has a field of its own; type it at Job name", "job.name=x",
     "Job name"),
    ("system", "job.x=5", "the values of job are strings; found 5", "job.x=5", 'job.x="5"'),
    ("user", "a=1 a=2", "duplicate key 'a'", "a", "another key"),
])  # fmt: skip
def test_errors(row: tuple[Any, ...]) -> None:
    name, text, message, place, expected = row
    field = fields.by_name(name)
    problem = fields.problems(field, text, BASE, CONTEXT)[0]
    assert (problem.message, text[slice(*problem.span)]) == (message, place)
    assert problem.severity == "error"
    assert ", ".join(problem.expected[:1]) == expected
    assert (problem.path or "").startswith(field.path)
    assert not field.read(text, CONTEXT).ok


@for_each("row", [
    ("script", "echo", "flux batch wants a script to begin with '#!' and what reads it",
     "#!/bin/sh"),
    ("tasks", "per_slot=2", "flux-core runs one task in each slot; total=N sets another number",
     "total=N"),
    ("tasks", "2 per gpu", "flux-core refuses per_resource; total=N sets how many tasks there are",
     "total=N"), ("tasks", "2 per core",
     "flux-core refuses per_resource; "
     "type per-resource.type=core per-resource.count=2 at Shell options",
     "per-resource.type=core per-resource.count=2"),
    ("tasks", "20", "RFC 25 wants total to be at most the count of the slot, 4; found 20",
     "at most 4"), ("distribution", "cyclic",
     "flux-core takes no notice of it; type taskmap.scheme=cyclic at Shell options",
     "taskmap.scheme=cyclic"), ("dependencies", "singleton",
     "flux-core refuses a singleton without a job name; type one above", "a job name"),
    ("dependencies", "afterok:x,y", "'x,y' is not the id of a job", "afterok:ƒ2oLkTLb"),
    ("dependencies", "[]", "an empty list waits for nothing, and so does a blank line", ""),
    ("queue", "bach", "there is no queue 'bach'; did you mean batch?", "batch"),
    ("constraints", "'a|b'", "property name 'a|b' holds '|', which no property name may", None),
    ("environment", "X_*", "no variable of your environment matches 'X_*'", ""),
    ("shell-options", "verbose=x", "verbose takes a whole number", "1"),
    ("shell-options", "cpu-afinity=off",
     "flux-core has no shell option 'cpu-afinity'; did you mean cpu-affinity?", "cpu-affinity"),
    ("shell-options", "cpu-affinity=all", "cpu-affinity takes on, off, per-task or map:LIST",
     "per-task"),
    ("shell-options", "exit-timeout=5x", "exit-timeout takes a duration or none", "5m"),
    ("shell-options", "taskmap=cyclic",
     "taskmap is a group of options, such as taskmap.scheme=cyclic", "taskmap.scheme=cyclic"),
    ("shell-options", "signal=SIGUSR1@60",
     "signal takes two options, signal.signum=10 signal.timeleft=60",
     "signal.signum=10 signal.timeleft=60"), ("shell-options", "signal=usr2@5m",
     "signal takes two options, signal.signum=12 signal.timeleft=5m",
     "signal.signum=12 signal.timeleft=5m"), ("shell-options", "signal=soon",
     "signal takes two options, signal.signum=10 signal.timeleft=60",
     "signal.signum=10 signal.timeleft=60"), ("shell-options", "signal=12",
     "signal=12 sends SIGUSR1 a minute before the end, whatever the number",
     "signal.signum=12 signal.timeleft=60"),
    ("task-attributes", "x=1", "flux-core takes no notice of the attributes of a task", ""),
])  # fmt: skip
def test_warnings(row: tuple[Any, ...]) -> None:
    name, text, message, expected = row
    field = fields.by_name(name)
    problem = fields.problems(field, text, BASE, CONTEXT)[0]
    assert (problem.message, problem.severity) == (message, "warning")
    assert expected is None or ", ".join(problem.expected[:1]) == expected
    assert field.read(text, CONTEXT).ok


@for_each("row", [
    ("shell-options", "verbose=2 cpu-affinity=verbose,per-task exit-timeout=none mpi=none"),
    ("shell-options", "cpu-affinity=map:0-1;2-3 exit-timeout=30 pty signal.timeleft=1m"),
    ("shell-options", "per-resource.type=node taskmap.scheme=cyclic foo=1 output.mode=append"),
    ("shell-options", "signal"), ("shell-options", "signal=0"),
    ("shell-options", "signal.signum=10 signal.timeleft=60"),
    ("shell-options", 'signal={"signum":12}'),
    ("dependencies", "afterok:ƒ1 begin-time:1767225600"), ("dependencies", "afterexcept:ƒ1"),
    ("tasks", "per_slot=1"), ("queue", "batch"), ("script", "#!/bin/sh\n"), ("cwd", "/x"),
    ("environment", "A=1 OMP_*"), ("duration", "1d"),
])  # fmt: skip
def test_what_is_fine(row: tuple[Any, ...]) -> None:
    name, text = row
    assert fields.problems(fields.by_name(name), text, BASE, CONTEXT) == ()


def test_what_hangs_on_the_rest_of_the_document() -> None:
    (problem,) = fields.problems(fields.by_name("command"), "read-db", RFC14["2.4"], Context())
    assert problem.message == "this is the first of 2 tasks; V1 has only one"
    named = changed("attributes/system/job", {"name": "x"})
    assert fields.problems(fields.by_name("dependencies"), "singleton", named, CONTEXT) == ()


@for_each("row", [
    ("2h", 3600.0, True), ("1h", 3600, True), ("30m", 3600.0, False), ("2h", 0.0, False),
    ("2h", "1h", False), ("", 3600.0, False), ("0", 3600.0, False),
])  # fmt: skip
def test_a_preemption_that_never_comes(row: tuple[Any, ...]) -> None:
    text, limit, warned = row
    document = changed("attributes/system/duration", limit)
    found = fields.problems(fields.by_name("preemptible-after"), text, document, CONTEXT)
    message = "the job ends after 1 hour, before it could be preempted"
    assert [(p.message, p.severity) for p in found] == [(message, "warning")] * warned
    assert not warned or found[0].expected == ("30m",)


@for_each("row", [
    ("duration", "attributes/system/duration", "1h", '"1h"',
     "duration is a number of seconds, 0 or more; found a string", "1h"),
    ("duration", "attributes/system/duration", float("inf"), "Infinity",
     "duration is a number of seconds, 0 or more; found inf", "1.5h"),
    ("command", "tasks/0/command", "app 'x", "app 'x",
     "command is a list of a program and its arguments; found a string", "app -x 'two words'"),
    ("command", "tasks/0/command", ["app", 1], '["app",1]',
     "the words of a command are strings; found 1", "app -x 'two words'"),
    ("environment", "attributes/system/environment", ["A"], '["A"]',
     "environment is a dictionary; found a list", "OMP_NUM_THREADS=4 PATH"),
    ("queue", "attributes/system/queue", 5, "5", "queue is a string; found 5", "batch"),
    ("cwd", "attributes/system/cwd", "x", '"x"', "cwd is an absolute path; found 'x'",
     "/home/me/run"),
    ("user", "attributes/user", 5, "5", "user is a dictionary; found 5", "run=7 note='second try'"),
    ("system", "attributes/system", 5, "5", "system is a dictionary; found 5", "job.note=test"),
    ("tasks", "tasks/0/count", {"total": 0}, '{"total":0}',
     "total is a whole number of 1 or more; found 0", "5"),
])  # fmt: skip
def test_a_malformed_part_is_shown_as_it_is(row: tuple[Any, ...]) -> None:
    name, path, value, text, message, expected = row
    document = changed(path, value)
    field = fields.by_name(name)
    before = copy.deepcopy(document)
    assert fields.text(field, document) == text
    problem = fields.problems(field, text, document, CONTEXT)[0]
    assert (problem.message, problem.severity) == (message, "error")
    assert problem.expected[:1] == (expected,)
    assert document == before


def test_what_is_missing_is_said() -> None:
    def said(name: str, path: str) -> list[tuple[str, str]]:
        found = fields.problems(fields.by_name(name), "", changed(path, ...), CONTEXT)
        return [(problem.message, problem.severity) for problem in found]

    v1 = ("V1 needs a duration; 0 leaves it to the queue", "warning")
    assert said("duration", "attributes/system/duration") == [v1]
    assert said("tasks", "tasks/0/count") == [("a task needs its count", "error")]
    assert said("slot", "tasks/0/slot") == [("a task runs in a slot; type its label", "error")]
    assert said("queue", "attributes/system/duration") == []
