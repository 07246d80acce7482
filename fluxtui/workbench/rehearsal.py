"""What a configuration would change of a cluster before Flux loads it: queues, jobs, settings.

What becomes of pending jobs is as flux-core 0.88 does it: a job keeps the constraint and the limits
that it was accepted with; only one whose queue goes, or whose nodes go, is worse off.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from fluxtui.answers import matching
from fluxtui.answers.admission import Admission, admit_everywhere
from fluxtui.answers.compare import NAMED, Changes, Row, Sign
from fluxtui.answers.feasibility.fit import own_verdict
from fluxtui.answers.feasibility.pending import stand_in
from fluxtui.model import config_keys
from fluxtui.model.config_keys import EFFECTS, Effect, Setting
from fluxtui.model.constraint.tree import read as read_constraint
from fluxtui.model.jobspec.jobspec import system
from fluxtui.model.jobspec.request import parse
from fluxtui.model.live.jobs import Job
from fluxtui.model.queues import Config
from fluxtui.model.resources import resource_table
from fluxtui.notation import duration, shellwords
from fluxtui.notation.problem import Problem, shortened
from fluxtui.notation.sets.bits import less
from fluxtui.workbench.cluster import Cluster

#: Jobs of one kind that are named in a row.
_MOST_JOBS = 5
#: A snapshot without names of people and hosts has these tables alone.
_PUBLIC = ("queues", "policy", "ingest")
#: The group of what queues are for jobs that are submitted then; those that wait keep theirs.
_QUEUES = "Queues, for jobs from then on"
#: Tables that are told queue by queue.
_TOLD = ("queues", "policy")

_WHEN: Mapping[Effect, str] = {
    "reload": "once reloaded",
    "scheduler": "needs the scheduler loaded again",
    "resource": "needs resource loaded again, or a restart",
    "restart": "needs a restart",
    "unknown": "not read by flux-core",
}
_TO_DO: Mapping[Effect, str] = {
    "reload": "flux config reload",
    "scheduler": "load the modules of the scheduler again, with no job running",
    "resource": "load resource and the scheduler again, or restart Flux",
    "restart": "restart Flux",
}


@dataclass(frozen=True, slots=True)
class QueueChange:
    """What changes of a queue; the name of the anonymous one is empty.

    gained, lost  masks over the nodes after
    settings      policy that counts for its jobs, with durations in seconds; None is no limit
    """

    name: str
    state: Literal["new", "gone", "kept"]
    gained: int = 0
    lost: int = 0
    settings: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class JobChange:
    """What becomes of a pending job.

    kind  its ``queue`` goes, it would be ``refused`` if it were submitted again, it can ``never``
          start, or it ``can`` now
    """

    job: Job
    kind: Literal["queue", "refused", "never", "can"]
    message: str


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What a configuration would change.

    refused   why Flux does not load it; the rest is then as though it did
    queues    those that change; the anonymous one is there where no other is
    nowhere   the nodes that no queue has any more, as a mask
    several   the nodes that several queues have now, as a mask
    default   the default queue before and after, where that changes
    jobs      the pending jobs that gain or lose by it
    settings  all keys that change, those of queues too
    needs     what it takes until all of it is in force, from the least to the most
    """

    refused: tuple[Problem, ...] = ()
    queues: tuple[QueueChange, ...] = ()
    nowhere: int = 0
    several: int = 0
    default: tuple[str | None, str | None] | None = None
    jobs: tuple[JobChange, ...] = ()
    settings: tuple[Setting, ...] = ()
    needs: tuple[Effect, ...] = ()


def rehearse(
    changes: Changes,
    before: Cluster,
    after: Cluster,
    jobspecs: Mapping[int, Mapping[str, Any]] | None = None,
) -> Rehearsal | None:
    """What the configuration of the cluster after changes; None where one has no configuration.

    changes is what differs between their nodes. jobspecs are those of the pending jobs that may be
    seen; for others the job list stands in. Takes time for each node and job: not for the event
    loop.
    """
    old, new = before.config, after.config
    if old is None or new is None or not (old.table or new.table):
        return None
    keys = _settings(before, after)
    had, has = _carried(changes, before), _coverage(after)
    queues = tuple(_queues(had, has, old, new))
    was, now = _shares(had.values()), _shares(has.values())
    needs = {key.effect for key in keys if key.effect != "unknown"}
    needs |= {"reload"} if keys else set()
    scheduler = before.snapshot.scheduler if before.snapshot is not None else ""
    if "fluxion" in scheduler and any(queue.state != "kept" for queue in queues):
        needs.add("scheduler")  # it has the queues that it was loaded with
    names = (old.default, new.default)
    loads = bool(keys) and after.snapshot is None  # else it is in force there
    return Rehearsal(
        (*config_keys.refusals(new), *_unloadable(new, after)) if loads else (),
        queues,
        less(was[0], now[0]),
        less(now[1], was[1]),
        names if names[0] != names[1] else None,
        tuple(_jobs(changes, before, after, jobspecs or {})) if loads else (),
        keys,
        tuple(effect for effect in EFFECTS if loads and effect in needs),
    )


