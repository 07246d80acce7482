"""The whole jobspec in the workbench: fields, raw text, and how all texts stay in step."""

import json
from dataclasses import replace
from typing import Any

import pytest

from fluxtui import workbench
from fluxtui.model.documents.document import dump, read_yaml
from fluxtui.model.jobspec import jobspec
from fluxtui.model.resources import document as resources
from fluxtui.workbench import (
    ChooseQueue,
    Cluster,
    EditRequires,
    EditShape,
    History,
    Job,
    LeaveField,
    OpenCluster,
    OpenJob,
    ReplaceJob,
    SaveJob,
    Source,
    State,
    Surroundings,
    TypeField,
    TypeJobspec,
    TypeRequires,
    TypeShape,
    job_text,
    step,
    unread,
)

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


def begun(shape: str = SHAPE, requires: str = "") -> State:
    """A workbench without a cluster, in a known environment."""
    around = Surroundings({"HOME": "/home/me", "OMP_A": "1", "OMP_B": "2"}, "/home/me/work")
    return workbench.start(None, shape, requires, around=around)


def system(state: State) -> dict[str, Any]:
    """The system attributes of the job."""
    return dict(jobspec.system(state.jobspec()))


def fields(state: State, *texts: tuple[str, str]) -> State:
    """The state after these fields got these texts."""
    for name, text in texts:
        state = step(state, TypeField(name, text))
    return state


def test_a_field_changes_the_document_and_nothing_else() -> None:
    before = begun()
    after = step(before, TypeField("duration", "1h"))
    assert system(after) == {"duration": 3600.0}
    assert after.jobspec()["resources"] == before.jobspec()["resources"]
    assert after.build is before.build
    assert after.ask is before.ask
    assert after.outlook.asked == after.jobspec()
    same = step(before, TypeField("duration", "60m"))  # it keeps what was typed
    assert (system(same), same.job.typed["duration"]) == ({"duration": 3600.0}, "60m")


def test_the_shape_and_the_constraint_go_on_into_a_document_with_fields() -> None:
    state = step(begun(), TypeField("command", "hostname -f"))
    state = step(state, TypeShape("slot=10/core=2"))
    state = step(state, TypeRequires("gpu"))
    state = step(state, ChooseQueue("batch"))
    document = state.jobspec()
    assert document["tasks"][0]["command"] == ["hostname", "-f"]
    assert document["resources"][0]["count"] == 10
    assert system(state)["constraints"] == {"properties": ["gpu"]}
    assert system(state)["queue"] == "batch"


def test_a_constraint_of_its_own_stands_apart_from_the_bar() -> None:
    state = begun(requires="gpu")
    state = step(state, TypeField("constraints", "bigmem"))
    assert system(state)["constraints"] == {"properties": ["bigmem"]}
    assert state.ask.text == "gpu"
    state = step(state, TypeRequires("debug"))
    assert system(state)["constraints"] == {"properties": ["bigmem"]}
    state = step(state, TypeField("constraints", ""))
    assert system(state)["constraints"] == {"properties": ["debug"]}


def test_the_environment_comes_from_where_a_person_works() -> None:
    state = step(begun(), TypeField("environment", "OMP_* HOME=/home/flux"))
    assert system(state)["environment"] == {"OMP_A": "1", "OMP_B": "2", "HOME": "/home/flux"}


# The raw text


def test_the_yaml_that_is_typed_becomes_the_job() -> None:
    state = step(begun("", "gpu"), TypeJobspec(YAML, "yaml"))
    assert state.jobspec() == read_yaml(YAML).value
    assert state.build.text == "node=4/slot/core=2"
    assert state.ask.text == ""  # the document has no constraint
    assert job_text(state, "yaml") == YAML


def test_what_changes_elsewhere_leaves_the_rest_of_the_yaml_alone() -> None:
    state = step(begun(""), TypeJobspec(YAML, "yaml"))
    state = step(state, TypeShape("node=5/slot/core=2"))
    state = step(state, TypeField("duration", "2h"))
    expected = YAML.replace("count: 4", "count: 5").replace("3600.", "7200.0")
    assert job_text(state, "yaml") == expected
    assert read_yaml(expected).value == state.jobspec()


def test_the_shape_follows_the_yaml_with_its_own_spaces_kept() -> None:
    state = begun("node=4 / slot / [core=8; gpu]")
    text = job_text(state, "yaml").replace("count: 8", "count: 16")
    state = step(state, TypeJobspec(text, "yaml"))
    assert state.build.text == "node=4 / slot / [core=16; gpu]"


@pytest.mark.parametrize(
    ("before", "after", "line", "says"),
    [
        ("resources:\n", "resources:\nx:\n", 2, "found null"),
        ("resources:\n", "resource:\n", 0, "a jobspec needs its resources"),
        ("resources:\n", "resources: 5\nx:\n", 2, "found 5"),
        ("tasks:\n", "  -\ntasks:\n", 2, "resources[1]"),
    ],
)
def test_resources_that_are_no_list_of_vertices_yet_leave_those_that_stand(
    before: str, after: str, line: int, says: str
) -> None:
    good = step(workbench.start(), TypeJobspec(YAML, "yaml"))
    text = YAML.replace(before, after)
    bad = step(good, TypeJobspec(text, "yaml"))
    assert bad.build is good.build
    assert bad.job.document is good.job.document
    assert bad.stale
    assert bad.job.raw is not None
    (problem,) = bad.job.raw.errors
    assert says in f"{problem.path}: {problem.message}"
    assert (problem.span is None) == (not line)
    assert job_text(bad, "yaml") == text
    again = step(bad, TypeJobspec(YAML, "yaml"))
    assert again.job.raw is None
    assert again.build.text == good.build.text


