"""What a configuration would change on a cluster before Flux loads it: queues, jobs, settings.

Pending jobs are treated as in flux-core 0.88: a job keeps the constraint and the limits that it
was accepted with; only the removal of its queue or of nodes makes it worse off.
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

#: How many jobs of one kind a row names.
_MOST_JOBS = 5
#: The only tables in a redacted snapshot (one without user and host names).
_PUBLIC = ("queues", "policy", "ingest")
#: The group of changes to queues, which affect new jobs only: pending ones keep their settings.
_QUEUES = "Queues, for new jobs"
#: Tables whose changes are listed by queue.
_BY_QUEUE = ("queues", "policy")

_WHEN: Mapping[Effect, str] = {
    "reload": "once reloaded",
    "scheduler": "needs the scheduler reloaded",
    "resource": "needs the resource module reloaded, or a restart",
    "restart": "needs a restart",
    "unknown": "not read by flux-core",
}
_TO_DO: Mapping[Effect, str] = {
    "reload": "flux config reload",
    "scheduler": "reload the scheduler modules, with no job running",
    "resource": "reload resource and the scheduler, or restart Flux",
    "restart": "restart Flux",
}


@dataclass(frozen=True, slots=True)
class QueueChange:
    """The changes to one queue; the name of the anonymous one is empty.

    gained, lost  masks over the nodes after
    settings      policy for its jobs before and after, durations in seconds; None is no limit
    """

    name: str
    state: Literal["new", "gone", "kept"]
    gained: int = 0
    lost: int = 0
    settings: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class JobChange:
    """What happens to a pending job.

    kind  its ``queue`` is removed, it would be ``refused`` if submitted again, it can ``never``
          start, or it ``can`` start or be submitted again now
    """

    job: Job
    kind: Literal["queue", "refused", "never", "can"]
    message: str


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What a configuration would change.

    refused   why Flux does not load it; the rest is computed as if it did
    queues    the changed queues; the anonymous one if there is no other
    nowhere   the nodes that are no longer in any queue, as a mask
    several   the nodes that are now in several queues, as a mask
    default   the default queue before and after, if it changes
    jobs      the pending jobs that gain or lose
    settings  all keys that change, those of queues included
    needs     what is needed to apply all of it, from the least to the most disruptive
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
    """Return what the configuration of after changes; None if either has no configuration.

    changes are the differences between their nodes. jobspecs are those of the readable pending
    jobs; others are approximated from the job list. Takes time for each node and job: not for the
    event loop.
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
        needs.add("scheduler")  # Fluxion reads the queues only when it is loaded
    names = (old.default, new.default)
    loads = bool(keys) and after.snapshot is None  # a live snapshot has already loaded it
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
    """Yield why the scheduler does not load with a configuration that Flux itself accepts."""
    if after.resources.topologies and _exclude(new):
        message = "TreePool of flux-core 0.88 does not load where nodes are excluded"
        yield Problem(message, None, "resource.exclude", rule="RFC 49")


def requeued(changes: Changes, before: Cluster, after: Cluster) -> tuple[int, int]:
    """Return the nodes whose queues change, as masks over the nodes after and those before."""
    had, has, found = _carried(changes, before), _coverage(after), 0
    for name in dict.fromkeys((*had, *has)):
        found |= had.get(name, 0) ^ has.get(name, 0)
    found = less(found, changes.added)
    return found, changes.before_of(found)


def _coverage(cluster: Cluster) -> Mapping[str, int]:
    """Return the nodes of each queue; without queues, all nodes for the anonymous one."""
    return cluster.coverage or {"": cluster.resources.everything}


def _carried(changes: Changes, before: Cluster) -> dict[str, int]:
    """Return the nodes that each queue had, as masks over the nodes after."""
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
    """Return the nodes in at least one mask, and those in several."""
    any_of = several = 0
    for mask in masks:
        any_of, several = any_of | mask, several | (any_of & mask)
    return any_of, several


def _queues(
    had: Mapping[str, int], has: Mapping[str, int], old: Config, new: Config
) -> Iterator[QueueChange]:
    """Yield the queues that are new, removed or different, in the order of both configurations.

    had and has are their nodes before and after, as masks over the nodes after.
    """
    for name in dict.fromkeys((*had, *has)):
        nodes_before, nodes_after = had.get(name, 0), has.get(name, 0)
        was = old.queue(name) if name in had else None
        now = new.queue(name) if name in has else None
        if was is None or now is None:
            yield QueueChange(name, "new" if was is None else "gone", nodes_after, nodes_before)
            continue
        keys = dict.fromkeys((*was.policy, *now.policy))
        values = {key: tuple(_value(one.policy, key) for one in (was, now)) for key in keys}
        differ = {key: (a, b) for key, (a, b) in values.items() if a != b}
        differ.pop("defaults.queue", None)
        gained, lost = less(nodes_after, nodes_before), less(nodes_before, nodes_after)
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
    """Yield the changes for each pending job; computed once for jobs that are alike."""
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
    """Whether a configuration has the queue of a job; the anonymous one exists only on its own."""
    return config.queue(job.queue) is not None if job.queue else not config.queues


def _listed(job: Job) -> Mapping[str, Any] | None:
    """Return a jobspec approximated from the job list; None if that is not enough."""
    found = stand_in(job)
    attributes: dict[str, Any] = {"queue": job.queue} if job.queue else {}
    attributes["duration"] = job.duration or 0
    return None if found is None else {**found, "attributes": {"system": attributes}}