def _unloadable(new: Config, after: Cluster) -> Iterator[Problem]:
    """Why the scheduler does not load with a configuration, which Flux itself accepts."""
    if after.resources.topologies and _exclude(new):
        message = "TreePool of flux-core 0.88 does not load where nodes are excluded"
        yield Problem(message, None, "resource.exclude", rule="RFC 49")


def requeued(changes: Changes, before: Cluster, after: Cluster) -> tuple[int, int]:
    """The nodes that are in other queues, as masks over those after and those before."""
    had, has, found = _carried(changes, before), _coverage(after), 0
    for name in dict.fromkeys((*had, *has)):
        found |= had.get(name, 0) ^ has.get(name, 0)
    found = less(found, changes.added)
    return found, changes.before_of(found)


def _coverage(cluster: Cluster) -> Mapping[str, int]:
    """The nodes of each queue; where there is none, the anonymous one has all of them."""
    return cluster.coverage or {"": cluster.resources.everything}


def _carried(changes: Changes, before: Cluster) -> dict[str, int]:
    """The nodes that each queue had, as masks over the nodes after."""
    coverage = _coverage(before)
    return dict(zip(coverage, changes.pairing.carry([*coverage.values()]), strict=True))


def _settings(before: Cluster, after: Cluster) -> tuple[Setting, ...]:
    was, now = (one.config.table if one.config else {} for one in (before, after))
    snapshots = (one.snapshot for one in (before, after))
    if any(one is not None and one.document.get("redacted") for one in snapshots):
        was = {key: was[key] for key in _PUBLIC if key in was}
        now = {key: now[key] for key in _PUBLIC if key in now}
    return config_keys.changed(was, now)


def _shares(masks: Iterable[int]) -> tuple[int, int]:
    """The nodes of some queue, and those of several."""
    one = several = 0
    for mask in masks:
        one, several = one | mask, several | (one & mask)
    return one, several


def _queues(
    had: Mapping[str, int], has: Mapping[str, int], old: Config, new: Config
) -> Iterator[QueueChange]:
    """The queues that are new, gone or different, in the order of both configurations.

    had and has are their nodes before and after, as masks over those after.
    """
    for name in dict.fromkeys((*had, *has)):
        mine, then = had.get(name, 0), has.get(name, 0)
        was = old.queue(name) if name in had else None
        now = new.queue(name) if name in has else None
        if was is None or now is None:
            yield QueueChange(name, "new" if was is None else "gone", then, mine)
            continue
        keys = dict.fromkeys((*was.policy, *now.policy))
        values = {key: tuple(_value(one.policy, key) for one in (was, now)) for key in keys}
        differ = {key: (a, b) for key, (a, b) in values.items() if a != b}
        differ.pop("defaults.queue", None)
        gained, lost = less(then, mine), less(mine, then)
        if differ or gained or lost:
            yield QueueChange(name, "kept", gained, lost, differ)


def _value(policy: Mapping[str, Any], key: str) -> Any:
    found = policy[key].value if key in policy else None
    return None if key.startswith("limits.job-size") and found == -1 else found


# Jobs


def _jobs(
    changes: Changes,
    before: Cluster,
    after: Cluster,
    jobspecs: Mapping[int, Mapping[str, Any]],
) -> Iterator[JobChange]:
    """What becomes of each pending job; what is said of jobs that are alike is worked out once."""
    old, new = before.config or Config(), after.config or Config()
    known: dict[str, list[tuple[Any, str]]] = {}
    nodes = _Nodes.of(changes, before, after)
    for job in (before.snapshot.jobs or {}).values() if before.snapshot is not None else ():
        if not job.is_pending:
            continue
        if _has_queue(job, old) and not _has_queue(job, new):
            yield JobChange(job, "queue", _without_queue(job, before))
        spec = jobspecs.get(job.id) or _listed(job)
        if spec is None:
            continue
        key = json.dumps([spec.get("resources"), system(spec), job.queue], default=str)
        if key not in known:
            known[key] = [*_admission(spec, old, new), *nodes.room(spec, job)]
        yield from (JobChange(job, kind, message) for kind, message in known[key])


