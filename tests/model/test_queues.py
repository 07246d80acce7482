"""Queues of a Flux configuration (RFC 33)."""

import tomllib
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fluxtui.bridge import config_files, files
from fluxtui.model import queues
from fluxtui.model.queues import Config, membership
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


def test_older_form_of_requires() -> None:
    config = read('[queues.a.requires]\nor = [{properties = ["x"]}, {ranks = ["0-3"]}]\n')
    assert config.ok
    assert [p.severity for p in config.problems] == ["warning"]
    assert config.queues[0].requires == {"or": [{"properties": ["x"]}, {"ranks": ["0-3"]}]}


def test_form_that_flux_prints() -> None:
    table = {"queues": {"batch": {"requires": ["batch"]}, "debug": {"requires": ["debug"]}}}
    config = queues.read_config(table)
    assert [queue.name for queue in config.queues] == ["batch", "debug"]
    assert errors(config)[0][0] == "policy.jobspec.defaults.system.queue"


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


def test_members_get_the_property_of_their_queue() -> None:
    cluster = document.read_text(files.demo().text)
    config = read(
        "[queues.a]\nhosts = 'dune[001-003]'\n[queues.b]\nhosts = 'all'\n"
        "[queues.c]\nhosts = 'dune001,nosuch'\n[queues.d]\nhosts = 'nosuch'\n"
    )
    found, problems = membership(config, cluster)
    assert found.properties["+a"].bit_count() == 3
    assert found.properties["+b"] == cluster.everything
    assert "+a" not in cluster.properties
    assert [p.path for p in problems] == ["queues.c.hosts", "queues.d.hosts"]


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


def test_an_empty_array_requires_nothing_and_is_added_all_the_same() -> None:
    config = read("[queues.a]\nrequires = []\n[queues.v]\nparent = 'a'")
    assert [queue.requires for queue in config.queues] == [{"properties": []}] * 2


def test_white_space_in_a_property_is_legal_and_flux_refuses_it() -> None:
    config = read('[queues.a]\nrequires = ["a b"]')
    assert config.ok
    (problem,) = config.problems
    assert problem.path == "queues.a.requires[0]"
    assert problem.message == (
        "property name 'a b' holds white space, which flux-core refuses here"
    )


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


def test_hosts_of_one_name() -> None:
    config = read("[queues.a]\nhosts = 'n,m'")
    found, problems = membership(config, cluster("0-3", "n,n,n,n"))
    assert found.properties["+a"] == 0b1111
    assert [problem.message for problem in problems] == ["host m is not in the cluster"]


settings_of = st.dictionaries(
    st.sampled_from(["duration", "nnodes", "ncores", "default", "users", "groups"]),
    st.integers(0, 3),
)


def policy_of(chosen: dict[str, int]) -> dict[str, Any]:
    """A policy table that sets some of the settings, with values that tell who set them."""
    table: dict[str, Any] = {}
    for key, value in chosen.items():
        *steps, last = {
            "duration": ("limits", "duration"),
            "nnodes": ("limits", "job-size", "max", "nnodes"),
            "ncores": ("limits", "job-size", "min", "ncores"),
            "default": ("jobspec", "defaults", "system", "duration"),
            "users": ("access", "allow-user"),
            "groups": ("access", "allow-group"),
        }[key]
        inner = table
        for step in steps:
            inner = inner.setdefault(step, {})
        named = key in ("users", "groups")
        timed = key in ("duration", "default")
        inner[last] = [f"n{value}"] if named else f"{value}m" if timed else value
    return table


KEYS = {
    "duration": "limits.duration",
    "nnodes": "limits.job-size.max.nnodes",
    "ncores": "limits.job-size.min.ncores",
    "default": "defaults.duration",
    "users": "access.allow-user",
    "groups": "access.allow-group",
}


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
        for key, name in KEYS.items():
            where = next((place for place in heirs if key in layers[place]), None)
            if where is not None:
                wanted[name] = (layers[where][key], f"{where}policy.")
        assert found.policy.keys() == wanted.keys()
        for name, (value, place) in wanted.items():
            setting = found.policy[name]
            assert setting.path.startswith(place)
            assert setting.value in (value, value * 60.0, (f"n{value}",))
