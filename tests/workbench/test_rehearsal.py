"""A configuration against the one in force: queues, pending jobs, settings, refusals."""

import json
import tomllib
from typing import Any, NamedTuple

from fluxtui.answers import compare
from fluxtui.bridge.files import Source as Text
from fluxtui.model import config_keys
from fluxtui.model.live import snapshot
from fluxtui.model.queues import read_config
from fluxtui.notation.sets.bits import less
from fluxtui.opening import live
from fluxtui.opening.configured import edited
from fluxtui.workbench import (
    ChooseQueue,
    Cluster,
    History,
    RefreshCluster,
    Source,
    TypeShape,
    rehearsal,
    start,
)
from tests.each import for_each

BASE = """\
[policy.jobspec.defaults.system]
duration = "1h"
queue = "batch"
[queues.batch]
requires = ["batch"]
[queues.debug]
requires = ["debug"]
policy.limits.job-size.max.nnodes = 4
[resource]
exclude = "n7"
[heartbeat]
period = "2s"
"""

R = {
    "version": 1,
    "execution": {
        "R_lite": [{"rank": "0-7", "children": {"core": "0-3"}}],
        "nodelist": ["n[0-7]"],
        "properties": {"batch": "0-4", "debug": "5-7", "ssd": "0-1"},
    },
}


def job(id_: int, queue: str, nodes: int, **more: Any) -> dict[str, Any]:
    numbers = {"nnodes": nodes, "ntasks": nodes, "duration": 600.0, "urgency": 16, "priority": 16}
    return {"id": id_, "state": 8, "userid": 1, "queue": queue, **numbers, **more}


JOBS = [
    job(1, "batch", 2, state=16, ranks="0-1"),
    job(2, "batch", 3),
    job(3, "debug", 2),
    job(4, "debug", 2, urgency=0),
    job(5, "batch", 6),
]


def before(scheduler: str = "sched-simple", **more: Any) -> Cluster:
    document = {
        "snapshot": 1,
        "status": {"R": R, "exclude": "7"},
        "config": tomllib.loads(BASE),
        "scheduler": scheduler,
        "queues": {name: {"enable": True, "start": True} for name in ("batch", "debug")},
        "jobs": JOBS,
        **more,
    }
    found = snapshot.read(document).value
    assert found is not None
    return live.cluster_of(found, Source("site"))


def rehearsed(text: str, one: Cluster) -> tuple[rehearsal.Rehearsal, compare.Changes]:
    other, problems = edited("", one, Text(text, "new.toml"))
    assert other is not None, problems
    changes = compare.changes(one.resources, other.resources)
    assert changes is not None
    found = rehearsal.rehearse(changes, one, other)
    assert found is not None
    return found, changes


def test_tree_pool_does_not_load_with_excluded_nodes() -> None:
    children = [{"ranks": "0-7", "topo": {"cores": "0-3"}}]
    inside = {"writer": "TreePool", "children": children}
    for scheduling, refused in ((inside, ["resource.exclude"]), (None, [])):
        one = before(config=tomllib.loads(BASE), scheduling=scheduling, jobs=[])
        found, _ = rehearsed(BASE.replace('"n7"', '"n6"'), one)
        assert [problem.path for problem in found.refused] == refused


def test_the_first_queues_take_the_place_of_the_anonymous_one() -> None:
    alone = """[policy.limits]\nduration = "1h"\n"""
    one = before(config=tomllib.loads(alone), queues={}, jobs=[])
    found, changes = rehearsed("""[queues.q]\nrequires = ["ssd"]\n""", one)
    assert [(queue.name, queue.state) for queue in found.queues] == [("", "gone"), ("q", "new")]
    resources = one.resources
    assert found.nowhere == less(resources.everything, resources.properties["ssd"])
    told = [f"{row.names}: {row.words}" for row in rehearsal.rows(found, changes)]
    assert any(words.startswith("policy: ") and "1h" in words for words in told)
    back = before(config=tomllib.loads(BASE), jobs=[])
    found, _ = rehearsed(alone, back)
    assert found.queues[-1] == rehearsal.QueueChange("", "new", back.resources.everything)