def test_a_text_without_vertices_is_one_where_there_are_none() -> None:
    state = step(workbench.start(), TypeJobspec("version: 1\nresources:\n", "yaml"))
    assert state.job.raw is None
    assert state.job.document == {"version": 1, "resources": None}


def test_json_is_typed_as_well() -> None:
    document = {**begun().jobspec(), "version": 999}
    text = json.dumps(document)
    state = step(begun(), TypeJobspec(text, "json"))
    assert state.jobspec() == document
    assert job_text(state, "json") == text
    state = step(state, TypeJobspec("[1, 2]", "json"))
    assert state.job.raw is not None
    assert "dictionary" in state.job.raw.problems[0].message


@pytest.mark.parametrize("resources", [None, {}, "x", [5], [{"count": 2}], [{"type": "node"}]])
def test_resources_that_no_shape_can_say_stay_in_the_document(resources: Any) -> None:
    document = {**begun().jobspec(), "resources": resources}
    text = dump(document, "json")
    state = step(workbench.start(), TypeJobspec(text, "json"))  # no vertices stand there so far
    assert state.jobspec() == document
    assert job_text(state, "json") == text


# One step each


@pytest.mark.parametrize(
    ("edits", "steps"),
    [
        ([TypeField("duration", text) for text in ("1", "12", "12m")], 1),
        ([TypeField("duration", "1"), TypeField("command", "a"), TypeField("command", "ap")], 2),
        ([TypeShape("node=9"), EditShape("node=10")], 2),  # it is not typed
        ([TypeRequires("a"), EditRequires("a&b")], 2),
    ],
)
def test_typing_in_one_place_is_one_step(edits: list[workbench.Edit], steps: int) -> None:
    history = first = History(begun(""))
    for edit in edits:
        history = history.do(edit)
    assert len(history.past) == steps
    for _ in range(steps):
        history = history.undo()
    assert (history.state.build.text, history.state.job) == ("", first.state.job)


# A field whose text cannot be read: the job goes on as it was before the field was changed


def typed_out(state: State, name: str, text: str) -> State:
    """The state after a text was typed into a blank field, key by key."""
    return fields(state, *((name, text[:end]) for end in range(1, len(text) + 1)))


@pytest.mark.parametrize("text", ["2 hours", "1:30:00", "abc", "5 parsecs", "1h 30x"])
def test_no_beginning_of_a_text_is_what_was_meant(text: str) -> None:
    state = typed_out(begun(), "duration", text)
    assert system(state)["duration"] == 0.0
    assert workbench.field_text(state, "duration") == text
    (wrong,) = unread(state)
    assert (wrong.label, wrong.text, wrong.held) == ("Duration", text, "")
    assert wrong.problem.message


def test_a_wrong_field_keeps_what_it_said_when_it_was_left() -> None:
    state = step(typed_out(begun(), "duration", "90m"), LeaveField("duration"))
    state = fields(state, ("duration", ""), ("duration", "2"), ("duration", "2 hours"))
    assert system(state)["duration"] == 5400.0
    assert unread(state)[0].instead == "with 90m"
    state = step(state, LeaveField("duration"))
    state = fields(state, ("duration", "7"), ("duration", "7x"))
    assert system(state)["duration"] == 5400.0
    mended = fields(state, ("duration", "7d"))
    assert system(mended)["duration"] == 7 * 86400.0
    assert unread(mended) == ()
    assert "duration" not in mended.job.typed


def test_a_wrong_queue_leaves_the_job_where_it_went() -> None:
    state = typed_out(begun(requires="gpu"), "queue", '"a')
    assert system(state).get("queue") == state.submission.queue
    state = typed_out(begun(requires="gpu"), "constraints", "debug&")
    assert not state.job.own
    assert system(state)["constraints"] == {"properties": ["gpu"]}


def test_a_field_that_is_left_wrong_and_typed_on_is_a_step_each() -> None:
    history = History(begun())
    for text in ("2", "2 ", "2 h", "2 ho"):
        history = history.do(TypeField("duration", text))
    history = history.do(LeaveField("duration")).do(TypeField("duration", "2 hou"))
    assert workbench.field_text(history.undo().state, "duration") == "2 ho"
    while history.past:
        history = history.undo()
    assert history.state.job == Job()
    assert unread(history.state) == ()


def test_a_draft_with_a_wrong_field_knows_why_it_is_wrong() -> None:
    state = begun()
    job = Job(state.jobspec(), typed={"duration": "2 hours"})
    opened = step(state, OpenJob(SHAPE, "", None, job))
    assert [one.label for one in unread(opened)] == ["Duration"]


# Undo and redo of a whole job, and what must not be lost on the way


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


# Undo


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
