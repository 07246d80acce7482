"""Parts of a document that no field has a text for, and parts that are missing."""

import copy
from typing import Any

from fluxtui.model.form import fields
from tests.each import for_each
from tests.model.form.test_values import CONTEXT
from tests.model.jobspecs import changed


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