class Case(NamedTuple):
    """What is changed in the configuration, and the rows of it, those of no other group."""

    change: tuple[str, str]
    rows: tuple[str, ...]
    scheduler: str = "sched-simple"


RELOAD = "~  flux config reload "
CASES = [
    Case(("", ""), ()),
    Case(
        ('requires = ["batch"]', 'requires = ["ssd"]'),
        (
            "~ 3 nodes n[2-4] leave queue batch",
            "~ 3 nodes n[2-4] are in no queue then",
            RELOAD,
        ),
    ),
    Case(
        ('requires = ["debug"]', 'requires = ["batch"]'),
        (
            "~ 5 nodes n[0-4] join queue debug",
            "~ 3 nodes n[5-7] leave queue debug",
            "~ 3 nodes n[5-7] are in no queue then",
            "~ 5 nodes n[0-4] are in several queues then",
            RELOAD,
        ),
    ),
    Case(
        ("max.nnodes = 4", "max.nnodes = 1"),
        (
            "~  queue debug limits.job-size.max.nnodes 4 → 1",
            "~ 2 jobs ƒ4, ƒ5 kept, but refused if submitted again: 2 nodes are "
            "requested; queue debug allows at most 1 "
            "(queues.debug.policy.limits.job-size.max.nnodes)",
            RELOAD,
        ),
    ),
    Case(
        ('duration = "1h"', 'duration = "30m"'),
        (
            "~  queue batch defaults.duration 1 hour → 30 minutes",
            "~  queue debug defaults.duration 1 hour → 30 minutes",
            RELOAD,
        ),
    ),
    Case(
        ("[queues.debug]", "[queues.test]"),
        (
            "- 3 nodes n[5-7] queue debug is gone",
            "+ 3 nodes n[5-7] queue test is new; flux queue start test",
            "- 1 job ƒ4 its queue goes; it can still start, as the scheduler has it",
            "- 1 job ƒ5 its queue goes; it waits for ever",
            RELOAD,
        ),
    ),
    Case(
        ("[queues.debug]", "[queues.test]"),
        (
            "- 3 nodes n[5-7] queue debug is gone",
            "+ 3 nodes n[5-7] queue test is new; flux queue start test",
            "- 2 jobs ƒ4, ƒ5 its queue goes; it may start until Fluxion is loaded again",
            RELOAD,
            "~  load the modules of the scheduler again, with no job running ",
        ),
        "sched-fluxion-qmanager",
    ),
    Case(
        ('exclude = "n7"', 'exclude = "n[0-2]"'),
        (
            "- 1 job ƒ3 can never start any more: needs 3 whole nodes; 2 of 8 are eligible",
            '~  resource.exclude "n7" → "n[0-2]"; needs resource loaded again, or a restart',
            RELOAD,
            "~  load resource and the scheduler again, or restart Flux ",
        ),
    ),
    Case(
        ('period = "2s"', 'period = "2s"\nwarn_tresh = 3\ntimeout = 5'),
        (
            "-  heartbeat.warn_tresh heartbeat has no key 'warn_tresh'; did you mean warn_thresh?",
            "-  heartbeat.timeout timeout is a duration such as '30m'; found 5",
            "~  heartbeat.warn_tresh not there → 3; once reloaded",
            "~  heartbeat.timeout not there → 5; once reloaded",
            RELOAD,
        ),
    ),
    Case(
        ('requires = ["batch"]', 'hosts = "n[0-4]"'),
        (
            "-  queues.batch.hosts flux-core 0.88 does not take hosts in a queue",
            RELOAD,
        ),
    ),
]


@for_each("case", CASES, lambda case: case.change[1])
def test_what_a_configuration_changes(case: Case) -> None:
    found, changes = rehearsed(BASE.replace(*case.change), before(case.scheduler))
    told = [f"{r.sign} {r.size} {r.names} {r.words}" for r in rehearsal.rows(found, changes)]
    assert told == list(case.rows)
    json.dumps(rehearsal.to_json(found, changes))


