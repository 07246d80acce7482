"""Queues of a Flux configuration, and their status (RFC 33)."""

import json
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.bridge import config_files, files
from fluxtui.model import queues
from fluxtui.model.queues import Config, Queue, Status, membership
from fluxtui.model.resources import document
from tests.each import for_each, the
from tests.recorded import Agree, rerun

DEMO = document.read_text(files.demo().text)

#: Configurations and what they say.
RECORDED = Path(__file__).with_name("queues.txt")


def read(text: str) -> Config:
    return queues.read_config(tomllib.loads(text))


def answers(line: str) -> Iterator[str]:
    """What a configuration says, whose lines have bars between; problems are also those on demo."""
    config = read(line.replace(" | ", "\n"))
    for queue in config.queues:
        default = ", the default" if queue.name == config.default else ""
        yield f"queue {queue.name}{default}: requires {json.dumps(queue.requires)}"
        yield from _settings(queue)
    if config.anonymous.policy:
        yield "all queues"
        yield from _settings(config.anonymous)
    steps = ("defaults", "constraints", "feasibility")
    yield f"ingest: {' '.join(step for step in steps if getattr(config.ingest, step)) or 'nothing'}"
    for problem in (*config.problems, *membership(config, DEMO)[1]):
        expected = f" -> {', '.join(problem.expected)}" if problem.expected else ""
        yield f"{problem.severity} {problem.path}: {problem.message}{expected}"


def _settings(queue: Queue) -> Iterator[str]:
    for key, setting in queue.policy.items():
        yield f"  {key} = {setting.value} ({setting.path})"


CONFIG = read("policy.jobspec.defaults.system.queue = 'batch'\n[queues.batch]\n"
              "[queues.short]\nparent = 'batch'\n[queues.debug]")  # fmt: skip


def test_configurations_are_read_as_recorded(agree: Agree) -> None:
    agree(RECORDED, rerun(RECORDED, answers))


def test_queues_by_name() -> None:
    assert [queue.name for queue in CONFIG.children("batch")] == ["short"]
    assert CONFIG.children("short") == ()
    assert CONFIG.queue(None) is CONFIG.queue("batch")
    assert CONFIG.queue("nosuch") is None
    plain = read('[policy.limits]\nduration = "1h"')
    assert plain.queue(None) is plain.anonymous
    assert plain.anonymous.under("limits")["duration"].value == 3600.0


def test_demo() -> None:
    config = queues.read_config(config_files.demo().table)
    assert config.problems == ()
    assert config.default == "batch"
    assert [queue.name for queue in config.queues] == ["batch", "debug", "gpu", "bigmem", "long"]
    for queue in config.queues:
        assert queue.requires is not None
        assert all(DEMO.properties[name] for name in queue.requires["properties"])
    assert [queue.name for queue in config.queues if queue.under("access")] == ["bigmem"]


#: The places of settings in a policy table, their keys, and what they are made of a number.
SETTINGS: dict[str, tuple[str, Callable[[int], Any], Callable[[int], Any]]] = {
    "limits duration": ("limits.duration", "{}m".format, lambda n: n * 60.0),
    "limits job-size max nnodes": ("limits.job-size.max.nnodes", int, int),
    "limits job-size min ncores": ("limits.job-size.min.ncores", int, int),
    "jobspec defaults system duration": ("defaults.duration", "{}m".format, lambda n: n * 60.0),
    "access allow-user": ("access.allow-user", lambda n: [f"n{n}"], lambda n: (f"n{n}",)),
    "access allow-group": ("access.allow-group", lambda n: [f"n{n}"], lambda n: (f"n{n}",)),
}
settings_of = st.dictionaries(st.sampled_from(list(SETTINGS)), st.integers(0, 3))


def policy_of(chosen: dict[str, int]) -> dict[str, Any]:
    """A policy table that sets some of the settings, with values that tell who set them."""
    table: dict[str, Any] = {}
    for where, number in chosen.items():
        *steps, last = where.split()
        inner = table
        for step in steps:
            inner = inner.setdefault(step, {})
        inner[last] = SETTINGS[where][1](number)
    return table


