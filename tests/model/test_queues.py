"""Queues of a Flux configuration, and their status (RFC 33)."""

import tomllib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.bridge import config_files, files
from fluxtui.model import queues
from fluxtui.model.queues import Config, Status, membership
from fluxtui.model.resources import document
from fluxtui.model.resources.document import Resources
from fluxtui.notation.problem import Problem
from tests.each import for_each
from tests.model.clusters import cluster


def read(text: str) -> Config:
    return queues.read_config(tomllib.loads(text))


def on_demo(text: str) -> tuple[Resources, tuple[Problem, ...]]:
    """The demo cluster with the members of the queues of a configuration."""
    return membership(read(text), document.read_text(files.demo().text))


def errors(config: Config) -> list[tuple[str | None, str]]:
    return [(p.path, p.message) for p in config.problems if p.severity == "error"]


POLICY = """
[policy]
limits.duration = "1h"
limits.job-size.max.nnodes = 4
jobspec.defaults.system = { queue = "batch", duration = "10m" }
[queues.batch]
requires = ["batch", "^login"]
policy.limits.job-size.max.nnodes = 16
policy.access.allow-group = ["users"]
[queues.short]
parent = "batch"
policy.limits.duration = "5m"
[queues.debug]
hosts = "n[0-3]"
"""


def test_settings_and_where_they_come_from() -> None:
    config = read(POLICY)
    assert config.ok
    assert config.default == "batch"
    short = config.queue("short")
    assert short is not None
    found = {key: (setting.value, setting.path) for key, setting in short.policy.items()}
    assert found == {
        "defaults.duration": (600.0, "policy.jobspec.defaults.system.duration"),
        "limits.duration": (300.0, "queues.short.policy.limits.duration"),
        "limits.job-size.max.nnodes": (16, "queues.batch.policy.limits.job-size.max.nnodes"),
        "access.allow-group": (("users",), "queues.batch.policy.access.allow-group"),
    }
    assert set(short.under("limits")) == {"duration", "job-size.max.nnodes"}
    assert set(short.under("defaults")) == {"duration"}
    assert short.restricted


def test_what_a_queue_requires_and_queues_by_name() -> None:
    config = read(POLICY)
    ours = {"properties": ["batch", "^login"]}
    assert [q.requires for q in config.queues] == [ours, ours, {"properties": ["+debug"]}]
    assert [queue.name for queue in config.children("batch")] == ["short"]
    assert config.children("short") == ()
    assert config.queue(None) is config.queue("batch")
    assert config.queue("nosuch") is None
    plain = read('[policy.limits]\nduration = "1h"')
    anonymous = plain.queue(None)
    assert anonymous is plain.anonymous
    assert anonymous is not None
    assert anonymous.under("limits")["duration"].value == 3600.0


@for_each(
    "case",
    [
        ("requires = []", {"properties": []}, []),
        ("requires.or = [{properties = ['x']}, {ranks = ['0-3']}]",
         {"or": [{"properties": ["x"]}, {"ranks": ["0-3"]}]},
         [("queues.a.requires",
           "today's RFC 33 takes an array of properties here, not a constraint table")]),
        ("requires = ['a b']", {"properties": ["a b"]},
         [("queues.a.requires[0]",
           "property name 'a b' holds white space, which flux-core refuses here")]),
    ],
)  # fmt: skip
def test_forms_of_requires(case: tuple[str, Any, list[tuple[str, str]]]) -> None:
    text, requires, warnings = case
    config = read(f"[queues.a]\n{text}\n[queues.v]\nparent = 'a'\n"
                  "[policy.jobspec.defaults.system]\nqueue = 'a'")  # fmt: skip
    assert config.ok
    assert [queue.requires for queue in config.queues] == [requires] * 2
    assert [(p.path, p.message) for p in config.problems] == warnings


