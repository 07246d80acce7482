"""A configuration against the one in force: queues, pending jobs, settings, refusals."""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fluxtui.answers import compare
from fluxtui.bridge.files import Source as Text
from fluxtui.model import config_keys
from fluxtui.model.live import snapshot
from fluxtui.model.queues import read_config
from fluxtui.notation.sets import idset
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
from tests.each import the
from tests.model.clusters import alike
from tests.model.jobspecs import job as jobs
from tests.recorded import Agree, rerun

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

R = alike(8, "0-3", properties={"batch": "0-4", "debug": "5-7", "ssd": "0-1"})


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


def before(**more: Any) -> Cluster:
    document = {
        "snapshot": 1,
        "status": {"R": R, "exclude": "7"},
        "config": tomllib.loads(BASE),
        "scheduler": "sched-simple",
        "queues": {name: {"enable": True, "start": True} for name in ("batch", "debug")},
        "jobs": JOBS,
        **more,
    }
    return live.cluster_of(the(snapshot.read(document).value), Source("site"))


def rehearsed(
    text: str, one: Cluster, jobspecs: dict[int, Any] | None = None
) -> tuple[rehearsal.Rehearsal, compare.Changes]:
    other = the(edited("", one, Text(text, "new.toml"))[0])
    changes = the(compare.changes(one.resources, other.resources))
    return the(rehearsal.rehearse(changes, one, other, jobspecs or {})), changes


#: Changes of the configuration, and which modules put a change in force.
RECORDED = Path(__file__).with_name("rehearsals.txt")


def answers(line: str) -> Iterator[str]:
    """The rows of a change, and of each group what is changed.

    What is asked is the text that is replaced, that which takes its place, and parts of the
    snapshot that are others, as JSON; a configuration is TOML, and so is one that is new as a
    whole. Of ``effect`` and a key it is what puts a change of that in force.
    """
    if line.startswith("effect "):
        yield config_keys.effect_of(line.removeprefix("effect "))
        return
    old, new, *more = json.loads(line)
    parts = more[0] if more else {}
    if "config" in parts:
        parts["config"] = tomllib.loads(parts["config"])
    if "jobs" in parts:
        parts["jobs"] = [job(*one[:3], **dict(one[3:])) for one in parts["jobs"]]
    text = BASE.replace(old, new) if old is not None else new
    found, changes = rehearsed(text, before(**parts))
    for row in rehearsal.rows(found, changes):
        yield f"{row.sign} {row.size} {row.names} {row.words}".rstrip()
    yield f"refused {[problem.path for problem in found.refused]}"
    yield f"queues {[(one.name, one.state, one.gained.bit_count()) for one in found.queues]}"
    yield f"jobs {[(one.job.id, one.kind) for one in found.jobs]}"
    yield f"nowhere {idset.from_mask(found.nowhere) or 'none'}, settings {len(found.settings)}"
    json.dumps(rehearsal.to_json(found, changes))


def test_what_a_configuration_changes(agree: Agree) -> None:
    agree(RECORDED, rerun(RECORDED, answers))


def test_a_jobspec_counts_more_than_the_job_list() -> None:
    spec = jobs("node=2/slot/core", queue="batch", constraints={"properties": ["ssd"]})
    found, _ = rehearsed(BASE.replace('"n7"', '"n0"'), before(), {2: spec})
    assert [(job.job.id, job.kind) for job in found.jobs] == [(2, "never")]


def test_undo_leaves_the_status_of_queues_as_flux_has_it() -> None:
    one = before()
    history = History(start(cluster=one)).do(TypeShape("core")).do(ChooseQueue("debug"))
    stopped = before(queues={"debug": {"enable": False, "start": True, "disable_reason": "x"}})
    again = one.at(the(stopped.snapshot))
    after = history.do(RefreshCluster(history.state.cluster, again)).undo()
    assert not after.state.submission.status("debug").enabled


def test_of_a_whole_table_all_that_is_in_it_counts() -> None:
    before = {"job-manager": {"housekeeping": {"command": ["x"]}}, "mine": {"x": 1}}
    after = {"tbon": {"torpid_max": "1m", "topo": "kary:2"}}
    told = [(one.path, one.effect) for one in config_keys.changed(before, after)]
    assert told == [("job-manager", "reload"), ("mine", "unknown"), ("tbon", "restart")]


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
