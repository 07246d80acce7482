"""A field whose text cannot be read: the job goes on as it was before the field was changed."""

import pytest

from fluxtui import workbench
from fluxtui.workbench import (
    EditShape,
    History,
    Job,
    LeaveField,
    OpenJob,
    State,
    TypeField,
    step,
    unread,
)
from tests.workbench.test_authoring import SHAPE, begun, fields, system


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
