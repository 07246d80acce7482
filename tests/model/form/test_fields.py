"""Each field reads, writes, describes and completes as it is recorded; see `answers`."""

import copy
from typing import Any

from fluxtui.model.form import fields
from fluxtui.model.form.field import Context
from tests.model.form.answers import CONTEXT, PATH, answer
from tests.model.jobspecs import RFC14
from tests.recorded import Agree, rerun


def test_fields_answer_as_recorded(agree: Agree) -> None:
    before = copy.deepcopy(CONTEXT.document)
    agree(PATH, rerun(PATH, answer))
    assert CONTEXT.document == before


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