@given(settings_of, settings_of, settings_of)
def test_precedence(common: dict[str, int], parent: dict[str, int], own: dict[str, int]) -> None:
    config = queues.read_config(
        {
            "policy": policy_of(common),
            "queues": {
                "v": {"parent": "p", "policy": policy_of(own)},
                "p": {"policy": policy_of(parent)},
            },
        }
    )
    layers = {"queues.v.": own, "queues.p.": parent, "": common}
    for queue, heirs in (("v", list(layers)), ("p", list(layers)[1:])):
        found = the(config.queue(queue))
        wanted = {}
        for where, (key, _, value) in SETTINGS.items():
            place = next((place for place in heirs if where in layers[place]), None)
            if place is not None:
                path = f"{place}policy.{'.'.join(where.split())}"
                wanted[key] = (value(layers[place][where]), path)
        assert {key: (one.value, one.path) for key, one in found.policy.items()} == wanted


# Status

#: The example of RFC 33: a virtual queue that is started while its parent is stopped.
EXAMPLE = {
    "enable": True,
    "start": False,
    "blocked": "parent",
    "parent": "batch",
    "stop_reason": "parent queue 'batch' is stopped",
}
BEHIND = Status(True, False, None, "parent queue 'batch' is stopped", "parent", "batch")
STOPPED = Status(started=False, stop_reason="tests")
OFFLINE = Status(True, False, None, "Scheduler is offline", "scheduler")
OPEN = {"enable": True, "start": True}


@for_each("case", [
    ({"short": EXAMPLE}, {"short": BEHIND}),
    ({"debug": {"enable": False, "start": True, "disable_reason": "disk", "other": 1}},
     {"debug": Status(False, True, "disk")}),
    ({"enable": True, "start": False}, {"": Status(True, False)}),
    # A queue may have the name of a key.
    ({"start": OPEN}, {"start": Status()}),
    # As Flux saves them.
    ([{"name": "batch", "enable": True, "start": False, "stop_reason": "tests"}, OPEN],
     {"batch": STOPPED, "": Status()}),
])  # fmt: skip
def test_statuses(case: tuple[Any, dict[str, Status]]) -> None:
    found = queues.read_status(case[0])
    assert (found.value, found.problems) == (case[1], ())


def test_a_status_that_is_malformed_is_left_out() -> None:
    found = queues.read_status({"a": 5, "b": OPEN, "c": {"start": True}})
    assert (found.ok, len(found.problems), found.value) == (False, 2, {"b": Status()})
    found = queues.read_status({"a": {"enable": False, "start": True}})
    assert found.ok  # though it does not say why


@for_each("status, why", [
    (Status(), ""),
    (Status(started=False), "stopped"),
    (STOPPED, "tests"),
    (Status(started=False, blocked="scheduler"), "no scheduler is loaded"),
    (Status(started=False, blocked="parent"), "its parent queue is stopped"),
    (Status(started=False, blocked="weather"), "blocked by 'weather'"),
])  # fmt: skip
def test_why_nothing_is_scheduled(status: Status, why: str) -> None:
    assert status.why_stopped == why
    assert status.started_itself == (status.started or status.blocked is not None)


@for_each("given_, short", [
    ({"batch": STOPPED}, BEHIND),
    ({"batch": Status(), "short": BEHIND}, Status(parent="batch")),
    # One that is stopped itself stays so, whatever its parent does.
    ({"batch": Status(), "short": STOPPED}, replace(STOPPED, parent="batch")),
    ({"batch": Status(started=False), "short": STOPPED}, replace(STOPPED, parent="batch")),
    # What blocks the parent blocks it too.
    ({"batch": OFFLINE}, replace(OFFLINE, parent="batch")),
    ({"batch": Status(), "short": OFFLINE}, replace(OFFLINE, parent="batch")),
    # Whether jobs may be submitted does not depend on the parent.
    ({"batch": Status(False, True, "full")}, Status(parent="batch")),
])  # fmt: skip
def test_a_virtual_queue_beside_its_parent(given_: dict[str, Status], short: Status) -> None:
    found = queues.effective(CONFIG, given_)
    assert found == {"batch": given_["batch"], "short": short, "debug": Status()}


def test_queues_that_are_not_configured_keep_their_status() -> None:
    plain, stopped = Config(), Status(started=False)
    assert queues.effective(plain, {}) == {"": Status()}
    assert queues.effective(plain, {"": stopped}) == {"": stopped}
    assert queues.effective(CONFIG, {"gone": stopped})["gone"] == stopped


statuses = st.builds(
    lambda enabled, started, reason, blocked: Status(
        enabled, started, None, None if started else reason, None if started else blocked
    ),
    st.booleans(),
    st.booleans(),
    st.none() | st.just("tests"),
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
