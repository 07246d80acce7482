"""The status of queues (RFC 33)."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.model import queues
from fluxtui.model.queues import Status
from tests.each import for_each

CONFIG = queues.read_config(
    {
        "queues": {"batch": {}, "short": {"parent": "batch"}, "debug": {}},
        "policy": {"jobspec": {"defaults": {"system": {"queue": "batch"}}}},
    }
)

#: The example of RFC 33: a virtual queue that is started while its parent is stopped.
EXAMPLE = {
    "enable": True,
    "start": False,
    "blocked": "parent",
    "parent": "batch",
    "stop_reason": "parent queue 'batch' is stopped",
}
BEHIND = Status(True, False, None, "parent queue 'batch' is stopped", "parent", "batch")


def test_statuses_by_name() -> None:
    found = queues.read_status(
        {
            "short": EXAMPLE,
            "debug": {"enable": False, "start": True, "disable_reason": "disk", "other": 1},
        }
    )
    assert found.problems == ()
    assert found.value == {"short": BEHIND, "debug": Status(False, True, "disk")}


def test_statuses_of_other_forms() -> None:
    alone = queues.read_status({"enable": True, "start": False})
    assert alone.value == {"": Status(True, False)}
    # A queue may have the name of a key.
    named = queues.read_status({"start": {"enable": True, "start": True}})
    assert named.value == {"start": Status()}
    # As Flux saves them.
    batch = {"name": "batch", "enable": True, "start": False, "stop_reason": "tests"}
    saved = queues.read_status([batch, {"enable": True, "start": True}])
    assert saved.problems == ()
    assert saved.value == {"batch": Status(True, False, None, "tests"), "": Status()}


@for_each(
    "case",
    [
        (5, None, "a status is an object; found 5"),
        ({"a": 5}, "a", "the status of a queue is an object; found 5"),
        ({"a": {"start": True}}, "a", "the status of a queue has no 'enable'"),
        ({"a": {"enable": 1, "start": True}}, "a.enable", "enable is true or false; found 1"),
        ({"enable": True}, None, "the status of a queue has no 'start'"),
        ([{"name": 5}], "[0]", "the name of a queue is a string; found 5"),
        ([5], "[0]", "the status of a queue is an object; found 5"),
        ({"a": {"enable": True, "start": False, "stop_reason": 5}}, "a.stop_reason",
         "stop_reason is a string; found 5"),
        ({"a": {"enable": True, "start": True, "blocked": "scheduler"}}, "a.blocked",
         "a queue that is started is not blocked; found 'scheduler'"),
        ({"a": {"enable": False, "start": True}}, "a",
         "a disabled queue says why in disable_reason"),
    ],
)  # fmt: skip
def test_problems(case: tuple[Any, str | None, str]) -> None:
    document, path, message = case
    found = queues.read_status(document)
    assert [(p.path, p.message, p.rule) for p in found.problems] == [(path, message, "RFC 33")]
    assert found.ok == (found.problems[0].severity == "warning")


def test_what_is_malformed_is_left_out() -> None:
    found = queues.read_status({"a": 5, "b": {"enable": True, "start": True}})
    assert found.value == {"b": Status()}


@for_each(
    "case",
    [
        (Status(), ""),
        (Status(started=False), "stopped"),
        (Status(started=False, stop_reason="tests"), "tests"),
        (Status(started=False, blocked="scheduler"), "no scheduler is loaded"),
        (Status(started=False, blocked="parent"), "its parent queue is stopped"),
        (Status(started=False, blocked="weather"), "blocked by 'weather'"),
    ],
)
def test_why_nothing_is_scheduled(case: tuple[Status, str]) -> None:
    status, why = case
    assert status.why_stopped == why
    assert status.started_itself == (status.started or status.blocked is not None)


def test_a_virtual_queue_follows_its_parent() -> None:
    stopped = Status(started=False, stop_reason="tests")
    found = queues.effective(CONFIG, {"batch": stopped})
    assert found == {"batch": stopped, "short": BEHIND, "debug": Status()}
    assert queues.read_status({"short": EXAMPLE}).value["short"] == found["short"]


def test_a_virtual_queue_starts_with_its_parent_unless_it_is_stopped_itself() -> None:
    found = queues.effective(CONFIG, {"batch": Status(), "short": BEHIND})
    assert found["short"] == Status(parent="batch")
    own = Status(started=False, stop_reason="mine")
    for parent in (Status(), Status(started=False)):
        found = queues.effective(CONFIG, {"batch": parent, "short": own})
        assert found["short"] == Status(started=False, stop_reason="mine", parent="batch")


def test_what_blocks_the_parent_blocks_the_virtual_queue() -> None:
    blocked = Status(True, False, None, "Scheduler is offline", "scheduler")
    found = queues.effective(CONFIG, {"batch": blocked})
    assert found["short"].blocked == "scheduler"
    assert found["short"].why_stopped == "Scheduler is offline"
    found = queues.effective(CONFIG, {"batch": Status(), "short": blocked})
    assert found["short"].blocked == "scheduler"


def test_submission_does_not_depend_on_the_parent() -> None:
    found = queues.effective(CONFIG, {"batch": Status(False, True, "full")})
    assert found["short"] == Status(parent="batch")


def test_without_queues_the_anonymous_one_has_a_status() -> None:
    plain = queues.Config()
    assert queues.effective(plain, {}) == {"": Status()}
    stopped = Status(started=False)
    assert queues.effective(plain, {"": stopped}) == {"": stopped}
    other = queues.effective(CONFIG, {"gone": stopped})
    assert other["gone"] == stopped
    assert set(other) == {"batch", "short", "debug", "gone"}


reasons = st.none() | st.just("tests")
statuses = st.builds(
    lambda enabled, started, reason, blocked: Status(
        enabled, started, None, None if started else reason, None if started else blocked
    ),
    st.booleans(),
    st.booleans(),
    reasons,
    st.sampled_from([None, "parent", "scheduler", "weather"]),
)


@given(st.dictionaries(st.sampled_from(["batch", "short", "debug", "gone"]), statuses))
def test_effective_is_settled_at_once(given_: dict[str, Status]) -> None:
    found = queues.effective(CONFIG, given_)
    assert queues.effective(CONFIG, found) == found
    own = given_.get("short", Status())
    parent = given_.get("batch", Status())
    assert found["batch"] == parent
    assert found["short"].enabled == own.enabled
    if found["short"].started:
        assert parent.started
        assert own.started_itself
    assert found["short"].started_itself == own.started_itself


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["enable", "start", "blocked", "name", "a", "stop_reason"]), inner
        )
    ),
    max_leaves=12,
)


@given(anything)
def test_never_raises(document: Any) -> None:
    found = queues.read_status(document)
    queues.effective(CONFIG, found.value)
