"""The whole jobspec in the workbench: fields, raw text, and how all texts stay in step."""

import json
from dataclasses import replace
from typing import Any

import pytest

from fluxtui import workbench as wb
from fluxtui.model.documents.document import dump, read_yaml
from fluxtui.model.jobspec import jobspec
from tests.each import for_each, the
from tests.model.clusters import alike
from tests.opened import after, done, of_document

SHAPE = "node=4/slot/[core=8;gpu]"

YAML = """\
version: 1          # the only one there is
resources:
  - type: node
    count: 4
    with:
      - type: slot
        count: 1
        label: default
        with:
          - {type: core, count: 2}   # two each
tasks:
  - command: [ "app" ]
    slot: default
    count:
      per_slot: 1
attributes:
  system:
    duration: 3600.
    cwd: "/home/flux"
    environment:
      HOME: "/home/flux"
"""


def begun(shape: str = SHAPE, requires: str = "") -> wb.State:
    """A workbench without a cluster, in a known environment."""
    around = wb.Surroundings({"HOME": "/home/me", "OMP_A": "1", "OMP_B": "2"}, "/home/me/work")
    return wb.start(None, shape, requires, around=around)


def system(state: wb.State) -> dict[str, Any]:
    """The system attributes of the job."""
    return dict(jobspec.system(state.jobspec()))


def test_a_field_changes_the_document_and_nothing_else() -> None:
    before = begun()
    typed = after(before, wb.TypeField("duration", "1h"))
    assert system(typed) == {"duration": 3600.0}
    assert typed.jobspec()["resources"] == before.jobspec()["resources"]
    assert typed.build is before.build
    assert typed.ask is before.ask
    assert typed.outlook.asked == typed.jobspec()
    same = after(before, wb.TypeField("duration", "60m"))  # it keeps what was typed
    assert (system(same), same.job.typed["duration"]) == ({"duration": 3600.0}, "60m")
    other = jobspec.with_system(same.jobspec(), "duration", 5.0)  # and follows its part
    assert wb.field_text(after(same, wb.ReplaceJob(other)), "duration") == "5"


def test_a_constraint_of_its_own_ends_with_its_text() -> None:
    own = after(begun(requires="gpu"), wb.TypeField("constraints", "bigmem"))
    bare = dump({**own.jobspec(), "attributes": {"system": {"duration": 1}}})
    ended = after(own, wb.TypeJobspec(bare, "yaml"))
    assert not ended.job.own
    assert system(after(ended, wb.TypeRequires("a")))["constraints"] == {"properties": ["a"]}


# The raw text


def test_the_yaml_that_is_typed_becomes_the_job_and_keeps_what_does_not_change() -> None:
    state = after(begun("", "gpu"), wb.TypeJobspec(YAML, "yaml"))
    assert state.jobspec() == read_yaml(YAML).value
    assert state.build.text == "node=4/slot/core=2"
    assert state.ask.text == ""  # the document has no constraint
    assert wb.job_text(state, "yaml") == YAML
    state = after(state, wb.TypeShape("node=5/slot/core=2"), wb.TypeField("duration", "2h"))
    expected = YAML.replace("count: 4", "count: 5").replace("3600.", "7200.0")
    assert wb.job_text(state, "yaml") == expected
    assert read_yaml(expected).value == state.jobspec()
    # The shape follows with its own spaces kept.
    spaced = begun("node=4 / slot / [core=8; gpu]")
    text = wb.job_text(spaced, "yaml").replace("count: 8", "count: 16")
    assert (
        after(spaced, wb.TypeJobspec(text, "yaml")).build.text == "node=4 / slot / [core=16; gpu]"
    )


@for_each("before, new, is_placed, says", [
    ("resources:\n", "resources:\nx:\n", True, "found null"),
    ("resources:\n", "resource:\n", False, "a jobspec needs its resources"),
    ("resources:\n", "resources: 5\nx:\n", True, "found 5"),
    ("tasks:\n", "  -\ntasks:\n", True, "resources[1]"),
])  # fmt: skip
def test_resources_that_are_no_list_of_vertices_yet_leave_those_that_stand(
    before: str, new: str, is_placed: bool, says: str
) -> None:
    good = after(wb.start(), wb.TypeJobspec(YAML, "yaml"))
    text = YAML.replace(before, new)
    bad = after(good, wb.TypeJobspec(text, "yaml"))
    assert bad.build is good.build
    assert bad.job.document is good.job.document
    assert bad.stale
    (problem,) = the(bad.job.raw).errors
    assert says in f"{problem.path}: {problem.message}"
    assert (problem.span is not None) == is_placed
    assert wb.job_text(bad, "yaml") == text
    again = after(bad, wb.TypeJobspec(YAML, "yaml"))
    assert again.job.raw is None
    assert again.build.text == good.build.text


def test_json_is_typed_as_well() -> None:
    text = json.dumps({**begun().jobspec(), "version": 999})
    state = after(begun(), wb.TypeJobspec(text, "json"))
    assert (wb.job_text(state, "json"), state.jobspec()) == (text, json.loads(text))
    state = after(state, wb.TypeJobspec("[1, 2]", "json"))
    assert "dictionary" in the(state.job.raw).problems[0].message


@for_each("resources", [None, {}, "x", [5], [{"count": 2}], [{"type": "node"}]])
def test_resources_that_no_shape_can_say_stay_in_the_document(resources: Any) -> None:
    document = {**begun().jobspec(), "resources": resources}
    text = dump(document, "json")
    state = after(wb.start(), wb.TypeJobspec(text, "json"))  # no vertices stand there so far
    assert state.job.raw is None
    assert state.jobspec() == document
    assert wb.job_text(state, "json") == text


