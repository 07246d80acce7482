"""Queues of a Flux configuration, and their status (RFC 33)."""

import json
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.model import queues
from fluxtui.model.queues import Config, Queue, Status, membership
from tests.each import the
from tests.opened import demo
from tests.recorded import Agree, rerun

DEMO = demo().resources

#: Configurations and what they say.
RECORDED = Path(__file__).with_name("queues.txt")


def read(text: str) -> Config:
    return queues.read_config(tomllib.loads(text))


def answers(line: str) -> Iterator[str]:
    """What a configuration says, whose lines have bars between; problems are also those on demo.

    A line of a status has its JSON; see `statuses_of`.
    """
    if line.startswith("status "):
        yield from statuses_of(line.removeprefix("status "))
        return
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
    own_queues = {
        "v": {"parent": "p", "policy": policy_of(own)},
        "p": {"policy": policy_of(parent)},
    }
    config = queues.read_config({"policy": policy_of(common), "queues": own_queues})
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


def statuses_of(text: str) -> Iterator[str]:
    """The statuses that a JSON text holds, and those of queues with the parents they have."""
    found = queues.read_status(json.loads(text))
    yield from _statuses(found.value)
    yield from (
        f"{problem.severity} {problem.path}: {problem.message}" for problem in found.problems
    )
    yield "beside their parents"
    effective = queues.effective(CONFIG, found.value)
    yield from _statuses({name: one for name, one in effective.items() if name != "debug"})


def _statuses(found: dict[str, Status]) -> Iterator[str]:
    for name, status in found.items():
        assert status.started_itself == (status.started or status.blocked is not None)
        enabled = "enabled" if status.enabled else f"disabled ({status.disable_reason})"
        started = "started" if status.started else f"not started ({status.why_stopped})"
        more = f", blocked by {status.blocked}, parent {status.parent}"
        yield f"  {name or 'all queues'}: {enabled}, {started}{more}"


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
