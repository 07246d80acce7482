"""Undo and redo of a whole job, and what must not be lost on the way."""

from dataclasses import replace
from typing import Any

import pytest

from fluxtui import workbench
from fluxtui.model.documents.document import dump
from fluxtui.model.jobspec import jobspec
from fluxtui.model.resources import document as resources
from fluxtui.model.resources.document import Resources
from fluxtui.workbench import (
    ChooseQueue,
    Cluster,
    EditRequires,
    EditShape,
    History,
    Job,
    OpenCluster,
    OpenJob,
    Raw,
    ReplaceJob,
    SaveJob,
    Source,
    State,
    Submission,
    TypeField,
    TypeJobspec,
    TypeRequires,
    TypeShape,
    job_text,
    step,
)
from tests.workbench.test_authoring import SHAPE, YAML, begun, system

BROKEN = YAML.replace("count: 4", "count: [4")


def tasks(state: State) -> list[Any]:
    """The slots that the tasks are in."""
    return [task["slot"] for task in state.jobspec()["tasks"]]


def two_tasks() -> State:
    """A job of two tasks in two slots."""
    state = begun("[slot{a}/core;slot{b}/gpu]")
    document = state.jobspec()
    (task,) = document["tasks"]
    both = [{**task, "slot": "a"}, {**task, "slot": "b"}]
    return step(state, ReplaceJob({**document, "tasks": both}))


def typed(state: State, *texts: str) -> State:
    """The state after the shape was typed to these texts."""
    for text in texts:
        state = step(state, TypeShape(text))
    return state


# The tasks follow their slots


def test_tasks_follow_their_slots() -> None:
    text = two_tasks().build.text
    backwards = [text[:end] for end in range(len(text) - 1, len(text) - 13, -1)]
    for texts, slots in (
        ([*backwards, *backwards[-2::-1], text], ["a", "b"]),  # deleted and typed again
        (["[slot{a}/core;slot{bb}/gpu]"], ["a", "bb"]),
        (["[slot{x}/core;slot{y}/gpu;slot{z}/gpu]"], ["a", "b"]),  # nobody can tell whose
    ):
        state = typed(two_tasks(), *texts)
        assert tasks(state) == slots
        assert state.verdicts is not None
        assert state.verdicts.canonical.ok == ("{z}" not in texts[-1])
    one = step(begun("slot=2/core"), TypeField("command", "a"))
    assert tasks(typed(one, "slot=2{big}/core")) == ["big"]


# A text that cannot be read


@pytest.mark.parametrize("edit", [EditShape("node=5"), TypeRequires("gpu"), ChooseQueue("batch")])
@pytest.mark.parametrize("first", [begun(), step(begun(), TypeField("bank", "x"))])
def test_another_change_takes_the_place_of_a_broken_text(first: State, edit: Any) -> None:
    history = History(first).do(TypeJobspec(BROKEN, "yaml")).do(edit)
    assert history.state.job.raw is None
    assert job_text(history.state, "yaml") != BROKEN
    assert job_text(history.undo().state, "yaml") == BROKEN


def test_a_broken_text_stays_where_nothing_else_changes() -> None:
    state = step(step(begun(), TypeField("duration", "1h")), TypeJobspec(BROKEN, "yaml"))
    assert job_text(step(state, TypeField("duration", "60m")), "yaml") == BROKEN
    job, queue = Job(raw=Raw(BROKEN, "yaml", ())), Submission(queue="batch")
    state = workbench.start(None, job=job, submission=queue)
    assert (job_text(state, "yaml"), state.submission.queue) == (BROKEN, "batch")
    history = History(begun()).do(TypeJobspec(BROKEN, "yaml")).do(EditShape("node=5"))
    history = history.do(OpenCluster(Cluster.of(Source("elsewhere"), Resources())))
    assert job_text(history.undo().state, "yaml") == BROKEN


# Undo


def test_undo_brings_back_a_text_with_the_answer_it_had() -> None:
    first = begun("node=4/slot/core", "gpu")
    history = History(first)
    for edit in (EditShape("["), EditShape("slot=3/gpu")):
        history = history.do(edit)
    build = history.undo().state.build
    assert (build.text, build.resources) == ("[", first.build.resources)
    for asked in (EditRequires("gpu&&("), EditRequires("debug")):
        history = history.do(asked)
    ask = history.undo().state.ask
    assert (ask.text, ask.constraint) == ("gpu&&(", first.ask.constraint)


