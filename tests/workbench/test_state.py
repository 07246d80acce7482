"""The state, its edits, and their history."""

import json
from typing import Any

import pytest

from fluxtui import workbench as wb
from fluxtui.answers import matching
from fluxtui.model.jobspec.verdicts import verdicts
from fluxtui.notation.json_value import identical
from fluxtui.notation.shape.tree import from_resources
from tests.each import for_each, the
from tests.model.clusters import document, lite
from tests.model.jobspecs import job, resources_of
from tests.opened import after, demo, done, of_document

SMALL = of_document(
    document(
        *(lite("0-5", "0-7"), lite("6-7", "0-3", "0-1")),
        nodelist=["n[0-7]"],
        properties={"gpu": "6-7", "debug": "0,7"},
    )
)
GPU = 0b11000000
SHAPE = "node=4/slot/[core=8;gpu]"


def test_the_history_is_bounded() -> None:
    edits = (wb.TypeRequires(f"rank:{number} ") for number in range(3000))
    history = done(wb.History(wb.start()), *edits)
    assert 100 <= len(history.past) < 3000
    assert history.undo().state.ask.text == "rank:2998 "


# Start


def test_starts_with_nothing_open_and_with_texts() -> None:
    assert wb.start().cluster.source == wb.Source("nothing open")
    state = wb.start(SMALL, SHAPE, "gpu")
    assert state.jobspec() == job(SHAPE, constraints={"properties": ["gpu"]})
    promised = wb.start(demo(), SHAPE, "gpu&-debug")  # by the README
    assert 0 < promised.ask.totals.nodes < demo().resources.properties["gpu"].bit_count()
    assert (promised.build.syntax, verdicts(promised.jobspec()).problems) == ((), ())


def test_a_match_is_not_worked_out_again_while_the_text_is_bad(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state = wb.start(SMALL, "", "gpu")
    asked: list[object] = []
    real = matching.matched
    monkeypatch.setattr(matching, "matched", lambda *given: asked.append(given) or real(*given))
    after(state, wb.TypeRequires("gpu&"))
    assert asked == []
    after(state, wb.TypeRequires("gpu&debug"))
    assert len(asked) == 3  # all of it and both of its properties, each once


# The shape and the document say the same, down to the kind of each value, whatever is typed


@for_each("before, new", [
    ("node{exclusive:1}/slot/core", "node{exclusive:true}/slot/core"),
    ("node{k:1}/slot/core", "node{k:true}/slot/core"),
    ("node{k:1}/slot/core", "node{k:1.0}/slot/core"),
    ("node{k:[0]}/slot/core", "node{k:[false]}/slot/core"),
    ("core{x:true}", "core{x:1}"),
])  # fmt: skip
def test_a_value_of_another_kind_is_another_one_both_ways(before: str, new: str) -> None:
    for one, other in ((before, new), (new, before)):
        state = wb.start(None, "node/slot/core")
        state = after(state, wb.TypeJobspec(wb.job_text(state, "yaml") + "# c\n", "yaml"))
        state = after(state, wb.TypeShape(one), wb.TypeShape(other))
        fresh = after(wb.start(SMALL), wb.TypeShape(other)).build
        assert repr(state.build.resources) == repr(fresh.resources)
        assert state.build.request == fresh.request
        assert identical(state.jobspec()["resources"], resources_of(other))
        as_yaml = wb.job_text(state, "yaml")
        state = after(state, wb.TypeShape(one))
        assert identical(state.jobspec()["resources"], resources_of(one))
        state = after(state, wb.TypeJobspec(as_yaml, "yaml"))
        assert identical(list(state.build.resources), resources_of(other))
        assert identical(state.jobspec()["resources"], resources_of(other))


def test_a_value_of_more_levels_than_a_shape_can_say() -> None:
    state = wb.start(demo(), "node/slot/core")
    for levels, said in ((47, "{k:{a:"), (48, ""), (190, "")):
        for leaf in (1, 2, 3):
            value: Any = leaf
            for _ in range(levels):
                value = {"a": value}
            document = job("node/slot/core")
            document["resources"][0]["k"] = value
            state = after(state, wb.TypeJobspec(json.dumps(document), "json"))
            assert state.job.document is not None
            assert state.build.text.startswith(f"node{said or '/slot/core'}")
            kept = from_resources(state.job.document["resources"])
            wrong = ["a shape holds at most 48 levels resources[0].k"]
            assert [f"{p.message} {p.path}" for p in kept.problems] == ([] if said else wrong)


def test_a_json_text_of_more_levels_than_are_written_is_not_read() -> None:
    state, head = wb.start(demo(), "node/slot/core"), json.dumps(job("node/slot/core"))[:-1]
    for levels in (210, 400, 900):
        text = f'{head}, "x": {"[" * levels}{"]" * levels}}}'
        state = after(state, wb.TypeJobspec(text, "json"))
        (problem,) = the(state.job.raw).problems
        assert problem.message == "more than 200 levels within each other are not read"
        assert wb.job_text(state, "yaml")