def _has_queue(job: Job, config: Config) -> bool:
    """A configuration has the queue of a job; the anonymous one only without any other."""
    return config.queue(job.queue) is not None if job.queue else not config.queues


def _listed(job: Job) -> Mapping[str, Any] | None:
    """A jobspec of what the job list says of a job."""
    found = stand_in(job)
    own: dict[str, Any] = {"queue": job.queue} if job.queue else {}
    own["duration"] = job.duration or 0
    return None if found is None else {**found, "attributes": {"system": own}}


def _admission(spec: Mapping[str, Any], old: Config, new: Config) -> Iterator[tuple[Any, str]]:
    """What a job would be told if it were submitted again, where that is not as before."""
    was, now = (
        {one.kind: one.problem.message for one in _own(spec, config).refusals}
        for config in (old, new)
    )
    for kind, message in now.items():
        if kind not in was and kind not in ("queue", "access"):
            yield "refused", f"kept, but refused if submitted again: {message}"
    if was and not now:
        yield "can", "would be accepted if it were submitted again"


def _own(spec: Mapping[str, Any], config: Config) -> Admission:
    """The answer of the queue that a job names; the others are not asked."""
    name = system(spec).get("queue") or config.default
    mine = tuple(queue for queue in config.queues if queue.name == name)
    return admit_everywhere(spec, replace(config, queues=mine or config.queues[:1]))[0]


def _without_queue(job: Job, before: Cluster) -> str:
    """What becomes of a job whose queue is removed."""
    if before.snapshot is not None and "fluxion" in before.snapshot.scheduler:
        return "queue removed; may start until Fluxion is loaded again"
    status = before.statuses.get(job.queue)
    if job.state != "SCHED" or job.urgency == 0 or (status is not None and not status.started):
        return "queue removed; pending for ever"
    unless = "" if status is not None else ", unless the queue is stopped"
    return f"queue removed; can still start, as the scheduler has it{unless}"


@dataclass(frozen=True, slots=True)
class _Nodes:
    """The nodes on which jobs may run some day, before and after; None where they are the same."""

    before: Cluster
    after: Cluster
    was: int
    now: int
    is_same: bool

    @classmethod
    def of(cls, changes: Changes, before: Cluster, after: Cluster) -> "_Nodes":
        """Work them out from what is excluded, before and after."""
        snapshot = before.snapshot
        was = before.resources.everything if snapshot is None else snapshot.nodes.schedulable
        gone = less(before.resources.everything, was)
        (carried,) = changes.pairing.carry([0 if snapshot is None else snapshot.nodes.lost])
        old, new = (_exclude(config) for config in (before.config, after.config))
        if old == new:
            now = less(after.resources.everything, changes.pairing.carry([gone])[0])
        else:
            mask = resource_table.excluded(new, after.resources).value if new else 0
            now = less(after.resources.everything, carried | mask)
        return cls(before, after, was, now, changes.is_same and old == new)

    def room(self, spec: Mapping[str, Any], job: Job) -> Iterator[tuple[Any, str]]:
        """Whether a job can start some day, where that is not as before."""
        if self.is_same:
            return
        request, found = parse(spec.get("resources")), []
        for cluster, mask in ((self.before, self.was), (self.after, self.now)):
            allowed = self._allowed(spec, job, cluster)
            if allowed is None:
                return
            found.append(own_verdict(spec, request, cluster.prepared_graph, allowed & mask))
        was, now = found
        if was.feasible and now.feasible is False:
            why = f": {now.reasons[0].message}" if now.reasons else ""
            yield "never", f"can never start any more{why}"
        elif was.feasible is False and now.feasible:
            yield "can", "could never start, and can then"

    def _allowed(self, spec: Mapping[str, Any], job: Job, cluster: Cluster) -> int | None:
        """The nodes that a job's constraint leaves; where that is not known, its queue's."""
        wanted = system(spec).get("constraints")
        if wanted is None:
            queue = self.before.config.queue(job.queue) if self.before.config else None
            wanted = queue.requires if queue is not None else None
            return matching.covered(wanted, cluster.resources)
        constraint = read_constraint(wanted).value
        return None if constraint is None else matching.match(constraint, cluster.resources)


def _exclude(config: Config | None) -> str:
    table = config.table.get("resource") if config is not None else None
    found = table.get("exclude") if isinstance(table, Mapping) else None
    return found if isinstance(found, str) else ""


# As rows of a report, and as JSON