def test_a_file_opened_where_nothing_was_made_is_where_the_history_begins() -> None:
    opened = OpenJob(SHAPE, "gpu", None, Job(path="/job.yaml"), from_file=True)
    begun = History(workbench.start()).do(opened)
    assert begun.undo() is begun
    typed = History(workbench.start()).do(TypeShape("node")).do(opened)
    assert typed.undo().state.build.text == "node"
    example = History(workbench.start()).do(replace(opened, from_file=False))
    assert example.undo().state.build.blank


def test_undo_on_another_cluster_answers_anew_and_keeps_its_queues_away() -> None:
    document = {
        "version": 1,
        "execution": {
            "R_lite": [{"rank": "0-3", "children": {"core": "0-3"}}],
            "nodelist": ["n[0-3]"],
            "properties": {"gpu": "1-2"},
        },
    }
    here = Cluster.of(Source("here"), resources.read(document))
    history = History(workbench.start(here, SHAPE, "gpu"))
    history = history.do(TypeField("bank", "x")).do(ChooseQueue("batch")).do(TypeRequires(""))
    document["execution"]["properties"] = {"gpu": "0-3"}  # type: ignore[index]
    elsewhere = Cluster.of(Source("elsewhere"), resources.read(document))
    back = history.do(OpenCluster(elsewhere)).undo().state
    assert back.ask.totals.nodes == 4
    assert back.submission.queue == system(back).get("queue")


# The file of a job


def test_typing_after_a_save_is_another_step() -> None:
    history = History(begun("")).do(TypeShape("node"))
    history = history.do(SaveJob("/x.yaml", history.state.job)).do(TypeShape("nodes"))
    assert history.undo().state.build.text == "node"


def test_all_steps_of_a_job_have_the_file_it_was_saved_in() -> None:
    history = History(begun()).do(TypeField("bank", "a")).do(TypeField("project", "b")).undo()
    history = history.do(SaveJob("/x.yaml", history.state.job))
    assert {history.undo().state.job.path, history.redo().state.job.path} == {"/x.yaml"}


@pytest.mark.parametrize("late", [False, True])
def test_another_job_does_not_get_the_file(late: bool) -> None:
    """The file belongs to the job that was saved, also where another was opened meanwhile."""
    history = History(begun()).do(TypeField("bank", "a"))
    first = history.state.job
    history = history.do(OpenJob("slot/core", "", None, Job(begun("slot/core").jobspec())))
    history = history.do(SaveJob("/x.yaml", first if late else history.state.job))
    assert history.state.job.path == (None if late else "/x.yaml")
    assert history.undo().state.job.path == ("/x.yaml" if late else None)


# The texts stay in step


def test_a_constraint_of_its_own_ends_with_the_yaml_that_has_none() -> None:
    state = step(begun(requires="gpu"), TypeField("constraints", "bigmem"))
    text = dump({**state.jobspec(), "attributes": {"system": {"duration": 1}}})
    state = step(state, TypeJobspec(text, "yaml"))
    assert not state.job.own
    state = step(state, TypeRequires("debug"))
    assert system(state)["constraints"] == {"properties": ["debug"]}


def test_a_field_follows_a_change_of_its_part_from_anywhere() -> None:
    state = step(begun(), TypeField("duration", "60m"))
    document = jobspec.with_system(state.jobspec(), "duration", 5.0)
    state = step(state, ReplaceJob(document))
    assert workbench.field_text(state, "duration") == "5"


@pytest.mark.parametrize("count", [True, 1.0])
def test_a_count_that_only_looks_like_one_is_judged_as_it_is(count: Any) -> None:
    document = {**begun("node/slot/core").jobspec()}
    document["resources"] = [{**document["resources"][0], "count": count}]
    state = step(begun("node/slot/core"), TypeJobspec(dump(document, "json"), "json"))
    assert state.verdicts is not None
    assert not state.verdicts.canonical.ok


def test_a_job_with_a_bad_constraint_is_not_answered_by_the_one_before() -> None:
    state = begun(requires="gpu")
    state = step(state, OpenJob("slot/core", '{"foo": [1]}', None, Job(begun().jobspec())))
    assert state.ask.constraint is None


def test_long_texts_do_not_fill_the_memory_with_steps() -> None:
    history = History(workbench.start())
    filler = "# " + "x" * 200_000 + "\n"
    for number in range(12):
        history = history.do(TypeJobspec(f"{YAML}{filler}# {number} {number}\n", "yaml"))
    assert 2 <= len(history.past) <= 7
    assert "# 10 10" in job_text(history.undo().state, "yaml")
    history = History(workbench.start())
    for number in range(40):
        history = history.do(EditRequires("p" * 50_000 + str(number)))
    assert len(history.past) == 19  # 50,002 characters each
    assert history.undo().state.ask.text.endswith("p38")