@for_each(
    "case",
    [
        ("queues = 5", "queues", "table of queues"),
        ("queues.a = 5", "queues.a", "is a table"),
        ("[queues.a]\nrequire = ['x']", "queues.a.require", "did you mean requires?"),
        ("[queues.a]\nrequires = 'x'", "queues.a.requires", "array of property names"),
        ("[queues.a]\nrequires = ['x&y']", "queues.a.requires[0]", "holds '&'"),
        ("[queues.a]\nrequires = ['x']\nhosts = 'n0'", "queues.a", "not both"),
        ("[queues.a]\nhosts = 'n[0-'", "queues.a.hosts", "is not closed"),
        ("[queues.a]\nhosts = ''", "queues.a.hosts", "names no host"),
        ("[queues.a]\n[queues.b]", "policy.jobspec.defaults.system.queue", "is the default"),
        ("[policy]\njobspec.defaults.system.queue = 'batsh'\n[queues.batch]",
         "policy.jobspec.defaults.system.queue", "did you mean batch?"),
        ("[queues.a]\nparent = 'b'", "queues.a.parent", "not configured"),
        ("[queues.a]\nparent = 'a'", "queues.a.parent", "its own parent"),
        ("[queues.a.policy.jobspec.defaults.system]\nqueue = 'a'", "queues.a.policy.jobspec", "de"),
        ("[policy]\nlimits.duration = '1 hour'", "policy.limits.duration", "unit"),
        ("[policy]\nlimits.duration = 5", "policy.limits.duration", "string"),
        ("[policy]\nlimits.job-size.max.nnodes = '5'", "policy.limits.job-size", "whole number"),
        ("[policy]\nlimits.job-size.mox.nnodes = 5", "policy.limits.job-size.mox", "mean max?"),
        ("[policy]\naccess.allow-user = 'x'", "policy.access.allow-user", "array of names"),
        ("[policy]\nlimit.duration = '1h'", "policy.limit", "did you mean limits?"),
        ("policy = 5", "policy", "table"),
    ],
)  # fmt: skip
def test_problems(case: tuple[str, str, str]) -> None:
    text, path, message = case
    config = read(text)
    assert not config.ok
    assert any((p or "").startswith(path) and message in m for p, m in errors(config)), errors(
        config
    )


def test_a_virtual_queue_has_no_members_of_its_own() -> None:
    config = read(
        "[queues.a]\n[queues.v]\nparent = 'a'\nrequires = ['x']\npolicy.scheduler.x = 1\n"
        "[queues.w]\nparent = 'v'\n[policy]\njobspec.defaults.system.queue = 'a'"
    )
    assert [path for path, _ in errors(config)] == [
        "queues.v.requires",
        "queues.v.policy.scheduler",
        "queues.w.parent",
    ]


@for_each("table", [None, 5, [], {"queues": [], "policy": [], "resource": 5}])
def test_never_raises(table: Any) -> None:
    assert not queues.read_config(table).ok


def test_demo() -> None:
    config = queues.read_config(config_files.demo().table)
    assert config.problems == ()
    assert config.default == "batch"
    assert [queue.name for queue in config.queues] == ["batch", "debug", "gpu", "bigmem", "long"]
    cluster = document.read_text(files.demo().text)
    for queue in config.queues:
        assert queue.requires is not None
        assert all(cluster.properties[name] for name in queue.requires["properties"])
    assert [queue.name for queue in config.queues if queue.restricted] == ["bigmem"]


def test_a_queue_cannot_set_the_default_queue() -> None:
    config = read("[queues.a.policy.jobspec.defaults.system]\nqueue = 'a'\nduration = '1h'")
    (queue,) = config.queues
    assert set(queue.under("defaults")) == {"duration"}
    assert config.default is None


@for_each(
    "case",
    [
        ("", (False, False, False)),
        ("[policy.limits]\nduration = '1h'", (False, False, False)),
        ("[queues]", (True, True, False)),
        ("[policy.jobspec.defaults]", (True, True, False)),
        ("[queues.a]\n[ingest.frobnicator]\ndisable = true", (False, False, False)),
        ("[ingest.frobnicator]\nplugins = ['defaults']", (True, False, False)),
        ("[ingest.frobnicator]\nplugins = ['other,constraints']", (False, True, False)),
        ("[queues.a]\n[ingest.frobnicator]\nplugins = []", (True, True, False)),
        ("[ingest.validator]\nplugins = ['jobspec', 'feasibility']", (False, False, True)),
        ("ingest = 5\n[queues.a]", (True, True, False)),
        ("ingest.frobnicator.plugins = 5\n[queues.a]", (True, True, False)),
    ],
)
def test_what_becomes_of_jobs_on_their_way(case: tuple[str, tuple[bool, ...]]) -> None:
    text, steps = case
    found = read(text).ingest
    assert (found.defaults, found.constraints, found.feasibility) == steps


def test_hosts_that_the_cluster_does_not_have() -> None:
    def missing(hosts: str) -> list[str]:
        return [problem.message for problem in on_demo(f"[queues.a]\nhosts = '{hosts}'")[1]]

    assert missing("dune[001-003],dune002") == []
    assert missing("all") == []
    assert missing("nosuch") == ["no host of queue 'a' is in the cluster"]
    assert missing("dune001,nosuch") == ["host nosuch is not in the cluster"]
    assert missing("dune001,x[1-3],x2") == ["3 hosts are not in the cluster: x[1-3]"]
    assert missing("dune001,x[00001-30000]") == ["30,000 of 30,001 hosts are not in the cluster"]
    assert missing("dune[001") == []