def rows(found: Rehearsal, changes: Changes) -> Iterator[Row]:
    """What changes, a row each, in groups: refused, queues, jobs, settings, to do."""
    before, after = changes.before, changes.after

    def nodes(sign: Sign, mask: int, words: str) -> Row:
        return Row(sign, mask, after.hosts_of(mask, limit=NAMED), words, _QUEUES)

    for problem in found.refused:
        yield Row("-", 0, problem.path or "", problem.message, "Flux refuses it")
    for queue in found.queues:
        name = f"queue {queue.name}" if queue.name else "the anonymous queue"
        if queue.state == "gone":
            mask = before.everything and changes.before_of(queue.lost)
            yield Row("-", mask, before.hosts_of(mask, limit=NAMED), f"{name} is gone", _QUEUES)
        elif queue.state == "new":
            without = "" if queue.gained else ", without nodes"
            own = queue.name and shellwords.quote_value(queue.name)
            start = f"flux queue start {own}" if own else "it is started"
            words = f"{name} is new{without}; {start}"
            yield nodes("+", queue.gained, words)
        for mask, verb in ((queue.gained, "join"), (queue.lost, "leave")):
            if mask and queue.state == "kept":
                yield nodes("~", mask, f"{verb} {name}")
        for key, (was, now) in queue.settings.items():
            words = f"{key} {_said(key, was)} → {_said(key, now)}"
            yield Row("~", 0, name, words, _QUEUES)
    if found.nowhere:
        yield nodes("~", found.nowhere, "are in no queue then")
    if found.several:
        yield nodes("~", found.several, "are in several queues then")
    if found.default is not None:
        was, now = (name or "none" for name in found.default)
        yield Row("~", 0, "default queue", f"{was} → {now}", _QUEUES)
    yield from _job_rows(found.jobs)
    turned = any(not queue.name and queue.state != "kept" for queue in found.queues)
    told = ("queues",) if turned else _TOLD  # what counted for all is that of no queue then
    for setting in found.settings:
        if setting.path.partition(".")[0] not in told:
            values = f"{_short(setting.before)} → {_short(setting.after)}"
            yield Row("~", 0, setting.path, f"{values}; {_WHEN[setting.effect]}", "Settings")
    for effect in found.needs:
        if effect != "resource" or "restart" not in found.needs:
            yield Row("~", 0, _TO_DO[effect], "", "To have it in force")


def _job_rows(jobs: Iterable[JobChange]) -> Iterator[Row]:
    """Jobs of which the same is to be said are one row."""
    alike: dict[tuple[str, str], list[Job]] = {}
    for one in jobs:
        alike.setdefault((one.kind, one.message), []).append(one.job)
    for (kind, message), listed in alike.items():
        names = ", ".join(job.f58 for job in listed[:_MOST_JOBS])
        more = f" and {len(listed) - _MOST_JOBS:,} more" if len(listed) > _MOST_JOBS else ""
        sign: Sign = "+" if kind == "can" else "~" if kind == "refused" else "-"
        yield Row(sign, 0, names + more, message, "Pending jobs", len(listed))


def _said(key: str, value: Any) -> str:
    if value is None:
        return "none"
    if key.endswith("duration") and isinstance(value, int | float):
        return duration.describe(value)
    return ", ".join(value) if isinstance(value, tuple) else _short(value)


def _short(value: Any) -> str:
    if value is None:
        return "not there"
    return shortened(json.dumps(value, ensure_ascii=False, default=str))


def to_json(found: Rehearsal, changes: Changes) -> dict[str, Any]:
    """What changes as a JSON object; hosts are whole, durations in seconds."""
    after = changes.after

    def nodes(mask: int) -> dict[str, Any]:
        return {
            "count": mask.bit_count(),
            "ranks": after.ranks_text(mask),
            "hosts": after.hosts_of(mask),
        }

    return {
        "refused": [problem.to_json() for problem in found.refused],
        "queues": {
            queue.name: {
                "state": queue.state,
                "gained": nodes(queue.gained),
                "lost": nodes(queue.lost),
                "settings": {
                    key: {"from": _plain(was), "to": _plain(now)}
                    for key, (was, now) in queue.settings.items()
                },
            }
            for queue in found.queues
        },
        "no_queue": nodes(found.nowhere),
        "several_queues": nodes(found.several),
        "default_queue": found.default and {"from": found.default[0], "to": found.default[1]},
        "jobs": [
            {"id": one.job.id, "f58": one.job.f58, "queue": one.job.queue, "kind": one.kind,
             "message": one.message}
            for one in found.jobs
        ],
        "settings": [
            {
                "path": one.path,
                "from": _plain(one.before),
                "to": _plain(one.after),
                "effect": one.effect,
            }
            for one in found.settings
        ],
        "needs": list(found.needs),
    }  # fmt: skip


def _plain(value: Any) -> Any:
    """A value as JSON has it; a date, and a number that is none, as texts."""
    return json.loads(json.dumps(value, default=str), parse_constant=str)
