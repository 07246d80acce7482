"""Queues of a Flux configuration (RFC 33)."""

import tomllib
from typing import Any

import pytest

from fluxtui.bridge import files
from fluxtui.model import queues, resources
from fluxtui.model.queues import Config


def read(text: str) -> Config:
    return queues.read_config(tomllib.loads(text))


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
    assert set(short.limits) == {"duration", "job-size.max.nnodes"}
    assert set(short.defaults) == {"duration"}
    assert short.restricted


def test_what_a_queue_requires() -> None:
    config = read(POLICY)
    assert [queue.requires for queue in config.queues] == [
        {"properties": ["batch", "^login"]},
        {"properties": ["batch", "^login"]},
        {"properties": ["+debug"]},
    ]


def test_queue_by_name() -> None:
    config = read(POLICY)
    assert config.queue(None) is config.queue("batch")
    assert config.queue("nosuch") is None
    plain = read('[policy.limits]\nduration = "1h"')
    anonymous = plain.queue(None)
    assert anonymous is plain.anonymous
    assert anonymous is not None
    assert anonymous.limits["duration"].value == 3600.0


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


@pytest.mark.parametrize(
    ("text", "path", "message"),
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
        (
            "[policy]\njobspec.defaults.system.queue = 'batsh'\n[queues.batch]",
            "policy.jobspec.defaults.system.queue",
            "did you mean batch?",
        ),
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
        ("resource.config = 5", "resource.config", "array of tables"),
    ],
)
def test_problems(text: str, path: str, message: str) -> None:
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


@pytest.mark.parametrize("table", [None, 5, [], {"queues": [], "policy": [], "resource": 5}])
def test_never_raises(table: Any) -> None:
    assert not queues.read_config(table).ok


def test_members_get_the_property_of_their_queue() -> None:
    cluster = resources.read_text(files.demo().text)
    config = read(
        "[queues.a]\nhosts = 'dune[001-003]'\n[queues.b]\nhosts = 'all'\n"
        "[queues.c]\nhosts = 'dune001,nosuch'\n[queues.d]\nhosts = 'nosuch'\n"
        "[policy]\njobspec.defaults.system.queue = 'a'"
    )
    found, problems = queues.membership(config, cluster)
    assert found.properties["+a"].bit_count() == 3
    assert found.properties["+b"] == cluster.everything
    assert "+a" not in cluster.properties
    assert [p.path for p in problems] == ["queues.c.hosts", "queues.d.hosts"]


def test_demo() -> None:
    config = queues.read_config(files.demo_config().table)
    assert config.problems == ()
    assert config.default == "batch"
    assert [queue.name for queue in config.queues] == ["batch", "debug", "gpu", "bigmem", "long"]
    cluster = resources.read_text(files.demo().text)
    for queue in config.queues:
        assert queue.requires is not None
        assert all(cluster.properties[name] for name in queue.requires["properties"])
    assert [queue.name for queue in config.queues if queue.restricted] == ["bigmem"]
