"""What is said of the text of a field, and where."""

from typing import Any

from fluxtui.model.form import fields
from fluxtui.model.form.field import Context
from tests.each import for_each
from tests.model.form.test_values import BASE, CONTEXT
from tests.model.jobspecs import RFC14, changed


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


def test_only_the_first_task_is_shown() -> None:
    document = RFC14["2.4"]
    found = fields.problems(fields.by_name("command"), "read-db", document, Context())
    assert [p.message for p in found] == ["this is the first of 2 tasks; V1 has only one"]


def test_a_singleton_with_a_name_is_fine() -> None:
    document = changed("attributes/system/job", {"name": "x"})
    assert fields.problems(fields.by_name("dependencies"), "singleton", document, CONTEXT) == ()


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