def _admission(spec: Mapping[str, Any], old: Config, new: Config) -> Iterator[tuple[Any, str]]:
    """Yield how the answer to submitting a job again would differ from before."""
    was, now = (
        {one.kind: one.problem.message for one in _queue_admission(spec, config).refusals}
        for config in (old, new)
    )
    for kind, message in now.items():
        if kind not in was and kind not in ("queue", "access"):
            yield "refused", f"kept, but refused if submitted again: {message}"
    if was and not now:
        yield "can", "would be accepted if submitted again"


def _queue_admission(spec: Mapping[str, Any], config: Config) -> Admission:
    """Return the admission by the queue that a job names."""
    name = system(spec).get("queue") or config.default
    named = tuple(queue for queue in config.queues if queue.name == name)
    return admit_everywhere(spec, replace(config, queues=named or config.queues[:1]))[0]


def _without_queue(job: Job, before: Cluster) -> str:
    """Return what happens to a job whose queue is removed."""
    if before.snapshot is not None and "fluxion" in before.snapshot.scheduler:
        return "queue removed; may start until Fluxion is reloaded"
    status = before.statuses.get(job.queue)
    if job.state != "SCHED" or job.urgency == 0 or (status is not None and not status.started):
        return "queue removed; pending forever"
    unless = "" if status is not None else ", unless the queue is stopped"
    return f"queue removed; can still start, as the scheduler has it{unless}"


@dataclass(frozen=True, slots=True)
class _Nodes:
    """The masks of the nodes on which jobs can ever run, and whether they are the same."""

    before: Cluster
    after: Cluster
    was: int
    now: int
    is_same: bool

    @classmethod
    def of(cls, changes: Changes, before: Cluster, after: Cluster) -> "_Nodes":
        """Return the nodes that are not excluded before and after."""
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
        """Yield whether a job can ever start, if that has changed."""
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
            yield "can", "could never start, but can then"

    def _allowed(self, spec: Mapping[str, Any], job: Job, cluster: Cluster) -> int | None:
        """Return the nodes allowed by a job's constraint, else by its queue; None if unreadable."""
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
    """Yield the changes as rows, in groups: refused, queues, jobs, settings, what to do."""
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
            quoted = queue.name and shellwords.quote_value(queue.name)
            start = f"flux queue start {quoted}" if quoted else "it is started"
            words = f"{name} is new{without}; {start}"
            yield nodes("+", queue.gained, words)
        for mask, verb in ((queue.gained, "join"), (queue.lost, "leave")):
            if mask and queue.state == "kept":
                yield nodes("~", mask, f"{verb} {name}")
        for key, (was, now) in queue.settings.items():
            words = f"{key} {_value_text(key, was)} → {_value_text(key, now)}"
            yield Row("~", 0, name, words, _QUEUES)
    if found.nowhere:
        yield nodes("~", found.nowhere, "are then in no queue")
    if found.several:
        yield nodes("~", found.several, "are then in several queues")
    if found.default is not None:
        was, now = (name or "none" for name in found.default)
        yield Row("~", 0, "default queue", f"{was} → {now}", _QUEUES)
    yield from _job_rows(found.jobs)
    # A new or removed anonymous queue has no policy rows, so the general policy is listed by key.
    appears = any(not queue.name and queue.state != "kept" for queue in found.queues)
    by_queue = ("queues",) if appears else _BY_QUEUE
    for setting in found.settings:
        if setting.path.partition(".")[0] not in by_queue:
            values = f"{_short(setting.before)} → {_short(setting.after)}"
            yield Row("~", 0, setting.path, f"{values}; {_WHEN[setting.effect]}", "Settings")
    for effect in found.needs:
        if effect != "resource" or "restart" not in found.needs:
            yield Row("~", 0, _TO_DO[effect], "", "To apply it")


def _job_rows(jobs: Iterable[JobChange]) -> Iterator[Row]:
    """Yield one row for all jobs with the same message."""
    alike: dict[tuple[str, str], list[Job]] = {}
    for one in jobs:
        alike.setdefault((one.kind, one.message), []).append(one.job)
    for (kind, message), listed in alike.items():
        names = ", ".join(job.f58 for job in listed[:_MOST_JOBS])
        more = f" and {len(listed) - _MOST_JOBS:,} more" if len(listed) > _MOST_JOBS else ""
        sign: Sign = "+" if kind == "can" else "~" if kind == "refused" else "-"
        yield Row(sign, 0, names + more, message, "Pending jobs", len(listed))


def _value_text(key: str, value: Any) -> str:
    if value is None:
        return "none"
    if key.endswith("duration") and isinstance(value, int | float):
        return duration.describe(value)
    return ", ".join(value) if isinstance(value, tuple) else _short(value)


def _short(value: Any) -> str:
    if value is None:
        return "not set"
    return shortened(json.dumps(value, ensure_ascii=False, default=str))


def to_json(found: Rehearsal, changes: Changes) -> dict[str, Any]:
    """Return the changes as a JSON object; host lists are complete, durations in seconds."""
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
    """Return a value as JSON types; dates, NaN and infinities become strings."""
    return json.loads(json.dumps(value, default=str), parse_constant=str)