def test_a_jobspec_counts_more_than_the_job_list() -> None:
    one = before()
    other, _ = edited("", one, Text(BASE.replace('"n7"', '"n0"'), "new.toml"))
    assert other is not None
    changes = compare.changes(one.resources, other.resources)
    assert changes is not None
    spec = {
        "resources": [{"type": "node", "count": 2, "with": [{"type": "slot", "count": 1,
                       "label": "task", "with": [{"type": "core", "count": 1}]}]}],
        "attributes": {"system": {"queue": "batch", "constraints": {"properties": ["ssd"]}}},
    }  # fmt: skip
    found = rehearsal.rehearse(changes, one, other, {2: spec})
    assert found is not None
    assert [(job.job.id, job.kind) for job in found.jobs] == [(2, "never")]


def test_nodes_that_both_configurations_do_not_list_are_taken_from_the_second() -> None:
    listed = '[[resource.config]]\nhosts = "n[0-9]"\ncores = "0-3"\nproperties = ["batch"]\n'
    found, changes = rehearsed(BASE.replace('[resource]\nexclude = "n7"\n', "") + listed, before())
    assert changes.added.bit_count() == 2
    assert ("batch", 2 + 3) in [(q.name, q.gained.bit_count()) for q in found.queues]
    # None of them has the property debug, which its jobs were stored with.
    told = [(one.job.id, one.kind) for one in found.jobs]
    assert told == [(3, "never"), (4, "never"), (5, "can")]


def test_undo_leaves_the_status_of_queues_as_flux_has_it() -> None:
    one = before()
    history = History(start(cluster=one)).do(TypeShape("core")).do(ChooseQueue("debug"))
    stopped = before(queues={"debug": {"enable": False, "start": True, "disable_reason": "x"}})
    assert stopped.snapshot is not None
    after = history.do(RefreshCluster(history.state.cluster, one.at(stopped.snapshot))).undo()
    assert not after.state.submission.status("debug").enabled


def test_a_redacted_snapshot_says_nothing_of_other_tables() -> None:
    found, _ = rehearsed(BASE, before(redacted=True))
    assert found.settings == ()


EFFECTS = {
    "queues.batch.requires": "reload",
    "resource.exclude": "resource",
    "resource.journal-max": "reload",
    "tbon.topo": "restart",
    "tbon.torpid_max": "reload",
    "job-manager.plugins": "restart",
    "job-manager.housekeeping.command": "reload",
    "sched-fluxion-resource.match-policy": "scheduler",
    "modules.alternatives.sched": "restart",
    "accounting.x": "unknown",
}


@for_each("path", EFFECTS)
def test_what_puts_a_change_in_force(path: str) -> None:
    assert config_keys.effect_of(path) == EFFECTS[path]


def test_of_a_whole_table_all_that_is_in_it_counts() -> None:
    before = {"job-manager": {"housekeeping": {"command": ["x"]}}, "mine": {"x": 1}}
    after = {"tbon": {"torpid_max": "1m", "topo": "kary:2"}}
    told = [(one.path, one.effect) for one in config_keys.changed(before, after)]
    assert told == [("job-manager", "reload"), ("mine", "unknown"), ("tbon", "restart")]


def test_with_queues_the_one_without_a_name_goes() -> None:
    waits = [job(1, "", 1), job(2, "", 1, urgency=0)]
    found, _ = rehearsed(BASE, before(config={}, queues={}, jobs=waits))
    assert [(one.job.id, one.kind) for one in found.jobs] == [(1, "queue"), (2, "queue")]
    back, _ = rehearsed("[exec]\nimp = '/x'\n", before())
    assert {one.kind for one in back.jobs} == {"queue"}


def test_what_json_has_no_word_for_is_a_text() -> None:
    text = BASE + "[mine]\nday = 1979-05-27\nnumber = nan\n"
    found, changes = rehearsed(text.replace('"debug"', '"x y"'), before())
    assert [problem.code for problem in found.refused] == ["refused-by-flux-core"]
    (setting,) = (
        one for one in rehearsal.to_json(found, changes)["settings"] if one["path"] == "mine"
    )
    assert setting["to"] == {"day": "1979-05-27", "number": "NaN"}


def test_flux_takes_several_queues_without_a_default() -> None:
    table = tomllib.loads(BASE.replace('queue = "batch"\n', ""))
    assert config_keys.refusals(read_config(table)) == ()