def test_a_field_that_cannot_be_read_is_told_of_a_draft_too() -> None:
    state = after(begun(), wb.TypeField("duration", "2 hours"))
    for one in (state, after(begun(), wb.OpenJob(SHAPE, "", None, state.job))):
        (wrong,) = wb.unread(one)
        assert (wrong.label, wrong.text, wrong.held) == ("Duration", "2 hours", "")
        assert wrong.problem.message


# The tasks follow their slots


def test_tasks_follow_their_slots() -> None:
    state = begun("[slot{a}/core;slot{b}/gpu]")
    (task,) = state.jobspec()["tasks"]
    both = [{**task, "slot": "a"}, {**task, "slot": "b"}]
    two = after(state, wb.ReplaceJob({**state.jobspec(), "tasks": both}))
    text = two.build.text
    backwards = [text[:end] for end in range(len(text) - 1, len(text) - 13, -1)]
    one = after(begun("slot=2/core"), wb.TypeField("command", "a"))
    for before, texts, slots in (
        (two, [*backwards, *backwards[-2::-1], text], ["a", "b"]),  # deleted and typed again
        (two, ["[slot{a}/core;slot{bb}/gpu]"], ["a", "bb"]),
        (two, ["[slot{x}/core;slot{y}/gpu;slot{z}/gpu]"], ["a", "b"]),  # nobody can tell whose
        (one, ["slot=2{big}/core"], ["big"]),
    ):
        state = after(before, *map(wb.TypeShape, texts))
        assert [task["slot"] for task in state.jobspec()["tasks"]] == slots
        assert the(state.verdicts).canonical.ok == ("{z}" not in texts[-1])


# Undo, and the file of a job


def test_a_file_opened_where_nothing_was_made_is_where_the_history_begins() -> None:
    opened = wb.OpenJob(SHAPE, "gpu", None, wb.Job(path="/job.yaml"), from_file=True)
    first = wb.History(wb.start())
    begun = first.do(opened)
    assert begun.undo() is begun
    assert done(first, wb.TypeShape("node"), opened).undo().state.build.text == "node"
    assert first.do(replace(opened, from_file=False)).undo().state.build.blank


def test_undo_on_another_cluster_answers_anew_and_keeps_its_queues_away() -> None:
    here, elsewhere = (of_document(alike(4, properties={"gpu": g})) for g in ("1-2", "0-3"))
    edits = (wb.TypeField("bank", "x"), wb.ChooseQueue("batch"), wb.TypeRequires(""))
    history = done(wb.History(wb.start(here, SHAPE, "gpu")), *edits, wb.OpenCluster(elsewhere))
    back = history.undo().state
    assert back.ask.totals.nodes == 4
    assert back.submission.queue == system(back).get("queue")


@pytest.mark.parametrize("late", [False, True])
def test_another_job_does_not_get_the_file(late: bool) -> None:
    """The file belongs to the job that was saved, also where another was opened meanwhile."""
    history = wb.History(begun()).do(wb.TypeField("bank", "a"))
    first = history.state.job
    history = history.do(wb.OpenJob("slot/core", "", None, wb.Job(begun("slot/core").jobspec())))
    history = history.do(wb.SaveJob("/x.yaml", first if late else history.state.job))
    assert history.state.job.path == (None if late else "/x.yaml")
    assert history.undo().state.job.path == ("/x.yaml" if late else None)


@for_each("count", [True, 1.0])
def test_a_count_that_only_looks_like_one_is_judged_as_it_is(count: Any) -> None:
    document = {**begun("node/slot/core").jobspec()}
    document["resources"] = [{**document["resources"][0], "count": count}]
    state = after(begun("node/slot/core"), wb.TypeJobspec(dump(document, "json"), "json"))
    assert not the(state.verdicts).canonical.ok


def test_long_texts_do_not_fill_the_memory_with_steps() -> None:
    filler = "# " + "x" * 200_000 + "\n"
    texts = [f"{YAML}{filler}# {number} {number}\n" for number in range(12)]
    history = done(wb.History(wb.start()), *(wb.TypeJobspec(text, "yaml") for text in texts))
    assert 2 <= len(history.past) <= 7
    assert "# 10 10" in wb.job_text(history.undo().state, "yaml")
    texts = ["p" * 50_000 + str(number) for number in range(40)]
    history = done(wb.History(wb.start()), *map(wb.EditRequires, texts))
    assert len(history.past) == 19  # 50,002 characters each
    assert history.undo().state.ask.text.endswith("p38")


def test_a_job_is_given_the_folder_and_the_environment_that_it_does_not_say() -> None:
    def given(around: wb.Surroundings, **own: Any) -> dict[str, Any]:
        document = {"version": 1, "attributes": {"system": own}}
        found = jobspec.system(around.given_to(document))
        assert document["attributes"] == {"system": own}
        return dict(found)

    around = wb.Surroundings({"PATH": "/bin"}, "/here")
    assert given(around, cwd="/there") == {"cwd": "/there", "environment": {"PATH": "/bin"}}
    assert given(around, environment={}) == {"cwd": "/here", "environment": {}}
    assert around.given_to({})["attributes"]["system"]["cwd"] == "/here"
    around = wb.Surroundings(limits={"core": 0, "nofile": 1024})
    options = {"mpi": "none", "rlimit": {"core": 0, "nofile": 1024}}
    assert given(around, shell={"options": {"mpi": "none"}})["shell"] == {"options": options}
    shell = {"options": {"rlimit": {"core": -1}}}
    assert given(around, shell=shell) == {"shell": shell}