def test_what_a_queue_requires_and_no_node_has() -> None:
    text = (
        "[queues.a]\nrequires = ['x', 'gpu', '^y', 'z']\n[queues.b]\nrequires = ['+c', '^x']\n"
        "[queues.c]\nhosts = 'dune001'\n[queues.v]\nparent = 'a'\n"
        "[queues.t]\nrequires = {properties = ['x']}\n[queues.u]\nrequires = {not = []}\n"
    )
    _, problems = on_demo(text)
    assert [(p.severity, p.path, p.message) for p in problems] == [
        ("warning", "queues.a.requires", "queue 'a' requires 'x', 'z', which no node has"),
        ("warning", "queues.t.requires", "queue 't' requires 'x', which no node has"),
    ]
    assert membership(read(text), Resources())[1][0].severity == "error"


def test_many_properties_that_no_node_has() -> None:
    (problem,) = on_demo(f"[queues.a]\nrequires = {[f'x{number}' for number in range(9)]}")[1]
    listed = "'x0', 'x1', 'x2', 'x3', 'x4' and 4 more"
    assert problem.message == f"queue 'a' requires {listed}, which no node has"


def test_members_get_the_property_of_their_queue() -> None:
    found, _ = on_demo("[queues.a]\nhosts = 'dune[001-003]'\n[queues.b]\nhosts = 'all'")
    assert found.properties["+a"].bit_count() == 3
    assert found.properties["+b"] == found.everything
    config = read("[queues.a]\nhosts = 'n,m'")
    found, problems = membership(config, cluster("0-3", "n,n,n,n"))
    assert found.properties["+a"] == 0b1111
    assert [(p.path, p.message) for p in problems] == [
        ("queues.a.hosts", "host m is not in the cluster")
    ]


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
        found = config.queue(queue)
        assert found is not None
        wanted = {}
        for where, (key, _, value) in SETTINGS.items():
            place = next((place for place in heirs if where in layers[place]), None)
            if place is not None:
                path = f"{place}policy.{'.'.join(where.split())}"
                wanted[key] = (value(layers[place][where]), path)
        assert {key: (one.value, one.path) for key, one in found.policy.items()} == wanted


# Status

CONFIG = read("policy.jobspec.defaults.system.queue = 'batch'\n[queues.batch]\n"
              "[queues.short]\nparent = 'batch'\n[queues.debug]")  # fmt: skip

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


@for_each(
    "case",
    [
        ({"short": EXAMPLE}, {"short": BEHIND}),
        ({"debug": {"enable": False, "start": True, "disable_reason": "disk", "other": 1}},
         {"debug": Status(False, True, "disk")}),
        ({"enable": True, "start": False}, {"": Status(True, False)}),
        # A queue may have the name of a key.
        ({"start": OPEN}, {"start": Status()}),
        # As Flux saves them.
        ([{"name": "batch", "enable": True, "start": False, "stop_reason": "tests"}, OPEN],
         {"batch": STOPPED, "": Status()}),
    ],
)  # fmt: skip
def test_statuses(case: tuple[Any, dict[str, Status]]) -> None:
    found = queues.read_status(case[0])
    assert (found.value, found.problems) == (case[1], ())


@for_each(
    "case",
    [
        (5, None, "a status is an object; found 5"),
        ({"a": 5, "b": OPEN}, "a", "the status of a queue is an object; found 5"),
        ({"a": {"start": True}, "b": OPEN}, "a", "the status of a queue has no 'enable'"),
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
def test_problems_of_statuses(case: tuple[Any, str | None, str]) -> None:
    document, path, message = case
    found = queues.read_status(document)
    assert [(p.path, p.message, p.rule) for p in found.problems] == [(path, message, "RFC 33")]
    assert found.ok == (found.problems[0].severity == "warning")
    # What is malformed is left out.
    others = isinstance(document, dict) and "b" in document
    assert found.value.get("b") == (Status() if others else None)


@for_each(
    "case",
    [
        (Status(), ""),
        (Status(started=False), "stopped"),
        (STOPPED, "tests"),
        (Status(started=False, blocked="scheduler"), "no scheduler is loaded"),
        (Status(started=False, blocked="parent"), "its parent queue is stopped"),
        (Status(started=False, blocked="weather"), "blocked by 'weather'"),
    ],
)
def test_why_nothing_is_scheduled(case: tuple[Status, str]) -> None:
    status, why = case
    assert status.why_stopped == why
    assert status.started_itself == (status.started or status.blocked is not None)


@for_each(
    "case",
    [
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
    ],
)
def test_a_virtual_queue_beside_its_parent(case: tuple[dict[str, Status], Status]) -> None:
    given_, short = case
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
def test_reading_a_status_never_raises(document: Any) -> None:
    found = queues.read_status(document)
    queues.effective(CONFIG, found.value)
