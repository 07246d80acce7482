"""The whole jobspec in the workbench: fields, raw text, and how all texts stay in step."""

import json
from typing import Any

import pytest

from fluxtui import workbench
from fluxtui.model.documents.document import dump, read_yaml
from fluxtui.model.jobspec import jobspec
from fluxtui.workbench import (
    ChooseQueue,
    EditRequires,
    EditShape,
    History,
    Job,
    LeaveField,
    OpenJob,
    ReplaceJob,
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


def test_the_queue_field_and_the_chosen_queue_are_one() -> None:
    state = step(begun(), TypeField("queue", "batch"))
    assert state.submission.queue == "batch"
    assert system(state)["queue"] == "batch"
    state = step(state, ChooseQueue("debug"))
    assert system(state)["queue"] == "debug"
    state = step(state, TypeField("queue", ""))
    assert state.submission.queue is None
    assert "queue" not in system(state)


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


def test_a_text_that_cannot_be_read_stays_and_the_job_too() -> None:
    good = step(begun(""), TypeJobspec(YAML, "yaml"))
    broken = YAML.replace("count: 4", "count: [4")
    state = step(good, TypeJobspec(broken, "yaml"))
    assert state.job.raw is not None
    assert state.job.raw.problems
    assert job_text(state, "yaml") == broken
    assert state.jobspec() == good.jobspec()
    mended = step(state, TypeJobspec(YAML, "yaml"))
    assert mended.job.raw is None
    assert mended.jobspec() == good.jobspec()


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


def test_a_field_in_the_yaml_and_its_typed_text_do_not_part() -> None:
    state = fields(begun(), ("duration", "60m"), ("command", "app -x"))
    text = job_text(state, "yaml").replace("3600.0", "60.0")
    state = step(state, TypeJobspec(text, "yaml"))
    assert "duration" not in state.job.typed
    assert system(state)["duration"] == 60.0


@pytest.mark.parametrize("resources", [None, {}, "x", [5], [{"count": 2}], [{"type": "node"}]])
def test_resources_that_no_shape_can_say_stay_in_the_document(resources: Any) -> None:
    document = {**begun().jobspec(), "resources": resources}
    text = dump(document, "json")
    state = step(workbench.start(), TypeJobspec(text, "json"))  # no vertices stand there so far
    assert state.jobspec() == document
    assert job_text(state, "json") == text


# One step each


def test_each_edit_is_one_step_and_undo_leads_through_all_of_them() -> None:
    history = History(begun())
    states = [history.state]
    for edit in (
        EditShape("slot=2/core"),
        TypeField("command", "hostname"),
        TypeRequires("gpu"),
        ReplaceJob({**begun("slot=3/core").jobspec(), "version": 999}),
        TypeJobspec(YAML, "yaml"),
        OpenJob("slot/core", "", None, Job(begun("slot/core").jobspec())),
        EditShape("slot/core=3"),
    ):
        history = history.do(edit)
        states.append(history.state)

    def texts(state: State) -> tuple[Any, ...]:
        return state.jobspec(), state.build.text, state.ask.text, job_text(state, "yaml")

    for expected in reversed(states[:-1]):
        history = history.undo()
        assert texts(history.state) == texts(expected)
    assert history.undo() is history
    for expected in states[1:]:
        history = history.redo()
        assert texts(history.state) == texts(expected)


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


def test_a_wrong_field_does_not_take_back_what_was_changed_meanwhile() -> None:
    state = step(typed_out(begun(), "duration", "2"), EditShape("node=9/slot/core"))
    state = fields(state, ("duration", "2x"))
    assert state.jobspec()["resources"][0]["count"] == 9
    assert system(state)["duration"] == 2.0


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
